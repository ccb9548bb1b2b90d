/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects that an echo client has locked. */
#ifndef _ECHO_CACHE_H
#define _ECHO_CACHE_H

#include <linux/refcount.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/ptlrpc.h>

#include "echo_internal.h"

/**
 * struct echo_cache - objects of a client
 * @ech_refcount: held by the client, each use of it, each object
 * @ech_objects: struct echo_object by number; its lock guards the objects too
 * @ech_closed: the client is disconnected: no object is added
 * @ech_empty: woken when there is no object
 */
struct echo_cache {
	refcount_t		ech_refcount;
	struct xarray		ech_objects;
	bool			ech_closed;
	struct wait_queue_head	ech_empty;
};

/**
 * struct echo_object - an object
 * @eob_refcount: held by each of its locks, and each call
 * @eob_cache: cache, referenced
 * @eob_imp: import to the server, referenced
 * @eob_number: its number
 * @eob_size: least size that is known, bytes
 * @eob_dirty: the server does not know @eob_size yet
 *
 * The lock of ech_objects guards @eob_size and @eob_dirty. In the table until its last
 * put.
 */
struct echo_object {
	refcount_t		eob_refcount;
	struct echo_cache	*eob_cache;
	struct obd_import	*eob_imp;
	u64			eob_number;
	u64			eob_size;
	bool			eob_dirty;
};

/* Callbacks of all locks of objects; their data is the object. */
extern const struct ldlm_callbacks echo_object_cbs;

struct echo_cache * __must_check echo_cache_new(void);
void echo_cache_put(struct echo_cache *cache);
void echo_cache_close(struct echo_cache *cache, struct obd_device *server);
struct echo_object * __must_check echo_object_get(const struct echo_use *use, u64 number);
void echo_object_put(struct echo_object *obj);
u64 echo_object_note(struct echo_object *obj, u64 size, bool dirty);

#endif /* _ECHO_CACHE_H */
