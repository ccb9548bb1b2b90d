// SPDX-License-Identifier: GPL-2.0
/*
 * A caller that is killed while its job is in the queue takes it back: nothing of it
 * is done. Once the writer has started on it, the caller waits for the end, as it would
 * for its own I/O.
 *
 * What is committed and could not be written into its files is tried again here, each
 * RETRY_SECONDS and before the next change.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/slab.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>

#include "writer.h"

#define RETRY_SECONDS	5

/**
 * struct job - what the writer does for a caller, which waits
 * @work: in the queue of the writer
 * @done: it is done
 * @wr: writer
 * @fn: does it, wr_lock held
 * @data: its argument
 * @rc: out, what @fn returned
 */
struct job {
	struct work_struct	work;
	struct completion	done;
	struct mgs_writer	*wr;
	mgs_job_fn		fn;
	void			*data;
	int			rc;
};

/* The directory as text, for messages. */
static char *path_text(const struct mgs_writer *wr)
{
	char *text = kzalloc(PATH_MAX, GFP_KERNEL);

	if (text && libcfs_path_text(wr->wr_path, text, PATH_MAX - 1) < 0)
		strscpy(text, "?", PATH_MAX);
	return text;
}

static bool is_full(int rc)
{
	return rc == -ENOSPC || rc == -EDQUOT;
}

/**
 * mgs_writer_refuse() - explain why a change could not be written
 * @wr: writer
 * @rc: errno of it
 * @why: out, text
 * @size: bytes of it
 *
 * Context: may sleep; wr_lock is held
 */
void mgs_writer_refuse(const struct mgs_writer *wr, int rc, char *why,
		       size_t size)
{
	char *path = path_text(wr);

	if (mgs_store_doubt(wr->wr_store))
		scnprintf(why, size,
			  "%s: writing the journal in directory %s failed (error %d): it is not known whether the change is on the disk. It is not in force; repeat it once the directory can be written to",
			  wr->wr_name, path ?: "?", -rc);
	else if (is_full(rc))
		scnprintf(why, size,
			  "%s: directory %s is full (%s): nothing was changed. Free space there, then repeat the command",
			  wr->wr_name, path ?: "?",
			  rc == -ENOSPC ? "ENOSPC" : "EDQUOT");
	else
		scnprintf(why, size,
			  "%s: directory %s cannot be written to (error %d): nothing was changed",
			  wr->wr_name, path ?: "?", -rc);
	kfree(path);
}

/* Report a change of the store's state once, not each time that it is tried. */
static void writer_look(struct mgs_writer *wr)
{
	int rc = mgs_store_failed(wr->wr_store);
	char *path;

	lockdep_assert_held(&wr->wr_lock);
	if (rc != wr->wr_said) {
		path = path_text(wr);
		if (rc)
			CERROR("%s: directory %s %s: changes are refused until it can be written to; none that was acknowledged is lost: rc = %d\n",
			       wr->wr_name, path ?: "?",
			       is_full(rc) ? "is full" : "cannot be written to",
			       rc);
		else
			CWARN("%s: directory %s can be written to again: changes are taken\n",
			      wr->wr_name, path ?: "?");
		kfree(path);
	}
	wr->wr_said = rc;
	if (rc)
		queue_delayed_work(wr->wr_queue, &wr->wr_retry,
				   RETRY_SECONDS * HZ);
}

static void retry_run(struct work_struct *work)
{
	struct mgs_writer *wr = container_of(work, struct mgs_writer,
					     wr_retry.work);

	mutex_lock(&wr->wr_lock);
	mgs_store_retry(wr->wr_store);
	writer_look(wr);
	mutex_unlock(&wr->wr_lock);
}

static void job_run(struct work_struct *work)
{
	struct job *job = container_of(work, struct job, work);
	struct mgs_writer *wr = job->wr;

	mutex_lock(&wr->wr_lock);
	job->rc = job->fn(job->data);
	if (wr->wr_store)
		writer_look(wr);
	mutex_unlock(&wr->wr_lock);
	complete(&job->done);
}

/**
 * mgs_writer_run() - have the writer do something
 * @wr: writer
 * @fn: does it, wr_lock held
 * @data: its argument
 * @killable: the caller can be killed while it is in the queue
 *
 * Context: may sleep; no lock that @fn takes is held
 * Return: what @fn returned; -EINTR: it was not called
 */
int mgs_writer_run(struct mgs_writer *wr, mgs_job_fn fn, void *data,
		   bool killable)
{
	struct job job = { .wr = wr, .fn = fn, .data = data };
	bool taken_back = false;

	init_completion(&job.done);
	INIT_WORK_ONSTACK(&job.work, job_run);
	queue_work(wr->wr_queue, &job.work);
	if (killable && wait_for_completion_killable(&job.done))
		taken_back = cancel_work_sync(&job.work);
	if (!taken_back)
		flush_work(&job.work);
	destroy_work_on_stack(&job.work);
	return taken_back ? -EINTR : job.rc;
}

/**
 * mgs_writer_start() - start a writer
 * @wr: writer, zeros
 * @name: of the service; stays as long as the writer does, as does @path
 * @path: directory
 *
 * Context: may sleep
 * Return: 0, -ENOMEM
 */
int mgs_writer_start(struct mgs_writer *wr, const char *name,
		     const struct path *path)
{
	wr->wr_name = name;
	wr->wr_path = path;
	mutex_init(&wr->wr_lock);
	INIT_DELAYED_WORK(&wr->wr_retry, retry_run);
	wr->wr_queue = alloc_ordered_workqueue("mgs_writer", WQ_MEM_RECLAIM);
	return wr->wr_queue ? 0 : -ENOMEM;
}

/**
 * mgs_writer_idle() - no more retries: the next job closes the store
 * @wr: writer
 *
 * Context: may sleep
 */
void mgs_writer_idle(struct mgs_writer *wr)
{
	cancel_delayed_work_sync(&wr->wr_retry);
}

/**
 * mgs_writer_stop() - stop a writer whose store is closed
 * @wr: writer
 *
 * Context: may sleep
 */
void mgs_writer_stop(struct mgs_writer *wr)
{
	destroy_workqueue(wr->wr_queue);
	wr->wr_queue = NULL;
}
