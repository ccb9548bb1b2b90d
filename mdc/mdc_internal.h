/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internals of mdc.ko.
 *
 *	mdc_obd.c	the device: settings, setup and cleanup
 *	mdc_request.c	requests: lookups, changes
 *	mdc_readdir.c	directories
 *	mdc_lock.c	locks that requests ask for, and give back
 *	mdc_open.c	open objects
 *	mdc_close.c	their end
 *	mdc_done.c	sizes of files that were closed
 *	mdc_seq.c	FIDs of new objects
 */
#ifndef _MDC_INTERNAL_H
#define _MDC_INTERNAL_H

#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/lustre_md.h>
#include <lustre_lite/obd_client.h>
#include <lustre_lite/ptlrpc.h>

/**
 * struct mdc_seq - sequences that the target gave to this client
 * @msq_lock: guards what follows
 * @msq_next: sequence of the next FID
 * @msq_end: the first sequence that is not this client's; @msq_next if none is left
 * @msq_oid: last number that was used in @msq_next
 * @msq_asking: a task asks for more
 * @msq_asked: tasks that have asked
 * @msq_rc: the result of the last one
 * @msq_flushed: evictions; an answer from before one is not used
 * @msq_wait: tasks that wait for the one that asks
 */
struct mdc_seq {
	spinlock_t		msq_lock;
	u64			msq_next;
	u64			msq_end;
	u32			msq_oid;
	bool			msq_asking;
	u32			msq_asked;
	int			msq_rc;
	u32			msq_flushed;
	wait_queue_head_t	msq_wait;
};

/**
 * struct mdc_pending - what the target has not answered yet
 * @mpe_item: in mdc_pending
 * @mpe_ticket: its number
 */
struct mdc_pending {
	struct list_head	mpe_item;
	u64			mpe_ticket;
};

/**
 * struct mdc_device - a device of type mdc
 * @mdc_cli: common part of client devices
 * @mdc_io: settings of the data path
 * @mdc_max_mod_rpcs: most changes that wait for an answer
 * @mdc_mod_lock: guards it, @mdc_mod_rpcs and @mdc_mod_waiting
 * @mdc_mod_rpcs: their number
 * @mdc_mod_waiting: tasks that wait to make a change, the first one first
 * @mdc_dom_reply: buffer for data in the reply to an open, bytes
 * @mdc_lsom: report the size of a file to the target on close
 * @mdc_seq: FIDs of new objects
 * @mdc_close_lock: guards the lists that follow, their numbers and @mdc_ticket
 * @mdc_parked: opens that will be closed by one request, by mop_parked; each has the reference of
 *	the caller of m_open
 * @mdc_parked_nr: their number
 * @mdc_pending: opens that are parked, or whose close has no answer; and those of @mdc_dones, or
 *	whose size has none. In the order of their tickets
 * @mdc_ticket: the last one
 * @mdc_close_wait: woken when some were answered
 * @mdc_close_work: closes what is parked
 * @mdc_dones: opens that were closed, and whose mop_done will be sent, by mop_dones; each
 *  referenced
 * @mdc_dones_nr: their number
 * @mdc_done_work: sends these
 */
struct mdc_device {
	struct client_obd	mdc_cli;
	struct client_io	mdc_io;
	u32			mdc_max_mod_rpcs;
	spinlock_t		mdc_mod_lock;
	u32			mdc_mod_rpcs;
	struct list_head	mdc_mod_waiting;
	u64			mdc_dom_reply;
	u32			mdc_lsom;
	struct mdc_seq		mdc_seq;
	spinlock_t		mdc_close_lock;
	struct list_head	mdc_parked;
	u32			mdc_parked_nr;
	struct list_head	mdc_pending;
	u64			mdc_ticket;
	wait_queue_head_t	mdc_close_wait;
	struct delayed_work	mdc_close_work;
	struct list_head	mdc_dones;
	u32			mdc_dones_nr;
	struct delayed_work	mdc_done_work;
};

/**
 * struct mdc_open - an open object
 * @mop_open: what the caller of m_open gets; has the export
 * @mop_refcount: held by the open until rq_committed, by the caller of m_open until m_close, by
 *	the close until rq_committed, by mdc_done() until it is answered
 * @mop_state: enum open_state
 * @mop_rc: result of the open, once answered
 * @mop_generation: of the import when it was opened; the target knows no handle of an earlier one
 * @mop_object: the object
 * @mop_lock: guards what follows
 * @mop_handle: the target's handle, 0: the target has not opened it
 * @mop_replayed: a replay has given it
 * @mop_open_req: request that opened it, until rq_committed of it
 * @mop_close_req: request that closes it, likewise
 * @mop_close_slot: its place among the handles of that request
 * @mop_flags: MDS_CLOSE_*, once it is closed
 * @mop_closed: the target has answered the close, or will not
 * @mop_closing: its close, once it is parked; by mdc_close_lock
 * @mop_telling: its size, once it is in mdc_dones; likewise
 * @mop_done: size of the file, once it is in mdc_dones
 * @mop_parked: in mdc_parked, by mdc_close_lock
 * @mop_dones: in mdc_dones, likewise
 */
struct mdc_open {
	struct md_open		mop_open;
	refcount_t		mop_refcount;
	atomic_t		mop_state;
	int			mop_rc;
	u32			mop_generation;
	struct md_object	mop_object;
	spinlock_t		mop_lock;
	u64			mop_handle;
	bool			mop_replayed;
	struct ptlrpc_request	*mop_open_req;
	struct ptlrpc_request	*mop_close_req;
	u32			mop_close_slot;
	u32			mop_flags;
	bool			mop_closed;
	struct mdc_pending	mop_closing;
	struct mdc_pending	mop_telling;
	struct md_done		mop_done;
	struct list_head	mop_parked;
	struct list_head	mop_dones;
};

static inline struct mdc_device *mdc_device(const struct obd_device *obd)
{
	return obd->obd_data;
}

/**
 * struct mdc_locks - the locks of a request
 * @mdl_intent: the one that it asks for, or NULL
 * @mdl_elc: those that it gives back
 */
struct mdc_locks {
	struct ldlm_intent	*mdl_intent;
	struct ldlm_elc		mdl_elc;
};

/* mdc_lock.c */
void mdc_locks_begin(struct mdc_locks *locks, struct obd_export *exp,
		     const struct md_op_data *op);
void mdc_locks_lens(const struct mdc_locks *locks, u32 *lens);
void mdc_locks_pack(const struct mdc_locks *locks, struct ptlrpc_request *req);
void mdc_locks_end(struct mdc_locks *locks, const struct ptlrpc_request *req, int rc,
		   struct md_reply *rep);
int mdc_flock(struct obd_export *exp, const struct lu_fid *fid, u32 *mode,
	      struct ldlm_flock *flock, u32 flags);

/* mdc_request.c */
struct ptlrpc_request * __must_check mdc_request_new(struct obd_export *exp, u32 opc,
						     const u32 *lens, unsigned int count);
struct ptlrpc_request * __must_check mdc_op_request(struct obd_export *exp,
						    const struct md_op_data *op,
						    const struct mdc_locks *locks);
int mdc_reply_read(struct ptlrpc_request *req, const struct md_op_data *op,
		   struct md_reply *rep);
void mdc_note_object(struct ptlrpc_request *req, const struct ptlrpc_request *answer);
int mdc_mod_begin(struct mdc_device *mdc);
void mdc_mod_end(struct mdc_device *mdc);
void mdc_mods_set(struct mdc_device *mdc, u32 most);
int mdc_call(struct obd_export *exp, const struct md_op_data *op, struct md_reply *rep);

/* mdc_readdir.c */
int mdc_readdir(struct obd_export *exp, const struct md_op_data *op, struct page **pages,
		unsigned int nr, u32 *bytes);

/* mdc_open.c */
void mdc_open_handle_put(struct ptlrpc_request *req, struct md_open *open);
int mdc_open(struct obd_export *exp, const struct md_op_data *op, struct md_reply *rep,
	     struct md_open **open);
void mdc_open_put(struct mdc_open *mo);
void mdc_open_release(struct mdc_open *mo);

/* mdc_close.c */
void mdc_closes_init(struct mdc_device *mdc);
void mdc_closes_fini(struct mdc_device *mdc);
void mdc_handle_fill(struct ptlrpc_request *req, u32 slot, u64 handle);
struct ptlrpc_request * __must_check mdc_close_request(struct mdc_open *mo,
						       const struct md_op_data *op);
int mdc_close(struct obd_export *exp, struct md_open *open, const struct md_op_data *op,
	      struct md_reply *rep);
int mdc_closes(struct obd_export *exp, const struct md_object *obj);

bool mdc_open_is_lost(const struct mdc_open *mo);
bool mdc_lost(const struct md_open *open);
void __mdc_pending_begin(struct mdc_device *mdc, struct mdc_pending *pe);
void __mdc_pending_end(struct mdc_pending *pe);

/* mdc_done.c */
void mdc_dones_init(struct mdc_device *mdc);
void mdc_dones_fini(struct mdc_device *mdc);
void mdc_done(struct obd_export *exp, struct md_open *open, const struct md_done *done);

/* mdc_seq.c */
void mdc_seq_init(struct mdc_seq *seq);
void mdc_seq_flush(struct mdc_seq *seq);
int mdc_fid_alloc(struct obd_export *exp, const struct md_object *dir, struct lu_fid *fid);

#endif /* _MDC_INTERNAL_H */
