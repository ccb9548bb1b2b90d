// SPDX-License-Identifier: GPL-2.0-only
/* RAID 0: against a file whose bytes are given to its objects one by one; the largest positions. */
#include "shim_cmocka.h"

#include "lov_stripe.h"

#define COUNT_MAX	5
#define SIZE_MAX_TRIED	4
#define BYTES		64

/* Each size and count of stripes, byte by byte. */
static void objects_have_the_bytes_of_the_file(void **state)
{
	struct lov_stripes st;
	u64 sizes[COUNT_MAX], end;
	u32 n, owner;

	(void)state;
	for (st.count = 1; st.count <= COUNT_MAX; st.count++) {
		for (st.size = 1; st.size <= SIZE_MAX_TRIED; st.size++) {
			memset(sizes, 0, sizeof(sizes));
			for (end = 0; end < BYTES; end++) {
				for (n = 0; n < st.count; n++)
					assert_int_equal(lov_object_end(&st, n, end), sizes[n]);
				owner = (u32)(end / st.size % st.count);
				assert_int_equal(lov_file_pos(&st, owner, sizes[owner]), end);
				sizes[owner]++;
				/* That byte alone makes the file so large. */
				assert_int_equal(lov_file_end(&st, owner, sizes[owner]), end + 1);
			}
		}
	}
}

static void a_file_is_as_large_as_its_objects_make_it(void **state)
{
	struct lov_stripes st;
	u64 end, size;
	u32 n;

	(void)state;
	for (st.count = 1; st.count <= COUNT_MAX; st.count++) {
		for (st.size = 1; st.size <= SIZE_MAX_TRIED; st.size++) {
			for (end = 0; end < BYTES; end++) {
				size = 0;
				for (n = 0; n < st.count; n++) {
					u64 one = lov_file_end(&st, n, lov_object_end(&st, n, end));

					size = one > size ? one : size;
				}
				assert_int_equal(size, end);
			}
		}
	}
}

static void the_largest_positions_do_not_overflow(void **state)
{
	static const struct lov_stripes shapes[] = {
		{ 65536, 1 }, { 65536, 2000 }, { 0xffff0000, 2000 }, { 0xffff0000, 1 }, { 1, 65535 },
	};
	const struct lov_stripes *st;
	u64 size, back;
	size_t i;
	u32 n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		st = &shapes[i];
		for (n = 0; n < st->count; n += st->count > 1 ? st->count - 1 : 1) {
			size = lov_object_end(st, n, LOV_POS_MAX);
			back = lov_file_end(st, n, size);
			assert_true(back <= LOV_POS_MAX);
			assert_true(back + (u64)st->size * st->count > LOV_POS_MAX);
			assert_int_equal(lov_file_end(st, n, 0), 0);
			assert_true(lov_file_pos(st, n, LOV_POS_MAX) <= LOV_POS_MAX);
			assert_true(lov_file_end(st, n, 0xffffffffffffffff) <= LOV_POS_MAX);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_have_the_bytes_of_the_file),
		cmocka_unit_test(a_file_is_as_large_as_its_objects_make_it),
		cmocka_unit_test(the_largest_positions_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
