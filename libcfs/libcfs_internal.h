/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common definitions of libcfs.
 *
 *	module.c	order of init and exit
 *	device.c	/dev/libcfs, and libcfs's own ioctls
 *	ioctl.c		ranges of ioctl numbers, and their handlers
 *	active.c	active references
 *	mem.c		memory accounting
 *	health.c	health reporters
 *	fail.c		fault injection
 *	nid.c		NID text; nid_range.c ranges of NIDs
 *	file.c		files and directories of a local file system
 *	genl.c		events on generic netlink
 *	insert.c	retrying insertions into growing hash tables
 *	proof.c		proof of the identity of a target
 *	debug.c		masks of the debug log, one message
 *	debug_log.c	its rings, one for each processor
 *	debug_ring.c	a ring of records
 *	debug_read.c	reading the rings as one
 *	debug_ioctl.c	its ioctls
 *	debug_params.c	its parameters
 */
#ifndef _LIBCFS_INTERNAL_H
#define _LIBCFS_INTERNAL_H

#include <linux/types.h>

struct libcfs_file;
struct lustre_params_attr;
struct lustre_params_entry;

/* params_add_attrs(), which module.c hands down. */
typedef int libcfs_add_attrs_t(struct lustre_params_entry *dir,
			       const struct lustre_params_attr *attrs, size_t count,
			       void *data);

/* device.c */
int libcfs_device_init(void);
void libcfs_device_exit(void);

/* ioctl.c */
long libcfs_iocontrol(struct libcfs_file *lf, unsigned int cmd,
		      void __user *arg);

/* mem.c */
int libcfs_mem_params_add(libcfs_add_attrs_t *add);
void libcfs_mem_baseline(void);
void libcfs_mem_check(void);

/* health.c */
int libcfs_health_params_add(libcfs_add_attrs_t *add);

/* fail.c */
int libcfs_fail_params_add(libcfs_add_attrs_t *add);

#endif /* _LIBCFS_INTERNAL_H */
