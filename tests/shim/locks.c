// SPDX-License-Identifier: GPL-2.0-only
/* Locks that know their holders. */
#include <stdlib.h>

#include <linux/bug.h>
#include <shim/locks.h>
#include <shim/rcu.h>
#include <shim/task.h>

#define HELD_MAX	(SHIM_CPUS_MAX + 16)

struct held {
	const struct shim_lock	*lock;
	bool			write;
};

static _Thread_local struct held held[HELD_MAX];
static _Thread_local unsigned int held_count;

unsigned int shim_locks_held(enum shim_lock_kind kind)
{
	unsigned int count = 0;
	unsigned int n;

	for (n = 0; n < held_count; n++)
		count += held[n].lock->kind == kind;
	return count;
}

void shim_assert_no_rwsem(const char *what)
{
	if (shim_locks_held(SHIM_RWSEM))
		shim_warn(what, 0, "under an rw_semaphore");
}

static struct held *find(const struct shim_lock *lock)
{
	unsigned int n = held_count;

	while (n-- > 0)
		if (held[n].lock == lock)
			return &held[n];
	return NULL;
}

bool shim_is_held(const struct shim_lock *lock)
{
	return find(lock);
}

void shim_assert_held(const struct shim_lock *lock, bool write)
{
	const struct held *have = find(lock);

	if (!have || (write && !have->write))
		shim_warn("lock", 0, "is not held as it has to be");
}

void shim_lock_init(struct shim_lock *lock, enum shim_lock_kind kind)
{
	pthread_rwlock_init(&lock->rwlock, NULL);
	lock->kind = kind;
}

void shim_lock_destroy(struct shim_lock *lock)
{
	if (find(lock))
		shim_warn("lock", 0, "is destroyed by who holds it");
	pthread_rwlock_destroy(&lock->rwlock);
}

static void check_order(const struct shim_lock *lock)
{
	if (find(lock))
		shim_warn("lock", 0, "is taken twice");
	if (lock->kind != SHIM_SPIN)
		shim_might_sleep("lock that sleeps");
	if (lock->kind == SHIM_RWSEM)
		shim_assert_no_rwsem("rw_semaphore");
}

static void note(const struct shim_lock *lock, bool write)
{
	if (held_count == HELD_MAX)
		abort();
	held[held_count++] = (struct held){ lock, write };
}

void shim_lock_read(struct shim_lock *lock)
{
	check_order(lock);
	pthread_rwlock_rdlock(&lock->rwlock);
	note(lock, false);
}

void shim_lock_write(struct shim_lock *lock)
{
	check_order(lock);
	pthread_rwlock_wrlock(&lock->rwlock);
	note(lock, true);
}

void shim_unlock(struct shim_lock *lock)
{
	struct held *have = find(lock);

	if (!have) {
		shim_warn("lock", 0, "is released by who does not hold it");
		return;
	}
	*have = held[--held_count];
	pthread_rwlock_unlock(&lock->rwlock);
}

static pthread_rwlock_t rcu = PTHREAD_RWLOCK_INITIALIZER;

void shim_rcu_read_lock(void)
{
	pthread_rwlock_rdlock(&rcu);
}

void shim_rcu_read_unlock(void)
{
	pthread_rwlock_unlock(&rcu);
}

void shim_rcu_wait(void)
{
	pthread_rwlock_wrlock(&rcu);
	pthread_rwlock_unlock(&rcu);
}
