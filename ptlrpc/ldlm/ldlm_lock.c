// SPDX-License-Identifier: GPL-2.0-only
/*
 * A lock: its state, its place in its resource, its references, its cookie. The
 * states are drawn in lustre_dlm.h.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

static const struct {
	const char	*name;
	unsigned int	next;
} states[LOCK_STATE_COUNT] = {
	[LOCK_NEW] = { "new", BIT(LOCK_WAITING) | BIT(LOCK_GRANTED) |
			      BIT(LOCK_DESTROYED) },
	[LOCK_WAITING] = { "waiting", BIT(LOCK_GRANTED) | BIT(LOCK_CANCELLING) |
				      BIT(LOCK_DESTROYED) },
	[LOCK_GRANTED] = { "granted", BIT(LOCK_CANCELLING) |
				      BIT(LOCK_DESTROYED) },
	[LOCK_CANCELLING] = { "cancelling", BIT(LOCK_DESTROYED) },
	[LOCK_DESTROYED] = { "destroyed", 0 },
};

/**
 * ldlm_lock_state_name() - name of a state
 * @state: state
 *
 * Context: any
 * Return: static text
 */
const char *ldlm_lock_state_name(enum ldlm_lock_state state)
{
	return (unsigned int)state < LOCK_STATE_COUNT ? states[state].name :
							"unknown";
}

/**
 * ldlm_lock_may() - whether a transition is legal
 * @from: state
 * @to: state
 *
 * Context: any
 * Return: true if it is
 */
bool ldlm_lock_may(enum ldlm_lock_state from, enum ldlm_lock_state to)
{
	if ((unsigned int)from >= LOCK_STATE_COUNT ||
	    (unsigned int)to >= LOCK_STATE_COUNT)
		return false;
	return states[from].next & BIT(to);
}
EXPORT_FOR_KUNIT(ldlm_lock_may);

/**
 * ldlm_lock_move() - change the state of a lock; no other function does
 * @lock: lock
 * @to: new state
 *
 * Context: under r_lock
 * Return: 0; -EINVAL for an illegal transition
 */
int ldlm_lock_move(struct ldlm_lock *lock, enum ldlm_lock_state to)
{
	struct ldlm_namespace *ns = ldlm_lock_ns(lock);

	lockdep_assert_held(ldlm_lock_lock(lock));
	if (WARN_ON_ONCE(!ldlm_lock_may(lock->l_state, to)))
		return -EINVAL;
	if (lock->l_state == LOCK_WAITING)
		atomic_dec(&ns->ns_waiting);
	else if (to == LOCK_WAITING)
		atomic_inc(&ns->ns_waiting);
	WRITE_ONCE(lock->l_state, to);
	lock->l_since = ktime_get_boottime_seconds();
	if (wq_has_sleeper(&lock->l_wait))
		wake_up_all(&lock->l_wait);
	return 0;
}

static bool lock_handle_get(struct portals_handle *handle)
{
	struct ldlm_lock *lock = container_of(handle, struct ldlm_lock,
					      l_handle);

	return refcount_inc_not_zero(&lock->l_refcount);
}

static const struct portals_handle_ops lock_handle_ops = {
	.hop_name = "lock",
	.hop_get = lock_handle_get,
};

/* A client's locks keep its import from being idle. */
static void count_locks(struct ldlm_namespace *ns, int by)
{
	atomic_add(by, &ns->ns_locks);
	if (ns->ns_import)
		atomic_add(by, &ns->ns_import->imp_locks);
}

static void lock_init(struct ldlm_lock *lock)
{
	refcount_set(&lock->l_refcount, 1);
	lock->l_state = LOCK_NEW;
	lock->l_since = ktime_get_boottime_seconds();
	INIT_LIST_HEAD(&lock->l_res_item);
	INIT_LIST_HEAD(&lock->l_todo_item);
	INIT_LIST_HEAD(&lock->l_exp_item);
	INIT_LIST_HEAD(&lock->l_waiting_item);
	INIT_LIST_HEAD(&lock->l_lru_item);
	init_waitqueue_head(&lock->l_wait);
	INIT_WORK(&lock->l_work, ldlm_lock_work);
}

/**
 * ldlm_lock_alloc() - create a lock without a cookie, in LOCK_NEW
 * @res: resource; the caller holds it
 * @mode: requested mode
 * @policy: part of the resource, or NULL for all
 *
 * Context: may sleep
 * Return: lock, whose reference is dropped by ldlm_lock_put(); NULL on allocation failure.
 *  ldlm_lock_destroy() ends it
 */
struct ldlm_lock *ldlm_lock_alloc(struct ldlm_resource *res, u32 mode,
				  const struct ldlm_policy *policy)
{
	struct ldlm_lock *lock = libcfs_zalloc(sizeof(*lock),
					       GFP_NOFS | __GFP_ACCOUNT);

	if (!lock)
		return NULL;
	lock_init(lock);
	lock->l_req_mode = mode;
	if (policy)
		lock->l_policy = *policy;
	lock->l_resource = res;
	if (res->r_type == LDLM_FLOCK)
		INIT_LIST_HEAD(&lock->l_flock.item);
	refcount_inc(&res->r_refcount);
	count_locks(res->r_ns, 1);
	return lock;
}

/**
 * ldlm_lock_new() - create a lock, in LOCK_NEW
 * @res: resource; the caller holds it
 * @mode: requested mode
 * @policy: part of the resource, or NULL for all
 *
 * Context: may sleep
 * Return: as ldlm_lock_alloc(), but ERR_PTR: -ENOMEM
 */
struct ldlm_lock *ldlm_lock_new(struct ldlm_resource *res, u32 mode,
				const struct ldlm_policy *policy)
{
	struct ldlm_lock *lock = ldlm_lock_alloc(res, mode, policy);
	int rc;

	if (!lock)
		return ERR_PTR(-ENOMEM);
	rc = class_handle_hash(&lock->l_handle, &lock_handle_ops);
	if (!rc)
		return lock;
	ldlm_lock_destroy(lock);
	ldlm_lock_put(lock);
	return ERR_PTR(rc);
}

/**
 * ldlm_lock_take_handle() - a lock takes over the cookie of another object
 * @lock: lock of ldlm_lock_alloc(), without a cookie
 * @from: part of the other object, which has none from then on
 *
 * Context: any but an interrupt
 */
void ldlm_lock_take_handle(struct ldlm_lock *lock, struct portals_handle *from)
{
	class_handle_pass(from, &lock->l_handle, &lock_handle_ops);
}

static void lock_free(struct rcu_head *rcu)
{
	struct ldlm_lock *lock = container_of(rcu, struct ldlm_lock, l_rcu);

	libcfs_free(lock, sizeof(*lock));
}

/**
 * ldlm_lock_get() - take a reference
 * @lock: lock that the caller references, or that is in its resource
 *
 * Context: any
 * Return: @lock
 */
struct ldlm_lock *ldlm_lock_get(struct ldlm_lock *lock)
{
	refcount_inc(&lock->l_refcount);
	return lock;
}

/**
 * ldlm_lock_put() - drop a reference
 * @lock: lock; destroyed before the last put
 *
 * Context: any; not under a lock of ldlm
 */
void ldlm_lock_put(struct ldlm_lock *lock)
{
	if (!refcount_dec_and_test(&lock->l_refcount))
		return;
	WARN_ON_ONCE(lock->l_state != LOCK_DESTROYED);
	ldlm_owner_put(lock->l_cbs, lock->l_data);
	ldlm_resource_put(lock->l_resource);
	call_rcu(&lock->l_rcu, lock_free);
}
EXPORT_SYMBOL_NS_GPL(ldlm_lock_put, LUSTRE_LITE);

/**
 * ldlm_lock_find() - look up a lock by its cookie
 * @cookie: cookie, not validated
 *
 * Context: any
 * Return: lock, referenced, or NULL
 */
struct ldlm_lock *ldlm_lock_find(u64 cookie)
{
	struct portals_handle *handle = class_handle2object(cookie,
							    &lock_handle_ops);

	return handle ? container_of(handle, struct ldlm_lock, l_handle) : NULL;
}
EXPORT_FOR_KUNIT(ldlm_lock_find);

/**
 * ldlm_lock_grant() - grant a mode and a policy
 * @lock: new or waiting lock
 * @mode: mode
 * @policy: policy; NULL: as requested
 *
 * Context: under r_lock
 */
void ldlm_lock_grant(struct ldlm_lock *lock, u32 mode,
		     const struct ldlm_policy *policy)
{
	struct ldlm_resource *res = lock->l_resource;
	enum ldlm_lock_state from = lock->l_state;

	if (ldlm_lock_move(lock, LOCK_GRANTED))
		return;
	/* The place in the resource holds a reference; it moves with the lock. */
	if (from == LOCK_NEW)
		ldlm_lock_get(lock);
	else if (!list_empty(&lock->l_res_item))
		ldlm_set_del(&res->r_waiting, lock);
	lock->l_req_mode = mode;
	if (policy)
		lock->l_policy = *policy;
	WRITE_ONCE(lock->l_granted_mode, mode);
	ldlm_set_add(&res->r_granted, lock);
}

/**
 * ldlm_lock_wait() - append a new lock to the waiting ones
 * @lock: lock
 *
 * Context: under r_lock
 * Return: 0 or as ldlm_lock_move()
 */
int ldlm_lock_wait(struct ldlm_lock *lock)
{
	struct ldlm_resource *res = lock->l_resource;
	int rc = ldlm_lock_move(lock, LOCK_WAITING);

	if (rc)
		return rc;
	lock->l_order = res->r_orders++;
	ldlm_set_add(&res->r_waiting, ldlm_lock_get(lock));
	return 0;
}

static void place_leave(struct ldlm_lock *lock)
{
	struct ldlm_resource *res = lock->l_resource;

	if (!list_empty(&lock->l_res_item))
		ldlm_set_del(lock->l_granted_mode ? &res->r_granted :
						    &res->r_waiting, lock);
}

/**
 * __ldlm_lock_destroy() - first half of destroying a lock
 * @lock: lock that is not LOCK_DESTROYED; the caller holds it
 *
 * For callers that decide about the lock in the same critical section. They
 * call ldlm_lock_destroyed() after releasing r_lock.
 *
 * Context: under r_lock
 * Return: for ldlm_lock_destroyed()
 */
bool __ldlm_lock_destroy(struct ldlm_lock *lock)
{
	bool placed = !list_empty(&lock->l_res_item);

	lockdep_assert_held(ldlm_lock_lock(lock));
	place_leave(lock);
	ldlm_lock_move(lock, LOCK_DESTROYED);
	ldlm_lru_del(lock);
	/* Not later: the task that ends the namespace relies on the count. */
	count_locks(ldlm_lock_ns(lock), -1);
	return placed;
}

/**
 * ldlm_lock_destroyed() - second half of destroying a lock
 * @lock: lock that the caller holds
 * @placed: result of __ldlm_lock_destroy(): drop the reference of its place
 *
 * Context: any; not under a lock of ldlm
 */
void ldlm_lock_destroyed(struct ldlm_lock *lock, bool placed)
{
	class_handle_unhash(&lock->l_handle);
	if (placed)
		ldlm_lock_put(lock);
}

/**
 * ldlm_lock_destroy() - destroy a lock, unless it was already
 * @lock: lock; the caller holds it
 *
 * Context: takes r_lock
 * Return: true if this call destroyed it
 */
bool ldlm_lock_destroy(struct ldlm_lock *lock)
{
	bool first, placed = false;

	spin_lock(ldlm_lock_lock(lock));
	first = lock->l_state != LOCK_DESTROYED;
	if (first)
		placed = __ldlm_lock_destroy(lock);
	spin_unlock(ldlm_lock_lock(lock));
	if (first)
		ldlm_lock_destroyed(lock, placed);
	return first;
}

/**
 * ldlm_res_to_wire() - encode the name of a resource
 * @id: resource
 * @to: out
 *
 * Context: any
 */
void ldlm_res_to_wire(const struct ldlm_res_id *id, struct lustre_lock *to)
{
	unsigned int n;

	for (n = 0; n < LDLM_RES_WORDS; n++)
		to->wl_res[n] = cpu_to_le64(id->name[n]);
}

/**
 * ldlm_lock_to_wire() - encode a lock
 * @lock: lock
 * @to: out
 * @by: the sender: tells which of the two cookies is the own one
 *
 * Context: under r_lock, or before the lock is published
 */
void ldlm_lock_to_wire(const struct ldlm_lock *lock, struct lustre_lock *to,
		       enum ldlm_side by)
{
	const struct ldlm_resource *res = lock->l_resource;
	u64 own = lock->l_handle.h_cookie;

	to->wl_client = cpu_to_le64(by == LDLM_CLIENT ? own : lock->l_remote);
	to->wl_server = cpu_to_le64(by == LDLM_SERVER ? own : lock->l_remote);
	to->wl_type = cpu_to_le32(res->r_type);
	to->wl_flags = 0;
	to->wl_req_mode = cpu_to_le32(lock->l_req_mode);
	to->wl_granted_mode = cpu_to_le32(lock->l_granted_mode);
	ldlm_res_to_wire(&res->r_id, to);
	wire_policy_encode(to, &lock->l_policy);
}
EXPORT_FOR_KUNIT(ldlm_lock_to_wire);

/**
 * ldlm_res_from_wire() - decode the name of a resource
 * @from: message
 * @id: out
 *
 * Context: any
 */
void ldlm_res_from_wire(const struct lustre_lock *from,
			struct ldlm_res_id *id)
{
	unsigned int n;

	for (n = 0; n < LDLM_RES_WORDS; n++)
		id->name[n] = le64_to_cpu(from->wl_res[n]);
}

/**
 * ldlm_lock_mode() - the granted mode of a lock
 * @lock: lock that the caller holds
 *
 * Context: any
 * Return: one of LCK_*; 0 for none yet
 */
u32 ldlm_lock_mode(const struct ldlm_lock *lock)
{
	return READ_ONCE(lock->l_granted_mode);
}
EXPORT_FOR_KUNIT(ldlm_lock_mode);

/**
 * ldlm_lock_is_granted() - whether a lock protects its resource
 * @lock: lock that the caller holds
 *
 * Context: any
 * Return: true if it was granted, and was not dropped since
 */
bool ldlm_lock_is_granted(const struct ldlm_lock *lock)
{
	return READ_ONCE(lock->l_state) == LOCK_GRANTED;
}
EXPORT_SYMBOL_NS_GPL(ldlm_lock_is_granted, LUSTRE_LITE);

/**
 * ldlm_lock_is_lost() - whether a lock ended without a cancel
 * @lock: lock that the caller uses, or of lcb_cancelled; not one whose cancel has completed,
 *  which is LOCK_DESTROYED, too
 *
 * Context: any
 * Return: true if its client was evicted, or it was dropped for another reason; what was
 *  changed under it can no longer be written
 */
bool ldlm_lock_is_lost(const struct ldlm_lock *lock)
{
	return READ_ONCE(lock->l_state) == LOCK_DESTROYED;
}
EXPORT_SYMBOL_NS_GPL(ldlm_lock_is_lost, LUSTRE_LITE);

/**
 * ldlm_lock_lvb() - the value of the resource when a lock was granted
 * @lock: granted lock of a client, which the caller holds
 * @lvb: out, value
 * @size: its bytes
 *
 * Context: any
 * Return: true if the server has sent a value of that size
 */
bool ldlm_lock_lvb(const struct ldlm_lock *lock, void *lvb, u32 size)
{
	if (lock->l_lvb_len != size)
		return false;
	memcpy(lvb, lock->l_lvb, size);
	return true;
}
EXPORT_FOR_KUNIT(ldlm_lock_lvb);

/**
 * ldlm_lock_lvb_take() - as ldlm_lock_lvb(), for the first caller since the grant
 * @lock: granted lock of a client, which the caller uses
 * @lvb: out, value
 * @size: its bytes
 *
 * An owner takes the value before it changes the resource under the lock: the value that this
 * returns is still that of the resource.
 *
 * Context: any
 * Return: true if the server has sent a value of that size, no one has taken it, and the client has
 *  got no other lock for writing since
 */
bool ldlm_lock_lvb_take(struct ldlm_lock *lock, void *lvb, u32 size)
{
	return !test_and_set_bit(LDLM_LF_LVB_TAKEN, &lock->l_flags) &&
	       ldlm_lock_lvb(lock, lvb, size);
}
EXPORT_SYMBOL_NS_GPL(ldlm_lock_lvb_take, LUSTRE_LITE);

/**
 * ldlm_lock_policy() - the granted policy of a lock
 * @lock: granted lock that the caller holds
 *
 * Context: any
 * Return: policy, which does not change while the lock is granted and used; an unused IBITS
 *  lock may lose bits
 */
const struct ldlm_policy *ldlm_lock_policy(const struct ldlm_lock *lock)
{
	return &lock->l_policy;
}
EXPORT_SYMBOL_NS_GPL(ldlm_lock_policy, LUSTRE_LITE);
