// SPDX-License-Identifier: GPL-2.0-only
/*
 * One atomic of an entry: its version, the number of writes in progress, and
 * the source of its value.
 *
 * Versions make compare-and-set work without a lock over the callback. A write
 * is counted before the callback; after it one step raises the version,
 * decrements the count and sets the source. A write that expects a version
 * exchanges that version without writes in progress for the same one with one
 * write: so of two such writes one is refused. A reader takes the version
 * before the value: if a callback runs meanwhile, that version is stale for a
 * later compare-and-set, both during and after the callback.
 *
 * A rule's write starts while no other write is in progress, and tests at its
 * end whether another one started meanwhile. Only if none did is the source
 * PERMANENT: then the value is certainly the rule's.
 */
#include "params_internal.h"

#define LPE_WRITES		(BIT_ULL(30) - 1)
#define LPE_SOURCE_SHIFT	30
#define LPE_SOURCE		(3ULL << LPE_SOURCE_SHIFT)

static s64 params_state_with(s64 state, enum params_source source)
{
	return (state & ~LPE_SOURCE) | (s64)source << LPE_SOURCE_SHIFT;
}

/**
 * params_state() - version, writes and source of an entry
 * @lpe: entry, not a link
 *
 * Context: any
 * Return: the state, for the functions below
 */
s64 params_state(const struct lustre_params_entry *lpe)
{
	return atomic64_read(&lpe->lpe_version);
}

/**
 * params_state_source() - the source in a state
 * @state: state
 *
 * Context: any
 * Return: the source
 */
enum params_source params_state_source(s64 state)
{
	return (state & LPE_SOURCE) >> LPE_SOURCE_SHIFT;
}

/**
 * params_state_quiet() - whether a state has no write in progress
 * @state: state
 *
 * Context: any
 * Return: true if there is none
 */
bool params_state_quiet(s64 state)
{
	return !(state & LPE_WRITES);
}

/**
 * params_write_begin() - count a write that may overlap with others
 * @lpe: entry, active
 *
 * Context: any
 * Return: the previous source
 */
enum params_source params_write_begin(struct lustre_params_entry *lpe)
{
	s64 state = atomic64_add_return(LPE_WRITE, &lpe->lpe_version);

	return params_state_source(state);
}

/**
 * params_write_begin_alone() - count a write, if nothing has changed
 * @lpe: entry, active
 * @state: expected state; on success the state with this write
 *
 * Context: any
 * Return: false if the state has changed, or has a write in progress
 */
bool params_write_begin_alone(struct lustre_params_entry *lpe, s64 *state)
{
	s64 want = *state;

	if (!params_state_quiet(want) ||
	    !atomic64_try_cmpxchg(&lpe->lpe_version, &want, want + LPE_WRITE))
		return false;
	*state = want + LPE_WRITE;
	return true;
}

/**
 * params_write_begin_if() - count a write, if a rule gave the value, or if none
 * did
 * @lpe: entry, active
 * @ruled: which of the two
 *
 * While it is in progress no rule's write succeeds.
 *
 * Context: any
 * Return: false if it is the other
 */
bool params_write_begin_if(struct lustre_params_entry *lpe, bool ruled)
{
	s64 state = params_state(lpe);

	do {
		if ((params_state_source(state) == PARAMS_SOURCE_PERMANENT) !=
		    ruled)
			return false;
	} while (!atomic64_try_cmpxchg(&lpe->lpe_version, &state,
				       state + LPE_WRITE));
	return true;
}

/**
 * params_write_end() - end a failed write, raise the version
 * @lpe: entry; params_write_begin*() counted the write
 *
 * The source is unchanged.
 *
 * Context: any
 */
void params_write_end(struct lustre_params_entry *lpe)
{
	/* A value-returning operation orders the effects of the callback. */
	atomic64_add_return(LPE_VERSION - LPE_WRITE, &lpe->lpe_version);
}

/**
 * params_write_end_as() - end a successful write
 * @lpe: entry; params_write_begin*() counted the write
 * @source: new source
 *
 * Context: any
 */
void params_write_end_as(struct lustre_params_entry *lpe,
			 enum params_source source)
{
	s64 state = params_state(lpe);
	s64 next;

	do {
		next = params_state_with(state, source) + LPE_VERSION -
			LPE_WRITE;
	} while (!atomic64_try_cmpxchg(&lpe->lpe_version, &state, next));
}

/**
 * params_write_end_alone() - end a successful write, and test for overlap
 * @lpe: entry
 * @state: from params_write_begin_alone()
 * @source: new source, unless another write overlapped
 *
 * Context: any
 * Return: false if another write overlapped, which then sets the source
 */
bool params_write_end_alone(struct lustre_params_entry *lpe, s64 state,
			    enum params_source source)
{
	s64 want = state;

	if (atomic64_try_cmpxchg(&lpe->lpe_version, &want,
				 params_state_with(state, source) +
				 LPE_VERSION - LPE_WRITE))
		return true;
	params_write_end(lpe);
	return false;
}

/**
 * params_write_end_unruled() - end a write that replaces a rule's value
 * @lpe: entry; params_write_begin_if() counted the write
 * @source: new source, unless it was set meanwhile
 *
 * Context: any
 */
void params_write_end_unruled(struct lustre_params_entry *lpe,
			      enum params_source source)
{
	s64 state = params_state(lpe);
	s64 next;

	do {
		next = state + LPE_VERSION - LPE_WRITE;
		if (params_state_source(state) == PARAMS_SOURCE_PERMANENT)
			next = params_state_with(next, source);
	} while (!atomic64_try_cmpxchg(&lpe->lpe_version, &state, next));
}
