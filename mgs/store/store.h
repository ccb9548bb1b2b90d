/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The store of a management service: its logs, and changes that are atomic, also when the
 * power or the disk fails. It uses nothing of a kernel but memory and a spinlock, and reaches
 * the directory through a few functions, so that tests can cut the power after every write.
 *
 * Readers take a view, the logs as the last change left them, and put it when done. A
 * view never changes; reading one takes no lock and does no I/O.
 *
 *	view = mgs_store_view()
 *	mgs_view_info(), mgs_view_read(), mgs_view_walk() ...
 *	mgs_view_put(view)
 *
 * Only one task, the writer, makes changes and writes to the directory; that is up to the
 * caller. All other functions of the store belong to the writer.
 *
 *	mgs_txn_begin()
 *	mgs_txn_append(), mgs_txn_mark() ...	visible in mgs_txn_view() only
 *	mgs_txn_commit()			on the disk, then visible to readers
 *
 * A change that is in the journal and could not be written to its files, on a full disk
 * above all, is committed: readers get it from memory. The store has failed then, and
 * refuses changes until mgs_store_retry() succeeds, which starting a change tries first.
 *
 * Logs are in the format of llog_store, so logs of a real server are served as they are.
 * One that mgs_state does not list is added when the store is opened.
 */
#ifndef _MGS_STORE_H
#define _MGS_STORE_H

#include <lustre_lite/llog_format.h>
#include <lustre_lite/lustre_cfg.h>
#include <uapi/lustre_lite/disk.h>
#include <uapi/lustre_lite/mgs_disk.h>
#include <uapi/lustre_lite/mgs_ioctl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Size of a name relative to the directory, NUL included. */
#define MGS_FILE_MAX	128
/* Largest file, and so largest log. All logs are in memory. */
#define MGS_FILE_SIZE_MAX	(256ULL * 1024 * 1024)

/**
 * struct mgs_backend_io - operations of a directory
 * @read: length, less than asked for at the end; -ENOENT
 * @write: all of it, or a negative errno; creates the file, and its directory
 * @size: -ENOENT
 * @truncate: truncate or extend; creates the file
 * @remove: 0 also if there is no such file
 * @sync: when it returns 0, the file, its size, and its existence or absence survive a
 *	power failure
 * @list: call @fn for each file of the directory @dir, until it returns nonzero, which
 *	is returned; 0 if there is no such directory
 *
 * Names are relative: "CONFIGS/lustre-client". Only the writer calls them.
 */
struct mgs_backend_io {
	ssize_t (*read)(void *backend, const char *name, u64 offset, void *bytes,
			size_t len);
	int (*write)(void *backend, const char *name, u64 offset,
		     const void *bytes, size_t len);
	int (*size)(void *backend, const char *name, u64 *size);
	int (*truncate)(void *backend, const char *name, u64 size);
	int (*remove)(void *backend, const char *name);
	int (*sync)(void *backend, const char *name);
	int (*list)(void *backend, const char *dir,
		    int (*fn)(void *data, const char *name), void *data);
};

/*
 * backend.c: the directory of a management service; needs the kernel. Its operations use the
 * credentials of the task that opens it.
 */
struct mgs_backend;
struct path;

extern const struct mgs_backend_io mgs_backend_io;
struct mgs_backend * __must_check mgs_backend_open(const struct path *path);
void mgs_backend_close(struct mgs_backend *backend);

struct mgs_store;
struct mgs_view;
struct mgs_txn;
struct mgs_settings;
struct mgs_fsdbs;

/**
 * struct mgs_fault - damage in a directory
 * @name: file
 * @what: the damage, a static text; NULL: none
 * @offset: where
 */
struct mgs_fault {
	char		name[MGS_FILE_MAX];
	const char	*what;
	u64		offset;
};

/* store.c: the writer's, unless it says otherwise */
int mgs_store_open(const struct mgs_backend_io *io, void *backend, u32 seed,
		   struct mgs_store **store, struct mgs_fault *fault);
int mgs_store_sync(struct mgs_store *store);
int mgs_store_close(struct mgs_store *store);
void mgs_store_free(struct mgs_store *store);
int mgs_store_retry(struct mgs_store *store);
bool mgs_store_doubt(const struct mgs_store *store);
/* Any task may call these two. */
u32 mgs_store_seed(const struct mgs_store *store);
int mgs_store_failed(const struct mgs_store *store);

/* Caches of the log layer; freed with the store. */
struct mgs_settings *mgs_store_settings(const struct mgs_store *store);
void mgs_store_settings_put(struct mgs_store *store,
			    struct mgs_settings *settings,
			    void (*free)(struct mgs_settings *settings));
struct mgs_fsdbs *mgs_store_fsdbs(const struct mgs_store *store);
void mgs_store_fsdbs_put(struct mgs_store *store, struct mgs_fsdbs *fsdbs,
			 void (*free)(struct mgs_fsdbs *fsdbs));

/**
 * struct mgs_rec - a record of a log
 * @index: number
 * @offset: where in the log it starts
 * @live: not cancelled
 * @marker: the record, little-endian, if it is a marker; else NULL
 * @cfg: command
 */
struct mgs_rec {
	u32			index;
	u64			offset;
	bool			live;
	const struct cfg_marker	*marker;
	struct lcfg_view	cfg;
};

/*
 * view.c: readers. The functions of a view return -ENOENT if there is no such log, -EIO
 * if it is damaged, -EINVAL for a name that no log can have.
 */
struct mgs_view * __must_check mgs_store_view(struct mgs_store *store);
void mgs_view_put(struct mgs_view *view);
u64 mgs_view_generation(const struct mgs_view *view);
ssize_t mgs_view_history(const struct mgs_view *view, void *bytes, size_t len,
			 bool *cut);
int mgs_view_info(const struct mgs_view *view, const char *log,
		  struct mgs_log_info *info);
ssize_t mgs_view_read(const struct mgs_view *view, const char *log, u64 offset,
		      void *to, size_t len);
int mgs_view_each(const struct mgs_view *view,
		  int (*fn)(void *data, const struct mgs_log_info *info),
		  void *data);
int mgs_view_walk(const struct mgs_view *view, const char *log,
		  int (*fn)(void *data, const struct mgs_rec *rec), void *data);
int mgs_view_walk_from(const struct mgs_view *view, const char *log, u32 index,
		       u64 offset,
		       int (*fn)(void *data, const struct mgs_rec *rec),
		       void *data);

/**
 * struct mgs_who - author of a change
 * @who: "root", "lustre-OST0001"
 * @from: NID, or name of the node
 * @when: seconds since 1970
 */
struct mgs_who {
	char	who[MTI_NAME_MAXLEN];
	char	from[MTI_NAME_MAXLEN];
	u64	when;
};

/* txn.c: a change */
int mgs_txn_begin(struct mgs_store *store, const struct mgs_who *who,
		  struct mgs_txn **txn);
int mgs_txn_commit(struct mgs_txn *txn, u64 *generation);
void mgs_txn_end(struct mgs_txn *txn);
typedef void (*mgs_txn_end_fn)(struct mgs_txn *txn, void *data, bool done);
void mgs_txn_at_end(struct mgs_txn *txn, mgs_txn_end_fn fn, void *data);
int mgs_txn_say(struct mgs_txn *txn, const char *text);
struct mgs_store *mgs_txn_store(const struct mgs_txn *txn);
const struct mgs_view *mgs_txn_view(const struct mgs_txn *txn);
const struct mgs_who *mgs_txn_who(const struct mgs_txn *txn);
void mgs_txn_count(const struct mgs_txn *txn, u32 *logs, u32 *records);
void mgs_txn_each(const struct mgs_txn *txn,
		  void (*fn)(void *data, const char *log), void *data);
bool mgs_txn_touched(const struct mgs_txn *txn, const char *log);
u32 mgs_txn_writes(const struct mgs_txn *txn, const char *log);

/*
 * txn_log.c: edit a log. A log that is damaged (-EIO), or of the other byte order
 * (-EOPNOTSUPP), can only be deleted and replaced.
 */
int mgs_txn_append(struct mgs_txn *txn, const char *log, const void *cfg,
		   size_t len, u32 *index);
u64 mgs_txn_appended(const struct mgs_txn *txn);
int mgs_txn_mark(struct mgs_txn *txn, const char *log, u32 index, u64 offset,
		 const struct cfg_marker *marker);
int mgs_txn_cancel(struct mgs_txn *txn, const char *log, u32 index);
int mgs_txn_new_epoch(struct mgs_txn *txn, const char *log);
int mgs_txn_remove(struct mgs_txn *txn, const char *log);
int mgs_txn_copy(struct mgs_txn *txn, const char *from, const char *to);

/* file.c: small files besides the logs, "NIDTBL_VERSIONS/lustre" */
int mgs_txn_put(struct mgs_txn *txn, const char *name, const void *bytes,
		size_t len);
ssize_t mgs_txn_get(struct mgs_txn *txn, const char *name, void *bytes,
		    size_t len);
int mgs_txn_drop(struct mgs_txn *txn, const char *name);
ssize_t mgs_store_get(struct mgs_store *store, const char *name, void *bytes,
		      size_t len);

#ifdef __cplusplus
}
#endif

#endif /* _MGS_STORE_H */
