/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The golden logs in memory, each of exactly its size, so that a read beyond its
 * end is seen.
 */
#ifndef _LLOG_GOLDEN_H
#define _LLOG_GOLDEN_H

#include <lustre_lite/llog_format.h>
#include <lustre_lite/lustre_cfg.h>

#define GOLDEN_LOGS	6

/**
 * struct golden - a log
 * @name: its path below tests/golden
 * @bytes: its bytes
 * @len: how many
 */
struct golden {
	const char	*name;
	u8		*bytes;
	size_t		len;
};

/* Log number @n; for golden_free(). */
struct golden golden_load(unsigned int n);
void golden_free(struct golden *log);

/* The same log as a machine of the other byte order would have written it. */
void golden_swap(struct golden *log);
/* Turn around the integers of a command of @len bytes, which is little-endian. */
void golden_swap_cfg(u8 *bytes, size_t len);

/**
 * typedef golden_cb_t - told what a walk finds: a record, or NULL and a fault
 */
typedef void (*golden_cb_t)(const struct llog_record *rec,
			    const struct llog_fault *fault, void *data);

/*
 * Walk through the records of a log, the last @len bytes of which may be missing.
 * Fails where a byte is in no record and no fault, or in two.
 */
void golden_walk(const struct llog_head *head, const u8 *bytes, size_t len,
		 golden_cb_t cb, void *data);

#endif /* _LLOG_GOLDEN_H */
