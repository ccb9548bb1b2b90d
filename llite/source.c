// SPDX-License-Identifier: GPL-2.0
/*
 * What a person mounts: the path of a directory, or
 *
 *	NID[,NID...][:NID[,NID...]...]:/FSNAME[/SUBDIR]
 *
 * NIDs of one node are joined by ',', nodes by ':'. An IPv6 address has colons of
 * its own: it ends in "@NETWORK" or stands in brackets.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/nid.h>

#include "llite_parse.h"

/**
 * llite_refuse() - say why not
 * @why: room for OBD_WHY_MAX bytes
 * @rc: a negative errno
 * @fmt: the words; no newline
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

/* The text up to @end is one NID; one with colons says where it ends. */
static bool nid_is(const char *at, const char *end)
{
	size_t len = end - at;
	struct lnet_nid nid;

	if (*at != '[' && memchr(at, ':', len) && !memchr(at, '@', len))
		return false;
	return len && !libcfs_nid_parse(at, len, &nid, NULL);
}

/* Behind the NID at @at, which ends at a ',', a ':' or @stop; NULL: it is none. */
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
 * @why: out, why not
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
					    "'%.*s' does not begin with a NID such as 10.0.0.1@tcp; NIDs of a node are joined by ',', nodes by ':'",
					    (int)min_t(size_t, stop - at, 64),
					    at);
		if (end == stop)
			return 0;
		at = end + 1;
	}
}

/**
 * llite_fsname_ok() - whether a file system can have a name
 * @name: name
 *
 * Context: any
 * Return: whether it can: 1 to 8 letters, digits, '_' and '-', a letter first
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

static int source_fsname(const char *text, struct llite_source *src, char *why)
{
	size_t len = strcspn(text, "/");

	if (len <= LUSTRE_MAXFSNAME)
		memcpy(src->src_fsname, text, len);
	if (len > LUSTRE_MAXFSNAME || !llite_fsname_ok(src->src_fsname))
		return llite_refuse(why, -EINVAL,
				    "'%.*s' is no name of a file system; 1 to %d letters, digits, '_' and '-', a letter first",
				    (int)min_t(size_t, len, 64), text,
				    LUSTRE_MAXFSNAME);
	text += len;
	if (text[strspn(text, "/")])
		return llite_refuse(why, -EOPNOTSUPP,
				    "%s: a directory of it ('%.64s') cannot be mounted before there are files; mount /%s",
				    src->src_fsname, text, src->src_fsname);
	return 0;
}

static int source_client(const char *text, struct llite_source *src, char *why)
{
	const char *slash = strchr(text, '/');
	size_t len;
	int rc;

	if (!slash || slash == text || slash[-1] != ':')
		return llite_refuse(why, -EINVAL,
				    "'%.64s' is neither NID[,NID][:NID]:/FSNAME nor the path of a directory, which begins with '/'",
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
	return source_fsname(slash + 1, src, why);
}

/**
 * llite_source_parse() - read what is to be mounted
 * @text: text
 * @src: out
 * @why: out, why not
 *
 * Context: any
 * Return: 0; -EINVAL, -E2BIG; -EOPNOTSUPP for a directory of a file system
 */
int llite_source_parse(const char *text, struct llite_source *src, char *why)
{
	memset(src, 0, sizeof(*src));
	src->src_client = text[0] != '/';
	return src->src_client ? source_client(text, src, why) : 0;
}
