/* SPDX-License-Identifier: GPL-2.0-only */
/* Fault points of obdclass for fail_loc; numbers of real Lustre. */
#ifndef _LUSTRE_LITE_OBD_FAIL_H
#define _LUSTRE_LITE_OBD_FAIL_H

#include <lustre_lite/fail.h>

#define OBD_FAIL_OBDCLASS_MODULE_LOAD	0x60a	/* a type's module does not load */
#define OBD_FAIL_OBD_SETUP		0x60d	/* setup fails after the type's part */
#define OBD_FAIL_OBD_CLEANUP		0x60e	/* cleanup pauses, 1 s, when closed */

#endif /* _LUSTRE_LITE_OBD_FAIL_H */
