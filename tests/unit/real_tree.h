/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tree of the modules' own code, in user space, with some parameters in it
 * that look like a file system's. There is one in a process.
 */
#ifndef _REAL_TREE_H
#define _REAL_TREE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Directory "many" has this many entries, t00000 and up. */
#define REAL_TREE_MANY	5000

/* Return: 0 or a negative errno. */
int real_tree_start(void);
void real_tree_stop(void);

/* As whom calls are made from now on: root, or someone without privilege. */
void real_tree_be_root(int root);

/* As ioctl(2), but it returns the negative errno. */
int real_tree_call(unsigned long cmd, void *arg);

#ifdef __cplusplus
}
#endif

#endif /* _REAL_TREE_H */
