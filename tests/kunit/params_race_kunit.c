// SPDX-License-Identifier: GPL-2.0-only
/*
 * Races: readers, listers, writers and deleters over subtrees that come and go, for a second
 * each; writers of one version, of whom one wins. The data of an entry is poisoned and freed
 * as soon as params_remove() returned, so a callback that runs later is seen by KASAN, and by
 * its own check on other kernels.
 *
 * Processors: 2
 * Every: 2
 */
#include "race.h"
#include "../../params/params_internal.h"

struct owner {
	u32	magic;
	u32	value;
};

static int owner_get(void *data, u64 *val)
{
	struct owner *owner = data;

	race_alive(&owner->magic);
	cond_resched();
	race_alive(&owner->magic);
	*val = owner->value;
	return 0;
}

static int owner_set(void *data, u64 val)
{
	struct owner *owner = data;

	race_alive(&owner->magic);
	WRITE_ONCE(owner->value, val);
	return 0;
}

static const struct lustre_params_attr owner_attrs[] = {
	LP_U32_RW("one", owner_get, owner_set),
	LP_U32_RW("two", owner_get, owner_set),
	LP_U32_FIELD("three", struct owner, value),
};

static int add_owner(struct lustre_params_entry *parent, const char *name,
		     struct owner *owner, struct lustre_params_entry **dirp)
{
	struct lustre_params_entry *dir;
	int rc;

	dir = params_add_dir_hidden(parent, name, owner);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	rc = params_add_attrs(dir, owner_attrs, ARRAY_SIZE(owner_attrs), owner);
	if (!rc)
		rc = params_publish(dir);
	if (rc)
		params_remove(dir);
	*dirp = dir;
	return rc;
}

/* Add, remove and free a subtree, at least once. Return: number of rounds, or an errno */
static long churn(void *arg)
{
	const char *name = arg;
	long cycles = 0;

	do {
		struct owner *owner = kzalloc(sizeof(*owner), GFP_KERNEL);
		struct lustre_params_entry *dir = NULL;
		int rc;

		if (!owner)
			return -ENOMEM;
		owner->magic = LIVE;
		rc = add_owner(fx.dir, name, owner, &dir);
		if (!rc) {
			usleep_range(50, 500);
			params_remove(dir);
		}
		WRITE_ONCE(owner->magic, POISON);
		kfree(owner);
		if (rc)
			return rc;
		cycles++;
	} while (!READ_ONCE(stop));
	return cycles;
}

static long once_read(struct client *c, const char *path, long n)
{
	return client_read(c, path);
}

static long read_one(void *path)
{
	return race_calls(once_read, path);
}

static long once_write(struct client *c, const char *path, long n)
{
	return client_write(c, path, "1");
}

static long write_one(void *path)
{
	return race_calls(once_write, path);
}

static long once_subtree(struct client *c, const char *path, long n)
{
	struct params_ioc_read_batch rb = { .rb_buf_len = 65536 };

	return client_read_subtree(c, path, &rb);
}

static long read_subtree(void *path)
{
	return race_calls(once_subtree, path);
}

static long once_list(struct client *c, const char *path, long n)
{
	struct params_ioc_list pl = {};

	return client_list_with(c, path, NULL, &pl);
}

static long list_all(void *path)
{
	return race_calls(once_list, path);
}

static void readers_against_removal(struct kunit *test)
{
	static const struct racer racers[] = {
		{ churn, "a", "churn a" },
		{ read_one, FIXTURE_DIR "/a/one", "reads of a/one" },
		{ read_one, FIXTURE_DIR "/a/three", "reads of a/three" },
		{ write_one, FIXTURE_DIR "/a/two", "writes of a/two" },
	};

	race(test, racers, ARRAY_SIZE(racers));
}

static void walks_against_removal(struct kunit *test)
{
	static const struct racer racers[] = {
		{ churn, "a", "churn a" },
		{ churn, "b", "churn b" },
		{ read_subtree, FIXTURE_DIR, "reads of all" },
		{ list_all, FIXTURE_DIR, "lists of all" },
		{ list_all, "", "lists of the root" },
	};

	race(test, racers, ARRAY_SIZE(racers));
}

/* Looks up a name, and holds the entry. */
static long remove_by_name(void *arg)
{
	long removed = 1;

	while (!READ_ONCE(stop)) {
		struct lustre_params_entry *lpe;

		lpe = params_lookup_entry(fx.dir, arg);
		if (IS_ERR(lpe)) {
			cond_resched();
			continue;
		}
		params_remove(lpe);
		params_entry_put(lpe);
		removed++;
		usleep_range(10, 50);
	}
	return removed;
}

static void deleters_against_each_other(struct kunit *test)
{
	static const struct racer racers[] = {
		{ read_one, FIXTURE_DIR "/a/one", "reads of a/one" },
		{ remove_by_name, "a", "removals of a" },
		{ remove_by_name, "a/one", "removals of a/one" },
	};
	static struct aside asides[ARRAY_SIZE(racers)];
	unsigned int i, cycles = 0;
	unsigned long end = jiffies + msecs_to_jiffies(RACE_MS);

	WRITE_ONCE(stop, false);
	for (i = 0; i < ARRAY_SIZE(racers); i++)
		aside_start(test, &asides[i], racers[i].fn, racers[i].arg);
	/* The owner keeps a reference, because another task may remove its directory. */
	while (time_before(jiffies, end) ||
	       (cycles <= 10 && time_before(jiffies, end + FIXTURE_WAIT))) {
		struct owner *owner = kzalloc(sizeof(*owner), GFP_KERNEL);
		struct lustre_params_entry *dir;

		if (!owner)
			break;
		owner->magic = LIVE;
		dir = params_add_dir_hidden(fx.dir, "a", owner);
		if (!IS_ERR(dir)) {
			/* While it is hidden no other task can remove it. */
			refcount_inc(&dir->lpe_refcount);
			params_add_attrs(dir, owner_attrs,
					 ARRAY_SIZE(owner_attrs), owner);
			params_publish(dir);
			usleep_range(50, 200);
			params_remove(dir);
			params_entry_put(dir);
		}
		WRITE_ONCE(owner->magic, POISON);
		kfree(owner);
		cycles++;
	}
	WRITE_ONCE(stop, true);
	for (i = 0; i < ARRAY_SIZE(racers); i++)
		aside_join(test, &asides[i]);
	kunit_info(test, "cycles: %u", cycles);
	KUNIT_EXPECT_GT(test, cycles, 10U);
	KUNIT_EXPECT_EQ(test, atomic_read(&late), 0);
}

/**
 * struct contender - one of several that write the same parameter
 * @version: the version that it expects
 */
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
	rc = client_write_with(c, FIXTURE_DIR "/a/one", "1", 1, &pw);
	client_close(c);
	return rc;
}

/* Of several writers that expect the same version, one succeeds. */
static void compare_and_set_has_one_winner(struct kunit *test)
{
	static struct owner owner = { .magic = LIVE };
	static struct contender contenders[4];
	static struct aside asides[4];
	struct lustre_params_entry *dir;
	unsigned int round, i, wins;

	KUNIT_ASSERT_EQ(test, add_owner(fx.dir, "a", &owner, &dir), 0);
	for (round = 0; round < 20; round++) {
		KUNIT_ASSERT_EQ(test, client_read(fx.client, FIXTURE_DIR "/a/one"), 0);
		wins = 0;
		for (i = 0; i < ARRAY_SIZE(asides); i++) {
			contenders[i].version = fx.client->version;
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

static struct kunit_case race_cases[] = {
	KUNIT_CASE(readers_against_removal),
	KUNIT_CASE(walks_against_removal),
	KUNIT_CASE(deleters_against_each_other),
	KUNIT_CASE(compare_and_set_has_one_winner),
	{}
};

static int race_init(struct kunit *test)
{
	atomic_set(&late, 0);
	return fixture_init(test);
}

static struct kunit_suite race_suite = {
	.name = "params_race",
	.suite_init = client_suite_init,
	.init = race_init,
	.exit = fixture_exit,
	.test_cases = race_cases,
};
kunit_test_suite(race_suite);

MODULE_DESCRIPTION("removal from the parameters tree under load");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
