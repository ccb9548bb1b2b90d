// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holders (Documentation/lifetimes.md): a case for each holder of a reference on an entry, of
 * an active reference, and of a snapshot. Counts are looked at through the tree's own header.
 *
 * Processors: 2
 * Every: 2
 */
#include "fixture.h"
#include "../../params/params_internal.h"

static unsigned int refs(struct lustre_params_entry *lpe)
{
	return refcount_read(&lpe->lpe_refcount);
}

static unsigned int users(struct lustre_params_entry *lpe)
{
	return atomic_read(&lpe->lpe_active.a_count) & LIBCFS_ACTIVE_USERS;
}

static struct lustre_params_entry *add_dir(struct kunit *test,
					   struct lustre_params_entry *parent,
					   const char *name)
{
	struct lustre_params_entry *dir = params_add_dir(parent, name, NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(dir));
	return dir;
}

static void tree_holds_an_entry(struct kunit *test)
{
	struct lustre_params_entry *dir = add_dir(test, fx.dir, "dir");
	struct lustre_params_entry *ref;

	KUNIT_EXPECT_EQ(test, refs(dir), 1U);
	ref = must_find(test, FIXTURE_DIR "/dir");
	KUNIT_EXPECT_PTR_EQ(test, ref, dir);
	KUNIT_EXPECT_EQ(test, refs(dir), 2U);
	/* Removal drops the reference of the tree; that of the lookup remains. */
	params_remove(dir);
	KUNIT_EXPECT_EQ(test, refs(ref), 1U);
	params_entry_put(ref);
}

static void child_holds_its_parent(struct kunit *test)
{
	struct lustre_params_entry *dir = add_dir(test, fx.dir, "dir");
	struct lustre_params_entry *ref;

	add_dir(test, dir, "one");
	add_dir(test, dir, "two");
	KUNIT_EXPECT_EQ(test, refs(dir), 3U);
	ref = must_find(test, FIXTURE_DIR "/dir/one");
	KUNIT_EXPECT_EQ(test, params_delete_entry(dir, "one"), 0);
	/* For the child's whole life, not only while it is in the directory. */
	KUNIT_EXPECT_EQ(test, refs(dir), 3U);
	params_entry_put(ref);
	KUNIT_EXPECT_EQ(test, refs(dir), 2U);
	KUNIT_EXPECT_EQ(test, params_delete_entry(dir, NULL), 0);
}

/* The whole chain above an entry stays, and so does its path. */
static void child_keeps_removed_parents(struct kunit *test)
{
	struct lustre_params_entry *a = add_dir(test, fx.dir, "a");
	struct lustre_params_entry *b = add_dir(test, a, "b");
	struct lustre_params_entry *c;

	add_dir(test, b, "c");
	c = must_find(test, FIXTURE_DIR "/a/b/c");
	params_remove(a);
	KUNIT_EXPECT_EQ(test, refs(c), 1U);
	KUNIT_EXPECT_EQ(test, refs(b), 1U);
	KUNIT_EXPECT_EQ(test, refs(a), 1U);
	KUNIT_EXPECT_STREQ(test, c->lpe_parent->lpe_name, "b");
	KUNIT_EXPECT_STREQ(test, c->lpe_parent->lpe_parent->lpe_name, "a");
	params_entry_put(c);
}

static void link_holds_its_target(struct kunit *test)
{
	struct lustre_params_entry *target = add_dir(test, fx.dir, "target");

	KUNIT_ASSERT_EQ(test, params_add_link(fx.dir, "link",
					      FIXTURE_DIR "/target"), 0);
	KUNIT_EXPECT_EQ(test, refs(target), 2U);
	KUNIT_EXPECT_EQ(test, params_delete_entry(fx.dir, "link"), 0);
	KUNIT_EXPECT_EQ(test, refs(target), 1U);
}

static void link_keeps_a_removed_target(struct kunit *test)
{
	struct lustre_params_entry *target = add_dir(test, fx.dir, "target");

	KUNIT_ASSERT_EQ(test, params_add_link(fx.dir, "link",
					      FIXTURE_DIR "/target"), 0);
	params_remove(target);
	KUNIT_EXPECT_EQ(test, refs(target), 1U);
	KUNIT_EXPECT_EQ(test, target->lpe_magic, (u32)PARAMS_MAGIC);
	KUNIT_EXPECT_EQ(test, client_describe(fx.client, FIXTURE_DIR "/link"), 0);
	KUNIT_EXPECT_EQ(test, client_count(fx.client, FIXTURE_DIR), 1);
	/* The reference of a link on its target. */
	KUNIT_EXPECT_EQ(test, params_delete_entry(fx.dir, "link"), 0);
}

static void lookup_returns_a_reference_or_nothing(struct kunit *test)
{
	struct lustre_params_entry *dir = add_dir(test, fx.dir, "dir");
	struct lustre_params_entry *ref;

	ref = params_lookup_entry(dir, "nosuch");
	KUNIT_EXPECT_EQ(test, PTR_ERR(ref), (long)-ENOENT);
	KUNIT_EXPECT_EQ(test, refs(dir), 1U);
	ref = params_lookup_entry(dir, "");
	KUNIT_EXPECT_PTR_EQ(test, ref, dir);
	KUNIT_EXPECT_EQ(test, refs(dir), 2U);
	params_entry_put(ref);
	KUNIT_EXPECT_EQ(test, refs(dir), 1U);
	ref = params_lookup_entry(dir, "bad//path");
	KUNIT_EXPECT_EQ(test, PTR_ERR(ref), (long)-EINVAL);
	KUNIT_EXPECT_EQ(test, refs(dir), 1U);
}

static long read_all(void *arg)
{
	struct params_ioc_read_batch rb = {};
	struct client *c = client_open();
	long rc = c ? client_read_subtree(c, FIXTURE_DIR, &rb) : -ENOMEM;

	if (c)
		client_close(c);
	return rc;
}

/* A walk that is inside a callback holds the entry that it visits. */
static void walk_holds_what_it_has_at_hand(struct kunit *test)
{
	struct lustre_params_entry *after;
	static struct aside reader;
	static struct gate g;
	unsigned int dir_refs;

	gate_init(&g);
	KUNIT_ASSERT_EQ(test, params_add_attrs(fx.dir, gate_attrs, 1, &g), 0);
	after = add_dir(test, fx.dir, "later");
	dir_refs = refs(fx.dir);
	aside_start(test, &reader, read_all, NULL);
	gate_await(test, &g);
	KUNIT_EXPECT_EQ(test, refs(after), 2U);
	KUNIT_EXPECT_GT(test, refs(fx.dir), dir_refs);
	complete(&g.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &reader), 0);
	KUNIT_EXPECT_EQ(test, refs(after), 1U);
	KUNIT_EXPECT_EQ(test, refs(fx.dir), dir_refs);
}

static void remover_holds_what_it_removes(struct kunit *test)
{
	struct lustre_params_entry *entry;
	static struct aside reader, remover;
	static struct gate g;

	add_gate(test, &g);
	entry = must_find(test, FIXTURE_DIR "/gate");
	aside_start(test, &reader, aside_read, FIXTURE_DIR "/gate");
	gate_await(test, &g);
	/* The tree, this lookup, and the read inside the callback. */
	KUNIT_EXPECT_EQ(test, refs(entry), 3U);
	aside_start(test, &remover, aside_remove, entry);
	while (!libcfs_active_is_dead(&entry->lpe_active))
		usleep_range(500, 1000);
	aside_await_sleep(test, &remover);
	KUNIT_EXPECT_EQ(test, refs(entry), 4U);
	complete(&g.leave);
	aside_join(test, &remover);
	aside_join(test, &reader);
	KUNIT_EXPECT_EQ(test, refs(entry), 1U);
	params_entry_put(entry);
}

struct pair {
	struct gate	gate;
	u32		second;
};

static int pair_set(void *data, u64 val)
{
	struct pair *pair = data;

	return gate_set(&pair->gate, val);
}

static int pair_get(void *data, u64 *val)
{
	*val = 3;
	return 0;
}

static const struct lustre_params_attr pair_attrs[] = {
	LP_U32_RW("first", pair_get, pair_set),
	LP_U32_FIELD("second", struct pair, second),
};

static long set_pair(void *arg)
{
	struct client_set sets[] = {
		{ FIXTURE_DIR "/first", "1" }, { FIXTURE_DIR "/second", "2" },
	};
	struct client *c = client_open();
	long rc = c ? client_write_batch(c, PARAMS_W_ATOMIC, sets, 2) : -ENOMEM;

	if (c)
		client_close(c);
	return rc;
}

static void change_holds_what_it_sets(struct kunit *test)
{
	struct lustre_params_entry *second;
	static struct aside writer;
	static struct pair pair;

	gate_init(&pair.gate);
	KUNIT_ASSERT_EQ(test, params_add_attrs(fx.dir, pair_attrs, 2, &pair), 0);
	second = must_find(test, FIXTURE_DIR "/second");
	aside_start(test, &writer, set_pair, NULL);
	gate_await(test, &pair.gate);
	KUNIT_EXPECT_EQ(test, refs(second), 3U);
	KUNIT_EXPECT_EQ(test, pair.second, 0U);
	complete(&pair.gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &writer), 0);
	KUNIT_EXPECT_EQ(test, pair.second, 2U);
	KUNIT_EXPECT_EQ(test, refs(second), 2U);
	params_entry_put(second);
}

static void active_is_held_around_one_callback(struct kunit *test)
{
	struct lustre_params_entry *entry;
	static struct aside readers[2];
	static struct gate g;

	add_gate(test, &g);
	entry = must_find(test, FIXTURE_DIR "/gate");
	KUNIT_EXPECT_EQ(test, users(entry), 0U);
	aside_start(test, &readers[0], aside_read, FIXTURE_DIR "/gate");
	gate_await(test, &g);
	KUNIT_EXPECT_EQ(test, users(entry), 1U);
	aside_start(test, &readers[1], aside_read, FIXTURE_DIR "/gate");
	gate_await(test, &g);
	KUNIT_EXPECT_EQ(test, users(entry), 2U);
	complete_all(&g.leave);
	aside_join(test, &readers[0]);
	aside_join(test, &readers[1]);
	KUNIT_EXPECT_EQ(test, users(entry), 0U);
	params_entry_put(entry);
}

static void active_is_closed_until_published(struct kunit *test)
{
	struct lustre_params_entry *dir;
	static struct gate g;

	gate_init(&g);
	dir = params_add_dir_hidden(fx.dir, "hidden", NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dir));
	KUNIT_EXPECT_FALSE(test, libcfs_active_is_open(&dir->lpe_active));
	KUNIT_ASSERT_EQ(test, params_add_attrs(dir, gate_attrs, 1, &g), 0);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, FIXTURE_DIR "/hidden/gate"),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, atomic_read(&g.calls), 0);
	KUNIT_ASSERT_EQ(test, params_publish(dir), 0);
	KUNIT_EXPECT_TRUE(test, libcfs_active_is_open(&dir->lpe_active));
}

static int long_read(struct params_sink *sink, void *data)
{
	unsigned int i;

	for (i = 0; i < 10000; i++)
		params_put_u64(sink, NULL, i);
	return params_sink_error(sink);
}

/* A file keeps a snapshot, the snapshot keeps no entry. */
static void snapshot_belongs_to_the_file(struct kunit *test)
{
	struct params_ioc_read pr = { .pr_buf_len = 4096 };
	struct client *c = client_open();
	struct lustre_params_entry *entry;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, c);
	KUNIT_ASSERT_EQ(test, params_add_entry(fx.dir, "long", long_read, NULL,
					       NULL), 0);
	entry = must_find(test, FIXTURE_DIR "/long");
	KUNIT_EXPECT_EQ(test, client_read_with(c, FIXTURE_DIR "/long", &pr), 0);
	KUNIT_EXPECT_NE(test, pr.pr_snapshot, 0ULL);
	KUNIT_EXPECT_EQ(test, refs(entry), 2U);
	/* Another file does not have it. */
	KUNIT_EXPECT_EQ(test, client_read_with(fx.client, FIXTURE_DIR "/long",
					       &pr), -ESTALE);
	/* It is freed with its file, unread: fixture_exit() checks the memory. */
	client_close(c);
	params_entry_put(entry);
}

static struct kunit_case lifetime_cases[] = {
	KUNIT_CASE(tree_holds_an_entry),
	KUNIT_CASE(child_holds_its_parent),
	KUNIT_CASE(child_keeps_removed_parents),
	KUNIT_CASE(link_holds_its_target),
	KUNIT_CASE(link_keeps_a_removed_target),
	KUNIT_CASE(lookup_returns_a_reference_or_nothing),
	KUNIT_CASE(walk_holds_what_it_has_at_hand),
	KUNIT_CASE(remover_holds_what_it_removes),
	KUNIT_CASE(change_holds_what_it_sets),
	KUNIT_CASE(active_is_held_around_one_callback),
	KUNIT_CASE(active_is_closed_until_published),
	KUNIT_CASE(snapshot_belongs_to_the_file),
	{}
};

static struct kunit_suite lifetime_suite = {
	.name = "params_lifetime",
	.suite_init = client_suite_init,
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = lifetime_cases,
};
kunit_test_suite(lifetime_suite);

MODULE_DESCRIPTION("who holds what in the parameters tree");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
