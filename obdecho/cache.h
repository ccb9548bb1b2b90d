/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects that an echo client has locked. */
#ifndef _ECHO_CACHE_H
#define _ECHO_CACHE_H

#include <linux/spinlock.h>

#include <lustre_lite/lu_object.h>
#include <lustre_lite/lustre_dlm.h>
#include <lustre_lite/ptlrpc.h>

#include "echo_internal.h"

/**
 * struct echo_object - an object of a client
 * @eob_lu: object, held by each of its locks, and each call
 * @eob_imp: import to the server, referenced
 * @eob_number: its number
 * @eob_lock: guards the rest
 * @eob_locks: its locks: without one it has no size
 * @eob_size: least size that is known, bytes
 * @eob_dirty: the server does not know @eob_size yet
 */
struct echo_object {
	struct lu_object	eob_lu;
	struct obd_import	*eob_imp;
	u64			eob_number;
	spinlock_t		eob_lock;
	unsigned int		eob_locks;
	u64			eob_size;
	bool			eob_dirty;
};

/* Callbacks of all locks of objects; their data is the object. */
extern const struct ldlm_callbacks echo_object_cbs;

struct lu_site * __must_check echo_cache_new(struct obd_device *obd);
void echo_cache_close(struct lu_site *site, struct obd_device *server);
struct echo_object * __must_check echo_object_get(const struct echo_use *use, u64 number);
void echo_object_put(struct echo_object *obj);
u64 echo_object_note(struct echo_object *obj, u64 size, bool dirty);
void echo_object_resize(struct echo_object *obj, u64 size, bool clean);

#endif /* _ECHO_CACHE_H */
