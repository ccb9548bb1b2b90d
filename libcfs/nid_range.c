// SPDX-License-Identifier: GPL-2.0-only
/* Ranges of NIDs: text to struct lnet_nid_range. Pure functions of their arguments. */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/nid.h>

/**
 * struct libcfs_range_text - a text that is copied, once with the ends of a range each
 * @low: first NID
 * @high: last NID
 * @low_len: bytes of @low
 * @high_len: bytes of @high
 */
struct libcfs_range_text {
	char	low[LNET_NID_TEXT_MAX];
	char	high[LNET_NID_TEXT_MAX];
	size_t	low_len;
	size_t	high_len;
};

static bool put(char *to, size_t *to_len, const char *from, size_t len)
{
	if (len > LNET_NID_TEXT_MAX - *to_len)
		return false;
	memcpy(to + *to_len, from, len);
	*to_len += len;
	return true;
}

static bool put_both(struct libcfs_range_text *rt, const char *low, size_t low_len,
		     const char *high,
		     size_t high_len)
{
	return put(rt->low, &rt->low_len, low, low_len) &&
	       put(rt->high, &rt->high_len, high, high_len);
}

/* "[2-10]", at @text. Return: its bytes, or 0 */
static size_t put_bracket(struct libcfs_range_text *rt, const char *text, size_t len)
{
	const char *close = memchr(text, ']', len), *dash;

	if (!close)
		return 0;
	dash = memchr(text, '-', close - text);
	if (!dash || !put_both(rt, text + 1, dash - text - 1, dash + 1, close - dash - 1))
		return 0;
	return close + 1 - text;
}

static bool range_expand(struct libcfs_range_text *rt, const char *text, size_t len)
{
	size_t n, used;

	for (n = 0; n < len; n += used) {
		used = 1;
		if (text[n] == '[')
			used = put_bracket(rt, text + n, len - n);
		else if (!(text[n] == '*' ? put_both(rt, "0", 1, "255", 3) :
					    put_both(rt, text + n, 1, text + n, 1)))
			used = 0;
		if (!used)
			return false;
	}
	return true;
}

/* A single NID, or one whose parts between dots may be "*" or "[2-10]". */
static int range_parse(const char *text, size_t len, struct lnet_nid_range *range,
		       const char **why)
{
	struct libcfs_range_text rt = { .low_len = 0 };
	unsigned int n;
	int rc;

	/* An IPv6 address may be in brackets. */
	if (memchr(text, ':', len)) {
		rc = libcfs_nid_parse(text, len, &range->nrg_low, why);
		range->nrg_high = range->nrg_low;
		return rc;
	}
	*why = "a part of a range is a number, '*' or '[LOW-HIGH]'";
	if (!range_expand(&rt, text, len))
		return -EINVAL;
	rc = libcfs_nid_parse(rt.low, rt.low_len, &range->nrg_low, why);
	if (!rc)
		rc = libcfs_nid_parse(rt.high, rt.high_len, &range->nrg_high, why);
	for (n = 0; !rc && n < range->nrg_low.nid_len; n++) {
		if (range->nrg_low.nid_addr[n] > range->nrg_high.nid_addr[n]) {
			*why = "a range ends before it starts";
			rc = -EINVAL;
		}
	}
	return rc;
}

/**
 * libcfs_nid_range_parse() - text to a range of NIDs
 * @text: a NID; one of IPv4 with parts such as "*" or "[2-10]"; or "*@tcp3", all of a network
 * @len: its bytes
 * @range: out
 * @why: out, reason of a failure, static
 *
 * Context: any
 * Return: 0 or -EINVAL
 */
int libcfs_nid_range_parse(const char *text, size_t len, struct lnet_nid_range *range,
			   const char **why)
{
	static const char any[] = "0.0.0.0";
	struct libcfs_range_text rt = { .low_len = 0 };
	int rc;

	if (len < 2 || text[0] != '*' || text[1] != '@')
		return range_parse(text, len, range, why);
	*why = "the network is malformed";
	if (!put_both(&rt, any, sizeof(any) - 1, "", 0) ||
	    !put_both(&rt, text + 1, len - 1, "", 0))
		return -EINVAL;
	rc = libcfs_nid_parse(rt.low, rt.low_len, &range->nrg_low, why);
	range->nrg_low.nid_len = 0;
	range->nrg_high = range->nrg_low;
	return rc;
}
EXPORT_SYMBOL_NS_GPL(libcfs_nid_range_parse, LUSTRE_LITE);

/**
 * libcfs_nid_range_has() - whether a NID is in a range
 * @range: range
 * @nid: NID
 *
 * Context: any
 * Return: true if it is
 */
bool libcfs_nid_range_has(const struct lnet_nid_range *range, const struct lnet_nid *nid)
{
	const struct lnet_nid *low = &range->nrg_low, *high = &range->nrg_high;
	unsigned int n;

	if (nid->nid_type != low->nid_type || nid->nid_net != low->nid_net)
		return false;
	if (low->nid_len && nid->nid_len != low->nid_len)
		return false;
	for (n = 0; n < low->nid_len; n++)
		if (nid->nid_addr[n] < low->nid_addr[n] || nid->nid_addr[n] > high->nid_addr[n])
			return false;
	return true;
}
EXPORT_SYMBOL_NS_GPL(libcfs_nid_range_has, LUSTRE_LITE);
