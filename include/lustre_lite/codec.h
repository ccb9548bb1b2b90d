/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a codec needs: fixed-width types, byte order, memcpy and errnos. A file
 * that includes nothing else compiles as it is in the kernel and in user space,
 * as C and (headers) as C++.
 */
#ifndef _LUSTRE_LITE_CODEC_H
#define _LUSTRE_LITE_CODEC_H

#ifdef __KERNEL__

#include <asm/byteorder.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>

#else

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;

#endif /* __KERNEL__ */

#endif /* _LUSTRE_LITE_CODEC_H */
