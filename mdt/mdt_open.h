/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Open handles, created by mdt_open.c and ended by mdt_close.c; sizes of files that no client
 * writes to: mdt_som.c.
 */
#ifndef _MDT_OPEN_H
#define _MDT_OPEN_H

#include <linux/list.h>
#include <linux/types.h>

struct md_attr;
struct md_done;
struct mdt_call;
struct mdt_device;
struct mdt_export;
struct mdt_object;
struct mdt_trans;
struct obd_export;
struct osd_object;
struct params_sink;
struct ptlrpc_svc_req;

/**
 * struct mdt_file_data - an open object
 * @mfd_item: in me_opens of its client
 * @mfd_number: its number in mdt_opens
 * @mfd_me: its client's, not referenced
 * @mfd_obj: the object, referenced (LU_HOLDER_OPEN), counted in mo_opens
 * @mfd_xid: of the request that opened it
 * @mfd_mode: MDS_FMODE_*
 * @mfd_som: of one for writing: mso_opens of the object
 * @mfd_done: it is closed, not counted in mo_opens any more, and its client will say the size
 *
 * Created by an open. In mdt_opens until it is closed, or its client has said the size; who takes
 * it out, under mdt_lock, frees it.
 */
struct mdt_file_data {
	struct list_head	mfd_item;
	u32			mfd_number;
	struct mdt_export	*mfd_me;
	struct mdt_object	*mfd_obj;
	u64			mfd_xid;
	u32			mfd_mode;
	u32			mfd_som;
	bool			mfd_done;
};

/**
 * struct mdt_som - clients that write to a file, since none had it open for writing last
 * @mso_client: the first of them, only compared
 * @mso_opens: number of the newest open for writing
 * @mso_shared: there are others, or the file was truncated without an open
 * @mso_changed: its data may be another one than when the first one opened it
 * @mso_times: mtime was set since none has it open for writing
 * @mso_was: size and blocks were known when the first one opened it
 * @mso_size: then these were they
 * @mso_blocks: likewise
 * @mso_incarnation: of the target then
 */
struct mdt_som {
	const struct mdt_export	*mso_client;
	u32			mso_opens;
	bool			mso_shared;
	bool			mso_changed;
	bool			mso_times;
	bool			mso_was;
	u64			mso_size;
	u64			mso_blocks;
	u32			mso_incarnation;
};

/* --- mdt_open.c, mdt_close.c ----------------------------------------------------------- */

void mdt_opens_init(struct mdt_device *mdt);
/* No client is left. */
void mdt_opens_fini(struct mdt_device *mdt);
int mdt_reint_open(struct mdt_call *call, struct mdt_trans *mt);
/* Whether mr_handle is an open of @obj with all of @mode, MDS_FMODE_*. */
bool mdt_open_permits(const struct mdt_call *call, const struct mdt_object *obj, u32 mode);
/* Whether a client executes it. Any context. */
bool mdt_is_executed(const struct mdt_object *obj);
/* Handler of MDS_CLOSE. */
int mdt_close(struct ptlrpc_svc_req *sr);
/* Handler of MDS_DONE_WRITING. */
int mdt_done(struct ptlrpc_svc_req *sr);
/* Pack what the client of @exp has open: obd_client_stats_init(). */
void mdt_open_files_put(struct params_sink *sink, struct obd_export *exp);
/* Close what a client has open: its export ends. May sleep. */
void mdt_opens_drop(struct mdt_device *mdt, struct mdt_export *me);

/* The open of a cookie, if it is the client's; or NULL. Under mdt_lock */
struct mdt_file_data *mfd_find(struct mdt_device *mdt, const struct mdt_export *me, u64 cookie);
/* @add: 1 or -1, to those of an object of that mode. Under mo_lock */
void __mdt_opens_add(struct mdt_object *obj, u32 mode, int add);

/* --- mdt_som.c ------------------------------------------------------------------------ */

int mdt_som_init(struct mdt_device *mdt);
void mdt_som_recovered(struct mdt_device *mdt, bool lost);
void mdt_som_reply(const struct mdt_device *mdt, const struct osd_object *obj,
		   struct md_attr *attr);
int mdt_som_open(struct mdt_call *call, struct mdt_object *obj, struct mdt_trans *mt);
void mdt_som_close(const struct mdt_device *mdt, struct mdt_object *obj, u32 flags,
		   struct mdt_trans *mt);
void mdt_som_done(const struct mdt_device *mdt, struct mdt_object *obj, u32 opens,
		  const struct md_done *done, struct mdt_trans *mt);
int mdt_som_forget(const struct mdt_device *mdt, struct mdt_object *obj, struct mdt_trans *mt);
int mdt_som_truncate(struct mdt_call *call, struct mdt_object *obj, struct mdt_trans *mt);
void mdt_som_times(const struct mdt_call *call, struct mdt_object *obj);

#endif /* _MDT_OPEN_H */
