// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports by client: the hashes of all devices are one by (device, uuid), which
 * has each client once, and one by (device, NID), where clients share a NID. A
 * device without clients costs nothing.
 *
 * The tables hold no reference. They are read under RCU; a lookup takes a
 * reference unless the last put has happened.
 */
#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/rcupdate.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>

#include "obd_internal.h"

/* Clients may connect between counting and taking: spare entries. */
#define NID_SPARE	4

struct obd_uuid_key {
	const struct obd_device	*obd;
	const char		*uuid;
};

struct nid_key {
	const struct obd_device	*obd;
	const struct lnet_nid	*nid;
};

static struct rhashtable exports_by_uuid;
static struct rhltable exports_by_nid;

static u32 device_seed(const struct obd_device *obd, u32 seed)
{
	return jhash(&obd, sizeof(obd), seed);
}

static u32 uuid_key_hash(const void *data, u32 len, u32 seed)
{
	const struct obd_uuid_key *key = data;

	return jhash(key->uuid, strlen(key->uuid),
		     device_seed(key->obd, seed));
}

static u32 uuid_export_hash(const void *data, u32 len, u32 seed)
{
	const struct obd_export *exp = data;
	const struct obd_uuid_key key = { exp->exp_obd, exp->exp_client_uuid.uuid };

	return uuid_key_hash(&key, 0, seed);
}

static int uuid_cmp(struct rhashtable_compare_arg *arg, const void *data)
{
	const struct obd_uuid_key *key = arg->key;
	const struct obd_export *exp = data;

	return exp->exp_obd != key->obd ||
		strcmp(exp->exp_client_uuid.uuid, key->uuid);
}

static u32 nid_key_hash(const void *data, u32 len, u32 seed)
{
	const struct nid_key *key = data;

	return jhash(key->nid, sizeof(*key->nid), device_seed(key->obd, seed));
}

static u32 nid_export_hash(const void *data, u32 len, u32 seed)
{
	const struct obd_export *exp = data;
	const struct nid_key key = { exp->exp_obd, &exp->exp_nid };

	return nid_key_hash(&key, 0, seed);
}

static int nid_cmp(struct rhashtable_compare_arg *arg, const void *data)
{
	const struct nid_key *key = arg->key;
	const struct obd_export *exp = data;

	return exp->exp_obd != key->obd ||
		!libcfs_nid_same(&exp->exp_nid, key->nid);
}

static const struct rhashtable_params by_uuid_params = {
	.head_offset = offsetof(struct obd_export, exp_uuid_node),
	.hashfn = uuid_key_hash,
	.obj_hashfn = uuid_export_hash,
	.obj_cmpfn = uuid_cmp,
	.automatic_shrinking = true,
};

static const struct rhashtable_params by_nid_params = {
	.head_offset = offsetof(struct obd_export, exp_nid_node),
	.hashfn = nid_key_hash,
	.obj_hashfn = nid_export_hash,
	.obj_cmpfn = nid_cmp,
	.automatic_shrinking = true,
};

int obd_export_hash_init(void)
{
	int rc = rhashtable_init(&exports_by_uuid, &by_uuid_params);

	if (rc)
		return rc;
	rc = rhltable_init(&exports_by_nid, &by_nid_params);
	if (rc)
		rhashtable_destroy(&exports_by_uuid);
	return rc;
}

void obd_export_hash_exit(void)
{
	WARN_ON(atomic_read(&exports_by_uuid.nelems));
	rhltable_destroy(&exports_by_nid);
	rhashtable_destroy(&exports_by_uuid);
}

int obd_export_hash_add(struct obd_export *exp)
{
	const struct obd_uuid_key uuid = { exp->exp_obd,
				       exp->exp_client_uuid.uuid };
	const struct nid_key nid = { exp->exp_obd, &exp->exp_nid };
	unsigned int tries = 0;
	int rc;

	do {
		rc = rhashtable_lookup_insert_key(&exports_by_uuid, &uuid,
						  &exp->exp_uuid_node,
						  by_uuid_params);
	} while (libcfs_insert_again(rc, &tries));
	if (rc)
		return rc == -EEXIST ? -EALREADY : rc;
	tries = 0;
	do {
		rc = rhltable_insert_key(&exports_by_nid, &nid,
					 &exp->exp_nid_node, by_nid_params);
	} while (libcfs_insert_again(rc, &tries));
	if (rc)
		rhashtable_remove_fast(&exports_by_uuid, &exp->exp_uuid_node,
				       by_uuid_params);
	return rc;
}

void obd_export_hash_del(struct obd_export *exp)
{
	rhltable_remove(&exports_by_nid, &exp->exp_nid_node, by_nid_params);
	rhashtable_remove_fast(&exports_by_uuid, &exp->exp_uuid_node,
			       by_uuid_params);
}

/**
 * obd_export_by_uuid() - the export of a client
 * @obd: device that the caller holds
 * @uuid: client
 *
 * Context: any
 * Return: export, referenced, for class_export_put(); NULL if that client is
 *  not connected
 */
struct obd_export *obd_export_by_uuid(struct obd_device *obd,
				      const struct obd_uuid *uuid)
{
	char text[UUID_MAX];
	const struct obd_uuid_key key = { obd, text };
	struct obd_export *exp;

	if (strscpy(text, uuid->uuid, sizeof(text)) < 0)
		return NULL;
	rcu_read_lock();
	exp = rhashtable_lookup(&exports_by_uuid, &key, by_uuid_params);
	if (exp && !obd_export_try_get(exp))
		exp = NULL;
	rcu_read_unlock();
	return exp;
}
EXPORT_SYMBOL_NS_GPL(obd_export_by_uuid, LUSTRE_LITE);

/* Under RCU: take at most @max exports; count all. */
static unsigned int nid_take(const struct nid_key *key,
			     struct obd_export **list, unsigned int max)
{
	struct rhlist_head *head, *pos;
	struct obd_export *exp;
	unsigned int count = 0;

	head = rhltable_lookup(&exports_by_nid, key, by_nid_params);
	rhl_for_each_entry_rcu(exp, pos, head, exp_nid_node) {
		if (!max) {
			count++;
		} else if (count < max && class_connected_export(exp) &&
			   obd_export_try_get(exp)) {
			list[count++] = exp;
		}
	}
	return count;
}

int obd_exports_at_nid(struct obd_device *obd, const struct lnet_nid *nid,
		       struct obd_export_list *out)
{
	const struct nid_key key = { obd, nid };
	unsigned int max;

	rcu_read_lock();
	max = nid_take(&key, NULL, 0) + NID_SPARE;
	rcu_read_unlock();
	out->exl_exports = kvcalloc(max, sizeof(*out->exl_exports),
				    GFP_KERNEL_ACCOUNT);
	if (!out->exl_exports)
		return -ENOMEM;
	rcu_read_lock();
	out->exl_count = nid_take(&key, out->exl_exports, max);
	rcu_read_unlock();
	return 0;
}

void obd_export_list_put(struct obd_export_list *list)
{
	while (list->exl_count)
		class_export_put(list->exl_exports[--list->exl_count]);
	kvfree(list->exl_exports);
}
