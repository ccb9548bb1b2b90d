// SPDX-License-Identifier: GPL-2.0-only
/*
 * A log that several tasks append to, cancel from and read at the same time.
 *
 * Processors: 2
 * Every: 2
 */
#include "llog_fixture.h"

#define APPENDERS	3
#define READERS		2
#define RECORDS		300	/* of each appender */

/**
 * struct race - what the tasks have in common
 * @log: log
 * @appending: appenders that have not finished
 * @walked: readers that have made a walk
 * @canceled: records that were cancelled
 */
struct race {
	struct llog_handle	*log;
	atomic_t		appending;
	atomic_t		walked;
	u32			canceled;
};

/**
 * struct racer - one of the tasks
 * @race: what they have in common
 * @id: number of an appender, its records have id << 16 | 1 ... RECORDS
 * @last: index of the last record of a walk
 * @seen: the last number that was seen of each appender
 * @count: records that were seen
 * @walks: walks that were made
 */
struct racer {
	struct race	*race;
	u32		id;
	u32		last;
	u32		seen[APPENDERS];
	u32		count;
	u32		walks;
};

/* Half of the records are appended after each reader has seen some. */
static void await_readers(struct race *race)
{
	unsigned long end = jiffies + FIXTURE_WAIT;

	while (atomic_read(&race->walked) < READERS && time_before(jiffies, end))
		usleep_range(100, 1000);
}

static long run_append(void *arg)
{
	struct racer *racer = arg;
	u8 *body = kzalloc(LT_BODY_MAX, GFP_KERNEL);
	long rc = body ? 0 : -ENOMEM;
	u32 n;

	for (n = 1; n <= RECORDS && !rc; n++) {
		u32 len = 8 + (n * 37 + racer->id * 11) % 700;

		if (n == RECORDS / 2)
			await_readers(racer->race);
		lt_body_make(body, len, racer->id << 16 | n);
		rc = llog_append(racer->race->log, OBD_CFG_REC, body, len, NULL);
	}
	kfree(body);
	atomic_dec(&racer->race->appending);
	return rc;
}

/* Each record is whole, indexes rise, and the numbers of each appender have no gap. */
static int watch(const struct llog_record *rec, void *data)
{
	struct racer *racer = data;
	u32 number = lt_body_number(rec);
	u32 id = number >> 16;

	if (!number || id >= APPENDERS || rec->index <= racer->last)
		return -EILSEQ;
	if ((number & 0xffff) != racer->seen[id] + 1)
		return -EILSEQ;
	racer->last = rec->index;
	racer->seen[id] = number & 0xffff;
	racer->count++;
	return 0;
}

static long run_read(void *arg)
{
	struct racer *racer = arg;
	struct llog_result result;
	u32 before = 0;
	bool more;
	int rc;

	do {
		more = atomic_read(&racer->race->appending);
		racer->last = 0;
		racer->count = 0;
		memset(racer->seen, 0, sizeof(racer->seen));
		rc = llog_process(racer->race->log, 0, U32_MAX, LLOG_P_RAW,
				  watch, racer, &result);
		if (!rc && (result.fault.what || racer->count < before))
			rc = -EBADMSG;
		before = racer->count;
		if (++racer->walks == 1)
			atomic_inc(&racer->race->walked);
	} while (!rc && more);
	return rc ?: before == APPENDERS * RECORDS ? 0 : -ENODATA;
}

/* Cancels each fifth record of a walk. */
static int cancel_some(const struct llog_record *rec, void *data)
{
	struct race *race = data;
	int rc;

	if (rec->index % 5)
		return 0;
	rc = llog_cancel(race->log, rec->index);
	race->canceled += !rc;
	return rc;
}

static long run_cancel(void *arg)
{
	struct race *race = arg;
	bool more;
	int rc;

	do {
		more = atomic_read(&race->appending);
		rc = llog_process(race->log, 0, U32_MAX, 0, cancel_some, race,
				  NULL);
	} while (!rc && more);
	return rc;
}

static int count_live(const struct llog_record *rec, void *data)
{
	u32 *count = data;

	(*count)++;
	return rec->index % 5 ? 0 : -EEXIST;
}

static void check_after(struct kunit *test, const struct race *race)
{
	struct llog_result result;
	u32 live = 0;

	KUNIT_EXPECT_GT(test, race->canceled, 0U);
	lt_reopen(test, LLOG_O_WRITE);
	KUNIT_EXPECT_EQ(test, llog_process(lt.log, 0, U32_MAX, 0, count_live,
					   &live, &result), 0);
	KUNIT_EXPECT_NULL(test, result.fault.what);
	KUNIT_EXPECT_EQ(test, live, APPENDERS * RECORDS - race->canceled);
	KUNIT_EXPECT_EQ(test, llog_handle_head(lt.log)->count, live + 1);
}

static void appenders_cancelers_and_readers_do_not_disturb_each_other(struct kunit *test)
{
	struct aside tasks[APPENDERS + READERS + 1];
	struct racer racers[APPENDERS + READERS];
	struct race race = { .appending = ATOMIC_INIT(APPENDERS) };
	size_t n;

	race.log = lt_open(test, LLOG_O_CREATE);
	memset(racers, 0, sizeof(racers));
	for (n = 0; n < APPENDERS + READERS; n++) {
		racers[n].race = &race;
		racers[n].id = n;
		aside_start(test, &tasks[n], n < APPENDERS ? run_append :
							     run_read,
			    &racers[n]);
	}
	aside_start(test, &tasks[n], run_cancel, &race);
	for (n = 0; n < ARRAY_SIZE(tasks); n++)
		KUNIT_EXPECT_EQ(test, aside_join(test, &tasks[n]), 0L);
	for (n = APPENDERS; n < APPENDERS + READERS; n++)
		KUNIT_EXPECT_GT(test, racers[n].walks, 1U);
	check_after(test, &race);
}

static struct kunit_case llog_race_cases[] = {
	KUNIT_CASE(appenders_cancelers_and_readers_do_not_disturb_each_other),
	{}
};

static struct kunit_suite llog_race_suite = {
	.name		= "llog_race",
	.suite_init	= client_suite_init,
	.init		= lt_init,
	.exit		= lt_exit,
	.test_cases	= llog_race_cases,
};

kunit_test_suite(llog_race_suite);

MODULE_DESCRIPTION("KUnit: a log with several tasks at it");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
