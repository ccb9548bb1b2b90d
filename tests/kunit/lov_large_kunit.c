// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of more than WIRE_BULK_DEFAULT: when memory for them is short, after a failover to a
 * server that takes less, and to one of an earlier version, which refuses them.
 *
 * Processors: 2
 */
#define LF_OBJECT_MAX	(8 * TY_MIB)
#define PAGES_MAX	2049

#include <lustre_lite/ptlrpc_test_point.h>

#include "lov_file.h"
#include "../../ptlrpc/net/conn.h"

#define LARGE		(6 * TY_MIB)
/* Memory for the parts of a request of WIRE_BULK_DEFAULT is smaller. */
#define LARGE_PARTS	((WIRE_BULK_DEFAULT / PAGE_SIZE + 100) * sizeof(struct bio_vec))

/* So many allocations of parts of large requests succeed; how many there were. */
static atomic_t spare, large;

static void large_fail(enum ptlrpc_test_point at, void *object)
{
	size_t *size = object;

	if (at != PTP_BULK_MEMORY || *size < LARGE_PARTS)
		return;
	atomic_inc(&large);
	if (atomic_dec_return(&spare) < 0)
		*size = 0;
}

/* Nodes of an earlier version accept no more. */
static void conn_of_before(enum ptlrpc_test_point at, void *object)
{
	if (at == PTP_CONN_OPEN)
		conn_private(object)->cp_peer_bulk_max = WIRE_BULK_DEFAULT;
}

static struct lov_layout *large_layout(struct kunit *test)
{
	lf_connect(test);
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, "osc/osc0/max_pages_per_rpc", "16M"));
	return layout_get(test, 1);
}

/* A write, and a read of the same bytes. @nr: requests of the write; @bytes: of the largest one */
static void expect_requests(struct kunit *test, struct lov_layout *layout, u8 seed, int nr, u64 bytes)
{
	struct lf_ost *ost = &lf.ost[0];

	atomic_set(&ost->writes, 0);
	ost->largest = 0;
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, LARGE, seed, false));
	KUNIT_EXPECT_EQ(test, nr, atomic_read(&ost->writes));
	KUNIT_EXPECT_EQ(test, bytes, ost->largest);
	ost->largest = 0;
	expect_read(test, layout, 0, LARGE, 0, LARGE, seed);
	KUNIT_EXPECT_EQ(test, bytes, ost->largest);
}

static void a_client_is_told_to_send_large_requests(struct kunit *test)
{
	struct lov_layout *layout;

	lf_connect(test);
	layout = layout_get(test, 1);
	KUNIT_EXPECT_EQ(test, WIRE_BULK_DEFAULT, dt_rpc_bytes(lf.exp, layout));
	expect_requests(test, layout, 1, 2, WIRE_BULK_DEFAULT);
	KUNIT_EXPECT_EQ(test, 0L, client_write(fx.client, "osc/osc0/max_pages_per_rpc", "16M"));
	KUNIT_EXPECT_EQ(test, WIRE_BULK_MAX, dt_rpc_bytes(lf.exp, layout));
	expect_requests(test, layout, 2, 1, LARGE);
	dt_layout_put(lf.exp, layout);
}

/* At lov, and at osc. */
static void without_memory_requests_are_smaller(struct kunit *test)
{
	struct lov_layout *layout = large_layout(test);
	int n;

	WRITE_ONCE(ptlrpc_test_hook, large_fail);
	for (n = 0; n < 2; n++) {
		atomic_set(&large, 0);
		atomic_set(&spare, n);
		expect_requests(test, layout, n, 2, WIRE_BULK_DEFAULT);
		KUNIT_EXPECT_GT(test, atomic_read(&large), n);
	}
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	expect_requests(test, layout, 3, 1, LARGE);
	dt_layout_put(lf.exp, layout);
}

/* One ends where a request ends, one is in two requests. */
static void without_memory_ranges_are_split(struct kunit *test)
{
	static const struct dt_range ranges[] = {
		{ 100, 5000 }, { 6000, TY_MIB - 5000 }, { 2 * TY_MIB, 3 * TY_MIB },
		{ 5 * TY_MIB + 7, 1000 }, { 6 * TY_MIB, TY_MIB },
	};
	struct lov_layout *layout = large_layout(test);
	size_t n;

	WRITE_ONCE(ptlrpc_test_hook, large_fail);
	atomic_set(&spare, 0);
	KUNIT_EXPECT_EQ(test, 0, write_ranges(test, layout, ranges, ARRAY_SIZE(ranges), 1));
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&lf.ost[0].writes));
	KUNIT_EXPECT_EQ(test, (u64)WIRE_BULK_DEFAULT, lf.ost[0].largest);
	for (n = 0; n < ARRAY_SIZE(ranges); n++)
		expect_read(test, layout, ranges[n].dtr_pos, ranges[n].dtr_len, 0, U64_MAX, 1);
	expect_read(test, layout, 0, 100, 0, 0, 1);
	expect_read(test, layout, 5100, 900, 0, 0, 1);
	dt_layout_put(lf.exp, layout);
}

/* A write that is replayed keeps its size. */
static void another_server_takes_less(struct kunit *test)
{
	struct lov_layout *layout = large_layout(test);

	expect_requests(test, layout, 1, 1, LARGE);
	lf.ost[0].brw_size = WIRE_BULK_DEFAULT;
	lf_restart(test, 0);
	expect_read(test, layout, 0, LARGE, 0, LARGE, 1);
	TY_EXPECT_NUMBER(test, "osc/osc0/max_pages_per_rpc", WIRE_BULK_DEFAULT / PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, WIRE_BULK_DEFAULT, dt_rpc_bytes(lf.exp, layout));
	expect_requests(test, layout, 2, 2, WIRE_BULK_DEFAULT);
	lf.ost[0].brw_size = 0;
	lf_restart(test, 0);
	expect_read(test, layout, 0, LARGE, 0, LARGE, 2);
	expect_requests(test, layout, 3, 1, LARGE);
	dt_layout_put(lf.exp, layout);
}

/* An answered write is lost, and fsync says so; the connection goes on. */
static void an_earlier_server_refuses_large_requests(struct kunit *test)
{
	struct lov_layout *layout = large_layout(test);
	u64 size;

	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	expect_requests(test, layout, 1, 1, LARGE);
	WRITE_ONCE(ptlrpc_test_hook, conn_of_before);
	lnet_reset(&init_net, NULL);
	lf_restart(test, 0);
	KUNIT_EXPECT_EQ(test, 0, size_of(layout, &size));
	KUNIT_EXPECT_EQ(test, 0ULL, size);
	KUNIT_EXPECT_EQ(test, 0U, READ_ONCE(lf_import(0)->imp_replay_count));
	KUNIT_EXPECT_EQ(test, -EIO, dt_sync(lf.exp, layout));
	/* It has not said how much it takes. */
	expect_requests(test, layout, 2, 2, WIRE_BULK_DEFAULT);
	KUNIT_EXPECT_EQ(test, 0, dt_sync(lf.exp, layout));
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	lnet_reset(&init_net, NULL);
	dt_layout_put(lf.exp, layout);
}

static struct kunit_case lov_large_cases[] = {
	KUNIT_CASE(a_client_is_told_to_send_large_requests),
	KUNIT_CASE(without_memory_requests_are_smaller),
	KUNIT_CASE(without_memory_ranges_are_split),
	KUNIT_CASE(another_server_takes_less),
	KUNIT_CASE(an_earlier_server_refuses_large_requests),
	{}
};

static struct kunit_suite lov_large_suite = {
	.name = "lov_large",
	.suite_init = ty_suite_init,
	.init = lf_init,
	.exit = lf_exit,
	.test_cases = lov_large_cases,
};
kunit_test_suite(lov_large_suite);

MODULE_DESCRIPTION("large requests to objects");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
