/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree of the modules themselves, compiled for user space, with a directory
 * "s" of an entry of every type. For tests in C++, which cannot take the
 * stand-in headers.
 */
#ifndef _LCTL_LIVE_H
#define _LCTL_LIVE_H

#ifdef __cplusplus
extern "C" {
#endif

struct lctl_live;

struct lctl_live *lctl_live_start(void **state);
void lctl_live_stop(struct lctl_live *live, void **state);

/* As ioctl(2) on an open file: 0 or a negative errno. */
int lctl_live_call(struct lctl_live *live, unsigned long cmd, void *arg);

/* Whether the caller has CAP_SYS_ADMIN; it has it at first. */
void lctl_live_set_capable(int capable);

/* Make every setter fail after the first @good ones. */
void lctl_live_fail_sets(struct lctl_live *live, int error, unsigned int good);

/* Directories "n/d<i>" with @values entries "v<k>" each; gone with the tree. */
int lctl_live_add_many(unsigned int dirs, unsigned int values);

#ifdef __cplusplus
}
#endif

#endif /* _LCTL_LIVE_H */
