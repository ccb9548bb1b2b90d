// SPDX-License-Identifier: GPL-2.0-only
/*
 * The store and logs of real servers: they are served unchanged, and written as real Lustre
 * wrote them. Logs that are damaged or cannot be written to.
 */
#include "mgs_store_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "llog_golden.h"

static struct mgs_fault reopen_damaged(void)
{
	struct mgs_fault fault;

	mgs_store_close(store);
	assert_int_equal(mgs_store_open(&mem_io, &backend, 7, &store, &fault), 0);
	return fault;
}

static struct mgs_log_info info_of(const char *log)
{
	struct mgs_log_info info;

	assert_int_equal(mgs_view_info(mgs_now(store), log, &info), 0);
	return info;
}

static void assert_bytes(const char *log, const void *bytes, size_t len)
{
	char name[MGS_FILE_MAX];
	struct mem_file *file;

	mgs_log_file_name(log, name);
	file = mem_find(&backend, name);
	assert_non_null(file);
	assert_int_equal(file->now.size, len);
	assert_memory_equal(file->now.bytes, bytes, len);
}

static void golden_put(struct golden *logs)
{
	char name[64];
	unsigned int n;

	for (n = 0; n < GOLDEN_LOGS; n++) {
		logs[n] = golden_load(n);
		snprintf(name, sizeof(name), "CONFIGS/log%u", n);
		mem_put(&backend, name, logs[n].bytes, logs[n].len);
	}
}

static void golden_drop(struct golden *logs)
{
	unsigned int n;

	for (n = 0; n < GOLDEN_LOGS; n++)
		golden_free(&logs[n]);
}

static void logs_of_a_real_server_are_served_as_they_are(void **state)
{
	struct golden logs[GOLDEN_LOGS];
	struct mgs_log_info info;
	char name[64];
	unsigned int n;

	(void)state;
	golden_put(logs);
	mem_put(&backend, "CONFIGS/mountdata", "12", 2);
	mem_put(&backend, "CONFIGS/nodemap", "12", 2);
	mem_put(&backend, "CONFIGS/fs-client.copy", "12", 2);
	mem_put(&backend, "CONFIGS/empty", "", 0);
	reopen();
	assert_int_equal(mgs_view_generation(mgs_now(store)), 1);
	for (n = 0; n < GOLDEN_LOGS; n++) {
		snprintf(name, sizeof(name), "log%u", n);
		info = info_of(name);
		assert_int_equal(info.li_epoch, 1);
		assert_int_equal(info.li_generation, 1);
		assert_int_equal(info.li_size, logs[n].len);
		assert_bytes(name, logs[n].bytes, logs[n].len);
	}
	assert_int_equal(mgs_view_info(mgs_now(store), "empty", &info), -ENOENT);
	/* Once, and not at each start. */
	mgs_store_close(store);
	backend.ops = 0;
	store = mgs_have(&backend);
	assert_int_equal(backend.ops, 0);
	assert_int_equal(mgs_view_generation(mgs_now(store)), 1);
	golden_drop(logs);
}

/**
 * struct writing - a log that is written from scratch
 * @txn: by
 * @log: name
 */
struct writing {
	struct mgs_txn	*txn;
	const char	*log;
};

static void write_record(const struct llog_record *rec,
			 const struct llog_fault *fault, void *data)
{
	struct writing *writing = data;

	assert_null(fault);
	if (rec->type == OBD_CFG_REC)
		assert_int_equal(mgs_txn_append(writing->txn, writing->log,
						rec->body, rec->body_len,
						NULL), 0);
}

static struct mgs_txn *begin_at(u64 when)
{
	struct mgs_who who = { .who = "root", .from = "here", .when = when };
	struct mgs_txn *txn;

	assert_int_equal(mgs_txn_begin(store, &who, &txn), 0);
	return txn;
}

static void a_rewritten_log_has_the_bytes_of_real_lustre(void **state)
{
	struct writing writing = { .log = "rewritten" };
	struct llog_fault fault;
	struct llog_head head;
	struct golden log;
	unsigned int n, same = 0;

	for (n = 0; n < GOLDEN_LOGS; n++) {
		log = golden_load(n);
		assert_int_equal(llog_head_decode(log.bytes, log.len, &head,
						  &fault), 0);
		reopen();
		writing.txn = begin_at(head.timestamp);
		golden_walk(&head, log.bytes, log.len, write_record, &writing);
		mgs_done(writing.txn);
		/* Older versions had no size in the header. */
		if (!strcmp(head.tgtuuid, "config_uuid") && head.size == 80 &&
		    head.count == head.last_index + 1) {
			assert_bytes("rewritten", log.bytes, log.len);
			same++;
		}
		golden_free(&log);
		teardown(state);
	}
	assert_true(same >= 3);
}

static void a_log_of_a_real_server_is_appended_to(void **state)
{
	struct golden logs[GOLDEN_LOGS];
	struct mgs_log_info before, after;
	struct mgs_txn *txn;
	unsigned int n;
	char name[64];

	(void)state;
	golden_put(logs);
	reopen();
	for (n = 0; n < GOLDEN_LOGS; n++) {
		snprintf(name, sizeof(name), "log%u", n);
		before = info_of(name);
		txn = mgs_begin(store);
		assert_int_equal(mgs_append_setting(txn, name, "a=1"), 0);
		assert_int_equal(mgs_done(txn), n + 2);
		after = info_of(name);
		assert_int_equal(after.li_epoch, 1);
		assert_int_equal(after.li_last_index, before.li_last_index + 1);
		assert_int_equal(after.li_records, before.li_records + 1);
	}
	reopen();
	golden_drop(logs);
}

/**
 * struct commands - the records of a walk
 * @count: commands
 * @live: live ones
 * @markers: markers
 * @step: of the last one
 */
struct commands {
	unsigned int	count;
	unsigned int	live;
	unsigned int	markers;
	u32		step;
};

static int count_command(void *data, const struct mgs_rec *rec)
{
	struct commands *commands = data;

	commands->count++;
	assert_int_equal(rec->index, commands->count);
	commands->live += rec->live;
	assert_int_equal(!rec->marker, rec->cfg.command != LCFG_MARKER);
	if (rec->marker) {
		commands->markers++;
		commands->step = codec_get32(&rec->marker->cm_step, false);
	}
	return 0;
}

static struct commands walk(const char *log)
{
	struct commands commands = { .count = 0 };

	assert_int_equal(mgs_view_walk(mgs_now(store), log, count_command,
					&commands), 0);
	return commands;
}

static void a_log_of_the_other_byte_order_can_only_be_read(void **state)
{
	struct golden log = golden_load(0);
	struct commands plain, swapped;
	struct mgs_txn *txn;

	(void)state;
	mem_put(&backend, "CONFIGS/plain", log.bytes, log.len);
	golden_swap(&log);
	mem_put(&backend, "CONFIGS/swapped", log.bytes, log.len);
	reopen();
	plain = walk("plain");
	swapped = walk("swapped");
	assert_memory_equal(&plain, &swapped, sizeof(plain));
	assert_true(plain.markers && plain.live == plain.count);
	txn = mgs_begin(store);
	assert_int_equal(mgs_append_setting(txn, "swapped", "a=1"), -EOPNOTSUPP);
	assert_int_equal(mgs_txn_cancel(txn, "swapped", 1), -EOPNOTSUPP);
	assert_int_equal(mgs_txn_copy(txn, "swapped", "copy"), 0);
	assert_int_equal(mgs_txn_remove(txn, "swapped"), 0);
	assert_int_equal(mgs_append_setting(txn, "swapped", "a=1"), 0);
	mgs_done(txn);
	assert_bytes("copy", log.bytes, log.len);
	assert_int_equal(info_of("swapped").li_records, 1);
	reopen();
	golden_free(&log);
}

static void larger_chunks_are_kept(void **state)
{
	static u8 chunk[32768];
	struct mgs_txn *txn;
	char text[8000];
	unsigned int n;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	llog_head_encode(chunk, sizeof(chunk), LLOG_F_IS_PLAIN, "x", 1);
	mem_put(&backend, "CONFIGS/large", chunk, sizeof(chunk));
	reopen();
	txn = mgs_begin(store);
	for (n = 0; n < 9; n++)
		assert_int_equal(mgs_append_setting(txn, "large", text), 0);
	mgs_done(txn);
	reopen();
	/* Four to a chunk, and padding. */
	assert_int_equal(info_of("large").li_last_index, 9 + 2);
	assert_int_equal(mgs_view_info(mgs_now(store), "large",
					&(struct mgs_log_info){ { 0 } }), 0);
}

static void a_damaged_log_is_told_and_the_others_are_served(void **state)
{
	struct golden logs[GOLDEN_LOGS];
	struct mgs_log_info info;
	struct mgs_fault fault;
	struct mgs_txn *txn;
	u8 byte;

	(void)state;
	golden_put(logs);
	mem_find(&backend, "CONFIGS/log1")->now.bytes[8192] ^= 0xff;
	mem_put(&backend, "CONFIGS/text", "no log at all\n", 14);
	fault = reopen_damaged();
	assert_string_equal(fault.name, "CONFIGS/log1");
	assert_non_null(fault.what);
	assert_int_equal(fault.offset, 8192);
	assert_int_equal(mgs_view_info(mgs_now(store), "log1", &info), -EIO);
	assert_int_equal(info.li_epoch, 1);
	assert_int_equal(mgs_view_info(mgs_now(store), "text", &info), -EIO);
	assert_int_equal(mgs_view_read(mgs_now(store), "log1", 0, &byte, 1), -EIO);
	assert_int_equal(mgs_view_walk(mgs_now(store), "log1", NULL, NULL), -EIO);
	walk("log0");
	txn = mgs_begin(store);
	assert_int_equal(mgs_append_setting(txn, "log1", "a=1"), -EIO);
	assert_int_equal(mgs_txn_cancel(txn, "log1", 1), -EIO);
	assert_int_equal(mgs_txn_copy(txn, "log1", "new"), -EIO);
	assert_int_equal(mgs_txn_copy(txn, "log0", "log1"), 0);
	assert_int_equal(mgs_txn_remove(txn, "text"), 0);
	assert_int_equal(mgs_append_setting(txn, "text", "a=1"), 0);
	mgs_done(txn);
	reopen();
	walk("log1");
	assert_bytes("log1", logs[0].bytes, logs[0].len);
	golden_drop(logs);
}

/* From a backup, or by hand: readers must read the whole log again. */
static void a_log_of_another_writer_is_rewritten(void **state)
{
	struct mem_file *file;
	struct mgs_log_info info;
	struct mgs_txn *txn;
	u8 *backup;
	u64 size;

	(void)state;
	store = mgs_have(&backend);
	txn = mgs_begin(store);
	assert_int_equal(mgs_append_setting(txn, "params", "a=1"), 0);
	assert_int_equal(mgs_append_setting(txn, "other", "a=1"), 0);
	mgs_done(txn);
	mgs_store_close(store);
	file = mem_find(&backend, "CONFIGS/params");
	size = file->now.size;
	backup = malloc(size);
	assert_non_null(backup);
	memcpy(backup, file->now.bytes, size);
	store = mgs_have(&backend);
	txn = mgs_begin(store);
	assert_int_equal(mgs_append_setting(txn, "params", "b=1"), 0);
	assert_int_equal(mgs_done(txn), 2);
	mgs_store_close(store);
	mem_put(&backend, "CONFIGS/params", backup, size);
	store = mgs_have(&backend);
	info = info_of("params");
	assert_int_equal(info.li_epoch, 3);
	assert_int_equal(info.li_generation, 3);
	assert_int_equal(info.li_records, 1);
	assert_int_equal(info_of("other").li_epoch, 1);
	/* Of the same size, too; it is reported once. */
	mgs_store_close(store);
	backup[size - sizeof(struct llog_rec_tail) - 8] ^= 1;
	mem_put(&backend, "CONFIGS/params", backup, size);
	free(backup);
	store = mgs_have(&backend);
	assert_int_equal(info_of("params").li_epoch, 4);
	reopen();
	assert_int_equal(info_of("params").li_epoch, 4);
	assert_int_equal(mgs_view_generation(mgs_now(store)), 4);
}

/* mountdata.new and similar: the result of a power failure while a file is replaced. */
static void left_overs_of_files_are_no_logs(void **state)
{
	(void)state;
	mem_put(&backend, "CONFIGS/mountdata.new", "x", 1);
	mem_put(&backend, "CONFIGS/fs-client.copy.new", "x", 1);
	store = mgs_have(&backend);
	assert_int_equal(mgs_view_generation(mgs_now(store)), 0);
}

static void a_log_that_is_gone_is_dropped_from_the_state(void **state)
{
	struct mgs_log_info info;
	struct mgs_txn *txn;

	(void)state;
	reopen();
	txn = mgs_begin(store);
	assert_int_equal(mgs_append_setting(txn, "a", "x=1"), 0);
	assert_int_equal(mgs_append_setting(txn, "b", "x=1"), 0);
	assert_int_equal(mgs_append_setting(txn, "c", "x=1"), 0);
	assert_int_equal(mgs_done(txn), 1);
	mgs_store_close(store);
	store = NULL;
	mem_find(&backend, "CONFIGS/a")->now.there = false;
	reopen();
	assert_int_equal(mgs_view_generation(mgs_now(store)), 2);
	assert_int_equal(mgs_view_info(mgs_now(store), "a", &info), -ENOENT);
	assert_int_equal(info_of("c").li_epoch, 1);
	reopen();
	assert_int_equal(mgs_view_generation(mgs_now(store)), 2);
}

static void a_log_without_numbers_left_takes_no_more(void **state)
{
	struct mgs_txn *txn;
	u8 *bytes;

	(void)state;
	reopen();
	txn = mgs_begin(store);
	assert_int_equal(mgs_append_setting(txn, "params", "a=1"), 0);
	mgs_done(txn);
	mgs_store_sync(store);
	bytes = mem_find(&backend, "CONFIGS/params")->now.bytes;
	/* As if all numbers but one had been used and cancelled. */
	codec_put32(bytes + 8188, 64766);
	codec_put32(bytes + 8192 + 4, 64766);
	codec_put32(bytes + mem_find(&backend, "CONFIGS/params")->now.size - 4,
		    64766);
	bytes[88] = 1;
	reopen();
	txn = mgs_begin(store);
	assert_int_equal(mgs_append_setting(txn, "params", "a=2"), 0);
	assert_int_equal(mgs_append_setting(txn, "params", "a=3"), -ENOSPC);
	mgs_done(txn);
	assert_int_equal(info_of("params").li_last_index, 64767);
	reopen();
	assert_int_equal(info_of("params").li_records, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name)	cmocka_unit_test_teardown(name, teardown)
		CASE(logs_of_a_real_server_are_served_as_they_are),
		CASE(a_rewritten_log_has_the_bytes_of_real_lustre),
		CASE(a_log_of_a_real_server_is_appended_to),
		CASE(a_log_of_the_other_byte_order_can_only_be_read),
		CASE(larger_chunks_are_kept),
		CASE(a_damaged_log_is_told_and_the_others_are_served),
		CASE(a_log_of_another_writer_is_rewritten),
		CASE(left_overs_of_files_are_no_logs),
		CASE(a_log_that_is_gone_is_dropped_from_the_state),
		CASE(a_log_without_numbers_left_takes_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
