// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connect data on the wire: each field at its place, in little-endian order.
 */
#include <lustre_lite/wire.h>

/* Fields of connect data: where and how long. */
#define OCD_FIELD(name)							\
	{ __builtin_offsetof(struct obd_connect_data, ocd_##name),	\
	  sizeof(((struct obd_connect_data *)0)->ocd_##name) }

static const struct {
	u16 offset;
	u16 size;
} ocd_fields[] = {
	OCD_FIELD(connect_flags), OCD_FIELD(version), OCD_FIELD(grant),
	OCD_FIELD(index), OCD_FIELD(brw_size), OCD_FIELD(ibits_known),
	OCD_FIELD(grant_blkbits), OCD_FIELD(grant_inobits),
	OCD_FIELD(grant_tax_kb), OCD_FIELD(grant_max_blks), OCD_FIELD(transno),
	OCD_FIELD(group), OCD_FIELD(cksum_types), OCD_FIELD(max_easize),
	OCD_FIELD(instance), OCD_FIELD(maxbytes), OCD_FIELD(maxmodrpcs),
	OCD_FIELD(conn_policy), OCD_FIELD(connect_flags2),
	OCD_FIELD(compr_type),
};

/**
 * wire_ocd_encode() - connect data to bytes
 * @to: out, WIRE_OCD_SIZE bytes
 * @ocd: connect data
 *
 * Context: any
 */
void wire_ocd_encode(void *to, const struct obd_connect_data *ocd)
{
	const u8 *from = (const u8 *)ocd;
	size_t n, at;
	u64 value64;
	u32 value32;
	u16 value16;

	memset(to, 0, WIRE_OCD_SIZE);
	for (n = 0; n < ARRAY_SIZE(ocd_fields); n++) {
		at = ocd_fields[n].offset;
		switch (ocd_fields[n].size) {
		case 8:
			memcpy(&value64, from + at, 8);
			codec_put64((u8 *)to + at, value64);
			break;
		case 4:
			memcpy(&value32, from + at, 4);
			codec_put32((u8 *)to + at, value32);
			break;
		case 2:
			memcpy(&value16, from + at, 2);
			codec_put16((u8 *)to + at, value16);
			break;
		default:
			((u8 *)to)[at] = from[at];
		}
	}
}
EXPORT_FOR_KUNIT(wire_ocd_encode);

/**
 * wire_ocd_decode() - bytes to connect data
 * @from: bytes
 * @len: their number; bytes beyond WIRE_OCD_SIZE are ignored
 * @ocd: out
 *
 * Context: any
 * Return: true if there were enough bytes
 */
bool wire_ocd_decode(const void *from, size_t len, struct obd_connect_data *ocd)
{
	u8 *to = (u8 *)ocd;
	size_t n, at;
	u64 value64;
	u32 value32;
	u16 value16;

	memset(ocd, 0, sizeof(*ocd));
	if (len < WIRE_OCD_SIZE)
		return false;
	for (n = 0; n < ARRAY_SIZE(ocd_fields); n++) {
		at = ocd_fields[n].offset;
		switch (ocd_fields[n].size) {
		case 8:
			value64 = codec_get64((const u8 *)from + at, false);
			memcpy(to + at, &value64, 8);
			break;
		case 4:
			value32 = codec_get32((const u8 *)from + at, false);
			memcpy(to + at, &value32, 4);
			break;
		case 2:
			value16 = codec_get16((const u8 *)from + at);
			memcpy(to + at, &value16, 2);
			break;
		default:
			to[at] = ((const u8 *)from)[at];
		}
	}
	return true;
}
