// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes of the configuration: storing, notification of subscribers, waiting, and trials
 * before they are stored.
 *
 * Processors: 2
 * Every: 2
 */
#include "mgs_fixture.h"

/* A parameter of this node, for settings. */
static u32 mc_value;

static const struct lustre_params_attr mc_attrs[] = {
	{ .name = "number", .type = PARAMS_T_U32, .mode = 0644, .field = 1,
	  .max = 100 },
};

static int mc_init(struct kunit *test)
{
	int rc = mk_init(test);

	if (rc)
		return rc;
	mc_value = 1;
	return params_add_attrs(fx.dir, mc_attrs, ARRAY_SIZE(mc_attrs),
				&mc_value);
}

static void a_setting_is_stored_and_told(struct kunit *test)
{
	u64 generation;

	mk_join(test, 0);
	mk_follow(test, 0, "params", CONFIG_T_PARAMS);
	KUNIT_EXPECT_EQ(test, 0, mk_set("kunit.number", "7"));
	generation = mk.change.mc_generation;
	KUNIT_EXPECT_NE(test, 0ULL, generation);
	KUNIT_EXPECT_EQ(test, 1U, mk.change.mc_logs);
	KUNIT_EXPECT_EQ(test, mk_param("generation"), generation);
	KUNIT_EXPECT_TRUE(test, mk_await_told(0, 1));
	KUNIT_EXPECT_EQ(test, -ETIMEDOUT, mk_wait(generation, 0));
	KUNIT_EXPECT_EQ(test, 1U, mk.wait.mw_nodes);
	KUNIT_EXPECT_EQ(test, 1U, mk.wait.mw_behind);
	KUNIT_EXPECT_TRUE(test, strstr(mk.wait.mw_why, "params"));
	KUNIT_EXPECT_GT(test, mk_read(0, "params", CONFIG_T_PARAMS, 8192), 0);
	KUNIT_EXPECT_EQ(test, generation, le64_to_cpu(mk.info.ci_generation));
	KUNIT_EXPECT_EQ(test, 0, mk_ack(0, "params", CONFIG_T_PARAMS,
					generation));
	KUNIT_EXPECT_EQ(test, 0, mk_wait(generation, 0));
	KUNIT_EXPECT_EQ(test, 1U, mk.wait.mw_nodes);
	KUNIT_EXPECT_EQ(test, 0U, mk.wait.mw_behind);
	/* The same again changes nothing, and notifies no node. */
	KUNIT_EXPECT_EQ(test, 0, mk_set("kunit.number", "7"));
	KUNIT_EXPECT_EQ(test, 0ULL, mk.change.mc_generation);
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, MK_DIR "permanent"));
	KUNIT_EXPECT_GT(test, client_rec_count(fx.client), 2U);
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, MK_DIR "changes"));
	KUNIT_EXPECT_GT(test, client_rec_count(fx.client), 0U);
}

static void a_dry_run_changes_nothing(struct kunit *test)
{
	u64 generation = mk_param("generation");

	KUNIT_EXPECT_EQ(test, 0, mk_change(MGS_SET_PARAM, MGS_CHANGE_DRY_RUN,
					   "kunit.number", "7"));
	KUNIT_EXPECT_GT(test, mk.change.mc_records, 0U);
	KUNIT_EXPECT_EQ(test, 0ULL, mk.change.mc_generation);
	KUNIT_EXPECT_EQ(test, generation, mk_param("generation"));
}

static void a_record_that_fails_is_told_to_who_waits(struct kunit *test)
{
	struct lustre_config_ack ack;

	mk_join(test, 0);
	mk_join(test, 1);
	mk_follow(test, 0, "params", CONFIG_T_PARAMS);
	mk_follow(test, 1, "params", CONFIG_T_PARAMS);
	KUNIT_EXPECT_EQ(test, 0, mk_force("no.such", "7"));
	ack = mk_ack_of("params", CONFIG_T_PARAMS, mk.change.mc_generation, 2);
	KUNIT_EXPECT_EQ(test, 0, mk_ack_send(0, &ack, "no such thing"));
	KUNIT_EXPECT_EQ(test, 0, mk_ack(1, "params", CONFIG_T_PARAMS,
					mk.change.mc_generation));
	KUNIT_EXPECT_EQ(test, 0, mk_wait(mk.change.mc_generation, 60000));
	KUNIT_EXPECT_EQ(test, 2U, mk.wait.mw_nodes);
	KUNIT_EXPECT_EQ(test, 1U, mk.wait.mw_failed);
	KUNIT_EXPECT_TRUE(test, strstr(mk.wait.mw_why, "no such thing"));
	KUNIT_EXPECT_TRUE(test, strstr(mk.wait.mw_why, "127.0.0.1@tcp"));
}

struct waiting {
	struct mgs_ioc_wait	wait;
	u64			generation;
	u32			ms;
};

static long wait_aside(void *arg)
{
	struct waiting *w = arg;
	struct client *c = client_open();
	long rc;

	if (!c)
		return -ENOMEM;
	rc = mk_wait_with(c, &w->wait, w->generation, w->ms);
	client_close(c);
	return rc;
}

/* Nodes that disconnect, or end their subscription, are not waited for. */
static void who_goes_is_not_waited_for(struct kunit *test)
{
	struct lustre_config_ack end;
	struct waiting w = { .ms = 60000 };
	struct aside aside;

	mk_join(test, 0);
	mk_join(test, 1);
	mk_join(test, 2);
	mk_follow(test, 0, "params", CONFIG_T_PARAMS);
	mk_follow(test, 1, "params", CONFIG_T_PARAMS);
	mk_follow(test, 2, "params", CONFIG_T_PARAMS);
	KUNIT_EXPECT_EQ(test, 0, mk_set("kunit.number", "8"));
	w.generation = mk.change.mc_generation;
	aside_start(test, &aside, wait_aside, &w);
	aside_await_sleep(test, &aside);
	end = mk_ack_of("params", CONFIG_T_PARAMS, 0, 0);
	end.ca_status = cpu_to_le32(CONFIG_ACK_END);
	KUNIT_EXPECT_EQ(test, 0, mk_ack_send(0, &end, NULL));
	KUNIT_EXPECT_EQ(test, 1U,
			obd_export_evict_by_uuid(mk.mgs,
						 mk.node[1].obd->obd_uuid.uuid,
						 NULL));
	KUNIT_EXPECT_FALSE(test, aside_is_done(&aside));
	mk_leave(test, 2);
	mk_leave(test, 1);
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_EQ(test, 0U, w.wait.mw_nodes);
}

static void a_service_that_stops_keeps_nobody_waiting(struct kunit *test)
{
	struct waiting w = { .ms = 3600000 };
	struct aside aside;

	mk_join(test, 0);
	mk_follow(test, 0, "params", CONFIG_T_PARAMS);
	KUNIT_EXPECT_EQ(test, 0, mk_set("kunit.number", "8"));
	w.generation = mk.change.mc_generation;
	aside_start(test, &aside, wait_aside, &w);
	aside_await_sleep(test, &aside);
	mk_service_end(test);
	KUNIT_EXPECT_EQ(test, (long)-ENODEV, aside_join(test, &aside));
}

/* Subscribers of a log without later changes have an older change. */
static void what_is_waited_for_is_what_changed(struct kunit *test)
{
	u64 first;

	mk_join(test, 0);
	mk_join(test, 1);
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, LDD_F_SV_TYPE_OST | LDD_F_VIRGIN,
					     0, "kunit"));
	mk_follow(test, 0, "params", CONFIG_T_PARAMS);
	mk_follow(test, 1, "kunit-client", CONFIG_T_CONFIG);
	KUNIT_EXPECT_EQ(test, 0, mk_set("kunit.number", "8"));
	first = mk.change.mc_generation;
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, LDD_F_SV_TYPE_OST | LDD_F_VIRGIN,
					     1, "kunit"));
	KUNIT_EXPECT_TRUE(test, mk_await_told(1, 1));
	KUNIT_EXPECT_EQ(test, -ETIMEDOUT, mk_wait(first, 0));
	KUNIT_EXPECT_EQ(test, 1U, mk.wait.mw_nodes);
	KUNIT_EXPECT_EQ(test, 0, mk_ack(0, "params", CONFIG_T_PARAMS, first));
	KUNIT_EXPECT_EQ(test, 0, mk_wait(first, 0));
	KUNIT_EXPECT_EQ(test, -ETIMEDOUT, mk_wait(first + 1, 0));
	KUNIT_EXPECT_EQ(test, -ETIMEDOUT, mk_wait(0, 0));
	KUNIT_EXPECT_EQ(test, 1U, mk.wait.mw_behind);
	KUNIT_EXPECT_EQ(test, -EINVAL, mk_wait(first + 1000, 0));
	KUNIT_EXPECT_TRUE(test, strstr(mk.wait.mw_why, "generation"));
}

static int told_in_all(void)
{
	unsigned int n;
	int all = 0;

	for (n = 0; n < MK_NODES; n++)
		all += atomic_read(&mk.node[n].told);
	return all;
}

/* One node at once, the others in waves of one each 50 ms; finally all. */
static void many_are_told_in_waves(struct kunit *test)
{
	unsigned long began;
	unsigned int n;

	KUNIT_EXPECT_EQ(test, 0L, mk_set_param("notify_first", "1"));
	KUNIT_EXPECT_EQ(test, 0L, mk_set_param("notify_rate", "2"));
	for (n = 0; n < MK_NODES; n++) {
		mk_join(test, n);
		mk_follow(test, n, "params", CONFIG_T_PARAMS);
	}
	KUNIT_EXPECT_GT(test, le32_to_cpu(mk.info.ci_jitter_ms), 0U);
	began = jiffies;
	KUNIT_EXPECT_EQ(test, 0, mk_set("kunit.number", "9"));
	for (n = 0; n < MK_NODES; n++)
		KUNIT_EXPECT_TRUE(test, mk_await_told(n, 1));
	/* Between the first and the last one there are two waves at least. */
	KUNIT_EXPECT_TRUE(test, time_after_eq(jiffies, began + HZ / 10));
	KUNIT_EXPECT_EQ(test, MK_NODES, told_in_all());
	/* A change while all locks are revoked is notified, too. */
	for (n = 0; n < MK_NODES; n++)
		mk_follow(test, n, "params", CONFIG_T_PARAMS);
	KUNIT_EXPECT_EQ(test, 0, mk_set("kunit.number", "10"));
	KUNIT_EXPECT_EQ(test, 0, mk_set("kunit.number", "11"));
	for (n = 0; n < MK_NODES; n++)
		KUNIT_EXPECT_TRUE(test, mk_await_told(n, 2));
	/* Once for each lock that they had. */
	KUNIT_EXPECT_EQ(test, 2 * MK_NODES, told_in_all());
}

/*
 * Trials.
 */

static void what_nobody_has_needs_force(struct kunit *test)
{
	u64 generation = mk_param("generation");

	KUNIT_EXPECT_EQ(test, -ENOENT, mk_set("no.such.*", "1"));
	KUNIT_EXPECT_TRUE(test, strstr(mk.change.mc_why, "--force"));
	KUNIT_EXPECT_EQ(test, -ERANGE, mk_set("kunit.number", "101"));
	KUNIT_EXPECT_NE(test, (char)0, mk.change.mc_why[0]);
	KUNIT_EXPECT_EQ(test, -EINVAL, mk_set("{a,b}.c", "1"));
	KUNIT_EXPECT_EQ(test, -EACCES, mk_set("mgs.MGS.generation", "1"));
	KUNIT_EXPECT_EQ(test, generation, mk_param("generation"));
	KUNIT_EXPECT_EQ(test, 0, mk_force("no.such.*", "1"));
	KUNIT_EXPECT_EQ(test, generation + 1, mk_param("generation"));
	KUNIT_EXPECT_EQ(test, 1U, mc_value);
}

/**
 * struct tried - a node that answers one trial
 * @n: node
 * @applied: its answer
 * @failed: ...
 * @status: ...
 * @why: ...
 * @name: the setting that it read
 */
struct tried {
	unsigned int	n;
	u32		applied;
	u32		failed;
	int		status;
	const char	*why;
	char		name[64];
};

static void trial_text(struct tried *t, int len)
{
	struct lcfg_view view;
	const char *why;

	if (lustre_cfg_decode(mk.log, len, &view, &why) ||
	    (view.command != LCFG_SET_PARAM && view.command != LCFG_PARAM))
		return;
	strscpy(t->name, lcfg_string(&view, 1) ?: "", sizeof(t->name));
}

static long answer_trial(void *arg)
{
	struct tried *t = arg;
	struct lustre_config_ack ack;
	int len;

	if (!mk_await_told(t->n, 1))
		return -ETIMEDOUT;
	len = mk_read_to(t->n, "params", CONFIG_T_TRIAL, 0, 0, 8192, mk.log);
	if (len <= 0)
		return len ?: -ENODATA;
	trial_text(t, len);
	ack = mk_ack_of("params", CONFIG_T_TRIAL,
			le64_to_cpu(mk.info.ci_generation), t->failed);
	ack.ca_applied = cpu_to_le32(t->applied);
	ack.ca_status = cpu_to_le32(t->status);
	return mk_ack_send(t->n, &ack, t->why);
}

/* Nodes that answer do so in time, also on a slow machine. */
static void join_trials(struct kunit *test, unsigned int n)
{
	KUNIT_EXPECT_EQ(test, 0L, mk_set_param("trial_wait", "60"));
	mk_join(test, n);
	mk_subscribe(test, n, "params", CONFIG_T_TRIAL);
	KUNIT_ASSERT_EQ(test, 0, mk_read_to(n, "params", CONFIG_T_TRIAL, 0, 0,
					    8192, mk.log));
}

static void a_node_may_take_what_is_not_here(struct kunit *test)
{
	struct tried t = { .applied = 3 };
	unsigned long began;
	struct aside aside;

	join_trials(test, 0);
	aside_start(test, &aside, answer_trial, &t);
	KUNIT_EXPECT_EQ(test, 0, mk_set("osc.far-*.away", "5"));
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_STREQ(test, "osc.far-*.away=5", t.name);
	/* An accepted pattern is not tried again: the node does not answer. */
	began = jiffies;
	KUNIT_EXPECT_EQ(test, 0, mk_set("osc.far-*.away", "6"));
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, began + 30 * HZ));
}

static void a_node_may_refuse_what_is_here(struct kunit *test)
{
	struct tried t = { .failed = 1, .status = -ERANGE,
			   .why = "at most 50" };
	u64 generation = mk_param("generation");
	struct aside aside;

	join_trials(test, 0);
	aside_start(test, &aside, answer_trial, &t);
	KUNIT_EXPECT_EQ(test, -ERANGE, mk_set("kunit.number", "60"));
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_TRUE(test, strstr(mk.change.mc_why, "at most 50"));
	KUNIT_EXPECT_TRUE(test, strstr(mk.change.mc_why, MK_NID));
	KUNIT_EXPECT_EQ(test, generation, mk_param("generation"));
}

/* A setting that matches no parameter may be for later devices; a refused one is not stored. */
static void a_conf_param_is_tried(struct kunit *test)
{
	struct tried t = { .applied = 0 };
	struct aside aside;
	u64 generation;

	join_trials(test, 0);
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, LDD_F_SV_TYPE_OST |
					     LDD_F_VIRGIN, 0, "kunit"));
	aside_start(test, &aside, answer_trial, &t);
	KUNIT_EXPECT_EQ(test, 0, mk_change(MGS_CONF_PARAM, 0,
					   "kunit-OST0000.osc.away", "5"));
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_STREQ(test, "osc.kunit-OST0000-osc*.away=5", t.name);
	generation = mk_param("generation");
	t = (struct tried){ .failed = 1, .status = -ERANGE,
			    .why = "at most 50" };
	mk_subscribe(test, 0, "params", CONFIG_T_TRIAL);
	atomic_set(&mk.node[0].told, 0);
	aside_start(test, &aside, answer_trial, &t);
	KUNIT_EXPECT_EQ(test, -ERANGE, mk_change(MGS_CONF_PARAM, 0,
						 "kunit-OST0000.osc.away", "60"));
	KUNIT_EXPECT_EQ(test, 0L, aside_join(test, &aside));
	KUNIT_EXPECT_TRUE(test, strstr(mk.change.mc_why, "at most 50"));
	KUNIT_EXPECT_TRUE(test, strstr(mk.change.mc_why, MK_NID));
	KUNIT_EXPECT_EQ(test, generation, mk_param("generation"));
	KUNIT_EXPECT_EQ(test, 0, mk_change(MGS_CONF_PARAM, MGS_CHANGE_FORCE,
					   "kunit-OST0000.osc.away", "60"));
	KUNIT_EXPECT_LT(test, generation, mk_param("generation"));
}

/* The wait for a node that does not answer is bounded. */
static void a_node_that_says_nothing_is_not_waited_for(struct kunit *test)
{
	unsigned long began = jiffies;

	join_trials(test, 0);
	KUNIT_EXPECT_EQ(test, 0L, mk_set_param("trial_wait", "1"));
	KUNIT_EXPECT_EQ(test, -ENOENT, mk_set("no.such.*", "1"));
	KUNIT_EXPECT_TRUE(test, strstr(mk.change.mc_why, "1 did not answer"));
	KUNIT_EXPECT_TRUE(test, time_after(jiffies, began + HZ / 2));
	/* And it is not that of the other cases. */
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, began + 40 * HZ));
	KUNIT_EXPECT_EQ(test, 0, mk_set("kunit.number", "12"));
	KUNIT_EXPECT_TRUE(test, strstr(mk.change.mc_why, "1 of 1"));
}

static long set_aside(void *arg)
{
	struct client *c = client_open();
	struct mgs_ioc_change *mc = kzalloc(sizeof(*mc), GFP_KERNEL);
	long rc = -ENOMEM;

	if (c && mc)
		rc = mk_change_with(c, mc, MGS_SET_PARAM, 0, "no.such", "1");
	if (c)
		client_close(c);
	kfree(mc);
	return rc;
}

static void a_service_that_stops_tries_no_more(struct kunit *test)
{
	struct aside aside;

	join_trials(test, 0);
	aside_start(test, &aside, set_aside, NULL);
	KUNIT_EXPECT_TRUE(test, mk_await_told(0, 1));
	mk_service_end(test);
	KUNIT_EXPECT_EQ(test, (long)-ENODEV, aside_join(test, &aside));
}

/*
 * /dev/libcfs.
 */

static const struct {
	u32		op;
	u32		flags;
	const char	*a;
	const char	*b;
	int		rc;
} bad_changes[] = {
	{ 0, 0, "a.b", "c", -EINVAL },
	{ 16, 0, "a.b", "c", -EINVAL },
	{ ~0U, 0, "a.b", "c", -EINVAL },
	{ MGS_SET_PARAM, 4, "a.b", "c", -EINVAL },
	{ MGS_SET_PARAM, 0, "a.b", NULL, -EINVAL },
	{ MGS_DEL_PARAM, 0, "a.b", "c", -EINVAL },
	{ MGS_DEL_PARAM, 0, "no.such", NULL, -ENOENT },
	{ MGS_DEL_OST, 0, "../x", NULL, -EINVAL },
};

static void changes_that_make_no_sense_are_refused(struct kunit *test)
{
	struct mgs_ioc_change mc = {
		.mc_hdr = CLIENT_HDR(mc), .mc_op = MGS_SET_PARAM,
	};
	u64 generation = mk_param("generation");
	size_t n;

	for (n = 0; n < ARRAY_SIZE(bad_changes); n++) {
		KUNIT_EXPECT_EQ_MSG(test, bad_changes[n].rc,
				    mk_change(bad_changes[n].op,
					      bad_changes[n].flags,
					      bad_changes[n].a,
					      bad_changes[n].b),
				    "change %zu", n);
		KUNIT_EXPECT_NE_MSG(test, (char)0, mk.change.mc_why[0],
				    "change %zu", n);
	}
	mc.mc_args_len = 5;
	KUNIT_EXPECT_EQ(test, -EFAULT, (int)client_call(fx.client,
							MGS_IOC_CHANGE, &mc,
							sizeof(mc)));
	mc.mc_args_len = MGS_CHANGE_ARGS_MAX + 1;
	KUNIT_EXPECT_EQ(test, -E2BIG, (int)client_call(fx.client,
						       MGS_IOC_CHANGE, &mc,
						       sizeof(mc)));
	KUNIT_EXPECT_EQ(test, generation, mk_param("generation"));
	KUNIT_EXPECT_EQ(test, -EINVAL, mk_wait(0, 3600001));
}

static void logs_are_listed(struct kunit *test)
{
	struct mgs_ioc_logs ml = {
		.logs_hdr = CLIENT_HDR(ml),
		.logs_buf = client_at(fx.client, CLIENT_BUF),
		.logs_max = 1,
	};
	struct mgs_log_info info;
	u64 size;

	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, LDD_F_SV_TYPE_OST | LDD_F_VIRGIN,
					     0, "kunit"));
	KUNIT_EXPECT_EQ(test, 0, mk_set("kunit.number", "5"));
	KUNIT_EXPECT_EQ(test, 0L, client_call(fx.client, MGS_IOC_LOGS, &ml,
					      sizeof(ml)));
	KUNIT_EXPECT_EQ(test, 3U, ml.logs_count);
	KUNIT_EXPECT_EQ(test, 0, client_get(fx.client, CLIENT_BUF, &info,
					    sizeof(info)));
	KUNIT_EXPECT_STREQ(test, "kunit-OST0000", info.li_name);
	KUNIT_EXPECT_EQ(test, (int)info.li_size,
			mk_ioc_read("kunit-OST0000", mk.log, &size));
	KUNIT_EXPECT_EQ(test, -ENOENT, mk_ioc_read("none", mk.log, &size));
	KUNIT_EXPECT_EQ(test, -EINVAL, mk_ioc_read("../x", mk.log, &size));
}

static struct kunit_case mgs_change_cases[] = {
	KUNIT_CASE(a_setting_is_stored_and_told),
	KUNIT_CASE(a_dry_run_changes_nothing),
	KUNIT_CASE(a_record_that_fails_is_told_to_who_waits),
	KUNIT_CASE(who_goes_is_not_waited_for),
	KUNIT_CASE(a_service_that_stops_keeps_nobody_waiting),
	KUNIT_CASE(what_is_waited_for_is_what_changed),
	KUNIT_CASE(many_are_told_in_waves),
	KUNIT_CASE(what_nobody_has_needs_force),
	KUNIT_CASE(a_node_may_take_what_is_not_here),
	KUNIT_CASE(a_node_may_refuse_what_is_here),
	KUNIT_CASE(a_conf_param_is_tried),
	KUNIT_CASE(a_node_that_says_nothing_is_not_waited_for),
	KUNIT_CASE(a_service_that_stops_tries_no_more),
	KUNIT_CASE(changes_that_make_no_sense_are_refused),
	KUNIT_CASE(logs_are_listed),
	{}
};

static struct kunit_suite mgs_change_suite = {
	.name = "mgs_change",
	.suite_init = mk_suite_init,
	.init = mc_init,
	.exit = mk_exit,
	.test_cases = mgs_change_cases,
};
kunit_test_suite(mgs_change_suite);

MODULE_DESCRIPTION("changes of the configuration");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
