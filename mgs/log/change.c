// SPDX-License-Identifier: GPL-2.0
/*
 * The operations by their numbers.
 */
#include "log_internal.h"

/**
 * struct operation - one of enum mgs_change_op
 * @op: number
 * @argc: texts that it takes
 * @name: as lctl has it
 * @usage: its texts, in words
 * @run: does it
 */
struct operation {
	u32		op;
	unsigned int	argc;
	const char	*name;
	const char	*usage;
	int		(*run)(struct mgs_call *call);
};

static const struct operation operations[] = {
	{ MGS_SET_PARAM, 2, "set_param", "a pattern and a value",
	  mgs_do_set_param },
	{ MGS_DEL_PARAM, 1, "set_param -d", "a pattern", mgs_do_del_param },
	{ MGS_CONF_PARAM, 2, "conf_param", "TARGET.NAME or FS.NAME and a value",
	  mgs_do_conf_param },
	{ MGS_DEL_CONF_PARAM, 1, "conf_param -d", "TARGET.NAME or FS.NAME",
	  mgs_do_del_conf_param },
	{ MGS_REPLACE_NIDS, 2, "replace_nids", "a target and its NIDs",
	  mgs_do_replace_nids },
	{ MGS_CLEAR_CONF, 1, "clear_conf", "a file system or a log",
	  mgs_do_clear_conf },
	{ MGS_FORK_LCFG, 2, "fork_lcfg", "a file system and a new name",
	  mgs_do_fork_lcfg },
	{ MGS_ERASE_LCFG, 1, "erase_lcfg", "a file system", mgs_do_erase_lcfg },
	{ MGS_DEL_OST, 1, "del_ost", "an OST", mgs_do_del_ost },
	{ MGS_POOL_NEW, 2, "pool_new", "a file system and a pool",
	  mgs_do_pool_new },
	{ MGS_POOL_ADD, 3, "pool_add", "a file system, a pool and an OST",
	  mgs_do_pool_add },
	{ MGS_POOL_REM, 3, "pool_remove", "a file system, a pool and an OST",
	  mgs_do_pool_rem },
	{ MGS_POOL_DEL, 2, "pool_destroy", "a file system and a pool",
	  mgs_do_pool_del },
	{ MGS_CANCEL_RECORD, 1, "llog_cancel", "a log", mgs_do_cancel },
	{ MGS_WRITECONF, 1, "writeconf", "a file system or a target",
	  mgs_do_writeconf },
	{ MGS_REPLACE_TARGET, 1, "replace_target", "a target",
	  mgs_do_replace_target },
};

/* "conf_param lustre.sys.timeout=20", for the list of changes. */
static int change_say(const struct operation *op, const struct mgs_call *call)
{
	const char *third = op->argc > 2 ? call->args[2] : "";
	const char *second = op->argc > 1 ? call->args[1] : "";
	bool value = op->op == MGS_SET_PARAM || op->op == MGS_CONF_PARAM;
	char *text;
	int rc;

	if (op->op == MGS_CANCEL_RECORD)
		text = kasprintf(GFP_KERNEL, "%s %s %u", op->name,
				 call->args[0], call->index);
	else
		text = kasprintf(GFP_KERNEL, "%s %s%s%s%s%s", op->name,
				 call->args[0],
				 value ? "=" : *second ? " " : "", second,
				 *third ? " " : "", third);
	if (!text)
		return -ENOMEM;
	rc = mgs_txn_say(call->txn, text);
	kfree(text);
	return rc;
}

static int change_run(const struct operation *op, struct mgs_call *call)
{
	int rc = op->run(call);

	return rc ? rc : change_say(op, call);
}

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
			return change_run(&operations[n], &call);
		return mgs_refuse(why, -EINVAL, "%s: %u texts were given; give %s",
				  operations[n].name, argc,
				  operations[n].usage);
	}
	return mgs_refuse(why, -EOPNOTSUPP, "operation %u is not known", op);
}
