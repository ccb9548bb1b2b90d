// SPDX-License-Identifier: GPL-2.0-only
/*
 * Directories: entries with their objects and attributes, as bulk data.
 *
 * A directory that was not read to its end is kept open, with its position: continuing costs no
 * seek, and a file system without stable cookies shows each name once. Its reader is one user of
 * one client, who continues where it has stopped. Kept directories are closed when they were not
 * used for a while, when there are too many, and with the client.
 *
 * A request may have cookies of locks. The first entries then come with locks of their objects, and
 * with what a lookup of them says. No name of the directory changes meanwhile, so that the locks
 * cover the names, too. Attributes are read after the lock was granted: the client returns it after
 * the reply.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/bvec.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/highmem.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/stat.h>
#include <linux/string.h>
#include <linux/xattr.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/obd_export.h>

#include "mdt_internal.h"

/* Most bytes of a reply's bulk data, and of an entry. */
#define READPAGE_MAX	(1U << 20)
#define PART_MAX	512
#define ENTRY_MAX	(sizeof(struct lustre_dirent) + 256 + 3 * PART_MAX)
/* What a client caches of an entry. */
#define ENTRY_BITS	(MDS_INODELOCK_LOOKUP | MDS_INODELOCK_UPDATE | MDS_INODELOCK_PERM |	\
			 MDS_INODELOCK_XATTR)
/* Most directories that are kept, and for how long. */
#define KEPT_MAX	256
#define KEPT_TIME	(30 * HZ)

/**
 * struct mdt_kept - a directory that is kept open
 * @mk_item: in mdt_dirs
 * @mk_client: its reader's client, not referenced
 * @mk_cred: its reader, referenced
 * @mk_fid: directory
 * @mk_next: where the reader continues
 * @mk_dir: the directory
 * @mk_used: jiffies of its last use
 */
struct mdt_kept {
	struct list_head		mk_item;
	const struct mdt_export		*mk_client;
	const struct cred		*mk_cred;
	struct lu_fid			mk_fid;
	u64				mk_next;
	struct osd_dir			*mk_dir;
	unsigned long			mk_used;
};

static void kept_free(struct mdt_kept *kept)
{
	osd_dir_close(kept->mk_dir);
	put_cred(kept->mk_cred);
	libcfs_free(kept, sizeof(*kept));
}

static void kept_free_all(struct list_head *list)
{
	struct mdt_kept *kept, *next;

	list_for_each_entry_safe(kept, next, list, mk_item)
		kept_free(kept);
}

static void __kept_take(struct mdt_device *mdt, struct mdt_kept *kept)
{
	lockdep_assert_held(&mdt->mdt_dirs_lock);
	list_del(&kept->mk_item);
	mdt->mdt_dirs_nr--;
}

/* Collect those that @client has, or, without one, those that are too old or too many. */
static void kept_collect(struct mdt_device *mdt, const struct mdt_export *client,
			 struct list_head *out)
{
	struct mdt_kept *kept, *next;

	spin_lock(&mdt->mdt_dirs_lock);
	list_for_each_entry_safe(kept, next, &mdt->mdt_dirs, mk_item) {
		if (client ? kept->mk_client != client :
			     mdt->mdt_dirs_nr <= KEPT_MAX &&
			     time_before(jiffies, kept->mk_used + KEPT_TIME))
			continue;
		__kept_take(mdt, kept);
		list_add(&kept->mk_item, out);
	}
	spin_unlock(&mdt->mdt_dirs_lock);
}

static void kept_work(struct work_struct *work)
{
	struct mdt_device *mdt = container_of(work, struct mdt_device, mdt_dirs_work.work);
	LIST_HEAD(old);

	kept_collect(mdt, NULL, &old);
	kept_free_all(&old);
	if (READ_ONCE(mdt->mdt_dirs_nr))
		schedule_delayed_work(&mdt->mdt_dirs_work, KEPT_TIME);
}

void mdt_dirs_init(struct mdt_device *mdt)
{
	INIT_LIST_HEAD(&mdt->mdt_dirs);
	spin_lock_init(&mdt->mdt_dirs_lock);
	INIT_DELAYED_WORK(&mdt->mdt_dirs_work, kept_work);
}

void mdt_dirs_fini(struct mdt_device *mdt)
{
	cancel_delayed_work_sync(&mdt->mdt_dirs_work);
	WARN_ON_ONCE(mdt->mdt_dirs_nr);
}

void mdt_dirs_drop(struct mdt_device *mdt, const struct mdt_export *me)
{
	LIST_HEAD(gone);

	kept_collect(mdt, me, &gone);
	kept_free_all(&gone);
}

static bool kept_is(const struct mdt_kept *kept, const struct mdt_call *call)
{
	return kept->mk_client == call->mtc_sr->sr_exp->exp_data &&
	       kept->mk_next == call->mtc_op.cookie && kept->mk_cred == call->mtc_cred &&
	       lu_fid_eq(&kept->mk_fid, &call->mtc_op.object[0].fid);
}

/* The directory that was kept for this request; from its begin each reader opens it. */
static struct osd_dir *kept_find(struct mdt_call *call)
{
	struct mdt_device *mdt = call->mtc_mdt;
	struct mdt_kept *kept, *found = NULL;
	struct osd_dir *dir = NULL;

	if (!call->mtc_op.cookie)
		return NULL;
	spin_lock(&mdt->mdt_dirs_lock);
	list_for_each_entry(kept, &mdt->mdt_dirs, mk_item) {
		if (!kept_is(kept, call))
			continue;
		found = kept;
		__kept_take(mdt, kept);
		break;
	}
	spin_unlock(&mdt->mdt_dirs_lock);
	if (found) {
		dir = found->mk_dir;
		put_cred(found->mk_cred);
		libcfs_free(found, sizeof(*found));
	}
	return dir;
}

/* Keep @dir for the next request, or close it. */
static void kept_add(struct mdt_call *call, struct osd_dir *dir, u64 next)
{
	struct mdt_device *mdt = call->mtc_mdt;
	struct mdt_kept *kept = libcfs_zalloc(sizeof(*kept), GFP_KERNEL_ACCOUNT);
	bool many;

	if (!kept) {
		osd_dir_close(dir);
		return;
	}
	kept->mk_client = call->mtc_sr->sr_exp->exp_data;
	kept->mk_cred = get_cred(call->mtc_cred);
	kept->mk_fid = call->mtc_op.object[0].fid;
	kept->mk_next = next;
	kept->mk_dir = dir;
	kept->mk_used = jiffies;
	spin_lock(&mdt->mdt_dirs_lock);
	list_add_tail(&kept->mk_item, &mdt->mdt_dirs);
	many = ++mdt->mdt_dirs_nr > KEPT_MAX;
	spin_unlock(&mdt->mdt_dirs_lock);
	if (many)
		mod_delayed_work(compat_percpu_wq, &mdt->mdt_dirs_work, 0);
	else
		schedule_delayed_work(&mdt->mdt_dirs_work, KEPT_TIME);
}

/**
 * struct mdt_reading - bulk data that is filled
 * @call: request
 * @max: most bytes
 * @len: bytes
 * @next: cookie after the last entry
 * @cookies: of the locks of the first entries, in the request
 * @most: number of @cookies; 0: entries have no locks, else there are no more than these
 * @count: entries
 * @vec: pages, referenced
 * @layout: memory of the layout of an entry
 * @result: memory of its target
 * @acl: memory of its ACL
 * @entry: an entry, which may continue in the next page
 */
struct mdt_reading {
	struct mdt_call		*call;
	u32			max;
	u32			len;
	u64			next;
	const __le64		*cookies;
	u32			most;
	u32			count;
	struct bio_vec		*vec;
	struct lod_layout	layout;
	u8			result[PART_MAX];
	u8			acl[PART_MAX];
	u8			entry[ENTRY_MAX] __aligned(8);
};

static unsigned int reading_pages(const struct mdt_reading *rd)
{
	return DIV_ROUND_UP(rd->len, PAGE_SIZE);
}

static void reading_free(struct mdt_reading *rd)
{
	unsigned int n = reading_pages(rd);

	while (n--)
		put_page(rd->vec[n].bv_page);
	kvfree(rd->vec);
	lod_layout_free(&rd->layout);
	kvfree(rd);
}

static struct mdt_reading *reading_new(struct mdt_call *call, u32 max)
{
	struct mdt_reading *rd = kvzalloc(sizeof(*rd), GFP_KERNEL);

	if (!rd)
		return NULL;
	rd->call = call;
	rd->max = max;
	rd->vec = kvcalloc(DIV_ROUND_UP(max, PAGE_SIZE), sizeof(*rd->vec), GFP_KERNEL);
	if (rd->vec)
		return rd;
	kvfree(rd);
	return NULL;
}

/* Append a part of an entry, up to the end of its page. Return: bytes, or -ENOMEM */
static int reading_append(struct mdt_reading *rd, const u8 *bytes, u32 len)
{
	struct bio_vec *vec = &rd->vec[rd->len / PAGE_SIZE];
	u32 at = rd->len % PAGE_SIZE;

	if (!at) {
		vec->bv_page = alloc_page(GFP_KERNEL);
		if (!vec->bv_page)
			return -ENOMEM;
	}
	len = min_t(u32, len, PAGE_SIZE - at);
	memcpy_to_page(vec->bv_page, at, bytes, len);
	vec->bv_len = at + len;
	rd->len += len;
	return len;
}

/* Return: 0; 1: it does not fit; -ENOMEM */
static int reading_put(struct mdt_reading *rd, const struct md_dirent *ent)
{
	u32 size = md_dirent_size(ent), done = 0;
	int rc;

	if (size > rd->max - rd->len)
		return 1;
	md_dirent_encode(rd->entry, ent);
	while (done < size) {
		rc = reading_append(rd, rd->entry + done, size - done);
		if (rc < 0)
			return rc;
		done += rc;
	}
	rd->next = ent->next;
	return 0;
}

/* The client has the lock of an entry from here on. */
static void entry_lock(struct mdt_reading *rd, struct md_dirent *ent)
{
	u64 client = le64_to_cpu(rd->cookies[rd->count]), bits = ENTRY_BITS;
	struct ldlm_res_id res;

	if (ent->type == DT_REG)
		bits |= MDS_INODELOCK_LAYOUT;
	ldlm_res_of_fid(&ent->object.fid, &res);
	ent->lock = ldlm_reply_grant_one(rd->call->mtc_sr, client, &res, &bits);
	ent->bits = ent->lock ? bits : 0;
}

static int entry_link(struct mdt_reading *rd, const struct osd_object *obj, struct md_dirent *ent)
{
	ssize_t len = osd_readlink(obj, (char *)rd->result, sizeof(rd->result));

	if (len <= 0 || len >= sizeof(rd->result))
		return -EIO;
	ent->result = rd->result;
	ent->result_len = len;
	return 0;
}

static int entry_layout(struct mdt_reading *rd, const struct osd_object *obj, struct md_dirent *ent)
{
	int rc = S_ISREG(ent->attr.mode) ? lod_layout_read(obj, &rd->layout) : 0;

	if (rc || !S_ISREG(ent->attr.mode))
		return rc;
	if (rd->layout.ll_len > PART_MAX)
		return -E2BIG;
	ent->layout = rd->layout.ll_bytes;
	ent->layout_len = rd->layout.ll_len;
	if (ent->layout_len)
		mdt_som_reply(rd->call->mtc_mdt, obj, &ent->attr);
	return 0;
}

static int entry_acl(struct mdt_reading *rd, const struct osd_object *obj, struct md_dirent *ent)
{
	ssize_t len = osd_getxattr(obj, XATTR_NAME_POSIX_ACL_ACCESS, rd->acl, sizeof(rd->acl));

	if (len < 0)
		return len == -ENODATA || len == -EOPNOTSUPP ? 0 : len;
	ent->acl = rd->acl;
	ent->acl_len = len;
	return 0;
}

/* What a lookup says. An entry that would be too long lacks that, and is looked up. */
static void entry_complete(struct mdt_reading *rd, const struct osd_object *obj,
			   struct md_dirent *ent)
{
	int rc = S_ISLNK(ent->attr.mode) ? entry_link(rd, obj, ent) :
		 entry_layout(rd, obj, ent) ?: entry_acl(rd, obj, ent);

	if (!rc)
		ent->flags = MDS_DIRENT_WHOLE;
}

/* A name whose object cannot be served is there as well; a lookup says why. */
static void entry_object(struct mdt_reading *rd, const struct osd_object *obj,
			 struct md_dirent *ent)
{
	if (mdt_object_name(obj, &ent->object)) {
		memset(&ent->object, 0, sizeof(ent->object));
		return;
	}
	if (rd->most)
		entry_lock(rd, ent);
	if (!mdt_object_attr(obj, &ent->attr)) {
		if (ent->lock)
			entry_complete(rd, obj, ent);
		return;
	}
	memset(&ent->attr, 0, sizeof(ent->attr));
	if (!ent->lock)
		memset(&ent->object, 0, sizeof(ent->object));
}

/* An entry with a lock is sent in any case. */
static int reading_entry(const struct osd_dirent *ent, void *data)
{
	struct mdt_reading *rd = data;
	struct md_dirent out = {
		.next = ent->ode_next,
		.name = ent->ode_name.name,
		.name_len = ent->ode_name.len,
		.type = ent->ode_type,
	};
	int rc;

	/* .lustre of a tree that real Lustre made. Clients have their own. */
	if (ent->ode_obj && ent->ode_obj->oo_fid.f_seq == FID_SEQ_DOT_LUSTRE)
		return 0;
	if (rd->most && (rd->count == rd->most || rd->max - rd->len < ENTRY_MAX))
		return 1;
	if (ent->ode_obj)
		entry_object(rd, ent->ode_obj, &out);
	else
		out.object.fid = ent->ode_fid;
	rc = reading_put(rd, &out);
	if (!rc)
		rd->count++;
	return rc;
}

/* Return: 0: with the end of the directory; 1: it continues; a negative errno */
static int reading_fill(struct mdt_reading *rd, struct osd_dir *dir)
{
	int rc = osd_dir_read(dir, rd->next, reading_entry, rd);

	if (!rc) {
		const struct md_dirent end = { .next = rd->next };

		rc = reading_put(rd, &end);
	}
	/* Not one entry fits. */
	return rc == 1 && !rd->len ? -EINVAL : rc;
}

/* The request owns the pages from now on. */
static void reading_reply(struct mdt_reading *rd, struct ptlrpc_svc_req *sr)
{
	sr->sr_rep_bulk = rd->vec;
	sr->sr_rep_bulk_nr = reading_pages(rd);
	sr->sr_rep_bulk_len = rd->len;
	sr->sr_rep_bulk_owned = true;
	lod_layout_free(&rd->layout);
	kvfree(rd);
}

static struct osd_dir *dir_open(struct mdt_call *call)
{
	struct mdt_object *obj = mdt_call_object(call, 0);
	struct osd_dir *dir;

	if (IS_ERR(obj))
		return ERR_CAST(obj);
	dir = kept_find(call);
	return dir ?: osd_dir_open(&obj->mo_osd);
}

/* If a change of the directory goes on, entries come without locks. */
static void reading_guard(struct mdt_reading *rd)
{
	const struct md_op_data *op = &rd->call->mtc_op;

	if (!op->value_len || rd->max < ENTRY_MAX || !mdt_guard_dir(rd->call, &op->object[0].fid))
		return;
	rd->cookies = op->value;
	rd->most = op->value_len / sizeof(*rd->cookies);
}

static int readpage(struct mdt_call *call)
{
	struct mdt_reading *rd = reading_new(call, min(call->mtc_op.size, READPAGE_MAX));
	struct osd_dir *dir;
	int rc;

	if (!rd)
		return -ENOMEM;
	dir = dir_open(call);
	if (IS_ERR(dir)) {
		reading_free(rd);
		return PTR_ERR(dir);
	}
	rd->next = call->mtc_op.cookie;
	reading_guard(rd);
	rc = reading_fill(rd, dir);
	mdt_guard_end(call);
	if (rc == 1)
		kept_add(call, dir, rd->next);
	else
		osd_dir_close(dir);
	if (rc < 0) {
		reading_free(rd);
		return rc;
	}
	reading_reply(rd, call->mtc_sr);
	return mdt_object_name(&call->mtc_object[0]->mo_osd, &call->mtc_rep.object);
}

int mdt_readpage(struct ptlrpc_svc_req *sr)
{
	return mdt_call_run(sr, readpage);
}

u32 mdt_readpage_bytes(const struct wire_msg *msg)
{
	const struct mdt_rec *rec = wire_buf(msg, MDS_REC, sizeof(*rec));

	return rec ? min(le32_to_cpu(rec->mr_size), READPAGE_MAX) : 0;
}
