// SPDX-License-Identifier: GPL-2.0-only
/*
 * The directory of a management service, accessed with the credentials of the task that
 * opened it.
 *
 * A file that was written to stays open until it is synced, so that no writeback error is
 * missed. Names do not leave the directory, and symbolic links are not followed.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/path.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>
#include <lustre_lite/libcfs.h>

#include "store.h"

#define DIR_MODE	0700
#define FILE_MODE	0600

/**
 * struct mgs_backend - a directory
 * @be_path: the directory, referenced
 * @be_cred: credentials of the task that opened it, referenced
 * @be_files: struct mgs_backend_file
 *
 * Only the writer uses it.
 */
struct mgs_backend {
	struct path		be_path;
	const struct cred	*be_cred;
	struct list_head	be_files;
};

/**
 * struct mgs_backend_file - a file that was written to
 * @mbf_item: in be_files
 * @mbf_file: file, referenced
 * @mbf_fresh: newly created; its directory entry is not synced yet
 * @mbf_name: name relative to the directory
 */
struct mgs_backend_file {
	struct list_head	mbf_item;
	struct file		*mbf_file;
	bool			mbf_fresh;
	char			mbf_name[MGS_FILE_MAX];
};

static struct mgs_backend_file *ff_find(struct mgs_backend *backend, const char *name)
{
	struct mgs_backend_file *ff;

	list_for_each_entry(ff, &backend->be_files, mbf_item)
		if (!strcmp(ff->mbf_name, name))
			return ff;
	return NULL;
}

static void ff_free(struct mgs_backend_file *ff)
{
	list_del(&ff->mbf_item);
	fput(ff->mbf_file);
	libcfs_free(ff, sizeof(*ff));
}

static struct file *file_open(struct mgs_backend *backend, const char *name,
			      int flags)
{
	struct file *file = file_open_root(&backend->be_path, name,
					   flags | O_LARGEFILE | O_NOFOLLOW |
					   O_NONBLOCK, FILE_MODE);

	if (IS_ERR(file) || S_ISREG(file_inode(file)->i_mode))
		return file;
	fput(file);
	return ERR_PTR(-EINVAL);
}

/* The directory of a file: this one, or one below it */
static struct file *dir_open(struct mgs_backend *backend, const char *name)
{
	const char *slash = strchr(name, '/');
	char dir[MGS_FILE_MAX] = ".";

	if (slash)
		strscpy(dir, name, min_t(size_t, slash - name + 1,
					 sizeof(dir)));
	return file_open_root(&backend->be_path, dir,
			      O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
}

static int dir_sync(struct mgs_backend *backend, const char *name)
{
	struct file *dir = dir_open(backend, name);
	int rc;

	if (dir == ERR_PTR(-ENOENT))
		return 0;
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	rc = libcfs_dir_sync(dir);
	fput(dir);
	return rc;
}

/* Create and sync the directory of @name. */
static int dir_make(struct mgs_backend *backend, const char *name)
{
	struct inode *parent = d_inode(backend->be_path.dentry);
	const char *slash = strchr(name, '/');
	struct dentry *dentry;
	int rc;

	if (!slash)
		return -ENOENT;
	rc = mnt_want_write(backend->be_path.mnt);
	if (rc)
		return rc;
	inode_lock_nested(parent, I_MUTEX_PARENT);
	dentry = compat_lookup(backend->be_path.dentry, name, slash - name);
	if (IS_ERR(dentry)) {
		rc = PTR_ERR(dentry);
		goto unlock_parent;
	}
	if (d_is_negative(dentry))
		rc = compat_mkdir(compat_path_idmap(&backend->be_path), parent, dentry, DIR_MODE);
	dput(dentry);
unlock_parent:
	inode_unlock(parent);
	mnt_drop_write(backend->be_path.mnt);
	return rc ?: dir_sync(backend, ".");
}

/* Open for writing; creates the file. */
static struct file *file_make(struct mgs_backend *backend, const char *name,
			      bool *fresh)
{
	struct file *file = file_open(backend, name, O_RDWR);
	int rc;

	*fresh = file == ERR_PTR(-ENOENT);
	if (!*fresh)
		return file;
	file = file_open(backend, name, O_RDWR | O_CREAT);
	if (file != ERR_PTR(-ENOENT))
		return file;
	rc = dir_make(backend, name);
	return rc ? ERR_PTR(rc) : file_open(backend, name, O_RDWR | O_CREAT);
}

/* A file to write to; stays open until it is synced. */
static struct mgs_backend_file *file_get(struct mgs_backend *backend, const char *name)
{
	struct mgs_backend_file *ff = ff_find(backend, name);
	int rc;

	if (ff)
		return ff;
	ff = libcfs_zalloc(sizeof(*ff), GFP_KERNEL);
	if (!ff)
		return ERR_PTR(-ENOMEM);
	strscpy(ff->mbf_name, name, sizeof(ff->mbf_name));
	ff->mbf_file = file_make(backend, name, &ff->mbf_fresh);
	if (IS_ERR(ff->mbf_file)) {
		rc = PTR_ERR(ff->mbf_file);
		libcfs_free(ff, sizeof(*ff));
		return ERR_PTR(rc);
	}
	list_add(&ff->mbf_item, &backend->be_files);
	return ff;
}

/* A file to read from */
static struct file *file_peek(struct mgs_backend *backend, const char *name)
{
	struct mgs_backend_file *ff = ff_find(backend, name);

	return ff ? get_file(ff->mbf_file) : file_open(backend, name, O_RDONLY);
}

static ssize_t backend_read(void *data, const char *name, u64 offset,
			   void *bytes, size_t len)
{
	struct mgs_backend *backend = data;
	const struct cred *cred = override_creds(backend->be_cred);
	struct file *file = file_peek(backend, name);
	ssize_t rc;

	if (IS_ERR(file)) {
		rc = PTR_ERR(file);
	} else {
		rc = libcfs_pread(file, offset, bytes, len);
		fput(file);
	}
	revert_creds(cred);
	return rc;
}

static int backend_write(void *data, const char *name, u64 offset,
			const void *bytes, size_t len)
{
	struct mgs_backend *backend = data;
	const struct cred *cred = override_creds(backend->be_cred);
	struct mgs_backend_file *ff = file_get(backend, name);
	int rc;

	rc = IS_ERR(ff) ? PTR_ERR(ff) :
			  libcfs_pwrite(ff->mbf_file, offset, bytes, len);
	revert_creds(cred);
	return rc;
}

static int backend_truncate(void *data, const char *name, u64 size)
{
	struct mgs_backend *backend = data;
	const struct cred *cred = override_creds(backend->be_cred);
	struct mgs_backend_file *ff = file_get(backend, name);
	int rc;

	rc = IS_ERR(ff) ? PTR_ERR(ff) :
			  vfs_truncate(&ff->mbf_file->f_path, size);
	revert_creds(cred);
	return rc;
}

static int backend_size(void *data, const char *name, u64 *size)
{
	struct mgs_backend *backend = data;
	const struct cred *cred = override_creds(backend->be_cred);
	struct file *file = file_peek(backend, name);
	int rc = 0;

	if (IS_ERR(file)) {
		rc = PTR_ERR(file);
	} else {
		*size = i_size_read(file_inode(file));
		fput(file);
	}
	revert_creds(cred);
	return rc;
}

/* @dir: its directory. @name: its name there */
static int unlink_in(struct mgs_backend *backend, struct file *dir,
		     const char *name)
{
	struct dentry *parent = dir->f_path.dentry;
	struct dentry *dentry;
	int rc;

	rc = mnt_want_write(backend->be_path.mnt);
	if (rc)
		return rc;
	inode_lock_nested(d_inode(parent), I_MUTEX_PARENT);
	dentry = compat_lookup(parent, name, strlen(name));
	if (IS_ERR(dentry)) {
		rc = PTR_ERR(dentry);
		goto unlock_parent;
	}
	if (d_is_positive(dentry))
		rc = vfs_unlink(compat_path_idmap(&backend->be_path),
				d_inode(parent), dentry, NULL);
	dput(dentry);
unlock_parent:
	inode_unlock(d_inode(parent));
	mnt_drop_write(backend->be_path.mnt);
	return rc == -ENOENT ? 0 : rc;
}

static int backend_remove(void *data, const char *name)
{
	struct mgs_backend *backend = data;
	const struct cred *cred = override_creds(backend->be_cred);
	struct mgs_backend_file *ff = ff_find(backend, name);
	const char *slash = strchr(name, '/');
	struct file *dir;
	int rc = 0;

	if (ff)
		ff_free(ff);
	dir = dir_open(backend, name);
	if (!IS_ERR(dir)) {
		rc = unlink_in(backend, dir, slash ? slash + 1 : name);
		fput(dir);
	} else if (dir != ERR_PTR(-ENOENT)) {
		rc = PTR_ERR(dir);
	}
	revert_creds(cred);
	return rc;
}

/* Syncs the data and the metadata needed to find it: sizes, not times. */
static int sync_file(struct mgs_backend *backend, struct mgs_backend_file *ff)
{
	int rc = vfs_fsync(ff->mbf_file, 1);

	if (!rc && ff->mbf_fresh)
		rc = dir_sync(backend, ff->mbf_name);
	return rc;
}

/* Sync a file that is not open, or its removal. */
static int sync_other(struct mgs_backend *backend, const char *name)
{
	struct file *file = file_open(backend, name, O_RDONLY);
	int rc = 0;

	if (!IS_ERR(file)) {
		rc = vfs_fsync(file, 1);
		fput(file);
	} else if (file != ERR_PTR(-ENOENT)) {
		rc = PTR_ERR(file);
	}
	return rc ?: dir_sync(backend, name);
}

static int backend_sync(void *data, const char *name)
{
	struct mgs_backend *backend = data;
	const struct cred *cred = override_creds(backend->be_cred);
	struct mgs_backend_file *ff = ff_find(backend, name);
	int rc;

	if (ff) {
		rc = sync_file(backend, ff);
		if (!rc)
			ff_free(ff);
	} else {
		rc = sync_other(backend, name);
	}
	revert_creds(cred);
	return rc;
}

/**
 * struct mgs_listing - names of a directory
 * @ctx: context of iterate_dir()
 * @names: struct mgs_listed
 * @rc: first error
 */
struct mgs_listing {
	struct dir_context	ctx;
	struct list_head	names;
	int			rc;
};

struct mgs_listed {
	struct list_head	item;
	char			name[MGS_FILE_MAX];
};

static bool listing_add(struct dir_context *ctx, const char *name, int len,
			loff_t offset, u64 ino, unsigned int type)
{
	struct mgs_listing *listing = container_of(ctx, struct mgs_listing, ctx);
	struct mgs_listed *listed;

	/* Skip directories, and names that no file of a store has. */
	if (name[0] == '.' || len >= MGS_FILE_MAX ||
	    (type != DT_REG && type != DT_UNKNOWN))
		return true;
	listed = libcfs_zalloc(sizeof(*listed), GFP_KERNEL);
	if (!listed) {
		listing->rc = -ENOMEM;
		return false;
	}
	memcpy(listed->name, name, len);
	list_add_tail(&listed->item, &listing->names);
	return true;
}

static int listing_read(struct mgs_backend *backend, const char *dir,
			struct mgs_listing *listing)
{
	struct file *file;
	int rc;

	file = file_open_root(&backend->be_path, dir,
			      O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (file == ERR_PTR(-ENOENT))
		return 0;
	if (IS_ERR(file))
		return PTR_ERR(file);
	rc = iterate_dir(file, &listing->ctx);
	fput(file);
	return rc ?: listing->rc;
}

static int backend_list(void *data, const char *dir,
		       int (*fn)(void *data, const char *name), void *arg)
{
	struct mgs_backend *backend = data;
	struct mgs_listing listing = { .ctx.actor = listing_add };
	const struct cred *cred;
	struct mgs_listed *listed, *next;
	int rc;

	INIT_LIST_HEAD(&listing.names);
	cred = override_creds(backend->be_cred);
	rc = listing_read(backend, dir, &listing);
	revert_creds(cred);
	/* Not from within iterate_dir(), which locks the directory. */
	list_for_each_entry_safe(listed, next, &listing.names, item) {
		if (!rc)
			rc = fn(arg, listed->name);
		list_del(&listed->item);
		libcfs_free(listed, sizeof(*listed));
	}
	return rc;
}

const struct mgs_backend_io mgs_backend_io = {
	.read	= backend_read,
	.write	= backend_write,
	.size	= backend_size,
	.truncate = backend_truncate,
	.remove	= backend_remove,
	.sync	= backend_sync,
	.list	= backend_list,
};

/**
 * mgs_backend_open() - open a directory for a store
 * @path: directory; a reference is taken
 *
 * Operations use the credentials of the calling task.
 *
 * Context: may sleep for memory
 * Return: directory, for mgs_backend_close(); an ERR_PTR: -ENOTDIR, -ENOMEM
 */
struct mgs_backend *mgs_backend_open(const struct path *path)
{
	struct mgs_backend *backend;

	if (!d_is_dir(path->dentry))
		return ERR_PTR(-ENOTDIR);
	backend = libcfs_zalloc(sizeof(*backend), GFP_KERNEL);
	if (!backend)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&backend->be_files);
	backend->be_path = *path;
	path_get(&backend->be_path);
	backend->be_cred = get_current_cred();
	return backend;
}

/**
 * mgs_backend_close() - close a directory
 * @backend: directory, or NULL
 *
 * Context: sleeps until files are put, so that the file system can be unmounted when it
 * returns; no store uses the directory
 */
void mgs_backend_close(struct mgs_backend *backend)
{
	struct mgs_backend_file *ff, *next;

	if (!backend)
		return;
	list_for_each_entry_safe(ff, next, &backend->be_files, mbf_item)
		ff_free(ff);
	put_cred(backend->be_cred);
	path_put(&backend->be_path);
	libcfs_free(backend, sizeof(*backend));
	flush_delayed_fput();
}
