// SPDX-License-Identifier: GPL-2.0-only
/* CONFIGS/mountdata: valid and invalid files, and the NIDs of the management service. */
#include "shim_cmocka.h"

#include <stdio.h>
#include <string.h>

#include <linux/errno.h>
#include <linux/kernel.h>
#include <lustre_lite/codec.h>

#include "llite/llite_parse.h"

static struct lustre_disk_data ldd;

static void set(__le32 *field, u32 value)
{
	codec_put32(field, value);
}

static void make(u32 flags, u32 index, const char *fsname, const char *svname)
{
	memset(&ldd, 0, sizeof(ldd));
	set(&ldd.ldd_magic, LDD_MAGIC);
	set(&ldd.ldd_config_ver, 1);
	set(&ldd.ldd_flags, flags);
	set(&ldd.ldd_svindex, index);
	set(&ldd.ldd_mount_type, LDD_MT_DIRECTORY);
	strcpy(ldd.ldd_fsname, fsname);
	strcpy(ldd.ldd_svname, svname);
}

static int ost(void **state)
{
	make(LDD_F_SV_TYPE_OST | LDD_F_UPDATE, 0x1f, "lustre", "lustre-OST001f");
	return 0;
}

static void good(void)
{
	char why[OBD_WHY_MAX] = "";

	if (llite_mountdata_check(&ldd, why))
		fail_msg("%s", why);
}

static void bad(const char *words)
{
	char why[OBD_WHY_MAX] = "";

	assert_int_equal(llite_mountdata_check(&ldd, why), -EINVAL);
	if (!strstr(why, words))
		fail_msg("'%s' does not say '%s'", why, words);
}

static void kinds_of_targets(void **state)
{
	good();
	make(LDD_F_SV_TYPE_MGS, 0, "", "MGS");
	good();
	make(LDD_F_SV_TYPE_MGS | LDD_F_SV_TYPE_MDT | LDD_F_VIRGIN, 0, "lustre",
	     "lustre-MDT0000");
	good();
	make(LDD_F_SV_TYPE_OST | LDD_F_VIRGIN | LDD_F_NEED_INDEX, LDD_INDEX_NONE, "a-b",
	     "a-b-OSTffff");
	good();
}

static void damage_is_named(void **state)
{
	set(&ldd.ldd_magic, 0x1dd00002);
	bad("magic 0x1dd00002");
	ost(state);
	set(&ldd.ldd_feature_incompat, 2);
	bad("features (0, 0x2)");
	ost(state);
	set(&ldd.ldd_mount_type, 5);
	bad("target of type 5");
	ost(state);
	set(&ldd.ldd_flags, LDD_F_SV_TYPE_OST | 0x80000000);
	bad("flags 0x80000000");
	ost(state);
	memset(ldd.ldd_params, 'x', sizeof(ldd.ldd_params));
	bad("not NUL-terminated");
	ost(state);
	memset(ldd.ldd_svname, 'x', sizeof(ldd.ldd_svname));
	bad("not NUL-terminated");
	memset(&ldd, 0, sizeof(ldd));
	bad("magic 0");
}

static void names_and_kinds_agree(void **state)
{
	strcpy(ldd.ldd_svname, "lustre-OST0001");
	bad("has name lustre-OST0001, expected lustre-OST001f");
	make(LDD_F_SV_TYPE_MDT, 0x1f, "lustre", "lustre-OST001f");
	bad("expected lustre-MDT001f");
	make(LDD_F_SV_TYPE_OST, 1, "9lives", "9lives-OST0001");
	bad("'9lives'");
	make(LDD_F_SV_TYPE_OST, LDD_INDEX_NONE, "lustre", "lustre-OSTffff");
	bad("index 0xffff");
	make(LDD_F_SV_TYPE_OST, 0x12345, "lustre", "lustre-OST12345");
	bad("index 0x12345");
	make(LDD_F_SV_TYPE_OST | LDD_F_SV_TYPE_MDT, 1, "lustre", "lustre-OST0001");
	bad("an MDT and an OST");
	make(LDD_F_VIRGIN, 1, "lustre", "lustre-OST0001");
	bad("no MGS, MDT or OST");
	make(LDD_F_SV_TYPE_MGS, 0, "", "lustre-MDT0000");
	bad("a management service alone");
}

static void nodes(const char *params, const char *want)
{
	char text[LLITE_NODES_MAX], why[OBD_WHY_MAX] = "";

	strcpy(ldd.ldd_params, params);
	if (llite_mountdata_mgsnodes(&ldd, text, sizeof(text), why))
		fail_msg("%s: %s", params, why);
	assert_string_equal(text, want);
}

static void nodes_of_the_service(void **state)
{
	char text[32], why[OBD_WHY_MAX] = "";

	nodes("", "");
	nodes("ost.quota_type=ug", "");
	nodes("mgsnode=10.0.0.1@tcp", "10.0.0.1@tcp");
	nodes("  mgsnode=10.0.0.1@tcp,10.1.0.1@tcp1 failover.node=10.0.0.9@tcp  mgsnode=fd78::1@tcp:10.0.0.2@tcp x=mgsnode=10.0.0.3@tcp ",
	      "10.0.0.1@tcp,10.1.0.1@tcp1:fd78::1@tcp:10.0.0.2@tcp");
	strcpy(ldd.ldd_params, "mgsnode=server mgsnode=10.0.0.1@tcp");
	assert_int_equal(llite_mountdata_mgsnodes(&ldd, text, sizeof(text), why), -EINVAL);
	assert_non_null(strstr(why, "'server'"));
	strcpy(ldd.ldd_params, "mgsnode=10.0.0.1@tcp,10.0.0.2@tcp mgsnode=10.0.0.3@tcp");
	assert_int_equal(llite_mountdata_mgsnodes(&ldd, text, sizeof(text), why), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(kinds_of_targets, ost),
		cmocka_unit_test_setup(damage_is_named, ost),
		cmocka_unit_test_setup(names_and_kinds_agree, ost),
		cmocka_unit_test_setup(nodes_of_the_service, ost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
