/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Start of the cases of the device suites: fixture.h, and a type "kunit_dev" whose
 * operations count and can be told to fail or to wait. When a case has ended, its devices
 * must be gone. kt.order has the names of the devices in the order of their cleanup, as far
 * as they fit.
 */
#ifndef _KUNIT_OBD_FIXTURE_H
#define _KUNIT_OBD_FIXTURE_H

#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_config.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/params.h>

#include "fixture.h"

#define KT_NAME	"kunit_dev"
#define KT_TRIES	10

static struct {
	int		setup_rc;
	int		health_rc;
	struct gate	*statfs_gate;
	struct gate	*setup_gate;
	atomic_t	setups;
	atomic_t	precleanups;
	atomic_t	cleanups;
	char		order[64];
	unsigned int	devices;
	bool		registered;
} kt;

static inline void kt_pass(struct gate *g)
{
	u64 val;

	if (g)
		gate_get(g, &val);
}

static inline int kt_setup(struct obd_device *obd, const struct lcfg_view *cfg,
			   struct obd_why *why)
{
	kt_pass(kt.setup_gate);
	if (kt.setup_rc)
		return obd_refuse(why, kt.setup_rc, "told to fail");
	atomic_inc(&kt.setups);
	return 0;
}

static inline int kt_precleanup(struct obd_device *obd)
{
	atomic_inc(&kt.precleanups);
	return 0;
}

static inline int kt_cleanup(struct obd_device *obd)
{
	atomic_inc(&kt.cleanups);
	strncat(kt.order, obd->obd_name,
		sizeof(kt.order) - strlen(kt.order) - 1);
	return 0;
}

static inline int kt_statfs(struct obd_export *exp, struct obd_statfs *st,
			    u64 max_age)
{
	kt_pass(kt.statfs_gate);
	st->os_blocks = 42;
	return 0;
}

static inline int kt_health(struct obd_device *obd, struct obd_why *why)
{
	if (!kt.health_rc)
		return 0;
	return obd_refuse(why, kt.health_rc, "told to be unwell");
}

static inline int kt_connect(struct obd_export **exp, struct obd_device *obd,
			     const struct obd_uuid *uuid,
			     const struct lnet_nid *nid,
			     struct obd_connect_data *ocd)
{
	struct lustre_handle conn;
	int rc = class_connect(&conn, obd, uuid, nid);

	if (rc)
		return rc;
	*exp = class_conn2export(conn.cookie);
	return *exp ? 0 : -ENOTCONN;
}

static const struct obd_ops kt_ops = {
	.o_owner = THIS_MODULE,
	.o_setup = kt_setup,
	.o_precleanup = kt_precleanup,
	.o_cleanup = kt_cleanup,
	.o_statfs = kt_statfs,
	.o_health_check = kt_health,
	.o_connect = kt_connect,
};

static struct obd_type kt_type = {
	.typ_name = KT_NAME,
	.typ_dt_ops = &kt_ops,
};

/* A try to connect again holds its device, detached or not, until it has ended. */
static inline void kt_unregister(struct kunit *test, struct obd_type *type)
{
	unsigned long end = jiffies + FIXTURE_WAIT;

	while (READ_ONCE(type->typ_refcnt) && time_before(jiffies, end))
		msleep(20);
	KUNIT_EXPECT_EQ(test, class_unregister_type(type), 0);
}

static inline int obd_fixture_init(struct kunit *test)
{
	int rc = fixture_init(test);

	if (rc)
		return rc;
	memset(&kt, 0, sizeof(kt));
	kt.devices = class_obd_devs_count();
	rc = class_register_type(&kt_type);
	kt.registered = !rc;
	return rc;
}

static inline void obd_fixture_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kt.devices, class_obd_devs_count());
	if (kt.registered)
		kt_unregister(test, &kt_type);
	obd_zombie_barrier();
	rcu_barrier();
	fixture_exit(test);
}

/* Attach; the lookup reference is the caller's. */
static inline struct obd_device *kt_attach(struct kunit *test, const char *name)
{
	struct obd_device *obd = class_attach(KT_NAME, name, "kunit_UUID", 0,
					      NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(obd));
	return obd;
}

static inline int kt_set_up(struct obd_device *obd)
{
	struct lcfg_view cfg;

	lcfg_init(&cfg, LCFG_SETUP, obd->obd_name);
	return class_setup(obd, &cfg, NULL);
}

static inline struct obd_device *kt_start(struct kunit *test, const char *name)
{
	struct obd_device *obd = kt_attach(test, name);

	KUNIT_ASSERT_EQ(test, kt_set_up(obd), 0);
	return obd;
}

/* Clean up and detach it from any state, and drop the lookup reference. */
static inline void kt_end(struct kunit *test, struct obd_device *obd)
{
	KUNIT_EXPECT_EQ(test, class_manual_cleanup(obd, true, NULL), 0);
	class_decref(obd, OBD_REF_LOOKUP);
}

/* The result of @call, which is repeated after a timeout: a stall of the host may cause one. */
#define KT_RETRIED(call)						\
({									\
	unsigned int __tries = 0;					\
	int __rc;							\
									\
	do {								\
		__rc = (call);						\
	} while (__rc == -ETIMEDOUT && ++__tries < KT_TRIES);		\
	__rc;								\
})

/* Connect to a target. @ocd: in: wanted; out: granted */
static inline int kt_connect_target(struct obd_export **exp, struct obd_device *obd,
				    const struct obd_uuid *uuid, struct obd_connect_data *ocd)
{
	const struct obd_connect_data wanted = *ocd;

	return KT_RETRIED((*ocd = wanted, obd_connect(exp, obd, uuid, NULL, ocd)));
}

static inline struct obd_uuid kt_uuid(const char *text)
{
	struct obd_uuid uuid = { "" };

	strscpy(uuid.uuid, text, sizeof(uuid.uuid));
	return uuid;
}

#endif /* _KUNIT_OBD_FIXTURE_H */
