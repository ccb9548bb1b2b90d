// SPDX-License-Identifier: GPL-2.0-only
/* The reason of a refusal. It needs no kernel: the logs of the service use it in tests. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/stdarg.h>

#include <lustre_lite/obd_why.h>

/**
 * obd_refuse() - set the reason of a refusal
 * @why: out, may be NULL
 * @rc: a negative errno
 * @fmt: reason; no newline
 *
 * Context: any
 * Return: @rc
 */
int obd_refuse(struct obd_why *why, int rc, const char *fmt, ...)
{
	va_list args;

	if (why) {
		va_start(args, fmt);
		vscnprintf(why->text, sizeof(why->text), fmt, args);
		va_end(args);
	}
	return rc;
}
EXPORT_SYMBOL_NS_GPL(obd_refuse, LUSTRE_LITE);
