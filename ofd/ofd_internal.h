/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internals of ofd.ko.
 *
 *	ofd_obd.c	the device: its parts, setup and cleanup
 *	ofd_object.c	objects in memory, and their files
 *	ofd_ids.c	numbers of objects: those that were given out, those that were destroyed
 *	ofd_call.c	a request: decoded, with its object and its transaction; its reply
 *	ofd_io.c	read and write
 *	ofd_grant.c	grant: space that is reserved for what clients write later
 *	ofd_space.c	space of objects, and holes in them
 *	ofd_lock.c	locks of clients: their values, progress, objects that are gone
 *	ofd_handler.c	all other operations; table of handlers
 *	ofd_params.c	parameters
 *	ofd_brw_stats.c	statistics of reads and writes
 *
 * Locks, outermost first: a transaction (tgt_trans_start()); fo_lock of one object; i_rwsem of the
 * backend. og_lock is not held together with another one. ofd_ids_lock and ofd_gone_lock are taken
 * inside fo_lock; neither inside the other.
 */
#ifndef _OFD_INTERNAL_H
#define _OFD_INTERNAL_H

#include <linux/mutex.h>
#include <linux/xarray.h>

#include <lustre_lite/lu_object.h>
#include <lustre_lite/lu_target.h>
#include <lustre_lite/lustre_ost.h>
#include <lustre_lite/obd.h>
#include <lustre_lite/osd.h>
#include <lustre_lite/ptlrpc_service.h>
#include <lustre_lite/ptlrpc_target.h>
#include <lustre_lite/target_dir.h>

struct ofd_brw_stats;
struct params_stats;

/* Lists of objects that were destroyed lately. */
#define OFD_GONE_LISTS	2

/**
 * struct ofd_grant - promised space
 * @og_lock: guards what follows, and the grant of all exports
 * @og_granted: bytes that clients hold; what its exports hold together
 * @og_dirty: those of them that the clients have promised to write, as they have said last
 * @og_pending: bytes that writes may take which have not ended
 */
struct ofd_grant {
	struct mutex	og_lock;
	u64		og_granted;
	u64		og_dirty;
	u64		og_pending;
};

/**
 * struct ofd_device - a device of type obdfilter
 * @ofd_dir: its directory; must be the first member
 * @ofd_osd: its backend
 * @ofd_site: its objects
 * @ofd_grant: space that clients were promised
 * @ofd_stats: counts and durations of operations, stats
 * @ofd_brw_size: most bytes of a read or write that clients are told of when they connect, brw_size
 * @ofd_brw: sizes, numbers and times of reads and writes, brw_stats
 * @ofd_degraded: new files avoid it
 * @ofd_ids_lock: guards changes of @ofd_last_id, and O/0/LAST_ID
 * @ofd_last_id: the highest number given out; also read without the lock
 * @ofd_gone_lock: guards the next four
 * @ofd_gone: numbers of objects that were destroyed
 * @ofd_gone_new: the newer list
 * @ofd_gone_nr: numbers that were added to it
 * @ofd_gone_since: when it was started, ktime_get_seconds()
 */
struct ofd_device {
	struct target_dir	ofd_dir;
	struct osd_device	*ofd_osd;
	struct lu_site		*ofd_site;
	struct ofd_grant	ofd_grant;
	struct params_stats	*ofd_stats;
	u32			ofd_brw_size;
	struct ofd_brw_stats	*ofd_brw;
	bool			ofd_degraded;
	struct mutex		ofd_ids_lock;
	u64			ofd_last_id;
	struct mutex		ofd_gone_lock;
	struct xarray		ofd_gone[OFD_GONE_LISTS];
	u32			ofd_gone_new;
	u32			ofd_gone_nr;
	time64_t		ofd_gone_since;
};

/**
 * struct ofd_object - an object
 * @fo_lu: its head; its FID is an IDIF of the target
 * @fo_osd: its file, if @fo_exists
 * @fo_lock: orders the changes of the object
 * @fo_exists: it has a file; set once. Read by ofd_object_exists()
 * @fo_named: its file says which file of the file system it is of; guarded by @fo_lock
 * @fo_gone: it was destroyed; guarded by @fo_lock
 * @fo_transno: its last change, or 0: not known
 */
struct ofd_object {
	struct lu_object	fo_lu;
	struct osd_object	fo_osd;
	struct mutex		fo_lock;
	bool			fo_exists;
	bool			fo_named;
	bool			fo_gone;
	u64			fo_transno;
};

/* enum ofd_stat - what is counted: bytes of reads and of writes; then durations */
enum ofd_stat {
	OFD_STAT_READ_BYTES,
	OFD_STAT_WRITE_BYTES,
	OFD_STAT_READ,
	OFD_STAT_WRITE,
	OFD_STAT_GETATTR,
	OFD_STAT_SETATTR,
	OFD_STAT_PUNCH,
	OFD_STAT_SYNC,
	OFD_STAT_DESTROY,
	OFD_STAT_CREATE,
	OFD_STAT_STATFS,
	OFD_STAT_PREALLOC,
	OFD_STAT_SEEK,
	OFD_STAT_GRANT,
	OFD_STAT_COUNT
};

/**
 * struct ofd_call - a request of a client
 * @ofc_sr: request
 * @ofc_ofd: device
 * @ofc_op: what it asks for, decoded
 * @ofc_object: object of @ofc_op, by ofd_call_object(); referenced (LU_HOLDER_CALL), or NULL
 * @ofc_pending: bytes that it may take, by ofd_grant_begin()
 * @ofc_rep: the reply
 */
struct ofd_call {
	struct ptlrpc_svc_req	*ofc_sr;
	struct ofd_device	*ofc_ofd;
	struct ost_op		ofc_op;
	struct ofd_object	*ofc_object;
	u64			ofc_pending;
	struct ost_reply	ofc_rep;
};

static inline struct ofd_device *ofd_device(const struct obd_device *obd)
{
	return obd->obd_data;
}

static inline struct ofd_object *ofd_object(const struct lu_object *obj)
{
	return container_of(obj, struct ofd_object, fo_lu);
}

/* --- ofd_object.c --------------------------------------------------------------------- */

/* Return: 0, and ofd_objects_fini() must follow; -ENOMEM */
int ofd_objects_init(struct ofd_device *ofd);
/* The device has no clients any more. Sleeps. */
void ofd_objects_fini(struct ofd_device *ofd);

/**
 * ofd_object_find() - an object by its FID
 * @ofd: device
 * @fid: IDIF, as ost_op_decode() checks
 *
 * Context: may sleep
 * Return: object, which need not have a file, for ofd_object_put(); -EINVAL: of another
 *  target; -ESTALE: it was destroyed, and is still in use; -EIO: the backend's file is not that of
 *  the object; errors of the backend
 */
struct ofd_object *ofd_object_find(struct ofd_device *ofd, const struct lu_fid *fid);
/* Drop a reference (LU_HOLDER_CALL). NULL is permitted. */
void ofd_object_put(struct ofd_object *obj);

/* Whether it has a file, which it then has until it is freed. Any context. */
static inline bool ofd_object_exists(const struct ofd_object *obj)
{
	/* Pairs with ofd_object_make(): fo_osd is set. */
	return smp_load_acquire(&obj->fo_exists);
}

/**
 * ofd_object_make() - give an object a file, if it has none
 * @ofd: device
 * @obj: object; the caller holds fo_lock, and is in a transaction
 * @parent: its place in its file, or of size 0
 *
 * Context: a thread of osd_thread_start(); may sleep
 * Return: 0; -ESTALE: it was destroyed; -ENOENT: its number was not given out; errors of the
 *  backend
 */
int ofd_object_make(struct ofd_device *ofd, struct ofd_object *obj,
		    const struct lustre_filter_fid *parent);
/*
 * Remove it, and its file if it has one, as ofd_object_make(). It is not found again while it is in
 * use. Return: 0 or a negative errno
 */
int ofd_object_destroy(struct ofd_device *ofd, struct ofd_object *obj);
/* ofd_object_find() to read it: -ESTALE for one that was destroyed, as long as that is known. */
struct ofd_object *ofd_object_find_there(struct ofd_device *ofd, const struct lu_fid *fid);
/* Size, blocks and times; zeros without a file. Return: 0 or a negative errno */
int ofd_object_attr(const struct ofd_object *obj, struct md_attr *attr);

/* --- ofd_ids.c ------------------------------------------------------------------------ */

/* Return: 0, and ofd_ids_fini() must follow; -EUCLEAN: LAST_ID is malformed; errors of the file */
int ofd_ids_init(struct ofd_device *ofd, struct obd_why *why);
void ofd_ids_fini(struct ofd_device *ofd);
/*
 * Give out @count numbers; on disk when it returns. @given: no number up to this one. @first: out.
 * Return: 0; -ENOSPC: there are not so many; errors of the file
 */
int ofd_ids_take(struct ofd_device *ofd, u64 count, u64 given, u64 *first);
/* May an object be made? Return: 0; -ENOENT: not given out; -ESTALE: destroyed */
int ofd_id_check(struct ofd_device *ofd, u64 id);
/* It was destroyed: it is not made again, nor read as an empty one, for a while. */
void ofd_id_gone(struct ofd_device *ofd, u64 id);
/* Whether it was. May sleep */
bool ofd_id_is_gone(struct ofd_device *ofd, u64 id);

/* --- ofd_call.c ----------------------------------------------------------------------- */

/**
 * ofd_call_run() - run a request
 * @sr: request
 * @stat: where it is counted
 * @fn: does it. Return: 0 or a negative errno
 *
 * The whole of a handler (shd_fn): decodes the request (-EPROTO), calls @fn, counts the
 * operation, encodes ofc_rep as the reply if @fn returns 0, and drops what the call holds.
 *
 * Context: a thread of the service
 * Return: 0 or a negative errno
 */
int ofd_call_run(struct ptlrpc_svc_req *sr, enum ofd_stat stat,
		 int (*fn)(struct ofd_call *call));
/* The object of the request, which the call holds until its end. Return: as ofd_object_find() */
struct ofd_object *ofd_call_object(struct ofd_call *call);
/* Likewise, of a call that reads it. Return: as ofd_object_find_there() */
struct ofd_object *ofd_call_object_there(struct ofd_call *call);

/**
 * struct ofd_change - a change of the object of a request
 * @och_fn: does it; under fo_lock. Return: 0; 1: there was nothing to do; a negative errno
 * @och_bytes: bytes that its commit writes
 * @och_async: it is answered before it is on disk, also with commit_interval 0
 * @och_sync: it is on disk when it is answered
 */
struct ofd_change {
	int	(*och_fn)(struct ofd_call *call, struct ofd_object *obj);
	u64	och_bytes;
	bool	och_async;
	bool	och_sync;
};

/**
 * ofd_call_change() - change the object of a request, in a transaction
 * @call: call; ofc_rep.attr: out
 * @change: what
 *
 * A replay of what is on disk changes nothing.
 *
 * Context: may sleep
 * Return: 0; -EIO: a commit failed; as ofd_object_find() and @change
 */
int ofd_call_change(struct ofd_call *call, const struct ofd_change *change);
/*
 * The number of a replay, if the transaction is on disk: then there is nothing to do. @replay: out:
 * the number, or 0. Return: whether it is
 */
bool ofd_call_is_done(struct ofd_call *call, u64 *replay);

/* Set the times that the request has, on an object with a file. Return: 0 or a negative errno */
int ofd_times_set(struct ofd_call *call, struct ofd_object *obj);

/* --- ofd_io.c ------------------------------------------------------------------------- */

/* Handlers of OST_READ, with its shd_rep_bulk, and OST_WRITE. */
int ofd_read(struct ptlrpc_svc_req *sr);
u32 ofd_read_bytes(const struct wire_msg *msg);
int ofd_write(struct ptlrpc_svc_req *sr);

/* --- ofd_space.c ---------------------------------------------------------------------- */

/* Handlers of OST_FALLOCATE and OST_SEEK. */
int ofd_fallocate(struct ptlrpc_svc_req *sr);
int ofd_seek(struct ptlrpc_svc_req *sr);

/* --- ofd_grant.c ---------------------------------------------------------------------- */

/* Nothing is promised. */
void ofd_grant_init(struct ofd_device *ofd);
/*
 * A client connects, or connects again. @ocd: in: what it holds; out: what it holds now. Its grant
 * ends with the export. Return: 0; -ENOMEM
 */
int ofd_grant_connect(struct obd_export *exp, struct obd_connect_data *ocd);

/**
 * ofd_grant_begin() - space for a change of an object
 * @call: call, a write or another change that takes space, for the ranges of its operation
 *
 * Uses up the grant that the request says. ofd_grant_end() must follow, also after an error.
 *
 * Context: may sleep; without fo_lock
 * Return: 0; -ENOSPC: the rest of the space is promised to others; as ofd_call_object()
 */
int ofd_grant_begin(struct ofd_call *call);
/* The change has ended. The client is given more, if it wants some: ob_first of the reply. */
void ofd_grant_end(struct ofd_call *call);
/* Handler of OST_GRANT. */
int ofd_grant(struct ptlrpc_svc_req *sr);

/* --- ofd_lock.c ----------------------------------------------------------------------- */

/* The resources of the device have values. Before ptlrpc_target_start(). */
void ofd_lock_init(struct ofd_device *ofd);
/* The object was changed, or destroyed. @attr: what it is now. Under fo_lock; does not sleep */
void ofd_lock_changed(struct ofd_device *ofd, const struct ofd_object *obj,
		      const struct md_attr *attr);
/*
 * Unwritten changes of clients are part of the attributes of an object. Sleeps until the clients
 * have answered. Return: 0 or a negative errno
 */
int ofd_lock_value(const struct ofd_call *call, struct md_attr *attr);
/*
 * Grant the lock that a read asks for, if it is free. Bytes that are read afterwards were read
 * under it.
 * Return: whether the reply has it
 */
bool ofd_lock_grant(struct ofd_call *call);
/* The client of a read or write works under its locks, which may be revoked. Does not sleep. */
void ofd_lock_progress(const struct ofd_call *call);
/*
 * The object is gone: revoke the locks of clients. Those of an object of another target are left
 * alone. May sleep for memory; waits for no client
 */
void ofd_lock_revoke(struct ofd_device *ofd, const struct lu_fid *fid);

/* --- ofd_handler.c -------------------------------------------------------------------- */

extern const struct ptlrpc_target_ops ofd_target_ops;

/* --- ofd_params.c --------------------------------------------------------------------- */

/* Add the parameters of the device. Return: 0 or -ENOMEM */
int ofd_params_init(struct ofd_device *ofd);
/* After they were removed. */
void ofd_params_fini(struct ofd_device *ofd);
/* Count bytes, or an operation that took @value nanoseconds. */
void ofd_stats_bytes(const struct ofd_call *call, enum ofd_stat stat, u64 bytes);
void ofd_stats_time(const struct ofd_call *call, enum ofd_stat stat, u64 nsec);
void ofd_stats_statfs(struct obd_export *exp, u64 nsec);

/* --- ofd_brw_stats.c ------------------------------------------------------------------ */

/* Add the parameter. Return: 0 or -ENOMEM */
int ofd_brw_init(struct ofd_device *ofd);
/* After it was removed. */
void ofd_brw_fini(struct ofd_device *ofd);
/* Count a read or write of @len bytes, in so many contiguous ranges, at least 1. */
void ofd_brw_request(struct ofd_device *ofd, bool is_write, u64 len, u32 ranges);
/* The backend reads or writes a range. Return: when, for ofd_brw_io_end() */
u64 ofd_brw_io_begin(struct ofd_device *ofd, bool is_write);
/* It has done so, with @len bytes. */
void ofd_brw_io_end(struct ofd_device *ofd, bool is_write, u64 begun, u64 len);

#endif /* _OFD_INTERNAL_H */
