/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SHIM_LINUX_CTYPE_H
#define _SHIM_LINUX_CTYPE_H

#include <ctype.h>

/* Those of the C library want no negative number, and know locales. */
#undef isascii
#undef isprint
#undef isdigit
#undef isalpha
#undef isalnum
#undef isspace
#undef tolower
#undef toupper
#define isascii(c)	((unsigned char)(c) < 0x80)
#define isprint(c)	((unsigned char)(c) - 0x20u < 0x5fu)
#define isdigit(c)	((unsigned char)(c) - '0' < 10u)
#define tolower(c)	shim_tolower(c)
#define toupper(c)	shim_toupper(c)
#define isalpha(c)	((unsigned char)shim_tolower(c) - 'a' < 26u)
#define isalnum(c)	(isalpha(c) || isdigit(c))
#define isspace(c)	((c) == ' ' || (unsigned char)(c) - '\t' < 5u)

static inline unsigned char shim_tolower(unsigned char c)
{
	return c - 'A' < 26u ? c + 'a' - 'A' : c;
}

static inline unsigned char shim_toupper(unsigned char c)
{
	return c - 'a' < 26u ? c + 'A' - 'a' : c;
}

#endif /* _SHIM_LINUX_CTYPE_H */
