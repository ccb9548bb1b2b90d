// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds on to entries of another module: a link to target= and a reference on
 * it, which may stay when that module has gone. Nothing of the other module may
 * be touched through them then.
 */
#include <linux/module.h>

#include <lustre_lite/params.h>

static char *target = "sample/special/plain";
module_param(target, charp, 0444);
MODULE_PARM_DESC(target, "path of what to hold");

static struct lustre_params_entry *dir, *held;

static int __init params_holder_init(void)
{
	int rc;

	held = params_lookup_entry(NULL, target);
	if (IS_ERR(held))
		return PTR_ERR(held);
	dir = params_add_dir(NULL, "holder", NULL);
	if (IS_ERR(dir)) {
		rc = PTR_ERR(dir);
		goto put_held;
	}
	rc = params_add_link(dir, "link", target);
	if (rc)
		goto remove_dir;
	return 0;

remove_dir:
	params_remove(dir);
put_held:
	params_entry_put(held);
	return rc;
}

static void __exit params_holder_exit(void)
{
	params_remove(dir);
	params_changed(held);
	params_entry_put(held);
}

module_init(params_holder_init);
module_exit(params_holder_exit);

MODULE_DESCRIPTION("lustre-lite: references on entries of another module");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LUSTRE_LITE);
