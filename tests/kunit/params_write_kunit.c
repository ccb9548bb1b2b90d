// SPDX-License-Identifier: GPL-2.0
/*
 * Writes: versions and compare-and-set, batches of which each write stands for
 * itself, and batches of all or nothing with their way back.
 */
#include "fixture.h"

struct store {
	u32	a;
	u32	b;
	u32	picky;		/* declared to 100, takes up to 50 */
	u32	stuck;		/* takes one value, then none */
	bool	stuck_armed;
	u32	pokes;
	char	text[16];
	u32	order[16];	/* in which the setters were called */
	u32	calls;
};

static struct store store;

static void called(struct store *s, u32 who)
{
	if (s->calls < ARRAY_SIZE(s->order))
		s->order[s->calls] = who;
	s->calls++;
}

static int b_get(void *data, u64 *val)
{
	*val = ((struct store *)data)->b;
	return 0;
}

static int b_set(void *data, u64 val)
{
	struct store *s = data;

	called(s, 'b');
	s->b = val;
	return 0;
}

static int picky_get(void *data, u64 *val)
{
	*val = ((struct store *)data)->picky;
	return 0;
}

static int picky_set(void *data, u64 val)
{
	struct store *s = data;

	called(s, 'p');
	if (val > 50)
		return -EBUSY;
	s->picky = val;
	return 0;
}

static int stuck_get(void *data, u64 *val)
{
	*val = ((struct store *)data)->stuck;
	return 0;
}

static int stuck_set(void *data, u64 val)
{
	struct store *s = data;

	called(s, 's');
	if (s->stuck_armed)
		return -EBUSY;
	s->stuck_armed = true;
	s->stuck = val;
	return 0;
}

static ssize_t text_get(void *data, char *buf, size_t size)
{
	struct store *s = data;
	size_t len = strlen(s->text);

	if (len > size)
		return -EOVERFLOW;
	memcpy(buf, s->text, len);
	return len;
}

static int text_set(const char *text, size_t len, void *data)
{
	struct store *s = data;

	called(s, 't');
	strscpy(s->text, text, sizeof(s->text));
	return 0;
}

static int poke(const char *text, size_t len, void *data)
{
	((struct store *)data)->pokes++;
	return 0;
}

static const struct lustre_params_attr attrs[] = {
	LP_U32_FIELD("a", struct store, a, .max = 100),
	LP_U32_RW("b", b_get, b_set, .max = 100),
	LP_U32_RW("picky", picky_get, picky_set, .max = 100),
	LP_U32_RW("stuck", stuck_get, stuck_set, .max = 100),
	LP_STR_RW("text", text_get, text_set),
	LP_TRIGGER("poke", poke),
	LP_U32_RO("ro", b_get),
};

#define AT(name)	(FIXTURE_DIR "/" name)

static u32 version(const char *path)
{
	return client_read(fx.client, path) ? 0 : fx.client->version;
}

static long write_if(const char *path, const char *text, u32 expected)
{
	struct params_ioc_write pw = {
		.pw_flags = PARAMS_W_VERSION,
		.pw_version = expected,
	};

	return client_write_with(fx.client, path, text, strlen(text), &pw);
}

static void version_rises_with_every_write(struct kunit *test)
{
	u32 before = version(AT("a"));

	KUNIT_ASSERT_NE(test, before, 0U);
	KUNIT_EXPECT_EQ(test, version(AT("a")), before);
	KUNIT_EXPECT_EQ(test, client_write(fx.client, AT("a"), "1"), 0);
	KUNIT_EXPECT_GT(test, version(AT("a")), before);
	KUNIT_EXPECT_EQ(test, fx.client->version, version(AT("a")));
	/* A refused one changes nothing. */
	before = version(AT("a"));
	KUNIT_EXPECT_EQ(test, client_write(fx.client, AT("a"), "101"), -ERANGE);
	KUNIT_EXPECT_EQ(test, version(AT("a")), before);
}

static void version_rises_when_the_owner_says_so(struct kunit *test)
{
	struct lustre_params_entry *entry = must_find(test, AT("a"));
	u32 before = version(AT("a"));

	params_changed(entry);
	KUNIT_EXPECT_GT(test, version(AT("a")), before);
	params_entry_put(entry);
}

static u32 dir_version(void)
{
	struct params_ioc_list pl = { .pl_depth = 1 };
	struct params_list_rec *rec;
	unsigned int i;

	if (client_list_with(fx.client, "", NULL, &pl))
		return 0;
	for (i = 0; (rec = client_list_rec(fx.client, i)); i++)
		if (rec->lr_name_len == strlen(FIXTURE_DIR) &&
		    !memcmp(rec->lr_name, FIXTURE_DIR, rec->lr_name_len))
			return rec->lr_version;
	return 0;
}

static void version_of_a_directory_rises_with_its_children(struct kunit *test)
{
	u32 before = dir_version(), added;

	KUNIT_ASSERT_NE(test, before, 0U);
	KUNIT_ASSERT_FALSE(test, IS_ERR(params_add_dir(fx.dir, "new", NULL)));
	added = dir_version();
	KUNIT_EXPECT_GT(test, added, before);
	KUNIT_EXPECT_EQ(test, params_delete_entry(fx.dir, "new"), 0);
	KUNIT_EXPECT_GT(test, dir_version(), added);
}

static void write_of_an_old_version_is_refused(struct kunit *test)
{
	u32 v = version(AT("b"));

	KUNIT_EXPECT_EQ(test, write_if(AT("b"), "7", v), 0);
	KUNIT_EXPECT_EQ(test, store.b, 7U);
	KUNIT_EXPECT_EQ(test, write_if(AT("b"), "8", v), -ESTALE);
	KUNIT_EXPECT_EQ(test, store.b, 7U);
	/* The reply says which one would be right. */
	KUNIT_EXPECT_EQ(test, write_if(AT("b"), "8", fx.client->version), 0);
	KUNIT_EXPECT_EQ(test, store.b, 8U);
}

struct contender {
	u32	version;
};

static long contend(void *arg)
{
	struct contender *who = arg;
	struct params_ioc_write pw = {
		.pw_flags = PARAMS_W_VERSION,
		.pw_version = who->version,
	};
	struct client *c = client_open();
	long rc;

	if (!c)
		return -ENOMEM;
	rc = client_write_with(c, AT("b"), "1", 1, &pw);
	client_close(c);
	return rc;
}

/* Of several that expect the same version, one goes on. */
static void compare_and_set_has_one_winner(struct kunit *test)
{
	static struct contender contenders[4];
	static struct aside asides[4];
	unsigned int round, i, wins;

	for (round = 0; round < 20; round++) {
		u32 v = version(AT("b"));

		wins = 0;
		for (i = 0; i < ARRAY_SIZE(asides); i++) {
			contenders[i].version = v;
			aside_start(test, &asides[i], contend, &contenders[i]);
		}
		for (i = 0; i < ARRAY_SIZE(asides); i++) {
			long rc = aside_join(test, &asides[i]);

			wins += rc == 0;
			KUNIT_EXPECT_TRUE(test, rc == 0 || rc == -ESTALE);
		}
		KUNIT_EXPECT_EQ(test, wins, 1U);
	}
}

static void batch_writes_stand_for_themselves(struct kunit *test)
{
	struct client_set sets[] = {
		{ AT("a"), "1" }, { AT("nosuch"), "1" }, { AT("ro"), "1" },
		{ AT("picky"), "60" }, { AT("a"), "500" }, { FIXTURE_DIR, "1" },
		{ AT("b"), "2" }, { AT("poke"), "now" },
	};

	KUNIT_EXPECT_EQ(test, client_write_batch(fx.client, 0, sets,
						 ARRAY_SIZE(sets)), 5);
	KUNIT_EXPECT_EQ(test, sets[0].status, 0);
	KUNIT_EXPECT_EQ(test, sets[1].status, -ENOENT);
	KUNIT_EXPECT_EQ(test, sets[2].status, -EACCES);
	KUNIT_EXPECT_EQ(test, sets[3].status, -EBUSY);
	KUNIT_EXPECT_EQ(test, sets[4].status, -ERANGE);
	KUNIT_EXPECT_EQ(test, sets[5].status, -EISDIR);
	KUNIT_EXPECT_EQ(test, sets[6].status, 0);
	KUNIT_EXPECT_EQ(test, sets[7].status, 0);
	KUNIT_EXPECT_EQ(test, store.a, 1U);
	KUNIT_EXPECT_EQ(test, store.b, 2U);
	KUNIT_EXPECT_EQ(test, store.pokes, 1U);
}

static void atomic_batch_applies_in_order(struct kunit *test)
{
	struct client_set sets[] = {
		{ AT("b"), "1" }, { AT("picky"), "2" }, { AT("text"), "new" },
		{ AT("b"), "3" }, { AT("poke"), "last" },
	};

	KUNIT_EXPECT_EQ(test, client_write_batch(fx.client, PARAMS_W_ATOMIC,
						 sets, ARRAY_SIZE(sets)), 0);
	KUNIT_EXPECT_EQ(test, store.b, 3U);
	KUNIT_EXPECT_EQ(test, store.picky, 2U);
	KUNIT_EXPECT_STREQ(test, store.text, "new");
	KUNIT_EXPECT_EQ(test, store.pokes, 1U);
	KUNIT_EXPECT_EQ(test, store.order[0], (u32)'b');
	KUNIT_EXPECT_EQ(test, store.order[1], (u32)'p');
	KUNIT_EXPECT_EQ(test, store.order[2], (u32)'t');
	KUNIT_EXPECT_EQ(test, store.order[3], (u32)'b');
}

/* What can be known beforehand is found before the first setter is called. */
static void atomic_batch_validates_first(struct kunit *test)
{
	struct client_set sets[] = {
		{ AT("b"), "1" }, { AT("picky"), "2" }, { AT("a"), "500" },
	};

	KUNIT_EXPECT_NE(test, client_write_batch(fx.client, PARAMS_W_ATOMIC,
						 sets, ARRAY_SIZE(sets)), 0);
	KUNIT_EXPECT_EQ(test, sets[0].status, -ECANCELED);
	KUNIT_EXPECT_EQ(test, sets[1].status, -ECANCELED);
	KUNIT_EXPECT_EQ(test, sets[2].status, -ERANGE);
	KUNIT_EXPECT_EQ(test, store.calls, 0U);
}

static void atomic_batch_rolls_back(struct kunit *test)
{
	struct client_set sets[] = {
		{ AT("a"), "1" }, { AT("b"), "2" }, { AT("text"), "changed" },
		{ AT("picky"), "60" }, { AT("b"), "99" },
	};

	store.a = 10;
	store.b = 20;
	strscpy(store.text, "before", sizeof(store.text));
	KUNIT_EXPECT_NE(test, client_write_batch(fx.client, PARAMS_W_ATOMIC,
						 sets, ARRAY_SIZE(sets)), 0);
	KUNIT_EXPECT_EQ(test, sets[3].status, -EBUSY);
	KUNIT_EXPECT_EQ(test, sets[0].status, -ECANCELED);
	KUNIT_EXPECT_EQ(test, sets[1].status, -ECANCELED);
	KUNIT_EXPECT_EQ(test, sets[2].status, -ECANCELED);
	KUNIT_EXPECT_EQ(test, sets[4].status, -ECANCELED);
	KUNIT_EXPECT_EQ(test, store.a, 10U);
	KUNIT_EXPECT_EQ(test, store.b, 20U);
	KUNIT_EXPECT_STREQ(test, store.text, "before");
}

/* The same entry twice: the oldest value is what it gets back. */
static void atomic_batch_rolls_back_to_the_oldest(struct kunit *test)
{
	struct client_set sets[] = {
		{ AT("b"), "1" }, { AT("b"), "2" }, { AT("b"), "3" },
		{ AT("picky"), "60" },
	};

	store.b = 77;
	KUNIT_EXPECT_NE(test, client_write_batch(fx.client, PARAMS_W_ATOMIC,
						 sets, ARRAY_SIZE(sets)), 0);
	KUNIT_EXPECT_EQ(test, store.b, 77U);
}

static void atomic_batch_says_what_it_cannot_give_back(struct kunit *test)
{
	struct client_set sets[] = {
		{ AT("a"), "1" }, { AT("stuck"), "5" }, { AT("picky"), "60" },
	};

	store.a = 10;
	KUNIT_EXPECT_NE(test, client_write_batch(fx.client, PARAMS_W_ATOMIC,
						 sets, ARRAY_SIZE(sets)), 0);
	KUNIT_EXPECT_EQ(test, sets[0].status, -ECANCELED);
	KUNIT_EXPECT_EQ(test, sets[1].status, -EIO);
	KUNIT_EXPECT_EQ(test, sets[2].status, -EBUSY);
	KUNIT_EXPECT_EQ(test, store.a, 10U);
	KUNIT_EXPECT_EQ(test, store.stuck, 5U);
}

static void atomic_batch_with_an_old_version(struct kunit *test)
{
	struct client_set sets[] = {
		{ AT("a"), "1" }, { AT("b"), "2", .version = 4711 },
	};

	store.a = 10;
	KUNIT_EXPECT_NE(test, client_write_batch(fx.client, PARAMS_W_ATOMIC,
						 sets, ARRAY_SIZE(sets)), 0);
	KUNIT_EXPECT_EQ(test, sets[0].status, -ECANCELED);
	KUNIT_EXPECT_EQ(test, sets[1].status, -ESTALE);
	KUNIT_EXPECT_EQ(test, store.a, 10U);
}

static void batch_dry_run_changes_nothing(struct kunit *test)
{
	struct client_set sets[] = { { AT("a"), "1" }, { AT("b"), "500" } };

	store.a = 10;
	KUNIT_EXPECT_EQ(test, client_write_batch(fx.client, PARAMS_W_DRY_RUN,
						 sets, 1), 0);
	KUNIT_EXPECT_EQ(test, client_write_batch(fx.client, PARAMS_W_DRY_RUN,
						 sets, 2), 1);
	KUNIT_EXPECT_EQ(test, sets[0].status, 0);
	KUNIT_EXPECT_EQ(test, sets[1].status, -ERANGE);
	KUNIT_EXPECT_EQ(test, store.a, 10U);
	KUNIT_EXPECT_EQ(test, store.calls, 0U);
}

static struct kunit_case write_cases[] = {
	KUNIT_CASE(version_rises_with_every_write),
	KUNIT_CASE(version_rises_when_the_owner_says_so),
	KUNIT_CASE(version_of_a_directory_rises_with_its_children),
	KUNIT_CASE(write_of_an_old_version_is_refused),
	KUNIT_CASE(compare_and_set_has_one_winner),
	KUNIT_CASE(batch_writes_stand_for_themselves),
	KUNIT_CASE(atomic_batch_applies_in_order),
	KUNIT_CASE(atomic_batch_validates_first),
	KUNIT_CASE(atomic_batch_rolls_back),
	KUNIT_CASE(atomic_batch_rolls_back_to_the_oldest),
	KUNIT_CASE(atomic_batch_says_what_it_cannot_give_back),
	KUNIT_CASE(atomic_batch_with_an_old_version),
	KUNIT_CASE(batch_dry_run_changes_nothing),
	{}
};

static int write_init(struct kunit *test)
{
	int rc = fixture_init(test);

	memset(&store, 0, sizeof(store));
	return rc ?: params_add_attrs(fx.dir, attrs, ARRAY_SIZE(attrs), &store);
}

static struct kunit_suite write_suite = {
	.name = "params_write",
	.suite_init = client_suite_init,
	.init = write_init,
	.exit = fixture_exit,
	.test_cases = write_cases,
};
kunit_test_suite(write_suite);

MODULE_DESCRIPTION("writes to parameters, one and many");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
