// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open and close of regular files. The server knows which files are open: an object without a
 * name lives until its last close. Directories are not opened at the server.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_fid.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/ptlrpc.h>

#include <uapi/lustre_lite/lustre_user.h>

#include "llite_inode.h"
#include "stats.h"

/*
 * A client tells the server that it has closed a file up to 50 ms later: one that finds the file
 * busy asks again for a second.
 */
#define BUSY_STEP	(HZ / 20)
#define BUSY_TRIES	20

/**
 * struct ll_file - an open regular file, private_data of struct file
 * @lfi_open: what is open at the server; NULL before
 * @lfi_op: request of the open, later that of the close
 * @lfi_inode: of one that is open for writing, if the open has ended: its inode, in use; or NULL
 * @lfi_mount: mount
 * @lfi_before: the one that the server has forgotten, in place of which this is; or NULL
 * @lfi_reads: it is open for reading and nothing else
 * @lfi_kept: for the next open, once it is closed
 */
struct ll_file {
	struct md_open		*lfi_open;
	struct ll_op		*lfi_op;
	struct inode		*lfi_inode;
	struct llite_mount	*lfi_mount;
	struct ll_file		*lfi_before;
	bool			lfi_reads;
	struct ll_kept		lfi_kept;
};

/* Close what is open at the server, which is not waited for, and free it. */
static void file_close(struct ll_file *lf)
{
	struct ll_op *lo = lf->lfi_op;
	char fid[FID_TEXT_SIZE];
	int rc = 0;

	lo->lop_data.later = true;
	if (lf->lfi_inode)
		lo->lop_data.flags = ll_som_closing(lf->lfi_inode, lf->lfi_open);
	if (lf->lfi_open)
		rc = md_close(lo->lop_exp, lf->lfi_open, &lo->lop_data, &lo->lop_rep);
	if (rc)
		CDEBUG(D_INODE, "%s: cannot close [%s]: rc = %d\n",
		       lf->lfi_mount->llm_source.src_fsname,
		       fid_text(&lo->lop_data.object[0].fid, fid), rc);
	ll_op_free(lo);
	kfree(lf);
}

/* A kept one ends. */
void ll_kept_close(struct ll_kept *kept)
{
	file_close(container_of(kept, struct ll_file, lfi_kept));
}

static bool is_delayed(const struct file *file)
{
	return (file->f_flags & O_LOV_DELAY_CREATE) == O_LOV_DELAY_CREATE;
}

/* Execution needs no permission to read. */
static u32 open_flags(const struct file *file)
{
	u32 flags = 0;

	if (file->f_flags & __FMODE_EXEC)
		return MDS_FMODE_EXEC;
	if (file->f_mode & FMODE_READ)
		flags |= MDS_FMODE_READ;
	if (file->f_mode & FMODE_WRITE)
		flags |= MDS_FMODE_WRITE | (is_delayed(file) ? MDS_OPEN_DELAY : 0);
	/* O_ACCMODE: neither is possible, both are checked. */
	return flags ?: MDS_FMODE_READ | MDS_FMODE_WRITE;
}

static struct ll_file *file_new(struct super_block *sb, u32 flags)
{
	struct ll_file *lf = kzalloc(sizeof(*lf), GFP_KERNEL_ACCOUNT);

	if (!lf)
		return ERR_PTR(-ENOMEM);
	lf->lfi_op = ll_op_new(sb, current_cred(), MDS_REINT, REINT_OPEN);
	if (IS_ERR(lf->lfi_op)) {
		int rc = PTR_ERR(lf->lfi_op);

		kfree(lf);
		return ERR_PTR(rc);
	}
	lf->lfi_mount = llite_mount(sb);
	lf->lfi_op->lop_data.flags = flags;
	lf->lfi_reads = flags == MDS_FMODE_READ;
	return lf;
}

static int file_open_call(struct ll_file *lf)
{
	struct ll_op *lo = lf->lfi_op;
	int rc = md_open(lo->lop_exp, &lo->lop_data, &lo->lop_rep, &lf->lfi_open);

	/* After an error there may be a new name as well. */
	if (lo->lop_data.flags & MDS_OPEN_CREAT && (rc || lo->lop_rep.flags & MDS_BODY_CREATED))
		ll_names_forget(lo->lop_inode[0]);
	if (!rc && lo->lop_rep.flags & MDS_BODY_CREATED)
		ll_op_changed(lo);
	if (rc == -EINTR && lo->lop_rep.req)
		ll_op_left(lo);
	return rc;
}

/* The inode of the reply knows that it is open for writing. */
static void file_note_open(struct ll_file *lf, struct inode *inode)
{
	const struct ll_op *lo = lf->lfi_op;

	if (!lf->lfi_open || !(lo->lop_data.flags & MDS_FMODE_WRITE) || !S_ISREG(inode->i_mode))
		return;
	lf->lfi_inode = inode;
	ll_som_opened(inode, lo->lop_rep.flags & MDS_BODY_CREATED);
}

/* Make the request of the open that of the close; the reply is not needed any more. */
static void close_prepare(struct ll_file *lf, const struct md_object *object)
{
	struct ll_op *lo = lf->lfi_op;
	struct md_op_data *op = &lo->lop_data;

	op->opc = MDS_CLOSE;
	op->reint = 0;
	op->flags = 0;
	memset(&op->attr, 0, sizeof(op->attr));
	op->object[0] = *object;
	op->objects = 1;
	op->name = NULL;
	op->name_len = 0;
	ll_op_reply_end(lo);
}

/* A file that gets its layout gets it as its directory says. */
static void op_found_in(struct ll_op *lo, struct inode *inode, struct dentry *dentry)
{
	struct dentry *parent;

	if (!dentry || READ_ONCE(ll_i2info(inode)->lli_layout)) {
		ll_op_found_in(lo, NULL);
		return;
	}
	parent = dget_parent(dentry);
	ll_op_found_in(lo, d_is_dir(parent) ? d_inode(parent) : NULL);
	dput(parent);
}

/*
 * Open an object whose inode is known. @dentry: a name of it, or NULL. Return: for file_close(); or
 * an ERR_PTR
 */
static struct ll_file *file_open_inode(struct inode *inode, struct dentry *dentry, u32 flags)
{
	struct ll_file *lf = file_new(inode->i_sb, flags);
	struct md_object object;
	int rc;

	if (IS_ERR(lf))
		return lf;
	ll_op_object(lf->lfi_op, inode);
	op_found_in(lf->lfi_op, inode, dentry);
	ll_op_ask(lf->lfi_op, inode);
	rc = file_open_call(lf);
	if (!rc) {
		ll_update_inode(inode, lf->lfi_op);
		file_note_open(lf, inode);
	}
	object = lf->lfi_op->lop_data.object[0];
	close_prepare(lf, &object);
	if (!rc && !lf->lfi_open)
		rc = -ESTALE;
	if (!rc)
		return lf;
	file_close(lf);
	return ERR_PTR(rc);
}

/*
 * Some callers of the VFS look at the size of a file before they read: copy_file_range() and the
 * loading of modules. Reads report an object that cannot be asked.
 */
static int file_opened(struct inode *inode, struct file *file)
{
	int rc = generic_file_open(inode, file);

	if (rc)
		return rc;
	file->f_mode |= FMODE_CAN_ODIRECT;
	if (file->f_mode & FMODE_READ && !(file->f_mode & FMODE_CREATED))
		ll_data_refresh(inode, false);
	return 0;
}

/* An open that was kept at the server. Return: NULL: there is none, or none that may be used */
static struct ll_file *file_reopen(struct inode *inode, struct file *file)
{
	struct ll_kept *kept = NULL;
	struct ll_file *lf;

	if (open_flags(file) == MDS_FMODE_READ)
		kept = ll_reopen_take(inode, file->f_cred);
	if (!kept)
		return NULL;
	lf = container_of(kept, struct ll_file, lfi_kept);
	if (!md_lost(lf->lfi_open))
		return lf;
	file_close(lf);
	return NULL;
}

/**
 * ll_busy_again() - a file is busy (-ETXTBSY): whether to ask again
 * @inode: its inode, or that of its directory
 * @tries: how often that was asked, 0 at first
 *
 * The closes of this client are sent, then those of others are waited for.
 *
 * Context: sleeps; a signal that kills the task ends it
 * Return: true: ask again
 */
bool ll_busy_again(struct inode *inode, unsigned int *tries)
{
	const struct md_object obj = { .fid = *ll_inode2fid(inode) };

	if (*tries > BUSY_TRIES || fatal_signal_pending(current))
		return false;
	if (!(*tries)++)
		md_closes(ll_s2client(inode->i_sb)->llc_md, &obj);
	else
		schedule_timeout_killable(BUSY_STEP);
	return true;
}

/**
 * ll_file_open() - open a file whose inode is known
 * @inode: its inode
 * @file: file
 *
 * Context: sleeps
 * Return: 0 or a negative errno; -ESTALE: the VFS walks the path again; -ETXTBSY: the file is
 *  executed and is to be written, or the other way, perhaps by another client
 */
int ll_file_open(struct inode *inode, struct file *file)
{
	struct dentry *dentry = file->f_path.dentry;
	unsigned int tries = 0;
	struct ll_file *lf;
	int rc;
	LL_DEFINE_TIMED(inode->i_sb, LL_STAT_OPEN);

	lf = file_reopen(inode, file);
	while (!lf || (lf == ERR_PTR(-ETXTBSY) && ll_busy_again(inode, &tries)))
		lf = file_open_inode(inode, dentry, open_flags(file));
	if (IS_ERR(lf))
		return PTR_ERR(lf);
	rc = file_opened(inode, file);
	if (rc)
		file_close(lf);
	else
		file->private_data = lf;
	return rc;
}

/**
 * ll_open_to_write() - open a file for writing at the server, without a struct file
 * @inode: its inode
 * @flags: MDS_OPEN_DELAY: it gets no layout; or 0: the reply has its layout
 *
 * Context: sleeps
 * Return: for ll_close_written(); or an ERR_PTR
 */
struct ll_file *ll_open_to_write(struct inode *inode, u32 flags)
{
	struct dentry *dentry = d_find_any_alias(inode);
	struct ll_file *lf = file_open_inode(inode, dentry, MDS_FMODE_WRITE | flags);

	dput(dentry);
	return lf;
}

/**
 * ll_file_open_again() - a file is to be written: the server knows that it is open for that
 * @file: open for writing
 *
 * A server that has evicted this client has forgotten it, and would say a size that others have
 * told.
 *
 * Context: sleeps
 * Return: 0; -EIO: it cannot be opened any more
 */
int ll_file_open_again(struct file *file)
{
	struct ll_file *before = READ_ONCE(file->private_data), *lf;

	if (!md_lost(before->lfi_open))
		return 0;
	lf = ll_open_to_write(file_inode(file), 0);
	if (IS_ERR(lf))
		return PTR_ERR(lf) == -EINTR ? -EINTR : -EIO;
	/* Others may use it until the file is closed. */
	lf->lfi_before = before;
	if (cmpxchg(&file->private_data, before, lf) != before)
		file_close(lf);
	return 0;
}

/* The open of the server, until ll_close_written(). */
struct md_open *ll_written_open(const struct ll_file *lf)
{
	return lf->lfi_open;
}

/* The server is not waited for. */
void ll_close_written(struct ll_file *lf)
{
	file_close(lf);
}

/* The VFS opens the file, or follows the link, by what a lookup found. */
static int lookup_only(struct inode *dir, struct dentry *dentry, struct file *file)
{
	struct dentry *other = d_in_lookup(dentry) ? ll_lookup(dir, dentry, 0) : NULL;

	return IS_ERR(other) ? PTR_ERR(other) : finish_no_open(file, other);
}

/* @lf is consumed. */
static int file_finish(struct dentry *dentry, struct file *file, struct ll_file *lf, bool made)
{
	int rc;

	if (made)
		file->f_mode |= FMODE_CREATED;
	file->private_data = lf;
	rc = finish_open(file, dentry, file_opened);
	/* If it is opened, release closes it. */
	if (!(file->f_mode & FMODE_OPENED)) {
		file->private_data = NULL;
		file_close(lf);
	}
	return rc;
}

static bool is_volatile(const struct qstr *name)
{
	return strstarts(name->name, LUSTRE_VOLATILE_HDR);
}

/* No lookup finds a file without a name. */
static void name_opened(struct dentry *dentry, const struct ll_op *lo)
{
	if (is_volatile(&dentry->d_name))
		d_drop(dentry);
	else
		ll_dentry_claim(dentry, lo, 0);
}

/* @lf is consumed. */
static int open_reply(struct inode *dir, struct dentry *dentry, struct file *file,
		      struct ll_file *lf)
{
	struct ll_op *lo = lf->lfi_op;
	struct md_object object = lo->lop_rep.object;
	bool made = lo->lop_rep.flags & MDS_BODY_CREATED;
	struct inode *inode;
	struct dentry *other;

	ll_update_parent(dir, lo);
	inode = ll_iget(dir->i_sb, lo);
	if (!d_in_lookup(dentry))
		d_drop(dentry);
	other = d_splice_alias(inode, dentry);
	if (!IS_ERR(other)) {
		name_opened(other ?: dentry, lo);
		file_note_open(lf, inode);
	}
	close_prepare(lf, &object);
	if (!IS_ERR(other) && lf->lfi_open && S_ISREG(inode->i_mode))
		return file_finish(dentry, file, lf, made);
	file_close(lf);
	return IS_ERR(other) ? PTR_ERR(other) : finish_no_open(file, other);
}

/* The request of ll_atomic_open(), which may create the name. */
static int atomic_prepare(struct ll_op *lo, struct inode *dir, const struct qstr *name,
			  unsigned int flags, umode_t mode)
{
	int rc = 0;

	ll_op_object(lo, dir);
	ll_op_name(lo, name);
	if (flags & O_CREAT) {
		lo->lop_data.flags |= MDS_OPEN_CREAT |
				     (is_volatile(name) ? MDS_OPEN_VOLATILE :
				      flags & O_EXCL ? MDS_OPEN_EXCL : 0);
		lo->lop_data.attr.mode = S_IFREG | (mode & ~S_IFMT);
		rc = ll_op_new_fid(lo);
	} else {
		ll_op_object(lo, NULL);
	}
	ll_op_ask(lo, NULL);
	return rc;
}

static int open_or_create(struct inode *dir, struct dentry *dentry, struct file *file,
			  unsigned int flags, umode_t mode)
{
	struct ll_file *lf = file_new(dir->i_sb, open_flags(file));
	int rc;

	if (IS_ERR(lf))
		return PTR_ERR(lf);
	rc = atomic_prepare(lf->lfi_op, dir, &dentry->d_name, flags, mode) ?: file_open_call(lf);
	if (!rc)
		return open_reply(dir, dentry, file, lf);
	if (rc == -ENOENT && !(flags & O_CREAT) && d_in_lookup(dentry))
		ll_lookup_missing(dir, dentry, lf->lfi_op->lop_content[0]);
	file_close(lf);
	return rc;
}

/* The VFS calls ll_file_open() for a file that ll_atomic_open() has not opened. */
static void count_opened(const struct file *file, const struct super_block *sb, u64 start)
{
	struct params_stats *stats = ll_s2client(sb)->llc_stats;
	u64 usec = ll_usec_since(start);

	if (file->f_mode & FMODE_CREATED)
		params_stats_add(stats, LL_STAT_CREATE, usec);
	if (file->f_mode & FMODE_OPENED)
		params_stats_add(stats, LL_STAT_OPEN, usec);
}

/**
 * ll_atomic_open() - look a name up and open it, or create it, by one request
 * @dir: directory
 * @dentry: name, in lookup
 * @file: file
 * @flags: O_*, without O_CREAT if the caller may not create
 * @mode: mode of a new file
 *
 * The VFS truncates. With O_CREAT a name that starts with LUSTRE_VOLATILE_HDR is none: the new file
 * has no name.
 *
 * Context: sleeps
 * Return: 0 or a negative errno, as ll_file_open()
 */
int ll_atomic_open(struct inode *dir, struct dentry *dentry, struct file *file,
		   unsigned int flags, umode_t mode)
{
	u64 start = ktime_get_ns();
	unsigned int tries = 0;
	int rc;

	if (dentry->d_name.len > NAME_MAX)
		return -ENAMETOOLONG;
	if (ll_is_dot_lustre(dir, &dentry->d_name))
		return lookup_only(dir, dentry, file);
	if (!(flags & O_CREAT) && flags & (O_DIRECTORY | O_EXCL))
		return lookup_only(dir, dentry, file);
	do {
		rc = open_or_create(dir, dentry, file, flags, mode);
	} while (rc == -ETXTBSY && ll_busy_again(dir, &tries));
	count_opened(file, dir->i_sb, start);
	return rc;
}

struct md_open *ll_file_md_open(const struct file *file)
{
	const struct ll_file *lf = file->private_data;

	return file->f_op == &ll_file_operations ? lf->lfi_open : NULL;
}

/**
 * ll_file_release() - the last reference on an open file is gone
 * @inode: its inode
 * @file: file
 *
 * The server is not waited for.
 *
 * Context: may sleep
 * Return: 0
 */
int ll_file_release(struct inode *inode, struct file *file)
{
	struct ll_file *lf = file->private_data, *before;
	LL_DEFINE_TIMED(inode->i_sb, LL_STAT_CLOSE);

	if (lf && lf->lfi_reads && !lf->lfi_before &&
	    ll_reopen_keep(inode, &lf->lfi_kept, file->f_cred))
		return 0;
	for (; lf; lf = before) {
		before = lf->lfi_before;
		file_close(lf);
	}
	return 0;
}

/**
 * ll_closes_drain() - have the server close what this client has closed
 * @lm: client mount, without super block
 *
 * A server that does not answer is not waited for: it closes what a client has open when that
 * disconnects or is evicted.
 *
 * Context: sleeps, for seconds at most
 */
void ll_closes_drain(struct llite_mount *lm)
{
	static const struct md_object root = {
		.fid = { .f_seq = FID_SEQ_ROOT, .f_oid = FID_OID_ROOT },
	};

	if (!READ_ONCE(lm->llm_force))
		md_closes(lm->llm_client.llc_md, &root);
}
