// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the stand-ins, on which other tests rely. */
#include "shim_cmocka.h"

#include <stdlib.h>

#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/wait_bit.h>
#include <shim/log.h>
#include <shim/user.h>

#include "params_threads.h"

#define NODES	500

struct node {
	struct rb_node	rb;
	int		key;
	bool		in;
};

static struct node nodes[NODES];
static struct rb_root_cached root;

static void insert(struct node *node)
{
	struct rb_node **link = &root.rb_root.rb_node;
	struct rb_node *parent = NULL;
	bool leftmost = true;

	while (*link) {
		parent = *link;
		if (node->key < rb_entry(parent, struct node, rb)->key) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	rb_link_node(&node->rb, parent, link);
	rb_insert_color_cached(&node->rb, &root, leftmost);
	node->in = true;
}

static int depth(const struct rb_node *node)
{
	int left, right;

	if (!node)
		return 0;
	left = depth(node->rb_left);
	right = depth(node->rb_right);
	return 1 + (left > right ? left : right);
}

/* Forwards and backwards, all that is in, and in order. */
static void check_tree(void)
{
	struct rb_node *rb = rb_first_cached(&root);
	int n;

	assert_ptr_equal(rb, rb_first(&root.rb_root));
	for (n = 0; n < NODES; n++) {
		if (!nodes[n].in)
			continue;
		assert_ptr_equal(rb, &nodes[n].rb);
		rb = rb_next(rb);
	}
	assert_null(rb);
	rb = rb_last(&root.rb_root);
	for (n = NODES; n-- > 0;) {
		if (!nodes[n].in)
			continue;
		assert_ptr_equal(rb, &nodes[n].rb);
		rb = rb_prev(rb);
	}
	assert_null(rb);
}

static void rbtree_keeps_order_and_stays_flat(void **state)
{
	unsigned int seed = 1;
	int round, n;

	root = RB_ROOT_CACHED;
	for (n = 0; n < NODES; n++)
		nodes[n] = (struct node){ .key = n };
	for (n = 0; n < NODES; n++)
		insert(&nodes[n]);
	check_tree();
	assert_true(depth(root.rb_root.rb_node) < 40);
	for (round = 0; round < 5000; round++) {
		struct node *node = &nodes[rand_r(&seed) % NODES];

		if (node->in) {
			rb_erase_cached(&node->rb, &root);
			node->in = false;
		} else {
			insert(node);
		}
		if (round % 100 == 0)
			check_tree();
	}
	for (n = 0; n < NODES; n++)
		if (nodes[n].in) {
			rb_erase_cached(&nodes[n].rb, &root);
			nodes[n].in = false;
		}
	check_tree();
	assert_true(RB_EMPTY_ROOT(&root.rb_root));
}

struct item {
	struct hlist_node hash;
	struct list_head list;
	int n;
};

static void lists_hold_what_was_put_there(void **state)
{
	struct hlist_head head = { NULL };
	struct item items[3], *item;
	LIST_HEAD(list);
	int n, sum = 0;

	for (n = 0; n < 3; n++) {
		items[n].n = n + 1;
		hlist_add_head(&items[n].hash, &head);
		list_add_tail(&items[n].list, &list);
	}
	hlist_del_init(&items[1].hash);
	hlist_del_init(&items[1].hash);
	hlist_for_each_entry(item, &head, hash)
		sum = sum * 10 + item->n;
	assert_int_equal(sum, 31);
	list_del_init(&items[0].list);
	sum = 0;
	list_for_each_entry(item, &list, list)
		sum = sum * 10 + item->n;
	assert_int_equal(sum, 23);
	assert_false(list_empty(&list));
	assert_true(list_empty(&items[0].list));
}

static void user_memory_faults_where_there_is_none(void **state)
{
	char user[16] = "0123456789abcde";
	char kernel[16];

	shim_user_add(user, 8, true);
	shim_user_add(user + 8, 4, false);
	assert_int_equal(copy_from_user(kernel, user, 8), 0);
	assert_int_equal(copy_from_user(kernel, user + 8, 4), 0);
	memset(kernel, 'x', sizeof(kernel));
	assert_int_equal(copy_from_user(kernel, user + 10, 4), 2);
	assert_memory_equal(kernel, "ab\0\0xx", 6);
	assert_int_equal(copy_to_user(user + 6, kernel, 4), 2);
	assert_memory_equal(user + 6, "ab89", 4);
	assert_int_equal(copy_to_user(user + 8, kernel, 1), 1);
	assert_int_equal(copy_from_user(kernel, (char *)((unsigned long)user - 1),
					1), 1);
	assert_int_equal(copy_from_user(kernel, NULL, 1), 1);
	assert_int_equal(copy_from_user(kernel, NULL, 0), 0);
	assert_true(IS_ERR(memdup_user(user, 16)));
	shim_user_reset();
	assert_int_equal(copy_from_user(kernel, user, 1), 1);
}

static void structures_of_two_ages_are_copied(void **state)
{
	char user[16] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	char kernel[8];

	shim_user_add(user, sizeof(user), false);
	assert_int_equal(copy_struct_from_user(kernel, 8, user, 16), 0);
	assert_memory_equal(kernel, user, 8);
	assert_int_equal(copy_struct_from_user(kernel, 8, user, 3), 0);
	assert_memory_equal(kernel, "\1\2\3\0\0\0\0", 8);
	assert_int_equal(copy_struct_from_user(kernel, 4, user, 16), -E2BIG);
	assert_int_equal(copy_struct_from_user(kernel, 8, user, 17), -EFAULT);
	shim_user_reset();
}

static void the_nth_allocation_fails(void **state)
{
	void *first, *third;
	long live = shim_alloc_live();

	shim_alloc_fail(2);
	first = kmalloc(8, GFP_KERNEL);
	assert_non_null(first);
	assert_null(kzalloc(8, GFP_KERNEL));
	third = kcalloc(2, 4, GFP_KERNEL);
	assert_non_null(third);
	assert_true(shim_alloc_failed());
	assert_int_equal(shim_alloc_live(), live + 2);
	kfree(first);
	kfree(third);
	kfree(NULL);
	assert_null(kcalloc(~0UL, 2, GFP_KERNEL));
	shim_alloc_fail(1);
	assert_false(shim_alloc_failed());
}

/* Each line breaks a rule of kernel code. */
static void what_must_not_be_is_warned_of(void **state)
{
	struct rw_semaphore a, b;
	struct mutex mutex;
	refcount_t refs;
	spinlock_t spin;

	init_rwsem(&a);
	init_rwsem(&b);
	mutex_init(&mutex);
	spin_lock_init(&spin);
	shim_warn_expect();
	down_read(&a);
	down_read(&b);			/* 1: one under another */
	kfree(kmalloc(1, GFP_KERNEL));	/* 2: a sleeping allocation */
	kfree(kmalloc(1, GFP_ATOMIC));
	lockdep_assert_held(&a);
	lockdep_assert_held_write(&a);	/* 3: held for reading only */
	up_read(&b);
	up_read(&a);
	lockdep_assert_held(&a);	/* 4 */
	up_read(&a);			/* 5 */
	spin_lock(&spin);
	mutex_lock(&mutex);		/* 6: it may sleep */
	mutex_unlock(&mutex);
	kfree(kmalloc(1, GFP_KERNEL));	/* 7 */
	spin_unlock(&spin);
	refcount_set(&refs, 0);
	refcount_inc(&refs);		/* 8: there was none */
	assert_int_equal(shim_warn_expected(), 8);
	mutex_destroy(&mutex);
}

static atomic_t flag;

static long raise_flag(void *arg)
{
	sleep_ms(20);
	atomic_set(&flag, 1);
	wake_up_var(&flag);
	return 0;
}

static void a_wait_ends_with_its_condition_or_its_time(void **state)
{
	struct aside aside;

	atomic_set(&flag, 0);
	assert_int_equal(wait_var_event_timeout(&flag, atomic_read(&flag), 5), 0);
	aside_start(&aside, raise_flag, NULL);
	assert_true(wait_var_event_timeout(&flag, atomic_read(&flag), 5000) > 0);
	aside_join(&aside);
	assert_true(wait_var_event_timeout(&flag, atomic_read(&flag), 0) > 0);
}

static void texts_are_as_the_kernels(void **state)
{
	char buf[8];
	int c;

	assert_int_equal(scnprintf(buf, sizeof(buf), "%s", "0123456789"), 7);
	assert_string_equal(buf, "0123456");
	assert_int_equal(scnprintf(buf, 0, "x"), 0);
	assert_int_equal(strscpy(buf, "abc", sizeof(buf)), 3);
	assert_int_equal(strscpy(buf, "0123456789", sizeof(buf)), -E2BIG);
	assert_string_equal(buf, "0123456");
	for (c = 0; c < 256; c++) {
		const char *hex = "0123456789abcdef";
		const char *at = c && c < 128 ? strchr(hex, tolower(c)) : NULL;

		assert_int_equal(hex_to_bin(c), at ? at - hex : -1);
		assert_int_equal(isdigit(c), c >= '0' && c <= '9');
		assert_int_equal(isprint(c) && isascii(c), c >= 32 && c < 127);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rbtree_keeps_order_and_stays_flat),
		cmocka_unit_test(lists_hold_what_was_put_there),
		cmocka_unit_test(user_memory_faults_where_there_is_none),
		cmocka_unit_test(structures_of_two_ages_are_copied),
		cmocka_unit_test(the_nth_allocation_fails),
		cmocka_unit_test(what_must_not_be_is_warned_of),
		cmocka_unit_test(a_wait_ends_with_its_condition_or_its_time),
		cmocka_unit_test(texts_are_as_the_kernels),
	};

	return cmocka_run_group_tests_name("shim", tests, NULL, NULL);
}
