// SPDX-License-Identifier: GPL-2.0-only
/* trusted.lma: the FID of an object. */
#define DEBUG_SUBSYSTEM S_OSD

#include <linux/xattr.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "osd_internal.h"

/* Flags of objects that are served; the layout and the parent are not a matter of this module. */
#define LMAI_SERVED	(LMAI_RELEASED | LMAI_REMOTE_PARENT | LMAI_STRIPED | LMAI_ORPHAN)

/* Return: 0; -ENODATA: there is none; as osd_lookup() */
int osd_lma_read(struct dentry *dentry, struct lu_fid *fid)
{
	u8 value[sizeof(struct lustre_ost_attrs)];
	ssize_t len = __vfs_getxattr(dentry, d_inode(dentry), XATTR_NAME_LMA, value, sizeof(value));
	struct lustre_lma lma;
	const char *fault;

	if (len < 0 && len != -ERANGE)
		return len;
	fault = lustre_lma_decode(value, len < 0 ? 0 : len, &lma);
	if (fault) {
		CERROR("'%pd' on %s: " XATTR_NAME_LMA ": %s; remove the attribute if the object is to get a new FID\n",
		       dentry, d_inode(dentry)->i_sb->s_id, fault);
		return -EUCLEAN;
	}
	*fid = lma.self;
	if (lma.incompat & LMAI_AGENT)
		return -EREMOTE;
	if (!(lma.incompat & ~LMAI_SERVED))
		return 0;
	CWARN("'%pd' on %s: " XATTR_NAME_LMA ": flags %#x are not served%s: rc = %d\n", dentry,
	      d_inode(dentry)->i_sb->s_id, lma.incompat & ~LMAI_SERVED,
	      lma.incompat & LMAI_ENCRYPT ? " (it is encrypted by a client)" : "", -EOPNOTSUPP);
	return -EOPNOTSUPP;
}

int __osd_lma_write(struct dentry *dentry, const struct lu_fid *fid, u32 compat)
{
	const struct lustre_lma lma = { .compat = compat, .self = *fid };
	u8 value[LUSTRE_LMA_SIZE];

	lustre_lma_encode(value, &lma);
	osd_step(dentry);
	return __vfs_setxattr(compat_nop_idmap, dentry, d_inode(dentry), XATTR_NAME_LMA, value,
			      sizeof(value), 0);
}
