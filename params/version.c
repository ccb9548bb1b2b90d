// SPDX-License-Identifier: GPL-2.0
/*
 * What one atomic knows of an entry: its version, how many writes are on their
 * way, and where its value comes from.
 *
 * Versions make compare-and-set work without a lock over the callback. A write
 * is counted before the callback, and after it the version rises, the count goes
 * down and the source is noted, in one step. One that expects a version goes on
 * only by exchanging that version with no write on its way for the same with
 * one: so of two that expect the same one is refused. And a reader notes the
 * version before it reads: what it holds together with a value from before some
 * callback, or from the midst of it, is not a version that anybody can go on
 * from once that callback has run, nor while it runs.
 *
 * A rule's write begins when no other is on its way, and at its end sees whether
 * another began meanwhile. Only when none did is the source PERMANENT: then the
 * value is the rule's for sure.
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
 * params_state() - version, writes and source of an entry now
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
 * params_state_quiet() - whether a state has no write on its way
 * @state: state
 *
 * Context: any
 * Return: true when there is none
 */
bool params_state_quiet(s64 state)
{
	return !(state & LPE_WRITES);
}

/**
 * params_write_begin() - count a write that others may go along with
 * @lpe: entry, active
 *
 * Context: any
 * Return: the source that the value has until now
 */
enum params_source params_write_begin(struct lustre_params_entry *lpe)
{
	s64 state = atomic64_add_return(LPE_WRITE, &lpe->lpe_version);

	return params_state_source(state);
}

/**
 * params_write_begin_alone() - count a write, if nothing has changed
 * @lpe: entry, active
 * @state: what is expected; on success the state with this write
 *
 * Context: any
 * Return: false when the state is another, or has a write on its way
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
 * params_write_begin_if() - count a write, if a rule gave the value, or none did
 * @lpe: entry, active
 * @ruled: which of the two
 *
 * While it is on its way no rule's write ends well.
 *
 * Context: any
 * Return: false when it is the other
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
 * params_write_end() - a write has ended, the version rises
 * @lpe: entry; params_write_begin*() counted the write
 *
 * The source stays: the write failed.
 *
 * Context: any
 */
void params_write_end(struct lustre_params_entry *lpe)
{
	/* One that returns a value, for it orders what the callback did. */
	atomic64_add_return(LPE_VERSION - LPE_WRITE, &lpe->lpe_version);
}

/**
 * params_write_end_as() - a write has ended well
 * @lpe: entry; params_write_begin*() counted the write
 * @source: where the value comes from now
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
 * params_write_end_alone() - a write has ended well; was there no other?
 * @lpe: entry
 * @state: from params_write_begin_alone()
 * @source: where the value comes from now, if there was no other write
 *
 * Context: any
 * Return: false when there was another: the source is what that one says
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
 * params_write_end_unruled() - a write that takes a rule's value away has ended
 * @lpe: entry; params_write_begin_if() counted the write
 * @source: where the value comes from now, unless somebody set it meanwhile
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
