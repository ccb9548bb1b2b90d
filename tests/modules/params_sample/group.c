// SPDX-License-Identifier: GPL-2.0-only
/*
 * A group of values of every type, in the proportions of a client's device.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "sample.h"

static const char *const checksum_names[] = {
	"crc32", "adler", "crc32c", "t10ip512", NULL
};

static const char *const connect_flag_names[] = {
	"read_only", "lov_index", "", "write_grant", "server_lock", "version",
	"request_portal", "acl", NULL
};

static const struct params_stat_desc op_descs[] = {
	[SAMPLE_OP_READ_BYTES] = {
		.name = "read_bytes", .unit = PARAMS_UNIT_BYTES,
		.flags = PARAMS_CF_MINMAX | PARAMS_CF_STDDEV },
	[SAMPLE_OP_WRITE_BYTES] = {
		.name = "write_bytes", .unit = PARAMS_UNIT_BYTES,
		.flags = PARAMS_CF_MINMAX },
	[SAMPLE_OP_READ] = { .name = "read", .unit = PARAMS_UNIT_REQS },
	[SAMPLE_OP_PING] = {
		.name = "ping", .unit = PARAMS_UNIT_USEC,
		.flags = PARAMS_CF_MINMAX },
};

static const struct params_stat_desc size_desc = {
	.name = "pages_per_rpc", .unit = PARAMS_UNIT_PAGES, .buckets = 12,
};

static int lock_count_get(void *data, u64 *val)
{
	struct sample_group *group = data;

	*val = 1000 + group->sg_index;
	return 0;
}

static int rpcs_in_flight_get(void *data, u64 *val)
{
	struct sample_group *group = data;

	*val = group->sg_index % 8;
	return 0;
}

static int kbytestotal_get(void *data, u64 *val)
{
	*val = 1ULL << 40;
	return 0;
}

static int kbytesfree_get(void *data, u64 *val)
{
	struct sample_group *group = data;

	*val = (1ULL << 39) + group->sg_index;
	return 0;
}

static int filestotal_get(void *data, u64 *val)
{
	*val = 10000000;
	return 0;
}

static int filesfree_get(void *data, u64 *val)
{
	*val = 9876543;
	return 0;
}

static int instance_get(void *data, u64 *val)
{
	struct sample_group *group = data;

	*val = 0xff4848b100000000ULL + group->sg_index;
	return 0;
}

static int checksum_type_get(void *data, u64 *val)
{
	struct sample_group *group = data;

	*val = READ_ONCE(group->checksum_type);
	return 0;
}

static int checksum_type_set(void *data, u64 val)
{
	struct sample_group *group = data;

	WRITE_ONCE(group->checksum_type, val);
	return 0;
}

static int connect_flags_get(void *data, u64 *val)
{
	struct sample_group *group = data;

	*val = READ_ONCE(group->connect_flags);
	return 0;
}

static int connect_flags_set(void *data, u64 val)
{
	struct sample_group *group = data;

	WRITE_ONCE(group->connect_flags, val);
	return 0;
}

/* A text for get_str: all of it or -EOVERFLOW. */
static ssize_t give_text(char *buf, size_t size, const char *text, size_t len)
{
	if (len > size)
		return -EOVERFLOW;
	memcpy(buf, text, len);
	return len;
}

static ssize_t uuid_get(void *data, char *buf, size_t size)
{
	struct sample_group *group = data;
	char text[SAMPLE_UUID_MAX];
	int len;

	len = scnprintf(text, sizeof(text), "lustre-OST%04x_UUID",
			group->sg_index);
	return give_text(buf, size, text, len);
}

static ssize_t fsname_get(void *data, char *buf, size_t size)
{
	return give_text(buf, size, "lustre", 6);
}

static ssize_t conn_uuid_get(void *data, char *buf, size_t size)
{
	struct sample_group *group = data;
	char text[SAMPLE_UUID_MAX];

	spin_lock(&group->sg_lock);
	strscpy(text, group->sg_conn_uuid, sizeof(text));
	spin_unlock(&group->sg_lock);
	return give_text(buf, size, text, strlen(text));
}

static int conn_uuid_set(const char *text, size_t len, void *data)
{
	struct sample_group *group = data;

	spin_lock(&group->sg_lock);
	strscpy(group->sg_conn_uuid, text, sizeof(group->sg_conn_uuid));
	spin_unlock(&group->sg_lock);
	return 0;
}

static struct params_stats *ops_get(void *data)
{
	struct sample_group *group = data;

	return group->sg_ops;
}

static struct params_stats *sizes_get(void *data)
{
	struct sample_group *group = data;

	return group->sg_sizes;
}

static void put_connect_data(struct params_sink *sink,
			     const struct sample_group *group)
{
	params_list_begin(sink, "connect_data", PARAMS_LIST_MAP);
	params_put_hex(sink, "flags", 0xa040401443000026ULL);
	params_put_u64(sink, "instance", 1);
	params_put_str(sink, "target_version", "2.17.57.0");
	params_put_u64(sink, "target_index", group->sg_index);
	params_list_end(sink);
}

static int import_read(struct params_sink *sink, void *data)
{
	const struct sample_group *group = data;

	params_list_begin(sink, "import", PARAMS_LIST_MAP);
	params_put_strf(sink, "name", "lustre-OST%04x-osc", group->sg_index);
	params_put_strf(sink, "target", "lustre-OST%04x_UUID", group->sg_index);
	params_put_str(sink, "state", "FULL");
	params_list_begin(sink, "connect_flags", PARAMS_LIST_FLOW_SEQ);
	params_put_str(sink, NULL, "lov_index");
	params_put_str(sink, NULL, "version");
	params_put_str(sink, NULL, "adaptive_timeouts");
	params_list_end(sink);
	put_connect_data(sink, group);
	params_list_end(sink);
	return params_sink_error(sink);
}

const struct lustre_params_attr sample_group_attrs[SAMPLE_GROUP_ATTRS] = {
	LP_BOOL_FIELD("active", struct sample_group, active, LP_DEF(1),
		      .doc = "whether requests are sent"),
	LP_ENUM_RW("checksum_type", checksum_names, checksum_type_get,
		   checksum_type_set, LP_DEF(2),
		   .doc = "algorithm that protects bulk data"),
	LP_BOOL_FIELD("checksums", struct sample_group, checksums, LP_DEF(1),
		      .doc = "protect bulk data"),
	LP_S64_FIELD("clock_skew", struct sample_group, clock_skew,
		     .doc = "difference to the server's clock"),
	LP_STR_RW("conn_uuid", conn_uuid_get, conn_uuid_set,
		  .min = 1, .max = SAMPLE_UUID_MAX - 1,
		  .doc = "peer that the device is connected to"),
	LP_MASK_RW("connect_flags", connect_flag_names, connect_flags_get,
		   connect_flags_set, .doc = "features agreed on"),
	LP_U32_FIELD("contended_locks", struct sample_group, contended_locks,
		     LP_DEF(32), .doc = "locks from which on a resource is contended"),
	LP_S64_FIELD("dirty_balance", struct sample_group, dirty_balance,
		     .doc = "grant owed, negative, or in hand"),
	LP_U64_RO("filesfree", filesfree_get, .doc = "objects that can be made"),
	LP_U64_RO("filestotal", filestotal_get, .doc = "objects in all"),
	LP_STR_RO("fsname", fsname_get, .doc = "name of the file system"),
	LP_BOOL_FIELD("grant_shrink", struct sample_group, grant_shrink,
		      .doc = "give unused grant back"),
	LP_TIME_FIELD("idle_timeout", struct sample_group, idle_timeout,
		      .unit = PARAMS_UNIT_SEC, .max = 3600ULL * NSEC_PER_SEC,
		      LP_DEF(20ULL * NSEC_PER_SEC),
		      .doc = "time after which an idle connection is closed"),
	LP_READER("import", import_read, .doc = "state of the connection"),
	LP_U64_RO("instance", instance_get, .hex = 1,
		  .doc = "which mount this is"),
	LP_U64_RO("kbytesfree", kbytesfree_get, .doc = "room left, in KiB"),
	LP_U64_RO("kbytestotal", kbytestotal_get, .doc = "room in all, in KiB"),
	LP_U32_FIELD("ldlm_enqueue_min", struct sample_group, ldlm_enqueue_min,
		     LP_DEF(100), .doc = "shortest time to wait for a lock"),
	LP_U32_RO("lock_count", lock_count_get, .doc = "locks held"),
	LP_TIME_FIELD("lru_max_age", struct sample_group, lru_max_age,
		      .unit = PARAMS_UNIT_MSEC,
		      LP_DEF(3900ULL * NSEC_PER_SEC),
		      .doc = "age at which an unused lock is dropped"),
	LP_U64_FIELD("lru_size", struct sample_group, lru_size,
		     .doc = "unused locks to keep, 0 adapts"),
	LP_BYTES_FIELD("max_dirty_mb", struct sample_group, max_dirty,
		       .unit = PARAMS_UNIT_MIB, .min = 1ULL << 20,
		       .max = 2048ULL << 20, LP_DEF(32ULL << 20),
		       .doc = "dirty data kept by this device"),
	LP_U32_FIELD("max_mod_rpcs_in_flight", struct sample_group,
		     max_mod_rpcs_in_flight, .min = 1, .max = 512, LP_DEF(7),
		     .doc = "changing requests on the wire"),
	LP_U32_FIELD("max_pages_per_rpc", struct sample_group,
		     max_pages_per_rpc, .min = 1, .max = 4096, LP_DEF(256),
		     .doc = "pages in a bulk request"),
	LP_U32_FIELD("max_parallel_ast", struct sample_group, max_parallel_ast,
		     .min = 1, .max = 65536, LP_DEF(1024),
		     .doc = "callbacks sent at the same time"),
	LP_U32_FIELD("max_rpcs_in_flight", struct sample_group,
		     max_rpcs_in_flight, .min = 1, .max = 256, LP_DEF(8),
		     .doc = "requests on the wire"),
	LP_S32_FIELD("nice_level", struct sample_group, nice_level,
		     .min = (u64)-20, .max = 19,
		     .doc = "priority of the device's threads"),
	LP_S32_FIELD("numa_node", struct sample_group, numa_node,
		     .min = (u64)-1, .max = 1023,
		     .doc = "node to allocate on, -1 for any"),
	LP_BOOL_FIELD("pinger_recov", struct sample_group, pinger_recov,
		      LP_DEF(1), .doc = "let pings reconnect"),
	LP_U32_FIELD("resend_count", struct sample_group, resend_count,
		     .max = 100, LP_DEF(10), .doc = "times a request is sent again"),
	LP_STATS_RWC("rpc_sizes", sizes_get, .doc = "pages in a request"),
	LP_U32_RO("rpcs_in_flight", rpcs_in_flight_get,
		  .doc = "requests on the wire now"),
	LP_BYTES_FIELD("short_io_bytes", struct sample_group, short_io_bytes,
		       .unit = PARAMS_UNIT_BYTES, .max = 64ULL << 10,
		       LP_DEF(16ULL << 10),
		       .doc = "largest transfer that travels in the request"),
	LP_U32_FIELD("short_io_pages", struct sample_group, short_io_pages,
		     .max = 16, LP_DEF(4), .doc = "the same in pages"),
	LP_STATS_RWC("stats", ops_get, .doc = "counters of operations"),
	LP_STR_RO("uuid", uuid_get, .doc = "the target's own name"),
};

static void set_defaults(struct sample_group *group)
{
	group->active = true;
	group->checksums = true;
	group->pinger_recov = true;
	group->checksum_type = 2;
	group->contended_locks = 32;
	group->idle_timeout = 20LL * NSEC_PER_SEC;
	group->lru_max_age = 3900LL * NSEC_PER_SEC;
	group->ldlm_enqueue_min = 100;
	group->max_dirty = 32ULL << 20;
	group->max_mod_rpcs_in_flight = 7;
	group->max_pages_per_rpc = 256;
	group->max_parallel_ast = 1024;
	group->max_rpcs_in_flight = 8;
	group->numa_node = -1;
	group->resend_count = 10;
	group->short_io_bytes = 16ULL << 10;
	group->short_io_pages = 4;
	group->clock_skew = -3;
	group->connect_flags = 0x2b;
}

static int alloc_stats(struct sample_group *group)
{
	group->sg_ops = params_stats_alloc(op_descs, ARRAY_SIZE(op_descs));
	if (!group->sg_ops)
		return -ENOMEM;
	group->sg_sizes = params_stats_alloc(&size_desc, 1);
	if (!group->sg_sizes) {
		params_stats_free(group->sg_ops);
		return -ENOMEM;
	}
	group->sg_own_stats = true;
	return 0;
}

/**
 * sample_group_alloc() - make a group's data with its defaults
 * @index: number in the group's name
 * @shared: group whose counters to use too, or NULL for counters of its own
 *
 * Context: may sleep.
 * Return: the group, or NULL when there is no memory
 */
struct sample_group *sample_group_alloc(u32 index, struct sample_group *shared)
{
	struct sample_group *group;

	group = libcfs_zalloc(sizeof(*group), GFP_KERNEL);
	if (!group)
		return NULL;
	group->sg_index = index;
	spin_lock_init(&group->sg_lock);
	scnprintf(group->sg_conn_uuid, sizeof(group->sg_conn_uuid),
		  "10.0.%u.%u@tcp", index >> 8 & 0xff, index & 0xff);
	set_defaults(group);
	if (shared) {
		group->sg_ops = shared->sg_ops;
		group->sg_sizes = shared->sg_sizes;
	} else if (alloc_stats(group)) {
		libcfs_free(group, sizeof(*group));
		return NULL;
	}
	return group;
}

/**
 * sample_group_free() - give a group's data back
 * @group: must be in no tree any more
 */
void sample_group_free(struct sample_group *group)
{
	if (group->sg_own_stats) {
		params_stats_free(group->sg_sizes);
		params_stats_free(group->sg_ops);
	}
	libcfs_free(group, sizeof(*group));
}

/**
 * sample_group_sample() - count as if requests had been sent
 * @group: group
 * @samples: how many
 */
void sample_group_sample(struct sample_group *group, unsigned int samples)
{
	unsigned int i;

	for (i = 0; i < samples; i++) {
		params_stats_add(group->sg_ops, SAMPLE_OP_READ_BYTES, 1048576);
		params_stats_add(group->sg_ops, SAMPLE_OP_WRITE_BYTES, 4096);
		params_stats_add(group->sg_ops, SAMPLE_OP_READ, 1);
		params_stats_add(group->sg_ops, SAMPLE_OP_PING, 100 + i % 50);
		params_stats_add(group->sg_sizes, 0, i % 300);
	}
}

/**
 * sample_group_publish() - add a group and its values to the tree at once
 * @group: group
 * @parent: where
 * @name: name of the directory
 * @count: how many of its values, at most SAMPLE_GROUP_ATTRS
 *
 * Return: 0 or a negative errno; then nothing of it is in the tree
 */
int sample_group_publish(struct sample_group *group,
			 struct lustre_params_entry *parent, const char *name,
			 size_t count)
{
	struct lustre_params_entry *dir;
	int rc;

	dir = params_add_dir_hidden(parent, name, group);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	rc = params_add_attrs(dir, sample_group_attrs, count, group);
	if (!rc)
		rc = params_publish(dir);
	if (rc) {
		params_remove(dir);
		return rc;
	}
	group->sg_dir = dir;
	return 0;
}

/**
 * sample_group_unpublish() - take a group out of the tree
 * @group: group; when this returns no callback of it runs
 *
 * Context: may sleep, for as long as a callback of the group runs.
 */
void sample_group_unpublish(struct sample_group *group)
{
	if (group->sg_dir)
		params_remove(group->sg_dir);
	group->sg_dir = NULL;
}
