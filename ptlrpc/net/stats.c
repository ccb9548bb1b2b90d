// SPDX-License-Identifier: GPL-2.0
/* Counters of the network, and faults of other nodes. */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>

#include <lustre_lite/debug.h>
#include <lustre_lite/params.h>

#include "conn.h"
#include "net.h"

static struct params_stat_desc stat_descs[LNET_COUNTER_COUNT] = {
	[LNET_TX_BYTES] = { .name = "tx_bytes", .unit = PARAMS_UNIT_BYTES,
			      .flags = PARAMS_CF_MINMAX },
	[LNET_RX_BYTES] = { .name = "rx_bytes", .unit = PARAMS_UNIT_BYTES,
			      .flags = PARAMS_CF_MINMAX },
	[LNET_CONNECTS] = { .name = "connects", .unit = PARAMS_UNIT_REQS },
	[LNET_ACCEPTS] = { .name = "accepts", .unit = PARAMS_UNIT_REQS },
	[LNET_CLOSED] = { .name = "closed", .unit = PARAMS_UNIT_REQS },
	[LNET_REFUSED] = { .name = "refused", .unit = PARAMS_UNIT_REQS },
	[LNET_ADDR_FULL] = { .name = "address_full", .unit = PARAMS_UNIT_REQS },
	[LNET_RX_TIMEOUT] = { .name = "receive_timeout", .unit = PARAMS_UNIT_REQS },
	[LNET_HELLO_TIMEOUT] = { .name = "hello_timeout", .unit = PARAMS_UNIT_REQS },
	[LNET_PAUSED] = { .name = "paused", .unit = PARAMS_UNIT_REQS },
	[LNET_UNASKED] = { .name = "unasked", .unit = PARAMS_UNIT_REQS },
	[LNET_LATE] = { .name = "late", .unit = PARAMS_UNIT_REQS },
	[LNET_DROPPED] = { .name = "rule_dropped", .unit = PARAMS_UNIT_REQS },
	[LNET_DELAYED] = { .name = "rule_delayed", .unit = PARAMS_UNIT_REQS },
	[LNET_DUPLICATED] = { .name = "rule_duplicated", .unit = PARAMS_UNIT_REQS },
	[LNET_RESET] = { .name = "rule_reset", .unit = PARAMS_UNIT_REQS },
	[LNET_FAULT + WIRE_OK] = { .name = "faults", .unit = PARAMS_UNIT_REQS },
};

static struct params_stats *net_stats;

/**
 * lnet_count() - add to a counter
 * @counter: counter
 * @value: number, or bytes
 *
 * Context: any
 */
void lnet_count(enum lnet_counter counter, u64 value)
{
	params_stats_add(net_stats, counter, value);
}

/* The parameter's counters. */
struct params_stats *net_stats_get(void *data)
{
	return net_stats;
}

/**
 * lnet_fault() - a node sent a malformed frame or message
 * @conn: connection
 * @fault: kind of fault
 * @what: description, or NULL
 *
 * Counted, and logged once for each connection.
 *
 * Context: any but hard interrupt
 */
void lnet_fault(struct lnet_conn *conn, enum wire_fault fault, const char *what)
{
	char nid[LNET_NID_TEXT_MAX] = "unknown node";

	if (fault <= WIRE_OK || fault >= WIRE_FAULT_COUNT)
		return;
	lnet_count(LNET_FAULT + WIRE_OK, 1);
	lnet_count(LNET_FAULT + fault, 1);
	if (test_and_set_bit(NCF_FAULT_LOGGED, &conn_node(conn)->nc_flags))
		return;
	if (conn->cn_nid.nid_len)
		libcfs_nid_print(&conn->cn_nid, nid, sizeof(nid));
	else if (conn_node(conn)->nc_addr.nid_len)
		libcfs_nid_print(&conn_node(conn)->nc_addr, nid, sizeof(nid));
	CERROR("%s: protocol error: %s%s%s\n", nid,
	       wire_fault_name(fault), what ? ": " : "", what ?: "");
}

/* Allocate the counters. */
int net_stats_init(void)
{
	unsigned int fault;

	for (fault = WIRE_OK + 1; fault < WIRE_FAULT_COUNT; fault++) {
		stat_descs[LNET_FAULT + fault].name = wire_fault_name(fault);
		stat_descs[LNET_FAULT + fault].unit = PARAMS_UNIT_REQS;
	}
	net_stats = params_stats_alloc(stat_descs, LNET_COUNTER_COUNT);
	return net_stats ? 0 : -ENOMEM;
}

/* Free them. */
void net_stats_exit(void)
{
	params_stats_free(net_stats);
	net_stats = NULL;
}
