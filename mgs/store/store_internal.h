/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the store:
 *
 *	store.c		life of a store: open, retry, sync, close
 *	view.c		what readers see: logs as one change left them
 *	scan.c		the walk through the records of a log
 *	state.c		the bytes of mgs_state
 *	journal.c	the journal: its bytes, writing it, replaying it
 *	bytes.c		the bytes of a file in memory
 *	file.c		a file in memory, and writing it to the directory
 *	txn.c		a change: its start, its commit, its line in mgs_changes
 *	txn_log.c	what a change does to a log
 *	backend.c	the directory
 *
 * All files are cached in memory from their first use. The writer (one task at a time,
 * by the caller's lock) alone changes the store and writes to the directory. Readers
 * take a reference on the current view under ms_view_lock, a spinlock, and then need
 * no lock: nothing that a view contains ever changes. A commit prepares the next view
 * with all memory that it needs, writes the journal entry, and swaps the pointer. After
 * the entry is written only the disk can fail.
 */
#ifndef _MGS_STORE_INTERNAL_H
#define _MGS_STORE_INTERNAL_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>

#include <lustre_lite/llog_store.h>

#include "store.h"

/* A new round of the journal starts when it is longer; it grows by such steps. */
#define MGS_JOURNAL_MAX		(1024 * 1024)
#define MGS_JOURNAL_STEP	(64 * 1024)
/* Largest journal entry. */
#define MGS_ENTRY_MAX		(32 * 1024 * 1024)
/* Largest offset in the journal; earlier releases wrote files of that size. */
#define MGS_PART_OFFSET_MAX	(1ULL << 32)
/* Size of a piece of a file in memory: the chunk size of most logs. */
#define MGS_PIECE		8192
/* Hash buckets of the cached files. */
#define MGS_FILE_CHAINS		256
#define MGS_GENERATION_MAX	(1ULL << 62)
/* Size at which mgs_changes is truncated, and how much of its end stays. */
#define MGS_CHANGES_MAX		(256 * 1024)
#define MGS_CHANGES_KEEP	(128 * 1024)
/* Longest description of a change. */
#define MGS_SAY_MAX		2048
/* Largest mgs_state. */
#define MGS_STATE_MAX		(16 * 1024 * 1024)

/**
 * struct mgs_piece - bytes that buffers share
 * @pce_refs: slots that refer to it; it is modified only while that is one
 * @pce_capacity: allocated size of @pce_bytes
 * @pce_crc: cached checksum of the first @pce_crc_len bytes; the writer's
 * @pce_crc_len: 0: none is cached
 * @pce_bytes: bytes
 */
struct mgs_piece {
	refcount_t	pce_refs;
	u32		pce_capacity;
	u32		pce_crc;
	u32		pce_crc_len;
	u8		*pce_bytes;
};

/**
 * struct mgs_slot - MGS_PIECE bytes of a file
 * @slot_piece: piece, or NULL
 * @slot_len: valid bytes of the piece; zeros follow
 */
struct mgs_slot {
	struct mgs_piece	*slot_piece;
	u32			slot_len;
};

/**
 * struct mgs_bytes - the bytes of a file, as one change left them
 * @by_refs: files (mf_bytes, mf_disk), buffers of views, walks
 * @by_size: size
 * @by_count: slots; zeros follow
 * @by_capacity: allocated slots
 * @by_slots: slots
 *
 * A change modifies its own copy. Once a file of the store or a view refers to it, it
 * does not change any more. The last put frees it.
 */
struct mgs_bytes {
	refcount_t	by_refs;
	u64		by_size;
	u32		by_count;
	u32		by_capacity;
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
 * struct mgs_differ - comparison of two versions of a file
 * @from: old version; NULL: unknown
 * @to: new version
 * @at: where the next range is looked for
 */
struct mgs_differ {
	const struct mgs_bytes	*from;
	const struct mgs_bytes	*to;
	u64			at;
};

/**
 * struct mgs_file - a cached file: the store's, or a change's version of it
 * @mf_item: in a chain of ms_files; in mt_files
 * @mf_unsynced: in ms_unsynced while the disk may not have it
 * @mf_store: store
 * @mf_base: of a change's: the store's
 * @mf_name: name
 * @mf_there: the file exists
 * @mf_bytes: its bytes, referenced
 * @mf_unread: it exists and could not be read
 * @mf_applied: the store's: the directory has it as it is here
 * @mf_was: while not @mf_applied: the directory has such a file
 * @mf_disk: while not @mf_applied: the bytes that the directory has, referenced
 * @mf_unsure: unknown what the directory has: the file is written in full
 *
 * The store has one for each file that was ever used, until it is closed. A change
 * hands the bytes of its own to the store's when it commits.
 */
struct mgs_file {
	struct list_head	mf_item;
	struct list_head	mf_unsynced;
	struct mgs_store	*mf_store;
	struct mgs_file		*mf_base;
	char			mf_name[MGS_FILE_MAX];
	bool			mf_there;
	struct mgs_bytes	*mf_bytes;
	bool			mf_unread;
	bool			mf_applied;
	bool			mf_was;
	struct mgs_bytes	*mf_disk;
	bool			mf_unsure;
};

/**
 * struct mgs_log - facts about a log
 * @lg_info: those that are told to readers
 * @lg_damaged: it cannot be read
 * @lg_crc: as sl_crc of struct mgs_state_log
 * @lg_end: where the next record goes, as the last change knew it; 0: unknown
 */
struct mgs_log {
	struct mgs_log_info	lg_info;
	bool			lg_damaged;
	u32			lg_crc;
	u64			lg_end;
};

/**
 * struct mgs_buffer - a log, as one change left it
 * @bf_refs: views that it is in; walks
 * @bf_log: facts
 * @bf_bytes: its bytes, referenced; NULL for one that was not opened yet
 *
 * It does not change once it is in a view that was published. The last put frees it.
 */
struct mgs_buffer {
	refcount_t		bf_refs;
	struct mgs_log		bf_log;
	struct mgs_bytes	*bf_bytes;
};

/**
 * struct mgs_view - the logs after one change: what readers see
 * @vw_refs: the store, for the current one; readers; a change, for the one that it
 *	starts from
 * @vw_txn: of a change's own view: the change; else NULL
 * @vw_generation: of the configuration; of a change's own view: before the change
 * @vw_changes: bytes of mgs_changes, referenced; NULL: it could not be read
 * @vw_count: logs
 * @vw_capacity: allocated entries of @vw_logs
 * @vw_logs: logs by name, each referenced; a change's view borrows those of the view
 *	that the change starts from
 */
struct mgs_view {
	refcount_t		vw_refs;
	struct mgs_txn		*vw_txn;
	u64			vw_generation;
	struct mgs_bytes	*vw_changes;
	u32			vw_count;
	u32			vw_capacity;
	struct mgs_buffer	**vw_logs;
};

/**
 * struct mgs_image - mgs_state in memory
 * @im_bytes: head and logs, as in the file
 * @im_count: logs
 * @im_capacity: allocated size of @im_bytes
 */
struct mgs_image {
	u8	*im_bytes;
	u32	im_count;
	size_t	im_capacity;
};

/**
 * struct mgs_journal - position in the journal
 * @jn_started: the file has the head of @jn_round
 * @jn_round: round
 * @jn_at: where the next entry goes
 * @jn_size: size of the file
 * @jn_max: a new round starts when @jn_at is larger
 * @jn_doubt: the disk may have an entry at @jn_at that was reported as failed, or the
 *	head of the next round: no more entries before a new round starts
 */
struct mgs_journal {
	bool	jn_started;
	u64	jn_round;
	u64	jn_at;
	u64	jn_size;
	u64	jn_max;
	bool	jn_doubt;
};

/**
 * struct mgs_store - a store
 * @ms_io: operations of the directory
 * @ms_backend: their argument
 * @ms_view_lock: guards @ms_view, for as long as taking a reference or swapping takes
 * @ms_view: current view; one reference is the store's
 * @ms_failed: why the directory is not up to date, a negative errno. Changes are refused
 *	until mgs_store_retry() succeeds
 * @ms_unknown: it is not known whether the last refused change is on the disk
 * @ms_seed: random number of the directory
 * @ms_file_max: largest file, MGS_FILE_SIZE_MAX
 * @ms_journal: journal
 * @ms_image: mgs_state, as in its file
 * @ms_files: struct mgs_file, by a hash of their names
 * @ms_unsynced: struct mgs_file: those that the disk may not have
 * @ms_changes: the file mgs_changes
 * @ms_settings: index of the settings, of the log layer, or NULL
 * @ms_settings_free: frees it
 * @ms_fsdbs: state of file systems, of the log layer, or NULL
 * @ms_fsdbs_free: frees it
 *
 * All but the view and @ms_failed belong to the writer.
 */
struct mgs_store {
	const struct mgs_backend_io	*ms_io;
	void				*ms_backend;
	spinlock_t			ms_view_lock;
	struct mgs_view			*ms_view;
	int				ms_failed;
	bool				ms_unknown;
	u32				ms_seed;
	u64				ms_file_max;
	struct mgs_journal		ms_journal;
	struct mgs_image		ms_image;
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
 * @tl_log: facts after the change; the commit sets the generations
 * @tl_was: it existed before
 * @tl_there: it exists
 * @tl_changed: the change modified it
 * @tl_new_epoch: nodes must read it from the start
 * @tl_bytes: its bytes before the change, referenced, or NULL
 * @tl_file: its file; NULL until the change modifies it
 * @tl_store: the log opened for writing; chunk0 is NULL while it is not
 * @tl_memory: allocated size of chunk0
 * @tl_writes: number of modifications
 */
struct mgs_txn_log {
	struct list_head	tl_item;
	struct mgs_log		tl_log;
	bool			tl_was;
	bool			tl_there;
	bool			tl_changed;
	bool			tl_new_epoch;
	struct mgs_bytes	*tl_bytes;
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
 * @mt_records: records that it wrote or cancelled
 * @mt_base: view that it starts from, referenced
 * @mt_view: what it sees itself
 * @mt_next: view after it, while it commits
 * @mt_logs: struct mgs_txn_log
 * @mt_files: struct mgs_file
 * @mt_image: mgs_state after it
 * @mt_appended: where the last appended record is
 * @mt_end: called at the end of the change, or NULL
 * @mt_end_data: its argument
 * @mt_committed: it is on the disk and published
 * @mt_said: length of @mt_say
 * @mt_say: its description in mgs_changes
 */
struct mgs_txn {
	struct mgs_store	*mt_store;
	struct mgs_who		mt_who;
	int			mt_failed;
	u32			mt_records;
	struct mgs_view		*mt_base;
	struct mgs_view		mt_view;
	struct mgs_view		*mt_next;
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
int mgs_store_fail(struct mgs_store *store, int rc);

/* view.c */
int mgs_log_name_check(const char *log);
void mgs_log_file_name(const char *log, char *name);
struct mgs_buffer *mgs_buffer_new(const struct mgs_log *log,
				  struct mgs_bytes *bytes);
void mgs_buffer_put(struct mgs_buffer *buffer);
struct mgs_view *mgs_view_new(u32 capacity);
int mgs_view_next(struct mgs_view **next, const struct mgs_view *from, u32 more);
void mgs_view_set(struct mgs_view *view, struct mgs_buffer *buffer);
void mgs_view_drop(struct mgs_view *view, const char *log);
struct mgs_buffer *mgs_view_find(const struct mgs_view *view, const char *log);
void mgs_view_publish(struct mgs_store *store, struct mgs_view *view);

/* scan.c */
typedef int (*mgs_record_fn)(void *data, const struct llog_record *rec);
int mgs_log_scan_from(const struct mgs_bytes *bytes, struct mgs_log *log,
		      u32 index, u64 offset, mgs_record_fn fn, void *data,
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
 * @parts: parts that follow
 * @len: bytes of head and parts
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
 * @bytes: bytes to be written, inside the entry
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

int mgs_journal_write(struct mgs_store *store, u64 generation,
		      const struct list_head *files);
int mgs_journal_empty(struct mgs_store *store);
int mgs_journal_replay(struct mgs_store *store, struct mgs_fault *fault);

/* bytes.c */
struct mgs_bytes *mgs_bytes_new(void);
struct mgs_bytes *mgs_bytes_get(struct mgs_bytes *bytes);
void mgs_bytes_put(struct mgs_bytes *bytes);
struct mgs_bytes *mgs_bytes_copy(const struct mgs_bytes *from);
size_t mgs_bytes_read(const struct mgs_bytes *bytes, u64 offset, void *to,
		      size_t len);
int mgs_bytes_write(struct mgs_bytes *bytes, u64 offset, const void *from,
		    size_t len);
void mgs_bytes_truncate(struct mgs_bytes *bytes, u64 size);
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
int mgs_file_truncate(void *file, u64 size);
void mgs_file_remove(struct mgs_file *file);
bool mgs_file_changed(const struct mgs_file *file);
int mgs_file_begin(struct mgs_file *file);
void mgs_file_show(struct mgs_file *file);
int mgs_files_apply(struct mgs_store *store);
int mgs_files_sync(struct mgs_store *store);

/**
 * struct mgs_todo - iteration over the parts that make the new version of a file
 * @file: file
 * @next: which kind of part comes next
 * @was: the file existed before
 * @unsure: its previous contents are unknown
 * @reached: its size after the parts so far
 * @differ: bytes to write
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
struct mgs_txn_log *mgs_txn_log_find(const struct mgs_txn *txn, const char *log);
int mgs_txn_log_get(struct mgs_txn *txn, const char *log,
		    struct mgs_txn_log **out);
void mgs_txn_log_facts(const struct mgs_txn *txn, const struct mgs_txn_log *tl,
		       struct mgs_log *log);
struct mgs_bytes *mgs_txn_log_bytes(const struct mgs_txn_log *tl);
void mgs_txn_logs_free(struct mgs_txn *txn);

/* txn.c */
int mgs_txn_commit_forced(struct mgs_txn *txn);

#endif /* _MGS_STORE_INTERNAL_H */
