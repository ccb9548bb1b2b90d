// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types: registration, holders, and the exit of a module.
 *
 * Every: 2
 */
#include "obd_fixture.h"

static struct obd_type twin_type = {
	.typ_name = KT_NAME,
	.typ_dt_ops = &kt_ops,
};

static void a_name_is_registered_once(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, class_register_type(&twin_type), -EEXIST);
	KUNIT_EXPECT_EQ(test, client_count(fx.client, KT_NAME), 0L);
}

static void a_type_that_can_do_nothing_is_refused(struct kunit *test)
{
	static const struct obd_ops no_setup = { .o_owner = THIS_MODULE };
	struct obd_type nameless = { .typ_name = "", .typ_dt_ops = &kt_ops };
	struct obd_type idle = { .typ_name = "idle", .typ_dt_ops = &no_setup };
	struct obd_type empty = { .typ_name = "empty" };

	KUNIT_EXPECT_EQ(test, class_register_type(&nameless), -EINVAL);
	KUNIT_EXPECT_EQ(test, class_register_type(&idle), -EINVAL);
	KUNIT_EXPECT_EQ(test, class_register_type(&empty), -EINVAL);
}

static void a_type_is_held_by_its_devices(struct kunit *test)
{
	unsigned int pins = module_refcount(THIS_MODULE);
	struct obd_device *obd = kt_attach(test, "held");

	KUNIT_EXPECT_EQ(test, kt_type.typ_refcnt, 1U);
	KUNIT_EXPECT_EQ(test, (unsigned int)module_refcount(THIS_MODULE),
			pins + 1);
	KUNIT_EXPECT_EQ(test, class_unregister_type(&kt_type), -EBUSY);
	kt_end(test, obd);
	obd_zombie_barrier();
	KUNIT_EXPECT_EQ(test, kt_type.typ_refcnt, 0U);
	KUNIT_EXPECT_EQ(test, (unsigned int)module_refcount(THIS_MODULE), pins);
}

static void a_type_that_is_gone_is_not_found(struct kunit *test)
{
	struct obd_type *type = class_get_type(KT_NAME);

	KUNIT_ASSERT_PTR_EQ(test, type, &kt_type);
	class_put_type(type);
	KUNIT_EXPECT_EQ(test, class_unregister_type(&kt_type), 0);
	KUNIT_EXPECT_PTR_EQ(test, class_get_type(KT_NAME), NULL);
	KUNIT_EXPECT_EQ(test, client_count(fx.client, KT_NAME), (long)-ENOENT);
	KUNIT_EXPECT_EQ(test, class_register_type(&kt_type), 0);
}

#define TURNS	20

/**
 * struct race - registration against attach
 * @turns: times that the type went and came again
 * @made: devices that were attached
 */
struct race {
	unsigned int	turns;
	unsigned int	made;
};

static bool race_over(const struct race *race)
{
	return READ_ONCE(race->turns) >= TURNS && READ_ONCE(race->made) >= TURNS;
}

static long aside_register(void *data)
{
	struct race *race = data;
	int rc;

	while (!race_over(race)) {
		cond_resched();
		if (class_unregister_type(&kt_type))
			continue;
		rc = class_register_type(&kt_type);
		if (rc)
			return rc;
		WRITE_ONCE(race->turns, race->turns + 1);
	}
	return 0;
}

static void registration_races_with_attach(struct kunit *test)
{
	unsigned long end = jiffies + 3 * FIXTURE_WAIT;
	struct race race = {};
	struct obd_device *obd;
	struct aside turns;

	/* It reports each device that it finds. */
	aside_start(test, &turns, aside_register, &race);
	while (!race_over(&race) && time_before(jiffies, end)) {
		cond_resched();
		obd = class_attach(KT_NAME, "raced", "u", 0, NULL);
		if (IS_ERR(obd))
			continue;
		kt_end(test, obd);
		WRITE_ONCE(race.made, race.made + 1);
	}
	KUNIT_EXPECT_TRUE(test, race_over(&race));
	WRITE_ONCE(race.turns, TURNS);
	WRITE_ONCE(race.made, TURNS);
	KUNIT_EXPECT_EQ(test, aside_join(test, &turns), 0L);
}

static struct kunit_case type_cases[] = {
	KUNIT_CASE(a_name_is_registered_once),
	KUNIT_CASE(a_type_that_can_do_nothing_is_refused),
	KUNIT_CASE(a_type_is_held_by_its_devices),
	KUNIT_CASE(a_type_that_is_gone_is_not_found),
	KUNIT_CASE(registration_races_with_attach),
	{}
};

static struct kunit_suite type_suite = {
	.name = "obd_type",
	.suite_init = client_suite_init,
	.init = obd_fixture_init,
	.exit = obd_fixture_exit,
	.test_cases = type_cases,
};
kunit_test_suite(type_suite);

MODULE_DESCRIPTION("types of devices");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
