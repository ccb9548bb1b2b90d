/* SPDX-License-Identifier: GPL-2.0-only */
/* The reason of a refusal, as text. */
#ifndef _LUSTRE_LITE_OBD_WHY_H
#define _LUSTRE_LITE_OBD_WHY_H

#include <linux/compiler.h>
#include <uapi/lustre_lite/obd_ioctl.h>

/**
 * struct obd_why - reason of a refusal, as text
 * @text: names the object and the valid values; without a newline. Empty if the
 *  errno says it all
 */
struct obd_why {
	char text[OBD_WHY_MAX];
};

__printf(3, 4)
int obd_refuse(struct obd_why *why, int rc, const char *fmt, ...);

#endif /* _LUSTRE_LITE_OBD_WHY_H */
