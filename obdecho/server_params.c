// SPDX-License-Identifier: GPL-2.0-only
/*
 * Type obdecho: parameters.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>

#include "echo_internal.h"

/* Read and written if the device is healthy. */
#define WELL	"healthy"

static ssize_t unhealthy_get(void *data, char *buf, size_t size)
{
	struct echo_server *server = data;
	ssize_t len;

	mutex_lock(&server->es_lock);
	len = strscpy(buf, server->es_unhealthy[0] ? server->es_unhealthy : WELL,
		      size);
	mutex_unlock(&server->es_lock);
	return len < 0 ? -EOVERFLOW : len;
}

static int unhealthy_set(const char *text, size_t len, void *data)
{
	struct echo_server *server = data;

	mutex_lock(&server->es_lock);
	strscpy(server->es_unhealthy, strcmp(text, WELL) ? text : "",
		sizeof(server->es_unhealthy));
	mutex_unlock(&server->es_lock);
	return 0;
}

static int clients_read(struct params_sink *sink, void *data)
{
	struct echo_server *server = data;
	struct echo_export *ee;

	mutex_lock(&server->es_lock);
	list_for_each_entry(ee, &server->es_exports, ee_list) {
		if (!class_connected_export(ee->ee_exp))
			continue;
		params_list_begin(sink, ee->ee_exp->exp_client_uuid.uuid,
				  PARAMS_LIST_FLOW_MAP);
		params_put_u64(sink, "set", ee->ee_set);
		params_put_u64(sink, "got", ee->ee_got);
		params_put_bytes(sink, "bytes", ee->ee_len);
		params_put_u64(sink, "executed", ee->ee_counts->cts_executed);
		params_put_u64(sink, "reads", atomic64_read(&ee->ee_reads));
		params_put_u64(sink, "writes", atomic64_read(&ee->ee_writes));
		params_list_end(sink);
	}
	mutex_unlock(&server->es_lock);
	return params_sink_error(sink);
}

static int objects_read(struct params_sink *sink, void *data)
{
	struct echo_server *server = data;

	return lu_site_print(server->es_site, sink);
}

/* A number guarded by es_lock. */
static u64 number_get(struct echo_server *server, const u64 *number)
{
	u64 val;

	mutex_lock(&server->es_lock);
	val = *number;
	mutex_unlock(&server->es_lock);
	return val;
}

static int executed_get(void *data, u64 *val)
{
	struct echo_server *server = data;

	*val = number_get(server, &server->es_executed);
	return 0;
}

static int sum_get(void *data, u64 *val)
{
	struct echo_server *server = data;

	*val = number_get(server, &server->es_sum);
	return 0;
}

static int open_get(void *data, u64 *val)
{
	struct echo_server *server = data;

	*val = number_get(server, &server->es_open);
	return 0;
}

static int rebuilt_get(void *data, u64 *val)
{
	struct echo_server *server = data;

	*val = number_get(server, &server->es_rebuilt);
	return 0;
}

static int twice_get(void *data, u64 *val)
{
	struct echo_server *server = data;

	*val = number_get(server, &server->es_twice);
	return 0;
}

static const struct lustre_params_attr echo_server_attrs[] = {
	LP_BYTES_FIELD("capacity", struct echo_server, es_capacity,
		       .unit = PARAMS_UNIT_BYTES, .max = 1ULL << 60, LP_DEF(0),
		       .doc = "capacity to report, bytes; 0: the memory of the node"),
	LP_STR_RW("unhealthy", unhealthy_get, unhealthy_set,
		  .max = ECHO_UNHEALTHY_MAX - 1,
		  .doc = "reason for health_check; \"healthy\": the device is healthy"),
	LP_READER("clients", clients_read,
		  .doc = "texts set and read by each client, and the bytes of the last; its counting requests, reads and writes"),
	LP_READER("objects", objects_read,
		  .doc = "number of objects in memory, and of those not in use; the holders and the size of each"),
	LP_BOOL_FIELD("check", struct echo_server, es_check, LP_DEF(0),
		      .doc = "verify every byte that a client writes"),
	LP_U64_RO("executed", executed_get, .unit = PARAMS_UNIT_REQS,
		  .doc = "counting requests executed"),
	LP_U64_RO("sum", sum_get, .doc = "sum of the values of counting requests"),
	LP_U64_RO("open", open_get, .doc = "open objects of all clients"),
	LP_U64_RO("rebuilt", rebuilt_get, .unit = PARAMS_UNIT_REQS,
		  .doc = "requests answered but not executed again after a restart"),
	LP_U64_RO("twice", twice_get, .unit = PARAMS_UNIT_REQS,
		  .doc = "requests executed more than once, an error"),
};

/* Parameters of the server, into the directory of its device. */
int echo_server_params_add(struct echo_server *server)
{
	return params_add_attrs(server->es_obd->obd_params, echo_server_attrs,
				ARRAY_SIZE(echo_server_attrs), server);
}
