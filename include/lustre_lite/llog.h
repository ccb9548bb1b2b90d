/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Logs in files: reading, and writing that survives a power cut at any moment.
 *
 * A handle is of one opener. Those who write the same log share a handle;
 * appending, cancelling and processing may run at the same time from several
 * tasks. Whoever processes sees every record that was there when it began, and
 * may see those appended meanwhile, whole.
 */
#ifndef _LUSTRE_LITE_LLOG_H
#define _LUSTRE_LITE_LLOG_H

#include <lustre_lite/llog_format.h>

struct file;
struct llog_handle;

/* llog_open() */
#define LLOG_O_WRITE	0x1	/* append and cancel; a torn tail is cut */
#define LLOG_O_CREATE	0x2	/* make a plain log where there is none; writes */

/* llog_process() */
#define LLOG_P_RAW	0x1	/* cancelled records too */

/* What a callback may return besides 0 and a negative errno. */
#define LLOG_PROC_BREAK	1	/* enough; llog_process() returns 0 */

/**
 * typedef llog_cb_t - look at a record
 * @rec: record, good until this returns
 * @data: as given to llog_process()
 *
 * Context: may sleep; no lock of the log is held
 * Return: 0 to go on, LLOG_PROC_BREAK to end, or a negative errno, which ends
 * the walk and is what it returns. What it returns never changes the log.
 */
typedef int (*llog_cb_t)(const struct llog_record *rec, void *data);

/**
 * struct llog_result - how far a walk came
 * @last: index of the last record that was looked at, also when it failed
 * @records: how many were given to the callback
 * @fault: the first thing that was wrong; what is NULL where nothing was
 */
struct llog_result {
	u32			last;
	u32			records;
	struct llog_fault	fault;
};

struct llog_handle *llog_open(const char *path, unsigned int flags,
			      const char *tgtuuid);
struct llog_handle *llog_open_file(struct file *file, unsigned int flags);
void llog_close(struct llog_handle *log);

const struct llog_head *llog_handle_head(struct llog_handle *log);
int llog_append(struct llog_handle *log, u32 type, const void *body,
		size_t body_len, u32 *index);
int llog_cancel(struct llog_handle *log, u32 index);
int llog_process(struct llog_handle *log, u32 first, u32 last,
		 unsigned int flags, llog_cb_t cb, void *data,
		 struct llog_result *result);

#endif /* _LUSTRE_LITE_LLOG_H */
