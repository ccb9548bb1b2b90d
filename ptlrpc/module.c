// SPDX-License-Identifier: GPL-2.0-only
/*
 * ptlrpc.ko: order of start and end, and what its layers give to those below them. No
 * directory calls a higher one: net, then rpc and service, then target, then ldlm.
 */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/kernel.h>
#include <linux/module.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/ptlrpc_test_point.h>
#include <lustre_lite/version.h>

#include "ldlm/ldlm_internal.h"
#include "rpc/rpc.h"
#include "service/service.h"
#include "target/target.h"

/* The module's tracepoints are defined here. */
#define CREATE_TRACE_POINTS
#include "net/trace.h"

#if IS_ENABLED(CONFIG_KUNIT)
void (*ptlrpc_test_hook)(enum ptlrpc_test_point at, void *object);
EXPORT_FOR_KUNIT(ptlrpc_test_hook);
#endif

static bool is_request(const struct lnet_rx *rx)
{
	return rx->rx_view.type == PTL_RPC_MSG_REQUEST;
}

static int receive_message(struct lnet_rx *rx)
{
	return is_request(rx) ? ptlrpc_rx_request(rx) : ptlrpc_rx_reply(rx);
}

/* The type is a copy: the message itself may belong to its new owner by now. */
static void receive_done(struct lnet_rx *rx, int rc)
{
	if (is_request(rx))
		ptlrpc_rx_request_done(rx, rc);
	else
		ptlrpc_rx_reply_done(rx, rc);
}

/* Requests first: what they wake up may look for another connection at once. */
static void receive_closed(struct lnet_conn *conn)
{
	ptlrpc_requests_conn_closed(conn);
	imports_conn_closed(conn);
}

static const struct lnet_ops net_ops = {
	.no_reply_buffer = ptlrpc_reply_buffer,
	.no_message	= receive_message,
	.no_received	= receive_done,
	.no_closed	= receive_closed,
	.no_connected	= imports_node_connected,
	.no_ping	= node_ping,
};

/* A lower part gets the functions of a higher one here, as a table. */
static int net_init(void)
{
	return lnet_init(&net_ops);
}

static int imports_init(void)
{
	return ptlrpc_import_init(&ldlm_import_ops);
}

static int services_init(void)
{
	return ptlrpc_service_init(&target_recovery_ops);
}

static int targets_init(void)
{
	return ptlrpc_target_init(&ldlm_target_ops);
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
	{ "requests", ptlrpc_requests_init, ptlrpc_requests_exit },
	{ "imports", imports_init, ptlrpc_import_exit },
	{ "services", services_init, ptlrpc_service_exit },
	{ "network", net_init, lnet_exit },
	{ "ptlrpcd", ptlrpcd_init, ptlrpcd_exit },
	{ "lock manager", ldlm_init, ldlm_exit },
	{ "targets", targets_init, ptlrpc_target_exit },
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
