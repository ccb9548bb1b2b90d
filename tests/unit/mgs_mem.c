// SPDX-License-Identifier: GPL-2.0-only
#include "shim_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "mgs_mem.h"

#define SECTOR	512

static void image_free(struct mem_image *image)
{
	free(image->bytes);
	memset(image, 0, sizeof(*image));
}

static void image_room(struct mem_image *image, u64 size)
{
	size_t room = image->room ? image->room : 256;

	while (room < size)
		room *= 2;
	if (room == image->room)
		return;
	image->bytes = realloc(image->bytes, room);
	assert_non_null(image->bytes);
	memset(image->bytes + image->room, 0, room - image->room);
	image->room = room;
}

static void image_truncate(struct mem_image *image, u64 size)
{
	image_room(image, size);
	if (size < image->size)
		memset(image->bytes + size, 0, image->size - size);
	image->size = size;
	image->there = true;
}

static void image_write(struct mem_image *image, u64 offset, const void *bytes,
			size_t len)
{
	if (offset + len > image->size)
		image_truncate(image, offset + len);
	if (len)
		memcpy(image->bytes + offset, bytes, len);
	image->there = true;
}

static void image_copy(struct mem_image *to, const struct mem_image *from)
{
	image_free(to);
	if (!from->there)
		return;
	image_truncate(to, from->size);
	if (from->size)
		memcpy(to->bytes, from->bytes, from->size);
}

static void image_op(struct mem_image *image, const struct mem_op *op)
{
	switch (op->kind) {
	case MGS_PART_WRITE:
		image_write(image, op->offset, op->bytes, op->len);
		break;
	case MGS_PART_SIZE:
		image_truncate(image, op->offset);
		break;
	default:
		image_free(image);
	}
}

static void ops_free(struct mem_file *file)
{
	while (file->count)
		free(file->ops[--file->count].bytes);
	free(file->ops);
	file->ops = NULL;
}

static void ops_add(struct mem_file *file, int kind, u64 offset,
		    const void *bytes, size_t len)
{
	struct mem_op *op;

	file->ops = realloc(file->ops, (file->count + 1) * sizeof(*file->ops));
	assert_non_null(file->ops);
	op = &file->ops[file->count++];
	op->kind = kind;
	op->offset = offset;
	op->len = len;
	op->bytes = malloc(len ? len : 1);
	assert_non_null(op->bytes);
	if (len)
		memcpy(op->bytes, bytes, len);
	image_op(&file->now, op);
}

static struct mem_file *find_any(struct mem_backend *backend, const char *name)
{
	size_t n;

	for (n = 0; n < backend->count; n++)
		if (!strcmp(backend->files[n].name, name))
			return &backend->files[n];
	return NULL;
}

static struct mem_file *find_or_add(struct mem_backend *backend, const char *name)
{
	struct mem_file *file = find_any(backend, name);

	if (file)
		return file;
	backend->files = realloc(backend->files,
				(backend->count + 1) * sizeof(*backend->files));
	assert_non_null(backend->files);
	file = &backend->files[backend->count++];
	memset(file, 0, sizeof(*file));
	assert_true(strlen(name) < sizeof(file->name));
	memcpy(file->name, name, strlen(name));
	return file;
}

struct mem_file *mem_find(struct mem_backend *backend, const char *name)
{
	struct mem_file *file = find_any(backend, name);

	return file && file->now.there ? file : NULL;
}

void mem_free(struct mem_backend *backend)
{
	size_t n;

	for (n = 0; n < backend->count; n++) {
		image_free(&backend->files[n].now);
		image_free(&backend->files[n].disk);
		ops_free(&backend->files[n]);
	}
	free(backend->files);
	memset(backend, 0, sizeof(*backend));
}

void mem_put(struct mem_backend *backend, const char *name, const void *bytes,
	     size_t len)
{
	struct mem_file *file = find_or_add(backend, name);

	image_free(&file->now);
	image_write(&file->now, 0, bytes, len);
	image_copy(&file->disk, &file->now);
	ops_free(file);
}

/* xorshift, of a state that is never 0. */
static u32 dice(u32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void op_mixed(struct mem_image *disk, const struct mem_op *op, u32 *state)
{
	u64 at = op->offset, end = op->offset + op->len, next;

	if (op->kind != MGS_PART_WRITE) {
		if (dice(state) & 4)
			image_op(disk, op);
		return;
	}
	for (; at < end; at = next) {
		next = (at / SECTOR + 1) * SECTOR;
		if (next > end)
			next = end;
		if (dice(state) & 4)
			image_write(disk, at, op->bytes + (at - op->offset),
				    next - at);
	}
}

static void file_cut(struct mem_file *file, enum mem_cut cut, u32 *state)
{
	struct mem_op *op;
	size_t n;

	for (n = 0; n < file->count && cut != MEM_LOST; n++) {
		op = &file->ops[n];
		if (cut == MEM_MIXED) {
			op_mixed(&file->disk, op, state);
			continue;
		}
		if (cut == MEM_TORN && n + 1 == file->count)
			op->len /= 2;
		image_op(&file->disk, op);
	}
	ops_free(file);
	image_copy(&file->now, &file->disk);
}

void mem_power_cut(struct mem_backend *backend, enum mem_cut cut, unsigned int seed)
{
	u32 state = seed * 2654435761U + 1;
	size_t n;

	for (n = 0; n < backend->count; n++)
		file_cut(&backend->files[n], cut, &state);
	backend->dead_at = 0;
	backend->fail_at = 0;
}

/* Return: 0; -EIO without power; 1 if it must fail half way. */
static int folder_op(struct mem_backend *backend)
{
	backend->ops++;
	if (backend->dead_at && backend->ops >= backend->dead_at)
		return -EIO;
	return backend->fail_at && backend->ops >= backend->fail_at &&
		backend->ops <= backend->fail_at + backend->fail_count;
}

/* Whether the file would get longer on a full disk. */
static bool too_long(struct mem_backend *backend, const char *name, u64 size)
{
	struct mem_file *file = find_any(backend, name);

	return backend->full && (!file || !file->now.there ||
				size > file->now.size);
}

static ssize_t mem_read(void *data, const char *name, u64 offset, void *bytes,
			size_t len)
{
	struct mem_file *file = mem_find(data, name);
	struct mem_backend *backend = data;

	if (!file)
		return -ENOENT;
	if (offset >= file->now.size)
		return 0;
	if (len > file->now.size - offset)
		len = file->now.size - offset;
	backend->read += len;
	memcpy(bytes, file->now.bytes + offset, len);
	return (ssize_t)len;
}

static int mem_write(void *data, const char *name, u64 offset, const void *bytes,
		     size_t len)
{
	struct mem_backend *backend = data;
	int rc = folder_op(backend);

	if (rc < 0)
		return rc;
	if (too_long(backend, name, offset + len))
		return -ENOSPC;
	if (rc)
		len /= 2;
	ops_add(find_or_add(backend, name), MGS_PART_WRITE, offset, bytes, len);
	backend->written += len;
	return rc ? backend->fail_rc : 0;
}

static int mem_size(void *data, const char *name, u64 *size)
{
	struct mem_file *file = mem_find(data, name);

	if (!file)
		return -ENOENT;
	*size = file->now.size;
	return 0;
}

static int mem_truncate(void *data, const char *name, u64 size)
{
	struct mem_backend *backend = data;
	int rc = folder_op(backend);

	if (rc)
		return rc < 0 ? rc : backend->fail_rc;
	if (too_long(backend, name, size))
		return -ENOSPC;
	ops_add(find_or_add(backend, name), MGS_PART_SIZE, size, NULL, 0);
	return 0;
}

static int mem_remove(void *data, const char *name)
{
	struct mem_backend *backend = data;
	struct mem_file *file = mem_find(backend, name);
	int rc = folder_op(backend);

	if (rc)
		return rc < 0 ? rc : backend->fail_rc;
	if (file)
		ops_add(file, MGS_PART_REMOVE, 0, NULL, 0);
	return 0;
}

/* Pages are clean after a write error; names and sizes are kept. */
static void writes_forget(struct mem_file *file)
{
	size_t n;

	for (n = 0; n < file->count; n++)
		if (file->ops[n].kind == MGS_PART_WRITE)
			file->ops[n].len = 0;
}

static int mem_sync(void *data, const char *name)
{
	struct mem_backend *backend = data;
	struct mem_file *file = find_any(backend, name);
	int rc = folder_op(backend);
	size_t n;

	if (rc > 0 && backend->lossy && file)
		writes_forget(file);
	if (rc)
		return rc < 0 ? rc : backend->fail_rc;
	backend->syncs++;
	if (file && file->count) {
		for (n = 0; n < file->count; n++)
			image_op(&file->disk, &file->ops[n]);
		ops_free(file);
	}
	return 0;
}

static int mem_list(void *data, const char *dir,
		    int (*fn)(void *data, const char *name), void *arg)
{
	struct mem_backend *backend = data;
	size_t len = strlen(dir), n;
	struct mem_file *file;
	int rc = 0;

	for (n = 0; n < backend->count && !rc; n++) {
		file = &backend->files[n];
		if (file->now.there && !strncmp(file->name, dir, len) &&
		    file->name[len] == '/')
			rc = fn(arg, file->name + len + 1);
	}
	return rc;
}

const struct mgs_backend_io mem_io = {
	.read	= mem_read,
	.write	= mem_write,
	.size	= mem_size,
	.truncate = mem_truncate,
	.remove	= mem_remove,
	.sync	= mem_sync,
	.list	= mem_list,
};
