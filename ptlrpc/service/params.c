// SPDX-License-Identifier: GPL-2.0-only
/* Parameters and statistics of services. */
#define DEBUG_SUBSYSTEM S_RPC

#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>

#include <uapi/lustre_lite/wire_mds.h>
#include <uapi/lustre_lite/wire_ost.h>

#include "service.h"

/* Operations that have a counter, in ascending order. */
static const u16 svc_opcodes[] = {
	OST_GETATTR, OST_SETATTR, OST_READ, OST_WRITE, OST_CREATE, OST_DESTROY, OST_GET_INFO,
	OST_CONNECT, OST_DISCONNECT, OST_PUNCH, OST_STATFS, OST_SYNC, OST_SET_INFO, OST_FALLOCATE,
	OST_SEEK, MDS_GETATTR, MDS_GETATTR_NAME, MDS_CLOSE, MDS_REINT, MDS_READPAGE, MDS_CONNECT,
	MDS_DISCONNECT, MDS_GET_ROOT, MDS_STATFS, MDS_SYNC, MDS_DONE_WRITING, MDS_GETXATTR,
	MDS_SET_INFO, MDS_GET_INFO, MDS_SWAP_LAYOUTS, MDS_FID2PATH, LDLM_ENQUEUE, LDLM_CONVERT, LDLM_CANCEL,
	LDLM_BL_CALLBACK, LDLM_CP_CALLBACK, LDLM_GL_CALLBACK, MGS_CONNECT, MGS_DISCONNECT, MGS_TARGET_REG,
	MGS_SET_INFO, MGS_CONFIG_READ, OBD_PING, SEQ_QUERY,
};

/* Longest path of a service's directory. */
#define PARAMS_PATH	64

#define SVC_STATS_ALL	(SVC_STAT_COUNT + ARRAY_SIZE(svc_opcodes))

#define SVC_EVENT(stat, text)						\
	[stat] = { .name = (text), .unit = PARAMS_UNIT_REQS }
#define SVC_SAMPLE(stat, text, in)					\
	[stat] = PARAMS_STAT_SAMPLES(text, in)

/*
 * The counters of operations are filled in when the first service is
 * registered.
 */
static struct params_stat_desc svc_stat_desc[SVC_STATS_ALL] = {
	SVC_SAMPLE(SVC_STAT_WAIT, "req_waittime", PARAMS_UNIT_USEC),
	SVC_SAMPLE(SVC_STAT_QDEPTH, "req_qdepth", PARAMS_UNIT_REQS),
	SVC_SAMPLE(SVC_STAT_ACTIVE, "req_active", PARAMS_UNIT_REQS),
	SVC_SAMPLE(SVC_STAT_TIMEOUT, "req_timeout", PARAMS_UNIT_SEC),
	SVC_SAMPLE(SVC_STAT_MEMORY, "req_memory", PARAMS_UNIT_BYTES),
	SVC_EVENT(SVC_STAT_EARLY, "early_replies"),
	SVC_EVENT(SVC_STAT_LATE, "too_late"),
	SVC_EVENT(SVC_STAT_NO_EXPORT, "not_connected"),
	SVC_EVENT(SVC_STAT_STALE, "old_connect"),
	SVC_EVENT(SVC_STAT_OLD_XID, "old_xid"),
	SVC_EVENT(SVC_STAT_ATTACHED, "again_while_worked_on"),
	SVC_EVENT(SVC_STAT_ANSWERED, "again_after_reply"),
	SVC_EVENT(SVC_STAT_CROWDED, "too_many"),
	SVC_EVENT(SVC_STAT_BAD_BUFFERS, "bad_buffers"),
	SVC_EVENT(SVC_STAT_BAD_BULK, "bad_bulk"),
	SVC_EVENT(SVC_STAT_BAD_OPCODE, "bad_opcode"),
	SVC_EVENT(SVC_STAT_NO_MEMORY, "no_memory"),
};

/**
 * struct params_step - a directory above those of services
 * @pst_item: in the list, the newest first
 * @pst_dir: directory
 * @pst_users: services below
 * @pst_path: path, its components joined by '/'
 */
struct params_step {
	struct list_head		pst_item;
	struct lustre_params_entry	*pst_dir;
	unsigned int			pst_users;
	char				pst_path[PARAMS_PATH];
};

/* Guards the list and @svc_stat_desc; held while directories are added. */
static DEFINE_MUTEX(steps_lock);
static LIST_HEAD(steps);

/**
 * svc_count() - add a sample to a counter
 * @svc: service
 * @stat: enum svc_stat
 * @value: sample
 *
 * Context: any
 */
void svc_count(struct ptlrpc_service *svc, unsigned int stat, u64 value)
{
	params_stats_add(svc->svc_stats, stat, value);
}

/**
 * svc_count_op() - count a finished operation
 * @svc: service
 * @opc: operation
 * @usec: its time
 *
 * Context: any
 */
void svc_count_op(struct ptlrpc_service *svc, u32 opc, u64 usec)
{
	size_t low = 0, high = ARRAY_SIZE(svc_opcodes), middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (svc_opcodes[middle] < opc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < ARRAY_SIZE(svc_opcodes) && svc_opcodes[low] == opc)
		svc_count(svc, SVC_STAT_COUNT + low, usec);
}

static void __descs_complete(void)
{
	size_t n;

	lockdep_assert_held(&steps_lock);
	for (n = 0; n < ARRAY_SIZE(svc_opcodes); n++) {
		WARN_ON_ONCE(n && svc_opcodes[n] <= svc_opcodes[n - 1]);
		svc_stat_desc[SVC_STAT_COUNT + n] = (struct params_stat_desc)
			PARAMS_STAT_SAMPLES(wire_opcode_name(svc_opcodes[n]), PARAMS_UNIT_USEC);
	}
}

static int threads_started_get(void *data, u64 *val)
{
	struct ptlrpc_service *svc = data;

	*val = READ_ONCE(svc->svc_started);
	return 0;
}

static int threads_min_get(void *data, u64 *val)
{
	struct ptlrpc_service *svc = data;

	*val = READ_ONCE(svc->svc_threads_min);
	return 0;
}

static int threads_max_get(void *data, u64 *val)
{
	struct ptlrpc_service *svc = data;

	*val = READ_ONCE(svc->svc_threads_max);
	return 0;
}

/* Return: 0; -ERANGE if the minimum would exceed the maximum. */
static int threads_set(struct ptlrpc_service *svc, u32 *field, u32 val)
{
	u32 old;
	int rc = 0;

	spin_lock(&svc->svc_lock);
	old = *field;
	WRITE_ONCE(*field, val);
	if (svc->svc_threads_min > svc->svc_threads_max) {
		WRITE_ONCE(*field, old);
		rc = -ERANGE;
	}
	spin_unlock(&svc->svc_lock);
	if (!rc)
		svc_threads_check(svc);
	return rc;
}

static int threads_min_set(void *data, u64 val)
{
	struct ptlrpc_service *svc = data;

	return threads_set(svc, &svc->svc_threads_min, val);
}

static int threads_max_set(void *data, u64 val)
{
	struct ptlrpc_service *svc = data;

	return threads_set(svc, &svc->svc_threads_max, val);
}

static int history_len_get(void *data, u64 *val)
{
	struct ptlrpc_service *svc = data;

	*val = svc_history_len(&svc->svc_history);
	return 0;
}

static int history_max_get(void *data, u64 *val)
{
	struct ptlrpc_service *svc = data;

	*val = READ_ONCE(svc->svc_history.hi_size);
	return 0;
}

static int history_max_set(void *data, u64 val)
{
	struct ptlrpc_service *svc = data;

	return svc_history_resize(&svc->svc_history, val);
}

/* The estimate does not belong to a request, so each read adds it as a sample. */
static struct params_stats *stats_get(void *data)
{
	struct ptlrpc_service *svc = data;

	svc_count(svc, SVC_STAT_TIMEOUT, svc_estimate(svc));
	return svc->svc_stats;
}

static int timeouts_read(struct params_sink *sink, void *data)
{
	struct ptlrpc_service *svc = data;
	struct adaptive_timeout at;
	u64 now = ktime_get_seconds();

	spin_lock(&svc->svc_lock);
	at = svc->svc_at;
	spin_unlock(&svc->svc_lock);
	return params_put_strf(sink, "service",
			       "cur %u  worst %u (at %llu s ago) %u %u %u %u",
			       svc_estimate(svc), at.at_worst,
			       now - min(at.at_worst_time, now), at.at_hist[0],
			       at.at_hist[1], at.at_hist[2], at.at_hist[3]);
}

static const struct lustre_params_attr svc_attrs[] = {
	LP_U32_RW("threads_min", threads_min_get, threads_min_set,
		  .min = 1, .max = SVC_THREADS_LIMIT,
		  .doc = "least number of threads"),
	LP_U32_RW("threads_max", threads_max_get, threads_max_set,
		  .min = 1, .max = SVC_THREADS_LIMIT,
		  .doc = "most threads; the last one is for requests of high priority"),
	LP_U32_RO("threads_started", threads_started_get,
		  .doc = "current number of threads"),
	LP_U32_FIELD("high_priority_ratio", struct ptlrpc_service,
		     svc_high_ratio, .min = 1, .max = 65535,
		     LP_DEF(SVC_HIGH_RATIO),
		     .doc = "requests of high priority in a row while others wait"),
	LP_U32_RW("req_history_max", history_max_get, history_max_set,
		  .max = SVC_HISTORY_LIMIT, LP_DEF(SVC_HISTORY_DEFAULT),
		  .doc = "capacity of req_history, requests"),
	LP_U32_RO("req_history_len", history_len_get,
		  .doc = "requests in req_history"),
	LP_READER("req_history", svc_history_read,
		  .doc = "the last requests: number, node, xid, bytes, state, arrival, time taken (left), operation"),
	LP_READER("timeouts", timeouts_read,
		  .doc = "estimated and measured service times, seconds"),
	LP_STATS_RWC("stats", stats_get,
		     .doc = "requests by operation and by result; writing \"clear\" resets the counters"),
};

static struct params_step *__step_find(const char *path)
{
	struct params_step *step;

	lockdep_assert_held(&steps_lock);
	list_for_each_entry(step, &steps, pst_item) {
		if (!strcmp(step->pst_path, path))
			return step;
	}
	return NULL;
}

/* Add the directory @name in @dir; @path is its path. */
static int __step_make(const char *path, const char *name,
		       struct lustre_params_entry **dir)
{
	struct params_step *step = libcfs_zalloc(sizeof(*step), GFP_KERNEL);
	int rc;

	if (!step)
		return -ENOMEM;
	step->pst_dir = params_add_dir(*dir, name, NULL);
	if (IS_ERR(step->pst_dir)) {
		rc = PTR_ERR(step->pst_dir);
		libcfs_free(step, sizeof(*step));
		return rc;
	}
	strscpy(step->pst_path, path, sizeof(step->pst_path));
	step->pst_users = 1;
	list_add(&step->pst_item, &steps);
	*dir = step->pst_dir;
	return 0;
}

/*
 * One component down: a directory of this file, one of another owner, which
 * keeps it as long as there is a service below, or a new one.
 */
static int __step_down(const char *path, const char *name,
		       struct lustre_params_entry **dir)
{
	struct params_step *step = __step_find(path);
	struct lustre_params_entry *found;

	if (step) {
		step->pst_users++;
		*dir = step->pst_dir;
		return 0;
	}
	found = params_lookup_entry(NULL, path);
	if (IS_ERR(found))
		return __step_make(path, name, dir);
	params_entry_put(found);
	*dir = found;
	return 0;
}

static void __step_up(const char *path)
{
	struct params_step *step = __step_find(path);

	if (!step || --step->pst_users)
		return;
	list_del(&step->pst_item);
	params_remove(step->pst_dir);
	libcfs_free(step, sizeof(*step));
}

/* Drop the directories of a path, from its end on; @path is modified. */
static void __steps_up(char *path)
{
	char *slash;

	lockdep_assert_held(&steps_lock);
	while ((slash = strrchr(path, '/'))) {
		*slash = '\0';
		__step_up(path);
	}
}

/* Descend to the directory of the last component. */
static int __steps_down(char *path, struct lustre_params_entry **dir,
			const char **name)
{
	char *at = path, *slash;
	int rc = 0;

	lockdep_assert_held(&steps_lock);
	*dir = NULL;
	while ((slash = strchr(at, '/'))) {
		*slash = '\0';
		rc = __step_down(path, at, dir);
		if (rc) {
			__steps_up(path);
			return rc;
		}
		*slash = '/';
		at = slash + 1;
	}
	*name = at;
	return 0;
}

static int path_copy(const struct ptlrpc_service *svc, char *path)
{
	if (strscpy(path, svc->svc_conf.psc_params, PARAMS_PATH) < 0)
		return -ENAMETOOLONG;
	strreplace(path, '.', '/');
	return 0;
}

/* The directory of a service, and its parents, which services share. */
static int dir_make(struct ptlrpc_service *svc)
{
	struct lustre_params_entry *dir;
	char path[PARAMS_PATH];
	const char *name;
	int rc = path_copy(svc, path);

	if (rc)
		return rc;
	mutex_lock(&steps_lock);
	__descs_complete();
	rc = __steps_down(path, &dir, &name);
	if (!rc) {
		dir = params_add_dir(dir, name, svc);
		rc = PTR_ERR_OR_ZERO(dir);
		if (rc)
			__steps_up(path);
		else
			svc->svc_params = dir;
	}
	mutex_unlock(&steps_lock);
	return rc;
}

/* Add the parameters of a service. Return: 0 or a negative errno. */
int svc_params_add(struct ptlrpc_service *svc)
{
	int rc = dir_make(svc);

	if (rc)
		return rc;
	svc->svc_stats = params_stats_alloc(svc_stat_desc, SVC_STATS_ALL);
	rc = svc->svc_stats ? params_add_attrs(svc->svc_params, svc_attrs,
					       ARRAY_SIZE(svc_attrs), svc) :
			      -ENOMEM;
	if (rc)
		svc_params_remove(svc);
	return rc;
}

/* Remove them; the service still counts. */
void svc_params_remove(struct ptlrpc_service *svc)
{
	char path[PARAMS_PATH];

	params_remove(svc->svc_params);
	svc->svc_params = NULL;
	if (path_copy(svc, path))
		return;
	mutex_lock(&steps_lock);
	__steps_up(path);
	mutex_unlock(&steps_lock);
}
