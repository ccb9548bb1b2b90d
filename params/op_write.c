// SPDX-License-Identifier: GPL-2.0-only
/*
 * Setting values: one, or many, each on its own or all or nothing; and from within the
 * kernel, for config logs, one entry by its path or all that a pattern matches.
 *
 * All or nothing: check all, apply in order, and after a refusal restore the old values of
 * the previous ones. Other tasks may write meanwhile: the set of writes is atomic, but
 * readers may see it partly applied.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "params_internal.h"
#include "change.h"
#include "glob.h"

/**
 * struct params_step - one write of a transaction, and its result
 * @step_change: the write
 * @step_status: 0 or a negative errno
 * @step_why: reason of a refusal, kmalloc'd; or NULL
 */
struct params_step {
	struct params_change	step_change;
	int			step_status;
	char			*step_why;
};

/* Check a change, and apply it unless @dry_run. */
static int params_write_one(struct params_change *ch, bool dry_run,
			    struct params_reason *why)
{
	int rc = params_change_check(ch, why);

	if (rc || dry_run)
		return rc;
	return params_change_apply(ch, why);
}

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

/*
 * Write to many entries, all or nothing. @steps: step_status is set already if an entry was
 * not found.
 * Return: 0 if all were applied (or, of a dry run, would be); else the number of steps with a
 * status other than 0, and nothing has changed except entries with -EIO
 */
static u32 params_transact(struct params_step *steps, u32 count, bool dry_run)
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

/**
 * params_op_write() - PARAMS_IOC_WRITE
 * @pw: the call; pw_version is filled
 * @path: entry
 * @value: pw_value_len bytes
 * @why: out, reason of a refusal
 *
 * Context: may sleep, for as long as the callback does
 * Return: 0 or a negative errno
 */
int params_op_write(struct params_ioc_write *pw, const char *path,
		    const char *value, struct params_reason *why)
{
	struct params_change ch;
	int rc;

	rc = params_change_init(&ch, path, pw->pw_path_len, value,
				pw->pw_value_len,
				pw->pw_flags & (PARAMS_W_TYPED |
						PARAMS_W_VERSION),
				pw->pw_version);
	if (!rc)
		rc = params_write_one(&ch, pw->pw_flags & PARAMS_W_DRY_RUN,
				      why);
	pw->pw_version = params_change_version(&ch);
	params_change_fini(&ch);
	return rc;
}

static const struct params_write_rec *params_write_rec_at(const char *in)
{
	return (const void *)in;
}

/* A record is within the buffer, and has no unknown flags. */
static bool params_write_rec_ok(const struct params_write_rec *rec, size_t left)
{
	size_t need;

	if (left < sizeof(*rec) || rec->wr_len > left || rec->wr_len % 8)
		return false;
	if (rec->wr_reserved || rec->wr_reserved2 ||
	    (rec->wr_flags & ~(PARAMS_W_TYPED | PARAMS_W_VERSION)))
		return false;
	need = sizeof(*rec) + PARAMS_ALIGN((size_t)rec->wr_path_len) +
		PARAMS_ALIGN((size_t)rec->wr_value_len);
	return rec->wr_len == need;
}

/* All records are validated before the first write. */
static int params_write_recs_check(const struct params_ioc_write_batch *wb,
				   const char *in)
{
	size_t left = wb->bw_in_len;
	u32 n;

	for (n = 0; n < wb->bw_count; n++) {
		const struct params_write_rec *rec = params_write_rec_at(in);

		if (!params_write_rec_ok(rec, left))
			return -EINVAL;
		in += rec->wr_len;
		left -= rec->wr_len;
	}
	return left ? -EINVAL : 0;
}

static int params_write_rec_init(struct params_change *ch,
				 const struct params_write_rec *rec)
{
	return params_change_init(ch, rec->wr_data, rec->wr_path_len,
				  rec->wr_data +
				  PARAMS_ALIGN((size_t)rec->wr_path_len),
				  rec->wr_value_len, rec->wr_flags,
				  rec->wr_version);
}

/* A reply; the reason only if the heads of all following replies still fit. */
static int params_reply(struct params_out *out, u32 following, int status,
			u32 version, const char *why)
{
	size_t len = why ? strlen(why) : 0;
	struct params_reply_rec *rec;

	if (params_out_left(out) < sizeof(*rec) * (following + 1) +
	    PARAMS_ALIGN(len))
		len = 0;
	rec = params_out_reserve(out, sizeof(*rec) + PARAMS_ALIGN(len));
	if (IS_ERR(rec))
		return PTR_ERR(rec);
	rec->rr_len = sizeof(*rec) + PARAMS_ALIGN(len);
	rec->rr_status = status;
	rec->rr_version = version;
	rec->rr_reason_len = len;
	memset(rec->rr_reason, 0, PARAMS_ALIGN(len));
	if (len)
		memcpy(rec->rr_reason, why, len);
	return 0;
}

static int params_write_each(struct params_ioc_write_batch *wb, const char *in,
			     struct params_out *out)
{
	struct params_reason why;
	u32 n;
	int rc;

	for (n = 0; n < wb->bw_count; n++) {
		const struct params_write_rec *rec = params_write_rec_at(in);
		struct params_change ch;

		why.text[0] = '\0';
		rc = params_write_rec_init(&ch, rec);
		if (!rc)
			rc = params_write_one(&ch, wb->bw_flags &
						   PARAMS_W_DRY_RUN, &why);
		if (rc)
			wb->bw_failed++;
		rc = params_reply(out, wb->bw_count - n - 1, rc,
				  params_change_version(&ch), why.text);
		params_change_fini(&ch);
		if (rc)
			return rc;
		in += rec->wr_len;
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

static void params_steps_init(struct params_step *steps, u32 count,
			      const char *in)
{
	u32 n;

	for (n = 0; n < count; n++) {
		const struct params_write_rec *rec = params_write_rec_at(in);

		steps[n].step_status = params_write_rec_init(&steps[n].step_change,
							     rec);
		in += rec->wr_len;
	}
}

static int params_steps_reply(struct params_step *steps, u32 count,
			      struct params_out *out)
{
	u32 n;
	int rc = 0;

	for (n = 0; n < count && !rc; n++)
		rc = params_reply(out, count - n - 1, steps[n].step_status,
				  params_change_version(&steps[n].step_change),
				  steps[n].step_why);
	return rc;
}

static int params_write_atomic(struct params_ioc_write_batch *wb,
			       const char *in, struct params_out *out)
{
	struct params_step *steps;
	u32 n;
	int rc;

	steps = kvcalloc(wb->bw_count, sizeof(*steps), GFP_KERNEL_ACCOUNT);
	if (!steps)
		return -ENOMEM;
	params_steps_init(steps, wb->bw_count, in);
	wb->bw_failed = params_transact(steps, wb->bw_count,
					wb->bw_flags & PARAMS_W_DRY_RUN);
	rc = params_steps_reply(steps, wb->bw_count, out);
	for (n = 0; n < wb->bw_count; n++) {
		params_change_fini(&steps[n].step_change);
		kfree(steps[n].step_why);
	}
	kvfree(steps);
	return rc;
}

/**
 * params_op_write_batch() - PARAMS_IOC_WRITE_BATCH
 * @wb: the call; bw_failed is filled
 * @in: bw_in_len bytes of records
 * @out: the caller's buffer for replies
 *
 * Context: may sleep, for as long as the callbacks do
 * Return: 0 once every record was processed, or a negative errno
 */
int params_op_write_batch(struct params_ioc_write_batch *wb, const char *in,
			  struct params_out *out)
{
	int rc = params_write_recs_check(wb, in);

	if (rc)
		return rc;
	out->out_need = sizeof(struct params_reply_rec) * wb->bw_count;
	if (params_out_left(out) < out->out_need)
		return -EOVERFLOW;
	wb->bw_failed = 0;
	if (wb->bw_flags & PARAMS_W_ATOMIC)
		return params_write_atomic(wb, in, out);
	return params_write_each(wb, in, out);
}

/* A write to an entry; the caller has or borrows a reference. */
static int params_set_entry(struct lustre_params_entry *lpe, const char *value,
			    u32 flags, struct params_reason *why)
{
	struct params_change ch = {
		.ch_lpe = params_entry_get(params_resolve(lpe)),
		.ch_text = value,
		.ch_len = strlen(value),
	};
	int rc = params_write_one(&ch, flags & PARAMS_W_DRY_RUN, why);

	params_change_fini(&ch);
	return rc;
}

static void params_say(const struct params_reason *reason, char *why,
		       size_t why_size)
{
	if (why && why_size)
		strscpy(why, reason->text, why_size);
}

/**
 * params_set() - set an entry
 * @dir: start, NULL for the root; the caller has or borrows a reference
 * @path: components joined by '/'
 * @value: text
 * @flags: PARAMS_W_DRY_RUN to only check it
 * @why: out, reason of a refusal, "" if the errno says it all; or NULL
 * @why_size: bytes of @why
 *
 * Context: may sleep, for as long as the callback does; the caller holds no
 *  lock that a callback of the entry takes
 * Return: 0; -ENOENT, -ENOTDIR or -ENODEV if there is no such entry; -EISDIR or
 *  -EACCES if it cannot be set; -EINVAL or -ERANGE for an invalid value; the
 *  error of the callback
 */
int params_set(struct lustre_params_entry *dir, const char *path,
	       const char *value, u32 flags, char *why, size_t why_size)
{
	struct params_reason reason = { "" };
	struct lustre_params_entry *lpe;
	int rc;

	lpe = params_lookup_entry(dir, path);
	if (IS_ERR(lpe)) {
		params_say(&reason, why, why_size);
		return PTR_ERR(lpe);
	}
	rc = params_set_entry(lpe, value, flags, &reason);
	params_entry_put(lpe);
	params_say(&reason, why, why_size);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(params_set, LUSTRE_LITE);

/**
 * struct params_hits - result of a write to matching entries
 * @phi_spec: the rule
 * @phi_path: buffer for a path, if @phi_spec has applies()
 * @phi_flags: PARAMS_W_DRY_RUN
 * @phi_count: entries set
 * @phi_rc: the first error
 * @phi_why: its reason
 */
struct params_hits {
	const struct params_rule_spec	*phi_spec;
	char				*phi_path;
	u32				phi_flags;
	unsigned int			phi_count;
	int				phi_rc;
	struct params_reason		phi_why;
};

/* Whether the rule applies to a matching entry. */
static bool params_hit_applies(const struct params_hits *hits,
			       struct lustre_params_entry *lpe)
{
	const struct params_rule_spec *spec = hits->phi_spec;

	if (!spec->applies)
		return true;
	return params_entry_path(lpe, hits->phi_path, PARAMS_PATH_MAX + 1) >= 0 &&
		spec->applies(hits->phi_path, spec->data);
}

static void params_hit(struct lustre_params_entry *lpe, void *data)
{
	struct params_reason why = { "" };
	struct params_hits *hits = data;
	int rc;

	if (!params_hit_applies(hits, lpe))
		return;
	rc = params_set_entry(lpe, hits->phi_spec->value, hits->phi_flags, &why);
	if (!rc) {
		hits->phi_count++;
	} else if (!hits->phi_rc && !params_entry_gate(params_resolve(lpe))) {
		hits->phi_rc = rc;
		params_refuse(&hits->phi_why, "%s%s%s", lpe->lpe_name,
			      why.text[0] ? ": " : "", why.text);
	}
}

static int params_set_hits(struct params_hits *hits)
{
	struct params_glob *glob;

	glob = params_glob_parse(hits->phi_spec->pattern, &hits->phi_why);
	if (IS_ERR(glob))
		return PTR_ERR(glob);
	if (hits->phi_spec->applies) {
		hits->phi_path = kmalloc(PARAMS_PATH_MAX + 1, GFP_KERNEL);
		if (!hits->phi_path) {
			params_glob_free(glob);
			return -ENOMEM;
		}
	}
	params_glob_walk(glob, params_hit, hits);
	kfree(hits->phi_path);
	params_glob_free(glob);
	return 0;
}

/**
 * params_set_matching_where() - set the matching entries that a rule applies to
 * @spec: the rule
 * @flags: PARAMS_W_DRY_RUN to only check it
 * @why: out, reason of the first refusal; or NULL
 * @why_size: bytes of @why
 *
 * A refusal does not prevent the others from being set; entries removed
 * meanwhile are ignored. No rule is added.
 *
 * Context: as params_set(); no lock of the tree is held over @spec->applies
 * Return: entries set; -ENOENT if there are none; -EINVAL for a malformed
 *  pattern; -ENOMEM; else the first error
 */
int params_set_matching_where(const struct params_rule_spec *spec, u32 flags,
			      char *why, size_t why_size)
{
	struct params_hits hits = { .phi_spec = spec, .phi_flags = flags };
	int rc = params_set_hits(&hits) ?: hits.phi_rc;

	params_say(&hits.phi_why, why, why_size);
	if (rc)
		return rc;
	return hits.phi_count ? (int)hits.phi_count : -ENOENT;
}
EXPORT_SYMBOL_NS_GPL(params_set_matching_where, LUSTRE_LITE);

/**
 * params_set_matching() - set every entry that a pattern matches
 * @pattern: pattern
 * @value: text
 * @flags: PARAMS_W_DRY_RUN to only check it
 * @why: out, reason of the first refusal; or NULL
 * @why_size: bytes of @why
 *
 * Context: as params_set_matching_where()
 * Return: as params_set_matching_where()
 */
int params_set_matching(const char *pattern, const char *value, u32 flags,
			char *why, size_t why_size)
{
	struct params_rule_spec spec = { .pattern = pattern, .value = value };

	return params_set_matching_where(&spec, flags, why, why_size);
}
EXPORT_SYMBOL_NS_GPL(params_set_matching, LUSTRE_LITE);
