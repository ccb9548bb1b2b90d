// SPDX-License-Identifier: GPL-2.0-only
/*
 * What both ends of a connection agree on: its lane, CRCs of messages and of bulk data.
 *
 * Processors: 2
 * Every: 2
 */
#include "conn_fixture.h"

static void both_ends_know_the_lane(struct kunit *test)
{
	static const enum lnet_lane lanes[] = { LNET_CONTROL, LNET_BULK };
	struct ll_rpc_conn told;
	struct end a, b;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(lanes); n++) {
		cf.lane = lanes[n];
		conn_fx_pair(test, &a, &b);
		KUNIT_EXPECT_TRUE(test, test_bit(CNF_LANES, &a.conn->cn_flags));
		KUNIT_EXPECT_TRUE(test, test_bit(CNF_LANES, &b.conn->cn_flags));
		KUNIT_EXPECT_EQ(test, (int)b.conn->cn_lane, (int)lanes[n]);
		memset(&told, 0, sizeof(told));
		conn_describe(b.conn, &told);
		KUNIT_EXPECT_EQ(test, !!(told.rc_flags & LL_RPC_CONN_BULK),
				lanes[n] == LNET_BULK);
		conn_fx_part(test, &a, &b);
	}
}

static bool pair_has(struct kunit *test, unsigned int flag)
{
	struct end a, b;
	bool has;

	conn_fx_pair(test, &a, &b);
	has = test_bit(flag, &a.conn->cn_flags);
	KUNIT_EXPECT_EQ(test, has, (bool)test_bit(flag, &b.conn->cn_flags));
	conn_fx_part(test, &a, &b);
	return has;
}

static void crcs_of_messages_and_of_bulk_data_are_apart(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, pair_has(test, CNF_CRC));
	KUNIT_EXPECT_TRUE(test, pair_has(test, CNF_BULK_CRC));
	lnet_settings.lns_crc = false;
	KUNIT_EXPECT_FALSE(test, pair_has(test, CNF_CRC));
	KUNIT_EXPECT_TRUE(test, pair_has(test, CNF_BULK_CRC));
	lnet_settings.lns_crc = true;
	lnet_settings.lns_bulk_crc = LNET_BULK_CRC_OFF;
	KUNIT_EXPECT_TRUE(test, pair_has(test, CNF_CRC));
	KUNIT_EXPECT_FALSE(test, pair_has(test, CNF_BULK_CRC));
	/* Both ends have the same address here. */
	lnet_settings.lns_bulk_crc = LNET_BULK_CRC_REMOTE;
	KUNIT_EXPECT_FALSE(test, pair_has(test, CNF_BULK_CRC));
}

/* Its owner writes to it after the CRC was computed. */
static void change_bulk(void *object)
{
	struct lnet_tx *tx = object;

	if (tx->tx_bulk_len)
		*(u8 *)(page_address(tx->tx_bulk[0].bv_page) +
			tx->tx_bulk[0].bv_offset) ^= 1;
}

static void bulk_data_that_changes_is_known_by_its_crc(struct kunit *test)
{
	struct parcel *p = parcel_make(test, PTL_RPC_MSG_REQUEST, 1, 100);
	struct end a, b;

	conn_fx_pair(test, &a, &b);
	parcel_add_bulk(test, p, 1, 3 * PAGE_SIZE, 1000);
	conn_fx_hook = change_bulk;
	KUNIT_EXPECT_EQ(test, lnet_conn_send(a.conn, &p->tx), 0);
	parcel_await(test, p, 0);
	end_await(test, &b, atomic_read(&b.failed) == 1);
	KUNIT_EXPECT_EQ(test, b.failed_rc, -EILSEQ);
	KUNIT_EXPECT_EQ(test, conn_fx_counter(LNET_DAMAGED), 1);
	KUNIT_EXPECT_EQ(test, b.bulk_bytes, 0ULL);
	/* The stream is intact. */
	conn_fx_hook = NULL;
	parcel_send(test, a.conn, 2, 100);
	end_await_messages(test, &b, 1);
	conn_fx_part(test, &a, &b);
	parcel_free(p);
}

static struct kunit_case hello_cases[] = {
	KUNIT_CASE(both_ends_know_the_lane),
	KUNIT_CASE(crcs_of_messages_and_of_bulk_data_are_apart),
	KUNIT_CASE(bulk_data_that_changes_is_known_by_its_crc),
	{}
};

static struct kunit_suite hello_suite = {
	.name = "lnet_conn_hello",
	.suite_init = client_suite_init,
	.init = conn_fx_init,
	.exit = conn_fx_exit,
	.test_cases = hello_cases,
};
kunit_test_suite(hello_suite);

MODULE_DESCRIPTION("connections: lanes and CRCs");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
