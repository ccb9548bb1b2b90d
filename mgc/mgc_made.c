// SPDX-License-Identifier: GPL-2.0
/*
 * What a log made: devices, targets of volumes, pools. When the log was written anew
 * and names some of it no more, that goes: members of pools, pools and targets of
 * volumes first, then devices.
 *
 * Only devices of the log's instance are taken down, and never the one that is called
 * as the log is: a target ends with its mount.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/hashtable.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

/* How long a device on its way out is waited for when a log makes it again. */
#define LEAVE_JIFFIES	(2 * HZ)

/* struct made_kind - a command that makes something, and the one that undoes it */
struct made_kind {
	u32	make;
	u32	undo;
	u32	keys;	/* buffers that say what it is */
};

static const struct made_kind made_kinds[] = {
	{ LCFG_ATTACH, LCFG_DETACH, 1 },
	{ LCFG_LOV_ADD_OBD, LCFG_LOV_DEL_OBD, 3 },
	{ LCFG_LOV_ADD_INA, LCFG_LOV_DEL_OBD, 3 },
	{ LCFG_ADD_MDC, LCFG_DEL_MDC, 3 },
	{ LCFG_POOL_NEW, LCFG_POOL_DEL, 3 },
	{ LCFG_POOL_ADD, LCFG_POOL_REM, 4 },
};

/**
 * struct mgc_made - something that a log made
 * @md_item: in ml_made, in the order in which the log named it last
 * @md_hash: in ml_made_hash
 * @md_undo: command that undoes it
 * @md_keys: buffers of it that say what it is
 * @md_pass: ml_pass of the log when it was named last
 * @md_size: bytes of @md_cfg
 * @md_cfg: command as the log had it, a struct lustre_cfg
 */
struct mgc_made {
	struct list_head	md_item;
	struct hlist_node	md_hash;
	u32			md_undo;
	u32			md_keys;
	u64			md_pass;
	u32			md_size;
	char			md_cfg[];
};

static const struct made_kind *kind_of(u32 command)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(made_kinds); n++)
		if (made_kinds[n].make == command ||
		    made_kinds[n].undo == command)
			return &made_kinds[n];
	return NULL;
}

static const char *key(const struct lcfg_view *view, u32 n)
{
	return (n < view->bufcount ? lcfg_string(view, n) : NULL) ?: "";
}

static unsigned int made_hash(const struct made_kind *kind,
			      const struct lcfg_view *view)
{
	unsigned int hash = 0;
	u32 n;

	for (n = 0; n < kind->keys; n++)
		hash = full_name_hash((void *)(unsigned long)hash,
				      key(view, n), strlen(key(view, n)));
	return hash;
}

static int made_decode(const struct mgc_made *made, struct lcfg_view *view)
{
	const char *words;

	return lustre_cfg_decode(made->md_cfg, made->md_size, view, &words);
}

static bool made_is(const struct mgc_made *made, const struct made_kind *kind,
		    const struct lcfg_view *view)
{
	struct lcfg_view has;
	u32 n;

	if (made->md_undo != kind->undo || made_decode(made, &has))
		return false;
	for (n = 0; n < kind->keys; n++)
		if (strcmp(key(&has, n), key(view, n)))
			return false;
	return true;
}

static struct mgc_made *made_find(struct mgc_log *log,
				  const struct made_kind *kind,
				  const struct lcfg_view *view)
{
	struct mgc_made *made;

	hash_for_each_possible(log->ml_made_hash, made, md_hash,
			       made_hash(kind, view))
		if (made_is(made, kind, view))
			return made;
	return NULL;
}

static struct mgc_made *made_new(struct mgc_log *log,
				 const struct made_kind *kind,
				 const struct lcfg_view *view)
{
	u32 size = lustre_cfg_size(view);
	struct mgc_made *made = libcfs_zalloc(sizeof(*made) + size, GFP_KERNEL);

	if (!made)
		return NULL;
	made->md_undo = kind->undo;
	made->md_keys = kind->keys;
	made->md_size = size;
	lustre_cfg_encode(view, made->md_cfg, size);
	INIT_LIST_HEAD(&made->md_item);
	hash_add(log->ml_made_hash, &made->md_hash, made_hash(kind, view));
	return made;
}

static void made_free(struct mgc_made *made)
{
	hash_del(&made->md_hash);
	list_del(&made->md_item);
	libcfs_free(made, sizeof(*made) + made->md_size);
}

/* Whether it is the log's to take down. */
static bool device_is_mine(const struct mgc_log *log,
			   const struct obd_device *obd)
{
	return obd->obd_instance == log->ml_cfg.cfg_rules.cr_instance &&
	       strcmp(obd->obd_name, log->ml_name);
}

/*
 * A device that is cleaned up when its last user lets go is still in the table; that
 * may be happening now.
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
 * mgc_made_hook() - a command may make something, or undo it
 * @log: log
 * @view: command, about to be done
 *
 * What there is no memory to remember stays until its mount ends.
 *
 * Context: under ml_mutex; may sleep
 */
void mgc_made_hook(struct mgc_log *log, const struct lcfg_view *view)
{
	const struct made_kind *kind = kind_of(view->command);
	struct mgc_made *made;

	lockdep_assert_held(&log->ml_mutex);
	if (!kind)
		return;
	made = made_find(log, kind, view);
	if (made && kind->undo == LCFG_DETACH)
		device_leave(log, key(view, 0));
	if (view->command == kind->undo) {
		if (made)
			made_free(made);
		return;
	}
	made = made ?: made_new(log, kind, view);
	if (!made)
		return;
	made->md_pass = log->ml_pass;
	list_move_tail(&made->md_item, &log->ml_made);
}

static void made_say(const struct mgc_log *log, const char *what)
{
	CWARN("%s: log %s names %s no more, which is taken out\n",
	      log->ml_mgc->mg_obd->obd_name, log->ml_name, what);
}

/* By force: what it is for is gone, so that nobody waits for its server. */
static int device_undo(const struct mgc_log *log, const char *name,
		       struct obd_why *why)
{
	struct obd_device *obd = class_name2obd(name);
	int rc = 0;

	if (!obd)
		return 0;
	if (device_is_mine(log, obd)) {
		if (obd_is_set_up(obd)) {
			made_say(log, name);
			rc = class_cleanup(obd, true, false, why);
		}
		rc = rc ?: class_detach(obd, why);
	}
	class_decref(obd, OBD_REF_LOOKUP);
	return rc;
}

/* The device of that name may be a later one, of another log or an administrator. */
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

/* The index behind its uuid says what it is, too. */
static bool is_target(const struct mgc_made *made)
{
	return made->md_undo == LCFG_LOV_DEL_OBD ||
	       made->md_undo == LCFG_DEL_MDC;
}

/* Return: whether somebody still uses it */
static bool made_undo(struct mgc_log *log, const struct mgc_made *made)
{
	struct obd_why why = {};
	struct lcfg_view view;
	int rc;

	if (made_decode(made, &view))
		return false;
	view.command = made->md_undo;
	if (view.command == LCFG_DETACH) {
		rc = device_undo(log, key(&view, 0), &why);
	} else {
		made_say(log, key(&view, made->md_keys - 1 - is_target(made)));
		rc = part_undo(log, &view, &why);
	}
	if (rc && rc != -ENOENT && rc != -ENODEV && rc != -EBUSY)
		CWARN("%s: log %s: %s of '%s': %s: rc = %d\n",
		      log->ml_mgc->mg_obd->obd_name, log->ml_name,
		      lcfg_command_name(view.command), key(&view, 0), why.text,
		      rc);
	return rc == -ETIMEDOUT || rc == -EBUSY;
}

/* What was named before this pass and not in it, the last one first. */
static void undo_all(struct mgc_log *log, bool devices)
{
	struct mgc_made *made, *next;

	list_for_each_entry_safe_reverse(made, next, &log->ml_made, md_item) {
		if (made->md_pass == log->ml_pass ||
		    devices != (made->md_undo == LCFG_DETACH))
			continue;
		if (mgc_log_ended(log))
			return;
		if (made_undo(log, made))
			log->ml_made_left = true;
		else
			made_free(made);
	}
}

/**
 * mgc_made_sync() - a log was read: what it made and names no more goes
 * @log: log
 * @anew: it was read whole; else only what somebody still used is looked at again
 *
 * Users of a device that goes get -ENODEV or -ENOTCONN from it. While they have it,
 * it is in the table.
 *
 * Context: under ml_mutex; sleeps, a few seconds for a device that somebody uses, or
 * whose server does not answer
 */
void mgc_made_sync(struct mgc_log *log, bool anew)
{
	lockdep_assert_held(&log->ml_mutex);
	if (!anew && !log->ml_made_left)
		return;
	log->ml_made_left = false;
	undo_all(log, false);
	undo_all(log, true);
}

/**
 * mgc_made_free() - forget what a log made, which stays
 * @log: log that nobody else has
 *
 * Context: any
 */
void mgc_made_free(struct mgc_log *log)
{
	struct mgc_made *made, *next;

	list_for_each_entry_safe(made, next, &log->ml_made, md_item)
		made_free(made);
}
