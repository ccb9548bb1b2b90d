// SPDX-License-Identifier: GPL-2.0-only
/* lustre_cfg: valid and invalid commands, and that encoding restores the bytes. */
#include "shim_cmocka.h"

#include <stdlib.h>

#include "llog_golden.h"

/* A copy of exactly its size, for a read beyond it to be seen. */
static u8 *exact(const void *bytes, size_t len)
{
	u8 *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	return copy;
}

static void same_view(const struct lcfg_view *one, const struct lcfg_view *other)
{
	u32 n;

	assert_int_equal(one->command, other->command);
	assert_int_equal(one->num, other->num);
	assert_int_equal(one->flags, other->flags);
	assert_int_equal(one->nid, other->nid);
	assert_int_equal(one->nal, other->nal);
	assert_int_equal(one->bufcount, other->bufcount);
	for (n = 0; n < one->bufcount; n++) {
		assert_int_equal(one->buf[n].len, other->buf[n].len);
		if (one->buf[n].len)
			assert_memory_equal(one->buf[n].data,
					    other->buf[n].data,
					    one->buf[n].len);
		else
			assert_null(one->buf[n].data);
	}
}

static void all_sizes_of_buffers_round_trip(void **state)
{
	static const u32 sizes[] = { 0, 1, 7, 8, 9, 15, 16, 17, 255, 4000 };
	const size_t count = ARRAY_SIZE(sizes);
	char text[4000];
	u8 bytes[LUSTRE_CFG_SIZE_MAX];
	struct lcfg_view view, again;
	size_t one, other;
	ssize_t len;
	u8 *copy;

	(void)state;
	memset(text, 'x', sizeof(text));
	for (one = 0; one < count; one++) {
		for (other = 0; other < count; other++) {
			lcfg_init(&view, LCFG_PARAM, "dev");
			view.num = 0x01020304;
			view.flags = 5;
			view.nid = 0x1122334455667788;
			view.nal = 6;
			assert_int_equal(lcfg_add_buf(&view, text, sizes[one]), 0);
			assert_int_equal(lcfg_add_buf(&view, text, sizes[other]), 0);
			len = lustre_cfg_encode(&view, bytes, sizeof(bytes));
			assert_int_equal(len, lustre_cfg_size(&view));
			assert_int_equal(len % 8, 0);
			copy = exact(bytes, (size_t)len);
			assert_int_equal(lustre_cfg_decode(copy, (size_t)len,
							   &again, NULL), 0);
			same_view(&view, &again);
			free(copy);
		}
	}
}

static void encoding_is_the_documented_layout(void **state)
{
	static const u8 want[] = {
		0x01, 0x00, 0xf6, 0x1c,	0x05, 0xf0, 0x0c, 0x00,
		0x0c, 0, 0, 0,		0, 0, 0, 0,
		0x01, 0, 0, 0x0a, 0, 0, 0x02, 0,
		0, 0, 0, 0,		2, 0, 0, 0,
		0, 0, 0, 0,		4, 0, 0, 0,
		'm', 'g', 's', 0, 0, 0, 0, 0,
	};
	struct lcfg_view view;
	u8 bytes[sizeof(want)];

	(void)state;
	lcfg_init(&view, LCFG_ADD_UUID, NULL);
	view.num = 12;
	view.nid = 0x000200000a000001;
	assert_int_equal(lcfg_add_string(&view, "mgs"), 0);
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(lustre_cfg_encode(&view, bytes, sizeof(bytes)),
			 sizeof(want));
	assert_memory_equal(bytes, want, sizeof(want));
}

static void room_and_count_are_checked_when_encoding(void **state)
{
	static char large[LUSTRE_CFG_SIZE_MAX];
	u8 bytes[LUSTRE_CFG_SIZE_MAX];
	struct lcfg_view view;
	size_t size;
	u32 n;

	(void)state;
	lcfg_init(&view, LCFG_SETUP, "dev");
	size = lustre_cfg_size(&view);
	assert_int_equal(lustre_cfg_encode(&view, bytes, size - 1), -ENOSPC);
	assert_int_equal(lustre_cfg_encode(&view, bytes, size), size);
	for (n = 1; n < LUSTRE_CFG_MAX_BUFCOUNT; n++)
		assert_int_equal(lcfg_add_string(&view, "x"), 0);
	assert_int_equal(lcfg_add_string(&view, "x"), -E2BIG);
	assert_int_equal(view.bufcount, LUSTRE_CFG_MAX_BUFCOUNT);
	view.bufcount++;
	assert_int_equal(lustre_cfg_encode(&view, bytes, sizeof(bytes)), -EINVAL);
	view.bufcount = 0;
	assert_int_equal(lustre_cfg_encode(&view, bytes, sizeof(bytes)), -EINVAL);
	lcfg_init(&view, LCFG_SETUP, "dev");
	assert_int_equal(lcfg_add_buf(&view, large, sizeof(large) + 1), -E2BIG);
	assert_int_equal(lcfg_add_buf(&view, large, sizeof(large)), 0);
	assert_int_equal(lustre_cfg_encode(&view, bytes, sizeof(bytes)), -E2BIG);
}

/* A command with two buffers and one defect. */
static const struct refusal {
	size_t		at;
	u32		value;
	const char	*why;
} refusals[] = {
	{ 0, LUSTRE_CFG_VERSION + 1, "its version is not 0x1cf60001" },
	{ 0, 0, "its version is not 0x1cf60001" },
	{ 28, 0, "its number of buffers is not 1 to 8" },
	{ 28, 9, "its number of buffers is not 1 to 8" },
	{ 28, 0xffffffff, "its number of buffers is not 1 to 8" },
	{ 28, 8, "it ends inside the lengths of its buffers" },
	{ 32, 17, "a buffer goes beyond its end" },
	{ 32, 0xffffffff, "a buffer goes beyond its end" },
	{ 36, 9, "a buffer goes beyond its end" },
	{ 36, 0xfffffff9, "a buffer goes beyond its end" },
};

static void each_wrong_field_is_refused_with_its_reason(void **state)
{
	struct lcfg_view view;
	const char *why;
	u8 bytes[56], *copy;
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(refusals); n++) {
		lcfg_init(&view, LCFG_ATTACH, "device");
		lcfg_add_string(&view, "lov");
		assert_int_equal(lustre_cfg_encode(&view, bytes, sizeof(bytes)), 56);
		codec_put32(bytes + refusals[n].at, refusals[n].value);
		copy = exact(bytes, sizeof(bytes));
		why = NULL;
		assert_int_equal(lustre_cfg_decode(copy, sizeof(bytes), &view,
						   &why), -EINVAL);
		assert_string_equal(why, refusals[n].why);
		assert_int_equal(view.bufcount, 0);
		free(copy);
	}
}

static void a_command_cut_anywhere_is_refused(void **state)
{
	struct lcfg_view view;
	const char *why;
	u8 bytes[56], *copy;
	size_t len;

	(void)state;
	lcfg_init(&view, LCFG_ATTACH, "device");
	lcfg_add_string(&view, "lov");
	assert_int_equal(lustre_cfg_encode(&view, bytes, sizeof(bytes)), 56);
	for (len = 0; len < sizeof(bytes); len++) {
		copy = exact(bytes, len);
		why = NULL;
		assert_int_equal(lustre_cfg_decode(copy, len, &view, &why),
				 -EINVAL);
		assert_non_null(why);
		free(copy);
	}
}

static void a_command_larger_than_8192_bytes_is_refused(void **state)
{
	size_t len = LUSTRE_CFG_SIZE_MAX + 8;
	struct lcfg_view view;
	const char *why = NULL;
	u8 *bytes = calloc(1, len);

	(void)state;
	codec_put32(bytes, LUSTRE_CFG_VERSION);
	codec_put32(bytes + 28, 1);
	codec_put32(bytes + 32, LUSTRE_CFG_SIZE_MAX - 40);
	assert_int_equal(lustre_cfg_decode(bytes, len, &view, &why), 0);
	codec_put32(bytes + 32, LUSTRE_CFG_SIZE_MAX - 39);
	assert_int_equal(lustre_cfg_decode(bytes, len, &view, &why), -EINVAL);
	assert_string_equal(why, "it is larger than 8192 bytes");
	free(bytes);
}

static void bytes_behind_and_padding_mean_nothing(void **state)
{
	struct lcfg_view view, again;
	u8 bytes[64];

	(void)state;
	memset(bytes, 0xee, sizeof(bytes));
	lcfg_init(&view, LCFG_ATTACH, "device");
	lcfg_add_string(&view, "lov");
	assert_int_equal(lustre_cfg_encode(&view, bytes, sizeof(bytes)), 56);
	bytes[55] = 0xee;
	assert_int_equal(lustre_cfg_decode(bytes, sizeof(bytes), &again, NULL), 0);
	same_view(&view, &again);
}

static void text_needs_a_nul(void **state)
{
	struct lcfg_view view;

	(void)state;
	lcfg_init(&view, LCFG_ATTACH, NULL);
	assert_null(lcfg_string(&view, 0));
	lcfg_add_string(&view, "lov");
	assert_string_equal(lcfg_string(&view, 1), "lov");
	lcfg_add_buf(&view, "lov", 3);
	assert_null(lcfg_string(&view, 2));
	lcfg_add_buf(&view, "a\0b", 3);
	assert_string_equal(lcfg_string(&view, 3), "a");
	assert_null(lcfg_string(&view, 4));
	assert_null(lcfg_string(&view, 0xffffffff));
}

static void make_marker(u8 *bytes)
{
	memset(bytes, 0, sizeof(struct cfg_marker));
	codec_put32(bytes, 7);
	codec_put32(bytes + 4, CM_START | CM_SKIP);
	codec_put32(bytes + 8, 0x02070000);
	codec_put64(bytes + 16, 0x1122334455667788);
	codec_put64(bytes + 24, 9);
	memcpy(bytes + 32, "t32fs-OST0000\0garbage", 21);
	memcpy(bytes + 96, "add osc", 7);
}

static void a_marker_is_taken_apart(void **state)
{
	u8 bytes[sizeof(struct cfg_marker)];
	struct lcfg_marker marker;
	struct lcfg_view view;

	(void)state;
	make_marker(bytes);
	lcfg_init(&view, LCFG_MARKER, NULL);
	lcfg_add_buf(&view, bytes, sizeof(bytes));
	assert_int_equal(lcfg_marker_decode(&view, &marker), 0);
	assert_int_equal(marker.step, 7);
	assert_int_equal(marker.flags, CM_START | CM_SKIP);
	assert_int_equal(marker.vers, 0x02070000);
	assert_int_equal(marker.createtime, 0x1122334455667788);
	assert_int_equal(marker.canceltime, 9);
	assert_string_equal(marker.tgtname, "t32fs-OST0000");
	assert_int_equal(marker.tgtname[14], 0);
	assert_string_equal(marker.comment, "add osc");
}

static void what_is_no_marker_is_refused(void **state)
{
	u8 bytes[sizeof(struct cfg_marker)];
	struct lcfg_marker marker;
	struct lcfg_view view;

	(void)state;
	make_marker(bytes);
	lcfg_init(&view, LCFG_SETUP, NULL);
	lcfg_add_buf(&view, bytes, sizeof(bytes));
	assert_int_equal(lcfg_marker_decode(&view, &marker), -EINVAL);
	lcfg_init(&view, LCFG_MARKER, NULL);
	assert_int_equal(lcfg_marker_decode(&view, &marker), -EINVAL);
	lcfg_add_buf(&view, bytes, sizeof(bytes) - 1);
	assert_int_equal(lcfg_marker_decode(&view, &marker), -EINVAL);
	lcfg_init(&view, LCFG_MARKER, NULL);
	lcfg_add_buf(&view, bytes, sizeof(bytes));
	memset(bytes + 32, 'x', MTI_NAME_MAXLEN);
	assert_int_equal(lcfg_marker_decode(&view, &marker), -EINVAL);
	make_marker(bytes);
	memset(bytes + 96, 'x', MTI_NAME_MAXLEN);
	assert_int_equal(lcfg_marker_decode(&view, &marker), -EINVAL);
}

static void check_lov_desc(const struct lcfg_view *view)
{
	struct lcfg_lov_desc desc;

	assert_int_equal(lcfg_lov_desc_decode(view, &desc), 0);
	assert_int_equal(desc.tgt_count, 3);
	assert_int_equal(desc.magic, LOV_DESC_MAGIC);
	assert_int_equal(desc.stripe_count, 0xffffffff);
	assert_int_equal(desc.pattern, 1);
	assert_int_equal(desc.stripe_size, 1 << 20);
	assert_int_equal(desc.stripe_offset, 0xffffffffffffffff);
	assert_int_equal(desc.qos_maxage, 5);
	assert_string_equal(desc.uuid, "lov_UUID");
}

static void the_settings_of_a_lov_are_taken_apart_in_both_orders(void **state)
{
	u8 bytes[sizeof(struct lov_desc)] = { 0 };
	u8 whole[256];
	struct lcfg_lov_desc desc;
	struct lcfg_view view;
	ssize_t len;

	(void)state;
	codec_put32(bytes, 3);
	codec_put32(bytes + 4, LOV_DESC_MAGIC);
	codec_put32(bytes + 8, 0xffffffff);
	codec_put32(bytes + 12, 1);
	codec_put64(bytes + 16, 1 << 20);
	codec_put64(bytes + 24, 0xffffffffffffffff);
	codec_put32(bytes + 36, 5);
	memcpy(bytes + 48, "lov_UUID", 8);
	lcfg_init(&view, LCFG_SETUP, "lov");
	lcfg_add_buf(&view, bytes, sizeof(bytes));
	check_lov_desc(&view);
	len = lustre_cfg_encode(&view, whole, sizeof(whole));
	golden_swap_cfg(whole, (size_t)len);
	assert_int_equal(lustre_cfg_decode(whole, (size_t)len, &view, NULL), 0);
	assert_true(view.swapped);
	check_lov_desc(&view);
	memset(bytes + 48, 'x', LOV_DESC_UUID_LEN);
	lcfg_init(&view, LCFG_SETUP, "lov");
	assert_int_equal(lcfg_lov_desc_decode(&view, &desc), -EINVAL);
	lcfg_add_buf(&view, bytes, sizeof(bytes));
	assert_int_equal(lcfg_lov_desc_decode(&view, &desc), -EINVAL);
	view.buf[1].len--;
	assert_int_equal(lcfg_lov_desc_decode(&view, &desc), -EINVAL);
}

static void every_number_of_the_other_order_is_turned(void **state)
{
	struct lcfg_view view, again;
	u8 bytes[56];

	(void)state;
	lcfg_init(&view, LCFG_ADD_CONN, "device");
	lcfg_add_string(&view, "lov");
	view.num = 0x01020304;
	view.flags = 0x11121314;
	view.nid = 0x2122232425262728;
	view.nal = 0x31323334;
	assert_int_equal(lustre_cfg_encode(&view, bytes, sizeof(bytes)), 56);
	golden_swap_cfg(bytes, sizeof(bytes));
	assert_int_equal(lustre_cfg_decode(bytes, sizeof(bytes), &again, NULL), 0);
	assert_true(again.swapped);
	same_view(&view, &again);
}

static void commands_have_names(void **state)
{
	(void)state;
	assert_string_equal(lcfg_command_name(LCFG_ATTACH), "attach");
	assert_string_equal(lcfg_command_name(LCFG_SETUP), "setup");
	assert_string_equal(lcfg_command_name(LCFG_ADD_UUID), "add_uuid");
	assert_string_equal(lcfg_command_name(LCFG_LOV_ADD_OBD), "lov_add_obd");
	assert_string_equal(lcfg_command_name(LCFG_SET_PARAM), "set_param");
	assert_string_equal(lcfg_command_name(0), "unknown command");
	assert_string_equal(lcfg_command_name(LCFG_SET_PARAM + 1),
			    "unknown command");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_sizes_of_buffers_round_trip),
		cmocka_unit_test(encoding_is_the_documented_layout),
		cmocka_unit_test(room_and_count_are_checked_when_encoding),
		cmocka_unit_test(each_wrong_field_is_refused_with_its_reason),
		cmocka_unit_test(a_command_cut_anywhere_is_refused),
		cmocka_unit_test(a_command_larger_than_8192_bytes_is_refused),
		cmocka_unit_test(bytes_behind_and_padding_mean_nothing),
		cmocka_unit_test(text_needs_a_nul),
		cmocka_unit_test(a_marker_is_taken_apart),
		cmocka_unit_test(what_is_no_marker_is_refused),
		cmocka_unit_test(the_settings_of_a_lov_are_taken_apart_in_both_orders),
		cmocka_unit_test(every_number_of_the_other_order_is_turned),
		cmocka_unit_test(commands_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
