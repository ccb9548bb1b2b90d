// SPDX-License-Identifier: GPL-2.0
/*
 * Modes of locks, and which of them may be held at once.
 */
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>

#include "ldlm_internal.h"

#define LDLM_MODES_ALL	(LCK_EX | LCK_PW | LCK_PR | LCK_CW | LCK_CR | LCK_NL)

/*
 * By number of the mode: what others may have at the same time.
 *
 *		EX PW PR CW CR NL
 *	EX	-  -  -  -  -  +	one user, and nobody else
 *	PW	-  -  -  -  +  +	one writer
 *	PR	-  -  +  -  +  +	readers
 *	CW	-  -  -  +  +  +	writers that agree among themselves
 *	CR	-  +  +  +  +  +	readers that mind nothing but EX
 *	NL	+  +  +  +  +  +	interest only
 */
static const struct {
	const char	*name;
	u32		compatible;
} modes[LDLM_MODE_COUNT] = {
	{ "EX", LCK_NL },
	{ "PW", LCK_CR | LCK_NL },
	{ "PR", LCK_PR | LCK_CR | LCK_NL },
	{ "CW", LCK_CW | LCK_CR | LCK_NL },
	{ "CR", LCK_PW | LCK_PR | LCK_CW | LCK_CR | LCK_NL },
	{ "NL", LDLM_MODES_ALL },
};

/**
 * ldlm_mode_is_one() - whether a peer's mode is one
 * @mode: mode
 *
 * Context: any
 * Return: whether it is exactly one of LCK_*
 */
bool ldlm_mode_is_one(u32 mode)
{
	return mode && !(mode & (mode - 1)) && !(mode & ~LDLM_MODES_ALL);
}

/**
 * ldlm_mode_index() - number of a mode
 * @mode: one of LCK_*
 *
 * Context: any
 * Return: 0 .. LDLM_MODE_COUNT - 1
 */
unsigned int ldlm_mode_index(u32 mode)
{
	return WARN_ON_ONCE(!ldlm_mode_is_one(mode)) ? 0 : __ffs(mode);
}

/**
 * lockmode_compat() - whether two modes may be held at once
 * @exists: one of LCK_*
 * @wanted: another
 *
 * Context: any
 * Return: whether they may; what is no mode goes with nothing
 */
bool lockmode_compat(u32 exists, u32 wanted)
{
	if (!ldlm_mode_is_one(exists) || !ldlm_mode_is_one(wanted))
		return false;
	return modes[__ffs(exists)].compatible & wanted;
}
EXPORT_SYMBOL_NS_GPL(lockmode_compat, LUSTRE_LITE);

/**
 * ldlm_mode_covers() - whether who has one mode needs not ask for another
 * @has: one of LCK_*
 * @wanted: another
 *
 * Context: any
 * Return: whether @has keeps out all that @wanted does
 */
bool ldlm_mode_covers(u32 has, u32 wanted)
{
	if (!ldlm_mode_is_one(has) || !ldlm_mode_is_one(wanted))
		return false;
	return !(modes[__ffs(has)].compatible &
		 ~modes[__ffs(wanted)].compatible);
}
EXPORT_SYMBOL_NS_GPL(ldlm_mode_covers, LUSTRE_LITE);

/**
 * ldlm_mode_name() - name of a mode
 * @mode: one of LCK_*, or 0
 *
 * Context: any
 * Return: static text; "--" for none
 */
const char *ldlm_mode_name(u32 mode)
{
	return ldlm_mode_is_one(mode) ? modes[__ffs(mode)].name : "--";
}
EXPORT_SYMBOL_NS_GPL(ldlm_mode_name, LUSTRE_LITE);
