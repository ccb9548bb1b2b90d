/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libcfs, as other modules see it: ioctl ranges on /dev/libcfs and the account
 * of memory.
 */
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
 * @lf_reader: what the parameters tree keeps of it between two calls
 */
struct libcfs_file {
	struct params_reader	*lf_reader;
};

/**
 * struct libcfs_ioctl_range - a range of ioctl numbers and who answers them
 * @lir_name: for messages
 * @lir_owner: module of the handler, kept from going away during a call
 * @lir_first: first number (_IOC_NR) of the range
 * @lir_last: last number
 * @lir_handler: answers; @arg is the caller's pointer, @size is ioh_size as it
 *	read it, at least that of struct libcfs_ioc_hdr. The ABI major was checked
 *	(not for LIBCFS_IOC_VERSION). May sleep. -ENOTTY for a number it does
 *	not know.
 * @lir_active: gate; a call in flight holds it
 *
 * The structure belongs to the registering module and stays until
 * libcfs_deregister_ioctl() returned.
 */
struct libcfs_ioctl_range {
	const char		*lir_name;
	struct module		*lir_owner;
	unsigned int		lir_first;
	unsigned int		lir_last;
	long (*lir_handler)(struct libcfs_file *lf, unsigned int nr,
			    void __user *arg, size_t size);
	/* libcfs's own */
	struct libcfs_active	lir_active;
};

int libcfs_register_ioctl(struct libcfs_ioctl_range *range);
void libcfs_deregister_ioctl(struct libcfs_ioctl_range *range);

/* Memory that outlives a call is counted: parameters memused and memused_max. */
void *libcfs_zalloc(size_t size, gfp_t gfp);
void libcfs_free(const void *ptr, size_t size);

/*
 * Whether to insert into an rhashtable again: @rc is what it said, @tries 0 before the
 * first time. For callers in a task, with no lock held.
 */
bool libcfs_insert_again(int rc, unsigned int *tries);

#endif /* _LUSTRE_LITE_LIBCFS_H */
