// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiles: the data and the metadata device of a file system, from MOUNTOPT.
 * The key of a profile is its name and the instance of its log.
 *
 * Held by the list, from class_add_profile() until it is deleted or replaced,
 * and by each lookup. The last put frees it. A profile in the list is constant:
 * a new MOUNTOPT replaces it.
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
 * class_add_profile() - add a profile
 * @name: name
 * @dt: data device, may be empty
 * @md: metadata device, may be empty
 * @instance: instance of the log, or 0
 *
 * Replaces one of that name.
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
EXPORT_FOR_KUNIT(class_add_profile);

/**
 * class_get_profile() - look up a profile
 * @name: name
 * @instance: instance, or 0
 *
 * Context: may sleep
 * Return: profile, for class_put_profile(); NULL if there is none
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
 * class_put_profile() - drop a reference
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
 * class_del_profile() - delete a profile; references stay valid
 * @name: name
 * @instance: instance, or 0
 *
 * Context: may sleep
 * Return: 0; -ENOENT if there is none
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
EXPORT_FOR_KUNIT(class_del_profile);

/* Delete those of an instance, or all. */
static void profiles_drop(u64 instance, bool all)
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
 * class_del_profiles() - delete the profiles of an instance
 * @instance: instance, or 0 for those without
 *
 * Context: may sleep
 */
void class_del_profiles(u64 instance)
{
	profiles_drop(instance, false);
}
EXPORT_SYMBOL_NS_GPL(class_del_profiles, LUSTRE_LITE);

/* Delete all profiles at module exit. May sleep. */
void obd_profile_exit(void)
{
	profiles_drop(0, true);
}
