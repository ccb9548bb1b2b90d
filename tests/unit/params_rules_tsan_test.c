// SPDX-License-Identifier: GPL-2.0-only
/*
 * The twelve rules of access to the tree, each by its name, as far as they can
 * be shown without a kernel: that lockdep sees an active reference is the KUnit
 * suite's to show.
 */
#include "shim_cmocka.h"

#include <stdlib.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <shim/alloc.h>
#include <shim/event.h>
#include <shim/locks.h>
#include <shim/log.h>
#include <shim/task.h>

#include "params/params_internal.h"
#include "params_client.h"
#include "params_subject.h"
#include "params_threads.h"

static struct client cl;

static int setup(void **state)
{
	client_open(&cl, 64 * 1024);
	return tree_setup(state);
}

static int teardown(void **state)
{
	client_close(&cl);
	return tree_teardown(state);
}

/**
 * struct owner - data that goes away
 * @gate: where its callbacks wait
 * @alive: it did not go yet
 * @calls: callbacks
 */
struct owner {
	struct gate	gate;
	bool		alive;
	unsigned int	calls;
};

static int owner_get(void *data, u64 *val)
{
	struct owner *owner = data;

	__atomic_fetch_add(&owner->calls, 1, __ATOMIC_RELAXED);
	gate_pass(&owner->gate);
	/* ASan would report an access to freed memory here. */
	*val = owner->alive;
	return 0;
}

static int owner_set(void *data, u64 val)
{
	return owner_get(data, &val);
}

static const struct lustre_params_attr owner_attrs[] = {
	LP_U32_RW("value", owner_get, owner_set),
};

static struct owner *owner_add(struct lustre_params_entry *dir)
{
	struct owner *owner = malloc(sizeof(*owner));

	*owner = (struct owner){ .gate = GATE_INIT, .alive = true };
	assert_int_equal(params_add_attrs(dir, owner_attrs, 1, owner), 0);
	return owner;
}

/* Read a path in another thread. */
static long read_path(void *path)
{
	struct params_ioc_read pr;
	struct client own;
	long rc;

	client_open(&own, 4096);
	rc = client_read(&own, &pr, path);
	client_close(&own);
	return rc;
}

static long write_path(void *path)
{
	struct client own;
	long rc;

	client_open(&own, 4096);
	rc = client_set(&own, path, "1");
	client_close(&own);
	return rc;
}

static long remove_entry(void *entry)
{
	params_remove(entry);
	return 0;
}

/*
 * The stand-ins warn, and so end the test, when an rw_semaphore is held over a
 * copy, an allocation that sleeps or another rw_semaphore; the subject's
 * callbacks do it for themselves. This goes through every call once.
 */
static void rule_1_no_lock_over_callbacks_copies_or_allocations(void **state)
{
	struct params_ioc_write_batch wb;
	struct params_ioc_read_batch rb;
	struct params_ioc_describe pd;
	struct client_batch batch = { .count = 0 };
	struct params_ioc_list pl;
	struct params_ioc_read pr;
	struct subject s;

	assert_int_equal(subject_add(&s, "s"), 0);
	assert_int_equal(params_add_link(NULL, "link", "s/u32"), 0);
	client_batch_add(&batch, "s/u32", "9", 0, 0);
	client_batch_add(&batch, "s/string", "text", 0, 0);
	assert_int_equal(client_list(&cl, &pl, "", "s/enum", 0), 0);
	assert_int_equal(client_read(&cl, &pr, "s/string"), 0);
	assert_int_equal(client_read_paths(&cl, &rb, "s/u32", 6, 1, 0), 0);
	assert_int_equal(client_read_subtree(&cl, &rb, "", NULL), 0);
	assert_int_equal(client_set(&cl, "link", "10"), 0);
	assert_int_equal(client_write_batch(&cl, &wb, &batch, PARAMS_W_ATOMIC),
			 0);
	assert_int_equal(client_describe(&cl, &pd, "s/u32"), 0);
	params_delete_entry(NULL, "link");
	assert_true(s.calls > 20);
	subject_remove(&s);
}

static void rule_1_is_watched(void **state)
{
	struct rw_semaphore *sem = &params_root()->lpe_dir->pd_rw_sem;

	down_read(sem);
	shim_warn_expect();
	kfree(kmalloc(8, GFP_KERNEL));
	assert_int_equal(shim_warn_expected(), 1);
	up_read(sem);
}

static void rule_2_a_reference_outlives_the_entry(void **state)
{
	struct lustre_params_entry *dir = params_add_dir(NULL, "d", NULL);
	struct owner *owner = owner_add(dir);
	struct lustre_params_entry *lpe;

	lpe = params_lookup_entry(NULL, "d/value");
	assert_false(IS_ERR(lpe));
	params_remove(dir);
	free(owner);
	/* The memory and the name are there, the owner's data is out of reach. */
	assert_string_equal(lpe->lpe_name, "value");
	assert_int_equal(lpe->lpe_magic, PARAMS_MAGIC);
	assert_int_equal(params_entry_activate(lpe), -ENODEV);
	params_entry_put(lpe);
}

/*
 * Declarations may be freed with the module that made them, while others have links to the
 * entries and references on them. ASan reports accesses to freed memory.
 */
static void rule_2_a_reference_outlives_the_declaration(void **state)
{
	struct lustre_params_attr *attrs = malloc(2 * sizeof(*attrs));
	struct lustre_params_entry *dir = params_add_dir(NULL, "d", NULL);
	struct params_ioc_write_batch wb;
	struct client_batch batch = { .count = 0 };
	struct params_ioc_read_batch rb;
	struct params_ioc_describe pd;
	struct params_ioc_read pr;
	struct params_ioc_list pl;
	struct lustre_params_entry *lpe;
	struct subject s = { .field = 3 };

	attrs[0] = (struct lustre_params_attr)
		LP_U32_FIELD("a", struct subject, field, .is_volatile = 1);
	attrs[0].mode = 0444;
	attrs[1] = (struct lustre_params_attr)
		LP_U32_FIELD("b", struct subject, field, .max = 9);
	assert_int_equal(params_add_attrs(dir, attrs, 2, &s), 0);
	assert_int_equal(params_add_link(NULL, "a", "d/a"), 0);
	assert_int_equal(params_add_link(NULL, "b", "d/b"), 0);
	assert_int_equal(params_add_link(NULL, "dir", "d"), 0);
	lpe = params_lookup_entry(NULL, "d/a");
	params_remove(dir);
	free(attrs);
	assert_int_equal(client_list(&cl, &pl, "", NULL, 0), 0);
	assert_int_equal(pl.pl_count, 3);
	assert_int_equal(client_list_rec(&cl, 0)->lr_type, PARAMS_T_U32);
	assert_int_equal(client_list_rec(&cl, 0)->lr_flags,
			 PARAMS_EF_VOLATILE);
	assert_int_equal(client_read_subtree(&cl, &rb, "", NULL), 0);
	assert_int_equal(client_describe(&cl, &pd, "b"), 0);
	assert_int_equal(client_read(&cl, &pr, "b"), -ENODEV);
	assert_int_equal(client_set(&cl, "b", "5"), -ENODEV);
	assert_int_equal(client_set(&cl, "b", "many"), -ENODEV);
	/* The check for removal comes before the check of the kind. */
	assert_int_equal(client_set(&cl, "a", "5"), -ENODEV);
	assert_int_equal(client_read(&cl, &pr, "dir"), -ENODEV);
	assert_int_equal(client_set(&cl, "dir", "5"), -ENODEV);
	client_batch_add(&batch, "b", "5", 0, 0);
	client_batch_add(&batch, "a", "5", 0, 0);
	assert_int_equal(client_write_batch(&cl, &wb, &batch, PARAMS_W_ATOMIC),
			 0);
	assert_int_equal(client_reply(&cl, 0)->rr_status, -ENODEV);
	assert_int_equal(client_read(&cl, &pr, "dir/b"), -ENODEV);
	assert_int_equal(s.field, 3);
	params_entry_put(lpe);
}

static void rule_2_being_deleted_is_no_such_device(void **state)
{
	struct lustre_params_entry *dir = params_add_dir(NULL, "d", NULL);
	struct owner *owner = owner_add(dir);
	struct aside reader, remover;

	aside_start(&reader, read_path, "d/value");
	gate_await(&owner->gate, 1);
	aside_start(&remover, remove_entry, dir);
	while (!libcfs_active_is_dead(&dir->lpe_active))
		sleep_ms(1);
	assert_int_equal(read_path("d/value"), -ENODEV);
	assert_int_equal(write_path("d/value"), -ENODEV);
	gate_open(&owner->gate);
	assert_int_equal(aside_join(&reader), 0);
	aside_join(&remover);
	assert_int_equal(read_path("d/value"), -ENOENT);
	assert_int_equal(owner->calls, 1);
	free(owner);
}

static void rule_3_callbacks_run_while_active_on_kernel_buffers(void **state)
{
	struct subject s;
	struct params_ioc_write pw = { .pw_flags = 0 };
	char text[8] = { 'a', 'b', 'c', 'd', 'e', 'f', 'g', '\0' };

	/* The subject checks the NUL and the length of the text. */
	assert_int_equal(subject_add(&s, "s"), 0);
	assert_int_equal(client_write(&cl, &pw, "s/string", text), 0);
	assert_string_equal(s.text, text);
	subject_remove(&s);
}

static void rule_4_a_group_appears_at_once(void **state)
{
	struct lustre_params_entry *dir;
	struct params_ioc_list pl;
	struct params_ioc_read_batch rb;
	const struct shim_event *events;
	struct owner *owner;

	dir = params_add_dir_hidden(NULL, "d", NULL);
	owner = owner_add(dir);
	gate_open(&owner->gate);
	assert_int_equal(read_path("d/value"), -ENOENT);
	assert_int_equal(write_path("d/value"), -ENOENT);
	assert_int_equal(client_list(&cl, &pl, "", NULL, 0), 0);
	assert_int_equal(pl.pl_count, 0);
	assert_int_equal(client_list(&cl, &pl, "d", NULL, 0), -ENOENT);
	assert_int_equal(client_read_subtree(&cl, &rb, "", NULL), 0);
	assert_int_equal(rb.rb_used, 0);
	assert_int_equal(shim_events(&events), 0);
	/* The name is in use all the same. */
	assert_int_equal(PTR_ERR(params_add_dir(NULL, "d", NULL)), -EEXIST);
	assert_int_equal(params_publish(dir), 0);
	assert_int_equal(read_path("d/value"), 0);
	assert_int_equal(client_list(&cl, &pl, "", NULL, 0), 0);
	assert_int_equal(pl.pl_count, 2);
	assert_int_equal(shim_events(&events), 1);
	assert_int_equal(events[0].event, LL_PARAMS_ADDED);
	assert_string_equal(events[0].path, "d");
	params_remove(dir);
	free(owner);
}

/* A resume position that names a hidden entry does not reveal it. */
static void rule_4_what_is_hidden_is_not_listed_by_resuming(void **state)
{
	struct lustre_params_entry *dir;
	const struct shim_event *events;
	struct params_ioc_list pl;
	struct owner *owner;

	dir = params_add_dir_hidden(NULL, "d", NULL);
	owner = owner_add(dir);
	assert_int_equal(client_list(&cl, &pl, "", "d/a", 0), 0);
	assert_int_equal(pl.pl_count, 0);
	assert_int_equal(client_list(&cl, &pl, "", "d", 0), 0);
	assert_int_equal(pl.pl_count, 0);
	/* It was never visible, so its removal sends no event. */
	shim_events_clear();
	params_remove(dir);
	assert_int_equal(shim_events(&events), 0);
	free(owner);
}

static void rule_4_a_group_that_fails_leaves_nothing(void **state)
{
	static const struct lustre_params_attr twice[] = {
		LP_U32_RW("a", owner_get, owner_set),
		LP_U32_RW("b", owner_get, owner_set),
		LP_U32_RW("a", owner_get, owner_set),
	};
	struct lustre_params_entry *dir = params_add_dir(NULL, "d", NULL);
	struct params_ioc_list pl;

	assert_int_equal(params_add_attrs(dir, twice, 3, NULL), -EEXIST);
	assert_int_equal(client_list(&cl, &pl, "d", NULL, 0), 0);
	assert_int_equal(pl.pl_count, 0);
	/* Giving up a hidden group is plain removal. */
	params_remove(params_add_dir_hidden(NULL, "e", NULL));
	params_remove(dir);
}

static void rule_5_removal_waits_for_callbacks(void **state)
{
	struct lustre_params_entry *dir = params_add_dir(NULL, "d", NULL);
	struct owner *owner = owner_add(dir);
	struct aside reader, remover;

	aside_start(&reader, read_path, "d/value");
	gate_await(&owner->gate, 1);
	aside_start(&remover, remove_entry, dir);
	sleep_ms(30);
	assert_false(aside_done(&remover));
	gate_open(&owner->gate);
	aside_join(&remover);
	/* From here on the owner may free its data. */
	owner->alive = false;
	free(owner);
	assert_int_equal(aside_join(&reader), 0);
}

static void rule_5_several_deleters_all_wait(void **state)
{
	struct lustre_params_entry *dir = params_add_dir(NULL, "d", NULL);
	struct lustre_params_entry *sub = params_add_dir(dir, "sub", NULL);
	struct owner *owner = owner_add(sub);
	struct lustre_params_entry *targets[4];
	struct aside reader, removers[4];
	unsigned int n;

	for (n = 0; n < 4; n++)
		targets[n] = params_lookup_entry(NULL, n % 2 ? "d/sub" : "d");
	aside_start(&reader, read_path, "d/sub/value");
	gate_await(&owner->gate, 1);
	for (n = 0; n < 4; n++)
		aside_start(&removers[n], remove_entry, targets[n]);
	sleep_ms(30);
	for (n = 0; n < 4; n++)
		assert_false(aside_done(&removers[n]));
	gate_open(&owner->gate);
	for (n = 0; n < 4; n++) {
		aside_join(&removers[n]);
		params_entry_put(targets[n]);
	}
	free(owner);
	aside_join(&reader);
	assert_int_equal(params_delete_entry(NULL, "d"), -ENOENT);
}

/* In the stand-ins ten seconds are a hundred milliseconds. */
static void rule_5_a_long_wait_names_entry_and_task(void **state)
{
	struct lustre_params_entry *dir = params_add_dir(NULL, "d", NULL);
	struct owner *owner = owner_add(dir);
	struct aside reader, remover;

	aside_start(&reader, read_path, "d/value");
	gate_await(&owner->gate, 1);
	aside_start(&remover, remove_entry, dir);
	while (shim_log_count("d/value: removal is waiting for 1 user") < 2)
		sleep_ms(10);
	assert_true(shim_log_count("task test:") >= 2);
	gate_open(&owner->gate);
	aside_join(&remover);
	aside_join(&reader);
	free(owner);
}

static bool takes_no_child(struct lustre_params_entry *lpe)
{
	bool dead;

	down_read(&lpe->lpe_dir->pd_rw_sem);
	dead = lpe->lpe_dir->pd_dead;
	up_read(&lpe->lpe_dir->pd_rw_sem);
	return dead;
}

static void rule_5_nothing_is_added_to_what_is_removed(void **state)
{
	struct lustre_params_entry *dir = params_add_dir(NULL, "d", NULL);
	struct owner *owner = owner_add(dir);
	struct aside reader, remover;

	params_entry_get(dir);
	aside_start(&reader, read_path, "d/value");
	gate_await(&owner->gate, 1);
	aside_start(&remover, remove_entry, dir);
	while (!takes_no_child(dir))
		sleep_ms(1);
	assert_int_equal(PTR_ERR(params_add_dir(dir, "late", NULL)), -ENODEV);
	assert_int_equal(params_publish(dir), -ENODEV);
	gate_open(&owner->gate);
	aside_join(&remover);
	aside_join(&reader);
	assert_int_equal(PTR_ERR(params_add_dir(dir, "late", NULL)), -ENODEV);
	params_entry_put(dir);
	free(owner);
}

static void rule_5_removal_is_told_once(void **state)
{
	struct lustre_params_entry *dir = params_add_dir(NULL, "d", NULL);
	const struct shim_event *events;
	struct owner *owner = owner_add(dir);

	shim_events_clear();
	params_remove(dir);
	assert_int_equal(shim_events(&events), 1);
	assert_int_equal(events[0].event, LL_PARAMS_REMOVED);
	assert_string_equal(events[0].path, "d");
	free(owner);
}

/* An entry may be removed by a callback of another one, which is where rule 7
 * sends those that want to remove their own.
 */
static int removes_other(const char *text, size_t len, void *data)
{
	return params_delete_entry(NULL, text);
}

static void rule_7_a_callback_may_remove_others(void **state)
{
	static const struct lustre_params_attr attr[] = {
		LP_TRIGGER("remove", removes_other),
	};

	assert_int_equal(params_add_attrs(NULL, attr, 1, NULL), 0);
	assert_false(IS_ERR(params_add_dir(NULL, "d", NULL)));
	assert_int_equal(client_set(&cl, "remove", "d"), 0);
	assert_int_equal(client_set(&cl, "remove", "d"), -ENOENT);
}

static const char *list_names(const char *path, const char *after)
{
	static char text[256];
	const struct params_list_rec *rec;
	struct params_ioc_list pl;
	u32 n;

	text[0] = '\0';
	if (client_list(&cl, &pl, path, after, 0))
		return "error";
	for (n = 0; (rec = client_list_rec(&cl, n)); n++)
		sprintf(text + strlen(text), "%s%.*s", n ? " " : "",
			rec->lr_name_len, rec->lr_name);
	return text;
}

static void rule_8_a_listing_resumes_by_name(void **state)
{
	struct params_ioc_list pl;
	struct lustre_params_entry *b;

	params_add_dir(NULL, "a", NULL);
	b = params_add_dir(NULL, "b", NULL);
	params_add_dir(NULL, "d", NULL);
	params_add_dir(b, "b1", NULL);
	params_add_dir(b, "b3", NULL);
	assert_string_equal(list_names("", NULL), "a b b1 b3 d");
	assert_string_equal(list_names("", "a"), "b b1 b3 d");
	assert_string_equal(list_names("", "b"), "b1 b3 d");
	assert_string_equal(list_names("", "b/b1"), "b3 d");
	assert_string_equal(list_names("", "b/b2"), "b3 d");
	assert_string_equal(list_names("", "b/b3"), "d");
	assert_string_equal(list_names("", "b/b9"), "d");
	assert_string_equal(list_names("", "c"), "d");
	assert_string_equal(list_names("", "c/x/y"), "d");
	assert_string_equal(list_names("", "d"), "");
	assert_string_equal(list_names("", "zz"), "");
	assert_string_equal(list_names("b", "b1"), "b3");
	/* No deeper than requested, for any resume position. */
	assert_int_equal(client_list(&cl, &pl, "", "b/b1", 1), 0);
	assert_int_equal(pl.pl_count, 1);
	/* The entry of the resume position is removed, and all its parents. */
	params_delete_entry(b, "b1");
	assert_string_equal(list_names("", "b/b1"), "b3 d");
	params_delete_entry(NULL, "b");
	assert_string_equal(list_names("", "b/b1"), "d");
	/* Instead of a directory there is now a link of this name. */
	params_add_link(NULL, "b", "a");
	assert_string_equal(list_names("", "b/b1"), "d");
}

static void rule_9_a_value_is_a_snapshot(void **state)
{
	struct params_ioc_read pr;
	struct subject s;
	u32 seen = 0;
	u32 n;

	assert_int_equal(subject_add(&s, "s"), 0);
	s.records = 100;
	cl.size = 240;
	assert_int_equal(client_read(&cl, &pr, "s/records"), 0);
	/* Changes from here on are part of the next snapshot. */
	s.records = 5;
	for (;;) {
		for (n = 0; client_value_rec(cl.buf, cl.used, n); n++)
			seen++;
		if (pr.pr_eof)
			break;
		assert_int_equal(client_read_on(&cl, &pr), 0);
	}
	assert_int_equal(seen, 102);
	assert_int_equal(s.calls, 1);
	subject_remove(&s);
}

static void rule_9_a_lost_snapshot_is_told(void **state)
{
	struct params_ioc_read old, pr;
	struct subject s;

	assert_int_equal(subject_add(&s, "s"), 0);
	s.records = 100;
	cl.size = 240;
	assert_int_equal(client_read(&cl, &old, "s/records"), 0);
	assert_int_equal(client_read(&cl, &pr, "s/records"), 0);
	assert_int_equal(client_read_on(&cl, &old), -ESTALE);
	assert_int_equal(client_read_on(&cl, &pr), 0);
	pr.pr_snapshot += 1;
	assert_int_equal(client_read_on(&cl, &pr), -ESTALE);
	subject_remove(&s);
}

static void rule_9_a_snapshot_outlives_its_entry(void **state)
{
	struct params_ioc_read pr;
	struct subject s;

	assert_int_equal(subject_add(&s, "s"), 0);
	s.records = 10;
	cl.size = 240;
	assert_int_equal(client_read(&cl, &pr, "s/records"), 0);
	subject_remove(&s);
	while (!pr.pr_eof)
		assert_int_equal(client_read_on(&cl, &pr), 0);
	assert_int_equal(pr.pr_index, 12);
}

static void rule_10_a_link_uses_its_targets_active_reference(void **state)
{
	struct lustre_params_entry *dir = params_add_dir(NULL, "d", NULL);
	struct owner *owner = owner_add(dir);
	struct aside reader, remover;

	assert_int_equal(params_add_link(NULL, "link", "d/value"), 0);
	aside_start(&reader, read_path, "link");
	gate_await(&owner->gate, 1);
	/* The link may go while a callback runs through it ... */
	assert_int_equal(params_delete_entry(NULL, "link"), 0);
	assert_int_equal(params_add_link(NULL, "link", "d/value"), 0);
	/* ... and its target may not. */
	aside_start(&remover, remove_entry, dir);
	sleep_ms(20);
	assert_false(aside_done(&remover));
	gate_open(&owner->gate);
	aside_join(&remover);
	aside_join(&reader);
	free(owner);
	/* It holds a reference still: the memory is there, the value is not. */
	assert_int_equal(read_path("link"), -ENODEV);
	assert_int_equal(params_delete_entry(NULL, "link"), 0);
}

static void rule_10_lookup_never_recurses(void **state)
{
	struct lustre_params_entry *dir = params_add_dir(NULL, "d", NULL);
	struct lustre_params_entry *lpe;
	struct params_ioc_list pl;

	/* A link to a link leads where that leads, at once. */
	assert_int_equal(params_add_link(NULL, "l1", "d"), 0);
	assert_int_equal(params_add_link(NULL, "l2", "l1"), 0);
	lpe = params_lookup_entry(NULL, "l2");
	assert_ptr_equal(lpe->lpe_target, dir);
	params_entry_put(lpe);
	/* A circle is walked only as far as the path is long. */
	assert_int_equal(params_add_link(dir, "self", "d"), 0);
	lpe = params_lookup_entry(NULL, "d/self/self/self/self");
	assert_ptr_equal(lpe->lpe_target, dir);
	params_entry_put(lpe);
	assert_int_equal(client_list(&cl, &pl, "", NULL, 0), 0);
	assert_int_equal(pl.pl_count, 4);
	assert_int_equal(params_add_link(NULL, "no", "nowhere"), -ENOENT);
	params_delete_entry(dir, "self");
}

/* An errno for each condition, from reading and from writing. */
static void rule_11_one_errno_for_one_condition(void **state)
{
	static const struct {
		const char	*path;
		const char	*text;
		long		rc;
	} cases[] = {
		{ "no", NULL, -ENOENT },
		{ "s/no", NULL, -ENOENT },
		{ "s/no", "1", -ENOENT },
		{ "s", NULL, -EISDIR },
		{ "s", "1", -EISDIR },
		{ "s/u32/x", NULL, -ENOTDIR },
		{ "s/wo", NULL, -EACCES },
		{ "s/trigger", NULL, -EACCES },
		{ "s/ro", "1", -EACCES },
		{ "s/u32", "x", -EINVAL },
		{ "s/u32", "0", -ERANGE },
	};
	struct params_ioc_write pw = { .pw_flags = PARAMS_W_VERSION };
	struct params_ioc_read pr;
	struct subject s;
	char name[PARAMS_PATH_MAX + 2];
	size_t n;

	assert_int_equal(subject_add(&s, "s"), 0);
	for (n = 0; n < ARRAY_SIZE(cases); n++)
		assert_int_equal(cases[n].text ?
				 client_set(&cl, cases[n].path, cases[n].text) :
				 client_read(&cl, &pr, cases[n].path),
				 cases[n].rc);
	assert_int_equal(client_write(&cl, &pw, "s/u32", "9"), -ESTALE);
	memset(name, 'x', sizeof(name));
	name[PARAMS_NAME_MAX + 1] = '\0';
	assert_int_equal(client_read(&cl, &pr, name), -ENAMETOOLONG);
	name[PARAMS_NAME_MAX] = '\0';
	assert_int_equal(client_read(&cl, &pr, name), -ENOENT);
	for (n = 0; n < sizeof(name); n++)
		name[n] = n % 2 ? '/' : 'x';
	name[PARAMS_PATH_MAX + 1] = '\0';
	assert_int_equal(client_read(&cl, &pr, name), -ENAMETOOLONG);
	name[PARAMS_PATH_MAX - 1] = '\0';
	assert_int_equal(client_read(&cl, &pr, name), -ENOENT);
	cl.size = 8;
	assert_int_equal(client_read(&cl, &pr, "s/u32"), -EOVERFLOW);
	cl.size = 4096;
	s.big = PARAMS_VALUE_MAX;
	assert_int_equal(client_read(&cl, &pr, "s/big"), -E2BIG);
	shim_task()->capable = false;
	assert_int_equal(client_set(&cl, "s/u32", "9"), -EPERM);
	assert_int_equal(client_read(&cl, &pr, "s/secret"), -EPERM);
	assert_int_equal(client_read(&cl, &pr, "s/u32"), 0);
	shim_task()->capable = true;
	assert_int_equal(client_read(&cl, &pr, "s/secret"), 0);
	subject_remove(&s);
}

static void drain_name(void *arg, char *buf, size_t size)
{
	scnprintf(buf, size, "thing %s", (const char *)arg);
}

static long drain(void *arg)
{
	libcfs_active_drain(arg, drain_name, "of mine");
	return 0;
}

static void rule_12_the_active_reference_stands_alone(void **state)
{
	struct libcfs_active active;
	struct aside drainer;

	libcfs_active_init(&active, "test");
	assert_false(libcfs_active_get(&active));
	assert_true(libcfs_active_open(&active));
	assert_true(libcfs_active_is_open(&active));
	assert_true(libcfs_active_get(&active));
	assert_true(libcfs_active_get(&active));
	assert_true(libcfs_active_kill(&active));
	assert_false(libcfs_active_kill(&active));
	assert_false(libcfs_active_get(&active));
	assert_false(libcfs_active_open(&active));
	aside_start(&drainer, drain, &active);
	while (!shim_log_count("thing of mine: removal is waiting for 2 users"))
		sleep_ms(10);
	libcfs_active_put(&active);
	sleep_ms(10);
	assert_false(aside_done(&drainer));
	libcfs_active_put(&active);
	aside_join(&drainer);
	drain(&active);
}

int main(void)
{
#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(rule_1_no_lock_over_callbacks_copies_or_allocations),
		TEST(rule_1_is_watched),
		TEST(rule_2_a_reference_outlives_the_entry),
		TEST(rule_2_a_reference_outlives_the_declaration),
		TEST(rule_2_being_deleted_is_no_such_device),
		TEST(rule_3_callbacks_run_while_active_on_kernel_buffers),
		TEST(rule_4_a_group_appears_at_once),
		TEST(rule_4_what_is_hidden_is_not_listed_by_resuming),
		TEST(rule_4_a_group_that_fails_leaves_nothing),
		TEST(rule_5_removal_waits_for_callbacks),
		TEST(rule_5_several_deleters_all_wait),
		TEST(rule_5_a_long_wait_names_entry_and_task),
		TEST(rule_5_nothing_is_added_to_what_is_removed),
		TEST(rule_5_removal_is_told_once),
		TEST(rule_7_a_callback_may_remove_others),
		TEST(rule_8_a_listing_resumes_by_name),
		TEST(rule_9_a_value_is_a_snapshot),
		TEST(rule_9_a_lost_snapshot_is_told),
		TEST(rule_9_a_snapshot_outlives_its_entry),
		TEST(rule_10_a_link_uses_its_targets_active_reference),
		TEST(rule_10_lookup_never_recurses),
		TEST(rule_11_one_errno_for_one_condition),
		TEST(rule_12_the_active_reference_stands_alone),
	};

	return cmocka_run_group_tests_name("params_rules_tsan", tests, NULL, NULL);
}
