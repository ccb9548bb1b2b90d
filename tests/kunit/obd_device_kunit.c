// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of devices: numbers, names, uuids, and what it refuses.
 *
 * Processors: 2
 * Every: 2
 */
#include "obd_fixture.h"

static void put(struct obd_device *obd)
{
	if (!IS_ERR_OR_NULL(obd))
		class_decref(obd, OBD_REF_LOOKUP);
}

static void every_lookup_gives_a_reference(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "table");
	struct obd_uuid uuid = kt_uuid("kunit_UUID");
	unsigned int held = refcount_read(&obd->obd_refcount);
	struct obd_device *found[3];
	size_t n;

	found[0] = class_num2obd(obd->obd_minor);
	found[1] = class_name2obd("table");
	found[2] = class_uuid2obd(&uuid);
	for (n = 0; n < ARRAY_SIZE(found); n++)
		KUNIT_EXPECT_PTR_EQ(test, found[n], obd);
	KUNIT_EXPECT_EQ(test, refcount_read(&obd->obd_refcount), held + 3);
	for (n = 0; n < ARRAY_SIZE(found); n++)
		put(found[n]);
	KUNIT_EXPECT_EQ(test, class_name2dev("table"), (int)obd->obd_minor);
	KUNIT_EXPECT_EQ(test, refcount_read(&obd->obd_refcount), held);
	kt_end(test, obd);
}

static void what_is_not_there_is_not_found(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "table");
	struct obd_uuid uuid = kt_uuid("nobody");
	u32 minor = obd->obd_minor;

	KUNIT_EXPECT_PTR_EQ(test, class_name2obd("tabl"), NULL);
	KUNIT_EXPECT_PTR_EQ(test, class_name2obd("table2"), NULL);
	KUNIT_EXPECT_PTR_EQ(test, class_uuid2obd(&uuid), NULL);
	KUNIT_EXPECT_PTR_EQ(test, class_num2obd(OBD_INDEX_NONE), NULL);
	KUNIT_EXPECT_EQ(test, class_name2dev("nobody"), -ENODEV);
	kt_end(test, obd);
	KUNIT_EXPECT_PTR_EQ(test, class_name2obd("table"), NULL);
	KUNIT_EXPECT_PTR_EQ(test, class_num2obd(minor), NULL);
}

static void the_lowest_free_number_is_given(struct kunit *test)
{
	struct obd_device *a = kt_attach(test, "a"), *b = kt_attach(test, "b");
	struct obd_device *c = kt_attach(test, "c");
	u32 first = a->obd_minor, second = b->obd_minor;

	KUNIT_EXPECT_EQ(test, second, first + 1);
	KUNIT_EXPECT_EQ(test, c->obd_minor, first + 2);
	kt_end(test, b);
	kt_end(test, a);
	a = kt_attach(test, "d");
	KUNIT_EXPECT_EQ(test, a->obd_minor, first);
	b = kt_attach(test, "e");
	KUNIT_EXPECT_EQ(test, b->obd_minor, second);
	kt_end(test, a);
	kt_end(test, b);
	kt_end(test, c);
}

static void of_one_uuid_the_lowest_number_is_found(struct kunit *test)
{
	struct obd_device *a = kt_attach(test, "a"), *b = kt_attach(test, "b");
	struct obd_uuid uuid = kt_uuid("kunit_UUID");
	struct obd_device *found = class_uuid2obd(&uuid);

	KUNIT_EXPECT_PTR_EQ(test, found, a);
	put(found);
	kt_end(test, a);
	found = class_uuid2obd(&uuid);
	KUNIT_EXPECT_PTR_EQ(test, found, b);
	put(found);
	kt_end(test, b);
}

static void a_name_is_given_once(struct kunit *test)
{
	struct obd_device *obd = kt_attach(test, "table");
	struct obd_why why = { "" };

	KUNIT_EXPECT_PTR_EQ(test, class_attach(KT_NAME, "table", "u", 0, &why),
			    ERR_PTR(-EEXIST));
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "table"));
	kt_end(test, obd);
	obd = kt_attach(test, "table");
	kt_end(test, obd);
}

static const char text_40[] = { [0 ... 39] = 'x', [40] = '\0' };
static const char text_128[] = { [0 ... 127] = 'x', [128] = '\0' };

static const struct refusal {
	const char *type, *name, *uuid;
	int rc;
	const char *says;
} refusals[] = {
	{ "no_such_type", "n", "u", -ENODEV, "no such type 'no_such_type'" },
	{ KT_NAME, "", "u", -EINVAL, "name is empty" },
	{ KT_NAME, "n", "", -EINVAL, "uuid is empty" },
	{ KT_NAME, text_128, "u", -EINVAL, "at most 127" },
	{ KT_NAME, "n", text_40, -EINVAL, "at most 39" },
	{ text_40, "n", "u", -EINVAL, "at most 31" },
	{ KT_NAME, "a/b", "u", -EINVAL, "'a/b'" },
	{ KT_NAME, "a b", "u", -EINVAL, "'a b'" },
	{ KT_NAME, "n", "u\n", -EINVAL, "uuid" },
};

static void what_cannot_be_is_refused_in_words(struct kunit *test)
{
	struct obd_why why;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(refusals); n++) {
		const struct refusal *r = &refusals[n];

		why.text[0] = '\0';
		KUNIT_EXPECT_PTR_EQ(test, class_attach(r->type, r->name,
						       r->uuid, 0, &why),
				    ERR_PTR(r->rc));
		KUNIT_EXPECT_TRUE_MSG(test, strstr(why.text, r->says),
				      "'%s' does not say '%s'", why.text,
				      r->says);
	}
}

static void a_walk_sees_each_device_once(struct kunit *test)
{
	static const char * const names[] = { "w0", "w1", "w2" };
	struct obd_device *made[3], *obd;
	unsigned int seen = 0;
	u32 next = 0;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(names); n++)
		made[n] = kt_attach(test, names[n]);
	while ((obd = class_next_obd(&next))) {
		for (n = 0; n < ARRAY_SIZE(names); n++)
			seen += obd == made[n];
		put(obd);
	}
	KUNIT_EXPECT_EQ(test, seen, 3U);
	KUNIT_EXPECT_EQ(test, class_obd_devs_count(), kt.devices + 3);
	for (n = 0; n < ARRAY_SIZE(names); n++)
		kt_end(test, made[n]);
}

#define CROWD	3000

static long aside_look(void *stop)
{
	struct obd_uuid uuid = kt_uuid("kunit_UUID");
	u32 next = 0;
	long found = 0;

	while (!READ_ONCE(*(bool *)stop)) {
		struct obd_device *obd = class_next_obd(&next);

		if (obd)
			found++;
		else
			next = 0;
		put(obd);
		put(class_name2obd("crowd17"));
		put(class_uuid2obd(&uuid));
		cond_resched();
	}
	return found;
}

static void lookups_race_with_attach_and_detach(struct kunit *test)
{
	bool stop = false;
	struct aside look;
	char name[16];
	unsigned int n;

	aside_start(test, &look, aside_look, &stop);
	for (n = 0; n < CROWD; n++) {
		scnprintf(name, sizeof(name), "crowd%u", n % 20);
		kt_end(test, kt_attach(test, name));
	}
	WRITE_ONCE(stop, true);
	aside_join(test, &look);
}

static struct kunit_case device_cases[] = {
	KUNIT_CASE(every_lookup_gives_a_reference),
	KUNIT_CASE(what_is_not_there_is_not_found),
	KUNIT_CASE(the_lowest_free_number_is_given),
	KUNIT_CASE(of_one_uuid_the_lowest_number_is_found),
	KUNIT_CASE(a_name_is_given_once),
	KUNIT_CASE(what_cannot_be_is_refused_in_words),
	KUNIT_CASE(a_walk_sees_each_device_once),
	KUNIT_CASE(lookups_race_with_attach_and_detach),
	{}
};

static struct kunit_suite device_suite = {
	.name = "obd_device",
	.suite_init = client_suite_init,
	.init = obd_fixture_init,
	.exit = obd_fixture_exit,
	.test_cases = device_cases,
};
kunit_test_suite(device_suite);

MODULE_DESCRIPTION("the table of devices");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
