// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules of a config log, described in config_rules.h. Compiles unchanged in
 * user space.
 */
#include <lustre_lite/config_rules.h>

/* Length of the suffix of an instance: a '-' and 16 digits. */
#define INSTANCE_LEN	17

/* Commands whose buffer 0 is the name of a device; 0 ends them. */
static const u32 device_commands[] = {
	LCFG_ATTACH, LCFG_DETACH, LCFG_SETUP, LCFG_CLEANUP, LCFG_PRE_CLEANUP,
	LCFG_ADD_CONN, LCFG_DEL_CONN, LCFG_PARAM,
	LCFG_LOV_ADD_OBD, LCFG_LOV_ADD_INA, LCFG_LOV_DEL_OBD,
	LCFG_ADD_MDC, LCFG_DEL_MDC,
	LCFG_POOL_NEW, LCFG_POOL_ADD, LCFG_POOL_REM, LCFG_POOL_DEL,
	0
};

#define IN_LOG(log)	(1U << (log))
#define IN_BOTH		(IN_LOG(CONFIG_LOG_CLIENT) | IN_LOG(CONFIG_LOG_TARGET))

/*
 * Commands by kind of log. No log has DEL_UUID, which reaches nodes that other
 * logs named, PRE_CLEANUP, which is half a cleanup, and LOG_START and LOG_END,
 * which do nothing.
 */
static const struct {
	u32 command;
	u32 logs;
} log_commands[] = {
	{ LCFG_ATTACH, IN_BOTH },
	{ LCFG_DETACH, IN_BOTH },
	{ LCFG_SETUP, IN_BOTH },
	{ LCFG_CLEANUP, IN_BOTH },
	{ LCFG_PRE_CLEANUP, 0 },
	{ LCFG_ADD_UUID, IN_BOTH },
	{ LCFG_DEL_UUID, 0 },
	{ LCFG_MOUNTOPT, IN_BOTH },
	{ LCFG_DEL_MOUNTOPT, IN_BOTH },
	{ LCFG_SET_TIMEOUT, IN_BOTH },
	{ LCFG_SET_LDLM_TIMEOUT, IN_BOTH },
	{ LCFG_SET_UPCALL, IN_BOTH },
	{ LCFG_ADD_CONN, IN_BOTH },
	{ LCFG_DEL_CONN, IN_BOTH },
	{ LCFG_PARAM, IN_BOTH },
	{ LCFG_SET_PARAM, IN_LOG(CONFIG_LOG_PARAMS) },
	{ LCFG_SPTLRPC_CONF, IN_BOTH },
	{ LCFG_LOG_START, 0 },
	{ LCFG_LOG_END, 0 },
	{ LCFG_LOV_ADD_OBD, IN_BOTH },
	{ LCFG_LOV_ADD_INA, IN_BOTH },
	{ LCFG_LOV_DEL_OBD, IN_BOTH },
	{ LCFG_ADD_MDC, IN_BOTH },
	{ LCFG_DEL_MDC, IN_BOTH },
	{ LCFG_POOL_NEW, IN_BOTH },
	{ LCFG_POOL_ADD, IN_BOTH },
	{ LCFG_POOL_REM, IN_BOTH },
	{ LCFG_POOL_DEL, IN_BOTH },
};

/* Types that serve the node: attached by an administrator or a mount only. */
static const char *const node_types[] = {
	"mgc", "mgs", "obdecho", "echo_client",
};

/* Types that are a target. */
static const char *const target_types[] = { "mdt", "obdfilter" };

/* Whether buffer 0 of a command is the name of a device. */
bool config_for_device(u32 command)
{
	const u32 *one;

	for (one = device_commands; *one; one++)
		if (*one == command)
			return true;
	return false;
}

static enum config_verdict rule_bad(const char **why, const char *words)
{
	*why = words;
	return CONFIG_BAD;
}

static bool rule_excludes(const struct config_rules *rules, const char *target)
{
	const char *at = rules->cr_exclude ? rules->cr_exclude : "";
	size_t len = strlen(target), part;

	for (; *at; at += part + (at[part] == ':')) {
		part = strcspn(at, ":");
		if (part == len && part && !memcmp(at, target, len))
			return true;
	}
	return false;
}

static u32 section_state(const struct config_rules *rules,
			 const struct lcfg_marker *marker)
{
	if (marker->flags & CM_SKIP)
		return CFG_F_START | CFG_F_SKIP;
	if ((marker->flags & CM_EXCLUDE) ||
	    rule_excludes(rules, marker->tgtname))
		return CFG_F_START | CFG_F_EXCLUDE;
	return CFG_F_START;
}

static enum config_verdict rule_marker(struct config_rules *rules,
				       const struct lcfg_view *in,
				       const char **why)
{
	struct lcfg_marker marker;

	if (lcfg_marker_decode(in, &marker))
		return rule_bad(why, "buffer 1 is not a marker");
	switch (marker.flags & (CM_START | CM_END)) {
	case CM_START:
		rules->cr_state = section_state(rules, &marker);
		return CONFIG_MARKER;
	case CM_END:
		rules->cr_state = 0;
		return CONFIG_MARKER;
	default:
		return rule_bad(why, "a marker must be either START or END");
	}
}

/* "NAME-0123456789abcdef"; false if it does not fit. */
static bool instance_name(char *to, const char *name, u64 instance)
{
	static const char digits[] = "0123456789abcdef";
	size_t len = strlen(name);
	int shift;

	if (len + INSTANCE_LEN >= MAX_OBD_NAME)
		return false;
	memcpy(to, name, len);
	to[len++] = '-';
	for (shift = 60; shift >= 0; shift -= 4)
		to[len++] = digits[instance >> shift & 0xf];
	to[len] = '\0';
	return true;
}

static void set_text(struct lcfg_buf *buf, const char *text)
{
	buf->data = text;
	buf->len = (u32)strlen(text) + 1;
}

/*
 * Append the instance to the name in a buffer; an empty or missing one is
 * unchanged.
 */
static const char *rename_buf(const struct config_rules *rules,
			      struct lcfg_view *out, u32 n, char *to)
{
	const char *name;

	if (n >= out->bufcount || !out->buf[n].len)
		return NULL;
	name = lcfg_string(out, n);
	if (!name)
		return "the name of a device is not a text";
	if (!*name)
		return NULL;
	if (!instance_name(to, name, rules->cr_instance))
		return "the name of a device, with its instance, is longer than 127 bytes";
	set_text(&out->buf[n], to);
	return NULL;
}

static bool is_wildcard(const struct lcfg_view *view)
{
	const char *name;

	if (view->command != LCFG_PARAM || !view->buf[0].len)
		return false;
	name = lcfg_string(view, 0);
	return name && !strcmp(name, CONFIG_WILDCARD);
}

static const char *rename_devices(const struct config_rules *rules,
				  struct lcfg_view *out,
				  struct config_names *names)
{
	const char *why;

	if (!rules->cr_instance || rules->cr_plain)
		return NULL;
	if (out->command == LCFG_MOUNTOPT) {
		why = rename_buf(rules, out, 2, names->device);
		return why ? why : rename_buf(rules, out, 3, names->other);
	}
	if (!config_for_device(out->command) || is_wildcard(out))
		return NULL;
	return rename_buf(rules, out, 0, names->device);
}

/* Unknown commands pass: the consumer ignores the optional ones. */
static bool log_has(enum config_log log, u32 command)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(log_commands); n++)
		if (log_commands[n].command == command)
			return log_commands[n].logs & IN_LOG(log);
	return true;
}

static const char *text_of(const struct lcfg_view *view, u32 n)
{
	const char *text = NULL;

	if (n < view->bufcount && view->buf[n].len)
		text = lcfg_string(view, n);
	return text ? text : "";
}

static bool is_among(const char *const *list, size_t count, const char *name)
{
	size_t n;

	for (n = 0; n < count; n++)
		if (!strcmp(list[n], name))
			return true;
	return false;
}

static bool is_own_target(const struct config_rules *rules,
			  const struct lcfg_view *view)
{
	return rules->cr_log == CONFIG_LOG_TARGET && rules->cr_target &&
	       !strcmp(text_of(view, 0), rules->cr_target);
}

static const char *attach_refusal(const struct config_rules *rules,
				  const struct lcfg_view *view)
{
	const char *type = text_of(view, 1);

	if (is_among(node_types, ARRAY_SIZE(node_types), type))
		return "a log must not attach devices of this type";
	if (is_among(target_types, ARRAY_SIZE(target_types), type) &&
	    !is_own_target(rules, view))
		return "attaches a target of another log";
	return NULL;
}

static const char *setup_refusal(const struct config_rules *rules,
				 const struct lcfg_view *view)
{
	u32 n;

	if (!is_own_target(rules, view))
		return NULL;
	for (n = 1; n < view->bufcount; n++)
		if (text_of(view, n)[0] == '/')
			return "names a directory for the target, which the mount sets";
	return NULL;
}

/*
 * Reason to refuse a command in a log of a service, or NULL. Names are as in
 * @view.
 */
static const char *log_refusal(const struct config_rules *rules,
			       const struct lcfg_view *view)
{
	if (rules->cr_log == CONFIG_LOG_LOCAL)
		return NULL;
	if (!log_has(rules->cr_log, view->command))
		return "is not a command of such a log";
	if (view->command == LCFG_ATTACH)
		return attach_refusal(rules, view);
	if (view->command == LCFG_SETUP)
		return setup_refusal(rules, view);
	return NULL;
}

static enum config_verdict rule_apply(const struct config_rules *rules,
				      struct lcfg_view *out,
				      struct config_names *names,
				      const char **why)
{
	const char *words = rename_devices(rules, out, names);

	if (!words)
		words = log_refusal(rules, out);
	if (words)
		return rule_bad(why, words);
	if (out->command == LCFG_ATTACH && rules->cr_uuid[0] &&
	    out->bufcount > 2)
		set_text(&out->buf[2], rules->cr_uuid);
	if (out->command == LCFG_LOV_ADD_OBD &&
	    (rules->cr_state & CFG_F_EXCLUDE))
		out->command = LCFG_LOV_ADD_INA;
	if (lustre_cfg_size(out) > LUSTRE_CFG_SIZE_MAX)
		return rule_bad(why, "the command is longer than 8192 bytes with rewritten names");
	return CONFIG_APPLY;
}

/**
 * config_rule() - decide about a record
 * @rules: reader; its position is in cr_state
 * @in: record, from lustre_cfg_decode()
 * @out: the command to apply; points into @in's bytes, into @names and into
 *  @rules
 * @names: buffers for rewritten names
 * @why: out, of CONFIG_SKIP and CONFIG_BAD: reason, a static text; else NULL
 *
 * Context: any
 * Return: what to do with it
 */
enum config_verdict config_rule(struct config_rules *rules,
				const struct lcfg_view *in,
				struct lcfg_view *out,
				struct config_names *names, const char **why)
{
	*why = NULL;
	*out = *in;
	if (in->command == LCFG_MARKER)
		return rule_marker(rules, in, why);
	if (!(rules->cr_state & CFG_F_START)) {
		*why = "outside of any section";
		return CONFIG_SKIP;
	}
	if (rules->cr_state & CFG_F_SKIP) {
		*why = "its section was cancelled";
		return CONFIG_SKIP;
	}
	return rule_apply(rules, out, names, why);
}
