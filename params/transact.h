/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes to many entries, all or nothing.
 */
#ifndef _PARAMS_TRANSACT_H
#define _PARAMS_TRANSACT_H

#include "change.h"

/**
 * struct params_step - one write of a transaction, and its result
 * @step_change: the write
 * @step_status: 0 or a negative errno
 * @step_why: reason of a refusal, kmalloc'd; or NULL
 */
struct params_step {
	struct params_change	step_change;
	int			step_status;
	char			*step_why;
};

u32 params_transact(struct params_step *steps, u32 count, bool dry_run);

#endif /* _PARAMS_TRANSACT_H */
