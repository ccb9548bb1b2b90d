// SPDX-License-Identifier: GPL-2.0-only
/*
 * A target's list of clients: the format is real Lustre's, and after a power cut at any
 * moment it has each client whose connect was answered and no other one.
 */
#include "shim_cmocka.h"

#include <stdio.h>
#include <stdlib.h>

#include "last_rcvd.h"
#include "llog_disk.h"

#define ROOM		(16 * 1024)
#define SLOTS		16

/* The format. */

static const struct last_rcvd_server a_server = {
	.uuid = "lustre-OST0001_UUID",
	.last_transno = 0x1122334455667788ULL,
	.mount_count = 9,
	.compat = OBD_COMPAT_OST,
	.incompat = OBD_INCOMPAT_OST | OBD_INCOMPAT_COMMON_LR,
	.start_epoch = 7,
};

static void server_part_is_real_lustres(void **state)
{
	struct last_rcvd_server server;
	u8 bytes[LR_SERVER_SIZE];

	(void)state;
	memset(&server, 0, sizeof(server));
	last_rcvd_server_encode(bytes, &a_server);
	assert_string_equal((char *)bytes, "lustre-OST0001_UUID");
	assert_true(codec_get64(bytes + 40, false) == 0x1122334455667788ULL);
	assert_int_equal(codec_get64(bytes + 56, false), 9);
	assert_int_equal(codec_get32(bytes + 64, false), 2);
	assert_int_equal(codec_get32(bytes + 72, false), 10);
	assert_int_equal(codec_get32(bytes + 76, false), 512);
	assert_int_equal(codec_get32(bytes + 80, false), 8192);
	assert_int_equal(codec_get16(bytes + 84), 128);
	assert_int_equal(codec_get32(bytes + 148, false), 7);
	assert_null(last_rcvd_server_decode(bytes, sizeof(bytes), &server));
	assert_memory_equal(&server, &a_server, sizeof(server));
}

static void client_slot_is_real_lustres(void **state)
{
	struct last_rcvd_client client = { .uuid = "client_UUID", .last_epoch = 5 }, read;
	u8 bytes[LR_CLIENT_SIZE];

	(void)state;
	last_rcvd_client_encode(bytes, &client);
	assert_string_equal((char *)bytes, "client_UUID");
	assert_int_equal(codec_get32(bytes + 120, false), 5);
	assert_null(last_rcvd_client_decode(bytes, &read));
	assert_memory_equal(&read, &client, sizeof(read));
	memset(bytes, 'x', LR_UUID_SIZE);
	assert_non_null(last_rcvd_client_decode(bytes, &read));
}

static void what_it_does_not_know_is_refused(void **state)
{
	static const struct {
		size_t		at;
		u8		byte;
		const char	*fault;
	} wrong[] = {
		{ 0, 0, "no uuid" },
		{ 39, 'x', "no uuid" },
		{ 68, 1, "unknown features" },
		{ 72, 0x40, "unknown features" },
		{ 76, 1, "invalid sizes" },
		{ 81, 0, "invalid sizes" },
		{ 84, 64, "invalid sizes" },
	};
	struct last_rcvd_server server;
	u8 bytes[LR_SERVER_SIZE];
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(wrong); n++) {
		last_rcvd_server_encode(bytes, &a_server);
		bytes[wrong[n].at] = wrong[n].byte;
		assert_string_equal(last_rcvd_server_decode(bytes, sizeof(bytes), &server),
				    wrong[n].fault);
	}
	assert_string_equal(last_rcvd_server_decode(bytes, sizeof(bytes) - 1, &server),
			    "too short");
}

/* The file, on a disk whose power is cut. */

static ssize_t io_read(void *file, u64 offset, void *bytes, size_t len)
{
	return disk_io.read(file, offset, bytes, len);
}

static int io_write(void *file, u64 offset, const void *bytes, size_t len)
{
	return disk_io.write(file, offset, bytes, len);
}

static int io_sync(void *file)
{
	return disk_io.sync(file);
}

static const struct last_rcvd_io io = {
	.read = io_read, .write = io_write, .sync = io_sync,
};

/**
 * struct model - what is to be found
 * @epoch: number of the last start that was counted
 * @name: number of the client in each slot, or 0
 */
struct model {
	u32	epoch;
	u32	name[SLOTS];
};

static int note_client(u32 slot, const struct last_rcvd_client *client, void *data)
{
	struct model *model = data;

	assert_true(slot < SLOTS);
	assert_memory_equal(client->uuid, "client", 6);
	model->name[slot] = (u32)strtoul(client->uuid + 6, NULL, 10);
	assert_true(client->last_epoch && client->last_epoch <= model->epoch);
	return 0;
}

static void lr_init(struct last_rcvd *lr, struct disk *disk)
{
	memset(lr, 0, sizeof(*lr));
	lr->lrd_io = &io;
	lr->lrd_file = disk;
	strcpy(lr->lrd_server.uuid, "target_UUID");
	lr->lrd_server.compat = OBD_COMPAT_OST;
	lr->lrd_server.incompat = OBD_INCOMPAT_OST | OBD_INCOMPAT_COMMON_LR;
}

/* Read a file that was found. */
static void read_model(struct disk *disk, struct model *model)
{
	const char *fault;
	struct last_rcvd lr;
	int rc;

	memset(model, 0, sizeof(*model));
	lr_init(&lr, disk);
	rc = last_rcvd_open(&lr, &fault);
	assert_null(fault);
	assert_true(rc >= 0);
	if (!rc)
		return;
	model->epoch = lr.lrd_server.start_epoch;
	assert_int_equal(last_rcvd_clients(&lr, note_client, model), 0);
}

/* A step of a target's life. */
struct step {
	enum { START, ADD, DEL, COMMIT } what;
	u32	slot;
};

static const struct step steps[] = {
	{ START, 0 },
	{ ADD, 0 },
	{ ADD, 1 },
	{ COMMIT, 0 },
	{ ADD, 5 },	/* another sector, and a gap */
	{ DEL, 0 },
	{ ADD, 0 },
	{ START, 0 },
	{ DEL, 5 },
	{ COMMIT, 0 },
	{ ADD, 9 },
};

static int put(struct last_rcvd *lr, u32 slot, u32 name)
{
	struct last_rcvd_client client = { .last_epoch = lr->lrd_server.start_epoch };
	int rc;

	snprintf(client.uuid, sizeof(client.uuid), "client%u", name);
	rc = last_rcvd_put(lr, slot, name ? &client : NULL);
	return rc ? rc : last_rcvd_sync(lr);
}

/* @number: of the step, from 1: the name of a client that it adds */
static int step_do(struct last_rcvd *lr, const struct step *step, u32 number,
		   struct model *model)
{
	switch (step->what) {
	case START:
		model->epoch++;
		return last_rcvd_start(lr);
	case COMMIT:
		/* It need not be on disk. */
		return last_rcvd_committed(lr, number);
	default:
		model->name[step->slot] = step->what == ADD ? number : 0;
		return put(lr, step->slot, model->name[step->slot]);
	}
}

struct run {
	struct model	before;
	struct model	after;
	unsigned long	images;
};

static void check_image(struct disk *image, void *data)
{
	struct run *run = data;
	struct last_rcvd lr;
	struct model found;
	const char *fault;

	run->images++;
	read_model(image, &found);
	if (memcmp(&found, &run->before, sizeof(found)))
		assert_memory_equal(&found, &run->after, sizeof(found));
	/* The target starts from there, with a number of its own. */
	lr_init(&lr, image);
	assert_true(last_rcvd_open(&lr, &fault) >= 0);
	assert_int_equal(last_rcvd_start(&lr), 0);
	assert_int_equal(lr.lrd_server.start_epoch, found.epoch + 1);
}

/* The steps up to number @count on @disk; the last one may be cut. */
static int replay(struct disk *disk, u32 count, unsigned int dead_at, struct run *run)
{
	struct last_rcvd lr;
	int rc = 0;
	u32 n;

	memset(run, 0, offsetof(struct run, images));
	lr_init(&lr, disk);
	for (n = 0; n < count; n++) {
		assert_int_equal(rc, 0);
		run->before = run->after;
		disk->dead_at = n + 1 == count && dead_at ? disk->ops + dead_at : 0;
		rc = step_do(&lr, &steps[n], n + 1, &run->after);
	}
	return rc;
}

static void clients_survive_any_cut(void **state)
{
	struct run run = { .images = 0 };
	struct model found;
	struct disk disk;
	unsigned int at;
	u32 count;
	int rc;

	(void)state;
	for (count = 1; count <= ARRAY_SIZE(steps); count++) {
		for (at = 1, rc = -EIO; rc; at++) {
			disk_init(&disk, ROOM);
			rc = replay(&disk, count, at, &run);
			if (!rc)
				run.before = run.after;
			disk_images(&disk, check_image, &run);
			disk_free(&disk);
		}
	}
	assert_true(run.images > 50);
	/* Without a cut a reader finds all of it. */
	disk_init(&disk, ROOM);
	assert_int_equal(replay(&disk, ARRAY_SIZE(steps), 0, &run), 0);
	read_model(&disk, &found);
	assert_memory_equal(&found, &run.after, sizeof(found));
	disk_free(&disk);
}

static void damage_is_refused(void **state)
{
	struct model model = { .epoch = 2 };
	struct last_rcvd lr;
	const char *fault;
	struct disk disk;
	struct run run;

	(void)state;
	disk_init(&disk, ROOM);
	assert_int_equal(replay(&disk, ARRAY_SIZE(steps), 0, &run), 0);
	disk.bytes[80]++;
	lr_init(&lr, &disk);
	assert_int_equal(last_rcvd_open(&lr, &fault), -EUCLEAN);
	assert_string_equal(fault, "invalid sizes");
	/* The first part is lost and there are slots: not a new file. */
	memset(disk.bytes, 0, LR_SERVER_SIZE);
	assert_int_equal(last_rcvd_open(&lr, &fault), -EUCLEAN);
	last_rcvd_server_encode(disk.bytes, &a_server);
	assert_int_equal(last_rcvd_open(&lr, &fault), 1);
	memset(disk.bytes + LR_CLIENT_START + LR_CLIENT_SIZE, 'x', LR_UUID_SIZE);
	assert_int_equal(last_rcvd_clients(&lr, note_client, &model), -EUCLEAN);
	disk_free(&disk);
}

static void starts_have_an_end(void **state)
{
	struct last_rcvd lr;
	struct disk disk;

	(void)state;
	disk_init(&disk, ROOM);
	lr_init(&lr, &disk);
	lr.lrd_server.start_epoch = 0xffffffffU;
	assert_int_equal(last_rcvd_start(&lr), -EOVERFLOW);
	assert_int_equal(disk.ops, 0);
	disk_free(&disk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(server_part_is_real_lustres),
		cmocka_unit_test(client_slot_is_real_lustres),
		cmocka_unit_test(what_it_does_not_know_is_refused),
		cmocka_unit_test(clients_survive_any_cut),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(starts_have_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
