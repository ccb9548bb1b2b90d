/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The wire format of requests to an object storage target. Numbers of operations are real
 * Lustre's; the structures are lustre-lite's own.
 *
 * All operations have the same buffers. A buffer that an operation does not use is empty.
 *
 *	request					reply
 *	OST_REC		struct ost_rec		OST_BODY	struct ost_body
 *	OST_OBJECTS	struct lustre_fid each	OST_GRANTED	struct lustre_lock
 *	OST_NIOBUFS	struct niobuf_remote each
 *	OST_LOCK	struct lustre_lock
 *
 *	operation	or_object, and		reply
 *	OST_GETATTR				ob_attr
 *	OST_SETATTR	or_attr			ob_attr
 *	OST_READ	or_offset, or_len; OST_LOCK, or not
 *						ob_attr; ob_count; bulk data; with OST_LOCK also
 *						OST_GRANTED: the lock, under which the bytes were
 *						read, or zeros: nothing was read, as it was not free
 *	OST_WRITE	or_offset, or_len; or_parent; or_attr: mtime, ctime; or_dirty, or_undirty,
 *			or_grant_used; bulk data; with several ranges OST_NIOBUFS, of the first of
 *			which or_offset is, or_len of all
 *						ob_attr; ob_count; ob_first: grant given
 *	OST_PUNCH	or_offset: new size; or_parent; or_attr: mtime, ctime
 *						ob_attr
 *	OST_FALLOCATE	or_offset, or_len; or_flags: OST_FALLOC_*; or_parent; or_attr: mtime, ctime;
 *			or_dirty, or_undirty, or_grant_used
 *						ob_attr; ob_first: grant given
 *	OST_SEEK	or_offset; or_flags: OST_SEEK_HOLE or 0
 *						ob_first: the position, or OST_SEEK_NONE
 *	OST_SYNC				lm_last_committed; all of the target if or_object
 *						is zero
 *	OST_CREATE	no object; or_len: how many numbers; or_offset: numbers up to this one were
 *			given out before, also if the target does not know it
 *						ob_first, ob_count: numbers for this client alone
 *	OST_DESTROY	no object; OST_OBJECTS: up to OST_OBJECTS_MAX objects
 *	OST_GRANT	no object; or_dirty, or_undirty; or_grant_spent, or_grant_export
 *						ob_first: grant given; ob_count: grant spent
 *
 * Grant is space that the target reserves for a client: see ofd.md. Of each export both ends count
 * the bytes that were given and those that were spent since it was made, and the client holds the
 * difference. A reply that says what was given has the handle of the export. ocd_grant of a connect
 * has what the client holds; that of the reply, what it holds now.
 *
 * An object is the number of an IDIF of this target, see lustre_fid.h. It comes into being when
 * it is first written, punched or allocated: before that it is empty, and has no times.
 */
#ifndef _UAPI_LUSTRE_LITE_WIRE_OST_H
#define _UAPI_LUSTRE_LITE_WIRE_OST_H

#include <linux/types.h>

#include "check.h"
#include "lustre_ea.h"
#include "lustre_fid.h"
#include "wire_mds.h"

/* lm_opc, besides those in wire.h */
#define OST_SETATTR		2
#define OST_CREATE		5
#define OST_FALLOCATE		22
#define OST_SEEK		23
#define OST_GRANT		30	/* not of real Lustre */

/* Buffers of a request, and of a reply. */
enum ost_request_buf {
	OST_REC,
	OST_OBJECTS,
	OST_NIOBUFS,
	OST_LOCK,
	OST_REQUEST_BUFS
};

enum ost_reply_buf {
	OST_BODY,
	OST_GRANTED,
	OST_REPLY_BUFS
};

/* Most objects of an OST_DESTROY, and most numbers of an OST_CREATE. */
#define OST_OBJECTS_MAX		1024
#define OST_CREATE_MAX		10000
/* Most ranges of an OST_WRITE. */
#define OST_NIOBUFS_MAX		64

/*
 * or_flags of OST_FALLOCATE: those of fallocate(2). Without them the range gets space, and the
 * object ends at its end or later. KEEP_SIZE: the end stays. PUNCH_HOLE, with KEEP_SIZE only: the
 * range has neither bytes nor space. ZERO_RANGE: its bytes are zeros.
 */
#define OST_FALLOC_KEEP_SIZE	0x1
#define OST_FALLOC_PUNCH_HOLE	0x2
#define OST_FALLOC_ZERO_RANGE	0x10

/*
 * or_flags of OST_SEEK: the first position from or_offset on that is in a hole, instead of the
 * first one with data. What is beyond the end of the object is a hole.
 */
#define OST_SEEK_HOLE		0x1

/* ob_first of OST_SEEK: no data from there on. */
#define OST_SEEK_NONE		0xffffffffffffffffULL

/**
 * struct ost_rec - the range of an object that a request is about
 * @or_object: object, an IDIF; zeros where the operation has none
 * @or_parent: the file, and the object's place in it; zeros where the operation has none
 * @or_flags: OBD_BRW_ASYNC of OST_WRITE; OST_FALLOC_* of OST_FALLOCATE; OST_SEEK_HOLE of OST_SEEK
 * @or_offset: first byte; OST_CREATE: a number that was given out
 * @or_len: bytes
 * @or_attr: attributes to set: MDS_ATTR_* of times
 * @or_dirty: grant of bytes that the client has not sent yet
 * @or_undirty: the most grant that it has use for
 * @or_grant_used: grant that the request uses up
 * @or_grant_spent: grant that was spent, by writes that have ended or by giving it back
 * @or_grant_export: handle of the export that @or_grant_spent is about
 */
struct ost_rec {
	struct lustre_fid	or_object;
	struct filter_fid	or_parent;
	__le32			or_flags;
	__le64			or_offset;
	__le64			or_len;
	struct lustre_attr	or_attr;
	__le64			or_dirty;
	__le64			or_undirty;
	__le64			or_grant_used;
	__le64			or_grant_spent;
	__le64			or_grant_export;
};

/**
 * struct niobuf_remote - a range of an object, one of at least two, in ascending order without
 *	overlap
 * @rnb_offset: first byte
 * @rnb_len: bytes
 * @rnb_flags: 0
 */
struct niobuf_remote {
	__le64	rnb_offset;
	__le32	rnb_len;
	__le32	rnb_flags;
};

/**
 * struct ost_body - the object after the operation
 * @ob_attr: size, blocks and times; other members are zero
 * @ob_first: OST_CREATE: the first number; OST_WRITE, OST_FALLOCATE, OST_GRANT: grant given to
 *	this export; OST_SEEK: the position, or OST_SEEK_NONE
 * @ob_count: OST_CREATE: numbers; OST_READ, OST_WRITE: bytes; OST_GRANT: grant spent of this export
 */
struct ost_body {
	struct lustre_attr	ob_attr;
	__le64			ob_first;
	__le64			ob_count;
};

/**
 * struct ost_lvb - value (LVB) of the EXTENT resource of an object
 * @ol_size: bytes
 * @ol_blocks: blocks of 512 bytes
 * @ol_mtime: seconds since 1970
 * @ol_ctime: seconds since 1970; the value with the newer ctime has the newer mtime
 * @ol_mtime_nsec: nanoseconds
 * @ol_ctime_nsec: nanoseconds
 *
 * The first word of the name of the resource is the number of the object, the others are zero.
 */
struct ost_lvb {
	__le64	ol_size;
	__le64	ol_blocks;
	__le64	ol_mtime;
	__le64	ol_ctime;
	__le32	ol_mtime_nsec;
	__le32	ol_ctime_nsec;
};

LL_UAPI_ASSERT(sizeof(struct ost_rec) == 224);
LL_UAPI_ASSERT(sizeof(struct niobuf_remote) == 16);
LL_UAPI_ASSERT(sizeof(struct ost_body) == 112);
LL_UAPI_ASSERT(sizeof(struct ost_lvb) == 40);

#endif /* _UAPI_LUSTRE_LITE_WIRE_OST_H */
