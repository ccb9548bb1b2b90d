/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of names of an object: mdd_link.c. */
#ifndef _MDD_LINK_H
#define _MDD_LINK_H

#include <lustre_lite/lustre_linkea.h>

#include "mdt_internal.h"

#define MDD_LINKS_SIZE	MAX_LINKEA_SIZE
/* Bytes that names are added up to: ext4 has one block for most attributes of an inode. */
#define MDD_LINKS_MAX	3072

/**
 * struct mdd_links - the list of names of an object, while it changes
 * @mdl_bytes: its value, MDD_LINKS_SIZE
 * @mdl_list: decoded
 * @mdl_unread: the present list cannot be read, and is not replaced
 * @mdl_xattr: for osd
 * @mdl_xattrs: likewise
 */
struct mdd_links {
	u8			*mdl_bytes;
	struct linkea		mdl_list;
	bool			mdl_unread;
	struct osd_xattr	mdl_xattr;
	struct osd_xattrs	mdl_xattrs;
};

/* An empty list. Return: 0, and mdd_links_free() must follow; -ENOMEM */
int mdd_links_new(struct mdd_links *links);
/* The list of an object, whose mo_lock the caller holds. Likewise */
int mdd_links_read(struct mdd_links *links, const struct osd_object *obj);
void mdd_links_free(struct mdd_links *links);
/* Add a name to the list; remove it from the list. */
void mdd_links_add(struct mdd_links *links, const struct osd_object *dir, const struct qstr *name);
void mdd_links_del(struct mdd_links *links, const struct osd_object *dir, const struct qstr *name);
/* Whether an object has a name in a directory, as its list says. */
bool mdd_links_in(const struct osd_object *obj, const struct lu_fid *dir);
/* The attributes to set with the change of the name; valid as long as @links */
const struct osd_xattrs *mdd_links_xattrs(struct mdd_links *links);

#endif /* _MDD_LINK_H */
