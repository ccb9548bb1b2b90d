// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options of a mount: effect, kind of mount, changes by a remount; and /proc/mounts can be
 * mounted again.
 */
#include "shim_cmocka.h"

#include <stdio.h>
#include <string.h>

#include <linux/errno.h>
#include <linux/kernel.h>

#include "llite/llite_parse.h"

static struct llite_options op;

static int reset(void **state)
{
	memset(&op, 0, sizeof(op));
	return 0;
}

static void good(const char *name, const char *value)
{
	char why[OBD_WHY_MAX] = "";

	if (llite_option_set(&op, name, value, why))
		fail_msg("%s: %s", name, why);
}

static void bad(const char *name, const char *value, int rc, const char *words)
{
	struct llite_options before = op;
	char why[OBD_WHY_MAX] = "";

	assert_int_equal(llite_option_set(&op, name, value, why), rc);
	if (!strstr(why, words))
		fail_msg("%s: '%s' does not say '%s'", name, why, words);
	assert_int_equal(before.op_given, op.op_given);
}

/* As mount(2) has them. */
static void shown_put(void *arg, const char *name, const char *value)
{
	char *text = arg;

	sprintf(text + strlen(text), ",%s%s%s", name, value ? "=" : "", value ?: "");
}

static const char *shown(const struct llite_options *from)
{
	static char text[2 * sizeof(op)];

	text[0] = '\0';
	llite_options_show(from, shown_put, text);
	return text;
}

static void parse(struct llite_options *to, const char *text)
{
	static char copy[2 * sizeof(op)];
	char why[OBD_WHY_MAX], *rest = copy, *name, *value;

	memset(to, 0, sizeof(*to));
	strcpy(copy, text);
	while ((name = strsep(&rest, ","))) {
		if (!*name)
			continue;
		value = strchr(name, '=');
		if (value)
			*value++ = '\0';
		if (llite_option_set(to, name, value, why))
			fail_msg("%s: %s", text, why);
	}
}

static void options_are_taken(void **state)
{
	good("noir", NULL);
	good("exclude", "lustre-OST0001:lustre-OST0002");
	good("cache", "/var/cache/lustre-lite");
	assert_int_equal(op.op_given, LLITE_OPT_NOIR | LLITE_OPT_EXCLUDE | LLITE_OPT_CACHE);
	assert_string_equal(op.op_exclude, "lustre-OST0001:lustre-OST0002");
	assert_string_equal(op.op_cache, "/var/cache/lustre-lite");
}

static void one_of_a_pair_undoes_the_other(void **state)
{
	good("nolazystatfs", NULL);
	good("lazystatfs", NULL);
	assert_int_equal(op.op_given, LLITE_OPT_LAZYSTATFS);
	good("nolazystatfs", NULL);
	assert_int_equal(op.op_given, LLITE_OPT_NOLAZYSTATFS);
	parse(&op, "noacl,user_xattr,acl,nouser_xattr,localflock");
	assert_int_equal(op.op_given, LLITE_OPT_ACL | LLITE_OPT_NOUSER_XATTR |
			 LLITE_OPT_LOCALFLOCK);
	parse(&op, "localflock,noflock");
	assert_int_equal(op.op_given, LLITE_OPT_NOFLOCK);
	parse(&op, "noflock,localflock,flock");
	assert_int_equal(op.op_given, LLITE_OPT_FLOCK);
}

static void mount_2_splits_lists_of_nids(void **state)
{
	good("mgsnode", "10.0.0.1@tcp");
	good("10.1.0.1@tcp1:10.0.0.2@tcp", NULL);
	good("[fd78::1]", NULL);
	assert_string_equal(op.op_mgsnode,
			    "10.0.0.1@tcp,10.1.0.1@tcp1:10.0.0.2@tcp,[fd78::1]");
	good("nosvc", NULL);
	bad("10.0.0.3@tcp", NULL, -EINVAL, "unknown option '10.0.0.3@tcp'");
}

static void what_cannot_be_is_refused_by_name(void **state)
{
	bad("frobnicate", NULL, -EINVAL, "unknown option 'frobnicate'");
	bad("frobnicate", "1", -EINVAL, "unknown option 'frobnicate'");
	bad("noir", "1", -EINVAL, "option 'noir' takes no value");
	bad("exclude", NULL, -EINVAL, "option 'exclude' needs a value");
	bad("exclude", "", -EINVAL, "option 'exclude' needs a value");
	bad("exclude", "lustre-OST0001::lustre-OST0002", -EINVAL, "exclude=: '' is not the name");
	bad("exclude", "lustre-OST0001:", -EINVAL, "exclude=: '' is not the name");
	bad("cache", "relative", -EINVAL, "cache=: 'relative' is not an absolute path");
	bad("mgsnode", "server", -EINVAL, "'server' does not start with a NID");
	bad("retry", "3", -EOPNOTSUPP, "that of mount.lustre-lite");
	bad("always_ping", NULL, -EOPNOTSUPP, "leave it out");
	bad("abort_recov", NULL, -EOPNOTSUPP, "set_param TYPE.NAME.abort_recovery=1");
	bad("recovery_time_soft", "5", -EOPNOTSUPP, "TYPE.NAME.recovery_time_soft=");
	bad("user_principal", NULL, -EOPNOTSUPP, "option 'user_principal' is not supported yet");
	bad("checksum", NULL, -EOPNOTSUPP, "option 'checksum' is not supported yet");
}

static void texts_have_an_end(void **state)
{
	static char text[LLITE_EXCLUDE_MAX + 64];
	size_t used = 0;

	while (used < LLITE_EXCLUDE_MAX)
		used += sprintf(text + used, "%slustre-OST0001", used ? ":" : "");
	bad("exclude", text, -E2BIG, "longer than 4095 bytes");
	memset(text, 'a', 100);
	text[100] = '\0';
	bad("svname", text, -E2BIG, "longer than 63 bytes");
	bad("exclude", text, -EINVAL, "is not the name of a target");
}

static void check(const char *text, bool client, const char *words)
{
	struct llite_source src = { .src_client = client, .src_fsname = "lustre" };
	struct llite_options from;
	char why[OBD_WHY_MAX] = "";

	parse(&from, text);
	assert_int_equal(llite_options_check(&from, &src, why), words ? -EINVAL : 0);
	if (words && !strstr(why, words))
		fail_msg("%s: '%s' does not say '%s'", text, why, words);
}

static void each_is_for_clients_or_targets(void **state)
{
	check("noir,exclude=lustre-OST0001,cache=/c,nolazystatfs", true, NULL);
	check("noir,exclude=lustre-OST0001,mgsnode=10.0.0.1@tcp,svname=lustre-OST0001,nosvc",
	      false, NULL);
	check("writeconf", true, "option 'writeconf' is for targets");
	check("noacl,nouser_xattr,localflock", true, NULL);
	check("user_fid2path", true, NULL);
	check("user_fid2path", false, "option 'user_fid2path' is for clients");
	check("flock", false, "option 'flock' is for clients");
	check("acl", false, "option 'acl' is for clients");
	check("svname=MGS", true, "option 'svname' is for targets");
	check("cache=/c", false, "option 'cache' is for clients");
	check("nosvc,nomgs", false, "nothing to start");
	check("exclude=other-OST0001", true, "'other-OST0001' is not a target of lustre");
	check("exclude=lustre-OST0001:lustre2-OST0001", true, "'lustre2-OST0001' is not a target");
}

static void change(const char *from, const char *to, const char *want)
{
	struct llite_options a, b;
	char why[OBD_WHY_MAX] = "";

	parse(&a, from);
	parse(&b, to);
	if (!want) {
		assert_int_equal(llite_options_change(&a, &b, why), -EINVAL);
		assert_non_null(strstr(why, "cannot be changed by a remount"));
		assert_string_equal(shown(&a) + 1, from);
		return;
	}
	assert_int_equal(llite_options_change(&a, &b, why), 0);
	assert_string_equal(shown(&a), want);
}

static void a_remount_changes_what_can_be(void **state)
{
	change("cache=/c,noir", "", ",cache=/c,noir");
	change("cache=/c,noir", "noir,cache=/c", ",cache=/c,noir");
	change("noir", "nolazystatfs", ",noir,nolazystatfs");
	change("nolazystatfs", "lazystatfs", ",lazystatfs");
	change("lazystatfs", "lazystatfs", ",lazystatfs");
	change("acl,nouser_xattr", "user_xattr", ",acl,user_xattr");
	change("acl", "noacl", NULL);
	change("cache=/c", "cache=/d", NULL);
	change("cache=/c", "noir", NULL);
	change("lazystatfs", "nolazystatfs,noir", NULL);
}

static void what_is_shown_can_be_mounted_again(void **state)
{
	static const char * const texts[] = {
		"noir,lazystatfs,cache=/c d,exclude=lustre-OST0001:lustre-MDT0001",
		"svname=lustre-MDT0000,mgsnode=10.0.0.1@tcp,10.0.0.2@tcp:fd78::1@tcp,nolocallogs",
		"nosvc",
	};
	struct llite_options a, b;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(texts); n++) {
		parse(&a, texts[n]);
		parse(&b, shown(&a));
		a.op_last = b.op_last;
		assert_memory_equal(&a, &b, sizeof(a));
	}
	/* An act is not done once more. */
	parse(&a, "writeconf");
	assert_string_equal(shown(&a), "");
}

/* Options of the directory that the mount does not repeat. */
static void options_of_the_folder_may_be_left_out(void **state)
{
	static const char text[] = "ro,noir,mgsnode=\"10.0.0.1,10.0.0.2\",nolocallogs,x";
	const char *at;
	size_t len;

	assert_null(llite_options_missing(&op, "", &len));
	assert_null(llite_options_missing(&op, "ro,noatime,nosuch=1", &len));
	at = llite_options_missing(&op, text, &len);
	assert_ptr_equal(at, text + 3);
	assert_int_equal(len, 4);
	good("noir", NULL);
	at = llite_options_missing(&op, text, &len);
	assert_int_equal(strncmp(at, "mgsnode=", 8), 0);
	good("mgsnode", "10.0.0.1");
	at = llite_options_missing(&op, text, &len);
	assert_int_equal(strncmp(at, "nolocallogs,", 12), 0);
	good("nolocallogs", NULL);
	assert_null(llite_options_missing(&op, text, &len));
	/* Its opposite was given instead. */
	good("nolazystatfs", NULL);
	assert_null(llite_options_missing(&op, "lazystatfs", &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(options_of_the_folder_may_be_left_out, reset),
		cmocka_unit_test_setup(options_are_taken, reset),
		cmocka_unit_test_setup(one_of_a_pair_undoes_the_other, reset),
		cmocka_unit_test_setup(mount_2_splits_lists_of_nids, reset),
		cmocka_unit_test_setup(what_cannot_be_is_refused_by_name, reset),
		cmocka_unit_test_setup(texts_have_an_end, reset),
		cmocka_unit_test_setup(each_is_for_clients_or_targets, reset),
		cmocka_unit_test_setup(a_remount_changes_what_can_be, reset),
		cmocka_unit_test_setup(what_is_shown_can_be_mounted_again, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
