// SPDX-License-Identifier: GPL-2.0-only
#include "shim_cmocka.h"

#include <stdio.h>
#include <stdlib.h>

#include "llog_golden.h"

static const char *const names[GOLDEN_LOGS] = {
	"lustre-2.7/t32fs-client",
	"lustre-2.7/t32fs-MDT0000",
	"lustre-2.7/t32fs-OST0000",
	"lustre-2.9/t32fs-client",
	"lustre-2.9/t32fs-MDT0000",
	"lustre-2.9/t32fs-OST0000",
};

struct golden golden_load(unsigned int n)
{
	struct golden log = { .name = names[n] };
	char path[512];
	FILE *file;
	long len;

	snprintf(path, sizeof(path), "%s/%s", GOLDEN_DIR, names[n]);
	file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	len = ftell(file);
	assert_true(len > LLOG_MIN_CHUNK_SIZE);
	rewind(file);
	log.len = (size_t)len;
	log.bytes = malloc(log.len);
	assert_non_null(log.bytes);
	assert_int_equal(fread(log.bytes, 1, log.len, file), log.len);
	fclose(file);
	return log;
}

void golden_free(struct golden *log)
{
	free(log->bytes);
	log->bytes = NULL;
}

static void turn(u8 *at, size_t len)
{
	size_t n;
	u8 byte;

	for (n = 0; n < len / 2; n++) {
		byte = at[n];
		at[n] = at[len - 1 - n];
		at[len - 1 - n] = byte;
	}
}

/* @words successive integers of 4 bytes. */
static void turn32(u8 *at, size_t words)
{
	while (words--)
		turn(at + 4 * words, 4);
}

static void turn_binary(u32 command, u8 *at, u32 len)
{
	if (command == LCFG_MARKER && len == sizeof(struct cfg_marker)) {
		turn32(at, 4);
		turn(at + 16, 8);
		turn(at + 24, 8);
	} else if (command == LCFG_SETUP && len == sizeof(struct lov_desc)) {
		turn32(at, 4);
		turn(at + 16, 8);
		turn(at + 24, 8);
		turn32(at + 32, 4);
	}
}

void golden_swap_cfg(u8 *bytes, size_t len)
{
	struct lcfg_view view;

	assert_int_equal(lustre_cfg_decode(bytes, len, &view, NULL), 0);
	if (view.bufcount > 1)
		turn_binary(view.command, bytes + (view.buf[1].data -
						   (const char *)bytes),
			    view.buf[1].len);
	turn32(bytes, 4);
	turn(bytes + 16, 8);
	turn32(bytes + 24, 2 + view.bufcount);
}

void golden_swap(struct golden *log)
{
	size_t at = LLOG_MIN_CHUNK_SIZE;
	u8 *p = log->bytes;
	u32 len;

	turn32(p, 4);
	turn(p + 16, 8);
	turn32(p + 24, 5);
	turn32(p + LLOG_MIN_CHUNK_SIZE - 8, 2);
	for (; at < log->len; at += len) {
		len = codec_get32(p + at, false);
		golden_swap_cfg(p + at + 16, len - 24);
		turn32(p + at, 4);
		turn32(p + at + len - 8, 2);
	}
}

/* One chunk: each byte belongs to one record or one fault. */
static void walk_chunk(struct llog_walk *walk, golden_cb_t cb, void *data)
{
	struct llog_record rec;
	struct llog_fault fault;
	enum llog_step step;
	u64 covered = 0;

	for (;;) {
		step = llog_walk_next(walk, &rec, &fault);
		if (step == LLOG_STEP_END)
			break;
		if (step == LLOG_STEP_RECORD) {
			assert_int_equal(rec.offset, walk->chunk_offset +
					 covered);
			covered += rec.len;
			cb(&rec, NULL, data);
			continue;
		}
		assert_non_null(fault.what);
		assert_true(fault.offset >= walk->chunk_offset + covered);
		assert_true(fault.offset < walk->chunk_offset +
			    walk->chunk_len);
		covered += fault.lost;
		cb(NULL, &fault, data);
	}
	assert_int_equal(covered, walk->chunk_len);
}

void golden_walk(const struct llog_head *head, const u8 *bytes, size_t len,
		 golden_cb_t cb, void *data)
{
	struct llog_walk walk;
	size_t at, have;

	llog_walk_init(&walk, head);
	for (at = head->chunk_size; at < len; at += have) {
		have = len - at < head->chunk_size ? len - at :
		       head->chunk_size;
		llog_walk_chunk(&walk, bytes + at, (u32)have, at);
		walk_chunk(&walk, cb, data);
	}
}
