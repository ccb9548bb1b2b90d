/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations that the files of imports share.
 */
#ifndef _PTLRPC_IMPORT_H
#define _PTLRPC_IMPORT_H

#include <linux/minmax.h>

#include <lustre_lite/ptlrpc_test_point.h>

#include "rpc.h"

/* Longest time between two tries to connect, seconds. */
#define RECOVER_BACKOFF_MAX	30

/**
 * struct import_answer - what a connect asks for, and the answer
 * @ia_data: in: wanted; out: granted
 * @ia_remote: in: the target's cookie for this client from before, or 0; out: its cookie
 *	now, the same when the target still knew the client
 * @ia_replay: out: the target restarted, remembers the client, and waits for replay
 * @ia_replayable: out: the target keeps transactions
 * @ia_refused: out, with an error: the target itself answered with it. Only such an error
 *	can be final; everything between here and the target passes
 * @ia_reason: out, with an error: what was refused and by which side, static text; or
 *	NULL
 */
struct import_answer {
	struct obd_connect_data	ia_data;
	struct lustre_handle	ia_remote;
	bool			ia_replay;
	bool			ia_replayable;
	bool			ia_refused;
	const char		*ia_reason;
};

static inline enum lustre_imp_state import_state(const struct obd_import *imp)
{
	return READ_ONCE(imp->imp_state);
}

/* FULL, and this end made the connection. */
static inline bool import_is_connected(const struct obd_import *imp)
{
	return imp->imp_link != IMP_LINK_NONE;
}

static inline bool import_is_on_net(const struct obd_import *imp)
{
	return READ_ONCE(imp->imp_link) == IMP_LINK_NET;
}

/* import_state.c: what a change of the import means to its requests and its recovery. */
void import_changed(struct obd_import *imp);
unsigned int import_history(struct obd_import *imp, struct import_state_hist *hist);
void import_event_add(struct obd_import *imp, enum obd_import_event event);
void import_events_deliver(struct obd_import *imp);

/* import_conn.c */
bool import_conn_begin(struct obd_import *imp, struct obd_uuid *server);
void import_conn_end(struct obd_import *imp, const struct lnet_nid *nid);
void import_conn_leave(struct obd_import *imp);
bool import_conn_prefer(struct obd_import *imp, const struct obd_uuid *uuid);
bool import_conn_is_current(struct obd_import *imp, const struct obd_uuid *uuid);
unsigned int import_conn_count(struct obd_import *imp);
bool import_conn_nth(struct obd_import *imp, unsigned int n, struct obd_import_conn *copy);
void import_conns_free(struct obd_import *imp);
unsigned int import_server_nids(const struct obd_import *imp, const struct obd_uuid *server,
				struct lnet_nid *nids);

/*
 * import_state.c. The callers of the functions that end in _locked hold imp_connect_mutex.
 * The caller of import_close() delivers the events afterwards, by import_events_deliver()
 * and without a lock.
 */
void import_link_set(struct obd_import *imp, enum imp_link link, u64 cookie);
int import_link_disconnect(struct obd_import *imp, bool failed);
void import_link_drop(struct obd_import *imp, bool forget);
void import_invalidate_locked(struct obd_import *imp);
void import_disconnect_locked(struct obd_import *imp, bool forget);
void import_interrupt(struct obd_import *imp);
int import_close(struct obd_import *imp);

/* import_connect.c; events as with import_close(). */
int import_open(struct obd_import *imp, const struct obd_connect_data *asked,
		struct obd_why *why);
int import_open_later(struct obd_import *imp, const struct obd_connect_data *asked);

/*
 * import_net.c: over the network. Under imp_connect_mutex. A connect that may take long
 * looks at imp_cancel: -ECANCELED. @failed: the target may be gone, and is not asked.
 */
int import_net_connect(struct obd_import *imp, const struct lnet_nid *nid,
		       struct import_answer *answer);
int import_net_disconnect(struct obd_import *imp, bool failed);
u16 import_portal(const struct obd_import *imp);

/* loopback.c: to a target in this kernel, by calls of its operations. */
bool loopback_reaches(const struct lnet_nid *nid);
int loopback_connect(struct obd_import *imp, const struct lnet_nid *nid,
		     struct import_answer *answer);
int loopback_replay(struct obd_import *imp);
int loopback_disconnect(struct obd_import *imp, bool failed);
int loopback_ping(struct obd_import *imp);
int loopback_statfs(struct obd_import *imp, struct obd_statfs *st, u64 max_age);
int loopback_get_info(struct obd_import *imp, const char *key, void *val, u32 *vallen);
int loopback_set_info(struct obd_import *imp, const char *key, const void *val, u32 vallen);

/* struct loopback_stand_in - a KUnit case in the place of targets at some NIDs */
struct loopback_stand_in {
	bool (*reaches)(const struct lnet_nid *nid);
	int (*connect)(struct obd_import *imp, const struct lnet_nid *nid,
		       struct import_answer *answer);
	int (*replay)(struct obd_import *imp);
	int (*disconnect)(struct obd_import *imp, bool failed);
	int (*statfs)(struct obd_import *imp, struct obd_statfs *st);
};

extern const struct loopback_stand_in *loopback_stand_in;

/* import.c: settings of the node for the estimates. */
void import_at_settings(struct at_settings *set);

/* recover.c: a state or flag of the import changed; does not sleep. */
void recover_import_changed(struct obd_import *imp);
void recover_init_import(struct obd_import *imp);
/*
 * It could not connect, and is going to try again: a reason is logged once, until it is back. The
 * work of recovery and the first connect may each log it at the same time.
 */
void recover_log(struct obd_import *imp, const struct obd_why *why, int rc);

/* replay.c: forget all of it when the import was invalidated. */
void replay_import_changed(struct obd_import *imp);
void replay_forget(struct obd_import *imp);

/* Seconds to wait before the next try, after @backoff before this one. */
static inline unsigned int recover_backoff_next(unsigned int backoff, unsigned int max)
{
	return min_t(unsigned int, backoff ? backoff * 2 : 1, max_t(u32, max, 1));
}

/*
 * The same in milliseconds, a quarter more or less by chance: many clients of a
 * server that restarts do not come all at once.
 */
static inline unsigned int recover_delay_ms(unsigned int backoff, u32 chance)
{
	unsigned int ms = backoff * 1000;

	return ms - ms / 4 + (ms ? chance % (ms / 2 + 1) : 0);
}

/*
 * Note whether the import was used since the pinger, whose own requests do not count,
 * asked last. Return: nanoseconds since it was used.
 */
static inline u64 import_unused_ns(struct obd_import *imp, u64 now)
{
	s64 used = atomic64_read(&imp->imp_calls);

	if (used != imp->imp_used || atomic_read(&imp->imp_inflight))
		imp->imp_used_ns = now;
	imp->imp_used = used;
	return now - imp->imp_used_ns;
}

#endif /* _PTLRPC_IMPORT_H */
