/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The store of a management service: its logs, and changes that are there whole or
 * not at all, whenever the power goes. Nothing here knows a kernel but memory
 * (kvmalloc() and friends): the folder is behind a few functions, so that tests cut
 * the power after every write.
 *
 *	mgs_txn_begin()
 *	mgs_txn_append(), mgs_txn_mark() ...	seen by this change alone
 *	mgs_txn_commit()			on the disk, then seen by all
 *
 * One change at a time: the caller's lock, which is also that of everything that may
 * write to the folder. All logs are in memory: others read them between
 * mgs_store_lock() and mgs_store_unlock(), and never wait for the folder. What is read
 * through a change sees it, and needs no lock.
 *
 * A change that is on the disk, in the journal, and could not be written into its
 * files, on a full disk above all, is done: readers get it from memory. The store
 * has failed then, and takes no more changes until mgs_store_retry() succeeds, which
 * beginning the next change tries first.
 *
 * A log is read as llog_store reads one, so logs of a real server are served as
 * they are; one that has no state yet gets it when the store is opened.
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

/* Most bytes of a name relative to the folder, NUL included. */
#define MGS_FILE_MAX	128

/**
 * struct mgs_folder_io - a folder
 * @read: bytes that were read, fewer at the end; -ENOENT
 * @write: all of it or a negative errno; makes the file, and its folder
 * @size: -ENOENT
 * @cut: make the file that long, also one that is not there
 * @remove: 0 also when there is none
 * @sync: when it returns 0, the file, its size and that it is there, or is not,
 *	survive a power cut
 * @list: call @fn for each file of the folder @dir, until it returns something else
 *	than 0, which is what it returns; 0 where there is no such folder
 *
 * Names are relative: "CONFIGS/lustre-client".
 */
struct mgs_folder_io {
	ssize_t (*read)(void *folder, const char *name, u64 offset, void *bytes,
			size_t len);
	int (*write)(void *folder, const char *name, u64 offset,
		     const void *bytes, size_t len);
	int (*size)(void *folder, const char *name, u64 *size);
	int (*cut)(void *folder, const char *name, u64 size);
	int (*remove)(void *folder, const char *name);
	int (*sync)(void *folder, const char *name);
	int (*list)(void *folder, const char *dir,
		    int (*fn)(void *data, const char *name), void *data);
};

struct mgs_store;
struct mgs_txn;
struct mgs_settings;
struct mgs_fsdbs;

/**
 * struct mgs_fault - what is wrong in a folder
 * @name: file
 * @what: what is wrong, a static text; NULL: nothing
 * @offset: where
 */
struct mgs_fault {
	char		name[MGS_FILE_MAX];
	const char	*what;
	u64		offset;
};

/*
 * Open it: what the journal has is done first. A damaged log does not keep it from
 * being opened: @fault tells of the first one, and mgs_store_info() of each. @seed
 * is a random number, for a folder that has none yet.
 * Return: 0; -EBADMSG for a journal or state that is damaged otherwise than by a
 * power cut; -ENOMEM; what the folder says
 */
int mgs_store_open(const struct mgs_folder_io *io, void *folder, u32 seed,
		   struct mgs_store **store, struct mgs_fault *fault);
/* Everything into its file, the journal empty. */
int mgs_store_sync(struct mgs_store *store);
/* The same, and it is gone. What could not be synced is done by the next open. */
int mgs_store_close(struct mgs_store *store);
/* It is gone; nothing is written. */
void mgs_store_free(struct mgs_store *store);
/* For readers that make no change. Not to be taken twice by a task. */
void mgs_store_lock(struct mgs_store *store);
void mgs_store_unlock(struct mgs_store *store);

u64 mgs_store_generation(const struct mgs_store *store);
/*
 * The last bytes of mgs_changes, @len at most. @cut: out, there are more before. For
 * readers, as logs. Return: bytes
 */
ssize_t mgs_store_history(struct mgs_store *store, void *bytes, size_t len,
			  bool *cut);
/* The random number of its folder. */
u32 mgs_store_seed(const struct mgs_store *store);
/* Why the folder does not have what it is to have, or 0: it has. Needs no lock. */
int mgs_store_failed(const struct mgs_store *store);
/* Write again what could not be written. Return: mgs_store_failed() */
int mgs_store_retry(struct mgs_store *store);
/* Whether nobody knows if the change that was refused last is on the disk. */
bool mgs_store_doubt(const struct mgs_store *store);

/*
 * Logs. @txn: NULL, or a change whose own doing is to be seen. -ENOENT when there
 * is none; -EIO for one that is damaged, -EINVAL for a name that no log can have.
 * A log that @txn changed has the generation that it will have.
 */
/* @info is filled for a damaged log, too. */
int mgs_store_info(struct mgs_store *store, struct mgs_txn *txn,
		   const char *log, struct mgs_log_info *info);
/* Bytes that were read. */
ssize_t mgs_store_read(struct mgs_store *store, struct mgs_txn *txn,
		       const char *log, u64 offset, void *bytes, size_t len);
/*
 * Every log, by name, damaged ones too. @fn returns something else than 0 to end it,
 * which is what this returns then; it may change logs by @txn.
 */
int mgs_store_each(struct mgs_store *store, struct mgs_txn *txn,
		   int (*fn)(void *data, const struct mgs_log_info *info),
		   void *data);

/**
 * struct mgs_rec - a record of a log
 * @index: number
 * @offset: where in the log it begins
 * @live: not cancelled
 * @marker: where it is a marker: it, little-endian; else NULL
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
 * Every record that is a command, cancelled ones too. @fn as mgs_store_each()'s;
 * what it appends is not seen any more.
 */
int mgs_store_walk(struct mgs_store *store, struct mgs_txn *txn,
		   const char *log,
		   int (*fn)(void *data, const struct mgs_rec *rec),
		   void *data);
/*
 * The same from one record on, which begins at @offset and has number @index: what is
 * before it is not read.
 */
int mgs_store_walk_from(struct mgs_store *store, struct mgs_txn *txn,
			const char *log, u32 index, u64 offset,
			int (*fn)(void *data, const struct mgs_rec *rec),
			void *data);
/*
 * Where the settings of the log of settings are: kept for index.c of log/, NULL at first.
 * @free frees it, with the store or when there is another one.
 */
struct mgs_settings *mgs_store_settings(const struct mgs_store *store);
void mgs_store_settings_put(struct mgs_store *store,
			    struct mgs_settings *settings,
			    void (*free)(struct mgs_settings *settings));

/* The same for what file systems have: kept for fsdb.c. */
struct mgs_fsdbs *mgs_store_fsdbs(const struct mgs_store *store);
void mgs_store_fsdbs_put(struct mgs_store *store, struct mgs_fsdbs *fsdbs,
			 void (*free)(struct mgs_fsdbs *fsdbs));

/**
 * struct mgs_who - who makes a change
 * @who: "root", "lustre-OST0001"
 * @from: NID, or name of the node
 * @when: seconds since 1970
 */
struct mgs_who {
	char	who[MTI_NAME_MAXLEN];
	char	from[MTI_NAME_MAXLEN];
	u64	when;
};

/* -ENOMEM; mgs_store_failed() */
int mgs_txn_begin(struct mgs_store *store, const struct mgs_who *who,
		  struct mgs_txn **txn);
/* The store that it changes, and who makes it. */
struct mgs_store *mgs_txn_store(const struct mgs_txn *txn);
const struct mgs_who *mgs_txn_who(const struct mgs_txn *txn);
/*
 * What they stage is seen by this change alone. A log that is damaged, or of the
 * other byte order, can be removed and replaced only: -EIO, -EOPNOTSUPP. After
 * -ENOMEM nothing of the change can be committed.
 */
/*
 * A command at the end of a log, which is made where there is none. -EINVAL: no
 * command; -E2BIG; -ENOSPC: no number is left in the log, it has to be made anew
 */
int mgs_txn_append(struct mgs_txn *txn, const char *log, const void *cfg,
		   size_t len, u32 *index);
/* Where the record begins that was appended last. */
u64 mgs_txn_appended(const struct mgs_txn *txn);
/*
 * Another marker in the place of record @index, which begins at @offset; 0: it is
 * looked for. Same length, the log keeps its born. -ENOENT: no such record; -EINVAL: it
 * is no marker
 */
int mgs_txn_mark(struct mgs_txn *txn, const char *log, u32 index, u64 offset,
		 const struct cfg_marker *marker);
/* A record is taken back; likewise. -ENOENT: none that is live */
int mgs_txn_cancel(struct mgs_txn *txn, const char *log, u32 index);
/* Who applied it has to read all of it again. */
int mgs_txn_reborn(struct mgs_txn *txn, const char *log);
/* -ENOENT */
int mgs_txn_remove(struct mgs_txn *txn, const char *log);
/* The log @to is what @from is, bit for bit; @to is new or replaced. */
int mgs_txn_copy(struct mgs_txn *txn, const char *from, const char *to);
/*
 * A small file besides the logs, whole: "NIDTBL_VERSIONS/lustre". Nothing is to be
 * done where it is the same.
 */
int mgs_txn_put(struct mgs_txn *txn, const char *name, const void *bytes,
		size_t len);
/* Read such a file: bytes, fewer at the end; -ENOENT. The lock of who changes. */
ssize_t mgs_store_get(struct mgs_store *store, const char *name, void *bytes,
		      size_t len);
/* The same as the change sees it. */
ssize_t mgs_txn_get(struct mgs_txn *txn, const char *name, void *bytes,
		    size_t len);
/* Have no such file. */
int mgs_txn_drop(struct mgs_txn *txn, const char *name);
/*
 * What there is to be said of it in mgs_changes, one line, no newline. Said more than
 * once, all of it is in that line. It is written only with a change.
 */
int mgs_txn_say(struct mgs_txn *txn, const char *text);
/* Logs that it changed so far, and records. */
void mgs_txn_count(const struct mgs_txn *txn, u32 *logs, u32 *records);
/* How often it wrote to a log. */
u32 mgs_txn_writes(struct mgs_txn *txn, const char *log);
/*
 * @fn is told once when the change is over, @done: whether it is committed. One can be
 * told: who was to be told before is told now that it is not done.
 */
typedef void (*mgs_txn_end_fn)(struct mgs_txn *txn, void *data, bool done);
void mgs_txn_at_end(struct mgs_txn *txn, mgs_txn_end_fn fn, void *data);
/* Whether it changed a log. */
bool mgs_txn_touched(const struct mgs_txn *txn, const char *log);

/*
 * The change is on the disk, or nothing of it is; @txn is gone either way. One
 * that changes nothing has no generation: *@generation is 0. -ENOMEM; -EFBIG;
 * -ENOSPC; mgs_store_failed(): where mgs_store_doubt() then says so, the next opening
 * may find the change, unless mgs_store_retry() succeeded before: it never will then.
 */
int mgs_txn_commit(struct mgs_txn *txn, u64 *generation);
void mgs_txn_abort(struct mgs_txn *txn);

#ifdef __cplusplus
}
#endif

#endif /* _MGS_STORE_H */
