// SPDX-License-Identifier: GPL-2.0-only
/* The wire: each vector both ways, each fault by one change of a good message. */
#include "shim_cmocka.h"

#include <stdio.h>
#include <stdlib.h>

#include "../crc32c.h"
#include "wire_checks.h"
#include "wire_damage.h"

static u32 crc32c_of(const void *bytes, size_t len)
{
	return ~crc32c(~0U, bytes, len);
}

/* A copy of exactly its size, so that a byte too many is seen. */
static u8 *exactly(const u8 *bytes, size_t len)
{
	u8 *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	if (len)
		memcpy(copy, bytes, len);
	return copy;
}

static void judge(const char *name, const char *why)
{
	if (why)
		fail_msg("%s: %s", name, why);
}

/* The bytes of the message of that name, in memory of exactly their size. */
static u8 *message(const char *name, size_t *len)
{
	u8 room[WIRE_VECTOR_ROOM];

	*len = wire_vector_named(name, room);
	if (!*len)
		fail_msg("there is no message %s", name);
	return exactly(room, *len);
}

typedef const char *(vector_check_t)(const struct wire_vector *v, u8 *bytes,
				     size_t len, u8 *room);

/* @check of each vector; @room is as long as its message. */
static void check_vectors(vector_check_t *check)
{
	u8 bytes[WIRE_VECTOR_ROOM], *exact, *room;
	const struct wire_vector *v;
	size_t n, len;

	for (n = 0; n < ARRAY_SIZE(wire_vectors); n++) {
		v = &wire_vectors[n];
		len = wire_vector_bytes(v, bytes);
		if (!len)
			fail_msg("%s: its bytes make no sense", v->name);
		exact = exactly(bytes, len);
		room = exactly(bytes, len);
		judge(v->name, check(v, exact, len, room));
		free(room);
		free(exact);
	}
}

static const char *check_view(const struct wire_vector *v, u8 *bytes, size_t len,
			      u8 *room)
{
	(void)room;
	return wire_check_view(v, bytes, len);
}

static void each_message_is_read_as_its_vector_says(void **state)
{
	(void)state;
	assert_true(ARRAY_SIZE(wire_vectors) > 50);
	check_vectors(check_view);
}

static const char *check_made(const struct wire_vector *v, u8 *bytes, size_t len,
			      u8 *room)
{
	return wire_check_made(v, bytes, len, room);
}

static void each_message_is_made_from_its_fields(void **state)
{
	(void)state;
	check_vectors(check_made);
}

static const char *check_cut(const struct wire_vector *v, u8 *bytes, size_t len,
			     u8 *room)
{
	u8 longer[WIRE_VECTOR_ROOM];

	(void)v;
	(void)room;
	memcpy(longer, bytes, len);
	return wire_check_cut(longer, len);
}

static void a_message_of_another_length_is_refused(void **state)
{
	(void)state;
	check_vectors(check_cut);
}

/* A vector that is written wrongly is not taken for another one. */
static void bytes_are_written_as_digits_text_and_zeros(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		u8 bytes[8];
	} cases[] = {
		{ "00ff 0a", 3, { 0, 0xff, 0x0a } },
		{ "'a 0'.2 01", 6, { 'a', ' ', '0', 0, 0, 1 } },
		{ ".7", 7, { 0 } },
		{ ".8", 0, { 0 } },
		{ "0102030405060708", 0, { 1, 2, 3, 4, 5, 6, 7, 8 } },
		{ "0", 0, { 0 } }, { "0 0", 0, { 0 } }, { "0g", 0, { 0 } },
		{ "FF", 0, { 0 } }, { "", 0, { 0 } },
	};
	u8 room[8];
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		assert_int_equal(wire_vector_parse(cases[n].text, room, sizeof(room)),
				 cases[n].len);
		assert_memory_equal(room, cases[n].bytes, cases[n].len);
	}
}

static void hellos_and_heads_are_as_their_vectors(void **state)
{
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(hello_vectors); n++)
		judge(hello_vectors[n].name, wire_check_hello(&hello_vectors[n]));
	for (n = 0; n < ARRAY_SIZE(frame_vectors); n++) {
		judge(frame_vectors[n].name, wire_check_frame(&frame_vectors[n]));
		assert_int_equal(crc32c_of(frame_vectors[n].bytes,
					   WIRE_FRAME_CRC_LEN),
				 frame_vectors[n].head_crc);
	}
}

static void crcs_of_heads_are_those_of_the_messages(void **state)
{
	u8 bulk[4096], room[WIRE_VECTOR_ROOM];
	size_t n, len;

	(void)state;
	for (n = 0; n < sizeof(bulk); n++)
		bulk[n] = (u8)n;
	assert_int_equal(crc32c_of("123456789", 9), 0xe3069283);
	/* No feature is agreed on before a HELLO. */
	assert_int_equal(frame_vectors[0].frame.msg_crc, 0);
	len = wire_vector_named("OBD_PING request, of an import", room);
	assert_int_equal(crc32c_of(room, len), frame_vectors[1].frame.msg_crc);
	len = wire_vector_named("OST_WRITE request", room);
	assert_int_equal(crc32c_of(room, len), frame_vectors[2].frame.msg_crc);
	assert_int_equal(crc32c_of(bulk, sizeof(bulk)),
			 frame_vectors[2].frame.bulk_crc);
}

/* Whether each fault of the codec was reached by some damage. */
static bool reached[WIRE_FAULT_COUNT];

static void reach(const struct wire_damage *damage, enum wire_fault seen)
{
	if (seen != damage->fault)
		fail_msg("%s: %s, not %s", damage->what, wire_fault_name(seen),
			 wire_fault_name(damage->fault));
	reached[seen] = true;
}

static void damage_frame(const u8 *good, const struct wire_damage *damages,
			 size_t count)
{
	struct lnet_frame head;
	struct wire_frame frame;
	size_t n;
	u32 crc;

	for (n = 0; n < count; n++) {
		wire_damage_apply(&damages[n], good, sizeof(head), (u8 *)&head,
				  sizeof(head));
		crc = crc32c_of(&head, WIRE_FRAME_CRC_LEN);
		wire_frame_seal(&head, crc);
		reach(&damages[n], wire_frame_decode(&head, crc, &frame));
	}
}

static void a_damaged_head_is_refused(void **state)
{
	(void)state;
	damage_frame(frame_write, frame_damages, ARRAY_SIZE(frame_damages));
	damage_frame(frame_hello, hello_frame_damages,
		     ARRAY_SIZE(hello_frame_damages));
}

static void each_flipped_bit_of_a_head_is_seen(void **state)
{
	struct lnet_frame head;
	struct wire_frame frame;
	enum wire_fault fault;
	size_t bit;

	(void)state;
	for (bit = 0; bit < sizeof(head) * 8; bit++) {
		memcpy(&head, frame_write, sizeof(head));
		((u8 *)&head)[bit / 8] ^= (u8)(1 << bit % 8);
		fault = wire_frame_decode(&head,
					  crc32c_of(&head,
						    WIRE_FRAME_CRC_LEN), &frame);
		assert_int_equal(fault, bit < 32 ? WIRE_BAD_MAGIC :
				 bit < 40 ? WIRE_BAD_VERSION : WIRE_BAD_HEAD_CRC);
		reached[fault] = true;
	}
}

static void a_damaged_hello_is_refused(void **state)
{
	const struct wire_damage *damage;
	struct wire_hello hello;
	u8 room[128], *exact;
	size_t n, len;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(hello_damages); n++) {
		damage = &hello_damages[n];
		len = wire_damage_apply(damage, hello_request,
					sizeof(hello_request), room, sizeof(room));
		exact = exactly(room, len);
		reach(damage, wire_hello_decode(exact, len, &hello));
		/* A refusal names the node. */
		if (len >= sizeof(hello_request))
			assert_int_equal(hello.incarnation,
					 hello_vectors[0].hello.incarnation);
		free(exact);
	}
}

static void a_damaged_message_is_refused(void **state)
{
	u8 room[WIRE_VECTOR_ROOM], *exact, *good;
	const struct wire_damage *damage;
	struct wire_msg msg;
	size_t n, len, good_len;

	(void)state;
	good = message("OST_GET_INFO request", &good_len);
	for (n = 0; n < ARRAY_SIZE(msg_damages); n++) {
		damage = &msg_damages[n];
		len = wire_damage_apply(damage, good, good_len, room, sizeof(room));
		exact = exactly(room, len);
		reach(damage, wire_msg_view(exact, len, &msg));
		free(exact);
	}
	free(good);
}

static void every_fault_of_the_codec_was_reached(void **state)
{
	int n;

	(void)state;
	for (n = 0; n < WIRE_FAULT_COUNT; n++) {
		/* Faults that only a connection can detect. */
		if (n == WIRE_BAD_SEQ || n == WIRE_BAD_MSG_CRC ||
		    n == WIRE_BAD_BULK_CRC)
			continue;
		if (!reached[n])
			fail_msg("%s was not reached", wire_fault_name(n));
	}
}

static void a_status_is_zero_or_an_errno(void **state)
{
	static const struct {
		s32 status;
		enum wire_fault fault;
	} cases[] = {
		{ 0, WIRE_OK }, { -1, WIRE_OK }, { -4095, WIRE_OK },
		{ -4096, WIRE_BAD_STATUS }, { 1, WIRE_BAD_STATUS },
		{ INT32_MIN, WIRE_BAD_STATUS }, { INT32_MAX, WIRE_BAD_STATUS },
	};
	struct wire_msg msg;
	size_t n, len;
	u8 *room;

	(void)state;
	room = message("an error reply", &len);
	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		codec_put32(room + 48, (u32)cases[n].status);
		assert_int_equal(wire_msg_view(room, len, &msg), cases[n].fault);
		assert_int_equal(msg.status, cases[n].status);
	}
	free(room);
}

static void buffers_have_limits(void **state)
{
	u32 lens[WIRE_MSG_BUFS_MAX + 1] = { 0 };

	(void)state;
	assert_int_equal(wire_msg_size(lens, 0), WIRE_MSG_SIZE);
	assert_int_equal(wire_msg_size(lens, WIRE_MSG_BUFS_MAX), WIRE_MSG_SIZE);
	assert_int_equal(wire_msg_size(lens, WIRE_MSG_BUFS_MAX + 1), 0);
	lens[0] = 1;
	assert_int_equal(wire_msg_size(lens, 1), WIRE_MSG_SIZE + 8);
	lens[0] = WIRE_MSG_MAX - WIRE_MSG_SIZE;
	assert_int_equal(wire_msg_size(lens, 1), WIRE_MSG_MAX);
	lens[0]++;
	assert_int_equal(wire_msg_size(lens, 1), 0);
	lens[0] = 0xffffffff;
	assert_int_equal(wire_msg_size(lens, 1), 0);
	lens[0] = 0x80000000;
	lens[1] = 0x80000000;
	assert_int_equal(wire_msg_size(lens, 2), 0);
	lens[0] = 40000;
	lens[1] = 40000;
	assert_int_equal(wire_msg_size(lens, 2), 0);
}

static void a_buffer_is_given_only_when_it_is_long_enough(void **state)
{
	struct wire_msg msg;
	size_t len;
	u8 *good;

	(void)state;
	good = message("OST_GET_INFO request", &len);
	assert_int_equal(wire_msg_view(good, len, &msg), WIRE_OK);
	assert_ptr_equal(wire_buf(&msg, 0, 11), good + 144);
	assert_null(wire_buf(&msg, 0, 12));
	assert_ptr_equal(wire_buf(&msg, 1, 8), good + 160);
	assert_null(wire_buf(&msg, 1, 9));
	assert_null(wire_buf(&msg, 2, 0));
	assert_null(wire_buf(&msg, 0xffffffff, 0));
	free(good);
}

static void a_text_ends_where_its_buffer_does(void **state)
{
	struct wire_msg msg;
	size_t len;
	u8 *room;

	(void)state;
	room = message("OST_GET_INFO request", &len);
	assert_int_equal(wire_msg_view(room, len, &msg), WIRE_OK);
	assert_string_equal(wire_text(&msg, 0), "max_easize");
	assert_null(wire_text(&msg, 2));
	room[144 + 10] = 'x';
	assert_null(wire_text(&msg, 0));
	room[144 + 10] = '\0';
	room[144 + 3] = '\0';
	assert_null(wire_text(&msg, 0));
	/* A buffer of 4096 bytes without a text. */
	assert_null(wire_text(&msg, 1));
	msg.buflens[0] = 0;
	assert_null(wire_text(&msg, 0));
	free(room);
}

static void a_jobid_of_all_its_bytes_has_an_end(void **state)
{
	struct wire_msg msg;
	size_t len;
	u8 *bytes;

	(void)state;
	memset(&msg, 0x5a, sizeof(msg));
	bytes = message("OST_WRITE request, replayed", &len);
	assert_int_equal(wire_msg_view(bytes, len, &msg), WIRE_OK);
	assert_int_equal(strlen(msg.jobid), WIRE_MSG_JOBID_LEN);
	free(bytes);
}

static void connect_data_survives_both_ways(void **state)
{
	u8 again[WIRE_OCD_SIZE], longer[WIRE_OCD_SIZE + 64], *exact;
	struct obd_connect_data ocd, same;
	u8 *msg, *bytes;
	size_t len;

	(void)state;
	msg = message("OST_CONNECT request", &len);
	bytes = msg + len - WIRE_OCD_SIZE;
	exact = exactly(bytes, WIRE_OCD_SIZE);
	assert_true(wire_ocd_decode(exact, WIRE_OCD_SIZE, &ocd));
	free(exact);
	assert_int_equal(ocd.ocd_connect_flags, 0x8000010029040068ULL);
	assert_int_equal(ocd.ocd_grant_tax_kb, 64);
	assert_int_equal(ocd.ocd_conn_policy, 1);
	memset(again, 0x5a, sizeof(again));
	wire_ocd_encode(again, &ocd);
	assert_memory_equal(again, bytes, WIRE_OCD_SIZE);
	/* A newer node sends more members: the known ones are read. */
	memset(longer, 0xff, sizeof(longer));
	memcpy(longer, bytes, WIRE_OCD_SIZE);
	assert_true(wire_ocd_decode(longer, sizeof(longer), &same));
	assert_memory_equal(&same, &ocd, sizeof(ocd));
	/* Padding that a newer node uses is not taken for anything. */
	memset(longer + 96, 0xff, 96);
	assert_true(wire_ocd_decode(longer, WIRE_OCD_SIZE, &same));
	assert_memory_equal(&same, &ocd, sizeof(ocd));
	memset(&same, 0x5a, sizeof(same));
	assert_false(wire_ocd_decode(bytes, WIRE_OCD_SIZE - 1, &same));
	assert_int_equal(same.ocd_connect_flags, 0);
	free(msg);
}

static void a_policy_is_that_of_its_type(void **state)
{
	static const struct {
		u32			type;
		struct ldlm_policy	policy;
		bool			valid;
	} cases[] = {
		{ LDLM_PLAIN, { { { 0 } } }, true },
		{ LDLM_PLAIN, { { { 1 } } }, false },
		{ LDLM_PLAIN, { { { 0, 0, 0, 1 } } }, false },
		{ LDLM_EXTENT, { { { 0 } } }, true },
		{ LDLM_EXTENT, { { { 5, 5 } } }, true },
		{ LDLM_EXTENT, { { { 0, LDLM_EXTENT_EOF } } }, true },
		{ LDLM_EXTENT, { { { LDLM_EXTENT_EOF, LDLM_EXTENT_EOF } } }, true },
		{ LDLM_EXTENT, { { { 6, 5 } } }, false },
		{ LDLM_EXTENT, { { { 5, 6, 1 } } }, false },
		{ LDLM_EXTENT, { { { 5, 6, 0, 1 } } }, false },
		{ LDLM_IBITS, { { { 0 } } }, false },
		{ LDLM_IBITS, { { { MDS_INODELOCK_ALL } } }, true },
		{ LDLM_IBITS, { { { 0, MDS_INODELOCK_ALL } } }, true },
		{ LDLM_IBITS, { { { MDS_INODELOCK_ALL + 1 } } }, false },
		{ LDLM_IBITS, { { { 1, 0x80 } } }, false },
		{ LDLM_IBITS, { { { 1, 2, 1 } } }, false },
		{ LDLM_IBITS, { { { 1, 2, 0, 1 } } }, false },
		{ LDLM_FLOCK, { { { 0 } } }, false },
		{ 0, { { { 0 } } }, false },
		{ ~0U, { { { 0 } } }, false },
	};
	struct ldlm_policy again;
	struct lustre_lock lock;
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		assert_int_equal(wire_policy_is_valid(cases[n].type, &cases[n].policy),
				 cases[n].valid);
		wire_policy_encode(&lock, &cases[n].policy);
		wire_policy_decode(&lock, &again);
		assert_memory_equal(&again, &cases[n].policy, sizeof(again));
	}
	again = (struct ldlm_policy) { .extent = { 0x0102030405060708ULL, 2, 0 } };
	wire_policy_encode(&lock, &again);
	assert_memory_equal(lock.wl_policy,
			    "\x08\x07\x06\x05\x04\x03\x02\x01\x02\0\0\0\0\0\0\0", 16);
}

/* Whether a lock of @has serves a request of @wanted. */
/* POSIX, of a process. */
#define FLOCK_WHO	(7 | 1ULL << 32)

static void a_lock_of_a_user_has_an_owner(void **state)
{
	static const struct {
		struct ldlm_flock	flock;
		bool			is_valid;
	} cases[] = {
		{ { 0, 9, 1, FLOCK_WHO }, true },
		{ { 9, 9, 1, FLOCK_WHO }, true },
		{ { 0, LDLM_EXTENT_EOF, ~0ULL, 1ULL << 32 }, true },
		{ { 10, 9, 1, FLOCK_WHO }, false },
		{ { 0, 9, 0, FLOCK_WHO }, false },
		{ { 0, 9, 1, 7 }, false },
		{ { 0, 9, 1, 3ULL << 32 }, false },
		{ { 0, LDLM_EXTENT_EOF, 1, 2ULL << 32 }, true },
		{ { 0, 9, 1, 2ULL << 32 }, false },
		{ { 1, LDLM_EXTENT_EOF, 1, 2ULL << 32 }, false },
		{ { 0, LDLM_EXTENT_EOF, 0, 2ULL << 32 }, false },
	};
	const struct ldlm_flock flock = { .who = wire_flock_who(~0U, LDLM_FLOCK_WHOLE) };
	struct ldlm_policy policy;
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		policy.flock = cases[n].flock;
		assert_int_equal(wire_flock_is_valid(&policy), cases[n].is_valid);
		assert_false(wire_policy_is_valid(LDLM_FLOCK, &policy));
	}
	assert_int_equal(wire_flock_pid(&flock), ~0U);
	assert_int_equal(wire_flock_kind(&flock), LDLM_FLOCK_WHOLE);
}

static void a_policy_covers_and_grants(void **state)
{
	static const struct {
		u32			type;
		struct ldlm_policy	has;
		struct ldlm_policy	wanted;
		bool			covers;
		bool			grants;
	} cases[] = {
		{ LDLM_PLAIN, { { { 0 } } }, { { { 0 } } }, true, true },
		{ LDLM_EXTENT, { { { 10, 20 } } }, { { { 10, 20 } } }, true, true },
		{ LDLM_EXTENT, { { { 10, 20 } } }, { { { 11, 19 } } }, true, true },
		{ LDLM_EXTENT, { { { 10, 20 } } }, { { { 9, 19 } } }, false, false },
		{ LDLM_EXTENT, { { { 10, 20 } } }, { { { 11, 21 } } }, false, false },
		{ LDLM_EXTENT, { { { 10, 20, 1 } } }, { { { 11, 19 } } }, true, false },
		{ LDLM_IBITS, { { { 3 } } }, { { { 1 } } }, true, false },
		{ LDLM_IBITS, { { { 3 } } }, { { { 1, 2 } } }, true, true },
		{ LDLM_IBITS, { { { 1 } } }, { { { 1, 2 } } }, true, true },
		{ LDLM_IBITS, { { { 1 } } }, { { { 3 } } }, false, false },
		{ LDLM_IBITS, { { { 1, 2 } } }, { { { 1, 2 } } }, true, false },
		{ LDLM_IBITS, { { { 2 } } }, { { { 0, 2 } } }, true, true },
		{ LDLM_IBITS, { { { 1 } } }, { { { 0, 2 } } }, false, false },
		{ LDLM_FLOCK, { { { 0, 9, 1, FLOCK_WHO } } }, { { { 2, 3, 1, FLOCK_WHO } } },
		  true, true },
		{ LDLM_FLOCK, { { { 0, 9, 1, FLOCK_WHO } } }, { { { 2, 10, 1, FLOCK_WHO } } },
		  false, false },
		{ LDLM_FLOCK, { { { 0, 9, 2, FLOCK_WHO } } }, { { { 0, 9, 1, FLOCK_WHO } } },
		  false, false },
		{ LDLM_FLOCK, { { { 0, 9, 1, 2ULL << 32 } } }, { { { 0, 9, 1, FLOCK_WHO } } },
		  false, false },
		{ LDLM_FLOCK, { { { 0 } } }, { { { 0 } } }, true, false },
	};
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		assert_int_equal(wire_policy_covers(cases[n].type, &cases[n].has,
						    &cases[n].wanted),
				 cases[n].covers);
		assert_int_equal(wire_policy_grants(cases[n].type, &cases[n].has,
						    &cases[n].wanted),
				 cases[n].grants);
	}
}

static void names_are_those_of_counters(void **state)
{
	(void)state;
	assert_string_equal(wire_fault_name(WIRE_OK), "none");
	assert_string_equal(wire_fault_name(WIRE_BAD_STATUS), "bad_status");
	assert_string_equal(wire_fault_name(WIRE_FAULT_COUNT), "unknown");
	assert_string_equal(wire_opcode_name(OST_READ), "ost_read");
	assert_string_equal(wire_opcode_name(OBD_PING), "obd_ping");
	assert_string_equal(wire_opcode_name(LDLM_CP_CALLBACK),
			    "ldlm_cp_callback");
	assert_null(wire_opcode_name(0xffffffff));
	assert_null(wire_opcode_name(OST_REPLY));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_message_is_read_as_its_vector_says),
		cmocka_unit_test(each_message_is_made_from_its_fields),
		cmocka_unit_test(a_message_of_another_length_is_refused),
		cmocka_unit_test(bytes_are_written_as_digits_text_and_zeros),
		cmocka_unit_test(hellos_and_heads_are_as_their_vectors),
		cmocka_unit_test(crcs_of_heads_are_those_of_the_messages),
		cmocka_unit_test(a_damaged_head_is_refused),
		cmocka_unit_test(each_flipped_bit_of_a_head_is_seen),
		cmocka_unit_test(a_damaged_hello_is_refused),
		cmocka_unit_test(a_damaged_message_is_refused),
		cmocka_unit_test(every_fault_of_the_codec_was_reached),
		cmocka_unit_test(a_status_is_zero_or_an_errno),
		cmocka_unit_test(buffers_have_limits),
		cmocka_unit_test(a_buffer_is_given_only_when_it_is_long_enough),
		cmocka_unit_test(a_text_ends_where_its_buffer_does),
		cmocka_unit_test(a_jobid_of_all_its_bytes_has_an_end),
		cmocka_unit_test(connect_data_survives_both_ways),
		cmocka_unit_test(a_policy_is_that_of_its_type),
		cmocka_unit_test(a_lock_of_a_user_has_an_owner),
		cmocka_unit_test(a_policy_covers_and_grants),
		cmocka_unit_test(names_are_those_of_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
