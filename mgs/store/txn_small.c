// SPDX-License-Identifier: GPL-2.0
/*
 * Small files besides the logs, in a change.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

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
	int rc;

	if (!is_free_name(name))
		return -EINVAL;
	rc = mgs_file_get(txn, name, &file);
	if (rc)
		return rc;
	mgs_file_cut(file, 0);
	rc = mgs_file_write(file, 0, bytes, len);
	if (rc)
		txn->mt_failed = rc;
	return rc;
}

/**
 * mgs_store_get() - read a small file besides the logs, as all see it
 * @store: store
 * @name: as mgs_txn_put()
 * @bytes: out
 * @len: how many at most
 *
 * Context: as the folder; the caller's lock
 * Return: as mgs_txn_get()
 */
ssize_t mgs_store_get(struct mgs_store *store, const char *name, void *bytes,
		      size_t len)
{
	struct mgs_file *file;
	int rc;

	if (!is_free_name(name))
		return -EINVAL;
	rc = mgs_file_have(store, name, &file);
	return rc ? rc : mgs_file_read(file, 0, bytes, len);
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
	struct mgs_file *file;

	if (!is_free_name(name))
		return -EINVAL;
	file = mgs_file_find(&txn->mt_files, name);
	return file ? mgs_file_read(file, 0, bytes, len) :
		      mgs_store_get(txn->mt_store, name, bytes, len);
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
