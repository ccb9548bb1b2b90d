// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layouts of files: references in races, and the order in which objects end. "Reference counting in
 * pNFS" has the rules; each case names the one that it shows.
 *
 * Processors: 2
 */
#include <lustre_lite/ptlrpc_test_point.h>

#include "lov_file.h"
#include "../../lov/lov_driver.h"
#include "../../lov/lov_internal.h"
#include "../../lov/lov_layout.h"

#define DRIVER	0x34
#define ROUNDS	2000
/* Of a target, and of files that look it up meanwhile; an end if they do not come. */
#define MOVES	100
#define FILES	400
#define END	100000

/* Calls of the driver, and the counts when it freed a segment. */
static struct {
	atomic_t	made;
	atomic_t	freed;
	int		pins;
	int		slots;
	int		headers;
	int		devices;
	bool		stop;
} race;

static struct {
	struct lov_layout	*layout;
	void			(*act)(struct kunit *test);
	struct kunit		*test;
	unsigned int		met;
} hook;

/* A driver of files with one object. */

static u64 one_object_end(const struct lov_seg *seg, u32 stripe, u64 end)
{
	return end;
}

static u64 one_file_pos(const struct lov_seg *seg, u32 stripe, u64 pos, u64 *run)
{
	*run = U64_MAX - pos;
	return pos;
}

static u64 one_file_end(const struct lov_seg *seg, u32 stripe, u64 size)
{
	return size;
}

static struct lov_seg *one_alloc(const struct lov_ea *ea)
{
	might_sleep();
	atomic_inc(&race.made);
	return lov_seg_alloc(ea);
}

static int count_in(const struct lov_seg *seg, unsigned int what)
{
	return atomic_read(&seg->lsg_layout->lly_lov->lov_counts[what]);
}

static void one_free(struct lov_seg *seg)
{
	might_sleep();
	race.pins = module_refcount(THIS_MODULE);
	race.slots = count_in(seg, LOV_COUNT_DEV_SLOT);
	race.devices = count_in(seg, LOV_COUNT_DEV);
	race.headers = count_in(seg, LOV_COUNT_STATE + LOV_LAYOUT_DEAD);
	atomic_inc(&race.freed);
	lov_seg_free(seg);
}

static struct lov_driver one_driver = {
	.ldv_id = DRIVER,
	.ldv_name = "one",
	.ldv_owner = THIS_MODULE,
	.ldv_seg_alloc = one_alloc,
	.ldv_seg_free = one_free,
	.ldv_object_end = one_object_end,
	.ldv_file_pos = one_file_pos,
	.ldv_file_end = one_file_end,
};

static int race_init(struct kunit *test)
{
	int rc = lf_init(test);

	memset(&race, 0, sizeof(race));
	memset(&hook, 0, sizeof(hook));
	return rc ?: lov_driver_register(&one_driver);
}

static void race_exit(struct kunit *test)
{
	WRITE_ONCE(ptlrpc_test_hook, NULL);
	lov_driver_unregister(&one_driver);
	lf_exit(test);
}

static int value_set(struct lov_layout *layout, u64 id)
{
	u8 bytes[256];
	size_t len = make_ea_of(bytes, 1, DRIVER, 0, id, 0);

	return dt_layout_set(lf.exp, layout, bytes, len, true);
}

/* A file of the driver, with an object of the first target, of the volume of @exp. */
static struct lov_layout *file_of(struct kunit *test, struct obd_export *exp)
{
	struct lov_layout *layout = layout_owned(test, exp, NULL);

	KUNIT_EXPECT_EQ(test, 1, value_set(layout, OBJECT_ID));
	return layout;
}

/* A lookup of the device, without a request. Return: whether there is one */
static bool device_is_found(struct obd_export *exp, struct lov_layout *layout)
{
	struct ost_grant *gr;
	u64 end;

	gr = dt_grant(exp, layout, 0, &end);
	if (gr)
		ost_grant_put(gr);
	return gr;
}

/* devices: devices, refs_table, refs_slot */
static void expect_devices(struct kunit *test, const char *param, u64 devices, u64 table, u64 slots)
{
	expect_count(test, param, 0, devices);
	expect_count(test, param, 1, table);
	expect_count(test, param, 2, slots);
}

/* segments: segments, refs_valid, refs_io */
static void expect_segments(struct kunit *test, u64 segments, u64 valid, u64 io)
{
	expect_count(test, "lov/lov/segments", 0, segments);
	expect_count(test, "lov/lov/segments", 1, valid);
	expect_count(test, "lov/lov/segments", 2, io);
}

/* Segments. */

static long values_change(void *layout)
{
	unsigned int n;

	for (n = 0; n < ROUNDS; n++)
		value_set(layout, OBJECT_ID + n % 3);
	return 0;
}

static long segments_use(void *layout)
{
	struct dt_io none = { .di_write = false };
	unsigned int n;
	long rc = 0;

	for (n = 0; n < ROUNDS && !rc; n++)
		rc = dt_io(lf.exp, layout, &none);
	return rc;
}

/*
 * "lseg maintains an extra reference corresponding to the VALID bit": exactly one, however many
 * tasks clear the bit.
 */
static void valid_is_one_reference(struct kunit *test)
{
	struct aside change[2], user;
	struct lov_layout *layout;

	lf_connect(test);
	layout = file_of(test, lf.exp);
	aside_start(test, &change[0], values_change, layout);
	aside_start(test, &change[1], values_change, layout);
	aside_start(test, &user, segments_use, layout);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &user));
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &change[0]));
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &change[1]));
	expect_segments(test, 1, 1, 0);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&race.made) - atomic_read(&race.freed));
	dt_layout_put(lf.exp, layout);
	expect_segments(test, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&race.made), atomic_read(&race.freed));
}

/* Devices. */

static void at_insertion(enum ptlrpc_test_point at, void *object)
{
	if (at != PTP_DEV_INSERT || hook.met++)
		return;
	hook.act(hook.test);
}

static void hook_set(struct kunit *test, void (*act)(struct kunit *test))
{
	hook.act = act;
	hook.test = test;
	WRITE_ONCE(ptlrpc_test_hook, at_insertion);
}

static void another_is_quicker(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, device_is_found(lf.exp, hook.layout));
	expect_devices(test, "lov/lov/devices", 1, 1, 1);
}

/*
 * "The entries are held across the lifetime of each lseg": of two lookups one inserts its device.
 */
static void the_loser_of_an_insertion_takes_the_device_of_the_winner(struct kunit *test)
{
	struct lov_layout *layout;

	lf_connect(test);
	layout = file_of(test, lf.exp);
	hook.layout = file_of(test, lf.exp);
	hook_set(test, another_is_quicker);
	KUNIT_EXPECT_TRUE(test, device_is_found(lf.exp, layout));
	KUNIT_EXPECT_EQ(test, 2U, hook.met);
	expect_devices(test, "lov/lov/devices", 1, 1, 2);
	KUNIT_EXPECT_TRUE(test, ty_line_is(3, "0: ost0_UUID generation 1, references 3"));
	dt_layout_put(lf.exp, hook.layout);
	expect_devices(test, "lov/lov/devices", 1, 1, 1);
	/* The winner's device serves on. */
	KUNIT_EXPECT_TRUE(test, device_is_found(lf.exp, layout));
	dt_layout_put(lf.exp, layout);
	expect_devices(test, "lov/lov/devices", 1, 1, 0);
}

static void move_target(struct kunit *test, u32 command)
{
	struct obd_why why;

	KUNIT_EXPECT_EQ_MSG(test, 0, ty_command(lf.lov, command, "ost0_UUID", "0", "1", &why),
			    "%s", why.text);
}

static void the_target_is_deleted(struct kunit *test)
{
	move_target(test, LCFG_LOV_DEL_OBD);
}

/* A device whose target has gone does not stay in the table. */
static void a_device_that_comes_late_is_not_kept(struct kunit *test)
{
	struct lov_layout *layout;

	lf_connect(test);
	layout = file_of(test, lf.exp);
	hook_set(test, the_target_is_deleted);
	KUNIT_EXPECT_FALSE(test, device_is_found(lf.exp, layout));
	expect_devices(test, "lov/lov/devices", 0, 0, 0);
	move_target(test, LCFG_LOV_ADD_OBD);
	KUNIT_EXPECT_TRUE(test, device_is_found(lf.exp, layout));
	expect_devices(test, "lov/lov/devices", 1, 1, 1);
	dt_layout_put(lf.exp, layout);
}

/* Files come, find the device and go. Return: how many found it */
static long devices_find(void *data)
{
	struct kunit *test = data;
	struct lov_layout *layout;
	long found = 0;

	while (!READ_ONCE(race.stop)) {
		layout = file_of(test, lf.exp);
		found += device_is_found(lf.exp, layout);
		dt_layout_put(lf.exp, layout);
		cond_resched();
	}
	return found;
}

/* "RCU is used": lookups run while the device leaves the table and another one comes. */
static void devices_are_found_while_they_change(struct kunit *test)
{
	struct aside reader[2];
	unsigned int n;

	lf_connect(test);
	aside_start(test, &reader[0], devices_find, test);
	aside_start(test, &reader[1], devices_find, test);
	for (n = 0; n < MOVES || (n < END && atomic_read(&race.made) < FILES); n++) {
		move_target(test, LCFG_LOV_DEL_OBD);
		move_target(test, LCFG_LOV_ADD_OBD);
		KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, "lov/lov/devices"));
		cond_resched();
	}
	KUNIT_EXPECT_LT(test, n, (unsigned int)END);
	WRITE_ONCE(race.stop, true);
	KUNIT_EXPECT_GE(test, aside_join(test, &reader[0]), 0L);
	KUNIT_EXPECT_GE(test, aside_join(test, &reader[1]), 0L);
	expect_count(test, "lov/lov/devices", 2, 0);
	move_target(test, LCFG_LOV_DEL_OBD);
	expect_devices(test, "lov/lov/devices", 0, 0, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&race.made), atomic_read(&race.freed));
}

/* Targets that are not connected. */

/* @object: of the layout that the server has; @asked: how often it said so. */
static struct {
	struct dt_owner	owner;
	bool		unsure;
	u64		object;
	unsigned int	asked;
} own;

static void own_lost(struct dt_owner *owner, bool gone)
{
}

static bool own_attr(struct dt_owner *owner, struct md_attr *attr)
{
	return false;
}

static bool own_unsure(struct dt_owner *owner)
{
	return READ_ONCE(own.unsure);
}

static void own_value(struct dt_owner *owner, dt_value_t *use, void *data)
{
	u8 bytes[256];

	use(data, bytes, make_ea_of(bytes, 1, DRIVER, 0, READ_ONCE(own.object), 0));
	WRITE_ONCE(own.asked, own.asked + 1);
}

static void own_put(struct dt_owner *owner)
{
}

static const struct dt_owner_ops own_ops = {
	.do_lost = own_lost,
	.do_attr = own_attr,
	.do_unsure = own_unsure,
	.do_value = own_value,
	.do_put = own_put,
	.do_module = THIS_MODULE,
};

static long object_ask(void *layout)
{
	u64 size;

	return size_of(layout, &size);
}

static long object_lock(void *layout)
{
	struct dt_locks locks;
	int rc = dt_enqueue(lf.exp, layout, LCK_PR, DT_LOCK_WAIT, &locks);

	if (!rc)
		dt_decref(lf.exp, &locks);
	return rc;
}

static long object_seek(void *layout)
{
	u64 pos = 0;

	return dt_seek(lf.exp, layout, true, 5, &pos);
}

static long object_sync(void *layout)
{
	return dt_sync(lf.exp, layout);
}

static long object_change(void *layout)
{
	return set_size(layout, 5);
}

static bool is_asked(void)
{
	return READ_ONCE(own.asked) > 0;
}

static void target_stop(struct kunit *test, unsigned int n)
{
	KUNIT_EXPECT_EQ(test, 0, class_cleanup(lf.ost[n].obd, true, true, NULL));
	lf_end(test, &lf.ost[n].obd);
}

static bool is_disconnected(void)
{
	return READ_ONCE(lf_import(0)->imp_state) != LUSTRE_IMP_FULL;
}

/*
 * I/O ends on the segments of its start, or is aborted: what waits for a target that is not there
 * ends once the file may be elsewhere, so that its task can ask. A change is given up if the server
 * says that the file is elsewhere: it may have been executed.
 */
static void what_cannot_end_is_aborted(struct kunit *test)
{
	struct aside reader, locker, seeker, writer, syncer;
	struct lov_layout *layout;

	memset(&own, 0, sizeof(own));
	own.object = OBJECT_ID;
	own.owner.dto_ops = &own_ops;
	lf_connect(test);
	layout = layout_owned(test, lf.exp, &own.owner);
	KUNIT_EXPECT_EQ(test, 1, value_set(layout, OBJECT_ID));
	KUNIT_EXPECT_EQ(test, 0L, object_ask(layout));
	target_stop(test, 0);
	aside_start(test, &reader, object_ask, layout);
	aside_start(test, &locker, object_lock, layout);
	aside_start(test, &seeker, object_seek, layout);
	aside_start(test, &writer, object_change, layout);
	aside_start(test, &syncer, object_sync, layout);
	KUNIT_EXPECT_TRUE(test, lf_await(is_disconnected));
	KUNIT_EXPECT_EQ(test, -EIO, dt_getattr(lf.exp, layout, &(struct md_attr){}, false));
	WRITE_ONCE(own.unsure, true);
	KUNIT_EXPECT_EQ(test, -EREMCHG, (int)aside_join(test, &reader));
	KUNIT_EXPECT_EQ(test, -EREMCHG, (int)aside_join(test, &locker));
	KUNIT_EXPECT_EQ(test, -EREMCHG, (int)aside_join(test, &seeker));
	KUNIT_EXPECT_TRUE(test, lf_await(is_asked));
	KUNIT_EXPECT_FALSE(test, aside_is_done(&writer));
	KUNIT_EXPECT_FALSE(test, aside_is_done(&syncer));
	WRITE_ONCE(own.object, OBJECT_ID + 1);
	KUNIT_EXPECT_EQ(test, -EREMCHG, (int)aside_join(test, &writer));
	KUNIT_EXPECT_EQ(test, -EREMCHG, (int)aside_join(test, &syncer));
	/* The layout is known again: the next ones wait. */
	WRITE_ONCE(own.unsure, false);
	aside_start(test, &reader, object_ask, layout);
	aside_start(test, &locker, object_lock, layout);
	aside_start(test, &writer, object_change, layout);
	lf_start(test, 0);
	/* It would come back by itself, later each time that it was not there. */
	import_connect(lf_import(0), NULL);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &reader));
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &locker));
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &writer));
	dt_layout_put(lf.exp, layout);
}

/*
 * Of a target that knows that the object was destroyed: the file has another one by now, or has
 * ended.
 */
static void a_destroyed_object_may_have_moved(struct kunit *test)
{
	static long (*const calls[])(void *) = { object_ask, object_lock, object_seek, object_change };
	struct lov_layout *layout;
	size_t n;

	memset(&own, 0, sizeof(own));
	own.owner.dto_ops = &own_ops;
	lf_connect(test);
	layout = layout_owned(test, lf.exp, &own.owner);
	KUNIT_EXPECT_EQ(test, 1, value_set(layout, OBJECT_ID));
	lf.ost[0].rc = -ESTALE;
	for (n = 0; n < ARRAY_SIZE(calls); n++) {
		WRITE_ONCE(own.object, OBJECT_ID);
		KUNIT_EXPECT_EQ_MSG(test, (long)-ESTALE, calls[n](layout), "call %zu", n);
		WRITE_ONCE(own.object, OBJECT_ID + 1);
		KUNIT_EXPECT_EQ_MSG(test, (long)-EREMCHG, calls[n](layout), "call %zu", n);
		KUNIT_EXPECT_EQ(test, 2 * (int)n + 2, (int)own.asked);
	}
	lf.ost[0].rc = 0;
	KUNIT_EXPECT_EQ(test, 0L, object_ask(layout));
	dt_layout_put(lf.exp, layout);
}

/* Volumes and drivers. */

/* "Device ids are resolved per nfs_client", here per volume: the end of one leaves the other's. */
static void a_volume_has_devices_of_its_own(struct kunit *test)
{
	struct lov_layout *layout, *other;

	lf_connect(test);
	lf_connect_other(test);
	layout = file_of(test, lf.exp);
	other = file_of(test, lf.other_exp);
	KUNIT_EXPECT_TRUE(test, device_is_found(lf.exp, layout));
	KUNIT_EXPECT_TRUE(test, device_is_found(lf.other_exp, other));
	expect_devices(test, "lov/lov/devices", 1, 1, 1);
	expect_devices(test, "lov/other/devices", 1, 1, 1);
	dt_layout_put(lf.exp, other);
	expect_devices(test, "lov/other/devices", 1, 1, 0);
	obd_disconnect(lf.other_exp);
	lf.other_exp = NULL;
	lf_end(test, &lf.other_lov);
	expect_devices(test, "lov/lov/devices", 1, 1, 1);
	KUNIT_EXPECT_EQ(test, 0, write_at(test, layout, 0, 10, 1, false));
	dt_layout_put(lf.exp, layout);
}

/*
 * The table of a volume goes with its last user, while a segment is left: it keeps its device, and
 * all of them end in the order device, segment, header, module.
 */
static void the_end_goes_from_devices_to_drivers(struct kunit *test)
{
	struct lov_layout *other;
	int pins;

	lf_connect(test);
	lf_connect_other(test);
	other = file_of(test, lf.other_exp);
	KUNIT_EXPECT_TRUE(test, device_is_found(lf.other_exp, other));
	obd_disconnect(lf.other_exp);
	lf.other_exp = NULL;
	lf_end(test, &lf.other_lov);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&race.freed));
	pins = module_refcount(THIS_MODULE);
	/* It is of a volume that has gone; the operations are those of the type. */
	dt_layout_put(lf.exp, other);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&race.freed));
	KUNIT_EXPECT_EQ(test, 0, race.slots);
	KUNIT_EXPECT_EQ(test, 0, race.devices);
	KUNIT_EXPECT_EQ(test, 1, race.headers);
	KUNIT_EXPECT_EQ(test, pins, race.pins);
	KUNIT_EXPECT_EQ(test, pins - 1, module_refcount(THIS_MODULE));
}

/* "A common function-vectors table": with all functions, and a number of its own. */
static void a_driver_has_all_operations(struct kunit *test)
{
	struct lov_driver other = one_driver;

	KUNIT_EXPECT_EQ(test, -EEXIST, lov_driver_register(&one_driver));
	KUNIT_EXPECT_EQ(test, -EEXIST, lov_driver_register(&other));
	other.ldv_id = LOV_PATTERN_RAID0;
	KUNIT_EXPECT_EQ(test, -EEXIST, lov_driver_register(&other));
#define WITHOUT(field)							\
do {									\
	other = one_driver;						\
	other.ldv_id++;							\
	memset(&other.field, 0, sizeof(other.field));			\
	KUNIT_EXPECT_EQ(test, -EINVAL, lov_driver_register(&other));	\
} while (0)
	WITHOUT(ldv_id);
	WITHOUT(ldv_seg_alloc);
	WITHOUT(ldv_seg_free);
	WITHOUT(ldv_object_end);
	WITHOUT(ldv_file_pos);
	WITHOUT(ldv_file_end);
#undef WITHOUT
}

static struct kunit_case lov_race_cases[] = {
	KUNIT_CASE(valid_is_one_reference),
	KUNIT_CASE(the_loser_of_an_insertion_takes_the_device_of_the_winner),
	KUNIT_CASE(a_device_that_comes_late_is_not_kept),
	KUNIT_CASE(devices_are_found_while_they_change),
	KUNIT_CASE(what_cannot_end_is_aborted),
	KUNIT_CASE(a_destroyed_object_may_have_moved),
	KUNIT_CASE(a_volume_has_devices_of_its_own),
	KUNIT_CASE(the_end_goes_from_devices_to_drivers),
	KUNIT_CASE(a_driver_has_all_operations),
	{}
};

static struct kunit_suite lov_race_suite = {
	.name = "lov_race",
	.suite_init = ty_suite_init,
	.init = race_init,
	.exit = race_exit,
	.test_cases = lov_race_cases,
};
kunit_test_suite(lov_race_suite);

MODULE_DESCRIPTION("references of layouts in races");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
