// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options of a mount. Unknown options are refused by name, those of real Lustre
 * with an explanation.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "llite_parse.h"

/* Mounts that accept an option. */
#define OF_CLIENT	0x1
#define OF_TARGET	0x2
/* An action at the start, not a state: not in /proc/mounts. */
#define OF_ONCE		0x4
/* Changeable by a remount. */
#define OF_CHANGES	0x8

/**
 * struct llite_option - an option
 * @name: name
 * @bit: LLITE_OPT_*
 * @flags: OF_*
 * @undoes: LLITE_OPT_* that this one cancels
 * @offset: of its text in struct llite_options
 * @size: size of its text; 0: it has no value
 * @check: validates the text; or NULL
 */
struct llite_option {
	const char	*name;
	u32		bit;
	u32		flags;
	u32		undoes;
	size_t		offset;
	size_t		size;
	int		(*check)(const char *text, char *why);
};

static int exclude_check(const char *text, char *why)
{
	size_t part;

	for (;; text += part + 1) {
		part = strcspn(text, ":");
		if (!part || part >= LDD_SVNAME_LEN)
			return llite_refuse(why, -EINVAL,
					    "exclude=: '%.*s' is not the name of a target; use FSNAME-OST0001[:FSNAME-OST0002]",
					    (int)min_t(size_t, part, 64), text);
		if (!text[part])
			return 0;
	}
}

static int cache_check(const char *text, char *why)
{
	if (text[0] == '/')
		return 0;
	return llite_refuse(why, -EINVAL,
			    "cache=: '%.64s' is not an absolute path",
			    text);
}

static int mgsnode_check(const char *text, char *why)
{
	return llite_nodes_check(text, strlen(text), why);
}

#define OPT_FLAG(n, b, f, ...)						\
	{ .name = (n), .bit = LLITE_OPT_##b, .flags = (f), ##__VA_ARGS__ }
#define OPT_TEXT(n, b, f, field, fn)					\
	{ .name = (n), .bit = LLITE_OPT_##b, .flags = (f),		\
	  .offset = offsetof(struct llite_options, field),		\
	  .size = sizeof_field(struct llite_options, field), .check = (fn) }

static const struct llite_option options[] = {
	OPT_TEXT("svname", SVNAME, OF_TARGET, op_svname, NULL),
	OPT_TEXT("mgsnode", MGSNODE, OF_TARGET, op_mgsnode, mgsnode_check),
	OPT_TEXT("exclude", EXCLUDE, OF_CLIENT | OF_TARGET, op_exclude,
		 exclude_check),
	OPT_TEXT("cache", CACHE, OF_CLIENT, op_cache, cache_check),
	OPT_FLAG("noir", NOIR, OF_CLIENT | OF_TARGET),
	OPT_FLAG("lazystatfs", LAZYSTATFS, OF_CLIENT | OF_CHANGES,
		 .undoes = LLITE_OPT_NOLAZYSTATFS),
	OPT_FLAG("nolazystatfs", NOLAZYSTATFS, OF_CLIENT | OF_CHANGES,
		 .undoes = LLITE_OPT_LAZYSTATFS),
	OPT_FLAG("acl", ACL, OF_CLIENT, .undoes = LLITE_OPT_NOACL),
	OPT_FLAG("noacl", NOACL, OF_CLIENT, .undoes = LLITE_OPT_ACL),
	OPT_FLAG("user_xattr", USER_XATTR, OF_CLIENT | OF_CHANGES,
		 .undoes = LLITE_OPT_NOUSER_XATTR),
	OPT_FLAG("nouser_xattr", NOUSER_XATTR, OF_CLIENT | OF_CHANGES,
		 .undoes = LLITE_OPT_USER_XATTR),
	OPT_FLAG("flock", FLOCK, OF_CLIENT,
		 .undoes = LLITE_OPT_LOCALFLOCK | LLITE_OPT_NOFLOCK),
	OPT_FLAG("localflock", LOCALFLOCK, OF_CLIENT,
		 .undoes = LLITE_OPT_FLOCK | LLITE_OPT_NOFLOCK),
	OPT_FLAG("noflock", NOFLOCK, OF_CLIENT,
		 .undoes = LLITE_OPT_FLOCK | LLITE_OPT_LOCALFLOCK),
	OPT_FLAG("user_fid2path", USER_FID2PATH, OF_CLIENT | OF_CHANGES,
		 .undoes = LLITE_OPT_NOUSER_FID2PATH),
	OPT_FLAG("nouser_fid2path", NOUSER_FID2PATH, OF_CLIENT | OF_CHANGES,
		 .undoes = LLITE_OPT_USER_FID2PATH),
	OPT_FLAG("nosvc", NOSVC, OF_TARGET),
	OPT_FLAG("nomgs", NOMGS, OF_TARGET),
	OPT_FLAG("nolocallogs", NOLOCALLOGS, OF_TARGET),
	OPT_FLAG("writeconf", WRITECONF, OF_TARGET | OF_ONCE),
};

/* Options of real Lustre that are not built. */
static const char * const not_built[] = {
	"32bitapi", "checksum", "nochecksum", "encrypt", "noencrypt",
	"foreign_symlink", "lruresize", "nolruresize",
	"nolock", "statfs_project", "nostatfs_project", "sync_on_close",
	"nosync_on_close", "test_dummy_encryption", "user_principal", "skpath", "no_create",
	"no_precreate",
};

#define ABORT_RECOVERY							\
	"lctl set_param TYPE.NAME.abort_recovery=1 does that to a target that waits"
#define RECOVERY_TIME(kind)						\
	"lctl set_param TYPE.NAME.recovery_time_" kind "=SECONDS does that"

/* Options of real Lustre that have a replacement here. */
static const struct {
	const char	*name;
	const char	*instead;
} elsewhere[] = {
	{ "retry", "it is that of mount.lustre-lite; the kernel does not know it" },
	{ "always_ping", "servers are always pinged; leave it out" },
	{ "abort_recov", ABORT_RECOVERY },
	{ "abort_recovery", ABORT_RECOVERY },
	{ "recovery_time_soft", RECOVERY_TIME("soft") },
	{ "recovery_time_hard", RECOVERY_TIME("hard") },
	{ "localrecov", "clients of this node recover as all others do; leave it out" },
};

static const struct llite_option *option_find(const char *name)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(options); n++)
		if (!strcmp(options[n].name, name))
			return &options[n];
	return NULL;
}

/*
 * mount.lustre-lite -s skips -EOPNOTSUPP, and -EINVAL with the words "unknown option": values
 * that are refused are -EINVAL, too.
 */
static int option_unknown(const char *name, char *why)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(not_built); n++)
		if (!strcmp(not_built[n], name))
			return llite_refuse(why, -EOPNOTSUPP,
					    "option '%s' is not supported yet; omit it",
					    name);
	for (n = 0; n < ARRAY_SIZE(elsewhere); n++)
		if (!strcmp(elsewhere[n].name, name))
			return llite_refuse(why, -EOPNOTSUPP, "option '%s': %s",
					    name, elsewhere[n].instead);
	return llite_refuse(why, -EINVAL,
			    "unknown option '%.64s'; see mount.lustre-lite(8)",
			    name);
}

/* mount(2) splits options at each ',', including those between NIDs. */
static int option_goes_on(struct llite_options *op, const char *name, char *why)
{
	size_t used = strlen(op->op_mgsnode), len = strlen(name);

	if (op->op_last != LLITE_OPT_MGSNODE ||
	    llite_nodes_check(name, len, why))
		return option_unknown(name, why);
	if (used + 1 + len >= sizeof(op->op_mgsnode))
		return llite_refuse(why, -E2BIG,
				    "option 'mgsnode' has too many NIDs");
	op->op_mgsnode[used] = ',';
	memcpy(op->op_mgsnode + used + 1, name, len + 1);
	return 0;
}

static char *option_text(const struct llite_options *op,
			 const struct llite_option *opt)
{
	return (char *)op + opt->offset;
}

static int option_value(struct llite_options *op, const struct llite_option *opt,
			const char *value, char *why)
{
	int rc;

	if (!value || !value[0])
		return llite_refuse(why, -EINVAL,
				    "option '%s' needs a value: %s=...",
				    opt->name, opt->name);
	rc = opt->check ? opt->check(value, why) : 0;
	if (rc)
		return rc;
	if (strscpy(option_text(op, opt), value, opt->size) < 0)
		return llite_refuse(why, -E2BIG,
				    "the value of option '%s' is longer than %zu bytes",
				    opt->name, opt->size - 1);
	return 0;
}

/**
 * llite_option_set() - set an option
 * @op: options
 * @name: name
 * @value: text after the '=', or NULL
 * @why: out: reason of a refusal
 *
 * Context: any
 * Return: 0; -EINVAL, -E2BIG; -EOPNOTSUPP for an option of real Lustre that is not here
 */
int llite_option_set(struct llite_options *op, const char *name,
		     const char *value, char *why)
{
	const struct llite_option *opt = option_find(name);
	int rc = 0;

	if (!opt)
		return value ? option_unknown(name, why) :
			       option_goes_on(op, name, why);
	if (opt->size)
		rc = option_value(op, opt, value, why);
	else if (value)
		rc = llite_refuse(why, -EINVAL,
				  "option '%s' takes no value", name);
	if (rc)
		return rc;
	op->op_given |= opt->bit;
	op->op_given &= ~opt->undoes;
	op->op_last = opt->bit;
	return 0;
}

/**
 * llite_options_missing() - an option of the directory that the mount lacks
 * @op: options of the mount
 * @text: ldd_mount_opts of the directory; a ',' between '"' is part of a value
 * @len: out, bytes of its name
 *
 * Only options of target mounts of this file system count, not "ro" and similar ones. Directories
 * of real Lustre may have those of its backend, such as "acl".
 *
 * Context: any
 * Return: its position in @text; NULL if none is missing
 */
const char *llite_options_missing(const struct llite_options *op,
				  const char *text, size_t *len)
{
	const struct llite_option *opt;
	char name[16];
	bool quoted;

	while (*text) {
		*len = strcspn(text, "=,");
		if (*len < sizeof(name)) {
			memcpy(name, text, *len);
			name[*len] = '\0';
			opt = option_find(name);
			if (opt && opt->flags & OF_TARGET &&
			    !(op->op_given & (opt->bit | opt->undoes)))
				return text;
		}
		for (quoted = false; *text && (quoted || *text != ','); text++)
			quoted ^= *text == '"';
		text += *text == ',';
	}
	return NULL;
}

/* Excluded targets must belong to this file system: a typo would go unnoticed. */
static int exclude_of(const struct llite_options *op, const char *fsname,
		      char *why)
{
	size_t len = strlen(fsname);
	const char *at = op->op_exclude;

	for (; *at; at += strcspn(at, ":"), at += *at == ':')
		if (strncmp(at, fsname, len) || at[len] != '-')
			return llite_refuse(why, -EINVAL,
					    "exclude=: '%.*s' is not a target of %s",
					    (int)strcspn(at, ":"), at, fsname);
	return 0;
}

/* Refuse options of the other kind of mount. */
static int options_for(const struct llite_options *op, bool client, char *why)
{
	u32 who = client ? OF_CLIENT : OF_TARGET;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(options); n++)
		if ((op->op_given & options[n].bit) &&
		    !(options[n].flags & who))
			return llite_refuse(why, -EINVAL,
					    "option '%s' is for %s",
					    options[n].name, client ?
					    "targets, and this is a client" :
					    "clients, and this is a target");
	return 0;
}

/**
 * llite_options_check() - whether options are valid for a source
 * @op: options
 * @src: source
 * @why: out: reason of a refusal
 *
 * Context: any
 * Return: 0 or -EINVAL
 */
int llite_options_check(const struct llite_options *op,
			const struct llite_source *src, char *why)
{
	int rc = options_for(op, src->src_client, why);

	if (rc)
		return rc;
	if ((op->op_given & LLITE_OPT_NOSVC) && (op->op_given & LLITE_OPT_NOMGS))
		return llite_refuse(why, -EINVAL,
				    "options 'nosvc' and 'nomgs' together leave nothing to start");
	if (src->src_client && (op->op_given & LLITE_OPT_EXCLUDE))
		return exclude_of(op, src->src_fsname, why);
	return 0;
}

static bool option_same(const struct llite_options *a,
			const struct llite_options *b,
			const struct llite_option *opt)
{
	if (!(a->op_given & opt->bit))
		return false;
	return !opt->size || !strcmp(option_text(a, opt), option_text(b, opt));
}

/**
 * llite_options_change() - remount
 * @op: options of the mount; changed on success
 * @to: options of the remount; others stay
 * @why: out: reason of a refusal
 *
 * Context: any
 * Return: 0, or -EINVAL for an option that only a new mount can set
 */
int llite_options_change(struct llite_options *op,
			 const struct llite_options *to, char *why)
{
	const struct llite_option *opt;
	u32 undone = 0;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(options); n++) {
		opt = &options[n];
		if (!(to->op_given & opt->bit) || option_same(op, to, opt))
			continue;
		if (!(opt->flags & OF_CHANGES))
			return llite_refuse(why, -EINVAL,
					    "option '%s' cannot be changed by a remount; umount first",
					    opt->name);
		undone |= opt->undoes;
	}
	for (n = 0; n < ARRAY_SIZE(options); n++)
		if (options[n].flags & OF_CHANGES)
			op->op_given |= to->op_given & options[n].bit;
	op->op_given &= ~undone;
	return 0;
}

/**
 * llite_options_show() - options for /proc/mounts
 * @op: options
 * @put: called for each option needed to repeat the mount; value may be NULL
 * @arg: its argument
 *
 * Context: as @put
 */
void llite_options_show(const struct llite_options *op,
			void (*put)(void *arg, const char *name,
				    const char *value),
			void *arg)
{
	const struct llite_option *opt;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(options); n++) {
		opt = &options[n];
		if ((op->op_given & opt->bit) && !(opt->flags & OF_ONCE))
			put(arg, opt->name,
			    opt->size ? option_text(op, opt) : NULL);
	}
}
