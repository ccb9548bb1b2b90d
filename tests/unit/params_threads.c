// SPDX-License-Identifier: GPL-2.0-only
/* Threads of a test; see params_threads.h. */
#include "shim_cmocka.h"

#include <time.h>

#include "params_threads.h"

void gate_pass(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->inside++;
	pthread_cond_broadcast(&gate->moved);
	while (!gate->open)
		pthread_cond_wait(&gate->moved, &gate->lock);
	gate->inside--;
	pthread_cond_broadcast(&gate->moved);
	pthread_mutex_unlock(&gate->lock);
}

void gate_await(struct gate *gate, unsigned int inside)
{
	pthread_mutex_lock(&gate->lock);
	while (gate->inside < inside)
		pthread_cond_wait(&gate->moved, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

void gate_open(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->open = true;
	pthread_cond_broadcast(&gate->moved);
	pthread_mutex_unlock(&gate->lock);
}

void sleep_ms(unsigned int ms)
{
	const struct timespec time = {
		.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L,
	};

	nanosleep(&time, NULL);
}

static void *aside_run(void *arg)
{
	struct aside *aside = arg;

	aside->rc = aside->fn(aside->arg);
	__atomic_store_n(&aside->done, true, __ATOMIC_RELEASE);
	return NULL;
}

void aside_start(struct aside *aside, long (*fn)(void *arg), void *arg)
{
	aside->fn = fn;
	aside->arg = arg;
	aside->done = false;
	assert_int_equal(pthread_create(&aside->thread, NULL, aside_run, aside),
			 0);
}

bool aside_done(struct aside *aside)
{
	return __atomic_load_n(&aside->done, __ATOMIC_ACQUIRE);
}

long aside_join(struct aside *aside)
{
	assert_int_equal(pthread_join(aside->thread, NULL), 0);
	return aside->rc;
}
