// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many at once: readers, writers, and those who add and remove. The owners'
 * data is freed as soon as removal has returned, so a callback that runs late
 * is seen by AddressSanitizer, and one that is not ordered by ThreadSanitizer.
 *
 * CMocka's assertions are for the test's own thread: the others return an errno.
 */
#include "shim_cmocka.h"

#include <stdlib.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/string.h>
#include <shim/task.h>

#include "params/params_internal.h"
#include "params_client.h"
#include "params_subject.h"
#include "params_threads.h"

#define STRESS_MS	1500

static struct subject s;
static bool stop;

static int setup(void **state)
{
	int rc = tree_setup(state) ?: subject_add(&s, "s");

	s.records = 200;
	s.big = 20000;
	return rc;
}

static int teardown(void **state)
{
	subject_remove(&s);
	return tree_teardown(state);
}

/* Checked after the first round: each thread runs at least one, also if it starts late. */
static bool stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

static int slow_get(void *data, u64 *val)
{
	sleep_ms(1);
	*val = READ_ONCE(*(u32 *)data);
	return 0;
}

static int slow_set(void *data, u64 val)
{
	sleep_ms(1);
	WRITE_ONCE(*(u32 *)data, val);
	return 0;
}

static ssize_t name_get(void *data, char *buf, size_t size)
{
	return scnprintf(buf, size, "%u", READ_ONCE(*(u32 *)data));
}

static const struct lustre_params_attr churn_attrs[] = {
	LP_U32_RO("slow", slow_get),
	LP_STR_RO("name", name_get),
	{ .name = "field", .type = PARAMS_T_U32, .mode = 0644, .field = 1 },
};

/* A subtree of its own is made, shown and removed, again and again. */
static long churn(void *arg)
{
	unsigned int round = 0;
	char name[16];

	scnprintf(name, sizeof(name), "c%lu", (unsigned long)arg);
	do {
		struct lustre_params_entry *dir, *sub;
		u32 *data = malloc(sizeof(*data));

		*data = round++;
		dir = params_add_dir_hidden(NULL, name, NULL);
		sub = params_add_dir(dir, "sub", NULL);
		if (IS_ERR(dir) || IS_ERR(sub))
			return -EIO;
		/* Others remove it too: the tree's reference is not enough. */
		params_entry_get(dir);
		if (params_add_attrs(sub, churn_attrs, ARRAY_SIZE(churn_attrs),
				     data) ||
		    params_publish(dir))
			return -EIO;
		if (round % 3)
			sleep_ms(round % 4);
		params_remove(dir);
		params_entry_put(dir);
		*data = ~0U;
		free(data);
	} while (!stopped());
	return round;
}

/* Removes entries of other threads, also parts of a subtree, concurrently. */
static long remove_others(void *arg)
{
	static const char *const paths[] = {
		"c0", "c0/sub", "c1/sub/slow", "c1/sub", "c2", "c2/sub/field",
	};
	unsigned int round = (unsigned long)arg;

	do {
		struct lustre_params_entry *lpe;

		lpe = params_lookup_entry(NULL, paths[round++ % 6]);
		if (!IS_ERR(lpe)) {
			params_remove(lpe);
			params_entry_put(lpe);
		}
		sleep_ms(round % 3);
	} while (!stopped());
	return round;
}

/* Errors that a reader may get while entries are removed. */
static bool expected(long rc)
{
	return !rc || rc == -ENOENT || rc == -ENODEV || rc == -ENOTDIR;
}

static long read_one(void *arg)
{
	static const char *const paths[] = {
		"c0/sub/slow", "c1/sub/name", "c2/sub/slow", "l", "l/name",
		"s/records", "s/string", "s/stats", "s/u32",
	};
	struct params_ioc_read pr;
	unsigned int round = 0;
	struct client cl;
	long rc = 0;

	client_open(&cl, 1024);
	do {
		rc = client_read(&cl, &pr, paths[round++ % ARRAY_SIZE(paths)]);
		while (!rc && !pr.pr_eof)
			rc = client_read_on(&cl, &pr);
		if (expected(rc) || rc == -EISDIR)
			rc = 0;
	} while (!stopped() && !rc);
	client_close(&cl);
	return rc ?: (long)round;
}

static long read_all(void *arg)
{
	struct params_ioc_read_batch rb;
	unsigned int round = 0;
	struct client cl;
	long rc = 0;

	client_open(&cl, 64 * 1024);
	do {
		round++;
		rc = client_read_subtree(&cl, &rb, "", NULL);
		if (!rc && !rb.rb_eof)
			rc = -EMSGSIZE;
	} while (!stopped() && !rc);
	client_close(&cl);
	return rc ?: (long)round;
}

/* One piece of a listing of the subject; @after is moved on. */
static long list_some(struct client *cl, char *after, unsigned int *entries,
		      bool *eof)
{
	struct params_ioc_list pl;
	size_t pos = 0;
	long rc = client_list(cl, &pl, "s", *after ? after : NULL, 0);

	while (!rc && pos < cl->used) {
		const struct params_list_rec *rec = (void *)(cl->buf + pos);

		sprintf(after, "%.*s", rec->lr_name_len, rec->lr_name);
		pos += rec->lr_len;
		++*entries;
	}
	*eof = pl.pl_eof;
	return rc;
}

/* The subject is never removed: a listing has each of its entries once. */
static long list_all(void *arg)
{
	struct params_ioc_list pl;
	unsigned int round = 0;
	struct client cl;
	long rc = 0;

	client_open(&cl, 128);
	do {
		char after[PARAMS_NAME_MAX + 1] = "";
		unsigned int entries = 0;
		bool eof = false;

		while (!rc && !eof)
			rc = list_some(&cl, after, &entries, &eof);
		if (!rc && entries != 20)
			rc = -EILSEQ;
		if (!rc)
			rc = client_list(&cl, &pl, "", "c1/sub/name", 3);
		round++;
	} while (!stopped() && !rc);
	client_close(&cl);
	return rc ?: (long)round;
}

static long link_others(void *arg)
{
	unsigned int round = 0;

	do {
		int rc = params_add_link(NULL, "l", round++ % 2 ? "c0/sub" :
					 "c1/sub/field");

		if (!expected(rc))
			return rc;
		sleep_ms(1);
		rc = params_delete_entry(NULL, "l");
		if (!expected(rc))
			return rc;
	} while (!stopped());
	return round;
}

static void batch_put(struct client_batch *batch, const char *path,
		      const char *text)
{
	struct params_write_rec *rec = (void *)(batch->in + batch->in_len);

	memset(rec, 0, sizeof(*rec) + 24);
	rec->wr_path_len = strlen(path);
	rec->wr_value_len = strlen(text);
	rec->wr_len = sizeof(*rec) + PARAMS_ALIGN((size_t)rec->wr_path_len) +
		      PARAMS_ALIGN((size_t)rec->wr_value_len);
	memcpy(rec->wr_data, path, rec->wr_path_len);
	memcpy(rec->wr_data + PARAMS_ALIGN((size_t)rec->wr_path_len), text,
	       rec->wr_value_len);
	batch->in_len += rec->wr_len;
	batch->count++;
}

static long write_some(void *arg)
{
	struct params_ioc_write_batch wb;
	unsigned int round = 0;
	struct client cl;
	long rc = 0;

	client_open(&cl, 4096);
	do {
		struct client_batch batch = { .count = 0 };

		batch_put(&batch, "s/u32", round % 2 ? "7" : "200");
		batch_put(&batch, "s/mask", round % 2 ? "+green" : "-green");
		batch_put(&batch, "c1/sub/field", "5");
		batch_put(&batch, "s/field", round % 5 ? "1" : "9999");
		rc = client_write_batch(&cl, &wb, &batch,
					round % 3 ? PARAMS_W_ATOMIC : 0);
		if (!rc)
			rc = client_set(&cl, "s/stats", "clear");
		params_stats_add(s.stats, 1, round);
		round++;
	} while (!stopped() && !rc);
	client_close(&cl);
	return rc ?: (long)round;
}

static void everything_at_once(void **state)
{
	static long (*const work[])(void *arg) = {
		churn, churn, churn, remove_others, remove_others, read_one,
		read_one, read_all, list_all, link_others, write_some,
	};
	struct aside asides[ARRAY_SIZE(work)];
	unsigned long n;

	/* Callbacks that only slow the others down are not slow here. */
	stop = false;
	for (n = 0; n < ARRAY_SIZE(work); n++)
		aside_start(&asides[n], work[n], (void *)n);
	sleep_ms(STRESS_MS);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (n = 0; n < ARRAY_SIZE(work); n++) {
		long rc = aside_join(&asides[n]);

		if (rc <= 0)
			fail_msg("thread %lu returned %ld", n, rc);
	}
}

/* Compare and set: of two that expect the same version one succeeds. */
#define RAISERS	4
#define RAISES	100

static u32 raised;

static const struct lustre_params_attr raised_attr[] = {
	LP_U64_RW("raised", slow_get, slow_set),
};

static long raise_it(void *arg)
{
	struct params_ioc_write pw;
	struct params_ioc_read pr;
	struct client cl;
	char text[16];
	unsigned int done = 0;
	long rc = 0;

	client_open(&cl, 256);
	while (done < RAISES && !rc) {
		rc = client_read(&cl, &pr, "raised");
		if (rc)
			break;
		scnprintf(text, sizeof(text), "%llu",
			  *(u64 *)(cl.buf + sizeof(struct params_value_rec)) + 1);
		pw = (struct params_ioc_write){
			.pw_flags = PARAMS_W_VERSION,
			.pw_version = pr.pr_version,
		};
		rc = client_write(&cl, &pw, "raised", text);
		if (!rc)
			done++;
		else if (rc == -ESTALE)
			rc = 0;
	}
	client_close(&cl);
	return rc;
}

static void compare_and_set_loses_no_update(void **state)
{
	struct aside asides[RAISERS];
	unsigned int n;

	raised = 0;
	assert_int_equal(params_add_attrs(NULL, raised_attr, 1, &raised), 0);
	for (n = 0; n < RAISERS; n++)
		aside_start(&asides[n], raise_it, NULL);
	for (n = 0; n < RAISERS; n++)
		assert_int_equal(aside_join(&asides[n]), 0);
	assert_int_equal(raised, RAISERS * RAISES);
	params_delete_entry(NULL, "raised");
}

/* One open file and several threads: each gets a whole snapshot or an error. */
static struct client shared;

static long read_shared(void *arg)
{
	struct client cl;
	unsigned int n;
	long rc = 0;

	client_open(&cl, 1024);
	/* The same open file: the first reader makes its snapshot. */
	for (n = 0; n < 200 && !rc; n++) {
		struct params_ioc_read pr;
		struct params_reader *reader;

		reader = smp_load_acquire(&shared.file.lf_reader);
		cl.file.lf_reader = reader;
		rc = client_read(&cl, &pr, "s/records");
		if (!reader) {
			struct params_reader *mine = cl.file.lf_reader;

			if (cmpxchg(&shared.file.lf_reader, NULL, mine))
				params_reader_free(mine);
			continue;
		}
		while (!rc && !pr.pr_eof)
			rc = client_read_on(&cl, &pr);
		if (rc == -ESTALE)
			rc = 0;
	}
	cl.file.lf_reader = NULL;
	client_close(&cl);
	return rc;
}

static void threads_may_share_an_open_file(void **state)
{
	struct aside asides[4];
	unsigned int n;

	client_open(&shared, 16);
	for (n = 0; n < 4; n++)
		aside_start(&asides[n], read_shared, NULL);
	for (n = 0; n < 4; n++)
		assert_int_equal(aside_join(&asides[n]), 0);
	client_close(&shared);
}

int main(void)
{
#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(everything_at_once),
		TEST(compare_and_set_loses_no_update),
		TEST(threads_may_share_an_open_file),
	};

	return cmocka_run_group_tests_name("params_tsan", tests, NULL, NULL);
}
