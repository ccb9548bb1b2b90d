// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters of the service.
 *
 * live.FS shows a file system as the service knows it: its targets, the recovery state, and
 * how far each node is with its logs. The first part is that of real Lustre, as YAML:
 * "targets:" precedes the names, and gen has a line of its own. The rest is only here.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>
#include <lustre_lite/nid.h>

#include "mgs_internal.h"

/* flags of real Lustre: no client log; target names as since 2.0. */
#define FSDB_LOG_EMPTY		0x01
#define FSDB_UDESC		0x20

/**
 * struct mgs_live - the parameter live.FS of a file system
 * @mlv_item: in md_lives
 * @mlv_md: service
 * @mlv_fsname: file system
 * @mlv_shown: the parameter exists
 * @mlv_wanted: the file system exists
 */
struct mgs_live {
	struct list_head	mlv_item;
	struct mgs_device	*mlv_md;
	char			mlv_fsname[LUSTRE_MAXFSNAME + 1];
	bool			mlv_shown;
	bool			mlv_wanted;
};

/* struct mgs_put_kind - targets of a kind: "-MDT" */
struct mgs_put_kind {
	struct params_sink	*sink;
	const char		*kind;
};

static int put_target(void *data, const char *svname)
{
	const struct mgs_put_kind *put = data;
	const char *dash = strrchr(svname, '-');

	if (!dash || strncmp(dash, put->kind, strlen(put->kind)))
		return 0;
	return params_put_str(put->sink, NULL, svname);
}

/* Metadata targets first, as in real Lustre. */
static int put_targets(struct params_sink *sink, const struct mgs_live *lv,
		       const struct mgs_view *view)
{
	struct mgs_put_kind mdt = { sink, "-MDT" }, ost = { sink, "-OST" };
	int rc;

	params_list_begin(sink, "targets", PARAMS_LIST_SEQ);
	rc = mgs_log_targets(view, lv->mlv_fsname, put_target, &mdt) ?:
	     mgs_log_targets(view, lv->mlv_fsname, put_target, &ost);
	params_list_end(sink);
	return rc;
}

/* Always empty: connections are not secured. */
static void put_rules(struct params_sink *sink)
{
	params_list_begin(sink, "Secure RPC Config Rules", PARAMS_LIST_SEQ);
	params_list_end(sink);
}

static int put_head(struct params_sink *sink, const struct mgs_live *lv,
		    const struct mgs_view *view)
{
	char log[MGS_LOGNAME_MAX];
	struct mgs_log_info info;
	u64 flags = FSDB_UDESC;
	int rc;

	scnprintf(log, sizeof(log), "%s-client", lv->mlv_fsname);
	if (mgs_view_info(view, log, &info)) {
		flags |= FSDB_LOG_EMPTY;
		info.li_generation = 0;
	}
	params_put_str(sink, "fsname", lv->mlv_fsname);
	params_put_hex(sink, "flags", flags);
	params_put_u64(sink, "gen", info.li_generation);
	rc = put_targets(sink, lv, view);
	put_rules(sink);
	return rc;
}

/* Whether a node follows a log of the file system, and its table of NIDs. */
static bool follows(const struct mgs_node *node, const char *fsname,
		    bool *recover)
{
	const struct mgs_subscription *su;
	bool config = false;

	*recover = false;
	list_for_each_entry(su, &node->mn_subscriptions, su_item) {
		if (strcmp(su->su_resource->res_name, fsname))
			continue;
		config = config || su->su_ack.type == CONFIG_T_CONFIG;
		*recover = *recover || su->su_ack.type == CONFIG_T_RECOVER;
	}
	return config;
}

static u32 count_nonir(struct mgs_device *md, const char *fsname)
{
	const struct mgs_node *node;
	u32 count = 0;
	bool recover;

	lockdep_assert_held(&md->md_nodes_lock);
	list_for_each_entry(node, &md->md_nodes, mn_item)
		count += follows(node, fsname, &recover) && !recover;
	return count;
}

/* In seconds, without a unit. */
static void put_duration(struct params_sink *sink, const char *name, u64 ns)
{
	u32 rest;
	u64 sec = div_u64_rem(ns, NSEC_PER_SEC, &rest);

	params_put_strf(sink, name, "%llu.%06lu", sec, rest / NSEC_PER_USEC);
}

static void put_recovery(struct params_sink *sink, const struct mgs_live *lv)
{
	struct mgs_device *md = lv->mlv_md;
	struct mgs_ir ir;
	u32 nonir;

	mgs_nidtbl_ir(md, lv->mlv_fsname, &ir);
	nonir = count_nonir(md, lv->mlv_fsname);
	params_list_begin(sink, "imperative_recovery_state", PARAMS_LIST_MAP);
	params_put_str(sink, "state", nonir ? "partial" : "full");
	params_put_u64(sink, "nonir_clients", nonir);
	params_put_u64(sink, "nidtbl_version", ir.version);
	put_duration(sink, "notify_duration_total", ir.total_ns);
	/* Real Lustre spells it so. */
	put_duration(sink, "notify_duation_max", ir.max_ns);
	params_put_u64(sink, "notify_count", ir.count);
	params_list_end(sink);
}

/**
 * struct mgs_newest - generation of a log, cached for the log that was looked up last
 * @view: logs
 * @log: its name
 * @generation: its generation
 */
struct mgs_newest {
	const struct mgs_view	*view;
	char			log[MGS_LOGNAME_MAX];
	u64			generation;
};

static u64 newest_of(const char *log, struct mgs_newest *newest)
{
	struct mgs_log_info info;

	if (strcmp(newest->log, log)) {
		strscpy(newest->log, log, sizeof(newest->log));
		newest->generation = 0;
		if (!mgs_view_info(newest->view, log, &info))
			newest->generation = info.li_generation;
	}
	return newest->generation;
}

static void put_follow(struct params_sink *sink, const struct mgs_node *node,
		       const struct mgs_subscription *su, struct mgs_newest *newest)
{
	const struct mgs_ack *ack = &su->su_ack;
	char nid[LNET_NID_TEXT_MAX];

	mgs_nid_text(node->mn_exp, nid, sizeof(nid));
	params_list_begin(sink, NULL, PARAMS_LIST_FLOW_MAP);
	params_put_str(sink, "nid", nid);
	params_put_str(sink, "uuid", node->mn_exp->exp_client_uuid.uuid);
	params_put_str(sink, "log", ack->name);
	params_put_u64(sink, "born", lower_32_bits(ack->epoch));
	params_put_u64(sink, "generation", ack->generation);
	params_put_bool(sink, "behind",
			ack->generation < newest_of(ack->name, newest));
	params_put_u64(sink, "failed", ack->failed);
	if (ack->status)
		params_put_s64(sink, "status", ack->status);
	if (ack->why[0])
		params_put_str(sink, "why", ack->why);
	params_list_end(sink);
}

static void put_node(struct params_sink *sink, const struct mgs_live *lv,
		     const struct mgs_node *node, struct mgs_newest *newest)
{
	const struct mgs_subscription *su;
	bool recover;

	if (!follows(node, lv->mlv_fsname, &recover))
		return;
	list_for_each_entry(su, &node->mn_subscriptions, su_item) {
		if (su->su_ack.type == CONFIG_T_PARAMS ||
		    (su->su_ack.type == CONFIG_T_CONFIG &&
		     !strcmp(su->su_resource->res_name, lv->mlv_fsname)))
			put_follow(sink, node, su, newest);
	}
}

static int live_read(struct params_sink *sink, void *data)
{
	const struct mgs_live *lv = data;
	struct mgs_device *md = lv->mlv_md;
	struct mgs_view *view = mgs_store_view(md->md_store);
	struct mgs_newest newest = { .view = view, .log = "" };
	const struct mgs_node *node;
	int rc = put_head(sink, lv, view);

	mutex_lock(&md->md_nodes_lock);
	put_recovery(sink, lv);
	params_list_begin(sink, "nodes", PARAMS_LIST_SEQ);
	list_for_each_entry(node, &md->md_nodes, mn_item)
		put_node(sink, lv, node, &newest);
	params_list_end(sink);
	mutex_unlock(&md->md_nodes_lock);
	mgs_view_put(view);
	return rc ?: params_sink_error(sink);
}

static struct mgs_live *live_find(struct mgs_device *md, const char *fsname)
{
	struct mgs_live *lv;

	lockdep_assert_held(&md->md_live_lock);
	list_for_each_entry(lv, &md->md_lives, mlv_item) {
		if (!strcmp(lv->mlv_fsname, fsname))
			return lv;
	}
	return NULL;
}

static int live_want(void *data, const char *fsname)
{
	struct mgs_device *md = data;
	struct mgs_live *lv = live_find(md, fsname);

	if (!lv) {
		lv = libcfs_zalloc(sizeof(*lv), GFP_KERNEL_ACCOUNT);
		if (!lv)
			return -ENOMEM;
		lv->mlv_md = md;
		strscpy(lv->mlv_fsname, fsname, sizeof(lv->mlv_fsname));
		list_add_tail(&lv->mlv_item, &md->md_lives);
	}
	lv->mlv_wanted = true;
	return 0;
}

/* Removing a parameter waits for its readers: the caller holds no lock that they take. */
static void live_show(struct mgs_live *lv, struct lustre_params_entry *dir)
{
	int rc;

	if (lv->mlv_wanted == lv->mlv_shown)
		return;
	if (lv->mlv_wanted)
		rc = params_add_entry(dir, lv->mlv_fsname, live_read, NULL, lv);
	else
		rc = params_delete_entry(dir, lv->mlv_fsname);
	if (!rc)
		lv->mlv_shown = lv->mlv_wanted;
	else
		CDEBUG(D_CONFIG, "%s: parameter live.%s: rc = %d\n",
		       lv->mlv_md->md_obd->obd_name, lv->mlv_fsname, rc);
}

/* Mark the existing file systems. An entry stays until the service is cleaned up. */
static int lives_want(struct mgs_device *md)
{
	struct mgs_view *view;
	struct mgs_live *lv;
	int rc;

	lockdep_assert_held(&md->md_live_lock);
	list_for_each_entry(lv, &md->md_lives, mlv_item)
		lv->mlv_wanted = false;
	view = mgs_store_view(md->md_store);
	rc = mgs_log_fsnames(view, live_want, md);
	mgs_view_put(view);
	return rc;
}

static void lives_update(struct mgs_device *md, struct lustre_params_entry *dir)
{
	struct mgs_live *lv;
	int rc;

	mutex_lock(&md->md_live_lock);
	rc = lives_want(md);
	list_for_each_entry(lv, &md->md_lives, mlv_item)
		live_show(lv, dir);
	mutex_unlock(&md->md_live_lock);
	if (rc)
		CWARN("%s: cannot create all parameters live.FS: rc = %d\n",
		      md->md_obd->obd_name, rc);
}

/* Create and remove parameters after a change. Context: may sleep; holds no lock. */
void mgs_live_update(struct mgs_device *md)
{
	struct obd_device *obd = md->md_obd;
	struct lustre_params_entry *dir;
	char path[MAX_OBD_NAME + 8];

	/* The cleanup of the service has removed the directory. */
	scnprintf(path, sizeof(path), "%s/live", obd->obd_name);
	dir = params_lookup_entry(obd->obd_type->typ_params, path);
	if (IS_ERR(dir))
		return;
	lives_update(md, dir);
	params_entry_put(dir);
}

/* Return: 0 or a negative errno */
int mgs_live_init(struct mgs_device *md)
{
	struct lustre_params_entry *dir;

	dir = params_add_dir(md->md_obd->obd_params, "live", md);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	lives_update(md, dir);
	return 0;
}

/* Free all entries, at the end of the service: the directory is removed. */
void mgs_live_free(struct mgs_device *md)
{
	struct mgs_live *lv, *next;

	list_for_each_entry_safe(lv, next, &md->md_lives, mlv_item) {
		list_del(&lv->mlv_item);
		libcfs_free(lv, sizeof(*lv));
	}
}

/* Length of the end of mgs_changes that is shown. */
#define CHANGES_TAIL		65536

static int generation_get(void *data, u64 *val)
{
	const struct mgs_device *md = data;
	struct mgs_view *view = mgs_store_view(md->md_store);

	*val = mgs_view_generation(view);
	mgs_view_put(view);
	return 0;
}

static ssize_t directory_get(void *data, char *buf, size_t size)
{
	const struct mgs_device *md = data;

	return libcfs_path_text(&md->md_path, buf, size);
}

static ssize_t fstype_get(void *data, char *buf, size_t size)
{
	const struct mgs_device *md = data;
	ssize_t len = strscpy(buf, md->md_path.dentry->d_sb->s_type->name,
			      size);

	return len < 0 ? -EOVERFLOW : len;
}

static int put_fsname(void *data, const char *fsname)
{
	return params_put_str(data, NULL, fsname);
}

static int filesystems_read(struct params_sink *sink, void *data)
{
	const struct mgs_device *md = data;
	struct mgs_view *view = mgs_store_view(md->md_store);
	int rc = mgs_log_fsnames(view, put_fsname, sink);

	mgs_view_put(view);
	return rc ?: params_sink_error(sink);
}

static int put_setting(void *data, const struct mgs_setting *setting)
{
	struct params_sink *sink = data;

	params_list_begin(sink, NULL, PARAMS_LIST_FLOW_MAP);
	params_put_str(sink, "log", setting->log);
	params_put_str(sink, "owner", setting->owner);
	params_put_str(sink, "name", setting->name);
	params_put_str(sink, "value", setting->value);
	params_put_time(sink, "since", (s64)setting->when * NSEC_PER_SEC,
			PARAMS_UNIT_SEC, PARAMS_TIME_WALL);
	params_list_end(sink);
	return params_sink_error(sink);
}

static int permanent_read(struct params_sink *sink, void *data)
{
	const struct mgs_device *md = data;
	struct mgs_view *view = mgs_store_view(md->md_store);
	int rc;

	params_list_begin(sink, "permanent", PARAMS_LIST_SEQ);
	rc = mgs_log_settings(view, put_setting, sink);
	mgs_view_put(view);
	params_list_end(sink);
	return rc ?: params_sink_error(sink);
}

/* @cut: the first line is incomplete. */
static void put_lines(struct params_sink *sink, char *text, bool cut)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (!cut && *line)
			params_put_str(sink, NULL, line);
		cut = false;
	}
}

static int changes_read(struct params_sink *sink, void *data)
{
	char *buf = kvmalloc(CHANGES_TAIL + 1, GFP_KERNEL);
	const struct mgs_device *md = data;
	struct mgs_view *view;
	bool cut = false;
	ssize_t len;

	if (!buf)
		return -ENOMEM;
	view = mgs_store_view(md->md_store);
	len = mgs_view_history(view, buf, CHANGES_TAIL, &cut);
	mgs_view_put(view);
	if (len > 0) {
		buf[len] = '\0';
		put_lines(sink, buf, cut);
	}
	kvfree(buf);
	return len < 0 ? len : params_sink_error(sink);
}

static const struct lustre_params_attr mgs_attrs[] = {
	LP_U64_RO("generation", generation_get,
		  .doc = "of the configuration: rises with every change"),
	LP_STR_RO("mntdev", directory_get, .doc = "directory of the service"),
	LP_STR_RO("fstype", fstype_get,
		  .doc = "type of the file system of the directory"),
	LP_READER("filesystems", filesystems_read,
		  .doc = "file systems that there are logs of"),
	LP_READER("permanent", permanent_read,
		  .doc = "settings that are in force: log, file system or \"general\", name, value, since when"),
	LP_READER("changes", changes_read,
		  .doc = "the last changes: when, by whom, from where, what"),
	LP_READER("targets", mgs_serving_read,
		  .doc = "targets in service: name, NID of the node, number of the start, since when"),
	LP_BOOL_FIELD("allow_register", struct mgs_device, md_allow_register,
		      LP_DEF(1),
		      .doc = "targets of which no identity is known may register"),
	LP_U32_FIELD("notify_first", struct mgs_device, md_notify_first,
		     .max = 1000000, LP_DEF(256),
		     .doc = "nodes that are told of a change at once"),
	LP_U32_FIELD("notify_rate", struct mgs_device, md_notify_rate,
		     .min = 1, .max = 1000000, LP_DEF(2000),
		     .doc = "nodes within each second that are told after those"),
	LP_TIME_FIELD("trial_wait", struct mgs_device, md_trial_wait,
		      .unit = PARAMS_UNIT_SEC, .max = 60 * NSEC_PER_SEC,
		      LP_DEF(5 * NSEC_PER_SEC),
		      .doc = "time to wait for nodes to accept or refuse a new setting"),
};

/* Add the parameters of the service to its device. Return: 0 or a negative errno */
int mgs_params_add(struct mgs_device *md)
{
	return params_add_attrs(md->md_obd->obd_params, mgs_attrs,
				ARRAY_SIZE(mgs_attrs), md);
}
