// SPDX-License-Identifier: GPL-2.0-only
/* Retrying insertions into growing hash tables. */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/export.h>

#include <lustre_lite/libcfs.h>

/* Attempts, a millisecond or two apart. */
#define INSERT_TRIES_BUSY	1000
#define INSERT_TRIES_MEMORY	20

/**
 * libcfs_insert_again() - whether to retry an insertion into an rhashtable
 * @rc: result of the insertion
 * @tries: attempts so far, 0 at first
 *
 * An insertion does not sleep. It fails with -EBUSY during a rehash, and with
 * -ENOMEM if a larger table cannot be allocated atomically; a work of the table
 * allocates it then. Both are temporary.
 *
 * Context: sleeps briefly if it returns true
 * Return: true to retry
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
