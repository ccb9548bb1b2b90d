// SPDX-License-Identifier: GPL-2.0-only
/*
 * The children of a directory: a tree sorted by name, for listings that resume,
 * and beyond a few children a hash table, so that the cost of a lookup does not
 * depend on their number.
 */
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include <lustre_lite/libcfs.h>

#include "params_internal.h"
#include "rule.h"

#define PARAMS_TABLE_MIN_BITS	5	/* first table: 32 buckets */
#define PARAMS_TABLE_MAX_BITS	22
#define PARAMS_TABLE_FROM	16	/* children without a table */
#define PARAMS_TABLE_WIDE_BITS	14	/* see params_table_fits() */

/* An empty directory, or NULL. May sleep. */
struct params_dir *params_dir_alloc(void)
{
	struct params_dir *dir = libcfs_zalloc(sizeof(*dir), GFP_KERNEL);

	if (!dir)
		return NULL;
	init_rwsem(&dir->pd_rw_sem);
	dir->pd_children = RB_ROOT_CACHED;
	dir->pd_appear_seq = params_appear_seq();
	return dir;
}

static size_t params_table_size(unsigned int bits)
{
	return sizeof(struct hlist_head) << bits;
}

/* Free a directory without children that is not reachable. May sleep. */
void params_dir_free(struct params_dir *dir)
{
	WARN_ON_ONCE(dir->pd_count);
	if (dir->pd_buckets)
		libcfs_free(dir->pd_buckets, params_table_size(dir->pd_bits));
	libcfs_free(dir, sizeof(*dir));
}

/* Byte order; a name comes before all names that it is a prefix of. */
static int params_name_cmp(const char *a, size_t alen, const char *b,
			   size_t blen)
{
	int cmp = memcmp(a, b, min(alen, blen));

	if (cmp)
		return cmp;
	return alen < blen ? -1 : alen > blen;
}

static struct lustre_params_entry *params_node(struct rb_node *node)
{
	return rb_entry_safe(node, struct lustre_params_entry, lpe_node);
}

static struct hlist_head *params_bucket(struct hlist_head *buckets,
					unsigned int bits, const char *name,
					size_t len)
{
	u32 hash = full_name_hash(buckets, name, len);

	return &buckets[hash & ((1U << bits) - 1)];
}

static struct lustre_params_entry *
params_dir_find_sorted(struct params_dir *dir, const char *name, size_t len)
{
	struct rb_node *node = dir->pd_children.rb_root.rb_node;

	while (node) {
		struct lustre_params_entry *lpe = params_node(node);
		int cmp = params_name_cmp(name, len, lpe->lpe_name,
					  lpe->lpe_name_len);

		if (!cmp)
			return lpe;
		node = cmp < 0 ? node->rb_left : node->rb_right;
	}
	return NULL;
}

/**
 * params_dir_find() - child by name
 * @dir: directory
 * @name: name, a NUL is not needed
 * @len: its bytes
 *
 * Context: pd_rw_sem held
 * Return: the child, no reference taken; or NULL
 */
struct lustre_params_entry *params_dir_find(struct params_dir *dir,
					    const char *name, size_t len)
{
	struct lustre_params_entry *lpe;
	struct hlist_head *head;

	lockdep_assert_held(&dir->pd_rw_sem);
	if (!dir->pd_buckets)
		return params_dir_find_sorted(dir, name, len);
	head = params_bucket(dir->pd_buckets, dir->pd_bits, name, len);
	/* Names of one directory often share a prefix: compare from the end. */
	hlist_for_each_entry(lpe, head, lpe_hash)
		if (lpe->lpe_name_len == len &&
		    lpe->lpe_name[len - 1] == name[len - 1] &&
		    !memcmp(lpe->lpe_name, name, len))
			return lpe;
	return NULL;
}

/**
 * params_dir_first() - first child in byte order
 * @dir: directory
 *
 * Context: pd_rw_sem held
 * Return: the child, no reference taken; or NULL
 */
struct lustre_params_entry *params_dir_first(struct params_dir *dir)
{
	lockdep_assert_held(&dir->pd_rw_sem);
	return params_node(rb_first_cached(&dir->pd_children));
}

/**
 * params_dir_after() - first child whose name comes after @name
 * @dir: directory
 * @name: name, which need not be there
 * @len: its bytes
 *
 * Context: pd_rw_sem held
 * Return: the child, no reference taken; or NULL
 */
struct lustre_params_entry *params_dir_after(struct params_dir *dir,
					     const char *name, size_t len)
{
	struct rb_node *node = dir->pd_children.rb_root.rb_node;
	struct lustre_params_entry *found = NULL;

	lockdep_assert_held(&dir->pd_rw_sem);
	while (node) {
		struct lustre_params_entry *lpe = params_node(node);

		if (params_name_cmp(name, len, lpe->lpe_name,
				    lpe->lpe_name_len) < 0) {
			found = lpe;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

/**
 * params_dir_next() - the child after a present or former child
 * @dir: directory
 * @lpe: entry on which the caller has a reference
 *
 * Context: pd_rw_sem held
 * Return: the child, no reference taken; or NULL
 */
struct lustre_params_entry *params_dir_next(struct params_dir *dir,
					    struct lustre_params_entry *lpe)
{
	lockdep_assert_held(&dir->pd_rw_sem);
	if (lpe->lpe_flags & LPE_LINKED)
		return params_node(rb_next(&lpe->lpe_node));
	return params_dir_after(dir, lpe->lpe_name, lpe->lpe_name_len);
}

static void params_hash_add(struct hlist_head *buckets, unsigned int bits,
			    struct lustre_params_entry *lpe)
{
	hlist_add_head(&lpe->lpe_hash,
		       params_bucket(buckets, bits, lpe->lpe_name,
				     lpe->lpe_name_len));
}

/**
 * params_dir_link() - add a child
 * @dir: directory
 * @lpe: entry; one reference of the caller passes to the tree
 *
 * Context: pd_rw_sem held for writing
 * Return: 0; -ENODEV if the directory is being removed, -EEXIST if the name
 *  exists; the caller still owns the reference then
 */
int params_dir_link(struct params_dir *dir, struct lustre_params_entry *lpe)
{
	struct rb_node **link = &dir->pd_children.rb_root.rb_node;
	struct rb_node *parent = NULL;
	bool leftmost = true;

	lockdep_assert_held_write(&dir->pd_rw_sem);
	if (dir->pd_dead)
		return -ENODEV;
	while (*link) {
		struct lustre_params_entry *have = params_node(*link);
		int cmp = params_name_cmp(lpe->lpe_name, lpe->lpe_name_len,
					  have->lpe_name, have->lpe_name_len);

		if (!cmp)
			return -EEXIST;
		parent = *link;
		link = cmp < 0 ? &parent->rb_left : &parent->rb_right;
		if (cmp > 0)
			leftmost = false;
	}
	rb_link_node(&lpe->lpe_node, parent, link);
	rb_insert_color_cached(&lpe->lpe_node, &dir->pd_children, leftmost);
	if (dir->pd_buckets)
		params_hash_add(dir->pd_buckets, dir->pd_bits, lpe);
	lpe->lpe_flags |= LPE_LINKED;
	WRITE_ONCE(dir->pd_count, dir->pd_count + 1);
	return 0;
}

/* Few children are left: no table is needed. */
static void params_table_drop(struct params_dir *dir)
{
	struct lustre_params_entry *lpe;

	for (lpe = params_dir_first(dir); lpe; lpe = params_dir_next(dir, lpe))
		hlist_del_init(&lpe->lpe_hash);
	libcfs_free(dir->pd_buckets, params_table_size(dir->pd_bits));
	dir->pd_buckets = NULL;
	WRITE_ONCE(dir->pd_bits, 0);
}

/**
 * params_dir_unlink() - remove a child
 * @dir: directory
 * @lpe: its child; the tree's reference passes to the caller
 *
 * Context: pd_rw_sem held for writing
 */
void params_dir_unlink(struct params_dir *dir, struct lustre_params_entry *lpe)
{
	lockdep_assert_held_write(&dir->pd_rw_sem);
	rb_erase_cached(&lpe->lpe_node, &dir->pd_children);
	RB_CLEAR_NODE(&lpe->lpe_node);
	if (dir->pd_buckets)
		hlist_del_init(&lpe->lpe_hash);
	lpe->lpe_flags &= ~LPE_LINKED;
	WRITE_ONCE(dir->pd_count, dir->pd_count - 1);
	if (dir->pd_buckets && dir->pd_count <= PARAMS_TABLE_FROM)
		params_table_drop(dir);
}

/*
 * Two children per bucket. In a wide table, whose children are not in the
 * processor's caches, each child of a bucket that is not the wanted one costs a
 * miss: half a child per bucket.
 */
static bool params_table_fits(unsigned int bits, size_t count)
{
	if (bits < PARAMS_TABLE_WIDE_BITS)
		return count <= (size_t)2 << bits;
	return bits == PARAMS_TABLE_MAX_BITS || count <= (size_t)1 << (bits - 1);
}

/**
 * params_table_reserve() - allocate the hash table that a directory will need
 * @table: out; empty if none is needed
 * @dir: directory, not locked
 * @more: number of children about to be added
 *
 * The number of children may change until the directory is locked; then the
 * table is a little too large or too small, which is harmless.
 *
 * Context: may sleep
 * Return: 0 or -ENOMEM
 */
int params_table_reserve(struct params_table *table, struct params_dir *dir,
			 size_t more)
{
	size_t count = READ_ONCE(dir->pd_count) + more;
	unsigned int have = READ_ONCE(dir->pd_bits);
	unsigned int bits = max_t(unsigned int, have, PARAMS_TABLE_MIN_BITS);

	table->tbl_buckets = NULL;
	if (count <= PARAMS_TABLE_FROM)
		return 0;
	while (!params_table_fits(bits, count))
		bits++;
	if (bits == have)
		return 0;
	table->tbl_buckets = libcfs_zalloc(params_table_size(bits), GFP_KERNEL);
	if (!table->tbl_buckets)
		return -ENOMEM;
	table->tbl_bits = bits;
	return 0;
}

/**
 * params_table_install() - install a new hash table
 * @table: from params_table_reserve(); holds the old one afterwards
 * @dir: directory
 *
 * Context: pd_rw_sem held for writing
 */
void params_table_install(struct params_table *table, struct params_dir *dir)
{
	struct lustre_params_entry *lpe;
	struct params_table old = {
		.tbl_buckets = dir->pd_buckets,
		.tbl_bits = dir->pd_bits,
	};

	lockdep_assert_held_write(&dir->pd_rw_sem);
	if (!table->tbl_buckets || table->tbl_bits <= dir->pd_bits)
		return;
	for (lpe = params_dir_first(dir); lpe; lpe = params_dir_next(dir, lpe))
		params_hash_add(table->tbl_buckets, table->tbl_bits, lpe);
	dir->pd_buckets = table->tbl_buckets;
	WRITE_ONCE(dir->pd_bits, table->tbl_bits);
	*table = old;
}

/* Free the rest after params_table_install(). May sleep. */
void params_table_free(struct params_table *table)
{
	if (table->tbl_buckets)
		libcfs_free(table->tbl_buckets,
			    params_table_size(table->tbl_bits));
}
