// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles: which data and metadata device make a file system, as MOUNTOPT says
 * it. A profile is found by its name and the instance whose log named it.
 *
 * Held by the list, from class_add_profile() until it is deleted or replaced, and
 * by whoever got it. The last one to let go frees it. A profile does not change
 * once it is in the list: a new MOUNTOPT puts a new one in its place.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/mutex.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "../obd_internal.h"

/* Guards the list and lp_list. */
static DEFINE_MUTEX(profiles_lock);
static LIST_HEAD(profiles);

static struct lustre_profile *profile_find(const char *name, u64 instance)
{
	struct lustre_profile *lp;

	lockdep_assert_held(&profiles_lock);
	list_for_each_entry(lp, &profiles, lp_list)
		if (lp->lp_instance == instance && !strcmp(lp->lp_profile, name))
			return lp;
	return NULL;
}

static int profile_name(char *to, const char *name)
{
	return strscpy(to, name, MAX_OBD_NAME) < 0 ? -ENAMETOOLONG : 0;
}

/**
 * class_add_profile() - say which devices make a file system
 * @name: name
 * @dt: data device, may be empty
 * @md: metadata device, may be empty
 * @instance: instance of the log that says it, or 0
 *
 * Takes the place of what was said of that name before.
 *
 * Context: may sleep
 * Return: 0; -EINVAL for an empty name; -ENAMETOOLONG; -ENOMEM
 */
int class_add_profile(const char *name, const char *dt, const char *md,
		      u64 instance)
{
	struct lustre_profile *lp, *old;
	int rc;

	if (!*name)
		return -EINVAL;
	lp = libcfs_zalloc(sizeof(*lp), GFP_KERNEL_ACCOUNT);
	if (!lp)
		return -ENOMEM;
	refcount_set(&lp->lp_refcount, 1);
	lp->lp_instance = instance;
	rc = profile_name(lp->lp_profile, name) ?:
	     profile_name(lp->lp_dt, dt) ?: profile_name(lp->lp_md, md);
	if (rc) {
		class_put_profile(lp);
		return rc;
	}
	mutex_lock(&profiles_lock);
	old = profile_find(name, instance);
	if (old)
		list_del(&old->lp_list);
	list_add_tail(&lp->lp_list, &profiles);
	mutex_unlock(&profiles_lock);
	class_put_profile(old);
	CDEBUG(D_CONFIG, "%s: profile of '%s' and '%s'\n", name, dt, md);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(class_add_profile, LUSTRE_LITE);

/**
 * class_get_profile() - find a profile
 * @name: name
 * @instance: instance, or 0
 *
 * Context: may sleep
 * Return: profile, for class_put_profile(); NULL when there is none
 */
struct lustre_profile *class_get_profile(const char *name, u64 instance)
{
	struct lustre_profile *lp;

	mutex_lock(&profiles_lock);
	lp = profile_find(name, instance);
	if (lp)
		refcount_inc(&lp->lp_refcount);
	mutex_unlock(&profiles_lock);
	return lp;
}
EXPORT_SYMBOL_NS_GPL(class_get_profile, LUSTRE_LITE);

/**
 * class_put_profile() - let go of a profile
 * @profile: profile, or NULL
 *
 * Context: may sleep
 */
void class_put_profile(struct lustre_profile *profile)
{
	if (profile && refcount_dec_and_test(&profile->lp_refcount))
		libcfs_free(profile, sizeof(*profile));
}
EXPORT_SYMBOL_NS_GPL(class_put_profile, LUSTRE_LITE);

/**
 * class_del_profile() - forget a profile; who has it keeps it
 * @name: name
 * @instance: instance, or 0
 *
 * Context: may sleep
 * Return: 0; -ENOENT when there is none
 */
int class_del_profile(const char *name, u64 instance)
{
	struct lustre_profile *lp;

	mutex_lock(&profiles_lock);
	lp = profile_find(name, instance);
	if (lp)
		list_del(&lp->lp_list);
	mutex_unlock(&profiles_lock);
	class_put_profile(lp);
	return lp ? 0 : -ENOENT;
}
EXPORT_SYMBOL_NS_GPL(class_del_profile, LUSTRE_LITE);

/* Forget those of an instance, or all. */
static void profiles_forget(u64 instance, bool all)
{
	struct lustre_profile *lp, *next;
	LIST_HEAD(gone);

	mutex_lock(&profiles_lock);
	list_for_each_entry_safe(lp, next, &profiles, lp_list)
		if (all || lp->lp_instance == instance)
			list_move_tail(&lp->lp_list, &gone);
	mutex_unlock(&profiles_lock);
	list_for_each_entry_safe(lp, next, &gone, lp_list) {
		list_del(&lp->lp_list);
		class_put_profile(lp);
	}
}

/**
 * class_del_profiles() - forget the profiles of an instance
 * @instance: instance, or 0 for those that came from no log of an instance
 *
 * Context: may sleep
 */
void class_del_profiles(u64 instance)
{
	profiles_forget(instance, false);
}
EXPORT_SYMBOL_NS_GPL(class_del_profiles, LUSTRE_LITE);

/**
 * obd_profile_exit() - forget all profiles
 *
 * Context: may sleep; nobody can get one any more
 */
void obd_profile_exit(void)
{
	profiles_forget(0, true);
}
