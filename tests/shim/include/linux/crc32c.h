/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_CRC32C_H
#define _SHIM_LINUX_CRC32C_H

#include <linux/types.h>

/* Bit by bit: it is for small inputs. */
static inline u32 crc32c(u32 crc, const void *bytes, size_t len)
{
	const u8 *p = (const u8 *)bytes;
	int bit;

	while (len--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0x82f63b78U & -(crc & 1));
	}
	return crc;
}

#endif /* _SHIM_LINUX_CRC32C_H */
