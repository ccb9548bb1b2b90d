// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metadata operations on the wire: each operation there and back, what each refuses, replies and
 * entries of directories; the vectors of messages.
 */
#include "shim_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <lustre_lite/lustre_md.h>

#include "wire_checks.h"

static const struct md_object objects[MDS_OBJECTS_MAX] = {
	{ .fid = { 0x200000007, 1, 0 }, .hint = { { 1, 2, 3 } } },
	{ .fid = { 0x200000400, 0x20000, 0 }, .hint = { { [31] = 0xff } } },
	{ .fid = { 0x1f5, 0x3b9aca01, 0 } },
	{ .fid = { 0x240000400, 7, 0 } },
};

static const struct md_attr attrs = {
	.valid = MDS_ATTR_MODE | MDS_ATTR_KILL_SGID,
	.size = 0x1122334455667788,
	.blocks = 9,
	.atime = { -1, 999999999 },
	.mtime = { 0x7fffffffffffffff, 1 },
	.ctime = { 3, 3 },
	.btime = { 0, 4 },
	.mode = S_IFREG | 0640,
	.uid = 1000,
	.gid = 0xfffffffe,
	.nlink = 2,
	.rdev = 0x12345678,
};

/* The operation in full, with what its kind has. */
static struct md_op_data operation(u32 opc, u32 reint, u32 count, const char *name,
				   const char *value)
{
	static const __le32 groups[] = { 0x01020304, 5, 6 };
	struct md_op_data op = {
		.opc = opc,
		.reint = reint,
		.flags = 0x80000001,
		.uid = 1,
		.gid = 2,
		.caps = 0x8000000000000001,
		.umask = 022,
		.size = 4096,
		.handle = 0xfeedfacecafebeef,
		.cookie = 0x7fffffffffffffff,
		.attr = attrs,
		.objects = count,
		.name = name,
		.name_len = name ? (u32)strlen(name) : 0,
		.value = value,
		.value_len = value ? (u32)strlen(value) : 0,
		.groups = groups,
		.nr_groups = ARRAY_SIZE(groups),
	};

	if (reint == REINT_CREATE && value)
		op.attr.mode = S_IFLNK | 0777;
	memcpy(op.object, objects, count * sizeof(objects[0]));
	return op;
}

static const struct {
	u32		opc;
	u32		reint;
	u32		objects;
	const char	*name;
	const char	*value;
} kinds[] = {
	{ MDS_GETATTR, 0, 1, NULL, NULL },
	{ MDS_GETATTR_NAME, 0, 1, "name", NULL },
	{ MDS_GETATTR_NAME, 0, 1, "..", NULL },
	{ MDS_READPAGE, 0, 1, NULL, NULL },
	{ MDS_READPAGE, 0, 1, NULL, "cookies1cookies2" },
	{ MDS_GETXATTR, 0, 1, "user.a/b", NULL },
	{ MDS_GETXATTR, 0, 1, NULL, NULL },
	{ MDS_CLOSE, 0, 1, NULL, NULL },
	{ MDS_CLOSE, 0, 1, NULL, "handle-1flags---" },
	{ MDS_DONE_WRITING, 0, 1, NULL, NULL },
	{ MDS_DONE_WRITING, 0, 1, NULL, "56 bytes: handle, size, blocks, two times, flags, a zero" },
	{ MDS_SYNC, 0, 1, NULL, NULL },
	{ MDS_FID2PATH, 0, 1, NULL, NULL },
	{ MDS_SWAP_LAYOUTS, 0, 2, NULL, NULL },
	{ MDS_REINT, REINT_SETATTR, 1, NULL, NULL },
	{ MDS_REINT, REINT_CREATE, 2, "file", NULL },
	{ MDS_REINT, REINT_CREATE, 2, "link", "../a target" },
	{ MDS_REINT, REINT_LINK, 2, "...", NULL },
	{ MDS_REINT, REINT_UNLINK, 2, ".hidden", NULL },
	{ MDS_REINT, REINT_RENAME, 4, "old", "new" },
	{ MDS_REINT, REINT_OPEN, 2, "12345678", NULL },
	{ MDS_REINT, REINT_OPEN, 2, NULL, NULL },
	{ MDS_REINT, REINT_SETXATTR, 1, "user.x", "value" },
	{ MDS_REINT, REINT_SETXATTR, 1, "user.x", NULL },
	{ MDS_REINT, REINT_LAYOUT, 1, NULL, NULL },
};

/* A message in memory of exactly its size, so that an access after the end is detected. */
struct made {
	void		*bytes;
	struct wire_msg	msg;
};

static struct made make(u32 opc, const u32 *lens, unsigned int count)
{
	const struct wire_msg head = { .type = PTL_RPC_MSG_REQUEST, .opc = opc };
	size_t size = wire_msg_size(lens, count);
	struct made made;

	assert_true(size);
	made.bytes = malloc(size);
	assert_non_null(made.bytes);
	wire_msg_init(made.bytes, lens, count);
	wire_msg_encode(made.bytes, &head);
	assert_int_equal(wire_msg_view(made.bytes, size, &made.msg), WIRE_OK);
	return made;
}

static struct made make_op(const struct md_op_data *op)
{
	u32 lens[MDS_REQUEST_BUFS];
	struct made made;

	md_op_lens(op, lens);
	made = make(op->opc, lens, ARRAY_SIZE(lens));
	md_op_encode(made.bytes, op);
	return made;
}

static void assert_attr_equal(const struct md_attr *a, const struct md_attr *b)
{
	assert_int_equal(a->valid, b->valid);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->blocks, b->blocks);
	assert_int_equal(a->atime.sec, b->atime.sec);
	assert_int_equal(a->atime.nsec, b->atime.nsec);
	assert_int_equal(a->mtime.sec, b->mtime.sec);
	assert_int_equal(a->mtime.nsec, b->mtime.nsec);
	assert_int_equal(a->ctime.sec, b->ctime.sec);
	assert_int_equal(a->ctime.nsec, b->ctime.nsec);
	assert_int_equal(a->btime.sec, b->btime.sec);
	assert_int_equal(a->btime.nsec, b->btime.nsec);
	assert_int_equal(a->mode, b->mode);
	assert_int_equal(a->uid, b->uid);
	assert_int_equal(a->gid, b->gid);
	assert_int_equal(a->nlink, b->nlink);
	assert_int_equal(a->rdev, b->rdev);
}

static void assert_object_equal(const struct md_object *a, const struct md_object *b)
{
	assert_true(lu_fid_eq(&a->fid, &b->fid));
	assert_memory_equal(&a->hint, &b->hint, sizeof(a->hint));
}

static void assert_bytes_equal(const void *a, u32 a_len, const void *b, u32 b_len)
{
	assert_int_equal(a_len, b_len);
	assert_int_equal(!!a, !!b);
	if (a)
		assert_memory_equal(a, b, a_len);
}

static void assert_op_equal(const struct md_op_data *a, const struct md_op_data *b)
{
	u32 n;

	assert_int_equal(a->opc, b->opc);
	assert_int_equal(a->reint, b->reint);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->uid, b->uid);
	assert_int_equal(a->gid, b->gid);
	assert_int_equal(a->caps, b->caps);
	assert_int_equal(a->umask, b->umask);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->handle, b->handle);
	assert_int_equal(a->cookie, b->cookie);
	assert_attr_equal(&a->attr, &b->attr);
	assert_int_equal(a->objects, b->objects);
	for (n = 0; n < a->objects; n++)
		assert_object_equal(&a->object[n], &b->object[n]);
	assert_bytes_equal(a->name, a->name_len, b->name, b->name_len);
	assert_bytes_equal(a->value, a->value_len, b->value, b->value_len);
	assert_bytes_equal(a->groups, a->nr_groups * 4, b->groups, b->nr_groups * 4);
}

static void each_operation_comes_back(void **state)
{
	struct md_op_data op, back;
	const char *fault;
	struct made made;
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(kinds); n++) {
		op = operation(kinds[n].opc, kinds[n].reint, kinds[n].objects, kinds[n].name,
			       kinds[n].value);
		made = make_op(&op);
		fault = md_op_decode(&made.msg, &back);
		if (fault)
			fail_msg("row %zu: %s", n, fault);
		assert_op_equal(&back, &op);
		/* Names and targets can be used as strings. */
		if (op.name)
			assert_string_equal(back.name, op.name);
		if (op.reint == REINT_CREATE && op.value)
			assert_string_equal(back.value, op.value);
		free(made.bytes);
	}
}

static void refused(const struct md_op_data *op, const char *word)
{
	struct made made = make_op(op);
	struct md_op_data back;
	const char *fault = md_op_decode(&made.msg, &back);

	if (!fault || !strstr(fault, word))
		fail_msg("operation %u/%u: '%s' instead of '%s'", op->opc, op->reint,
			 fault ? fault : "accepted", word);
	free(made.bytes);
}

/* Every operation refuses what only others have. */
static void each_operation_has_its_own_parts(void **state)
{
	struct md_op_data op;
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(kinds); n++) {
		op = operation(kinds[n].opc, kinds[n].reint, kinds[n].objects, kinds[n].name,
			       kinds[n].value);
		op.objects++;
		if (op.objects <= MDS_OBJECTS_MAX) {
			op.object[op.objects - 1] = objects[0];
			refused(&op, "number of objects");
		}
		op.objects = 0;
		refused(&op, "number of objects");
		op = operation(kinds[n].opc, kinds[n].reint, kinds[n].objects, kinds[n].name,
			       kinds[n].value);
		op.attr.ctime.nsec = 1000000000;
		refused(&op, "nanoseconds");
		op.attr = attrs;
		op.attr.valid = 1ULL << 62;
		refused(&op, "unknown attributes");
		op.attr = attrs;
		if (op.reint != REINT_CREATE)
			op.nr_groups = 0;
		op.reint ^= 0x40;
		refused(&op, "unknown operation");
	}
}

static void names_are_those_of_objects(void **state)
{
	static const char * const bad[] = { "", ".", "a/b", "/" };
	char longest[258] = "";
	struct md_op_data op;
	struct made made;
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(bad); n++) {
		op = operation(MDS_REINT, REINT_CREATE, 2, bad[n], NULL);
		refused(&op, *bad[n] ? "no object can have" : "empty");
		op = operation(MDS_REINT, REINT_RENAME, 4, "old", bad[n]);
		refused(&op, *bad[n] ? "no object can have" : "empty");
		op = operation(MDS_GETATTR_NAME, 0, 1, bad[n], NULL);
		refused(&op, *bad[n] ? "no object can have" : "empty");
	}
	op = operation(MDS_REINT, REINT_LINK, 2, "..", NULL);
	refused(&op, "no object can have");
	memset(longest, 'x', 256);
	op = operation(MDS_REINT, REINT_CREATE, 2, longest, NULL);
	refused(&op, "no object can have");
	op = operation(MDS_REINT, REINT_SETXATTR, 1, longest, NULL);
	refused(&op, "too long");
	longest[255] = '\0';
	op = operation(MDS_REINT, REINT_CREATE, 2, longest, NULL);
	made = make_op(&op);
	assert_null(md_op_decode(&made.msg, &op));
	free(made.bytes);
	/* A NUL inside. */
	op = operation(MDS_REINT, REINT_CREATE, 2, "abc", NULL);
	made = make_op(&op);
	((char *)wire_msg_buf(made.bytes, MDS_NAME))[1] = '\0';
	assert_non_null(md_op_decode(&made.msg, &op));
	free(made.bytes);
}

static void a_name_belongs_to_its_operation(void **state)
{
	struct md_op_data op;

	(void)state;
	op = operation(MDS_GETATTR, 0, 1, "name", NULL);
	refused(&op, "does not have");
	op = operation(MDS_GETATTR_NAME, 0, 1, NULL, NULL);
	refused(&op, "no name");
	op = operation(MDS_REINT, REINT_SETXATTR, 1, NULL, "value");
	refused(&op, "no name");
	op = operation(MDS_REINT, REINT_UNLINK, 2, "name", "value");
	refused(&op, "does not have");
	op = operation(MDS_REINT, REINT_RENAME, 4, "name", NULL);
	refused(&op, "NUL");
}

/* The layout of the reply that the client got the first time. */
static void a_replay_has_the_layout(void **state)
{
	static const u32 reints[] = { REINT_OPEN, REINT_SETATTR, REINT_LAYOUT };
	struct wire_msg head = { .type = PTL_RPC_MSG_REQUEST, .opc = MDS_REINT };
	struct md_op_data op, back;
	struct made made;
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(reints); n++) {
		op = operation(MDS_REINT, reints[n], reints[n] == REINT_OPEN ? 2 : 1, NULL,
			       "layout");
		refused(&op, "does not have");
		made = make_op(&op);
		head.flags = MSG_REPLAY;
		wire_msg_encode(made.bytes, &head);
		made.msg.flags = MSG_REPLAY;
		assert_null(md_op_decode(&made.msg, &back));
		assert_op_equal(&back, &op);
		free(made.bytes);
	}
}

static void values_have_limits(void **state)
{
	char *text = calloc(1, MDS_XATTR_MAX + 2);
	struct md_op_data op;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', MDS_XATTR_MAX + 1);
	op = operation(MDS_REINT, REINT_SETXATTR, 1, "user.x", text);
	refused(&op, "too long");
	text[4096] = '\0';
	op = operation(MDS_REINT, REINT_CREATE, 2, "link", text);
	refused(&op, "too long");
	op.attr.mode = S_IFREG;
	refused(&op, "without a symbolic link");
	op = operation(MDS_REINT, REINT_CREATE, 2, "link", NULL);
	op.attr.mode = S_IFLNK;
	refused(&op, "NUL");
	op = operation(MDS_REINT, REINT_CREATE, 2, "link", "");
	refused(&op, "empty");
	free(text);
}

static void groups_have_a_limit(void **state)
{
	struct md_op_data op = operation(MDS_GETATTR, 0, 1, NULL, NULL);
	u32 lens[MDS_REQUEST_BUFS];
	struct made made;
	__le32 *groups = calloc(MDS_GROUPS_MAX + 1, sizeof(*groups));

	(void)state;
	assert_non_null(groups);
	op.groups = groups;
	op.nr_groups = MDS_GROUPS_MAX + 1;
	refused(&op, "too many groups");
	op.nr_groups = 0;
	md_op_lens(&op, lens);
	lens[MDS_GROUPS] = 6;
	made = make(op.opc, lens, ARRAY_SIZE(lens));
	md_op_encode(made.bytes, &op);
	assert_string_equal(md_op_decode(&made.msg, &op), "half a group");
	free(made.bytes);
	free(groups);
}

static void objects_have_fids(void **state)
{
	struct md_op_data op = operation(MDS_REINT, REINT_RENAME, 4, "old", "new");
	struct md_op_data back;
	struct made made;

	(void)state;
	/* Nothing is replaced. */
	memset(&op.object[3], 0, sizeof(op.object[3]));
	made = make_op(&op);
	assert_null(md_op_decode(&made.msg, &back));
	assert_true(fid_is_zero(&back.object[3].fid));
	free(made.bytes);
	op.object[3].fid.f_ver = 1;
	refused(&op, "FID");
	memset(&op.object[2], 0, sizeof(op.object[2]));
	op.object[3] = objects[3];
	refused(&op, "FID");
	op.object[2] = objects[2];
	op.object[1].fid.f_ver = 1;
	refused(&op, "FID");
	/* An open may do without a new object, unless it creates. */
	op = operation(MDS_REINT, REINT_OPEN, 2, "name", NULL);
	memset(&op.object[1], 0, sizeof(op.object[1]));
	made = make_op(&op);
	assert_null(md_op_decode(&made.msg, &back));
	free(made.bytes);
	op.flags |= MDS_OPEN_CREAT;
	refused(&op, "FID");
}

/* Each buffer with each length that is too short. */
static void a_truncated_operation_is_refused(void **state)
{
	const struct md_op_data op = operation(MDS_REINT, REINT_RENAME, 4, "old", "new");
	u32 lens[MDS_REQUEST_BUFS], full;
	struct md_op_data back;
	struct made made, cut;
	unsigned int n, len;

	(void)state;
	for (n = 0; n < MDS_GROUPS; n++) {
		md_op_lens(&op, lens);
		made = make_op(&op);
		full = lens[n];
		for (len = 0; len < full; len++) {
			lens[n] = len;
			cut = make(op.opc, lens, ARRAY_SIZE(lens));
			memcpy(wire_msg_buf(cut.bytes, n), wire_msg_buf(made.bytes, n), len);
			assert_non_null(md_op_decode(&cut.msg, &back));
			free(cut.bytes);
		}
		free(made.bytes);
	}
	made = make(MDS_GETATTR, lens, 0);
	assert_string_equal(md_op_decode(&made.msg, &back), "the request is too short");
	free(made.bytes);
}

static struct made make_reply(const struct md_reply *rep)
{
	u32 lens[MDS_REPLY_BUFS];
	void *bufs[MDS_REPLY_BUFS];
	struct made made;
	unsigned int n;

	md_reply_lens(rep, lens);
	made = make(MDS_GETATTR, lens, ARRAY_SIZE(lens));
	for (n = 0; n < MDS_REPLY_BUFS; n++)
		bufs[n] = lens[n] ? wire_msg_buf(made.bytes, n) : NULL;
	md_reply_encode(bufs, rep);
	return made;
}

static void a_reply_comes_back(void **state)
{
	struct md_reply rep = {
		.object = objects[1],
		.attr = attrs,
		.handle = 0x8070605040302010,
		.flags = MDS_BODY_CREATED | MDS_BODY_OPENED,
		.length = 7,
		.has_parent = true,
		.parent = attrs,
		.acl = "acl",
		.acl_len = 3,
		.result = "result",
		.result_len = 6,
		.layout = "layout",
		.layout_len = 6,
	};
	struct md_reply back;
	struct made made;

	(void)state;
	rep.parent.size = 5;
	made = make_reply(&rep);
	assert_null(md_reply_decode(&made.msg, &back));
	assert_object_equal(&back.object, &rep.object);
	assert_attr_equal(&back.attr, &rep.attr);
	assert_int_equal(back.handle, rep.handle);
	assert_int_equal(back.flags, rep.flags);
	assert_int_equal(back.length, rep.length);
	assert_true(back.has_parent);
	assert_attr_equal(&back.parent, &rep.parent);
	assert_bytes_equal(back.acl, back.acl_len, rep.acl, rep.acl_len);
	assert_bytes_equal(back.result, back.result_len, rep.result, rep.result_len);
	assert_bytes_equal(back.layout, back.layout_len, rep.layout, rep.layout_len);
	assert_null(back.req);
	free(made.bytes);
	/* The least that there is. */
	memset(&rep, 0, sizeof(rep));
	made = make_reply(&rep);
	assert_null(md_reply_decode(&made.msg, &back));
	assert_false(back.has_parent);
	assert_null(back.acl);
	assert_null(back.result);
	free(made.bytes);
}

static void a_malformed_reply_is_refused(void **state)
{
	struct md_reply rep = { .object = objects[0], .has_parent = true }, back;
	u32 lens[MDS_REPLY_BUFS];
	struct made made;

	(void)state;
	md_reply_lens(&rep, lens);
	lens[MDS_BODY]--;
	made = make(MDS_GETATTR, lens, ARRAY_SIZE(lens));
	assert_string_equal(md_reply_decode(&made.msg, &back), "the reply is too short");
	free(made.bytes);
	lens[MDS_BODY]++;
	lens[MDS_PARENT]--;
	made = make(MDS_GETATTR, lens, ARRAY_SIZE(lens));
	assert_non_null(md_reply_decode(&made.msg, &back));
	free(made.bytes);
	lens[MDS_PARENT]++;
	lens[MDS_RESULT] = MDS_XATTR_MAX + 1;
	made = make(MDS_GETATTR, lens, ARRAY_SIZE(lens));
	assert_string_equal(md_reply_decode(&made.msg, &back), "a value is too long");
	free(made.bytes);
	rep.parent.atime.nsec = 1000000000;
	made = make_reply(&rep);
	assert_non_null(md_reply_decode(&made.msg, &back));
	free(made.bytes);
	rep.parent.atime.nsec = 0;
	rep.object.fid.f_seq = 0;
	made = make_reply(&rep);
	assert_non_null(md_reply_decode(&made.msg, &back));
	free(made.bytes);
}

static void assert_entry_equal(const struct md_dirent *a, const struct md_dirent *b)
{
	assert_object_equal(&a->object, &b->object);
	assert_attr_equal(&a->attr, &b->attr);
	assert_int_equal(a->next, b->next);
	assert_int_equal(a->type, b->type);
	assert_bytes_equal(a->name, a->name_len, b->name, b->name_len);
	assert_bytes_equal(a->result, a->result_len, b->result, b->result_len);
	assert_bytes_equal(a->layout, a->layout_len, b->layout, b->layout_len);
	assert_bytes_equal(a->acl, a->acl_len, b->acl, b->acl_len);
	assert_int_equal(a->lock, b->lock);
	assert_int_equal(a->bits, b->bits);
	assert_int_equal(a->flags, b->flags);
}

static void entry_comes_back(const struct md_dirent *ent)
{
	size_t len = md_dirent_size(ent);
	char *bytes = malloc(len);
	struct md_dirent back;

	assert_int_equal(len % 8, 0);
	assert_non_null(bytes);
	memset(bytes, 0x5a, len);
	md_dirent_encode(bytes, ent);
	assert_null(md_dirent_decode(bytes, len, &back));
	assert_entry_equal(&back, ent);
	assert_int_equal(back.len, len);
	while (len--)
		assert_non_null(md_dirent_decode(bytes, len, &back));
	free(bytes);
}

static void entries_of_a_directory_come_back(void **state)
{
	static const char * const names[] = { "a", "12345678", "a name of 22 characters", "" };
	struct md_dirent ent = { .object = objects[1], .attr = attrs, .type = 8 };
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(names); n++) {
		ent.name = names[n];
		ent.name_len = (u32)strlen(names[n]);
		ent.next = ~n;
		entry_comes_back(&ent);
	}
	ent.lock = 5;
	ent.bits = 3;
	entry_comes_back(&ent);
	ent.flags = MDS_DIRENT_WHOLE;
	ent.result = "target";
	ent.result_len = 6;
	entry_comes_back(&ent);
	ent.layout = "a layout of 22 bytes..";
	ent.layout_len = 22;
	ent.acl = "12345678";
	ent.acl_len = 8;
	entry_comes_back(&ent);
}

static void a_malformed_entry_is_refused(void **state)
{
	static const struct {
		size_t	offset;
		u8	value;
	} damages[] = {
		{ offsetof(struct lustre_dirent, de_len), 0 },
		{ offsetof(struct lustre_dirent, de_len), 185 },
		{ offsetof(struct lustre_dirent, de_len), 192 },
		{ offsetof(struct lustre_dirent, de_name_len), 9 },
		{ offsetof(struct lustre_dirent, de_name_len), 255 },
		{ offsetof(struct lustre_dirent, de_result_len), 1 },
		{ offsetof(struct lustre_dirent, de_layout_len) + 1, 1 },
		{ offsetof(struct lustre_dirent, de_acl_len), 9 },
		{ offsetof(struct lustre_dirent, de_flags), MDS_DIRENT_WHOLE },
		{ offsetof(struct lustre_dirent, de_flags), 2 },
		{ offsetof(struct lustre_dirent, de_lock), 1 },
		{ offsetof(struct lustre_dirent, de_bits), 1 },
		{ offsetof(struct lustre_dirent, de_attr) +
		  offsetof(struct lustre_attr, wa_flags), 1 },
		{ offsetof(struct lustre_dirent, de_object) + 8, 1 },
		{ sizeof(struct lustre_dirent), '/' },
		{ sizeof(struct lustre_dirent) + 2, '\0' },
		{ sizeof(struct lustre_dirent) + 7, 1 },
	};
	struct md_dirent ent = { .name = "abc", .name_len = 3 }, back;
	u8 bytes[256];
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(damages); n++) {
		memset(bytes, 0, sizeof(bytes));
		md_dirent_encode(bytes, &ent);
		assert_null(md_dirent_decode(bytes, sizeof(bytes), &back));
		bytes[damages[n].offset] = damages[n].value;
		if (!md_dirent_decode(bytes, sizeof(bytes), &back))
			fail_msg("row %zu is accepted", n);
	}
	ent.name = "..";
	ent.name_len = 2;
	md_dirent_encode(bytes, &ent);
	assert_non_null(md_dirent_decode(bytes, sizeof(bytes), &back));
}

static void xattr_comes_back(const struct md_xattr *xa)
{
	size_t len = md_xattr_size(xa);
	char *bytes = malloc(len);
	struct md_xattr back;

	assert_int_equal(len % 8, 0);
	assert_non_null(bytes);
	memset(bytes, 0x5a, len);
	md_xattr_encode(bytes, xa);
	assert_null(md_xattr_decode(bytes, len, &back));
	assert_bytes_equal(back.name, back.name_len, xa->name, xa->name_len);
	assert_bytes_equal(back.value, back.value_len, xa->value, xa->value_len);
	assert_int_equal(back.flags, xa->flags);
	assert_int_equal(back.len, len);
	while (len--)
		assert_non_null(md_xattr_decode(bytes, len, &back));
	free(bytes);
}

static void attributes_of_an_object_come_back(void **state)
{
	struct md_xattr xa = { .name = "user.a", .name_len = 6 };

	(void)state;
	xattr_comes_back(&xa);
	xa.flags = MDS_XATTR_LEFT;
	xattr_comes_back(&xa);
	xa.flags = MDS_XATTR_DENIED;
	xattr_comes_back(&xa);
	xa.flags = 0;
	xa.value = "a value";
	xa.value_len = 7;
	xattr_comes_back(&xa);
	xa.name = "security.a";
	xa.name_len = 10;
	xattr_comes_back(&xa);
}

static void a_malformed_attribute_is_refused(void **state)
{
	static const struct {
		size_t	offset;
		u8	value;
	} damages[] = {
		{ offsetof(struct lustre_xattr, lx_value_len) + 3, 1 },
		{ offsetof(struct lustre_xattr, lx_name_len), 0 },
		{ offsetof(struct lustre_xattr, lx_name_len) + 1, 2 },
		{ offsetof(struct lustre_xattr, lx_flags), MDS_XATTR_LEFT },
		{ offsetof(struct lustre_xattr, lx_flags), 4 },
		{ sizeof(struct lustre_xattr) + 2, '\0' },
		{ sizeof(struct lustre_xattr) + 7, 1 },
	};
	struct md_xattr xa = { .name = "user.a", .name_len = 6, .value = "ab", .value_len = 2 };
	struct md_xattr back;
	u8 bytes[1024];
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(damages); n++) {
		memset(bytes, 0, sizeof(bytes));
		md_xattr_encode(bytes, &xa);
		assert_null(md_xattr_decode(bytes, sizeof(bytes), &back));
		bytes[damages[n].offset] = damages[n].value;
		if (!md_xattr_decode(bytes, sizeof(bytes), &back))
			fail_msg("row %zu is accepted", n);
	}
}

/* A vector of tests/kunit/wire_vectors_msg.h, decoded. */
static void view(const char *name, u8 *room, struct wire_msg *msg)
{
	size_t len = wire_vector_named(name, room);

	if (!len)
		fail_msg("there is no message %s", name);
	assert_int_equal(wire_msg_view(room, len, msg), WIRE_OK);
}

static void vectors_are_operations(void **state)
{
	u8 room[WIRE_VECTOR_ROOM];
	struct md_op_data op;
	struct md_reply rep;
	struct wire_msg msg;

	(void)state;
	view("MDS_REINT request, a symbolic link", room, &msg);
	assert_null(md_op_decode(&msg, &op));
	assert_int_equal(op.reint, REINT_CREATE);
	assert_int_equal(op.objects, 2);
	assert_int_equal(op.object[1].fid.f_oid, 5);
	assert_int_equal(op.object[0].hint.wh_bytes[0], 1);
	assert_string_equal(op.name, "link");
	assert_string_equal(op.value, "to");
	assert_int_equal(op.attr.mode, 0120777);
	assert_int_equal(op.nr_groups, 1);
	view("MDS_REINT reply, a symbolic link", room, &msg);
	assert_null(md_reply_decode(&msg, &rep));
	assert_int_equal(rep.object.fid.f_oid, 5);
	assert_int_equal(rep.attr.size, 2);
	assert_int_equal(rep.flags, MDS_BODY_CREATED);
	assert_true(rep.has_parent);
	assert_int_equal(rep.parent.nlink, 3);
	assert_null(rep.result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_operation_comes_back),
		cmocka_unit_test(each_operation_has_its_own_parts),
		cmocka_unit_test(names_are_those_of_objects),
		cmocka_unit_test(a_name_belongs_to_its_operation),
		cmocka_unit_test(a_replay_has_the_layout),
		cmocka_unit_test(values_have_limits),
		cmocka_unit_test(groups_have_a_limit),
		cmocka_unit_test(objects_have_fids),
		cmocka_unit_test(a_truncated_operation_is_refused),
		cmocka_unit_test(a_reply_comes_back),
		cmocka_unit_test(a_malformed_reply_is_refused),
		cmocka_unit_test(entries_of_a_directory_come_back),
		cmocka_unit_test(a_malformed_entry_is_refused),
		cmocka_unit_test(attributes_of_an_object_come_back),
		cmocka_unit_test(a_malformed_attribute_is_refused),
		cmocka_unit_test(vectors_are_operations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
