// SPDX-License-Identifier: GPL-2.0-only
/* trusted.lma: values that servers of real Lustre wrote, and damaged ones. */
#include "shim_cmocka.h"

#include <stdlib.h>

#include <lustre_lite/lustre_ea.h>

/* Of ROOT/init.d of lustre-2.7, its directory O, and object 1186 of an OST of 2.11. */
static const struct {
	u8		bytes[LUSTRE_LMA_SIZE];
	u32		compat;
	struct lu_fid	self;
} written[] = {
	{ { 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 2, 0, 0, 0, 1 }, 0, { 0x200000400ULL, 1, 0 } },
	{ { 0xc, 0, 0, 0, 0, 0, 0, 0, 0xe, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x7d, 0x16, 0x3c },
	  LMAC_NOT_IN_OI | LMAC_FID_ON_OST, { 0xe, 0x3c167d00, 0 } },
	{ { 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0xa2, 4 },
	  LMAC_FID_ON_OST, { 0x100010000ULL, 0x4a2, 0 } },
};

static void values_of_real_lustre_are_read_and_written(void **state)
{
	u8 made[LUSTRE_LMA_SIZE];
	struct lustre_lma lma;
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(written); n++) {
		assert_null(lustre_lma_decode(written[n].bytes, LUSTRE_LMA_SIZE, &lma));
		assert_int_equal(lma.compat, written[n].compat);
		assert_int_equal(lma.incompat, 0);
		assert_true(lu_fid_eq(&lma.self, &written[n].self));
		lustre_lma_encode(made, &lma);
		assert_memory_equal(made, written[n].bytes, sizeof(made));
	}
}

static void flags_without_a_name_are_kept(void **state)
{
	u8 bytes[LUSTRE_LMA_SIZE], made[LUSTRE_LMA_SIZE];
	struct lustre_lma lma;

	(void)state;
	memcpy(bytes, written[0].bytes, sizeof(bytes));
	bytes[3] = 0x80;
	bytes[4] = LMAI_ORPHAN;
	bytes[7] = 0x40;
	assert_null(lustre_lma_decode(bytes, sizeof(bytes), &lma));
	assert_int_equal(lma.compat, 0x80000000U);
	assert_int_equal(lma.incompat, 0x40000000U | LMAI_ORPHAN);
	lustre_lma_encode(made, &lma);
	assert_memory_equal(made, bytes, sizeof(made));
}

static void an_object_without_trusted_fid_has_its_stripe(void **state)
{
	u8 bytes[sizeof(struct lustre_ost_attrs)] = {
		[0] = LMAC_FID_ON_OST | LMAC_STRIPE_INFO | LMAC_COMP_INFO,
		[12] = 1, [16] = 5,
		[25] = 4, [28] = 2, [32] = 9, [36] = 3, [38] = 4,
		[42] = 0x10, [44] = 2, [50] = 0x10, [58] = 0x20,
	};
	u8 made[LUSTRE_LMA_SIZE];
	struct lustre_lma lma;

	(void)state;
	assert_null(lustre_lma_decode(bytes, sizeof(bytes), &lma));
	assert_true(lma.stripe.parent.f_seq == 0x200000400ULL && lma.stripe.parent.f_oid == 9);
	assert_int_equal(lma.stripe.parent.f_ver, 0);
	assert_int_equal(lma.stripe.index, 3);
	assert_int_equal(lma.stripe.count, 4);
	assert_int_equal(lma.stripe.size, 0x100000);
	assert_int_equal(lma.stripe.comp_id, 2);
	assert_int_equal(lma.stripe.comp_start, 0x100000);
	assert_int_equal(lma.stripe.comp_end, 0x200000);

	bytes[0] &= (u8)~LMAC_COMP_INFO;
	assert_null(lustre_lma_decode(bytes, sizeof(bytes), &lma));
	assert_int_equal(lma.stripe.comp_id, 0);
	assert_int_equal(lma.stripe.comp_end, 0);

	/* The flag goes with the stripe. */
	lustre_lma_encode(made, &lma);
	assert_int_equal(made[0], LMAC_FID_ON_OST);
	/* Releases before 2.4 had something else there. */
	bytes[0] = 0;
	assert_null(lustre_lma_decode(bytes, sizeof(bytes), &lma));
	assert_true(fid_is_zero(&lma.stripe.parent));
}

static void damage_is_a_fault(void **state)
{
	u8 bytes[sizeof(struct lustre_ost_attrs) + 1] = { [12] = 1, [16] = 5 };
	struct lustre_lma lma;
	u8 *exact;
	size_t n;

	(void)state;
	for (n = 0; n <= sizeof(bytes); n++) {
		exact = malloc(n ? n : 1);
		memcpy(exact, bytes, n);
		if (n == 24 || n == 64)
			assert_null(lustre_lma_decode(exact, n, &lma));
		else
			assert_string_equal(lustre_lma_decode(exact, n, &lma), "invalid length");
		free(exact);
	}
	bytes[0] = LMAC_STRIPE_INFO;
	assert_string_equal(lustre_lma_decode(bytes, 24, &lma), "too short for a stripe");
	bytes[12] = 0;
	assert_string_equal(lustre_lma_decode(bytes, 24, &lma), "invalid FID");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_real_lustre_are_read_and_written),
		cmocka_unit_test(flags_without_a_name_are_kept),
		cmocka_unit_test(an_object_without_trusted_fid_has_its_stripe),
		cmocka_unit_test(damage_is_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
