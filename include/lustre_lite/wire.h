/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The wire format: bytes to structures and back, with every check that needs no
 * more than the bytes. A codec: it compiles unchanged in the kernel and in user
 * space. The fields are described in uapi/lustre_lite/wire.h.
 *
 * A message is stored as it travels; wire_msg_view() validates one and locates
 * its buffers, wire_msg_size() and wire_msg_init() build one.
 */
#ifndef _LUSTRE_LITE_WIRE_H
#define _LUSTRE_LITE_WIRE_H

#include <lustre_lite/codec.h>
#include <uapi/lustre_lite/obd.h>
#include <uapi/lustre_lite/wire.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WIRE_FRAME_SIZE		sizeof(struct lnet_frame)
#define WIRE_MSG_SIZE		sizeof(struct lustre_msg)

/* struct wire_frame - struct lnet_frame, in the byte order of the host */
struct wire_frame {
	u8	type;
	u32	msg_len;
	u32	bulk_len;
	u32	seq;
	u32	msg_crc;
	u32	bulk_crc;
};

/* enum wire_fault - faults in bytes from a peer */
enum wire_fault {
	WIRE_OK,
	WIRE_BAD_MAGIC,
	WIRE_BAD_VERSION,
	WIRE_BAD_TYPE,
	WIRE_BAD_FLAGS,
	WIRE_BAD_LENGTH,	/* a part that is too long or too short */
	WIRE_BAD_SEQ,
	WIRE_BAD_HEAD_CRC,
	WIRE_BAD_MSG_CRC,
	WIRE_BAD_BULK_CRC,
	WIRE_BAD_BUFFERS,	/* buffers that do not fit into their message */
	WIRE_BAD_PADDING,	/* a byte that must be zero is not */
	WIRE_BAD_NID,
	WIRE_BAD_FLAVOUR,
	WIRE_BAD_STATUS,	/* a status that is not an errno */
	WIRE_FAULT_COUNT
};

const char *wire_fault_name(enum wire_fault fault);

/*
 * The CRC32C of a frame's head covers its first 28 bytes. The caller computes
 * it, with the fastest implementation of its environment.
 */
#define WIRE_FRAME_CRC_LEN	28

void wire_frame_encode(struct lnet_frame *to, const struct wire_frame *frame);
void wire_frame_seal(struct lnet_frame *to, u32 head_crc);
enum wire_fault wire_frame_decode(const struct lnet_frame *from,
				  u32 head_crc, struct wire_frame *frame);

/* struct wire_nid - same layout and meaning as struct lnet_nid of nid.h */
struct wire_nid {
	u8	type;
	u8	len;
	u16	net;
	u8	addr[16];
};

/* struct wire_hello - struct lnet_hello, in the byte order of the host */
struct wire_hello {
	u16		version_min;
	u16		version_max;
	u32		features;
	u32		flavour;
	u32		status;
	u32		msg_max;
	u32		bulk_max;
	u32		lane;
	u64		incarnation;
	struct wire_nid	src;
	struct wire_nid	dst;
};

void wire_nid_encode(struct lustre_nid *to, const struct wire_nid *nid);
enum wire_fault wire_nid_decode(const struct lustre_nid *from,
				struct wire_nid *nid);
void wire_hello_encode(struct lnet_hello *to, const struct wire_hello *hello);
enum wire_fault wire_hello_decode(const void *from, size_t len,
				  struct wire_hello *hello);

/*
 * struct wire_msg - struct lustre_msg in host byte order; bufs are pointers
 * into the message
 */
struct wire_msg {
	u32		type;
	u32		opc;
	u64		xid;
	u64		handle;
	u64		transno;
	u64		last_committed;
	u64		last_xid;
	s32		status;
	u32		flags;
	u32		op_flags;
	u32		conn_cnt;
	u32		timeout;
	union {
		u32	service_time;
		u32	tag;
	};
	u16		portal;
	u16		bufcount;
	char		jobid[WIRE_MSG_JOBID_LEN + 1];
	u32		buflens[WIRE_MSG_BUFS_MAX];
	const void	*bufs[WIRE_MSG_BUFS_MAX];
};

size_t wire_msg_size(const u32 *buflens, unsigned int bufcount);
void wire_msg_init(void *to, const u32 *buflens, unsigned int bufcount);
void *wire_msg_buf(void *msg, unsigned int n);
void wire_msg_encode(void *to, const struct wire_msg *msg);
enum wire_fault wire_msg_view(const void *from, size_t len,
			      struct wire_msg *msg);
const void *wire_buf(const struct wire_msg *msg, unsigned int n, size_t size);
const char *wire_text(const struct wire_msg *msg, unsigned int n);

/* struct ldlm_extent - bytes of a resource; the group is zero */
struct ldlm_extent {
	u64	first;
	u64	last;
	u64	group;
};

/* struct ldlm_ibits - bits of a resource, and bits that a grant may lack */
struct ldlm_ibits {
	u64	bits;
	u64	try_bits;
};

/* struct ldlm_flock - bytes of an owner on a client; @who: its pid, and the kind */
struct ldlm_flock {
	u64	first;
	u64	last;
	u64	owner;
	u64	who;
};

static inline u64 wire_flock_who(u32 pid, u32 kind)
{
	return pid | (u64)kind << 32;
}

static inline u32 wire_flock_pid(const struct ldlm_flock *flock)
{
	return (u32)flock->who;
}

static inline u32 wire_flock_kind(const struct ldlm_flock *flock)
{
	return (u32)(flock->who >> 32);
}

/*
 * struct ldlm_policy - wl_policy in the byte order of the host: the part of a
 * resource that a lock covers
 */
struct ldlm_policy {
	union {
		u64			data[4];
		struct ldlm_extent	extent;
		struct ldlm_ibits	ibits;
		struct ldlm_flock	flock;
	};
};

void wire_policy_encode(struct lustre_lock *to, const struct ldlm_policy *policy);
void wire_policy_decode(const struct lustre_lock *from, struct ldlm_policy *policy);
bool wire_lock_type_is_known(u32 type);
bool wire_policy_is_valid(u32 type, const struct ldlm_policy *policy);
bool wire_flock_is_valid(const struct ldlm_policy *policy);
bool wire_policy_covers(u32 type, const struct ldlm_policy *has,
			const struct ldlm_policy *wanted);
bool wire_policy_grants(u32 type, const struct ldlm_policy *granted,
			const struct ldlm_policy *wanted);

void wire_ocd_encode(void *to, const struct obd_connect_data *ocd);
bool wire_ocd_decode(const void *from, size_t len, struct obd_connect_data *ocd);

const char *wire_opcode_name(u32 opc);

#ifdef __cplusplus
}
#endif

#endif /* _LUSTRE_LITE_WIRE_H */
