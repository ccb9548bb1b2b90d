// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles: one table of all cookies, read under RCU. Cookies are random, so
 * that a peer cannot guess one, and a stale cookie does not name a new object.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/rhashtable.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "obd_internal.h"

static struct rhashtable obd_handles;

static const struct rhashtable_params obd_handles_params = {
	.head_offset = offsetof(struct portals_handle, h_node),
	.key_offset = offsetof(struct portals_handle, h_cookie),
	.key_len = sizeof_field(struct portals_handle, h_cookie),
	.automatic_shrinking = true,
};

static u64 handle_cookie(void)
{
	u64 cookie;

	do {
		cookie = get_random_u64();
	} while (!cookie);
	return cookie;
}

/**
 * class_handle_hash() - give an object a cookie and publish it
 * @handle: part of the object; zero, or class_handle_unhash() was called
 * @ops: its kind
 *
 * Context: may sleep
 * Return: 0; -EEXIST if it is published already; -EINVAL for a kind without
 *  hop_get; -ENOMEM
 */
int class_handle_hash(struct portals_handle *handle,
		      const struct portals_handle_ops *ops)
{
	unsigned int tries = 0;
	int rc;

	if (WARN_ON_ONCE(!ops || !ops->hop_get))
		return -EINVAL;
	if (xchg(&handle->h_hashed, true))
		return -EEXIST;
	handle->h_ops = ops;
	do {
		handle->h_cookie = handle_cookie();
		rc = rhashtable_lookup_insert_fast(&obd_handles,
						   &handle->h_node,
						   obd_handles_params);
	} while (rc == -EEXIST || libcfs_insert_again(rc, &tries));
	if (rc) {
		handle->h_cookie = 0;
		WRITE_ONCE(handle->h_hashed, false);
	}
	return rc;
}
EXPORT_SYMBOL_NS_GPL(class_handle_hash, LUSTRE_LITE);

/**
 * class_handle_unhash() - unpublish an object
 * @handle: part of the object; may be unpublished already
 *
 * A lookup under RCU may still take a reference until the end of the grace
 * period.
 *
 * Context: may sleep
 */
void class_handle_unhash(struct portals_handle *handle)
{
	if (!READ_ONCE(handle->h_hashed))
		return;
	if (!rhashtable_remove_fast(&obd_handles, &handle->h_node,
				    obd_handles_params))
		WRITE_ONCE(handle->h_hashed, false);
}
EXPORT_SYMBOL_NS_GPL(class_handle_unhash, LUSTRE_LITE);

/**
 * class_handle_pass() - an object takes over the cookie of another one
 * @from: part of the published object, which is unpublished
 * @to: part of the object that is published in its place, zero
 * @ops: kind of @to
 *
 * A lookup finds one of the two at any time.
 *
 * Context: any but an interrupt
 */
void class_handle_pass(struct portals_handle *from, struct portals_handle *to,
		       const struct portals_handle_ops *ops)
{
	to->h_cookie = from->h_cookie;
	to->h_ops = ops;
	to->h_hashed = true;
	if (WARN_ON_ONCE(rhashtable_replace_fast(&obd_handles, &from->h_node,
						 &to->h_node, obd_handles_params)))
		to->h_hashed = false;
	WRITE_ONCE(from->h_hashed, false);
}
EXPORT_SYMBOL_NS_GPL(class_handle_pass, LUSTRE_LITE);

/**
 * class_handle2object() - find an object by cookie
 * @cookie: cookie, not validated
 * @ops: expected kind
 *
 * Context: any
 * Return: the object's handle, with a reference on the object; NULL if there is
 *  none, it is of another kind or is being freed
 */
struct portals_handle *class_handle2object(u64 cookie,
					   const struct portals_handle_ops *ops)
{
	struct portals_handle *handle;

	rcu_read_lock();
	handle = rhashtable_lookup(&obd_handles, &cookie, obd_handles_params);
	if (handle && (handle->h_ops != ops || !ops->hop_get(handle)))
		handle = NULL;
	rcu_read_unlock();
	return handle;
}
EXPORT_SYMBOL_NS_GPL(class_handle2object, LUSTRE_LITE);

/* Allocate the table. Return: 0 or -ENOMEM */
int obd_handle_init(void)
{
	return rhashtable_init(&obd_handles, &obd_handles_params);
}

static void handle_leaked(void *ptr, void *arg)
{
	const struct portals_handle *handle = ptr;

	CERROR("leaked handle %#llx of kind %s: rc = %d\n",
	       handle->h_cookie, handle->h_ops->hop_name, -EBUSY);
}

/* Free the table, and log leaked handles. May sleep. */
void obd_handle_exit(void)
{
	rhashtable_free_and_destroy(&obd_handles, handle_leaked, NULL);
}
