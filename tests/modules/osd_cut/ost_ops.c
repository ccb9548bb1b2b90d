// SPDX-License-Identifier: GPL-2.0-only
/* osd_cut: objects of an OST are created by their first write. */
#include <linux/bvec.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/uio.h>

#include <lustre_lite/lustre_fid.h>

#include "osd_cut.h"

#define FIRST_ID	1160
#define OP		"write"

static u64 object_id(u32 round)
{
	return FIRST_ID + round;
}

static struct iov_iter page_iter(struct page *page, struct bio_vec *bv)
{
	struct iov_iter iter;

	*bv = (struct bio_vec){ .bv_page = page, .bv_len = PAGE_SIZE };
	iov_iter_bvec(&iter, ITER_SOURCE, bv, 1, PAGE_SIZE);
	return iter;
}

/* As ofd does: the object is created with its first write. */
static int object_write(struct cut *cut, u32 round, struct page *page)
{
	const struct osd_xattr parent = { "trusted.fid", "parent", 6 };
	const struct osd_create oc = {
		.ocr_fid = { .f_seq = FID_SEQ_IDIF, .f_oid = object_id(round) },
		.ocr_xattrs = { &parent, 1 },
	};
	struct osd_object obj = {};
	struct iov_iter iter;
	struct bio_vec bv;
	int rc = osd_ost_create(cut->osd, object_id(round), &oc, NULL, &obj);

	if (rc && rc != -EEXIST)
		return rc;
	memset(page_address(page), 'a' + round % 26, PAGE_SIZE);
	iter = page_iter(page, &bv);
	rc = osd_write(&obj, &iter, 0);
	osd_object_fini(&obj);
	if (rc)
		return rc;
	cut->stamp.transno++;
	return cut_made(cut);
}

static void object_check(struct cut *cut, u32 round)
{
	bool must = round + 1 <= cut->committed;
	struct osd_object obj = {};
	unsigned int nr = 0;
	struct bio_vec bv;
	ssize_t len;
	int rc = osd_ost_lookup(cut->osd, object_id(round), &obj);

	cut_expect(cut, !rc || (rc == -ENOENT && !must), OP, round, "the object is there");
	if (rc)
		return;
	cut_expect(cut, osd_ea_get(&obj, "trusted.fid", NULL, 0) == 6, OP, round,
		   "it has its parent");
	len = osd_read(&obj, 0, PAGE_SIZE, &bv, &nr);
	cut_expect(cut, !must || len == PAGE_SIZE, OP, round, "it has all its bytes");
	if (must && len == PAGE_SIZE)
		cut_expect(cut, !memchr_inv(bvec_virt(&bv), 'a' + round % 26, PAGE_SIZE), OP, round,
			   "they are the ones that were written");
	while (nr--)
		put_page(bv.bv_page);
	osd_object_fini(&obj);
}

static int object_step(struct cut *cut, u32 round, struct page *page)
{
	bool made = round + 1 <= cut->committed;

	switch (cut->step) {
	case CUT_RUN:
		return object_write(cut, round, page);
	case CUT_REPLAY:
		if (made)
			cut->stamp.transno++;
		return made ? 0 : object_write(cut, round, page);
	default:
		object_check(cut, round);
		return 0;
	}
}

static int objects_step(struct cut *cut, struct page *page)
{
	u32 round, objects = cut->rounds * CUT_COMMIT;
	u64 last = 0;
	int rc = osd_last_id_get(cut->osd, &last);

	cut_expect(cut, last == FIRST_ID, "LAST_ID", 0, "it is the one that was set");
	for (round = 0; !rc && round < objects; round++)
		rc = object_step(cut, round, page);
	if (rc || cut->step != CUT_REPLAY)
		return rc;
	cut->committed = cut->stamp.transno;
	for (round = 0; round < objects; round++)
		object_check(cut, round);
	return 0;
}

int cut_ost(struct cut *cut)
{
	struct page *page;
	int rc;

	if (cut->step == CUT_PREPARE)
		return osd_last_id_set(cut->osd, FIRST_ID);
	page = alloc_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	rc = objects_step(cut, page);
	__free_page(page);
	return rc;
}
