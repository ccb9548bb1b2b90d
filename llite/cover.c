// SPDX-License-Identifier: GPL-2.0-only
/*
 * What locks of the server permit to cache: the attributes of an inode, and which object a name
 * stands for.
 *
 * Replies bring the locks (LCK_PR, by bit). Each lock has a cover, which the lock and the inode
 * reference. When the lock loses bits, so does the cover, before another client changes what the
 * bits stand for. Nothing else is done then: each use of what is cached looks at the cover.
 *
 *	inode --lli_cover[]--> cover <-- lock (ldlm)
 *
 * An own change leaves the locks of this client alone. Its reply has the new attributes; those that
 * it does not have are asked for again. Which of two replies is older is not known if the second
 * one was asked for before the first one came: then the attributes are asked for again as well.
 *
 * A name is valid
 *
 *	as long as UPDATE of its directory is held, in which no name appears or goes; d_time is
 *	the epoch of that cover
 *	as long as LOOKUP of its object is held, which neither gets nor loses names; d_fsdata is
 *	the epoch of that cover
 *
 * provided that it was valid at some time since. No two covers have the same epoch.
 *
 * Extended attributes are valid as long as XATTR is held under the cover that they came with, see
 * xattr_cache.c.
 *
 * The layout of a file is right as long as LAYOUT is held. Its cover is that of the reply that
 * brought the bit last, and the layout is that of this reply, or of a newer generation.
 *
 * A task that is killed leaves a change that the server may execute at any time. Nothing of
 * its objects is cached until the change has been answered.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/atomic.h>
#include <linux/dcache.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/ptlrpc.h>

#include "llite_inode.h"

/**
 * struct ll_cover - what a lock covers
 * @cov_refcount: held by the lock, by an intent, by a request, by each slot of an inode
 * @cov_bits: MDS_INODELOCK_* that the lock has. Bits only go
 * @cov_epoch: its number, not 0
 * @cov_rcu: frees it
 */
struct ll_cover {
	refcount_t	cov_refcount;
	atomic_t	cov_bits;
	unsigned long	cov_epoch;
	struct rcu_head	cov_rcu;
};

static const u32 slot_bits[LL_COVERS] = {
	MDS_INODELOCK_LOOKUP, MDS_INODELOCK_UPDATE, MDS_INODELOCK_PERM, MDS_INODELOCK_XATTR,
	MDS_INODELOCK_LAYOUT,
};

/* Epochs, and the order in which replies are used. */
static atomic_long_t ll_clock = ATOMIC_LONG_INIT(1);

/* Drop a reference; NULL is permitted. Any context. */
void ll_cover_put(struct ll_cover *cov)
{
	if (cov && refcount_dec_and_test(&cov->cov_refcount))
		kfree_rcu(cov, cov_rcu);
}

/* The owner of a lock. */

static void lock_cancelled(struct ldlm_lock *lock, void *data)
{
	struct ll_cover *cov = data;

	atomic_set(&cov->cov_bits, 0);
}

static void lock_bits_lost(struct ldlm_lock *lock, void *data)
{
	struct ll_cover *cov = data;

	atomic_and(ldlm_lock_policy(lock)->ibits.bits, &cov->cov_bits);
}

static void lock_cover_get(void *data)
{
	struct ll_cover *cov = data;

	refcount_inc(&cov->cov_refcount);
}

static void lock_cover_put(void *data)
{
	ll_cover_put(data);
}

static const struct ldlm_callbacks cover_callbacks = {
	.lcb_cancelled	= lock_cancelled,
	.lcb_bits_lost	= lock_bits_lost,
	.lcb_get		= lock_cover_get,
	.lcb_put		= lock_cover_put,
	.lcb_module	= THIS_MODULE,
	.lcb_quick	= true,
};

/* What is covered. */

static unsigned int slot_of(u32 bit)
{
	unsigned int n;

	for (n = 0; n < LL_COVERS - 1; n++)
		if (slot_bits[n] == bit)
			break;
	return n;
}

static unsigned long slot_epoch(struct ll_inode_info *lli, unsigned int n)
{
	unsigned long epoch = 0;
	struct ll_cover *cov;

	rcu_read_lock();
	cov = rcu_dereference(lli->lli_cover[n]);
	if (cov && atomic_read(&cov->cov_bits) & slot_bits[n] && !READ_ONCE(lli->lli_left))
		epoch = cov->cov_epoch;
	rcu_read_unlock();
	return epoch;
}

/**
 * ll_cover_epoch() - whether a lock covers an inode, and since when
 * @inode: inode
 * @bit: MDS_INODELOCK_LOOKUP, _UPDATE, _PERM, _XATTR or _LAYOUT
 *
 * Context: any but an interrupt
 * Return: epoch; 0: it is not covered
 */
unsigned long ll_cover_epoch(struct inode *inode, u32 bit)
{
	return slot_epoch(ll_i2info(inode), slot_of(bit));
}

/**
 * ll_attr_is_covered() - whether the attributes of an inode are those of the server
 * @inode: inode
 * @bits: MDS_INODELOCK_UPDATE and _PERM
 *
 * Context: any but an interrupt
 * Return: true if they are
 */
bool ll_attr_is_covered(struct inode *inode, u32 bits)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	unsigned int n;

	if (bits & ~READ_ONCE(lli->lli_valid))
		return false;
	for (n = 0; n < LL_COVERS; n++)
		if (bits & slot_bits[n] && !slot_epoch(lli, n))
			return false;
	/* The attributes that the caller reads are not older than the bits. */
	smp_rmb();
	return true;
}

/**
 * ll_attr_forget() - an own change has changed attributes that its reply does not have
 * @inode: inode; NULL: none
 *
 * Context: any but an interrupt
 */
void ll_attr_forget(struct inode *inode)
{
	struct ll_inode_info *lli;

	if (!inode)
		return;
	lli = ll_i2info(inode);
	spin_lock(&lli->lli_lock);
	lli->lli_valid = 0;
	lli->lli_used = atomic_long_inc_return(&ll_clock);
	spin_unlock(&lli->lli_lock);
}

static void __covers_drop(struct ll_inode_info *lli)
{
	unsigned int n;

	for (n = 0; n < LL_COVERS; n++)
		ll_cover_put(rcu_replace_pointer(lli->lli_cover[n], NULL,
					      lockdep_is_held(&lli->lli_lock)));
	lli->lli_valid = 0;
	lli->lli_used = atomic_long_inc_return(&ll_clock);
	lli->lli_xattrs_used = lli->lli_used;
}

/* The inode ends. */
void ll_covers_free(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	struct ptlrpc_request *left;

	spin_lock(&lli->lli_lock);
	__covers_drop(lli);
	left = lli->lli_left;
	lli->lli_left = NULL;
	spin_unlock(&lli->lli_lock);
	ptlrpc_request_put(left);
}

/* Requests. */

/* A change that a killed task has left may have been answered. */
static void left_check(struct ll_inode_info *lli)
{
	struct ptlrpc_request *left = NULL;

	if (!READ_ONCE(lli->lli_left))
		return;
	spin_lock(&lli->lli_lock);
	if (lli->lli_left && !lli->lli_left_many &&
	    READ_ONCE(lli->lli_left->rq_phase) == RQ_COMPLETE) {
		left = lli->lli_left;
		__covers_drop(lli);
		lli->lli_left = NULL;
	}
	spin_unlock(&lli->lli_lock);
	ptlrpc_request_put(left);
}

/**
 * ll_op_left() - the task of a change was killed, and the change goes on
 * @lo: request
 *
 * Context: any but an interrupt
 */
void ll_op_left(struct ll_op *lo)
{
	struct ll_inode_info *lli;
	u32 n;

	for (n = 0; n < lo->lop_data.objects; n++) {
		if (!lo->lop_inode[n])
			continue;
		lli = ll_i2info(lo->lop_inode[n]);
		spin_lock(&lli->lli_lock);
		/* Several do not end in the order in which they began: none is waited for. */
		if (lli->lli_left)
			lli->lli_left_many = true;
		else
			WRITE_ONCE(lli->lli_left, ptlrpc_request_get(lo->lop_rep.req));
		spin_unlock(&lli->lli_lock);
	}
}

/* A request is about an inode: what of it is covered now. */
void ll_op_covered(struct ll_op *lo, u32 n, struct inode *inode)
{
	lo->lop_inode[n] = inode;
	left_check(ll_i2info(inode));
	lo->lop_content[n] = ll_cover_epoch(inode, MDS_INODELOCK_UPDATE);
}

/* A later number than all before: for the order of requests and replies. Any context. */
long ll_clock_next(void)
{
	return atomic_long_inc_return(&ll_clock);
}

/* Of replies that are asked for from here on it is not known whether they are older. */
void ll_op_start(struct ll_op *lo)
{
	lo->lop_start = atomic_long_read(&ll_clock);
}

/**
 * ll_cover_new() - what a lock will cover
 * @ask: the lock: its bits; out: its owner, which is the cover
 *
 * Context: may sleep
 * Return: for ll_cover_put(); NULL on allocation failure
 */
struct ll_cover *ll_cover_new(struct md_lock_ask *ask)
{
	struct ll_cover *cov = kzalloc(sizeof(*cov), GFP_KERNEL_ACCOUNT);

	if (!cov)
		return NULL;
	refcount_set(&cov->cov_refcount, 1);
	atomic_set(&cov->cov_bits, ask->bits);
	cov->cov_epoch = atomic_long_inc_return(&ll_clock);
	ask->cbs = &cover_callbacks;
	ask->data = cov;
	return cov;
}

/* A lock of those of @bits that the object lacks; without memory none. */
static void ask_bits(struct ll_op *lo, struct inode *inode, u32 bits)
{
	struct md_lock_ask *ask = &lo->lop_ask;
	unsigned int n;

	ask->bits = bits;
	lo->lop_about = inode;
	for (n = 0; inode && n < LL_COVERS; n++) {
		lo->lop_epoch[n] = slot_epoch(ll_i2info(inode), n);
		if (lo->lop_epoch[n])
			ask->bits &= ~slot_bits[n];
	}
	lo->lop_cover = ask->bits ? ll_cover_new(ask) : NULL;
	if (lo->lop_cover)
		lo->lop_data.lock = ask;
}

/**
 * ll_op_ask() - a request asks for the locks that its object lacks
 * @lo: request
 * @inode: inode of the object that the reply will be about; NULL: not known
 *
 * Without memory it asks for none.
 *
 * Context: may sleep
 */
void ll_op_ask(struct ll_op *lo, struct inode *inode)
{
	bool may_have_layout = !inode || S_ISREG(inode->i_mode);

	ask_bits(lo, inode, LL_COVER_BITS | (may_have_layout ? MDS_INODELOCK_LAYOUT : 0));
}

/* Likewise for the lock of the extended attributes alone. */
void ll_op_ask_xattrs(struct ll_op *lo, struct inode *inode)
{
	ask_bits(lo, inode, MDS_INODELOCK_XATTR);
}

/* The request has ended. The lock stays in the cache of its namespace. */
void ll_op_covers_end(struct ll_op *lo)
{
	ll_cover_put(lo->lop_cover);
	lo->lop_cover = NULL;
	lo->lop_data.lock = NULL;
}

/* Replies. */

/*
 * Bits of the lock that came with the reply; those that it has lost since, its cover has lost, too.
 */
static u32 reply_bits(const struct ll_op *lo)
{
	const struct ldlm_lock *lock = lo->lop_rep.lock;

	if (!lock || !lo->lop_cover)
		return 0;
	atomic_and(ldlm_lock_policy(lock)->ibits.bits, &lo->lop_cover->cov_bits);
	return atomic_read(&lo->lop_cover->cov_bits);
}

/**
 * ll_reply_is_stale() - whether what is cached is as new as a reply
 * @inode: inode
 * @lo: answered request
 *
 * Context: under lli_lock
 * Return: true: the attributes of the reply are not to be used
 */
bool ll_reply_is_stale(struct inode *inode, const struct ll_op *lo)
{
	lockdep_assert_held(&ll_i2info(inode)->lli_lock);
	if (lo->lop_data.opc == MDS_REINT && lo->lop_data.reint != REINT_OPEN)
		return false;
	return ll_attr_is_covered(inode, MDS_INODELOCK_UPDATE | MDS_INODELOCK_PERM);
}

/* @cov: referenced for the slot; NULL: nothing is covered */
static void __slot_set(struct ll_inode_info *lli, unsigned int n, struct ll_cover *cov)
{
	if (cov)
		refcount_inc(&cov->cov_refcount);
	ll_cover_put(rcu_replace_pointer(lli->lli_cover[n], cov, lockdep_is_held(&lli->lli_lock)));
}

/**
 * ll_cover_brings_layout() - whether a reply brought the lock of the layout that it has
 * @inode: inode
 * @lo: answered request, not freed yet
 *
 * An own change leaves the lock alone: a reply that was asked for before is perhaps older than it.
 *
 * Context: under lli_layout_mutex
 * Return: true if it did, and the lock has not gone since: the layout of the reply is that of the
 *	file
 */
bool ll_cover_brings_layout(struct inode *inode, const struct ll_op *lo)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	lockdep_assert_held(&lli->lli_layout_mutex);
	return lli->lli_laid <= lo->lop_start && reply_bits(lo) & MDS_INODELOCK_LAYOUT;
}

/**
 * ll_cover_layout() - the layout of a reply that brought its lock is that of an inode now
 * @inode: inode
 * @lo: answered request, not freed yet
 *
 * If the lock has gone since, nothing is covered: another reply may have brought a newer layout.
 *
 * Context: under lli_layout_mutex
 */
void ll_cover_layout(struct inode *inode, const struct ll_op *lo)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	bool held = reply_bits(lo) & MDS_INODELOCK_LAYOUT;

	lockdep_assert_held(&lli->lli_layout_mutex);
	spin_lock(&lli->lli_lock);
	__slot_set(lli, LL_COVER_LAYOUT, held ? lo->lop_cover : NULL);
	spin_unlock(&lli->lli_lock);
}

/* The reply to an own change of the layout was used. Under lli_layout_mutex */
void ll_cover_laid(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	lockdep_assert_held(&lli->lli_layout_mutex);
	lli->lli_laid = atomic_long_inc_return(&ll_clock);
}

/**
 * ll_cover_layout_drop() - the server has changed the layout, and the lock was left alone
 * @inode: inode
 *
 * The next operation asks for it.
 *
 * Context: may sleep
 */
void ll_cover_layout_drop(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	mutex_lock(&lli->lli_layout_mutex);
	lli->lli_laid = atomic_long_inc_return(&ll_clock);
	spin_lock(&lli->lli_lock);
	__slot_set(lli, LL_COVER_LAYOUT, NULL);
	spin_unlock(&lli->lli_lock);
	mutex_unlock(&lli->lli_layout_mutex);
}

/**
 * ll_cover_reply() - the attributes of a reply are those of an inode now
 * @inode: inode
 * @lo: answered request, not freed yet
 *
 * Context: under lli_lock
 */
void ll_cover_reply(struct inode *inode, const struct ll_op *lo)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	bool crossed = lli->lli_used > lo->lop_start;
	u32 bits = crossed ? 0 : reply_bits(lo), valid = crossed ? 0 : lli->lli_valid;
	unsigned int n;

	lockdep_assert_held(&lli->lli_lock);
	lli->lli_used = atomic_long_inc_return(&ll_clock);
	for (n = 0; n < LL_COVER_LAYOUT && !crossed; n++) {
		if (bits & slot_bits[n]) {
			__slot_set(lli, n, lo->lop_cover);
			valid |= slot_bits[n];
		} else if (lo->lop_about == inode && lo->lop_epoch[n] &&
			   lo->lop_epoch[n] == slot_epoch(lli, n)) {
			/* Covered all the time since the request was made. */
			valid |= slot_bits[n];
		}
	}
	/* Not before the attributes. */
	smp_wmb();
	WRITE_ONCE(lli->lli_valid, valid);
}

/**
 * ll_cover_xattrs() - what covers the extended attributes of a reply
 * @inode: inode
 * @lo: answered request of ll_op_ask_xattrs(), not freed yet
 *
 * Context: under lli_lock
 * Return: epoch of the cover; 0: they may be older than an own change, or no lock covers them
 */
unsigned long ll_cover_xattrs(struct inode *inode, const struct ll_op *lo)
{
	struct ll_inode_info *lli = ll_i2info(inode);
	unsigned long before = lo->lop_epoch[LL_COVER_XATTR], now;
	bool brought = reply_bits(lo) & MDS_INODELOCK_XATTR;

	lockdep_assert_held(&lli->lli_lock);
	if (lli->lli_xattrs_used > lo->lop_start)
		return 0;
	if (brought)
		__slot_set(lli, LL_COVER_XATTR, lo->lop_cover);
	now = slot_epoch(lli, LL_COVER_XATTR);
	return brought || now == before ? now : 0;
}

/*
 * The attributes of the directory that a change was made in. What is covered stays. Under lli_lock.
 */
void ll_cover_parent(struct inode *dir, const struct ll_op *lo)
{
	struct ll_inode_info *lli = ll_i2info(dir);

	lockdep_assert_held(&lli->lli_lock);
	if (lli->lli_used > lo->lop_start)
		lli->lli_valid = 0;
	lli->lli_used = atomic_long_inc_return(&ll_clock);
}

/* Names. */

/**
 * ll_dentry_claim() - a reply says that a name is that of the inode of its dentry, or of none
 * @dentry: name
 * @lo: answered request, not freed yet
 * @dir: number of the directory among its objects
 *
 * Context: any but an interrupt
 */
void ll_dentry_claim(struct dentry *dentry, const struct ll_op *lo, u32 dir)
{
	struct inode *inode = d_inode(dentry);
	unsigned long name = 0;

	if (inode && reply_bits(lo) & MDS_INODELOCK_LOOKUP)
		name = ll_cover_epoch(inode, MDS_INODELOCK_LOOKUP);
	else if (inode && inode == lo->lop_about)
		name = lo->lop_epoch[slot_of(MDS_INODELOCK_LOOKUP)];
	ll_dentry_covered(dentry, lo->lop_content[dir]);
	WRITE_ONCE(dentry->d_fsdata, (void *)name);
}

/* It is valid as long as the directory has the cover of that epoch; 0: it is not. */
void ll_dentry_covered(struct dentry *dentry, unsigned long content)
{
	WRITE_ONCE(dentry->d_time, content);
}

/**
 * ll_dentry_is_covered() - whether a name is valid without asking the server
 * @dir: its directory
 * @dentry: name
 *
 * Context: any but an interrupt; references are not needed under RCU
 * Return: true if it is
 */
bool ll_dentry_is_covered(struct inode *dir, struct dentry *dentry)
{
	unsigned long content = READ_ONCE(dentry->d_time);
	unsigned long name = (unsigned long)READ_ONCE(dentry->d_fsdata);
	struct inode *inode = d_inode_rcu(dentry);

	if (content && content == ll_cover_epoch(dir, MDS_INODELOCK_UPDATE))
		return true;
	return inode && name && name == ll_cover_epoch(inode, MDS_INODELOCK_LOOKUP);
}
