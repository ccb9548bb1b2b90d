// SPDX-License-Identifier: GPL-2.0-only
/*
 * Composite files of a metadata target: components get objects, and are added and removed, also in
 * a replay.
 */
#include "mdt_lod_fixture.h"

#define COMPS		3
#define FIRST_END	(128ULL << 10)
#define SECOND_END	(1ULL << 20)

/* One stripe, two stripes of the pool "two", one on each target. @end: of the last one */
static noinline size_t comp_bytes(u8 *bytes, u64 end)
{
	static const u64 starts[COMPS] = { 0, FIRST_END, SECOND_END };
	static const u16 counts[COMPS] = { 1, 2, 0xffff };
	struct lov_comp comp = { .entry_count = COMPS, .mirror_count = 1 };
	struct lov_comp_entry entries[COMPS] = {};
	u8 layouts[COMPS][64];
	u32 n;

	for (n = 0; n < COMPS; n++) {
		struct lov_ea ea = {
			.magic = n == 1 ? LOV_MAGIC_V3 : LOV_MAGIC_V1, .stripe_size = 65536,
			.pattern = LOV_PATTERN_RAID0, .stripe_count = counts[n], .gen = 0xffff,
		};

		strscpy(ea.pool, n == 1 ? "two" : "", sizeof(ea.pool));
		lov_ea_encode(layouts[n], &ea, NULL);
		entries[n] = (struct lov_comp_entry){
			.id = n + 1, .start = starts[n], .end = n + 1 < COMPS ? starts[n + 1] : end,
			.layout = layouts[n], .layout_len = lov_ea_size(&ea),
		};
	}
	lov_comp_encode(bytes, &comp, entries);
	return lov_comp_size(entries, COMPS);
}

static noinline int ask_comp(const struct md_object *obj, u64 end)
{
	u8 bytes[512];

	return ask(obj, bytes, comp_bytes(bytes, end));
}

/* @value: of a replay */
static noinline int extend(const struct md_object *obj, u64 end, const void *value, u32 len)
{
	struct md_op_data op;

	mn_op(&op, REINT_LAYOUT, obj, NULL, NULL);
	op.attr.valid = MDS_ATTR_SIZE;
	op.attr.size = end;
	op.value = value;
	op.value_len = len;
	return mn_try(&op);
}

/**
 * struct comps - a composite layout that a lookup brings
 * @bytes: value
 * @len: its bytes
 * @comp: decoded
 * @objects: number of objects of each component; 0: none yet
 */
struct comps {
	u8		bytes[1024];
	u32		len;
	struct lov_comp	comp;
	u32		objects[COMPS];
};

static noinline void comps_get(struct kunit *test, const char *name, struct comps *comps)
{
	struct lov_comp_entry entry;
	struct lov_ea ea;
	u32 n;

	memset(comps, 0, sizeof(*comps));
	comps->len = looked_up(name, comps->bytes, sizeof(comps->bytes));
	KUNIT_ASSERT_TRUE(test, !lov_comp_decode(comps->bytes, comps->len, &comps->comp));
	KUNIT_ASSERT_EQ(test, comps->comp.entry_count, (u32)COMPS);
	for (n = 0; n < COMPS; n++) {
		entry = lov_comp_get(&comps->comp, n);
		KUNIT_ASSERT_TRUE(test, !lov_ea_decode(entry.layout, entry.layout_len, &ea));
		KUNIT_EXPECT_EQ(test, entry.id, n + 1);
		KUNIT_EXPECT_EQ(test, ea.object_count != 0, !!(entry.flags & LCME_FL_INIT));
		KUNIT_EXPECT_EQ(test, ea.stripe_size, 65536U);
		KUNIT_EXPECT_GT(test, ea.oi_id, 0ULL);
		comps->objects[n] = ea.object_count;
	}
}

static void expect_comps(struct kunit *test, const char *name, u32 gen, u32 first, u32 second,
			 u32 third)
{
	struct comps *comps = kunit_kzalloc(test, sizeof(*comps), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, comps);
	comps_get(test, name, comps);
	KUNIT_EXPECT_EQ(test, comps->comp.gen, gen);
	KUNIT_EXPECT_EQ(test, comps->objects[0], first);
	KUNIT_EXPECT_EQ(test, comps->objects[1], second);
	KUNIT_EXPECT_EQ(test, comps->objects[2], third);
}

/* A file, created and closed, of a composite default. */
static noinline struct md_object created_comp(struct kunit *test, const char *name)
{
	struct md_object new = mn_new();
	struct md_op_data op;
	struct md_reply rep;
	u64 handle;

	mn_op(&op, REINT_OPEN, &mf.root, &new, name);
	op.flags = RW | MDS_OPEN_CREAT;
	op.attr.mode = 0640;
	KUNIT_ASSERT_EQ(test, mn_call(&op, &rep), 0);
	new = rep.object;
	handle = rep.handle;
	mf_put(&rep);
	KUNIT_EXPECT_EQ(test, mn_close(&new, handle, NULL), 0);
	return new;
}

static void components_get_objects_up_to_a_byte(struct kunit *test)
{
	struct md_object file = mn_file(test, "file");

	KUNIT_EXPECT_EQ(test, ask_comp(&file, U64_MAX), 0);
	KUNIT_EXPECT_EQ(test, ask_comp(&file, U64_MAX), -EEXIST);
	expect_comps(test, "file", 3, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, extend(&file, FIRST_END, NULL, 0), 0);
	expect_comps(test, "file", 3, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, extend(&file, FIRST_END + 1, NULL, 0), 0);
	expect_comps(test, "file", 4, 1, 2, 0);
	KUNIT_EXPECT_EQ(test, extend(&file, SECOND_END, NULL, 0), 0);
	expect_comps(test, "file", 4, 1, 2, 0);
	KUNIT_EXPECT_EQ(test, extend(&file, U64_MAX, NULL, 0), 0);
	expect_comps(test, "file", 5, 1, 2, 3);
	KUNIT_EXPECT_EQ(test, extend(&file, U64_MAX, NULL, 0), 0);
	expect_comps(test, "file", 5, 1, 2, 3);
}

/* As tar restores them. */
static void components_of_another_file_are_asked_for(struct kunit *test)
{
	struct comps *comps = kunit_kzalloc(test, sizeof(*comps), GFP_KERNEL);
	struct md_object file = mn_file(test, "file"), other = mn_file(test, "other");
	u32 len;

	KUNIT_ASSERT_NOT_NULL(test, comps);
	KUNIT_EXPECT_EQ(test, ask_comp(&file, U64_MAX), 0);
	KUNIT_EXPECT_EQ(test, extend(&file, U64_MAX, NULL, 0), 0);
	comps_get(test, "file", comps);
	len = comps->len;
	KUNIT_EXPECT_EQ(test, ask(&other, comps->bytes, len), 0);
	/* It has objects of its own. */
	expect_comps(test, "other", 3, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, extend(&other, U64_MAX, NULL, 0), 0);
	/* Both components at once. */
	expect_comps(test, "other", 4, 1, 2, 3);
	KUNIT_EXPECT_NE(test, looked_up("other", comps->bytes, sizeof(comps->bytes)), 0U);
	KUNIT_EXPECT_EQ(test, len, looked_up("file", comps->bytes, sizeof(comps->bytes)));
}

/* As in real Lustre those before them do as well. */
static void components_before_get_objects_too(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), plain, dir = mn_dir(test, "dir");

	KUNIT_EXPECT_EQ(test, ask_comp(&file, 2 * SECOND_END), 0);
	KUNIT_EXPECT_EQ(test, extend(&file, SECOND_END + 1, NULL, 0), 0);
	expect_comps(test, "file", 4, 1, 2, 3);
	KUNIT_EXPECT_EQ(test, extend(&file, U64_MAX, NULL, 0), 0);
	expect_comps(test, "file", 4, 1, 2, 3);
	plain = created(test, "plain").obj;
	KUNIT_EXPECT_EQ(test, extend(&plain, U64_MAX, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, extend(&dir, U64_MAX, NULL, 0), -EINVAL);
}

static void components_that_cannot_be_are_refused(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), dir = mn_dir(test, "dir");
	struct lov_comp_md_entry_v1 *entry;
	u8 bytes[512];
	size_t len = comp_bytes(bytes, U64_MAX);

	entry = (void *)(bytes + sizeof(struct lov_comp_md_v1));
	KUNIT_EXPECT_EQ(test, ask(&file, bytes, len - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, ask_comp(&file, SECOND_END + 1000), -EINVAL);
	entry[1].lcme_start = cpu_to_le64(FIRST_END + 65536);
	KUNIT_EXPECT_EQ(test, ask(&file, bytes, len), -EINVAL);
	KUNIT_EXPECT_EQ(test, ask(&dir, bytes, len), -EINVAL);
	entry[1].lcme_start = cpu_to_le64(FIRST_END - 65536);
	KUNIT_EXPECT_EQ(test, ask(&file, bytes, len), -EINVAL);
	len = comp_bytes(bytes, U64_MAX);
	/* The pool of the second one. */
	bytes[le32_to_cpu(entry[1].lcme_offset) + sizeof(struct lov_mds_md)] = 'x';
	KUNIT_EXPECT_EQ(test, ask(&file, bytes, len), -EINVAL);
	KUNIT_EXPECT_EQ(test, looked_up("file", bytes, sizeof(bytes)), 0U);
}

/* As real Lustre's library asks for them: without numbers; the second one lists its targets. */
static noinline size_t comp_library(u8 *bytes)
{
	struct lov_comp_entry entries[COMPS];
	struct lov_ost_data osts[2] = {};
	u8 from[512], layout[96];
	struct lov_comp comp;
	struct lov_ea ea;
	u32 n;

	comp_bytes(from, U64_MAX);
	lov_comp_decode(from, sizeof(from), &comp);
	for (n = 0; n < COMPS; n++) {
		entries[n] = lov_comp_get(&comp, n);
		entries[n].id = 0;
	}
	lov_ea_decode(entries[1].layout, entries[1].layout_len, &ea);
	osts[0].l_ost_idx = cpu_to_le32(2);
	ea.magic = LOV_MAGIC_SPECIFIC;
	ea.pool[0] = 0;
	ea.osts = (const u8 *)osts;
	ea.ost_count = ARRAY_SIZE(osts);
	lov_ea_encode(layout, &ea, NULL);
	entries[1].layout = layout;
	entries[1].layout_len = lov_ea_size(&ea);
	lov_comp_encode(bytes, &comp, entries);
	return lov_comp_size(entries, COMPS);
}

/* Targets of the second component of a file. */
static noinline void expect_listed(struct kunit *test, const char *name)
{
	struct comps *comps = kunit_kzalloc(test, sizeof(*comps), GFP_KERNEL);
	struct lov_comp_entry entry;
	struct lov_ea ea;

	KUNIT_ASSERT_NOT_NULL(test, comps);
	comps_get(test, name, comps);
	entry = lov_comp_get(&comps->comp, 1);
	KUNIT_ASSERT_TRUE(test, !lov_ea_decode(entry.layout, entry.layout_len, &ea));
	KUNIT_EXPECT_EQ(test, ea.object_count, 2U);
	KUNIT_EXPECT_EQ(test, lov_ea_object(&ea, 0).ost, 2U);
	KUNIT_EXPECT_EQ(test, lov_ea_object(&ea, 1).ost, 0U);
}

static void components_without_numbers_get_them(struct kunit *test)
{
	struct md_object file = mn_file(test, "file");
	u8 bytes[512];
	size_t len = comp_library(bytes);

	KUNIT_EXPECT_EQ(test, ask(&file, bytes, len), 0);
	expect_comps(test, "file", 3, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, extend(&file, U64_MAX, NULL, 0), 0);
	expect_comps(test, "file", 4, 1, 2, 3);
	expect_listed(test, "file");
	KUNIT_EXPECT_EQ(test, ask(&mf.root, bytes, len), 0);
	file = created_comp(test, "by-default");
	KUNIT_EXPECT_EQ(test, extend(&file, U64_MAX, NULL, 0), 0);
	expect_comps(test, "by-default", 4, 1, 2, 3);
	expect_listed(test, "by-default");
}

static void a_composite_default_is_inherited(struct kunit *test)
{
	struct md_object dir = mn_dir(test, "dir");
	struct made made;

	KUNIT_EXPECT_EQ(test, ask_comp(&mf.root, U64_MAX), 0);
	created_comp(test, "a");
	expect_comps(test, "a", 3, 1, 0, 0);
	/* A plain default is not mixed with it. */
	KUNIT_EXPECT_EQ(test, ask_plain(&dir, 0, 2, 0xffff, NULL), 0);
	made = created_in(test, &dir, "plain");
	KUNIT_EXPECT_EQ(test, made.ea.stripe_count, 2U);
	KUNIT_EXPECT_EQ(test, made.ea.stripe_size, 1U << 20);
	KUNIT_EXPECT_EQ(test, ask_plain(&mf.root, 0, 0, 0xffff, NULL), 0);
	made = created(test, "b");
	KUNIT_EXPECT_EQ(test, made.ea.stripe_count, 1U);
}

/* The default of the root as real Lustre has stored it: none that users can ask for here. */
static noinline void store_default(struct kunit *test, const void *bytes, size_t len)
{
	const struct osd_xattr xattr = {
		.ox_name = XATTR_NAME_LOV, .ox_value = bytes, .ox_len = len,
	};
	const struct osd_xattrs xattrs = { .oxs_list = &xattr, .oxs_nr = 1 };

	KUNIT_ASSERT_EQ(test, osd_ea_set(&ot.root, &xattrs, NULL), 0);
}

/* Its entries, which are changed in place. */
static struct lov_comp_md_entry_v1 *entries_of(u8 *bytes)
{
	return (void *)(bytes + sizeof(struct lov_comp_md_v1));
}

static struct lov_mds_md *layout_of(u8 *bytes, u32 n)
{
	return (void *)(bytes + le32_to_cpu(entries_of(bytes)[n].lcme_offset));
}

/* Components of the layout of a file, and the stripes of the first one. */
static noinline void expect_made(struct kunit *test, const char *name, u32 count, u32 stripes)
{
	struct comps *comps = kunit_kzalloc(test, sizeof(*comps), GFP_KERNEL);
	struct lov_comp_entry entry;
	struct lov_ea ea;

	KUNIT_ASSERT_NOT_NULL(test, comps);
	comps->len = looked_up(name, comps->bytes, sizeof(comps->bytes));
	KUNIT_ASSERT_TRUE(test, !lov_comp_decode(comps->bytes, comps->len, &comps->comp));
	KUNIT_EXPECT_EQ(test, comps->comp.entry_count, count);
	KUNIT_EXPECT_EQ(test, comps->comp.mirror_count, 1U);
	KUNIT_EXPECT_EQ(test, (u32)comps->comp.flags, 0U);
	entry = lov_comp_get(&comps->comp, 0);
	KUNIT_ASSERT_TRUE(test, !lov_ea_decode(entry.layout, entry.layout_len, &ea));
	KUNIT_EXPECT_EQ(test, ea.pattern, (u32)LOV_PATTERN_RAID0);
	KUNIT_EXPECT_EQ(test, ea.object_count, stripes);
}

static void files_get_of_a_default_what_can_be_had(struct kunit *test)
{
	u8 bytes[512];
	size_t len = comp_bytes(bytes, U64_MAX);
	struct lov_comp_md_v1 *head = (void *)bytes;
	u32 plain;

	/* Data on the metadata target: as the second component. */
	layout_of(bytes, 0)->lmm_pattern = cpu_to_le32(LOV_PATTERN_MDT);
	layout_of(bytes, 0)->lmm_stripe_count = 0;
	store_default(test, bytes, len);
	created_comp(test, "dom");
	expect_made(test, "dom", COMPS, 2);
	len = comp_bytes(bytes, U64_MAX);
	head->lcm_mirror_count = cpu_to_le16(1);
	head->lcm_flags = cpu_to_le16(1);
	entries_of(bytes)[0].lcme_end = cpu_to_le64(U64_MAX);
	entries_of(bytes)[1].lcme_start = 0;
	store_default(test, bytes, len);
	created_comp(test, "flr");
	expect_made(test, "flr", 1, 1);
	layout_of(bytes, 0)->lmm_magic = cpu_to_le32(LOV_MAGIC_COMP_V1);
	store_default(test, bytes, len);
	created_comp(test, "malformed");
	plain = looked_up("malformed", bytes, sizeof(bytes));
	KUNIT_EXPECT_EQ(test, plain, (u32)sizeof(struct lov_mds_md) + sizeof(struct lov_ost_data));
}

/* A client has written to the objects that the first reply named. */
static void a_replay_gives_components_the_same_objects(struct kunit *test)
{
	struct comps *first = kunit_kzalloc(test, sizeof(*first), GFP_KERNEL);
	struct comps *again = kunit_kzalloc(test, sizeof(*again), GFP_KERNEL);
	struct md_object file, new = mn_new();
	struct made made;

	KUNIT_ASSERT_NOT_NULL(test, first);
	KUNIT_ASSERT_NOT_NULL(test, again);
	KUNIT_EXPECT_EQ(test, ask_comp(&mf.root, U64_MAX), 0);
	file = created_comp(test, "file");
	comps_get(test, "file", again);
	KUNIT_EXPECT_EQ(test, extend(&file, FIRST_END + 1, NULL, 0), 0);
	comps_get(test, "file", first);
	mn.flags = MSG_REPLAY;
	/*
	 * The create was lost, too: the file has what the client knew at that time, then the rest.
	 */
	KUNIT_EXPECT_EQ(test, open_at(&mf.root, "lost", &new, RW | MDS_OPEN_CREAT, again->bytes,
				      again->len, &made), -EUCLEAN);
	new = mf_found(test, &mf.root, "lost");
	expect_comps(test, "lost", 3, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, extend(&new, FIRST_END + 1, first->bytes, first->len), 0);
	expect_comps(test, "lost", 4, 1, 2, 0);
	comps_get(test, "lost", again);
	KUNIT_EXPECT_EQ(test, again->len, first->len);
	KUNIT_EXPECT_EQ(test, memcmp(again->bytes, first->bytes, first->len), 0);
	/* Without a layout it changes nothing; nor does one that is on disk. */
	KUNIT_EXPECT_EQ(test, extend(&new, U64_MAX, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, extend(&new, U64_MAX, first->bytes, first->len), 0);
	expect_comps(test, "lost", 4, 1, 2, 0);
	mn.flags = 0;
	KUNIT_EXPECT_EQ(test, extend(&new, U64_MAX, NULL, 0), 0);
	expect_comps(test, "lost", 5, 1, 2, 3);
}

/* Component of one stripe, from @start on. */
static noinline int comp_add(const struct md_object *obj, u64 start, u64 end)
{
	const struct lov_comp comp = { .entry_count = 1, .mirror_count = 1 };
	const struct lov_ea ea = {
		.magic = LOV_MAGIC_V1, .pattern = LOV_PATTERN_RAID0, .stripe_count = 1,
		.gen = 0xffff,
	};
	struct lov_comp_entry entry = { .start = start, .end = end };
	u8 layout[64], bytes[256];

	lov_ea_encode(layout, &ea, NULL);
	entry.layout = layout;
	entry.layout_len = lov_ea_size(&ea);
	lov_comp_encode(bytes, &comp, &entry);
	return ask_named(obj, XATTR_NAME_LOV_ADD, bytes, lov_comp_size(&entry, 1));
}

static noinline int comp_del(const struct md_object *obj, u32 id, u32 flags)
{
	u8 bytes[512];
	size_t len = comp_bytes(bytes, U64_MAX);

	entries_of(bytes)[0].lcme_id = cpu_to_le32(id);
	entries_of(bytes)[0].lcme_flags = cpu_to_le32(flags);
	return ask_named(obj, XATTR_NAME_LOV_DEL, bytes, len);
}

/* The layout of a file, with the number and the end of its last component. */
static noinline void expect_last(struct kunit *test, const char *name, u32 gen, u32 count, u32 id,
				 u64 end)
{
	struct comps *comps = kunit_kzalloc(test, sizeof(*comps), GFP_KERNEL);
	struct lov_comp_entry entry;

	KUNIT_ASSERT_NOT_NULL(test, comps);
	comps->len = looked_up(name, comps->bytes, sizeof(comps->bytes));
	KUNIT_ASSERT_TRUE(test, !lov_comp_decode(comps->bytes, comps->len, &comps->comp));
	KUNIT_EXPECT_EQ(test, comps->comp.gen, gen);
	KUNIT_ASSERT_EQ(test, comps->comp.entry_count, count);
	entry = lov_comp_get(&comps->comp, count - 1);
	KUNIT_EXPECT_EQ(test, entry.id, id);
	KUNIT_EXPECT_EQ(test, entry.end, end);
}

static void components_are_added_and_removed(struct kunit *test)
{
	const u64 end = 2 * SECOND_END;
	struct md_object file = mn_file(test, "file");

	KUNIT_EXPECT_EQ(test, ask_comp(&file, end), 0);
	KUNIT_EXPECT_EQ(test, comp_add(&file, end, 2 * end), 0);
	expect_last(test, "file", 4, 4, 4, 2 * end);
	KUNIT_EXPECT_EQ(test, comp_del(&file, 4, 0), 0);
	expect_last(test, "file", 5, 3, 3, end);
	/* A number is not given again: a client may know the old component. */
	KUNIT_EXPECT_EQ(test, comp_add(&file, end, U64_MAX), 0);
	expect_last(test, "file", 6, 4, 6, U64_MAX);
	KUNIT_EXPECT_EQ(test, extend(&file, FIRST_END + 1, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, comp_del(&file, 0, LCME_FL_INIT | LCME_FL_NEG), 0);
	expect_last(test, "file", 8, 2, 2, SECOND_END);
	KUNIT_EXPECT_EQ(test, comp_add(&file, SECOND_END, U64_MAX), 0);
	KUNIT_EXPECT_EQ(test, extend(&file, U64_MAX, NULL, 0), 0);
	expect_last(test, "file", 10, 3, 9, U64_MAX);
	KUNIT_EXPECT_EQ(test, mn_unlink("file", &file), 0);
	KUNIT_EXPECT_TRUE(test, wait_until(pending_is_empty));
	KUNIT_EXPECT_EQ(test, ml.ost[0].destroyed + ml.ost[1].destroyed + ml.ost[2].destroyed, 4U);
}

static void changes_of_components_are_refused(struct kunit *test)
{
	const u64 end = 2 * SECOND_END;
	struct md_object file = mn_file(test, "file"), none = mn_file(test, "none");
	struct md_object plain = created(test, "plain").obj, dir = mn_dir(test, "dir");

	KUNIT_EXPECT_EQ(test, ask_comp(&file, end), 0);
	KUNIT_EXPECT_EQ(test, comp_add(&file, end + 65536, U64_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test, comp_add(&file, SECOND_END, U64_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test, comp_add(&file, end, end + 1000), -EINVAL);
	KUNIT_EXPECT_EQ(test, comp_add(&none, 0, U64_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test, comp_add(&plain, 0, U64_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test, comp_add(&dir, 0, U64_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test, ask_named(&file, XATTR_NAME_LOV_ADD, "short", 5), -EINVAL);
	KUNIT_EXPECT_EQ(test, ask_named(&file, XATTR_NAME_LOV_DEL, "short", 5), -EINVAL);
	KUNIT_EXPECT_EQ(test, comp_del(&file, 2, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, comp_del(&file, 4, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, comp_del(&file, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, comp_del(&file, 3, LCME_FL_INIT), -EINVAL);
	KUNIT_EXPECT_EQ(test, comp_del(&file, 0, LCME_FL_STALE), -EINVAL);
	/* The first one has objects. */
	KUNIT_EXPECT_EQ(test, comp_del(&file, 0, LCME_FL_INIT), -EINVAL);
	KUNIT_EXPECT_EQ(test, extend(&file, U64_MAX, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, comp_del(&file, 3, 0), -EINVAL);
	expect_last(test, "file", 4, 3, 3, end);
	KUNIT_EXPECT_EQ(test, comp_add(&file, end, U64_MAX), 0);
	KUNIT_EXPECT_EQ(test, comp_add(&file, U64_MAX, U64_MAX), -EINVAL);
	expect_last(test, "file", 5, 4, 5, U64_MAX);
}

/* A replay brings the layout that the client got. */
static void changes_of_components_are_replayed(struct kunit *test)
{
	const u64 end = 2 * SECOND_END;
	struct comps *added = kunit_kzalloc(test, sizeof(*added), GFP_KERNEL);
	struct comps *removed = kunit_kzalloc(test, sizeof(*removed), GFP_KERNEL);
	struct md_object file = mn_file(test, "file"), lost = mn_file(test, "lost");
	struct md_object bare = mn_file(test, "bare");

	KUNIT_ASSERT_NOT_NULL(test, added);
	KUNIT_ASSERT_NOT_NULL(test, removed);
	KUNIT_EXPECT_EQ(test, ask_comp(&file, end), 0);
	KUNIT_EXPECT_EQ(test, ask_comp(&lost, end), 0);
	KUNIT_EXPECT_EQ(test, comp_add(&file, end, U64_MAX), 0);
	added->len = looked_up("file", added->bytes, sizeof(added->bytes));
	KUNIT_EXPECT_EQ(test, comp_del(&file, 4, 0), 0);
	expect_last(test, "file", 5, 3, 3, end);
	removed->len = looked_up("file", removed->bytes, sizeof(removed->bytes));
	mn.flags = MSG_REPLAY;
	KUNIT_EXPECT_EQ(test, ask_named(&lost, XATTR_NAME_LOV_ADD, added->bytes, added->len), 0);
	expect_last(test, "lost", 4, 4, 4, U64_MAX);
	KUNIT_EXPECT_EQ(test, ask_named(&lost, XATTR_NAME_LOV_DEL, removed->bytes, removed->len), 0);
	expect_last(test, "lost", 5, 3, 3, end);
	/* The client that gave the file its layout did not come back. */
	KUNIT_EXPECT_EQ(test, ask_named(&bare, XATTR_NAME_LOV_ADD, added->bytes, added->len), 0);
	expect_last(test, "bare", 4, 4, 4, U64_MAX);
	/* The one on disk is later. */
	KUNIT_EXPECT_EQ(test, ask_named(&lost, XATTR_NAME_LOV_ADD, added->bytes, added->len), 0);
	expect_last(test, "lost", 5, 3, 3, end);
	mn.flags = 0;
}

static void a_component_waits_for_a_target(struct kunit *test)
{
	struct md_object file = mn_file(test, "file");
	u32 n;

	KUNIT_EXPECT_EQ(test, ask_comp(&file, U64_MAX), 0);
	for (n = 0; n < OSTS; n++)
		ml.ost[n].blocks = 0;
	ml_restart(test);
	file = mf_found(test, &mf.root, "file");
	KUNIT_EXPECT_EQ(test, extend(&file, U64_MAX, NULL, 0), -ENOSPC);
	for (n = 0; n < OSTS; n++)
		ml.ost[n].active = false;
	mf_end_devices(test);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	file = mf_found(test, &mf.root, "file");
	KUNIT_EXPECT_EQ(test, extend(&file, U64_MAX, NULL, 0), 0);
	expect_comps(test, "file", 3, 1, 0, 0);
}

static void objects_of_all_components_are_destroyed(struct kunit *test)
{
	struct md_object file = mn_file(test, "file");

	KUNIT_EXPECT_EQ(test, ask_comp(&file, U64_MAX), 0);
	KUNIT_EXPECT_EQ(test, extend(&file, U64_MAX, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, mn_unlink("file", &file), 0);
	KUNIT_EXPECT_EQ(test, extend(&file, U64_MAX, NULL, 0), -ESTALE);
	KUNIT_EXPECT_TRUE(test, wait_until(pending_is_empty));
	KUNIT_EXPECT_EQ(test, ml.ost[0].destroyed + ml.ost[1].destroyed + ml.ost[2].destroyed, 6U);
}

static struct kunit_case mdt_comp_cases[] = {
	KUNIT_CASE(components_get_objects_up_to_a_byte),
	KUNIT_CASE(components_of_another_file_are_asked_for),
	KUNIT_CASE(components_before_get_objects_too),
	KUNIT_CASE(components_that_cannot_be_are_refused),
	KUNIT_CASE(components_without_numbers_get_them),
	KUNIT_CASE(a_composite_default_is_inherited),
	KUNIT_CASE(files_get_of_a_default_what_can_be_had),
	KUNIT_CASE(a_replay_gives_components_the_same_objects),
	KUNIT_CASE(components_are_added_and_removed),
	KUNIT_CASE(changes_of_components_are_refused),
	KUNIT_CASE(changes_of_components_are_replayed),
	KUNIT_CASE(a_component_waits_for_a_target),
	KUNIT_CASE(objects_of_all_components_are_destroyed),
	{}
};

static struct kunit_suite mdt_comp_suite = {
	.name = "mdt_comp",
	.suite_init = mf_suite_init,
	.init = ml_init,
	.exit = ml_exit,
	.test_cases = mdt_comp_cases,
};
kunit_test_suite(mdt_comp_suite);

MODULE_DESCRIPTION("KUnit: composite files of a metadata target");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
