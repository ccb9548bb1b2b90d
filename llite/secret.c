// SPDX-License-Identifier: GPL-2.0-only
/*
 * The secret of a target, target_secret in its directory: 32 random bytes, made
 * before the first registration, so that a registration whose answer was lost
 * can be repeated. The management service stores their hash and identifies the
 * target by it.
 *
 * The secret never leaves the directory. Its key, the hash, is sent until the
 * service has it; afterwards only proofs are sent.
 */
#define DEBUG_SUBSYSTEM S_LLITE

#include <linux/crc32c.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/random.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>

#include "llite_internal.h"

static u32 secret_crc(const struct ll_target_secret *se)
{
	return ~crc32c(~0U, se, offsetof(struct ll_target_secret, se_crc));
}

static bool secret_ok(const struct ll_target_secret *se, ssize_t len)
{
	return len == sizeof(*se) &&
	       se->se_magic == cpu_to_le32(LL_TARGET_SECRET_MAGIC) &&
	       se->se_crc == cpu_to_le32(secret_crc(se));
}

static int secret_read(const struct llite_claim *claim, struct ll_target_secret *se)
{
	struct file *file = llite_file_open(claim, &claim->fc_path, MOUNT_SECRET_FILE);
	ssize_t len;

	if (IS_ERR(file))
		return PTR_ERR(file);
	len = libcfs_pread(file, 0, se, sizeof(*se));
	fput(file);
	if (len < 0)
		return len;
	return secret_ok(se, len) ? 0 : -EBADMSG;
}

static int secret_write(const struct llite_claim *claim, struct ll_target_secret *se,
			u32 flags)
{
	const struct llite_bytes bytes = {
		.lby_bytes = se,
		.lby_len = sizeof(*se),
		.lby_mode = 0600,
	};

	se->se_magic = cpu_to_le32(LL_TARGET_SECRET_MAGIC);
	se->se_flags = cpu_to_le32(flags);
	se->se_reserved = 0;
	se->se_crc = cpu_to_le32(secret_crc(se));
	return llite_file_replace(claim, &claim->fc_path, MOUNT_SECRET_FILE, &bytes);
}

/**
 * llite_secret_load() - read the secret of a target, or make one
 * @lt: target; its mountdata has been read
 * @mt: out: key, and whether it must be sent
 * @why: out: reason of a failure
 *
 * Context: may sleep
 * Return: 0; -EBADMSG for a damaged file; as reading and writing
 */
int llite_secret_load(const struct llite_target *lt, struct mgc_target *mt,
		      struct obd_why *why)
{
	const struct llite_claim *claim = &lt->llt_claim;
	u32 fresh = LDD_F_VIRGIN | LDD_F_NEED_INDEX | LDD_F_WRITECONF;
	struct ll_target_secret se = {};
	int rc = secret_read(claim, &se);

	if (rc == -ENOENT) {
		get_random_bytes(se.se_secret, sizeof(se.se_secret));
		rc = secret_write(claim, &se, 0);
	}
	if (!rc) {
		BUILD_BUG_ON(sizeof(se.se_secret) != LIBCFS_KEY_LEN);
		libcfs_key_of(se.se_secret, mt->key);
		mt->offer = mt->flags & fresh ||
			    !(se.se_flags & cpu_to_le32(LL_TARGET_SECRET_KNOWN));
	}
	memzero_explicit(&se, sizeof(se));
	if (rc == -EBADMSG)
		return obd_refuse(why, rc,
				  "%pd: " MOUNT_SECRET_FILE " is damaged; restore it from a backup, or remove it and run 'lctl replace_target %s' on the node of the management service",
				  claim->fc_path.dentry, lt->llt_ldd->ldd_svname);
	if (rc)
		return obd_refuse(why, rc,
				  "%pd: cannot read or make " MOUNT_SECRET_FILE,
				  claim->fc_path.dentry);
	return 0;
}

/**
 * llite_secret_known() - record that the service has the key
 * @lt: target, registered
 *
 * If this cannot be written the key is sent once more, with the next start.
 *
 * Context: may sleep
 */
void llite_secret_known(const struct llite_target *lt)
{
	const struct llite_claim *claim = &lt->llt_claim;
	struct ll_target_secret se;
	int rc = secret_read(claim, &se);

	if (!rc && !(se.se_flags & cpu_to_le32(LL_TARGET_SECRET_KNOWN)))
		rc = secret_write(claim, &se, LL_TARGET_SECRET_KNOWN);
	memzero_explicit(&se, sizeof(se));
	if (rc)
		CWARN("%s: cannot write " MOUNT_SECRET_FILE ": rc = %d\n",
		      lt->llt_ldd->ldd_svname, rc);
}
