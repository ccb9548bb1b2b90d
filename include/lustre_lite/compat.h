/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All differences between kernel versions. No other file tests the kernel
 * version.
 */
#ifndef _LUSTRE_LITE_COMPAT_H
#define _LUSTRE_LITE_COMPAT_H

#include <linux/kconfig.h>
#include <linux/version.h>

/*
 * Symbol namespaces are string literals since 6.13, and were bare words before:
 * EXPORT_SYMBOL_NS_GPL(symbol, LUSTRE_LITE) and MODULE_IMPORT_NS(LUSTRE_LITE)
 * are right for both.
 */
#if KERNEL_VERSION(6, 13, 0) <= LINUX_VERSION_CODE
#define LUSTRE_LITE "LUSTRE_LITE"
#endif

/*
 * For symbols that only KUnit cases use outside their module. The kernel's own
 * macro (kunit/visibility.h, 6.2) has a namespace of its own.
 */
#if IS_ENABLED(CONFIG_KUNIT)
#define EXPORT_FOR_KUNIT(symbol)	EXPORT_SYMBOL_NS_GPL(symbol, LUSTRE_LITE)
#else
#define EXPORT_FOR_KUNIT(symbol)	struct ll_export_##symbol
#endif

/*
 * Send @len bytes of @parts by reference, after the first @done: as much as the socket
 * takes, without waiting for more space. Return: bytes or a negative errno.
 *
 * Since 6.5 all parts go to one sendmsg. Before, a call sends one range of one page or
 * compound page; all calls are made under one lock_sock(). References are on compound
 * pages, so a range ends with its compound page even where the next one is adjacent.
 */
#if KERNEL_VERSION(6, 5, 0) <= LINUX_VERSION_CODE
#define compat_sock_send_parts(to, parts, nr, done, len)		\
({									\
	struct msghdr __msg = {						\
		.msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_SPLICE_PAGES, \
	};								\
									\
	iov_iter_bvec(&__msg.msg_iter, ITER_SOURCE, parts, nr, (done) + (len)); \
	iov_iter_advance(&__msg.msg_iter, done);			\
	sock_sendmsg(to, &__msg);					\
})
#else
#define compat_sock_send_range(sk, part, left)				\
({									\
	struct page *__page = nth_page((part).bv_page,			\
				       (part).bv_offset >> PAGE_SHIFT);	\
	struct folio *__folio = page_folio(__page);			\
	size_t __at = folio_page_idx(__folio, __page) * PAGE_SIZE +	\
		      offset_in_page((part).bv_offset);			\
	size_t __len = min_t(size_t, (part).bv_len, folio_size(__folio) - __at); \
	int __flags = MSG_DONTWAIT | MSG_NOSIGNAL;			\
									\
	if (__len < (left))						\
		__flags |= MSG_MORE | MSG_SENDPAGE_NOTLAST;		\
	tcp_sendpage_locked(sk, &__folio->page, __at, __len, __flags);	\
})

#define compat_sock_send_parts(to, parts, nr, done, len)		\
({									\
	struct bvec_iter __iter = { .bi_size = (done) + (len) };	\
	struct sock *__sk = (to)->sk;					\
	int __sent = 0, __rc = 0;					\
	struct bio_vec __part;						\
									\
	bvec_iter_advance(parts, &__iter, done);			\
	lock_sock(__sk);						\
	while (__iter.bi_size) {					\
		__part = mp_bvec_iter_bvec(parts, __iter);		\
		__rc = compat_sock_send_range(__sk, __part, __iter.bi_size); \
		if (__rc <= 0)						\
			break;						\
		__sent += __rc;						\
		bvec_iter_advance(parts, &__iter, __rc);		\
	}								\
	release_sock(__sk);						\
	__sent ?: __rc;							\
})
#endif

/* A rename names the id mapping of the file system; the type changed in 6.3. */
#if KERNEL_VERSION(6, 3, 0) <= LINUX_VERSION_CODE
#define compat_renamedata_mnt(rd, mnt)					\
	((rd)->old_mnt_idmap = (rd)->new_mnt_idmap = mnt_idmap(mnt))
#else
#define compat_renamedata_mnt(rd, mnt)					\
	((rd)->old_mnt_userns = (rd)->new_mnt_userns = mnt_user_ns(mnt))
#endif

/*
 * The id mapping of a mount: a type of its own since 6.3, a user namespace
 * before.
 */
#if KERNEL_VERSION(6, 3, 0) <= LINUX_VERSION_CODE
#define compat_idmap		mnt_idmap
#define compat_path_idmap(path)	mnt_idmap((path)->mnt)
#else
#define compat_idmap		user_namespace
#define compat_path_idmap(path)	mnt_user_ns((path)->mnt)
#endif

/* The id mapping of mounts that have none. */
#if KERNEL_VERSION(6, 3, 0) <= LINUX_VERSION_CODE
#define compat_nop_idmap	(&nop_mnt_idmap)
#else
#define compat_nop_idmap	(&init_user_ns)
#endif

/* Write from an iterator. Since 6.8 the function waits for a frozen file system by itself. */
#if KERNEL_VERSION(6, 8, 0) <= LINUX_VERSION_CODE
#define compat_iter_write(file, iter, pos)	vfs_iter_write(file, iter, pos, 0)
#else
#define compat_iter_write(file, iter, pos)				\
({									\
	ssize_t __written;						\
									\
	file_start_write(file);						\
	__written = vfs_iter_write(file, iter, pos, 0);			\
	file_end_write(file);						\
	__written;							\
})
#endif

/*
 * ACLs of an inode; the caller of compat_acl_set() holds i_rwsem. Since 6.2 the functions have
 * other names and take a dentry.
 */
#if KERNEL_VERSION(6, 2, 0) <= LINUX_VERSION_CODE
#define compat_acl_get(inode, type)		get_inode_acl(inode, type)
#define compat_acl_set(dentry, type, acl)	\
	set_posix_acl(compat_nop_idmap, dentry, type, acl)
#else
#define compat_acl_get(inode, type)		get_acl(inode, type)
#define compat_acl_set(dentry, type, acl)	\
	set_posix_acl(compat_nop_idmap, d_inode(dentry), type, acl)
#endif

/* Times of an inode are set by functions since 6.6. */
#if KERNEL_VERSION(6, 6, 0) <= LINUX_VERSION_CODE
#define compat_inode_times_now(inode)	simple_inode_init_ts(inode)
#else
#define compat_inode_times_now(inode)					\
	((inode)->i_atime = (inode)->i_mtime = (inode)->i_ctime =	\
	 current_time(inode))
#endif

/* Effective capabilities of credentials, a bit each: one number since 6.3, an array before. */
#if KERNEL_VERSION(6, 3, 0) <= LINUX_VERSION_CODE
#define compat_cred_caps(cred)	((cred)->cap_effective.val)
#else
#define compat_cred_caps(cred)						\
	((cred)->cap_effective.cap[0] | (u64)(cred)->cap_effective.cap[1] << 32)
#endif

/* Times of an inode, struct timespec64: by functions since 6.7. */
#if KERNEL_VERSION(6, 7, 0) <= LINUX_VERSION_CODE
#define compat_inode_ctime(inode)		inode_get_ctime(inode)
#define compat_inode_set_atime(inode, ts)	inode_set_atime_to_ts(inode, ts)
#define compat_inode_set_mtime(inode, ts)	inode_set_mtime_to_ts(inode, ts)
#define compat_inode_mtime(inode)		inode_get_mtime(inode)
#define compat_inode_set_ctime(inode, ts)	inode_set_ctime_to_ts(inode, ts)
#else
#define compat_inode_ctime(inode)		((inode)->i_ctime)
#define compat_inode_set_atime(inode, ts)	((inode)->i_atime = (ts))
#define compat_inode_set_mtime(inode, ts)	((inode)->i_mtime = (ts))
#define compat_inode_mtime(inode)		((inode)->i_mtime)
#define compat_inode_set_ctime(inode, ts)	((inode)->i_ctime = (ts))
#endif

/* Attributes of an inode for stat(); @mask: STATX_* that the caller wants, since 6.6. */
#if KERNEL_VERSION(6, 6, 0) <= LINUX_VERSION_CODE
#define compat_fillattr(idmap, mask, inode, stat)			\
	generic_fillattr(idmap, mask, inode, stat)
#else
#define compat_fillattr(idmap, mask, inode, stat)			\
	generic_fillattr(idmap, inode, stat)
#endif

/* Whether iget5_locked() has made the inode. The state is read by a function since 6.19. */
#if KERNEL_VERSION(6, 19, 0) <= LINUX_VERSION_CODE
#define compat_inode_is_new(inode)	(inode_state_read_once(inode) & I_NEW)
#else
#define compat_inode_is_new(inode)	((inode)->i_state & I_NEW)
#endif

/* Dentry operations of a super block: set by a function since 6.17. */
#if KERNEL_VERSION(6, 17, 0) <= LINUX_VERSION_CODE
#define compat_dentry_ops_set(sb, ops)	set_default_d_op(sb, ops)
#else
#define compat_dentry_ops_set(sb, ops)	((sb)->s_d_op = (ops))
#endif

/* A file system without leases says so; since 7.0 that is the default. */
#if KERNEL_VERSION(7, 0, 0) <= LINUX_VERSION_CODE
#define compat_nosetlease	NULL
#else
#define compat_nosetlease	simple_nosetlease
#endif

/* Locks of files have a header of their own since 6.3. */
#if KERNEL_VERSION(6, 3, 0) <= LINUX_VERSION_CODE
#include <linux/filelock.h>
#endif

/* A field of a struct file_lock, such as type: it is in a struct file_lock_core since 6.9. */
#if KERNEL_VERSION(6, 9, 0) <= LINUX_VERSION_CODE
#define compat_flock(fl, field)	((fl)->c.flc_##field)
#else
#define compat_flock(fl, field)	((fl)->fl_##field)
#endif

/* A folio of the cache, or NULL: before 6.4 there was no reason with it. */
#if KERNEL_VERSION(6, 4, 0) <= LINUX_VERSION_CODE
#define compat_folio_get(mapping, index, fgp, gfp)				\
({										\
	struct folio *__folio = __filemap_get_folio(mapping, index, fgp, gfp);	\
										\
	IS_ERR(__folio) ? NULL : __folio;					\
})
#else
#define compat_folio_get(mapping, index, fgp, gfp)				\
	__filemap_get_folio(mapping, index, fgp, gfp)
#endif

/* Copy from memory that may not be there. */
#if KERNEL_VERSION(6, 14, 0) <= LINUX_VERSION_CODE
#define compat_copy_from_iter_atomic(folio, off, len, from)			\
	copy_folio_from_iter_atomic(folio, off, len, from)
#else
#define compat_copy_from_iter_atomic(folio, off, len, from)			\
	copy_page_from_iter_atomic(folio_page(folio, 0), off, len, from)
#endif

/* Splice from a file by its read_iter. */
#if KERNEL_VERSION(6, 5, 0) <= LINUX_VERSION_CODE
#define compat_splice_read	copy_splice_read
#else
#define compat_splice_read	generic_file_splice_read
#endif

/* i_op->get_acl, for compat_acl_get(). Before 6.2 ACLs also need handlers of attributes. */
#if KERNEL_VERSION(6, 2, 0) <= LINUX_VERSION_CODE
#define compat_get_acl		get_inode_acl
#define COMPAT_ACL_XATTR_HANDLERS
#else
#define compat_get_acl		get_acl
#ifdef CONFIG_FS_POSIX_ACL
#define COMPAT_ACL_XATTR_HANDLERS					\
	&posix_acl_access_xattr_handler,				\
	&posix_acl_default_xattr_handler,
#else
#define COMPAT_ACL_XATTR_HANDLERS
#endif
#endif

/*
 * Shrinkers are allocated since 6.7 and embedded in their owner before. Only
 * for files that define LUSTRE_LITE_SHRINKER before the first include.
 */
#ifdef LUSTRE_LITE_SHRINKER
#include <linux/atomic.h>
#include <linux/shrinker.h>

typedef unsigned long (compat_shrinker_fn_t)(struct shrinker *shrinker,
					     struct shrink_control *sc);

#if KERNEL_VERSION(6, 7, 0) <= LINUX_VERSION_CODE
struct compat_shrinker {
	struct shrinker *shrinker;
};

static inline int compat_shrinker_start(struct compat_shrinker *ll, const char *name,
					compat_shrinker_fn_t *count,
					compat_shrinker_fn_t *scan)
{
	ll->shrinker = shrinker_alloc(0, "%s", name);
	if (!ll->shrinker)
		return -ENOMEM;
	ll->shrinker->count_objects = count;
	ll->shrinker->scan_objects = scan;
	shrinker_register(ll->shrinker);
	return 0;
}

static inline void compat_shrinker_stop(struct compat_shrinker *ll)
{
	shrinker_free(ll->shrinker);
}
#else
struct compat_shrinker {
	struct shrinker shrinker;
};

static inline int compat_shrinker_start(struct compat_shrinker *ll, const char *name,
					compat_shrinker_fn_t *count,
					compat_shrinker_fn_t *scan)
{
	ll->shrinker.count_objects = count;
	ll->shrinker.scan_objects = scan;
	ll->shrinker.seeks = DEFAULT_SEEKS;
	return register_shrinker(&ll->shrinker, "%s", name);
}

static inline void compat_shrinker_stop(struct compat_shrinker *ll)
{
	unregister_shrinker(&ll->shrinker);
}
#endif
#endif /* LUSTRE_LITE_SHRINKER */

/*
 * Operations of inodes and dentries whose arguments differ: llite has functions that take what
 * they need. Only for files that define LUSTRE_LITE_INODE_OPS before the first include.
 */
#ifdef LUSTRE_LITE_INODE_OPS
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/namei.h>

struct posix_acl;

int ll_create(struct inode *dir, struct dentry *dentry, umode_t mode);
int ll_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode);
int ll_set_acl(struct inode *inode, struct posix_acl *acl, int type);
int ll_revalidate(struct inode *dir, const struct qstr *name, struct dentry *dentry,
		  unsigned int flags);
int ll_revalidate_rcu(struct inode *dir, struct dentry *dentry, unsigned int flags);

/* In 7.3 tasks wait at the dentry itself. */
#if KERNEL_VERSION(7, 3, 0) <= LINUX_VERSION_CODE
static inline struct dentry *compat_d_alloc_parallel(struct dentry *parent, const struct qstr *name,
						     wait_queue_head_t *wait)
{
	return d_alloc_parallel(parent, name);
}
#else
static inline struct dentry *compat_d_alloc_parallel(struct dentry *parent, const struct qstr *name,
						     wait_queue_head_t *wait)
{
	return d_alloc_parallel(parent, name, wait);
}
#endif

/* Since 7.0 there is no flag for O_EXCL. */
#if KERNEL_VERSION(7, 0, 0) <= LINUX_VERSION_CODE
static inline int compat_iop_create(struct compat_idmap *idmap, struct inode *dir,
				    struct dentry *dentry, umode_t mode)
{
	return ll_create(dir, dentry, mode);
}
#else
static inline int compat_iop_create(struct compat_idmap *idmap, struct inode *dir,
				    struct dentry *dentry, umode_t mode, bool excl)
{
	return ll_create(dir, dentry, mode);
}
#endif

/* Since 6.15 it may return another dentry; NULL is the one that it was given. */
#if KERNEL_VERSION(6, 15, 0) <= LINUX_VERSION_CODE
static inline struct dentry *compat_iop_mkdir(struct compat_idmap *idmap, struct inode *dir,
					      struct dentry *dentry, umode_t mode)
{
	return ERR_PTR(ll_mkdir(dir, dentry, mode));
}
#else
static inline int compat_iop_mkdir(struct compat_idmap *idmap, struct inode *dir,
				   struct dentry *dentry, umode_t mode)
{
	return ll_mkdir(dir, dentry, mode);
}
#endif

#ifndef CONFIG_FS_POSIX_ACL
#define compat_iop_set_acl	NULL
#elif KERNEL_VERSION(6, 2, 0) <= LINUX_VERSION_CODE
static inline int compat_iop_set_acl(struct compat_idmap *idmap, struct dentry *dentry,
				     struct posix_acl *acl, int type)
{
	return ll_set_acl(d_inode(dentry), acl, type);
}
#else
static inline int compat_iop_set_acl(struct compat_idmap *idmap, struct inode *inode,
				     struct posix_acl *acl, int type)
{
	return ll_set_acl(inode, acl, type);
}
#endif

/*
 * Directory and name are stable arguments since 6.14. An RCU walk is refused, so that the walk
 * takes references.
 */
#if KERNEL_VERSION(6, 14, 0) <= LINUX_VERSION_CODE
static inline int compat_dop_revalidate(struct inode *dir, const struct qstr *name,
					struct dentry *dentry, unsigned int flags)
{
	return flags & LOOKUP_RCU ? ll_revalidate_rcu(dir, dentry, flags) :
				    ll_revalidate(dir, name, dentry, flags);
}
#else
static inline int compat_dop_revalidate(struct dentry *dentry, unsigned int flags)
{
	struct name_snapshot name;
	struct dentry *parent;
	int rc;

	if (flags & LOOKUP_RCU) {
		struct inode *dir = d_inode_rcu(READ_ONCE(dentry->d_parent));

		return dir ? ll_revalidate_rcu(dir, dentry, flags) : -ECHILD;
	}
	parent = dget_parent(dentry);
	take_dentry_name_snapshot(&name, dentry);
	rc = ll_revalidate(d_inode(parent), &name.name, dentry, flags);
	release_dentry_name_snapshot(&name);
	dput(parent);
	return rc;
}
#endif
#endif /* LUSTRE_LITE_INODE_OPS */

#endif /* _LUSTRE_LITE_COMPAT_H */
