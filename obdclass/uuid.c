// SPDX-License-Identifier: GPL-2.0-only
/*
 * NIDs of servers: a hash of names, each with a list of NIDs in the order of
 * their addition.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/err.h>
#include <linux/list.h>
#include <linux/rhashtable.h>
#include <linux/rwsem.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "obd_internal.h"

/**
 * struct obd_uuid_nids - a server
 * @un_node: in the table
 * @un_list: in the list of all
 * @un_uuid: name, followed by zeros
 * @un_count: NIDs
 * @un_nids: NIDs
 *
 * Owned by the table.
 */
struct obd_uuid_nids {
	struct rhash_head	un_node;
	struct list_head	un_list;
	struct obd_uuid		un_uuid;
	unsigned int		un_count;
	struct lnet_nid		un_nids[OBD_UUID_NIDS_MAX];
};

/* Guards the table and its entries. */
static DECLARE_RWSEM(uuid_sem);
static struct rhashtable uuid_table;
static LIST_HEAD(uuid_list);

static const struct rhashtable_params uuid_params = {
	.head_offset = offsetof(struct obd_uuid_nids, un_node),
	.key_offset = offsetof(struct obd_uuid_nids, un_uuid),
	.key_len = sizeof(struct obd_uuid),
	.automatic_shrinking = true,
};

/* Allocate the table. Return: 0 or a negative errno */
int obd_uuid_init(void)
{
	return rhashtable_init(&uuid_table, &uuid_params);
}

static void uuid_free(void *ptr, void *arg)
{
	libcfs_free(ptr, sizeof(struct obd_uuid_nids));
}

/* Remove all servers. May sleep. */
void obd_uuid_exit(void)
{
	rhashtable_free_and_destroy(&uuid_table, uuid_free, NULL);
}

static int uuid_key(const char *uuid, struct obd_uuid *key)
{
	memset(key, 0, sizeof(*key));
	if (!uuid || !uuid[0])
		return -EINVAL;
	if (strlen(uuid) >= sizeof(key->uuid))
		return -ENAMETOOLONG;
	strscpy(key->uuid, uuid, sizeof(key->uuid));
	return 0;
}

static struct obd_uuid_nids *uuid_find(const struct obd_uuid *key)
{
	lockdep_assert_held(&uuid_sem);
	return rhashtable_lookup_fast(&uuid_table, key, uuid_params);
}

static bool uuid_has_nid(const struct obd_uuid_nids *un, const struct lnet_nid *nid)
{
	unsigned int n;

	for (n = 0; n < un->un_count; n++) {
		if (libcfs_nid_same(&un->un_nids[n], nid))
			return true;
	}
	return false;
}

/* The entry of a name, created if needed. */
static struct obd_uuid_nids *uuid_find_or_make(const struct obd_uuid *key)
{
	struct obd_uuid_nids *un = uuid_find(key);
	unsigned int tries = 0;
	int rc;

	if (un)
		return un;
	un = libcfs_zalloc(sizeof(*un), GFP_KERNEL_ACCOUNT);
	if (!un)
		return ERR_PTR(-ENOMEM);
	un->un_uuid = *key;
	list_add_tail(&un->un_list, &uuid_list);
	do {
		rc = rhashtable_insert_fast(&uuid_table, &un->un_node, uuid_params);
	} while (libcfs_insert_again(rc, &tries));
	if (!rc)
		return un;
	list_del(&un->un_list);
	libcfs_free(un, sizeof(*un));
	return ERR_PTR(rc);
}

/**
 * class_add_uuid() - add a server, or a further NID of it
 * @uuid: name of the server
 * @nid: NID; a known one is not added again
 *
 * Context: may sleep
 * Return: 0; -EINVAL for an empty name, -ENAMETOOLONG, -ENOMEM; -EOVERFLOW if
 *  the server has OBD_UUID_NIDS_MAX NIDs
 */
int class_add_uuid(const char *uuid, const struct lnet_nid *nid)
{
	struct obd_uuid_nids *un;
	struct obd_uuid key;
	int rc = uuid_key(uuid, &key);

	if (rc)
		return rc;
	down_write(&uuid_sem);
	un = uuid_find_or_make(&key);
	if (IS_ERR(un))
		rc = PTR_ERR(un);
	else if (uuid_has_nid(un, nid))
		rc = 0;
	else if (un->un_count == OBD_UUID_NIDS_MAX)
		rc = -EOVERFLOW;
	else
		un->un_nids[un->un_count++] = *nid;
	up_write(&uuid_sem);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(class_add_uuid, LUSTRE_LITE);

static void uuid_remove(struct obd_uuid_nids *un)
{
	rhashtable_remove_fast(&uuid_table, &un->un_node, uuid_params);
	list_del(&un->un_list);
	libcfs_free(un, sizeof(*un));
}

/**
 * class_del_uuid() - remove a server
 * @uuid: name of the server; NULL or an empty one for all
 *
 * Context: may sleep
 * Return: 0; -ENOENT if there is no such server, -ENAMETOOLONG
 */
int class_del_uuid(const char *uuid)
{
	struct obd_uuid_nids *un, *next;
	struct obd_uuid key;
	int rc = uuid_key(uuid, &key);

	if (rc == -ENAMETOOLONG)
		return rc;
	down_write(&uuid_sem);
	if (!rc) {
		un = uuid_find(&key);
		if (un)
			uuid_remove(un);
		else
			rc = -ENOENT;
	} else {
		rc = 0;
		list_for_each_entry_safe(un, next, &uuid_list, un_list)
			uuid_remove(un);
	}
	up_write(&uuid_sem);
	return rc;
}
EXPORT_FOR_KUNIT(class_del_uuid);

/**
 * class_uuid2nids() - NIDs of a server
 * @uuid: name of the server
 * @nids: out, in the order of their addition
 * @max: its capacity
 *
 * Context: may sleep
 * Return: NIDs stored, -ENOENT if there is no such server
 */
int class_uuid2nids(const char *uuid, struct lnet_nid *nids, unsigned int max)
{
	const struct obd_uuid_nids *un;
	struct obd_uuid key;
	int count = -ENOENT;

	if (uuid_key(uuid, &key))
		return -ENOENT;
	down_read(&uuid_sem);
	un = uuid_find(&key);
	if (un) {
		count = min(max, un->un_count);
		memcpy(nids, un->un_nids, count * sizeof(*nids));
	}
	up_read(&uuid_sem);
	return count;
}
EXPORT_SYMBOL_NS_GPL(class_uuid2nids, LUSTRE_LITE);
