// SPDX-License-Identifier: GPL-2.0-only
/*
 * Settings of clients of data: defaults and parameters. Those that no client uses say so.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/params.h>

#define MAX_DIRTY_DEFAULT	(2000ULL * SZ_1M)
#define MAX_DIRTY_MAX		(2047ULL * SZ_1M)
#define SHORT_IO_DEFAULT	SZ_16K
#define SHORT_IO_MAX		SZ_64K
#define GRANT_SHRINK_DEFAULT	(1200ULL * NSEC_PER_SEC)
#define GRANT_SHRINK_MAX	(86400ULL * NSEC_PER_SEC)

static const char * const checksum_names[] = {
	[CLIENT_CHECKSUM_CRC32] = "crc32",
	[CLIENT_CHECKSUM_ADLER] = "adler",
	[CLIENT_CHECKSUM_CRC32C] = "crc32c",
	[CLIENT_CHECKSUM_COUNT] = NULL,
};

static int checksum_type_get(void *data, u64 *val)
{
	*val = CLIENT_CHECKSUM_CRC32C;
	return 0;
}

static int checksum_type_set(void *data, u64 val)
{
	if (val == CLIENT_CHECKSUM_CRC32C)
		return 0;
	CERROR("checksum_type=%s is not there: data is checked with %s, or not at all (checksums=0): rc = %d\n",
	       checksum_names[val], checksum_names[CLIENT_CHECKSUM_CRC32C], -EOPNOTSUPP);
	return -EOPNOTSUPP;
}

static int rpc_bytes_get(void *data, u64 *val)
{
	*val = client_io_rpc_bytes(data);
	return 0;
}

static int rpc_bytes_set(void *data, u64 val)
{
	struct client_io *cio = data;

	WRITE_ONCE(cio->cio_rpc_bytes, val);
	return 0;
}

#define NO_EFFECT	"; has no effect, config logs of Lustre set it"

static const struct lustre_params_attr all_attrs[] = {
	LP_BYTES_FIELD("short_io_bytes", struct client_io, cio_short_io_bytes,
		       .unit = PARAMS_UNIT_BYTES, .max = SHORT_IO_MAX,
		       LP_DEF(SHORT_IO_DEFAULT),
		       .doc = "up to so many bytes travel within the request, 0: never" NO_EFFECT),
	LP_ENUM_RW("checksum_type", checksum_names, checksum_type_get, checksum_type_set,
		   LP_DEF(CLIENT_CHECKSUM_CRC32C),
		   .doc = "how data is checked; crc32c is there, others are refused"),
	LP_BOOL_FIELD("checksum_dump", struct client_io, cio_checksum_dump,
		      LP_DEF(0),
		      .doc = "keep data that did not check in a file" NO_EFFECT),
};

/* Of clients of object storage targets. */
static const struct lustre_params_attr data_attrs[] = {
	LP_BYTES_FIELD("max_dirty_mb", struct client_io, cio_max_dirty,
		       .unit = PARAMS_UNIT_MIB, .min = SZ_1M,
		       .max = MAX_DIRTY_MAX, LP_DEF(MAX_DIRTY_DEFAULT),
		       .doc = "most written data that the target has not on disk; writers beyond it wait for the disk"),
	LP_BYTES_RW("max_pages_per_rpc", rpc_bytes_get, rpc_bytes_set,
		    .unit = PARAMS_UNIT_PAGES, .min = PAGE_SIZE,
		    .max = WIRE_BULK_MAX, LP_DEF(WIRE_BULK_DEFAULT),
		    .doc = "most data in a request, in pages or with a suffix in bytes, up to 16 MiB; shows what is in force: no more than the target takes (obdfilter.*.brw_size)"),
	LP_BOOL_FIELD("checksums", struct client_io, cio_checksums, LP_DEF(1),
		      .doc = "check the data of reads and writes on its way to and from object storage targets, on connections that have checksums (ptlrpc.bulk_crc)"),
	LP_BOOL_FIELD("grant_shrink", struct client_io, cio_grant_shrink,
		      LP_DEF(1),
		      .doc = "return unused grant to the server"),
	LP_TIME_FIELD("grant_shrink_interval", struct client_io,
		      cio_grant_shrink_interval, .unit = PARAMS_UNIT_SEC,
		      .min = NSEC_PER_SEC, .max = GRANT_SHRINK_MAX,
		      LP_DEF(GRANT_SHRINK_DEFAULT),
		      .doc = "time without a use of grant after which all of it is given back"),
};

/* Of clients of metadata targets, which have no data. */
static const struct lustre_params_attr metadata_attrs[] = {
	LP_BYTES_FIELD("max_dirty_mb", struct client_io, cio_max_dirty,
		       .unit = PARAMS_UNIT_MIB, .min = SZ_1M,
		       .max = MAX_DIRTY_MAX, LP_DEF(MAX_DIRTY_DEFAULT),
		       .doc = "most written data that the target has not on disk" NO_EFFECT),
	LP_BYTES_RW("max_pages_per_rpc", rpc_bytes_get, rpc_bytes_set,
		    .unit = PARAMS_UNIT_PAGES, .min = PAGE_SIZE,
		    .max = WIRE_BULK_MAX, LP_DEF(WIRE_BULK_DEFAULT),
		    .doc = "most data in a request, in pages or with a suffix in bytes" NO_EFFECT),
	LP_BOOL_FIELD("checksums", struct client_io, cio_checksums, LP_DEF(1),
		      .doc = "check data on its way" NO_EFFECT),
	LP_BOOL_FIELD("grant_shrink", struct client_io, cio_grant_shrink,
		      LP_DEF(1),
		      .doc = "return unused grant to the server" NO_EFFECT),
	LP_TIME_FIELD("grant_shrink_interval", struct client_io,
		      cio_grant_shrink_interval, .unit = PARAMS_UNIT_SEC,
		      .min = NSEC_PER_SEC, .max = GRANT_SHRINK_MAX,
		      LP_DEF(GRANT_SHRINK_DEFAULT),
		      .doc = "time after which all of it is given back" NO_EFFECT),
};

/**
 * client_io_init() - settings at their defaults
 * @cio: settings
 *
 * Context: any
 */
void client_io_init(struct client_io *cio)
{
	*cio = (struct client_io) {
		.cio_max_dirty = MAX_DIRTY_DEFAULT,
		.cio_rpc_bytes = WIRE_BULK_DEFAULT,
		.cio_rpc_granted = WIRE_BULK_DEFAULT,
		.cio_short_io_bytes = SHORT_IO_DEFAULT,
		.cio_grant_shrink_interval = GRANT_SHRINK_DEFAULT,
		.cio_checksums = true,
		.cio_grant_shrink = true,
	};
}
EXPORT_SYMBOL_NS_GPL(client_io_init, LUSTRE_LITE);

/**
 * client_checksum_value() - the value of KEY_CHECKSUM
 * @val: value
 * @vallen: its bytes
 * @on: out: data has checksums
 *
 * Context: any
 * Return: 0; -EINVAL: it is not a u32
 */
int client_checksum_value(const void *val, u32 vallen, bool *on)
{
	u32 number;

	if (vallen != sizeof(number))
		return -EINVAL;
	memcpy(&number, val, sizeof(number));
	*on = number;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(client_checksum_value, LUSTRE_LITE);

/**
 * client_io_params_add() - show settings as parameters
 * @dir: directory of the device
 * @cio: settings, there until @dir was removed
 * @data: of a client of data; one of metadata uses none of them
 *
 * Context: may sleep; setup of the device
 * Return: 0 or a negative errno
 */
int client_io_params_add(struct lustre_params_entry *dir, struct client_io *cio, bool data)
{
	int rc = params_add_attrs(dir, all_attrs, ARRAY_SIZE(all_attrs), cio);

	if (rc)
		return rc;
	return data ? params_add_attrs(dir, data_attrs, ARRAY_SIZE(data_attrs), cio) :
		      params_add_attrs(dir, metadata_attrs, ARRAY_SIZE(metadata_attrs), cio);
}
EXPORT_SYMBOL_NS_GPL(client_io_params_add, LUSTRE_LITE);

/**
 * client_io_granted() - adapt the settings to what the target granted
 * @cio: settings
 * @imp: import of the client
 *
 * A request carries no more data than the target takes. One that has not said how much takes
 * WIRE_BULK_DEFAULT.
 *
 * Context: any
 */
void client_io_granted(struct client_io *cio, struct obd_import *imp)
{
	const struct obd_connect_data *ocd = &imp->imp_connect_data;
	u32 bytes = WIRE_BULK_DEFAULT;

	spin_lock(&imp->imp_lock);
	if (ocd->ocd_connect_flags & OBD_CONNECT_BRW_SIZE)
		bytes = clamp_t(u32, ocd->ocd_brw_size, PAGE_SIZE, WIRE_BULK_MAX);
	spin_unlock(&imp->imp_lock);
	WRITE_ONCE(cio->cio_rpc_granted, bytes);
}
EXPORT_SYMBOL_NS_GPL(client_io_granted, LUSTRE_LITE);
