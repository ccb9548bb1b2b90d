// SPDX-License-Identifier: GPL-2.0-only
/* trusted.fid, trusted.som, trusted.hsm and trusted.lmv, of every length. */
#include "shim_cmocka.h"

#include <stdlib.h>

#include "ea_checks.h"

static void values_of_real_lustre_are_read_and_written(void **state)
{
	(void)state;
	assert_null(ea_check_filter_fid());
	assert_null(ea_check_som());
}

static void trusted_fid_is_read_in_each_of_its_forms(void **state)
{
	u8 bytes[FILTER_FID_SIZE], made[FILTER_FID_SIZE], *exact;
	struct lustre_filter_fid ff;
	size_t n;

	(void)state;
	for (n = 0; n < sizeof(bytes); n++)
		bytes[n] = (u8)(n + 1);
	codec_put64(bytes, 0x200000400ULL);
	for (n = 0; n <= sizeof(bytes); n++) {
		exact = malloc(n ? n : 1);
		memcpy(exact, bytes, n);
		if (n == 16 || n == 32 || n == 44 || n == 52) {
			assert_null(lustre_filter_fid_decode(exact, n, &ff));
			lustre_filter_fid_encode(made, &ff);
			assert_memory_equal(made, bytes, n);
		} else {
			assert_string_equal(lustre_filter_fid_decode(exact, n, &ff),
					    "invalid length");
		}
		free(exact);
	}
	assert_null(lustre_filter_fid_decode(bytes, 32, &ff));
	assert_true(ff.object == codec_get64(bytes + 16, false) && !ff.stripe.count);
	codec_put64(bytes, 0);
	assert_string_equal(lustre_filter_fid_decode(bytes, 52, &ff), "invalid FID");
}

static void trusted_som_and_trusted_hsm_have_one_length(void **state)
{
	static const u8 bytes[25] = {
		[0] = 1, [4] = 9, [8] = 2, [16] = 3,
	};
	struct lustre_hsm hsm;
	struct lustre_som som;
	size_t n;

	(void)state;
	for (n = 0; n <= sizeof(bytes); n++) {
		assert_int_equal(!lustre_som_decode(bytes, n, &som), n == 24);
		assert_int_equal(!lustre_hsm_decode(bytes, n, &hsm), n == 24);
	}
	assert_null(lustre_hsm_decode(bytes, 24, &hsm));
	assert_true(hsm.compat == 1 && hsm.flags == 9 && hsm.archive == 2 && hsm.version == 3);
}

static void a_striped_directory_may_have_the_fids_of_its_shards(void **state)
{
	static const struct lu_fid shard = { 0x240000400ULL, 6, 0 };
	u8 bytes[56 + 2 * 16 + 1] = { 0xd0, 0x0c, 0xd2, 0x0c, 2, 0, 0, 0, 1, 0, 0, 0, 3 };
	struct lustre_lmv lmv;
	struct lu_fid fid;
	size_t n;
	u8 *exact;

	(void)state;
	memcpy(bytes + 40, "meta", 4);
	fid_le_put(bytes + 72, &shard);
	for (n = 0; n <= sizeof(bytes); n++) {
		exact = malloc(n ? n : 1);
		memcpy(exact, bytes, n);
		assert_int_equal(!lustre_lmv_decode(exact, n, &lmv), n == 56 || n == 88);
		free(exact);
	}
	assert_null(lustre_lmv_decode(bytes, 88, &lmv));
	assert_true(lmv.stripe_count == 2 && lmv.master == 1 && lmv.hash_type == 3);
	assert_string_equal(lmv.pool, "meta");
	fid = fid_le_get(lmv.fids + FID_SIZE);
	assert_true(lu_fid_eq(&fid, &shard));
	bytes[2] = 0xd4;
	assert_null(lustre_lmv_decode(bytes, 56, &lmv));
	assert_true(lmv.magic == LMV_MAGIC_STRIPE && !lmv.fids);
	bytes[2] = 0xd9;
	assert_string_equal(lustre_lmv_decode(bytes, 56, &lmv), "unknown magic");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_real_lustre_are_read_and_written),
		cmocka_unit_test(trusted_fid_is_read_in_each_of_its_forms),
		cmocka_unit_test(trusted_som_and_trusted_hsm_have_one_length),
		cmocka_unit_test(a_striped_directory_may_have_the_fids_of_its_shards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
