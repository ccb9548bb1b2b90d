// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks of the server itself: it takes part in the queue of a resource like a client, so
 * that it may change what clients have locked. Such a lock has no export, is never
 * cached, and its holder gets no blocking AST: it releases the lock when it is done.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/wait.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

static int local_refused(const struct obd_device *obd, u32 type, u32 mode,
			 const struct ldlm_policy *policy, u32 flags)
{
	if (ldlm_mode_is_one(mode) && !(flags & ~LDLM_FL_BLOCK_NOWAIT) &&
	    wire_policy_is_valid(type, policy))
		return 0;
	CERROR("%s: mode %#x, flags %#x, or the policy is invalid for a lock of type %u: rc = %d\n",
	       obd->obd_name, mode, flags, type, -EINVAL);
	return -EINVAL;
}

static struct ldlm_lock *local_new(struct ldlm_namespace *ns, u32 type,
				   const struct ldlm_res_id *id, u32 mode,
				   const struct ldlm_policy *policy,
				   const struct obd_export *exp)
{
	struct ldlm_resource *res = ldlm_resource_make(ns, type, id);
	struct ldlm_lock *lock;

	if (IS_ERR(res))
		return ERR_CAST(res);
	lock = ldlm_lock_new(res, mode, policy);
	ldlm_resource_put(res);
	if (IS_ERR(lock))
		return lock;
	/* No other task uses the rest of an extent meanwhile. */
	__set_bit(LDLM_LF_EXACT, &lock->l_flags);
	lock->l_for = exp;
	return lock;
}

/*
 * A stopping server grants nothing any more, and waits for this task.
 * Return: 0 if it is granted; -EINTR, -ETIMEDOUT, -ESHUTDOWN
 */
static int local_wait(struct ldlm_lock *lock, unsigned int seconds)
{
	const struct ldlm_namespace *ns = ldlm_lock_ns(lock);
	unsigned long end = jiffies + seconds * HZ;
	long left;

	do {
		left = compat_wait_event_task_timeout(lock->l_wait,
						      READ_ONCE(lock->l_state) !=
						      LOCK_WAITING,
						      LDLM_STOP_LOOK);
	} while (!left && !ldlm_is_stopping(ns) && time_before(jiffies, end));
	if (ldlm_lock_is_granted(lock))
		return 0;
	if (READ_ONCE(lock->l_state) == LOCK_DESTROYED || ldlm_is_stopping(ns))
		return -ESHUTDOWN;
	return left < 0 ? -EINTR : -ETIMEDOUT;
}

/**
 * ldlm_local_lock() - take a lock of the server itself
 * @obd: device with the namespace of a server; the caller keeps it set up
 * @type: LDLM_PLAIN, LDLM_EXTENT or LDLM_IBITS
 * @id: name of the resource
 * @mode: mode
 * @policy: part of the resource; an extent is not widened
 * @flags: LDLM_FL_BLOCK_NOWAIT
 * @seconds: longest wait; a client that does not answer is evicted after
 *  ldlm_timeout
 * @exp: client whose request the lock is for, or NULL; the caller holds it until
 *  ldlm_local_unlock(). Locks of that client do not conflict with this one
 * @lockp: out, lock, granted, for ldlm_local_unlock()
 *
 * Clients that have a conflicting lock are sent blocking ASTs. The order among waiting
 * locks is that of all locks, unless @exp has a lock of that part. During recovery there is none:
 * clients have locks that the server does not know yet.
 *
 * Context: sleeps
 * Return: 0; -EWOULDBLOCK; -ETIMEDOUT; -EINTR if the task is killed; -ESHUTDOWN if the
 *  device is cleaned up; -EAGAIN during recovery; -EINVAL, also for a resource of
 *  another type; -EOPNOTSUPP for a device without such a namespace; -ENOMEM
 */
int ldlm_local_lock(struct obd_device *obd, u32 type,
		    const struct ldlm_res_id *id, u32 mode,
		    const struct ldlm_policy *policy, u32 flags,
		    unsigned int seconds, const struct obd_export *exp,
		    struct ldlm_lock **lockp)
{
	struct ldlm_namespace *ns = ldlm_namespace_of_obd(obd, LDLM_SERVER);
	struct ldlm_lock *lock;
	LIST_HEAD(todo);
	int rc;

	if (!ns)
		return -EOPNOTSUPP;
	rc = local_refused(obd, type, mode, policy, flags);
	if (rc)
		return rc;
	if (target_in_recovery(obd))
		return -EAGAIN;
	lock = local_new(ns, type, id, mode, policy, exp);
	if (IS_ERR(lock))
		return PTR_ERR(lock);
	spin_lock(ldlm_lock_lock(lock));
	rc = ldlm_queue_enter(lock, flags, &todo);
	spin_unlock(ldlm_lock_lock(lock));
	ldlm_callbacks_send(&todo);
	if (rc > 0)
		rc = local_wait(lock, seconds);
	if (rc)
		ldlm_local_unlock(lock);
	else
		*lockp = lock;
	return rc;
}
EXPORT_SYMBOL_NS_GPL(ldlm_local_lock, LUSTRE_LITE);

/**
 * ldlm_local_unlock() - release a lock of the server itself
 * @lock: lock of ldlm_local_lock(); the caller's reference is dropped
 *
 * Context: may sleep for memory
 */
void ldlm_local_unlock(struct ldlm_lock *lock)
{
	ldlm_server_drop(lock);
	ldlm_lock_put(lock);
}
EXPORT_SYMBOL_NS_GPL(ldlm_local_unlock, LUSTRE_LITE);
