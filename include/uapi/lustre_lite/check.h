/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* LL_UAPI_ASSERT(): assert a size or an offset, in C and C++. */
#ifndef _UAPI_LUSTRE_LITE_CHECK_H
#define _UAPI_LUSTRE_LITE_CHECK_H

#ifdef __cplusplus
#define LL_UAPI_ASSERT(c) static_assert(c, #c)
#else
#define LL_UAPI_ASSERT(c) _Static_assert(c, #c)
#endif

#endif /* _UAPI_LUSTRE_LITE_CHECK_H */
