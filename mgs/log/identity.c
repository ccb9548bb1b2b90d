// SPDX-License-Identifier: GPL-2.0-only
/*
 * Identities of targets: the uuid that mkfs gave the directory, and the key of its secret,
 * stored beside the logs at the first registration. Later registrations need both,
 * with any flags.
 */
#include <lustre_lite/codec.h>
#include <lustre_lite/proof.h>

#include "log_internal.h"

/* Its file; real Lustre has none. */
static void identity_file(const char *svname, char *name, size_t size)
{
	scnprintf(name, size, MGS_TARGETS_DIR "/%s", svname);
}

static bool identity_ok(const struct mgs_target_identity *kept, ssize_t len)
{
	return (len == sizeof(*kept) || len == MGS_IDENTITY_OLD) &&
	       codec_get32(&kept->ti_magic, false) == MGS_IDENTITY_MAGIC &&
	       strnlen(kept->ti_id, sizeof(kept->ti_id)) < sizeof(kept->ti_id);
}

/*
 * Read the stored identity of a target.
 * Return: 0; -ENOENT; -EBADMSG for a damaged file; as the store
 */
int mgs_identity_load(struct mgs_txn *txn, const char *svname,
		      struct mgs_target_identity *kept)
{
	char name[MGS_FILE_MAX];
	ssize_t len;

	memset(kept, 0, sizeof(*kept));
	identity_file(svname, name, sizeof(name));
	len = mgs_txn_get(txn, name, kept, sizeof(*kept));
	if (len < 0)
		return (int)len;
	return identity_ok(kept, len) ? 0 : -EBADMSG;
}

/*
 * Whether a target has the uuid of a directory. A uuid is not secret: this finds the name
 * of a target, and proves nothing.
 * Return: 1 or 0; a negative errno if the identity cannot be read
 */
int mgs_identity_is(struct mgs_txn *txn, const char *svname, const char *id)
{
	struct mgs_target_identity kept;
	int rc;

	if (!id[0])
		return 0;
	rc = mgs_identity_load(txn, svname, &kept);
	if (rc)
		return rc == -ENOENT || rc == -EBADMSG ? 0 : rc;
	return !strcmp(kept.ti_id, id);
}

static bool has_key(const struct mgs_target_identity *kept,
		    const struct mgs_target *target)
{
	if (!libcfs_key_given(kept->ti_key))
		return false;
	return libcfs_proof_holds(kept->ti_key, target->digest,
				  target->proof) ||
	       libcfs_key_same(kept->ti_key, target->key);
}

/* Judge a registration. @kept: stored identity, or NULL. Return: verdict */
enum mgs_verdict mgs_identity_judge(const struct mgs_target *target,
				    const struct mgs_target_identity *kept)
{
	bool replace = kept && codec_get32(&kept->ti_flags, false) &
				MGS_TARGET_REPLACE;

	if (kept && !strcmp(kept->ti_id, target->id) && has_key(kept, target))
		return MGS_PROVEN;
	if (kept && !replace)
		return strcmp(kept->ti_id, target->id) ? MGS_ANOTHER :
							 MGS_UNPROVEN;
	if (!replace && !target->allowed)
		return MGS_CLOSED;
	if (!libcfs_key_given(target->key))
		return MGS_KEYLESS;
	return replace ? MGS_REPLACES : MGS_FIRST;
}

static void identity_put(struct mgs_edit *edit, const char *svname,
			 const struct mgs_target_identity *kept)
{
	char name[MGS_FILE_MAX];

	identity_file(svname, name, sizeof(name));
	if (!edit->rc)
		edit->rc = mgs_txn_put(edit->txn, name, kept, sizeof(*kept));
}

/* The NID where it registered last; zeros if unknown. */
void mgs_identity_nid(const struct mgs_target_identity *kept, struct lnet_nid *nid)
{
	memset(nid, 0, sizeof(*nid));
	if (!kept->ti_nid_type || kept->ti_nid_len > sizeof(nid->nid_addr))
		return;
	nid->nid_type = kept->ti_nid_type;
	nid->nid_len = kept->ti_nid_len;
	nid->nid_net = codec_get16(&kept->ti_nid_net);
	memcpy(nid->nid_addr, kept->ti_nid_addr, sizeof(nid->nid_addr));
}

static void identity_nid_put(struct mgs_target_identity *kept,
			     const struct lnet_nid *nid)
{
	kept->ti_nid_type = nid->nid_type;
	kept->ti_nid_len = nid->nid_len;
	codec_put16(&kept->ti_nid_net, nid->nid_net);
	memcpy(kept->ti_nid_addr, nid->nid_addr, sizeof(kept->ti_nid_addr));
}

/* Store the identity of a target. */
void mgs_identity_keep(struct mgs_edit *edit, const char *svname,
		       const struct mgs_target *target)
{
	struct mgs_target_identity kept = {};

	codec_put32(&kept.ti_magic, MGS_IDENTITY_MAGIC);
	strscpy(kept.ti_id, target->id, sizeof(kept.ti_id));
	memcpy(kept.ti_key, target->key, sizeof(kept.ti_key));
	identity_nid_put(&kept, &target->from);
	identity_put(edit, svname, &kept);
}

/*
 * The known target registered: a permission to replace it ends, and its NID is updated.
 */
void mgs_identity_settle(struct mgs_edit *edit, const char *svname,
			 const struct mgs_target *target,
			 struct mgs_target_identity *kept)
{
	codec_put32(&kept->ti_flags, 0);
	identity_nid_put(kept, &target->from);
	identity_put(edit, svname, kept);
}

/*
 * Delete the identity and the NID table entry of a target. The version of the table stays:
 * it must rise for the life of the directory, so that readers miss nothing.
 */
void mgs_identity_drop(struct mgs_edit *edit, const char *svname)
{
	char name[MGS_FILE_MAX];

	identity_file(svname, name, sizeof(name));
	if (!edit->rc)
		edit->rc = mgs_txn_drop(edit->txn, name);
	scnprintf(name, sizeof(name), MGS_NIDS_DIR "/%s", svname);
	if (!edit->rc)
		edit->rc = mgs_txn_drop(edit->txn, name);
}

/* A damaged identity counts as none. Return: 0 or a negative errno */
static int replace_mark(struct mgs_fs_change *change)
{
	const char *svname = change->target->name;
	struct mgs_edit *edit = &change->edit;
	struct mgs_target_identity kept;
	int rc = mgs_identity_load(edit->txn, svname, &kept);

	if (rc && rc != -ENOENT && rc != -EBADMSG)
		return rc;
	if (rc)
		memset(&kept, 0, sizeof(kept));
	codec_put32(&kept.ti_magic, MGS_IDENTITY_MAGIC);
	codec_put32(&kept.ti_flags, codec_get32(&kept.ti_flags, false) |
				    MGS_TARGET_REPLACE);
	identity_put(edit, svname, &kept);
	return edit->rc;
}

/* TARGET */
int mgs_do_replace_target(struct mgs_call *call)
{
	struct mgs_fs_change *change = kzalloc(sizeof(*change), GFP_KERNEL);
	int rc;

	if (!change)
		return -ENOMEM;
	rc = mgs_fs_change_target(change, call->txn, call->args[0], call->why);
	rc = rc ? rc : replace_mark(change);
	if (!rc)
		obd_refuse(call->why, 0,
			   "%s: the next directory that registers as this target takes its place",
			   change->target->name);
	mgs_fs_change_fini(change);
	kfree(change);
	return rc;
}

/**
 * mgs_log_stop() - store that a target has stopped
 * @txn: change
 * @svname: target
 *
 * After a restart of the service it may then start on any node at once.
 *
 * Context: may sleep
 * Return: 0, also without a stored identity; as the store
 */
int mgs_log_stop(struct mgs_txn *txn, const char *svname)
{
	struct mgs_target_identity kept;
	char name[MGS_FILE_MAX];
	int rc = mgs_identity_load(txn, svname, &kept);

	if (rc)
		return rc == -ENOENT || rc == -EBADMSG ? 0 : rc;
	codec_put32(&kept.ti_flags, codec_get32(&kept.ti_flags, false) |
				    MGS_TARGET_STOPPED);
	identity_file(svname, name, sizeof(name));
	rc = mgs_txn_put(txn, name, &kept, sizeof(kept));
	scnprintf(name, sizeof(name), "stop %s", svname);
	return rc ? rc : mgs_txn_say(txn, name);
}
