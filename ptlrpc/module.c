// SPDX-License-Identifier: GPL-2.0
/*
 * ptlrpc.ko: order of start and end.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/kernel.h>
#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/version.h>

#include "rpc/rpc.h"
#include "net/test_point.h"

struct workqueue_struct *ptlrpc_wq;

#if IS_ENABLED(CONFIG_KUNIT)
void (*ptlrpc_test_hook)(enum ptlrpc_test_point at, void *object);
PTLRPC_EXPORT_FOR_KUNIT(ptlrpc_test_hook);
#endif

static int wq_init(void)
{
	ptlrpc_wq = alloc_workqueue("ptlrpc", WQ_UNBOUND, 0);
	return ptlrpc_wq ? 0 : -ENOMEM;
}

static void wq_exit(void)
{
	destroy_workqueue(ptlrpc_wq);
}

static int net_init(void)
{
	return ll_net_init(&ptlrpc_net_ops);
}

/*
 * Each part uses those above it. The network comes after all that it calls, so
 * that it ends before they do.
 */
static const struct {
	const char *name;
	int (*init)(void);
	void (*exit)(void);
} parts[] = {
	{ "workqueue", wq_init, wq_exit },
	{ "xids", ptlrpc_xid_init, ptlrpc_xid_exit },
	{ "imports", ptlrpc_import_init, ptlrpc_import_exit },
	{ "services", ptlrpc_service_init, ptlrpc_service_exit },
	{ "network", net_init, ll_net_exit },
	{ "ptlrpcd", ptlrpcd_init, ptlrpcd_exit },
	{ "lock manager", ldlm_init, ldlm_exit },
	{ "targets", ptlrpc_target_init, ptlrpc_target_exit },
	{ "transport", ptlrpc_transport_init, ptlrpc_transport_exit },
	{ "pinger", ptlrpc_pinger_init, ptlrpc_pinger_exit },
	{ "evictor", ping_evictor_init, ping_evictor_exit },
};

/* End the first @count parts, the last first. */
static void ptlrpc_stop(size_t count)
{
	while (count--)
		parts[count].exit();
}

static int __init ptlrpc_init(void)
{
	size_t n;
	int rc;

	for (n = 0; n < ARRAY_SIZE(parts); n++) {
		rc = parts[n].init();
		if (rc) {
			CERROR("ptlrpc: cannot start %s: rc = %d\n",
			       parts[n].name, rc);
			ptlrpc_stop(n);
			return rc;
		}
	}
	return 0;
}

static void __exit ptlrpc_exit(void)
{
	ptlrpc_stop(ARRAY_SIZE(parts));
}

module_init(ptlrpc_init);
module_exit(ptlrpc_exit);

MODULE_DESCRIPTION("lustre-lite: requests over TCP, recovery, lock manager");
MODULE_AUTHOR("lustre-lite");
MODULE_VERSION(LUSTRE_LITE_VERSION);
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
