// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients of a metadata target, through lmv and mdc: answers and refusals, opens and their
 * replay, evictions, lost replies, killed tasks, FIDs, directories.
 *
 * Processors: 2
 */
#include "mdc_fixture.h"

static const struct md_object root = { .fid = { FID_SEQ_ROOT, FID_OID_ROOT, 0 } };

static struct md_op_data getattr_op(void)
{
	return (struct md_op_data) { .opc = MDS_GETATTR, .size = 64, .objects = 1,
				     .object = { root } };
}

static struct md_op_data create_op(void)
{
	return (struct md_op_data) {
		.opc = MDS_REINT, .reint = REINT_CREATE, .name = "name", .name_len = 4,
		.attr.mode = S_IFDIR | 0755, .objects = 2,
		.object = { root, { .fid = { FID_SEQ_NORMAL, 1, 0 } } },
	};
}

static struct md_op_data open_op(void)
{
	return (struct md_op_data) {
		.opc = MDS_REINT, .reint = REINT_OPEN, .flags = MDS_FMODE_READ, .objects = 2,
		.object = { { .fid = { FID_SEQ_NORMAL, 1, 0 } } },
	};
}

static struct md_op_data close_op(void)
{
	struct md_op_data op = open_op();

	op.opc = MDS_CLOSE;
	op.reint = 0;
	op.objects = 1;
	return op;
}

static int create(void)
{
	const struct md_op_data op = create_op();
	struct md_reply rep;
	int rc = md_call(mp.exp, &op, &rep);

	md_reply_put(&rep);
	return rc;
}

static struct md_open *open_one(struct kunit *test)
{
	const struct md_op_data op = open_op();
	struct md_open *open;
	struct md_reply rep;

	KUNIT_ASSERT_EQ(test, 0, md_open(mp.exp, &op, &rep, &open));
	KUNIT_ASSERT_NOT_NULL(test, open);
	KUNIT_EXPECT_TRUE(test, rep.flags & MDS_BODY_OPENED);
	md_reply_put(&rep);
	return open;
}

static int close_one(struct md_open *open)
{
	const struct md_op_data op = close_op();
	struct md_reply rep;
	int rc = md_close(mp.exp, open, &op, &rep);

	md_reply_put(&rep);
	return rc;
}

static void expect_counted(struct kunit *test, struct obd_device *obd, enum obd_op op, u64 count)
{
	struct params_counter counter;

	KUNIT_EXPECT_EQ(test, 0, params_stats_read(obd->obd_md_stats, op - OBD_OP_COUNT,
						   &counter));
	KUNIT_EXPECT_EQ(test, count, counter.pc_count);
}

/* Answers. */

static void a_call_is_answered(struct kunit *test)
{
	const struct md_op_data op = getattr_op();
	struct md_reply rep;

	mp_connect(test);
	KUNIT_ASSERT_EQ(test, 0, md_call(mp.exp, &op, &rep));
	KUNIT_EXPECT_TRUE(test, lu_fid_eq(&rep.object.fid, &root.fid));
	KUNIT_EXPECT_EQ(test, S_IFLNK | 0777, (int)rep.attr.mode);
	KUNIT_EXPECT_EQ(test, sizeof(MP_LINK) - 1, (size_t)rep.result_len);
	KUNIT_EXPECT_EQ(test, 0, memcmp(rep.result, MP_LINK, rep.result_len));
	md_reply_put(&rep);
	KUNIT_EXPECT_PTR_EQ(test, rep.req, (struct ptlrpc_request *)NULL);
	expect_counted(test, mp.mdc, MD_OP_GETATTR, 1);
	expect_counted(test, mp.lmv, MD_OP_GETATTR, 1);
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, "mdc/mdc/md_stats"));
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, "lmv/lmv/md_stats"));
}

static void a_refusal_leaves_no_reply(struct kunit *test)
{
	const struct md_op_data op = getattr_op();
	struct md_reply rep;

	mp_connect(test);
	mp.rc = -EACCES;
	memset(&rep, 0x5a, sizeof(rep));
	KUNIT_EXPECT_EQ(test, -EACCES, md_call(mp.exp, &op, &rep));
	KUNIT_EXPECT_PTR_EQ(test, rep.req, (struct ptlrpc_request *)NULL);
	KUNIT_EXPECT_EQ(test, 0U, rep.result_len);
	KUNIT_EXPECT_EQ(test, -EACCES, create());
}

static void a_malformed_reply_is_refused(struct kunit *test)
{
	struct md_op_data op = getattr_op();
	struct md_reply rep;
	struct lu_fid fid;

	mp_connect(test);
	/* Longer than it was to be. */
	op.size = 3;
	KUNIT_EXPECT_EQ(test, -EPROTO, md_call(mp.exp, &op, &rep));
	op.size = 64;
	mp.malformed = true;
	KUNIT_EXPECT_EQ(test, -EPROTO, md_call(mp.exp, &op, &rep));
	KUNIT_EXPECT_PTR_EQ(test, rep.req, (struct ptlrpc_request *)NULL);
	KUNIT_EXPECT_EQ(test, -EPROTO, md_fid_alloc(mp.exp, &root, &fid));
}

static void objects_of_other_targets_are_refused(struct kunit *test)
{
	struct md_op_data op = getattr_op();
	struct md_reply rep;

	mp.lmv = ty_volume(test, "lmv", "lmv", MP_INSTANCE);
	mp.exp = ty_connect(test, mp.lmv, "user_UUID");
	KUNIT_EXPECT_EQ(test, -ENOTCONN, md_call(mp.exp, &op, &rep));
	op.object[0].fid.f_seq = FID_SEQ_NORMAL + (1ULL << 30) - 1;
	KUNIT_EXPECT_EQ(test, -ENOTCONN, md_call(mp.exp, &op, &rep));
	op.object[0].fid.f_seq++;
	KUNIT_EXPECT_EQ(test, -EREMOTE, md_call(mp.exp, &op, &rep));
	op = create_op();
	op.object[1].fid.f_seq = FID_SEQ_NORMAL + (2ULL << 30);
	KUNIT_EXPECT_EQ(test, -EREMOTE, md_call(mp.exp, &op, &rep));
}

static void entries_of_a_directory_come_in_pages(struct kunit *test)
{
	const struct md_op_data op = { .opc = MDS_READPAGE, .cookie = 5, .objects = 1,
				       .object = { root } };
	struct page *pages[2] = { alloc_page(GFP_KERNEL), alloc_page(GFP_KERNEL) };
	struct md_dirent ent = { .name_len = 1 };
	u32 bytes = 0, at = 0, count = 0;

	mp_connect(test);
	KUNIT_ASSERT_TRUE(test, pages[0] && pages[1]);
	KUNIT_EXPECT_EQ(test, 0, md_readdir(mp.exp, &op, pages, 2, &bytes));
	while (at < bytes && ent.name_len &&
	       !md_dirent_decode(page_address(pages[0]) + at, bytes - at, &ent)) {
		KUNIT_EXPECT_EQ(test, 5ULL + count, ent.next);
		at += ent.len;
		count++;
	}
	KUNIT_EXPECT_EQ(test, 3U, count);
	KUNIT_EXPECT_EQ(test, bytes, at);
	KUNIT_EXPECT_EQ(test, -EINVAL, md_readdir(mp.exp, &op, pages, 0, &bytes));
	put_page(pages[0]);
	put_page(pages[1]);
}

/* Opens. */

static void an_open_is_closed(struct kunit *test)
{
	struct md_op_data op = open_op();
	struct md_open *open;
	struct md_reply rep;

	mp_connect(test);
	open = open_one(test);
	KUNIT_EXPECT_EQ(test, 1U, mp_open());
	KUNIT_EXPECT_EQ(test, 0, close_one(open));
	KUNIT_EXPECT_EQ(test, 0U, mp_open());
	/* A symbolic link is not opened. */
	op.objects = 2;
	op.object[1] = op.object[0];
	op.object[0] = root;
	op.name = "link";
	op.name_len = 4;
	KUNIT_EXPECT_EQ(test, 0, md_open(mp.exp, &op, &rep, &open));
	KUNIT_EXPECT_PTR_EQ(test, open, (struct md_open *)NULL);
	md_reply_put(&rep);
	mp.rc = -ENOENT;
	KUNIT_EXPECT_EQ(test, -ENOENT, md_open(mp.exp, &op, &rep, &open));
	KUNIT_EXPECT_PTR_EQ(test, open, (struct md_open *)NULL);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&mp.closes));
}

static bool none_is_open(void)
{
	return !mp_open();
}

static int close_later(struct md_open *open)
{
	struct md_op_data op = close_op();
	struct md_reply rep;

	op.later = true;
	return md_close(mp.exp, open, &op, &rep);
}

/* One request closes all that were parked, also after a restart that gave new handles. */
static void parked_opens_are_closed_together(struct kunit *test)
{
	const struct md_op_data op = close_op();
	struct md_open *open[3];
	unsigned int n;

	mp_connect(test);
	for (n = 0; n < ARRAY_SIZE(open); n++)
		open[n] = open_one(test);
	for (n = 0; n < ARRAY_SIZE(open); n++)
		KUNIT_EXPECT_EQ(test, 0, close_later(open[n]));
	KUNIT_EXPECT_EQ(test, 0, md_closes(mp.exp, &op.object[0]));
	KUNIT_EXPECT_EQ(test, 0U, mp_open());
	/* The timer may have sent a part. */
	KUNIT_EXPECT_LE(test, atomic_read(&mp.closes), 2);
	for (n = 0; n < ARRAY_SIZE(open); n++)
		open[n] = open_one(test);
	mp_mdt_restart(test);
	for (n = 0; n < ARRAY_SIZE(open); n++)
		KUNIT_EXPECT_EQ(test, 0, close_later(open[n]));
	KUNIT_EXPECT_EQ(test, 0, create());
	KUNIT_EXPECT_EQ(test, 0, md_closes(mp.exp, &op.object[0]));
	KUNIT_EXPECT_EQ(test, 0U, mp_open());
	/* A close that is on disk ends the replays. */
	KUNIT_EXPECT_EQ(test, 0, tgt_sync(mp.mdt));
	KUNIT_EXPECT_EQ(test, 0, create());
	mp_mdt_restart(test);
	KUNIT_EXPECT_EQ(test, 0, create());
	KUNIT_EXPECT_EQ(test, 0U, mp_open());
}

static bool two_run(void)
{
	return atomic_read(&mp.running) == 2;
}

static long aside_closes(void *unused)
{
	const struct md_op_data op = close_op();

	return md_closes(mp.exp, &op.object[0]);
}

/* Return: of a task that waits for the first of two closes */
static long first_close_is_waited_for(struct kunit *test)
{
	struct md_open *first, *second;
	struct aside caller;
	bool early;
	u64 handle;
	long rc;

	first = open_one(test);
	handle = mp.last_handle;
	second = open_one(test);
	WRITE_ONCE(mp.wait, true);
	KUNIT_EXPECT_EQ(test, 0, close_later(first));
	aside_start(test, &caller, aside_closes, NULL);
	aside_await_sleep(test, &caller);
	KUNIT_EXPECT_TRUE(test, mp_await(mp_one_runs));
	KUNIT_EXPECT_EQ(test, 0, close_later(second));
	KUNIT_EXPECT_TRUE(test, mp_await(two_run));
	early = aside_is_done(&caller);
	WRITE_ONCE(mp.passes, handle);
	rc = aside_join(test, &caller);
	if (rc != -ETIMEDOUT) {
		KUNIT_EXPECT_FALSE(test, early);
		KUNIT_EXPECT_EQ(test, 1U, mp_open());
	}
	WRITE_ONCE(mp.wait, false);
	KUNIT_EXPECT_EQ(test, 0L, aside_closes(NULL));
	KUNIT_EXPECT_EQ(test, 0U, mp_open());
	return rc;
}

/*
 * A client that closes files all the time does not hold up a task that waits. That gives up after
 * 10 s, which a stall of the host may take.
 */
static void later_closes_are_not_waited_for(struct kunit *test)
{
	unsigned int tries = 0;
	long rc;

	mp_connect(test);
	do {
		rc = first_close_is_waited_for(test);
	} while (rc == -ETIMEDOUT && ++tries < 3);
	KUNIT_EXPECT_EQ(test, 0L, rc);
}

/* Its transaction is on disk, its handle is not. */
static void an_open_outlives_its_target(struct kunit *test)
{
	struct md_open *open;
	u64 before;

	mp_connect(test);
	open = open_one(test);
	KUNIT_EXPECT_EQ(test, 0, tgt_sync(mp.mdt));
	/* Its answer tells that. */
	KUNIT_EXPECT_EQ(test, 0, create());
	before = mp.last_handle;
	mp_mdt_restart(test);
	/* The first call finds out, and comes after the replays. */
	KUNIT_EXPECT_EQ(test, 0, create());
	KUNIT_EXPECT_EQ(test, 1U, mp_open());
	KUNIT_EXPECT_EQ(test, before + 1, mp.last_handle);
	KUNIT_EXPECT_EQ(test, 0, close_one(open));
	KUNIT_EXPECT_EQ(test, 0U, mp_open());
	/* A close that is on disk ends the replays. */
	KUNIT_EXPECT_EQ(test, 0, tgt_sync(mp.mdt));
	KUNIT_EXPECT_EQ(test, 0, create());
	before = mp.last_handle;
	mp_mdt_restart(test);
	KUNIT_EXPECT_EQ(test, 0, create());
	KUNIT_EXPECT_EQ(test, before, mp.last_handle);
	KUNIT_EXPECT_EQ(test, 0U, mp_open());
}

static void a_change_outlives_its_target(struct kunit *test)
{
	u64 transno;

	mp_connect(test);
	KUNIT_EXPECT_EQ(test, 0, create());
	transno = mp.transno;
	mp_mdt_restart(test);
	KUNIT_EXPECT_EQ(test, 0, create());
	/* The replay had its number; the next one is larger. */
	KUNIT_EXPECT_EQ(test, 3, atomic_read(&mp.changes));
	KUNIT_EXPECT_GT(test, mp.transno, transno);
}

static void reset_once(void)
{
	lnet_reset(&init_net, NULL);
}

static void a_lost_reply_changes_once(struct kunit *test)
{
	struct md_open *open;

	mp_connect(test);
	mp.on_change = reset_once;
	KUNIT_EXPECT_EQ(test, 0, create());
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&mp.changes));
	mp.on_change = reset_once;
	open = open_one(test);
	KUNIT_EXPECT_EQ(test, 1U, mp_open());
	KUNIT_EXPECT_EQ(test, 0, close_one(open));
	KUNIT_EXPECT_EQ(test, 0U, mp_open());
}

static bool invalidations_have_ended(void)
{
	return !atomic_read(&mp_import()->imp_inval_count);
}

/* The target has forgotten the handle: nothing is left to be done. */
static void an_evicted_open_is_closed_at_once(struct kunit *test)
{
	struct md_open *open;
	struct lu_fid a, b;

	mp_connect(test);
	open = open_one(test);
	KUNIT_EXPECT_EQ(test, 0, md_fid_alloc(mp.exp, &root, &a));
	KUNIT_EXPECT_EQ(test, 1U, obd_export_evict_by_uuid(mp.mdt, TY_GROUP, NULL));
	/* The first call finds that out, and fails unless it comes later. */
	(void)create();
	KUNIT_EXPECT_EQ(test, 0, create());
	KUNIT_EXPECT_EQ(test, 0, close_one(open));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&mp.closes));
	KUNIT_EXPECT_TRUE(test, mp_await(invalidations_have_ended));
	KUNIT_EXPECT_EQ(test, 0, md_fid_alloc(mp.exp, &root, &b));
	KUNIT_EXPECT_EQ(test, a.f_seq + 1, b.f_seq);
	KUNIT_EXPECT_EQ(test, 1U, b.f_oid);
}

static void an_unknown_handle_is_closed(struct kunit *test)
{
	struct md_open *open;

	mp_connect(test);
	open = open_one(test);
	spin_lock(&mp.lock);
	memset(mp.handles, 0, sizeof(mp.handles));
	spin_unlock(&mp.lock);
	KUNIT_EXPECT_EQ(test, 0, close_one(open));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&mp.closes));
}

/* Killed tasks, and a target that is away. */

static struct task_struct *victim;

static long aside_create(void *unused)
{
	allow_signal(SIGKILL);
	WRITE_ONCE(victim, current);
	return create();
}

static long aside_open(void *unused)
{
	const struct md_op_data op = open_op();
	struct md_open *open;
	struct md_reply rep;
	int rc;

	allow_signal(SIGKILL);
	WRITE_ONCE(victim, current);
	rc = md_open(mp.exp, &op, &rep, &open);
	md_reply_put(&rep);
	return rc;
}

static long aside_getattr(void *unused)
{
	const struct md_op_data op = getattr_op();
	struct md_reply rep;
	int rc;

	allow_signal(SIGKILL);
	WRITE_ONCE(victim, current);
	rc = md_call(mp.exp, &op, &rep);
	md_reply_put(&rep);
	return rc;
}

static void kill_one(struct kunit *test, long (*fn)(void *))
{
	struct aside caller;

	WRITE_ONCE(mp.wait, true);
	victim = NULL;
	aside_start(test, &caller, fn, NULL);
	KUNIT_EXPECT_TRUE(test, mp_await(mp_one_runs));
	send_sig(SIGKILL, victim, 1);
	KUNIT_EXPECT_EQ(test, (long)-EINTR, aside_join(test, &caller));
	KUNIT_EXPECT_TRUE(test, mp_one_runs());
	WRITE_ONCE(mp.wait, false);
}

static bool change_is_kept(void)
{
	return READ_ONCE(mp_import()->imp_replay_count) == 1;
}

static void a_killed_change_is_kept_for_replay(struct kunit *test)
{
	mp_connect(test);
	kill_one(test, aside_create);
	KUNIT_EXPECT_TRUE(test, mp_await(change_is_kept));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&mp.changes));
	mp_mdt_restart(test);
	KUNIT_EXPECT_EQ(test, 0, create());
	KUNIT_EXPECT_EQ(test, 3, atomic_read(&mp.changes));
}

static bool one_was_closed(void)
{
	return atomic_read(&mp.closes) == 1;
}

static void a_killed_open_is_closed(struct kunit *test)
{
	mp_connect(test);
	kill_one(test, aside_open);
	KUNIT_EXPECT_TRUE(test, mp_await(one_was_closed));
	KUNIT_EXPECT_TRUE(test, mp_await(none_is_open));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&mp.changes));
}

static void a_killed_lookup_ends(struct kunit *test)
{
	mp_connect(test);
	kill_one(test, aside_getattr);
	KUNIT_EXPECT_EQ(test, 0, create());
}

static bool import_is_lost(void)
{
	return !import_is_usable(mp_import());
}

/* Nor does a task that exits wait. */
static long aside_exits(void *open)
{
	long rc;

	current->flags |= PF_EXITING;
	rc = close_one(open);
	current->flags &= ~PF_EXITING;
	return rc;
}

static void a_close_does_not_wait_for_its_target(struct kunit *test)
{
	struct md_open *one, *two;
	struct aside caller;

	mp_connect(test);
	one = open_one(test);
	two = open_one(test);
	WRITE_ONCE(mp.wait, true);
	aside_start(test, &caller, aside_exits, two);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &caller));
	WRITE_ONCE(mp.wait, false);
	KUNIT_EXPECT_TRUE(test, mp_await(one_was_closed));
	KUNIT_EXPECT_EQ(test, 0, class_cleanup(mp.mdt, true, true, NULL));
	kt_end(test, mp.mdt);
	mp.mdt = NULL;
	aside_start(test, &caller, aside_create, NULL);
	KUNIT_EXPECT_TRUE(test, mp_await(import_is_lost));
	KUNIT_EXPECT_EQ(test, 0, close_one(one));
	mp_mdt_start(test);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &caller));
	KUNIT_EXPECT_TRUE(test, mp_await(none_is_open));
}

/* FIDs. */

static void fids_fill_their_sequences(struct kunit *test)
{
	struct lu_fid fid = {};
	u32 n;

	mp_connect(test);
	for (n = 1; n <= LUSTRE_SEQ_WIDTH; n++) {
		if (md_fid_alloc(mp.exp, &root, &fid) || fid.f_oid != n)
			break;
	}
	KUNIT_EXPECT_EQ(test, LUSTRE_SEQ_WIDTH + 1U, n);
	KUNIT_EXPECT_EQ(test, FID_SEQ_NORMAL, fid.f_seq);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&mp.queries));
	KUNIT_EXPECT_EQ(test, 0, md_fid_alloc(mp.exp, &root, &fid));
	KUNIT_EXPECT_EQ(test, FID_SEQ_NORMAL + 1, fid.f_seq);
	KUNIT_EXPECT_EQ(test, 1U, fid.f_oid);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&mp.queries));
}

static long aside_fid(void *fid)
{
	return md_fid_alloc(mp.exp, &root, fid);
}

/* One task asks, the others share its answer. */
static void fid_tasks(struct kunit *test, int rc)
{
	struct aside tasks[MP_ASIDES];
	struct lu_fid fids[MP_ASIDES] = {};
	unsigned int n, i;

	mp.rc = rc;
	WRITE_ONCE(mp.wait, true);
	for (n = 0; n < MP_ASIDES; n++)
		aside_start(test, &tasks[n], aside_fid, &fids[n]);
	for (n = 0; n < MP_ASIDES; n++)
		aside_await_sleep(test, &tasks[n]);
	WRITE_ONCE(mp.wait, false);
	for (n = 0; n < MP_ASIDES; n++)
		KUNIT_EXPECT_EQ(test, (long)rc, aside_join(test, &tasks[n]));
	for (n = 0; !rc && n < MP_ASIDES; n++)
		for (i = 0; i < n; i++)
			KUNIT_EXPECT_FALSE(test, lu_fid_eq(&fids[i], &fids[n]));
}

static void one_task_asks_for_all(struct kunit *test)
{
	mp_connect(test);
	fid_tasks(test, -ENOSPC);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&mp.queries));
	/* A failure is not remembered. */
	fid_tasks(test, 0);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&mp.queries));
}

static void changes_have_a_limit(struct kunit *test)
{
	struct aside tasks[MP_ASIDES];
	unsigned int n;

	mp_connect(test);
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, "mdc/mdc/max_mod_rpcs_in_flight", "1"));
	WRITE_ONCE(mp.wait, true);
	for (n = 0; n < MP_ASIDES; n++)
		aside_start(test, &tasks[n], aside_create, NULL);
	for (n = 0; n < MP_ASIDES; n++)
		aside_await_sleep(test, &tasks[n]);
	KUNIT_EXPECT_TRUE(test, mp_await(mp_one_runs));
	WRITE_ONCE(mp.wait, false);
	for (n = 0; n < MP_ASIDES; n++)
		KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &tasks[n]));
	KUNIT_EXPECT_EQ(test, MP_ASIDES, atomic_read(&mp.changes));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&mp.running_max));
}

static struct kunit_case mdc_cases[] = {
	KUNIT_CASE(a_call_is_answered),
	KUNIT_CASE(a_refusal_leaves_no_reply),
	KUNIT_CASE(a_malformed_reply_is_refused),
	KUNIT_CASE(objects_of_other_targets_are_refused),
	KUNIT_CASE(entries_of_a_directory_come_in_pages),
	KUNIT_CASE(an_open_is_closed),
	KUNIT_CASE(parked_opens_are_closed_together),
	KUNIT_CASE(later_closes_are_not_waited_for),
	KUNIT_CASE(an_open_outlives_its_target),
	KUNIT_CASE(a_change_outlives_its_target),
	KUNIT_CASE(a_lost_reply_changes_once),
	KUNIT_CASE(an_evicted_open_is_closed_at_once),
	KUNIT_CASE(an_unknown_handle_is_closed),
	KUNIT_CASE(a_killed_change_is_kept_for_replay),
	KUNIT_CASE(a_killed_open_is_closed),
	KUNIT_CASE(a_killed_lookup_ends),
	KUNIT_CASE(a_close_does_not_wait_for_its_target),
	KUNIT_CASE(fids_fill_their_sequences),
	KUNIT_CASE(one_task_asks_for_all),
	KUNIT_CASE(changes_have_a_limit),
	{}
};

static struct kunit_suite mdc_suite = {
	.name = "mdc",
	.suite_init = ty_suite_init,
	.init = mp_init,
	.exit = mp_exit,
	.test_cases = mdc_cases,
};
kunit_test_suite(mdc_suite);

MODULE_DESCRIPTION("clients of a metadata target");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
