// SPDX-License-Identifier: GPL-2.0-only
/*
 * NID tables: where the targets of a file system are, and the instance of each one's last
 * start. A registration makes a new version; nodes that follow the table connect to
 * that target at once. The version of a table and the entry of each target are files
 * (mgs_disk.h), which survive a restart of the service.
 */
#define DEBUG_SUBSYSTEM S_MGS

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "mgs_internal.h"

/**
 * struct mgs_nidtbl_entry - a target
 * @ne_item: in ntb_entries
 * @ne_version: version of the table that its registration made
 * @ne_instance: instance of its start
 * @ne_index: index
 * @ne_type: LL_NIDTBL_*
 * @ne_seen: it has registered since the service started
 * @ne_refused: instance of the last start that was refused since then, or 0
 * @ne_count: NIDs
 * @ne_nids: NIDs
 */
struct mgs_nidtbl_entry {
	struct list_head	ne_item;
	u64			ne_version;
	u32			ne_instance;
	u32			ne_index;
	u8			ne_type;
	bool			ne_seen;
	u32			ne_refused;
	u8			ne_count;
	struct lustre_nid	ne_nids[MGS_TARGET_NIDS_MAX];
};

/**
 * struct mgs_nidtbl - the table of a file system
 * @ntb_item: in md_nidtbls
 * @ntb_fsname: file system
 * @ntb_version: version
 * @ntb_entries: struct mgs_nidtbl_entry, by version
 * @ntb_ir: statistics of notifications
 *
 * Guarded by md_nidtbl_lock; exists until the service is cleaned up. The writer reads
 * and writes the files.
 */
struct mgs_nidtbl {
	struct list_head	ntb_item;
	char			ntb_fsname[LUSTRE_MAXFSNAME + 1];
	u64			ntb_version;
	struct list_head	ntb_entries;
	struct mgs_ir		ntb_ir;
};

static u8 nidtbl_type(const struct mgs_target *target)
{
	return target->flags & LDD_F_SV_TYPE_MDT ? LL_NIDTBL_MDT :
						   LL_NIDTBL_OST;
}

/* struct mgs_nidtbl_bytes - an entry on the wire and in its file */
struct mgs_nidtbl_bytes {
	struct lustre_nidtbl	nb_head;
	struct lustre_nid	nb_nids[MGS_TARGET_NIDS_MAX];
};

/* The stored version of a table. @version: out, 0 for a new table. */
static int load_version(struct mgs_device *md, const char *fsname, u64 *version)
{
	char name[MGS_FILE_MAX];
	__le64 bytes = 0;
	ssize_t len;

	lockdep_assert_held(&md->md_writer.wtr_lock);
	scnprintf(name, sizeof(name), MGS_NIDTBL_DIR "/%s", fsname);
	len = mgs_store_get(md->md_store, name, &bytes, sizeof(bytes));
	if (len == -ENOENT)
		len = 0;
	if (len < 0)
		return len;
	*version = len == sizeof(bytes) ? le64_to_cpu(bytes) : 0;
	return 0;
}

static struct mgs_nidtbl_entry *entry_find(struct mgs_nidtbl *nt, u8 type, u32 index)
{
	struct mgs_nidtbl_entry *ne;

	list_for_each_entry(ne, &nt->ntb_entries, ne_item) {
		if (ne->ne_type == type && ne->ne_index == index)
			return ne;
	}
	return NULL;
}

static u32 entry_len(const struct mgs_nidtbl_entry *ne)
{
	return sizeof(struct lustre_nidtbl) +
	       ne->ne_count * sizeof(struct lustre_nid);
}

/* @to: out, entry_len() bytes */
static void entry_encode(const struct mgs_nidtbl_entry *ne, void *to)
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

/* @len: bytes that were read. Return: whether they are an entry */
static bool entry_decode(struct mgs_nidtbl_entry *ne,
			 const struct mgs_nidtbl_bytes *bytes, ssize_t len)
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

static void entry_insert(struct mgs_nidtbl *nt, struct mgs_nidtbl_entry *ne)
{
	struct mgs_nidtbl_entry *other;

	list_for_each_entry_reverse(other, &nt->ntb_entries, ne_item)
		if (other->ne_version <= ne->ne_version)
			break;
	list_add(&ne->ne_item, &other->ne_item);
}

/* struct mgs_nidtbl_load - a table whose entries are being read */
struct mgs_nidtbl_load {
	struct mgs_device	*md;
	struct mgs_nidtbl	*nt;
	struct mgs_nidtbl_bytes	bytes;
};

/* A target that registered with an earlier release has no entry. */
static int entry_load(void *data, const char *svname)
{
	struct mgs_nidtbl_load *load = data;
	struct mgs_nidtbl_entry *ne;
	char name[MGS_FILE_MAX];
	ssize_t len;

	scnprintf(name, sizeof(name), MGS_NIDS_DIR "/%s", svname);
	len = mgs_store_get(load->md->md_store, name, &load->bytes,
			    sizeof(load->bytes));
	if (len == -ENOENT)
		return 0;
	ne = libcfs_zalloc(sizeof(*ne), GFP_KERNEL_ACCOUNT);
	if (!ne)
		return -ENOMEM;
	if (len > 0 && entry_decode(ne, &load->bytes, len) &&
	    ne->ne_version <= load->nt->ntb_version &&
	    !entry_find(load->nt, ne->ne_type, ne->ne_index)) {
		entry_insert(load->nt, ne);
		return 0;
	}
	libcfs_free(ne, sizeof(*ne));
	CWARN("%s: %s is not an entry of a NID table; clients learn the new NIDs of %s when it registers again\n",
	      load->md->md_obd->obd_name, name, svname);
	return 0;
}

/* Read the stored entries; without its entry, a target is found by its configured NIDs. */
static void load_entries(struct mgs_device *md, struct mgs_nidtbl *nt)
{
	struct mgs_nidtbl_load *load = kzalloc(sizeof(*load), GFP_KERNEL);
	struct mgs_view *view;
	int rc = -ENOMEM;

	if (load) {
		load->md = md;
		load->nt = nt;
		view = mgs_store_view(md->md_store);
		rc = mgs_log_targets(view, nt->ntb_fsname, entry_load, load);
		mgs_view_put(view);
	}
	kfree(load);
	if (rc)
		CWARN("%s: cannot read all entries of the NID table of %s: rc = %d\n",
		      md->md_obd->obd_name, nt->ntb_fsname, rc);
}

static void entry_fill(struct mgs_nidtbl_entry *ne, const struct mgs_target *target,
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

/* struct mgs_nidtbl_put - an entry and its bytes, too large for the stack */
struct mgs_nidtbl_put {
	struct mgs_nidtbl_entry	entry;
	struct mgs_nidtbl_bytes	bytes;
};

/* Store a version and its entry, as part of a change. Return: 0 or a negative errno */
int mgs_nidtbl_put(struct mgs_txn *txn, const struct mgs_target *target,
		   u32 instance, u64 version, const struct lustre_nid *nids)
{
	struct mgs_nidtbl_put *put = kzalloc(sizeof(*put), GFP_KERNEL);
	__le64 bytes = cpu_to_le64(version);
	char name[MGS_FILE_MAX];
	int rc;

	if (!put)
		return -ENOMEM;
	entry_fill(&put->entry, target, instance, version, nids);
	scnprintf(name, sizeof(name), MGS_NIDTBL_DIR "/%s", target->fsname);
	rc = mgs_txn_put(txn, name, &bytes, sizeof(bytes));
	scnprintf(name, sizeof(name), MGS_NIDS_DIR "/%s", target->svname);
	entry_encode(&put->entry, &put->bytes);
	rc = rc ?: mgs_txn_put(txn, name, &put->bytes, entry_len(&put->entry));
	kfree(put);
	return rc;
}

/* ci_epoch of every table. */
#define NIDTBL_EPOCH	1

static struct mgs_nidtbl *table_find(struct mgs_device *md, const char *fsname)
{
	struct mgs_nidtbl *nt;

	lockdep_assert_held(&md->md_nidtbl_lock);
	list_for_each_entry(nt, &md->md_nidtbls, ntb_item) {
		if (!strcmp(nt->ntb_fsname, fsname))
			return nt;
	}
	return NULL;
}

/* Read the table of a file system. Context: the writer. Return: table, or an ERR_PTR */
static struct mgs_nidtbl *table_load(struct mgs_device *md, const char *fsname)
{
	struct mgs_nidtbl *nt;
	u64 version;
	int rc;

	lockdep_assert_held(&md->md_writer.wtr_lock);
	rc = load_version(md, fsname, &version);
	if (rc)
		return ERR_PTR(rc);
	nt = libcfs_zalloc(sizeof(*nt), GFP_KERNEL_ACCOUNT);
	if (!nt)
		return ERR_PTR(-ENOMEM);
	nt->ntb_version = version;
	strscpy(nt->ntb_fsname, fsname, sizeof(nt->ntb_fsname));
	INIT_LIST_HEAD(&nt->ntb_entries);
	if (version)
		load_entries(md, nt);
	mutex_lock(&md->md_nidtbl_lock);
	list_add_tail(&nt->ntb_item, &md->md_nidtbls);
	mutex_unlock(&md->md_nidtbl_lock);
	return nt;
}

static struct mgs_nidtbl *table_have(struct mgs_device *md, const char *fsname)
{
	struct mgs_nidtbl *nt;

	mutex_lock(&md->md_nidtbl_lock);
	nt = table_find(md, fsname);
	mutex_unlock(&md->md_nidtbl_lock);
	return nt ?: table_load(md, fsname);
}

static int table_begin(void *data, const char *fsname)
{
	return PTR_ERR_OR_ZERO(table_have(data, fsname));
}

/* Read the tables of all file systems. Context: the writer */
void mgs_nidtbl_load(struct mgs_device *md)
{
	struct mgs_view *view = mgs_store_view(md->md_store);
	int rc = mgs_log_fsnames(view, table_begin, md);

	mgs_view_put(view);
	if (rc)
		CWARN("%s: cannot read all NID tables; clients use the configured NIDs of those targets: rc = %d\n",
		      md->md_obd->obd_name, rc);
}

/* @version: out: the next version. Context: the writer. Return: 0 or a negative errno */
int mgs_nidtbl_next(struct mgs_device *md, const char *fsname, u64 *version)
{
	struct mgs_nidtbl *nt = table_have(md, fsname);

	if (IS_ERR(nt))
		return PTR_ERR(nt);
	mutex_lock(&md->md_nidtbl_lock);
	*version = nt->ntb_version + 1;
	mutex_unlock(&md->md_nidtbl_lock);
	return 0;
}

static struct mgs_nidtbl_entry *entry_of(struct mgs_device *md,
					 const struct mgs_target *target)
{
	struct mgs_nidtbl *nt = table_find(md, target->fsname);

	return nt ? entry_find(nt, nidtbl_type(target), target->index) : NULL;
}

/* Whether the entry of a target has that start and those NIDs. Context: the writer */
bool mgs_nidtbl_same(struct mgs_device *md, const struct mgs_target *target,
		     u32 instance, const struct lustre_nid *nids)
{
	const struct mgs_nidtbl_entry *ne;
	bool same;

	lockdep_assert_held(&md->md_writer.wtr_lock);
	mutex_lock(&md->md_nidtbl_lock);
	ne = entry_of(md, target);
	same = ne && ne->ne_instance == instance &&
	       ne->ne_count == target->nid_count &&
	       !memcmp(ne->ne_nids, nids, ne->ne_count * sizeof(*nids));
	mutex_unlock(&md->md_nidtbl_lock);
	return same;
}

static bool entry_is(const struct mgs_nidtbl *nt, const struct mgs_nidtbl_entry *ne,
		     const char *svname)
{
	char name[LDD_SVNAME_LEN];

	scnprintf(name, sizeof(name), "%s-%s%04x", nt->ntb_fsname,
		  ne->ne_type == LL_NIDTBL_MDT ? "MDT" : "OST", ne->ne_index);
	return !strcmp(name, svname);
}

/* A target, or all targets of a file system, were deleted. Context: the writer */
void mgs_nidtbl_forget(struct mgs_device *md, const char *name)
{
	struct mgs_nidtbl_entry *ne, *next;
	struct mgs_nidtbl *nt;

	lockdep_assert_held(&md->md_writer.wtr_lock);
	mutex_lock(&md->md_nidtbl_lock);
	list_for_each_entry(nt, &md->md_nidtbls, ntb_item) {
		list_for_each_entry_safe(ne, next, &nt->ntb_entries, ne_item) {
			if (strcmp(nt->ntb_fsname, name) && !entry_is(nt, ne, name))
				continue;
			list_del(&ne->ne_item);
			libcfs_free(ne, sizeof(*ne));
		}
	}
	mutex_unlock(&md->md_nidtbl_lock);
}

/* A target has registered with this service. */
void mgs_nidtbl_see(struct mgs_device *md, const struct mgs_target *target)
{
	struct mgs_nidtbl_entry *ne;

	mutex_lock(&md->md_nidtbl_lock);
	ne = entry_of(md, target);
	if (ne) {
		ne->ne_seen = true;
		ne->ne_refused = 0;
	}
	mutex_unlock(&md->md_nidtbl_lock);
}

/* Whether a target has registered since the service started. */
bool mgs_nidtbl_seen(struct mgs_device *md, const struct mgs_target *target)
{
	const struct mgs_nidtbl_entry *ne;
	bool seen;

	mutex_lock(&md->md_nidtbl_lock);
	ne = entry_of(md, target);
	seen = ne && ne->ne_seen;
	mutex_unlock(&md->md_nidtbl_lock);
	return seen;
}

/* A start may not register yet; its node tries again. Return: false if it has tried before */
bool mgs_nidtbl_refuse(struct mgs_device *md, const struct mgs_target *target, u32 instance)
{
	struct mgs_nidtbl_entry *ne;
	bool first = true;

	mutex_lock(&md->md_nidtbl_lock);
	ne = entry_of(md, target);
	if (ne) {
		first = ne->ne_refused != instance;
		ne->ne_refused = instance;
	}
	mutex_unlock(&md->md_nidtbl_lock);
	return first;
}

static void table_set(struct mgs_nidtbl *nt, const struct mgs_target *target,
		      u32 instance, u64 version, const struct lustre_nid *nids)
{
	struct mgs_nidtbl_entry *ne = entry_find(nt, nidtbl_type(target),
						    target->index);

	nt->ntb_version = max(nt->ntb_version, version);
	if (ne)
		list_del(&ne->ne_item);
	else
		ne = libcfs_zalloc(sizeof(*ne), GFP_KERNEL_ACCOUNT);
	if (!ne)
		return;
	entry_fill(ne, target, instance, version, nids);
	list_add_tail(&ne->ne_item, &nt->ntb_entries);
}

/*
 * A target registered: its entry has a new version. On allocation failure the entry is
 * missing, and clients connect later. Context: the writer
 */
void mgs_nidtbl_set(struct mgs_device *md, const struct mgs_target *target,
		    u32 instance, u64 version, const struct lustre_nid *nids)
{
	struct mgs_nidtbl *nt;

	lockdep_assert_held(&md->md_writer.wtr_lock);
	mutex_lock(&md->md_nidtbl_lock);
	nt = table_find(md, target->fsname);
	if (nt)
		table_set(nt, target, instance, version, nids);
	mutex_unlock(&md->md_nidtbl_lock);
	if (nt)
		mgs_nodes_await(md, target->fsname, version);
}

/**
 * struct mgs_table_part - the part of a table that a reader gets
 * @version: version of the table
 * @size: bytes of all newer entries
 * @len: bytes of the part
 * @count: entries of the part
 */
struct mgs_table_part {
	u64	version;
	u64	size;
	u32	len;
	u32	count;
};

/* Entries that are newer than @since, the oldest first, as many as fit. */
static int table_read(struct mgs_nidtbl *nt, u64 since, void *to, u32 size,
		      struct mgs_table_part *part)
{
	struct mgs_nidtbl_entry *ne;
	bool full = false;

	part->version = nt->ntb_version;
	list_for_each_entry(ne, &nt->ntb_entries, ne_item) {
		if (ne->ne_version <= since)
			continue;
		part->size += entry_len(ne);
		full = full || part->len + entry_len(ne) > size;
		if (full)
			continue;
		entry_encode(ne, to + part->len);
		part->len += entry_len(ne);
		part->count++;
	}
	return part->size && !part->len ? -EOVERFLOW : 0;
}

/* A reader that knows the table of another directory starts at 0. */
static u64 table_since(const struct mgs_device *md,
		       const struct mgs_part_wanted *want)
{
	if (want->epoch && want->epoch != mgs_wire_epoch(md, NIDTBL_EPOCH))
		return 0;
	return want->offset;
}

static int table_reply(struct mgs_device *md, struct ptlrpc_svc_req *sr,
		       const struct mgs_table_part *part, u64 since, u32 subscribers,
		       const void *bytes)
{
	struct lustre_config_info info = {
		.ci_epoch = cpu_to_le64(mgs_wire_epoch(md, part->version ?
							 NIDTBL_EPOCH : 0)),
		.ci_generation = cpu_to_le64(part->version),
		.ci_offset = cpu_to_le64(since),
		.ci_size = cpu_to_le64(part->size),
		.ci_last_index = cpu_to_le32(part->count),
		.ci_jitter_ms = cpu_to_le32(mgs_notify_jitter(md, subscribers)),
	};
	void *to = mgs_read_reply(sr, &info, part->len);

	if (!to)
		return -ENOMEM;
	memcpy(to, bytes, part->len);
	return 0;
}

/*
 * A node reads a table. Entries that do not fit are for its next read, which names the
 * version of the last entry that it got.
 * Return: 0; -EOVERFLOW if no entry fits; -ENOMEM; as mgs_node_subscribe()
 */
int mgs_nidtbl_read(struct mgs_device *md, struct mgs_node *node,
		    struct ptlrpc_svc_req *sr,
		    const struct mgs_part_wanted *want)
{
	u64 since = table_since(md, want);
	struct mgs_table_part part = {};
	struct mgs_nidtbl *nt;
	u32 subscribers;
	void *bytes;
	int rc;

	rc = mgs_node_subscribe(md, node, want->name, CONFIG_T_RECOVER, &subscribers);
	if (rc)
		return rc;
	bytes = kvmalloc(max_t(u32, want->size, 1), GFP_KERNEL);
	if (!bytes)
		return -ENOMEM;
	mutex_lock(&md->md_nidtbl_lock);
	nt = table_find(md, want->name);
	if (nt)
		rc = table_read(nt, since, bytes, want->size, &part);
	mutex_unlock(&md->md_nidtbl_lock);
	rc = rc ?: table_reply(md, sr, &part, since, subscribers, bytes);
	kvfree(bytes);
	return rc;
}

/* All subscribers of a table have its version. */
void mgs_nidtbl_told(struct mgs_device *md, const char *fsname, u64 ns)
{
	struct mgs_nidtbl *nt;

	mutex_lock(&md->md_nidtbl_lock);
	nt = table_find(md, fsname);
	if (nt) {
		nt->ntb_ir.total_ns += ns;
		nt->ntb_ir.max_ns = max(nt->ntb_ir.max_ns, ns);
		nt->ntb_ir.count++;
	}
	mutex_unlock(&md->md_nidtbl_lock);
}

void mgs_nidtbl_ir(struct mgs_device *md, const char *fsname, struct mgs_ir *ir)
{
	struct mgs_nidtbl *nt;

	memset(ir, 0, sizeof(*ir));
	mutex_lock(&md->md_nidtbl_lock);
	nt = table_find(md, fsname);
	if (nt) {
		*ir = nt->ntb_ir;
		ir->version = nt->ntb_version;
	}
	mutex_unlock(&md->md_nidtbl_lock);
}

void mgs_nidtbl_free(struct mgs_device *md)
{
	struct mgs_nidtbl_entry *ne, *next_entry;
	struct mgs_nidtbl *nt, *next;

	list_for_each_entry_safe(nt, next, &md->md_nidtbls, ntb_item) {
		list_for_each_entry_safe(ne, next_entry, &nt->ntb_entries,
					 ne_item)
			libcfs_free(ne, sizeof(*ne));
		list_del(&nt->ntb_item);
		libcfs_free(nt, sizeof(*nt));
	}
}
