/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Clients for the suites of exports: connect by name, and a type "kunit_exp"
 * whose o_disconnect keeps a record and can be told to fail or to do nothing.
 */
#ifndef _KUNIT_OBD_CLIENT_H
#define _KUNIT_OBD_CLIENT_H

#include <linux/rcupdate.h>

#include "obd_fixture.h"

#define KE_NAME	"kunit_exp"

static struct {
	int		rc;
	bool		keeps;
	atomic_t	disconnects;
	atomic_t	destroyed;
	unsigned long	flags;
	struct gate	*destroy_gate;
} ke;

static inline int ke_disconnect(struct obd_export *exp)
{
	atomic_inc(&ke.disconnects);
	ke.flags = READ_ONCE(exp->exp_flags);
	if (!ke.keeps)
		class_unlink_export(exp);
	class_export_put(exp);
	return ke.rc;
}

static const struct obd_ops ke_ops = {
	.o_owner = THIS_MODULE,
	.o_setup = kt_setup,
	.o_precleanup = kt_precleanup,
	.o_cleanup = kt_cleanup,
	.o_connect = kt_connect,
	.o_disconnect = ke_disconnect,
};

static struct obd_type ke_type = {
	.typ_name = KE_NAME,
	.typ_dt_ops = &ke_ops,
};

static inline int ke_init(struct kunit *test)
{
	int rc = obd_fixture_init(test);

	if (rc)
		return rc;
	memset(&ke, 0, sizeof(ke));
	return class_register_type(&ke_type);
}

static inline void ke_exit(struct kunit *test)
{
	obd_zombie_barrier();
	kt_unregister(test, &ke_type);
	obd_fixture_exit(test);
}

static inline struct obd_device *ke_start(struct kunit *test, const char *name)
{
	struct obd_device *obd = class_attach(KE_NAME, name, "ke_UUID", 0, NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(obd));
	KUNIT_ASSERT_EQ(test, kt_set_up(obd), 0);
	return obd;
}

static inline void ke_destroy(struct obd_export *exp)
{
	kt_pass(ke.destroy_gate);
	atomic_inc(&ke.destroyed);
}

static inline struct lnet_nid ke_nid(const char *text)
{
	struct lnet_nid nid = {};

	if (libcfs_nid_parse(text, strlen(text), &nid, NULL))
		nid.nid_len = 0;
	return nid;
}

/* Connect; 0 or an errno. @nid may be NULL. The reference is the caller's. */
static inline int ke_try_connect(struct obd_device *obd, const char *client,
				 const char *nid, struct obd_export **exp)
{
	struct obd_uuid uuid = kt_uuid(client);
	struct lustre_handle conn = { };
	struct lnet_nid at = {};
	int rc;

	if (nid)
		at = ke_nid(nid);
	rc = class_connect(&conn, obd, &uuid, nid ? &at : NULL);
	if (rc)
		return rc;
	*exp = class_conn2export(conn.cookie);
	return *exp ? 0 : -ENOTCONN;
}

static inline struct obd_export *ke_connect(struct kunit *test,
					    struct obd_device *obd,
					    const char *client, const char *nid)
{
	struct obd_export *exp = NULL;

	KUNIT_ASSERT_EQ(test, ke_try_connect(obd, client, nid, &exp), 0);
	if (exp)
		exp->exp_destroy = ke_destroy;
	return exp;
}

static inline unsigned int ke_clients(struct obd_device *obd)
{
	return READ_ONCE(obd->obd_num_exports) - 1;
}

#endif /* _KUNIT_OBD_CLIENT_H */
