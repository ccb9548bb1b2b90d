// SPDX-License-Identifier: GPL-2.0-only
/* A user of /dev/libcfs; see params_client.h. */
#include "shim_cmocka.h"

#include <stdlib.h>

#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <shim/user.h>

#include "libcfs/libcfs_internal.h"
#include "params/params_internal.h"
#include "params_client.h"

void client_open(struct client *cl, size_t size)
{
	memset(cl, 0, sizeof(*cl));
	cl->buf = malloc(size);
	cl->size = size;
}

void client_close(struct client *cl)
{
	params_reader_free(cl->file.lf_reader);
	free(cl->buf);
}

/* Memory of arguments is registered to the byte, and only during the call. */
static u64 pass(const void *at, size_t len, bool writable)
{
	shim_user_add(at, len, writable);
	return (unsigned long)at;
}

static u64 pass_buf(struct client *cl)
{
	memset(cl->buf, 0xcc, cl->size);
	return pass(cl->buf, cl->size, true);
}

long client_call(struct client *cl, unsigned int cmd, void *arg, size_t size)
{
	struct libcfs_ioc_hdr *hdr = arg;
	long rc;

	hdr->ioh_size = size;
	hdr->ioh_abi = LIBCFS_ABI_VERSION;
	pass(arg, size, true);
	rc = libcfs_iocontrol(&cl->file, cmd, arg);
	shim_user_reset();
	return rc;
}

long client_list(struct client *cl, struct params_ioc_list *pl,
		 const char *path, const char *after, u32 depth)
{
	long rc;

	memset(pl, 0, sizeof(*pl));
	pl->pl_path_len = strlen(path);
	pl->pl_path = pass(path, pl->pl_path_len, false);
	if (after) {
		pl->pl_after_len = strlen(after);
		pl->pl_after = pass(after, pl->pl_after_len, false);
	}
	pl->pl_buf = pass_buf(cl);
	pl->pl_buf_len = cl->size;
	pl->pl_depth = depth;
	rc = client_call(cl, PARAMS_IOC_LIST, pl, sizeof(*pl));
	cl->used = rc ? 0 : pl->pl_used;
	return rc;
}

static long read_call(struct client *cl, struct params_ioc_read *pr)
{
	long rc;

	pr->pr_buf = pass_buf(cl);
	pr->pr_buf_len = cl->size;
	rc = client_call(cl, PARAMS_IOC_READ, pr, sizeof(*pr));
	cl->used = rc ? 0 : pr->pr_used;
	return rc;
}

long client_read(struct client *cl, struct params_ioc_read *pr,
		 const char *path)
{
	memset(pr, 0, sizeof(*pr));
	pr->pr_path_len = strlen(path);
	pr->pr_path = pass(path, pr->pr_path_len, false);
	return read_call(cl, pr);
}

/* From where the last call ended. */
long client_read_on(struct client *cl, struct params_ioc_read *pr)
{
	pr->pr_path = 0;
	pr->pr_path_len = 0;
	return read_call(cl, pr);
}

static long batch_call(struct client *cl, struct params_ioc_read_batch *rb)
{
	long rc;

	rb->rb_buf = pass_buf(cl);
	rb->rb_buf_len = cl->size;
	rc = client_call(cl, PARAMS_IOC_READ_BATCH, rb, sizeof(*rb));
	cl->used = rc ? 0 : rb->rb_used;
	return rc;
}

long client_read_paths(struct client *cl, struct params_ioc_read_batch *rb,
		       const char *paths, size_t len, u32 count, u32 next)
{
	memset(rb, 0, sizeof(*rb));
	rb->rb_paths = pass(paths, len, false);
	rb->rb_paths_len = len;
	rb->rb_count = count;
	rb->rb_next = next;
	return batch_call(cl, rb);
}

long client_read_subtree(struct client *cl, struct params_ioc_read_batch *rb,
			 const char *path, const char *after)
{
	memset(rb, 0, sizeof(*rb));
	rb->rb_flags = PARAMS_RB_SUBTREE;
	rb->rb_paths_len = strlen(path);
	rb->rb_paths = pass(path, rb->rb_paths_len, false);
	if (after) {
		rb->rb_after_len = strlen(after);
		rb->rb_after = pass(after, rb->rb_after_len, false);
	}
	return batch_call(cl, rb);
}

static long write_call(struct client *cl, struct params_ioc_write *pw,
		       const char *path, const void *value, size_t len)
{
	long rc;

	pw->pw_path_len = strlen(path);
	pw->pw_path = pass(path, pw->pw_path_len, false);
	pw->pw_value = pass(value, len, false);
	pw->pw_value_len = len;
	pw->pw_reason = pass(cl->reason, PARAMS_REASON_MAX, true);
	pw->pw_reason_len = PARAMS_REASON_MAX;
	rc = client_call(cl, PARAMS_IOC_WRITE, pw, sizeof(*pw));
	if (pw->pw_reason_len == PARAMS_REASON_MAX)
		pw->pw_reason_len = 0;	/* refused at the boundary */
	cl->reason[pw->pw_reason_len] = '\0';
	return rc;
}

/* Flags and version are the caller's. */
long client_write(struct client *cl, struct params_ioc_write *pw,
		  const char *path, const char *text)
{
	return write_call(cl, pw, path, text, strlen(text));
}

long client_write_typed(struct client *cl, const char *path, u8 type,
			const void *value, u32 len)
{
	struct params_ioc_write pw = { .pw_flags = PARAMS_W_TYPED };
	struct params_value_rec *rec;
	size_t bytes = sizeof(*rec) + PARAMS_ALIGN((size_t)len);
	long rc;

	rec = calloc(1, bytes);
	rec->vr_type = type;
	rec->vr_len = len;
	memcpy(rec + 1, value, len);
	rc = write_call(cl, &pw, path, rec, bytes);
	free(rec);
	return rc;
}

long client_describe(struct client *cl, struct params_ioc_describe *pd,
		     const char *path)
{
	long rc;

	memset(pd, 0, sizeof(*pd));
	pd->dsc_path_len = strlen(path);
	pd->dsc_path = pass(path, pd->dsc_path_len, false);
	pd->dsc_buf = pass_buf(cl);
	pd->dsc_buf_len = cl->size;
	rc = client_call(cl, PARAMS_IOC_DESCRIBE, pd, sizeof(*pd));
	cl->used = rc ? 0 : pd->dsc_used;
	return rc;
}

static void print_value(const struct params_value_rec *rec, char *text,
			size_t size)
{
	const void *value = client_value(rec);

	switch (rec->vr_type) {
	case PARAMS_V_STRING:
		scnprintf(text, size, "%.*s", (int)rec->vr_len,
			  (const char *)value);
		break;
	case PARAMS_V_S64:
		scnprintf(text, size, "%lld", *(const s64 *)value);
		break;
	case PARAMS_V_HEX:
		scnprintf(text, size, "0x%llx", *(const u64 *)value);
		break;
	case PARAMS_V_TIME:
		scnprintf(text, size, "%lldns",
			  ((const struct params_time *)value)->pt_ns);
		break;
	default:
		scnprintf(text, size, "%llu", *(const u64 *)value);
	}
}

long client_get(struct client *cl, const char *path, char *text, size_t size)
{
	struct params_ioc_read pr;
	long rc = client_read(cl, &pr, path);

	text[0] = '\0';
	if (!rc && cl->used)
		print_value(client_value_rec(cl->buf, cl->used, 0), text, size);
	return rc;
}

long client_set(struct client *cl, const char *path, const char *text)
{
	struct params_ioc_write pw = { .pw_flags = 0 };

	return client_write(cl, &pw, path, text);
}

void client_batch_add(struct client_batch *batch, const char *path,
		      const char *text, u32 flags, u32 version)
{
	struct params_write_rec *rec = (void *)(batch->in + batch->in_len);
	size_t path_len = strlen(path);
	size_t len = strlen(text);
	size_t bytes = sizeof(*rec) + PARAMS_ALIGN(path_len) + PARAMS_ALIGN(len);

	assert_true(batch->in_len + bytes <= sizeof(batch->in));
	memset(rec, 0, bytes);
	rec->wr_len = bytes;
	rec->wr_flags = flags;
	rec->wr_version = version;
	rec->wr_path_len = path_len;
	rec->wr_value_len = len;
	memcpy(rec->wr_data, path, path_len);
	memcpy(rec->wr_data + PARAMS_ALIGN(path_len), text, len);
	batch->in_len += bytes;
	batch->count++;
}

long client_write_batch(struct client *cl, struct params_ioc_write_batch *wb,
			const struct client_batch *batch, u32 flags)
{
	long rc;

	memset(wb, 0, sizeof(*wb));
	wb->bw_in = pass(batch->in, batch->in_len, false);
	wb->bw_in_len = batch->in_len;
	wb->bw_count = batch->count;
	wb->bw_out = pass_buf(cl);
	wb->bw_out_len = cl->size;
	wb->bw_flags = flags;
	rc = client_call(cl, PARAMS_IOC_WRITE_BATCH, wb, sizeof(*wb));
	cl->used = rc ? 0 : wb->bw_used;
	return rc;
}

/*
 * The index-th of records whose length is at the beginning, in 2 or 4 bytes.
 * Returns NULL after the last.
 */
static const void *rec_at(const struct client *cl, u32 index, size_t head,
			  size_t len_bytes)
{
	size_t pos = 0;

	for (;;) {
		u32 len = 0;

		if (pos == cl->used)
			return NULL;
		assert_true(cl->used - pos >= head);
		memcpy(&len, cl->buf + pos, len_bytes);
		assert_true(len >= head && len % 8 == 0);
		assert_true(len <= cl->used - pos);
		if (!index--)
			return cl->buf + pos;
		pos += len;
	}
}

const struct params_reply_rec *client_reply(const struct client *cl, u32 index)
{
	const struct params_reply_rec *rec;

	rec = rec_at(cl, index, sizeof(*rec), sizeof(rec->rr_len));
	if (rec)
		assert_int_equal(rec->rr_len, sizeof(*rec) +
				 PARAMS_ALIGN(rec->rr_reason_len));
	return rec;
}

static void assert_zeros(const char *at, size_t from, size_t to)
{
	for (; from < to; from++)
		assert_int_equal(at[from], 0);
}

const struct params_list_rec *client_list_rec(const struct client *cl,
					      u32 index)
{
	const struct params_list_rec *rec;

	rec = rec_at(cl, index, sizeof(*rec), sizeof(rec->lr_len));
	if (rec) {
		assert_int_equal(rec->lr_len, sizeof(*rec) +
				 PARAMS_ALIGN((size_t)rec->lr_name_len));
		assert_zeros(rec->lr_name, rec->lr_name_len,
			     PARAMS_ALIGN((size_t)rec->lr_name_len));
	}
	return rec;
}

const struct params_entry_rec *client_entry_rec(const struct client *cl,
						u32 index)
{
	const struct params_entry_rec *rec;

	rec = rec_at(cl, index, sizeof(*rec), sizeof(rec->er_len));
	if (rec) {
		assert_true(PARAMS_ALIGN((size_t)rec->er_name_len) <=
			    rec->er_len - sizeof(*rec));
		assert_zeros(rec->er_data, rec->er_name_len,
			     PARAMS_ALIGN((size_t)rec->er_name_len));
		assert_int_equal(rec->er_reserved, 0);
	}
	return rec;
}

const struct params_value_rec *client_value_rec(const void *at, size_t len,
						u32 index)
{
	const struct params_value_rec *rec;
	size_t bytes;

	for (; len; at += bytes, len -= bytes) {
		rec = at;
		assert_true(len >= sizeof(*rec));
		bytes = sizeof(*rec) + PARAMS_ALIGN((size_t)rec->vr_name_len) +
			PARAMS_ALIGN((size_t)rec->vr_len);
		assert_true(bytes <= len && bytes <= PARAMS_REC_MAX);
		assert_zeros(client_value(rec), rec->vr_len,
			     PARAMS_ALIGN((size_t)rec->vr_len));
		if (!index--)
			return rec;
	}
	return NULL;
}

const void *client_value(const struct params_value_rec *rec)
{
	return (const char *)(rec + 1) + PARAMS_ALIGN((size_t)rec->vr_name_len);
}
