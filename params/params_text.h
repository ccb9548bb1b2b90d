/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text to numbers: what a person may type for a typed parameter. Pure functions
 * of their arguments; a refusal fills in words that say what would be right.
 */
#ifndef _PARAMS_TEXT_H
#define _PARAMS_TEXT_H

#include <linux/types.h>
#include <uapi/lustre_lite/params_ioctl.h>

struct lustre_params_attr;

/**
 * struct params_reason - the words of a refusal, "" while there is none
 * @text: NUL-terminated
 */
struct params_reason {
	char text[PARAMS_REASON_MAX];
};

__printf(2, 3)
void params_refuse(struct params_reason *why, const char *fmt, ...);

/**
 * struct params_number - a value of any scalar type, parsed
 * @u: U32 U64 BOOL ENUM BYTES MASK
 * @s: S32 S64 TIME
 */
union params_number {
	u64 u;
	s64 s;
};

int params_parse(const struct lustre_params_attr *attr, const char *text,
		 size_t len, u64 total, u64 old, union params_number *num,
		 struct params_reason *why);
int params_check_range(const struct lustre_params_attr *attr,
		       union params_number num, struct params_reason *why);
size_t params_format_bytes(u64 bytes, enum params_unit unit, char *buf,
			   size_t size);
u64 params_unit_bytes(enum params_unit unit);
s64 params_unit_ns(enum params_unit unit);
const char *params_unit_name(enum params_unit unit);
bool params_type_signed(enum params_type type);

#endif /* _PARAMS_TEXT_H */
