// SPDX-License-Identifier: GPL-2.0-only
/* llog: the golden logs, in both byte orders, apart and together again. */
#include "shim_cmocka.h"

#include <stdlib.h>

#include "llog_golden.h"

/**
 * struct rewrite - a log that is written from the records that were read
 * @bytes: what was written
 * @at: where the next record goes
 * @records: how many were
 * @faults: faults that were met
 */
struct rewrite {
	u8	*bytes;
	size_t	at;
	u32	records;
	u32	faults;
};

static void rewrite_record(const struct llog_record *rec,
			   const struct llog_fault *fault, void *data)
{
	struct rewrite *re = data;
	u8 body[LUSTRE_CFG_SIZE_MAX];
	struct lcfg_view view;
	const char *why = NULL;
	ssize_t len;

	re->faults += fault != NULL;
	if (fault)
		return;
	assert_int_equal(rec->type, OBD_CFG_REC);
	assert_int_equal(lustre_cfg_decode(rec->body, rec->body_len, &view,
					   &why), 0);
	len = lustre_cfg_encode(&view, body, sizeof(body));
	assert_int_equal(len, rec->body_len);
	assert_true(rec->live);
	len = llog_record_encode(re->bytes + re->at, rec->len, rec->type,
				 rec->index, body, (size_t)len);
	assert_int_equal(len, rec->len);
	re->at += (size_t)len;
	re->records++;
}

static void each_golden_log_is_rewritten_to_the_same_bytes(void **state)
{
	struct llog_fault fault;
	struct llog_head head;
	struct rewrite re;
	struct golden log;
	unsigned int n;

	(void)state;
	for (n = 0; n < GOLDEN_LOGS; n++) {
		log = golden_load(n);
		assert_int_equal(llog_head_decode(log.bytes, log.len, &head,
						  &fault), 0);
		assert_null(fault.what);
		re = (struct rewrite){ .bytes = malloc(log.len),
				       .at = head.chunk_size };
		assert_int_equal(llog_head_encode(re.bytes, head.chunk_size,
						  head.flags, head.tgtuuid, 0), 0);
		llog_head_put(re.bytes, &head);
		golden_walk(&head, log.bytes, log.len, rewrite_record, &re);
		assert_int_equal(re.faults, 0);
		assert_int_equal(re.records, head.last_index);
		assert_int_equal(re.records + 1, head.count);
		assert_int_equal(re.at, log.len);
		assert_memory_equal(re.bytes, log.bytes, log.len);
		free(re.bytes);
		golden_free(&log);
	}
}

/**
 * struct pair - a log in the order of this machine, and a walk through the other
 * @bytes: the log
 * @at: where its next record is
 */
struct pair {
	const u8	*bytes;
	size_t		at;
};

static void same_record(const struct llog_record *rec,
			const struct llog_fault *fault, void *data)
{
	struct lcfg_marker marker, other_marker;
	struct lcfg_view view, other;
	struct pair *pair = data;
	u32 n;

	assert_null(fault);
	assert_true(rec->swapped && rec->live);
	assert_int_equal(rec->offset, pair->at);
	assert_int_equal(rec->len, codec_get32(pair->bytes + pair->at, false));
	assert_int_equal(rec->index,
			 codec_get32(pair->bytes + pair->at + 4, false));
	assert_int_equal(lustre_cfg_decode(rec->body, rec->body_len, &view,
					   NULL), 0);
	assert_int_equal(lustre_cfg_decode(pair->bytes + pair->at + 16,
					   rec->body_len, &other, NULL), 0);
	assert_true(view.swapped && !other.swapped);
	assert_int_equal(view.command, other.command);
	assert_int_equal(view.num, other.num);
	assert_int_equal(view.nid, other.nid);
	assert_int_equal(view.bufcount, other.bufcount);
	for (n = 0; n < view.bufcount; n++)
		assert_int_equal(view.buf[n].len, other.buf[n].len);
	assert_int_equal(lcfg_marker_decode(&view, &marker),
			 lcfg_marker_decode(&other, &other_marker));
	assert_memory_equal(&marker, &other_marker, sizeof(marker));
	pair->at += rec->len;
}

static void logs_of_the_other_byte_order_say_the_same(void **state)
{
	struct llog_head head, other;
	struct golden log, turned;
	struct llog_fault fault;
	struct pair pair;
	unsigned int n;

	(void)state;
	for (n = 0; n < GOLDEN_LOGS; n++) {
		log = golden_load(n);
		turned = golden_load(n);
		golden_swap(&turned);
		assert_int_equal(llog_head_decode(log.bytes, log.len, &head,
						  &fault), 0);
		assert_int_equal(llog_head_decode(turned.bytes, turned.len,
						  &other, &fault), 0);
		assert_true(other.swapped && !head.swapped);
		assert_int_equal(other.chunk_size, head.chunk_size);
		assert_int_equal(other.flags, head.flags);
		assert_int_equal(other.count, head.count);
		assert_int_equal(other.size, head.size);
		assert_int_equal(other.timestamp, head.timestamp);
		assert_int_equal(other.last_index, head.last_index);
		assert_string_equal(other.tgtuuid, head.tgtuuid);
		pair = (struct pair){ log.bytes, head.chunk_size };
		golden_walk(&other, turned.bytes, turned.len, same_record,
			    &pair);
		assert_int_equal(pair.at, log.len);
		golden_free(&turned);
		golden_free(&log);
	}
}

static void the_header_of_the_2_9_client_log_is_what_its_reader_printed(void **state)
{
	struct golden log = golden_load(3);
	struct llog_fault fault;
	struct llog_head head;
	u32 index;

	(void)state;
	assert_int_equal(llog_head_decode(log.bytes, log.len, &head, &fault), 0);
	assert_int_equal(head.chunk_size, 8192);
	assert_int_equal(head.count, 42);
	assert_int_equal(head.last_index, 41);
	assert_int_equal(head.size, 80);
	assert_int_equal(head.flags, LLOG_F_IS_PLAIN);
	assert_int_equal(head.bitmap_bits, 64768);
	assert_int_equal(head.timestamp, 1490901649);
	assert_string_equal(head.tgtuuid, "config_uuid");
	for (index = 0; index <= 41; index++)
		assert_true(llog_index_live(&head, index));
	assert_false(llog_index_live(&head, 42));
	assert_false(llog_index_live(&head, head.bitmap_bits));
	assert_false(llog_index_live(&head, 0xffffffff));
	golden_free(&log);
}

static const struct head_refusal {
	u32		at;
	u32		value;
	const char	*what;
} head_refusals[] = {
	{ 8, 0x10645538, "not the magic of a log" },
	{ 8, OBD_CFG_REC, "not the magic of a log" },
	{ 0, 0, "not the size of a chunk" },
	{ 0, 4096, "not the size of a chunk" },
	{ 0, 8200, "not the size of a chunk" },
	{ 0, 131072, "not the size of a chunk" },
	{ 0, 0x80000000, "not the size of a chunk" },
	{ 0, 16384, "the file ends inside the header" },
	{ 4, 1, "the header's index is not 0" },
	{ 28, 96, "not the offset of the bitmap" },
	{ 28, 0xffffffff, "not the offset of the bitmap" },
	{ 8184, 8184, "the header's tail has another length" },
};

static void each_wrong_field_of_the_header_is_refused(void **state)
{
	struct llog_fault fault;
	struct llog_head head;
	u8 *chunk = malloc(LLOG_MIN_CHUNK_SIZE);
	size_t n;
	u32 size;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(head_refusals); n++) {
		const struct head_refusal *want = &head_refusals[n];

		assert_int_equal(llog_head_encode(chunk, LLOG_MIN_CHUNK_SIZE,
						  LLOG_F_IS_PLAIN, "uuid", 1), 0);
		codec_put32(chunk + want->at, want->value);
		assert_int_equal(llog_head_decode(chunk, LLOG_MIN_CHUNK_SIZE,
						  &head, &fault), -EBADMSG);
		assert_string_equal(fault.what, want->what);
		assert_true(fault.seen != fault.want);
		assert_null(head.bitmap);
	}
	llog_head_encode(chunk, LLOG_MIN_CHUNK_SIZE, 0, NULL, 1);
	for (n = 0; n < LLOG_MIN_CHUNK_SIZE; n += n < 100 ? 1 : 97) {
		u8 *cut = malloc(n ? n : 1);

		memcpy(cut, chunk, n);
		assert_int_equal(llog_head_decode(cut, n, &head, &fault),
				 -EBADMSG);
		assert_int_equal(llog_head_chunk_size(cut, n, &size),
				 n < 16 ? -EBADMSG : 0);
		free(cut);
	}
	free(chunk);
}

static void a_header_takes_a_uuid_that_fits_and_sizes_that_are_chunks(void **state)
{
	static const char uuid[] = "0123456789012345678901234567890123456789";
	struct llog_fault fault;
	struct llog_head head;
	u8 *chunk = malloc(LLOG_MAX_CHUNK_SIZE);
	u32 size;

	(void)state;
	assert_int_equal(llog_head_encode(chunk, 8192, 0, uuid, 0), -EINVAL);
	assert_int_equal(llog_head_encode(chunk, 8192, 0, uuid + 1, 0), 0);
	assert_int_equal(llog_head_encode(chunk, 4096, 0, NULL, 0), -EINVAL);
	assert_int_equal(llog_head_encode(chunk, 12288, 0, NULL, 0), -EINVAL);
	assert_int_equal(llog_head_encode(chunk, 131072, 0, NULL, 0), -EINVAL);
	for (size = LLOG_MIN_CHUNK_SIZE; size <= LLOG_MAX_CHUNK_SIZE; size *= 2) {
		assert_int_equal(llog_head_encode(chunk, size, 4, uuid + 1,
						  0x123456789a), 0);
		assert_int_equal(llog_head_decode(chunk, size, &head, &fault), 0);
		assert_int_equal(head.chunk_size, size);
		assert_int_equal(head.bitmap_bits, (size - 96) * 8);
		assert_int_equal(head.count, 1);
		assert_int_equal(head.last_index, 0);
		assert_int_equal(head.timestamp, 0x123456789a);
		assert_string_equal(head.tgtuuid, uuid + 1);
		assert_true(llog_index_live(&head, 0));
		assert_false(llog_index_live(&head, 1));
	}
	free(chunk);
}

static void records_are_padded_to_8_and_mirrored(void **state)
{
	u8 bytes[64];
	size_t len;
	int rc;

	(void)state;
	assert_int_equal(llog_record_size(0), 24);
	assert_int_equal(llog_record_size(1), 32);
	assert_int_equal(llog_record_size(8), 32);
	for (len = 0; len <= 40; len++) {
		memset(bytes, 0xff, sizeof(bytes));
		rc = llog_record_encode(bytes, sizeof(bytes), OBD_CFG_REC, 3,
					"0123456789012345678901234567890123456789",
					len);
		assert_int_equal(rc, llog_record_size(len));
		assert_int_equal(codec_get32(bytes, false), rc);
		assert_int_equal(codec_get32(bytes + rc - 8, false), rc);
		assert_int_equal(codec_get32(bytes + rc - 4, false), 3);
		if (len % 8)
			assert_int_equal(bytes[16 + len], 0);
		assert_int_equal(llog_record_encode(bytes, (size_t)rc - 1,
						    OBD_CFG_REC, 3, NULL, len),
				 -ENOSPC);
	}
	assert_int_equal(llog_record_encode(bytes, 64, 0x10500000, 1, NULL, 0),
			 -EINVAL);
	assert_int_equal(llog_record_encode(bytes, 64, OBD_CFG_REC, 0, NULL, 0),
			 -EINVAL);
	assert_int_equal(llog_record_encode(bytes, 64, OBD_CFG_REC, 1, NULL,
					    SIZE_MAX - 8), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_golden_log_is_rewritten_to_the_same_bytes),
		cmocka_unit_test(logs_of_the_other_byte_order_say_the_same),
		cmocka_unit_test(the_header_of_the_2_9_client_log_is_what_its_reader_printed),
		cmocka_unit_test(each_wrong_field_of_the_header_is_refused),
		cmocka_unit_test(a_header_takes_a_uuid_that_fits_and_sizes_that_are_chunks),
		cmocka_unit_test(records_are_padded_to_8_and_mirrored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
