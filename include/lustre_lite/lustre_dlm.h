/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lock manager. A server's namespace grants locks. A client's namespace caches the
 * locks granted to the client, so that it can use them again without an RPC.
 *
 * A lock's life at the server:
 *
 *              no conflict
 *  LOCK_NEW ---------------------------> LOCK_GRANTED ---> LOCK_DESTROYED
 *      |                                  ^                  ^  cancelled, or
 *      | conflict: blocking ASTs to       |                  |  its client is
 *      v the holders                      |                  |  gone
 *  LOCK_WAITING --------------------------+                  |
 *      |            granted: completion AST                  |
 *      +-----------------------------------------------------+
 *
 * At the client: LOCK_NEW -> LOCK_WAITING (for the server) -> LOCK_GRANTED ->
 * LOCK_CANCELLING (unused, and blocking another client or aged) -> LOCK_DESTROYED.
 */
#ifndef _LUSTRE_LITE_DLM_H
#define _LUSTRE_LITE_DLM_H

#include <linux/list.h>
#include <linux/types.h>

#include <lustre_lite/handle.h>
#include <lustre_lite/lustre_fid.h>
#include <lustre_lite/obd.h>
#include <lustre_lite/wire.h>

struct client_obd;
struct lcfg_view;
struct ldlm_lock;
struct ldlm_namespace;
struct module;
struct obd_export;
struct obd_why;
struct ptlrpc_request;
struct ptlrpc_svc_req;

#define LDLM_MODE_COUNT		6
#define LDLM_RES_WORDS		4
/* A revoked lock's deadline, ldlm_timeout, is prolonged up to so many times that time. */
#define LDLM_PROLONG_MAX	10

/* struct ldlm_res_id - name of a resource */
struct ldlm_res_id {
	u64 name[LDLM_RES_WORDS];
};

/* The resource of an object of a metadata target, as of real Lustre. */
static inline void ldlm_res_of_fid(const struct lu_fid *fid, struct ldlm_res_id *res)
{
	*res = (struct ldlm_res_id){ .name = { fid->f_seq, (u64)fid->f_ver << 32 | fid->f_oid } };
}

enum ldlm_side {
	LDLM_SERVER,
	LDLM_CLIENT,
};

enum ldlm_lock_state {
	LOCK_NEW,
	LOCK_WAITING,
	LOCK_GRANTED,
	LOCK_CANCELLING,
	LOCK_DESTROYED,
	LOCK_STATE_COUNT
};

/*
 * Types of resources. Two locks with incompatible modes conflict if their policies
 * (struct ldlm_policy, wire.h) have something in common:
 *
 *	LDLM_PLAIN	always
 *	LDLM_EXTENT	a byte. The server grants the largest extent that conflicts with no
 *			other lock, see ldlm_extent_widen() for the bounds.
 *	LDLM_IBITS	a bit. Optional bits that are not free are left out of the grant; a
 *			request of optional bits only, none of which is free, is refused.
 *	LDLM_FLOCK	a byte, of different owners: locks of users, by ldlm_cli_flock() only
 */

/* The compatibility matrix; modes are one LCK_* each. */
bool lockmode_compat(u32 exists, u32 wanted);
const char *ldlm_mode_name(u32 mode);

/*
 * Namespaces. One belongs to a device, obd->obd_namespace: its o_setup creates
 * it and its o_cleanup frees it. Parameters are ldlm.namespaces.NAME.*; NAME is
 * the device's name for a client, and "filter-DEVICE_UUID" for a server, or
 * "mdt-DEVICE_UUID" on a metadata target.
 */
struct ldlm_namespace * __must_check
ldlm_namespace_new(struct obd_device *obd, enum ldlm_side side);
/* Drops all locks locally; the last one frees the namespace. Bounded. */
void ldlm_namespace_free(struct ldlm_namespace *ns);

/**
 * struct ldlm_lvb_ops - values (LVB) of the EXTENT resources of a server
 * @lvbo_size: bytes of a value, at most LDLM_LVB_MAX
 * @lvbo_own: locks of one client do not conflict with each other: it sees to its tasks itself
 * @lvbo_reads: @lvbo_init may wait for a disk: a thread of the service handles enqueues
 * @lvbo_init: the device's value of a resource, when the first lock needs it. May sleep
 *  for memory. Return: 0 or a negative errno, which refuses the lock
 * @lvbo_merge: make @lvb the newer one of two values; the second is that of a client or of
 *  the device, not validated. Under r_lock
 * @lvbo_asks: whether the holder of a lock for writing, of those bytes, may know a newer
 *  value than @lvb. Under r_lock
 *
 * The device calls ldlm_server_lvb_update() after a change of an object. An answer to an
 * enqueue and a completion AST contain the value.
 */
struct ldlm_lvb_ops {
	u32	lvbo_size;
	bool	lvbo_own;
	bool	lvbo_reads;
	int	(*lvbo_init)(struct obd_device *obd, const struct ldlm_res_id *res,
			     void *lvb);
	void	(*lvbo_merge)(void *lvb, const void *newer);
	bool	(*lvbo_asks)(const void *lvb, const struct ldlm_extent *held);
};

/* After ldlm_namespace_new() of a server, before its target is started. */
void ldlm_server_lvb_ops(struct obd_device *obd, const struct ldlm_lvb_ops *ops);
/* The device has changed an object. Context: does not sleep */
void ldlm_server_lvb_update(struct obd_device *obd, const struct ldlm_res_id *res,
			    const void *lvb);
/* Likewise, where the new value is not merged with the old one. */
void ldlm_server_lvb_set(struct obd_device *obd, const struct ldlm_res_id *res,
			 const void *lvb);

/*
 * The newest value of an EXTENT resource: that of the device, or of a client that has a lock for
 * writing. Waits until these have answered.
 * Return: 0; -ENODATA for a server without values; -ESHUTDOWN if it stops; -ENOMEM
 */
int ldlm_server_value(struct obd_device *obd, const struct ldlm_res_id *res, void *lvb);

/* Lock clients: a struct client_obd (obd_client.h) and a namespace. */
int ldlm_client_setup(struct obd_device *obd, struct client_obd *cli,
		      const struct lcfg_view *cfg, struct obd_why *why);
void ldlm_client_cleanup(struct obd_device *obd);

/*
 * A server revokes the granted locks of @mode on a resource although no lock
 * conflicts with them: at most @max of those without a blocking AST yet, the
 * oldest first.
 * Return: how many. Does not wait; a client that does not answer in time is
 *  evicted.
 */
unsigned int ldlm_server_revoke(struct obd_device *obd,
				const struct ldlm_res_id *res, u32 mode,
				unsigned int max);

/*
 * A client makes progress under its locks: bytes @part of an EXTENT resource are read or
 * written. The deadlines of those locks that were revoked start again; see
 * LDLM_PROLONG_MAX for the bound. Context: does not sleep.
 */
void ldlm_server_progress(struct obd_device *obd, struct obd_export *exp,
			  const struct ldlm_res_id *res,
			  const struct ldlm_extent *part);

/*
 * Locks of a server itself, which conflict with those of its clients. Not cached; the
 * holder is not notified of a conflict, so it does not wait for a client meanwhile.
 * @seconds: longest wait
 * @exp: client whose request the lock is for, or NULL. Its locks do not conflict with this one,
 *  which waits for no lock that may wait for them: the client may use an exclusive lock while
 *  it waits for the reply, and changes itself what it has cached. A client that uses a shared
 *  one may wait for another client that does the same
 * Return: 0; -EWOULDBLOCK; -ETIMEDOUT; -EINTR; -ESHUTDOWN; -EAGAIN during recovery
 */
int ldlm_local_lock(struct obd_device *obd, u32 type,
		    const struct ldlm_res_id *id, u32 mode,
		    const struct ldlm_policy *policy, u32 flags,
		    unsigned int seconds, const struct obd_export *exp,
		    struct ldlm_lock **lock);
void ldlm_local_unlock(struct ldlm_lock *lock);

/*
 * Locks bound by a reply: a request asks for a lock along with its operation, and the reply
 * has the lock, if it was free. A message has a struct lustre_lock in each direction.
 *
 *	client				server's handler
 *	ldlm_intent_new()
 *	ldlm_intent_pack()
 *	ptlrpc_queue_wait()	----->	ldlm_reply_wanted(): what may be granted
 *					the operation, under a lock of the server itself
 *					ldlm_reply_grant(): the client has the lock
 *	ldlm_intent_done()	<-----	release of the own lock
 */

/**
 * struct ldlm_wanted - the lock that a request asks for
 * @lwa_type: LDLM_PLAIN, LDLM_EXTENT or LDLM_IBITS
 * @lwa_mode: least mode
 * @lwa_policy: part of the resource; optional bits are free to be left out
 */
struct ldlm_wanted {
	u32			lwa_type;
	u32			lwa_mode;
	struct ldlm_policy	lwa_policy;
};

/* Return: false if buffer @buf of the request asks for none, or for an invalid one */
bool ldlm_reply_wanted(const struct ptlrpc_svc_req *sr, unsigned int buf,
		       struct ldlm_wanted *wanted);
/*
 * Grant it if no lock conflicts, except @local, a lock of the server itself that the
 * caller releases afterwards. Of an IBITS resource the client gets no bit that @local
 * lacks. A request that came before has its lock already; a replay
 * gets none, as the client replays its locks itself.
 * @from, @to: buffers of request and reply
 * Return: whether the reply has a lock
 */
bool ldlm_reply_grant(struct ptlrpc_svc_req *sr, unsigned int from, unsigned int to,
		      const struct ldlm_res_id *res, struct ldlm_lock *local);
/*
 * Grant one of many locks that a request asks for: PR of those of the bits that are free.
 * Attributes that are read after this may be cached under it: the client returns it after the
 * reply.
 * @client: the client's cookie of it
 * @bits: in: bits that may be granted; out: those of the lock
 * Return: the server's cookie; 0: nothing was granted
 */
u64 ldlm_reply_grant_one(struct ptlrpc_svc_req *sr, u64 client, const struct ldlm_res_id *res,
			 u64 *bits);

/* Locks of a client. */

/**
 * struct ldlm_callbacks - notifications to the owner of a client's lock
 * @lcb_blocking: a blocking AST came: stop using the lock soon. Called by a
 *  thread of ldlm, may sleep, waits for no other lock
 * @lcb_cancelled: the lock is gone: its cancel is about to be sent to the
 *  server, or the client was evicted (ldlm_lock_is_lost()). Once for each granted
 *  lock; by a thread of ldlm or by the cancelling task; may sleep. What was written
 *  under the lock is sent to the server here
 * @lcb_bits_lost: an unused IBITS lock has lost bits that others wait for, and stays granted:
 *  ldlm_lock_policy() has those that are left. Before the server is told; as @lcb_cancelled.
 *  A lock whose owner has @lcb_cancelled and not this is cancelled instead
 * @lcb_glimpse: another client needs the value of the resource (LVB). Fill in up to
 *  LDLM_LVB_MAX bytes. Return: how many; 0 if the server has the newest value. Until
 *  @lcb_cancelled has returned; also while it runs. Does not sleep
 * @lcb_get: a new lock references the data. In the enqueueing task
 * @lcb_put: the last reference on that lock is gone. Does not sleep
 * @lc_unwanted: whether the lock is of no use any more. Asked while its enqueue waits for a server
 *  that is not connected, which then ends with -EREMCHG. Does not sleep
 * @lcb_module: module of the callbacks, pinned as long as the lock exists
 * @lcb_hold: while a lock for writing is in steady use, a blocking AST is handled up to 100 ms
 *  later
 * @lcb_quick: the callbacks wait for no peer. Owners that write before a cancel do not hold up
 *  the locks of this one
 *
 * Each may be NULL.
 */
struct ldlm_callbacks {
	void (*lcb_blocking)(struct ldlm_lock *lock, void *data);
	void (*lcb_cancelled)(struct ldlm_lock *lock, void *data);
	void (*lcb_bits_lost)(struct ldlm_lock *lock, void *data);
	u32 (*lcb_glimpse)(struct ldlm_lock *lock, void *data, void *lvb);
	void (*lcb_get)(void *data);
	void (*lcb_put)(void *data);
	bool (*lc_unwanted)(void *data);
	struct module *lcb_module;
	bool lcb_hold;
	bool lcb_quick;
};

/*
 * Of ldlm_cli_enqueue(), not sent: it ends with -ENOTCONN rather than wait for a connect to the
 * server.
 */
#define LDLM_FL_NO_DELAY	0x80000000

/*
 * Get a lock of at least @mode: a cached one, or one from the server. Waits
 * until it is granted. On success the caller has one use (ldlm_lock_decref())
 * and one reference (ldlm_lock_put()). ldlm_lock_policy() is what was granted.
 * @type: LDLM_PLAIN, LDLM_EXTENT or LDLM_IBITS
 * @policy: NULL: all of a PLAIN resource
 * @flags: LDLM_FL_BLOCK_NOWAIT, LDLM_FL_NO_EXPANSION, LDLM_FL_NO_DELAY
 * Return: 0; -EWOULDBLOCK; -EINTR; -ENOTCONN; -EIO if the import was invalidated
 *  meanwhile; as ptlrpc_queue_wait()
 */
int ldlm_cli_enqueue(struct obd_device *obd, u32 type,
		     const struct ldlm_res_id *res, u32 mode,
		     const struct ldlm_policy *policy, u32 flags,
		     const struct ldlm_callbacks *cbs, void *data,
		     struct ldlm_lock **lock);
/*
 * The newest value (LVB) of an EXTENT resource. Takes a cached PR lock of all of it, or
 * one that is free at the server, but waits for none: holders of conflicting locks are
 * asked for their value.
 * @lvb: out, value, @size bytes; for a cached lock that of the time of its grant
 * @lock: out, as ldlm_cli_enqueue(); NULL if no lock was granted
 * Return: 0; -ENODATA if the server has no values of that size; as ldlm_cli_enqueue()
 */
int ldlm_cli_glimpse(struct obd_device *obd, const struct ldlm_res_id *res,
		     const struct ldlm_callbacks *cbs, void *data,
		     void *lvb, u32 size, struct ldlm_lock **lock);
/* A cached lock, used and referenced as by ldlm_cli_enqueue(); or NULL. */
struct ldlm_lock *ldlm_cli_match(struct obd_device *obd, const struct ldlm_res_id *res,
				 u32 mode, const struct ldlm_policy *policy,
				 const struct ldlm_callbacks *cbs, void *data);

struct ldlm_intent;
/*
 * A request will ask for a lock of at least @mode, of a resource that the server will name.
 * The caller keeps the device set up until ldlm_intent_done().
 * Return: intent, for ldlm_intent_done(); ERR_PTR: -EINVAL, -EOPNOTSUPP, -ENOMEM
 */
struct ldlm_intent * __must_check
ldlm_intent_new(struct obd_device *obd, u32 type, u32 mode,
		const struct ldlm_policy *policy,
		const struct ldlm_callbacks *cbs, void *data);
void ldlm_intent_pack(const struct ldlm_intent *intent, struct lustre_lock *to);
/*
 * The end of the request; @rc is its status. Frees the intent.
 * @buf: buffer of the reply
 * @lock: out, used and referenced as by ldlm_cli_enqueue(); NULL for none
 * Return: @rc; -EPROTO for an invalid lock; -EIO if the lock was lost meanwhile; -ENOMEM
 */
int ldlm_intent_done(struct ldlm_intent *intent, const struct ptlrpc_request *req,
		     unsigned int buf, int rc, struct ldlm_lock **lock);

/* Of a request that asks for many locks: the client's cookie of one. */
u64 ldlm_intent_cookie(const struct ldlm_intent *intent);
/*
 * The request has succeeded: as ldlm_intent_done().
 * @bits: of the IBITS lock @server of @res that the reply has; 0: it has none
 */
int ldlm_intent_done_one(struct ldlm_intent *intent, const struct ptlrpc_request *req,
			 const struct ldlm_res_id *res, u64 server, u64 bits,
			 struct ldlm_lock **lock);
/*
 * The request has failed, or was not sent: locks that it may have been granted are cancelled, by
 * one request. @count: at most LDLM_CANCEL_MAX
 */
void ldlm_intents_drop(struct ldlm_intent **intents, unsigned int count);

/*
 * Early cancels: a request cancels unused locks of its client that its operation would
 * otherwise have the server revoke. A buffer of the message has their cookies.
 *
 *	client				server's handler
 *	ldlm_elc_take()
 *	ldlm_elc_pack()
 *	ptlrpc_queue_wait()	----->	ldlm_elc_cancel()
 *					the operation, under a lock of the server itself
 *	ldlm_elc_done()		<-----
 */

/* Most locks that a request of another operation cancels. */
#define LDLM_ELC_MAX		64

/**
 * struct ldlm_elc - locks that a request cancels
 * @elc_locks: the locks, each referenced
 * @elc_count: their number, at most LDLM_ELC_MAX
 */
struct ldlm_elc {
	struct list_head	elc_locks;
	unsigned int		elc_count;
};

/*
 * Take unused locks of @res that conflict with @mode in @policy. Their owners are notified: what
 * was written under a lock is sent first. Locks that are used stay.
 */
void ldlm_elc_take(struct obd_device *obd, const struct ldlm_res_id *res, u32 mode,
		   const struct ldlm_policy *policy, struct ldlm_elc *elc);
/* Bytes of the buffer for ldlm_elc_pack(). */
static inline u32 ldlm_elc_bytes(const struct ldlm_elc *elc)
{
	return elc->elc_count * sizeof(__le64);
}

void ldlm_elc_pack(const struct ldlm_elc *elc, __le64 *buf);
/* The end of the request; @rc is its status, or why there was none. Does not wait. */
void ldlm_elc_done(struct ldlm_elc *elc, int rc);
/* Return: 0; -EPROTO if buffer @buf of the request is invalid */
int ldlm_elc_cancel(struct ptlrpc_svc_req *sr, unsigned int buf);

/*
 * Locks of users: a request replaces what its owner has of the bytes. Not cached; the
 * owner releases them, or loses them with its client.
 * @mode: LCK_PR, LCK_PW; LCK_NL releases the bytes
 * @flags: LDLM_FL_BLOCK_NOWAIT
 * Return: 0; -EWOULDBLOCK; -EDEADLK; as ldlm_cli_enqueue()
 */
int ldlm_cli_flock(struct obd_device *obd, const struct ldlm_res_id *res, u32 mode,
		   const struct ldlm_flock *flock, u32 flags);
/* A lock that is in the way: @mode and @flock are those of it; LCK_NL: there is none. */
int ldlm_cli_flock_test(struct obd_device *obd, const struct ldlm_res_id *res, u32 *mode,
			struct ldlm_flock *flock);
/**
 * struct md_lock_ask - the lock that a metadata request asks for: LCK_PR of the object of the reply
 * @bits: MDS_INODELOCK_*; those that are free are granted
 * @cbs: owner of the lock
 * @data: its data
 */
struct md_lock_ask {
	u64				bits;
	const struct ldlm_callbacks	*cbs;
	void				*data;
};

/**
 * struct md_ahead - locks that MDS_READPAGE asks for: LCK_PR of the objects of the first entries
 * @bits: MDS_INODELOCK_*; of each object those that are free are granted
 * @cbs: owner of the locks
 * @count: entries, at most MDS_AHEAD_MAX. The target sends no more than these
 * @entries: where the pages of the reply are mapped
 * @data: data of the owner for each lock
 * @lock: out: lock of each entry, used and referenced, or NULL
 */
struct md_ahead {
	u64				bits;
	const struct ldlm_callbacks	*cbs;
	u32				count;
	const void			*entries;
	void				**data;
	struct ldlm_lock		**lock;
};

/* Drop one use. An unused lock with a blocking AST pending is cancelled. */
void ldlm_lock_decref(struct ldlm_lock *lock);
/* The same; once it is unused it is cancelled. */
void ldlm_lock_decref_and_cancel(struct ldlm_lock *lock);
struct ldlm_lock *ldlm_lock_get(struct ldlm_lock *lock);
void ldlm_lock_put(struct ldlm_lock *lock);
/* Cancel it now; -EBUSY while it is in use. */
int ldlm_cli_cancel(struct ldlm_lock *lock);
/* Cancel all unused locks. Return: how many, or a negative errno */
int ldlm_cli_cancel_unused(struct obd_device *obd);
u32 ldlm_lock_mode(const struct ldlm_lock *lock);
bool ldlm_lock_is_granted(const struct ldlm_lock *lock);
/* Generation of the import when it was enqueued, which an eviction makes higher. */
u32 ldlm_lock_generation(const struct ldlm_lock *lock);
/* The present one of a client's device, inside its gate. */
u32 ldlm_cli_generation(struct obd_device *obd);
/* What the callbacks of a client's lock are called with. */
void *ldlm_lock_data(const struct ldlm_lock *lock);
/* It is gone without a cancel: the server may have given it to another client. */
bool ldlm_lock_is_lost(const struct ldlm_lock *lock);
/* The server's value when it granted the lock. Return: false if not of that size */
bool ldlm_lock_lvb(const struct ldlm_lock *lock, void *lvb, u32 size);
/* The same, once: false if it was taken already. */
bool ldlm_lock_lvb_take(struct ldlm_lock *lock, void *lvb, u32 size);
/* The granted policy. It does not change while the lock is granted and used. */
const struct ldlm_policy *ldlm_lock_policy(const struct ldlm_lock *lock);

#endif /* _LUSTRE_LITE_DLM_H */
