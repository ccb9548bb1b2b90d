/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Logs in files: reading, and writing that survives a power cut at any moment.
 *
 * Each opener has its own handle; tasks that write the same log share one.
 * Appending, cancelling and processing may run concurrently. Processing sees
 * every record that was there when it started, and may see records appended
 * meanwhile, always whole.
 */
#ifndef _LUSTRE_LITE_LLOG_H
#define _LUSTRE_LITE_LLOG_H

#include <lustre_lite/llog_format.h>

struct file;
struct llog_handle;

/* llog_open() */
#define LLOG_O_WRITE	0x1	/* append and cancel; a torn tail is truncated */
#define LLOG_O_CREATE	0x2	/* create a plain log if it does not exist; implies writing */

/* llog_process() */
#define LLOG_P_RAW	0x1	/* cancelled records too */

/* Results of a callback besides 0 and a negative errno. */
#define LLOG_PROC_BREAK	1	/* stop; llog_process() returns 0 */

/**
 * typedef llog_cb_t - process a record
 * @rec: record, valid until this returns
 * @data: as given to llog_process()
 *
 * Context: may sleep; no lock of the log is held
 * Return: 0 to go on, LLOG_PROC_BREAK to stop, or a negative errno, which ends
 *  the walk and becomes its result. The result never changes the log.
 */
typedef int (*llog_cb_t)(const struct llog_record *rec, void *data);

/**
 * struct llog_result - how far a walk came
 * @last: index of the last record processed, also when it failed
 * @records: records given to the callback
 * @fault: the first fault; its text is NULL if there was none
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
