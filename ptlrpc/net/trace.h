/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints: each change of state of a request, an import, a connection and a
 * request at a server, and each reply. /sys/kernel/tracing/events/lustre_lite.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM lustre_lite

#if !defined(_PTLRPC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _PTLRPC_TRACE_H

#include <linux/tracepoint.h>

#include <lustre_lite/obd_import.h>
#include <lustre_lite/ptlrpc.h>
#include <lustre_lite/ptlrpc_net.h>
#include <lustre_lite/ptlrpc_service.h>

/* Numbers that tools outside of the kernel can print as names, too. */
#define show_rq_phase(phase)						\
	__print_symbolic(phase,						\
			 { RQ_NEW, "NEW" },				\
			 { RQ_WAITING, "WAITING" },			\
			 { RQ_RPC, "RPC" },				\
			 { RQ_UNREGISTERING, "UNREGISTERING" },		\
			 { RQ_INTERPRET, "INTERPRET" },			\
			 { RQ_COMPLETE, "COMPLETE" })

#define show_conn_state(state)						\
	__print_symbolic(state,						\
			 { CONN_NEW, "NEW" },				\
			 { CONN_HELLO, "HELLO" },			\
			 { CONN_OPEN, "OPEN" },				\
			 { CONN_CLOSING, "CLOSING" },			\
			 { CONN_CLOSED, "CLOSED" })

#define show_sr_state(state)						\
	__print_symbolic(state,						\
			 { SR_NEW, "NEW" },				\
			 { SR_QUEUED, "QUEUED" },			\
			 { SR_RUNNING, "RUNNING" },			\
			 { SR_REPLYING, "REPLYING" },			\
			 { SR_DONE, "DONE" })

#define show_import_state(state)					\
	__print_symbolic(state,						\
			 { LUSTRE_IMP_CLOSED, "CLOSED" },		\
			 { LUSTRE_IMP_NEW, "NEW" },			\
			 { LUSTRE_IMP_DISCON, "DISCONN" },		\
			 { LUSTRE_IMP_CONNECTING, "CONNECTING" },	\
			 { LUSTRE_IMP_REPLAY, "REPLAY" },		\
			 { LUSTRE_IMP_REPLAY_LOCKS, "REPLAY_LOCKS" },	\
			 { LUSTRE_IMP_REPLAY_WAIT, "REPLAY_WAIT" },	\
			 { LUSTRE_IMP_RECOVER, "RECOVER" },		\
			 { LUSTRE_IMP_FULL, "FULL" },			\
			 { LUSTRE_IMP_EVICTED, "EVICTED" },		\
			 { LUSTRE_IMP_IDLE, "IDLE" })

/* A request changes its phase from @from to the current one. */
TRACE_EVENT(ptlrpc_request_phase,
	TP_PROTO(const struct ptlrpc_request *req, enum rq_phase from),
	TP_ARGS(req, from),
	TP_STRUCT__entry(
		__array(char, dev, MAX_OBD_NAME)
		__field(u64, xid)
		__field(u32, opc)
		__field(u32, from)
		__field(u32, to)
		__field(int, status)
	),
	TP_fast_assign(
		strscpy(__entry->dev, req->rq_import->imp_obd->obd_name,
			MAX_OBD_NAME);
		__entry->xid = req->rq_xid;
		__entry->opc = req->rq_opc;
		__entry->from = from;
		__entry->to = req->rq_phase;
		__entry->status = req->rq_status;
	),
	TP_printk("%s: x%llu opc %u %s -> %s status %d", __entry->dev,
		  __entry->xid, __entry->opc,
		  show_rq_phase(__entry->from),
		  show_rq_phase(__entry->to),
		  __entry->status)
);

/* A reply came for a request, or an early reply. */
TRACE_EVENT(ptlrpc_reply,
	TP_PROTO(const struct ptlrpc_request *req, const struct wire_msg *rep,
		 bool early),
	TP_ARGS(req, rep, early),
	TP_STRUCT__entry(
		__array(char, dev, MAX_OBD_NAME)
		__field(u64, xid)
		__field(u64, transno)
		__field(u32, opc)
		__field(int, status)
		__field(u32, timeout)
		__field(bool, early)
	),
	TP_fast_assign(
		strscpy(__entry->dev, req->rq_import->imp_obd->obd_name,
			MAX_OBD_NAME);
		__entry->xid = rep->xid;
		__entry->transno = rep->transno;
		__entry->opc = rep->opc;
		__entry->status = rep->status;
		__entry->timeout = rep->timeout;
		__entry->early = early;
	),
	TP_printk("%s: x%llu opc %u status %d transno %llu timeout %u%s",
		  __entry->dev, __entry->xid, __entry->opc, __entry->status,
		  __entry->transno, __entry->timeout,
		  __entry->early ? " early" : "")
);

/* An import has changed: its state, its generation or a flag. */
TRACE_EVENT(ll_import_state,
	TP_PROTO(const struct obd_import *imp),
	TP_ARGS(imp),
	TP_STRUCT__entry(
		__array(char, dev, MAX_OBD_NAME)
		__field(u32, state)
		__field(u32, generation)
		__field(u32, conn_cnt)
		__field(unsigned long, flags)
	),
	TP_fast_assign(
		strscpy(__entry->dev, imp->imp_obd->obd_name, MAX_OBD_NAME);
		__entry->state = READ_ONCE(imp->imp_state);
		__entry->generation = READ_ONCE(imp->imp_generation);
		__entry->conn_cnt = READ_ONCE(imp->imp_conn_cnt);
		__entry->flags = READ_ONCE(imp->imp_flags);
	),
	TP_printk("%s: %s generation %u connect %u flags 0x%lx", __entry->dev,
		  show_import_state(__entry->state),
		  __entry->generation, __entry->conn_cnt, __entry->flags)
);

/* A connection changes its state. */
TRACE_EVENT(lnet_conn_state,
	TP_PROTO(const struct lnet_conn *conn, enum lnet_conn_state from,
		 enum lnet_conn_state to),
	TP_ARGS(conn, from, to),
	TP_STRUCT__entry(
		__array(char, nid, LNET_NID_TEXT_MAX)
		__field(u32, from)
		__field(u32, to)
		__field(int, error)
		__field(bool, passive)
	),
	TP_fast_assign(
		if (!conn->cn_nid.nid_len ||
		    libcfs_nid_print(&conn->cn_nid, __entry->nid,
				     LNET_NID_TEXT_MAX) < 0)
			strscpy(__entry->nid, "?", LNET_NID_TEXT_MAX);
		__entry->from = from;
		__entry->to = to;
		__entry->error = conn->cn_error;
		__entry->passive = test_bit(CNF_PASSIVE, &conn->cn_flags);
	),
	TP_printk("%s%s: %s -> %s error %d", __entry->nid,
		  __entry->passive ? " (passive)" : "",
		  show_conn_state(__entry->from),
		  show_conn_state(__entry->to),
		  __entry->error)
);

/* A request at the server changes its state. */
TRACE_EVENT(ptlrpc_svc_state,
	TP_PROTO(const struct ptlrpc_svc_req *sr, enum sr_state from,
		 enum sr_state to),
	TP_ARGS(sr, from, to),
	TP_STRUCT__entry(
		__array(char, nid, LNET_NID_TEXT_MAX)
		__field(u64, xid)
		__field(u32, opc)
		__field(u32, from)
		__field(u32, to)
		__field(int, status)
	),
	TP_fast_assign(
		if (libcfs_nid_print(&sr->sr_conn->cn_nid, __entry->nid,
				     LNET_NID_TEXT_MAX) < 0)
			strscpy(__entry->nid, "?", LNET_NID_TEXT_MAX);
		__entry->xid = sr->sr_msg.xid;
		__entry->opc = sr->sr_msg.opc;
		__entry->from = from;
		__entry->to = to;
		__entry->status = sr->sr_status;
	),
	TP_printk("%s: x%llu opc %u %s -> %s status %d", __entry->nid,
		  __entry->xid, __entry->opc,
		  show_sr_state(__entry->from),
		  show_sr_state(__entry->to),
		  __entry->status)
);

#endif /* _PTLRPC_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
