// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of the service, but for live.FS.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>

#include "mgs_internal.h"

/* Last bytes of mgs_changes that are shown. */
#define CHANGES_TAIL		65536

static int generation_get(void *data, u64 *val)
{
	struct mgs_device *md = data;

	mgs_store_lock(md->md_store);
	*val = mgs_store_generation(md->md_store);
	mgs_store_unlock(md->md_store);
	return 0;
}

static ssize_t folder_get(void *data, char *buf, size_t size)
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
	struct mgs_device *md = data;
	int rc;

	mgs_store_lock(md->md_store);
	rc = mgs_log_fsnames(md->md_store, put_fsname, sink);
	mgs_store_unlock(md->md_store);
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
	struct mgs_device *md = data;
	int rc;

	params_list_begin(sink, "permanent", PARAMS_LIST_SEQ);
	mgs_store_lock(md->md_store);
	rc = mgs_log_settings(md->md_store, put_setting, sink);
	mgs_store_unlock(md->md_store);
	params_list_end(sink);
	return rc ?: params_sink_error(sink);
}

/* Whole lines; of a tail the first one is none. */
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
	struct mgs_device *md = data;
	bool cut = false;
	ssize_t len;

	if (!buf)
		return -ENOMEM;
	mgs_store_lock(md->md_store);
	len = mgs_store_history(md->md_store, buf, CHANGES_TAIL, &cut);
	mgs_store_unlock(md->md_store);
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
	LP_STR_RO("mntdev", folder_get, .doc = "folder of the service"),
	LP_STR_RO("fstype", fstype_get,
		  .doc = "type of the file system that the folder is on"),
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
		      .doc = "how long nodes are waited for, to say whether they take a new setting"),
};

/**
 * mgs_params_add() - parameters of the service, into the directory of its device
 * @md: service that is being set up
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int mgs_params_add(struct mgs_device *md)
{
	return params_add_attrs(md->md_obd->obd_params, mgs_attrs,
				ARRAY_SIZE(mgs_attrs), md);
}
