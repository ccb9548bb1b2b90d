// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects by FID: their holders, when they are freed, and that a FID never has two.
 *
 * Processors: 2
 * Every: 2
 */
#include <linux/random.h>
#include <linux/shrinker.h>

#include "race.h"
#include "../../obdclass/lu_internal.h"

#define SEQ		0x200000400ULL
#define RACE_OIDS	8U
#define RACE_CACHED	3U

/* The objects of the cases: two layers, which keep a record. */
struct thing {
	struct lu_object	lu;
	u32			low;
	u32			high;
};

static struct {
	struct lu_site	*site;
	char		order[64];
	int		low_rc;
	int		high_rc;
	atomic_t	inits;
	atomic_t	frees;
	struct gate	*init_gate;
	struct gate	*free_gate;
} ks;

static struct thing *thing(const struct lu_object *obj)
{
	return container_of(obj, struct thing, lu);
}

static void say(const char *word)
{
	if (strlen(ks.order) + strlen(word) < sizeof(ks.order))
		strcat(ks.order, word);
}

static void pass(struct gate *gate)
{
	u64 val;

	if (gate)
		gate_get(gate, &val);
}

static int low_init(struct lu_object *obj, void *arg)
{
	pass(ks.init_gate);
	say("<low");
	if (ks.low_rc)
		return ks.low_rc;
	atomic_inc(&ks.inits);
	thing(obj)->low = LIVE;
	return 0;
}

static void low_free(struct lu_object *obj)
{
	race_alive(&thing(obj)->low);
	thing(obj)->low = POISON;
	say(" low>");
	atomic_inc(&ks.frees);
}

static int high_init(struct lu_object *obj, void *arg)
{
	race_alive(&thing(obj)->low);
	say(" high");
	if (ks.high_rc)
		return ks.high_rc;
	thing(obj)->high = arg ? *(u32 *)arg : 0;
	return 0;
}

static void high_free(struct lu_object *obj)
{
	pass(ks.free_gate);
	race_alive(&thing(obj)->low);
	say(" -high");
}

static void high_print(const struct lu_object *obj, struct params_sink *sink)
{
	params_put_u64(sink, "high", thing(obj)->high);
}

static const struct lu_object_ops low_ops = {
	.loo_init	= low_init,
	.loo_free	= low_free,
};

static const struct lu_object_ops high_ops = {
	.loo_init	= high_init,
	.loo_free	= high_free,
	.loo_print	= high_print,
};

static const struct lu_object_ops *const layers[] = { &low_ops, &high_ops };

static const struct lu_site_type thing_type = {
	.lst_size		= sizeof(struct thing),
	.lst_layers		= layers,
	.lst_layer_count	= ARRAY_SIZE(layers),
	.lst_cached		= 2,
	.lst_owner		= THIS_MODULE,
};

static struct lu_fid fid_of(u32 oid)
{
	return (struct lu_fid) { .f_seq = SEQ, .f_oid = oid };
}

static struct lu_object *find(u32 oid, enum lu_holder holder)
{
	const struct lu_fid fid = fid_of(oid);

	return lu_object_find(ks.site, &fid, NULL, holder);
}

static struct lu_object *must_get(struct kunit *test, u32 oid)
{
	struct lu_object *obj = find(oid, LU_HOLDER_CALL);

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(obj));
	return obj;
}

static bool is_cached(u32 oid)
{
	const struct lu_fid fid = fid_of(oid);
	struct lu_object *obj = lu_object_lookup(ks.site, &fid, LU_HOLDER_CALL);

	if (obj)
		lu_object_put(obj, LU_HOLDER_CALL);
	return obj;
}

/* Wait until so many objects have been freed, by the work. */
static void await_frees(struct kunit *test, int count)
{
	unsigned long end = jiffies + FIXTURE_WAIT;

	while (atomic_read(&ks.frees) < count && time_before(jiffies, end))
		msleep(20);
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.frees), count);
}

static void site_end(struct kunit *test)
{
	lu_site_stop(ks.site);
	KUNIT_EXPECT_TRUE(test, lu_site_drain(ks.site, 20));
	lu_site_put(ks.site);
	ks.site = NULL;
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.inits), atomic_read(&ks.frees));
}

static void a_fid_has_one_object(struct kunit *test)
{
	struct lu_object *one = must_get(test, 1), *again = find(1, LU_HOLDER_LOCK);
	struct lu_object *two = must_get(test, 2);

	KUNIT_EXPECT_PTR_EQ(test, one, again);
	KUNIT_EXPECT_PTR_NE(test, one, two);
	KUNIT_EXPECT_EQ(test, atomic_read(&one->lo_held[LU_HOLDER_CALL]), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&one->lo_held[LU_HOLDER_LOCK]), 1);
	KUNIT_EXPECT_TRUE(test, is_cached(1));
	KUNIT_EXPECT_FALSE(test, is_cached(3));
	lu_object_put(one, LU_HOLDER_CALL);
	lu_object_put(again, LU_HOLDER_LOCK);
	lu_object_put(two, LU_HOLDER_CALL);
	site_end(test);
}

static void layers_start_from_below_and_end_from_above(struct kunit *test)
{
	u32 arg = 7;
	const struct lu_fid fid = fid_of(1);
	struct lu_object *obj = lu_object_find(ks.site, &fid, &arg, LU_HOLDER_CALL);

	KUNIT_ASSERT_FALSE(test, IS_ERR(obj));
	KUNIT_EXPECT_EQ(test, thing(obj)->high, 7U);
	lu_object_put(obj, LU_HOLDER_CALL);
	site_end(test);
	KUNIT_EXPECT_STREQ(test, ks.order, "<low high -high low>");
}

static void a_layer_that_fails_undoes_those_below(struct kunit *test)
{
	ks.high_rc = -EIO;
	KUNIT_EXPECT_PTR_EQ(test, find(1, LU_HOLDER_CALL), ERR_PTR(-EIO));
	KUNIT_EXPECT_STREQ(test, ks.order, "<low high low>");
	KUNIT_EXPECT_TRUE(test, lu_site_is_empty(ks.site));
	ks.high_rc = 0;
	ks.low_rc = -ENOMEM;
	KUNIT_EXPECT_PTR_EQ(test, find(1, LU_HOLDER_CALL), ERR_PTR(-ENOMEM));
	ks.low_rc = 0;
	lu_object_put(must_get(test, 1), LU_HOLDER_CALL);
	site_end(test);
}

static void an_unused_object_is_found_again(struct kunit *test)
{
	struct lu_object *obj = must_get(test, 1);

	lu_object_put(obj, LU_HOLDER_CALL);
	KUNIT_EXPECT_PTR_EQ(test, must_get(test, 1), obj);
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.inits), 1);
	lu_object_put(obj, LU_HOLDER_CALL);
	site_end(test);
}

static void the_least_recently_used_goes_first(struct kunit *test)
{
	u32 oid;

	for (oid = 1; oid <= 2; oid++)
		lu_object_put(must_get(test, oid), LU_HOLDER_CALL);
	/* Used again, the first one has a second chance. */
	lu_object_put(must_get(test, 1), LU_HOLDER_CALL);
	lu_object_put(must_get(test, 3), LU_HOLDER_CALL);
	await_frees(test, 1);
	KUNIT_EXPECT_TRUE(test, is_cached(1));
	KUNIT_EXPECT_FALSE(test, is_cached(2));
	KUNIT_EXPECT_TRUE(test, is_cached(3));
	site_end(test);
}

static void a_held_object_is_not_freed(struct kunit *test)
{
	struct lu_object *obj = must_get(test, 1);
	u32 oid;

	/* In the list of unused ones, and used again. */
	lu_object_put(obj, LU_HOLDER_CALL);
	KUNIT_EXPECT_PTR_EQ(test, must_get(test, 1), obj);
	for (oid = 2; oid <= 6; oid++)
		lu_object_put(must_get(test, oid), LU_HOLDER_CALL);
	await_frees(test, 3);
	KUNIT_EXPECT_NE(test, lu_sites_shrink(~0UL), SHRINK_STOP);
	await_frees(test, 5);
	KUNIT_EXPECT_TRUE(test, is_cached(1));
	lu_object_put(obj, LU_HOLDER_CALL);
	KUNIT_EXPECT_TRUE(test, is_cached(1));
	site_end(test);
}

static void the_shrinker_frees_unused_objects(struct kunit *test)
{
	u32 oid;

	for (oid = 1; oid <= 2; oid++)
		lu_object_put(must_get(test, oid), LU_HOLDER_CALL);
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.frees), 0);
	KUNIT_EXPECT_EQ(test, lu_sites_shrink(~0UL), 2UL);
	await_frees(test, 2);
	KUNIT_EXPECT_FALSE(test, is_cached(1));
	/* Reclaim asks until it has scanned enough, or is told that there is nothing. */
	KUNIT_EXPECT_EQ(test, lu_sites_shrink(~0UL), SHRINK_STOP);
	site_end(test);
}

/* Reclaim asks for a batch at a time, and has asked for all before the first one is freed. */
static void the_shrinker_frees_each_batch(struct kunit *test)
{
	unsigned long chosen;
	u32 oid;

	for (oid = 1; oid <= 2; oid++)
		lu_object_put(must_get(test, oid), LU_HOLDER_CALL);
	preempt_disable();
	chosen = lu_sites_shrink(1);
	chosen += lu_sites_shrink(1);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, chosen, 2UL);
	await_frees(test, 2);
	KUNIT_EXPECT_EQ(test, lu_sites_shrink(1), SHRINK_STOP);
	site_end(test);
}

static void a_dying_object_is_refused_until_it_is_gone(struct kunit *test)
{
	struct lu_object *obj = must_get(test, 1), *next;

	KUNIT_EXPECT_TRUE(test, lu_object_kill(obj));
	KUNIT_EXPECT_FALSE(test, lu_object_kill(obj));
	KUNIT_EXPECT_PTR_EQ(test, find(1, LU_HOLDER_CALL), ERR_PTR(-ESTALE));
	KUNIT_EXPECT_FALSE(test, is_cached(1));
	lu_object_get(obj, LU_HOLDER_OPEN);
	lu_object_put(obj, LU_HOLDER_CALL);
	KUNIT_EXPECT_PTR_EQ(test, find(1, LU_HOLDER_CALL), ERR_PTR(-ESTALE));
	lu_object_put(obj, LU_HOLDER_OPEN);
	next = must_get(test, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.frees), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.inits), 2);
	lu_object_put(next, LU_HOLDER_CALL);
	site_end(test);
}

static long find_one(void *arg)
{
	struct lu_object *obj = find(1, LU_HOLDER_CALL);

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	lu_object_put(obj, LU_HOLDER_CALL);
	return 0;
}

static void a_lookup_waits_for_the_end_of_the_last_object(struct kunit *test)
{
	static struct gate gate;
	static struct aside aside;
	struct lu_object *obj = must_get(test, 1);

	gate_init(&gate);
	ks.free_gate = &gate;
	KUNIT_EXPECT_TRUE(test, lu_object_kill(obj));
	lu_object_put(obj, LU_HOLDER_CALL);
	gate_await(test, &gate);
	aside_start(test, &aside, find_one, NULL);
	aside_await_sleep(test, &aside);
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.inits), 1);
	ks.free_gate = NULL;
	complete_all(&gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &aside), 0L);
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.inits), 2);
	site_end(test);
}

static void a_lookup_waits_for_the_start_of_an_object(struct kunit *test)
{
	static struct gate gate;
	static struct aside first, second;

	gate_init(&gate);
	ks.init_gate = &gate;
	aside_start(test, &first, find_one, NULL);
	gate_await(test, &gate);
	aside_start(test, &second, find_one, NULL);
	aside_await_sleep(test, &second);
	KUNIT_EXPECT_FALSE(test, is_cached(1));
	ks.init_gate = NULL;
	complete_all(&gate.leave);
	KUNIT_EXPECT_EQ(test, aside_join(test, &first), 0L);
	KUNIT_EXPECT_EQ(test, aside_join(test, &second), 0L);
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.inits), 1);
	site_end(test);
}

static void a_stopped_site_adds_nothing(struct kunit *test)
{
	struct lu_object *obj = must_get(test, 1);

	KUNIT_EXPECT_FALSE(test, lu_site_is_stopped(ks.site));
	lu_site_stop(ks.site);
	KUNIT_EXPECT_TRUE(test, lu_site_is_stopped(ks.site));
	KUNIT_EXPECT_PTR_EQ(test, find(1, LU_HOLDER_CALL), ERR_PTR(-ESHUTDOWN));
	KUNIT_EXPECT_PTR_EQ(test, find(2, LU_HOLDER_CALL), ERR_PTR(-ESHUTDOWN));
	KUNIT_EXPECT_FALSE(test, lu_site_is_empty(ks.site));
	lu_object_put(obj, LU_HOLDER_CALL);
	site_end(test);
}

static long drain(void *arg)
{
	return lu_site_drain(ks.site, 20) ? 0 : -ETIMEDOUT;
}

static void draining_waits_for_the_last_holder(struct kunit *test)
{
	static struct aside aside;
	struct lu_object *obj = must_get(test, 1);

	lu_site_stop(ks.site);
	aside_start(test, &aside, drain, NULL);
	aside_await_sleep(test, &aside);
	lu_object_put(obj, LU_HOLDER_CALL);
	KUNIT_EXPECT_EQ(test, aside_join(test, &aside), 0L);
	site_end(test);
}

/* fixture_exit() waits for the memory. */
static void the_last_object_frees_its_site(struct kunit *test)
{
	struct lu_object *obj = must_get(test, 1);

	lu_object_get(obj, LU_HOLDER_LOCK);
	lu_object_put(obj, LU_HOLDER_CALL);
	lu_site_stop(ks.site);
	KUNIT_EXPECT_FALSE(test, lu_site_drain(ks.site, 0));
	lu_site_put(ks.site);
	ks.site = NULL;
	KUNIT_EXPECT_EQ(test, atomic_read(&ks.frees), 0);
	lu_object_put(obj, LU_HOLDER_LOCK);
	await_frees(test, 1);
}

static int site_read(struct params_sink *sink, void *data)
{
	return lu_site_print(ks.site, sink);
}

static u64 number_at(unsigned int n)
{
	struct params_value_rec *rec = client_rec(fx.client, n);

	return rec ? *(u64 *)client_rec_value(rec) : ~0ULL;
}

static void a_site_names_its_objects_and_their_holders(struct kunit *test)
{
	struct lu_object *obj = must_get(test, 1);

	lu_object_get(obj, LU_HOLDER_OPEN);
	lu_object_put(must_get(test, 2), LU_HOLDER_CALL);
	KUNIT_ASSERT_EQ(test, params_add_entry(fx.dir, "site", site_read, NULL, NULL), 0);
	KUNIT_EXPECT_EQ(test, client_read(fx.client, FIXTURE_DIR "/site"), 0);
	KUNIT_EXPECT_EQ(test, number_at(0), 2ULL);
	KUNIT_EXPECT_EQ(test, number_at(1), 1ULL);
	/*
	 * Two maps: where they start, the state, a number for each kind of holder, the layer, the
	 * end.
	 */
	KUNIT_EXPECT_EQ(test, client_rec_count(fx.client), 2U + 2 * (4 + LU_HOLDER_COUNT));
	lu_object_put(obj, LU_HOLDER_OPEN);
	lu_object_put(obj, LU_HOLDER_CALL);
	KUNIT_EXPECT_EQ(test, params_delete_entry(fx.dir, "site"), 0);
	site_end(test);
}

/*
 * Races: a FID that would have two objects at a time counts as too late, and so does an
 * object that is found after its end.
 */
static atomic_t instances[RACE_OIDS];

static int race_init_layer(struct lu_object *obj, void *arg)
{
	if (atomic_inc_return(&instances[obj->lo_fid.f_oid]) != 1)
		atomic_inc(&late);
	if (!(get_random_u32() % 16)) {
		atomic_dec(&instances[obj->lo_fid.f_oid]);
		return -EAGAIN;
	}
	atomic_inc(&ks.inits);
	cond_resched();
	thing(obj)->low = LIVE;
	return 0;
}

static void race_free_layer(struct lu_object *obj)
{
	race_alive(&thing(obj)->low);
	thing(obj)->low = POISON;
	cond_resched();
	atomic_dec(&instances[obj->lo_fid.f_oid]);
	atomic_inc(&ks.frees);
}

static const struct lu_object_ops race_ops = {
	.loo_init	= race_init_layer,
	.loo_free	= race_free_layer,
};

static const struct lu_object_ops *const race_layers[] = { &race_ops };

static const struct lu_site_type race_type = {
	.lst_size		= sizeof(struct thing),
	.lst_layers		= race_layers,
	.lst_layer_count	= ARRAY_SIZE(race_layers),
	.lst_cached		= RACE_CACHED,
	.lst_owner		= THIS_MODULE,
};

static long race_find(void *arg)
{
	struct lu_object *obj;
	long calls = 0;

	do {
		obj = find(get_random_u32() % RACE_OIDS, LU_HOLDER_CALL);
		if (!IS_ERR(obj)) {
			race_alive(&thing(obj)->low);
			cond_resched();
			race_alive(&thing(obj)->low);
			lu_object_put(obj, LU_HOLDER_CALL);
		}
		calls++;
		cond_resched();
	} while (!READ_ONCE(stop));
	return calls;
}

static long race_kill(void *arg)
{
	struct lu_object *obj;
	long calls = 0;

	do {
		obj = find(get_random_u32() % RACE_OIDS, LU_HOLDER_CALL);
		if (!IS_ERR(obj)) {
			lu_object_kill(obj);
			race_alive(&thing(obj)->low);
			lu_object_put(obj, LU_HOLDER_CALL);
		}
		calls++;
		cond_resched();
	} while (!READ_ONCE(stop));
	return calls;
}

static long race_shrink(void *arg)
{
	long calls = 0;

	do {
		lu_sites_shrink(2);
		calls++;
		cond_resched();
	} while (!READ_ONCE(stop));
	return calls;
}

static long once_read(struct client *c, const char *path, long n)
{
	return client_read(c, path);
}

static long race_print(void *arg)
{
	return race_calls(once_read, FIXTURE_DIR "/site");
}

static void race_on_objects(struct kunit *test, const struct racer *racers,
			    unsigned int count)
{
	unsigned int n;

	lu_site_put(ks.site);
	ks.site = lu_site_new(&race_type, "kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(ks.site));
	atomic_set(&late, 0);
	race(test, racers, count);
	site_end(test);
	for (n = 0; n < RACE_OIDS; n++)
		KUNIT_EXPECT_EQ(test, atomic_read(&instances[n]), 0);
}

/* Objects come and go under those that find them, and the shrinker. */
static void find_against_put_and_shrink(struct kunit *test)
{
	static const struct racer racers[] = {
		{ race_find, NULL, "finds" },
		{ race_find, NULL, "more finds" },
		{ race_find, NULL, "still more finds" },
		{ race_shrink, NULL, "shrinks" },
	};

	race_on_objects(test, racers, ARRAY_SIZE(racers));
}

static void find_against_kill(struct kunit *test)
{
	static const struct racer racers[] = {
		{ race_find, NULL, "finds" },
		{ race_kill, NULL, "kills" },
		{ race_kill, NULL, "more kills" },
		{ race_shrink, NULL, "shrinks" },
	};

	race_on_objects(test, racers, ARRAY_SIZE(racers));
}

static void find_and_kill_against_print(struct kunit *test)
{
	static const struct racer racers[] = {
		{ race_find, NULL, "finds" },
		{ race_kill, NULL, "kills" },
		{ race_print, NULL, "prints" },
	};

	KUNIT_ASSERT_EQ(test, params_add_entry(fx.dir, "site", site_read, NULL, NULL), 0);
	race_on_objects(test, racers, ARRAY_SIZE(racers));
}

static long race_stop(void *arg)
{
	struct lu_site *site;
	long calls = 0;

	do {
		site = lu_site_new(&race_type, "kunit");
		if (IS_ERR(site))
			return PTR_ERR(site);
		lu_site_stop(site);
		lu_sites_shrink(1);
		if (!lu_site_drain(site, 20))
			return -ETIMEDOUT;
		lu_site_put(site);
		calls++;
		cond_resched();
	} while (!READ_ONCE(stop));
	return calls;
}

/* The shrinker knows every site until it is freed. */
static void the_end_of_a_site_against_the_shrinker(struct kunit *test)
{
	static const struct racer racers[] = {
		{ race_stop, NULL, "sites" },
		{ race_shrink, NULL, "shrinks" },
	};

	race_on_objects(test, racers, ARRAY_SIZE(racers));
}

static int object_case_init(struct kunit *test)
{
	int rc = fixture_init(test);

	memset(&ks, 0, sizeof(ks));
	if (rc)
		return rc;
	ks.site = lu_site_new(&thing_type, "kunit");
	return PTR_ERR_OR_ZERO(ks.site);
}

/* The parameter of a case reads its site. */
static void object_case_exit(struct kunit *test)
{
	struct lu_site *site = ks.site;

	if (!IS_ERR_OR_NULL(site)) {
		lu_site_stop(site);
		lu_site_drain(site, 20);
		lu_site_put(site);
	}
	fixture_exit(test);
}

static struct kunit_case object_cases[] = {
	KUNIT_CASE(a_fid_has_one_object),
	KUNIT_CASE(layers_start_from_below_and_end_from_above),
	KUNIT_CASE(a_layer_that_fails_undoes_those_below),
	KUNIT_CASE(an_unused_object_is_found_again),
	KUNIT_CASE(the_least_recently_used_goes_first),
	KUNIT_CASE(a_held_object_is_not_freed),
	KUNIT_CASE(the_shrinker_frees_unused_objects),
	KUNIT_CASE(the_shrinker_frees_each_batch),
	KUNIT_CASE(a_dying_object_is_refused_until_it_is_gone),
	KUNIT_CASE(a_lookup_waits_for_the_end_of_the_last_object),
	KUNIT_CASE(a_lookup_waits_for_the_start_of_an_object),
	KUNIT_CASE(a_stopped_site_adds_nothing),
	KUNIT_CASE(draining_waits_for_the_last_holder),
	KUNIT_CASE(the_last_object_frees_its_site),
	KUNIT_CASE(a_site_names_its_objects_and_their_holders),
	KUNIT_CASE(find_against_put_and_shrink),
	KUNIT_CASE(find_against_kill),
	KUNIT_CASE(find_and_kill_against_print),
	KUNIT_CASE(the_end_of_a_site_against_the_shrinker),
	{}
};

static struct kunit_suite object_suite = {
	.name = "lu_object",
	.suite_init = client_suite_init,
	.init = object_case_init,
	.exit = object_case_exit,
	.test_cases = object_cases,
};
kunit_test_suite(object_suite);

MODULE_DESCRIPTION("objects by FID");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
