/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The start of the cases of the parameters suites: a directory "kunit" of
 * their own, a client, and helpers to run something on the side. When a case
 * has ended, its directory is removed and the memory account of libcfs must be
 * what it was.
 */
#ifndef _KUNIT_FIXTURE_H
#define _KUNIT_FIXTURE_H

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#if IS_ENABLED(CONFIG_KUNIT)
#include <kunit/test.h>
#else
#include "stand_in.h"
#endif
#include "client.h"

#define FIXTURE_DIR	"kunit"
#define FIXTURE_WAIT	(20 * HZ)	/* longer than any case should take */
#define FIXTURE_LOOKS	6		/* looks that find a task asleep, 20 ms apart */

static struct {
	struct lustre_params_entry	*dir;
	struct client			*client;
	u64				memused;
	bool				outlived;
} fx;

/* Memory in use by libcfs and the modules that account with it. */
static inline u64 fixture_memused(void)
{
	return client_read(fx.client, "memused") ? ~0ULL : client_number(fx.client);
}

static inline int fixture_init(struct kunit *test)
{
	fx.client = client_open();
	if (!fx.client)
		return -ENODEV;
	fx.outlived = false;
	fx.memused = fixture_memused();
	fx.dir = params_add_dir(NULL, FIXTURE_DIR, NULL);
	return PTR_ERR_OR_ZERO(fx.dir);
}

/*
 * Objects that end asynchronously, such as connections, free their memory a moment later: those of
 * the case, and those of what ran before it.
 */
static inline void fixture_expect_memory(struct kunit *test)
{
	unsigned long end = jiffies + FIXTURE_WAIT;

	KUNIT_EXPECT_NE(test, fx.memused, ~0ULL);
	while (fixture_memused() > fx.memused && time_before(jiffies, end))
		msleep(20);
	KUNIT_EXPECT_LE(test, fixture_memused(), fx.memused);
}

/* This case leaves memory that is freed when the modules are removed. */
static inline void fixture_is_outlived(void)
{
	fx.outlived = true;
}

static inline void fixture_exit(struct kunit *test)
{
	if (!IS_ERR_OR_NULL(fx.dir))
		params_remove(fx.dir);
	fx.dir = NULL;
	if (!fx.client)
		return;
	if (!fx.outlived)
		fixture_expect_memory(test);
	client_close(fx.client);
	fx.client = NULL;
}

/**
 * struct aside - something that runs beside the case
 * @fn: what
 * @arg: its argument
 * @rc: what it returned
 * @task: who runs it, as long as it does; under RCU
 * @done: completes when it has returned
 */
struct aside {
	long			(*fn)(void *arg);
	void			*arg;
	long			rc;
	struct task_struct	*task;
	struct completion	done;
};

static inline int aside_thread(void *data)
{
	struct aside *a = data;

	WRITE_ONCE(a->task, current);
	a->rc = a->fn(a->arg);
	WRITE_ONCE(a->task, NULL);
	/* The waiting task may hold the last reference on this module. */
	kthread_complete_and_exit(&a->done, 0);
}

static inline void aside_start(struct kunit *test, struct aside *a,
			       long (*fn)(void *arg), void *arg)
{
	struct task_struct *task;

	a->fn = fn;
	a->arg = arg;
	a->rc = -EINPROGRESS;
	a->task = NULL;
	init_completion(&a->done);
	task = kthread_run(aside_thread, a, "kunit_aside");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
}

/* Wait for its end. If it does not end, the case fails instead of hanging. */
static inline long aside_join(struct kunit *test, struct aside *a)
{
	unsigned long left;

	left = wait_for_completion_timeout(&a->done, FIXTURE_WAIT);
	KUNIT_EXPECT_TRUE(test, left != 0);
	return a->rc;
}

static inline bool aside_is_done(struct aside *a)
{
	return completion_done(&a->done);
}

/* Number of times that it has gone to sleep, if it sleeps; 0 if it runs. */
static inline unsigned long aside_sleeps(struct aside *a)
{
	struct task_struct *task;
	unsigned long count = 0;

	rcu_read_lock();
	task = READ_ONCE(a->task);
	if (task && !task_is_running(task))
		count = READ_ONCE(task->nvcsw);
	rcu_read_unlock();
	return count;
}

/* Wait until it sleeps. */
static inline void aside_await_sleep(struct kunit *test, struct aside *a)
{
	unsigned long end = jiffies + FIXTURE_WAIT, last = 0, now;
	unsigned int looks = 0;

	while (looks < FIXTURE_LOOKS && !aside_is_done(a) &&
	       time_before(jiffies, end)) {
		msleep(20);
		now = aside_sleeps(a);
		looks = now && now == last ? looks + 1 : 0;
		last = now;
	}
	KUNIT_EXPECT_FALSE(test, aside_is_done(a));
	KUNIT_EXPECT_EQ(test, looks, (unsigned int)FIXTURE_LOOKS);
}

/* Read a path with a client of its own; rc is the errno. */
static inline long aside_read(void *path)
{
	struct client *c = client_open();
	long rc = c ? client_read(c, path) : -ENOMEM;

	if (c)
		client_close(c);
	return rc;
}

/* Remove an entry. A reference of the caller stays. */
static inline long aside_remove(void *entry)
{
	params_remove(entry);
	return 0;
}

/**
 * struct gate - a callback that waits inside until the case lets it out
 * @entered: completes when a callback has come in
 * @leave: the case completes it
 * @inside: callbacks that are in
 * @calls: callbacks that came in until now
 */
struct gate {
	struct completion	entered;
	struct completion	leave;
	atomic_t		inside;
	atomic_t		calls;
};

static inline void gate_init(struct gate *g)
{
	init_completion(&g->entered);
	init_completion(&g->leave);
	atomic_set(&g->inside, 0);
	atomic_set(&g->calls, 0);
}

static inline int gate_get(void *data, u64 *val)
{
	struct gate *g = data;

	atomic_inc(&g->inside);
	atomic_inc(&g->calls);
	complete(&g->entered);
	wait_for_completion_timeout(&g->leave, FIXTURE_WAIT);
	atomic_dec(&g->inside);
	*val = 1;
	return 0;
}

static inline int gate_set(void *data, u64 val)
{
	u64 out;

	return gate_get(data, &out);
}

static inline void gate_await(struct kunit *test, struct gate *g)
{
	unsigned long left;

	left = wait_for_completion_timeout(&g->entered, FIXTURE_WAIT);
	KUNIT_ASSERT_TRUE(test, left != 0);
}

/**
 * struct probe - a value whose callbacks keep a record
 * @hook: called by the read callback, when set
 * @val: the value that is read
 * @reads: reads until now
 * @text: what was written last
 * @len: its bytes
 * @kernel_memory: it did not come by a pointer to user memory
 */
struct probe {
	int		(*hook)(struct probe *p);
	u64		val;
	atomic_t	reads;
	char		text[64];
	size_t		len;
	bool		kernel_memory;
};

static inline int probe_read(struct params_sink *sink, void *data)
{
	struct probe *p = data;
	int rc = 0;

	atomic_inc(&p->reads);
	if (p->hook)
		rc = p->hook(p);
	return rc ?: params_put_u64(sink, NULL, p->val);
}

static inline int probe_write(const char *text, size_t len, void *data)
{
	struct probe *p = data;

	p->len = len;
	p->kernel_memory = is_vmalloc_addr(text) || virt_addr_valid(text);
	strscpy(p->text, text, sizeof(p->text));
	return 0;
}

static const struct lustre_params_attr gate_attrs[] __maybe_unused = {
	LP_U32_RW("gate", gate_get, gate_set),
};

static inline void add_probe(struct kunit *test, struct probe *p, const char *name)
{
	KUNIT_ASSERT_EQ(test, params_add_entry(fx.dir, name, probe_read,
					       probe_write, p), 0);
}

static inline void add_gate(struct kunit *test, struct gate *g)
{
	gate_init(g);
	KUNIT_ASSERT_EQ(test, params_add_attrs(fx.dir, gate_attrs, 1, g), 0);
}

static inline struct lustre_params_entry *must_find(struct kunit *test,
						    const char *path)
{
	struct lustre_params_entry *entry = params_lookup_entry(NULL, path);

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(entry));
	return entry;
}

static inline long lookup_rc(const char *path)
{
	struct lustre_params_entry *entry = params_lookup_entry(NULL, path);

	if (IS_ERR(entry))
		return PTR_ERR(entry);
	params_entry_put(entry);
	return 0;
}

#endif /* _KUNIT_FIXTURE_H */
