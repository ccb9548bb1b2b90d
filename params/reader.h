/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an open /dev/libcfs keeps between two calls: the rest of a large value.
 */
#ifndef _PARAMS_READER_H
#define _PARAMS_READER_H

#include <linux/types.h>

struct libcfs_file;
struct params_ioc_read;
struct params_sink;

/**
 * struct params_about - what is said of a value along with it
 * @pa_version: version of the entry before the value was taken
 * @pa_type: enum params_type
 * @pa_mode: mode
 */
struct params_about {
	u32	pa_version;
	u16	pa_mode;
	u8	pa_type;
};

int params_reader_keep(struct libcfs_file *lf, struct params_sink *sink,
		       const struct params_about *about, u64 *id);
int params_reader_read(struct libcfs_file *lf, struct params_ioc_read *pr);

#endif /* _PARAMS_READER_H */
