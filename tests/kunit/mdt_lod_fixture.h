/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layouts of files of a metadata target: its volume has targets of the suite, which give numbers
 * and note what they destroy.
 */
#ifndef _KUNIT_MDT_LOD_FIXTURE_H
#define _KUNIT_MDT_LOD_FIXTURE_H

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
 * @state: OS_STATFS_*
 */
struct fake_ost {
	struct obd_device	*obd;
	bool			active;
	u64			last;
	u32			destroyed;
	struct lu_fid		object;
	bool			synced;
	u64			blocks;
	u32			state;
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

/* Those of a volume that lod.VOLUME has, too. */
static const struct lustre_params_attr vol_attrs[] = {
	LP_BYTES_FIELD("stripesize", struct dt_desc, dd_stripe_size, .max = U32_MAX),
	LP_S32_FIELD("stripecount", struct dt_desc, dd_stripe_count, .min = (u64)-1LL,
		     .max = 2000),
	LP_S32_FIELD("stripeoffset", struct dt_desc, dd_stripe_offset, .min = (u64)-1LL,
		     .max = U16_MAX),
	LP_U32_FIELD("numobd", struct dt_desc, dd_targets),
	LP_TIME_FIELD("qos_maxage", struct dt_desc, dd_qos_maxage, .unit = PARAMS_UNIT_SEC,
		      .min = NSEC_PER_SEC, .max = U32_MAX * NSEC_PER_SEC),
};

static int fake_setup(struct obd_device *obd, const struct lcfg_view *cfg, struct obd_why *why)
{
	return params_add_attrs(obd->obd_params, vol_attrs, ARRAY_SIZE(vol_attrs), &ml.desc);
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
		.os_state = ost_of(exp->exp_obd)->state,
	};
	return 0;
}

static int ost_fake_call(struct obd_export *exp, const struct ost_op *op, struct ost_reply *rep)
{
	struct fake_ost *ost = ost_of(exp->exp_obd);

	memset(rep, 0, sizeof(*rep));
	switch (op->opc) {
	case OST_CREATE:
		rep->first = max(ost->last, op->offset) + 1;
		rep->count = ml.numbers;
		ost->last = rep->first + rep->count - 1;
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

static inline bool wait_until(bool (*fn)(void))
{
	u32 ms;

	for (ms = 0; ms < WAIT_MS && !fn(); ms += 20)
		msleep(20);
	return fn();
}

/* Each target has given numbers, and told how much space it has. */
static bool targets_have_answered(void)
{
	struct lod_device *lod = ((struct mdt_device *)kr.srv->obd_data)->mdt_lod;
	struct lod_target *lt;
	unsigned long index;
	u32 answered = 0;

	spin_lock(&lod->lodd_lock);
	xa_for_each(&lod->lodd_targets, index, lt)
		answered += lt->ltg_active && !lt->ltg_asking;
	spin_unlock(&lod->lodd_lock);
	return answered == OSTS;
}

/* Start the target again, of which all of its targets are known. */
static noinline __maybe_unused void ml_restart(struct kunit *test)
{
	mf_end_devices(test);
	KUNIT_ASSERT_EQ(test, mf_start(), 0);
	KUNIT_ASSERT_EQ(test, mf_connect(), 0);
	KUNIT_ASSERT_TRUE(test, wait_until(targets_have_answered));
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
		.dd_qos_maxage = NSEC_PER_SEC,
	};
	rc = mf_init_dir(test) ?: devices_start();
	for (n = 0; n < OSTS; n++) {
		ml.ost[n].active = true;
		ml.ost[n].blocks = BLOCKS;
	}
	rc = rc ?: mf_start() ?: mf_connect();
	return rc || wait_until(targets_have_answered) ? rc : -ETIMEDOUT;
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
static noinline __maybe_unused int
open_at(const struct md_object *dir, const char *name, const struct md_object *obj, u32 flags,
	const void *value, u32 len, struct made *made)
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
static noinline __maybe_unused struct made
created_in(struct kunit *test, const struct md_object *dir, const char *name)
{
	struct md_object new = mn_new();
	struct made made;

	KUNIT_ASSERT_EQ_MSG(test, open_at(dir, name, &new, RW | MDS_OPEN_CREAT, NULL, 0, &made),
			    0, "%s", name);
	KUNIT_EXPECT_EQ(test, mn_close(&made.obj, made.handle, NULL), 0);
	return made;
}

static inline struct made created(struct kunit *test, const char *name)
{
	return created_in(test, &mf.root, name);
}

/* @made may have moved since it was decoded. */
static inline struct lov_object object_at(const struct made *made, u32 n)
{
	struct lov_ea ea;

	if (lov_ea_decode(made->bytes, made->len, &ea))
		return (struct lov_object){};
	return lov_ea_object(&ea, n);
}

static inline u32 ost_at(const struct made *made, u32 n)
{
	return object_at(made, n).ost;
}

/* The layout that a lookup brings. */
static noinline __maybe_unused u32 looked_up(const char *name, u8 *bytes, u32 size)
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

static noinline __maybe_unused int
ask_named(const struct md_object *obj, const char *name, const void *value, u32 len)
{
	struct md_op_data op;

	mn_op(&op, REINT_SETXATTR, obj, NULL, name);
	op.value = value;
	op.value_len = len;
	return mn_try(&op);
}

static noinline __maybe_unused int ask(const struct md_object *obj, const void *value, u32 len)
{
	return ask_named(obj, XATTR_NAME_LOV, value, len);
}

/* @first: first target. @pool: NULL: none */
static noinline __maybe_unused int
ask_plain(const struct md_object *obj, u32 size, u16 count, u16 first, const char *pool)
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

static inline bool pending_is_empty(void)
{
	return !mn_pending();
}

#endif /* _KUNIT_MDT_LOD_FIXTURE_H */
