// SPDX-License-Identifier: GPL-2.0-only
/* One call of a load that changes an object as a whole. */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_dlm.h>

#include "cache.h"
#include "load.h"

/* Buffers of OST_DESTROY and OST_PUNCH. */
#define OBJECT_BODY	0
#define OBJECT_CANCELS	1
#define OBJECT_FLAGS	2

/* The request cancels the locks of @elc. */
static int object_request(struct echo_load *load, u32 opc, u64 size, u64 flags,
			  const struct ldlm_elc *elc)
{
	const u32 lens[] = { sizeof(struct lustre_echo_attr), ldlm_elc_bytes(elc),
			     sizeof(__le64) };
	struct lustre_echo_attr *attr;
	struct ptlrpc_request *req;
	int rc;

	req = ptlrpc_request_new(load->eld_use->eu_imp, opc, OST_REQUEST_PORTAL, lens,
				 ARRAY_SIZE(lens));
	if (IS_ERR_OR_NULL(req))
		return req ? PTR_ERR(req) : -ENOMEM;
	attr = ptlrpc_req_buf(req, OBJECT_BODY);
	attr->ea_object = cpu_to_le64(load->eld_et->et_resource);
	attr->ea_size = cpu_to_le64(size);
	ldlm_elc_pack(elc, ptlrpc_req_buf(req, OBJECT_CANCELS));
	*(__le64 *)ptlrpc_req_buf(req, OBJECT_FLAGS) = cpu_to_le64(flags);
	rc = ptlrpc_queue_wait(req);
	ptlrpc_request_put(req);
	return rc;
}

/**
 * echo_call_destroy() - remove an object
 * @load: load
 *
 * The size that this client has not written is dropped first, so that the end of its locks
 * writes nothing. The request cancels the locks that no task uses.
 *
 * Context: may sleep, until other clients have cancelled their locks
 * Return: 0 or a negative errno
 */
int echo_call_destroy(struct echo_load *load)
{
	static const struct ldlm_policy whole = { .extent = { 0, LDLM_EXTENT_EOF } };
	const struct echo_use *use = load->eld_use;
	struct ldlm_res_id res = { .name = { load->eld_et->et_resource } };
	struct echo_object *obj = echo_object_get(use, res.name[0]);
	struct ldlm_elc elc;
	int rc;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	echo_object_resize(obj, 0, true);
	ldlm_elc_take(use->eu_exp->exp_obd, &res, LCK_EX, &whole, &elc);
	rc = object_request(load, OST_DESTROY, 0, 0, &elc);
	ldlm_elc_done(&elc, rc);
	echo_object_put(obj);
	return rc;
}

/**
 * echo_call_punch() - change the size of an object
 * @load: load
 *
 * A lock for writing that the client has is used meanwhile: it is not cancelled, so what was not
 * written beyond the new end is not written later either. Without such a lock the server revokes
 * those of this client too: one that is being cancelled may still have to write. The request
 * cancels unused locks that have a cached size.
 *
 * Context: may sleep, until other clients have cancelled their locks
 * Return: 0 or a negative errno
 */
int echo_call_punch(struct echo_load *load)
{
	const struct echo_use *use = load->eld_use;
	const u64 size = load->eld_et->et_object_size;
	const struct ldlm_policy rest = { .extent = { size, LDLM_EXTENT_EOF } };
	struct obd_device *obd = use->eu_exp->exp_obd;
	struct ldlm_res_id res = { .name = { load->eld_et->et_resource } };
	struct echo_object *obj = echo_object_get(use, res.name[0]);
	struct ldlm_lock *lock;
	struct ldlm_elc elc;
	int rc;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	lock = ldlm_cli_match(obd, &res, LCK_PW, &rest, &echo_object_cbs, obj);
	ldlm_elc_take(obd, &res, LCK_PW, &rest, &elc);
	rc = object_request(load, OST_PUNCH, size, lock ? ECHO_PUNCH_LOCKED : 0, &elc);
	ldlm_elc_done(&elc, rc);
	if (!rc)
		echo_object_resize(obj, size, lock);
	if (lock) {
		ldlm_lock_decref(lock);
		ldlm_lock_put(lock);
	}
	echo_object_put(obj);
	return rc;
}
