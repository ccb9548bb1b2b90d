// SPDX-License-Identifier: GPL-2.0
/*
 * Writes to many entries, all or nothing: check all, apply in order, and when
 * one refuses give those before it their old value back.
 *
 * Others may write meanwhile: what is all or nothing is this set of writes, not
 * the view of a reader in between.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "params_internal.h"
#include "transact.h"

/* Note a refusal. Without memory for its words the errno has to do. */
static void params_step_fail(struct params_step *step, int rc,
			     const struct params_reason *why)
{
	step->st_status = rc;
	kfree(step->st_why);
	step->st_why = why->text[0] ? kstrdup(why->text, GFP_KERNEL) : NULL;
}

/*
 * What cannot be undone can still be last: when its turn comes nothing is left
 * that might refuse.
 */
static int params_step_undoable(struct params_step *step, bool last,
				struct params_reason *why)
{
	step->st_change.ch_keep = step->st_change.ch_undoable;
	if (step->st_change.ch_keep || last)
		return 0;
	params_refuse(why, "has no old value to give back: it can only be the last of an all-or-nothing change");
	return -EOPNOTSUPP;
}

static u32 params_check_all(struct params_step *steps, u32 count)
{
	struct params_reason why;
	u32 failed = 0;
	u32 n;
	int rc;

	for (n = 0; n < count; n++) {
		if (steps[n].st_status) {
			failed++;
			continue;
		}
		why.text[0] = '\0';
		rc = params_change_check(&steps[n].st_change, &why);
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
	int rc = params_change_undo(&step->st_change);

	if (!rc)
		return;
	params_refuse(&why, "its old value could not be given back: errno %d",
		      -rc);
	params_step_fail(step, -EIO, &why);
}

/* Returns whether all went well. */
static bool params_apply_all(struct params_step *steps, u32 count)
{
	struct params_reason why = { "" };
	u32 n;
	int rc;

	for (n = 0; n < count; n++) {
		rc = params_change_apply(&steps[n].st_change, &why);
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
 * @steps: the writes; one whose entry was not found has its st_status already
 * @count: how many
 * @dry_run: check only
 *
 * Context: may sleep, for as long as the callbacks do
 * Return: 0 when all were applied (or, of a dry run, would be); else how many
 * have a status other than 0, and nothing has changed but what says -EIO
 */
u32 params_transact(struct params_step *steps, u32 count, bool dry_run)
{
	u32 n;

	if (!params_check_all(steps, count) &&
	    (dry_run || params_apply_all(steps, count)))
		return 0;
	for (n = 0; n < count; n++)
		if (!steps[n].st_status)
			steps[n].st_status = -ECANCELED;
	return count;
}
