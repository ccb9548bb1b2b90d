// SPDX-License-Identifier: GPL-2.0-only
/* In place of params/event.c: events are kept for a test to look at. */
#include <pthread.h>

#include "../../params/params_internal.h"

#include <linux/string.h>
#include <shim/event.h>
#include <shim/task.h>

#define EVENTS_MAX	256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct shim_event events[EVENTS_MAX];
static unsigned int count;

int params_event_init(void)
{
	return 0;
}

void params_event_exit(void)
{
}

void params_event_send(enum ll_params_event event,
		       struct lustre_params_entry *lpe)
{
	shim_assert_no_rwsem("event");
	shim_might_sleep("event");
	pthread_mutex_lock(&lock);
	if (count < EVENTS_MAX) {
		struct shim_event *to = &events[count++];

		to->event = event;
		to->version = params_version(lpe);
		if (params_entry_path(lpe, to->path, sizeof(to->path)) < 0)
			strscpy(to->path, "(long)", sizeof(to->path));
	}
	pthread_mutex_unlock(&lock);
}

void shim_events_clear(void)
{
	pthread_mutex_lock(&lock);
	count = 0;
	pthread_mutex_unlock(&lock);
}

unsigned int shim_events(const struct shim_event **to)
{
	*to = events;
	return count;
}
