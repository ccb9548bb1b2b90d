// SPDX-License-Identifier: GPL-2.0-only
/* osd_cut: the module, its devices, numbers and commits. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/namei.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_why.h>

#include "osd_cut.h"

#define NAME_LEN_MAX	128

static char *dir = "";
module_param(dir, charp, 0444);
MODULE_PARM_DESC(dir, "directory with the directories mdt and ost");

static char *step = "prepare";
module_param(step, charp, 0444);
MODULE_PARM_DESC(step, "prepare, run, check or replay");

static unsigned int rounds = 2;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "how often each change is made (default 2)");

bool cut_expect(struct cut *cut, bool seen, const char *op, u32 round, const char *what)
{
	if (!seen) {
		cut->bad++;
		pr_err("osd_cut: %s %u, commit %llu: not so: %s\n", op, round, cut->committed,
		       what);
	}
	return seen;
}

static void stamp_next(struct osd_stamp *stamp)
{
	container_of(stamp, struct cut_stamp, stamp)->transno++;
}

int cut_made(struct cut *cut)
{
	if (cut->step != CUT_RUN || cut->stamp.transno % CUT_COMMIT)
		return 0;
	return osd_commit(cut->osd, cut->stamp.transno);
}

static struct osd_device *device_open(const char *sub, enum osd_kind kind)
{
	struct osd_device *osd;
	struct obd_why why = {};
	char name[NAME_LEN_MAX];
	struct path path;
	int rc;

	snprintf(name, sizeof(name), "%s/%s", dir, sub);
	rc = kern_path(name, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &path);
	if (rc)
		return ERR_PTR(rc);
	osd = osd_device_open(&path, kind, sub, &why);
	path_put(&path);
	if (IS_ERR(osd))
		pr_err("osd_cut: %s: %s: %ld\n", name, why.text, PTR_ERR(osd));
	return osd;
}

/* Return: 0; -EINVAL: an expectation is violated; as the calls of osd */
static int device_step(const char *sub, enum osd_kind kind, enum cut_step what)
{
	struct cut cut = { .step = what, .rounds = rounds, .stamp.stamp.osp_fn = stamp_next };
	int rc;

	cut.osd = device_open(sub, kind);
	if (IS_ERR(cut.osd))
		return PTR_ERR(cut.osd);
	rc = osd_committed(cut.osd, &cut.committed);
	if (!rc)
		rc = kind == OSD_KIND_MDT ? cut_mdt(&cut) : cut_ost(&cut);
	if (!rc && what != CUT_CHECK && what != CUT_RUN)
		rc = osd_commit(cut.osd, cut.stamp.transno);
	osd_device_close(cut.osd);
	if (rc)
		pr_err("osd_cut: %s: step %s: %d\n", sub, step, rc);
	return rc ?: cut.bad ? -EINVAL : 0;
}

/**
 * struct work - a thread that takes a step
 * @what: step
 * @rc: its result
 * @done: completes when it has ended
 */
struct work {
	enum cut_step		what;
	int			rc;
	struct completion	done;
};

/* A thread of its own: the one that loads the module keeps its umask. */
static int work_thread(void *data)
{
	struct work *work = data;
	int mdt, ost;

	work->rc = osd_thread_start();
	if (!work->rc) {
		mdt = device_step("mdt", OSD_KIND_MDT, work->what);
		ost = device_step("ost", OSD_KIND_OST, work->what);
		work->rc = mdt ?: ost;
	}
	kthread_complete_and_exit(&work->done, 0);
}

static int __init osd_cut_init(void)
{
	static const char * const steps[] = { "prepare", "run", "check", "replay" };
	struct work work;
	struct task_struct *task;
	int n = match_string(steps, ARRAY_SIZE(steps), step);

	if (n < 0)
		return n;
	work.what = n;
	init_completion(&work.done);
	task = kthread_run(work_thread, &work, "osd_cut");
	if (IS_ERR(task))
		return PTR_ERR(task);
	wait_for_completion(&work.done);
	return work.rc;
}

static void __exit osd_cut_exit(void)
{
}

module_init(osd_cut_init);
module_exit(osd_cut_exit);

MODULE_DESCRIPTION("lustre-lite: what a power cut leaves of changes");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
