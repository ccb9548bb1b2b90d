/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cases of connections that are the same over TCP and inside one kernel: messages and bulk
 * data of every size, taking messages back, pausing, the reader role, the end.
 */
#ifndef _KUNIT_CONN_CASES_H
#define _KUNIT_CONN_CASES_H

#include "conn_fixture.h"

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
	lnet_settings.lns_crc = false;
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
	{ 3000001, 1000003 }, { WIRE_BULK_DEFAULT, 4096 },
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
	lnet_settings.lns_crc = false;
	send_bulk(test, false);
	lnet_settings.lns_bulk_crc = LNET_BULK_CRC_OFF;
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
	conn_private(a.conn)->cp_peer_msg_max = WIRE_MSG_MAX;
	conn_private(a.conn)->cp_peer_bulk_max = WIRE_BULK_DEFAULT;
	p->tx.tx_answer_len = WIRE_BULK_DEFAULT + 1;
	KUNIT_EXPECT_EQ(test, lnet_conn_send(a.conn, &p->tx), -EMSGSIZE);
	p->tx.tx_answer_len = 0;
	parcel_add_bulk(test, p, 1, WIRE_BULK_DEFAULT + 1, 65536);
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
		parcel_add_bulk(test, s->p[n], n + 1, WIRE_BULK_DEFAULT, 4096);
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

/* Until it reads no more. */
static void await_paused(struct end *e)
{
	unsigned long until = jiffies + CONN_WAIT;

	while (!test_bit(CNF_RX_PAUSED, &e->conn->cn_flags) &&
	       time_before(jiffies, until))
		msleep(20);
}

/* Incoming bytes wake its work, and the work has run. */
static void read_once(struct end *e)
{
	conn_rx_ready(e->conn);
	conn_rx_run(e->conn, true);
	flush_work(&conn_private(e->conn)->cp_rx_work);
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
	struct parcel *p = parcel_make(test, PTL_RPC_MSG_REQUEST, 1, 100);
	unsigned int n;
	int offers;
	bool paused;

	/* More than there may be wait: requests of the other end are not read. */
	KUNIT_EXPECT_EQ(test, lnet_conn_send(s->b.conn, &p->tx), 0);
	await_paused(&s->a);
	read_once(&s->a);
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
	parcel_await(test, p, 0);
	parcel_free(p);
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

/* Nor does another task get the role, for a while. */
static void a_reader_that_does_not_read_loses_the_role(struct kunit *test)
{
	unsigned long before = jiffies;
	struct lnet_conn_private *cp;
	struct end a, b;

	conn_fx_pair(test, &a, &b);
	cp = conn_private(b.conn);
	KUNIT_ASSERT_TRUE(test, lnet_conn_reader_begin(b.conn, &b.wq));
	WRITE_ONCE(conn_fx_patient, false);
	parcel_send(test, a.conn, 1, 100);
	end_await_messages(test, &b, 1);
	WRITE_ONCE(conn_fx_patient, true);
	KUNIT_EXPECT_PTR_NE(test, b.reader, current);
	KUNIT_EXPECT_PTR_EQ(test, READ_ONCE(b.conn->cn_reader), NULL);
	cancel_delayed_work_sync(&cp->cp_reader_watch);
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_READER_LOST), 1);
	KUNIT_EXPECT_TRUE(test, time_after(cp->cp_reader_rest, before));
	cp->cp_reader_rest = jiffies + 3600 * HZ;
	KUNIT_EXPECT_FALSE(test, lnet_conn_reader_begin(b.conn, &b.wq));
	parcel_send(test, a.conn, 2, 100);
	end_await_messages(test, &b, 2);
	cp->cp_reader_rest = jiffies;
	lnet_conn_reader_end(b.conn, &b.wq);
	KUNIT_EXPECT_TRUE(test, lnet_conn_reader_begin(b.conn, &b.wq));
	lnet_conn_reader_end(b.conn, &b.wq);
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

#endif /* _KUNIT_CONN_CASES_H */
