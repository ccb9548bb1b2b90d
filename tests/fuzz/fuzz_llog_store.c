// SPDX-License-Identifier: GPL-2.0-only
/*
 * A file that is opened as a log for writing. Where that is allowed, nothing
 * is wrong with it any more: it can be appended to and cancelled from, and opens
 * again without a change. Where not, the file is as it was.
 */
#include <lustre_lite/llog_store.h>

#include "fuzz_codec.h"

#define SIZE_MAX_TRIED	(512 * 1024)
/* Space that two appends can need. */
#define ROOM_MORE	(4 * LLOG_MAX_CHUNK_SIZE)

/**
 * struct fuzz_file - a file in memory
 * @bytes: its bytes
 * @room: how many there can be
 * @size: how long it is
 * @changes: writes and cuts
 */
struct fuzz_file {
	u8		*bytes;
	size_t		room;
	size_t		size;
	unsigned int	changes;
};

static ssize_t file_read(void *file, u64 offset, void *bytes, size_t len)
{
	struct fuzz_file *f = file;

	if (offset >= f->size)
		return 0;
	if (len > f->size - offset)
		len = f->size - offset;
	memcpy(bytes, f->bytes + offset, len);
	return (ssize_t)len;
}

static int file_write(void *file, u64 offset, const void *bytes, size_t len)
{
	struct fuzz_file *f = file;

	FUZZ_CHECK(offset <= f->size && offset + len <= f->room);
	memcpy(f->bytes + offset, bytes, len);
	if (offset + len > f->size)
		f->size = offset + len;
	f->changes++;
	return 0;
}

static int file_sync(void *file)
{
	(void)file;
	return 0;
}

static int file_cut(void *file, u64 size)
{
	struct fuzz_file *f = file;

	FUZZ_CHECK(size < f->size);
	f->size = size;
	f->changes++;
	return 0;
}

static const struct llog_store_io file_io = {
	file_read, file_write, file_sync, file_cut,
};

static void check_again(struct llog_store *store)
{
	struct fuzz_file *f = store->file;
	unsigned int changes = f->changes;
	u32 last_index = store->head.last_index, count = store->head.count;
	u64 end = store->end;
	struct llog_fault fault;

	FUZZ_CHECK(f->size == end);
	FUZZ_CHECK(!llog_store_open(store, true, &fault));
	FUZZ_CHECK(f->changes == changes && store->end == end);
	FUZZ_CHECK(store->head.last_index == last_index);
	FUZZ_CHECK(store->head.count == count);
}

static void use(struct llog_store *store)
{
	struct llog_store_change change;
	u32 last = store->head.last_index;
	int rc;

	check_again(store);
	rc = llog_store_append(store, OBD_CFG_REC, "a body", 7, &change);
	if (last + 2 < store->head.bitmap_bits)
		FUZZ_CHECK(!rc);
	else
		FUZZ_CHECK(!rc || rc == -ENOSPC);
	if (rc)
		return;
	llog_store_apply(store, &change);
	FUZZ_CHECK(llog_index_live(&store->head, change.index));
	check_again(store);
	FUZZ_CHECK(!llog_store_cancel(store, change.index, &change));
	llog_store_apply(store, &change);
	FUZZ_CHECK(!llog_index_live(&store->head, change.index));
	check_again(store);
}

static void open_log(struct fuzz_file *f, u32 chunk_size)
{
	u8 *memory = malloc(3 * (size_t)chunk_size);
	struct llog_store store = {
		.io		= &file_io,
		.file		= f,
		.chunk_size	= chunk_size,
		.chunk0		= memory,
		.buf		= memory + chunk_size,
	};
	struct llog_fault fault;
	int rc;

	rc = llog_store_open(&store, false, &fault);
	FUZZ_CHECK((rc == -EBADMSG && fault.what) || !rc);
	rc = llog_store_open(&store, true, &fault);
	FUZZ_CHECK(!rc || (fault.what && !f->changes));
	if (!rc)
		use(&store);
	free(memory);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_file f = { NULL, size + ROOM_MORE, size, 0 };
	u8 *memory;
	u32 chunk_size;

	if (size > SIZE_MAX_TRIED)
		return 0;
	f.bytes = malloc(f.room);
	memory = malloc(2 * LLOG_MIN_CHUNK_SIZE);
	memcpy(f.bytes, data, size);
	if (!llog_store_probe(&file_io, &f, memory, &chunk_size))
		open_log(&f, chunk_size);
	free(memory);
	free(f.bytes);
	return 0;
}
