// SPDX-License-Identifier: GPL-2.0-only
/* Parameters and statistics of the device, under real Lustre's names. */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/stat.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_stats.h>
#include <lustre_lite/params.h>

#include "mdt_internal.h"

/* enum mdt_stat - an operation in md_stats, in real Lustre's order */
enum mdt_stat {
	MDT_STAT_OPEN,
	MDT_STAT_CLOSE,
	MDT_STAT_MKNOD,
	MDT_STAT_LINK,
	MDT_STAT_UNLINK,
	MDT_STAT_MKDIR,
	MDT_STAT_RMDIR,
	MDT_STAT_RENAME,
	MDT_STAT_GETATTR,
	MDT_STAT_SETATTR,
	MDT_STAT_GETXATTR,
	MDT_STAT_SETXATTR,
	MDT_STAT_STATFS,
	MDT_STAT_SYNC,
	MDT_STAT_SAMEDIR_RENAME,
	MDT_STAT_CROSSDIR_RENAME,
	MDT_STAT_READPAGE,
	MDT_STAT_COUNT
};

#define STAT(n)	PARAMS_STAT_SAMPLES(n, PARAMS_UNIT_USEC)

static const struct params_stat_desc stat_descs[MDT_STAT_COUNT] = {
	[MDT_STAT_OPEN]			= STAT("open"),
	[MDT_STAT_CLOSE]		= STAT("close"),
	[MDT_STAT_MKNOD]		= STAT("mknod"),
	[MDT_STAT_LINK]			= STAT("link"),
	[MDT_STAT_UNLINK]		= STAT("unlink"),
	[MDT_STAT_MKDIR]		= STAT("mkdir"),
	[MDT_STAT_RMDIR]		= STAT("rmdir"),
	[MDT_STAT_RENAME]		= STAT("rename"),
	[MDT_STAT_GETATTR]		= STAT("getattr"),
	[MDT_STAT_SETATTR]		= STAT("setattr"),
	[MDT_STAT_GETXATTR]		= STAT("getxattr"),
	[MDT_STAT_SETXATTR]		= STAT("setxattr"),
	[MDT_STAT_STATFS]		= STAT("statfs"),
	[MDT_STAT_SYNC]			= STAT("sync"),
	[MDT_STAT_SAMEDIR_RENAME]	= STAT("samedir_rename"),
	[MDT_STAT_CROSSDIR_RENAME]	= STAT("crossdir_rename"),
	[MDT_STAT_READPAGE]		= STAT("readpage"),
};

static enum mdt_stat reint_stat(const struct md_op_data *op)
{
	switch (op->reint) {
	case REINT_SETATTR:
		return MDT_STAT_SETATTR;
	case REINT_CREATE:
		return S_ISDIR(op->attr.mode) ? MDT_STAT_MKDIR : MDT_STAT_MKNOD;
	case REINT_LINK:
		return MDT_STAT_LINK;
	case REINT_UNLINK:
		return op->flags & MDS_UNLINK_DIR ? MDT_STAT_RMDIR : MDT_STAT_UNLINK;
	case REINT_RENAME:
		return MDT_STAT_RENAME;
	case REINT_OPEN:
		return MDT_STAT_OPEN;
	case REINT_SETXATTR:
		return MDT_STAT_SETXATTR;
	default:
		return MDT_STAT_COUNT;
	}
}

static enum mdt_stat op_stat(const struct md_op_data *op)
{
	switch (op->opc) {
	case MDS_GETATTR:
	case MDS_GETATTR_NAME:
		return MDT_STAT_GETATTR;
	case MDS_CLOSE:
		return MDT_STAT_CLOSE;
	case MDS_READPAGE:
		return MDT_STAT_READPAGE;
	case MDS_GETXATTR:
		return MDT_STAT_GETXATTR;
	case MDS_SYNC:
		return MDT_STAT_SYNC;
	case MDS_REINT:
		return reint_stat(op);
	default:
		return MDT_STAT_COUNT;
	}
}

static void stats_add(struct obd_export *exp, const char *job, enum mdt_stat stat, u64 nsec)
{
	params_stats_add(mdt_device(exp->exp_obd)->mdt_stats, stat, nsec / NSEC_PER_USEC);
	obd_client_stats_add(exp, job, stat, nsec / NSEC_PER_USEC);
}

void mdt_stats_count(struct mdt_call *call, u64 nsec)
{
	const struct md_op_data *op = &call->mtc_op;
	struct obd_export *exp = call->mtc_sr->sr_exp;
	const char *job = call->mtc_sr->sr_msg.jobid;
	enum mdt_stat stat = op_stat(op);

	if (stat == MDT_STAT_COUNT)
		return;
	stats_add(exp, job, stat, nsec);
	if (stat != MDT_STAT_RENAME)
		return;
	stats_add(exp, job, lu_fid_eq(&op->object[0].fid, &op->object[2].fid) ?
			    MDT_STAT_SAMEDIR_RENAME : MDT_STAT_CROSSDIR_RENAME, nsec);
}

void mdt_stats_statfs(struct obd_export *exp, u64 nsec)
{
	stats_add(exp, "", MDT_STAT_STATFS, nsec);
}

static struct params_stats *md_stats_get(void *data)
{
	struct mdt_device *mdt = data;

	return mdt->mdt_stats;
}

static int site_read(struct params_sink *sink, void *data)
{
	struct mdt_device *mdt = data;

	return lu_site_print(mdt->mdt_site, sink);
}

static ssize_t squash_get(void *data, char *buf, size_t size)
{
	return mdt_squash_text(data, buf, size);
}

static int squash_set(const char *text, size_t len, void *data)
{
	return mdt_squash_set(data, text);
}

static ssize_t nosquash_get(void *data, char *buf, size_t size)
{
	return mdt_nosquash_text(data, buf, size);
}

static int nosquash_set(const char *text, size_t len, void *data)
{
	return mdt_nosquash_set(data, text);
}

static ssize_t access_get(void *data, char *buf, size_t size)
{
	return mdt_access_text(data, buf, size);
}

static int access_set(const char *text, size_t len, void *data)
{
	return mdt_access_set(data, text);
}

static int som_get(void *data, u64 *value)
{
	*value = READ_ONCE(((struct mdt_device *)data)->mdt_som_strict);
	return 0;
}

static int som_set(void *data, u64 value)
{
	WRITE_ONCE(((struct mdt_device *)data)->mdt_som_strict, value);
	return 0;
}

/* The groups of a user come with each request, and no program of the server looks them up. */
static ssize_t upcall_get(void *data, char *buf, size_t size)
{
	return strscpy(buf, "NONE", size);
}

static int upcall_set(const char *text, size_t len, void *data)
{
	const struct mdt_device *mdt = data;

	if (!strcmp(text, "NONE"))
		return 0;
	CERROR("%s: identity_upcall=%s is not supported; valid is NONE, as groups are those that clients send: rc = %d\n",
	       mdt->mdt_dir.td_obd->obd_name, text, -EOPNOTSUPP);
	return -EOPNOTSUPP;
}

static int scrub_read(struct params_sink *sink, void *data)
{
	return mdt_scrub_print(data, sink);
}

static int scrub_write(const char *text, size_t len, void *data)
{
	return mdt_scrub_set(data, text);
}

static const struct lustre_params_attr mdt_attrs[] = {
	LP_STR_RW("root_squash", squash_get, squash_set, .max = 31,
		  .doc = "UID:GID for root at clients, without privileges; 0:0: root is root"),
	LP_STR_RW("nosquash_nids", nosquash_get, nosquash_set, .max = MDT_NIDS_TEXT - 1,
		  .doc = "nodes whose superuser is not squashed, such as 10.0.0.[1-9]@tcp *@tcp1, or NONE"),
	LP_STR_RW("access", access_get, access_set, .max = MDT_NIDS_TEXT - 1,
		  .doc = "nodes and what is permitted to them: rw, ro or none, such as 10.0.0.1@tcp=rw *@tcp=ro; the first that has a NID counts, others have rw; or NONE"),
	LP_STR_RW("identity_upcall", upcall_get, upcall_set, .max = PATH_MAX - 1,
		  .doc = "NONE: groups of users are those that clients send; programs that look them up are not supported"),
	LP_BOOL_RW("enable_strict_som", som_get, som_set,
		   .doc = "replies have the sizes of files that no client writes to; 0: clients ask the objects"),
	LP_STATS_RWC("md_stats", md_stats_get,
		     .doc = "operations of clients and their times; writing \"clear\" resets the counters"),
	LP_READER_RW("oi_scrub", scrub_read, scrub_write, .not_setting = 1,
		     .doc = "search of the tree for objects by FID: its status, objects and directories seen, directories that it could not read, objects in the index, time in ms; start: search again"),
	LP_READER("site", site_read,
		  .doc = "number of objects in memory, and of those not in use; the holders of each"),
};

int mdt_params_init(struct mdt_device *mdt)
{
	int rc;

	mdt->mdt_stats = params_stats_alloc(stat_descs, MDT_STAT_COUNT);
	if (!mdt->mdt_stats)
		return -ENOMEM;
	rc = params_add_attrs(mdt->mdt_dir.td_obd->obd_params, mdt_attrs, ARRAY_SIZE(mdt_attrs),
			      mdt) ?:
	     obd_client_stats_init(mdt->mdt_dir.td_obd, stat_descs, MDT_STAT_COUNT,
				   mdt_open_files_put);
	if (rc)
		mdt_params_fini(mdt);
	return rc;
}

void mdt_params_fini(struct mdt_device *mdt)
{
	obd_client_stats_fini(mdt->mdt_dir.td_obd);
	params_stats_free(mdt->mdt_stats);
	mdt->mdt_stats = NULL;
}
