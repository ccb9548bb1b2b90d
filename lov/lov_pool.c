// SPDX-License-Identifier: GPL-2.0-only
/*
 * lov: pools, which are named lists of targets.
 *
 *	POOL_NEW fs pool	POOL_ADD fs pool target
 *	POOL_DEL fs pool	POOL_REM fs pool target
 *
 * The list of its device owns a pool. Its parameter reads it, and is removed
 * before it is freed.
 */
#define DEBUG_SUBSYSTEM S_LOV

#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>

#include "lov_internal.h"

/**
 * struct lov_pool - a pool
 * @pool_list: in lov_pools
 * @pool_lov: device
 * @pool_members: struct lov_member, in the order in which they were added
 * @pool_name: name
 */
struct lov_pool {
	struct list_head	pool_list;
	struct lov_device	*pool_lov;
	struct list_head	pool_members;
	char			pool_name[LOV_POOL_NAME_MAX];
};

/**
 * struct lov_member - a target in a pool
 * @mbr_list: in pool_members
 * @mbr_target: uuid of the target
 */
struct lov_member {
	struct list_head	mbr_list;
	struct obd_uuid		mbr_target;
};

void lov_pools_init(struct lov_device *lov)
{
	mutex_init(&lov->lov_pools_change);
	mutex_init(&lov->lov_pools_lock);
	INIT_LIST_HEAD(&lov->lov_pools);
}

static void member_drop(struct lov_member *member)
{
	list_del(&member->mbr_list);
	libcfs_free(member, sizeof(*member));
}

static void pool_free(struct lov_pool *pool)
{
	struct lov_member *member, *next;

	list_for_each_entry_safe(member, next, &pool->pool_members, mbr_list)
		member_drop(member);
	libcfs_free(pool, sizeof(*pool));
}

/**
 * lov_pools_fini() - free all pools
 * @lov: device, whose parameters are removed
 *
 * Context: may sleep; cleanup of the device
 */
void lov_pools_fini(struct lov_device *lov)
{
	struct lov_pool *pool, *next;

	list_for_each_entry_safe(pool, next, &lov->lov_pools, pool_list) {
		list_del(&pool->pool_list);
		pool_free(pool);
	}
	mutex_destroy(&lov->lov_pools_lock);
	mutex_destroy(&lov->lov_pools_change);
}

/* A callback: the pool exists until its parameter was removed. */
static int pool_read(struct params_sink *sink, void *data)
{
	struct lov_pool *pool = data;
	struct lov_member *member;

	mutex_lock(&pool->pool_lov->lov_pools_lock);
	list_for_each_entry(member, &pool->pool_members, mbr_list)
		params_put_str(sink, NULL, member->mbr_target.uuid);
	mutex_unlock(&pool->pool_lov->lov_pools_lock);
	return params_sink_error(sink);
}

/*
 * The directory of the pools, referenced, or ERR_PTR if the device is stopping.
 */
static struct lustre_params_entry *pools_dir(struct lov_device *lov)
{
	struct obd_device *obd = lov->lov_obd;
	char path[MAX_OBD_TYPE + MAX_OBD_NAME + sizeof(LOV_POOLS_DIR) + 2];

	scnprintf(path, sizeof(path), "%s/%s/" LOV_POOLS_DIR,
		  obd->obd_type->typ_name, obd->obd_name);
	return params_lookup_entry(NULL, path);
}

/* Changes of the lists take both locks. */
static void pools_assert_held(struct lov_device *lov)
{
	lockdep_assert(lockdep_is_held(&lov->lov_pools_change) ||
		       lockdep_is_held(&lov->lov_pools_lock));
}

static struct lov_pool *pool_find(struct lov_device *lov, const char *name)
{
	struct lov_pool *pool;

	pools_assert_held(lov);
	list_for_each_entry(pool, &lov->lov_pools, pool_list)
		if (!strcmp(pool->pool_name, name))
			return pool;
	return NULL;
}

static struct lov_member *member_find(struct lov_pool *pool,
				      const struct obd_uuid *target)
{
	struct lov_member *member;

	pools_assert_held(pool->pool_lov);
	list_for_each_entry(member, &pool->pool_members, mbr_list)
		if (!memcmp(&member->mbr_target, target, sizeof(*target)))
			return member;
	return NULL;
}

static int pool_publish(struct lov_pool *pool)
{
	struct lustre_params_entry *dir = pools_dir(pool->pool_lov);
	int rc;

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	rc = params_add_entry(dir, pool->pool_name, pool_read, NULL, pool);
	params_entry_put(dir);
	return rc;
}

static int pool_new(struct lov_device *lov, const char *name)
{
	struct lov_pool *pool;
	int rc;

	if (pool_find(lov, name))
		return 0;
	pool = libcfs_zalloc(sizeof(*pool), GFP_KERNEL_ACCOUNT);
	if (!pool)
		return -ENOMEM;
	pool->pool_lov = lov;
	INIT_LIST_HEAD(&pool->pool_members);
	strscpy(pool->pool_name, name, sizeof(pool->pool_name));
	rc = pool_publish(pool);
	if (rc) {
		pool_free(pool);
		return rc;
	}
	mutex_lock(&lov->lov_pools_lock);
	list_add_tail(&pool->pool_list, &lov->lov_pools);
	mutex_unlock(&lov->lov_pools_lock);
	return 0;
}

/* Unpublish, then free; a stopping device frees its pools itself. */
static int pool_del(struct lov_pool *pool)
{
	struct lov_device *lov = pool->pool_lov;
	struct lustre_params_entry *dir = pools_dir(lov);

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	params_delete_entry(dir, pool->pool_name);
	params_entry_put(dir);
	mutex_lock(&lov->lov_pools_lock);
	list_del(&pool->pool_list);
	mutex_unlock(&lov->lov_pools_lock);
	pool_free(pool);
	return 0;
}

static int pool_add(struct lov_pool *pool, const struct obd_uuid *target,
		    struct obd_why *why)
{
	struct lov_device *lov = pool->pool_lov;
	struct lov_member *member;

	if (!obd_targets_have(&lov->lov_targets, target))
		return obd_refuse(why, -ENOENT,
				  "%s: pool %s: %s is not a target of this volume",
				  lov->lov_obd->obd_name, pool->pool_name,
				  target->uuid);
	if (member_find(pool, target))
		return 0;
	member = libcfs_zalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);
	if (!member)
		return -ENOMEM;
	member->mbr_target = *target;
	mutex_lock(&lov->lov_pools_lock);
	list_add_tail(&member->mbr_list, &pool->pool_members);
	mutex_unlock(&lov->lov_pools_lock);
	return 0;
}

static int pool_remove(struct lov_pool *pool, const struct obd_uuid *target,
		       struct obd_why *why)
{
	struct lov_device *lov = pool->pool_lov;
	struct lov_member *member = member_find(pool, target);

	if (!member)
		return obd_refuse(why, -ENOENT,
				  "%s: pool %s: %s is not in it",
				  lov->lov_obd->obd_name, pool->pool_name,
				  target->uuid);
	mutex_lock(&lov->lov_pools_lock);
	member_drop(member);
	mutex_unlock(&lov->lov_pools_lock);
	return 0;
}

/**
 * lov_pools_target_del() - remove a deleted target from all pools
 * @lov: device
 * @target: its uuid
 *
 * Context: may sleep
 */
void lov_pools_target_del(struct lov_device *lov, const struct obd_uuid *target)
{
	struct lov_member *member;
	struct lov_pool *pool;

	mutex_lock(&lov->lov_pools_change);
	list_for_each_entry(pool, &lov->lov_pools, pool_list) {
		member = member_find(pool, target);
		if (!member)
			continue;
		mutex_lock(&lov->lov_pools_lock);
		member_drop(member);
		mutex_unlock(&lov->lov_pools_lock);
	}
	mutex_unlock(&lov->lov_pools_change);
}

/**
 * lov_pool_has() - d_pool of type lov
 * @exp: export of the device
 * @name: pool
 * @index: index of a target
 *
 * Context: may sleep
 * Return: 0; -ENOENT: there is no such pool; -ENODEV: it has no such target
 */
int lov_pool_has(struct obd_export *exp, const char *name, u32 index)
{
	struct lov_device *lov = lov_device(exp->exp_obd);
	struct obd_target_spec target;
	struct lov_pool *pool;
	int rc = -ENOENT;

	if (!obd_targets_spec(&lov->lov_targets, index, &target))
		memset(&target, 0, sizeof(target));
	mutex_lock(&lov->lov_pools_lock);
	pool = pool_find(lov, name);
	if (pool)
		rc = member_find(pool, &target.uuid) ? 0 : -ENODEV;
	mutex_unlock(&lov->lov_pools_lock);
	return rc;
}

/* Letters, digits, '_', '-' and '.', the first one of the former three. */
static bool pool_name_ok(const char *name)
{
	size_t len = strlen(name), n;

	if (!len || len >= LOV_POOL_NAME_MAX)
		return false;
	for (n = 0; n < len; n++)
		if (!isalnum(name[n]) && name[n] != '_' &&
		    (!n || !strchr("-.", name[n])))
			return false;
	return true;
}

static int pool_command(struct lov_device *lov, u32 command, const char *name,
			const struct obd_uuid *target, struct obd_why *why)
{
	struct lov_pool *pool;

	lockdep_assert_held(&lov->lov_pools_change);
	if (command == LCFG_POOL_NEW)
		return pool_new(lov, name);
	pool = pool_find(lov, name);
	if (!pool)
		return obd_refuse(why, -ENOENT, "%s: pool %s does not exist",
				  lov->lov_obd->obd_name, name);
	switch (command) {
	case LCFG_POOL_ADD:
		return pool_add(pool, target, why);
	case LCFG_POOL_REM:
		return pool_remove(pool, target, why);
	default:
		return pool_del(pool);
	}
}

/**
 * lov_pool_config() - apply a command about pools
 * @lov: device
 * @cfg: LCFG_POOL_*
 * @why: out: reason of a refusal
 *
 * Adding an existing pool or member again is harmless.
 *
 * Context: may sleep; an operation of the device
 * Return: 0; -EINVAL for an invalid name; -ENOENT if there is no such pool,
 *  target or member; -ENODEV if the device is stopping; -ENOMEM
 */
int lov_pool_config(struct lov_device *lov, const struct lcfg_view *cfg,
		    struct obd_why *why)
{
	const char *name = lcfg_string(cfg, 2) ?: "";
	const char *target = lcfg_string(cfg, 3) ?: "";
	struct obd_uuid uuid = { "" };
	int rc;

	if (!pool_name_ok(name))
		return obd_refuse(why, -EINVAL,
				  "%s: '%.64s' is not the name of a pool; use 1 to %u letters, digits, '_', '-' or '.'",
				  lov->lov_obd->obd_name, name,
				  LOV_POOL_NAME_MAX - 1);
	if (strscpy(uuid.uuid, target, sizeof(uuid.uuid)) < 0)
		return obd_refuse(why, -EINVAL,
				  "%s: pool %s: '%.64s' is not the uuid of a target",
				  lov->lov_obd->obd_name, name, target);
	mutex_lock(&lov->lov_pools_change);
	rc = pool_command(lov, cfg->command, name, &uuid, why);
	mutex_unlock(&lov->lov_pools_change);
	return rc;
}
