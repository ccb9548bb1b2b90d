// SPDX-License-Identifier: GPL-2.0
/*
 * A file as a change sees it. What the change writes is kept in extents, over what
 * the file has; what comes out in the end are the parts of an entry of the
 * journal, which say the same and can be done again.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

#define EXTENT_ROOM_MIN	64

static struct mgs_extent *extent_first(const struct list_head *extents)
{
	return list_empty(extents) ? NULL :
		list_entry(extents->next, struct mgs_extent, ex_item);
}

static struct mgs_extent *extent_next(const struct list_head *extents,
				      const struct mgs_extent *extent)
{
	return extent->ex_item.next == extents ? NULL :
		list_entry(extent->ex_item.next, struct mgs_extent, ex_item);
}

static u64 extent_end(const struct mgs_extent *extent)
{
	return extent->ex_offset + extent->ex_len;
}

static void extent_free(struct mgs_extent *extent)
{
	list_del_init(&extent->ex_item);
	libcfs_free(extent->ex_bytes, extent->ex_room);
	libcfs_free(extent, sizeof(*extent));
}

/* Room for more bytes. Return: whether there is; nothing is changed where not. */
static bool extent_grow(struct mgs_extent *extent, size_t len)
{
	size_t room = max_t(size_t, len, EXTENT_ROOM_MIN);
	u8 *bytes;

	if (len <= extent->ex_room)
		return true;
	if (extent->ex_room)
		room = max_t(size_t, room, extent->ex_room * 2);
	bytes = libcfs_zalloc(room, GFP_KERNEL);
	if (!bytes)
		return false;
	if (extent->ex_len)
		memcpy(bytes, extent->ex_bytes, extent->ex_len);
	libcfs_free(extent->ex_bytes, extent->ex_room);
	extent->ex_bytes = bytes;
	extent->ex_room = room;
	return true;
}

static struct mgs_extent *extent_alloc(u64 offset, size_t len)
{
	struct mgs_extent *extent = libcfs_zalloc(sizeof(*extent), GFP_KERNEL);

	if (!extent)
		return NULL;
	INIT_LIST_HEAD(&extent->ex_item);
	extent->ex_offset = offset;
	if (extent_grow(extent, len))
		return extent;
	libcfs_free(extent, sizeof(*extent));
	return NULL;
}

/**
 * mgs_file_find() - a file of a list
 * @files: list
 * @name: name
 *
 * Context: any
 * Return: file, or NULL
 */
struct mgs_file *mgs_file_find(const struct list_head *files, const char *name)
{
	struct mgs_file *file;

	list_for_each_entry(file, files, mf_item)
		if (!strcmp(file->mf_name, name))
			return file;
	return NULL;
}

/**
 * mgs_file_alloc() - a file that is not there, of no list
 * @store: store
 * @name: name, shorter than MGS_FILE_MAX
 *
 * Context: sleeps for memory
 * Return: file, for mgs_file_free(); NULL
 */
struct mgs_file *mgs_file_alloc(struct mgs_store *store, const char *name)
{
	struct mgs_file *file = libcfs_zalloc(sizeof(*file), GFP_KERNEL);

	if (!file)
		return NULL;
	INIT_LIST_HEAD(&file->mf_item);
	INIT_LIST_HEAD(&file->mf_extents);
	file->mf_store = store;
	memcpy(file->mf_name, name, strlen(name));
	return file;
}

/**
 * mgs_file_get() - a file for a change to work on
 * @txn: change
 * @name: name
 * @file: out
 *
 * Context: as the folder
 * Return: 0; -ENAMETOOLONG; -ENOMEM, and the change cannot be committed; as the
 * folder
 */
int mgs_file_get(struct mgs_txn *txn, const char *name, struct mgs_file **file)
{
	struct mgs_store *store = txn->mt_store;
	struct mgs_file *made;
	u64 size = 0;
	int rc;

	*file = mgs_file_find(&txn->mt_files, name);
	if (*file)
		return 0;
	if (strlen(name) >= MGS_FILE_MAX)
		return -ENAMETOOLONG;
	rc = store->ms_io->size(store->ms_folder, name, &size);
	if (rc && rc != -ENOENT)
		return rc;
	made = mgs_file_alloc(store, name);
	if (!made) {
		txn->mt_failed = -ENOMEM;
		return -ENOMEM;
	}
	made->mf_was = !rc;
	made->mf_there = made->mf_was;
	made->mf_first = made->mf_was ? size : 0;
	made->mf_under = made->mf_first;
	made->mf_size = made->mf_first;
	list_add_tail(&made->mf_item, &txn->mt_files);
	*file = made;
	return 0;
}

/**
 * mgs_file_forget() - drop what was written; the file has it
 * @file: file
 *
 * Context: any that may free
 */
void mgs_file_forget(struct mgs_file *file)
{
	file->mf_applied = true;
	while (!list_empty(&file->mf_extents))
		extent_free(extent_first(&file->mf_extents));
}

/**
 * mgs_file_free() - free a file
 * @file: file, in a list or in none
 *
 * Context: any that may free
 */
void mgs_file_free(struct mgs_file *file)
{
	mgs_file_forget(file);
	list_del_init(&file->mf_item);
	libcfs_free(file, sizeof(*file));
}

/**
 * mgs_files_free() - free all files of a list
 * @files: list
 *
 * Context: any that may free
 */
void mgs_files_free(struct list_head *files)
{
	while (!list_empty(files))
		mgs_file_free(list_entry(files->next, struct mgs_file,
					 mf_item));
}

/* What the file itself has of it; zeros behind that. */
static int read_under(const struct mgs_file *file, u64 offset, u8 *bytes,
		      size_t len)
{
	const struct mgs_store *store = file->mf_store;
	size_t want = 0;
	ssize_t got;

	if (offset < file->mf_under)
		want = min_t(u64, len, file->mf_under - offset);
	if (want) {
		got = store->ms_io->read(store->ms_folder, file->mf_name,
					 offset, bytes, want);
		if (got < 0)
			return (int)got;
		/* Somebody else cut it. */
		if ((size_t)got < want)
			return -EIO;
	}
	memset(bytes + want, 0, len - want);
	return 0;
}

/**
 * mgs_file_read() - read what the change sees
 * @at: struct mgs_file
 * @offset: from where
 * @bytes: out
 * @len: how many
 *
 * Context: as the folder
 * Return: bytes, fewer at the end; -ENOENT; as the folder
 */
ssize_t mgs_file_read(void *at, u64 offset, void *bytes, size_t len)
{
	const struct mgs_file *file = at;
	const struct mgs_extent *extent;
	u64 from, to;
	int rc;

	if (!file->mf_there)
		return -ENOENT;
	if (offset >= file->mf_size)
		return 0;
	len = min_t(u64, len, file->mf_size - offset);
	rc = read_under(file, offset, bytes, len);
	if (rc)
		return rc;
	list_for_each_entry(extent, &file->mf_extents, ex_item) {
		from = max_t(u64, extent->ex_offset, offset);
		to = min_t(u64, extent_end(extent), offset + len);
		if (from < to)
			memcpy((u8 *)bytes + (from - offset),
			       extent->ex_bytes + (from - extent->ex_offset),
			       to - from);
	}
	return (ssize_t)len;
}

/* The first extent that ends at @offset or behind it. */
static struct mgs_extent *extent_from(const struct mgs_file *file, u64 offset)
{
	struct mgs_extent *extent;

	list_for_each_entry(extent, &file->mf_extents, ex_item)
		if (extent_end(extent) >= offset)
			return extent;
	return NULL;
}

static void put_before(struct mgs_file *file, struct mgs_extent *extent,
		       struct mgs_extent *before)
{
	list_add_tail(&extent->ex_item,
		      before ? &before->ex_item : &file->mf_extents);
}

/*
 * Make @first, which touches the bytes from @offset to @end, hold all of them, and
 * what other extents that they touch hold. Those are freed.
 */
static bool extent_widen(struct mgs_file *file, struct mgs_extent *first,
			 u64 offset, u64 end)
{
	struct list_head *at, *after;
	struct mgs_extent *next;
	u64 begin = min_t(u64, first->ex_offset, offset);
	u64 last = max_t(u64, extent_end(first), end);
	size_t shift;

	for (at = first->ex_item.next; at != &file->mf_extents; at = at->next) {
		next = list_entry(at, struct mgs_extent, ex_item);
		if (next->ex_offset > end)
			break;
		last = max_t(u64, last, extent_end(next));
	}
	if (!extent_grow(first, last - begin))
		return false;
	shift = first->ex_offset - begin;
	if (shift)
		memmove(first->ex_bytes + shift, first->ex_bytes,
			first->ex_len);
	first->ex_offset = begin;
	first->ex_len = last - begin;
	for (at = first->ex_item.next; at != &file->mf_extents; at = after) {
		next = list_entry(at, struct mgs_extent, ex_item);
		if (next->ex_offset > end)
			break;
		after = at->next;
		memcpy(first->ex_bytes + (next->ex_offset - begin),
		       next->ex_bytes, next->ex_len);
		extent_free(next);
	}
	return true;
}

/**
 * mgs_file_write() - write, for the change to see
 * @at: struct mgs_file
 * @offset: where
 * @bytes: what
 * @len: how many
 *
 * Context: sleeps for memory
 * Return: 0; -EFBIG; -ENOMEM, and nothing was written
 */
int mgs_file_write(void *at, u64 offset, const void *bytes, size_t len)
{
	struct mgs_file *file = at;
	struct mgs_extent *extent;
	u64 end = offset + len;

	if (offset > MGS_FILE_SIZE_MAX || len > MGS_ENTRY_MAX)
		return -EFBIG;
	if (!len)
		return mgs_file_cut(file, max_t(u64, file->mf_size, offset));
	extent = extent_from(file, offset);
	if (extent && extent->ex_offset <= end) {
		if (!extent_widen(file, extent, offset, end))
			return -ENOMEM;
	} else {
		struct mgs_extent *made = extent_alloc(offset, len);

		if (!made)
			return -ENOMEM;
		made->ex_len = len;
		put_before(file, made, extent);
		extent = made;
	}
	memcpy(extent->ex_bytes + (offset - extent->ex_offset), bytes, len);
	file->mf_there = true;
	file->mf_size = max_t(u64, file->mf_size, end);
	return 0;
}

/**
 * mgs_file_cut() - give it another size, for the change to see
 * @at: struct mgs_file; made where it is not there
 * @size: bytes
 *
 * Context: any that may free
 * Return: 0
 */
int mgs_file_cut(void *at, u64 size)
{
	struct mgs_file *file = at;
	struct mgs_extent *extent, *next;

	file->mf_there = true;
	file->mf_size = size;
	file->mf_under = min_t(u64, file->mf_under, size);
	for (extent = extent_first(&file->mf_extents); extent; extent = next) {
		next = extent_next(&file->mf_extents, extent);
		if (extent->ex_offset >= size)
			extent_free(extent);
		else if (extent_end(extent) > size)
			extent->ex_len = size - extent->ex_offset;
	}
	return 0;
}

/**
 * mgs_file_remove() - have no such file, for the change to see
 * @file: file
 *
 * Context: any that may free
 */
void mgs_file_remove(struct mgs_file *file)
{
	mgs_file_cut(file, 0);
	file->mf_there = false;
}

/**
 * mgs_file_changed() - whether there is anything to be done to the file
 * @file: file
 *
 * Context: any
 * Return: whether
 */
bool mgs_file_changed(const struct mgs_file *file)
{
	struct mgs_todo todo;
	struct mgs_part part;

	mgs_todo_init(&todo, file);
	return mgs_todo_next(&todo, &part);
}

static int overlay_sync(void *file)
{
	return 0;
}

/* A log is written as llog_store writes it, into what the change sees. */
const struct llog_store_io mgs_file_llog_io = {
	.read	= mgs_file_read,
	.write	= mgs_file_write,
	.sync	= overlay_sync,
	.cut	= mgs_file_cut,
};

enum { TODO_UNDER, TODO_EXTENTS, TODO_SIZE, TODO_END };

/**
 * mgs_todo_init() - begin with what is done to a file
 * @todo: out
 * @file: file, which does not change meanwhile
 *
 * Context: any
 */
void mgs_todo_init(struct mgs_todo *todo, const struct mgs_file *file)
{
	todo->file = file;
	todo->next = TODO_UNDER;
	todo->extent = extent_first(&file->mf_extents);
}

static u64 reached(const struct mgs_file *file)
{
	const struct mgs_extent *extent;
	u64 end = file->mf_under;

	list_for_each_entry(extent, &file->mf_extents, ex_item)
		end = max_t(u64, end, extent_end(extent));
	return end;
}

static bool todo_one(struct mgs_todo *todo, struct mgs_part *part)
{
	const struct mgs_file *file = todo->file;

	switch (todo->next) {
	case TODO_UNDER:
		todo->next = TODO_EXTENTS;
		part->kind = file->mf_there ? MGS_PART_SIZE : MGS_PART_REMOVE;
		part->offset = file->mf_under;
		if (!file->mf_there) {
			todo->next = TODO_END;
			return file->mf_was;
		}
		return file->mf_under < file->mf_first;
	case TODO_EXTENTS:
		if (!todo->extent) {
			todo->next = TODO_SIZE;
			return false;
		}
		part->kind = MGS_PART_WRITE;
		part->offset = todo->extent->ex_offset;
		part->bytes = todo->extent->ex_bytes;
		part->len = todo->extent->ex_len;
		todo->extent = extent_next(&file->mf_extents, todo->extent);
		return true;
	default:
		todo->next = TODO_END;
		part->kind = MGS_PART_SIZE;
		part->offset = file->mf_size;
		return file->mf_size != reached(file) ||
			(!file->mf_was && !file->mf_size);
	}
}

/**
 * mgs_todo_next() - the next part
 * @todo: where it stands
 * @part: out; its bytes are those of the file
 *
 * Context: any
 * Return: whether there was one
 */
bool mgs_todo_next(struct mgs_todo *todo, struct mgs_part *part)
{
	while (todo->next != TODO_END) {
		part->bytes = NULL;
		part->len = 0;
		if (!todo_one(todo, part))
			continue;
		memcpy(part->name, todo->file->mf_name, sizeof(part->name));
		return true;
	}
	return false;
}
