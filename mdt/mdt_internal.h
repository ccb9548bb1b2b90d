/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internals of mdt.ko.
 *
 *	mdt_obd.c	the device: its parts, setup and cleanup
 *	mdt_object.c	objects in memory: mdt, and osd below it
 *	mdt_call.c	a request: decoded, with its objects and credentials; its reply; its
 *			transaction, replays of what was done before
 *	mdt_handler.c	attributes that clients read; table of handlers
 *	mdt_fid2path.c	paths of objects
 *	mdt_scrub.c	objects by FID alone: the tree is searched
 *	mdt_oi.c	the index that this makes
 *	mdt_readdir.c	directories
 *	mdt_seq.c	sequences for clients
 *	mdt_reint.c	create, link, unlink, rename
 *	mdt_setattr.c	change of attributes
 *	mdt_open.c	open, open handles; mdt_open.h
 *	mdt_close.c	close; mdt_open.h
 *	mdt_som.c	sizes of files that no client writes to; mdt_open.h
 *	mdt_swap.c	layouts that two files exchange
 *	mdt_lock.c	locks that changes take, and that replies grant
 *	mdd_link.c	the list of names of an object; mdd_link.h
 *	mdd_orphans.c	objects without a name
 *	lod_*.c		layouts of files, see lod.h
 *	mdt_ident.c	nodes that are not permitted all
 *	mdt_params.c	parameters
 *
 * Locks, outermost first: those of mdt_lock.c; a transaction (tgt_trans_start()); mo_lock of the
 * objects whose names or opens change, in the order of their FIDs; i_rwsem of the backend. mdt_lock
 * and msc_lock are taken inside mo_lock.
 */
#ifndef _MDT_INTERNAL_H
#define _MDT_INTERNAL_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <lustre_lite/lu_object.h>
#include <lustre_lite/lu_target.h>
#include <lustre_lite/lustre_md.h>
#include <lustre_lite/obd.h>
#include <lustre_lite/osd.h>
#include <lustre_lite/ptlrpc_service.h>
#include <lustre_lite/ptlrpc_target.h>
#include <lustre_lite/target_dir.h>

#include "lod.h"
#include "mdt_open.h"

struct cred;
struct file;
struct ldlm_lock;
struct mdt_lease;
struct mdt_nids;
struct mdt_oi;
struct mdt_scrub;
struct params_sink;
struct params_stats;

/**
 * struct mdt_device - a device of type mdt
 * @mdt_dir: its directory; must be the first member
 * @mdt_lov: connection to its volume, or NULL. Disconnected when the target stops, while requests
 *	still run: they use that of @mdt_lod
 * @mdt_lod: layouts of files, or NULL without a volume
 * @mdt_osd: its backend
 * @mdt_site: its objects
 * @mdt_root: the root of the tree, referenced (LU_HOLDER_STATE)
 * @mdt_stats: counts and durations of operations, md_stats
 * @mdt_lock: guards the open handles of all clients, all up to @mdt_pins, and changes of
 *  @mdt_nosquash and @mdt_access
 * @mdt_opens: open handles, struct mdt_file_data by the low half of their cookie
 * @mdt_open_next: where the search for a free number starts
 * @mdt_open_life: high half of cookies: those of an earlier start lead to nothing
 * @mdt_pinning: recovery has not ended
 * @mdt_pins: objects that it keeps in memory, referenced (LU_HOLDER_STATE)
 * @mdt_seq_lock: guards @mdt_seq, and writes of @mdt_seq_file
 * @mdt_seq: sequences that were not given to a client yet
 * @mdt_seq_file: where they are on disk, referenced
 * @mdt_squash: user and group of a client's root, 32 bits each; 0: root itself
 * @mdt_nosquash: nodes whose root is not changed, or NULL
 * @mdt_access: nodes that are refused or may only read, or NULL
 * @mdt_som_now: incarnation that trusted.som of files has to be of; constant once @mdt_som_on
 * @mdt_som_on: recovery has ended, trusted.som is believed
 * @mdt_som_strict: parameter enable_strict_som: replies say it
 * @mdt_scrub: search for objects by FID
 * @mdt_dirs: list of all kept directories, struct mdt_kept, the least recently used first
 * @mdt_dirs_nr: their number
 * @mdt_dirs_lock: guards @mdt_dirs and @mdt_dirs_nr
 * @mdt_dirs_work: closes those that were not used for a while
 */
struct mdt_device {
	struct target_dir	mdt_dir;
	struct obd_export	*mdt_lov;
	struct lod_device	*mdt_lod;
	struct osd_device	*mdt_osd;
	struct lu_site		*mdt_site;
	struct mdt_object	*mdt_root;
	struct params_stats	*mdt_stats;
	struct mutex		mdt_lock;
	struct xarray		mdt_opens;
	u32			mdt_open_next;
	u32			mdt_open_life;
	bool			mdt_pinning;
	struct list_head	mdt_pins;
	struct mutex		mdt_seq_lock;
	struct lustre_seq_range	mdt_seq;
	struct file		*mdt_seq_file;
	u64			mdt_squash;
	struct mdt_nids __rcu	*mdt_nosquash;
	struct mdt_nids __rcu	*mdt_access;
	u32			mdt_som_now;
	bool			mdt_som_on;
	bool			mdt_som_strict;
	struct mdt_scrub	*mdt_scrub;
	struct list_head	mdt_dirs;
	u32			mdt_dirs_nr;
	spinlock_t		mdt_dirs_lock;
	struct delayed_work	mdt_dirs_work;
};

/**
 * struct mdt_export - a client, exp_data of its export
 * @me_exp: its export
 * @me_opens: its open handles, guarded by mdt_lock
 *
 * Created by o_connect, freed by exp_destroy.
 */
struct mdt_export {
	struct obd_export	*me_exp;
	struct list_head	me_opens;
};

/* Whether a directory is one that real Lustre has striped over metadata targets. */
enum mdt_striped {
	MDT_STRIPED_UNKNOWN,
	MDT_STRIPED_NO,
	MDT_STRIPED_YES,
};

/**
 * struct mdt_object - an object
 * @mo_lu: its head
 * @mo_osd: the backend's object, located while this exists
 * @mo_lock: guards @mo_opens to @mo_lease and the object's names; see above
 * @mo_opens: open handles
 * @mo_writers: those of them for writing
 * @mo_execs: those of them for execution; while there are any, there are no @mo_writers
 * @mo_som: who writes to it, see mdt_som.c
 * @mo_pending: it has no name, and is in PENDING until it is closed
 * @mo_leased: lease of its layout, not referenced, or NULL; see mdt_swap.c
 * @mo_lease: lease that its client has of another file's layout, referenced, or NULL
 * @mo_lost: the log says that new files do not get all of its default
 * @mo_striped: enum mdt_striped; of a directory
 * @mo_pinned: it is in mdt_pins by @mo_pin; guarded by mdt_lock
 * @mo_pin: in mdt_pins
 */
struct mdt_object {
	struct lu_object	mo_lu;
	struct osd_object	mo_osd;
	struct mutex		mo_lock;
	u32			mo_opens;
	u32			mo_writers;
	u32			mo_execs;
	struct mdt_som		mo_som;
	bool			mo_pending;
	bool			mo_lost;
	u8			mo_striped;
	bool			mo_pinned;
	struct mdt_lease	*mo_leased;
	struct mdt_lease	*mo_lease;
	struct list_head	mo_pin;
};

/**
 * struct mdt_trans - a change, and its place in the order of changes
 * @mtr_stamp: given to osd; its call takes the number
 * @mtr_obd: device
 * @mtr_replay: the number that it had before a restart, or 0
 * @mtr_transno: its number, 0: nothing was changed
 */
struct mdt_trans {
	struct osd_stamp	mtr_stamp;
	struct obd_device	*mtr_obd;
	u64			mtr_replay;
	u64			mtr_transno;
};

/* Most objects that a change locks. */
#define MDT_LOCKS_MAX	4

/**
 * struct mdt_lock - a lock of the server itself
 * @fid: object
 * @bits: MDS_INODELOCK_*
 * @lock: the lock, referenced
 */
struct mdt_lock {
	struct lu_fid		fid;
	u64			bits;
	struct ldlm_lock	*lock;
};

/**
 * struct mdt_call - a request of a client
 * @mtc_sr: request
 * @mtc_mdt: device
 * @mtc_op: what it asks for, decoded
 * @mtc_cred: credentials of the client, referenced; those of the task meanwhile
 * @mtc_old: those of the task
 * @mtc_object: objects of mtc_op, by mdt_call_object(); referenced (LU_HOLDER_CALL), or NULL
 * @mtc_rep: the reply
 * @mtc_acl: memory of mtc_rep.acl, kvmalloc()ed, or NULL
 * @mtc_result: memory of mtc_rep.result, likewise
 * @mtc_layout: memory of mtc_rep.layout
 * @mtc_lock: what it changes is locked
 * @mtc_locks: their number
 * @mtc_missing: what has to be locked before the request is executed again; bits 0: nothing
 * @mtc_guard: what the reply says was read under this lock; lock NULL: none
 */
struct mdt_call {
	struct ptlrpc_svc_req	*mtc_sr;
	struct mdt_device	*mtc_mdt;
	struct md_op_data	mtc_op;
	const struct cred	*mtc_cred;
	const struct cred	*mtc_old;
	struct mdt_object	*mtc_object[MDS_OBJECTS_MAX];
	struct md_reply		mtc_rep;
	void			*mtc_acl;
	void			*mtc_result;
	struct lod_layout	mtc_layout;
	struct mdt_lock		mtc_lock[MDT_LOCKS_MAX];
	u32			mtc_locks;
	struct mdt_lock		mtc_missing;
	struct mdt_lock		mtc_guard;
};

static inline struct mdt_device *mdt_device(const struct obd_device *obd)
{
	return obd->obd_data;
}

static inline struct mdt_object *mdt_object(const struct lu_object *obj)
{
	return container_of(obj, struct mdt_object, mo_lu);
}

static inline struct mdt_export *mdt_call_client(const struct mdt_call *call)
{
	return call->mtc_sr->sr_exp->exp_data;
}

/* --- mdt_object.c --------------------------------------------------------------------- */

/* Return: 0, and mdt_objects_fini() must follow; -ENOMEM */
int mdt_objects_init(struct mdt_device *mdt);
/* The device has no clients any more. Sleeps. */
void mdt_objects_fini(struct mdt_device *mdt);

/**
 * mdt_object_find() - an object by FID and hint
 * @mdt: device
 * @name: FID, and hint; an object that is in memory, and the root, need none
 *
 * Context: may sleep; the credentials of the task do not matter
 * Return: object, for mdt_object_put(); -ESTALE: the hint does not lead to an object with
 *  this FID; -EINVAL: not the FID of an object of a tree
 */
struct mdt_object *mdt_object_find(struct mdt_device *mdt, const struct md_object *name);

/**
 * mdt_object_take() - the object that osd has found
 * @mdt: device
 * @found: from osd_lookup(), osd_create() and others. It is not located any more, also after a
 *  failure
 *
 * Return: object, for mdt_object_put(); -ESTALE: it is going away; -ENOMEM
 */
struct mdt_object *mdt_object_take(struct mdt_device *mdt, struct osd_object *found);

/* Drop a reference (LU_HOLDER_CALL). NULL is permitted. */
void mdt_object_put(struct mdt_object *obj);

/* The FID and the hint of an object, for a client. Return: 0 or a negative errno */
int mdt_object_name(const struct osd_object *obj, struct md_object *name);
/*
 * Whether names may be added to a directory. Return: 0; -EREMOTE: its names are in shards, by their
 * hash, and the log names it
 */
int mdt_object_takes_names(const struct mdt_device *mdt, struct mdt_object *dir);
/* Attributes; valid is 0. Return: 0 or a negative errno */
int mdt_object_attr(const struct osd_object *obj, struct md_attr *attr);

/* --- mdt_call.c ----------------------------------------------------------------------- */

/**
 * mdt_call_run() - run a request
 * @sr: request
 * @fn: does it, with the credentials of the client. Return: 0 or a negative errno
 *
 * The whole of a handler (shd_fn): decodes the request (-EPROTO), calls @fn, counts the
 * operation, encodes mtc_rep as the reply if @fn returns 0, and drops what the call holds.
 * A failure has no reply but its errno.
 *
 * Context: a thread of the service
 * Return: 0 or a negative errno
 */
int mdt_call_run(struct ptlrpc_svc_req *sr, int (*fn)(struct mdt_call *call));

/**
 * mdt_call_object() - an object of the request
 * @call: call, which holds the object until its end
 * @n: its number in mtc_op.object
 *
 * Return: object; as mdt_object_find(); -EPROTO: the request names no such object
 */
struct mdt_object *mdt_call_object(struct mdt_call *call, u32 n);

/* Object 0 of the request, as mdt_scrub_find(). The call holds it until its end. */
struct mdt_object *mdt_call_seek(struct mdt_call *call);

/**
 * mdt_call_reply() - the reply is about an object
 * @call: call
 * @obj: object; not needed any more when this returns
 *
 * Fills in object, attr, acl, the layout of a regular file, and as the result the target of a
 * symbolic link, if the client asks for so many bytes.
 *
 * Return: 0; -E2BIG: the ACL does not fit a message; as osd_getattr() and others
 */
int mdt_call_reply(struct mdt_call *call, const struct osd_object *obj);

/* The reply has the attributes of a directory that was changed. Return: as mdt_object_attr() */
int mdt_call_parent(struct mdt_call *call, const struct osd_object *dir);

/* The request is executed once more: drop its objects and its reply. */
void mdt_call_restart(struct mdt_call *call);

/**
 * mdt_trans_start() - start the transaction of a request
 * @call: call
 * @mt: out; mtr_stamp takes its number in a change of the backend
 *
 * Context: as tgt_trans_start()
 * Return: 0, and mdt_trans_stop() must follow; -EIO after a commit failed
 */
int mdt_trans_start(struct mdt_call *call, struct mdt_trans *mt);
/*
 * The transaction has a number from here on, also without a change of the backend, or one that was
 * done before a restart. Under the lock that orders it.
 */
void mdt_trans_note(struct mdt_trans *mt);
/**
 * mdt_trans_stop() - end it; the reply has its number if the request succeeded
 * @call: call
 * @mt: transaction
 * @rc: result of the request
 *
 * Context: as tgt_trans_stop()
 * Return: @rc, or the error of the commit
 */
int mdt_trans_stop(struct mdt_call *call, struct mdt_trans *mt, int rc);

/* A transaction of the server's own. Return: 0 or -EIO */
int mdt_own_trans_start(struct mdt_device *mdt, struct mdt_trans *mt);
void mdt_own_trans_stop(struct mdt_trans *mt);

/* Whether the request may have been executed before the server restarted. */
bool mdt_call_is_again(const struct mdt_call *call);
bool mdt_call_is_replay(const struct mdt_call *call);

/* --- mdt_lock.c ----------------------------------------------------------------------- */

/**
 * mdt_lock_change() - lock what a change will change, as far as that is known
 * @call: call; mdt_locks_end() releases the locks
 *
 * Other clients return their locks of that part. A replay locks nothing. With mtc_missing the
 * request is executed again: its objects and its reply are dropped.
 *
 * Context: sleeps; not in a transaction
 * Return: 0; as ldlm_local_lock()
 */
int mdt_lock_change(struct mdt_call *call);
/*
 * A change has found out in its transaction what it will change. Return: 0: that is locked;
 * -EAGAIN: the transaction ends, and mdt_lock_change() comes again
 */
int mdt_lock_missing(struct mdt_call *call, const struct lu_fid *fid, u64 bits);
/*
 * If the request asks for a lock: no task changes the object from here to the end of the request,
 * as far as that can be had at once. Context: may sleep for memory
 */
void mdt_guard(struct mdt_call *call, const struct lu_fid *fid);
/* Likewise for what a name led to; without guard if the name has changed since. */
void mdt_guard_name(struct mdt_call *call, struct mdt_object *dir, const struct qstr *name,
		    const struct lu_fid *fid);
/*
 * No name appears in a directory or goes until mdt_guard_end(). The call has no other guard.
 * Return: false: that cannot be had at once
 */
bool mdt_guard_dir(struct mdt_call *call, const struct lu_fid *fid);
void mdt_guard_end(struct mdt_call *call);
/* Whether the reply, which is complete, may grant a lock. */
bool mdt_may_grant(const struct mdt_call *call);
/* Grant it in the reply, which has the buffer. */
void mdt_grant(struct mdt_call *call);
void mdt_locks_end(struct mdt_call *call);

/* --- mdt_handler.c -------------------------------------------------------------------- */

extern const struct ptlrpc_target_ops mdt_target_ops;

/* Whether an attribute is the server's own: clients neither list nor change it. */
bool mdt_xattr_is_own(const char *name);

/* --- mdt_fid2path.c ------------------------------------------------------------------- */

/* Handler of MDS_FID2PATH. */
int mdt_fid2path(struct ptlrpc_svc_req *sr);

/* --- mdt_scrub.c ---------------------------------------------------------------------- */

int mdt_scrub_module_init(void);
void mdt_scrub_module_exit(void);

/* Start the thread, which waits. Return: 0, and mdt_scrub_fini() must follow; -ENOMEM */
int mdt_scrub_init(struct mdt_device *mdt);
/* End the thread, and what it does. Requests get -ESHUTDOWN from here on. Sleeps. */
void mdt_scrub_stop(struct mdt_device *mdt);
/* No request is left. NULL is permitted. */
void mdt_scrub_fini(struct mdt_device *mdt);

/**
 * mdt_scrub_find() - an object by its FID
 * @mdt: device
 * @name: FID, perhaps with a hint
 *
 * As mdt_object_find(). An object that is not in memory, and has no hint, is looked up in the
 * index; without an index a walk of the tree is started, which makes one. A stale hint starts none:
 * the object is gone in most cases.
 *
 * Context: sleeps, for half a second at most; the credentials of the task do not matter
 * Return: object, for mdt_object_put(); -ENOENT: there is none; -ESTALE: likewise, with a hint;
 *  -EINPROGRESS: the walk has not ended; -ENOMEM: it has failed; -EIO: part of the tree could not
 *  be read; -ESHUTDOWN; as mdt_object_find()
 */
struct mdt_object *mdt_scrub_find(struct mdt_device *mdt, const struct md_object *name);

/*
 * An object was created, or got a name that the walk may miss. After the change, before its lock of
 * the object is released. Nothing without an index. Context: may sleep for memory
 */
void mdt_scrub_note(struct mdt_device *mdt, const struct osd_object *obj);
/* An object has lost its last name. */
void mdt_scrub_forget(struct mdt_device *mdt, const struct lu_fid *fid);

/* Parameter oi_scrub. */
int mdt_scrub_print(struct mdt_device *mdt, struct params_sink *sink);
/* @text: "start". Return: 0; -EALREADY; -EINVAL */
int mdt_scrub_set(struct mdt_device *mdt, const char *text);

/* --- mdt_oi.c ------------------------------------------------------------------------- */

struct mdt_oi *mdt_oi_new(void);
/* Sleeps. NULL is permitted. */
void mdt_oi_free(struct mdt_oi *oi);
/* Add an object, or change its hint. Context: may sleep for memory. Return: 0 or -ENOMEM */
int mdt_oi_add(struct mdt_oi *oi, const struct lu_fid *fid, const struct osd_hint *hint);
bool mdt_oi_find(struct mdt_oi *oi, const struct lu_fid *fid, struct osd_hint *hint);
void mdt_oi_del(struct mdt_oi *oi, const struct lu_fid *fid);
/* Any context. */
unsigned long mdt_oi_count(const struct mdt_oi *oi);

/* --- mdt_readdir.c -------------------------------------------------------------------- */

void mdt_dirs_init(struct mdt_device *mdt);
/* The device has no clients any more. */
void mdt_dirs_fini(struct mdt_device *mdt);
/* Close those of a client that is gone. */
void mdt_dirs_drop(struct mdt_device *mdt, const struct mdt_export *me);
/* Handler of MDS_READPAGE, and its shd_rep_bulk. */
int mdt_readpage(struct ptlrpc_svc_req *sr);
u32 mdt_readpage_bytes(const struct wire_msg *msg);

/* --- mdt_seq.c ------------------------------------------------------------------------ */

/* Return: 0, and mdt_seq_fini() must follow; -EUCLEAN: the file is malformed; errors of the file */
int mdt_seq_init(struct mdt_device *mdt, struct obd_why *why);
void mdt_seq_fini(struct mdt_device *mdt);
/* Handler of SEQ_QUERY. */
int mdt_seq_query(struct ptlrpc_svc_req *sr);

/* --- mdt_reint.c ---------------------------------------------------------------------- */

/* Handler of MDS_REINT. */
int mdt_reint(struct ptlrpc_svc_req *sr);

/* As mdt_call_reply(). Says MDS_BODY_GONE, and does not count the name in PENDING. */
int mdt_reply_object(struct mdt_call *call, const struct mdt_object *obj);
/*
 * Create the new object of the request, mtc_op.object[1]. @child: located after 0, and after
 * -EEXIST the object that has the name. Return: as osd_create()
 */
int mdt_create_name(struct mdt_call *call, struct mdt_object *dir, umode_t mode,
		    struct mdt_trans *mt, struct osd_object *child);
/* mo_lock of both, in the order of their FIDs; they may be the same. @b: may be NULL */
void mdt_objects_lock(struct mdt_object *a, struct mdt_object *b);
void mdt_objects_unlock(struct mdt_object *a, struct mdt_object *b);
/* An object that a replay has created: later replays name it. Takes what @found locates. */
int mdt_created_again(struct mdt_call *call, struct osd_object *found);

/* --- mdt_setattr.c -------------------------------------------------------------------- */

/*
 * A file gets a size: @to is what changes on this target. Permission was checked. Return: 0;
 * -EOPNOTSUPP: there is no volume; -ENOSPC
 */
int mdt_truncate(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj, u64 size,
		 struct iattr *to);
/* In the transaction @mt. Return: 0 or a negative errno */
int mdt_reint_setattr(struct mdt_call *call, struct mdt_trans *mt);
int mdt_reint_setxattr(struct mdt_call *call, struct mdt_trans *mt);
int mdt_reint_layout(struct mdt_call *call, struct mdt_trans *mt);

/* --- mdt_swap.c ----------------------------------------------------------------------- */

/* Handler of MDS_SWAP_LAYOUTS. */
int mdt_swap_layouts(struct ptlrpc_svc_req *sr);
/*
 * A client uses the objects of a file: a lease of its layout ends. Before the layout is read for
 * the reply. Return: 0; -EINPROGRESS: the layout is being swapped
 */
int mdt_lease_break(struct mdt_object *obj);
/* Drop the lease that was in mo_lease; NULL is permitted. No mo_lock is held. */
void mdt_lease_end(struct mdt_lease *lease);

/* --- mdd_orphans.c -------------------------------------------------------------------- */

bool mdd_has_data(const struct osd_object *obj);
/*
 * REINT_OPEN with MDS_OPEN_VOLATILE: create a file without a name. Return: held by the call; or an
 * ERR_PTR: -EINVAL, -EACCES; as osd_pending_create() and lod_layout_new()
 */
struct mdt_object *mdd_volatile_create(struct mdt_call *call, struct mdt_trans *mt);
void mdd_orphan_destroy(struct mdt_device *mdt, struct mdt_object *obj, struct mdt_trans *mt);
void mdd_name_removed(struct mdt_device *mdt, struct mdt_object *obj, bool pending,
		      struct mdt_trans *mt);
/* Keep an object in memory until recovery has ended. Return: false: it has, and nothing is kept */
bool mdd_pin(struct mdt_device *mdt, struct mdt_object *obj);

/*
 * Pin the objects in PENDING, which clients may have open. Before ptlrpc_target_start(). Return: 0
 * or a negative errno, and mdd_orphans_fini() must follow
 */
int mdd_orphans_init(struct mdt_device *mdt);
/* The device has no clients any more. */
void mdd_orphans_fini(struct mdt_device *mdt);
/* to_recovered: destroy what no client has open. */
void mdd_orphans_recovered(struct obd_device *obd);

/* --- mdt_ident.c ---------------------------------------------------------------------- */

/* Most ranges in a list of nodes, and most bytes of its text. */
#define MDT_NIDS_MAX	64
#define MDT_NIDS_TEXT	2048

/* enum mdt_access - what is permitted to a node */
enum mdt_access {
	MDT_ACCESS_RW,
	MDT_ACCESS_RO,
	MDT_ACCESS_NONE,
};

/* Free the lists. The device has neither clients nor parameters any more. */
void mdt_ident_fini(struct mdt_device *mdt);
/* Parameters as text. Return: 0, or bytes of the text; -EINVAL, -ERANGE, -E2BIG, -ENOMEM */
int mdt_nosquash_set(struct mdt_device *mdt, const char *text);
ssize_t mdt_nosquash_text(struct mdt_device *mdt, char *buf, size_t size);
int mdt_access_set(struct mdt_device *mdt, const char *text);
ssize_t mdt_access_text(struct mdt_device *mdt, char *buf, size_t size);
int mdt_squash_set(struct mdt_device *mdt, const char *text);
ssize_t mdt_squash_text(struct mdt_device *mdt, char *buf, size_t size);
/* Return: 0; -EACCES: the node is refused; -EROFS: it may only read */
int mdt_ident_check(const struct mdt_call *call);
/* A client's root is a user without privileges from here on, unless its node is trusted. */
void mdt_ident_squash(struct mdt_call *call);

/* --- mdt_params.c --------------------------------------------------------------------- */

/* Add the parameters of the device. Return: 0 or -ENOMEM */
int mdt_params_init(struct mdt_device *mdt);
/* After they were removed. */
void mdt_params_fini(struct mdt_device *mdt);
/* Count an operation that has succeeded. */
void mdt_stats_count(struct mdt_call *call, u64 nsec);
void mdt_stats_statfs(struct obd_export *exp, u64 nsec);

#endif /* _MDT_INTERNAL_H */
