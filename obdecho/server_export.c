// SPDX-License-Identifier: GPL-2.0-only
/*
 * Type obdecho: its clients and their texts.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
#include <linux/string.h>

#include <lustre_lite/codec.h>
#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "echo_internal.h"

/* Supported flags of clients. */
#define ECHO_CONNECT_FLAGS	(OBD_CONNECT_INDEX | OBD_CONNECT_VERSION | \
				 OBD_CONNECT_BRW_SIZE | OBD_CONNECT_AT)

static void text_drop(struct echo_server *server, struct echo_export *ee)
{
	lockdep_assert_held(&server->es_lock);
	if (!ee->ee_text)
		return;
	server->es_texts--;
	server->es_bytes -= ee->ee_len;
	libcfs_free(ee->ee_text, ee->ee_len + 1);
	ee->ee_text = NULL;
	ee->ee_len = 0;
}

/* The last reference on the export was dropped. */
static void echo_export_destroy(struct obd_export *exp)
{
	struct echo_server *server = echo_server(exp->exp_obd);
	struct echo_export *ee = exp->exp_data;

	mutex_lock(&server->es_lock);
	list_del(&ee->ee_list);
	text_drop(server, ee);
	echo_handles_free(server, ee);
	echo_counts_put(server, ee->ee_counts);
	mutex_unlock(&server->es_lock);
	libcfs_free(ee, sizeof(*ee));
}

/*
 * The counts of a client of another node are in the journal until the target removes the
 * client: a stopping server writes its journal after its exports have ended.
 */
static int echo_export_init(struct echo_server *server, struct obd_export *exp,
			    bool remote)
{
	struct echo_export *ee = libcfs_zalloc(sizeof(*ee), GFP_KERNEL_ACCOUNT);

	if (!ee)
		return -ENOMEM;
	ee->ee_exp = exp;
	INIT_LIST_HEAD(&ee->ee_handles);
	mutex_lock(&server->es_lock);
	ee->ee_counts = echo_counts_get(server, &exp->exp_client_uuid);
	if (!ee->ee_counts) {
		mutex_unlock(&server->es_lock);
		libcfs_free(ee, sizeof(*ee));
		return -ENOMEM;
	}
	if (remote && server->es_journal)
		echo_counts_know(server, &exp->exp_client_uuid, true);
	list_add_tail(&ee->ee_list, &server->es_exports);
	exp->exp_data = ee;
	exp->exp_destroy = echo_export_destroy;
	mutex_unlock(&server->es_lock);
	return 0;
}

int echo_server_connect(struct obd_export **exp, struct obd_device *obd,
			const struct obd_uuid *uuid,
			const struct lnet_nid *nid,
			struct obd_connect_data *ocd)
{
	struct lustre_handle conn = { };
	struct obd_export *new;
	int rc;

	rc = class_connect(&conn, obd, uuid, nid);
	if (rc)
		return rc;
	new = class_conn2export(conn.cookie);
	if (!new)
		return -ENOTCONN;
	rc = echo_export_init(echo_server(obd), new, nid);
	if (rc) {
		class_disconnect(new);
		return rc;
	}
	ptlrpc_target_grant(new, ocd, ECHO_CONNECT_FLAGS);
	*exp = new;
	return 0;
}

int echo_server_reconnect(struct obd_export *exp, struct obd_device *obd,
			  const struct obd_uuid *uuid,
			  struct obd_connect_data *ocd)
{
	if (memcmp(&exp->exp_client_uuid, uuid, sizeof(*uuid)))
		return -EALREADY;
	ptlrpc_target_grant(exp, ocd, ECHO_CONNECT_FLAGS);
	return 0;
}

/* The caller's echo_export, es_lock held; NULL if it has none. */
struct echo_export *echo_export_lock(struct obd_export *exp)
{
	struct echo_server *server = echo_server(exp->exp_obd);
	struct echo_export *ee;

	mutex_lock(&server->es_lock);
	ee = exp->exp_data;
	if (!ee || !class_connected_export(exp)) {
		mutex_unlock(&server->es_lock);
		return NULL;
	}
	return ee;
}

int echo_server_get_info(struct obd_export *exp, const char *key, void *val,
			 u32 *vallen)
{
	struct echo_server *server = echo_server(exp->exp_obd);
	struct echo_export *ee;
	int rc = 0;

	if (strcmp(key, ECHO_KEY))
		return -EOPNOTSUPP;
	ee = echo_export_lock(exp);
	if (!ee)
		return -ENOTCONN;
	if (!ee->ee_text) {
		rc = -ENODATA;
	} else if (*vallen < ee->ee_len) {
		rc = -EOVERFLOW;
	} else {
		memcpy(val, ee->ee_text, ee->ee_len);
		ee->ee_got++;
	}
	*vallen = ee->ee_len;
	mutex_unlock(&server->es_lock);
	return rc;
}

static int text_set(struct obd_export *exp, const void *val, u32 vallen)
{
	struct echo_server *server = echo_server(exp->exp_obd);
	struct echo_export *ee;
	char *text;

	if (vallen > ECHO_TEXT_MAX)
		return -E2BIG;
	text = libcfs_zalloc(vallen + 1, GFP_KERNEL_ACCOUNT);
	if (!text)
		return -ENOMEM;
	memcpy(text, val, vallen);
	ee = echo_export_lock(exp);
	if (!ee) {
		libcfs_free(text, vallen + 1);
		return -ENOTCONN;
	}
	text_drop(server, ee);
	ee->ee_text = text;
	ee->ee_len = vallen;
	ee->ee_set++;
	server->es_texts++;
	server->es_bytes += vallen;
	mutex_unlock(&server->es_lock);
	return 0;
}

/**
 * echo_server_count() - count for a client
 * @exp: its export
 * @count: in: request; out: its transaction
 *
 * Context: may sleep; waits for the disk if the journal has no interval, except for an
 *  unstable write
 * Return: 0; -ENOTCONN if the client has disconnected; -EIO if the journal
 *  cannot be written; -ENOMEM
 */
int echo_server_count(struct obd_export *exp, struct echo_count *count)
{
	struct echo_server *server = echo_server(exp->exp_obd);
	struct echo_export *ee;
	int rc = tgt_trans_start(exp->exp_obd), stop;

	if (rc)
		return rc;
	ee = echo_export_lock(exp);
	if (ee) {
		rc = echo_counts_add(server, ee->ee_counts, count);
		mutex_unlock(&server->es_lock);
	}
	stop = tgt_trans_stop(exp->exp_obd, count->executed ? count->transno : 0, count->bytes,
			      count->unstable);
	if (!ee)
		return -ENOTCONN;
	return rc ?: stop;
}

int echo_server_set_info(struct obd_export *exp, const char *key,
			 const void *val, u32 vallen)
{
	struct echo_count count = {};

	if (!strcmp(key, ECHO_KEY))
		return text_set(exp, val, vallen);
	if (strcmp(key, ECHO_KEY_COUNT))
		return -EOPNOTSUPP;
	if (vallen != sizeof(__le64))
		return -EINVAL;
	count.number = codec_get64(val, false);
	return echo_server_count(exp, &count);
}
