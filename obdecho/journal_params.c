// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters of a journal.
 */
#define DEBUG_SUBSYSTEM S_ECHO

#include <linux/kernel.h>
#include <linux/time64.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "journal.h"

#define JOURNAL_INTERVAL_MAX	(60ULL * NSEC_PER_SEC)

static int interval_get(void *data, s64 *val)
{
	struct echo_server *server = data;

	*val = READ_ONCE(server->es_journal->ejn_interval);
	return 0;
}

/* Pending changes do not wait for the old interval. */
static int interval_set(void *data, s64 val)
{
	struct echo_server *server = data;

	WRITE_ONCE(server->es_journal->ejn_interval, val);
	return echo_journal_sync(server);
}

static int committed_get(void *data, u64 *val)
{
	*val = echo_journal_committed(data);
	return 0;
}

static int transno_get(void *data, u64 *val)
{
	struct echo_server *server = data;

	mutex_lock(&server->es_lock);
	*val = server->es_transno;
	mutex_unlock(&server->es_lock);
	return 0;
}

static int rebuilt_get(void *data, u64 *val)
{
	struct echo_server *server = data;

	mutex_lock(&server->es_lock);
	*val = server->es_rebuilt;
	mutex_unlock(&server->es_lock);
	return 0;
}

static const struct lustre_params_attr journal_attrs[] = {
	LP_TIME_RW("commit_interval", interval_get, interval_set,
		   .unit = PARAMS_UNIT_MSEC, .max = JOURNAL_INTERVAL_MAX,
		   LP_DEF(0),
		   .doc = "time from a change to its commit; 0: each counting request waits for its commit, and an unstable write is committed at once"),
	LP_U64_RO("committed", committed_get,
		  .doc = "last transaction on disk"),
	LP_U64_RO("transno", transno_get, .doc = "last transaction"),
	LP_U64_RO("rebuilt", rebuilt_get, .unit = PARAMS_UNIT_REQS,
		  .doc = "requests answered but not executed again after a restart"),
};

/**
 * journal_params_add() - add the parameters of the journal
 * @server: server
 *
 * Context: may sleep; they are not visible yet
 * Return: 0 or a negative errno
 */
int journal_params_add(struct echo_server *server)
{
	return params_add_attrs(server->es_obd->obd_params, journal_attrs,
				ARRAY_SIZE(journal_attrs), server);
}
