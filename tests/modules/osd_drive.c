// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of osd from a shell, by writing to the parameter "op"; the errno of the call is that of
 * the write:
 *
 *	open DIR	open the directory as that of an MDT, and read what is in PENDING
 *	close
 *	create NAME	a file in ROOT
 *	look NAME	look a name in ROOT up
 *	unlink NAME	remove it; the file goes to PENDING
 *	mode NAME MODE	set the mode, octal
 *	commit NUMBER	commit, with this number
 *
 * Reading it gives the number of the last commit, and of the objects in PENDING. The writer's
 * umask must be 0.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/namei.h>

#include <lustre_lite/lustre_fid.h>
#include <lustre_lite/obd_why.h>
#include <lustre_lite/osd.h>

#define WORD_MAX	128

static struct osd_device *device;
static struct osd_object root;
static u32 last_oid;
static u32 pending;

/**
 * struct command - words of a command
 * @name: first
 * @word: second: a directory, a name or a number
 * @value: third
 */
struct command {
	char	name[16];
	char	word[WORD_MAX];
	char	value[16];
};

static struct qstr name_of(const struct command *cmd)
{
	return (struct qstr)QSTR_INIT(cmd->word, strlen(cmd->word));
}

static int pending_count(struct osd_object *obj, void *data)
{
	pending++;
	return 0;
}

static int op_close(const struct command *cmd)
{
	osd_object_fini(&root);
	osd_device_close(device);
	device = NULL;
	return 0;
}

static int op_open(const struct command *cmd)
{
	struct obd_why why = {};
	struct path path;
	int rc;

	if (device)
		return -EBUSY;
	rc = kern_path(cmd->word, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &path);
	if (rc)
		return rc;
	device = osd_device_open(&path, OSD_KIND_MDT, "drive-MDT0000", &why);
	path_put(&path);
	if (IS_ERR(device)) {
		rc = PTR_ERR(device);
		device = NULL;
		pr_info("osd_drive: %s\n", why.text);
		return rc;
	}
	pending = 0;
	rc = osd_object_root(device, &root) ?: osd_pending_walk(device, pending_count, NULL);
	if (rc)
		op_close(cmd);
	return rc;
}

static int op_create(const struct command *cmd)
{
	const struct osd_create oc = {
		/* Another start has other FIDs. */
		.ocr_fid = {
			.f_seq = FID_SEQ_NORMAL + ktime_get_real_seconds(),
			.f_oid = ++last_oid,
		},
		.ocr_mode = S_IFREG | 0644,
	};
	const struct qstr name = name_of(cmd);
	struct osd_object child = {};
	int rc = osd_create(&root, &name, &oc, NULL, &child);

	osd_object_fini(&child);
	return rc;
}

static int look(const struct command *cmd, struct osd_object *obj)
{
	const struct qstr name = name_of(cmd);

	return osd_lookup(&root, &name, obj);
}

static int op_look(const struct command *cmd)
{
	struct osd_object obj = {};
	int rc = look(cmd, &obj);

	osd_object_fini(&obj);
	return rc;
}

static int op_unlink(const struct command *cmd)
{
	const struct qstr name = name_of(cmd);
	struct osd_object obj = {};
	int rc = look(cmd, &obj);

	if (!rc)
		rc = osd_unlink(&root, &name, &obj, OSD_REMOVE_PENDING, NULL, NULL);
	osd_object_fini(&obj);
	if (rc == 1)
		pending++;
	return rc == 1 ? 0 : rc;
}

static int op_mode(const struct command *cmd)
{
	struct iattr attr = { .ia_valid = ATTR_MODE };
	struct osd_object obj = {};
	int rc = kstrtou16(cmd->value, 8, &attr.ia_mode) ?: look(cmd, &obj);

	attr.ia_mode |= S_IFREG;
	if (!rc)
		rc = osd_setattr(&obj, &attr, NULL);
	osd_object_fini(&obj);
	return rc;
}

static int op_commit(const struct command *cmd)
{
	u64 number;

	return kstrtou64(cmd->word, 10, &number) ?: osd_commit(device, number);
}

static const struct {
	const char	*name;
	int		(*fn)(const struct command *cmd);
} ops[] = {
	{ "open", op_open },
	{ "close", op_close },
	{ "create", op_create },
	{ "look", op_look },
	{ "unlink", op_unlink },
	{ "mode", op_mode },
	{ "commit", op_commit },
};

/* The lock of the module's parameters is held: one call at a time. */
static int op_set(const char *text, const struct kernel_param *kp)
{
	struct command cmd = {};
	size_t n;

	if (sscanf(text, "%15s %127s %15s", cmd.name, cmd.word, cmd.value) < 1)
		return -EINVAL;
	for (n = 0; n < ARRAY_SIZE(ops); n++)
		if (!strcmp(cmd.name, ops[n].name))
			return n && !device ? -ENODEV : ops[n].fn(&cmd);
	return -EINVAL;
}

static int op_get(char *buf, const struct kernel_param *kp)
{
	u64 number = 0;
	int rc = device ? osd_committed(device, &number) : -ENODEV;

	return rc ?: sysfs_emit(buf, "%llu %u\n", number, pending);
}

static const struct kernel_param_ops op_ops = { .set = op_set, .get = op_get };

module_param_cb(op, &op_ops, NULL, 0600);
MODULE_PARM_DESC(op, "a call of osd");

static int __init osd_drive_init(void)
{
	return 0;
}

static void __exit osd_drive_exit(void)
{
	if (device)
		op_close(NULL);
}

module_init(osd_drive_init);
module_exit(osd_drive_exit);

MODULE_DESCRIPTION("lustre-lite: calls of osd from a shell");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
