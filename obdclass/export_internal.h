/* SPDX-License-Identifier: GPL-2.0-only */
/* Common definitions of exports. */
#ifndef _EXPORT_INTERNAL_H
#define _EXPORT_INTERNAL_H

#include <lustre_lite/obd_stats.h>

#include "obd_internal.h"

/**
 * struct obd_export_list - some exports, each referenced
 * @exl_exports: the exports
 * @exl_count: their number
 */
struct obd_export_list {
	struct obd_export	**exl_exports;
	unsigned int		exl_count;
};

/* Under RCU: take a reference, if the last put has not happened. */
static inline bool obd_export_try_get(struct obd_export *exp)
{
	return refcount_inc_not_zero(&exp->exp_refcount);
}

/* export_connect.c: evict the client. Return: true if this call did. */
bool obd_export_fail(struct obd_export *exp);

/* export_connect.c: remove it from the unlinked ones. */
void obd_export_leave(struct obd_export *exp);

/* evict.c: uuid, uuid:UUID or nid:NID. Return: 0 or an errno, which is logged. */
int obd_export_evict(struct obd_device *obd, const char *text);

/* client_stats.c: NULL: the device counts nothing by client; -ENOMEM. NULL is permitted, but for _of() */
struct obd_nid_stats *obd_nid_stats_new(const struct obd_device *obd);
struct obd_nid_stats *obd_nid_stats_get(struct obd_nid_stats *ns);
void obd_nid_stats_put(struct obd_nid_stats *ns);
struct params_stats *obd_nid_stats_of(const struct obd_nid_stats *ns);
/* How a target packs the open files of a client, or NULL. */
obd_export_put_t *obd_open_files_of(const struct obd_device *obd);

/* export_params.c */
int obd_nid_dirs_init(void);
void obd_nid_dirs_exit(void);

/* export_hash.c: -EALREADY when the device has that client. */
int obd_export_hash_init(void);
void obd_export_hash_exit(void);
int obd_export_hash_add(struct obd_export *exp);
void obd_export_hash_del(struct obd_export *exp);
int obd_exports_at_nid(struct obd_device *obd, const struct lnet_nid *nid,
		       struct obd_export_list *out);
void obd_export_list_put(struct obd_export_list *list);

#endif /* _EXPORT_INTERNAL_H */
