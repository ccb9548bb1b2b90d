// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets of a device: the table, its parameters, and the space on all targets together.
 * obd_targets.h has the drawing; targets_connect.c connects them.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/params.h>

#include "targets_internal.h"

/* Longest wait for a target that is not in the table. */
#define AWAIT_SEC	30

/**
 * obd_targets_init() - an empty table
 * @ts: table
 * @obd: device whose table it is
 * @type: type of the client devices
 *
 * Context: may sleep; setup of @obd
 */
void obd_targets_init(struct obd_targets *ts, struct obd_device *obd,
		      const char *type)
{
	ts->ts_obd = obd;
	ts->ts_type = type;
	ts->ts_found = NULL;
	mutex_init(&ts->ts_change);
	spin_lock_init(&ts->ts_lock);
	xa_init(&ts->ts_table);
	xa_init(&ts->ts_absent);
	ts->ts_count = 0;
	ts->ts_users = 0;
	targets_retry_init(ts);
}
EXPORT_SYMBOL_NS_GPL(obd_targets_init, LUSTRE_LITE);

/**
 * obd_targets_fini() - free the table
 * @ts: table, after obd_targets_release()
 *
 * Context: may sleep; cleanup of the device
 */
void obd_targets_fini(struct obd_targets *ts)
{
	struct obd_target *tgt;
	unsigned long index;

	xa_for_each(&ts->ts_table, index, tgt) {
		WARN_ON_ONCE(tgt->tgt_obd || tgt->tgt_exp);
		libcfs_free(tgt, sizeof(*tgt));
	}
	xa_destroy(&ts->ts_table);
	xa_destroy(&ts->ts_absent);
	mutex_destroy(&ts->ts_change);
}
EXPORT_SYMBOL_NS_GPL(obd_targets_fini, LUSTRE_LITE);

/* Buffer @n of a command as a number up to @max. */
static int parse_number(const struct lcfg_view *cfg, u32 n, const char *what,
			u32 max, u32 *number, struct obd_why *why)
{
	const char *text = lcfg_string(cfg, n) ?: "";

	if (!kstrtou32(text, 10, number) && *number <= max)
		return 0;
	return obd_refuse(why, -EINVAL,
			  "%s: '%s' is not the %s of a target; use 0 to %u",
			  lcfg_command_name(cfg->command), text, what, max);
}

/**
 * obd_target_parse() - parse a command that adds or deletes a target
 * @cfg: LCFG_LOV_ADD_OBD and similar: uuid, index, generation
 * @spec: out
 * @why: out: reason of a refusal
 *
 * Context: any
 * Return: 0 or -EINVAL
 */
int obd_target_parse(const struct lcfg_view *cfg, struct obd_target_spec *spec,
		     struct obd_why *why)
{
	const char *uuid = lcfg_string(cfg, 1) ?: "";
	int rc;

	memset(spec, 0, sizeof(*spec));
	if (!*uuid || strscpy(spec->uuid.uuid, uuid, UUID_MAX) < 0)
		return obd_refuse(why, -EINVAL,
				  "%s: '%.64s' is not the uuid of a target; use 1 to %u bytes",
				  lcfg_command_name(cfg->command), uuid,
				  UUID_MAX - 1);
	rc = parse_number(cfg, 2, "index", OBD_TARGET_INDEX_MAX, &spec->index,
			  why);
	if (!rc)
		rc = parse_number(cfg, 3, "generation", U32_MAX,
				  &spec->generation, why);
	spec->excluded = cfg->command == LCFG_LOV_ADD_INA;
	return rc;
}
EXPORT_SYMBOL_NS_GPL(obd_target_parse, LUSTRE_LITE);

/* Without memory for it the index is waited for. */
static void absent_set(struct obd_targets *ts, u32 index)
{
	xa_store(&ts->ts_absent, index, xa_mk_value(1), GFP_NOFS | __GFP_ACCOUNT);
}

static bool same_uuid(const struct obd_uuid *a, const struct obd_uuid *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static struct obd_target *target_by_uuid(struct obd_targets *ts,
					 const struct obd_uuid *uuid)
{
	struct obd_target *tgt;
	unsigned long index;

	lockdep_assert_held(&ts->ts_lock);
	xa_for_each(&ts->ts_table, index, tgt)
		if (same_uuid(&tgt->tgt_spec.uuid, uuid))
			return tgt;
	return NULL;
}

/* Whether a target is in the table. */
bool obd_targets_have(struct obd_targets *ts, const struct obd_uuid *uuid)
{
	bool have;

	spin_lock(&ts->ts_lock);
	have = target_by_uuid(ts, uuid);
	spin_unlock(&ts->ts_lock);
	return have;
}
EXPORT_SYMBOL_NS_GPL(obd_targets_have, LUSTRE_LITE);

/* The target that has an index. Return: whether there is one. Any context. */
bool obd_targets_spec(struct obd_targets *ts, u32 index, struct obd_target_spec *spec)
{
	struct obd_target *tgt;

	spin_lock(&ts->ts_lock);
	tgt = xa_load(&ts->ts_table, index);
	if (tgt)
		*spec = tgt->tgt_spec;
	spin_unlock(&ts->ts_lock);
	return tgt;
}
EXPORT_SYMBOL_NS_GPL(obd_targets_spec, LUSTRE_LITE);

static bool is_added(struct obd_targets *ts, u32 index)
{
	struct obd_target *tgt;
	bool added;

	spin_lock(&ts->ts_lock);
	tgt = xa_load(&ts->ts_table, index);
	added = tgt && READ_ONCE(tgt->tgt_added);
	spin_unlock(&ts->ts_lock);
	return added;
}

/* Return: whether there is still something to wait for */
static bool await_step(struct obd_targets *ts, u32 index)
{
	return wait_event_killable_timeout(ts->ts_wait, is_added(ts, index), HZ) == 0 &&
	       READ_ONCE(ts->ts_obd->obd_state) == OBD_SET_UP;
}

/**
 * obd_targets_await() - wait for a target that the config log has not brought yet
 * @ts: table
 * @index: its index, as a server named it
 *
 * A server may use a new target before this client has the record that adds it. An index is waited
 * for once, and not after it was deleted.
 *
 * Context: sleeps, up to AWAIT_SEC; a signal that kills the task ends it
 * Return: whether the target is there
 */
bool obd_targets_await(struct obd_targets *ts, u32 index)
{
	unsigned long end = jiffies + AWAIT_SEC * HZ;

	if (index > OBD_TARGET_INDEX_MAX || xa_load(&ts->ts_absent, index))
		return is_added(ts, index);
	while (!is_added(ts, index) && time_before(jiffies, end)) {
		if (!await_step(ts, index))
			return is_added(ts, index);
	}
	if (is_added(ts, index))
		return true;
	absent_set(ts, index);
	return false;
}
EXPORT_SYMBOL_NS_GPL(obd_targets_await, LUSTRE_LITE);

/* The target that has the index or the uuid of @spec: itself, or a refusal. */
static struct obd_target *target_present(struct obd_targets *ts,
					 const struct obd_target_spec *spec,
					 struct obd_why *why)
{
	struct obd_target *tgt;
	const char *name = ts->ts_obd->obd_name;

	lockdep_assert_held(&ts->ts_change);
	tgt = xa_load(&ts->ts_table, spec->index);
	if (tgt && same_uuid(&tgt->tgt_spec.uuid, &spec->uuid))
		return tgt;
	if (tgt)
		return ERR_PTR(obd_refuse(why, -EEXIST,
					  "%s: index %u belongs to %s; %s cannot have it",
					  name, spec->index,
					  tgt->tgt_spec.uuid.uuid,
					  spec->uuid.uuid));
	spin_lock(&ts->ts_lock);
	tgt = target_by_uuid(ts, &spec->uuid);
	spin_unlock(&ts->ts_lock);
	if (tgt)
		return ERR_PTR(obd_refuse(why, -EEXIST,
					  "%s: %s already has index %u; it cannot have index %u",
					  name, spec->uuid.uuid,
					  tgt->tgt_spec.index, spec->index));
	return NULL;
}

static struct obd_target *target_insert(struct obd_targets *ts,
					const struct obd_target_spec *spec)
{
	struct obd_target *tgt = libcfs_zalloc(sizeof(*tgt),
					       GFP_KERNEL_ACCOUNT);
	int rc;

	if (!tgt)
		return ERR_PTR(-ENOMEM);
	tgt->tgt_spec = *spec;
	rc = xa_insert(&ts->ts_table, spec->index, tgt, GFP_KERNEL);
	if (rc) {
		libcfs_free(tgt, sizeof(*tgt));
		return ERR_PTR(rc);
	}
	spin_lock(&ts->ts_lock);
	ts->ts_count++;
	spin_unlock(&ts->ts_lock);
	return tgt;
}

/**
 * obd_targets_add() - add a target
 * @ts: table
 * @spec: target
 * @why: out: reason of a failure
 *
 * Idempotent. If the device is connected the target is connected too; an
 * unreachable one is added all the same.
 *
 * Context: may sleep; an operation of the device
 * Return: 0; -EEXIST if another one has that index, or it has another index;
 *  -ENOMEM
 */
int obd_targets_add(struct obd_targets *ts, const struct obd_target_spec *spec,
		    struct obd_why *why)
{
	struct obd_target *tgt;
	int rc = 0;

	mutex_lock(&ts->ts_change);
	tgt = target_present(ts, spec, why);
	if (!tgt)
		tgt = target_insert(ts, spec);
	if (IS_ERR(tgt)) {
		rc = PTR_ERR(tgt);
	} else {
		spin_lock(&ts->ts_lock);
		tgt->tgt_spec.generation = spec->generation;
		spin_unlock(&ts->ts_lock);
		target_added(ts, tgt);
		WRITE_ONCE(tgt->tgt_added, true);
		xa_erase(&ts->ts_absent, spec->index);
		wake_up_all(&ts->ts_wait);
	}
	mutex_unlock(&ts->ts_change);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(obd_targets_add, LUSTRE_LITE);

/**
 * obd_targets_del() - delete a target
 * @ts: table
 * @spec: target
 * @why: out: reason of a failure
 *
 * Context: may sleep; an operation of the device
 * Return: 0; -ENOENT if none has that index; -EINVAL if another one has
 */
int obd_targets_del(struct obd_targets *ts, const struct obd_target_spec *spec,
		    struct obd_why *why)
{
	const char *name = ts->ts_obd->obd_name;
	struct obd_target *tgt;
	int rc = 0;

	mutex_lock(&ts->ts_change);
	tgt = xa_load(&ts->ts_table, spec->index);
	if (!tgt) {
		rc = obd_refuse(why, -ENOENT, "%s: no target has index %u",
				name, spec->index);
	} else if (!same_uuid(&tgt->tgt_spec.uuid, &spec->uuid)) {
		rc = obd_refuse(why, -EINVAL,
				"%s: index %u belongs to %s, not to %s", name,
				spec->index, tgt->tgt_spec.uuid.uuid,
				spec->uuid.uuid);
	} else {
		target_let_go(ts, tgt);
		absent_set(ts, spec->index);
		spin_lock(&ts->ts_lock);
		xa_erase(&ts->ts_table, spec->index);
		ts->ts_count--;
		spin_unlock(&ts->ts_lock);
		libcfs_free(tgt, sizeof(*tgt));
	}
	mutex_unlock(&ts->ts_change);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(obd_targets_del, LUSTRE_LITE);

/* obd_targets_next() - the target at @index or after it; @index moves past it. */
static bool obd_targets_next(struct obd_targets *ts, u32 *index,
			     struct obd_target_info *info)
{
	unsigned long at = *index;
	struct obd_target *tgt;

	spin_lock(&ts->ts_lock);
	tgt = xa_find(&ts->ts_table, &at, OBD_TARGET_INDEX_MAX, XA_PRESENT);
	if (tgt) {
		info->uuid = tgt->tgt_spec.uuid;
		info->index = tgt->tgt_spec.index;
		info->active = target_active(tgt);
		*index = info->index + 1;
	}
	spin_unlock(&ts->ts_lock);
	return tgt;
}

/* obd_targets_count() - number of targets, and of active ones; either may be NULL. */
static void obd_targets_count(struct obd_targets *ts, u32 *all, u32 *active)
{
	struct obd_target *tgt;
	unsigned long index;
	u32 usable = 0;

	spin_lock(&ts->ts_lock);
	if (all)
		*all = ts->ts_count;
	if (active) {
		xa_for_each(&ts->ts_table, index, tgt)
			usable += target_active(tgt);
		*active = usable;
	}
	spin_unlock(&ts->ts_lock);
}

/*
 * Parameters.
 */

static int numobd_get(void *data, u64 *val)
{
	u32 all;

	obd_targets_count(data, &all, NULL);
	*val = all;
	return 0;
}

static int activeobd_get(void *data, u64 *val)
{
	u32 active;

	obd_targets_count(data, NULL, &active);
	*val = active;
	return 0;
}

static ssize_t desc_uuid_get(void *data, char *buf, size_t size)
{
	const struct obd_targets *ts = data;
	ssize_t len = strscpy(buf, ts->ts_desc_uuid, size);

	return len < 0 ? -EOVERFLOW : len;
}

static int target_obd_read(struct params_sink *sink, void *data)
{
	struct obd_target_info info;
	u32 index = 0;

	while (obd_targets_next(data, &index, &info))
		params_put_strf(sink, NULL, "%u: %s %sACTIVE", info.index,
				info.uuid.uuid, info.active ? "" : "IN");
	return params_sink_error(sink);
}

static const struct lustre_params_attr targets_attrs[] = {
	LP_U32_RO("numobd", numobd_get, .doc = "targets"),
	LP_U32_RO("activeobd", activeobd_get, .doc = "active targets"),
	LP_STR_RO("desc_uuid", desc_uuid_get, .doc = "uuid of the volume"),
	LP_READER("target_obd", target_obd_read,
		  .doc = "index, uuid and state of each target"),
};

/**
 * obd_targets_params_add() - add the parameters of the targets
 * @ts: table; they go into the directory of its device
 *
 * Context: may sleep; setup of the device
 * Return: 0 or a negative errno
 */
int obd_targets_params_add(struct obd_targets *ts)
{
	return params_add_attrs(ts->ts_obd->obd_params, targets_attrs,
				ARRAY_SIZE(targets_attrs), ts);
}
EXPORT_SYMBOL_NS_GPL(obd_targets_params_add, LUSTRE_LITE);

/*
 * Space.
 *
 * A target that is down is skipped. A target whose connection ends now, or ended a moment
 * ago, may be back at once, for example when its server restarted: it is waited for a short
 * time, and asked again.
 */

static u64 blocks_of(u64 blocks, u32 from, u32 to)
{
	return from == to ? blocks : mul_u64_u64_div_u64(blocks, from, to);
}

/* Add the space of one target; the first sets the size of a block. */
static void statfs_add(struct obd_statfs *sum, const struct obd_statfs *one)
{
	u32 bsize = one->os_bsize ?: 1;

	if (!sum->os_bsize) {
		*sum = *one;
		sum->os_bsize = bsize;
		sum->os_state = 0;
		return;
	}
	sum->os_blocks += blocks_of(one->os_blocks, bsize, sum->os_bsize);
	sum->os_bfree += blocks_of(one->os_bfree, bsize, sum->os_bsize);
	sum->os_bavail += blocks_of(one->os_bavail, bsize, sum->os_bsize);
	sum->os_files += one->os_files;
	sum->os_ffree += one->os_ffree;
	sum->os_namelen = min(sum->os_namelen, one->os_namelen);
}

static bool client_away(struct obd_device *obd)
{
	bool away;

	if (!obd_op_enter(obd))
		return true;
	away = import_is_away(obd->obd_cli->cl_import);
	obd_op_leave(obd);
	return away;
}

/*
 * One target. @lost: set when the call did not reach it. The same errors from a target that
 * is there count too; to ask it again does no harm.
 */
static int statfs_one(struct obd_export *exp, struct obd_statfs *one,
		      u64 max_age, bool *lost)
{
	int rc;

	if (client_away(exp->exp_obd))
		return -ENOTCONN;
	rc = obd_statfs(exp, one, max_age);
	if (rc == -ENOTCONN || rc == -EIO)
		*lost = true;
	return rc;
}

/* Return: 0 when at least one target answered, or the error of the last one. */
static int statfs_sum(struct obd_targets *ts, struct obd_statfs *st,
		      u64 max_age, bool *lost)
{
	int failed = -ENOTCONN, rc;
	struct obd_statfs one;
	struct obd_export *exp;
	u32 index = 0;

	memset(st, 0, sizeof(*st));
	while ((exp = obd_targets_export(ts, &index))) {
		rc = statfs_one(exp, &one, max_age, lost);
		if (rc) {
			CDEBUG(D_INFO, "%s: statfs of %s: rc = %d\n",
			       ts->ts_obd->obd_name, exp->exp_obd->obd_name,
			       rc);
			failed = rc;
		} else {
			statfs_add(st, &one);
		}
		class_export_put(exp);
	}
	return st->os_bsize ? 0 : failed;
}

static u64 client_return_ns(struct obd_device *obd)
{
	u64 ns;

	if (!obd_op_enter(obd))
		return 0;
	ns = import_return_ns(obd->obd_cli->cl_import);
	obd_op_leave(obd);
	return ns;
}

/* How much longer a lost target may be back at once; 0: there is none. */
static u64 targets_return_ns(struct obd_targets *ts)
{
	struct obd_target *tgt;
	unsigned long index;
	u64 ns = 0;

	spin_lock(&ts->ts_lock);
	xa_for_each(&ts->ts_table, index, tgt)
		if (tgt->tgt_exp)
			ns = max_t(u64, ns, client_return_ns(tgt->tgt_obd));
	spin_unlock(&ts->ts_lock);
	return ns;
}

/* target_look() wakes this for a target that is back, or not wanted any more. */
static int targets_wait(struct obd_targets *ts)
{
	u64 ns = targets_return_ns(ts);
	long left;

	if (!ns)
		return 0;
	left = wait_event_killable_timeout(ts->ts_wait, !targets_return_ns(ts),
					   nsecs_to_jiffies(ns) + 1);
	return left < 0 ? -EINTR : 0;
}

/**
 * obd_targets_statfs() - space on all active targets together
 * @ts: table
 * @st: out
 * @max_age: how old it may be, nanoseconds
 *
 * Targets that were lost less than IMP_RETURN_SEC ago are waited for until then; those
 * that are lost while they are asked, too, and these are asked once more.
 *
 * Context: may sleep; an operation of the device
 * Return: 0 when at least one target answered; -ENOTCONN when none is active;
 * -EINTR when killed; what the last one said
 */
int obd_targets_statfs(struct obd_targets *ts, struct obd_statfs *st,
		       u64 max_age)
{
	bool lost = false;
	int rc;

	rc = targets_wait(ts) ?: statfs_sum(ts, st, max_age, &lost);
	if (!lost)
		return rc;
	return targets_wait(ts) ?: statfs_sum(ts, st, max_age, &lost);
}
EXPORT_SYMBOL_NS_GPL(obd_targets_statfs, LUSTRE_LITE);
