// SPDX-License-Identifier: GPL-2.0-only
/*
 * MDS_FID2PATH: a path of an object. The names of a file are in its list (trusted.link), and each
 * is compared with its directory. The path of a directory is the backend's.
 *
 * The client needs permission to search the directories of the path.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/err.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/stat.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mdd_link.h"

/* A path as the backend has it, then '/' and a name. */
#define DIR_SIZE	(2 * PATH_MAX)
#define PATH_SIZE	(DIR_SIZE + 1 + NAME_MAX)

/**
 * struct mdt_naming - a name of a file
 * @call: request
 * @obj: file
 * @number: which one is wanted, from 0
 * @seen: names so far that are valid
 * @dir: directory of the name, referenced; NULL: not found yet
 * @name: the name
 * @len: its bytes
 */
struct mdt_naming {
	struct mdt_call		*call;
	struct mdt_object	*obj;
	u64			number;
	u64			seen;
	struct mdt_object	*dir;
	char			name[NAME_MAX];
	size_t			len;
};

/* Whether the directory has the name. Return: 0; -ENOENT: it has not, others */
static int name_check(const struct mdt_naming *nm, struct mdt_object *dir, const struct qstr *name)
{
	struct osd_object found;
	int rc = osd_lookup(&dir->mo_osd, name, &found);

	if (rc)
		return rc == -EACCES || rc == -ENOMEM ? rc : -ENOENT;
	if (!lu_fid_eq(&found.oo_fid, &nm->obj->mo_lu.lo_fid))
		rc = -ENOENT;
	osd_object_fini(&found);
	return rc;
}

/* An entry of the list. Return: 0; -ENOENT: it is not a name of the file; others */
static int entry_look(struct mdt_naming *nm, const struct linkea_entry *entry)
{
	const struct qstr name = QSTR_INIT(entry->name, entry->name_len);
	const struct md_object parent = { .fid = entry->parent };
	struct mdt_object *dir = mdt_scrub_find(nm->call->mtc_mdt, &parent);
	int rc;

	if (IS_ERR(dir))
		return PTR_ERR(dir) == -EINVAL ? -ENOENT : PTR_ERR(dir);
	rc = name_check(nm, dir, &name);
	if (!rc && nm->seen++ == nm->number) {
		memcpy(nm->name, entry->name, entry->name_len);
		nm->len = entry->name_len;
		nm->dir = dir;
		return 0;
	}
	mdt_object_put(dir);
	return rc;
}

/* Find the name, and whether there is another one after it. */
static int naming_find(struct mdt_naming *nm)
{
	struct linkea_entry entry;
	struct mdd_links links;
	size_t at = 0;
	int rc;

	mutex_lock(&nm->obj->mo_lock);
	rc = mdd_links_read(&links, &nm->obj->mo_osd);
	mutex_unlock(&nm->obj->mo_lock);
	if (rc)
		return rc;
	while (!rc && nm->seen < nm->number + 2 && linkea_next(&links.mdl_list, &at, &entry)) {
		rc = entry_look(nm, &entry);
		if (rc == -ENOENT)
			rc = 0;
	}
	mdd_links_free(&links);
	if (rc)
		return rc;
	return nm->dir ? 0 : -ENODATA;
}

/* @buf: PATH_SIZE bytes. Return: path of the directory, and after it, at DIR_SIZE, free bytes */
static char *dir_path(const struct mdt_object *dir, char *buf)
{
	char *path = osd_dir_path(&dir->mo_osd, buf, DIR_SIZE);

	if (path == ERR_PTR(-ENAMETOOLONG))
		return ERR_PTR(-EOVERFLOW);
	return path == ERR_PTR(-ESTALE) ? ERR_PTR(-ENOENT) : path;
}

static char *path_of_file(struct mdt_call *call, struct mdt_object *obj, char *buf)
{
	struct mdt_naming nm = { .call = call, .obj = obj, .number = call->mtc_op.cookie };
	int rc = naming_find(&nm);
	char *path, *end;

	if (rc) {
		mdt_object_put(nm.dir);
		return ERR_PTR(rc);
	}
	path = dir_path(nm.dir, buf);
	mdt_object_put(nm.dir);
	if (IS_ERR(path))
		return path;
	call->mtc_rep.length = nm.number + (nm.seen > nm.number + 1);
	end = buf + DIR_SIZE - 1;
	if (*path)
		*end++ = '/';
	memcpy(end, nm.name, nm.len);
	end[nm.len] = '\0';
	return path;
}

static char *object_path(struct mdt_call *call, struct mdt_object *obj, char *buf)
{
	char *path;

	if (READ_ONCE(obj->mo_pending) || READ_ONCE(obj->mo_lu.lo_state) != LU_OBJECT_LIVE)
		return ERR_PTR(-ENOENT);
	if (!d_is_dir(obj->mo_osd.oo_dentry))
		return path_of_file(call, obj, buf);
	if (call->mtc_op.cookie)
		return ERR_PTR(-ENODATA);
	path = dir_path(obj, buf);
	return IS_ERR(path) || *path ? path : strcpy(buf, "/");
}

static int fid2path(struct mdt_call *call)
{
	struct mdt_object *obj;
	char *path;

	if (!fid_is_in_tree(&call->mtc_op.object[0].fid) || call->mtc_op.cookie > U32_MAX)
		return -EINVAL;
	obj = mdt_call_seek(call);
	if (IS_ERR(obj))
		return PTR_ERR(obj) == -ESTALE ? -ENOENT : PTR_ERR(obj);
	call->mtc_result = kvmalloc(PATH_SIZE, GFP_KERNEL);
	if (!call->mtc_result)
		return -ENOMEM;
	path = object_path(call, obj, call->mtc_result);
	if (IS_ERR(path))
		return PTR_ERR(path);
	call->mtc_rep.result = path;
	call->mtc_rep.result_len = strlen(path);
	if (call->mtc_rep.result_len >= call->mtc_op.size)
		return -EOVERFLOW;
	return mdt_object_name(&obj->mo_osd, &call->mtc_rep.object);
}

int mdt_fid2path(struct ptlrpc_svc_req *sr)
{
	return mdt_call_run(sr, fid2path);
}
