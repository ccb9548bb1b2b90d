// SPDX-License-Identifier: GPL-2.0-only
/*
 * The management client's copies of logs: saved, verified, used without the service, replaced
 * by newer logs.
 *
 * Every: 2
 */
#include <uapi/lustre_lite/disk.h>

#include "mgc_fixture.h"

#define DEVICE		"lustre-dev"
#define SECOND		"lustre-two"

#define COPIES	"/tmp"
/* A change is saved some time after it, ms. */
#define SAVE_MS	300

static bool file_is_there(const char *name)
{
	struct path path;

	if (kern_path(name, 0, &path))
		return false;
	path_put(&path);
	return true;
}

static void remove_file(const char *name)
{
	struct dentry *parent;
	struct path path;

	if (kern_path(name, 0, &path))
		return;
	parent = dget_parent(path.dentry);
	inode_lock(d_inode(parent));
	if (!d_inode(parent)->i_op->unlink(d_inode(parent), path.dentry))
		d_delete(path.dentry);
	inode_unlock(d_inode(parent));
	dput(parent);
	path_put(&path);
}

static void no_copies(void)
{
	remove_file(COPIES "/" MF_LOG);
	remove_file(COPIES "/" MF_LOG ".copy");
	remove_file(COPIES "/params");
	remove_file(COPIES "/params.copy");
}

/* Follow MF_LOG with copies in COPIES. Return: as mgc_log_start() */
static struct mgc_log *follow_copies(struct kunit *test, unsigned int wait_sec, struct obd_why *why)
{
	struct mgc_log *log;
	struct path dir;

	KUNIT_ASSERT_EQ(test, kern_path(COPIES, LOOKUP_DIRECTORY, &dir), 0);
	log = mf_follow_with(test, MF_INSTANCE, &dir, wait_sec, why);
	path_put(&dir);
	return log;
}

/* Follow MF_LOG with a setting and a device, and without copies at first. */
static struct mgc_log *follow_first(struct kunit *test)
{
	struct mgc_log *log;
	struct obd_why why;

	no_copies();
	mf_log_new(test, "params");
	mf_add_setting("general", KC_NAME ".*.limit=20");
	mf_add_device(MF_LOG, DEVICE);
	log = follow_copies(test, MF_WAIT_SEC, &why);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(log), "%s", why.text);
	return log;
}

/* Follow it once with the service, so that there are copies; then the service stops. */
static void make_copies(struct kunit *test)
{
	struct mgc_log *log = follow_first(test);

	KUNIT_EXPECT_TRUE(test, MF_AWAIT(file_is_there(COPIES "/" MF_LOG) &&
					 file_is_there(COPIES "/params")));
	mgc_log_end(log);
	class_cleanup_instance(MF_INSTANCE, true, NULL);
	KUNIT_EXPECT_FALSE(test, mf_device(DEVICE MF_SUFFIX));
	mf_server_stop(test);
}

static void copy_is_used_and_caught_up(struct kunit *test)
{
	struct mgc_log *log;
	struct obd_why why;

	make_copies(test);
	log = follow_copies(test, 1, &why);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(log), "%s", why.text);
	KUNIT_EXPECT_TRUE(test, mgc_log_stale(log));
	KUNIT_EXPECT_TRUE(test, mf_device(DEVICE MF_SUFFIX));
	KUNIT_EXPECT_EQ(test, kc.limit, 20U);
	mf_add_device(MF_LOG, SECOND);
	mf_server_start(test);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(mf_device(SECOND MF_SUFFIX)));
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(!mgc_log_stale(log)));
	KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
	mgc_log_end(log);
	no_copies();
}

static void scratch_file(struct kunit *test, const char *name, loff_t pos)
{
	struct file *file = filp_open(name, O_WRONLY, 0);

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	kernel_write(file, "!", 1, &pos);
	fput(file);
	flush_delayed_fput();
}

static void damaged_copy_is_not_used(struct kunit *test)
{
	struct mgc_log *log;
	struct obd_why why;

	make_copies(test);
	scratch_file(test, COPIES "/" MF_LOG, 9000);
	log = follow_copies(test, 1, &why);
	KUNIT_EXPECT_TRUE(test, IS_ERR(log));
	kc_expect_says(test, &why, "damaged");
	KUNIT_EXPECT_FALSE(test, mf_device(DEVICE MF_SUFFIX));
	no_copies();
}

static void log_that_is_no_copy_is_left(struct kunit *test)
{
	struct mgc_log *log;
	struct obd_why why;

	make_copies(test);
	remove_file(COPIES "/" MF_LOG ".copy");
	scratch_file(test, COPIES "/" MF_LOG, 0);
	mf_server_start(test);
	log = follow_copies(test, MF_WAIT_SEC, &why);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(log), "%s", why.text);
	/* Pending copies are saved at its end. */
	mgc_log_end(log);
	KUNIT_EXPECT_FALSE(test, file_is_there(COPIES "/" MF_LOG ".copy"));
	no_copies();
}

/* Generation of the saved copy of MF_LOG; 0 if there is none. */
static u64 saved_generation(void)
{
	struct ll_log_copy info = {};
	struct file *file = filp_open(COPIES "/" MF_LOG ".copy", O_RDONLY, 0);
	loff_t pos = 0;

	if (IS_ERR(file))
		return 0;
	if (kernel_read(file, &info, sizeof(info), &pos) != sizeof(info))
		info.copy_generation = 0;
	fput(file);
	flush_delayed_fput();
	return le64_to_cpu(info.copy_generation);
}

static void change_log(struct kunit *test, const char *device)
{
	mf_add_device(MF_LOG, device);
	mf_tell(MF_FS, CONFIG_T_CONFIG);
	KUNIT_EXPECT_TRUE(test, mf_await_ack(MF_LOG, CONFIG_T_CONFIG));
}

/* struct hold - a directory in which another task creates nothing for a while */
struct hold {
	struct path		dir;
	struct completion	held;
	struct completion	end;
};

static long hold_dir(void *data)
{
	struct hold *hold = data;

	inode_lock(d_inode(hold->dir.dentry));
	complete(&hold->held);
	wait_for_completion_timeout(&hold->end, FIXTURE_WAIT);
	inode_unlock(d_inode(hold->dir.dentry));
	return 0;
}

/* A save that waits for another one saves what the log is when its turn comes. */
static void copy_is_of_the_newest_state(struct kunit *test)
{
	struct hold hold = {};
	struct aside aside;
	struct mgc_log *log = follow_first(test);
	u64 first = mf_generation(MF_LOG);

	KUNIT_EXPECT_TRUE(test, MF_AWAIT(saved_generation() == first &&
					 file_is_there(COPIES "/params")));
	/* The copy of the settings cannot be created, that of the log waits for it. */
	KUNIT_ASSERT_EQ(test, kern_path(COPIES, LOOKUP_DIRECTORY, &hold.dir), 0);
	init_completion(&hold.held);
	init_completion(&hold.end);
	aside_start(test, &aside, hold_dir, &hold);
	wait_for_completion_timeout(&hold.held, FIXTURE_WAIT);
	mf_add_setting("general", KC_NAME ".*.limit=21");
	mf_tell("params", CONFIG_T_PARAMS);
	KUNIT_EXPECT_TRUE(test, mf_await_ack("params", CONFIG_T_PARAMS));
	msleep(SAVE_MS);
	change_log(test, SECOND);
	msleep(SAVE_MS);
	change_log(test, "lustre-three");
	complete(&hold.end);
	KUNIT_EXPECT_TRUE(test, MF_AWAIT(saved_generation() != first));
	KUNIT_EXPECT_EQ(test, saved_generation(), mf_generation(MF_LOG));
	KUNIT_EXPECT_EQ(test, aside_join(test, &aside), 0L);
	path_put(&hold.dir);
	mgc_log_end(log);
	no_copies();
}

static struct kunit_case mgc_copy_cases[] = {
	KUNIT_CASE(copy_is_used_and_caught_up),
	KUNIT_CASE(damaged_copy_is_not_used),
	KUNIT_CASE(log_that_is_no_copy_is_left),
	KUNIT_CASE(copy_is_of_the_newest_state),
	{}
};

static struct kunit_suite mgc_copy_suite = {
	.name = "mgc_copy",
	.suite_init = mf_suite_init,
	.init = mf_init,
	.exit = mf_exit,
	.test_cases = mgc_copy_cases,
};
kunit_test_suite(mgc_copy_suite);

MODULE_DESCRIPTION("copies of the management client");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
