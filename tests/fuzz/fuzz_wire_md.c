// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metadata operations: the first byte chooses what the other bytes are. A message that is a valid
 * operation, or a valid reply, gives the same one when it is made again; entries of a directory
 * and attributes give the same bytes. Nothing outside of the message is read.
 */
#include <lustre_lite/lustre_md.h>

#include "fuzz_wire.h"

enum { FUZZ_OP, FUZZ_REPLY, FUZZ_DIRENT, FUZZ_XATTR, FUZZ_KINDS };

/* A message of these buffers; freed by the caller. */
static void *make(u32 opc, const u32 *lens, unsigned int count, struct wire_msg *msg)
{
	const struct wire_msg head = { .type = PTL_RPC_MSG_REQUEST, .opc = opc };
	size_t size = wire_msg_size(lens, count);
	u8 *bytes = malloc(size ? size : 1);

	FUZZ_CHECK(bytes && size);
	wire_msg_init(bytes, lens, count);
	wire_msg_encode(bytes, &head);
	FUZZ_CHECK(wire_msg_view(bytes, size, msg) == WIRE_OK);
	return bytes;
}

static void check_same(const struct wire_msg *a, const struct wire_msg *b, unsigned int n)
{
	FUZZ_CHECK(a->buflens[n] == b->buflens[n]);
	if (a->buflens[n])
		FUZZ_CHECK(!memcmp(a->bufs[n], b->bufs[n], a->buflens[n]));
}

/* Sizes of files: each that is valid gives the same bytes. */
static void check_dones(const struct md_op_data *op)
{
	const struct lustre_done *from = (const struct lustre_done *)op->value;
	struct lustre_done made;
	struct md_done done;
	size_t n;

	for (n = 0; n < op->value_len / sizeof(*from); n++) {
		if (md_done_decode(&from[n], &done))
			continue;
		md_done_encode(&made, &done);
		FUZZ_CHECK(!memcmp(&made, &from[n], sizeof(made)));
	}
}

static void check_op(const struct wire_msg *msg)
{
	struct md_op_data op, again;
	u32 lens[MDS_REQUEST_BUFS];
	struct wire_msg made;
	unsigned int n;
	void *bytes;

	if (md_op_decode(msg, &op))
		return;
	FUZZ_CHECK(op.objects <= MDS_OBJECTS_MAX && op.nr_groups <= MDS_GROUPS_MAX);
	FUZZ_CHECK(!op.name || (!op.name[op.name_len] && strlen(op.name) == op.name_len));
	if (op.opc == MDS_DONE_WRITING)
		check_dones(&op);
	md_op_lens(&op, lens);
	bytes = make(op.opc, lens, MDS_REQUEST_BUFS, &made);
	/* A replay may have what a request must not. */
	made.flags = msg->flags;
	md_op_encode(bytes, &op);
	FUZZ_CHECK(!md_op_decode(&made, &again));
	/* A longer record is one of a later version. */
	FUZZ_CHECK(!memcmp(made.bufs[MDS_REC], msg->bufs[MDS_REC], made.buflens[MDS_REC]));
	for (n = MDS_OBJECTS; n <= MDS_GROUPS; n++)
		check_same(&made, msg, n);
	free(bytes);
}

static void check_reply(const struct wire_msg *msg)
{
	void *bufs[MDS_REPLY_BUFS];
	struct md_reply rep, again;
	u32 lens[MDS_REPLY_BUFS];
	struct wire_msg made;
	unsigned int n;
	void *bytes;

	if (md_reply_decode(msg, &rep))
		return;
	FUZZ_CHECK(rep.acl_len <= MDS_XATTR_MAX && rep.result_len <= MDS_XATTR_MAX);
	md_reply_lens(&rep, lens);
	bytes = make(msg->opc, lens, MDS_REPLY_BUFS, &made);
	for (n = 0; n < MDS_REPLY_BUFS; n++)
		bufs[n] = lens[n] ? wire_msg_buf(bytes, n) : NULL;
	md_reply_encode(bufs, &rep);
	FUZZ_CHECK(!md_reply_decode(&made, &again));
	FUZZ_CHECK(!memcmp(made.bufs[MDS_BODY], msg->bufs[MDS_BODY], made.buflens[MDS_BODY]));
	check_same(&made, msg, MDS_ACL);
	check_same(&made, msg, MDS_RESULT);
	check_same(&made, msg, MDS_LAYOUT);
	free(bytes);
}

static void check_dirents(const u8 *data, size_t size)
{
	struct md_dirent ent;
	size_t at = 0;
	u8 *made;

	while (!md_dirent_decode(data + at, size - at, &ent)) {
		FUZZ_CHECK(ent.len % 8 == 0 && ent.len <= size - at);
		FUZZ_CHECK(ent.len == md_dirent_size(&ent));
		made = malloc(ent.len);
		FUZZ_CHECK(made);
		md_dirent_encode(made, &ent);
		FUZZ_CHECK(!memcmp(made, data + at, ent.len));
		free(made);
		at += ent.len;
		if (!ent.name_len)
			break;
	}
}

static void check_xattrs(const u8 *data, size_t size)
{
	struct md_xattr xa;
	size_t at = 0;
	u8 *made;

	while (!md_xattr_decode(data + at, size - at, &xa)) {
		FUZZ_CHECK(xa.len % 8 == 0 && xa.len <= size - at);
		FUZZ_CHECK(xa.len == md_xattr_size(&xa));
		made = malloc(xa.len);
		FUZZ_CHECK(made);
		md_xattr_encode(made, &xa);
		FUZZ_CHECK(!memcmp(made, data + at, xa.len));
		free(made);
		at += xa.len;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct wire_msg msg;
	u8 *bytes;

	if (!size)
		return 0;
	bytes = fuzz_exactly(data + 1, size - 1);
	if (data[0] % FUZZ_KINDS == FUZZ_DIRENT)
		check_dirents(bytes, size - 1);
	else if (data[0] % FUZZ_KINDS == FUZZ_XATTR)
		check_xattrs(bytes, size - 1);
	else if (wire_msg_view(bytes, size - 1, &msg) != WIRE_OK)
		;
	else if (data[0] % FUZZ_KINDS == FUZZ_OP)
		check_op(&msg);
	else
		check_reply(&msg);
	free(bytes);
	return 0;
}
