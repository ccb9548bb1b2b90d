// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets with a backend directory: the common part of metadata and object
 * storage targets.
 */
#define DEBUG_SUBSYSTEM S_FILTER

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>
#include <lustre_lite/obd_config.h>
#include <lustre_lite/obd_mount.h>
#include <lustre_lite/target_dir.h>

#include <uapi/lustre_lite/lustre_user.h>

#include "target.h"

/* Digits of an index in the name of a target. */
#define INDEX_DIGITS	4

static struct target_dir *target_dir(const struct obd_device *obd)
{
	return obd->obd_data;
}

/* enum space - number in a statfs */
enum space { BLOCKS, BFREE, BAVAIL, FILES, FFREE, BSIZE };

static int space_get(struct target_dir *td, enum space what, u64 *val)
{
	struct obd_statfs st;
	int rc = obd_mount_statfs(&td->td_path, &st);

	if (rc)
		return rc;
	switch (what) {
	case BLOCKS:
		*val = st.os_blocks * st.os_bsize;
		break;
	case BFREE:
		*val = st.os_bfree * st.os_bsize;
		break;
	case BAVAIL:
		*val = st.os_bavail * st.os_bsize;
		break;
	case FILES:
		*val = st.os_files;
		break;
	case FFREE:
		*val = st.os_ffree;
		break;
	case BSIZE:
		*val = st.os_bsize;
		break;
	}
	return 0;
}

static int kbytes_get(struct target_dir *td, enum space what, u64 *val)
{
	int rc = space_get(td, what, val);

	*val /= 1024;
	return rc;
}

static int kbytestotal_get(void *data, u64 *val)
{
	return kbytes_get(data, BLOCKS, val);
}

static int kbytesfree_get(void *data, u64 *val)
{
	return kbytes_get(data, BFREE, val);
}

static int kbytesavail_get(void *data, u64 *val)
{
	return kbytes_get(data, BAVAIL, val);
}

static int filestotal_get(void *data, u64 *val)
{
	return space_get(data, FILES, val);
}

static int filesfree_get(void *data, u64 *val)
{
	return space_get(data, FFREE, val);
}

static int blocksize_get(void *data, u64 *val)
{
	return space_get(data, BSIZE, val);
}

static int instance_get(void *data, u64 *val)
{
	const struct target_dir *td = data;

	*val = td->td_instance;
	return 0;
}

static int index_get(void *data, u64 *val)
{
	const struct target_dir *td = data;

	*val = td->td_index;
	return 0;
}

static ssize_t fstype_get(void *data, char *buf, size_t size)
{
	const struct target_dir *td = data;
	ssize_t len = strscpy(buf, td->td_path.mnt->mnt_sb->s_type->name, size);

	return len < 0 ? -EOVERFLOW : len;
}

static ssize_t mntdev_get(void *data, char *buf, size_t size)
{
	const struct target_dir *td = data;

	return libcfs_path_text(&td->td_path, buf, size);
}

static const struct lustre_params_attr dir_attrs[] = {
	LP_U64_RO("kbytestotal", kbytestotal_get, .doc = "size of the file system of the directory, KiB"),
	LP_U64_RO("kbytesfree", kbytesfree_get, .doc = "free space of that file system, KiB"),
	LP_U64_RO("kbytesavail", kbytesavail_get,
		  .doc = "free space for unprivileged users, KiB"),
	LP_U64_RO("filestotal", filestotal_get, .doc = "inodes of that file system"),
	LP_U64_RO("filesfree", filesfree_get, .doc = "free inodes of that file system"),
	LP_U64_RO("blocksize", blocksize_get, .doc = "block size of that file system, bytes"),
	LP_U64_RO("instance", instance_get,
		  .doc = "number of this start of the target; clients with another number reconnect"),
	LP_U64_RO("index", index_get, .doc = "index of the target"),
	LP_STR_RO("fstype", fstype_get, .doc = "type of the file system of the directory"),
	LP_STR_RO("mntdev", mntdev_get, .doc = "backend directory of the target"),
};

/**
 * target_dir_setup() - first step of the setup of a target with a backend
 * directory
 * @td: zeroed except td_index and td_flags; first member of obd_data
 * @obd: device
 * @cfg: its setup
 * @n: buffer that may name the directory
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: 0; as obd_mount_of(), ldlm_namespace_new()
 */
int target_dir_setup(struct target_dir *td, struct obd_device *obd,
		     const struct lcfg_view *cfg, u32 n,
		     struct obd_why *why)
{
	struct ldlm_namespace *ns;
	int rc;

	td->td_obd = obd;
	rc = obd_mount_of(obd, cfg, n, &td->td_path, &td->td_instance, why);
	if (rc)
		return rc;
	rc = params_add_attrs(obd->obd_params, dir_attrs,
			      ARRAY_SIZE(dir_attrs), td);
	if (rc)
		goto put_dir;
	ns = target_locks->tlo_namespace_new(obd);
	if (IS_ERR(ns)) {
		rc = PTR_ERR(ns);
		goto put_dir;
	}
	return 0;

put_dir:
	path_put(&td->td_path);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(target_dir_setup, LUSTRE_LITE);

/* Undo target_dir_setup(); no export is left. May sleep. */
void target_dir_cleanup(struct target_dir *td)
{
	target_locks->tlo_namespace_free(td->td_obd->obd_namespace);
	path_put(&td->td_path);
}
EXPORT_SYMBOL_NS_GPL(target_dir_cleanup, LUSTRE_LITE);

/**
 * target_dir_name_index() - index in the name of a target
 * @name: "lustre-OST001f"
 * @kind: "OST", "MDT"
 * @index: out
 *
 * Context: any
 * Return: 0; -EINVAL unless the name ends in -, @kind and four hexadecimal
 *  digits
 */
int target_dir_name_index(const char *name, const char *kind, u32 *index)
{
	const char *dash = strrchr(name, '-');
	size_t len = strlen(kind);

	if (!dash || strncmp(dash + 1, kind, len) ||
	    strlen(dash + 1 + len) != INDEX_DIGITS)
		return -EINVAL;
	return kstrtou32(dash + 1 + len, 16, index) ? -EINVAL : 0;
}
EXPORT_SYMBOL_NS_GPL(target_dir_name_index, LUSTRE_LITE);

static void dir_grant(struct obd_export *exp, struct obd_connect_data *ocd)
{
	const struct target_dir *td = target_dir(exp->exp_obd);

	if (!ocd)
		return;
	ocd->ocd_instance = td->td_instance;
	if (ocd->ocd_connect_flags & td->td_flags & OBD_CONNECT_INDEX)
		ocd->ocd_index = td->td_index;
	ptlrpc_target_grant(exp, ocd, td->td_flags);
}

/**
 * target_dir_connect() - o_connect
 * @exp: out, export, referenced
 * @obd: device
 * @uuid: client
 * @nid: its NID
 * @ocd: in: requested; out: granted; or NULL
 *
 * A client that expects a target of another index is refused.
 *
 * Context: may sleep
 * Return: 0; -EBADF: another index; as class_connect()
 */
int target_dir_connect(struct obd_export **exp, struct obd_device *obd,
		       const struct obd_uuid *uuid,
		       const struct lnet_nid *nid,
		       struct obd_connect_data *ocd)
{
	struct lustre_handle conn = { };
	struct obd_export *new;
	int rc;

	if (ocd && ocd->ocd_connect_flags & OBD_CONNECT_INDEX &&
	    ocd->ocd_index != target_dir(obd)->td_index)
		return -EBADF;
	rc = class_connect(&conn, obd, uuid, nid);
	if (rc)
		return rc;
	new = class_conn2export(conn.cookie);
	if (!new)
		return -ENOTCONN;
	dir_grant(new, ocd);
	*exp = new;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(target_dir_connect, LUSTRE_LITE);

/**
 * target_dir_reconnect() - o_reconnect
 * @exp: export of the client
 * @obd: device
 * @uuid: client
 * @ocd: in: requested; out: granted; or NULL
 *
 * Context: may sleep
 * Return: 0; -EALREADY: the export is another client's
 */
int target_dir_reconnect(struct obd_export *exp, struct obd_device *obd,
			 const struct obd_uuid *uuid,
			 struct obd_connect_data *ocd)
{
	if (memcmp(&exp->exp_client_uuid, uuid, sizeof(*uuid)))
		return -EALREADY;
	dir_grant(exp, ocd);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(target_dir_reconnect, LUSTRE_LITE);

/* Return: 0, or the errno with which changes fail. */
static int dir_refuses(const struct obd_device *obd)
{
	if (sb_rdonly(target_dir(obd)->td_path.mnt->mnt_sb))
		return -EROFS;
	return tgt_refused(obd) ?: tgt_failed(obd);
}

/**
 * target_dir_statfs() - o_statfs
 * @exp: export
 * @st: out, free space of the directory
 * @max_age: ignored, as the result is current
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int target_dir_statfs(struct obd_export *exp, struct obd_statfs *st,
		      u64 max_age)
{
	struct obd_device *obd = exp->exp_obd;
	const struct target_dir *td = target_dir(obd);
	int rc = obd_mount_statfs(&td->td_path, st);

	/* Until a change fails, only a read tells that the file system has shut down. */
	if (!rc && (dir_refuses(obd) ?: tgt_read_error(obd)))
		st->os_state |= OS_STATFS_READONLY;
	return rc;
}
EXPORT_SYMBOL_NS_GPL(target_dir_statfs, LUSTRE_LITE);

/**
 * target_dir_health_check() - o_health_check
 * @obd: device
 * @why: out: reason of an error
 *
 * Context: may sleep
 * Return: 0; -EROFS: the directory is not writable; -EBUSY: it is frozen; the
 *  error of a commit, or of its file system
 */
int target_dir_health_check(struct obd_device *obd, struct obd_why *why)
{
	const struct target_dir *td = target_dir(obd);
	struct obd_statfs st;
	int rc = tgt_failed(obd);

	if (rc)
		return obd_refuse(why, rc,
				  "changes could not be written to its directory, and have stopped");
	rc = obd_mount_statfs(&td->td_path, &st) ?: tgt_read_error(obd);
	if (rc)
		return obd_refuse(why, rc,
				  "the file system of its directory does not answer");
	rc = dir_refuses(obd);
	if (rc)
		return obd_refuse(why, rc,
				  "the file system of its directory is read-only");
	if (READ_ONCE(td->td_path.mnt->mnt_sb->s_writers.frozen) != SB_UNFROZEN)
		return obd_refuse(why, -EBUSY,
				  "the file system of its directory is frozen: changes wait until it is not");
	return 0;
}
EXPORT_SYMBOL_NS_GPL(target_dir_health_check, LUSTRE_LITE);

/* o_get_uuid. */
int target_dir_get_uuid(struct obd_export *exp, struct obd_uuid *uuid)
{
	*uuid = exp->exp_obd->obd_uuid;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(target_dir_get_uuid, LUSTRE_LITE);
