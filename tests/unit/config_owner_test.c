// SPDX-License-Identifier: GPL-2.0-only
/* The file system that a device belongs to, by its name. */
#include "shim_cmocka.h"

#include <string.h>

#include <lustre_lite/config_owner.h>

static void owner_is(const char *name, const char *want)
{
	static const char *const there[] = { "a-b", "a", "a-b-c", "lustre" };
	char best[9] = "";
	size_t n;

	for (n = 0; n < ARRAY_SIZE(there); n++)
		config_owner_try(name, there[n], best, sizeof(best));
	assert_string_equal(best, want);
}

static void test_longest_name(void **state)
{
	owner_is("a-OST0000-osc-0123", "a");
	owner_is("a-b-OST0000", "a-b");
	owner_is("a-b-c-OST0000", "a-b-c");
	owner_is("a-c-OST0000", "a");
	owner_is("ab-OST0000", "");
	owner_is("lustre", "");
	owner_is("", "");
}

static void test_namespaces(void **state)
{
	assert_string_equal(config_namespace_device("filter-a-OST0000_UUID"),
			    "a-OST0000_UUID");
	assert_string_equal(config_namespace_device("mdt-a-MDT0000_UUID"),
			    "a-MDT0000_UUID");
	assert_string_equal(config_namespace_device("a-OST0000-osc-1"),
			    "a-OST0000-osc-1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_longest_name),
		cmocka_unit_test(test_namespaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
