// SPDX-License-Identifier: GPL-2.0-only
/*
 * The locks of a client at its server: the list of all, and a lookup by the
 * client's own cookie.
 *
 * A client that lost the answer to its enqueue cancels a lock by its own
 * cookie, up to LDLM_CANCEL_MAX with one request. One table of all exports
 * makes these lookups fast; an export without locks costs nothing. A cookie
 * names one lock of an export, so that a duplicate replay finds the lock of the
 * first one.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/export.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/rhashtable.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

struct ldlm_client_key {
	const struct obd_export	*exp;
	u64			cookie;
};

static struct rhashtable locks_by_client;

static u32 key_hash(const void *data, u32 len, u32 seed)
{
	const struct ldlm_client_key *key = data;
	const u64 words[] = { (unsigned long)key->exp, key->cookie };

	return jhash(words, sizeof(words), seed);
}

static u32 lock_hash(const void *data, u32 len, u32 seed)
{
	const struct ldlm_lock *lock = data;
	const struct ldlm_client_key key = { lock->l_export, lock->l_remote };

	return key_hash(&key, 0, seed);
}

static int lock_cmp(struct rhashtable_compare_arg *arg, const void *data)
{
	const struct ldlm_client_key *key = arg->key;
	const struct ldlm_lock *lock = data;

	return lock->l_export != key->exp || lock->l_remote != key->cookie;
}

static const struct rhashtable_params table_params = {
	.head_offset = offsetof(struct ldlm_lock, l_exp_node),
	.hashfn = key_hash,
	.obj_hashfn = lock_hash,
	.obj_cmpfn = lock_cmp,
	.automatic_shrinking = true,
};

/* Return: 0; -EEXIST if the client has a lock of that cookie; -ENOMEM */
static int table_add(struct ldlm_lock *lock)
{
	const struct ldlm_client_key key = { lock->l_export, lock->l_remote };
	unsigned int tries = 0;
	int rc;

	/* Cookie 0: the client cannot name the lock itself. */
	if (!key.cookie)
		return 0;
	do {
		rc = rhashtable_lookup_insert_key(&locks_by_client, &key,
						  &lock->l_exp_node,
						  table_params);
	} while (libcfs_insert_again(rc, &tries));
	lock->l_in_table = !rc;
	return rc;
}

/* Return: 0; -ENOTCONN, -ENOLCK */
static int list_add_lock(struct ldlm_lock *lock)
{
	struct obd_export *exp = lock->l_export;
	struct ptlrpc_export *pe = ptlrpc_export(exp);
	int rc = 0;

	spin_lock(&pe->pe_lock);
	if (!class_connected_export(exp))
		rc = -ENOTCONN;
	else if (atomic_read(&exp->exp_locks_count) > LDLM_CLIENT_LOCKS_MAX)
		rc = -ENOLCK;
	else
		list_add_tail(&lock->l_exp_item, &pe->pe_locks);
	spin_unlock(&pe->pe_lock);
	return rc;
}

/**
 * ldlm_export_attach() - add a new lock to a client
 * @lock: lock that is not published yet
 * @exp: client
 *
 * A disconnected client is marked first, and then its locks are taken: this
 * lock is among them, or this function sees the mark. The caller destroys the
 * lock by ldlm_server_drop(), on failure too.
 *
 * Context: may sleep
 * Return: 0; -EEXIST if it has a lock of that cookie; -ENOTCONN if it has
 *  disconnected; -ENOLCK if it has too many; -ENOMEM
 */
int ldlm_export_attach(struct ldlm_lock *lock, struct obd_export *exp)
{
	int rc;

	lock->l_export = class_export_lock_get(exp);
	rc = table_add(lock) ?: list_add_lock(lock);
	if (rc == -ENOLCK)
		CERROR("%s: client %s has %u locks, which is the limit: rc = %d\n",
		       ldlm_lock_ns(lock)->ns_name, exp->exp_client_uuid.uuid,
		       LDLM_CLIENT_LOCKS_MAX, rc);
	return rc;
}

/**
 * ldlm_export_detach() - remove a lock from its client
 * @lock: lock that was destroyed by the caller
 *
 * Context: any but an interrupt
 */
void ldlm_export_detach(struct ldlm_lock *lock)
{
	struct ptlrpc_export *pe = ptlrpc_export(lock->l_export);

	spin_lock(&pe->pe_lock);
	list_del_init(&lock->l_exp_item);
	spin_unlock(&pe->pe_lock);
	if (lock->l_in_table)
		rhashtable_remove_fast(&locks_by_client, &lock->l_exp_node,
				       table_params);
}

/**
 * ldlm_export_lock() - a lock of a client by the client's own cookie
 * @exp: client
 * @cookie: cookie, not validated
 *
 * Context: any
 * Return: lock, referenced, or NULL
 */
struct ldlm_lock *ldlm_export_lock(struct obd_export *exp, u64 cookie)
{
	const struct ldlm_client_key key = { exp, cookie };
	struct ldlm_lock *lock;

	rcu_read_lock();
	lock = rhashtable_lookup(&locks_by_client, &key, table_params);
	/* Freed after a grace period, see struct ldlm_lock. */
	if (lock && !refcount_inc_not_zero(&lock->l_refcount))
		lock = NULL;
	rcu_read_unlock();
	return lock;
}

static struct ldlm_lock *first_of_client(struct ptlrpc_export *pe)
{
	struct ldlm_lock *lock;

	spin_lock(&pe->pe_lock);
	lock = list_first_entry_or_null(&pe->pe_locks, struct ldlm_lock,
					l_exp_item);
	if (lock) {
		list_del_init(&lock->l_exp_item);
		ldlm_lock_get(lock);
	}
	spin_unlock(&pe->pe_lock);
	return lock;
}

/**
 * ldlm_export_gone() - drop the locks of a client that has disconnected
 * @exp: export, unlinked; the caller holds it
 *
 * Context: may sleep for memory
 */
void ldlm_export_gone(struct obd_export *exp)
{
	struct ptlrpc_export *pe = ptlrpc_export(exp);
	struct ldlm_lock *lock;

	while ((lock = first_of_client(pe))) {
		ldlm_server_drop(lock);
		ldlm_lock_put(lock);
	}
}
EXPORT_FOR_KUNIT(ldlm_export_gone);

/* Allocate the table. */
int ldlm_export_init(void)
{
	return rhashtable_init(&locks_by_client, &table_params);
}

/* Free the table; no server has a lock any more. */
void ldlm_export_exit(void)
{
	WARN_ON_ONCE(atomic_read(&locks_by_client.nelems));
	rhashtable_destroy(&locks_by_client);
}
