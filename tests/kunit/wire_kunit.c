// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wire as the module has it: each vector both ways, CRCs by the kernel's
 * CRC32C. Faults, limits, estimates and timeouts need no kernel: see
 * tests/unit/wire_codec_test.c and at_test.c.
 *
 * Every: 2
 */
#include <kunit/test.h>
#include <linux/crc32c.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "wire_checks.h"

static u32 crc_of(const void *bytes, size_t len)
{
	return ~crc32c(~0, bytes, (unsigned int)len);
}

static void name_of(const struct wire_vector *v, char *desc)
{
	strscpy(desc, v->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(vector, wire_vectors, name_of);

/* In memory of exactly its size, so that an access after the end is detected. */
static void a_message_is_its_vector_both_ways(struct kunit *test)
{
	const struct wire_vector *v = test->param_value;
	u8 *room, *exact;
	size_t len;

	room = kunit_kzalloc(test, WIRE_VECTOR_ROOM, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, room);
	len = wire_vector_bytes(v, room);
	KUNIT_ASSERT_GT(test, len, (size_t)0);
	exact = kunit_kzalloc(test, len, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, exact);
	memcpy(exact, room, len);
	KUNIT_EXPECT_STREQ(test, wire_check_view(v, exact, len) ?: "", "");
	KUNIT_EXPECT_STREQ(test, wire_check_cut(room, len) ?: "", "");
	KUNIT_EXPECT_STREQ(test, wire_check_made(v, exact, len, room) ?: "", "");
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
	size_t n, len;
	u8 *room;

	for (n = 0; n < ARRAY_SIZE(frame_vectors); n++) {
		v = &frame_vectors[n];
		why = wire_check_frame(v);
		KUNIT_EXPECT_TRUE_MSG(test, !why, "%s: %s", v->name, why);
		KUNIT_EXPECT_EQ(test, crc_of(v->bytes, WIRE_FRAME_CRC_LEN),
				v->head_crc);
	}
	room = kunit_kzalloc(test, WIRE_VECTOR_ROOM, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, room);
	len = wire_vector_named("OBD_PING request, of an import", room);
	KUNIT_EXPECT_EQ(test, crc_of(room, len), frame_vectors[1].frame.msg_crc);
}

static struct kunit_case wire_cases[] = {
	KUNIT_CASE_PARAM(a_message_is_its_vector_both_ways, vector_gen_params),
	KUNIT_CASE(hellos_are_as_their_vectors),
	KUNIT_CASE(heads_are_as_their_vectors),
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
