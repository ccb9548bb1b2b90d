// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks of every answer: an errno of the interface, lengths within the given buffers, and
 * well-formed records.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/stat.h>

#include "fuzz_input.h"
#include "fuzz_ioctl.h"

void fuzz_check_errno(long rc)
{
	static const int known[] = {
		0, -ENOENT, -ENODEV, -EACCES, -EPERM, -EISDIR, -ENOTDIR,
		-EINVAL, -ERANGE, -ESTALE, -EOVERFLOW, -E2BIG, -ENAMETOOLONG,
		-EPROTO, -EFAULT, -ENOMEM, -ENOTTY, -EINTR,
		-EREMOTEIO,	/* what the callbacks of the tree say */
	};
	size_t n;

	for (n = 0; n < ARRAY_SIZE(known); n++)
		if (rc == known[n])
			return;
	fprintf(stderr, "errno %ld\n", -rc);
	abort();
}

static void check_zeros(const char *at, size_t from, size_t to)
{
	for (; from < to; from++)
		FUZZ_CHECK(!at[from]);
}

/* Returns how many records there are; lists need not close in a part. */
static u32 check_values(const char *at, size_t len)
{
	u32 count = 0;

	while (len) {
		const struct params_value_rec *rec = (const void *)at;
		size_t name, bytes;

		FUZZ_CHECK(len >= sizeof(*rec));
		name = sizeof(*rec) + PARAMS_ALIGN((size_t)rec->vr_name_len);
		bytes = name + PARAMS_ALIGN((size_t)rec->vr_len);
		FUZZ_CHECK(bytes <= len && bytes <= PARAMS_REC_MAX);
		FUZZ_CHECK(rec->vr_type >= PARAMS_V_U64 &&
			   rec->vr_type <= PARAMS_V_HEX);
		FUZZ_CHECK(rec->vr_name_len <= PARAMS_NAME_MAX);
		check_zeros(at, sizeof(*rec) + rec->vr_name_len, name);
		check_zeros(at, name + rec->vr_len, bytes);
		at += bytes;
		len -= bytes;
		count++;
	}
	return count;
}

static void check_name(const char *name, size_t len, size_t padded)
{
	FUZZ_CHECK(len && len <= PARAMS_NAME_MAX);
	FUZZ_CHECK(!memchr(name, '/', len) && !memchr(name, '\0', len));
	check_zeros(name, len, padded);
}

static void check_list(const struct params_ioc_list *pl, const char *at)
{
	size_t len = pl->pl_used;
	u32 count = 0;

	while (len) {
		const struct params_list_rec *rec = (const void *)at;
		size_t padded;

		FUZZ_CHECK(len >= sizeof(*rec) && rec->lr_len <= len);
		padded = PARAMS_ALIGN((size_t)rec->lr_name_len);
		FUZZ_CHECK(rec->lr_len == sizeof(*rec) + padded);
		check_name(rec->lr_name, rec->lr_name_len, padded);
		FUZZ_CHECK(rec->lr_type && rec->lr_type < PARAMS_T_MAX);
		FUZZ_CHECK(!pl->pl_depth || rec->lr_depth < pl->pl_depth);
		/* A hidden directory has a name of its own. */
		FUZZ_CHECK(rec->lr_depth || *rec->lr_name != 'h');
		at += rec->lr_len;
		len -= rec->lr_len;
		count++;
	}
	FUZZ_CHECK(count == pl->pl_count);
	FUZZ_CHECK(count || pl->pl_eof);
}

static void check_entry(const struct params_entry_rec *rec, bool subtree)
{
	size_t name = PARAMS_ALIGN((size_t)rec->er_name_len);
	size_t left = rec->er_len - sizeof(*rec);

	FUZZ_CHECK(name <= left);
	FUZZ_CHECK(!rec->er_name_len == !subtree);
	if (subtree)
		check_name(rec->er_data, rec->er_name_len, name);
	left -= name;
	fuzz_check_errno(rec->er_status);
	FUZZ_CHECK(!rec->er_status || !left);
	if (rec->er_flags & PARAMS_EF_MORE)
		FUZZ_CHECK(left == sizeof(u64));
	else
		check_values(rec->er_data + name, left);
}

static void check_batch(const struct params_ioc_read_batch *before,
			const struct params_ioc_read_batch *rb, const char *at)
{
	bool subtree = before->rb_flags & PARAMS_RB_SUBTREE;
	size_t len = rb->rb_used;
	u32 count = 0;

	while (len) {
		const struct params_entry_rec *rec = (const void *)at;

		FUZZ_CHECK(len >= sizeof(*rec) && rec->er_len >= sizeof(*rec));
		FUZZ_CHECK(rec->er_len <= len && !(rec->er_len % 8));
		check_entry(rec, subtree);
		FUZZ_CHECK(subtree || rec->er_index == before->rb_next + count);
		at += rec->er_len;
		len -= rec->er_len;
		count++;
	}
	if (subtree)
		return;
	FUZZ_CHECK(rb->rb_next <= rb->rb_count);
	FUZZ_CHECK(before->rb_next > rb->rb_count ||
		   rb->rb_next == before->rb_next + count);
	FUZZ_CHECK(rb->rb_eof == (rb->rb_next == rb->rb_count));
}

static void check_replies(const struct params_ioc_write_batch *wb,
			  const char *at)
{
	size_t len = wb->bw_used;
	u32 count = 0;
	u32 failed = 0;

	while (len) {
		const struct params_reply_rec *rec = (const void *)at;
		size_t padded;

		FUZZ_CHECK(len >= sizeof(*rec) && rec->rr_len <= len);
		padded = PARAMS_ALIGN((size_t)rec->rr_reason_len);
		FUZZ_CHECK(rec->rr_len == sizeof(*rec) + padded);
		check_zeros(rec->rr_reason, rec->rr_reason_len, padded);
		FUZZ_CHECK(rec->rr_status <= 0);
		failed += !!rec->rr_status;
		at += rec->rr_len;
		len -= rec->rr_len;
		count++;
	}
	FUZZ_CHECK(count == wb->bw_count);
	FUZZ_CHECK(failed == wb->bw_failed);
	FUZZ_CHECK(!(wb->bw_flags & PARAMS_W_ATOMIC) || !failed ||
		   failed == count);
}

static void check_read(const struct params_ioc_read *before,
		       const struct params_ioc_read *pr, const char *buf)
{
	u32 count = check_values(buf, pr->pr_used);

	if (before->pr_snapshot || before->pr_index)
		FUZZ_CHECK(pr->pr_index == before->pr_index + count);
	else
		FUZZ_CHECK(pr->pr_index == count);
	FUZZ_CHECK(pr->pr_eof == !pr->pr_snapshot);
	FUZZ_CHECK(count || pr->pr_eof);
}

/* Where the caller wanted its answer. */
static u64 buffer_of(unsigned int cmd, const union fuzz_args *args)
{
	switch (cmd) {
	case PARAMS_IOC_LIST:
		return args->pl.pl_buf;
	case PARAMS_IOC_READ:
		return args->pr.pr_buf;
	case PARAMS_IOC_READ_BATCH:
		return args->rb.rb_buf;
	case PARAMS_IOC_WRITE_BATCH:
		return args->wb.bw_out;
	case PARAMS_IOC_DESCRIBE:
		return args->pd.dsc_buf;
	default:
		return 0;
	}
}

void fuzz_check_answer(unsigned int cmd, const union fuzz_args *before,
		       const union fuzz_args *after, const char *buf, long rc)
{
	fuzz_check_errno(rc);
	/* It may have gone to a place that the input named, and fits somehow. */
	if (rc || buffer_of(cmd, before) != (unsigned long)buf)
		return;
	switch (cmd) {
	case PARAMS_IOC_LIST:
		FUZZ_CHECK(after->pl.pl_used <= before->pl.pl_buf_len);
		check_list(&after->pl, buf);
		break;
	case PARAMS_IOC_READ:
		FUZZ_CHECK(after->pr.pr_used <= before->pr.pr_buf_len);
		check_read(&before->pr, &after->pr, buf);
		break;
	case PARAMS_IOC_READ_BATCH:
		FUZZ_CHECK(after->rb.rb_used <= before->rb.rb_buf_len);
		check_batch(&before->rb, &after->rb, buf);
		break;
	case PARAMS_IOC_WRITE_BATCH:
		FUZZ_CHECK(after->wb.bw_used <= before->wb.bw_out_len);
		check_replies(&after->wb, buf);
		break;
	case PARAMS_IOC_DESCRIBE:
		FUZZ_CHECK(after->pd.dsc_used <= before->pd.dsc_buf_len);
		FUZZ_CHECK(check_values(buf, after->pd.dsc_used) > 0);
		break;
	}
}
