// SPDX-License-Identifier: GPL-2.0
/*
 * The writer: the one task that writes to the directory of a service. Whoever wants
 * a change hands it over and waits. So nothing of a caller reaches the directory: no
 * signal that is pending there, no RLIMIT_FSIZE, no priority, no control group.
 *
 * A caller that is killed while its change is in the queue takes it back: nothing of
 * it is done. Once the writer has begun, the caller waits for the end, as it would
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

#include "mgs_internal.h"

#define RETRY_SECONDS	5

/**
 * struct job - what the writer does for a caller, which waits
 * @work: in the queue of the writer
 * @done: it is done
 * @md: service
 * @fn: does it, md_lock held
 * @data: its argument
 * @rc: out, what @fn returned
 */
struct job {
	struct work_struct	work;
	struct completion	done;
	struct mgs_device	*md;
	mgs_job_fn		fn;
	void			*data;
	int			rc;
};

/* The directory as text, for messages. */
static char *path_text(const struct mgs_device *md)
{
	char *text = kzalloc(PATH_MAX, GFP_KERNEL);

	if (text && libcfs_path_text(&md->md_path, text, PATH_MAX - 1) < 0)
		strscpy(text, "?", PATH_MAX);
	return text;
}

static bool is_full(int rc)
{
	return rc == -ENOSPC || rc == -EDQUOT;
}

/**
 * mgs_writer_refuse() - the words of a change that could not be written
 * @md: service
 * @rc: why
 * @why: out
 *
 * Context: may sleep; md_lock is held
 */
void mgs_writer_refuse(struct mgs_device *md, int rc, struct mgs_words *why)
{
	const char *name = md->md_obd->obd_name;
	char *path = path_text(md);

	if (mgs_store_doubt(md->md_store))
		scnprintf(why->text, sizeof(why->text),
			  "%s: writing the journal in directory %s failed (error %d): it is not known whether the change is on the disk. It is not in force; repeat it once the directory can be written to",
			  name, path ?: "?", -rc);
	else if (is_full(rc))
		scnprintf(why->text, sizeof(why->text),
			  "%s: directory %s is full (%s): nothing was changed. Free space there, then repeat the command",
			  name, path ?: "?", rc == -ENOSPC ? "ENOSPC" : "EDQUOT");
	else
		scnprintf(why->text, sizeof(why->text),
			  "%s: directory %s cannot be written to (error %d): nothing was changed",
			  name, path ?: "?", -rc);
	kfree(path);
}

static void say_failed(struct mgs_device *md, int rc)
{
	char *path = path_text(md);

	CERROR("%s: directory %s %s: changes are refused until it can be written to; none that was acknowledged is lost: rc = %d\n",
	       md->md_obd->obd_name, path ?: "?",
	       is_full(rc) ? "is full" : "cannot be written to", rc);
	kfree(path);
}

static void say_mended(struct mgs_device *md)
{
	char *path = path_text(md);

	CWARN("%s: directory %s can be written to again: changes are taken\n",
	      md->md_obd->obd_name, path ?: "?");
	kfree(path);
}

/* Say it once, not each time that it is tried. */
static void writer_look(struct mgs_device *md)
{
	int rc = mgs_store_failed(md->md_store);

	lockdep_assert_held(&md->md_lock);
	if (rc != md->md_said && rc)
		say_failed(md, rc);
	else if (rc != md->md_said)
		say_mended(md);
	md->md_said = rc;
	if (rc)
		queue_delayed_work(md->md_writer, &md->md_retry,
				   RETRY_SECONDS * HZ);
}

static void retry_run(struct work_struct *work)
{
	struct mgs_device *md = container_of(work, struct mgs_device,
					     md_retry.work);

	mutex_lock(&md->md_lock);
	mgs_store_retry(md->md_store);
	writer_look(md);
	mutex_unlock(&md->md_lock);
}

static void job_run(struct work_struct *work)
{
	struct job *job = container_of(work, struct job, work);
	struct mgs_device *md = job->md;

	mutex_lock(&md->md_lock);
	job->rc = job->fn(md, job->data);
	if (md->md_store)
		writer_look(md);
	mutex_unlock(&md->md_lock);
	complete(&job->done);
}

/**
 * mgs_writer_run() - have the writer do something
 * @md: service
 * @fn: does it, md_lock held
 * @data: its argument
 * @killable: the caller can be killed while it is in the queue
 *
 * Context: may sleep; no lock that @fn takes is held
 * Return: what @fn returned; -EINTR: it was not called
 */
int mgs_writer_run(struct mgs_device *md, mgs_job_fn fn, void *data,
		   bool killable)
{
	struct job job = { .md = md, .fn = fn, .data = data };
	bool taken_back = false;

	init_completion(&job.done);
	INIT_WORK_ONSTACK(&job.work, job_run);
	queue_work(md->md_writer, &job.work);
	if (killable && wait_for_completion_killable(&job.done))
		taken_back = cancel_work_sync(&job.work);
	if (!taken_back)
		flush_work(&job.work);
	destroy_work_on_stack(&job.work);
	return taken_back ? -EINTR : job.rc;
}

/**
 * mgs_writer_start() - have a writer
 * @md: service that is being set up
 *
 * Context: may sleep
 * Return: 0, -ENOMEM
 */
int mgs_writer_start(struct mgs_device *md)
{
	INIT_DELAYED_WORK(&md->md_retry, retry_run);
	md->md_writer = alloc_ordered_workqueue("mgs_writer", WQ_MEM_RECLAIM);
	return md->md_writer ? 0 : -ENOMEM;
}

/**
 * mgs_writer_stop() - the opposite
 * @md: service whose store is closed
 *
 * Context: may sleep
 */
void mgs_writer_stop(struct mgs_device *md)
{
	destroy_workqueue(md->md_writer);
	md->md_writer = NULL;
}
