// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects created by a log: devices, targets of volumes, pools. When the log
 * was written from scratch and no longer names some, these are removed: members
 * of pools, pools and targets of volumes first, then devices.
 *
 * Only devices of the log's instance are removed, and never the one with the
 * name of the log: a target ends with its mount.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/hashtable.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

/* Longest wait for a device that is being removed when a log creates it again. */
#define LEAVE_JIFFIES	(2 * HZ)

/*
 * struct mgc_created_kind - a command that creates an object, and the one that
 * undoes it
 */
struct mgc_created_kind {
	u32	make;
	u32	undo;
	u32	keys;	/* buffers that identify the object */
};

static const struct mgc_created_kind created_kinds[] = {
	{ LCFG_ATTACH, LCFG_DETACH, 1 },
	{ LCFG_LOV_ADD_OBD, LCFG_LOV_DEL_OBD, 3 },
	{ LCFG_LOV_ADD_INA, LCFG_LOV_DEL_OBD, 3 },
	{ LCFG_ADD_MDC, LCFG_DEL_MDC, 3 },
	{ LCFG_POOL_NEW, LCFG_POOL_DEL, 3 },
	{ LCFG_POOL_ADD, LCFG_POOL_REM, 4 },
};

/**
 * struct mgc_created - an object created by a log
 * @mcr_item: in ml_created, in the order in which the log named it last
 * @mcr_hash: in ml_created_hash
 * @mcr_undo: command that undoes it
 * @mcr_keys: buffers that identify it
 * @mcr_pass: ml_pass of the log when it was named last
 * @mcr_size: bytes of @mcr_cfg
 * @mcr_cfg: command as in the log, a struct lustre_cfg
 */
struct mgc_created {
	struct list_head	mcr_item;
	struct hlist_node	mcr_hash;
	u32			mcr_undo;
	u32			mcr_keys;
	u64			mcr_pass;
	u32			mcr_size;
	char			mcr_cfg[];
};

static const struct mgc_created_kind *kind_of(u32 command)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(created_kinds); n++)
		if (created_kinds[n].make == command ||
		    created_kinds[n].undo == command)
			return &created_kinds[n];
	return NULL;
}

static const char *key(const struct lcfg_view *view, u32 n)
{
	return (n < view->bufcount ? lcfg_string(view, n) : NULL) ?: "";
}

static unsigned int created_hash(const struct mgc_created_kind *kind,
				 const struct lcfg_view *view)
{
	unsigned int hash = 0;
	u32 n;

	for (n = 0; n < kind->keys; n++)
		hash = full_name_hash((void *)(unsigned long)hash,
				      key(view, n), strlen(key(view, n)));
	return hash;
}

static int created_decode(const struct mgc_created *created, struct lcfg_view *view)
{
	const char *words;

	return lustre_cfg_decode(created->mcr_cfg, created->mcr_size, view, &words);
}

static bool created_is(const struct mgc_created *created, const struct mgc_created_kind *kind,
		       const struct lcfg_view *view)
{
	struct lcfg_view has;
	u32 n;

	if (created->mcr_undo != kind->undo || created_decode(created, &has))
		return false;
	for (n = 0; n < kind->keys; n++)
		if (strcmp(key(&has, n), key(view, n)))
			return false;
	return true;
}

static struct mgc_created *created_find(struct mgc_log *log,
					const struct mgc_created_kind *kind,
					const struct lcfg_view *view)
{
	struct mgc_created *created;

	hash_for_each_possible(log->ml_created_hash, created, mcr_hash,
			       created_hash(kind, view))
		if (created_is(created, kind, view))
			return created;
	return NULL;
}

static struct mgc_created *created_new(struct mgc_log *log,
				       const struct mgc_created_kind *kind,
				       const struct lcfg_view *view)
{
	u32 size = lustre_cfg_size(view);
	struct mgc_created *created = libcfs_zalloc(sizeof(*created) + size, GFP_KERNEL);

	if (!created)
		return NULL;
	created->mcr_undo = kind->undo;
	created->mcr_keys = kind->keys;
	created->mcr_size = size;
	lustre_cfg_encode(view, created->mcr_cfg, size);
	INIT_LIST_HEAD(&created->mcr_item);
	hash_add(log->ml_created_hash, &created->mcr_hash, created_hash(kind, view));
	return created;
}

static void created_free(struct mgc_created *created)
{
	hash_del(&created->mcr_hash);
	list_del(&created->mcr_item);
	libcfs_free(created, sizeof(*created) + created->mcr_size);
}

/* Whether the log may remove it. */
static bool device_is_mine(const struct mgc_log *log,
			   const struct obd_device *obd)
{
	return obd->obd_instance == log->ml_cfg.cfg_rules.cr_instance &&
	       strcmp(obd->obd_name, log->ml_name);
}

/*
 * A device is in the table until its last user has gone, which may be happening
 * now.
 */
static void device_leave(const struct mgc_log *log, const char *name)
{
	struct obd_device *obd = class_name2obd(name);

	if (!obd)
		return;
	if (device_is_mine(log, obd)) {
		if (READ_ONCE(obd->obd_state) == OBD_STOPPING)
			wait_for_completion_killable_timeout(&obd->obd_cleaned,
							     LEAVE_JIFFIES);
		if (READ_ONCE(obd->obd_state) == OBD_CLEANED_UP)
			class_detach(obd, NULL);
	}
	class_decref(obd, OBD_REF_LOOKUP);
}

/**
 * mgc_created_hook() - record a command that creates or undoes an object
 * @log: log
 * @view: command, about to be applied
 *
 * After an allocation failure the object stays until its mount ends.
 *
 * Context: under ml_mutex; may sleep
 */
void mgc_created_hook(struct mgc_log *log, const struct lcfg_view *view)
{
	const struct mgc_created_kind *kind = kind_of(view->command);
	struct mgc_created *created;

	lockdep_assert_held(&log->ml_mutex);
	if (!kind)
		return;
	created = created_find(log, kind, view);
	if (created && kind->undo == LCFG_DETACH)
		device_leave(log, key(view, 0));
	if (view->command == kind->undo) {
		if (created)
			created_free(created);
		return;
	}
	created = created ?: created_new(log, kind, view);
	if (!created)
		return;
	created->mcr_pass = log->ml_pass;
	list_move_tail(&created->mcr_item, &log->ml_created);
}

/**
 * mgc_created_hidden() - a record failed: whether it may name an object that cannot be read
 * @command: its command; 0: it has none
 * @rc: a negative errno
 *
 * So may one in the section of a marker that cannot be read.
 *
 * Context: any
 * Return: true if it may
 */
bool mgc_created_hidden(u32 command, int rc)
{
	const struct mgc_created_kind *kind = kind_of(command);

	return rc == -EINVAL && (!command || command == LCFG_MARKER ||
				 (kind && kind->make == command));
}

static void created_warn(const struct mgc_log *log, const char *what)
{
	CWARN("%s: log %s no longer names %s, removing it\n",
	      log->ml_mgc->mg_obd->obd_name, log->ml_name, what);
}

/* By force: the target is gone, so do not wait for its server. */
static int device_undo(const struct mgc_log *log, const char *name,
		       struct obd_why *why)
{
	struct obd_device *obd = class_name2obd(name);
	int rc = 0;

	if (!obd)
		return 0;
	if (device_is_mine(log, obd)) {
		if (obd_is_set_up(obd)) {
			created_warn(log, name);
			rc = class_cleanup(obd, true, false, why);
		}
		rc = rc ?: class_detach(obd, why);
	}
	class_decref(obd, OBD_REF_LOOKUP);
	return rc;
}

/*
 * The device of that name may be a later one, of another log or an
 * administrator.
 */
static int part_undo(const struct mgc_log *log, const struct lcfg_view *view,
		     struct obd_why *why)
{
	struct obd_device *obd = class_name2obd(key(view, 0));
	int rc = 0;

	if (!obd)
		return 0;
	if (device_is_mine(log, obd))
		rc = class_process_config(view, 0, &obd, why);
	class_decref(obd, OBD_REF_LOOKUP);
	return rc;
}

/* The index after the uuid is part of the identity. */
static bool is_target(const struct mgc_created *created)
{
	return created->mcr_undo == LCFG_LOV_DEL_OBD ||
	       created->mcr_undo == LCFG_DEL_MDC;
}

/* Return: true if it is still in use */
static bool created_undo(struct mgc_log *log, const struct mgc_created *created)
{
	struct obd_why why = {};
	struct lcfg_view view;
	int rc;

	if (created_decode(created, &view))
		return false;
	view.command = created->mcr_undo;
	if (view.command == LCFG_DETACH) {
		rc = device_undo(log, key(&view, 0), &why);
	} else {
		created_warn(log, key(&view, created->mcr_keys - 1 - is_target(created)));
		rc = part_undo(log, &view, &why);
	}
	if (rc && rc != -ENOENT && rc != -ENODEV && rc != -EBUSY)
		CWARN("%s: log %s: %s of '%s': %s: rc = %d\n",
		      log->ml_mgc->mg_obd->obd_name, log->ml_name,
		      lcfg_command_name(view.command), key(&view, 0), why.text,
		      rc);
	return rc == -ETIMEDOUT || rc == -EBUSY;
}

/* Undo objects not named in this pass, the last one first. */
static void undo_all(struct mgc_log *log, bool devices)
{
	struct mgc_created *created, *next;

	list_for_each_entry_safe_reverse(created, next, &log->ml_created, mcr_item) {
		if (created->mcr_pass == log->ml_pass ||
		    devices != (created->mcr_undo == LCFG_DETACH))
			continue;
		if (mgc_log_ended(log))
			return;
		if (created_undo(log, created))
			log->ml_created_left = true;
		else
			created_free(created);
	}
}

/**
 * mgc_created_sync() - a log was read: remove the objects that it no longer
 * names
 * @log: log
 * @whole: it was read whole; else only objects that were still in use are tried
 *  again
 *
 * Users of a device that is removed get -ENODEV or -ENOTCONN from it. It stays
 * in the table while it is in use.
 *
 * Context: under ml_mutex; sleeps, a few seconds for a device in use, or whose
 *  server does not answer
 */
void mgc_created_sync(struct mgc_log *log, bool whole)
{
	lockdep_assert_held(&log->ml_mutex);
	if (!whole && !log->ml_created_left)
		return;
	log->ml_created_left = false;
	undo_all(log, false);
	undo_all(log, true);
}

/*
 * Free the records of created objects, which stay; the log has no other
 * references.
 */
void mgc_created_free(struct mgc_log *log)
{
	struct mgc_created *created, *next;

	list_for_each_entry_safe(created, next, &log->ml_created, mcr_item)
		created_free(created);
}
