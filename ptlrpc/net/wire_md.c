// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metadata operations on the wire: see lustre_md.h, and uapi/lustre_lite/wire_mds.h for the
 * format. A request is checked against the row of its operation: its objects, and what its name
 * and its value are.
 */
#include <lustre_lite/lustre_md.h>
#include <uapi/lustre_lite/lustre_ea.h>

#ifdef __KERNEL__
#include <linux/stat.h>
#else
#include <sys/stat.h>
#endif

/* Bytes of a name, and of the target of a symbolic link, without a NUL. */
#define NAME_BYTES_MAX		255
#define TARGET_BYTES_MAX	4095
#define NSEC_MAX		999999999U

#define ATTR_VALID_ALL							\
	(MDS_ATTR_MODE | MDS_ATTR_UID | MDS_ATTR_GID | MDS_ATTR_SIZE |	\
	 MDS_ATTR_ATIME | MDS_ATTR_MTIME | MDS_ATTR_CTIME |		\
	 MDS_ATTR_ATIME_SET | MDS_ATTR_MTIME_SET | MDS_ATTR_KILL_SUID |	\
	 MDS_ATTR_KILL_SGID | MDS_ATTR_KILL_PRIV)

/* enum md_text - what a name or a value is */
enum md_text {
	TEXT_NONE,	/* absent */
	TEXT_ENTRY,	/* a name in a directory */
	TEXT_LOOKUP,	/* likewise, or ".." */
	TEXT_XATTR,	/* name of an attribute */
	TEXT_XATTRS,	/* likewise; absent: of all */
	TEXT_TARGET,	/* target of a symbolic link, absent if the new object is not one */
	TEXT_BYTES,	/* value of an attribute */
	TEXT_LAYOUT,	/* layout of a reply, in a replay; absent otherwise */
	TEXT_COOKIES,	/* cookies of locks, perhaps none */
	TEXT_CLOSES,	/* handles, perhaps none */
	TEXT_DONES,	/* sizes of files */
};

/**
 * struct md_form - the parts of an operation
 * @opc: MDS_*
 * @reint: REINT_*
 * @objects: number of objects
 * @optional: number of the last ones of them that may be zeros
 * @name: MDS_NAME
 * @value: MDS_VALUE
 */
struct md_form {
	u32		opc;
	u32		reint;
	u32		objects;
	u32		optional;
	enum md_text	name;
	enum md_text	value;
};

static const struct md_form forms[] = {
	{ MDS_GETATTR, 0, 1, 0, TEXT_NONE, TEXT_NONE },
	{ MDS_GETATTR_NAME, 0, 1, 0, TEXT_LOOKUP, TEXT_NONE },
	{ MDS_READPAGE, 0, 1, 0, TEXT_NONE, TEXT_COOKIES },
	{ MDS_GETXATTR, 0, 1, 0, TEXT_XATTRS, TEXT_NONE },
	{ MDS_CLOSE, 0, 1, 0, TEXT_NONE, TEXT_CLOSES },
	{ MDS_DONE_WRITING, 0, 1, 0, TEXT_NONE, TEXT_DONES },
	{ MDS_SYNC, 0, 1, 0, TEXT_NONE, TEXT_NONE },
	{ MDS_FID2PATH, 0, 1, 0, TEXT_NONE, TEXT_NONE },
	{ MDS_SWAP_LAYOUTS, 0, 2, 0, TEXT_NONE, TEXT_NONE },
	{ MDS_REINT, REINT_SETATTR, 1, 0, TEXT_NONE, TEXT_LAYOUT },
	{ MDS_REINT, REINT_CREATE, 2, 0, TEXT_ENTRY, TEXT_TARGET },
	{ MDS_REINT, REINT_LINK, 2, 0, TEXT_ENTRY, TEXT_NONE },
	{ MDS_REINT, REINT_UNLINK, 2, 0, TEXT_ENTRY, TEXT_NONE },
	{ MDS_REINT, REINT_RENAME, 4, 1, TEXT_ENTRY, TEXT_ENTRY },
	{ MDS_REINT, REINT_OPEN, 2, 1, TEXT_ENTRY, TEXT_LAYOUT },
	{ MDS_REINT, REINT_OPEN, 2, 1, TEXT_NONE, TEXT_LAYOUT },
	{ MDS_REINT, REINT_SETXATTR, 1, 0, TEXT_XATTR, TEXT_BYTES },
	{ MDS_REINT, REINT_LAYOUT, 1, 0, TEXT_NONE, TEXT_LAYOUT },
};

/* An open has a row with a name, and one without. */
static const struct md_form *form_of(u32 opc, u32 reint, bool has_name)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(forms); n++) {
		if (forms[n].opc != opc || forms[n].reint != reint)
			continue;
		if (reint != REINT_OPEN || has_name == (forms[n].name != TEXT_NONE))
			return &forms[n];
	}
	return NULL;
}

/* Names and targets travel with a NUL. */
static bool value_is_text(u32 opc, u32 reint)
{
	return opc == MDS_REINT && (reint == REINT_CREATE || reint == REINT_RENAME);
}

static bool is_zero(const u8 *at, size_t len)
{
	while (len--) {
		if (*at++)
			return false;
	}
	return true;
}

static void object_encode(struct lustre_object *to, const struct md_object *obj)
{
	fid_le_put(&to->wo_fid, &obj->fid);
	to->wo_hint = obj->hint;
}

static void object_decode(const struct lustre_object *from, struct md_object *obj)
{
	obj->fid = fid_le_get(&from->wo_fid);
	obj->hint = from->wo_hint;
}

/* @may_lack: zeros are an object that is absent */
static bool object_is_valid(const struct md_object *obj, bool may_lack)
{
	if (!fid_is_zero(&obj->fid))
		return fid_is_sane(&obj->fid);
	return may_lack && !obj->fid.f_ver;
}

/* Attributes to bytes. Any context. */
void md_attr_encode(struct lustre_attr *to, const struct md_attr *attr)
{
	codec_put64(&to->wa_valid, attr->valid);
	codec_put64(&to->wa_size, attr->size);
	codec_put64(&to->wa_blocks, attr->blocks);
	codec_put64(&to->wa_atime, (u64)attr->atime.sec);
	codec_put64(&to->wa_mtime, (u64)attr->mtime.sec);
	codec_put64(&to->wa_ctime, (u64)attr->ctime.sec);
	codec_put64(&to->wa_btime, (u64)attr->btime.sec);
	codec_put32(&to->wa_atime_nsec, attr->atime.nsec);
	codec_put32(&to->wa_mtime_nsec, attr->mtime.nsec);
	codec_put32(&to->wa_ctime_nsec, attr->ctime.nsec);
	codec_put32(&to->wa_btime_nsec, attr->btime.nsec);
	codec_put32(&to->wa_mode, attr->mode);
	codec_put32(&to->wa_uid, attr->uid);
	codec_put32(&to->wa_gid, attr->gid);
	codec_put32(&to->wa_nlink, attr->nlink);
	codec_put32(&to->wa_rdev, attr->rdev);
	codec_put32(&to->wa_flags, 0);
}

static struct md_time time_decode(const void *sec, const void *nsec)
{
	const struct md_time time = {
		.sec = (s64)codec_get64(sec, false),
		.nsec = codec_get32(nsec, false),
	};

	return time;
}

/* Decode and validate them. Return: NULL, or the fault as text. Any context. */
const char *md_attr_decode(const struct lustre_attr *from, struct md_attr *attr)
{
	attr->valid = codec_get64(&from->wa_valid, false);
	attr->size = codec_get64(&from->wa_size, false);
	attr->blocks = codec_get64(&from->wa_blocks, false);
	attr->atime = time_decode(&from->wa_atime, &from->wa_atime_nsec);
	attr->mtime = time_decode(&from->wa_mtime, &from->wa_mtime_nsec);
	attr->ctime = time_decode(&from->wa_ctime, &from->wa_ctime_nsec);
	attr->btime = time_decode(&from->wa_btime, &from->wa_btime_nsec);
	attr->mode = codec_get32(&from->wa_mode, false);
	attr->uid = codec_get32(&from->wa_uid, false);
	attr->gid = codec_get32(&from->wa_gid, false);
	attr->nlink = codec_get32(&from->wa_nlink, false);
	attr->rdev = codec_get32(&from->wa_rdev, false);
	if (codec_get32(&from->wa_flags, false))
		return "a reserved field of the attributes is not zero";
	if (attr->valid & ~ATTR_VALID_ALL)
		return "unknown attributes";
	if (attr->atime.nsec > NSEC_MAX || attr->mtime.nsec > NSEC_MAX ||
	    attr->ctime.nsec > NSEC_MAX || attr->btime.nsec > NSEC_MAX)
		return "a time has too many nanoseconds";
	return NULL;
}

/* A name in a directory. @parent: ".." is one */
static bool entry_is_valid(const char *name, size_t len, bool parent)
{
	if (!len || len > NAME_BYTES_MAX || memchr(name, '/', len) || memchr(name, 0, len))
		return false;
	if (name[0] != '.' || len > 2)
		return true;
	return len == 2 && (name[1] != '.' || parent);
}

/*
 * A text with its NUL. Return: NULL, or the fault. The buffer ends in zeros up to a multiple of 8
 * only, so the NUL is part of it.
 */
static const char *text_decode(const struct wire_msg *msg, unsigned int n, const char **text,
			       u32 *len)
{
	*text = wire_text(msg, n);
	if (!*text)
		return "a text does not end in its only NUL";
	*len = msg->buflens[n] - 1;
	return *len ? NULL : "an empty text";
}

static const char *name_decode(const struct wire_msg *msg, enum md_text kind,
			       struct md_op_data *op)
{
	const char *fault;

	if (!msg->buflens[MDS_NAME])
		return kind == TEXT_NONE || kind == TEXT_XATTRS ? NULL : "no name";
	if (kind == TEXT_NONE)
		return "a name that the operation does not have";
	fault = text_decode(msg, MDS_NAME, &op->name, &op->name_len);
	if (fault)
		return fault;
	if (kind == TEXT_XATTR || kind == TEXT_XATTRS)
		return op->name_len <= NAME_BYTES_MAX ? NULL : "a name is too long";
	return entry_is_valid(op->name, op->name_len, kind == TEXT_LOOKUP) ? NULL :
	       "a name that no object can have";
}

/* A symbolic link has a target, another new object has none. */
static const char *target_decode(const struct wire_msg *msg, struct md_op_data *op)
{
	const char *target, *fault;

	if (!S_ISLNK(op->attr.mode))
		return msg->buflens[MDS_VALUE] ? "a target without a symbolic link" : NULL;
	fault = text_decode(msg, MDS_VALUE, &target, &op->value_len);
	op->value = target;
	if (fault)
		return fault;
	return op->value_len <= TARGET_BYTES_MAX ? NULL : "a target is too long";
}

/* Sizes to bytes. Any context. */
void md_done_encode(struct lustre_done *to, const struct md_done *done)
{
	codec_put64(&to->ld_handle, done->handle);
	codec_put64(&to->ld_size, done->size);
	codec_put64(&to->ld_blocks, done->blocks);
	codec_put64(&to->ld_mtime, (u64)done->mtime.sec);
	codec_put64(&to->ld_ctime, (u64)done->ctime.sec);
	codec_put32(&to->ld_mtime_nsec, done->mtime.nsec);
	codec_put32(&to->ld_ctime_nsec, done->ctime.nsec);
	codec_put32(&to->ld_flags, done->flags);
	codec_put32(&to->ld_zero, 0);
}
EXPORT_SYMBOL_NS_GPL(md_done_encode, LUSTRE_LITE);

/* Decode and validate them. Return: NULL, or the fault as text. Any context. */
const char *md_done_decode(const struct lustre_done *from, struct md_done *done)
{
	done->handle = codec_get64(&from->ld_handle, false);
	done->size = codec_get64(&from->ld_size, false);
	done->blocks = codec_get64(&from->ld_blocks, false);
	done->mtime = time_decode(&from->ld_mtime, &from->ld_mtime_nsec);
	done->ctime = time_decode(&from->ld_ctime, &from->ld_ctime_nsec);
	done->flags = codec_get32(&from->ld_flags, false);
	if (done->flags & ~(u32)MDS_DONE_EXACT || codec_get32(&from->ld_zero, false))
		return "a size has unknown flags";
	if (done->mtime.nsec > NSEC_MAX || done->ctime.nsec > NSEC_MAX)
		return "a time has too many nanoseconds";
	return done->size >> 63 ? "a size is too large" : NULL;
}
EXPORT_SYMBOL_NS_GPL(md_done_decode, LUSTRE_LITE);

/* @size: bytes of each part, of which there are up to @most */
static const char *parts_decode(const struct md_op_data *op, size_t size, size_t most)
{
	return op->value_len % size ? "a fraction of a part" :
	       op->value_len > most * size ? "too many parts" : NULL;
}

static const char *list_decode(const struct md_op_data *op, enum md_text kind)
{
	if (kind == TEXT_COOKIES)
		return parts_decode(op, sizeof(__le64), MDS_AHEAD_MAX);
	if (kind == TEXT_CLOSES)
		return parts_decode(op, sizeof(struct lustre_close), MDS_CLOSES_MAX);
	return parts_decode(op, sizeof(struct lustre_done), MDS_DONES_MAX);
}

static bool lacks_value(const struct wire_msg *msg, enum md_text kind)
{
	return kind == TEXT_NONE || (kind == TEXT_LAYOUT && !(msg->flags & MSG_REPLAY));
}

static const char *new_name_decode(const struct wire_msg *msg, struct md_op_data *op)
{
	const char *name, *fault;

	fault = text_decode(msg, MDS_VALUE, &name, &op->value_len);
	op->value = name;
	if (fault)
		return fault;
	return entry_is_valid(name, op->value_len, false) ? NULL :
	       "a new name that no object can have";
}

static const char *value_decode(const struct wire_msg *msg, enum md_text kind,
				struct md_op_data *op)
{
	if (kind == TEXT_TARGET)
		return target_decode(msg, op);
	if (kind == TEXT_ENTRY)
		return new_name_decode(msg, op);
	op->value_len = msg->buflens[MDS_VALUE];
	op->value = op->value_len ? msg->bufs[MDS_VALUE] : NULL;
	if (kind >= TEXT_COOKIES)
		return list_decode(op, kind);
	if (lacks_value(msg, kind))
		return op->value_len ? "a value that the operation does not have" : NULL;
	return op->value_len <= MDS_XATTR_MAX ? NULL : "a value is too long";
}

/* The last objects may be, but a create has a FID for the new one. */
static bool may_lack(const struct md_form *form, const struct md_op_data *op, u32 n)
{
	if (op->reint == REINT_OPEN && op->flags & MDS_OPEN_CREAT)
		return false;
	return n >= form->objects - form->optional;
}

static const char *objects_decode(const struct wire_msg *msg, const struct md_form *form,
				  struct md_op_data *op)
{
	const struct lustre_object *from;
	u32 n;

	from = (const struct lustre_object *)wire_buf(msg, MDS_OBJECTS,
						      form->objects * sizeof(*from));
	if (!from || msg->buflens[MDS_OBJECTS] != form->objects * sizeof(*from))
		return "the operation has another number of objects";
	op->objects = form->objects;
	for (n = 0; n < form->objects; n++) {
		object_decode(&from[n], &op->object[n]);
		if (!object_is_valid(&op->object[n], may_lack(form, op, n)))
			return "a FID that no object can have";
	}
	return NULL;
}

static const char *groups_decode(const struct wire_msg *msg, struct md_op_data *op)
{
	u32 len = msg->buflens[MDS_GROUPS];

	if (len % sizeof(*op->groups))
		return "half a group";
	op->nr_groups = (u32)(len / sizeof(*op->groups));
	op->groups = len ? (const __le32 *)msg->bufs[MDS_GROUPS] : NULL;
	return op->nr_groups <= MDS_GROUPS_MAX ? NULL : "too many groups";
}

static const char *rec_decode(const struct wire_msg *msg, struct md_op_data *op)
{
	const struct mdt_rec *rec;

	rec = (const struct mdt_rec *)wire_buf(msg, MDS_REC, sizeof(*rec));
	if (!rec)
		return "the request is too short";
	op->reint = codec_get32(&rec->mr_opcode, false);
	op->flags = codec_get32(&rec->mr_flags, false);
	op->uid = codec_get32(&rec->mr_uid, false);
	op->gid = codec_get32(&rec->mr_gid, false);
	op->caps = codec_get64(&rec->mr_caps, false);
	op->umask = codec_get32(&rec->mr_umask, false);
	op->size = codec_get32(&rec->mr_size, false);
	op->handle = codec_get64(&rec->mr_handle, false);
	op->cookie = codec_get64(&rec->mr_cookie, false);
	return md_attr_decode(&rec->mr_attr, &op->attr);
}

/**
 * md_op_lens() - lengths of the buffers of a request
 * @op: operation
 * @lens: out, MDS_REQUEST_BUFS
 *
 * MDS_LOCK and MDS_CANCELS are empty.
 *
 * Context: any
 */
void md_op_lens(const struct md_op_data *op, u32 *lens)
{
	u32 nul = op->value && value_is_text(op->opc, op->reint);

	memset(lens, 0, MDS_REQUEST_BUFS * sizeof(*lens));
	lens[MDS_REC] = sizeof(struct mdt_rec);
	lens[MDS_OBJECTS] = (u32)(op->objects * sizeof(struct lustre_object));
	lens[MDS_NAME] = op->name ? op->name_len + 1 : 0;
	lens[MDS_VALUE] = op->value_len + nul;
	lens[MDS_GROUPS] = (u32)(op->nr_groups * sizeof(*op->groups));
}
EXPORT_SYMBOL_NS_GPL(md_op_lens, LUSTRE_LITE);

/**
 * md_op_encode() - an operation to bytes
 * @msg: message of wire_msg_init() with the lengths of md_op_lens()
 * @op: operation
 *
 * Context: any
 */
void md_op_encode(void *msg, const struct md_op_data *op)
{
	struct mdt_rec *rec = (struct mdt_rec *)wire_msg_buf(msg, MDS_REC);
	struct lustre_object *to = (struct lustre_object *)wire_msg_buf(msg, MDS_OBJECTS);
	u32 n;

	codec_put32(&rec->mr_opcode, op->reint);
	codec_put32(&rec->mr_flags, op->flags);
	codec_put32(&rec->mr_uid, op->uid);
	codec_put32(&rec->mr_gid, op->gid);
	codec_put64(&rec->mr_caps, op->caps);
	codec_put32(&rec->mr_umask, op->umask);
	codec_put32(&rec->mr_size, op->size);
	codec_put64(&rec->mr_handle, op->handle);
	codec_put64(&rec->mr_cookie, op->cookie);
	md_attr_encode(&rec->mr_attr, &op->attr);
	for (n = 0; n < op->objects; n++)
		object_encode(&to[n], &op->object[n]);
	if (op->name)
		memcpy(wire_msg_buf(msg, MDS_NAME), op->name, op->name_len);
	if (op->value_len)
		memcpy(wire_msg_buf(msg, MDS_VALUE), op->value, op->value_len);
	if (op->nr_groups)
		memcpy(wire_msg_buf(msg, MDS_GROUPS), op->groups,
		       op->nr_groups * sizeof(*op->groups));
}
EXPORT_SYMBOL_NS_GPL(md_op_encode, LUSTRE_LITE);

/**
 * md_op_decode() - decode and validate an operation
 * @msg: message of wire_msg_view()
 * @op: out; points into the message. Names, and the target of a symbolic link, end in a NUL
 *
 * MDS_LOCK and MDS_CANCELS are not looked at.
 *
 * Context: any
 * Return: NULL, or the fault as text
 */
const char *md_op_decode(const struct wire_msg *msg, struct md_op_data *op)
{
	const struct md_form *form;
	const char *fault;

	memset(op, 0, sizeof(*op));
	op->opc = msg->opc;
	fault = rec_decode(msg, op);
	if (fault)
		return fault;
	form = form_of(op->opc, op->reint, msg->buflens[MDS_NAME]);
	if (!form)
		return "an unknown operation";
	fault = objects_decode(msg, form, op);
	if (!fault)
		fault = name_decode(msg, form->name, op);
	if (!fault)
		fault = value_decode(msg, form->value, op);
	return fault ? fault : groups_decode(msg, op);
}
EXPORT_SYMBOL_NS_GPL(md_op_decode, LUSTRE_LITE);

/**
 * md_reply_lens() - lengths of the buffers of a reply
 * @rep: reply
 * @lens: out, MDS_REPLY_BUFS
 *
 * MDS_GRANT is empty.
 *
 * Context: any
 */
void md_reply_lens(const struct md_reply *rep, u32 *lens)
{
	lens[MDS_BODY] = sizeof(struct mdt_body);
	lens[MDS_PARENT] = rep->has_parent ? sizeof(struct lustre_attr) : 0;
	lens[MDS_ACL] = rep->acl_len;
	lens[MDS_RESULT] = rep->result_len;
	lens[MDS_GRANT] = 0;
	lens[MDS_LAYOUT] = rep->layout_len;
}
EXPORT_SYMBOL_NS_GPL(md_reply_lens, LUSTRE_LITE);

/**
 * md_reply_encode() - a reply to bytes
 * @bufs: out, buffers of the lengths of md_reply_lens(); one without bytes may be NULL
 * @rep: reply
 *
 * Context: any
 */
void md_reply_encode(void *const *bufs, const struct md_reply *rep)
{
	struct mdt_body *body = (struct mdt_body *)bufs[MDS_BODY];

	object_encode(&body->mb_object, &rep->object);
	md_attr_encode(&body->mb_attr, &rep->attr);
	codec_put64(&body->mb_handle, rep->handle);
	codec_put32(&body->mb_flags, rep->flags);
	codec_put32(&body->mb_length, rep->length);
	if (rep->has_parent)
		md_attr_encode((struct lustre_attr *)bufs[MDS_PARENT], &rep->parent);
	if (rep->acl_len)
		memcpy(bufs[MDS_ACL], rep->acl, rep->acl_len);
	if (rep->result_len)
		memcpy(bufs[MDS_RESULT], rep->result, rep->result_len);
	if (rep->layout_len)
		memcpy(bufs[MDS_LAYOUT], rep->layout, rep->layout_len);
}
EXPORT_SYMBOL_NS_GPL(md_reply_encode, LUSTRE_LITE);

static const char *body_decode(const struct wire_msg *msg, struct md_reply *rep)
{
	const struct mdt_body *body;

	body = (const struct mdt_body *)wire_buf(msg, MDS_BODY, sizeof(*body));
	if (!body)
		return "the reply is too short";
	object_decode(&body->mb_object, &rep->object);
	rep->handle = codec_get64(&body->mb_handle, false);
	rep->flags = codec_get32(&body->mb_flags, false);
	rep->length = codec_get32(&body->mb_length, false);
	if (!object_is_valid(&rep->object, true))
		return "a FID that no object can have";
	return md_attr_decode(&body->mb_attr, &rep->attr);
}

static const char *parent_decode(const struct wire_msg *msg, struct md_reply *rep)
{
	const struct lustre_attr *parent;

	if (!msg->buflens[MDS_PARENT])
		return NULL;
	parent = (const struct lustre_attr *)wire_buf(msg, MDS_PARENT, sizeof(*parent));
	if (!parent)
		return "the attributes of the directory are too short";
	rep->has_parent = true;
	return md_attr_decode(parent, &rep->parent);
}

/**
 * md_reply_decode() - decode and validate a reply
 * @msg: message of wire_msg_view()
 * @rep: out; points into the message, and has no request. Its result has as many bytes as the
 *	server sent, which may be more than the caller asked for
 *
 * Context: any
 * Return: NULL, or the fault as text
 */
const char *md_reply_decode(const struct wire_msg *msg, struct md_reply *rep)
{
	const char *fault;

	memset(rep, 0, sizeof(*rep));
	fault = body_decode(msg, rep);
	if (!fault)
		fault = parent_decode(msg, rep);
	if (fault)
		return fault;
	rep->acl_len = msg->buflens[MDS_ACL];
	rep->acl = rep->acl_len ? msg->bufs[MDS_ACL] : NULL;
	rep->result_len = msg->buflens[MDS_RESULT];
	rep->result = rep->result_len ? msg->bufs[MDS_RESULT] : NULL;
	rep->layout_len = msg->buflens[MDS_LAYOUT];
	rep->layout = rep->layout_len ? msg->bufs[MDS_LAYOUT] : NULL;
	if (rep->acl_len > MDS_XATTR_MAX || rep->result_len > MDS_XATTR_MAX ||
	    rep->layout_len > MDS_XATTR_MAX)
		return "a value is too long";
	return NULL;
}
EXPORT_SYMBOL_NS_GPL(md_reply_decode, LUSTRE_LITE);

/* Copy a part of an entry to @to, which is zeroed. Return: where the next part goes */
static u8 *part_put(u8 *to, const void *part, u32 len)
{
	if (len)
		memcpy(to, part, len);
	return to + codec_round8(len);
}

/**
 * md_dirent_encode() - an entry of a directory to bytes
 * @to: out, md_dirent_size() bytes
 * @ent: entry
 *
 * Context: any
 */
void md_dirent_encode(void *to, const struct md_dirent *ent)
{
	struct lustre_dirent *de = (struct lustre_dirent *)to;
	u32 size = md_dirent_size(ent);
	u8 *at = (u8 *)to + sizeof(*de);

	memset(to, 0, size);
	object_encode(&de->de_object, &ent->object);
	md_attr_encode(&de->de_attr, &ent->attr);
	codec_put64(&de->de_next, ent->next);
	codec_put16(&de->de_len, (u16)size);
	de->de_name_len = (u8)ent->name_len;
	de->de_type = ent->type;
	codec_put16(&de->de_result_len, (u16)ent->result_len);
	codec_put16(&de->de_layout_len, (u16)ent->layout_len);
	codec_put64(&de->de_lock, ent->lock);
	codec_put16(&de->de_acl_len, (u16)ent->acl_len);
	codec_put16(&de->de_flags, ent->flags);
	codec_put32(&de->de_bits, ent->bits);
	at = part_put(at, ent->name, ent->name_len);
	at = part_put(at, ent->result, ent->result_len);
	at = part_put(at, ent->layout, ent->layout_len);
	part_put(at, ent->acl, ent->acl_len);
}
EXPORT_SYMBOL_NS_GPL(md_dirent_encode, LUSTRE_LITE);

/*
 * A part of an entry at @at. Return: where the next part is; NULL: the bytes between are not zero
 */
static const u8 *part_get(const u8 *at, const void **part, u32 len)
{
	*part = len ? at : NULL;
	return is_zero(at + len, codec_round8(len) - len) ? at + codec_round8(len) : NULL;
}

static bool parts_get(const u8 *at, struct md_dirent *ent)
{
	ent->name = (const char *)at;
	at += codec_round8(ent->name_len);
	if (!is_zero((const u8 *)ent->name + ent->name_len,
		     codec_round8(ent->name_len) - ent->name_len))
		return false;
	at = part_get(at, &ent->result, ent->result_len);
	at = at ? part_get(at, &ent->layout, ent->layout_len) : NULL;
	return at && part_get(at, &ent->acl, ent->acl_len);
}

/* The object of an entry may be unknown: it has a name, and its target is not served. */
static const char *dirent_check(const struct md_dirent *ent)
{
	if (ent->flags & ~MDS_DIRENT_WHOLE)
		return "unknown flags of an entry";
	if (!ent->lock != !ent->bits)
		return "an entry has a lock without bits, or the other way";
	if (ent->name_len && !entry_is_valid(ent->name, ent->name_len, false))
		return "a name that no object can have";
	/* A lock, and all that follows, are of an object. */
	return object_is_valid(&ent->object, !ent->lock && !ent->flags) ?
	       NULL : "a FID that no object can have";
}

/**
 * md_dirent_decode() - decode and validate an entry of a directory
 * @from: bytes
 * @len: their number, which may be more than the entry has
 * @ent: out; its parts point into @from
 *
 * Context: any
 * Return: NULL, or the fault as text
 */
const char *md_dirent_decode(const void *from, size_t len, struct md_dirent *ent)
{
	const struct lustre_dirent *de = (const struct lustre_dirent *)from;
	const char *fault;

	memset(ent, 0, sizeof(*ent));
	if (len < sizeof(*de))
		return "an entry is too short";
	ent->len = codec_get16(&de->de_len);
	ent->name_len = de->de_name_len;
	ent->result_len = codec_get16(&de->de_result_len);
	ent->layout_len = codec_get16(&de->de_layout_len);
	ent->acl_len = codec_get16(&de->de_acl_len);
	if (ent->len > len || ent->len != md_dirent_size(ent))
		return "an entry has a wrong length";
	if (!parts_get((const u8 *)from + sizeof(*de), ent))
		return "bytes of an entry that are reserved are not zero";
	ent->type = de->de_type;
	ent->lock = codec_get64(&de->de_lock, false);
	ent->bits = codec_get32(&de->de_bits, false);
	ent->flags = codec_get16(&de->de_flags);
	ent->next = codec_get64(&de->de_next, false);
	object_decode(&de->de_object, &ent->object);
	fault = md_attr_decode(&de->de_attr, &ent->attr);
	return fault ? fault : dirent_check(ent);
}
EXPORT_SYMBOL_NS_GPL(md_dirent_decode, LUSTRE_LITE);

/**
 * md_xattr_encode() - an attribute among all of an object to bytes
 * @to: out, md_xattr_size() bytes
 * @xa: attribute
 *
 * Context: any
 */
void md_xattr_encode(void *to, const struct md_xattr *xa)
{
	struct lustre_xattr *lx = (struct lustre_xattr *)to;
	u8 *at = (u8 *)to + sizeof(*lx);

	memset(to, 0, md_xattr_size(xa));
	codec_put32(&lx->lx_value_len, xa->value_len);
	codec_put16(&lx->lx_name_len, (u16)xa->name_len);
	codec_put16(&lx->lx_flags, (u16)xa->flags);
	at = part_put(at, xa->name, xa->name_len);
	part_put(at, xa->value, xa->value_len);
}
EXPORT_SYMBOL_NS_GPL(md_xattr_encode, LUSTRE_LITE);

/**
 * md_xattr_is_layout() - whether setting an attribute gives its object another layout
 * @name: its name
 *
 * Context: any
 * Return: true if it does
 */
bool md_xattr_is_layout(const char *name)
{
	return !strcmp(name, XATTR_NAME_LOV) || !strcmp(name, XATTR_NAME_LOV_ADD) ||
	       !strcmp(name, XATTR_NAME_LOV_DEL);
}
EXPORT_SYMBOL_NS_GPL(md_xattr_is_layout, LUSTRE_LITE);

static const char *xattr_check(const struct md_xattr *xa)
{
	if (xa->flags & ~(u32)(MDS_XATTR_LEFT | MDS_XATTR_DENIED))
		return "unknown flags of an attribute";
	if (xa->flags && xa->value_len)
		return "an attribute has a value that is omitted";
	if (!xa->name_len || xa->name_len > NAME_BYTES_MAX || memchr(xa->name, '\0', xa->name_len))
		return "a name that no attribute can have";
	return NULL;
}

/**
 * md_xattr_decode() - decode and validate an attribute among all of an object
 * @from: bytes
 * @len: their number, which may be more than the attribute has
 * @xa: out; its parts point into @from
 *
 * Context: any
 * Return: NULL, or the fault as text
 */
const char *md_xattr_decode(const void *from, size_t len, struct md_xattr *xa)
{
	const struct lustre_xattr *lx = (const struct lustre_xattr *)from;
	const void *name, *value;
	const u8 *at;

	memset(xa, 0, sizeof(*xa));
	if (len < sizeof(*lx))
		return "an attribute is too short";
	xa->value_len = codec_get32(&lx->lx_value_len, false);
	xa->name_len = codec_get16(&lx->lx_name_len);
	xa->flags = codec_get16(&lx->lx_flags);
	if (xa->value_len > MDS_XATTR_MAX || md_xattr_size(xa) > len)
		return "an attribute is longer than the bytes that are left";
	xa->len = md_xattr_size(xa);
	at = part_get((const u8 *)from + sizeof(*lx), &name, xa->name_len);
	if (!at || !part_get(at, &value, xa->value_len))
		return "bytes of an attribute that are reserved are not zero";
	xa->name = (const char *)name;
	xa->value = value;
	return xattr_check(xa);
}
EXPORT_SYMBOL_NS_GPL(md_xattr_decode, LUSTRE_LITE);
