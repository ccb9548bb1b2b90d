// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fetching a log from the service: the missing bytes, in parts, into a file in
 * memory, as config logs are read from files.
 *
 * A part of another generation than the previous one shows that the log changed
 * meanwhile: all is fetched again. Of a log that was only appended to, only the
 * appended bytes are fetched.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/shmem_fs.h>
#include <linux/string.h>
#include <linux/slab.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>
#include <lustre_lite/llog_format.h>

#include "mgc_internal.h"

/* Most bytes of a log, and of other objects. */
#define FETCH_LOG_MAX	(256U << 20)
#define FETCH_BYTES_MAX	(4U << 20)
/* Attempts to fetch a log that keeps changing, before a delay. */
#define FETCH_TRIES	8

/**
 * struct mgc_fetch - a log being fetched
 * @log: log
 * @part: the result
 * @began: a part came, and part->mpt_version is its version
 * @reply: decoded last reply
 * @bytes: its bytes, valid until @req is put
 * @len: their number
 * @req: the last request, or NULL
 * @ahead: request in flight already, or NULL
 * @asked: requests sent, @ahead not included
 * @tail: the appended bytes may be enough
 */
struct mgc_fetch {
	struct mgc_log			*log;
	struct mgc_part			*part;
	bool				began;
	struct lustre_config_info	reply;
	const void			*bytes;
	u32				len;
	struct ptlrpc_request		*req;
	struct mgc_ahead		*ahead;
	unsigned int			asked;
	bool				tail;
};

/**
 * mgc_file_new() - create a file in memory
 * @name: for messages
 *
 * Context: may sleep
 * Return: file, referenced, or an ERR_PTR
 */
struct file *mgc_file_new(const char *name)
{
	return compat_shmem_file(name);
}

/* Free fetched bytes; @part is empty afterwards. May sleep. */
void mgc_part_drop(struct mgc_part *part)
{
	if (part->mpt_file)
		fput(part->mpt_file);
	kvfree(part->mpt_bytes);
	memset(part, 0, sizeof(*part));
}

static void fetch_drop_reply(struct mgc_fetch *f)
{
	ptlrpc_request_put(f->req);
	f->req = NULL;
	f->bytes = NULL;
}

static struct ptlrpc_request *fetch_request(struct mgc_log *log, u64 epoch,
					    u64 offset)
{
	static const u32 lens[] = { sizeof(struct lustre_config_read) };
	struct lustre_config_read *cr;
	struct ptlrpc_request *req;

	req = ptlrpc_request_new(log->ml_mgc->mg_cli.cl_import, MGS_CONFIG_READ,
				 MGS_REQUEST_PORTAL, lens, ARRAY_SIZE(lens));
	if (!req)
		return NULL;
	cr = ptlrpc_req_buf(req, 0);
	strscpy(cr->crd_name, log->ml_name, sizeof(cr->crd_name));
	cr->crd_type = cpu_to_le32(log->ml_type);
	cr->crd_size = cpu_to_le32(WIRE_CONFIG_MAX);
	cr->crd_epoch = cpu_to_le64(epoch);
	cr->crd_offset = cpu_to_le64(offset);
	return req;
}

static int fetch_reply(struct mgc_fetch *f)
{
	const struct wire_msg *rep = &f->req->rq_rep;
	const struct lustre_config_info *ci;

	ci = ptlrpc_rep_buf(f->req, 0, sizeof(*ci));
	if (!ci)
		return -EPROTO;
	f->reply = *ci;
	f->len = rep->bufcount > 1 ? rep->buflens[1] : 0;
	f->bytes = f->len ? rep->bufs[1] : NULL;
	WRITE_ONCE(f->log->ml_jitter_ms, le32_to_cpu(ci->ci_jitter_ms));
	return f->len > WIRE_CONFIG_MAX ? -EPROTO : 0;
}

/* Offset of the appended bytes, if the log was only appended to; else 0. */
static u64 tail_offset(const struct mgc_log *log)
{
	lockdep_assert_held(&log->ml_mutex);
	if (!log->ml_file || !log->ml_have.epoch || log->ml_whole || log->ml_other)
		return 0;
	return log->ml_have.size;
}

/**
 * mgc_fetch_ahead() - request the first part of a log, without waiting
 * @log: log
 * @ahead: out, for mgc_fetch_ahead_end()
 *
 * If that fails, mgc_fetch() requests it.
 *
 * Context: may sleep for memory
 */
void mgc_fetch_ahead(struct mgc_log *log, struct mgc_ahead *ahead)
{
	mutex_lock(&log->ml_mutex);
	ahead->ma_epoch = log->ml_have.epoch;
	ahead->ma_offset = tail_offset(log);
	mutex_unlock(&log->ml_mutex);
	ahead->ma_set = ptlrpc_set_new();
	if (!ahead->ma_set)
		return;
	ahead->ma_req = fetch_request(log, ahead->ma_epoch, ahead->ma_offset);
	if (!ahead->ma_req) {
		mgc_fetch_ahead_end(ahead);
		return;
	}
	ptlrpc_set_add(ahead->ma_set, ahead->ma_req);
	ptlrpc_set_run(ahead->ma_set);
}

/* Drop such a request, used or not. May sleep. */
void mgc_fetch_ahead_end(struct mgc_ahead *ahead)
{
	if (ahead->ma_req)
		ptlrpc_request_put(ahead->ma_req);
	if (ahead->ma_set)
		ptlrpc_set_put(ahead->ma_set);
	memset(ahead, 0, sizeof(*ahead));
}

/* Use the request in flight if it matches. Return: true if it does */
static bool fetch_take(struct mgc_fetch *f, u64 epoch, u64 offset)
{
	struct mgc_ahead *ahead = f->ahead;

	f->ahead = NULL;
	if (!ahead || !ahead->ma_req || ahead->ma_epoch != epoch ||
	    ahead->ma_offset != offset)
		return false;
	f->req = ptlrpc_request_get(ahead->ma_req);
	return true;
}

static int fetch_wait(struct mgc_fetch *f, struct mgc_ahead *ahead)
{
	return ptlrpc_set_wait(ahead->ma_set, 0) ?: f->req->rq_status;
}

static int fetch_send(struct mgc_fetch *f, u64 epoch, u64 offset)
{
	f->asked++;
	f->req = fetch_request(f->log, epoch, offset);
	return f->req ? ptlrpc_queue_wait(f->req) : -ENOMEM;
}

/* Request a part, unless the log has ended. */
static int fetch_part_bytes(struct mgc_fetch *f, u64 epoch, u64 offset)
{
	struct mgc_ahead *ahead = f->ahead;
	int rc;

	fetch_drop_reply(f);
	if (mgc_log_ended(f->log))
		return -ESHUTDOWN;
	rc = fetch_take(f, epoch, offset) ? fetch_wait(f, ahead) :
					   fetch_send(f, epoch, offset);
	if (!f->req)
		return rc;
	rc = rc ?: fetch_reply(f);
	/*
	 * The service cannot read the log; an invalidated import has the same
	 * errno without a reply.
	 */
	if (rc == -EIO && f->req->rq_rep.type)
		rc = -EBADMSG;
	if (rc == -EPROTO)
		CERROR("%s: log %s: malformed reply of the service: rc = %d\n",
		       f->log->ml_mgc->mg_obd->obd_name, f->log->ml_name, rc);
	return rc;
}

static void reply_version(const struct mgc_fetch *f, struct mgc_version *version)
{
	const struct lustre_config_info *ci = &f->reply;

	version->epoch = le64_to_cpu(ci->ci_epoch);
	version->generation = le64_to_cpu(ci->ci_generation);
	version->size = le64_to_cpu(ci->ci_size);
	version->last_index = le32_to_cpu(ci->ci_last_index);
}

/* Return: 0; -EAGAIN if its generation differs from the previous part. */
static int fetch_note(struct mgc_fetch *f)
{
	struct mgc_version version;

	reply_version(f, &version);
	if (f->began && (version.epoch != f->part->mpt_version.epoch ||
			 version.generation != f->part->mpt_version.generation))
		return -EAGAIN;
	if (version.size > FETCH_LOG_MAX)
		return -EFBIG;
	f->part->mpt_version = version;
	f->began = true;
	return 0;
}

/* Append one part to the file. Return: bytes, or a negative errno */
static int fetch_part(struct mgc_fetch *f, u64 epoch, u64 offset)
{
	u64 at;
	int rc = fetch_part_bytes(f, epoch, offset) ?: fetch_note(f);

	if (rc)
		return rc;
	at = le64_to_cpu(f->reply.ci_offset);
	if (at != offset || at + f->len > f->part->mpt_version.size)
		return at == offset ? -EPROTO : -EAGAIN;
	rc = libcfs_pwrite(f->part->mpt_file, at, f->bytes, f->len);
	return rc ?: f->len;
}

/* Fetch the bytes from @offset to @end. */
static int fetch_range(struct mgc_fetch *f, u64 offset, u64 end)
{
	int rc;

	while (offset < end) {
		rc = fetch_part(f, f->part->mpt_version.epoch, offset);
		if (rc < 0)
			return rc;
		if (!rc)
			return -EPROTO;
		offset += rc;
	}
	return 0;
}

/* An answer without a log is not an error: the log may be created later. */
static int fetch_log_once(struct mgc_fetch *f)
{
	int rc;

	f->part->mpt_file = mgc_file_new(f->log->ml_name);
	if (IS_ERR(f->part->mpt_file)) {
		rc = PTR_ERR(f->part->mpt_file);
		f->part->mpt_file = NULL;
		return rc;
	}
	rc = fetch_part(f, f->part->mpt_from.epoch, 0);
	return rc < 0 ? rc : fetch_range(f, rc, f->part->mpt_version.size);
}

static int bytes_add(struct mgc_part *part, const void *bytes, u32 len)
{
	u32 size = part->mpt_len + len;
	void *more;

	if (size > FETCH_BYTES_MAX)
		return -EFBIG;
	if (!len)
		return 0;
	more = kvmalloc(size, GFP_KERNEL);
	if (!more)
		return -ENOMEM;
	if (part->mpt_len)
		memcpy(more, part->mpt_bytes, part->mpt_len);
	memcpy(more + part->mpt_len, bytes, len);
	kvfree(part->mpt_bytes);
	part->mpt_bytes = more;
	part->mpt_len = size;
	return 0;
}

/* The log does not continue what was applied. Return: 1, as fetch_tail_part() */
static int fetch_other(struct mgc_fetch *f)
{
	mutex_lock(&f->log->ml_mutex);
	f->log->ml_other = true;
	mutex_unlock(&f->log->ml_mutex);
	return 1;
}

/*
 * Return: 0; 1 if the log was rewritten, or too much was appended; a negative
 *  errno
 */
static int fetch_tail_part(struct mgc_fetch *f, u64 offset)
{
	const struct mgc_version *had = &f->part->mpt_from;
	int rc = fetch_part_bytes(f, had->epoch, offset) ?: fetch_note(f);

	if (rc)
		return rc;
	if (f->part->mpt_version.epoch != had->epoch)
		return 1;
	/* It is shorter. */
	if (le64_to_cpu(f->reply.ci_offset) != offset)
		return fetch_other(f);
	if (f->part->mpt_version.size - offset > FETCH_BYTES_MAX)
		return 1;
	if (f->len > f->part->mpt_version.size - offset)
		return -EPROTO;
	return bytes_add(f->part, f->bytes, f->len);
}

/* Fetch the appended bytes. Return: as fetch_tail_part() */
static int fetch_tail(struct mgc_fetch *f)
{
	struct mgc_part *part = f->part;
	u64 at = part->mpt_from.size, next;
	int rc;

	part->mpt_tail = true;
	do {
		next = at;
		rc = fetch_tail_part(f, at);
		at = part->mpt_from.size + part->mpt_len;
		if (!rc && at == next && at < part->mpt_version.size)
			rc = -EPROTO;
	} while (!rc && at < part->mpt_version.size);
	return rc;
}

static int fetch_log_or_tail(struct mgc_fetch *f)
{
	struct mgc_version from = f->part->mpt_from;
	int rc = f->tail ? fetch_tail(f) : 1;

	if (rc <= 0)
		return rc;
	mgc_part_drop(f->part);
	f->part->mpt_from = from;
	f->began = false;
	return fetch_log_once(f);
}

static int fetch_log(struct mgc_fetch *f)
{
	struct mgc_version from = f->part->mpt_from;
	unsigned int tries = 0;
	int rc;

	do {
		fetch_drop_reply(f);
		mgc_part_drop(f->part);
		f->part->mpt_from = from;
		f->began = false;
		rc = fetch_log_or_tail(f);
	} while (rc == -EAGAIN && ++tries < FETCH_TRIES);
	return rc;
}

static int fetch_trial(struct mgc_fetch *f)
{
	int rc = fetch_part_bytes(f, 0, 0);

	if (rc)
		return rc;
	reply_version(f, &f->part->mpt_version);
	return bytes_add(f->part, f->bytes, f->len);
}

/* Version of the last entry of a reply, or @had. */
static u64 entries_version(const struct mgc_fetch *f, u64 had)
{
	struct lustre_nidtbl nt;
	u32 at = 0, len;

	for (; at + sizeof(nt) <= f->len; at += len) {
		memcpy(&nt, f->bytes + at, sizeof(nt));
		len = le32_to_cpu(nt.nt_len);
		if (len < sizeof(nt) || len > f->len - at)
			break;
		had = max_t(u64, had, le64_to_cpu(nt.nt_version));
	}
	return had;
}

/* Fetch all entries that are newer. */
static int fetch_table(struct mgc_fetch *f)
{
	u64 had = f->part->mpt_from.generation, seen, epoch = f->part->mpt_from.epoch;
	int rc;

	for (;;) {
		rc = fetch_part_bytes(f, epoch, had);
		if (rc)
			return rc;
		reply_version(f, &f->part->mpt_version);
		rc = bytes_add(f->part, f->bytes, f->len);
		if (rc)
			return rc;
		if (epoch && f->part->mpt_version.epoch != epoch)
			had = 0;
		epoch = f->part->mpt_version.epoch;
		seen = entries_version(f, had);
		if (seen == had || seen >= f->part->mpt_version.generation)
			return 0;
		had = seen;
	}
}

/**
 * mgc_fetch() - fetch the state of a log from the service
 * @log: log
 * @part: out, fetched bytes, and the version they continue; for
 *  mgc_part_drop(), also after an error
 * @ahead: request in flight already, or none
 *
 * Context: sleeps until the service has answered, or the log has ended and the
 *  answer came
 * Return: 0; -EAGAIN if it keeps changing; -EPROTO; -EFBIG; -ENOMEM; the status
 *  of the service
 */
int mgc_fetch(struct mgc_log *log, struct mgc_part *part,
	      struct mgc_ahead *ahead)
{
	struct mgc_fetch f = { .log = log, .part = part, .ahead = ahead };
	int rc;

	mutex_lock(&log->ml_mutex);
	part->mpt_from = log->ml_have;
	f.tail = tail_offset(log);
	mutex_unlock(&log->ml_mutex);
	if (mgc_is_log(log))
		rc = fetch_log(&f);
	else if (log->ml_type == CONFIG_T_TRIAL)
		rc = fetch_trial(&f);
	else
		rc = fetch_table(&f);
	fetch_drop_reply(&f);
	part->mpt_early = !f.asked;
	return rc;
}
