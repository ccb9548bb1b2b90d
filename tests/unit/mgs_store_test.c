// SPDX-License-Identifier: GPL-2.0-only
/* The store: effect, visibility and cost of changes. */
#include "mgs_store_fixture.h"

#include <stdio.h>
#include <stdlib.h>

static struct mgs_log_info info_of(struct mgs_txn *txn, const char *log)
{
	struct mgs_log_info info;

	memset(&info, 0, sizeof(info));
	assert_int_equal(mgs_view_info(mgs_seen(store, txn), log, &info), 0);
	return info;
}

static void assert_log(const char *log, u64 epoch, u64 generation, u32 records)
{
	struct mgs_log_info info = info_of(NULL, log);

	assert_string_equal(info.li_name, log);
	assert_int_equal(info.li_epoch, epoch);
	assert_int_equal(info.li_generation, generation);
	assert_int_equal(info.li_records, records);
}

static int no_info(struct mgs_txn *txn, const char *log)
{
	struct mgs_log_info info;

	return mgs_view_info(mgs_seen(store, txn), log, &info);
}

static u64 mark(const char *log, u32 index, u32 flags)
{
	struct mgs_txn *txn = mgs_begin(store);
	struct cfg_marker marker;

	mgs_marker_make(&marker, 1, flags);
	assert_int_equal(mgs_txn_mark(txn, log, index, 0, &marker), 0);
	return mgs_done(txn);
}

static u64 add_marker(const char *log, u32 flags)
{
	struct mgs_txn *txn = mgs_begin(store);
	u8 cfg[LUSTRE_CFG_SIZE_MAX];
	u32 index;

	assert_int_equal(mgs_txn_append(txn, log, cfg,
					mgs_marker(cfg, 1, flags), &index), 0);
	return mgs_done(txn);
}

static void a_new_folder_has_nothing_and_nothing_is_written(void **state)
{
	(void)state;
	assert_int_equal(mgs_view_generation(mgs_now(store)), 0);
	assert_int_equal(no_info(NULL, "params"), -ENOENT);
	reopen();
	assert_int_equal(backend.ops, 0);
}

static struct mgs_store *open_seed(u32 seed)
{
	struct mgs_store *opened;
	struct mgs_fault fault;

	assert_int_equal(mgs_store_open(&mem_io, &backend, seed, &opened,
					&fault), 0);
	return opened;
}

/* The first change fixes the seed of a directory; the seed of a later open is ignored. */
static void a_folder_keeps_its_seed(void **state)
{
	struct mem_file *file;

	(void)state;
	mgs_store_close(store);
	store = open_seed(0x90abcdef);
	assert_int_equal(mgs_store_seed(store), 0x90abcdef);
	set("params", "a=1");
	mgs_store_close(store);
	store = open_seed(5);
	assert_int_equal(mgs_store_seed(store), 0x90abcdef);
	set("params", "b=1");
	mgs_store_close(store);
	file = mem_find(&backend, MGS_STATE_FILE);
	assert_non_null(file);
	assert_int_equal(codec_get32(file->now.bytes +
				     offsetof(struct mgs_state_head, sh_seed),
				     false), 0x90abcdef);
	store = open_seed(6);
	assert_int_equal(mgs_store_seed(store), 0x90abcdef);
}

/* A change reads its own version of small files, and none after it drops them. */
static void a_small_file_comes_and_goes(void **state)
{
	struct mgs_txn *txn = mgs_begin(store);
	char text[8] = "";

	(void)state;
	assert_int_equal(mgs_txn_get(txn, "mgs_targets/a", text, 8), -ENOENT);
	assert_int_equal(mgs_txn_drop(txn, "mgs_targets/a"), 0);
	assert_int_equal(mgs_done(txn), 0);
	txn = mgs_begin(store);
	assert_int_equal(mgs_txn_put(txn, "mgs_targets/a", "one", 3), 0);
	assert_int_equal(mgs_txn_get(txn, "mgs_targets/a", text, 8), 3);
	assert_int_equal(mgs_done(txn), 1);
	reopen();
	txn = mgs_begin(store);
	assert_int_equal(mgs_txn_get(txn, "mgs_targets/a", text, 2), 2);
	assert_int_equal(mgs_txn_drop(txn, "mgs_targets/a"), 0);
	assert_int_equal(mgs_txn_get(txn, "mgs_targets/a", text, 8), -ENOENT);
	assert_int_equal(mgs_done(txn), 2);
	reopen();
	txn = mgs_begin(store);
	assert_int_equal(mgs_txn_get(txn, "mgs_targets/a", text, 8), -ENOENT);
	assert_int_equal(mgs_txn_get(txn, "CONFIGS/a", text, 8), -EINVAL);
	assert_int_equal(mgs_txn_drop(txn, "CONFIGS/a"), -EINVAL);
	mgs_txn_end(txn);
}

static void a_change_is_seen_by_itself_and_then_by_all(void **state)
{
	struct mgs_txn *txn = mgs_begin(store);
	struct mgs_log_info info;
	u8 bytes[LLOG_MIN_CHUNK_SIZE + 1];

	(void)state;
	assert_int_equal(mgs_append_setting(txn, "params", "a=1"), 0);
	info = info_of(txn, "params");
	assert_int_equal(info.li_epoch, 1);
	assert_int_equal(info.li_generation, 1);
	assert_int_equal(info.li_records, 1);
	assert_int_equal(info.li_last_index, 1);
	assert_true(info.li_size > LLOG_MIN_CHUNK_SIZE);
	assert_int_equal(mgs_view_read(mgs_seen(store, txn), "params", 0, bytes,
					sizeof(bytes)), sizeof(bytes));
	assert_int_equal(no_info(NULL, "params"), -ENOENT);
	assert_int_equal(mgs_view_read(mgs_now(store), "params", 0, bytes, 1),
			 -ENOENT);
	assert_int_equal(backend.ops, 0);
	assert_int_equal(mgs_done(txn), 1);
	assert_log("params", 1, 1, 1);
	reopen();
	assert_log("params", 1, 1, 1);
	assert_int_equal(mgs_view_generation(mgs_now(store)), 1);
}

static void an_aborted_change_leaves_nothing(void **state)
{
	struct mgs_txn *txn;
	unsigned int ops, n;

	(void)state;
	set("params", "a=1");
	set("fs-client", "b=1");
	ops = backend.ops;
	txn = mgs_begin(store);
	for (n = 0; n < 3; n++)
		assert_int_equal(mgs_append_setting(txn, "params", "a=2"), 0);
	assert_int_equal(mgs_txn_cancel(txn, "params", 1), 0);
	assert_int_equal(mgs_txn_remove(txn, "fs-client"), 0);
	assert_int_equal(mgs_txn_copy(txn, "params", "new"), 0);
	mgs_txn_end(txn);
	mgs_txn_end(NULL);
	assert_int_equal(backend.ops, ops);
	assert_log("params", 1, 1, 1);
	assert_log("fs-client", 2, 2, 1);
	assert_int_equal(no_info(NULL, "new"), -ENOENT);
}

static void the_epoch_changes_only_where_all_has_to_be_read_again(void **state)
{
	struct mgs_txn *txn;

	(void)state;
	assert_int_equal(add_marker("params", CM_START), 1);
	assert_int_equal(set("params", "a=1"), 2);
	assert_log("params", 1, 2, 2);
	assert_int_equal(mark("params", 1, CM_START | CM_SKIP), 3);
	assert_log("params", 1, 3, 2);
	txn = mgs_begin(store);
	assert_int_equal(mgs_txn_cancel(txn, "params", 2), 0);
	assert_int_equal(mgs_done(txn), 4);
	assert_log("params", 1, 4, 1);
	txn = mgs_begin(store);
	assert_int_equal(mgs_txn_new_epoch(txn, "params"), 0);
	assert_int_equal(mgs_done(txn), 5);
	assert_log("params", 5, 5, 1);
	txn = mgs_begin(store);
	assert_int_equal(mgs_txn_copy(txn, "params", "copy"), 0);
	assert_int_equal(mgs_done(txn), 6);
	assert_log("params", 5, 5, 1);
	assert_log("copy", 6, 6, 1);
	txn = mgs_begin(store);
	assert_int_equal(mgs_txn_remove(txn, "params"), 0);
	assert_int_equal(mgs_done(txn), 7);
	assert_int_equal(no_info(NULL, "params"), -ENOENT);
	assert_int_equal(set("params", "a=1"), 8);
	assert_log("params", 8, 8, 1);
	reopen();
	assert_log("params", 8, 8, 1);
	assert_log("copy", 6, 6, 1);
}

static void what_changes_nothing_is_no_change(void **state)
{
	struct mgs_txn *txn;
	unsigned int ops;

	(void)state;
	set("params", "a=1");
	txn = mgs_begin(store);
	assert_int_equal(mgs_txn_put(txn, MGS_NIDTBL_DIR "/fs", "12345678", 8), 0);
	assert_int_equal(mgs_done(txn), 2);
	ops = backend.ops;
	txn = mgs_begin(store);
	assert_int_equal(mgs_txn_say(txn, "nothing"), 0);
	assert_int_equal(mgs_txn_put(txn, MGS_NIDTBL_DIR "/fs", "12345678", 8), 0);
	assert_int_equal(mgs_append_setting(txn, "new", "a=1"), 0);
	assert_int_equal(mgs_txn_remove(txn, "new"), 0);
	assert_int_equal(mgs_txn_cancel(txn, "params", 9), -ENOENT);
	assert_int_equal(mgs_done(txn), 0);
	assert_int_equal(backend.ops, ops);
	assert_int_equal(mgs_view_generation(mgs_now(store)), 2);
}

static void a_change_is_one_write_and_one_sync_before_it_is_done(void **state)
{
	unsigned int syncs;
	u64 written;

	(void)state;
	set("params", "a=1");
	syncs = backend.syncs;
	set("params", "a=2");
	assert_int_equal(backend.syncs, syncs + 1);
	written = backend.written;
	set("params", "a=3");
	assert_int_equal(backend.syncs, syncs + 2);
	assert_true(backend.written - written < 2048);
}

static void the_journal_is_emptied_when_it_is_long_and_at_the_end(void **state)
{
	struct mem_file *journal;
	char text[4096];
	unsigned int n;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (n = 0; n < 600; n++)
		set("params", text);
	journal = mem_find(&backend, MGS_JOURNAL_FILE);
	assert_true(journal->now.size <= MGS_JOURNAL_MAX + MGS_JOURNAL_STEP);
	assert_true(store->ms_journal.jn_round >= 3);
	assert_int_equal(mgs_store_sync(store), 0);
	assert_int_equal(store->ms_journal.jn_at, MGS_JOURNAL_BEGIN);
	reopen();
	assert_log("params", 1, 600, 600);
}

static void a_large_change_does_not_leave_a_large_journal(void **state)
{
	struct mgs_txn *txn = mgs_begin(store);
	char text[8000];
	unsigned int n;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (n = 0; n < 400; n++)
		assert_int_equal(mgs_append_setting(txn, "params", text), 0);
	assert_int_equal(mgs_done(txn), 1);
	assert_true(mem_find(&backend, MGS_JOURNAL_FILE)->now.size <=
		    MGS_JOURNAL_MAX + MGS_JOURNAL_STEP);
	reopen();
	assert_int_equal(info_of(NULL, "params").li_generation, 1);
}

static void names_that_no_log_has_are_refused(void **state)
{
	static const char *const names[] = {
		"", ".", "..", ".x", "a/b", "/a", "a b", "a\n", "mountdata",
		"nodemap", "fs-client.copy", ".copy",
		"0123456789012345678901234567890123456789012345678901234567890123",
	};
	struct mgs_txn *txn = mgs_begin(store);
	u8 cfg[LUSTRE_CFG_SIZE_MAX];
	size_t n, len = mgs_setting(cfg, "a=1");

	(void)state;
	for (n = 0; n < ARRAY_SIZE(names); n++) {
		assert_int_equal(mgs_txn_append(txn, names[n], cfg, len, NULL),
				 -EINVAL);
		assert_int_equal(no_info(txn, names[n]), -EINVAL);
		assert_int_equal(mgs_txn_remove(txn, names[n]), -EINVAL);
	}
	assert_int_equal(mgs_append_setting(txn, "params", "a=1"), 0);
	assert_int_equal(mgs_txn_copy(txn, "params", "a/b"), -EINVAL);
	assert_int_equal(mgs_txn_copy(txn, "params", "params"), -EINVAL);
	assert_int_equal(mgs_txn_put(txn, "CONFIGS/params", "x", 1), -EINVAL);
	assert_int_equal(mgs_txn_put(txn, "mgs_state", "x", 1), -EINVAL);
	assert_int_equal(mgs_txn_put(txn, "../x", "x", 1), -EINVAL);
	assert_int_equal(mgs_txn_put(txn, "a/../x", "x", 1), -EINVAL);
	assert_int_equal(mgs_txn_put(txn, "a/.x", "x", 1), -EINVAL);
	assert_int_equal(mgs_done(txn), 1);
}

static void what_cannot_be_done_is_refused_and_the_rest_goes_on(void **state)
{
	struct mgs_txn *txn;
	struct cfg_marker marker;
	u8 cfg[LUSTRE_CFG_SIZE_MAX];

	(void)state;
	add_marker("params", CM_START);
	set("params", "a=1");
	mgs_marker_make(&marker, 1, CM_SKIP);
	memset(cfg, 0, sizeof(cfg));
	txn = mgs_begin(store);
	assert_int_equal(mgs_txn_append(txn, "params", cfg, 32, NULL), -EINVAL);
	assert_int_equal(mgs_txn_mark(txn, "none", 1, 0, &marker), -ENOENT);
	assert_int_equal(mgs_txn_mark(txn, "params", 3, 0, &marker), -ENOENT);
	assert_int_equal(mgs_txn_mark(txn, "params", 2, 0, &marker), -EINVAL);
	assert_int_equal(mgs_txn_cancel(txn, "none", 1), -ENOENT);
	assert_int_equal(mgs_txn_cancel(txn, "params", 3), -ENOENT);
	assert_int_equal(mgs_txn_new_epoch(txn, "none"), -ENOENT);
	assert_int_equal(mgs_txn_remove(txn, "none"), -ENOENT);
	assert_int_equal(mgs_txn_copy(txn, "none", "params"), -ENOENT);
	assert_false(mgs_txn_touched(txn, "params"));
	assert_false(mgs_txn_touched(txn, "none"));
	assert_int_equal(mgs_append_setting(txn, "params", "b=1"), 0);
	assert_true(mgs_txn_touched(txn, "params"));
	assert_int_equal(mgs_done(txn), 3);
	assert_log("params", 1, 3, 3);
}

static void what_a_change_did_is_counted(void **state)
{
	struct mgs_txn *txn;
	u32 logs, records;

	(void)state;
	add_marker("params", CM_START);
	txn = mgs_begin(store);
	mgs_txn_count(txn, &logs, &records);
	assert_int_equal(logs + records, 0);
	assert_int_equal(mgs_append_setting(txn, "a", "x=1"), 0);
	assert_int_equal(mgs_append_setting(txn, "a", "x=2"), 0);
	assert_int_equal(mgs_append_setting(txn, "b", "x=2"), 0);
	assert_int_equal(mgs_txn_cancel(txn, "params", 1), 0);
	mgs_txn_count(txn, &logs, &records);
	assert_int_equal(logs, 3);
	assert_int_equal(records, 4);
	assert_ptr_equal(mgs_txn_store(txn), store);
	assert_string_equal(mgs_txn_who(txn)->who, "root");
	mgs_txn_end(txn);
}

/**
 * struct names - the logs of mgs_view_each()
 * @txn: change to remove some by, or NULL
 * @text: names, joined
 */
struct names {
	struct mgs_txn	*txn;
	char		text[256];
};

static int add_name(void *data, const struct mgs_log_info *info)
{
	struct names *names = data;
	size_t len = strlen(names->text);

	snprintf(names->text + len, sizeof(names->text) - len, "%s ",
		 info->li_name);
	if (names->txn && strcmp(info->li_name, "b") > 0)
		assert_int_equal(mgs_txn_remove(names->txn, info->li_name), 0);
	return strcmp(info->li_name, "z") ? 0 : 7;
}

static void logs_are_given_by_name_while_they_change(void **state)
{
	struct names names = { .txn = NULL };

	(void)state;
	set("d", "x=1");
	set("b", "x=1");
	set("a", "x=1");
	assert_int_equal(mgs_view_each(mgs_now(store), add_name, &names), 0);
	assert_string_equal(names.text, "a b d ");
	names.text[0] = '\0';
	names.txn = mgs_begin(store);
	assert_int_equal(mgs_append_setting(names.txn, "c", "x=1"), 0);
	assert_int_equal(mgs_append_setting(names.txn, "e", "x=1"), 0);
	assert_int_equal(mgs_view_each(mgs_seen(store, names.txn), add_name, &names), 0);
	assert_string_equal(names.text, "a b c d e ");
	names.text[0] = '\0';
	assert_int_equal(mgs_view_each(mgs_seen(store, names.txn), add_name, &names), 0);
	assert_string_equal(names.text, "a b ");
	mgs_done(names.txn);
	names.txn = NULL;
	names.text[0] = '\0';
	set("z", "x=1");
	set("zz", "x=1");
	assert_int_equal(mgs_view_each(mgs_now(store), add_name, &names), 7);
	assert_string_equal(names.text, "a b z ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		store_case(a_new_folder_has_nothing_and_nothing_is_written),
		store_case(a_change_is_seen_by_itself_and_then_by_all),
		store_case(an_aborted_change_leaves_nothing),
		store_case(a_folder_keeps_its_seed),
		store_case(a_small_file_comes_and_goes),
		store_case(the_epoch_changes_only_where_all_has_to_be_read_again),
		store_case(what_changes_nothing_is_no_change),
		store_case(a_change_is_one_write_and_one_sync_before_it_is_done),
		store_case(the_journal_is_emptied_when_it_is_long_and_at_the_end),
		store_case(a_large_change_does_not_leave_a_large_journal),
		store_case(names_that_no_log_has_are_refused),
		store_case(what_cannot_be_done_is_refused_and_the_rest_goes_on),
		store_case(what_a_change_did_is_counted),
		store_case(logs_are_given_by_name_while_they_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
