// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source of a mount: the path of a directory, or
 *
 *	NID[,NID...][:NID[,NID...]...]:/FSNAME[/SUBDIR]
 *
 * NIDs of one node are joined by ',', nodes by ':'. An IPv6 address, which
 * contains colons, ends in "@NETWORK" or is in brackets.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/nid.h>

#include "llite_parse.h"

/**
 * llite_refuse() - set the reason of a refusal
 * @why: buffer of OBD_WHY_MAX bytes
 * @rc: a negative errno
 * @fmt: reason; no newline
 *
 * Context: any
 * Return: @rc
 */
int llite_refuse(char *why, int rc, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vscnprintf(why, OBD_WHY_MAX, fmt, args);
	va_end(args);
	return rc;
}

/* The text up to @end is one NID; an IPv6 address marks its own end. */
static bool nid_is(const char *at, const char *end)
{
	size_t len = end - at;
	struct lnet_nid nid;

	if (*at != '[' && memchr(at, ':', len) && !memchr(at, '@', len))
		return false;
	return len && !libcfs_nid_parse(at, len, &nid, NULL);
}

/* End of the NID at @at, at a ',', a ':' or @stop; NULL if it is malformed. */
static const char *nid_end(const char *at, const char *stop)
{
	const char *end;

	for (end = at; end <= stop; end++)
		if ((end == stop || *end == ',' || *end == ':') &&
		    nid_is(at, end))
			return end;
	return NULL;
}

/**
 * llite_nodes_check() - whether a text names nodes
 * @text: text
 * @len: its bytes
 * @why: out: reason of a refusal
 *
 * Context: any
 * Return: 0 or -EINVAL
 */
int llite_nodes_check(const char *text, size_t len, char *why)
{
	const char *stop = text + len, *at = text, *end;

	for (;;) {
		end = nid_end(at, stop);
		if (!end)
			return llite_refuse(why, -EINVAL,
					    "'%.*s' does not start with a NID such as 10.0.0.1@tcp; NIDs of a node are joined by ',', nodes by ':'",
					    (int)min_t(size_t, stop - at, 64),
					    at);
		if (end == stop)
			return 0;
		at = end + 1;
	}
}

/**
 * llite_fsname_ok() - whether the name of a file system is valid
 * @name: name
 *
 * Context: any
 * Return: true for 1 to 8 letters, digits, '_' and '-', a letter first
 */
bool llite_fsname_ok(const char *name)
{
	size_t len = strnlen(name, LUSTRE_MAXFSNAME + 1), n;

	if (!len || len > LUSTRE_MAXFSNAME || !isalpha(name[0]))
		return false;
	for (n = 1; n < len; n++)
		if (!isalnum(name[n]) && name[n] != '_' && name[n] != '-')
			return false;
	return true;
}

/* @at: what follows the name in @text: a path that leads down, if any */
static int source_subdir(const char *text, const char *at, struct llite_source *src, char *why)
{
	const char *path = at + strspn(at, "/");
	size_t len;

	src->src_subdir = path - text;
	for (at = path; *at; at += len + strspn(at + len, "/")) {
		len = strcspn(at, "/");
		if (at[0] == '.' && (len == 1 || (len == 2 && at[1] == '.')))
			return llite_refuse(why, -EINVAL,
					    "subdirectory '%.100s' must not contain '%.*s'",
					    path, (int)len, at);
	}
	return 0;
}

static int source_fsname(const char *text, struct llite_source *src, char *why)
{
	size_t len = strcspn(text, "/");

	if (len <= LUSTRE_MAXFSNAME)
		memcpy(src->src_fsname, text, len);
	if (len > LUSTRE_MAXFSNAME || !llite_fsname_ok(src->src_fsname))
		return llite_refuse(why, -EINVAL,
				    "'%.*s' is not the name of a file system; use 1 to %d letters, digits, '_' and '-', a letter first",
				    (int)min_t(size_t, len, 64), text,
				    LUSTRE_MAXFSNAME);
	return 0;
}

static int source_client(const char *text, struct llite_source *src, char *why)
{
	const char *slash = strchr(text, '/');
	size_t len;
	int rc;

	if (!slash || slash == text || slash[-1] != ':')
		return llite_refuse(why, -EINVAL,
				    "'%.64s' is neither NID[,NID][:NID]:/FSNAME nor an absolute path of a directory",
				    text);
	len = slash - 1 - text;
	if (len >= sizeof(src->src_nodes))
		return llite_refuse(why, -E2BIG,
				    "the NIDs have %zu bytes; at most %zu",
				    len, sizeof(src->src_nodes) - 1);
	rc = llite_nodes_check(text, len, why);
	if (rc)
		return rc;
	memcpy(src->src_nodes, text, len);
	return source_fsname(slash + 1, src, why) ?:
	       source_subdir(text, slash + 1 + strlen(src->src_fsname), src, why);
}

/**
 * llite_source_parse() - parse the source of a mount
 * @text: text
 * @src: out
 * @why: out: reason of a refusal
 *
 * Context: any
 * Return: 0; -EINVAL, -E2BIG
 */
int llite_source_parse(const char *text, struct llite_source *src, char *why)
{
	memset(src, 0, sizeof(*src));
	src->src_client = text[0] != '/';
	src->src_subdir = strlen(text);
	return src->src_client ? source_client(text, src, why) : 0;
}
