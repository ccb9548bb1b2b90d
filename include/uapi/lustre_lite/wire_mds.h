/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The wire format of requests to a metadata target. Numbers of operations, of REINT_*, of
 * MDS_ATTR_* and of MDS_OPEN_* are real Lustre's, but for MDS_FID2PATH; the structures are
 * lustre-lite's own.
 *
 * All operations have the same buffers. A buffer that an operation does not use is empty.
 *
 *	request				reply
 *	MDS_REC		struct mdt_rec	MDS_BODY	struct mdt_body
 *	MDS_OBJECTS	struct lustre_object, 1 to MDS_OBJECTS_MAX
 *					MDS_PARENT	struct lustre_attr of the first
 *							object, a directory that was changed
 *	MDS_NAME	name, with a NUL	MDS_ACL		access ACL: the value of
 *							system.posix_acl_access, if there is one
 *	MDS_VALUE	see below: a name	MDS_RESULT	see below: without a NUL
 *			or a target with a NUL
 *	MDS_GROUPS	supplementary groups, __le32 each
 *	MDS_LOCK	struct lustre_lock that is wanted
 *					MDS_GRANT	struct lustre_lock: zeros if none
 *							was granted
 *	MDS_CANCELS	cookies of the server's locks that it cancels, __le64 each
 *					MDS_LAYOUT	of a regular file: the value of trusted.lov
 *
 *	operation		objects; name; value		result
 *	MDS_GETATTR		object				target of a symbolic link
 *	MDS_GETATTR_NAME	directory; name			likewise
 *	MDS_READPAGE		directory; value: cookies of the client's locks, __le64 each, of
 *				the first entries		bulk data: struct lustre_dirent
 *	MDS_GETXATTR		object; attribute, or empty: all names, or all attributes
 *								value, or names with their NULs
 *	MDS_CLOSE		object; value: further handles to close, struct lustre_close each. With
 *				these the reply is about no attributes, and unknown handles are ignored
 *	MDS_DONE_WRITING	object; value: sizes of files that were closed, struct lustre_done
 *				each. Unknown handles are ignored, and the reply is about nothing
 *	MDS_SYNC		object
 *	MDS_FID2PATH		object			path below the root; of the root "/"
 *	MDS_SWAP_LAYOUTS	file, another one that is open without a name
 *	MDS_REINT, by mr_opcode:
 *	REINT_SETATTR		object
 *	REINT_CREATE		directory, FID of the new object; name; target of a symbolic link
 *	REINT_LINK		directory, object; name
 *	REINT_UNLINK		directory, object that has the name; name
 *	REINT_RENAME		old directory, object, new directory, the object that is replaced, or
 *				zeros; old name; new name
 *	REINT_OPEN		directory, FID of a new object; name: opens the one that has the name,
 *				or creates it. Without a name: object, the directory in which the
 *				client has found it, or zeros
 *								target of a symbolic link, which
 *								is not opened
 *	REINT_SETXATTR		object; attribute; value
 *	REINT_LAYOUT		object: the components of the first wa_size bytes get objects
 *	SEQ_QUERY		no buffers			MDS_BODY: struct lustre_seq_range
 *
 * A replay (MSG_REPLAY) of REINT_CREATE or REINT_OPEN has mb_object of the reply in place of the
 * FID of the new object: the server finds what it created or opened, also under another name or
 * without one. A replay of REINT_OPEN, of REINT_SETATTR, of REINT_SETXATTR of a layout, and of
 * REINT_LAYOUT has MDS_LAYOUT of the reply, if it has one, as MDS_VALUE: the client may have
 * written to the objects in it.
 *
 * MDS_GETATTR and MDS_FID2PATH of an object without a hint may look for it in the whole tree. Until
 * that has ended they are answered with -EINPROGRESS, and sent again.
 *
 * Only files and directories are opened. The reply to a REINT_OPEN of another object has no handle.
 */
#ifndef _UAPI_LUSTRE_LITE_WIRE_MDS_H
#define _UAPI_LUSTRE_LITE_WIRE_MDS_H

#include <linux/types.h>

#include "check.h"
#include "lustre_fid.h"

/* lm_opc */
#define MDS_GETATTR		33
#define MDS_GETATTR_NAME	34
#define MDS_CLOSE		35
#define MDS_REINT		36
#define MDS_READPAGE		37
#define MDS_SYNC		44
#define MDS_DONE_WRITING	45
#define MDS_GETXATTR		49
#define MDS_SWAP_LAYOUTS	61
#define MDS_FID2PATH		64
#define SEQ_QUERY		700

/* mr_opcode */
#define REINT_SETATTR		1
#define REINT_CREATE		2
#define REINT_LINK		3
#define REINT_UNLINK		4
#define REINT_RENAME		5
#define REINT_OPEN		6
#define REINT_SETXATTR		7
#define REINT_LAYOUT		16	/* not of real Lustre */

/* Buffers of a request, and of a reply. */
enum mds_request_buf {
	MDS_REC,
	MDS_OBJECTS,
	MDS_NAME,
	MDS_VALUE,
	MDS_GROUPS,
	MDS_LOCK,
	MDS_CANCELS,
	MDS_REQUEST_BUFS
};

enum mds_reply_buf {
	MDS_BODY,
	MDS_PARENT,
	MDS_ACL,
	MDS_RESULT,
	MDS_GRANT,
	MDS_LAYOUT,
	MDS_REPLY_BUFS
};

#define MDS_OBJECTS_MAX		4
#define MDS_GROUPS_MAX		4096
/* Most bytes of an attribute's value, or of all names of attributes, in a message. */
#define MDS_XATTR_MAX		32768
/* Most entries of a directory that come with locks in a request. */
#define MDS_AHEAD_MAX		512
/* Most further handles to close, and most sizes. */
#define MDS_CLOSES_MAX		63
#define MDS_DONES_MAX		64

/*
 * wa_valid of REINT_SETATTR, and of REINT_OPEN. In a reply all members are set, but size and blocks
 * of a regular file that has a layout are those of the file only with MDS_ATTR_SIZE: else its
 * objects have them.
 */
#define MDS_ATTR_MODE		0x0001ULL
#define MDS_ATTR_UID		0x0002ULL
#define MDS_ATTR_GID		0x0004ULL
#define MDS_ATTR_SIZE		0x0008ULL
#define MDS_ATTR_ATIME		0x0010ULL
#define MDS_ATTR_MTIME		0x0020ULL
#define MDS_ATTR_CTIME		0x0040ULL
#define MDS_ATTR_ATIME_SET	0x0080ULL	/* to the given time, not to the server's */
#define MDS_ATTR_MTIME_SET	0x0100ULL
#define MDS_ATTR_KILL_SUID	0x0800ULL
#define MDS_ATTR_KILL_SGID	0x1000ULL
#define MDS_ATTR_KILL_PRIV	0x8000000000000000ULL	/* file capabilities; not of real Lustre */

/* mr_flags of REINT_OPEN */
#define MDS_FMODE_READ		0x00000001
#define MDS_FMODE_WRITE		0x00000002
#define MDS_FMODE_EXEC		0x00000004
#define MDS_OPEN_CREAT		0x00000040	/* 0100 */
#define MDS_OPEN_EXCL		0x00000080	/* 0200 */
#define MDS_OPEN_TRUNC		0x00000200	/* 01000 */
#define MDS_OPEN_DIRECTORY	0x00010000	/* 0200000 */
#define MDS_OPEN_DELAY		0x01000000	/* 0100000000: a new file gets no layout */
#define MDS_OPEN_VOLATILE	0x02000000	/* the new file has no name; not of real Lustre */

/*
 * mr_flags of MDS_GETATTR: the client has locks of all objects of the file, and uses them unless
 * the reply has another layout. A lease of the layout ends.
 */
#define MDS_GETATTR_USED	0x1
/*
 * mr_flags of MDS_SWAP_LAYOUTS: clients return the lock of the layout, and get none, until the
 * swap, or the close of the file without a name. Without it: the layouts are swapped, if the lease
 * has not ended
 */
#define MDS_SWAP_LEASE		0x1

/* mr_flags of REINT_SETXATTR: XATTR_CREATE 1, XATTR_REPLACE 2; of REINT_UNLINK: AT_REMOVEDIR. */
#define MDS_UNLINK_DIR		0x200
/*
 * mr_flags of MDS_GETXATTR without a name: all attributes but the server's own, each a struct
 * lustre_xattr. -ERANGE: the names alone are longer than mr_size
 */
#define MDS_XATTR_ALL		0x1
/* mr_flags of REINT_SETXATTR: remove it */
#define MDS_XATTR_REMOVE	0x100
/* mr_flags of MDS_CLOSE, and lc_flags: of a file that was open for writing */
#define MDS_CLOSE_SAME		0x1	/* this client has not changed its data meanwhile */
#define MDS_CLOSE_DONE_LATER	0x2	/* the handle is kept for a struct lustre_done */

/**
 * struct lustre_hint - where the server finds an object: bytes that only it reads; zeros for none
 * @wh_bytes: see osd.h
 */
struct lustre_hint {
	__u8	wh_bytes[32];
};

/**
 * struct lustre_object - an object of a metadata target; zeros for none
 * @wo_fid: its FID
 * @wo_hint: where it was when a reply named it last. Without one the server finds the root, and
 *  objects that it has in use; MDS_GETATTR and MDS_FID2PATH find any object
 */
struct lustre_object {
	struct lustre_fid	wo_fid;
	struct lustre_hint	wo_hint;
};

/**
 * struct lustre_attr - attributes of an object
 * @wa_valid: MDS_ATTR_*: those to set
 * @wa_size: bytes
 * @wa_blocks: blocks of 512 bytes
 * @wa_atime: seconds since 1970, signed; so are the next three
 * @wa_mtime: of the last change of the content
 * @wa_ctime: of the last change of the attributes
 * @wa_btime: of the creation, 0 if unknown
 * @wa_atime_nsec: nanoseconds of @wa_atime
 * @wa_mtime_nsec: of @wa_mtime
 * @wa_ctime_nsec: of @wa_ctime
 * @wa_btime_nsec: of @wa_btime
 * @wa_mode: type and permissions
 * @wa_uid: owner, a number of the initial user namespace
 * @wa_gid: group
 * @wa_nlink: names
 * @wa_rdev: of a device node: minor bits 0 to 7 and 20 to 31, major bits 8 to 19
 * @wa_flags: zero
 */
struct lustre_attr {
	__le64	wa_valid;
	__le64	wa_size;
	__le64	wa_blocks;
	__le64	wa_atime;
	__le64	wa_mtime;
	__le64	wa_ctime;
	__le64	wa_btime;
	__le32	wa_atime_nsec;
	__le32	wa_mtime_nsec;
	__le32	wa_ctime_nsec;
	__le32	wa_btime_nsec;
	__le32	wa_mode;
	__le32	wa_uid;
	__le32	wa_gid;
	__le32	wa_nlink;
	__le32	wa_rdev;
	__le32	wa_flags;
};

/**
 * struct mdt_rec - what a request asks for, and on whose behalf
 * @mr_opcode: REINT_* of MDS_REINT
 * @mr_flags: of the operation
 * @mr_uid: user: a number of the initial user namespace
 * @mr_gid: group
 * @mr_caps: capabilities, a bit each
 * @mr_umask: umask, for a new object
 * @mr_size: most bytes of the result, or of the bulk data; 0 of MDS_GETXATTR asks for the length
 * @mr_handle: MDS_CLOSE: open handle, @mr_flags are of it. REINT_SETATTR, REINT_LAYOUT: one that
 *  permits it, or 0. MDS_SWAP_LAYOUTS: of the file without a name, for writing
 * @mr_cookie: MDS_READPAGE: 0, or de_next of the last entry. MDS_FID2PATH: number of the name
 * @mr_attr: attributes to set; of a new object the mode with its type, and the device
 */
struct mdt_rec {
	__le32			mr_opcode;
	__le32			mr_flags;
	__le32			mr_uid;
	__le32			mr_gid;
	__le64			mr_caps;
	__le32			mr_umask;
	__le32			mr_size;
	__le64			mr_handle;
	__le64			mr_cookie;
	struct lustre_attr	mr_attr;
};

/**
 * struct lustre_close - a handle that is closed
 * @lc_handle: handle
 * @lc_flags: MDS_CLOSE_*
 * @lc_zero: zero
 */
struct lustre_close {
	__le64	lc_handle;
	__le32	lc_flags;
	__le32	lc_zero;
};

/**
 * struct lustre_done - what a client has written of a file is on the disks of its objects
 * @ld_handle: handle that was closed with MDS_CLOSE_DONE_LATER; it ends
 * @ld_size: bytes of the file
 * @ld_blocks: blocks of 512 bytes
 * @ld_mtime: seconds since 1970, signed
 * @ld_ctime: likewise
 * @ld_mtime_nsec: nanoseconds of @ld_mtime
 * @ld_ctime_nsec: of @ld_ctime
 * @ld_flags: MDS_DONE_*
 * @ld_zero: zero
 */
struct lustre_done {
	__le64	ld_handle;
	__le64	ld_size;
	__le64	ld_blocks;
	__le64	ld_mtime;
	__le64	ld_ctime;
	__le32	ld_mtime_nsec;
	__le32	ld_ctime_nsec;
	__le32	ld_flags;
	__le32	ld_zero;
};

/* ld_flags */
#define MDS_DONE_EXACT		0x1	/* without it nothing but the handle is known */

/* mb_flags */
#define MDS_BODY_CREATED	0x1	/* REINT_OPEN has created the object */
#define MDS_BODY_OPENED		0x2	/* mb_handle is an open handle */
#define MDS_BODY_GONE		0x4	/* the object has no name any more, and is not kept */

/**
 * struct mdt_body - the object that a reply is about
 * @mb_object: the object, with its hint
 * @mb_attr: its attributes
 * @mb_handle: open handle
 * @mb_flags: MDS_BODY_*
 * @mb_length: MDS_GETXATTR: bytes of the value, also where it did not fit. MDS_FID2PATH: number of
 *  the next name, or of this one if it is the last
 */
struct mdt_body {
	struct lustre_object	mb_object;
	struct lustre_attr	mb_attr;
	__le64			mb_handle;
	__le32			mb_flags;
	__le32			mb_length;
};

/**
 * struct lustre_dirent - an entry of a directory in bulk data, a multiple of 8 bytes
 * @de_object: the object, with its hint
 * @de_attr: its attributes
 * @de_next: mr_cookie of what follows
 * @de_len: bytes of the entry, with all that follows and the zeros after each part
 * @de_name_len: bytes of the name, which follows without a NUL
 * @de_type: DT_*
 * @de_result_len: bytes of the target of a symbolic link, which follow the name
 * @de_layout_len: bytes of the layout of a regular file, which follow these
 * @de_acl_len: bytes of the access ACL, which follow these
 * @de_lock: the server's cookie of a lock (LCK_PR) of the object, 0: none
 * @de_bits: MDS_INODELOCK_* of the lock
 * @de_flags: MDS_DIRENT_*
 *
 * The client's cookie of the lock is the one that has the place of the entry among those of the
 * request. Each part starts at a multiple of 8 bytes. An entry with an empty name ends the
 * directory. Bulk data that has none continues at the last de_next.
 */
struct lustre_dirent {
	struct lustre_object	de_object;
	struct lustre_attr	de_attr;
	__le64			de_next;
	__le16			de_len;
	__u8			de_name_len;
	__u8			de_type;
	__le16			de_result_len;
	__le16			de_layout_len;
	__le64			de_lock;
	__le16			de_acl_len;
	__le16			de_flags;
	__le32			de_bits;
};

/* de_flags */
#define MDS_DIRENT_WHOLE	0x1	/* it has what a reply to MDS_GETATTR has */

/**
 * struct lustre_xattr - an attribute among all of an object, a multiple of 8 bytes
 * @lx_value_len: bytes of the value, which follows the name
 * @lx_name_len: bytes of the name, which follows without a NUL
 * @lx_flags: MDS_XATTR_*
 *
 * Each part starts at a multiple of 8 bytes, with zeros before it.
 */
struct lustre_xattr {
	__le32	lx_value_len;
	__le16	lx_name_len;
	__le16	lx_flags;
};

/* lx_flags: the value is omitted */
#define MDS_XATTR_LEFT		0x1	/* it does not fit, or cannot be read: to be asked for by its name */
#define MDS_XATTR_DENIED	0x2	/* the user may not read it */

/**
 * struct lustre_seq_range - sequences that a client may use, as real Lustre has them on disk
 * @sr_start: the first one
 * @sr_end: the first one after them
 * @sr_index: index of the target
 * @sr_flags: 0: of a metadata target
 */
struct lustre_seq_range {
	__le64	sr_start;
	__le64	sr_end;
	__le32	sr_index;
	__le32	sr_flags;
};

/* Objects in a sequence: numbers 1 to this. */
#define LUSTRE_SEQ_WIDTH	0x20000
/* The target of index n has 1 << this sequences, from FID_SEQ_NORMAL + (n << this) on. */
#define LUSTRE_TARGET_SEQS_SHIFT	30

LL_UAPI_ASSERT(sizeof(struct lustre_object) == 48);
LL_UAPI_ASSERT(sizeof(struct lustre_attr) == 96);
LL_UAPI_ASSERT(sizeof(struct mdt_rec) == 144);
LL_UAPI_ASSERT(sizeof(struct mdt_body) == 160);
LL_UAPI_ASSERT(sizeof(struct lustre_dirent) == 176);
LL_UAPI_ASSERT(sizeof(struct lustre_xattr) == 8);
LL_UAPI_ASSERT(sizeof(struct lustre_close) == 16);
LL_UAPI_ASSERT(sizeof(struct lustre_done) == 56);
LL_UAPI_ASSERT(sizeof(struct lustre_seq_range) == 24);

#endif /* _UAPI_LUSTRE_LITE_WIRE_MDS_H */
