/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file system that a device belongs to, derived from its name. The service
 * that stores a setting and the node that applies it use the same rule.
 * Compiles in user space.
 */
#ifndef _LUSTRE_LITE_CONFIG_OWNER_H
#define _LUSTRE_LITE_CONFIG_OWNER_H

#include <linux/kernel.h>
#include <linux/string.h>

/*
 * Prefix of a server's lock namespace, before the device's name:
 * ldlm_namespace.c
 */
#define CONFIG_NAMESPACE_OST	"filter-"
#define CONFIG_NAMESPACE_MDT	"mdt-"

/* The device of a lock namespace: its name without the prefix of a server. */
static inline const char *config_namespace_device(const char *name)
{
	static const char *const prefixes[] = {
		CONFIG_NAMESPACE_OST, CONFIG_NAMESPACE_MDT,
	};
	size_t n, len;

	for (n = 0; n < ARRAY_SIZE(prefixes); n++) {
		len = strlen(prefixes[n]);
		if (!strncmp(name, prefixes[n], len))
			return name + len;
	}
	return name;
}

/*
 * @best is the longest file system name so far that @name begins with, followed
 * by '-': of "a" and "a-b" the second one owns "a-b-OST0000".
 */
static inline void config_owner_try(const char *name, const char *fsname,
				    char *best, size_t size)
{
	size_t len = strlen(fsname);

	if (len > strlen(best) && !strncmp(name, fsname, len) &&
	    name[len] == '-')
		strscpy(best, fsname, size);
}

#endif /* _LUSTRE_LITE_CONFIG_OWNER_H */
