// SPDX-License-Identifier: GPL-2.0-only
/*
 * The boundary: calls that are malformed in one place each, structures that are
 * older or newer than the module's, and memory that is not there.
 */
#include "shim_cmocka.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <shim/alloc.h>
#include <shim/log.h>
#include <shim/user.h>

#include "libcfs/libcfs_internal.h"
#include "params/params_internal.h"
#include "params_client.h"
#include "params_subject.h"

static struct subject s;
static struct client cl;

static int setup(void **state)
{
	client_open(&cl, 4096);
	return tree_setup(state) ?: subject_add(&s, "s");
}

static int teardown(void **state)
{
	client_close(&cl);
	subject_remove(&s);
	return tree_teardown(state);
}

/**
 * union args - the argument of any call
 */
union args {
	struct libcfs_ioc_hdr		hdr;
	struct params_ioc_list		pl;
	struct params_ioc_read		pr;
	struct params_ioc_read_batch	rb;
	struct params_ioc_write		pw;
	struct params_ioc_write_batch	wb;
	struct params_ioc_describe	pd;
	char				bytes[PAGE_SIZE + 64];
};

static union args args;
static struct client_batch batch;

/* A call that succeeds. Its value is s/u32 or a list of it. */
static void fill(unsigned int cmd)
{
	static const char path[] = "s/u32";
	u64 at = (unsigned long)path;

	memset(&args, 0, sizeof(args));
	shim_user_reset();
	shim_user_add(path, sizeof(path), false);
	shim_user_add(cl.buf, cl.size, true);
	batch = (struct client_batch){ .count = 0 };
	client_batch_add(&batch, "s/u32", "9", 0, 0);
	shim_user_add(&batch, sizeof(batch), false);
	args.hdr.ioh_abi = LIBCFS_ABI_VERSION;
	switch (cmd) {
	case PARAMS_IOC_LIST:
		args.pl = (struct params_ioc_list){
			.pl_hdr = args.hdr, .pl_path = at, .pl_path_len = 1,
			.pl_buf = (unsigned long)cl.buf, .pl_buf_len = cl.size,
			.pl_after = at + 2, .pl_after_len = 3,
		};
		break;
	case PARAMS_IOC_READ:
		args.pr = (struct params_ioc_read){
			.pr_hdr = args.hdr, .pr_path = at, .pr_path_len = 5,
			.pr_buf = (unsigned long)cl.buf, .pr_buf_len = cl.size,
		};
		break;
	case PARAMS_IOC_READ_BATCH:
		args.rb = (struct params_ioc_read_batch){
			.rb_hdr = args.hdr, .rb_paths = at, .rb_paths_len = 6,
			.rb_count = 1, .rb_buf = (unsigned long)cl.buf,
			.rb_buf_len = cl.size,
		};
		break;
	case PARAMS_IOC_WRITE:
		args.pw = (struct params_ioc_write){
			.pw_hdr = args.hdr, .pw_path = at, .pw_path_len = 5,
			.pw_value = at + 3, .pw_value_len = 2,
			.pw_reason = (unsigned long)cl.buf, .pw_reason_len = 256,
		};
		break;
	case PARAMS_IOC_WRITE_BATCH:
		args.wb = (struct params_ioc_write_batch){
			.bw_hdr = args.hdr, .bw_in = (unsigned long)batch.in,
			.bw_in_len = batch.in_len, .bw_count = 1,
			.bw_out = (unsigned long)cl.buf, .bw_out_len = cl.size,
		};
		break;
	case PARAMS_IOC_DESCRIBE:
		args.pd = (struct params_ioc_describe){
			.dsc_hdr = args.hdr, .dsc_path = at, .dsc_path_len = 5,
			.dsc_buf = (unsigned long)cl.buf, .dsc_buf_len = cl.size,
		};
		break;
	}
}

static long call(unsigned int cmd, size_t size)
{
	long rc;

	args.hdr.ioh_size = size;
	shim_user_add(&args, size, true);
	rc = libcfs_iocontrol(&cl.file, cmd, &args);
	shim_user_reset();
	return rc;
}

static const struct {
	unsigned int	cmd;
	size_t		size;
} calls[] = {
	{ PARAMS_IOC_LIST, sizeof(struct params_ioc_list) },
	{ PARAMS_IOC_READ, sizeof(struct params_ioc_read) },
	{ PARAMS_IOC_READ_BATCH, sizeof(struct params_ioc_read_batch) },
	{ PARAMS_IOC_WRITE, sizeof(struct params_ioc_write) },
	{ PARAMS_IOC_WRITE_BATCH, sizeof(struct params_ioc_write_batch) },
	{ PARAMS_IOC_DESCRIBE, sizeof(struct params_ioc_describe) },
};

static void all_calls_are_good_as_filled_in(void **state)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(calls); n++) {
		fill(calls[n].cmd);
		assert_int_equal(call(calls[n].cmd, calls[n].size), 0);
		/* Each write was one: of 32, and of 9. */
		assert_int_equal(s.u32, calls[n].cmd == PARAMS_IOC_WRITE ? 32 :
				 n > 3 ? 9 : 8);
	}
}

static void a_head_that_is_not_right_is_refused(void **state)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(calls); n++) {
		fill(calls[n].cmd);
		assert_int_equal(call(calls[n].cmd, 0), -EFAULT);
		fill(calls[n].cmd);
		assert_int_equal(call(calls[n].cmd, 7), -EFAULT);
		fill(calls[n].cmd);
		shim_user_add(&args, 8, true);
		assert_int_equal(call(calls[n].cmd, 7), -EINVAL);
		fill(calls[n].cmd);
		args.hdr.ioh_abi += 1 << 16;
		assert_int_equal(call(calls[n].cmd, calls[n].size), -EPROTO);
		fill(calls[n].cmd);
		assert_int_equal(call(calls[n].cmd, PAGE_SIZE + 1), -E2BIG);
		/* The head is there, and not all of the rest. */
		fill(calls[n].cmd);
		args.hdr.ioh_size = calls[n].size;
		shim_user_add(&args, calls[n].size - 1, true);
		assert_int_equal(libcfs_iocontrol(&cl.file, calls[n].cmd, &args),
				 -EFAULT);
		/* Type and number identify a command, not its size. */
		fill(calls[n].cmd);
		assert_int_equal(call(_IO(LIBCFS_IOC_MAGIC, _IOC_NR(calls[n].cmd)),
				      calls[n].size), 0);
		fill(calls[n].cmd);
		assert_int_equal(call(calls[n].cmd ^ 0x100, calls[n].size),
				 -ENOTTY);
	}
	fill(PARAMS_IOC_LIST);
	assert_int_equal(call(_IO(LIBCFS_IOC_MAGIC, 0x1f), 64), -ENOTTY);
	assert_int_equal(call(_IO(LIBCFS_IOC_MAGIC, 0xf0), 64), -ENOTTY);
}

/* A newer caller: bytes that the module does not know must be zero. */
static void a_longer_structure_must_end_in_zeros(void **state)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(calls); n++) {
		fill(calls[n].cmd);
		assert_int_equal(call(calls[n].cmd, calls[n].size + 40), 0);
		fill(calls[n].cmd);
		args.bytes[calls[n].size + 39] = 1;
		assert_int_equal(call(calls[n].cmd, calls[n].size + 40),
				 -E2BIG);
		fill(calls[n].cmd);
		assert_int_equal(call(calls[n].cmd, PAGE_SIZE), 0);
	}
}

/* An older caller: fields that it does not know are zero, and are not written. */
static void a_shorter_structure_has_zeros_behind_it(void **state)
{
	size_t n, size, i;

	for (n = 0; n < ARRAY_SIZE(calls); n++) {
		for (size = sizeof(args.hdr); size < calls[n].size; size += 4) {
			long rc;

			fill(calls[n].cmd);
			memset(args.bytes + size, 0x5a, 32);
			rc = call(calls[n].cmd, size);
			for (i = 0; i < 32; i++)
				assert_int_equal(args.bytes[size + i], 0x5a);
			assert_true(rc <= 0);
		}
	}
	/* All that LIST needs but pl_depth: the whole subtree. */
	fill(PARAMS_IOC_LIST);
	assert_int_equal(call(PARAMS_IOC_LIST,
			      offsetof(struct params_ioc_list, pl_depth)), 0);
}

/* Where in a structure something is, for the tables below. */
#define AT(type, member)	offsetof(struct type, member), \
	sizeof_field(struct type, member)
#define sizeof_field(type, member)	sizeof(((type *)0)->member)

struct wrong {
	unsigned int	cmd;
	size_t		at;
	size_t		bytes;
	u64		value;
	long		rc;
};

static const struct wrong wrongs[] = {
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_flags), 1, -EINVAL },
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_path), 8, -EFAULT },
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_path_len), 7, -EFAULT },
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_path_len), 4097, -ENAMETOOLONG },
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_path_len), ~0U, -ENAMETOOLONG },
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_path_len), 2, -EINVAL },
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_path_len), 5, -ENOTDIR },
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_path_len), 6, -EINVAL },
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_after), 8, -EFAULT },
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_after_len), 4, -EINVAL },
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_after_len), ~0U, -ENAMETOOLONG },
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_buf), 8, -EFAULT },
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_buf), ~0ULL, -EFAULT },
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_buf_len), 0, -EOVERFLOW },
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_buf_len), ~0U, -E2BIG },
	{ PARAMS_IOC_LIST, AT(params_ioc_list, pl_buf_len), (4 << 20) + 1, -E2BIG },
	{ PARAMS_IOC_READ, AT(params_ioc_read, pr_flags), 1, -EINVAL },
	{ PARAMS_IOC_READ, AT(params_ioc_read, pr_reserved), 1, -EINVAL },
	{ PARAMS_IOC_READ, AT(params_ioc_read, pr_path), 8, -EFAULT },
	{ PARAMS_IOC_READ, AT(params_ioc_read, pr_path_len), 0, -EISDIR },
	{ PARAMS_IOC_READ, AT(params_ioc_read, pr_path_len), ~0U, -ENAMETOOLONG },
	{ PARAMS_IOC_READ, AT(params_ioc_read, pr_buf), 8, -EFAULT },
	{ PARAMS_IOC_READ, AT(params_ioc_read, pr_buf_len), 0, -EOVERFLOW },
	{ PARAMS_IOC_READ, AT(params_ioc_read, pr_buf_len), ~0U, -E2BIG },
	{ PARAMS_IOC_READ, AT(params_ioc_read, pr_snapshot), 1, -ESTALE },
	{ PARAMS_IOC_READ, AT(params_ioc_read, pr_index), 2, -EINVAL },
	{ PARAMS_IOC_READ_BATCH, AT(params_ioc_read_batch, rb_flags), 2, -EINVAL },
	{ PARAMS_IOC_READ_BATCH, AT(params_ioc_read_batch, rb_paths), 8, -EFAULT },
	{ PARAMS_IOC_READ_BATCH, AT(params_ioc_read_batch, rb_paths_len), 5, -EINVAL },
	{ PARAMS_IOC_READ_BATCH, AT(params_ioc_read_batch, rb_paths_len), 0, -EINVAL },
	{ PARAMS_IOC_READ_BATCH, AT(params_ioc_read_batch, rb_paths_len), 7, -EFAULT },
	{ PARAMS_IOC_READ_BATCH, AT(params_ioc_read_batch, rb_paths_len), ~0U, -E2BIG },
	{ PARAMS_IOC_READ_BATCH, AT(params_ioc_read_batch, rb_count), 0, -EINVAL },
	{ PARAMS_IOC_READ_BATCH, AT(params_ioc_read_batch, rb_count), 2, -EINVAL },
	{ PARAMS_IOC_READ_BATCH, AT(params_ioc_read_batch, rb_count), 65536, -EINVAL },
	{ PARAMS_IOC_READ_BATCH, AT(params_ioc_read_batch, rb_count), 65537, -E2BIG },
	{ PARAMS_IOC_READ_BATCH, AT(params_ioc_read_batch, rb_after_len), 1, -EINVAL },
	{ PARAMS_IOC_READ_BATCH, AT(params_ioc_read_batch, rb_buf), 8, -EFAULT },
	{ PARAMS_IOC_READ_BATCH, AT(params_ioc_read_batch, rb_buf_len), 31, -EOVERFLOW },
	{ PARAMS_IOC_READ_BATCH, AT(params_ioc_read_batch, rb_buf_len), ~0U, -E2BIG },
	{ PARAMS_IOC_WRITE, AT(params_ioc_write, pw_flags), 8, -EINVAL },
	{ PARAMS_IOC_WRITE, AT(params_ioc_write, pw_reserved), 1, -EINVAL },
	{ PARAMS_IOC_WRITE, AT(params_ioc_write, pw_path), 8, -EFAULT },
	{ PARAMS_IOC_WRITE, AT(params_ioc_write, pw_path_len), ~0U, -ENAMETOOLONG },
	{ PARAMS_IOC_WRITE, AT(params_ioc_write, pw_value), 8, -EFAULT },
	{ PARAMS_IOC_WRITE, AT(params_ioc_write, pw_value_len), 0, -EINVAL },
	{ PARAMS_IOC_WRITE, AT(params_ioc_write, pw_value_len), 3, -EINVAL },
	{ PARAMS_IOC_WRITE, AT(params_ioc_write, pw_value_len), 4, -EFAULT },
	{ PARAMS_IOC_WRITE, AT(params_ioc_write, pw_value_len), ~0U, -E2BIG },
	{ PARAMS_IOC_WRITE_BATCH, AT(params_ioc_write_batch, bw_flags), 1, -EINVAL },
	{ PARAMS_IOC_WRITE_BATCH, AT(params_ioc_write_batch, bw_reserved), 1, -EINVAL },
	{ PARAMS_IOC_WRITE_BATCH, AT(params_ioc_write_batch, bw_in), 8, -EFAULT },
	{ PARAMS_IOC_WRITE_BATCH, AT(params_ioc_write_batch, bw_in_len), 0, -EINVAL },
	{ PARAMS_IOC_WRITE_BATCH, AT(params_ioc_write_batch, bw_in_len), 32, -EINVAL },
	{ PARAMS_IOC_WRITE_BATCH, AT(params_ioc_write_batch, bw_in_len), 48, -EINVAL },
	{ PARAMS_IOC_WRITE_BATCH, AT(params_ioc_write_batch, bw_in_len), ~0U, -E2BIG },
	{ PARAMS_IOC_WRITE_BATCH, AT(params_ioc_write_batch, bw_count), 0, -EINVAL },
	{ PARAMS_IOC_WRITE_BATCH, AT(params_ioc_write_batch, bw_count), 2, -EINVAL },
	{ PARAMS_IOC_WRITE_BATCH, AT(params_ioc_write_batch, bw_count), ~0U, -E2BIG },
	{ PARAMS_IOC_WRITE_BATCH, AT(params_ioc_write_batch, bw_out_len), 8, -EOVERFLOW },
	{ PARAMS_IOC_WRITE_BATCH, AT(params_ioc_write_batch, bw_out_len), ~0U, -E2BIG },
	{ PARAMS_IOC_DESCRIBE, AT(params_ioc_describe, dsc_flags), 1, -EINVAL },
	{ PARAMS_IOC_DESCRIBE, AT(params_ioc_describe, dsc_path), 8, -EFAULT },
	{ PARAMS_IOC_DESCRIBE, AT(params_ioc_describe, dsc_path_len), ~0U, -ENAMETOOLONG },
	{ PARAMS_IOC_DESCRIBE, AT(params_ioc_describe, dsc_buf), 8, -EFAULT },
	{ PARAMS_IOC_DESCRIBE, AT(params_ioc_describe, dsc_buf_len), 0, -EOVERFLOW },
};

static size_t size_of(unsigned int cmd)
{
	size_t n;

	for (n = 0; calls[n].cmd != cmd; n++)
		;
	return calls[n].size;
}

static void what_is_wrong_is_refused_and_does_nothing(void **state)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(wrongs); n++) {
		const struct wrong *w = &wrongs[n];
		long live, rc;

		fill(w->cmd);
		memcpy(args.bytes + w->at, &w->value, w->bytes);
		live = shim_alloc_live();
		rc = call(w->cmd, size_of(w->cmd));
		if (rc != w->rc)
			fail_msg("call %#x, byte %zu = %#llx: %ld, not %ld",
				 _IOC_NR(w->cmd), w->at, w->value, rc, w->rc);
		assert_int_equal(s.u32, 8);
		/* A snapshot may have been left by the read. */
		assert_true(shim_alloc_live() - live <= 2);
		params_reader_free(cl.file.lf_reader);
		cl.file.lf_reader = NULL;
		assert_int_equal(shim_alloc_live(), live);
	}
}

/* The result cannot be copied: every call fails. */
static void an_argument_that_cannot_be_written_faults(void **state)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(calls); n++) {
		fill(calls[n].cmd);
		args.hdr.ioh_size = calls[n].size;
		shim_user_add(&args, calls[n].size, false);
		assert_int_equal(libcfs_iocontrol(&cl.file, calls[n].cmd, &args),
				 -EFAULT);
	}
}

/* A buffer of which only a part is there: no byte beyond that is written. */
static void a_buffer_that_ends_early_faults(void **state)
{
	static const unsigned int cmds[] = {
		PARAMS_IOC_LIST, PARAMS_IOC_READ, PARAMS_IOC_READ_BATCH,
		PARAMS_IOC_WRITE_BATCH, PARAMS_IOC_DESCRIBE,
	};
	static const char path[] = "s/u32";
	size_t n;

	for (n = 0; n < ARRAY_SIZE(cmds); n++) {
		fill(cmds[n]);
		shim_user_reset();
		shim_user_add(&batch, sizeof(batch), false);
		shim_user_add((void *)(unsigned long)args.pr.pr_path,
			      sizeof(path), false);
		shim_user_add(cl.buf, 12, true);
		memset(cl.buf, 0x77, 64);
		assert_int_equal(call(cmds[n], size_of(cmds[n])), -EFAULT);
		assert_int_equal(cl.buf[12], 0x77);
	}
}

static void a_path_with_a_nul_is_refused(void **state)
{
	static const char path[] = "s\0u32";

	fill(PARAMS_IOC_READ);
	shim_user_add(path, sizeof(path), false);
	args.pr.pr_path = (unsigned long)path;
	assert_int_equal(call(PARAMS_IOC_READ, sizeof(args.pr)), -EINVAL);
}

/* Each invalid field of a write record: nothing is written. */
static void a_batch_with_a_bad_record_writes_nothing(void **state)
{
	static const struct {
		size_t	at;
		size_t	bytes;
		u64	value;
	} cases[] = {
		{ AT(params_write_rec, wr_len), 0 },
		{ AT(params_write_rec, wr_len), 8 },
		{ AT(params_write_rec, wr_len), 39 },
		{ AT(params_write_rec, wr_len), 48 },
		{ AT(params_write_rec, wr_len), ~0U },
		{ AT(params_write_rec, wr_flags), 4 },
		{ AT(params_write_rec, wr_value_len), 9 },
		{ AT(params_write_rec, wr_value_len), ~0U },
		{ AT(params_write_rec, wr_value_len), 0 },
		{ AT(params_write_rec, wr_path_len), 9 },
		{ AT(params_write_rec, wr_path_len), 0xffff },
		{ AT(params_write_rec, wr_reserved), 1 },
		{ AT(params_write_rec, wr_reserved2), 1 },
	};
	size_t n;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		fill(PARAMS_IOC_WRITE_BATCH);
		client_batch_add(&batch, "s/u32", "10", 0, 0);
		args.wb.bw_count = 2;
		args.wb.bw_in_len = batch.in_len;
		memcpy(batch.in + 40 + cases[n].at, &cases[n].value,
		       cases[n].bytes);
		assert_int_equal(call(PARAMS_IOC_WRITE_BATCH, sizeof(args.wb)),
				 -EINVAL);
		assert_int_equal(s.u32, 8);
	}
}

static void an_empty_batch_is_nothing(void **state)
{
	fill(PARAMS_IOC_WRITE_BATCH);
	args.wb.bw_count = 0;
	args.wb.bw_in_len = 0;
	args.wb.bw_out_len = 0;
	assert_int_equal(call(PARAMS_IOC_WRITE_BATCH, sizeof(args.wb)), 0);
	fill(PARAMS_IOC_WRITE_BATCH);
	args.wb.bw_count = 0;
	args.wb.bw_in_len = 0;
	args.wb.bw_flags = PARAMS_W_ATOMIC;
	assert_int_equal(call(PARAMS_IOC_WRITE_BATCH, sizeof(args.wb)), 0);
	assert_int_equal(args.wb.bw_failed, 0);
	fill(PARAMS_IOC_READ_BATCH);
	args.rb.rb_count = 0;
	args.rb.rb_paths_len = 0;
	assert_int_equal(call(PARAMS_IOC_READ_BATCH, sizeof(args.rb)), 0);
	assert_int_equal(args.rb.rb_eof, 1);
	assert_int_equal(args.rb.rb_used, 0);
}

static void a_subtree_may_have_its_nul_counted(void **state)
{
	static const char path[] = "s";
	u32 len;

	for (len = 1; len <= 2; len++) {
		fill(PARAMS_IOC_READ_BATCH);
		shim_user_add(path, sizeof(path), false);
		args.rb.rb_flags = PARAMS_RB_SUBTREE;
		args.rb.rb_paths = (unsigned long)path;
		args.rb.rb_paths_len = len;
		assert_int_equal(call(PARAMS_IOC_READ_BATCH, sizeof(args.rb)),
				 0);
		assert_true(args.rb.rb_used > 0);
	}
}

static void a_reason_has_no_more_room_than_there_is(void **state)
{
	u32 len;

	for (len = 0; len < 80; len++) {
		fill(PARAMS_IOC_WRITE);
		args.pw.pw_value_len = 3;	/* "32" and its NUL */
		args.pw.pw_reason_len = len;
		memset(cl.buf, 0x77, 256);
		assert_int_equal(call(PARAMS_IOC_WRITE, sizeof(args.pw)),
				 -EINVAL);
		assert_true(args.pw.pw_reason_len <= len);
		assert_int_equal(cl.buf[args.pw.pw_reason_len], 0x77);
	}
	/* Without a buffer for it, it is not returned. */
	fill(PARAMS_IOC_WRITE);
	args.pw.pw_value_len = 3;
	args.pw.pw_reason = 0;
	args.pw.pw_reason_len = 0;
	assert_int_equal(call(PARAMS_IOC_WRITE, sizeof(args.pw)), -EINVAL);
}

static long answers(struct libcfs_file *lf, unsigned int nr, void *arg,
		    size_t size)
{
	return nr == 0xf1 ? 0 : -ENOTTY;
}

static void ranges_of_numbers_do_not_overlap(void **state)
{
	struct libcfs_ioctl_range range = {
		.lir_name = "test", .lir_first = 0xf0, .lir_last = 0xff,
		.lir_handler = answers,
	};
	struct libcfs_ioctl_range other = {
		.lir_name = "other", .lir_first = 0x1f, .lir_last = 0xf0,
		.lir_handler = answers,
	};

	assert_int_equal(libcfs_register_ioctl(&range), 0);
	assert_int_equal(libcfs_register_ioctl(&other), -EBUSY);
	assert_int_equal(shim_log_count("overlaps"), 1);
	fill(PARAMS_IOC_LIST);
	assert_int_equal(call(_IO(LIBCFS_IOC_MAGIC, 0xf1), 8), 0);
	fill(PARAMS_IOC_LIST);
	assert_int_equal(call(_IO(LIBCFS_IOC_MAGIC, 0xf2), 8), -ENOTTY);
	libcfs_deregister_ioctl(&range);
	fill(PARAMS_IOC_LIST);
	assert_int_equal(call(_IO(LIBCFS_IOC_MAGIC, 0xf1), 8), -ENOTTY);
	range.lir_last = 0x100;
	assert_int_equal(libcfs_register_ioctl(&range), -EINVAL);
	range.lir_last = 0xe0;
	assert_int_equal(libcfs_register_ioctl(&range), -EINVAL);
}

int main(void)
{
#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(all_calls_are_good_as_filled_in),
		TEST(a_head_that_is_not_right_is_refused),
		TEST(a_longer_structure_must_end_in_zeros),
		TEST(a_shorter_structure_has_zeros_behind_it),
		TEST(what_is_wrong_is_refused_and_does_nothing),
		TEST(an_argument_that_cannot_be_written_faults),
		TEST(a_buffer_that_ends_early_faults),
		TEST(a_path_with_a_nul_is_refused),
		TEST(a_batch_with_a_bad_record_writes_nothing),
		TEST(an_empty_batch_is_nothing),
		TEST(a_subtree_may_have_its_nul_counted),
		TEST(a_reason_has_no_more_room_than_there_is),
		TEST(ranges_of_numbers_do_not_overlap),
	};

	return cmocka_run_group_tests_name("params_boundary", tests, NULL, NULL);
}
