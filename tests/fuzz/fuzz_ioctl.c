// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctl handler. An input is a sequence of calls by one open file, and of what happens
 * between them: the owner of the tree adds and removes, memory runs out, a signal comes, a
 * privilege goes. A call is valid at first; then the input may set each of its fields to any
 * value, and truncate the caller's memory anywhere.
 */
#include <linux/kernel.h>
#include <linux/uaccess.h>
#include <shim/alloc.h>
#include <shim/locks.h>
#include <shim/task.h>
#include <shim/user.h>
#include <lustre_lite/libcfs.h>

#include "libcfs/libcfs_internal.h"
#include "params/params_internal.h"
#include "fuzz_input.h"
#include "fuzz_ioctl.h"

#define BUF_SIZE	16384
#define PATHS_SIZE	2048
#define CANARY		0x7e
#define CALLS_MAX	24

/* The caller's memory: what may be read, and what may be written. */
static char paths[PATHS_SIZE] __attribute__((aligned(8)));
static char buf[BUF_SIZE] __attribute__((aligned(8)));
static union fuzz_args args;
static struct libcfs_file file;

static u64 address(const void *at)
{
	return (unsigned long)at;
}

/* A path out of those of the tree, or raw bytes; returns its length. */
static u32 put_path(struct fuzz_input *in, char *to)
{
	u8 which = fuzz_u8(in);
	u32 len;

	if (which < 0xf0) {
		const char *path = fuzz_tree_path(which);

		len = strlen(path);
		memcpy(to, path, len + 1);
		return len;
	}
	len = fuzz_u8(in) % 200;
	fuzz_bytes(in, to, len);
	return len;
}

/* A value as a person types it, or a typed record, or raw bytes. */
static u32 put_value(struct fuzz_input *in, char *to, bool typed)
{
	static const char *const texts[] = {
		"1", "50", "300", "-1", "red", "+green", "on", "1.5G", "10%",
		"clear", "100ms", "a text", "", "0x10",
	};
	struct params_value_rec *rec = (void *)to;
	u8 which = fuzz_u8(in);
	u32 len;

	if (typed && which < 0xf0) {
		memset(rec, 0, sizeof(*rec) + 24);
		rec->vr_type = which % 14;
		rec->vr_len = which & 16 ? 16 : 8;
		len = sizeof(*rec) + rec->vr_len;
		fuzz_bytes(in, rec + 1, rec->vr_len);
		return len;
	}
	if (which < 0xf0) {
		len = strlen(texts[which % ARRAY_SIZE(texts)]);
		memcpy(to, texts[which % ARRAY_SIZE(texts)], len);
		return len;
	}
	len = fuzz_u8(in);
	fuzz_bytes(in, to, len);
	return len;
}

static u32 put_write_rec(struct fuzz_input *in, char *to, u8 flags)
{
	struct params_write_rec *rec = (void *)to;
	char path[256];
	char value[256] __attribute__((aligned(8)));
	size_t path_len = put_path(in, path);
	size_t len = put_value(in, value, flags & PARAMS_W_TYPED);

	memset(rec, 0, sizeof(*rec));
	rec->wr_flags = flags & (PARAMS_W_TYPED | PARAMS_W_VERSION);
	rec->wr_version = flags >> 4;
	rec->wr_path_len = path_len;
	rec->wr_value_len = len;
	rec->wr_len = sizeof(*rec) + PARAMS_ALIGN(path_len) + PARAMS_ALIGN(len);
	memcpy(rec->wr_data, path, path_len);
	memcpy(rec->wr_data + PARAMS_ALIGN(path_len), value, len);
	return rec->wr_len;
}

static void fill_list(struct fuzz_input *in, u32 room)
{
	args.pl.pl_path = address(paths);
	args.pl.pl_path_len = put_path(in, paths);
	args.pl.pl_after = address(paths + 512);
	if (fuzz_u8(in) & 1)
		args.pl.pl_after_len = put_path(in, paths + 512);
	args.pl.pl_depth = fuzz_u8(in) % 4;
	args.pl.pl_buf = address(buf);
	args.pl.pl_buf_len = room;
}

static void fill_read(struct fuzz_input *in, u32 room)
{
	/* Going on is with what the last call left in the argument. */
	if (!(fuzz_u8(in) & 1)) {
		memset(&args, 0, sizeof(args));
		args.pr.pr_path = address(paths);
		args.pr.pr_path_len = put_path(in, paths);
	}
	args.pr.pr_flags = 0;
	args.pr.pr_reserved = 0;
	args.pr.pr_buf = address(buf);
	args.pr.pr_buf_len = room;
}

static void fill_read_batch(struct fuzz_input *in, u32 room)
{
	u8 count = fuzz_u8(in) % 8;
	u32 len = 0;

	args.rb.rb_paths = address(paths);
	args.rb.rb_buf = address(buf);
	args.rb.rb_buf_len = room;
	if (count & 1) {
		args.rb.rb_flags = PARAMS_RB_SUBTREE;
		args.rb.rb_paths_len = put_path(in, paths);
		args.rb.rb_after = address(paths + 512);
		if (count & 2)
			args.rb.rb_after_len = put_path(in, paths + 512);
		return;
	}
	args.rb.rb_count = count;
	args.rb.rb_next = fuzz_u8(in) % 4;
	while (count--) {
		len += put_path(in, paths + len);
		paths[len++] = '\0';
	}
	args.rb.rb_paths_len = len;
}

static void fill_write(struct fuzz_input *in, u32 room)
{
	args.pw.pw_path = address(paths);
	args.pw.pw_path_len = put_path(in, paths);
	args.pw.pw_flags = fuzz_u8(in) % 8;
	args.pw.pw_version = fuzz_u8(in) % 8;
	args.pw.pw_value = address(paths + 512);
	args.pw.pw_value_len = put_value(in, paths + 512,
					 args.pw.pw_flags & PARAMS_W_TYPED);
	args.pw.pw_reason = address(buf);
	args.pw.pw_reason_len = room;
}

static void fill_write_batch(struct fuzz_input *in, u32 room)
{
	u8 count = fuzz_u8(in);
	u32 len = 0;

	args.wb.bw_flags = count & (PARAMS_W_DRY_RUN | PARAMS_W_ATOMIC);
	/* No bad record among them may write beyond @paths. */
	for (count %= 3; count; count--) {
		len += put_write_rec(in, paths + len, fuzz_u8(in));
		args.wb.bw_count++;
	}
	args.wb.bw_in = address(paths);
	args.wb.bw_in_len = len;
	args.wb.bw_out = address(buf);
	args.wb.bw_out_len = room;
}

static void fill_describe(struct fuzz_input *in, u32 room)
{
	args.pd.dsc_path = address(paths);
	args.pd.dsc_path_len = put_path(in, paths);
	args.pd.dsc_buf = address(buf);
	args.pd.dsc_buf_len = room;
}

static const struct {
	unsigned int	cmd;
	u32		size;
	void		(*fill)(struct fuzz_input *in, u32 room);
} calls[] = {
	{ PARAMS_IOC_LIST, sizeof(args.pl), fill_list },
	{ PARAMS_IOC_READ, sizeof(args.pr), fill_read },
	{ PARAMS_IOC_READ_BATCH, sizeof(args.rb), fill_read_batch },
	{ PARAMS_IOC_WRITE, sizeof(args.pw), fill_write },
	{ PARAMS_IOC_WRITE_BATCH, sizeof(args.wb), fill_write_batch },
	{ PARAMS_IOC_DESCRIBE, sizeof(args.pd), fill_describe },
};

/* Fields, memory and circumstances, each with a little of the input. */
static void spoil(struct fuzz_input *in, u32 *known, u32 *readable,
		  u32 *writable, u8 times)
{
	while (times--) {
		u8 what = fuzz_u8(in);
		u32 val = fuzz_u32(in);

		switch (what % 8) {
		case 0:
		case 1:
			memcpy(args.bytes + what / 8 % 20 * 4, &val, sizeof(val));
			break;
		case 2:
			args.bytes[fuzz_u8(in) % 64] = val;
			break;
		case 3:
			*known = val % sizeof(args);
			break;
		case 4:
			*readable = val % (PATHS_SIZE + 1);
			break;
		case 5:
			*writable = val % (BUF_SIZE + 1);
			break;
		case 6:
			shim_alloc_fail(val % 8);
			break;
		case 7:
			shim_task()->signals_after = val % 16;
			shim_task()->capable = !(val & 16);
			break;
		}
	}
}

/* Bytes after those that the call reports as filled are unchanged. */
static void check_canary(u32 from)
{
	for (; from < BUF_SIZE; from++)
		FUZZ_CHECK(buf[from] == CANARY);
}

static void call(struct fuzz_input *in, u8 what)
{
	static const u32 rooms[] = { 4096, 0, 8, 16, 24, 40, 100, BUF_SIZE };
	unsigned int n = what % ARRAY_SIZE(calls);
	u32 known = calls[n].size, readable = PATHS_SIZE, writable = BUF_SIZE;
	union fuzz_args before;
	u8 mode = fuzz_u8(in);
	long rc;

	memset(buf, CANARY, sizeof(buf));
	if (calls[n].cmd != PARAMS_IOC_READ)
		memset(&args, 0, sizeof(args));
	calls[n].fill(in, rooms[mode % 8]);
	args.hdr.ioh_abi = LIBCFS_ABI_VERSION;
	args.hdr.ioh_size = known;
	spoil(in, &known, &readable, &writable, mode / 8 % 4);
	if (mode & 0x80)
		args.hdr.ioh_size = known;
	shim_user_add(&args, min_t(u32, known, sizeof(args)), true);
	shim_user_add(paths, readable, false);
	shim_user_add(buf, writable, true);
	before = args;
	rc = libcfs_iocontrol(&file, calls[n].cmd, &args);
	/* Fields of a cut structure were not given, so nor can they be judged. */
	if (before.hdr.ioh_size >= calls[n].size)
		fuzz_check_answer(calls[n].cmd, &before, &args, buf, rc);
	else
		fuzz_check_errno(rc);
	if (writable < BUF_SIZE)
		check_canary(writable);
	shim_user_reset();
	shim_alloc_fail(0);
	shim_task()->signals_after = 0;
	shim_task()->capable = true;
	FUZZ_CHECK(!shim_locks_held(SHIM_RWSEM) && !shim_locks_held(SHIM_MUTEX));
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	shim_cpus = 1;
	fuzz_tree_init();
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_input in = { data, size };
	long live = shim_alloc_live();
	unsigned int n;

	for (n = 0; n < CALLS_MAX && in.left; n++) {
		u8 what = fuzz_u8(&in);

		if (what & 0x80)
			fuzz_tree_act(&in);
		else
			call(&in, what);
	}
	/* Remove all objects that the input created; none is left. */
	params_reader_free(file.lf_reader);
	file.lf_reader = NULL;
	params_delete_entry(NULL, "dyn");
	params_delete_entry(NULL, "link");
	fuzz_tree_reset();
	memset(&args, 0, sizeof(args));
	FUZZ_CHECK(shim_alloc_live() == live);
	return 0;
}
