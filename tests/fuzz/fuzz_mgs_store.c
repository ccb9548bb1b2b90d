// SPDX-License-Identifier: GPL-2.0-only
/*
 * A journal and a state from an untrusted directory of a management service. Where the store
 * can be opened, all that is in it can be read and changed, and it opens again with
 * nothing left to be done. Where not, nothing was written.
 *
 *	1 byte		bit 0: check sums are put right first
 *	4 bytes		length of the journal
 *	...		journal, then state
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/crc32c.h>
#include <linux/slab.h>

#include "fuzz_input.h"
#include "mgs/store/store_internal.h"

#define FILES		24
#define FILE_MAX	(256 * 1024)
#define INPUT_MAX	(64 * 1024)

/**
 * struct fuzz_file - a file
 * @name: name; empty: there is none
 * @bytes: its bytes
 * @size: how many
 */
struct fuzz_file {
	char	name[MGS_FILE_MAX];
	u8	*bytes;
	u64	size;
};

static struct fuzz_file files[FILES];
static unsigned int changes;

static struct fuzz_file *file_find(const char *name)
{
	unsigned int n;

	for (n = 0; n < FILES; n++)
		if (!strcmp(files[n].name, name))
			return &files[n];
	return NULL;
}

static void file_drop(struct fuzz_file *file)
{
	free(file->bytes);
	memset(file, 0, sizeof(*file));
}

/* No file is outside of the directory, nor deep in it. */
static void name_check(const char *name)
{
	const char *slash = strchr(name, '/');

	FUZZ_CHECK(name[0] && name[0] != '/' && !strstr(name, ".."));
	FUZZ_CHECK(!slash || (slash[1] && !strchr(slash + 1, '/')));
}

static int file_grow(const char *name, u64 size, struct fuzz_file **file)
{
	name_check(name);
	*file = file_find(name);
	if (!*file)
		*file = file_find("");
	if (!*file || size > FILE_MAX)
		return -ENOSPC;
	memcpy((*file)->name, name, strlen(name));
	if (size <= (*file)->size && (*file)->bytes)
		return 0;
	(*file)->bytes = realloc((*file)->bytes, size ? size : 1);
	memset((*file)->bytes + (*file)->size, 0, size - (*file)->size);
	(*file)->size = size;
	return 0;
}

static ssize_t fuzz_read(void *backend, const char *name, u64 offset, void *bytes,
			 size_t len)
{
	struct fuzz_file *file = file_find(name);

	if (!file)
		return -ENOENT;
	if (offset >= file->size)
		return 0;
	if (len > file->size - offset)
		len = file->size - offset;
	memcpy(bytes, file->bytes + offset, len);
	return (ssize_t)len;
}

static int fuzz_write(void *backend, const char *name, u64 offset,
		      const void *bytes, size_t len)
{
	struct fuzz_file *file;
	int rc = file_grow(name, offset + len, &file);

	changes++;
	if (!rc && len)
		memcpy(file->bytes + offset, bytes, len);
	return rc;
}

static int fuzz_size(void *backend, const char *name, u64 *size)
{
	struct fuzz_file *file = file_find(name);

	if (!file)
		return -ENOENT;
	*size = file->size;
	return 0;
}

static int fuzz_truncate(void *backend, const char *name, u64 size)
{
	struct fuzz_file *file;
	int rc = file_grow(name, size, &file);

	changes++;
	if (!rc)
		file->size = size;
	return rc;
}

static int fuzz_remove(void *backend, const char *name)
{
	struct fuzz_file *file = file_find(name);

	changes++;
	name_check(name);
	if (file)
		file_drop(file);
	return 0;
}

static int fuzz_sync(void *backend, const char *name)
{
	return 0;
}

static int fuzz_list(void *backend, const char *dir,
		     int (*fn)(void *data, const char *name), void *data)
{
	size_t len = strlen(dir);
	unsigned int n;
	int rc = 0;

	for (n = 0; n < FILES && !rc; n++)
		if (!strncmp(files[n].name, dir, len) &&
		    files[n].name[len] == '/')
			rc = fn(data, files[n].name + len + 1);
	return rc;
}

static const struct mgs_backend_io fuzz_io = {
	fuzz_read, fuzz_write, fuzz_size, fuzz_truncate, fuzz_remove, fuzz_sync,
	fuzz_list,
};

static void entry_repair(u8 *entry, size_t left, u64 *next)
{
	const size_t head = sizeof(struct mgs_journal_entry);
	u64 at = *next;
	u32 len = codec_get32(entry + 24, false);

	if (len >= head && len <= left) {
		codec_put32(entry + 28, ~crc32c(~0U, entry + head, len - head));
		*next += len;
	}
	codec_put32(entry + 32, (u32)at);
	codec_put32(entry + 36, ~crc32c(~0U, entry, 36));
}

/* Fix the checksums, so that the checks after them are reached. */
static void journal_repair(u8 *bytes, size_t len)
{
	u64 at = MGS_JOURNAL_BEGIN, next = at;
	unsigned int n;

	for (n = 0; n <= MGS_JOURNAL_HEAD_STEP; n += MGS_JOURNAL_HEAD_STEP)
		if (len >= n + 24)
			codec_put32(bytes + n + 20, ~crc32c(~0U, bytes + n, 20));
	while (at + sizeof(struct mgs_journal_entry) <= len) {
		entry_repair(bytes + at, len - at, &next);
		if (next == at)
			break;
		at = next;
	}
}

static void state_repair(u8 *bytes, size_t len)
{
	u32 crc;

	if (len < 24)
		return;
	crc = crc32c(~0U, bytes, 20);
	codec_put32(bytes + 20, ~crc32c(crc, bytes + 24, len - 24));
}

static void files_make(const u8 *data, size_t size)
{
	u32 len = codec_get32(data + 1, false);
	struct fuzz_file *file;

	if (len > size - 5)
		len = (u32)(size - 5);
	if (len) {
		fuzz_write(NULL, MGS_JOURNAL_FILE, 0, data + 5, len);
		file = file_find(MGS_JOURNAL_FILE);
		if (data[0] & 1)
			journal_repair(file->bytes, file->size);
	}
	if (size - 5 - len) {
		fuzz_write(NULL, MGS_STATE_FILE, 0, data + 5 + len,
			   size - 5 - len);
		file = file_find(MGS_STATE_FILE);
		if (data[0] & 1)
			state_repair(file->bytes, file->size);
	}
}

static int see_record(void *data, const struct mgs_rec *rec)
{
	FUZZ_CHECK(rec->index && rec->cfg.bufcount);
	return 0;
}

static int see_log(void *data, const struct mgs_log_info *info)
{
	struct mgs_store *store = data;
	u8 bytes[64];
	int rc;

	FUZZ_CHECK(info->li_epoch && info->li_epoch <= info->li_generation);
	FUZZ_CHECK(info->li_generation <= mgs_view_generation(store->ms_view));
	rc = mgs_view_walk(store->ms_view, info->li_name, see_record, NULL);
	FUZZ_CHECK(!rc || rc == -EIO);
	FUZZ_CHECK(mgs_view_read(store->ms_view, info->li_name, 0, bytes,
				  sizeof(bytes)) >= -EIO);
	return 0;
}

static void use(struct mgs_store *store, bool again)
{
	static const struct mgs_who who = { .who = "fuzz" };
	u64 generation, before = mgs_view_generation(store->ms_view);
	struct mgs_txn *txn;
	int rc;

	mgs_view_each(store->ms_view, see_log, store);
	if (mgs_txn_begin(store, &who, &txn))
		return;
	rc = mgs_txn_put(txn, MGS_NIDTBL_DIR "/fuzz", "fuzz", 4);
	FUZZ_CHECK(!rc);
	rc = mgs_txn_commit(txn, &generation);
	FUZZ_CHECK(rc || generation == (again ? 0 : before + 1));
}

static bool open_once(bool again)
{
	struct mgs_store *store;
	struct mgs_fault fault;
	int rc = mgs_store_open(&fuzz_io, NULL, 7, &store, &fault);

	if (rc) {
		FUZZ_CHECK(rc == -EBADMSG || rc == -ENOSPC);
		FUZZ_CHECK(rc != -EBADMSG || fault.what);
		return false;
	}
	use(store, again);
	rc = mgs_store_failed(store);
	mgs_store_close(store);
	return !rc;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	unsigned int n;

	if (size < 5 || size > INPUT_MAX)
		return 0;
	files_make(data, size);
	if (open_once(false)) {
		changes = 0;
		FUZZ_CHECK(open_once(true));
		FUZZ_CHECK(!changes);
	}
	for (n = 0; n < FILES; n++)
		file_drop(&files[n]);
	return 0;
}
