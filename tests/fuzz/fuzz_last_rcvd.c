// SPDX-License-Identifier: GPL-2.0-only
/*
 * A list of clients from an untrusted directory. Where it can be opened, its clients have
 * uuids, it can be started and changed, and opens again with that change. Where not, nothing
 * was written.
 */
#include "ptlrpc/target/last_rcvd.h"

#include "fuzz_input.h"

#define FILE_MAX	(64 * 1024)

struct fuzz_file {
	u8		bytes[FILE_MAX];
	size_t		size;
	unsigned int	changes;
};

static struct fuzz_file file;

static ssize_t file_read(void *at, u64 offset, void *bytes, size_t len)
{
	(void)at;
	if (offset >= file.size)
		return 0;
	if (len > file.size - offset)
		len = file.size - offset;
	memcpy(bytes, file.bytes + offset, len);
	return (ssize_t)len;
}

static int file_write(void *at, u64 offset, const void *bytes, size_t len)
{
	(void)at;
	file.changes++;
	if (offset + len > FILE_MAX)
		return -ENOSPC;
	memcpy(file.bytes + offset, bytes, len);
	if (offset + len > file.size)
		file.size = offset + len;
	return 0;
}

static int file_sync(void *at)
{
	(void)at;
	return 0;
}

static const struct last_rcvd_io io = {
	.read = file_read, .write = file_write, .sync = file_sync,
};

/**
 * struct found - clients of a file
 * @count: how many
 * @last: the last one
 * @slot: its slot
 */
struct found {
	u32			count;
	struct last_rcvd_client	last;
	u32			slot;
};

static int note(u32 slot, const struct last_rcvd_client *client, void *data)
{
	struct found *found = data;

	FUZZ_CHECK(client->uuid[0] && strlen(client->uuid) < LR_UUID_SIZE);
	FUZZ_CHECK(!found->count || slot > found->slot);
	found->count++;
	found->last = *client;
	found->slot = slot;
	return 0;
}

static int scan(struct last_rcvd *lr, struct found *found)
{
	const char *fault;
	int rc;

	memset(found, 0, sizeof(*found));
	memset(lr, 0, sizeof(*lr));
	lr->lrd_io = &io;
	memcpy(lr->lrd_server.uuid, "new_UUID", 9);
	rc = last_rcvd_open(lr, &fault);
	FUZZ_CHECK(!fault == (rc != -EUCLEAN));
	if (rc <= 0)
		return rc;
	return last_rcvd_clients(lr, note, found);
}

/* One more client, and it is there. */
static void change(struct last_rcvd *lr, const struct found *before)
{
	struct last_rcvd_client client = { .uuid = "one_UUID" };
	u32 epoch = lr->lrd_server.start_epoch, slot = lr->lrd_slots;
	struct found after;

	if (last_rcvd_start(lr)) {
		FUZZ_CHECK(epoch == 0xffffffffU);
		return;
	}
	client.last_epoch = lr->lrd_server.start_epoch;
	if (last_rcvd_put(lr, slot, &client))
		return;
	FUZZ_CHECK(!scan(lr, &after));
	FUZZ_CHECK(lr->lrd_server.start_epoch == epoch + 1);
	FUZZ_CHECK(after.count == before->count + 1 && after.slot == slot);
	FUZZ_CHECK(!memcmp(&after.last, &client, sizeof(client)));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct last_rcvd lr;
	struct found found;

	if (size > FILE_MAX)
		return 0;
	memset(&file, 0, sizeof(file));
	memcpy(file.bytes, data, size);
	file.size = size;
	if (scan(&lr, &found))
		FUZZ_CHECK(!file.changes);
	else
		change(&lr, &found);
	return 0;
}
