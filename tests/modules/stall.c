// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each processor does nothing for a while, again and again, like a virtual processor that its
 * host does not schedule: no task, no softirq and no timer of it runs meanwhile. What happens
 * between two steps of a task on one processor, while the others go on, is what this makes
 * longer.
 *
 * Pauses and what lies between them have lengths from microseconds to @longest_us
 * and @apart_us, short ones as likely as long ones. The lengths follow from the
 * seed; what runs while they last does not.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>

static unsigned int seed = 1;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "what the lengths follow from");

static unsigned int longest_us = 100000;
module_param(longest_us, uint, 0444);
MODULE_PARM_DESC(longest_us, "longest pause, microseconds, 100 to 1000000 (default 100000)");

static unsigned int apart_us = 500000;
module_param(apart_us, uint, 0444);
MODULE_PARM_DESC(apart_us, "longest time between two pauses, microseconds, 100 to 10000000 (default 500000)");

#define SHORTEST_US	50

static struct task_struct **stallers;

/* Of each power of two as many. */
static unsigned int length_us(struct rnd_state *rnd, unsigned int longest)
{
	unsigned int bits = prandom_u32_state(rnd) % (ilog2(longest) + 1);
	unsigned int length = BIT(bits) + prandom_u32_state(rnd) % BIT(bits);

	return clamp_t(unsigned int, length, SHORTEST_US, longest);
}

static void stall_for(unsigned int us)
{
	local_irq_disable();
	for (; us >= USEC_PER_MSEC; us -= USEC_PER_MSEC)
		udelay(USEC_PER_MSEC);
	udelay(us);
	local_irq_enable();
}

static int staller(void *arg)
{
	struct rnd_state rnd;
	unsigned int us;

	prandom_seed_state(&rnd, seed + (unsigned long)arg);
	while (!kthread_should_stop()) {
		us = length_us(&rnd, apart_us);
		usleep_range(us, us + 1);
		stall_for(length_us(&rnd, longest_us));
	}
	return 0;
}

static void stop_all(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (stallers[cpu])
			kthread_stop(stallers[cpu]);
	}
	kfree(stallers);
}

static int start_on(unsigned int cpu)
{
	struct task_struct *task;

	task = kthread_create_on_node(staller, (void *)(unsigned long)cpu,
				      cpu_to_node(cpu), "stall/%u", cpu);
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu);
	sched_set_fifo(task);
	stallers[cpu] = task;
	wake_up_process(task);
	return 0;
}

static int __init stall_init(void)
{
	unsigned int cpu;
	int rc = 0;

	if (longest_us < 100 || longest_us > 1000000 || apart_us < 100 ||
	    apart_us > 10000000) {
		pr_err("stall: longest_us is 100 to 1000000, apart_us 100 to 10000000\n");
		return -EINVAL;
	}
	stallers = kcalloc(nr_cpu_ids, sizeof(*stallers), GFP_KERNEL);
	if (!stallers)
		return -ENOMEM;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		rc = start_on(cpu);
		if (rc)
			break;
	}
	cpus_read_unlock();
	if (rc)
		stop_all();
	return rc;
}

static void __exit stall_exit(void)
{
	stop_all();
}

module_init(stall_init);
module_exit(stall_exit);

MODULE_DESCRIPTION("lustre-lite: processors that stand still at random");
MODULE_LICENSE("GPL");
