// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tree with an entry of every type, links, a hidden group and deep paths; and
 * what its owner does to it between two calls.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <lustre_lite/params.h>
#include <shim/locks.h>

#include "params/params_internal.h"
#include "fuzz_input.h"
#include "fuzz_ioctl.h"

/* Longest text that is declared. */
#define TEXT_MAX	200

struct data {
	u32	u32;
	u32	colour;
	u64	u64;
	s32	s32;
	s64	s64;
	bool	flag;
	u64	bytes;
	u64	mask;
	s64	time;
	char	text[TEXT_MAX + 1];
	size_t	big;
	int	fail;
	int	fail_set;
};

static struct data data;
static struct params_stats *stats;
static const char *const colours[] = { "red", "", "green", "blue", NULL };

static int get_colour(void *arg, u64 *val)
{
	shim_assert_no_rwsem("callback");
	*val = data.colour;
	return data.fail;
}

static int set_colour(void *arg, u64 val)
{
	FUZZ_CHECK(val < 4 && val != 1);
	data.colour = val;
	return data.fail;
}

static int get_mask(void *arg, u64 *val)
{
	*val = data.mask;
	return 0;
}

static int set_mask(void *arg, u64 val)
{
	data.mask = val;
	return data.fail;
}

static int set_small(void *arg, u64 val)
{
	/* The purpose of the range. */
	FUZZ_CHECK(val >= 2 && val <= 99);
	data.u32 = val;
	return data.fail_set;
}

static int get_small(void *arg, u64 *val)
{
	*val = data.u32;
	return data.fail;
}

static ssize_t get_text(void *arg, char *buf, size_t size)
{
	size_t len = strlen(data.text);

	if (len > size)
		return -EOVERFLOW;
	memcpy(buf, data.text, len);
	return data.fail ?: (ssize_t)len;
}

static int set_text(const char *text, size_t len, void *arg)
{
	FUZZ_CHECK(len <= TEXT_MAX && strlen(text) == len);
	memcpy(data.text, text, len + 1);
	return data.fail;
}

static int trigger(const char *text, size_t len, void *arg)
{
	FUZZ_CHECK(strlen(text) == len);
	return data.fail;
}

static u64 total(void *arg)
{
	return 1000000;
}

static int read_big(struct params_sink *sink, void *arg)
{
	static char text[4096];
	size_t left = data.big;

	while (left && !params_sink_error(sink)) {
		size_t part = min(left, sizeof(text));

		memset(text, 'x', part);
		params_put_strn(sink, "part", text, part);
		left -= part;
	}
	return data.fail;
}

static int read_nested(struct params_sink *sink, void *arg)
{
	unsigned int n;

	params_list_begin(sink, "outer", PARAMS_LIST_MAP);
	for (n = 0; n < data.big % 100; n++) {
		params_put_bool(sink, "yes", n & 1);
		params_put_blob(sink, NULL, &data, n);
	}
	params_list_begin(sink, NULL, PARAMS_LIST_FLOW_SEQ);
	params_put_strf(sink, NULL, "%u things", n);
	params_list_end(sink);
	/* Sometimes it forgets to close what it opened. */
	if (data.big != 77)
		params_list_end(sink);
	return params_sink_error(sink);
}

static struct params_stats *get_stats(void *arg)
{
	return data.fail ? NULL : stats;
}

static const struct params_stat_desc stat_descs[] = {
	{ .name = "a", .flags = PARAMS_CF_MINMAX | PARAMS_CF_STDDEV },
	{ .name = "b", .buckets = 10 },
};

static const struct lustre_params_attr attrs[] = {
	LP_U32_FIELD("field", struct data, u32, .hex = 1),
	LP_U64_FIELD("u64", struct data, u64),
	LP_S32_FIELD("s32", struct data, s32, LP_DEF(7), .doc = "a number"),
	LP_S64_FIELD("s64", struct data, s64, .min = (u64)-5, .max = 5),
	LP_BOOL_FIELD("flag", struct data, flag, LP_DEF(1)),
	LP_BYTES_FIELD("bytes", struct data, bytes, .unit = PARAMS_UNIT_MIB,
		       .total = total, .max = 1ULL << 40, LP_DEF(1 << 20)),
	LP_TIME_FIELD("time", struct data, time, .unit = PARAMS_UNIT_MSEC,
		      .max = 1ULL << 62),
	LP_U32_RW("small", get_small, set_small, .min = 2, .max = 99),
	LP_ENUM_RW("enum", colours, get_colour, set_colour, LP_DEF(2)),
	LP_MASK_RW("mask", colours, get_mask, set_mask, .max = 0xff),
	LP_STR_RW("text", get_text, set_text, .max = TEXT_MAX),
	LP_READER("big", read_big),
	LP_READER("nested", read_nested),
	LP_STATS_RWC("stats", get_stats),
	LP_TRIGGER("trigger", trigger),
	LP_U32_RO("vol", get_small, .is_volatile = 1),
	{ .name = "secret", .type = PARAMS_T_U32, .mode = 0600, .field = 1,
	  .offset = offsetof(struct data, u32) },
};

static const char *const paths[] = {
	"", "s", "s/field", "s/u64", "s/s32", "s/s64", "s/flag", "s/bytes",
	"s/time", "s/small", "s/enum", "s/mask", "s/text", "s/big", "s/nested",
	"s/stats", "s/trigger", "s/vol", "s/secret", "l", "d", "d/small",
	"h", "h/small", "dyn", "dyn/small", "dyn/dir", "deep/1/2/3", "deep/1",
	"s/no", "no", "s/small/x", "d/d", "link",
};

const char *fuzz_tree_path(u8 which)
{
	return paths[which % ARRAY_SIZE(paths)];
}

void fuzz_tree_reset(void)
{
	data = (struct data){
		.u32 = 8, .colour = 2, .text = "some text", .big = 300,
		.bytes = 3 << 19,
	};
}

static void add_subject(const char *name, bool hidden)
{
	struct lustre_params_entry *dir;

	dir = params_add_dir_hidden(NULL, name, NULL);
	FUZZ_CHECK(!IS_ERR(dir));
	FUZZ_CHECK(!params_add_attrs(dir, attrs, ARRAY_SIZE(attrs), &data));
	if (!hidden)
		FUZZ_CHECK(!params_publish(dir));
}

void fuzz_tree_init(void)
{
	struct lustre_params_entry *dir;

	FUZZ_CHECK(!params_init());
	stats = params_stats_alloc(stat_descs, ARRAY_SIZE(stat_descs));
	FUZZ_CHECK(stats);
	fuzz_tree_reset();
	add_subject("s", false);
	add_subject("h", true);
	FUZZ_CHECK(!params_add_link(NULL, "l", "s/small"));
	FUZZ_CHECK(!params_add_link(NULL, "d", "s"));
	dir = params_add_dir(NULL, "deep", NULL);
	dir = params_add_dir(dir, "1", NULL);
	dir = params_add_dir(dir, "2", NULL);
	FUZZ_CHECK(!IS_ERR(params_add_dir(dir, "3", NULL)));
}

static void add_dyn(void)
{
	struct lustre_params_entry *dir = params_add_dir(NULL, "dyn", NULL);

	if (IS_ERR(dir))
		return;
	params_add_attrs(dir, attrs, ARRAY_SIZE(attrs), &data);
	params_add_dir(dir, "dir", NULL);
}

void fuzz_tree_act(struct fuzz_input *in)
{
	u8 what = fuzz_u8(in);

	switch (what % 8) {
	case 0:
		add_dyn();
		break;
	case 1:
		params_delete_entry(NULL, "dyn");
		break;
	case 2:
		params_add_link(NULL, "link", fuzz_tree_path(what / 8));
		break;
	case 3:
		params_delete_entry(NULL, "link");
		break;
	case 4:
		data.fail = what & 8 ? -EREMOTEIO : 0;
		data.fail_set = what & 16 ? -EREMOTEIO : 0;
		break;
	case 5:
		data.big = fuzz_u32(in) % 300000;
		break;
	case 6:
		params_stats_add(stats, what / 8 % 2, fuzz_u64(in));
		break;
	case 7:
		/* Of its own accord the owner keeps to what it declared. */
		memset(data.text, 'y', fuzz_u32(in) % (TEXT_MAX + 1));
		data.text[TEXT_MAX] = '\0';
		break;
	}
}
