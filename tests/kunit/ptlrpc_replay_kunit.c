// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replay: requests that a client keeps and replays. The network is the suite's own:
 * ptlrpc/rpc/replay.c is compiled into it, over requests that keep what is done with them.
 *
 * Processors: 2
 */
#include "obd_import_fixture.h"

/*
 * Requests.
 */

#define SENT_MAX	16

static struct {
	unsigned int	live;		/* requests */
	unsigned int	count;		/* what was sent */
	struct {
		u64			xid;
		u64			transno;
		u32			flags;
		u32			opc;
		u32			timeout;
		u8			first;
		const struct ptlrpc_bulk *bulk;
		u8			bytes[2];	/* the first and the last one of its first part */
		unsigned int		told;	/* net.told when it was sent */
		enum lustre_imp_state	state;
	} sent[SENT_MAX];
	unsigned int	fail_at;	/* which fails, 1 for the first */
	int		fail_rc;
	bool		fail_answered;
	unsigned int	lock_replays;
	u64		commit_at;	/* a replay of this transaction commits all */
	unsigned int	told;		/* times that rq_committed was called */
	int		told_rc;	/* by the last one */
	unsigned int	replayed;	/* times that rq_replayed was called */
} net;

/* Buffers of saved requests. */
static const u32 lens[] = { 8 };

static struct ptlrpc_request *fake_new(struct obd_import *imp, u32 opc,
				       u16 portal, const u32 *lens,
				       unsigned int count)
{
	struct wire_msg msg = { .type = PTL_RPC_MSG_REQUEST, .opc = opc };
	struct ptlrpc_request *req = kzalloc(sizeof(*req), GFP_KERNEL);

	if (!req)
		return NULL;
	req->rq_req_len = wire_msg_size(lens, count);
	req->rq_req_msg = kzalloc(req->rq_req_len, GFP_KERNEL);
	if (!req->rq_req_msg) {
		kfree(req);
		return NULL;
	}
	wire_msg_init(req->rq_req_msg, lens, count);
	wire_msg_encode(req->rq_req_msg, &msg);
	refcount_set(&req->rq_refcount, 1);
	INIT_LIST_HEAD(&req->rq_replay_item);
	req->rq_import = imp;
	req->rq_opc = opc;
	req->rq_portal = portal;
	req->rq_xid = 1000 + net.live;
	req->rq_generation = imp->imp_generation;
	net.live++;
	return req;
}

static struct ptlrpc_request *fake_again(const struct ptlrpc_request *old)
{
	struct ptlrpc_request *req = fake_new(old->rq_import, old->rq_opc,
					      old->rq_portal, &lens[0], 1);

	if (!req)
		return NULL;
	req->rq_xid = old->rq_xid;
	req->rq_msg_flags = old->rq_msg_flags;
	memcpy(req->rq_req_msg, old->rq_req_msg, old->rq_req_len);
	return req;
}

static struct ptlrpc_request *fake_get(struct ptlrpc_request *req)
{
	refcount_inc(&req->rq_refcount);
	return req;
}

static void fake_put(struct ptlrpc_request *req)
{
	if (!refcount_dec_and_test(&req->rq_refcount))
		return;
	net.live--;
	kfree(req->rq_req_msg);
	kfree(req);
}

static void *fake_buf(struct ptlrpc_request *req, unsigned int n)
{
	return wire_msg_buf(req->rq_req_msg, n);
}

static void commit_all(struct obd_import *imp);

static void look_at_bulk(const struct ptlrpc_request *req)
{
	const struct bio_vec *part;
	const u8 *bytes;

	if (!req->rq_bulk_out || !req->rq_bulk_out->bk_nr)
		return;
	part = &req->rq_bulk_out->bk_vec[0];
	bytes = bvec_virt((struct bio_vec *)part);
	net.sent[net.count].bytes[0] = bytes[0];
	net.sent[net.count].bytes[1] = bytes[part->bv_len - 1];
}

static int fake_wait(struct ptlrpc_request *req)
{
	struct wire_msg view;
	bool fails;

	if (net.count == SENT_MAX)
		return -ENOSPC;
	net.sent[net.count].xid = req->rq_xid;
	net.sent[net.count].transno = req->rq_replay_transno;
	net.sent[net.count].flags = req->rq_msg_flags;
	net.sent[net.count].opc = req->rq_opc;
	net.sent[net.count].timeout = req->rq_timeout;
	net.sent[net.count].state = req->rq_send_state;
	net.sent[net.count].bulk = req->rq_bulk_out;
	look_at_bulk(req);
	if (req->rq_replay_transno && req->rq_replay_transno == net.commit_at)
		commit_all(req->rq_import);
	net.sent[net.count].told = net.told;
	if (wire_msg_view(req->rq_req_msg, req->rq_req_len, &view) == WIRE_OK &&
	    view.bufcount)
		net.sent[net.count].first = *(const u8 *)view.bufs[0];
	fails = ++net.count == net.fail_at;
	if (!fails || net.fail_answered)
		req->rq_rep.type = PTL_RPC_MSG_REPLY;
	return fails ? net.fail_rc : 0;
}

/* The target answers the first replay with an error. */
static void first_is_refused(int rc)
{
	net.fail_at = 1;
	net.fail_rc = rc;
	net.fail_answered = true;
}

static int fake_replay_locks(struct obd_import *imp)
{
	net.lock_replays++;
	return imp->imp_state == LUSTRE_IMP_REPLAY_LOCKS ? 0 : -EINVAL;
}

static const struct import_lock_ops fake_locks = {
	.il_replay = fake_replay_locks,
};

const struct import_lock_ops *import_locks = &fake_locks;

static u16 fake_portal(const struct obd_import *imp)
{
	return OST_REQUEST_PORTAL;
}

#define ptlrpc_request_new	fake_new
#define ptlrpc_request_again	fake_again
#define ptlrpc_request_get	fake_get
#define ptlrpc_request_put	fake_put
#define ptlrpc_queue_wait	fake_wait
#define import_portal		fake_portal
/* It is exported once. */
#undef EXPORT_SYMBOL_NS_GPL
#define EXPORT_SYMBOL_NS_GPL(symbol, space)
#include "../../ptlrpc/rpc/replay.c"

static void commit_all(struct obd_import *imp)
{
	imp->imp_last_committed = U64_MAX;
	ptlrpc_replay_drop(imp);
}

/*
 * Requests that a client keeps.
 */

static struct obd_import *begin(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "dev");
	struct obd_uuid uuid = kt_uuid("srv_UUID");
	struct obd_import *imp;

	memset(&net, 0, sizeof(net));
	imp = class_new_import(obd, &uuid);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(imp));
	set_bit(IMPF_REPLAYABLE, &imp->imp_flags);
	return imp;
}

static void end(struct kunit *test, struct obd_import *imp)
{
	struct obd_device *obd = imp->imp_obd;

	replay_forget(imp);
	KUNIT_EXPECT_EQ(test, net.live, 0U);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 0U);
	class_destroy_import(imp);
	kt_end(test, obd);
}

/* Connected to the target as before, and to one that restarted. */
static int replay_on(struct obd_import *imp)
{
	int rc;

	mutex_lock(&imp->imp_connect_mutex);
	rc = ptlrpc_replay(imp);
	mutex_unlock(&imp->imp_connect_mutex);
	return rc;
}

static int replay(struct obd_import *imp)
{
	imp->imp_remote_handle.cookie++;
	return replay_on(imp);
}

/* A request that was answered; what it said first is its transaction. */
static void answered(struct kunit *test, struct obd_import *imp, u64 transno)
{
	struct ptlrpc_request *req = fake_new(imp, OST_SET_INFO,
					      OST_REQUEST_PORTAL, lens, 1);

	KUNIT_ASSERT_NOT_NULL(test, req);
	req->rq_xid = 5000 + transno;
	req->rq_rep.type = PTL_RPC_MSG_REPLY;
	req->rq_rep.transno = transno;
	*(u8 *)fake_buf(req, 0) = transno;
	ptlrpc_replay_note(req);
	fake_put(req);
}

static void kept_until_it_is_on_disk(struct kunit *test)
{
	struct obd_import *imp = begin(test);
	u64 transno;

	answered(test, imp, 0);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 0U);
	for (transno = 1; transno <= 6; transno++)
		answered(test, imp, transno);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 6U);
	imp->imp_last_committed = 4;
	ptlrpc_replay_drop(imp);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 2U);
	KUNIT_EXPECT_EQ(test, net.live, 2U);
	/* The reply was late: that is on disk already. */
	answered(test, imp, 3);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 2U);
	end(test, imp);
}

/*
 * Bulk data.
 */

static struct ptlrpc_bulk some_bulk;

static void told(struct ptlrpc_request *req, int rc)
{
	net.told++;
	net.told_rc = rc;
}

/* An answered write, which its driver has not ended. */
static struct ptlrpc_request *write_answered(struct kunit *test, struct obd_import *imp,
					     u64 transno)
{
	struct ptlrpc_request *req = fake_new(imp, OST_WRITE, OST_IO_PORTAL, lens, 1);

	KUNIT_ASSERT_NOT_NULL(test, req);
	req->rq_bulk_out = &some_bulk;
	req->rq_committed = told;
	req->rq_owner = THIS_MODULE;
	ptlrpc_replay_begin(req);
	req->rq_rep.type = PTL_RPC_MSG_REPLY;
	req->rq_rep.transno = transno;
	ptlrpc_replay_note(req);
	return req;
}

static void write_over(struct ptlrpc_request *req, int status)
{
	req->rq_status = status;
	ptlrpc_replay_end(req);
	fake_put(req);
}

static void a_write_is_kept_with_its_pages(struct kunit *test)
{
	struct obd_import *imp = begin(test);
	int users = module_refcount(THIS_MODULE);

	write_over(write_answered(test, imp, 1), 0);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 1U);
	KUNIT_EXPECT_EQ(test, net.told, 0U);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), users + 1);
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, replay(imp), 0);
	KUNIT_EXPECT_PTR_EQ(test, net.sent[0].bulk, (const struct ptlrpc_bulk *)&some_bulk);
	KUNIT_EXPECT_EQ(test, net.told, 0U);
	commit_all(imp);
	KUNIT_EXPECT_EQ(test, net.told, 1U);
	KUNIT_EXPECT_EQ(test, net.told_rc, 0);
	KUNIT_EXPECT_EQ(test, module_refcount(THIS_MODULE), users);
	end(test, imp);
	KUNIT_EXPECT_EQ(test, net.told, 1U);
}

/* Its maker does not keep the pages. */
static void a_write_on_disk_is_not_kept(struct kunit *test)
{
	struct obd_import *imp = begin(test);
	struct ptlrpc_request *req = fake_new(imp, OST_WRITE, OST_IO_PORTAL, lens, 1);

	KUNIT_ASSERT_NOT_NULL(test, req);
	req->rq_bulk_out = &some_bulk;
	req->rq_rep.transno = 1;
	ptlrpc_replay_note(req);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 0U);
	fake_put(req);
	end(test, imp);
}

/* The network may send from the pages until the driver has ended the request. */
static void pages_are_kept_until_the_request_is_over(struct kunit *test)
{
	struct obd_import *imp = begin(test);
	struct ptlrpc_request *req = write_answered(test, imp, 1);

	commit_all(imp);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 0U);
	KUNIT_EXPECT_EQ(test, net.told, 0U);
	write_over(req, 0);
	KUNIT_EXPECT_EQ(test, net.told, 1U);
	KUNIT_EXPECT_EQ(test, net.told_rc, 0);
	end(test, imp);
}

static void pages_are_kept_until_the_replay_is_over(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	write_over(write_answered(test, imp, 1), 0);
	write_over(write_answered(test, imp, 2), 0);
	net.commit_at = 1;
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, replay(imp), 0);
	/* The second one is on disk, and only the first one is being sent. */
	KUNIT_EXPECT_EQ(test, net.sent[0].told, 1U);
	KUNIT_EXPECT_EQ(test, net.told, 2U);
	KUNIT_EXPECT_EQ(test, (u32)net.sent[1].opc, (u32)OBD_PING);
	end(test, imp);
}

static void a_write_that_is_lost_says_so(struct kunit *test)
{
	struct obd_import *imp = begin(test);
	struct ptlrpc_request *late;

	write_over(write_answered(test, imp, 1), 0);
	imp->imp_generation++;
	replay_import_changed(imp);
	KUNIT_EXPECT_EQ(test, net.told, 1U);
	KUNIT_EXPECT_EQ(test, net.told_rc, -EIO);
	/* It was answered by the server that evicted the client afterwards. */
	late = fake_new(imp, OST_WRITE, OST_IO_PORTAL, lens, 1);
	KUNIT_ASSERT_NOT_NULL(test, late);
	late->rq_committed = told;
	late->rq_owner = THIS_MODULE;
	late->rq_generation--;
	ptlrpc_replay_begin(late);
	late->rq_rep.transno = 9;
	net.told_rc = 0;
	ptlrpc_replay_note(late);
	write_over(late, 0);
	KUNIT_EXPECT_EQ(test, net.told, 2U);
	KUNIT_EXPECT_EQ(test, net.told_rc, -EIO);
	end(test, imp);
}

static void a_write_that_fails_says_so(struct kunit *test)
{
	struct obd_import *imp = begin(test);
	struct ptlrpc_request *req = fake_new(imp, OST_WRITE, OST_IO_PORTAL, lens, 1);

	KUNIT_ASSERT_NOT_NULL(test, req);
	req->rq_committed = told;
	req->rq_owner = THIS_MODULE;
	ptlrpc_replay_begin(req);
	write_over(req, -ENOSPC);
	KUNIT_EXPECT_EQ(test, net.told, 1U);
	KUNIT_EXPECT_EQ(test, net.told_rc, -ENOSPC);
	end(test, imp);
}

/*
 * Sticky requests.
 */

static void replayed(struct ptlrpc_request *req, const struct ptlrpc_request *answer)
{
	if (answer->rq_rep.type && answer->rq_replay_transno == req->rq_rep.transno &&
	    req->rq_cb_data == &net)
		net.replayed++;
}

/* An answered open; it is referenced only as long as it is kept. */
static struct ptlrpc_request *opened(struct kunit *test, struct obd_import *imp, u64 transno)
{
	struct ptlrpc_request *req = fake_new(imp, OST_OPEN, OST_REQUEST_PORTAL, lens, 1);

	KUNIT_ASSERT_NOT_NULL(test, req);
	req->rq_committed = told;
	req->rq_owner = THIS_MODULE;
	req->rq_sticky = true;
	req->rq_replayed = replayed;
	req->rq_cb_data = &net;
	ptlrpc_replay_begin(req);
	req->rq_rep.type = PTL_RPC_MSG_REPLY;
	req->rq_rep.transno = transno;
	ptlrpc_replay_note(req);
	write_over(req, 0);
	return req;
}

static void expect_replayed(struct kunit *test, struct obd_import *imp, const u64 *want,
			    unsigned int count)
{
	unsigned int n;

	net.count = 0;
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, replay(imp), 0);
	KUNIT_ASSERT_EQ(test, net.count, count + 1);
	for (n = 0; n < count; n++)
		KUNIT_EXPECT_EQ(test, net.sent[n].transno, want[n]);
}

static void an_open_is_replayed_though_it_is_on_disk(struct kunit *test)
{
	struct obd_import *imp = begin(test);
	struct ptlrpc_request *req = opened(test, imp, 1);

	answered(test, imp, 2);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 2U);
	imp->imp_last_committed = 2;
	ptlrpc_replay_drop(imp);
	/* Nothing is left to be committed. */
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 0U);
	KUNIT_EXPECT_EQ(test, net.live, 1U);
	KUNIT_EXPECT_EQ(test, net.told, 0U);
	expect_replayed(test, imp, (const u64[]){ 1 }, 1);
	expect_replayed(test, imp, (const u64[]){ 1 }, 1);
	KUNIT_EXPECT_EQ(test, net.replayed, 2U);
	ptlrpc_replay_release(req);
	KUNIT_EXPECT_EQ(test, net.told, 1U);
	KUNIT_EXPECT_EQ(test, net.told_rc, 0);
	KUNIT_EXPECT_EQ(test, net.live, 0U);
	expect_replayed(test, imp, NULL, 0);
	end(test, imp);
}

static void opens_come_in_order_with_the_rest(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	opened(test, imp, 3);
	answered(test, imp, 2);
	opened(test, imp, 1);
	answered(test, imp, 6);
	opened(test, imp, 5);
	imp->imp_last_committed = 4;
	ptlrpc_replay_drop(imp);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 2U);
	/* Its reply is late: that is on disk already. */
	opened(test, imp, 2);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 2U);
	expect_replayed(test, imp, (const u64[]){ 1, 2, 3, 5, 6 }, 5);
	KUNIT_EXPECT_EQ(test, net.replayed, 4U);
	end(test, imp);
	KUNIT_EXPECT_EQ(test, net.told, 4U);
	KUNIT_EXPECT_EQ(test, net.told_rc, -EIO);
}

static void a_commit_during_replay_skips_no_open(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	opened(test, imp, 1);
	answered(test, imp, 2);
	opened(test, imp, 3);
	net.commit_at = 1;
	expect_replayed(test, imp, (const u64[]){ 1, 3 }, 2);
	end(test, imp);
}

static void a_close_before_the_commit_leaves_an_ordinary_request(struct kunit *test)
{
	struct obd_import *imp = begin(test);
	struct ptlrpc_request *req = opened(test, imp, 1);

	ptlrpc_replay_release(req);
	KUNIT_EXPECT_EQ(test, net.told, 0U);
	expect_replayed(test, imp, (const u64[]){ 1 }, 1);
	commit_all(imp);
	KUNIT_EXPECT_EQ(test, net.told, 1U);
	KUNIT_EXPECT_EQ(test, net.live, 0U);
	end(test, imp);
}

/* An answered close of @open; it is referenced only as long as it is kept. */
static void closed(struct kunit *test, struct obd_import *imp, struct ptlrpc_request *open,
		   u64 transno)
{
	struct ptlrpc_request *req = fake_new(imp, OST_CLOSE, OST_REQUEST_PORTAL, lens, 1);

	KUNIT_ASSERT_NOT_NULL(test, req);
	req->rq_releases = open;
	req->rq_rep.type = PTL_RPC_MSG_REPLY;
	req->rq_rep.transno = transno;
	ptlrpc_replay_note(req);
	fake_put(req);
}

static void a_close_on_disk_ends_its_open_at_once(struct kunit *test)
{
	struct obd_import *imp = begin(test);
	struct ptlrpc_request *one = opened(test, imp, 1), *two = opened(test, imp, 2);

	/* On disk when it is answered, and its commit is known later than that. */
	imp->imp_last_committed = 3;
	closed(test, imp, one, 3);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 0U);
	KUNIT_EXPECT_EQ(test, net.told, 1U);
	expect_replayed(test, imp, (const u64[]){ 2 }, 1);
	/* On disk later than its answer. */
	closed(test, imp, two, 4);
	KUNIT_EXPECT_EQ(test, net.told, 1U);
	expect_replayed(test, imp, (const u64[]){ 2, 4 }, 2);
	commit_all(imp);
	KUNIT_EXPECT_EQ(test, net.told, 2U);
	KUNIT_EXPECT_EQ(test, net.live, 0U);
	expect_replayed(test, imp, NULL, 0);
	end(test, imp);
}

/* An answer with an error has no handle. */
static void a_replay_that_fails_gives_no_handle(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	opened(test, imp, 1);
	first_is_refused(-ENOSPC);
	expect_replayed(test, imp, (const u64[]){ 1 }, 1);
	KUNIT_EXPECT_EQ(test, net.replayed, 0U);
	end(test, imp);
}

static void nothing_is_kept_for_a_target_that_keeps_nothing(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	clear_bit(IMPF_REPLAYABLE, &imp->imp_flags);
	answered(test, imp, 1);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 0U);
	end(test, imp);
}

static void an_invalidation_forgets_all(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	answered(test, imp, 1);
	answered(test, imp, 2);
	replay_import_changed(imp);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 2U);
	imp->imp_generation++;
	replay_import_changed(imp);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 0U);
	KUNIT_EXPECT_EQ(test, net.live, 0U);
	end(test, imp);
}

static void replay_is_in_order_and_under_the_old_xids(struct kunit *test)
{
	static const u64 order[] = { 3, 1, 7, 2, 5 };
	static const u64 want[] = { 1, 2, 3, 5, 7 };
	struct obd_import *imp = begin(test);
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(order); n++)
		answered(test, imp, order[n]);
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, replay(imp), 0);
	KUNIT_ASSERT_EQ(test, net.count, (unsigned int)ARRAY_SIZE(want) + 1);
	for (n = 0; n < ARRAY_SIZE(want); n++) {
		KUNIT_EXPECT_EQ(test, net.sent[n].transno, want[n]);
		KUNIT_EXPECT_EQ(test, net.sent[n].xid, 5000 + want[n]);
		KUNIT_EXPECT_EQ(test, net.sent[n].flags, (u32)MSG_REPLAY);
		KUNIT_EXPECT_EQ(test, net.sent[n].opc, (u32)OST_SET_INFO);
		KUNIT_EXPECT_EQ(test, (u64)net.sent[n].first, want[n]);
		KUNIT_EXPECT_EQ(test, (u32)net.sent[n].state,
				(u32)LUSTRE_IMP_REPLAY);
		KUNIT_EXPECT_GT(test, net.sent[n].timeout, 0U);
	}
	KUNIT_EXPECT_EQ(test, net.sent[n].opc, (u32)OBD_PING);
	KUNIT_EXPECT_EQ(test, net.sent[n].flags,
			(u32)(MSG_REQ_REPLAY_DONE | MSG_LOCK_REPLAY_DONE));
	KUNIT_EXPECT_EQ(test, (u32)net.sent[n].state,
			(u32)LUSTRE_IMP_REPLAY_WAIT);
	KUNIT_EXPECT_EQ(test, (u32)imp->imp_state, (u32)LUSTRE_IMP_REPLAY_WAIT);
	KUNIT_EXPECT_EQ(test, imp->imp_last_replay, 7ULL);
	/* They are kept: the target may die again. */
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 5U);
	end(test, imp);
}

static void a_replay_without_an_answer_is_the_end_of_it(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	answered(test, imp, 1);
	answered(test, imp, 2);
	net.fail_at = 1;
	net.fail_rc = -ETIMEDOUT;
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, replay(imp), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, net.count, 1U);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 2U);
	end(test, imp);
}

static void an_error_of_the_operation_is_none_of_the_replay(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	answered(test, imp, 1);
	answered(test, imp, 2);
	first_is_refused(-ENOSPC);
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, replay(imp), 0);
	KUNIT_EXPECT_EQ(test, net.count, 3U);
	/* No task waits for it, and the next start may have space. */
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 2U);
	end(test, imp);
}

/* The target has less space than before it restarted. */
static void a_write_that_is_refused_now_is_lost(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	write_over(write_answered(test, imp, 1), 0);
	write_over(write_answered(test, imp, 2), 0);
	first_is_refused(-ENOSPC);
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, replay(imp), 0);
	KUNIT_EXPECT_EQ(test, net.count, 3U);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 1U);
	KUNIT_EXPECT_EQ(test, net.told, 1U);
	KUNIT_EXPECT_EQ(test, net.told_rc, -ENOSPC);
	commit_all(imp);
	KUNIT_EXPECT_EQ(test, net.told, 2U);
	KUNIT_EXPECT_EQ(test, net.told_rc, 0);
	end(test, imp);
}

/* It stops again during the replay. */
static void a_write_to_a_target_that_stops_is_kept(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	write_over(write_answered(test, imp, 1), 0);
	first_is_refused(-ENODEV);
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, replay(imp), -ENODEV);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 1U);
	KUNIT_EXPECT_EQ(test, net.told, 0U);
	end(test, imp);
}

/* The server was busy: the request was not handled, and later ones must not overtake it. */
static void a_replay_that_was_not_done_is_not_passed_over(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	answered(test, imp, 1);
	answered(test, imp, 2);
	first_is_refused(-EINPROGRESS);
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, replay(imp), -EINPROGRESS);
	KUNIT_EXPECT_EQ(test, net.count, 1U);
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 2U);
	end(test, imp);
}

/* The page of a write is being written. The service refuses it each time, as of a bad CRC. */
static void pages_that_change_are_copied(struct kunit *test)
{
	struct obd_import *imp = begin(test);
	struct page *page = alloc_page(GFP_KERNEL);
	struct bio_vec part = { .bv_page = page, .bv_offset = 7, .bv_len = 100 };
	struct ptlrpc_bulk bulk = { .bk_vec = &part, .bk_nr = 1, .bk_len = 100 };
	struct ptlrpc_request *req = write_answered(test, imp, 1);
	u8 *bytes;

	KUNIT_ASSERT_NOT_NULL(test, page);
	bytes = page_address(page);
	bytes[7] = 0xa1;
	bytes[106] = 0xa2;
	req->rq_bulk_out = &bulk;
	req->rq_msg_flags = MSG_BULK_PLAIN;
	write_over(req, 0);
	first_is_refused(-EINPROGRESS);
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, replay(imp), 0);
	KUNIT_ASSERT_EQ(test, net.count, 3U);
	KUNIT_EXPECT_PTR_EQ(test, net.sent[0].bulk, (const struct ptlrpc_bulk *)&bulk);
	KUNIT_EXPECT_PTR_NE(test, net.sent[1].bulk, (const struct ptlrpc_bulk *)&bulk);
	KUNIT_EXPECT_EQ(test, net.sent[1].transno, 1ULL);
	KUNIT_EXPECT_EQ(test, (u32)net.sent[1].bytes[0], 0xa1U);
	KUNIT_EXPECT_EQ(test, (u32)net.sent[1].bytes[1], 0xa2U);
	KUNIT_EXPECT_EQ(test, net.sent[1].flags, (u32)(MSG_REPLAY | MSG_BULK_PLAIN));
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 1U);
	commit_all(imp);
	__free_page(page);
	end(test, imp);
}

/* An answer of the target that comes after it has restarted. */
static void an_answer_of_an_earlier_life_does_not_count(struct kunit *test)
{
	struct obd_import *imp = begin(test);
	struct ptlrpc_request *req = fake_new(imp, OST_SET_INFO, OST_REQUEST_PORTAL, lens, 1);

	KUNIT_ASSERT_NOT_NULL(test, req);
	imp->imp_remote_handle.cookie = 78;
	req->rq_rep.type = PTL_RPC_MSG_REPLY;
	req->rq_rep.transno = 1;
	req->rq_rep.handle = 77;
	KUNIT_EXPECT_FALSE(test, ptlrpc_replay_note(req));
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 0U);
	req->rq_rep.handle = 78;
	KUNIT_EXPECT_TRUE(test, ptlrpc_replay_note(req));
	KUNIT_EXPECT_EQ(test, imp->imp_replay_count, 1U);
	fake_put(req);
	end(test, imp);
}

/* The connection is lost during the replay: those that were answered are not sent again. */
static void a_replay_goes_on_where_it_was(struct kunit *test)
{
	struct obd_import *imp = begin(test);
	u64 n;

	for (n = 1; n <= 3; n++)
		answered(test, imp, n);
	net.fail_at = 2;
	net.fail_rc = -ETIMEDOUT;
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, replay(imp), -ETIMEDOUT);
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, replay_on(imp), 0);
	KUNIT_ASSERT_EQ(test, net.count, 5U);
	KUNIT_EXPECT_EQ(test, net.sent[2].transno, 2ULL);
	KUNIT_EXPECT_EQ(test, net.sent[3].transno, 3ULL);
	KUNIT_EXPECT_EQ(test, net.sent[4].opc, (u32)OBD_PING);
	/* It restarts again. */
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, replay(imp), 0);
	KUNIT_ASSERT_EQ(test, net.count, 9U);
	KUNIT_EXPECT_EQ(test, net.sent[5].transno, 1ULL);
	end(test, imp);
}

static void replay_ends_when_somebody_wants_it(struct kunit *test)
{
	struct obd_import *imp = begin(test);

	answered(test, imp, 1);
	atomic_inc(&imp->imp_cancel);
	imp->imp_state = LUSTRE_IMP_REPLAY;
	KUNIT_EXPECT_EQ(test, replay(imp), -ECANCELED);
	KUNIT_EXPECT_EQ(test, net.count, 0U);
	end(test, imp);
}

static struct kunit_case replay_cases[] = {
	KUNIT_CASE(kept_until_it_is_on_disk),
	KUNIT_CASE(a_write_is_kept_with_its_pages),
	KUNIT_CASE(a_write_on_disk_is_not_kept),
	KUNIT_CASE(pages_are_kept_until_the_request_is_over),
	KUNIT_CASE(pages_are_kept_until_the_replay_is_over),
	KUNIT_CASE(a_write_that_is_lost_says_so),
	KUNIT_CASE(a_write_that_fails_says_so),
	KUNIT_CASE(an_open_is_replayed_though_it_is_on_disk),
	KUNIT_CASE(opens_come_in_order_with_the_rest),
	KUNIT_CASE(a_commit_during_replay_skips_no_open),
	KUNIT_CASE(a_close_before_the_commit_leaves_an_ordinary_request),
	KUNIT_CASE(a_close_on_disk_ends_its_open_at_once),
	KUNIT_CASE(a_replay_that_fails_gives_no_handle),
	KUNIT_CASE(nothing_is_kept_for_a_target_that_keeps_nothing),
	KUNIT_CASE(an_invalidation_forgets_all),
	KUNIT_CASE(replay_is_in_order_and_under_the_old_xids),
	KUNIT_CASE(a_replay_without_an_answer_is_the_end_of_it),
	KUNIT_CASE(an_error_of_the_operation_is_none_of_the_replay),
	KUNIT_CASE(a_write_that_is_refused_now_is_lost),
	KUNIT_CASE(a_write_to_a_target_that_stops_is_kept),
	KUNIT_CASE(a_replay_that_was_not_done_is_not_passed_over),
	KUNIT_CASE(pages_that_change_are_copied),
	KUNIT_CASE(an_answer_of_an_earlier_life_does_not_count),
	KUNIT_CASE(a_replay_goes_on_where_it_was),
	KUNIT_CASE(replay_ends_when_somebody_wants_it),
	{}
};

static struct kunit_suite replay_suite = {
	.name = "ptlrpc_replay",
	.suite_init = client_suite_init,
	.init = import_fixture_init,
	.exit = import_fixture_exit,
	.test_cases = replay_cases,
};
kunit_test_suite(replay_suite);

MODULE_DESCRIPTION("requests that a client keeps and replays");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
