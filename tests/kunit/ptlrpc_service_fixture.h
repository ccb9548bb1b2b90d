/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the cases of services start from: a target "kunit_tgt", so that this node
 * listens, and a service of portal KS_PORTAL, kunit_svc.ks, with operations
 *
 *	KS_ECHO		sends its buffer back
 *	KS_WAIT		waits in ks.gate
 *	KS_FIRST	... and goes before others
 *	KS_QUICK	says whether the reader ran it
 *	KS_BULK		takes bulk data
 *
 * and, for clients of the target, KS_ONCE, which counts, and waits in ks.gate too.
 */
#ifndef _KUNIT_PTLRPC_SERVICE_FIXTURE_H
#define _KUNIT_PTLRPC_SERVICE_FIXTURE_H

#include <linux/delay.h>

#include <lustre_lite/ptlrpc_target.h>
#include <lustre_lite/ptlrpc_test_point.h>

#include "loopback.h"
#include "obd_fixture.h"
#include "wire_peer.h"

#include "../../ptlrpc/service/service.h"

#define KS_PORTAL	60
#define KS_DIR		"kunit_svc/ks/"
#define KS_TARGET	"kunit_tgt_UUID"
#define KS_ORDER	32

enum {
	KS_ECHO = 3001,
	KS_WAIT,
	KS_FIRST,
	KS_QUICK,
	KS_BULK,
	KS_ONCE,
};

static struct {
	struct obd_device	*obd;
	struct ptlrpc_service	*svc;
	struct wire_peer	*wp;
	struct completion	gate;
	atomic_t		entered;
	atomic_t		once;
	u64			order[KS_ORDER];
	atomic_t		order_count;
	struct task_struct	*quick_task;
	u32			bulk_len;
	u64			xid;
	bool			registered;
} ks;

/* Operations. */

static inline int ks_echo(struct ptlrpc_svc_req *sr)
{
	u32 len = sr->sr_msg.buflens[0];
	int rc = ptlrpc_svc_rep_size(sr, &len, 1);
	void *to = rc ? NULL : ptlrpc_svc_rep_buf(sr, 0);

	if (!to)
		return -ENOMEM;
	memcpy(to, sr->sr_msg.bufs[0], len);
	return 0;
}

static inline int ks_wait(struct ptlrpc_svc_req *sr)
{
	unsigned int n = atomic_inc_return(&ks.order_count) - 1;

	if (n < KS_ORDER)
		ks.order[n] = sr->sr_msg.xid;
	atomic_inc(&ks.entered);
	wait_for_completion_timeout(&ks.gate, FIXTURE_WAIT);
	return 0;
}

static inline int ks_quick(struct ptlrpc_svc_req *sr)
{
	ks.quick_task = current;
	return 0;
}

static inline int ks_bulk(struct ptlrpc_svc_req *sr)
{
	unsigned int n;

	ks.bulk_len = 0;
	for (n = 0; n < sr->sr_bulk_nr; n++)
		ks.bulk_len += sr->sr_bulk[n].bv_len;
	return ks.bulk_len == sr->sr_bulk_len ? 0 : -EBADMSG;
}

static inline int ks_once(struct ptlrpc_svc_req *sr)
{
	__le64 *to = ptlrpc_svc_rep_buf(sr, 0);

	if (!to)
		return -ENOMEM;
	*to = cpu_to_le64(atomic_inc_return(&ks.once));
	return sr->sr_msg.op_flags ? ks_wait(sr) : 0;
}

static const struct ptlrpc_handler ks_handlers[] = {
	{ .shd_opc = KS_BULK, .shd_flags = SVH_BULK_IN, .shd_fn = ks_bulk },
	{ .shd_opc = KS_ECHO, .shd_req_lens = { 1 }, .shd_fn = ks_echo },
	{ .shd_opc = KS_QUICK, .shd_flags = SVH_QUICK, .shd_fn = ks_quick },
	{ .shd_opc = KS_WAIT, .shd_fn = ks_wait },
	{ .shd_opc = KS_FIRST, .shd_flags = SVH_HIGH, .shd_fn = ks_wait },
	{ .shd_opc = OBD_PING, .shd_flags = SVH_EXPORT, .shd_fn = ks_quick },
};

static const struct ptlrpc_handler ks_target_handlers[] = {
	{ .shd_opc = KS_ONCE, .shd_portal = KS_PORTAL,
	  .shd_flags = SVH_EXPORT | SVH_ONCE,
	  .shd_rep_lens = { 8 }, .shd_fn = ks_once },
};

/* The target. */

static inline int ks_setup(struct obd_device *obd, const struct lcfg_view *cfg,
			   struct obd_why *why)
{
	return ptlrpc_target_start(obd, why);
}

static inline int ks_precleanup(struct obd_device *obd)
{
	ptlrpc_target_stop(obd);
	return 0;
}

static inline int ks_cleanup(struct obd_device *obd)
{
	return 0;
}

static inline int ks_statfs(struct obd_export *exp, struct obd_statfs *st,
			    u64 max_age)
{
	st->os_blocks = 42;
	return 0;
}

static const struct obd_ops ks_ops = {
	.o_owner = THIS_MODULE,
	.o_setup = ks_setup,
	.o_precleanup = ks_precleanup,
	.o_cleanup = ks_cleanup,
	.o_connect = kt_connect,
	.o_disconnect = class_disconnect,
	.o_statfs = ks_statfs,
};

static const struct ptlrpc_target_ops ks_target_ops = {
	.to_handlers = ks_target_handlers,
	.to_handler_count = ARRAY_SIZE(ks_target_handlers),
};

static struct obd_type ks_type = {
	.typ_name = "kunit_tgt",
	.typ_dt_ops = &ks_ops,
	.typ_target = &ks_target_ops,
};

static const struct ptlrpc_service_conf ks_conf = {
	.psc_name = "ks",
	.psc_params = "kunit_svc.ks",
	.psc_portals = { KS_PORTAL },
	.psc_threads_min = 1,
	.psc_threads_max = 4,
	.psc_handlers = ks_handlers,
	.psc_handler_count = ARRAY_SIZE(ks_handlers),
};

static inline int ks_target_make(struct kunit *test)
{
	struct lcfg_view cfg;

	ks.obd = class_attach("kunit_tgt", "kunit_tgt", KS_TARGET, 0, NULL);
	if (IS_ERR(ks.obd))
		return PTR_ERR(ks.obd);
	lcfg_init(&cfg, LCFG_SETUP, ks.obd->obd_name);
	return class_setup(ks.obd, &cfg, NULL);
}

/* What the network keeps of this namespace is there before memory is counted. */
static inline int ks_suite_init(struct kunit_suite *suite)
{
	int rc = client_suite_init(suite);

	rc = rc ?: loopback_up();
	rc = rc ?: lnet_listen(&init_net, NULL);
	if (!rc)
		lnet_unlisten(&init_net);
	return rc;
}

static inline int ks_init(struct kunit *test)
{
	int rc = obd_fixture_init(test);

	if (rc)
		return rc;
	memset(&ks, 0, sizeof(ks));
	init_completion(&ks.gate);
	ks.xid = 1000;
	rc = class_register_type(&ks_type);
	ks.registered = !rc;
	rc = rc ?: ks_target_make(test);
	if (rc)
		return rc;
	ks.svc = ptlrpc_register_service(&ks_conf);
	if (IS_ERR(ks.svc))
		return PTR_ERR(ks.svc);
	ks.wp = wire_peer_open(test);
	return 0;
}

static inline void ks_exit(struct kunit *test)
{
	complete_all(&ks.gate);
	wire_peer_close(ks.wp);
	ptlrpc_unregister_service(ks.svc);
	if (!IS_ERR_OR_NULL(ks.obd)) {
		KUNIT_EXPECT_EQ(test, class_manual_cleanup(ks.obd, true, NULL),
				0);
		class_decref(ks.obd, OBD_REF_LOOKUP);
	}
	obd_zombie_barrier();
	if (ks.registered)
		kt_unregister(test, &ks_type);
	obd_fixture_exit(test);
}

static inline u64 ks_param(const char *name)
{
	char path[64];

	scnprintf(path, sizeof(path), KS_DIR "%s", name);
	return client_read(fx.client, path) ? ~0ULL : client_number(fx.client);
}

static inline long ks_set(const char *name, const char *value)
{
	char path[64];

	scnprintf(path, sizeof(path), KS_DIR "%s", name);
	return client_write(fx.client, path, value);
}

/* Messages. */

static inline struct wire_msg ks_msg(u32 opc)
{
	return (struct wire_msg) {
		.type = PTL_RPC_MSG_REQUEST, .opc = opc, .xid = ks.xid++,
		.portal = KS_PORTAL, .timeout = 100, .conn_cnt = 1,
	};
}

/* Send one without buffers. Return: its xid. */
static inline u64 ks_send(struct kunit *test, struct wire_msg msg)
{
	KUNIT_ASSERT_EQ(test, wire_peer_send(ks.wp, &msg, NULL, NULL, 0, 0), 0);
	return msg.xid;
}

/* Send it, and wait for the answer. Return: its status. */
static inline int ks_call(struct kunit *test, struct wire_msg msg)
{
	ks_send(test, msg);
	KUNIT_ASSERT_EQ(test, wire_peer_recv(ks.wp), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.xid, msg.xid);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.opc, msg.opc);
	return ks.wp->rep.status;
}

/* Until so many handlers came to the gate. */
static inline void ks_await(struct kunit *test, int count)
{
	unsigned long end = jiffies + FIXTURE_WAIT;

	while (atomic_read(&ks.entered) < count && time_before(jiffies, end))
		msleep(20);
	KUNIT_ASSERT_EQ(test, atomic_read(&ks.entered), count);
}

/* Until the service has counted so often. */
static inline void ks_await_counted(struct kunit *test, enum svc_stat what,
				    u64 count)
{
	unsigned long end = jiffies + FIXTURE_WAIT;
	struct params_counter counter = {};

	do {
		KUNIT_ASSERT_EQ(test, params_stats_read(ks.svc->svc_stats, what,
							&counter), 0);
		if (counter.pc_count >= count)
			break;
		msleep(20);
	} while (time_before(jiffies, end));
	KUNIT_ASSERT_EQ(test, counter.pc_count, count);
}

/* Until so many requests were queued, be it that a thread took them at once. */
static inline void ks_await_queued(struct kunit *test, u64 count)
{
	ks_await_counted(test, SVC_STAT_QDEPTH, count);
}

/* A connect of client @client, whose import has cookie @import. */
static inline int ks_connect_as(struct kunit *test, struct wire_msg msg,
				const char *target, const char *client,
				u64 import)
{
	char target_uuid[40] = "", client_uuid[40] = "";
	struct lustre_connect co = { .co_import = cpu_to_le64(import) };
	struct obd_connect_data ocd = {};
	u8 wire_ocd[WIRE_OCD_SIZE];
	const u32 lens[] = { 40, 40, sizeof(co), sizeof(wire_ocd) };
	const void *bufs[] = { target_uuid, client_uuid, &co, wire_ocd };

	strscpy(target_uuid, target, sizeof(target_uuid));
	strscpy(client_uuid, client, sizeof(client_uuid));
	wire_ocd_encode(wire_ocd, &ocd);
	msg.opc = OST_CONNECT;
	msg.portal = OST_REQUEST_PORTAL;
	KUNIT_ASSERT_EQ(test, wire_peer_send(ks.wp, &msg, lens, bufs, 4, 0), 0);
	KUNIT_ASSERT_EQ(test, wire_peer_recv(ks.wp), 0);
	KUNIT_EXPECT_EQ(test, ks.wp->rep.xid, msg.xid);
	return ks.wp->rep.status;
}

/* Return: cookie of the client's export. */
static inline u64 ks_connect(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test,
			ks_connect_as(test, ks_msg(OST_CONNECT), KS_TARGET,
				      "client_UUID", 77), 0);
	KUNIT_EXPECT_NE(test, ks.wp->rep.handle, 0ULL);
	return ks.wp->rep.handle;
}

static inline struct wire_msg ks_once_msg(u64 handle)
{
	struct wire_msg msg = ks_msg(KS_ONCE);

	msg.handle = handle;
	return msg;
}

/* What KS_ONCE counted, in the answer that came. */
static inline u64 ks_once_count(void)
{
	const __le64 *count = wire_buf(&ks.wp->rep, 0, sizeof(*count));

	return count ? le64_to_cpu(*count) : 0;
}

#endif /* _KUNIT_PTLRPC_SERVICE_FIXTURE_H */
