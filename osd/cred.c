// SPDX-License-Identifier: GPL-2.0-only
/*
 * Credentials for the identities of clients, and of kernel threads.
 *
 * Making credentials costs an allocation and a security hook, so that a device keeps those that
 * were used last. The cache holds one reference on each, a caller its own.
 */
#include <linux/capability.h>
#include <linux/fs_struct.h>
#include <linux/jhash.h>
#include <linux/sched/task.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/libcfs.h>

#include "osd_internal.h"

#define CREDS_MAX	256

/**
 * struct osd_cred_slot - an identity in the cache
 * @cs_node: in osd_creds
 * @cs_lru: in osd_cred_lru
 * @cs_cred: its credentials, referenced
 * @cs_id: identity; its groups are @cs_groups
 * @cs_hash: of @cs_id
 * @cs_groups: groups
 */
struct osd_cred_slot {
	struct hlist_node	cs_node;
	struct list_head	cs_lru;
	const struct cred	*cs_cred;
	struct osd_ident	cs_id;
	u32			cs_hash;
	u32			cs_groups[];
};

const struct cred *osd_cred_kernel(void)
{
	return prepare_kernel_cred(&init_task);
}

static u32 ident_hash(const struct osd_ident *id)
{
	u32 hash = jhash_3words(id->oid_uid, id->oid_gid, lower_32_bits(id->oid_caps), 0);

	hash = jhash_1word(upper_32_bits(id->oid_caps), hash);
	return id->oid_nr_groups ? jhash2(id->oid_groups, id->oid_nr_groups, hash) : hash;
}

static bool ident_equal(const struct osd_ident *a, const struct osd_ident *b)
{
	return a->oid_uid == b->oid_uid && a->oid_gid == b->oid_gid && a->oid_caps == b->oid_caps &&
	       a->oid_nr_groups == b->oid_nr_groups &&
	       (!a->oid_nr_groups ||
		!memcmp(a->oid_groups, b->oid_groups, a->oid_nr_groups * sizeof(u32)));
}

static size_t slot_size(u32 groups)
{
	return struct_size_t(struct osd_cred_slot, cs_groups, groups);
}

static void slot_free(struct osd_cred_slot *slot)
{
	put_cred(slot->cs_cred);
	libcfs_free(slot, slot_size(slot->cs_id.oid_nr_groups));
}

/* Under osd_lock. */
static struct osd_cred_slot *__slot_find(struct osd_device *osd, const struct osd_ident *id,
					 u32 hash)
{
	struct osd_cred_slot *slot;

	hash_for_each_possible(osd->osd_creds, slot, cs_node, hash)
		if (slot->cs_hash == hash && ident_equal(&slot->cs_id, id)) {
			list_move(&slot->cs_lru, &osd->osd_cred_lru);
			return slot;
		}
	return NULL;
}

static const struct cred *cred_find(struct osd_device *osd, const struct osd_ident *id, u32 hash)
{
	const struct cred *cred = NULL;
	struct osd_cred_slot *slot;

	spin_lock(&osd->osd_lock);
	slot = __slot_find(osd, id, hash);
	if (slot)
		cred = get_cred(slot->cs_cred);
	spin_unlock(&osd->osd_lock);
	return cred;
}

/* Insert @slot, unless another task was first, and free what the cache does not keep. */
static void slot_insert(struct osd_device *osd, struct osd_cred_slot *slot)
{
	struct osd_cred_slot *extra = slot;

	spin_lock(&osd->osd_lock);
	if (!__slot_find(osd, &slot->cs_id, slot->cs_hash)) {
		extra = NULL;
		hash_add(osd->osd_creds, &slot->cs_node, slot->cs_hash);
		list_add(&slot->cs_lru, &osd->osd_cred_lru);
		if (++osd->osd_nr_creds > CREDS_MAX) {
			extra = list_last_entry(&osd->osd_cred_lru, struct osd_cred_slot, cs_lru);
			hash_del(&extra->cs_node);
			list_del(&extra->cs_lru);
			osd->osd_nr_creds--;
		}
	}
	spin_unlock(&osd->osd_lock);
	if (extra)
		slot_free(extra);
}

static struct group_info *groups_make(const struct osd_ident *id)
{
	struct group_info *groups = groups_alloc(id->oid_nr_groups);
	u32 n;

	if (!groups)
		return NULL;
	for (n = 0; n < id->oid_nr_groups; n++)
		groups->gid[n] = make_kgid(&init_user_ns, id->oid_groups[n]);
	groups_sort(groups);
	return groups;
}

/* Only capabilities that concern files: no other ones of a remote task count here. */
static void caps_set(struct cred *cred, u64 caps)
{
	int n;

	cap_clear(cred->cap_inheritable);
	cap_clear(cred->cap_permitted);
	cap_clear(cred->cap_effective);
	cap_clear(cred->cap_ambient);
	for (n = 0; n <= CAP_LAST_CAP; n++)
		if (caps & BIT_ULL(n))
			cap_raise(cred->cap_permitted, n);
	cred->cap_permitted = cap_intersect(cred->cap_permitted, CAP_FS_SET);
	cred->cap_effective = cred->cap_permitted;
}

static struct cred *cred_make(const struct osd_ident *id)
{
	struct group_info *groups = groups_make(id);
	struct cred *cred;

	if (!groups)
		return NULL;
	cred = prepare_kernel_cred(&init_task);
	if (cred) {
		cred->uid = make_kuid(&init_user_ns, id->oid_uid);
		cred->euid = cred->uid;
		cred->suid = cred->uid;
		cred->fsuid = cred->uid;
		cred->gid = make_kgid(&init_user_ns, id->oid_gid);
		cred->egid = cred->gid;
		cred->sgid = cred->gid;
		cred->fsgid = cred->gid;
		caps_set(cred, id->oid_caps);
		set_groups(cred, groups);
	}
	put_group_info(groups);
	return cred;
}

static bool ident_valid(const struct osd_ident *id)
{
	u32 n;

	if (id->oid_uid == (uid_t)-1 || id->oid_gid == (gid_t)-1 || id->oid_nr_groups > NGROUPS_MAX)
		return false;
	for (n = 0; n < id->oid_nr_groups; n++)
		if (id->oid_groups[n] == (gid_t)-1)
			return false;
	return true;
}

static struct osd_cred_slot *slot_make(const struct osd_ident *id, u32 hash)
{
	struct osd_cred_slot *slot = libcfs_zalloc(slot_size(id->oid_nr_groups),
						   GFP_KERNEL_ACCOUNT);

	if (!slot)
		return NULL;
	slot->cs_id = *id;
	slot->cs_id.oid_groups = slot->cs_groups;
	slot->cs_hash = hash;
	if (id->oid_nr_groups)
		memcpy(slot->cs_groups, id->oid_groups, id->oid_nr_groups * sizeof(u32));
	slot->cs_cred = cred_make(id);
	if (!slot->cs_cred) {
		libcfs_free(slot, slot_size(id->oid_nr_groups));
		return NULL;
	}
	return slot;
}

const struct cred *osd_cred_get(struct osd_device *osd, const struct osd_ident *id)
{
	struct osd_cred_slot *slot;
	const struct cred *cred;
	u32 hash;

	if (!ident_valid(id))
		return ERR_PTR(-EINVAL);
	hash = ident_hash(id);
	cred = cred_find(osd, id, hash);
	if (cred)
		return cred;
	slot = slot_make(id, hash);
	if (!slot)
		return ERR_PTR(-ENOMEM);
	cred = get_cred(slot->cs_cred);
	slot_insert(osd, slot);
	return cred;
}
EXPORT_SYMBOL_NS_GPL(osd_cred_get, LUSTRE_LITE);

/* The device ends: no task uses it. */
void osd_creds_drop(struct osd_device *osd)
{
	struct osd_cred_slot *slot, *next;

	list_for_each_entry_safe(slot, next, &osd->osd_cred_lru, cs_lru)
		slot_free(slot);
}

/* Other tasks do not begin to use the fs_struct of this one. */
int osd_thread_start(void)
{
	int rc = READ_ONCE(current->fs->users) == 1 ? 0 : unshare_fs_struct();

	if (!rc)
		current->fs->umask = 0;
	return rc;
}
EXPORT_SYMBOL_NS_GPL(osd_thread_start, LUSTRE_LITE);
