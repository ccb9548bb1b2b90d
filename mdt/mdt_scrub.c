// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects by FID alone. A thread walks the tree and fills an index (mdt_oi.c). It starts when a
 * request needs it, or by oi_scrub=start, and the index stays as long as it is used.
 *
 *	request: a FID without a hint		thread
 *	  mdt_scrub_find()
 *	    index has it: done
 *	    no index: wakes the thread -------> reads directory after directory; each object
 *	    waits a little			that it sees is found from then on
 *	    -EINPROGRESS: the client sends
 *	    it again after a second		after 10 minutes without use, and when memory is short,
 *						it frees the index
 *
 * So a walk that takes minutes occupies no thread of the service, and a client may give up at any
 * time. Objects that get a name while there is an index are added by the change. The walk may have
 * read the directory before that. A directory that is renamed is read once more: it may come from
 * one that was not read yet.
 *
 * Hints do not change: an index that is complete has every object, and is not made again for a FID
 * that it lacks.
 *
 * PENDING is not walked: what is open there is in memory, and the rest has ended.
 *
 * msc_lock is the innermost lock but scrubs_lock. The shrinker takes the latter only.
 */
#define DEBUG_SUBSYSTEM S_MDS
#define LUSTRE_LITE_SHRINKER

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stat.h>
#include <linux/wait.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/params.h>

#include "mdt_internal.h"

/* An index that was not used for so long is freed; and if memory is short. */
#define AGE_MAX		(600 * HZ)
#define AGE_SHORT	(5 * HZ)
/* A request waits for so long, if not so many do. */
#define WAIT_MAX	(HZ / 2)
#define WAIT_POLL	(HZ / 20)
#define WAITERS_MAX	4
/* Requests fail for so long after a walk has failed; then another one is tried. */
#define FAILED_TIME	(10 * HZ)
/* Requests of clients come first. */
#define SCRUB_NICE	10

/* enum scrub_state - real Lustre's words for the last walk */
enum scrub_state {
	SCRUB_INIT,
	SCRUB_SCANNING,
	SCRUB_COMPLETED,
	SCRUB_FAILED,
	SCRUB_STOPPED,
};

static const char *const state_names[] = {
	[SCRUB_INIT]		= "init",
	[SCRUB_SCANNING]	= "scanning",
	[SCRUB_COMPLETED]	= "completed",
	[SCRUB_FAILED]		= "failed",
	[SCRUB_STOPPED]		= "stopped",
};

/* struct mdt_todo - a directory to read */
struct mdt_todo {
	struct list_head	item;
	struct lu_fid		fid;
	struct osd_hint		hint;
};

/**
 * struct mdt_scrub - the index of a device, and the thread that makes it
 * @msc_mdt: device
 * @msc_task: thread, or NULL after it was stopped
 * @msc_item: in scrubs
 * @msc_wait: the thread waits for work, requests for the end of the walk
 * @msc_waiters: requests that wait
 * @msc_short: memory is short
 * @msc_lock: guards all that follows
 * @msc_oi: index, or NULL
 * @msc_state: of the last walk
 * @msc_rc: why it has failed
 * @msc_wanted: another walk is wanted
 * @msc_todo: directories that the walk has not read yet
 * @msc_used: when a request used the index, in jiffies
 * @msc_end: when the walk has ended, in jiffies
 * @msc_start_ns: when it has started
 * @msc_ns: time that it took
 * @msc_checked: objects that it has seen
 * @msc_dirs: directories that it has read
 * @msc_unread: directories that it could not read
 */
struct mdt_scrub {
	struct mdt_device	*msc_mdt;
	struct task_struct	*msc_task;
	struct list_head	msc_item;
	wait_queue_head_t	msc_wait;
	atomic_t		msc_waiters;
	bool			msc_short;
	struct mutex		msc_lock;
	struct mdt_oi		*msc_oi;
	enum scrub_state	msc_state;
	int			msc_rc;
	bool			msc_wanted;
	struct list_head	msc_todo;
	unsigned long		msc_used;
	unsigned long		msc_end;
	u64			msc_start_ns;
	u64			msc_ns;
	u64			msc_checked;
	u64			msc_dirs;
	u64			msc_unread;
};

/* All of them, for the shrinker. */
static DEFINE_SPINLOCK(scrubs_lock);
static LIST_HEAD(scrubs);
static struct compat_shrinker scrub_shrinker;

static const char *scrub_name(const struct mdt_scrub *ms)
{
	return ms->msc_mdt->mdt_dir.td_obd->obd_name;
}

static int __todo_add(struct mdt_scrub *ms, const struct lu_fid *fid, const struct osd_hint *hint)
{
	struct mdt_todo *todo = libcfs_zalloc(sizeof(*todo),
					      GFP_NOFS | __GFP_NORETRY | __GFP_NOWARN);

	if (!todo)
		return -ENOMEM;
	todo->fid = *fid;
	todo->hint = *hint;
	list_add(&todo->item, &ms->msc_todo);
	return 0;
}

static struct mdt_todo *todo_take(struct mdt_scrub *ms)
{
	struct mdt_todo *todo;

	mutex_lock(&ms->msc_lock);
	todo = list_first_entry_or_null(&ms->msc_todo, struct mdt_todo, item);
	if (todo)
		list_del(&todo->item);
	mutex_unlock(&ms->msc_lock);
	return todo;
}

/* Add an object to the index; a directory is to be read. */
static int __note(struct mdt_scrub *ms, const struct osd_object *obj)
{
	struct osd_hint hint;
	int rc;

	lockdep_assert_held(&ms->msc_lock);
	rc = osd_object_hint(obj, &hint) ?: mdt_oi_add(ms->msc_oi, &obj->oo_fid, &hint);
	if (!rc && ms->msc_state == SCRUB_SCANNING && d_is_dir(obj->oo_dentry))
		rc = __todo_add(ms, &obj->oo_fid, &hint);
	return rc;
}

/* What is below .lustre is the client's own. */
static int entry_seen(const struct osd_dirent *ent, void *data)
{
	struct mdt_scrub *ms = data;
	int rc;

	cond_resched();
	if (kthread_should_stop())
		return -ESHUTDOWN;
	if (!ent->ode_obj || !fid_is_in_tree(&ent->ode_obj->oo_fid))
		return 0;
	mutex_lock(&ms->msc_lock);
	rc = ms->msc_rc ?: __note(ms, ent->ode_obj);
	ms->msc_checked++;
	mutex_unlock(&ms->msc_lock);
	return rc;
}

static int dir_read(struct mdt_scrub *ms, struct osd_object *obj)
{
	struct osd_dir *dir = osd_dir_open(obj);
	int rc;

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	rc = osd_dir_read(dir, 0, entry_seen, ms);
	osd_dir_close(dir);
	return rc;
}

/* One that cannot be read does not end the walk. */
static int dir_walk(struct mdt_scrub *ms, const struct mdt_todo *todo)
{
	struct osd_object obj = {};
	char text[FID_TEXT_SIZE];
	int rc = osd_object_locate(ms->msc_mdt->mdt_osd, &obj, &todo->fid, &todo->hint);

	/* It was removed. */
	if (rc == -ESTALE)
		return 0;
	if (!rc)
		rc = dir_read(ms, &obj);
	osd_object_fini(&obj);
	mutex_lock(&ms->msc_lock);
	ms->msc_dirs++;
	if (rc && rc != -ESHUTDOWN && rc != -ENOMEM) {
		ms->msc_unread++;
		CWARN("%s: cannot read directory [%s], objects below it are not found by FID: rc = %d\n",
		      scrub_name(ms), fid_text(&todo->fid, text), rc);
		rc = 0;
	}
	mutex_unlock(&ms->msc_lock);
	return rc;
}

static int walk_start(struct mdt_scrub *ms)
{
	struct mdt_oi *oi = mdt_oi_new(), *old;
	int rc;

	mutex_lock(&ms->msc_lock);
	old = ms->msc_oi;
	WRITE_ONCE(ms->msc_oi, oi);
	WRITE_ONCE(ms->msc_state, SCRUB_SCANNING);
	ms->msc_wanted = false;
	ms->msc_rc = 0;
	ms->msc_start_ns = ktime_get_ns();
	ms->msc_checked = 0;
	ms->msc_dirs = 0;
	ms->msc_unread = 0;
	rc = oi ? __note(ms, &ms->msc_mdt->mdt_root->mo_osd) : -ENOMEM;
	mutex_unlock(&ms->msc_lock);
	mdt_oi_free(old);
	/* Pairs with mdt_scrub_note(): a change sees the index, or the walk sees the change. */
	smp_mb();
	return rc;
}

static void walk_end(struct mdt_scrub *ms, int rc)
{
	struct mdt_oi *oi = NULL;
	struct mdt_todo *todo;

	while ((todo = todo_take(ms)))
		libcfs_free(todo, sizeof(*todo));
	mutex_lock(&ms->msc_lock);
	rc = rc ?: ms->msc_rc;
	if (rc) {
		oi = ms->msc_oi;
		WRITE_ONCE(ms->msc_oi, NULL);
	}
	ms->msc_rc = rc;
	ms->msc_ns = ktime_get_ns() - ms->msc_start_ns;
	ms->msc_end = jiffies;
	ms->msc_used = jiffies;
	WRITE_ONCE(ms->msc_state, !rc ? SCRUB_COMPLETED : rc == -ESHUTDOWN ? SCRUB_STOPPED :
				 SCRUB_FAILED);
	mutex_unlock(&ms->msc_lock);
	mdt_oi_free(oi);
	if (rc && rc != -ESHUTDOWN)
		CERROR("%s: search for objects by FID failed after %llu objects: rc = %d\n",
		       scrub_name(ms), ms->msc_checked, rc);
	wake_up_all(&ms->msc_wait);
}

static void scrub_walk(struct mdt_scrub *ms)
{
	int rc = walk_start(ms);
	struct mdt_todo *todo;

	while (!rc && (todo = todo_take(ms))) {
		rc = dir_walk(ms, todo);
		libcfs_free(todo, sizeof(*todo));
		if (!rc && kthread_should_stop())
			rc = -ESHUTDOWN;
	}
	walk_end(ms, rc);
}

/* Take the index away if it was not used for @age. */
static void index_drop(struct mdt_scrub *ms, unsigned long age)
{
	struct mdt_oi *oi = NULL;

	mutex_lock(&ms->msc_lock);
	if (ms->msc_oi && time_after_eq(jiffies, ms->msc_used + age)) {
		oi = ms->msc_oi;
		WRITE_ONCE(ms->msc_oi, NULL);
	}
	mutex_unlock(&ms->msc_lock);
	mdt_oi_free(oi);
}

static bool has_work(struct mdt_scrub *ms)
{
	return kthread_should_stop() || READ_ONCE(ms->msc_wanted) || READ_ONCE(ms->msc_short);
}

static int scrub_main(void *data)
{
	struct mdt_scrub *ms = data;

	set_user_nice(current, SCRUB_NICE);
	while (!kthread_should_stop()) {
		if (READ_ONCE(ms->msc_wanted))
			scrub_walk(ms);
		index_drop(ms, READ_ONCE(ms->msc_short) ? AGE_SHORT : AGE_MAX);
		WRITE_ONCE(ms->msc_short, false);
		wait_event_idle_timeout(ms->msc_wait, has_work(ms),
					READ_ONCE(ms->msc_oi) ? AGE_MAX / 10 :
					MAX_SCHEDULE_TIMEOUT);
	}
	return 0;
}

int mdt_scrub_init(struct mdt_device *mdt)
{
	struct mdt_scrub *ms = libcfs_zalloc(sizeof(*ms), GFP_KERNEL_ACCOUNT);
	struct task_struct *task;

	if (!ms)
		return -ENOMEM;
	ms->msc_mdt = mdt;
	init_waitqueue_head(&ms->msc_wait);
	mutex_init(&ms->msc_lock);
	INIT_LIST_HEAD(&ms->msc_todo);
	task = kthread_run(scrub_main, ms, "ll_scrub_%04x", mdt->mdt_dir.td_index);
	if (IS_ERR(task)) {
		libcfs_free(ms, sizeof(*ms));
		return PTR_ERR(task);
	}
	ms->msc_task = task;
	mdt->mdt_scrub = ms;
	spin_lock(&scrubs_lock);
	list_add_tail(&ms->msc_item, &scrubs);
	spin_unlock(&scrubs_lock);
	return 0;
}

void mdt_scrub_stop(struct mdt_device *mdt)
{
	struct mdt_scrub *ms = mdt->mdt_scrub;

	if (!ms || !ms->msc_task)
		return;
	spin_lock(&scrubs_lock);
	list_del(&ms->msc_item);
	spin_unlock(&scrubs_lock);
	kthread_stop(ms->msc_task);
	ms->msc_task = NULL;
	mutex_lock(&ms->msc_lock);
	WRITE_ONCE(ms->msc_state, SCRUB_STOPPED);
	mutex_unlock(&ms->msc_lock);
	index_drop(ms, 0);
	wake_up_all(&ms->msc_wait);
}

void mdt_scrub_fini(struct mdt_device *mdt)
{
	struct mdt_scrub *ms = mdt->mdt_scrub;

	if (!ms)
		return;
	mdt_scrub_stop(mdt);
	mdt->mdt_scrub = NULL;
	libcfs_free(ms, sizeof(*ms));
}

/* The index lacks the FID. */
static int __missing(struct mdt_scrub *ms)
{
	switch (ms->msc_state) {
	case SCRUB_STOPPED:
		return -ESHUTDOWN;
	case SCRUB_SCANNING:
		return -EINPROGRESS;
	case SCRUB_COMPLETED:
		if (ms->msc_oi && !ms->msc_wanted)
			return ms->msc_unread ? -EIO : -ENOENT;
		break;
	case SCRUB_FAILED:
		if (time_before(jiffies, ms->msc_end + FAILED_TIME))
			return ms->msc_rc;
		break;
	case SCRUB_INIT:
		break;
	}
	WRITE_ONCE(ms->msc_wanted, true);
	wake_up_all(&ms->msc_wait);
	return -EINPROGRESS;
}

/* @start: without an index, make one. Return: 0; -ENOENT; -EINPROGRESS; others */
static int index_find(struct mdt_scrub *ms, const struct lu_fid *fid, struct osd_hint *hint,
		      bool start)
{
	int rc = 0;

	mutex_lock(&ms->msc_lock);
	ms->msc_used = jiffies;
	if (!ms->msc_oi || !mdt_oi_find(ms->msc_oi, fid, hint))
		rc = start ? __missing(ms) : -ENOENT;
	mutex_unlock(&ms->msc_lock);
	return rc;
}

static bool is_scanning(const struct mdt_scrub *ms)
{
	return READ_ONCE(ms->msc_state) == SCRUB_SCANNING || READ_ONCE(ms->msc_wanted);
}

/* A walk of a small tree ends at once, and saves the client another request. */
static int index_wait(struct mdt_scrub *ms, const struct lu_fid *fid, struct osd_hint *hint)
{
	unsigned long end = jiffies + WAIT_MAX;
	int rc = index_find(ms, fid, hint, true);

	if (rc != -EINPROGRESS)
		return rc;
	if (atomic_inc_return(&ms->msc_waiters) <= WAITERS_MAX) {
		do {
			wait_event_idle_timeout(ms->msc_wait, !is_scanning(ms), WAIT_POLL);
			rc = index_find(ms, fid, hint, true);
		} while (rc == -EINPROGRESS && time_before(jiffies, end));
	}
	atomic_dec(&ms->msc_waiters);
	return rc;
}

static bool has_hint(const struct md_object *name)
{
	return memchr_inv(&name->hint, 0, sizeof(name->hint));
}

struct mdt_object *mdt_scrub_find(struct mdt_device *mdt, const struct md_object *name)
{
	struct mdt_object *obj = mdt_object_find(mdt, name);
	struct md_object found = { .fid = name->fid };
	bool hinted = has_hint(name);
	struct osd_hint hint;
	int rc;

	if (obj != ERR_PTR(-ESTALE))
		return obj;
	if (!fid_is_in_tree(&name->fid))
		return ERR_PTR(hinted ? -ESTALE : -EINVAL);
	rc = hinted ? index_find(mdt->mdt_scrub, &name->fid, &hint, false) :
		      index_wait(mdt->mdt_scrub, &name->fid, &hint);
	if (rc)
		return ERR_PTR(hinted ? -ESTALE : rc);
	memcpy(&found.hint, &hint, sizeof(hint));
	obj = mdt_object_find(mdt, &found);
	if (obj != ERR_PTR(-ESTALE))
		return obj;
	mdt_scrub_forget(mdt, &name->fid);
	return ERR_PTR(hinted ? -ESTALE : -ENOENT);
}

void mdt_scrub_note(struct mdt_device *mdt, const struct osd_object *obj)
{
	struct mdt_scrub *ms = mdt->mdt_scrub;
	bool scanning = false;
	int rc = 0;

	/* Pairs with walk_start(). */
	smp_mb();
	if (!ms || !READ_ONCE(ms->msc_oi))
		return;
	mutex_lock(&ms->msc_lock);
	if (ms->msc_oi && fid_is_in_tree(&obj->oo_fid))
		rc = __note(ms, obj);
	scanning = ms->msc_state == SCRUB_SCANNING;
	if (rc && scanning)
		ms->msc_rc = rc;
	mutex_unlock(&ms->msc_lock);
	/* An index that lacks an object is of no use. A walk that runs makes none. */
	if (!rc || scanning)
		return;
	CWARN("%s: cannot add an object to the index of FIDs, which is made again when it is needed: rc = %d\n",
	      scrub_name(ms), rc);
	index_drop(ms, 0);
}

void mdt_scrub_forget(struct mdt_device *mdt, const struct lu_fid *fid)
{
	struct mdt_scrub *ms = mdt->mdt_scrub;

	if (!ms || !READ_ONCE(ms->msc_oi))
		return;
	mutex_lock(&ms->msc_lock);
	if (ms->msc_oi)
		mdt_oi_del(ms->msc_oi, fid);
	mutex_unlock(&ms->msc_lock);
}

int mdt_scrub_print(struct mdt_device *mdt, struct params_sink *sink)
{
	struct mdt_scrub *ms = mdt->mdt_scrub;
	u64 ns;

	if (!ms)
		return -ENODEV;
	mutex_lock(&ms->msc_lock);
	ns = ms->msc_state == SCRUB_SCANNING ? ktime_get_ns() - ms->msc_start_ns : ms->msc_ns;
	params_put_str(sink, "status", state_names[ms->msc_state]);
	params_put_u64(sink, "checked", ms->msc_checked);
	params_put_u64(sink, "directories", ms->msc_dirs);
	params_put_u64(sink, "failed", ms->msc_unread);
	params_put_u64(sink, "indexed", ms->msc_oi ? mdt_oi_count(ms->msc_oi) : 0);
	params_put_u64(sink, "run_time_ms", div_u64(ns, NSEC_PER_MSEC));
	mutex_unlock(&ms->msc_lock);
	return params_sink_error(sink);
}

int mdt_scrub_set(struct mdt_device *mdt, const char *text)
{
	struct mdt_scrub *ms = mdt->mdt_scrub;
	int rc = -EINVAL;

	if (!ms)
		return -ENODEV;
	if (strcmp(text, "start")) {
		CERROR("%s: oi_scrub must be start: rc = %d\n", scrub_name(ms), rc);
		return rc;
	}
	mutex_lock(&ms->msc_lock);
	rc = ms->msc_state == SCRUB_SCANNING ? -EALREADY : 0;
	if (!rc)
		WRITE_ONCE(ms->msc_wanted, true);
	mutex_unlock(&ms->msc_lock);
	wake_up_all(&ms->msc_wait);
	return rc;
}

/* Shortage of memory. */

/* Entries that may be freed. An index that requests wait for, or have just used, stays. */
static unsigned long __shrinkable(const struct mdt_scrub *ms)
{
	if (READ_ONCE(ms->msc_state) != SCRUB_COMPLETED || !READ_ONCE(ms->msc_oi) ||
	    time_before(jiffies, READ_ONCE(ms->msc_used) + AGE_SHORT))
		return 0;
	return READ_ONCE(ms->msc_checked);
}

static unsigned long scrubs_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	unsigned long count = 0;
	struct mdt_scrub *ms;

	spin_lock(&scrubs_lock);
	list_for_each_entry(ms, &scrubs, msc_item)
		count += __shrinkable(ms);
	spin_unlock(&scrubs_lock);
	return count ?: SHRINK_EMPTY;
}

/* The caller may hold any lock: the thread frees the index, all of it. */
static unsigned long scrubs_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	unsigned long count = 0;
	struct mdt_scrub *ms;

	spin_lock(&scrubs_lock);
	list_for_each_entry(ms, &scrubs, msc_item) {
		if (!__shrinkable(ms) || READ_ONCE(ms->msc_short))
			continue;
		count += __shrinkable(ms);
		WRITE_ONCE(ms->msc_short, true);
		wake_up_all(&ms->msc_wait);
	}
	spin_unlock(&scrubs_lock);
	return count ?: SHRINK_STOP;
}

int mdt_scrub_module_init(void)
{
	return compat_shrinker_start(&scrub_shrinker, "lustre-lite-scrub", scrubs_count,
				     scrubs_scan);
}

/* No device is left. */
void mdt_scrub_module_exit(void)
{
	compat_shrinker_stop(&scrub_shrinker);
}
