// SPDX-License-Identifier: GPL-2.0-only
/*
 * Single configuration commands: dispatch and handlers. Every command that was
 * not applied returns its error, even if real Lustre would return 0.
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
 * struct obd_config_call - a command being applied
 * @cfg: command
 * @instance: instance of its log, or 0
 * @net: network namespace of attached devices; NULL: that of the task
 * @obd: its device, or NULL; held by the caller
 * @dry_run: validate only; @obd may be NULL then
 * @why: out: reason of a failure
 */
struct obd_config_call {
	const struct lcfg_view	*cfg;
	u64			instance;
	struct net		*net;
	struct obd_device	*obd;
	bool			dry_run;
	struct obd_why		*why;
};

/* A buffer as a text; a missing one, or one that is not a text, is empty. */
static const char *call_arg(const struct obd_config_call *call, u32 n)
{
	if (n >= call->cfg->bufcount || !call->cfg->buf[n].len)
		return "";
	return lcfg_string(call->cfg, n) ?: "";
}

static int call_uuid(const struct obd_config_call *call, struct obd_uuid *uuid)
{
	const char *text = call_arg(call, 1);

	memset(uuid, 0, sizeof(*uuid));
	if (*text && strscpy(uuid->uuid, text, sizeof(uuid->uuid)) > 0)
		return 0;
	return obd_refuse(call->why, -EINVAL,
			  "%s: '%.64s' is not a uuid; use 1 to %d bytes",
			  call_arg(call, 0), text, UUID_MAX - 1);
}

/*
 * All checks of an attach except those of the table, with a device that is in
 * no table.
 */
static int try_attach(struct obd_config_call *call)
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
			  "device '%s' already exists", name);
}

static int do_attach(struct obd_config_call *call)
{
	struct obd_device *obd;

	if (call->obd)
		return obd_refuse(call->why, -EEXIST, "%s: is already attached",
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

static int do_detach(struct obd_config_call *call)
{
	return call->dry_run ? 0 : class_detach(call->obd, call->why);
}

static int do_setup(struct obd_config_call *call)
{
	return call->dry_run ? 0 : class_setup(call->obd, call->cfg, call->why);
}

static int do_cleanup(struct obd_config_call *call)
{
	const char *letters = call_arg(call, 1);

	if (letters[strspn(letters, "FA")])
		return obd_refuse(call->why, -EINVAL,
				  "%s: '%.16s' is not a mode of cleanup; use F (force) or A (failover)",
				  call_arg(call, 0), letters);
	if (call->dry_run)
		return 0;
	return class_cleanup(call->obd, strchr(letters, 'F'),
			     strchr(letters, 'A'), call->why);
}

/* lcfg_nid: type and network above, an IPv4 address below. */
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

static int call_nid(const struct obd_config_call *call, struct lnet_nid *nid)
{
	const char *text = call_arg(call, 2);
	const char *words = "";
	int rc;

	if (!*text && call->cfg->nid) {
		rc = nid_from_number(call->cfg->nid, nid);
		if (rc)
			return obd_refuse(call->why, rc,
					  rc == -EINVAL ?
					  "%s: NID 0x%llx is not valid on network lo; only 0@lo is" :
					  "%s: NID 0x%llx has an unknown network; valid are tcp and lo",
					  call_arg(call, 1), call->cfg->nid);
		return 0;
	}
	rc = libcfs_nid_parse(text, strlen(text), nid, &words);
	if (rc)
		return obd_refuse(call->why, rc, "%s: NID '%.64s': %s",
				  call_arg(call, 1), text, words);
	return 0;
}

static int do_add_uuid(struct obd_config_call *call)
{
	const char *uuid = call_arg(call, 1);
	struct lnet_nid nid;
	int rc = call_nid(call, &nid);

	if (rc)
		return rc;
	if (!*uuid || strlen(uuid) >= UUID_MAX)
		return obd_refuse(call->why, -EINVAL,
				  "'%.64s' is not a uuid; use 1 to %d bytes",
				  uuid, UUID_MAX - 1);
	if (call->dry_run)
		return 0;
	rc = class_add_uuid(call->instance, uuid, &nid);
	if (rc)
		return obd_refuse(call->why, rc, "%s: %s", uuid,
				  rc == -EOVERFLOW ? "has the maximum number of NIDs" :
						  "cannot add a NID");
	return 0;
}

static int do_del_uuid(struct obd_config_call *call)
{
	const char *uuid = call_arg(call, 1);
	int rc;

	if (call->dry_run)
		return 0;
	rc = class_del_uuid(*uuid ? uuid : NULL);
	if (rc)
		return obd_refuse(call->why, rc, "uuid '%.64s' does not exist",
				  uuid);
	return 0;
}

static int do_mountopt(struct obd_config_call *call)
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
				  "a name is longer than 127 bytes" :
				  "cannot add it");
	return 0;
}

static int do_del_mountopt(struct obd_config_call *call)
{
	const char *name = call_arg(call, 1);
	int rc;

	if (call->dry_run)
		return 0;
	rc = class_del_profile(name, call->instance);
	if (rc)
		return obd_refuse(call->why, rc, "profile '%.128s' does not exist",
				  name);
	return 0;
}

static int set_seconds(struct obd_config_call *call, const char *name)
{
	char value[16];

	scnprintf(value, sizeof(value), "%u", call->cfg->num);
	return obd_global_set(name, value,
			      call->dry_run ? PARAMS_W_DRY_RUN : 0, call->why);
}

static int do_set_timeout(struct obd_config_call *call)
{
	return set_seconds(call, "timeout");
}

static int do_set_ldlm_timeout(struct obd_config_call *call)
{
	return set_seconds(call, "ldlm_timeout");
}

static int do_add_conn(struct obd_config_call *call)
{
	struct obd_uuid uuid;
	int rc = call_uuid(call, &uuid);

	if (rc || call->dry_run)
		return rc;
	return obd_add_conn(call->obd, &uuid, call->cfg->num, call->why);
}

static int do_del_conn(struct obd_config_call *call)
{
	struct obd_uuid uuid;
	int rc = call_uuid(call, &uuid);

	if (rc || call->dry_run)
		return rc;
	return obd_del_conn(call->obd, &uuid, call->why);
}

static int do_param(struct obd_config_call *call)
{
	return obd_config_param(call->obd, call->cfg, call->instance,
				call->dry_run, call->why);
}

static int do_set_param(struct obd_config_call *call)
{
	return obd_config_set_param(call->cfg, call->dry_run, call->why);
}

/* Any other command for a device is up to its type. */
static int do_process(struct obd_config_call *call)
{
	if (call->dry_run)
		return 0;
	return obd_process_config(call->obd, call->cfg, call->why);
}

/* Markers and obsolete commands. */
static int do_nothing(struct obd_config_call *call)
{
	return 0;
}

/* Device of a command. */
enum config_device {
	NO_DEVICE,	/* no device */
	ANY_DEVICE,	/* the named device, if it exists */
	A_DEVICE,	/* an existing device */
};

/**
 * struct obd_config_command - a command and its handler
 * @command: number
 * @device: its device
 * @run: handler
 */
struct obd_config_command {
	u32			command;
	enum config_device	device;
	int			(*run)(struct obd_config_call *call);
};

static const struct obd_config_command config_commands[] = {
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

static const struct obd_config_command *command_find(u32 command)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(config_commands); n++)
		if (config_commands[n].command == command)
			return &config_commands[n];
	return NULL;
}

static int command_unknown(const struct obd_config_call *call)
{
	u32 command = call->cfg->command;

	if (command & LCFG_REQUIRED)
		return obd_refuse(call->why, -EINVAL,
				  "command 0x%x is unknown, and required",
				  command);
	return obd_refuse(call->why, -EOPNOTSUPP,
			  "command 0x%x is unknown, but optional", command);
}

/* Find the device that a command names; its reference passes to the call. */
static int call_find_device(struct obd_config_call *call,
			    const struct obd_config_command *cmd)
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
				  "buffer 0 has no name of a device");
	if (call->dry_run)
		return 0;
	return obd_refuse(call->why, -ENODEV,
			  "device '%.128s' does not exist; attach it first", name);
}

/* Default reason of a refusal. */
static void call_explain(const struct obd_config_call *call, int rc)
{
	const char *command = lcfg_command_name(call->cfg->command);
	const struct obd_device *obd = call->obd;

	if (!rc || !call->why || call->why->text[0])
		return;
	if (!obd)
		obd_refuse(call->why, rc, "%s was refused: errno %d", command,
			   -rc);
	else if (rc == -EOPNOTSUPP)
		obd_refuse(call->why, rc, "%s: type %s does not support %s",
			   obd->obd_name, obd->obd_type_name, command);
	else if (rc == -ENODEV && !obd_is_set_up(obd))
		obd_refuse(call->why, rc, "%s: is not set up, as %s requires",
			   obd->obd_name, command);
	else
		obd_refuse(call->why, rc, "%s: %s was refused: errno %d",
			   obd->obd_name, command, -rc);
}

/* class_process_config(), or with @dry_run only its validation. */
int obd_config_run(const struct lcfg_view *cfg, u64 instance, struct net *net,
		   bool dry_run, struct obd_device **obd, struct obd_why *why)
{
	const struct obd_config_command *cmd = command_find(cfg->command);
	struct obd_config_call call = {
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
 * @instance: instance of its log, or 0; for devices that it attaches
 * @obd: NULL, or in: device of the command, held by the caller
 *  (OBD_REF_LOOKUP), or NULL for the one that buffer 0 names; out: device of
 *  the command, or the attached one, held by the caller; NULL without one. Also
 *  on errors
 * @why: out: reason of a failure; or NULL
 *
 * Context: may sleep, for as long as the command does
 * Return: 0; -EINVAL for an unknown required command, -EOPNOTSUPP for an
 *  optional one; -ENODEV if the device does not exist; the error of the command
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
