/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_CRYPTO_SHA2_H
#define _SHIM_CRYPTO_SHA2_H

#include <linux/types.h>

#define SHA256_DIGEST_SIZE	32

void sha256(const u8 *data, unsigned int len, u8 *out);

#endif /* _SHIM_CRYPTO_SHA2_H */
