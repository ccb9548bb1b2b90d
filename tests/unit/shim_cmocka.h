/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CMocka beside the stand-in headers: both have names that the other takes.
 */
#ifndef _SHIM_CMOCKA_H
#define _SHIM_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif /* _SHIM_CMOCKA_H */
