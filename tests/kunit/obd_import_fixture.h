/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the cases of imports start from: obd_fixture.h, and
 *
 *	kunit_srv	a type of targets, which grants what it is told to
 *	kunit_cli	a type of clients, whose import events are kept
 *	kunit_up	a type of devices above, which keeps what it is notified of
 *
 * and a stand-in for targets at the NIDs of network tcp77, which answers as told.
 */
#ifndef _KUNIT_OBD_IMPORT_FIXTURE_H
#define _KUNIT_OBD_IMPORT_FIXTURE_H

#include <lustre_lite/libcfs.h>

#include "obd_fixture.h"

#include "../../ptlrpc/rpc/import.h"

#define KI_EVENTS	32
#define KI_TRIES	32
#define KI_LO		"0@lo"

static struct {
	/* targets */
	u64			grant;
	u64			grant_more;
	u64			grant_more2;
	int			connect_rc;
	int			statfs_rc;
	struct gate		*statfs_gate;
	unsigned int		connects;
	unsigned int		reconnects;
	unsigned int		disconnects;
	unsigned int		cleanups;
	u32			value;
	/* clients, and devices above */
	enum obd_import_event	events[KI_EVENTS];
	unsigned int		event_count;
	atomic_t		telling;
	bool			overlapped;
	enum obd_notify_event	notices[KI_EVENTS];
	unsigned int		notice_count;
	void			(*on_event)(struct obd_import *imp,
					    enum obd_import_event event);
	/* the stand-in */
	char			tried[KI_TRIES][LNET_NID_TEXT_MAX];
	unsigned int		try_count;
	const char		*answers;	/* NIDs, each followed by a blank */
	int			answer_rc;
	int			network_rc;	/* of nodes that do not answer */
	enum obd_import_event	last_event;
	u64			cookie;
	bool			replay;
	int			replay_rc;
	unsigned int		replays;
	struct gate		*connect_gate;
	unsigned int		drops;
	unsigned int		goodbyes;
	int			goodbye_rc;
	unsigned int		registered;
} ki;

/* Targets. */

static inline int ki_srv_setup(struct obd_device *obd,
			       const struct lcfg_view *cfg, struct obd_why *why)
{
	return 0;
}

static inline int ki_srv_cleanup(struct obd_device *obd)
{
	ki.cleanups++;
	return 0;
}

static inline void ki_srv_grant(struct obd_export *exp,
				struct obd_connect_data *ocd)
{
	ocd->ocd_connect_flags &= ki.grant;
	ocd->ocd_connect_flags |= ki.grant_more;
	spin_lock(&exp->exp_lock);
	exp->exp_connect_data = *ocd;
	spin_unlock(&exp->exp_lock);
}

static inline int ki_srv_connect(struct obd_export **exp,
				 struct obd_device *obd,
				 const struct obd_uuid *uuid,
				 const struct lnet_nid *nid,
				 struct obd_connect_data *ocd)
{
	static const struct lnet_nid lo = { .nid_type = LNET_LO, .nid_len = 4 };
	struct lustre_handle conn;
	int rc = ki.connect_rc ?: class_connect(&conn, obd, uuid, &lo);

	if (rc)
		return rc;
	*exp = class_conn2export(conn.cookie);
	if (!*exp)
		return -ENOTCONN;
	ki.connects++;
	ki_srv_grant(*exp, ocd);
	return 0;
}

static inline int ki_srv_reconnect(struct obd_export *exp,
				   struct obd_device *obd,
				   const struct obd_uuid *uuid,
				   struct obd_connect_data *ocd)
{
	ki.reconnects++;
	ki_srv_grant(exp, ocd);
	return 0;
}

static inline int ki_srv_disconnect(struct obd_export *exp)
{
	ki.disconnects++;
	return class_disconnect(exp);
}

static inline int ki_srv_statfs(struct obd_export *exp, struct obd_statfs *st,
				u64 max_age)
{
	kt_pass(ki.statfs_gate);
	st->os_blocks = 77;
	return ki.statfs_rc;
}

static inline int ki_srv_get_info(struct obd_export *exp, const char *key,
				  void *val, u32 *vallen)
{
	if (strcmp(key, "value") || *vallen < sizeof(ki.value))
		return -EINVAL;
	memcpy(val, &ki.value, sizeof(ki.value));
	*vallen = sizeof(ki.value);
	return 0;
}

static inline int ki_srv_set_info(struct obd_export *exp, const char *key,
				  const void *val, u32 vallen)
{
	if (strcmp(key, "value") || vallen != sizeof(ki.value))
		return -EINVAL;
	memcpy(&ki.value, val, sizeof(ki.value));
	return 0;
}

static const struct obd_ops ki_srv_ops = {
	.o_owner = THIS_MODULE,
	.o_setup = ki_srv_setup,
	.o_cleanup = ki_srv_cleanup,
	.o_connect = ki_srv_connect,
	.o_reconnect = ki_srv_reconnect,
	.o_disconnect = ki_srv_disconnect,
	.o_statfs = ki_srv_statfs,
	.o_get_info = ki_srv_get_info,
	.o_set_info_async = ki_srv_set_info,
};

/* Clients. */

static inline int ki_cli_setup(struct obd_device *obd,
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

static inline int ki_cli_cleanup(struct obd_device *obd)
{
	struct client_obd *cli = obd->obd_cli;

	client_obd_cleanup(obd);
	libcfs_free(cli, sizeof(*cli));
	return 0;
}

static inline int ki_cli_event(struct obd_device *obd, struct obd_import *imp,
			       enum obd_import_event event)
{
	if (atomic_inc_return(&ki.telling) != 1)
		ki.overlapped = true;
	ki.last_event = event;
	if (ki.event_count < KI_EVENTS)
		ki.events[ki.event_count++] = event;
	if (ki.on_event)
		ki.on_event(imp, event);
	atomic_dec(&ki.telling);
	return 0;
}

static const struct obd_ops ki_cli_ops = {
	.o_owner = THIS_MODULE,
	.o_setup = ki_cli_setup,
	.o_precleanup = client_obd_precleanup,
	.o_cleanup = ki_cli_cleanup,
	.o_connect = client_connect_import,
	.o_disconnect = client_disconnect_export,
	.o_add_conn = client_import_add_conn,
	.o_del_conn = client_import_del_conn,
	.o_get_info = client_get_info,
	.o_set_info_async = client_set_info,
	.o_statfs = client_statfs,
	.o_import_event = ki_cli_event,
};

/* Devices above. */

static inline int ki_up_notify(struct obd_device *obd,
			       struct obd_device *watched,
			       enum obd_notify_event event)
{
	if (ki.notice_count < KI_EVENTS)
		ki.notices[ki.notice_count++] = event;
	return 0;
}

static inline int ki_up_cleanup(struct obd_device *obd)
{
	return 0;
}

static const struct obd_ops ki_up_ops = {
	.o_owner = THIS_MODULE,
	.o_setup = ki_srv_setup,
	.o_cleanup = ki_up_cleanup,
	.o_notify = ki_up_notify,
};

static struct obd_type ki_types[] = {
	{ .typ_name = "kunit_srv", .typ_dt_ops = &ki_srv_ops },
	{ .typ_name = "kunit_cli", .typ_dt_ops = &ki_cli_ops,
	  .typ_import = &client_import_ops },
	{ .typ_name = "kunit_up", .typ_dt_ops = &ki_up_ops },
};

/* The stand-in. */

static inline bool ki_reaches(const struct lnet_nid *nid)
{
	return nid->nid_type == LNET_TCP && nid->nid_net == 77;
}

static inline int ki_connect_target(struct obd_import *imp,
				const struct lnet_nid *nid,
				struct import_answer *answer)
{
	struct obd_connect_data *ocd = &answer->ia_data;
	char text[LNET_NID_TEXT_MAX + 1];

	kt_pass(ki.connect_gate);
	libcfs_nid_print(nid, text, LNET_NID_TEXT_MAX);
	if (ki.try_count < KI_TRIES)
		strscpy(ki.tried[ki.try_count++], text, LNET_NID_TEXT_MAX);
	strcat(text, " ");
	if (!ki.answers || !strstr(ki.answers, text)) {
		if (ki.network_rc)
			answer->ia_reason = "the node says no";
		return ki.network_rc ?: -ETIMEDOUT;
	}
	answer->ia_refused = ki.answer_rc;
	if (ki.answer_rc)
		return ki.answer_rc;
	ocd->ocd_connect_flags &= ki.grant;
	ocd->ocd_connect_flags |= ki.grant_more;
	ocd->ocd_connect_flags2 |= ki.grant_more2;
	answer->ia_remote.cookie = ki.cookie;
	answer->ia_replay = ki.replay;
	answer->ia_replayable = ki.replay;
	return atomic_read(&imp->imp_cancel) ? -ECANCELED : 0;
}

static inline int ki_replay(struct obd_import *imp)
{
	ki.replays++;
	if (ki.replay_rc)
		return ki.replay_rc;
	return import_set_state(imp, LUSTRE_IMP_REPLAY_LOCKS) ?:
	       import_set_state(imp, LUSTRE_IMP_REPLAY_WAIT);
}

static inline int ki_disconnect_target(struct obd_import *imp, bool failed)
{
	if (failed) {
		ki.drops++;
		return 0;
	}
	ki.goodbyes++;
	return ki.goodbye_rc;
}

static inline int ki_statfs(struct obd_import *imp, struct obd_statfs *st)
{
	kt_pass(ki.statfs_gate);
	return ki.statfs_rc;
}

static const struct loopback_stand_in ki_stand_in = {
	.reaches = ki_reaches,
	.connect = ki_connect_target,
	.replay = ki_replay,
	.disconnect = ki_disconnect_target,
	.statfs = ki_statfs,
};

/* Start and end of a case. */

static inline int import_fixture_init(struct kunit *test)
{
	int rc = obd_fixture_init(test);

	memset(&ki, 0, sizeof(ki));
	ki.grant = ~0ULL;
	ki.cookie = 1;
	while (!rc && ki.registered < ARRAY_SIZE(ki_types)) {
		rc = class_register_type(&ki_types[ki.registered]);
		if (!rc)
			ki.registered++;
	}
	loopback_stand_in = &ki_stand_in;
	return rc;
}

static inline void import_fixture_exit(struct kunit *test)
{
	/* Events are serialized, also those of different causes. */
	KUNIT_EXPECT_FALSE(test, ki.overlapped);
	class_del_uuid(NULL);
	while (ki.registered)
		kt_unregister(test, &ki_types[--ki.registered]);
	obd_fixture_exit(test);
	loopback_stand_in = NULL;
}

static inline struct obd_device *ki_attach(struct kunit *test, const char *type,
					   const char *name, const char *uuid)
{
	struct obd_device *obd = class_attach(type, name, uuid, 0, NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(obd));
	return obd;
}

static inline int ki_set_up(struct obd_device *obd, const char *target,
			    const char *server, struct obd_why *why)
{
	struct lcfg_view cfg;

	lcfg_init(&cfg, LCFG_SETUP, obd->obd_name);
	if (target)
		lcfg_add_string(&cfg, target);
	if (server)
		lcfg_add_string(&cfg, server);
	return class_setup(obd, &cfg, why);
}

static inline struct obd_device *ki_start_target(struct kunit *test)
{
	struct obd_device *obd = ki_attach(test, "kunit_srv", "srv", "srv_UUID");

	KUNIT_ASSERT_EQ(test, ki_set_up(obd, NULL, NULL, NULL), 0);
	return obd;
}

static inline struct obd_device *ki_start_client(struct kunit *test,
						 const char *server)
{
	struct obd_device *obd = ki_attach(test, "kunit_cli", "cli", "cli_UUID");

	KUNIT_ASSERT_EQ(test, ki_set_up(obd, "srv_UUID", server, NULL), 0);
	return obd;
}

static inline int ki_connect(struct obd_device *obd, struct obd_export **exp)
{
	struct obd_uuid uuid = kt_uuid("user_UUID");
	struct obd_connect_data ocd = {
		.ocd_connect_flags = OBD_CONNECT_VERSION | OBD_CONNECT_RDONLY,
	};

	return obd_connect(exp, obd, &uuid, NULL, &ocd);
}

static inline struct obd_export *ki_connected(struct kunit *test,
					      struct obd_device *obd)
{
	struct obd_export *exp = NULL;

	KUNIT_ASSERT_EQ(test, ki_connect(obd, &exp), 0);
	KUNIT_ASSERT_TRUE(test, exp != NULL);
	return exp;
}

static inline struct obd_import *ki_import(struct obd_device *obd)
{
	return obd->obd_cli->cl_import;
}

static inline void ki_add_conn(struct kunit *test, struct obd_import *imp,
			       const char *server, bool priority)
{
	struct obd_uuid uuid = kt_uuid(server);

	KUNIT_ASSERT_EQ(test, import_add_conn(imp, &uuid, priority, NULL), 0);
}

/* Compare the events since the last look, and forget them. */
#define KI_EXPECT_EVENTS(test, ...)					\
do {									\
	static const enum obd_import_event __want[] = { __VA_ARGS__ };	\
	unsigned int __n;						\
									\
	KUNIT_EXPECT_EQ(test, ki.event_count,				\
			(unsigned int)ARRAY_SIZE(__want));		\
	for (__n = 0; __n < min_t(unsigned int, ki.event_count,		\
				  ARRAY_SIZE(__want)); __n++)		\
		KUNIT_EXPECT_EQ(test, (u32)ki.events[__n],		\
				(u32)__want[__n]);			\
	ki.event_count = 0;						\
} while (0)

#define KI_EXPECT_STATE(test, imp, state)				\
	KUNIT_EXPECT_STREQ(test, import_state_name((imp)->imp_state),	\
			   import_state_name(LUSTRE_IMP_##state))

/* The states since @from of the history's count of entries. */
static inline enum lustre_imp_state ki_past(struct obd_import *imp,
					    unsigned int back)
{
	unsigned int at = imp->imp_hist_next + 2 * IMP_STATE_HIST_LEN - 1 - back;

	return imp->imp_hist[at % IMP_STATE_HIST_LEN].ish_state;
}

#endif /* _KUNIT_OBD_IMPORT_FIXTURE_H */
