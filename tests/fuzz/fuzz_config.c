// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules of a config log over records that are not what they should be. What
 * is applied must be a whole command, with its names rewritten as the rules say
 * and all else as it was; what is not applied must say why.
 *
 * Input: a byte of options, 8 bytes of the instance, a byte of length and the
 * names of excluded targets; then records, two bytes of length and their bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lustre_lite/config_rules.h>

#include "fuzz_input.h"

#define OPTION_UUID	1
#define READER_UUID	"8db901eb-d71b-49a5-b88b-46f52d472496"

static bool same_buf(const struct lcfg_buf *a, const struct lcfg_buf *b)
{
	return a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len));
}

static bool buf_is(const struct lcfg_buf *buf, const char *text)
{
	return buf->len == strlen(text) + 1 && !memcmp(buf->data, text, buf->len);
}

/* Put together and taken apart again it is the same. */
static void check_whole(const struct lcfg_view *view)
{
	static char bytes[LUSTRE_CFG_SIZE_MAX];
	struct lcfg_view again;
	ssize_t len = lustre_cfg_encode(view, bytes, sizeof(bytes));
	u32 n;

	FUZZ_CHECK(len > 0);
	FUZZ_CHECK(!lustre_cfg_decode(bytes, (size_t)len, &again, NULL));
	FUZZ_CHECK(again.command == view->command && again.bufcount == view->bufcount);
	FUZZ_CHECK(again.num == view->num && again.nid == view->nid);
	for (n = 0; n < view->bufcount; n++)
		FUZZ_CHECK(same_buf(&again.buf[n], &view->buf[n]));
}

/* Whether the rules rewrite a buffer as the name of a device. */
static bool is_device(const struct lcfg_view *in, u32 n)
{
	const char *text = lcfg_string(in, n);

	if (!text || !*text)
		return false;
	if (in->command == LCFG_MOUNTOPT)
		return n == 2 || n == 3;
	if (n || !config_for_device(in->command))
		return false;
	return in->command != LCFG_PARAM || strcmp(text, "general") != 0;
}

static void check_buf(const struct config_rules *rules, const struct lcfg_view *in, const struct lcfg_view *out, u32 n)
{
	char name[MAX_OBD_NAME + 32];

	if (rules->cr_instance && is_device(in, n)) {
		/* lcfg_string() is not longer than fits, or it was refused. */
		snprintf(name, sizeof(name), "%s-%016llx", lcfg_string(in, n), (unsigned long long)rules->cr_instance);
		FUZZ_CHECK(buf_is(&out->buf[n], name));
		FUZZ_CHECK(strlen(name) < MAX_OBD_NAME);
	} else if (n == 2 && in->command == LCFG_ATTACH && *rules->cr_uuid) {
		FUZZ_CHECK(buf_is(&out->buf[n], rules->cr_uuid));
	} else {
		FUZZ_CHECK(same_buf(&out->buf[n], &in->buf[n]));
	}
}

static void check_applied(const struct config_rules *rules, const struct lcfg_view *in, const struct lcfg_view *out)
{
	bool excluded = in->command == LCFG_LOV_ADD_OBD && (rules->cr_state & CFG_F_EXCLUDE);
	u32 n;

	FUZZ_CHECK(rules->cr_state & CFG_F_START);
	FUZZ_CHECK(!(rules->cr_state & CFG_F_SKIP));
	FUZZ_CHECK(out->command == (excluded ? (u32)LCFG_LOV_ADD_INA : in->command));
	FUZZ_CHECK(out->bufcount == in->bufcount && out->num == in->num && out->nid == in->nid);
	for (n = 0; n < in->bufcount; n++)
		check_buf(rules, in, out, n);
	check_whole(out);
}

/* Whether ":LIST:" has ":TARGET:" in it. */
static bool in_list(const char *list, const char *target)
{
	char all[256 + 2], one[MTI_NAME_MAXLEN + 2];

	if (!*target || strchr(target, ':'))
		return false;
	snprintf(all, sizeof(all), ":%s:", list);
	snprintf(one, sizeof(one), ":%s:", target);
	return strstr(all, one);
}

/* State of the reader after a marker. */
static u32 state_behind(const struct config_rules *rules, const struct lcfg_view *in, u32 before)
{
	struct lcfg_marker marker;
	bool start, end;

	if (lcfg_marker_decode(in, &marker))
		return before;
	start = marker.flags & CM_START;
	end = marker.flags & CM_END;
	if (start == end)
		return before;
	if (end)
		return 0;
	if (marker.flags & CM_SKIP)
		return CFG_F_START | CFG_F_SKIP;
	if ((marker.flags & CM_EXCLUDE) || in_list(rules->cr_exclude, marker.tgtname))
		return CFG_F_START | CFG_F_EXCLUDE;
	return CFG_F_START;
}

static void one_record(struct config_rules *rules, const void *bytes, size_t len)
{
	struct config_names names;
	struct lcfg_view in, out;
	const char *why = "left over";
	u32 before = rules->cr_state;
	enum config_verdict verdict;

	if (lustre_cfg_decode(bytes, len, &in, NULL))
		return;
	verdict = config_rule(rules, &in, &out, &names, &why);
	FUZZ_CHECK(rules->cr_state == state_behind(rules, &in, before));
	FUZZ_CHECK(in.command == LCFG_MARKER || verdict != CONFIG_MARKER);
	switch (verdict) {
	case CONFIG_APPLY:
		FUZZ_CHECK(!why);
		check_applied(rules, &in, &out);
		break;
	case CONFIG_MARKER:
		FUZZ_CHECK(!why);
		break;
	default:
		FUZZ_CHECK(why && *why && strcmp(why, "left over"));
	}
}

/* Each record in memory of its own, so that a read beyond it shows. */
static void one_input(struct fuzz_input *in, struct config_rules *rules)
{
	size_t len;
	u8 *bytes;

	while (in->left > 2) {
		len = fuzz_u8(in);
		len |= (size_t)fuzz_u8(in) << 8;
		len = len < in->left ? len : in->left;
		bytes = malloc(len ? len : 1);
		FUZZ_CHECK(bytes);
		fuzz_bytes(in, bytes, len);
		one_record(rules, bytes, len);
		free(bytes);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_input in = { .at = data, .left = size };
	struct config_rules rules = { .cr_state = 0 };
	u8 options = fuzz_u8(&in);
	char exclude[256];
	u8 len;

	fuzz_bytes(&in, &rules.cr_instance, sizeof(rules.cr_instance));
	len = fuzz_u8(&in);
	fuzz_bytes(&in, exclude, len);
	exclude[len] = '\0';
	rules.cr_exclude = exclude;
	if (options & OPTION_UUID)
		strcpy(rules.cr_uuid, READER_UUID);
	one_input(&in, &rules);
	return 0;
}
