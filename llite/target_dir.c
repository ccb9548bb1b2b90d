// SPDX-License-Identifier: GPL-2.0-only
/*
 * Directories of targets: one mount of each, and the files CONFIGS/mountdata
 * and target_secret in it. Files are replaced atomically: after a power cut the
 * old or the new one exists.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/err.h>
#include <linux/file.h>
#include <linux/list.h>
#include <linux/mount.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/slab.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>

#include <net/net_namespace.h>

#include "llite_internal.h"

/* Suffix of a file until it is renamed. */
#define NEW_SUFFIX	".new"
#define NAME_ROOM	32

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

/**
 * llite_dir_claim() - look up a directory and prevent other mounts of it
 * @claim: out
 * @name: its path
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: 0; -EBUSY if it is mounted, or being mounted; as kern_path()
 */
int llite_dir_claim(struct llite_claim *claim, const char *name,
		    struct obd_why *why)
{
	int rc = kern_path(name, LOOKUP_FOLLOW | LOOKUP_DIRECTORY,
			   &claim->fc_path);

	if (rc)
		return obd_refuse(why, rc, "directory '%.128s' does not exist", name);
	claim->fc_uuid[0] = '\0';
	if (claim_add(claim))
		return 0;
	path_put(&claim->fc_path);
	return obd_refuse(why, -EBUSY,
			  "%.128s is already mounted or being mounted", name);
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
 * llite_dir_identify() - prevent that a directory and a copy of it are mounted
 * @claim: a claimed directory
 * @ldd: its mountdata, with an identity
 * @net: network namespace that serves the target
 * @why: out: reason of a refusal
 *
 * The management service refuses a copy that another node mounts. It takes one on the same node
 * for a restart after a crash.
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
	path_put(&claim->fc_path);
}

/**
 * llite_mountdata_read() - read and validate CONFIGS/mountdata
 * @dir: directory of a target
 * @ldd: out
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: 0; -ENODATA: it is too short; -EINVAL: it is invalid; as open() and
 *  read()
 */
int llite_mountdata_read(const struct path *dir,
			 struct lustre_disk_data *ldd, struct obd_why *why)
{
	struct file *file = file_open_root(dir, MOUNT_DATA_FILE, O_RDONLY, 0);
	char words[OBD_WHY_MAX] = "";
	int rc;

	if (IS_ERR(file))
		return obd_refuse(why, PTR_ERR(file),
				  "%pd: cannot open " MOUNT_DATA_FILE "; create it by mkfs.lustre-lite",
				  dir->dentry);
	rc = libcfs_pread(file, 0, ldd, sizeof(*ldd));
	fput(file);
	if (rc != sizeof(*ldd))
		return obd_refuse(why, rc < 0 ? rc : -ENODATA,
				  "%pd: cannot read all %zu bytes of " MOUNT_DATA_FILE "",
				  dir->dentry, sizeof(*ldd));
	rc = llite_mountdata_check(ldd, words);
	if (rc)
		return obd_refuse(why, rc, "%pd: " MOUNT_DATA_FILE " %s",
				  dir->dentry, words);
	return 0;
}

static int new_write(const struct path *dir, const char *name,
		     const struct llite_bytes *bytes)
{
	struct file *file = file_open_root(dir, name, O_WRONLY | O_CREAT |
					   O_TRUNC | O_NOFOLLOW, bytes->lb_mode);
	int rc;

	if (IS_ERR(file))
		return PTR_ERR(file);
	rc = libcfs_pwrite(file, 0, bytes->lb_bytes, bytes->lb_len) ?:
	     vfs_fsync(file, 0);
	fput(file);
	return rc;
}

/* fsync makes the new name survive a power cut; some directories need none. */
static int replace_in(struct file *dir, const char *name,
		      const struct llite_bytes *bytes)
{
	char new[NAME_ROOM];
	int rc;

	scnprintf(new, sizeof(new), "%s" NEW_SUFFIX, name);
	rc = new_write(&dir->f_path, new, bytes);
	if (rc)
		return rc;
	rc = libcfs_rename(&dir->f_path, new, name);
	return rc ?: libcfs_dir_sync(dir);
}

/**
 * llite_file_replace() - replace a file of a target's directory atomically
 * @dir: directory of a target
 * @sub: subdirectory, or "."
 * @name: name in @sub
 * @bytes: its new content
 *
 * Context: may sleep
 * Return: 0 or a negative errno: either the old or the new file exists
 */
int llite_file_replace(const struct path *dir, const char *sub,
		       const char *name, const struct llite_bytes *bytes)
{
	struct file *file = file_open_root(dir, sub, O_RDONLY | O_DIRECTORY,
					   0);
	int rc;

	if (IS_ERR(file))
		return PTR_ERR(file);
	rc = replace_in(file, name, bytes);
	fput(file);
	return rc;
}

/**
 * llite_mountdata_write() - replace CONFIGS/mountdata
 * @dir: directory of a target
 * @ldd: its new content
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: 0 or a negative errno: either the old or the new file exists
 */
int llite_mountdata_write(const struct path *dir,
			  const struct lustre_disk_data *ldd,
			  struct obd_why *why)
{
	const struct llite_bytes bytes = {
		.lb_bytes = ldd,
		.lb_len = sizeof(*ldd),
		.lb_mode = 0644,
	};
	int rc = llite_file_replace(dir, MOUNT_CONFIGS_DIR, "mountdata",
				    &bytes);

	if (rc)
		return obd_refuse(why, rc,
				  "%pd: cannot write " MOUNT_DATA_FILE,
				  dir->dentry);
	return 0;
}
