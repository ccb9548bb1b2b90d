/* SPDX-License-Identifier: GPL-2.0-only */
/* CMocka together with the stand-in headers: some names are defined by both. */
#ifndef _SHIM_CMOCKA_H
#define _SHIM_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif /* _SHIM_CMOCKA_H */
