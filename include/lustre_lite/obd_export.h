/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exports: a device's end of each connection to it.
 *
 *	class_connect()       class_disconnect()         last reference put
 *	--------------> LINKED ----------------> UNLINKED -----------------> freed
 *	                      class_fail_export()               by a workqueue
 *
 * LINKED: in the device's list, its hashes by uuid and NID, and its cookie can
 * be looked up. UNLINKED: only holders of a reference can reach it.
 */
#ifndef _LUSTRE_LITE_OBD_EXPORT_H
#define _LUSTRE_LITE_OBD_EXPORT_H

#include <lustre_lite/handle.h>
#include <lustre_lite/nid.h>
#include <lustre_lite/obd.h>

struct obd_nid_dir;
struct obd_nid_stats;

/* exp_flags, bit numbers */
#define EXPF_SELF		0	/* the device's own */
#define EXPF_FAILED		1	/* evicted */
#define EXPF_DISCONNECTED	2	/* unlinked */
#define EXPF_FORCE		3	/* disconnected by a cleanup that does not wait for peers */
#define EXPF_FAILOVER		4	/* ... that looks like a failure */

/**
 * struct obd_export_ops - notifications to ptlrpc about an export
 * @eo_unlinked: it was unlinked: its client disconnected or was evicted. Once,
 *  may sleep, no lock is held
 * @eo_free: the last reference is gone; after exp_destroy
 */
struct obd_export_ops {
	void (*eo_unlinked)(struct obd_export *exp);
	void (*eo_free)(struct obd_export *exp);
};

/**
 * struct obd_export - an export
 * @exp_handle: cookie
 * @exp_refcount: references
 * @exp_rpc_count: references held by requests
 * @exp_locks_count: references held by locks
 * @exp_obd: device, referenced and used (obd_user_get())
 * @exp_client_uuid: client
 * @exp_nid: NID from which the client connected first; nid_len 0 for the device's own
 * @exp_flags: EXPF_*, bit operations
 * @exp_conn_cnt: number of the client's connect in force
 * @exp_connect_data: negotiated connect data
 * @exp_lock: guards @exp_imp_reverse, @exp_connect_data and @exp_conn_cnt
 * @exp_imp_reverse: import to the client, referenced, or NULL
 * @exp_last_request_time: seconds since boot
 * @exp_obd_chain: in obd_exports or obd_unlinked_exports
 * @exp_uuid_node: in the hash by device and uuid
 * @exp_nid_node: in the hash by device and NID
 * @exp_nid_dir: shared directory exports.NID, or NULL
 * @exp_stats: operations of clients at its NID, referenced, or NULL; constant once it is connected
 * @exp_data: private to the type
 * @exp_destroy: destructor of the type, called before the export is freed, or
 *  NULL
 * @exp_ops: receiver of notifications, or NULL; set once, under @exp_lock,
 *  after @exp_rpc
 * @exp_rpc: data of @exp_ops
 * @exp_zombie_work: frees it
 * @exp_rcu: freed after a grace period, for lookups
 *
 * Created by class_new_export(). Held by: the list of the device while LINKED;
 * the connection, until it disconnects; each request, callback and lock; each
 * lookup. After the last put a workqueue frees it: it calls @exp_destroy,
 * removes it from @obd_unlinked_exports and drops the use of the device and the
 * reference on it.
 */
struct obd_export {
	struct portals_handle		exp_handle;
	refcount_t			exp_refcount;
	atomic_t			exp_rpc_count;
	atomic_t			exp_locks_count;
	struct obd_device		*exp_obd;
	struct obd_uuid			exp_client_uuid;
	struct lnet_nid			exp_nid;
	unsigned long			exp_flags;
	u32				exp_conn_cnt;
	struct obd_connect_data		exp_connect_data;
	spinlock_t			exp_lock;
	struct obd_import		*exp_imp_reverse;
	time64_t			exp_last_request_time;
	struct list_head		exp_obd_chain;
	struct rhash_head		exp_uuid_node;
	struct rhlist_head		exp_nid_node;
	struct obd_nid_dir		*exp_nid_dir;
	struct obd_nid_stats		*exp_stats;
	void				*exp_data;
	void				(*exp_destroy)(struct obd_export *exp);
	const struct obd_export_ops	*exp_ops;
	void				*exp_rpc;
	struct work_struct		exp_zombie_work;
	struct rcu_head			exp_rcu;
};

struct obd_export * __must_check
class_new_export(struct obd_device *obd, const struct obd_uuid *uuid,
		 const struct lnet_nid *nid);
struct obd_export * __must_check class_new_export_self(struct obd_device *obd);
void class_unlink_export(struct obd_export *exp);
struct obd_export *class_export_get(struct obd_export *exp);
void class_export_put(struct obd_export *exp);
struct obd_export *class_export_rpc_inc(struct obd_export *exp);
void class_export_rpc_dec(struct obd_export *exp);
struct obd_export *class_export_lock_get(struct obd_export *exp);
void class_export_lock_put(struct obd_export *exp);

int class_connect(struct lustre_handle *conn, struct obd_device *obd,
		  const struct obd_uuid *uuid, const struct lnet_nid *nid);
int class_disconnect(struct obd_export *exp);
void class_disconnect_exports(struct obd_device *obd);
unsigned int class_disconnect_stale_exports(struct obd_device *obd,
					    time64_t older_than);
void class_fail_export(struct obd_export *exp);
bool class_connected_export(const struct obd_export *exp);
struct obd_export * __must_check class_conn2export(u64 cookie);
struct obd_export * __must_check
obd_export_by_uuid(struct obd_device *obd, const struct obd_uuid *uuid);
unsigned int obd_export_evict_by_nid(struct obd_device *obd, const char *nid,
				     struct obd_why *why);
unsigned int obd_export_evict_by_uuid(struct obd_device *obd, const char *uuid,
				      struct obd_why *why);

/* Wait for everything that is being freed. */
void obd_zombie_barrier(void);
/* Have @work, queued once, free what had its last put; obd_zombie_barrier() waits for it. */
void obd_zombie_queue(struct work_struct *work);

/* Names of connect flags, by bit; NULL for a bit without one. */
const char *obd_connect_flag_name(unsigned int bit);
/* Parameters: the names alone, the names as a list in one line, all that was granted. */
void obd_put_connect_flag_names(struct params_sink *sink, const struct obd_connect_data *ocd);
void obd_put_connect_flags(struct params_sink *sink, const struct obd_connect_data *ocd);
void obd_put_connect_data(struct params_sink *sink, const struct obd_connect_data *ocd);

#endif /* _LUSTRE_LITE_OBD_EXPORT_H */
