/* SPDX-License-Identifier: GPL-2.0 */
/*
 * obdecho: a server that gives back what it was given, and a client that tries
 * it. Together they show that devices, exports and operations work.
 *
 *	echo_client ---- export ----> obdecho	in this kernel, without an import
 *	osc -- import -- export ----> obdecho	through a transport
 */
#ifndef _ECHO_INTERNAL_H
#define _ECHO_INTERNAL_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_config.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/params.h>

/* Key of get_info and set_info_async: a text, kept for each client. */
#define ECHO_KEY		"echo"
/* Most bytes of a text. */
#define ECHO_TEXT_MAX		4096
/* Most bytes of the reason why a server says that it is unwell, with its NUL. */
#define ECHO_UNHEALTHY_MAX	128

/**
 * struct echo_server - a device of type obdecho
 * @es_obd: its device
 * @es_lock: guards @es_clients, @es_texts, @es_bytes, @es_unhealthy
 * @es_exports: struct echo_export of every client that has not been destroyed
 * @es_texts: texts kept
 * @es_bytes: bytes of them
 * @es_unhealthy: reason to be unwell, "" to be well
 * @es_capacity: bytes that statfs tells of, 0 for the memory of the node
 * @es_links: echo_clients that are connected; guarded by echo_links_lock
 */
struct echo_server {
	struct obd_device	*es_obd;
	struct mutex		es_lock;
	struct list_head	es_exports;
	u64			es_texts;
	u64			es_bytes;
	char			es_unhealthy[ECHO_UNHEALTHY_MAX];
	u64			es_capacity;
	struct list_head	es_links;
};

/**
 * struct echo_export - what the server keeps for a client: exp_data
 * @ee_list: in es_exports, guarded by es_lock
 * @ee_exp: its export, which owns this
 * @ee_set: texts it gave
 * @ee_got: texts it took back
 * @ee_len: bytes of @ee_text
 * @ee_text: its last text, or NULL
 *
 * All but @ee_exp guarded by es_lock. Made when the client connects, freed when
 * its export is destroyed.
 */
struct echo_export {
	struct list_head	ee_list;
	struct obd_export	*ee_exp;
	u64			ee_set;
	u64			ee_got;
	u32			ee_len;
	char			*ee_text;
};

static inline struct echo_server *echo_server(const struct obd_device *obd)
{
	return obd->obd_data;
}

extern struct obd_type echo_server_type;
extern struct obd_type echo_client_type;

/* server_export.c */
int echo_server_connect(struct obd_export **exp, struct obd_device *obd,
			const struct obd_uuid *uuid,
			const struct ll_nid *nid,
			struct obd_connect_data *ocd);
int echo_server_reconnect(struct obd_export *exp, struct obd_device *obd,
			  const struct obd_uuid *uuid,
			  struct obd_connect_data *ocd);
int echo_server_get_info(struct obd_export *exp, const char *key, void *val,
			 u32 *vallen);
int echo_server_set_info(struct obd_export *exp, const char *key,
			 const void *val, u32 vallen);

/* server_params.c */
int echo_server_params_add(struct echo_server *server);

/* client.c: the clients of a server that is being cleaned up let go of it. */
void echo_client_drop_all(struct echo_server *server);

#endif /* _ECHO_INTERNAL_H */
