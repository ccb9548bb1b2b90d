// SPDX-License-Identifier: GPL-2.0-only
/*
 * The granted, or the waiting, locks of a resource: which of them conflict with a
 * lock, and which make it unnecessary.
 *
 * The number of locks does not matter for the question whether any conflicts: PLAIN
 * locks are counted by mode, IBITS locks by bit and mode, EXTENT locks are in interval
 * trees. A lock that does conflict costs a walk over the locks it conflicts with, or for
 * PLAIN and IBITS over all. A resource has the memory that its type needs: clients have
 * many of them, and ask only which of few locks covers a request.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/**
 * ldlm_policy_bits() - the bits of a PLAIN or IBITS lock
 * @type: type
 * @policy: policy
 *
 * Context: any
 * Return: bits below LDLM_IBITS_COUNT
 */
u64 ldlm_policy_bits(u32 type, const struct ldlm_policy *policy)
{
	return type == LDLM_IBITS ? policy->ibits.bits : BIT(0);
}

/**
 * ldlm_bits_count() - count a PLAIN or IBITS lock
 * @counts: numbers by bit and mode
 * @lock: lock, counted in its requested mode
 * @by: 1 or -1
 *
 * Context: under r_lock
 */
void ldlm_bits_count(struct ldlm_bit_counts *counts, const struct ldlm_lock *lock,
		     int by)
{
	unsigned long bits = ldlm_policy_bits(lock->l_resource->r_type,
					      &lock->l_policy);
	unsigned int mode = ldlm_mode_index(lock->l_req_mode), bit;

	for_each_set_bit(bit, &bits, LDLM_IBITS_COUNT)
		counts->lbc_count[bit][mode] += by;
}

/**
 * ldlm_bits_conflict() - whether a counted lock conflicts with a lock
 * @counts: numbers by bit and mode
 * @mode: mode of the lock
 * @wanted: bits of the lock
 *
 * Context: under r_lock
 * Return: true if one does
 */
bool ldlm_bits_conflict(const struct ldlm_bit_counts *counts, u32 mode, u64 wanted)
{
	unsigned long bits = wanted, modes = ldlm_modes_conflicting(mode);
	unsigned int bit, n;

	for_each_set_bit(bit, &bits, LDLM_IBITS_COUNT) {
		for_each_set_bit(n, &modes, LDLM_MODE_COUNT) {
			if (counts->lbc_count[bit][n])
				return true;
		}
	}
	return false;
}

/* Bytes of the array of trees. */
#define TREES_SIZE	(LDLM_MODE_COUNT * sizeof(struct rb_root_cached))

/**
 * ldlm_set_init() - an empty set
 * @set: zeroed set
 * @type: type of its locks
 * @side: of its namespace
 *
 * Context: may sleep
 * Return: 0 or -ENOMEM
 */
int ldlm_set_init(struct ldlm_set *set, u32 type, enum ldlm_side side)
{
	const gfp_t gfp = GFP_NOFS | __GFP_ACCOUNT;

	INIT_LIST_HEAD(&set->lset_locks);
	if (type == LDLM_EXTENT) {
		/* Zeros are RB_ROOT_CACHED. */
		set->lset_trees = libcfs_zalloc(TREES_SIZE, gfp);
		return set->lset_trees ? 0 : -ENOMEM;
	}
	if (type != LDLM_IBITS || side != LDLM_SERVER)
		return 0;
	set->lset_bits = libcfs_zalloc(sizeof(*set->lset_bits), gfp);
	return set->lset_bits ? 0 : -ENOMEM;
}

/**
 * ldlm_set_exit() - free the memory of a set
 * @set: empty set, or one that ldlm_set_init() failed for
 * @type: type of its locks
 *
 * Context: any
 */
void ldlm_set_exit(struct ldlm_set *set, u32 type)
{
	if (type == LDLM_EXTENT && set->lset_trees)
		libcfs_free(set->lset_trees, TREES_SIZE);
	else if (set->lset_bits)
		libcfs_free(set->lset_bits, sizeof(*set->lset_bits));
}

/**
 * ldlm_set_add() - append a lock
 * @set: set of its resource
 * @lock: lock in no set; the caller takes the set's reference
 *
 * Context: under r_lock
 */
void ldlm_set_add(struct ldlm_set *set, struct ldlm_lock *lock)
{
	unsigned int mode = ldlm_mode_index(lock->l_req_mode);

	lockdep_assert_held(ldlm_lock_lock(lock));
	list_add_tail(&lock->l_res_item, &set->lset_locks);
	set->lset_modes[mode]++;
	set->lset_for += !!lock->l_for;
	if (lock->l_resource->r_type == LDLM_EXTENT)
		ldlm_extent_add(&set->lset_trees[mode], lock);
	else if (set->lset_bits)
		ldlm_bits_count(set->lset_bits, lock, 1);
}

/**
 * ldlm_set_del() - remove a lock
 * @set: set
 * @lock: lock in it
 *
 * Context: under r_lock
 */
void ldlm_set_del(struct ldlm_set *set, struct ldlm_lock *lock)
{
	unsigned int mode = ldlm_mode_index(lock->l_req_mode);

	lockdep_assert_held(ldlm_lock_lock(lock));
	list_del_init(&lock->l_res_item);
	set->lset_modes[mode]--;
	set->lset_for -= !!lock->l_for;
	if (lock->l_resource->r_type == LDLM_EXTENT)
		ldlm_extent_del(&set->lset_trees[mode], lock);
	else if (set->lset_bits)
		ldlm_bits_count(set->lset_bits, lock, -1);
}

static struct ldlm_lock *next_of_bits(struct ldlm_set *set, u32 type, u32 modes,
				      u64 bits, struct ldlm_lock *prev)
{
	struct ldlm_lock *lock = prev ?: list_entry(&set->lset_locks,
						    struct ldlm_lock,
						    l_res_item);

	list_for_each_entry_continue(lock, &set->lset_locks, l_res_item) {
		if (lock->l_req_mode & modes &&
		    ldlm_policy_bits(type, &lock->l_policy) & bits)
			return lock;
	}
	return NULL;
}

static struct ldlm_lock *next_of_extents(struct ldlm_set *set, u32 modes,
					 const struct ldlm_extent *part,
					 struct ldlm_lock *prev)
{
	unsigned int n = prev ? ldlm_mode_index(prev->l_req_mode) + 1 : 0;
	struct ldlm_lock *lock = prev ? ldlm_extent_next(prev, part) : NULL;

	for (; !lock && n < LDLM_MODE_COUNT; n++) {
		if (modes & BIT(n))
			lock = ldlm_extent_first(&set->lset_trees[n], part);
	}
	return lock;
}

/**
 * ldlm_set_next() - iterate over locks of some modes that cover some part
 * @set: set
 * @type: type of its locks
 * @modes: LCK_*, any number of them
 * @part: bits or extent; a lock that has one of these is visited
 * @prev: the previous one, in the set; or NULL
 *
 * Of PLAIN and IBITS locks the oldest comes first.
 *
 * Context: under r_lock
 * Return: lock, or NULL at the end
 */
struct ldlm_lock *ldlm_set_next(struct ldlm_set *set, u32 type, u32 modes,
				const struct ldlm_policy *part,
				struct ldlm_lock *prev)
{
	if (type == LDLM_EXTENT)
		return next_of_extents(set, modes, &part->extent, prev);
	return next_of_bits(set, type, modes, ldlm_policy_bits(type, part), prev);
}

/**
 * ldlm_set_conflicts() - whether a lock of a set conflicts with another lock
 * @set: set of a server
 * @type: type of its locks
 * @mode: mode of the other lock
 * @policy: policy of the other lock
 *
 * Context: under r_lock
 * Return: true if one does
 */
bool ldlm_set_conflicts(struct ldlm_set *set, u32 type, u32 mode,
			const struct ldlm_policy *policy)
{
	if (type == LDLM_EXTENT)
		return next_of_extents(set, ldlm_modes_conflicting(mode),
				       &policy->extent, NULL);
	if (type == LDLM_IBITS)
		return ldlm_bits_conflict(set->lset_bits, mode, policy->ibits.bits);
	return ldlm_set_count(set, ldlm_modes_conflicting(mode));
}

/**
 * ldlm_set_bit_count() - number of PLAIN or IBITS locks by bit and mode
 * @set: set of a server
 * @bit: number of the bit; PLAIN locks have bit 0
 * @mode: number of the mode
 *
 * Context: under r_lock
 * Return: how many
 */
unsigned int ldlm_set_bit_count(const struct ldlm_set *set, unsigned int bit,
				unsigned int mode)
{
	if (set->lset_bits)
		return set->lset_bits->lbc_count[bit][mode];
	return bit ? 0 : set->lset_modes[mode];
}

/**
 * ldlm_set_count() - number of locks by mode
 * @set: set
 * @modes: LCK_*, any number of them
 *
 * Context: under r_lock
 * Return: how many of its locks have one of @modes
 */
unsigned int ldlm_set_count(const struct ldlm_set *set, u32 modes)
{
	unsigned int n, count = 0;

	for (n = 0; n < LDLM_MODE_COUNT; n++) {
		if (modes & BIT(n))
			count += set->lset_modes[n];
	}
	return count;
}
