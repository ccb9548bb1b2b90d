// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters of a device that has an import. The text of "import", "state" and
 * "connect_flags" is that of real Lustre.
 *
 * Their data is the device. They are published only while it is set up, so its import
 * is there.
 */
#include <linux/bits.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/ktime.h>

#include <lustre_lite/obd_client.h>
#include <lustre_lite/params.h>

#include "import.h"

static struct obd_import *import_of(void *data)
{
	const struct obd_device *obd = data;

	return obd->obd_cli->cl_import;
}

static void get_connect_data(struct obd_import *imp,
			     struct obd_connect_data *ocd)
{
	spin_lock(&imp->imp_lock);
	*ocd = imp->imp_connect_data;
	spin_unlock(&imp->imp_lock);
}

static int connect_flags_read(struct params_sink *sink, void *data)
{
	struct obd_connect_data ocd;

	get_connect_data(import_of(data), &ocd);
	params_put_strf(sink, NULL, "flags=0x%llx", ocd.ocd_connect_flags);
	params_put_strf(sink, NULL, "flags2=0x%llx",
			ocd.ocd_connect_flags & OBD_CONNECT_FLAGS2 ?
			ocd.ocd_connect_flags2 : 0);
	obd_put_connect_flag_names(sink, &ocd);
	return params_sink_error(sink);
}

static int state_read(struct params_sink *sink, void *data)
{
	struct import_state_hist hist[IMP_STATE_HIST_LEN];
	struct obd_import *imp = import_of(data);
	unsigned int count, n;

	count = import_history(imp, hist);
	params_put_str(sink, "current_state",
		       import_state_name(READ_ONCE(imp->imp_state)));
	params_list_begin(sink, "state_history", PARAMS_LIST_SEQ);
	for (n = 0; n < count; n++) {
		params_list_begin(sink, NULL, PARAMS_LIST_FLOW_SEQ);
		params_put_s64(sink, NULL, hist[n].ish_time);
		params_put_str(sink, NULL, import_state_name(hist[n].ish_state));
		params_list_end(sink);
	}
	params_list_end(sink);
	return params_sink_error(sink);
}

static const char * const impf_names[] = {
	[IMPF_INVALID] = "IMPF_INVALID",
	[IMPF_DEACTIVE] = "IMPF_DEACTIVE",
	[IMPF_REPLAYABLE] = "IMPF_REPLAYABLE",
	[IMPF_PINGABLE] = "IMPF_PINGABLE",
	[IMPF_CONNECT_TRIED] = "IMPF_CONNECT_TRIED",
	[IMPF_NO_PINGER_RECOVER] = "IMPF_NO_PINGER_RECOVER",
};

static void put_import_flags(struct params_sink *sink,
			     const struct obd_import *imp)
{
	unsigned int n;

	params_list_begin(sink, "import_flags", PARAMS_LIST_FLOW_SEQ);
	for (n = 0; n < ARRAY_SIZE(impf_names); n++) {
		if (test_bit(n, &imp->imp_flags))
			params_put_str(sink, NULL, impf_names[n]);
	}
	params_list_end(sink);
}

/*
 * Call @put for each NID of each server, with its text; a server that has none
 * stands for itself.
 */
static void put_nids(struct obd_import *imp, struct params_sink *sink,
			 void (*put)(struct params_sink *sink, const char *nid,
				     const struct obd_import_conn *conn))
{
	struct lnet_nid nids[OBD_UUID_NIDS_MAX];
	char text[LNET_NID_TEXT_MAX];
	struct obd_import_conn conn;
	unsigned int n, i, count;

	for (n = 0; import_conn_nth(imp, n, &conn); n++) {
		count = import_server_nids(imp, &conn.oic_uuid, nids);
		for (i = 0; i < count; i++) {
			if (libcfs_nid_print(&nids[i], text, sizeof(text)) > 0)
				put(sink, text, &conn);
		}
		if (!count)
			put(sink, conn.oic_uuid.uuid, &conn);
	}
}

static void put_nid(struct params_sink *sink, const char *nid,
		    const struct obd_import_conn *conn)
{
	params_put_str(sink, NULL, nid);
}

static void put_nid_stats(struct params_sink *sink, const char *nid,
			  const struct obd_import_conn *conn)
{
	params_list_begin(sink, nid, PARAMS_LIST_FLOW_MAP);
	params_put_u64(sink, "connects", conn->oic_attempts);
	params_put_u64(sink, "replied", conn->oic_replied);
	params_put_str(sink, "uptodate", conn->oic_uptodate ? "uptodate" :
					 conn->oic_attempts ? "unreachable" :
							      "unknown");
	if (conn->oic_last_attempt)
		params_put_s64(sink, "sec_ago",
			       ktime_get_seconds() - conn->oic_last_attempt);
	else
		params_put_str(sink, "sec_ago", "never");
	params_list_end(sink);
}

static void put_span(struct params_sink *sink, const char *name, s64 ns,
		     enum params_unit unit)
{
	params_put_time(sink, name, ns, unit, PARAMS_TIME_SPAN);
}

static void put_connection(struct params_sink *sink, struct obd_import *imp)
{
	time64_t last = READ_ONCE(imp->imp_last_reply_time);
	char server[LNET_NID_TEXT_MAX];

	import_server_text(imp, server, sizeof(server));
	params_list_begin(sink, "connection", PARAMS_LIST_MAP);
	params_list_begin(sink, "failover_nids", PARAMS_LIST_FLOW_SEQ);
	put_nids(imp, sink, put_nid);
	params_list_end(sink);
	params_list_begin(sink, "nids_stats", PARAMS_LIST_MAP);
	put_nids(imp, sink, put_nid_stats);
	params_list_end(sink);
	params_put_str(sink, "current_connection", server[0] ? server : "<none>");
	params_put_u64(sink, "connection_attempts", READ_ONCE(imp->imp_conn_cnt));
	params_put_u64(sink, "generation", READ_ONCE(imp->imp_generation));
	params_put_u64(sink, "in-progress_invalidations",
		       atomic_read(&imp->imp_inval_count));
	put_span(sink, "idle",
		 last ? (ktime_get_seconds() - last) * NSEC_PER_SEC : 0,
		 PARAMS_UNIT_SEC);
	params_list_end(sink);
}

static u64 whole_usecs(u64 ns)
{
	return div_u64(ns, NSEC_PER_USEC) * NSEC_PER_USEC;
}

/* Requests on the wire, and requests whose pages the network still fills. */
static void count_requests(struct obd_import *imp, unsigned int *inflight,
			   unsigned int *unregistering)
{
	struct ptlrpc_request *req;

	spin_lock(&imp->imp_rq_lock);
	list_for_each_entry(req, &imp->imp_requests, rq_import_item) {
		*inflight += READ_ONCE(req->rq_phase) == RQ_RPC;
		*unregistering += READ_ONCE(req->rq_phase) == RQ_UNREGISTERING;
	}
	spin_unlock(&imp->imp_rq_lock);
}

static void put_rpcs(struct params_sink *sink, struct obd_import *imp)
{
	u64 calls = atomic64_read(&imp->imp_calls);
	u64 ns = atomic64_read(&imp->imp_call_ns);
	unsigned int inflight = 0, unregistering = 0;

	if (READ_ONCE(imp->imp_networked))
		count_requests(imp, &inflight, &unregistering);
	else
		inflight = atomic_read(&imp->imp_inflight);
	params_list_begin(sink, "rpcs", PARAMS_LIST_MAP);
	params_put_u64(sink, "inflight", inflight);
	params_put_u64(sink, "unregistering", unregistering);
	params_put_u64(sink, "timeouts", atomic_read(&imp->imp_timeouts));
	put_span(sink, "avg_waittime", whole_usecs(calls ? div64_u64(ns, calls) : 0),
		 PARAMS_UNIT_USEC);
	params_list_end(sink);
}

/* All 0 for a target in this kernel. */
static void put_target_state(struct params_sink *sink,
				const struct obd_import *imp)
{
	params_list_begin(sink, "service_estimates", PARAMS_LIST_MAP);
	put_span(sink, "services",
		 (s64)READ_ONCE(imp->imp_service_sec) * NSEC_PER_SEC,
		 PARAMS_UNIT_SEC);
	put_span(sink, "network",
		 (s64)READ_ONCE(imp->imp_network_sec) * NSEC_PER_SEC,
		 PARAMS_UNIT_SEC);
	params_list_end(sink);
	params_list_begin(sink, "transactions", PARAMS_LIST_MAP);
	params_put_u64(sink, "last_replay", READ_ONCE(imp->imp_last_replay));
	params_put_u64(sink, "peer_committed",
		       READ_ONCE(imp->imp_last_committed));
	params_put_u64(sink, "last_checked",
		       READ_ONCE(imp->imp_last_committed));
	params_list_end(sink);
}

static int import_read(struct params_sink *sink, void *data)
{
	const struct obd_device *obd = data;
	struct obd_import *imp = import_of(data);
	struct obd_connect_data ocd;

	get_connect_data(imp, &ocd);
	params_list_begin(sink, "import", PARAMS_LIST_MAP);
	params_put_str(sink, "name", obd->obd_name);
	params_put_str(sink, "target", imp->imp_target_uuid.uuid);
	params_put_str(sink, "state",
		       import_state_name(READ_ONCE(imp->imp_state)));
	obd_put_connect_flags(sink, &ocd);
	obd_put_connect_data(sink, &ocd);
	put_import_flags(sink, imp);
	put_connection(sink, imp);
	put_rpcs(sink, imp);
	put_target_state(sink, imp);
	params_list_end(sink);
	return params_sink_error(sink);
}

/* Seconds since boot, as a time since 1970. */
static s64 wall_time(u64 seconds)
{
	return ktime_get_real_seconds() - (s64)(ktime_get_seconds() - seconds);
}

static void put_estimate(struct params_sink *sink, const char *name,
			 const struct adaptive_timeout *at)
{
	struct at_settings set;

	import_at_settings(&set);
	params_put_strf(sink, NULL,
			"%-10s : cur %3u  worst %3u (at %lld, %llus ago) %3u %3u %3u %3u",
			name, at_get(at, &set), at->at_worst,
			wall_time(at->at_worst_time),
			ktime_get_seconds() - at->at_worst_time,
			at->at_hist[0], at->at_hist[1], at->at_hist[2],
			at->at_hist[3]);
}

/* A copy, as text is made without a lock. */
static void copy_estimates(struct obd_import *imp,
			   struct adaptive_timeout *network,
			   struct import_at *services)
{
	spin_lock(&imp->imp_rq_lock);
	*network = imp->imp_net_at;
	memcpy(services, imp->imp_service_at, sizeof(imp->imp_service_at));
	spin_unlock(&imp->imp_rq_lock);
}

static void put_estimates(struct params_sink *sink, struct obd_import *imp)
{
	struct import_at services[IMP_AT_PORTALS];
	struct adaptive_timeout network;
	char name[sizeof("portal 65535")];
	unsigned int n;

	copy_estimates(imp, &network, services);
	put_estimate(sink, "network", &network);
	for (n = 0; n < IMP_AT_PORTALS && services[n].iat_portal; n++) {
		snprintf(name, sizeof(name), "portal %u", services[n].iat_portal);
		put_estimate(sink, name, &services[n].iat_at);
	}
}

static int timeouts_read(struct params_sink *sink, void *data)
{
	struct obd_import *imp = import_of(data);
	time64_t last = READ_ONCE(imp->imp_last_reply_time);
	time64_t ago = last ? ktime_get_seconds() - last : 0;

	params_put_strf(sink, NULL, "%-10s : %lld, %llds ago", "last reply",
			last ? ktime_get_real_seconds() - ago : 0, ago);
	if (READ_ONCE(imp->imp_networked))
		put_estimates(sink, imp);
	return params_sink_error(sink);
}

static int active_get(void *data, u64 *val)
{
	*val = !test_bit(IMPF_DEACTIVE, &import_of(data)->imp_flags);
	return 0;
}

/*
 * An import that is active and finds no server is a success: its state shows the rest. A
 * target that refuses the client for good deactivates it again.
 */
static int active_set(void *data, u64 val)
{
	int rc = import_set_active(import_of(data), val, NULL);
	u64 now;

	active_get(data, &now);
	return now == val ? 0 : rc;
}

static int ping_write(const char *text, size_t len, void *data)
{
	return import_ping(import_of(data));
}

static int rpcs_get(void *data, u64 *val)
{
	const struct obd_device *obd = data;

	*val = READ_ONCE(obd->obd_cli->cl_max_rpcs_in_flight);
	return 0;
}

static int rpcs_set(void *data, u64 val)
{
	struct client_obd *cli = ((const struct obd_device *)data)->obd_cli;

	WRITE_ONCE(cli->cl_max_rpcs_in_flight, val);
	WRITE_ONCE(cli->cl_import->imp_rpcs_max, val);
	/* Requests that wait for a slot may have one now. */
	import_changed(cli->cl_import);
	return 0;
}

static ssize_t conn_uuid_get(void *data, char *buf, size_t size)
{
	char server[LNET_NID_TEXT_MAX];
	ssize_t len;

	import_server_text(import_of(data), server, sizeof(server));
	len = strscpy(buf, server[0] ? server : "<none>", size);
	return len < 0 ? -EOVERFLOW : len;
}

static ssize_t server_uuid_get(void *data, char *buf, size_t size)
{
	struct obd_import *imp = import_of(data);
	size_t len;

	len = snprintf(buf, size, "%s\t%s%s", imp->imp_target_uuid.uuid,
		       import_state_name(READ_ONCE(imp->imp_state)),
		       test_bit(IMPF_DEACTIVE, &imp->imp_flags) ?
		       "\tDEACTIVATED" : "");
	return len < size ? len : -EOVERFLOW;
}

static const struct lustre_params_attr import_attrs[] = {
	LP_READER("import", import_read,
		  .doc = "the import: target, state, servers, what was agreed on"),
	LP_READER("state", state_read,
		  .doc = "state of the import, and the last 16 it was in with their times"),
	LP_READER("connect_flags", connect_flags_read,
		  .doc = "connect flags that were agreed on"),
	LP_READER("timeouts", timeouts_read,
		  .doc = "when the target answered last, and how long it is estimated to take, seconds"),
	LP_BOOL_RW("active", active_get, active_set,
		   .doc = "whether the import may be used"),
	LP_TRIGGER("ping", ping_write,
		   .doc = "ask the target whether it still knows this client"),
	LP_U32_RW("max_rpcs_in_flight", rpcs_get, rpcs_set, .min = 1,
		  .max = CLIENT_RPCS_MAX, LP_DEF(CLIENT_RPCS_DEFAULT),
		  .doc = "most requests with bulk data on the wire, and most others"),
};

#define SERVER_ATTRS(prefix)						\
{									\
	LP_STR_RO(prefix "conn_uuid", conn_uuid_get,			\
		  .doc = "server that the import is connected to"),	\
	LP_STR_RO(prefix "server_uuid", server_uuid_get,		\
		  .doc = "target of the import and its state"),		\
}
#define SERVER_ATTR_COUNT	2

/* Types whose parameters are named after the target. */
static const struct {
	const char *type;
	struct lustre_params_attr attrs[SERVER_ATTR_COUNT];
} server_attrs[] = {
	{ "osc", SERVER_ATTRS("ost_") },
	{ "osp", SERVER_ATTRS("ost_") },
	{ "mdc", SERVER_ATTRS("mds_") },
	{ "mgc", SERVER_ATTRS("mgs_") },
};

static const struct lustre_params_attr other_attrs[SERVER_ATTR_COUNT] =
	SERVER_ATTRS("");

static const struct lustre_params_attr *server_attrs_of(const char *type)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(server_attrs); n++) {
		if (!strcmp(server_attrs[n].type, type))
			return server_attrs[n].attrs;
	}
	return other_attrs;
}

/**
 * import_params_add() - io_params_add: add the parameters of a device with an import
 * @obd: device whose directory is not published yet
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int import_params_add(struct obd_device *obd)
{
	int rc = params_add_attrs(obd->obd_params, import_attrs,
				  ARRAY_SIZE(import_attrs), obd);

	if (rc)
		return rc;
	return params_add_attrs(obd->obd_params,
				server_attrs_of(obd->obd_type_name),
				SERVER_ATTR_COUNT, obd);
}
