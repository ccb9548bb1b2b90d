/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree of a client mount. Names and attributes are cached under locks of the metadata target,
 * which returns them before another client changes what they stand for. Data, size and times of
 * files are cached under locks of the objects.
 *
 *	inode.c		inodes by FID, their attributes
 *	op.c		a request: on whose behalf, for which objects
 *	cover.c		what locks permit to cache
 *	dcache.c	whether a name is still that of its object
 *	namei.c		lookup; link, unlink, rename
 *	create.c	new objects
 *	open.c		open and close of regular files
 *	file.c		operations of open regular files
 *	layout.c	which objects a file has
 *	data.c		size and times that the objects have
 *	som.c		size and times of files that no client writes to
 *	cache.c		locks of the data, and what they permit to cache
 *	grace.c		locks that are kept for the next access; cache.h
 *	pages.c		pages: read, written
 *	grant.c		pages without grant
 *	rw.c		read and write through the cache
 *	first_read.c	the first read of a small file
 *	direct.c	read and write without it
 *	mmap.c		mappings
 *	flock.c		locks of users
 *	dir.c		open directories
 *	dir_cache.c	names of directories that are cached; dir_cache.h
 *	ahead.c		names that a listing brings with locks
 *	attr.c		getattr, setattr, permission
 *	xattr.c acl.c	extended attributes, ACLs
 *	xattr_cache.c	extended attributes that are cached
 *	lov_user.c	layouts as users see them
 *	swap.c		files get the objects of others
 *	ioctl.c		ioctls of files and directories; ioctl_target.c of targets
 *	reopen.c	files that stay open at the server for the next open
 *	space.c		fallocate(), SEEK_HOLE, SEEK_DATA
 *	pages_work.c	works that read and write pages; pages_work.h
 *	fid2path.c	names of objects
 *	dot_lustre.c	.lustre/fid
 *	stats.c		llite.*.stats
 *
 * Locks: lli_lock of an inode is innermost. Over a request i_rwsem and mmap_lock of the kernel are
 * held, and locks of the data, see cache.c.
 */
#ifndef _LLITE_INODE_H
#define _LLITE_INODE_H

#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/lustre_md.h>

#include "llite_internal.h"

struct dt_io;
struct ll_ahead;
struct ll_cache;
struct ll_cover;
struct ll_file;
struct ll_names;
struct ll_op;
struct ll_xattrs;
struct lov_layout;
struct md_open;
struct obd_export;
struct posix_acl;
struct ptlrpc_request;

/* Supplementary groups that need no allocation of their own. */
#define LL_GROUPS_FEW	32
/*
 * Fault point for fail_loc: a listing has its entries, and pauses for a minute before it uses them.
 */
#define LL_FAIL_AHEAD_USE	0x1410
/* Likewise a first read, with its bytes. */
#define LL_FAIL_FIRST_USE	0x1411
/* Bytes of a job's id, with a NUL. */
#define LL_JOB_SIZE	(WIRE_MSG_JOBID_LEN + 1)

/* enum ll_slot - what is covered by a lock: MDS_INODELOCK_* */
enum ll_slot {
	LL_COVER_LOOKUP,
	LL_COVER_UPDATE,
	LL_COVER_PERM,
	LL_COVER_XATTR,
	LL_COVER_LAYOUT,
	LL_COVERS
};

/* Of every object; a regular file has LAYOUT, too. */
#define LL_COVER_BITS	(MDS_INODELOCK_LOOKUP | MDS_INODELOCK_UPDATE | MDS_INODELOCK_PERM |	\
			 MDS_INODELOCK_XATTR)

/**
 * struct ll_layout - the layout of a file, from the first reply that has one on
 * @ly_ref: held by the inode, and by operations on the data for their time
 * @ly_exp: data volume
 * @ly_lov: the layout there, the inode's
 * @ly_cache: owner of its locks, as long as @ly_lov
 * @ly_rc: why its value cannot be used, or 0; guarded by lli_lock
 */
struct ll_layout {
	refcount_t		ly_ref;
	int			ly_rc;
	struct obd_export	*ly_exp;
	struct lov_layout	*ly_lov;
	struct ll_cache		*ly_cache;
};

/**
 * struct ll_data - what the objects of a file said last, as changed by this client since
 * @lda_size: bytes of the file
 * @lda_blocks: blocks of 512 bytes
 * @lda_mtime: time of the last write
 * @lda_ctime: time of the last change; 0: no object was written
 */
struct ll_data {
	u64			lda_size;
	u64			lda_blocks;
	struct timespec64	lda_mtime;
	struct timespec64	lda_ctime;
};

/**
 * struct ll_inode_info - an inode of a client mount
 * @lli_fid: FID, constant
 * @lli_lock: guards all that follows, and updates of the attributes in @lli_vfs_inode
 * @lli_hint: where the server finds the object
 * @lli_btime: time of its creation
 * @lli_mtime: the metadata target's mtime of a file with layout
 * @lli_ctime: the metadata target's ctime of a file with layout
 * @lli_layout: layout, referenced, which stays; NULL: none yet; or an ERR_PTR
 * @lli_data: what the objects of @lli_layout said
 * @lli_sized: @lli_data is right as long as the locks of the data are held, see cache.c
 * @lli_doubt: neither it nor the pages are right, see ll_data_unsure()
 * @lli_blocks_old: @lli_data is right but for the blocks
 * @lli_lockers: tasks that use the locks of the data
 * @lli_contended: another client has written when this one read the file for the first time
 * @lli_frozen: tasks that want them wait, as the file gets other objects; set under i_rwsem
 * @lli_version: number of the content, see ll_data_version(); 0: none was asked for
 * @lli_faulting: tasks that read memory in for a call on this file: it may be mapped there
 * @lli_layout_mutex: orders replies that have the layout; outermost
 * @lli_layout_missed: there was no memory for the last of them; written under @lli_layout_mutex
 * @lli_laid: when the reply to an own change of the layout was used last
 * @lli_used: when a reply changed the attributes last, see cover.c
 * @lli_valid: MDS_INODELOCK_*: of these the attributes are those of the server while covered
 * @lli_cover: the lock that covers each of them, referenced, or NULL
 * @lli_acl: the access ACL, referenced, under PERM; NULL: none; or an ERR_PTR
 * @lli_xattrs: extended attributes, referenced, or NULL, see xattr_cache.c
 * @lli_xattrs_used: when an own change of them was answered last
 * @lli_names: names of a directory, referenced, or NULL, see dir_cache.c
 * @lli_dir_changes: own changes of these
 * @lli_job: job that has written to the file last
 * @lli_left: a change that a killed task has left, referenced, or NULL
 * @lli_left_many: there was more than one
 * @lli_reader: process that has listed the directory last
 * @lli_unasked: a lookup or a listing has brought the attributes, and no task has asked for them
 *	since
 * @lli_writers: own opens for writing at the server
 * @lli_som: @lli_data is what the metadata target said, as long as UPDATE is covered, see som.c
 * @lli_som_open: when the last own open for writing was answered: replies of before do not count
 * @lli_changed: this client has changed the data since the metadata target was told
 * @lli_unsure: some of that is lost, or was done in part: it is not told any more
 * @lli_told: the blocks in @lli_data are those after the last write
 * @lli_told_at: by the object's ctime in the reply to that
 * @lli_done: the open whose close promised to tell the size, or NULL
 * @lli_som_item: in llc_som, under its lock
 * @lli_kept: an open of it for the next open, or NULL, under llc_kept_lock, see reopen.c
 * @lli_vfs_inode: the inode. i_link of a symbolic link is its target, set once, freed with it
 *
 * Created by ll_iget(), freed after a grace period by the last iput().
 */
struct ll_inode_info {
	struct lu_fid		lli_fid;
	spinlock_t		lli_lock;
	struct lustre_hint	lli_hint;
	struct timespec64	lli_btime;
	struct timespec64	lli_mtime;
	struct timespec64	lli_ctime;
	struct ll_layout	*lli_layout;
	struct ll_data		lli_data;
	bool			lli_sized;
	bool			lli_doubt;
	bool			lli_blocks_old;
	atomic_t		lli_lockers;
	bool			lli_contended;
	bool			lli_frozen;
	atomic64_t		lli_version;
	atomic_t		lli_faulting;
	struct mutex		lli_layout_mutex;
	bool			lli_layout_missed;
	long			lli_laid;
	long			lli_used;
	u32			lli_valid;
	bool			lli_left_many;
	bool			lli_unasked;
	pid_t			lli_reader;
	struct ll_cover __rcu	*lli_cover[LL_COVERS];
	struct posix_acl __rcu	*lli_acl;
	struct ll_xattrs	*lli_xattrs;
	long			lli_xattrs_used;
	struct ll_names		*lli_names;
	u32			lli_dir_changes;
	char			lli_job[LL_JOB_SIZE];
	struct ptlrpc_request	*lli_left;
	u32			lli_writers;
	bool			lli_som;
	bool			lli_changed;
	bool			lli_unsure;
	bool			lli_told;
	long			lli_som_open;
	struct timespec64	lli_told_at;
	struct md_open		*lli_done;
	struct list_head	lli_som_item;
	struct ll_kept		*lli_kept;
	struct inode		lli_vfs_inode;
};

static inline struct ll_inode_info *ll_i2info(struct inode *inode)
{
	return container_of(inode, struct ll_inode_info, lli_vfs_inode);
}

static inline const struct lu_fid *ll_inode2fid(struct inode *inode)
{
	return &ll_i2info(inode)->lli_fid;
}

/* The client of a super block. */
static inline struct llite_client *ll_s2client(const struct super_block *sb)
{
	return &llite_mount(sb)->llm_client;
}

static inline struct timespec64 ll_timespec_of(const struct md_time *time)
{
	return (struct timespec64){ .tv_sec = time->sec, .tv_nsec = time->nsec };
}

static inline struct md_time ll_md_time_of(const struct timespec64 *ts)
{
	return (struct md_time){ .sec = ts->tv_sec, .nsec = ts->tv_nsec };
}

/* --- inode.c -------------------------------------------------------------------------- */

int ll_inodes_init(void);
void ll_inodes_exit(void);
struct inode *ll_alloc_inode(struct super_block *sb);
void ll_evict_inode(struct inode *inode);
void ll_free_inode(struct inode *inode);
struct inode *ll_iget(struct super_block *sb, const struct ll_op *lo);
struct inode *ll_root_iget(struct super_block *sb);
struct inode *ll_inode_get(struct super_block *sb, const struct lu_fid *fid);
/* Bytes of the text of a path, with a NUL. */
#define LL_PATH_TEXT	128
void ll_inode_path(struct inode *inode, char text[LL_PATH_TEXT]);
void ll_update_inode(struct inode *inode, const struct ll_op *lo);
void ll_update_parent(struct inode *dir, const struct ll_op *lo);

/* --- op.c ----------------------------------------------------------------------------- */

/**
 * struct ll_op - a request and its reply
 * @lop_exp: metadata volume
 * @lop_data: request
 * @lop_rep: reply, valid after ll_op_call() has returned 0
 * @lop_inode: inodes of its objects, held by the caller, or NULL
 * @lop_content: epochs of UPDATE of these, when the request was made
 * @lop_about: inode of the object that the reply is about, if that was known, or NULL
 * @lop_epoch: epochs of its covers, when the request was made
 * @lop_start: replies that were used since then are later or earlier ones
 * @lop_ask: the lock that it asks for
 * @lop_cover: its cover, referenced, or NULL
 * @lop_groups: memory of lop_data.groups if it is not @lop_few; or NULL
 * @lop_few: memory of a few groups
 */
struct ll_op {
	struct obd_export	*lop_exp;
	struct md_op_data	lop_data;
	struct md_reply		lop_rep;
	struct inode		*lop_inode[MDS_OBJECTS_MAX];
	unsigned long		lop_content[MDS_OBJECTS_MAX];
	struct inode		*lop_about;
	unsigned long		lop_epoch[LL_COVERS];
	long			lop_start;
	struct md_lock_ask	lop_ask;
	struct ll_cover		*lop_cover;
	__le32			*lop_groups;
	__le32			lop_few[LL_GROUPS_FEW];
};

struct ll_op *ll_op_new(struct super_block *sb, const struct cred *cred, u32 opc, u32 reint);
void ll_op_object(struct ll_op *lo, struct inode *inode);
void ll_op_found_in(struct ll_op *lo, struct inode *dir);
void ll_op_name(struct ll_op *lo, const struct qstr *name);
int ll_op_call(struct ll_op *lo);
void ll_op_changed(const struct ll_op *lo);
void ll_op_reply_end(struct ll_op *lo);
void ll_op_free(struct ll_op *lo);

/* --- cover.c -------------------------------------------------------------------------- */

struct ll_cover *ll_cover_new(struct md_lock_ask *ask);
void ll_cover_put(struct ll_cover *cov);
unsigned long ll_cover_epoch(struct inode *inode, u32 bit);
bool ll_attr_is_covered(struct inode *inode, u32 bits);
void ll_attr_forget(struct inode *inode);
void ll_covers_free(struct inode *inode);
void ll_op_left(struct ll_op *lo);
void ll_op_covered(struct ll_op *lo, u32 n, struct inode *inode);
void ll_op_start(struct ll_op *lo);
void ll_op_ask(struct ll_op *lo, struct inode *inode);
void ll_op_ask_xattrs(struct ll_op *lo, struct inode *inode);
void ll_op_covers_end(struct ll_op *lo);
long ll_clock_next(void);
bool ll_reply_is_stale(struct inode *inode, const struct ll_op *lo);
void ll_cover_reply(struct inode *inode, const struct ll_op *lo);
bool ll_cover_brings_layout(struct inode *inode, const struct ll_op *lo);
void ll_cover_layout(struct inode *inode, const struct ll_op *lo);
void ll_cover_laid(struct inode *inode);
void ll_cover_layout_drop(struct inode *inode);
unsigned long ll_cover_xattrs(struct inode *inode, const struct ll_op *lo);
void ll_cover_parent(struct inode *dir, const struct ll_op *lo);
void ll_dentry_claim(struct dentry *dentry, const struct ll_op *lo, u32 dir);
void ll_dentry_covered(struct dentry *dentry, unsigned long content);
bool ll_dentry_is_covered(struct inode *dir, struct dentry *dentry);

/* --- dcache.c ------------------------------------------------------------------------- */

extern const struct dentry_operations ll_d_ops;

/* --- namei.c -------------------------------------------------------------------------- */

struct ll_op *ll_getattr_name(struct inode *dir, const struct qstr *name, struct inode *known);
void ll_lookup_missing(struct inode *dir, struct dentry *dentry, unsigned long content);
struct dentry *ll_lookup(struct inode *dir, struct dentry *dentry, unsigned int flags);
int ll_link(struct dentry *old, struct inode *dir, struct dentry *dentry);
int ll_unlink(struct inode *dir, struct dentry *dentry);
int ll_rmdir(struct inode *dir, struct dentry *dentry);
int ll_rename(struct compat_idmap *idmap, struct inode *dir, struct dentry *dentry,
	      struct inode *new_dir, struct dentry *new_dentry, unsigned int flags);

/* --- create.c ------------------------------------------------------------------------- */

int ll_op_new_fid(struct ll_op *lo);
int ll_create(struct inode *dir, struct dentry *dentry, umode_t mode);
int ll_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode);
int ll_mknod(struct compat_idmap *idmap, struct inode *dir, struct dentry *dentry,
	     umode_t mode, dev_t dev);
int ll_symlink(struct compat_idmap *idmap, struct inode *dir, struct dentry *dentry,
	       const char *target);

/* --- open.c --------------------------------------------------------------------------- */

int ll_atomic_open(struct inode *dir, struct dentry *dentry, struct file *file,
		   unsigned int flags, umode_t mode);
int ll_file_open(struct inode *inode, struct file *file);
struct ll_file *ll_open_to_write(struct inode *inode, u32 flags);
int ll_file_open_again(struct file *file);
struct md_open *ll_written_open(const struct ll_file *lf);
void ll_close_written(struct ll_file *lf);
bool ll_busy_again(struct inode *inode, unsigned int *tries);
int ll_file_release(struct inode *inode, struct file *file);
/* The open object at the server, as long as @file is open; NULL: @file is of another module. */
struct md_open *ll_file_md_open(const struct file *file);
void ll_closes_drain(struct llite_mount *lm);

/* --- file.c --------------------------------------------------------------------------- */

extern const struct file_operations ll_file_operations;

int ll_sync(struct inode *inode);
int ll_fsync(struct file *file, loff_t start, loff_t end, int datasync);

/* --- layout.c ------------------------------------------------------------------------- */

/* Pages to read ahead: those of two requests of WIRE_BULK_DEFAULT, side by side. */
#define LL_READ_AHEAD	(2 * WIRE_BULK_DEFAULT >> PAGE_SHIFT)

/* Whether the server is to be asked for the layout again: -ENOMEM, or 0. Any context. */
static inline int ll_layout_missed(struct inode *inode)
{
	return READ_ONCE(ll_i2info(inode)->lli_layout_missed) ? -ENOMEM : 0;
}

void ll_layout_update(struct inode *inode, const struct ll_op *lo);
bool ll_layout_is_known(struct inode *inode);
struct ll_layout *ll_layout_get(struct inode *inode);

/*
 * Whether an error of ll_layout_get() says that the layout is not served: the attributes are the
 * server's.
 */
static inline bool ll_layout_is_refused(int rc)
{
	return rc == -EOPNOTSUPP || rc == -EUCLEAN;
}

struct ll_layout *ll_layout_make(struct inode *inode);
int ll_layout_extend(struct inode *inode, struct ll_layout *ly, struct file *file, u64 end);
int ll_layout_lock(struct inode *inode, struct ll_layout *ly, struct file *file, u64 end,
		   struct dt_locks *locks);
u32 ll_layout_rpc_pages(const struct ll_layout *ly);
/* Drop a reference; NULL and ERR_PTRs have none. Any context. */
void ll_layout_put(struct ll_layout *ly);

/* --- data.c --------------------------------------------------------------------------- */

bool ll_data_is_unwritten(struct inode *inode);
void __ll_data_merge(struct inode *inode);
void ll_data_learned(struct inode *inode, const struct md_attr *attr);
int ll_data_refresh(struct inode *inode, bool blocks);
void ll_data_written(struct inode *inode, u64 end, const struct timespec64 *now);
void ll_data_answered(struct inode *inode, const struct md_attr *attr);
void ll_data_times(struct inode *inode, struct md_attr *attr);
void ll_data_unsure(struct inode *inode);
int ll_data_setattr(struct inode *inode, struct md_attr *to);
int ll_data_sync_all(struct llite_client *lc);

/* --- som.c ---------------------------------------------------------------------------- */

void ll_som_init(struct llite_client *lc);
void __ll_som_reply(struct inode *inode, const struct ll_op *lo);
bool ll_som_is_covered(struct inode *inode);
void ll_som_opened(struct inode *inode, bool created);
u32 ll_som_closing(struct inode *inode, struct md_open *open);
void ll_som_tell(struct super_block *sb);
/* Changes of the data by this client are lost, or done in part. Any context. */
static inline void ll_som_unsure(struct inode *inode)
{
	WRITE_ONCE(ll_i2info(inode)->lli_unsure, true);
}


void ll_som_umount(struct super_block *sb);
void ll_som_evict(struct inode *inode);

/* --- reopen.c ------------------------------------------------------------------------- */

/**
 * struct ll_kept - an open for reading that outlives the close of the file; part of it
 * @kep_item: in llc_kept
 * @kep_inode: inode, which ends it with itself
 * @kep_cred: credentials of the open, referenced
 * @kep_since: when the file was closed, jiffies
 */
struct ll_kept {
	struct list_head	kep_item;
	struct inode		*kep_inode;
	const struct cred	*kep_cred;
	unsigned long		kep_since;
};

void ll_reopen_init(struct llite_client *lc);
bool ll_reopen_keep(struct inode *inode, struct ll_kept *kept, const struct cred *cred);
struct ll_kept *ll_reopen_take(struct inode *inode, const struct cred *cred);
void ll_reopen_evict(struct inode *inode);
void ll_reopen_umount(struct llite_client *lc);
/* open.c: the server is not waited for. */
void ll_kept_close(struct ll_kept *kept);

/* --- cache.c -------------------------------------------------------------------------- */

struct ll_cache * __must_check ll_cache_new(struct inode *inode);
struct dt_owner *ll_cache_owner(struct ll_cache *cache);
void ll_cache_end(struct inode *inode);
void ll_cache_lost(struct inode *inode);
void ll_cache_forget(struct inode *inode);
void ll_data_changes(struct inode *inode);
u64 ll_data_number(struct inode *inode);
/*
 * Whether the content is that of when lli_version was @number, as ll_data_number() says. Any
 * context.
 */
static inline bool ll_data_version_is(struct inode *inode, u64 number)
{
	return (u64)atomic64_read(&ll_i2info(inode)->lli_version) == number;
}

int ll_data_freeze(struct inode *inode, struct ll_layout *ly, u64 number, struct dt_locks *locks);
void ll_data_thaw(struct inode *inode);
int ll_data_lock(struct inode *inode, struct ll_layout *ly, u32 mode, enum dt_wait wait,
		 struct dt_locks *locks);
int ll_data_lock_read(struct inode *inode, struct ll_layout *ly, const struct dt_io *io, u64 number,
		      struct dt_locks *locks);
bool __must_check __ll_data_unlock(struct inode *inode, struct ll_layout *ly,
				   struct dt_locks *locks);
void ll_data_unlock(struct inode *inode, struct ll_layout *ly, struct dt_locks *locks);
bool __must_check ll_data_unlock_later(struct inode *inode, struct ll_layout *ly,
				       struct dt_locks *locks);

/*
 * Whether a page that is in the cache, and locked, may be read: a task uses the locks, and they are
 * not cancelled before the page is unlocked.
 */
static inline bool ll_data_covered(struct inode *inode)
{
	return atomic_read(&ll_i2info(inode)->lli_lockers) > 0;
}

/* --- pages_work.c --------------------------------------------------------------------- */

/*
 * The error of a write that is reported later. Others, as of a read-only target, are of no use
 * then.
 */
static inline int ll_write_error(int rc)
{
	return rc == -ENOSPC || rc == -EDQUOT ? rc : -EIO;
}

int ll_pages_init(void);
void ll_pages_exit(void);
void ll_job_note(struct inode *inode);

/* --- pages.c -------------------------------------------------------------------------- */

extern const struct address_space_operations ll_aops;

int ll_folio_fill(struct ll_layout *ly, struct folio *folio);
void ll_pages_zero_tail(struct inode *inode, loff_t size);
int ll_pages_wait(struct inode *inode, loff_t start, loff_t end);
int ll_pages_sync(struct inode *inode, loff_t start, loff_t end);

/* --- grant.c -------------------------------------------------------------------------- */

int ll_folio_store(struct inode *inode, struct ll_layout *ly, struct folio *folio);
bool ll_grant_wait(struct inode *inode, struct ll_layout *ly, loff_t pos);

/* --- direct.c ------------------------------------------------------------------------- */

ssize_t ll_direct_read(struct kiocb *iocb, struct iov_iter *to, struct ll_layout *ly);
ssize_t ll_direct_write(struct kiocb *iocb, struct iov_iter *from, struct ll_layout *ly,
			size_t most);

/* --- first_read.c --------------------------------------------------------------------- */

void ll_first_read(struct inode *inode, struct ll_layout *ly);

/* --- rw.c ----------------------------------------------------------------------------- */

ssize_t ll_file_read_iter(struct kiocb *iocb, struct iov_iter *to);
ssize_t ll_file_write_iter(struct kiocb *iocb, struct iov_iter *from);
int ll_write_lock(struct kiocb *iocb, struct ll_layout *ly, size_t len, struct dt_locks *locks);

/* --- space.c -------------------------------------------------------------------------- */

long ll_file_fallocate(struct file *file, int mode, loff_t pos, loff_t len);
loff_t ll_file_seek_space(struct file *file, loff_t pos, bool hole);

/* --- mmap.c --------------------------------------------------------------------------- */

int ll_file_mmap(struct file *file, struct vm_area_struct *vma);

/* --- flock.c -------------------------------------------------------------------------- */

int ll_file_flock(struct file *file, int cmd, struct file_lock *fl);
int ll_file_lock(struct file *file, int cmd, struct file_lock *fl);

/* --- dir.c ---------------------------------------------------------------------------- */

extern const struct file_operations ll_dir_operations;

/* --- dir_cache.c ---------------------------------------------------------------------- */

void ll_names_forget(struct inode *dir);

/* --- ahead.c -------------------------------------------------------------------------- */

void ll_ahead_brought(const struct dentry *dentry);
void ll_ahead_asked(const struct dentry *dentry);
u32 ll_ahead_count(struct inode *dir);
struct ll_ahead *ll_ahead_new(struct ll_op *lo, u32 count, const void *entries);
void ll_ahead_use(struct ll_ahead *la, struct dentry *parent, struct ll_op *lo, u32 bytes);
void ll_ahead_free(struct ll_ahead *la);

/* --- attr.c --------------------------------------------------------------------------- */

int ll_inode_refresh(struct inode *inode);
int ll_inode_used(struct inode *inode);
void ll_inode_layout_ask(struct inode *inode, dt_value_t *use, void *data);
int ll_inode_fresh(struct inode *inode, u32 bits);
int ll_getattr(struct compat_idmap *idmap, const struct path *path, struct kstat *stat,
	       u32 mask, unsigned int flags);
int ll_setattr(struct compat_idmap *idmap, struct dentry *dentry, struct iattr *attr);
int ll_permission(struct compat_idmap *idmap, struct inode *inode, int mask);

/* --- xattr.c -------------------------------------------------------------------------- */

ssize_t ll_xattr_get(struct inode *inode, const char *name, void *value, size_t size);
int ll_xattr_set(struct inode *inode, const char *name, const void *value, size_t size,
		 u32 flags);
ssize_t ll_listxattr(struct dentry *dentry, char *names, size_t size);

extern const struct xattr_handler *ll_xattr_handlers[];

/* --- xattr_cache.c -------------------------------------------------------------------- */

struct ll_xattrs *ll_xattrs_known(struct inode *inode);
struct ll_xattrs *ll_xattrs_ask(struct inode *inode);
void ll_xattrs_put(struct ll_xattrs *xs);
ssize_t ll_xattrs_value(const struct ll_xattrs *xs, const char *name, void *value, size_t size);
bool ll_xattrs_next(const struct ll_xattrs *xs, u32 *at, const char **name, u32 *len);
bool ll_xattrs_list_is_whole(const struct ll_xattrs *xs);
void ll_xattrs_forget(struct inode *inode);
void ll_xattrs_forget_caps(struct inode *inode);

/* --- lov_user.c ----------------------------------------------------------------------- */

extern const struct xattr_handler ll_lustre_lov_handler;
extern const struct xattr_handler ll_lustre_comps_handler;
extern const struct xattr_handler ll_trusted_lov_handler;

ssize_t ll_lov_get(struct inode *inode, void *value, size_t size);
int ll_lov_set(struct inode *inode, const void *value, size_t size);

/* --- swap.c --------------------------------------------------------------------------- */

int ll_data_version(struct file *file, void __user *user);
int ll_swap_layouts(struct file *file, void __user *user);

/* --- ioctl.c -------------------------------------------------------------------------- */

long ll_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

int ll_target_get(const struct llite_client *lc, void __user *arg);
int ll_target_statfs(const struct llite_client *lc, void __user *arg);
int ll_target_count(const struct llite_client *lc, void __user *arg);
int ll_target_flags(const struct llite_client *lc, void __user *arg);

/* --- fid2path.c ----------------------------------------------------------------------- */

int ll_fid2path(struct super_block *sb, void __user *user);
int ll_getparent(struct inode *inode, void __user *user);

/* Whether the task may find and open objects by FID. */
static inline bool ll_may_use_fids(const struct super_block *sb)
{
	return READ_ONCE(llite_mount(sb)->llm_options.op_given) & LLITE_OPT_USER_FID2PATH ||
	       capable(CAP_DAC_READ_SEARCH);
}

/* --- dot_lustre.c --------------------------------------------------------------------- */

#define LL_DOT_LUSTRE	".lustre"

/* Whether it is .lustre or .lustre/fid, which the server does not know. Any context. */
static inline bool ll_inode_is_own(struct inode *inode)
{
	return ll_inode2fid(inode)->f_seq == FID_SEQ_DOT_LUSTRE;
}

/* Whether a name is that of .lustre. Any context. */
bool ll_is_dot_lustre(struct inode *dir, const struct qstr *name);
struct dentry *ll_dot_lustre_lookup(struct inode *dir, struct dentry *dentry);
int ll_dot_lustre_revalidate(struct inode *dir, struct dentry *dentry, unsigned int flags);

/* --- acl.c ---------------------------------------------------------------------------- */

#ifdef CONFIG_FS_POSIX_ACL
struct posix_acl *ll_get_acl(struct inode *inode, int type, bool rcu);
int ll_set_acl(struct inode *inode, struct posix_acl *acl, int type);
void ll_init_acl(struct inode *inode);
struct posix_acl *ll_reply_acl(struct inode *inode, const struct md_reply *rep);
void ll_update_acl(struct inode *inode, struct posix_acl *acl);
void ll_free_acl(struct inode *inode);
#else
#define ll_get_acl NULL

static inline void ll_init_acl(struct inode *inode)
{
}

static inline struct posix_acl *ll_reply_acl(struct inode *inode, const struct md_reply *rep)
{
	return NULL;
}

static inline void ll_update_acl(struct inode *inode, struct posix_acl *acl)
{
}

static inline void ll_free_acl(struct inode *inode)
{
}
#endif

#endif /* _LLITE_INODE_H */
