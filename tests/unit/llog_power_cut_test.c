// SPDX-License-Identifier: GPL-2.0-only
/*
 * The power is cut before each write, sync and cut that making, appending,
 * cancelling and repairing do, with all that can be on the disk then. The log that
 * is found is the one before the step at hand or the one after it, can be written
 * to, and needs no further repair.
 */
#include "shim_cmocka.h"

#include <stdio.h>
#include <stdlib.h>

#include "llog_disk.h"
#include "llog_golden.h"
#include "rounds.h"

#define ROOM		(64 * 1024)
#define ROOM_LARGE	(192 * 1024)
#define INDEX_MAX	4096
#define BODY_MAX	8168

/**
 * struct model - what the log is to say
 * @len: length of the body of each live record, and 1; 0 where it is not live
 */
struct model {
	u16	len[INDEX_MAX];
};

/**
 * struct step - an append of a body of @len bytes, or a cancel of record @cancel
 */
struct step {
	u16	len;
	u16	cancel;
};

/* Each fills the space that the previous one left: padding, exact fits, whole chunks. */
static const struct step steps[] = {
	{ .len = 8 },
	{ .len = 100 },
	{ .len = 1000 },
	{ .cancel = 2 },
	{ .len = 5000 },
	{ .len = 4000 },	/* padding, into a new chunk */
	{ .cancel = 1 },
	{ .len = 8168 },	/* padding, a whole chunk */
	{ .len = 8144 },	/* all but the shortest padding */
	{ .len = 40 },		/* that padding */
	{ .cancel = 10 },
	{ .len = 1 },
};

#define STEPS	ARRAY_SIZE(steps)

/**
 * struct run - a step that is being tried
 * @before: the log before it
 * @after: the log after it; the same as @before where there is no step
 * @images: how many things were found on the disk
 * @kept: how many of them were the log before
 * @repairs: how many repairs might have been cut
 * @deep: the repair was not cut yet
 */
struct run {
	struct model	before;
	struct model	after;
	unsigned long	images;
	unsigned long	kept;
	unsigned long	repairs;
	bool		deep;
};

static void make_body(u8 *body, u32 index, size_t len)
{
	size_t n;

	for (n = 0; n < len; n++)
		body[n] = (u8)(index * 31 + n * 7 + 1);
}

static void collect(const struct llog_record *rec,
		    const struct llog_fault *fault, void *data)
{
	struct model *model = data;
	u8 body[BODY_MAX];

	if (!rec || !rec->live)
		return;
	assert_int_equal(rec->type, OBD_CFG_REC);
	assert_true(rec->index < INDEX_MAX && rec->body_len <= BODY_MAX);
	make_body(body, rec->index, rec->body_len);
	/* Up to 7 bytes of it are padding. */
	assert_memory_equal(body, rec->body, rec->body_len - 7);
	model->len[rec->index] = (u16)(rec->body_len + 1);
	(void)fault;
}

static void no_fault(const struct llog_record *rec,
		     const struct llog_fault *fault, void *data)
{
	(void)rec;
	(void)data;
	if (fault)
		fail_msg("%s at %llu", fault->what,
			 (unsigned long long)fault->offset);
}

/* The expected contents of a body of @len bytes. */
static u16 model_len(size_t len)
{
	return (u16)(codec_round8(len) + 1);
}

/* The live records that a reader finds, without a repair. */
static void read_model(struct disk *disk, struct model *model)
{
	struct llog_fault fault;
	struct llog_head head;

	memset(model, 0, sizeof(*model));
	assert_int_equal(llog_head_decode(disk->bytes, disk->size, &head,
					  &fault), 0);
	golden_walk(&head, disk->bytes, disk->size, collect, model);
}

/* After a repair the log has no fault. */
static void check_clean(struct disk *disk, const struct llog_store *store)
{
	struct llog_fault fault;
	struct llog_head head;
	u32 n, count = 1;

	assert_int_equal(disk->size, store->end);
	assert_int_equal(disk->count, 0);
	assert_int_equal(llog_head_decode(disk->bytes, disk->size, &head,
					  &fault), 0);
	for (n = 1; n < head.bitmap_bits; n++)
		count += llog_index_live(&head, n);
	assert_int_equal(head.count, count);
	assert_int_equal(head.count, store->head.count);
	assert_int_equal(head.last_index, store->head.last_index);
	golden_walk(&head, disk->bytes, disk->size, no_fault, NULL);
}

/* Return: whether it is the log before the step. */
static bool check_model(struct disk *image, struct run *run)
{
	struct model found;

	read_model(image, &found);
	if (!memcmp(&found, &run->before, sizeof(found)))
		return true;
	assert_memory_equal(&found, &run->after, sizeof(found));
	return false;
}

static void check_image(struct disk *image, void *data);

/* Cut the power in the repair as well; a cut repair is found as any other. */
static void cut_repair(struct disk *image, struct run *run)
{
	struct llog_fault fault;
	struct disk_log log;
	struct disk again;
	unsigned int at;
	int rc;

	run->deep = false;
	for (at = 1, rc = -EIO; rc; at++) {
		disk_init(&again, image->room);
		memcpy(again.bytes, image->bytes, image->room);
		again.size = image->size;
		disk_settle(&again);
		again.dead_at = at;
		disk_log_init(&log, &again, LLOG_MIN_CHUNK_SIZE);
		rc = llog_store_open(&log.store, true, &fault);
		assert_true(!rc || rc == -EIO);
		disk_log_free(&log);
		disk_images(&again, check_image, run);
		disk_free(&again);
	}
	run->deep = true;
}

/* Append one more record; it is there after a restart. */
static void go_on(struct disk *image, struct disk_log *log)
{
	struct model model, want;
	struct llog_fault fault;
	u8 body[48];
	u32 index;

	read_model(image, &want);
	make_body(body, log->store.head.last_index + 1, sizeof(body));
	assert_int_equal(disk_log_append(log, body, sizeof(body), &index), 0);
	if (index >= INDEX_MAX)
		return;
	if (index != log->store.head.last_index)
		fail_msg("index %u is not the last", index);
	check_clean(image, &log->store);
	assert_int_equal(llog_store_open(&log->store, true, &fault), 0);
	assert_null(fault.what);
	check_clean(image, &log->store);
	/* Padding took one index where there was any; the body is by index. */
	want.len[index] = model_len(sizeof(body));
	memset(&model, 0, sizeof(model));
	golden_walk(&log->store.head, image->bytes, log->store.end -
		    llog_record_size(sizeof(body)), collect, &model);
	model.len[index] = model_len(sizeof(body));
	assert_memory_equal(&model, &want, sizeof(model));
}

static void check_image(struct disk *image, void *data)
{
	struct llog_fault fault;
	struct run *run = data;
	struct disk_log log;
	bool kept = check_model(image, run);

	run->images++;
	run->kept += kept;
	if (run->deep && !(++run->repairs % rounds_step(10)))
		cut_repair(image, run);
	disk_log_init(&log, image, LLOG_MIN_CHUNK_SIZE);
	assert_int_equal(llog_store_open(&log.store, true, &fault), 0);
	assert_null(fault.what);
	assert_int_equal(check_model(image, run), kept);
	check_clean(image, &log.store);
	go_on(image, &log);
	disk_log_free(&log);
}

static int step_do(struct disk_log *log, const struct step *step,
		   struct model *model)
{
	u32 index = log->store.head.last_index + 1;
	u32 size = log->store.chunk_size;
	u32 left = size - (u32)(log->store.end % size);
	u32 len = (u32)llog_record_size(step->len);
	u8 body[BODY_MAX];
	u32 got = 0;
	int rc;

	if (step->cancel) {
		rc = disk_log_cancel(log, step->cancel);
		model->len[step->cancel] = 0;
		return rc;
	}
	if (left != len && left < len + LLOG_MIN_REC_SIZE)
		index++;
	make_body(body, index, step->len);
	rc = disk_log_append(log, body, step->len, &got);
	assert_true(rc || got == index);
	model->len[index] = model_len(step->len);
	return rc;
}

static void copy_disk(struct disk *to, const struct disk *from)
{
	disk_init(to, from->room);
	memcpy(to->bytes, from->bytes, from->room);
	to->size = from->size;
	disk_settle(to);
}

/* One step, on a copy, with the power cut before each of its operations. */
static void cut_step(const struct disk *disk, const struct step *step,
		     struct run *run)
{
	struct llog_fault fault;
	struct disk_log log;
	struct disk copy;
	unsigned int at;
	int rc = -EIO;

	for (at = 1; rc; at++) {
		copy_disk(&copy, disk);
		disk_log_init(&log, &copy, LLOG_MIN_CHUNK_SIZE);
		assert_int_equal(llog_store_open(&log.store, true, &fault), 0);
		copy.dead_at = copy.ops + at;
		run->after = run->before;
		rc = step_do(&log, step, &run->after);
		assert_true(!rc || rc == -EIO);
		/* Through, it is on the disk. */
		if (!rc)
			run->before = run->after;
		disk_images(&copy, check_image, run);
		disk_log_free(&log);
		disk_free(&copy);
	}
	assert_true(at > 3);
}

/* Each of the steps, on the log that the ones before have made. */
static void cut_steps(struct disk *disk, struct run *run)
{
	struct llog_fault fault;
	struct disk_log log;
	struct model model;
	size_t n;

	disk_log_init(&log, disk, LLOG_MIN_CHUNK_SIZE);
	assert_int_equal(llog_store_open(&log.store, true, &fault), 0);
	for (n = 0; n < STEPS; n++) {
		struct step step = steps[n];

		if (step.cancel && !llog_index_live(&log.store.head, step.cancel))
			step.cancel = (u16)log.store.head.last_index;
		model = run->before;
		cut_step(disk, &step, run);
		assert_int_equal(step_do(&log, &step, &model), 0);
		assert_memory_equal(&model, &run->before, sizeof(model));
	}
	disk_log_free(&log);
}

static void a_log_is_the_old_or_the_new_one_after_any_cut(void **state)
{
	struct run *run = calloc(1, sizeof(*run));
	struct disk_log log;
	struct disk disk;

	(void)state;
	disk_init(&disk, ROOM);
	disk_log_init(&log, &disk, LLOG_MIN_CHUNK_SIZE);
	assert_int_equal(llog_store_create(&log.store, "config_uuid", 7), 0);
	disk_log_free(&log);
	run->deep = true;
	cut_steps(&disk, run);
	printf("%lu images, %lu with the log before\n", run->images, run->kept);
	assert_true(run->kept > rounds_of(1000) && run->images > run->kept + rounds_of(100));
	disk_free(&disk);
	free(run);
}

/* Where the bit is in another sector than the count and the last index. */
static void the_same_with_header_fields_in_three_sectors(void **state)
{
	struct run *run = calloc(1, sizeof(*run));
	struct step small = { .len = 8 };
	struct disk_log log;
	struct disk disk;
	u32 n;

	(void)state;
	disk_init(&disk, ROOM_LARGE);
	disk_log_init(&log, &disk, LLOG_MIN_CHUNK_SIZE);
	assert_int_equal(llog_store_create(&log.store, "config_uuid", 7), 0);
	for (n = 0; n < 3400; n++)
		assert_int_equal(step_do(&log, &small, &run->before), 0);
	assert_true(log.store.head.last_index > (DISK_SECTOR - 88) * 8);
	run->after = run->before;
	cut_step(&disk, &small, run);
	assert_int_equal(step_do(&log, &small, &run->after), 0);
	small.cancel = (u16)log.store.head.last_index;
	cut_step(&disk, &small, run);
	printf("%lu images, %lu with the log before\n", run->images, run->kept);
	disk_log_free(&log);
	disk_free(&disk);
	free(run);
}

static void check_birth(struct disk *image, void *data)
{
	unsigned int *births = data;
	struct llog_fault fault;
	struct disk_log log;
	u32 chunk_size = 0;
	int rc;

	disk_log_init(&log, image, LLOG_MIN_CHUNK_SIZE);
	rc = llog_store_probe(&disk_io, image, log.memory, &chunk_size);
	if (rc) {
		assert_int_equal(rc, -ENODATA);
		assert_int_equal(llog_store_create(&log.store, "other", 8), 0);
	} else {
		assert_int_equal(chunk_size, LLOG_MIN_CHUNK_SIZE);
		assert_int_equal(llog_store_open(&log.store, true, &fault), 0);
		births[1]++;
	}
	births[0]++;
	check_clean(image, &log.store);
	assert_int_equal(log.store.head.last_index, 0);
	disk_log_free(&log);
}

static void creation_restarts_or_is_complete_after_any_cut(void **state)
{
	unsigned int births[2] = { 0, 0 };
	struct disk_log log;
	struct disk disk;
	unsigned int at;
	int rc = -EIO;

	(void)state;
	for (at = 1; rc; at++) {
		disk_init(&disk, ROOM);
		disk.dead_at = at;
		disk_log_init(&log, &disk, LLOG_MIN_CHUNK_SIZE);
		rc = llog_store_create(&log.store, "config_uuid", 0x1122334455);
		disk_images(&disk, check_birth, births);
		disk_log_free(&log);
		disk_free(&disk);
	}
	assert_true(births[0] > 100);
	assert_true(births[1] && births[1] < births[0]);
}

/* A header of which any number of bytes arrived, the rest missing or zero. */
static void a_partial_header_of_any_length_is_replaced(void **state)
{
	struct disk_log log;
	struct disk disk;
	u32 chunk_size;
	size_t len;
	u8 *whole;

	(void)state;
	disk_init(&disk, ROOM);
	disk_log_init(&log, &disk, LLOG_MIN_CHUNK_SIZE);
	assert_int_equal(llog_store_create(&log.store, "config_uuid", 7), 0);
	whole = malloc(LLOG_MIN_CHUNK_SIZE);
	memcpy(whole, disk.bytes, LLOG_MIN_CHUNK_SIZE);
	for (len = 0; len < LLOG_MIN_CHUNK_SIZE; len += len < 200 ? 1 : 57) {
		memset(disk.bytes, 0, ROOM);
		memcpy(disk.bytes, whole, len);
		disk.size = len;
		assert_int_equal(llog_store_probe(&disk_io, &disk, log.memory,
						  &chunk_size), -ENODATA);
		disk.size = LLOG_MIN_CHUNK_SIZE;
		assert_int_equal(llog_store_probe(&disk_io, &disk, log.memory,
						  &chunk_size),
				 len > 8186 ? 0 : -ENODATA);
	}
	free(whole);
	disk_log_free(&log);
	disk_free(&disk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log_is_the_old_or_the_new_one_after_any_cut),
		cmocka_unit_test(the_same_with_header_fields_in_three_sectors),
		cmocka_unit_test(creation_restarts_or_is_complete_after_any_cut),
		cmocka_unit_test(a_partial_header_of_any_length_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
