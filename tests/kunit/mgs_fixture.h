/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Start of the cases of the management service: a service "MGS" over an empty directory, and
 * nodes: its clients over the loopback network, whose messages the case chooses.
 */
#ifndef _KUNIT_MGS_FIXTURE_H
#define _KUNIT_MGS_FIXTURE_H

#include <linux/delay.h>
#include <linux/namei.h>
#include <net/net_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/config_res.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/ptlrpc.h>
#include <uapi/lustre_lite/disk.h>
#include <uapi/lustre_lite/mgs_ioctl.h>

#include "loopback.h"
#include "obd_types.h"

#define MK_NID		"127.0.0.1@tcp"
#define MK_DIR		"mgs/MGS/"
#define MK_NODES	20
#define MK_LOG_MAX	(256 * 1024)
#define MK_SOON_MS	60000

/**
 * struct mk_node - a node
 * @obd: its client device
 * @exp: connection to the service
 * @lock: subscription, or NULL
 * @told: blocking ASTs of its lock
 */
struct mk_node {
	struct obd_device	*obd;
	struct obd_export	*exp;
	struct ldlm_lock	*lock;
	atomic_t		told;
};

static struct {
	struct obd_device	*mgs;
	struct mk_node		node[MK_NODES];
	char			dir[32];
	u8			*log;
	struct mgs_ioc_change	change;
	struct mgs_ioc_wait	wait;
	struct lustre_config_info info;
	struct lustre_target	target;
	const char		*id;
	u8			key;
	char			why[OBD_WHY_MAX];
} mk;

/*
 * Start and end.
 */

static inline int mk_mkdir(const char *name)
{
	struct dentry *dentry;
	struct path parent;
	int rc;

	dentry = compat_path_create(AT_FDCWD, name, &parent, LOOKUP_DIRECTORY);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	rc = compat_mkdir(compat_path_idmap(&parent), d_inode(parent.dentry), dentry, 0700);
	compat_path_created(&parent, dentry);
	return rc;
}

static inline void mk_service_start(struct kunit *test)
{
	mk.mgs = ty_start(test, "mgs", "MGS", "MGS", mk.dir, NULL);
}

static inline void mk_service_end(struct kunit *test)
{
	kt_end(test, mk.mgs);
	mk.mgs = NULL;
}

static inline void mk_blocking(struct ldlm_lock *lock, void *data)
{
	struct mk_node *node = data;

	atomic_inc(&node->told);
	ldlm_lock_decref(lock);
}

static const struct ldlm_callbacks mk_cbs = {
	.lcb_blocking = mk_blocking,
};

/* @nid: of the service, and of the node: the network loops back. */
static inline void mk_join_at(struct kunit *test, unsigned int n,
			      const char *nid)
{
	struct mk_node *node = &mk.node[n];
	char name[16], uuid[16];

	scnprintf(name, sizeof(name), "kunit_mk%u", n);
	scnprintf(uuid, sizeof(uuid), "mk%u_UUID", n);
	node->obd = ty_start(test, "osc", name, uuid, "MGS", nid);
	/* Subscriptions do not keep it, as the locks of a real client do. */
	WRITE_ONCE(node->obd->obd_cli->cl_import->imp_idle_ns, 0);
	node->exp = ty_connect(test, node->obd, uuid);
}

static inline void mk_join(struct kunit *test, unsigned int n)
{
	mk_join_at(test, n, MK_NID);
}

static inline void mk_leave(struct kunit *test, unsigned int n)
{
	struct mk_node *node = &mk.node[n];

	if (node->exp)
		obd_disconnect(node->exp);
	node->exp = NULL;
	if (node->lock)
		ldlm_lock_put(node->lock);
	node->lock = NULL;
	if (node->obd)
		kt_end(test, node->obd);
	node->obd = NULL;
}

static inline int mk_suite_init(struct kunit_suite *suite)
{
	struct obd_type *type = class_get_type("mgs");

	if (!type)
		return -ENODEV;
	class_put_type(type);
	return loopback_up() ?: ty_suite_init(suite);
}

static inline int mk_init(struct kunit *test)
{
	static unsigned int folders;
	int rc = obd_fixture_init(test);

	if (rc)
		return rc;
	memset(&mk, 0, sizeof(mk));
	mk.log = kvzalloc(MK_LOG_MAX, GFP_KERNEL);
	if (!mk.log)
		return -ENOMEM;
	do {
		scnprintf(mk.dir, sizeof(mk.dir), "/tmp/mgs_kunit%u",
			  folders++);
		rc = mk_mkdir(mk.dir);
	} while (rc == -EEXIST);
	if (rc)
		return rc;
	mk_service_start(test);
	return 0;
}

/*
 * Known nodes, and requests that services record, outlive a case: memory is checked when the
 * modules are removed.
 */
static inline void mk_exit(struct kunit *test)
{
	unsigned int n;

	for (n = 0; n < MK_NODES; n++)
		mk_leave(test, n);
	if (mk.mgs)
		mk_service_end(test);
	lnet_reset(&init_net, NULL);
	kvfree(mk.log);
	fixture_is_outlived();
	obd_fixture_exit(test);
}

/*
 * Messages of a node.
 */

static inline int mk_call(unsigned int n, u32 opc, const u32 *lens,
			  const void *const *bufs, unsigned int count,
			  struct ptlrpc_request **out)
{
	struct obd_import *imp = mk.node[n].obd->obd_cli->cl_import;
	struct ptlrpc_request *req;
	unsigned int i;
	int rc;

	req = ptlrpc_request_new(imp, opc, MGS_REQUEST_PORTAL, lens, count);
	if (IS_ERR_OR_NULL(req))
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		if (lens[i])
			memcpy(ptlrpc_req_buf(req, i), bufs[i], lens[i]);
	}
	rc = ptlrpc_queue_wait(req);
	*out = req;
	return rc;
}

/* A part of a log to @to; mk.info. Return: bytes, or a negative errno. */
static inline int mk_read_to(unsigned int n, const char *name, u32 type,
			     u64 epoch, u64 offset, u32 room, void *to)
{
	struct lustre_config_read body = {
		.crd_type = cpu_to_le32(type),
		.crd_size = cpu_to_le32(room),
		.crd_epoch = cpu_to_le64(epoch),
		.crd_offset = cpu_to_le64(offset),
	};
	const u32 lens[] = { sizeof(body) };
	const void *bufs[] = { &body };
	struct ptlrpc_request *req = NULL;
	const void *info;
	int rc;

	memcpy(body.crd_name, name, min(strlen(name), sizeof(body.crd_name)));
	rc = mk_call(n, MGS_CONFIG_READ, lens, bufs, 1, &req);
	if (!rc) {
		info = ptlrpc_rep_buf(req, 0, sizeof(mk.info));
		if (info && ptlrpc_rep_buf(req, 1, 0)) {
			memcpy(&mk.info, info, sizeof(mk.info));
			rc = req->rq_rep.buflens[1];
			memcpy(to, ptlrpc_rep_buf(req, 1, 0), rc);
		} else {
			rc = -EBADMSG;
		}
	}
	if (req)
		ptlrpc_request_put(req);
	return rc;
}

/* All of it. Return: bytes in mk.log, or a negative errno. */
static inline int mk_read(unsigned int n, const char *name, u32 type, u32 room)
{
	int rc, len = 0;

	do {
		rc = mk_read_to(n, name, type,
				len ? le64_to_cpu(mk.info.ci_epoch) : 0, len,
				room, mk.log + len);
		if (rc > 0)
			len += rc;
	} while (rc > 0 && len < (int)le64_to_cpu(mk.info.ci_size));
	return rc < 0 ? rc : len;
}

static inline struct lustre_config_ack mk_ack_of(const char *name, u32 type,
						 u64 generation, u32 failed)
{
	struct lustre_config_ack ack = {
		.ca_type = cpu_to_le32(type),
		.ca_epoch = mk.info.ci_epoch,
		.ca_generation = cpu_to_le64(generation),
		.ca_applied = cpu_to_le32(1),
		.ca_failed = cpu_to_le32(failed),
	};

	memcpy(ack.ca_name, name, min(strlen(name), sizeof(ack.ca_name)));
	return ack;
}

static inline int mk_ack_send(unsigned int n,
			      const struct lustre_config_ack *ack,
			      const char *text)
{
	size_t len = sizeof(*ack) + (text ? strlen(text) + 1 : 0);
	char *bytes = kzalloc(len, GFP_KERNEL);
	int rc;

	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, ack, sizeof(*ack));
	if (text)
		strscpy(bytes + sizeof(*ack), text, strlen(text) + 1);
	rc = obd_set_info_async(mk.node[n].exp, CONFIG_ACK_KEY, bytes, len);
	kfree(bytes);
	return rc;
}

static inline int mk_ack(unsigned int n, const char *name, u32 type,
			 u64 generation)
{
	struct lustre_config_ack ack = mk_ack_of(name, type, generation, 0);

	return mk_ack_send(n, &ack, NULL);
}

static inline void mk_subscribe(struct kunit *test, unsigned int n,
				const char *name, u32 type)
{
	struct mk_node *node = &mk.node[n];
	struct ldlm_res_id res;

	if (node->lock)
		ldlm_lock_put(node->lock);
	node->lock = NULL;
	KUNIT_ASSERT_EQ(test, 0, config_res_id(name, type, &res));
	KUNIT_ASSERT_EQ(test, 0,
			ldlm_cli_enqueue(node->obd, LDLM_PLAIN, &res,
					 LCK_CR, NULL, 0, &mk_cbs, node,
					 &node->lock));
}

/* It subscribes to a log, and acknowledges it. */
static inline void mk_follow(struct kunit *test, unsigned int n,
			     const char *name, u32 type)
{
	char subject[LUSTRE_MAXFSNAME + 1];
	const char *dash = strrchr(name, '-');

	strscpy(subject, name, sizeof(subject));
	if (type == CONFIG_T_CONFIG && dash)
		subject[dash - name] = '\0';
	mk_subscribe(test, n, subject, type);
	KUNIT_ASSERT_GE(test, mk_read(n, name, type, WIRE_CONFIG_MAX), 0);
	KUNIT_ASSERT_EQ(test, 0,
			mk_ack(n, name, type,
			       le64_to_cpu(mk.info.ci_generation)));
}

static inline bool mk_await_told(unsigned int n, int times)
{
	unsigned int ms;

	for (ms = 0; ms < MK_SOON_MS; ms += 20) {
		if (atomic_read(&mk.node[n].told) >= times)
			return true;
		msleep(20);
	}
	return false;
}

/* Register, as mk.id with a key of mk.key; mk.target and mk.why are the reply's. */
static inline int mk_register_at(unsigned int n, u32 flags, u32 index,
				 const char *fsname, u32 instance,
				 const char *params, unsigned int nids)
{
	struct lustre_target body = {
		.wt_flags = cpu_to_le32(flags),
		.wt_index = cpu_to_le32(index),
		.wt_instance = cpu_to_le32(instance),
		.wt_nid_count = cpu_to_le32(nids),
	};
	struct lustre_nid nid[40] = {};
	const u32 lens[] = { sizeof(body), max(nids, 1U) * sizeof(nid[0]),
			     strlen(params) + 1 };
	const void *bufs[] = { &body, nid, params };
	struct ptlrpc_request *req = NULL;
	const void *buf;
	unsigned int i;
	int rc;

	for (i = 0; i < min_t(unsigned int, nids, 40); i++)
		nid[i] = (struct lustre_nid) {
			.wn_type = 2, .wn_len = 4, .wn_addr = { 10, 0, 0, i },
		};
	memcpy(body.wt_fsname, fsname, min(strlen(fsname),
					   sizeof(body.wt_fsname)));
	if (mk.id)
		memcpy(body.wt_id, mk.id, min(strlen(mk.id),
					      sizeof(body.wt_id)));
	memset(body.wt_key, mk.key ?: 0x11, sizeof(body.wt_key));
	rc = mk_call(n, MGS_TARGET_REG, lens, bufs, 3, &req);
	memset(mk.why, 0, sizeof(mk.why));
	buf = req ? ptlrpc_rep_buf(req, 0, sizeof(mk.target)) : NULL;
	if (buf)
		memcpy(&mk.target, buf, sizeof(mk.target));
	buf = req ? ptlrpc_rep_buf(req, 1, OBD_WHY_MAX) : NULL;
	if (buf)
		memcpy(mk.why, buf, OBD_WHY_MAX - 1);
	if (req)
		ptlrpc_request_put(req);
	return rc;
}

static inline int mk_register(unsigned int n, u32 flags, u32 index,
			      const char *fsname)
{
	return mk_register_at(n, flags, index, fsname, 1, "", 1);
}

/*
 * /dev/libcfs.
 */

/* A change of up to three texts; mk.change. */
static inline int mk_change_with(struct client *c, struct mgs_ioc_change *mc,
				 u32 op, u32 flags, const char *a,
				 const char *b)
{
	char *text = kzalloc(MGS_CHANGE_ARGS_MAX, GFP_KERNEL);
	size_t len = strlen(a) + 1;
	long rc;

	if (!text)
		return -ENOMEM;
	memcpy(text, a, len);
	if (b) {
		memcpy(text + len, b, strlen(b) + 1);
		len += strlen(b) + 1;
	}
	memset(mc, 0, sizeof(*mc));
	mc->mc_hdr = (struct libcfs_ioc_hdr)CLIENT_HDR(*mc);
	mc->mc_op = op;
	mc->mc_flags = flags;
	mc->mc_args = client_at(c, CLIENT_TEXT);
	mc->mc_args_len = len;
	rc = client_put(c, CLIENT_TEXT, text, len);
	kfree(text);
	return rc ?: client_call(c, MGS_IOC_CHANGE, mc, sizeof(*mc));
}

static inline int mk_change(u32 op, u32 flags, const char *a, const char *b)
{
	return mk_change_with(fx.client, &mk.change, op, flags, a, b);
}

static inline int mk_set(const char *pattern, const char *value)
{
	return mk_change(MGS_SET_PARAM, 0, pattern, value);
}

static inline int mk_force(const char *pattern, const char *value)
{
	return mk_change(MGS_SET_PARAM, MGS_CHANGE_FORCE, pattern, value);
}

static inline int mk_wait_with(struct client *c, struct mgs_ioc_wait *mw,
			       u64 generation, u32 ms)
{
	memset(mw, 0, sizeof(*mw));
	mw->mw_hdr = (struct libcfs_ioc_hdr)CLIENT_HDR(*mw);
	mw->mw_generation = generation;
	mw->mw_timeout_ms = ms;
	return client_call(c, MGS_IOC_WAIT, mw, sizeof(*mw));
}

static inline int mk_wait(u64 generation, u32 ms)
{
	return mk_wait_with(fx.client, &mk.wait, generation, ms);
}

/* The log as the service's own node reads it, to @to. Return: bytes. */
static inline int mk_ioc_read(const char *name, void *to, u64 *size)
{
	struct mgs_ioc_read mr = {
		.mr_hdr = CLIENT_HDR(mr),
		.mr_buf = client_at(fx.client, CLIENT_BUF),
		.mr_len = MK_LOG_MAX,
	};
	int rc;

	strscpy(mr.mr_name, name, sizeof(mr.mr_name));
	rc = client_call(fx.client, MGS_IOC_READ, &mr, sizeof(mr));
	if (rc)
		return rc;
	*size = mr.mr_size;
	rc = client_get(fx.client, CLIENT_BUF, to, mr.mr_used);
	return rc ?: mr.mr_used;
}

static inline u64 mk_param(const char *name)
{
	char path[64];

	scnprintf(path, sizeof(path), MK_DIR "%s", name);
	return client_read(fx.client, path) ? ~0ULL : client_number(fx.client);
}

static inline long mk_set_param(const char *name, const char *value)
{
	char path[64];

	scnprintf(path, sizeof(path), MK_DIR "%s", name);
	return client_write(fx.client, path, value);
}

#endif /* _KUNIT_MGS_FIXTURE_H */
