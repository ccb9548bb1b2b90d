// SPDX-License-Identifier: GPL-2.0-only
/*
 * FIDs: kinds, text, the inode numbers that clients of real Lustre showed for them, and objects of
 * OSTs.
 */
#include "shim_cmocka.h"

#include <lustre_lite/lustre_fid.h>

static const struct lu_fid root = { FID_SEQ_ROOT, FID_OID_ROOT, 0 };
static const struct lu_fid normal = { 0x200000400ULL, 1, 0 };
static const struct lu_fid igif = { 0x1f5, 0x3b9aca01, 0 };
static const struct lu_fid idif = { 0x100010000ULL, 0x4a2, 0 };

static void a_fid_has_one_kind(void **state)
{
	(void)state;
	assert_true(fid_is_norm(&normal) && !fid_is_igif(&normal) && !fid_is_idif(&normal));
	assert_true(!fid_is_norm(&igif) && fid_is_igif(&igif) && !fid_is_idif(&igif));
	assert_true(!fid_is_norm(&idif) && !fid_is_igif(&idif) && fid_is_idif(&idif));
	assert_true(!fid_is_norm(&root) && !fid_is_igif(&root) && !fid_is_idif(&root));
	assert_true(lu_fid_eq(&root, &root) && !lu_fid_eq(&root, &normal));
}

static void what_an_object_can_have_is_sane(void **state)
{
	static const struct {
		struct lu_fid	fid;
		bool		sane;
	} cases[] = {
		{ { 0, 0, 0 }, false },
		{ { 0, 5, 0 }, false },
		{ { 1, 2, 0 }, true },
		{ { 12, 1, 0 }, true },
		{ { 12, 1, 7 }, true },
		{ { 0x1ffffffffULL, 1, 0 }, true },
		{ { 0x200000000ULL, 1, 0 }, true },
		{ { 0x200000400ULL, 1, 1 }, false },
	};
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(cases); n++)
		assert_int_equal(fid_is_sane(&cases[n].fid), cases[n].sane);
	assert_true(fid_is_zero(&cases[0].fid) && !fid_is_zero(&cases[1].fid));
}

/* Of tests/golden/lustre-2.7/list and tests/golden/lustre-2.9/list. */
static void inode_numbers_are_what_clients_of_real_lustre_show(void **state)
{
	static const struct lu_fid rc_local = { 0x200000400ULL, 0x1b, 0 };
	static const struct lu_fid rc5 = { 0x200000401ULL, 1, 0 };
	static const struct lu_fid high = { 0x123456789abcdef0ULL, 7, 0 };

	(void)state;
	assert_true(fid_flatten(&normal) == 144115205255725057ULL);
	assert_true(fid_flatten(&rc_local) == 144115205255725083ULL);
	assert_true(fid_flatten(&rc5) == 144115205272502273ULL);
	assert_true(fid_flatten(&root) == 144115188193296385ULL);
	assert_true(fid_flatten(&igif) == 0x1f5);
	assert_true(fid_flatten(&high) == 0x789abcdef0000000ULL + 0x1234560000ULL + 7);
}

static void an_object_of_an_ost_has_an_idif(void **state)
{
	struct lu_fid fid;

	(void)state;
	assert_int_equal(fid_idif_make(1186, 1, &fid), 0);
	assert_true(lu_fid_eq(&fid, &idif));
	assert_int_equal(fid_idif_make(0xffffffffffffULL, 0xffff, &fid), 0);
	assert_true(fid.f_seq == FID_SEQ_IDIF_MAX && fid.f_oid == 0xffffffffU);
	assert_true(fid_idif_object(&fid) == 0xffffffffffffULL);
	assert_int_equal(fid_idif_ost(&fid), 0xffff);
	assert_int_equal(fid_idif_make(1ULL << 48, 0, &fid), -EBADF);
	assert_int_equal(fid_idif_make(1, 0x10000, &fid), -EBADF);
}

static void bytes_are_little_endian(void **state)
{
	/* trusted.lma of ROOT/init.d, from byte 8 on. */
	static const u8 bytes[] = { 0, 4, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0 };
	u8 made[FID_SIZE];
	struct lu_fid fid = fid_le_get(bytes);

	(void)state;
	assert_true(lu_fid_eq(&fid, &normal));
	fid_le_put(made, &fid);
	assert_memory_equal(made, bytes, sizeof(bytes));
}

static void text_is_read_as_it_is_printed(void **state)
{
	static const struct lu_fid fids[] = {
		{ 0, 0, 0 }, { 0x200000400ULL, 1, 0 },
		{ 0xffffffffffffffffULL, 0xffffffffU, 0xffffffffU },
	};
	char text[FID_TEXT_SIZE + 2] = "[";
	struct lu_fid fid;
	size_t n, len;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(fids); n++) {
		assert_ptr_equal(fid_text(&fids[n], text + 1), text + 1);
		len = strlen(text);
		assert_in_range(len, 12, FID_TEXT_SIZE);
		assert_int_equal(fid_parse(text + 1, len - 1, &fid), 0);
		assert_true(lu_fid_eq(&fid, &fids[n]));
		text[len] = ']';
		assert_int_equal(fid_parse(text, len + 1, &fid), 0);
		assert_true(lu_fid_eq(&fid, &fids[n]));
	}
	assert_string_equal(fid_text(&fids[1], text), "0x200000400:0x1:0x0");
	assert_int_equal(fid_parse("[0:0x0:0x0]", 11, &fid), 0);
	assert_true(fid_is_zero(&fid));
}

static void other_text_is_not_a_fid(void **state)
{
	static const char *const wrong[] = {
		"", "[", "[]", "0x1", "0x1:0x1", "0x1:0x1:", "0x1:0x1:0x", "0x1:0x1:0x0:",
		"1:0x1:0x0", "0x1:1:0x0", "[0x1:0x1:0x0", "0x1:0x1:0x0]", "[0x1:0x1:0x0]]",
		"0x1:0x100000000:0x0", "0x1:0x1:0x100000000", "0x10000000000000000:0x1:0x0",
		"0x1:0xg:0x0", " 0x1:0x1:0x0", "0x1:-0x1:0x0",
	};
	struct lu_fid fid;
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(wrong); n++)
		assert_int_equal(fid_parse(wrong[n], strlen(wrong[n]), &fid), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fid_has_one_kind),
		cmocka_unit_test(what_an_object_can_have_is_sane),
		cmocka_unit_test(inode_numbers_are_what_clients_of_real_lustre_show),
		cmocka_unit_test(an_object_of_an_ost_has_an_idif),
		cmocka_unit_test(bytes_are_little_endian),
		cmocka_unit_test(text_is_read_as_it_is_printed),
		cmocka_unit_test(other_text_is_not_a_fid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
