/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioctl range that params_sample.ko registers with libcfs, for the tests of
 * the dispatch table. Shared with the programs in tests/vm/tools.
 */
#ifndef _SAMPLE_IOCTL_H
#define _SAMPLE_IOCTL_H

#include <linux/types.h>
#include <uapi/lustre_lite/libcfs_ioctl.h>

#define SAMPLE_NR_FIRST		LIBCFS_IOC_NR_TEST
#define SAMPLE_NR_LAST		(LIBCFS_IOC_NR_TEST + 5)

#define SAMPLE_SLEEP_MAX	20000	/* longest SLEEP, milliseconds */
#define SAMPLE_ALLOC_MAX	65536	/* largest ALLOC, bytes */

/**
 * struct sample_ioc - argument of every call of the range
 * @s_hdr: head
 * @s_value: ECHO: a number; SLEEP: milliseconds; FAIL: the errno to return;
 *	ALLOC: bytes to allocate and free again; CREATE: groups in the subtree
 *	sample/dyn/ioctl, which is added; DELETE: none, that subtree is deleted
 * @s_result: out, ECHO: the number plus one; else zero
 *
 * CREATE and DELETE need CAP_SYS_ADMIN and run in the caller's context, so that
 * /proc/self/fail-nth reaches their allocations.
 */
struct sample_ioc {
	struct libcfs_ioc_hdr	s_hdr;
	__u64			s_value;
	__u64			s_result;
};

#define SAMPLE_IOC_ECHO		_IOWR(LIBCFS_IOC_MAGIC, 0xf0, struct sample_ioc)
#define SAMPLE_IOC_SLEEP	_IOWR(LIBCFS_IOC_MAGIC, 0xf1, struct sample_ioc)
#define SAMPLE_IOC_FAIL		_IOWR(LIBCFS_IOC_MAGIC, 0xf2, struct sample_ioc)
#define SAMPLE_IOC_ALLOC	_IOWR(LIBCFS_IOC_MAGIC, 0xf3, struct sample_ioc)
#define SAMPLE_IOC_CREATE	_IOWR(LIBCFS_IOC_MAGIC, 0xf4, struct sample_ioc)
#define SAMPLE_IOC_DELETE	_IOWR(LIBCFS_IOC_MAGIC, 0xf5, struct sample_ioc)

LL_UAPI_ASSERT(sizeof(struct sample_ioc) == 24);

#endif /* _SAMPLE_IOCTL_H */
