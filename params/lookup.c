// SPDX-License-Identifier: GPL-2.0-only
/* Paths, and lookup of entries. */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/rwsem.h>
#include <linux/string.h>

#include "params_internal.h"

/**
 * params_path_component() - length of a path's first component
 * @path: path
 * @len: its bytes
 *
 * Context: any
 * Return: bytes before the first '/', or @len
 */
size_t params_path_component(const char *path, size_t len)
{
	size_t part = 0;

	while (part < len && path[part] != '/')
		part++;
	return part;
}

/*
 * Bytes before the first '/' or NUL, or @len. Most bytes of a name are greater
 * than both.
 */
static size_t params_path_name(const char *path, size_t len)
{
	size_t n = 0;

	while (n < len && ((unsigned char)path[n] > '/' ||
			   (path[n] && path[n] != '/')))
		n++;
	return n;
}

/**
 * params_path_check() - whether a path is well formed
 * @path: components joined by '/'
 * @len: its bytes; 0 names the root
 *
 * Context: any
 * Return: 0, -EINVAL for an empty component or a NUL, -ENAMETOOLONG for a
 * component or a path above its limit
 */
int params_path_check(const char *path, size_t len)
{
	size_t part;

	if (len > PARAMS_PATH_MAX)
		return -ENAMETOOLONG;
	if (!len)
		return 0;
	/* A call may have many paths: one pass over each. */
	for (;;) {
		part = params_path_name(path, len);
		if (!part || (part < len && !path[part]))
			return -EINVAL;
		if (part > PARAMS_NAME_MAX)
			return -ENAMETOOLONG;
		if (part == len)
			return 0;
		path += part + 1;
		len -= part + 1;
	}
}

/* One step of a lookup: a visible child by name, referenced. */
static struct lustre_params_entry *
params_step(struct lustre_params_entry *from, const char *name, size_t len)
{
	struct lustre_params_entry *child;
	struct params_dir *dir;
	int rc = params_entry_gate(from);

	if (rc)
		return ERR_PTR(rc);
	if (!params_is_dir(from))
		return ERR_PTR(-ENOTDIR);
	dir = from->lpe_dir;
	down_read(&dir->pd_rw_sem);
	child = params_dir_find(dir, name, len);
	if (child)
		params_entry_get(child);
	up_read(&dir->pd_rw_sem);
	if (!child)
		return ERR_PTR(-ENOENT);
	rc = params_entry_gate(child);
	if (rc) {
		params_entry_put(child);
		return ERR_PTR(rc);
	}
	return child;
}

/**
 * params_follow() - step through a link
 * @lpe: entry; the caller's reference is consumed
 *
 * One step suffices: the target of a link is not a link.
 *
 * Context: may sleep
 * Return: the target of a link, else @lpe, with a reference
 */
struct lustre_params_entry *params_follow(struct lustre_params_entry *lpe)
{
	struct lustre_params_entry *target;

	if (!params_is_link(lpe))
		return lpe;
	target = params_entry_get(lpe->lpe_target);
	params_entry_put(lpe);
	return target;
}

/**
 * params_find() - look an entry up
 * @dir: start, NULL for the root; the caller has or borrows a reference
 * @path: components joined by '/', validated; empty names @dir itself
 * @len: its bytes
 *
 * Takes each directory's lock for reading. A link at the end is returned as
 * such, others are followed.
 *
 * Context: may sleep
 * Return: the entry with a reference, or ERR_PTR of -ENOENT, -ENODEV or
 *  -ENOTDIR
 */
struct lustre_params_entry *params_find(struct lustre_params_entry *dir,
					const char *path, size_t len)
{
	struct lustre_params_entry *lpe = dir ?: params_root();
	size_t part = params_path_component(path, len);
	int rc;

	if (!len) {
		rc = params_entry_gate(lpe);
		return rc ? ERR_PTR(rc) : params_entry_get(lpe);
	}
	/* Every lookup would write to the root's counter, and it is always there. */
	lpe = params_step(params_resolve(lpe), path, part);
	while (!IS_ERR(lpe) && part < len) {
		struct lustre_params_entry *from = params_follow(lpe);

		path += part + 1;
		len -= part + 1;
		part = params_path_component(path, len);
		lpe = params_step(from, path, part);
		params_entry_put(from);
	}
	return lpe;
}

/**
 * params_find_dir() - look a directory up
 * @path: components joined by '/', validated; empty names the root
 * @len: its bytes
 *
 * Context: may sleep
 * Return: the directory with a reference, a link to it followed; or ERR_PTR of
 *  -ENOENT, -ENODEV or -ENOTDIR
 */
struct lustre_params_entry *params_find_dir(const char *path, size_t len)
{
	struct lustre_params_entry *lpe = params_find(NULL, path, len);
	int rc;

	if (IS_ERR(lpe))
		return lpe;
	lpe = params_follow(lpe);
	rc = params_is_dir(lpe) ? params_entry_gate(lpe) : -ENOTDIR;
	if (!rc)
		return lpe;
	params_entry_put(lpe);
	return ERR_PTR(rc);
}

/**
 * params_lookup_entry() - look an entry up
 * @lpe: start, NULL for the root
 * @path: components joined by '/'
 *
 * Context: may sleep
 * Return: the entry with a reference, to be dropped by params_entry_put(); or
 *  ERR_PTR of -ENOENT, -ENODEV (being removed), -ENOTDIR, -EINVAL or
 *  -ENAMETOOLONG
 */
struct lustre_params_entry *params_lookup_entry(struct lustre_params_entry *lpe,
						const char *path)
{
	size_t len = strlen(path);
	int rc = params_path_check(path, len);

	return rc ? ERR_PTR(rc) : params_find(lpe, path, len);
}
EXPORT_SYMBOL_NS_GPL(params_lookup_entry, LUSTRE_LITE);
