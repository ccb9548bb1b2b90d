// SPDX-License-Identifier: GPL-2.0-only
/*
 * The speed of TCP itself over 127.0.0.1, between the task that asks and a kernel
 * thread: the floor that requests stand on. In /sys/module/tcp_floor/parameters:
 *
 *	echo 176 5000 >ping	5 000 times 176 bytes there and 176 back
 *	cat ping		... how often in a second
 *	echo 1048576 256 >stream	256 pieces of 1 MiB, one after the other
 *	cat stream		... how many KiB in a second
 *	echo 1048576 256 >stream_crc	likewise; both ends compute the CRC32C of each
 */
#include <linux/completion.h>
#include <linux/crc32c.h>
#include <linux/inet.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <net/sock.h>
#include <net/tcp.h>

#include <lustre_lite/compat.h>

#define FLOOR_BYTES_MAX	(16 * 1024 * 1024)
#define FLOOR_COUNT_MAX	10000000
/* No answer for so long is an error. */
#define FLOOR_WAIT	(20 * HZ)

/**
 * struct floor - two ends of a connection, and the task at the far one
 * @near: end of the task that asks
 * @far: end of the thread
 * @bytes: of each piece
 * @count: pieces
 * @crc: both ends compute a CRC32C of each piece of a stream
 * @near_buf: what @near sends and receives
 * @far_buf: what @far does
 * @near_crc: what @near computed last
 * @far_crc: what @far did
 * @ended: the thread is done with all this
 */
struct floor {
	struct socket		*near;
	struct socket		*far;
	unsigned int		bytes;
	unsigned int		count;
	bool			crc;
	void			*near_buf;
	void			*far_buf;
	u32			near_crc;
	u32			far_crc;
	struct completion	ended;
};

static int floor_send(struct socket *sock, void *buf, size_t len)
{
	struct msghdr msg = { .msg_flags = MSG_NOSIGNAL };
	struct kvec vec = { .iov_base = buf, .iov_len = len };
	int rc = kernel_sendmsg(sock, &msg, &vec, 1, len);

	if (rc < 0)
		return rc;
	return (size_t)rc == len ? 0 : -EPIPE;
}

static int floor_recv(struct socket *sock, void *buf, size_t len)
{
	struct msghdr msg = { .msg_flags = MSG_WAITALL };
	struct kvec vec = { .iov_base = buf, .iov_len = len };
	int rc = kernel_recvmsg(sock, &msg, &vec, 1, len, MSG_WAITALL);

	if (rc < 0)
		return rc;
	return (size_t)rc == len ? 0 : -EPIPE;
}

static int floor_echo(void *data)
{
	struct floor *fl = data;

	while (!floor_recv(fl->far, fl->far_buf, fl->bytes)) {
		if (floor_send(fl->far, fl->far_buf, fl->bytes))
			break;
	}
	complete(&fl->ended);
	return 0;
}

/* Takes all pieces, and says so by one byte. */
static int floor_sink(void *data)
{
	struct floor *fl = data;
	unsigned int n;

	for (n = 0; n < fl->count; n++) {
		if (floor_recv(fl->far, fl->far_buf, fl->bytes))
			break;
		if (fl->crc)
			fl->far_crc = crc32c(~0U, fl->far_buf, fl->bytes);
	}
	if (n == fl->count)
		floor_send(fl->far, fl->far_buf, 1);
	complete(&fl->ended);
	return 0;
}

static int floor_pings(struct floor *fl)
{
	unsigned int n;
	int rc = 0;

	for (n = 0; n < fl->count && !rc; n++) {
		rc = floor_send(fl->near, fl->near_buf, fl->bytes);
		if (!rc)
			rc = floor_recv(fl->near, fl->near_buf, fl->bytes);
	}
	return rc;
}

static int floor_streams(struct floor *fl)
{
	unsigned int n;
	int rc = 0;

	for (n = 0; n < fl->count && !rc; n++) {
		if (fl->crc)
			fl->near_crc = crc32c(~0U, fl->near_buf, fl->bytes);
		rc = floor_send(fl->near, fl->near_buf, fl->bytes);
	}
	if (!rc)
		rc = floor_recv(fl->near, fl->near_buf, 1);
	return !rc && fl->near_crc != fl->far_crc ? -EBADMSG : rc;
}

static void floor_tune(struct socket *sock)
{
	tcp_sock_set_nodelay(sock->sk);
	sock->sk->sk_rcvtimeo = FLOOR_WAIT;
	sock->sk->sk_sndtimeo = FLOOR_WAIT;
}

static int floor_listener(struct net *net, struct socket **sock,
			  struct sockaddr_in *at)
{
	struct sockaddr_in any = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int rc = sock_create_kern(net, AF_INET, SOCK_STREAM, IPPROTO_TCP, sock);

	if (rc)
		return rc;
	rc = kernel_bind(*sock, (struct compat_sockaddr *)&any, sizeof(any));
	if (!rc)
		rc = kernel_listen(*sock, 1);
	if (!rc)
		rc = kernel_getsockname(*sock, (struct sockaddr *)at);
	if (rc < 0)
		sock_release(*sock);
	return rc < 0 ? rc : 0;
}

static int floor_connect(struct floor *fl)
{
	struct net *net = current->nsproxy->net_ns;
	struct socket *listener;
	struct sockaddr_in at;
	int rc;

	rc = floor_listener(net, &listener, &at);
	if (rc)
		return rc;
	rc = sock_create_kern(net, AF_INET, SOCK_STREAM, IPPROTO_TCP, &fl->near);
	if (rc)
		goto release_listener;
	rc = kernel_connect(fl->near, (struct compat_sockaddr *)&at, sizeof(at), 0);
	if (!rc)
		rc = kernel_accept(listener, &fl->far, 0);
	if (rc)
		goto release_near;
	floor_tune(fl->near);
	floor_tune(fl->far);
	goto release_listener;

release_near:
	sock_release(fl->near);
release_listener:
	sock_release(listener);
	return rc;
}

/* Measure, with a thread at the far end. */
static int floor_measure(struct floor *fl, int (*far)(void *data),
			 int (*near)(struct floor *fl), u64 *ns)
{
	struct task_struct *thread;
	u64 begin;
	int rc;

	thread = kthread_run(far, fl, "tcp_floor");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	begin = ktime_get_ns();
	rc = near(fl);
	*ns = max_t(u64, ktime_get_ns() - begin, 1);
	kernel_sock_shutdown(fl->near, SHUT_RDWR);
	wait_for_completion(&fl->ended);
	return rc;
}

static int floor_run(struct floor *fl, int (*far)(void *data),
		     int (*near)(struct floor *fl), u64 *ns)
{
	int rc = -ENOMEM;

	init_completion(&fl->ended);
	fl->near_buf = kvzalloc(fl->bytes, GFP_KERNEL);
	fl->far_buf = kvzalloc(fl->bytes, GFP_KERNEL);
	if (!fl->near_buf || !fl->far_buf)
		goto free_bufs;
	rc = floor_connect(fl);
	if (rc)
		goto free_bufs;
	rc = floor_measure(fl, far, near, ns);
	sock_release(fl->near);
	sock_release(fl->far);

free_bufs:
	kvfree(fl->near_buf);
	kvfree(fl->far_buf);
	return rc;
}

static int floor_parse(const char *val, struct floor *fl)
{
	char end;

	if (sscanf(val, "%u %u %c", &fl->bytes, &fl->count, &end) != 2)
		return -EINVAL;
	return fl->bytes && fl->bytes <= FLOOR_BYTES_MAX && fl->count &&
	       fl->count <= FLOOR_COUNT_MAX ? 0 : -ERANGE;
}

static u64 ping_rate, stream_rate, stream_crc_rate;

static int ping_set(const char *val, const struct kernel_param *kp)
{
	struct floor fl = {};
	u64 ns = 1;
	int rc;

	rc = floor_parse(val, &fl);
	if (!rc)
		rc = floor_run(&fl, floor_echo, floor_pings, &ns);
	if (!rc)
		ping_rate = div64_u64((u64)fl.count * NSEC_PER_SEC, ns);
	return rc;
}

static int stream_set(const char *val, const struct kernel_param *kp)
{
	struct floor fl = { .crc = kp->arg == &stream_crc_rate };
	u64 ns = 1, kib;
	int rc;

	rc = floor_parse(val, &fl);
	if (!rc)
		rc = floor_run(&fl, floor_sink, floor_streams, &ns);
	if (rc)
		return rc;
	kib = (u64)fl.count * fl.bytes >> 10;
	*(u64 *)kp->arg = div64_u64(kib * NSEC_PER_SEC, ns);
	return 0;
}

static int rate_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%llu\n", *(u64 *)kp->arg);
}

static const struct kernel_param_ops ping_ops = {
	.set = ping_set,
	.get = rate_get,
};

static const struct kernel_param_ops stream_ops = {
	.set = stream_set,
	.get = rate_get,
};

module_param_cb(ping, &ping_ops, &ping_rate, 0600);
MODULE_PARM_DESC(ping, "bytes and count of pings; reads as pings in a second");
module_param_cb(stream, &stream_ops, &stream_rate, 0600);
module_param_cb(stream_crc, &stream_ops, &stream_crc_rate, 0600);
MODULE_PARM_DESC(stream, "bytes and count of pieces; reads as KiB in a second");
MODULE_PARM_DESC(stream_crc, "likewise, with a CRC32C of each piece at both ends");

static int __init tcp_floor_init(void)
{
	return 0;
}

static void __exit tcp_floor_exit(void)
{
}

module_init(tcp_floor_init);
module_exit(tcp_floor_exit);

MODULE_DESCRIPTION("lustre-lite: rates of plain TCP in the kernel");
MODULE_LICENSE("GPL");
