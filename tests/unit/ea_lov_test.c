// SPDX-License-Identifier: GPL-2.0-only
/* trusted.lov: layouts of real Lustre, of every magic, and damaged ones. */
#include "shim_cmocka.h"

#include <stdlib.h>

#include "ea_checks.h"

static void a_value_of_real_lustre_is_read_and_written(void **state)
{
	(void)state;
	assert_null(ea_check_lov());
}

/* V3 with an object of MDT0000 and one of a sequence of its own. */
static size_t v3_make(u8 *bytes)
{
	static const struct lov_object objects[] = {
		{ { 0x100030001ULL, 0x4a2, 0 }, 3 },
		{ { 0x280000402ULL, 5, 0 }, 7 },
	};
	struct lov_ea ea = {
		.magic = LOV_MAGIC_V3, .pattern = LOV_PATTERN_RAID0, .oi_id = 9,
		.oi_seq = 0x200000401ULL, .stripe_size = 0x40000, .stripe_count = 2, .gen = 4,
		.pool = "fast", .object_count = 2,
	};

	lov_ea_encode(bytes, &ea, objects);
	return lov_ea_size(&ea);
}

static void a_pool_and_objects_of_both_kinds_are_where_real_lustre_has_them(void **state)
{
	static const u8 second[] = {
		0x02, 4, 0, 0x80, 0x02, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0,
	};
	u8 bytes[96];
	struct lov_object object;
	struct lov_ea ea;

	(void)state;
	assert_int_equal(v3_make(bytes), sizeof(bytes));
	assert_int_equal(codec_get32(bytes, false), 0x0bd30bd0);
	assert_string_equal((char *)bytes + 32, "fast");
	assert_true(codec_get64(bytes + 48, false) == 0x1000004a2ULL);
	assert_true(codec_get64(bytes + 56, false) == 0);
	assert_int_equal(codec_get32(bytes + 68, false), 3);
	assert_memory_equal(bytes + 72, second, sizeof(second));

	assert_null(lov_ea_decode(bytes, sizeof(bytes), &ea));
	assert_string_equal(ea.pool, "fast");
	assert_int_equal(ea.gen, 4);
	object = lov_ea_object(&ea, 0);
	assert_true(object.fid.f_seq == 0x100030001ULL && object.fid.f_oid == 0x4a2);
	object = lov_ea_object(&ea, 1);
	assert_true(object.fid.f_seq == 0x280000402ULL && object.fid.f_oid == 5);
	assert_int_equal(object.ost, 7);
}

static void the_default_of_a_directory_has_no_objects(void **state)
{
	struct lov_ea ea = {
		.magic = LOV_MAGIC_V1, .pattern = LOV_PATTERN_RAID0,
		.stripe_count = 0xffff, .gen = 0xffff,
	}, read;
	u8 bytes[32];

	(void)state;
	assert_int_equal(lov_ea_size(&ea), sizeof(bytes));
	lov_ea_encode(bytes, &ea, NULL);
	assert_null(lov_ea_decode(bytes, sizeof(bytes), &read));
	assert_int_equal(read.stripe_count, 0xffff);
	assert_int_equal(read.gen, 0xffff);
	assert_int_equal(read.object_count, 0);
}

/* A default of a directory, or a request. */
static void osts_to_use_come_back(void **state)
{
	u8 list[48] = {}, bytes[96];
	struct lov_ea ea = {
		.magic = LOV_MAGIC_SPECIFIC, .pattern = LOV_PATTERN_RAID0, .stripe_size = 65536,
		.stripe_count = 2, .gen = 5, .pool = "quick", .osts = list, .ost_count = 2,
	}, read;

	(void)state;
	codec_put32(list + 20, 5);
	codec_put32(list + 44, 3);
	assert_int_equal(lov_ea_size(&ea), sizeof(bytes));
	lov_ea_encode(bytes, &ea, NULL);
	assert_null(lov_ea_decode(bytes, sizeof(bytes), &read));
	assert_int_equal(read.object_count, 0);
	assert_int_equal(read.ost_count, 2);
	assert_int_equal(lov_ea_ost(read.osts, 0), 5);
	assert_int_equal(lov_ea_ost(read.osts, 1), 3);
	assert_string_equal(read.pool, "quick");
	assert_string_equal(lov_ea_decode(bytes, 48, &read), "invalid number of OSTs");
	assert_string_equal(lov_ea_decode(bytes, 72 + 1, &read), "invalid length");
}

/* A byte of a layout that is changed, and the fault that it makes. */
struct damage {
	size_t		at;
	u8		byte;
	const char	*fault;
};

static void damage_of_a_plain_layout_is_a_fault(void **state)
{
	static const struct damage wrong[] = {
		{ 0, 0xd1, "unknown magic" },
		{ 24, 1, "invalid stripe size" },
		{ 26, 0, "invalid stripe size" },
		{ 28, 3, "invalid number of objects" },
		{ 54, 1, "invalid object" },	/* beyond 48 bits */
		{ 70, 1, "invalid object" },	/* an OST beyond 16 bits */
		{ 84, 1, "invalid object" },
	};
	struct lov_ea ea;
	u8 bytes[96], *exact;
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(wrong); n++) {
		v3_make(bytes);
		bytes[wrong[n].at] = wrong[n].byte;
		assert_string_equal(lov_ea_decode(bytes, sizeof(bytes), &ea), wrong[n].fault);
	}
	v3_make(bytes);
	memset(bytes + 48, 0, 16);
	assert_string_equal(lov_ea_decode(bytes, sizeof(bytes), &ea), "invalid object");
	v3_make(bytes);
	for (n = 0; n < sizeof(bytes); n++) {
		exact = malloc(n ? n : 1);
		memcpy(exact, bytes, n);
		/* The header alone is a default. */
		assert_int_equal(!lov_ea_decode(exact, n, &ea), n == 48);
		free(exact);
	}
}

static void a_layout_with_holes_may_lack_objects(void **state)
{
	u8 bytes[96], made[96];
	struct lov_object objects[2];
	struct lov_ea ea;

	(void)state;
	v3_make(bytes);
	memset(bytes + 48, 0, 24);
	assert_string_equal(lov_ea_decode(bytes, sizeof(bytes), &ea), "invalid object");
	codec_put32(bytes + 4, LOV_PATTERN_RAID0 | LOV_PATTERN_F_HOLE);
	assert_null(lov_ea_decode(bytes, sizeof(bytes), &ea));
	objects[0] = lov_ea_object(&ea, 0);
	objects[1] = lov_ea_object(&ea, 1);
	assert_true(fid_is_zero(&objects[0].fid) && !fid_is_zero(&objects[1].fid));
	lov_ea_encode(made, &ea, objects);
	assert_memory_equal(made, bytes, sizeof(made));
	/* A hole is all zeros. */
	bytes[68] = 1;
	assert_string_equal(lov_ea_decode(bytes, sizeof(bytes), &ea), "invalid object");
}

static void a_file_has_at_most_2000_objects(void **state)
{
	size_t n, len = 32 + 2001 * 24;
	struct lov_ea ea = {
		.magic = LOV_MAGIC_V1, .stripe_size = 0x10000, .stripe_count = 2001,
		.object_count = 2001,
	}, read;
	struct lov_object *objects = calloc(2001, sizeof(*objects));
	u8 *bytes = malloc(len);

	(void)state;
	for (n = 0; n < 2001; n++)
		fid_idif_make(n + 1, 0, &objects[n].fid);
	lov_ea_encode(bytes, &ea, objects);
	assert_string_equal(lov_ea_decode(bytes, len, &read), "too many objects");
	ea.stripe_count = 2000;
	ea.object_count = 2000;
	lov_ea_encode(bytes, &ea, objects);
	assert_null(lov_ea_decode(bytes, len - 24, &read));
	assert_int_equal(lov_ea_object(&read, 1999).fid.f_oid, 2000);
	free(bytes);
	free(objects);
}

#define COMP_LEN	(32 + 2 * 48 + sizeof(ea_lov_2_7) + 32)

/* Two components: one with an object, and one without. */
static void comp_make(u8 *bytes)
{
	struct lov_ea later = { .magic = LOV_MAGIC_V1, .pattern = 1, .stripe_count = 4 };
	u8 *first = bytes + 32, *second = first + 48;
	size_t at = 32 + 2 * 48;

	memset(bytes, 0, COMP_LEN);
	codec_put32(bytes, LOV_MAGIC_COMP_V1);
	codec_put32(bytes + 4, COMP_LEN);
	codec_put32(bytes + 8, 3);
	codec_put16(bytes + 14, 2);
	codec_put32(first, 1);
	codec_put32(first + 4, LCME_FL_INIT);
	codec_put64(first + 16, 0x100000);
	codec_put32(first + 24, (u32)at);
	codec_put32(first + 28, sizeof(ea_lov_2_7));
	memcpy(bytes + at, ea_lov_2_7, sizeof(ea_lov_2_7));
	at += sizeof(ea_lov_2_7);
	codec_put32(second, 2);
	codec_put64(second + 8, 0x100000);
	codec_put64(second + 16, ~0ULL);
	codec_put32(second + 24, (u32)at);
	codec_put32(second + 28, 32);
	codec_put32(second + 32, 3);
	lov_ea_encode(bytes + at, &later, NULL);
}

static void each_component_has_its_layout(void **state)
{
	struct lov_comp_entry entry;
	struct lov_comp comp;
	u8 bytes[COMP_LEN];
	struct lov_ea ea;

	(void)state;
	comp_make(bytes);
	assert_null(lov_comp_decode(bytes, sizeof(bytes), &comp));
	assert_int_equal(comp.entry_count, 2);
	assert_int_equal(comp.mirror_count, 1);
	assert_int_equal(comp.gen, 3);
	entry = lov_comp_get(&comp, 0);
	assert_int_equal(entry.flags, LCME_FL_INIT);
	assert_true(entry.start == 0 && entry.end == 0x100000);
	assert_null(lov_ea_decode(entry.layout, entry.layout_len, &ea));
	assert_int_equal(ea.object_count, 1);
	entry = lov_comp_get(&comp, 1);
	assert_true(entry.id == 2 && entry.gen == 3 && entry.end == ~0ULL);
	assert_null(lov_ea_decode(entry.layout, entry.layout_len, &ea));
	assert_true(!ea.object_count && ea.stripe_count == 4);
}

static void a_composite_layout_comes_back(void **state)
{
	u8 bytes[COMP_LEN], back[COMP_LEN];
	struct lov_comp_entry entries[2];
	struct lov_comp comp;

	(void)state;
	comp_make(bytes);
	/* Time, and what is not known: they are kept. */
	memset(bytes + 32 + 36, 0xa5, 12);
	codec_put16(bytes + 12, 1);
	codec_put16(bytes + 16, 2);
	assert_null(lov_comp_decode(bytes, sizeof(bytes), &comp));
	entries[0] = lov_comp_get(&comp, 0);
	entries[1] = lov_comp_get(&comp, 1);
	assert_int_equal(lov_comp_size(entries, 2), COMP_LEN);
	lov_comp_encode(back, &comp, entries);
	assert_memory_equal(back, bytes, COMP_LEN);
}

/* As real Lustre's library asks for them, and real Lustre keeps them in a directory. */
static void components_without_objects_may_have_no_number(void **state)
{
	struct lov_comp comp;
	u8 bytes[COMP_LEN];

	(void)state;
	comp_make(bytes);
	codec_put32(bytes + 32 + 48, 0);
	assert_null(lov_comp_decode(bytes, sizeof(bytes), &comp));
	assert_int_equal(lov_comp_get(&comp, 1).id, 0);
}

static void damage_of_a_composite_layout_is_a_fault(void **state)
{
	static const struct damage wrong[] = {
		{ 0, 0xd1, "unknown magic" },
		{ 4, 0x7f, "invalid length" },
		{ 5, 0xff, "invalid length" },
		{ 14, 0, "no component" },
		{ 15, 0xff, "invalid length" },
		{ 32, 0, "invalid component" },
		{ 50, 0, "invalid extent of a component" },
		{ 56, 0x7f, "invalid place of a component" },
		{ 60, 0xff, "invalid place of a component" },
		{ 60, 57, "invalid length" },
		{ 104, 183, "invalid place of a component" },
		{ 104, 0, "invalid place of a component" },
		{ 128, 0, "unknown magic" },
	};
	struct lov_comp comp;
	u8 bytes[COMP_LEN], *exact;
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(wrong); n++) {
		comp_make(bytes);
		bytes[wrong[n].at] = wrong[n].byte;
		assert_string_equal(lov_comp_decode(bytes, sizeof(bytes), &comp), wrong[n].fault);
	}
	comp_make(bytes);
	for (n = 0; n < sizeof(bytes); n++) {
		exact = malloc(n ? n : 1);
		memcpy(exact, bytes, n);
		assert_non_null(lov_comp_decode(exact, n, &comp));
		free(exact);
	}
}

static void a_layout_for_other_programs_has_a_value(void **state)
{
	u8 bytes[20] = { 0xd0, 0x0b, 0xd7, 0x0b, 4, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0,
			 'a', 'b', 'c', 'd' };
	struct lov_foreign foreign;

	(void)state;
	assert_null(lov_foreign_decode(bytes, sizeof(bytes), &foreign));
	assert_true(foreign.type == 2 && foreign.flags == 1 && foreign.len == 4);
	assert_memory_equal(foreign.value, "abcd", 4);
	assert_string_equal(lov_foreign_decode(bytes, 19, &foreign), "invalid length");
	assert_string_equal(lov_foreign_decode(bytes, 15, &foreign), "too short");
	assert_string_equal(lov_foreign_decode(bytes, 3, &foreign), "unknown magic");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_of_real_lustre_is_read_and_written),
		cmocka_unit_test(a_pool_and_objects_of_both_kinds_are_where_real_lustre_has_them),
		cmocka_unit_test(the_default_of_a_directory_has_no_objects),
		cmocka_unit_test(osts_to_use_come_back),
		cmocka_unit_test(damage_of_a_plain_layout_is_a_fault),
		cmocka_unit_test(a_layout_with_holes_may_lack_objects),
		cmocka_unit_test(a_file_has_at_most_2000_objects),
		cmocka_unit_test(each_component_has_its_layout),
		cmocka_unit_test(a_composite_layout_comes_back),
		cmocka_unit_test(components_without_objects_may_have_no_number),
		cmocka_unit_test(damage_of_a_composite_layout_is_a_fault),
		cmocka_unit_test(a_layout_for_other_programs_has_a_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
