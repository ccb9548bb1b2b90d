/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The management client, for who mounts. One for each management service and
 * network namespace, shared; it has its logs follow those of the service:
 *
 *	mgc_log_start()		the lock (CR), the log read whole and applied
 *	   lock wanted back	something changed: lock again, read on, apply, tell
 *				the service what became of it
 *	   lock lost		evicted, failover: the same
 *	mgc_log_end()		not followed any more: its devices stay, its settings
 *				are taken back
 *
 * A log's devices belong to whoever follows it: mgc_log_end() removes none. Its
 * settings are rules of the parameters tree; what they set gets its value from
 * before.
 */
#ifndef _LUSTRE_LITE_MGC_H
#define _LUSTRE_LITE_MGC_H

#include <lustre_lite/nid.h>
#include <lustre_lite/obd.h>
#include <lustre_lite/proof.h>
#include <uapi/lustre_lite/disk.h>

struct mgc_log;
struct net;

/*
 * The client of the service at @nodes, "NID[,NID...][:NID...]", in @net: started
 * where there is none. Held by the caller until mgc_put(); the last put ends it, in
 * bounded time. It connects by itself; nothing here waits for that. Return: an
 * ERR_PTR: -EINVAL for what are no NIDs; as class_attach(), class_setup()
 */
struct obd_device * __must_check mgc_get(struct net *net, const char *nodes,
					 struct obd_why *why);
void mgc_put(struct obd_device *mgc);

/* flags of struct mgc_follow */
#define MGC_FOLLOW_SERVER	0x1	/* of a target: CONFIGS/ of its folder has copies */
#define MGC_FOLLOW_NO_IR	0x2	/* not told of targets that restarted */
#define MGC_FOLLOW_NO_COPY	0x4	/* never from a copy (nolocallogs) */

/**
 * struct mgc_follow - how a log is followed
 * @log: "lustre-client", "lustre-OST0001"
 * @instance: of its devices, not 0 (obd_instance; class_cleanup_instance() takes them
 *	down); ends their names, but not those of a server (cr_plain)
 * @uuid: uuid of devices, or ""
 * @exclude: targets to leave inactive, joined by ':', or ""
 * @copies: folder where verified copies are kept, or NULL. Of a target: its CONFIGS
 * @flags: MGC_FOLLOW_*
 * @wait_sec: how long the service is waited for before a copy is taken; 0: not at all
 *
 * With it the settings that are for all (log "params") and, unless @flags says
 * otherwise, the table of NIDs of its file system are followed, once for all logs
 * of the client that want them.
 */
struct mgc_follow {
	const char	*log;
	u64		instance;
	const char	*uuid;
	const char	*exclude;
	const char	*copies;
	u32		flags;
	unsigned int	wait_sec;
};

/*
 * Follow a log: it was applied once when this returns 0, settings first. Records
 * that failed do not fail it; they are told to the console and the service.
 * Return: an ERR_PTR: -ENOENT: the service has no such log; -ENOTCONN, -ETIMEDOUT:
 * the service is not there, nor is a copy; -EINTR; -EEXIST: it is followed with
 * that instance already; -EIO: the log is damaged
 */
struct mgc_log * __must_check mgc_log_start(struct obd_device *mgc,
					    const struct mgc_follow *follow,
					    struct obd_why *why);
/* Bounded, whatever the service does. */
void mgc_log_end(struct mgc_log *log);
/* It was taken from a copy, and the service did not say yet whether that is good. */
bool mgc_log_stale(const struct mgc_log *log);

/**
 * struct mgc_target - a target that registers
 * @flags: in: LDD_F_*, of its mountdata; out: those that are left
 * @index: in, out
 * @fsname: file system
 * @svname: out
 * @uuid: out
 * @id: uuid of its directory, empty where it has none
 * @key: key of its secret
 * @offer: the service is told the key, to know the target by it from now on; not only a
 *	proof
 * @params: ldd_params
 * @instance: of this start; the table of NIDs tells clients
 * @generation: imp_generation when the service was asked last; for mgc_late_start()
 */
struct mgc_target {
	u32		flags;
	u32		index;
	char		fsname[LDD_FSNAME_LEN];
	char		svname[LDD_SVNAME_LEN];
	char		uuid[LDD_UUID_LEN];
	char		id[LDD_UUID_LEN];
	u8		key[LIBCFS_KEY_LEN];
	bool		offer;
	const char	*params;
	u32		instance;
	u32		generation;
};

/*
 * Register a target with the service, under the NIDs of this node. Waits for the
 * service and its answer at most @wait_sec. Return: what the service says, see mgs_log_register();
 * -ENOTCONN, -ETIMEDOUT
 */
int mgc_target_register(struct obd_device *mgc, struct mgc_target *target,
			unsigned int wait_sec, struct obd_why *why);

/*
 * A target has stopped: tell the service, so that it may start elsewhere at once. With
 * @wait, waits for the answer a few seconds at most; a service that is not there finds
 * out by the end of the connection.
 */
void mgc_target_stop(struct obd_device *mgc, const char *svname, u32 instance,
		     bool wait);

struct mgc_late;

/*
 * A target is registered: @target has what the service says. May sleep, but not end
 * what called it. Return: 0, or why that is as good as no registration
 */
typedef int (mgc_registered_t)(void *data, const struct mgc_target *target,
			       struct obd_why *why);

/*
 * Keep a target registered for as long as it runs: again whenever the service has lost
 * its connection to this node, which is not waited for. @registered: @target has been,
 * by mgc_target_register(); else it was started without the service. What becomes of it:
 * mgc.*.targets. NULL: no memory
 */
struct mgc_late * __must_check
mgc_late_start(struct obd_device *mgc, const struct mgc_target *target,
	       bool registered, mgc_registered_t *done, void *data);
/* Waits for an answer of the service for a few seconds at most. */
void mgc_late_end(struct mgc_late *la);

#endif /* _LUSTRE_LITE_MGC_H */
