/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations on objects of data: what a request asks of an object storage target, and what the
 * reply says. Between struct ost_op and the message is the codec of uapi/lustre_lite/wire_ost.h,
 * which allocates nothing, locks nothing and logs nothing, and is for the kernel and for user
 * space.
 *
 *	llite		   lov		       osc			ofd
 *	file, range --dt_io()--> objects --ost_request()--> OST_READ ... ------>
 *	mdt
 *	ids, destroy -------------> target --ost_call()---> OST_CREATE ... ---->
 *
 * Decoded structures point into the bytes of the message.
 */
#ifndef _LUSTRE_LITE_LUSTRE_OST_H
#define _LUSTRE_LITE_LUSTRE_OST_H

#include <lustre_lite/lustre_ea.h>
#include <lustre_lite/lustre_fid.h>
#include <lustre_lite/lustre_md.h>
#include <lustre_lite/wire.h>
#include <uapi/lustre_lite/wire_ost.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct ost_claim - what a client says of its grant; see wire_ost.h
 * @dirty: grant of bytes that it has not sent yet
 * @undirty: the most that it has use for
 * @used: OST_WRITE, OST_FALLOCATE: grant that the request uses up
 * @spent: OST_GRANT: what was spent of the export
 * @export: OST_GRANT: handle of the export
 */
struct ost_claim {
	u64	dirty;
	u64	undirty;
	u64	used;
	u64	spent;
	u64	export;
};

/* One part of so many is for the metadata of the file system that stores the bytes. */
#define OST_GRANT_TAX		8

/* Grant for @bytes in whole pages of the client. */
static inline u64 ost_grant_bytes(u64 bytes)
{
	return bytes + bytes / OST_GRANT_TAX;
}

/**
 * struct ost_op - an operation on an object
 * @opc: OST_*
 * @object: object, an IDIF; zero: none
 * @parent: its place in the file, of the size FILTER_FID_SIZE; size 0: not given
 * @flags: OBD_BRW_ASYNC; OST_FALLOC_* of OST_FALLOCATE; OST_SEEK_HOLE of OST_SEEK
 * @offset: first byte, of the first range; OST_CREATE: a number that was given out
 * @len: bytes, of all ranges; OST_CREATE: numbers
 * @attr: attributes to set
 * @claim: OST_WRITE, OST_FALLOCATE, OST_GRANT: grant of the client
 * @objects: OST_DESTROY: objects, little-endian
 * @nr_objects: their number
 * @niobufs: OST_WRITE of several ranges: these, little-endian
 * @nr_niobufs: their number; 0: one range, @offset and @len
 * @lock: OST_READ: the lock that it asks for: without it nothing is read. NULL: none
 */
struct ost_op {
	u32				opc;
	struct lu_fid			object;
	struct lustre_filter_fid	parent;
	u32				flags;
	u64				offset;
	u64				len;
	struct md_attr			attr;
	struct ost_claim		claim;
	const struct lustre_fid		*objects;
	u32				nr_objects;
	const struct niobuf_remote	*niobufs;
	u32				nr_niobufs;
	const struct lustre_lock	*lock;
};

/**
 * struct ost_reply - the reply
 * @attr: size, blocks and times of the object
 * @first: OST_CREATE: the first number; OST_WRITE, OST_FALLOCATE, OST_GRANT: grant given to the
 *	export; OST_SEEK: the position, or OST_SEEK_NONE
 * @count: OST_CREATE: numbers; OST_READ, OST_WRITE: bytes; OST_GRANT: grant spent of the export
 */
struct ost_reply {
	struct md_attr	attr;
	u64		first;
	u64		count;
};

/* Lengths of the buffers of a request, OST_REQUEST_BUFS of them. */
void ost_op_lens(const struct ost_op *op, u32 *lens);
/* @msg: a message that wire_msg_init() made with these lengths */
void ost_op_encode(void *msg, const struct ost_op *op);
/* Return: NULL, or the fault as text; every part that @op points to is valid */
const char *ost_op_decode(const struct wire_msg *msg, struct ost_op *op);

/* Return: number of ranges of an operation, 1 or more */
static inline u32 ost_op_ranges(const struct ost_op *op)
{
	return op->nr_niobufs ? op->nr_niobufs : 1;
}

/* Range @n of an operation. Return: its first byte. @len: out: its bytes */
u64 ost_op_range(const struct ost_op *op, u32 n, u64 *len);

/* Whether @a is the later one of two times of objects. */
static inline bool ost_time_is_newer(const struct md_time *a, const struct md_time *b)
{
	return a->sec != b->sec ? a->sec > b->sec : a->nsec > b->nsec;
}

/* @body: buffer OST_BODY of a reply */
void ost_reply_encode(struct ost_body *body, const struct ost_reply *rep);
const char *ost_reply_decode(const struct wire_msg *msg, struct ost_reply *rep);

/* Size, blocks, mtime and ctime of @attr. */
void ost_lvb_encode(struct ost_lvb *to, const struct md_attr *attr);
/* Other members of @attr are zero. Return: whether the value is valid; else @attr is undefined */
bool ost_lvb_decode(const struct ost_lvb *from, struct md_attr *attr);

#ifdef __cplusplus
}
#endif

#endif /* _LUSTRE_LITE_LUSTRE_OST_H */
