// SPDX-License-Identifier: GPL-2.0-only
/* One call of a load: its request, its bytes, and verification of the answer. */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "load.h"
#include "open.h"

/* Range of the offsets, bytes. */
#define CALL_OFFSET_MAX		(1ULL << 40)

static bool is_read(const struct echo_load *load)
{
	return load->eld_et->et_op == LL_ECHO_READ;
}

static bool is_transfer(const struct echo_load *load)
{
	return is_read(load) || load->eld_et->et_op == LL_ECHO_WRITE;
}

static bool is_unstable(const struct echo_load *load)
{
	return load->eld_et->et_flags & LL_ECHO_UNSTABLE;
}

static void pages_free(struct page **pages, unsigned int nr)
{
	unsigned int n;

	for (n = 0; n < nr && pages[n]; n++)
		put_page(pages[n]);
	kvfree(pages);
}

static struct page **pages_alloc(unsigned int nr)
{
	struct page **pages = kvcalloc(nr, sizeof(*pages), GFP_KERNEL_ACCOUNT);
	unsigned int n;

	for (n = 0; pages && n < nr; n++) {
		pages[n] = alloc_page(GFP_KERNEL_ACCOUNT);
		if (!pages[n]) {
			pages_free(pages, nr);
			return NULL;
		}
	}
	return pages;
}

/* Destination of a read. */
static void read_vec(struct echo_call *call, u32 size)
{
	unsigned int n;

	for (n = 0; size; n++) {
		call->ecc_vec[n].bv_page = call->ecc_pages[n];
		call->ecc_vec[n].bv_offset = 0;
		call->ecc_vec[n].bv_len = min_t(u32, size, PAGE_SIZE);
		size -= call->ecc_vec[n].bv_len;
	}
	call->ecc_bulk.bk_nr = n;
}

static int call_alloc(struct echo_load *load, struct echo_call *call)
{
	u32 size = load->eld_et->et_size;

	call->ecc_load = load;
	list_add_tail(&call->ecc_item, &load->eld_idle);
	if (!is_transfer(load) || is_unstable(load))
		return 0;
	call->ecc_vec = kvcalloc(ECHO_VEC_MAX(size), sizeof(*call->ecc_vec),
				 GFP_KERNEL_ACCOUNT);
	if (!call->ecc_vec)
		return -ENOMEM;
	call->ecc_bulk.bk_vec = call->ecc_vec;
	call->ecc_bulk.bk_len = size;
	if (!is_read(load))
		return 0;
	call->ecc_pages = pages_alloc(DIV_ROUND_UP(size, PAGE_SIZE));
	if (!call->ecc_pages)
		return -ENOMEM;
	read_vec(call, size);
	return 0;
}

/**
 * echo_calls_alloc() - allocate the calls of a load
 * @load: load
 *
 * Context: may sleep
 * Return: 0 or -ENOMEM
 */
int echo_calls_alloc(struct echo_load *load)
{
	u32 count = load->eld_et->et_inflight, n;
	int rc = 0;

	load->eld_calls = kvcalloc(count, sizeof(*load->eld_calls),
				   GFP_KERNEL_ACCOUNT);
	if (!load->eld_calls)
		return -ENOMEM;
	for (n = 0; !rc && n < count; n++)
		rc = call_alloc(load, &load->eld_calls[n]);
	if (rc)
		echo_calls_free(load);
	return rc;
}

/* Free them; none is in flight. May sleep. */
void echo_calls_free(struct echo_load *load)
{
	u32 pages = DIV_ROUND_UP(load->eld_et->et_size, PAGE_SIZE), n;
	struct echo_call *call;

	for (n = 0; n < load->eld_et->et_inflight; n++) {
		call = &load->eld_calls[n];
		if (call->ecc_pages)
			pages_free(call->ecc_pages, pages);
		kvfree(call->ecc_vec);
	}
	kvfree(load->eld_calls);
	load->eld_calls = NULL;
}

static bool is_mds(const struct echo_load *load)
{
	const struct obd_device *obd = load->eld_use->eu_exp->exp_obd;

	return obd->obd_type->typ_service == OBD_SERVICE_MDS;
}

static u16 request_portal(const struct echo_load *load)
{
	return is_mds(load) ? MDS_REQUEST_PORTAL : OST_REQUEST_PORTAL;
}

static struct ptlrpc_request *ping_request(struct echo_call *call)
{
	struct echo_load *load = call->ecc_load;

	return ptlrpc_request_new(load->eld_use->eu_imp, OBD_PING,
				  request_portal(load), NULL, 0);
}

static struct ptlrpc_request *count_request(struct echo_call *call)
{
	static const u32 lens[] = { sizeof(ECHO_KEY_COUNT), sizeof(__le64) };
	struct echo_load *load = call->ecc_load;
	struct ptlrpc_request *req;
	__le64 *number;

	req = ptlrpc_request_new(load->eld_use->eu_imp,
				 is_mds(load) ? MDS_SET_INFO : OST_SET_INFO,
				 request_portal(load), lens, ARRAY_SIZE(lens));
	if (IS_ERR_OR_NULL(req))
		return req;
	memcpy(ptlrpc_req_buf(req, 0), ECHO_KEY_COUNT, sizeof(ECHO_KEY_COUNT));
	number = ptlrpc_req_buf(req, 1);
	*number = cpu_to_le64(1);
	return req;
}

/* The pages are the request's, until they are on the server's disk. */
static int unstable_bulk(struct echo_call *call, struct ptlrpc_request *req)
{
	struct echo_load *load = call->ecc_load;

	req->rq_bulk_out = echo_write_new(load->eld_use->eu_unstable, call->ecc_at,
					  load->eld_et->et_size);
	if (!req->rq_bulk_out)
		return -ENOMEM;
	req->rq_committed = echo_write_committed;
	req->rq_owner = THIS_MODULE;
	return 0;
}

static int write_bulk(struct echo_call *call, struct ptlrpc_request *req)
{
	u32 size = call->ecc_load->eld_et->et_size;

	if (is_unstable(call->ecc_load))
		return unstable_bulk(call, req);
	call->ecc_bulk.bk_nr = echo_pattern_vec(call->ecc_at, size, call->ecc_vec);
	req->rq_bulk_out = &call->ecc_bulk;
	return 0;
}

/* Sequential offsets, in a new object after a while. */
static struct ptlrpc_request *transfer_request(struct echo_call *call)
{
	static const u32 lens[] = { sizeof(struct lustre_brw) };
	struct echo_load *load = call->ecc_load;
	struct ll_rpc_ioc_echo *et = load->eld_et;
	u64 offset = load->eld_begun * et->et_size % CALL_OFFSET_MAX;
	struct ptlrpc_request *req;
	struct lustre_brw *brw;

	req = ptlrpc_request_new(load->eld_use->eu_imp,
				 is_read(load) ? OST_READ : OST_WRITE,
				 OST_IO_PORTAL, lens, ARRAY_SIZE(lens));
	if (IS_ERR_OR_NULL(req))
		return req;
	brw = ptlrpc_req_buf(req, 0);
	brw->wb_object = cpu_to_le64(et->et_resource);
	brw->wb_offset = cpu_to_le64(offset);
	brw->wb_len = cpu_to_le32(et->et_size);
	call->ecc_at = echo_pattern_at(et->et_resource, offset);
	if (is_unstable(load))
		brw->wb_flags = cpu_to_le32(OBD_BRW_ASYNC);
	if (is_read(load)) {
		req->rq_bulk_in = &call->ecc_bulk;
	} else if (write_bulk(call, req)) {
		ptlrpc_request_put(req);
		return NULL;
	}
	return req;
}

/* All bytes were transferred, and read bytes are correct. */
static int transfer_check(struct echo_call *call, struct ptlrpc_request *req)
{
	const struct lustre_brw *brw = ptlrpc_rep_buf(req, 0, sizeof(*brw));
	struct ll_rpc_ioc_echo *et = call->ecc_load->eld_et;

	if (!brw || le32_to_cpu(brw->wb_len) != et->et_size)
		return -EPROTO;
	if (!is_read(call->ecc_load))
		return 0;
	if (req->rq_bulk_got != et->et_size)
		return -EPROTO;
	if (et->et_flags & LL_ECHO_CHECK &&
	    !echo_pattern_is(call->ecc_at, call->ecc_vec, call->ecc_bulk.bk_nr,
			     et->et_size))
		return -EBADMSG;
	return 0;
}

static int call_done(struct ptlrpc_request *req, void *data, int rc)
{
	struct echo_call *call = data;
	struct echo_load *load = call->ecc_load;

	if (!rc && is_transfer(load))
		rc = transfer_check(call, req);
	else if (!rc && load->eld_et->et_op == LL_ECHO_OPEN)
		rc = echo_open_done(req);
	echo_load_note(load, call->ecc_start_ns, rc);
	list_add(&call->ecc_item, &load->eld_idle);
	return rc;
}

static struct ptlrpc_request *call_request(struct echo_call *call)
{
	const struct echo_use *use = call->ecc_load->eld_use;
	const struct ll_rpc_ioc_echo *et = call->ecc_load->eld_et;

	switch (et->et_op) {
	case LL_ECHO_PING:
		return ping_request(call);
	case LL_ECHO_COUNT:
		return count_request(call);
	case LL_ECHO_OPEN:
		return echo_open_request(use->eu_opens, use->eu_imp, et->et_resource);
	case LL_ECHO_CLOSE:
		return echo_close_request(use->eu_opens, use->eu_imp);
	default:
		return transfer_request(call);
	}
}

/**
 * echo_call_begin() - send a request
 * @call: call, idle
 *
 * Context: the task that drives the load; may sleep
 * Return: 0, and its end is noted when the set is waited for; or a negative
 *  errno
 */
int echo_call_begin(struct echo_call *call)
{
	struct echo_load *load = call->ecc_load;
	struct ptlrpc_request *req = call_request(call);

	if (IS_ERR_OR_NULL(req))
		return req ? PTR_ERR(req) : -ENOMEM;
	list_del(&call->ecc_item);
	req->rq_interpret = call_done;
	req->rq_interpret_data = call;
	ptlrpc_set_add(load->eld_set, req);
	ptlrpc_request_put(req);
	return 0;
}

/**
 * echo_call_sync() - have the server write everything to disk
 * @load: load, of which no call is in flight
 *
 * Context: sleeps until it has
 * Return: 0 or a negative errno
 */
int echo_call_sync(struct echo_load *load)
{
	struct ptlrpc_request *req;
	int rc;

	req = ptlrpc_request_new(load->eld_use->eu_imp, OST_SYNC, request_portal(load),
				 NULL, 0);
	if (!req)
		return -ENOMEM;
	rc = ptlrpc_queue_wait(req);
	ptlrpc_request_put(req);
	return rc;
}

static int direct_ping(const struct echo_use *use)
{
	struct obd_uuid uuid;

	return use->eu_local_imp ? import_ping(use->eu_local_imp) :
				   obd_get_uuid(use->eu_exp, &uuid);
}

/**
 * echo_call_direct() - a call of a server in this kernel
 * @load: load
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int echo_call_direct(struct echo_load *load)
{
	const struct echo_use *use = load->eld_use;
	__le64 one = cpu_to_le64(1);

	if (load->eld_et->et_op == LL_ECHO_PING)
		return direct_ping(use);
	if (load->eld_et->et_op == LL_ECHO_LOCK)
		return echo_call_own_lock(load);
	return obd_set_info_async(use->eu_exp, ECHO_KEY_COUNT, &one,
				  sizeof(one));
}
