// SPDX-License-Identifier: GPL-2.0
/*
 * The bytes of the journal: made, and taken apart with every length checked.
 */
#include <linux/crc32c.h>
#include <linux/slab.h>

#include "store_internal.h"

#define HEAD_AT(field)	offsetof(struct mgs_journal_head, field)
#define ENTRY_AT(field)	offsetof(struct mgs_journal_entry, field)
#define PART_AT(field)	offsetof(struct mgs_journal_part, field)
#define ENTRY_HEAD	sizeof(struct mgs_journal_entry)
#define PART_HEAD	sizeof(struct mgs_journal_part)

static u32 check_sum(const u8 *bytes, size_t len)
{
	return ~crc32c(~0U, bytes, len);
}

/**
 * mgs_head_encode() - the head of a round
 * @bytes: out, sizeof(struct mgs_journal_head) of them
 * @round: round
 *
 * Context: any
 */
void mgs_head_encode(u8 *bytes, u64 round)
{
	memset(bytes, 0, sizeof(struct mgs_journal_head));
	codec_put32(bytes + HEAD_AT(jh_magic), MGS_JOURNAL_MAGIC);
	codec_put32(bytes + HEAD_AT(jh_version), MGS_JOURNAL_VERSION);
	codec_put64(bytes + HEAD_AT(jh_round), round);
	codec_put32(bytes + HEAD_AT(jh_crc),
		    check_sum(bytes, HEAD_AT(jh_crc)));
}

/**
 * mgs_head_decode() - take the head of a round apart
 * @bytes: sizeof(struct mgs_journal_head) of them
 * @round: out
 *
 * Context: any
 * Return: whether it is whole
 */
bool mgs_head_decode(const u8 *bytes, u64 *round)
{
	*round = codec_get64(bytes + HEAD_AT(jh_round), false);
	return codec_get32(bytes + HEAD_AT(jh_magic), false) ==
			MGS_JOURNAL_MAGIC &&
		codec_get32(bytes + HEAD_AT(jh_version), false) ==
			MGS_JOURNAL_VERSION &&
		codec_get32(bytes + HEAD_AT(jh_crc), false) ==
			check_sum(bytes, HEAD_AT(jh_crc)) &&
		*round && *round < ~0ULL;
}

/**
 * mgs_entry_decode() - take the head of an entry apart
 * @bytes: where it would be
 * @len: how many there are
 * @at: where that is in the file
 * @entry: out
 *
 * Context: any
 * Return: whether there is one; its parts were not looked at
 */
bool mgs_entry_decode(const u8 *bytes, size_t len, u64 at,
		      struct mgs_entry *entry)
{
	if (len < ENTRY_HEAD ||
	    codec_get32(bytes + ENTRY_AT(je_magic), false) != MGS_ENTRY_MAGIC ||
	    codec_get32(bytes + ENTRY_AT(je_at), false) != at ||
	    codec_get32(bytes + ENTRY_AT(je_head_crc), false) !=
			check_sum(bytes, ENTRY_AT(je_head_crc)))
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

/**
 * mgs_entry_whole() - whether its parts are what was written
 * @bytes: the entry, all of it
 * @entry: its head
 *
 * Context: any
 * Return: whether
 */
bool mgs_entry_whole(const u8 *bytes, const struct mgs_entry *entry)
{
	return check_sum(bytes + ENTRY_HEAD, entry->len - ENTRY_HEAD) ==
		entry->crc;
}

/* A file of the folder, or of a folder in it; not the journal itself. */
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
		return "a part names no file of this folder";
	if (part->offset > MGS_FILE_SIZE_MAX)
		return "a part is of no file that can be";
	switch (part->kind) {
	case MGS_PART_WRITE:
		return NULL;
	case MGS_PART_SIZE:
	case MGS_PART_REMOVE:
		return part->len ? "a part has bytes that mean nothing" : NULL;
	default:
		return "a part is of no kind that is known";
	}
}

/**
 * mgs_part_next() - the next part of an entry
 * @bytes: the entry
 * @len: its bytes
 * @at: where the part is, behind the head of the entry; then where the next one is
 * @part: out; its bytes stay where they are
 *
 * Context: any
 * Return: NULL, or what is wrong with it
 */
const char *mgs_part_next(const u8 *bytes, size_t len, size_t *at,
			  struct mgs_part *part)
{
	size_t left, name_len;
	u64 data_len;
	const u8 *p;

	p = bytes + *at;
	left = len - *at;
	if (left < PART_HEAD)
		return "a part is cut short";
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
		return "the bytes of a part are cut short";
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

/**
 * mgs_entry_size() - bytes of an entry
 * @files: what is done to them
 *
 * Context: any
 * Return: bytes; only the head's where there is nothing to be done
 */
u64 mgs_entry_size(const struct list_head *files)
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

/**
 * mgs_entry_encode() - make an entry
 * @bytes: out, zeros before
 * @entry: round, generation and length, as mgs_entry_size() said
 * @place: where it will be in the file
 * @files: what is done to them
 *
 * Context: any
 */
void mgs_entry_encode(u8 *bytes, const struct mgs_entry *entry, u64 place,
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
		    check_sum(bytes + ENTRY_HEAD, entry->len - ENTRY_HEAD));
	codec_put32(bytes + ENTRY_AT(je_head_crc),
		    check_sum(bytes, ENTRY_AT(je_head_crc)));
}
