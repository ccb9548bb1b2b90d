/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Holds for every command that is accepted: written and read again it is the
 * same.
 */
#ifndef _FUZZ_CODEC_H
#define _FUZZ_CODEC_H

#include <stdio.h>
#include <stdlib.h>

#include <lustre_lite/lustre_cfg.h>

#define FUZZ_CHECK(cond)						\
do {									\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
		abort();						\
	}								\
} while (0)

static inline void fuzz_same_buffers(const struct lcfg_view *one,
				     const struct lcfg_view *other)
{
	u32 n;

	for (n = 0; n < LUSTRE_CFG_MAX_BUFCOUNT; n++) {
		const struct lcfg_buf *buf = &one->buf[n];

		FUZZ_CHECK(buf->len == other->buf[n].len);
		FUZZ_CHECK(!buf->len == !buf->data);
		FUZZ_CHECK(!buf->len || !memcmp(buf->data, other->buf[n].data,
						buf->len));
	}
}

static inline void fuzz_same_command(const struct lcfg_view *one,
				     const struct lcfg_view *other)
{
	FUZZ_CHECK(one->command == other->command && one->num == other->num);
	FUZZ_CHECK(one->flags == other->flags && one->nal == other->nal);
	FUZZ_CHECK(one->nid == other->nid && one->bufcount == other->bufcount);
	fuzz_same_buffers(one, other);
}

/* All texts of a command can be read, and are inside of their buffers. */
static inline void fuzz_texts(const struct lcfg_view *view)
{
	struct lcfg_lov_desc desc;
	struct lcfg_marker marker;
	const char *text;
	u32 n;

	for (n = 0; n <= LUSTRE_CFG_MAX_BUFCOUNT; n++) {
		text = lcfg_string(view, n);
		FUZZ_CHECK(!text || strlen(text) < view->buf[n].len);
	}
	if (!lcfg_marker_decode(view, &marker)) {
		FUZZ_CHECK(view->command == LCFG_MARKER);
		FUZZ_CHECK(strlen(marker.tgtname) < sizeof(marker.tgtname));
		FUZZ_CHECK(strlen(marker.comment) < sizeof(marker.comment));
	}
	if (!lcfg_lov_desc_decode(view, &desc))
		FUZZ_CHECK(strlen(desc.uuid) < sizeof(desc.uuid));
	FUZZ_CHECK(strlen(lcfg_command_name(view->command)));
}

/* Return: whether these bytes are a command; @bytes is of exactly that size. */
static inline bool fuzz_command(const u8 *bytes, size_t len)
{
	struct lcfg_view view, again;
	const char *why = NULL;
	size_t size;
	u8 *out;

	if (lustre_cfg_decode(bytes, len, &view, &why)) {
		FUZZ_CHECK(why && !view.bufcount);
		return false;
	}
	FUZZ_CHECK(!why);
	size = lustre_cfg_size(&view);
	FUZZ_CHECK(size <= len && size <= LUSTRE_CFG_SIZE_MAX && size % 8 == 0);
	out = malloc(size);
	FUZZ_CHECK(lustre_cfg_encode(&view, out, size - 1) == -ENOSPC);
	FUZZ_CHECK(lustre_cfg_encode(&view, out, size) == (ssize_t)size);
	FUZZ_CHECK(!lustre_cfg_decode(out, size, &again, NULL));
	FUZZ_CHECK(!again.swapped);
	fuzz_same_command(&view, &again);
	fuzz_texts(&view);
	free(out);
	return true;
}

#endif /* _FUZZ_CODEC_H */
