// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters of the node at the top of the tree, and the list of devices. A
 * config log sets those that it knows as sys.NAME.
 */
#define DEBUG_SUBSYSTEM S_CLASS

#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/utsname.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>
#include <lustre_lite/params.h>

#include "../obd_internal.h"

#define LDLM_TIMEOUT_DEFAULT	20
#define TIMEOUT_MAX		(7 * 24 * 3600)
#define PING_PER_TIMEOUT	4
/* Bytes of a job's id with the NUL. */
#define JOBID_SIZE		32

unsigned int ldlm_timeout = LDLM_TIMEOUT_DEFAULT;
EXPORT_SYMBOL_NS_GPL(ldlm_timeout, LUSTRE_LITE);

/* Adaptive timeouts: seconds, and a factor. */
unsigned int at_min = 5;
EXPORT_SYMBOL_NS_GPL(at_min, LUSTRE_LITE);
unsigned int at_max = 600;
EXPORT_SYMBOL_NS_GPL(at_max, LUSTRE_LITE);
unsigned int at_history = 600;
EXPORT_SYMBOL_NS_GPL(at_history, LUSTRE_LITE);
unsigned int at_extra = 30;
EXPORT_SYMBOL_NS_GPL(at_extra, LUSTRE_LITE);
unsigned int at_early_margin = 5;
EXPORT_SYMBOL_NS_GPL(at_early_margin, LUSTRE_LITE);
static unsigned int at_unhealthy_factor = 3;

/*
 * Guards the two texts below. Every request reads them, so readers take no lock. The last
 * byte of a text is always 0: a reader that has to try again finds an end, too.
 */
static DEFINE_SEQLOCK(jobid_lock);
static char jobid_var[JOBID_SIZE] = "disable";
static char jobid_name[JOBID_SIZE] = "%e.%u";

/**
 * struct obd_global_number - a numeric setting
 * @attr: parameter
 * @var: variable
 */
struct obd_global_number {
	struct lustre_params_attr	attr;
	unsigned int			*var;
};

#define GLOBAL_SECONDS(_name, _var, _min, _default, _doc)		\
{									\
	.attr = {							\
		.name = (_name), .type = PARAMS_T_U32, .mode = 0644,	\
		.field = 1, .unit = PARAMS_UNIT_SEC, .min = (_min),	\
		.max = TIMEOUT_MAX, LP_DEF(_default), .doc = (_doc),	\
	},								\
	.var = &(_var),							\
}

static const struct obd_global_number global_numbers[] = {
	GLOBAL_SECONDS("timeout", obd_timeout, 1, OBD_TIMEOUT_DEFAULT,
		       "time a peer may take to answer"),
	GLOBAL_SECONDS("ldlm_timeout", ldlm_timeout, 1, LDLM_TIMEOUT_DEFAULT,
		       "time a client may take to cancel a lock"),
	GLOBAL_SECONDS("at_min", at_min, 0, 5,
		       "adaptive timeouts: least estimate"),
	GLOBAL_SECONDS("at_max", at_max, 0, 600,
		       "adaptive timeouts: largest estimate; 0 turns them off"),
	GLOBAL_SECONDS("at_history", at_history, 1, 600,
		       "adaptive timeouts: time the worst time is remembered"),
	GLOBAL_SECONDS("at_extra", at_extra, 0, 30,
		       "adaptive timeouts: additional time that a server requests"),
	GLOBAL_SECONDS("at_early_margin", at_early_margin, 0, 5,
		       "adaptive timeouts: time before the deadline at which a server requests more"),
	{
		.attr = {
			.name = "at_unhealthy_factor", .type = PARAMS_T_U32,
			.mode = 0644, .field = 1, .min = 1, .max = 1000,
			LP_DEF(3),
			.doc = "adaptive timeouts: a service that takes this many times its estimate is unhealthy",
		},
		.var = &at_unhealthy_factor,
	},
};

/* Period of pings of an idle connection, seconds, at least 1. */
unsigned int obd_ping_interval(void)
{
	return max_t(unsigned int, READ_ONCE(obd_timeout) / PING_PER_TIMEOUT, 1);
}
EXPORT_SYMBOL_NS_GPL(obd_ping_interval, LUSTRE_LITE);

static int ping_interval_get(void *data, u64 *val)
{
	*val = obd_ping_interval();
	return 0;
}

static ssize_t jobid_get(const char *text, char *buf, size_t size)
{
	unsigned int seq;
	ssize_t len;

	do {
		seq = read_seqbegin(&jobid_lock);
		len = strscpy(buf, text, size);
	} while (read_seqretry(&jobid_lock, seq));
	return len < 0 ? -EOVERFLOW : len;
}

static int jobid_set(char *to, const char *text)
{
	write_seqlock(&jobid_lock);
	strscpy(to, text, JOBID_SIZE);
	write_sequnlock(&jobid_lock);
	return 0;
}

static ssize_t jobid_var_get(void *data, char *buf, size_t size)
{
	return jobid_get(jobid_var, buf, size);
}

/*
 * disable, nodelocal, procname_uid and session have the syntax of a variable,
 * too.
 */
static int jobid_var_set(const char *text, size_t len, void *data)
{
	size_t n;

	for (n = 0; n < len; n++)
		if (!isalnum(text[n]) && text[n] != '_')
			return -EINVAL;
	return isdigit(*text) ? -EINVAL : jobid_set(jobid_var, text);
}

static ssize_t jobid_name_get(void *data, char *buf, size_t size)
{
	return jobid_get(jobid_name, buf, size);
}

static int jobid_name_set(const char *text, size_t len, void *data)
{
	const char *c;

	for (c = text; *c; c++) {
		if (!isgraph(*c))
			return -EINVAL;
		if (*c == '%' && (!*++c || !strchr("eghHjpu?%", *c)))
			return -EINVAL;
	}
	return jobid_set(jobid_name, text);
}

/* One % of jobid_name. */
static int jobid_part(char what, char *buf, size_t size)
{
	switch (what) {
	case 'e':
		return scnprintf(buf, size, "%s", current->comm);
	case 'g':
		return scnprintf(buf, size, "%u",
				 from_kgid(&init_user_ns, current_fsgid()));
	case 'h':
		return scnprintf(buf, size, "%s", init_utsname()->nodename);
	case 'H':
		return scnprintf(buf, size, "%.*s",
				 (int)strcspn(init_utsname()->nodename, "."),
				 init_utsname()->nodename);
	case 'j':
		return scnprintf(buf, size, "%s", jobid_var);
	case 'p':
		return scnprintf(buf, size, "%d", task_tgid_nr(current));
	case 'u':
		return scnprintf(buf, size, "%u",
				 from_kuid(&init_user_ns, current_fsuid()));
	default:
		return scnprintf(buf, size, "%c", what);
	}
}

static void jobid_format(const char *format, char *buf, size_t size)
{
	size_t used = 0;
	const char *c;

	buf[0] = '\0';
	for (c = format; *c && used + 1 < size; c++) {
		if (*c == '%' && c[1])
			used += jobid_part(*++c, buf + used, size - used);
		else
			used += scnprintf(buf + used, size - used, "%c", *c);
	}
}

/**
 * obd_jobid() - id of the job that the task belongs to
 * @buf: out, text, truncated if too long; "" with a jobid_var of "disable"
 * @size: bytes of @buf, at least 1
 *
 * The environment of a program is private: with any jobid_var but "nodelocal"
 * the id consists of the program's name and its user.
 *
 * Context: any task
 */
void obd_jobid(char *buf, size_t size)
{
	unsigned int seq;

	do {
		seq = read_seqbegin(&jobid_lock);
		if (!strcmp(jobid_var, "disable"))
			buf[0] = '\0';
		else if (!strcmp(jobid_var, "nodelocal"))
			jobid_format(jobid_name, buf, size);
		else
			jobid_format("%e.%u", buf, size);
	} while (read_seqretry(&jobid_lock, seq));
}
EXPORT_SYMBOL_NS_GPL(obd_jobid, LUSTRE_LITE);

static int devices_read(struct params_sink *sink, void *data)
{
	struct obd_device *obd;
	u32 next = 0, minor;

	while ((obd = class_next_obd(&next))) {
		minor = READ_ONCE(obd->obd_minor);
		/* Do not count the reference of this walk. */
		if (minor != OBD_INDEX_NONE)
			params_put_strf(sink, NULL, "%3u %s %s %s %s %u", minor,
					obd_status_letters(class_obd_status(obd)),
					obd->obd_type_name, obd->obd_name,
					obd->obd_uuid.uuid,
					refcount_read(&obd->obd_refcount) - 1);
		class_decref(obd, OBD_REF_LOOKUP);
		if (params_sink_error(sink))
			break;
	}
	return params_sink_error(sink);
}

static const struct lustre_params_attr global_attrs[] = {
	LP_U32_RO("ping_interval", ping_interval_get, .unit = PARAMS_UNIT_SEC,
		  .doc = "period of pings of an idle connection: a quarter of timeout"),
	LP_STR_RW("jobid_var", jobid_var_get, jobid_var_set,
		  .min = 1, .max = JOBID_SIZE - 1,
		  .doc = "source of a job's id: disable, nodelocal, procname_uid, session, or the name of an environment variable"),
	LP_STR_RW("jobid_name", jobid_name_get, jobid_name_set,
		  .min = 1, .max = JOBID_SIZE - 1,
		  .doc = "a job's id: text, and %e program, %g gid, %h host, %H short host, %j jobid_var, %p pid, %u uid"),
	LP_READER("devices", devices_read,
		  .doc = "object devices: number, status, type, name, uuid, references"),
};

/* Settings of config logs, as in real Lustre; exactly these names. */
static const char * const global_names[] = {
	"timeout", "ldlm_timeout", "at_min", "at_max", "at_history", "at_extra",
	"at_early_margin", "jobid_var", "jobid_name",
};

static bool global_is_known(const char *name)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(global_names); n++)
		if (!strcmp(global_names[n], name))
			return true;
	return false;
}

/* Set a setting of the node, or with PARAMS_W_DRY_RUN only check it. */
int obd_global_set(const char *name, const char *value, u32 flags,
		   struct obd_why *why)
{
	char words[OBD_WHY_MAX / 2];
	int rc;

	if (!global_is_known(name))
		return obd_refuse(why, -ENOENT,
				  "unknown setting 'sys.%.64s'; valid are sys.timeout, ldlm_timeout, at_min, at_max, at_history, at_extra, at_early_margin, jobid_var and jobid_name",
				  name);
	rc = params_set(NULL, name, value, flags, words, sizeof(words));
	if (rc)
		obd_refuse(why, rc, "sys.%s=%.64s: %s", name, value,
			   words[0] ? words : "invalid value");
	else if (!(flags & PARAMS_W_DRY_RUN))
		CDEBUG(D_CONFIG, "sys.%s=%s\n", name, value);
	return rc;
}
EXPORT_FOR_KUNIT(obd_global_set);

/* Remove the first @count numbers. */
static void global_numbers_remove(size_t count)
{
	while (count--)
		params_delete_entry(NULL, global_numbers[count].attr.name);
}

static int global_numbers_add(void)
{
	size_t n;
	int rc;

	for (n = 0; n < ARRAY_SIZE(global_numbers); n++) {
		rc = params_add_attrs(NULL, &global_numbers[n].attr, 1,
				      global_numbers[n].var);
		if (rc) {
			global_numbers_remove(n);
			return rc;
		}
	}
	return 0;
}

/**
 * obd_globals_init() - add the settings of the node
 *
 * Context: may sleep
 * Return: 0 or a negative errno
 */
int obd_globals_init(void)
{
	int rc = global_numbers_add();

	if (rc)
		return rc;
	rc = params_add_attrs(NULL, global_attrs, ARRAY_SIZE(global_attrs),
			      NULL);
	if (rc)
		global_numbers_remove(ARRAY_SIZE(global_numbers));
	return rc;
}

/**
 * obd_globals_exit() - remove them
 *
 * Context: may sleep
 */
void obd_globals_exit(void)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(global_attrs); n++)
		params_delete_entry(NULL, global_attrs[n].name);
	global_numbers_remove(ARRAY_SIZE(global_numbers));
}
