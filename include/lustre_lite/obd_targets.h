/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Targets of a device that stands above many client devices, as lov does above
 * osc and lmv above mdc.
 *
 *	           obd_targets_add()             owner connects
 *	(none) ---------------------> KNOWN ---------------------> CONNECTED
 *	                               ^  |       owner disconnects   |
 *	                               |  +---------------------------+
 *	                               +---- its client device goes --+
 *
 * A target is identified by its uuid. Its client device may be set up before or
 * after it is added; it is looked up when needed, and put when it is cleaned
 * up. A connected target is active while its import can be used.
 */
#ifndef _LUSTRE_LITE_OBD_TARGETS_H
#define _LUSTRE_LITE_OBD_TARGETS_H

#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <lustre_lite/obd.h>

/* Largest index: 65535 stands for "any" in layouts. */
#define OBD_TARGET_INDEX_MAX	65534U

/**
 * struct obd_target_spec - a target as a config log defines it
 * @uuid: its uuid
 * @index: its index
 * @generation: distinguishes successive targets with this index
 * @excluded: not used by this client until it is activated
 */
struct obd_target_spec {
	struct obd_uuid	uuid;
	u32		index;
	u32		generation;
	bool		excluded;
};

/* Whether both are the same target: another one, or a later generation, may have got its index. */
static inline bool obd_target_is_same(const struct obd_target_spec *a,
				      const struct obd_target_spec *b)
{
	return a->index == b->index && a->generation == b->generation &&
	       !memcmp(&a->uuid, &b->uuid, sizeof(a->uuid));
}

/**
 * struct obd_target - a target
 * @tgt_spec: definition in the config log
 * @tgt_added: obd_targets_add() has ended
 * @tgt_usable: its import can be used
 * @tgt_connecting: @tgt_exp is being created
 * @tgt_pending: not known yet whether it can be used
 * @tgt_obd: its client device, referenced (OBD_REF_TARGET), or NULL
 * @tgt_exp: connection to @tgt_obd, owns a reference, or NULL
 *
 * Part of one table, freed when it is deleted. ts_lock guards all but
 * @tgt_spec.
 */
struct obd_target {
	struct obd_target_spec	tgt_spec;
	bool			tgt_added;
	bool			tgt_usable;
	bool			tgt_connecting;
	bool			tgt_pending;
	struct obd_device	*tgt_obd;
	struct obd_export	*tgt_exp;
};

/**
 * struct obd_target_info - a target as shown to users
 * @uuid: its uuid
 * @index: its index
 * @active: connected, and its import can be used
 */
struct obd_target_info {
	struct obd_uuid	uuid;
	u32		index;
	bool		active;
};

/**
 * struct obd_targets - the table of a device
 * @ts_obd: the device
 * @ts_type: type of the client devices
 * @ts_found: a client device was found, under @ts_change; NULL: nothing is done. Set by the owner
 * @ts_desc_uuid: uuid of the volume from the setup of @ts_obd; set by the owner
 * @ts_change: serializes adding, deleting, connecting and disconnecting; held
 *  over calls into the client devices, but not taken by their notifications
 *  (obd_targets_notify())
 * @ts_lock: guards @ts_count and the targets
 * @ts_table: targets by index; changed under @ts_change, and targets leave it
 *  under @ts_lock too
 * @ts_absent: indexes that are not waited for: deleted, or waited for in vain
 * @ts_count: targets
 * @ts_users: connections to @ts_obd; guarded by @ts_change
 * @ts_uuid: uuid of the connecting client; guarded by @ts_change
 * @ts_ocd: its requested connect data; guarded by @ts_change
 * @ts_retry: connects targets that are usable again
 * @ts_wait: tasks that wait for targets that are tgt_pending or were just
 *  disconnected, or that are not in the table yet
 */
struct obd_targets {
	struct obd_device		*ts_obd;
	const char			*ts_type;
	void (*ts_found)(struct obd_targets *ts, struct obd_device *client);
	char				ts_desc_uuid[LOV_DESC_UUID_LEN];
	struct mutex			ts_change;
	spinlock_t			ts_lock;
	struct xarray			ts_table;
	struct xarray			ts_absent;
	u32				ts_count;
	unsigned int			ts_users;
	struct obd_uuid			ts_uuid;
	struct obd_connect_data		ts_ocd;
	struct work_struct		ts_retry;
	struct wait_queue_head		ts_wait;
};

/* targets.c */
void obd_targets_init(struct obd_targets *ts, struct obd_device *obd,
		      const char *type);
void obd_targets_fini(struct obd_targets *ts);
int obd_target_parse(const struct lcfg_view *cfg, struct obd_target_spec *spec,
		     struct obd_why *why);
int obd_targets_add(struct obd_targets *ts, const struct obd_target_spec *spec,
		    struct obd_why *why);
int obd_targets_del(struct obd_targets *ts, const struct obd_target_spec *spec,
		    struct obd_why *why);
bool obd_targets_have(struct obd_targets *ts, const struct obd_uuid *uuid);
bool obd_targets_await(struct obd_targets *ts, u32 index);
bool obd_targets_spec(struct obd_targets *ts, u32 index, struct obd_target_spec *spec);
int obd_targets_params_add(struct obd_targets *ts);

/* targets_connect.c */
int obd_targets_connect(struct obd_targets *ts, struct obd_export **exp,
			const struct obd_uuid *uuid,
			struct obd_connect_data *ocd);
int obd_targets_disconnect(struct obd_targets *ts, struct obd_export *exp);
void obd_targets_release(struct obd_targets *ts);
int obd_targets_notify(struct obd_targets *ts, struct obd_device *watched,
		       enum obd_notify_event event);
struct obd_export * __must_check obd_targets_export(struct obd_targets *ts,
						    u32 *index);
struct obd_export * __must_check obd_targets_export_at(struct obd_targets *ts, u32 index);
struct obd_export * __must_check obd_targets_export_of(struct obd_targets *ts,
						       const struct obd_target_spec *spec);
const char *obd_target_server(struct obd_export *exp, char *buf, size_t size);
int obd_targets_set_info(struct obd_targets *ts, const char *key,
			 const void *val, u32 vallen);
int obd_targets_set_clients(struct obd_targets *ts, const char *key, const void *val, u32 vallen);

int obd_targets_statfs(struct obd_targets *ts, struct obd_statfs *st,
		       u64 max_age);

#endif /* _LUSTRE_LITE_OBD_TARGETS_H */
