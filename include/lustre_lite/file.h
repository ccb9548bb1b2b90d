/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files and directories of a local file system: complete reads and writes, and
 * renames that survive a power cut.
 */
#ifndef _LUSTRE_LITE_FILE_H
#define _LUSTRE_LITE_FILE_H

#include <linux/types.h>

struct file;
struct path;

ssize_t libcfs_pread(struct file *file, u64 offset, void *bytes, size_t len);
int libcfs_pwrite(struct file *file, u64 offset, const void *bytes, size_t len);
void libcfs_file_close(struct file *file);
int libcfs_dir_sync(struct file *dir);
int libcfs_path_sync(const struct path *dir);
int libcfs_rename(const struct path *dir, const char *from, const char *to);
ssize_t libcfs_path_text(const struct path *path, char *buf, size_t size);

#endif /* _LUSTRE_LITE_FILE_H */
