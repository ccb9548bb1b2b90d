/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads of a test, and callbacks that wait inside until it lets them out.
 */
#ifndef _PARAMS_THREADS_H
#define _PARAMS_THREADS_H

#include <pthread.h>
#include <stdbool.h>

/**
 * struct gate - a place that threads wait at
 * @lock: guards all below
 * @moved: something below changed
 * @inside: threads that wait
 * @open: none has to wait any more
 */
struct gate {
	pthread_mutex_t	lock;
	pthread_cond_t	moved;
	unsigned int	inside;
	bool		open;
};

#define GATE_INIT \
	{ .lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER }

/* In a callback: wait until the gate is open. */
void gate_pass(struct gate *gate);
/* In the test: wait until so many threads are inside. */
void gate_await(struct gate *gate, unsigned int inside);
void gate_open(struct gate *gate);

void sleep_ms(unsigned int ms);

/**
 * struct aside - something that runs beside the test
 * @fn: what
 * @arg: its argument
 * @rc: what it returned
 * @done: it returned
 * @thread: its thread
 */
struct aside {
	long		(*fn)(void *arg);
	void		*arg;
	long		rc;
	bool		done;
	pthread_t	thread;
};

void aside_start(struct aside *aside, long (*fn)(void *arg), void *arg);
bool aside_done(struct aside *aside);
long aside_join(struct aside *aside);

#endif /* _PARAMS_THREADS_H */
