/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file system that a device belongs to, by its name; the same for the service that
 * stores a setting and for the node that applies it. Compiles in user space.
 */
#ifndef _LUSTRE_LITE_CONFIG_OWNER_H
#define _LUSTRE_LITE_CONFIG_OWNER_H

#include <linux/kernel.h>
#include <linux/string.h>

/* Before the device's name in that of a server's lock namespace: ldlm_namespace.c */
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
 * @best is the longest name of a file system so far that @name begins with, and '-':
 * of "a" and "a-b" the second one has "a-b-OST0000".
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
