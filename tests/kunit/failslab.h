/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocations that fail, in kernels with CONFIG_FAULT_INJECTION: current->fail_nth says which one
 * of the task, and is 0 after it. Included after a fixture, whose client it uses.
 */
#ifndef _KUNIT_FAILSLAB_H
#define _KUNIT_FAILSLAB_H

#define FAILSLAB	"/sys/kernel/debug/failslab/ignore-gfp-wait"

/* Else only allocations that cannot wait fail. debugfs writes from memory of user space only. */
static inline int sleeping_allocations_fail(bool fail)
{
	struct file *file = filp_open(FAILSLAB, O_WRONLY, 0);
	struct client *c = fx.client;
	bool borrowed;
	loff_t pos = 0;
	ssize_t len;

	if (IS_ERR(file))
		return PTR_ERR(file);
	client_put(c, CLIENT_TEXT, fail ? "N" : "Y", 1);
	borrowed = client_borrow();
	len = file->f_op->write(file, (const char __user *)client_at(c, CLIENT_TEXT), 1, &pos);
	client_return(borrowed);
	filp_close(file, NULL);
	return len < 0 ? len : 0;
}

#endif /* _KUNIT_FAILSLAB_H */
