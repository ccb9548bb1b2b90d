/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes of files that no client writes to: mdt_som.c. */
#ifndef _MDT_SOM_H
#define _MDT_SOM_H

#include <linux/types.h>

struct md_attr;
struct md_done;
struct mdt_call;
struct mdt_device;
struct mdt_export;
struct mdt_object;
struct mdt_trans;
struct osd_object;

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

#endif /* _MDT_SOM_H */
