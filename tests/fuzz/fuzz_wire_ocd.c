// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connect data, of as many bytes as there are. Decoding, encoding and decoding again gives
 * the same result, with any contents of reserved bytes.
 */
#include "fuzz_wire.h"

#define UP_TO_PADDING	offsetof(struct obd_connect_data, ocd_padding0)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct obd_connect_data ocd, again, zero;
	u8 *bytes = fuzz_exactly(data, size);
	u8 made[WIRE_OCD_SIZE];

	memset(&ocd, 0x5a, sizeof(ocd));
	memset(&zero, 0, sizeof(zero));
	if (wire_ocd_decode(bytes, size, &ocd)) {
		FUZZ_CHECK(size >= WIRE_OCD_SIZE);
		wire_ocd_encode(made, &ocd);
		FUZZ_CHECK(wire_ocd_decode(made, sizeof(made), &again));
		FUZZ_CHECK(!memcmp(&ocd, &again, sizeof(ocd)));
		FUZZ_CHECK(!memcmp(ocd.ocd_paddings, zero.ocd_paddings,
				   sizeof(ocd.ocd_paddings)));
		FUZZ_CHECK(!memcmp(made, bytes, UP_TO_PADDING));
	} else {
		FUZZ_CHECK(size < WIRE_OCD_SIZE);
		FUZZ_CHECK(!memcmp(&ocd, &zero, sizeof(ocd)));
	}
	free(bytes);
	return 0;
}
