// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets as programs ask for them, by their indexes: uapi/lustre_lite/lustre_user.h. LL_IOC_TARGET
 * has all in one call; the other calls are real Lustre's, as its library makes them.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/obd_import.h>
#include <lustre_lite/obd_ops.h>

#include <uapi/lustre_lite/lustre_user.h>

#include "llite_inode.h"

/**
 * struct target_search - a search for a target
 * @service: type of the target
 * @least: lowest index that is wanted
 * @index: lowest index that was found
 * @found: one was found
 * @deactivated: it is not to be used
 * @down: it cannot be used
 * @uuid: its uuid
 */
struct target_search {
	enum obd_service	service;
	u32			least;
	u32			index;
	bool			found;
	bool			deactivated;
	bool			down;
	struct obd_uuid		uuid;
};

/* "FSNAME-OST0000_UUID" */
static bool target_index(const struct obd_uuid *uuid, u32 *index)
{
	const char *kind = strrchr(uuid->uuid, '-');
	char digits[5];

	if (!kind || strlen(kind) < 8)
		return false;
	strscpy(digits, kind + 4, sizeof(digits));
	return !kstrtou32(digits, 16, index);
}

static void target_look(struct obd_device *obd, void *arg)
{
	const struct client_obd *cli = obd->obd_cli;
	struct target_search *search = arg;
	u32 index;

	if (obd->obd_type->typ_service != search->service ||
	    !target_index(&cli->cl_target_uuid, &index) || index < search->least)
		return;
	if (search->found && index >= search->index)
		return;
	search->found = true;
	search->index = index;
	search->uuid = cli->cl_target_uuid;
	search->deactivated = test_bit(IMPF_DEACTIVE, &cli->cl_import->imp_flags);
	search->down = llite_import_down(obd);
}

/**
 * struct target_space - a request for the free space of a target
 * @uuid: its uuid
 * @st: out
 * @rc: out
 */
struct target_space {
	const struct obd_uuid	*uuid;
	struct obd_statfs	st;
	int			rc;
};

static void target_ask(struct obd_device *obd, void *arg)
{
	struct target_space *space = arg;

	if (!strcmp(obd->obd_cli->cl_target_uuid.uuid, space->uuid->uuid))
		space->rc = obd_statfs(obd->obd_self_export, &space->st, 0);
}

/* A target that is known to be down is not waited for. */
static struct target_space target_space(u64 instance, const struct target_search *search)
{
	struct target_space space = { .uuid = &search->uuid, .rc = -ENOTCONN };

	if (search->deactivated)
		space.rc = -ENODATA;
	else if (!search->down)
		llite_imports_each(instance, target_ask, &space);
	return space;
}

static void space_fill(const struct target_space *space, struct ll_user_target *user)
{
	user->lt_error = -space->rc;
	if (space->rc)
		return;
	user->lt_bsize = space->st.os_bsize;
	user->lt_blocks = space->st.os_blocks;
	user->lt_bfree = space->st.os_bfree;
	user->lt_bavail = space->st.os_bavail;
	user->lt_files = space->st.os_files;
	user->lt_ffree = space->st.os_ffree;
	user->lt_state = space->st.os_state;
}

/**
 * ll_target_get() - LL_IOC_TARGET
 * @lc: client
 * @arg: argument
 *
 * Context: sleeps
 * Return: 0; -ENODEV: there is no such target; -EINVAL; -EFAULT
 */
int ll_target_get(const struct llite_client *lc, void __user *arg)
{
	struct target_search search = { };
	struct target_space space;
	struct ll_user_target user;

	if (copy_from_user(&user, arg, sizeof(user)))
		return -EFAULT;
	if (user.lt_type != LL_TARGET_MDT && user.lt_type != LL_TARGET_OST)
		return -EINVAL;
	search.service = user.lt_type == LL_TARGET_MDT ? OBD_SERVICE_MDS : OBD_SERVICE_OST;
	search.least = user.lt_index;
	llite_imports_each(lc->llc_instance, target_look, &search);
	if (!search.found)
		return -ENODEV;
	memset(&user, 0, sizeof(user));
	user.lt_type = search.service == OBD_SERVICE_MDS ? LL_TARGET_MDT : LL_TARGET_OST;
	user.lt_index = search.index;
	strscpy(user.lt_uuid, search.uuid.uuid, sizeof(user.lt_uuid));
	space = target_space(lc->llc_instance, &search);
	space_fill(&space, &user);
	return copy_to_user(arg, &user, sizeof(user)) ? -EFAULT : 0;
}

/* The two numbers in the argument of IOC_OBD_STATFS. */
struct statfs_what {
	u32	type;
	u32	padding;
	u32	index;
};

static int statfs_read(void __user *arg, struct obd_ioctl_data *data, struct statfs_what *what)
{
	if (copy_from_user(data, arg, sizeof(*data)) ||
	    copy_from_user(what, arg + sizeof(*data), sizeof(*what)))
		return -EFAULT;
	if (data->ioc_len < sizeof(*data) + sizeof(*what) ||
	    data->ioc_inl[0].len != sizeof(what->type) ||
	    data->ioc_inl[1].len != sizeof(what->index) ||
	    data->ioc_plen1 != sizeof(struct ll_user_statfs) ||
	    data->ioc_plen2 < sizeof(struct obd_uuid))
		return -EINVAL;
	return what->type & (LL_STATFS_LMV | LL_STATFS_LOV) ? 0 : -ENODEV;
}

static int statfs_put(const struct obd_ioctl_data *data, const struct obd_statfs *st)
{
	const struct ll_user_statfs user = {
		.os_type = st->os_type,
		.os_blocks = st->os_blocks,
		.os_bfree = st->os_bfree,
		.os_bavail = st->os_bavail,
		.os_files = st->os_files,
		.os_ffree = st->os_ffree,
		.os_bsize = st->os_bsize,
		.os_namelen = st->os_namelen,
		.os_state = st->os_state,
	};

	return copy_to_user(u64_to_user_ptr(data->ioc_pbuf1), &user, sizeof(user)) ? -EFAULT : 0;
}

/**
 * ll_target_statfs() - IOC_OBD_STATFS
 * @lc: client
 * @arg: argument
 *
 * Context: sleeps
 * Return: 0; -ENODEV: there is no target from that index on; -EAGAIN: there is none of this index;
 *  -ENODATA: it is deactivated; -ENOTCONN: it is down; -EINVAL; -EFAULT
 */
int ll_target_statfs(const struct llite_client *lc, void __user *arg)
{
	struct target_search search = { };
	struct obd_ioctl_data data;
	struct target_space space;
	struct statfs_what what;
	int rc = statfs_read(arg, &data, &what);

	if (rc)
		return rc;
	search.service = what.type & LL_STATFS_LMV ? OBD_SERVICE_MDS : OBD_SERVICE_OST;
	search.least = what.index;
	llite_imports_each(lc->llc_instance, target_look, &search);
	if (!search.found)
		return -ENODEV;
	if (search.index != what.index)
		return -EAGAIN;
	if (copy_to_user(u64_to_user_ptr(data.ioc_pbuf2), &search.uuid, sizeof(search.uuid)))
		return -EFAULT;
	space = target_space(lc->llc_instance, &search);
	return space.rc ?: statfs_put(&data, &space.st);
}

/**
 * struct target_count - how many targets there are
 * @service: type of the targets
 * @end: the highest index, and 1
 */
struct target_count {
	enum obd_service	service;
	int			end;
};

static void target_number(struct obd_device *obd, void *arg)
{
	struct target_count *count = arg;
	u32 index;

	if (obd->obd_type->typ_service == count->service &&
	    target_index(&obd->obd_cli->cl_target_uuid, &index))
		count->end = max_t(int, count->end, index + 1);
}

/**
 * ll_target_count() - LL_IOC_GETOBDCOUNT
 * @lc: client
 * @arg: argument: in: not 0: metadata targets; out: the highest index, and 1
 *
 * Context: sleeps
 * Return: 0 or -EFAULT
 */
int ll_target_count(const struct llite_client *lc, void __user *arg)
{
	struct target_count count = { };
	int mdts;

	if (get_user(mdts, (int __user *)arg))
		return -EFAULT;
	count.service = mdts ? OBD_SERVICE_MDS : OBD_SERVICE_OST;
	llite_imports_each(lc->llc_instance, target_number, &count);
	return put_user(count.end, (int __user *)arg);
}

static void target_granted(struct obd_device *obd, void *flags)
{
	struct obd_import *imp = obd->obd_cli->cl_import;
	u32 index;

	if (obd->obd_type->typ_service != OBD_SERVICE_MDS ||
	    !target_index(&obd->obd_cli->cl_target_uuid, &index) || index)
		return;
	spin_lock(&imp->imp_lock);
	*(u64 *)flags = imp->imp_connect_data.ocd_connect_flags;
	spin_unlock(&imp->imp_lock);
}

/**
 * ll_target_flags() - LL_IOC_GET_CONNECT_FLAGS
 * @lc: client
 * @arg: argument: out: flags of the connection to MDT0000
 *
 * Context: sleeps
 * Return: 0; -ENODATA: it was not connected yet; -EFAULT
 */
int ll_target_flags(const struct llite_client *lc, void __user *arg)
{
	u64 flags = 0;

	llite_imports_each(lc->llc_instance, target_granted, &flags);
	if (!flags)
		return -ENODATA;
	return copy_to_user(arg, &flags, sizeof(flags)) ? -EFAULT : 0;
}
