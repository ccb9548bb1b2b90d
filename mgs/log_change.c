// SPDX-License-Identifier: GPL-2.0
/*
 * The operations by their numbers.
 */
#include "log_internal.h"

/**
 * struct operation - one of enum mgs_change_op
 * @op: number
 * @argc: texts that it takes
 * @usage: these, in words
 * @run: does it
 */
static const struct operation {
	u32		op;
	unsigned int	argc;
	const char	*usage;
	int		(*run)(struct mgs_call *call);
} operations[] = {
	{ MGS_SET_PARAM, 2, "a pattern and a value", mgs_do_set_param },
	{ MGS_DEL_PARAM, 1, "a pattern", mgs_do_del_param },
	{ MGS_CONF_PARAM, 2, "TARGET.NAME or FS.NAME and a value",
	  mgs_do_conf_param },
	{ MGS_DEL_CONF_PARAM, 1, "TARGET.NAME or FS.NAME",
	  mgs_do_del_conf_param },
	{ MGS_REPLACE_NIDS, 2, "a target and its NIDs", mgs_do_replace_nids },
	{ MGS_CLEAR_CONF, 1, "a file system or a log", mgs_do_clear_conf },
	{ MGS_FORK_LCFG, 2, "a file system and a new name",
	  mgs_do_fork_lcfg },
	{ MGS_ERASE_LCFG, 1, "a file system", mgs_do_erase_lcfg },
	{ MGS_DEL_OST, 1, "an OST", mgs_do_del_ost },
	{ MGS_POOL_NEW, 2, "a file system and a pool", mgs_do_pool_new },
	{ MGS_POOL_ADD, 3, "a file system, a pool and an OST",
	  mgs_do_pool_add },
	{ MGS_POOL_REM, 3, "a file system, a pool and an OST",
	  mgs_do_pool_rem },
	{ MGS_POOL_DEL, 2, "a file system and a pool", mgs_do_pool_del },
	{ MGS_CANCEL_RECORD, 1, "a log", mgs_do_cancel },
	{ MGS_WRITECONF, 1, "a file system or a target", mgs_do_writeconf },
};

/**
 * mgs_log_change() - make a change of the configuration
 * @txn: change
 * @op: enum mgs_change_op
 * @args: texts that it takes
 * @argc: how many
 * @index: record, for MGS_CANCEL_RECORD
 * @why: why not; where it succeeded, what there is to say; may be NULL
 *
 * Context: may sleep; the caller commits or aborts
 * Return: 0, also where nothing had to be changed, which mgs_txn_count() tells;
 * -EINVAL for what cannot be; -ENOENT, -EEXIST; -EOPNOTSUPP for an operation that
 * is not known; -E2BIG, -ENAMETOOLONG; -EIO for a log that is damaged; -ENOMEM; what
 * the store says
 */
int mgs_log_change(struct mgs_txn *txn, u32 op, const char *const *args,
		   unsigned int argc, u32 index, struct mgs_words *why)
{
	struct mgs_call call = {
		.txn = txn,
		.why = why,
		.args = args,
		.index = index,
	};
	size_t n;

	if (why)
		why->text[0] = '\0';
	for (n = 0; n < ARRAY_SIZE(operations); n++) {
		if (operations[n].op != op)
			continue;
		if (operations[n].argc == argc)
			return operations[n].run(&call);
		return mgs_refuse(why, -EINVAL, "%u texts were given; give %s",
				  argc, operations[n].usage);
	}
	return mgs_refuse(why, -EOPNOTSUPP, "operation %u is not known", op);
}
