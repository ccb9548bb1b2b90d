// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that a listing brings with their attributes and locks: a reader that asks for the
 * attributes of each name sends no request for it.
 *
 * Whether a reader does is not known before: a process has credit. It gets some when it asks for
 * the attributes of a name in a directory that it has listed, unless these are cached for another
 * reason, and spends some for each entry that comes with a lock. So a process that only reads names
 * costs nothing, and one that stops to ask wastes LL_CREDIT_MAX entries at most.
 *
 * Names and inodes are made while the directory is read: under i_rwsem, so that no task of this
 * client changes a name in between, and by the rules of cover.c for replies that cross.
 */
#define LUSTRE_LITE_INODE_OPS

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>
#include <linux/wait.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/fail.h>
#include <lustre_lite/lustre_dlm.h>

#include "llite_inode.h"

/* Credit for a name that is asked for, and the most that a process has. */
#define LL_CREDIT_ASKED	2
#define LL_CREDIT_MAX	1024
/* Fewest entries with locks in a request, and most. */
#define LL_AHEAD_MIN	16
#define LL_AHEAD_MAX	256

/**
 * struct ll_ahead - the locks of a request for entries of a directory
 * @lah_ask: what the request asks for
 * @lah_cover: what each lock covers, referenced
 * @lah_lock: the locks that came, referenced, or NULL
 */
struct ll_ahead {
	struct md_ahead		lah_ask;
	void			*lah_cover[LL_AHEAD_MAX];
	struct ldlm_lock	*lah_lock[LL_AHEAD_MAX];
};

/* Processes share a slot: then they get fewer entries with locks, or more. */
static struct ll_reader *reader_slot(struct inode *dir)
{
	struct llite_client *lc = ll_s2client(dir->i_sb);

	return &lc->llc_readers[task_tgid_nr(current) % LL_READERS];
}

static void credit_add(struct ll_reader *reader, int credit)
{
	WRITE_ONCE(reader->lrd_credit,
		   clamp(READ_ONCE(reader->lrd_credit) + credit, 0, LL_CREDIT_MAX));
}

/* A request has brought the attributes of a name. Any context. */
void ll_ahead_brought(const struct dentry *dentry)
{
	WRITE_ONCE(ll_i2info(d_inode(dentry))->lli_unasked, true);
}

/* Whether a request is sent for them, or was, by the lookup or by a listing. */
static bool is_asked_for(struct inode *inode)
{
	struct ll_inode_info *lli = ll_i2info(inode);

	if (!READ_ONCE(lli->lli_unasked))
		return !ll_attr_is_covered(inode, MDS_INODELOCK_UPDATE | MDS_INODELOCK_PERM);
	WRITE_ONCE(lli->lli_unasked, false);
	return true;
}

/**
 * ll_ahead_asked() - a task asks for the attributes of a name
 * @dentry: name, referenced
 *
 * Context: any but an interrupt
 */
void ll_ahead_asked(const struct dentry *dentry)
{
	pid_t pid = task_tgid_nr(current);
	struct ll_reader *reader;
	struct inode *dir;

	rcu_read_lock();
	dir = d_inode_rcu(READ_ONCE(dentry->d_parent));
	if (dir && READ_ONCE(ll_i2info(dir)->lli_reader) == pid && is_asked_for(d_inode(dentry))) {
		reader = reader_slot(dir);
		if (READ_ONCE(reader->lrd_pid) == pid)
			credit_add(reader, LL_CREDIT_ASKED);
	}
	rcu_read_unlock();
}

/**
 * ll_ahead_count() - how many entries are to come with locks
 * @dir: directory that the task reads
 *
 * Context: any but an interrupt
 * Return: their number, LL_AHEAD_MAX at most; 0: none
 */
u32 ll_ahead_count(struct inode *dir)
{
	struct ll_reader *reader = reader_slot(dir);
	pid_t pid = task_tgid_nr(current);
	int credit;

	WRITE_ONCE(ll_i2info(dir)->lli_reader, pid);
	if (READ_ONCE(reader->lrd_pid) != pid) {
		WRITE_ONCE(reader->lrd_credit, 0);
		WRITE_ONCE(reader->lrd_pid, pid);
	}
	credit = READ_ONCE(reader->lrd_credit);
	return credit < LL_AHEAD_MIN ? 0 : min(credit, LL_AHEAD_MAX);
}

/**
 * ll_ahead_new() - a request will ask for entries with locks
 * @lo: request
 * @count: entries
 * @entries: where they will be
 *
 * Context: may sleep
 * Return: for ll_ahead_free(); NULL: without memory the entries come without
 */
struct ll_ahead *ll_ahead_new(struct ll_op *lo, u32 count, const void *entries)
{
	struct ll_ahead *la = kvzalloc(sizeof(*la), GFP_KERNEL);
	struct md_lock_ask one = { .bits = LL_COVER_BITS | MDS_INODELOCK_LAYOUT };
	struct md_ahead *ask;

	if (!la)
		return NULL;
	ask = &la->lah_ask;
	ask->entries = entries;
	ask->data = la->lah_cover;
	ask->lock = la->lah_lock;
	while (ask->count < min_t(u32, count, LL_AHEAD_MAX)) {
		la->lah_cover[ask->count] = ll_cover_new(&one);
		if (!la->lah_cover[ask->count])
			break;
		ask->count++;
	}
	ask->bits = one.bits;
	ask->cbs = one.cbs;
	lo->lop_data.ahead = ask;
	return la;
}

/*
 * A name may be in lookup by a task whose request waits for a lock of another client, and that
 * client may wait for one of these in the same way. So none is used meanwhile: they may be lost,
 * which their covers say.
 */
static void locks_unuse(struct ll_ahead *la)
{
	u32 n;

	for (n = 0; n < la->lah_ask.count; n++)
		if (la->lah_lock[n])
			ldlm_lock_decref(la->lah_lock[n]);
}

/* Locks stay in the cache of their namespace. NULL is permitted. */
void ll_ahead_free(struct ll_ahead *la)
{
	u32 n;

	if (!la)
		return;
	for (n = 0; n < la->lah_ask.count; n++) {
		if (la->lah_lock[n])
			ldlm_lock_put(la->lah_lock[n]);
		ll_cover_put(la->lah_cover[n]);
	}
	kvfree(la);
}

/* A dentry that is known already; one of another object is left to its next use. */
static void name_known(struct dentry *dentry, const struct ll_op *lo)
{
	struct inode *inode = d_inode(dentry);
	bool covered;

	if (!inode || !lu_fid_eq(ll_inode2fid(inode), &lo->lop_rep.object.fid))
		return;
	covered = ll_attr_is_covered(inode, MDS_INODELOCK_UPDATE | MDS_INODELOCK_PERM);
	ll_update_inode(inode, lo);
	ll_dentry_claim(dentry, lo, 0);
	if (!covered)
		ll_ahead_brought(dentry);
}

/* The name is new here. */
static void name_add(struct dentry *dentry, const struct ll_op *lo)
{
	struct dentry *other = d_splice_alias(ll_iget(dentry->d_sb, lo), dentry);

	if (!IS_ERR(other)) {
		ll_dentry_claim(other ?: dentry, lo, 0);
		ll_ahead_brought(other ?: dentry);
	}
	d_lookup_done(dentry);
	if (!IS_ERR_OR_NULL(other))
		dput(other);
}

/* The reply of @lo is about the entry. */
static void name_use(struct dentry *parent, const struct ll_op *lo, const struct md_dirent *ent)
{
	struct qstr name = QSTR_INIT(ent->name, ent->name_len);
	DECLARE_WAIT_QUEUE_HEAD_ONSTACK(wait);
	struct dentry *dentry;

	name.hash = full_name_hash(parent, name.name, name.len);
	dentry = d_lookup(parent, &name) ?: compat_d_alloc_parallel(parent, &name, &wait);
	if (IS_ERR(dentry))
		return;
	if (d_in_lookup(dentry))
		name_add(dentry, lo);
	else
		name_known(dentry, lo);
	dput(dentry);
}

/* As if a lookup had been answered. */
static void reply_fill(struct md_reply *rep, const struct md_dirent *ent, struct ldlm_lock *lock)
{
	*rep = (struct md_reply) {
		.object = ent->object,
		.attr = ent->attr,
		.acl = ent->acl,
		.acl_len = ent->acl_len,
		.result = ent->result,
		.result_len = ent->result_len,
		.layout = ent->layout,
		.layout_len = ent->layout_len,
		.lock = lock,
	};
}

/**
 * ll_ahead_use() - make names and inodes of the entries that came with locks
 * @la: their locks, which are used and referenced; once
 * @parent: directory, whose i_rwsem the caller holds
 * @lo: answered request
 * @bytes: of the entries
 *
 * Context: sleeps
 */
void ll_ahead_use(struct ll_ahead *la, struct dentry *parent, struct ll_op *lo, u32 bytes)
{
	struct md_dirent ent = { .name_len = 1 };
	u32 n, offset = 0;

	locks_unuse(la);
	CFS_FAIL_TIMEOUT(LL_FAIL_AHEAD_USE, 60);
	for (n = 0; n < la->lah_ask.count; n++) {
		if (md_dirent_decode(la->lah_ask.entries + offset, bytes - offset, &ent) ||
		    !ent.name_len)
			break;
		offset += ent.len;
		if (la->lah_lock[n] && ent.flags & MDS_DIRENT_WHOLE) {
			reply_fill(&lo->lop_rep, &ent, la->lah_lock[n]);
			lo->lop_cover = la->lah_cover[n];
			name_use(parent, lo, &ent);
		}
	}
	credit_add(reader_slot(d_inode(parent)), -(int)n);
	/* These are not the request's own. */
	memset(&lo->lop_rep, 0, sizeof(lo->lop_rep));
	lo->lop_cover = NULL;
}
