/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files over objects: lov_fixture.h, and layouts of a file, bytes that are written to it and
 * expected in it.
 */
#ifndef _KUNIT_LOV_FILE_H
#define _KUNIT_LOV_FILE_H

#include "lov_fixture.h"

#define STRIPE		65536U
#ifndef PAGES_MAX
#define PAGES_MAX	512
#endif
#define OBJECT_ID	9

static const struct lu_fid file_fid = { FID_SEQ_NORMAL, 5, 0 };

/* Pages of the case. */
static struct {
	struct page	*page[PAGES_MAX];
	struct bio_vec	vec[PAGES_MAX];
	unsigned int	nr;
	struct dt_range	range;
} buf;

static inline u8 byte_at(u64 pos, u8 seed)
{
	return pos * 7 + (pos >> 12) + seed;
}

static inline void pages_put(void)
{
	while (buf.nr)
		put_page(buf.page[--buf.nr]);
}

/* So many bytes, the first one 100 bytes after the begin of a page. */
static inline void pages_get(struct kunit *test, u64 len)
{
	u32 offset = 100;

	pages_put();
	while (len) {
		KUNIT_ASSERT_LT(test, buf.nr, (unsigned int)PAGES_MAX);
		buf.page[buf.nr] = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, buf.page[buf.nr]);
		bvec_set_page(&buf.vec[buf.nr], buf.page[buf.nr],
			      min_t(u64, len, PAGE_SIZE - offset), offset);
		len -= buf.vec[buf.nr].bv_len;
		offset = 0;
		buf.nr++;
	}
}

static inline struct dt_io io_of(bool is_write, u64 pos, u64 len)
{
	buf.range = (struct dt_range){ pos, len };
	return (struct dt_io) { .di_write = is_write, .di_range = &buf.range, .di_ranges = 1,
				.di_vec = buf.vec, .di_nr = buf.nr };
}

/* Each byte of the pages. Return: how many are not as @expected says, or were set */
static inline u64 each_byte(bool set, u64 pos, u64 from, u64 end, u8 seed)
{
	unsigned int n, i;
	u64 wrong = 0;
	u8 *at, want;

	for (n = 0; n < buf.nr; n++) {
		at = page_address(buf.vec[n].bv_page) + buf.vec[n].bv_offset;
		for (i = 0; i < buf.vec[n].bv_len; i++, pos++) {
			want = pos >= from && pos < end ? byte_at(pos, seed) : 0;
			if (set)
				at[i] = want;
			else
				wrong += at[i] != want;
		}
	}
	return wrong;
}

static inline int write_at(struct kunit *test, struct lov_layout *layout, u64 pos, u64 len,
			   u8 seed, bool sync)
{
	struct md_attr attr = {
		.valid = MDS_ATTR_MTIME | MDS_ATTR_CTIME,
		.mtime = { 100 + seed, 1 },
		.ctime = { 200 + seed, 2 },
	};
	struct dt_io io;
	int rc;

	pages_get(test, len);
	each_byte(true, pos, 0, U64_MAX, seed);
	io = io_of(true, pos, len);
	io.di_attr = &attr;
	io.di_sync = sync;
	rc = dt_io(lf.exp, layout, &io);
	pages_put();
	return rc;
}

/* Of @nr ranges, which are all bytes of the pages. */
static inline int write_ranges(struct kunit *test, struct lov_layout *layout,
			       const struct dt_range *range, unsigned int nr, u8 seed)
{
	const struct md_attr attr = {};
	struct dt_io io = { .di_write = true, .di_range = range, .di_ranges = nr, .di_attr = &attr };
	unsigned int n, part;
	u64 len = 0, done = 0;
	int rc;

	for (n = 0; n < nr; n++)
		len += range[n].dtr_len;
	pages_get(test, len);
	for (part = 0; part < buf.nr; part++) {
		u8 *bytes = page_address(buf.vec[part].bv_page) + buf.vec[part].bv_offset;

		for (n = 0; n < buf.vec[part].bv_len; n++) {
			if (done == range->dtr_len) {
				range++;
				done = 0;
			}
			bytes[n] = byte_at(range->dtr_pos + done++, seed);
		}
	}
	io.di_vec = buf.vec;
	io.di_nr = buf.nr;
	rc = dt_io(lf.exp, layout, &io);
	pages_put();
	return rc;
}

/* The range has what was written from @from to @end, and zeros. */
static inline void expect_read(struct kunit *test, struct lov_layout *layout, u64 pos, u64 len,
			       u64 from, u64 end, u8 seed)
{
	struct dt_io io;

	pages_get(test, len);
	each_byte(true, 0, 0, U64_MAX, 0x5a);
	io = io_of(false, pos, len);
	KUNIT_EXPECT_EQ(test, 0, dt_io(lf.exp, layout, &io));
	KUNIT_EXPECT_EQ(test, 0ULL, each_byte(false, pos, from, end, seed));
	pages_put();
}

/*
 * trusted.lov of a file with that many stripes and a generation; stripe n is object @id + n of
 * target @first + n.
 */
static inline size_t make_ea_of(u8 *bytes, u32 count, u32 pattern, u16 gen, u64 id, u32 first)
{
	struct lov_object objects[LF_OSTS] = {};
	struct lov_ea ea = {
		.magic = LOV_MAGIC_V1,
		.pattern = pattern,
		.oi_id = file_fid.f_oid,
		.oi_seq = file_fid.f_seq,
		.stripe_size = STRIPE,
		.stripe_count = count,
		.object_count = count,
		.gen = gen,
	};
	u32 n;

	for (n = 0; n < count; n++) {
		fid_idif_make(id + n, first + n, &objects[n].fid);
		objects[n].ost = first + n;
	}
	lov_ea_encode(bytes, &ea, objects);
	return lov_ea_size(&ea);
}

static inline size_t make_ea(u8 *bytes, u32 count, u32 pattern)
{
	return make_ea_of(bytes, count, pattern, 0, OBJECT_ID, 0);
}

/* A value of that many components. */
static inline size_t make_comp(u8 *bytes, u32 gen, u16 mirrors, u32 count)
{
	struct lov_comp_md_v1 *head = (void *)bytes;
	size_t len = sizeof(*head) + count * sizeof(struct lov_comp_md_entry_v1);

	memset(bytes, 0, len);
	head->lcm_magic = cpu_to_le32(LOV_MAGIC_COMP_V1);
	head->lcm_layout_gen = cpu_to_le32(gen);
	head->lcm_entry_count = cpu_to_le16(count);
	head->lcm_mirror_count = cpu_to_le16(mirrors - 1);
	head->lcm_size = cpu_to_le32(len);
	return len;
}

/* Component @n: a plain layout as make_ea_of() makes it; @stripes 0: without objects. */
static inline size_t add_comp(u8 *bytes, u32 n, u64 start, u64 end, u32 flags, u32 stripes,
			      u32 pattern, u64 id, u32 first)
{
	struct lov_comp_md_v1 *head = (void *)bytes;
	struct lov_comp_md_entry_v1 *entry = (void *)(head + 1);
	size_t at = le32_to_cpu(head->lcm_size), len;

	len = make_ea_of(bytes + at, stripes, pattern, 0, id, first);
	entry += n;
	entry->lcme_id = cpu_to_le32(n + 1);
	entry->lcme_flags = cpu_to_le32(flags | (stripes ? LCME_FL_INIT : 0));
	entry->lcme_start = cpu_to_le64(start);
	entry->lcme_end = cpu_to_le64(end);
	entry->lcme_offset = cpu_to_le32(at);
	entry->lcme_size = cpu_to_le32(len);
	head->lcm_size = cpu_to_le32(at + len);
	return at + len;
}

/* @owner: of the data, or NULL */
static inline struct lov_layout *layout_owned(struct kunit *test, struct obd_export *exp,
					      struct dt_owner *owner)
{
	struct lov_layout *layout = dt_layout(exp, &file_fid, owner);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, layout);
	return layout;
}

static inline struct lov_layout *layout_empty(struct kunit *test)
{
	return layout_owned(test, lf.exp, NULL);
}

static inline void layout_stripes(struct kunit *test, struct obd_export *exp,
				  struct lov_layout *layout, u32 count)
{
	u8 bytes[256];

	KUNIT_ASSERT_EQ(test, 1, dt_layout_set(exp, layout, bytes,
					       make_ea(bytes, count, LOV_PATTERN_RAID0), false));
}

/* Of the volume of @exp: a client has layouts of its own. @owner: of the data, or NULL */
static inline struct lov_layout *layout_get_owned(struct kunit *test, struct obd_export *exp,
						  struct dt_owner *owner, u32 count)
{
	struct lov_layout *layout = layout_owned(test, exp, owner);

	layout_stripes(test, exp, layout, count);
	return layout;
}

static inline struct lov_layout *layout_get_of(struct kunit *test, struct obd_export *exp,
					       u32 count)
{
	return layout_get_owned(test, exp, NULL, count);
}

static inline struct lov_layout *layout_get(struct kunit *test, u32 count)
{
	return layout_get_of(test, lf.exp, count);
}

/* Get the locks, and do not use them. */
static inline int lock_once(struct obd_export *exp, struct lov_layout *layout, u32 mode,
			    enum dt_wait wait, struct dt_locks *locks)
{
	int rc = dt_enqueue(exp, layout, mode, wait, locks);

	if (!rc && dt_decref(exp, locks))
		rc = -ESTALE;
	return rc;
}

static inline int size_of(struct lov_layout *layout, u64 *size)
{
	struct md_attr attr;
	int rc = dt_getattr(lf.exp, layout, &attr, true);

	*size = attr.size;
	return rc;
}

static inline int set_size(struct lov_layout *layout, u64 size)
{
	struct md_attr attr = { .valid = MDS_ATTR_SIZE, .size = size };

	return dt_setattr(lf.exp, layout, &attr);
}

/* Record @n of a parameter of the volume is that number. */
static inline void expect_count(struct kunit *test, const char *param, unsigned int n, u64 number)
{
	struct params_value_rec *rec;

	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, param));
	rec = client_rec(fx.client, n);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_EXPECT_EQ_MSG(test, number, *(u64 *)client_rec_value(rec), "%s, record %u", param, n);
}

#endif /* _KUNIT_LOV_FILE_H */
