/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the types of clients of data have in common: osc, and mdc for files whose
 * first bytes are on the metadata target. Their imports are in obd_import.h;
 * here are settings, which the data path reads and obdclass keeps and shows as
 * parameters, and the operations that are the same for both.
 */
#ifndef _LUSTRE_LITE_OBD_CLIENT_H
#define _LUSTRE_LITE_OBD_CLIENT_H

#include <lustre_lite/obd.h>

/* enum client_checksum - cio_checksum_type; the names are real Lustre's */
enum client_checksum {
	CLIENT_CHECKSUM_CRC32,
	CLIENT_CHECKSUM_ADLER,
	CLIENT_CHECKSUM_CRC32C,
	CLIENT_CHECKSUM_COUNT
};

/**
 * struct client_io - settings; read with READ_ONCE()
 * @cio_max_dirty: bytes of written data kept for a target
 * @cio_rpc_bytes: most bytes of data in a request
 * @cio_short_io_bytes: up to so many bytes travel within the request
 * @cio_checksum_type: enum client_checksum
 * @cio_grant_shrink_interval: nanoseconds
 * @cio_checksums: data is checked on its way
 * @cio_checksum_dump: data that did not check is kept for a look at it
 * @cio_grant_shrink: grant that is not used is given back
 */
struct client_io {
	u64	cio_max_dirty;
	u64	cio_rpc_bytes;
	u64	cio_short_io_bytes;
	u32	cio_checksum_type;
	u64	cio_grant_shrink_interval;
	bool	cio_checksums;
	bool	cio_checksum_dump;
	bool	cio_grant_shrink;
};

void client_io_init(struct client_io *cio);
int client_io_params_add(struct lustre_params_entry *dir,
			 struct client_io *cio);
void client_io_granted(struct client_io *cio, struct obd_import *imp);

/* client_ops.c */
int client_health_check(struct obd_device *obd, struct obd_why *why);
int client_get_uuid(struct obd_export *exp, struct obd_uuid *uuid);

#endif /* _LUSTRE_LITE_OBD_CLIENT_H */
