// SPDX-License-Identifier: GPL-2.0-only
/*
 * The management service of a directory: device MGS, or MGS-INODE outside of
 * the initial network namespace. As device names are unique, a namespace has
 * one.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_mount.h>

#include "llite_internal.h"

#define MGS_NAME	"MGS"

static void mgs_name(const struct net *net, char *name, size_t size)
{
	if (net_eq(net, &init_net))
		snprintf(name, size, MGS_NAME);
	else
		snprintf(name, size, MGS_NAME "-%u", net->ns.inum);
}

static int mgs_setup(struct obd_device *obd, struct obd_why *why)
{
	struct lcfg_view *cfg = kzalloc(sizeof(*cfg), GFP_KERNEL_ACCOUNT);
	int rc;

	if (!cfg)
		return -ENOMEM;
	lcfg_init(cfg, LCFG_SETUP, obd->obd_name);
	rc = class_setup(obd, cfg, why);
	kfree(cfg);
	return rc;
}

/**
 * llite_mgs_start() - start the management service of a directory
 * @lt: target mount: its directory
 * @net: network namespace
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: 0; -EALREADY: one runs in the namespace; as class_attach() and
 *  class_setup()
 */
int llite_mgs_start(struct llite_target *lt, struct net *net,
		    struct obd_why *why)
{
	char name[MAX_OBD_NAME];
	struct obd_device *obd;
	int rc;

	mgs_name(net, name, sizeof(name));
	rc = obd_mount_register(name, &lt->llt_claim.fc_path,
				obd_mount_new_instance());
	if (rc)
		return obd_refuse(why, rc,
				  rc == -EALREADY ?
				  "%s: a management service already runs on this node; umount it, or mount with nomgs" :
				  "%s: cannot register its directory", name);
	obd = class_attach_in(net, "mgs", name, MGS_NAME, 0, why);
	if (IS_ERR(obd)) {
		rc = PTR_ERR(obd);
		goto unregister;
	}
	rc = mgs_setup(obd, why);
	if (rc)
		goto detach;
	lt->llt_mgs = obd;
	return 0;

detach:
	class_detach(obd, NULL);
	class_decref(obd, OBD_REF_LOOKUP);
unregister:
	obd_mount_unregister(name);
	return rc;
}

/**
 * llite_mgs_stop() - undo llite_mgs_start()
 * @lt: target mount
 * @force: do not wait for peers
 *
 * Context: may sleep, in bounded time
 */
void llite_mgs_stop(struct llite_target *lt, bool force)
{
	struct obd_device *obd = lt->llt_mgs;
	struct obd_why why = { "" };
	int rc;

	if (!obd)
		return;
	rc = class_manual_cleanup(obd, force, &why);
	if (rc) {
		obd_zombie_barrier();
		rc = class_manual_cleanup(obd, true, &why);
	}
	if (rc)
		CERROR("%s: cannot remove it: %s\n", obd->obd_name, why.text);
	obd_mount_unregister(obd->obd_name);
	if (rc)
		class_decref(obd, OBD_REF_LOOKUP);
	else
		class_put_detached(obd, OBD_FREE_WAIT);
	lt->llt_mgs = NULL;
}
