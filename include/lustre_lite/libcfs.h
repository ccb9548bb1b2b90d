/* SPDX-License-Identifier: GPL-2.0-only */
/* libcfs for other modules: ioctl ranges on /dev/libcfs and memory accounting. */
#ifndef _LUSTRE_LITE_LIBCFS_H
#define _LUSTRE_LITE_LIBCFS_H

#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/types.h>

#include <lustre_lite/active.h>
#include <uapi/lustre_lite/libcfs_ioctl.h>

struct module;
struct params_reader;

/**
 * struct libcfs_file - an open /dev/libcfs
 * @lf_reader: state of the parameters tree between two calls
 * @lf_release: frees it when the file is closed; NULL without one. May sleep
 */
struct libcfs_file {
	struct params_reader	*lf_reader;
	void (*lf_release)(struct libcfs_file *lf);
};

/**
 * struct libcfs_ioctl_range - a range of ioctl numbers and its handler
 * @lir_name: for messages
 * @lir_owner: module of the handler, pinned during a call
 * @lir_first: first number (_IOC_NR) of the range
 * @lir_last: last number
 * @lir_handler: @arg is the caller's pointer, @size is the validated ioh_size,
 *  at least that of struct libcfs_ioc_hdr. The ABI major was checked (not for
 *  LIBCFS_IOC_VERSION). May sleep. Returns -ENOTTY for unknown numbers.
 * @lir_active: gate; a call in flight holds it
 *
 * The structure belongs to the registering module until
 * libcfs_deregister_ioctl() has returned.
 */
struct libcfs_ioctl_range {
	const char		*lir_name;
	struct module		*lir_owner;
	unsigned int		lir_first;
	unsigned int		lir_last;
	long (*lir_handler)(struct libcfs_file *lf, unsigned int nr,
			    void __user *arg, size_t size);
	/* private to libcfs */
	struct libcfs_active	lir_active;
};

int libcfs_register_ioctl(struct libcfs_ioctl_range *range);
void libcfs_deregister_ioctl(struct libcfs_ioctl_range *range);

/*
 * Memory that outlives a call is accounted: parameters memused and memused_max.
 */
void *libcfs_zalloc(size_t size, gfp_t gfp);
void libcfs_free(const void *ptr, size_t size);

/*
 * Whether to retry an insertion into an rhashtable. @rc is its result, @tries
 * is 0 before the first attempt. Task context, no lock held.
 */
bool libcfs_insert_again(int rc, unsigned int *tries);

#endif /* _LUSTRE_LITE_LIBCFS_H */
