// SPDX-License-Identifier: GPL-2.0-only
/* Opening and closing a journal. */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/err.h>
#include <linux/file.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>
#include <lustre_lite/libcfs.h>

#include "journal.h"

static struct file *journal_file(struct echo_server *server, const char *dir,
				 struct obd_why *why)
{
	const char *name = server->es_obd->obd_name;
	struct file *file;
	char *path;

	if (strchr(name, '/'))
		return ERR_PTR(obd_refuse(why, -EINVAL,
					  "%s: the name of a device with a journal must not contain '/'",
					  name));
	path = kasprintf(GFP_KERNEL, "%s/%s.journal", dir, name);
	if (!path)
		return ERR_PTR(-ENOMEM);
	file = filp_open(path, O_RDWR | O_CREAT | O_LARGEFILE | O_NOFOLLOW,
			 0600);
	kfree(path);
	if (IS_ERR(file)) {
		obd_refuse(why, PTR_ERR(file),
			   "%s: cannot open a journal in '%s'; choose a writable directory",
			   name, dir);
		return file;
	}
	if (S_ISREG(file_inode(file)->i_mode))
		return file;
	fput(file);
	return ERR_PTR(obd_refuse(why, -EINVAL,
				  "%s: the journal in '%s' is not a regular file", name,
				  dir));
}

/* fsync makes the name of a new file survive a power cut. */
static int dir_sync(const char *dir)
{
	struct path path;
	int rc = kern_path(dir, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &path);

	if (rc)
		return rc;
	rc = libcfs_path_sync(&path);
	path_put(&path);
	return rc;
}

/**
 * struct slot - one of the two slots of a record
 * @record: record, in memory of its own, or NULL
 * @head: its head
 * @fault: NULL if it is intact, or the fault
 */
struct slot {
	void		*record;
	struct jrn_head	head;
	const char	*fault;
};

static int slot_read(struct file *file, loff_t pos, struct slot *slot)
{
	u8 bytes[JRN_HEAD_SIZE];
	struct jrn_at at;
	int got = libcfs_pread(file, pos, bytes, sizeof(bytes));

	if (got < 0)
		return got;
	slot->fault = jrn_head_read(bytes, got, &slot->head);
	if (slot->fault)
		return 0;
	slot->record = kvmalloc(slot->head.len, GFP_KERNEL);
	if (!slot->record)
		return -ENOMEM;
	got = libcfs_pread(file, pos, slot->record, slot->head.len);
	if (got < 0)
		return got;
	slot->fault = jrn_open(&at, slot->record, got, &slot->head);
	return 0;
}

static int restore_client(struct echo_server *server,
			  const struct jrn_client *client)
{
	struct echo_counts *counts;
	struct obd_uuid uuid;
	int rc;
	u32 n;

	BUILD_BUG_ON(sizeof(uuid.uuid) != sizeof(client->uuid));
	memcpy(uuid.uuid, client->uuid, sizeof(uuid.uuid));
	rc = echo_counts_know(server, &uuid, true);
	if (rc <= 0)
		return rc ?: -EUCLEAN;
	counts = list_last_entry(&server->es_counts, struct echo_counts,
				 cts_item);
	counts->cts_executed = client->executed;
	counts->cts_sum = client->sum;
	for (n = 0; n < client->xid_count; n++) {
		rc = echo_counts_restore(counts, jrn_xid(client, n));
		if (rc)
			return rc;
	}
	return 0;
}

/* Restore the state of an intact record. */
static int restore(struct echo_journal *jn, const struct slot *slot)
{
	struct echo_server *server = jn->ejn_server;
	struct jrn_client client;
	struct jrn_head head;
	struct jrn_at at;
	int rc = 0;

	if (jrn_open(&at, slot->record, slot->head.len, &head))
		return -EUCLEAN;
	mutex_lock(&server->es_lock);
	while (!rc && head.clients--)
		rc = jrn_get_client(&at, &client) ? -EUCLEAN :
		     restore_client(server, &client);
	server->es_transno = head.transno;
	server->es_restored = head.transno;
	server->es_executed = head.executed;
	server->es_sum = head.sum;
	mutex_unlock(&server->es_lock);
	jn->ejn_seq = head.seq;
	jn->ejn_committed = head.transno;
	return rc;
}

/* The younger of two intact records; a file without any is damaged. */
static int journal_choose(struct echo_journal *jn, const struct slot *slots,
			  struct obd_why *why)
{
	const struct slot *best = &slots[0];

	if (best->fault ||
	    (!slots[1].fault && slots[1].head.seq > best->head.seq))
		best = &slots[1];
	if (!best->fault)
		return restore(jn, best);
	return obd_refuse(why, -EUCLEAN,
			  "%s: its journal is damaged (first record: %s; second: %s); move it away to start from scratch",
			  jn->ejn_server->es_obd->obd_name, slots[0].fault,
			  slots[1].fault);
}

static int journal_load(struct echo_journal *jn, struct obd_why *why)
{
	struct slot slots[2] = {};
	int rc = 0;
	u64 n;

	for (n = 0; !rc && n < ARRAY_SIZE(slots); n++)
		rc = slot_read(jn->ejn_file, journal_slot(n), &slots[n]);
	if (rc)
		obd_refuse(why, rc, "%s: cannot read its journal",
			   jn->ejn_server->es_obd->obd_name);
	else
		rc = journal_choose(jn, slots, why);
	for (n = 0; n < ARRAY_SIZE(slots); n++)
		kvfree(slots[n].record);
	return rc;
}

/* Write the first record at once, to detect an unwritable directory. */
static int journal_begin(struct echo_journal *jn, const char *dir,
			 struct obd_why *why)
{
	int rc;

	if (i_size_read(file_inode(jn->ejn_file)))
		return journal_load(jn, why);
	rc = journal_write_first(jn) ?: dir_sync(dir);
	if (rc)
		obd_refuse(why, rc, "%s: cannot write a journal in '%s'",
			   jn->ejn_server->es_obd->obd_name, dir);
	return rc;
}

static void journal_free(struct echo_journal *jn)
{
	kvfree(jn->ejn_buf);
	fput(jn->ejn_file);
	mutex_destroy(&jn->ejn_commit);
	libcfs_free(jn, sizeof(*jn));
}

static struct echo_journal *journal_alloc(struct echo_server *server,
					  struct file *file)
{
	struct echo_journal *jn = libcfs_zalloc(sizeof(*jn), GFP_KERNEL_ACCOUNT);

	if (!jn)
		return NULL;
	jn->ejn_server = server;
	jn->ejn_file = file;
	mutex_init(&jn->ejn_commit);
	INIT_DELAYED_WORK(&jn->ejn_work, journal_work);
	return jn;
}

/* Free the restored clients. */
static void drop_clients(struct echo_server *server)
{
	struct echo_counts *counts, *next;

	mutex_lock(&server->es_lock);
	list_for_each_entry_safe(counts, next, &server->es_counts, cts_item)
		if (counts->cts_known)
			echo_counts_know(server, &counts->cts_uuid, false);
	mutex_unlock(&server->es_lock);
}

/**
 * echo_journal_open() - restore the state of a server
 * @server: server, not published yet
 * @dir: directory of the journal; NULL or "": there is none
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: 0; -EUCLEAN if the journal is damaged; errors of opening, reading and
 *  writing
 */
int echo_journal_open(struct echo_server *server, const char *dir,
		      struct obd_why *why)
{
	struct echo_journal *jn;
	struct file *file;
	int rc;

	if (!dir || !*dir)
		return 0;
	file = journal_file(server, dir, why);
	if (IS_ERR(file))
		return PTR_ERR(file);
	jn = journal_alloc(server, file);
	if (!jn) {
		fput(file);
		return -ENOMEM;
	}
	rc = journal_begin(jn, dir, why);
	if (!rc)
		rc = journal_params_add(server);
	if (rc) {
		drop_clients(server);
		journal_free(jn);
		return rc;
	}
	server->es_journal = jn;
	return 0;
}

/* The uuids of all known clients. */
static unsigned int known_clients(struct echo_server *server,
				  struct obd_uuid *uuids)
{
	struct echo_counts *counts;
	unsigned int count = 0;

	mutex_lock(&server->es_lock);
	list_for_each_entry(counts, &server->es_counts, cts_item) {
		if (!counts->cts_known)
			continue;
		if (uuids)
			uuids[count] = counts->cts_uuid;
		count++;
	}
	mutex_unlock(&server->es_lock);
	return count;
}

/**
 * echo_journal_recover() - start recovery with the clients of the journal
 * @server: server, not started yet
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int echo_journal_recover(struct echo_server *server)
{
	unsigned int count = known_clients(server, NULL);
	struct obd_uuid *uuids;
	int rc;

	if (!count)
		return 0;
	uuids = kvcalloc(count, sizeof(*uuids), GFP_KERNEL);
	if (!uuids)
		return -ENOMEM;
	known_clients(server, uuids);
	rc = ptlrpc_target_recover(server->es_obd, uuids, count,
				   server->es_transno);
	kvfree(uuids);
	return rc;
}

/**
 * echo_journal_close() - close the journal
 * @server: server without users
 *
 * After a cleanup that simulates a failure of the machine nothing more is
 * written.
 *
 * Context: sleeps for the disk
 */
void echo_journal_close(struct echo_server *server)
{
	struct echo_journal *jn = server->es_journal;

	if (!jn)
		return;
	cancel_delayed_work_sync(&jn->ejn_work);
	if (!test_bit(OBDF_FAIL, &server->es_obd->obd_flags))
		echo_journal_sync(server);
	drop_clients(server);
	server->es_journal = NULL;
	journal_free(jn);
}
