/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Generic netlink family of obdclass: the device list as a dump, and events of
 * devices and imports.
 *
 * A dump has messages of LL_OBD_CMD_DEVICES, each with as many attributes
 * LL_OBD_A_DEVICE as fit, in the order of the index; a device is never split.
 * Devices that appear or disappear meanwhile may be missing, all others are
 * listed once. Neither needs a privilege: a list of devices is not a secret.
 */
#ifndef _UAPI_LUSTRE_LITE_OBD_NETLINK_H
#define _UAPI_LUSTRE_LITE_OBD_NETLINK_H

#include <linux/types.h>

#include "check.h"

#define LL_OBD_GENL_FAMILY	"lustre_lite_obd"
#define LL_OBD_GENL_VERSION	1
#define LL_OBD_GENL_GROUP	"devices"

enum ll_obd_cmd {
	LL_OBD_CMD_UNSPEC,
	LL_OBD_CMD_DEVICES,		/* dump */
	LL_OBD_CMD_EVENT,		/* kernel to user, multicast */
	__LL_OBD_CMD_END,
};
#define LL_OBD_CMD_MAX (__LL_OBD_CMD_END - 1)

/* enum ll_obd_event - LL_OBD_A_EVENT */
enum ll_obd_event {
	LL_OBD_ATTACHED		= 1,
	LL_OBD_SET_UP		= 2,
	LL_OBD_STOPPING		= 3,
	LL_OBD_CLEANED_UP	= 4,
	LL_OBD_DETACHED		= 5,
	LL_OBD_IMPORT_STATE	= 6,	/* LL_OBD_A_STATE: enum lustre_imp_state */
	LL_OBD_IMPORT_EVENT	= 7,	/* LL_OBD_A_STATE: enum obd_import_event */
	LL_OBD_EXPORT_NEW	= 8,	/* LL_OBD_A_PEER: uuid of the client */
	LL_OBD_EXPORT_GONE	= 9,
	LL_OBD_EXPORT_EVICTED	= 10,
};

enum ll_obd_attr {
	LL_OBD_A_UNSPEC,
	LL_OBD_A_DEVICE,	/* struct ll_obd_device */
	LL_OBD_A_EVENT,		/* u8, enum ll_obd_event */
	LL_OBD_A_SEQ,		/* u64, rises by one with each event */
	LL_OBD_A_TIME,		/* u64, nanoseconds since 1970 */
	LL_OBD_A_STATE,		/* u32 */
	LL_OBD_A_PEER,		/* NUL-terminated */
	LL_OBD_A_PAD,
	__LL_OBD_A_END,
};
#define LL_OBD_A_MAX (__LL_OBD_A_END - 1)

/**
 * struct ll_obd_device - a device
 * @d_index: number
 * @d_refcount: references
 * @d_status: enum obd_status
 * @d_type_len: bytes of the type's name
 * @d_name_len: bytes of the name
 * @d_uuid_len: bytes of the uuid
 * @d_conn_len: bytes of the name of the server that its import is connected or
 *	connecting to; 0 without an import
 * @d_reserved: zero
 * @d_text: type, name, uuid, connection, without NULs
 */
struct ll_obd_device {
	__u32	d_index;
	__u32	d_refcount;
	__u8	d_status;
	__u8	d_type_len;
	__u8	d_name_len;
	__u8	d_uuid_len;
	__u8	d_conn_len;
	__u8	d_reserved[3];
	char	d_text[];
};

LL_UAPI_ASSERT(sizeof(struct ll_obd_device) == 16);

#endif /* _UAPI_LUSTRE_LITE_OBD_NETLINK_H */
