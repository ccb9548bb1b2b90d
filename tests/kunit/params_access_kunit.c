// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules 1 to 5 and 7 of the access protocol (Documentation/locking.md): who may
 * be inside while an entry comes and goes. Rule 6 is in params_lockdep_kunit.c.
 *
 * Processors: 2
 * Every: 2
 */
#include <linux/workqueue.h>

#include "fixture.h"

/*
 * Changes the directory of its own entry, which requires the directory's lock for writing.
 */
static int hook_topology(struct probe *p)
{
	struct lustre_params_entry *dir;

	dir = params_add_dir(fx.dir, "made_inside", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	return params_add_entry(dir, "leaf", probe_read, NULL, p);
}

static void rule_1_no_lock_over_a_callback(struct kunit *test)
{
	static struct aside reader;
	static struct probe p;

	memset(&p, 0, sizeof(p));
	p.hook = hook_topology;
	add_probe(test, &p, "probe");
	aside_start(test, &reader, aside_read, FIXTURE_DIR "/probe");
	KUNIT_EXPECT_EQ(test, aside_join(test, &reader), 0);
	KUNIT_EXPECT_EQ(test, lookup_rc(FIXTURE_DIR "/made_inside/leaf"), 0);
}

/* While one callback sleeps, other operations on its directory proceed. */
static void rule_1_siblings_go_on_during_a_callback(struct kunit *test)
{
	static struct aside reader;
	static struct probe p;
	static struct gate g;

	memset(&p, 0, sizeof(p));
	add_gate(test, &g);
	aside_start(test, &reader, aside_read, FIXTURE_DIR "/gate");
	gate_await(test, &g);
	add_probe(test, &p, "probe");
	KUNIT_EXPECT_EQ(test, client_read(fx.client, FIXTURE_DIR "/probe"), 0);
	KUNIT_EXPECT_EQ(test, client_count(fx.client, FIXTURE_DIR), 2);
	KUNIT_EXPECT_EQ(test, params_delete_entry(fx.dir, "probe"), 0);
	KUNIT_EXPECT_EQ(test, client_count(fx.client, FIXTURE_DIR), 1);
	complete(&g.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &reader), 0);
}

/* A removal is in progress: lookups no longer find the entry. */
static void rule_2_active_is_refused_once_deleted(struct kunit *test)
{
	struct lustre_params_entry *entry;
	static struct aside reader, remover;
	static struct gate g;

	add_gate(test, &g);
	entry = must_find(test, FIXTURE_DIR "/gate");
	aside_start(test, &reader, aside_read, FIXTURE_DIR "/gate");
	gate_await(test, &g);
	aside_start(test, &remover, aside_remove, entry);
	while (lookup_rc(FIXTURE_DIR "/gate") == 0 && !aside_is_done(&remover))
		usleep_range(500, 1000);
	KUNIT_EXPECT_EQ(test, lookup_rc(FIXTURE_DIR "/gate"), -ENODEV);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, FIXTURE_DIR "/gate"),
			-ENODEV);
	KUNIT_EXPECT_EQ(test, client_write(fx.client, FIXTURE_DIR "/gate", "1"),
			-ENODEV);
	complete(&g.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &reader), 0);
	aside_join(test, &remover);
	KUNIT_EXPECT_EQ(test, lookup_rc(FIXTURE_DIR "/gate"), -ENOENT);
	params_entry_put(entry);
}

static void rule_2_reference_outlives_deletion(struct kunit *test)
{
	struct lustre_params_entry *entry;
	static struct probe p;

	memset(&p, 0, sizeof(p));
	add_probe(test, &p, "probe");
	entry = must_find(test, FIXTURE_DIR "/probe");
	KUNIT_EXPECT_EQ(test, params_delete_entry(fx.dir, "probe"), 0);
	/* A new entry of the same name: the old reference does not lead to it. */
	add_probe(test, &p, "probe");
	params_changed(entry);
	params_remove(entry);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, FIXTURE_DIR "/probe"), 0);
	params_entry_put(entry);
}

static void rule_3_writes_come_terminated_in_kernel_memory(struct kunit *test)
{
	static struct probe p;

	memset(&p, 0, sizeof(p));
	add_probe(test, &p, "probe");
	KUNIT_EXPECT_EQ(test, client_write(fx.client, FIXTURE_DIR "/probe",
					   "hello\n"), 0);
	KUNIT_EXPECT_TRUE(test, p.kernel_memory);
	KUNIT_EXPECT_EQ(test, p.len, (size_t)5);
	KUNIT_EXPECT_STREQ(test, p.text, "hello");
}

/* The callback gets no user pointer, so an unreadable buffer is detected after it. */
static void rule_3_reads_are_copied_out_after_the_callback(struct kunit *test)
{
	struct params_ioc_read pr = {
		.pr_hdr = CLIENT_HDR(pr),
		.pr_path_len = strlen(FIXTURE_DIR "/probe"),
		.pr_buf = 8,
		.pr_buf_len = 4096,
	};
	static struct probe p;

	memset(&p, 0, sizeof(p));
	add_probe(test, &p, "probe");
	pr.pr_path = client_at(fx.client, CLIENT_PATH);
	client_put(fx.client, CLIENT_PATH, FIXTURE_DIR "/probe", pr.pr_path_len);
	KUNIT_EXPECT_EQ(test, client_call(fx.client, PARAMS_IOC_READ, &pr,
					  sizeof(pr)), -EFAULT);
	KUNIT_EXPECT_EQ(test, atomic_read(&p.reads), 1);
	/* It has dropped its reference on the entry. */
	KUNIT_EXPECT_EQ(test, params_delete_entry(fx.dir, "probe"), 0);
}

static void rule_4_a_group_appears_at_once(struct kunit *test)
{
	struct lustre_params_entry *dir;
	static struct probe p;

	memset(&p, 0, sizeof(p));
	dir = params_add_dir_hidden(fx.dir, "group", NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dir));
	KUNIT_ASSERT_EQ(test, params_add_entry(dir, "a", probe_read, NULL, &p), 0);
	KUNIT_ASSERT_EQ(test, params_add_entry(dir, "b", probe_read, NULL, &p), 0);
	KUNIT_EXPECT_EQ(test, client_count(fx.client, FIXTURE_DIR), 0);
	KUNIT_EXPECT_EQ(test, lookup_rc(FIXTURE_DIR "/group"), -ENOENT);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, FIXTURE_DIR "/group/a"),
			-ENOENT);
	KUNIT_ASSERT_EQ(test, params_publish(dir), 0);
	KUNIT_EXPECT_EQ(test, client_count(fx.client, FIXTURE_DIR "/group"), 2);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, FIXTURE_DIR "/group/a"), 0);
}

static void rule_4_error_path_is_deletion(struct kunit *test)
{
	static const struct lustre_params_attr twice[] = {
		LP_U32_RW("same", gate_get, gate_set),
		LP_U32_RW("other", gate_get, gate_set),
		LP_U32_RW("same", gate_get, gate_set),
	};
	struct lustre_params_entry *dir;
	static struct gate g;

	gate_init(&g);
	dir = params_add_dir_hidden(fx.dir, "group", NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dir));
	KUNIT_EXPECT_EQ(test, params_add_attrs(dir, twice, ARRAY_SIZE(twice), &g),
			-EEXIST);
	params_remove(dir);
	KUNIT_EXPECT_EQ(test, lookup_rc(FIXTURE_DIR "/group"), -ENOENT);
	/* All or none: no entry of the table was added to a visible directory either. */
	KUNIT_EXPECT_EQ(test, params_add_attrs(fx.dir, twice, ARRAY_SIZE(twice),
					       &g), -EEXIST);
	KUNIT_EXPECT_EQ(test, client_count(fx.client, FIXTURE_DIR), 0);
}

/* Readers stay inside until the case opens the gate, and a little longer. */
struct slow_owner {
	struct completion	leave;
	atomic_t		inside;
	atomic_t		after;
	bool			gone;
};

static int slow_owner_read(struct params_sink *sink, void *data)
{
	struct slow_owner *owner = data;

	atomic_inc(&owner->inside);
	wait_for_completion_timeout(&owner->leave, FIXTURE_WAIT);
	msleep(100);
	if (READ_ONCE(owner->gone))
		atomic_inc(&owner->after);
	atomic_dec(&owner->inside);
	return params_put_u64(sink, NULL, 0);
}

static void rule_5_removal_waits_for_callbacks(struct kunit *test)
{
	static struct aside readers[3];
	static struct slow_owner owner;
	struct lustre_params_entry *dir;
	unsigned int i;

	memset(&owner, 0, sizeof(owner));
	init_completion(&owner.leave);
	dir = params_add_dir(fx.dir, "deep", NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dir));
	KUNIT_ASSERT_EQ(test, params_add_entry(dir, "slow", slow_owner_read,
					       NULL, &owner), 0);
	for (i = 0; i < ARRAY_SIZE(readers); i++)
		aside_start(test, &readers[i], aside_read,
			    FIXTURE_DIR "/deep/slow");
	while (atomic_read(&owner.inside) < ARRAY_SIZE(readers))
		usleep_range(500, 1000);
	complete_all(&owner.leave);
	params_remove(dir);
	KUNIT_EXPECT_EQ(test, atomic_read(&owner.inside), 0);
	WRITE_ONCE(owner.gone, true);
	for (i = 0; i < ARRAY_SIZE(readers); i++)
		KUNIT_EXPECT_EQ(test, aside_join(test, &readers[i]), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&owner.after), 0);
}

struct deleter {
	struct lustre_params_entry	*entry;
	struct gate			*gate;
	int				inside_after;
};

static long deleter_run(void *arg)
{
	struct deleter *d = arg;

	params_remove(d->entry);
	d->inside_after = atomic_read(&d->gate->inside);
	params_entry_put(d->entry);
	return 0;
}

static void rule_5_racing_deleters_all_wait(struct kunit *test)
{
	static struct deleter deleters[4];
	static struct aside asides[4], reader;
	static struct gate g;
	unsigned int i;

	add_gate(test, &g);
	aside_start(test, &reader, aside_read, FIXTURE_DIR "/gate");
	gate_await(test, &g);
	for (i = 0; i < ARRAY_SIZE(deleters); i++) {
		deleters[i].gate = &g;
		deleters[i].inside_after = -1;
		deleters[i].entry = must_find(test, FIXTURE_DIR "/gate");
	}
	for (i = 0; i < ARRAY_SIZE(deleters); i++)
		aside_start(test, &asides[i], deleter_run, &deleters[i]);
	for (i = 0; i < ARRAY_SIZE(deleters); i++)
		aside_await_sleep(test, &asides[i]);
	complete(&g.leave);
	for (i = 0; i < ARRAY_SIZE(deleters); i++) {
		aside_join(test, &asides[i]);
		KUNIT_EXPECT_EQ(test, deleters[i].inside_after, 0);
	}
	KUNIT_EXPECT_EQ(test, aside_join(test, &reader), 0);
}

/* One task removes a directory while another removes its entries. */
static void rule_5_deleters_at_two_levels(struct kunit *test)
{
	static struct deleter outer, inner;
	static struct aside a, b, reader;
	struct lustre_params_entry *dir;
	static struct gate g;

	gate_init(&g);
	dir = params_add_dir(fx.dir, "dir", NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dir));
	KUNIT_ASSERT_EQ(test, params_add_attrs(dir, gate_attrs, 1, &g), 0);
	outer = (struct deleter){ must_find(test, FIXTURE_DIR "/dir"), &g, -1 };
	inner = (struct deleter){ must_find(test, FIXTURE_DIR "/dir/gate"), &g, -1 };
	aside_start(test, &reader, aside_read, FIXTURE_DIR "/dir/gate");
	gate_await(test, &g);
	aside_start(test, &a, deleter_run, &outer);
	aside_start(test, &b, deleter_run, &inner);
	aside_await_sleep(test, &a);
	aside_await_sleep(test, &b);
	complete(&g.leave);
	aside_join(test, &a);
	aside_join(test, &b);
	aside_join(test, &reader);
	KUNIT_EXPECT_EQ(test, outer.inside_after, 0);
	KUNIT_EXPECT_EQ(test, inner.inside_after, 0);
	KUNIT_EXPECT_EQ(test, client_count(fx.client, FIXTURE_DIR), 0);
}

static void rule_5_nothing_is_added_to_what_is_deleted(struct kunit *test)
{
	struct lustre_params_entry *dir = params_add_dir(fx.dir, "dir", NULL);
	struct lustre_params_entry *ref;
	static struct probe p;

	KUNIT_ASSERT_FALSE(test, IS_ERR(dir));
	ref = must_find(test, FIXTURE_DIR "/dir");
	params_remove(dir);
	KUNIT_EXPECT_EQ(test, params_add_entry(ref, "late", probe_read, NULL, &p),
			-ENODEV);
	KUNIT_EXPECT_EQ(test, PTR_ERR(params_add_dir(ref, "late", NULL)),
			(long)-ENODEV);
	params_entry_put(ref);
}

struct self_remover {
	struct work_struct	work;
	struct probe		probe;
};

static void self_remove_work(struct work_struct *work)
{
	params_delete_entry(fx.dir, "probe");
}

static int hook_queue_removal(struct probe *p)
{
	struct self_remover *self = container_of(p, struct self_remover, probe);

	schedule_work(&self->work);
	/* The work waits for this callback, and not the other way round. */
	msleep(20);
	return 0;
}

static void rule_7_own_entry_is_deleted_through_work(struct kunit *test)
{
	static struct self_remover self;

	memset(&self, 0, sizeof(self));
	INIT_WORK(&self.work, self_remove_work);
	self.probe.hook = hook_queue_removal;
	self.probe.val = 17;
	add_probe(test, &self.probe, "probe");
	KUNIT_EXPECT_EQ(test, client_read(fx.client, FIXTURE_DIR "/probe"), 0);
	KUNIT_EXPECT_EQ(test, client_number(fx.client), 17ULL);
	flush_work(&self.work);
	KUNIT_EXPECT_EQ(test, lookup_rc(FIXTURE_DIR "/probe"), -ENOENT);
}

static struct kunit_case access_cases[] = {
	KUNIT_CASE(rule_1_no_lock_over_a_callback),
	KUNIT_CASE(rule_1_siblings_go_on_during_a_callback),
	KUNIT_CASE(rule_2_active_is_refused_once_deleted),
	KUNIT_CASE(rule_2_reference_outlives_deletion),
	KUNIT_CASE(rule_3_writes_come_terminated_in_kernel_memory),
	KUNIT_CASE(rule_3_reads_are_copied_out_after_the_callback),
	KUNIT_CASE(rule_4_a_group_appears_at_once),
	KUNIT_CASE(rule_4_error_path_is_deletion),
	KUNIT_CASE(rule_5_removal_waits_for_callbacks),
	KUNIT_CASE(rule_5_racing_deleters_all_wait),
	KUNIT_CASE(rule_5_deleters_at_two_levels),
	KUNIT_CASE(rule_5_nothing_is_added_to_what_is_deleted),
	KUNIT_CASE(rule_7_own_entry_is_deleted_through_work),
	{}
};

static struct kunit_suite access_suite = {
	.name = "params_access",
	.suite_init = client_suite_init,
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = access_cases,
};
kunit_test_suite(access_suite);

MODULE_DESCRIPTION("access to the parameters tree against removal");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
