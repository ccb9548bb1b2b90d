// SPDX-License-Identifier: GPL-2.0-only
/*
 * An entry of the parameters tree: its memory, its references, its path.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/libcfs.h>

#include "params_internal.h"

/* Attributes serve as lock classes: see params_entry_init(). */
static struct lock_class_key params_dir_key;
static struct lock_class_key params_own_key;

/**
 * params_name_check() - whether a name is valid
 * @name: name, a NUL is not needed
 * @len: its bytes
 *
 * Context: any
 * Return: 0, -EINVAL for an empty name or one with a '/' or a NUL,
 *  -ENAMETOOLONG above PARAMS_NAME_MAX
 */
int params_name_check(const char *name, size_t len)
{
	if (!len || memchr(name, '/', len) || memchr(name, '\0', len))
		return -EINVAL;
	if (len > PARAMS_NAME_MAX)
		return -ENAMETOOLONG;
	return 0;
}

static size_t params_entry_size(size_t name_len)
{
	return sizeof(struct lustre_params_entry) + name_len + 1;
}

/* The path of the new entry must stay within the limits of the ioctls. */
static int params_depth_check(const struct lustre_params_entry *parent,
			      size_t name_len)
{
	size_t depth = 1;
	size_t len = name_len;

	for (; parent->lpe_parent; parent = parent->lpe_parent) {
		depth++;
		len += parent->lpe_name_len + 1;
	}
	if (depth > PARAMS_DEPTH_MAX || len > PARAMS_PATH_MAX)
		return -ENAMETOOLONG;
	return 0;
}

/*
 * Copy the properties needed while the entry is not active: a link or a
 * reference may outlive the module that declared it.
 */
static void params_entry_declare(struct lustre_params_entry *lpe, umode_t mode)
{
	const struct lustre_params_attr *attr = lpe->lpe_attr;

	if (!attr) {
		lpe->lpe_type = S_ISDIR(mode) ? PARAMS_T_DIR : PARAMS_T_LINK;
		return;
	}
	lpe->lpe_type = attr->type;
	if (attr->is_volatile)
		lpe->lpe_traits |= PARAMS_EF_VOLATILE;
	if ((attr->mode & 0222) && !attr->not_setting)
		lpe->lpe_traits |= PARAMS_EF_TUNABLE;
	if (attr->dynamic)
		lpe->lpe_flags |= LPE_DYNAMIC;
}

static void params_entry_init(struct lustre_params_entry *lpe,
			      const char *name, size_t len, umode_t mode)
{
	struct lock_class_key *key = &params_dir_key;

	/*
	 * Callbacks of one attribute take the same locks, those of two need
	 * not: so each attribute is a lock class of its own. Lockdep uses only
	 * the address of a key, and tables of attributes are static.
	 */
	if (lpe->lpe_attr)
		key = lpe->lpe_attr->dynamic ? &params_own_key :
			(struct lock_class_key *)lpe->lpe_attr;
	params_entry_declare(lpe, mode);
	__libcfs_active_init(&lpe->lpe_active, "params", key);
	refcount_set(&lpe->lpe_refcount, 1);
	atomic64_set(&lpe->lpe_version, LPE_VERSION);
	RB_CLEAR_NODE(&lpe->lpe_node);
	INIT_HLIST_NODE(&lpe->lpe_hash);
	lpe->lpe_magic = PARAMS_MAGIC;
	lpe->lpe_mode = mode;
	lpe->lpe_name_len = len;
	memcpy(lpe->lpe_name, name, len + 1);
}

/**
 * params_entry_alloc() - allocate an entry outside of the tree
 * @parent: its future directory, NULL for the root
 * @name: name
 * @mode: S_IF* and permission bits
 * @attr: declaration, NULL for a directory or a link; freed with the entry if
 *  it is dynamic
 * @data: argument of the callbacks
 *
 * Its active reference is closed.
 *
 * Context: may sleep
 * Return: the entry with one reference, or ERR_PTR of -ENOMEM, -EINVAL or
 *  -ENAMETOOLONG
 */
struct lustre_params_entry *
params_entry_alloc(struct lustre_params_entry *parent, const char *name,
		   umode_t mode, const struct lustre_params_attr *attr,
		   void *data)
{
	struct lustre_params_entry *lpe;
	size_t len = strlen(name);
	int rc;

	if (parent) {
		rc = params_name_check(name, len);
		if (!rc)
			rc = params_depth_check(parent, len);
		if (rc)
			return ERR_PTR(rc);
	}
	lpe = libcfs_zalloc(params_entry_size(len), GFP_KERNEL);
	if (!lpe)
		return ERR_PTR(-ENOMEM);
	lpe->lpe_attr = attr;
	lpe->lpe_data = data;
	params_entry_init(lpe, name, len, mode);
	if (S_ISDIR(mode)) {
		lpe->lpe_dir = params_dir_alloc();
		if (!lpe->lpe_dir) {
			libcfs_free(lpe, params_entry_size(len));
			return ERR_PTR(-ENOMEM);
		}
	}
	if (parent)
		lpe->lpe_parent = params_entry_get(parent);
	return lpe;
}

/* Free an entry; return its parent, whose reference passes to the caller. */
static struct lustre_params_entry *
params_entry_free(struct lustre_params_entry *lpe)
{
	struct lustre_params_entry *parent = lpe->lpe_parent;

	WARN_ON_ONCE(lpe->lpe_flags & LPE_LINKED);
	if (params_is_dir(lpe))
		params_dir_free(lpe->lpe_dir);
	else if (params_is_link(lpe))
		params_entry_put(lpe->lpe_target);
	else
		WARN_ON_ONCE(lpe->lpe_ruled);
	if (lpe->lpe_flags & LPE_DYNAMIC)
		libcfs_free(lpe->lpe_attr, sizeof(*lpe->lpe_attr));
	lpe->lpe_magic = PARAMS_DEAD_MAGIC;
	libcfs_free(lpe, params_entry_size(lpe->lpe_name_len));
	return parent;
}

/**
 * params_entry_put() - drop a reference
 * @lpe: entry, or NULL
 *
 * The last put frees the entry and drops its references on parent and target.
 *
 * Context: may sleep
 */
void params_entry_put(struct lustre_params_entry *lpe)
{
	while (lpe && refcount_dec_and_test(&lpe->lpe_refcount))
		lpe = params_entry_free(lpe);
}
EXPORT_SYMBOL_NS_GPL(params_entry_put, LUSTRE_LITE);

/**
 * params_entry_hidden() - whether an entry was never visible
 * @lpe: entry, which may be removed by now
 *
 * Context: any
 * Return: true if the entry, or a directory above it, was never published
 */
bool params_entry_hidden(const struct lustre_params_entry *lpe)
{
	for (; lpe; lpe = lpe->lpe_parent)
		if (atomic_read(&lpe->lpe_active.a_count) &
		    LIBCFS_ACTIVE_CLOSED)
			return true;
	return false;
}

/**
 * params_entry_activate() - prevent removal during a callback
 * @lpe: entry on which the caller has a reference, not a link
 *
 * Context: any; keep it short, as removal waits
 * Return: 0, -ENOENT or -ENODEV as params_entry_gate()
 */
int params_entry_activate(struct lustre_params_entry *lpe)
{
	if (likely(libcfs_active_get(&lpe->lpe_active)))
		return 0;
	return params_entry_gate(lpe) ?: -ENODEV;
}

/**
 * params_entry_deactivate() - permit removal again
 * @lpe: entry that params_entry_activate() returned 0 for
 *
 * Context: any
 */
void params_entry_deactivate(struct lustre_params_entry *lpe)
{
	libcfs_active_put(&lpe->lpe_active);
}

/**
 * params_entry_path() - path of an entry, components joined by '/'
 * @lpe: entry on which the caller has a reference
 * @buf: buffer
 * @size: bytes of @buf
 *
 * Works for a removed entry too: it still has its parents.
 *
 * Context: any
 * Return: bytes without the NUL, or -ENAMETOOLONG
 */
int params_entry_path(struct lustre_params_entry *lpe, char *buf, size_t size)
{
	size_t pos = size;
	size_t len;

	if (!size)
		return -ENAMETOOLONG;
	buf[--pos] = '\0';
	for (; lpe->lpe_parent; lpe = lpe->lpe_parent) {
		bool last = pos == size - 1;

		len = lpe->lpe_name_len + (last ? 0 : 1);
		if (len > pos)
			return -ENAMETOOLONG;
		pos -= len;
		memcpy(buf + pos, lpe->lpe_name, lpe->lpe_name_len);
		if (!last)
			buf[pos + lpe->lpe_name_len] = '/';
	}
	memmove(buf, buf + pos, size - pos);
	return size - pos - 1;
}

/**
 * params_entry_type() - enum params_type of an entry, of a link its target's
 * @lpe: entry
 *
 * Context: any
 * Return: the type
 */
u8 params_entry_type(const struct lustre_params_entry *lpe)
{
	return params_is_link(lpe) ? lpe->lpe_target->lpe_type : lpe->lpe_type;
}

/**
 * params_entry_flags() - PARAMS_EF_* of an entry, of a link its target's
 * @lpe: entry
 *
 * Context: any
 * Return: the flags
 */
u32 params_entry_flags(const struct lustre_params_entry *lpe)
{
	return params_is_link(lpe) ? lpe->lpe_target->lpe_traits :
				     lpe->lpe_traits;
}

/**
 * params_entry_mode() - mode for user space
 * @lpe: entry
 *
 * Context: any
 * Return: S_IF* of the entry, permission bits of it or, for a link, of its
 *  target
 */
umode_t params_entry_mode(const struct lustre_params_entry *lpe)
{
	if (params_is_link(lpe))
		return S_IFLNK | (lpe->lpe_target->lpe_mode & 0777);
	return lpe->lpe_mode;
}

/**
 * params_entry_version() - version of an entry, of a link its target's
 * @lpe: entry
 *
 * Context: any
 * Return: the version
 */
u32 params_entry_version(struct lustre_params_entry *lpe)
{
	return params_version(params_resolve(lpe));
}

/**
 * params_entry_about() - properties returned along with the name
 * @lpe: entry
 * @about: out
 *
 * Context: any
 */
void params_entry_about(struct lustre_params_entry *lpe,
			struct params_about *about)
{
	about->ab_version = params_entry_version(lpe);
	about->ab_mode = params_entry_mode(lpe);
	about->ab_type = params_entry_type(lpe);
	about->ab_flags = params_entry_flags(lpe);
}
