// SPDX-License-Identifier: GPL-2.0
/*
 * Devices that a config log made for a mount: those of its instance.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/random.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_import.h>
#include <lustre_lite/obd_ops.h>

#include "llite_internal.h"

/**
 * llite_instance_new() - a number that no other mount has
 *
 * Context: any
 * Return: number, not 0
 */
u64 llite_instance_new(void)
{
	u64 instance;

	do {
		instance = get_random_u64();
	} while (!instance);
	return instance;
}

/**
 * llite_imports_each() - go through the client devices of an instance
 * @instance: instance
 * @fn: called for each, inside of its gate: its import stays
 * @arg: for it
 *
 * Context: may sleep
 */
void llite_imports_each(u64 instance,
			void (*fn)(struct obd_device *obd, void *arg),
			void *arg)
{
	struct obd_device *obd;
	u32 next = 0;

	while ((obd = class_next_obd(&next))) {
		if (obd->obd_instance == instance &&
		    obd->obd_type->typ_has_import && obd_op_enter(obd)) {
			fn(obd, arg);
			obd_op_leave(obd);
		}
		class_decref(obd, OBD_REF_LOOKUP);
	}
}

/**
 * llite_import_down() - whether a target cannot be used that should be
 * @obd: client device; the caller is inside of its gate
 *
 * Context: any
 * Return: whether that is so; one that was switched off is not meant to be used
 */
bool llite_import_down(struct obd_device *obd)
{
	const struct obd_import *imp = obd->obd_cli->cl_import;

	return !test_bit(IMPF_DEACTIVE, &imp->imp_flags) &&
	       !import_is_usable(imp);
}

/**
 * struct import_sayer - who says which targets cannot be reached
 * @who: name of the mount
 * @fc: context of the mount
 */
struct import_sayer {
	const char		*who;
	struct fs_context	*fc;
};

static void import_say(struct obd_device *obd, void *arg)
{
	const char *target = obd->obd_cli->cl_target_uuid.uuid;
	const struct import_sayer *sayer = arg;

	if (!llite_import_down(obd))
		return;
	llite_warn(sayer->fc, "%s: mounted without %s, which cannot be reached (%s); it is used as soon as it can",
		   sayer->who, target, obd->obd_name);
}

/**
 * llite_imports_say() - say which targets cannot be reached
 * @instance: instance
 * @who: name of the mount
 * @fc: context of the mount
 *
 * Context: may sleep
 */
void llite_imports_say(u64 instance, const char *who, struct fs_context *fc)
{
	struct import_sayer sayer = { .who = who, .fc = fc };

	llite_imports_each(instance, import_say, &sayer);
}

static void import_hang_up(struct obd_device *obd, void *arg)
{
	import_set_active(obd->obd_cli->cl_import, false, NULL);
}

/**
 * llite_imports_hang_up() - nobody waits for a target any more
 * @instance: instance
 *
 * Context: may sleep
 */
void llite_imports_hang_up(u64 instance)
{
	llite_imports_each(instance, import_hang_up, NULL);
}

/**
 * llite_devices_down() - take down what a log made
 * @instance: instance
 * @who: name of the mount
 * @force: do not wait for peers
 *
 * A device that somebody still uses stays, and says so: it goes when that is over.
 *
 * Context: may sleep, in bounded time
 */
void llite_devices_down(u64 instance, const char *who, bool force)
{
	struct obd_why why = { "" };

	class_cleanup_instance(instance, force, &why);
	if (why.text[0]) {
		/* What was being freed is; those who waited for it can go. */
		obd_zombie_barrier();
		why.text[0] = '\0';
		class_cleanup_instance(instance, true, &why);
	}
	if (why.text[0])
		CERROR("%s: a device of it stays: %s\n", who, why.text);
	class_del_profiles(instance);
}
