/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layouts of files: which objects of which targets a file gets.
 *
 *	lod_layout.c	the layout of a file: read, made; what a directory, the root and the volume
 *			want for a new file
 *	lod_comp.c	composite layouts
 *	lod_set.c	what a user asks for
 *	lod_choice.c	choice of targets
 *	lod_qos.c	order of targets, in turn or by free space; lod_qos.h
 *	lod_params.c	parameters
 *	lod_ids.c	targets: numbers for objects, taken in advance; free space
 *	lod_destroy.c	objects of removed files
 *	lod_swap.c	layouts that two files exchange
 *
 * A create makes no request to a target: it takes a number from a range of its own. The object
 * comes into being when it is first written. A range that a restart loses is not used again.
 */
#ifndef _MDT_LOD_H
#define _MDT_LOD_H

#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <lustre_lite/lov_ea.h>
#include <lustre_lite/osd.h>

#include "lod_qos.h"

struct lod_device;
struct lustre_params_entry;
struct mdt_call;
struct mdt_device;
struct mdt_object;
struct mdt_trans;
struct obd_export;

/* Any target. */
#define LOD_ANY			U32_MAX
/* One stripe on each target. */
#define LOD_ALL			U16_MAX
/* log2 of the number of chains of removed files. */
#define LOD_ORPHAN_BITS		10
/* Bytes of a layout of up to 4 stripes. */
#define LOD_LAYOUT_SMALL	160

/**
 * struct lod_layout - value of trusted.lov
 * @ll_bytes: the value, @ll_small or kvmalloc()ed; NULL: none
 * @ll_len: its bytes, 0: none
 * @ll_small: a short one
 */
struct lod_layout {
	void	*ll_bytes;
	u32	ll_len;
	u8	ll_small[LOD_LAYOUT_SMALL];
};

/**
 * struct lod_wish - the layout that a new file is to have
 * @lw_stripe_size: bytes, 0: not said
 * @lw_stripe_count: stripes, 0: not said; LOD_ALL
 * @lw_offset: first target, or LOD_ANY
 * @lw_pool: pool, empty: none
 * @lw_osts: the targets in their order, for lov_ea_ost(); NULL: any
 * @lw_nr_osts: their number
 * @lw_asked: by a user: no composite default counts
 * @lw_comp: a composite layout in place of all of the above; or none
 * @lw_list: the default of a directory that has @lw_osts; or none
 */
struct lod_wish {
	u32		lw_stripe_size;
	u32		lw_stripe_count;
	u32		lw_offset;
	char		lw_pool[LOV_MAXPOOLNAME + 1];
	const u8	*lw_osts;
	u32		lw_nr_osts;
	bool		lw_asked;
	struct lod_layout lw_comp;
	struct lod_layout lw_list;
};

/* struct lod_range - numbers that no file has yet: @next to @end - 1 */
struct lod_range {
	u64	next;
	u64	end;
};

/**
 * struct lod_target - an object storage target
 * @ltg_lod: device
 * @ltg_index: its index
 * @ltg_range: numbers in use, guarded by lodd_lock, as what follows
 * @ltg_spare: those that come after them
 * @ltg_top: no number from here on was given; 0: none was since the start. Its work writes it
 * @ltg_generation: of the import, when the target gave them
 * @ltg_free: bytes that are free, all ones: not known yet
 * @ltg_avoided: it is degraded or read-only: new files use others, where these suffice
 * @ltg_qos: its weight
 * @ltg_active: it can be used
 * @ltg_rc: why it gave no numbers, or 0
 * @ltg_asking: @ltg_feed runs, or will
 * @ltg_feed: gets numbers and the free space
 * @ltg_doomed: objects to destroy, struct lod_doomed
 * @ltg_destroy: destroys them
 */
struct lod_target {
	struct lod_device	*ltg_lod;
	u32			ltg_index;
	struct lod_range	ltg_range;
	struct lod_range	ltg_spare;
	u64			ltg_top;
	u32			ltg_generation;
	u64			ltg_free;
	bool			ltg_avoided;
	struct qos_target	ltg_qos;
	bool			ltg_active;
	int			ltg_rc;
	bool			ltg_asking;
	struct work_struct	ltg_feed;
	struct list_head	ltg_doomed;
	struct delayed_work	ltg_destroy;
};

/**
 * struct lod_device - layouts of a metadata target
 * @lodd_mdt: it
 * @lodd_lov: connection to its volume, referenced
 * @lodd_wq: works of all targets
 * @lodd_targets: struct lod_target by index; one that was seen stays until the end
 * @lodd_lock: guards the targets, all from @lodd_turn to @lodd_nr_servers, and from @lodd_stopped
 *  to
 *  @lodd_gone
 * @lodd_turn: whose turn it is
 * @lodd_nr: number of targets
 * @lodd_qos: weights of targets
 * @lodd_uneven: their free space differs
 * @lodd_servers: hash of the name of each server
 * @lodd_nr_servers: their number
 * @lodd_params: directory of the parameters
 * @lodd_wait: tasks that wait for numbers
 * @lodd_watch: looks for targets, and for their free space
 * @lodd_used: files got objects since it looked
 * @lodd_settled: each target that there was at the start has answered, or did not in time
 * @lodd_waiting: tasks that wait for a target
 * @lodd_waited: one has waited in vain since a target was connected last
 * @lodd_silent: the log says that there are no targets
 * @lodd_stopped: nothing is queued any more
 * @lodd_orphans: removed files with objects, struct lod_orphan, by FID
 * @lodd_nr_orphans: their number
 * @lodd_gone: those whose objects are destroyed
 * @lodd_reap: removes these from PENDING
 */
struct lod_device {
	struct mdt_device	*lodd_mdt;
	struct obd_export	*lodd_lov;
	struct workqueue_struct	*lodd_wq;
	struct xarray		lodd_targets;
	spinlock_t		lodd_lock;
	struct lod_turn		lodd_turn;
	u32			lodd_nr;
	struct lod_qos		lodd_qos;
	bool			lodd_uneven;
	u32			lodd_servers[QOS_SERVERS];
	u32			lodd_nr_servers;
	struct lustre_params_entry *lodd_params;
	wait_queue_head_t	lodd_wait;
	struct delayed_work	lodd_watch;
	bool			lodd_used;
	bool			lodd_settled;
	atomic_t		lodd_waiting;
	bool			lodd_waited;
	bool			lodd_silent;
	bool			lodd_stopped;
	DECLARE_HASHTABLE(lodd_orphans, LOD_ORPHAN_BITS);
	u32			lodd_nr_orphans;
	struct list_head	lodd_gone;
	struct work_struct	lodd_reap;
};

/* --- lod_ids.c ------------------------------------------------------------------------ */

/* After the volume is connected. Without a volume: nothing. Return: 0 or -ENOMEM */
int lod_init(struct mdt_device *mdt);
/*
 * No works from here on. The volume is disconnected, so that their requests have ended; no client
 * is left, or none was served.
 */
void lod_stop(struct mdt_device *mdt);
/* After lod_stop(), and the last commit. */
void lod_fini(struct mdt_device *mdt);
/* The target of an index; it is added if it is not known yet. Return: NULL: no memory */
struct lod_target *lod_target_get(struct lod_device *lod, u32 index);
/* It changes when the target has forgotten this client. */
u32 lod_generation(const struct obd_export *exp);
/* The threshold has changed: whether targets are drawn by weight. */
void lod_targets_compare(struct lod_device *lod);
/* Wait until targets have numbers, or none will soon. Not in a transaction. */
void lod_wait_ids(struct lod_device *lod);
/* Take a number of a target, whose lodd_lock is held. Return: 0: it has none */
u64 __lod_id_take(struct lod_target *lt);
/* Whether files get objects of it: it can be used, has numbers, and is not full. Likewise */
bool __lod_target_usable(const struct lod_target *lt);
bool __lod_target_full(const struct lod_target *lt);

/* --- lod_choice.c --------------------------------------------------------------------- */

/**
 * lod_choose() - objects for a new file
 * @lod: device
 * @wish: all is said
 * @objects: out, LOD_STRIPES_MAX at most
 * @nr: in: stripes that are wanted; out: number of objects, at least 1
 *
 * Context: any task
 * Return: 0; -ENOSPC: all targets are full; -EAGAIN: none can be used now; -EINVAL: there is no
 *  such pool, or no such target in it; -ENODEV: one of the list cannot be used
 */
int lod_choose(struct lod_device *lod, const struct lod_wish *wish, struct lov_object *objects,
	       u32 *nr);
/* How many stripes a file can have: one on each target that can be used. */
u32 lod_active(struct lod_device *lod);

/* --- lod_params.c --------------------------------------------------------------------- */

/* The directory lod, for as long as the module is there. Return: 0 or a negative errno */
int lod_module_init(void);
void lod_module_exit(void);
/* Parameters of a device. Return: 0, and lod_params_fini() must follow; a negative errno */
int lod_params_init(struct lod_device *lod);
void lod_params_fini(struct lod_device *lod);

/* --- lod_layout.c --------------------------------------------------------------------- */

/* Nothing is said; lod_wish_fini() follows lod_layout_ask(). */
void lod_wish_init(struct lod_wish *wish);
void lod_wish_fini(struct lod_wish *wish);
/* Take from a layout all that was not said yet. Its bytes stay as long as @wish. */
void lod_wish_add(struct lod_wish *wish, const struct lov_ea *ea);
/* Fill in open wishes, as the volume has them. Return: 0; -EAGAIN: it cannot be used now */
int lod_wish_volume(struct lod_device *lod, struct lod_wish *wish);

void lod_layout_free(struct lod_layout *layout);
/* Memory for @len bytes in place of the present ones. Return: 0 or -ENOMEM */
int lod_layout_space(struct lod_layout *layout, u32 len);
/* @to is replaced, and @from has none any more. */
void lod_layout_move(struct lod_layout *to, struct lod_layout *from);
/*
 * A plain layout for a wish in which all is said. A pool, a first target or a list of targets that
 * cannot be had does not count. Return: as lod_choose(); -ENOMEM
 */
int lod_layout_choose(struct lod_device *lod, const struct lod_wish *wish, const struct lu_fid *fid,
		      struct lod_layout *layout);
/* For osd; valid as long as @layout */
struct osd_xattr lod_layout_xattr(const struct lod_layout *layout);
/* The layout of an object, or none. @layout is replaced. Return: 0 or a negative errno */
int lod_layout_read(const struct osd_object *obj, struct lod_layout *layout);

/**
 * lod_layout_new() - the layout of a new file, or the default of a new directory
 * @call: call that creates it
 * @dir: its directory
 * @fid: its FID
 * @mode: its type
 * @layout: out: one without bytes if it has none yet
 *
 * Context: may sleep
 * Return: 0; -ENOSPC: all targets are full; -ENOMEM
 */
int lod_layout_new(struct mdt_call *call, struct mdt_object *dir, const struct lu_fid *fid,
		   umode_t mode, struct lod_layout *layout);

/**
 * lod_layout_make() - give a file a layout, unless it has one
 * @call: call; a replay gives the layout that the client knows
 * @mt: transaction
 * @obj: regular file
 *
 * Context: may sleep
 * Return: 0: it has one, or no target can be used now; -ENOSPC and others
 */
int lod_layout_make(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj);

/*
 * Give a file the layout that a user asks for. Return: 0; -EEXIST: it has one; -EIO: no target can
 * be used; as lod_choose()
 */
int lod_layout_ask(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj,
		   struct lod_wish *wish);

/**
 * lod_layout_extend() - REINT_LAYOUT: give components objects
 * @call: call; a replay gives the layout that the client knows
 * @mt: transaction
 * @obj: regular file
 *
 * Those that start before mtc_op.attr.size. A plain layout has all of its objects.
 *
 * Context: may sleep
 * Return: 0: they have, or no target can be used now; -ENOSPC; -EOPNOTSUPP: the log names the file;
 *  other negative errno
 */
int lod_layout_extend(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj);

/* Set the layout of a file, whose ctime stays. Return: 0 or a negative errno */
int lod_layout_write(struct osd_object *obj, const struct lod_layout *layout,
		     struct osd_stamp *stamp);
/* Whether a file has a layout: its size is that of its objects. Return: 1, 0, a negative errno */
int lod_layout_has(const struct osd_object *obj);

/* --- lod_comp.c ----------------------------------------------------------------------- */

/* Whether a value of trusted.lov is a composite layout. */
bool lod_is_comp(const void *bytes, size_t len);
/* Whether a component that starts before @end has no objects. */
bool lod_comp_lacks(const struct lod_layout *layout, u64 end);
/*
 * The fault of components that a user asks for from @start on. @number: out: which one. NULL: none
 */
const char *lod_comp_fault(const struct lov_comp *comp, u64 start, u32 *number);
/* The part of a default that new files do not get, for a message; NULL: they get all of it. */
const char *lod_comp_lost(const void *bytes, size_t len);
/*
 * The layout that a user asks for, from the value that a directory stores. Return: 0; -EUCLEAN;
 * -EOPNOTSUPP; -ENOMEM
 */
int lod_comp_template(const void *bytes, size_t len, struct lod_layout *layout);
/*
 * The layout of a new file by a template, or by the default of a directory: of mirrors the first
 * one, and objects in place of data on the metadata target. Return: -EUCLEAN; 0; as lod_choose(),
 * for the first component; -E2BIG; -ENOMEM
 */
int lod_comp_new(struct lod_device *lod, const struct lod_layout *wanted, const struct lu_fid *fid,
		 struct lod_layout *layout);
/*
 * Objects for the components that start before @end. Return: 1: @layout has changed, perhaps not
 * for all of them; 0: they have; as lod_choose(); -EOPNOTSUPP: of a kind that is not served;
 * -E2BIG; -ENOMEM
 */
int lod_comp_extend(struct lod_device *lod, const struct lu_fid *fid, u64 end,
		    struct lod_layout *layout);
/*
 * The components of a template after those of @layout, whose end is their start. They have no
 * objects.
 * Return: 0; -EAGAIN: the volume cannot be used now; -E2BIG; -EUCLEAN; -ENOMEM
 */
int lod_comp_add(struct lod_device *lod, const struct lod_layout *wanted, const struct lu_fid *fid,
		 struct lod_layout *layout);
/* Only the first @left components stay, at least one. Return: 0; -EUCLEAN; -ENOMEM */
int lod_comp_del(struct lod_layout *layout, u32 left);
/*
 * The layout becomes that of another file. Return: 0; -EOPNOTSUPP: one for other programs;
 * -EUCLEAN; -ENOMEM
 */
int lod_comp_adopt(struct lod_layout *layout, const struct lu_fid *fid, u32 gen);
/* Components of @layout without objects get those of the value. Return: likewise */
int lod_comp_replay(const void *bytes, size_t len, struct lod_layout *layout);

/* --- lod_set.c ------------------------------------------------------------------------ */

/**
 * lod_setxattr() - REINT_SETXATTR of trusted.lov, trusted.lov.add and trusted.lov.del
 * @call: call
 * @mt: transaction
 * @obj: file or directory
 *
 * Context: may sleep
 * Return: 0; -EINVAL: the log says why; -EPERM; -EACCES; -EEXIST: the file has a layout;
 *  -EOPNOTSUPP: the target has no volume; as lod_layout_ask()
 */
int lod_setxattr(struct mdt_call *call, struct mdt_trans *mt, struct mdt_object *obj);

/* --- lod_swap.c ----------------------------------------------------------------------- */

/*
 * The layout becomes that of another file; @gen: its generation, or NULL: it stays. Return: 0;
 * -EUCLEAN
 */
int lod_plain_adopt(struct lod_layout *layout, const struct lu_fid *fid, const u32 *gen);

/**
 * lod_swap() - swap the layouts of two files
 * @file: file; the caller holds mo_lock
 * @other: file in PENDING; likewise
 * @mt: transaction
 *
 * Each layout gets a generation after that of the layout that it replaces. A power cut at any time
 * leaves each object to one of the two, see lod_swap_layout().
 *
 * Context: may sleep
 * Return: 0; -ENODATA: a file has no layout; -EOPNOTSUPP: of a kind that is not swapped; -ENOSPC:
 *  the layouts are too long for the backend; other negative errno: nothing is changed
 */
int lod_swap(struct mdt_object *file, struct mdt_object *other, struct mdt_trans *mt);
/* Whether @other, whose mo_lock is held, has the layout that @file had before their swap. */
bool lod_swap_is_done(const struct mdt_object *file, struct mdt_object *other);

/**
 * lod_swap_layout() - the layout of a file in PENDING, as lod_layout_read()
 * @obj: file
 * @layout: out, replaced: whose objects are those of no other file, also after half a swap
 *
 * Context: may sleep
 * Return: 0; a negative errno: it is not known which objects are those of the other file
 */
int lod_swap_layout(const struct osd_object *obj, struct lod_layout *layout);

/* --- lod_destroy.c -------------------------------------------------------------------- */

/**
 * lod_destroy() - destroy the objects of a file that has ended
 * @mdt: device
 * @obj: the file, in PENDING; the caller holds mo_lock
 * @mt: transaction, which gets a number
 *
 * Context: may sleep
 * Return: 0: it has no objects; 1: it leaves PENDING when they are destroyed; a negative errno: it
 *  stays in PENDING, for the next start
 */
int lod_destroy(struct mdt_device *mdt, struct mdt_object *obj, struct mdt_trans *mt);
/* Whether a file in PENDING is one that has ended. Any context. */
bool lod_is_orphan(struct mdt_device *mdt, const struct lu_fid *fid);
void lod_destroy_init(struct lod_device *lod);
void lod_destroy_fini(struct lod_device *lod);
/* The first object of a layout. Return: whether there is one */
bool lod_layout_first(const struct lod_layout *layout, struct lov_object *object);
/* ltg_destroy */
void lod_target_destroy(struct work_struct *work);
/* A target has objects to destroy, or can be used. lodd_lock is held. */
void __lod_destroy_kick(struct lod_target *lt);

#endif /* _MDT_LOD_H */
