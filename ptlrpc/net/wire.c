// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wire format: frames, HELLO and messages. No byte is read before its
 * presence was checked.
 */
#include <lustre_lite/wire.h>
#include <uapi/lustre_lite/wire_mds.h>
#include <uapi/lustre_lite/wire_ost.h>

static u32 get32(const void *at)
{
	return codec_get32(at, false);
}

static u64 get64(const void *at)
{
	return codec_get64(at, false);
}

static bool all_zero(const void *at, size_t len)
{
	const u8 *p = (const u8 *)at;

	while (len--) {
		if (*p++)
			return false;
	}
	return true;
}

/**
 * wire_frame_encode() - encode the head of a frame, without its own CRC
 * @to: out
 * @frame: fields
 *
 * Context: any
 */
void wire_frame_encode(struct lnet_frame *to, const struct wire_frame *frame)
{
	memset(to, 0, sizeof(*to));
	codec_put32(&to->fr_magic, WIRE_MAGIC);
	to->fr_version = WIRE_VERSION;
	to->fr_type = frame->type;
	codec_put32(&to->fr_msg_len, frame->msg_len);
	codec_put32(&to->fr_bulk_len, frame->bulk_len);
	codec_put32(&to->fr_seq, frame->seq);
	codec_put32(&to->fr_msg_crc, frame->msg_crc);
	codec_put32(&to->fr_bulk_crc, frame->bulk_crc);
}
EXPORT_FOR_KUNIT(wire_frame_encode);

/**
 * wire_frame_seal() - store the CRC of a head
 * @to: head
 * @head_crc: CRC32C of its first WIRE_FRAME_CRC_LEN bytes
 *
 * Context: any
 */
void wire_frame_seal(struct lnet_frame *to, u32 head_crc)
{
	codec_put32(&to->fr_head_crc, head_crc);
}
EXPORT_FOR_KUNIT(wire_frame_seal);

static enum wire_fault frame_lengths(const struct wire_frame *frame)
{
	if (frame->type == LNET_FRAME_HELLO)
		return frame->msg_len < sizeof(struct lnet_hello) ||
		       frame->msg_len > WIRE_HELLO_MAX || frame->bulk_len ?
		       WIRE_BAD_LENGTH : WIRE_OK;
	if (frame->type != LNET_FRAME_MSG)
		return WIRE_BAD_TYPE;
	return frame->msg_len < WIRE_MSG_SIZE ||
	       frame->msg_len > WIRE_MSG_MAX || frame->msg_len % 8 ||
	       frame->bulk_len > WIRE_BULK_MAX ?
	       WIRE_BAD_LENGTH : WIRE_OK;
}

/**
 * wire_frame_decode() - decode and validate the head of a frame
 * @from: head
 * @head_crc: CRC32C of its first WIRE_FRAME_CRC_LEN bytes
 * @frame: out, fields
 *
 * The caller checks the sequence number.
 *
 * Context: any
 * Return: WIRE_OK, or the fault
 */
enum wire_fault wire_frame_decode(const struct lnet_frame *from,
				  u32 head_crc, struct wire_frame *frame)
{
	if (get32(&from->fr_magic) != WIRE_MAGIC)
		return WIRE_BAD_MAGIC;
	if (from->fr_version != WIRE_VERSION)
		return WIRE_BAD_VERSION;
	if (get32(&from->fr_head_crc) != head_crc)
		return WIRE_BAD_HEAD_CRC;
	if (codec_get16(&from->fr_flags))
		return WIRE_BAD_FLAGS;
	frame->type = from->fr_type;
	frame->msg_len = get32(&from->fr_msg_len);
	frame->bulk_len = get32(&from->fr_bulk_len);
	frame->seq = get32(&from->fr_seq);
	frame->msg_crc = get32(&from->fr_msg_crc);
	frame->bulk_crc = get32(&from->fr_bulk_crc);
	return frame_lengths(frame);
}
EXPORT_FOR_KUNIT(wire_frame_decode);

/* Kinds of networks that have NIDs on the wire: tcp and lo. */
static bool nid_is_sane(const struct wire_nid *nid)
{
	if (nid->len != 4 && nid->len != 16)
		return false;
	if (nid->type != 2 && nid->type != 9)
		return false;
	return all_zero(nid->addr + nid->len, sizeof(nid->addr) - nid->len);
}

/**
 * wire_nid_encode() - NID to bytes
 * @to: out
 * @nid: NID
 *
 * Context: any
 */
void wire_nid_encode(struct lustre_nid *to, const struct wire_nid *nid)
{
	to->wn_type = nid->type;
	to->wn_len = nid->len;
	codec_put16(&to->wn_net, nid->net);
	memcpy(to->wn_addr, nid->addr, sizeof(to->wn_addr));
}
EXPORT_SYMBOL_NS_GPL(wire_nid_encode, LUSTRE_LITE);

/**
 * wire_nid_decode() - bytes to NID
 * @from: bytes
 * @nid: out
 *
 * Context: any
 * Return: WIRE_OK or WIRE_BAD_NID
 */
enum wire_fault wire_nid_decode(const struct lustre_nid *from,
				struct wire_nid *nid)
{
	nid->type = from->wn_type;
	nid->len = from->wn_len;
	nid->net = codec_get16(&from->wn_net);
	memcpy(nid->addr, from->wn_addr, sizeof(nid->addr));
	return nid_is_sane(nid) ? WIRE_OK : WIRE_BAD_NID;
}
EXPORT_SYMBOL_NS_GPL(wire_nid_decode, LUSTRE_LITE);

/**
 * wire_hello_encode() - encode the message of a HELLO
 * @to: out
 * @hello: fields; the flavour is WIRE_FLAVOUR_NULL
 *
 * Context: any
 */
void wire_hello_encode(struct lnet_hello *to, const struct wire_hello *hello)
{
	memset(to, 0, sizeof(*to));
	codec_put16(&to->he_version_min, hello->version_min);
	codec_put16(&to->he_version_max, hello->version_max);
	codec_put32(&to->he_features, hello->features);
	codec_put32(&to->he_flavour, hello->flavour);
	codec_put32(&to->he_status, hello->status);
	codec_put32(&to->he_msg_max, hello->msg_max);
	codec_put32(&to->he_bulk_max, hello->bulk_max);
	codec_put32(&to->he_lane, hello->lane);
	codec_put64(&to->he_incarnation, hello->incarnation);
	wire_nid_encode(&to->he_src, &hello->src);
	wire_nid_encode(&to->he_dst, &hello->dst);
}
EXPORT_FOR_KUNIT(wire_hello_encode);

static enum wire_fault hello_check(const struct lnet_hello *from, size_t len,
				   const struct wire_hello *hello)
{
	if (hello->version_min > hello->version_max)
		return WIRE_BAD_VERSION;
	if (hello->flavour != WIRE_FLAVOUR_NULL)
		return WIRE_BAD_FLAVOUR;
	if (get32(&from->he_auth_len) || len != sizeof(*from))
		return WIRE_BAD_LENGTH;
	if (hello->lane && !(hello->features & LNET_FEATURE_LANES))
		return WIRE_BAD_PADDING;
	if (hello->lane >= LNET_LANES)
		return WIRE_BAD_FLAGS;
	/* The largest errno. */
	if (hello->status > 4095)
		return WIRE_BAD_STATUS;
	return hello->msg_max < WIRE_MSG_SIZE ? WIRE_BAD_LENGTH : WIRE_OK;
}

/**
 * wire_hello_decode() - decode and validate the message of a HELLO
 * @from: message
 * @len: its bytes
 * @hello: out, fields; set as far as present also on failure, so that a refusal can name the
 *	node
 *
 * Context: any
 * Return: WIRE_OK, or the fault. The caller checks that the range of versions
 *  includes WIRE_VERSION
 */
enum wire_fault wire_hello_decode(const void *from, size_t len,
				  struct wire_hello *hello)
{
	const struct lnet_hello *at = (const struct lnet_hello *)from;
	enum wire_fault fault;

	memset(hello, 0, sizeof(*hello));
	if (len < sizeof(*at))
		return WIRE_BAD_LENGTH;
	hello->version_min = codec_get16(&at->he_version_min);
	hello->version_max = codec_get16(&at->he_version_max);
	hello->features = get32(&at->he_features);
	hello->flavour = get32(&at->he_flavour);
	hello->status = get32(&at->he_status);
	hello->msg_max = get32(&at->he_msg_max);
	hello->bulk_max = get32(&at->he_bulk_max);
	hello->lane = get32(&at->he_lane);
	hello->incarnation = get64(&at->he_incarnation);
	fault = wire_nid_decode(&at->he_src, &hello->src);
	if (fault == WIRE_OK)
		fault = wire_nid_decode(&at->he_dst, &hello->dst);
	return fault == WIRE_OK ? hello_check(at, len, hello) : fault;
}
EXPORT_FOR_KUNIT(wire_hello_decode);

/**
 * wire_msg_size() - bytes of a message
 * @buflens: bytes of each buffer
 * @bufcount: buffers
 *
 * Context: any
 * Return: bytes, a multiple of 8; 0 if there are too many buffers or bytes
 */
size_t wire_msg_size(const u32 *buflens, unsigned int bufcount)
{
	size_t size = WIRE_MSG_SIZE;
	unsigned int n;

	if (bufcount > WIRE_MSG_BUFS_MAX)
		return 0;
	for (n = 0; n < bufcount; n++) {
		if (buflens[n] > WIRE_MSG_MAX)
			return 0;
		size += codec_round8(buflens[n]);
	}
	return size <= WIRE_MSG_MAX ? size : 0;
}
EXPORT_FOR_KUNIT(wire_msg_size);

/**
 * wire_msg_init() - initialize an empty message
 * @to: out, wire_msg_size() bytes, zeroed except the lengths
 * @buflens: bytes of each buffer
 * @bufcount: buffers
 *
 * Context: any
 */
void wire_msg_init(void *to, const u32 *buflens, unsigned int bufcount)
{
	struct lustre_msg *head = (struct lustre_msg *)to;
	unsigned int n;

	memset(to, 0, wire_msg_size(buflens, bufcount));
	codec_put16(&head->lm_bufcount, (u16)bufcount);
	for (n = 0; n < bufcount; n++)
		codec_put32(&head->lm_buflens[n], buflens[n]);
}
EXPORT_FOR_KUNIT(wire_msg_init);

/**
 * wire_msg_buf() - a buffer of a message under construction
 * @msg: message of wire_msg_init()
 * @n: number of the buffer, which must exist
 *
 * Context: any
 * Return: its first byte
 */
void *wire_msg_buf(void *msg, unsigned int n)
{
	const struct lustre_msg *head = (const struct lustre_msg *)msg;
	u8 *at = (u8 *)msg + WIRE_MSG_SIZE;
	unsigned int i;

	for (i = 0; i < n; i++)
		at += codec_round8(get32(&head->lm_buflens[i]));
	return at;
}
EXPORT_FOR_KUNIT(wire_msg_buf);

/**
 * wire_msg_encode() - set the fields of a message
 * @to: message of wire_msg_init(); its buffers are unchanged
 * @msg: fields; bufcount, buflens and bufs are ignored
 *
 * Context: any
 */
void wire_msg_encode(void *to, const struct wire_msg *msg)
{
	struct lustre_msg *head = (struct lustre_msg *)to;

	codec_put32(&head->lm_type, msg->type);
	codec_put32(&head->lm_opc, msg->opc);
	codec_put64(&head->lm_xid, msg->xid);
	codec_put64(&head->lm_handle, msg->handle);
	codec_put64(&head->lm_transno, msg->transno);
	codec_put64(&head->lm_last_committed, msg->last_committed);
	codec_put64(&head->lm_last_xid, msg->last_xid);
	codec_put32(&head->lm_status, (u32)msg->status);
	codec_put32(&head->lm_flags, msg->flags);
	codec_put32(&head->lm_op_flags, msg->op_flags);
	codec_put32(&head->lm_conn_cnt, msg->conn_cnt);
	codec_put32(&head->lm_timeout, msg->timeout);
	codec_put32(&head->lm_service_time, msg->service_time);
	codec_put16(&head->lm_portal, msg->portal);
	memcpy(head->lm_jobid, msg->jobid, sizeof(head->lm_jobid));
}
EXPORT_FOR_KUNIT(wire_msg_encode);

/* Locate the buffers; they fill the message to its last byte. */
static enum wire_fault view_buffers(const void *from, size_t len,
				    struct wire_msg *msg)
{
	const struct lustre_msg *head = (const struct lustre_msg *)from;
	const u8 *at = (const u8 *)from;
	size_t used = WIRE_MSG_SIZE;
	unsigned int n;
	u32 buflen;

	if (msg->bufcount > WIRE_MSG_BUFS_MAX)
		return WIRE_BAD_BUFFERS;
	for (n = 0; n < msg->bufcount; n++) {
		buflen = get32(&head->lm_buflens[n]);
		if (buflen > len - used || codec_round8(buflen) > len - used)
			return WIRE_BAD_BUFFERS;
		msg->buflens[n] = buflen;
		msg->bufs[n] = at + used;
		if (!all_zero(at + used + buflen, codec_round8(buflen) - buflen))
			return WIRE_BAD_PADDING;
		used += codec_round8(buflen);
	}
	for (; n < WIRE_MSG_BUFS_MAX; n++) {
		if (get32(&head->lm_buflens[n]))
			return WIRE_BAD_PADDING;
		msg->buflens[n] = 0;
		msg->bufs[n] = NULL;
	}
	return used == len ? WIRE_OK : WIRE_BAD_BUFFERS;
}

static enum wire_fault view_check(const struct lustre_msg *head,
				  const struct wire_msg *msg)
{
	bool request = msg->type == PTL_RPC_MSG_REQUEST;

	if (!request && msg->type != PTL_RPC_MSG_REPLY &&
	    msg->type != PTL_RPC_MSG_ERR)
		return WIRE_BAD_TYPE;
	if (get32(&head->lm_reserved))
		return WIRE_BAD_PADDING;
	if (msg->status > 0 || msg->status < -4095 || (request && msg->status))
		return WIRE_BAD_STATUS;
	return msg->portal < WIRE_PORTAL_MAX ? WIRE_OK : WIRE_BAD_TYPE;
}

/**
 * wire_msg_view() - decode and validate a message
 * @from: message
 * @len: its bytes
 * @msg: out, fields and pointers to the buffers in @from
 *
 * Context: any
 * Return: WIRE_OK, or the fault
 */
enum wire_fault wire_msg_view(const void *from, size_t len,
			      struct wire_msg *msg)
{
	const struct lustre_msg *head = (const struct lustre_msg *)from;
	enum wire_fault fault;

	if (len < WIRE_MSG_SIZE || len > WIRE_MSG_MAX || len % 8)
		return WIRE_BAD_LENGTH;
	msg->type = get32(&head->lm_type);
	msg->opc = get32(&head->lm_opc);
	msg->xid = get64(&head->lm_xid);
	msg->handle = get64(&head->lm_handle);
	msg->transno = get64(&head->lm_transno);
	msg->last_committed = get64(&head->lm_last_committed);
	msg->last_xid = get64(&head->lm_last_xid);
	msg->status = (s32)get32(&head->lm_status);
	msg->flags = get32(&head->lm_flags);
	msg->op_flags = get32(&head->lm_op_flags);
	msg->conn_cnt = get32(&head->lm_conn_cnt);
	msg->timeout = get32(&head->lm_timeout);
	msg->service_time = get32(&head->lm_service_time);
	msg->portal = codec_get16(&head->lm_portal);
	msg->bufcount = codec_get16(&head->lm_bufcount);
	memcpy(msg->jobid, head->lm_jobid, sizeof(head->lm_jobid));
	msg->jobid[WIRE_MSG_JOBID_LEN] = '\0';
	fault = view_check(head, msg);
	return fault == WIRE_OK ? view_buffers(from, len, msg) : fault;
}
EXPORT_FOR_KUNIT(wire_msg_view);

/**
 * wire_buf() - a buffer of at least some size
 * @msg: message of wire_msg_view()
 * @n: number of the buffer
 * @size: bytes needed
 *
 * Context: any
 * Return: its first byte, or NULL
 */
const void *wire_buf(const struct wire_msg *msg, unsigned int n, size_t size)
{
	if (n >= msg->bufcount || msg->buflens[n] < size)
		return NULL;
	return msg->bufs[n];
}
EXPORT_SYMBOL_NS_GPL(wire_buf, LUSTRE_LITE);

/**
 * wire_text() - a buffer that is a text
 * @msg: message of wire_msg_view()
 * @n: number of the buffer
 *
 * Context: any
 * Return: the text, or NULL unless the buffer has exactly one NUL, at its end
 */
const char *wire_text(const struct wire_msg *msg, unsigned int n)
{
	const char *text = (const char *)wire_buf(msg, n, 1);

	if (!text || memchr(text, '\0', msg->buflens[n]) !=
		     text + msg->buflens[n] - 1)
		return NULL;
	return text;
}
EXPORT_SYMBOL_NS_GPL(wire_text, LUSTRE_LITE);

/*
 * Names of numbers, for counters and statistics.
 */

static const char * const fault_names[WIRE_FAULT_COUNT] = {
	[WIRE_OK] = "none",
	[WIRE_BAD_MAGIC] = "bad_magic",
	[WIRE_BAD_VERSION] = "bad_version",
	[WIRE_BAD_TYPE] = "bad_type",
	[WIRE_BAD_FLAGS] = "bad_flags",
	[WIRE_BAD_LENGTH] = "bad_length",
	[WIRE_BAD_SEQ] = "bad_sequence",
	[WIRE_BAD_HEAD_CRC] = "bad_head_crc",
	[WIRE_BAD_MSG_CRC] = "bad_message_crc",
	[WIRE_BAD_BULK_CRC] = "bad_bulk_crc",
	[WIRE_BAD_BUFFERS] = "bad_buffers",
	[WIRE_BAD_PADDING] = "bad_padding",
	[WIRE_BAD_NID] = "bad_nid",
	[WIRE_BAD_FLAVOUR] = "bad_flavour",
	[WIRE_BAD_STATUS] = "bad_status",
};

/**
 * wire_fault_name() - name of a fault, as counters show it
 * @fault: fault
 *
 * Context: any
 * Return: static text
 */
const char *wire_fault_name(enum wire_fault fault)
{
	if ((unsigned int)fault >= WIRE_FAULT_COUNT)
		return "unknown";
	return fault_names[fault];
}

static const struct {
	u32 opc;
	const char *name;
} opcodes[] = {
	{ OST_GETATTR, "ost_getattr" },
	{ OST_SETATTR, "ost_setattr" },
	{ OST_READ, "ost_read" },
	{ OST_WRITE, "ost_write" },
	{ OST_CREATE, "ost_create" },
	{ OST_DESTROY, "ost_destroy" },
	{ OST_GET_INFO, "ost_get_info" },
	{ OST_CONNECT, "ost_connect" },
	{ OST_DISCONNECT, "ost_disconnect" },
	{ OST_PUNCH, "ost_punch" },
	{ OST_STATFS, "ost_statfs" },
	{ OST_OPEN, "ost_open" },
	{ OST_CLOSE, "ost_close" },
	{ OST_SYNC, "ost_sync" },
	{ OST_SET_INFO, "ost_set_info" },
	{ OST_FALLOCATE, "ost_fallocate" },
	{ OST_SEEK, "ost_seek" },
	{ OST_GRANT, "ost_grant" },
	{ MDS_GETATTR, "mds_getattr" },
	{ MDS_GETATTR_NAME, "mds_getattr_lock" },
	{ MDS_CLOSE, "mds_close" },
	{ MDS_REINT, "mds_reint" },
	{ MDS_READPAGE, "mds_readpage" },
	{ MDS_CONNECT, "mds_connect" },
	{ MDS_DISCONNECT, "mds_disconnect" },
	{ MDS_GET_ROOT, "mds_get_root" },
	{ MDS_STATFS, "mds_statfs" },
	{ MDS_SYNC, "mds_sync" },
	{ MDS_DONE_WRITING, "mds_done_writing" },
	{ MDS_SET_INFO, "mds_set_info" },
	{ MDS_GET_INFO, "mds_get_info" },
	{ MDS_GETXATTR, "mds_getxattr" },
	{ MDS_SWAP_LAYOUTS, "mds_swap_layouts" },
	{ MDS_FID2PATH, "mds_fid2path" },
	{ LDLM_ENQUEUE, "ldlm_enqueue" },
	{ LDLM_CONVERT, "ldlm_convert" },
	{ LDLM_CANCEL, "ldlm_cancel" },
	{ LDLM_BL_CALLBACK, "ldlm_bl_callback" },
	{ LDLM_CP_CALLBACK, "ldlm_cp_callback" },
	{ LDLM_GL_CALLBACK, "ldlm_gl_callback" },
	{ LDLM_SET_INFO, "ldlm_set_info" },
	{ MGS_CONNECT, "mgs_connect" },
	{ MGS_DISCONNECT, "mgs_disconnect" },
	{ MGS_EXCEPTION, "mgs_exception" },
	{ MGS_TARGET_REG, "mgs_target_reg" },
	{ MGS_TARGET_DEL, "mgs_target_del" },
	{ MGS_SET_INFO, "mgs_set_info" },
	{ MGS_CONFIG_READ, "mgs_config_read" },
	{ OBD_PING, "obd_ping" },
	{ SEQ_QUERY, "seq_query" },
	{ LLOG_ORIGIN_HANDLE_CREATE, "llog_origin_handle_create" },
	{ LLOG_ORIGIN_HANDLE_NEXT_BLOCK, "llog_origin_handle_next_block" },
	{ LLOG_ORIGIN_HANDLE_READ_HEADER, "llog_origin_handle_read_header" },
	{ LLOG_ORIGIN_HANDLE_PREV_BLOCK, "llog_origin_handle_prev_block" },
};

/**
 * wire_opcode_name() - name of an operation, as statistics show it
 * @opc: operation
 *
 * Context: any
 * Return: static text, NULL if it is unknown
 */
const char *wire_opcode_name(u32 opc)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(opcodes); n++) {
		if (opcodes[n].opc == opc)
			return opcodes[n].name;
	}
	return NULL;
}
EXPORT_FOR_KUNIT(wire_opcode_name);
