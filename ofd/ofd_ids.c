// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers of objects. Each is given out once: O/0/LAST_ID is on disk before the reply with a range
 * of numbers, so after a lost reply or a restart there is a gap, and never a number twice. The
 * metadata target has the same number: a new directory, or one from a backup, continues after it.
 *
 * A number has a file from its first write on. So that a late write of a client which was evicted
 * elsewhere does not bring back an object that was destroyed, numbers are remembered for half an
 * hour to an hour, and up to GONE_MAX of them.
 */
#define DEBUG_SUBSYSTEM S_FILTER

#include <linux/ktime.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/obd_why.h>

#include "ofd_internal.h"

/* When a new list of destroyed numbers is started, and the older one is dropped. */
#define GONE_SEC	1800
#define GONE_MAX	32768
/* The highest number that an IDIF can have. */
#define ID_MAX		((1ULL << FID_IDIF_OBJECT_BITS) - 1)

int ofd_ids_init(struct ofd_device *ofd, struct obd_why *why)
{
	int rc = osd_last_id_get(ofd->ofd_osd, &ofd->ofd_last_id), n;

	if (rc)
		return obd_refuse(why, rc, "%s: cannot read O/0/LAST_ID",
				  ofd->ofd_dir.td_obd->obd_name);
	mutex_init(&ofd->ofd_ids_lock);
	mutex_init(&ofd->ofd_gone_lock);
	for (n = 0; n < OFD_GONE_LISTS; n++)
		xa_init(&ofd->ofd_gone[n]);
	ofd->ofd_gone_since = ktime_get_seconds();
	return 0;
}

void ofd_ids_fini(struct ofd_device *ofd)
{
	int n;

	for (n = 0; n < OFD_GONE_LISTS; n++)
		xa_destroy(&ofd->ofd_gone[n]);
}

static void say_behind(const struct ofd_device *ofd, u64 given)
{
	CWARN("%s: O/0/LAST_ID was %llu, and files have objects up to %llu: the directory is new, or from a backup\n",
	      ofd->ofd_dir.td_obd->obd_name, ofd->ofd_last_id, given);
}

int ofd_ids_take(struct ofd_device *ofd, u64 count, u64 given, u64 *first)
{
	u64 last;
	int rc;

	mutex_lock(&ofd->ofd_ids_lock);
	last = max(ofd->ofd_last_id, given);
	rc = last > ID_MAX || count > ID_MAX - last ? -ENOSPC :
						      osd_last_id_set(ofd->ofd_osd, last + count);
	if (!rc) {
		if (given > ofd->ofd_last_id)
			say_behind(ofd, given);
		WRITE_ONCE(ofd->ofd_last_id, last + count);
		*first = last + 1;
	}
	mutex_unlock(&ofd->ofd_ids_lock);
	return rc;
}

bool ofd_id_is_gone(struct ofd_device *ofd, u64 id)
{
	bool gone = false;
	int n;

	mutex_lock(&ofd->ofd_gone_lock);
	for (n = 0; n < OFD_GONE_LISTS && !gone; n++)
		gone = xa_load(&ofd->ofd_gone[n], id);
	mutex_unlock(&ofd->ofd_gone_lock);
	return gone;
}

int ofd_id_check(struct ofd_device *ofd, u64 id)
{
	if (ofd_id_is_gone(ofd, id))
		return -ESTALE;
	if (id <= READ_ONCE(ofd->ofd_last_id))
		return 0;
	CERROR("%s: a client writes to object %llu, and O/0/LAST_ID is %llu: rc = %d\n",
	       ofd->ofd_dir.td_obd->obd_name, id, READ_ONCE(ofd->ofd_last_id), -ENOENT);
	return -ENOENT;
}

static void __gone_rotate(struct ofd_device *ofd)
{
	lockdep_assert_held(&ofd->ofd_gone_lock);
	ofd->ofd_gone_new = (ofd->ofd_gone_new + 1) % OFD_GONE_LISTS;
	xa_destroy(&ofd->ofd_gone[ofd->ofd_gone_new]);
	ofd->ofd_gone_nr = 0;
	ofd->ofd_gone_since = ktime_get_seconds();
}

/* A number that there is no memory for is not remembered. */
void ofd_id_gone(struct ofd_device *ofd, u64 id)
{
	mutex_lock(&ofd->ofd_gone_lock);
	if (ofd->ofd_gone_nr == GONE_MAX || ktime_get_seconds() - ofd->ofd_gone_since > GONE_SEC)
		__gone_rotate(ofd);
	if (!xa_err(xa_store(&ofd->ofd_gone[ofd->ofd_gone_new], id, xa_mk_value(1), GFP_KERNEL)))
		ofd->ofd_gone_nr++;
	mutex_unlock(&ofd->ofd_gone_lock);
}
