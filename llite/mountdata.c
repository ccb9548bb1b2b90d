// SPDX-License-Identifier: GPL-2.0-only
/*
 * CONFIGS/mountdata: validation and parsing. target_dir.c reads and writes the
 * file.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/codec.h>

#include "llite_parse.h"

#define KNOWN_FLAGS	(LDD_F_SV_TYPES | LDD_F_NEED_INDEX | LDD_F_VIRGIN | \
			 LDD_F_UPDATE | LDD_F_WRITECONF | LDD_F_PARAM |	\
			 LDD_F_NO_PRIMNODE)

#define MGSNODE_PARAM	"mgsnode="

static u32 number(const __le32 *field)
{
	return codec_get32(field, false);
}

static bool text_ends(const char *text, size_t size)
{
	return strnlen(text, size) < size;
}

static bool texts_end(const struct lustre_disk_data *ldd)
{
	return text_ends(ldd->ldd_fsname, sizeof(ldd->ldd_fsname)) &&
	       text_ends(ldd->ldd_svname, sizeof(ldd->ldd_svname)) &&
	       text_ends(ldd->ldd_uuid, sizeof(ldd->ldd_uuid)) &&
	       text_ends(ldd->ldd_mount_opts, sizeof(ldd->ldd_mount_opts)) &&
	       text_ends(ldd->ldd_params, sizeof(ldd->ldd_params));
}

static int head_check(const struct lustre_disk_data *ldd, char *why)
{
	u32 magic = number(&ldd->ldd_magic);
	u32 type = number(&ldd->ldd_mount_type);
	u32 flags = number(&ldd->ldd_flags);

	if (magic != LDD_MAGIC)
		return llite_refuse(why, -EINVAL,
				    "has magic %#x instead of %#x: not mountdata, or damaged",
				    magic, LDD_MAGIC);
	if (ldd->ldd_feature_incompat || ldd->ldd_feature_rocompat)
		return llite_refuse(why, -EINVAL,
				    "has unknown features (%#x, %#x)",
				    number(&ldd->ldd_feature_rocompat),
				    number(&ldd->ldd_feature_incompat));
	if (type != LDD_MT_DIRECTORY)
		return llite_refuse(why, -EINVAL,
				    "is of a target of type %u, not of a directory (%u); make it by mkfs.lustre-lite",
				    type, LDD_MT_DIRECTORY);
	if (flags & ~KNOWN_FLAGS)
		return llite_refuse(why, -EINVAL,
				    "has unknown flags %#x",
				    flags & ~KNOWN_FLAGS);
	if (!texts_end(ldd))
		return llite_refuse(why, -EINVAL,
				    "has a text that is not NUL-terminated: damaged");
	return 0;
}

static int name_check(const struct lustre_disk_data *ldd, u32 kind, char *why)
{
	u32 index = number(&ldd->ldd_svindex);
	char name[LDD_SVNAME_LEN];

	if (!llite_fsname_ok(ldd->ldd_fsname))
		return llite_refuse(why, -EINVAL,
				    "has '%s' for the name of the file system; 1 to %d letters, digits, '_' and '-', a letter first",
				    ldd->ldd_fsname, LUSTRE_MAXFSNAME);
	if (index > LDD_INDEX_NONE ||
	    (index == LDD_INDEX_NONE &&
	     !(number(&ldd->ldd_flags) & LDD_F_NEED_INDEX)))
		return llite_refuse(why, -EINVAL, "has invalid index %#x", index);
	snprintf(name, sizeof(name), "%.*s-%s%04x", LUSTRE_MAXFSNAME,
		 ldd->ldd_fsname, kind == LDD_F_SV_TYPE_MDT ? "MDT" : "OST",
		 index);
	if (!strcmp(name, ldd->ldd_svname))
		return 0;
	return llite_refuse(why, -EINVAL,
			    "has name %s, expected %s", ldd->ldd_svname,
			    name);
}

/**
 * llite_mountdata_check() - whether bytes are the mountdata of a target
 * @ldd: bytes
 * @why: out: reason of a refusal
 *
 * Context: any
 * Return: 0 or -EINVAL
 */
int llite_mountdata_check(const struct lustre_disk_data *ldd, char *why)
{
	u32 kind = number(&ldd->ldd_flags) & LDD_F_SV_TYPES;
	u32 target = kind & (LDD_F_SV_TYPE_MDT | LDD_F_SV_TYPE_OST);
	int rc = head_check(ldd, why);

	if (rc)
		return rc;
	if (!kind || target == (LDD_F_SV_TYPE_MDT | LDD_F_SV_TYPE_OST))
		return llite_refuse(why, -EINVAL,
				    "says that it is %s",
				    kind ? "an MDT and an OST; a directory is one of them" :
					   "no MGS, MDT or OST");
	if (target)
		return name_check(ldd, target, why);
	if (strcmp(ldd->ldd_svname, "MGS"))
		return llite_refuse(why, -EINVAL,
				    "says that it is %s, and is a management service alone: MGS",
				    ldd->ldd_svname);
	return 0;
}

/* Append "[:]NODES". */
static int nodes_add(char *nodes, size_t size, const char *more, size_t len,
		     char *why)
{
	size_t used = strlen(nodes);
	int rc = llite_nodes_check(more, len, why);

	if (rc)
		return rc;
	if (used + 1 + len >= size)
		return llite_refuse(why, -E2BIG,
				    "has NIDs of more than %zu bytes in mgsnode=",
				    size - 1);
	if (used)
		nodes[used++] = ':';
	memcpy(nodes + used, more, len);
	nodes[used + len] = '\0';
	return 0;
}

/**
 * llite_mountdata_mgsnodes() - nodes of a target's management service
 * @ldd: validated mountdata
 * @nodes: out
 * @size: its bytes
 * @why: out: reason of a failure
 *
 * Context: any
 * Return: 0, with an empty text if there are none; -EINVAL, -E2BIG
 */
int llite_mountdata_mgsnodes(const struct lustre_disk_data *ldd, char *nodes,
			     size_t size, char *why)
{
	static const size_t skip = sizeof(MGSNODE_PARAM) - 1;
	const char *at = ldd->ldd_params;
	size_t len;
	int rc = 0;

	nodes[0] = '\0';
	for (at += strspn(at, " "); *at && !rc; at += len + strspn(at + len, " ")) {
		len = strcspn(at, " ");
		if (len >= skip && !strncmp(at, MGSNODE_PARAM, skip))
			rc = nodes_add(nodes, size, at + skip, len - skip, why);
	}
	return rc;
}
