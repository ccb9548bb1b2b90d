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

/* Bytes of the name of a file of a device. */
#define NAME_BYTES	(MAX_OBD_NAME + 16)

static struct file *journal_file(struct echo_server *server, const struct path *dir,
				 const char *text, struct obd_why *why)
{
	char name[NAME_BYTES];
	struct file *file;

	snprintf(name, sizeof(name), "%s.journal", server->es_obd->obd_name);
	file = file_open_root(dir, name, O_RDWR | O_CREAT | O_LARGEFILE | O_NOFOLLOW, 0600);
	if (IS_ERR(file)) {
		obd_refuse(why, PTR_ERR(file),
			   "%s: cannot open a journal in '%s'; choose a writable directory",
			   server->es_obd->obd_name, text);
		return file;
	}
	if (S_ISREG(file_inode(file)->i_mode))
		return file;
	fput(file);
	return ERR_PTR(obd_refuse(why, -EINVAL,
				  "%s: the journal in '%s' is not a regular file",
				  server->es_obd->obd_name, text));
}

/**
 * struct echo_slot - one of the two slots of a record
 * @record: record, in memory of its own, or NULL
 * @head: its head
 * @fault: NULL if it is intact, or the fault
 */
struct echo_slot {
	void		*record;
	struct jrn_head	head;
	const char	*fault;
};

static int slot_read(struct file *file, loff_t pos, struct echo_slot *slot)
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
static int restore(struct echo_journal *jn, const struct echo_slot *slot)
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
	server->es_restored = head.transno;
	server->es_executed = head.executed;
	server->es_sum = head.sum;
	mutex_unlock(&server->es_lock);
	jn->ejn_seq = head.seq;
	return rc;
}

/* The younger of two intact records; a file without any is damaged. */
static int journal_choose(struct echo_journal *jn, const struct echo_slot *slots,
			  struct obd_why *why)
{
	const struct echo_slot *best = &slots[0];

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
	struct echo_slot slots[2] = {};
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
static int journal_begin(struct echo_journal *jn, const struct path *dir,
			 const char *text, struct obd_why *why)
{
	int rc;

	if (i_size_read(file_inode(jn->ejn_file)))
		return journal_load(jn, why);
	rc = journal_write_first(jn) ?: libcfs_path_sync(dir);
	if (rc)
		obd_refuse(why, rc, "%s: cannot write a journal in '%s'",
			   jn->ejn_server->es_obd->obd_name, text);
	return rc;
}

static void journal_free(struct echo_journal *jn)
{
	kvfree(jn->ejn_buf);
	fput(jn->ejn_file);
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
	return jn;
}

/* Free restored clients: all, or those that are not in the list of clients. */
static void drop_clients(struct echo_server *server, bool all)
{
	struct echo_counts *counts, *next;

	mutex_lock(&server->es_lock);
	list_for_each_entry_safe(counts, next, &server->es_counts, cts_item)
		if (counts->cts_known &&
		    (all || !tgt_client_known(server->es_obd, &counts->cts_uuid)))
			echo_counts_know(server, &counts->cts_uuid, false);
	mutex_unlock(&server->es_lock);
}

/* Transactions, with the list of clients beside the journal. */
static int trans_start(struct echo_server *server, const struct path *dir,
		       struct obd_why *why)
{
	char name[NAME_BYTES];
	const struct tgt_conf conf = {
		.tgc_ops = &journal_ops,
		.tgc_dir = dir,
		.tgc_name = name,
		.tgc_incompat = OBD_INCOMPAT_OST,
		.tgc_committed = server->es_restored,
	};
	int rc;

	snprintf(name, sizeof(name), "%s.last_rcvd", server->es_obd->obd_name);
	rc = tgt_init(server->es_obd, &conf, why);
	if (!rc)
		drop_clients(server, false);
	return rc;
}

static int journal_start(struct echo_server *server, const struct path *dir,
			 const char *text, struct obd_why *why)
{
	struct file *file = journal_file(server, dir, text, why);
	struct echo_journal *jn;
	int rc;

	if (IS_ERR(file))
		return PTR_ERR(file);
	jn = journal_alloc(server, file);
	if (!jn) {
		fput(file);
		return -ENOMEM;
	}
	server->es_journal = jn;
	rc = journal_begin(jn, dir, text, why);
	if (!rc)
		rc = trans_start(server, dir, why);
	if (!rc)
		return 0;
	drop_clients(server, true);
	server->es_journal = NULL;
	journal_free(jn);
	return rc;
}

/**
 * echo_journal_open() - restore the state of a server, and start its transactions
 * @server: server, not published yet
 * @dir: directory of the journal; NULL or "": there is none
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: 0; -EUCLEAN if the journal is damaged; errors of opening, reading and
 *  writing; as tgt_init()
 */
int echo_journal_open(struct echo_server *server, const char *dir,
		      struct obd_why *why)
{
	const char *name = server->es_obd->obd_name;
	struct path path;
	int rc;

	if (!dir || !*dir)
		return 0;
	if (strchr(name, '/'))
		return obd_refuse(why, -EINVAL,
				  "%s: the name of a device with a journal must not contain '/'",
				  name);
	rc = kern_path(dir, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &path);
	if (rc)
		return obd_refuse(why, rc,
				  "%s: cannot open a journal in '%s'; choose a writable directory",
				  name, dir);
	rc = journal_start(server, &path, dir, why);
	path_put(&path);
	return rc;
}

/**
 * echo_journal_close() - end transactions and close the journal
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
	tgt_fini(server->es_obd);
	drop_clients(server, true);
	server->es_journal = NULL;
	journal_free(jn);
}
