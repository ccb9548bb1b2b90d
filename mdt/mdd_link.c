// SPDX-License-Identifier: GPL-2.0-only
/*
 * trusted.link, the list of names of an object: what a create, link, unlink or rename makes of it.
 *
 * osd writes the new list in the step that changes the name. A list that is missing or malformed,
 * as trees that were copied in have it, gets the names that come. Readers compare each entry with
 * the directory, so an entry too few or too many does no harm.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/ktime.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/lustre_ea.h>

#include "mdd_link.h"

static u32 now(void)
{
	return max_t(u32, ktime_get_real_seconds(), 1);
}

static struct linkea_entry entry_of(const struct osd_object *dir, const struct qstr *name)
{
	return (struct linkea_entry){
		.parent = dir->oo_fid,
		.name = name->name,
		.name_len = name->len,
	};
}

int mdd_links_new(struct mdd_links *links)
{
	memset(links, 0, sizeof(*links));
	links->mdl_bytes = libcfs_zalloc(MDD_LINKS_SIZE, GFP_KERNEL_ACCOUNT);
	if (!links->mdl_bytes)
		return -ENOMEM;
	linkea_init(links->mdl_bytes, &links->mdl_list);
	return 0;
}

int mdd_links_read(struct mdd_links *links, const struct osd_object *obj)
{
	int rc = mdd_links_new(links);
	ssize_t len;

	if (rc)
		return rc;
	len = osd_ea_get(obj, XATTR_NAME_LINK, links->mdl_bytes, MDD_LINKS_SIZE);
	links->mdl_unread = len < 0 && len != -ENODATA;
	if (len < 0 || linkea_decode(links->mdl_bytes, len, &links->mdl_list))
		linkea_init(links->mdl_bytes, &links->mdl_list);
	return 0;
}

void mdd_links_free(struct mdd_links *links)
{
	libcfs_free(links->mdl_bytes, MDD_LINKS_SIZE);
	links->mdl_bytes = NULL;
}

void mdd_links_add(struct mdd_links *links, const struct osd_object *dir, const struct qstr *name)
{
	const struct linkea_entry entry = entry_of(dir, name);

	linkea_add(links->mdl_bytes, MDD_LINKS_MAX, &links->mdl_list, &entry, now());
}

void mdd_links_del(struct mdd_links *links, const struct osd_object *dir, const struct qstr *name)
{
	const struct linkea_entry entry = entry_of(dir, name);

	linkea_del(links->mdl_bytes, &links->mdl_list, &entry);
}

bool mdd_links_in(const struct osd_object *obj, const struct lu_fid *dir)
{
	struct linkea_entry entry;
	struct mdd_links links;
	bool in = false;
	size_t at = 0;

	if (mdd_links_read(&links, obj))
		return false;
	while (!in && linkea_next(&links.mdl_list, &at, &entry))
		in = lu_fid_eq(&entry.parent, dir);
	mdd_links_free(&links);
	return in;
}

const struct osd_xattrs *mdd_links_xattrs(struct mdd_links *links)
{
	links->mdl_xattr = (struct osd_xattr){
		.ox_name = XATTR_NAME_LINK,
		.ox_value = links->mdl_bytes,
		.ox_len = links->mdl_list.len,
	};
	links->mdl_xattrs = (struct osd_xattrs){
		.oxs_list = &links->mdl_xattr,
		.oxs_nr = links->mdl_list.count && !links->mdl_unread,
	};
	return &links->mdl_xattrs;
}
