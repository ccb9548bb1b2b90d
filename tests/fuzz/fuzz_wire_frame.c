// SPDX-License-Identifier: GPL-2.0-only
/*
 * Heads of successive frames. The CRC that the head has is taken for
 * the right one, or nothing else would be looked at. What is taken is within the
 * bounds of its type, and made again it is the same bytes.
 */
#include "fuzz_wire.h"

static void check_bounds(const struct wire_frame *frame)
{
	if (frame->type == LNET_FRAME_HELLO) {
		FUZZ_CHECK(!frame->bulk_len);
		FUZZ_CHECK(frame->msg_len >= sizeof(struct lnet_hello));
		FUZZ_CHECK(frame->msg_len <= WIRE_HELLO_MAX);
		return;
	}
	FUZZ_CHECK(frame->type == LNET_FRAME_MSG);
	FUZZ_CHECK(frame->msg_len >= WIRE_MSG_SIZE);
	FUZZ_CHECK(frame->msg_len <= WIRE_MSG_MAX && frame->msg_len % 8 == 0);
	FUZZ_CHECK(frame->bulk_len <= WIRE_BULK_MAX);
}

static void one_head(const u8 *data)
{
	u32 crc = codec_get32(data + WIRE_FRAME_CRC_LEN, false);
	struct lnet_frame again, *head;
	struct wire_frame frame;
	enum wire_fault fault;

	head = (struct lnet_frame *)fuzz_exactly(data, sizeof(*head));
	FUZZ_CHECK(wire_frame_decode(head, crc ^ 1, &frame) != WIRE_OK);
	fault = wire_frame_decode(head, crc, &frame);
	fuzz_fault(fault);
	if (fault == WIRE_OK) {
		check_bounds(&frame);
		wire_frame_encode(&again, &frame);
		wire_frame_seal(&again, crc);
		FUZZ_CHECK(!memcmp(&again, head, sizeof(again)));
	}
	free(head);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	for (; size >= WIRE_FRAME_SIZE; size -= WIRE_FRAME_SIZE) {
		one_head(data);
		data += WIRE_FRAME_SIZE;
	}
	return 0;
}
