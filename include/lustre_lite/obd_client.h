/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The common part of client types: struct client_obd with the import, shared operations of
 * obd_ops, and the settings of clients of data.
 */
#ifndef _LUSTRE_LITE_OBD_CLIENT_H
#define _LUSTRE_LITE_OBD_CLIENT_H

#include <linux/mutex.h>
#include <linux/workqueue.h>

#include <lustre_lite/obd_import.h>

/**
 * struct client_obd - common part of every client device
 * @cl_obd: its device
 * @cl_lock: guards @cl_conn_count and @cl_export, held over connect and
 *	disconnect
 * @cl_target_uuid: target
 * @cl_import: import, from setup to cleanup
 * @cl_conn_count: users that are connected
 * @cl_export: the export that they share while connected, referenced, or NULL
 * @cl_watcher_lock: guards @cl_watcher
 * @cl_watcher: device above that is notified of events, referenced, or NULL
 * @cl_max_rpcs_in_flight: most requests of each lane on the wire
 * @cl_connecting: @cl_connect is queued or runs: the first answer of the target is
 *	still to come
 * @cl_connect: connects for a device above
 *
 * Part of the type's own data. It is there from client_obd_setup() to
 * client_obd_cleanup(); users outside of the device's own operations enter by
 * obd_op_enter().
 */
struct client_obd {
	struct obd_device	*cl_obd;
	struct mutex		cl_lock;
	struct obd_uuid		cl_target_uuid;
	struct obd_import	*cl_import;
	unsigned int		cl_conn_count;
	struct obd_export	*cl_export;
	spinlock_t		cl_watcher_lock;
	struct obd_device	*cl_watcher;
	u32			cl_max_rpcs_in_flight;
	bool			cl_connecting;
	struct work_struct	cl_connect;
};

/* typ_import of every client type. */
extern const struct obd_import_ops client_import_ops;

int client_obd_setup(struct obd_device *obd, struct client_obd *cli,
		     const struct lcfg_view *cfg, struct obd_why *why);
int client_obd_precleanup(struct obd_device *obd);
void client_obd_cleanup(struct obd_device *obd);
int client_connect_import(struct obd_export **exp, struct obd_device *obd,
			  const struct obd_uuid *uuid,
			  const struct lnet_nid *nid,
			  struct obd_connect_data *ocd);
int client_disconnect_export(struct obd_export *exp);
int client_import_add_conn(struct obd_device *obd, const struct obd_uuid *uuid,
			   bool priority, struct obd_why *why);
int client_import_del_conn(struct obd_device *obd, const struct obd_uuid *uuid,
			   struct obd_why *why);
int client_statfs(struct obd_export *exp, struct obd_statfs *st, u64 max_age);
int client_get_info(struct obd_export *exp, const char *key, void *val,
		    u32 *vallen);
int client_set_info(struct obd_export *exp, const char *key, const void *val,
		    u32 vallen);
int client_health_check(struct obd_device *obd, struct obd_why *why);
int client_get_uuid(struct obd_export *exp, struct obd_uuid *uuid);
void client_set_watcher(struct obd_device *obd, struct obd_device *watcher);
struct obd_device * __must_check client_watcher_get(struct client_obd *cli);

/* Key of set_info of clients of data, and of their volume: a u32, whether data has checksums. */
#define KEY_CHECKSUM	"checksum"

/*
 * enum client_checksum - checksum_type; the names are real Lustre's. The network has the last one
 */
enum client_checksum {
	CLIENT_CHECKSUM_CRC32,
	CLIENT_CHECKSUM_ADLER,
	CLIENT_CHECKSUM_CRC32C,
	CLIENT_CHECKSUM_COUNT
};

/**
 * struct client_io - settings of a client of data; read with READ_ONCE()
 * @cio_max_dirty: most bytes of cached data that are not written to a target yet
 * @cio_rpc_bytes: most bytes of data in a request, as wanted: client_io_rpc_bytes() is in force
 * @cio_rpc_granted: most bytes that the target takes, as it has said last
 * @cio_short_io_bytes: data of up to so many bytes travels within the request
 * @cio_grant_shrink_interval: nanoseconds
 * @cio_checksums: data carries a checksum, where connections have one (ptlrpc.bulk_crc)
 * @cio_checksum_dump: data with a wrong checksum is saved to a file
 * @cio_grant_shrink: unused grant is returned
 */
struct client_io {
	u64	cio_max_dirty;
	u64	cio_rpc_bytes;
	u64	cio_rpc_granted;
	u64	cio_short_io_bytes;
	u64	cio_grant_shrink_interval;
	bool	cio_checksums;
	bool	cio_checksum_dump;
	bool	cio_grant_shrink;
};

void client_io_init(struct client_io *cio);
int client_io_params_add(struct lustre_params_entry *dir, struct client_io *cio, bool data);
void client_io_granted(struct client_io *cio, struct obd_import *imp);
int client_checksum_value(const void *val, u32 vallen, bool *on);

/* Most bytes of data in a request: no more than the target takes. Any context. */
static inline u32 client_io_rpc_bytes(const struct client_io *cio)
{
	return min(READ_ONCE(cio->cio_rpc_bytes), READ_ONCE(cio->cio_rpc_granted));
}

#endif /* _LUSTRE_LITE_OBD_CLIENT_H */
