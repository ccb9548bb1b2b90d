/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of the fuzzer over the ioctl handler:
 *
 *	fuzz_ioctl.c		an input is a sequence of calls
 *	fuzz_ioctl_tree.c	the tree that they are made on
 *	fuzz_ioctl_check.c	what must hold of an answer
 */
#ifndef _FUZZ_IOCTL_H
#define _FUZZ_IOCTL_H

#include <linux/types.h>
#include <uapi/lustre_lite/params_ioctl.h>

struct fuzz_input;

/* Argument of any call, followed by bytes that no call knows. */
union fuzz_args {
	struct libcfs_ioc_hdr		hdr;
	struct params_ioc_list		pl;
	struct params_ioc_read		pr;
	struct params_ioc_read_batch	rb;
	struct params_ioc_write		pw;
	struct params_ioc_write_batch	wb;
	struct params_ioc_describe	pd;
	char				bytes[256];
};

/* fuzz_ioctl_tree.c */
void fuzz_tree_init(void);
void fuzz_tree_reset(void);
const char *fuzz_tree_path(u8 which);
/* Something that a module does meanwhile: adds, removes, changes. */
void fuzz_tree_act(struct fuzz_input *in);

/* fuzz_ioctl_check.c */
void fuzz_check_errno(long rc);
void fuzz_check_answer(unsigned int cmd, const union fuzz_args *before,
		       const union fuzz_args *after, const char *buf, long rc);

#endif /* _FUZZ_IOCTL_H */
