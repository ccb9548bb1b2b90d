// SPDX-License-Identifier: GPL-2.0-only
/* Entries of every type; see params_subject.h. */
#include "shim_cmocka.h"

#include <stdio.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <shim/alloc.h>
#include <shim/event.h>
#include <shim/locks.h>
#include <shim/log.h>
#include <shim/task.h>
#include <shim/user.h>

#include "libcfs/libcfs_internal.h"
#include "params/params_internal.h"
#include "params_subject.h"

static const char *const colours[] = SUBJECT_COLOURS;

static int called(struct subject *s)
{
	shim_assert_no_rwsem("callback");
	shim_might_sleep("callback");
	__atomic_fetch_add(&s->calls, 1, __ATOMIC_RELAXED);
	return READ_ONCE(s->fail);
}

static int set_called(struct subject *s)
{
	int rc = called(s);

	if (rc || !s->good_sets)
		return rc ?: READ_ONCE(s->fail_set);
	s->good_sets--;
	return 0;
}

#define SUBJECT_GET(member, type)					\
static int get_##member(void *data, type *val)				\
{									\
	struct subject *s = data;					\
									\
	*val = READ_ONCE(s->member);					\
	return called(s);						\
}

#define SUBJECT_SET(member, type)					\
static int set_##member(void *data, type val)				\
{									\
	struct subject *s = data;					\
	int rc = set_called(s);						\
									\
	if (!rc)							\
		WRITE_ONCE(s->member, val);				\
	return rc;							\
}

SUBJECT_GET(u32, u64)
SUBJECT_SET(u32, u64)
SUBJECT_GET(u64, u64)
SUBJECT_SET(u64, u64)
SUBJECT_GET(s32, s64)
SUBJECT_SET(s32, s64)
SUBJECT_GET(s64, s64)
SUBJECT_SET(s64, s64)
SUBJECT_GET(boolean, u64)
SUBJECT_SET(boolean, u64)
SUBJECT_GET(colour, u64)
SUBJECT_SET(colour, u64)
SUBJECT_GET(bytes, u64)
SUBJECT_SET(bytes, u64)
SUBJECT_GET(mask, u64)
SUBJECT_SET(mask, u64)
SUBJECT_GET(time, s64)
SUBJECT_SET(time, s64)

static ssize_t get_text(void *data, char *buf, size_t size)
{
	struct subject *s = data;
	size_t len = strlen(s->text);
	int rc = called(s);

	if (rc)
		return rc;
	if (len > size)
		return -EOVERFLOW;
	memcpy(buf, s->text, len);
	return len;
}

static int set_text(const char *text, size_t len, void *data)
{
	struct subject *s = data;
	int rc = set_called(s);

	assert_int_equal(text[len], '\0');
	assert_int_equal(strlen(text), len);
	if (rc)
		return rc;
	if (len >= sizeof(s->text))
		return -ENOSPC;
	memcpy(s->text, text, len + 1);
	return 0;
}

static int read_big(struct params_sink *sink, void *data)
{
	struct subject *s = data;
	char part[1000];
	size_t left = s->big;
	unsigned int n = 0;

	while (left) {
		size_t len = min(left, sizeof(part));

		memset(part, 'a' + n++ % 26, len);
		if (params_put_strn(sink, NULL, part, len))
			break;
		left -= len;
	}
	return called(s) ?: params_sink_error(sink);
}

static int read_records(struct params_sink *sink, void *data)
{
	struct subject *s = data;
	unsigned int n;

	params_list_begin(sink, "records", PARAMS_LIST_MAP);
	for (n = 0; n < s->records; n++)
		params_put_u64(sink, "n", n);
	params_list_end(sink);
	return called(s) ?: params_sink_error(sink);
}

static struct params_stats *get_stats(void *data)
{
	struct subject *s = data;

	return called(s) ? NULL : s->stats;
}

static int trigger(const char *text, size_t len, void *data)
{
	struct subject *s = data;

	assert_int_equal(text[len], '\0');
	return set_called(s) ?: s->fail_trigger;
}

static u64 total(void *data)
{
	called(data);
	return 1ULL << 30;
}

static const struct lustre_params_attr attrs[] = {
	LP_U32_RW("u32", get_u32, set_u32, .min = 1, .max = 256, LP_DEF(8),
		  .unit = PARAMS_UNIT_REQS, .doc = "requests"),
	LP_U64_RW("u64", get_u64, set_u64, .hex = 1),
	LP_S32_RW("s32", get_s32, set_s32),
	LP_S64_RW("s64", get_s64, set_s64, .min = (u64)-100, .max = 100),
	LP_BOOL_RW("bool", get_boolean, set_boolean, LP_DEF(1)),
	LP_ENUM_RW("enum", colours, get_colour, set_colour, LP_DEF(3)),
	LP_MASK_RW("mask", colours, get_mask, set_mask),
	LP_BYTES_RW("bytes", get_bytes, set_bytes, .unit = PARAMS_UNIT_MIB,
		    .max = 1ULL << 40, .total = total),
	LP_TIME_RW("time", get_time, set_time, .unit = PARAMS_UNIT_SEC),
	LP_TIME_RO("born", get_time, .wall = 1),
	LP_STR_RW("string", get_text, set_text, .min = 1, .max = 1000),
	LP_U32_FIELD("field", struct subject, field, .max = 1000),
	LP_READER("big", read_big),
	LP_READER("records", read_records),
	LP_STATS_RWC("stats", get_stats),
	LP_TRIGGER("trigger", trigger),
	LP_U32_RO("ro", get_u32),
	LP_U32_RO("volatile", get_u32, .is_volatile = 1),
	{ .name = "secret", .type = PARAMS_T_U32, .mode = 0600,
	  .get_u = get_u32, .set_u = set_u32 },
	{ .name = "wo", .type = PARAMS_T_U32, .mode = 0200, .set_u = set_u32 },
};

static const struct params_stat_desc stat_descs[] = {
	{ .name = "requests", .unit = PARAMS_UNIT_REQS },
	{ .name = "latency", .unit = PARAMS_UNIT_USEC,
	  .flags = PARAMS_CF_MINMAX | PARAMS_CF_STDDEV },
	{ .name = "sizes", .unit = PARAMS_UNIT_BYTES, .buckets = 8 },
};

static void subject_fill(struct subject *s)
{
	struct params_stats *stats = s->stats;
	struct lustre_params_entry *dir = s->dir;

	*s = (struct subject){
		.dir = dir, .stats = stats, .u32 = 8, .u64 = 0xabc,
		.s32 = -5, .s64 = -50, .boolean = 1, .colour = 3,
		.bytes = 3ULL << 19, .mask = 9, .time = 1500000000,
		.text = "some text", .field = 42, .big = 100, .records = 3,
	};
}

int subject_add(struct subject *s, const char *name)
{
	int rc;

	memset(s, 0, sizeof(*s));
	s->stats = params_stats_alloc(stat_descs, ARRAY_SIZE(stat_descs));
	if (!s->stats)
		return -ENOMEM;
	s->dir = params_add_dir_hidden(NULL, name, NULL);
	rc = PTR_ERR_OR_ZERO(s->dir);
	if (rc)
		goto free_stats;
	subject_fill(s);
	rc = params_add_attrs(s->dir, attrs, ARRAY_SIZE(attrs), s);
	if (!rc)
		rc = params_publish(s->dir);
	if (!rc)
		return 0;
	params_remove(s->dir);
free_stats:
	params_stats_free(s->stats);
	s->stats = NULL;
	return rc;
}

void subject_remove(struct subject *s)
{
	params_remove(s->dir);
	params_stats_free(s->stats);
	memset(s, 0xee, sizeof(*s));
}

static long live_before;

int tree_setup(void **state)
{
	live_before = shim_alloc_live();
	shim_log_clear();
	shim_events_clear();
	shim_user_reset();
	shim_task()->capable = true;
	shim_task()->signals_after = 0;
	return params_init();
}

/* All that was allocated is free, and the account of memory agrees. */
int tree_teardown(void **state)
{
	params_exit();
	libcfs_mem_check();
	assert_int_equal(shim_log_count("leaked"), 0);
	assert_int_equal(shim_alloc_live(), live_before);
	return 0;
}
