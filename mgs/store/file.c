// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of the directory in memory: those of the store, and versions of them that a
 * change edits. The difference of the two versions is written as parts: to the journal entry
 * of the change and, after the commit, to the directory. Writing a part twice is harmless.
 *
 * A failed write to the directory is retried: a file keeps the bytes that the directory has
 * until all differences are written.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

static struct mgs_file *file_find(const struct list_head *files, const char *name)
{
	struct mgs_file *file;

	list_for_each_entry(file, files, mf_item)
		if (!strcmp(file->mf_name, name))
			return file;
	return NULL;
}

static struct mgs_file *file_alloc(struct mgs_store *store, const char *name,
				   const struct mgs_bytes *from)
{
	struct mgs_file *file = libcfs_zalloc(sizeof(*file), GFP_KERNEL);

	if (!file)
		return NULL;
	file->mf_bytes = from ? mgs_bytes_copy(from) : mgs_bytes_new();
	if (!file->mf_bytes) {
		libcfs_free(file, sizeof(*file));
		return NULL;
	}
	INIT_LIST_HEAD(&file->mf_item);
	INIT_LIST_HEAD(&file->mf_unsynced);
	file->mf_store = store;
	file->mf_applied = true;
	memcpy(file->mf_name, name, strlen(name));
	return file;
}

static void file_free(struct mgs_file *file)
{
	mgs_bytes_put(file->mf_bytes);
	mgs_bytes_put(file->mf_disk);
	list_del_init(&file->mf_item);
	list_del_init(&file->mf_unsynced);
	libcfs_free(file, sizeof(*file));
}

void mgs_files_free(struct list_head *files)
{
	while (!list_empty(files))
		file_free(list_entry(files->next, struct mgs_file, mf_item));
}

static int load_bytes(struct mgs_file *file, u64 size, u8 *buf)
{
	struct mgs_store *store = file->mf_store;
	u64 offset = 0;
	ssize_t len;
	int rc = 0;

	while (offset < size && !rc) {
		len = store->ms_io->read(store->ms_backend, file->mf_name, offset,
					 buf, min_t(u64, MGS_PIECE,
						     size - offset));
		/* The file was longer a moment ago. */
		if (len <= 0)
			return len ? (int)len : -EIO;
		rc = mgs_bytes_write(file->mf_bytes, offset, buf, len);
		offset += len;
	}
	return rc;
}

/* A file that cannot be read can be removed, or replaced as a whole. */
static int load_unreadable(struct mgs_file *file, int rc)
{
	if (rc != -EIO && rc != -EFBIG)
		return rc;
	mgs_bytes_truncate(file->mf_bytes, 0);
	file->mf_unread = true;
	file->mf_unsure = true;
	return 0;
}

static int file_load(struct mgs_file *file)
{
	struct mgs_store *store = file->mf_store;
	u64 size = 0;
	u8 *buf;
	int rc;

	rc = store->ms_io->size(store->ms_backend, file->mf_name, &size);
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	file->mf_there = true;
	if (size > store->ms_file_max)
		return load_unreadable(file, -EFBIG);
	if (!size)
		return 0;
	buf = libcfs_zalloc(MGS_PIECE, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	rc = load_bytes(file, size, buf);
	libcfs_free(buf, MGS_PIECE);
	return rc ? load_unreadable(file, rc) : 0;
}

static struct list_head *chain_of(struct mgs_store *store, const char *name)
{
	u32 hash = 2166136261U;

	for (; *name; name++)
		hash = (hash ^ (u8)*name) * 16777619U;
	return &store->ms_files[(hash ^ hash >> 16) % MGS_FILE_CHAINS];
}

/*
 * A file of the store. @file: out; also set if the directory has no such file. It is read
 * once and stays in memory.
 * Return: 0; -ENAMETOOLONG; -ENOMEM; as the directory
 */
int mgs_file_have(struct mgs_store *store, const char *name,
		  struct mgs_file **file)
{
	struct list_head *chain = chain_of(store, name);
	struct mgs_file *made;
	int rc;

	*file = file_find(chain, name);
	if (*file)
		return 0;
	if (strlen(name) >= MGS_FILE_MAX)
		return -ENAMETOOLONG;
	made = file_alloc(store, name, NULL);
	if (!made)
		return -ENOMEM;
	rc = file_load(made);
	if (rc) {
		file_free(made);
		return rc;
	}
	list_add_tail(&made->mf_item, chain);
	*file = made;
	return 0;
}

/*
 * A change's version of a file.
 * Return: 0; -ENAMETOOLONG; -ENOMEM, and the change cannot be committed; as the directory
 */
int mgs_file_get(struct mgs_txn *txn, const char *name, struct mgs_file **file)
{
	struct mgs_file *base, *made;
	int rc;

	*file = file_find(&txn->mt_files, name);
	if (*file)
		return 0;
	rc = mgs_file_have(txn->mt_store, name, &base);
	made = rc ? NULL : file_alloc(txn->mt_store, name, base->mf_bytes);
	if (!rc && !made)
		rc = -ENOMEM;
	if (rc == -ENOMEM)
		txn->mt_failed = rc;
	if (rc)
		return rc;
	made->mf_base = base;
	made->mf_there = base->mf_there;
	made->mf_unread = base->mf_unread;
	list_add_tail(&made->mf_item, &txn->mt_files);
	*file = made;
	return 0;
}

/* Return: length, less than @len at the end; -ENOENT; -EIO if it could not be read */
ssize_t mgs_file_read(void *at, u64 offset, void *bytes, size_t len)
{
	const struct mgs_file *file = at;

	if (!file->mf_there)
		return -ENOENT;
	if (file->mf_unread)
		return -EIO;
	return (ssize_t)mgs_bytes_read(file->mf_bytes, offset, bytes, len);
}

/*
 * @at: a change's file, or the store's while the journal is replayed.
 * Return: 0; -EFBIG: it would be too large; -ENOMEM; nothing was written then
 */
int mgs_file_write(void *at, u64 offset, const void *bytes, size_t len)
{
	struct mgs_file *file = at;
	int rc;

	if (file->mf_base && (len > file->mf_store->ms_file_max ||
			      offset > file->mf_store->ms_file_max - len))
		return -EFBIG;
	if (!len)
		return mgs_file_truncate(file, max_t(u64, file->mf_bytes->by_size,
						offset));
	rc = mgs_bytes_write(file->mf_bytes, offset, bytes, len);
	if (!rc)
		file->mf_there = true;
	return rc;
}

/* Truncate or extend; creates the file. @at: as mgs_file_write(). Return: 0 */
int mgs_file_truncate(void *at, u64 size)
{
	struct mgs_file *file = at;

	mgs_bytes_truncate(file->mf_bytes, size);
	file->mf_there = true;
	if (!size)
		file->mf_unread = false;
	return 0;
}

/* @file: as mgs_file_write() */
void mgs_file_remove(struct mgs_file *file)
{
	mgs_file_truncate(file, 0);
	file->mf_there = false;
}

/* Whether a change modified its file */
bool mgs_file_changed(const struct mgs_file *file)
{
	struct mgs_todo todo;
	struct mgs_part part;

	mgs_todo_init(&todo, file);
	return mgs_todo_next(&todo, &part);
}

/* The file must be synced before a new round of the journal starts. */
static void file_unsynced(struct mgs_file *file)
{
	if (list_empty(&file->mf_unsynced))
		list_add_tail(&file->mf_unsynced, &file->mf_store->ms_unsynced);
}

/* Prepare a file of the store for the replay of the journal. Return: 0, -ENOMEM */
int mgs_file_begin(struct mgs_file *file)
{
	struct mgs_bytes *bytes;

	file_unsynced(file);
	if (!file->mf_applied)
		return 0;
	bytes = mgs_bytes_copy(file->mf_bytes);
	if (!bytes)
		return -ENOMEM;
	file->mf_disk = file->mf_bytes;
	file->mf_bytes = bytes;
	file->mf_was = file->mf_there;
	file->mf_applied = false;
	return 0;
}

/* The store's file gets the contents of the change's version. @file: the change's */
void mgs_file_show(struct mgs_file *file)
{
	struct mgs_file *base = file->mf_base;

	file_unsynced(base);
	if (base->mf_applied) {
		base->mf_disk = base->mf_bytes;
		base->mf_was = base->mf_there;
		base->mf_applied = false;
	} else {
		mgs_bytes_put(base->mf_bytes);
	}
	/* The change stays readable until its end function was called. */
	base->mf_bytes = mgs_bytes_get(file->mf_bytes);
	base->mf_there = file->mf_there;
	base->mf_unread = file->mf_unread;
}

static int overlay_sync(void *file)
{
	return 0;
}

/* llog_store writes a log into the version of the change. */
const struct llog_store_io mgs_file_llog_io = {
	.read	= mgs_file_read,
	.write	= mgs_file_write,
	.sync	= overlay_sync,
	.truncate = mgs_file_truncate,
};

enum { TODO_REMOVE, TODO_WRITE, TODO_SIZE, TODO_END };

void mgs_todo_init(struct mgs_todo *todo, const struct mgs_file *file)
{
	const struct mgs_file *base = file->mf_base;

	todo->file = file;
	todo->was = base ? base->mf_there : file->mf_was;
	todo->unsure = base ? base->mf_unsure : file->mf_unsure;
	todo->differ.from = base ? base->mf_bytes : file->mf_disk;
	todo->reached = todo->differ.from ? todo->differ.from->by_size : 0;
	todo->differ.to = file->mf_bytes;
	todo->differ.at = 0;
	/* If the contents in the directory are unknown, the whole file is written. */
	if (todo->unsure)
		todo->differ.from = NULL;
	todo->next = file->mf_there ? TODO_WRITE : TODO_REMOVE;
	/* An unreadable file stays until it is replaced. */
	if (file->mf_there && file->mf_unread)
		todo->next = TODO_END;
}

static bool todo_one(struct mgs_todo *todo, struct mgs_part *part)
{
	const struct mgs_file *file = todo->file;
	u64 size = file->mf_bytes->by_size;
	struct mgs_range range;

	switch (todo->next) {
	case TODO_REMOVE:
		todo->next = TODO_END;
		part->kind = MGS_PART_REMOVE;
		part->offset = 0;
		return todo->was || todo->unsure;
	case TODO_WRITE:
		if (!mgs_differ_next(&todo->differ, &range)) {
			todo->next = TODO_SIZE;
			return false;
		}
		part->kind = MGS_PART_WRITE;
		part->offset = range.offset;
		part->bytes = range.bytes;
		part->len = range.len;
		todo->reached = max_t(u64, todo->reached,
				      range.offset + range.len);
		return true;
	default:
		todo->next = TODO_END;
		part->kind = MGS_PART_SIZE;
		part->offset = size;
		return size != todo->reached || todo->unsure ||
			(!todo->was && !size);
	}
}

/* Return: whether there was another part */
bool mgs_todo_next(struct mgs_todo *todo, struct mgs_part *part)
{
	while (todo->next != TODO_END) {
		part->bytes = NULL;
		part->len = 0;
		if (!todo_one(todo, part))
			continue;
		memcpy(part->name, todo->file->mf_name, sizeof(part->name));
		return true;
	}
	return false;
}

static int part_apply(struct mgs_store *store, const struct mgs_part *part)
{
	const struct mgs_backend_io *io = store->ms_io;

	switch (part->kind) {
	case MGS_PART_WRITE:
		return io->write(store->ms_backend, part->name, part->offset,
				 part->bytes, part->len);
	case MGS_PART_SIZE:
		return io->truncate(store->ms_backend, part->name, part->offset);
	default:
		return io->remove(store->ms_backend, part->name);
	}
}

static int file_apply(struct mgs_file *file)
{
	struct mgs_todo todo;
	struct mgs_part part;
	int rc = 0;

	if (file->mf_applied)
		return 0;
	mgs_todo_init(&todo, file);
	while (!rc && mgs_todo_next(&todo, &part))
		rc = part_apply(file->mf_store, &part);
	if (rc) {
		/* Some of the parts may be written. */
		file->mf_unsure = true;
		return rc;
	}
	mgs_bytes_put(file->mf_disk);
	file->mf_disk = NULL;
	file->mf_applied = true;
	file->mf_unsure = file->mf_unread;
	return 0;
}

/*
 * Write committed changes to the directory.
 * Return: 0; as the directory: the journal has the rest, and it can be tried again
 */
int mgs_files_apply(struct mgs_store *store)
{
	struct mgs_file *file;
	int rc;

	list_for_each_entry(file, &store->ms_unsynced, mf_unsynced) {
		rc = file_apply(file);
		if (rc)
			return rc;
	}
	return 0;
}

/* A failed sync may lose earlier writes, and the next sync does not report that. */
static int file_sync(struct mgs_file *file)
{
	struct mgs_store *store = file->mf_store;
	int rc = store->ms_io->sync(store->ms_backend, file->mf_name);

	if (!rc) {
		list_del_init(&file->mf_unsynced);
		return 0;
	}
	file->mf_applied = false;
	file->mf_unsure = true;
	return rc;
}

/*
 * Sync the files that were written.
 * Return: 0; as the directory: after mgs_files_apply() it can be tried again
 */
int mgs_files_sync(struct mgs_store *store)
{
	struct mgs_file *file;
	int rc;

	while (!list_empty(&store->ms_unsynced)) {
		file = list_entry(store->ms_unsynced.next, struct mgs_file,
				  mf_unsynced);
		rc = file_sync(file);
		if (rc)
			return rc;
	}
	return 0;
}

/* A name that callers may use: not one of the store itself. */
static bool is_free_name(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash && slash != name && slash[1] && name[0] != '.' &&
		slash[1] != '.' && !strchr(slash + 1, '/') &&
		strncmp(name, MOUNT_CONFIGS_DIR "/",
			sizeof(MOUNT_CONFIGS_DIR)) != 0;
}

/**
 * mgs_txn_put() - replace a small file besides the logs
 * @txn: change
 * @name: "DIRECTORY/NAME"; not of CONFIGS/
 * @bytes: contents
 * @len: length of @bytes
 *
 * Context: the writer; may read the directory
 * Return: 0; -EINVAL for an invalid name; -ENAMETOOLONG; -ENOMEM, and the change cannot
 * be committed; as the directory
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
	mgs_file_truncate(file, 0);
	rc = mgs_file_write(file, 0, bytes, len);
	if (rc)
		txn->mt_failed = rc;
	return rc;
}

/**
 * mgs_store_get() - read a small file besides the logs, as the last change left it
 * @store: store
 * @name: as mgs_txn_put()
 * @bytes: out
 * @len: size of @bytes
 *
 * Context: the writer; may read the directory
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
 * mgs_txn_get() - read a small file besides the logs, as the change sees it
 * @txn: change
 * @name: as mgs_txn_put()
 * @bytes: out
 * @len: size of @bytes
 *
 * Context: the writer; may read the directory
 * Return: length; -ENOENT; -EINVAL for an invalid name; as the directory
 */
ssize_t mgs_txn_get(struct mgs_txn *txn, const char *name, void *bytes,
		    size_t len)
{
	struct mgs_file *file;

	if (!is_free_name(name))
		return -EINVAL;
	file = file_find(&txn->mt_files, name);
	return file ? mgs_file_read(file, 0, bytes, len) :
		      mgs_store_get(txn->mt_store, name, bytes, len);
}

/**
 * mgs_txn_drop() - delete a small file
 * @txn: change
 * @name: as mgs_txn_put(); it need not exist
 *
 * Context: the writer; may read the directory
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
