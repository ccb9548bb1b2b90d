// SPDX-License-Identifier: GPL-2.0-only
/*
 * The journal: its bytes, writing it, replaying it.
 *
 * A change is one write and one sync of an entry after the last one. The file grows in
 * steps of zeros, so that most syncs write only the bytes of the entry.
 */
#include <linux/crc32c.h>
#include <linux/slab.h>

#include <lustre_lite/libcfs.h>

#include "store_internal.h"

#define HEAD_AT(field)	offsetof(struct mgs_journal_head, field)
#define ENTRY_AT(field)	offsetof(struct mgs_journal_entry, field)
#define PART_AT(field)	offsetof(struct mgs_journal_part, field)
#define ENTRY_HEAD	sizeof(struct mgs_journal_entry)
#define PART_HEAD	sizeof(struct mgs_journal_part)

static u32 checksum(const u8 *bytes, size_t len)
{
	return ~crc32c(~0U, bytes, len);
}

/* The head of a round. @bytes: out, a struct mgs_journal_head */
void mgs_head_encode(u8 *bytes, u64 round)
{
	memset(bytes, 0, sizeof(struct mgs_journal_head));
	codec_put32(bytes + HEAD_AT(jh_magic), MGS_JOURNAL_MAGIC);
	codec_put32(bytes + HEAD_AT(jh_version), MGS_JOURNAL_VERSION);
	codec_put64(bytes + HEAD_AT(jh_round), round);
	codec_put32(bytes + HEAD_AT(jh_crc),
		    checksum(bytes, HEAD_AT(jh_crc)));
}

/* Return: whether the head of a round is valid */
bool mgs_head_decode(const u8 *bytes, u64 *round)
{
	*round = codec_get64(bytes + HEAD_AT(jh_round), false);
	return codec_get32(bytes + HEAD_AT(jh_magic), false) ==
			MGS_JOURNAL_MAGIC &&
		codec_get32(bytes + HEAD_AT(jh_version), false) ==
			MGS_JOURNAL_VERSION &&
		codec_get32(bytes + HEAD_AT(jh_crc), false) ==
			checksum(bytes, HEAD_AT(jh_crc)) &&
		*round && *round < ~0ULL;
}

/*
 * The head of an entry, if there is one at @bytes. @at: offset of @bytes in the file.
 * Return: whether it is valid; its parts are not checked
 */
static bool entry_decode(const u8 *bytes, size_t len, u64 at,
			 struct mgs_entry *entry)
{
	if (len < ENTRY_HEAD ||
	    codec_get32(bytes + ENTRY_AT(je_magic), false) != MGS_ENTRY_MAGIC ||
	    codec_get32(bytes + ENTRY_AT(je_at), false) != at ||
	    codec_get32(bytes + ENTRY_AT(je_head_crc), false) !=
			checksum(bytes, ENTRY_AT(je_head_crc)))
		return false;
	entry->parts = codec_get32(bytes + ENTRY_AT(je_parts), false);
	entry->round = codec_get64(bytes + ENTRY_AT(je_round), false);
	entry->generation = codec_get64(bytes + ENTRY_AT(je_generation), false);
	entry->len = codec_get32(bytes + ENTRY_AT(je_len), false);
	entry->crc = codec_get32(bytes + ENTRY_AT(je_crc), false);
	return entry->generation && entry->generation < MGS_GENERATION_MAX &&
		entry->len >= ENTRY_HEAD && entry->len <= MGS_ENTRY_MAX &&
		entry->len % 8 == 0;
}

/* Whether the parts have their checksum */
static bool entry_whole(const u8 *bytes, const struct mgs_entry *entry)
{
	return checksum(bytes + ENTRY_HEAD, entry->len - ENTRY_HEAD) ==
		entry->crc;
}

/* A file of the directory, or of one of its directories; not the journal itself. */
static bool name_check(const char *name, size_t len)
{
	const char *slash = memchr(name, '/', len);
	const char *last = slash ? slash + 1 : name;

	if (strlen(name) != len || name[0] == '.' || last[0] == '.' ||
	    !last[0] || slash == name || strchr(last, '/'))
		return false;
	return strcmp(name, MGS_JOURNAL_FILE) != 0;
}

static const char *part_check(const struct mgs_part *part)
{
	if (!name_check(part->name, strlen(part->name)))
		return "a part names a file outside of this directory";
	if (part->offset > MGS_PART_OFFSET_MAX)
		return "a part has an offset that no file has";
	switch (part->kind) {
	case MGS_PART_WRITE:
		return NULL;
	case MGS_PART_SIZE:
	case MGS_PART_REMOVE:
		return part->len ? "a part that has no data has bytes" : NULL;
	default:
		return "a part is of an unknown kind";
	}
}

/*
 * The next part of an entry. @at: where the part starts; out: where the next one starts.
 * @part: out; refers to @bytes.
 * Return: NULL, or its damage
 */
static const char *part_next(const u8 *bytes, size_t len, size_t *at,
			     struct mgs_part *part)
{
	size_t left, name_len;
	u64 data_len;
	const u8 *p;

	p = bytes + *at;
	left = len - *at;
	if (left < PART_HEAD)
		return "a part is truncated";
	left -= PART_HEAD;
	part->kind = codec_get32(p + PART_AT(jp_kind), false);
	part->offset = codec_get64(p + PART_AT(jp_offset), false);
	name_len = codec_get32(p + PART_AT(jp_name_len), false);
	data_len = codec_get64(p + PART_AT(jp_len), false);
	if (!name_len || name_len >= MGS_FILE_MAX ||
	    codec_round8(name_len) > left)
		return "a part has no name";
	left -= codec_round8(name_len);
	if (data_len > left || codec_round8(data_len) > left)
		return "the bytes of a part are truncated";
	memset(part->name, 0, sizeof(part->name));
	memcpy(part->name, p + PART_HEAD, name_len);
	if (strlen(part->name) != name_len)
		return "a part has no name";
	part->len = data_len;
	part->bytes = p + PART_HEAD + codec_round8(name_len);
	*at += PART_HEAD + codec_round8(name_len) + codec_round8(data_len);
	return part_check(part);
}

static size_t part_size(const struct mgs_part *part)
{
	return PART_HEAD + codec_round8(strlen(part->name)) +
		codec_round8(part->len);
}

/* Return: size of an entry */
static u64 entry_size(const struct list_head *files)
{
	const struct mgs_file *file;
	struct mgs_todo todo;
	struct mgs_part part;
	u64 size = ENTRY_HEAD;

	list_for_each_entry(file, files, mf_item) {
		mgs_todo_init(&todo, file);
		while (mgs_todo_next(&todo, &part))
			size += part_size(&part);
	}
	return size;
}

static void part_put(u8 *p, const struct mgs_part *part)
{
	size_t name_len = strlen(part->name);

	codec_put32(p + PART_AT(jp_kind), part->kind);
	codec_put32(p + PART_AT(jp_name_len), (u32)name_len);
	codec_put64(p + PART_AT(jp_len), part->len);
	codec_put64(p + PART_AT(jp_offset), part->offset);
	memcpy(p + PART_HEAD, part->name, name_len);
	if (part->len)
		memcpy(p + PART_HEAD + codec_round8(name_len), part->bytes,
		       part->len);
}

/* @place: where the entry will be in the file */
static void entry_encode(u8 *bytes, const struct mgs_entry *entry, u64 place,
			 const struct list_head *files)
{
	const struct mgs_file *file;
	struct mgs_todo todo;
	struct mgs_part part;
	size_t at = ENTRY_HEAD;
	u32 parts = 0;

	list_for_each_entry(file, files, mf_item) {
		mgs_todo_init(&todo, file);
		while (mgs_todo_next(&todo, &part)) {
			part_put(bytes + at, &part);
			at += part_size(&part);
			parts++;
		}
	}
	codec_put32(bytes + ENTRY_AT(je_magic), MGS_ENTRY_MAGIC);
	codec_put32(bytes + ENTRY_AT(je_parts), parts);
	codec_put64(bytes + ENTRY_AT(je_round), entry->round);
	codec_put64(bytes + ENTRY_AT(je_generation), entry->generation);
	codec_put32(bytes + ENTRY_AT(je_len), entry->len);
	codec_put32(bytes + ENTRY_AT(je_at), (u32)place);
	codec_put32(bytes + ENTRY_AT(je_crc),
		    checksum(bytes + ENTRY_HEAD, entry->len - ENTRY_HEAD));
	codec_put32(bytes + ENTRY_AT(je_head_crc),
		    checksum(bytes, ENTRY_AT(je_head_crc)));
}

static int journal_put(struct mgs_store *store, u64 at, const void *bytes,
		       size_t len)
{
	return store->ms_io->write(store->ms_backend, MGS_JOURNAL_FILE, at,
				   bytes, len);
}

static int journal_sync(struct mgs_store *store)
{
	return store->ms_io->sync(store->ms_backend, MGS_JOURNAL_FILE);
}

/* Start a round. If that fails for the first one, it can be started again. */
static int round_begin(struct mgs_store *store, u64 round)
{
	struct mgs_journal *jn = &store->ms_journal;
	u8 head[sizeof(struct mgs_journal_head)];
	u64 at = round % 2 * MGS_JOURNAL_HEAD_STEP;
	int rc;

	mgs_head_encode(head, round);
	rc = journal_put(store, at, head, sizeof(head));
	if (!rc)
		rc = journal_sync(store);
	if (rc)
		return rc;
	jn->jn_started = true;
	jn->jn_round = round;
	jn->jn_at = MGS_JOURNAL_BEGIN;
	jn->jn_size = max_t(u64, jn->jn_size, at + sizeof(head));
	return 0;
}

/*
 * Start a new round: all entries are on the disk in their files. Entries after the new
 * head belong to an old round and are ignored.
 * Return: 0; as the directory, and it can be tried again
 */
int mgs_journal_empty(struct mgs_store *store)
{
	struct mgs_journal *jn = &store->ms_journal;
	int rc;

	if (!jn->jn_doubt && (!jn->jn_started || jn->jn_at == MGS_JOURNAL_BEGIN))
		return 0;
	rc = round_begin(store, jn->jn_round + 1);
	jn->jn_doubt = rc;
	if (rc)
		return rc;
	if (jn->jn_size <= jn->jn_max + MGS_JOURNAL_STEP)
		return 0;
	/* A large change does not leave a large journal. */
	rc = store->ms_io->truncate(store->ms_backend, MGS_JOURNAL_FILE, jn->jn_max);
	if (!rc)
		jn->jn_size = jn->jn_max;
	return rc;
}

/* It is unknown whether the next opening finds the entry. */
static int entry_doubt(struct mgs_store *store, int rc)
{
	store->ms_journal.jn_doubt = true;
	store->ms_unknown = true;
	return mgs_store_fail(store, rc);
}

/*
 * A write failed, on a full disk above all. Truncate what it wrote, so that no restart
 * finds a change that was refused.
 */
static int entry_undo(struct mgs_store *store, int rc)
{
	struct mgs_journal *jn = &store->ms_journal;
	int undone;

	undone = store->ms_io->truncate(store->ms_backend, MGS_JOURNAL_FILE,
				   jn->jn_at);
	if (!undone)
		undone = journal_sync(store);
	if (undone)
		return entry_doubt(store, undone);
	jn->jn_size = jn->jn_at;
	return rc;
}

/* Return: size of the write: the entry, and zeros if the file grows */
static size_t entry_space(const struct mgs_journal *jn, size_t len)
{
	u64 end = jn->jn_at + len;

	if (end <= jn->jn_size)
		return len;
	end = (end + MGS_JOURNAL_STEP - 1) / MGS_JOURNAL_STEP *
		MGS_JOURNAL_STEP;
	return end - jn->jn_at;
}

/*
 * Write and sync the entry of a change. @files: the change's.
 * Return: 0: it is committed; -ENOMEM, -EFBIG; as the directory, and jn_doubt says
 * whether the entry may be on the disk
 */
int mgs_journal_write(struct mgs_store *store, u64 generation,
		      const struct list_head *files)
{
	struct mgs_journal *jn = &store->ms_journal;
	struct mgs_entry entry = { .generation = generation };
	u64 len = entry_size(files);
	size_t size;
	u8 *bytes;
	int rc = 0;

	if (len > MGS_ENTRY_MAX)
		return -EFBIG;
	entry.len = (u32)len;
	size = entry_space(jn, len);
	bytes = libcfs_zalloc(size, GFP_KERNEL);
	if (!bytes)
		return -ENOMEM;
	if (!jn->jn_started)
		rc = round_begin(store, jn->jn_round + 1);
	if (rc)
		goto free_bytes;
	entry.round = jn->jn_round;
	entry_encode(bytes, &entry, jn->jn_at, files);
	rc = journal_put(store, jn->jn_at, bytes, size);
	if (rc) {
		rc = entry_undo(store, rc);
		goto free_bytes;
	}
	jn->jn_size = max_t(u64, jn->jn_size, jn->jn_at + size);
	rc = journal_sync(store);
	if (rc)
		entry_doubt(store, rc);
	else
		jn->jn_at += len;
free_bytes:
	libcfs_free(bytes, size);
	return rc;
}

/**
 * struct mgs_replay - a replay of the journal
 * @store: store
 * @bytes: the whole journal
 * @size: its size
 * @round: current round
 * @at: where the next entry is
 * @generation: of the last entry; 0 before the first one
 * @fault: out: damage
 */
struct mgs_replay {
	struct mgs_store	*store;
	u8			*bytes;
	size_t			size;
	u64			round;
	size_t			at;
	u64			generation;
	struct mgs_fault	*fault;
};

static int replay_damage(struct mgs_replay *replay, const char *what, u64 offset)
{
	memset(replay->fault, 0, sizeof(*replay->fault));
	memcpy(replay->fault->name, MGS_JOURNAL_FILE, sizeof(MGS_JOURNAL_FILE));
	replay->fault->what = what;
	replay->fault->offset = offset;
	return -EBADMSG;
}

/* Whether the next entry of this round has a valid head */
static bool is_next(const struct mgs_replay *replay, struct mgs_entry *entry)
{
	return entry_decode(replay->bytes + replay->at,
				replay->size - replay->at, replay->at, entry) &&
		entry->round == replay->round &&
		entry->generation > replay->generation;
}

/* The files in memory get it; they are written when all entries are replayed. */
static int replay_part(struct mgs_store *store, const struct mgs_part *part)
{
	struct mgs_file *file;
	int rc = mgs_file_have(store, part->name, &file);

	if (!rc)
		rc = mgs_file_begin(file);
	if (rc)
		return rc;
	switch (part->kind) {
	case MGS_PART_WRITE:
		return mgs_file_write(file, part->offset, part->bytes,
				      part->len);
	case MGS_PART_SIZE:
		return mgs_file_truncate(file, part->offset);
	default:
		mgs_file_remove(file);
		return 0;
	}
}

/* @apply: apply the parts, or only check them */
static int replay_parts(struct mgs_replay *replay, const struct mgs_entry *entry,
			bool apply)
{
	const u8 *bytes = replay->bytes + replay->at;
	struct mgs_part part;
	size_t at = ENTRY_HEAD;
	const char *what;
	int rc = 0;
	u32 n;

	for (n = 0; n < entry->parts && !rc; n++) {
		what = part_next(bytes, entry->len, &at, &part);
		if (what)
			return replay_damage(replay, what, replay->at + at);
		if (apply)
			rc = replay_part(replay->store, &part);
	}
	if (!rc && at != entry->len)
		return replay_damage(replay, "an entry has bytes after its parts",
				     replay->at + at);
	return rc;
}

/* @done: out: there was no further entry */
static int replay_entry(struct mgs_replay *replay, bool apply, bool *done)
{
	struct mgs_entry entry;
	int rc;

	*done = true;
	if (!is_next(replay, &entry) ||
	    entry.len > replay->size - replay->at ||
	    !entry_whole(replay->bytes + replay->at, &entry))
		return 0;
	if (replay->generation && entry.generation != replay->generation + 1)
		return replay_damage(replay, "an entry is missing", replay->at);
	rc = replay_parts(replay, &entry, apply);
	if (rc)
		return rc;
	*done = false;
	replay->generation = entry.generation;
	replay->at += entry.len;
	return 0;
}

/*
 * An invalid entry is the end of the journal only if no entry follows it: an entry with
 * a successor was synced, and is damaged now. No entry has a later round than the head.
 */
static int replay_behind(struct mgs_replay *replay)
{
	struct mgs_entry entry;
	size_t at;

	for (at = replay->at; at + ENTRY_HEAD <= replay->size; at += 8) {
		if (!entry_decode(replay->bytes + at, replay->size - at, at,
				      &entry))
			continue;
		if (entry.round > replay->round)
			return replay_damage(replay,
					     "the head of its round is damaged",
					     0);
		if (entry.round == replay->round && at > replay->at &&
		    entry.generation > replay->generation)
			return replay_damage(replay,
					     "an entry before the last one is damaged",
					     replay->at);
	}
	return 0;
}

/* All entries are checked before the first one is applied. */
static int replay_entries(struct mgs_replay *replay, bool apply)
{
	bool done = false;
	int rc = 0;

	replay->at = MGS_JOURNAL_BEGIN;
	replay->generation = 0;
	while (!rc && !done && replay->at < replay->size)
		rc = replay_entry(replay, apply, &done);
	return rc || apply ? rc : replay_behind(replay);
}

static bool head_at(const struct mgs_replay *replay, size_t at, u64 *round)
{
	return replay->size >= at + sizeof(struct mgs_journal_head) &&
		mgs_head_decode(replay->bytes + at, round) &&
		*round % 2 * MGS_JOURNAL_HEAD_STEP == at;
}

/* Find the current round; 0: no round was started. */
static int replay_round(struct mgs_replay *replay)
{
	u64 even, odd;
	bool has_even = head_at(replay, 0, &even);
	bool has_odd = head_at(replay, MGS_JOURNAL_HEAD_STEP, &odd);

	replay->round = 0;
	if (!has_even && !has_odd) {
		if (replay->size <= MGS_JOURNAL_BEGIN)
			return 0;
		return replay_damage(replay, "its head is damaged", 0);
	}
	replay->round = has_even ? even : odd;
	if (has_even && has_odd)
		replay->round = max_t(u64, even, odd);
	return 0;
}

static int replay_run(struct mgs_replay *replay)
{
	struct mgs_store *store = replay->store;
	ssize_t got;
	int rc;

	got = store->ms_io->read(store->ms_backend, MGS_JOURNAL_FILE, 0,
				 replay->bytes, replay->size);
	if (got < 0)
		return (int)got;
	if ((size_t)got < replay->size)
		return -EIO;
	replay->at = MGS_JOURNAL_BEGIN;
	rc = replay_round(replay);
	if (!rc && replay->round)
		rc = replay_entries(replay, false);
	if (!rc && replay->round)
		rc = replay_entries(replay, true);
	if (rc)
		return rc;
	store->ms_journal.jn_started = replay->round > 0;
	store->ms_journal.jn_round = replay->round;
	store->ms_journal.jn_at = max_t(size_t, replay->at, MGS_JOURNAL_BEGIN);
	return 0;
}

/*
 * Replay the journal into the files. On a full disk the files in memory have it, and
 * mgs_store_failed() says why those of the directory do not.
 * Return: 0; -EBADMSG with a fault; -ENOMEM; as the directory
 */
int mgs_journal_replay(struct mgs_store *store, struct mgs_fault *fault)
{
	struct mgs_replay replay = { .store = store, .fault = fault };
	u64 size;
	int rc;

	store->ms_journal.jn_at = MGS_JOURNAL_BEGIN;
	rc = store->ms_io->size(store->ms_backend, MGS_JOURNAL_FILE, &size);
	if (rc == -ENOENT || (!rc && !size))
		return 0;
	if (rc)
		return rc;
	if (size > 2ULL * MGS_ENTRY_MAX)
		return replay_damage(&replay, "it is too long", 0);
	store->ms_journal.jn_size = size;
	replay.size = size;
	replay.bytes = libcfs_zalloc(size, GFP_KERNEL);
	if (!replay.bytes)
		return -ENOMEM;
	rc = replay_run(&replay);
	libcfs_free(replay.bytes, size);
	if (rc)
		return rc;
	/* A new round, also after a torn entry, which must not precede a new one. */
	rc = mgs_store_sync(store);
	return rc == -ENOSPC || rc == -EDQUOT ? 0 : rc;
}
