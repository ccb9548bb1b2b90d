// SPDX-License-Identifier: GPL-2.0
/* Names of numbers on the wire, for counters and statistics. */
#include <lustre_lite/wire.h>

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
	{ OST_READ, "ost_read" },
	{ OST_WRITE, "ost_write" },
	{ OST_GET_INFO, "ost_get_info" },
	{ OST_CONNECT, "ost_connect" },
	{ OST_DISCONNECT, "ost_disconnect" },
	{ OST_STATFS, "ost_statfs" },
	{ OST_SYNC, "ost_sync" },
	{ OST_SET_INFO, "ost_set_info" },
	{ MDS_CONNECT, "mds_connect" },
	{ MDS_DISCONNECT, "mds_disconnect" },
	{ MDS_GET_ROOT, "mds_get_root" },
	{ MDS_STATFS, "mds_statfs" },
	{ MDS_SET_INFO, "mds_set_info" },
	{ MDS_GET_INFO, "mds_get_info" },
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
