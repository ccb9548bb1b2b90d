// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life of a device: attach, setup, cleanup, detach. The states are drawn in obd.h.
 *
 * The task that moves a device into STARTING or STOPPING does the work of that phase
 * alone; no lock is held meanwhile. A cleanup has these steps:
 *
 *	abort		its import, if the target does not answer
 *	unpublish	removes its parameters; waits for their callbacks
 *	close		the gate; waits for running operations
 *	disconnect	its exports
 *	precleanup	the type stops its own activity
 *	drain		waits until the last export was destroyed
 *	stop		the type frees its data
 *
 * "stop" is run by the last put of a user, by the cleanup or by the last export: so a
 * cleanup may give up waiting.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_fail.h>
#include <lustre_lite/params.h>
#include <uapi/lustre_lite/obd_netlink.h>

#include "obd_internal.h"

/* Seconds until a cleanup logs what it waits for; then twice as many. */
#define CLEANUP_LOG_SEC		2
/* Most seconds that a forced cleanup waits; another waits for obd_timeout. */
#define CLEANUP_FORCE_SEC	5

unsigned int obd_timeout = OBD_TIMEOUT_DEFAULT;
EXPORT_SYMBOL_NS_GPL(obd_timeout, LUSTRE_LITE);

static const u8 obd_moves[OBD_STATE_COUNT] = {
	[OBD_NEW]	= BIT(OBD_ATTACHED),
	[OBD_ATTACHED]	= BIT(OBD_STARTING) | BIT(OBD_DETACHED),
	[OBD_STARTING]	= BIT(OBD_SET_UP) | BIT(OBD_ATTACHED),
	[OBD_SET_UP]	= BIT(OBD_STOPPING),
	[OBD_STOPPING]	= BIT(OBD_CLEANED_UP),
	[OBD_CLEANED_UP] = BIT(OBD_DETACHED),
};

bool obd_move(struct obd_device *obd, enum obd_state from, enum obd_state to)
{
	if (WARN_ON_ONCE(!(obd_moves[from] & BIT(to))))
		return false;
	return cmpxchg(&obd->obd_state, from, to) == from;
}

/**
 * class_obd_status() - status of a device for lists
 * @obd: device; the caller holds it or is under RCU
 *
 * Context: any
 * Return: status
 */
enum obd_status class_obd_status(const struct obd_device *obd)
{
	switch (READ_ONCE(obd->obd_state)) {
	case OBD_ATTACHED:
	case OBD_STARTING:
		return OBD_STATUS_ATTACHED;
	case OBD_SET_UP:
		return test_bit(OBDF_INACTIVE, &obd->obd_flags) ?
			OBD_STATUS_INACTIVE : OBD_STATUS_UP;
	case OBD_STOPPING:
	case OBD_CLEANED_UP:
		return OBD_STATUS_STOPPING;
	default:
		return OBD_STATUS_NONE;
	}
}
EXPORT_FOR_KUNIT(class_obd_status);

/**
 * obd_status_letters() - the two letters of a status
 * @status: status
 *
 * Context: any
 * Return: static text
 */
const char *obd_status_letters(enum obd_status status)
{
	static const char * const letters[] = {
		[OBD_STATUS_NONE] = "--",
		[OBD_STATUS_ATTACHED] = "AT",
		[OBD_STATUS_UP] = "UP",
		[OBD_STATUS_INACTIVE] = "IN",
		[OBD_STATUS_STOPPING] = "ST",
	};

	return status < ARRAY_SIZE(letters) ? letters[status] : "--";
}
EXPORT_FOR_KUNIT(obd_status_letters);

static int attach_register(struct obd_device *obd, struct obd_why *why)
{
	int rc = class_register_device(obd);

	if (rc == -EEXIST)
		return obd_refuse(why, rc,
				  "device '%s' already exists; detach it or choose another name",
				  obd->obd_name);
	if (rc == -EOVERFLOW)
		return obd_refuse(why, rc,
				  "all %u numbers are in use; load obdclass with a larger max_devices",
				  class_obd_devs_count());
	return rc;
}

/**
 * class_attach_in() - class_attach() in another network namespace
 * @net: network namespace of the device; NULL: that of the task
 * @type_name: type
 * @name: name
 * @uuid: uuid
 * @instance: instance of its config log, or 0
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: as class_attach()
 */
struct obd_device *class_attach_in(struct net *net, const char *type_name,
				   const char *name, const char *uuid,
				   u64 instance, struct obd_why *why)
{
	struct obd_device *obd = class_newdev(type_name, name, uuid, why);
	struct obd_export *self;
	int rc;

	if (IS_ERR(obd))
		return obd;
	if (net) {
		put_net(obd->obd_net);
		obd->obd_net = get_net(net);
	}
	obd->obd_instance = instance;
	self = class_new_export_self(obd);
	if (IS_ERR(self)) {
		rc = PTR_ERR(self);
		goto put_device;
	}
	obd->obd_self_export = self;
	rc = attach_register(obd, why);
	if (rc)
		goto put_self;
	obd_move(obd, OBD_NEW, OBD_ATTACHED);
	obd_event(obd, LL_OBD_ATTACHED, 0, NULL);
	return obd;

put_self:
	class_unlink_export(self);
	class_export_put(self);
	class_put_detached(obd, OBD_FREE_WAIT);
	return ERR_PTR(rc);
put_device:
	class_decref(obd, OBD_REF_LOOKUP);
	return ERR_PTR(rc);
}
EXPORT_SYMBOL_NS_GPL(class_attach_in, LUSTRE_LITE);

/**
 * class_attach() - create a device and add it to the table
 * @type_name: type
 * @name: name
 * @uuid: uuid
 * @instance: instance of its config log, or 0
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: device, referenced (OBD_REF_LOOKUP), or as class_newdev() and
 *  class_register_device()
 */
struct obd_device *class_attach(const char *type_name, const char *name,
				const char *uuid, u64 instance,
				struct obd_why *why)
{
	return class_attach_in(NULL, type_name, name, uuid, instance, why);
}
EXPORT_FOR_KUNIT(class_attach);

static int setup_refused(struct obd_device *obd, struct obd_why *why)
{
	switch (READ_ONCE(obd->obd_state)) {
	case OBD_STARTING:
		return obd_refuse(why, -EEXIST, "%s: is being set up",
				  obd->obd_name);
	case OBD_SET_UP:
		return obd_refuse(why, -EEXIST, "%s: is already set up",
				  obd->obd_name);
	case OBD_STOPPING:
	case OBD_CLEANED_UP:
		return obd_refuse(why, -ENODEV,
				  "%s: was cleaned up; detach it and attach it again",
				  obd->obd_name);
	default:
		return obd_refuse(why, -ENODEV, "%s: is not attached",
				  obd->obd_name);
	}
}

/* The last user has gone, or there never was one: the type frees its data. */
static void obd_stop(struct obd_device *obd)
{
	int rc = __OBD_COUNTED(obd, OBD_OP_CLEANUP,
			       OBP(obd, cleanup)(obd));

	if (rc)
		CERROR("%s: cleanup of type %s failed: rc = %d\n", obd->obd_name,
		       obd->obd_type_name, rc);
	obd_stats_free(obd);
}

/* The type's part of a setup; completely undone on failure. */
static int setup_type(struct obd_device *obd, const struct lcfg_view *cfg,
		      struct obd_why *why)
{
	int rc = __OBD_COUNTED(obd, OBD_OP_SETUP,
			       OBP(obd, setup)(obd, cfg, why));

	if (rc)
		return rc;
	rc = CFS_FAIL_CHECK(OBD_FAIL_OBD_SETUP) ? libcfs_fail_err(-EIO) :
						  obd_params_publish(obd);
	if (rc && OBP(obd, precleanup))
		OBP(obd, precleanup)(obd);
	if (rc)
		OBP(obd, cleanup)(obd);
	return rc;
}

/**
 * class_setup() - set a device up, and open its gate
 * @obd: device, attached; the caller holds it
 * @cfg: LCFG_SETUP; its buffers from 1 on are the type's arguments
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: 0; -EEXIST if it is set up or being set up; -ENODEV if it is not
 *  attached or was cleaned up; the error of o_setup, and it is ATTACHED again
 */
int class_setup(struct obd_device *obd, const struct lcfg_view *cfg,
		struct obd_why *why)
{
	int rc;

	if (!obd_move(obd, OBD_ATTACHED, OBD_STARTING))
		return setup_refused(obd, why);
	class_incref(obd, OBD_REF_SETUP);
	refcount_set(&obd->obd_users, 1);
	rc = obd_stats_alloc(obd);
	if (rc)
		goto close;
	rc = obd_params_add(obd);
	if (rc)
		goto free_stats;
	rc = setup_type(obd, cfg, why);
	if (rc)
		goto remove_params;
	libcfs_active_open(&obd->obd_active);
	obd_move(obd, OBD_STARTING, OBD_SET_UP);
	obd_event(obd, LL_OBD_SET_UP, 0, NULL);
	return 0;

remove_params:
	obd_params_remove(obd);
free_stats:
	obd_stats_free(obd);
close:
	obd_move(obd, OBD_STARTING, OBD_ATTACHED);
	class_decref(obd, OBD_REF_SETUP);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(class_setup, LUSTRE_LITE);

/**
 * obd_user_get() - prevent a device from being stopped
 * @obd: device that has a user
 *
 * Context: any
 */
void obd_user_get(struct obd_device *obd)
{
	refcount_inc(&obd->obd_users);
}

/**
 * obd_user_put() - drop a user; the last put stops the device
 * @obd: device
 *
 * Context: may sleep
 */
void obd_user_put(struct obd_device *obd)
{
	if (!refcount_dec_and_test(&obd->obd_users))
		return;
	obd_stop(obd);
	obd_move(obd, OBD_STOPPING, OBD_CLEANED_UP);
	obd_event(obd, LL_OBD_CLEANED_UP, 0, NULL);
	complete_all(&obd->obd_cleaned);
	class_decref(obd, OBD_REF_SETUP);
}

static void operation_name(void *arg, char *buf, size_t size)
{
	struct obd_device *obd = arg;

	scnprintf(buf, size, "device %s", obd->obd_name);
}

/* Wait until the device was stopped; bounded, and with messages. */
static int cleanup_wait(struct obd_device *obd, struct obd_why *why)
{
	unsigned int bound = test_bit(OBDF_FORCE, &obd->obd_flags) ?
			     CLEANUP_FORCE_SEC :
			     max_t(unsigned int, READ_ONCE(obd_timeout), 1);
	unsigned int step = CLEANUP_LOG_SEC, waited = 0;
	char whom[OBD_HOLDER_MAX];
	long left;

	for (;;) {
		step = min(step, bound - waited);
		left = wait_for_completion_killable_timeout(&obd->obd_cleaned,
							    step * HZ);
		if (left > 0)
			return 0;
		waited += step;
		step *= 2;
		obd_exports_holder(obd, whom, sizeof(whom));
		if (left < 0 || waited >= bound)
			break;
		CWARN("%s: cleanup has been waiting for %u s for %s\n", obd->obd_name,
		      waited, whom);
	}
	return obd_refuse(why, left < 0 ? -EINTR : -ETIMEDOUT,
			  "%s: still in use after %u s by %s; it will be cleaned up after that",
			  obd->obd_name, waited, whom);
}

/*
 * Operations may wait for a target that does not answer: that ends here, or
 * when the target stops answering. Waits for a connected target go on.
 */
static void cleanup_import(struct obd_device *obd)
{
	const struct obd_import_ops *ops = obd->obd_type->typ_import;

	if (ops)
		ops->io_stop(obd, test_bit(OBDF_FORCE, &obd->obd_flags));
}

/* No operation can start after this, and all have ended. */
static void cleanup_close(struct obd_device *obd)
{
	obd_params_remove(obd);
	libcfs_active_kill(&obd->obd_active);
	libcfs_active_drain(&obd->obd_active, operation_name, obd);
	CFS_FAIL_TIMEOUT(OBD_FAIL_OBD_CLEANUP, 1);
}

/**
 * class_cleanup() - undo class_setup()
 * @obd: device, set up; the caller holds it
 * @force: do not wait for peers
 * @failover: as if this machine had failed: peers will reconnect
 * @why: out: reason of a failure
 *
 * Context: may sleep; not from an operation or a parameter of the device
 * Return: 0; -ENODEV if it is not set up, or is being cleaned up; -ETIMEDOUT or
 *  -EINTR if an export is still in use: it is stopping, and is cleaned up after
 *  the last put
 */
int class_cleanup(struct obd_device *obd, bool force, bool failover,
		  struct obd_why *why)
{
	int rc;

	if (!obd_move(obd, OBD_SET_UP, OBD_STOPPING))
		return obd_refuse(why, -ENODEV, "%s: %s", obd->obd_name,
				  READ_ONCE(obd->obd_state) == OBD_STOPPING ?
				  "is being cleaned up" : "is not set up");
	if (force)
		set_bit(OBDF_FORCE, &obd->obd_flags);
	if (failover)
		set_bit(OBDF_FAIL, &obd->obd_flags);
	obd_event(obd, LL_OBD_STOPPING, 0, NULL);
	cleanup_import(obd);
	cleanup_close(obd);
	class_disconnect_exports(obd);
	if (OBP(obd, precleanup)) {
		rc = __OBD_COUNTED(obd, OBD_OP_PRECLEANUP,
				   OBP(obd, precleanup)(obd));
		if (rc)
			CERROR("%s: precleanup of type %s failed: rc = %d\n",
			       obd->obd_name, obd->obd_type_name, rc);
	}
	obd_user_put(obd);
	return cleanup_wait(obd, why);
}
EXPORT_SYMBOL_NS_GPL(class_cleanup, LUSTRE_LITE);

/**
 * class_detach() - remove a device from the table
 * @obd: device, attached or cleaned up; the caller holds it
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: 0; -EBUSY while it is set up or changing; -ENODEV if it is not
 *  attached
 */
int class_detach(struct obd_device *obd, struct obd_why *why)
{
	struct obd_export *self = obd->obd_self_export;
	enum obd_state state;

	if (!obd_move(obd, OBD_ATTACHED, OBD_DETACHED) &&
	    !obd_move(obd, OBD_CLEANED_UP, OBD_DETACHED)) {
		state = READ_ONCE(obd->obd_state);
		if (state == OBD_NEW || state == OBD_DETACHED)
			return obd_refuse(why, -ENODEV, "%s: is not attached",
					  obd->obd_name);
		return obd_refuse(why, -EBUSY, "%s: %s", obd->obd_name,
				  state == OBD_SET_UP ?
				  "is set up; clean it up first" :
				  "is being set up or cleaned up");
	}
	obd_event(obd, LL_OBD_DETACHED, 0, NULL);
	class_unregister_device(obd);
	class_unlink_export(self);
	class_export_put(self);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(class_detach, LUSTRE_LITE);

/**
 * struct obd_manual_cleanup - a device to remove
 * @work: removes it
 * @obd: device
 * @force: as class_cleanup()
 * @why: out: reason of a failure
 * @rc: out
 */
struct obd_manual_cleanup {
	struct work_struct	work;
	struct obd_device	*obd;
	bool			force;
	struct obd_why		*why;
	int			rc;
};

static void manual_cleanup_work(struct work_struct *work)
{
	struct obd_manual_cleanup *mc = container_of(work, struct obd_manual_cleanup,
						     work);

	if (obd_is_set_up(mc->obd))
		mc->rc = class_cleanup(mc->obd, mc->force, false, mc->why);
	if (!mc->rc)
		mc->rc = class_detach(mc->obd, mc->why);
}

/**
 * class_manual_cleanup() - clean up, if it is set up, and detach
 * @obd: device; the caller holds it
 * @force: as class_cleanup()
 * @why: out: reason of a failure
 *
 * For devices that must be removed even by a task that is being killed, whose
 * waits would end at once. Hence a work does it.
 *
 * Context: as class_cleanup(), but cannot be interrupted; not in a work of
 *  compat_unbound_wq that a cleanup waits for
 * Return: 0 or as class_cleanup() and class_detach()
 */
int class_manual_cleanup(struct obd_device *obd, bool force,
			 struct obd_why *why)
{
	struct obd_manual_cleanup mc = {
		.obd = obd,
		.force = force,
		.why = why,
	};

	INIT_WORK_ONSTACK(&mc.work, manual_cleanup_work);
	queue_work(compat_unbound_wq, &mc.work);
	flush_work(&mc.work);
	destroy_work_on_stack(&mc.work);
	return mc.rc;
}
EXPORT_SYMBOL_NS_GPL(class_manual_cleanup, LUSTRE_LITE);

static int younger_first(const void *a, const void *b)
{
	const struct obd_device *const *left = a, *const *right = b;

	return (*left)->obd_seq < (*right)->obd_seq ? 1 : -1;
}

/* Hold the devices of an instance, at most @max of them. */
static unsigned int instance_devices(u64 instance, struct obd_device **list,
				     unsigned int max)
{
	struct obd_device *obd;
	unsigned int count = 0;
	u32 next = 0;

	while (count < max && (obd = class_next_obd(&next))) {
		if (obd->obd_instance == instance)
			list[count++] = obd;
		else
			class_decref(obd, OBD_REF_LOOKUP);
	}
	return count;
}

/**
 * class_cleanup_instance() - remove the devices of a config log
 * @instance: instance, not 0
 * @force: as class_cleanup()
 * @why: out: reason why the first remaining device stays
 *
 * The youngest device goes first. Removed devices are freed when this returns,
 * except those still held after OBD_FREE_WAIT.
 *
 * Context: as class_cleanup()
 * Return: removed devices; -ENOMEM, and all of them stay
 */
int class_cleanup_instance(u64 instance, bool force, struct obd_why *why)
{
	unsigned int max = class_obd_devs_count(), count, n;
	long left = OBD_FREE_WAIT;
	int gone = 0;
	struct obd_device **list;
	struct obd_why one;

	list = kvcalloc(max ?: 1, sizeof(*list), GFP_KERNEL_ACCOUNT);
	if (!list)
		return obd_refuse(why, -ENOMEM,
				  "no memory for a list of devices");
	count = instance_devices(instance, list, max);
	sort(list, count, sizeof(*list), younger_first, NULL);
	for (n = 0; n < count; n++) {
		one.text[0] = '\0';
		if (!class_manual_cleanup(list[n], force, &one)) {
			list[gone++] = list[n];
			continue;
		}
		if (why && !why->text[0])
			*why = one;
		class_decref(list[n], OBD_REF_LOOKUP);
	}
	/* None holds another one any more. */
	for (n = 0; n < gone; n++)
		left = class_put_detached(list[n], left);
	kvfree(list);
	return gone;
}
EXPORT_SYMBOL_NS_GPL(class_cleanup_instance, LUSTRE_LITE);
