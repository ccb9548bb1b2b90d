/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The folder of a management service, as the store sees it: files of the file
 * system that the folder is on.
 */
#ifndef _MGS_FOLDER_H
#define _MGS_FOLDER_H

#include "store.h"

struct mgs_folder;
struct path;

/* @folder of its functions is a struct mgs_folder. */
extern const struct mgs_folder_io mgs_folder_io;

/*
 * What is done in it is done with the rights of who opens it. @path: referenced by
 * the folder until it is closed. Return: an ERR_PTR: -ENOMEM
 */
struct mgs_folder * __must_check mgs_folder_open(const struct path *path);
void mgs_folder_close(struct mgs_folder *folder);

#endif /* _MGS_FOLDER_H */
