/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The wire format between two nodes, over TCP. The framing is lustre-lite's
 * own; numbers of operations, portals, message types and flags are real
 * Lustre's. All integers are little-endian.
 *
 *	connecting node		accepting node
 *	HELLO ---------------->			own NID, expected NID of the other node
 *	      <---------------- HELLO		the same, with a status: 0 or an errno
 *	MSG <-----------------> MSG		requests and replies, both ways
 *
 * A frame is struct lnet_frame, then fr_msg_len bytes, then fr_bulk_len bytes.
 * In a frame of type MSG the first part is a struct lustre_msg with its
 * buffers, each of which begins at a multiple of 8, and the second is bulk
 * data. The frame before and the frame after are independent. A node ends the
 * connection on a malformed frame.
 *
 * fr_head_crc is always set. fr_msg_crc is set if both nodes have LNET_FEATURE_CRC,
 * else zero. fr_bulk_crc is set if both have LNET_FEATURE_BULK_CRC, or if one does not
 * have LNET_FEATURE_BULK, and both have LNET_FEATURE_CRC. All are CRC32C: polynomial
 * 0x1EDC6F41, seed of all ones, inverted at the end (RFC 3720, B.4). A wrong fr_bulk_crc
 * is not a fault of the frame: only its request is refused, with EINPROGRESS, and sent again.
 */
#ifndef _UAPI_LUSTRE_LITE_WIRE_H
#define _UAPI_LUSTRE_LITE_WIRE_H

#include <linux/types.h>

#include "check.h"
#include "lustre_fid.h"

#define WIRE_MAGIC		0x31574c4cU	/* "LLW1" */
#define WIRE_VERSION		1
/* Port that nodes listen on; the source port of a trusted node is below 1024. */
#define WIRE_PORT		988

/* Most bytes of a message with its buffers, of bulk data, and of a HELLO. */
#define WIRE_MSG_MAX		65536U
#define WIRE_BULK_MAX	16777216U
#define WIRE_HELLO_MAX	1024U
/* Highest tag of a request. */
#define WIRE_TAG_MAX	64U
/* Most bytes of bulk data unless the target has said in ocd_brw_size that it takes more. */
#define WIRE_BULK_DEFAULT	4194304U

/* enum lnet_frame_type - fr_type */
enum lnet_frame_type {
	LNET_FRAME_HELLO	= 1,
	LNET_FRAME_MSG	= 2,
};

/**
 * struct lnet_frame - head of a frame
 * @fr_magic: WIRE_MAGIC
 * @fr_version: WIRE_VERSION
 * @fr_type: enum lnet_frame_type
 * @fr_flags: none yet, zero
 * @fr_msg_len: bytes of the message
 * @fr_bulk_len: bytes of bulk data
 * @fr_seq: frames sent before this one on this connection, by this node
 * @fr_msg_crc: of the message
 * @fr_bulk_crc: of the bulk data, zero without any
 * @fr_head_crc: of the preceding members
 */
struct lnet_frame {
	__le32	fr_magic;
	__u8	fr_version;
	__u8	fr_type;
	__le16	fr_flags;
	__le32	fr_msg_len;
	__le32	fr_bulk_len;
	__le32	fr_seq;
	__le32	fr_msg_crc;
	__le32	fr_bulk_crc;
	__le32	fr_head_crc;
};

/**
 * struct lustre_nid - a NID
 * @wn_type: enum lnet_type
 * @wn_len: bytes of the address, 4 or 16
 * @wn_net: number of the network
 * @wn_addr: address in network order, followed by zeros
 */
struct lustre_nid {
	__u8	wn_type;
	__u8	wn_len;
	__le16	wn_net;
	__u8	wn_addr[16];
};

/* he_features: features of a node; in the answer those of both. */
#define LNET_FEATURE_CRC		0x1	/* messages have a CRC */
#define LNET_FEATURE_LANES		0x2	/* the connection has a lane: he_lane */
#define LNET_FEATURE_BULK		0x4	/* a CRC of bulk data is a feature of its own */
#define LNET_FEATURE_BULK_CRC		0x8	/* bulk data has a CRC */
#define LNET_FEATURES			0xf	/* all of them */

/*
 * enum lnet_lane - he_lane: what a connection carries. Without LNET_FEATURE_LANES of both
 * nodes LNET_CONTROL carries everything.
 */
enum lnet_lane {
	LNET_CONTROL,	/* requests without bulk data in either direction, and their replies */
	LNET_BULK,	/* requests with bulk data, and their replies */
	LNET_LANES
};

/* he_flavour: how a node proves its identity. */
#define WIRE_FLAVOUR_NULL		0	/* not at all */

/**
 * struct lnet_hello - message of a HELLO frame
 * @he_version_min: oldest version that the node speaks
 * @he_version_max: newest one
 * @he_features: LNET_FEATURE_*
 * @he_flavour: WIRE_FLAVOUR_*
 * @he_auth_len: bytes of proof after this structure; 0 for WIRE_FLAVOUR_NULL
 * @he_status: in the answer: 0, or a positive Linux errno if the connection is
 *  refused
 * @he_msg_max: largest message that the node takes, bytes
 * @he_bulk_max: largest bulk data that it takes, bytes
 * @he_incarnation: a new number for each start of the node's network
 * @he_src: NID of the sender
 * @he_dst: NID of the intended receiver
 * @he_lane: enum lnet_lane of this connection, the same in the answer; zero without
 *  LNET_FEATURE_LANES
 */
struct lnet_hello {
	__le16			he_version_min;
	__le16			he_version_max;
	__le32			he_features;
	__le32			he_flavour;
	__le32			he_auth_len;
	__le32			he_status;
	__le32			he_msg_max;
	__le32			he_bulk_max;
	__le32			he_lane;
	__le64			he_incarnation;
	struct lustre_nid	he_src;
	struct lustre_nid	he_dst;
};

/* lm_type */
#define PTL_RPC_MSG_REQUEST	4711
#define PTL_RPC_MSG_ERR		4712	/* a reply of a status only */
#define PTL_RPC_MSG_REPLY	4713

/* lm_opc */
#define OST_REPLY		0
#define OST_GETATTR		1
#define OST_READ		3
#define OST_WRITE		4
#define OST_DESTROY		6
#define OST_GET_INFO		7
#define OST_CONNECT		8
#define OST_DISCONNECT		9
#define OST_PUNCH		10
#define OST_OPEN		11
#define OST_CLOSE		12
#define OST_STATFS		13
#define OST_SYNC		16
#define OST_SET_INFO		17
#define MDS_CONNECT		38
#define MDS_DISCONNECT		39
#define MDS_GET_ROOT		40
#define MDS_STATFS		41
#define MDS_SET_INFO		50
#define MDS_GET_INFO		54
#define LDLM_ENQUEUE		101
#define LDLM_CONVERT		102
#define LDLM_CANCEL		103
#define LDLM_BL_CALLBACK	104
#define LDLM_CP_CALLBACK	105
#define LDLM_GL_CALLBACK	106
#define LDLM_SET_INFO		107
#define MGS_CONNECT		250
#define MGS_DISCONNECT		251
#define MGS_EXCEPTION		252
#define MGS_TARGET_REG		253
#define MGS_TARGET_DEL		254
#define MGS_SET_INFO		255
#define MGS_CONFIG_READ		256
#define OBD_PING		400	/* without a handle: a ping of the node */
#define LLOG_ORIGIN_HANDLE_CREATE	501
#define LLOG_ORIGIN_HANDLE_NEXT_BLOCK	502
#define LLOG_ORIGIN_HANDLE_READ_HEADER	503
#define LLOG_ORIGIN_HANDLE_PREV_BLOCK	508

/* lm_portal: service of the node. */
#define OST_IO_PORTAL		6
#define MDS_REQUEST_PORTAL	12
#define LDLM_CB_REQUEST_PORTAL	15
#define LDLM_CANCEL_REQUEST_PORTAL	17
#define MGS_REQUEST_PORTAL	26
#define OST_REQUEST_PORTAL	28
#define WIRE_PORTAL_MAX		64

/* lm_flags */
#define MSG_RESENT		0x2	/* the same xid was sent before */
#define MSG_REPLAY		0x4	/* done before the server restarted */
#define MSG_AT_SUPPORT		0x8	/* early replies are accepted; in a reply: it is one */
#define MSG_BULK_PLAIN		0x10	/* no CRC of the bulk data; in a request: nor of that of the reply */
#define MSG_REQ_REPLAY_DONE	0x40	/* no request is left to be replayed */
#define MSG_LOCK_REPLAY_DONE	0x80	/* no lock is left to be replayed */

/* lm_op_flags of connect requests and their replies */
#define MSG_CONNECT_RECOVERING	0x1	/* the target waits for replays */
#define MSG_CONNECT_RECONNECT	0x2	/* the target still knows the client */
#define MSG_CONNECT_REPLAYABLE	0x4	/* the target stores transactions */
#define MSG_CONNECT_INITIAL	0x20	/* request: the client has no handle */
#define MSG_CONNECT_TRANSNO	0x100	/* request: ocd_transno is set */

#define WIRE_MSG_BUFS_MAX		8
#define WIRE_MSG_JOBID_LEN	32

/**
 * struct lustre_msg - head of a message, up to the lengths of the buffers
 * @lm_type: PTL_RPC_MSG_*
 * @lm_opc: operation; a reply has that of its request
 * @lm_xid: number of the request, unique and rising for a node; a reply has that
 *	of its request
 * @lm_handle: request: cookie of the export, 0 for none; reply to a connect, and with a
 *	transaction: that cookie
 * @lm_transno: reply: transaction, 0 for none; request with MSG_REPLAY: its
 *  original transaction
 * @lm_last_committed: reply: last transaction that survives a restart
 * @lm_last_xid: request: every reply up to this xid has been received
 * @lm_status: reply: 0 or a negative Linux errno; request: 0
 * @lm_flags: MSG_*
 * @lm_op_flags: of the operation
 * @lm_conn_cnt: request: number of the import's connect that this belongs to
 * @lm_timeout: request: seconds that the client waits; early reply: seconds to
 *  wait from now on; reply: the server's estimate for such a request, seconds
 * @lm_service_time: reply: service time of the request, seconds
 * @lm_tag: request: 1 to WIRE_TAG_MAX, or 0 for none. A client gives a tag to one request at a
 *	time: it waits for no reply to an older request with this tag
 * @lm_portal: request: service
 * @lm_bufcount: buffers, at most WIRE_MSG_BUFS_MAX
 * @lm_reserved: zero
 * @lm_jobid: job of the request, followed by zeros
 * @lm_buflens: bytes of each buffer, followed by zeros
 *
 * Buffers follow, each padded with zeros to the next multiple of 8.
 */
struct lustre_msg {
	__le32	lm_type;
	__le32	lm_opc;
	__le64	lm_xid;
	__le64	lm_handle;
	__le64	lm_transno;
	__le64	lm_last_committed;
	__le64	lm_last_xid;
	__le32	lm_status;
	__le32	lm_flags;
	__le32	lm_op_flags;
	__le32	lm_conn_cnt;
	__le32	lm_timeout;
	union {
		__le32	lm_service_time;
		__le32	lm_tag;
	};
	__le16	lm_portal;
	__le16	lm_bufcount;
	__le32	lm_reserved;
	char	lm_jobid[WIRE_MSG_JOBID_LEN];
	__le32	lm_buflens[WIRE_MSG_BUFS_MAX];
};

/*
 * Buffers, by operation. Texts end in a NUL and are never truncated.
 *
 *	*_CONNECT	target uuid [40], client uuid [40], struct lustre_connect,
 *			struct obd_connect_data | struct obd_connect_data
 *	*_DISCONNECT	(none) |
 *	*_STATFS	struct lustre_statfs_req | struct lustre_statfs
 *	*_GET_INFO	key, struct lustre_info | value
 *	*_SET_INFO	key, value |
 *	MDS_GET_ROOT	| struct lustre_fid
 *	MDS_GETATTR and others: wire_mds.h
 *	OST_READ	struct lustre_brw | struct lustre_brw; bulk data in the reply
 *	OST_WRITE	struct lustre_brw, bulk data | struct lustre_brw
 *	OST_OPEN	object, __le64 | handle, __le64
 *	OST_CLOSE	handle, __le64 |
 *	OST_SYNC	(none) |
 *	OST_GETATTR	struct lustre_echo_attr, struct lustre_lock that is wanted |
 *			struct lustre_echo_attr, struct lustre_lock: zeros if none was granted
 *	OST_DESTROY	struct lustre_echo_attr of size 0; cookies of the server's locks that it
 *			cancels, __le64 each |
 *	OST_PUNCH	struct lustre_echo_attr; cookies as in OST_DESTROY; ECHO_PUNCH_*, __le64 |
 *	OBD_PING	| without a handle: struct lustre_nid of each of the node's NIDs
 *	LDLM_ENQUEUE	struct lustre_lock | struct lustre_lock; then, if the resource has
 *			one, its value (LVB)
 *	LDLM_CONVERT	struct lustre_lock, an IBITS lock with the bits that the client keeps |
 *	LDLM_CANCEL	cookies of the server's locks, __le64 each; then, where it has
 *			a second buffer, the client's cookies of those that it knows
 *			no other of |
 *	LDLM_BL_CALLBACK	struct lustre_lock; of an IBITS lock, the optional bits are those
 *			that others wait for, none: all of the lock |
 *	LDLM_CP_CALLBACK	struct lustre_lock; then the value, as in LDLM_ENQUEUE |
 *	LDLM_GL_CALLBACK	struct lustre_lock | the holder's value; empty if the server has
 *			the newest one
 *	MGS_TARGET_REG	struct lustre_target, struct lustre_nid of each NID, params |
 *			struct lustre_target, why not
 *	MGS_CONFIG_READ	struct lustre_config_read | struct lustre_config_info, bytes
 *	MGS_SET_INFO	"config_ack", struct lustre_config_ack and a text |
 *			"target_stop", struct lustre_target_stop |
 */

/* Fields of struct obd_connect_data are little-endian in a message. */
#define WIRE_OCD_SIZE	192

/**
 * struct lustre_connect - buffer of a connect request
 * @co_import: cookie of the client's import, named by callbacks
 * @co_generation: of the client's import
 * @co_reserved: zero
 *
 * lm_handle is the cookie of the previous export, or 0.
 */
struct lustre_connect {
	__le64	co_import;
	__le32	co_generation;
	__le32	co_reserved;
};

/**
 * struct lustre_statfs_req - buffer of a statfs request
 * @sq_max_age: age limit of the answer, nanoseconds
 */
struct lustre_statfs_req {
	__le64	sq_max_age;
};

/* struct lustre_statfs - struct obd_statfs; ws_reserved is zero */
struct lustre_statfs {
	__le64	ws_type;
	__le32	ws_bsize;
	__le32	ws_namelen;
	__le64	ws_blocks;
	__le64	ws_bfree;
	__le64	ws_bavail;
	__le64	ws_files;
	__le64	ws_ffree;
	__le32	ws_state;
	__le32	ws_reserved;
};

/**
 * struct lustre_info - buffer of a get_info request
 * @wi_room: size of the caller's buffer for the value
 * @wi_reserved: zero
 */
struct lustre_info {
	__le32	wi_room;
	__le32	wi_reserved;
};

/**
 * struct lustre_brw - range of a read or a write
 * @wb_object: object
 * @wb_offset: first byte of it
 * @wb_len: bytes; in a reply: bytes read or written
 * @wb_flags: OBD_BRW_*; in a reply: those of the request
 */
struct lustre_brw {
	__le64	wb_object;
	__le64	wb_offset;
	__le32	wb_len;
	__le32	wb_flags;
};

/*
 * wb_flags, with the values of real Lustre. A write may be answered before it is on disk: the
 * reply has its transaction, and the client replays it until that is committed.
 */
#define OBD_BRW_ASYNC	0x2000

/* wl_type */
#define LDLM_PLAIN	10
#define LDLM_EXTENT	11
#define LDLM_FLOCK	12
#define LDLM_IBITS	13

/* wl_req_mode, wl_granted_mode: one bit each, 0 for none */
#define LCK_EX		1
#define LCK_PW		2
#define LCK_PR		4
#define LCK_CW		8
#define LCK_CR		16
#define LCK_NL		32

/* wl_flags */
#define LDLM_FL_BLOCK_GRANTED	0x1	/* reply: waits, a completion AST follows */
#define LDLM_FL_BLOCK_NOWAIT	0x2	/* request: refuse (-EWOULDBLOCK) rather than wait */
#define LDLM_FL_REPLAY		0x4	/* request: the client has this lock */
#define LDLM_FL_CBPENDING	0x8	/* blocking AST: cancel it when its users are done */
#define LDLM_FL_NO_EXPANSION	0x10	/* request: EXTENT: grant no more than was requested */
/*
 * request, EXTENT in mode PR: never waits for the lock. If it is not free the answer has the
 * value alone, with that of the holders, and no granted mode.
 */
#define LDLM_FL_GLIMPSE		0x20
/*
 * request, FLOCK in mode PR or PW: nothing is locked; the answer has mode and policy of a lock
 * that is in the way, or mode NL
 */
#define LDLM_FL_TEST		0x40
/* reply: there is no value: the client that asks may know a newer one itself, by another lock */
#define LDLM_FL_NO_LVB		0x80

/*
 * wl_policy by type. An answer and a completion AST contain the policy that was
 * granted, a replay contains it too.
 *	PLAIN	zeros
 *	EXTENT	first byte; last byte, LDLM_EXTENT_EOF: end of the object; zero: group,
 *		which no mode of this version uses; zero. A grant may be a larger extent.
 *	IBITS	bits; optional bits, that are left out of the grant rather than waited for
 *		(zero in a grant); zero; zero. Not all are zero.
 *	FLOCK	first byte; last byte; owner, unique within the client, not zero; pid of the
 *		owner, and LDLM_FLOCK_* in the high half. Modes PR, PW, and NL, which releases
 *		the bytes of the owner. A grant is the merged range.
 */
#define LDLM_FLOCK_POSIX	1	/* fcntl() */
#define LDLM_FLOCK_WHOLE	2	/* flock(): all bytes; no deadlock is detected */

#define LDLM_EXTENT_EOF		0xffffffffffffffffULL

/* Bits of an inode, numbers as in real Lustre except for SIZE */
#define MDS_INODELOCK_LOOKUP	0x001	/* name to FID */
#define MDS_INODELOCK_UPDATE	0x002	/* attributes, contents of a directory */
#define MDS_INODELOCK_OPEN	0x004	/* cached open */
#define MDS_INODELOCK_LAYOUT	0x008	/* layout of a file */
#define MDS_INODELOCK_PERM	0x010	/* owner, mode, ACL */
#define MDS_INODELOCK_XATTR	0x020	/* extended attributes */
#define MDS_INODELOCK_DOM	0x040	/* data on the metadata target */
#define MDS_INODELOCK_SIZE	0x100	/* own: the size on the metadata target is valid */
#define MDS_INODELOCK_ALL	0x17f

/**
 * struct lustre_lock - a lock
 * @wl_client: the client's cookie of it
 * @wl_server: the server's cookie, 0 while there is none
 * @wl_type: LDLM_PLAIN ...
 * @wl_flags: LDLM_FL_*
 * @wl_req_mode: requested mode
 * @wl_granted_mode: granted mode
 * @wl_res: name of the resource
 * @wl_policy: the part of the resource, by type; see above
 */
struct lustre_lock {
	__le64	wl_client;
	__le64	wl_server;
	__le32	wl_type;
	__le32	wl_flags;
	__le32	wl_req_mode;
	__le32	wl_granted_mode;
	__le64	wl_res[4];
	__le64	wl_policy[4];
};

/* Most bytes of the value (LVB) of a resource. Its content is that of the type of target. */
#define LDLM_LVB_MAX	64

/**
 * struct lustre_echo_lvb - value of a resource of an echo server
 * @el_size: bytes of the object
 */
struct lustre_echo_lvb {
	__le64	el_size;
};

/**
 * struct lustre_echo_attr - attributes of an object of an echo server
 * @ea_object: its number
 * @ea_size: its bytes; the request OST_GETATTR has no size
 */
struct lustre_echo_attr {
	__le64	ea_object;
	__le64	ea_size;
};

/* OST_PUNCH: the client uses a lock for writing of all bytes from the new end on. */
#define ECHO_PUNCH_LOCKED	0x1

/* Most locks that one request cancels. */
#define LDLM_CANCEL_MAX		512

/*
 * The configuration. A resource's first word is the name of the file system, or
 * "params", as bytes with the first one lowest; its second word is the type.
 */

/* enum config_type - crd_type; the numbers are real Lustre's up to 5 */
enum config_type {
	CONFIG_T_CONFIG		= 0,	/* a log: lustre-client, lustre-OST0001 */
	CONFIG_T_RECOVER	= 2,	/* the table of NIDs of a file system */
	CONFIG_T_PARAMS		= 3,	/* the log "params" */
	CONFIG_T_TRIAL		= 32,	/* a setting to try without applying it: SET_PARAM */
};

/* Most bytes of a log in one reply. */
#define WIRE_CONFIG_MAX	49152U
#define WIRE_LOGNAME_LEN	64

/**
 * struct lustre_config_read - request for a part of a log
 * @crd_name: log; of the table of NIDs: the file system; followed by zeros
 * @crd_type: enum config_type
 * @crd_size: size of the caller's buffer, at most WIRE_CONFIG_MAX
 * @crd_epoch: ci_epoch of the caller's version, 0 for none
 * @crd_offset: first byte to read; of the table of NIDs: the caller's version
 */
struct lustre_config_read {
	char	crd_name[WIRE_LOGNAME_LEN];
	__le32	crd_type;
	__le32	crd_size;
	__le64	crd_epoch;
	__le64	crd_offset;
};

/**
 * struct lustre_config_info - its reply; the bytes are the second buffer
 * @ci_epoch: epoch of the log; 0: there is no such log. The lower 32 bits are
 *  the generation in which it was written from scratch. The upper ones are a
 *  random number of the service's directory, so that generations of different
 *  directories differ. If it is not the caller's crd_epoch, the bytes start at
 *  offset 0
 * @ci_generation: generation in which it was changed last; of the table: its
 *	version
 * @ci_offset: of the first byte
 * @ci_size: bytes of the log
 * @ci_last_index: index of its last record
 * @ci_jitter_ms: wait for a random part of this before reading again, milliseconds
 */
struct lustre_config_info {
	__le64	ci_epoch;
	__le64	ci_generation;
	__le64	ci_offset;
	__le64	ci_size;
	__le32	ci_last_index;
	__le32	ci_jitter_ms;
};

/**
 * struct lustre_config_ack - result of a log at a node
 * @ca_name: log, followed by zeros
 * @ca_type: enum config_type
 * @ca_status: 0, or a negative errno if it could not be read; CONFIG_ACK_END:
 *  the node's subscription has ended
 * @ca_epoch: ci_epoch
 * @ca_generation: ci_generation
 * @ca_last_index: of the last record processed
 * @ca_applied: records applied, of all; a trial: parameters that would accept
 *  the value
 * @ca_failed: records that failed
 * @ca_failed_index: the first of those
 *
 * A text follows, with its NUL: the reason of the first failure. With the
 * answer -ESTALE the acknowledgement is valid, but the log has changed since.
 */
struct lustre_config_ack {
	char	ca_name[WIRE_LOGNAME_LEN];
	__le32	ca_type;
	__le32	ca_status;
	__le64	ca_epoch;
	__le64	ca_generation;
	__le32	ca_last_index;
	__le32	ca_applied;
	__le32	ca_failed;
	__le32	ca_failed_index;
};

#define CONFIG_ACK_KEY	"config_ack"
#define CONFIG_ACK_END	(-108)	/* -ESHUTDOWN */

/**
 * struct lustre_target_stop - a target has stopped
 * @stop_svname: its name, followed by zeros
 * @stop_instance: wt_instance of its start
 * @stop_reserved: zero
 */
struct lustre_target_stop {
	char	stop_svname[64];
	__le32	stop_instance;
	__le32	stop_reserved;
};

#define TARGET_STOP_KEY	"target_stop"


/* Bytes of a key and of a proof. */
#define WIRE_KEY_LEN	32

/**
 * struct lustre_target - a target that registers
 * @wt_flags: LDD_F_*; reply: the remaining ones
 * @wt_index: index, 0xffff for none; reply: the assigned index
 * @wt_instance: of this start, rises
 * @wt_nid_count: NIDs in the second buffer
 * @wt_fsname: file system
 * @wt_svname: name
 * @wt_uuid: uuid
 * @wt_id: identity of its directory, or empty
 * @wt_key: request: key that identifies it from now on; zeros: the service
 *  already has it. Reply: zeros
 * @wt_proof: request: HMAC-SHA256 of the registration with that key. Reply:
 *  zeros
 *
 * Texts are followed by zeros.
 *
 * The proof covers SHA-256 of three concatenated hashes: of this struct with
 * zeros for @wt_key and @wt_proof, of the NIDs as sent, and of the parameters
 * without their NUL.
 */
struct lustre_target {
	__le32	wt_flags;
	__le32	wt_index;
	__le32	wt_instance;
	__le32	wt_nid_count;
	char	wt_fsname[64];
	char	wt_svname[64];
	char	wt_uuid[40];
	char	wt_id[40];
	__u8	wt_key[WIRE_KEY_LEN];
	__u8	wt_proof[WIRE_KEY_LEN];
};

/* nt_type */
#define LL_NIDTBL_MDT	1
#define LL_NIDTBL_OST	2

/**
 * struct lustre_nidtbl - an entry of the table of NIDs; struct lustre_nid follow
 * @nt_version: of the table when the entry was written
 * @nt_instance: wt_instance
 * @nt_index: index of the target
 * @nt_len: bytes of the entry with its NIDs
 * @nt_type: LL_NIDTBL_*
 * @nt_nid_type: 0
 * @nt_nid_size: bytes of a NID
 * @nt_nid_count: how many
 */
struct lustre_nidtbl {
	__le64	nt_version;
	__le32	nt_instance;
	__le32	nt_index;
	__le32	nt_len;
	__u8	nt_type;
	__u8	nt_nid_type;
	__u8	nt_nid_size;
	__u8	nt_nid_count;
};

LL_UAPI_ASSERT(sizeof(struct lnet_frame) == 32);
LL_UAPI_ASSERT(sizeof(struct lustre_nid) == 20);
LL_UAPI_ASSERT(sizeof(struct lnet_hello) == 80);
LL_UAPI_ASSERT(sizeof(struct lustre_msg) == 144);
LL_UAPI_ASSERT(__builtin_offsetof(struct lustre_msg, lm_status) == 48);
LL_UAPI_ASSERT(__builtin_offsetof(struct lustre_msg, lm_jobid) == 80);
LL_UAPI_ASSERT(__builtin_offsetof(struct lustre_msg, lm_buflens) == 112);
LL_UAPI_ASSERT(sizeof(struct lustre_connect) == 16);
LL_UAPI_ASSERT(sizeof(struct lustre_statfs) == 64);
LL_UAPI_ASSERT(sizeof(struct lustre_brw) == 24);
LL_UAPI_ASSERT(sizeof(struct lustre_lock) == 96);
LL_UAPI_ASSERT(sizeof(struct lustre_echo_lvb) == 8);
LL_UAPI_ASSERT(sizeof(struct lustre_echo_attr) == 16);
LL_UAPI_ASSERT(sizeof(struct lustre_config_read) == 88);
LL_UAPI_ASSERT(sizeof(struct lustre_config_info) == 40);
LL_UAPI_ASSERT(sizeof(struct lustre_config_ack) == 104);
LL_UAPI_ASSERT(sizeof(struct lustre_target) == 288);
LL_UAPI_ASSERT(sizeof(struct lustre_target_stop) == 72);
LL_UAPI_ASSERT(sizeof(struct lustre_nidtbl) == 24);

#endif /* _UAPI_LUSTRE_LITE_WIRE_H */
