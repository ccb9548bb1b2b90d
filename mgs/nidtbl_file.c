// SPDX-License-Identifier: GPL-2.0
/*
 * Entries of tables of NIDs, as others see them and as they are in the folder: a file
 * for the version of a table, and one for each target.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "nidtbl.h"

/* struct nidtbl_bytes - an entry as others see it, and as it is in its file */
struct nidtbl_bytes {
	struct ll_wire_nidtbl	nb_head;
	struct ll_wire_nid	nb_nids[MGS_TARGET_NIDS_MAX];
};

static void version_name(const char *fsname, char *name, size_t size)
{
	scnprintf(name, size, MGS_NIDTBL_DIR "/%s", fsname);
}

/**
 * nidtbl_load_version() - the version of a table that is in the folder
 * @md: service, called by the writer
 * @fsname: file system
 * @version: out, 0 for a table that there was not before
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int nidtbl_load_version(struct mgs_device *md, const char *fsname, u64 *version)
{
	char name[MGS_FILE_MAX];
	__le64 bytes = 0;
	ssize_t len;

	lockdep_assert_held(&md->md_writer.wr_lock);
	version_name(fsname, name, sizeof(name));
	len = mgs_store_get(md->md_store, name, &bytes, sizeof(bytes));
	if (len == -ENOENT)
		len = 0;
	if (len < 0)
		return len;
	*version = len == sizeof(bytes) ? le64_to_cpu(bytes) : 0;
	return 0;
}

/**
 * nidtbl_entry_find() - the entry of a target
 * @nt: table
 * @type: LL_NIDTBL_*
 * @index: index of the target
 *
 * Context: under md_nidtbl_lock
 * Return: entry, or NULL
 */
struct nidtbl_entry *nidtbl_entry_find(struct nidtbl *nt, u8 type, u32 index)
{
	struct nidtbl_entry *ne;

	list_for_each_entry(ne, &nt->nt_entries, ne_item) {
		if (ne->ne_type == type && ne->ne_index == index)
			return ne;
	}
	return NULL;
}

/**
 * nidtbl_entry_len() - bytes of an entry as others see it
 * @ne: entry
 *
 * Context: any
 * Return: bytes
 */
u32 nidtbl_entry_len(const struct nidtbl_entry *ne)
{
	return sizeof(struct ll_wire_nidtbl) +
	       ne->ne_count * sizeof(struct ll_wire_nid);
}

/**
 * nidtbl_entry_encode() - an entry as others see it
 * @ne: entry
 * @to: out, nidtbl_entry_len() bytes
 *
 * Context: any
 */
void nidtbl_entry_encode(const struct nidtbl_entry *ne, void *to)
{
	struct ll_wire_nidtbl *wire = to;

	*wire = (struct ll_wire_nidtbl) {
		.nt_version = cpu_to_le64(ne->ne_version),
		.nt_instance = cpu_to_le32(ne->ne_instance),
		.nt_index = cpu_to_le32(ne->ne_index),
		.nt_len = cpu_to_le32(nidtbl_entry_len(ne)),
		.nt_type = ne->ne_type,
		.nt_nid_size = sizeof(struct ll_wire_nid),
		.nt_nid_count = ne->ne_count,
	};
	memcpy(wire + 1, ne->ne_nids,
	       ne->ne_count * sizeof(struct ll_wire_nid));
}

static void entry_name(const char *svname, char *name, size_t size)
{
	scnprintf(name, size, MGS_NIDS_DIR "/%s", svname);
}

/* What was read of a file, @len bytes, as an entry; false when it is none. */
static bool entry_decode(struct nidtbl_entry *ne,
			 const struct nidtbl_bytes *bytes, ssize_t len)
{
	const struct ll_wire_nidtbl *wire = &bytes->nb_head;

	if (len < (ssize_t)sizeof(*wire) ||
	    wire->nt_nid_size != sizeof(struct ll_wire_nid) ||
	    wire->nt_nid_count > MGS_TARGET_NIDS_MAX ||
	    (wire->nt_type != LL_NIDTBL_MDT && wire->nt_type != LL_NIDTBL_OST))
		return false;
	ne->ne_version = le64_to_cpu(wire->nt_version);
	ne->ne_instance = le32_to_cpu(wire->nt_instance);
	ne->ne_index = le32_to_cpu(wire->nt_index);
	ne->ne_type = wire->nt_type;
	ne->ne_count = wire->nt_nid_count;
	memcpy(ne->ne_nids, bytes->nb_nids,
	       ne->ne_count * sizeof(struct ll_wire_nid));
	return len == nidtbl_entry_len(ne) && le32_to_cpu(wire->nt_len) == len;
}

/* In the order of versions. */
static void entry_insert(struct nidtbl *nt, struct nidtbl_entry *ne)
{
	struct nidtbl_entry *other;

	list_for_each_entry_reverse(other, &nt->nt_entries, ne_item)
		if (other->ne_version <= ne->ne_version)
			break;
	list_add(&ne->ne_item, &other->ne_item);
}

/* struct nidtbl_load - a table whose entries are read */
struct nidtbl_load {
	struct mgs_device	*md;
	struct nidtbl		*nt;
	struct nidtbl_bytes	bytes;
};

/* A target that registered with an earlier release has none. */
static int entry_load(void *data, const char *svname)
{
	struct nidtbl_load *load = data;
	struct nidtbl_entry *ne;
	char name[MGS_FILE_MAX];
	ssize_t len;

	entry_name(svname, name, sizeof(name));
	len = mgs_store_get(load->md->md_store, name, &load->bytes,
			    sizeof(load->bytes));
	if (len == -ENOENT)
		return 0;
	ne = libcfs_zalloc(sizeof(*ne), GFP_KERNEL_ACCOUNT);
	if (!ne)
		return -ENOMEM;
	if (len > 0 && entry_decode(ne, &load->bytes, len) &&
	    ne->ne_version <= load->nt->nt_version &&
	    !nidtbl_entry_find(load->nt, ne->ne_type, ne->ne_index)) {
		entry_insert(load->nt, ne);
		return 0;
	}
	libcfs_free(ne, sizeof(*ne));
	CWARN("%s: %s is no entry of a table of NIDs; clients find %s by themselves until it registers again\n",
	      load->md->md_obd->obd_name, name, svname);
	return 0;
}

/**
 * nidtbl_load_entries() - the entries of a table that are in the folder
 * @md: service, called by the writer
 * @nt: table, its version known
 *
 * What cannot be read is missing: clients find those targets by themselves.
 *
 * Context: may sleep
 */
void nidtbl_load_entries(struct mgs_device *md, struct nidtbl *nt)
{
	struct nidtbl_load *load = kzalloc(sizeof(*load), GFP_KERNEL);
	int rc = -ENOMEM;

	if (load) {
		load->md = md;
		load->nt = nt;
		rc = mgs_log_targets(md->md_store, nt->nt_fsname, entry_load,
				     load);
	}
	kfree(load);
	if (rc)
		CWARN("%s: not every entry of the table of NIDs of %s is read: rc = %d\n",
		      md->md_obd->obd_name, nt->nt_fsname, rc);
}

/**
 * nidtbl_entry_fill() - the entry of a target that registers
 * @ne: out, entry
 * @target: target
 * @instance: of its start
 * @version: of the table
 * @nids: its NIDs
 *
 * Context: any
 */
void nidtbl_entry_fill(struct nidtbl_entry *ne, const struct mgs_target *target,
		       u32 instance, u64 version,
		       const struct ll_wire_nid *nids)
{
	ne->ne_version = version;
	ne->ne_instance = instance;
	ne->ne_index = target->index;
	ne->ne_type = nidtbl_type(target);
	ne->ne_count = min_t(u32, target->nid_count, MGS_TARGET_NIDS_MAX);
	memcpy(ne->ne_nids, nids, ne->ne_count * sizeof(*nids));
}

/**
 * struct nidtbl_put - what is written of an entry; too large for a stack
 * @entry: it
 * @bytes: the same
 */
struct nidtbl_put {
	struct nidtbl_entry	entry;
	struct nidtbl_bytes	bytes;
};

static int entry_put(struct mgs_txn *txn, const char *svname,
		     struct nidtbl_put *put)
{
	char name[MGS_FILE_MAX];

	entry_name(svname, name, sizeof(name));
	nidtbl_entry_encode(&put->entry, &put->bytes);
	return mgs_txn_put(txn, name, &put->bytes, nidtbl_entry_len(&put->entry));
}

/**
 * mgs_nidtbl_put() - write a version and its entry down, as part of a change
 * @txn: change
 * @target: target that registers
 * @instance: of its start
 * @version: version
 * @nids: its NIDs
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int mgs_nidtbl_put(struct mgs_txn *txn, const struct mgs_target *target,
		   u32 instance, u64 version, const struct ll_wire_nid *nids)
{
	struct nidtbl_put *put = kzalloc(sizeof(*put), GFP_KERNEL);
	__le64 bytes = cpu_to_le64(version);
	char name[MGS_FILE_MAX];
	int rc;

	if (!put)
		return -ENOMEM;
	nidtbl_entry_fill(&put->entry, target, instance, version, nids);
	version_name(target->fsname, name, sizeof(name));
	rc = mgs_txn_put(txn, name, &bytes, sizeof(bytes)) ?:
	     entry_put(txn, target->svname, put);
	kfree(put);
	return rc;
}
