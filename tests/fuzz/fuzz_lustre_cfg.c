// SPDX-License-Identifier: GPL-2.0-only
/*
 * A command, of as many bytes as there are. Written and read again it is the same,
 * and where its padding is zero and it has our byte order, the same bytes.
 */
#include "fuzz_codec.h"

static bool is_zero(const u8 *bytes, size_t len)
{
	while (len)
		if (bytes[--len])
			return false;
	return true;
}

/* Where each buffer has to be, counted another way. */
static bool padding_is_zero(const u8 *bytes, const struct lcfg_view *view)
{
	size_t at = 32 + 4 * (size_t)view->bufcount;
	bool zero = true;
	u32 n;

	if (at % 8) {
		zero = is_zero(bytes + at, 4);
		at += 4;
	}
	for (n = 0; n < view->bufcount; n++) {
		if (view->buf[n].len)
			FUZZ_CHECK(view->buf[n].data == (const char *)bytes + at);
		at += view->buf[n].len;
		while (at % 8)
			zero &= !bytes[at++];
	}
	FUZZ_CHECK(at == lustre_cfg_size(view));
	return zero;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u8 *bytes = malloc(size ? size : 1), *out;
	struct lcfg_view view;
	ssize_t len;

	/* Of its own size, so that a read beyond it is seen. */
	memcpy(bytes, data, size);
	if (fuzz_command(bytes, size)) {
		lustre_cfg_decode(bytes, size, &view, NULL);
		out = malloc(LUSTRE_CFG_SIZE_MAX);
		len = lustre_cfg_encode(&view, out, LUSTRE_CFG_SIZE_MAX);
		if (padding_is_zero(bytes, &view) && !view.swapped)
			FUZZ_CHECK(!memcmp(out, bytes, (size_t)len));
		free(out);
	}
	free(bytes);
	return 0;
}
