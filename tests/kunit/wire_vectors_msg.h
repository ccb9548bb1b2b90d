/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages, a row each; see wire_vectors.h. */
#ifndef _WIRE_VECTORS_MSG_H
#define _WIRE_VECTORS_MSG_H

#include "wire_vectors.h"

#define CONNECT_BODY									\
	"'6f1c09a3-77de-4c1b-9d5f-12aa34bb56cc' .4 "	/* client uuid */		\
	"1122334455667788 03000000 .4 "		/* co_import, generation, reserved */	\
	"6800042900010080 00030902 "		/* ocd_connect_flags, version */	\
	"00002000 01000000 00004000 "		/* ocd_grant, index, brw_size */	\
	"1f .7 0c 07 "				/* ocd_ibits_known, grant_blkbits, inobits */ \
	"4000 00100000 "			/* ocd_grant_tax_kb, grant_max_blks */	\
	"0500000001000000 02000000 "		/* ocd_transno, group */		\
	"04000000 00000100 "			/* ocd_cksum_types, max_easize */	\
	"01005a5a 00f0ffffffffff7f "		/* ocd_instance, maxbytes */		\
	"0700 01 00 "				/* ocd_maxmodrpcs, conn_policy, padding0 */ \
	".4 21 .7 03 .7 "			/* ocd_padding1, connect_flags2, compr_type */ \
	".96"					/* ocd_paddings */

#define CONNECTED_BODY									\
	"60000001 .4 00030902 .4 "		/* ocd_connect_flags, version, grant */	\
	"01000000 00001000 .8 "			/* ocd_index, brw_size, ibits_known */	\
	"00 00 0000 "				/* ocd_grant_blkbits to tax_kb */ \
	".4 .8 .4 .4 "				/* ocd_grant_max_blks to cksum_types */ \
	".4 11000000 .8 "			/* ocd_max_easize, instance, maxbytes */ \
	"0000 00 00 "				/* ocd_maxmodrpcs, conn_policy, padding0 */ \
	".4 .8 .8 .96"				/* ocd_padding1 to ocd_paddings */

#define SET_INFO_BODY									\
	"'evict_by_nid' .1 .3 '10.0.0.7@tcp' .1 .3"	/* key, value */

/* Request and reply of a new symbolic link: the buffers of include/uapi/lustre_lite/wire_mds.h. */
#define SYMLINK_BODY									\
	"02000000 .4 e8030000 e9030000 "	/* mr_opcode, flags, uid, gid */		\
	"0200000000000000 12000000 .4 "		/* mr_caps, umask, size */		\
	".8 .8 "				/* mr_handle, cookie */			\
	".8 .8 .8 .8 .8 .8 .8 "			/* wa_valid to wa_btime */		\
	".4 .4 .4 .4 ffa10000 "			/* wa_atime_nsec to btime_nsec, mode */	\
	".4 .4 .4 .4 .4 "			/* wa_uid to wa_flags */		\
	"0700000002000000 01000000 .4 "		/* directory: wf_seq, oid, ver */	\
	"01 .31 "				/* wh_bytes */				\
	"0004000002000000 05000000 .4 .32 "	/* the new object */			\
	"'link' .1 .3 'to' .1 .5 "		/* name, target */			\
	"ea030000 .4 "				/* group */

#define SYMLINKED_BODY									\
	"0004000002000000 05000000 .4 "		/* mb_object: wf_seq, oid, ver */	\
	"02 .30 03 "				/* wh_bytes */				\
	".8 0200000000000000 .8 "		/* wa_valid, size, blocks */		\
	"0011223344556677 .8 .8 .8 "		/* wa_atime to wa_btime */		\
	"ffc99a3b .4 .4 .4 ffa10000 "		/* wa_atime_nsec to btime_nsec, mode */	\
	"e8030000 e9030000 01000000 .4 .4 "	/* wa_uid, gid, nlink, rdev, flags */	\
	".8 01000000 .4 "			/* mb_handle, flags, length */		\
	".8 0010000000000000 .8 .8 .8 .8 .8 "	/* parent: wa_valid to wa_btime */	\
	".4 .4 .4 .4 ed410000 .4 .4 03000000 .4 .4"	/* wa_atime_nsec to wa_flags */

#define LOCK_RES_BODY	"0104000002000000 05 .7 01 .7 'data' .4"

static const struct wire_vector_field ost_connect_request_fields[] = {
	WIRE_FIELD(2, lustre_connect, co_import, 0x8877665544332211),
	WIRE_FIELD(2, lustre_connect, co_generation, 3),
	WIRE_FIELD(3, obd_connect_data, ocd_connect_flags, 0x8000010029040068),
	WIRE_FIELD(3, obd_connect_data, ocd_version, 0x2090300),
	WIRE_FIELD(3, obd_connect_data, ocd_grant, 0x200000),
	WIRE_FIELD(3, obd_connect_data, ocd_index, 1),
	WIRE_FIELD(3, obd_connect_data, ocd_brw_size, 0x400000),
	WIRE_FIELD(3, obd_connect_data, ocd_ibits_known, 0x1f),
	WIRE_FIELD(3, obd_connect_data, ocd_grant_blkbits, 0xc),
	WIRE_FIELD(3, obd_connect_data, ocd_grant_inobits, 7),
	WIRE_FIELD(3, obd_connect_data, ocd_grant_tax_kb, 0x40),
	WIRE_FIELD(3, obd_connect_data, ocd_grant_max_blks, 0x1000),
	WIRE_FIELD(3, obd_connect_data, ocd_transno, 0x100000005),
	WIRE_FIELD(3, obd_connect_data, ocd_group, 2),
	WIRE_FIELD(3, obd_connect_data, ocd_cksum_types, 4),
	WIRE_FIELD(3, obd_connect_data, ocd_max_easize, 0x10000),
	WIRE_FIELD(3, obd_connect_data, ocd_instance, 0x5a5a0001),
	WIRE_FIELD(3, obd_connect_data, ocd_maxbytes, 0x7ffffffffffff000),
	WIRE_FIELD(3, obd_connect_data, ocd_maxmodrpcs, 7),
	WIRE_FIELD(3, obd_connect_data, ocd_conn_policy, 1),
	WIRE_FIELD(3, obd_connect_data, ocd_connect_flags2, 0x21),
	WIRE_FIELD(3, obd_connect_data, ocd_compr_type, 3),
	{}
};

static const struct wire_vector_field ost_connect_reply_fields[] = {
	WIRE_FIELD(0, obd_connect_data, ocd_connect_flags, 0x1000060),
	WIRE_FIELD(0, obd_connect_data, ocd_version, 0x2090300),
	WIRE_FIELD(0, obd_connect_data, ocd_index, 1),
	WIRE_FIELD(0, obd_connect_data, ocd_brw_size, 0x100000),
	WIRE_FIELD(0, obd_connect_data, ocd_instance, 0x11),
	{}
};

static const struct wire_vector_field obd_ping_reply_of_a_node_fields[] = {
	WIRE_FIELD(0, lustre_nid, wn_type, 2),
	WIRE_FIELD(0, lustre_nid, wn_len, 4),
	WIRE_FIELD(0, lustre_nid, wn_net, 0),
	{}
};

static const struct wire_vector_field ost_statfs_request_fields[] = {
	WIRE_FIELD(0, lustre_statfs_req, sq_max_age, 0x3b9aca00),
	{}
};

static const struct wire_vector_field ost_statfs_reply_fields[] = {
	WIRE_FIELD(0, lustre_statfs, ws_type, 0xbd00bd0),
	WIRE_FIELD(0, lustre_statfs, ws_bsize, 0x1000),
	WIRE_FIELD(0, lustre_statfs, ws_namelen, 0x100),
	WIRE_FIELD(0, lustre_statfs, ws_blocks, 0x123456789a),
	WIRE_FIELD(0, lustre_statfs, ws_bfree, 0x1111111111),
	WIRE_FIELD(0, lustre_statfs, ws_bavail, 0x1000000000),
	WIRE_FIELD(0, lustre_statfs, ws_files, 0xf4240),
	WIRE_FIELD(0, lustre_statfs, ws_ffree, 0xf423f),
	WIRE_FIELD(0, lustre_statfs, ws_state, 3),
	WIRE_FIELD(0, lustre_statfs, ws_reserved, 0),
	{}
};

static const struct wire_vector_field mds_get_root_reply_fields[] = {
	WIRE_FIELD(0, lustre_fid, wf_seq, 0x200000007),
	WIRE_FIELD(0, lustre_fid, wf_oid, 1),
	WIRE_FIELD(0, lustre_fid, wf_ver, 0),
	{}
};

static const struct wire_vector_field mds_symlink_request_fields[] = {
	WIRE_FIELD(0, mdt_rec, mr_opcode, 2),
	WIRE_FIELD(0, mdt_rec, mr_uid, 1000),
	WIRE_FIELD(0, mdt_rec, mr_gid, 1001),
	WIRE_FIELD(0, mdt_rec, mr_caps, 2),
	WIRE_FIELD(0, mdt_rec, mr_umask, 022),
	WIRE_FIELD(0, mdt_rec, mr_attr.wa_mode, 0120777),
	WIRE_FIELD(1, lustre_object, wo_fid.wf_seq, 0x200000007),
	WIRE_FIELD(1, lustre_object, wo_fid.wf_oid, 1),
	WIRE_FIELD(1, lustre_object, wo_hint.wh_bytes[0], 1),
	{}
};

static const struct wire_vector_field mds_symlink_reply_fields[] = {
	WIRE_FIELD(0, mdt_body, mb_object.wo_fid.wf_seq, 0x200000400),
	WIRE_FIELD(0, mdt_body, mb_object.wo_fid.wf_oid, 5),
	WIRE_FIELD(0, mdt_body, mb_object.wo_hint.wh_bytes[31], 3),
	WIRE_FIELD(0, mdt_body, mb_attr.wa_size, 2),
	WIRE_FIELD(0, mdt_body, mb_attr.wa_atime, 0x7766554433221100),
	WIRE_FIELD(0, mdt_body, mb_attr.wa_atime_nsec, 999999999),
	WIRE_FIELD(0, mdt_body, mb_attr.wa_nlink, 1),
	WIRE_FIELD(0, mdt_body, mb_flags, 1),
	WIRE_FIELD(1, lustre_attr, wa_size, 4096),
	WIRE_FIELD(1, lustre_attr, wa_mode, 040755),
	WIRE_FIELD(1, lustre_attr, wa_nlink, 3),
	{}
};

static const struct wire_vector_field seq_query_reply_fields[] = {
	WIRE_FIELD(0, lustre_seq_range, sr_start, 0x200000400),
	WIRE_FIELD(0, lustre_seq_range, sr_end, 0x200000401),
	WIRE_FIELD(0, lustre_seq_range, sr_index, 0),
	{}
};

static const struct wire_vector_field ost_get_info_request_fields[] = {
	WIRE_FIELD(1, lustre_info, wi_room, 0x1000),
	{}
};

static const struct wire_vector_field ost_read_request_fields[] = {
	WIRE_FIELD(0, lustre_brw, wb_object, 0x123),
	WIRE_FIELD(0, lustre_brw, wb_offset, 0x100000000),
	WIRE_FIELD(0, lustre_brw, wb_len, 0x100000),
	{}
};

static const struct wire_vector_field ost_read_reply_fields[] = {
	WIRE_FIELD(0, lustre_brw, wb_len, 0xffdc0),
	{}
};

static const struct wire_vector_field ost_write_request_replayed_fields[] = {
	WIRE_FIELD(0, lustre_brw, wb_len, 0x1000),
	{}
};

static const struct wire_vector_field ldlm_enqueue_request_fields[] = {
	WIRE_FIELD(0, lustre_lock, wl_client, 0xc11e000000000001),
	WIRE_FIELD(0, lustre_lock, wl_type, 0xa),
	WIRE_FIELD(0, lustre_lock, wl_flags, 2),
	WIRE_FIELD(0, lustre_lock, wl_req_mode, 4),
	WIRE_FIELD(0, lustre_lock, wl_res[0], 0x200000401),
	WIRE_FIELD(0, lustre_lock, wl_res[1], 5),
	WIRE_FIELD(0, lustre_lock, wl_res[2], 1),
	WIRE_FIELD(0, lustre_lock, wl_res[3], 0x61746164),
	{}
};

static const struct wire_vector_field ldlm_enqueue_reply_granted_fields[] = {
	WIRE_FIELD(0, lustre_lock, wl_client, 0xc11e000000000001),
	WIRE_FIELD(0, lustre_lock, wl_server, 0x5e40000000000002),
	WIRE_FIELD(0, lustre_lock, wl_type, 0xa),
	WIRE_FIELD(0, lustre_lock, wl_req_mode, 4),
	WIRE_FIELD(0, lustre_lock, wl_granted_mode, 4),
	WIRE_FIELD(0, lustre_lock, wl_res[0], 0x200000401),
	WIRE_FIELD(0, lustre_lock, wl_res[1], 5),
	WIRE_FIELD(0, lustre_lock, wl_res[2], 1),
	WIRE_FIELD(0, lustre_lock, wl_res[3], 0x61746164),
	{}
};

static const struct wire_vector_field ldlm_enqueue_reply_it_waits_fields[] = {
	WIRE_FIELD(0, lustre_lock, wl_client, 0xc11e000000000001),
	WIRE_FIELD(0, lustre_lock, wl_server, 0x5e40000000000002),
	WIRE_FIELD(0, lustre_lock, wl_type, 0xa),
	WIRE_FIELD(0, lustre_lock, wl_flags, 1),
	WIRE_FIELD(0, lustre_lock, wl_req_mode, 1),
	WIRE_FIELD(0, lustre_lock, wl_res[0], 0x200000401),
	WIRE_FIELD(0, lustre_lock, wl_res[1], 5),
	WIRE_FIELD(0, lustre_lock, wl_res[2], 1),
	WIRE_FIELD(0, lustre_lock, wl_res[3], 0x61746164),
	{}
};

static const struct wire_vector_field ldlm_enqueue_request_replayed_fields[] = {
	WIRE_FIELD(0, lustre_lock, wl_client, 0xc11e000000000001),
	WIRE_FIELD(0, lustre_lock, wl_type, 0xb),
	WIRE_FIELD(0, lustre_lock, wl_flags, 4),
	WIRE_FIELD(0, lustre_lock, wl_req_mode, 2),
	WIRE_FIELD(0, lustre_lock, wl_granted_mode, 2),
	WIRE_FIELD(0, lustre_lock, wl_res[0], 0x200000401),
	WIRE_FIELD(0, lustre_lock, wl_res[1], 5),
	WIRE_FIELD(0, lustre_lock, wl_res[2], 1),
	WIRE_FIELD(0, lustre_lock, wl_res[3], 0x61746164),
	WIRE_FIELD(0, lustre_lock, wl_policy[0], 0),
	WIRE_FIELD(0, lustre_lock, wl_policy[1], 0xfffffffffffff),
	WIRE_FIELD(0, lustre_lock, wl_policy[2], 7),
	WIRE_FIELD(0, lustre_lock, wl_policy[3], 0),
	{}
};

static const struct wire_vector_field ldlm_bl_callback_request_fields[] = {
	WIRE_FIELD(0, lustre_lock, wl_client, 0xc11e000000000001),
	WIRE_FIELD(0, lustre_lock, wl_server, 0x5e40000000000002),
	WIRE_FIELD(0, lustre_lock, wl_type, 0xa),
	WIRE_FIELD(0, lustre_lock, wl_flags, 8),
	WIRE_FIELD(0, lustre_lock, wl_req_mode, 1),
	WIRE_FIELD(0, lustre_lock, wl_granted_mode, 4),
	WIRE_FIELD(0, lustre_lock, wl_res[0], 0x200000401),
	WIRE_FIELD(0, lustre_lock, wl_res[1], 5),
	WIRE_FIELD(0, lustre_lock, wl_res[2], 1),
	WIRE_FIELD(0, lustre_lock, wl_res[3], 0x61746164),
	{}
};

static const struct wire_vector_field ldlm_cp_callback_request_fields[] = {
	WIRE_FIELD(0, lustre_lock, wl_client, 0xc11e000000000001),
	WIRE_FIELD(0, lustre_lock, wl_server, 0x5e40000000000002),
	WIRE_FIELD(0, lustre_lock, wl_type, 0xa),
	WIRE_FIELD(0, lustre_lock, wl_req_mode, 1),
	WIRE_FIELD(0, lustre_lock, wl_granted_mode, 1),
	WIRE_FIELD(0, lustre_lock, wl_res[0], 0x200000401),
	WIRE_FIELD(0, lustre_lock, wl_res[1], 5),
	WIRE_FIELD(0, lustre_lock, wl_res[2], 1),
	WIRE_FIELD(0, lustre_lock, wl_res[3], 0x61746164),
	{}
};

static const struct wire_vector_field mgs_target_reg_request_fields[] = {
	WIRE_FIELD(0, lustre_target, wt_flags, 0x32),
	WIRE_FIELD(0, lustre_target, wt_index, 0xffff),
	WIRE_FIELD(0, lustre_target, wt_instance, 0x1020304),
	WIRE_FIELD(0, lustre_target, wt_nid_count, 1),
	WIRE_FIELD(1, lustre_nid, wn_type, 2),
	WIRE_FIELD(1, lustre_nid, wn_len, 4),
	{}
};

static const struct wire_vector_field mgs_target_reg_reply_fields[] = {
	WIRE_FIELD(0, lustre_target, wt_flags, 0x2),
	WIRE_FIELD(0, lustre_target, wt_index, 5),
	WIRE_FIELD(0, lustre_target, wt_instance, 0x1020304),
	{}
};

static const struct wire_vector_field mgs_config_read_request_fields[] = {
	WIRE_FIELD(0, lustre_config_read, crd_type, 0),
	WIRE_FIELD(0, lustre_config_read, crd_size, 0xc000),
	WIRE_FIELD(0, lustre_config_read, crd_epoch, 0x11),
	WIRE_FIELD(0, lustre_config_read, crd_offset, 0x2000),
	{}
};

static const struct wire_vector_field mgs_config_read_reply_fields[] = {
	WIRE_FIELD(0, lustre_config_info, ci_epoch, 0x11),
	WIRE_FIELD(0, lustre_config_info, ci_generation, 0x2a),
	WIRE_FIELD(0, lustre_config_info, ci_offset, 0x2000),
	WIRE_FIELD(0, lustre_config_info, ci_size, 0x2010),
	WIRE_FIELD(0, lustre_config_info, ci_last_index, 7),
	WIRE_FIELD(0, lustre_config_info, ci_jitter_ms, 0x80),
	{}
};

static const struct wire_vector_field mgs_config_ack_request_fields[] = {
	WIRE_FIELD(1, lustre_config_ack, ca_type, 3),
	WIRE_FIELD(1, lustre_config_ack, ca_status, 0),
	WIRE_FIELD(1, lustre_config_ack, ca_epoch, 0x11),
	WIRE_FIELD(1, lustre_config_ack, ca_generation, 0x2a),
	WIRE_FIELD(1, lustre_config_ack, ca_last_index, 9),
	WIRE_FIELD(1, lustre_config_ack, ca_applied, 6),
	WIRE_FIELD(1, lustre_config_ack, ca_failed, 1),
	WIRE_FIELD(1, lustre_config_ack, ca_failed_index, 8),
	{}
};

static const struct wire_vector wire_vectors[] = {
	/* The head, byte by byte: each member is another number. */
	{
		.name = "a head",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = 0x0a0b0c0d,
			 .xid = 0x1112131415161718, .handle = 0x2122232425262728,
			 .transno = 0x3132333435363738,
			 .last_committed = 0x4142434445464748,
			 .last_xid = 0x5152535455565758, .status = -107,
			 .flags = 0x61626364, .op_flags = 0x65666768,
			 .conn_cnt = 0x71727374, .timeout = 0x75767778,
			 .service_time = 0x81828384, .portal = 9, .bufcount = 8,
			 .jobid = "0123456789abcdefghijklmnopqrstuv",
			 .buflens = { 1, 2, 3, 4, 5, 6, 7, 9 } },
		.head = "69120000 0d0c0b0a "			/* lm_type, opc */
			"1817161514131211 2827262524232221 "	/* lm_xid, handle */
			"3837363534333231 4847464544434241 "	/* lm_transno, last_committed */
			"5857565554535251 95ffffff "		/* lm_last_xid, status */
			"64636261 68676665 74737271 "		/* lm_flags, op_flags, conn_cnt */
			"78777675 84838281 0900 0800 .4 "	/* lm_timeout, ..., reserved */
			"'0123456789abcdefghijklmnopqrstuv' "	/* lm_jobid */
			"01000000 02000000 03000000 04000000 "	/* lm_buflens */
			"05000000 06000000 07000000 09000000",
		.body = "a1.7 a1a2.6 a1a2a3.5 a1a2a3a4.4 "	/* of 1 to 4 bytes */
			"a1a2a3a4a5.3 "				/* 5 bytes */
			"a1a2a3a4a5a6.2 a1a2a3a4a5a6a7.1 a1a2a3a4a5a6a7a8 a9.7",
	},

	/* Connecting */
	{
		.name = "OST_CONNECT request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = OST_CONNECT,
			 .xid = 0x6550000000000001,
			 .last_xid = 0x6550000000000000, .op_flags = 0x120,
			 .conn_cnt = 1, .timeout = 20, .tag = 1, .portal = 28,
			 .bufcount = 4, .buflens = { 40, 40, 16, 192 } },
		.body = "'lustre-OST0001_UUID' .21 "	/* target uuid */
			CONNECT_BODY,
		.fields = ost_connect_request_fields,
	},
	{
		.name = "OST_CONNECT reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = OST_CONNECT,
			 .xid = 0x6550000000000001,
			 .handle = 0x1d2c3b4a59687786,
			 .last_committed = 0x100000004, .op_flags = 6,
			 .timeout = 10, .service_time = 1, .bufcount = 1,
			 .buflens = { 192 } },
		.body = CONNECTED_BODY,
		.fields = ost_connect_reply_fields,
	},
	{
		.name = "MDS_CONNECT request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = MDS_CONNECT,
			 .xid = 0x6550000000000001,
			 .last_xid = 0x6550000000000000, .op_flags = 0x120,
			 .conn_cnt = 1, .timeout = 20, .portal = 12,
			 .bufcount = 4, .buflens = { 40, 40, 16, 192 } },
		.body = "'lustre-MDT0000_UUID' .21 "	/* target uuid */
			CONNECT_BODY,
		.fields = ost_connect_request_fields,
	},
	{
		.name = "MDS_CONNECT reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = MDS_CONNECT,
			 .xid = 0x6550000000000001,
			 .handle = 0x1d2c3b4a59687786,
			 .last_committed = 0x100000004, .op_flags = 6,
			 .timeout = 10, .service_time = 1, .bufcount = 1,
			 .buflens = { 192 } },
		.body = CONNECTED_BODY,
		.fields = ost_connect_reply_fields,
	},
	{
		.name = "MGS_CONNECT request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = MGS_CONNECT,
			 .xid = 0x6550000000000001,
			 .last_xid = 0x6550000000000000, .op_flags = 0x120,
			 .conn_cnt = 1, .timeout = 20, .portal = 26,
			 .bufcount = 4, .buflens = { 40, 40, 16, 192 } },
		.body = "'MGS' .37 "	/* target uuid */
			CONNECT_BODY,
		.fields = ost_connect_request_fields,
	},
	{
		.name = "MGS_CONNECT reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = MGS_CONNECT,
			 .xid = 0x6550000000000001,
			 .handle = 0x1d2c3b4a59687786,
			 .last_committed = 0x100000004, .op_flags = 6,
			 .timeout = 10, .service_time = 1, .bufcount = 1,
			 .buflens = { 192 } },
		.body = CONNECTED_BODY,
		.fields = ost_connect_reply_fields,
	},

	/* Disconnecting, pings, replies without buffers */
	{
		.name = "OST_DISCONNECT request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = OST_DISCONNECT,
			 .xid = 0x6550000000000009,
			 .handle = 0x1d2c3b4a59687786,
			 .last_xid = 0x6550000000000008, .conn_cnt = 2,
			 .timeout = 25, .portal = 28 },
	},
	{
		.name = "OST_DISCONNECT reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = OST_DISCONNECT,
			 .xid = 0x6550000000000009, .timeout = 5,
			 .service_time = 1 },
	},
	{
		.name = "MDS_DISCONNECT request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = MDS_DISCONNECT,
			 .xid = 0x6550000000000009,
			 .handle = 0x1d2c3b4a59687786,
			 .last_xid = 0x6550000000000008, .conn_cnt = 2,
			 .timeout = 25, .portal = 12 },
	},
	{
		.name = "MDS_DISCONNECT reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = MDS_DISCONNECT,
			 .xid = 0x6550000000000009, .timeout = 5,
			 .service_time = 1 },
	},
	{
		.name = "MGS_DISCONNECT request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = MGS_DISCONNECT,
			 .xid = 0x6550000000000009,
			 .handle = 0x1d2c3b4a59687786,
			 .last_xid = 0x6550000000000008, .conn_cnt = 2,
			 .timeout = 25, .portal = 26 },
	},
	{
		.name = "MGS_DISCONNECT reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = MGS_DISCONNECT,
			 .xid = 0x6550000000000009, .timeout = 5,
			 .service_time = 1 },
	},
	{
		.name = "OBD_PING request, of an import",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = OBD_PING,
			 .xid = 0x655000000000000a,
			 .handle = 0x1d2c3b4a59687786,
			 .last_xid = 0x6550000000000009, .conn_cnt = 2,
			 .timeout = 7, .portal = 28 },
	},
	{
		.name = "OBD_PING reply, of an import",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = OBD_PING,
			 .xid = 0x655000000000000a,
			 .last_committed = 0x10000000a, .timeout = 5,
			 .service_time = 1 },
	},
	{
		.name = "OBD_PING request, of a node",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = OBD_PING,
			 .xid = 0x655000000000000b, .timeout = 7,
			 .portal = 28 },
	},
	{
		.name = "OBD_PING reply, of a node",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = OBD_PING,
			 .xid = 0x655000000000000b, .timeout = 5,
			 .service_time = 1, .bufcount = 1, .buflens = { 60 } },
		.body = "02 04 0000 "	/* nid.wn_type tcp, nid.wn_len, nid.wn_net */
			"0a000007 .12 02 "	/* nid.wn_addr 10.0.0.7, nid.wn_type tcp */
			"10 0300 20010db8 .11 01 "	/* nid.wn_len, nid.wn_net, nid.wn_addr */
			"09 04 0000 "	/* nid.wn_type lo, nid.wn_len, nid.wn_net */
			".16 .4",	/* nid.wn_addr 0 */
		.fields = obd_ping_reply_of_a_node_fields,
	},
	{
		.name = "an error reply",
		.msg = { .type = PTL_RPC_MSG_ERR, .opc = OST_STATFS,
			 .xid = 0x655000000000000c, .status = -107 },
	},
	{
		.name = "an early reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = OST_WRITE,
			 .xid = 0x655000000000000d, .flags = 8, .timeout = 33 },
	},

	/* Operations of every target */
	{
		.name = "OST_STATFS request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = OST_STATFS,
			 .xid = 0x6550000000000010,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 7, .portal = 28, .bufcount = 1,
			 .jobid = "dd.1000", .buflens = { 8 } },
		.body = "00ca9a3b .4",	/* sq_max_age */
		.fields = ost_statfs_request_fields,
	},
	{
		.name = "OST_STATFS reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = OST_STATFS,
			 .xid = 0x6550000000000010, .timeout = 5,
			 .service_time = 1, .bufcount = 1, .buflens = { 64 } },
		.body = "d00bd00b .4 00100000 00010000 "	/* ws_type, bsize, namelen */
			"9a78563412000000 1111111111000000 "	/* ws_blocks, bfree */
			"0000000010000000 40420f .5 3f420f .5 "	/* ws_bavail, files, ffree */
			"03 .7",	/* ws_state */
		.fields = ost_statfs_reply_fields,
	},
	{
		.name = "MDS_STATFS request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = MDS_STATFS,
			 .xid = 0x6550000000000010,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 7, .portal = 12, .bufcount = 1,
			 .jobid = "dd.1000", .buflens = { 8 } },
		.body = "00ca9a3b .4",	/* sq_max_age */
		.fields = ost_statfs_request_fields,
	},
	{
		.name = "MDS_STATFS reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = MDS_STATFS,
			 .xid = 0x6550000000000010, .timeout = 5,
			 .service_time = 1, .bufcount = 1, .buflens = { 64 } },
		.body = "d00bd00b .4 00100000 00010000 "	/* ws_type, bsize, namelen */
			"9a78563412000000 1111111111000000 "	/* ws_blocks, bfree */
			"0000000010000000 40420f .5 3f420f .5 "	/* ws_bavail, files, ffree */
			"03 .7",	/* ws_state */
		.fields = ost_statfs_reply_fields,
	},
	{
		.name = "MDS_GET_ROOT request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = MDS_GET_ROOT,
			 .xid = 0x6550000000000013,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 7, .portal = 12 },
	},
	{
		.name = "MDS_GET_ROOT reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = MDS_GET_ROOT,
			 .xid = 0x6550000000000013, .timeout = 5,
			 .service_time = 1, .bufcount = 1, .buflens = { 16 } },
		.body = "0700000002000000 01000000 .4",	/* wf_seq, oid, ver */
		.fields = mds_get_root_reply_fields,
	},

	/* Metadata operations */
	{
		.name = "MDS_REINT request, a symbolic link",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = MDS_REINT,
			 .xid = 0x6550000000000014,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 7, .portal = 12, .bufcount = 7,
			 .buflens = { 144, 96, 5, 3, 4 } },
		.body = SYMLINK_BODY,
		.fields = mds_symlink_request_fields,
	},
	{
		.name = "MDS_REINT reply, a symbolic link",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = MDS_REINT,
			 .xid = 0x6550000000000014,
			 .handle = 0x1d2c3b4a59687786,
			 .transno = 0x100000006, .last_committed = 0x100000005,
			 .timeout = 5, .service_time = 1, .bufcount = 5,
			 .buflens = { 160, 96 } },
		.body = SYMLINKED_BODY,
		.fields = mds_symlink_reply_fields,
	},
	{
		.name = "SEQ_QUERY request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = SEQ_QUERY,
			 .xid = 0x6550000000000015,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 7, .portal = 12 },
	},
	{
		.name = "SEQ_QUERY reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = SEQ_QUERY,
			 .xid = 0x6550000000000015, .timeout = 5,
			 .service_time = 1, .bufcount = 1, .buflens = { 24 } },
		.body = "0004000002000000 0104000002000000 .8",	/* sr_start, end, index, flags */
		.fields = seq_query_reply_fields,
	},

	/* Reading and setting a value by name */
	{
		.name = "OST_GET_INFO request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = OST_GET_INFO,
			 .xid = 0x6550000000000011,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 7, .portal = 28, .bufcount = 2,
			 .buflens = { 11, 8 } },
		.body = "'max_easize' .1 .5 00100000 .4",	/* key, wi_room, reserved */
		.fields = ost_get_info_request_fields,
	},
	{
		.name = "OST_GET_INFO reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = OST_GET_INFO,
			 .xid = 0x6550000000000011, .timeout = 5,
			 .service_time = 1, .bufcount = 1, .buflens = { 4 } },
		.body = "00000100 .4",	/* value */
	},
	{
		.name = "MDS_GET_INFO request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = MDS_GET_INFO,
			 .xid = 0x6550000000000011,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 7, .portal = 12, .bufcount = 2,
			 .buflens = { 11, 8 } },
		.body = "'max_easize' .1 .5 00100000 .4",	/* key, wi_room, reserved */
		.fields = ost_get_info_request_fields,
	},
	{
		.name = "MDS_GET_INFO reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = MDS_GET_INFO,
			 .xid = 0x6550000000000011, .timeout = 5,
			 .service_time = 1, .bufcount = 1, .buflens = { 4 } },
		.body = "00000100 .4",	/* value */
	},
	{
		.name = "OST_SET_INFO request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = OST_SET_INFO,
			 .xid = 0x6550000000000012,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 7, .portal = 28, .bufcount = 2,
			 .buflens = { 13, 13 } },
		.body = SET_INFO_BODY,
	},
	{
		.name = "OST_SET_INFO reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = OST_SET_INFO,
			 .xid = 0x6550000000000012, .timeout = 5,
			 .service_time = 1 },
	},
	{
		.name = "MDS_SET_INFO request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = MDS_SET_INFO,
			 .xid = 0x6550000000000012,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 7, .portal = 12, .bufcount = 2,
			 .buflens = { 13, 13 } },
		.body = SET_INFO_BODY,
	},
	{
		.name = "MDS_SET_INFO reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = MDS_SET_INFO,
			 .xid = 0x6550000000000012, .timeout = 5,
			 .service_time = 1 },
	},
	{
		.name = "MGS_SET_INFO request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = MGS_SET_INFO,
			 .xid = 0x6550000000000012,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 7, .portal = 26, .bufcount = 2,
			 .buflens = { 13, 13 } },
		.body = SET_INFO_BODY,
	},
	{
		.name = "MGS_SET_INFO reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = MGS_SET_INFO,
			 .xid = 0x6550000000000012, .timeout = 5,
			 .service_time = 1 },
	},
	{
		.name = "LDLM_SET_INFO request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = LDLM_SET_INFO,
			 .xid = 0x6550000000000012,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 7, .portal = 17, .bufcount = 2,
			 .buflens = { 13, 13 } },
		.body = SET_INFO_BODY,
	},
	{
		.name = "LDLM_SET_INFO reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = LDLM_SET_INFO,
			 .xid = 0x6550000000000012, .timeout = 5,
			 .service_time = 1 },
	},

	/* Bulk data */
	{
		.name = "OST_READ request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = OST_READ,
			 .xid = 0x6550000000000020,
			 .handle = 0x1d2c3b4a59687786,
			 .last_xid = 0x655000000000001f, .conn_cnt = 1,
			 .timeout = 50, .portal = 6, .bufcount = 1,
			 .jobid = "cp.0", .buflens = { 24 } },
		.body = "2301 .6 0000000001000000 00001000 "	/* wb_object, offset, len */
			".4",	/* wb_flags */
		.fields = ost_read_request_fields,
	},
	{
		.name = "OST_READ reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = OST_READ,
			 .xid = 0x6550000000000020,
			 .last_committed = 0x100000008, .timeout = 10,
			 .service_time = 3, .bufcount = 1, .buflens = { 24 } },
		.body = "2301 .6 0000000001000000 c0fd0f00 "	/* wb_object, offset, len */
			".4",	/* wb_flags */
		.fields = ost_read_reply_fields,
	},
	{
		.name = "OST_WRITE request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = OST_WRITE,
			 .xid = 0x6550000000000021,
			 .handle = 0x1d2c3b4a59687786,
			 .last_xid = 0x655000000000001f, .flags = 2,
			 .conn_cnt = 1, .timeout = 50, .portal = 6,
			 .bufcount = 1, .jobid = "cp.0", .buflens = { 24 } },
		.body = "2301 .6 0000000001000000 00001000 "	/* wb_object, offset, len */
			".4",	/* wb_flags */
		.fields = ost_read_request_fields,
	},
	{
		.name = "OST_WRITE reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = OST_WRITE,
			 .xid = 0x6550000000000021, .transno = 0x100000009,
			 .last_committed = 0x100000008, .timeout = 10,
			 .service_time = 3, .bufcount = 1, .buflens = { 24 } },
		.body = "2301 .6 0000000001000000 c0fd0f00 "	/* wb_object, offset, len */
			".4",	/* wb_flags */
		.fields = ost_read_reply_fields,
	},
	{
		.name = "OST_WRITE request, replayed",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = OST_WRITE,
			 .xid = 0x6550000000000022,
			 .handle = 0x1d2c3b4a59687786, .transno = 0x10000000a,
			 .flags = 6, .conn_cnt = 2, .timeout = 50, .portal = 6,
			 .bufcount = 1,
			 .jobid = "a job with a name of 32 bytes...",
			 .buflens = { 24 } },
		.body = "2301 .6 0000000001000000 00100000 "	/* wb_object, offset, len */
			".4",	/* wb_flags */
		.fields = ost_write_request_replayed_fields,
	},

	/* The lock manager: enqueue */
	{
		.name = "LDLM_ENQUEUE request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = LDLM_ENQUEUE,
			 .xid = 0x6550000000000030,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 60, .portal = 28, .bufcount = 1,
			 .buflens = { 96 } },
		.body = "0100000000001ec1 .8 0a000000 "	/* wl_client, server, type */
			"02000000 04000000 .4 "	/* wl_flags, req_mode, granted_mode */
			LOCK_RES_BODY " .32",	/* wl_res, policy */
		.fields = ldlm_enqueue_request_fields,
	},
	{
		.name = "LDLM_ENQUEUE reply, granted",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = LDLM_ENQUEUE,
			 .xid = 0x6550000000000030, .timeout = 5,
			 .service_time = 1, .bufcount = 1, .buflens = { 96 } },
		.body = "0100000000001ec1 020000000000405e "	/* wl_client, server */
			"0a000000 .4 04000000 "	/* wl_type, flags, req_mode */
			"04000000 " LOCK_RES_BODY " .32",	/* wl_granted_mode, res, policy */
		.fields = ldlm_enqueue_reply_granted_fields,
	},
	{
		.name = "LDLM_ENQUEUE reply, it waits",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = LDLM_ENQUEUE,
			 .xid = 0x6550000000000030, .timeout = 5,
			 .service_time = 1, .bufcount = 1, .buflens = { 96 } },
		.body = "0100000000001ec1 020000000000405e "	/* wl_client, server */
			"0a000000 01000000 01000000 "	/* wl_type, flags, req_mode */
			".4 " LOCK_RES_BODY " .32",	/* wl_granted_mode, res, policy */
		.fields = ldlm_enqueue_reply_it_waits_fields,
	},
	{
		.name = "LDLM_ENQUEUE request, replayed",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = LDLM_ENQUEUE,
			 .xid = 0x6550000000000030,
			 .handle = 0x1d2c3b4a59687786, .flags = 4,
			 .conn_cnt = 1, .timeout = 60, .portal = 28,
			 .bufcount = 1, .buflens = { 96 } },
		.body = "0100000000001ec1 .8 0b000000 "	/* wl_client, server, type */
			"04000000 02000000 02000000 "	/* wl_flags, req_mode, granted_mode */
			LOCK_RES_BODY " .8 "	/* wl_res, policy[0] */
			"ffffffffffff0f00 07 .7 .8",	/* wl_policy[1], policy[2], policy[3] */
		.fields = ldlm_enqueue_request_replayed_fields,
	},

	/* The lock manager: cancel and callbacks */
	{
		.name = "LDLM_CANCEL request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = LDLM_CANCEL,
			 .xid = 0x6550000000000030,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 60, .portal = 17, .bufcount = 1,
			 .buflens = { 24 } },
		.body = "020000000000405e 030000000000405e "	/* cookie 0, cookie 1 */
			"ffffffffffffffff",	/* cookie 2 */
	},
	{
		.name = "LDLM_CANCEL reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = LDLM_CANCEL,
			 .xid = 0x6550000000000030, .timeout = 5,
			 .service_time = 1 },
	},
	{
		.name = "LDLM_BL_CALLBACK request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = LDLM_BL_CALLBACK,
			 .xid = 0x7660000000000001,
			 .handle = 0x8877665544332211, .timeout = 20,
			 .portal = 15, .bufcount = 1, .buflens = { 96 } },
		.body = "0100000000001ec1 020000000000405e "	/* wl_client, server */
			"0a000000 08000000 01000000 "	/* wl_type, flags, req_mode */
			"04000000 " LOCK_RES_BODY " .32",	/* wl_granted_mode, res, policy */
		.fields = ldlm_bl_callback_request_fields,
	},
	{
		.name = "LDLM_BL_CALLBACK reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = LDLM_BL_CALLBACK,
			 .xid = 0x7660000000000001, .timeout = 5,
			 .service_time = 1 },
	},
	{
		.name = "LDLM_CP_CALLBACK request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = LDLM_CP_CALLBACK,
			 .xid = 0x7660000000000002,
			 .handle = 0x8877665544332211, .timeout = 20,
			 .portal = 15, .bufcount = 1, .buflens = { 96 } },
		.body = "0100000000001ec1 020000000000405e "	/* wl_client, server */
			"0a000000 .4 01000000 "	/* wl_type, flags, req_mode */
			"01000000 " LOCK_RES_BODY " .32",	/* wl_granted_mode, res, policy */
		.fields = ldlm_cp_callback_request_fields,
	},
	{
		.name = "LDLM_CP_CALLBACK reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = LDLM_CP_CALLBACK,
			 .xid = 0x7660000000000002, .timeout = 5,
			 .service_time = 1 },
	},

	/* The management service */
	{
		.name = "MGS_TARGET_REG request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = MGS_TARGET_REG,
			 .xid = 0x6550000000000014,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 7, .portal = 26, .bufcount = 3,
			 .buflens = { 288, 20, 1 } },
		.body = "32000000 ffff0000 04030201 "	/* wt_flags, index, instance */
			"01000000 'lustre' .58 .64 "	/* wt_nid_count, fsname, svname */
			".40 "	/* wt_uuid */
			"'3f2a9c64-51d7-4e08-9b1c-6a0d2e7f8351' .4 "	/* wt_id */
			"404142434445464748494a4b4c4d4e4f "	/* wt_key */
			"505152535455565758595a5b5c5d5e5f "	/* its second half */
			"a7eefbf75b6232a7b011c70ed01696f8 "	/* wt_proof */
			"dac129ffbd0d25fd5baed7db1506165c "	/* its second half */
			"020400000a000001 .12 .4 00 .7",	/* tcp, 10.0.0.1, params */
		.fields = mgs_target_reg_request_fields,
	},
	{
		.name = "MGS_TARGET_REG reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = MGS_TARGET_REG,
			 .xid = 0x6550000000000014, .timeout = 5,
			 .service_time = 1, .bufcount = 2,
			 .buflens = { 288, 1 } },
		.body = "02000000 05000000 04030201 "	/* wt_flags, index, instance */
			".4 'lustre' .58 'lustre-OST0005' .50 "	/* wt_nid_count, fsname, svname */
			"'lustre-OST0005_UUID' .21 .40 "	/* wt_uuid, id */
			".32 .32 00 .7",	/* wt_key, wt_proof, why not */
		.fields = mgs_target_reg_reply_fields,
	},
	{
		.name = "MGS_CONFIG_READ request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = MGS_CONFIG_READ,
			 .xid = 0x6550000000000015,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 7, .portal = 26, .bufcount = 1,
			 .buflens = { 88 } },
		.body = "'lustre-client' .51 .4 00c00000 "	/* crd_name, type, room */
			"11 .7 0020 .6",	/* crd_epoch, offset */
		.fields = mgs_config_read_request_fields,
	},
	{
		.name = "MGS_CONFIG_READ reply",
		.msg = { .type = PTL_RPC_MSG_REPLY, .opc = MGS_CONFIG_READ,
			 .xid = 0x6550000000000015, .timeout = 5,
			 .service_time = 1, .bufcount = 2,
			 .buflens = { 40, 16 } },
		.body = "11 .7 2a .7 0020 .6 1020 .6 "	/* ci_epoch, generation, offset, size */
			"07000000 80000000 "	/* ci_last_index, jitter_ms */
			"0102030405060708090a0b0c0d0e0f10",	/* bytes of the log */
		.fields = mgs_config_read_reply_fields,
	},
	{
		.name = "MGS_SET_INFO config_ack request",
		.msg = { .type = PTL_RPC_MSG_REQUEST, .opc = MGS_SET_INFO,
			 .xid = 0x6550000000000016,
			 .handle = 0x1d2c3b4a59687786, .conn_cnt = 1,
			 .timeout = 7, .portal = 26, .bufcount = 2,
			 .buflens = { 11, 114 } },
		.body = "'config_ack' .1 .5 'params' .58 03000000 "	/* key, ca_name, type */
			".4 11 .7 2a .7 "	/* ca_status, epoch, generation */
			"09000000 06000000 01000000 "	/* ca_last_index, applied, failed */
			"08000000 'too large' .1 .6",	/* ca_failed_index, text */
		.fields = mgs_config_ack_request_fields,
	},
};

#endif /* _WIRE_VECTORS_MSG_H */
