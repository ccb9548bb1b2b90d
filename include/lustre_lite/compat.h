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
 * Before 6.5 sending pages by reference is an operation of its own; since 6.5
 * it is a flag of sendmsg. Return: bytes or a negative errno.
 */
#if KERNEL_VERSION(6, 5, 0) <= LINUX_VERSION_CODE
#define compat_sock_send_page(sock, page, offset, len, flags)		\
({									\
	struct msghdr __msg = { .msg_flags = (flags) | MSG_SPLICE_PAGES };	\
	struct bio_vec __part;						\
									\
	bvec_set_page(&__part, page, len, offset);			\
	iov_iter_bvec(&__msg.msg_iter, ITER_SOURCE, &__part, 1, len);	\
	sock_sendmsg(sock, &__msg);					\
})
#else
#define compat_sock_send_page(sock, page, offset, len, flags)		\
({									\
	int __flags = (flags);						\
									\
	if (__flags & MSG_MORE)						\
		__flags |= MSG_SENDPAGE_NOTLAST;			\
	kernel_sendpage(sock, page, offset, len, __flags);		\
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

/* Times of an inode are set by functions since 6.6. */
#if KERNEL_VERSION(6, 6, 0) <= LINUX_VERSION_CODE
#define compat_inode_times_now(inode)	simple_inode_init_ts(inode)
#else
#define compat_inode_times_now(inode)					\
	((inode)->i_atime = (inode)->i_mtime = (inode)->i_ctime =	\
	 current_time(inode))
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

#endif /* _LUSTRE_LITE_COMPAT_H */
