// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values that do what a well-behaved one does not: are slow, fail, refuse, are
 * huge, change when they are read.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>

#include "sample.h"

#define NOTE_MAX	4096
#define FAIL_ERRNO_MAX	133

static uint big;
module_param(big, uint, 0444);
MODULE_PARM_DESC(big, "bytes of text in special/big_text, 0 for none");

static uint table = 1000;
module_param(table, uint, 0444);
MODULE_PARM_DESC(table, "records in special/big_table");

static uint slow_ms = 100;
module_param(slow_ms, uint, 0444);
MODULE_PARM_DESC(slow_ms, "milliseconds that special/slow sleeps");

static uint fail_errno = EIO;
module_param(fail_errno, uint, 0444);
MODULE_PARM_DESC(fail_errno, "errno that special/fail and special/fail_read return");

/**
 * struct sample_special - the data of special/
 * @sp_text: big_text, without NUL
 * @sp_text_len: its bytes
 * @sp_lock: guards @sp_note
 * @sp_note: last text written to note
 * @sp_pops: reads of pop
 * @sp_pokes: writes of poke
 * @sp_slow_now: callbacks of slow that run
 * @sp_stuck_armed: stuck takes no further value
 */
struct sample_special {
	char		*sp_text;
	size_t		sp_text_len;
	struct mutex	sp_lock;	/* guards sp_note */
	char		sp_note[NOTE_MAX];
	atomic64_t	sp_pops;
	atomic64_t	sp_pokes;
	atomic_t	sp_slow_now;
	bool		sp_stuck_armed;

	/* private: values that the tree reads and writes in place */
	u32		slow_ms;
	u32		fail_errno;
	u32		refuse;
	u32		stuck;
	u32		plain;
	u32		secret;
	u64		limit;
};

static struct sample_special *special;

static int slow_get(void *data, u64 *val)
{
	struct sample_special *sp = data;

	atomic_inc(&sp->sp_slow_now);
	msleep(READ_ONCE(sp->slow_ms));
	atomic_dec(&sp->sp_slow_now);
	*val = READ_ONCE(sp->slow_ms);
	return 0;
}

static int slow_set(void *data, u64 val)
{
	u64 old;

	return slow_get(data, &old);
}

static int slow_now_get(void *data, u64 *val)
{
	struct sample_special *sp = data;

	*val = atomic_read(&sp->sp_slow_now);
	return 0;
}

static int fail_get(void *data, u64 *val)
{
	struct sample_special *sp = data;

	return -(int)READ_ONCE(sp->fail_errno);
}

static int fail_set(void *data, u64 val)
{
	return fail_get(data, &val);
}

/* Fails after it has packed something: none of it may be seen. */
static int fail_read(struct params_sink *sink, void *data)
{
	u64 val;

	params_put_str(sink, "half", "must not be seen");
	return fail_get(data, &val);
}

static int refuse_get(void *data, u64 *val)
{
	struct sample_special *sp = data;

	*val = READ_ONCE(sp->refuse);
	return 0;
}

/* The declared range is 0 to 100, and this takes half of it. */
static int refuse_set(void *data, u64 val)
{
	struct sample_special *sp = data;

	if (val > 50)
		return -EBUSY;
	WRITE_ONCE(sp->refuse, val);
	return 0;
}

static int stuck_get(void *data, u64 *val)
{
	struct sample_special *sp = data;

	*val = READ_ONCE(sp->stuck);
	return 0;
}

/* Takes one value and then no other: nothing can be given back. */
static int stuck_set(void *data, u64 val)
{
	struct sample_special *sp = data;

	if (READ_ONCE(sp->sp_stuck_armed))
		return -EBUSY;
	WRITE_ONCE(sp->sp_stuck_armed, true);
	WRITE_ONCE(sp->stuck, val);
	return 0;
}

static int unstick(const char *text, size_t len, void *data)
{
	struct sample_special *sp = data;

	WRITE_ONCE(sp->sp_stuck_armed, false);
	return 0;
}

static int pop_get(void *data, u64 *val)
{
	struct sample_special *sp = data;

	*val = atomic64_inc_return(&sp->sp_pops);
	return 0;
}

static int pops_get(void *data, u64 *val)
{
	struct sample_special *sp = data;

	*val = atomic64_read(&sp->sp_pops);
	return 0;
}

static int poke(const char *text, size_t len, void *data)
{
	struct sample_special *sp = data;

	atomic64_inc(&sp->sp_pokes);
	return 0;
}

static int pokes_get(void *data, u64 *val)
{
	struct sample_special *sp = data;

	*val = atomic64_read(&sp->sp_pokes);
	return 0;
}

static int note_read(struct params_sink *sink, void *data)
{
	struct sample_special *sp = data;
	int rc;

	mutex_lock(&sp->sp_lock);
	rc = params_put_str(sink, NULL, sp->sp_note);
	mutex_unlock(&sp->sp_lock);
	return rc;
}

static int note_write(const char *text, size_t len, void *data)
{
	struct sample_special *sp = data;
	int rc;

	mutex_lock(&sp->sp_lock);
	rc = strscpy(sp->sp_note, text, sizeof(sp->sp_note));
	mutex_unlock(&sp->sp_lock);
	return rc < 0 ? rc : 0;
}

static ssize_t empty_get(void *data, char *buf, size_t size)
{
	return 0;
}

static ssize_t lines_get(void *data, char *buf, size_t size)
{
	static const char text[] = "first line\nsecond line\nthird line";

	if (size < sizeof(text) - 1)
		return -EOVERFLOW;
	memcpy(buf, text, sizeof(text) - 1);
	return sizeof(text) - 1;
}

static int big_text_read(struct params_sink *sink, void *data)
{
	struct sample_special *sp = data;

	return params_put_strn(sink, NULL, sp->sp_text, sp->sp_text_len);
}

static int big_table_read(struct params_sink *sink, void *data)
{
	unsigned int i;

	params_list_begin(sink, "rows", PARAMS_LIST_SEQ);
	for (i = 0; i < table && !params_sink_error(sink); i++) {
		params_list_begin(sink, NULL, PARAMS_LIST_FLOW_MAP);
		params_put_u64(sink, "index", i);
		params_put_strf(sink, "name", "row-%u", i);
		params_put_hex(sink, "cookie", i * 2654435761ULL);
		params_list_end(sink);
		cond_resched();
	}
	params_list_end(sink);
	return params_sink_error(sink);
}

static int blob_read(struct params_sink *sink, void *data)
{
	static const u8 octets[] = { 0xde, 0xad, 0x00, 0xbe, 0xef };

	return params_put_blob(sink, NULL, octets, sizeof(octets));
}

static u64 limit_total(void *data)
{
	return 8ULL << 30;
}

static const struct lustre_params_attr special_attrs[] = {
	LP_READER("big_table", big_table_read, .doc = "many records"),
	LP_READER("big_text", big_text_read, .doc = "a text of big= bytes"),
	LP_READER("blob", blob_read, .doc = "octets that are no text"),
	LP_STR_RO("empty", empty_get, .doc = "a text of no bytes"),
	LP_U32_RW("fail", fail_get, fail_set,
		  .doc = "fails with fail_errno, read or written"),
	LP_U32_FIELD("fail_errno", struct sample_special, fail_errno,
		     .min = 1, .max = FAIL_ERRNO_MAX,
		     .doc = "what fail and fail_read return"),
	LP_READER("fail_read", fail_read, .doc = "fails in the middle of its value"),
	LP_BYTES_FIELD("limit", struct sample_special, limit,
		       .unit = PARAMS_UNIT_MIB, .max = 8ULL << 30,
		       .total = limit_total,
		       .doc = "a number of bytes, also as a percentage of 8 GiB"),
	LP_STR_RO("lines", lines_get, .doc = "a text of three lines"),
	LP_READER_RW("note", note_read, note_write, .doc = "any text"),
	LP_U32_FIELD("plain", struct sample_special, plain,
		     .max = 1000, LP_DEF(7), .doc = "a number like any other"),
	LP_TRIGGER("poke", poke, .doc = "counts how often it is written"),
	LP_U64_RO("pokes", pokes_get, .doc = "how often poke was written"),
	LP_U64_RO("pop", pop_get, .is_volatile = 1,
		  .doc = "rises by one each time that it is read"),
	LP_U64_RO("pops", pops_get, .doc = "how often pop was read"),
	LP_U32_RW("refuse", refuse_get, refuse_set, .max = 100,
		  .doc = "declared to 100, refuses more than 50"),
	{ .name = "secret", .type = PARAMS_T_U32, .mode = 0600, .field = 1,
	  .offset = offsetof(struct sample_special, secret),
	  .doc = "for root's eyes" },
	LP_U32_RW("slow", slow_get, slow_set, .doc = "takes slow_ms to answer"),
	LP_U32_FIELD("slow_ms", struct sample_special, slow_ms, .max = 60000,
		     .doc = "milliseconds that slow takes"),
	LP_U32_RO("slow_now", slow_now_get, .doc = "callbacks of slow that run"),
	LP_U32_RW("stuck", stuck_get, stuck_set,
		  .doc = "takes one value and then no other until unstick"),
	LP_TRIGGER("unstick", unstick, .doc = "let stuck take a value again"),
};

/* Lines of 64 bytes whose text tells where they are. */
static int make_text(struct sample_special *sp)
{
	char line[72];
	size_t at, len;

	if (!big)
		return 0;
	sp->sp_text = kvmalloc(big, GFP_KERNEL);
	if (!sp->sp_text)
		return -ENOMEM;
	for (at = 0; at < big; at += len) {
		snprintf(line, sizeof(line), "%010zu %052zu\n", at,
			 at * 2654435761UL);
		len = min_t(size_t, strlen(line), big - at);
		memcpy(sp->sp_text + at, line, len);
		cond_resched();
	}
	sp->sp_text_len = big;
	return 0;
}

/**
 * sample_special_add() - add special/
 * @root: the sample directory
 *
 * Return: 0 or a negative errno; sample_special_free() undoes it either way,
 * once the directory is gone from the tree
 */
int sample_special_add(struct lustre_params_entry *root)
{
	struct lustre_params_entry *dir;
	int rc;

	special = libcfs_zalloc(sizeof(*special), GFP_KERNEL);
	if (!special)
		return -ENOMEM;
	mutex_init(&special->sp_lock);
	special->slow_ms = slow_ms;
	special->fail_errno = clamp_t(uint, fail_errno, 1, FAIL_ERRNO_MAX);
	special->plain = 7;
	special->secret = 42;
	special->limit = 1ULL << 30;
	rc = make_text(special);
	if (rc)
		return rc;
	dir = params_add_dir(root, "special", special);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	return params_add_attrs(dir, special_attrs, ARRAY_SIZE(special_attrs),
				special);
}

/**
 * sample_special_free() - free what special/ stood on
 */
void sample_special_free(void)
{
	if (!special)
		return;
	kvfree(special->sp_text);
	libcfs_free(special, sizeof(*special));
	special = NULL;
}

/**
 * sample_special_text() - the text of special/big_text, for its twin in sysfs
 * @len: its bytes
 *
 * Return: the text, NULL when there is none
 */
const char *sample_special_text(size_t *len)
{
	*len = special ? special->sp_text_len : 0;
	return special ? special->sp_text : NULL;
}
