// SPDX-License-Identifier: GPL-2.0-only
/* Counters of jobs: their number has a limit, and they are removed while requests count. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/params.h>

#include "../../obdclass/obd_internal.h"

static const struct params_stat_desc descs[] = {
	{ .name = "open", .unit = PARAMS_UNIT_USEC, .flags = PARAMS_CF_MINMAX },
};

static struct obd_jobs *jobs_new(struct kunit *test)
{
	struct obd_jobs *jobs = obd_jobs_new(descs, ARRAY_SIZE(descs));

	KUNIT_ASSERT_NOT_NULL(test, jobs);
	return jobs;
}

static void wait_for_fewer(struct kunit *test, const struct obd_jobs *jobs, u32 count)
{
	unsigned int n;

	for (n = 0; n < 1500 && obd_jobs_count(jobs) >= count; n++)
		msleep(20);
	KUNIT_EXPECT_LT(test, obd_jobs_count(jobs), count);
}

static void a_job_is_removed_by_its_name(struct kunit *test)
{
	struct obd_jobs *jobs = jobs_new(test);

	obd_jobs_add(jobs, "", 0, 1);
	KUNIT_EXPECT_EQ(test, obd_jobs_count(jobs), 0U);
	obd_jobs_add(jobs, "cp.0", 0, 1);
	obd_jobs_add(jobs, "cp.0", 0, 1);
	obd_jobs_add(jobs, "mv.0", 0, 1);
	KUNIT_EXPECT_EQ(test, obd_jobs_count(jobs), 2U);
	KUNIT_EXPECT_EQ(test, obd_jobs_remove(jobs, "cp"), -EINVAL);
	KUNIT_EXPECT_EQ(test, obd_jobs_remove(jobs, "cp.0"), 0);
	KUNIT_EXPECT_EQ(test, obd_jobs_count(jobs), 1U);
	KUNIT_EXPECT_EQ(test, obd_jobs_remove(jobs, "clear"), 0);
	KUNIT_EXPECT_EQ(test, obd_jobs_remove(jobs, "clear"), 0);
	KUNIT_EXPECT_EQ(test, obd_jobs_count(jobs), 0U);
	obd_jobs_free(jobs);
}

static void jobs_have_a_limit(struct kunit *test)
{
	struct obd_jobs *jobs = jobs_new(test);
	char id[16];
	u32 n;

	for (n = 0; n < JOBS_MAX + 10; n++) {
		scnprintf(id, sizeof(id), "job.%u", n);
		obd_jobs_add(jobs, id, 0, n);
		KUNIT_ASSERT_LE(test, obd_jobs_count(jobs), (u32)JOBS_MAX);
	}
	wait_for_fewer(test, jobs, JOBS_MAX);
	obd_jobs_add(jobs, "late", 0, 1);
	KUNIT_EXPECT_EQ(test, obd_jobs_remove(jobs, "late"), 0);
	obd_jobs_free(jobs);
}

static void a_job_goes_after_the_interval(struct kunit *test)
{
	struct obd_jobs *jobs = jobs_new(test);

	obd_jobs_add(jobs, "cp.0", 0, 1);
	KUNIT_EXPECT_EQ(test, obd_jobs_count(jobs), 1U);
	obd_jobs_set_interval(jobs, 1);
	wait_for_fewer(test, jobs, 1);
	obd_jobs_free(jobs);
}

static int count_until_stopped(void *data)
{
	char id[16];
	u32 n;

	for (n = 0; !kthread_should_stop(); n++) {
		scnprintf(id, sizeof(id), "job.%u", n % 8);
		obd_jobs_add(data, id, 0, n);
		if (!(n % 1000))
			msleep(20);
	}
	return 0;
}

static void jobs_are_removed_while_requests_count(struct kunit *test)
{
	struct obd_jobs *jobs = jobs_new(test);
	struct task_struct *tasks[2];
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(tasks); n++) {
		tasks[n] = kthread_run(count_until_stopped, jobs, "jobs-%u", n);
		KUNIT_ASSERT_FALSE(test, IS_ERR(tasks[n]));
	}
	for (n = 0; n < 20; n++) {
		KUNIT_EXPECT_EQ(test, obd_jobs_remove(jobs, "clear"), 0);
		msleep(20);
	}
	for (n = 0; n < ARRAY_SIZE(tasks); n++)
		kthread_stop(tasks[n]);
	KUNIT_EXPECT_LE(test, obd_jobs_count(jobs), 8U);
	obd_jobs_free(jobs);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_job_is_removed_by_its_name),
	KUNIT_CASE(jobs_have_a_limit),
	KUNIT_CASE(a_job_goes_after_the_interval),
	KUNIT_CASE(jobs_are_removed_while_requests_count),
	{}
};

static struct kunit_suite suite = {
	.name = "obd_jobs",
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: counters of jobs");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
