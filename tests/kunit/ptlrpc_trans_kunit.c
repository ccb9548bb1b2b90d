// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transactions of a target, and its clients on disk: a type "kunit_lut" whose commit can be
 * told to fail or to wait.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/namei.h>

#include <lustre_lite/lu_target.h>

#include "obd_fixture.h"

#include "../../ptlrpc/target/lu_target.h"
#include "../../ptlrpc/target/target.h"

#define TL_FOLDER	"/tmp"
#define TL_NAME		"lut.last_rcvd"
#define TL_DIR		"kunit_lut/lut/"
#define TL_TASKS	4

static struct {
	struct obd_device	*obd;
	u64			committed;
	u64			interval;
	int			commit_rc;
	struct completion	*commit_gate;
	struct completion	entered;
	atomic_t		commits;
	struct mutex		lock;
	u64			one;
	u64			other;
	u64			transno;
	bool			torn;
	bool			stop;
	atomic_t		done;
	int			cb_rc;
	unsigned int		cb_calls;
	bool			registered;
} tl;

/* The type: a transaction adds to both numbers, and notes its own. */

static int tl_freeze(struct obd_device *obd, u64 transno)
{
	if (tl.one != tl.other || tl.transno > transno)
		tl.torn = true;
	return 0;
}

static int tl_commit(struct obd_device *obd, u64 transno)
{
	atomic_inc(&tl.commits);
	complete(&tl.entered);
	if (tl.commit_gate)
		wait_for_completion_timeout(tl.commit_gate, FIXTURE_WAIT);
	if (!tl.commit_rc)
		tl.committed = transno;
	return tl.commit_rc;
}

static const struct lu_target_ops tl_lut_ops = {
	.lto_freeze = tl_freeze,
	.lto_commit = tl_commit,
};

static int tl_setup(struct obd_device *obd, const struct lcfg_view *cfg,
		    struct obd_why *why)
{
	struct path path;
	const struct tgt_conf conf = {
		.tgc_ops = &tl_lut_ops,
		.tgc_dir = &path,
		.tgc_name = TL_NAME,
		.tgc_incompat = OBD_INCOMPAT_MDT,
		.tgc_committed = tl.committed,
		.tgc_interval = tl.interval,
	};
	int rc = kern_path(TL_FOLDER, LOOKUP_DIRECTORY, &path);

	if (rc)
		return rc;
	rc = tgt_init(obd, &conf, why);
	path_put(&path);
	return rc;
}

static int tl_cleanup(struct obd_device *obd)
{
	tgt_fini(obd);
	return 0;
}

static const struct obd_ops tl_ops = {
	.o_owner = THIS_MODULE,
	.o_setup = tl_setup,
	.o_cleanup = tl_cleanup,
	.o_connect = kt_connect,
	.o_disconnect = class_disconnect,
};

static struct obd_type tl_type = {
	.typ_name = "kunit_lut",
	.typ_dt_ops = &tl_ops,
};

/* The list's file: @bytes at @pos; empty without any. */
static void tl_file(struct kunit *test, const void *bytes, size_t len, loff_t pos)
{
	struct file *file = filp_open(TL_FOLDER "/" TL_NAME,
				      O_RDWR | O_CREAT | (bytes ? 0 : O_TRUNC), 0600);

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	if (bytes)
		KUNIT_EXPECT_EQ(test, (ssize_t)len, kernel_write(file, bytes, len, &pos));
	fput(file);
}

static int tl_try(struct kunit *test, struct obd_why *why)
{
	struct lcfg_view cfg;

	tl.obd = class_attach("kunit_lut", "lut", "lut_UUID", 0, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(tl.obd));
	lcfg_init(&cfg, LCFG_SETUP, tl.obd->obd_name);
	return class_setup(tl.obd, &cfg, why);
}

static void tl_start(struct kunit *test)
{
	struct obd_why why = { "" };

	KUNIT_ASSERT_EQ_MSG(test, 0, tl_try(test, &why), "%s", why.text);
}

static void tl_end(struct kunit *test, bool failover)
{
	KUNIT_EXPECT_EQ(test, 0, class_cleanup(tl.obd, true, failover, NULL));
	kt_end(test, tl.obd);
	tl.obd = NULL;
}

static void tl_interval(struct kunit *test, const char *value)
{
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, TL_DIR "commit_interval", value));
}

static void expect_number(struct kunit *test, const char *path, u64 number)
{
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, path));
	KUNIT_EXPECT_EQ_MSG(test, number, client_number(fx.client), "%s", path);
}

/* A transaction of @bytes that does not wait. Return: its number, 0 if it is refused. */
static u64 tl_trans(u64 replay, u64 bytes)
{
	u64 transno;

	if (tgt_trans_start(tl.obd))
		return 0;
	mutex_lock(&tl.lock);
	transno = tgt_trans_number(tl.obd, replay);
	tl.one++;
	tl.transno = transno;
	tl.other++;
	mutex_unlock(&tl.lock);
	tgt_trans_stop(tl.obd, transno, bytes, true);
	return transno;
}

/* Until a transaction is on disk. */
static void await_committed(struct kunit *test, u64 transno)
{
	unsigned long end = jiffies + FIXTURE_WAIT;

	while (tgt_last_committed(tl.obd) < transno && time_before(jiffies, end))
		msleep(20);
	KUNIT_ASSERT_EQ(test, tgt_last_committed(tl.obd), transno);
}

/* So many tasks wait for transactions. */
static void await_waiters(struct kunit *test, size_t nr)
{
	struct lu_target *lut = tl.obd->obd_lut;
	unsigned long end = jiffies + FIXTURE_WAIT;
	size_t seen;

	do {
		spin_lock(&lut->lut_lock);
		seen = list_count_nodes(&lut->lut_callbacks);
		spin_unlock(&lut->lut_lock);
		if (seen != nr)
			msleep(20);
	} while (seen != nr && time_before(jiffies, end));
	KUNIT_ASSERT_EQ(test, seen, nr);
}

/* Numbers. */

static void numbers_rise_over_starts(struct kunit *test)
{
	u64 last = 0, transno;
	unsigned int start;

	for (start = 1; start <= 4; start++) {
		tl_start(test);
		/* The last one on disk is of an earlier start. */
		KUNIT_EXPECT_EQ(test, tgt_last_committed(tl.obd), tl.committed);
		tl_interval(test, "60000");
		transno = tl_trans(0, 0);
		KUNIT_EXPECT_EQ(test, transno, ((u64)start << 32) + 1);
		KUNIT_EXPECT_GT(test, transno, last);
		last = tl_trans(0, 0);
		KUNIT_EXPECT_EQ(test, last, transno + 1);
		/* Lost or not: the next start has other ones. */
		tl_end(test, start & 1);
		KUNIT_EXPECT_EQ(test, tl.committed == last, !(start & 1));
	}
}

static void a_replay_keeps_its_number(struct kunit *test)
{
	tl.committed = (5ULL << 32) + 3;
	tl_start(test);
	tl_interval(test, "60000");
	KUNIT_EXPECT_EQ(test, tl_trans((5ULL << 32) + 7, 0), (5ULL << 32) + 7);
	KUNIT_EXPECT_EQ(test, 0, tgt_sync(tl.obd));
	/* No further than what was replayed, or clients would drop later ones. */
	KUNIT_EXPECT_EQ(test, tgt_last_committed(tl.obd), (5ULL << 32) + 7);
	KUNIT_EXPECT_EQ(test, tl_trans(0, 0), (5ULL << 32) + 8);
	tl_end(test, false);
}

/* Commits. */

/* Transactions go on while a commit writes, and are not in it. */
static void a_commit_has_what_came_before_it(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(gate);
	u64 first, second;

	tl_start(test);
	first = tl_trans(0, 0);
	KUNIT_ASSERT_GT(test, wait_for_completion_timeout(&tl.entered, FIXTURE_WAIT), 0UL);
	await_committed(test, first);
	tl_interval(test, "60000");
	tl.commit_gate = &gate;
	reinit_completion(&tl.entered);
	first = tl_trans(0, LUT_COMMIT_BYTES);
	KUNIT_ASSERT_GT(test, wait_for_completion_timeout(&tl.entered, FIXTURE_WAIT), 0UL);
	second = tl_trans(0, 0);
	KUNIT_EXPECT_LT(test, tgt_last_committed(tl.obd), first);
	expect_number(test, TL_DIR "uncommitted", 2);
	tl.commit_gate = NULL;
	complete_all(&gate);
	await_committed(test, first);
	expect_number(test, TL_DIR "uncommitted", 1);
	expect_number(test, TL_DIR "transno", second);
	expect_number(test, TL_DIR "committed", first);
	KUNIT_EXPECT_EQ(test, 0, tgt_sync(tl.obd));
	KUNIT_EXPECT_EQ(test, tgt_last_committed(tl.obd), second);
	KUNIT_EXPECT_EQ(test, atomic_read(&tl.commits), 3);
	/* There is nothing more to write. */
	KUNIT_EXPECT_EQ(test, 0, tgt_sync(tl.obd));
	KUNIT_EXPECT_EQ(test, atomic_read(&tl.commits), 3);
	tl_end(test, false);
}

/* With an interval a transaction does not wait for the disk. */
static void an_interval_counts_from_the_start(struct kunit *test)
{
	u64 transno;

	tl.interval = 60 * NSEC_PER_SEC;
	tl_start(test);
	KUNIT_ASSERT_EQ(test, 0, tgt_trans_start(tl.obd));
	transno = tgt_trans_number(tl.obd, 0);
	KUNIT_EXPECT_EQ(test, 0, tgt_trans_stop(tl.obd, transno, 0, false));
	KUNIT_EXPECT_LT(test, tgt_last_committed(tl.obd), transno);
	KUNIT_EXPECT_EQ(test, atomic_read(&tl.commits), 0);
	KUNIT_EXPECT_EQ(test, 0, tgt_sync(tl.obd));
	KUNIT_EXPECT_EQ(test, tgt_last_committed(tl.obd), transno);
	tl_end(test, false);
}

static void many_bytes_are_committed_at_once(struct kunit *test)
{
	u64 transno;

	tl_start(test);
	tl_interval(test, "60000");
	transno = tl_trans(0, LUT_COMMIT_BYTES - 1);
	/* Its commit waits for the interval. */
	KUNIT_EXPECT_TRUE(test, timer_pending(&tl.obd->obd_lut->lut_commit.timer));
	KUNIT_EXPECT_EQ(test, tgt_last_committed(tl.obd), 0ULL);
	transno = tl_trans(0, 1);
	await_committed(test, transno);
	tl_end(test, false);
}

static void a_commit_comes_after_its_interval(struct kunit *test)
{
	tl_start(test);
	tl_interval(test, "20");
	await_committed(test, tl_trans(0, 0));
	tl_end(test, false);
}

static int tl_syncer(void *arg)
{
	long rc = tgt_commit(tl.obd, *(u64 *)arg);

	atomic_inc(&tl.done);
	return rc;
}

static int tl_worker(void *arg)
{
	while (!READ_ONCE(tl.stop)) {
		tl_trans(0, 0);
		cond_resched();
	}
	atomic_inc(&tl.done);
	return 0;
}

static void tl_run(struct kunit *test, int (*fn)(void *arg), void *arg)
{
	struct task_struct *task = kthread_run(fn, arg, "kunit_lut");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
}

static void tl_await_done(struct kunit *test, int count)
{
	unsigned long end = jiffies + FIXTURE_WAIT;

	while (atomic_read(&tl.done) < count && time_before(jiffies, end))
		msleep(20);
	KUNIT_ASSERT_EQ(test, atomic_read(&tl.done), count);
}

/* The first one starts a commit; the others, which came later, share the next one. */
static void tasks_share_a_commit(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(gate);
	u64 first, last;
	int n;

	tl_start(test);
	tl_interval(test, "60000");
	tl.commit_gate = &gate;
	first = tl_trans(0, 0);
	tl_run(test, tl_syncer, &first);
	KUNIT_ASSERT_GT(test, wait_for_completion_timeout(&tl.entered, FIXTURE_WAIT), 0UL);
	last = tl_trans(0, 0);
	for (n = 0; n < TL_TASKS; n++)
		tl_run(test, tl_syncer, &last);
	await_waiters(test, TL_TASKS + 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&tl.done), 0);
	complete_all(&gate);
	tl_await_done(test, TL_TASKS + 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&tl.commits), 2);
	KUNIT_EXPECT_EQ(test, tgt_last_committed(tl.obd), last);
	tl_end(test, false);
}

/* The copy that a commit takes is that of its number. */
static void no_transaction_runs_while_the_state_is_copied(struct kunit *test)
{
	unsigned long end;
	int n;

	tl_start(test);
	tl_interval(test, "60000");
	for (n = 0; n < TL_TASKS; n++)
		tl_run(test, tl_worker, NULL);
	end = jiffies + HZ;
	while (time_before(jiffies, end) ||
	       (atomic_read(&tl.commits) < 2 && time_before(jiffies, end + FIXTURE_WAIT)))
		KUNIT_EXPECT_EQ(test, 0, tgt_sync(tl.obd));
	WRITE_ONCE(tl.stop, true);
	tl_await_done(test, TL_TASKS);
	KUNIT_EXPECT_FALSE(test, tl.torn);
	KUNIT_EXPECT_GT(test, atomic_read(&tl.commits), 1);
	KUNIT_EXPECT_EQ(test, 0, tgt_sync(tl.obd));
	expect_number(test, TL_DIR "uncommitted", 0);
	tl_end(test, false);
}

/* Callbacks. */

static void tl_cb(struct tgt_commit_cb *cb, int rc)
{
	tl.cb_rc = rc;
	tl.cb_calls++;
	complete(&tl.entered);
}

static void a_callback_is_called_once(struct kunit *test)
{
	struct tgt_commit_cb cb = { .tcc_fn = tl_cb };

	tl_start(test);
	tl_interval(test, "60000");
	cb.tcc_transno = tl_trans(0, 0);
	tgt_commit_cb_add(tl.obd, &cb);
	KUNIT_EXPECT_EQ(test, tl.cb_calls, 0U);
	KUNIT_EXPECT_EQ(test, 0, tgt_sync(tl.obd));
	KUNIT_EXPECT_EQ(test, tl.cb_calls, 1U);
	KUNIT_EXPECT_EQ(test, tl.cb_rc, 0);
	/* Of what is on disk at once. */
	tgt_commit_cb_add(tl.obd, &cb);
	KUNIT_EXPECT_EQ(test, tl.cb_calls, 2U);
	/* Of what is lost, too. */
	cb.tcc_transno = tl_trans(0, 0);
	tgt_commit_cb_add(tl.obd, &cb);
	tl_end(test, true);
	KUNIT_EXPECT_EQ(test, tl.cb_calls, 3U);
	KUNIT_EXPECT_EQ(test, tl.cb_rc, -EIO);
}

static void nothing_follows_a_commit_that_failed(struct kunit *test)
{
	struct tgt_commit_cb cb = { .tcc_fn = tl_cb };
	u64 good;

	tl_start(test);
	tl_interval(test, "60000");
	good = tl_trans(0, 0);
	KUNIT_EXPECT_EQ(test, 0, tgt_sync(tl.obd));
	tl.commit_rc = -ENOSPC;
	cb.tcc_transno = tl_trans(0, 0);
	KUNIT_ASSERT_NE(test, cb.tcc_transno, 0ULL);
	tgt_commit_cb_add(tl.obd, &cb);
	KUNIT_EXPECT_EQ(test, -EIO, tgt_sync(tl.obd));
	KUNIT_EXPECT_EQ(test, tl.cb_calls, 1U);
	KUNIT_EXPECT_EQ(test, tl.cb_rc, -EIO);
	KUNIT_EXPECT_EQ(test, -ENOSPC, tgt_failed(tl.obd));
	tl.commit_rc = 0;
	KUNIT_EXPECT_EQ(test, tl_trans(0, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, 0, tgt_commit(tl.obd, good));
	KUNIT_EXPECT_EQ(test, -EIO, tgt_sync(tl.obd));
	KUNIT_EXPECT_EQ(test, tgt_last_committed(tl.obd), good);
	tl_end(test, false);
}

/* A device without tgt_init(). */
static void a_target_may_have_no_transactions(struct kunit *test)
{
	struct obd_device *obd = kt_start(test, "plain");
	struct tgt_commit_cb cb = { .tcc_fn = tl_cb, .tcc_transno = 1 };

	KUNIT_EXPECT_EQ(test, 0, tgt_trans_start(obd));
	KUNIT_EXPECT_EQ(test, 0ULL, tgt_trans_number(obd, 0));
	KUNIT_EXPECT_EQ(test, 0, tgt_trans_stop(obd, 0, 0, false));
	KUNIT_EXPECT_EQ(test, 0, tgt_sync(obd));
	KUNIT_EXPECT_EQ(test, 0, tgt_commit(obd, 1));
	KUNIT_EXPECT_EQ(test, 0ULL, tgt_last_committed(obd));
	tgt_commit_cb_add(obd, &cb);
	KUNIT_EXPECT_EQ(test, tl.cb_calls, 1U);
	kt_end(test, obd);
}

/* Clients. */

static bool known(const char *name)
{
	const struct obd_uuid uuid = kt_uuid(name);

	return tgt_client_known(tl.obd, &uuid);
}

static int add(const char *name)
{
	const struct obd_uuid uuid = kt_uuid(name);

	return tgt_client_add(tl.obd, &uuid);
}

static void del(const char *name)
{
	const struct obd_uuid uuid = kt_uuid(name);

	tgt_client_del(tl.obd, &uuid);
}

static void clients_are_known_after_a_restart(struct kunit *test)
{
	unsigned int n;

	tl_start(test);
	KUNIT_EXPECT_FALSE(test, known("a_UUID"));
	KUNIT_EXPECT_EQ(test, 0, add("a_UUID"));
	KUNIT_EXPECT_EQ(test, 0, add("b_UUID"));
	KUNIT_EXPECT_EQ(test, 0, add("c_UUID"));
	del("b_UUID");
	del("nobody_UUID");
	for (n = 0; n < 3; n++) {
		KUNIT_EXPECT_TRUE(test, known("a_UUID"));
		KUNIT_EXPECT_FALSE(test, known("b_UUID"));
		KUNIT_EXPECT_TRUE(test, known("c_UUID"));
		tl_end(test, n & 1);
		tl_start(test);
		KUNIT_ASSERT_TRUE(test, !!tl.obd->obd_recovery);
	}
	/* A free slot is used again. */
	KUNIT_EXPECT_EQ(test, 0, add("d_UUID"));
	del("a_UUID");
	del("c_UUID");
	del("d_UUID");
	tl_end(test, true);
	tl_start(test);
	KUNIT_EXPECT_FALSE(test, !!tl.obd->obd_recovery);
	tl_end(test, false);
}

/* It has connected again before its old export has ended. */
static void a_late_end_leaves_the_client_known(struct kunit *test)
{
	tl_start(test);
	KUNIT_EXPECT_EQ(test, 0, add("a_UUID"));
	KUNIT_EXPECT_EQ(test, 0, add("a_UUID"));
	del("a_UUID");
	KUNIT_EXPECT_TRUE(test, known("a_UUID"));
	tl_end(test, true);
	tl_start(test);
	KUNIT_EXPECT_TRUE(test, known("a_UUID"));
	del("a_UUID");
	KUNIT_EXPECT_FALSE(test, known("a_UUID"));
	tl_end(test, false);
}

/* Its state is from before what clients know to be on disk. */
static void a_target_that_lost_its_state_knows_nobody(struct kunit *test)
{
	u64 committed;

	tl_start(test);
	KUNIT_EXPECT_EQ(test, 0, add("a_UUID"));
	tl_trans(0, 0);
	KUNIT_EXPECT_EQ(test, 0, tgt_sync(tl.obd));
	tl_end(test, true);
	committed = tl.committed;
	tl.committed = committed - 1;
	tl_start(test);
	KUNIT_EXPECT_FALSE(test, known("a_UUID"));
	KUNIT_EXPECT_EQ(test, 0, add("b_UUID"));
	tl_end(test, true);
	tl_start(test);
	KUNIT_EXPECT_FALSE(test, known("a_UUID"));
	KUNIT_EXPECT_TRUE(test, known("b_UUID"));
	tl_end(test, true);
}

static void a_damaged_list_is_refused(struct kunit *test)
{
	struct obd_why why = { "" };

	tl_start(test);
	KUNIT_EXPECT_EQ(test, 0, add("a_UUID"));
	tl_end(test, false);
	tl_file(test, "damage", 6, 78);
	KUNIT_EXPECT_EQ(test, -EUCLEAN, tl_try(test, &why));
	KUNIT_EXPECT_TRUE_MSG(test, !!strstr(why.text, "invalid sizes"), "%s", why.text);
	kt_end(test, tl.obd);
	tl.obd = NULL;
}

/* A client has changes to replay, which are not below the number of any other change. */
static void own_changes_of_a_recovery_have_no_number(struct kunit *test)
{
	const u64 before = (5ULL << 32) + 3;

	tl.committed = before;
	tl_start(test);
	KUNIT_EXPECT_EQ(test, 0, add("a_UUID"));
	tl_end(test, true);
	tl_start(test);
	KUNIT_ASSERT_TRUE(test, target_in_recovery(tl.obd));
	tl_interval(test, "60000");
	KUNIT_EXPECT_EQ(test, tl_trans(0, 0), before);
	expect_number(test, TL_DIR "uncommitted", 1);
	KUNIT_EXPECT_EQ(test, tl_trans(0, LUT_COMMIT_BYTES), before);
	KUNIT_ASSERT_GT(test, wait_for_completion_timeout(&tl.entered, FIXTURE_WAIT), 0UL);
	KUNIT_EXPECT_EQ(test, tgt_last_committed(tl.obd), before);
	KUNIT_EXPECT_EQ(test, tl_trans(before + 4, 0), before + 4);
	KUNIT_EXPECT_EQ(test, tl_trans(0, 0), before + 4);
	KUNIT_EXPECT_EQ(test, 0, tgt_sync(tl.obd));
	KUNIT_EXPECT_EQ(test, tgt_last_committed(tl.obd), before + 4);
	expect_number(test, TL_DIR "uncommitted", 0);
	/* After it they have. */
	del("a_UUID");
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, TL_DIR "abort_recovery", "1"));
	KUNIT_EXPECT_EQ(test, tl_trans(0, 0), before + 5);
	tl_end(test, false);
}

/* All that time it may have waited for another one. */
static void a_client_is_not_silent_in_a_recovery(struct kunit *test)
{
	const struct obd_uuid uuid = kt_uuid("b_UUID");
	static const char text[] = "10.0.0.2@tcp";
	struct lustre_handle conn;
	struct obd_export *exp;
	struct lnet_nid nid;

	KUNIT_ASSERT_EQ(test, 0, libcfs_nid_parse(text, strlen(text), &nid, NULL));
	tl_start(test);
	KUNIT_EXPECT_EQ(test, 0, add("a_UUID"));
	tl_end(test, true);
	tl_start(test);
	KUNIT_ASSERT_TRUE(test, target_in_recovery(tl.obd));
	KUNIT_ASSERT_EQ(test, 0, class_connect(&conn, tl.obd, &uuid, &nid));
	exp = class_conn2export(conn.cookie);
	KUNIT_ASSERT_NOT_NULL(test, exp);
	exp->exp_last_request_time = ktime_get_seconds() - 100;
	KUNIT_EXPECT_EQ(test, target_evict_silent(tl.obd, 0), 0U);
	del("a_UUID");
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, TL_DIR "abort_recovery", "1"));
	KUNIT_EXPECT_FALSE(test, target_in_recovery(tl.obd));
	KUNIT_EXPECT_EQ(test, target_evict_silent(tl.obd, 50), 0U);
	KUNIT_EXPECT_TRUE(test, class_connected_export(exp));
	KUNIT_EXPECT_EQ(test, target_evict_silent(tl.obd, 0), 1U);
	KUNIT_EXPECT_FALSE(test, class_connected_export(exp));
	class_export_put(exp);
	tl_end(test, false);
}

static struct kunit_case trans_cases[] = {
	KUNIT_CASE(numbers_rise_over_starts),
	KUNIT_CASE(a_replay_keeps_its_number),
	KUNIT_CASE(a_commit_has_what_came_before_it),
	KUNIT_CASE(an_interval_counts_from_the_start),
	KUNIT_CASE(many_bytes_are_committed_at_once),
	KUNIT_CASE(a_commit_comes_after_its_interval),
	KUNIT_CASE(tasks_share_a_commit),
	KUNIT_CASE(no_transaction_runs_while_the_state_is_copied),
	KUNIT_CASE(a_callback_is_called_once),
	KUNIT_CASE(nothing_follows_a_commit_that_failed),
	KUNIT_CASE(a_target_may_have_no_transactions),
	KUNIT_CASE(clients_are_known_after_a_restart),
	KUNIT_CASE(a_late_end_leaves_the_client_known),
	KUNIT_CASE(a_target_that_lost_its_state_knows_nobody),
	KUNIT_CASE(a_damaged_list_is_refused),
	KUNIT_CASE(own_changes_of_a_recovery_have_no_number),
	KUNIT_CASE(a_client_is_not_silent_in_a_recovery),
	{}
};

static int trans_init(struct kunit *test)
{
	int rc = obd_fixture_init(test);

	if (rc)
		return rc;
	memset(&tl, 0, sizeof(tl));
	mutex_init(&tl.lock);
	init_completion(&tl.entered);
	tl_file(test, NULL, 0, 0);
	rc = class_register_type(&tl_type);
	tl.registered = !rc;
	return rc;
}

static void trans_exit(struct kunit *test)
{
	WRITE_ONCE(tl.stop, true);
	if (tl.obd)
		kt_end(test, tl.obd);
	obd_zombie_barrier();
	if (tl.registered)
		kt_unregister(test, &tl_type);
	obd_fixture_exit(test);
}

static struct kunit_suite trans_suite = {
	.name = "ptlrpc_trans",
	.suite_init = client_suite_init,
	.init = trans_init,
	.exit = trans_exit,
	.test_cases = trans_cases,
};
kunit_test_suite(trans_suite);

MODULE_DESCRIPTION("KUnit suite of transactions and clients of targets");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
