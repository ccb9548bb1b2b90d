// SPDX-License-Identifier: GPL-2.0
/* Names of file systems, logs and targets, and the text of a refusal */
#include <linux/ctype.h>

#include "log_internal.h"

#define INDEX_DIGITS	4

/* Set the reason of a refusal. Return: @rc */
int mgs_refuse(struct mgs_words *why, int rc, const char *fmt, ...)
{
	va_list args;

	if (!why)
		return rc;
	va_start(args, fmt);
	vscnprintf(why->text, sizeof(why->text), fmt, args);
	va_end(args);
	return rc;
}

/* @name: out, MGS_DEVICE_LEN bytes, enough for every name that is made here */
void mgs_name(char *name, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vscnprintf(name, MGS_DEVICE_LEN, fmt, args);
	va_end(args);
}

static bool fsname_ok(const char *name, size_t len)
{
	size_t n;

	if (!len || len > LUSTRE_MAXFSNAME || !isalpha(name[0]))
		return false;
	for (n = 0; n < len; n++)
		if (!isalnum(name[n]) && name[n] != '_' && name[n] != '-')
			return false;
	return true;
}

/**
 * mgs_fsname_check() - whether a file system can have a name
 * @fsname: name
 *
 * Context: any
 * Return: 0; -EINVAL unless it has 1 to LUSTRE_MAXFSNAME letters, digits, '_' and '-', a
 * letter first; or for "general", which is the owner of settings for all nodes
 */
int mgs_fsname_check(const char *fsname)
{
	if (!strcmp(fsname, MGS_OWNER_ALL))
		return -EINVAL;
	return fsname_ok(fsname, strlen(fsname)) ? 0 : -EINVAL;
}

static int hex_digit(char c)
{
	if (isdigit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Exactly "OST001f" */
static bool target_part(const char *part, struct mgs_log_name *name)
{
	int digit;
	u32 n;

	if (!strncmp(part, "OST", 3))
		name->kind = MGS_LOG_OST;
	else if (!strncmp(part, "MDT", 3))
		name->kind = MGS_LOG_MDT;
	else
		return false;
	name->index = 0;
	for (n = 0; n < INDEX_DIGITS; n++) {
		digit = hex_digit(part[3 + n]);
		if (digit < 0)
			return false;
		name->index = name->index << 4 | (u32)digit;
	}
	return !part[3 + INDEX_DIGITS] && name->index != LDD_INDEX_NONE;
}

static bool name_part(const char *part, struct mgs_log_name *name)
{
	if (target_part(part, name))
		return true;
	name->kind = MGS_LOG_CLIENT;
	return !strcmp(part, "client");
}

/* Parse the name of a log; an unknown one is MGS_LOG_OTHER, of no file system. */
void mgs_log_name_parse(const char *log, struct mgs_log_name *name)
{
	const char *dash = strrchr(log, '-');

	memset(name, 0, sizeof(*name));
	if (!strcmp(log, MGS_PARAMS_LOG)) {
		name->kind = MGS_LOG_PARAMS;
		return;
	}
	if (dash && fsname_ok(log, dash - log) && name_part(dash + 1, name)) {
		memcpy(name->fsname, log, dash - log);
		return;
	}
	name->kind = MGS_LOG_OTHER;
	name->index = 0;
}

/* Whether it is the name of a target */
bool mgs_target_name_parse(const char *svname, struct mgs_log_name *name)
{
	mgs_log_name_parse(svname, name);
	return name->kind == MGS_LOG_OST || name->kind == MGS_LOG_MDT;
}

void mgs_target_name(char *svname, const char *fsname, enum mgs_log_kind kind,
		     u32 index)
{
	mgs_name(svname, "%s-%s%04x", fsname,
		 kind == MGS_LOG_OST ? "OST" : "MDT", index);
}

/**
 * mgs_log_fsname() - file system of a log
 * @log: name of the log
 * @fsname: out: "lustre" of "lustre-OST0001"; "" of "params"
 * @size: size of @fsname
 *
 * Context: any
 * Return: 0; -EINVAL for a log that nodes do not follow (a backup, an unknown one);
 * @fsname is "" then
 */
int mgs_log_fsname(const char *log, char *fsname, size_t size)
{
	struct mgs_log_name name;

	mgs_log_name_parse(log, &name);
	if (strscpy(fsname, name.fsname, size) < 0)
		return -EINVAL;
	return name.kind == MGS_LOG_OTHER ? -EINVAL : 0;
}
