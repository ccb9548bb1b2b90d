// SPDX-License-Identifier: GPL-2.0-only
/*
 * One call of a load about locks: of the server itself, of a client, with the attributes of
 * an object, of users; glimpses.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_dlm.h>

#include "cache.h"
#include "load.h"

/* Longest wait for a lock of the server itself, seconds. */
#define LOCAL_LOCK_SEC		300
/* Buffers of OST_GETATTR and its reply. */
#define ATTR_BODY		0
#define ATTR_LOCK		1
/* Second word of the resources of users' locks, which are not those of objects. */
#define ECHO_FLOCK_RES		1

static const struct ldlm_policy whole = { .extent = { 0, LDLM_EXTENT_EOF } };

/* A lock of the server itself; the caller keeps the server set up. */
static int server_lock(struct obd_device *obd, struct ll_rpc_ioc_echo *et)
{
	struct ldlm_res_id res = { .name = { et->et_resource } };
	struct ldlm_policy policy;
	struct ldlm_lock *lock;
	int rc;

	memcpy(policy.data, et->et_policy, sizeof(policy.data));
	rc = ldlm_local_lock(obd, echo_lock_type(et), &res, et->et_mode, &policy, 0,
			     LOCAL_LOCK_SEC, NULL, &lock);
	if (rc)
		return rc;
	memcpy(et->et_granted, ldlm_lock_policy(lock)->data,
	       sizeof(et->et_granted));
	ldlm_local_unlock(lock);
	return 0;
}

/**
 * echo_call_own_lock() - take a lock of a server in this kernel, and release it
 * @load: load
 *
 * Context: may sleep, until clients have cancelled theirs
 * Return: 0 or a negative errno
 */
int echo_call_own_lock(struct echo_load *load)
{
	struct obd_device *obd = load->eld_use->eu_exp->exp_obd;
	int rc;

	if (!obd_op_enter(obd))
		return -ENODEV;
	rc = server_lock(obd, load->eld_et);
	obd_op_leave(obd);
	return rc;
}

/* The end of a call: the lock is cached, or cancelled. */
static int lock_end(const struct ll_rpc_ioc_echo *et, struct ldlm_lock *lock)
{
	int rc = 0;

	ldlm_lock_decref(lock);
	if (!(et->et_flags & LL_ECHO_KEEP))
		rc = ldlm_cli_cancel(lock);
	ldlm_lock_put(lock);
	return rc == -EBUSY ? 0 : rc;
}

/* A call without an object has locks without an owner. */
static int lock_enqueue(struct echo_load *load, struct echo_object *obj,
			struct ldlm_lock **lock)
{
	struct ll_rpc_ioc_echo *et = load->eld_et;
	struct ldlm_res_id res = { .name = { et->et_resource } };
	u32 flags = et->et_flags & LL_ECHO_EXACT ? LDLM_FL_NO_EXPANSION : 0;
	struct ldlm_policy policy;
	int rc;

	memcpy(policy.data, et->et_policy, sizeof(policy.data));
	rc = ldlm_cli_enqueue(load->eld_use->eu_exp->exp_obd,
			      echo_lock_type(et), &res, et->et_mode, &policy,
			      flags, obj ? &echo_object_cbs : NULL, obj, lock);
	if (!rc)
		memcpy(et->et_granted, ldlm_lock_policy(*lock)->data,
		       sizeof(et->et_granted));
	return rc;
}

/**
 * echo_call_lock() - enqueue a lock, and cancel it or leave it cached
 * @load: load
 *
 * If another user on this node has it too, that user cancels it.
 *
 * Context: may sleep, until others have cancelled the lock
 * Return: 0 or a negative errno
 */
int echo_call_lock(struct echo_load *load)
{
	struct ll_rpc_ioc_echo *et = load->eld_et;
	bool grows = et->et_flags & LL_ECHO_GROW;
	struct echo_object *obj = NULL;
	struct ldlm_lock *lock;
	int rc;

	if (grows)
		obj = echo_object_get(load->eld_use, et->et_resource);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	rc = lock_enqueue(load, obj, &lock);
	if (!rc) {
		if (grows)
			echo_object_note(obj, et->et_object_size, true);
		rc = lock_end(et, lock);
	}
	if (obj)
		echo_object_put(obj);
	return rc;
}

/* Without a lock the size is not remembered: others may change it. */
static int object_glimpse(struct echo_load *load, struct echo_object *obj)
{
	struct ll_rpc_ioc_echo *et = load->eld_et;
	struct ldlm_res_id res = { .name = { et->et_resource } };
	struct lustre_echo_lvb lvb;
	struct ldlm_lock *lock;
	int rc;

	rc = ldlm_cli_glimpse(load->eld_use->eu_exp->exp_obd, &res, &echo_object_cbs,
			      obj, &lvb, sizeof(lvb), &lock);
	if (rc)
		return rc;
	et->et_object_size = le64_to_cpu(lvb.el_size);
	if (!lock)
		return 0;
	et->et_object_size = echo_object_note(obj, et->et_object_size, false);
	return lock_end(et, lock);
}

/**
 * echo_call_glimpse() - learn the size of an object
 * @load: load
 *
 * Context: may sleep, until those that write it have answered
 * Return: 0 or a negative errno
 */
int echo_call_glimpse(struct echo_load *load)
{
	struct echo_object *obj = echo_object_get(load->eld_use,
						  load->eld_et->et_resource);
	int rc;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	rc = object_glimpse(load, obj);
	echo_object_put(obj);
	return rc;
}

static int attr_check(struct ll_rpc_ioc_echo *et, const struct ptlrpc_request *req)
{
	const struct lustre_echo_attr *attr = ptlrpc_rep_buf(req, ATTR_BODY,
							     sizeof(*attr));

	if (!attr || le64_to_cpu(attr->ea_object) != et->et_resource)
		return -EPROTO;
	et->et_object_size = le64_to_cpu(attr->ea_size);
	return 0;
}

/* Attributes and a lock by one request; @lock: NULL if none was granted. */
static int attr_request(struct echo_load *load, struct ldlm_intent *intent,
			struct ldlm_lock **lock)
{
	static const u32 lens[] = { sizeof(struct lustre_echo_attr),
				    sizeof(struct lustre_lock) };
	struct ll_rpc_ioc_echo *et = load->eld_et;
	struct lustre_echo_attr *attr;
	struct ptlrpc_request *req;
	int rc;

	req = ptlrpc_request_new(load->eld_use->eu_imp, OST_GETATTR,
				 OST_REQUEST_PORTAL, lens, ARRAY_SIZE(lens));
	if (IS_ERR_OR_NULL(req)) {
		rc = req ? PTR_ERR(req) : -ENOMEM;
		ldlm_intent_done(intent, NULL, ATTR_LOCK, rc, lock);
		return rc;
	}
	attr = ptlrpc_req_buf(req, ATTR_BODY);
	attr->ea_object = cpu_to_le64(et->et_resource);
	ldlm_intent_pack(intent, ptlrpc_req_buf(req, ATTR_LOCK));
	rc = ptlrpc_queue_wait(req);
	rc = ldlm_intent_done(intent, req, ATTR_LOCK, rc, lock) ?: attr_check(et, req);
	ptlrpc_request_put(req);
	return rc;
}

static int attr_ask(struct echo_load *load, struct echo_object *obj)
{
	struct ll_rpc_ioc_echo *et = load->eld_et;
	struct ldlm_intent *intent;
	struct ldlm_lock *lock;
	int rc, end;

	intent = ldlm_intent_new(load->eld_use->eu_exp->exp_obd, LDLM_EXTENT, LCK_PR,
				 &whole, &echo_object_cbs, obj);
	if (IS_ERR(intent))
		return PTR_ERR(intent);
	rc = attr_request(load, intent, &lock);
	if (!lock)
		return rc;
	if (!rc)
		et->et_object_size = echo_object_note(obj, et->et_object_size, false);
	end = lock_end(et, lock);
	return rc ?: end;
}

/* With a cached lock no request is needed. */
static int object_getattr(struct echo_load *load, struct echo_object *obj)
{
	struct ll_rpc_ioc_echo *et = load->eld_et;
	struct ldlm_res_id res = { .name = { et->et_resource } };
	struct ldlm_lock *lock;

	lock = ldlm_cli_match(load->eld_use->eu_exp->exp_obd, &res, LCK_PR, &whole,
			      &echo_object_cbs, obj);
	if (!lock)
		return attr_ask(load, obj);
	et->et_object_size = echo_object_note(obj, 0, false);
	return lock_end(et, lock);
}

/**
 * echo_call_getattr() - learn the size of an object that no client writes, and lock it
 * @load: load
 *
 * Context: may sleep, until those that write it have cancelled their locks
 * Return: 0 or a negative errno
 */
int echo_call_getattr(struct echo_load *load)
{
	struct echo_object *obj = echo_object_get(load->eld_use,
						  load->eld_et->et_resource);
	int rc;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	rc = object_getattr(load, obj);
	echo_object_put(obj);
	return rc;
}

static int flock_test(struct echo_load *load, const struct ldlm_res_id *res,
		      struct ldlm_flock *flock)
{
	struct ll_rpc_ioc_echo *et = load->eld_et;
	u32 mode = et->et_mode;
	int rc;

	rc = ldlm_cli_flock_test(load->eld_use->eu_exp->exp_obd, res, &mode, flock);
	if (rc)
		return rc;
	et->et_granted[0] = flock->first;
	et->et_granted[1] = flock->last;
	et->et_granted[2] = wire_flock_pid(flock);
	et->et_granted[3] = mode;
	return 0;
}

/**
 * echo_call_flock() - lock bytes for a user, release them, or test
 * @load: load
 *
 * Context: may sleep, until other owners have released theirs
 * Return: 0 or a negative errno
 */
int echo_call_flock(struct echo_load *load)
{
	struct ll_rpc_ioc_echo *et = load->eld_et;
	struct ldlm_res_id res = { .name = { et->et_resource, ECHO_FLOCK_RES } };
	u32 flags = et->et_flags & LL_ECHO_NOWAIT ? LDLM_FL_BLOCK_NOWAIT : 0;
	struct ldlm_policy policy;

	memcpy(policy.data, et->et_policy, sizeof(policy.data));
	if (et->et_flags & LL_ECHO_TEST)
		return flock_test(load, &res, &policy.flock);
	return ldlm_cli_flock(load->eld_use->eu_exp->exp_obd, &res, et->et_mode,
			      &policy.flock, flags);
}
