// SPDX-License-Identifier: GPL-2.0
/*
 * The wire as the module has it: each vector both ways, each fault by one change of
 * a good message, CRCs by the kernel's CRC32C; estimates and timeouts.
 */
#include <kunit/test.h>
#include <linux/crc32c.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <lustre_lite/at.h>

#include "wire_checks.h"
#include "wire_damage.h"

static u32 crc_of(const void *bytes, size_t len)
{
	return ~crc32c(~0, bytes, (unsigned int)len);
}

typedef const char *(vector_check_t)(const struct wire_vector *v, u8 *room);

/* @check of each vector, with room for what it makes. */
static void check_vectors(struct kunit *test, vector_check_t *check)
{
	const struct wire_vector *v;
	const char *why;
	size_t g, n;
	u8 *room;

	room = kunit_kzalloc(test, WIRE_CHECK_ROOM, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, room);
	for (g = 0; g < ARRAY_SIZE(wire_vector_groups); g++) {
		for (n = 0; n < wire_vector_groups[g].count; n++) {
			v = &wire_vector_groups[g].vectors[n];
			why = check(v, room);
			KUNIT_EXPECT_TRUE_MSG(test, !why, "%s: %s", v->name, why);
		}
	}
}

/* In memory of exactly its size, so that a byte too many is seen. */
static const char *check_view(const struct wire_vector *v, u8 *room)
{
	struct wire_vector exact = *v;
	const char *why;
	u8 *copy;

	copy = kmemdup(v->bytes, v->len, GFP_KERNEL);
	if (!copy)
		return "no memory";
	exact.bytes = copy;
	why = wire_check_view(&exact);
	kfree(copy);
	return why;
}

static void each_message_is_read_as_its_vector_says(struct kunit *test)
{
	check_vectors(test, check_view);
}

static void each_message_is_made_from_its_fields(struct kunit *test)
{
	check_vectors(test, wire_check_made);
}

static void a_message_of_another_length_is_refused(struct kunit *test)
{
	check_vectors(test, wire_check_cut);
}

static void hellos_are_as_their_vectors(struct kunit *test)
{
	const char *why;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(hello_vectors); n++) {
		why = wire_check_hello(&hello_vectors[n]);
		KUNIT_EXPECT_TRUE_MSG(test, !why, "%s: %s",
				      hello_vectors[n].name, why);
	}
}

static void heads_are_as_their_vectors(struct kunit *test)
{
	const struct wire_vector_frame *v;
	const char *why;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(frame_vectors); n++) {
		v = &frame_vectors[n];
		why = wire_check_frame(v);
		KUNIT_EXPECT_TRUE_MSG(test, !why, "%s: %s", v->name, why);
		KUNIT_EXPECT_EQ(test, crc_of(v->bytes, WIRE_FRAME_CRC_LEN),
				v->head_crc);
	}
	/* Nothing was agreed on before a HELLO. */
	KUNIT_EXPECT_EQ(test, frame_vectors[0].frame.msg_crc, 0U);
	KUNIT_EXPECT_EQ(test, crc_of(obd_ping_request_of_an_import,
				     sizeof(obd_ping_request_of_an_import)),
			frame_vectors[1].frame.msg_crc);
}

static void damage_heads(struct kunit *test, const u8 *good,
			 const struct wire_damage *damages, size_t count)
{
	struct ll_wire_frame head;
	struct wire_frame frame;
	size_t n;
	u32 crc;

	for (n = 0; n < count; n++) {
		wire_damage_apply(&damages[n], good, sizeof(head), (u8 *)&head,
				  sizeof(head));
		crc = crc_of(&head, WIRE_FRAME_CRC_LEN);
		wire_frame_seal(&head, crc);
		KUNIT_EXPECT_EQ_MSG(test, wire_frame_decode(&head, crc, &frame),
				    damages[n].fault, "%s", damages[n].what);
		KUNIT_EXPECT_NE(test, wire_frame_decode(&head, crc ^ 1, &frame),
				WIRE_OK);
	}
}

static void a_damaged_head_is_refused(struct kunit *test)
{
	damage_heads(test, frame_write, frame_damages,
		     ARRAY_SIZE(frame_damages));
	damage_heads(test, frame_hello, hello_frame_damages,
		     ARRAY_SIZE(hello_frame_damages));
}

/* Each of @damages of @good, in memory of exactly its size. */
static void damage_each(struct kunit *test, const u8 *good, size_t good_len,
			const struct wire_damage *damages, size_t count,
			enum wire_fault (*decode)(const void *from, size_t len))
{
	size_t n, len;
	u8 *room, *exact;

	room = kunit_kzalloc(test, WIRE_CHECK_ROOM, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, room);
	for (n = 0; n < count; n++) {
		len = wire_damage_apply(&damages[n], good, good_len, room,
					WIRE_CHECK_ROOM);
		exact = kmemdup(room, len, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, exact);
		KUNIT_EXPECT_EQ_MSG(test, decode(exact, len), damages[n].fault,
				    "%s", damages[n].what);
		kfree(exact);
	}
}

static enum wire_fault decode_hello(const void *from, size_t len)
{
	struct wire_hello hello;

	return wire_hello_decode(from, len, &hello);
}

static void a_damaged_hello_is_refused(struct kunit *test)
{
	damage_each(test, hello_request, sizeof(hello_request), hello_damages,
		    ARRAY_SIZE(hello_damages), decode_hello);
}

static enum wire_fault decode_msg(const void *from, size_t len)
{
	struct wire_msg msg;

	return wire_msg_view(from, len, &msg);
}

static void a_damaged_message_is_refused(struct kunit *test)
{
	damage_each(test, ost_get_info_request, sizeof(ost_get_info_request),
		    msg_damages, ARRAY_SIZE(msg_damages), decode_msg);
}

static void connect_data_survives_both_ways(struct kunit *test)
{
	const u8 *bytes = ost_connect_request + sizeof(ost_connect_request) -
			  LL_WIRE_OCD_SIZE;
	struct obd_connect_data ocd;
	u8 *again;

	again = kunit_kzalloc(test, LL_WIRE_OCD_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, again);
	KUNIT_ASSERT_TRUE(test, wire_ocd_decode(bytes, LL_WIRE_OCD_SIZE, &ocd));
	KUNIT_EXPECT_EQ(test, ocd.ocd_maxbytes, 0x7ffffffffffff000ULL);
	wire_ocd_encode(again, &ocd);
	KUNIT_EXPECT_EQ(test, memcmp(again, bytes, LL_WIRE_OCD_SIZE), 0);
	KUNIT_EXPECT_FALSE(test, wire_ocd_decode(bytes, LL_WIRE_OCD_SIZE - 1,
						 &ocd));
}

static void a_worst_time_is_forgotten_with_its_bin(struct kunit *test)
{
	static const struct at_settings set = { .max = 600, .history = 600 };
	struct adaptive_timeout at;
	u64 now;

	at_init(&at, 0, 1000);
	at_measured(&at, &set, 50, 1000);
	for (now = 1001; now < 1600; now++)
		at_measured(&at, &set, 2, now);
	KUNIT_EXPECT_EQ(test, at_get(&at, &set), 50U);
	at_measured(&at, &set, 2, 1600);
	KUNIT_EXPECT_EQ(test, at_get(&at, &set), 2U);
}

static void estimate_and_timeout_are_inverse(struct kunit *test)
{
	u32 n, wrong = 0;

	for (n = 1; n <= 100000; n++)
		wrong += at_timeout2est(at_est2timeout(n)) != n;
	KUNIT_EXPECT_EQ(test, wrong, 0U);
	KUNIT_EXPECT_EQ(test, at_est2timeout(U32_MAX), U32_MAX);
}

static struct kunit_case wire_cases[] = {
	KUNIT_CASE(each_message_is_read_as_its_vector_says),
	KUNIT_CASE(each_message_is_made_from_its_fields),
	KUNIT_CASE(a_message_of_another_length_is_refused),
	KUNIT_CASE(hellos_are_as_their_vectors),
	KUNIT_CASE(heads_are_as_their_vectors),
	KUNIT_CASE(a_damaged_head_is_refused),
	KUNIT_CASE(a_damaged_hello_is_refused),
	KUNIT_CASE(a_damaged_message_is_refused),
	KUNIT_CASE(connect_data_survives_both_ways),
	KUNIT_CASE(a_worst_time_is_forgotten_with_its_bin),
	KUNIT_CASE(estimate_and_timeout_are_inverse),
	{}
};

static struct kunit_suite wire_suite = {
	.name = "wire",
	.test_cases = wire_cases,
};
kunit_test_suite(wire_suite);

MODULE_DESCRIPTION("The format of the wire");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
