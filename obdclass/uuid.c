// SPDX-License-Identifier: GPL-2.0-only
/*
 * NIDs of servers: a hash of names, each with a list of NIDs in the order of
 * their addition.
 *
 * A name belongs to the instance of the log that added it: devices of other instances, and
 * management clients, do not see it. Those of instance 0, which administrators and management
 * clients add, are for all devices.
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
 * struct obd_uuid_key - the key of a server
 * @instance: instance of the log that added it, or 0
 * @uuid: name, followed by zeros
 */
struct obd_uuid_key {
	u64		instance;
	struct obd_uuid	uuid;
};

/**
 * struct obd_uuid_nids - a server
 * @un_node: in the table
 * @un_list: in the list of all
 * @un_key: key
 * @un_count: NIDs
 * @un_nids: NIDs
 *
 * Owned by the table.
 */
struct obd_uuid_nids {
	struct rhash_head	un_node;
	struct list_head	un_list;
	struct obd_uuid_key	un_key;
	unsigned int		un_count;
	struct lnet_nid		un_nids[OBD_UUID_NIDS_MAX];
};

/* Guards the table and its entries. */
static DECLARE_RWSEM(uuid_sem);
static struct rhashtable uuid_table;
static LIST_HEAD(uuid_list);

static const struct rhashtable_params uuid_params = {
	.head_offset = offsetof(struct obd_uuid_nids, un_node),
	.key_offset = offsetof(struct obd_uuid_nids, un_key),
	.key_len = sizeof(struct obd_uuid_key),
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

static int uuid_key(u64 instance, const char *uuid, struct obd_uuid_key *key)
{
	memset(key, 0, sizeof(*key));
	key->instance = instance;
	if (!uuid || !uuid[0])
		return -EINVAL;
	if (strlen(uuid) >= sizeof(key->uuid.uuid))
		return -ENAMETOOLONG;
	strscpy(key->uuid.uuid, uuid, sizeof(key->uuid.uuid));
	return 0;
}

static struct obd_uuid_nids *uuid_find(const struct obd_uuid_key *key)
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
static struct obd_uuid_nids *uuid_find_or_make(const struct obd_uuid_key *key)
{
	struct obd_uuid_nids *un = uuid_find(key);
	unsigned int tries = 0;
	int rc;

	if (un)
		return un;
	/* Connects that writeback waits for want the lock. */
	un = libcfs_zalloc(sizeof(*un), GFP_NOFS | __GFP_ACCOUNT);
	if (!un)
		return ERR_PTR(-ENOMEM);
	un->un_key = *key;
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
 * @instance: instance of the log that adds it; 0: for devices of all
 * @uuid: name of the server
 * @nid: NID; a known one is not added again
 *
 * Context: may sleep
 * Return: 0; -EINVAL for an empty name, -ENAMETOOLONG, -ENOMEM; -EOVERFLOW if
 *  the server has OBD_UUID_NIDS_MAX NIDs
 */
int class_add_uuid(u64 instance, const char *uuid, const struct lnet_nid *nid)
{
	struct obd_uuid_nids *un;
	struct obd_uuid_key key;
	int rc = uuid_key(instance, uuid, &key);

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
 * class_del_uuid() - remove a server, of every instance
 * @uuid: name of the server; NULL or an empty one for all
 *
 * Context: may sleep
 * Return: 0; -ENOENT if there is no such server, -ENAMETOOLONG
 */
int class_del_uuid(const char *uuid)
{
	struct obd_uuid_nids *un, *next;
	struct obd_uuid_key key;
	bool all = uuid_key(0, uuid, &key) == -EINVAL, found = all;

	if (!all && !key.uuid.uuid[0])
		return -ENAMETOOLONG;
	down_write(&uuid_sem);
	list_for_each_entry_safe(un, next, &uuid_list, un_list) {
		if (!all && strcmp(un->un_key.uuid.uuid, key.uuid.uuid))
			continue;
		uuid_remove(un);
		found = true;
	}
	up_write(&uuid_sem);
	return found ? 0 : -ENOENT;
}
EXPORT_FOR_KUNIT(class_del_uuid);

/**
 * class_del_uuids() - remove the servers of a log
 * @instance: its instance; no device of it connects any more
 *
 * Context: may sleep
 */
void class_del_uuids(u64 instance)
{
	struct obd_uuid_nids *un, *next;

	down_write(&uuid_sem);
	list_for_each_entry_safe(un, next, &uuid_list, un_list)
		if (un->un_key.instance == instance)
			uuid_remove(un);
	up_write(&uuid_sem);
}
EXPORT_SYMBOL_NS_GPL(class_del_uuids, LUSTRE_LITE);

/* Store the NIDs of @un that @but does not have; each may be NULL. Return: how many */
static unsigned int uuid_put_nids(const struct obd_uuid_nids *un,
				  const struct obd_uuid_nids *but,
				  struct lnet_nid *nids, unsigned int max)
{
	unsigned int count = 0, n;

	for (n = 0; un && n < un->un_count && count < max; n++)
		if (!but || !uuid_has_nid(but, &un->un_nids[n]))
			nids[count++] = un->un_nids[n];
	return count;
}

/**
 * class_uuid2nids() - NIDs of a server
 * @instance: instance of the device that looks for it
 * @uuid: name of the server
 * @nids: out, in the order of their addition; those of instance 0 come last
 * @max: its capacity
 *
 * Context: may sleep
 * Return: NIDs stored, -ENOENT if there is no such server
 */
int class_uuid2nids(u64 instance, const char *uuid, struct lnet_nid *nids,
		    unsigned int max)
{
	struct obd_uuid_nids *own, *common = NULL;
	struct obd_uuid_key key;
	int count;

	if (uuid_key(instance, uuid, &key))
		return -ENOENT;
	down_read(&uuid_sem);
	own = uuid_find(&key);
	if (instance) {
		key.instance = 0;
		common = uuid_find(&key);
	}
	count = uuid_put_nids(own, NULL, nids, max);
	count += uuid_put_nids(common, own, nids + count, max - count);
	up_read(&uuid_sem);
	return own || common ? count : -ENOENT;
}
EXPORT_SYMBOL_NS_GPL(class_uuid2nids, LUSTRE_LITE);
