// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts of a mount, and bytes of a mountdata: accepted ones can be printed and are accepted
 * again.
 */
#include <stdio.h>
#include <stdlib.h>

#include <linux/kernel.h>

#include "llite/llite_parse.h"

#include "fuzz_input.h"

static void source(const char *text)
{
	struct llite_source src;
	char why[OBD_WHY_MAX] = "";
	int rc = llite_source_parse(text, &src, why);

	FUZZ_CHECK(!rc == !why[0]);
	if (rc || !src.src_client)
		return;
	FUZZ_CHECK(llite_fsname_ok(src.src_fsname));
	FUZZ_CHECK(!llite_nodes_check(src.src_nodes, strlen(src.src_nodes), why));
	FUZZ_CHECK(!strncmp(text, src.src_nodes, strlen(src.src_nodes)));
}

static void again(void *arg, const char *name, const char *value)
{
	char why[OBD_WHY_MAX];

	FUZZ_CHECK(!llite_option_set(arg, name, value, why));
}

/* "name=value,name,..." as mount(2) splits it. */
static void options(char *text)
{
	static struct llite_options op, shown;
	char why[OBD_WHY_MAX], *name, *value;

	memset(&op, 0, sizeof(op));
	memset(&shown, 0, sizeof(shown));
	while ((name = strsep(&text, ","))) {
		value = strchr(name, '=');
		if (value)
			*value++ = '\0';
		why[0] = '\0';
		FUZZ_CHECK(!llite_option_set(&op, name, value, why) == !why[0]);
	}
	llite_options_show(&op, again, &shown);
	FUZZ_CHECK(!strcmp(op.op_mgsnode, shown.op_mgsnode) ||
		   !(op.op_given & LLITE_OPT_MGSNODE));
	FUZZ_CHECK(!(shown.op_given & ~op.op_given));
}

static void mountdata(const u8 *data, size_t size)
{
	static struct lustre_disk_data ldd;
	char nodes[LLITE_NODES_MAX], why[OBD_WHY_MAX];

	memset(&ldd, 0, sizeof(ldd));
	memcpy(&ldd, data, min_t(size_t, size, sizeof(ldd)));
	if (llite_mountdata_check(&ldd, why))
		return;
	FUZZ_CHECK(strlen(ldd.ldd_svname) < sizeof(ldd.ldd_svname));
	if (!llite_mountdata_mgsnodes(&ldd, nodes, sizeof(nodes), why) && nodes[0])
		FUZZ_CHECK(!llite_nodes_check(nodes, strlen(nodes), why));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	source(text);
	options(text);
	mountdata(data, size);
	free(text);
	return 0;
}
