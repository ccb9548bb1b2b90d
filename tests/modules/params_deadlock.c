// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rule 6: a deleter that holds a lock which a callback takes. It is single-
 * threaded and nothing is in flight, so nothing hangs; lockdep must report it
 * nevertheless: read deadlock.value, then write anything to deadlock.remove.
 *
 * With right=1 the lock is dropped before the removal, and no report may come.
 */
#include <linux/module.h>
#include <linux/mutex.h>

#include <lustre_lite/params.h>

static bool right;
module_param(right, bool, 0444);
MODULE_PARM_DESC(right, "do it the right way round");

/* A lock with which a subsystem might guard its data. */
static DEFINE_MUTEX(owner_lock);
static struct lustre_params_entry *dir;

static int value_get(void *data, u64 *val)
{
	mutex_lock(&owner_lock);
	*val = 1;
	mutex_unlock(&owner_lock);
	return 0;
}

/* A callback may remove another entry; lockdep knows each by its attribute. */
static int remove_write(const char *text, size_t len, void *data)
{
	struct lustre_params_entry *value = params_lookup_entry(dir, "value");

	if (IS_ERR(value))
		return PTR_ERR(value);
	if (right) {
		params_remove(value);
	} else {
		mutex_lock(&owner_lock);
		params_remove(value);
		mutex_unlock(&owner_lock);
	}
	params_entry_put(value);
	return 0;
}

static const struct lustre_params_attr deadlock_attrs[] = {
	LP_TRIGGER("remove", remove_write,
		   .doc = "remove value, under the lock that its callback takes"),
	LP_U32_RO("value", value_get, .doc = "takes the owner's lock"),
};

static int __init params_deadlock_init(void)
{
	int rc;

	dir = params_add_dir(NULL, "deadlock", NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	rc = params_add_attrs(dir, deadlock_attrs, ARRAY_SIZE(deadlock_attrs),
			      NULL);
	if (rc)
		params_remove(dir);
	return rc;
}

static void __exit params_deadlock_exit(void)
{
	params_remove(dir);
}

module_init(params_deadlock_init);
module_exit(params_deadlock_exit);

MODULE_DESCRIPTION("lustre-lite: removal under a lock that a callback takes");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
