// SPDX-License-Identifier: GPL-2.0
/*
 * Rules 8 to 12 of the access protocol (Documentation/locking.md): what crosses
 * the boundary, in which words it is refused, and the primitive below it all.
 */
#include <linux/cred.h>

#include <lustre_lite/active.h>

#include "fixture.h"

#define MANY 200

/*
 * Names one at a time; the one that was returned last is deleted before the
 * next call, and every third is a new one that comes behind it.
 */
static void rule_8_listing_resumes_by_name(struct kunit *test)
{
	char name[16], last[PARAMS_NAME_MAX + 1] = "";
	unsigned int i, seen = 0;
	static struct probe p;

	memset(&p, 0, sizeof(p));
	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "e%04u", i);
		add_probe(test, &p, name);
	}
	for (;;) {
		struct params_ioc_list pl = { .pl_depth = 1, .pl_buf_len = 32 };
		struct params_list_rec *rec;

		KUNIT_ASSERT_EQ(test, client_list_with(fx.client, FIXTURE_DIR,
						       last, &pl), 0);
		rec = client_list_rec(fx.client, 0);
		if (!rec)
			break;
		KUNIT_ASSERT_EQ(test, pl.pl_count, 1U);
		snprintf(name, sizeof(name), "e%04u", seen);
		KUNIT_ASSERT_EQ(test, (size_t)rec->lr_name_len, strlen(name));
		KUNIT_ASSERT_EQ(test, memcmp(rec->lr_name, name, 5), 0);
		strscpy(last, name, sizeof(last));
		KUNIT_ASSERT_EQ(test, params_delete_entry(fx.dir, name), 0);
		seen++;
	}
	KUNIT_EXPECT_EQ(test, seen, (unsigned int)MANY);
}

/* Resuming after a path whose directories are gone, too. */
static void rule_8_listing_resumes_below_what_is_gone(struct kunit *test)
{
	struct params_ioc_list pl = {};
	struct lustre_params_entry *a, *b;
	static struct probe p;

	memset(&p, 0, sizeof(p));
	a = params_add_dir(fx.dir, "a", NULL);
	b = params_add_dir(fx.dir, "b", NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(a) || IS_ERR(b));
	KUNIT_ASSERT_EQ(test, params_add_entry(a, "x", probe_read, NULL, &p), 0);
	KUNIT_ASSERT_EQ(test, params_add_entry(b, "y", probe_read, NULL, &p), 0);
	params_remove(a);
	KUNIT_ASSERT_EQ(test, client_list_with(fx.client, FIXTURE_DIR, "a/x",
					       &pl), 0);
	KUNIT_ASSERT_EQ(test, pl.pl_count, 2U);
	KUNIT_EXPECT_EQ(test, pl.pl_eof, 1U);
	KUNIT_EXPECT_EQ(test, client_list_rec(fx.client, 0)->lr_name[0], 'b');
	KUNIT_EXPECT_EQ(test, client_list_rec(fx.client, 1)->lr_name[0], 'y');
}

/* Two hundred records that all carry the number of the callback. */
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

static void rule_9_a_lost_snapshot_is_told(struct kunit *test)
{
	struct params_ioc_read first = { .pr_buf_len = 4096 };
	struct params_ioc_read second = { .pr_buf_len = 4096 };
	static struct probe p;

	memset(&p, 0, sizeof(p));
	KUNIT_ASSERT_EQ(test, params_add_entry(fx.dir, "table", table_read,
					       NULL, &p), 0);
	KUNIT_ASSERT_EQ(test, client_read_with(fx.client, FIXTURE_DIR "/table",
					       &first), 0);
	KUNIT_ASSERT_NE(test, first.pr_snapshot, 0ULL);
	/* An open file keeps the newest snapshot only. */
	KUNIT_ASSERT_EQ(test, client_read_with(fx.client, FIXTURE_DIR "/table",
					       &second), 0);
	KUNIT_ASSERT_NE(test, second.pr_snapshot, first.pr_snapshot);
	KUNIT_EXPECT_EQ(test, client_read_with(fx.client, FIXTURE_DIR "/table",
					       &first), -ESTALE);
	KUNIT_EXPECT_EQ(test, client_read_with(fx.client, FIXTURE_DIR "/table",
					       &second), 0);
}

static void rule_9_a_snapshot_outlives_its_entry(struct kunit *test)
{
	struct params_ioc_read pr = { .pr_buf_len = 4096 };
	static struct probe p;

	memset(&p, 0, sizeof(p));
	KUNIT_ASSERT_EQ(test, params_add_entry(fx.dir, "table", table_read,
					       NULL, &p), 0);
	KUNIT_ASSERT_EQ(test, client_read_with(fx.client, FIXTURE_DIR "/table",
					       &pr), 0);
	KUNIT_ASSERT_EQ(test, params_delete_entry(fx.dir, "table"), 0);
	KUNIT_EXPECT_EQ(test, client_read_with(fx.client, FIXTURE_DIR "/table",
					       &pr), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&p.reads), 1);
}

static void rule_9_a_buffer_too_small_says_what_it_needs(struct kunit *test)
{
	struct params_ioc_read pr = { .pr_buf_len = 8 };
	static struct probe p;

	memset(&p, 0, sizeof(p));
	add_probe(test, &p, "probe");
	KUNIT_EXPECT_EQ(test, client_read_with(fx.client, FIXTURE_DIR "/probe",
					       &pr), -EOVERFLOW);
	KUNIT_EXPECT_EQ(test, pr.pr_buf_len, 16U);
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
	/* Removing the target waits for the callback that came by the link. */
	entry = must_find(test, FIXTURE_DIR "/gate");
	aside_start(test, &remover, aside_remove, entry);
	msleep(50);
	KUNIT_EXPECT_FALSE(test, aside_is_done(&remover));
	complete(&g.leave);
	aside_join(test, &remover);
	KUNIT_EXPECT_EQ(test, aside_join(test, &reader), 0);
	params_entry_put(entry);
	/* The link is there, and leads nowhere. */
	KUNIT_EXPECT_EQ(test, client_count(fx.client, FIXTURE_DIR), 1);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, FIXTURE_DIR "/link"),
			-ENODEV);
}

static void rule_10_lookup_never_recurses(struct kunit *test)
{
	struct lustre_params_entry *dir;
	static struct probe p;

	memset(&p, 0, sizeof(p));
	p.val = 5;
	dir = params_add_dir(fx.dir, "dir", NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dir));
	KUNIT_ASSERT_EQ(test, params_add_entry(dir, "leaf", probe_read, NULL, &p),
			0);
	KUNIT_ASSERT_EQ(test, params_add_link(dir, "up", FIXTURE_DIR "/dir"), 0);
	/* A link to a link leads where that leads. */
	KUNIT_ASSERT_EQ(test, params_add_link(fx.dir, "twice",
					      FIXTURE_DIR "/dir/up"), 0);
	KUNIT_EXPECT_EQ(test, client_read(fx.client,
					  FIXTURE_DIR "/dir/up/up/up/leaf"), 0);
	KUNIT_EXPECT_EQ(test, client_number(fx.client), 5ULL);
	KUNIT_EXPECT_EQ(test, client_read(fx.client,
					  FIXTURE_DIR "/twice/leaf"), 0);
	/* A listing does not go through links: kunit/dir/leaf, up; twice. */
	KUNIT_EXPECT_EQ(test, params_add_link(fx.dir, "nowhere",
					      FIXTURE_DIR "/not/there"), -ENOENT);
	KUNIT_EXPECT_EQ(test, client_count(fx.client, FIXTURE_DIR "/dir"), 2);
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

struct errno_data {
	u32 u32;
	u32 secret;
};

static const struct lustre_params_attr errno_attrs[] = {
	LP_U32_FIELD("u32", struct errno_data, u32, .min = 2, .max = 9),
	LP_TRIGGER("trigger", probe_write),
	LP_U32_RO("ro", gate_get),
	{ .name = "secret", .type = PARAMS_T_U32, .mode = 0600, .field = 1,
	  .offset = offsetof(struct errno_data, secret) },
};

/**
 * struct errno_case - a condition and its errno
 * @what: name of the condition
 * @path: what to read, or to write
 * @text: what to write; NULL to read
 * @version: version to expect when writing, 0 for any
 * @rc: errno
 */
struct errno_case {
	const char	*what;
	const char	*path;
	const char	*text;
	u32		version;
	long		rc;
};

static const struct errno_case errno_cases[] = {
	{ "no such entry", "kunit/nosuch", NULL, 0, -ENOENT },
	{ "no such directory", "kunit/nosuch/u32", NULL, 0, -ENOENT },
	{ "write of no such entry", "kunit/nosuch", "1", 0, -ENOENT },
	{ "value of a directory", "kunit", NULL, 0, -EISDIR },
	{ "write of a directory", "kunit", "1", 0, -EISDIR },
	{ "child of a value", "kunit/u32/below", NULL, 0, -ENOTDIR },
	{ "read of what is written only", "kunit/trigger", NULL, 0, -EACCES },
	{ "write of what is read only", "kunit/ro", "1", 0, -EACCES },
	{ "no number", "kunit/u32", "five", 0, -EINVAL },
	{ "an empty text", "kunit/u32", "", 0, -EINVAL },
	{ "too small", "kunit/u32", "1", 0, -ERANGE },
	{ "too large", "kunit/u32", "10", 0, -ERANGE },
	{ "larger than the type", "kunit/u32", "4294967298", 0, -ERANGE },
	{ "another version", "kunit/u32", "5", 4711, -ESTALE },
	{ "an empty component", "kunit//u32", NULL, 0, -EINVAL },
	{ "a leading slash", "/kunit/u32", NULL, 0, -EINVAL },
};

static void errno_desc(const struct errno_case *ec, char *desc)
{
	strscpy(desc, ec->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(errno, errno_cases, errno_desc);

static void rule_11_one_errno_per_condition(struct kunit *test)
{
	const struct errno_case *ec = test->param_value;
	struct params_ioc_write pw = {
		.pw_flags = ec->version ? PARAMS_W_VERSION : 0,
		.pw_version = ec->version,
	};
	static struct errno_data data;
	long rc;

	data.u32 = 3;
	KUNIT_ASSERT_EQ(test, params_add_attrs(fx.dir, errno_attrs,
					       ARRAY_SIZE(errno_attrs), &data), 0);
	if (ec->text)
		rc = client_write_with(fx.client, ec->path, ec->text,
				       strlen(ec->text), &pw);
	else
		rc = client_read(fx.client, ec->path);
	KUNIT_EXPECT_EQ_MSG(test, rc, ec->rc, "%s", ec->what);
	KUNIT_EXPECT_EQ(test, data.u32, 3U);
}

static void rule_11_privilege_and_mode(struct kunit *test)
{
	static struct errno_data data;
	long rc;

	KUNIT_ASSERT_EQ(test, params_add_attrs(fx.dir, errno_attrs,
					       ARRAY_SIZE(errno_attrs), &data), 0);
	no_caps_call(test, write_declared, &rc);
	KUNIT_EXPECT_EQ(test, rc, -EPERM);
	no_caps_call(test, read_secret, &rc);
	KUNIT_EXPECT_TRUE(test, rc == -EPERM || rc == -EACCES);
	KUNIT_EXPECT_EQ(test, write_declared(), 0);
	KUNIT_EXPECT_EQ(test, read_secret(), 0);
}

static void rule_11_limits(struct kunit *test)
{
	char *name = kunit_kzalloc(test, PARAMS_PATH_MAX + 8, GFP_KERNEL);
	struct params_ioc_read pr = { .pr_buf_len = PARAMS_BUF_MAX + 1 };
	static struct probe p;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, name);
	memset(name, 'n', PARAMS_NAME_MAX + 1);
	KUNIT_EXPECT_EQ(test, params_add_entry(fx.dir, name, probe_read, NULL,
					       &p), -ENAMETOOLONG);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, name), -ENAMETOOLONG);
	name[PARAMS_NAME_MAX] = '\0';
	KUNIT_EXPECT_EQ(test, params_add_entry(fx.dir, name, probe_read, NULL,
					       &p), 0);
	memset(name, 'n', PARAMS_PATH_MAX + 1);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, name), -ENAMETOOLONG);
	KUNIT_EXPECT_EQ(test, client_read_with(fx.client, FIXTURE_DIR, &pr),
			-E2BIG);
}

static void rule_11_another_abi_major(struct kunit *test)
{
	struct params_ioc_list pl = {
		.pl_hdr = { sizeof(pl), LIBCFS_ABI_VERSION + (1 << 16) },
		.pl_depth = 1,
	};

	KUNIT_EXPECT_EQ(test, client_call(fx.client, PARAMS_IOC_LIST, &pl,
					  sizeof(pl)), -EPROTO);
}

static void gate_name(void *arg, char *buf, size_t size)
{
	strscpy(buf, arg, size);
}

static long drain_run(void *arg)
{
	libcfs_active_drain(arg, gate_name, "rule 12");
	return 0;
}

static void rule_12_the_primitive_stands_alone(struct kunit *test)
{
	static struct libcfs_active active;
	static struct aside drainers[2];
	unsigned int i;

	libcfs_active_init(&active, "kunit_rule_12");
	KUNIT_EXPECT_FALSE(test, libcfs_active_get(&active));
	KUNIT_EXPECT_TRUE(test, libcfs_active_open(&active));
	KUNIT_ASSERT_TRUE(test, libcfs_active_get(&active));
	KUNIT_EXPECT_TRUE(test, libcfs_active_kill(&active));
	KUNIT_EXPECT_FALSE(test, libcfs_active_kill(&active));
	KUNIT_EXPECT_FALSE(test, libcfs_active_get(&active));
	KUNIT_EXPECT_FALSE(test, libcfs_active_open(&active));
	for (i = 0; i < ARRAY_SIZE(drainers); i++)
		aside_start(test, &drainers[i], drain_run, &active);
	msleep(50);
	for (i = 0; i < ARRAY_SIZE(drainers); i++)
		KUNIT_EXPECT_FALSE(test, aside_is_done(&drainers[i]));
	libcfs_active_put(&active);
	for (i = 0; i < ARRAY_SIZE(drainers); i++)
		aside_join(test, &drainers[i]);
	KUNIT_EXPECT_TRUE(test, libcfs_active_is_dead(&active));
}

static struct kunit_case boundary_cases[] = {
	KUNIT_CASE(rule_8_listing_resumes_by_name),
	KUNIT_CASE(rule_8_listing_resumes_below_what_is_gone),
	KUNIT_CASE(rule_9_a_value_is_a_snapshot),
	KUNIT_CASE(rule_9_a_lost_snapshot_is_told),
	KUNIT_CASE(rule_9_a_snapshot_outlives_its_entry),
	KUNIT_CASE(rule_9_a_buffer_too_small_says_what_it_needs),
	KUNIT_CASE(rule_10_a_link_uses_its_target),
	KUNIT_CASE(rule_10_lookup_never_recurses),
	KUNIT_CASE_PARAM(rule_11_one_errno_per_condition, errno_gen_params),
	KUNIT_CASE(rule_11_privilege_and_mode),
	KUNIT_CASE(rule_11_limits),
	KUNIT_CASE(rule_11_another_abi_major),
	KUNIT_CASE(rule_12_the_primitive_stands_alone),
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
