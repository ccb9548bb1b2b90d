/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The management client, for mounts. There is one for each management service and
 * network namespace. It keeps its logs up to date with those of the service:
 *
 *	mgc_log_start()		CR lock, the whole log is read and applied
 *	blocking AST		the log changed: lock again, read on, apply, acknowledge
 *	lock lost		after an eviction or a failover: the same
 *	mgc_log_end()		the subscription ends: its devices stay, its settings
 *				are reverted
 *
 * A log's devices belong to the subscriber: mgc_log_end() removes none. Its settings
 * are rules of the parameters tree; each parameter gets its previous value back.
 */
#ifndef _LUSTRE_LITE_MGC_H
#define _LUSTRE_LITE_MGC_H

#include <lustre_lite/nid.h>
#include <lustre_lite/obd.h>
#include <lustre_lite/proof.h>
#include <uapi/lustre_lite/disk.h>

struct mgc_log;
struct net;
struct path;

/*
 * The client of the service at @nodes, "NID[,NID...][:NID...]", in @net;
 * started if there is none. Referenced for the caller until mgc_put(); the last
 * put stops it in bounded time. It connects in the background. Return: an
 * ERR_PTR: -EINVAL for malformed NIDs; as class_attach(), class_setup()
 */
struct obd_device * __must_check mgc_get(struct net *net, const char *nodes,
					 struct obd_why *why);
void mgc_put(struct obd_device *mgc);

/* flags of struct mgc_follow */
#define MGC_FOLLOW_SERVER	0x1	/* of a target: CONFIGS/ of its directory has copies */
#define MGC_FOLLOW_NO_IR	0x2	/* no notification of restarted targets */
#define MGC_FOLLOW_NO_COPY	0x4	/* never from a copy (nolocallogs) */

/**
 * struct mgc_follow - how a log is followed
 * @log: "lustre-client", "lustre-OST0001"
 * @instance: of its devices, not 0 (obd_instance; class_cleanup_instance()
 *  removes them); suffix of their names, except on a server (cr_plain)
 * @uuid: uuid of devices, or ""
 * @exclude: targets to leave inactive, joined by ':', or ""
 * @copies: directory of verified copies, or NULL; mgc_log_start() takes a reference. Of a
 *  target: its CONFIGS
 * @flags: MGC_FOLLOW_*
 * @wait_sec: seconds to wait for the service before a copy is used; 0: do not
 *  wait
 *
 * The settings for all nodes (log "params") and, unless @flags says otherwise,
 * the table of NIDs of the file system are followed too, once for all logs of
 * the client that want them.
 */
struct mgc_follow {
	const char	*log;
	u64		instance;
	const char	*uuid;
	const char	*exclude;
	const struct path *copies;
	u32		flags;
	unsigned int	wait_sec;
};

/*
 * Follow a log. On success it was applied once, settings first. Records that
 * failed do not fail it; they are reported on the console and to the service.
 * Return: an ERR_PTR: -ENOENT: the service has no such log; -ENOTCONN,
 *  -ETIMEDOUT: neither the service nor a copy is available; -EINTR; -EEXIST:
 *  already followed with that instance; -EIO: the log is damaged
 */
struct mgc_log * __must_check mgc_log_start(struct obd_device *mgc,
					    const struct mgc_follow *follow,
					    struct obd_why *why);
/* Bounded, even if the service does not answer. */
void mgc_log_end(struct mgc_log *log);
/* Applied from a copy that the service has not confirmed yet. */
bool mgc_log_stale(const struct mgc_log *log);

/**
 * struct mgc_target - a target that registers
 * @flags: in: LDD_F_*, of its mountdata; out: the remaining ones
 * @index: in, out
 * @fsname: file system
 * @svname: out
 * @uuid: out
 * @id: uuid of its directory, empty if it has none
 * @key: key of its secret
 * @offer: the service gets the key and identifies the target by it from now on;
 *  without it the service gets only a proof
 * @params: ldd_params
 * @instance: number of this start; clients see it in the table of NIDs
 * @generation: imp_generation at the last registration; for
 *  mgc_deferred_start()
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
 * Register a target with the service, under the NIDs of this node. Waits for
 * the service and its answer at most @wait_sec. Return: the result of the
 * service, see mgs_log_register(); -ENOTCONN, -ETIMEDOUT
 */
int mgc_target_register(struct obd_device *mgc, struct mgc_target *target,
			unsigned int wait_sec, struct obd_why *why);

/*
 * A target has stopped: notify the service, so that it may start elsewhere at
 * once. With
 * @wait, waits a few seconds for the answer. A service that cannot be reached
 * notices the end of the connection.
 */
void mgc_target_stop(struct obd_device *mgc, const char *svname, u32 instance,
		     bool wait);

struct mgc_deferred;

/*
 * A target was registered; @target has the service's answer. May sleep, but
 * must not stop its caller. Return: 0, or an errno that makes the registration
 * fail
 */
typedef int (mgc_registered_t)(void *data, const struct mgc_target *target,
			       struct obd_why *why);

/*
 * Register a target again whenever the service has lost the connection to this
 * node, in the background. @registered: mgc_target_register() has succeeded;
 * otherwise the target was started without the service. mgc.*.targets shows the
 * result. NULL on allocation failure.
 */
struct mgc_deferred * __must_check
mgc_deferred_start(struct obd_device *mgc, const struct mgc_target *target,
		   bool registered, mgc_registered_t *done, void *data);
/* Waits a few seconds at most for an answer of the service. */
void mgc_deferred_end(struct mgc_deferred *la);

#endif /* _LUSTRE_LITE_MGC_H */
