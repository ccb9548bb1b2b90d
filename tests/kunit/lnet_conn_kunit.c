// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connections over loopback TCP: states, messages, bulk data, taking messages back,
 * pausing, a leader, the end. What a node does that sends wrong bytes is in
 * lnet_conn_wire_kunit.c, what both ends agree on in lnet_conn_hello_kunit.c.
 *
 * Processors: 2
 */
#include "conn_fixture.h"

static const bool may_go[CONN_STATE_COUNT][CONN_STATE_COUNT] = {
	[CONN_NEW][CONN_HELLO] = true,
	[CONN_NEW][CONN_CLOSING] = true,
	[CONN_HELLO][CONN_OPEN] = true,
	[CONN_HELLO][CONN_CLOSING] = true,
	[CONN_OPEN][CONN_CLOSING] = true,
	[CONN_CLOSING][CONN_CLOSED] = true,
};

static void a_state_goes_where_the_table_says(struct kunit *test)
{
	struct lnet_conn conn = {};
	unsigned int from, to;
	bool moved;

	spin_lock_init(&conn.cn_lock);
	for (from = 0; from < CONN_STATE_COUNT; from++) {
		for (to = 0; to <= CONN_STATE_COUNT; to++) {
			bool may = to < CONN_STATE_COUNT && may_go[from][to];

			conn.cn_state = from;
			spin_lock_bh(&conn.cn_lock);
			moved = conn_set_state(&conn, to);
			spin_unlock_bh(&conn.cn_lock);
			KUNIT_EXPECT_EQ(test, moved, may);
			KUNIT_EXPECT_EQ(test, (unsigned int)conn.cn_state,
					may ? to : from);
		}
	}
}

/* The local port of an end. */
static unsigned int port_of(struct kunit *test, struct end *e)
{
	struct ll_rpc_conn told = {};
	unsigned int port;

	conn_describe(e->conn, &told);
	if (sscanf(told.rc_local, "127.0.0.1:%u", &port) == 1)
		return port;
	KUNIT_FAIL(test, "local end is %s", told.rc_local);
	return 0;
}

static void both_ends_know_each_other(struct kunit *test)
{
	struct ll_rpc_conn told = {};
	char nid[LNET_NID_TEXT_MAX];
	struct end a, b;

	conn_fx_pair(test, &a, &b);
	KUNIT_EXPECT_GT(test, libcfs_nid_print(&b.conn->cn_nid, nid,
					       sizeof(nid)), 0);
	KUNIT_EXPECT_STREQ(test, nid, "127.0.0.1@tcp");
	KUNIT_EXPECT_TRUE(test, test_bit(CNF_CRC, &a.conn->cn_flags));
	KUNIT_EXPECT_TRUE(test, test_bit(CNF_CRC, &b.conn->cn_flags));
	KUNIT_EXPECT_FALSE(test, test_bit(CNF_PASSIVE, &a.conn->cn_flags));
	conn_describe(a.conn, &told);
	KUNIT_EXPECT_STREQ(test, told.rc_state, "OPEN");
	KUNIT_EXPECT_STREQ(test, told.rc_remote, "127.0.0.1:9988");
	KUNIT_EXPECT_LT(test, port_of(test, &a), 1024U);
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_CONNECTS), 1);
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_ACCEPTS), 1);
	conn_fx_part(test, &a, &b);
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_CLOSED), 2);
}

/* What was received after a time is not silence since then. */
static void silence_is_known(struct kunit *test)
{
	struct end a, b;
	u64 before;

	conn_fx_pair(test, &a, &b);
	KUNIT_EXPECT_TRUE(test, lnet_conn_is_silent(b.conn, ktime_get_ns()));
	msleep(50);
	before = ktime_get_ns();
	msleep(50);
	parcel_send(test, a.conn, 1, 100);
	end_await_messages(test, &b, 1);
	KUNIT_EXPECT_FALSE(test, lnet_conn_is_silent(b.conn, before));
	KUNIT_EXPECT_TRUE(test, lnet_conn_is_silent(a.conn, before));
	conn_fx_part(test, &a, &b);
}

static void ipv6_is_as_good(struct kunit *test)
{
	struct end a, b;

	end_connect(test, &a, "::1@tcp2");
	end_accept(test, &b);
	end_await_open(test, &a);
	end_await_open(test, &b);
	KUNIT_EXPECT_EQ(test, b.conn->cn_nid.nid_len, 16);
	KUNIT_EXPECT_EQ(test, b.conn->cn_nid.nid_net, 2);
	parcel_send(test, a.conn, 1, 100);
	end_await_messages(test, &b, 1);
	conn_fx_part(test, &a, &b);
}

static const u32 msg_sizes[] = {
	0, 1, 7, 8, 9, 32, 1000, 3919, 3920, 3921, 4096, 8191, 16384, 40000,
	WIRE_MSG_MAX - WIRE_MSG_SIZE,
};

static void send_sizes(struct kunit *test)
{
	struct end a, b;
	size_t n;

	conn_fx_pair(test, &a, &b);
	for (n = 0; n < ARRAY_SIZE(msg_sizes); n++) {
		parcel_send(test, a.conn, n + 1, msg_sizes[n]);
		parcel_send(test, b.conn, n + 1, msg_sizes[n]);
	}
	end_await_messages(test, &a, ARRAY_SIZE(msg_sizes));
	end_await_messages(test, &b, ARRAY_SIZE(msg_sizes));
	conn_fx_part(test, &a, &b);
}

static void messages_of_every_size_arrive(struct kunit *test)
{
	send_sizes(test);
	lnet_settings.ls_crc = false;
	send_sizes(test);
}

static void send_burst(struct kunit *test, struct lnet_conn *conn,
		       struct parcel **p, unsigned int count, u32 len)
{
	unsigned int n;

	for (n = 0; n < count; n++) {
		p[n] = parcel_make(test, PTL_RPC_MSG_REQUEST, n + 1,
				   n % 64 ? n % 200 : len);
		KUNIT_EXPECT_EQ(test, lnet_conn_send(conn, &p[n]->tx), 0);
	}
	for (n = 0; n < count; n++) {
		parcel_await(test, p[n], 0);
		parcel_free(p[n]);
	}
}

static void a_burst_arrives_in_order(struct kunit *test)
{
	static struct parcel *p[2000];
	struct end a, b;

	conn_fx_pair(test, &a, &b);
	send_burst(test, a.conn, p, ARRAY_SIZE(p), 60000);
	end_await_messages(test, &b, ARRAY_SIZE(p));
	conn_fx_part(test, &a, &b);
}

static const struct bulk_case {
	u32 len;
	u32 part;
} bulk_cases[] = {
	{ 1, 1 }, { 2, 1 }, { 3800, 3800 }, { 4096, 4096 }, { 4097, 4096 },
	{ 10000, 77 }, { 65536, 65536 }, { 1048576, 4096 }, { 1048577, 4001 },
	{ 3000001, 1000003 }, { WIRE_BULK_MAX, 4096 },
};

static void send_bulk(struct kunit *test, bool throw)
{
	struct parcel *p;
	struct end a, b;
	u64 bytes = 0;
	size_t n;

	conn_fx_pair(test, &a, &b);
	b.throw = throw;
	for (n = 0; n < ARRAY_SIZE(bulk_cases); n++) {
		p = parcel_make(test, PTL_RPC_MSG_REQUEST, n + 1, 40);
		parcel_add_bulk(test, p, n + 1, bulk_cases[n].len,
				bulk_cases[n].part);
		KUNIT_EXPECT_EQ(test, lnet_conn_send(a.conn, &p->tx), 0);
		parcel_await(test, p, 0);
		end_await_messages(test, &b, n + 1);
		bytes += bulk_cases[n].len;
		parcel_free(p);
	}
	KUNIT_EXPECT_EQ(test, b.bulk_bytes, throw ? 0 : bytes);
	conn_fx_part(test, &a, &b);
}

static void bulk_data_of_every_size_arrives(struct kunit *test)
{
	send_bulk(test, false);
	lnet_settings.ls_crc = false;
	send_bulk(test, false);
	lnet_settings.ls_bulk_crc = LNET_BULK_CRC_OFF;
	send_bulk(test, false);
}

/**
 * struct block - adjacent pages
 * @pages: first page
 * @order: of their number
 */
struct block {
	struct page	*pages;
	unsigned int	order;
};

/* One compound page, or pages with a reference each. */
static struct block block_make(struct kunit *test, unsigned int order, bool compound)
{
	struct block block = {
		.pages = alloc_pages(GFP_KERNEL | (compound ? __GFP_COMP : 0), order),
		.order = order,
	};

	KUNIT_ASSERT_NOT_NULL(test, block.pages);
	if (!compound)
		split_page(block.pages, order);
	return block;
}

static void block_free(const struct block *block, bool compound)
{
	unsigned int n;

	if (compound)
		__free_pages(block->pages, block->order);
	for (n = 0; !compound && n < 1U << block->order; n++)
		__free_page(block->pages + n);
}

#define BLOCK_ORDER	4
#define BLOCK_FIRST	5000
#define BLOCK_LEN	50000

/* Bulk data over page boundaries; the pages are freed as soon as tx_done() has come. */
static void send_blocks(struct kunit *test, bool compound)
{
	struct parcel *p = parcel_make(test, PTL_RPC_MSG_REQUEST, 1, 40);
	u8 *data = kunit_kzalloc(test, 2 * BLOCK_LEN, GFP_KERNEL);
	struct bio_vec parts[2];
	struct block blocks[2];
	struct end a, b;
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, data);
	conn_fx_fill(data, 1, 2 * BLOCK_LEN);
	for (n = 0; n < 2; n++) {
		blocks[n] = block_make(test, BLOCK_ORDER, compound);
		memcpy(page_address(blocks[n].pages) + BLOCK_FIRST,
		       data + n * BLOCK_LEN, BLOCK_LEN);
		bvec_set_page(&parts[n], blocks[n].pages, BLOCK_LEN, BLOCK_FIRST);
	}
	p->tx.tx_bulk = parts;
	p->tx.tx_bulk_nr = 2;
	p->tx.tx_bulk_len = 2 * BLOCK_LEN;
	conn_fx_pair(test, &a, &b);
	KUNIT_EXPECT_EQ(test, lnet_conn_send(a.conn, &p->tx), 0);
	parcel_await(test, p, 0);
	for (n = 0; n < 2; n++)
		block_free(&blocks[n], compound);
	end_await_messages(test, &b, 1);
	KUNIT_EXPECT_EQ(test, b.bulk_bytes, 2ULL * BLOCK_LEN);
	conn_fx_part(test, &a, &b);
	parcel_free(p);
}

static void bulk_data_over_page_boundaries_arrives(struct kunit *test)
{
	send_blocks(test, true);
	send_blocks(test, false);
}

static void bulk_data_nobody_wants_is_thrown_away(struct kunit *test)
{
	send_bulk(test, true);
}

static void what_is_too_long_for_the_other_end_is_not_sent(struct kunit *test)
{
	struct parcel *p = parcel_make(test, PTL_RPC_MSG_REQUEST, 1, 5000);
	struct end a, b;

	conn_fx_pair(test, &a, &b);
	conn_private(a.conn)->cp_peer_msg_max = 4096;
	KUNIT_EXPECT_EQ(test, lnet_conn_send(a.conn, &p->tx), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, atomic_read(&p->calls), 0);
	lnet_conn_get(b.conn);
	conn_fx_part(test, &a, &b);
	KUNIT_EXPECT_EQ(test, lnet_conn_send(b.conn, &p->tx), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, atomic_read(&p->calls), 0);
	lnet_conn_put(b.conn);
	parcel_free(p);
}

/* Messages until the socket takes no more: all but the first stay in the queue. */
#define STUCK	40

/**
 * struct stuck - messages to an end that does not read
 * @a: end that sends
 * @b: end that takes the first message later
 * @p: messages, with much bulk data each
 */
struct stuck {
	struct end	a;
	struct end	b;
	struct parcel	*p[STUCK];
};

static struct stuck *stuck_make(struct kunit *test, u32 kind, unsigned int count)
{
	struct stuck *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, s);
	conn_fx_pair(test, &s->a, &s->b);
	s->b.refuse = -EAGAIN;
	s->b.throw = true;
	for (n = 0; n < count; n++) {
		s->p[n] = parcel_make(test, kind, n + 1, 500);
		parcel_add_bulk(test, s->p[n], n + 1, WIRE_BULK_MAX, 4096);
		KUNIT_EXPECT_EQ(test, lnet_conn_send(s->a.conn, &s->p[n]->tx), 0);
	}
	end_await(test, &s->b, atomic_read(&s->b.offers) > 0);
	return s;
}

static void stuck_free(struct stuck *s)
{
	unsigned int n;

	for (n = 0; n < STUCK && s->p[n]; n++)
		parcel_free(s->p[n]);
}

/* The message that is half sent, if there is one. */
static struct parcel *stuck_half(struct stuck *s)
{
	unsigned int n;

	for (n = 0; n < STUCK && s->p[n]; n++) {
		if (READ_ONCE(s->p[n]->tx.tx_state) == LNET_TX_SENDING &&
		    READ_ONCE(s->p[n]->tx.tx_sent))
			return s->p[n];
	}
	return NULL;
}

/*
 * Take back the one that is half sent. The socket may have taken the rest of it before that;
 * then it is the next one.
 */
static struct parcel *stuck_recall_half(struct kunit *test, struct stuck *s)
{
	unsigned long until = jiffies + CONN_WAIT;
	struct parcel *half;

	do {
		half = stuck_half(s);
		if (half)
			lnet_conn_recall(s->a.conn, &half->tx);
		else
			msleep(20);
	} while ((!half || !half->rc) && time_before(jiffies, until));
	KUNIT_ASSERT_NOT_NULL(test, half);
	return half;
}

static void what_is_queued_can_be_taken_back(struct kunit *test)
{
	struct stuck *s = stuck_make(test, PTL_RPC_MSG_REQUEST, 6);
	unsigned int n;

	KUNIT_EXPECT_EQ(test, s->p[5]->tx.tx_state, LNET_TX_QUEUED);
	lnet_conn_recall(s->a.conn, &s->p[5]->tx);
	parcel_await(test, s->p[5], -ECANCELED);
	/* Nothing happens to one that is gone. */
	lnet_conn_recall(s->a.conn, &s->p[5]->tx);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->p[5]->calls), 1);
	WRITE_ONCE(s->b.refuse, 0);
	lnet_conn_resume(s->b.conn);
	for (n = 0; n < 5; n++)
		parcel_await(test, s->p[n], 0);
	end_await_messages(test, &s->b, 5);
	conn_fx_part(test, &s->a, &s->b);
	stuck_free(s);
}

/* Its owner frees it, and the other end gets all of it. */
static void the_rest_of_half_a_message_goes_out(struct kunit *test)
{
	struct stuck *s = stuck_make(test, PTL_RPC_MSG_REQUEST, 6);
	struct parcel *half = stuck_recall_half(test, s);
	unsigned int n;

	KUNIT_EXPECT_EQ(test, atomic_read(&half->calls), 1);
	KUNIT_EXPECT_EQ(test, half->rc, -ECANCELED);
	for (n = 0; n < 6; n++) {
		if (s->p[n] == half)
			s->p[n] = parcel_make(test, PTL_RPC_MSG_REQUEST, n + 1, 500);
	}
	parcel_free(half);
	s->b.throw = false;
	WRITE_ONCE(s->b.refuse, 0);
	lnet_conn_resume(s->b.conn);
	end_await_messages(test, &s->b, 6);
	KUNIT_EXPECT_EQ(test, s->b.bulk_bytes, 6ULL * WIRE_BULK_MAX);
	conn_fx_part(test, &s->a, &s->b);
	stuck_free(s);
}

/* Until it reads no more. */
static void await_paused(struct end *e)
{
	unsigned long until = jiffies + CONN_WAIT;

	while (!test_bit(CNF_RX_PAUSED, &e->conn->cn_flags) &&
	       time_before(jiffies, until))
		msleep(20);
}

static void a_paused_connection_is_not_read(struct kunit *test)
{
	struct end a, b;
	unsigned int n;

	conn_fx_pair(test, &a, &b);
	b.refuse = -EAGAIN;
	for (n = 0; n < 10; n++)
		parcel_send(test, a.conn, n + 1, 100);
	await_paused(&b);
	msleep(50);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.offers), 1);
	KUNIT_EXPECT_TRUE(test, test_bit(CNF_RX_PAUSED, &b.conn->cn_flags));
	/* The same one is offered again, and still not wanted. */
	lnet_conn_resume(b.conn);
	end_await(test, &b, atomic_read(&b.offers) == 2);
	WRITE_ONCE(b.refuse, 0);
	lnet_conn_resume(b.conn);
	end_await_messages(test, &b, 10);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.offers), 12);
	conn_fx_part(test, &a, &b);
}

/* Resumes, whenever it is, while the other task pauses. */
static long resume_always(void *arg)
{
	struct end *b = arg;
	unsigned long end = jiffies + CONN_WAIT;
	int seen = 0, now;

	/* As long as messages come: 2000 take a while where each step is watched. */
	while ((now = atomic_read(&b->messages)) < 2000 &&
	       (now != seen || time_before(jiffies, end))) {
		if (now != seen)
			end = jiffies + CONN_WAIT;
		seen = now;
		WRITE_ONCE(b->refuse, 0);
		lnet_conn_resume(b->conn);
		udelay(3);
		WRITE_ONCE(b->refuse, -EAGAIN);
		cond_resched();
	}
	return 0;
}

static void no_resume_is_lost(struct kunit *test)
{
	static struct parcel *p[2000];
	struct end a, b;
	struct aside aside;

	if (num_online_cpus() < 2)
		kunit_skip(test, "wants two processors");
	conn_fx_pair(test, &a, &b);
	aside_start(test, &aside, resume_always, &b);
	send_burst(test, a.conn, p, ARRAY_SIZE(p), 1000);
	aside_join(test, &aside);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.messages), 2000);
	conn_fx_part(test, &a, &b);
}

/* Whether a request may be let in because nothing went out for so long. */
static bool may_let_in(struct lnet_conn *conn)
{
	unsigned long progress =
		READ_ONCE(conn_private(conn)->cp_writer.cwr_progress);

	return time_after_eq(jiffies, progress + TX_WATCH_PERIOD);
}

static void answers_that_do_not_go_out_stop_requests(struct kunit *test)
{
	struct stuck *s = stuck_make(test, PTL_RPC_MSG_REPLY, 8);
	unsigned int n;
	int offers;
	bool paused;

	/* More than there may be wait: requests of the other end are not read. */
	parcel_send(test, s->b.conn, 1, 100);
	await_paused(&s->a);
	msleep(100);
	offers = atomic_read(&s->a.offers);
	paused = test_bit(CNF_RX_PAUSED, &s->a.conn->cn_flags);
	if (!may_let_in(s->a.conn)) {
		KUNIT_EXPECT_EQ(test, offers, 0);
		KUNIT_EXPECT_TRUE(test, paused);
	}
	WRITE_ONCE(s->b.refuse, 0);
	lnet_conn_resume(s->b.conn);
	for (n = 0; n < 8; n++)
		parcel_await(test, s->p[n], 0);
	end_await_messages(test, &s->a, 1);
	conn_fx_part(test, &s->a, &s->b);
	stuck_free(s);
}

static void two_that_do_not_read_get_further_slowly(struct kunit *test)
{
	struct stuck *s = stuck_make(test, PTL_RPC_MSG_REPLY, 8);

	parcel_send(test, s->b.conn, 1, 100);
	/* Nothing goes out: the request is let in after a while. */
	end_await_messages(test, &s->a, 1);
	lnet_conn_close(s->a.conn, -EIO);
	end_await_closed(test, &s->a, -EIO);
	WRITE_ONCE(s->b.refuse, 0);
	lnet_conn_resume(s->b.conn);
	end_await_closed(test, &s->b, -ECONNRESET);
	stuck_free(s);
}

static void an_end_that_never_reads_is_given_up(struct kunit *test)
{
	struct stuck *s;
	unsigned int n;

	s = stuck_make(test, PTL_RPC_MSG_REQUEST, 6);
	/* As if so much time had passed. */
	obd_timeout = 1;
	end_await_closed(test, &s->a, -ETIMEDOUT);
	for (n = 0; n < 6; n++)
		KUNIT_EXPECT_EQ(test, atomic_read(&s->p[n]->calls), 1);
	WRITE_ONCE(s->b.refuse, 0);
	lnet_conn_resume(s->b.conn);
	end_await_closed(test, &s->b, -ECONNRESET);
	stuck_free(s);
}

/* As a task that waits for an answer does it. */
static void lead_until(struct kunit *test, struct end *e, int count)
{
	bool lead = lnet_conn_reader_begin(e->conn, &e->wq);

	KUNIT_EXPECT_TRUE(test, lead);
	while (atomic_read(&e->messages) < count) {
		end_await(test, e, atomic_read(&e->messages) >= count ||
			  lnet_conn_reader_ready(e->conn));
		if (lnet_conn_reader_ready(e->conn))
			lnet_conn_read(e->conn);
	}
	lnet_conn_reader_end(e->conn, &e->wq);
}

static void a_leader_reads_for_itself(struct kunit *test)
{
	struct wait_queue_head other;
	struct end a, b;

	init_waitqueue_head(&other);
	conn_fx_pair(test, &a, &b);
	KUNIT_ASSERT_TRUE(test, lnet_conn_reader_begin(b.conn, &b.wq));
	KUNIT_EXPECT_FALSE(test, lnet_conn_reader_begin(b.conn, &other));
	/* The work that read HELLO looks for more, unless it knows of the leader. */
	flush_work(&conn_private(b.conn)->cp_rx_work);
	lnet_conn_read(b.conn);
	KUNIT_ASSERT_FALSE(test, lnet_conn_reader_ready(b.conn));
	parcel_send(test, a.conn, 1, 100);
	end_await(test, &b, lnet_conn_reader_ready(b.conn));
	KUNIT_EXPECT_EQ(test, atomic_read(&b.offers), 0);
	lnet_conn_read(b.conn);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.messages), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.inline_count), 0);
	KUNIT_EXPECT_PTR_EQ(test, b.reader, current);
	KUNIT_EXPECT_FALSE(test, lnet_conn_reader_ready(b.conn));
	/* What comes, and is not read, is for the work. */
	parcel_send(test, a.conn, 2, 100);
	end_await(test, &b, lnet_conn_reader_ready(b.conn));
	lnet_conn_reader_end(b.conn, &b.wq);
	end_await_messages(test, &b, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.inline_count), 1);
	KUNIT_EXPECT_PTR_NE(test, b.reader, current);
	conn_fx_part(test, &a, &b);
}

#define LEAD_ROUNDS	2000

static struct kunit *many_test;

/* One after the other, with gaps. */
static long send_many(void *arg)
{
	struct end *a = arg;
	unsigned int n;

	for (n = 0; n < LEAD_ROUNDS; n++) {
		parcel_send(many_test, a->conn, n + 1, n % 100);
		if (n % 7 == 0)
			usleep_range(10, 50);
	}
	return 0;
}

static void leaders_come_and_go_and_nothing_is_left(struct kunit *test)
{
	struct aside aside;
	struct end a, b;
	int seen;

	conn_fx_pair(test, &a, &b);
	many_test = test;
	aside_start(test, &aside, send_many, &a);
	do {
		seen = atomic_read(&b.messages);
		if (seen < LEAD_ROUNDS)
			lead_until(test, &b, seen + 1);
	} while (seen < LEAD_ROUNDS);
	KUNIT_EXPECT_EQ(test, aside_join(test, &aside), 0L);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.messages), LEAD_ROUNDS);
	conn_fx_part(test, &a, &b);
}

/* Writeback may wait for each message, so what handles one must not wait for writeback. */
static void senders_and_readers_do_not_enter_reclaim(struct kunit *test)
{
	struct parcel *p;
	struct end a, b;

	conn_fx_pair(test, &a, &b);
	p = parcel_make(test, PTL_RPC_MSG_REQUEST, 1, 100);
	KUNIT_EXPECT_FALSE(test, current->flags & PF_MEMALLOC_NOIO);
	KUNIT_EXPECT_EQ(test, lnet_conn_send(a.conn, &p->tx), 0);
	KUNIT_EXPECT_FALSE(test, current->flags & PF_MEMALLOC_NOIO);
	parcel_await(test, p, 0);
	KUNIT_EXPECT_TRUE(test, p->in_scope);
	parcel_free(p);
	end_await_messages(test, &b, 1);
	conn_fx_part(test, &a, &b);
}

static void reply_send(struct kunit *test, struct end *from, u64 xid, u32 len)
{
	struct parcel *p = parcel_make(test, PTL_RPC_MSG_REPLY, xid, len);

	KUNIT_EXPECT_EQ(test, lnet_conn_send(from->conn, &p->tx), 0);
	parcel_await(test, p, 0);
	parcel_free(p);
}

static void a_reply_is_received_in_the_reserved_buffer(struct kunit *test)
{
	const void *reserved;
	struct end a, b;

	conn_fx_pair(test, &a, &b);
	b.reserved_len = 1024;
	reserved = b.reserved = kmalloc(b.reserved_len, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, reserved);
	/* A request has no reserved buffer. */
	parcel_send(test, a.conn, 1, 100);
	end_await_messages(test, &b, 1);
	KUNIT_EXPECT_EQ(test, b.reserved_xid, 0ULL);
	reply_send(test, &a, 2, 100);
	end_await_messages(test, &b, 2);
	KUNIT_EXPECT_EQ(test, b.reserved_xid, 2ULL);
	KUNIT_EXPECT_PTR_EQ(test, b.rx_msg, reserved);
	KUNIT_EXPECT_NULL(test, b.reserved);
	/* One for which none is reserved, and one that is larger than it. */
	reply_send(test, &a, 3, 100);
	end_await_messages(test, &b, 3);
	b.reserved = kmalloc(b.reserved_len, GFP_KERNEL);
	reserved = b.reserved;
	reply_send(test, &a, 4, 60000);
	end_await_messages(test, &b, 4);
	KUNIT_EXPECT_EQ(test, b.reserved_xid, 4ULL);
	KUNIT_EXPECT_PTR_EQ(test, b.reserved, (void *)reserved);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.wrong), 0);
	kfree(b.reserved);
	conn_fx_part(test, &a, &b);
}

static void a_refused_message_ends_the_connection(struct kunit *test)
{
	struct end a, b;

	conn_fx_pair(test, &a, &b);
	b.refuse = -ENOMEM;
	parcel_send(test, a.conn, 1, 100);
	end_await_closed(test, &b, -ENOMEM);
	end_await_closed(test, &a, -ECONNRESET);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.failed), 0);
}

/**
 * struct sender - a task that sends until it cannot
 * @test: case
 * @end: by which it sends
 * @seed: of the lengths
 * @bulk: with bulk data
 * @sent: messages that were taken
 * @aside: the task
 */
struct sender {
	struct kunit	*test;
	struct end	*end;
	u32		seed;
	bool		bulk;
	unsigned int	sent;
	struct aside	aside;
};

static struct parcel *sender_parcel(struct sender *s)
{
	u32 len = s->seed % 3000;
	struct parcel *p;

	s->seed = s->seed * 1664525 + 1013904223;
	p = parcel_make(s->test, PTL_RPC_MSG_REQUEST, s->sent, len);
	if (s->bulk && len % 3 == 0)
		parcel_add_bulk(s->test, p, s->sent, 1 + len * 50, 4096);
	return p;
}

static long sender_run(void *arg)
{
	struct sender *s = arg;
	struct parcel *p;
	long bad = 0;
	int rc;

	for (;;) {
		p = sender_parcel(s);
		rc = lnet_conn_send(s->end->conn, &p->tx);
		if (rc)
			break;
		s->sent++;
		/* Some are recalled, also half sent. */
		if (s->seed % 97 == 0)
			lnet_conn_recall(s->end->conn, &p->tx);
		if (!wait_for_completion_timeout(&p->done, CONN_WAIT))
			return -ETIMEDOUT;
		lnet_conn_recall(s->end->conn, &p->tx);
		bad += atomic_read(&p->calls) != 1;
		parcel_free(p);
		cond_resched();
	}
	bad += atomic_read(&p->calls);
	parcel_free(p);
	return rc == -ENOTCONN ? bad : rc;
}

#define SENDERS		6
#define CLOSE_ROUNDS	20

static void close_under_load(struct kunit *test, unsigned int round)
{
	struct sender *s = kunit_kcalloc(test, SENDERS, sizeof(*s), GFP_KERNEL);
	struct end a, b;
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, s);
	conn_fx_pair(test, &a, &b);
	a.unordered = true;
	b.unordered = true;
	a.throw = true;
	for (n = 0; n < SENDERS; n++) {
		s[n].test = test;
		s[n].end = n % 2 ? &a : &b;
		s[n].bulk = n % 2;
		s[n].seed = round * SENDERS + n;
		aside_start(test, &s[n].aside, sender_run, &s[n]);
	}
	msleep(round * 5);
	lnet_conn_close(round % 2 ? a.conn : b.conn, -EIO);
	for (n = 0; n < SENDERS; n++)
		KUNIT_EXPECT_EQ(test, aside_join(test, &s[n].aside), 0L);
	wait_for_completion_timeout(&a.closed, CONN_WAIT);
	wait_for_completion_timeout(&b.closed, CONN_WAIT);
	/* A recall may have completed the message first. */
	end_await_closed(test, &a, a.conn->cn_error);
	end_await_closed(test, &b, b.conn->cn_error);
}

static void an_end_under_load_leaves_nothing(struct kunit *test)
{
	unsigned int round;

	for (round = 0; round < CLOSE_ROUNDS; round++)
		close_under_load(test, round);
}

static void nobody_there_is_said(struct kunit *test)
{
	struct end a;

	sock_release(cf.listener);
	cf.listener = NULL;
	end_connect(test, &a, "127.0.0.1@tcp");
	end_await_closed(test, &a, -ECONNREFUSED);
	KUNIT_EXPECT_FALSE(test, completion_done(&a.opened));
}

static void a_silent_node_is_not_waited_for(struct kunit *test)
{
	struct socket *sock;
	struct end a;

	end_connect(test, &a, "127.0.0.1@tcp");
	sock = conn_fx_accept(test);
	lnet_conn_close(a.conn, -ETIMEDOUT);
	end_await_closed(test, &a, -ETIMEDOUT);
	sock_release(sock);
}

static void one_that_was_never_started_is_freed(struct kunit *test)
{
	struct lnet_conn *conn;
	struct socket *sock;
	struct end a;

	end_connect(test, &a, "127.0.0.1@tcp");
	sock = conn_fx_accept(test);
	conn = conn_make(&cf.net, NULL, sock);
	KUNIT_ASSERT_FALSE(test, IS_ERR(conn));
	lnet_conn_put(conn);
	end_await_closed(test, &a, -ECONNRESET);
}

/* Keep a port from being used by anybody else. */
static struct socket *hold_port(u16 port)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
	};
	struct socket *sock;

	if (sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP,
			     &sock))
		return NULL;
	if (!kernel_bind(sock, (struct sockaddr *)&addr, sizeof(addr)))
		return sock;
	sock_release(sock);
	return NULL;
}

#define HELD_PORTS	(RESERVED_PORT_FIRST - RESERVED_PORT_LAST + 1)

static void the_highest_free_port_is_used_or_any(struct kunit *test)
{
	static struct socket *held[HELD_PORTS];
	struct end a, b;
	unsigned int n;

	for (n = 0; n < HELD_PORTS; n++)
		held[n] = hold_port(RESERVED_PORT_LAST + n);
	conn_fx_pair(test, &a, &b);
	KUNIT_EXPECT_GE(test, port_of(test, &a), 1024U);
	conn_fx_part(test, &a, &b);
	sock_release(held[700 - RESERVED_PORT_LAST]);
	sock_release(held[600 - RESERVED_PORT_LAST]);
	held[700 - RESERVED_PORT_LAST] = NULL;
	held[600 - RESERVED_PORT_LAST] = NULL;
	conn_fx_pair(test, &a, &b);
	KUNIT_EXPECT_EQ(test, port_of(test, &a), 700U);
	for (n = 0; n < HELD_PORTS; n++) {
		if (held[n])
			sock_release(held[n]);
	}
	conn_fx_part(test, &a, &b);
}

static void two_to_the_same_node_have_ports_of_their_own(struct kunit *test)
{
	struct end a, b, c, d;

	conn_fx_pair(test, &a, &b);
	conn_fx_pair(test, &c, &d);
	KUNIT_EXPECT_NE(test, port_of(test, &a), port_of(test, &c));
	KUNIT_EXPECT_LT(test, port_of(test, &c), 1024U);
	conn_fx_part(test, &a, &b);
	conn_fx_part(test, &c, &d);
}

static struct kunit_case conn_cases[] = {
	KUNIT_CASE(a_state_goes_where_the_table_says),
	KUNIT_CASE(both_ends_know_each_other),
	KUNIT_CASE(silence_is_known),
	KUNIT_CASE(ipv6_is_as_good),
	KUNIT_CASE(messages_of_every_size_arrive),
	KUNIT_CASE(a_burst_arrives_in_order),
	KUNIT_CASE(bulk_data_of_every_size_arrives),
	KUNIT_CASE(bulk_data_over_page_boundaries_arrives),
	KUNIT_CASE(bulk_data_nobody_wants_is_thrown_away),
	KUNIT_CASE(what_is_too_long_for_the_other_end_is_not_sent),
	KUNIT_CASE(what_is_queued_can_be_taken_back),
	KUNIT_CASE(the_rest_of_half_a_message_goes_out),
	KUNIT_CASE(a_paused_connection_is_not_read),
	KUNIT_CASE(no_resume_is_lost),
	KUNIT_CASE(answers_that_do_not_go_out_stop_requests),
	KUNIT_CASE(two_that_do_not_read_get_further_slowly),
	KUNIT_CASE(an_end_that_never_reads_is_given_up),
	KUNIT_CASE(a_leader_reads_for_itself),
	KUNIT_CASE(leaders_come_and_go_and_nothing_is_left),
	KUNIT_CASE(senders_and_readers_do_not_enter_reclaim),
	KUNIT_CASE(a_reply_is_received_in_the_reserved_buffer),
	KUNIT_CASE(a_refused_message_ends_the_connection),
	KUNIT_CASE(an_end_under_load_leaves_nothing),
	KUNIT_CASE(nobody_there_is_said),
	KUNIT_CASE(a_silent_node_is_not_waited_for),
	KUNIT_CASE(one_that_was_never_started_is_freed),
	KUNIT_CASE(the_highest_free_port_is_used_or_any),
	KUNIT_CASE(two_to_the_same_node_have_ports_of_their_own),
	{}
};

static struct kunit_suite conn_suite = {
	.name = "lnet_conn",
	.suite_init = client_suite_init,
	.init = conn_fx_init,
	.exit = conn_fx_exit,
	.test_cases = conn_cases,
};
kunit_test_suite(conn_suite);

MODULE_DESCRIPTION("connections");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
