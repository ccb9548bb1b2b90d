// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters and counters of the network: directory ptlrpc.
 */
#define DEBUG_SUBSYSTEM S_LNET

#include <linux/kernel.h>
#include <linux/sizes.h>

#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/params.h>

#include "conn.h"
#include "net.h"

#define MEMORY_DEF		(1ULL << 30)
#define PEER_MEMORY_DEF		(64ULL << 20)
/* At least one message with the largest bulk data. */
#define MEMORY_MIN		(8ULL << 20)
#define MEMORY_MAX		(1ULL << 40)
#define SECONDS_MAX		3600
#define PORT_MAX		65535
#define UNFINISHED_MAX		65536
#define NETWORKS_TEXT_MAX	4096

struct lnet_settings lnet_settings = {
	.lns_memory = MEMORY_DEF,
	.lns_peer_memory = PEER_MEMORY_DEF,
	.lns_port = WIRE_PORT,
	.lns_accept = LNET_ACCEPT_SECURE,
	.lns_crc = true,
	.lns_bulk_crc = LNET_BULK_CRC_REMOTE,
	.lns_local_conn = true,
	.lns_hello_timeout = 10,
	.lns_keepalive_idle = 30,
	.lns_keepalive_interval = 5,
	.lns_keepalive_count = 5,
	.lns_conn_idle = 60,
	.lns_unfinished_max = 256,
	.lns_unfinished_addr = 64,
	.lns_conns_addr = 32,
};
EXPORT_FOR_KUNIT(lnet_settings);

/*
 * Counters, and faults of other nodes.
 */

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
	[LNET_DAMAGED] = { .name = "bulk_damaged", .unit = PARAMS_UNIT_REQS },
	[LNET_UNASKED] = { .name = "unasked", .unit = PARAMS_UNIT_REQS },
	[LNET_LATE] = { .name = "late", .unit = PARAMS_UNIT_REQS },
	[LNET_READER_LOST] = { .name = "reader_lost", .unit = PARAMS_UNIT_REQS },
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
static struct params_stats *net_stats_get(void *data)
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

/*
 * The directory.
 */

static const char * const accept_names[] = {
	[LNET_ACCEPT_SECURE] = "secure",
	[LNET_ACCEPT_ALL] = "all",
	[LNET_ACCEPT_NONE] = "none",
	[LNET_ACCEPT_COUNT] = NULL,
};

static int port_get(void *data, u64 *val)
{
	*val = READ_ONCE(lnet_settings.lns_port);
	return 0;
}

static int port_set(void *data, u64 val)
{
	return net_listen_port(val);
}

static int accept_get(void *data, u64 *val)
{
	*val = READ_ONCE(lnet_settings.lns_accept);
	return 0;
}

static int accept_set(void *data, u64 val)
{
	WRITE_ONCE(lnet_settings.lns_accept, val);
	return 0;
}

static const char * const bulk_crc_names[] = {
	[LNET_BULK_CRC_OFF] = "off",
	[LNET_BULK_CRC_REMOTE] = "remote",
	[LNET_BULK_CRC_ON] = "on",
	[LNET_BULK_CRC_COUNT] = NULL,
};

static int bulk_crc_get(void *data, u64 *val)
{
	*val = READ_ONCE(lnet_settings.lns_bulk_crc);
	return 0;
}

static int bulk_crc_set(void *data, u64 val)
{
	WRITE_ONCE(lnet_settings.lns_bulk_crc, val);
	return 0;
}

static ssize_t networks_get(void *data, char *buf, size_t size)
{
	return net_networks_text(buf, size);
}

static int networks_set(const char *text, size_t len, void *data)
{
	return net_networks_set(text, len);
}

static int memory_get(void *data, u64 *val)
{
	*val = READ_ONCE(lnet_settings.lns_memory);
	return 0;
}

static int memory_set(void *data, u64 val)
{
	WRITE_ONCE(lnet_settings.lns_memory, val);
	net_memory_limits();
	return 0;
}

static int peer_memory_get(void *data, u64 *val)
{
	*val = READ_ONCE(lnet_settings.lns_peer_memory);
	return 0;
}

static int peer_memory_set(void *data, u64 val)
{
	WRITE_ONCE(lnet_settings.lns_peer_memory, val);
	net_memory_limits();
	return 0;
}

static const struct lustre_params_attr net_attrs[] = {
	LP_U32_RW("port", port_get, port_set, .max = PORT_MAX,
		  LP_DEF(WIRE_PORT),
		  .doc = "TCP port to listen on and to connect to; 0: do not listen"),
	LP_ENUM_RW("accept", accept_names, accept_get, accept_set,
		   LP_DEF(LNET_ACCEPT_SECURE),
		   .doc = "source ports that may connect: secure (below 1024), all, none"),
	LP_STR_RW("accept_networks", networks_get, networks_set,
		  .max = NETWORKS_TEXT_MAX,
		  .doc = "networks that may connect, such as 10.0.0.0/8 2001:db8::/32, or any"),
	LP_BOOL_FIELD("crc", struct lnet_settings, lns_crc, LP_DEF(true),
		      .doc = "protect messages of new connections by a CRC, if the other node does so too"),
	LP_ENUM_RW("bulk_crc", bulk_crc_names, bulk_crc_get, bulk_crc_set,
		   LP_DEF(LNET_BULK_CRC_REMOTE),
		   .doc = "the same for bulk data: off, remote (between different addresses), on"),
	LP_BOOL_FIELD("local_conn", struct lnet_settings, lns_local_conn, LP_DEF(true),
		      .doc = "new connections to a NID of this node do without TCP"),
	LP_U32_FIELD("hello_timeout", struct lnet_settings, lns_hello_timeout,
		     .unit = PARAMS_UNIT_SEC, .min = 1, .max = SECONDS_MAX,
		     LP_DEF(10),
		     .doc = "time after which a connection that is not open is closed"),
	LP_U32_FIELD("keepalive_idle", struct lnet_settings,
		     lns_keepalive_idle, .unit = PARAMS_UNIT_SEC,
		     .max = SECONDS_MAX, LP_DEF(30),
		     .doc = "silence until the socket of a new connection sends a keepalive probe; 0: never"),
	LP_U32_FIELD("keepalive_interval", struct lnet_settings,
		     lns_keepalive_interval, .unit = PARAMS_UNIT_SEC, .min = 1,
		     .max = SECONDS_MAX, LP_DEF(5),
		     .doc = "time between two keepalive probes"),
	LP_U32_FIELD("keepalive_count", struct lnet_settings,
		     lns_keepalive_count, .min = 1, .max = 100, LP_DEF(5),
		     .doc = "unanswered keepalive probes that end the connection"),
	LP_U32_FIELD("conn_idle", struct lnet_settings, lns_conn_idle,
		     .unit = PARAMS_UNIT_SEC, .max = SECONDS_MAX, LP_DEF(60),
		     .doc = "time after which an unused connection is closed; 0: never"),
	LP_BYTES_RW("memory", memory_get, memory_set, .min = MEMORY_MIN,
		    .max = MEMORY_MAX, LP_DEF(MEMORY_DEF),
		    .doc = "most memory held for requests with bulk data of all nodes; an eighth of it besides for others"),
	LP_BYTES_RW("peer_memory", peer_memory_get, peer_memory_set,
		    .min = MEMORY_MIN, .max = MEMORY_MAX,
		    LP_DEF(PEER_MEMORY_DEF),
		    .doc = "most memory held for requests with bulk data of one address, on any network; an eighth of it besides for others"),
	LP_U32_FIELD("unfinished_max", struct lnet_settings,
		     lns_unfinished_max, .min = 1, .max = UNFINISHED_MAX,
		     LP_DEF(256),
		     .doc = "most connections without a HELLO; a further one closes the oldest"),
	LP_U32_FIELD("unfinished_addr_max", struct lnet_settings,
		     lns_unfinished_addr, .min = 1, .max = UNFINISHED_MAX,
		     LP_DEF(64), .doc = "the same, of one address"),
	LP_U32_FIELD("conns_addr_max", struct lnet_settings,
		     lns_conns_addr, .min = 1, .max = UNFINISHED_MAX, LP_DEF(32),
		     .doc = "connections that nodes of one address may have open to this one, for bulk data and for the rest each; a node needs one of both for each of its NIDs"),
	LP_STATS_RWC("net_stats", net_stats_get,
		     .doc = "messages, connections, and faults of other nodes"),
};

static struct lustre_params_entry *net_dir;

/* Add the directory. */
int net_params_init(void)
{
	int rc;

	net_dir = params_add_dir(NULL, "ptlrpc", NULL);
	if (IS_ERR(net_dir))
		return PTR_ERR(net_dir);
	rc = params_add_attrs(net_dir, net_attrs, ARRAY_SIZE(net_attrs),
			      &lnet_settings);
	if (rc)
		params_remove(net_dir);
	return rc;
}

/* Remove it; no callback runs afterwards. */
void net_params_exit(void)
{
	params_remove(net_dir);
}
