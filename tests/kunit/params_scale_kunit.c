// SPDX-License-Identifier: GPL-2.0-only
/*
 * Size: one directory with many entries and the same work with ten. What a
 * lookup costs must not depend on how many siblings there are; the bound is
 * generous, for cold caches and a slow machine.
 *
 * Every: 4
 */
#include <linux/ktime.h>

#include "fixture.h"

#define LOOKUPS		20000

static uint many = 100000;
module_param(many, uint, 0444);
MODULE_PARM_DESC(many, "entries in the large directory");

static int number_read(struct params_sink *sink, void *data)
{
	return params_put_u64(sink, NULL, (unsigned long)data);
}

static long grow(struct lustre_params_entry *dir, unsigned int from,
		 unsigned int to)
{
	char name[16];
	unsigned int i;

	for (i = from; i < to; i++) {
		int rc;

		snprintf(name, sizeof(name), "e%07u", i);
		rc = params_add_entry(dir, name, number_read, NULL,
				      (void *)(unsigned long)i);
		if (rc)
			return rc;
		if (!(i % 64))
			cond_resched();
	}
	return 0;
}

/* Nanoseconds for one lookup; names are spread over a directory of @count. */
static u64 lookup_ns(struct lustre_params_entry *dir, unsigned int count)
{
	ktime_t start = ktime_get();
	char name[16];
	unsigned int i;

	for (i = 0; i < LOOKUPS; i++) {
		struct lustre_params_entry *lpe;

		snprintf(name, sizeof(name), "e%07u",
			 (u32)(i * 2654435761U) % count);
		lpe = params_lookup_entry(dir, name);
		if (IS_ERR(lpe))
			return 0;
		params_entry_put(lpe);
		if (!(i % 64))
			cond_resched();
	}
	return ktime_to_ns(ktime_sub(ktime_get(), start)) / LOOKUPS;
}

static void lookup_cost_is_flat(struct kunit *test)
{
	static const unsigned int sizes[] = {
		10, 100, 1000, 10000, 100000, 1000000,
	};
	u64 ns, least = 0;
	unsigned int i, tries, have = 0;

	for (i = 0; i < ARRAY_SIZE(sizes) && sizes[i] <= many; i++) {
		KUNIT_ASSERT_EQ(test, grow(fx.dir, have, sizes[i]), 0);
		have = sizes[i];
		/* The minimum of several runs: other tasks use the processor, too. */
		ns = lookup_ns(fx.dir, have);
		for (tries = 0; tries < 3 && ns; tries++)
			ns = min_t(u64, ns, lookup_ns(fx.dir, have));
		KUNIT_ASSERT_NE(test, ns, 0ULL);
		kunit_info(test, "%7u siblings: %llu ns a lookup", have, ns);
		if (!least || ns < least)
			least = ns;
		/* A list or a scan would be off by a factor of thousands. */
		KUNIT_EXPECT_LT(test, ns, 20 * least + 2000);
	}
}

/* A listing has each entry once, in order, in as many calls as it takes. */
static void a_large_directory_is_listed_whole(struct kunit *test)
{
	unsigned int count = min(many, 50000U), seen = 0;
	char last[PARAMS_NAME_MAX + 1] = "", name[16];

	KUNIT_ASSERT_EQ(test, grow(fx.dir, 0, count), 0);
	for (;;) {
		struct params_ioc_list pl = { .pl_depth = 1 };
		struct params_list_rec *rec;
		size_t at;

		KUNIT_ASSERT_EQ(test, client_list_with(fx.client, FIXTURE_DIR,
						       last, &pl), 0);
		for (at = 0; at < fx.client->used; at += rec->lr_len) {
			rec = (void *)(fx.client->buf + at);
			snprintf(name, sizeof(name), "e%07u", seen++);
			KUNIT_ASSERT_EQ(test, memcmp(rec->lr_name, name, 8), 0);
		}
		strscpy(last, name, sizeof(last));
		if (pl.pl_eof)
			break;
	}
	KUNIT_EXPECT_EQ(test, seen, count);
}

static struct kunit_case scale_cases[] = {
	KUNIT_CASE(lookup_cost_is_flat),
	KUNIT_CASE(a_large_directory_is_listed_whole),
	{}
};

static struct kunit_suite scale_suite = {
	.name = "params_scale",
	.suite_init = client_suite_init,
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = scale_cases,
};
kunit_test_suite(scale_suite);

MODULE_DESCRIPTION("the parameters tree with many entries");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
