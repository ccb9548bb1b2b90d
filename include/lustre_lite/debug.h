/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The debug log: messages in a ring in memory, by level and subsystem.
 *
 *	#define DEBUG_SUBSYSTEM S_MGC
 *	#include <lustre_lite/debug.h>
 *
 *	CDEBUG(D_CONFIG, "%s: record %u applied\n", name, index);
 *	CERROR("%s: cannot apply record %u: rc = %d\n", name, index, rc);
 *
 * A disabled level costs one branch that is not taken: levels that are off by default use a
 * static key, levels that are on by default a test of the masks. Errors, warnings and console
 * messages are always logged and printed, at most ten in five seconds for each call site.
 *
 * Any context; in an NMI nothing is recorded.
 */
#ifndef _LUSTRE_LITE_DEBUG_H
#define _LUSTRE_LITE_DEBUG_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/jump_label.h>
#include <linux/ratelimit.h>
#include <linux/types.h>

/* Levels: names and numbers of real Lustre. */
#define D_TRACE		BIT(0)
#define D_INODE		BIT(1)
#define D_SUPER		BIT(2)
#define D_IOTRACE	BIT(3)
#define D_MALLOC	BIT(4)
#define D_CACHE		BIT(5)
#define D_INFO		BIT(6)
#define D_IOCTL		BIT(7)
#define D_NETERROR	BIT(8)
#define D_NET		BIT(9)
#define D_WARNING	BIT(10)
#define D_BUFFS		BIT(11)
#define D_OTHER		BIT(12)
#define D_DENTRY	BIT(13)
#define D_NETTRACE	BIT(14)
#define D_PAGE		BIT(15)
#define D_DLMTRACE	BIT(16)
#define D_ERROR		BIT(17)
#define D_EMERG		BIT(18)
#define D_HA		BIT(19)
#define D_RPCTRACE	BIT(20)
#define D_VFSTRACE	BIT(21)
#define D_READA		BIT(22)
#define D_MMAP		BIT(23)
#define D_CONFIG	BIT(24)
#define D_CONSOLE	BIT(25)
#define D_QUOTA		BIT(26)
#define D_SEC		BIT(27)
#define D_LFSCK		BIT(28)
#define D_HSM		BIT(29)
#define D_SNAPSHOT	BIT(30)
#define D_LAYOUT	BIT(31)

/* Always logged, with any masks, and printed on the console. */
#define D_CANTMASK	(D_ERROR | D_EMERG | D_WARNING | D_CONSOLE)
/* On when the module is loaded. */
#define D_DEFAULT	(D_CANTMASK | D_NETERROR | D_HA | D_CONFIG | D_IOCTL | \
			 D_LFSCK)

/* Subsystems: names and numbers of real Lustre. */
#define S_UNDEFINED	BIT(0)
#define S_MDC		BIT(1)
#define S_MDS		BIT(2)
#define S_OSC		BIT(3)
#define S_OST		BIT(4)
#define S_CLASS		BIT(5)
#define S_LOG		BIT(6)
#define S_LLITE		BIT(7)
#define S_RPC		BIT(8)
#define S_MGMT		BIT(9)
#define S_LNET		BIT(10)
#define S_LND		BIT(11)
#define S_PINGER	BIT(12)
#define S_FILTER	BIT(13)
#define S_LIBCFS	BIT(14)
#define S_ECHO		BIT(15)
#define S_LDLM		BIT(16)
#define S_LOV		BIT(17)
#define S_LQUOTA	BIT(18)
#define S_OSD		BIT(19)
#define S_LFSCK		BIT(20)
#define S_SNAPSHOT	BIT(21)
#define S_LMV		BIT(23)
#define S_SEC		BIT(24)
#define S_GSS		BIT(25)
#define S_MGC		BIT(27)
#define S_MGS		BIT(28)
#define S_FID		BIT(29)
#define S_FLD		BIT(30)

/* All bits but 22, 26 and 31, which have no name. */
#define S_ALL		0x7bbfffffU

#ifndef DEBUG_SUBSYSTEM
#define DEBUG_SUBSYSTEM	S_UNDEFINED
#endif

/**
 * struct libcfs_debug_site - a call site of the log
 * @ds_file: source file, with its path
 * @ds_func: function
 * @ds_line: line
 * @ds_subsys: one bit of the subsystem mask
 */
struct libcfs_debug_site {
	const char	*ds_file;
	const char	*ds_func;
	u32		ds_line;
	u32		ds_subsys;
};

extern u32 libcfs_debug_mask;
extern u32 libcfs_debug_subsys;
DECLARE_STATIC_KEY_FALSE(libcfs_debug_key);

/**
 * libcfs_debug_wanted() - whether a message goes to the log
 * @level: one bit of the level mask
 * @subsys: one bit of the subsystem mask
 *
 * Context: any
 * Return: true if it does
 */
static __always_inline bool libcfs_debug_wanted(u32 level, u32 subsys)
{
	if (level & D_CANTMASK)
		return true;
	if (!(level & D_DEFAULT) && !static_branch_unlikely(&libcfs_debug_key))
		return false;
	return (READ_ONCE(libcfs_debug_mask) & level) &&
	       (READ_ONCE(libcfs_debug_subsys) & subsys);
}

__printf(4, 5)
void libcfs_debug_msg(const struct libcfs_debug_site *site, u32 level,
		      struct ratelimit_state *limit, const char *fmt, ...);

#define __CDEBUG(level, limit, fmt, ...)				\
do {									\
	static const struct libcfs_debug_site __site = {		\
		.ds_file = __FILE__,					\
		.ds_func = __func__,					\
		.ds_line = __LINE__,					\
		.ds_subsys = DEBUG_SUBSYSTEM,				\
	};								\
									\
	if (libcfs_debug_wanted(level, DEBUG_SUBSYSTEM))		\
		libcfs_debug_msg(&__site, level, limit, fmt,		\
				 ##__VA_ARGS__);			\
} while (0)

#define __CDEBUG_LIMIT(level, fmt, ...)					\
do {									\
	static DEFINE_RATELIMIT_STATE(__limit,				\
				      DEFAULT_RATELIMIT_INTERVAL,	\
				      DEFAULT_RATELIMIT_BURST);		\
									\
	__CDEBUG(level, &__limit, fmt, ##__VA_ARGS__);			\
} while (0)

/**
 * CDEBUG() - log at a level; a level of D_CANTMASK is printed too, without a
 * rate limit
 * @level: D_*
 * @fmt: format, ends in a newline
 */
#define CDEBUG(level, fmt, ...)	__CDEBUG(level, NULL, fmt, ##__VA_ARGS__)

/* Log and print, at most ten in five seconds. */
#define CEMERG(fmt, ...)	__CDEBUG_LIMIT(D_EMERG, fmt, ##__VA_ARGS__)
#define CERROR(fmt, ...)	__CDEBUG_LIMIT(D_ERROR, fmt, ##__VA_ARGS__)
#define CWARN(fmt, ...)		__CDEBUG_LIMIT(D_WARNING, fmt, ##__VA_ARGS__)
#define CINFO(fmt, ...)		__CDEBUG_LIMIT(D_CONSOLE, fmt, ##__VA_ARGS__)

#endif /* _LUSTRE_LITE_DEBUG_H */
