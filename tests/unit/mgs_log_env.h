/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A management service's store in memory, and operations on it: registrations, changes, its
 * logs as text.
 */
#ifndef _MGS_LOG_ENV_H
#define _MGS_LOG_ENV_H

#include "shim_cmocka.h"

#include "mgs/log/log.h"

#include "mgs_fixture.h"

#define ENV_WHEN	1795288853ULL

/* Logs of the file system of env_open_fs(), and that of the settings for all. */
#define CLIENT	"lustre-client"
#define MDT0	"lustre-MDT0000"
#define OST0	"lustre-OST0000"
#define OST1	"lustre-OST0001"
#define PARAMS	"params"

/**
 * struct env - a store, and the result of the last change
 * @backend: where it is
 * @store: it
 * @when: time of the changes
 * @target: as the last registration left it
 * @why: words
 * @logs: logs that the last change was in
 * @records: its records
 * @generation: of the configuration after it
 */
struct env {
	struct mem_backend	backend;
	struct mgs_store	*store;
	u64			when;
	struct mgs_target	target;
	struct obd_why	why;
	u32			logs;
	u32			records;
	u64			generation;
};

void env_open(struct env *env);
/* With a file system: MDT0, OST0 and OST1. */
void env_open_fs(struct env *env);
/* With the logs of tests/golden/@release, in CONFIGS/. */
void env_open_golden(struct env *env, const char *release);
void env_close(struct env *env);

/**
 * struct env_target - a target that registers
 * @name: "lustre-OST0001"; "lustre-OST" to be given an index
 * @flags: LDD_F_*, but for its type
 * @nids: NIDs, joined by blanks
 * @params: ldd_params, or NULL
 * @id: uuid of its directory, or NULL
 * @key: first byte of its key; 0: that of all others
 * @proves: it sends a proof and not the key
 * @keyless: it sends neither
 * @closed: allow_register is 0
 * @from: NID that its node is connected from, or NULL
 */
struct env_target {
	const char	*name;
	u32		flags;
	const char	*nids;
	const char	*params;
	const char	*id;
	u8		key;
	bool		proves;
	bool		keyless;
	bool		closed;
	const char	*from;
};

/* First byte of the key of a target that has no other. */
#define ENV_KEY	0x11

/* Each is one change: committed on success, aborted on failure. */
int env_register(struct env *env, const struct env_target *target);
int env_change(struct env *env, u32 op, u32 index, const char *const *args,
	       unsigned int argc);
#define env_do(env, op, ...)						\
	env_change(env, op, 0, (const char *const []){ __VA_ARGS__ },	\
		   sizeof((const char *const []){ __VA_ARGS__ }) /	\
		   sizeof(const char *))

/* A new target at 10.0.0.<its index + 1>@tcp, with a 1 before for an MDT. */
void env_add(struct env *env, const char *name, const char *params);

/*
 * A log as text, one line per record: "4 attach t32fs-clilov lov t32fs-clilov_UUID".
 * For free().
 */
char *env_dump(struct env *env, const char *log);
/* The same of the records that a reader applies, without numbers and markers. */
char *env_meaning(struct env *env, const char *log);
/* Whether a line of it begins with @line; @count: how many do. */
unsigned int env_count(const char *dump, const char *line);
bool env_has(struct env *env, const char *log, const char *line);

/*
 * Check a log: each START has an END with the same texts, steps rise, and a reader that
 * applies the whole log meets neither missing nor existing devices, targets or pools.
 */
void env_check(struct env *env);

#endif /* _MGS_LOG_ENV_H */
