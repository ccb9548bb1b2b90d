// SPDX-License-Identifier: GPL-2.0-only
/*
 * The management service: permission to start it, registration of targets, logs and tables of
 * NIDs that are read in parts, and invalid requests.
 *
 * Every: 2
 */
#include "mgs_fixture.h"

#define OST	LDD_F_SV_TYPE_OST
#define MDT	LDD_F_SV_TYPE_MDT
#define NEW	LDD_F_VIRGIN

static int start_another(struct kunit *test, const char *name,
			 const char *dir, struct obd_why *why)
{
	struct obd_device *obd = ty_attach(test, "mgs", name, "MGS");
	int rc;

	why->text[0] = '\0';
	rc = ty_setup(obd, dir, NULL, why);
	kt_end(test, obd);
	return rc;
}

static void a_node_has_one_service_over_a_directory(struct kunit *test)
{
	struct obd_why why;

	KUNIT_EXPECT_EQ(test, -EEXIST,
			start_another(test, "MGS2", "/tmp", &why));
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "already, MGS"));
	mk_service_end(test);
	KUNIT_EXPECT_EQ(test, -ENOENT,
			start_another(test, "MGS2", "/tmp/mgs_none", &why));
	KUNIT_EXPECT_TRUE(test, strstr(why.text, "/tmp/mgs_none"));
	KUNIT_EXPECT_EQ(test, -ENOENT, start_another(test, "MGS2", NULL, &why));
	KUNIT_EXPECT_EQ(test, -ENODEV, mk_set("timeout", "20"));
	mk_service_start(test);
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, MK_DIR "mntdev"));
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, mk.dir));
}

/* The log equals that of the service, with parts of any size. */
static void a_log_is_read_in_parts(struct kunit *test)
{
	static const u32 rooms[] = { WIRE_CONFIG_MAX, 4000, 8192, 999999 };
	u8 *whole = kvzalloc(MK_LOG_MAX, GFP_KERNEL);
	u64 size = 0;
	size_t n;
	int len;

	KUNIT_ASSERT_NOT_NULL(test, whole);
	mk_join(test, 0);
	KUNIT_ASSERT_EQ(test, 0, mk_register(0, OST | NEW, 0, "kunit"));
	len = mk_ioc_read("kunit-client", whole, &size);
	KUNIT_EXPECT_GT(test, len, 8192);
	KUNIT_EXPECT_EQ(test, (u64)len, size);
	for (n = 0; n < ARRAY_SIZE(rooms); n++) {
		KUNIT_EXPECT_EQ(test, len, mk_read(0, "kunit-client",
						   CONFIG_T_CONFIG, rooms[n]));
		KUNIT_EXPECT_EQ(test, 0, memcmp(whole, mk.log, len));
		KUNIT_EXPECT_EQ(test, mk_param("generation"),
				le64_to_cpu(mk.info.ci_generation));
	}
	/* A reader that is up to date gets nothing; one of another epoch gets all. */
	KUNIT_EXPECT_EQ(test, 0,
			mk_read_to(0, "kunit-client", CONFIG_T_CONFIG,
				   le64_to_cpu(mk.info.ci_epoch), len, 4096,
				   mk.log));
	KUNIT_EXPECT_EQ(test, 4096,
			mk_read_to(0, "kunit-client", CONFIG_T_CONFIG, 77777,
				   len, 4096, mk.log));
	KUNIT_EXPECT_EQ(test, 0ULL, le64_to_cpu(mk.info.ci_offset));
	kvfree(whole);
}

/* A log that does not exist yet may be followed. */
static void a_log_that_is_missing_is_empty(struct kunit *test)
{
	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, 0, mk_read(0, "params", CONFIG_T_PARAMS, 4096));
	KUNIT_EXPECT_EQ(test, 0ULL, le64_to_cpu(mk.info.ci_epoch));
	KUNIT_EXPECT_EQ(test, 0ULL, le64_to_cpu(mk.info.ci_size));
	KUNIT_EXPECT_EQ(test, 0, mk_read(0, "none-client", CONFIG_T_CONFIG,
					 4096));
	KUNIT_EXPECT_EQ(test, 0, mk_read(0, "none", CONFIG_T_RECOVER, 4096));
	KUNIT_EXPECT_EQ(test, 0ULL, le64_to_cpu(mk.info.ci_epoch));
	KUNIT_EXPECT_EQ(test, 0, mk_read(0, "params", CONFIG_T_TRIAL, 4096));
	KUNIT_EXPECT_EQ(test, 0ULL, le64_to_cpu(mk.info.ci_epoch));
}

static void a_target_gets_its_names(struct kunit *test)
{
	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, MDT | NEW, 0, "kunit"));
	KUNIT_EXPECT_STREQ(test, "kunit-MDT0000", mk.target.wt_svname);
	KUNIT_EXPECT_STREQ(test, "kunit-MDT0000_UUID", mk.target.wt_uuid);
	KUNIT_EXPECT_EQ(test, 0,
			mk_register(0, OST | NEW | LDD_F_NEED_INDEX,
				    LDD_INDEX_NONE, "kunit"));
	KUNIT_EXPECT_STREQ(test, "kunit-OST0000", mk.target.wt_svname);
	KUNIT_EXPECT_EQ(test, (u32)OST, le32_to_cpu(mk.target.wt_flags));
	/* Another target registers as new, with the same index. */
	mk.key = 0x22;
	KUNIT_EXPECT_EQ(test, -EACCES, mk_register(0, OST | NEW, 0, "kunit"));
	mk.key = 0;
	KUNIT_EXPECT_NE(test, (char)0, mk.why[0]);
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, MK_DIR "filesystems"));
	KUNIT_EXPECT_TRUE(test, client_text_is(fx.client, "kunit"));
	KUNIT_EXPECT_EQ(test, 0L, client_read(fx.client, MK_DIR "live/kunit"));
	KUNIT_EXPECT_EQ(test, 1L, client_count(fx.client, "mgs/MGS/live"));
}

static void new_targets_may_be_kept_out(struct kunit *test)
{
	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 0, "kunit"));
	KUNIT_EXPECT_EQ(test, 0L, mk_set_param("allow_register", "0"));
	KUNIT_EXPECT_EQ(test, -EACCES, mk_register(0, OST | NEW, 1, "kunit"));
	KUNIT_EXPECT_TRUE(test, strstr(mk.why, "allow_register"));
	/* A known target starts again. */
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST, 0, "kunit"));
	KUNIT_EXPECT_EQ(test, 0L, mk_set_param("allow_register", "1"));
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 1, "kunit"));
}

static u64 mk_generation(const char *log)
{
	return mk_read(0, log, CONFIG_T_CONFIG, WIRE_CONFIG_MAX) > 0 ?
	       le64_to_cpu(mk.info.ci_generation) : 0;
}

/* It registered, and lost the connection before the answer: it gets its names again. */
static void a_target_is_known_by_its_identity(struct kunit *test)
{
	u64 generation;

	mk_join(test, 0);
	mk.id = "3f2a9c64-51d7-4e08-9b1c-6a0d2e7f8351";
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 1, "kunit"));
	KUNIT_EXPECT_EQ(test, 0L, mk_set_param("allow_register", "0"));
	generation = mk_generation("kunit-client");
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 1, "kunit"));
	KUNIT_EXPECT_EQ(test, 0,
			mk_register(0, OST | NEW | LDD_F_NEED_INDEX,
				    LDD_INDEX_NONE, "kunit"));
	KUNIT_EXPECT_STREQ(test, "kunit-OST0001", mk.target.wt_svname);
	KUNIT_EXPECT_EQ(test, 1U, le32_to_cpu(mk.target.wt_index));
	KUNIT_EXPECT_EQ(test, (u32)OST, le32_to_cpu(mk.target.wt_flags));
	KUNIT_EXPECT_EQ(test, generation, mk_generation("kunit-client"));
	mk.id = "3f2a9c64-51d7-4e08-9b1c-6a0d2e7f8352";
	KUNIT_EXPECT_EQ(test, -EADDRINUSE, mk_register(0, OST | NEW, 1, "kunit"));
	KUNIT_EXPECT_EQ(test, 0L, mk_set_param("allow_register", "1"));
	KUNIT_EXPECT_EQ(test, -EADDRINUSE, mk_register(0, OST | NEW, 1, "kunit"));
	KUNIT_EXPECT_TRUE(test, strstr(mk.why, "replace_target kunit-OST0001"));
	/* With replace_target it takes the place. */
	KUNIT_EXPECT_EQ(test, 0, mk_change(MGS_REPLACE_TARGET, 0,
					   "kunit-OST0001", NULL));
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 1, "kunit"));
	mk.id = "3f2a9c64-51d7-4e08-9b1c-6a0d2e7f8351";
	KUNIT_EXPECT_EQ(test, -EADDRINUSE, mk_register(0, OST, 1, "kunit"));
	mk.id = "an identity that does not end within the field";
	KUNIT_EXPECT_EQ(test, -EINVAL, mk_register(0, OST | NEW, 2, "kunit"));
	mk.id = NULL;
}

/* Readers identify a log by a generation of this directory only. */
static void an_epoch_is_of_its_directory(struct kunit *test)
{
	u64 epoch;

	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 0, "kunit"));
	KUNIT_EXPECT_GT(test, mk_read(0, "kunit-client", CONFIG_T_CONFIG, 4096),
			0);
	epoch = le64_to_cpu(mk.info.ci_epoch);
	KUNIT_EXPECT_EQ(test, 1U, lower_32_bits(epoch));
	KUNIT_EXPECT_NE(test, 0U, upper_32_bits(epoch));
	KUNIT_EXPECT_EQ(test, 4096,
			mk_read_to(0, "kunit-client", CONFIG_T_CONFIG,
				   epoch ^ (1ULL << 40), 8192, 4096, mk.log));
	KUNIT_EXPECT_EQ(test, 0ULL, le64_to_cpu(mk.info.ci_offset));
	mk_leave(test, 0);
	mk_service_end(test);
	mk_service_start(test);
	mk_join(test, 0);
	KUNIT_EXPECT_GT(test, mk_read(0, "kunit-client", CONFIG_T_CONFIG, 4096),
			0);
	KUNIT_EXPECT_EQ(test, epoch, le64_to_cpu(mk.info.ci_epoch));
}

static const struct lustre_nidtbl *entry_at(u32 n)
{
	const struct lustre_nidtbl *entry = (const void *)mk.log;

	while (n--)
		entry = (const void *)entry + le32_to_cpu(entry->nt_len);
	return entry;
}

static void a_start_is_a_version_of_the_table(struct kunit *test)
{
	int one = sizeof(struct lustre_nidtbl) + sizeof(struct lustre_nid);

	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, MDT | NEW, 0, "kunit"));
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 3, "kunit"));
	mk_subscribe(test, 0, "kunit", CONFIG_T_RECOVER);
	KUNIT_EXPECT_EQ(test, 2 * one,
			mk_read_to(0, "kunit", CONFIG_T_RECOVER, 0, 0, 4096,
				   mk.log));
	KUNIT_EXPECT_EQ(test, 2ULL, le64_to_cpu(mk.info.ci_generation));
	KUNIT_EXPECT_EQ(test, 3U, le32_to_cpu(entry_at(1)->nt_index));
	KUNIT_EXPECT_EQ(test, (u8)LL_NIDTBL_OST, entry_at(1)->nt_type);
	KUNIT_EXPECT_EQ(test, 0, mk_ack(0, "kunit", CONFIG_T_RECOVER, 2));
	/* The MDT starts again: only its entry is new, and nodes are notified. */
	KUNIT_EXPECT_EQ(test, 0,
			mk_register_at(0, MDT, 0, "kunit", 2, "", 1));
	KUNIT_EXPECT_TRUE(test, mk_await_told(0, 1));
	KUNIT_EXPECT_EQ(test, one,
			mk_read_to(0, "kunit", CONFIG_T_RECOVER,
				   le64_to_cpu(mk.info.ci_epoch), 2, 4096,
				   mk.log));
	KUNIT_EXPECT_EQ(test, 3ULL, le64_to_cpu(entry_at(0)->nt_version));
	KUNIT_EXPECT_EQ(test, 2U, le32_to_cpu(entry_at(0)->nt_instance));
	KUNIT_EXPECT_EQ(test, 0, mk_ack(0, "kunit", CONFIG_T_RECOVER, 3));
	/* A reader of a table of another directory gets the whole table. */
	KUNIT_EXPECT_EQ(test, 2 * one,
			mk_read_to(0, "kunit", CONFIG_T_RECOVER, 1, 2, 4096,
				   mk.log));
	/* In parts: the oldest first. */
	KUNIT_EXPECT_EQ(test, one,
			mk_read_to(0, "kunit", CONFIG_T_RECOVER, 1, 0, one + 1,
				   mk.log));
	KUNIT_EXPECT_EQ(test, 2ULL, le64_to_cpu(entry_at(0)->nt_version));
	KUNIT_EXPECT_EQ(test, -EOVERFLOW,
			mk_read_to(0, "kunit", CONFIG_T_RECOVER, 1, 0, one - 1,
				   mk.log));
}

static void the_table_outlives_the_service(struct kunit *test)
{
	int one = sizeof(struct lustre_nidtbl) + sizeof(struct lustre_nid);
	char before[256];

	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 0, "kunit"));
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 1, "kunit"));
	KUNIT_EXPECT_EQ(test, 0,
			mk_register_at(0, OST, 0, "kunit", 7, "", 2));
	KUNIT_EXPECT_EQ(test, 2 * one + (int)sizeof(struct lustre_nid),
			mk_read_to(0, "kunit", CONFIG_T_RECOVER, 0, 0, 4096,
				   before));
	mk_leave(test, 0);
	mk_service_end(test);
	mk_service_start(test);
	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, 2 * one + (int)sizeof(struct lustre_nid),
			mk_read_to(0, "kunit", CONFIG_T_RECOVER, 0, 0, 4096,
				   mk.log));
	KUNIT_EXPECT_EQ(test, 3ULL, le64_to_cpu(mk.info.ci_generation));
	KUNIT_EXPECT_EQ(test, 0, memcmp(before, mk.log, 2 * one +
					sizeof(struct lustre_nid)));
	KUNIT_EXPECT_EQ(test, 2ULL, le64_to_cpu(entry_at(0)->nt_version));
	KUNIT_EXPECT_EQ(test, 7U, le32_to_cpu(entry_at(1)->nt_instance));
	/* And goes on. */
	KUNIT_EXPECT_EQ(test, 0, mk_register_at(0, OST, 1, "kunit", 2, "", 1));
	KUNIT_EXPECT_EQ(test, one,
			mk_read_to(0, "kunit", CONFIG_T_RECOVER,
				   le64_to_cpu(mk.info.ci_epoch), 3, 4096,
				   mk.log));
}

/* Clients that connect later are not told of a target that was deleted. */
static void a_deleted_target_leaves_the_table(struct kunit *test)
{
	int one = sizeof(struct lustre_nidtbl) + sizeof(struct lustre_nid);

	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 0, "kunit"));
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 1, "kunit"));
	mk_subscribe(test, 0, "kunit", CONFIG_T_RECOVER);
	KUNIT_EXPECT_EQ(test, 2 * one,
			mk_read_to(0, "kunit", CONFIG_T_RECOVER, 0, 0, 4096, mk.log));
	KUNIT_EXPECT_EQ(test, 0, mk_change(MGS_DEL_OST, 0, "kunit-OST0000", NULL));
	KUNIT_EXPECT_EQ(test, one,
			mk_read_to(0, "kunit", CONFIG_T_RECOVER, 0, 0, 4096, mk.log));
	KUNIT_EXPECT_EQ(test, 1U, le32_to_cpu(entry_at(0)->nt_index));
	/* The whole file system. */
	KUNIT_EXPECT_EQ(test, 0, mk_change(MGS_ERASE_LCFG, 0, "kunit", NULL));
	KUNIT_EXPECT_EQ(test, 0,
			mk_read_to(0, "kunit", CONFIG_T_RECOVER, 0, 0, 4096, mk.log));
}

/* Versions of the table, and the history of changes, outlive the service. */
static void a_service_starts_again_where_it_was(struct kunit *test)
{
	u64 generation;

	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 0, "kunit"));
	KUNIT_EXPECT_EQ(test, 0, mk_register_at(0, OST, 0, "kunit", 2, "", 1));
	generation = mk_param("generation");
	mk_leave(test, 0);
	mk_service_end(test);
	mk_service_start(test);
	KUNIT_EXPECT_EQ(test, generation, mk_param("generation"));
	KUNIT_EXPECT_EQ(test, 1L, client_count(fx.client, "mgs/MGS/live"));
	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, 0, mk_register_at(0, OST, 0, "kunit", 3, "", 1));
	KUNIT_EXPECT_GT(test, mk_read_to(0, "kunit", CONFIG_T_RECOVER, 0, 0,
					 4096, mk.log), 0);
	KUNIT_EXPECT_EQ(test, 3ULL, le64_to_cpu(mk.info.ci_generation));
}

static const struct {
	const char	*name;
	u32		type;
	int		rc;
} bad_reads[] = {
	{ "", CONFIG_T_CONFIG, -EINVAL },
	{ "../mgs_state", CONFIG_T_CONFIG, -EINVAL },
	{ "kunit/client", CONFIG_T_CONFIG, -EINVAL },
	{ "a..-client", CONFIG_T_CONFIG, -EINVAL },
	{ ".-client", CONFIG_T_CONFIG, -EINVAL },
	{ "kunit client", CONFIG_T_CONFIG, -EINVAL },
	{ "kunit\377-client", CONFIG_T_CONFIG, -EINVAL },
	{ "muchtoolong-client", CONFIG_T_CONFIG, -EINVAL },
	{ "0123456789012345678901234567890123456789012345678901234567890123",
	  CONFIG_T_CONFIG, -EINVAL },
	{ "kunit-client", CONFIG_T_PARAMS, -EINVAL },
	{ "kunit-client", CONFIG_T_TRIAL, -EINVAL },
	{ "kunit-client", CONFIG_T_RECOVER, -EINVAL },
	{ "muchtoolong", CONFIG_T_RECOVER, -EINVAL },
	{ "kunit-client", 1, -EOPNOTSUPP },
	{ "kunit-client", ~0U, -EOPNOTSUPP },
};

static void reads_that_make_no_sense_are_refused(struct kunit *test)
{
	size_t n;

	mk_join(test, 0);
	for (n = 0; n < ARRAY_SIZE(bad_reads); n++)
		KUNIT_EXPECT_EQ_MSG(test, bad_reads[n].rc,
				    mk_read_to(0, bad_reads[n].name,
					       bad_reads[n].type, 0, 0, 4096,
					       mk.log), "%s",
				    bad_reads[n].name);
	/* An offset after the end reads from the start; a reader without a buffer gets nothing. */
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 0, "kunit"));
	KUNIT_EXPECT_EQ(test, 0, mk_read_to(0, "kunit-client", CONFIG_T_CONFIG,
					    0, 0, 0, mk.log));
	KUNIT_EXPECT_EQ(test, 100,
			mk_read_to(0, "kunit-client", CONFIG_T_CONFIG,
				   le64_to_cpu(mk.info.ci_epoch), ~0ULL, 100,
				   mk.log));
	KUNIT_EXPECT_EQ(test, 0ULL, le64_to_cpu(mk.info.ci_offset));
}

static void acks_that_make_no_sense_are_refused(struct kunit *test)
{
	struct lustre_config_ack ack = mk_ack_of("kunit-client",
						 CONFIG_T_CONFIG, 1, 0);
	struct obd_export *exp;

	mk_join(test, 0);
	exp = mk.node[0].exp;
	KUNIT_EXPECT_EQ(test, -EPROTO,
			obd_set_info_async(exp, CONFIG_ACK_KEY, &ack,
					   sizeof(ack) - 1));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			obd_set_info_async(exp, "config", &ack, sizeof(ack)));
	ack.ca_status = cpu_to_le32(5);
	KUNIT_EXPECT_EQ(test, -EPROTO, mk_ack_send(0, &ack, NULL));
	ack.ca_status = cpu_to_le32((u32)-100000);
	KUNIT_EXPECT_EQ(test, -EPROTO, mk_ack_send(0, &ack, "text"));
	ack.ca_status = 0;
	ack.ca_type = cpu_to_le32(77);
	KUNIT_EXPECT_EQ(test, -ENOENT, mk_ack_send(0, &ack, "text"));
	ack = mk_ack_of("../x", CONFIG_T_CONFIG, 1, 0);
	KUNIT_EXPECT_EQ(test, -EINVAL, mk_ack_send(0, &ack, NULL));
	ack = mk_ack_of("kunit-client", CONFIG_T_CONFIG, ~0ULL, 3);
	KUNIT_EXPECT_EQ(test, -ENOENT, mk_ack_send(0, &ack, NULL));
	/* Acknowledgement of an existing, followed log, with an invalid text. */
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 0, "kunit"));
	KUNIT_EXPECT_GT(test, mk_read(0, "kunit-client", CONFIG_T_CONFIG, 4096),
			0);
	KUNIT_EXPECT_EQ(test, 0, mk_ack_send(0, &ack, "\033[2J\001\377"));
}

/* The number of subscriptions of a node is limited. */
static void a_node_follows_so_many_logs(struct kunit *test)
{
	char name[32];
	int n, rc = 0;

	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 0, "kunit"));
	for (n = 0; n < 300 && rc >= 0; n++) {
		scnprintf(name, sizeof(name), "kunit-OST%04x", n);
		rc = mk_read_to(0, name, CONFIG_T_CONFIG, 0, 0, 4096, mk.log);
	}
	KUNIT_EXPECT_EQ(test, -E2BIG, rc);
	KUNIT_EXPECT_EQ(test, 257, n);
}

/* All connections of a NID together have a limit; those of other NIDs do not count. */
static void a_nid_follows_so_many_logs(struct kunit *test)
{
	unsigned int node, log, count = 0;
	char name[32];
	int rc = 0;

	for (node = 0; node < 17; node++)
		mk_join(test, node);
	mk_join_at(test, 17, "::1@tcp");
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 0, "kunit"));
	for (node = 0; node < 17 && rc >= 0; node++) {
		for (log = 0; log < 256 && rc >= 0; log++, count++) {
			scnprintf(name, sizeof(name), "kunit-OST%04x", log);
			rc = mk_read_to(node, name, CONFIG_T_CONFIG, 0, 0, 4096, mk.log);
		}
	}
	KUNIT_EXPECT_EQ(test, -E2BIG, rc);
	KUNIT_EXPECT_EQ(test, 4097U, count);
	KUNIT_EXPECT_LE(test, 0, mk_read_to(17, "kunit-client", CONFIG_T_CONFIG, 0, 0, 4096,
					    mk.log));
	/* A connection that ends gives its part back. */
	mk_leave(test, 0);
	KUNIT_EXPECT_LE(test, 0, mk_read_to(16, "kunit-client", CONFIG_T_CONFIG, 0, 0, 4096,
					    mk.log));
}

/* Requests with made-up names are answered, and take no memory of the service. */
static void what_is_not_there_is_not_followed(struct kunit *test)
{
	char name[32];
	int n, rc = 0;

	mk_join(test, 0);
	for (n = 0; n < 300 && !rc; n++) {
		scnprintf(name, sizeof(name), "fs%d-client", n);
		rc = mk_read_to(0, name, CONFIG_T_CONFIG, 0, 0, 4096, mk.log);
	}
	KUNIT_EXPECT_EQ(test, 0, rc);
	KUNIT_EXPECT_EQ(test, -ENOENT, mk_ack(0, "fs1-client", CONFIG_T_CONFIG,
					      0));
	KUNIT_EXPECT_EQ(test, 0, mk_read(0, "fs1", CONFIG_T_RECOVER, 4096));
	KUNIT_EXPECT_EQ(test, -ENOENT, mk_ack(0, "fs1", CONFIG_T_RECOVER, 0));
	/* A future log of an existing file system. */
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 0, "kunit"));
	KUNIT_EXPECT_EQ(test, 0, mk_read(0, "kunit-MDT0000", CONFIG_T_CONFIG,
					 4096));
	KUNIT_EXPECT_EQ(test, 0, mk_ack(0, "kunit-MDT0000", CONFIG_T_CONFIG,
					le64_to_cpu(mk.info.ci_generation)));
}

static void the_same_start_is_registered_once(struct kunit *test)
{
	u64 generation;

	mk_join(test, 0);
	mk_join(test, 1);
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST | NEW, 0, "kunit"));
	mk_follow(test, 1, "kunit", CONFIG_T_RECOVER);
	generation = mk_param("generation");
	KUNIT_EXPECT_EQ(test, 0, mk_register(0, OST, 0, "kunit"));
	KUNIT_EXPECT_EQ(test, 0, mk_register(1, OST, 0, "kunit"));
	KUNIT_EXPECT_EQ(test, generation, mk_param("generation"));
	KUNIT_EXPECT_GT(test, mk_read(1, "kunit", CONFIG_T_RECOVER, 4096), 0);
	KUNIT_EXPECT_EQ(test, 1ULL, le64_to_cpu(mk.info.ci_generation));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&mk.node[1].told));
	/* Another start is told. */
	KUNIT_EXPECT_EQ(test, 0, mk_register_at(0, OST, 0, "kunit", 2, "", 1));
	KUNIT_EXPECT_TRUE(test, mk_await_told(1, 1));
}

static int mk_stop(unsigned int n, const char *svname, u32 instance)
{
	struct lustre_target_stop ts = { .stop_instance = cpu_to_le32(instance) };

	strscpy(ts.stop_svname, svname, sizeof(ts.stop_svname));
	return obd_set_info_async(mk.node[n].exp, TARGET_STOP_KEY, &ts,
				  sizeof(ts));
}

static void a_second_start_elsewhere_is_refused(struct kunit *test)
{
	mk_join(test, 0);
	/* Another node, for the service. */
	mk_join_at(test, 1, "::1@tcp");
	KUNIT_EXPECT_EQ(test, 0, mk_register_at(0, OST | NEW, 0, "kunit", 1,
						"", 1));
	KUNIT_EXPECT_EQ(test, -EBUSY, mk_register_at(1, OST, 0, "kunit", 2,
						     "", 1));
	KUNIT_EXPECT_TRUE(test, strstr(mk.why, "kunit-OST0000 is in service at 127.0.0.1@tcp since 20"));
	/* A restart of the first one. */
	KUNIT_EXPECT_EQ(test, 0, mk_register_at(0, OST, 0, "kunit", 3, "", 1));
	/* Only the node that runs it can report its stop. */
	KUNIT_EXPECT_EQ(test, -ENOENT, mk_stop(1, "kunit-OST0000", 3));
	KUNIT_EXPECT_EQ(test, -ENOENT, mk_stop(0, "kunit-OST0000", 1));
	KUNIT_EXPECT_EQ(test, -EBUSY, mk_register_at(1, OST, 0, "kunit", 4,
						     "", 1));
	KUNIT_EXPECT_EQ(test, 0, mk_stop(0, "kunit-OST0000", 3));
	KUNIT_EXPECT_EQ(test, 0, mk_register_at(1, OST, 0, "kunit", 5, "", 1));
	/* Its node disconnects: the target may start again. */
	KUNIT_EXPECT_EQ(test, -EBUSY, mk_register_at(0, OST, 0, "kunit", 6,
						     "", 1));
	mk_leave(test, 1);
	KUNIT_EXPECT_EQ(test, 0, mk_register_at(0, OST, 0, "kunit", 7, "", 1));
}

/* The service restarts: the same node may register first, unless the target had stopped. */
static void a_restart_does_not_let_a_copy_in(struct kunit *test)
{
	u64 cursor = 0;

	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, 0, mk_register_at(0, OST | NEW, 0, "kunit", 1,
						"", 1));
	mk_leave(test, 0);
	mk_service_end(test);
	mk_service_start(test);
	mk_join_at(test, 1, "::1@tcp");
	KUNIT_EXPECT_EQ(test, -EBUSY, mk_register_at(1, OST, 0, "kunit", 2,
						     "", 1));
	KUNIT_EXPECT_TRUE(test, strstr(mk.why, "kunit-OST0000 was in service at 127.0.0.1@tcp before"));
	/* Its node tries that start again, which is not logged again; another start is. */
	KUNIT_EXPECT_GE(test, client_log_count(fx.client, &cursor, "is refused"), 1);
	KUNIT_EXPECT_EQ(test, -EBUSY, mk_register_at(1, OST, 0, "kunit", 2,
						     "", 1));
	KUNIT_EXPECT_EQ(test, client_log_count(fx.client, &cursor, "is refused"), 0);
	KUNIT_EXPECT_EQ(test, -EBUSY, mk_register_at(1, OST, 0, "kunit", 6,
						     "", 1));
	KUNIT_EXPECT_EQ(test, client_log_count(fx.client, &cursor, "is refused"), 1);
	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, 0, mk_register_at(0, OST, 0, "kunit", 3, "", 1));
	KUNIT_EXPECT_EQ(test, 0, mk_stop(0, "kunit-OST0000", 3));
	mk_leave(test, 1);
	mk_leave(test, 0);
	mk_service_end(test);
	mk_service_start(test);
	mk_join_at(test, 1, "::1@tcp");
	KUNIT_EXPECT_EQ(test, 0, mk_register_at(1, OST, 0, "kunit", 4, "", 1));
	/* It registered with this service, and its node has disconnected. */
	mk_leave(test, 1);
	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, 0, mk_register_at(0, OST, 0, "kunit", 5, "", 1));
}

static void stops_that_make_no_sense_are_refused(struct kunit *test)
{
	struct lustre_target_stop ts = {};

	mk_join(test, 0);
	KUNIT_EXPECT_EQ(test, -EPROTO,
			obd_set_info_async(mk.node[0].exp, TARGET_STOP_KEY, &ts,
					   sizeof(ts) - 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, mk_stop(0, "", 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, mk_stop(0, "../x", 1));
	memset(ts.stop_svname, 'x', sizeof(ts.stop_svname));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			obd_set_info_async(mk.node[0].exp, TARGET_STOP_KEY, &ts,
					   sizeof(ts)));
	KUNIT_EXPECT_EQ(test, -ENOENT, mk_stop(0, "kunit-OST0000", 1));
}

/* The number of each NID is limited, over all its connections. */
static void a_nid_registers_so_often(struct kunit *test)
{
	int n, rc = 0;

	mk_join(test, 0);
	for (n = 0; n < 2000 && rc != -EAGAIN; n++) {
		rc = mk_register(0, OST, 7, "kunit");
		if (n == 100) {
			mk_leave(test, 0);
			mk_join(test, 0);
		}
	}
	KUNIT_EXPECT_EQ(test, -EAGAIN, rc);
	KUNIT_EXPECT_GE(test, n, 256);
	KUNIT_EXPECT_TRUE(test, strstr(mk.why, "too often"));
}

static const struct {
	const char	*fsname;
	const char	*params;
	u32		flags;
	u32		index;
	unsigned int	nids;
	int		rc;
} bad_targets[] = {
	{ "", "", OST | NEW, 0, 1, -EINVAL },
	{ "../../x", "", OST | NEW, 0, 1, -EINVAL },
	{ "toolongfs", "", OST | NEW, 0, 1, -EINVAL },
	{ "1kunit", "", OST | NEW, 0, 1, -EINVAL },
	{ "kunit", "", NEW, 0, 1, -EINVAL },
	{ "kunit", "", OST | MDT | NEW, 0, 1, -EINVAL },
	{ "kunit", "", OST | NEW, 0x10000, 1, -EINVAL },
	{ "kunit", "", OST | NEW, 0, 0, -EINVAL },
	{ "kunit", "", OST | NEW, 0, 33, -EINVAL },
	{ "kunit", "", OST, 0, 1, -ENOENT },
};

static void targets_that_make_no_sense_are_refused(struct kunit *test)
{
	u64 generation = mk_param("generation");
	size_t n;

	mk_join(test, 0);
	for (n = 0; n < ARRAY_SIZE(bad_targets); n++) {
		KUNIT_EXPECT_EQ_MSG(test, bad_targets[n].rc,
				    mk_register_at(0, bad_targets[n].flags,
						   bad_targets[n].index,
						   bad_targets[n].fsname, 1,
						   bad_targets[n].params,
						   bad_targets[n].nids),
				    "target %zu", n);
		KUNIT_EXPECT_NE_MSG(test, (char)0, mk.why[0], "target %zu", n);
	}
	KUNIT_EXPECT_EQ(test, generation, mk_param("generation"));
	KUNIT_EXPECT_EQ(test, 0L, client_count(fx.client, "mgs/MGS/live"));
}

static struct kunit_case mgs_cases[] = {
	KUNIT_CASE(a_node_has_one_service_over_a_directory),
	KUNIT_CASE(a_log_is_read_in_parts),
	KUNIT_CASE(a_log_that_is_missing_is_empty),
	KUNIT_CASE(a_target_gets_its_names),
	KUNIT_CASE(new_targets_may_be_kept_out),
	KUNIT_CASE(a_target_is_known_by_its_identity),
	KUNIT_CASE(an_epoch_is_of_its_directory),
	KUNIT_CASE(a_start_is_a_version_of_the_table),
	KUNIT_CASE(the_table_outlives_the_service),
	KUNIT_CASE(a_deleted_target_leaves_the_table),
	KUNIT_CASE(a_service_starts_again_where_it_was),
	KUNIT_CASE(reads_that_make_no_sense_are_refused),
	KUNIT_CASE(acks_that_make_no_sense_are_refused),
	KUNIT_CASE(a_node_follows_so_many_logs),
	KUNIT_CASE(a_nid_follows_so_many_logs),
	KUNIT_CASE(what_is_not_there_is_not_followed),
	KUNIT_CASE(the_same_start_is_registered_once),
	KUNIT_CASE(a_second_start_elsewhere_is_refused),
	KUNIT_CASE(a_restart_does_not_let_a_copy_in),
	KUNIT_CASE(stops_that_make_no_sense_are_refused),
	KUNIT_CASE(a_nid_registers_so_often),
	KUNIT_CASE(targets_that_make_no_sense_are_refused),
	{}
};

static struct kunit_suite mgs_suite = {
	.name = "mgs",
	.suite_init = mk_suite_init,
	.init = mk_init,
	.exit = mk_exit,
	.test_cases = mgs_cases,
};
kunit_test_suite(mgs_suite);

MODULE_DESCRIPTION("management service");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
