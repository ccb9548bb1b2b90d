/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of a directory, as a listing had them; for dir.c.
 */
#ifndef _LLITE_DIR_CACHE_H
#define _LLITE_DIR_CACHE_H

#include <linux/align.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/stddef.h>
#include <linux/types.h>

struct inode;

/* Positions of a directory; all others are cookies of the server, see dir.c. */
#define LL_DIR_FIRST	2
#define LL_DIR_END	S64_MAX

/**
 * struct ll_name - a name
 * @nme_next: position after it
 * @nme_ino: number of its object's inode
 * @nme_type: DT_*
 * @nme_len: bytes of @nme_name
 * @nme_name: name, without a NUL; the next one is at the next multiple of 8 bytes
 */
struct ll_name {
	loff_t	nme_next;
	u64	nme_ino;
	u8	nme_type;
	u8	nme_len;
	char	nme_name[];
};

/**
 * struct ll_names_part - the names of one reply
 * @nmp_item: in nms_parts
 * @nmp_len: bytes of @nmp_bytes
 * @nmp_bytes: struct ll_name each
 */
struct ll_names_part {
	struct list_head	nmp_item;
	u32			nmp_len;
	u8			nmp_bytes[] __aligned(8);
};

/**
 * struct ll_names - names of a directory from some position on
 * @nms_ref: held by each reader, and by the inode while they are cached
 * @nms_parts: the names, in order; constant from @nms_end on
 * @nms_end: the last part has the end of the directory
 * @nms_size: bytes of all parts that there were
 * @nms_epoch: of the cover of UPDATE since before the first part; 0: they will not be cached
 * @nms_changes: lli_dir_changes then
 */
struct ll_names {
	refcount_t		nms_ref;
	struct list_head	nms_parts;
	bool			nms_end;
	u32			nms_size;
	unsigned long		nms_epoch;
	u32			nms_changes;
};

/* Bytes of a name, up to the next one. */
static inline u32 ll_name_size(u32 len)
{
	return ALIGN(offsetof(struct ll_name, nme_name) + len, sizeof(u64));
}

struct ll_names *ll_names_new(struct inode *dir, loff_t pos, unsigned long epoch);
void ll_names_put(struct ll_names *names);
struct ll_names_part *ll_names_add(struct ll_names *names, const void *bytes, u32 len);
void ll_names_cache(struct inode *dir, struct ll_names *names);
struct ll_names *ll_names_known(struct inode *dir);
bool ll_names_are_known(struct inode *dir, const struct ll_names *names);

#endif /* _LLITE_DIR_CACHE_H */
