// SPDX-License-Identifier: GPL-2.0-only
/* trusted.link: values of real Lustre, many names, values that are full, and damaged ones. */
#include "shim_cmocka.h"

#include <stdio.h>
#include <stdlib.h>

#include "ea_checks.h"

static const struct lu_fid root = { FID_SEQ_ROOT, FID_OID_ROOT, 0 };

static struct linkea_entry entry_of(const char *name)
{
	return (struct linkea_entry){ root, name, strlen(name) };
}

static void a_value_of_real_lustre_is_read_and_written(void **state)
{
	u8 room[MAX_LINKEA_SIZE];

	(void)state;
	assert_null(ea_check_link(room));
}

static void the_other_byte_order_is_read_and_changed(void **state)
{
	u8 swapped[sizeof(ea_link_2_7) + 21];
	struct linkea_entry entry = entry_of("two");
	struct linkea link;
	size_t n;

	(void)state;
	memcpy(swapped, ea_link_2_7, sizeof(ea_link_2_7));
	for (n = 0; n < 4; n++) {
		swapped[n] = ea_link_2_7[3 - n];
		swapped[4 + n] = ea_link_2_7[7 - n];
	}
	for (n = 0; n < 8; n++)
		swapped[8 + n] = ea_link_2_7[15 - n];
	assert_null(linkea_decode(swapped, sizeof(swapped), &link));
	assert_true(link.swapped && link.count == 1 && link.len == sizeof(ea_link_2_7));
	assert_int_equal(linkea_add(swapped, sizeof(swapped), &link, &entry, 1), 0);
	assert_null(linkea_decode(swapped, sizeof(swapped), &link));
	assert_true(!link.swapped && link.count == 2 && linkea_has(&link, &entry));
	assert_int_equal(linkea_del(swapped, &link, &entry), 0);
	assert_memory_equal(swapped, ea_link_2_7, sizeof(ea_link_2_7));
}

/* As many as fit: 4096 = 24 + 101 * 40 + 32. */
static void a_name_that_does_not_fit_leaves_a_time(void **state)
{
	u8 *room = malloc(MAX_LINKEA_SIZE);
	struct linkea_entry entry;
	struct linkea link, read;
	char name[23];
	u32 n;

	(void)state;
	linkea_init(room, &link);
	for (n = 0; n < 101; n++) {
		snprintf(name, sizeof(name), "%022u", n);
		entry = entry_of(name);
		assert_int_equal(linkea_add(room, 2 * MAX_LINKEA_SIZE, &link, &entry, 5), 0);
	}
	entry = entry_of("one more than there is");
	assert_int_equal(linkea_add(room, 2 * MAX_LINKEA_SIZE, &link, &entry, 7), -EOVERFLOW);
	assert_int_equal(linkea_add(room, 2 * MAX_LINKEA_SIZE, &link, &entry, 8), -EOVERFLOW);
	assert_null(linkea_decode(room, link.len, &read));
	assert_int_equal(read.count, 101);
	assert_int_equal(read.overflow_time, 7);
	assert_int_equal(linkea_del(room, &link, &entry), -ENOENT);

	/* Names go, the time stays: those that did not fit are still missing. */
	for (n = 0; n < 101; n += 2) {
		snprintf(name, sizeof(name), "%022u", n);
		entry = entry_of(name);
		assert_int_equal(linkea_del(room, &link, &entry), 0);
	}
	assert_null(linkea_decode(room, link.len, &read));
	assert_int_equal(read.count, 50);
	assert_int_equal(read.overflow_time, 7);
	assert_false(linkea_has(&read, &entry));
	entry = entry_of("0000000000000000000099");
	assert_true(linkea_has(&read, &entry));
	free(room);
}

static void the_same_name_in_another_directory_is_another_entry(void **state)
{
	u8 room[128];
	struct linkea_entry a = entry_of("x"), b = a;
	struct linkea link;

	(void)state;
	b.parent.f_seq++;
	linkea_init(room, &link);
	assert_int_equal(linkea_add(room, sizeof(room), &link, &a, 1), 0);
	assert_false(linkea_has(&link, &b));
	assert_int_equal(linkea_add(room, sizeof(room), &link, &b, 1), 0);
	assert_int_equal(linkea_del(room, &link, &a), 0);
	assert_true(linkea_has(&link, &b) && !linkea_has(&link, &a));
}

static void names_have_1_to_255_bytes(void **state)
{
	char name[LINKEA_NAME_MAX + 2];
	struct linkea_entry entry = entry_of("");
	u8 room[512];
	struct linkea link;

	(void)state;
	memset(name, 'n', sizeof(name));
	linkea_init(room, &link);
	assert_int_equal(linkea_add(room, sizeof(room), &link, &entry, 1), -EINVAL);
	entry.name = name;
	entry.name_len = LINKEA_NAME_MAX + 1;
	assert_int_equal(linkea_add(room, sizeof(room), &link, &entry, 1), -EINVAL);
	entry.name_len = LINKEA_NAME_MAX;
	assert_int_equal(linkea_add(room, sizeof(room), &link, &entry, 1), 0);
	assert_null(linkea_decode(room, link.len, &link));
}

static void damage_is_a_fault(void **state)
{
	static const struct {
		size_t		at;
		u8		byte;
		const char	*fault;
	} wrong[] = {
		{ 0, 0, "unknown magic" },
		{ 4, 0, "invalid number of entries" },
		{ 4, 2, "invalid number of entries" },
		{ 8, 23, "invalid length" },
		{ 8, 51, "invalid length" },
		{ 8, 24, "invalid number of entries" },
		{ 8, 30, "too short for an entry" },
		{ 8, 49, "invalid length of an entry" },
		{ 12, 1, "invalid length" },
		{ 24, 1, "invalid length of an entry" },
		{ 25, 18, "invalid length of an entry" },
		{ 25, 27, "invalid length of an entry" },
		{ 25, 19, "too short for an entry" },
		{ 42, 0, "invalid name" },
		{ 49, '/', "invalid name" },
	};
	struct linkea link;
	size_t n;
	u8 *bytes;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(wrong); n++) {
		bytes = malloc(sizeof(ea_link_2_7));
		memcpy(bytes, ea_link_2_7, sizeof(ea_link_2_7));
		bytes[wrong[n].at] = wrong[n].byte;
		assert_string_equal(linkea_decode(bytes, sizeof(ea_link_2_7), &link),
				    wrong[n].fault);
		free(bytes);
	}
	for (n = 0; n < sizeof(ea_link_2_7); n++) {
		bytes = malloc(n ? n : 1);
		memcpy(bytes, ea_link_2_7, n);
		assert_non_null(linkea_decode(bytes, n, &link));
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_of_real_lustre_is_read_and_written),
		cmocka_unit_test(the_other_byte_order_is_read_and_changed),
		cmocka_unit_test(a_name_that_does_not_fit_leaves_a_time),
		cmocka_unit_test(the_same_name_in_another_directory_is_another_entry),
		cmocka_unit_test(names_have_1_to_255_bytes),
		cmocka_unit_test(damage_is_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
