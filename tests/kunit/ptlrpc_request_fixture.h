/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the cases of requests start from: obd_fixture.h, and
 *
 *	kunit_rsrv	a type of targets, whose operations are the handlers below
 *	kunit_rcli	a type of clients
 *
 * one device of each, connected inside this kernel, or over TCP with KR_TCP.
 */
#ifndef _KUNIT_PTLRPC_REQUEST_FIXTURE_H
#define _KUNIT_PTLRPC_REQUEST_FIXTURE_H

#include <linux/mm.h>
#include <net/net_namespace.h>

#include <lustre_lite/libcfs.h>
#include <lustre_lite/ptlrpc.h>
#include <lustre_lite/ptlrpc_target.h>

#include "../../ptlrpc/net/net.h"
#include "obd_fixture.h"

#define KR_NID		"127.0.0.1@tcp"

/* KR_SUITE() - the name of a suite, which may run over TCP, too */
#ifdef KR_TCP
#define KR_LOCAL	false
#define KR_SUITE(name)	name "_tcp"
#else
#define KR_LOCAL	true
#define KR_SUITE(name)	name
#endif

/* Operations of the target. */
#define KR_ECHO		900	/* gives back its buffer */
#define KR_STATUS	901	/* kr.status, so many times as it is to */
#define KR_SLOW		902	/* takes kr.slow_ms, and until kr.slow_until says so */
#define KR_ONCE		903	/* counted, and never done twice */
#define KR_READ		904	/* kr.read_len bytes of bulk data */
#define KR_WRITE	905	/* looks at the bulk data that came */

#define KR_BULK_LEN	(64 * 1024)
#define KR_PAGES	(KR_BULK_LEN / PAGE_SIZE)

static struct {
	/* the target */
	int			status;
	atomic_t		status_times;
	u64			status_xid[2];	/* of its last two requests */
	unsigned int		slow_ms;
	bool			(*slow_until)(void);
	bool			slow_may_end;
	atomic_t		running;
	atomic_t		running_max;
	u64			slow_xid;
	bool			disorder;
	atomic_t		done;
	u64			once_xid;
	void			(*on_once)(void);
	u32			read_len;
	struct bio_vec		pages[KR_PAGES];
	u32			wrote;
	/* the client */
	struct obd_device	*srv;
	struct obd_device	*cli;
	struct obd_export	*exp;
	struct obd_import	*imp;
	unsigned int		registered;
	unsigned int		at_max;
	unsigned int		timeouts;	/* before the first request */
} kr;

/* Byte @n of bulk data. */
static inline u8 kr_byte(u32 n)
{
	return n * 7 + (n >> 12);
}

/* Handlers. */

static inline int kr_echo(struct ptlrpc_svc_req *sr)
{
	u64 *to = ptlrpc_svc_rep_buf(sr, 0);

	if (!to)
		return -ENOMEM;
	memcpy(to, sr->sr_msg.bufs[0], sizeof(*to));
	return 0;
}

static inline int kr_status(struct ptlrpc_svc_req *sr)
{
	kr.status_xid[1] = kr.status_xid[0];
	kr.status_xid[0] = sr->sr_msg.xid;
	atomic_inc(&kr.done);
	return atomic_dec_if_positive(&kr.status_times) >= 0 ? kr.status : 0;
}

/* Until something has happened that takes as long as it takes. */
static inline void kr_await(bool (*happened)(void))
{
	unsigned long until = jiffies + FIXTURE_WAIT;

	while (!happened() && time_before(jiffies, until))
		msleep(20);
}

/* For slow_until: a case says when. */
static inline bool kr_slow_may_end(void)
{
	return READ_ONCE(kr.slow_may_end);
}

static inline int kr_slow(struct ptlrpc_svc_req *sr)
{
	bool (*slow_until)(void) = kr.slow_until;
	int now = atomic_inc_return(&kr.running);
	int max = atomic_read(&kr.running_max);

	while (now > max && !atomic_try_cmpxchg(&kr.running_max, &max, now))
		;
	if (sr->sr_msg.xid < kr.slow_xid)
		kr.disorder = true;
	kr.slow_xid = sr->sr_msg.xid;
	msleep(kr.slow_ms);
	if (slow_until)
		kr_await(slow_until);
	atomic_dec(&kr.running);
	atomic_inc(&kr.done);
	return 0;
}

static inline int kr_once(struct ptlrpc_svc_req *sr)
{
	void (*then)(void) = kr.on_once;

	kr.once_xid = sr->sr_msg.xid;
	atomic_inc(&kr.done);
	kr.on_once = NULL;
	if (then)
		then();
	return 0;
}

static inline int kr_read(struct ptlrpc_svc_req *sr)
{
	u32 nr = DIV_ROUND_UP(kr.read_len, PAGE_SIZE), n;
	struct bio_vec *vec = kmalloc_array(nr, sizeof(*vec), GFP_KERNEL);

	if (!vec)
		return -ENOMEM;
	for (n = 0; n < nr; n++) {
		vec[n] = kr.pages[n % KR_PAGES];
		get_page(vec[n].bv_page);
	}
	vec[nr - 1].bv_len -= nr * PAGE_SIZE - kr.read_len;
	sr->sr_rep_bulk = vec;
	sr->sr_rep_bulk_nr = nr;
	sr->sr_rep_bulk_len = kr.read_len;
	sr->sr_rep_bulk_owned = true;
	return 0;
}

/* Bytes of @vec that are what they should be, from the first on. */
static inline u32 kr_right(const struct bio_vec *vec, unsigned int nr)
{
	u32 at = 0, n, i;
	const u8 *from;

	for (n = 0; n < nr; n++) {
		from = page_address(vec[n].bv_page) + vec[n].bv_offset;
		for (i = 0; i < vec[n].bv_len; i++, at++)
			if (from[i] != kr_byte(at))
				return at;
	}
	return at;
}

static inline int kr_write(struct ptlrpc_svc_req *sr)
{
	kr.wrote = kr_right(sr->sr_bulk, sr->sr_bulk_nr);
	return kr.wrote == sr->sr_bulk_len ? 0 : -EBADMSG;
}

#define KR_OP(opc, flags, fn)						\
	.shd_opc = (opc), .shd_portal = OST_REQUEST_PORTAL,		\
	.shd_flags = SVH_EXPORT | (flags), .shd_fn = (fn)

static const struct ptlrpc_handler kr_handlers[] = {
	{ KR_OP(KR_ECHO, SVH_QUICK, kr_echo),
	  .shd_req_lens = { 8 }, .shd_rep_lens = { 8 } },
	{ KR_OP(KR_STATUS, 0, kr_status) },
	{ KR_OP(KR_SLOW, 0, kr_slow) },
	{ KR_OP(KR_ONCE, SVH_ONCE, kr_once) },
	{ KR_OP(KR_READ, 0, kr_read) },
	{ KR_OP(KR_WRITE, SVH_BULK_IN, kr_write) },
};

static const struct ptlrpc_target_ops kr_target_ops = {
	.to_handlers = kr_handlers,
	.to_handler_count = ARRAY_SIZE(kr_handlers),
};

/* Types. */

static inline int kr_srv_setup(struct obd_device *obd,
			       const struct lcfg_view *cfg, struct obd_why *why)
{
	return ptlrpc_target_start(obd, why);
}

static inline int kr_srv_precleanup(struct obd_device *obd)
{
	ptlrpc_target_stop(obd);
	return 0;
}

static inline int kr_srv_cleanup(struct obd_device *obd)
{
	return 0;
}

static inline int kr_srv_reconnect(struct obd_export *exp,
				   struct obd_device *obd,
				   const struct obd_uuid *uuid,
				   struct obd_connect_data *ocd)
{
	return 0;
}

static const struct obd_ops kr_srv_ops = {
	.o_owner = THIS_MODULE,
	.o_setup = kr_srv_setup,
	.o_precleanup = kr_srv_precleanup,
	.o_cleanup = kr_srv_cleanup,
	.o_connect = kt_connect,
	.o_reconnect = kr_srv_reconnect,
	.o_disconnect = class_disconnect,
};

static inline int kr_cli_setup(struct obd_device *obd,
			       const struct lcfg_view *cfg, struct obd_why *why)
{
	struct client_obd *cli = libcfs_zalloc(sizeof(*cli), GFP_KERNEL);
	int rc;

	if (!cli)
		return -ENOMEM;
	rc = client_obd_setup(obd, cli, cfg, why);
	if (rc)
		libcfs_free(cli, sizeof(*cli));
	return rc;
}

static inline int kr_cli_cleanup(struct obd_device *obd)
{
	struct client_obd *cli = obd->obd_cli;

	client_obd_cleanup(obd);
	libcfs_free(cli, sizeof(*cli));
	return 0;
}

static inline int kr_cli_event(struct obd_device *obd, struct obd_import *imp,
			       enum obd_import_event event)
{
	return 0;
}

static const struct obd_ops kr_cli_ops = {
	.o_owner = THIS_MODULE,
	.o_setup = kr_cli_setup,
	.o_precleanup = client_obd_precleanup,
	.o_cleanup = kr_cli_cleanup,
	.o_connect = client_connect_import,
	.o_disconnect = client_disconnect_export,
	.o_import_event = kr_cli_event,
};

static struct obd_type kr_types[] = {
	{ .typ_name = "kunit_rsrv", .typ_dt_ops = &kr_srv_ops,
	  .typ_target = &kr_target_ops },
	{ .typ_name = "kunit_rcli", .typ_dt_ops = &kr_cli_ops,
	  .typ_import = &client_import_ops, .typ_service = OBD_SERVICE_OST },
};

/* Start and end of a case. */

static inline struct obd_device *kr_start(struct kunit *test, const char *type,
					  const char *name, const char *uuid,
					  bool client)
{
	struct obd_device *obd = class_attach(type, name, uuid, 0, NULL);
	struct obd_why why = {};
	struct lcfg_view cfg;
	int rc;

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(obd));
	lcfg_init(&cfg, LCFG_SETUP, obd->obd_name);
	if (client) {
		lcfg_add_string(&cfg, "rsrv_UUID");
		lcfg_add_string(&cfg, KR_NID);
	}
	rc = class_setup(obd, &cfg, &why);
	KUNIT_ASSERT_EQ_MSG(test, rc, 0, "%s", why.text);
	return obd;
}

static inline int kr_pages_make(void)
{
	u32 n, i;
	u8 *to;

	for (n = 0; n < KR_PAGES; n++) {
		kr.pages[n].bv_page = alloc_page(GFP_KERNEL);
		if (!kr.pages[n].bv_page)
			return -ENOMEM;
		kr.pages[n].bv_len = PAGE_SIZE;
		to = page_address(kr.pages[n].bv_page);
		for (i = 0; i < PAGE_SIZE; i++)
			to[i] = kr_byte(n * PAGE_SIZE + i);
	}
	return 0;
}

static inline int kr_init(struct kunit *test)
{
	struct lnet_nid nid;
	int rc = obd_fixture_init(test);

	memset(&kr, 0, sizeof(kr));
	kr.at_max = at_max;
	lnet_settings.lns_local_conn = KR_LOCAL;
	while (!rc && kr.registered < ARRAY_SIZE(kr_types)) {
		rc = class_register_type(&kr_types[kr.registered]);
		kr.registered += !rc;
	}
	rc = rc ?: libcfs_nid_parse(KR_NID, strlen(KR_NID), &nid, NULL) ?:
	     class_add_uuid(0, KR_NID, &nid) ?: kr_pages_make();
	return rc;
}

/* A target, a client, and between them a connection. */
static inline void kr_connect(struct kunit *test)
{
	struct obd_uuid uuid = kt_uuid("user_UUID");
	struct obd_connect_data ocd = {};

	kr.srv = kr_start(test, "kunit_rsrv", "rsrv", "rsrv_UUID", false);
	kr.cli = kr_start(test, "kunit_rcli", "rcli", "rcli_UUID", true);
	kr.imp = class_import_get(kr.cli->obd_cli->cl_import);
	KUNIT_ASSERT_EQ(test, kt_connect_target(&kr.exp, kr.cli, &uuid, &ocd), 0);
	KUNIT_ASSERT_EQ(test, (u32)kr.imp->imp_state, (u32)LUSTRE_IMP_FULL);
	kr.timeouts = atomic_read(&kr.imp->imp_timeouts);
}

/* Requests of the case without an answer in time, as on a stalled host: sent once more. */
static inline unsigned int kr_timeouts(void)
{
	return atomic_read(&kr.imp->imp_timeouts) - kr.timeouts;
}

/* So many connects, and no more of them than answers came too late. */
static inline bool kr_connects_are(u32 connects)
{
	u32 now = READ_ONCE(kr.imp->imp_conn_cnt);

	return now >= connects && now <= connects + kr_timeouts();
}

static inline void kr_end(struct kunit *test, struct obd_device **obd)
{
	if (!*obd)
		return;
	kt_end(test, *obd);
	*obd = NULL;
}

/*
 * Nodes that are known, and what services write down of requests, outlive a case:
 * it is when the modules go that nothing may be left.
 */
static inline void kr_exit(struct kunit *test)
{
	u32 n;

	at_max = kr.at_max;
	lnet_settings.lns_local_conn = true;
	if (kr.exp)
		obd_disconnect(kr.exp);
	if (kr.imp) {
		/* Every request has given back what it had. */
		KUNIT_EXPECT_EQ(test, atomic_read(&kr.imp->imp_inflight), 0);
		class_import_put(kr.imp);
	}
	kr_end(test, &kr.cli);
	kr_end(test, &kr.srv);
	class_del_uuid(NULL);
	lnet_reset(&init_net, NULL);
	for (n = 0; n < KR_PAGES; n++)
		if (kr.pages[n].bv_page)
			put_page(kr.pages[n].bv_page);
	obd_zombie_barrier();
	while (kr.registered)
		kt_unregister(test, &kr_types[--kr.registered]);
	fixture_is_outlived();
	obd_fixture_exit(test);
}

/* Requests. */

static inline struct ptlrpc_request *kr_new(struct kunit *test, u32 opc)
{
	static const u32 lens[] = { 8 };
	struct ptlrpc_request *req;

	req = ptlrpc_request_new(kr.imp, opc, OST_REQUEST_PORTAL, lens,
				 opc == KR_ECHO);
	KUNIT_ASSERT_TRUE(test, req != NULL);
	return req;
}

/* Make, send, wait, forget. */
static inline int kr_call(struct kunit *test, u32 opc)
{
	struct ptlrpc_request *req = kr_new(test, opc);
	int rc = ptlrpc_queue_wait(req);

	ptlrpc_request_put(req);
	return rc;
}

/* A set of @count slow ones. */
static inline struct ptlrpc_request_set *kr_set(struct kunit *test, unsigned int count)
{
	struct ptlrpc_request_set *set = ptlrpc_set_new();
	struct ptlrpc_request *req;

	KUNIT_ASSERT_TRUE(test, set != NULL);
	while (count--) {
		req = kr_new(test, KR_SLOW);
		ptlrpc_set_add(set, req);
		ptlrpc_request_put(req);
	}
	return set;
}

/* Whether its maker alone holds it: the network may hold it for a moment after the answer. */
static inline bool kr_is_held_once(struct ptlrpc_request *req)
{
	unsigned long until = jiffies + FIXTURE_WAIT;

	while (refcount_read(&req->rq_refcount) != 1 && time_before(jiffies, until))
		msleep(20);
	return refcount_read(&req->rq_refcount) == 1;
}

static inline void kr_reset(void)
{
	lnet_reset(&init_net, NULL);
}

#define KR_EXPECT_PHASE(test, req, phase)				\
	KUNIT_EXPECT_STREQ(test, rq_phase_name((req)->rq_phase),	\
			   rq_phase_name(RQ_##phase))

#endif /* _KUNIT_PTLRPC_REQUEST_FIXTURE_H */
