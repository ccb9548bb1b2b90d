// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random changes of the store and of a model: both are equal after each change, and after
 * each power cut and open.
 */
#include "mgs_store_fixture.h"
#include "rounds.h"

#include <stdio.h>
#include <stdlib.h>

#define LOGS		6
#define RECORDS_MAX	400
#define RUNS		(rounds_full() ? 60 : 20)
#define CHANGES		40

/**
 * struct model_log - a log
 * @there: it is there
 * @epoch: generation
 * @generation: generation
 * @count: records so far, cancelled ones too
 * @number: what each says
 * @live: it was not cancelled
 * @marker: it is a marker; the number is its flags
 */
struct model_log {
	bool	there;
	u64	epoch;
	u64	generation;
	u32	count;
	u32	number[RECORDS_MAX];
	bool	live[RECORDS_MAX];
	bool	marker[RECORDS_MAX];
};

/**
 * struct model - all logs
 * @generation: generation
 * @log: logs
 */
struct model {
	u64			generation;
	struct model_log	log[LOGS];
};

static struct model now, next;
static u32 state;

static u32 dice(u32 sides)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state % sides;
}

static const char *log_name(u32 n)
{
	static const char *const names[LOGS] = {
		"params", "fs-client", "fs-MDT0000", "fs-OST0000", "a", "z",
	};

	return names[n];
}

static u64 number_of(const struct mgs_rec *rec)
{
	if (rec->marker)
		return codec_get32(&rec->marker->cm_flags, false);
	return strtoul(lcfg_string(&rec->cfg, 1) + 2, NULL, 10);
}

/**
 * struct compare - a log that is compared
 * @log: the log of the model
 * @seen: records so far
 */
struct compare {
	const struct model_log	*log;
	u32			seen;
};

/* Records of the model do not count padding: only their order matters. */
static int compare_record(void *data, const struct mgs_rec *rec)
{
	struct compare *compare = data;
	u32 n = compare->seen++;

	assert_true(n < compare->log->count);
	assert_int_equal(rec->live, compare->log->live[n]);
	assert_int_equal(!!rec->marker, compare->log->marker[n]);
	assert_int_equal(number_of(rec), compare->log->number[n]);
	return 0;
}

static void compare_log(const struct model *model, struct mgs_txn *txn, u32 n)
{
	struct compare compare = { .log = &model->log[n] };
	struct mgs_log_info info;
	int rc = mgs_view_info(mgs_seen(store, txn), log_name(n), &info);

	assert_int_equal(rc, compare.log->there ? 0 : -ENOENT);
	if (rc)
		return;
	assert_int_equal(info.li_epoch, compare.log->epoch);
	assert_int_equal(info.li_generation, compare.log->generation);
	assert_int_equal(mgs_view_walk(mgs_seen(store, txn), log_name(n), compare_record,
					&compare), 0);
	assert_int_equal(compare.seen, compare.log->count);
}

static void compare_all(const struct model *model, struct mgs_txn *txn)
{
	u32 n;

	if (!txn)
		assert_int_equal(mgs_view_generation(mgs_now(store)),
				 model->generation);
	for (n = 0; n < LOGS; n++)
		compare_log(model, txn, n);
}

/**
 * struct finding - a record of the model that is looked for in the log
 * @want: how many come before it
 * @index: out
 */
struct finding {
	u32	want;
	u32	index;
};

static int find_record(void *data, const struct mgs_rec *rec)
{
	struct finding *finding = data;

	finding->index = rec->index;
	return !finding->want--;
}

static u32 index_of(struct mgs_txn *txn, u32 n, u32 record)
{
	struct finding finding = { .want = record };

	assert_int_equal(mgs_view_walk(mgs_seen(store, txn), log_name(n), find_record,
					&finding), 1);
	return finding.index;
}

static void touch(struct model_log *log, bool reborn)
{
	log->generation = next.generation;
	if (reborn)
		log->epoch = next.generation;
}

static void do_append(struct mgs_txn *txn, u32 n)
{
	static const size_t sizes[] = { 1, 40, 700, 3000 };
	struct model_log *log = &next.log[n];
	bool marker = dice(3) == 0;
	u8 cfg[LUSTRE_CFG_SIZE_MAX];
	u32 number = dice(1000);
	char text[4000];
	size_t len;
	int at;

	if (log->count == RECORDS_MAX)
		return;
	at = snprintf(text, sizeof(text), "x=%u ", number);
	memset(text + at, 'v', sizes[dice(4)]);
	text[at + (int)sizes[dice(2)]] = '\0';
	len = marker ? mgs_marker(cfg, 1, number) : mgs_setting(cfg, text);
	assert_int_equal(mgs_txn_append(txn, log_name(n), cfg, len, NULL), 0);
	touch(log, !log->there);
	log->there = true;
	log->number[log->count] = number;
	log->live[log->count] = true;
	log->marker[log->count++] = marker;
}

static void do_cancel(struct mgs_txn *txn, u32 n)
{
	struct model_log *log = &next.log[n];
	u32 record;

	if (!log->there || !log->count)
		return;
	record = dice(log->count);
	assert_int_equal(mgs_txn_cancel(txn, log_name(n),
					index_of(txn, n, record)),
			 log->live[record] ? 0 : -ENOENT);
	if (!log->live[record])
		return;
	log->live[record] = false;
	touch(log, false);
}

static void do_mark(struct mgs_txn *txn, u32 n)
{
	struct model_log *log = &next.log[n];
	struct cfg_marker marker;
	u32 record, flags = dice(1000);

	if (!log->there || !log->count)
		return;
	record = dice(log->count);
	mgs_marker_make(&marker, 1, flags);
	assert_int_equal(mgs_txn_mark(txn, log_name(n), index_of(txn, n, record), 0,
				      &marker),
			 log->marker[record] ? 0 : -EINVAL);
	if (!log->marker[record])
		return;
	log->number[record] = flags;
	touch(log, false);
}

static void do_remove(struct mgs_txn *txn, u32 n)
{
	assert_int_equal(mgs_txn_remove(txn, log_name(n)),
			 next.log[n].there ? 0 : -ENOENT);
	memset(&next.log[n], 0, sizeof(next.log[n]));
}

static void do_copy(struct mgs_txn *txn, u32 n)
{
	u32 to = (n + 1 + dice(LOGS - 1)) % LOGS;

	assert_int_equal(mgs_txn_copy(txn, log_name(n), log_name(to)),
			 next.log[n].there ? 0 : -ENOENT);
	if (!next.log[n].there)
		return;
	next.log[to] = next.log[n];
	touch(&next.log[to], true);
}

static void do_new_epoch(struct mgs_txn *txn, u32 n)
{
	assert_int_equal(mgs_txn_new_epoch(txn, log_name(n)),
			 next.log[n].there ? 0 : -ENOENT);
	if (next.log[n].there)
		touch(&next.log[n], true);
}

static void do_one(struct mgs_txn *txn)
{
	u32 n = dice(LOGS);

	switch (dice(16)) {
	case 0:
		do_remove(txn, n);
		break;
	case 1:
		do_copy(txn, n);
		break;
	case 2:
		do_new_epoch(txn, n);
		break;
	case 3 ... 5:
		do_cancel(txn, n);
		break;
	case 6 ... 8:
		do_mark(txn, n);
		break;
	default:
		do_append(txn, n);
	}
}

static void open_store(void)
{
	static const u64 lengths[] = { MGS_JOURNAL_BEGIN, 20000, MGS_JOURNAL_MAX };

	store = mgs_have(&backend);
	store->ms_journal.jn_max = lengths[dice(3)];
}

/* Cut it, at once or a few operations later. */
static void cut_power(void)
{
	mgs_store_close(store);
	mem_power_cut(&backend, (enum mem_cut)dice(4), dice(1000));
	open_store();
	if (mgs_view_generation(mgs_now(store)) == next.generation)
		now = next;
	compare_all(&now, NULL);
}

static void change(void)
{
	struct mgs_txn *txn = mgs_begin(store);
	u32 count = 1 + dice(8);
	u64 generation;

	next = now;
	next.generation++;
	while (count--)
		do_one(txn);
	compare_all(&next, txn);
	if (dice(6) == 0) {
		mgs_txn_end(txn);
		next = now;
		compare_all(&now, NULL);
		return;
	}
	if (dice(8) == 0)
		backend.dead_at = backend.ops + 1 + dice(12);
	if (!mgs_txn_commit(txn, &generation) && generation) {
		assert_int_equal(generation, next.generation);
		now = next;
	}
	if (backend.dead_at)
		cut_power();
	else
		compare_all(&now, NULL);
}

static void run(u32 seed)
{
	u32 n;

	state = seed * 2654435761U + 1;
	memset(&now, 0, sizeof(now));
	open_store();
	for (n = 0; n < CHANGES; n++) {
		change();
		if (dice(10) == 0) {
			mgs_store_close(store);
			open_store();
			compare_all(&now, NULL);
		}
	}
}

static void what_a_store_says_is_what_was_done(void **unused)
{
	u32 seed;

	for (seed = 1; seed <= RUNS; seed++) {
		run(seed + RUNS * rounds_turn(1000));
		teardown(unused);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_store_says_is_what_was_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
