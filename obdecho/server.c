// SPDX-License-Identifier: GPL-2.0-only
/*
 * Type obdecho: setup and cleanup, statfs, health.
 *
 *	setup [CAPACITY [DIR]]	bytes that statfs tells of, such as 64M, or 0;
 *					where what is counted survives a restart
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/lustre_dlm.h>

#include "echo_internal.h"

#define ECHO_BLOCK_SIZE	4096

/* Buffers of LCFG_SETUP. */
#define SETUP_CAPACITY	1
#define SETUP_FOLDER	2

static int setup_capacity(const struct lcfg_view *cfg, u64 *capacity,
			  struct obd_why *why)
{
	const char *text = lcfg_string(cfg, SETUP_CAPACITY);
	char *end;

	*capacity = 0;
	if (!text || !*text)
		return 0;
	*capacity = memparse(text, &end);
	if (end == text || *end ||
	    (*capacity && *capacity < ECHO_BLOCK_SIZE))
		return obd_refuse(why, -EINVAL,
				  "setup of obdecho: '%s' is not a capacity; use bytes such as 64M, at least 4K, 0, or omit it",
				  text);
	return 0;
}

static struct echo_server *server_alloc(struct obd_device *obd)
{
	struct echo_server *server = libcfs_zalloc(sizeof(*server),
						   GFP_KERNEL_ACCOUNT);

	if (!server)
		return NULL;
	server->es_obd = obd;
	mutex_init(&server->es_lock);
	INIT_LIST_HEAD(&server->es_exports);
	INIT_LIST_HEAD(&server->es_counts);
	xa_init_flags(&server->es_handles, XA_FLAGS_ALLOC);
	/* A number of before a restart is not one of after it. */
	server->es_handle_next = get_random_u32();
	return server;
}

/* Parts of the server: objects, parameters, journal, locks. */
static int server_build(struct echo_server *server, const struct lcfg_view *cfg,
			struct obd_why *why)
{
	struct ldlm_namespace *ns;
	int rc;

	rc = echo_pattern_make() ?: echo_objects_init(server);
	if (rc)
		return rc;
	rc = echo_server_params_add(server);
	if (rc)
		goto free_objects;
	ns = ldlm_namespace_new(server->es_obd, LDLM_SERVER);
	if (IS_ERR(ns)) {
		rc = PTR_ERR(ns);
		goto free_objects;
	}
	ldlm_server_lvb_ops(server->es_obd, &echo_lvb_ops);
	rc = echo_journal_open(server, lcfg_string(cfg, SETUP_FOLDER), why);
	if (rc)
		goto free_namespace;
	rc = ptlrpc_target_start(server->es_obd, why);
	if (rc)
		goto close_journal;
	return 0;

close_journal:
	echo_journal_close(server);
free_namespace:
	ldlm_namespace_free(ns);
free_objects:
	echo_objects_fini(server);
	return rc;
}

static int echo_server_setup(struct obd_device *obd,
			     const struct lcfg_view *cfg, struct obd_why *why)
{
	struct echo_server *server;
	u64 capacity;
	int rc;

	rc = setup_capacity(cfg, &capacity, why);
	if (rc)
		return rc;
	server = server_alloc(obd);
	if (!server)
		return -ENOMEM;
	server->es_capacity = capacity;
	obd->obd_data = server;
	rc = server_build(server, cfg, why);
	if (rc) {
		obd->obd_data = NULL;
		libcfs_free(server, sizeof(*server));
	}
	return rc;
}

static int echo_server_precleanup(struct obd_device *obd)
{
	ptlrpc_target_stop(obd);
	return 0;
}

static int echo_server_cleanup(struct obd_device *obd)
{
	struct echo_server *server = echo_server(obd);

	WARN_ON(!list_empty(&server->es_exports));
	echo_journal_close(server);
	WARN_ON(!list_empty(&server->es_counts));
	WARN_ON(!xa_empty(&server->es_handles));
	ldlm_namespace_free(obd->obd_namespace);
	echo_objects_fini(server);
	obd->obd_data = NULL;
	libcfs_free(server, sizeof(*server));
	return 0;
}

/* The memory of the node, or the configured capacity minus the stored texts. */
static int echo_server_statfs(struct obd_export *exp, struct obd_statfs *st,
			      u64 max_age)
{
	struct echo_server *server = echo_server(exp->exp_obd);
	u64 capacity = READ_ONCE(server->es_capacity), used;

	memset(st, 0, sizeof(*st));
	st->os_type = RAMFS_MAGIC;
	st->os_bsize = ECHO_BLOCK_SIZE;
	st->os_namelen = UUID_MAX - 1;
	mutex_lock(&server->es_lock);
	used = server->es_bytes;
	st->os_files = server->es_texts;
	mutex_unlock(&server->es_lock);
	if (capacity) {
		st->os_blocks = capacity / ECHO_BLOCK_SIZE;
		st->os_bfree = capacity > used ?
			       (capacity - used) / ECHO_BLOCK_SIZE : 0;
	} else {
		st->os_blocks = (u64)totalram_pages() * PAGE_SIZE /
				ECHO_BLOCK_SIZE;
		st->os_bfree = (u64)max_t(long, si_mem_available(), 0) * PAGE_SIZE /
			       ECHO_BLOCK_SIZE;
	}
	st->os_bavail = st->os_bfree;
	return 0;
}

static int echo_server_health_check(struct obd_device *obd,
				    struct obd_why *why)
{
	struct echo_server *server = echo_server(obd);
	int rc = tgt_failed(obd);

	if (rc)
		return obd_refuse(why, rc,
				  "its journal could not be written; counting has stopped");
	mutex_lock(&server->es_lock);
	if (server->es_unhealthy[0])
		rc = obd_refuse(why, -EIO, "%s", server->es_unhealthy);
	mutex_unlock(&server->es_lock);
	return rc;
}

static int echo_server_get_uuid(struct obd_export *exp, struct obd_uuid *uuid)
{
	*uuid = exp->exp_obd->obd_uuid;
	return 0;
}

static const struct obd_ops echo_server_ops = {
	.o_owner		= THIS_MODULE,
	.o_setup		= echo_server_setup,
	.o_precleanup		= echo_server_precleanup,
	.o_cleanup		= echo_server_cleanup,
	.o_connect		= echo_server_connect,
	.o_reconnect		= echo_server_reconnect,
	.o_disconnect		= class_disconnect,
	.o_process_config	= class_process_param,
	.o_get_info		= echo_server_get_info,
	.o_set_info_async	= echo_server_set_info,
	.o_health_check		= echo_server_health_check,
	.o_statfs		= echo_server_statfs,
	.o_get_uuid		= echo_server_get_uuid,
};

struct obd_type echo_server_type = {
	.typ_name	= "obdecho",
	.typ_dt_ops	= &echo_server_ops,
	.typ_target	= &echo_target_ops,
};
