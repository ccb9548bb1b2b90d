// SPDX-License-Identifier: GPL-2.0-only
/*
 * A HELLO, of as many bytes as there are. What is taken has NIDs that are some, and
 * made again it is the same bytes.
 */
#include "fuzz_wire.h"

static void check_nid(const struct wire_nid *nid)
{
	struct lustre_nid bytes;
	struct wire_nid again;

	FUZZ_CHECK(nid->len == 4 || nid->len == 16);
	wire_nid_encode(&bytes, nid);
	FUZZ_CHECK(wire_nid_decode(&bytes, &again) == WIRE_OK);
	FUZZ_CHECK(!memcmp(nid, &again, sizeof(again)));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u8 *bytes = fuzz_exactly(data, size);
	struct lnet_hello again;
	struct wire_hello hello;
	enum wire_fault fault;

	fault = wire_hello_decode(bytes, size, &hello);
	fuzz_fault(fault);
	if (fault == WIRE_OK) {
		FUZZ_CHECK(size == sizeof(again));
		FUZZ_CHECK(hello.version_min <= hello.version_max);
		FUZZ_CHECK(hello.status <= 4095);
		FUZZ_CHECK(hello.lane < LNET_LANES);
		FUZZ_CHECK(!hello.lane || hello.features & LNET_FEATURE_LANES);
		check_nid(&hello.src);
		check_nid(&hello.dst);
		wire_hello_encode(&again, &hello);
		FUZZ_CHECK(!memcmp(&again, bytes, size));
	}
	free(bytes);
	return 0;
}
