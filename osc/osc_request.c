// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to an object storage target. A write that is answered before it is on disk keeps its
 * pages: ptlrpc replays it with them after a restart of the target. The bytes of such writes are
 * counted; beyond max_dirty_mb the target is asked to write to disk before the next one is sent.
 * A change that is lost after it was answered, as by an eviction, is noted in the account of its
 * object, where fsync and close look.
 */
#define DEBUG_SUBSYSTEM S_OSC

#include <linux/bvec.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_export.h>

#include "osc_internal.h"

/* Pages of writes of all devices may take this part of memory. */
#define MEMORY_PART	8

/**
 * struct osc_write - a write that is not on disk yet
 * @osw_unstable: of its device, referenced
 * @osw_writes: account of its object, referenced, or NULL
 * @osw_answered: it was answered, and its bytes are in osw_unstable
 * @osw_stats: of osc_stats_begin()
 * @osw_grant: of its device, referenced
 * @osw_used: grant that it uses
 * @osw_bulk: its bytes, for the request
 * @osw_vec: parts of @osw_bulk; each has a reference on its page
 */
struct osc_write {
	struct osc_unstable	*osw_unstable;
	struct ost_writes	*osw_writes;
	bool			osw_answered;
	struct osc_stats	*osw_stats;
	struct ost_grant	*osw_grant;
	u64			osw_used;
	struct ptlrpc_bulk	osw_bulk;
	struct bio_vec		osw_vec[];
};

/* Of all devices: they share the memory. */
static atomic64_t unstable_bytes;

/* Account of a device, given back by osc_unstable_put(); NULL on allocation failure. */
struct osc_unstable *osc_unstable_new(void)
{
	struct osc_unstable *unstable = libcfs_zalloc(sizeof(*unstable), GFP_KERNEL_ACCOUNT);

	if (unstable)
		refcount_set(&unstable->ou_refcount, 1);
	return unstable;
}

/* The last one frees it. Any context. */
void osc_unstable_put(struct osc_unstable *unstable)
{
	if (refcount_dec_and_test(&unstable->ou_refcount))
		libcfs_free(unstable, sizeof(*unstable));
}

/**
 * osc_rpc_bytes() - t_rpc_bytes of type osc
 * @exp: export of the device
 *
 * Context: any
 * Return: max_pages_per_rpc that is in force, in bytes
 */
u32 osc_rpc_bytes(struct obd_export *exp)
{
	return client_io_rpc_bytes(&osc_device(exp->exp_obd)->osc_io);
}

/*
 * Writes.
 */

/* rq_interpret of a write: from here until it is on disk its bytes count as unstable. */
static int write_interpret(struct ptlrpc_request *req, void *data, int rc)
{
	struct osc_write *write = data;
	struct ost_reply rep;

	osc_stats_end(write->osw_stats, true, req);
	ost_grant_end(write->osw_grant, write->osw_used, !rc);
	if (!rc) {
		if (!ost_reply_decode(&req->rq_rep, &rep))
			ost_grant_given(write->osw_grant, req->rq_rep.handle, rep.first);
		write->osw_answered = true;
		atomic64_add(write->osw_bulk.bk_len, &write->osw_unstable->ou_bytes);
		atomic64_add(write->osw_bulk.bk_len, &unstable_bytes);
	}
	return rc;
}

static void write_free(struct osc_write *write)
{
	unsigned int n;

	for (n = 0; n < write->osw_bulk.bk_nr; n++)
		put_page(write->osw_vec[n].bv_page);
	osc_unstable_put(write->osw_unstable);
	ost_grant_put(write->osw_grant);
	kvfree(write);
}

static void log_lost(struct ptlrpc_request *req, int rc)
{
	const struct ost_rec *rec = ptlrpc_req_buf(req, OST_REC);
	struct lu_fid fid = fid_le_get(&rec->or_object);
	char text[FID_TEXT_SIZE];

	CERROR("%s: lost %llu bytes at %llu of object [%s], which %s had not on disk: rc = %d\n",
	       req->rq_import->imp_obd->obd_name, le64_to_cpu(rec->or_len),
	       le64_to_cpu(rec->or_offset), fid_text(&fid, text),
	       req->rq_import->imp_target_uuid.uuid, rc);
}

/* rq_committed of a write: it is on disk, or failed, or is lost. */
static void write_committed(struct ptlrpc_request *req, int rc)
{
	struct osc_write *write = req->rq_cb_data;

	if (write->osw_answered) {
		atomic64_sub(write->osw_bulk.bk_len, &write->osw_unstable->ou_bytes);
		atomic64_sub(write->osw_bulk.bk_len, &unstable_bytes);
		if (rc)
			log_lost(req, rc);
	}
	/* The task has seen the error of a write that was not answered. */
	ost_writes_end(write->osw_writes, write->osw_answered ? rc : 0);
	write_free(write);
}

/* The pages of @bulk, referenced. */
static struct osc_write *write_new(struct osc_device *osc, const struct ptlrpc_bulk *bulk,
				   struct ost_writes *writes)
{
	struct osc_write *write;
	unsigned int n;

	write = ptlrpc_bulk_alloc(struct_size(write, osw_vec, bulk->bk_nr), bulk->bk_nr);
	if (!write)
		return NULL;
	refcount_inc(&osc->osc_unstable->ou_refcount);
	write->osw_unstable = osc->osc_unstable;
	write->osw_writes = writes;
	write->osw_answered = false;
	write->osw_grant = ost_grant_get(osc->osc_grant);
	write->osw_used = ost_grant_use(osc->osc_grant, bulk, bulk->bk_len);
	write->osw_bulk = *bulk;
	write->osw_bulk.bk_vec = write->osw_vec;
	memcpy(write->osw_vec, bulk->bk_vec, bulk->bk_nr * sizeof(*bulk->bk_vec));
	for (n = 0; n < bulk->bk_nr; n++)
		get_page(write->osw_vec[n].bv_page);
	ost_writes_begin(writes);
	return write;
}

static int write_attach(struct osc_device *osc, struct ptlrpc_request *req,
			const struct ptlrpc_bulk *bulk, struct ost_writes *writes)
{
	struct osc_write *write = write_new(osc, bulk, writes);

	if (!write)
		return -ENOMEM;
	req->rq_bulk_out = &write->osw_bulk;
	req->rq_interpret = write_interpret;
	req->rq_interpret_data = write;
	req->rq_committed = write_committed;
	req->rq_cb_data = write;
	req->rq_owner = THIS_MODULE;
	return 0;
}

/* rq_committed of a change without bytes. The task has seen the error of one that failed. */
static void change_committed(struct ptlrpc_request *req, int rc)
{
	ost_writes_end(req->rq_cb_data, req->rq_status ? 0 : rc);
}

static void change_attach(struct ptlrpc_request *req, struct ost_writes *writes)
{
	ost_writes_begin(writes);
	req->rq_committed = change_committed;
	req->rq_cb_data = writes;
	req->rq_owner = THIS_MODULE;
}

/*
 * Everything that was answered up to now is on disk. A target that is not connected, or is lost
 * meanwhile, is not waited for here: nothing is sent to it either, and what it gets afterwards is
 * in memory anyway.
 */
static int commit(struct obd_export *exp)
{
	const struct ost_op op = { .opc = OST_SYNC };
	struct ptlrpc_request *req = osc_request(exp, &op, NULL, NULL);
	int rc;

	if (IS_ERR(req))
		return PTR_ERR(req);
	req->rq_no_delay = true;
	rc = ptlrpc_queue_wait(req);
	ptlrpc_request_put(req);
	return rc == -ENOTCONN ? 0 : rc;
}

/* Memory is shared: a device that has none of it has nothing to write to disk. */
static int make_space(struct obd_export *exp, u32 len)
{
	const struct osc_device *osc = osc_device(exp->exp_obd);
	u64 mine = atomic64_read(&osc->osc_unstable->ou_bytes);
	u64 most = (u64)totalram_pages() * PAGE_SIZE / MEMORY_PART;

	if (!mine || (mine + len <= READ_ONCE(osc->osc_io.cio_max_dirty) &&
		      (u64)atomic64_read(&unstable_bytes) + len <= most))
		return 0;
	return commit(exp);
}

/*
 * Requests.
 */

/* rq_interpret of a read. */
static int read_interpret(struct ptlrpc_request *req, void *data, int rc)
{
	osc_stats_end(data, false, req);
	return rc;
}

/* The caller sends it. */
static void request_count(struct osc_device *osc, struct ptlrpc_request *req,
			  const struct ost_op *op)
{
	u64 len;

	if (req->rq_bulk_out) {
		((struct osc_write *)req->rq_cb_data)->osw_stats =
			osc_stats_begin(osc->osc_stats, true, ost_op_range(op, 0, &len),
					req->rq_bulk_out->bk_len);
	} else if (req->rq_bulk_in) {
		req->rq_interpret_data = osc_stats_begin(osc->osc_stats, false, op->offset,
							 req->rq_bulk_in->bk_len);
		req->rq_interpret = read_interpret;
	}
}

static u16 portal_of(u32 opc)
{
	return opc == OST_READ || opc == OST_WRITE || opc == OST_PUNCH || opc == OST_FALLOCATE ?
	       OST_IO_PORTAL : OST_REQUEST_PORTAL;
}

/* The target may have executed it, and another client may see it. */
static bool is_change(u32 opc)
{
	return opc == OST_SETATTR || opc == OST_PUNCH || opc == OST_FALLOCATE ||
	       opc == OST_DESTROY;
}

/* Without the task that waits for it. */
static bool goes_on(u32 opc)
{
	return is_change(opc) || opc == OST_WRITE;
}

static int export_check(struct obd_export *exp)
{
	struct obd_import *imp = exp->exp_obd->obd_cli->cl_import;

	if (!class_connected_export(exp))
		return -ENOTCONN;
	if (READ_ONCE(imp->imp_link) != IMP_LINK_LOOPBACK)
		return 0;
	CERROR("%s: objects of %s are not accessible at 0@lo; use another NID of this node: rc = %d\n",
	       exp->exp_obd->obd_name, imp->imp_target_uuid.uuid, -EOPNOTSUPP);
	return -EOPNOTSUPP;
}

/* The target leaves checksums out, too: servers of before do not. */
static bool is_plain(const struct osc_device *osc, const struct obd_import *imp)
{
	return !READ_ONCE(osc->osc_io.cio_checksums) &&
	       READ_ONCE(imp->imp_connect_data.ocd_connect_flags) & OBD_CONNECT_CKSUM;
}

static int request_attach(struct osc_device *osc, struct ptlrpc_request *req,
			  const struct ost_op *op, const struct ptlrpc_bulk *bulk,
			  struct ost_writes *writes)
{
	if (bulk && op->opc == OST_WRITE)
		return write_attach(osc, req, bulk, writes);
	req->rq_bulk_in = bulk;
	if (writes && is_change(op->opc))
		change_attach(req, writes);
	return 0;
}

/* A change that takes space says how much grant it uses, and how much more the client can use. */
static void request_encode(struct osc_device *osc, struct ptlrpc_request *req,
			   const struct ost_op *op)
{
	struct ost_op full = *op;

	if (op->opc == OST_WRITE || op->opc == OST_FALLOCATE)
		osc_grant_claim(osc, &full.claim);
	if (req->rq_bulk_out)
		full.claim.used = ((const struct osc_write *)req->rq_cb_data)->osw_used;
	else if (op->opc == OST_FALLOCATE)
		full.claim.used = osc_grant_allocate(osc, req, op);
	ost_op_encode(req->rq_req_msg, &full);
}

/**
 * osc_request() - t_request of type osc
 * @exp: export of the device
 * @op: operation
 * @bulk: bytes to write, or where to read to, or NULL
 * @writes: account of the change, or NULL
 *
 * Context: sleeps
 * Return: request in RQ_NEW, to be added to a set; ERR_PTR: -ENOTCONN if the export was evicted;
 *  -EOPNOTSUPP if the target is called and not sent messages; -ENOMEM; of a commit that the
 *  write waited for
 */
struct ptlrpc_request *osc_request(struct obd_export *exp, const struct ost_op *op,
				   const struct ptlrpc_bulk *bulk, struct ost_writes *writes)
{
	struct osc_device *osc = osc_device(exp->exp_obd);
	u32 lens[OST_REQUEST_BUFS];
	struct ptlrpc_request *req;
	int rc = export_check(exp);

	if (!rc && bulk && op->opc == OST_WRITE && op->flags & OBD_BRW_ASYNC)
		rc = make_space(exp, bulk->bk_len);
	if (rc)
		return ERR_PTR(rc);
	ost_op_lens(op, lens);
	req = ptlrpc_request_new(osc->osc_cli.cl_import, op->opc, portal_of(op->opc), lens,
				 ARRAY_SIZE(lens));
	if (!req)
		return ERR_PTR(-ENOMEM);
	req->rq_detach = goes_on(op->opc);
	if (bulk && is_plain(osc, req->rq_import))
		req->rq_msg_flags |= MSG_BULK_PLAIN;
	rc = request_attach(osc, req, op, bulk, writes);
	if (!rc) {
		request_encode(osc, req, op);
		request_count(osc, req, op);
		return req;
	}
	ptlrpc_request_put(req);
	return ERR_PTR(rc);
}

/**
 * osc_reply() - t_reply of type osc
 * @req: request of osc_request(), ended with status 0
 * @rep: out; zeros on failure
 *
 * Context: any
 * Return: 0 or -EPROTO
 */
int osc_reply(const struct ptlrpc_request *req, struct ost_reply *rep)
{
	const char *fault = ost_reply_decode(&req->rq_rep, rep);

	if (!fault && req->rq_opc == OST_READ && rep->count != req->rq_bulk_got)
		fault = "another number of bytes than it says";
	if (!fault)
		return 0;
	memset(rep, 0, sizeof(*rep));
	CERROR("%s: malformed reply of %s to operation %u: %s: rc = %d\n",
	       req->rq_import->imp_obd->obd_name, req->rq_import->imp_target_uuid.uuid,
	       req->rq_opc, fault, -EPROTO);
	return -EPROTO;
}

/* Whether it is a change of one object: that one. */
static bool changes(struct ptlrpc_request *req, const void *data)
{
	const struct ost_rec *rec = ptlrpc_req_buf(req, OST_REC);
	struct lu_fid fid;

	if (!goes_on(req->rq_opc))
		return false;
	fid = fid_le_get(&rec->or_object);
	return lu_fid_eq(&fid, data);
}

/**
 * osc_settle() - t_settle of type osc
 * @exp: export of the device
 * @object: object
 * @killable: a signal that kills the task ends the wait
 *
 * Context: sleeps
 * Return: 0 or -EINTR
 */
int osc_settle(struct obd_export *exp, const struct lu_fid *object, bool killable)
{
	return ptlrpc_left_wait(exp->exp_obd->obd_cli->cl_import, changes, object, killable);
}

/**
 * osc_call() - t_call of type osc
 * @exp: export of the device
 * @op: operation
 * @rep: out
 *
 * Context: sleeps
 * Return: 0; the status of the target; -EPROTO; as ptlrpc_queue_wait() and osc_request()
 */
int osc_call(struct obd_export *exp, const struct ost_op *op, struct ost_reply *rep)
{
	struct ptlrpc_request *req = osc_request(exp, op, NULL, NULL);
	int rc;

	memset(rep, 0, sizeof(*rep));
	if (IS_ERR(req))
		return PTR_ERR(req);
	rc = ptlrpc_queue_wait(req) ?: osc_reply(req, rep);
	ptlrpc_request_put(req);
	return rc;
}
