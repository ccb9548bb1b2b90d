/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The start of the cases of metadata targets: a tmpfs, a target over a directory in it, and a
 * client that is connected inside this kernel. The case itself sees the tree by ot.osd, without
 * the target.
 */
#ifndef _KUNIT_MDT_FIXTURE_H
#define _KUNIT_MDT_FIXTURE_H

#include <lustre_lite/lustre_md.h>
#include <lustre_lite/obd_mount.h>

#include "ptlrpc_request_fixture.h"
#include "osd_fixture.h"

#define MF_NAME		OT_NAME
#define MF_UUID		MF_NAME "_UUID"
#define MF_PARAMS	"mdt/" MF_NAME "/"
/* Name of the volume of the target; empty: it has none. */
#ifndef MF_VOLUME
#define MF_VOLUME	""
#endif
#define MF_BULK_ORDER	4
#define MF_BULK		(PAGE_SIZE << MF_BULK_ORDER)

static struct {
	bool			mounted;
	bool			registered;
	struct md_object	root;
} mf;

static struct obd_type mf_client_type = {
	.typ_name	= "kunit_mcli",
	.typ_dt_ops	= &kr_cli_ops,
	.typ_import	= &client_import_ops,
	.typ_service	= OBD_SERVICE_MDS,
};

/* Once, so that a case sees memory of its own only. */
static inline int mf_suite_init(struct kunit_suite *suite)
{
	struct obd_type *type = class_get_type("mdt");

	if (!type)
		return -ENODEV;
	class_put_type(type);
	return client_suite_init(suite);
}

static inline int mf_setup(const char *type, const char *name, const char *uuid,
			   const char *first, const char *second, struct obd_device **obd)
{
	struct lcfg_view cfg;
	int rc;

	ot.why.text[0] = '\0';
	*obd = class_attach(type, name, uuid, 0, &ot.why);
	if (IS_ERR(*obd)) {
		rc = PTR_ERR(*obd);
		*obd = NULL;
		return rc;
	}
	lcfg_init(&cfg, LCFG_SETUP, (*obd)->obd_name);
	lcfg_add_string(&cfg, first);
	lcfg_add_string(&cfg, second);
	if (!strcmp(type, "mdt") && sizeof(MF_VOLUME) > 1)
		lcfg_add_string(&cfg, MF_VOLUME);
	return class_setup(*obd, &cfg, &ot.why);
}

/* Start the target. */
static inline int mf_start(void)
{
	return mf_setup("mdt", MF_NAME, MF_UUID, MF_UUID, "0", &kr.srv);
}

static inline void mf_stop(struct kunit *test)
{
	kr_end(test, &kr.srv);
}

static inline int mf_connect(void)
{
	struct obd_uuid uuid = kt_uuid("user_UUID");
	struct obd_connect_data ocd = {};
	int rc;

	rc = mf_setup("kunit_mcli", "mcli", "mcli_UUID", MF_UUID, KR_NID, &kr.cli);
	if (rc)
		return rc;
	kr.imp = class_import_get(kr.cli->obd_cli->cl_import);
	return kt_connect_target(&kr.exp, kr.cli, &uuid, &ocd);
}

/* Without a target. */
static inline int mf_init_dir(struct kunit *test)
{
	struct path path;
	int rc;

	memset(&mf, 0, sizeof(mf));
	memset(&ot, 0, sizeof(ot));
	rc = kr_init(test);
	if (!rc)
		rc = class_register_type(&mf_client_type);
	mf.registered = !rc;
	rc = rc ?: osd_thread_start() ?: ot_mount(NULL) ?: ot_open(OSD_KIND_MDT);
	if (rc)
		return rc;
	path = ot_path();
	rc = obd_mount_register(MF_NAME, &path, obd_mount_new_instance());
	mf.mounted = !rc;
	mf.root.fid = ot.root.oo_fid;
	return rc;
}

static inline int mf_init(struct kunit *test)
{
	return mf_init_dir(test) ?: mf_start() ?: mf_connect();
}

/* End what kr_exit() would, before the directory goes. */
static inline void mf_end_devices(struct kunit *test)
{
	if (kr.exp)
		obd_disconnect(kr.exp);
	kr.exp = NULL;
	if (kr.imp)
		class_import_put(kr.imp);
	kr.imp = NULL;
	kr_end(test, &kr.cli);
	mf_stop(test);
	obd_zombie_barrier();
}

static inline void mf_exit(struct kunit *test)
{
	mf_end_devices(test);
	if (mf.mounted)
		obd_mount_unregister(MF_NAME);
	ot_close();
	ot_umount();
	if (mf.registered)
		kt_unregister(test, &mf_client_type);
	kr_exit(test);
}

/* --- calls ---------------------------------------------------------------------------- */

/* Operations and replies are large: no case has several of them on its stack by inlined calls. */

/* An operation of root on up to one object. */
static inline struct md_op_data mf_op(u32 opc, const struct md_object *obj)
{
	struct md_op_data op = { .opc = opc, .caps = ~0ULL, .umask = 022 };

	if (obj) {
		op.objects = 1;
		op.object[0] = *obj;
	}
	return op;
}

static __maybe_unused noinline struct ptlrpc_request *mf_request(const struct md_op_data *op)
{
	struct ptlrpc_request *req;
	u32 lens[MDS_REQUEST_BUFS];

	md_op_lens(op, lens);
	req = ptlrpc_request_new(kr.imp, op->opc, MDS_REQUEST_PORTAL, lens, MDS_REQUEST_BUFS);
	if (req)
		md_op_encode(req->rq_req_msg, op);
	return req;
}

/* The caller puts @req. Return: status; -EBADMSG: the reply is malformed */
static __maybe_unused noinline int mf_send(struct ptlrpc_request *req, struct md_reply *rep)
{
	int rc = ptlrpc_queue_wait(req);

	memset(rep, 0, sizeof(*rep));
	if (!rc && md_reply_decode(&req->rq_rep, rep))
		return -EBADMSG;
	return rc;
}

/* @flags: MSG_*. @rep: on success its owner calls mf_put() */
static __maybe_unused noinline int mf_call_flags(const struct md_op_data *op, u32 flags,
						 struct md_reply *rep)
{
	struct ptlrpc_request *req = mf_request(op);
	int rc;

	if (!req)
		return -ENOMEM;
	req->rq_msg_flags = flags;
	rc = mf_send(req, rep);
	if (rc)
		ptlrpc_request_put(req);
	else
		rep->req = req;
	return rc;
}

static inline int mf_call(const struct md_op_data *op, struct md_reply *rep)
{
	return mf_call_flags(op, 0, rep);
}

static inline void mf_put(struct md_reply *rep)
{
	if (rep->req)
		ptlrpc_request_put(rep->req);
	rep->req = NULL;
}

/* Status alone. */
static __maybe_unused noinline int mf_try(const struct md_op_data *op)
{
	struct md_reply rep;
	int rc = mf_call(op, &rep);

	mf_put(&rep);
	return rc;
}

static inline struct md_op_data mf_op_name(u32 opc, const struct md_object *dir, const char *name)
{
	struct md_op_data op = mf_op(opc, dir);

	op.name = name;
	op.name_len = strlen(name);
	return op;
}

/* Look @name up as root. @obj: out; zeros after a failure */
static __maybe_unused noinline int mf_lookup(const struct md_object *dir, const char *name,
					     struct md_object *obj)
{
	const struct md_op_data op = mf_op_name(MDS_GETATTR_NAME, dir, name);
	struct md_reply rep;
	int rc = mf_call(&op, &rep);

	*obj = rep.object;
	mf_put(&rep);
	return rc;
}

static inline struct md_object mf_found(struct kunit *test, const struct md_object *dir,
					const char *name)
{
	struct md_object obj;

	KUNIT_ASSERT_EQ_MSG(test, mf_lookup(dir, name, &obj), 0, "%s", name);
	return obj;
}

#endif /* _KUNIT_MDT_FIXTURE_H */
