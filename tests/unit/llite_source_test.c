// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sources of a mount: a directory, or NIDs and the name of a file system.
 */
#include "shim_cmocka.h"

#include <stdio.h>
#include <string.h>

#include <linux/errno.h>
#include <linux/kernel.h>

#include "llite/llite_parse.h"

static void good(const char *text, const char *nodes, const char *fsname)
{
	struct llite_source src;
	char why[OBD_WHY_MAX] = "";

	assert_int_equal(llite_source_parse(text, &src, why), 0);
	assert_true(src.src_client);
	assert_string_equal(src.src_nodes, nodes);
	assert_string_equal(src.src_fsname, fsname);
	assert_string_equal(why, "");
}

static void bad(const char *text, int rc, const char *words)
{
	struct llite_source src;
	char why[OBD_WHY_MAX] = "";

	assert_int_equal(llite_source_parse(text, &src, why), rc);
	if (!strstr(why, words))
		fail_msg("%s: '%s' does not say '%s'", text, why, words);
}

static void nodes_and_a_name(void **state)
{
	good("10.0.0.1@tcp:/lustre", "10.0.0.1@tcp", "lustre");
	good("10.0.0.1:/l", "10.0.0.1", "l");
	good("10.0.0.1@tcp,10.1.0.1@tcp1:10.0.0.2@tcp,10.1.0.2@tcp1:/scratch",
	     "10.0.0.1@tcp,10.1.0.1@tcp1:10.0.0.2@tcp,10.1.0.2@tcp1", "scratch");
	good("10.0.0.1@tcp:/a-b_c123", "10.0.0.1@tcp", "a-b_c123");
	good("10.0.0.1@tcp:/lustre/", "10.0.0.1@tcp", "lustre");
	good("10.0.0.1@tcp:/lustre//", "10.0.0.1@tcp", "lustre");
}

static void colons_of_an_address_are_its_own(void **state)
{
	good("fd78::1@tcp:/lustre", "fd78::1@tcp", "lustre");
	good("::1@tcp:/lustre", "::1@tcp", "lustre");
	good("1::2:3@tcp:/lustre", "1::2:3@tcp", "lustre");
	good("1::2:10.0.0.1@tcp:/lustre", "1::2:10.0.0.1@tcp", "lustre");
	good("[fd78::1]:/lustre", "[fd78::1]", "lustre");
	good("[fd78::1]@tcp3,10.0.0.1:fd78::2@tcp,[fd78::3]:[fd78::4]@tcp:/lustre",
	     "[fd78::1]@tcp3,10.0.0.1:fd78::2@tcp,[fd78::3]:[fd78::4]@tcp", "lustre");
	bad("fd78::1:/lustre", -EINVAL, "'fd78::1' does not start with a NID");
	bad("10.0.0.1:fd78::1:/lustre", -EINVAL, "'fd78::1' does not start with a NID");
}

static void what_is_no_nid_is_named(void **state)
{
	bad("server:/lustre", -EINVAL, "'server' does not start with a NID");
	bad("10.0.0.1@tcp,,10.0.0.2@tcp:/lustre", -EINVAL, "',10.0.0.2@tcp'");
	bad("10.0.0.1@tcp,:/lustre", -EINVAL, "'' does not start with a NID");
	bad("10.0.0.1@tcp::/lustre", -EINVAL, "'' does not start with a NID");
	bad("10.0.0.1@o2ib:/lustre", -EINVAL, "'10.0.0.1@o2ib'");
	bad(":/lustre", -EINVAL, "'' does not start with a NID");
	bad("10.0.0.1@tcp/lustre", -EINVAL, "neither");
	bad("lustre", -EINVAL, "neither");
	bad("", -EINVAL, "neither");
	bad("10.0.0.1@tcp lustre:/x", -EINVAL, "does not start with a NID");
}

static void names_that_no_file_system_has(void **state)
{
	bad("10.0.0.1@tcp:/", -EINVAL, "'' is not the name of a file system");
	bad("10.0.0.1@tcp:/ninebytes", -EINVAL, "'ninebytes' is not the name");
	bad("10.0.0.1@tcp:/1lustre", -EINVAL, "'1lustre' is not the name");
	bad("10.0.0.1@tcp:/-lustre", -EINVAL, "'-lustre' is not the name");
	bad("10.0.0.1@tcp:/lu.tre", -EINVAL, "'lu.tre' is not the name");
	bad("10.0.0.1@tcp:/lu\xc3\xa4", -EINVAL, "is not the name");
}

static void subdir(const char *text, const char *path)
{
	struct llite_source src;
	char why[OBD_WHY_MAX] = "";

	assert_int_equal(llite_source_parse(text, &src, why), 0);
	assert_string_equal(text + src.src_subdir, path);
	assert_string_equal(src.src_fsname, "lustre");
}

static void a_directory_may_follow(void **state)
{
	subdir("10.0.0.1@tcp:/lustre", "");
	subdir("10.0.0.1@tcp:/lustre//", "");
	subdir("10.0.0.1@tcp:/lustre/home", "home");
	subdir("10.0.0.1@tcp:/lustre//a//b/", "a//b/");
	subdir("10.0.0.1@tcp:/lustre/...a/..b", "...a/..b");
	bad("10.0.0.1@tcp:/lustre/..", -EINVAL, "'..' must not contain '..'");
	bad("10.0.0.1@tcp:/lustre/a/../b", -EINVAL, "'a/../b' must not contain '..'");
	bad("10.0.0.1@tcp:/lustre/a/.", -EINVAL, "'a/.' must not contain '.'");
	bad("10.0.0.1@tcp:/lu.stre/a", -EINVAL, "'lu.stre' is not the name");
}

static void a_path_is_a_target(void **state)
{
	struct llite_source src;
	char why[OBD_WHY_MAX];

	assert_int_equal(llite_source_parse("/srv/mdt:/x", &src, why), 0);
	assert_false(src.src_client);
	assert_string_equal(src.src_nodes, "");
	assert_string_equal(src.src_fsname, "");
	assert_int_equal(src.src_subdir, strlen("/srv/mdt:/x"));
}

static void too_many_nids(void **state)
{
	static char text[2 * LLITE_NODES_MAX];
	size_t used = 0;

	while (used < LLITE_NODES_MAX)
		used += sprintf(text + used, "%s10.0.0.1@tcp", used ? "," : "");
	strcpy(text + used, ":/lustre");
	bad(text, -E2BIG, "at most 2047");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_and_a_name),
		cmocka_unit_test(colons_of_an_address_are_its_own),
		cmocka_unit_test(what_is_no_nid_is_named),
		cmocka_unit_test(names_that_no_file_system_has),
		cmocka_unit_test(a_directory_may_follow),
		cmocka_unit_test(a_path_is_a_target),
		cmocka_unit_test(too_many_nids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
