// SPDX-License-Identifier: GPL-2.0
/*
 * Type obdecho: parameters.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>

#include "echo_internal.h"

/* What is read, and written, when there is no reason. */
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
		params_put_u64(sink, "executed", ee->ee_tally->tl_executed);
		params_put_u64(sink, "reads", atomic64_read(&ee->ee_reads));
		params_put_u64(sink, "writes", atomic64_read(&ee->ee_writes));
		params_list_end(sink);
	}
	mutex_unlock(&server->es_lock);
	return params_sink_error(sink);
}

/* One of the numbers that es_lock guards. */
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

static int twice_get(void *data, u64 *val)
{
	struct echo_server *server = data;

	*val = number_get(server, &server->es_twice);
	return 0;
}

static const struct lustre_params_attr echo_server_attrs[] = {
	LP_BYTES_FIELD("capacity", struct echo_server, es_capacity,
		       .unit = PARAMS_UNIT_BYTES, .max = 1ULL << 60, LP_DEF(0),
		       .doc = "bytes that the room on this target is told to be; 0: the memory of the node"),
	LP_STR_RW("unhealthy", unhealthy_get, unhealthy_set,
		  .max = ECHO_UNHEALTHY_MAX - 1,
		  .doc = "reason that health_check gives; \"healthy\": the device is well"),
	LP_READER("clients", clients_read,
		  .doc = "texts that each client gave and took back, and the bytes of the last; its requests that counted, read and wrote"),
	LP_BOOL_FIELD("check", struct echo_server, es_check, LP_DEF(0),
		      .doc = "look at every byte that a client writes"),
	LP_U64_RO("executed", executed_get, .unit = PARAMS_UNIT_REQS,
		  .doc = "requests that counted"),
	LP_U64_RO("sum", sum_get, .doc = "what those added"),
	LP_U64_RO("twice", twice_get, .unit = PARAMS_UNIT_REQS,
		  .doc = "requests that were executed more often than once, which must not be"),
};

/* Parameters of the server, into the directory of its device. */
int echo_server_params_add(struct echo_server *server)
{
	return params_add_attrs(server->es_obd->obd_params, echo_server_attrs,
				ARRAY_SIZE(echo_server_attrs), server);
}
