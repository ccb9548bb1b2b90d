// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state of a file system: its targets and devices, from a walk through its logs.
 * Changes use a cached copy, which is valid while the number of these logs and the
 * newest of their generations stay the same. So a target that restarts does not cost a
 * walk through the logs of all others.
 */
#include "log_internal.h"

/* Number of cached file systems; the last one is the newest. */
#define KEPT_MAX	8

struct mgs_fs_target *mgs_fsdb_find(const struct mgs_fsdb *db,
				    enum mgs_log_kind kind, u32 index)
{
	struct mgs_fs_target *target;

	list_for_each_entry(target, &db->targets, list)
		if (target->kind == kind && target->index == index)
			return target;
	return NULL;
}

static bool target_before(const struct mgs_fs_target *a,
			  const struct mgs_fs_target *b)
{
	return a->kind != b->kind ? a->kind < b->kind : a->index < b->index;
}

static void target_insert(struct mgs_fsdb *db, struct mgs_fs_target *target)
{
	struct mgs_fs_target *other;

	list_for_each_entry(other, &db->targets, list) {
		if (target_before(target, other)) {
			list_add_tail(&target->list, &other->list);
			return;
		}
	}
	list_add_tail(&target->list, &db->targets);
}

/* Return: the target of that index, created if it is new; NULL on allocation failure */
struct mgs_fs_target *mgs_fsdb_target(struct mgs_fsdb *db,
				      enum mgs_log_kind kind, u32 index)
{
	struct mgs_fs_target *target = mgs_fsdb_find(db, kind, index);

	if (target)
		return target;
	target = kzalloc(sizeof(*target), GFP_KERNEL);
	if (!target)
		return NULL;
	target->kind = kind;
	target->index = index;
	mgs_target_name(target->name, db->fsname, kind, index);
	target_insert(db, target);
	return target;
}

static int note_log(void *data, const struct mgs_log_info *info)
{
	struct mgs_fsdb *db = data;
	struct mgs_fs_target *target;
	struct mgs_log_name name;

	mgs_log_name_parse(info->li_name, &name);
	if (strcmp(name.fsname, db->fsname))
		return 0;
	if (name.kind == MGS_LOG_CLIENT) {
		db->has_client = true;
		return 0;
	}
	target = mgs_fsdb_target(db, name.kind, name.index);
	if (!target)
		return -ENOMEM;
	target->has_log = true;
	return 0;
}

static void note_step(u32 *step, const struct mgs_rec *rec)
{
	struct lcfg_marker marker;

	if (rec->cfg.command == LCFG_MARKER &&
	    !lcfg_marker_decode(&rec->cfg, &marker) && marker.step > *step)
		*step = marker.step;
}

static bool in_force(const struct lcfg_marker *section)
{
	return section && !(section->flags & CM_SKIP);
}

static bool device_is(const struct mgs_rec *rec, const char *fsname,
		      const char *rest)
{
	const char *device = lcfg_string(&rec->cfg, 0);
	size_t len = strlen(fsname);

	return device && !strncmp(device, fsname, len) &&
	       !strcmp(device + len, rest);
}

/* A record adds a target by its uuid: name and "_UUID". */
static int note_added(struct mgs_fsdb *db, const struct mgs_rec *rec)
{
	const char *uuid = lcfg_string(&rec->cfg, 1);
	struct mgs_fs_target *target;
	struct mgs_log_name name;
	char svname[MGS_DEVICE_LEN];
	size_t len = uuid ? strlen(uuid) : 0;

	if (len < 5 || len >= sizeof(svname) || strcmp(uuid + len - 5, "_UUID"))
		return 0;
	mgs_name(svname, "%.*s", (int)len - 5, uuid);
	if (!mgs_target_name_parse(svname, &name) ||
	    strcmp(name.fsname, db->fsname))
		return 0;
	target = mgs_fsdb_target(db, name.kind, name.index);
	if (!target)
		return -ENOMEM;
	target->client = true;
	return 0;
}

static int scan_client(void *data, const struct lcfg_marker *section,
		       const struct mgs_rec *rec)
{
	struct mgs_fsdb *db = data;

	note_step(&db->step, rec);
	if (!in_force(section))
		return 0;
	switch (rec->cfg.command) {
	case LCFG_SETUP:
		db->lov |= device_is(rec, db->fsname, "-clilov");
		db->lmv |= device_is(rec, db->fsname, "-clilmv");
		return 0;
	case LCFG_MOUNTOPT:
		db->mountopt = true;
		return 0;
	case LCFG_LOV_ADD_OBD:
	case LCFG_LOV_ADD_INA:
	case LCFG_ADD_MDC:
		return note_added(db, rec);
	default:
		return 0;
	}
}

/**
 * struct mgs_own_scan - a walk through the log of a target
 * @db: file system
 * @target: target
 */
struct mgs_own_scan {
	struct mgs_fsdb		*db;
	struct mgs_fs_target	*target;
};

static int scan_own(void *data, const struct lcfg_marker *section,
		    const struct mgs_rec *rec)
{
	struct mgs_own_scan *own = data;

	note_step(&own->db->step, rec);
	if (in_force(section) && rec->cfg.command == LCFG_ATTACH)
		own->target->own |= device_is(rec, own->target->name, "");
	return 0;
}

/* A damaged log is ignored here; a change that writes to it fails. */
static int load_own(struct mgs_fsdb *db, const struct mgs_view *view,
		    struct mgs_fs_target *target)
{
	struct mgs_own_scan own = { .db = db, .target = target };
	int rc;

	if (!target->has_log)
		return 0;
	rc = mgs_scan(view, target->name, scan_own, &own);
	target->damaged = rc == -EIO;
	return target->damaged ? 0 : rc;
}

static int load_logs(struct mgs_fsdb *db, const struct mgs_view *view)
{
	struct mgs_fs_target *target;
	int rc = 0;

	if (db->has_client)
		rc = mgs_scan(view, db->log, scan_client, db);
	if (rc && rc != -EIO)
		return rc;
	list_for_each_entry(target, &db->targets, list) {
		rc = load_own(db, view, target);
		if (rc)
			return rc;
	}
	return 0;
}

/**
 * struct mgs_fs_mark - version of the logs of a file system
 * @fsname: file system
 * @count: number of its logs
 * @newest: highest of their generations
 */
struct mgs_fs_mark {
	const char	*fsname;
	u32		count;
	u64		newest;
};

static int mark_log(void *data, const struct mgs_log_info *info)
{
	struct mgs_fs_mark *mark = data;
	struct mgs_log_name name;

	if (strncmp(info->li_name, mark->fsname, strlen(mark->fsname)))
		return 0;
	mgs_log_name_parse(info->li_name, &name);
	if (strcmp(name.fsname, mark->fsname))
		return 0;
	mark->count++;
	mark->newest = max_t(u64, mark->newest, info->li_generation);
	return 0;
}

/**
 * struct mgs_kept - a cached file system
 * @list: in mgs_fsdbs
 * @count: number of its logs
 * @newest: highest of their generations
 * @db: state
 */
struct mgs_kept {
	struct list_head	list;
	u32			count;
	u64			newest;
	struct mgs_fsdb		db;
};

/* struct mgs_fsdbs - cached file systems; the store owns it */
struct mgs_fsdbs {
	struct list_head	list;
};

static void kept_free(struct mgs_kept *kept)
{
	list_del_init(&kept->list);
	mgs_fsdb_free(&kept->db);
	kfree(kept);
}

static void fsdbs_free(struct mgs_fsdbs *fsdbs)
{
	struct mgs_kept *kept, *next;

	list_for_each_entry_safe(kept, next, &fsdbs->list, list)
		kept_free(kept);
	kfree(fsdbs);
}

static struct mgs_fsdbs *fsdbs_have(struct mgs_store *store)
{
	struct mgs_fsdbs *fsdbs = mgs_store_fsdbs(store);

	if (fsdbs)
		return fsdbs;
	fsdbs = kzalloc(sizeof(*fsdbs), GFP_KERNEL);
	if (!fsdbs)
		return NULL;
	INIT_LIST_HEAD(&fsdbs->list);
	mgs_store_fsdbs_put(store, fsdbs, fsdbs_free);
	return fsdbs;
}

static int fsdb_copy(struct mgs_fsdb *to, const struct mgs_fsdb *from)
{
	struct mgs_fs_target *target, *copy;

	*to = *from;
	INIT_LIST_HEAD(&to->targets);
	list_for_each_entry(target, &from->targets, list) {
		copy = kmalloc(sizeof(*copy), GFP_KERNEL);
		if (!copy)
			return -ENOMEM;
		*copy = *target;
		list_add_tail(&copy->list, &to->targets);
	}
	return 0;
}

/* The cached state of that version; one of another version is freed. */
static struct mgs_kept *kept_find(struct mgs_fsdbs *fsdbs, const struct mgs_fs_mark *mark)
{
	struct mgs_kept *kept;

	list_for_each_entry(kept, &fsdbs->list, list) {
		if (strcmp(kept->db.fsname, mark->fsname))
			continue;
		if (kept->count == mark->count && kept->newest == mark->newest)
			return kept;
		kept_free(kept);
		break;
	}
	return NULL;
}

static int kept_add(struct mgs_fsdbs *fsdbs, const struct mgs_fs_mark *mark,
		    const struct mgs_fsdb *db)
{
	struct mgs_kept *kept = kzalloc(sizeof(*kept), GFP_KERNEL), *other;
	u32 count = 0;

	if (!kept)
		return -ENOMEM;
	kept->count = mark->count;
	kept->newest = mark->newest;
	if (fsdb_copy(&kept->db, db)) {
		mgs_fsdb_free(&kept->db);
		kfree(kept);
		return -ENOMEM;
	}
	list_add_tail(&kept->list, &fsdbs->list);
	list_for_each_entry(other, &fsdbs->list, list)
		count++;
	if (count > KEPT_MAX)
		kept_free(list_entry(fsdbs->list.next, struct mgs_kept, list));
	return 0;
}

static int fsdb_scan(struct mgs_fsdb *db, const struct mgs_view *view)
{
	int rc = mgs_view_each(view, note_log, db);

	return rc ? rc : load_logs(db, view);
}

/* A change that has modified logs of the file system walks through them. */
static int fsdb_have(struct mgs_fsdb *db, struct mgs_txn *txn)
{
	const struct mgs_view *view = mgs_txn_view(txn);
	struct mgs_fs_mark mark = { .fsname = db->fsname };
	struct mgs_fsdbs *fsdbs = fsdbs_have(mgs_txn_store(txn));
	struct mgs_kept *kept;
	int rc;

	if (!fsdbs)
		return -ENOMEM;
	mgs_view_each(view, mark_log, &mark);
	if (mark.newest > mgs_view_generation(view))
		return fsdb_scan(db, view);
	kept = kept_find(fsdbs, &mark);
	if (kept)
		return fsdb_copy(db, &kept->db);
	rc = fsdb_scan(db, view);
	return rc ? rc : kept_add(fsdbs, &mark, db);
}

/* Return: false for an invalid name: an empty state */
static bool fsdb_init(struct mgs_fsdb *db, const char *fsname)
{
	memset(db, 0, sizeof(*db));
	INIT_LIST_HEAD(&db->targets);
	db->step = 1;
	if (!*fsname || strscpy(db->fsname, fsname, sizeof(db->fsname)) < 0)
		return false;
	mgs_name(db->log, "%s-client", fsname);
	return true;
}

/* For a change. Call mgs_fsdb_free() also if this fails. */
int mgs_fsdb_load(struct mgs_fsdb *db, struct mgs_txn *txn, const char *fsname)
{
	return fsdb_init(db, fsname) ? fsdb_have(db, txn) : 0;
}

void mgs_fsdb_free(struct mgs_fsdb *db)
{
	struct mgs_fs_target *target, *next;

	list_for_each_entry_safe(target, next, &db->targets, list)
		kfree(target);
	INIT_LIST_HEAD(&db->targets);
}

/* Whether the file system has any log */
bool mgs_fsdb_exists(const struct mgs_fsdb *db)
{
	return db->has_client || !list_empty(&db->targets);
}

/* Start a change of a file system. Call mgs_fs_change_fini() also if this fails. */
int mgs_fs_change_init(struct mgs_fs_change *change, struct mgs_txn *txn,
		    const char *fsname, struct obd_why *why)
{
	int rc = mgs_edit_init(&change->edit, txn, why);

	change->target = NULL;
	INIT_LIST_HEAD(&change->db.targets);
	if (rc)
		return rc;
	rc = mgs_fsdb_load(&change->db, txn, fsname);
	change->edit.step = change->db.step;
	return rc;
}

void mgs_fs_change_fini(struct mgs_fs_change *change)
{
	mgs_fsdb_free(&change->db);
	mgs_edit_fini(&change->edit);
}

/* The same for an existing target */
int mgs_fs_change_target(struct mgs_fs_change *change, struct mgs_txn *txn,
		      const char *svname, struct obd_why *why)
{
	struct mgs_log_name name;
	int rc;

	if (!mgs_target_name_parse(svname, &name)) {
		rc = mgs_fs_change_init(change, txn, "", why);
		return rc ? rc : obd_refuse(why, -EINVAL,
					    "'%.64s' is not a target name; one is lustre-OST0001 or lustre-MDT0000",
					    svname);
	}
	rc = mgs_fs_change_init(change, txn, name.fsname, why);
	if (rc)
		return rc;
	change->target = mgs_fsdb_find(&change->db, name.kind, name.index);
	if (change->target)
		return 0;
	return obd_refuse(why, -ENOENT, mgs_fsdb_exists(&change->db) ?
			  "file system %s has no target %s" :
			  "there is no file system %s, nor its target %s",
			  name.fsname, svname);
}

/* struct mgs_fs_name - a file system of a list */
struct mgs_fs_name {
	struct list_head	list;
	char			name[LUSTRE_MAXFSNAME + 1];
};

static int note_fsname(void *data, const struct mgs_log_info *info)
{
	struct list_head *names = data;
	struct mgs_log_name name;
	struct mgs_fs_name *seen;

	mgs_log_name_parse(info->li_name, &name);
	if (!name.fsname[0])
		return 0;
	list_for_each_entry(seen, names, list)
		if (!strcmp(seen->name, name.fsname))
			return 0;
	seen = kzalloc(sizeof(*seen), GFP_KERNEL);
	if (!seen)
		return -ENOMEM;
	memcpy(seen->name, name.fsname, sizeof(seen->name));
	list_add_tail(&seen->list, names);
	return 0;
}

/**
 * mgs_log_fsnames() - iterate over the file systems that have logs
 * @view: logs
 * @fn: called for each, until it returns nonzero
 * @data: its argument
 *
 * Context: may sleep for memory
 * Return: what @fn returned last; -ENOMEM
 */
int mgs_log_fsnames(const struct mgs_view *view,
		    int (*fn)(void *data, const char *fsname), void *data)
{
	struct mgs_fs_name *seen, *next;
	struct list_head names;
	int rc;

	INIT_LIST_HEAD(&names);
	rc = mgs_view_each(view, note_fsname, &names);
	list_for_each_entry_safe(seen, next, &names, list) {
		if (!rc)
			rc = fn(data, seen->name);
		kfree(seen);
	}
	return rc;
}

/**
 * mgs_log_targets() - iterate over the targets of a file system
 * @view: logs
 * @fsname: file system
 * @fn: called for each, OSTs first, by index, until it returns nonzero
 * @data: its argument
 *
 * Context: may sleep for memory
 * Return: what @fn returned last; -ENOMEM; as mgs_view_walk()
 */
int mgs_log_targets(const struct mgs_view *view, const char *fsname,
		    int (*fn)(void *data, const char *svname), void *data)
{
	struct mgs_fs_target *target;
	struct mgs_fsdb db;
	int rc;

	/* The cache belongs to the writer. */
	rc = fsdb_init(&db, fsname) ? fsdb_scan(&db, view) : 0;
	if (!rc) {
		list_for_each_entry(target, &db.targets, list) {
			rc = fn(data, target->name);
			if (rc)
				break;
		}
	}
	mgs_fsdb_free(&db);
	return rc;
}
