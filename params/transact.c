// SPDX-License-Identifier: GPL-2.0
/*
 * Writes to many entries, all or nothing: check all, apply in order, and after
 * a refusal restore the old values of the previous ones.
 *
 * Other tasks may write meanwhile: the set of writes is atomic, but readers may
 * see it partly applied.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "params_internal.h"
#include "transact.h"

/* Record a refusal. On allocation failure only its errno. */
static void params_step_fail(struct params_step *step, int rc,
			     const struct params_reason *why)
{
	step->step_status = rc;
	kfree(step->step_why);
	step->step_why = why->text[0] ? kstrdup(why->text, GFP_KERNEL) : NULL;
}

/* A write that cannot be undone may be the last one: no refusal can follow it. */
static int params_step_undoable(struct params_step *step, bool last,
				struct params_reason *why)
{
	step->step_change.ch_keep = step->step_change.ch_undoable;
	if (step->step_change.ch_keep || last)
		return 0;
	params_refuse(why, "cannot be undone: it can only be the last one of an atomic change");
	return -EOPNOTSUPP;
}

static u32 params_check_all(struct params_step *steps, u32 count)
{
	struct params_reason why;
	u32 failed = 0;
	u32 n;
	int rc;

	for (n = 0; n < count; n++) {
		if (steps[n].step_status) {
			failed++;
			continue;
		}
		why.text[0] = '\0';
		rc = params_change_check(&steps[n].step_change, &why);
		if (!rc)
			rc = params_step_undoable(&steps[n], n == count - 1,
						  &why);
		if (rc) {
			params_step_fail(&steps[n], rc, &why);
			failed++;
		}
	}
	return failed;
}

static void params_undo_step(struct params_step *step)
{
	struct params_reason why = { "" };
	int rc = params_change_undo(&step->step_change);

	if (!rc)
		return;
	params_refuse(&why, "its old value could not be restored: errno %d",
		      -rc);
	params_step_fail(step, -EIO, &why);
}

/* Return: true if all were applied. */
static bool params_apply_all(struct params_step *steps, u32 count)
{
	struct params_reason why = { "" };
	u32 n;
	int rc;

	for (n = 0; n < count; n++) {
		rc = params_change_apply(&steps[n].step_change, &why);
		if (rc)
			break;
	}
	if (n == count)
		return true;
	params_step_fail(&steps[n], rc, &why);
	while (n-- > 0)
		params_undo_step(&steps[n]);
	return false;
}

/**
 * params_transact() - write to many entries, all or nothing
 * @steps: the writes; step_status is set already if an entry was not found
 * @count: their number
 * @dry_run: check only
 *
 * Context: may sleep, for as long as the callbacks do
 * Return: 0 if all were applied (or, of a dry run, would be); else the number
 *  of steps with a status other than 0, and nothing has changed except entries
 *  with -EIO
 */
u32 params_transact(struct params_step *steps, u32 count, bool dry_run)
{
	u32 n;

	if (!params_check_all(steps, count) &&
	    (dry_run || params_apply_all(steps, count)))
		return 0;
	for (n = 0; n < count; n++)
		if (!steps[n].step_status)
			steps[n].step_status = -ECANCELED;
	return count;
}
