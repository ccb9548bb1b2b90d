/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trusted.link: the names of a file, each with its directory. By it a path is found for a FID.
 *
 *	linkea_decode(value)		checks all of it
 *	linkea_next() until false	every name
 *	linkea_add(), linkea_del()	in the same buffer
 *
 * A name that does not fit is not stored. That is not an error: a time in the header says since
 * when names are missing. Nothing here allocates, locks or logs; the caller keeps others from the
 * buffer.
 */
#ifndef _LUSTRE_LITE_LUSTRE_LINKEA_H
#define _LUSTRE_LITE_LUSTRE_LINKEA_H

#include <lustre_lite/lustre_fid.h>
#include <uapi/lustre_lite/lustre_ea.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the longest name in an entry. */
#define LINKEA_NAME_MAX	255

/**
 * struct linkea - trusted.link
 * @bytes: the value, in the caller's buffer
 * @len: its length, without what follows the last entry
 * @count: entries
 * @overflow_time: seconds since 1970 when a name did not fit for the first time; 0: all are here
 * @swapped: its header is of the other byte order
 */
struct linkea {
	const u8	*bytes;
	size_t		len;
	u32		count;
	u32		overflow_time;
	bool		swapped;
};

/**
 * struct linkea_entry - a name
 * @parent: FID of the directory
 * @name: the name in the caller's buffer, not NUL-terminated
 * @name_len: its length
 */
struct linkea_entry {
	struct lu_fid	parent;
	const char	*name;
	size_t		name_len;
};

const char *linkea_decode(const void *bytes, size_t len, struct linkea *link);
bool linkea_next(const struct linkea *link, size_t *at, struct linkea_entry *entry);
bool linkea_has(const struct linkea *link, const struct linkea_entry *entry);
void linkea_init(void *bytes, struct linkea *link);
int linkea_add(void *bytes, size_t size, struct linkea *link, const struct linkea_entry *entry,
	       u32 now);
int linkea_del(void *bytes, struct linkea *link, const struct linkea_entry *entry);

#ifdef __cplusplus
}
#endif

#endif /* _LUSTRE_LITE_LUSTRE_LINKEA_H */
