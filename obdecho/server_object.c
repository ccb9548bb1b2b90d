// SPDX-License-Identifier: GPL-2.0-only
/* Type obdecho over the wire: changes of an object as a whole. */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/ptlrpc_service.h>
#include <lustre_lite/wire.h>

#include "echo_internal.h"

/* Buffers of OST_DESTROY and OST_PUNCH. */
#define OBJECT_BODY	0
#define OBJECT_CANCELS	1
#define OBJECT_FLAGS	2
/* Seconds that such an operation waits for clients that have locked the object. */
#define OBJECT_LOCK_SEC	300

static int object_begin(struct ptlrpc_svc_req *sr, struct ldlm_res_id *res, u64 *size)
{
	const struct lustre_echo_attr *asked = wire_buf(&sr->sr_msg, OBJECT_BODY,
							sizeof(*asked));

	if (!asked)
		return -EPROTO;
	*res = (struct ldlm_res_id) { .name = { le64_to_cpu(asked->ea_object) } };
	*size = le64_to_cpu(asked->ea_size);
	if (*size > LONG_MAX)
		return -EFBIG;
	return ldlm_elc_cancel(sr, OBJECT_CANCELS);
}

/**
 * echo_destroy() - handle OST_DESTROY
 * @sr: request
 *
 * It cancels its client's locks itself; other clients are sent blocking ASTs. An object that
 * does not exist is removed as well.
 *
 * Context: sleeps until other clients have cancelled their locks
 * Return: 0 or a negative errno
 */
int echo_destroy(struct ptlrpc_svc_req *sr)
{
	static const struct ldlm_policy whole = { .extent = { 0, LDLM_EXTENT_EOF } };
	struct obd_device *obd = sr->sr_exp->exp_obd;
	struct ldlm_res_id res;
	struct ldlm_lock *own;
	u64 size;
	int rc;

	rc = object_begin(sr, &res, &size);
	if (rc || size)
		return rc ?: -EINVAL;
	rc = ldlm_local_lock(obd, LDLM_EXTENT, &res, LCK_EX, &whole, 0, OBJECT_LOCK_SEC,
			     NULL, &own);
	if (rc)
		return rc;
	rc = echo_object_truncate(echo_server(obd), res.name[0], 0);
	ldlm_local_unlock(own);
	return rc;
}

/**
 * echo_punch() - handle OST_PUNCH
 * @sr: request
 *
 * A client that uses a lock for writing meanwhile keeps its locks, and changes the size that it
 * has cached itself.
 *
 * Context: sleeps until other clients have cancelled their locks of the bytes from the new end on
 * Return: 0 or a negative errno
 */
int echo_punch(struct ptlrpc_svc_req *sr)
{
	struct obd_device *obd = sr->sr_exp->exp_obd;
	struct ldlm_policy rest = { .extent = { 0, LDLM_EXTENT_EOF } };
	const __le64 *flags;
	struct ldlm_res_id res;
	struct ldlm_lock *own;
	u64 size;
	int rc;

	rc = object_begin(sr, &res, &size);
	if (rc)
		return rc;
	flags = wire_buf(&sr->sr_msg, OBJECT_FLAGS, sizeof(*flags));
	if (!flags)
		return -EPROTO;
	rest.extent.first = size;
	rc = ldlm_local_lock(obd, LDLM_EXTENT, &res, LCK_PW, &rest, 0, OBJECT_LOCK_SEC,
			     *flags & cpu_to_le64(ECHO_PUNCH_LOCKED) ? sr->sr_exp : NULL,
			     &own);
	if (rc)
		return rc;
	rc = echo_object_truncate(echo_server(obd), res.name[0], size);
	ldlm_local_unlock(own);
	return rc;
}
