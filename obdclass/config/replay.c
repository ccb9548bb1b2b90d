// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replay of a config log for a tool: the log is a file, and the results of its
 * records go to the tool's buffer, a page at a time.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/align.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <lustre_lite/compat.h>

#include "../obd_internal.h"

#define REPLAY_BUF_MIN	1024U
/* Most bytes of kernel memory for the report of a call. */
#define REPLAY_BUF_MAX	(32U * 1024)
/* Bytes of the longest report of a record. */
#define REPLAY_REC_MAX							\
	ALIGN(sizeof(struct obd_replay_rec) + MAX_OBD_NAME + OBD_WHY_MAX, 8)

/**
 * struct obd_replay - a call
 * @cfg: consumer
 * @buf: the report so far
 * @size: size of @buf
 * @used: bytes filled
 * @full: the next record might not fit
 */
struct obd_replay {
	struct config_llog_instance	cfg;
	char				*buf;
	size_t				size;
	size_t				used;
	bool				full;
};

static const char *view_device(const struct lcfg_view *view)
{
	if (!config_for_device(view->command) || !view->bufcount ||
	    !view->buf[0].len)
		return "";
	return lcfg_string(view, 0) ?: "";
}

static int replay_report(struct config_llog_instance *cfg, u32 index,
			 const struct lcfg_view *view,
			 enum obd_replay_done done, int status,
			 const struct obd_why *why)
{
	struct obd_replay *replay = cfg->cfg_data;
	const char *device = view_device(view);
	size_t device_len = strnlen(device, MAX_OBD_NAME);
	size_t why_len = strlen(why->text);
	struct obd_replay_rec *rec = (void *)(replay->buf + replay->used);
	size_t len = ALIGN(sizeof(*rec) + device_len + why_len, 8);

	memset(rec, 0, len);
	rec->orr_len = len;
	rec->orr_index = index;
	rec->orr_command = view->command;
	rec->orr_done = done;
	rec->orr_status = status;
	rec->orr_device_len = device_len;
	rec->orr_why_len = why_len;
	memcpy(rec->orr_text, device, device_len);
	memcpy(rec->orr_text + device_len, why->text, why_len);
	replay->used += len;
	replay->full = replay->size - replay->used < REPLAY_REC_MAX;
	return replay->full ? LLOG_PROC_BREAK : 0;
}

static int replay_refuse(struct obd_ioc_replay *call, const char *words)
{
	strscpy(call->or_why, words, sizeof(call->or_why));
	return -EINVAL;
}

static int replay_check(struct obd_ioc_replay *call)
{
	if (call->or_flags & ~OBD_REPLAY_DRY_RUN)
		return replay_refuse(call, "or_flags has unknown bits");
	if (call->or_state & ~(CFG_F_START | CFG_F_SKIP | CFG_F_EXCLUDE))
		return replay_refuse(call, "or_state is invalid");
	if (call->or_reserved)
		return replay_refuse(call, "or_reserved is not 0");
	if (call->or_buf_len < REPLAY_BUF_MIN)
		return replay_refuse(call, "the buffer for the report is smaller than 1024 bytes");
	if (call->or_exclude_len > OBD_EXCLUDE_MAX)
		return replay_refuse(call, "the list of excluded targets is longer than 4096 bytes");
	if (strnlen(call->or_uuid, UUID_MAX) == UUID_MAX)
		return replay_refuse(call, "the uuid is longer than 39 bytes");
	return 0;
}

/* The list of excluded targets, kmalloc'd; NULL for none. */
static char *replay_exclude(const struct obd_ioc_replay *call)
{
	if (!call->or_exclude || !call->or_exclude_len)
		return NULL;
	return memdup_user_nul(u64_to_user_ptr(call->or_exclude),
			       call->or_exclude_len);
}

static void replay_fault(const struct llog_fault *fault, int rc,
			 struct obd_ioc_replay *call)
{
	if (fault->what)
		scnprintf(call->or_why, sizeof(call->or_why),
			  "offset %llu, record %u: %s: 0x%llx, not 0x%llx",
			  fault->offset, fault->index, fault->what, fault->seen,
			  fault->want);
	else
		scnprintf(call->or_why, sizeof(call->or_why),
			  "cannot be read: errno %d", -rc);
}

static int replay_log(struct obd_replay *replay, struct obd_ioc_replay *call)
{
	struct llog_fault fault = { 0 };
	struct llog_handle *log;
	struct file *file;
	int rc;

	file = fget(call->or_fd);
	if (!file)
		return -EBADF;
	log = llog_open_file(file, 0);
	if (IS_ERR(log)) {
		rc = PTR_ERR(log);
		scnprintf(call->or_why, sizeof(call->or_why),
			  "is not a log that can be read: errno %d", -rc);
	} else {
		rc = class_config_parse_llog(log, &replay->cfg, &fault);
		llog_close(log);
		/* Damage is reported after all readable records. */
		if (fault.what && rc == -EIO && replay->full)
			rc = 0;
		if (rc)
			replay_fault(&fault, rc, call);
	}
	fput(file);
	return rc;
}

/* Copy the results back, also if the log failed halfway. */
static int replay_finish(struct obd_replay *replay, struct obd_ioc_replay *call,
			 int rc)
{
	const struct config_llog_instance *cfg = &replay->cfg;

	call->or_state = cfg->cfg_rules.cr_state;
	call->or_last = cfg->cfg_last_idx;
	call->or_eof = !rc && !replay->full;
	call->or_used = replay->used;
	call->or_applied = cfg->cfg_applied;
	call->or_skipped = cfg->cfg_skipped;
	call->or_failed = cfg->cfg_failed;
	if (copy_to_user(u64_to_user_ptr(call->or_buf), replay->buf,
			 replay->used))
		return -EFAULT;
	return rc;
}

static struct obd_replay *replay_begin(const struct obd_ioc_replay *call)
{
	struct obd_replay *replay = kzalloc(sizeof(*replay), GFP_KERNEL_ACCOUNT);

	if (!replay)
		return NULL;
	replay->size = min(call->or_buf_len, REPLAY_BUF_MAX);
	replay->buf = kvmalloc(replay->size, GFP_KERNEL_ACCOUNT);
	if (!replay->buf) {
		kfree(replay);
		return NULL;
	}
	replay->cfg.cfg_rules.cr_instance = call->or_instance;
	replay->cfg.cfg_rules.cr_state = call->or_state;
	strscpy(replay->cfg.cfg_rules.cr_uuid, call->or_uuid, UUID_MAX);
	replay->cfg.cfg_last_idx = call->or_last;
	replay->cfg.cfg_dry_run = call->or_flags & OBD_REPLAY_DRY_RUN;
	replay->cfg.cfg_report = replay_report;
	replay->cfg.cfg_data = replay;
	return replay;
}

/**
 * obd_replay_ioctl() - OBD_IOC_REPLAY
 * @call: kernel copy of the call, copied back to the caller also on failure.
 *  or_exclude and or_buf still point to the caller's memory
 *
 * Context: may sleep, for as long as the commands of the log do
 * Return: 0; -EINVAL for an invalid call or file; -EBADF; -EFAULT; -ENOMEM; as
 *  class_config_parse_llog()
 */
long obd_replay_ioctl(struct obd_ioc_replay *call)
{
	struct obd_replay *replay;
	char *exclude;
	int rc;

	rc = replay_check(call);
	if (rc)
		return rc;
	exclude = replay_exclude(call);
	if (IS_ERR(exclude))
		return PTR_ERR(exclude);
	replay = replay_begin(call);
	if (!replay) {
		kfree(exclude);
		return -ENOMEM;
	}
	replay->cfg.cfg_rules.cr_exclude = exclude;
	rc = replay_finish(replay, call, replay_log(replay, call));
	kvfree(replay->buf);
	kfree(replay);
	kfree(exclude);
	return rc;
}
