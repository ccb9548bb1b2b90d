// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on objects of data on the wire: see lustre_ost.h, and uapi/lustre_lite/wire_ost.h for
 * the format. A request is checked against the row of its operation.
 */
#include <lustre_lite/lustre_ost.h>

/* Objects have signed offsets in the file systems that store them. */
#define OFFSET_MAX_64		0x7fffffffffffffffULL
#define NSEC_MAX		999999999U

#define ATTR_TIMES							\
	(MDS_ATTR_ATIME | MDS_ATTR_MTIME | MDS_ATTR_CTIME |		\
	 MDS_ATTR_ATIME_SET | MDS_ATTR_MTIME_SET)

/* Parts of an operation. */
#define FORM_OBJECT	0x01	/* or_object */
#define FORM_MAY_LACK	0x02	/* which may be zero */
#define FORM_PARENT	0x04	/* or_parent, which may be zeros */
#define FORM_ASYNC	0x08	/* OBD_BRW_ASYNC */
#define FORM_OFFSET	0x10	/* or_offset */
#define FORM_TIMES	0x20	/* or_attr: times */
#define FORM_OBJECTS	0x40	/* OST_OBJECTS */
#define FORM_FALLOC	0x80	/* OST_FALLOC_*, as fallocate() accepts them together */
#define FORM_HOLE	0x100	/* OST_SEEK_HOLE */
#define FORM_NIOBUFS	0x200	/* OST_NIOBUFS, which may be empty */
#define FORM_CLAIM	0x400	/* or_dirty, or_undirty */
#define FORM_USED	0x800	/* or_grant_used */
#define FORM_SPENT	0x1000	/* or_grant_spent, or_grant_export */
#define FORM_LOCK	0x2000	/* OST_LOCK, which may be empty */

/**
 * struct ost_form - the parts of an operation
 * @opc: OST_*
 * @parts: FORM_*
 * @len_max: most of or_len, which is at least 1; 0: the operation has none
 */
struct ost_form {
	u32	opc;
	u32	parts;
	u64	len_max;
};

static const struct ost_form forms[] = {
	{ OST_GETATTR, FORM_OBJECT, 0 },
	{ OST_SETATTR, FORM_OBJECT | FORM_TIMES, 0 },
	{ OST_READ, FORM_OBJECT | FORM_OFFSET | FORM_LOCK, WIRE_BULK_MAX },
	{ OST_WRITE, FORM_OBJECT | FORM_PARENT | FORM_ASYNC | FORM_OFFSET | FORM_TIMES |
	  FORM_NIOBUFS | FORM_CLAIM | FORM_USED, WIRE_BULK_MAX },
	{ OST_PUNCH, FORM_OBJECT | FORM_PARENT | FORM_OFFSET | FORM_TIMES, 0 },
	{ OST_SYNC, FORM_OBJECT | FORM_MAY_LACK, 0 },
	{ OST_CREATE, FORM_OFFSET, OST_CREATE_MAX },
	{ OST_DESTROY, FORM_OBJECTS, 0 },
	{ OST_FALLOCATE, FORM_OBJECT | FORM_PARENT | FORM_OFFSET | FORM_TIMES | FORM_FALLOC | FORM_CLAIM |
	  FORM_USED, OFFSET_MAX_64 },
	{ OST_SEEK, FORM_OBJECT | FORM_OFFSET | FORM_HOLE, 0 },
	{ OST_GRANT, FORM_CLAIM | FORM_SPENT, 0 },
};

static const struct ost_form *form_of(u32 opc)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(forms); n++) {
		if (forms[n].opc == opc)
			return &forms[n];
	}
	return NULL;
}

static bool object_is_valid(const struct lu_fid *fid)
{
	return fid_is_idif(fid) && !fid->f_ver && fid_idif_object(fid);
}

static const char *parent_decode(const struct filter_fid *from, struct lustre_filter_fid *parent)
{
	const u8 *bytes = (const u8 *)from;
	size_t n;

	for (n = 0; n < sizeof(*from); n++) {
		if (bytes[n])
			return lustre_filter_fid_decode(from, sizeof(*from), parent);
	}
	return NULL;
}

static const char *rec_decode(const struct wire_msg *msg, struct ost_op *op)
{
	const struct ost_rec *rec;
	const char *fault;

	rec = (const struct ost_rec *)wire_buf(msg, OST_REC, sizeof(*rec));
	if (!rec)
		return "the request is too short";
	op->object = fid_le_get(&rec->or_object);
	op->flags = codec_get32(&rec->or_flags, false);
	op->offset = codec_get64(&rec->or_offset, false);
	op->len = codec_get64(&rec->or_len, false);
	op->claim.dirty = codec_get64(&rec->or_dirty, false);
	op->claim.undirty = codec_get64(&rec->or_undirty, false);
	op->claim.used = codec_get64(&rec->or_grant_used, false);
	op->claim.spent = codec_get64(&rec->or_grant_spent, false);
	op->claim.export = codec_get64(&rec->or_grant_export, false);
	fault = parent_decode(&rec->or_parent, &op->parent);
	return fault ? fault : md_attr_decode(&rec->or_attr, &op->attr);
}

static const char *object_check(const struct ost_form *form, const struct ost_op *op)
{
	bool lacks = fid_is_zero(&op->object) && !op->object.f_ver;

	if (!(form->parts & FORM_OBJECT))
		return lacks ? NULL : "an object that the operation does not have";
	if (lacks && form->parts & FORM_MAY_LACK)
		return NULL;
	return object_is_valid(&op->object) ? NULL : "a FID that no object can have";
}

static const char *range_check(const struct ost_form *form, const struct ost_op *op)
{
	if (op->offset && !(form->parts & FORM_OFFSET))
		return "an offset that the operation does not have";
	if (op->offset > OFFSET_MAX_64)
		return "an offset is too large";
	if (!form->len_max)
		return op->len ? "a length that the operation does not have" : NULL;
	if (!op->len || op->len > form->len_max || op->len > OFFSET_MAX_64 - op->offset)
		return "a length is out of range";
	return NULL;
}

/* Sums of them do not overflow. */
static bool claim_is_small(const struct ost_claim *claim)
{
	return claim->dirty <= OFFSET_MAX_64 && claim->undirty <= OFFSET_MAX_64 &&
	       claim->used <= OFFSET_MAX_64 && claim->spent <= OFFSET_MAX_64;
}

static const char *claim_check(const struct ost_form *form, const struct ost_op *op)
{
	const struct ost_claim *claim = &op->claim;

	if ((claim->dirty || claim->undirty) && !(form->parts & FORM_CLAIM))
		return "grant that the operation does not have";
	if (claim->used && !(form->parts & FORM_USED))
		return "used grant that the operation does not have";
	if ((claim->spent || claim->export) && !(form->parts & FORM_SPENT))
		return "spent grant that the operation does not have";
	return claim_is_small(claim) ? NULL : "grant is too large";
}

static u32 flags_of(const struct ost_form *form)
{
	if (form->parts & FORM_ASYNC)
		return OBD_BRW_ASYNC;
	if (form->parts & FORM_FALLOC)
		return OST_FALLOC_KEEP_SIZE | OST_FALLOC_PUNCH_HOLE | OST_FALLOC_ZERO_RANGE;
	return form->parts & FORM_HOLE ? OST_SEEK_HOLE : 0;
}

static const char *flags_check(const struct ost_form *form, const struct ost_op *op)
{
	if (op->flags & ~flags_of(form))
		return "unknown flags";
	if (!(form->parts & FORM_FALLOC) || !(op->flags & OST_FALLOC_PUNCH_HOLE))
		return NULL;
	return op->flags == (OST_FALLOC_PUNCH_HOLE | OST_FALLOC_KEEP_SIZE) ?
	       NULL : "flags that exclude each other";
}

static const char *rest_check(const struct ost_form *form, const struct ost_op *op)
{
	if (op->parent.size && !(form->parts & FORM_PARENT))
		return "a file that the operation does not have";
	if (op->attr.valid & ~(form->parts & FORM_TIMES ? ATTR_TIMES : 0U))
		return "attributes that the operation does not set";
	return flags_check(form, op);
}

static const char *objects_decode(const struct wire_msg *msg, const struct ost_form *form,
				  struct ost_op *op)
{
	u32 len = msg->buflens[OST_OBJECTS], n;
	struct lu_fid fid;

	if (!(form->parts & FORM_OBJECTS))
		return len ? "objects that the operation does not have" : NULL;
	if (!len || len % sizeof(*op->objects) || len / sizeof(*op->objects) > OST_OBJECTS_MAX)
		return "a wrong number of objects";
	op->objects = (const struct lustre_fid *)msg->bufs[OST_OBJECTS];
	op->nr_objects = (u32)(len / sizeof(*op->objects));
	for (n = 0; n < op->nr_objects; n++) {
		fid = fid_le_get(&op->objects[n]);
		if (!object_is_valid(&fid))
			return "a FID that no object can have";
	}
	return NULL;
}

/**
 * ost_op_range() - one of the ranges of an operation
 * @op: operation
 * @n: number of the range
 * @len: out: bytes
 *
 * Context: any
 * Return: first byte
 */
u64 ost_op_range(const struct ost_op *op, u32 n, u64 *len)
{
	if (!op->nr_niobufs) {
		*len = op->len;
		return op->offset;
	}
	*len = codec_get32(&op->niobufs[n].rnb_len, false);
	return codec_get64(&op->niobufs[n].rnb_offset, false);
}
EXPORT_SYMBOL_NS_GPL(ost_op_range, LUSTRE_LITE);

/* In ascending order, without overlap, together @op->len bytes from @op->offset on. */
static const char *niobufs_check(const struct ost_op *op)
{
	u64 at = op->offset, left = op->len, from, len;
	u32 n;

	for (n = 0; n < op->nr_niobufs; n++) {
		from = ost_op_range(op, n, &len);
		if (n ? from < at : from != at)
			return "ranges out of order";
		if (!len || len > left || from > OFFSET_MAX_64 || len > OFFSET_MAX_64 - from)
			return "a length is out of range";
		if (op->niobufs[n].rnb_flags)
			return "unknown flags";
		at = from + len;
		left -= len;
	}
	return left ? "ranges of another length than all bytes" : NULL;
}

static const char *niobufs_decode(const struct wire_msg *msg, const struct ost_form *form,
				  struct ost_op *op)
{
	u32 len = msg->buflens[OST_NIOBUFS];

	if (!len)
		return NULL;
	if (!(form->parts & FORM_NIOBUFS))
		return "ranges that the operation does not have";
	if (len % sizeof(*op->niobufs) || len == sizeof(*op->niobufs) ||
	    len / sizeof(*op->niobufs) > OST_NIOBUFS_MAX)
		return "a wrong number of ranges";
	op->niobufs = (const struct niobuf_remote *)msg->bufs[OST_NIOBUFS];
	op->nr_niobufs = (u32)(len / sizeof(*op->niobufs));
	return niobufs_check(op);
}

/* Type, mode and policy are checked when the lock is granted. */
static const char *lock_decode(const struct wire_msg *msg, const struct ost_form *form,
			       struct ost_op *op)
{
	if (!msg->buflens[OST_LOCK])
		return NULL;
	if (!(form->parts & FORM_LOCK))
		return "a lock that the operation does not ask for";
	op->lock = (const struct lustre_lock *)wire_buf(msg, OST_LOCK, sizeof(*op->lock));
	return op->lock ? NULL : "a lock that is too short";
}

/**
 * ost_op_lens() - lengths of the buffers of a request
 * @op: operation
 * @lens: out, OST_REQUEST_BUFS
 *
 * Context: any
 */
void ost_op_lens(const struct ost_op *op, u32 *lens)
{
	lens[OST_REC] = sizeof(struct ost_rec);
	lens[OST_OBJECTS] = (u32)(op->nr_objects * sizeof(*op->objects));
	lens[OST_NIOBUFS] = (u32)(op->nr_niobufs * sizeof(*op->niobufs));
	lens[OST_LOCK] = op->lock ? sizeof(*op->lock) : 0;
}
EXPORT_SYMBOL_NS_GPL(ost_op_lens, LUSTRE_LITE);

/**
 * ost_op_encode() - an operation to bytes
 * @msg: message of wire_msg_init() with the lengths of ost_op_lens()
 * @op: operation
 *
 * Context: any
 */
void ost_op_encode(void *msg, const struct ost_op *op)
{
	struct ost_rec *rec = (struct ost_rec *)wire_msg_buf(msg, OST_REC);

	fid_le_put(&rec->or_object, &op->object);
	if (op->parent.size)
		lustre_filter_fid_encode(&rec->or_parent, &op->parent);
	codec_put32(&rec->or_flags, op->flags);
	codec_put64(&rec->or_offset, op->offset);
	codec_put64(&rec->or_len, op->len);
	codec_put64(&rec->or_dirty, op->claim.dirty);
	codec_put64(&rec->or_undirty, op->claim.undirty);
	codec_put64(&rec->or_grant_used, op->claim.used);
	codec_put64(&rec->or_grant_spent, op->claim.spent);
	codec_put64(&rec->or_grant_export, op->claim.export);
	md_attr_encode(&rec->or_attr, &op->attr);
	if (op->nr_objects)
		memcpy(wire_msg_buf(msg, OST_OBJECTS), op->objects,
		       op->nr_objects * sizeof(*op->objects));
	if (op->nr_niobufs)
		memcpy(wire_msg_buf(msg, OST_NIOBUFS), op->niobufs,
		       op->nr_niobufs * sizeof(*op->niobufs));
	if (op->lock)
		memcpy(wire_msg_buf(msg, OST_LOCK), op->lock, sizeof(*op->lock));
}
EXPORT_SYMBOL_NS_GPL(ost_op_encode, LUSTRE_LITE);

/**
 * ost_op_decode() - decode and validate an operation
 * @msg: message of wire_msg_view()
 * @op: out; its objects, ranges and lock point into the message
 *
 * Context: any
 * Return: NULL, or the fault as text
 */
const char *ost_op_decode(const struct wire_msg *msg, struct ost_op *op)
{
	const struct ost_form *form = form_of(msg->opc);
	const char *fault;

	memset(op, 0, sizeof(*op));
	op->opc = msg->opc;
	if (!form)
		return "an unknown operation";
	fault = rec_decode(msg, op);
	if (!fault)
		fault = object_check(form, op);
	if (!fault)
		fault = range_check(form, op);
	if (!fault)
		fault = claim_check(form, op);
	if (!fault)
		fault = rest_check(form, op);
	if (!fault)
		fault = objects_decode(msg, form, op);
	if (!fault)
		fault = niobufs_decode(msg, form, op);
	return fault ? fault : lock_decode(msg, form, op);
}
EXPORT_SYMBOL_NS_GPL(ost_op_decode, LUSTRE_LITE);

/**
 * ost_reply_encode() - a reply to bytes
 * @body: out, buffer OST_BODY
 * @rep: reply
 *
 * Context: any
 */
void ost_reply_encode(struct ost_body *body, const struct ost_reply *rep)
{
	md_attr_encode(&body->ob_attr, &rep->attr);
	codec_put64(&body->ob_first, rep->first);
	codec_put64(&body->ob_count, rep->count);
}
EXPORT_SYMBOL_NS_GPL(ost_reply_encode, LUSTRE_LITE);

/**
 * ost_reply_decode() - decode and validate a reply
 * @msg: message of wire_msg_view()
 * @rep: out
 *
 * Context: any
 * Return: NULL, or the fault as text
 */
const char *ost_reply_decode(const struct wire_msg *msg, struct ost_reply *rep)
{
	const struct ost_body *body;
	const char *fault;

	memset(rep, 0, sizeof(*rep));
	body = (const struct ost_body *)wire_buf(msg, OST_BODY, sizeof(*body));
	if (!body)
		return "the reply is too short";
	rep->first = codec_get64(&body->ob_first, false);
	rep->count = codec_get64(&body->ob_count, false);
	fault = md_attr_decode(&body->ob_attr, &rep->attr);
	if (!fault && rep->attr.size > OFFSET_MAX_64)
		fault = "a size is too large";
	return fault;
}
EXPORT_SYMBOL_NS_GPL(ost_reply_decode, LUSTRE_LITE);

/**
 * ost_lvb_encode() - attributes of an object to the value (LVB) of its resource
 * @to: out, value
 * @attr: attributes; the value has size, blocks, mtime and ctime
 *
 * Context: any
 */
void ost_lvb_encode(struct ost_lvb *to, const struct md_attr *attr)
{
	codec_put64(&to->ol_size, attr->size);
	codec_put64(&to->ol_blocks, attr->blocks);
	codec_put64(&to->ol_mtime, (u64)attr->mtime.sec);
	codec_put64(&to->ol_ctime, (u64)attr->ctime.sec);
	codec_put32(&to->ol_mtime_nsec, attr->mtime.nsec);
	codec_put32(&to->ol_ctime_nsec, attr->ctime.nsec);
}
EXPORT_SYMBOL_NS_GPL(ost_lvb_encode, LUSTRE_LITE);

/**
 * ost_lvb_decode() - decode and validate a value (LVB)
 * @from: value
 * @attr: out
 *
 * Context: any
 * Return: false if a time has too many nanoseconds, or the size is too large
 */
bool ost_lvb_decode(const struct ost_lvb *from, struct md_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = codec_get64(&from->ol_size, false);
	attr->blocks = codec_get64(&from->ol_blocks, false);
	attr->mtime.sec = (s64)codec_get64(&from->ol_mtime, false);
	attr->ctime.sec = (s64)codec_get64(&from->ol_ctime, false);
	attr->mtime.nsec = codec_get32(&from->ol_mtime_nsec, false);
	attr->ctime.nsec = codec_get32(&from->ol_ctime_nsec, false);
	return attr->size <= OFFSET_MAX_64 && attr->mtime.nsec <= NSEC_MAX &&
	       attr->ctime.nsec <= NSEC_MAX;
}
EXPORT_SYMBOL_NS_GPL(ost_lvb_decode, LUSTRE_LITE);
