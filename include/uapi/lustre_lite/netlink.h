/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Generic netlink family of libcfs: events of the parameters tree.
 *
 * A member of the multicast group gets one message for each change. A reader
 * that is too slow gets ENOBUFS from its socket and sees a gap in
 * LL_PARAMS_A_SEQ: it has lost events and should read again the parameters that
 * it watches. Joining needs no privilege: an event names a path and a version,
 * never a value.
 */
#ifndef _UAPI_LUSTRE_LITE_NETLINK_H
#define _UAPI_LUSTRE_LITE_NETLINK_H

#define LL_GENL_FAMILY		"lustre_lite"
#define LL_GENL_VERSION		1
#define LL_GENL_GROUP_PARAMS	"params"

enum ll_genl_cmd {
	LL_CMD_UNSPEC,
	LL_CMD_PARAMS_EVENT,		/* kernel to user, multicast */
	__LL_CMD_END,
};
#define LL_CMD_MAX (__LL_CMD_END - 1)

/* enum ll_params_event - LL_PARAMS_A_EVENT */
enum ll_params_event {
	LL_PARAMS_ADDED		= 1,	/* the entry and all below it appeared */
	LL_PARAMS_REMOVED	= 2,	/* the entry and all below it are gone */
	LL_PARAMS_CHANGED	= 3,	/* its value changed */
};

enum ll_params_attr {
	LL_PARAMS_A_UNSPEC,
	LL_PARAMS_A_EVENT,	/* u8, enum ll_params_event */
	LL_PARAMS_A_PATH,	/* NUL-terminated, components joined by '/' */
	LL_PARAMS_A_VERSION,	/* u32, version of the entry now */
	LL_PARAMS_A_SEQ,	/* u64, rises by one with each event */
	LL_PARAMS_A_PAD,
	__LL_PARAMS_A_END,
};
#define LL_PARAMS_A_MAX (__LL_PARAMS_A_END - 1)

#endif /* _UAPI_LUSTRE_LITE_NETLINK_H */
