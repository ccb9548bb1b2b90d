// SPDX-License-Identifier: GPL-2.0-only
/* Ranges of NIDs. */
#include "shim_cmocka.h"

#include <string.h>

#include <linux/errno.h>
#include <linux/kernel.h>
#include <lustre_lite/nid.h>

/* 1: it is in the range; 0: it is not; or the errno of the range */
static int has(const char *text, const char *nid_text)
{
	struct lnet_nid_range range;
	struct lnet_nid nid;
	const char *why;
	int rc = libcfs_nid_range_parse(text, strlen(text), &range, &why);

	if (rc)
		return rc;
	assert_int_equal(libcfs_nid_parse(nid_text, strlen(nid_text), &nid, NULL), 0);
	return libcfs_nid_range_has(&range, &nid);
}

static void a_nid_is_in_a_range_or_not(void **state)
{
	static const struct {
		const char *range;
		const char *nid;
		int has;
	} rows[] = {
		{ "10.0.0.1@tcp", "10.0.0.1@tcp", 1 },
		{ "10.0.0.1", "10.0.0.1@tcp", 1 },
		{ "10.0.0.1@tcp", "10.0.0.2@tcp", 0 },
		{ "10.0.0.1@tcp", "10.0.0.1@tcp1", 0 },
		{ "10.0.0.[2-10]@tcp", "10.0.0.2@tcp", 1 },
		{ "10.0.0.[2-10]@tcp", "10.0.0.10@tcp", 1 },
		{ "10.0.0.[2-10]@tcp", "10.0.0.11@tcp", 0 },
		{ "10.0.0.[2-10]@tcp", "10.0.0.1@tcp", 0 },
		{ "10.[1-2].*.[7-7]@tcp3", "10.2.255.7@tcp3", 1 },
		{ "10.[1-2].*.[7-7]@tcp3", "10.3.255.7@tcp3", 0 },
		{ "10.[1-2].*.[7-7]@tcp3", "10.2.255.8@tcp3", 0 },
		{ "*@tcp", "192.168.7.9@tcp", 1 },
		{ "*@tcp", "fe80::1@tcp", 1 },
		{ "*@tcp", "192.168.7.9@tcp1", 0 },
		{ "*.*.*.*@tcp", "192.168.7.9@tcp", 1 },
		{ "*.*.*.*@tcp", "fe80::1@tcp", 0 },
		{ "0@lo", "0@lo", 1 },
		{ "0@lo", "10.0.0.1@tcp", 0 },
		{ "2001:db8::1@tcp", "2001:db8::1@tcp", 1 },
		{ "[2001:db8::1]@tcp", "2001:db8::1@tcp", 1 },
		{ "2001:db8::1@tcp", "2001:db8::2@tcp", 0 },
	};
	size_t n;

	for (n = 0; n < ARRAY_SIZE(rows); n++)
		if (has(rows[n].range, rows[n].nid) != rows[n].has)
			fail_msg("%s has %s", rows[n].range, rows[n].nid);
}

static void a_malformed_range_is_refused_with_a_reason(void **state)
{
	static const char *const bad[] = {
		"", "@", "*", "*@", "*@tcp99999", "*@o2ib", "10.0.0", "10.0.0.[5-2]@tcp",
		"10.0.0.[5]@tcp", "10.0.0.[5-@tcp", "10.0.0.[5-@tcp]", "10.0.0.[-5]@tcp",
		"10.0.0.[5-300]@tcp", "10.0.0.1*@tcp", "10.0.0.[1-2,5-6]@tcp", "10.0.0.**@tcp",
		"10.0.0.[1-2]@tc", "[1-2]@lo",
		"[1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2]"
		"[1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2]"
		"[1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2]"
		"[1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2]"
		"[1-2]@tcp",
	};
	struct lnet_nid_range range;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(bad); n++) {
		const char *why = NULL;

		if (libcfs_nid_range_parse(bad[n], strlen(bad[n]), &range, &why) >= 0)
			fail_msg("'%s' is taken", bad[n]);
		assert_non_null(why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_nid_is_in_a_range_or_not),
		cmocka_unit_test(a_malformed_range_is_refused_with_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
