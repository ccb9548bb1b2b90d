// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters llite.FSNAME-INSTANCE.* of a client mount, with the names of real
 * Lustre.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/params.h>

#include "llite_internal.h"
#include "stats.h"

#define SPACE_MAX_AGE_MAX	900ULL
#define DIR_NAME_MAX		(LUSTRE_MAXFSNAME + sizeof("-0123456789abcdef"))

static struct lustre_params_entry *llite_dir;

static ssize_t text_get(const char *text, char *buf, size_t size)
{
	size_t len = strlen(text);

	if (len > size)
		return -EOVERFLOW;
	memcpy(buf, text, len);
	return len;
}

static ssize_t uuid_get(void *data, char *buf, size_t size)
{
	const struct llite_mount *lm = data;

	return text_get(lm->llm_client.llc_uuid.uuid, buf, size);
}

static ssize_t fstype_get(void *data, char *buf, size_t size)
{
	return text_get("lustre-lite", buf, size);
}

static ssize_t fsname_get(void *data, char *buf, size_t size)
{
	const struct llite_mount *lm = data;

	return text_get(lm->llm_source.src_fsname, buf, size);
}

static ssize_t client_type_get(void *data, char *buf, size_t size)
{
	return text_get("local client", buf, size);
}

static ssize_t mgs_get(void *data, char *buf, size_t size)
{
	const struct llite_mount *lm = data;

	return text_get(lm->llm_source.src_nodes, buf, size);
}

static int stale_get(void *data, u64 *val)
{
	const struct llite_mount *lm = data;

	*val = mgc_log_stale(lm->llm_client.llc_log);
	return 0;
}

static int blocksize_get(void *data, u64 *val)
{
	struct obd_statfs st;

	llite_space_cached(data, &st);
	*val = st.os_bsize;
	return 0;
}

static u64 kbytes(const struct obd_statfs *st, u64 blocks)
{
	return blocks * st->os_bsize >> 10;
}

static int kbytestotal_get(void *data, u64 *val)
{
	struct obd_statfs st;

	llite_space_cached(data, &st);
	*val = kbytes(&st, st.os_blocks);
	return 0;
}

static int kbytesfree_get(void *data, u64 *val)
{
	struct obd_statfs st;

	llite_space_cached(data, &st);
	*val = kbytes(&st, st.os_bfree);
	return 0;
}

static int kbytesavail_get(void *data, u64 *val)
{
	struct obd_statfs st;

	llite_space_cached(data, &st);
	*val = kbytes(&st, st.os_bavail);
	return 0;
}

static int filestotal_get(void *data, u64 *val)
{
	struct obd_statfs st;

	llite_space_cached(data, &st);
	*val = st.os_files;
	return 0;
}

static int filesfree_get(void *data, u64 *val)
{
	struct obd_statfs st;

	llite_space_cached(data, &st);
	*val = st.os_ffree;
	return 0;
}

static int max_age_get(void *data, s64 *val)
{
	const struct llite_mount *lm = data;

	*val = READ_ONCE(lm->llm_client.llc_space.lls_max_age);
	return 0;
}

static int max_age_set(void *data, s64 val)
{
	struct llite_mount *lm = data;

	WRITE_ONCE(lm->llm_client.llc_space.lls_max_age, val);
	return 0;
}

static int checksums_get(void *data, u64 *val)
{
	const struct llite_mount *lm = data;

	*val = READ_ONCE(lm->llm_client.llc_checksums);
	return 0;
}

static int checksums_set(void *data, u64 val)
{
	struct llite_client *lc = &((struct llite_mount *)data)->llm_client;
	const u32 on = val;

	WRITE_ONCE(lc->llc_checksums, val);
	return obd_set_info_async(lc->llc_dt, KEY_CHECKSUM, &on, sizeof(on));
}

static void target_down_put(struct obd_device *obd, void *arg)
{
	const struct client_obd *cli = obd->obd_cli;

	if (llite_import_down(obd))
		params_put_str(arg, cli->cl_target_uuid.uuid,
			       import_state_name(READ_ONCE(cli->cl_import->imp_state)));
}

static int targets_down_read(struct params_sink *sink, void *data)
{
	const struct llite_mount *lm = data;

	llite_imports_each(lm->llm_client.llc_instance, target_down_put, sink);
	return params_sink_error(sink);
}

static struct params_stats *stats_get(void *data)
{
	const struct llite_mount *lm = data;

	return lm->llm_client.llc_stats;
}

static const struct lustre_params_attr client_attrs[] = {
	LP_STR_RO("uuid", uuid_get, .doc = "uuid of this client"),
	LP_STR_RO("fstype", fstype_get, .doc = "type of the file system"),
	LP_STR_RO("fsname", fsname_get, .doc = "name of the file system"),
	LP_STR_RO("client_type", client_type_get,
		  .doc = "kind of client"),
	LP_STR_RO("mgs", mgs_get,
		  .doc = "nodes of the management service, as mounted"),
	LP_BOOL_RO("stale", stale_get,
		   .doc = "the config log is from a copy that the management service has not confirmed yet"),
	LP_READER("down", targets_down_read,
		  .doc = "unusable targets, and the state of their imports"),
	LP_U32_RO("blocksize", blocksize_get,
		  .doc = "block size, bytes; cached"),
	LP_U64_RO("kbytestotal", kbytestotal_get,
		  .doc = "total space of all targets, KiB; cached"),
	LP_U64_RO("kbytesfree", kbytesfree_get,
		  .doc = "free space, KiB; cached"),
	LP_U64_RO("kbytesavail", kbytesavail_get,
		  .doc = "free space for unprivileged users, KiB; cached"),
	LP_U64_RO("filestotal", filestotal_get,
		  .doc = "total number of files; cached"),
	LP_U64_RO("filesfree", filesfree_get,
		  .doc = "free files; cached"),
	LP_STATS_RWC("stats", stats_get,
		     .doc = "calls of programs and their times, bytes that they read and wrote; writing \"clear\" resets the counters"),
	LP_BOOL_RW("checksums", checksums_get, checksums_set, LP_DEF(1),
		   .doc = "check the data of reads and writes: sets checksums of the mount's object connections (osc.*.checksums), also of those that come later"),
	LP_TIME_RW("statfs_max_age", max_age_get, max_age_set,
		   .unit = PARAMS_UNIT_SEC, .min = 0,
		   .max = SPACE_MAX_AGE_MAX * NSEC_PER_SEC,
		   LP_DEF(NSEC_PER_SEC),
		   .doc = "lifetime of cached free space"),
};

/**
 * llite_client_params_add() - add the parameters of a client mount
 * @lm: mount, connected
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int llite_client_params_add(struct llite_mount *lm)
{
	struct lustre_params_entry *dir;
	char name[DIR_NAME_MAX];
	int rc;

	snprintf(name, sizeof(name), "%s-%016llx", lm->llm_source.src_fsname,
		 lm->llm_client.llc_instance);
	dir = params_add_dir_hidden(llite_dir, name, lm);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	rc = params_add_attrs(dir, client_attrs, ARRAY_SIZE(client_attrs), lm);
	if (!rc)
		rc = params_publish(dir);
	if (rc) {
		params_remove(dir);
		return rc;
	}
	lm->llm_client.llc_params = dir;
	return 0;
}

/* Remove them; no callback runs afterwards. May sleep. */
void llite_client_params_del(struct llite_mount *lm)
{
	params_remove(lm->llm_client.llc_params);
	lm->llm_client.llc_params = NULL;
}

/* Add the directory llite. */
int llite_params_init(void)
{
	llite_dir = params_add_dir(NULL, "llite", NULL);
	return PTR_ERR_OR_ZERO(llite_dir);
}

/* Remove it. */
void llite_params_exit(void)
{
	params_remove(llite_dir);
}
