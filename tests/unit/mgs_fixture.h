/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A store over a directory in memory, commands for its logs, and snapshots of all its
 * contents to compare.
 */
#ifndef _MGS_FIXTURE_H
#define _MGS_FIXTURE_H

#include "shim_cmocka.h"

#include "mgs_mem.h"

#define MGS_STEPS	12

/**
 * struct mgs_picture - a snapshot of the contents of a store
 * @bytes: contents
 * @len: length of @bytes
 */
struct mgs_picture {
	u8	*bytes;
	size_t	len;
};

/* Open a store; an error fails the test. */
struct mgs_store *mgs_have(struct mem_backend *backend);
struct mgs_txn *mgs_begin(struct mgs_store *store);
/* The current view, borrowed; the change's own view if there is a change. */
const struct mgs_view *mgs_now(struct mgs_store *store);
const struct mgs_view *mgs_seen(struct mgs_store *store, struct mgs_txn *txn);
/* Commit; an error fails the test. Return: generation */
u64 mgs_done(struct mgs_txn *txn);

/* Encode a setting or marker. @cfg: LUSTRE_CFG_SIZE_MAX bytes. Return: length */
size_t mgs_setting(u8 *cfg, const char *text);
size_t mgs_marker(u8 *cfg, u32 step, u32 flags);
int mgs_append_setting(struct mgs_txn *txn, const char *log, const char *text);
/* The marker that mgs_marker() encodes */
void mgs_marker_make(struct cfg_marker *marker, u32 step, u32 flags);

/*
 * @backend: also contains the files besides the logs; NULL: the logs alone. A store that has
 *	failed did not write those files, so the picture does not contain them.
 */
void mgs_picture_take(struct mgs_picture *picture, struct mgs_store *store,
		      struct mem_backend *backend);
void mgs_picture_free(struct mgs_picture *picture);
bool mgs_picture_same(const struct mgs_picture *one,
		      const struct mgs_picture *other);

/*
 * Step @n of MGS_STEPS, a series of changes that build on each other: logs are created,
 * marked, cancelled, copied, deleted. Return: as mgs_txn_append() and others
 */
int mgs_step(struct mgs_txn *txn, unsigned int n);
/* Step @n as a committed change; an error fails the test. */
void mgs_step_done(struct mgs_store *store, unsigned int n);
/*
 * Before and after each step, MGS_STEPS + 1 pictures; @backend: empty before and after.
 * @files: of the files besides the logs too
 */
void mgs_pictures_take(struct mgs_picture *pictures, struct mem_backend *backend, bool files);
void mgs_pictures_free(struct mgs_picture *pictures);

#endif /* _MGS_FIXTURE_H */
