/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Codec of lustre_cfg, for the kernel and for user space. Nothing here
 * allocates, locks or logs.
 *
 * A view is a decoded command: numbers in host byte order, and pointers to its
 * buffers in the encoded bytes. It is valid as long as the bytes are.
 */
#ifndef _LUSTRE_LITE_LUSTRE_CFG_H
#define _LUSTRE_LITE_LUSTRE_CFG_H

#include <lustre_lite/codec.h>
#include <uapi/lustre_lite/lustre_cfg.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct lcfg_buf - a buffer
 * @data: its bytes; NULL where @len is 0
 * @len: bytes, padding not counted
 */
struct lcfg_buf {
	const char	*data;
	u32		len;
};

/**
 * struct lcfg_view - a decoded command
 * @command: enum lcfg_command_type, or an unknown one
 * @num: argument
 * @flags: zero
 * @nid: NID, encoded as lcfg_nid
 * @nal: not in use
 * @bufcount: buffers
 * @swapped: written in the other byte order; binary buffers still are
 * @buf: buffers; those from @bufcount on are empty
 */
struct lcfg_view {
	u32		command;
	u32		num;
	u32		flags;
	u64		nid;
	u32		nal;
	u32		bufcount;
	bool		swapped;
	struct lcfg_buf	buf[LUSTRE_CFG_MAX_BUFCOUNT];
};

/**
 * struct lcfg_marker - a struct cfg_marker in host byte order
 * @step: as cm_step
 * @flags: CM_*
 * @vers: version of the writer
 * @createtime: seconds since 1970
 * @canceltime: seconds since 1970; 0 unless cancelled
 * @tgtname: target or device, NUL-terminated
 * @comment: kind of the change, NUL-terminated
 */
struct lcfg_marker {
	u32	step;
	u32	flags;
	u32	vers;
	u64	createtime;
	u64	canceltime;
	char	tgtname[MTI_NAME_MAXLEN];
	char	comment[MTI_NAME_MAXLEN];
};

/**
 * struct lcfg_lov_desc - a struct lov_desc in host byte order
 * @tgt_count: as ld_tgt_count
 * @magic: LOV_DESC_MAGIC or 0
 * @stripe_count: stripes of a new file
 * @pattern: kind of striping
 * @stripe_size: bytes
 * @stripe_offset: index of the first target, -1 for any
 * @qos_maxage: lifetime of cached free space, seconds
 * @uuid: uuid of the device, NUL-terminated
 */
struct lcfg_lov_desc {
	u32	tgt_count;
	u32	magic;
	u32	stripe_count;
	u32	pattern;
	u64	stripe_size;
	u64	stripe_offset;
	u32	qos_maxage;
	char	uuid[LOV_DESC_UUID_LEN];
};

int lustre_cfg_decode(const void *bytes, size_t len, struct lcfg_view *view,
		      const char **why);
size_t lustre_cfg_size(const struct lcfg_view *view);
ssize_t lustre_cfg_encode(const struct lcfg_view *view, void *bytes, size_t size);

void lcfg_init(struct lcfg_view *view, u32 command, const char *device);
int lcfg_add_string(struct lcfg_view *view, const char *text);
int lcfg_add_buf(struct lcfg_view *view, const void *data, u32 len);

const char *lcfg_string(const struct lcfg_view *view, u32 n);
int lcfg_marker_decode(const struct lcfg_view *view, struct lcfg_marker *marker);
int lcfg_lov_desc_decode(const struct lcfg_view *view, struct lcfg_lov_desc *desc);
const char *lcfg_command_name(u32 command);

#ifdef __cplusplus
}
#endif

#endif /* _LUSTRE_LITE_LUSTRE_CFG_H */
