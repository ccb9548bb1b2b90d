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

/*
 * Look up @len bytes of @name in the directory @dir, with its lock or without. Since 6.16 a name
 * is a struct qstr, which the function changes.
 */
#if KERNEL_VERSION(6, 16, 0) <= LINUX_VERSION_CODE
#define compat_lookup_one(idmap, dir, name, len)			\
	lookup_one(idmap, &(struct qstr)QSTR_INIT(name, len), dir)
#define compat_lookup_unlocked(dir, name, len)				\
	lookup_one_unlocked(compat_nop_idmap, &(struct qstr)QSTR_INIT(name, len), dir)
#else
#define compat_lookup_one(idmap, dir, name, len)	lookup_one(idmap, name, dir, len)
#define compat_lookup_unlocked(dir, name, len)				\
	lookup_one_unlocked(compat_nop_idmap, name, dir, len)
#endif
#define compat_lookup(dir, name, len)	compat_lookup_one(compat_nop_idmap, dir, name, len)

/*
 * Changes of the names in a directory. Since 6.19 the functions have an argument for delegations,
 * and vfs_create() takes the directory from the dentry.
 */
#if KERNEL_VERSION(6, 19, 0) <= LINUX_VERSION_CODE
#define compat_create(dir, dentry, mode)				\
	vfs_create(compat_nop_idmap, dentry, mode, NULL)
#define compat_symlink(dir, dentry, target)				\
	vfs_symlink(compat_nop_idmap, dir, dentry, target, NULL)
#define compat_mknod(dir, dentry, mode, rdev)				\
	vfs_mknod(compat_nop_idmap, dir, dentry, mode, rdev, NULL)
#define compat_rmdir(dir, dentry)	vfs_rmdir(compat_nop_idmap, dir, dentry, NULL)
#else
#define compat_create(dir, dentry, mode)				\
	vfs_create(compat_nop_idmap, dir, dentry, mode, true)
#define compat_symlink(dir, dentry, target)				\
	vfs_symlink(compat_nop_idmap, dir, dentry, target)
#define compat_mknod(dir, dentry, mode, rdev)				\
	vfs_mknod(compat_nop_idmap, dir, dentry, mode, rdev)
#define compat_rmdir(dir, dentry)	vfs_rmdir(compat_nop_idmap, dir, dentry)
#endif

/*
 * Make a directory. @child is a variable, and the directory may get another dentry. A failure
 * changes neither its reference nor the lock of @dir.
 *
 * Since 6.15 vfs_mkdir() returns the dentry, and drops the one that it does not return. Since 6.19
 * a failure unlocks the parent, too.
 */
#if KERNEL_VERSION(6, 15, 0) <= LINUX_VERSION_CODE
#if KERNEL_VERSION(6, 19, 0) <= LINUX_VERSION_CODE
#define compat_mkdir_dentry(idmap, dir, child, mode)	vfs_mkdir(idmap, dir, child, mode, NULL)
#define compat_mkdir_failed(dir)	inode_lock_nested(dir, I_MUTEX_PARENT)
#else
#define compat_mkdir_dentry(idmap, dir, child, mode)	vfs_mkdir(idmap, dir, child, mode)
#define compat_mkdir_failed(dir)	((void)(dir))
#endif
#define compat_mkdir(idmap, dir, child, mode)				\
({									\
	struct dentry *__made = compat_mkdir_dentry(idmap, dir, dget(child), mode); \
	int __rc = PTR_ERR_OR_ZERO(__made);				\
									\
	if (__rc) {							\
		compat_mkdir_failed(dir);				\
	} else {							\
		dput(child);						\
		(child) = __made;					\
	}								\
	__rc;								\
})
#else
#define compat_mkdir(idmap, dir, child, mode)	vfs_mkdir(idmap, dir, child, mode)
#endif

/* A new name by its path, for KUnit cases: the functions were renamed in 6.18. */
#if KERNEL_VERSION(6, 18, 0) <= LINUX_VERSION_CODE
#define compat_path_create	start_creating_path
#define compat_path_created	end_creating_path
#else
#define compat_path_create	kern_path_create
#define compat_path_created	done_path_create
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

/*
 * The extended attribute of an ACL; its size if @value is NULL. Return: bytes, or a negative errno.
 * Since 7.0 the function allocates it.
 */
#if KERNEL_VERSION(7, 0, 0) <= LINUX_VERSION_CODE
#define compat_acl_to_xattr(acl, value, size)				\
({									\
	size_t __len = 0;						\
	void *__bytes = posix_acl_to_xattr(&init_user_ns, acl, &__len, GFP_NOFS); \
	ssize_t __rc = __bytes ? (ssize_t)__len : -ENOMEM;		\
									\
	if (__bytes && (value)) {					\
		if (__len > (size))					\
			__rc = -ERANGE;					\
		else							\
			memcpy(value, __bytes, __len);			\
	}								\
	kfree(__bytes);							\
	__rc;								\
})
#else
#define compat_acl_to_xattr(acl, value, size)				\
	posix_acl_to_xattr(&init_user_ns, acl, value, size)
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

/* Unused names are not cached: a flag of the super block since 6.17. */
#if KERNEL_VERSION(6, 17, 0) <= LINUX_VERSION_CODE
#define compat_dentries_uncached(sb)	((sb)->s_d_flags |= DCACHE_DONTCACHE)
#else
#define compat_dentries_uncached(sb)	((sb)->s_d_op = &simple_dentry_operations)
#endif

/* Unused inodes are not cached: the function was renamed in 6.18. */
#if KERNEL_VERSION(6, 18, 0) <= LINUX_VERSION_CODE
#define compat_just_drop	inode_just_drop
#else
#define compat_just_drop	generic_delete_inode
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

/*
 * Batches of folios have a header of another name since 7.1. Only for files that define
 * LUSTRE_LITE_FOLIO_BATCH before the first include.
 */
#ifdef LUSTRE_LITE_FOLIO_BATCH
#if KERNEL_VERSION(7, 1, 0) <= LINUX_VERSION_CODE
#include <linux/folio_batch.h>
#else
#include <linux/pagevec.h>
#endif
#endif /* LUSTRE_LITE_FOLIO_BATCH */

/* Start to write dirty pages of bytes from @start to @end: a function of its own since 6.19. */
#if KERNEL_VERSION(6, 19, 0) <= LINUX_VERSION_CODE
#define compat_flush_range(mapping, start, end)	filemap_flush_range(mapping, start, end)
#else
#define compat_flush_range(mapping, start, end)				\
({									\
	struct writeback_control __wbc = {				\
		.sync_mode = WB_SYNC_NONE,				\
		.nr_to_write = LONG_MAX,				\
		.range_start = (start),					\
		.range_end = (end),					\
	};								\
									\
	filemap_fdatawrite_wbc(mapping, &__wbc);			\
})
#endif

/* An empty file in memory, without reserved pages. Since 7.1 flags are a structure. */
#if KERNEL_VERSION(7, 1, 0) <= LINUX_VERSION_CODE
#define compat_shmem_file(name)						\
	shmem_file_setup(name, 0, mk_vma_flags(VMA_NORESERVE_BIT))
#else
#define compat_shmem_file(name)	shmem_file_setup(name, 0, VM_NORESERVE)
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

/* CRC32C of few bytes: since 6.14 crc32c() has no more to look up. */
#if KERNEL_VERSION(6, 14, 0) <= LINUX_VERSION_CODE
#define compat_crc32c_short	crc32c
#else
#define compat_crc32c_short	__crc32c_le
#endif

/* struct compat_sockaddr is an address of any size: a type of its own since 6.19. */
#if KERNEL_VERSION(6, 19, 0) <= LINUX_VERSION_CODE
#define compat_sockaddr	sockaddr_unsized
#else
#define compat_sockaddr	sockaddr
#endif

/*
 * The kernel's work queues, and the flag of a queue that runs work on the processor that it was
 * queued on. Since 6.18 a queue has this flag or WQ_UNBOUND, and the old names are deprecated.
 */
#if KERNEL_VERSION(6, 18, 0) <= LINUX_VERSION_CODE
#define compat_unbound_wq	system_dfl_wq
#define compat_percpu_wq	system_percpu_wq
#define COMPAT_WQ_PERCPU	WQ_PERCPU
#else
#define compat_unbound_wq	system_unbound_wq
#define compat_percpu_wq	system_wq
#define COMPAT_WQ_PERCPU	0
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
 * Renames. Only for files that define LUSTRE_LITE_RENAME before the first include.
 *
 * compat_start_renaming() locks the directories old_parent and new_parent, and looks the names up.
 * Return: 0: old_dentry has an inode, and compat_end_renaming() is due; -ENOENT; -EINVAL: the new
 * name is below the old one; -ENOTEMPTY: the old name is below the new one.
 *
 * Since 6.19 the kernel has functions for that, and since 7.1 no others for modules.
 */
#ifdef LUSTRE_LITE_RENAME
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/namei.h>

#if KERNEL_VERSION(6, 19, 0) <= LINUX_VERSION_CODE
#define compat_renamedata	renamedata
#define compat_vfs_rename	vfs_rename
#define compat_end_renaming	end_renaming

static inline int compat_start_renaming(struct renamedata *rd, const struct qstr *from,
					const struct qstr *to)
{
	struct qstr old = *from, new = *to;

	return start_renaming(rd, 0, &old, &new);
}
#else
struct compat_renamedata {
	struct compat_idmap	*mnt_idmap;
	struct dentry		*old_parent;
	struct dentry		*old_dentry;
	struct dentry		*new_parent;
	struct dentry		*new_dentry;
};

static inline int compat_rename_names(struct compat_renamedata *rd, const struct dentry *trap)
{
	if (d_is_negative(rd->old_dentry))
		return -ENOENT;
	if (rd->old_dentry == trap)
		return -EINVAL;
	return rd->new_dentry == trap ? -ENOTEMPTY : 0;
}

static inline void compat_end_renaming(struct compat_renamedata *rd)
{
	unlock_rename(rd->old_parent, rd->new_parent);
	dput(rd->old_dentry);
	dput(rd->new_dentry);
}

static inline int compat_start_renaming(struct compat_renamedata *rd, const struct qstr *from,
					const struct qstr *to)
{
	struct dentry *trap = lock_rename(rd->old_parent, rd->new_parent), *dentry;
	int rc;

	if (IS_ERR(trap))
		return PTR_ERR(trap);
	rd->old_dentry = NULL;
	rd->new_dentry = NULL;
	dentry = compat_lookup_one(rd->mnt_idmap, rd->old_parent, from->name, from->len);
	rc = PTR_ERR_OR_ZERO(dentry);
	if (rc)
		goto end;
	rd->old_dentry = dentry;
	dentry = compat_lookup_one(rd->mnt_idmap, rd->new_parent, to->name, to->len);
	rc = PTR_ERR_OR_ZERO(dentry);
	if (rc)
		goto end;
	rd->new_dentry = dentry;
	rc = compat_rename_names(rd, trap);
	if (!rc)
		return 0;
end:
	compat_end_renaming(rd);
	return rc;
}

/* Directories are dentries since 6.17. Both names have one id mapping since 6.18. */
static inline int compat_vfs_rename(struct compat_renamedata *rd)
{
	struct renamedata data = {
#if KERNEL_VERSION(6, 18, 0) <= LINUX_VERSION_CODE
		.mnt_idmap = rd->mnt_idmap,
#elif KERNEL_VERSION(6, 3, 0) <= LINUX_VERSION_CODE
		.old_mnt_idmap = rd->mnt_idmap,
		.new_mnt_idmap = rd->mnt_idmap,
#else
		.old_mnt_userns = rd->mnt_idmap,
		.new_mnt_userns = rd->mnt_idmap,
#endif
#if KERNEL_VERSION(6, 17, 0) <= LINUX_VERSION_CODE
		.old_parent = rd->old_parent,
		.new_parent = rd->new_parent,
#else
		.old_dir = d_inode(rd->old_parent),
		.new_dir = d_inode(rd->new_parent),
#endif
		.old_dentry = rd->old_dentry,
		.new_dentry = rd->new_dentry,
	};

	return vfs_rename(&data);
}
#endif
#endif /* LUSTRE_LITE_RENAME */

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

/* Since 7.2 tasks wait at the dentry itself. */
#if KERNEL_VERSION(7, 2, 0) <= LINUX_VERSION_CODE
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

/* Since 7.3 there is no flag for O_EXCL. */
#if KERNEL_VERSION(7, 3, 0) <= LINUX_VERSION_CODE
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
