// SPDX-License-Identifier: GPL-2.0
/*
 * Which folder is a target's: the identity that mkfs gave it, kept with the logs. A
 * target that was cut off before it wrote down that it is registered is known by it.
 */
#include "log_internal.h"

static void identity_file(const char *svname, char *name, size_t size)
{
	scnprintf(name, size, MGS_TARGETS_DIR "/%s", svname);
}

/**
 * mgs_identity_is() - whether a target is the folder that says so
 * @txn: change
 * @svname: target
 * @id: identity of the folder, "" where it has none
 *
 * Context: may sleep
 * Return: 1 or 0; a negative errno where that cannot be read
 */
int mgs_identity_is(struct mgs_txn *txn, const char *svname, const char *id)
{
	char name[MGS_FILE_MAX], kept[LDD_UUID_LEN];
	size_t len = strlen(id);
	ssize_t got;

	if (!len)
		return 0;
	identity_file(svname, name, sizeof(name));
	got = mgs_txn_get(txn, name, kept, sizeof(kept));
	if (got < 0)
		return got == -ENOENT ? 0 : (int)got;
	return (size_t)got == len && !memcmp(kept, id, len);
}

/**
 * mgs_identity_keep() - a target is this folder from now on
 * @edit: logs being written
 * @svname: target
 * @id: identity, "" for one that has none
 *
 * Context: may sleep; an error is that of @edit
 */
void mgs_identity_keep(struct mgs_edit *edit, const char *svname,
		       const char *id)
{
	char name[MGS_FILE_MAX];

	if (!id[0]) {
		mgs_identity_drop(edit, svname);
		return;
	}
	identity_file(svname, name, sizeof(name));
	if (!edit->rc)
		edit->rc = mgs_txn_put(edit->txn, name, id, strlen(id));
}

/**
 * mgs_identity_drop() - a target is gone, or another folder may be it
 * @edit: logs being written
 * @svname: target
 *
 * Context: may sleep; an error is that of @edit
 */
void mgs_identity_drop(struct mgs_edit *edit, const char *svname)
{
	char name[MGS_FILE_MAX];

	identity_file(svname, name, sizeof(name));
	if (!edit->rc)
		edit->rc = mgs_txn_drop(edit->txn, name);
}
