// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes, and the writer: the one task that makes them. A caller hands its change over
 * and waits. So no pending signal, RLIMIT_FSIZE, priority or control group of a caller
 * reaches the directory.
 *
 * A committed change that could not be written to its files is retried every RETRY_SECONDS
 * and before the next change.
 *
 * The logs of recent changes are remembered for tasks that wait until nodes have
 * applied a change.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/completion.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>

#include "mgs_internal.h"

#define RETRY_SECONDS	5

/**
 * struct mgs_job - a job of the writer, on the stack of the caller, which waits
 * @work: in the queue of the writer
 * @done: the job has ended
 * @wr: writer
 * @fn: called with wtr_lock held
 * @data: its argument
 * @rc: out: what @fn returned
 */
struct mgs_job {
	struct work_struct	work;
	struct completion	done;
	struct mgs_writer	*wr;
	mgs_job_fn		fn;
	void			*data;
	int			rc;
};

/* Return: path of the directory, for kfree(); NULL */
static char *path_text(const struct mgs_writer *wr)
{
	char *text = kzalloc(PATH_MAX, GFP_KERNEL);

	if (text && libcfs_path_text(wr->wtr_path, text, PATH_MAX - 1) < 0)
		strscpy(text, "?", PATH_MAX);
	return text;
}

static bool is_full(int rc)
{
	return rc == -ENOSPC || rc == -EDQUOT;
}

/* Explain why a change could not be written. Context: may sleep; wtr_lock is held. */
static void writer_refuse(const struct mgs_writer *wr, int rc, char *why,
			  size_t size)
{
	char *path = path_text(wr);

	if (mgs_store_doubt(wr->wtr_store))
		scnprintf(why, size,
			  "%s: writing the journal in directory %s failed (error %d): it is not known whether the change is on the disk. It is not in force; repeat it once the directory can be written to",
			  wr->wtr_name, path ?: "?", -rc);
	else if (rc == -EFBIG && !mgs_store_failed(wr->wtr_store))
		scnprintf(why, size,
			  "%s: the change is too large for the journal: nothing was changed. Make it in parts",
			  wr->wtr_name);
	else if (is_full(rc))
		scnprintf(why, size,
			  "%s: directory %s is full (%s): nothing was changed. Free space there, then repeat the command",
			  wr->wtr_name, path ?: "?",
			  rc == -ENOSPC ? "ENOSPC" : "EDQUOT");
	else
		scnprintf(why, size,
			  "%s: directory %s cannot be written to (error %d): nothing was changed",
			  wr->wtr_name, path ?: "?", -rc);
	kfree(path);
}

/* Report a change of the store's state, not every retry. */
static void writer_look(struct mgs_writer *wr)
{
	int rc = mgs_store_failed(wr->wtr_store);
	char *path;

	lockdep_assert_held(&wr->wtr_lock);
	if (rc != wr->wtr_said) {
		path = path_text(wr);
		if (rc)
			CERROR("%s: directory %s %s: changes are refused until it can be written to; none that was acknowledged is lost: rc = %d\n",
			       wr->wtr_name, path ?: "?",
			       is_full(rc) ? "is full" : "cannot be written to",
			       rc);
		else
			CWARN("%s: directory %s can be written to again: changes are accepted\n",
			      wr->wtr_name, path ?: "?");
		kfree(path);
	}
	wr->wtr_said = rc;
	if (rc)
		queue_delayed_work(wr->wtr_queue, &wr->wtr_retry,
				   RETRY_SECONDS * HZ);
}

static void retry_run(struct work_struct *work)
{
	struct mgs_writer *wr = container_of(work, struct mgs_writer,
					     wtr_retry.work);

	mutex_lock(&wr->wtr_lock);
	mgs_store_retry(wr->wtr_store);
	writer_look(wr);
	mutex_unlock(&wr->wtr_lock);
}

static void job_run(struct work_struct *work)
{
	struct mgs_job *job = container_of(work, struct mgs_job, work);
	struct mgs_writer *wr = job->wr;

	mutex_lock(&wr->wtr_lock);
	job->rc = job->fn(job->data);
	if (wr->wtr_store)
		writer_look(wr);
	mutex_unlock(&wr->wtr_lock);
	complete(&job->done);
}

/*
 * Have the writer do something and wait for it. @killable: a caller that is killed before
 * the writer has started withdraws the job; after that it waits for the end, as it would
 * for its own I/O. Context: may sleep; no lock that @fn takes is held.
 * Return: what @fn returned; -EINTR: it was not called
 */
int mgs_writer_run(struct mgs_writer *wr, mgs_job_fn fn, void *data,
		   bool killable)
{
	struct mgs_job job = { .wr = wr, .fn = fn, .data = data };
	bool taken_back = false;

	init_completion(&job.done);
	INIT_WORK_ONSTACK(&job.work, job_run);
	queue_work(wr->wtr_queue, &job.work);
	if (killable && wait_for_completion_killable(&job.done))
		taken_back = cancel_work_sync(&job.work);
	if (!taken_back)
		flush_work(&job.work);
	destroy_work_on_stack(&job.work);
	return taken_back ? -EINTR : job.rc;
}

/* @wr: zeros. @name, @path: of the service; live as long as @wr. Return: 0, -ENOMEM */
int mgs_writer_start(struct mgs_writer *wr, const char *name,
		     const struct path *path)
{
	wr->wtr_name = name;
	wr->wtr_path = path;
	mutex_init(&wr->wtr_lock);
	INIT_DELAYED_WORK(&wr->wtr_retry, retry_run);
	wr->wtr_queue = alloc_ordered_workqueue("mgs_writer", WQ_MEM_RECLAIM);
	return wr->wtr_queue ? 0 : -ENOMEM;
}

/* End the retries: the next job closes the store. Context: may sleep. */
void mgs_writer_idle(struct mgs_writer *wr)
{
	cancel_delayed_work_sync(&wr->wtr_retry);
}

/* Stop a writer whose store is closed. Context: may sleep. */
void mgs_writer_stop(struct mgs_writer *wr)
{
	destroy_workqueue(wr->wtr_queue);
	wr->wtr_queue = NULL;
}

static size_t changed_size(u32 capacity)
{
	return offsetof(struct mgs_changed, cd_logs) +
	       (size_t)capacity * MGS_LOGNAME_MAX;
}

static struct mgs_changed *changed_new(u32 capacity)
{
	struct mgs_changed *ch = libcfs_zalloc(changed_size(capacity),
					       GFP_KERNEL_ACCOUNT);

	if (!ch)
		return NULL;
	refcount_set(&ch->cd_refs, 1);
	INIT_LIST_HEAD(&ch->cd_item);
	ch->cd_capacity = capacity;
	return ch;
}

static void changed_put(struct mgs_changed *ch)
{
	if (refcount_dec_and_test(&ch->cd_refs))
		libcfs_free(ch, changed_size(ch->cd_capacity));
}

static void changed_add(void *data, const char *log)
{
	struct mgs_changed *ch = data;

	if (WARN_ON_ONCE(ch->cd_count == ch->cd_capacity))
		return;
	strscpy(ch->cd_logs[ch->cd_count++], log, MGS_LOGNAME_MAX);
}

/* Remember a change; the oldest one is dropped. */
static void changed_keep(struct mgs_device *md, struct mgs_changed *ch)
{
	struct mgs_changed *oldest;

	mutex_lock(&md->md_changed_lock);
	refcount_inc(&ch->cd_refs);
	list_add(&ch->cd_item, &md->md_changed);
	if (++md->md_changed_count > MGS_CHANGES_KEPT) {
		oldest = list_last_entry(&md->md_changed, struct mgs_changed,
					 cd_item);
		list_del_init(&oldest->cd_item);
		md->md_changed_count--;
		changed_put(oldest);
	}
	mutex_unlock(&md->md_changed_lock);
}

/* Drop all changes, at the end of the service. */
void mgs_changed_free(struct mgs_device *md)
{
	struct mgs_changed *ch, *next;

	list_for_each_entry_safe(ch, next, &md->md_changed, cd_item) {
		list_del_init(&ch->cd_item);
		changed_put(ch);
	}
	md->md_changed_count = 0;
}

static int commit_refused(struct mgs_device *md, struct mgs_change *change,
			  int rc)
{
	writer_refuse(&md->md_writer, rc, change->why.text,
		      sizeof(change->why.text));
	CERROR("%s (change by %s): rc = %d\n", change->why.text, change->who.who, rc);
	return rc;
}

/* @txn: freed here */
static int change_commit(struct mgs_device *md, struct mgs_txn *txn,
			 struct mgs_change *change, struct mgs_changed **changed)
{
	struct mgs_changed *ch;
	int rc;

	mgs_txn_count(txn, &change->logs, &change->records);
	if (change->dry_run) {
		mgs_txn_end(txn);
		return 0;
	}
	ch = changed_new(change->logs);
	if (!ch) {
		mgs_txn_end(txn);
		return -ENOMEM;
	}
	mgs_txn_each(txn, changed_add, ch);
	rc = mgs_txn_commit(txn, &change->generation);
	if (!rc && change->done)
		change->done(md, change);
	if (!rc && change->generation) {
		ch->cd_generation = change->generation;
		changed_keep(md, ch);
		*changed = ch;
		return 0;
	}
	changed_put(ch);
	return rc ? commit_refused(md, change, rc) : 0;
}

/**
 * struct mgs_making - arguments of the job that makes a change
 * @md: service
 * @change: change
 * @changed: out: logs that it modified; NULL: none
 */
struct mgs_making {
	struct mgs_device	*md;
	struct mgs_change	*change;
	struct mgs_changed	*changed;
};

static int change_make(void *data)
{
	struct mgs_making *making = data;
	struct mgs_device *md = making->md;
	struct mgs_change *change = making->change;
	struct mgs_txn *txn;
	int rc;

	lockdep_assert_held(&md->md_writer.wtr_lock);
	rc = mgs_txn_begin(md->md_store, &change->who, &txn);
	if (rc)
		return rc == -ENOMEM ? rc : commit_refused(md, change, rc);
	rc = change->fn(txn, change);
	if (rc) {
		mgs_txn_end(txn);
		return rc;
	}
	return change_commit(md, txn, change, &making->changed);
}

/*
 * Make a change as a whole or not at all, and notify the nodes. The writer calls its
 * function. When this returns 0, the change is on the disk.
 * Return: 0; -EINTR: the caller was killed, nothing was changed; what the function
 * returned; as the directory
 */
int mgs_change_do(struct mgs_device *md, struct mgs_change *change)
{
	struct mgs_making making = { .md = md, .change = change };
	int rc;

	change->generation = 0;
	change->who.when = ktime_get_real_seconds();
	rc = mgs_writer_run(&md->md_writer, change_make, &making, true);
	if (!making.changed)
		return rc;
	CDEBUG(D_CONFIG, "%s: generation %llu by %s from %s: %u records in %u logs\n",
	       md->md_obd->obd_name, change->generation, change->who.who,
	       change->who.from, change->records, change->logs);
	mgs_notify_logs(md, making.changed);
	changed_put(making.changed);
	mgs_live_update(md);
	return rc;
}
