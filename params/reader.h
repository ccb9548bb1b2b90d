/* SPDX-License-Identifier: GPL-2.0 */
/* State of an open /dev/libcfs between two calls: the rest of a large value. */
#ifndef _PARAMS_READER_H
#define _PARAMS_READER_H

#include <linux/types.h>

struct libcfs_file;
struct params_about;
struct params_ioc_read;
struct params_sink;

int params_reader_save(struct libcfs_file *lf, struct params_sink *sink,
		       const struct params_about *about, u64 *id);
int params_reader_read(struct libcfs_file *lf, struct params_ioc_read *pr);

#endif /* _PARAMS_READER_H */
