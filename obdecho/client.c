// SPDX-License-Identifier: GPL-2.0-only
/*
 * Type echo_client: sends texts to a device of type obdecho and verifies that
 * they come back.
 *
 *	setup TARGET		name or uuid of the obdecho device, or of the client
 *				device (osc, mdc) that leads to one
 *
 * The client is connected from its setup on. It has the cookie of its
 * connection and no reference, so that the cleanup of the other device does not
 * wait. The client is then disconnected for good, and must be replaced by a new
 * one.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/obd_client.h>

#include "cache.h"
#include "open.h"
#include "unstable.h"

enum {
	ECHO_STAT_CALLS,
	ECHO_STAT_BYTES,
	ECHO_STAT_ERRORS,
	ECHO_STAT_LATENCY,
	ECHO_STAT_COUNT
};

static const struct params_stat_desc echo_stat_desc[ECHO_STAT_COUNT] = {
	[ECHO_STAT_CALLS] = { .name = "echo", .unit = PARAMS_UNIT_REQS },
	[ECHO_STAT_BYTES] = { .name = "echo_bytes", .unit = PARAMS_UNIT_BYTES,
			      .flags = PARAMS_CF_MINMAX },
	[ECHO_STAT_ERRORS] = { .name = "errors", .unit = PARAMS_UNIT_REQS },
	[ECHO_STAT_LATENCY] = { .name = "latency", .unit = PARAMS_UNIT_USEC,
				.buckets = 24 },
};

/**
 * struct echo_client - a device of type echo_client
 * @ecl_obd: its device
 * @ecl_server: the server's device, or the client device that leads there;
 *  referenced (OBD_REF_TARGET)
 * @ecl_cookie: of its connection to @ecl_server: each use looks it up, so that
 *  removing the export does not wait
 * @ecl_one: serializes echoes: the server stores one text of a client
 * @ecl_stats: ECHO_STAT_*
 * @ecl_unstable: its unstable writes, referenced
 * @ecl_opens: its open objects, referenced
 * @ecl_site: objects that it uses or has locked, referenced
 */
struct echo_client {
	struct obd_device	*ecl_obd;
	struct obd_device	*ecl_server;
	u64			ecl_cookie;
	struct mutex		ecl_one;
	struct params_stats	*ecl_stats;
	struct echo_unstable	*ecl_unstable;
	struct echo_opens	*ecl_opens;
	struct lu_site		*ecl_site;
};

static struct echo_client *echo_client(const struct obd_device *obd)
{
	return obd->obd_data;
}

/* The connection, referenced, or NULL if it was removed. */
static struct obd_export *client_export(struct echo_client *ec)
{
	struct obd_export *exp = class_conn2export(ec->ecl_cookie);

	if (!exp || class_connected_export(exp))
		return exp;
	class_export_put(exp);
	return NULL;
}

static bool client_connected(struct echo_client *ec)
{
	struct obd_export *exp = client_export(ec);

	if (!exp)
		return false;
	class_export_put(exp);
	return true;
}

static int client_not_connected(struct echo_client *ec, struct obd_why *why)
{
	return obd_refuse(why, -ENOTCONN,
			  "not connected: its server %s evicted it or was cleaned up; set up a new echo_client",
			  ec->ecl_server->obd_name);
}

/* Send a text and receive it. */
static int echo_exchange(struct obd_export *exp, const char *text, u32 len)
{
	u32 got = ECHO_TEXT_MAX;
	char *back;
	int rc;

	rc = obd_set_info_async(exp, ECHO_KEY, text, len);
	if (rc)
		return rc;
	back = kmalloc(ECHO_TEXT_MAX, GFP_KERNEL);
	if (!back)
		return -ENOMEM;
	rc = obd_get_info(exp, ECHO_KEY, back, &got);
	if (!rc && (got != len || memcmp(back, text, len)))
		rc = -EBADMSG;
	kfree(back);
	return rc;
}

static int echo_trigger(const char *text, size_t len, void *data)
{
	struct echo_client *ec = data;
	struct obd_export *exp;
	u64 start = ktime_get_ns();
	struct obd_why why = { "" };
	int rc = -ENOTCONN;

	exp = client_export(ec);
	if (exp) {
		mutex_lock(&ec->ecl_one);
		rc = echo_exchange(exp, text, len);
		mutex_unlock(&ec->ecl_one);
		class_export_put(exp);
	}
	if (!client_connected(ec))
		rc = client_not_connected(ec, &why);
	if (rc) {
		params_stats_add(ec->ecl_stats, ECHO_STAT_ERRORS, 1);
		CERROR("%s: echo of %zu bytes by %s: %s: rc = %d\n",
		       ec->ecl_obd->obd_name, len, ec->ecl_server->obd_name,
		       why.text[0] ? why.text : "failed", rc);
		return rc;
	}
	params_stats_add(ec->ecl_stats, ECHO_STAT_CALLS, 1);
	params_stats_add(ec->ecl_stats, ECHO_STAT_BYTES, len);
	params_stats_add(ec->ecl_stats, ECHO_STAT_LATENCY,
			 (ktime_get_ns() - start) / NSEC_PER_USEC);
	return 0;
}

static ssize_t echo_target_get(void *data, char *buf, size_t size)
{
	struct echo_client *ec = data;
	ssize_t len = strscpy(buf, ec->ecl_server->obd_name, size);

	return len < 0 ? -EOVERFLOW : len;
}

static int echo_connected_get(void *data, u64 *val)
{
	struct echo_client *ec = data;

	*val = client_connected(ec);
	return 0;
}

static struct params_stats *echo_stats_get(void *data)
{
	struct echo_client *ec = data;

	return ec->ecl_stats;
}

static int echo_unstable_bytes_get(void *data, u64 *val)
{
	struct echo_client *ec = data;

	*val = atomic64_read(&ec->ecl_unstable->eun_bytes);
	return 0;
}

static int echo_lost_writes_get(void *data, u64 *val)
{
	struct echo_client *ec = data;

	*val = atomic64_read(&ec->ecl_unstable->eun_lost);
	return 0;
}

static int echo_open_get(void *data, u64 *val)
{
	const struct echo_client *ec = data;

	*val = READ_ONCE(ec->ecl_opens->eop_count);
	return 0;
}

static int echo_lost_opens_get(void *data, u64 *val)
{
	const struct echo_client *ec = data;

	*val = READ_ONCE(ec->ecl_opens->eop_lost);
	return 0;
}

static const struct lustre_params_attr echo_client_attrs[] = {
	LP_STR_RO("target", echo_target_get,
		  .doc = "device that receives the texts"),
	LP_BOOL_RO("connected", echo_connected_get,
		   .doc = "whether the target still knows this client"),
	LP_TRIGGER("echo", echo_trigger,
		   .doc = "send the written text to the target and compare the answer"),
	LP_STATS_RWC("echo_stats", echo_stats_get,
		     .doc = "echoed texts, their bytes and times, and failures; writing \"clear\" resets the counters"),
	LP_U64_RO("unstable_bytes", echo_unstable_bytes_get, .unit = PARAMS_UNIT_BYTES,
		  .doc = "bytes of unstable writes that are not known to be on the server's disk, and are kept"),
	LP_U64_RO("lost_writes", echo_lost_writes_get, .unit = PARAMS_UNIT_REQS,
		  .doc = "unstable writes that failed or were lost with the server"),
	LP_U64_RO("open", echo_open_get, .doc = "objects that were opened and not closed"),
	LP_U64_RO("lost_opens", echo_lost_opens_get,
		  .doc = "open objects that were lost with the server"),
};

/* The device that setup names, referenced (OBD_REF_LOOKUP). */
static struct obd_device *client_find_server(const struct lcfg_view *cfg,
					     struct obd_why *why)
{
	const char *text = lcfg_string(cfg, 1);
	struct obd_uuid uuid = { "" };
	struct obd_device *server;

	if (!text || !*text)
		return ERR_PTR(obd_refuse(why, -EINVAL,
					  "setup of echo_client: the name or uuid of a device of type obdecho, osc or mdc is missing"));
	server = class_name2obd(text);
	if (!server && strscpy(uuid.uuid, text, sizeof(uuid.uuid)) > 0)
		server = class_uuid2obd(&uuid);
	if (!server)
		return ERR_PTR(obd_refuse(why, -ENODEV,
					  "setup of echo_client: no device has the name or uuid '%s'",
					  text));
	if (server->obd_type == &echo_server_type ||
	    server->obd_type->typ_import)
		return server;
	obd_refuse(why, -EINVAL,
		   "setup of echo_client: %s is a device of type %s; name one of type obdecho, osc or mdc",
		   server->obd_name, server->obd_type_name);
	class_decref(server, OBD_REF_LOOKUP);
	return ERR_PTR(-EINVAL);
}

static int client_connect(struct echo_client *ec, struct obd_why *why)
{
	struct obd_connect_data ocd = {
		.ocd_connect_flags = OBD_CONNECT_VERSION |
				     OBD_CONNECT_BRW_SIZE | OBD_CONNECT_AT,
		.ocd_brw_size = WIRE_BULK_MAX,
	};
	struct obd_export *exp;
	int rc;

	rc = obd_connect(&exp, ec->ecl_server, &ec->ecl_obd->obd_uuid, NULL,
			 &ocd);
	if (rc)
		return obd_refuse(why, rc,
				  rc == -EALREADY ?
				  "%s: %s already has a client with the uuid %s; choose another uuid" :
				  "%s: cannot connect to %s with the uuid %s",
				  ec->ecl_obd->obd_name,
				  ec->ecl_server->obd_name,
				  ec->ecl_obd->obd_uuid.uuid);
	ec->ecl_cookie = exp->exp_handle.h_cookie;
	class_export_put(exp);
	return 0;
}

static void client_disconnect(struct echo_client *ec)
{
	struct obd_export *exp;

	echo_cache_close(ec->ecl_site, ec->ecl_server);
	exp = client_export(ec);
	if (exp)
		obd_disconnect(exp);
}

static void client_free(struct echo_client *ec)
{
	if (ec->ecl_server)
		class_decref(ec->ecl_server, OBD_REF_TARGET);
	if (ec->ecl_unstable)
		echo_unstable_put(ec->ecl_unstable);
	if (ec->ecl_opens) {
		echo_opens_drop(ec->ecl_opens);
		echo_opens_put(ec->ecl_opens);
	}
	if (!IS_ERR_OR_NULL(ec->ecl_site))
		lu_site_put(ec->ecl_site);
	params_stats_free(ec->ecl_stats);
	libcfs_free(ec, sizeof(*ec));
}

static struct echo_client *client_alloc(struct obd_device *obd)
{
	struct echo_client *ec = libcfs_zalloc(sizeof(*ec), GFP_KERNEL_ACCOUNT);

	if (!ec)
		return NULL;
	ec->ecl_stats = params_stats_alloc(echo_stat_desc, ECHO_STAT_COUNT);
	ec->ecl_unstable = echo_unstable_new();
	ec->ecl_opens = echo_opens_new();
	ec->ecl_site = echo_cache_new(obd);
	if (!ec->ecl_stats || !ec->ecl_unstable || !ec->ecl_opens || IS_ERR(ec->ecl_site)) {
		client_free(ec);
		return NULL;
	}
	ec->ecl_obd = obd;
	mutex_init(&ec->ecl_one);
	return ec;
}

static int echo_client_setup(struct obd_device *obd,
			     const struct lcfg_view *cfg, struct obd_why *why)
{
	struct obd_device *server;
	struct echo_client *ec;
	int rc;

	ec = client_alloc(obd);
	if (!ec)
		return -ENOMEM;
	server = client_find_server(cfg, why);
	if (IS_ERR(server)) {
		rc = PTR_ERR(server);
		goto free_client;
	}
	class_incref(server, OBD_REF_TARGET);
	class_decref(server, OBD_REF_LOOKUP);
	ec->ecl_server = server;
	rc = client_connect(ec, why);
	if (rc)
		goto free_client;
	rc = params_add_attrs(obd->obd_params, echo_client_attrs,
			      ARRAY_SIZE(echo_client_attrs), ec);
	if (rc)
		goto disconnect;
	obd->obd_data = ec;
	return 0;

disconnect:
	client_disconnect(ec);
free_client:
	client_free(ec);
	return rc;
}

static int echo_client_precleanup(struct obd_device *obd)
{
	client_disconnect(echo_client(obd));
	return 0;
}

static int echo_client_cleanup(struct obd_device *obd)
{
	client_free(echo_client(obd));
	obd->obd_data = NULL;
	return 0;
}

static int echo_client_statfs(struct obd_export *exp, struct obd_statfs *st,
			      u64 max_age)
{
	struct obd_export *server = client_export(echo_client(exp->exp_obd));
	int rc;

	if (!server)
		return -ENOTCONN;
	rc = obd_statfs(server, st, max_age);
	class_export_put(server);
	return rc;
}

static int echo_client_get_uuid(struct obd_export *exp, struct obd_uuid *uuid)
{
	*uuid = echo_client(exp->exp_obd)->ecl_server->obd_uuid;
	return 0;
}

static int echo_client_health_check(struct obd_device *obd,
				    struct obd_why *why)
{
	struct echo_client *ec = echo_client(obd);

	return client_connected(ec) ? 0 : client_not_connected(ec, why);
}

/* The import from the intermediate device to the server. */
static void use_import(struct echo_use *use)
{
	struct obd_device *obd = use->eu_exp->exp_obd;
	struct obd_import *imp;

	if (!obd_op_enter(obd))
		return;
	imp = obd->obd_cli ? class_import_get(obd->obd_cli->cl_import) : NULL;
	obd_op_leave(obd);
	/* A target in this kernel is called directly, without requests. */
	if (imp && READ_ONCE(imp->imp_networked))
		use->eu_imp = imp;
	else
		use->eu_local_imp = imp;
}

/**
 * echo_client_use() - use the connection of a client
 * @obd: its device; the caller is inside of its gate
 * @use: out, for echo_client_unuse()
 * @why: out: reason of a failure
 *
 * Delays cleanups only for the calls in flight; it ends with the connection.
 *
 * Context: may sleep
 * Return: 0; -EINVAL unless it is an echo_client; -ENOTCONN if its connection
 *  was removed
 */
int echo_client_use(struct obd_device *obd, struct echo_use *use,
		    struct obd_why *why)
{
	struct echo_client *ec;

	if (obd->obd_type != &echo_client_type)
		return obd_refuse(why, -EINVAL,
				  "%s is a device of type %s; name one of type echo_client",
				  obd->obd_name, obd->obd_type_name);
	ec = echo_client(obd);
	*use = (struct echo_use) { .eu_exp = client_export(ec) };
	if (!use->eu_exp)
		return client_not_connected(ec, why);
	use_import(use);
	refcount_inc(&ec->ecl_unstable->eun_refcount);
	use->eu_unstable = ec->ecl_unstable;
	refcount_inc(&ec->ecl_opens->eop_refcount);
	use->eu_opens = ec->ecl_opens;
	lu_site_get(ec->ecl_site);
	use->eu_site = ec->ecl_site;
	return 0;
}

/* Undo echo_client_use(). May sleep. */
void echo_client_unuse(struct echo_use *use)
{
	if (use->eu_imp)
		class_import_put(use->eu_imp);
	if (use->eu_local_imp)
		class_import_put(use->eu_local_imp);
	echo_unstable_put(use->eu_unstable);
	echo_opens_put(use->eu_opens);
	lu_site_put(use->eu_site);
	class_export_put(use->eu_exp);
}

static const struct obd_ops echo_client_ops = {
	.o_owner	= THIS_MODULE,
	.o_setup	= echo_client_setup,
	.o_precleanup	= echo_client_precleanup,
	.o_cleanup	= echo_client_cleanup,
	.o_statfs	= echo_client_statfs,
	.o_get_uuid	= echo_client_get_uuid,
	.o_health_check	= echo_client_health_check,
};

struct obd_type echo_client_type = {
	.typ_name	= "echo_client",
	.typ_dt_ops	= &echo_client_ops,
};
