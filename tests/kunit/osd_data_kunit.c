// SPDX-License-Identifier: GPL-2.0-only
/* Data of objects, objects of an OST, commits. */
#include <linux/bvec.h>
#include <linux/falloc.h>
#include <linux/uio.h>

#include "osd_fixture.h"

#define IDIF	0x100010000ULL		/* OST 1 */
#define READ_MAX	(24 * PAGE_SIZE)

static const struct osd_xattr parent_attr[] = { { "trusted.fid", "parent", 6 } };

static int od_init(struct kunit *test)
{
	int rc = ot_init(test);

	if (rc)
		return rc;
	ot_close();
	return ot_open(OSD_KIND_OST);
}

static struct osd_create ost_file(u64 id)
{
	return (struct osd_create){
		.ocr_fid = { .f_seq = IDIF, .f_oid = id },
		.ocr_xattrs = { parent_attr, 1 },
	};
}

static void make(struct kunit *test, u64 id, struct osd_object *obj)
{
	const struct osd_create oc = ost_file(id);

	KUNIT_ASSERT_EQ(test, osd_ost_create(ot.osd, id, &oc, &ot_counted, obj), 0);
}

/* One vector of two parts, to write from. */
static struct iov_iter parts(struct bio_vec *bv, struct page *page, u32 len)
{
	struct iov_iter iter;

	bv[0] = (struct bio_vec){ .bv_page = page, .bv_len = len / 2 };
	bv[1] = (struct bio_vec){ .bv_page = page, .bv_offset = len / 2, .bv_len = len - len / 2 };
	iov_iter_bvec(&iter, ITER_SOURCE, bv, 2, len);
	return iter;
}

static struct page *page_of(struct kunit *test, u8 byte)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	memset(page_address(page), byte, PAGE_SIZE);
	return page;
}

/* Up to READ_MAX bytes, copied to @to. Return: as osd_read() */
static ssize_t read_to(struct kunit *test, struct osd_object *obj, loff_t pos, size_t len, u8 *to)
{
	struct bio_vec vec[OSD_READ_PARTS(PAGE_SIZE - 1, READ_MAX)];
	unsigned int nr = 0, n;
	ssize_t rc = osd_read(obj, pos, len, vec, &nr), left = rc;

	for (n = 0; n < nr; n++) {
		KUNIT_EXPECT_LE(test, (ssize_t)vec[n].bv_len, left);
		memcpy_from_page(to, vec[n].bv_page, vec[n].bv_offset, vec[n].bv_len);
		to += vec[n].bv_len;
		left -= vec[n].bv_len;
		put_page(vec[n].bv_page);
	}
	KUNIT_EXPECT_TRUE(test, rc < 0 || !left);
	return rc;
}

static void write_is_read_back(struct kunit *test)
{
	struct page *from = page_of(test, 'x'), *to = page_of(test, 0);
	u8 *seen = page_address(to);
	struct osd_object obj, found;
	struct bio_vec bv[2];
	struct iov_iter iter;

	make(test, 1160, &obj);
	iter = parts(bv, from, 1001);
	KUNIT_EXPECT_EQ(test, osd_write(&obj, &iter, 5000), 0);
	KUNIT_EXPECT_EQ(test, read_to(test, &obj, 4990, 4000, seen), (ssize_t)1011);
	KUNIT_EXPECT_EQ(test, seen[9], 0);
	KUNIT_EXPECT_EQ(test, memcmp(seen + 10, page_address(from), 1001), 0);
	KUNIT_EXPECT_EQ(test, read_to(test, &obj, 6001, 10, seen), (ssize_t)0);
	KUNIT_ASSERT_EQ(test, osd_ost_lookup(ot.osd, 1160, &found), 0);
	KUNIT_EXPECT_EQ(test, read_to(test, &found, 5000, 10, seen), (ssize_t)10);
	osd_object_fini(&found);
	osd_object_fini(&obj);
	__free_page(from);
	__free_page(to);
}

/* It starts within a page, and is more than a pipe takes at a time. */
static void long_read_has_all_bytes_in_order(struct kunit *test)
{
	u8 *bytes = kunit_kzalloc(test, READ_MAX, GFP_KERNEL);
	struct page *page = page_of(test, 0);
	struct osd_object obj;
	struct bio_vec bv[2];
	struct iov_iter iter;
	unsigned int n, wrong = 0;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	make(test, 3, &obj);
	for (n = 0; n < READ_MAX / PAGE_SIZE + 2; n++) {
		memset(page_address(page), 'a' + n % 26, PAGE_SIZE);
		iter = parts(bv, page, PAGE_SIZE);
		KUNIT_ASSERT_EQ(test, osd_write(&obj, &iter, n * PAGE_SIZE), 0);
	}
	KUNIT_EXPECT_EQ(test, read_to(test, &obj, 4095, READ_MAX, bytes), (ssize_t)READ_MAX);
	for (n = 0; n < READ_MAX; n++)
		wrong += bytes[n] != 'a' + (4095 + n) / PAGE_SIZE % 26;
	KUNIT_EXPECT_EQ(test, wrong, 0U);
	osd_object_fini(&obj);
	__free_page(page);
}

static void hole_is_punched(struct kunit *test)
{
	struct page *page = page_of(test, 'x');
	struct osd_object obj;
	struct bio_vec bv[2];
	struct iov_iter iter;
	struct kstat stat;

	make(test, 1, &obj);
	iter = parts(bv, page, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, osd_write(&obj, &iter, 0), 0);
	KUNIT_EXPECT_EQ(test, osd_fallocate(&obj, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
					    PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, osd_getattr(&obj, &stat), 0);
	KUNIT_EXPECT_EQ(test, stat.size, (loff_t)PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, stat.blocks, 0ULL);
	KUNIT_EXPECT_EQ(test, read_to(test, &obj, 100, 2, page_address(page)), (ssize_t)2);
	KUNIT_EXPECT_EQ(test, ((u8 *)page_address(page))[0], 0);
	osd_object_fini(&obj);
	__free_page(page);
}

/* A hole that ends after the largest offset; positions, of blocks of a page at most. */
static void holes_are_found(struct kunit *test)
{
	struct page *page = page_of(test, 'x');
	struct osd_object obj;
	struct bio_vec bv[2];
	struct iov_iter iter;

	make(test, 1, &obj);
	KUNIT_EXPECT_EQ(test, osd_seek(&obj, false, 0), (loff_t)-ENXIO);
	KUNIT_EXPECT_EQ(test, osd_seek(&obj, true, 0), (loff_t)-ENXIO);
	iter = parts(bv, page, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, osd_write(&obj, &iter, 64 * PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, osd_seek(&obj, true, 5), (loff_t)5);
	KUNIT_EXPECT_EQ(test, osd_seek(&obj, false, 5), (loff_t)(64 * PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, osd_seek(&obj, true, 64 * PAGE_SIZE), (loff_t)(65 * PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, osd_seek(&obj, false, 65 * PAGE_SIZE), (loff_t)-ENXIO);
	KUNIT_EXPECT_EQ(test, osd_fallocate(&obj, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 1,
					    LLONG_MAX - 1), 0);
	KUNIT_EXPECT_EQ(test, osd_fallocate(&obj, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					    LLONG_MAX, 1), 0);
	KUNIT_EXPECT_EQ(test, osd_seek(&obj, false, 0), (loff_t)-ENXIO);
	osd_object_fini(&obj);
	__free_page(page);
}

static void directory_has_no_data(struct kunit *test)
{
	struct osd_object top = { .oo_osd = ot.osd, .oo_dentry = ot.top.dentry };
	u8 seen[2];

	KUNIT_EXPECT_EQ(test, read_to(test, &top, 0, sizeof(seen), seen), (ssize_t)-EISDIR);
}

static void full_file_system_is_an_error_of_the_write(struct kunit *test)
{
	char small[] = "size=64k";
	struct osd_object obj;
	struct bio_vec bv[2];
	struct iov_iter iter;
	struct page *page;
	int rc = 0, n;

	if (!ot_is_tmpfs())
		kunit_skip(test, "it wants a small tmpfs");
	page = page_of(test, 'x');
	ot_close();
	ot_umount();
	KUNIT_ASSERT_EQ(test, ot_mount(small) ?: ot_open(OSD_KIND_OST), 0);
	make(test, 1, &obj);
	for (n = 0; n < 64 && !rc; n++) {
		iter = parts(bv, page, PAGE_SIZE);
		rc = osd_write(&obj, &iter, n * PAGE_SIZE);
	}
	KUNIT_EXPECT_EQ(test, rc, -ENOSPC);
	osd_object_fini(&obj);
	KUNIT_EXPECT_EQ(test, osd_ost_destroy(ot.osd, 1, NULL), 0);
	make(test, 2, &obj);
	iter = parts(bv, page, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, osd_write(&obj, &iter, 0), 0);
	osd_object_fini(&obj);
	__free_page(page);
}

static void object_of_an_ost_is_at_its_path(struct kunit *test)
{
	struct osd_object obj;
	struct file *file;
	struct kstat stat;

	make(test, 1160, &obj);
	KUNIT_EXPECT_EQ(test, osd_getattr(&obj, &stat), 0);
	KUNIT_EXPECT_EQ(test, stat.mode, (umode_t)(S_IFREG | 0666));
	KUNIT_EXPECT_EQ(test, osd_ea_get(&obj, "trusted.fid", NULL, 0), (ssize_t)6);
	file = file_open_root(&ot.top, "O/0/d8/1160", O_RDONLY, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_PTR_EQ(test, file_inode(file), d_inode(obj.oo_dentry));
	__fput_sync(file);
	osd_object_fini(&obj);
}

/* Object 1186 of OST0001 as real Lustre has it. */
static void object_of_an_ost_has_its_idif(struct kunit *test)
{
	static const u8 bytes[] = { 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0,
				    0xa2, 4, 0, 0, 0, 0, 0, 0 };
	struct osd_object obj;
	u8 seen[64];

	make(test, 1186, &obj);
	KUNIT_EXPECT_EQ(test, osd_ea_get(&obj, "trusted.lma", seen, sizeof(seen)),
			(ssize_t)sizeof(bytes));
	KUNIT_EXPECT_EQ(test, memcmp(seen, bytes, sizeof(bytes)), 0);
	osd_object_fini(&obj);
}

static void object_of_an_ost_lives_from_create_to_destroy(struct kunit *test)
{
	struct osd_create oc = ost_file(7);
	struct osd_object obj, again;

	KUNIT_EXPECT_EQ(test, osd_ost_lookup(ot.osd, 7, &obj), -ENOENT);
	KUNIT_EXPECT_EQ(test, osd_ost_destroy(ot.osd, 7, &ot_counted), -ENOENT);
	make(test, 7, &obj);
	KUNIT_EXPECT_EQ(test, osd_ost_create(ot.osd, 7, &oc, &ot_counted, &again), -EEXIST);
	KUNIT_EXPECT_TRUE(test, ot_fid_is(&again, &oc.ocr_fid));
	KUNIT_EXPECT_EQ(test, ot.stamps, 1U);
	osd_object_fini(&again);
	osd_object_fini(&obj);
	KUNIT_EXPECT_EQ(test, osd_ost_destroy(ot.osd, 7, &ot_counted), 0);
	KUNIT_EXPECT_EQ(test, ot.stamps, 2U);
	KUNIT_EXPECT_EQ(test, osd_ost_lookup(ot.osd, 7, &obj), -ENOENT);
}

/* A power cut between the steps of a create. */
static void remains_of_an_object_are_an_object_not_written_yet(struct kunit *test)
{
	struct osd_object obj;
	struct file *file = file_open_root(&ot.top, "O/0/d9/9", O_CREAT | O_WRONLY, 0600);
	loff_t pos = 0;

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, osd_ost_lookup(ot.osd, 9, &obj), -ENOENT);
	make(test, 9, &obj);
	KUNIT_EXPECT_EQ(test, ot.stamps, 1U);
	osd_object_fini(&obj);
	KUNIT_EXPECT_EQ(test, osd_ost_lookup(ot.osd, 9, &obj), 0);
	osd_object_fini(&obj);
	__fput_sync(file);
	file = file_open_root(&ot.top, "O/0/d10/10", O_CREAT | O_WRONLY, 0600);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, kernel_write(file, "x", 1, &pos), (ssize_t)1);
	__fput_sync(file);
	KUNIT_EXPECT_EQ(test, osd_ost_lookup(ot.osd, 10, &obj), -EIO);
}

static void device_of_the_other_kind_is_refused(struct kunit *test)
{
	struct osd_create oc = ost_file(7);
	struct osd_object obj;
	u64 id;

	KUNIT_EXPECT_EQ(test, osd_object_root(ot.osd, &obj), -EINVAL);
	KUNIT_EXPECT_EQ(test, osd_pending_destroy(ot.osd, &oc.ocr_fid, NULL), -EINVAL);
	ot_close();
	KUNIT_ASSERT_EQ(test, ot_open(OSD_KIND_MDT), 0);
	KUNIT_EXPECT_EQ(test, osd_ost_lookup(ot.osd, 7, &obj), -EINVAL);
	KUNIT_EXPECT_EQ(test, osd_ost_create(ot.osd, 7, &oc, NULL, &obj), -EINVAL);
	KUNIT_EXPECT_EQ(test, osd_ost_destroy(ot.osd, 7, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, osd_last_id_get(ot.osd, &id), -EINVAL);
	KUNIT_EXPECT_EQ(test, osd_last_id_set(ot.osd, 7), -EINVAL);
}

static void last_id_is_kept(struct kunit *test)
{
	static const u8 bytes[] = { 0x84, 0x04, 0, 0, 0, 0, 0, 0 };
	struct file *file;
	u64 id = 1;
	u8 seen[8];

	KUNIT_EXPECT_EQ(test, osd_last_id_get(ot.osd, &id), 0);
	KUNIT_EXPECT_EQ(test, id, 0ULL);
	KUNIT_EXPECT_EQ(test, osd_last_id_set(ot.osd, 10000), 0);
	KUNIT_EXPECT_EQ(test, osd_last_id_set(ot.osd, 1156), 0);
	KUNIT_EXPECT_EQ(test, osd_last_id_get(ot.osd, &id), 0);
	KUNIT_EXPECT_EQ(test, id, 1156ULL);
	file = file_open_root(&ot.top, "O/0/LAST_ID", O_RDWR, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, kernel_read(file, seen, sizeof(seen), &(loff_t){0}), (ssize_t)8);
	KUNIT_EXPECT_EQ(test, memcmp(seen, bytes, 8), 0);
	KUNIT_EXPECT_EQ(test, vfs_truncate(&file->f_path, 3), 0L);
	KUNIT_EXPECT_EQ(test, osd_last_id_get(ot.osd, &id), -EUCLEAN);
	KUNIT_EXPECT_EQ(test, vfs_truncate(&file->f_path, 0), 0L);
	KUNIT_EXPECT_EQ(test, osd_last_id_get(ot.osd, &id), 0);
	__fput_sync(file);
}

/* Of a metadata target: one number of each object storage target. */
static void lov_objid_is_kept(struct kunit *test)
{
	static const u32 indexes[] = { 3, 0, 3, 65535 };
	u64 id = 1;
	u32 n;

	KUNIT_EXPECT_EQ(test, osd_lov_objid_get(ot.osd, 0, &id), -EINVAL);
	KUNIT_EXPECT_EQ(test, osd_lov_objid_set(ot.osd, 0, 1), -EINVAL);
	ot_close();
	KUNIT_ASSERT_EQ(test, ot_open(OSD_KIND_MDT), 0);
	KUNIT_EXPECT_EQ(test, osd_lov_objid_get(ot.osd, 3, &id), 0);
	KUNIT_EXPECT_EQ(test, id, 0ULL);
	for (n = 0; n < ARRAY_SIZE(indexes); n++) {
		KUNIT_EXPECT_EQ(test, osd_lov_objid_set(ot.osd, indexes[n], 100 + n), 0);
		KUNIT_EXPECT_EQ(test, osd_lov_objid_get(ot.osd, indexes[n], &id), 0);
		KUNIT_EXPECT_EQ(test, id, 100ULL + n);
	}
	KUNIT_EXPECT_EQ(test, osd_lov_objid_get(ot.osd, 0, &id), 0);
	KUNIT_EXPECT_EQ(test, id, 101ULL);
	KUNIT_EXPECT_EQ(test, osd_lov_objid_get(ot.osd, 1, &id), 0);
	KUNIT_EXPECT_EQ(test, id, 0ULL);
}

static void commit_records_its_number(struct kunit *test)
{
	static const struct osd_xattr bad = { "trusted.lite.committed", "123", 3 };
	struct osd_object top = { .oo_osd = ot.osd };
	const struct osd_xattrs one = { &bad, 1 };
	struct file *file;
	u64 transno = 1;

	KUNIT_EXPECT_EQ(test, osd_committed(ot.osd, &transno), 0);
	KUNIT_EXPECT_EQ(test, transno, 0ULL);
	KUNIT_EXPECT_EQ(test, osd_commit(ot.osd, 5), -ENOENT);
	file = file_open_root(&ot.top, OSD_LAST_RCVD, O_RDWR | O_CREAT, 0600);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, osd_committed(ot.osd, &transno), 0);
	KUNIT_EXPECT_EQ(test, transno, 0ULL);
	KUNIT_EXPECT_EQ(test, osd_commit(ot.osd, 5), 0);
	KUNIT_EXPECT_EQ(test, osd_commit(ot.osd, 0x300000007ULL), 0);
	ot_close();
	KUNIT_ASSERT_EQ(test, ot_open(OSD_KIND_OST), 0);
	KUNIT_EXPECT_EQ(test, osd_committed(ot.osd, &transno), 0);
	KUNIT_EXPECT_EQ(test, transno, 0x300000007ULL);
	top.oo_osd = ot.osd;
	top.oo_dentry = file->f_path.dentry;
	KUNIT_EXPECT_EQ(test, osd_ea_set(&top, &one, NULL), 0);
	KUNIT_EXPECT_EQ(test, osd_committed(ot.osd, &transno), -EUCLEAN);
	__fput_sync(file);
}

static struct kunit_case osd_data_cases[] = {
	KUNIT_CASE(write_is_read_back),
	KUNIT_CASE(long_read_has_all_bytes_in_order),
	KUNIT_CASE(hole_is_punched),
	KUNIT_CASE(holes_are_found),
	KUNIT_CASE(directory_has_no_data),
	KUNIT_CASE(full_file_system_is_an_error_of_the_write),
	KUNIT_CASE(object_of_an_ost_is_at_its_path),
	KUNIT_CASE(object_of_an_ost_has_its_idif),
	KUNIT_CASE(object_of_an_ost_lives_from_create_to_destroy),
	KUNIT_CASE(remains_of_an_object_are_an_object_not_written_yet),
	KUNIT_CASE(device_of_the_other_kind_is_refused),
	KUNIT_CASE(last_id_is_kept),
	KUNIT_CASE(lov_objid_is_kept),
	KUNIT_CASE(commit_records_its_number),
	{}
};

static struct kunit_suite osd_data_suite = {
	.name		= "osd_data",
	.suite_init	= client_suite_init,
	.init		= od_init,
	.exit		= ot_exit,
	.test_cases	= osd_data_cases,
};

kunit_test_suite(osd_data_suite);

MODULE_DESCRIPTION("KUnit: data of objects, objects of an OST, commits");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
