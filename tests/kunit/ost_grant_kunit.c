// SPDX-License-Identifier: GPL-2.0-only
/* Grant at a client: charges of pages, requests, replies that are late or lost, other exports. */
#include <kunit/test.h>
#include <linux/bvec.h>
#include <linux/gfp.h>
#include <linux/module.h>
#include <linux/pagemap.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/ost_grant.h>
#include <lustre_lite/ptlrpc.h>

#define PAGES	4
#define PAGE_G	((u64)OST_GRANT_PAGE)
#define EXPORT	7
#define LATER	8

static struct {
	struct ost_grant	*gr;
	struct bio_vec		vec[PAGES];
} og;

static int og_init(struct kunit *test)
{
	unsigned int n;

	memset(&og, 0, sizeof(og));
	og.gr = ost_grant_new();
	for (n = 0; n < PAGES; n++) {
		og.vec[n].bv_page = alloc_page(GFP_KERNEL);
		og.vec[n].bv_len = PAGE_SIZE;
		if (!og.vec[n].bv_page)
			return -ENOMEM;
	}
	return og.gr ? 0 : -ENOMEM;
}

static struct folio *page_n(unsigned int n)
{
	return page_folio(og.vec[n].bv_page);
}

static void og_exit(struct kunit *test)
{
	unsigned int n;

	for (n = 0; n < PAGES; n++) {
		if (!og.vec[n].bv_page)
			continue;
		KUNIT_EXPECT_EQ(test, 1, page_count(og.vec[n].bv_page) - folio_test_private(page_n(n)));
		ost_grant_drop(page_n(n));
		put_page(og.vec[n].bv_page);
	}
	if (og.gr)
		KUNIT_EXPECT_EQ(test, 1U, refcount_read(&og.gr->gr_refcount));
	ost_grant_put(og.gr);
}

static u64 use(unsigned int nr, u32 len)
{
	const struct ptlrpc_bulk bulk = { og.vec, nr, len };

	return ost_grant_use(og.gr, &bulk, len);
}

static void expect(struct kunit *test, s64 available, u64 spent, u64 dirty, u64 sent)
{
	struct ost_grant_sums sums = ost_grant_sums(og.gr);

	KUNIT_EXPECT_EQ(test, available, ost_grant_available(&sums));
	KUNIT_EXPECT_EQ(test, spent, sums.spent);
	KUNIT_EXPECT_EQ(test, dirty, sums.dirty);
	KUNIT_EXPECT_EQ(test, sent, sums.sent);
}

static void a_page_has_one_charge(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, ost_grant_take(og.gr, page_n(0)));
	ost_grant_connected(og.gr, EXPORT, 2 * PAGE_G + 1);
	KUNIT_EXPECT_TRUE(test, ost_grant_take(og.gr, page_n(0)));
	KUNIT_EXPECT_TRUE(test, ost_grant_take(og.gr, page_n(0)));
	KUNIT_EXPECT_TRUE(test, ost_grant_take(og.gr, page_n(1)));
	KUNIT_EXPECT_FALSE(test, ost_grant_take(og.gr, page_n(2)));
	expect(test, 1, 0, 2 * PAGE_G, 0);
	KUNIT_EXPECT_EQ(test, 3U, refcount_read(&og.gr->gr_refcount));
	ost_grant_drop(page_n(0));
	ost_grant_drop(page_n(0));
	ost_grant_drop(page_n(2));
	expect(test, PAGE_G + 1, 0, PAGE_G, 0);
}

static void a_write_uses_the_charges_of_its_pages(struct kunit *test)
{
	u64 used;

	ost_grant_connected(og.gr, EXPORT, 4 * PAGE_G);
	KUNIT_EXPECT_TRUE(test, ost_grant_take(og.gr, page_n(0)));
	KUNIT_EXPECT_TRUE(test, ost_grant_take(og.gr, page_n(1)));
	KUNIT_EXPECT_TRUE(test, ost_grant_take(og.gr, page_n(3)));
	/* The last page is written in part: its charge is that of a page. */
	used = use(2, PAGE_SIZE + 1);
	KUNIT_EXPECT_EQ(test, used, 2 * PAGE_G);
	expect(test, PAGE_G, 0, PAGE_G, 2 * PAGE_G);
	ost_grant_end(og.gr, used, true);
	expect(test, PAGE_G, 2 * PAGE_G, PAGE_G, 0);
	KUNIT_EXPECT_FALSE(test, og.gr->gr_unsure);
	KUNIT_EXPECT_EQ(test, 3ULL, og.gr->gr_takes);
	/* One without a charge takes what is available. */
	used = use(1, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, used, PAGE_G);
	KUNIT_EXPECT_EQ(test, 4ULL, og.gr->gr_takes);
	expect(test, 0, 2 * PAGE_G, PAGE_G, PAGE_G);
	KUNIT_EXPECT_EQ(test, use(1, PAGE_SIZE), 0ULL);
	ost_grant_end(og.gr, used, false);
	KUNIT_EXPECT_TRUE(test, og.gr->gr_unsure);
	expect(test, 0, 3 * PAGE_G, PAGE_G, 0);
}

static void replies_may_be_lost_or_late(struct kunit *test)
{
	ost_grant_given(og.gr, EXPORT, 100 * PAGE_G);
	expect(test, 0, 0, 0, 0);
	ost_grant_connected(og.gr, EXPORT, PAGE_G);
	ost_grant_given(og.gr, EXPORT, 3 * PAGE_G);
	ost_grant_given(og.gr, EXPORT, 2 * PAGE_G);
	expect(test, 3 * PAGE_G, 0, 0, 0);
	ost_grant_given(og.gr, EXPORT, U64_MAX);
	expect(test, 3 * PAGE_G, 0, 0, 0);
	/* The same export again has nothing new to say. */
	ost_grant_connected(og.gr, EXPORT, 100 * PAGE_G);
	expect(test, 3 * PAGE_G, 0, 0, 0);
	ost_grant_connected(og.gr, LATER, PAGE_G);
	ost_grant_given(og.gr, EXPORT, 50 * PAGE_G);
	expect(test, PAGE_G, 0, 0, 0);
	KUNIT_EXPECT_TRUE(test, og.gr->gr_unsure);
}

/* A restart of the target: the client holds the same, and has spent nothing. */
static void another_export_starts_from_what_is_held(struct kunit *test)
{
	u64 used;

	ost_grant_connected(og.gr, EXPORT, 4 * PAGE_G);
	KUNIT_EXPECT_TRUE(test, ost_grant_take(og.gr, page_n(0)));
	KUNIT_EXPECT_TRUE(test, ost_grant_take(og.gr, page_n(1)));
	ost_grant_end(og.gr, use(1, PAGE_SIZE), true);
	used = use(1, PAGE_SIZE);
	expect(test, PAGE_G, PAGE_G, PAGE_G, PAGE_G);
	KUNIT_EXPECT_EQ(test, ost_grant_held(og.gr), (u32)(3 * PAGE_G));
	/* A page becomes dirty meanwhile. */
	KUNIT_EXPECT_TRUE(test, ost_grant_take(og.gr, page_n(2)));
	ost_grant_connected(og.gr, LATER, 3 * PAGE_G);
	expect(test, 0, 0, 2 * PAGE_G, PAGE_G);
	ost_grant_end(og.gr, used, true);
	expect(test, 0, PAGE_G, 2 * PAGE_G, 0);
	/* An eviction: there is less than what the pages need, until they are dropped. */
	ost_grant_connected(og.gr, EXPORT, PAGE_G);
	expect(test, -(s64)PAGE_G, 0, 2 * PAGE_G, 0);
	KUNIT_EXPECT_FALSE(test, ost_grant_take(og.gr, page_n(3)));
	KUNIT_EXPECT_EQ(test, ost_grant_held(og.gr), (u32)(2 * PAGE_G));
	ost_grant_drop(page_n(1));
	ost_grant_drop(page_n(2));
	expect(test, PAGE_G, 0, 0, 0);
	ost_grant_connected(og.gr, 0, 0);
	KUNIT_EXPECT_FALSE(test, ost_grant_take(og.gr, page_n(0)));
	KUNIT_EXPECT_EQ(test, ost_grant_held(og.gr), 0U);
}

static void what_is_not_used_is_given_back(struct kunit *test)
{
	struct ost_claim claim = {};
	u64 used;

	KUNIT_EXPECT_FALSE(test, ost_grant_return(og.gr, 0, &claim));
	ost_grant_connected(og.gr, EXPORT, 4 * PAGE_G);
	KUNIT_EXPECT_TRUE(test, ost_grant_take(og.gr, page_n(0)));
	used = use(1, PAGE_SIZE);
	KUNIT_EXPECT_FALSE(test, ost_grant_return(og.gr, 0, &claim));
	ost_grant_end(og.gr, used, true);
	KUNIT_EXPECT_TRUE(test, ost_grant_take(og.gr, page_n(1)));
	KUNIT_EXPECT_TRUE(test, ost_grant_return(og.gr, PAGE_G, &claim));
	KUNIT_EXPECT_EQ(test, claim.spent, 2 * PAGE_G);
	KUNIT_EXPECT_EQ(test, claim.export, (u64)EXPORT);
	KUNIT_EXPECT_EQ(test, claim.dirty, PAGE_G);
	expect(test, PAGE_G, 2 * PAGE_G, PAGE_G, 0);
	/* A write was sent meanwhile: the target is told again. */
	used = use(2, 2 * PAGE_SIZE);
	ost_grant_returned(og.gr, &claim, 2 * PAGE_G);
	KUNIT_EXPECT_TRUE(test, og.gr->gr_unsure);
	ost_grant_end(og.gr, used, true);
	KUNIT_EXPECT_TRUE(test, ost_grant_return(og.gr, U64_MAX, &claim));
	KUNIT_EXPECT_EQ(test, claim.spent, 4 * PAGE_G);
	ost_grant_returned(og.gr, &claim, 3 * PAGE_G);
	KUNIT_EXPECT_TRUE(test, og.gr->gr_unsure);
	ost_grant_returned(og.gr, &claim, 4 * PAGE_G);
	KUNIT_EXPECT_FALSE(test, og.gr->gr_unsure);
	/* It was not asked for any. */
	KUNIT_EXPECT_FALSE(test, og.gr->gr_full);
	claim.undirty = PAGE_G;
	ost_grant_given(og.gr, EXPORT, 4 * PAGE_G);
	ost_grant_returned(og.gr, &claim, 4 * PAGE_G);
	KUNIT_EXPECT_TRUE(test, og.gr->gr_full);
	ost_grant_given(og.gr, EXPORT, 5 * PAGE_G);
	KUNIT_EXPECT_FALSE(test, og.gr->gr_full);
	expect(test, PAGE_G, 4 * PAGE_G, 0, 0);
}

static struct kunit_case og_cases[] = {
	KUNIT_CASE(a_page_has_one_charge),
	KUNIT_CASE(a_write_uses_the_charges_of_its_pages),
	KUNIT_CASE(replies_may_be_lost_or_late),
	KUNIT_CASE(another_export_starts_from_what_is_held),
	KUNIT_CASE(what_is_not_used_is_given_back),
	{}
};

static struct kunit_suite og_suite = {
	.name		= "ost_grant",
	.init		= og_init,
	.exit		= og_exit,
	.test_cases	= og_cases,
};

kunit_test_suite(og_suite);

MODULE_DESCRIPTION("KUnit: grant at a client");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
