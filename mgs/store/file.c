// SPDX-License-Identifier: GPL-2.0
/*
 * Files of the folder in memory: as all see them, and as a change sees them. What a
 * change did to a file is what differs between the two; it comes out as the parts
 * of an entry of the journal, which can be done again.
 */
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

/* A file of a list. Return: file, or NULL */
static struct mgs_file *file_find(const struct list_head *files, const char *name)
{
	struct mgs_file *file;

	list_for_each_entry(file, files, mf_item)
		if (!strcmp(file->mf_name, name))
			return file;
	return NULL;
}

static struct mgs_file *file_alloc(struct mgs_store *store, const char *name)
{
	struct mgs_file *file = libcfs_zalloc(sizeof(*file), GFP_KERNEL);

	if (!file)
		return NULL;
	INIT_LIST_HEAD(&file->mf_item);
	INIT_LIST_HEAD(&file->mf_unsynced);
	file->mf_store = store;
	file->mf_applied = true;
	memcpy(file->mf_name, name, strlen(name));
	return file;
}

static void file_free(struct mgs_file *file)
{
	mgs_bytes_free(&file->mf_bytes);
	mgs_bytes_free(&file->mf_disk);
	list_del_init(&file->mf_item);
	list_del_init(&file->mf_unsynced);
	libcfs_free(file, sizeof(*file));
}

/* Free all files of a list */
void mgs_files_free(struct list_head *files)
{
	while (!list_empty(files))
		file_free(list_entry(files->next, struct mgs_file, mf_item));
}

static int load_bytes(struct mgs_file *file, u64 size, u8 *room)
{
	struct mgs_store *store = file->mf_store;
	u64 offset = 0;
	ssize_t len;
	int rc = 0;

	while (offset < size && !rc) {
		len = store->ms_io->read(store->ms_folder, file->mf_name, offset,
					 room, min_t(u64, MGS_PIECE,
						     size - offset));
		/* It was that long a moment ago. */
		if (len <= 0)
			return len ? (int)len : -EIO;
		rc = mgs_bytes_write(&file->mf_bytes, offset, room, len);
		offset += len;
	}
	return rc;
}

/* One that cannot be read can be removed, and written whole. */
static int load_unreadable(struct mgs_file *file, int rc)
{
	if (rc != -EIO && rc != -EFBIG)
		return rc;
	mgs_bytes_free(&file->mf_bytes);
	file->mf_unread = true;
	file->mf_unsure = true;
	return 0;
}

static int file_load(struct mgs_file *file)
{
	struct mgs_store *store = file->mf_store;
	u64 size = 0;
	u8 *room;
	int rc;

	rc = store->ms_io->size(store->ms_folder, file->mf_name, &size);
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	file->mf_there = true;
	if (size > MGS_LOAD_MAX)
		return load_unreadable(file, -EFBIG);
	if (!size)
		return 0;
	room = libcfs_zalloc(MGS_PIECE, GFP_KERNEL);
	if (!room)
		return -ENOMEM;
	rc = load_bytes(file, size, room);
	libcfs_free(room, MGS_PIECE);
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
 * A file of the folder, as all see it. @file: out; the store's, also where there is no
 * such file. It is read once, and stays in memory.
 * Return: 0; -ENAMETOOLONG; -ENOMEM; as the folder
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
	made = file_alloc(store, name);
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
 * A file for a change to work on.
 * Return: 0; -ENAMETOOLONG; -ENOMEM, and the change cannot be committed; as the folder
 */
int mgs_file_get(struct mgs_txn *txn, const char *name, struct mgs_file **file)
{
	struct mgs_file *base, *made = NULL;
	int rc;

	*file = file_find(&txn->mt_files, name);
	if (*file)
		return 0;
	rc = mgs_file_have(txn->mt_store, name, &base);
	if (!rc) {
		made = file_alloc(txn->mt_store, name);
		rc = made ? mgs_bytes_copy(&made->mf_bytes, &base->mf_bytes) :
			    -ENOMEM;
	}
	if (rc) {
		if (made)
			file_free(made);
		if (rc == -ENOMEM)
			txn->mt_failed = rc;
		return rc;
	}
	made->mf_base = base;
	made->mf_there = base->mf_there;
	made->mf_unread = base->mf_unread;
	list_add_tail(&made->mf_item, &txn->mt_files);
	*file = made;
	return 0;
}

/*
 * Read.
 * Return: bytes, fewer at the end; -ENOENT; -EIO for one that could not be read
 */
ssize_t mgs_file_read(void *at, u64 offset, void *bytes, size_t len)
{
	const struct mgs_file *file = at;

	if (!file->mf_there)
		return -ENOENT;
	if (file->mf_unread)
		return -EIO;
	return (ssize_t)mgs_bytes_read(&file->mf_bytes, offset, bytes, len);
}

/*
 * Write, for the change to see.
 * Return: 0; -EFBIG; -ENOMEM, and nothing was written
 */
int mgs_file_write(void *at, u64 offset, const void *bytes, size_t len)
{
	struct mgs_file *file = at;
	int rc;

	if (offset > MGS_FILE_SIZE_MAX || len > MGS_ENTRY_MAX)
		return -EFBIG;
	if (!len)
		return mgs_file_cut(file, max_t(u64, file->mf_bytes.by_size,
						offset));
	rc = mgs_bytes_write(&file->mf_bytes, offset, bytes, len);
	if (!rc)
		file->mf_there = true;
	return rc;
}

/*
 * Give it another size, for the change to see. @at: struct mgs_file; made where it is
 * not there.
 * Return: 0
 */
int mgs_file_cut(void *at, u64 size)
{
	struct mgs_file *file = at;

	mgs_bytes_cut(&file->mf_bytes, size);
	file->mf_there = true;
	if (!size)
		file->mf_unread = false;
	return 0;
}

/* Have no such file, for the change to see */
void mgs_file_remove(struct mgs_file *file)
{
	mgs_file_cut(file, 0);
	file->mf_there = false;
}

/* Whether there is anything to be done to the file */
bool mgs_file_changed(const struct mgs_file *file)
{
	struct mgs_todo todo;
	struct mgs_part part;

	mgs_todo_init(&todo, file);
	return mgs_todo_next(&todo, &part);
}

/* A file is to be synced before the journal is emptied */
static void file_unsynced(struct mgs_file *file)
{
	if (list_empty(&file->mf_unsynced))
		list_add_tail(&file->mf_unsynced, &file->mf_store->ms_unsynced);
}

/* A file is about to be another one than in the folder. Return: 0, -ENOMEM */
int mgs_file_begin(struct mgs_file *file)
{
	int rc;

	file_unsynced(file);
	if (!file->mf_applied)
		return 0;
	rc = mgs_bytes_copy(&file->mf_disk, &file->mf_bytes);
	if (rc)
		return rc;
	file->mf_was = file->mf_there;
	file->mf_applied = false;
	return 0;
}

/*
 * All see what a change did to a file. Context: any that may free; nobody reads.
 */
void mgs_file_show(struct mgs_file *file)
{
	struct mgs_file *base = file->mf_base;

	file_unsynced(base);
	if (base->mf_applied) {
		base->mf_disk = base->mf_bytes;
		base->mf_was = base->mf_there;
		base->mf_applied = false;
	} else {
		mgs_bytes_free(&base->mf_bytes);
	}
	base->mf_bytes = file->mf_bytes;
	base->mf_there = file->mf_there;
	base->mf_unread = file->mf_unread;
	memset(&file->mf_bytes, 0, sizeof(file->mf_bytes));
}

/* The folder has the file as all see it */
void mgs_file_done(struct mgs_file *file)
{
	mgs_bytes_free(&file->mf_disk);
	file->mf_applied = true;
	file->mf_unsure = file->mf_unread;
}

static int overlay_sync(void *file)
{
	return 0;
}

/* A log is written as llog_store writes it, into what the change sees. */
const struct llog_store_io mgs_file_llog_io = {
	.read	= mgs_file_read,
	.write	= mgs_file_write,
	.sync	= overlay_sync,
	.cut	= mgs_file_cut,
};

enum { TODO_REMOVE, TODO_WRITE, TODO_SIZE, TODO_END };

/* Begin with what is to be done to a file */
void mgs_todo_init(struct mgs_todo *todo, const struct mgs_file *file)
{
	const struct mgs_file *base = file->mf_base;

	todo->file = file;
	todo->was = base ? base->mf_there : file->mf_was;
	todo->unsure = base ? base->mf_unsure : file->mf_unsure;
	todo->differ.from = base ? &base->mf_bytes : &file->mf_disk;
	todo->reached = todo->differ.from->by_size;
	todo->differ.to = &file->mf_bytes;
	todo->differ.at = 0;
	/* Where it is not known what the folder has, all of it is written. */
	if (todo->unsure)
		todo->differ.from = NULL;
	todo->next = file->mf_there ? TODO_WRITE : TODO_REMOVE;
	/* An unreadable file that nobody touched stays. */
	if (file->mf_there && file->mf_unread)
		todo->next = TODO_END;
}

static bool todo_one(struct mgs_todo *todo, struct mgs_part *part)
{
	const struct mgs_file *file = todo->file;
	u64 size = file->mf_bytes.by_size;
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

/* The next part. @todo: where it stands. Return: whether there was one */
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
	file = file_find(&txn->mt_files, name);
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
