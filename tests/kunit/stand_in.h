/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of KUnit that the suites of osd use, for kernels that are built without it:
 * Debian's have the file systems, and no KUnit. Results are KTAP in the kernel log, as KUnit's.
 *
 * A case runs in a kernel thread of its own. After a failed assertion the thread ends, and the
 * task that loads the module calls the suite's exit.
 */
#ifndef _KUNIT_STAND_IN_H
#define _KUNIT_STAND_IN_H

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

/**
 * struct kunit - a case that runs
 * @suite: its suite
 * @kcase: case
 * @allocations: of kunit_kzalloc()
 * @ended: the thread has ended
 * @failed: a check failed
 * @cleaned: the suite's exit has been called
 * @skipped: reason of kunit_skip(), or NULL
 */
struct kunit {
	const struct kunit_suite	*suite;
	const struct kunit_case		*kcase;
	struct list_head		allocations;
	struct completion		ended;
	bool				failed;
	bool				cleaned;
	const char			*skipped;
};

struct kunit_case {
	void		(*run_case)(struct kunit *test);
	const char	*name;
};

struct kunit_suite {
	const char		*name;
	int			(*suite_init)(struct kunit_suite *suite);
	int			(*init)(struct kunit *test);
	void			(*exit)(struct kunit *test);
	struct kunit_case	*test_cases;
};

#define KUNIT_CASE(fn)	{ .run_case = fn, .name = #fn }

/* Does not return: the case ends. */
static inline void __noreturn stand_in_abort(struct kunit *test)
{
	kthread_complete_and_exit(&test->ended, 0);
}

static inline void stand_in_check(struct kunit *test, bool ok, bool fatal, const char *text,
				  const char *values, int line)
{
	if (ok)
		return;
	test->failed = true;
	pr_info("    # %s: %s FAILED at line %d: %s\n", test->kcase->name,
		fatal ? "ASSERTION" : "EXPECTATION", line, text);
	pr_info("    seen %s\n", values);
	if (fatal)
		stand_in_abort(test);
}

#define STAND_IN_TRUTH(test, fatal, cond)					\
	stand_in_check(test, cond, fatal, #cond, "otherwise", __LINE__)

#define STAND_IN_COMPARE(test, fatal, left, op, right)				\
do {										\
	const typeof(left) __left = (left);					\
	const typeof(right) __right = (right);					\
	bool __ok = __left op __right;						\
	char __values[64] = "";							\
										\
	if (!__ok)								\
		snprintf(__values, sizeof(__values), "%lld and %lld",		\
			 (long long)__left, (long long)__right);		\
	stand_in_check(test, __ok, fatal, #left " " #op " " #right, __values,	\
		       __LINE__);						\
} while (0)

#define STAND_IN_POINTERS(test, left, op, right)				\
do {										\
	const void *__left = (left);						\
	const void *__right = (right);						\
										\
	stand_in_check(test, __left op __right, false,				\
		       #left " " #op " " #right, "other pointers", __LINE__);	\
} while (0)

#define KUNIT_EXPECT_TRUE(test, cond)		STAND_IN_TRUTH(test, false, cond)
#define KUNIT_EXPECT_FALSE(test, cond)		STAND_IN_TRUTH(test, false, !(cond))
#define KUNIT_ASSERT_TRUE(test, cond)		STAND_IN_TRUTH(test, true, cond)
#define KUNIT_ASSERT_FALSE(test, cond)		STAND_IN_TRUTH(test, true, !(cond))
#define KUNIT_ASSERT_NOT_NULL(test, ptr)	STAND_IN_TRUTH(test, true, (ptr) != NULL)
#define KUNIT_EXPECT_EQ(test, left, right)	STAND_IN_COMPARE(test, false, left, ==, right)
#define KUNIT_EXPECT_NE(test, left, right)	STAND_IN_COMPARE(test, false, left, !=, right)
#define KUNIT_EXPECT_GT(test, left, right)	STAND_IN_COMPARE(test, false, left, >, right)
#define KUNIT_EXPECT_LE(test, left, right)	STAND_IN_COMPARE(test, false, left, <=, right)
#define KUNIT_ASSERT_EQ(test, left, right)	STAND_IN_COMPARE(test, true, left, ==, right)
#define KUNIT_EXPECT_PTR_EQ(test, left, right)	STAND_IN_POINTERS(test, left, ==, right)
#define KUNIT_EXPECT_PTR_NE(test, left, right)	STAND_IN_POINTERS(test, left, !=, right)
#define KUNIT_EXPECT_STREQ(test, left, right)					\
	stand_in_check(test, !strcmp(left, right), false, #left " is " #right, left, __LINE__)

#define kunit_skip(test, reason)						\
do {										\
	(test)->skipped = (reason);						\
	stand_in_abort(test);							\
} while (0)

/* Zeroed memory until the end of the case, or NULL. */
static inline void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t gfp)
{
	struct list_head *head = kzalloc(sizeof(*head) + size, gfp);

	if (!head)
		return NULL;
	list_add(head, &test->allocations);
	return head + 1;
}

static inline void stand_in_clean(struct kunit *test)
{
	struct list_head *head, *next;

	if (test->cleaned)
		return;
	test->cleaned = true;
	test->suite->exit(test);
	list_for_each_safe(head, next, &test->allocations)
		kfree(head);
	INIT_LIST_HEAD(&test->allocations);
}

static inline int stand_in_thread(void *data)
{
	struct kunit *test = data;
	int rc = test->suite->init(test);

	stand_in_check(test, !rc, true, "the suite's init", "an error", rc);
	test->kcase->run_case(test);
	stand_in_clean(test);
	kthread_complete_and_exit(&test->ended, 0);
}

/* Return: whether the case passed */
static inline bool stand_in_case(const struct kunit_suite *suite, const struct kunit_case *kcase,
				 unsigned int number)
{
	struct kunit test = { .suite = suite, .kcase = kcase };
	struct task_struct *task;

	INIT_LIST_HEAD(&test.allocations);
	init_completion(&test.ended);
	task = kthread_run(stand_in_thread, &test, "kunit_case");
	if (IS_ERR(task))
		test.failed = true;
	else
		wait_for_completion(&test.ended);
	stand_in_clean(&test);
	pr_info("    %sok %u - %s%s%s\n", test.failed ? "not " : "", number, kcase->name,
		test.skipped ? " # SKIP " : "", test.skipped ?: "");
	return !test.failed;
}

/* Return: 0, so that the module stays loaded, as with KUnit; or the errno of suite_init */
static inline int stand_in_suite(struct kunit_suite *suite)
{
	const struct kunit_case *kcase;
	unsigned int count = 0, bad = 0;
	int rc = suite->suite_init(suite);

	if (rc)
		return rc;
	for (kcase = suite->test_cases; kcase->run_case; kcase++)
		count++;
	pr_info("    # Subtest: %s\n", suite->name);
	pr_info("    1..%u\n", count);
	count = 0;
	for (kcase = suite->test_cases; kcase->run_case; kcase++)
		bad += !stand_in_case(suite, kcase, ++count);
	pr_info("%sok 1 - %s\n", bad ? "not " : "", suite->name);
	return 0;
}

/* The suite of the module, which kunit_test_suite() names. */
static struct kunit_suite *stand_in_loaded;

static int __init stand_in_load(void)
{
	return stand_in_suite(stand_in_loaded);
}

static void __exit stand_in_unload(void)
{
}

#define kunit_test_suite(suite)							\
static struct kunit_suite *stand_in_loaded = &(suite);				\
module_init(stand_in_load);							\
module_exit(stand_in_unload)

#endif /* _KUNIT_STAND_IN_H */
