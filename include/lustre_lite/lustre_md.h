/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metadata operations: what a request asks of a metadata target, and what the reply says. The
 * client fills in a struct md_op_data and gets a struct md_reply; the server gets the one and
 * fills in the other. Between the two is the codec of uapi/lustre_lite/wire_mds.h, which allocates
 * nothing, locks nothing and logs nothing, and is for the kernel and for user space.
 *
 *	llite			lmv		mdc			mdt
 *	md_op_data  --m_call-->	  --m_call-->	md_op_encode()  ------>	md_op_decode()
 *	md_reply    <---------	  <---------	md_reply_decode() <----	md_reply_encode()
 *
 * Decoded structures point into the bytes of the message.
 */
#ifndef _LUSTRE_LITE_LUSTRE_MD_H
#define _LUSTRE_LITE_LUSTRE_MD_H

#include <lustre_lite/lustre_fid.h>
#include <lustre_lite/wire.h>
#include <uapi/lustre_lite/wire_mds.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ldlm_lock;
struct md_ahead;
struct md_lock_ask;
struct md_open;
struct ptlrpc_request;

/**
 * struct md_object - an object of a metadata target
 * @fid: its FID; zero: none
 * @hint: where its server finds it
 */
struct md_object {
	struct lu_fid		fid;
	struct lustre_hint	hint;
};

/* struct md_time - a time since 1970 */
struct md_time {
	s64	sec;
	u32	nsec;
};

/* struct md_attr - struct lustre_attr, in the byte order of the host */
struct md_attr {
	u64		valid;
	u64		size;
	u64		blocks;
	struct md_time	atime;
	struct md_time	mtime;
	struct md_time	ctime;
	struct md_time	btime;
	u32		mode;
	u32		uid;
	u32		gid;
	u32		nlink;
	u32		rdev;
};

/**
 * struct md_op_data - a metadata operation
 * @opc: MDS_*
 * @reint: REINT_* of MDS_REINT
 * @flags: MDS_OPEN_* and others
 * @uid: user on whose behalf it is
 * @gid: group
 * @caps: capabilities
 * @umask: for a new object
 * @size: most bytes of the result
 * @handle: open handle
 * @open: client: what is open and permits REINT_SETATTR, REINT_LAYOUT or MDS_SWAP_LAYOUTS, or NULL:
 *	@handle is that of it
 * @cookie: of MDS_READPAGE
 * @lock: client: the lock that the reply may bring, or NULL
 * @ahead: client: MDS_READPAGE: locks of the entries that it may bring, or NULL
 * @later: client: MDS_CLOSE may be sent with others a little later, and is not waited for
 * @once: client: it is sent once, to a target that is connected; else it ends with an error
 * @attr: attributes to set
 * @objects: number of @object in use
 * @object: the objects, as wire_mds.h has them for each operation; real Lustre calls them op_fid1
 *	to op_fid4
 * @name: name, with a NUL at @name_len; NULL: none
 * @name_len: its bytes
 * @value: name, target of a symbolic link, or value of an attribute
 * @value_len: its bytes, without a NUL
 * @groups: supplementary groups, little-endian
 * @nr_groups: their number
 */
struct md_op_data {
	u32			opc;
	u32			reint;
	u32			flags;
	u32			uid;
	u32			gid;
	u64			caps;
	u32			umask;
	u32			size;
	u64			handle;
	struct md_open		*open;
	u64			cookie;
	const struct md_lock_ask *lock;
	struct md_ahead		*ahead;
	bool			later;
	bool			once;
	struct md_attr		attr;
	u32			objects;
	struct md_object	object[MDS_OBJECTS_MAX];
	const char		*name;
	u32			name_len;
	const void		*value;
	u32			value_len;
	const __le32		*groups;
	u32			nr_groups;
};

/**
 * struct md_reply - the reply to a metadata operation
 * @object: the object that it is about
 * @attr: its attributes
 * @handle: open handle
 * @flags: MDS_BODY_*
 * @length: bytes of the whole value of an attribute
 * @has_parent: @parent is set
 * @parent: attributes of the directory that was changed
 * @acl: value of system.posix_acl_access, or NULL
 * @acl_len: its bytes
 * @result: target of a symbolic link, or value
 * @result_len: its bytes
 * @layout: of a regular file: value of trusted.lov, or NULL
 * @layout_len: its bytes
 * @lock: client: the lock that came with it, used and referenced, or NULL
 * @req: the request, referenced: the pointers are into its reply; md_reply_put()
 */
struct md_reply {
	struct md_object	object;
	struct md_attr		attr;
	u64			handle;
	u32			flags;
	u32			length;
	bool			has_parent;
	struct md_attr		parent;
	const void		*acl;
	u32			acl_len;
	const void		*result;
	u32			result_len;
	const void		*layout;
	u32			layout_len;
	struct ldlm_lock	*lock;
	struct ptlrpc_request	*req;
};

/**
 * struct md_dirent - an entry of a directory
 * @object: the object
 * @attr: its attributes
 * @next: cookie of what follows
 * @name: name, without a NUL
 * @name_len: its bytes; 0: the end of the directory
 * @result: target of a symbolic link, without a NUL
 * @result_len: its bytes
 * @layout: of a regular file: value of trusted.lov
 * @layout_len: its bytes
 * @acl: value of system.posix_acl_access
 * @acl_len: its bytes
 * @lock: the server's cookie of the lock that it comes with; 0: none
 * @bits: MDS_INODELOCK_* of the lock
 * @type: DT_*
 * @flags: MDS_DIRENT_*
 * @len: bytes of the entry
 */
struct md_dirent {
	struct md_object	object;
	struct md_attr		attr;
	u64			next;
	const char		*name;
	u32			name_len;
	const void		*result;
	u32			result_len;
	const void		*layout;
	u32			layout_len;
	const void		*acl;
	u32			acl_len;
	u64			lock;
	u32			bits;
	u8			type;
	u16			flags;
	u32			len;
};

/**
 * struct md_xattr - an attribute among all of an object
 * @name: name, without a NUL
 * @name_len: its bytes, not 0
 * @value: value
 * @value_len: its bytes
 * @flags: MDS_XATTR_LEFT or MDS_XATTR_DENIED: there is no value; or 0
 * @len: bytes of the entry
 */
struct md_xattr {
	const char	*name;
	u32		name_len;
	const void	*value;
	u32		value_len;
	u32		flags;
	u32		len;
};

/**
 * struct md_done - struct lustre_done, in the byte order of the host
 * @handle: handle
 * @size: bytes
 * @blocks: blocks of 512 bytes
 * @mtime: time of the last write
 * @ctime: time of the last change
 * @flags: MDS_DONE_*
 */
struct md_done {
	u64		handle;
	u64		size;
	u64		blocks;
	struct md_time	mtime;
	struct md_time	ctime;
	u32		flags;
};

/* Bytes of an entry with such parts. */
static inline u32 md_dirent_size(const struct md_dirent *ent)
{
	return (u32)(sizeof(struct lustre_dirent) + codec_round8(ent->name_len) +
		     codec_round8(ent->result_len) + codec_round8(ent->layout_len) +
		     codec_round8(ent->acl_len));
}

/* Bytes of an entry with such parts. */
static inline u32 md_xattr_size(const struct md_xattr *xa)
{
	return (u32)(sizeof(struct lustre_xattr) + codec_round8(xa->name_len) +
		     codec_round8(xa->value_len));
}

/* Attributes of a message. Decoding returns NULL, or the fault as text. */
void md_attr_encode(struct lustre_attr *to, const struct md_attr *attr);
const char *md_attr_decode(const struct lustre_attr *from, struct md_attr *attr);

/* The same of sizes of files that were closed. */
void md_done_encode(struct lustre_done *to, const struct md_done *done);
const char *md_done_decode(const struct lustre_done *from, struct md_done *done);

/* Lengths of the buffers of a request, MDS_REQUEST_BUFS of them. */
void md_op_lens(const struct md_op_data *op, u32 *lens);
/* @msg: a message that wire_msg_init() made with these lengths */
void md_op_encode(void *msg, const struct md_op_data *op);
/* Return: NULL, or the fault as text; every part that @op points to is valid */
const char *md_op_decode(const struct wire_msg *msg, struct md_op_data *op);

/* Lengths of the buffers of a reply, MDS_REPLY_BUFS of them. */
void md_reply_lens(const struct md_reply *rep, u32 *lens);
/* @bufs: its buffers, of these lengths */
void md_reply_encode(void *const *bufs, const struct md_reply *rep);
const char *md_reply_decode(const struct wire_msg *msg, struct md_reply *rep);

/*
 * @to: md_dirent_size() bytes, fewer than 64 KiB, at a multiple of 8 from the start of the bulk
 *	data
 */
void md_dirent_encode(void *to, const struct md_dirent *ent);
/* @len: bytes that are left. Return: NULL, or the fault as text */
const char *md_dirent_decode(const void *from, size_t len, struct md_dirent *ent);

/* @to: md_xattr_size() bytes, at a multiple of 8 from the start of the attributes */
void md_xattr_encode(void *to, const struct md_xattr *xa);
bool md_xattr_is_layout(const char *name);
/* @len: bytes that are left. Return: NULL, or the fault as text */
const char *md_xattr_decode(const void *from, size_t len, struct md_xattr *xa);

#ifdef __cplusplus
}
#endif

#endif /* _LUSTRE_LITE_LUSTRE_MD_H */
