/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Format of a journal's record, with all checks of its bytes. A codec: it
 * compiles unchanged in the kernel and in user space. The fields are described
 * in uapi/lustre_lite/echo_journal.h.
 */
#ifndef _ECHO_JOURNAL_FORMAT_H
#define _ECHO_JOURNAL_FORMAT_H

#include <lustre_lite/codec.h>
#include <uapi/lustre_lite/echo_journal.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JRN_HEAD_SIZE	sizeof(struct ll_echo_jrn_head)
#define JRN_UUID_SIZE	40

/* struct jrn_head - struct ll_echo_jrn_head, in the byte order of the host */
struct jrn_head {
	u64	seq;
	u64	transno;
	u64	executed;
	u64	sum;
	u32	len;
	u32	clients;
};

/**
 * struct jrn_client - struct ll_echo_jrn_client, in host byte order
 * @uuid: client
 * @executed: its counting requests executed
 * @sum: sum of their values
 * @xid_count: numbers that follow
 * @xids: of a decoded record: the numbers, for jrn_xid()
 */
struct jrn_client {
	char		uuid[JRN_UUID_SIZE];
	u64		executed;
	u64		sum;
	u32		xid_count;
	const void	*xids;
};

/* struct jrn_at - a position in a record being encoded or decoded */
struct jrn_at {
	u8	*bytes;
	size_t	len;
	size_t	at;
};

size_t jrn_client_size(u32 xids);

void jrn_begin(struct jrn_at *to, void *bytes, size_t len);
bool jrn_put_client(struct jrn_at *to, const struct jrn_client *client);
bool jrn_put_xid(struct jrn_at *to, u64 xid);
void jrn_seal(struct jrn_at *to, struct jrn_head *head);

const char *jrn_head_read(const void *record, size_t len, struct jrn_head *head);
const char *jrn_open(struct jrn_at *from, void *record, size_t len,
		     struct jrn_head *head);
const char *jrn_get_client(struct jrn_at *from, struct jrn_client *client);

static inline u64 jrn_xid(const struct jrn_client *client, u32 n)
{
	return codec_get64((const u8 *)client->xids + n * sizeof(u64), false);
}

#ifdef __cplusplus
}
#endif

#endif /* _ECHO_JOURNAL_FORMAT_H */
