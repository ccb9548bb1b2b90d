// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of NIDs: where the targets of a file system are, and which start of each
 * it is. A target that registers makes a new version; nodes that follow the table
 * connect to that target at once. The version of a table and the entry of each
 * target are files, which outlive a restart of the service: mgs_disk.h.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgs_internal.h"

/**
 * struct nidtbl_entry - a target
 * @ne_item: in nt_entries
 * @ne_version: of the table when it registered
 * @ne_instance: of its start
 * @ne_index: index
 * @ne_type: LL_NIDTBL_*
 * @ne_seen: it has registered since the service started
 * @ne_count: NIDs
 * @ne_nids: NIDs
 */
struct nidtbl_entry {
	struct list_head	ne_item;
	u64			ne_version;
	u32			ne_instance;
	u32			ne_index;
	u8			ne_type;
	bool			ne_seen;
	u8			ne_count;
	struct lustre_nid	ne_nids[MGS_TARGET_NIDS_MAX];
};

/**
 * struct nidtbl - the table of a file system
 * @nt_item: in md_nidtbls
 * @nt_fsname: file system
 * @nt_version: version
 * @nt_entries: struct nidtbl_entry, in the order of versions
 * @nt_total_ns: how long it took until all who follow had a version, all times
 * @nt_max_ns: the longest of them
 * @nt_count: how many
 *
 * Guarded by md_nidtbl_lock; there until the service is cleaned up. What is in the
 * directory is read by the writer.
 */
struct nidtbl {
	struct list_head	nt_item;
	char			nt_fsname[LUSTRE_MAXFSNAME + 1];
	u64			nt_version;
	struct list_head	nt_entries;
	u64			nt_total_ns;
	u64			nt_max_ns;
	u32			nt_count;
};

static u8 nidtbl_type(const struct mgs_target *target)
{
	return target->flags & LDD_F_SV_TYPE_MDT ? LL_NIDTBL_MDT :
						   LL_NIDTBL_OST;
}

/* struct nidtbl_bytes - an entry as others see it, and as it is in its file */
struct nidtbl_bytes {
	struct lustre_nidtbl	nb_head;
	struct lustre_nid	nb_nids[MGS_TARGET_NIDS_MAX];
};

static void version_name(const char *fsname, char *name, size_t size)
{
	scnprintf(name, size, MGS_NIDTBL_DIR "/%s", fsname);
}

/*
 * The version of a table that is in the folder. The writer calls it. @version: out, 0
 * for a table that there was not before.
 * Return: 0 or a negative errno
 */
static int load_version(struct mgs_device *md, const char *fsname, u64 *version)
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

/* The entry of a target. Context: under md_nidtbl_lock. Return: entry, or NULL */
static struct nidtbl_entry *entry_find(struct nidtbl *nt, u8 type, u32 index)
{
	struct nidtbl_entry *ne;

	list_for_each_entry(ne, &nt->nt_entries, ne_item) {
		if (ne->ne_type == type && ne->ne_index == index)
			return ne;
	}
	return NULL;
}

/* Bytes of an entry as others see it. Return: bytes */
static u32 entry_len(const struct nidtbl_entry *ne)
{
	return sizeof(struct lustre_nidtbl) +
	       ne->ne_count * sizeof(struct lustre_nid);
}

/* An entry as others see it. @to: out, entry_len() bytes. */
static void entry_encode(const struct nidtbl_entry *ne, void *to)
{
	struct lustre_nidtbl *wire = to;

	*wire = (struct lustre_nidtbl) {
		.nt_version = cpu_to_le64(ne->ne_version),
		.nt_instance = cpu_to_le32(ne->ne_instance),
		.nt_index = cpu_to_le32(ne->ne_index),
		.nt_len = cpu_to_le32(entry_len(ne)),
		.nt_type = ne->ne_type,
		.nt_nid_size = sizeof(struct lustre_nid),
		.nt_nid_count = ne->ne_count,
	};
	memcpy(wire + 1, ne->ne_nids,
	       ne->ne_count * sizeof(struct lustre_nid));
}

static void entry_name(const char *svname, char *name, size_t size)
{
	scnprintf(name, size, MGS_NIDS_DIR "/%s", svname);
}

/* What was read of a file, @len bytes, as an entry; false when it is none. */
static bool entry_decode(struct nidtbl_entry *ne,
			 const struct nidtbl_bytes *bytes, ssize_t len)
{
	const struct lustre_nidtbl *wire = &bytes->nb_head;

	if (len < (ssize_t)sizeof(*wire) ||
	    wire->nt_nid_size != sizeof(struct lustre_nid) ||
	    wire->nt_nid_count > MGS_TARGET_NIDS_MAX ||
	    (wire->nt_type != LL_NIDTBL_MDT && wire->nt_type != LL_NIDTBL_OST))
		return false;
	ne->ne_version = le64_to_cpu(wire->nt_version);
	ne->ne_instance = le32_to_cpu(wire->nt_instance);
	ne->ne_index = le32_to_cpu(wire->nt_index);
	ne->ne_type = wire->nt_type;
	ne->ne_count = wire->nt_nid_count;
	memcpy(ne->ne_nids, bytes->nb_nids,
	       ne->ne_count * sizeof(struct lustre_nid));
	return len == entry_len(ne) && le32_to_cpu(wire->nt_len) == len;
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
	    !entry_find(load->nt, ne->ne_type, ne->ne_index)) {
		entry_insert(load->nt, ne);
		return 0;
	}
	libcfs_free(ne, sizeof(*ne));
	CWARN("%s: %s is no entry of a table of NIDs; clients find %s by themselves until it registers again\n",
	      load->md->md_obd->obd_name, name, svname);
	return 0;
}

/*
 * The entries of a table that are in the folder. The writer calls it. What cannot be
 * read is missing: clients find those targets by themselves.
 */
static void load_entries(struct mgs_device *md, struct nidtbl *nt)
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

/* The entry of a target that registers */
static void entry_fill(struct nidtbl_entry *ne, const struct mgs_target *target,
		       u32 instance, u64 version,
		       const struct lustre_nid *nids)
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

/*
 * Write a version and its entry down, as part of a change.
 * Return: 0 or a negative errno
 */
int mgs_nidtbl_put(struct mgs_txn *txn, const struct mgs_target *target,
		   u32 instance, u64 version, const struct lustre_nid *nids)
{
	struct nidtbl_put *put = kzalloc(sizeof(*put), GFP_KERNEL);
	__le64 bytes = cpu_to_le64(version);
	char name[MGS_FILE_MAX];
	int rc;

	if (!put)
		return -ENOMEM;
	entry_fill(&put->entry, target, instance, version, nids);
	version_name(target->fsname, name, sizeof(name));
	rc = mgs_txn_put(txn, name, &bytes, sizeof(bytes));
	entry_name(target->svname, name, sizeof(name));
	entry_encode(&put->entry, &put->bytes);
	rc = rc ?: mgs_txn_put(txn, name, &put->bytes, entry_len(&put->entry));
	kfree(put);
	return rc;
}

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
	rc = load_version(md, fsname, &version);
	if (rc)
		return ERR_PTR(rc);
	nt = libcfs_zalloc(sizeof(*nt), GFP_KERNEL_ACCOUNT);
	if (!nt)
		return ERR_PTR(-ENOMEM);
	nt->nt_version = version;
	strscpy(nt->nt_fsname, fsname, sizeof(nt->nt_fsname));
	INIT_LIST_HEAD(&nt->nt_entries);
	if (version)
		load_entries(md, nt);
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

/*
 * Have the tables of all file systems, so that no reader waits. The writer calls it.
 */
void mgs_nidtbl_load(struct mgs_device *md)
{
	int rc = mgs_log_fsnames(md->md_store, table_begin, md);

	if (rc)
		CWARN("%s: not every table of NIDs could be read; clients find those targets by themselves: rc = %d\n",
		      md->md_obd->obd_name, rc);
}

/* The version that follows. The writer calls it. Return: 0 or a negative errno */
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

/*
 * Whether a registration changes nothing of a table. The writer calls it.
 * Return: whether the target's entry has that start and those NIDs
 */
bool mgs_nidtbl_same(struct mgs_device *md, const struct mgs_target *target,
		     u32 instance, const struct lustre_nid *nids)
{
	const struct nidtbl_entry *ne = NULL;
	struct nidtbl *nt;
	bool same;

	lockdep_assert_held(&md->md_writer.wr_lock);
	mutex_lock(&md->md_nidtbl_lock);
	nt = table_find(md, target->fsname);
	if (nt)
		ne = entry_find(nt, nidtbl_type(target), target->index);
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

/* A target, or all of a file system, is gone. The writer calls it. */
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

static struct nidtbl_entry *entry_of(struct mgs_device *md,
				     const struct mgs_target *target)
{
	struct nidtbl *nt = table_find(md, target->fsname);

	return nt ? entry_find(nt, nidtbl_type(target), target->index) : NULL;
}

/* A target has registered with this service. */
void mgs_nidtbl_see(struct mgs_device *md, const struct mgs_target *target)
{
	struct nidtbl_entry *ne;

	mutex_lock(&md->md_nidtbl_lock);
	ne = entry_of(md, target);
	if (ne)
		ne->ne_seen = true;
	mutex_unlock(&md->md_nidtbl_lock);
}

/* Whether a target has registered since the service started. */
bool mgs_nidtbl_seen(struct mgs_device *md, const struct mgs_target *target)
{
	const struct nidtbl_entry *ne;
	bool seen;

	mutex_lock(&md->md_nidtbl_lock);
	ne = entry_of(md, target);
	seen = ne && ne->ne_seen;
	mutex_unlock(&md->md_nidtbl_lock);
	return seen;
}

static void table_set(struct nidtbl *nt, const struct mgs_target *target,
		      u32 instance, u64 version, const struct lustre_nid *nids)
{
	struct nidtbl_entry *ne = entry_find(nt, nidtbl_type(target),
						    target->index);

	nt->nt_version = max(nt->nt_version, version);
	if (ne)
		list_del(&ne->ne_item);
	else
		ne = libcfs_zalloc(sizeof(*ne), GFP_KERNEL_ACCOUNT);
	if (!ne)
		return;
	entry_fill(ne, target, instance, version, nids);
	list_add_tail(&ne->ne_item, &nt->nt_entries);
}

/*
 * A target registered: its entry has a new version. The writer calls it. Without
 * memory its entry is missing: clients find it by themselves, later.
 */
void mgs_nidtbl_set(struct mgs_device *md, const struct mgs_target *target,
		    u32 instance, u64 version, const struct lustre_nid *nids)
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
		part->size += entry_len(ne);
		full = full || part->len + entry_len(ne) > room;
		if (full)
			continue;
		entry_encode(ne, to + part->len);
		part->len += entry_len(ne);
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
	struct lustre_config_info info = {
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

/*
 * Answer who reads a table. What does not fit is for its next read, which has the
 * version of the last entry that it got.
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

/* All who follow a table have its version */
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

/* What a table tells of itself */
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

/* Forget all tables. Nobody uses the service any more. */
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
