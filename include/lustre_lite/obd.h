/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Object devices: the structures. Operations are in obd_class.h (types,
 * devices, life), obd_export.h, obd_import.h and obd_ops.h.
 *
 * A device's life:
 *
 *	          attach            setup                     setup ok
 *	 (none) --------> ATTACHED ------> STARTING -------------------> SET_UP
 *	                   |    ^             |                            |
 *	                   |    +-------------+                   cleanup  |
 *	            detach |      setup failed                             v
 *	                   v                                           STOPPING
 *	               DETACHED <--------- CLEANED_UP <--------------------+
 *	                          detach            last export destroyed
 *
 * obd_move() refuses every other transition. A device that was cleaned up
 * cannot be set up again: it is detached, and its name is free for a new
 * device.
 */
#ifndef _LUSTRE_LITE_OBD_H
#define _LUSTRE_LITE_OBD_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <lustre_lite/active.h>
#include <lustre_lite/lustre_cfg.h>
#include <lustre_lite/lustre_fid.h>
#include <lustre_lite/lustre_md.h>
#include <lustre_lite/obd_why.h>
#include <uapi/lustre_lite/obd.h>
#include <uapi/lustre_lite/obd_ioctl.h>

struct bio_vec;
struct client_obd;
struct ldlm_flock;
struct ldlm_lock;
struct ldlm_namespace;
struct lnet_nid;
struct lov_layout;
struct lustre_params_attr;
struct lustre_params_entry;
struct lu_fid;
struct md_object;
struct md_op_data;
struct md_reply;
struct module;
struct net;
struct obd_device;
struct obd_export;
struct obd_import;
struct obd_client_stats;
struct ost_op;
struct ost_grant;
struct ost_reply;
struct md_done;
struct ost_writes;
struct params_sink;
struct params_stats;
struct page;
struct ptlrpc_bulk;
struct ptlrpc_request;
struct ptlrpc_target_ops;
struct target_recovery;

/**
 * struct obd_statfs - free space of a target
 * @os_type: magic of its file system
 * @os_bsize: bytes of a block
 * @os_blocks: blocks
 * @os_bfree: free blocks
 * @os_bavail: free blocks for unprivileged users
 * @os_files: inodes
 * @os_ffree: free inodes
 * @os_namelen: longest name
 * @os_state: OS_STATFS_*
 */
struct obd_statfs {
	u64	os_type;
	u32	os_bsize;
	u32	os_namelen;
	u64	os_blocks;
	u64	os_bfree;
	u64	os_bavail;
	u64	os_files;
	u64	os_ffree;
	u32	os_state;
};

/* Operations, by number: for the statistics of a device. */
enum obd_op {
	OBD_OP_CONNECT,
	OBD_OP_RECONNECT,
	OBD_OP_DISCONNECT,
	OBD_OP_ADD_CONN,
	OBD_OP_DEL_CONN,
	OBD_OP_SETUP,
	OBD_OP_PRECLEANUP,
	OBD_OP_CLEANUP,
	OBD_OP_PROCESS_CONFIG,
	OBD_OP_GET_INFO,
	OBD_OP_SET_INFO_ASYNC,
	OBD_OP_IMPORT_EVENT,
	OBD_OP_HEALTH_CHECK,
	OBD_OP_NOTIFY,
	OBD_OP_STATFS,
	OBD_OP_GET_UUID,
	MD_OP_GET_ROOT,
	MD_OP_STATFS,
	MD_OP_FID_ALLOC,
	OBD_OP_COUNT,
	/* Requests to a metadata target, for md_stats. */
	MD_OP_CLOSE = OBD_OP_COUNT,
	MD_OP_CREATE,
	MD_OP_GETATTR,
	MD_OP_INTENT_LOCK,	/* a lookup or an open */
	MD_OP_LINK,
	MD_OP_RENAME,
	MD_OP_SETATTR,
	MD_OP_FSYNC,
	MD_OP_ENQUEUE,
	MD_OP_READ_PAGE,
	MD_OP_UNLINK,
	MD_OP_SETXATTR,
	MD_OP_GETXATTR,
	MD_OP_END
};

#define MD_OP_COUNT	(MD_OP_END - OBD_OP_COUNT)

/* enum obd_notify_event - event of a device for the one above it */
enum obd_notify_event {
	OBD_NOTIFY_ACTIVE	= 1,	/* the target can be used */
	OBD_NOTIFY_INACTIVE	= 2,	/* the target cannot be used */
	OBD_NOTIFY_OCD		= 3,	/* its connect data changed */
};

/**
 * struct obd_ops - operations of a type
 * @o_owner: module, pinned while the type has devices
 * @o_setup: create the device's data; buffers 1.. of @cfg are its arguments.
 *  Own parameters go into obd->obd_params, which is not visible yet
 * @o_precleanup: stop the device's own activity; its exports were disconnected,
 *  some may still be in use
 * @o_cleanup: undo o_setup; no export is left. Called once for each successful
 *  o_setup
 * @o_connect: create an export for client @uuid at @nid (NULL: in this kernel);
 *  @ocd in: requested, out: granted
 * @o_reconnect: the client of @exp has reconnected
 * @o_disconnect: end the use of the export; drops the caller's reference on it
 * @o_add_conn: a further server for the import; @priority: try it first
 * @o_del_conn: remove a server
 * @o_process_config: any other command of a config log
 * @o_get_info: value of @key; @vallen in: size of the buffer, out: bytes
 * @o_set_info_async: set @key
 * @o_import_event: an event of the device's import; must not sleep long
 * @o_health_check: 0, or an errno with @why; no lock is held
 * @o_notify: an event of a device below
 * @o_statfs: free space of the target; @max_age: age limit of cached values,
 *  nanoseconds
 * @o_get_uuid: uuid of the target
 *
 * All may sleep and return 0 or a negative errno unless said otherwise.
 * Operations that a type lacks are NULL: callers get -EOPNOTSUPP. Called
 * through the inlines of obd_ops.h only.
 */
struct obd_ops {
	struct module *o_owner;
	int (*o_setup)(struct obd_device *obd, const struct lcfg_view *cfg,
		       struct obd_why *why);
	int (*o_precleanup)(struct obd_device *obd);
	int (*o_cleanup)(struct obd_device *obd);
	int (*o_connect)(struct obd_export **exp, struct obd_device *obd,
			 const struct obd_uuid *uuid,
			 const struct lnet_nid *nid,
			 struct obd_connect_data *ocd);
	int (*o_reconnect)(struct obd_export *exp, struct obd_device *obd,
			   const struct obd_uuid *uuid,
			   struct obd_connect_data *ocd);
	int (*o_disconnect)(struct obd_export *exp);
	int (*o_add_conn)(struct obd_device *obd, const struct obd_uuid *uuid,
			  bool priority, struct obd_why *why);
	int (*o_del_conn)(struct obd_device *obd, const struct obd_uuid *uuid,
			  struct obd_why *why);
	int (*o_process_config)(struct obd_device *obd,
				const struct lcfg_view *cfg,
				struct obd_why *why);
	int (*o_get_info)(struct obd_export *exp, const char *key, void *val,
			  u32 *vallen);
	int (*o_set_info_async)(struct obd_export *exp, const char *key,
				const void *val, u32 vallen);
	int (*o_import_event)(struct obd_device *obd, struct obd_import *imp,
			      enum obd_import_event event);
	int (*o_health_check)(struct obd_device *obd, struct obd_why *why);
	int (*o_notify)(struct obd_device *obd, struct obd_device *watched,
			enum obd_notify_event event);
	int (*o_statfs)(struct obd_export *exp, struct obd_statfs *st,
			u64 max_age);
	int (*o_get_uuid)(struct obd_export *exp, struct obd_uuid *uuid);
};

/**
 * struct md_open - an open object, of the client of its target
 * @mop_exp: export of that device, referenced
 *
 * Made by m_open, freed by m_close, or with MDS_CLOSE_DONE_LATER by m_done.
 */
struct md_open {
	struct obd_export	*mop_exp;
};

/**
 * struct md_ops - further operations of a metadata type: the client's side of lustre_md.h
 * @m_get_root: the root of the file system
 * @m_statfs: free metadata space of the whole file system
 * @m_call: do an operation, and wait for its reply. @rep: zeros after a failure; else its owner
 *	calls md_reply_put(). All of MDS_* and REINT_* but the next ones
 * @m_open: REINT_OPEN. @open: out: what is open, for m_close; NULL if the object is not opened, as
 *	a symbolic link is not. It is opened again after a restart of the server
 * @m_close: MDS_CLOSE; the object of @op, and its attributes to set. Ends @open, also on failure.
 *	0 also if the server knows no such open, as after an eviction, or if it is sent later
 * @m_done: MDS_DONE_WRITING: @done of the file that was closed with MDS_CLOSE_DONE_LATER, but for
 *	the handle; NULL: nothing is known. It is sent later, and lost if the server restarts. Any
 *	context
 * @m_lost: whether the server has forgotten @open, as after an eviction. Any context
 * @m_closes: send closes that were put off, and wait until the server of @obj has closed what this
 *	client had closed at the call. It does not wait for a server that is not connected
 * @m_readdir: MDS_READPAGE into @pages. @bytes: out
 * @m_fid_alloc: a new FID for an object in a directory
 * @m_flock: lock bytes of @fid for a user, or release them: ldlm_cli_flock(). With LDLM_FL_TEST
 *	ldlm_cli_flock_test(), which changes @mode and @flock
 *
 * They sleep; a signal that kills the task ends them with -EINTR. A change then goes on: req of
 * @rep is its request, for md_reply_put(). Other errors: of the server;
 * -EIO, -ENOTCONN, -ESHUTDOWN of the import.
 */
struct md_ops {
	int (*m_get_root)(struct obd_export *exp, struct lu_fid *fid);
	int (*m_statfs)(struct obd_export *exp, struct obd_statfs *st,
			u64 max_age);
	int (*m_call)(struct obd_export *exp, const struct md_op_data *op, struct md_reply *rep);
	int (*m_open)(struct obd_export *exp, const struct md_op_data *op, struct md_reply *rep,
		      struct md_open **open);
	int (*m_close)(struct obd_export *exp, struct md_open *open, const struct md_op_data *op,
		       struct md_reply *rep);
	void (*m_done)(struct obd_export *exp, struct md_open *open, const struct md_done *done);
	bool (*m_lost)(const struct md_open *open);
	int (*m_closes)(struct obd_export *exp, const struct md_object *obj);
	int (*m_readdir)(struct obd_export *exp, const struct md_op_data *op,
			 struct page **pages, unsigned int nr, u32 *bytes);
	int (*m_fid_alloc)(struct obd_export *exp, const struct md_object *dir,
			   struct lu_fid *fid);
	int (*m_flock)(struct obd_export *exp, const struct lu_fid *fid, u32 *mode,
		       struct ldlm_flock *flock, u32 flags);
};

/**
 * struct ost_ops - further operations of the client of an object storage target
 * @t_request: a request for @op, which has to be added to a set; or an ERR_PTR. @bulk: bytes to
 *	write, which it copies the vector of, and whose pages it references until the target has
 *	them on disk; or where to read to, which stays the caller's until the request is
 *	RQ_COMPLETE; or NULL. @writes: account of a change, referenced until it is on disk, or NULL.
 *	A write that may be answered before it is on disk has OBD_BRW_ASYNC: with more than
 *	max_dirty_mb that are not on disk yet, it waits here until they are
 * @t_reply: the reply of a request of t_request that has ended with status 0. Return: 0 or -EPROTO
 * @t_call: do an operation without bulk data, and wait for its reply
 * @t_settle: until changes of an object that killed tasks have left have ended: the target executes
 *	them at any time before. @killable: a signal that kills the task ends it. Return: 0 or
 *	-EINTR
 * @t_rpc_bytes: most bytes of a read or a write: max_pages_per_rpc
 * @t_grant: its grant, referenced by the export. Does not sleep
 * @t_grant_ask: ask the target for grant, unless it had none just now. Return: true if there is
 *	some
 *
 * They sleep; a signal that kills the task ends t_request and t_call with -EINTR.
 */
struct ost_ops {
	struct ptlrpc_request *(*t_request)(struct obd_export *exp, const struct ost_op *op,
					    const struct ptlrpc_bulk *bulk,
					    struct ost_writes *writes);
	int (*t_reply)(const struct ptlrpc_request *req, struct ost_reply *rep);
	int (*t_call)(struct obd_export *exp, const struct ost_op *op, struct ost_reply *rep);
	int (*t_settle)(struct obd_export *exp, const struct lu_fid *object, bool killable);
	u32 (*t_rpc_bytes)(struct obd_export *exp);
	struct ost_grant *(*t_grant)(struct obd_export *exp);
	bool (*t_grant_ask)(struct obd_export *exp);
};

/**
 * struct dt_range - a range of a file
 * @dtr_pos: first byte
 * @dtr_len: bytes, at least 1
 */
struct dt_range {
	u64	dtr_pos;
	u64	dtr_len;
};

struct lov_batch;

/**
 * struct dt_later - an I/O whose task does not wait for a target
 * @dl_wq: runs @dl_work
 * @dl_work: calls dt_io(), and dt_io_again() each time that it runs after that
 * @dl_batch: the requests, while they are under way; NULL: the I/O has ended
 */
struct dt_later {
	struct workqueue_struct	*dl_wq;
	struct delayed_work	dl_work;
	struct lov_batch	*dl_batch;
};

/**
 * struct dt_io - a read or write of a file
 * @di_write: a write
 * @di_sync: a write that is on disk when it returns
 * @di_range: ranges, in ascending order without overlap, whose bytes are in the parts
 * @di_ranges: their number
 * @di_vec: parts; pages that a write references until they are on disk
 * @di_nr: number of parts
 * @di_job: job that the requests are for; NULL: that of the task
 * @di_covered: a write of bytes that were changed under the locks of d_cover: nothing is written if
 *	one of them was lost since, or the bytes are in other objects now
 * @di_asks: the task of a write may ask the metadata target meanwhile: it ends with -EREMCHG if its
 *	bytes are in other objects, and wait for a target that is not connected
 * @di_later: if a target does not answer soon, dt_io() returns with dl_batch set, and the work goes
 *	on with the same ranges and parts; NULL: the task waits
 * @di_attr: of a write: mtime and ctime of the file, which the objects get
 * @di_got: of a write, may be NULL: out: the times of the object with the newest ctime afterwards;
 *	with MDS_ATTR_SIZE in valid the file has one object, and its blocks are these
 */
struct dt_io {
	bool			di_write;
	bool			di_sync;
	bool			di_covered;
	bool			di_asks;
	const struct dt_range	*di_range;
	unsigned int		di_ranges;
	struct bio_vec		*di_vec;
	unsigned int		di_nr;
	const char		*di_job;
	struct dt_later		*di_later;
	const struct md_attr	*di_attr;
	struct md_attr		*di_got;
};

/**
 * struct dt_falloc - fallocate() of a file
 * @df_mode: OST_FALLOC_*; the end of the file moves unless OST_FALLOC_KEEP_SIZE is set
 * @df_pos: first byte
 * @df_len: bytes, at least 1
 * @df_attr: mtime and ctime of the file, which the objects get
 * @df_got: out: the times of the object with the newest ctime afterwards
 */
struct dt_falloc {
	u32			df_mode;
	u64			df_pos;
	u64			df_len;
	const struct md_attr	*df_attr;
	struct md_attr		*df_got;
};

struct dt_owner;

/* A value of trusted.lov: dt_owner_ops.do_value. Sleeps */
typedef void (dt_value_t)(void *data, const void *ea, size_t len);

/**
 * struct dt_owner_ops - what the owner of a file's data does for its locks
 * @do_lost: a lock of one of the objects goes: its cancel is sent afterwards. Write
 *	data that was changed under it, and forget the rest. @gone: the lock is gone already, as by
 *	an eviction, and nothing may be written. May sleep
 * @do_attr: size, mtime and ctime of the file as its owner has changed them. Return: false if the
 *	objects have the newest ones. Does not sleep
 * @do_unsure: whether the layout may have changed since. Reads and enqueues that wait for a target
 *	that is not connected end with -EREMCHG then: the file may be elsewhere. Does not sleep
 * @do_value: ask the server for the layout, and call @use with its value; the layout is left as it
 *	is. Does nothing if the server is not connected. Sleeps
 * @do_put: the layout is gone. Does not sleep
 * @do_module: module of these, pinned until then
 */
struct dt_owner_ops {
	void (*do_lost)(struct dt_owner *owner, bool gone);
	bool (*do_attr)(struct dt_owner *owner, struct md_attr *attr);
	bool (*do_unsure)(struct dt_owner *owner);
	void (*do_value)(struct dt_owner *owner, dt_value_t *use, void *data);
	void (*do_put)(struct dt_owner *owner);
	struct module *do_module;
};

/* Embedded in the structure of the owner, which the layout references. */
struct dt_owner {
	const struct dt_owner_ops *dto_ops;
};

/* Locks that need no allocation of their own. */
#define DT_LOCKS_FEW	4

/**
 * struct dt_locks - locks of all objects of a file, all of their bytes
 * @dk_nr: number of them
 * @dk_lock: locks, each referenced and used
 * @dk_known: @dk_attr is what the targets said with the locks: nothing was changed under them yet
 * @dk_attr: size, blocks and times of the file
 * @dk_changes: number of the value of the layout
 * @dk_write: the user's: they were asked for to change the file
 * @dk_few: @dk_lock of a few
 */
struct dt_locks {
	u32			dk_nr;
	struct ldlm_lock	**dk_lock;
	bool			dk_known;
	struct md_attr		dk_attr;
	u32			dk_changes;
	bool			dk_write;
	struct ldlm_lock	*dk_few[DT_LOCKS_FEW];
};

/* enum dt_wait - where a lock may come from */
enum dt_wait {
	DT_LOCK_CACHED,		/* from the cache of this client only */
	DT_LOCK_NOWAIT,		/* from the target, if no other client is in the way */
	DT_LOCK_WAIT,
};

/*
 * enum dt_cover - whether locks are those under which the content of the cache of a file was cached
 */
enum dt_cover {
	DT_COVERED,
	DT_COVER_NEW,		/* nothing of an object is cached yet */
	DT_COVER_LOST,		/* an earlier lock of an object was lost, and what was cached under it */
};

/**
 * struct dt_desc - defaults of a volume for new files, as lov_desc has them
 * @dd_stripe_size: bytes
 * @dd_stripe_count: 0: 1; -1 (0xffffffff): all targets
 * @dd_stripe_offset: first target; 0xffffffff: any
 * @dd_pattern: LOV_PATTERN_*
 * @dd_targets: targets that the volume has, also those that cannot be used
 * @dd_qos_maxage: how long a value of the free space of a target is used, nanoseconds
 */
struct dt_desc {
	u64	dd_stripe_size;
	u32	dd_stripe_count;
	u32	dd_stripe_offset;
	u32	dd_pattern;
	u32	dd_targets;
	u64	dd_qos_maxage;
};

/**
 * struct dt_ops - further operations of a data volume (lov): files by their layout, and targets
 * @d_layout: the layout of a file, without a value yet. @owner: of its data, whose reference it
 *	takes over. Return: the inode's, for d_layout_put; ERR_PTR(-ENOMEM)
 * @d_layout_set: the value of trusted.lov in a reply. @sure: it is that of the file now, also if it
 *	is older than that of the layout. Return: 0: that of the layout; 1: it is that of the layout
 *	now; 2: likewise, and all objects of before are in it; -ESTALE: it is older than that of
 *	the layout, which stays. Other operations on the layout fail, too, after:
 *	-EOPNOTSUPP: of a kind that is not served, which the log names; -EUCLEAN: malformed; -ENOMEM
 * @d_layout_put: the inode ends, and its operations have. May sleep
 * @d_io: read or write. A read fills all of the parts: with zeros where nothing was written. A
 *	write that failed may have written any part
 * @d_getattr: size, blocks and times of the file from its objects
 * @d_setattr: size (MDS_ATTR_SIZE) and times of the objects; out: mtime and ctime that they have
 * @d_fallocate: have space for a range, or make it zeros, with or without space. The caller has the
 *	locks for writing. After a failure any part may be done
 * @d_seek: the first position from *@pos on that has data, or is in a hole (@hole), of a file of
 *	@size bytes, more than *@pos. The end of the file is a hole. *@pos: out. The caller has the
 *	locks, and has written what it has changed. Return: 0; -ENXIO: only a hole is left
 * @d_settle: until changes of the objects that killed tasks have left have ended
 * @d_sync: until all that was written is on disk. Return: -EREMCHG: it is elsewhere; as d_error;
 *	others
 * @d_stable: whether all that was written is on disk, without waiting. Return: 1; 0: not yet; -EIO:
 *	some of it was lost since the last call, reported or not. Any context
 * @d_error: what is known of writes that were answered, without waiting. Return: 0; the error by
 *	which they were lost, once. Any context
 * @d_enqueue: lock all objects for reading (LCK_PR) or writing (LCK_PW), in the order of the
 *	layout. Calls on a file that has a lock of each object are coherent with those of all
 *	clients. @locks: out, for d_decref. Return: -EWOULDBLOCK: not by that enum dt_wait
 * @d_read_lock: read the first bytes of a file with one object, under a lock for reading that comes
 *	with them, as of d_enqueue. Return: -EWOULDBLOCK: it is not free; -EOPNOTSUPP: there is
 *	another number of objects, or the object has not all of the bytes. The parts may have been
 *	filled then
 * @d_current: whether the locks are of all objects that the layout has now. Any context
 * @d_lacks: whether the first @end bytes of the file have a component without objects, which has to
 *	get some before they are written. Any context
 * @d_decref: the locks are not used any more, and stay cached. Return: true if one was gone
 *	meanwhile, as by an eviction
 * @d_lost: whether one of the locks may be gone. A reply of each target to a request that was made
 *	with the locks came under them if this says later that none is
 * @d_cover_state: whether what is in the cache of the file is covered by these locks. Does not
 *	sleep
 * @d_cover: from now on it is
 * @d_grant: the grant that a page of the file needs to be written later, for ost_grant_put(); @end:
 *	out: position after the last byte of the same object in a row. Return: NULL: the byte has no
 *	object, or no target; a write says why
 * @d_grant_ask: ask the target of the object at @pos for grant. Return: true if there is some
 * @d_rpc_bytes: most bytes of a request to an object of the file: of the targets of the first
 *	objects of its segments; 0: not known yet
 * @d_target: a target by its index, which may be inactive: connection, referenced, or NULL
 * @d_target_next: the next active target from *index on, likewise; *index: out: the one after it.
 *	NULL at the end
 * @d_pool: whether a target is in a pool. Return: 0; -ENOENT: no such pool; -ENODEV: not in it
 * @d_desc: defaults for new files
 *
 * d_layout to d_sync, and d_enqueue sleep. A signal that kills the task ends
 * them with -EINTR.
 */
struct dt_ops {
	struct lov_layout *(*d_layout)(struct obd_export *exp, const struct lu_fid *file,
				       struct dt_owner *owner);
	int (*d_layout_set)(struct obd_export *exp, struct lov_layout *layout, const void *ea,
			    size_t len, bool sure);
	void (*d_layout_put)(struct lov_layout *layout);
	int (*d_io)(struct obd_export *exp, struct lov_layout *layout, const struct dt_io *io);
	int (*d_getattr)(struct obd_export *exp, struct lov_layout *layout,
			 struct md_attr *attr, bool wait);
	int (*d_setattr)(struct obd_export *exp, struct lov_layout *layout, struct md_attr *attr);
	int (*d_fallocate)(struct obd_export *exp, struct lov_layout *layout,
			   const struct dt_falloc *fa);
	int (*d_seek)(struct obd_export *exp, struct lov_layout *layout, bool hole, u64 size,
		      u64 *pos);
	int (*d_settle)(struct obd_export *exp, struct lov_layout *layout);
	int (*d_sync)(struct obd_export *exp, struct lov_layout *layout);
	int (*d_stable)(struct lov_layout *layout);
	int (*d_error)(struct lov_layout *layout);
	int (*d_enqueue)(struct obd_export *exp, struct lov_layout *layout, u32 mode,
		      enum dt_wait wait, struct dt_locks *locks);
	int (*d_read_lock)(struct obd_export *exp, struct lov_layout *layout, const struct dt_io *io,
			   struct dt_locks *locks);
	bool (*d_current)(const struct lov_layout *layout, const struct dt_locks *locks);
	bool (*d_lacks)(struct lov_layout *layout, u64 end);
	bool (*d_decref)(struct dt_locks *locks);
	bool (*d_lost)(struct obd_export *exp, const struct dt_locks *locks);
	enum dt_cover (*d_cover_state)(const struct dt_locks *locks);
	void (*d_cover)(const struct dt_locks *locks);
	struct ost_grant *(*d_grant)(struct obd_export *exp, struct lov_layout *layout, u64 pos,
				     u64 *end);
	bool (*d_grant_ask)(struct obd_export *exp, struct lov_layout *layout, u64 pos);
	u32 (*d_rpc_bytes)(struct obd_export *exp, struct lov_layout *layout);
	struct obd_export *(*d_target)(struct obd_export *exp, u32 index);
	struct obd_export *(*d_target_next)(struct obd_export *exp, u32 *index);
	int (*d_pool)(struct obd_export *exp, const char *pool, u32 index);
	int (*d_desc)(struct obd_export *exp, struct dt_desc *desc);
};

/* enum obd_service - operations and portals that imports of a type use */
enum obd_service {
	OBD_SERVICE_OST,
	OBD_SERVICE_MDS,
	OBD_SERVICE_MGS,
};

/**
 * struct obd_import_ops - what obdclass asks of devices that have an import
 * @io_params_add: add the parameters of the import to obd_params, which is not published
 * @io_control: OBD_IOC_IMPORT: activate, deactivate, recover
 * @io_stop: cleanup starts: requests that wait for the target end, unless it answers and
 *	@force is not set
 * @io_is_for: whether the target of the import has that uuid; any context
 * @io_server_text: the server that it is connected to, as text
 *
 * ptlrpc has the only table, client_import_ops. All but @io_params_add and @io_stop are
 * called inside the gate of the device. All but @io_is_for and @io_server_text may
 * sleep; @io_server_text is called within rcu_read_lock().
 */
struct obd_import_ops {
	int (*io_params_add)(struct obd_device *obd);
	int (*io_control)(struct obd_device *obd, const struct obd_ioc_import *oi,
			  struct obd_why *why);
	void (*io_stop)(struct obd_device *obd, bool force);
	bool (*io_is_for)(struct obd_device *obd, const struct obd_uuid *target);
	void (*io_server_text)(struct obd_device *obd, char *buf, size_t size);
};

/**
 * struct obd_type - a type of devices
 * @typ_name: name
 * @typ_dt_ops: operations
 * @typ_md_ops: metadata operations, or NULL
 * @typ_ost_ops: of the client of an object storage target, or NULL
 * @typ_dv_ops: of a data volume, or NULL
 * @typ_attrs: parameters of every device of the type besides the common ones;
 *  their data is the obd_device
 * @typ_attr_count: elements of @typ_attrs
 * @typ_import: &client_import_ops when devices have an import (obd_cli), or NULL
 * @typ_service: service at the other end of the import
 * @typ_target: operations over the wire, or NULL: devices are not targets of
 *  other nodes
 * @typ_refcnt: devices, guarded by the types' mutex
 * @typ_list: in the list of types, guarded by the types' mutex
 * @typ_params: directory of the type
 * @typ_key: lockdep class of the gates of its devices
 *
 * Static data of the registering module: @typ_key is a lockdep class.
 * Everything from
 * @typ_refcnt on is private to obdclass.
 */
struct obd_type {
	const char			*typ_name;
	const struct obd_ops		*typ_dt_ops;
	const struct md_ops		*typ_md_ops;
	const struct ost_ops		*typ_ost_ops;
	const struct dt_ops		*typ_dv_ops;
	const struct lustre_params_attr	*typ_attrs;
	size_t				typ_attr_count;
	const struct obd_import_ops	*typ_import;
	enum obd_service		typ_service;
	const struct ptlrpc_target_ops	*typ_target;
	unsigned int			typ_refcnt;
	struct list_head		typ_list;
	struct lustre_params_entry	*typ_params;
	struct lock_class_key		typ_key;
};

enum obd_state {
	OBD_NEW,
	OBD_ATTACHED,
	OBD_STARTING,
	OBD_SET_UP,
	OBD_STOPPING,
	OBD_CLEANED_UP,
	OBD_DETACHED,
	OBD_STATE_COUNT
};

/* enum obd_ref - holders of a reference on a device */
enum obd_ref {
	OBD_REF_TABLE,		/* attached, until detached */
	OBD_REF_SETUP,		/* set up, until cleaned up */
	OBD_REF_EXPORT,		/* each export, its own among them */
	OBD_REF_IMPORT,		/* each import */
	OBD_REF_TARGET,		/* a device above that uses it */
	OBD_REF_LOOKUP,		/* a lookup, for a short time */
	OBD_REF_COUNT
};

/* obd_flags, bit numbers */
#define OBDF_FORCE	0	/* cleanup: do not wait for peers */
#define OBDF_FAIL	1	/* cleanup: as if the machine had failed */
#define OBDF_INACTIVE	2	/* deactivated */
#define OBDF_NO_CONN	3	/* takes no new connections */

#define OBD_DEVICE_MAGIC	0xab5cd6efU

/**
 * struct obd_device - a device
 * @obd_magic: OBD_DEVICE_MAGIC until freed
 * @obd_minor: index in obd_devs, OBD_INDEX_NONE before and after
 * @obd_type: type, pinned
 * @obd_type_name: its name, for RCU readers of the table
 * @obd_seq: rises with every attach
 * @obd_name: name, unique among attached devices
 * @obd_uuid: uuid, not unique
 * @obd_instance: instance of the config log that attached it, or 0
 * @obd_net: network namespace of the attaching task, referenced: namespace of
 *  its connections and its listener
 * @obd_state: enum obd_state, changed by obd_move() only
 * @obd_flags: OBDF_*, bit operations
 * @obd_refcount: references
 * @obd_refs: references by holder
 * @obd_name_node: in the table of names
 * @obd_uuid_node: in the table of uuids
 * @obd_active: gate of operations; open while SET_UP
 * @obd_users: the setup and every export; at 0 o_cleanup runs
 * @obd_cleaned: completed once CLEANED_UP
 * @obd_export_lock: guards @obd_exports, @obd_unlinked_exports,
 *  @obd_num_exports and the chains in them
 * @obd_exports: connected exports, the newest first
 * @obd_unlinked_exports: exports that wait for their last reference
 * @obd_num_exports: exports in @obd_exports, its own included
 * @obd_self_export: its own export, from attach to detach
 * @obd_params: directory TYPE.NAME, from the start of setup to the start of
 *  cleanup
 * @obd_exports_params: directory exports in it
 * @obd_stats: calls and times of operations, from setup to cleanup
 * @obd_md_stats: those of requests to a metadata target, likewise; NULL for types without m_call
 * @obd_client_stats: of a target, by client and by job, see obd_stats.h; NULL for others
 * @obd_cli: data of a client type, NULL for others
 * @obd_namespace: its locks, or NULL; owned by ptlrpc
 * @obd_recovery: recovery of a restarted target, or NULL; owned by ptlrpc
 * @obd_lut: transactions and clients of a target, from its setup to its cleanup, or NULL;
 *  owned by ptlrpc
 * @obd_data: private to the type
 * @obd_rcu: freed after a grace period, as tables are read under RCU
 *
 * Created by class_attach(). Held by: the table of devices (attach to detach);
 * its setup; each export and import; each device above that uses it; each
 * lookup. The last put frees it and unpins its type.
 */
struct obd_device {
	u32				obd_magic;
	u32				obd_minor;
	struct obd_type			*obd_type;
	u64				obd_seq;
	char				obd_type_name[MAX_OBD_TYPE];
	char				obd_name[MAX_OBD_NAME];
	struct obd_uuid			obd_uuid;
	u64				obd_instance;
	struct net			*obd_net;
	enum obd_state			obd_state;
	unsigned long			obd_flags;
	refcount_t			obd_refcount;
	atomic_t			obd_refs[OBD_REF_COUNT];
	struct rhash_head		obd_name_node;
	struct rhlist_head		obd_uuid_node;
	struct libcfs_active		obd_active;
	refcount_t			obd_users;
	struct completion		obd_cleaned;
	spinlock_t			obd_export_lock;
	struct list_head		obd_exports;
	struct list_head		obd_unlinked_exports;
	u32				obd_num_exports;
	struct obd_export		*obd_self_export;
	struct lustre_params_entry	*obd_params;
	struct lustre_params_entry	*obd_exports_params;
	struct params_stats		*obd_stats;
	struct params_stats		*obd_md_stats;
	struct obd_client_stats		*obd_client_stats;
	struct client_obd		*obd_cli;
	struct ldlm_namespace		*obd_namespace;
	struct target_recovery		*obd_recovery;
	struct lu_target		*obd_lut;
	void				*obd_data;
	struct rcu_head			obd_rcu;
};

#endif /* _LUSTRE_LITE_OBD_H */
