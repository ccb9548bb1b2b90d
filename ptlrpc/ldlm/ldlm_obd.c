// SPDX-License-Identifier: GPL-2.0
/*
 * What the setup and cleanup of every device has in common that is a client and has
 * locks: struct client_obd of obdclass, and a namespace beside it.
 */
#include <linux/err.h>
#include <linux/export.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/obd_import.h>

/**
 * ldlm_client_setup() - o_setup of a client type that has locks
 * @obd: device
 * @cli: part of the type's data, zeroed
 * @cfg: as for client_obd_setup()
 * @why: out, why not
 *
 * A setup that fails after this takes back what it did by client_obd_precleanup()
 * and ldlm_client_cleanup().
 *
 * Context: may sleep
 * Return: 0; as client_obd_setup(), ldlm_namespace_new()
 */
int ldlm_client_setup(struct obd_device *obd, struct client_obd *cli,
		      const struct lcfg_view *cfg, struct obd_why *why)
{
	struct ldlm_namespace *ns;
	int rc = client_obd_setup(obd, cli, cfg, why);

	if (rc)
		return rc;
	ns = ldlm_namespace_new(obd, LDLM_CLIENT);
	if (!IS_ERR(ns))
		return 0;
	client_obd_precleanup(obd);
	client_obd_cleanup(obd);
	return PTR_ERR(ns);
}
EXPORT_SYMBOL_NS_GPL(ldlm_client_setup, LUSTRE_LITE);

/**
 * ldlm_client_cleanup() - o_cleanup of such a type: locks and import go
 * @obd: device, after client_obd_precleanup()
 *
 * Context: as ldlm_namespace_free()
 */
void ldlm_client_cleanup(struct obd_device *obd)
{
	ldlm_namespace_free(obd->obd_namespace);
	client_obd_cleanup(obd);
}
EXPORT_SYMBOL_NS_GPL(ldlm_client_cleanup, LUSTRE_LITE);
