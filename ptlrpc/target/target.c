// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets: the devices that clients on other nodes connect to, and their common
 * operations. connect.c has connects and disconnects.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "target.h"

const struct target_lock_ops *target_locks;

/* Version of the protocol: 0.1.0, in the format of ocd_version. */
#define TARGET_VERSION	(1 << 16)

/**
 * struct target - a device that was started as a target
 * @ta_item: in the list of targets
 * @ta_obd: device, valid until it was stopped
 * @ta_seq: rises with every start
 */
struct target {
	struct list_head	ta_item;
	struct obd_device	*ta_obd;
	u64			ta_seq;
};

/* Guards the list, which is in the order of ta_seq. */
static DEFINE_SPINLOCK(targets_lock);
static LIST_HEAD(targets);
static u64 targets_seq;

/**
 * target_find() - find a target by uuid
 * @net: network namespace
 * @uuid: uuid, zeros after its NUL
 *
 * Context: any task
 * Return: device, OBD_REF_LOOKUP; NULL if there is none
 */
struct obd_device *target_find(struct net *net, const struct obd_uuid *uuid)
{
	struct obd_device *found = NULL;
	struct target *ta;

	spin_lock(&targets_lock);
	list_for_each_entry(ta, &targets, ta_item) {
		if (net_eq(ta->ta_obd->obd_net, net) &&
		    !strcmp(ta->ta_obd->obd_uuid.uuid, uuid->uuid)) {
			found = ta->ta_obd;
			class_incref(found, OBD_REF_LOOKUP);
			break;
		}
	}
	spin_unlock(&targets_lock);
	return found;
}

/* After @obd was stopped, the number before the first one. */
static u64 __target_seq(const struct obd_device *obd)
{
	struct target *ta;

	list_for_each_entry(ta, &targets, ta_item) {
		if (ta->ta_obd == obd)
			return ta->ta_seq;
	}
	return 0;
}

/**
 * target_next() - iterate over the targets
 * @obd: the previous one, NULL for the first; its reference is dropped
 *
 * If @obd was stopped meanwhile it starts from scratch.
 *
 * Context: any task
 * Return: device, OBD_REF_LOOKUP; NULL at the end
 */
struct obd_device *target_next(struct obd_device *obd)
{
	struct obd_device *next = NULL;
	struct target *ta;
	u64 seq;

	spin_lock(&targets_lock);
	seq = obd ? __target_seq(obd) : 0;
	list_for_each_entry(ta, &targets, ta_item) {
		if (ta->ta_seq > seq) {
			next = ta->ta_obd;
			class_incref(next, OBD_REF_LOOKUP);
			break;
		}
	}
	spin_unlock(&targets_lock);
	if (obd)
		class_decref(obd, OBD_REF_LOOKUP);
	return next;
}

static int target_add(struct obd_device *obd)
{
	struct target *ta = libcfs_zalloc(sizeof(*ta), GFP_KERNEL);

	if (!ta)
		return -ENOMEM;
	ta->ta_obd = obd;
	spin_lock(&targets_lock);
	ta->ta_seq = ++targets_seq;
	list_add_tail(&ta->ta_item, &targets);
	spin_unlock(&targets_lock);
	return 0;
}

/* Return: true if it was in the list. */
static bool target_del(struct obd_device *obd)
{
	struct target *ta, *found = NULL;

	spin_lock(&targets_lock);
	list_for_each_entry(ta, &targets, ta_item) {
		if (ta->ta_obd == obd) {
			list_del(&ta->ta_item);
			found = ta;
			break;
		}
	}
	spin_unlock(&targets_lock);
	libcfs_free(found, sizeof(*found));
	return found;
}

/**
 * ptlrpc_target_start() - publish a target to clients
 * @obd: device, with its setup complete otherwise; its type has a typ_target
 * @why: out: reason of a failure
 *
 * The node listens in the device's network namespace from now on. Clients are
 * accepted once the device is set up.
 *
 * Context: may sleep
 * Return: 0; -EINVAL for a type without typ_target; -ENOMEM; as lnet_listen()
 */
int ptlrpc_target_start(struct obd_device *obd, struct obd_why *why)
{
	int rc;

	if (!obd->obd_type->typ_target)
		return obd_refuse(why, -EINVAL,
				  "%s: type %s has no operations for clients on other nodes",
				  obd->obd_name, obd->obd_type_name);
	rc = target_recovery_params_add(obd);
	if (rc)
		return rc;
	rc = lnet_listen(obd->obd_net, why);
	if (rc)
		return rc;
	rc = target_add(obd);
	if (rc) {
		lnet_unlisten(obd->obd_net);
		return rc;
	}
	if (!obd->obd_recovery)
		target_recovered(obd);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_target_start, LUSTRE_LITE);

/**
 * ptlrpc_target_stop() - unpublish a target
 * @obd: device; may be one that was not started
 *
 * Ends its recovery, too.
 *
 * Context: may sleep
 */
void ptlrpc_target_stop(struct obd_device *obd)
{
	if (target_del(obd))
		lnet_unlisten(obd->obd_net);
	target_recovery_free(obd);
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_target_stop, LUSTRE_LITE);

/**
 * ptlrpc_target_grant() - grant the supported subset of connect data
 * @exp: export, which gets what is granted
 * @ocd: in: requested; out: granted; or NULL
 * @flags: OBD_CONNECT_* that the target supports
 *
 * Context: any but hard interrupt
 */
void ptlrpc_target_grant(struct obd_export *exp, struct obd_connect_data *ocd, u64 flags)
{
	if (!ocd)
		return;
	ocd->ocd_connect_flags &= flags;
	ocd->ocd_connect_flags2 = 0;
	if (ocd->ocd_connect_flags & OBD_CONNECT_VERSION)
		ocd->ocd_version = TARGET_VERSION;
	ocd->ocd_cksum_types &= OBD_CKSUM_CRC32C;
	if (!ocd->ocd_cksum_types)
		ocd->ocd_connect_flags &= ~OBD_CONNECT_CKSUM;
	if (ocd->ocd_connect_flags & OBD_CONNECT_BRW_SIZE)
		ocd->ocd_brw_size = min_t(u32, ocd->ocd_brw_size, WIRE_BULK_MAX);
	spin_lock(&exp->exp_lock);
	exp->exp_connect_data = *ocd;
	spin_unlock(&exp->exp_lock);
}
EXPORT_SYMBOL_NS_GPL(ptlrpc_target_grant, LUSTRE_LITE);

/* Without a handle: answer with the NIDs of this node. */
static int ping_node(struct ptlrpc_svc_req *sr)
{
	struct net *net = lnet_peer_net(sr->sr_conn->cn_peer);
	struct lnet_nid nids[WIRE_MSG_BUFS_MAX * 4];
	unsigned int count = lnet_nids(net, nids, ARRAY_SIZE(nids)), n;
	struct lustre_nid *to;
	struct wire_nid nid;
	u32 len;
	int rc;

	count = min_t(unsigned int, count, ARRAY_SIZE(nids));
	len = count * sizeof(*to);
	rc = ptlrpc_svc_rep_size(sr, &len, 1);
	if (rc)
		return rc;
	to = ptlrpc_svc_rep_buf(sr, 0);
	for (n = 0; n < count && to; n++) {
		nid.type = nids[n].nid_type;
		nid.len = nids[n].nid_len;
		nid.net = nids[n].nid_net;
		memcpy(nid.addr, nids[n].nid_addr, sizeof(nid.addr));
		wire_nid_encode(&to[n], &nid);
	}
	return 0;
}

/* With a handle: whether the target exists and still knows its client. */
static int handle_ping(struct ptlrpc_svc_req *sr)
{
	struct obd_device *obd;

	if (!sr->sr_exp)
		return ping_node(sr);
	obd = sr->sr_exp->exp_obd;
	if (!obd_op_enter(obd))
		return -ENODEV;
	obd_op_leave(obd);
	return 0;
}

static int statfs_reply(struct ptlrpc_svc_req *sr, const struct obd_statfs *st)
{
	struct lustre_statfs *to = ptlrpc_svc_rep_buf(sr, 0);

	if (!to)
		return -ENOMEM;
	to->ws_type = cpu_to_le64(st->os_type);
	to->ws_bsize = cpu_to_le32(st->os_bsize);
	to->ws_namelen = cpu_to_le32(st->os_namelen);
	to->ws_blocks = cpu_to_le64(st->os_blocks);
	to->ws_bfree = cpu_to_le64(st->os_bfree);
	to->ws_bavail = cpu_to_le64(st->os_bavail);
	to->ws_files = cpu_to_le64(st->os_files);
	to->ws_ffree = cpu_to_le64(st->os_ffree);
	to->ws_state = cpu_to_le32(st->os_state);
	to->ws_reserved = 0;
	return 0;
}

static u64 statfs_max_age(const struct ptlrpc_svc_req *sr)
{
	const struct lustre_statfs_req *req = wire_buf(&sr->sr_msg, 0,
						       sizeof(*req));

	return le64_to_cpu(req->sq_max_age);
}

static int handle_statfs(struct ptlrpc_svc_req *sr)
{
	struct obd_statfs st = {};
	int rc = obd_statfs(sr->sr_exp, &st, statfs_max_age(sr));

	return rc ?: statfs_reply(sr, &st);
}

static int handle_md_statfs(struct ptlrpc_svc_req *sr)
{
	struct obd_statfs st = {};
	int rc = md_statfs(sr->sr_exp, &st, statfs_max_age(sr));

	if (rc == -EOPNOTSUPP)
		rc = obd_statfs(sr->sr_exp, &st, statfs_max_age(sr));
	return rc ?: statfs_reply(sr, &st);
}

/* Largest value that fits into a reply. */
#define INFO_MAX	(WIRE_MSG_MAX - 1024)

static int info_reply(struct ptlrpc_svc_req *sr, const void *val, u32 len)
{
	void *to;
	int rc = ptlrpc_svc_rep_size(sr, &len, 1);

	if (rc)
		return rc;
	to = ptlrpc_svc_rep_buf(sr, 0);
	if (!to)
		return -ENOMEM;
	memcpy(to, val, len);
	return 0;
}

static int handle_get_info(struct ptlrpc_svc_req *sr)
{
	const struct lustre_info *info = wire_buf(&sr->sr_msg, 1,
						  sizeof(*info));
	const char *key = wire_text(&sr->sr_msg, 0);
	u32 space = min_t(u32, le32_to_cpu(info->wi_room), INFO_MAX), len = space;
	void *val;
	int rc;

	if (!key)
		return -EPROTO;
	val = kvzalloc(max_t(u32, space, 1), GFP_KERNEL);
	if (!val)
		return -ENOMEM;
	rc = obd_get_info(sr->sr_exp, key, val, &len);
	if (!rc && WARN_ON_ONCE(len > space))
		rc = -EOVERFLOW;
	if (!rc)
		rc = info_reply(sr, val, len);
	kvfree(val);
	return rc;
}

static int handle_set_info(struct ptlrpc_svc_req *sr)
{
	const char *key = wire_text(&sr->sr_msg, 0);
	const void *val = wire_buf(&sr->sr_msg, 1, 0);

	if (!key || !val)
		return -EPROTO;
	return obd_set_info_async(sr->sr_exp, key, val, sr->sr_msg.buflens[1]);
}

static int handle_get_root(struct ptlrpc_svc_req *sr)
{
	struct lustre_fid *to = ptlrpc_svc_rep_buf(sr, 0);
	struct lu_fid fid = {};
	int rc;

	if (!to)
		return -ENOMEM;
	rc = md_get_root(sr->sr_exp, &fid);
	to->wf_seq = cpu_to_le64(fid.f_seq);
	to->wf_oid = cpu_to_le32(fid.f_oid);
	to->wf_ver = cpu_to_le32(fid.f_ver);
	return rc;
}

static int handle_enqueue(struct ptlrpc_svc_req *sr)
{
	return target_locks->tlo_enqueue(sr);
}

static bool enqueue_waits(const struct ptlrpc_svc_req *sr)
{
	return target_locks->tlo_enqueue_waits(sr);
}

#define CONNECT_OP(opc)							\
	{ .shd_opc = (opc), .shd_flags = SVH_RECOVERY,			\
	  .shd_req_lens = { 1, 1, sizeof(struct lustre_connect),	\
			    WIRE_OCD_SIZE },				\
	  .shd_rep_lens = { WIRE_OCD_SIZE },				\
	  .shd_fn = target_handle_connect }
#define DISCONNECT_OP(opc)						\
	{ .shd_opc = (opc), .shd_flags = SVH_EXPORT | SVH_RECOVERY,	\
	  .shd_fn = target_handle_disconnect }
#define STATFS_OP(opc, fn)						\
	{ .shd_opc = (opc), .shd_flags = SVH_EXPORT | SVH_RECOVERY,	\
	  .shd_req_lens = { sizeof(struct lustre_statfs_req) },	\
	  .shd_rep_lens = { sizeof(struct lustre_statfs) },		\
	  .shd_fn = (fn) }
#define GET_INFO_OP(opc)						\
	{ .shd_opc = (opc), .shd_flags = SVH_EXPORT,			\
	  .shd_req_lens = { 1, sizeof(struct lustre_info) },		\
	  .shd_fn = handle_get_info }
#define SET_INFO_OP(opc, flags)						\
	{ .shd_opc = (opc),						\
	  .shd_flags = SVH_EXPORT | SVH_ONCE | (flags),			\
	  .shd_req_lens = { 1 },					\
	  .shd_fn = handle_set_info }

#define PING_OP								\
	{ .shd_opc = OBD_PING,						\
	  .shd_flags = SVH_EXPORT_IF | SVH_QUICK | SVH_HIGH | SVH_RECOVERY, \
	  .shd_fn = handle_ping }
#define ENQUEUE_OP							\
	{ .shd_opc = LDLM_ENQUEUE,					\
	  .shd_flags = SVH_EXPORT | SVH_QUICK | SVH_ONCE,		\
	  .shd_req_lens = { sizeof(struct lustre_lock) },		\
	  .shd_rep_lens = { sizeof(struct lustre_lock) },		\
	  .shd_waits = enqueue_waits,					\
	  .shd_fn = handle_enqueue }

static const struct ptlrpc_handler ost_handlers[] = {
	CONNECT_OP(OST_CONNECT),
	DISCONNECT_OP(OST_DISCONNECT),
	STATFS_OP(OST_STATFS, handle_statfs),
	GET_INFO_OP(OST_GET_INFO),
	SET_INFO_OP(OST_SET_INFO, 0),
	ENQUEUE_OP,
	PING_OP,
};

static const struct ptlrpc_handler mdt_handlers[] = {
	CONNECT_OP(MDS_CONNECT),
	DISCONNECT_OP(MDS_DISCONNECT),
	STATFS_OP(MDS_STATFS, handle_md_statfs),
	GET_INFO_OP(MDS_GET_INFO),
	SET_INFO_OP(MDS_SET_INFO, 0),
	{ .shd_opc = MDS_GET_ROOT, .shd_flags = SVH_EXPORT,
	  .shd_rep_lens = { sizeof(struct lustre_fid) },
	  .shd_fn = handle_get_root },
	ENQUEUE_OP,
	PING_OP,
};

static const struct ptlrpc_handler mgs_handlers[] = {
	CONNECT_OP(MGS_CONNECT),
	DISCONNECT_OP(MGS_DISCONNECT),
	/*
	 * Acknowledgements of logs: a task that waits for a change waits for
	 * these.
	 */
	SET_INFO_OP(MGS_SET_INFO, SVH_QUICK),
	ENQUEUE_OP,
	PING_OP,
};

#define TARGET_SERVICE(name, params, portal, handlers)			\
	{ .psc_name = (name), .psc_params = (params),			\
	  .psc_portals = { (portal) },					\
	  .psc_threads_min = 3, .psc_threads_max = 64,			\
	  .psc_handlers = (handlers),					\
	  .psc_handler_count = ARRAY_SIZE(handlers) }

/* One for each portal, with the operations accepted there. */
static const struct ptlrpc_service_conf own_services[] = {
	TARGET_SERVICE("ost", "ost.OSS.ost", OST_REQUEST_PORTAL, ost_handlers),
	/* Of bulk data: all its operations are those of types of targets. */
	{ .psc_name = "ost_io", .psc_params = "ost.OSS.ost_io",
	  .psc_portals = { OST_IO_PORTAL },
	  .psc_threads_min = 3, .psc_threads_max = 64 },
	TARGET_SERVICE("mdt", "mds.MDS.mdt", MDS_REQUEST_PORTAL, mdt_handlers),
	TARGET_SERVICE("mgs", "mgt.MGS.mgs", MGS_REQUEST_PORTAL, mgs_handlers),
};

static struct ptlrpc_service *own[ARRAY_SIZE(own_services)];

static void services_stop(void)
{
	size_t n = ARRAY_SIZE(own);

	while (n--) {
		ptlrpc_unregister_service(own[n]);
		own[n] = NULL;
	}
}

static int services_start(void)
{
	size_t n;
	int rc = 0;

	for (n = 0; n < ARRAY_SIZE(own_services) && !rc; n++) {
		own[n] = ptlrpc_register_service(&own_services[n]);
		rc = PTR_ERR_OR_ZERO(own[n]);
	}
	if (rc)
		services_stop();
	return rc;
}

/**
 * ptlrpc_target_init() - start the services of targets
 * @locks: operations of the lock manager
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int ptlrpc_target_init(const struct target_lock_ops *locks)
{
	int rc = tgt_trans_init();

	if (rc)
		return rc;
	target_locks = locks;
	target_connect_init();
	rc = services_start();
	if (rc)
		tgt_trans_exit();
	return rc;
}

/* No target is left; waits for delayed frees. */
void ptlrpc_target_exit(void)
{
	WARN_ON_ONCE(!list_empty(&targets));
	services_stop();
	/* Exports and imports that have operations of this module. */
	obd_zombie_barrier();
	tgt_trans_exit();
}
