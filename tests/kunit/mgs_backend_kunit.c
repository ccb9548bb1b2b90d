// SPDX-License-Identifier: GPL-2.0-only
/*
 * The directory of a management service, and the store over it, on file systems in memory
 * that are mounted for each case. The files of the module are compiled in: it does not export
 * them.
 *
 * Every: 2
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/sched/signal.h>

#include <lustre_lite/compat.h>

#include "fixture.h"

#include "../../mgs/store/bytes.c"
#include "../../mgs/store/backend.c"
#include "../../mgs/store/journal.c"
#include "../../mgs/store/state.c"
#include "../../mgs/store/store.c"
#include "../../mgs/store/scan.c"
#include "../../mgs/store/view.c"
#include "../../mgs/store/txn.c"
#include "../../mgs/store/file.c"
#include "../../mgs/store/txn_log.c"

#define CHANGES	300

static struct {
	struct vfsmount		*mnt;
	struct path		path;
	struct mgs_backend	*backend;
	struct mgs_store	*store;
} mk;

static const struct mgs_backend_io *const io = &mgs_backend_io;

static int mk_mount(const char *name)
{
	struct file_system_type *type = get_fs_type(name);

	if (!type)
		return -ENODEV;
	mk.mnt = kern_mount(type);
	module_put(type->owner);
	if (IS_ERR(mk.mnt)) {
		int rc = PTR_ERR(mk.mnt);

		mk.mnt = NULL;
		return rc;
	}
	mk.path.mnt = mk.mnt;
	mk.path.dentry = mk.mnt->mnt_root;
	return 0;
}

static void mk_close(void)
{
	mgs_store_close(mk.store);
	mk.store = NULL;
	mgs_backend_close(mk.backend);
	mk.backend = NULL;
}

static void mk_open(struct kunit *test)
{
	mk_close();
	mk.backend = mgs_backend_open(&mk.path);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mk.backend));
}

static void mk_store(struct kunit *test)
{
	struct mgs_fault fault;

	mk_open(test);
	KUNIT_ASSERT_EQ(test, mgs_store_open(io, mk.backend, 7, &mk.store, &fault),
			0);
	KUNIT_EXPECT_NULL(test, fault.what);
}

static int mk_init(struct kunit *test)
{
	int rc = fixture_init(test);

	return rc ?: mk_mount("tmpfs");
}

static void mk_exit(struct kunit *test)
{
	mk_close();
	if (mk.mnt)
		kern_unmount(mk.mnt);
	mk.mnt = NULL;
	fixture_exit(test);
}

static bool has(const char *name, const char *text)
{
	char bytes[32] = "";
	ssize_t got = io->read(mk.backend, name, 0, bytes, sizeof(bytes));

	return got == (ssize_t)strlen(text) && !memcmp(bytes, text, got);
}

static int put(const char *name, u64 offset, const char *text)
{
	return io->write(mk.backend, name, offset, text, strlen(text));
}

static void writing_makes_the_file_and_its_folder(struct kunit *test)
{
	u64 size = 0;
	char byte;

	mk_open(test);
	KUNIT_EXPECT_EQ(test, io->read(mk.backend, "CONFIGS/log", 0, &byte, 1),
			(ssize_t)-ENOENT);
	KUNIT_EXPECT_EQ(test, io->size(mk.backend, "CONFIGS/log", &size),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, put("CONFIGS/log", 3, "abc"), 0);
	KUNIT_EXPECT_EQ(test, put("CONFIGS/log", 0, "xyz"), 0);
	KUNIT_EXPECT_TRUE(test, has("CONFIGS/log", "xyzabc"));
	KUNIT_EXPECT_EQ(test, io->size(mk.backend, "CONFIGS/log", &size), 0);
	KUNIT_EXPECT_EQ(test, size, 6ULL);
	KUNIT_EXPECT_EQ(test, io->sync(mk.backend, "CONFIGS/log"), 0);
	KUNIT_EXPECT_EQ(test, put("mgs_journal", 0, "j"), 0);
	KUNIT_EXPECT_EQ(test, io->sync(mk.backend, "mgs_journal"), 0);
	mk_open(test);
	KUNIT_EXPECT_TRUE(test, has("CONFIGS/log", "xyzabc"));
	KUNIT_EXPECT_TRUE(test, has("mgs_journal", "j"));
}

static void cutting_sets_the_size_and_makes_the_file(struct kunit *test)
{
	u64 size = 0;

	mk_open(test);
	KUNIT_EXPECT_EQ(test, put("a", 0, "abc"), 0);
	KUNIT_EXPECT_EQ(test, io->truncate(mk.backend, "a", 1), 0);
	KUNIT_EXPECT_TRUE(test, has("a", "a"));
	KUNIT_EXPECT_EQ(test, io->truncate(mk.backend, "a", 3), 0);
	KUNIT_EXPECT_EQ(test, io->size(mk.backend, "a", &size), 0);
	KUNIT_EXPECT_EQ(test, size, 3ULL);
	KUNIT_EXPECT_EQ(test, io->truncate(mk.backend, "dir/b", 5), 0);
	KUNIT_EXPECT_EQ(test, io->size(mk.backend, "dir/b", &size), 0);
	KUNIT_EXPECT_EQ(test, size, 5ULL);
}

static void what_is_removed_is_gone_and_can_be_synced(struct kunit *test)
{
	u64 size;

	mk_open(test);
	KUNIT_EXPECT_EQ(test, io->remove(mk.backend, "dir/none"), 0);
	KUNIT_EXPECT_EQ(test, io->sync(mk.backend, "dir/none"), 0);
	KUNIT_EXPECT_EQ(test, put("dir/a", 0, "abc"), 0);
	KUNIT_EXPECT_EQ(test, io->remove(mk.backend, "dir/a"), 0);
	KUNIT_EXPECT_EQ(test, io->size(mk.backend, "dir/a", &size), -ENOENT);
	KUNIT_EXPECT_EQ(test, io->remove(mk.backend, "dir/a"), 0);
	KUNIT_EXPECT_EQ(test, io->sync(mk.backend, "dir/a"), 0);
	KUNIT_EXPECT_EQ(test, put("dir/a", 0, "de"), 0);
	KUNIT_EXPECT_TRUE(test, has("dir/a", "de"));
}

static int count_name(void *data, const char *name)
{
	unsigned int *count = data;
	char path[32];

	(*count)++;
	if (strlen(name) > 8)
		return -ENAMETOOLONG;
	snprintf(path, sizeof(path), "dir/%s", name);
	return *count == 7 ? 7 : io->remove(mk.backend, path);
}

static void files_are_listed_and_removed_meanwhile(struct kunit *test)
{
	unsigned int count = 0, n;
	char name[32];

	mk_open(test);
	KUNIT_EXPECT_EQ(test, io->list(mk.backend, "dir", count_name, &count), 0);
	KUNIT_EXPECT_EQ(test, put("dir/deep", 0, "x"), 0);
	for (n = 0; n < 200; n++) {
		snprintf(name, sizeof(name), "dir/%u", n);
		KUNIT_EXPECT_EQ(test, put(name, 0, "x"), 0);
	}
	KUNIT_EXPECT_EQ(test, io->list(mk.backend, "dir", count_name, &count), 7);
	KUNIT_EXPECT_EQ(test, count, 7U);
	KUNIT_EXPECT_EQ(test, io->list(mk.backend, "dir", count_name, &count), 0);
	KUNIT_EXPECT_EQ(test, count, 7U + 195);
	count = 10;
	KUNIT_EXPECT_EQ(test, io->list(mk.backend, "dir", count_name, &count), 0);
	KUNIT_EXPECT_EQ(test, count, 10U);
}

static void what_is_no_file_is_refused(struct kunit *test)
{
	u64 size;

	mk_open(test);
	KUNIT_EXPECT_EQ(test, put("dir/a", 0, "x"), 0);
	KUNIT_EXPECT_LT(test, put("dir", 0, "x"), 0);
	KUNIT_EXPECT_EQ(test, io->size(mk.backend, "dir", &size), -EINVAL);
	KUNIT_EXPECT_LT(test, io->remove(mk.backend, "dir"), 0);
	KUNIT_EXPECT_EQ(test, put("dir/a/b", 0, "x"), -ENOTDIR);
	KUNIT_EXPECT_EQ(test, io->size(mk.backend, "../../etc/passwd", &size),
			-ENOENT);
}

static void only_a_folder_is_one(struct kunit *test)
{
	struct mgs_backend *backend;
	struct path path = mk.path;
	struct file *file;

	mk_open(test);
	KUNIT_EXPECT_EQ(test, put("a", 0, "x"), 0);
	file = file_open_root(&mk.path, "a", O_RDONLY, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	path.dentry = file->f_path.dentry;
	backend = mgs_backend_open(&path);
	KUNIT_EXPECT_PTR_EQ(test, backend,
			    (struct mgs_backend *)ERR_PTR(-ENOTDIR));
	fput(file);
}

/* As a user without any right. */
static const struct cred *become_nobody(struct kunit *test, struct cred **mine)
{
	*mine = prepare_kernel_cred(&init_task);
	KUNIT_ASSERT_NOT_NULL(test, *mine);
	(*mine)->fsuid = KUIDT_INIT(1234);
	(*mine)->fsgid = KGIDT_INIT(1234);
	cap_clear((*mine)->cap_effective);
	return override_creds(*mine);
}

static void rights_are_those_of_who_opened_it(struct kunit *test)
{
	struct mgs_backend *backend, *others;
	const struct cred *before;
	struct cred *nobody;
	char byte;

	backend = mgs_backend_open(&mk.path);
	KUNIT_ASSERT_FALSE(test, IS_ERR(backend));
	KUNIT_EXPECT_EQ(test, io->write(backend, "dir/a", 0, "x", 1), 0);
	before = become_nobody(test, &nobody);
	/* The directory of root, used by another user. */
	KUNIT_EXPECT_EQ(test, io->write(backend, "dir/b", 0, "x", 1), 0);
	KUNIT_EXPECT_EQ(test, io->read(backend, "dir/a", 0, &byte, 1),
			(ssize_t)1);
	others = mgs_backend_open(&mk.path);
	revert_creds(before);
	/* The directory of another user, used by root. */
	KUNIT_ASSERT_FALSE(test, IS_ERR(others));
	KUNIT_EXPECT_EQ(test, io->read(others, "dir/a", 0, &byte, 1),
			(ssize_t)-EACCES);
	KUNIT_EXPECT_EQ(test, io->write(others, "dir/b", 0, "x", 1), -EACCES);
	mgs_backend_close(others);
	mgs_backend_close(backend);
	put_cred(nobody);
}

static size_t setting(u8 *cfg, u32 number)
{
	struct lcfg_view view;
	char text[64];

	snprintf(text, sizeof(text), "osc.*.max_dirty_mb=%u", number);
	lcfg_init(&view, LCFG_SET_PARAM, "general");
	lcfg_add_string(&view, text);
	lcfg_add_string(&view, "lctl");
	return lustre_cfg_encode(&view, cfg, 512);
}

static void change(struct kunit *test, u32 number)
{
	static const struct mgs_who who = { .who = "kunit", .when = 1 };
	struct mgs_txn *txn;
	u64 generation;
	size_t len;
	u8 *cfg;

	cfg = kunit_kzalloc(test, 512, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cfg);
	len = setting(cfg, number);
	KUNIT_ASSERT_EQ(test, mgs_txn_begin(mk.store, &who, &txn), 0);
	KUNIT_EXPECT_EQ(test, mgs_txn_append(txn, "params", cfg, len, NULL), 0);
	KUNIT_EXPECT_EQ(test, mgs_txn_append(txn, "fs-client", cfg, len, NULL),
			0);
	KUNIT_EXPECT_EQ(test, mgs_txn_put(txn, MGS_NIDTBL_DIR "/fs", &number,
					  sizeof(number)), 0);
	KUNIT_EXPECT_EQ(test, mgs_txn_commit(txn, &generation), 0);
	KUNIT_EXPECT_EQ(test, generation, (u64)number);
	kunit_kfree(test, cfg);
}

static int count_record(void *data, const struct mgs_rec *rec)
{
	u32 *count = data;

	(*count)++;
	return rec->cfg.command == LCFG_SET_PARAM && rec->live ? 0 : -EINVAL;
}

static void expect_changes(struct kunit *test, u32 count)
{
	u32 number = 0, records = 0;

	KUNIT_EXPECT_EQ(test, mgs_view_generation(mk.store->ms_view), (u64)count);
	KUNIT_EXPECT_EQ(test, mgs_view_walk(mk.store->ms_view, "params",
					     count_record, &records), 0);
	KUNIT_EXPECT_EQ(test, records, count);
	KUNIT_EXPECT_EQ(test, io->read(mk.backend, MGS_NIDTBL_DIR "/fs", 0,
				       &number, sizeof(number)),
			(ssize_t)sizeof(number));
	KUNIT_EXPECT_EQ(test, number, count);
}

static void changes_run(struct kunit *test)
{
	u32 n;

	mk_store(test);
	/* So short that it is emptied several times. */
	mk.store->ms_journal.jn_max = 32768;
	for (n = 1; n <= CHANGES; n++)
		change(test, n);
	KUNIT_EXPECT_GT(test, mk.store->ms_journal.jn_round, 4ULL);
	expect_changes(test, CHANGES);
	mk_store(test);
	expect_changes(test, CHANGES);
	KUNIT_EXPECT_EQ(test, mgs_store_failed(mk.store), 0);
}

static void changes_are_there_when_the_store_is_opened_again(struct kunit *test)
{
	changes_run(test);
}

static void ramfs_is_as_good(struct kunit *test)
{
	kern_unmount(mk.mnt);
	mk.mnt = NULL;
	KUNIT_ASSERT_EQ(test, mk_mount("ramfs"), 0);
	changes_run(test);
}

/* As after a crash: the journal has changes that the files do not have. */
static void the_journal_is_done_again(struct kunit *test)
{
	mk_store(test);
	change(test, 1);
	change(test, 2);
	mgs_store_free(mk.store);
	mk.store = NULL;
	mk_open(test);
	KUNIT_EXPECT_EQ(test, io->remove(mk.backend, "CONFIGS/params"), 0);
	KUNIT_EXPECT_EQ(test, io->remove(mk.backend, MGS_STATE_FILE), 0);
	KUNIT_EXPECT_EQ(test, io->truncate(mk.backend, "CONFIGS/fs-client", 100), 0);
	mk_store(test);
	expect_changes(test, 2);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(writing_makes_the_file_and_its_folder),
	KUNIT_CASE(cutting_sets_the_size_and_makes_the_file),
	KUNIT_CASE(what_is_removed_is_gone_and_can_be_synced),
	KUNIT_CASE(files_are_listed_and_removed_meanwhile),
	KUNIT_CASE(what_is_no_file_is_refused),
	KUNIT_CASE(only_a_folder_is_one),
	KUNIT_CASE(rights_are_those_of_who_opened_it),
	KUNIT_CASE(changes_are_there_when_the_store_is_opened_again),
	KUNIT_CASE(ramfs_is_as_good),
	KUNIT_CASE(the_journal_is_done_again),
	{}
};

static struct kunit_suite suite = {
	.name		= "mgs_backend",
	.suite_init	= client_suite_init,
	.init		= mk_init,
	.exit		= mk_exit,
	.test_cases	= cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: folder and store of a management service");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
