// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connections against a node that sends bytes of the case's own: each must be told
 * from what is right, counted as what it is, and end the connection. Refusals of a
 * node that is right but not wanted are here too.
 *
 * Every: 2
 */
#include "conn_fixture.h"

/* struct raw - the other node: bytes, and what it reads */
struct raw {
	struct socket		*sock;
	struct lnet_hello_bytes	hello;
	struct lnet_frame	frame;
	u8			*msg;
	u32			msg_len;
};

static void raw_connect(struct kunit *test, struct raw *r, bool reserved)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(CONN_PORT),
	};
	struct sockaddr_in from = {
		.sin_family = AF_INET,
		.sin_port = htons(reserved ? 700 : 7000),
	};

	memset(r, 0, sizeof(*r));
	KUNIT_ASSERT_EQ(test, sock_create_kern(&init_net, AF_INET, SOCK_STREAM,
					       IPPROTO_TCP, &r->sock), 0);
	sock_no_linger(r->sock->sk);
	sock_set_reuseaddr(r->sock->sk);
	r->sock->sk->sk_rcvtimeo = CONN_WAIT;
	KUNIT_ASSERT_EQ(test, kernel_bind(r->sock, (struct compat_sockaddr *)&from,
					  sizeof(from)), 0);
	KUNIT_ASSERT_EQ(test, kernel_connect(r->sock, (struct compat_sockaddr *)&to,
					     sizeof(to), 0), 0);
}

static void raw_send(struct kunit *test, struct raw *r, const void *from, size_t len)
{
	struct kvec vec = { .iov_base = (void *)from, .iov_len = len };
	struct msghdr msg = { .msg_flags = MSG_NOSIGNAL };

	if (len)
		KUNIT_EXPECT_EQ(test, kernel_sendmsg(r->sock, &msg, &vec, 1, len),
				(int)len);
}

/* Bytes that came before the end. */
static int raw_recv(struct raw *r, void *to, size_t len)
{
	struct kvec vec = { .iov_base = to, .iov_len = len };
	struct msghdr msg = {};

	return kernel_recvmsg(r->sock, &msg, &vec, 1, len, MSG_WAITALL);
}

static void raw_seal(struct lnet_frame *frame)
{
	wire_frame_seal(frame, ~crc32c(~0U, frame, WIRE_FRAME_CRC_LEN));
}

/* A HELLO that nothing is wrong with. */
static void raw_hello(struct raw *r)
{
	struct wire_hello hello = {
		.version_min = WIRE_VERSION,
		.version_max = WIRE_VERSION,
		.features = LNET_FEATURE_CRC,
		.msg_max = WIRE_MSG_MAX,
		.bulk_max = WIRE_BULK_MAX,
		.incarnation = cf.net.nn_incarnation,
		.src = { LNET_TCP, 4, 0, { 127, 0, 0, 1 } },
		.dst = { LNET_TCP, 4, 0, { 127, 0, 0, 1 } },
	};
	struct wire_frame frame = {
		.type = LNET_FRAME_HELLO,
		.msg_len = sizeof(struct lnet_hello),
	};

	wire_hello_encode(&r->hello.hello, &hello);
	conn_frame_encode(&r->hello.frame, &frame);
}

/* A message that nothing is wrong with: a buffer of 24 bytes, 1000 of bulk data. */
#define RAW_BULK	1000

static void raw_msg(struct kunit *test, struct raw *r)
{
	struct wire_msg msg = { .type = PTL_RPC_MSG_REQUEST, .xid = 1 };
	struct wire_frame frame = {
		.type = LNET_FRAME_MSG,
		.bulk_len = RAW_BULK,
		.seq = 1,
	};
	u32 len = 20;

	r->msg_len = wire_msg_size(&len, 1);
	r->msg = kunit_kzalloc(test, r->msg_len + RAW_BULK, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, r->msg);
	wire_msg_init(r->msg, &len, 1);
	wire_msg_encode(r->msg, &msg);
	conn_fx_fill(wire_msg_buf(r->msg, 0), 1, len);
	conn_fx_fill(r->msg + r->msg_len, 1, RAW_BULK);
	frame.msg_len = r->msg_len;
	frame.msg_crc = ~crc32c(~0U, r->msg, r->msg_len);
	frame.bulk_crc = ~crc32c(~0U, r->msg + r->msg_len, RAW_BULK);
	conn_frame_encode(&r->frame, &frame);
}

/* What is made wrong. */
typedef void (spoil_t)(struct raw *r);

/* After a change in the message the CRC of it is right again. */
static void fix_msg(struct raw *r)
{
	codec_put32(&r->frame.fr_msg_crc, ~crc32c(~0U, r->msg, r->msg_len));
	raw_seal(&r->frame);
}

static void hello_magic(struct raw *r)
{
	codec_put32(&r->hello.frame.fr_magic, 1);
}

static void hello_frame_version(struct raw *r)
{
	r->hello.frame.fr_version = 2;
}

static void hello_type(struct raw *r)
{
	r->hello.frame.fr_type = 7;
}

static void hello_is_msg(struct raw *r)
{
	r->hello.frame.fr_type = LNET_FRAME_MSG;
	codec_put32(&r->hello.frame.fr_msg_len, WIRE_MSG_SIZE);
}

static void hello_flags(struct raw *r)
{
	r->hello.frame.fr_flags = cpu_to_le16(1);
}

static void hello_seq(struct raw *r)
{
	codec_put32(&r->hello.frame.fr_seq, 1);
}

static void hello_short(struct raw *r)
{
	codec_put32(&r->hello.frame.fr_msg_len, 72);
}

static void hello_long(struct raw *r)
{
	codec_put32(&r->hello.frame.fr_msg_len, WIRE_HELLO_MAX + 1);
}

static void hello_bulk(struct raw *r)
{
	codec_put32(&r->hello.frame.fr_bulk_len, 8);
}

static void hello_crc(struct raw *r)
{
	codec_put32(&r->hello.frame.fr_msg_crc, 1);
}

static void hello_versions(struct raw *r)
{
	r->hello.hello.he_version_min = cpu_to_le16(WIRE_VERSION + 1);
	r->hello.hello.he_version_max = cpu_to_le16(WIRE_VERSION + 2);
}

static void hello_flavour(struct raw *r)
{
	r->hello.hello.he_flavour = cpu_to_le32(1);
}

static void hello_auth(struct raw *r)
{
	r->hello.hello.he_auth_len = cpu_to_le32(1);
}

static void hello_lane_alone(struct raw *r)
{
	r->hello.hello.he_lane = cpu_to_le32(LNET_BULK);
}

static void hello_lane(struct raw *r)
{
	r->hello.hello.he_features |= cpu_to_le32(LNET_FEATURE_LANES);
	r->hello.hello.he_lane = cpu_to_le32(LNET_LANES);
}

static void hello_status(struct raw *r)
{
	r->hello.hello.he_status = cpu_to_le32(5000);
}

static void hello_src(struct raw *r)
{
	r->hello.hello.he_src.wn_addr[3] = 2;
}

static void hello_src_family(struct raw *r)
{
	r->hello.hello.he_src.wn_len = 5;
}

static void hello_dst(struct raw *r)
{
	r->hello.hello.he_dst.wn_addr[0] = 10;
}

static void msg_magic(struct raw *r)
{
	codec_put32(&r->frame.fr_magic, 1);
}

static void msg_version(struct raw *r)
{
	r->frame.fr_version = 0;
}

static void msg_is_hello(struct raw *r)
{
	r->frame.fr_type = LNET_FRAME_HELLO;
	codec_put32(&r->frame.fr_bulk_len, 0);
}

static void msg_flags(struct raw *r)
{
	r->frame.fr_flags = cpu_to_le16(0x8000);
}

static void msg_seq(struct raw *r)
{
	codec_put32(&r->frame.fr_seq, 0);
}

static void msg_short(struct raw *r)
{
	codec_put32(&r->frame.fr_msg_len, 136);
}

static void msg_odd(struct raw *r)
{
	codec_put32(&r->frame.fr_msg_len, 161);
}

static void msg_long(struct raw *r)
{
	codec_put32(&r->frame.fr_msg_len, WIRE_MSG_MAX + 8);
}

static void msg_huge(struct raw *r)
{
	codec_put32(&r->frame.fr_msg_len, ~7U);
}

static void msg_bulk_long(struct raw *r)
{
	codec_put32(&r->frame.fr_bulk_len, WIRE_BULK_MAX + 1);
}

static void msg_bit(struct raw *r)
{
	r->msg[100] ^= 4;
}

static void msg_no_crc(struct raw *r)
{
	codec_put32(&r->frame.fr_msg_crc, 0);
}

/* A CRC of bulk data where there is none. */
static void msg_no_bulk(struct raw *r)
{
	codec_put32(&r->frame.fr_bulk_len, 0);
}

static void msg_buffers(struct raw *r)
{
	codec_put32(&((struct lustre_msg *)r->msg)->lm_buflens[0], 25);
	fix_msg(r);
}

static void msg_padding(struct raw *r)
{
	r->msg[r->msg_len - 1] = 1;
	fix_msg(r);
}

static void msg_type(struct raw *r)
{
	codec_put32(&((struct lustre_msg *)r->msg)->lm_type, 4710);
	fix_msg(r);
}

/**
 * struct spoiled - something wrong, and what is to be seen of it
 * @name: for messages
 * @spoil: makes it
 * @fault: how it is counted
 * @seal: the CRC of the head is made right again; it was wrong in itself otherwise
 * @answer: errno in the answer, 0 for none
 */
struct spoiled {
	const char	*name;
	spoil_t		*spoil;
	enum wire_fault	fault;
	bool		seal;
	int		answer;
};

static void hello_head_bit(struct raw *r)
{
	r->hello.frame.fr_seq = cpu_to_le32(1);
}

static void msg_head_bit(struct raw *r)
{
	codec_put32(&r->frame.fr_bulk_len, 999);
}

#define HELLO(fn, fault, answer)	{ #fn, hello_##fn, WIRE_BAD_##fault, true, answer }
#define MSG(fn, fault)			{ #fn, msg_##fn, WIRE_BAD_##fault, true, 0 }

static const struct spoiled hellos[] = {
	HELLO(magic, MAGIC, 0),
	HELLO(frame_version, VERSION, EPROTO),
	HELLO(type, TYPE, 0),
	HELLO(is_msg, TYPE, 0),
	HELLO(flags, FLAGS, 0),
	HELLO(seq, SEQ, 0),
	HELLO(short, LENGTH, 0),
	HELLO(long, LENGTH, 0),
	HELLO(bulk, LENGTH, 0),
	HELLO(crc, MSG_CRC, 0),
	HELLO(versions, VERSION, EPROTO),
	HELLO(flavour, FLAVOUR, EPROTO),
	HELLO(auth, LENGTH, EPROTO),
	HELLO(lane_alone, PADDING, EPROTO),
	HELLO(lane, FLAGS, EPROTO),
	HELLO(status, STATUS, EPROTO),
	HELLO(src, NID, EACCES),
	HELLO(src_family, NID, EPROTO),
	HELLO(dst, NID, EADDRNOTAVAIL),
	{ "head_bit", hello_head_bit, WIRE_BAD_HEAD_CRC, false, 0 },
};

static const struct spoiled msgs[] = {
	MSG(magic, MAGIC),
	MSG(version, VERSION),
	MSG(is_hello, TYPE),
	MSG(flags, FLAGS),
	MSG(seq, SEQ),
	MSG(short, LENGTH),
	MSG(odd, LENGTH),
	MSG(long, LENGTH),
	MSG(huge, LENGTH),
	MSG(bulk_long, LENGTH),
	MSG(bit, MSG_CRC),
	MSG(no_crc, MSG_CRC),
	MSG(no_bulk, BULK_CRC),
	MSG(buffers, BUFFERS),
	MSG(padding, PADDING),
	MSG(type, TYPE),
	{ "head_bit", msg_head_bit, WIRE_BAD_HEAD_CRC, false, 0 },
};

/* One fault, this one, and no other. */
static void expect_fault(struct kunit *test, const struct spoiled *s)
{
	unsigned int n;

	for (n = 0; n < WIRE_FAULT_COUNT; n++) {
		KUNIT_EXPECT_EQ_MSG(test, cf.faults[n], n == s->fault ? 1 : 0,
				    "%s: %s", s->name, wire_fault_name(n));
		cf.faults[n] = 0;
	}
}

/* The answer says why, or there is none. */
static void expect_answer(struct kunit *test, struct raw *r,
			  const struct spoiled *s)
{
	struct lnet_hello_bytes answer;
	struct wire_hello hello;
	int len;

	len = raw_recv(r, &answer, sizeof(answer));
	if (!s->answer) {
		KUNIT_EXPECT_LE_MSG(test, len, 0, "%s", s->name);
		return;
	}
	KUNIT_ASSERT_EQ_MSG(test, len, (int)sizeof(answer), "%s", s->name);
	wire_hello_decode(&answer.hello, sizeof(answer.hello), &hello);
	KUNIT_EXPECT_EQ_MSG(test, (int)hello.status, s->answer, "%s", s->name);
	KUNIT_EXPECT_EQ(test, (int)hello.version_max, WIRE_VERSION);
}

static void try_hello(struct kunit *test, const struct spoiled *s)
{
	struct end b;
	struct raw r;

	raw_connect(test, &r, true);
	end_accept(test, &b);
	raw_hello(&r);
	s->spoil(&r);
	if (s->seal)
		raw_seal(&r.hello.frame);
	raw_send(test, &r, &r.hello, sizeof(r.hello));
	expect_answer(test, &r, s);
	end_await_closed(test, &b, s->fault == WIRE_BAD_VERSION ? -EPROTO :
			 s->answer ? -s->answer : -EBADMSG);
	KUNIT_EXPECT_FALSE(test, completion_done(&b.opened));
	expect_fault(test, s);
	sock_release(r.sock);
}

static void a_wrong_hello_is_refused(struct kunit *test)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(hellos); n++)
		try_hello(test, &hellos[n]);
}

/* Greeted, with its HELLO read and answered. */
static void raw_open(struct kunit *test, struct raw *r, struct end *b)
{
	struct lnet_hello_bytes answer;

	raw_connect(test, r, true);
	end_accept(test, b);
	raw_hello(r);
	raw_send(test, r, &r->hello, sizeof(r->hello));
	KUNIT_ASSERT_EQ(test, raw_recv(r, &answer, sizeof(answer)),
			(int)sizeof(answer));
	end_await_open(test, b);
	raw_msg(test, r);
}

static void try_msg(struct kunit *test, const struct spoiled *s)
{
	bool late = s->fault == WIRE_BAD_BULK_CRC;
	struct end b;
	struct raw r;

	raw_open(test, &r, &b);
	s->spoil(&r);
	if (s->seal)
		raw_seal(&r.frame);
	raw_send(test, &r, &r.frame, sizeof(r.frame));
	/* The socket may be closed by now: what comes of this does not matter. */
	kernel_sendmsg(r.sock, &(struct msghdr){ .msg_flags = MSG_NOSIGNAL },
		       &(struct kvec){ r.msg, r.msg_len + RAW_BULK }, 1,
		       r.msg_len + RAW_BULK);
	end_await_closed(test, &b, s->fault == WIRE_BAD_VERSION ? -EPROTO :
			 -EBADMSG);
	expect_fault(test, s);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&b.offers), late ? 1 : 0, "%s",
			    s->name);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&b.failed), late ? 1 : 0, "%s",
			    s->name);
	sock_release(r.sock);
}

static void a_wrong_message_ends_the_connection(struct kunit *test)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(msgs); n++)
		try_msg(test, &msgs[n]);
}

/* Of a node that has one CRC for messages and bulk data. */
static void damaged_bulk_data_does_not_end_the_connection(struct kunit *test)
{
	struct end b;
	struct raw r;

	raw_open(test, &r, &b);
	r.msg[r.msg_len + 999] ^= 1;
	raw_send(test, &r, &r.frame, sizeof(r.frame));
	raw_send(test, &r, r.msg, r.msg_len + RAW_BULK);
	end_await(test, &b, atomic_read(&b.failed) == 1);
	KUNIT_EXPECT_EQ(test, b.failed_rc, -EILSEQ);
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_DAMAGED), 1);
	KUNIT_EXPECT_EQ(test, cf.faults[WIRE_BAD_BULK_CRC], 0);
	r.msg[r.msg_len + 999] ^= 1;
	codec_put32(&r.frame.fr_seq, 2);
	raw_seal(&r.frame);
	b.unordered = true;
	raw_send(test, &r, &r.frame, sizeof(r.frame));
	raw_send(test, &r, r.msg, r.msg_len + RAW_BULK);
	end_await_messages(test, &b, 1);
	KUNIT_EXPECT_EQ(test, b.bulk_bytes, (u64)RAW_BULK);
	sock_release(r.sock);
	end_await_closed(test, &b, -ECONNRESET);
}

/* A node that knows no lanes: its HELLO has none, and neither has the answer. */
static void a_node_without_lanes_is_as_before(struct kunit *test)
{
	struct lnet_hello_bytes answer;
	struct wire_hello hello;
	struct end b;
	struct raw r;

	raw_connect(test, &r, true);
	end_accept(test, &b);
	raw_hello(&r);
	raw_send(test, &r, &r.hello, sizeof(r.hello));
	KUNIT_ASSERT_EQ(test, raw_recv(&r, &answer, sizeof(answer)),
			(int)sizeof(answer));
	KUNIT_EXPECT_EQ(test, (int)wire_hello_decode(&answer.hello, sizeof(answer.hello),
						     &hello), (int)WIRE_OK);
	KUNIT_EXPECT_EQ(test, (int)hello.features, LNET_FEATURE_CRC);
	KUNIT_EXPECT_EQ(test, (int)hello.lane, 0);
	end_await_open(test, &b);
	/* The one CRC is for bulk data, too. */
	KUNIT_EXPECT_TRUE(test, test_bit(CNF_BULK_CRC, &b.conn->cn_flags));
	KUNIT_EXPECT_FALSE(test, test_bit(CNF_LANES, &b.conn->cn_flags));
	KUNIT_EXPECT_EQ(test, (int)b.conn->cn_lane, (int)LNET_CONTROL);
	sock_release(r.sock);
	end_await_closed(test, &b, -ECONNRESET);
}

static void a_right_message_is_taken_byte_by_byte(struct kunit *test)
{
	struct end b;
	struct raw r;
	u32 n;

	raw_open(test, &r, &b);
	tcp_sock_set_nodelay(r.sock->sk);
	for (n = 0; n < sizeof(r.frame); n++)
		raw_send(test, &r, (u8 *)&r.frame + n, 1);
	for (n = 0; n < r.msg_len + RAW_BULK; n++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&b.messages), 0);
		raw_send(test, &r, r.msg + n, 1);
	}
	end_await_messages(test, &b, 1);
	KUNIT_EXPECT_EQ(test, b.bulk_bytes, (u64)RAW_BULK);
	sock_release(r.sock);
	end_await_closed(test, &b, -ECONNRESET);
}

static void half_a_message_has_failed(struct kunit *test)
{
	struct end b;
	struct raw r;

	raw_open(test, &r, &b);
	raw_send(test, &r, &r.frame, sizeof(r.frame));
	raw_send(test, &r, r.msg, r.msg_len + RAW_BULK - 1);
	end_await(test, &b, atomic_read(&b.offers) == 1);
	sock_release(r.sock);
	end_await_closed(test, &b, -ECONNRESET);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.failed), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.messages), 0);
}

/* Waits until the reader has nothing more to read. */
static void await_rest(struct end *b)
{
	unsigned long until = jiffies + CONN_WAIT;

	while (READ_ONCE(b->conn->cn_flags) &
	       (BIT(CNF_RX_BUSY) | BIT(CNF_RX_READY)) &&
	       time_before(jiffies, until))
		msleep(20);
}

/* Another task's bytes follow the rest of a message that is no longer wanted. */
static void the_rest_of_a_message_is_thrown_away(struct kunit *test)
{
	void *private;
	struct end b;
	struct raw r;

	raw_open(test, &r, &b);
	b.unordered = true;
	raw_send(test, &r, &r.frame, sizeof(r.frame));
	raw_send(test, &r, r.msg, r.msg_len + RAW_BULK / 2);
	end_await(test, &b, atomic_read(&b.offers) == 1);
	/* no_message() has returned, too. */
	await_rest(&b);
	private = READ_ONCE(conn_private(b.conn)->cp_reader.rd_rx.rx_private);
	KUNIT_ASSERT_NOT_NULL(test, private);
	/* Not the message that arrives. */
	lnet_conn_discard(b.conn, &b);
	msleep(20);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.failed), 0);
	lnet_conn_discard(b.conn, private);
	end_await(test, &b, atomic_read(&b.failed) == 1);
	KUNIT_EXPECT_EQ(test, b.failed_rc, -ECANCELED);
	memset(cf.bulk + BULK_AT, 0xee, RAW_BULK);
	raw_send(test, &r, r.msg + r.msg_len + RAW_BULK / 2, RAW_BULK / 2);
	end_await_messages(test, &b, 1);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(cf.bulk + BULK_AT, 0xee, RAW_BULK), NULL);
	codec_put32(&r.frame.fr_seq, 2);
	raw_seal(&r.frame);
	raw_send(test, &r, &r.frame, sizeof(r.frame));
	raw_send(test, &r, r.msg, r.msg_len + RAW_BULK);
	end_await_messages(test, &b, 2);
	KUNIT_EXPECT_EQ(test, b.bulk_bytes, (u64)RAW_BULK);
	sock_release(r.sock);
	end_await_closed(test, &b, -ECONNRESET);
}

/* The other end's silence, while a part is missing, has an end. */
static void the_rest_of_a_message_has_a_deadline(struct kunit *test)
{
	unsigned long before = jiffies;
	struct conn_reader *rd;
	struct end b;
	struct raw r;

	obd_timeout = 1;
	raw_open(test, &r, &b);
	rd = &conn_private(b.conn)->cp_reader;
	await_rest(&b);
	rd->rd_deadline = jiffies - 1;
	KUNIT_EXPECT_FALSE(test, conn_rx_is_late(b.conn));
	raw_send(test, &r, &r.frame, sizeof(r.frame));
	raw_send(test, &r, r.msg, r.msg_len + RAW_BULK - 1);
	end_await(test, &b, atomic_read(&b.offers) == 1);
	await_rest(&b);
	KUNIT_EXPECT_FALSE(test, time_before(rd->rd_deadline, before + HZ));
	KUNIT_EXPECT_FALSE(test, time_after(rd->rd_deadline, jiffies + HZ));
	/* As if no time had passed, or all of it. */
	rd->rd_deadline = jiffies + CONN_WAIT;
	KUNIT_EXPECT_FALSE(test, conn_rx_is_late(b.conn));
	rd->rd_deadline = jiffies - 1;
	KUNIT_EXPECT_TRUE(test, conn_rx_is_late(b.conn));
	/* Bytes that were received but not read yet are not a fault of the other end. */
	set_bit(CNF_RX_PAUSED, &b.conn->cn_flags);
	KUNIT_EXPECT_FALSE(test, conn_rx_is_late(b.conn));
	clear_bit(CNF_RX_PAUSED, &b.conn->cn_flags);
	raw_send(test, &r, r.msg + r.msg_len + RAW_BULK - 1, 1);
	end_await_messages(test, &b, 1);
	await_rest(&b);
	KUNIT_EXPECT_FALSE(test, conn_rx_is_late(b.conn));
	sock_release(r.sock);
	end_await_closed(test, &b, -ECONNRESET);
}

/* FIN right after the last byte: the message counts, and then the end. */
static void what_came_before_the_end_is_taken(struct kunit *test)
{
	struct end b;
	struct raw r;

	raw_open(test, &r, &b);
	raw_send(test, &r, &r.frame, sizeof(r.frame));
	raw_send(test, &r, r.msg, r.msg_len + RAW_BULK);
	kernel_sock_shutdown(r.sock, SHUT_WR);
	end_await_closed(test, &b, -ECONNRESET);
	KUNIT_EXPECT_EQ(test, atomic_read(&b.messages), 1);
	sock_release(r.sock);
}

static void who_is_not_wanted_is_told_so(struct kunit *test)
{
	struct end a, b;

	cf.turn_away = true;
	end_connect(test, &a, "127.0.0.1@tcp");
	end_accept(test, &b);
	end_await_closed(test, &a, -EACCES);
	end_await_closed(test, &b, -EACCES);
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_REFUSED), 2);
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_CONNECTS), 0);
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_ACCEPTS), 0);
}

/* The node that was called answers: with what makes the caller hang up? */
static void try_answer(struct kunit *test, const struct spoiled *s, int rc)
{
	struct lnet_hello_bytes call;
	struct raw r = {};
	struct end a;

	end_connect(test, &a, "127.0.0.1@tcp");
	r.sock = conn_fx_accept(test);
	r.sock->sk->sk_rcvtimeo = CONN_WAIT;
	KUNIT_EXPECT_EQ(test, raw_recv(&r, &call, sizeof(call)),
			(int)sizeof(call));
	raw_hello(&r);
	s->spoil(&r);
	raw_seal(&r.hello.frame);
	raw_send(test, &r, &r.hello, sizeof(r.hello));
	end_await_closed(test, &a, rc);
	if (s->fault != WIRE_OK)
		expect_fault(test, s);
	sock_release(r.sock);
}

static void answer_features(struct raw *r)
{
	r->hello.hello.he_features = cpu_to_le32(LNET_FEATURES + 1);
}

static void answer_lane(struct raw *r)
{
	r->hello.hello.he_features |= cpu_to_le32(LNET_FEATURE_LANES);
	r->hello.hello.he_lane = cpu_to_le32(LNET_BULK);
}

static void answer_status(struct raw *r)
{
	r->hello.hello.he_status = cpu_to_le32(EPERM);
}

static void a_wrong_answer_is_not_believed(struct kunit *test)
{
	const struct spoiled src = { "src", hello_src, WIRE_BAD_NID };
	const struct spoiled dst = { "dst", hello_dst, WIRE_BAD_NID };
	const struct spoiled versions = { "versions", hello_versions,
					  WIRE_BAD_VERSION };
	const struct spoiled flavour = { "flavour", hello_flavour,
					 WIRE_BAD_FLAVOUR };
	const struct spoiled features = { "features", answer_features,
					  WIRE_BAD_FLAGS };
	const struct spoiled lane = { "lane", answer_lane, WIRE_BAD_FLAGS };
	const struct spoiled status = { "status", answer_status, WIRE_OK };

	try_answer(test, &src, -EPROTO);
	try_answer(test, &dst, -EPROTO);
	try_answer(test, &versions, -EPROTO);
	try_answer(test, &flavour, -EPROTO);
	try_answer(test, &features, -EPROTO);
	try_answer(test, &lane, -EPROTO);
	try_answer(test, &status, -EPERM);
}

/*
 * The other end of @sock goes: at once, or after it has said that it sends no more.
 * Until this end has learned of it.
 */
static void go_away(struct kunit *test, struct raw *r, struct socket *sock,
		    bool says_so)
{
	unsigned long end = jiffies + CONN_WAIT;

	if (says_so)
		KUNIT_EXPECT_EQ(test, kernel_sock_shutdown(r->sock, SHUT_WR), 0);
	while (says_so && inet_sk_state_load(sock->sk) == TCP_ESTABLISHED &&
	       time_before(jiffies, end))
		usleep_range(100, 1000);
	sock_release(r->sock);
	while (inet_sk_state_load(sock->sk) != TCP_CLOSE &&
	       time_before(jiffies, end))
		usleep_range(100, 1000);
}

/* With any calls on the socket, in any number. */
static void expect_gone(struct kunit *test, struct lnet_conn *conn)
{
	struct bio_vec part = { ZERO_PAGE(0), 8, 0 };
	u8 bytes[8] = {};
	struct kvec vec = { bytes, sizeof(bytes) };
	unsigned int n;

	KUNIT_EXPECT_EQ(test, conn_sock_connected(conn), -ECONNRESET);
	KUNIT_EXPECT_EQ(test, conn_sock_names(conn), -ECONNRESET);
	for (n = 0; n < 2; n++) {
		KUNIT_EXPECT_EQ(test, conn_sock_send(conn, &vec, 1, sizeof(bytes),
						     false), -ECONNRESET);
		KUNIT_EXPECT_EQ(test, conn_sock_send_bulk(conn, &part, 1, 0, 8),
				-ECONNRESET);
	}
}

static void one_that_has_gone_has_one_errno(struct kunit *test)
{
	struct lnet_conn *conn;
	struct socket *sock;
	struct raw r;
	unsigned int n;

	for (n = 0; n < 2; n++) {
		raw_connect(test, &r, true);
		sock = conn_fx_accept(test);
		conn = conn_make(&cf.net, NULL, sock);
		KUNIT_ASSERT_FALSE(test, IS_ERR(conn));
		go_away(test, &r, sock, n);
		expect_gone(test, conn);
		lnet_conn_put(conn);
	}
}

static void one_that_has_gone_is_not_taken(struct kunit *test)
{
	struct lnet_conn *conn;
	struct socket *sock;
	struct raw r;

	raw_connect(test, &r, true);
	sock = conn_fx_accept(test);
	go_away(test, &r, sock, false);
	conn = conn_make(&cf.net, NULL, sock);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(conn), -ECONNRESET);
	sock_release(sock);
}

static struct kunit_case wire_cases[] = {
	KUNIT_CASE(a_wrong_hello_is_refused),
	KUNIT_CASE(a_wrong_message_ends_the_connection),
	KUNIT_CASE(damaged_bulk_data_does_not_end_the_connection),
	KUNIT_CASE(a_node_without_lanes_is_as_before),
	KUNIT_CASE(a_right_message_is_taken_byte_by_byte),
	KUNIT_CASE(half_a_message_has_failed),
	KUNIT_CASE(the_rest_of_a_message_is_thrown_away),
	KUNIT_CASE(the_rest_of_a_message_has_a_deadline),
	KUNIT_CASE(what_came_before_the_end_is_taken),
	KUNIT_CASE(who_is_not_wanted_is_told_so),
	KUNIT_CASE(a_wrong_answer_is_not_believed),
	KUNIT_CASE(one_that_has_gone_has_one_errno),
	KUNIT_CASE(one_that_has_gone_is_not_taken),
	{}
};

static struct kunit_suite wire_suite = {
	.name = "lnet_conn_wire",
	.suite_init = client_suite_init,
	.init = conn_fx_init,
	.exit = conn_fx_exit,
	.test_cases = wire_cases,
};
kunit_test_suite(wire_suite);

MODULE_DESCRIPTION("connections to a node that is wrong");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
