// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registering the targets of this node with the service, under the NIDs of this node.
 *
 * Registration may be deferred. A target that started without the service, from a copy of
 * its log, registers as soon as the service is available. A registered target registers
 * again after the service has evicted this node, or has restarted: only then does the
 * service refuse a second start of the target elsewhere.
 *
 * A target that the service refuses keeps running. Registration is tried again every
 * DEFERRED_AGAIN_SEC if the reason may pass by itself, such as a start on another node whose
 * client is not evicted yet, else when the service has been away once more. A refusal is
 * logged unless its reason is the same.
 */
#define DEBUG_SUBSYSTEM S_MGC

#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/ptlrpc_net.h>

#include "mgc_internal.h"

/* Most NIDs of this node that are registered. */
#define TARGET_NIDS_MAX		32
/* Period of polling a lost connection. */
#define TARGET_LOST_JIFFIES	(HZ / 50)
/* Delay of a retry after too many registrations of this node. */
#define TARGET_BUSY_JIFFIES	(HZ / 4)
/* Time to notify the service that a target has stopped, seconds. */
#define TARGET_STOP_SEC		5

static void target_fill(const struct mgc_target *target, unsigned int nids,
			struct lustre_target *wt)
{
	wt->wt_flags = cpu_to_le32(target->flags);
	wt->wt_index = cpu_to_le32(target->index);
	wt->wt_instance = cpu_to_le32(target->instance);
	wt->wt_nid_count = cpu_to_le32(nids);
	strscpy(wt->wt_fsname, target->fsname, sizeof(wt->wt_fsname));
	strscpy(wt->wt_svname, target->svname, sizeof(wt->wt_svname));
	strscpy(wt->wt_uuid, target->uuid, sizeof(wt->wt_uuid));
	strscpy(wt->wt_id, target->id, sizeof(wt->wt_id));
	if (target->offer)
		memcpy(wt->wt_key, target->key, sizeof(wt->wt_key));
}

/* The proof covers the whole registration. */
static void target_prove(const struct mgc_target *target,
			 struct lustre_target *wt, const void *nids,
			 size_t nid_bytes, const char *params)
{
	u8 digest[LIBCFS_KEY_LEN];

	libcfs_target_digest(wt, nids, nid_bytes, params, digest);
	libcfs_proof_make(target->key, digest, wt->wt_proof);
}

/* struct lnet_nid has the layout of struct wire_nid. */
static void nids_fill(const struct lnet_nid *nids, unsigned int count,
		      struct lustre_nid *to)
{
	struct wire_nid nid;
	unsigned int n;

	BUILD_BUG_ON(sizeof(nid) != sizeof(*nids));
	for (n = 0; n < count; n++) {
		memcpy(&nid, &nids[n], sizeof(nid));
		wire_nid_encode(&to[n], &nid);
	}
}

static struct ptlrpc_request *target_request(struct mgc_device *mg,
					     const struct mgc_target *target,
					     const struct lnet_nid *nids,
					     unsigned int count)
{
	const char *params = target->params ?: "";
	u32 lens[] = { sizeof(struct lustre_target),
		       count * sizeof(struct lustre_nid), strlen(params) + 1 };
	struct ptlrpc_request *req;

	req = ptlrpc_request_new(mg->mg_cli.cl_import, MGS_TARGET_REG,
				 MGS_REQUEST_PORTAL, lens, ARRAY_SIZE(lens));
	if (!req)
		return NULL;
	target_fill(target, count, ptlrpc_req_buf(req, 0));
	nids_fill(nids, count, ptlrpc_req_buf(req, 1));
	memcpy(ptlrpc_req_buf(req, 2), params, lens[2]);
	target_prove(target, ptlrpc_req_buf(req, 0), ptlrpc_req_buf(req, 1),
		     lens[1], params);
	req->rq_no_resend = true;
	/* The caller waits for a connection that is lost before it is sent. */
	req->rq_no_delay = true;
	return req;
}

static int target_read(struct ptlrpc_request *req, struct mgc_target *target)
{
	const struct lustre_target *wt = ptlrpc_rep_buf(req, 0, sizeof(*wt));

	if (!wt || strnlen(wt->wt_svname, sizeof(wt->wt_svname)) ==
	    sizeof(wt->wt_svname) || !wt->wt_svname[0] ||
	    strnlen(wt->wt_uuid, sizeof(wt->wt_uuid)) == sizeof(wt->wt_uuid))
		return -EPROTO;
	target->flags = le32_to_cpu(wt->wt_flags);
	target->index = le32_to_cpu(wt->wt_index);
	strscpy(target->svname, wt->wt_svname, sizeof(target->svname));
	strscpy(target->uuid, wt->wt_uuid, sizeof(target->uuid));
	return 0;
}

/*
 * The reason of a refusal: a text followed by zeros. Return: true if there is
 * one.
 */
static bool reason_read(struct ptlrpc_request *req, struct obd_why *why)
{
	const char *words = ptlrpc_rep_buf(req, 1, 1);
	size_t size, n;

	if (!words || !*words || !why)
		return false;
	size = min_t(size_t, req->rq_rep.buflens[1], sizeof(why->text) - 1);
	for (n = 0; n < size && words[n]; n++)
		why->text[n] = isascii(words[n]) && isprint(words[n]) ?
			       words[n] : '?';
	why->text[n] = '\0';
	return true;
}

/* The reason of the service's refusal. */
static int target_refused(struct mgc_device *mg, struct ptlrpc_request *req,
			  const struct mgc_target *target, int rc,
			  struct obd_why *why)
{
	if (reason_read(req, why))
		return rc;
	return obd_refuse(why, rc,
			  "%s: cannot register %s of file system '%s' at the management service: errno %d",
			  mg->mg_obd->obd_name,
			  target->svname[0] ? target->svname : "a target",
			  target->fsname, -rc);
}

static int target_ask(struct mgc_device *mg, struct mgc_target *target,
		      unsigned int seconds, struct obd_why *why)
{
	struct lnet_nid nids[TARGET_NIDS_MAX];
	struct ptlrpc_request *req;
	unsigned int count;
	int rc;

	count = lnet_nids(mg->mg_obd->obd_net, nids, TARGET_NIDS_MAX);
	count = min_t(unsigned int, count, TARGET_NIDS_MAX);
	if (!count)
		return obd_refuse(why, -EADDRNOTAVAIL,
				  "%s: this node has no NID; configure an address",
				  mg->mg_obd->obd_name);
	req = target_request(mg, target, nids, count);
	if (!req)
		return -ENOMEM;
	req->rq_timeout = max_t(unsigned int, seconds, 1);
	rc = ptlrpc_queue_wait(req);
	if (!rc)
		rc = target_read(req, target);
	/* Evicted meanwhile: no answer, as with a lost connection. */
	else if (rc == -EIO && !req->rq_rep_msg)
		rc = -ENOTCONN;
	if (rc)
		target_refused(mg, req, target, rc, why);
	ptlrpc_request_put(req);
	return rc;
}

static unsigned int seconds_until(unsigned long end)
{
	long left = end - jiffies;

	return left > 0 ? DIV_ROUND_UP(left, HZ) : 0;
}

/**
 * mgc_target_register() - register a target
 * @mgc: device, of mgc_get()
 * @target: target; mgc_target.generation is set
 * @wait_sec: time to wait for the service
 * @why: out: reason of a failure
 *
 * If the connection is lost meanwhile, or the service evicts this client, it is
 * repeated: for the service a target may register twice.
 *
 * Context: sleeps, up to @wait_sec for the service and its answer; can be
 *  killed
 * Return: 0; -ENOTCONN, -ETIMEDOUT; -EINTR; the status of the service, see
 *  mgs_log_register()
 */
int mgc_target_register(struct obd_device *mgc, struct mgc_target *target,
			unsigned int wait_sec, struct obd_why *why)
{
	unsigned long end = jiffies + wait_sec * HZ;
	struct mgc_device *mg = mgc_device(mgc);
	int rc;

	if (!mg)
		return obd_refuse(why, -ENODEV, "%s: is not set up",
				  mgc->obd_name);
	for (;;) {
		rc = mgc_wait_full(mg, seconds_until(end), why);
		target->generation = READ_ONCE(mg->mg_cli.cl_import->imp_generation);
		if (!rc)
			rc = target_ask(mg, target, seconds_until(end), why);
		if ((rc != -ENOTCONN && rc != -EAGAIN) || !seconds_until(end))
			return rc;
		/* The import may notice a lost connection a moment later. */
		schedule_timeout_killable(rc == -EAGAIN ? TARGET_BUSY_JIFFIES :
							  TARGET_LOST_JIFFIES);
	}
}
EXPORT_SYMBOL_NS_GPL(mgc_target_register, LUSTRE_LITE);

static struct ptlrpc_request *stop_request(struct mgc_device *mg,
					   const char *svname, u32 instance)
{
	u32 lens[] = { sizeof(TARGET_STOP_KEY),
		       sizeof(struct lustre_target_stop) };
	struct lustre_target_stop *ts;
	struct ptlrpc_request *req;

	req = ptlrpc_request_new(mg->mg_cli.cl_import, MGS_SET_INFO,
				 MGS_REQUEST_PORTAL, lens, ARRAY_SIZE(lens));
	if (!req)
		return NULL;
	memcpy(ptlrpc_req_buf(req, 0), TARGET_STOP_KEY, lens[0]);
	ts = ptlrpc_req_buf(req, 1);
	strscpy(ts->stop_svname, svname, sizeof(ts->stop_svname));
	ts->stop_instance = cpu_to_le32(instance);
	req->rq_no_resend = true;
	req->rq_no_delay = true;
	req->rq_timeout = TARGET_STOP_SEC;
	return req;
}

/**
 * mgc_target_stop() - notify the service that a target has stopped
 * @mgc: device, of mgc_get()
 * @svname: target
 * @instance: of its start
 * @wait: wait for the answer
 *
 * Until the service knows, another node must not start the target. A service
 * that cannot be reached notices the end of the connection.
 *
 * Context: sleeps, for TARGET_STOP_SEC at most
 */
void mgc_target_stop(struct obd_device *mgc, const char *svname, u32 instance,
		     bool wait)
{
	struct mgc_device *mg = mgc_device(mgc);
	struct ptlrpc_request *req;
	int rc = 0;

	if (!mg || !mgc_is_full(mg))
		return;
	req = stop_request(mg, svname, instance);
	if (!req)
		return;
	if (wait)
		rc = ptlrpc_queue_wait(req);
	else
		ptlrpcd_add(req);
	ptlrpc_request_put(req);
	if (rc)
		CDEBUG(D_HA, "%s: cannot notify the service that %s has stopped: rc = %d\n",
		       mgc->obd_name, svname, rc);
}
EXPORT_SYMBOL_NS_GPL(mgc_target_stop, LUSTRE_LITE);

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
 * The reason of the refusal may pass by itself: the target is in service elsewhere, the
 * service or this node lacks space or memory. Its text may count seconds.
 */
static bool may_pass(int rc)
{
	switch (rc) {
	case -EAGAIN:
	case -EBUSY:
	case -EDQUOT:
	case -EIO:
	case -ENOMEM:
	case -ENOSPC:
	case -EROFS:
		return true;
	default:
		return false;
	}
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
	if (rc)
		news = rc != la->la_rc ||
		       (!may_pass(rc) && strcmp(why->text, la->la_why.text));
	else
		news = !la->la_again || (la->la_rc && !is_unheard(la->la_rc));
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
	if (!is_unheard(rc) && deferred_note(la, rc, &why))
		deferred_report(la, rc, &why);
	if (is_unheard(rc) || may_pass(rc))
		queue_delayed_work(compat_unbound_wq, &la->la_work,
				   DEFERRED_AGAIN_SEC * HZ);
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
		queue_delayed_work(compat_unbound_wq, &la->la_work, 0);
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
			mod_delayed_work(compat_unbound_wq, &la->la_work, 0);
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
