// SPDX-License-Identifier: GPL-2.0-only
/* The calls of the tree that read, from the other side of the boundary. */
#include "shim_cmocka.h"

#include <stdlib.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <shim/alloc.h>
#include <shim/task.h>
#include <shim/user.h>

#include "libcfs/libcfs_internal.h"
#include "params/params_internal.h"
#include "params_client.h"
#include "params_subject.h"

static struct subject s;
static struct client cl;

static int setup(void **state)
{
	client_open(&cl, 64 * 1024);
	return tree_setup(state) ?: subject_add(&s, "s");
}

static int teardown(void **state)
{
	client_close(&cl);
	subject_remove(&s);
	return tree_teardown(state);
}

/* The names of a listing, joined by blanks. */
static const char *names(void)
{
	static char text[4096];
	const struct params_list_rec *rec;
	size_t len = 0;
	u32 n;

	text[0] = '\0';
	for (n = 0; (rec = client_list_rec(&cl, n)); n++)
		len += scnprintf(text + len, sizeof(text) - len, "%s%.*s",
				 n ? " " : "", rec->lr_name_len, rec->lr_name);
	return text;
}

static const struct params_list_rec *list_find(const char *name)
{
	const struct params_list_rec *rec;
	u32 n;

	for (n = 0; (rec = client_list_rec(&cl, n)); n++)
		if (rec->lr_name_len == strlen(name) &&
		    !memcmp(rec->lr_name, name, strlen(name)))
			return rec;
	fail_msg("no %s in %s", name, names());
	return NULL;
}

#define ALL_OF_S \
	"big bool born bytes enum field mask records ro s32 s64 secret stats " \
	"string time trigger u32 u64 volatile wo"

static void list_is_sorted_and_complete(void **state)
{
	struct params_ioc_list pl;

	assert_int_equal(client_list(&cl, &pl, "s", NULL, 1), 0);
	assert_string_equal(names(), ALL_OF_S);
	assert_int_equal(pl.pl_count, 20);
	assert_int_equal(pl.pl_eof, 1);
	assert_int_equal(client_list(&cl, &pl, "", NULL, 1), 0);
	assert_string_equal(names(), "s");
	assert_int_equal(client_list(&cl, &pl, "", NULL, 0), 0);
	assert_string_equal(names(), "s " ALL_OF_S);
}

static void list_tells_what_an_entry_is(void **state)
{
	struct params_ioc_list pl;

	assert_int_equal(client_list(&cl, &pl, "", NULL, 0), 0);
	assert_int_equal(list_find("s")->lr_mode, S_IFDIR | 0555);
	assert_int_equal(list_find("s")->lr_type, PARAMS_T_DIR);
	assert_int_equal(list_find("s")->lr_depth, 0);
	assert_int_equal(list_find("u32")->lr_mode, S_IFREG | 0644);
	assert_int_equal(list_find("u32")->lr_type, PARAMS_T_U32);
	assert_int_equal(list_find("u32")->lr_depth, 1);
	assert_int_equal(list_find("u32")->lr_flags, PARAMS_EF_TUNABLE);
	assert_int_equal(list_find("ro")->lr_flags, 0);
	assert_int_equal(list_find("stats")->lr_flags, 0);
	assert_int_equal(list_find("volatile")->lr_flags, PARAMS_EF_VOLATILE);
	/* A listing shows names to every user, and runs no callback. */
	assert_int_equal(list_find("secret")->lr_mode, S_IFREG | 0600);
	assert_int_equal(s.calls, 0);
}

/* With a buffer of any size: each entry once, in order, and an end. */
static void list_resumes_with_any_room(void **state)
{
	struct params_ioc_list pl;
	char all[4096];
	size_t room;

	client_list(&cl, &pl, "", NULL, 0);
	strscpy(all, names(), sizeof(all));
	for (room = 24; room < 200; room += 8) {
		char got[4096] = "";
		char after[256] = "";

		cl.size = room;
		do {
			const struct params_list_rec *rec;
			u32 n;

			assert_int_equal(client_list(&cl, &pl, "", *after ? after : NULL,
						     0), 0);
			for (n = 0; (rec = client_list_rec(&cl, n)); n++) {
				sprintf(got + strlen(got), "%s%.*s",
					*got ? " " : "", rec->lr_name_len,
					rec->lr_name);
				sprintf(after, "%s%.*s",
					rec->lr_depth ? "s/" : "",
					rec->lr_name_len, rec->lr_name);
			}
			assert_int_equal(n, pl.pl_count);
			assert_true(n || pl.pl_eof);
		} while (!pl.pl_eof);
		assert_string_equal(got, all);
	}
}

static void list_says_what_it_needs(void **state)
{
	struct params_ioc_list pl;

	cl.size = 16;
	assert_int_equal(client_list(&cl, &pl, "s", NULL, 1), -EOVERFLOW);
	assert_int_equal(pl.pl_buf_len, 24);
	cl.size = 24;
	assert_int_equal(client_list(&cl, &pl, "s", NULL, 1), 0);
	assert_string_equal(names(), "big");
	assert_int_equal(pl.pl_eof, 0);
}

static void values_of_every_type_read(void **state)
{
	static const struct {
		const char	*path;
		u8		type;
		u8		rec;
		const char	*text;
	} cases[] = {
		{ "s/u32", PARAMS_T_U32, PARAMS_V_U64, "8" },
		{ "s/u64", PARAMS_T_U64, PARAMS_V_HEX, "0xabc" },
		{ "s/s32", PARAMS_T_S32, PARAMS_V_S64, "-5" },
		{ "s/s64", PARAMS_T_S64, PARAMS_V_S64, "-50" },
		{ "s/bool", PARAMS_T_BOOL, PARAMS_V_BOOL, "1" },
		{ "s/enum", PARAMS_T_ENUM, PARAMS_V_STRING, "blue" },
		{ "s/mask", PARAMS_T_MASK, PARAMS_V_STRING, "red blue" },
		{ "s/bytes", PARAMS_T_BYTES, PARAMS_V_STRING, "1.5" },
		{ "s/time", PARAMS_T_TIME, PARAMS_V_TIME, "1500000000ns" },
		{ "s/string", PARAMS_T_STRING, PARAMS_V_STRING, "some text" },
		{ "s/field", PARAMS_T_U32, PARAMS_V_U64, "42" },
	};
	struct params_ioc_read pr;
	char text[64];
	size_t n;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		assert_int_equal(client_get(&cl, cases[n].path, text,
					    sizeof(text)), 0);
		assert_string_equal(text, cases[n].text);
		assert_int_equal(client_read(&cl, &pr, cases[n].path), 0);
		assert_int_equal(pr.pr_type, cases[n].type);
		assert_int_equal(pr.pr_eof, 1);
		assert_int_equal(pr.pr_index, 1);
		assert_int_equal(pr.pr_snapshot, 0);
		assert_int_equal(pr.pr_mode, S_IFREG | 0644);
		assert_int_equal(client_value_rec(cl.buf, cl.used, 0)->vr_type,
				 cases[n].rec);
	}
}

static void values_of_masks_and_enums_without_a_name(void **state)
{
	char text[64];

	s.mask = 0;
	client_get(&cl, "s/mask", text, sizeof(text));
	assert_string_equal(text, "0");
	s.mask = 0x15;
	client_get(&cl, "s/mask", text, sizeof(text));
	assert_string_equal(text, "red 0x14");
	/* and it can be written back */
	assert_int_equal(client_set(&cl, "s/mask", text), 0);
	assert_int_equal(s.mask, 0x15);
	s.colour = 17;
	assert_int_equal(client_get(&cl, "s/enum", text, sizeof(text)), 0);
	assert_string_equal(text, "17");
}

static void an_error_of_a_callback_is_the_readers(void **state)
{
	static const char *const paths[] = {
		"s/u32", "s/s64", "s/bool", "s/enum", "s/mask", "s/bytes",
		"s/time", "s/string", "s/big", "s/records",
	};
	struct params_ioc_read pr;
	size_t n;

	s.fail = -EREMOTEIO;
	for (n = 0; n < ARRAY_SIZE(paths); n++) {
		assert_int_equal(client_read(&cl, &pr, paths[n]), -EREMOTEIO);
		assert_int_equal(pr.pr_used, 0);
	}
	assert_int_equal(client_read(&cl, &pr, "s/stats"), -ENODEV);
	assert_int_equal(client_read(&cl, &pr, "s/field"), 0);
}

/* All records from the first call on, with a buffer of any size; returns their number. */
static u32 read_all(struct params_ioc_read *pr, const char *path,
		    size_t *text_len)
{
	u32 records = 0;
	u32 n;

	*text_len = 0;
	assert_int_equal(client_read(&cl, pr, path), 0);
	for (;;) {
		const struct params_value_rec *rec;

		for (n = 0; (rec = client_value_rec(cl.buf, cl.used, n)); n++)
			if (rec->vr_type == PARAMS_V_STRING)
				*text_len += rec->vr_len;
		records += n;
		assert_int_equal(pr->pr_index, records);
		if (pr->pr_eof)
			return records;
		assert_true(n > 0);
		assert_true(pr->pr_snapshot);
		assert_int_equal(client_read_on(&cl, pr), 0);
	}
}

static void a_big_value_comes_whole_in_chunks(void **state)
{
	static const size_t sizes[] = { 0, 1, 1000, 70000, 10 << 20 };
	struct params_ioc_read pr;
	size_t n, len;

	for (n = 0; n < ARRAY_SIZE(sizes); n++) {
		s.big = sizes[n];
		s.calls = 0;
		read_all(&pr, "s/big", &len);
		assert_int_equal(len, sizes[n]);
		assert_int_equal(s.calls, 1);
	}
	s.records = 5000;
	cl.size = 48;
	assert_int_equal(read_all(&pr, "s/records", &len), 5002);
}

static void a_value_above_the_limit_is_refused(void **state)
{
	struct params_ioc_read pr;

	s.big = PARAMS_VALUE_MAX;
	assert_int_equal(client_read(&cl, &pr, "s/big"), -E2BIG);
}

static void a_read_says_what_it_needs(void **state)
{
	struct params_ioc_read pr;

	cl.size = 8;
	assert_int_equal(client_read(&cl, &pr, "s/string"), -EOVERFLOW);
	assert_int_equal(pr.pr_buf_len, 24);
	/* The value waits meanwhile, and is not taken a second time. */
	cl.size = pr.pr_buf_len;
	assert_int_equal(client_read_on(&cl, &pr), 0);
	assert_int_equal(pr.pr_eof, 1);
	assert_int_equal(s.calls, 1);
}

static void a_read_may_go_back_in_its_snapshot(void **state)
{
	struct params_ioc_read pr;
	u64 id;

	s.records = 20;
	cl.size = 24 * 4;
	assert_int_equal(client_read(&cl, &pr, "s/records"), 0);
	id = pr.pr_snapshot;
	assert_int_equal(client_read_on(&cl, &pr), 0);
	pr.pr_index = 1;
	assert_int_equal(client_read_on(&cl, &pr), 0);
	assert_int_equal(*(const u64 *)client_value(
				client_value_rec(cl.buf, cl.used, 0)), 0);
	assert_int_equal(pr.pr_snapshot, id);
	pr.pr_index = 23;
	assert_int_equal(client_read_on(&cl, &pr), -EINVAL);
	pr.pr_index = 22;
	assert_int_equal(client_read_on(&cl, &pr), 0);
	assert_int_equal(pr.pr_used, 0);
	assert_int_equal(pr.pr_eof, 1);
}

/* A value without records is a single empty one. */
static void an_empty_value_has_no_second_record(void **state)
{
	static const char path[] = "s/big";
	struct params_ioc_read pr;

	s.big = 0;
	assert_int_equal(client_read(&cl, &pr, "s/big"), 0);
	assert_int_equal(pr.pr_eof, 1);
	assert_int_equal(pr.pr_used, 0);
	memset(&pr, 0, sizeof(pr));
	pr.pr_path = (unsigned long)path;
	pr.pr_path_len = strlen(path);
	pr.pr_index = 1;
	shim_user_add(path, sizeof(path), false);
	assert_int_equal(client_call(&cl, PARAMS_IOC_READ, &pr, sizeof(pr)),
			 -EINVAL);
}

static void batch_reads_paths_in_order(void **state)
{
	static const char paths[] = "s/u32\0s\0s/no\0s/wo\0s/string\0s//u32";
	static const int status[] = {
		0, -EISDIR, -ENOENT, -EACCES, 0, -EINVAL,
	};
	struct params_ioc_read_batch rb;
	const struct params_entry_rec *rec;
	u32 n;

	assert_int_equal(client_read_paths(&cl, &rb, paths, sizeof(paths), 6, 0),
			 0);
	assert_int_equal(rb.rb_eof, 1);
	assert_int_equal(rb.rb_next, 6);
	for (n = 0; (rec = client_entry_rec(&cl, n)); n++) {
		assert_int_equal(rec->er_status, status[n]);
		assert_int_equal(rec->er_index, n);
		assert_int_equal(rec->er_name_len, 0);
		if (rec->er_status)
			assert_int_equal(rec->er_len, sizeof(*rec));
	}
	assert_int_equal(n, 6);
	assert_int_equal(*(const u64 *)client_value(
				client_value_rec(client_entry_rec(&cl, 0)->er_data,
						 16, 0)), 8);
}

static void batch_resumes_with_any_room(void **state)
{
	static const char paths[] = "s/u32\0s/no\0s/string\0s/s32";
	struct params_ioc_read_batch rb;
	size_t room;

	for (room = 40; room < 200; room += 8) {
		u32 next = 0;
		u32 seen = 0;

		cl.size = room;
		do {
			const struct params_entry_rec *rec;
			u32 n;

			assert_int_equal(client_read_paths(&cl, &rb, paths,
							   sizeof(paths), 4,
							   next), 0);
			for (n = 0; (rec = client_entry_rec(&cl, n)); n++)
				assert_int_equal(rec->er_index, seen++);
			next = rb.rb_next;
			assert_int_equal(next, seen);
		} while (!rb.rb_eof);
		assert_int_equal(seen, 4);
	}
	cl.size = 24;
	assert_int_equal(client_read_paths(&cl, &rb, paths, sizeof(paths), 4, 0),
			 -EOVERFLOW);
	assert_int_equal(rb.rb_buf_len, 32);
}

static void batch_leaves_big_values_to_a_snapshot(void **state)
{
	static const char paths[] = "s/u32\0s/big\0s/s32";
	const struct params_entry_rec *rec;
	struct params_ioc_read_batch rb;
	struct params_ioc_read pr = { .pr_index = 0 };
	size_t len = 0;

	s.big = 200000;
	assert_int_equal(client_read_paths(&cl, &rb, paths, sizeof(paths), 3, 0),
			 0);
	rec = client_entry_rec(&cl, 1);
	assert_true(rec->er_flags & PARAMS_EF_MORE);
	assert_int_equal(rec->er_len, sizeof(*rec) + sizeof(u64));
	assert_null(client_entry_rec(&cl, 2));
	assert_int_equal(rb.rb_eof, 0);
	assert_int_equal(rb.rb_next, 2);
	memcpy(&pr.pr_snapshot, rec->er_data, sizeof(u64));
	while (!pr.pr_eof) {
		u32 n;

		assert_int_equal(client_read_on(&cl, &pr), 0);
		for (n = 0; client_value_rec(cl.buf, cl.used, n); n++)
			len += client_value_rec(cl.buf, cl.used, n)->vr_len;
	}
	assert_int_equal(len, 200000);
	assert_int_equal(client_read_paths(&cl, &rb, paths, sizeof(paths), 3, 2),
			 0);
	assert_int_equal(client_entry_rec(&cl, 0)->er_index, 2);
	assert_int_equal(s.calls, 3);
}

/* The middle of a batch's buffer, where the kernel's own is used up. */
static void batch_of_many_values_has_them_all(void **state)
{
	char paths[3000 * 8];
	struct params_ioc_read_batch rb;
	const struct params_entry_rec *rec;
	size_t len = 0;
	u32 n;

	for (n = 0; n < 3000; n++) {
		strcpy(paths + len, n % 3 ? "s/u32" : "s/big");
		len += 6;
	}
	s.big = 900;
	cl.buf = realloc(cl.buf, 4 << 20);
	cl.size = 4 << 20;
	assert_int_equal(client_read_paths(&cl, &rb, paths, len, 3000, 0), 0);
	assert_int_equal(rb.rb_eof, 1);
	len = 0;
	for (n = 0; len < cl.used; n++) {
		const struct params_value_rec *val;

		rec = (const void *)(cl.buf + len);
		assert_int_equal(rec->er_status, 0);
		assert_int_equal(rec->er_index, n);
		val = client_value_rec(rec->er_data, rec->er_len - sizeof(*rec),
				       0);
		assert_int_equal(val->vr_len, n % 3 ? 8 : 900);
		len += rec->er_len;
	}
	assert_int_equal(n, 3000);
}

static void subtree_has_values_but_of_what_must_not_be_read(void **state)
{
	struct params_ioc_read_batch rb;
	const struct params_entry_rec *rec;
	unsigned int values = 0;
	u32 n;

	assert_int_equal(params_add_link(s.dir, "z", "s/u32"), 0);
	assert_int_equal(client_read_subtree(&cl, &rb, "", NULL), 0);
	assert_int_equal(rb.rb_eof, 1);
	for (n = 0; (rec = client_entry_rec(&cl, n)); n++) {
		bool bare = S_ISDIR(rec->er_mode) || S_ISLNK(rec->er_mode) ||
			    (rec->er_flags & PARAMS_EF_VOLATILE) ||
			    !(rec->er_mode & 0444);
		size_t head = sizeof(*rec) + PARAMS_ALIGN((size_t)rec->er_name_len);

		assert_int_equal(rec->er_status,
				 S_ISREG(rec->er_mode) &&
				 !(rec->er_mode & 0444) ? -EACCES : 0);
		assert_int_equal(rec->er_index, !S_ISDIR(rec->er_mode));
		assert_int_equal(rec->er_len == head, bare);
		values += !bare;
	}
	assert_int_equal(n, 22);
	assert_int_equal(values, 17);
}

static void subtree_resumes_after_a_path(void **state)
{
	struct params_ioc_read_batch rb;
	char got[1024] = "";
	char after[64] = "";
	size_t room = 120;

	do {
		const struct params_entry_rec *rec;
		u32 n;

		cl.size = room;
		assert_int_equal(client_read_subtree(&cl, &rb, "",
						     *after ? after : NULL), 0);
		for (n = 0; (rec = client_entry_rec(&cl, n)); n++) {
			sprintf(got + strlen(got), "%s%.*s", *got ? " " : "",
				rec->er_name_len, rec->er_data);
			sprintf(after, "%s%.*s", rec->er_index ? "s/" : "",
				rec->er_name_len, rec->er_data);
		}
		assert_true(n || rb.rb_eof);
	} while (!rb.rb_eof);
	assert_string_equal(got, "s " ALL_OF_S);
}

static const struct params_value_rec *described(const char *name)
{
	const struct params_value_rec *rec;
	u32 n;

	for (n = 0; (rec = client_value_rec(cl.buf, cl.used, n)); n++)
		if (rec->vr_name_len == strlen(name) &&
		    !memcmp(rec + 1, name, strlen(name)))
			return rec;
	return NULL;
}

static void assert_described(const char *name, const char *text)
{
	const struct params_value_rec *rec = described(name);

	assert_non_null(rec);
	assert_int_equal(rec->vr_type, PARAMS_V_STRING);
	assert_int_equal(rec->vr_len, strlen(text));
	assert_memory_equal(client_value(rec), text, rec->vr_len);
}

static u64 described_number(const char *name)
{
	const struct params_value_rec *rec = described(name);

	assert_non_null(rec);
	return *(const u64 *)client_value(rec);
}

static void describe_tells_what_is_declared(void **state)
{
	struct params_ioc_describe pd;

	assert_int_equal(client_describe(&cl, &pd, "s/u32"), 0);
	assert_described("type", "u32");
	assert_described("unit", "reqs");
	assert_described("doc", "requests");
	assert_int_equal(described_number("mode"), 0644);
	assert_int_equal(described_number("min"), 1);
	assert_int_equal(described_number("max"), 256);
	assert_int_equal(described_number("default"), 8);
	assert_int_equal(client_describe(&cl, &pd, "s/enum"), 0);
	assert_described("default", "blue");
	assert_non_null(described("values"));
	/* Limits are in the unit that the value prints in. */
	assert_int_equal(client_describe(&cl, &pd, "s/bytes"), 0);
	assert_described("unit", "MiB");
	assert_int_equal(described_number("max"), 1 << 20);
	assert_int_equal(client_describe(&cl, &pd, "s"), 0);
	assert_described("type", "directory");
	assert_null(described("unit"));
	/* No callback runs, and no privilege is needed. */
	shim_task()->capable = false;
	assert_int_equal(client_describe(&cl, &pd, "s/secret"), 0);
	assert_int_equal(s.calls, 0);
}

static void describe_says_what_it_needs(void **state)
{
	struct params_ioc_describe pd;

	cl.size = 16;
	assert_int_equal(client_describe(&cl, &pd, "s/u32"), -EOVERFLOW);
	cl.size = pd.dsc_buf_len;
	assert_int_equal(client_describe(&cl, &pd, "s/u32"), 0);
	assert_int_equal(pd.dsc_used, cl.size);
}

static void links_are_followed_to_values(void **state)
{
	struct params_ioc_describe pd;
	struct params_ioc_list pl;
	char text[64];

	assert_int_equal(params_add_link(NULL, "l", "s/u32"), 0);
	assert_int_equal(params_add_link(NULL, "d", "s"), 0);
	assert_int_equal(client_get(&cl, "l", text, sizeof(text)), 0);
	assert_string_equal(text, "8");
	assert_int_equal(client_get(&cl, "d/u32", text, sizeof(text)), 0);
	assert_int_equal(client_set(&cl, "l", "9"), 0);
	assert_int_equal(s.u32, 9);
	assert_int_equal(client_describe(&cl, &pd, "l"), 0);
	assert_described("target", "s/u32");
	assert_int_equal(client_list(&cl, &pl, "", NULL, 0), 0);
	assert_int_equal(list_find("l")->lr_mode, S_IFLNK | 0644);
	assert_int_equal(list_find("l")->lr_type, PARAMS_T_U32);
	/* A listing through a link shows its target. */
	assert_int_equal(client_list(&cl, &pl, "d", NULL, 1), 0);
	assert_string_equal(names(), ALL_OF_S);
}

static void a_signal_ends_a_long_call(void **state)
{
	struct params_ioc_read_batch rb;

	shim_task()->signals_after = 3;
	assert_int_equal(client_read_subtree(&cl, &rb, "", NULL), -EINTR);
	shim_task()->signals_after = 0;
}

int main(void)
{
#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(list_is_sorted_and_complete),
		TEST(list_tells_what_an_entry_is),
		TEST(list_resumes_with_any_room),
		TEST(list_says_what_it_needs),
		TEST(values_of_every_type_read),
		TEST(values_of_masks_and_enums_without_a_name),
		TEST(an_error_of_a_callback_is_the_readers),
		TEST(a_big_value_comes_whole_in_chunks),
		TEST(a_value_above_the_limit_is_refused),
		TEST(a_read_says_what_it_needs),
		TEST(a_read_may_go_back_in_its_snapshot),
		TEST(an_empty_value_has_no_second_record),
		TEST(batch_reads_paths_in_order),
		TEST(batch_resumes_with_any_room),
		TEST(batch_leaves_big_values_to_a_snapshot),
		TEST(batch_of_many_values_has_them_all),
		TEST(subtree_has_values_but_of_what_must_not_be_read),
		TEST(subtree_resumes_after_a_path),
		TEST(describe_tells_what_is_declared),
		TEST(describe_says_what_it_needs),
		TEST(links_are_followed_to_values),
		TEST(a_signal_ends_a_long_call),
	};

	return cmocka_run_group_tests_name("params_ops", tests, NULL, NULL);
}
