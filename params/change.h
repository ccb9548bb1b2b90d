/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One write to an entry, in three steps, so that a transaction can take each
 * for many entries:
 *
 *	        params_change_check()        params_change_apply()
 *	OPEN -------------------> CHECKED ---------------------> APPLIED
 *	                              ^                              |
 *	                              +------------------------------+
 *	                                   params_change_undo()
 *
 * A failed step changes neither the state nor the value.
 */
#ifndef _PARAMS_CHANGE_H
#define _PARAMS_CHANGE_H

#include "params_text.h"

struct lustre_params_entry;

enum params_change_state {
	PARAMS_CHANGE_OPEN,
	PARAMS_CHANGE_CHECKED,
	PARAMS_CHANGE_APPLIED,
};

/**
 * struct params_change - a write
 * @ch_lpe: entry, a link followed; referenced
 * @ch_text: the value as text, not NUL-terminated; of a typed value its records
 * @ch_len: bytes of @ch_text
 * @ch_flags: PARAMS_W_TYPED, PARAMS_W_VERSION
 * @ch_version: expected version
 * @ch_state: see above
 * @ch_number: value of a numeric type, from CHECKED on
 * @ch_old: previous value, of a numeric type; APPLIED with @ch_keep
 * @ch_old_text: previous value, of a STRING; kvmalloc'd
 * @ch_old_len: its bytes
 * @ch_old_source: previous enum params_source; from APPLIED on
 * @ch_undoable: the old value can be restored; from CHECKED on
 * @ch_keep: save the old value for an undo
 * @ch_from_base: "+name -name" start from @ch_base, not from the current value
 * @ch_base: a mask
 */
struct params_change {
	struct lustre_params_entry	*ch_lpe;
	const char			*ch_text;
	size_t				ch_len;
	u32				ch_flags;
	u32				ch_version;
	enum params_change_state	ch_state;
	bool				ch_undoable;
	bool				ch_keep;
	union params_number		ch_number;
	u64				ch_old;
	char				*ch_old_text;
	size_t				ch_old_len;
	u8				ch_old_source;
	bool				ch_from_base;
	u64				ch_base;
};

int params_change_init(struct params_change *ch, const char *path,
		       size_t path_len, const char *value, size_t value_len,
		       u32 flags, u32 version);
void params_change_fini(struct params_change *ch);
int params_change_check(struct params_change *ch, struct params_reason *why);
int params_change_apply(struct params_change *ch, struct params_reason *why);
int params_change_set(struct params_change *ch);
int params_change_undo(struct params_change *ch);
u32 params_change_version(const struct params_change *ch);

#endif /* _PARAMS_CHANGE_H */
