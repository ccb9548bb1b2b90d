// SPDX-License-Identifier: GPL-2.0
/*
 * Small files besides the logs, in a change.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/* Has the file just these bytes? */
static int same_bytes(struct mgs_file *file, const u8 *bytes, size_t len,
		      bool *same)
{
	u8 *now;
	ssize_t got;

	*same = file->mf_there && file->mf_size == len;
	if (!*same || !len)
		return 0;
	now = libcfs_zalloc(len, GFP_KERNEL);
	if (!now)
		return -ENOMEM;
	got = mgs_file_read(file, 0, now, len);
	*same = got == (ssize_t)len && !memcmp(now, bytes, len);
	libcfs_free(now, len);
	return got < 0 ? (int)got : 0;
}

/* A file that nobody else of the store cares for. */
static bool is_free_name(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash && slash != name && slash[1] && name[0] != '.' &&
		slash[1] != '.' && !strchr(slash + 1, '/') &&
		strncmp(name, MOUNT_CONFIGS_DIR "/",
			sizeof(MOUNT_CONFIGS_DIR)) != 0;
}

/**
 * mgs_txn_put() - a small file besides the logs, whole
 * @txn: change
 * @name: "FOLDER/NAME"; not of CONFIGS/
 * @bytes: what is to be in it
 * @len: how many
 *
 * Context: as the folder
 * Return: 0; -EINVAL for a name that it cannot have; -ENAMETOOLONG; -ENOMEM, and the
 * change cannot be committed; as the folder
 */
int mgs_txn_put(struct mgs_txn *txn, const char *name, const void *bytes,
		size_t len)
{
	struct mgs_file *file;
	bool same;
	int rc;

	if (!is_free_name(name))
		return -EINVAL;
	rc = mgs_file_get(txn, name, &file);
	if (rc)
		return rc;
	rc = same_bytes(file, bytes, len, &same);
	if (!rc && !same) {
		mgs_file_cut(file, 0);
		rc = mgs_file_write(file, 0, bytes, len);
	}
	if (rc)
		txn->mt_failed = rc;
	return rc;
}

/**
 * mgs_txn_get() - read a small file besides the logs
 * @txn: change
 * @name: as mgs_txn_put()
 * @bytes: out
 * @len: how many at most
 *
 * Context: as the folder
 * Return: bytes, fewer at the end; -ENOENT; -EINVAL for a name that it cannot have;
 * as the folder
 */
ssize_t mgs_txn_get(struct mgs_txn *txn, const char *name, void *bytes,
		    size_t len)
{
	if (!is_free_name(name))
		return -EINVAL;
	return mgs_store_pread(txn->mt_store, txn, name, 0, bytes, len);
}

/**
 * mgs_txn_drop() - have no such small file
 * @txn: change
 * @name: as mgs_txn_put(); there may be none
 *
 * Context: as the folder
 * Return: 0; as mgs_txn_put()
 */
int mgs_txn_drop(struct mgs_txn *txn, const char *name)
{
	struct mgs_file *file;
	int rc;

	if (!is_free_name(name))
		return -EINVAL;
	rc = mgs_file_get(txn, name, &file);
	if (rc)
		txn->mt_failed = rc;
	else if (file->mf_there)
		mgs_file_remove(file);
	return rc;
}
