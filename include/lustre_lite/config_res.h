/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of the resources whose locks are subscriptions: the holder of a CR lock
 * is notified when the resource's object changes.
 */
#ifndef _LUSTRE_LITE_CONFIG_RES_H
#define _LUSTRE_LITE_CONFIG_RES_H

#include <linux/string.h>

#include <lustre_lite/lustre_dlm.h>
#include <uapi/lustre_lite/disk.h>

/*
 * Resource of a file system and type. @name is the file system or
 * PARAMS_FILENAME. -EINVAL unless it has 1 to LUSTRE_MAXFSNAME bytes.
 */
static inline int config_res_id(const char *name, u32 type,
				struct ldlm_res_id *res)
{
	size_t len = strnlen(name, LUSTRE_MAXFSNAME + 1), n;

	if (!len || len > LUSTRE_MAXFSNAME)
		return -EINVAL;
	memset(res, 0, sizeof(*res));
	for (n = 0; n < len; n++)
		res->name[0] |= (u64)(u8)name[n] << (8 * n);
	res->name[1] = type;
	return 0;
}

#endif /* _LUSTRE_LITE_CONFIG_RES_H */
