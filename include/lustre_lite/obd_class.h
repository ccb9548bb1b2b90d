/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types and devices: registration, lookup, life.
 *
 * Every lookup returns a reference that the caller drops with class_decref(obd,
 * OBD_REF_LOOKUP), or NULL / ERR_PTR. All functions may sleep unless they say
 * otherwise.
 */
#ifndef _LUSTRE_LITE_OBD_CLASS_H
#define _LUSTRE_LITE_OBD_CLASS_H

#include <lustre_lite/obd.h>

/*
 * obd_devs: default and largest number of devices; module parameter
 * max_devices.
 */
#define OBD_DEVICES_DEFAULT	8192
#define OBD_DEVICES_MAX		1000000

/* Types. */
int class_register_type(struct obd_type *type);
int class_unregister_type(struct obd_type *type);
struct obd_type * __must_check class_get_type(const char *name);
void class_put_type(struct obd_type *type);

/* The table. */
struct obd_device * __must_check class_newdev(const char *type_name,
					      const char *name,
					      const char *uuid,
					      struct obd_why *why);
int class_register_device(struct obd_device *obd);
void class_unregister_device(struct obd_device *obd);
void class_incref(struct obd_device *obd, enum obd_ref ref);
void class_decref(struct obd_device *obd, enum obd_ref ref);
/* Longest wait of a detach until the device is freed, jiffies. */
#define OBD_FREE_WAIT	(5 * HZ)
long class_put_detached(struct obd_device *obd, long left);

struct obd_device * __must_check class_num2obd(u32 minor);
struct obd_device * __must_check class_name2obd(const char *name);
struct obd_device * __must_check class_uuid2obd(const struct obd_uuid *uuid);
struct obd_device * __must_check
class_find_client_obd(const struct obd_uuid *target, const char *type_name,
		      const struct obd_device *above);
struct obd_device * __must_check class_next_obd(u32 *minor);
int class_name2dev(const char *name);
unsigned int class_obd_devs_count(void);
enum obd_status class_obd_status(const struct obd_device *obd);
const char *obd_status_letters(enum obd_status status);

/* Life. */
struct obd_device * __must_check
class_attach(const char *type_name, const char *name, const char *uuid,
	     u64 instance, struct obd_why *why);
struct obd_device * __must_check
class_attach_in(struct net *net, const char *type_name, const char *name,
		const char *uuid, u64 instance, struct obd_why *why);
int class_setup(struct obd_device *obd, const struct lcfg_view *cfg,
		struct obd_why *why);
int class_cleanup(struct obd_device *obd, bool force, bool failover,
		  struct obd_why *why);
int class_detach(struct obd_device *obd, struct obd_why *why);
int class_manual_cleanup(struct obd_device *obd, bool force,
			 struct obd_why *why);
int class_cleanup_instance(u64 instance, bool force, struct obd_why *why);

/* For exports: the last put of a user cleans the device up. */
void obd_user_get(struct obd_device *obd);
void obd_user_put(struct obd_device *obd);

/* Event for subscribers of the list of devices; @peer may be NULL. May sleep. */
void obd_event(struct obd_device *obd, unsigned int event, u32 state,
	       const char *peer);

static inline bool obd_is_set_up(const struct obd_device *obd)
{
	return READ_ONCE(obd->obd_state) == OBD_SET_UP;
}

/* Settings of the node: seconds. */
extern unsigned int obd_timeout;
extern unsigned int ldlm_timeout;
/* Adaptive timeouts, seconds; the parameters of these names. */
extern unsigned int at_min;
extern unsigned int at_max;
extern unsigned int at_history;
extern unsigned int at_extra;
extern unsigned int at_early_margin;

/* Parameter ping_interval, seconds. */
unsigned int obd_ping_interval(void);
/* Names of servers and their NIDs. */
#define OBD_UUID_NIDS_MAX	32

int class_add_uuid(u64 instance, const char *uuid, const struct lnet_nid *nid);
int class_del_uuid(const char *uuid);
void class_del_uuids(u64 instance);
int class_uuid2nids(u64 instance, const char *uuid, struct lnet_nid *nids,
		    unsigned int max);

/* Id of the job that the task belongs to, as jobid_var and jobid_name say. */
void obd_jobid(char *buf, size_t size);

#endif /* _LUSTRE_LITE_OBD_CLASS_H */
