// SPDX-License-Identifier: GPL-2.0-only
/*
 * The content of the objects of an echo server: a pattern made once, so that it
 * can be sent without a copy, and verified locally. It repeats after 257 pages,
 * a prime: places fewer pages apart differ, so misplaced data is detected.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "echo_internal.h"

#define PATTERN_STEP	4096U
#define PATTERN_BYTES	(257 * PATTERN_STEP)
#define PATTERN_PAGES	(PATTERN_BYTES / PAGE_SIZE)
/* Whole pages from any place on, for the longest transfer. */
#define TABLE_PAGES	(PATTERN_PAGES + WIRE_BULK_MAX / PAGE_SIZE)

static DEFINE_MUTEX(pattern_lock);	/* serializes its creation */
static u8 *pattern;
/* Its pages, repeatedly; valid when @pattern is. */
static struct bio_vec *pattern_table;

/* A different word for each place, without a relation between its bytes. */
static u64 pattern_word(u64 place)
{
	u64 word = (place + 1) * 0xd1342543de82ef95ULL;

	word ^= word >> 29;
	word *= 0xaf251af3b0f025b5ULL;
	return word ^ word >> 32;
}

static int pattern_alloc(void)
{
	u8 *bytes = vmalloc(PATTERN_BYTES);
	struct bio_vec *table;
	unsigned int n;

	if (!bytes)
		return -ENOMEM;
	table = kvcalloc(TABLE_PAGES, sizeof(*table), GFP_KERNEL);
	if (!table) {
		vfree(bytes);
		return -ENOMEM;
	}
	for (n = 0; n < PATTERN_BYTES / sizeof(u64); n++)
		((__le64 *)bytes)[n] = cpu_to_le64(pattern_word(n));
	for (n = 0; n < TABLE_PAGES; n++) {
		table[n].bv_page = vmalloc_to_page(bytes + n % PATTERN_PAGES *
						   PAGE_SIZE);
		table[n].bv_len = PAGE_SIZE;
	}
	pattern_table = table;
	pattern = bytes;
	return 0;
}

/**
 * echo_pattern_make() - create the pattern, for as long as the module is loaded
 *
 * Context: may sleep
 * Return: 0 or -ENOMEM
 */
int echo_pattern_make(void)
{
	int rc = 0;

	BUILD_BUG_ON(PATTERN_BYTES % PAGE_SIZE);
	mutex_lock(&pattern_lock);
	if (!pattern)
		rc = pattern_alloc();
	mutex_unlock(&pattern_lock);
	return rc;
}

/**
 * echo_pattern_free() - free the pattern at module exit
 *
 * A socket may still reference pages, which are freed later.
 *
 * Context: may sleep
 */
void echo_pattern_free(void)
{
	kvfree(pattern_table);
	vfree(pattern);
}

/**
 * echo_pattern_at() - position in the pattern of a byte of an object
 * @object: object
 * @offset: of the byte
 *
 * Context: any
 * Return: the position, for the functions below
 */
u32 echo_pattern_at(u64 object, u64 offset)
{
	u64 shift = object % (PATTERN_BYTES / PATTERN_STEP) * PATTERN_STEP;

	return (shift + offset % PATTERN_BYTES) % PATTERN_BYTES;
}

/**
 * echo_pattern_pages() - a range of the pattern of whole pages
 * @at: position
 * @len: its bytes, at most WIRE_BULK_MAX
 *
 * Context: any
 * Return: its pages, which are never freed; NULL unless it starts and ends at a
 *  page boundary
 */
struct bio_vec *echo_pattern_pages(u32 at, u32 len)
{
	if (offset_in_page(at) || offset_in_page(len))
		return NULL;
	return &pattern_table[at / PAGE_SIZE];
}

/**
 * echo_pattern_vec() - any range of the pattern
 * @at: position
 * @len: its bytes
 * @vec: out, its parts: at most ECHO_VEC_MAX(len); no reference is taken
 *
 * Context: any
 * Return: number of parts
 */
unsigned int echo_pattern_vec(u32 at, u32 len, struct bio_vec *vec)
{
	unsigned int nr;

	for (nr = 0; len; nr++) {
		vec[nr].bv_page = pattern_table[at / PAGE_SIZE].bv_page;
		vec[nr].bv_offset = offset_in_page(at);
		vec[nr].bv_len = min_t(u32, len,
				       PAGE_SIZE - vec[nr].bv_offset);
		at = (at + vec[nr].bv_len) % PATTERN_BYTES;
		len -= vec[nr].bv_len;
	}
	return nr;
}

/**
 * echo_pattern_copy() - copy a part of the pattern
 * @at: position
 * @part: out, its bytes; within one page
 *
 * Context: any
 * Return: position after it
 */
u32 echo_pattern_copy(u32 at, const struct bio_vec *part)
{
	u32 first = min_t(u32, part->bv_len, PATTERN_BYTES - at);
	u8 *bytes = kmap_local_page(part->bv_page) + part->bv_offset;

	memcpy(bytes, pattern + at, first);
	memcpy(bytes + first, pattern, part->bv_len - first);
	kunmap_local(bytes);
	return (at + part->bv_len) % PATTERN_BYTES;
}

static bool part_is(u32 at, const struct bio_vec *part, u32 len)
{
	u32 first = min_t(u32, len, PATTERN_BYTES - at);
	u8 *bytes = kmap_local_page(part->bv_page) + part->bv_offset;
	bool same = !memcmp(bytes, pattern + at, first) &&
		    !memcmp(bytes + first, pattern, len - first);

	kunmap_local(bytes);
	return same;
}

/**
 * echo_pattern_is() - compare bytes with the pattern
 * @at: position in the pattern
 * @vec: bytes; each part is within one page
 * @nr: parts
 * @len: bytes
 *
 * Context: any
 * Return: true if all bytes match
 */
bool echo_pattern_is(u32 at, const struct bio_vec *vec, unsigned int nr, u32 len)
{
	unsigned int n;
	u32 part;

	for (n = 0; n < nr && len; n++) {
		part = min_t(u32, len, vec[n].bv_len);
		if (!part_is(at, &vec[n], part))
			return false;
		at = (at + part) % PATTERN_BYTES;
		len -= part;
	}
	return !len;
}
