// SPDX-License-Identifier: GPL-2.0-only
/* Devices created by a config log for a mount: those of its instance. */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/random.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/obd_ops.h>

#include "llite_internal.h"

/* A unique number for a mount, not 0. */
u64 llite_instance_new(void)
{
	u64 instance;

	do {
		instance = get_random_u64();
	} while (!instance);
	return instance;
}

/**
 * llite_imports_each() - call a function for each client device of an instance
 * @instance: instance
 * @fn: function, called inside of the device's gate: its import is valid
 * @arg: its argument
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
		    obd->obd_type->typ_import && obd_op_enter(obd)) {
			fn(obd, arg);
			obd_op_leave(obd);
		}
		class_decref(obd, OBD_REF_LOOKUP);
	}
}

/**
 * llite_import_down() - whether a target is unusable but should not be
 * @obd: client device; the caller is inside of its gate
 *
 * Context: any
 * Return: true if so; a deactivated target does not count
 */
bool llite_import_down(struct obd_device *obd)
{
	const struct obd_import *imp = obd->obd_cli->cl_import;

	return !test_bit(IMPF_DEACTIVE, &imp->imp_flags) &&
	       !import_is_usable(imp);
}

static void mdt_down(struct obd_device *obd, void *arg)
{
	bool *down = arg;

	if (obd->obd_type->typ_service == OBD_SERVICE_MDS && llite_import_down(obd))
		*down = true;
}

/**
 * llite_mdts_down() - whether a metadata target cannot be reached
 * @instance: instance
 *
 * Context: may sleep
 * Return: true for one that is not deactivated either
 */
bool llite_mdts_down(u64 instance)
{
	bool down = false;

	llite_imports_each(instance, mdt_down, &down);
	return down;
}

/**
 * struct import_warner - context of warnings about unreachable targets
 * @who: name of the mount
 * @fc: context of the mount
 */
struct import_warner {
	const char		*who;
	struct fs_context	*fc;
};

static void import_warn(struct obd_device *obd, void *arg)
{
	const char *target = obd->obd_cli->cl_target_uuid.uuid;
	const struct import_warner *warner = arg;

	if (!llite_import_down(obd))
		return;
	llite_warn(warner->fc, "%s: mounted without %s (%s); it is used when it can be reached",
		   warner->who, target, obd->obd_name);
}

/**
 * llite_imports_warn() - warn about unreachable targets
 * @instance: instance
 * @who: name of the mount
 * @fc: context of the mount
 *
 * Context: may sleep
 */
void llite_imports_warn(u64 instance, const char *who, struct fs_context *fc)
{
	struct import_warner warner = { .who = who, .fc = fc };

	llite_imports_each(instance, import_warn, &warner);
}

static void import_abort(struct obd_device *obd, void *arg)
{
	import_set_active(obd->obd_cli->cl_import, false, NULL);
}

/**
 * llite_imports_abort() - end all waits for targets
 * @instance: instance
 *
 * Context: may sleep
 */
void llite_imports_abort(u64 instance)
{
	llite_imports_each(instance, import_abort, NULL);
}

static void import_abort_down(struct obd_device *obd, void *arg)
{
	if (llite_import_down(obd))
		import_abort(obd, arg);
}

/**
 * llite_imports_abort_down() - end all waits for targets that cannot be reached
 * @instance: instance
 *
 * Context: may sleep
 */
void llite_imports_abort_down(u64 instance)
{
	llite_imports_each(instance, import_abort_down, NULL);
}

/**
 * llite_devices_down() - remove the devices of an instance
 * @instance: instance
 * @who: name of the mount
 * @force: do not wait for peers
 *
 * A device in use stays with a message, and is freed after the last use.
 *
 * Context: may sleep, in bounded time
 */
void llite_devices_down(u64 instance, const char *who, bool force)
{
	struct obd_why why = { "" };

	class_cleanup_instance(instance, force, &why);
	if (why.text[0]) {
		/* Wait for pending frees, on which tasks may wait. */
		obd_zombie_barrier();
		why.text[0] = '\0';
		class_cleanup_instance(instance, true, &why);
	}
	if (why.text[0])
		CERROR("%s: cannot remove a device: %s\n", who, why.text);
	class_del_profiles(instance);
	class_del_uuids(instance);
}
