/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LOG_H
#define _SHIM_LOG_H

#include <linux/types.h>

/* The kernel log: what was printed since the last shim_log_clear(). */
void shim_log_clear(void);
unsigned int shim_log_count(const char *part);

/* From now on warnings of the calling thread are counted, not the end. */
void shim_warn_expect(void);
unsigned int shim_warn_expected(void);

#endif /* _SHIM_LOG_H */
