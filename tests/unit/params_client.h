/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A user of /dev/libcfs with registered memory: each call goes through libcfs's own
 * boundary, as from ioctl(2).
 */
#ifndef _PARAMS_CLIENT_H
#define _PARAMS_CLIENT_H

#include <linux/types.h>
#include <lustre_lite/libcfs.h>
#include <uapi/lustre_lite/params_ioctl.h>

/**
 * struct client - an open file and a buffer
 * @file: the open file
 * @buf: where results go
 * @size: bytes of it
 * @used: bytes that the last call filled
 * @reason: words of the last refusal
 */
struct client {
	struct libcfs_file	file;
	char			*buf;
	size_t			size;
	size_t			used;
	char			reason[PARAMS_REASON_MAX + 1];
};

void client_open(struct client *cl, size_t size);
void client_close(struct client *cl);

/* Any call; @arg begins with struct libcfs_ioc_hdr, which is filled in. */
long client_call(struct client *cl, unsigned int cmd, void *arg, size_t size);

long client_list(struct client *cl, struct params_ioc_list *pl,
		 const char *path, const char *after, u32 depth);
long client_read(struct client *cl, struct params_ioc_read *pr,
		 const char *path);
long client_read_on(struct client *cl, struct params_ioc_read *pr);
long client_read_paths(struct client *cl, struct params_ioc_read_batch *rb,
		       const char *paths, size_t len, u32 count, u32 next);
long client_read_subtree(struct client *cl, struct params_ioc_read_batch *rb,
			 const char *path, const char *after);
long client_write(struct client *cl, struct params_ioc_write *pw,
		  const char *path, const char *text);
long client_write_typed(struct client *cl, const char *path, u8 type,
			const void *value, u32 len);
long client_describe(struct client *cl, struct params_ioc_describe *pd,
		     const char *path);

/* The shortest: the value of an entry as text, "" and the errno on failure. */
long client_get(struct client *cl, const char *path, char *text, size_t size);
long client_set(struct client *cl, const char *path, const char *text);

/**
 * struct client_batch - writes of one call
 * @in: records
 * @in_len: bytes
 * @count: how many
 */
struct client_batch {
	char	in[4096];
	u32	in_len;
	u32	count;
};

void client_batch_add(struct client_batch *batch, const char *path,
		      const char *text, u32 flags, u32 version);
long client_write_batch(struct client *cl, struct params_ioc_write_batch *wb,
			const struct client_batch *batch, u32 flags);
const struct params_reply_rec *client_reply(const struct client *cl, u32 index);

/*
 * Returned records. Each function walks over them and fails the test if one is malformed.
 */
const struct params_list_rec *client_list_rec(const struct client *cl,
					      u32 index);
const struct params_entry_rec *client_entry_rec(const struct client *cl,
						u32 index);
const struct params_value_rec *client_value_rec(const void *at, size_t len,
						u32 index);
const void *client_value(const struct params_value_rec *rec);

#endif /* _PARAMS_CLIENT_H */
