// SPDX-License-Identifier: GPL-2.0-only
/* The record of an echo server's journal: encoding, decoding, detection of damage. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "journal_format.h"

#define ROOM	1024

/* A record of two clients, one of them with three requests. */
static u32 make_record(u8 *bytes, struct jrn_head *head)
{
	struct jrn_client first = { .uuid = "first_UUID", .executed = 7,
				    .sum = 70, .xid_count = 3 };
	struct jrn_client second = { .uuid = "second_UUID", .executed = 1,
				     .sum = 1 };
	struct jrn_at to;

	*head = (struct jrn_head) { .seq = 9, .transno = 1ULL << 40,
				    .executed = 8, .sum = 71, .clients = 2 };
	jrn_begin(&to, bytes, ROOM);
	assert_true(jrn_put_client(&to, &first));
	assert_true(jrn_put_xid(&to, 5));
	assert_true(jrn_put_xid(&to, 6));
	assert_true(jrn_put_xid(&to, 1ULL << 50));
	assert_true(jrn_put_client(&to, &second));
	jrn_seal(&to, head);
	assert_int_equal(head->len, JRN_HEAD_SIZE + jrn_client_size(3) +
			 jrn_client_size(0));
	return head->len;
}

static void record_comes_back(void **state)
{
	struct jrn_head made, head;
	struct jrn_client client;
	u8 bytes[ROOM];
	struct jrn_at at;
	u32 len = make_record(bytes, &made);

	(void)state;
	assert_null(jrn_open(&at, bytes, len, &head));
	assert_int_equal(head.seq, 9);
	assert_true(head.transno == 1ULL << 40);
	assert_int_equal(head.executed, 8);
	assert_int_equal(head.sum, 71);
	assert_int_equal(head.clients, 2);
	assert_null(jrn_get_client(&at, &client));
	assert_string_equal(client.uuid, "first_UUID");
	assert_int_equal(client.executed, 7);
	assert_int_equal(client.sum, 70);
	assert_int_equal(client.xid_count, 3);
	assert_int_equal(jrn_xid(&client, 0), 5);
	assert_true(jrn_xid(&client, 2) == 1ULL << 50);
	assert_null(jrn_get_client(&at, &client));
	assert_string_equal(client.uuid, "second_UUID");
	assert_int_equal(client.xid_count, 0);
	assert_non_null(jrn_get_client(&at, &client));
}

/* Bytes after a record in its slot do not matter. */
static void longer_file_is_fine(void **state)
{
	struct jrn_head made, head;
	u8 bytes[ROOM];
	struct jrn_at at;

	(void)state;
	memset(bytes, 0xaa, sizeof(bytes));
	make_record(bytes, &made);
	assert_null(jrn_open(&at, bytes, sizeof(bytes), &head));
}

static void every_flipped_bit_shows(void **state)
{
	struct jrn_head made, head;
	u8 bytes[ROOM];
	struct jrn_at at;
	u32 len = make_record(bytes, &made), bit;

	(void)state;
	for (bit = 0; bit < len * 8; bit++) {
		bytes[bit / 8] ^= 1 << bit % 8;
		assert_non_null(jrn_open(&at, bytes, len, &head));
		bytes[bit / 8] ^= 1 << bit % 8;
	}
	assert_null(jrn_open(&at, bytes, len, &head));
}

/* Each length in memory of its own: a byte too far is seen by the sanitizer. */
static void every_cut_shows(void **state)
{
	struct jrn_head made, head;
	u8 bytes[ROOM], *cut;
	struct jrn_at at;
	u32 len = make_record(bytes, &made), n;

	(void)state;
	for (n = 0; n < len; n++) {
		cut = malloc(n ? n : 1);
		assert_non_null(cut);
		memcpy(cut, bytes, n);
		assert_non_null(jrn_open(&at, cut, n, &head));
		free(cut);
	}
}

/* A record that lies, with a check sum that is right. */
static const char *lie(void (*tell)(u8 *bytes, struct jrn_head *head,
				    struct jrn_at *at))
{
	struct jrn_head head, seen;
	u8 bytes[ROOM];
	struct jrn_at at;

	make_record(bytes, &head);
	at = (struct jrn_at) { .bytes = bytes, .len = ROOM, .at = head.len };
	tell(bytes, &head, &at);
	jrn_seal(&at, &head);
	return jrn_open(&at, bytes, head.len, &seen);
}

static void more_clients(u8 *bytes, struct jrn_head *head, struct jrn_at *at)
{
	(void)bytes;
	(void)at;
	head->clients++;
}

static void fewer_clients(u8 *bytes, struct jrn_head *head, struct jrn_at *at)
{
	(void)bytes;
	(void)at;
	head->clients--;
}

static void many_xids(u8 *bytes, struct jrn_head *head, struct jrn_at *at)
{
	(void)head;
	(void)at;
	codec_put32(bytes + JRN_HEAD_SIZE +
		    offsetof(struct ll_echo_jrn_client, ec_xids), 0xffffffff);
}

static void no_name(u8 *bytes, struct jrn_head *head, struct jrn_at *at)
{
	(void)head;
	(void)at;
	bytes[JRN_HEAD_SIZE] = 0;
}

static void endless_name(u8 *bytes, struct jrn_head *head, struct jrn_at *at)
{
	(void)head;
	(void)at;
	memset(bytes + JRN_HEAD_SIZE, 'x', JRN_UUID_SIZE);
}

static void lies_are_found(void **state)
{
	(void)state;
	assert_non_null(lie(more_clients));
	assert_non_null(lie(fewer_clients));
	assert_non_null(lie(many_xids));
	assert_non_null(lie(no_name));
	assert_non_null(lie(endless_name));
}

static void lengths_have_bounds(void **state)
{
	const size_t at = offsetof(struct ll_echo_jrn_head, ej_len);
	struct jrn_head made, head;
	u8 bytes[ROOM];

	(void)state;
	make_record(bytes, &made);
	assert_null(jrn_head_read(bytes, JRN_HEAD_SIZE, &head));
	codec_put32(bytes + at, LL_ECHO_JRN_SLOT + 1);
	assert_non_null(jrn_head_read(bytes, JRN_HEAD_SIZE, &head));
	codec_put32(bytes + at, JRN_HEAD_SIZE - 1);
	assert_non_null(jrn_head_read(bytes, JRN_HEAD_SIZE, &head));
	codec_put32(bytes + at, JRN_HEAD_SIZE);
	assert_non_null(jrn_head_read(bytes, JRN_HEAD_SIZE, &head));
}

static void room_is_kept_to(void **state)
{
	struct jrn_client client = { .uuid = "c", .xid_count = 1 };
	u8 bytes[ROOM];
	struct jrn_at to;

	(void)state;
	jrn_begin(&to, bytes, JRN_HEAD_SIZE + jrn_client_size(1) - 1);
	assert_false(jrn_put_client(&to, &client));
	jrn_begin(&to, bytes, JRN_HEAD_SIZE + jrn_client_size(1));
	assert_true(jrn_put_client(&to, &client));
	assert_true(jrn_put_xid(&to, 1));
	assert_false(jrn_put_xid(&to, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(record_comes_back),
		cmocka_unit_test(longer_file_is_fine),
		cmocka_unit_test(every_flipped_bit_shows),
		cmocka_unit_test(every_cut_shows),
		cmocka_unit_test(lies_are_found),
		cmocka_unit_test(lengths_have_bounds),
		cmocka_unit_test(room_is_kept_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
