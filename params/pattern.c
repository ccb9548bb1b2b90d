// SPDX-License-Identifier: (GPL-2.0-only OR LGPL-2.1-or-later)
/*
 * Patterns of parameter names. Compiles as it is in the kernel and in user space.
 */
#include <lustre_lite/pattern.h>

#define PATTERN_MGC	"MGC"
#define PATTERN_EXPORTS	"exports"

static bool text_begins(const char *text, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && !memcmp(text, with, n);
}

/**
 * params_pattern_set() - the set at the start of a text
 * @text: text, begins with '['
 * @len: its bytes
 *
 * Context: any
 * Return: bytes of the set, both brackets included; 0 where it is not closed
 */
size_t params_pattern_set(const char *text, size_t len)
{
	size_t at = 1;

	if (at < len && (text[at] == '!' || text[at] == '^'))
		at++;
	if (at < len && text[at] == ']')
		at++;
	for (; at < len && text[at] != '/'; at++) {
		if (text[at] == ']')
			return at + 1;
		if (text[at] == '\\')
			at++;
	}
	return 0;
}

/* The member of a set at @*at, which is advanced. */
static u8 set_member(const char *text, size_t len, size_t *at)
{
	if (text[*at] == '\\' && *at + 1 < len)
		++*at;
	return (u8)text[(*at)++];
}

/*
 * Whether @c is in the set; @text is its content without the brackets. A '-'
 * between two members makes a range; at the start, at the end and after a range
 * it is literal.
 */
static bool set_has(const char *text, size_t len, u8 c)
{
	bool negated = len && (text[0] == '!' || text[0] == '^');
	size_t at = negated;
	bool found = false;

	while (at < len) {
		u8 low = set_member(text, len, &at);
		u8 high = low;

		if (at + 1 < len && text[at] == '-') {
			at++;
			high = set_member(text, len, &at);
		}
		found |= low <= c && c <= high;
	}
	return found != negated;
}

/*
 * Match one byte of a name at @at of a pattern. Return: the next offset, 0: no
 * match
 */
static size_t match_one(const char *part, size_t len, size_t at, char c)
{
	size_t set;

	if (at == len)
		return 0;
	switch (part[at]) {
	case '?':
		return at + 1;
	case '[':
		set = params_pattern_set(part + at, len - at);
		if (set)
			return set_has(part + at + 1, set - 2, (u8)c) ?
			       at + set : 0;
		break;
	case '\\':
		if (at + 1 < len)
			at++;
		break;
	default:
		break;
	}
	return part[at] == c ? at + 1 : 0;
}

/**
 * params_pattern_match() - whether a component of a pattern matches a name
 * @part: component
 * @part_len: its bytes
 * @name: name
 * @name_len: its bytes
 *
 * Only the last of several stars is ever retried: it can take all that an
 * earlier one could.
 *
 * Context: any
 * Return: true if it does
 */
bool params_pattern_match(const char *part, size_t part_len, const char *name,
			  size_t name_len)
{
	size_t at = 0, n = 0, star = 0, again = 0, next;
	bool starred = false;

	while (n < name_len) {
		if (at < part_len && part[at] == '*') {
			starred = true;
			star = ++at;
			again = n;
			continue;
		}
		next = match_one(part, part_len, at, name[n]);
		if (next) {
			at = next;
			n++;
		} else if (starred) {
			at = star;
			n = ++again;
		} else {
			return false;
		}
	}
	while (at < part_len && part[at] == '*')
		at++;
	return at == part_len;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_address_byte(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ||
	       c == '.' || c == ':';
}

static bool is_net_byte(char c)
{
	return (c >= 'a' && c <= 'z') || is_digit(c);
}

/* Bytes of a pattern of NIDs besides those of a NID. */
static bool is_pattern_byte(char c)
{
	return c && strchr("*?[]{},!^-", c);
}

static size_t bytes_of(const char *text, size_t len, size_t at,
		       bool (*belongs)(char), bool patterns)
{
	while (at < len && (belongs(text[at]) ||
			    (patterns && is_pattern_byte(text[at]))))
		at++;
	return at;
}

/**
 * params_pattern_nid() - the NID at the start of a text: address, '@', network
 * @text: text
 * @len: its bytes
 * @patterns: accept a pattern of NIDs, too
 *
 * Context: any
 * Return: its bytes, up to the end of the text or the separator after it; 0 if
 *  there is none
 */
size_t params_pattern_nid(const char *text, size_t len, bool patterns)
{
	size_t at = bytes_of(text, len, 0, is_address_byte, patterns);
	size_t end;

	if (!at || at == len || text[at] != '@' || text[0] == '.')
		return 0;
	end = bytes_of(text, len, at + 1, is_net_byte, patterns);
	if (end == at + 1 || is_digit(text[at + 1]))
		return 0;
	return end == len || text[end] == '.' || text[end] == '/' ? end : 0;
}

/**
 * params_pattern_nid_at() - where in a component a NID may start
 * @text: the component and the text after it
 * @len: its bytes
 * @before: the component before it
 * @before_len: its bytes; 0 if there is none
 *
 * Context: any
 * Return: the offset; @len if no NID may be there
 */
size_t params_pattern_nid_at(const char *text, size_t len, const char *before,
			     size_t before_len)
{
	if (text_begins(text, len, PATTERN_MGC))
		return strlen(PATTERN_MGC);
	if (before_len == strlen(PATTERN_EXPORTS) &&
	    text_begins(before, before_len, PATTERN_EXPORTS))
		return 0;
	return len;
}

/**
 * params_pattern_unit() - length of an inseparable unit at the start of a
 * pattern
 * @text: pattern, from there on
 * @len: its bytes, at least 1
 * @nid: a NID may start there
 *
 * Context: any
 * Return: bytes of a NID, of a set or of an escaped character; 0 for a single
 *  character
 */
size_t params_pattern_unit(const char *text, size_t len, bool nid)
{
	size_t unit = nid ? params_pattern_nid(text, len, true) : 0;

	if (!unit && text[0] == '[')
		return params_pattern_set(text, len);
	if (!unit && text[0] == '\\' && len > 1)
		return 2;
	return unit;
}

/**
 * params_pattern_part() - the component at the start of a pattern of paths
 * @text: pattern, from that component on
 * @len: its bytes
 * @before: the component before it
 * @before_len: its bytes; 0 where there is none
 *
 * Context: any
 * Return: bytes of the component, without the separator that ends it
 */
size_t params_pattern_part(const char *text, size_t len, const char *before,
			   size_t before_len)
{
	size_t nid_at = params_pattern_nid_at(text, len, before, before_len);
	size_t at = 0, unit;

	while (at < len) {
		unit = params_pattern_unit(text + at, len - at, at == nid_at);
		if (!unit && (text[at] == '.' || text[at] == '/'))
			break;
		at += unit ?: 1;
	}
	return at;
}
EXPORT_SYMBOL_NS_GPL(params_pattern_part, LUSTRE_LITE);
