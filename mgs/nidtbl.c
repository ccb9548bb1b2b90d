// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of NIDs: where the targets of a file system are, and which start of each
 * it is. A target that registers makes a new version; who follows the table
 * connects to that target at once. The version of a table and the entry of each
 * target are files, which outlive a restart of the service: mgs_disk.h.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "nidtbl.h"

/* ci_born of every table. */
#define NIDTBL_BORN	1

static struct nidtbl *table_find(struct mgs_device *md, const char *fsname)
{
	struct nidtbl *nt;

	lockdep_assert_held(&md->md_nidtbl_lock);
	list_for_each_entry(nt, &md->md_nidtbls, nt_item) {
		if (!strcmp(nt->nt_fsname, fsname))
			return nt;
	}
	return NULL;
}

/*
 * The table of a file system as the directory has it; of one of which no target ever
 * registered it is empty. The writer alone does this. Return: an ERR_PTR
 */
static struct nidtbl *table_load(struct mgs_device *md, const char *fsname)
{
	struct nidtbl *nt;
	u64 version;
	int rc;

	lockdep_assert_held(&md->md_writer.wr_lock);
	rc = nidtbl_load_version(md, fsname, &version);
	if (rc)
		return ERR_PTR(rc);
	nt = libcfs_zalloc(sizeof(*nt), GFP_KERNEL_ACCOUNT);
	if (!nt)
		return ERR_PTR(-ENOMEM);
	nt->nt_version = version;
	strscpy(nt->nt_fsname, fsname, sizeof(nt->nt_fsname));
	INIT_LIST_HEAD(&nt->nt_entries);
	if (version)
		nidtbl_load_entries(md, nt);
	mutex_lock(&md->md_nidtbl_lock);
	list_add_tail(&nt->nt_item, &md->md_nidtbls);
	mutex_unlock(&md->md_nidtbl_lock);
	return nt;
}

static struct nidtbl *table_have(struct mgs_device *md, const char *fsname)
{
	struct nidtbl *nt;

	mutex_lock(&md->md_nidtbl_lock);
	nt = table_find(md, fsname);
	mutex_unlock(&md->md_nidtbl_lock);
	return nt ?: table_load(md, fsname);
}

static int table_begin(void *data, const char *fsname)
{
	return PTR_ERR_OR_ZERO(table_have(data, fsname));
}

/**
 * mgs_nidtbl_load() - have the tables of all file systems, so that no reader waits
 * @md: service that is being set up, called by the writer
 *
 * Context: may sleep
 */
void mgs_nidtbl_load(struct mgs_device *md)
{
	int rc = mgs_log_fsnames(md->md_store, table_begin, md);

	if (rc)
		CWARN("%s: not every table of NIDs could be read; clients find those targets by themselves: rc = %d\n",
		      md->md_obd->obd_name, rc);
}

/**
 * mgs_nidtbl_next() - the version that follows
 * @md: service, called by the writer
 * @fsname: file system
 * @version: out
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int mgs_nidtbl_next(struct mgs_device *md, const char *fsname, u64 *version)
{
	struct nidtbl *nt = table_have(md, fsname);

	if (IS_ERR(nt))
		return PTR_ERR(nt);
	mutex_lock(&md->md_nidtbl_lock);
	*version = nt->nt_version + 1;
	mutex_unlock(&md->md_nidtbl_lock);
	return 0;
}

/**
 * mgs_nidtbl_same() - whether a registration changes nothing of a table
 * @md: service, called by the writer
 * @target: target that registers
 * @instance: of its start
 * @nids: its NIDs
 *
 * Context: may sleep
 * Return: whether the target's entry has that start and those NIDs
 */
bool mgs_nidtbl_same(struct mgs_device *md, const struct mgs_target *target,
		     u32 instance, const struct ll_wire_nid *nids)
{
	const struct nidtbl_entry *ne = NULL;
	struct nidtbl *nt;
	bool same;

	lockdep_assert_held(&md->md_writer.wr_lock);
	mutex_lock(&md->md_nidtbl_lock);
	nt = table_find(md, target->fsname);
	if (nt)
		ne = nidtbl_entry_find(nt, nidtbl_type(target), target->index);
	same = ne && ne->ne_instance == instance &&
	       ne->ne_count == target->nid_count &&
	       !memcmp(ne->ne_nids, nids, ne->ne_count * sizeof(*nids));
	mutex_unlock(&md->md_nidtbl_lock);
	return same;
}

static bool entry_is(const struct nidtbl *nt, const struct nidtbl_entry *ne,
		     const char *svname)
{
	char name[LDD_SVNAME_LEN];

	scnprintf(name, sizeof(name), "%s-%s%04x", nt->nt_fsname,
		  ne->ne_type == LL_NIDTBL_MDT ? "MDT" : "OST", ne->ne_index);
	return !strcmp(name, svname);
}

/**
 * mgs_nidtbl_forget() - a target, or all of a file system, is gone
 * @md: service, called by the writer
 * @name: target or file system
 *
 * Context: may sleep
 */
void mgs_nidtbl_forget(struct mgs_device *md, const char *name)
{
	struct nidtbl_entry *ne, *next;
	struct nidtbl *nt;

	lockdep_assert_held(&md->md_writer.wr_lock);
	mutex_lock(&md->md_nidtbl_lock);
	list_for_each_entry(nt, &md->md_nidtbls, nt_item) {
		list_for_each_entry_safe(ne, next, &nt->nt_entries, ne_item) {
			if (strcmp(nt->nt_fsname, name) && !entry_is(nt, ne, name))
				continue;
			list_del(&ne->ne_item);
			libcfs_free(ne, sizeof(*ne));
		}
	}
	mutex_unlock(&md->md_nidtbl_lock);
}

static void table_set(struct nidtbl *nt, const struct mgs_target *target,
		      u32 instance, u64 version, const struct ll_wire_nid *nids)
{
	struct nidtbl_entry *ne = nidtbl_entry_find(nt, nidtbl_type(target),
						    target->index);

	nt->nt_version = max(nt->nt_version, version);
	if (ne)
		list_del(&ne->ne_item);
	else
		ne = libcfs_zalloc(sizeof(*ne), GFP_KERNEL_ACCOUNT);
	if (!ne)
		return;
	nidtbl_entry_fill(ne, target, instance, version, nids);
	list_add_tail(&ne->ne_item, &nt->nt_entries);
}

/**
 * mgs_nidtbl_set() - a target registered: its entry has a new version
 * @md: service, called by the writer
 * @target: target
 * @instance: of its start
 * @version: version, on the disk already
 * @nids: its NIDs
 *
 * Without memory its entry is missing: clients find it by themselves, later.
 *
 * Context: may sleep
 */
void mgs_nidtbl_set(struct mgs_device *md, const struct mgs_target *target,
		    u32 instance, u64 version, const struct ll_wire_nid *nids)
{
	struct nidtbl *nt;

	lockdep_assert_held(&md->md_writer.wr_lock);
	mutex_lock(&md->md_nidtbl_lock);
	nt = table_find(md, target->fsname);
	if (nt)
		table_set(nt, target, instance, version, nids);
	mutex_unlock(&md->md_nidtbl_lock);
	if (nt)
		mgs_nodes_owe(md, target->fsname, version);
}

/**
 * struct table_part - what a reader gets of a table
 * @version: of the table
 * @size: bytes of all that it wants
 * @len: bytes of what it gets
 * @count: entries in there
 */
struct table_part {
	u64	version;
	u64	size;
	u32	len;
	u32	count;
};

/* Whole entries that are newer than @since, the oldest first. */
static int table_read(struct nidtbl *nt, u64 since, void *to, u32 room,
		      struct table_part *part)
{
	struct nidtbl_entry *ne;
	bool full = false;

	part->version = nt->nt_version;
	list_for_each_entry(ne, &nt->nt_entries, ne_item) {
		if (ne->ne_version <= since)
			continue;
		part->size += nidtbl_entry_len(ne);
		full = full || part->len + nidtbl_entry_len(ne) > room;
		if (full)
			continue;
		nidtbl_entry_encode(ne, to + part->len);
		part->len += nidtbl_entry_len(ne);
		part->count++;
	}
	return part->size && !part->len ? -EOVERFLOW : 0;
}

/* From where the reader is; from the begin where it knows another folder's table. */
static u64 table_since(const struct mgs_device *md,
		       const struct mgs_part_wanted *want)
{
	if (want->born && want->born != mgs_wire_born(md, NIDTBL_BORN))
		return 0;
	return want->offset;
}

static int table_reply(struct mgs_device *md, struct ptlrpc_svc_req *sr,
		       const struct table_part *part, u64 since, u32 followers,
		       const void *bytes)
{
	struct ll_wire_config_info info = {
		.ci_born = cpu_to_le64(mgs_wire_born(md, part->version ?
							 NIDTBL_BORN : 0)),
		.ci_generation = cpu_to_le64(part->version),
		.ci_offset = cpu_to_le64(since),
		.ci_size = cpu_to_le64(part->size),
		.ci_last_index = cpu_to_le32(part->count),
		.ci_jitter_ms = cpu_to_le32(mgs_notify_jitter(md, followers)),
	};
	void *to = mgs_read_reply(sr, &info, part->len);

	if (!to)
		return -ENOMEM;
	memcpy(to, bytes, part->len);
	return 0;
}

/**
 * mgs_nidtbl_read() - answer who reads a table
 * @md: service
 * @node: who
 * @sr: request
 * @want: what it wants
 *
 * What does not fit is for its next read, which has the version of the last entry
 * that it got.
 *
 * Context: may sleep
 * Return: 0; -EOVERFLOW when not one entry fits; -ENOMEM; as mgs_node_follow()
 */
int mgs_nidtbl_read(struct mgs_device *md, struct mgs_node *node,
		    struct ptlrpc_svc_req *sr,
		    const struct mgs_part_wanted *want)
{
	u64 since = table_since(md, want);
	struct table_part part = {};
	struct nidtbl *nt;
	u32 followers;
	void *bytes;
	int rc;

	rc = mgs_node_follow(md, node, want->name, CONFIG_T_RECOVER, &followers);
	if (rc)
		return rc;
	bytes = kvmalloc(max_t(u32, want->room, 1), GFP_KERNEL);
	if (!bytes)
		return -ENOMEM;
	mutex_lock(&md->md_nidtbl_lock);
	nt = table_find(md, want->name);
	if (nt)
		rc = table_read(nt, since, bytes, want->room, &part);
	mutex_unlock(&md->md_nidtbl_lock);
	rc = rc ?: table_reply(md, sr, &part, since, followers, bytes);
	kvfree(bytes);
	return rc;
}

/**
 * mgs_nidtbl_told() - all who follow a table have its version
 * @md: service
 * @fsname: file system
 * @ns: how long that took, nanoseconds
 *
 * Context: may sleep
 */
void mgs_nidtbl_told(struct mgs_device *md, const char *fsname, u64 ns)
{
	struct nidtbl *nt;

	mutex_lock(&md->md_nidtbl_lock);
	nt = table_find(md, fsname);
	if (nt) {
		nt->nt_total_ns += ns;
		nt->nt_max_ns = max(nt->nt_max_ns, ns);
		nt->nt_count++;
	}
	mutex_unlock(&md->md_nidtbl_lock);
}

/**
 * mgs_nidtbl_ir() - what a table tells of itself
 * @md: service
 * @fsname: file system
 * @ir: out
 *
 * Context: may sleep
 */
void mgs_nidtbl_ir(struct mgs_device *md, const char *fsname, struct mgs_ir *ir)
{
	struct nidtbl *nt;

	memset(ir, 0, sizeof(*ir));
	mutex_lock(&md->md_nidtbl_lock);
	nt = table_find(md, fsname);
	if (nt) {
		ir->version = nt->nt_version;
		ir->total_ns = nt->nt_total_ns;
		ir->max_ns = nt->nt_max_ns;
		ir->count = nt->nt_count;
	}
	mutex_unlock(&md->md_nidtbl_lock);
}

/**
 * mgs_nidtbl_free() - forget all tables
 * @md: service that nobody uses any more
 *
 * Context: may sleep
 */
void mgs_nidtbl_free(struct mgs_device *md)
{
	struct nidtbl_entry *ne, *next_entry;
	struct nidtbl *nt, *next;

	list_for_each_entry_safe(nt, next, &md->md_nidtbls, nt_item) {
		list_for_each_entry_safe(ne, next_entry, &nt->nt_entries,
					 ne_item)
			libcfs_free(ne, sizeof(*ne));
		list_del(&nt->nt_item);
		libcfs_free(nt, sizeof(*nt));
	}
}
