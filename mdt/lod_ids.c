// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets, and numbers for their objects.
 *
 * Each target gives ranges of numbers (OST_CREATE). A target has a range in use and a spare one,
 * which is asked for when half of the first is used: so a create does not wait for a request. The
 * work of a target waits for that target only.
 *
 * The highest number of each target is in lov_objid before one of the range is used. A target whose
 * directory is new, or from a backup, does not know what it has given: a number that it gave twice
 * would be that of two files. So each request says the highest one, and a target that has forgotten
 * this client is asked at once.
 */
#define DEBUG_SUBSYSTEM S_MDS

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/stringhash.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/libcfs.h>
#include <lustre_lite/lustre_ost.h>
#include <lustre_lite/obd_class.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/obd_export.h>
#include <lustre_lite/obd_ops.h>
#include <lustre_lite/obd_targets.h>

#include <uapi/lustre_lite/lustre_user.h>

#include "lod.h"
#include "mdt_internal.h"

/* Numbers in a range, and those that are left when the next one is asked for. */
#define IDS_ASK		OST_CREATE_MAX
#define IDS_LOW		(IDS_ASK / 2)
/* Seconds between looks at the targets; fewer with a shorter qos_maxage. */
#define WATCH_SEC	5
/* The same while tasks wait for a target to be connected, jiffies. */
#define SOON		(HZ / 5)
/* Seconds that a create waits for the first numbers. */
#define WAIT_SEC	10
/* A target with less free space gets no files, bytes. */
#define SPACE_MIN	(1ULL << 20)

static const char *lod_name(const struct lod_device *lod)
{
	return lod->lodd_mdt->mdt_dir.td_obd->obd_name;
}

static u64 ids_left(const struct lod_range *range)
{
	return range->end - range->next;
}

static bool __has_numbers(const struct lod_target *lt)
{
	return ids_left(&lt->ltg_range) || ids_left(&lt->ltg_spare);
}

static bool __ids_low(const struct lod_target *lt)
{
	return !ids_left(&lt->ltg_spare) && ids_left(&lt->ltg_range) <= IDS_LOW;
}

bool __lod_target_full(const struct lod_target *lt)
{
	return lt->ltg_free < SPACE_MIN;
}

/* The free space of a full target that is being asked for may be that before files were removed. */
static void __feed(struct lod_target *lt)
{
	lockdep_assert_held(&lt->ltg_lod->lodd_lock);
	if ((lt->ltg_asking && !__lod_target_full(lt)) || lt->ltg_lod->lodd_stopped)
		return;
	lt->ltg_asking = true;
	queue_work(lt->ltg_lod->lodd_wq, &lt->ltg_feed);
}

u64 __lod_id_take(struct lod_target *lt)
{
	lockdep_assert_held(&lt->ltg_lod->lodd_lock);
	if (!ids_left(&lt->ltg_range)) {
		lt->ltg_range = lt->ltg_spare;
		lt->ltg_spare = (struct lod_range){};
	}
	if (__ids_low(lt))
		__feed(lt);
	return ids_left(&lt->ltg_range) ? lt->ltg_range.next++ : 0;
}

bool __lod_target_usable(const struct lod_target *lt)
{
	return lt->ltg_active && !__lod_target_full(lt) && __has_numbers(lt);
}

/* What a target gave. A number that it gave before may be that of an object with data. */
static int range_check(const struct lod_target *lt, const struct ost_reply *rep)
{
	u64 max = 1ULL << FID_IDIF_OBJECT_BITS;

	if (!rep->count || rep->count > IDS_ASK || !rep->first || rep->first >= max ||
	    rep->first + rep->count > max)
		return -EPROTO;
	return rep->first < lt->ltg_top ? -ESTALE : 0;
}

u32 lod_generation(const struct obd_export *exp)
{
	const struct client_obd *cli = exp->exp_obd->obd_cli;

	return cli ? READ_ONCE(cli->cl_import->imp_generation) : 0;
}

/* The target may be another one than that which gave the numbers. */
static bool __is_forgotten(const struct lod_target *lt, u32 generation)
{
	return lt->ltg_top && lt->ltg_generation != generation;
}

static bool numbers_needed(struct lod_target *lt, u32 generation)
{
	bool needed;

	spin_lock(&lt->ltg_lod->lodd_lock);
	needed = __ids_low(lt) || __is_forgotten(lt, generation);
	spin_unlock(&lt->ltg_lod->lodd_lock);
	return needed;
}

/* The highest number that the target gave: of before a restart, if it has given none since. */
static int number_given(struct lod_target *lt, u64 *given)
{
	u64 top = READ_ONCE(lt->ltg_top);

	if (!top)
		return osd_lov_objid_get(lt->ltg_lod->lodd_mdt->mdt_osd, lt->ltg_index, given);
	*given = top - 1;
	return 0;
}

static int range_take(struct lod_target *lt, const struct ost_reply *rep, u32 generation)
{
	struct lod_device *lod = lt->ltg_lod;
	int rc = range_check(lt, rep);

	if (!rc)
		rc = osd_lov_objid_set(lod->lodd_mdt->mdt_osd, lt->ltg_index,
				       rep->first + rep->count - 1);
	if (rc)
		return rc;
	spin_lock(&lod->lodd_lock);
	lt->ltg_spare = (struct lod_range){ .next = rep->first, .end = rep->first + rep->count };
	WRITE_ONCE(lt->ltg_top, lt->ltg_spare.end);
	lt->ltg_generation = generation;
	spin_unlock(&lod->lodd_lock);
	return 0;
}

static int ids_ask(struct lod_target *lt, struct obd_export *exp)
{
	struct ost_op op = { .opc = OST_CREATE, .len = IDS_ASK };
	u32 generation = lod_generation(exp);
	struct ost_reply rep;
	int rc;

	if (!numbers_needed(lt, generation))
		return 0;
	rc = number_given(lt, &op.offset) ?: ost_call(exp, &op, &rep);
	return rc ?: range_take(lt, &rep, generation);
}

/* The number of a server among those that were seen. */
static u32 __server_number(struct lod_device *lod, u32 hash)
{
	u32 n;

	lockdep_assert_held(&lod->lodd_lock);
	for (n = 0; n < lod->lodd_nr_servers; n++)
		if (lod->lodd_servers[n] == hash)
			return n;
	if (n == QOS_SERVERS)
		return n - 1;
	lod->lodd_servers[lod->lodd_nr_servers++] = hash;
	return n;
}

/* A target whose server is not known is one of its own. */
static u32 server_hash(const struct lod_target *lt, struct obd_export *exp)
{
	char text[LNET_NID_TEXT_MAX];

	obd_target_server(exp, text, sizeof(text));
	return *text ? full_name_hash(NULL, text, strlen(text)) : lt->ltg_index;
}

static void server_note(struct lod_target *lt, struct obd_export *exp)
{
	u32 hash = server_hash(lt, exp);

	spin_lock(&lt->ltg_lod->lodd_lock);
	lt->ltg_qos.server = __server_number(lt->ltg_lod, hash);
	spin_unlock(&lt->ltg_lod->lodd_lock);
}

/* The free space of a target has changed. */
static void __compare(struct lod_device *lod)
{
	u64 min = U64_MAX, max = 0;
	struct lod_target *lt;
	unsigned long index;

	lockdep_assert_held(&lod->lodd_lock);
	xa_for_each(&lod->lodd_targets, index, lt) {
		if (!__lod_target_usable(lt))
			continue;
		min = min(min, lt->ltg_free);
		max = max(max, lt->ltg_free);
	}
	WRITE_ONCE(lod->lodd_uneven, max && !qos_is_even(&lod->lodd_qos, min, max));
}

void lod_targets_compare(struct lod_device *lod)
{
	spin_lock(&lod->lodd_lock);
	__compare(lod);
	spin_unlock(&lod->lodd_lock);
}

/* Said when it changes. */
static void feed_report(struct lod_target *lt, int rc)
{
	if (rc && rc != lt->ltg_rc)
		CWARN("%s: OST%04x gives no numbers for objects, new files do not use it: rc = %d\n",
		      lod_name(lt->ltg_lod), lt->ltg_index, rc);
}

static void feed_end(struct lod_target *lt, int rc, const struct obd_statfs *st)
{
	struct lod_device *lod = lt->ltg_lod;

	feed_report(lt, rc);
	spin_lock(&lod->lodd_lock);
	lt->ltg_rc = rc;
	lt->ltg_asking = work_pending(&lt->ltg_feed);
	if (st) {
		lt->ltg_free = st->os_bavail * st->os_bsize;
		lt->ltg_avoided = st->os_state & (OS_STATFS_DEGRADED | OS_STATFS_READONLY);
	}
	__compare(lod);
	spin_unlock(&lod->lodd_lock);
	wake_up_all(&lod->lodd_wait);
}

/* Of a target that was full, the space of now: files may have been removed. */
static u64 space_max_age(struct lod_target *lt)
{
	bool full;

	spin_lock(&lt->ltg_lod->lodd_lock);
	full = __lod_target_full(lt);
	spin_unlock(&lt->ltg_lod->lodd_lock);
	return full ? 0 : (u64)READ_ONCE(lt->ltg_lod->lodd_qos.maxage) * NSEC_PER_SEC;
}

static void target_feed(struct work_struct *work)
{
	struct lod_target *lt = container_of(work, struct lod_target, ltg_feed);
	struct obd_export *exp = dt_target(lt->ltg_lod->lodd_lov, lt->ltg_index);
	struct obd_statfs st;
	int rc, stat = -ENODEV;

	rc = exp ? ids_ask(lt, exp) : -ENODEV;
	if (!rc)
		stat = obd_statfs(exp, &st, space_max_age(lt));
	if (exp)
		server_note(lt, exp);
	if (exp)
		class_export_put(exp);
	feed_end(lt, rc, stat ? NULL : &st);
}

static struct lod_target *target_new(struct lod_device *lod, u32 index)
{
	struct lod_target *lt = libcfs_zalloc(sizeof(*lt), GFP_KERNEL_ACCOUNT);

	if (!lt)
		return NULL;
	lt->ltg_lod = lod;
	lt->ltg_index = index;
	lt->ltg_free = U64_MAX;
	INIT_WORK(&lt->ltg_feed, target_feed);
	INIT_LIST_HEAD(&lt->ltg_doomed);
	INIT_DELAYED_WORK(&lt->ltg_destroy, lod_target_destroy);
	return lt;
}

struct lod_target *lod_target_get(struct lod_device *lod, u32 index)
{
	struct lod_target *lt = xa_load(&lod->lodd_targets, index), *present;

	if (lt)
		return lt;
	lt = target_new(lod, index);
	if (!lt)
		return NULL;
	present = xa_cmpxchg(&lod->lodd_targets, index, NULL, lt, GFP_KERNEL_ACCOUNT);
	if (!present) {
		spin_lock(&lod->lodd_lock);
		WRITE_ONCE(lod->lodd_nr, lod->lodd_nr + 1);
		spin_unlock(&lod->lodd_lock);
		return lt;
	}
	libcfs_free(lt, sizeof(*lt));
	return xa_is_err(present) ? NULL : present;
}

static void target_look(struct lod_target *lt, const struct obd_export *exp)
{
	spin_lock(&lt->ltg_lod->lodd_lock);
	if (__is_forgotten(lt, lod_generation(exp)))
		__feed(lt);
	spin_unlock(&lt->ltg_lod->lodd_lock);
}

/* @used: files were made since the last look: the free space has changed */
static void targets_set_active(struct lod_device *lod, u32 from, u32 to, bool active, bool used)
{
	struct lod_target *lt;
	unsigned long index;

	spin_lock(&lod->lodd_lock);
	xa_for_each_range(&lod->lodd_targets, index, lt, from, to) {
		if (active && (used || !lt->ltg_active || __ids_low(lt)))
			__feed(lt);
		if (active && !lt->ltg_active)
			WRITE_ONCE(lod->lodd_waited, false);
		lt->ltg_active = active;
		__lod_destroy_kick(lt);
	}
	spin_unlock(&lod->lodd_lock);
}

/* Return: jiffies until the next look */
static unsigned long watch_delay(struct lod_device *lod)
{
	if (atomic_read(&lod->lodd_waiting))
		return SOON;
	return min_t(u32, READ_ONCE(lod->lodd_qos.maxage), WATCH_SEC) * HZ;
}

/* It may have been set since the last look. */
static void maxage_update(struct lod_device *lod)
{
	struct dt_desc desc;

	if (dt_desc(lod->lodd_lov, &desc))
		return;
	spin_lock(&lod->lodd_lock);
	WRITE_ONCE(lod->lodd_qos.maxage, max_t(u64, div_u64(desc.dd_qos_maxage, NSEC_PER_SEC), 1));
	spin_unlock(&lod->lodd_lock);
}

static void watch(struct work_struct *work)
{
	struct lod_device *lod = container_of(to_delayed_work(work), struct lod_device, lodd_watch);
	bool used = xchg(&lod->lodd_used, false);
	u32 seen = 0, next = 0;
	struct obd_export *exp;
	struct lod_target *lt;

	maxage_update(lod);
	while ((exp = dt_target_next(lod->lodd_lov, &next))) {
		if (next - 1 > seen)
			targets_set_active(lod, seen, next - 2, false, used);
		lt = lod_target_get(lod, next - 1);
		if (lt) {
			target_look(lt, exp);
			targets_set_active(lod, next - 1, next - 1, true, used);
		}
		class_export_put(exp);
		seen = next;
	}
	targets_set_active(lod, seen, U32_MAX, false, used);
	wake_up_all(&lod->lodd_wait);
	if (!READ_ONCE(lod->lodd_stopped))
		queue_delayed_work(lod->lodd_wq, &lod->lodd_watch, watch_delay(lod));
}

/* Targets that the volume has, also those that were not seen yet. */
static u32 targets_known(struct lod_device *lod)
{
	struct dt_desc desc;

	return dt_desc(lod->lodd_lov, &desc) ? 0 : desc.dd_targets;
}

/*
 * Whether there is nothing to wait for. After a start that is so when each target that is connected
 * has answered: else the first files would have fewer stripes than wanted. Later one target
 * suffices. Targets that do not come are waited for once.
 */
static bool is_fed(struct lod_device *lod, u32 known)
{
	bool usable = false, asking = false;
	struct lod_target *lt;
	unsigned long index;
	u32 active = 0;

	spin_lock(&lod->lodd_lock);
	xa_for_each(&lod->lodd_targets, index, lt) {
		usable |= __lod_target_usable(lt);
		asking |= lt->ltg_asking && (!__has_numbers(lt) || __lod_target_full(lt));
		active += lt->ltg_active;
	}
	spin_unlock(&lod->lodd_lock);
	if (usable)
		return !asking || READ_ONCE(lod->lodd_settled);
	return !asking && (active >= known || READ_ONCE(lod->lodd_waited));
}

static bool is_usable(struct lod_device *lod)
{
	struct lod_target *lt;
	unsigned long index;
	bool usable = false;

	spin_lock(&lod->lodd_lock);
	WRITE_ONCE(lod->lodd_used, true);
	xa_for_each(&lod->lodd_targets, index, lt) {
		usable = __lod_target_usable(lt);
		if (usable)
			break;
	}
	spin_unlock(&lod->lodd_lock);
	return usable;
}

void lod_wait_ids(struct lod_device *lod)
{
	u32 known;

	if (!lod || (is_usable(lod) && READ_ONCE(lod->lodd_settled)))
		return;
	known = targets_known(lod);
	atomic_inc(&lod->lodd_waiting);
	/* A target may have come since the last look. */
	mod_delayed_work(lod->lodd_wq, &lod->lodd_watch, 0);
	flush_delayed_work(&lod->lodd_watch);
	if (!wait_event_timeout(lod->lodd_wait, is_fed(lod, known), WAIT_SEC * HZ))
		WRITE_ONCE(lod->lodd_waited, true);
	atomic_dec(&lod->lodd_waiting);
	WRITE_ONCE(lod->lodd_settled, true);
}

static struct lod_device *lod_new(struct mdt_device *mdt)
{
	struct lod_device *lod = libcfs_zalloc(sizeof(*lod), GFP_KERNEL_ACCOUNT);

	if (!lod)
		return NULL;
	lod->lodd_mdt = mdt;
	lod->lodd_lov = class_export_get(mdt->mdt_lov);
	lod->lodd_qos = (struct lod_qos){
		.threshold = QOS_THRESHOLD,
		.prio_free = QOS_PRIO_FREE,
		.maxage = WATCH_SEC,
	};
	xa_init(&lod->lodd_targets);
	spin_lock_init(&lod->lodd_lock);
	init_waitqueue_head(&lod->lodd_wait);
	INIT_DELAYED_WORK(&lod->lodd_watch, watch);
	lod_destroy_init(lod);
	return lod;
}

static void lod_free(struct lod_device *lod)
{
	class_export_put(lod->lodd_lov);
	libcfs_free(lod, sizeof(*lod));
}

int lod_init(struct mdt_device *mdt)
{
	struct lod_device *lod;
	int rc = -ENOMEM;

	if (!mdt->mdt_lov)
		return 0;
	lod = lod_new(mdt);
	if (!lod)
		return -ENOMEM;
	lod->lodd_wq = alloc_workqueue("ll_lod", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!lod->lodd_wq)
		goto free_lod;
	rc = lod_params_init(lod);
	if (rc)
		goto free_wq;
	mdt->mdt_lod = lod;
	queue_delayed_work(lod->lodd_wq, &lod->lodd_watch, 0);
	return 0;

free_wq:
	destroy_workqueue(lod->lodd_wq);
free_lod:
	lod_free(lod);
	return rc;
}

void lod_stop(struct mdt_device *mdt)
{
	struct lod_device *lod = mdt->mdt_lod;
	struct lod_target *lt;
	unsigned long index;

	if (!lod)
		return;
	spin_lock(&lod->lodd_lock);
	lod->lodd_stopped = true;
	spin_unlock(&lod->lodd_lock);
	cancel_delayed_work_sync(&lod->lodd_watch);
	xa_for_each(&lod->lodd_targets, index, lt) {
		cancel_work_sync(&lt->ltg_feed);
		cancel_delayed_work_sync(&lt->ltg_destroy);
	}
	cancel_work_sync(&lod->lodd_reap);
}

void lod_fini(struct mdt_device *mdt)
{
	struct lod_device *lod = mdt->mdt_lod;
	struct lod_target *lt;
	unsigned long index;

	if (!lod)
		return;
	mdt->mdt_lod = NULL;
	lod_params_fini(lod);
	destroy_workqueue(lod->lodd_wq);
	lod_destroy_fini(lod);
	xa_for_each(&lod->lodd_targets, index, lt)
		libcfs_free(lt, sizeof(*lt));
	xa_destroy(&lod->lodd_targets);
	lod_free(lod);
}
