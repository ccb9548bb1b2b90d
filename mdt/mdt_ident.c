// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which clients are permitted what: nodes that are refused or may only read, and nodes whose root
 * is a user without privileges.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/capability.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/libcfs.h>

#include "mdt_internal.h"

/* Real Lustre's text for an empty list. */
#define NIDS_NONE	"NONE"
#define NIDS_SEP	" ,\n"

/**
 * struct mdt_nid_rule - nodes
 * @range: their NIDs
 * @access: what is permitted to them
 */
struct mdt_nid_rule {
	struct lnet_nid_range	range;
	enum mdt_access		access;
};

/**
 * struct mdt_nids - a list of nodes, which does not change
 * @rcu: frees it
 * @count: rules, the first one that has a NID counts
 * @rule: rules
 * @text: as it was set
 */
struct mdt_nids {
	struct rcu_head		rcu;
	u32			count;
	struct mdt_nid_rule	rule[MDT_NIDS_MAX];
	char			text[MDT_NIDS_TEXT];
};

static const char *const access_names[] = {
	[MDT_ACCESS_RW]		= "rw",
	[MDT_ACCESS_RO]		= "ro",
	[MDT_ACCESS_NONE]	= "none",
};

/* "10.0.0.*@tcp=ro"; a rule of a list without access has no "=". */
static int rule_parse(const char *text, size_t len, bool with_access, struct mdt_nid_rule *rule)
{
	const char *equal = memchr(text, '=', len), *why;
	size_t left, n;

	if (with_access != !!equal)
		return -EINVAL;
	rule->access = MDT_ACCESS_RW;
	if (equal) {
		left = text + len - equal - 1;
		for (n = 0; n < ARRAY_SIZE(access_names); n++)
			if (strlen(access_names[n]) == left &&
			    !strncmp(access_names[n], equal + 1, left))
				break;
		if (n == ARRAY_SIZE(access_names))
			return -EINVAL;
		rule->access = n;
		len = equal - text;
	}
	return libcfs_nid_range_parse(text, len, &rule->range, &why);
}

static int nids_parse(const char *text, bool with_access, struct mdt_nids *nids)
{
	size_t len;
	int rc;

	if (!strcmp(text, NIDS_NONE) || !strcmp(text, "clear"))
		return 0;
	if (strscpy(nids->text, text, sizeof(nids->text)) < 0)
		return -E2BIG;
	for (text += strspn(text, NIDS_SEP); *text; text += strspn(text, NIDS_SEP)) {
		if (nids->count == MDT_NIDS_MAX)
			return -E2BIG;
		len = strcspn(text, NIDS_SEP);
		rc = rule_parse(text, len, with_access, &nids->rule[nids->count++]);
		if (rc)
			return rc;
		text += len;
	}
	return 0;
}

/*
 * Replace a list. Return: 0; -EINVAL: a range or an access is malformed; -E2BIG: there are too
 * many; -ENOMEM
 */
static int nids_set(struct mdt_device *mdt, struct mdt_nids __rcu **to, const char *text,
		    bool with_access)
{
	struct mdt_nids *nids = kvzalloc(sizeof(*nids), GFP_KERNEL_ACCOUNT), *old;
	int rc;

	if (!nids)
		return -ENOMEM;
	rc = nids_parse(text, with_access, nids);
	if (rc) {
		kvfree(nids);
		return rc;
	}
	mutex_lock(&mdt->mdt_lock);
	old = rcu_replace_pointer(*to, nids, lockdep_is_held(&mdt->mdt_lock));
	mutex_unlock(&mdt->mdt_lock);
	if (old)
		kvfree_rcu(old, rcu);
	return 0;
}

static ssize_t nids_text(struct mdt_nids __rcu **from, char *buf, size_t size)
{
	const struct mdt_nids *nids;
	ssize_t len;

	rcu_read_lock();
	nids = rcu_dereference(*from);
	len = strscpy(buf, nids && nids->count ? nids->text : NIDS_NONE, size);
	rcu_read_unlock();
	return len < 0 ? -EOVERFLOW : len;
}

/* Return: whether a rule has @nid; @access: out */
static bool nids_has(struct mdt_nids __rcu **from, const struct lnet_nid *nid,
		     enum mdt_access *access)
{
	const struct mdt_nids *nids;
	bool has = false;
	u32 n;

	rcu_read_lock();
	nids = rcu_dereference(*from);
	for (n = 0; nids && !has && n < nids->count; n++) {
		has = libcfs_nid_range_has(&nids->rule[n].range, nid);
		*access = nids->rule[n].access;
	}
	rcu_read_unlock();
	return has;
}

void mdt_ident_fini(struct mdt_device *mdt)
{
	/* No parameter and no request is left. */
	kvfree(rcu_dereference_protected(mdt->mdt_nosquash, true));
	kvfree(rcu_dereference_protected(mdt->mdt_access, true));
}

int mdt_nosquash_set(struct mdt_device *mdt, const char *text)
{
	return nids_set(mdt, &mdt->mdt_nosquash, text, false);
}

ssize_t mdt_nosquash_text(struct mdt_device *mdt, char *buf, size_t size)
{
	return nids_text(&mdt->mdt_nosquash, buf, size);
}

int mdt_access_set(struct mdt_device *mdt, const char *text)
{
	return nids_set(mdt, &mdt->mdt_access, text, true);
}

ssize_t mdt_access_text(struct mdt_device *mdt, char *buf, size_t size)
{
	return nids_text(&mdt->mdt_access, buf, size);
}

/* "UID:GID" */
int mdt_squash_set(struct mdt_device *mdt, const char *text)
{
	unsigned int uid, gid;
	char rest;

	if (sscanf(text, "%u:%u%c", &uid, &gid, &rest) != 2)
		return -EINVAL;
	if (uid == U32_MAX || gid == U32_MAX)
		return -ERANGE;
	WRITE_ONCE(mdt->mdt_squash, (u64)uid << 32 | gid);
	return 0;
}

ssize_t mdt_squash_text(struct mdt_device *mdt, char *buf, size_t size)
{
	u64 squash = READ_ONCE(mdt->mdt_squash);

	return scnprintf(buf, size, "%u:%u", upper_32_bits(squash), lower_32_bits(squash));
}

static bool op_changes(const struct md_op_data *op)
{
	if (op->opc == MDS_SWAP_LAYOUTS)
		return true;
	if (op->opc != MDS_REINT)
		return false;
	return op->reint != REINT_OPEN ||
	       op->flags & (MDS_FMODE_WRITE | MDS_OPEN_CREAT | MDS_OPEN_TRUNC);
}

int mdt_ident_check(const struct mdt_call *call)
{
	enum mdt_access access = MDT_ACCESS_RW;

	if (!nids_has(&call->mtc_mdt->mdt_access, ptlrpc_svc_nid(call->mtc_sr), &access))
		return 0;
	/* A client that had access before closes its files. */
	if (access == MDT_ACCESS_NONE && call->mtc_op.opc != MDS_CLOSE &&
	    call->mtc_op.opc != MDS_DONE_WRITING)
		return -EACCES;
	return access == MDT_ACCESS_RO && op_changes(&call->mtc_op) ? -EROFS : 0;
}

void mdt_ident_squash(struct mdt_call *call)
{
	u64 squash = READ_ONCE(call->mtc_mdt->mdt_squash);
	struct md_op_data *op = &call->mtc_op;
	enum mdt_access unused;

	if (!upper_32_bits(squash) ||
	    nids_has(&call->mtc_mdt->mdt_nosquash, ptlrpc_svc_nid(call->mtc_sr), &unused))
		return;
	/* A task that left root keeps no privileges of it either. */
	op->caps = 0;
	if (!op->gid)
		op->gid = lower_32_bits(squash);
	if (op->uid)
		return;
	op->uid = upper_32_bits(squash);
	op->nr_groups = 0;
}
