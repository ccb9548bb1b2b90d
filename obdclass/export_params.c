// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters of exports: num_exports, evict_client and exports.NID.* of a
 * device.
 *
 * All clients of a NID share its directory: the first one adds it, the last one
 * removes it. A removal waits for the callbacks in that directory only: it may
 * be part of the callback of evict_client. While a directory is being removed
 * its name is reserved, so adding it again waits.
 */
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/rhashtable.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/wait.h>

#include <lustre_lite/params.h>

#include "obd_internal.h"

/* Key of a directory. No padding before the end of @nid. */
struct nid_dir_key {
	struct obd_device	*obd;
	struct lnet_nid		nid;
};

/**
 * struct obd_nid_dir - directory exports.NID of a device
 * @nd_key: device and NID
 * @nd_node: in the table of them
 * @nd_entry: directory, an own reference: a cleanup removes all parameters of
 *  the device, perhaps before the last client leaves
 * @nd_stats: operations of the clients, referenced, or NULL
 * @nd_clients: exports that share it; 0 while it is being removed
 *
 * Guarded by nid_dirs_lock, except @nd_key, @nd_entry and @nd_stats, which are
 * constant.
 * Owned by the exports that share it: the last one frees it.
 */
struct obd_nid_dir {
	struct nid_dir_key		nd_key;
	struct rhash_head		nd_node;
	struct lustre_params_entry	*nd_entry;
	struct obd_nid_stats		*nd_stats;
	unsigned int			nd_clients;
};

/*
 * Guards the table, exp_nid_dir of every export and obd_exports_params of every
 * device. Never held over a callback nor while waiting for one.
 */
static DEFINE_MUTEX(nid_dirs_lock);
static struct rhashtable nid_dirs;
static unsigned int nid_dirs_removed;
static DECLARE_WAIT_QUEUE_HEAD(nid_dirs_wait);

static const struct rhashtable_params nid_dirs_params = {
	.head_offset = offsetof(struct obd_nid_dir, nd_node),
	.key_offset = offsetof(struct obd_nid_dir, nd_key),
	.key_len = offsetofend(struct nid_dir_key, nid),
	.automatic_shrinking = true,
};

int obd_nid_dirs_init(void)
{
	return rhashtable_init(&nid_dirs, &nid_dirs_params);
}

void obd_nid_dirs_exit(void)
{
	WARN_ON(atomic_read(&nid_dirs.nelems));
	rhashtable_destroy(&nid_dirs);
}

static int num_exports_get(void *data, u64 *val)
{
	const struct obd_device *obd = data;

	/* The device's own export does not count as a client. */
	*val = READ_ONCE(obd->obd_num_exports) - 1;
	return 0;
}

static int evict_client_write(const char *text, size_t len, void *data)
{
	return obd_export_evict(data, text);
}

static const struct lustre_params_attr device_attrs[] = {
	LP_U32_RO("num_exports", num_exports_get,
		  .doc = "connected clients"),
	LP_TRIGGER("evict_client", evict_client_write,
		   .doc = "evict the client with the written uuid, or all clients at NID for nid:NID"),
};

int obd_exports_params_add(struct obd_device *obd)
{
	struct lustre_params_entry *dir;
	int rc;

	rc = params_add_attrs(obd->obd_params, device_attrs,
			      ARRAY_SIZE(device_attrs), obd);
	if (rc)
		return rc;
	dir = params_add_dir(obd->obd_params, "exports", obd);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	mutex_lock(&nid_dirs_lock);
	obd->obd_exports_params = dir;
	mutex_unlock(&nid_dirs_lock);
	return 0;
}

void obd_exports_params_close(struct obd_device *obd)
{
	mutex_lock(&nid_dirs_lock);
	obd->obd_exports_params = NULL;
	mutex_unlock(&nid_dirs_lock);
}

/* Pack a value of every export in a directory. */
static int nid_put(struct params_sink *sink, const struct obd_nid_dir *nd,
		   obd_export_put_t *put)
{
	struct obd_export_list list;
	unsigned int n;
	int rc;

	rc = obd_exports_at_nid(nd->nd_key.obd, &nd->nd_key.nid, &list);
	if (rc)
		return rc;
	for (n = 0; n < list.exl_count; n++)
		put(sink, list.exl_exports[n]);
	obd_export_list_put(&list);
	return params_sink_error(sink);
}

static void put_uuid(struct params_sink *sink, struct obd_export *exp)
{
	params_put_str(sink, NULL, exp->exp_client_uuid.uuid);
}

static int nid_uuid_read(struct params_sink *sink, void *data)
{
	return nid_put(sink, data, put_uuid);
}

static const char * const export_flag_names[] = {
	[EXPF_FAILED] = "failed",
	[EXPF_DISCONNECTED] = "disconnected",
	[EXPF_FORCE] = "force",
	[EXPF_FAILOVER] = "failover",
};

static void put_export_flags(struct params_sink *sink, unsigned long flags)
{
	unsigned int bit;

	params_list_begin(sink, "export_flags", PARAMS_LIST_FLOW_SEQ);
	for (bit = 0; bit < ARRAY_SIZE(export_flag_names); bit++)
		if (export_flag_names[bit] && test_bit(bit, &flags))
			params_put_str(sink, NULL, export_flag_names[bit]);
	params_list_end(sink);
}

static void put_export(struct params_sink *sink, struct obd_export *exp)
{
	struct obd_connect_data ocd;
	char nid[LNET_NID_TEXT_MAX];

	spin_lock(&exp->exp_lock);
	ocd = exp->exp_connect_data;
	spin_unlock(&exp->exp_lock);
	if (libcfs_nid_print(&exp->exp_nid, nid, sizeof(nid)) < 0)
		strscpy(nid, "?", sizeof(nid));
	params_list_begin(sink, exp->exp_client_uuid.uuid, PARAMS_LIST_MAP);
	params_put_str(sink, "name", exp->exp_obd->obd_name);
	params_put_str(sink, "client", nid);
	obd_put_connect_flags(sink, &ocd);
	obd_put_connect_data(sink, &ocd);
	put_export_flags(sink, READ_ONCE(exp->exp_flags));
	params_list_end(sink);
}

static int nid_export_read(struct params_sink *sink, void *data)
{
	return nid_put(sink, data, put_export);
}

static const struct lustre_params_attr nid_attrs[] = {
	LP_READER("uuid", nid_uuid_read,
		  .doc = "uuids of the clients at this NID"),
	LP_READER("export", nid_export_read,
		  .doc = "connect data of each client at this NID"),
};

static struct params_stats *nid_stats_get(void *data)
{
	const struct obd_nid_dir *nd = data;

	return obd_nid_stats_of(nd->nd_stats);
}

static const struct lustre_params_attr nid_stats_attrs[] = {
	LP_STATS_RWC("stats", nid_stats_get,
		     .doc = "operations of the clients at this NID; writing \"clear\" resets the counters"),
};

static int nid_open_files_read(struct params_sink *sink, void *data)
{
	const struct obd_nid_dir *nd = data;

	return nid_put(sink, nd, obd_open_files_of(nd->nd_key.obd));
}

static const struct lustre_params_attr nid_open_files_attrs[] = {
	LP_READER("open_files", nid_open_files_read,
		  .doc = "FIDs of what the clients at this NID have open, one for each open"),
};

static int nid_attrs_add(struct obd_nid_dir *nd, struct lustre_params_entry *dir)
{
	int rc = params_add_attrs(dir, nid_attrs, ARRAY_SIZE(nid_attrs), nd);

	if (!rc && nd->nd_stats)
		rc = params_add_attrs(dir, nid_stats_attrs, ARRAY_SIZE(nid_stats_attrs), nd);
	if (!rc && obd_open_files_of(nd->nd_key.obd))
		rc = params_add_attrs(dir, nid_open_files_attrs,
				      ARRAY_SIZE(nid_open_files_attrs), nd);
	return rc;
}

/* Add the directory and take a reference on it. */
static int nid_dir_fill(struct obd_nid_dir *nd)
{
	struct lustre_params_entry *exports = nd->nd_key.obd->obd_exports_params;
	struct lustre_params_entry *dir, *own;
	char name[LNET_NID_TEXT_MAX];
	int rc;

	lockdep_assert_held(&nid_dirs_lock);
	rc = libcfs_nid_print(&nd->nd_key.nid, name, sizeof(name));
	if (rc < 0)
		return rc;
	dir = params_add_dir_hidden(exports, name, nd);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	rc = nid_attrs_add(nd, dir);
	if (!rc)
		rc = params_publish(dir);
	if (rc)
		goto remove_dir;
	own = params_lookup_entry(exports, name);
	if (IS_ERR(own)) {
		rc = PTR_ERR(own);
		goto remove_dir;
	}
	nd->nd_entry = own;
	return 0;

remove_dir:
	params_remove(dir);
	return rc;
}

static void nid_dir_free(struct obd_nid_dir *nd)
{
	obd_nid_stats_put(nd->nd_stats);
	libcfs_free(nd, sizeof(*nd));
}

static struct obd_nid_dir *nid_dir_make(const struct nid_dir_key *key)
{
	struct obd_nid_dir *nd = libcfs_zalloc(sizeof(*nd), GFP_KERNEL_ACCOUNT);
	unsigned int tries = 0;
	int rc;

	if (!nd)
		return ERR_PTR(-ENOMEM);
	nd->nd_key = *key;
	nd->nd_stats = obd_nid_stats_new(key->obd);
	if (IS_ERR(nd->nd_stats)) {
		rc = PTR_ERR(nd->nd_stats);
		nd->nd_stats = NULL;
		goto free_dir;
	}
	do {
		rc = rhashtable_lookup_insert_fast(&nid_dirs, &nd->nd_node,
						   nid_dirs_params);
	} while (libcfs_insert_again(rc, &tries));
	if (rc)
		goto free_dir;
	rc = nid_dir_fill(nd);
	if (rc)
		goto remove_from_table;
	return nd;

remove_from_table:
	rhashtable_remove_fast(&nid_dirs, &nd->nd_node, nid_dirs_params);
free_dir:
	nid_dir_free(nd);
	return ERR_PTR(rc);
}

/* Return: 0; -EAGAIN while the previous directory is being removed; an errno. */
static int nid_dir_join(struct obd_export *exp)
{
	struct nid_dir_key key = { exp->exp_obd, exp->exp_nid };
	struct obd_nid_dir *nd;

	lockdep_assert_held(&nid_dirs_lock);
	if (!exp->exp_obd->obd_exports_params)
		return -ENODEV;
	/* It was evicted already: the evicting task calls the leave function. */
	if (!class_connected_export(exp))
		return -ENOTCONN;
	nd = rhashtable_lookup_fast(&nid_dirs, &key, nid_dirs_params);
	if (nd && !nd->nd_clients)
		return -EAGAIN;
	if (!nd)
		nd = nid_dir_make(&key);
	if (IS_ERR(nd))
		return PTR_ERR(nd);
	nd->nd_clients++;
	exp->exp_nid_dir = nd;
	exp->exp_stats = obd_nid_stats_get(nd->nd_stats);
	return 0;
}

int obd_export_params_add(struct obd_export *exp)
{
	unsigned int removed;
	int rc;

	for (;;) {
		mutex_lock(&nid_dirs_lock);
		rc = nid_dir_join(exp);
		removed = nid_dirs_removed;
		mutex_unlock(&nid_dirs_lock);
		if (rc != -EAGAIN)
			return rc;
		wait_event(nid_dirs_wait,
			   READ_ONCE(nid_dirs_removed) != removed);
	}
}

static void nid_dir_remove(struct obd_nid_dir *nd)
{
	params_remove(nd->nd_entry);
	params_entry_put(nd->nd_entry);
	mutex_lock(&nid_dirs_lock);
	rhashtable_remove_fast(&nid_dirs, &nd->nd_node, nid_dirs_params);
	WRITE_ONCE(nid_dirs_removed, nid_dirs_removed + 1);
	mutex_unlock(&nid_dirs_lock);
	wake_up_all(&nid_dirs_wait);
	nid_dir_free(nd);
}

void obd_export_params_remove(struct obd_export *exp)
{
	struct obd_nid_dir *nd;
	bool last;

	mutex_lock(&nid_dirs_lock);
	nd = exp->exp_nid_dir;
	exp->exp_nid_dir = NULL;
	last = nd && !--nd->nd_clients;
	mutex_unlock(&nid_dirs_lock);
	if (last)
		nid_dir_remove(nd);
}
