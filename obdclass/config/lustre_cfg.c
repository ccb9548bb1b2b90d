// SPDX-License-Identifier: GPL-2.0-only
/*
 * Codec of lustre_cfg. Compiles unchanged in the kernel and in user space.
 *
 * The bytes come from logs and from callers: every access is checked to be
 * inside of them. As in real Lustre padding is written as zero and ignored when
 * reading, and so are bytes after the last buffer.
 */
#include <lustre_lite/lustre_cfg.h>

#define CFG_AT(field)	offsetof(struct lustre_cfg, field)

/* Bytes before the first buffer. */
static size_t head_size(u32 bufcount)
{
	return codec_round8(sizeof(struct lustre_cfg) +
			    (size_t)bufcount * sizeof(u32));
}

static void head_decode(struct lcfg_view *view, const u8 *p)
{
	bool swapped = view->swapped;

	view->command = codec_get32(p + CFG_AT(lcfg_command), swapped);
	view->num = codec_get32(p + CFG_AT(lcfg_num), swapped);
	view->flags = codec_get32(p + CFG_AT(lcfg_flags), swapped);
	view->nid = codec_get64(p + CFG_AT(lcfg_nid), swapped);
	view->nal = codec_get32(p + CFG_AT(lcfg_nal), swapped);
	view->bufcount = codec_get32(p + CFG_AT(lcfg_bufcount), swapped);
}

/* Return: NULL, or the reason if the buffers exceed @len bytes. */
static const char *bufs_decode(struct lcfg_view *view, const u8 *p, size_t len)
{
	size_t at = head_size(view->bufcount);
	struct lcfg_buf *buf;
	u32 n;

	if (at > len)
		return "it ends inside the lengths of its buffers";
	for (n = 0; n < view->bufcount; n++) {
		buf = &view->buf[n];
		buf->len = codec_get32(p + CFG_AT(lcfg_buflens) + 4 * n,
				       view->swapped);
		if (buf->len > len - at || codec_round8(buf->len) > len - at)
			return "a buffer goes beyond its end";
		buf->data = buf->len ? (const char *)p + at : NULL;
		at += codec_round8(buf->len);
	}
	if (at > LUSTRE_CFG_SIZE_MAX)
		return "it is larger than 8192 bytes";
	return NULL;
}

static const char *decode(struct lcfg_view *view, const u8 *p, size_t len)
{
	u32 version;

	if (len < sizeof(struct lustre_cfg))
		return "it is shorter than the head of a command, 32 bytes";
	version = codec_get32(p, false);
	view->swapped = version == LUSTRE_CFG_VERSION_SWAPPED;
	if (version != LUSTRE_CFG_VERSION && !view->swapped)
		return "its version is not 0x1cf60001";
	head_decode(view, p);
	if (!view->bufcount || view->bufcount > LUSTRE_CFG_MAX_BUFCOUNT)
		return "its number of buffers is not 1 to 8";
	return bufs_decode(view, p, len);
}

/**
 * lustre_cfg_decode() - decode a command
 * @bytes: command
 * @len: its bytes; those after the last buffer are ignored
 * @view: out, valid as long as @bytes; without buffers on error
 * @why: out on error, a static text; may be NULL
 *
 * Context: any
 * Return: 0 or -EINVAL
 */
int lustre_cfg_decode(const void *bytes, size_t len, struct lcfg_view *view,
		      const char **why)
{
	const char *reason;

	memset(view, 0, sizeof(*view));
	reason = decode(view, (const u8 *)bytes, len);
	if (!reason)
		return 0;
	memset(view, 0, sizeof(*view));
	if (why)
		*why = reason;
	return -EINVAL;
}
EXPORT_SYMBOL_NS_GPL(lustre_cfg_decode, LUSTRE_LITE);

/**
 * lustre_cfg_size() - bytes of a command
 * @view: command
 *
 * Context: any
 * Return: its bytes, padding included
 */
size_t lustre_cfg_size(const struct lcfg_view *view)
{
	size_t size = head_size(view->bufcount);
	u32 n;

	for (n = 0; n < view->bufcount; n++)
		size += codec_round8(view->buf[n].len);
	return size;
}
EXPORT_SYMBOL_NS_GPL(lustre_cfg_size, LUSTRE_LITE);

/**
 * lustre_cfg_encode() - encode a command
 * @view: command; a swapped one must not have binary buffers, as these are
 *  copied unchanged
 * @bytes: out, little-endian
 * @size: bytes of the buffer
 *
 * Context: any
 * Return: bytes of the command, -EINVAL for a view without buffers or with too
 *  many, -E2BIG for a command of more than LUSTRE_CFG_SIZE_MAX bytes, or
 *  -ENOSPC
 */
ssize_t lustre_cfg_encode(const struct lcfg_view *view, void *bytes, size_t size)
{
	size_t len, at;
	u8 *p = (u8 *)bytes;
	u32 n;

	if (!view->bufcount || view->bufcount > LUSTRE_CFG_MAX_BUFCOUNT)
		return -EINVAL;
	len = lustre_cfg_size(view);
	if (len > LUSTRE_CFG_SIZE_MAX)
		return -E2BIG;
	if (len > size)
		return -ENOSPC;
	memset(p, 0, len);
	codec_put32(p + CFG_AT(lcfg_version), LUSTRE_CFG_VERSION);
	codec_put32(p + CFG_AT(lcfg_command), view->command);
	codec_put32(p + CFG_AT(lcfg_num), view->num);
	codec_put32(p + CFG_AT(lcfg_flags), view->flags);
	codec_put64(p + CFG_AT(lcfg_nid), view->nid);
	codec_put32(p + CFG_AT(lcfg_nal), view->nal);
	codec_put32(p + CFG_AT(lcfg_bufcount), view->bufcount);
	at = head_size(view->bufcount);
	for (n = 0; n < view->bufcount; n++) {
		const struct lcfg_buf *buf = &view->buf[n];

		codec_put32(p + CFG_AT(lcfg_buflens) + 4 * n, buf->len);
		if (buf->len)
			memcpy(p + at, buf->data, buf->len);
		at += codec_round8(buf->len);
	}
	return (ssize_t)len;
}
EXPORT_SYMBOL_NS_GPL(lustre_cfg_encode, LUSTRE_LITE);

/**
 * lcfg_init() - initialize a command
 * @view: out
 * @command: enum lcfg_command_type
 * @device: buffer 0, which must outlive the view; NULL for an empty one
 *
 * Context: any
 */
void lcfg_init(struct lcfg_view *view, u32 command, const char *device)
{
	memset(view, 0, sizeof(*view));
	view->command = command;
	lcfg_add_string(view, device);
}
EXPORT_SYMBOL_NS_GPL(lcfg_init, LUSTRE_LITE);

/**
 * lcfg_add_string() - append a buffer: a text with its NUL
 * @view: command
 * @text: the text, which must outlive the view; NULL for an empty buffer
 *
 * Context: any
 * Return: 0 or -E2BIG if there are too many buffers, or the text alone exceeds
 *  a command
 */
int lcfg_add_string(struct lcfg_view *view, const char *text)
{
	size_t len = text ? strlen(text) + 1 : 0;

	if (len > LUSTRE_CFG_SIZE_MAX)
		return -E2BIG;
	return lcfg_add_buf(view, text, (u32)len);
}
EXPORT_SYMBOL_NS_GPL(lcfg_add_string, LUSTRE_LITE);

/**
 * lcfg_add_buf() - append a buffer: bytes
 * @view: command
 * @data: the bytes, which must outlive the view
 * @len: their number; 0 for an empty buffer
 *
 * Context: any
 * Return: 0 or -E2BIG if there are too many buffers, or this one alone exceeds
 *  a command
 */
int lcfg_add_buf(struct lcfg_view *view, const void *data, u32 len)
{
	struct lcfg_buf *buf;

	if (view->bufcount >= LUSTRE_CFG_MAX_BUFCOUNT ||
	    len > LUSTRE_CFG_SIZE_MAX)
		return -E2BIG;
	buf = &view->buf[view->bufcount++];
	buf->data = len ? (const char *)data : NULL;
	buf->len = len;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(lcfg_add_buf, LUSTRE_LITE);

/**
 * lcfg_string() - a buffer as text
 * @view: command
 * @n: number of the buffer
 *
 * Context: any
 * Return: text, or NULL if there is no such buffer, it is empty, or it has no
 *  NUL
 */
const char *lcfg_string(const struct lcfg_view *view, u32 n)
{
	const struct lcfg_buf *buf;

	if (n >= view->bufcount || n >= LUSTRE_CFG_MAX_BUFCOUNT)
		return NULL;
	buf = &view->buf[n];
	if (!buf->len || !memchr(buf->data, '\0', buf->len))
		return NULL;
	return buf->data;
}
EXPORT_SYMBOL_NS_GPL(lcfg_string, LUSTRE_LITE);

/* A text of fixed size, up to its NUL. */
static int text_decode(char *to, const u8 *from, size_t size)
{
	const u8 *end = (const u8 *)memchr(from, '\0', size);

	if (!end)
		return -EINVAL;
	memset(to, 0, size);
	memcpy(to, from, (size_t)(end - from));
	return 0;
}

/* Buffer 1, if it has that size. */
static const u8 *binary_buf(const struct lcfg_view *view, size_t size)
{
	if (view->bufcount < 2 || view->buf[1].len != size)
		return NULL;
	return (const u8 *)view->buf[1].data;
}

/**
 * lcfg_marker_decode() - decode a marker
 * @view: command
 * @marker: out
 *
 * Context: any
 * Return: 0, or -EINVAL unless the command is LCFG_MARKER, buffer 1 has the
 *  size of a marker, and its texts are NUL-terminated
 */
int lcfg_marker_decode(const struct lcfg_view *view, struct lcfg_marker *marker)
{
	const u8 *p = binary_buf(view, sizeof(struct cfg_marker));
	bool swapped = view->swapped;

	memset(marker, 0, sizeof(*marker));
	if (view->command != LCFG_MARKER || !p)
		return -EINVAL;
	marker->step = codec_get32(p + offsetof(struct cfg_marker, cm_step),
				   swapped);
	marker->flags = codec_get32(p + offsetof(struct cfg_marker, cm_flags),
				    swapped);
	marker->vers = codec_get32(p + offsetof(struct cfg_marker, cm_vers),
				   swapped);
	marker->createtime =
		codec_get64(p + offsetof(struct cfg_marker, cm_createtime),
			    swapped);
	marker->canceltime =
		codec_get64(p + offsetof(struct cfg_marker, cm_canceltime),
			    swapped);
	if (text_decode(marker->tgtname,
			p + offsetof(struct cfg_marker, cm_tgtname),
			sizeof(marker->tgtname)))
		return -EINVAL;
	return text_decode(marker->comment,
			   p + offsetof(struct cfg_marker, cm_comment),
			   sizeof(marker->comment));
}
EXPORT_SYMBOL_NS_GPL(lcfg_marker_decode, LUSTRE_LITE);

/**
 * lcfg_lov_desc_decode() - decode the descriptor of a lov or lmv
 * @view: command
 * @desc: out; the caller checks its magic
 *
 * The magic tells the byte order; without one it is that of the command.
 *
 * Context: any
 * Return: 0, or -EINVAL unless buffer 1 has the size of a struct lov_desc and
 *  its uuid is NUL-terminated
 */
int lcfg_lov_desc_decode(const struct lcfg_view *view, struct lcfg_lov_desc *desc)
{
	const u8 *p = binary_buf(view, sizeof(struct lov_desc));
	bool swapped = view->swapped;

	memset(desc, 0, sizeof(*desc));
	if (!p)
		return -EINVAL;
	if (codec_get32(p + offsetof(struct lov_desc, ld_magic), !swapped) ==
	    LOV_DESC_MAGIC)
		swapped = !swapped;
	desc->tgt_count = codec_get32(p + offsetof(struct lov_desc, ld_tgt_count),
				      swapped);
	desc->magic = codec_get32(p + offsetof(struct lov_desc, ld_magic),
				  swapped);
	desc->stripe_count =
		codec_get32(p + offsetof(struct lov_desc, ld_default_stripe_count),
			    swapped);
	desc->pattern = codec_get32(p + offsetof(struct lov_desc, ld_pattern),
				    swapped);
	desc->stripe_size =
		codec_get64(p + offsetof(struct lov_desc, ld_default_stripe_size),
			    swapped);
	desc->stripe_offset =
		codec_get64(p + offsetof(struct lov_desc, ld_default_stripe_offset),
			    swapped);
	desc->qos_maxage = codec_get32(p + offsetof(struct lov_desc, ld_qos_maxage),
				       swapped);
	return text_decode(desc->uuid, p + offsetof(struct lov_desc, ld_uuid),
			   sizeof(desc->uuid));
}
EXPORT_SYMBOL_NS_GPL(lcfg_lov_desc_decode, LUSTRE_LITE);

static const struct {
	u32		command;
	const char	*name;
} command_names[] = {
	{ LCFG_ATTACH,			"attach" },
	{ LCFG_DETACH,			"detach" },
	{ LCFG_SETUP,			"setup" },
	{ LCFG_CLEANUP,			"cleanup" },
	{ LCFG_ADD_UUID,		"add_uuid" },
	{ LCFG_DEL_UUID,		"del_uuid" },
	{ LCFG_MOUNTOPT,		"mount_option" },
	{ LCFG_DEL_MOUNTOPT,		"del_mount_option" },
	{ LCFG_SET_TIMEOUT,		"set_timeout" },
	{ LCFG_SET_UPCALL,		"set_upcall" },
	{ LCFG_ADD_CONN,		"add_conn" },
	{ LCFG_DEL_CONN,		"del_conn" },
	{ LCFG_LOV_ADD_OBD,		"lov_add_obd" },
	{ LCFG_LOV_DEL_OBD,		"lov_del_obd" },
	{ LCFG_PARAM,			"param" },
	{ LCFG_MARKER,			"marker" },
	{ LCFG_LOG_START,		"log_start" },
	{ LCFG_LOG_END,			"log_end" },
	{ LCFG_LOV_ADD_INA,		"lov_add_ina" },
	{ LCFG_ADD_MDC,			"add_mdc" },
	{ LCFG_DEL_MDC,			"del_mdc" },
	{ LCFG_SPTLRPC_CONF,		"sptlrpc_conf" },
	{ LCFG_POOL_NEW,		"pool_new" },
	{ LCFG_POOL_ADD,		"pool_add" },
	{ LCFG_POOL_REM,		"pool_remove" },
	{ LCFG_POOL_DEL,		"pool_destroy" },
	{ LCFG_SET_LDLM_TIMEOUT,	"set_ldlm_timeout" },
	{ LCFG_PRE_CLEANUP,		"pre_cleanup" },
	{ LCFG_SET_PARAM,		"set_param" },
};

/**
 * lcfg_command_name() - name of a command
 * @command: enum lcfg_command_type, or any number
 *
 * Context: any
 * Return: its name, or "unknown command"
 */
const char *lcfg_command_name(u32 command)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(command_names); n++)
		if (command_names[n].command == command)
			return command_names[n].name;
	return "unknown command";
}
EXPORT_SYMBOL_NS_GPL(lcfg_command_name, LUSTRE_LITE);
