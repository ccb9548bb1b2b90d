// SPDX-License-Identifier: GPL-2.0-only
/* The modules' tree for tests in C++; see lctl_live.h. */
#include "shim_cmocka.h"

#include <stdio.h>
#include <stdlib.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <shim/task.h>
#include <shim/user.h>

#include "lctl_live.h"
#include "libcfs/libcfs_internal.h"
#include "params/params_internal.h"
#include "params_client.h"
#include "params_subject.h"

#define VALUES_MAX	16

struct lctl_live {
	struct client	client;
	struct subject	subject;
};

struct lctl_live *lctl_live_start(void **state)
{
	struct lctl_live *live = calloc(1, sizeof(*live));

	assert_non_null(live);
	assert_int_equal(tree_setup(state), 0);
	client_open(&live->client, 8);
	assert_int_equal(subject_add(&live->subject, "s"), 0);
	return live;
}

void lctl_live_stop(struct lctl_live *live, void **state)
{
	client_close(&live->client);
	subject_remove(&live->subject);
	free(live);
	tree_teardown(state);
}

/*
 * Everything is user memory here: where a call reaches is the sanitizer's to
 * watch.
 */
int lctl_live_call(struct lctl_live *live, unsigned long cmd, void *arg)
{
	int rc;

	shim_user_add((void *)4096, SIZE_MAX / 2, true);
	rc = libcfs_iocontrol(&live->client.file, cmd, arg);
	shim_user_reset();
	return rc;
}

void lctl_live_set_capable(int capable)
{
	shim_task()->capable = capable;
}

void lctl_live_fail_sets(struct lctl_live *live, int error, unsigned int good)
{
	live->subject.fail_set = -error;
	live->subject.good_sets = good;
}

static int get_value(void *data, u64 *val)
{
	*val = (unsigned long)data;
	return 0;
}

static int set_value(void *data, u64 val)
{
	return 0;
}

static const struct lustre_params_attr many_attrs[VALUES_MAX] = {
	LP_U32_RW("v0", get_value, set_value), LP_U32_RW("v1", get_value, set_value),
	LP_U32_RW("v2", get_value, set_value), LP_U32_RW("v3", get_value, set_value),
	LP_U32_RW("v4", get_value, set_value), LP_U32_RW("v5", get_value, set_value),
	LP_U32_RW("v6", get_value, set_value), LP_U32_RW("v7", get_value, set_value),
	LP_U32_RW("v8", get_value, set_value), LP_U32_RW("v9", get_value, set_value),
	LP_U32_RW("va", get_value, set_value), LP_U32_RW("vb", get_value, set_value),
	LP_U32_RW("vc", get_value, set_value), LP_U32_RW("vd", get_value, set_value),
	LP_U32_RW("ve", get_value, set_value), LP_U32_RW("vf", get_value, set_value),
};

int lctl_live_add_many(unsigned int dirs, unsigned int values)
{
	struct lustre_params_entry *top = params_add_dir(NULL, "n", NULL);
	struct lustre_params_entry *dir;
	char name[16];
	unsigned int i;
	int rc = PTR_ERR_OR_ZERO(top);

	for (i = 0; i < dirs && !rc; i++) {
		snprintf(name, sizeof(name), "d%u", i);
		dir = params_add_dir(top, name, NULL);
		rc = PTR_ERR_OR_ZERO(dir);
		if (!rc)
			rc = params_add_attrs(dir, many_attrs, values, (void *)(unsigned long)i);
	}
	return rc;
}
