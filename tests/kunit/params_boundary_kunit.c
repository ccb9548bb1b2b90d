// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules 9 to 11 of the access protocol (Documentation/locking.md), where they meet user
 * memory, waiting tasks and credentials that are the kernel's. The rest of rules 8 to 12:
 * tests/unit/params_rules_tsan_test.c, params_ops_test.c and params_boundary_test.c.
 *
 * Every: 2
 */
#include <linux/cred.h>

#include "fixture.h"

/* Records that all contain the number of the callback's call. */
static int table_read(struct params_sink *sink, void *data)
{
	struct probe *p = data;
	int calls = atomic_inc_return(&p->reads);
	unsigned int i;

	for (i = 0; i < 2000; i++)
		params_put_u64(sink, NULL, calls);
	return params_sink_error(sink);
}

static void rule_9_a_value_is_a_snapshot(struct kunit *test)
{
	struct params_ioc_read pr = { .pr_buf_len = 4096 };
	unsigned int records = 0;
	static struct probe p;

	memset(&p, 0, sizeof(p));
	KUNIT_ASSERT_EQ(test, params_add_entry(fx.dir, "table", table_read,
					       NULL, &p), 0);
	do {
		unsigned int i, n;

		KUNIT_ASSERT_EQ(test, client_read_with(fx.client,
						       FIXTURE_DIR "/table",
						       &pr), 0);
		n = client_rec_count(fx.client);
		for (i = 0; i < n; i++) {
			u64 *val = client_rec_value(client_rec(fx.client, i));

			KUNIT_ASSERT_EQ(test, *val, 1ULL);
		}
		records += n;
		KUNIT_ASSERT_EQ(test, pr.pr_index, records);
	} while (!pr.pr_eof);
	KUNIT_EXPECT_EQ(test, records, 2000U);
	KUNIT_EXPECT_EQ(test, atomic_read(&p.reads), 1);
	KUNIT_EXPECT_EQ(test, pr.pr_snapshot, 0ULL);
}

static void rule_10_a_link_uses_its_target(struct kunit *test)
{
	static struct aside reader, remover;
	struct lustre_params_entry *entry;
	static struct gate g;

	add_gate(test, &g);
	KUNIT_ASSERT_EQ(test, params_add_link(fx.dir, "link",
					      FIXTURE_DIR "/gate"), 0);
	aside_start(test, &reader, aside_read, FIXTURE_DIR "/link");
	gate_await(test, &g);
	/* Removing the target waits for a callback that was reached through the link. */
	entry = must_find(test, FIXTURE_DIR "/gate");
	aside_start(test, &remover, aside_remove, entry);
	aside_await_sleep(test, &remover);
	complete(&g.leave);
	aside_join(test, &remover);
	KUNIT_EXPECT_EQ(test, aside_join(test, &reader), 0);
	params_entry_put(entry);
	/* The link exists, and its target does not. */
	KUNIT_EXPECT_EQ(test, client_count(fx.client, FIXTURE_DIR), 1);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, FIXTURE_DIR "/link"),
			-ENODEV);
}

static int no_caps_call(struct kunit *test, long (*fn)(void), long *rc)
{
	const struct cred *old;
	struct cred *cred = prepare_creds();

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, cred);
	cap_clear(cred->cap_effective);
	old = override_creds(cred);
	*rc = fn();
	revert_creds(old);
	put_cred(cred);
	return 0;
}

static long write_declared(void)
{
	return client_write(fx.client, FIXTURE_DIR "/u32", "5");
}

static long read_secret(void)
{
	return client_read(fx.client, FIXTURE_DIR "/secret");
}

struct guarded {
	u32 u32;
	u32 secret;
};

static const struct lustre_params_attr guarded_attrs[] = {
	LP_U32_FIELD("u32", struct guarded, u32, .min = 2, .max = 9),
	{ .name = "secret", .type = PARAMS_T_U32, .mode = 0600, .field = 1,
	  .offset = offsetof(struct guarded, secret) },
};

static void rule_11_privilege_and_mode(struct kunit *test)
{
	static struct guarded data;
	long rc;

	KUNIT_ASSERT_EQ(test, params_add_attrs(fx.dir, guarded_attrs,
					       ARRAY_SIZE(guarded_attrs), &data), 0);
	no_caps_call(test, write_declared, &rc);
	KUNIT_EXPECT_EQ(test, rc, -EPERM);
	no_caps_call(test, read_secret, &rc);
	KUNIT_EXPECT_TRUE(test, rc == -EPERM || rc == -EACCES);
	KUNIT_EXPECT_EQ(test, write_declared(), 0);
	KUNIT_EXPECT_EQ(test, read_secret(), 0);
}

static struct kunit_case boundary_cases[] = {
	KUNIT_CASE(rule_9_a_value_is_a_snapshot),
	KUNIT_CASE(rule_10_a_link_uses_its_target),
	KUNIT_CASE(rule_11_privilege_and_mode),
	{}
};

static struct kunit_suite boundary_suite = {
	.name = "params_boundary",
	.suite_init = client_suite_init,
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = boundary_cases,
};
kunit_test_suite(boundary_suite);

MODULE_DESCRIPTION("what crosses the boundary of the parameters tree");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
