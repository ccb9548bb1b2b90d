// SPDX-License-Identifier: GPL-2.0-only
/*
 * Directories of targets: one mount of each, and the files CONFIGS/mountdata
 * and target_secret in it. Files are replaced atomically: after a power cut the
 * old or the new one exists.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/list.h>
#include <linux/mount.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>
#include <lustre_lite/obd_mount.h>

#include <net/net_namespace.h>

#include "llite_internal.h"

/* Suffix of a file until it is renamed. */
#define NEW_SUFFIX	".new"
#define NAME_SPACE	32

static DEFINE_MUTEX(claims_lock);	/* guards claims */
static LIST_HEAD(claims);

static bool claim_add(struct llite_claim *claim)
{
	struct inode *inode = d_inode(claim->fc_path.dentry);
	struct llite_claim *other;
	bool ours = true;

	mutex_lock(&claims_lock);
	list_for_each_entry(other, &claims, fc_item)
		if (d_inode(other->fc_path.dentry) == inode)
			ours = false;
	if (ours)
		list_add(&claim->fc_item, &claims);
	mutex_unlock(&claims_lock);
	return ours;
}

static void claim_put(struct llite_claim *claim)
{
	if (claim->fc_configs.mnt)
		path_put(&claim->fc_configs);
	path_put(&claim->fc_path);
	if (claim->fc_cred)
		put_cred(claim->fc_cred);
}

/* A symbolic link is not followed: the copies of logs would be written to another directory. */
static int configs_open(struct llite_claim *claim, struct obd_why *why)
{
	const struct cred *old = override_creds(claim->fc_cred);
	struct file *file = file_open_root(&claim->fc_path, MOUNT_CONFIGS_DIR,
					   O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	int rc = PTR_ERR_OR_ZERO(file);

	revert_creds(old);
	if (!rc) {
		claim->fc_configs = file->f_path;
		path_get(&claim->fc_configs);
		fput(file);
		return 0;
	}
	return obd_refuse(why, rc,
			  rc == -ENOTDIR ?
			  "%pd: " MOUNT_CONFIGS_DIR " is a symbolic link or a file; it must be a directory" :
			  "%pd: cannot open " MOUNT_CONFIGS_DIR "; create it by mkfs.lustre-lite",
			  claim->fc_path.dentry);
}

static int claim_fill(struct llite_claim *claim, struct obd_why *why)
{
	claim->fc_uuid[0] = '\0';
	claim->fc_configs = (struct path){};
	claim->fc_cred = prepare_kernel_cred(&init_task);
	return claim->fc_cred ? configs_open(claim, why) : -ENOMEM;
}

/**
 * llite_dir_claim() - look up a directory and prevent other mounts of it
 * @claim: out
 * @name: its path
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: 0; -EBUSY if it is mounted, or being mounted; -ENOTDIR if it, or its CONFIGS, is
 *  not a directory; as kern_path()
 */
int llite_dir_claim(struct llite_claim *claim, const char *name,
		    struct obd_why *why)
{
	int rc = obd_directory(NULL, name, &claim->fc_path, why);

	if (rc)
		return rc;
	rc = claim_fill(claim, why);
	if (!rc && !claim_add(claim))
		rc = obd_refuse(why, -EBUSY,
				"%.128s is already mounted or being mounted", name);
	if (rc)
		claim_put(claim);
	return rc;
}

/* Under claims_lock. Return: the claim of another directory with this identity, or NULL */
static const struct llite_claim *__claim_twin(const struct llite_claim *claim)
{
	const struct llite_claim *other;

	list_for_each_entry(other, &claims, fc_item)
		if (other != claim && other->fc_net == claim->fc_net &&
		    !strcmp(other->fc_uuid, claim->fc_uuid))
			return other;
	return NULL;
}

static int twin_refused(const struct llite_claim *twin, const struct lustre_disk_data *ldd,
			struct obd_why *why)
{
	char *text = kmalloc(PATH_MAX, GFP_KERNEL_ACCOUNT);
	const char *where = text ? d_path(&twin->fc_path, text, PATH_MAX) : ERR_PTR(-ENOMEM);

	if (IS_ERR(where))
		where = "another directory";
	obd_refuse(why, -EBUSY,
		   "the directory is a copy of %.128s, from which %s is mounted; unmount that, or remove the copy",
		   where, ldd->ldd_svname);
	kfree(text);
	return -EBUSY;
}

/**
 * llite_dir_identify() - prevent mounts of both a directory and a copy of it
 * @claim: a claimed directory
 * @ldd: its mountdata, with an identity
 * @net: network namespace that serves the target
 * @why: out: reason of a refusal
 *
 * The management service refuses a copy on another node. It mistakes a copy on the same node for
 * a restart of the target after a crash.
 *
 * Context: may sleep
 * Return: 0; -EBUSY if a directory with this identity is mounted in @net
 */
int llite_dir_identify(struct llite_claim *claim, const struct lustre_disk_data *ldd,
		       const struct net *net, struct obd_why *why)
{
	const struct llite_claim *twin;
	int rc = 0;

	mutex_lock(&claims_lock);
	claim->fc_net = net->ns.inum;
	strscpy(claim->fc_uuid, ldd->ldd_uuid, sizeof(claim->fc_uuid));
	twin = __claim_twin(claim);
	if (twin) {
		claim->fc_uuid[0] = '\0';
		rc = twin_refused(twin, ldd, why);
	}
	mutex_unlock(&claims_lock);
	return rc;
}

/* Release a directory. May sleep. */
void llite_dir_release(struct llite_claim *claim)
{
	mutex_lock(&claims_lock);
	list_del(&claim->fc_item);
	mutex_unlock(&claims_lock);
	claim_put(claim);
}

/**
 * llite_file_open() - open a file of a target's directory for reading
 * @claim: directory
 * @dir: &fc_path or &fc_configs of @claim
 * @name: name in @dir
 *
 * Context: may sleep
 * Return: file; -ELOOP for a symbolic link; as open()
 */
struct file *llite_file_open(const struct llite_claim *claim, const struct path *dir,
			     const char *name)
{
	const struct cred *old = override_creds(claim->fc_cred);
	struct file *file = file_open_root(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);

	revert_creds(old);
	return file;
}

/**
 * llite_mountdata_read() - read and validate CONFIGS/mountdata
 * @claim: directory of a target
 * @ldd: out
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: 0; -ENODATA: it is too short; -EINVAL: it is invalid; -ELOOP: it is a symbolic
 *  link; as open() and read()
 */
int llite_mountdata_read(const struct llite_claim *claim,
			 struct lustre_disk_data *ldd, struct obd_why *why)
{
	struct file *file = llite_file_open(claim, &claim->fc_configs, "mountdata");
	const struct dentry *dentry = claim->fc_path.dentry;
	char words[OBD_WHY_MAX] = "";
	int rc;

	if (IS_ERR(file))
		return obd_refuse(why, PTR_ERR(file),
				  PTR_ERR(file) == -ELOOP ?
				  "%pd: " MOUNT_DATA_FILE " is a symbolic link; it must be a file" :
				  "%pd: cannot open " MOUNT_DATA_FILE "; create it by mkfs.lustre-lite",
				  dentry);
	rc = libcfs_pread(file, 0, ldd, sizeof(*ldd));
	fput(file);
	if (rc != sizeof(*ldd))
		return obd_refuse(why, rc < 0 ? rc : -ENODATA,
				  "%pd: cannot read all %zu bytes of " MOUNT_DATA_FILE "",
				  dentry, sizeof(*ldd));
	rc = llite_mountdata_check(ldd, words);
	if (rc)
		return obd_refuse(why, rc, "%pd: " MOUNT_DATA_FILE " %s", dentry, words);
	return 0;
}

static int new_write(const struct path *dir, const char *name,
		     const struct llite_bytes *bytes)
{
	struct file *file = file_open_root(dir, name, O_WRONLY | O_CREAT |
					   O_TRUNC | O_NOFOLLOW, bytes->lby_mode);
	int rc;

	if (IS_ERR(file))
		return PTR_ERR(file);
	rc = libcfs_pwrite(file, 0, bytes->lby_bytes, bytes->lby_len) ?:
	     vfs_fsync(file, 0);
	fput(file);
	return rc;
}

/**
 * llite_file_replace() - replace a file of a target's directory atomically
 * @claim: directory
 * @dir: &fc_path or &fc_configs of @claim
 * @name: name in @dir
 * @bytes: its new content
 *
 * Context: may sleep
 * Return: 0 or a negative errno: either the old or the new file exists
 */
int llite_file_replace(const struct llite_claim *claim, const struct path *dir,
		       const char *name, const struct llite_bytes *bytes)
{
	const struct cred *old = override_creds(claim->fc_cred);
	char new[NAME_SPACE];
	int rc;

	scnprintf(new, sizeof(new), "%s" NEW_SUFFIX, name);
	rc = new_write(dir, new, bytes) ?:
	     libcfs_rename(dir, new, name) ?:
	     libcfs_path_sync(dir);
	revert_creds(old);
	return rc;
}

/**
 * llite_mountdata_write() - replace CONFIGS/mountdata
 * @claim: directory of a target
 * @ldd: its new content
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: 0 or a negative errno: either the old or the new file exists
 */
int llite_mountdata_write(const struct llite_claim *claim,
			  const struct lustre_disk_data *ldd,
			  struct obd_why *why)
{
	const struct llite_bytes bytes = {
		.lby_bytes = ldd,
		.lby_len = sizeof(*ldd),
		.lby_mode = 0644,
	};
	int rc = llite_file_replace(claim, &claim->fc_configs, "mountdata", &bytes);

	if (rc)
		return obd_refuse(why, rc,
				  "%pd: cannot write " MOUNT_DATA_FILE,
				  claim->fc_path.dentry);
	return 0;
}
