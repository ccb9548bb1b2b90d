// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on objects of data: the first byte chooses between a request, a reply and a value of a
 * lock. A message that is a valid one gives the same when it is made again. Nothing outside of the
 * message is read.
 */
#include <lustre_lite/lustre_ost.h>

#include "fuzz_wire.h"

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

static void check_op(const struct wire_msg *msg)
{
	struct ost_op op, again;
	u32 lens[OST_REQUEST_BUFS];
	struct wire_msg made;
	void *bytes;

	if (ost_op_decode(msg, &op))
		return;
	FUZZ_CHECK(op.nr_objects <= OST_OBJECTS_MAX);
	ost_op_lens(&op, lens);
	bytes = make(op.opc, lens, OST_REQUEST_BUFS, &made);
	ost_op_encode(bytes, &op);
	FUZZ_CHECK(!ost_op_decode(&made, &again));
	/* A longer record is one of a later version. */
	FUZZ_CHECK(!memcmp(made.bufs[OST_REC], msg->bufs[OST_REC], made.buflens[OST_REC]));
	FUZZ_CHECK(made.buflens[OST_OBJECTS] == msg->buflens[OST_OBJECTS]);
	FUZZ_CHECK(!op.nr_objects || !memcmp(made.bufs[OST_OBJECTS], msg->bufs[OST_OBJECTS],
					     made.buflens[OST_OBJECTS]));
	FUZZ_CHECK(op.nr_niobufs <= OST_NIOBUFS_MAX);
	FUZZ_CHECK(made.buflens[OST_NIOBUFS] == msg->buflens[OST_NIOBUFS]);
	FUZZ_CHECK(!op.nr_niobufs || !memcmp(made.bufs[OST_NIOBUFS], msg->bufs[OST_NIOBUFS],
					     made.buflens[OST_NIOBUFS]));
	FUZZ_CHECK(!op.lock == !msg->buflens[OST_LOCK]);
	FUZZ_CHECK(!op.lock || !memcmp(made.bufs[OST_LOCK], msg->bufs[OST_LOCK], sizeof(*op.lock)));
	free(bytes);
}

static void check_reply(const struct wire_msg *msg)
{
	const u32 lens[] = { sizeof(struct ost_body) };
	struct ost_reply rep, again;
	struct wire_msg made;
	void *bytes;

	if (ost_reply_decode(msg, &rep))
		return;
	bytes = make(msg->opc, lens, ARRAY_SIZE(lens), &made);
	ost_reply_encode(wire_msg_buf(bytes, OST_BODY), &rep);
	FUZZ_CHECK(!ost_reply_decode(&made, &again));
	FUZZ_CHECK(!memcmp(made.bufs[OST_BODY], msg->bufs[OST_BODY], made.buflens[OST_BODY]));
	free(bytes);
}

static void check_value(const u8 *bytes, size_t size)
{
	struct ost_lvb lvb;
	struct md_attr attr;

	if (size != sizeof(lvb) || !ost_lvb_decode((const struct ost_lvb *)bytes, &attr))
		return;
	ost_lvb_encode(&lvb, &attr);
	FUZZ_CHECK(!memcmp(&lvb, bytes, sizeof(lvb)));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct wire_msg msg;
	u8 *bytes;

	if (!size)
		return 0;
	bytes = fuzz_exactly(data + 1, size - 1);
	if (data[0] == 2)
		check_value(bytes, size - 1);
	else if (wire_msg_view(bytes, size - 1, &msg) != WIRE_OK)
		;
	else if (data[0] & 1)
		check_reply(&msg);
	else
		check_op(&msg);
	free(bytes);
	return 0;
}
