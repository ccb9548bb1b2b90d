// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load and unload. Module parameters, declared by the other files of this directory, choose
 * the contents of the tree: modinfo lists them.
 */
#include <linux/module.h>

#include "sample.h"

static bool extras = true;
module_param(extras, bool, 0444);
MODULE_PARM_DESC(extras, "add all that is no group: special, control, links ...");

static struct lustre_params_entry *root;

static int add_extras(void)
{
	int rc = sample_dyn_init(root);

	if (!rc)
		rc = sample_shape_add(root);
	if (!rc)
		rc = sample_control_add(root);
	return rc ?: sample_churn_start(root);
}

/* Callbacks end before what they stand on is freed. */
static void tear_down(void)
{
	sample_churn_stop();
	sample_control_remove();
	sample_dyn_exit();
	sample_shape_remove();
	sample_groups_remove();
	params_remove(root);
	sample_special_free();
}

static int build(void)
{
	int rc = 0;

	if (extras)
		rc = sample_special_add(root);
	if (!rc)
		rc = sample_groups_add(root);
	if (!rc && extras)
		rc = add_extras();
	return rc;
}

static int __init params_sample_init(void)
{
	int rc;

	root = params_add_dir(NULL, SAMPLE_NAME, NULL);
	if (IS_ERR(root))
		return PTR_ERR(root);
	rc = build();
	if (rc)
		goto tear_down;
	rc = sample_ioctl_register();
	if (rc)
		goto tear_down;
	return 0;

tear_down:
	tear_down();
	pr_err("params_sample: cannot fill the tree: rc = %d\n", rc);
	return rc;
}

static void __exit params_sample_exit(void)
{
	sample_ioctl_deregister();
	tear_down();
}

module_init(params_sample_init);
module_exit(params_sample_exit);

MODULE_DESCRIPTION("lustre-lite: a parameters tree to try things with");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
