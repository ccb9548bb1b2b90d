// SPDX-License-Identifier: GPL-2.0
/*
 * Single configuration commands: who does what. No error is swallowed: every
 * command that was not applied returns why, whether real Lustre would have made
 * a 0 of it or not.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/params.h>

#include "../obd_internal.h"

/**
 * struct config_call - a command being done
 * @cfg: command
 * @instance: instance of the log that it is from, or 0
 * @net: network namespace of what it makes; NULL: that of the task
 * @obd: device that it is for, or NULL; held by whoever called
 * @dry_run: check what can be checked, do nothing; @obd may be NULL then
 * @why: out, why not
 */
struct config_call {
	const struct lcfg_view	*cfg;
	u64			instance;
	struct net		*net;
	struct obd_device	*obd;
	bool			dry_run;
	struct obd_why		*why;
};

/* A buffer as a text; what is not there, or is no text, is empty. */
static const char *call_arg(const struct config_call *call, u32 n)
{
	if (n >= call->cfg->bufcount || !call->cfg->buf[n].len)
		return "";
	return lcfg_string(call->cfg, n) ?: "";
}

static int call_uuid(const struct config_call *call, struct obd_uuid *uuid)
{
	const char *text = call_arg(call, 1);

	memset(uuid, 0, sizeof(*uuid));
	if (*text && strscpy(uuid->uuid, text, sizeof(uuid->uuid)) > 0)
		return 0;
	return obd_refuse(call->why, -EINVAL,
			  "%s: '%.64s' is no uuid; give 1 to %d bytes",
			  call_arg(call, 0), text, UUID_MAX - 1);
}

/* All checks of an attach but the table's, with a device that is in no table. */
static int try_attach(struct config_call *call)
{
	const char *name = call_arg(call, 0);
	struct obd_device *obd;

	obd = class_newdev(call_arg(call, 1), name, call_arg(call, 2),
			   call->why);
	if (IS_ERR(obd))
		return PTR_ERR(obd);
	class_decref(obd, OBD_REF_LOOKUP);
	if (class_name2dev(name) < 0)
		return 0;
	return obd_refuse(call->why, -EEXIST,
			  "there is a device '%s' already", name);
}

static int do_attach(struct config_call *call)
{
	struct obd_device *obd;

	if (call->obd)
		return obd_refuse(call->why, -EEXIST, "%s: is attached already",
				  call->obd->obd_name);
	if (call->dry_run)
		return try_attach(call);
	obd = class_attach_in(call->net, call_arg(call, 1), call_arg(call, 0),
			      call_arg(call, 2), call->instance, call->why);
	if (IS_ERR(obd))
		return PTR_ERR(obd);
	call->obd = obd;
	return 0;
}

static int do_detach(struct config_call *call)
{
	return call->dry_run ? 0 : class_detach(call->obd, call->why);
}

static int do_setup(struct config_call *call)
{
	return call->dry_run ? 0 : class_setup(call->obd, call->cfg, call->why);
}

static int do_cleanup(struct config_call *call)
{
	const char *letters = call_arg(call, 1);

	if (letters[strspn(letters, "FA")])
		return obd_refuse(call->why, -EINVAL,
				  "%s: '%.16s' is no way to clean up; F is by force, A for a failover",
				  call_arg(call, 0), letters);
	if (call->dry_run)
		return 0;
	return class_cleanup(call->obd, strchr(letters, 'F'),
			     strchr(letters, 'A'), call->why);
}

/* lcfg_nid: kind and network above, an IPv4 address below. */
static int nid_from_number(u64 number, struct lnet_nid *nid)
{
	u32 net = number >> 32, addr = number;
	unsigned int n;

	memset(nid, 0, sizeof(*nid));
	nid->nid_type = net >> 16;
	nid->nid_net = net & 0xffff;
	nid->nid_len = sizeof(addr);
	if (net >> 16 == LNET_LO)
		return net & 0xffff || addr ? -EINVAL : 0;
	if (net >> 16 != LNET_TCP)
		return -EPROTONOSUPPORT;
	for (n = 0; n < sizeof(addr); n++)
		nid->nid_addr[n] = addr >> (24 - 8 * n);
	return 0;
}

static int call_nid(const struct config_call *call, struct lnet_nid *nid)
{
	const char *text = call_arg(call, 2);
	const char *words = "";
	int rc;

	if (!*text && call->cfg->nid) {
		rc = nid_from_number(call->cfg->nid, nid);
		if (rc)
			return obd_refuse(call->why, rc,
					  "%s: NID 0x%llx is not of a network that is known; tcp and lo are",
					  call_arg(call, 1), call->cfg->nid);
		return 0;
	}
	rc = libcfs_nid_parse(text, strlen(text), nid, &words);
	if (rc)
		return obd_refuse(call->why, rc, "%s: NID '%.64s': %s",
				  call_arg(call, 1), text, words);
	return 0;
}

static int do_add_uuid(struct config_call *call)
{
	const char *uuid = call_arg(call, 1);
	struct lnet_nid nid;
	int rc = call_nid(call, &nid);

	if (rc)
		return rc;
	if (!*uuid || strlen(uuid) >= UUID_MAX)
		return obd_refuse(call->why, -EINVAL,
				  "'%.64s' is no uuid; give 1 to %d bytes",
				  uuid, UUID_MAX - 1);
	if (call->dry_run)
		return 0;
	rc = class_add_uuid(uuid, &nid);
	if (rc)
		return obd_refuse(call->why, rc, "%s: %s", uuid,
				  rc == -EOVERFLOW ? "has as many NIDs as it can have" :
						  "no NID was added");
	return 0;
}

static int do_del_uuid(struct config_call *call)
{
	const char *uuid = call_arg(call, 1);
	int rc;

	if (call->dry_run)
		return 0;
	rc = class_del_uuid(*uuid ? uuid : NULL);
	if (rc)
		return obd_refuse(call->why, rc, "there is no uuid '%.64s'",
				  uuid);
	return 0;
}

static int do_mountopt(struct config_call *call)
{
	const char *name = call_arg(call, 1);
	int rc;

	if (!*name)
		return obd_refuse(call->why, -EINVAL,
				  "the profile has no name");
	if (call->dry_run)
		return 0;
	rc = class_add_profile(name, call_arg(call, 2), call_arg(call, 3),
			       call->instance);
	if (rc)
		return obd_refuse(call->why, rc, "profile '%.128s': %s", name,
				  rc == -ENAMETOOLONG ?
				  "a name has more than 127 bytes" :
				  "was not added");
	return 0;
}

static int do_del_mountopt(struct config_call *call)
{
	const char *name = call_arg(call, 1);
	int rc;

	if (call->dry_run)
		return 0;
	rc = class_del_profile(name, call->instance);
	if (rc)
		return obd_refuse(call->why, rc, "there is no profile '%.128s'",
				  name);
	return 0;
}

static int set_seconds(struct config_call *call, const char *name)
{
	char value[16];

	scnprintf(value, sizeof(value), "%u", call->cfg->num);
	return obd_global_set(name, value,
			      call->dry_run ? PARAMS_W_DRY_RUN : 0, call->why);
}

static int do_set_timeout(struct config_call *call)
{
	return set_seconds(call, "timeout");
}

static int do_set_ldlm_timeout(struct config_call *call)
{
	return set_seconds(call, "ldlm_timeout");
}

static int do_add_conn(struct config_call *call)
{
	struct obd_uuid uuid;
	int rc = call_uuid(call, &uuid);

	if (rc || call->dry_run)
		return rc;
	return obd_add_conn(call->obd, &uuid, call->cfg->num, call->why);
}

static int do_del_conn(struct config_call *call)
{
	struct obd_uuid uuid;
	int rc = call_uuid(call, &uuid);

	if (rc || call->dry_run)
		return rc;
	return obd_del_conn(call->obd, &uuid, call->why);
}

static int do_param(struct config_call *call)
{
	return obd_config_param(call->obd, call->cfg, call->instance,
				call->dry_run, call->why);
}

static int do_set_param(struct config_call *call)
{
	return obd_config_set_param(call->cfg, call->dry_run, call->why);
}

/* Whatever else is for a device, its type has to know. */
static int do_process(struct config_call *call)
{
	if (call->dry_run)
		return 0;
	return obd_process_config(call->obd, call->cfg, call->why);
}

/* Says where something begins or ends, or means nothing any more. */
static int do_nothing(struct config_call *call)
{
	return 0;
}

/* What a command wants of its device. */
enum config_device {
	NO_DEVICE,	/* it is for none */
	ANY_DEVICE,	/* the one that it names, if there is one */
	A_DEVICE,	/* one that is there */
};

/**
 * struct config_command - a command and who does it
 * @command: number
 * @device: what it wants of its device
 * @run: does it
 */
struct config_command {
	u32			command;
	enum config_device	device;
	int			(*run)(struct config_call *call);
};

static const struct config_command config_commands[] = {
	{ LCFG_ATTACH, ANY_DEVICE, do_attach },
	{ LCFG_DETACH, A_DEVICE, do_detach },
	{ LCFG_SETUP, A_DEVICE, do_setup },
	{ LCFG_CLEANUP, A_DEVICE, do_cleanup },
	{ LCFG_PRE_CLEANUP, A_DEVICE, do_process },
	{ LCFG_ADD_UUID, NO_DEVICE, do_add_uuid },
	{ LCFG_DEL_UUID, NO_DEVICE, do_del_uuid },
	{ LCFG_MOUNTOPT, NO_DEVICE, do_mountopt },
	{ LCFG_DEL_MOUNTOPT, NO_DEVICE, do_del_mountopt },
	{ LCFG_SET_TIMEOUT, NO_DEVICE, do_set_timeout },
	{ LCFG_SET_LDLM_TIMEOUT, NO_DEVICE, do_set_ldlm_timeout },
	{ LCFG_SET_UPCALL, NO_DEVICE, do_nothing },
	{ LCFG_ADD_CONN, A_DEVICE, do_add_conn },
	{ LCFG_DEL_CONN, A_DEVICE, do_del_conn },
	{ LCFG_PARAM, ANY_DEVICE, do_param },
	{ LCFG_SET_PARAM, NO_DEVICE, do_set_param },
	{ LCFG_MARKER, NO_DEVICE, do_nothing },
	{ LCFG_LOG_START, NO_DEVICE, do_nothing },
	{ LCFG_LOG_END, NO_DEVICE, do_nothing },
	{ LCFG_LOV_ADD_OBD, A_DEVICE, do_process },
	{ LCFG_LOV_ADD_INA, A_DEVICE, do_process },
	{ LCFG_LOV_DEL_OBD, A_DEVICE, do_process },
	{ LCFG_ADD_MDC, A_DEVICE, do_process },
	{ LCFG_DEL_MDC, A_DEVICE, do_process },
	{ LCFG_POOL_NEW, A_DEVICE, do_process },
	{ LCFG_POOL_ADD, A_DEVICE, do_process },
	{ LCFG_POOL_REM, A_DEVICE, do_process },
	{ LCFG_POOL_DEL, A_DEVICE, do_process },
};

static const struct config_command *command_find(u32 command)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(config_commands); n++)
		if (config_commands[n].command == command)
			return &config_commands[n];
	return NULL;
}

static int command_unknown(const struct config_call *call)
{
	u32 command = call->cfg->command;

	if (command & LCFG_REQUIRED)
		return obd_refuse(call->why, -EINVAL,
				  "command 0x%x is not known, and who writes it requires it to be",
				  command);
	return obd_refuse(call->why, -EOPNOTSUPP,
			  "command 0x%x is not known; it is optional", command);
}

/* Find the device that a command names; the call's holder gets the reference. */
static int call_find_device(struct config_call *call,
			    const struct config_command *cmd)
{
	const char *name = call_arg(call, 0);

	if (cmd->device == NO_DEVICE || call->obd)
		return 0;
	if (*name && cmd->command != LCFG_ATTACH)
		call->obd = class_name2obd(name);
	if (call->obd || cmd->device == ANY_DEVICE)
		return 0;
	if (!*name)
		return obd_refuse(call->why, -EINVAL,
				  "buffer 0 is empty; give the name of a device");
	if (call->dry_run)
		return 0;
	return obd_refuse(call->why, -ENODEV,
			  "there is no device '%.128s'; attach it first", name);
}

/* A refusal without words gets some. */
static void call_explain(const struct config_call *call, int rc)
{
	const char *command = lcfg_command_name(call->cfg->command);
	const struct obd_device *obd = call->obd;

	if (!rc || !call->why || call->why->text[0])
		return;
	if (!obd)
		obd_refuse(call->why, rc, "%s was refused: errno %d", command,
			   -rc);
	else if (rc == -EOPNOTSUPP)
		obd_refuse(call->why, rc, "%s: type %s does not know %s",
			   obd->obd_name, obd->obd_type_name, command);
	else if (rc == -ENODEV && !obd_is_set_up(obd))
		obd_refuse(call->why, rc, "%s: is not set up; %s wants that",
			   obd->obd_name, command);
	else
		obd_refuse(call->why, rc, "%s: %s was refused: errno %d",
			   obd->obd_name, command, -rc);
}

/* class_process_config(), or with @dry_run the part that changes nothing. */
int obd_config_run(const struct lcfg_view *cfg, u64 instance, struct net *net,
		   bool dry_run, struct obd_device **obd, struct obd_why *why)
{
	const struct config_command *cmd = command_find(cfg->command);
	struct config_call call = {
		.cfg = cfg,
		.instance = instance,
		.net = net,
		.obd = *obd,
		.dry_run = dry_run,
		.why = why,
	};
	int rc;

	if (why)
		why->text[0] = '\0';
	if (!cmd)
		return command_unknown(&call);
	rc = call_find_device(&call, cmd);
	if (!rc)
		rc = cmd->run(&call);
	call_explain(&call, rc);
	*obd = call.obd;
	return rc;
}

/**
 * class_process_config() - apply one command
 * @cfg: command
 * @instance: instance of the log that it is from, or 0: of what it makes
 * @obd: NULL, or in: the device that the command is for, which the caller holds
 *	(OBD_REF_LOOKUP), or NULL to take the one that buffer 0 names; out: the
 *	device that it was for, or that it made, held by the caller; NULL where
 *	there is none. Also on errors
 * @why: out, why not; or NULL
 *
 * Context: may sleep, for as long as the command does
 * Return: 0; -EINVAL for a required command that is not known, -EOPNOTSUPP for an
 * optional one; -ENODEV when the device is not there; what the command says
 */
int class_process_config(const struct lcfg_view *cfg, u64 instance,
			 struct obd_device **obd, struct obd_why *why)
{
	struct obd_device *own = NULL;
	int rc;

	if (obd)
		return obd_config_run(cfg, instance, NULL, false, obd, why);
	rc = obd_config_run(cfg, instance, NULL, false, &own, why);
	if (own)
		class_decref(own, OBD_REF_LOOKUP);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(class_process_config, LUSTRE_LITE);
