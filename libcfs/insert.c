// SPDX-License-Identifier: GPL-2.0
/*
 * Patience with hash tables that grow.
 */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/export.h>

#include <lustre_lite/libcfs.h>

/* Inserts that are tried, a millisecond or two apart. */
#define INSERT_TRIES_BUSY	1000
#define INSERT_TRIES_MEMORY	20

/**
 * libcfs_insert_again() - whether to insert into an rhashtable again, after a moment
 * @rc: what the insert returned
 * @tries: how often it was tried, 0 at first
 *
 * An insert does not sleep. It is refused with -EBUSY while a rehash is under way that
 * would make room, and with -ENOMEM when a larger table cannot be had at once; a work
 * of the table then allocates it. Neither says anything about the object.
 *
 * Context: sleeps for a moment where it returns true
 * Return: whether to
 */
bool libcfs_insert_again(int rc, unsigned int *tries)
{
	unsigned int most = rc == -EBUSY ? INSERT_TRIES_BUSY :
			    rc == -ENOMEM ? INSERT_TRIES_MEMORY : 0;

	if (*tries >= most)
		return false;
	++*tries;
	usleep_range(1000, 2000);
	return true;
}
EXPORT_SYMBOL_NS_GPL(libcfs_insert_again, LUSTRE_LITE);
