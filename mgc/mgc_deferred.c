// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred registration of running targets. A target that started without the
 * service, from a copy of its log, registers as soon as the service is
 * available. A registered target registers again after the service has evicted
 * this node, or has restarted: only then does the service refuse a second start
 * of the target elsewhere.
 *
 * A target that the service refuses keeps running. Registration is tried again
 * when the service has been away once more; a refusal is logged unless its
 * reason is the same.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgc_internal.h"

/* Time to wait for the answer, and between two attempts, seconds. */
#define DEFERRED_ANSWER_SEC		5
#define DEFERRED_AGAIN_SEC		10

/*
 * Guards the list, and the result of each; not held while waiting for the
 * service.
 */
static DEFINE_MUTEX(deferred_mutex);
static LIST_HEAD(deferred_list);

/**
 * struct mgc_deferred - a running target
 * @la_item: in deferred_list
 * @la_mgc: device, which its owner holds
 * @la_target: target; @la_target.params is its own copy
 * @la_done: called after a registration
 * @la_data: its argument
 * @la_work: registers it
 * @la_registered: it is, and the service has not lost this node since
 * @la_again: it was before, so a registration is not logged
 * @la_rc: error of the last attempt, or 0; guarded by deferred_mutex
 * @la_why: its reason; likewise
 *
 * Owned by the caller from mgc_deferred_start() to mgc_deferred_end().
 */
struct mgc_deferred {
	struct list_head	la_item;
	struct obd_device	*la_mgc;
	struct mgc_target	la_target;
	mgc_registered_t	*la_done;
	void			*la_data;
	struct delayed_work	la_work;
	bool			la_registered;
	bool			la_again;
	int			la_rc;
	struct obd_why		la_why;
};

/* The service is unreachable or does not answer: not a refusal. */
static bool is_unheard(int rc)
{
	return rc == -ENOTCONN || rc == -ETIMEDOUT;
}

/*
 * A service that has lost this node since the registration does not know the
 * target any more. That may be seen before mgc_deferred_lost() is called;
 * mgc_deferred_wake() comes after both.
 */
static bool is_known(const struct mgc_deferred *la)
{
	const struct obd_import *imp;
	bool known;

	lockdep_assert_held(&deferred_mutex);
	if (!obd_op_enter(la->la_mgc))
		return false;
	imp = la->la_mgc->obd_cli->cl_import;
	known = READ_ONCE(imp->imp_generation) == la->la_target.generation;
	obd_op_leave(la->la_mgc);
	return known;
}

/* Return: true if the result is new. */
static bool deferred_note(struct mgc_deferred *la, int rc, const struct obd_why *why)
{
	bool news;

	mutex_lock(&deferred_mutex);
	news = rc ? rc != la->la_rc || strcmp(why->text, la->la_why.text) :
		    !la->la_again || (la->la_rc && !is_unheard(la->la_rc));
	la->la_registered = !rc && is_known(la);
	la->la_again = la->la_again || !rc;
	la->la_rc = rc || la->la_registered ? rc : -ENOTCONN;
	la->la_why = *why;
	mutex_unlock(&deferred_mutex);
	return news;
}

static void deferred_report(const struct mgc_deferred *la, int rc,
			    const struct obd_why *why)
{
	const char *name = la->la_target.svname;

	if (!rc)
		CWARN("%s: registered with the management service, which is back\n",
		      name);
	else
		CERROR("%s: running, but not registered: %s: rc = %d\n", name,
		       why->text, rc);
}

static int deferred_register(struct mgc_deferred *la, struct obd_why *why)
{
	struct mgc_target target = la->la_target;
	int rc = mgc_target_register(la->la_mgc, &target, DEFERRED_ANSWER_SEC, why);

	if (!rc && la->la_done)
		rc = la->la_done(la->la_data, &target, why);
	if (rc)
		return rc;
	/* @la_done need not be called once more. */
	la->la_target.flags = target.flags;
	la->la_target.offer = false;
	la->la_target.generation = target.generation;
	return 0;
}

static void deferred_work(struct work_struct *work)
{
	struct mgc_deferred *la = container_of(to_delayed_work(work),
					       struct mgc_deferred, la_work);
	struct obd_why why = {};
	int rc;

	if (READ_ONCE(la->la_registered) || !obd_op_enter(la->la_mgc))
		return;
	rc = deferred_register(la, &why);
	obd_op_leave(la->la_mgc);
	if (!rc)
		why.text[0] = '\0';
	if (is_unheard(rc))
		queue_delayed_work(system_unbound_wq, &la->la_work,
				   DEFERRED_AGAIN_SEC * HZ);
	else if (deferred_note(la, rc, &why))
		deferred_report(la, rc, &why);
}

static void deferred_free(struct mgc_deferred *la)
{
	kfree(la->la_target.params);
	memzero_explicit(&la->la_target, sizeof(la->la_target));
	libcfs_free(la, sizeof(*la));
}

static struct mgc_deferred *deferred_new(struct obd_device *mgc,
					 const struct mgc_target *target)
{
	struct mgc_deferred *la = libcfs_zalloc(sizeof(*la), GFP_KERNEL_ACCOUNT);

	if (!la)
		return NULL;
	la->la_mgc = mgc;
	la->la_target = *target;
	la->la_target.params = kstrdup(target->params ?: "",
				       GFP_KERNEL_ACCOUNT);
	if (la->la_target.params)
		return la;
	deferred_free(la);
	return NULL;
}

/**
 * mgc_deferred_start() - keep a target registered
 * @mgc: device, of mgc_get(), which the caller keeps until mgc_deferred_end()
 * @target: target, which has a name; copied
 * @registered: it has been registered, by mgc_target_register(@target); else it is as soon
 *	as the service is there
 * @done: called when it is registered, or NULL
 * @data: for it
 *
 * Context: may sleep; the service is not waited for
 * Return: until mgc_deferred_end(); NULL on allocation failure
 */
struct mgc_deferred *mgc_deferred_start(struct obd_device *mgc,
					const struct mgc_target *target,
					bool registered, mgc_registered_t *done,
					void *data)
{
	struct mgc_deferred *la = deferred_new(mgc, target);

	if (!la)
		return NULL;
	la->la_done = done;
	la->la_data = data;
	la->la_again = registered;
	INIT_DELAYED_WORK(&la->la_work, deferred_work);
	mutex_lock(&deferred_mutex);
	registered = registered && is_known(la);
	la->la_rc = registered ? 0 : -ENOTCONN;
	la->la_registered = registered;
	list_add_tail(&la->la_item, &deferred_list);
	mutex_unlock(&deferred_mutex);
	/* It may have come between the registration, failed or lost, and this. */
	if (!registered)
		queue_delayed_work(system_unbound_wq, &la->la_work, 0);
	return la;
}
EXPORT_SYMBOL_NS_GPL(mgc_deferred_start, LUSTRE_LITE);

/**
 * mgc_deferred_end() - the target stops, registered or not
 * @la: of mgc_deferred_start()
 *
 * Context: sleeps, as long as an answer of the service is waited for
 */
void mgc_deferred_end(struct mgc_deferred *la)
{
	mutex_lock(&deferred_mutex);
	list_del(&la->la_item);
	mutex_unlock(&deferred_mutex);
	cancel_delayed_work_sync(&la->la_work);
	deferred_free(la);
}
EXPORT_SYMBOL_NS_GPL(mgc_deferred_end, LUSTRE_LITE);

/**
 * mgc_deferred_lost() - the service has evicted this node, or has restarted
 * @mg: device
 *
 * It does not know the targets of this node any more: they register when it is there.
 * This notice may come late; a target that has registered since then is known.
 *
 * Context: may sleep
 */
void mgc_deferred_lost(struct mgc_device *mg)
{
	struct mgc_deferred *la;

	mutex_lock(&deferred_mutex);
	list_for_each_entry(la, &deferred_list, la_item) {
		if (la->la_mgc == mg->mg_obd && la->la_registered &&
		    !is_known(la)) {
			la->la_registered = false;
			la->la_rc = -ENOTCONN;
		}
	}
	mutex_unlock(&deferred_mutex);
}

/**
 * mgc_deferred_wake() - the service is there
 * @mg: device
 *
 * Context: may sleep
 */
void mgc_deferred_wake(struct mgc_device *mg)
{
	struct mgc_deferred *la;

	mutex_lock(&deferred_mutex);
	list_for_each_entry(la, &deferred_list, la_item)
		if (la->la_mgc == mg->mg_obd && !la->la_registered)
			mod_delayed_work(system_unbound_wq, &la->la_work, 0);
	mutex_unlock(&deferred_mutex);
}

static int put_deferred(const struct mgc_deferred *la, struct params_sink *sink)
{
	bool refused = la->la_rc && !is_unheard(la->la_rc);

	params_list_begin(sink, NULL, PARAMS_LIST_MAP);
	params_put_str(sink, "name", la->la_target.svname);
	params_put_str(sink, "state", la->la_registered ? "registered" :
				      refused ? "refused" : "waiting");
	if (refused)
		params_put_str(sink, "why", la->la_why.text);
	return params_list_end(sink);
}

/**
 * mgc_deferred_put_all() - what became of targets that started without the service
 * @mg: device
 * @sink: where to
 *
 * Context: may sleep
 * Return: as params_put_str()
 */
int mgc_deferred_put_all(struct mgc_device *mg, struct params_sink *sink)
{
	struct mgc_deferred *la;
	int rc = 0;

	mutex_lock(&deferred_mutex);
	list_for_each_entry(la, &deferred_list, la_item) {
		if (la->la_mgc == mg->mg_obd)
			rc = put_deferred(la, sink);
		if (rc)
			break;
	}
	mutex_unlock(&deferred_mutex);
	return rc;
}
