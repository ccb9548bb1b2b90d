// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sequences for clients: a client makes FIDs from sequences that no other client has. The file
 * seq_srv has what was not given out, as real Lustre has it. It is on disk before a sequence
 * leaves, so that a sequence is given out once, also if the server fails.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/file.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_why.h>

#include "mdt_internal.h"

#define SEQ_FILE	"seq_srv"

static void seq_new(struct mdt_device *mdt)
{
	u64 start = FID_SEQ_NORMAL + ((u64)mdt->mdt_dir.td_index << LUSTRE_TARGET_SEQS_SHIFT);
	u64 end = start + (1ULL << LUSTRE_TARGET_SEQS_SHIFT);

	mdt->mdt_seq = (struct lustre_seq_range){
		.sr_start = cpu_to_le64(start),
		.sr_end = cpu_to_le64(end),
		.sr_index = cpu_to_le32(mdt->mdt_dir.td_index),
	};
}

static const char *seq_fault(const struct mdt_device *mdt)
{
	const struct lustre_seq_range *seq = &mdt->mdt_seq;

	if (le64_to_cpu(seq->sr_start) < FID_SEQ_NORMAL ||
	    le64_to_cpu(seq->sr_start) > le64_to_cpu(seq->sr_end))
		return "is not a range of sequences";
	if (le32_to_cpu(seq->sr_index) != mdt->mdt_dir.td_index)
		return "is that of another target";
	return seq->sr_flags ? "is not that of a metadata target" : NULL;
}

static int seq_write(struct mdt_device *mdt, const struct lustre_seq_range *seq)
{
	return libcfs_pwrite(mdt->mdt_seq_file, 0, seq, sizeof(*seq)) ?:
	       vfs_fsync(mdt->mdt_seq_file, 0);
}

/* Real Lustre writes zeros before it has a range. */
static int seq_load(struct mdt_device *mdt, struct obd_why *why)
{
	const char *name = mdt->mdt_dir.td_obd->obd_name, *fault;
	ssize_t got = libcfs_pread(mdt->mdt_seq_file, 0, &mdt->mdt_seq, sizeof(mdt->mdt_seq));

	if (got < 0)
		return obd_refuse(why, got, "%s: cannot read " SEQ_FILE, name);
	if (!got || (got == sizeof(mdt->mdt_seq) && !mdt->mdt_seq.sr_start &&
		     !mdt->mdt_seq.sr_end)) {
		seq_new(mdt);
		return 0;
	}
	fault = got == sizeof(mdt->mdt_seq) ? seq_fault(mdt) : "is too short";
	if (fault)
		return obd_refuse(why, -EUCLEAN,
				  "%s: " SEQ_FILE " %s; restore it from a backup", name, fault);
	return 0;
}

static int seq_open(struct mdt_device *mdt, struct obd_why *why)
{
	struct file *file = file_open_root(&mdt->mdt_dir.td_path, SEQ_FILE,
					   O_RDWR | O_CREAT | O_LARGEFILE | O_NOFOLLOW, 0644);

	if (IS_ERR(file))
		return obd_refuse(why, PTR_ERR(file), "%s: cannot open " SEQ_FILE,
				  mdt->mdt_dir.td_obd->obd_name);
	mdt->mdt_seq_file = file;
	if (S_ISREG(file_inode(file)->i_mode))
		return 0;
	return obd_refuse(why, -EINVAL, "%s: " SEQ_FILE " is not a regular file",
			  mdt->mdt_dir.td_obd->obd_name);
}

int mdt_seq_init(struct mdt_device *mdt, struct obd_why *why)
{
	int rc;

	mutex_init(&mdt->mdt_seq_lock);
	rc = seq_open(mdt, why) ?: seq_load(mdt, why);
	if (rc)
		mdt_seq_fini(mdt);
	return rc;
}

void mdt_seq_fini(struct mdt_device *mdt)
{
	struct file *file = mdt->mdt_seq_file;

	mdt->mdt_seq_file = NULL;
	if (file)
		libcfs_file_close(file);
}

/* Take the first sequence from the range. After an errno it is not given out. */
static int seq_take(struct mdt_device *mdt, struct lustre_seq_range *taken)
{
	struct lustre_seq_range rest;
	int rc;

	lockdep_assert_held(&mdt->mdt_seq_lock);
	rest = mdt->mdt_seq;
	if (rest.sr_start == rest.sr_end)
		return -ENOSPC;
	le64_add_cpu(&rest.sr_start, 1);
	rc = seq_write(mdt, &rest);
	if (rc)
		return rc;
	*taken = mdt->mdt_seq;
	taken->sr_end = rest.sr_start;
	mdt->mdt_seq = rest;
	return 0;
}

int mdt_seq_query(struct ptlrpc_svc_req *sr)
{
	struct mdt_device *mdt = mdt_device(sr->sr_exp->exp_obd);
	struct lustre_seq_range *to = ptlrpc_svc_rep_buf(sr, 0);
	int rc;

	if (!to)
		return -ENOMEM;
	mutex_lock(&mdt->mdt_seq_lock);
	rc = seq_take(mdt, to);
	mutex_unlock(&mdt->mdt_seq_lock);
	if (rc)
		CERROR("%s: cannot give %s a sequence for new files: rc = %d\n",
		       sr->sr_exp->exp_obd->obd_name, sr->sr_exp->exp_client_uuid.uuid, rc);
	return rc;
}
