/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The network and its tests on /dev/libcfs. libcfs_ioctl.h describes the common
 * part of all calls. A call acts on the network namespace of its caller. All
 * need CAP_SYS_ADMIN except LL_RPC_IOC_NIDS, LL_RPC_IOC_PEERS and
 * LL_RPC_IOC_CONNS.
 */
#ifndef _UAPI_LUSTRE_LITE_RPC_IOCTL_H
#define _UAPI_LUSTRE_LITE_RPC_IOCTL_H

#include "libcfs_ioctl.h"
#include "obd_ioctl.h"

/* Bytes of a NID as text, with its NUL. */
#define LL_RPC_NID_MAX		64

/**
 * struct ll_rpc_ioc_ping - LL_RPC_IOC_PING, ping a node
 * @rp_hdr: head
 * @rp_nid: NID, NUL-terminated
 * @rp_timeout_ms: 1 to 600000
 * @rp_count: out, NIDs of the node in @rp_nids
 * @rp_usec: out, time until the answer, without the connect
 * @rp_max: capacity of @rp_nids
 * @rp_reserved: zero
 * @rp_nids: address of @rp_max times char[LL_RPC_NID_MAX]
 * @rp_why: out, reason of a failure
 */
struct ll_rpc_ioc_ping {
	struct libcfs_ioc_hdr	rp_hdr;
	char			rp_nid[LL_RPC_NID_MAX];
	__u32			rp_timeout_ms;
	__u32			rp_count;
	__u32			rp_usec;
	__u32			rp_max;
	__u64			rp_nids;
	__u64			rp_reserved;
	char			rp_why[OBD_WHY_MAX];
};

/**
 * struct ll_rpc_ioc_list - LL_RPC_IOC_NIDS, PEERS, CONNS, RULES: a list
 * @rl_hdr: head
 * @rl_buf: address of a buffer for records
 * @rl_buf_len: its bytes
 * @rl_count: out, records stored
 * @rl_total: out, records that exist
 * @rl_rec_len: size of a record as the caller knows it; the module zero-fills
 *  or truncates
 */
struct ll_rpc_ioc_list {
	struct libcfs_ioc_hdr	rl_hdr;
	__u64			rl_buf;
	__u32			rl_buf_len;
	__u32			rl_count;
	__u32			rl_total;
	__u32			rl_rec_len;
};

/* struct ll_rpc_nid - record of LL_RPC_IOC_NIDS */
struct ll_rpc_nid {
	char	rn_nid[LL_RPC_NID_MAX];
};

/**
 * struct ll_rpc_peer - record of LL_RPC_IOC_PEERS
 * @re_nid: node
 * @re_refs: references
 * @re_conns: open connections
 * @re_tx_msgs: messages sent
 * @re_rx_msgs: messages received
 * @re_memory: bytes charged to the node for its requests
 * @re_incarnation: incarnation of the node, 0 before its first hello
 * @re_last_sec: seconds since the last message from the node, -1 for never
 */
struct ll_rpc_peer {
	char	re_nid[LL_RPC_NID_MAX];
	__u32	re_refs;
	__u32	re_conns;
	__u64	re_tx_msgs;
	__u64	re_rx_msgs;
	__u64	re_memory;
	__u64	re_incarnation;
	__s64	re_last_sec;
};

/* rc_flags */
#define LL_RPC_CONN_PASSIVE	0x1	/* the other node made it */
#define LL_RPC_CONN_CRC		0x2
#define LL_RPC_CONN_PAUSED	0x4
#define LL_RPC_CONN_BULK	0x8	/* it carries requests with bulk data */
#define LL_RPC_CONN_BULK_CRC	0x10	/* bulk data has a CRC */

/**
 * struct ll_rpc_conn - record of LL_RPC_IOC_CONNS
 * @rc_nid: node, "" while it is not known
 * @rc_local: address and port of this end: 10.0.0.1:1023, [fe80::1]:988; "local" if both
 *  ends are in this kernel
 * @rc_remote: of the other end, likewise
 * @rc_state: NEW, HELLO, OPEN, CLOSING, CLOSED
 * @rc_flags: LL_RPC_CONN_*
 * @rc_age_sec: seconds since it was made
 * @rc_tx_bytes: bytes sent
 * @rc_rx_bytes: bytes received
 * @rc_tx_queued: messages waiting to be sent
 * @rc_reserved: zero
 */
struct ll_rpc_conn {
	char	rc_nid[LL_RPC_NID_MAX];
	char	rc_local[LL_RPC_NID_MAX];
	char	rc_remote[LL_RPC_NID_MAX];
	char	rc_state[16];
	__u32	rc_flags;
	__u32	rc_age_sec;
	__u64	rc_tx_bytes;
	__u64	rc_rx_bytes;
	__u32	rc_tx_queued;
	__u32	rc_reserved;
};

/* enum ll_rpc_rule_action - ru_action */
enum ll_rpc_rule_action {
	LL_RPC_RULE_DROP	= 1,
	LL_RPC_RULE_DELAY	= 2,
	LL_RPC_RULE_DUPLICATE	= 3,
	LL_RPC_RULE_RESET	= 4,	/* end the connection instead of sending */
};

/**
 * struct ll_rpc_rule - a fault-injection rule for outgoing messages
 * @ru_id: number of the rule; out for LL_RPC_IOC_RULE_ADD; 0 for
 *  LL_RPC_IOC_RULE_DEL: all rules
 * @ru_action: enum ll_rpc_rule_action
 * @ru_dst: destination nodes: a NID, or "*"; "*@tcp3" for a network
 * @ru_opc: operation, of requests and of their replies; 0 for all. Not HELLO
 * @ru_rate: one message in @ru_rate, at random; 1: each. 0 is refused
 * @ru_delay_ms: LL_RPC_RULE_DELAY: milliseconds, at most 600000
 * @ru_reserved: zero
 * @ru_max: most messages it is applied to, 0: no limit
 * @ru_seen: out, messages that matched
 * @ru_done: out, messages that it was applied to
 *
 * Only the first rule that matches a message and selects it is applied.
 */
struct ll_rpc_rule {
	__u32	ru_id;
	__u32	ru_action;
	char	ru_dst[LL_RPC_NID_MAX];
	__u32	ru_opc;
	__u32	ru_rate;
	__u32	ru_delay_ms;
	__u32	ru_reserved;
	__u64	ru_max;
	__u64	ru_seen;
	__u64	ru_done;
};

/**
 * struct ll_rpc_ioc_rule - LL_RPC_IOC_RULE_ADD, LL_RPC_IOC_RULE_DEL
 * @rr_hdr: head
 * @rr_rule: rule
 * @rr_why: out, reason of a refusal
 */
struct ll_rpc_ioc_rule {
	struct libcfs_ioc_hdr	rr_hdr;
	struct ll_rpc_rule	rr_rule;
	char			rr_why[OBD_WHY_MAX];
};

/**
 * struct ll_rpc_ioc_net - LL_RPC_IOC_NET
 * @rt_hdr: head
 * @rt_op: enum ll_rpc_net_op
 * @rt_reserved: zero
 * @rt_nid: LL_RPC_NET_RESET: node whose connections are closed, "" for all
 * @rt_why: out, reason of a failure
 */
struct ll_rpc_ioc_net {
	struct libcfs_ioc_hdr	rt_hdr;
	__u32			rt_op;
	__u32			rt_reserved;
	char			rt_nid[LL_RPC_NID_MAX];
	char			rt_why[OBD_WHY_MAX];
};

enum ll_rpc_net_op {
	LL_RPC_NET_UP		= 1,	/* listen, even without a target */
	LL_RPC_NET_DOWN		= 2,	/* stop listening unless there is a target */
	LL_RPC_NET_RESET	= 3,	/* close connections; they are made again on demand */
};

/* enum ll_echo_op - re_op */
enum ll_echo_op {
	LL_ECHO_PING	= 1,
	LL_ECHO_READ	= 2,
	LL_ECHO_WRITE	= 3,
	LL_ECHO_COUNT	= 4,	/* adds one at the server, done once for each call */
	LL_ECHO_LOCK	= 5,	/* enqueue, and cancel unless LL_ECHO_KEEP */
	LL_ECHO_OPEN	= 6,	/* open an object; the client keeps it open */
	LL_ECHO_CLOSE	= 7,	/* close the object that has been open longest */
	LL_ECHO_GLIMPSE	= 8,	/* the size of an object, also while another client writes it */
	LL_ECHO_GETATTR	= 9,	/* its size once no client writes it, and a lock with it */
	LL_ECHO_FLOCK	= 10,	/* lock of a user, kept; mode LCK_NL releases it */
	LL_ECHO_DESTROY	= 11,	/* remove an object; the request cancels the client's own locks */
	LL_ECHO_PUNCH	= 12,	/* change its size; the client keeps a lock for writing */
};

/* Buckets of a histogram: 4 for each power of two, from 1 us on. */
#define LL_ECHO_BUCKETS		128
#define LL_ECHO_INFLIGHT_MAX	256

/* et_flags */
#define LL_ECHO_CHECK		0x1	/* READ: verify every byte */
#define LL_ECHO_EXACT		0x2	/* LOCK, EXTENT: grant no more than was requested */
#define LL_ECHO_KEEP		0x4	/* LOCK: leave it in the cache of the client */
/* WRITE: answered before it is on disk; the client keeps its pages until it is */
#define LL_ECHO_UNSTABLE	0x8
/*
 * LOCK, EXTENT in mode PW or EX: the object has et_object_size bytes, which the server gets
 * to know before the lock is cancelled
 */
#define LL_ECHO_GROW		0x10
#define LL_ECHO_NOWAIT		0x20	/* FLOCK: fail with EAGAIN rather than wait */
#define LL_ECHO_TEST		0x40	/* FLOCK: only say which lock is in the way */

/**
 * struct ll_rpc_ioc_echo - LL_RPC_IOC_ECHO_TEST, make calls to a target
 * @et_hdr: head
 * @et_index: device of type echo_client
 * @et_op: enum ll_echo_op
 * @et_flags: LL_ECHO_*
 * @et_inflight: concurrent calls, 1 to LL_ECHO_INFLIGHT_MAX
 * @et_size: READ, WRITE: bytes of each, 1 to WIRE_BULK_MAX
 * @et_time_ms: start no call after this time, 1 to 600000
 * @et_calls: most calls to start, 0: no limit
 * @et_resource: LOCK: resource; callers of the same number compete. READ, WRITE, GLIMPSE,
 *  GETATTR, DESTROY, PUNCH: object, whose locks are those of the resource of its number
 * @et_done: out, calls that succeeded
 * @et_failed: out, calls that failed
 * @et_bytes: out, bytes of bulk data
 * @et_ns: out, total time
 * @et_min_ns: out, fastest call
 * @et_max_ns: out, slowest call
 * @et_sum_ns: out, sum of all that succeeded
 * @et_first_error: out, errno of the first call that failed, negative, or 0
 * @et_mode: LOCK: LCK_*; FLOCK: LCK_PR, LCK_PW, LCK_NL
 * @et_histogram: out, calls that succeeded, by time: bucket 4 * n + q counts
 *  from 2^n * (1 + q / 4) us on; bucket 0 includes all faster ones
 * @et_why: out, reason if there was no test
 * @et_type: FLOCK: zero; LOCK: LDLM_PLAIN, LDLM_EXTENT or LDLM_IBITS of wire.h; 0: LDLM_PLAIN
 * @et_reserved: zero
 * @et_policy: LOCK, FLOCK: part of the resource, as wl_policy of wire.h, in host order
 * @et_granted: out, LOCK: what the last lock was granted. FLOCK with LL_ECHO_TEST: first and
 *  last byte, pid, and mode of a lock that is in the way; mode LCK_NL: there is none
 * @et_object_size: LL_ECHO_GROW, PUNCH: bytes of the object; out, GLIMPSE, GETATTR:
 *  likewise
 */
struct ll_rpc_ioc_echo {
	struct libcfs_ioc_hdr	et_hdr;
	__u32			et_index;
	__u32			et_op;
	__u32			et_flags;
	__u32			et_inflight;
	__u32			et_size;
	__u32			et_time_ms;
	__u64			et_calls;
	__u64			et_resource;
	__u64			et_done;
	__u64			et_failed;
	__u64			et_bytes;
	__u64			et_ns;
	__u64			et_min_ns;
	__u64			et_max_ns;
	__u64			et_sum_ns;
	__s32			et_first_error;
	__u32			et_mode;
	__u64			et_histogram[LL_ECHO_BUCKETS];
	char			et_why[OBD_WHY_MAX];
	__u32			et_type;
	__u32			et_reserved;
	__u64			et_policy[4];
	__u64			et_granted[4];
	__u64			et_object_size;
};

#define LL_RPC_IOC_PING	_IOWR(LIBCFS_IOC_MAGIC, 0x40, struct ll_rpc_ioc_ping)
#define LL_RPC_IOC_NIDS	_IOWR(LIBCFS_IOC_MAGIC, 0x41, struct ll_rpc_ioc_list)
#define LL_RPC_IOC_PEERS _IOWR(LIBCFS_IOC_MAGIC, 0x42, struct ll_rpc_ioc_list)
#define LL_RPC_IOC_CONNS _IOWR(LIBCFS_IOC_MAGIC, 0x43, struct ll_rpc_ioc_list)
#define LL_RPC_IOC_RULES _IOWR(LIBCFS_IOC_MAGIC, 0x44, struct ll_rpc_ioc_list)
#define LL_RPC_IOC_RULE_ADD _IOWR(LIBCFS_IOC_MAGIC, 0x45, struct ll_rpc_ioc_rule)
#define LL_RPC_IOC_RULE_DEL _IOWR(LIBCFS_IOC_MAGIC, 0x46, struct ll_rpc_ioc_rule)
#define LL_RPC_IOC_NET	_IOWR(LIBCFS_IOC_MAGIC, 0x47, struct ll_rpc_ioc_net)
/* A range of its own, as the test client is a separate module. */
#define LL_RPC_IOC_ECHO_TEST \
	_IOWR(LIBCFS_IOC_MAGIC, LIBCFS_IOC_NR_ECHO, struct ll_rpc_ioc_echo)

LL_UAPI_ASSERT(sizeof(struct ll_rpc_ioc_ping) == 360);
LL_UAPI_ASSERT(sizeof(struct ll_rpc_ioc_list) == 32);
LL_UAPI_ASSERT(sizeof(struct ll_rpc_peer) == 112);
LL_UAPI_ASSERT(sizeof(struct ll_rpc_conn) == 240);
LL_UAPI_ASSERT(sizeof(struct ll_rpc_rule) == 112);
LL_UAPI_ASSERT(sizeof(struct ll_rpc_ioc_rule) == 376);
LL_UAPI_ASSERT(sizeof(struct ll_rpc_ioc_net) == 336);
LL_UAPI_ASSERT(sizeof(struct ll_rpc_ioc_echo) == 1472);

#endif /* _UAPI_LUSTRE_LITE_RPC_IOCTL_H */
