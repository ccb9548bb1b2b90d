// SPDX-License-Identifier: GPL-2.0
/*
 * Type obdecho: setup and cleanup, room, health.
 *
 *	setup [CAPACITY]	bytes that statfs tells of, such as 64M
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "echo_internal.h"

#define ECHO_BLOCK_SIZE	4096

static int setup_capacity(const struct lcfg_view *cfg, u64 *capacity,
			  struct obd_why *why)
{
	const char *text = lcfg_string(cfg, 1);
	char *end;

	*capacity = 0;
	if (!text || !*text)
		return 0;
	*capacity = memparse(text, &end);
	if (end == text || *end || *capacity < ECHO_BLOCK_SIZE)
		return obd_refuse(why, -EINVAL,
				  "setup of obdecho: '%s' is no capacity; give bytes such as 64M, at least 4K, or nothing",
				  text);
	return 0;
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
	server = libcfs_zalloc(sizeof(*server), GFP_KERNEL_ACCOUNT);
	if (!server)
		return -ENOMEM;
	server->es_obd = obd;
	server->es_capacity = capacity;
	mutex_init(&server->es_lock);
	INIT_LIST_HEAD(&server->es_exports);
	INIT_LIST_HEAD(&server->es_links);
	rc = echo_server_params_add(server);
	if (rc) {
		libcfs_free(server, sizeof(*server));
		return rc;
	}
	obd->obd_data = server;
	return 0;
}

static int echo_server_precleanup(struct obd_device *obd)
{
	echo_client_drop_all(echo_server(obd));
	return 0;
}

static int echo_server_cleanup(struct obd_device *obd)
{
	struct echo_server *server = echo_server(obd);

	WARN_ON(!list_empty(&server->es_exports));
	WARN_ON(!list_empty(&server->es_links));
	obd->obd_data = NULL;
	libcfs_free(server, sizeof(*server));
	return 0;
}

/* The memory of the node, or what was configured less the texts that are kept. */
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
	int rc = 0;

	mutex_lock(&server->es_lock);
	if (server->es_unhealthy[0])
		rc = obd_refuse(why, -EIO, "%s", server->es_unhealthy);
	mutex_unlock(&server->es_lock);
	return rc;
}

static int echo_server_process_config(struct obd_device *obd,
				      const struct lcfg_view *cfg,
				      struct obd_why *why)
{
	if (cfg->command == LCFG_PARAM)
		return class_modify_config(obd, cfg, why);
	return obd_refuse(why, -EOPNOTSUPP,
			  "%s: a device of type obdecho does not know %s",
			  obd->obd_name, lcfg_command_name(cfg->command));
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
	.o_process_config	= echo_server_process_config,
	.o_get_info		= echo_server_get_info,
	.o_set_info_async	= echo_server_set_info,
	.o_health_check		= echo_server_health_check,
	.o_statfs		= echo_server_statfs,
	.o_get_uuid		= echo_server_get_uuid,
};

struct obd_type echo_server_type = {
	.typ_name	= "obdecho",
	.typ_dt_ops	= &echo_server_ops,
};
