// SPDX-License-Identifier: GPL-2.0-only
/*
 * A message, of as many bytes as there are. The buffers of one that is taken fill it
 * and are within it, texts end where their buffers do, connect data comes back as
 * it was, and the message made again from its parts is the same bytes.
 */
#include "fuzz_wire.h"

static void check_text(const struct wire_msg *msg, unsigned int n)
{
	const char *text = wire_text(msg, n);

	if (text)
		FUZZ_CHECK(strlen(text) + 1 == msg->buflens[n]);
}

static void check_buffers(const struct wire_msg *msg, const u8 *bytes,
			  size_t size)
{
	const u8 *at = bytes + WIRE_MSG_SIZE;
	unsigned int n;

	FUZZ_CHECK(msg->bufcount <= WIRE_MSG_BUFS_MAX);
	for (n = 0; n < WIRE_MSG_BUFS_MAX; n++) {
		if (n >= msg->bufcount) {
			FUZZ_CHECK(!msg->bufs[n] && !msg->buflens[n]);
			FUZZ_CHECK(!wire_buf(msg, n, 0) && !wire_text(msg, n));
			continue;
		}
		FUZZ_CHECK(msg->bufs[n] == at);
		FUZZ_CHECK(wire_buf(msg, n, msg->buflens[n]) == at);
		FUZZ_CHECK(!wire_buf(msg, n, (size_t)msg->buflens[n] + 1));
		check_text(msg, n);
		at += codec_round8(msg->buflens[n]);
	}
	FUZZ_CHECK(at == bytes + size);
}

static void check_made(const struct wire_msg *msg, const u8 *bytes, size_t size)
{
	u8 *made = malloc(size);
	unsigned int n;

	FUZZ_CHECK(made);
	FUZZ_CHECK(wire_msg_size(msg->buflens, msg->bufcount) == size);
	wire_msg_init(made, msg->buflens, msg->bufcount);
	wire_msg_encode(made, msg);
	for (n = 0; n < msg->bufcount; n++)
		memcpy(wire_msg_buf(made, n), msg->bufs[n], msg->buflens[n]);
	FUZZ_CHECK(!memcmp(made, bytes, size));
	free(made);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u8 *bytes = fuzz_exactly(data, size);
	enum wire_fault fault;
	struct wire_msg msg;

	fault = wire_msg_view(bytes, size, &msg);
	fuzz_fault(fault);
	if (fault == WIRE_OK) {
		FUZZ_CHECK(msg.portal < WIRE_PORTAL_MAX);
		FUZZ_CHECK(msg.status <= 0 && msg.status >= -4095);
		FUZZ_CHECK(strlen(msg.jobid) <= WIRE_MSG_JOBID_LEN);
		check_buffers(&msg, bytes, size);
		check_made(&msg, bytes, size);
	}
	free(bytes);
	return 0;
}
