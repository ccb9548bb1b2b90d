// SPDX-License-Identifier: GPL-2.0-only
/* Operations on objects of data on the wire: each there and back, what each refuses; replies. */
#include "shim_cmocka.h"

#include <stdio.h>
#include <stdlib.h>

#include <lustre_lite/lustre_ost.h>

#define OBJECT { 0x100010000, 0x4a2, 0 }

static const struct lu_fid object = OBJECT;

static const struct lustre_filter_fid parent = {
	.size = FILTER_FID_SIZE,
	.stripe = {
		.parent = { 0x200000400, 7, 0 },
		.index = 3,
		.size = 1 << 20,
		.count = 4,
		.comp_id = 1,
		.comp_start = 1 << 30,
		.comp_end = 0xffffffffffffffff,
	},
	.layout_version = 5,
	.range = 6,
};

static const struct lustre_lock wanted = { .wl_client = 0x1234, .wl_type = 11, .wl_req_mode = 4 };

static const struct ost_op kinds[] = {
	{ .opc = OST_GETATTR, .object = OBJECT },
	{ .opc = OST_SETATTR, .object = OBJECT,
	  .attr = { .valid = MDS_ATTR_ATIME | MDS_ATTR_CTIME, .atime = { -1, 999999999 } } },
	{ .opc = OST_READ, .object = OBJECT, .offset = 0x7fffffffffffffff - WIRE_BULK_MAX,
	  .len = WIRE_BULK_MAX },
	{ .opc = OST_WRITE, .object = OBJECT, .parent = { .size = FILTER_FID_SIZE }, .flags = OBD_BRW_ASYNC,
	  .offset = 1, .len = 1,
	  .attr = { .valid = MDS_ATTR_MTIME | MDS_ATTR_CTIME, .mtime = { 5, 6 } } },
	{ .opc = OST_WRITE, .object = OBJECT, .len = WIRE_BULK_MAX,
	  .claim = { .dirty = 1, .undirty = 0x7fffffffffffffff, .used = 3 } },
	{ .opc = OST_WRITE, .object = OBJECT, .offset = 5, .len = 3, .nr_niobufs = 2 },
	{ .opc = OST_PUNCH, .object = OBJECT, .parent = { .size = FILTER_FID_SIZE }, .offset = 0x7fffffffffffffff,
	  .attr = { .valid = MDS_ATTR_MTIME, .mtime = { 0x7fffffffffffffff, 1 } } },
	{ .opc = OST_FALLOCATE, .object = OBJECT, .parent = { .size = FILTER_FID_SIZE }, .offset = 1,
	  .len = 0x7ffffffffffffffe, .attr = { .valid = MDS_ATTR_CTIME } },
	{ .opc = OST_FALLOCATE, .object = OBJECT, .len = 1,
	  .flags = OST_FALLOC_PUNCH_HOLE | OST_FALLOC_KEEP_SIZE },
	{ .opc = OST_FALLOCATE, .object = OBJECT, .len = 1,
	  .flags = OST_FALLOC_ZERO_RANGE | OST_FALLOC_KEEP_SIZE, .claim = { .used = 4 } },
	{ .opc = OST_GRANT },
	{ .opc = OST_GRANT,
	  .claim = { .dirty = 1, .undirty = 2, .spent = 3, .export = 0xfedcba9876543210 } },
	{ .opc = OST_SEEK, .object = OBJECT, .offset = 0x7fffffffffffffff },
	{ .opc = OST_SEEK, .object = OBJECT, .flags = OST_SEEK_HOLE },
	{ .opc = OST_READ, .object = OBJECT, .len = 1, .lock = &wanted },
	{ .opc = OST_SYNC },
	{ .opc = OST_SYNC, .object = OBJECT },
	{ .opc = OST_CREATE, .len = OST_CREATE_MAX },
	{ .opc = OST_DESTROY, .nr_objects = 2 },
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

static struct made make_op(const struct ost_op *op)
{
	u32 lens[OST_REQUEST_BUFS];
	struct made made;

	ost_op_lens(op, lens);
	made = make(op->opc, lens, ARRAY_SIZE(lens));
	ost_op_encode(made.bytes, op);
	return made;
}

static const struct niobuf_remote two_ranges[] = {
	{ .rnb_offset = 5, .rnb_len = 1 },
	{ .rnb_offset = 0x7ffffffffffffffd, .rnb_len = 2 },
};

/* Row @n, with objects, ranges and a file where it has some. */
static struct ost_op operation(size_t n)
{
	static struct lustre_fid objects[OST_OBJECTS_MAX + 1];
	struct ost_op op = kinds[n];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(objects); i++)
		fid_le_put(&objects[i], &object);
	if (op.nr_objects)
		op.objects = objects;
	if (op.nr_niobufs)
		op.niobufs = two_ranges;
	if (op.parent.size)
		op.parent = parent;
	return op;
}

static void assert_op_equal(const struct ost_op *a, const struct ost_op *b)
{
	assert_int_equal(!a->lock, !b->lock);
	if (a->lock)
		assert_memory_equal(a->lock, b->lock, sizeof(*a->lock));
	assert_int_equal(a->opc, b->opc);
	assert_true(lu_fid_eq(&a->object, &b->object));
	assert_int_equal(a->parent.size, b->parent.size);
	assert_true(lu_fid_eq(&a->parent.stripe.parent, &b->parent.stripe.parent));
	assert_int_equal(a->parent.stripe.index, b->parent.stripe.index);
	assert_int_equal(a->parent.stripe.size, b->parent.stripe.size);
	assert_int_equal(a->parent.stripe.count, b->parent.stripe.count);
	assert_int_equal(a->parent.stripe.comp_id, b->parent.stripe.comp_id);
	assert_int_equal(a->parent.stripe.comp_start, b->parent.stripe.comp_start);
	assert_int_equal(a->parent.stripe.comp_end, b->parent.stripe.comp_end);
	assert_int_equal(a->parent.layout_version, b->parent.layout_version);
	assert_int_equal(a->parent.range, b->parent.range);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->offset, b->offset);
	assert_int_equal(a->len, b->len);
	assert_int_equal(a->attr.valid, b->attr.valid);
	assert_int_equal(a->attr.atime.sec, b->attr.atime.sec);
	assert_int_equal(a->attr.atime.nsec, b->attr.atime.nsec);
	assert_int_equal(a->attr.mtime.sec, b->attr.mtime.sec);
	assert_int_equal(a->attr.mtime.nsec, b->attr.mtime.nsec);
	assert_int_equal(a->claim.dirty, b->claim.dirty);
	assert_int_equal(a->claim.undirty, b->claim.undirty);
	assert_int_equal(a->claim.used, b->claim.used);
	assert_int_equal(a->claim.spent, b->claim.spent);
	assert_int_equal(a->claim.export, b->claim.export);
	assert_int_equal(a->nr_objects, b->nr_objects);
	assert_int_equal(!!a->objects, !!b->objects);
	if (a->objects)
		assert_memory_equal(a->objects, b->objects,
				    a->nr_objects * sizeof(*a->objects));
	assert_int_equal(a->nr_niobufs, b->nr_niobufs);
	assert_int_equal(!!a->niobufs, !!b->niobufs);
	if (a->niobufs)
		assert_memory_equal(a->niobufs, b->niobufs,
				    a->nr_niobufs * sizeof(*a->niobufs));
}

static void each_operation_comes_back(void **state)
{
	struct ost_op op, back;
	const char *fault;
	struct made made;
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(kinds); n++) {
		op = operation(n);
		made = make_op(&op);
		fault = ost_op_decode(&made.msg, &back);
		if (fault)
			fail_msg("row %zu: %s", n, fault);
		assert_op_equal(&back, &op);
		free(made.bytes);
	}
}

static void refused(const struct ost_op *op, const char *word)
{
	struct made made = make_op(op);
	struct ost_op back;
	const char *fault = ost_op_decode(&made.msg, &back);

	if (!fault || !strstr(fault, word))
		fail_msg("operation %u: '%s' instead of '%s'", op->opc,
			 fault ? fault : "accepted", word);
	free(made.bytes);
}

static bool has_length(u32 opc)
{
	return opc == OST_READ || opc == OST_WRITE || opc == OST_CREATE || opc == OST_FALLOCATE;
}

static bool has_parent(u32 opc)
{
	return opc == OST_WRITE || opc == OST_PUNCH || opc == OST_FALLOCATE;
}

static bool has_offset(u32 opc)
{
	return has_parent(opc) || opc == OST_READ || opc == OST_SEEK ||
	       opc == OST_CREATE;
}

/* A length, which is required or not permitted. */
static void lengths_are_checked(size_t n)
{
	struct ost_op op = operation(n);

	if (!has_length(op.opc)) {
		op.len = 5;
		refused(&op, "a length that");
		return;
	}
	op.len = 0;
	refused(&op, "out of range");
	op.len = op.opc == OST_FALLOCATE ? 1ULL << 63 : WIRE_BULK_MAX + 1;
	refused(&op, "out of range");
}

/* Every operation refuses what only others have. */
static void each_operation_has_its_own_parts(void **state)
{
	struct ost_op op;
	size_t n;
	u32 opc;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(kinds); n++) {
		opc = kinds[n].opc;
		op = operation(n);
		op.flags |= 8;
		refused(&op, "flags");
		op = operation(n);
		op.attr.valid |= MDS_ATTR_MODE;
		refused(&op, "does not set");
		op.attr.valid = 1ULL << 62;
		refused(&op, "unknown attributes");
		op = operation(n);
		op.opc = OST_STATFS;
		refused(&op, "unknown operation");
		op = operation(n);
		if (opc != OST_DESTROY) {
			op.objects = operation(ARRAY_SIZE(kinds) - 1).objects;
			op.nr_objects = 1;
			refused(&op, "objects that");
		}
		op = operation(n);
		op.niobufs = two_ranges;
		op.nr_niobufs = 2;
		if (opc != OST_WRITE)
			refused(&op, "ranges that");
		op = operation(n);
		op.parent = parent;
		if (!has_parent(opc))
			refused(&op, "a file that");
		op = operation(n);
		op.offset = 5;
		if (!has_offset(opc))
			refused(&op, "an offset that");
		lengths_are_checked(n);
	}
}

/* Only what takes space uses grant, and only OST_GRANT says what was spent. */
static void grant_is_of_some_operations(void **state)
{
	struct ost_op op;
	size_t n;
	u32 opc;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(kinds); n++) {
		opc = kinds[n].opc;
		op = operation(n);
		op.claim.undirty = 1ULL << 63;
		refused(&op, opc == OST_WRITE || opc == OST_FALLOCATE || opc == OST_GRANT ?
			     "too large" : "grant that");
		op = operation(n);
		op.claim.used = 1ULL << 63;
		refused(&op, opc == OST_WRITE || opc == OST_FALLOCATE ? "too large" : "used grant");
		op = operation(n);
		op.claim.spent = 1ULL << 63;
		refused(&op, opc == OST_GRANT ? "too large" : "spent grant");
		op = operation(n);
		op.claim.export = 1;
		if (opc != OST_GRANT)
			refused(&op, "spent grant");
	}
	op = (struct ost_op){ .opc = OST_GRANT, .claim.dirty = 1ULL << 63 };
	refused(&op, "too large");
}

/* As fallocate() accepts them. */
static void a_hole_keeps_the_size(void **state)
{
	static const u32 bad[] = {
		OST_FALLOC_PUNCH_HOLE,
		OST_FALLOC_PUNCH_HOLE | OST_FALLOC_ZERO_RANGE,
		OST_FALLOC_PUNCH_HOLE | OST_FALLOC_ZERO_RANGE | OST_FALLOC_KEEP_SIZE,
	};
	static const u32 good[] = { OST_FALLOC_ZERO_RANGE, OST_FALLOC_KEEP_SIZE };
	struct ost_op op = { .opc = OST_FALLOCATE, .object = OBJECT, .len = 1 }, back;
	struct made made;
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(bad); n++) {
		op.flags = bad[n];
		refused(&op, "exclude");
	}
	for (n = 0; n < ARRAY_SIZE(good); n++) {
		op.flags = good[n];
		made = make_op(&op);
		assert_null(ost_op_decode(&made.msg, &back));
		assert_int_equal(back.flags, good[n]);
		free(made.bytes);
	}
	op.flags = 0;
	op.offset = 0x7fffffffffffffff;
	refused(&op, "out of range");
}

static void objects_are_idifs(void **state)
{
	static const struct lu_fid bad[] = {
		{ 0, 5, 0 }, { 0x100010000, 0, 0 }, { 0x100010000, 5, 1 }, { 0x200000400, 5, 0 },
		{ 0, 0, 1 },
	};
	struct lustre_fid one;
	struct ost_op op;
	size_t n, i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		for (n = 0; n < ARRAY_SIZE(kinds); n++) {
			op = operation(n);
			op.object = bad[i];
			refused(&op, op.opc == OST_CREATE || op.opc == OST_DESTROY ||
				     op.opc == OST_GRANT ? "an object that" : "FID");
		}
		op = operation(ARRAY_SIZE(kinds) - 1);
		fid_le_put(&one, &bad[i]);
		op.objects = &one;
		op.nr_objects = 1;
		refused(&op, "FID");
	}
	op = operation(0);
	memset(&op.object, 0, sizeof(op.object));
	refused(&op, "FID");
	op = operation(3);
	op.parent.stripe.parent.f_seq = 0;
	refused(&op, "FID");
}

static void ranges_and_counts_have_limits(void **state)
{
	struct ost_op op = operation(2);

	(void)state;
	op.offset++;
	refused(&op, "out of range");
	op.offset = 1ULL << 63;
	refused(&op, "too large");
	op = operation(ARRAY_SIZE(kinds) - 1);
	op.nr_objects = 0;
	refused(&op, "number of objects");
	op.nr_objects = OST_OBJECTS_MAX + 1;
	refused(&op, "number of objects");
}

/* Two or more, in order, which are all bytes. */
static void ranges_of_a_write_are_checked(void **state)
{
	static const struct {
		struct niobuf_remote	range[3];
		u32			nr;
		const char		*word;
	} bad[] = {
		{ { { 5, 3, 0 } }, 1, "number of ranges" },
		{ { { 4, 1, 0 }, { 6, 2, 0 } }, 2, "order" },
		{ { { 5, 2, 0 }, { 6, 1, 0 } }, 2, "order" },
		{ { { 5, 1, 0 }, { 6, 1, 0 } }, 2, "another length" },
		{ { { 5, 1, 0 }, { 6, 3, 0 } }, 2, "out of range" },
		{ { { 5, 3, 0 }, { 8, 0, 0 } }, 2, "out of range" },
		{ { { 5, 1, 0 }, { 0x7ffffffffffffffe, 2, 0 } }, 2, "out of range" },
		{ { { 5, 1, 0 }, { 1ULL << 63, 2, 0 } }, 2, "out of range" },
		{ { { 5, 1, 0 }, { 6, 2, 1 } }, 2, "flags" },
	};
	struct niobuf_remote many[OST_NIOBUFS_MAX + 1] = { };
	struct ost_op op = { .opc = OST_WRITE, .object = OBJECT, .offset = 5, .len = 3 };
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(bad); n++) {
		op.niobufs = bad[n].range;
		op.nr_niobufs = bad[n].nr;
		refused(&op, bad[n].word);
	}
	op.niobufs = many;
	op.nr_niobufs = ARRAY_SIZE(many);
	refused(&op, "number of ranges");
}

static void only_a_read_asks_for_a_lock(void **state)
{
	const struct ost_op read = { .opc = OST_READ, .object = OBJECT, .len = 1, .lock = &wanted };
	const struct ost_op stat = { .opc = OST_GETATTR, .object = OBJECT, .lock = &wanted };
	struct made made = make_op(&read), cut;
	u32 lens[OST_REQUEST_BUFS];
	struct ost_op back;

	(void)state;
	refused(&stat, "does not ask for");
	ost_op_lens(&read, lens);
	while (--lens[OST_LOCK]) {
		cut = make(OST_READ, lens, ARRAY_SIZE(lens));
		memcpy(wire_msg_buf(cut.bytes, OST_REC), wire_msg_buf(made.bytes, OST_REC),
		       lens[OST_REC]);
		assert_string_equal(ost_op_decode(&cut.msg, &back), "a lock that is too short");
		free(cut.bytes);
	}
	free(made.bytes);
}

static void a_truncated_operation_is_refused(void **state)
{
	struct ost_op op = operation(ARRAY_SIZE(kinds) - 1), back;
	u32 lens[OST_REQUEST_BUFS], full;
	struct made made, cut;
	unsigned int n, len;

	(void)state;
	for (n = 0; n < OST_REQUEST_BUFS; n++) {
		made = make_op(&op);
		ost_op_lens(&op, lens);
		full = lens[n];
		for (len = 0; len < full; len++) {
			if (n == OST_OBJECTS && len && !(len % FID_SIZE))
				continue;
			lens[n] = len;
			cut = make(op.opc, lens, ARRAY_SIZE(lens));
			memcpy(wire_msg_buf(cut.bytes, n), wire_msg_buf(made.bytes, n), len);
			if (n != OST_REC)
				memcpy(wire_msg_buf(cut.bytes, OST_REC),
				       wire_msg_buf(made.bytes, OST_REC), lens[OST_REC]);
			assert_non_null(ost_op_decode(&cut.msg, &back));
			free(cut.bytes);
		}
		free(made.bytes);
	}
}

static void a_reply_comes_back(void **state)
{
	const struct ost_reply rep = {
		.attr = {
			.size = 0x7fffffffffffffff,
			.blocks = 8,
			.atime = { -1, 1 },
			.mtime = { 2, 999999999 },
			.ctime = { 3, 0 },
		},
		.first = 0xffffffffffff,
		.count = 10000,
	};
	const u32 lens[] = { sizeof(struct ost_body) };
	struct made made = make(OST_GETATTR, lens, 1);
	struct ost_reply back;

	(void)state;
	ost_reply_encode(wire_msg_buf(made.bytes, OST_BODY), &rep);
	assert_null(ost_reply_decode(&made.msg, &back));
	assert_int_equal(back.first, rep.first);
	assert_int_equal(back.count, rep.count);
	assert_int_equal(back.attr.size, rep.attr.size);
	assert_int_equal(back.attr.blocks, rep.attr.blocks);
	assert_int_equal(back.attr.atime.sec, rep.attr.atime.sec);
	assert_int_equal(back.attr.atime.nsec, rep.attr.atime.nsec);
	assert_int_equal(back.attr.mtime.sec, rep.attr.mtime.sec);
	assert_int_equal(back.attr.mtime.nsec, rep.attr.mtime.nsec);
	assert_int_equal(back.attr.ctime.sec, rep.attr.ctime.sec);
	free(made.bytes);
}

static void a_malformed_reply_is_refused(void **state)
{
	struct ost_reply rep = { .attr = { .size = 1ULL << 63 } }, back;
	u32 lens[] = { sizeof(struct ost_body) };
	struct made made = make(OST_GETATTR, lens, 1);

	(void)state;
	ost_reply_encode(wire_msg_buf(made.bytes, OST_BODY), &rep);
	assert_string_equal(ost_reply_decode(&made.msg, &back), "a size is too large");
	rep.attr.size = 0;
	rep.attr.ctime.nsec = 1000000000;
	ost_reply_encode(wire_msg_buf(made.bytes, OST_BODY), &rep);
	assert_non_null(ost_reply_decode(&made.msg, &back));
	free(made.bytes);
	lens[0]--;
	made = make(OST_GETATTR, lens, 1);
	assert_string_equal(ost_reply_decode(&made.msg, &back), "the reply is too short");
	free(made.bytes);
}

static const struct md_attr value = {
	.size = 0x7fffffffffffffff,
	.blocks = 0xfedcba9876543210,
	.mtime = { -2, 999999999 },
	.ctime = { 0x0102030405060708, 0x0a0b0c },
};

static void a_value_comes_back(void **state)
{
	static const u8 bytes[] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,
		0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe,
		0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01,
		0xff, 0xc9, 0x9a, 0x3b, 0x0c, 0x0b, 0x0a, 0x00,
	};
	struct ost_lvb lvb;
	struct md_attr back;

	(void)state;
	assert_int_equal(sizeof(bytes), sizeof(lvb));
	ost_lvb_encode(&lvb, &value);
	assert_memory_equal(&lvb, bytes, sizeof(bytes));
	assert_true(ost_lvb_decode(&lvb, &back));
	assert_int_equal(back.size, value.size);
	assert_int_equal(back.blocks, value.blocks);
	assert_int_equal(back.mtime.sec, value.mtime.sec);
	assert_int_equal(back.mtime.nsec, value.mtime.nsec);
	assert_int_equal(back.ctime.sec, value.ctime.sec);
	assert_int_equal(back.ctime.nsec, value.ctime.nsec);
	assert_int_equal(back.valid, 0);
	assert_int_equal(back.atime.sec, 0);
}

static void a_malformed_value_is_refused(void **state)
{
	struct md_attr attr = value;
	struct ost_lvb lvb;

	(void)state;
	attr.size++;
	ost_lvb_encode(&lvb, &attr);
	assert_false(ost_lvb_decode(&lvb, &attr));
	attr = value;
	attr.mtime.nsec++;
	ost_lvb_encode(&lvb, &attr);
	assert_false(ost_lvb_decode(&lvb, &attr));
	attr = value;
	attr.ctime.nsec = 0xffffffff;
	ost_lvb_encode(&lvb, &attr);
	assert_false(ost_lvb_decode(&lvb, &attr));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_operation_comes_back),
		cmocka_unit_test(each_operation_has_its_own_parts),
		cmocka_unit_test(grant_is_of_some_operations),
		cmocka_unit_test(a_hole_keeps_the_size),
		cmocka_unit_test(objects_are_idifs),
		cmocka_unit_test(ranges_and_counts_have_limits),
		cmocka_unit_test(ranges_of_a_write_are_checked),
		cmocka_unit_test(only_a_read_asks_for_a_lock),
		cmocka_unit_test(a_truncated_operation_is_refused),
		cmocka_unit_test(a_reply_comes_back),
		cmocka_unit_test(a_malformed_reply_is_refused),
		cmocka_unit_test(a_value_comes_back),
		cmocka_unit_test(a_malformed_value_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
