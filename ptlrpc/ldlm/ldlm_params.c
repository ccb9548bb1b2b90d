// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters ldlm.namespaces.NAME.*: number and list of locks, and the limits
 * of a client's unused ones.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/* Longest lru_max_age: a year. */
#define LRU_AGE_MAX_NS	(365ULL * 24 * 3600 * NSEC_PER_SEC)
/* Largest lru_size. */
#define LRU_SIZE_MAX	10000000

static struct lustre_params_entry *namespaces_dir;

/**
 * struct ldlm_lock_info - copy of a lock
 * @res: resource
 * @type: its type
 * @policy: granted policy, or the requested one while it waits
 * @cookie: own cookie
 * @remote: the peer's cookie
 * @granted: granted mode
 * @wanted: requested mode
 * @state: state
 * @users: client: uses
 * @since: time of the last change of state
 * @blocking: a blocking AST is pending
 * @is_local: server: a lock of the server itself
 * @holder: server: client
 * @nid: server: its NID
 */
struct ldlm_lock_info {
	struct ldlm_res_id	res;
	u32			type;
	struct ldlm_policy	policy;
	u64			cookie;
	u64			remote;
	u32			granted;
	u32			wanted;
	enum ldlm_lock_state	state;
	unsigned int		users;
	time64_t		since;
	bool			blocking;
	bool			is_local;
	struct obd_uuid		holder;
	struct lnet_nid		nid;
};

/* struct ldlm_lock_dump - a limited number of locks */
struct ldlm_lock_dump {
	unsigned int		count;
	unsigned int		left;
	struct ldlm_lock_info	info[LDLM_DUMP_MAX];
};

static void info_take(struct ldlm_lock_info *info, const struct ldlm_lock *lock)
{
	const struct ldlm_resource *res = lock->l_resource;

	info->res = res->r_id;
	info->type = res->r_type;
	info->policy = lock->l_policy;
	info->cookie = lock->l_handle.h_cookie;
	info->remote = lock->l_remote;
	info->granted = lock->l_granted_mode;
	info->wanted = lock->l_req_mode;
	info->state = lock->l_state;
	info->users = lock->l_users;
	info->since = lock->l_since;
	info->blocking = test_bit(LDLM_LF_CBPENDING, &lock->l_flags) ||
		      test_bit(LDLM_LF_AST_SENT, &lock->l_flags);
	info->is_local = !lock->l_export;
	if (lock->l_export) {
		info->holder = lock->l_export->exp_client_uuid;
		info->nid = lock->l_export->exp_nid;
	}
}

static void dump_list(struct ldlm_lock_dump *dump, const struct list_head *list)
{
	const struct ldlm_lock *lock;

	list_for_each_entry(lock, list, l_res_item) {
		if (dump->count == LDLM_DUMP_MAX)
			return;
		info_take(&dump->info[dump->count++], lock);
	}
}

static void dump_namespace(struct ldlm_lock_dump *dump, struct ldlm_namespace *ns)
{
	struct ldlm_resource *res = NULL;
	unsigned int total;

	while ((res = ldlm_resource_next(ns, res))) {
		spin_lock(&res->r_lock);
		dump_list(dump, &res->r_granted.lset_locks);
		dump_list(dump, &res->r_waiting.lset_locks);
		spin_unlock(&res->r_lock);
	}
	total = atomic_read(&ns->ns_locks);
	dump->left = total > dump->count ? total - dump->count : 0;
}

static void put_holder(struct params_sink *sink, const struct ldlm_lock_info *info)
{
	char nid[LNET_NID_TEXT_MAX];

	if (info->is_local) {
		params_put_str(sink, "client", "server itself");
		return;
	}
	if (libcfs_nid_print(&info->nid, nid, sizeof(nid)) < 0)
		strscpy(nid, "?", sizeof(nid));
	params_put_str(sink, "client", info->holder.uuid);
	params_put_str(sink, "nid", nid);
}

/* The part of the resource; a PLAIN lock covers all of it. */
static void put_policy(struct params_sink *sink, const struct ldlm_lock_info *info)
{
	if (info->type == LDLM_EXTENT) {
		params_put_u64(sink, "first", info->policy.extent.first);
		params_put_u64(sink, "last", info->policy.extent.last);
	} else if (info->type == LDLM_IBITS) {
		params_put_hex(sink, "bits", info->policy.ibits.bits);
		params_put_hex(sink, "try_bits", info->policy.ibits.try_bits);
	} else if (info->type == LDLM_FLOCK) {
		params_put_u64(sink, "first", info->policy.flock.first);
		params_put_u64(sink, "last", info->policy.flock.last);
		params_put_hex(sink, "owner", info->policy.flock.owner);
		params_put_u64(sink, "pid", wire_flock_pid(&info->policy.flock));
		params_put_str(sink, "kind", wire_flock_kind(&info->policy.flock) ==
				LDLM_FLOCK_WHOLE ? "flock" : "posix");
	}
}

static void put_lock(struct params_sink *sink, const struct ldlm_namespace *ns,
		     const struct ldlm_lock_info *info)
{
	char res[LDLM_RES_TEXT_MAX];

	ldlm_resource_text(&info->res, res, sizeof(res));
	params_list_begin(sink, NULL, PARAMS_LIST_FLOW_MAP);
	params_put_str(sink, "resource", res);
	params_put_str(sink, "type", ldlm_type_name(info->type));
	put_policy(sink, info);
	params_put_str(sink, "granted", ldlm_mode_name(info->granted));
	params_put_str(sink, "requested", ldlm_mode_name(info->wanted));
	params_put_str(sink, "state", ldlm_lock_state_name(info->state));
	if (ns->ns_side == LDLM_SERVER)
		put_holder(sink, info);
	else
		params_put_u64(sink, "users", info->users);
	params_put_bool(sink, "wanted_back", info->blocking);
	params_put_hex(sink, "cookie", info->cookie);
	params_put_hex(sink, "remote", info->remote);
	params_put_s64(sink, "since_sec",
		       ktime_get_boottime_seconds() - info->since);
	params_list_end(sink);
}

static int locks_read(struct params_sink *sink, void *data)
{
	struct ldlm_namespace *ns = data;
	struct ldlm_lock_dump *dump = kvzalloc(sizeof(*dump), GFP_KERNEL);
	unsigned int n;

	if (!dump)
		return -ENOMEM;
	dump_namespace(dump, ns);
	params_list_begin(sink, "locks", PARAMS_LIST_SEQ);
	for (n = 0; n < dump->count; n++)
		put_lock(sink, ns, &dump->info[n]);
	params_list_end(sink);
	if (dump->left)
		params_put_u64(sink, "not_shown", dump->left);
	kvfree(dump);
	return params_sink_error(sink);
}

static int lock_count_get(void *data, u64 *val)
{
	const struct ldlm_namespace *ns = data;

	*val = atomic_read(&ns->ns_locks);
	return 0;
}

static int resource_count_get(void *data, u64 *val)
{
	const struct ldlm_namespace *ns = data;

	*val = READ_ONCE(ns->ns_resource_count);
	return 0;
}

static int unused_get(void *data, u64 *val)
{
	const struct ldlm_namespace *ns = data;

	*val = READ_ONCE(ns->ns_unused);
	return 0;
}

static int waiting_get(void *data, u64 *val)
{
	const struct ldlm_namespace *ns = data;

	*val = atomic_read(&ns->ns_waiting);
	return 0;
}

static int timeouts_get(void *data, u64 *val)
{
	const struct ldlm_namespace *ns = data;

	*val = atomic_read(&ns->ns_timeouts);
	return 0;
}

static int lru_size_read(struct params_sink *sink, void *data)
{
	const struct ldlm_namespace *ns = data;

	params_put_u64(sink, NULL, READ_ONCE(ns->ns_lru_size));
	return params_sink_error(sink);
}

/* A limit changed: the work applies it. */
static void lru_look_now(struct ldlm_namespace *ns)
{
	spin_lock(&ns->ns_lock);
	__ldlm_namespace_work(ns, 0, true);
	spin_unlock(&ns->ns_lock);
}

static int lru_size_write(const char *text, size_t len, void *data)
{
	struct ldlm_namespace *ns = data;
	unsigned int size;
	int rc;

	if (!strcmp(text, "clear")) {
		ldlm_lru_cancel(ns, UINT_MAX, ktime_get_ns(), false);
		return 0;
	}
	rc = kstrtouint(text, 0, &size);
	if (rc || size > LRU_SIZE_MAX) {
		rc = rc ?: -ERANGE;
		CERROR("%s: lru_size must be a number up to %u or clear: rc = %d\n",
		       ns->ns_name, LRU_SIZE_MAX, rc);
		return rc;
	}
	WRITE_ONCE(ns->ns_lru_size, size);
	lru_look_now(ns);
	return 0;
}

static int lru_age_get(void *data, s64 *val)
{
	const struct ldlm_namespace *ns = data;

	*val = READ_ONCE(ns->ns_lru_age);
	return 0;
}

static int lru_age_set(void *data, s64 val)
{
	struct ldlm_namespace *ns = data;

	WRITE_ONCE(ns->ns_lru_age, val);
	lru_look_now(ns);
	return 0;
}

static const struct lustre_params_attr common_attrs[] = {
	LP_U32_RO("lock_count", lock_count_get, .unit = PARAMS_UNIT_LOCKS,
		  .doc = "locks"),
	LP_U32_RO("resource_count", resource_count_get,
		  .doc = "resources that have locks"),
	LP_U32_RO("waiting_count", waiting_get, .unit = PARAMS_UNIT_LOCKS,
		  .doc = "locks that wait to be granted"),
	LP_READER("locks", locks_read,
		  .doc = "locks: resource, extent or bits, modes, state, holder, age; the first 1000"),
};

static const struct lustre_params_attr server_attrs[] = {
	LP_U32_RO("lock_timeouts", timeouts_get,
		  .doc = "clients evicted because they did not cancel a lock in time"),
};

static const struct lustre_params_attr client_attrs[] = {
	LP_U32_RO("lock_unused_count", unused_get, .unit = PARAMS_UNIT_LOCKS,
		  .doc = "cached unused locks"),
	LP_READER_RW("lru_size", lru_size_read, lru_size_write,
		     .doc = "most unused locks to cache, 0: as many as the size of memory suggests; clear: cancel all of them"),
	LP_TIME_RW("lru_max_age", lru_age_get, lru_age_set,
		   .unit = PARAMS_UNIT_MSEC, .min = NSEC_PER_MSEC,
		   .max = LRU_AGE_MAX_NS,
		   LP_DEF((u64)LDLM_LRU_AGE_MS * NSEC_PER_MSEC),
		   .doc = "age limit of cached unused locks"),
};

static int add_attrs(struct ldlm_namespace *ns)
{
	int rc = params_add_attrs(ns->ns_params, common_attrs,
				  ARRAY_SIZE(common_attrs), ns);

	if (rc)
		return rc;
	if (ns->ns_side == LDLM_SERVER)
		return params_add_attrs(ns->ns_params, server_attrs,
					ARRAY_SIZE(server_attrs), ns);
	return params_add_attrs(ns->ns_params, client_attrs,
				ARRAY_SIZE(client_attrs), ns);
}

/**
 * ldlm_params_add() - add the parameters of a namespace
 * @ns: namespace, complete
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int ldlm_params_add(struct ldlm_namespace *ns)
{
	struct lustre_params_entry *dir;
	int rc;

	dir = params_add_dir_hidden(namespaces_dir, ns->ns_name, ns);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	ns->ns_params = dir;
	rc = add_attrs(ns) ?: params_publish(dir);
	if (rc)
		ldlm_params_remove(ns);
	return rc;
}

/**
 * ldlm_params_remove() - remove them; waits for running reads and writes
 * @ns: namespace
 *
 * Context: sleeps
 */
void ldlm_params_remove(struct ldlm_namespace *ns)
{
	params_remove(ns->ns_params);
	ns->ns_params = NULL;
}

/**
 * ldlm_params_init() - add the directory of all namespaces
 *
 * It is in "ldlm", which the services have added before and remove afterwards.
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int ldlm_params_init(void)
{
	struct lustre_params_entry *dir = params_lookup_entry(NULL, "ldlm");

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	namespaces_dir = params_add_dir(dir, "namespaces", NULL);
	params_entry_put(dir);
	return PTR_ERR_OR_ZERO(namespaces_dir);
}

/* Remove it. */
void ldlm_params_exit(void)
{
	params_remove(namespaces_dir);
}
