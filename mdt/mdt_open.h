/* SPDX-License-Identifier: GPL-2.0-only */
/* Open handles: created by mdt_open.c, ended by mdt_close.c. */
#ifndef _MDT_OPEN_H
#define _MDT_OPEN_H

#include "mdt_internal.h"

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
 * Created by an open. In mdt_opens until it is closed, or its client has said the size; who takes it out,
 * under mdt_lock, frees it.
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

static inline struct mdt_export *mdt_call_client(const struct mdt_call *call)
{
	return call->mtc_sr->sr_exp->exp_data;
}

/* The open of a cookie, if it is the client's; or NULL. Under mdt_lock */
struct mdt_file_data *mfd_find(struct mdt_device *mdt, const struct mdt_export *me, u64 cookie);
/* @add: 1 or -1, to those of an object of that mode. Under mo_lock */
void __mdt_opens_add(struct mdt_object *obj, u32 mode, int add);

#endif /* _MDT_OPEN_H */
