/* SPDX-License-Identifier: GPL-2.0 */
/* The directory of a management service, as a directory of the store */
#ifndef _MGS_FOLDER_H
#define _MGS_FOLDER_H

#include "store.h"

struct mgs_folder;
struct path;

/* Their argument is a struct mgs_folder. */
extern const struct mgs_folder_io mgs_folder_io;

/*
 * Operations use the credentials of the task that opens it. @path: referenced until it is
 * closed. Return: directory, or an ERR_PTR: -ENOMEM
 */
struct mgs_folder * __must_check mgs_folder_open(const struct path *path);
void mgs_folder_close(struct mgs_folder *folder);

#endif /* _MGS_FOLDER_H */
