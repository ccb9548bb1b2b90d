// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of connect flags, as real Lustre prints them; connect data as parameters.
 */
#include <linux/bits.h>
#include <linux/export.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/params.h>

#include "obd_internal.h"

/* By bit; from 64 on those of the second word. */
static const char * const flag_names[] = {
	[0] = "read_only",
	[1] = "lov_index",
	[2] = "connect_from_mds",
	[3] = "write_grant",
	[4] = "server_lock",
	[5] = "version",
	[6] = "request_portal",
	[7] = "acl",
	[8] = "xattr",
	[9] = "large_acl",
	[10] = "truncate_lock",
	[11] = "initial_transno",
	[12] = "inode_bit_locks",
	[13] = "barrier",
	[14] = "getattr_by_fid",
	[15] = "no_oh_for_devices",
	[16] = "remote_client",
	[17] = "remote_client_by_force",
	[18] = "max_byte_per_rpc",
	[19] = "64bit_qdata",
	[20] = "mds_capability",
	[21] = "oss_capability",
	[22] = "early_lock_cancel",
	[23] = "som",
	[24] = "adaptive_timeouts",
	[25] = "lru_resize",
	[26] = "mds_mds_connection",
	[27] = "real_conn",
	[28] = "change_qunit_size",
	[29] = "alt_checksum_algorithm",
	[30] = "fid_is_enabled",
	[31] = "version_recovery",
	[32] = "pools",
	[33] = "grant_shrink",
	[34] = "skip_orphan",
	[35] = "large_ea",
	[36] = "full20",
	[37] = "layout_lock",
	[38] = "64bithash",
	[39] = "object_max_bytes",
	[40] = "imp_recov",
	[41] = "jobstats",
	[42] = "umask",
	[43] = "einprogress",
	[44] = "grant_param",
	[45] = "flock_owner",
	[46] = "lvb_type",
	[47] = "nanoseconds_times",
	[48] = "lightweight_conn",
	[49] = "short_io",
	[50] = "pingless",
	[51] = "flock_deadlock",
	[52] = "disp_stripe",
	[53] = "open_by_fid",
	[54] = "lfsck",
	[56] = "unlink_close",
	[57] = "multi_mod_rpcs",
	[58] = "dir_stripe",
	[59] = "subtree",
	[60] = "lockahead",
	[61] = "bulk_mbits",
	[62] = "compact_obdo",
	[63] = "second_flags",
	[64] = "file_secctx",
	[65] = "lockaheadv2",
	[66] = "dir_migrate",
	[67] = "sum_statfs",
	[68] = "overstriping",
	[69] = "flr",
	[70] = "wbc",
	[71] = "lock_convert",
	[72] = "archive_id_array",
	[73] = "increasing_xid",
	[74] = "selinux_policy",
	[75] = "lsom",
	[76] = "pcc",
	[77] = "crush",
	[78] = "async_discard",
	[79] = "client_encryption",
	[80] = "fidmap",
	[81] = "getattr_pfid",
	[82] = "lseek",
	[83] = "dom_lvb",
	[84] = "reply_mbits",
	[85] = "mode_convert",
	[86] = "batch_rpc",
	[87] = "pcc_ro",
	[88] = "mne_nid_type",
	[89] = "lock_contend",
	[90] = "atomic_open_lock",
	[91] = "name_encryption",
	[92] = "mkdir_replay",
	[93] = "dmv_imp_inherit",
	[94] = "encryption_fid2path",
	[95] = "replay_create",
	[96] = "large_nid",
	[97] = "compressed_file",
	[98] = "unaligned_dio",
	[99] = "conn_policy",
};

/**
 * obd_connect_flag_name() - name of a connect flag
 * @bit: bit of the first word, or 64 and bit of the second
 *
 * Context: any
 * Return: static text, NULL for a bit that has no name
 */
const char *obd_connect_flag_name(unsigned int bit)
{
	return bit < ARRAY_SIZE(flag_names) ? flag_names[bit] : NULL;
}
EXPORT_FOR_KUNIT(obd_connect_flag_name);

static void put_flag_names(struct params_sink *sink, u64 word, unsigned int base)
{
	const char *name;
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		if (!(word & BIT_ULL(bit)))
			continue;
		name = obd_connect_flag_name(base + bit);
		if (name)
			params_put_str(sink, NULL, name);
		else
			params_put_strf(sink, NULL, "unknown_%u", base + bit);
	}
}

/**
 * obd_put_connect_flag_names() - the names of connect flags, one value each
 * @sink: where the values go
 * @ocd: connect data
 *
 * Context: any
 */
void obd_put_connect_flag_names(struct params_sink *sink, const struct obd_connect_data *ocd)
{
	put_flag_names(sink, ocd->ocd_connect_flags, 0);
	if (ocd->ocd_connect_flags & OBD_CONNECT_FLAGS2)
		put_flag_names(sink, ocd->ocd_connect_flags2, 64);
}
EXPORT_SYMBOL_NS_GPL(obd_put_connect_flag_names, LUSTRE_LITE);

/**
 * obd_put_connect_flags() - list "connect_flags" of the names, in one line
 * @sink: where the list goes
 * @ocd: connect data
 *
 * Context: any
 */
void obd_put_connect_flags(struct params_sink *sink, const struct obd_connect_data *ocd)
{
	params_list_begin(sink, "connect_flags", PARAMS_LIST_FLOW_SEQ);
	obd_put_connect_flag_names(sink, ocd);
	params_list_end(sink);
}
EXPORT_SYMBOL_NS_GPL(obd_put_connect_flags, LUSTRE_LITE);

static void put_version(struct params_sink *sink, u32 version)
{
	params_put_strf(sink, "target_version", "%u.%u.%u.%u", version >> 24,
			version >> 16 & 0xff, version >> 8 & 0xff,
			version & 0xff);
}

/**
 * obd_put_connect_data() - map "connect_data" of the fields that flags announce
 * @sink: where the map goes
 * @ocd: connect data
 *
 * Context: any
 */
void obd_put_connect_data(struct params_sink *sink, const struct obd_connect_data *ocd)
{
	u64 flags = ocd->ocd_connect_flags;

	params_list_begin(sink, "connect_data", PARAMS_LIST_MAP);
	params_put_hex(sink, "flags", flags);
	params_put_u64(sink, "instance", ocd->ocd_instance);
	if (flags & OBD_CONNECT_VERSION)
		put_version(sink, ocd->ocd_version);
	if (flags & OBD_CONNECT_MDS)
		params_put_u64(sink, "mdt_index", ocd->ocd_group);
	if (flags & OBD_CONNECT_GRANT)
		params_put_u64(sink, "initial_grant", ocd->ocd_grant);
	if (flags & OBD_CONNECT_INDEX)
		params_put_u64(sink, "target_index", ocd->ocd_index);
	if (flags & OBD_CONNECT_BRW_SIZE)
		params_put_u64(sink, "max_brw_size", ocd->ocd_brw_size);
	if (flags & OBD_CONNECT_CKSUM)
		params_put_hex(sink, "cksum_types", ocd->ocd_cksum_types);
	params_list_end(sink);
}
EXPORT_SYMBOL_NS_GPL(obd_put_connect_data, LUSTRE_LITE);
