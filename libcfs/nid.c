// SPDX-License-Identifier: GPL-2.0-only
/*
 * NID: text to struct lnet_nid and back. Pure functions of their arguments.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/nid.h>

#define NID_V4_LEN	4
#define NID_V6_LEN	16
#define NID_V6_WORDS	8

/**
 * struct nid_text - unread rest of a text
 * @at: next byte
 * @end: end of the text
 */
struct nid_text {
	const char *at;
	const char *end;
};

static bool nid_end(const struct nid_text *t)
{
	return t->at == t->end;
}

static char nid_peek(const struct nid_text *t)
{
	return nid_end(t) ? '\0' : *t->at;
}

static bool nid_take(struct nid_text *t, char c)
{
	if (nid_end(t) || *t->at != c)
		return false;
	t->at++;
	return true;
}

/* A decimal number without leading zeros, at most @max. */
static bool nid_decimal(struct nid_text *t, unsigned int max, unsigned int *val)
{
	const char *start = t->at;
	unsigned int n = 0;

	for (; isdigit(nid_peek(t)); t->at++) {
		n = n * 10 + (*t->at - '0');
		if (n > max)
			return false;
	}
	*val = n;
	return t->at != start && (*start != '0' || t->at - start == 1);
}

static bool nid_v4(struct nid_text *t, u8 *addr)
{
	unsigned int val;
	int n;

	for (n = 0; n < NID_V4_LEN; n++) {
		if (n && !nid_take(t, '.'))
			return false;
		if (!nid_decimal(t, 255, &val))
			return false;
		addr[n] = val;
	}
	return nid_end(t);
}

static int nid_hex_digit(char c)
{
	if (isdigit(c))
		return c - '0';
	c = tolower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Up to four hexadecimal digits. */
static bool nid_word(struct nid_text *t, u8 *addr)
{
	unsigned int val = 0;
	int digits = 0;
	int digit;

	while ((digit = nid_hex_digit(nid_peek(t))) >= 0) {
		val = val << 4 | digit;
		t->at++;
		if (++digits > 4)
			return false;
	}
	addr[0] = val >> 8;
	addr[1] = val & 0xff;
	return digits > 0;
}

/**
 * struct nid_v6 - an IPv6 address being read
 * @addr: words before and after "::", without a gap
 * @words: their number
 * @gap: index of the word after "::", -1 for none
 */
struct nid_v6 {
	u8	addr[NID_V6_LEN];
	int	words;
	int	gap;
};

/* The last two words may be written as an IPv4 address. */
static bool nid_v6_tail(struct nid_text *t, struct nid_v6 *v6)
{
	if (v6->words > NID_V6_WORDS - 2 ||
	    !nid_v4(t, v6->addr + 2 * v6->words))
		return false;
	v6->words += 2;
	return true;
}

/* "::", at the start or after a word. */
static bool nid_v6_gap(struct nid_text *t, struct nid_v6 *v6)
{
	if (nid_peek(t) != ':')
		return true;
	if (v6->gap >= 0)
		return false;
	v6->gap = v6->words;
	t->at++;
	return true;
}

/* After a word: the end, ":" and more, or "::". */
static bool nid_v6_colon(struct nid_text *t, struct nid_v6 *v6)
{
	return nid_end(t) ||
	       (nid_take(t, ':') && !nid_end(t) && nid_v6_gap(t, v6));
}

static bool nid_v6_words(struct nid_text *t, struct nid_v6 *v6)
{
	if (nid_take(t, ':') && (nid_peek(t) != ':' || !nid_v6_gap(t, v6)))
		return false;
	while (!nid_end(t)) {
		const char *start = t->at;

		if (v6->words == NID_V6_WORDS ||
		    !nid_word(t, v6->addr + 2 * v6->words))
			return false;
		if (nid_peek(t) == '.') {
			t->at = start;
			return nid_v6_tail(t, v6);
		}
		v6->words++;
		if (!nid_v6_colon(t, v6))
			return false;
	}
	return true;
}

static bool nid_v6(struct nid_text *t, u8 *addr)
{
	struct nid_v6 v6 = { .gap = -1 };
	int head, tail;

	if (!nid_v6_words(t, &v6))
		return false;
	if (v6.gap < 0) {
		memcpy(addr, v6.addr, NID_V6_LEN);
		return v6.words == NID_V6_WORDS;
	}
	if (v6.words == NID_V6_WORDS)
		return false;
	head = 2 * v6.gap;
	tail = 2 * v6.words - head;
	memset(addr, 0, NID_V6_LEN);
	memcpy(addr, v6.addr, head);
	memcpy(addr + NID_V6_LEN - tail, v6.addr + head, tail);
	return true;
}

static int nid_refuse(const char **why, const char *reason, int rc)
{
	if (why)
		*why = reason;
	return rc;
}

/*
 * The type of a network: letters and digits, from a letter to the last letter
 * (o2ib3 is of type o2ib); its number follows.
 */
static size_t nid_net_type(struct nid_text *t)
{
	const char *name = t->at;

	while (isalnum(nid_peek(t)))
		t->at++;
	while (t->at > name && isdigit(t->at[-1]))
		t->at--;
	return t->at - name;
}

static int nid_net_of(const char *name, size_t len)
{
	if (len == 3 && !memcmp(name, "tcp", 3))
		return LNET_TCP;
	if (len == 2 && !memcmp(name, "lo", 2))
		return LNET_LO;
	return -EPROTONOSUPPORT;
}

/* "tcp", "tcp3", "lo" */
static int nid_parse_net(struct nid_text *t, struct lnet_nid *nid,
			 const char **why)
{
	const char *name = t->at;
	unsigned int number = 0;
	size_t len = nid_net_type(t);
	int type;

	if (!len || !isalpha(*name))
		return nid_refuse(why, "no network after @; valid are tcp, tcp1 and lo",
				  -EINVAL);
	if (!nid_end(t) &&
	    (!nid_decimal(t, 65535, &number) || !nid_end(t)))
		return nid_refuse(why, "the number of the network is out of range 0 to 65535",
				  -EINVAL);
	type = nid_net_of(name, len);
	if (type < 0)
		return nid_refuse(why, "only the networks tcp and lo are supported",
				  type);
	nid->nid_type = type;
	nid->nid_net = number;
	return 0;
}

static int nid_parse_lo(struct nid_text *t, struct lnet_nid *nid,
			const char **why)
{
	if (!nid_take(t, '0') || !nid_end(t) || nid->nid_net)
		return nid_refuse(why, "the only address of lo is 0@lo", -EINVAL);
	nid->nid_len = NID_V4_LEN;
	return 0;
}

static int nid_parse_addr(struct nid_text *t, struct lnet_nid *nid,
			  const char **why)
{
	bool bracket = nid_take(t, '[');

	if (bracket) {
		if (nid_end(t) || t->end[-1] != ']')
			return nid_refuse(why, "[ without ]", -EINVAL);
		t->end--;
	}
	if (bracket || memchr(t->at, ':', t->end - t->at)) {
		nid->nid_len = NID_V6_LEN;
		if (!nid_v6(t, nid->nid_addr))
			return nid_refuse(why, "not an IPv6 address such as 2001:db8::1",
					  -EINVAL);
		return 0;
	}
	nid->nid_len = NID_V4_LEN;
	if (!nid_v4(t, nid->nid_addr))
		return nid_refuse(why, "not an IPv4 address such as 10.0.0.1",
				  -EINVAL);
	return 0;
}

/**
 * libcfs_nid_parse() - NID from text
 * @text: text, a NUL is not needed
 * @len: its bytes
 * @nid: out; undefined on error
 * @why: out, reason of a refusal, a constant text; or NULL
 *
 * Context: any
 * Return: 0, -EINVAL for a malformed NID, -EPROTONOSUPPORT for a network other
 *  than tcp and lo
 */
int libcfs_nid_parse(const char *text, size_t len, struct lnet_nid *nid,
		     const char **why)
{
	const char *at = memchr(text, '@', len);
	struct nid_text addr = { text, at ?: text + len };
	struct nid_text net = { at ? at + 1 : NULL, text + len };
	int rc;

	memset(nid, 0, sizeof(*nid));
	nid->nid_type = LNET_TCP;
	if (at) {
		rc = nid_parse_net(&net, nid, why);
		if (rc)
			return rc;
	}
	if (nid->nid_type == LNET_LO)
		return nid_parse_lo(&addr, nid, why);
	return nid_parse_addr(&addr, nid, why);
}
EXPORT_SYMBOL_NS_GPL(libcfs_nid_parse, LUSTRE_LITE);

/**
 * libcfs_nid_length() - bytes of the first NID of a list
 * @text: "NID[,NID...][:NID...]", a NUL is not needed
 * @len: its bytes
 *
 * A ',' or a ':' ends a NID. A ':' is also part of an IPv6 address: it ends one
 * only after an '@', a ']' or the '.' of an IPv4 address.
 *
 * Context: any
 * Return: bytes; libcfs_nid_parse() validates them
 */
size_t libcfs_nid_length(const char *text, size_t len)
{
	bool whole = false;
	size_t n;

	for (n = 0; n < len && text[n] != ','; n++) {
		if (text[n] == ':' && whole)
			break;
		whole = whole || text[n] == '@' || text[n] == '.' ||
			text[n] == ']';
	}
	return n;
}
EXPORT_SYMBOL_NS_GPL(libcfs_nid_length, LUSTRE_LITE);

/**
 * struct nid_out - text being written
 * @buf: buffer
 * @size: its bytes
 * @used: bytes of the whole text so far
 */
struct nid_out {
	char	*buf;
	size_t	size;
	size_t	used;
};

__printf(2, 3)
static void nid_put(struct nid_out *out, const char *fmt, ...)
{
	size_t space = out->used < out->size ? out->size - out->used : 0;
	va_list args;

	va_start(args, fmt);
	out->used += vsnprintf(space ? out->buf + out->used : NULL, space, fmt,
			       args);
	va_end(args);
}

static unsigned int nid_v6_word(const u8 *addr, int word)
{
	return addr[2 * word] << 8 | addr[2 * word + 1];
}

/* The longest run of zero words, at least two; the first of several. */
static int nid_v6_zeros(const u8 *addr, int words, int *length)
{
	int best = -1;
	int n, start = 0;

	*length = 1;
	for (n = 0; n < words; n++) {
		if (nid_v6_word(addr, n)) {
			start = n + 1;
		} else if (n + 1 - start > *length) {
			best = start;
			*length = n + 1 - start;
		}
	}
	return best;
}

static void nid_put_v4(struct nid_out *out, const u8 *addr)
{
	nid_put(out, "%u.%u.%u.%u", addr[0], addr[1], addr[2], addr[3]);
}

static void nid_put_v6(struct nid_out *out, const u8 *addr)
{
	static const u8 mapped[12] = { [10] = 0xff, [11] = 0xff };
	int n, zeros, length;

	if (!memcmp(addr, mapped, sizeof(mapped))) {
		nid_put(out, "::ffff:");
		nid_put_v4(out, addr + sizeof(mapped));
		return;
	}
	zeros = nid_v6_zeros(addr, NID_V6_WORDS, &length);
	for (n = 0; n < NID_V6_WORDS; n++) {
		if (n == zeros) {
			nid_put(out, "::");
			n += length - 1;
		} else {
			nid_put(out, "%s%x",
				n && n != zeros + length ? ":" : "",
				nid_v6_word(addr, n));
		}
	}
}

/**
 * libcfs_nid_print() - text of a NID
 * @nid: NID
 * @buf: out, with a NUL
 * @size: bytes of @buf; LNET_NID_TEXT_MAX always suffices
 *
 * Context: any
 * Return: bytes without the NUL, -EOVERFLOW if @size is too small, -EINVAL for
 *  an invalid NID
 */
int libcfs_nid_print(const struct lnet_nid *nid, char *buf, size_t size)
{
	struct nid_out out = { .buf = buf, .size = size };

	if (nid->nid_type == LNET_LO)
		nid_put(&out, "0@lo");
	else if (nid->nid_type != LNET_TCP)
		return -EINVAL;
	else if (nid->nid_len == NID_V4_LEN)
		nid_put_v4(&out, nid->nid_addr);
	else if (nid->nid_len == NID_V6_LEN)
		nid_put_v6(&out, nid->nid_addr);
	else
		return -EINVAL;
	if (nid->nid_type == LNET_TCP) {
		nid_put(&out, "@tcp");
		if (nid->nid_net)
			nid_put(&out, "%u", nid->nid_net);
	}
	return out.used < size ? (int)out.used : -EOVERFLOW;
}
EXPORT_SYMBOL_NS_GPL(libcfs_nid_print, LUSTRE_LITE);

/* Whether two NIDs are equal. */
bool libcfs_nid_same(const struct lnet_nid *a, const struct lnet_nid *b)
{
	return !memcmp(a, b, sizeof(*a));
}
EXPORT_SYMBOL_NS_GPL(libcfs_nid_same, LUSTRE_LITE);
