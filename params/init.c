// SPDX-License-Identifier: GPL-2.0
/* Start and end of the parameters tree, as a part of libcfs. */
#include <linux/module.h>

#include <lustre_lite/libcfs.h>

#include "params_internal.h"
#include "rule.h"

static struct libcfs_ioctl_range params_ioctl_range = {
	.lir_name	= "params",
	.lir_owner	= THIS_MODULE,
	.lir_first	= LIBCFS_IOC_NR_PARAMS,
	.lir_last	= LIBCFS_IOC_NR_PARAMS + 0xf,
	.lir_handler	= params_ioctl,
};

/**
 * params_init() - create the tree and open it to user space
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int params_init(void)
{
	int rc;

	params_rules_init();
	rc = params_tree_init();
	if (rc)
		return rc;
	rc = params_event_init();
	if (rc)
		goto exit_tree;
	rc = libcfs_register_ioctl(&params_ioctl_range);
	if (rc)
		goto exit_event;
	return 0;

exit_event:
	params_event_exit();
exit_tree:
	params_tree_exit();
	return rc;
}

/**
 * params_exit() - close the tree to user space and remove it
 *
 * Context: may sleep; all other modules have removed their entries
 */
void params_exit(void)
{
	libcfs_deregister_ioctl(&params_ioctl_range);
	params_tree_exit();
	params_event_exit();
}
