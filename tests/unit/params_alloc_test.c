// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation of every operation fails in turn. The operation then returns -ENOMEM,
 * has no effect, and leaks no memory.
 */
#include "shim_cmocka.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <shim/alloc.h>
#include <shim/event.h>

#include "params/params_internal.h"
#include "params_client.h"
#include "params_subject.h"

static struct subject s;
static struct client cl;

static int setup(void **state)
{
	unsigned int n;
	char name[8];
	int rc;

	client_open(&cl, 64 * 1024);
	rc = tree_setup(state) ?: subject_add(&s, "s");
	/* One more child and the root wants a hash table. */
	for (n = 0; n < 15 && !rc; n++) {
		scnprintf(name, sizeof(name), "d%02u", n);
		rc = PTR_ERR_OR_ZERO(params_add_dir(NULL, name, NULL));
	}
	return rc;
}

static int teardown(void **state)
{
	client_close(&cl);
	subject_remove(&s);
	return tree_teardown(state);
}

static const struct lustre_params_attr more[] = {
	LP_U32_FIELD("one", struct subject, field),
	LP_U32_FIELD("two", struct subject, field),
};

static int add_dir(void)
{
	return PTR_ERR_OR_ZERO(params_add_dir(NULL, "new", NULL));
}

static int add_attrs(void)
{
	return params_add_attrs(s.dir, more, ARRAY_SIZE(more), &s);
}

static int add_link(void)
{
	return params_add_link(NULL, "new", "s/u32");
}

static int read_nothing(struct params_sink *sink, void *data)
{
	return 0;
}

static int add_entry(void)
{
	return params_add_entry(NULL, "new", read_nothing, NULL, NULL);
}

static int add_subject(void)
{
	struct subject t;
	int rc = subject_add(&t, "new");

	if (!rc)
		subject_remove(&t);
	return rc;
}

static void undo_new(void)
{
	assert_int_equal(params_delete_entry(NULL, "new"), 0);
}

static void undo_attrs(void)
{
	assert_int_equal(params_delete_entry(s.dir, "one"), 0);
	assert_int_equal(params_delete_entry(s.dir, "two"), 0);
}

static int list(void)
{
	struct params_ioc_list pl;

	return client_list(&cl, &pl, "", "s/enum", 0);
}

static int read_small(void)
{
	struct params_ioc_read pr;

	return client_read(&cl, &pr, "s/u32");
}

/* Larger than the buffer on the stack, and than the first buffer that is tried. */
static int read_long_string(void)
{
	struct params_ioc_read pr;

	memset(s.text, 'x', 1000);
	return client_read(&cl, &pr, "s/string");
}

/* Through a snapshot, by an open file that never had one. */
static int read_big(void)
{
	struct params_ioc_read pr;
	struct client fresh;
	int rc;

	s.big = 100000;
	client_open(&fresh, 4096);
	rc = client_read(&fresh, &pr, "s/big");
	while (!rc && !pr.pr_eof)
		rc = client_read_on(&fresh, &pr);
	client_close(&fresh);
	return rc;
}

static int read_stats(void)
{
	struct params_ioc_read pr;

	return client_read(&cl, &pr, "s/stats");
}

/* A call that succeeds except for one record, which has the status. */
static int batch_status(int rc)
{
	const struct params_entry_rec *rec;
	u32 n;

	for (n = 0; !rc && (rec = client_entry_rec(&cl, n)); n++)
		if (rec->er_status == -ENOMEM)
			return -ENOMEM;
	return rc;
}

static int read_batch(void)
{
	static const char paths[] = "s/u32\0s/string\0s/big\0s/records";
	struct params_ioc_read_batch rb;

	s.big = 10000;
	return batch_status(client_read_paths(&cl, &rb, paths, sizeof(paths), 4,
					      0));
}

static int read_subtree(void)
{
	struct params_ioc_read_batch rb;

	s.big = 10000;
	return batch_status(client_read_subtree(&cl, &rb, "s", "bool"));
}

static int describe(void)
{
	struct params_ioc_describe pd;

	return client_describe(&cl, &pd, "l");
}

static void add_l(void)
{
	assert_int_equal(params_add_link(NULL, "l", "s/enum"), 0);
}

static void remove_l(void)
{
	assert_int_equal(params_delete_entry(NULL, "l"), 0);
}

/* A directory keeps its hash table: have it before the picture is taken. */
static void have_table(void)
{
	assert_int_equal(add_dir(), 0);
	undo_new();
}

static int write_number(void)
{
	return client_set(&cl, "s/u32", "9");
}

static int write_string(void)
{
	return client_set(&cl, "s/string", "another");
}

static int write_stats(void)
{
	return client_set(&cl, "s/stats", "clear");
}

static int replies(int rc)
{
	const struct params_reply_rec *rec;
	u32 n;

	for (n = 0; !rc && (rec = client_reply(&cl, n)); n++)
		if (rec->rr_status && rec->rr_status != -ECANCELED)
			return rec->rr_status;
	return rc;
}

static int write_batch(u32 flags, const char *last)
{
	struct params_ioc_write_batch wb;
	struct client_batch batch = { .count = 0 };

	client_batch_add(&batch, "s/u32", "9", 0, 0);
	client_batch_add(&batch, "s/string", "another", 0, 0);
	client_batch_add(&batch, "s/mask", "+green", 0, 0);
	client_batch_add(&batch, "s/trigger", last, 0, 0);
	return replies(client_write_batch(&cl, &wb, &batch, flags));
}

static int write_atomic(void)
{
	return write_batch(PARAMS_W_ATOMIC, "go");
}

struct operation {
	const char	*name;
	int		(*run)(void);
	void		(*undo)(void);		/* when it succeeded */
	void		(*prepare)(void);	/* before it is tried at all */
	bool		alters;			/* the subject, not the tree */
};

static const struct operation operations[] = {
	{ "params_add_dir", add_dir, undo_new },
	{ "params_add_attrs", add_attrs, undo_attrs },
	{ "params_add_link", add_link, undo_new },
	{ "params_add_entry", add_entry, undo_new },
	{ "a whole group", add_subject, NULL, have_table },
	{ "LIST", list },
	{ "READ", read_small },
	{ "READ of a long string", read_long_string },
	{ "READ of a big value", read_big },
	{ "READ of statistics", read_stats },
	{ "READ_BATCH of paths", read_batch },
	{ "READ_BATCH of a subtree", read_subtree },
	{ "DESCRIBE", describe, remove_l, add_l },
	{ "WRITE of a number", write_number, NULL, NULL, true },
	{ "WRITE of a string", write_string, NULL, NULL, true },
	{ "WRITE of statistics", write_stats },
	{ "WRITE_BATCH, all or nothing", write_atomic, NULL, NULL, true },
};

/* Names and versions of all there is. */
static size_t picture(char *buf, size_t size)
{
	struct params_ioc_list pl;

	assert_int_equal(client_list(&cl, &pl, "", NULL, 0), 0);
	assert_true(cl.used <= size);
	memcpy(buf, cl.buf, cl.used);
	return cl.used;
}

static char before[16384], after[16384];

/* Returns how many allocations there are. */
static unsigned int walk(const struct operation *op)
{
	struct subject values = s;
	const struct shim_event *events;
	unsigned int nth;

	if (op->prepare)
		op->prepare();
	for (nth = 1; nth < 1000; nth++) {
		size_t len = picture(before, sizeof(before));
		long live = shim_alloc_live();
		int rc;

		s = values;
		shim_events_clear();
		shim_alloc_fail(nth);
		rc = op->run();
		if (!shim_alloc_failed()) {
			assert_int_equal(rc, 0);
			if (op->undo)
				op->undo();
			return nth - 1;
		}
		if (rc != -ENOMEM)
			fail_msg("%s: allocation %u failed, and it gave %d",
				 op->name, nth, rc);
		assert_int_equal(shim_alloc_live(), live);
		if (op->alters) {
			assert_int_equal(s.u32, values.u32);
			assert_int_equal(s.mask, values.mask);
			assert_string_equal(s.text, values.text);
		} else {
			assert_int_equal(picture(after, sizeof(after)), len);
		}
		/* No event was sent, or the opposite one followed: added, removed. */
		assert_int_equal(shim_events(&events) % 2, 0);
	}
	fail_msg("%s never succeeds", op->name);
	return 0;
}

static void every_allocation_fails_in_turn(void **state)
{
	const struct operation *op = *state;
	unsigned int count = walk(op);

	print_message("%s: %u allocations\n", op->name, count);
	assert_true(count > 0);
}

/* The other records of a batch succeed: only this one has a status. */
static void writes_on_their_own_go_on(void **state)
{
	struct subject values = s;
	unsigned int nth;
	int rc;

	for (nth = 1; nth < 100; nth++) {
		s = values;
		shim_alloc_fail(nth);
		rc = write_batch(0, "go");
		if (!shim_alloc_failed())
			break;
		assert_int_equal(rc, -ENOMEM);
	}
	assert_int_equal(rc, 0);
	assert_true(nth > 1 && nth < 100);
}

/*
 * The last one refuses, so those before it have to be given back: that needs no
 * memory, whichever allocation fails meanwhile.
 */
static void giving_back_needs_no_memory(void **state)
{
	struct subject values = s;
	unsigned int nth;
	int rc;

	for (nth = 1; nth < 100; nth++) {
		s = values;
		s.fail_trigger = -EREMOTEIO;
		shim_alloc_fail(nth);
		rc = write_batch(PARAMS_W_ATOMIC, "refused");
		if (!shim_alloc_failed())
			break;
		assert_int_not_equal(rc, 0);
		assert_int_not_equal(rc, -EIO);
		assert_int_equal(s.u32, values.u32);
		assert_string_equal(s.text, values.text);
		assert_int_equal(s.mask, values.mask);
	}
	assert_true(nth > 1 && nth < 100);
}

/* Removing cannot fail on allocation failure. */
static void removal_allocates_nothing(void **state)
{
	shim_alloc_fail(1);
	assert_int_equal(params_delete_entry(NULL, "d00"), 0);
	assert_int_equal(params_delete_entry(s.dir, NULL), 0);
	assert_false(shim_alloc_failed());
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_SIZE(operations) + 3];
	size_t n;

	for (n = 0; n < ARRAY_SIZE(operations); n++)
		tests[n] = (struct CMUnitTest){
			operations[n].name, every_allocation_fails_in_turn,
			setup, teardown, (void *)&operations[n],
		};
#define TEST(name)	(struct CMUnitTest) \
	cmocka_unit_test_setup_teardown(name, setup, teardown)
	tests[n++] = TEST(writes_on_their_own_go_on);
	tests[n++] = TEST(giving_back_needs_no_memory);
	tests[n++] = TEST(removal_allocates_nothing);
	return cmocka_run_group_tests_name("params_alloc", tests, NULL, NULL);
}
