// SPDX-License-Identifier: GPL-2.0-only
/*
 * Active references between threads. The owner's data is plain memory: under
 * ThreadSanitizer any use that the gate does not put in order is reported.
 */
#include "shim_cmocka.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <lustre_lite/active.h>

#define USERS		3
#define DRAINERS	2
#define ROUNDS		100

struct owner {
	struct libcfs_active	gate;
	long			data;
	atomic_t		uses;
	pthread_barrier_t	start;
};

static void owner_name(void *arg, char *buf, size_t size)
{
	strncpy(buf, "owner", size);
}

static void *use(void *arg)
{
	struct owner *owner = arg;

	pthread_barrier_wait(&owner->start);
	while (!libcfs_active_is_dead(&owner->gate)) {
		if (!libcfs_active_get(&owner->gate))
			continue;
		if (owner->data != 1)
			abort();
		atomic_inc(&owner->uses);
		libcfs_active_put(&owner->gate);
	}
	return NULL;
}

static void *take_away(void *arg)
{
	struct owner *owner = arg;
	bool *killed = malloc(sizeof(*killed));

	pthread_barrier_wait(&owner->start);
	while (!atomic_read(&owner->uses))
		;
	*killed = libcfs_active_kill(&owner->gate);
	libcfs_active_drain(&owner->gate, owner_name, owner);
	/* Each drainer knows now that the data has no users. */
	if (*killed)
		owner->data = 2;
	return killed;
}

static void one_round(struct owner *owner)
{
	pthread_t users[USERS], drainers[DRAINERS];
	int killed = 0;
	void *mine;

	memset(owner, 0, sizeof(*owner));
	libcfs_active_init(&owner->gate, "owner");
	pthread_barrier_init(&owner->start, NULL, USERS + DRAINERS + 1);
	for (int n = 0; n < USERS; n++)
		pthread_create(&users[n], NULL, use, owner);
	for (int n = 0; n < DRAINERS; n++)
		pthread_create(&drainers[n], NULL, take_away, owner);
	pthread_barrier_wait(&owner->start);
	owner->data = 1;
	assert_true(libcfs_active_open(&owner->gate));
	for (int n = 0; n < DRAINERS; n++) {
		pthread_join(drainers[n], &mine);
		killed += *(bool *)mine;
		free(mine);
	}
	assert_int_equal(killed, 1);
	assert_int_equal(owner->data, 2);
	for (int n = 0; n < USERS; n++)
		pthread_join(users[n], NULL);
	pthread_barrier_destroy(&owner->start);
	assert_false(libcfs_active_open(&owner->gate));
}

static void uses_are_before_the_drain_and_after_the_open(void **state)
{
	struct owner owner;

	for (int n = 0; n < ROUNDS; n++)
		one_round(&owner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uses_are_before_the_drain_and_after_the_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
