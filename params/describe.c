// SPDX-License-Identifier: GPL-2.0-only
/* The declaration of an entry, as named records. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "params_internal.h"
#include "params_text.h"

static const char *const params_type_names[PARAMS_T_MAX] = {
	[PARAMS_T_DIR]		= "directory",
	[PARAMS_T_LINK]		= "link",
	[PARAMS_T_U32]		= "u32",
	[PARAMS_T_U64]		= "u64",
	[PARAMS_T_S32]		= "s32",
	[PARAMS_T_S64]		= "s64",
	[PARAMS_T_BOOL]		= "bool",
	[PARAMS_T_STRING]	= "string",
	[PARAMS_T_ENUM]		= "enum",
	[PARAMS_T_BYTES]	= "bytes",
	[PARAMS_T_TIME]		= "time",
	[PARAMS_T_STATS]	= "stats",
	[PARAMS_T_RECORDS]	= "records",
	[PARAMS_T_MASK]		= "mask",
	[PARAMS_T_TRIGGER]	= "trigger",
};

/* Limits and defaults print like the value itself. */
static void params_describe_number(const struct lustre_params_attr *attr,
				   struct params_sink *sink, const char *name,
				   u64 val)
{
	switch (attr->type) {
	case PARAMS_T_BYTES:
		params_put_in_unit(sink, name, val, attr->unit);
		break;
	case PARAMS_T_TIME:
		params_put_time(sink, name, val, attr->unit, PARAMS_TIME_SPAN);
		break;
	case PARAMS_T_BOOL:
		params_put_bool(sink, name, val);
		break;
	case PARAMS_T_S32:
	case PARAMS_T_S64:
		params_put_s64(sink, name, val);
		break;
	case PARAMS_T_MASK:
		params_put_hex(sink, name, val);
		break;
	default:
		if (attr->hex)
			params_put_hex(sink, name, val);
		else
			params_put_u64(sink, name, val);
	}
}

static void params_describe_range(const struct lustre_params_attr *attr,
				  struct params_sink *sink)
{
	if (!attr->min && !attr->max)
		return;
	params_describe_number(attr, sink, "min", attr->min);
	params_describe_number(attr, sink, "max", attr->max);
}

static void params_describe_default(const struct lustre_params_attr *attr,
				    struct params_sink *sink)
{
	u64 n;

	if (!attr->has_def)
		return;
	if (attr->type != PARAMS_T_ENUM)
		return params_describe_number(attr, sink, "default", attr->def);
	for (n = 0; attr->names[n]; n++)
		if (n == attr->def)
			params_put_str(sink, "default", attr->names[n]);
}

static void params_describe_names(const struct lustre_params_attr *attr,
				  struct params_sink *sink)
{
	const char *const *name;

	params_list_begin(sink, "values", PARAMS_LIST_FLOW_SEQ);
	for (name = attr->names; *name; name++)
		if (**name)
			params_put_str(sink, NULL, *name);
	params_list_end(sink);
}

static void params_describe_flags(const struct lustre_params_entry *lpe,
				  struct params_sink *sink)
{
	u32 flags = params_entry_flags(lpe);

	params_list_begin(sink, "flags", PARAMS_LIST_FLOW_SEQ);
	if (flags & PARAMS_EF_VOLATILE)
		params_put_str(sink, NULL, "volatile");
	if (flags & PARAMS_EF_TUNABLE)
		params_put_str(sink, NULL, "tunable");
	params_list_end(sink);
}

static const char *const params_source_names[] = {
	[PARAMS_SOURCE_DEFAULT]		= "default",
	[PARAMS_SOURCE_LOCAL]		= "local",
	[PARAMS_SOURCE_PERMANENT]	= "permanent",
};

/* Settings only: a statistic has no source. */
static void params_describe_source(const struct lustre_params_entry *lpe,
				   struct params_sink *sink)
{
	enum params_source source = params_state_source(params_state(lpe));

	if (lpe->lpe_traits & PARAMS_EF_TUNABLE)
		params_put_str(sink, "source", params_source_names[source]);
}

static void params_describe_attr(const struct lustre_params_attr *attr,
				 struct params_sink *sink)
{
	if (attr->unit != PARAMS_UNIT_NONE)
		params_put_str(sink, "unit", params_unit_name(attr->unit));
	params_describe_range(attr, sink);
	params_describe_default(attr, sink);
	if (attr->names)
		params_describe_names(attr, sink);
	if (attr->doc)
		params_put_str(sink, "doc", attr->doc);
}

static void params_describe_target(struct lustre_params_entry *target,
				   struct params_sink *sink)
{
	char *path = kmalloc(PARAMS_PATH_MAX + 1, GFP_KERNEL);
	int len;

	if (!path) {
		sink->snk_error = -ENOMEM;
		return;
	}
	len = params_entry_path(target, path, PARAMS_PATH_MAX + 1);
	if (len >= 0)
		params_put_strn(sink, "target", path, len);
	kfree(path);
}

/**
 * params_describe() - pack the declaration of an entry
 * @lpe: entry, directory or link; of a link the declaration of its target
 * @sink: destination; see struct params_ioc_describe
 *
 * Runs no callback.
 *
 * Context: may sleep
 * Return: 0 or the error of the sink
 */
int params_describe(struct lustre_params_entry *lpe, struct params_sink *sink)
{
	struct lustre_params_entry *target = params_resolve(lpe);

	params_put_str(sink, "type", params_type_names[params_entry_type(lpe)]);
	params_put_u64(sink, "mode", params_entry_mode(lpe) & 0777);
	params_describe_flags(lpe, sink);
	params_describe_source(target, sink);
	/* The attribute belongs to the owner and goes with it. */
	if (target->lpe_attr && !params_entry_activate(target)) {
		params_describe_attr(target->lpe_attr, sink);
		params_entry_deactivate(target);
	}
	if (params_is_link(lpe))
		params_describe_target(target, sink);
	return params_sink_finish(sink);
}
