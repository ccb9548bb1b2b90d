// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layouts of files of a metadata target: its volume has targets of this suite, which give numbers
 * and note what they destroy.
 */
#include <linux/delay.h>

#include <lustre_lite/lov_ea.h>
#include <lustre_lite/lustre_ost.h>
#include <uapi/lustre_lite/lustre_user.h>

#define MF_VOLUME	"kunit-vol"
#include "mdt_names_fixture.h"
#include "../../mdt/mdt_internal.h"

#define OSTS		3
#define RW		(MDS_FMODE_READ | MDS_FMODE_WRITE)
#define BLOCKS		(1ULL << 20)
/* Longest wait for works of the target. */
#define WAIT_MS		30000

/**
 * struct fake_ost - a target
 * @obd: its device
 * @active: it can be used
 * @last: the last number that it gave
 * @destroyed: number of objects that it was asked to destroy
 * @object: the last one of them
 * @synced: it was asked to sync after that
 * @blocks: its free space, pages
 */
struct fake_ost {
	struct obd_device	*obd;
	bool			active;
	u64			last;
	u32			destroyed;
	struct lu_fid		object;
	bool			synced;
	u64			blocks;
};

static struct {
	struct fake_ost		ost[OSTS];
	struct obd_device	*vol;
	u32			types;
	struct dt_desc		desc;
	u32			numbers;	/* of a range */
} ml;

static struct fake_ost *ost_of(const struct obd_device *obd)
{
	u32 n;

	for (n = 0; n < OSTS; n++)
		if (ml.ost[n].obd == obd)
			return &ml.ost[n];
	return NULL;
}

static int fake_setup(struct obd_device *obd, const struct lcfg_view *cfg, struct obd_why *why)
{
	return 0;
}

static int fake_cleanup(struct obd_device *obd)
{
	return 0;
}

static int fake_connect(struct obd_export **exp, struct obd_device *obd,
			const struct obd_uuid *uuid, const struct lnet_nid *nid,
			struct obd_connect_data *ocd)
{
	struct lustre_handle conn = {};
	int rc = class_connect(&conn, obd, uuid, NULL);

	if (rc)
		return rc;
	*exp = class_conn2export(conn.cookie);
	return *exp ? 0 : -ENOTCONN;
}

static int ost_statfs(struct obd_export *exp, struct obd_statfs *st, u64 max_age)
{
	*st = (struct obd_statfs){
		.os_bsize = PAGE_SIZE,
		.os_blocks = 100 * BLOCKS,
		.os_bavail = ost_of(exp->exp_obd)->blocks,
	};
	return 0;
}

static int ost_fake_call(struct obd_export *exp, const struct ost_op *op, struct ost_reply *rep)
{
	struct fake_ost *ost = ost_of(exp->exp_obd);

	memset(rep, 0, sizeof(*rep));
	switch (op->opc) {
	case OST_CREATE:
		rep->first = ost->last + 1;
		rep->count = ml.numbers;
		ost->last += ml.numbers;
		return 0;
	case OST_DESTROY:
		ost->destroyed += op->nr_objects;
		ost->object = fid_le_get(&op->objects[op->nr_objects - 1]);
		ost->synced = false;
		return 0;
	case OST_SYNC:
		ost->synced = true;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static struct obd_export *vol_target(struct obd_export *exp, u32 index)
{
	return index < OSTS ? class_export_get(ml.ost[index].obd->obd_self_export) : NULL;
}

static struct obd_export *vol_target_next(struct obd_export *exp, u32 *index)
{
	u32 n = *index;

	while (n < OSTS && !READ_ONCE(ml.ost[n].active))
		n++;
	*index = n + 1;
	return vol_target(exp, n);
}

/* The pool "two" has the last two. */
static int vol_pool(struct obd_export *exp, const char *pool, u32 index)
{
	if (strcmp(pool, "two"))
		return -ENOENT;
	return index ? 0 : -ENODEV;
}

static int vol_desc(struct obd_export *exp, struct dt_desc *desc)
{
	*desc = ml.desc;
	return 0;
}

static const struct obd_ops fake_ops = {
	.o_owner = THIS_MODULE,
	.o_setup = fake_setup,
	.o_cleanup = fake_cleanup,
	.o_connect = fake_connect,
	.o_disconnect = class_disconnect,
	.o_statfs = ost_statfs,
};

static const struct ost_ops fake_ost_ops = { .t_call = ost_fake_call };

static const struct dt_ops fake_vol_ops = {
	.d_target = vol_target,
	.d_target_next = vol_target_next,
	.d_pool = vol_pool,
	.d_desc = vol_desc,
};

static struct obd_type fake_types[] = {
	{ .typ_name = "kunit_ost", .typ_dt_ops = &fake_ops, .typ_ost_ops = &fake_ost_ops },
	{ .typ_name = "kunit_vol", .typ_dt_ops = &fake_ops, .typ_dv_ops = &fake_vol_ops },
};

static int devices_start(void)
{
	char name[16], uuid[32];
	int rc = 0;
	u32 n;

	while (!rc && ml.types < ARRAY_SIZE(fake_types)) {
		rc = class_register_type(&fake_types[ml.types]);
		ml.types += !rc;
	}
	for (n = 0; !rc && n < OSTS; n++) {
		snprintf(name, sizeof(name), "kunit-ost%u", n);
		snprintf(uuid, sizeof(uuid), "%s_UUID", name);
		rc = mf_setup("kunit_ost", name, uuid, uuid, "0", &ml.ost[n].obd);
	}
	return rc ?: mf_setup("kunit_vol", MF_VOLUME, MF_VOLUME "_UUID", "x", "0", &ml.vol);
}

static int ml_init(struct kunit *test)
{
	int rc;
	u32 n;

	memset(&ml, 0, sizeof(ml));
	memset(&mn, 0, sizeof(mn));
	ml.numbers = 1000;
	ml.desc = (struct dt_desc){
		.dd_stripe_size = 1 << 20, .dd_stripe_count = 1, .dd_stripe_offset = U32_MAX,
		.dd_pattern = LOV_PATTERN_RAID0,
	};
	rc = mf_init_dir(test) ?: devices_start();
	for (n = 0; n < OSTS; n++) {
		ml.ost[n].active = true;
		ml.ost[n].blocks = BLOCKS;
	}
	return rc ?: mf_start() ?: mf_connect();
}

static void ml_exit(struct kunit *test)
{
	u32 n;

	mf_end_devices(test);
	kr_end(test, &ml.vol);
	for (n = 0; n < OSTS; n++)
		kr_end(test, &ml.ost[n].obd);
	obd_zombie_barrier();
	while (ml.types)
		kt_unregister(test, &fake_types[--ml.types]);
	mf_exit(test);
}

/* --- calls ---------------------------------------------------------------------------- */

/**
 * struct made - a file that was created or opened
 * @obj: the file
 * @handle: open handle
 * @bytes: its layout
 * @len: bytes of it
 * @ea: decoded, if it is not empty
 */
struct made {
	struct md_object	obj;
	u64			handle;
	u8			bytes[128];
	u32			len;
	struct lov_ea		ea;
};

/* @value: of a replay */
static noinline int open_at(const struct md_object *dir, const char *name,
			    const struct md_object *obj, u32 flags, const void *value, u32 len,
			    struct made *made)
{
	struct md_op_data op;
	struct md_reply rep;
	int rc;

	mn_op(&op, REINT_OPEN, dir, obj, name);
	memset(made, 0, sizeof(*made));
	op.flags = flags;
	op.attr.mode = 0640;
	op.value = value;
	op.value_len = len;
	rc = mn_call(&op, &rep);
	if (rc)
		return rc;
	made->obj = rep.object;
	made->handle = rep.handle;
	made->len = min_t(u32, rep.layout_len, sizeof(made->bytes));
	memcpy(made->bytes, rep.layout, made->len);
	mf_put(&rep);
	if (made->len && lov_ea_decode(made->bytes, made->len, &made->ea))
		return -EUCLEAN;
	return 0;
}

/* Create and close. */
static noinline struct made created_in(struct kunit *test, const struct md_object *dir,
				       const char *name)
{
	struct md_object new = mn_new();
	struct made made;

	KUNIT_ASSERT_EQ_MSG(test, open_at(dir, name, &new, RW | MDS_OPEN_CREAT, NULL, 0, &made),
			    0, "%s", name);
	KUNIT_EXPECT_EQ(test, mn_close(&made.obj, made.handle, NULL), 0);
	return made;
}

static struct made created(struct kunit *test, const char *name)
{
	return created_in(test, &mf.root, name);
}

/* @made may have moved since it was decoded. */
static struct lov_object object_at(const struct made *made, u32 n)
{
	struct lov_ea ea;

	if (lov_ea_decode(made->bytes, made->len, &ea))
		return (struct lov_object){};
	return lov_ea_object(&ea, n);
}

static u32 ost_at(const struct made *made, u32 n)
{
	return object_at(made, n).ost;
}

/* The layout that a lookup brings. */
static noinline u32 looked_up(const char *name, u8 *bytes, u32 size)
{
	const struct md_op_data op = mf_op_name(MDS_GETATTR_NAME, &mf.root, name);
	struct md_reply rep;
	u32 len = 0;

	if (!mf_call(&op, &rep)) {
		len = min(rep.layout_len, size);
		memcpy(bytes, rep.layout, len);
	}
	mf_put(&rep);
	return len;
}

static noinline int ask(const struct md_object *obj, const void *value, u32 len)
{
	struct md_op_data op;

	mn_op(&op, REINT_SETXATTR, obj, NULL, XATTR_NAME_LOV);
	op.value = value;
	op.value_len = len;
	return mn_try(&op);
}

/* @first: first target. @pool: NULL: none */
static noinline int ask_plain(const struct md_object *obj, u32 size, u16 count, u16 first,
			      const char *pool)
{
	struct lov_ea ea = {
		.magic = pool ? LOV_MAGIC_V3 : LOV_MAGIC_V1, .pattern = LOV_PATTERN_RAID0,
		.stripe_size = size, .stripe_count = count, .gen = first,
	};
	u8 bytes[64];

	strscpy(ea.pool, pool ?: "", sizeof(ea.pool));
	lov_ea_encode(bytes, &ea, NULL);
	return ask(obj, bytes, lov_ea_size(&ea));
}

static bool wait_until(bool (*fn)(void))
{
	u32 ms;

	for (ms = 0; ms < WAIT_MS && !fn(); ms += 20)
		msleep(20);
	return fn();
}

/* --- cases ---------------------------------------------------------------------------- */

static void a_created_file_has_an_object(struct kunit *test)
{
	struct made a = created(test, "a"), b = created(test, "b"), c = created(test, "c"), d;
	u8 bytes[128];

	KUNIT_EXPECT_EQ(test, a.ea.stripe_count, 1U);
	KUNIT_EXPECT_EQ(test, a.ea.stripe_size, 1U << 20);
	KUNIT_EXPECT_EQ(test, a.ea.oi_id, (u64)a.obj.fid.f_oid);
	KUNIT_EXPECT_EQ(test, a.ea.oi_seq, a.obj.fid.f_seq);
	/* One after the other. */
	KUNIT_EXPECT_EQ(test, BIT(ost_at(&a, 0)) | BIT(ost_at(&b, 0)) | BIT(ost_at(&c, 0)), 7UL);
	KUNIT_EXPECT_EQ(test, looked_up("a", bytes, sizeof(bytes)), a.len);
	KUNIT_EXPECT_EQ(test, memcmp(bytes, a.bytes, a.len), 0);
	/* An open finds the same one. */
	KUNIT_ASSERT_EQ(test, open_at(&a.obj, NULL, NULL, RW, NULL, 0, &d), 0);
	KUNIT_EXPECT_EQ(test, d.len, a.len);
	KUNIT_EXPECT_EQ(test, memcmp(d.bytes, a.bytes, a.len), 0);
	KUNIT_EXPECT_EQ(test, mn_close(&d.obj, d.handle, NULL), 0);
}

static void numbers_are_used_once(struct kunit *test)
{
	static const char * const names[] = {
		"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13",
	};
	struct lov_object seen[ARRAY_SIZE(names)];
	struct made made;
	u32 n, m;

	/* Ranges follow each other. */
	ml.numbers = 4;
	mf_end_devices(test);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	for (n = 0; n < ARRAY_SIZE(names); n++) {
		made = created(test, names[n]);
		KUNIT_ASSERT_GT(test, made.len, 0U);
		seen[n] = object_at(&made, 0);
		for (m = 0; m < n; m++)
			KUNIT_EXPECT_FALSE(test, lu_fid_eq(&seen[m].fid, &seen[n].fid));
	}
}

static void the_emptiest_target_gets_most_files(struct kunit *test)
{
	u32 counts[OSTS] = {}, n;
	struct made made;
	char name[8];

	ml.ost[1].blocks = 100 * BLOCKS;
	mf_end_devices(test);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	for (n = 0; n < 32; n++) {
		snprintf(name, sizeof(name), "%u", n);
		made = created(test, name);
		KUNIT_ASSERT_GT(test, made.len, 0U);
		counts[ost_at(&made, 0)]++;
	}
	KUNIT_EXPECT_GT(test, counts[1], 16U);
}

static void a_node_gets_objects_when_it_is_written(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), new = mn_new();
	struct made made, again;
	u8 bytes[128];

	KUNIT_EXPECT_EQ(test, looked_up("file", bytes, sizeof(bytes)), 0U);
	KUNIT_ASSERT_EQ(test, open_at(&file, NULL, NULL, MDS_FMODE_READ, NULL, 0, &made), 0);
	KUNIT_EXPECT_EQ(test, made.len, 0U);
	KUNIT_EXPECT_EQ(test, mn_close(&file, made.handle, NULL), 0);
	KUNIT_ASSERT_EQ(test, open_at(&file, NULL, NULL, RW, NULL, 0, &made), 0);
	KUNIT_EXPECT_EQ(test, made.ea.stripe_count, 1U);
	KUNIT_EXPECT_EQ(test, mn_close(&file, made.handle, NULL), 0);
	KUNIT_ASSERT_EQ(test, open_at(&mf.root, "later", &new, RW | MDS_OPEN_CREAT |
				      MDS_OPEN_DELAY, NULL, 0, &again), 0);
	KUNIT_EXPECT_EQ(test, again.len, 0U);
	KUNIT_EXPECT_EQ(test, mn_close(&again.obj, again.handle, NULL), 0);
}

static void without_targets_files_have_no_objects(struct kunit *test)
{
	struct made made;
	u32 n;

	for (n = 0; n < OSTS; n++)
		ml.ost[n].blocks = 0;
	mf_end_devices(test);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	made.obj = mn_new();
	KUNIT_EXPECT_EQ(test, open_at(&mf.root, "full", &made.obj, RW | MDS_OPEN_CREAT, NULL, 0,
				      &made), -ENOSPC);
	for (n = 0; n < OSTS; n++)
		ml.ost[n].active = false;
	made = created(test, "none");
	KUNIT_EXPECT_EQ(test, made.len, 0U);
	ml.ost[1].blocks = BLOCKS;
	ml.ost[1].active = true;
	KUNIT_ASSERT_EQ(test, open_at(&made.obj, NULL, NULL, RW, NULL, 0, &made), 0);
	KUNIT_ASSERT_GT(test, made.len, 0U);
	KUNIT_EXPECT_EQ(test, ost_at(&made, 0), 1U);
	KUNIT_EXPECT_EQ(test, mn_close(&made.obj, made.handle, NULL), 0);
}

/* The target disconnects its volume before the last requests have ended. */
static void requests_outlive_the_connection(struct kunit *test)
{
	struct mdt_device *mdt = kr.srv->obd_data;
	struct obd_export *lov = xchg(&mdt->mdt_lov, NULL);
	struct made made = created(test, "late");

	KUNIT_EXPECT_GT(test, made.len, 0U);
	KUNIT_EXPECT_EQ(test, ask_plain(&mf.root, 65536, 1, 0xffff, "two"), 0);
	mdt->mdt_lov = lov;
}

static void a_default_is_inherited(struct kunit *test)
{
	struct md_object dir = mn_dir(test, "dir"), sub;
	struct made made;

	KUNIT_EXPECT_EQ(test, ask_plain(&dir, 65536, 2, 1, NULL), 0);
	sub = mn_made(test, &dir, "sub", S_IFDIR | 0755);
	made = created_in(test, &sub, "file");
	KUNIT_EXPECT_EQ(test, made.ea.stripe_count, 2U);
	KUNIT_EXPECT_EQ(test, made.ea.stripe_size, 65536U);
	KUNIT_EXPECT_EQ(test, ost_at(&made, 0), 1U);
	KUNIT_EXPECT_EQ(test, ost_at(&made, 1), 2U);
	/* The default of the root completes that of a directory. */
	KUNIT_EXPECT_EQ(test, ask_plain(&mf.root, 131072, 0xffff, 0xffff, NULL), 0);
	KUNIT_EXPECT_EQ(test, ask_plain(&sub, 0, 0, 0xffff, NULL), 0);
	made = created_in(test, &sub, "other");
	KUNIT_EXPECT_EQ(test, made.ea.stripe_count, 3U);
	KUNIT_EXPECT_EQ(test, made.ea.stripe_size, 131072U);
	KUNIT_EXPECT_EQ(test, ask_plain(&dir, 0, 1, 0xffff, "two"), 0);
	made = created_in(test, &dir, "pool");
	KUNIT_EXPECT_EQ(test, made.ea.magic, (u32)LOV_MAGIC_V3);
	KUNIT_EXPECT_STREQ(test, made.ea.pool, "two");
	KUNIT_EXPECT_GT(test, ost_at(&made, 0), 0U);
}

/* Open without a name. Return: stripes of the layout that the file has got */
static noinline u32 stripes_by_fid(struct kunit *test, const struct md_object *file,
				   const struct md_object *dir)
{
	struct made made;

	KUNIT_ASSERT_EQ(test, open_at(file, NULL, dir, RW, NULL, 0, &made), 0);
	KUNIT_EXPECT_EQ(test, mn_close(&made.obj, made.handle, NULL), 0);
	return made.ea.stripe_count;
}

static void an_open_by_fid_has_the_default_of_the_directory(struct kunit *test)
{
	struct md_object dir = mn_dir(test, "dir"), other = mn_dir(test, "other");
	struct md_object a = mn_made(test, &dir, "a", S_IFREG | 0644);
	struct md_object b = mn_made(test, &dir, "b", S_IFREG | 0644);
	struct md_object c = mn_made(test, &dir, "c", S_IFREG | 0644);

	KUNIT_EXPECT_EQ(test, ask_plain(&mf.root, 0, 3, 0xffff, NULL), 0);
	KUNIT_EXPECT_EQ(test, ask_plain(&dir, 0, 2, 0xffff, NULL), 0);
	KUNIT_EXPECT_EQ(test, ask_plain(&other, 0, 1, 0xffff, NULL), 0);
	KUNIT_EXPECT_EQ(test, stripes_by_fid(test, &a, &dir), 2U);
	/* The file is not in it; the directory is not known. */
	KUNIT_EXPECT_EQ(test, stripes_by_fid(test, &b, &other), 3U);
	KUNIT_EXPECT_EQ(test, stripes_by_fid(test, &c, NULL), 3U);
}

static void a_layout_is_asked_for(struct kunit *test)
{
	struct md_object file = mn_file(test, "file"), listed = mn_file(test, "listed");
	struct md_object dir = mn_dir(test, "dir");
	struct {
		u8	head[48];
		struct lov_ost_data ost[2];
	} list = {};
	struct lov_ea head = {
		.magic = LOV_MAGIC_V3, .pattern = LOV_PATTERN_RAID0, .stripe_size = 65536,
		.stripe_count = 2, .gen = 0xffff,
	};
	struct lov_ea ea;
	u8 bytes[128];
	u32 len;

	KUNIT_EXPECT_EQ(test, ask_plain(&file, 65535, 1, 0xffff, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, ask_plain(&file, 65536, 1, 7, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, ask_plain(&file, 65536, 1, 0xffff, "none"), -EINVAL);
	KUNIT_EXPECT_EQ(test, ask_plain(&file, 65536, 3, 2, NULL), 0);
	KUNIT_EXPECT_EQ(test, ask_plain(&file, 65536, 3, 2, NULL), -EEXIST);
	len = looked_up("file", bytes, sizeof(bytes));
	KUNIT_ASSERT_TRUE(test, !lov_ea_decode(bytes, len, &ea));
	KUNIT_EXPECT_EQ(test, ea.stripe_count, 3U);
	KUNIT_EXPECT_EQ(test, lov_ea_object(&ea, 0).ost, 2U);
	KUNIT_EXPECT_EQ(test, lov_ea_object(&ea, 1).ost, 0U);
	lov_ea_encode(&list, &head, NULL);
	codec_put32(list.head, LOV_USER_MAGIC_SPECIFIC);
	list.ost[0].l_ost_idx = cpu_to_le32(1);
	list.ost[1].l_ost_idx = cpu_to_le32(1);
	KUNIT_EXPECT_EQ(test, ask(&listed, &list, sizeof(list)), -EINVAL);
	list.ost[0].l_ost_idx = cpu_to_le32(2);
	KUNIT_EXPECT_EQ(test, ask(&dir, &list, sizeof(list)), -EINVAL);
	KUNIT_EXPECT_EQ(test, ask(&listed, &list, sizeof(list)), 0);
	len = looked_up("listed", bytes, sizeof(bytes));
	KUNIT_ASSERT_TRUE(test, !lov_ea_decode(bytes, len, &ea));
	KUNIT_EXPECT_EQ(test, lov_ea_object(&ea, 0).ost, 2U);
	KUNIT_EXPECT_EQ(test, lov_ea_object(&ea, 1).ost, 1U);
}

/* The client of a replay may have written to the objects of the first reply. */
static void a_replay_makes_the_same_layout(struct kunit *test)
{
	struct md_object new = mn_new();
	struct made first = created(test, "first"), made, node;

	mn.flags = MSG_REPLAY;
	KUNIT_ASSERT_EQ(test, open_at(&mf.root, "again", &new, RW | MDS_OPEN_CREAT, first.bytes,
				      first.len, &made), 0);
	KUNIT_EXPECT_EQ(test, made.len, first.len);
	KUNIT_EXPECT_EQ(test, memcmp(made.bytes, first.bytes, first.len), 0);
	/* The one on disk stays. */
	first.bytes[first.len - 4] ^= 1;
	KUNIT_ASSERT_EQ(test, open_at(&made.obj, NULL, NULL, RW, first.bytes, first.len, &made),
			0);
	KUNIT_EXPECT_NE(test, memcmp(made.bytes, first.bytes, first.len), 0);
	node.obj = mn_file(test, "node");
	KUNIT_ASSERT_EQ(test, open_at(&node.obj, NULL, NULL, RW, NULL, 0, &node), 0);
	KUNIT_EXPECT_EQ(test, node.len, 0U);
	KUNIT_ASSERT_EQ(test, open_at(&node.obj, NULL, NULL, RW, first.bytes, first.len, &node),
			0);
	KUNIT_EXPECT_EQ(test, memcmp(node.bytes, first.bytes, first.len), 0);
	mn.flags = 0;
}

static bool pending_is_empty(void)
{
	return !mn_pending();
}

static void objects_of_removed_files_are_destroyed(struct kunit *test)
{
	struct made file = created(test, "file"), open;
	struct lov_object object = object_at(&file, 0);
	struct fake_ost *ost = &ml.ost[object.ost];

	KUNIT_EXPECT_EQ(test, mn_unlink("file", &file.obj), 0);
	KUNIT_EXPECT_TRUE(test, wait_until(pending_is_empty));
	KUNIT_EXPECT_EQ(test, ost->destroyed, 1U);
	KUNIT_EXPECT_TRUE(test, lu_fid_eq(&ost->object, &object.fid));
	KUNIT_EXPECT_TRUE(test, ost->synced);
	/* Not while it is open. */
	file = created(test, "open");
	object = object_at(&file, 0);
	ost = &ml.ost[object.ost];
	ost->destroyed = 0;
	KUNIT_ASSERT_EQ(test, open_at(&file.obj, NULL, NULL, RW, NULL, 0, &open), 0);
	KUNIT_EXPECT_EQ(test, mn_unlink("open", &file.obj), 0);
	KUNIT_EXPECT_EQ(test, mn_pending(), 1U);
	KUNIT_EXPECT_EQ(test, mn_close(&file.obj, open.handle, NULL), 0);
	KUNIT_EXPECT_TRUE(test, wait_until(pending_is_empty));
	KUNIT_EXPECT_EQ(test, ost->destroyed, 1U);
}

static void a_target_that_is_away_keeps_its_files(struct kunit *test)
{
	struct made file = created(test, "file"), open;
	struct fake_ost *ost = &ml.ost[ost_at(&file, 0)];

	ost->active = false;
	mf_end_devices(test);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	file.obj = mf_found(test, &mf.root, "file");
	KUNIT_EXPECT_EQ(test, mn_unlink("file", &file.obj), 0);
	/* It has ended: no client finds it by its hint. */
	KUNIT_EXPECT_EQ(test, open_at(&file.obj, NULL, NULL, RW, NULL, 0, &open), -ESTALE);
	mf_end_devices(test);
	KUNIT_EXPECT_EQ(test, ost->destroyed, 0U);
	KUNIT_EXPECT_EQ(test, mn_pending(), 1U);
	/* The next start finds it. */
	ost->active = true;
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	KUNIT_EXPECT_TRUE(test, wait_until(pending_is_empty));
	KUNIT_EXPECT_EQ(test, ost->destroyed, 1U);
}

/* --- components ----------------------------------------------------------------------- */

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
	expect_comps(test, "other", 5, 1, 2, 3);
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
	/* The create was lost, too: the file has what the client knew at that time, then the rest. */
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

static void a_component_waits_for_a_target(struct kunit *test)
{
	struct md_object file = mn_file(test, "file");
	u32 n;

	KUNIT_EXPECT_EQ(test, ask_comp(&file, U64_MAX), 0);
	for (n = 0; n < OSTS; n++)
		ml.ost[n].blocks = 0;
	mf_end_devices(test);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
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

static struct kunit_case mdt_lod_cases[] = {
	KUNIT_CASE(a_created_file_has_an_object),
	KUNIT_CASE(numbers_are_used_once),
	KUNIT_CASE(the_emptiest_target_gets_most_files),
	KUNIT_CASE(a_node_gets_objects_when_it_is_written),
	KUNIT_CASE(without_targets_files_have_no_objects),
	KUNIT_CASE(requests_outlive_the_connection),
	KUNIT_CASE(a_default_is_inherited),
	KUNIT_CASE(an_open_by_fid_has_the_default_of_the_directory),
	KUNIT_CASE(a_layout_is_asked_for),
	KUNIT_CASE(a_replay_makes_the_same_layout),
	KUNIT_CASE(objects_of_removed_files_are_destroyed),
	KUNIT_CASE(a_target_that_is_away_keeps_its_files),
	KUNIT_CASE(components_get_objects_up_to_a_byte),
	KUNIT_CASE(components_of_another_file_are_asked_for),
	KUNIT_CASE(components_before_get_objects_too),
	KUNIT_CASE(components_that_cannot_be_are_refused),
	KUNIT_CASE(a_composite_default_is_inherited),
	KUNIT_CASE(a_replay_gives_components_the_same_objects),
	KUNIT_CASE(a_component_waits_for_a_target),
	KUNIT_CASE(objects_of_all_components_are_destroyed),
	{}
};

static struct kunit_suite mdt_lod_suite = {
	.name = "mdt_lod",
	.suite_init = mf_suite_init,
	.init = ml_init,
	.exit = ml_exit,
	.test_cases = mdt_lod_cases,
};
kunit_test_suite(mdt_lod_suite);

MODULE_DESCRIPTION("KUnit: layouts of files of a metadata target");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
