// SPDX-License-Identifier: GPL-2.0-only
/* Parameters for tests of the tools; see real_tree.h. */
#include <stdint.h>
#include <stdio.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/params.h>
#include <shim/task.h>
#include <shim/user.h>

#include "libcfs/libcfs_internal.h"
#include "params/params_internal.h"
#include "real_tree.h"

#define DEVICES	3

/* The values; unset ones are 0. */
struct device {
	u32	rpcs;
	u64	dirty;
	bool	active;
	u32	checksum;
	s64	timeout;
	char	note[256];
};

static struct device devices[DEVICES];
static u64 debug_mask;
static u64 subsystem_mask;
static u32 clears;
static struct params_stats *stats;
static struct libcfs_file file;

static const char *const checksums[] = { "crc32", "adler", "crc32c", NULL };
static const char *const levels[] = { "trace", "inode", "info", "ioctl", NULL };
static const char *const subsystems[] = { "undefined", "mdc", "", "osc", NULL };

static ssize_t get_note(void *data, char *buf, size_t size)
{
	const struct device *dev = data;
	size_t len = strlen(dev->note);

	if (len > size)
		return -EOVERFLOW;
	memcpy(buf, dev->note, len);
	return len;
}

static int set_note(const char *text, size_t len, void *data)
{
	struct device *dev = data;

	if (len >= sizeof(dev->note))
		return -ENOSPC;
	memcpy(dev->note, text, len + 1);
	return 0;
}

static int get_mask(void *data, u64 *val)
{
	*val = *(u64 *)data;
	return 0;
}

static int set_mask(void *data, u64 val)
{
	*(u64 *)data = val;
	return 0;
}

static int get_clears(void *data, u64 *val)
{
	*val = ++clears;
	return 0;
}

/* The checks of the core let it pass; it is refused when it is set. */
static int set_stubborn(void *data, u64 val)
{
	return val == 13 ? -EBUSY : 0;
}

static int get_stubborn(void *data, u64 *val)
{
	*val = 1;
	return 0;
}

static int ring(const char *text, size_t len, void *data)
{
	return 0;
}

static struct params_stats *get_stats(void *data)
{
	return stats;
}

static const struct lustre_params_attr device_attrs[] = {
	LP_BOOL_FIELD("active", struct device, active, .doc = "is in use"),
	__LP_FIELD("checksum_type", ENUM, struct device, checksum,
		   .names = checksums, .doc = "checksum of data"),
	LP_BYTES_FIELD("max_dirty_mb", struct device, dirty,
		       .unit = PARAMS_UNIT_MIB, .max = 1ULL << 40),
	LP_U32_FIELD("max_rpcs_in_flight", struct device, rpcs,
		     .min = 1, .max = 256, .doc = "RPCs on the wire"),
	LP_TIME_FIELD("timeout", struct device, timeout, .unit = PARAMS_UNIT_SEC),
	LP_STR_RW("note", get_note, set_note),
	LP_STATS_RWC("stats", get_stats),
	LP_TRIGGER("ring", ring),
};

static const struct lustre_params_attr debug_attr[] = {
	LP_MASK_RW("debug", levels, get_mask, set_mask, .max = 0xf),
};

static const struct lustre_params_attr subsystem_attr[] = {
	LP_MASK_RW("subsystem_debug", subsystems, get_mask, set_mask, .max = 0xf),
};

static const struct lustre_params_attr other_attrs[] = {
	LP_U32_RO("version", get_stubborn),
	LP_U32_RW("volatile", get_clears, set_stubborn, .is_volatile = 1),
	LP_U32_RW("stubborn", get_stubborn, set_stubborn),
};

static const struct lustre_params_attr many_attr[] = {
	LP_U32_RO("value", get_stubborn),
};

static const struct params_stat_desc stat_descs[] = {
	{ .name = "requests", .unit = PARAMS_UNIT_REQS },
};

/* The first error is kept: no test distinguishes them. */
static void keep(int *first, int rc)
{
	if (!*first)
		*first = rc;
}

static struct lustre_params_entry *add_dir(struct lustre_params_entry *parent,
					   const char *name, int *rc)
{
	struct lustre_params_entry *dir = params_add_dir(parent, name, NULL);

	if (!IS_ERR(dir))
		return dir;
	keep(rc, PTR_ERR(dir));
	return NULL;
}

static int add_devices(void)
{
	struct lustre_params_entry *osc, *dir;
	char name[64];
	int rc = 0;
	int i;

	osc = add_dir(NULL, "osc", &rc);
	for (i = 0; i < DEVICES && !rc; i++) {
		devices[i] = (struct device){
			.rpcs = 8, .dirty = 32ULL << 20, .active = true,
			.timeout = 5000000000LL, .note = "plain",
		};
		snprintf(name, sizeof(name), "lustre-OST%04x", i);
		dir = add_dir(osc, name, &rc);
		if (dir)
			keep(&rc, params_add_attrs(dir, device_attrs,
						   ARRAY_SIZE(device_attrs),
						   &devices[i]));
	}
	keep(&rc, params_add_link(osc, "first", "osc/lustre-OST0000"));
	return rc;
}

/* Names with dots in them. */
static int add_nids(void)
{
	static const char *const nids[] = { "10.0.0.1@tcp", "10.0.0.2@tcp" };
	struct lustre_params_entry *exports, *plain, *dir;
	int rc = 0;
	unsigned int i;

	exports = add_dir(NULL, "exports", &rc);
	plain = add_dir(NULL, "peers", &rc);
	for (i = 0; i < ARRAY_SIZE(nids) && !rc; i++) {
		dir = add_dir(exports, nids[i], &rc);
		if (dir)
			keep(&rc, params_add_attrs(dir, many_attr, 1, NULL));
		dir = add_dir(plain, nids[i], &rc);
		if (dir)
			keep(&rc, params_add_attrs(dir, many_attr, 1, NULL));
	}
	return rc;
}

static int add_many(void)
{
	struct lustre_params_entry *many;
	char name[16];
	int rc = 0;
	int i;

	many = add_dir(NULL, "many", &rc);
	for (i = 0; i < REAL_TREE_MANY && !rc; i++) {
		snprintf(name, sizeof(name), "t%05d", i);
		add_dir(many, name, &rc);
	}
	return rc;
}

int real_tree_start(void)
{
	int rc = params_init();

	if (rc)
		return rc;
	shim_task()->capable = true;
	debug_mask = 0x5;
	subsystem_mask = 0x3;
	stats = params_stats_alloc(stat_descs, ARRAY_SIZE(stat_descs));
	keep(&rc, stats ? 0 : -ENOMEM);
	keep(&rc, params_add_attrs(NULL, debug_attr, 1, &debug_mask));
	keep(&rc, params_add_attrs(NULL, subsystem_attr, 1, &subsystem_mask));
	keep(&rc, params_add_attrs(NULL, other_attrs, ARRAY_SIZE(other_attrs),
				   NULL));
	keep(&rc, add_devices());
	keep(&rc, add_nids());
	keep(&rc, add_many());
	if (rc)
		real_tree_stop();
	return rc;
}

void real_tree_stop(void)
{
	params_reader_free(file.lf_reader);
	file.lf_reader = NULL;
	params_exit();
	params_stats_free(stats);
	stats = NULL;
}

void real_tree_be_root(int root)
{
	shim_task()->capable = root;
}

int real_tree_call(unsigned long cmd, void *arg)
{
	int rc;

	/* All of the caller's memory is user memory. */
	shim_user_add(NULL, SIZE_MAX / 2, true);
	rc = libcfs_iocontrol(&file, cmd, arg);
	shim_user_reset();
	return rc;
}
