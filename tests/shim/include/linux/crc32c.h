/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_CRC32C_H
#define _SHIM_LINUX_CRC32C_H

#include "../../../crc32c.h"

#endif /* _SHIM_LINUX_CRC32C_H */
