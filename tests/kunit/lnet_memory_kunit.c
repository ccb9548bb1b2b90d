// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that is charged to addresses, and connections that are counted by them.
 *
 * Processors: 2
 * Every: 2
 */
#include "net_fixture.h"

#define NODE	"10.1.2.3@tcp"

static void memory_of_a_node_has_a_limit(struct kunit *test)
{
	struct lnet_conn *a = net_fx_passive(test, NODE, 1);
	struct lnet_conn *b = net_fx_passive(test, "10.1.2.4@tcp", 1);

	/* The first message fits, with any size. */
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(a, LNET_BULK, 2000));
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(a, LNET_BULK, 1));
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(a, LNET_BULK, 1));
	KUNIT_EXPECT_EQ(test, nf.resumed, 0);
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(b, LNET_BULK, 1000));
	lnet_peer_uncharge(b, LNET_BULK, 1000);
	KUNIT_EXPECT_EQ(test, nf.resumed, 0);
	lnet_peer_uncharge(a, LNET_BULK, 2000);
	KUNIT_EXPECT_EQ(test, nf.resumed, 1);
	/* It was granted one byte, and comes with another message. */
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(a, LNET_BULK, 600));
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(a, LNET_BULK, 400));
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(a, LNET_BULK, 1));
	lnet_peer_uncharge(a, LNET_BULK, 600);
	lnet_peer_uncharge(a, LNET_BULK, 400);
	KUNIT_EXPECT_EQ(test, nf.resumed, 2);
	KUNIT_EXPECT_EQ(test, net_memory_used(a->cn_peer->lnp_addr), 1ULL);
	KUNIT_EXPECT_EQ(test, atomic_read(&nf.counters[LNET_PAUSED]), 2);
}

static void memory_of_all_has_a_limit(struct kunit *test)
{
	struct lnet_conn *conn[5];
	char text[LNET_NID_TEXT_MAX];
	unsigned int n;

	for (n = 0; n < 5; n++) {
		snprintf(text, sizeof(text), "10.2.0.%u@tcp", n);
		conn[n] = net_fx_passive(test, text, 1);
		KUNIT_EXPECT_EQ(test, lnet_peer_charge(conn[n], LNET_BULK, 1000), n < 4);
	}
	KUNIT_EXPECT_EQ(test, memory_lanes[LNET_BULK].lam_used, 4000ULL);
	lnet_peer_uncharge(conn[0], LNET_BULK, 1000);
	KUNIT_EXPECT_EQ(test, nf.resumed, 1);
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(conn[4], LNET_BULK, 1000));
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(conn[0], LNET_BULK, 1));
	/* A limit that is raised lets them go on. */
	lnet_settings.lns_memory = 8000;
	net_memory_limits();
	KUNIT_EXPECT_EQ(test, nf.resumed, 2);
	for (n = 1; n < 5; n++)
		lnet_peer_uncharge(conn[n], LNET_BULK, 1000);
}

/* An address may have nodes on any number of networks. */
static void networks_of_an_address_share_its_memory(struct kunit *test)
{
	struct lnet_conn *a = net_fx_passive(test, "10.1.2.3@tcp", 1);
	struct lnet_conn *b = net_fx_passive(test, "10.1.2.3@tcp7", 1);
	struct lnet_conn *c = net_fx_passive(test, "10.1.2.4@tcp7", 1);

	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(a, LNET_BULK, 900));
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(b, LNET_BULK, 200));
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(c, LNET_BULK, 200));
	lnet_peer_uncharge(a, LNET_BULK, 900);
	KUNIT_EXPECT_EQ(test, nf.resumed, 1);
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(b, LNET_BULK, 200));
	lnet_peer_uncharge(b, LNET_BULK, 200);
	lnet_peer_uncharge(c, LNET_BULK, 200);
}

/* What is charged without bulk data never waits for what has some. */
static void control_has_memory_of_its_own(struct kunit *test)
{
	struct lnet_conn *bulk = net_fx_passive_lane(test, NODE, 1, LNET_BULK);
	struct lnet_conn *a = net_fx_passive(test, NODE, 1);
	struct lnet_conn *b = net_fx_passive(test, "10.1.2.3@tcp7", 1);

	lnet_settings.lns_memory = 1000;
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(bulk, LNET_BULK, 1000));
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(bulk, LNET_BULK, 1));
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(a, LNET_CONTROL, 100));
	/* The reserve is an eighth. */
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(b, LNET_CONTROL, 26));
	KUNIT_EXPECT_EQ(test, net_memory_used(a->cn_peer->lnp_addr), 1100ULL);
	lnet_peer_uncharge(bulk, LNET_BULK, 1000);
	KUNIT_EXPECT_EQ(test, nf.resumed, 1);
	lnet_peer_uncharge(a, LNET_CONTROL, 100);
	KUNIT_EXPECT_EQ(test, nf.resumed, 2);
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(b, LNET_CONTROL, 26));
	/* With a node that has no lanes a connection waits for either. */
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(bulk, LNET_CONTROL, 20));
	lnet_peer_uncharge(bulk, LNET_CONTROL, 20);
	lnet_peer_uncharge(b, LNET_CONTROL, 26);
}

/* A request that may wait gets half of the reserve, and does not wait for memory. */
static void a_request_that_may_wait_is_not_queued(struct kunit *test)
{
	struct lnet_conn *a = net_fx_passive(test, NODE, 1);
	struct lnet_conn *b = net_fx_passive(test, "10.1.2.3@tcp7", 1);
	struct lnet_conn *c = net_fx_passive(test, "10.1.2.4@tcp", 1);

	/* Half of an eighth is 62 of an address, and 93 of all. */
	lnet_settings.lns_memory = 1500;
	KUNIT_EXPECT_TRUE(test, lnet_peer_try_charge(a, 40));
	KUNIT_EXPECT_FALSE(test, lnet_peer_try_charge(b, 23));
	KUNIT_EXPECT_TRUE(test, lnet_peer_try_charge(b, 22));
	KUNIT_EXPECT_FALSE(test, lnet_peer_try_charge(c, 32));
	/* A cancel has the other half. */
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(a, LNET_CONTROL, 63));
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(b, LNET_CONTROL, 1));
	KUNIT_EXPECT_EQ(test, nf.resumed, 0);
	lnet_peer_uncharge(a, LNET_CONTROL, 40);
	KUNIT_EXPECT_EQ(test, nf.resumed, 1);
	/* What was granted to it is free if it takes another message. */
	KUNIT_EXPECT_FALSE(test, lnet_peer_try_charge(b, 1));
	lnet_peer_uncharge(a, LNET_CONTROL, 63);
	lnet_peer_uncharge(b, LNET_CONTROL, 22);
	KUNIT_EXPECT_EQ(test, net_memory_used(a->cn_peer->lnp_addr), 0ULL);
	/* With no memory in use any size fits. */
	KUNIT_EXPECT_TRUE(test, lnet_peer_try_charge(c, 5000));
	lnet_peer_uncharge(c, LNET_CONTROL, 5000);
}

static void connections_of_an_address_have_a_limit(struct kunit *test)
{
	struct lnet_conn *first = NULL, *conn;
	char text[LNET_NID_TEXT_MAX];
	unsigned int n;

	for (n = 0; n < 6; n++) {
		snprintf(text, sizeof(text), "10.1.2.3@tcp%u", n);
		nf.identify_rc = n < 4 ? 0 : -EUSERS;
		conn = net_fx_passive(test, text, 1);
		first = first ?: conn;
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&nf.counters[LNET_ADDR_FULL]), 2);
	nf.identify_rc = 0;
	/* Those for bulk data are counted apart: a node has one of each. */
	net_fx_passive_lane(test, "10.1.2.3@tcp0", 1, LNET_BULK);
	net_fx_passive(test, "10.1.2.4@tcp", 1);
	lnet_conn_close(first, -ECONNRESET);
	net_fx_passive(test, "10.1.2.3@tcp9", 1);
	nf.identify_rc = -EUSERS;
	net_fx_passive(test, "10.1.2.3@tcp", 1);
}

static struct lnet_conn *node_conn(struct kunit *test, unsigned int n)
{
	char text[LNET_NID_TEXT_MAX];

	snprintf(text, sizeof(text), "10.2.0.%u@tcp", n);
	return net_fx_passive(test, text, 1);
}

/* A message that waits is not resumed because it was refused. */
static void a_refusal_resumes_nobody(struct kunit *test)
{
	struct lnet_conn *a = node_conn(test, 1), *b = node_conn(test, 2);

	lnet_settings.lns_memory = 1000;
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(a, LNET_BULK, 700));
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(b, LNET_BULK, 600));
	KUNIT_EXPECT_EQ(test, nf.resumed, 0);
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(b, LNET_BULK, 600));
	KUNIT_EXPECT_EQ(test, nf.resumed, 0);
	lnet_peer_uncharge(a, LNET_BULK, 700);
	KUNIT_EXPECT_EQ(test, nf.resumed, 1);
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(b, LNET_BULK, 600));
	lnet_peer_uncharge(b, LNET_BULK, 600);
}

/* Small ones that come later wait for a large one that waits; of all, or of one. */
static void a_large_message_is_not_overtaken(struct kunit *test)
{
	struct lnet_conn *a = node_conn(test, 1), *b = node_conn(test, 2);
	struct lnet_conn *c = node_conn(test, 3);
	struct lnet_conn *b2 = net_fx_passive(test, "10.2.0.2@tcp5", 1);

	lnet_settings.lns_memory = 1000;
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(a, LNET_BULK, 700));
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(b, LNET_BULK, 600));
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(c, LNET_BULK, 100));
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(b2, LNET_BULK, 500));
	lnet_peer_uncharge(a, LNET_BULK, 700);
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(b, LNET_BULK, 600));
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(c, LNET_BULK, 100));
	/* Its address has 600, and may have 1000. */
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(b2, LNET_BULK, 500));
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(a, LNET_BULK, 100));
	lnet_peer_uncharge(b, LNET_BULK, 600);
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(b2, LNET_BULK, 500));
	lnet_peer_uncharge(b2, LNET_BULK, 500);
	lnet_peer_uncharge(c, LNET_BULK, 100);
	lnet_peer_uncharge(a, LNET_BULK, 100);
	KUNIT_EXPECT_EQ(test, nf.resumed, 3);
}

/* What was granted and is not used any more lets the next one go on. */
static void a_grant_that_is_not_used_goes_on(struct kunit *test)
{
	struct lnet_conn *a = node_conn(test, 1), *b = node_conn(test, 2);
	struct lnet_conn *c = node_conn(test, 3);

	lnet_settings.lns_memory = 1000;
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(a, LNET_BULK, 1000));
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(b, LNET_BULK, 900));
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(c, LNET_BULK, 800));
	lnet_peer_uncharge(a, LNET_BULK, 1000);
	KUNIT_EXPECT_EQ(test, nf.resumed, 1);
	lnet_peer_charge_cancel(b);
	KUNIT_EXPECT_EQ(test, nf.resumed, 2);
	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(c, LNET_BULK, 800));
	lnet_peer_uncharge(c, LNET_BULK, 800);
}

static void a_closed_connection_waits_for_no_memory(struct kunit *test)
{
	struct lnet_conn *a = net_fx_passive(test, NODE, 1);

	KUNIT_EXPECT_TRUE(test, lnet_peer_charge(a, LNET_BULK, 1000));
	KUNIT_EXPECT_FALSE(test, lnet_peer_charge(a, LNET_BULK, 1));
	lnet_conn_get(a);
	lnet_conn_close(a, -ECONNRESET);
	lnet_peer_uncharge(a, LNET_BULK, 1000);
	KUNIT_EXPECT_EQ(test, nf.resumed, 0);
	lnet_conn_put(a);
}

/* Takes and gives back until it was told so often; never waits in vain. */
struct charger {
	struct lnet_conn	*conn;
	unsigned int	count;
	u32		bytes;
};

static bool memory_waits(struct lnet_conn *conn)
{
	bool waits;

	spin_lock_bh(&memory_lock);
	waits = !list_empty(&conn_node(conn)->nc_memory_item);
	spin_unlock_bh(&memory_lock);
	return waits;
}

static long charger_run(void *arg)
{
	unsigned long until = jiffies + FIXTURE_WAIT;
	struct charger *c = arg;
	unsigned int n;

	for (n = 0; n < c->count; n++) {
		while (!lnet_peer_charge(c->conn, LNET_BULK, c->bytes)) {
			while (memory_waits(c->conn)) {
				if (time_after(jiffies, until))
					return -ETIMEDOUT;
				cond_resched();
			}
		}
		lnet_peer_uncharge(c->conn, LNET_BULK, c->bytes);
	}
	return 0;
}

/* Either message fits by itself, and not both. */
static void no_resume_is_lost(struct kunit *test)
{
	struct charger c[2];
	struct aside a[2];
	char text[LNET_NID_TEXT_MAX];
	unsigned int n;

	lnet_settings.lns_memory = 1000;
	for (n = 0; n < 2; n++) {
		snprintf(text, sizeof(text), "10.2.0.%u@tcp", n);
		c[n].conn = net_fx_passive(test, text, 1);
		/* Without a user it is closed when it has been idle for long. */
		lnet_conn_get(c[n].conn);
		c[n].count = 5000;
		c[n].bytes = 600 + 100 * n;
		aside_start(test, &a[n], charger_run, &c[n]);
	}
	for (n = 0; n < 2; n++) {
		KUNIT_EXPECT_EQ(test, aside_join(test, &a[n]), 0);
		lnet_conn_put(c[n].conn);
	}
}

static struct kunit_case net_memory_cases[] = {
	KUNIT_CASE(memory_of_a_node_has_a_limit),
	KUNIT_CASE(memory_of_all_has_a_limit),
	KUNIT_CASE(networks_of_an_address_share_its_memory),
	KUNIT_CASE(control_has_memory_of_its_own),
	KUNIT_CASE(a_request_that_may_wait_is_not_queued),
	KUNIT_CASE(connections_of_an_address_have_a_limit),
	KUNIT_CASE(a_refusal_resumes_nobody),
	KUNIT_CASE(a_large_message_is_not_overtaken),
	KUNIT_CASE(a_grant_that_is_not_used_goes_on),
	KUNIT_CASE(a_closed_connection_waits_for_no_memory),
	KUNIT_CASE(no_resume_is_lost),
	{}
};

static struct kunit_suite net_memory_suite = {
	.name = "lnet_memory",
	.suite_init = client_suite_init,
	.init = net_fixture_init,
	.exit = net_fixture_exit,
	.test_cases = net_memory_cases,
};
kunit_test_suite(net_memory_suite);

MODULE_DESCRIPTION("network: memory and connections of an address");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
