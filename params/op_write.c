// SPDX-License-Identifier: GPL-2.0
/* Setting values: one, or many, each on its own or all or nothing. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "params_internal.h"
#include "transact.h"

/* A single change, from init to fini. */
static int params_write_one(struct params_change *ch, bool dry_run,
			    struct params_reason *why)
{
	int rc = params_change_check(ch, why);

	if (rc || dry_run)
		return rc;
	return params_change_apply(ch, why);
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
	size_t left = wb->wb_in_len;
	u32 n;

	for (n = 0; n < wb->wb_count; n++) {
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

	for (n = 0; n < wb->wb_count; n++) {
		const struct params_write_rec *rec = params_write_rec_at(in);
		struct params_change ch;

		why.text[0] = '\0';
		rc = params_write_rec_init(&ch, rec);
		if (!rc)
			rc = params_write_one(&ch, wb->wb_flags &
						   PARAMS_W_DRY_RUN, &why);
		if (rc)
			wb->wb_failed++;
		rc = params_reply(out, wb->wb_count - n - 1, rc,
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

	steps = kvcalloc(wb->wb_count, sizeof(*steps), GFP_KERNEL_ACCOUNT);
	if (!steps)
		return -ENOMEM;
	params_steps_init(steps, wb->wb_count, in);
	wb->wb_failed = params_transact(steps, wb->wb_count,
					wb->wb_flags & PARAMS_W_DRY_RUN);
	rc = params_steps_reply(steps, wb->wb_count, out);
	for (n = 0; n < wb->wb_count; n++) {
		params_change_fini(&steps[n].step_change);
		kfree(steps[n].step_why);
	}
	kvfree(steps);
	return rc;
}

/**
 * params_op_write_batch() - PARAMS_IOC_WRITE_BATCH
 * @wb: the call; wb_failed is filled
 * @in: wb_in_len bytes of records
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
	out->out_need = sizeof(struct params_reply_rec) * wb->wb_count;
	if (params_out_left(out) < out->out_need)
		return -EOVERFLOW;
	wb->wb_failed = 0;
	if (wb->wb_flags & PARAMS_W_ATOMIC)
		return params_write_atomic(wb, in, out);
	return params_write_each(wb, in, out);
}
