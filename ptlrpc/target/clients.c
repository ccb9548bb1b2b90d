// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of a target's clients on disk: after a restart the target waits for them and
 * takes their replays. A client is in it before the answer to its connect, and until it
 * disconnects or is evicted. last_rcvd.c has the format.
 */
#define DEBUG_SUBSYSTEM S_FILTER

#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>
#include <lustre_lite/libcfs.h>

#include "lu_target.h"

/**
 * struct tgt_client - a client in the list
 * @tcl_node: in lut_clients
 * @tcl_item: in lut_client_list
 * @tcl_uuid: client, zeros after its NUL
 * @tcl_slot: its slot
 * @tcl_users: its exports that were stored; one before it has reconnected after a restart.
 *	A late end of an old export so leaves the slot to the new one
 *
 * Guarded by lut_clients_lock.
 */
struct tgt_client {
	struct rhash_head	tcl_node;
	struct list_head	tcl_item;
	struct obd_uuid		tcl_uuid;
	u32			tcl_slot;
	unsigned int		tcl_users;
};

static const struct rhashtable_params clients_params = {
	.key_len	= sizeof(struct obd_uuid),
	.key_offset	= offsetof(struct tgt_client, tcl_uuid),
	.head_offset	= offsetof(struct tgt_client, tcl_node),
};

/* The file. */

static ssize_t file_read(void *file, u64 offset, void *bytes, size_t len)
{
	return libcfs_pread(file, offset, bytes, len);
}

static int file_write(void *file, u64 offset, const void *bytes, size_t len)
{
	return libcfs_pwrite(file, offset, bytes, len);
}

static int file_sync(void *file)
{
	return vfs_fsync(file, 0);
}

static const struct last_rcvd_io file_io = {
	.read	= file_read,
	.write	= file_write,
	.sync	= file_sync,
};

static int file_open(struct lu_target *lut, const struct tgt_conf *conf,
		     struct obd_why *why)
{
	struct file *file = file_open_root(conf->tgc_dir, conf->tgc_name,
					   O_RDWR | O_CREAT | O_LARGEFILE | O_NOFOLLOW, 0600);

	if (IS_ERR(file))
		return obd_refuse(why, PTR_ERR(file),
				  "%s: cannot open its list of clients '%s'; choose a writable directory",
				  lut->lut_obd->obd_name, conf->tgc_name);
	lut->lut_file = file;
	lut->lut_last_rcvd.lrd_io = &file_io;
	lut->lut_last_rcvd.lrd_file = file;
	if (S_ISREG(file_inode(file)->i_mode))
		return 0;
	return obd_refuse(why, -EINVAL, "%s: its list of clients '%s' is not a regular file",
			  lut->lut_obd->obd_name, conf->tgc_name);
}

int tgt_read_error(const struct obd_device *obd)
{
	const struct lu_target *lut = obd->obd_lut;
	char byte;
	ssize_t rc = lut ? libcfs_pread(lut->lut_file, 0, &byte, sizeof(byte)) : 0;

	return rc < 0 ? rc : 0;
}

/* Clients in memory. */

static struct tgt_client *client_find(struct lu_target *lut, const struct obd_uuid *uuid)
{
	lockdep_assert_held(&lut->lut_clients_lock);
	return rhashtable_lookup_fast(&lut->lut_clients, uuid, clients_params);
}

/* @slot: its slot is free. */
static void client_drop(struct lu_target *lut, struct tgt_client *client, bool slot)
{
	lockdep_assert_held(&lut->lut_clients_lock);
	rhashtable_remove_fast(&lut->lut_clients, &client->tcl_node, clients_params);
	list_del(&client->tcl_item);
	lut->lut_client_count--;
	if (slot)
		ida_free(&lut->lut_slots, client->tcl_slot);
	libcfs_free(client, sizeof(*client));
}

/* Add a client to a free slot from @from to @to. Return: it, or an ERR_PTR. */
static struct tgt_client *client_make(struct lu_target *lut, const char *uuid, u32 from,
				      u32 to)
{
	struct tgt_client *client = libcfs_zalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);
	unsigned int tries = 0;
	int rc;

	lockdep_assert_held(&lut->lut_clients_lock);
	if (!client)
		return ERR_PTR(-ENOMEM);
	strscpy(client->tcl_uuid.uuid, uuid, sizeof(client->tcl_uuid.uuid));
	client->tcl_users = 1;
	rc = ida_alloc_range(&lut->lut_slots, from, to, GFP_KERNEL_ACCOUNT);
	if (rc < 0)
		goto free_client;
	client->tcl_slot = rc;
	do {
		rc = rhashtable_lookup_insert_fast(&lut->lut_clients, &client->tcl_node,
						   clients_params);
	} while (libcfs_insert_again(rc, &tries));
	if (rc)
		goto free_slot;
	list_add_tail(&client->tcl_item, &lut->lut_client_list);
	lut->lut_client_count++;
	return client;

free_slot:
	ida_free(&lut->lut_slots, client->tcl_slot);
free_client:
	libcfs_free(client, sizeof(*client));
	return ERR_PTR(rc);
}

/* A client of the file. Two slots of one client are damage. */
static int client_load(u32 slot, const struct last_rcvd_client *found, void *data)
{
	struct tgt_client *client = client_make(data, found->uuid, slot, slot);
	int rc = PTR_ERR_OR_ZERO(client);

	return rc == -EEXIST ? -EUCLEAN : rc;
}

/* Connects and disconnects. */

static int client_write(struct lu_target *lut, const struct tgt_client *client, bool known)
{
	struct last_rcvd_client record = {
		.last_epoch = lut->lut_last_rcvd.lrd_server.start_epoch,
	};

	BUILD_BUG_ON(sizeof(record.uuid) != sizeof(client->tcl_uuid.uuid));
	memcpy(record.uuid, client->tcl_uuid.uuid, sizeof(record.uuid));
	return last_rcvd_put(&lut->lut_last_rcvd, client->tcl_slot, known ? &record : NULL);
}

/* Return: 1 if the file is to be synced; 0; a negative errno. */
static int client_get(struct lu_target *lut, const struct obd_uuid *uuid)
{
	struct tgt_client *client = client_find(lut, uuid);
	int rc;

	if (client) {
		client->tcl_users++;
		return 0;
	}
	client = client_make(lut, uuid->uuid, 0, LR_CLIENTS_MAX - 1);
	if (IS_ERR(client))
		return PTR_ERR(client);
	rc = client_write(lut, client, true);
	if (rc)
		client_drop(lut, client, true);
	return rc ?: 1;
}

/* Likewise. A slot that could not be freed is not used again. */
static int client_put(struct lu_target *lut, const struct obd_uuid *uuid)
{
	struct tgt_client *client = client_find(lut, uuid);
	int rc;

	if (!client || --client->tcl_users)
		return 0;
	rc = client_write(lut, client, false);
	client_drop(lut, client, !rc);
	return rc ?: 1;
}

/**
 * tgt_client_add() - a client connects: store it
 * @obd: target
 * @uuid: client, not one that the target waits for after a restart
 *
 * Tasks that sync at the same time share a commit of the file system.
 *
 * Context: sleeps for the disk
 * Return: 0, and tgt_client_del() must follow; a negative errno
 */
int tgt_client_add(struct obd_device *obd, const struct obd_uuid *uuid)
{
	struct lu_target *lut = obd->obd_lut;
	int rc;

	if (!lut)
		return 0;
	mutex_lock(&lut->lut_clients_lock);
	rc = client_get(lut, uuid);
	mutex_unlock(&lut->lut_clients_lock);
	if (rc > 0) {
		rc = last_rcvd_sync(&lut->lut_last_rcvd);
		if (rc)
			tgt_client_del(obd, uuid);
	}
	if (rc) {
		CERROR("%s: cannot store client %s, refusing it: rc = %d\n", obd->obd_name,
		       uuid->uuid, rc);
		tgt_change_refused(obd, rc);
	}
	/* Clients of earlier versions take -EROFS for a refusal for good. */
	return rc == -EROFS ? -EIO : rc;
}
EXPORT_FOR_KUNIT(tgt_client_add);

/**
 * tgt_client_del() - an export of a client ends: it disconnected, or was evicted
 * @obd: target
 * @uuid: client
 *
 * Context: sleeps for the disk
 */
void tgt_client_del(struct obd_device *obd, const struct obd_uuid *uuid)
{
	const struct ptlrpc_target_ops *ops = obd->obd_type->typ_target;
	struct lu_target *lut = obd->obd_lut;
	int rc;

	if (!lut)
		return;
	mutex_lock(&lut->lut_clients_lock);
	rc = client_put(lut, uuid);
	mutex_unlock(&lut->lut_clients_lock);
	if (rc > 0)
		rc = last_rcvd_sync(&lut->lut_last_rcvd);
	if (rc) {
		CERROR("%s: cannot remove client %s from disk, it is waited for after a restart: rc = %d\n",
		       obd->obd_name, uuid->uuid, rc);
		tgt_change_refused(obd, rc);
	}
	if (ops && ops->to_client_gone)
		ops->to_client_gone(obd, uuid);
}
EXPORT_FOR_KUNIT(tgt_client_del);

/**
 * tgt_client_known() - whether a client is in the list
 * @obd: target
 * @client: client
 *
 * Context: may sleep
 * Return: true if it is
 */
bool tgt_client_known(struct obd_device *obd, const struct obd_uuid *client)
{
	struct lu_target *lut = obd->obd_lut;
	bool known;

	if (!lut)
		return false;
	mutex_lock(&lut->lut_clients_lock);
	known = client_find(lut, client);
	mutex_unlock(&lut->lut_clients_lock);
	return known;
}
EXPORT_SYMBOL_NS_GPL(tgt_client_known, LUSTRE_LITE);

/**
 * tgt_clients_committed() - note a commit in the file
 * @lut: target
 *
 * Not synced: the type has it on disk. It tells a target that lost its state from one that
 * has it.
 *
 * Context: may sleep
 */
void tgt_clients_committed(struct lu_target *lut)
{
	int rc;

	mutex_lock(&lut->lut_clients_lock);
	rc = last_rcvd_committed(&lut->lut_last_rcvd, READ_ONCE(lut->lut_committed));
	mutex_unlock(&lut->lut_clients_lock);
	if (rc)
		CDEBUG(D_HA, "%s: cannot note a commit: rc = %d\n", lut->lut_obd->obd_name, rc);
}

/* Start and end. */

/*
 * The transactions on disk are older than the list: what was committed is lost, so what
 * clients would replay does not fit.
 */
static int clients_forget(struct lu_target *lut)
{
	struct tgt_client *client, *next;
	int rc = 0;

	CWARN("%s: transaction 0x%llx was on disk, and now 0x%llx is the last one: its clients are evicted\n",
	      lut->lut_obd->obd_name, lut->lut_last_rcvd.lrd_server.last_transno,
	      lut->lut_committed);
	list_for_each_entry_safe(client, next, &lut->lut_client_list, tcl_item) {
		rc = rc ?: client_write(lut, client, false);
		client_drop(lut, client, true);
	}
	return rc;
}

static int clients_read(struct lu_target *lut, const struct tgt_conf *conf,
			struct obd_why *why)
{
	struct last_rcvd *lr = &lut->lut_last_rcvd;
	const char *fault = NULL;
	int rc;

	memcpy(lr->lrd_server.uuid, lut->lut_obd->obd_uuid.uuid, sizeof(lr->lrd_server.uuid));
	lr->lrd_server.compat = conf->tgc_incompat == OBD_INCOMPAT_MDT ? OBD_COMPAT_MDT :
									OBD_COMPAT_OST;
	lr->lrd_server.incompat = conf->tgc_incompat | OBD_INCOMPAT_COMMON_LR;
	rc = last_rcvd_open(lr, &fault);
	if (rc > 0)
		rc = last_rcvd_clients(lr, client_load, lut);
	if (rc == -EUCLEAN)
		return obd_refuse(why, rc,
				  "%s: its list of clients '%s' is damaged (%s); move it away to start without clients",
				  lut->lut_obd->obd_name, conf->tgc_name,
				  fault ?: "a client");
	if (rc)
		return obd_refuse(why, rc, "%s: cannot read its list of clients '%s'",
				  lut->lut_obd->obd_name, conf->tgc_name);
	return 0;
}

static int clients_begin(struct lu_target *lut, const struct tgt_conf *conf,
			 struct obd_why *why)
{
	struct last_rcvd *lr = &lut->lut_last_rcvd;
	int rc = file_open(lut, conf, why) ?: clients_read(lut, conf, why);

	if (rc)
		return rc;
	if (lr->lrd_server.last_transno > lut->lut_committed)
		rc = clients_forget(lut);
	lr->lrd_server.last_transno = lut->lut_committed;
	rc = rc ?: last_rcvd_start(lr) ?: libcfs_path_sync(conf->tgc_dir);
	if (rc)
		obd_refuse(why, rc, "%s: cannot write its list of clients '%s'",
			   lut->lut_obd->obd_name, conf->tgc_name);
	return rc;
}

/**
 * tgt_clients_open() - read the list, and note the start of the target in it
 * @lut: target, with lut_committed
 * @conf: what it is
 * @why: out: reason of a failure
 *
 * Context: sleeps for the disk
 * Return: 0 or a negative errno
 */
int tgt_clients_open(struct lu_target *lut, const struct tgt_conf *conf, struct obd_why *why)
{
	int rc = rhashtable_init(&lut->lut_clients, &clients_params);

	if (rc)
		return rc;
	mutex_init(&lut->lut_clients_lock);
	INIT_LIST_HEAD(&lut->lut_client_list);
	ida_init(&lut->lut_slots);
	mutex_lock(&lut->lut_clients_lock);
	rc = clients_begin(lut, conf, why);
	mutex_unlock(&lut->lut_clients_lock);
	if (rc)
		tgt_clients_close(lut);
	return rc;
}

/* Free the list in memory. May sleep. */
void tgt_clients_close(struct lu_target *lut)
{
	struct tgt_client *client, *next;

	mutex_lock(&lut->lut_clients_lock);
	list_for_each_entry_safe(client, next, &lut->lut_client_list, tcl_item)
		client_drop(lut, client, true);
	mutex_unlock(&lut->lut_clients_lock);
	rhashtable_destroy(&lut->lut_clients);
	ida_destroy(&lut->lut_slots);
	mutex_destroy(&lut->lut_clients_lock);
	if (lut->lut_file)
		fput(lut->lut_file);
}

/**
 * tgt_clients_recover() - start recovery with the clients in the list
 * @lut: target, not started yet
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int tgt_clients_recover(struct lu_target *lut)
{
	struct tgt_client *client;
	struct obd_uuid *uuids;
	unsigned int n = 0;
	int rc;

	uuids = kvcalloc(lut->lut_client_count, sizeof(*uuids), GFP_KERNEL);
	if (!uuids)
		return -ENOMEM;
	list_for_each_entry(client, &lut->lut_client_list, tcl_item)
		uuids[n++] = client->tcl_uuid;
	rc = target_recovery_start(lut->lut_obd, uuids, n, lut->lut_committed);
	kvfree(uuids);
	return rc;
}
