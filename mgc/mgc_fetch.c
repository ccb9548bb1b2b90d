// SPDX-License-Identifier: GPL-2.0
/*
 * Bytes of a log from the service: what was not there yet, in parts, into a file in
 * memory, as config logs are read from files.
 *
 * A part that belongs to another generation than the one before it shows that the
 * log changed on the way: all is fetched again. The head of a log says which of its
 * records there are, so it is fetched each time.
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
#include <lustre_lite/llog_format.h>

#include "mgc_internal.h"

/* Most bytes of a log, and of what is no log. */
#define FETCH_LOG_MAX	(256U << 20)
#define FETCH_BYTES_MAX	(4U << 20)
/* How often a log that changes all the time is begun anew, then later. */
#define FETCH_TRIES	8

/**
 * struct fetch - a log being fetched
 * @log: log
 * @part: what becomes of it
 * @began: a part came, and part->mp_version is what it belongs to
 * @reply: the last reply: what it says
 * @bytes: ... and its bytes, good until @req is put
 * @len: how many
 * @req: the last request, or NULL
 */
struct fetch {
	struct mgc_log			*log;
	struct mgc_part			*part;
	bool				began;
	struct ll_wire_config_info	reply;
	const void			*bytes;
	u32				len;
	struct ptlrpc_request		*req;
};

/**
 * mgc_file_new() - a file in memory
 * @name: for messages
 *
 * Context: may sleep
 * Return: file, referenced, or an ERR_PTR
 */
struct file *mgc_file_new(const char *name)
{
	return shmem_file_setup(name, 0, VM_NORESERVE);
}

/**
 * mgc_file_write() - write bytes
 * @file: file
 * @offset: where to
 * @bytes: bytes
 * @len: how many
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int mgc_file_write(struct file *file, u64 offset, const void *bytes, size_t len)
{
	loff_t pos = offset;
	size_t done = 0;
	ssize_t rc;

	while (done < len) {
		rc = kernel_write(file, bytes + done, len - done, &pos);
		if (rc <= 0)
			return rc ?: -EIO;
		done += rc;
	}
	return 0;
}

/**
 * mgc_file_read() - read bytes
 * @file: file
 * @offset: where from
 * @bytes: out
 * @len: how many
 *
 * Context: may sleep
 * Return: bytes, fewer at the end of the file only; or a negative errno
 */
int mgc_file_read(struct file *file, u64 offset, void *bytes, size_t len)
{
	loff_t pos = offset;
	size_t done = 0;
	ssize_t rc;

	while (done < len) {
		rc = kernel_read(file, bytes + done, len - done, &pos);
		if (rc < 0)
			return rc;
		if (!rc)
			break;
		done += rc;
	}
	return done;
}

/**
 * mgc_part_drop() - done with what was fetched
 * @part: part; empty afterwards
 *
 * Context: may sleep
 */
void mgc_part_drop(struct mgc_part *part)
{
	if (part->mp_file)
		fput(part->mp_file);
	kvfree(part->mp_bytes);
	memset(part, 0, sizeof(*part));
}

static void fetch_forget_reply(struct fetch *f)
{
	ptlrpc_request_put(f->req);
	f->req = NULL;
	f->bytes = NULL;
}

static struct ptlrpc_request *fetch_request(struct fetch *f, u64 born,
					    u64 offset)
{
	static const u32 lens[] = { sizeof(struct ll_wire_config_read) };
	struct mgc_log *log = f->log;
	struct ll_wire_config_read *cr;
	struct ptlrpc_request *req;

	req = ptlrpc_request_new(log->ml_mgc->mg_cli.cl_import, MGS_CONFIG_READ,
				 MGS_REQUEST_PORTAL, lens, ARRAY_SIZE(lens));
	if (!req)
		return NULL;
	cr = ptlrpc_req_buf(req, 0);
	strscpy(cr->cr_name, log->ml_name, sizeof(cr->cr_name));
	cr->cr_type = cpu_to_le32(log->ml_type);
	cr->cr_room = cpu_to_le32(LL_WIRE_CONFIG_MAX);
	cr->cr_born = cpu_to_le64(born);
	cr->cr_offset = cpu_to_le64(offset);
	return req;
}

static int fetch_reply(struct fetch *f)
{
	const struct wire_msg *rep = &f->req->rq_rep;
	const struct ll_wire_config_info *ci;

	ci = ptlrpc_rep_buf(f->req, 0, sizeof(*ci));
	if (!ci)
		return -EPROTO;
	f->reply = *ci;
	f->len = rep->bufcount > 1 ? rep->buflens[1] : 0;
	f->bytes = f->len ? rep->bufs[1] : NULL;
	WRITE_ONCE(f->log->ml_jitter_ms, le32_to_cpu(ci->ci_jitter_ms));
	return f->len > LL_WIRE_CONFIG_MAX ? -EPROTO : 0;
}

/* Ask for a part. A log that ended is not asked for. */
static int fetch_ask(struct fetch *f, u64 born, u64 offset)
{
	int rc;

	fetch_forget_reply(f);
	if (mgc_log_ended(f->log))
		return -ESHUTDOWN;
	f->req = fetch_request(f, born, offset);
	if (!f->req)
		return -ENOMEM;
	rc = ptlrpc_queue_wait(f->req) ?: fetch_reply(f);
	/* The service cannot read it; a lost import says the same without a reply. */
	if (rc == -EIO && f->req->rq_rep.type)
		rc = -EBADMSG;
	if (rc == -EPROTO)
		CERROR("%s: log %s: the service's reply is not what it should be: rc = %d\n",
		       f->log->ml_mgc->mg_obd->obd_name, f->log->ml_name, rc);
	return rc;
}

static void reply_version(const struct fetch *f, struct mgc_version *version)
{
	const struct ll_wire_config_info *ci = &f->reply;

	version->born = le64_to_cpu(ci->ci_born);
	version->generation = le64_to_cpu(ci->ci_generation);
	version->size = le64_to_cpu(ci->ci_size);
	version->last_index = le32_to_cpu(ci->ci_last_index);
}

/* Return: 0; -EAGAIN when it is another generation than the part before. */
static int fetch_note(struct fetch *f)
{
	struct mgc_version version;

	reply_version(f, &version);
	if (f->began && (version.born != f->part->mp_version.born ||
			 version.generation != f->part->mp_version.generation))
		return -EAGAIN;
	if (version.size > FETCH_LOG_MAX)
		return -EFBIG;
	f->part->mp_version = version;
	f->began = true;
	return 0;
}

/* One part, to where it belongs. Return: bytes, or a negative errno */
static int fetch_part(struct fetch *f, u64 born, u64 offset)
{
	u64 at;
	int rc = fetch_ask(f, born, offset) ?: fetch_note(f);

	if (rc)
		return rc;
	at = le64_to_cpu(f->reply.ci_offset);
	if (at != offset || at + f->len > f->part->mp_version.size)
		return at == offset ? -EPROTO : -EAGAIN;
	rc = mgc_file_write(f->part->mp_file, at, f->bytes, f->len);
	return rc ?: f->len;
}

/* From @offset to @end. */
static int fetch_range(struct fetch *f, u64 offset, u64 end)
{
	int rc;

	while (offset < end) {
		rc = fetch_part(f, f->part->mp_version.born, offset);
		if (rc < 0)
			return rc;
		if (!rc)
			return -EPROTO;
		offset += rc;
	}
	return 0;
}

/* What is there already is the begin: its bytes are copied, as readers have them. */
static int fetch_have(struct fetch *f, u64 size)
{
	char *room = kvmalloc(LL_WIRE_CONFIG_MAX, GFP_KERNEL);
	u64 at = 0;
	int rc = 0;

	if (!room)
		return -ENOMEM;
	while (at < size && rc >= 0) {
		rc = mgc_file_read(f->log->ml_file, at, room,
				   min_t(u64, size - at, LL_WIRE_CONFIG_MAX));
		if (!rc)
			rc = -EIO;
		if (rc < 0)
			break;
		at += rc;
		rc = mgc_file_write(f->part->mp_file, at - rc, room, rc);
	}
	kvfree(room);
	return rc;
}

/*
 * What is born is the same and longer than what there is: only the rest. The first
 * part was of the begin, and has brought the head up to date.
 */
static int fetch_rest(struct fetch *f, u64 got)
{
	struct mgc_version *now = &f->part->mp_version;
	const struct mgc_version *had = &f->part->mp_from;
	int rc;

	if (now->born != had->born || got >= now->size || had->size <= got ||
	    had->size > now->size)
		return fetch_range(f, got, now->size);
	rc = fetch_have(f, had->size);
	if (!rc)
		rc = mgc_file_write(f->part->mp_file, 0, f->bytes, f->len);
	return rc ?: fetch_range(f, had->size, now->size);
}

/* A first part without a log behind it is no error: there may be one later. */
static int fetch_log_once(struct fetch *f)
{
	int rc;

	f->part->mp_file = mgc_file_new(f->log->ml_name);
	if (IS_ERR(f->part->mp_file)) {
		rc = PTR_ERR(f->part->mp_file);
		f->part->mp_file = NULL;
		return rc;
	}
	rc = fetch_part(f, f->part->mp_from.born, 0);
	return rc < 0 ? rc : fetch_rest(f, rc);
}

static int fetch_log(struct fetch *f)
{
	struct mgc_version from = f->part->mp_from;
	unsigned int tries = 0;
	int rc;

	do {
		fetch_forget_reply(f);
		mgc_part_drop(f->part);
		f->part->mp_from = from;
		f->began = false;
		rc = fetch_log_once(f);
	} while (rc == -EAGAIN && ++tries < FETCH_TRIES);
	return rc;
}

static int bytes_add(struct mgc_part *part, const void *bytes, u32 len)
{
	u32 room = part->mp_len + len;
	void *more;

	if (room > FETCH_BYTES_MAX)
		return -EFBIG;
	if (!len)
		return 0;
	more = kvmalloc(room, GFP_KERNEL);
	if (!more)
		return -ENOMEM;
	if (part->mp_len)
		memcpy(more, part->mp_bytes, part->mp_len);
	memcpy(more + part->mp_len, bytes, len);
	kvfree(part->mp_bytes);
	part->mp_bytes = more;
	part->mp_len = room;
	return 0;
}

static int fetch_trial(struct fetch *f)
{
	int rc = fetch_ask(f, 0, 0);

	if (rc)
		return rc;
	reply_version(f, &f->part->mp_version);
	return bytes_add(f->part, f->bytes, f->len);
}

/* Version of the last entry of a reply, or @had. */
static u64 entries_version(const struct fetch *f, u64 had)
{
	struct ll_wire_nidtbl nt;
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

/* Entries that are newer than what there is, until there are no more. */
static int fetch_table(struct fetch *f)
{
	u64 had = f->part->mp_from.generation, seen, born = f->part->mp_from.born;
	int rc;

	for (;;) {
		rc = fetch_ask(f, born, had);
		if (rc)
			return rc;
		reply_version(f, &f->part->mp_version);
		rc = bytes_add(f->part, f->bytes, f->len);
		if (rc)
			return rc;
		if (born && f->part->mp_version.born != born)
			had = 0;
		born = f->part->mp_version.born;
		seen = entries_version(f, had);
		if (seen == had || seen >= f->part->mp_version.generation)
			return 0;
		had = seen;
	}
}

/**
 * mgc_fetch() - get what the service has of a log
 * @log: log
 * @part: out, what it has, and of what it is the continuation; for
 *	mgc_part_drop(), also after an error
 *
 * Context: sleeps until the service has answered, or the log has ended and the
 * answer came
 * Return: 0; -EAGAIN when it changes all the time; -EPROTO; -EFBIG; -ENOMEM; what the
 * service says
 */
int mgc_fetch(struct mgc_log *log, struct mgc_part *part)
{
	struct fetch f = { .log = log, .part = part };
	int rc;

	mutex_lock(&log->ml_mutex);
	part->mp_from = log->ml_have;
	mutex_unlock(&log->ml_mutex);
	if (mgc_is_log(log))
		rc = fetch_log(&f);
	else if (log->ml_type == CONFIG_T_TRIAL)
		rc = fetch_trial(&f);
	else
		rc = fetch_table(&f);
	fetch_forget_reply(&f);
	return rc;
}
