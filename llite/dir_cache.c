// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of a directory as a listing had them, in parts: one for each reply.
 *
 *	inode --lli_names--> names of the whole directory <-- open directories that read them
 *
 * A listing from begin to end has all names. They are cached if a lock covered UPDATE of the
 * directory all the time, and valid as long as the inode has a cover with that epoch. Nothing is
 * dropped when the lock goes: the next listing finds another epoch, or none, and asks again.
 *
 * An own change of the directory leaves the lock alone, and drops the names before it is sent.
 * Tasks of this client change a directory under its i_rwsem, and read it under that, too.
 *
 * An open directory reads the names that it has begun with to their end, also if others change the
 * directory meanwhile. So positions are not asked for in a directory that is changed while it is
 * read, which some file systems of targets cannot answer.
 *
 * A directory has up to LL_NAMES_MAX bytes of them, accounted to the task that reads them first,
 * and freed with the inode. Larger ones are asked for each time.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/lustre_fid.h>

#include "dir_cache.h"
#include "llite_inode.h"

#define LL_NAMES_MAX	(1U << 20)

/**
 * ll_names_new() - begin a listing
 * @dir: directory; its i_rwsem is held
 * @pos: position of the first name
 * @epoch: of its cover of UPDATE when the first names are asked for; 0: none
 *
 * Context: may sleep
 * Return: for ll_names_put(); NULL: no memory
 */
struct ll_names *ll_names_new(struct inode *dir, loff_t pos, unsigned long epoch)
{
	struct ll_names *names = kzalloc(sizeof(*names), GFP_KERNEL_ACCOUNT);

	if (!names)
		return NULL;
	refcount_set(&names->nms_ref, 1);
	INIT_LIST_HEAD(&names->nms_parts);
	names->nms_epoch = pos == LL_DIR_FIRST ? epoch : 0;
	names->nms_changes = READ_ONCE(ll_i2info(dir)->lli_dir_changes);
	return names;
}

static void parts_free(struct ll_names *names)
{
	struct ll_names_part *part, *next;

	list_for_each_entry_safe(part, next, &names->nms_parts, nmp_item)
		kvfree(part);
	INIT_LIST_HEAD(&names->nms_parts);
}

/* Drop a reference; NULL is permitted. May sleep */
void ll_names_put(struct ll_names *names)
{
	if (names && refcount_dec_and_test(&names->nms_ref)) {
		parts_free(names);
		kfree(names);
	}
}

/* Bytes that the names of a reply need. Return: 0; -EIO: it is malformed, or does not lead on */
static int reply_size(const void *bytes, u32 len, u32 *size, bool *end)
{
	struct md_dirent ent = {};
	u32 at;

	*size = 0;
	*end = false;
	for (at = 0; at < len && !*end; at += ent.len) {
		if (md_dirent_decode(bytes + at, len - at, &ent))
			return -EIO;
		*end = !ent.name_len;
		if (*end)
			continue;
		/* A cookie that is not a position. */
		if (ent.next <= LL_DIR_FIRST || ent.next > LL_DIR_END)
			return -EIO;
		*size += ll_name_size(ent.name_len);
	}
	return len ? 0 : -EIO;
}

static void part_fill(struct ll_names_part *part, const void *bytes)
{
	struct md_dirent ent;
	struct ll_name *name;
	u32 at;

	for (at = 0; at < part->nmp_len; at += ll_name_size(ent.name_len)) {
		md_dirent_decode(bytes, U32_MAX, &ent);
		name = (void *)part->nmp_bytes + at;
		name->nme_next = ent.next;
		name->nme_ino = fid_flatten(&ent.object.fid) ?: 1;
		name->nme_type = ent.type;
		name->nme_len = ent.name_len;
		memcpy(name->nme_name, ent.name, ent.name_len);
		bytes += ent.len;
	}
}

/* They are not all names of the directory, or too many: only the part that is read is kept. */
static void names_limit(struct ll_names *names)
{
	if (names->nms_epoch && names->nms_size <= LL_NAMES_MAX)
		return;
	names->nms_epoch = 0;
	parts_free(names);
}

/**
 * ll_names_add() - add the names of a reply
 * @names: listing, to which only the caller has a reference, and which has no end yet
 * @bytes: the reply
 * @len: its bytes
 *
 * Of a listing that will not be cached it frees the parts before.
 *
 * Context: may sleep
 * Return: the part, valid as long as @names, or until the next call; -EIO: the reply is malformed;
 *  -ENOMEM
 */
struct ll_names_part *ll_names_add(struct ll_names *names, const void *bytes, u32 len)
{
	struct ll_names_part *part;
	u32 size;
	bool end;
	int rc = reply_size(bytes, len, &size, &end);

	if (rc)
		return ERR_PTR(rc);
	part = kvmalloc(struct_size(part, nmp_bytes, size), GFP_KERNEL_ACCOUNT);
	if (!part)
		return ERR_PTR(-ENOMEM);
	part->nmp_len = size;
	part_fill(part, bytes);
	names->nms_size += struct_size(part, nmp_bytes, size);
	names->nms_end = end;
	names_limit(names);
	list_add_tail(&part->nmp_item, &names->nms_parts);
	return part;
}

/**
 * ll_names_cache() - the listing of a directory has come to its end
 * @dir: directory; its i_rwsem is held
 * @names: listing, constant from now on
 *
 * They are cached if they are all its names, as of now.
 *
 * Context: may sleep
 */
void ll_names_cache(struct inode *dir, struct ll_names *names)
{
	struct ll_inode_info *lli = ll_i2info(dir);
	struct ll_names *old = NULL;

	spin_lock(&lli->lli_lock);
	if (names->nms_epoch && names->nms_changes == lli->lli_dir_changes &&
	    names->nms_epoch == ll_cover_epoch(dir, MDS_INODELOCK_UPDATE)) {
		old = lli->lli_names;
		refcount_inc(&names->nms_ref);
		lli->lli_names = names;
	}
	spin_unlock(&lli->lli_lock);
	ll_names_put(old);
}

/**
 * ll_names_are_known() - whether names are those that are cached
 * @dir: directory; its i_rwsem is held
 * @names: names, referenced, or under lli_lock
 *
 * Context: any but an interrupt
 * Return: true if they are, and are valid
 */
bool ll_names_are_known(struct inode *dir, const struct ll_names *names)
{
	return READ_ONCE(ll_i2info(dir)->lli_names) == names &&
	       names->nms_epoch == ll_cover_epoch(dir, MDS_INODELOCK_UPDATE);
}

/**
 * ll_names_known() - the cached names of a directory
 * @dir: directory; its i_rwsem is held
 *
 * Context: any but an interrupt
 * Return: for ll_names_put(); NULL: they are not cached, or may have changed since
 */
struct ll_names *ll_names_known(struct inode *dir)
{
	struct ll_inode_info *lli = ll_i2info(dir);
	struct ll_names *names;

	spin_lock(&lli->lli_lock);
	names = lli->lli_names;
	if (names && ll_names_are_known(dir, names))
		refcount_inc(&names->nms_ref);
	else
		names = NULL;
	spin_unlock(&lli->lli_lock);
	return names;
}

/* The inode ends, or an own change of its names begins. May sleep */
void ll_names_forget(struct inode *dir)
{
	struct ll_inode_info *lli = ll_i2info(dir);
	struct ll_names *old;

	spin_lock(&lli->lli_lock);
	WRITE_ONCE(lli->lli_dir_changes, lli->lli_dir_changes + 1);
	old = lli->lli_names;
	WRITE_ONCE(lli->lli_names, NULL);
	spin_unlock(&lli->lli_lock);
	ll_names_put(old);
}
