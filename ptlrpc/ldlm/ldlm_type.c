// SPDX-License-Identifier: GPL-2.0-only
/* Modes of locks and their compatibility; names of types. */
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/kernel.h>

#include <lustre_lite/compat.h>

#include "ldlm_internal.h"

#define LDLM_MODES_ALL	(LCK_EX | LCK_PW | LCK_PR | LCK_CW | LCK_CR | LCK_NL)

/*
 * By number of the mode: the modes compatible with it, and those that make it unnecessary,
 * because they exclude all that it excludes.
 *
 *		EX PW PR CW CR NL
 *	EX	-  -  -  -  -  +	exclusive
 *	PW	-  -  -  -  +  +	one writer
 *	PR	-  -  +  -  +  +	readers
 *	CW	-  -  -  +  +  +	writers that coordinate among themselves
 *	CR	-  +  +  +  +  +	readers that conflict with EX only
 *	NL	+  +  +  +  +  +	interest only
 */
static const struct {
	const char	*name;
	u32		compatible;
	u32		covering;
} modes[LDLM_MODE_COUNT] = {
	{ "EX", LCK_NL, LCK_EX },
	{ "PW", LCK_CR | LCK_NL, LCK_EX | LCK_PW },
	{ "PR", LCK_PR | LCK_CR | LCK_NL, LCK_EX | LCK_PW | LCK_PR },
	{ "CW", LCK_CW | LCK_CR | LCK_NL, LCK_EX | LCK_PW | LCK_CW },
	{ "CR", LCK_PW | LCK_PR | LCK_CW | LCK_CR | LCK_NL, LDLM_MODES_ALL & ~LCK_NL },
	{ "NL", LDLM_MODES_ALL, LDLM_MODES_ALL },
};

/**
 * ldlm_mode_is_one() - whether a mode from a peer is valid
 * @mode: mode
 *
 * Context: any
 * Return: true if it is exactly one of LCK_*
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
 * lockmode_compat() - whether two modes are compatible
 * @exists: one of LCK_*
 * @wanted: another
 *
 * Context: any
 * Return: true if they are; an invalid mode is compatible with none
 */
bool lockmode_compat(u32 exists, u32 wanted)
{
	if (!ldlm_mode_is_one(exists) || !ldlm_mode_is_one(wanted))
		return false;
	return modes[__ffs(exists)].compatible & wanted;
}
EXPORT_FOR_KUNIT(lockmode_compat);

/**
 * ldlm_mode_covers() - whether a mode makes another one unnecessary
 * @has: one of LCK_*
 * @wanted: another
 *
 * Context: any
 * Return: true if @has excludes all that @wanted does
 */
bool ldlm_mode_covers(u32 has, u32 wanted)
{
	if (!ldlm_mode_is_one(has) || !ldlm_mode_is_one(wanted))
		return false;
	return modes[__ffs(wanted)].covering & has;
}
EXPORT_FOR_KUNIT(ldlm_mode_covers);

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
EXPORT_FOR_KUNIT(ldlm_mode_name);

/**
 * ldlm_modes_conflicting() - the modes that are incompatible with a mode
 * @mode: one of LCK_*
 *
 * Context: any
 * Return: LCK_*, any number of them
 */
u32 ldlm_modes_conflicting(u32 mode)
{
	return LDLM_MODES_ALL & ~modes[ldlm_mode_index(mode)].compatible;
}

/**
 * ldlm_modes_covering() - the modes that make a mode unnecessary
 * @mode: one of LCK_*
 *
 * Context: any
 * Return: LCK_*, any number of them
 */
u32 ldlm_modes_covering(u32 mode)
{
	return modes[ldlm_mode_index(mode)].covering;
}

/**
 * ldlm_type_name() - name of a type, as real Lustre prints it
 * @type: LDLM_PLAIN ...
 *
 * Context: any
 * Return: static text; "---" for an unknown one
 */
const char *ldlm_type_name(u32 type)
{
	switch (type) {
	case LDLM_PLAIN:
		return "PLN";
	case LDLM_EXTENT:
		return "EXT";
	case LDLM_IBITS:
		return "IBT";
	case LDLM_FLOCK:
		return "FLK";
	default:
		return "---";
	}
}
