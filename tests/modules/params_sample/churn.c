// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that add a subtree, delete it and free its data, without pause: what
 * readers race against in the stress tests.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include "sample.h"

#define CHURN_MAX	16

static uint churn;
module_param(churn, uint, 0444);
MODULE_PARM_DESC(churn, "threads that add and delete subtrees (at most 16)");

static uint churn_ms = 1;
module_param(churn_ms, uint, 0444);
MODULE_PARM_DESC(churn_ms, "milliseconds that such a subtree stays");

static struct task_struct *threads[CHURN_MAX];
static struct lustre_params_entry *churn_dir;
static atomic64_t cycles;

static int cycle(unsigned int id)
{
	struct sample_group *group = sample_group_alloc(id, NULL);
	char name[16];
	int rc;

	if (!group)
		return -ENOMEM;
	scnprintf(name, sizeof(name), "c%02u", id);
	rc = sample_group_publish(group, churn_dir, name, SAMPLE_GROUP_ATTRS);
	if (!rc) {
		sample_group_sample(group, 1);
		if (churn_ms)
			fsleep(churn_ms * 1000);
		sample_group_unpublish(group);
		atomic64_inc(&cycles);
	}
	sample_group_free(group);
	return rc;
}

static int churn_thread(void *data)
{
	while (!kthread_should_stop()) {
		if (cycle((unsigned long)data))
			fsleep(1000);
		cond_resched();
	}
	return 0;
}

/**
 * sample_churn_start() - start the threads that churn= asks for
 * @root: the sample directory
 *
 * Return: 0 or a negative errno; sample_churn_stop() undoes it either way
 */
int sample_churn_start(struct lustre_params_entry *root)
{
	unsigned long i;

	if (!churn)
		return 0;
	churn_dir = params_add_dir(root, "churn", NULL);
	if (IS_ERR(churn_dir))
		return PTR_ERR(churn_dir);
	for (i = 0; i < min_t(uint, churn, CHURN_MAX); i++) {
		threads[i] = kthread_run(churn_thread, (void *)i, "sample_churn/%lu", i);
		if (IS_ERR(threads[i]))
			return PTR_ERR(threads[i]);
	}
	return 0;
}

/**
 * sample_churn_stop() - stop the threads; what they added is gone
 */
void sample_churn_stop(void)
{
	unsigned int i;

	for (i = 0; i < CHURN_MAX; i++) {
		if (!IS_ERR_OR_NULL(threads[i]))
			kthread_stop(threads[i]);
		threads[i] = NULL;
	}
}

/**
 * sample_churn_cycles() - subtrees that were added and deleted until now
 */
u64 sample_churn_cycles(void)
{
	return atomic64_read(&cycles);
}
