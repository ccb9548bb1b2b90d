// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that misbehaves on request, for scripts/vm --selftest: each value
 * of the parameter "kind" is one fault that the test bed has to notice. It
 * has no other use.
 */

#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static char *kind = "nothing";
module_param(kind, charp, 0444);
MODULE_PARM_DESC(kind, "warn, use_after_free, shift, atomic_sleep, lock_order, leak, stuck or nothing");

static DEFINE_MUTEX(first_lock);
static DEFINE_MUTEX(second_lock);
static DEFINE_SPINLOCK(spin);

static void trigger_warn(void)
{
	WARN(1, "vm_trigger: asked for\n");
}

static void trigger_use_after_free(void)
{
	volatile char *p = kmalloc(32, GFP_KERNEL);

	kfree((void *)p);
	if (p)
		p[8] = 1;
}

static void trigger_shift(void)
{
	volatile int bits = 33;
	volatile int one = 1;

	one <<= bits;
}

static void trigger_atomic_sleep(void)
{
	spin_lock(&spin);
	might_sleep();
	spin_unlock(&spin);
}

static void trigger_lock_order(void)
{
	mutex_lock(&first_lock);
	mutex_lock(&second_lock);
	mutex_unlock(&second_lock);
	mutex_unlock(&first_lock);

	mutex_lock(&second_lock);
	mutex_lock(&first_lock);
	mutex_unlock(&first_lock);
	mutex_unlock(&second_lock);
}

static void trigger_leak(void)
{
	int i;

	for (i = 0; i < 16; i++) {
		char *p = kmalloc(1000, GFP_KERNEL);

		if (p)
			strscpy(p, "leaked by vm_trigger", 1000);
		/* The scan reads stacks and registers: leave none of it there. */
		p = NULL;
		barrier();
	}
}

/* A task that not even SIGKILL ends. */
static void trigger_stuck(void)
{
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule_timeout(HZ * 1000);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} triggers[] = {
	{ "warn", trigger_warn },
	{ "use_after_free", trigger_use_after_free },
	{ "shift", trigger_shift },
	{ "atomic_sleep", trigger_atomic_sleep },
	{ "lock_order", trigger_lock_order },
	{ "leak", trigger_leak },
	{ "stuck", trigger_stuck },
};

static int __init vm_trigger_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(triggers); i++)
		if (!strcmp(kind, triggers[i].name))
			triggers[i].run();
	return 0;
}

static void __exit vm_trigger_exit(void)
{
}

module_init(vm_trigger_init);
module_exit(vm_trigger_exit);
MODULE_DESCRIPTION("Faults on request for the test bed's own test");
MODULE_LICENSE("GPL");
