/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the store that it is made of.
 *
 *	store.c		the store, and reading from it
 *	open.c		how it begins
 *	scan.c		a look at a log, and its records
 *	state.c		the bytes of mgs_state
 *	journal.c	the journal: its bytes, writing it, doing again what it has
 *	bytes.c		the bytes of a file in memory
 *	file.c		a file in memory: as all see it, as a change sees it
 *	txn.c		a change: its start, its commit, its line in mgs_changes
 *	txn_log.c	what it does to a log
 *	folder.c	the directory
 *	writer.c	the one task that writes to it
 *
 * All files are in memory, once they were looked at. One task at a time makes
 * changes, by the caller's lock, and nobody else writes to the folder or to what the
 * store has in memory. Others read logs meanwhile, under ms_lock, which is taken for
 * writing just while a committed change is shown: readers never wait for the folder.
 *
 * A change that commits has all memory that it needs when its entry is written: what
 * comes behind that can fail by the disk only.
 */
#ifndef _MGS_STORE_INTERNAL_H
#define _MGS_STORE_INTERNAL_H

#include <linux/list.h>
#include <linux/rwsem.h>

#include <lustre_lite/llog_store.h>

#include "store.h"

/* The journal is emptied when it is longer than that, and grows by such steps. */
#define MGS_JOURNAL_MAX		(1024 * 1024)
#define MGS_JOURNAL_STEP	(64 * 1024)
/* Most bytes of an entry. */
#define MGS_ENTRY_MAX		(32 * 1024 * 1024)
/* Longer than that no file gets; longer files are not read. */
#define MGS_FILE_SIZE_MAX	(1ULL << 32)
#define MGS_LOAD_MAX		(256ULL * 1024 * 1024)
/* Files are kept in pieces of so many bytes: a chunk of most logs. */
#define MGS_PIECE		8192
/* Lists of files, by a hash of their names. */
#define MGS_FILE_CHAINS		256
/* No clock lives to see more changes. */
#define MGS_GENERATION_MAX	(1ULL << 62)
/* mgs_changes: most bytes, and what is kept of it then. */
#define MGS_CHANGES_MAX		(256 * 1024)
#define MGS_CHANGES_KEEP	(128 * 1024)
/* Most bytes of what is said of a change. */
#define MGS_SAY_MAX		2048
/* Most bytes of mgs_state. */
#define MGS_STATE_MAX		(16 * 1024 * 1024)

/**
 * struct mgs_piece - bytes that versions of a file share
 * @pc_refs: slots that refer to it; it is written to only while that is one
 * @pc_room: room at @pc_bytes
 * @pc_crc: check sum of the first @pc_crc_len bytes; none while that is 0
 * @pc_crc_len: how many
 * @pc_bytes: bytes
 */
struct mgs_piece {
	u32	pc_refs;
	u32	pc_room;
	u32	pc_crc;
	u32	pc_crc_len;
	u8	*pc_bytes;
};

/**
 * struct mgs_slot - MGS_PIECE bytes of a file
 * @sl_piece: piece, or NULL
 * @sl_len: so many bytes of the piece count; zeros are behind them
 */
struct mgs_slot {
	struct mgs_piece	*sl_piece;
	u32			sl_len;
};

/**
 * struct mgs_bytes - a version of a file
 * @by_size: bytes
 * @by_count: slots; behind them are zeros
 * @by_room: room for so many
 * @by_slots: slots
 */
struct mgs_bytes {
	u64		by_size;
	u32		by_count;
	u32		by_room;
	struct mgs_slot	*by_slots;
};

/**
 * struct mgs_range - bytes to be written
 * @offset: where
 * @len: how many
 * @bytes: bytes
 */
struct mgs_range {
	u64		offset;
	size_t		len;
	const u8	*bytes;
};

/**
 * struct mgs_differ - what makes one version of another
 * @from: the one; NULL: nothing is known of it
 * @to: the other one
 * @at: where the next look begins
 */
struct mgs_differ {
	const struct mgs_bytes	*from;
	const struct mgs_bytes	*to;
	u64			at;
};

/**
 * struct mgs_file - a file in memory: the store's, or a change's
 * @mf_item: in a chain of ms_files; in mt_files
 * @mf_unsynced: in ms_unsynced: it may not be on the disk yet
 * @mf_store: store
 * @mf_base: of a change: the store's
 * @mf_name: name
 * @mf_there: it is there
 * @mf_bytes: its bytes
 * @mf_unread: it is there and could not be read
 * @mf_applied: the store's: the folder has it as it is here
 * @mf_was: ... where not: whether the folder has such a file
 * @mf_disk: ... where not: what the folder has of it
 * @mf_unsure: ... it is not known what the folder has: all of it is to be written
 *
 * The store has each file once that was ever looked at, until it is closed. A change
 * has its own version of those that it works on, and gives that to the store when it
 * is committed.
 */
struct mgs_file {
	struct list_head	mf_item;
	struct list_head	mf_unsynced;
	struct mgs_store	*mf_store;
	struct mgs_file		*mf_base;
	char			mf_name[MGS_FILE_MAX];
	bool			mf_there;
	struct mgs_bytes	mf_bytes;
	bool			mf_unread;
	bool			mf_applied;
	bool			mf_was;
	struct mgs_bytes	mf_disk;
	bool			mf_unsure;
};

/**
 * struct mgs_log - a log
 * @ml_info: what is told of it
 * @ml_damaged: it cannot be read
 * @ml_crc: as sl_crc of struct mgs_state_log
 * @ml_end: where the next record goes, as the last change knew it; 0: not known
 * @ml_file: the store's file of it; NULL for one that a change has made
 */
struct mgs_log {
	struct mgs_log_info	ml_info;
	bool			ml_damaged;
	u32			ml_crc;
	u64			ml_end;
	struct mgs_file		*ml_file;
};

/**
 * struct mgs_image - mgs_state in memory
 * @im_bytes: head and logs, as they are in the file
 * @im_count: logs
 * @im_room: bytes at @im_bytes
 */
struct mgs_image {
	u8	*im_bytes;
	u32	im_count;
	size_t	im_room;
};

/**
 * struct mgs_journal - where the journal is
 * @jn_born: the head of @jn_round is in the file
 * @jn_round: round
 * @jn_at: where the next entry goes
 * @jn_size: bytes of the file
 * @jn_max: it is emptied when @jn_at is beyond
 * @jn_doubt: an entry at @jn_at that nobody was told of, or the head of the next
 *	round, may be on the disk: there are no more entries before a new round begins
 */
struct mgs_journal {
	bool	jn_born;
	u64	jn_round;
	u64	jn_at;
	u64	jn_size;
	u64	jn_max;
	bool	jn_doubt;
};

/**
 * struct mgs_store - a store
 * @ms_io: how to get at the folder
 * @ms_folder: its argument
 * @ms_lock: taken by readers; for writing while a change is shown to them
 * @ms_failed: why the folder does not have what it is to have, a negative errno.
 *	mgs_store_retry() tries again; until it succeeds there are no more changes
 * @ms_unknown: nobody knows whether the change that was refused last is on the disk
 * @ms_generation: of the configuration
 * @ms_seed: random number of the folder
 * @ms_journal: journal
 * @ms_image: mgs_state as it is on the disk
 * @ms_logs: logs, by name
 * @ms_log_count: how many
 * @ms_log_room: for how many there is room
 * @ms_files: struct mgs_file, by a hash of their names
 * @ms_unsynced: struct mgs_file, those that may not be on the disk yet
 * @ms_changes: the file mgs_changes
 * @ms_settings: where the settings of the log of settings are; the log layer's, or NULL
 * @ms_settings_free: frees that
 * @ms_fsdbs: what file systems have; the log layer's, or NULL
 * @ms_fsdbs_free: frees that
 */
struct mgs_store {
	const struct mgs_folder_io	*ms_io;
	void				*ms_folder;
	struct rw_semaphore		ms_lock;
	int				ms_failed;
	bool				ms_unknown;
	u64				ms_generation;
	u32				ms_seed;
	struct mgs_journal		ms_journal;
	struct mgs_image		ms_image;
	struct mgs_log			*ms_logs;
	u32				ms_log_count;
	u32				ms_log_room;
	struct list_head		ms_files[MGS_FILE_CHAINS];
	struct list_head		ms_unsynced;
	struct mgs_file			*ms_changes;
	struct mgs_settings		*ms_settings;
	void				(*ms_settings_free)(struct mgs_settings *settings);
	struct mgs_fsdbs		*ms_fsdbs;
	void				(*ms_fsdbs_free)(struct mgs_fsdbs *fsdbs);
};

/**
 * struct mgs_txn_log - a log as a change sees it
 * @tl_item: in mt_logs
 * @tl_log: as it will be; generations are set by the commit
 * @tl_was: it was there before
 * @tl_there: it is there
 * @tl_changed: it is another one now
 * @tl_reborn: all of it has to be read again
 * @tl_file: its file; NULL while nothing of it was changed
 * @tl_store: it, open for writing; chunk0 is NULL while it is not
 * @tl_memory: bytes at chunk0
 * @tl_writes: how often it was written to
 */
struct mgs_txn_log {
	struct list_head	tl_item;
	struct mgs_log		tl_log;
	bool			tl_was;
	bool			tl_there;
	bool			tl_changed;
	bool			tl_reborn;
	struct mgs_file		*tl_file;
	struct llog_store	tl_store;
	size_t			tl_memory;
	u32			tl_writes;
};

/**
 * struct mgs_txn - a change
 * @mt_store: store
 * @mt_who: who makes it
 * @mt_failed: why it cannot be committed, a negative errno
 * @mt_records: records that it wrote or took back
 * @mt_logs: struct mgs_txn_log
 * @mt_files: struct mgs_file
 * @mt_image: mgs_state as it will be
 * @mt_appended: where the record is that was appended last
 * @mt_end: told when the change is over, or NULL
 * @mt_end_data: its argument
 * @mt_committed: it is on the disk, and seen by all
 * @mt_said: bytes of @mt_say
 * @mt_say: what was said of it
 */
struct mgs_txn {
	struct mgs_store	*mt_store;
	struct mgs_who		mt_who;
	int			mt_failed;
	u32			mt_records;
	struct list_head	mt_logs;
	struct list_head	mt_files;
	struct mgs_image	mt_image;
	u64			mt_appended;
	mgs_txn_end_fn		mt_end;
	void			*mt_end_data;
	bool			mt_committed;
	size_t			mt_said;
	char			mt_say[MGS_SAY_MAX];
};

/* store.c */
int mgs_store_name_check(const char *log);
void mgs_store_file_name(const char *log, char *name);
struct mgs_log *mgs_store_find(struct mgs_store *store, const char *log);
int mgs_store_room(struct mgs_store *store, u32 count);
void mgs_store_put(struct mgs_store *store, const struct mgs_log *log);
void mgs_store_drop(struct mgs_store *store, const char *log);
const struct mgs_file *mgs_store_file(struct mgs_store *store,
				      struct mgs_txn *txn, const char *log);
int mgs_store_fail(struct mgs_store *store, int rc);

/* scan.c */
typedef int (*mgs_scan_fn_t)(void *data, const struct llog_record *rec);
int mgs_log_scan(struct mgs_store *store, struct mgs_txn *txn,
		 struct mgs_log *log, mgs_scan_fn_t fn, void *data,
		 struct mgs_fault *fault);

/* state.c */
void mgs_image_free(struct mgs_image *image);
const char *mgs_image_load(struct mgs_image *image, size_t len, u64 *generation,
			   u32 *seed);
int mgs_image_copy(struct mgs_image *to, const struct mgs_image *from, u32 more);
void mgs_image_get(const struct mgs_image *image, u32 n, struct mgs_log *log);
void mgs_image_put(struct mgs_image *image, const struct mgs_log *log);
void mgs_image_drop(struct mgs_image *image, const char *log);
void mgs_image_seal(struct mgs_image *image, u64 generation, u32 seed);
int mgs_image_stage(const struct mgs_image *now, const struct mgs_image *then,
		    struct mgs_file *file);

/* journal.c */
/**
 * struct mgs_entry - the head of an entry
 * @round: as je_round
 * @generation: as je_generation
 * @parts: how many follow
 * @len: bytes of all
 * @crc: as je_crc
 */
struct mgs_entry {
	u64	round;
	u64	generation;
	u32	parts;
	u32	len;
	u32	crc;
};

/**
 * struct mgs_part - a part of an entry
 * @kind: enum mgs_part_kind
 * @offset: as jp_offset
 * @name: file
 * @bytes: bytes to be written, where the entry is
 * @len: how many
 */
struct mgs_part {
	u32		kind;
	u64		offset;
	char		name[MGS_FILE_MAX];
	const void	*bytes;
	size_t		len;
};

void mgs_head_encode(u8 *bytes, u64 round);
bool mgs_head_decode(const u8 *bytes, u64 *round);

/* journal_io.c */
int mgs_journal_write(struct mgs_store *store, u64 generation,
		      const struct list_head *files);
int mgs_journal_empty(struct mgs_store *store);
int mgs_files_apply(struct mgs_store *store);
int mgs_files_sync(struct mgs_store *store);
int mgs_journal_replay(struct mgs_store *store, struct mgs_fault *fault);

/* bytes.c */
void mgs_bytes_free(struct mgs_bytes *bytes);
int mgs_bytes_copy(struct mgs_bytes *to, const struct mgs_bytes *from);
size_t mgs_bytes_read(const struct mgs_bytes *bytes, u64 offset, void *to,
		      size_t len);
int mgs_bytes_write(struct mgs_bytes *bytes, u64 offset, const void *from,
		    size_t len);
void mgs_bytes_cut(struct mgs_bytes *bytes, u64 size);
u32 mgs_bytes_crc(const struct mgs_bytes *bytes);
bool mgs_differ_next(struct mgs_differ *differ, struct mgs_range *range);

/* file.c */
extern const struct llog_store_io mgs_file_llog_io;
int mgs_file_have(struct mgs_store *store, const char *name,
		  struct mgs_file **file);
int mgs_file_get(struct mgs_txn *txn, const char *name, struct mgs_file **file);
void mgs_files_free(struct list_head *files);
ssize_t mgs_file_read(void *file, u64 offset, void *bytes, size_t len);
int mgs_file_write(void *file, u64 offset, const void *bytes, size_t len);
int mgs_file_cut(void *file, u64 size);
void mgs_file_remove(struct mgs_file *file);
bool mgs_file_changed(const struct mgs_file *file);
int mgs_file_begin(struct mgs_file *file);
void mgs_file_show(struct mgs_file *file);
void mgs_file_done(struct mgs_file *file);

/**
 * struct mgs_todo - what is done to a file, one part after the other
 * @file: file
 * @next: what is looked at next
 * @was: there was such a file before
 * @unsure: it is not known what it was
 * @reached: bytes that it has by then
 * @differ: bytes to be written
 */
struct mgs_todo {
	const struct mgs_file	*file;
	int			next;
	bool			was;
	bool			unsure;
	u64			reached;
	struct mgs_differ	differ;
};

void mgs_todo_init(struct mgs_todo *todo, const struct mgs_file *file);
bool mgs_todo_next(struct mgs_todo *todo, struct mgs_part *part);

/* txn_log.c */
struct mgs_txn_log *mgs_txn_log_find(struct mgs_txn *txn, const char *log);
int mgs_txn_log_get(struct mgs_txn *txn, const char *log,
		    struct mgs_txn_log **out);
void mgs_txn_log_info(const struct mgs_txn *txn, const struct mgs_txn_log *tl,
		      struct mgs_log *log);
void mgs_txn_logs_free(struct mgs_txn *txn);

/* txn.c */
int mgs_txn_commit_forced(struct mgs_txn *txn);

#endif /* _MGS_STORE_INTERNAL_H */
