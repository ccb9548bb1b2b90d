// SPDX-License-Identifier: GPL-2.0
/*
 * Which floor a message that came is for: replies are for those who wait for them,
 * requests for a service.
 */
#include "rpc/rpc.h"

static bool is_request(const struct ll_rx *rx)
{
	return rx->rx_view.type == PTL_RPC_MSG_REQUEST;
}

static int receive_message(struct ll_rx *rx)
{
	return is_request(rx) ? ptlrpc_rx_request(rx) : ptlrpc_rx_reply(rx);
}

/* The type was kept: the message itself may be with its new owner by now. */
static void receive_done(struct ll_rx *rx, int rc)
{
	if (is_request(rx))
		ptlrpc_rx_request_done(rx, rc);
	else
		ptlrpc_rx_reply_done(rx, rc);
}

/* Requests first: what they wake up may look for another connection at once. */
static void receive_closed(struct ll_conn *conn)
{
	ptlrpc_requests_conn_closed(conn);
	ptlrpc_imports_conn_closed(conn);
}

const struct ll_net_ops ptlrpc_net_ops = {
	.no_message	= receive_message,
	.no_received	= receive_done,
	.no_closed	= receive_closed,
};
