/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The writer: the one task that writes to the directory of a store. A caller that
 * wants a change hands it over and waits. So nothing of a caller reaches the directory:
 * no pending signal, no RLIMIT_FSIZE, no priority, no control group.
 */
#ifndef _MGS_WRITER_H
#define _MGS_WRITER_H

#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "store.h"

struct path;

/**
 * struct mgs_writer - a writer
 * @wr_name: of the service, for messages
 * @wr_path: directory, for messages
 * @wr_store: set and cleared by the jobs that open and close it
 * @wr_lock: held over each job: one change at a time. The writer alone takes it
 * @wr_queue: jobs
 * @wr_retry: writes again what could not be written
 * @wr_said: mgs_store_failed() as reported last; under @wr_lock
 */
struct mgs_writer {
	const char		*wr_name;
	const struct path	*wr_path;
	struct mgs_store	*wr_store;
	struct mutex		wr_lock;
	struct workqueue_struct	*wr_queue;
	struct delayed_work	wr_retry;
	int			wr_said;
};

typedef int (*mgs_job_fn)(void *data);
int mgs_writer_start(struct mgs_writer *wr, const char *name,
		     const struct path *path);
void mgs_writer_idle(struct mgs_writer *wr);
void mgs_writer_stop(struct mgs_writer *wr);
int mgs_writer_run(struct mgs_writer *wr, mgs_job_fn fn, void *data,
		   bool killable);
void mgs_writer_refuse(const struct mgs_writer *wr, int rc, char *why,
		       size_t size);

#endif /* _MGS_WRITER_H */
