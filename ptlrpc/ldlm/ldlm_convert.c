// SPDX-License-Identifier: GPL-2.0
/*
 * A client's lock to another mode. Less is in force at once, before the server
 * hears of it; more when the server says so.
 */
#define DEBUG_SUBSYSTEM S_LDLM

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/wait.h>

#include <lustre_lite/compat.h>
#include <lustre_lite/debug.h>

#include "ldlm_internal.h"

/* From here on it is LOCK_CONVERTING, and in nobody else's hands. */
static int convert_begin(struct ldlm_lock *lock, u32 mode)
{
	int rc = 0;

	spin_lock(ldlm_lock_lock(lock));
	if (lock->l_state == LOCK_CONVERTING)
		rc = -EBUSY;
	else if (lock->l_state != LOCK_GRANTED || !lock->l_users)
		rc = lock->l_error ?: -EINVAL;
	else
		ldlm_lock_wait_converting(lock, mode);
	if (!rc && ldlm_mode_covers(lock->l_granted_mode, mode))
		ldlm_lock_set_mode(lock, mode);
	spin_unlock(ldlm_lock_lock(lock));
	return rc;
}

/* It has @mode, which is what it had or what the server said. */
static void convert_end(struct ldlm_lock *lock, u32 mode)
{
	spin_lock(ldlm_lock_lock(lock));
	if (lock->l_state == LOCK_CONVERTING) {
		ldlm_lock_grant(lock, mode);
		if (test_bit(LDLM_LF_WANTED, &lock->l_flags))
			ldlm_lock_tell(lock, LDLM_LF_TELL_WANTED);
		ldlm_client_settle(lock);
	} else if (lock->l_state == LOCK_GRANTED &&
		   ldlm_mode_covers(lock->l_granted_mode, mode)) {
		ldlm_lock_set_mode(lock, mode);
		lock->l_req_mode = mode;
	}
	spin_unlock(ldlm_lock_lock(lock));
}

static int convert_answered(struct ldlm_lock *lock,
			    const struct ll_wire_lock *answer)
{
	int rc;

	if (!answer)
		return -EPROTO;
	if (answer->wl_flags & cpu_to_le32(LDLM_FL_BLOCK_GRANTED))
		return 0;
	spin_lock(ldlm_lock_lock(lock));
	rc = ldlm_client_granted(lock, le32_to_cpu(answer->wl_granted_mode), 0);
	spin_unlock(ldlm_lock_lock(lock));
	return rc == -ESTALE ? 0 : rc;
}

static int convert_ask(struct ldlm_lock *lock)
{
	struct ptlrpc_request *req = ldlm_client_request(lock, LDLM_CONVERT, 0);
	int rc;

	if (IS_ERR(req))
		return PTR_ERR(req);
	rc = ptlrpc_queue_wait(req);
	if (!rc)
		rc = convert_answered(lock, ptlrpc_rep_buf(req, 0,
						sizeof(struct ll_wire_lock)));
	ptlrpc_request_put(req);
	return rc;
}

/* Return: 0 when that is over, 1 when the server is to be asked again. */
static int convert_wait(struct ldlm_lock *lock)
{
	long left = ll_wait_event_task_timeout(lock->l_wait,
					       READ_ONCE(lock->l_state) !=
					       LOCK_CONVERTING ||
					       test_bit(LDLM_LF_REASK,
							&lock->l_flags),
					       MAX_SCHEDULE_TIMEOUT);
	int rc = 0;

	if (left < 0)
		return -EINTR;
	spin_lock(ldlm_lock_lock(lock));
	if (lock->l_state == LOCK_CONVERTING)
		rc = test_and_clear_bit(LDLM_LF_REASK, &lock->l_flags);
	else if (lock->l_state == LOCK_DESTROYED)
		rc = lock->l_error ?: -EIO;
	spin_unlock(ldlm_lock_lock(lock));
	return rc;
}

/*
 * The server was told that the wish is no more. What it says then is at most what
 * the lock had; a grant that came before it is void.
 */
static int revert_done(struct ptlrpc_request *req, void *data, int rc)
{
	struct ldlm_lock *lock = data;
	const struct ll_wire_lock *answer = NULL;
	u32 mode = READ_ONCE(lock->l_granted_mode);

	if (!rc)
		answer = ptlrpc_rep_buf(req, 0, sizeof(*answer));
	if (answer && ldlm_mode_is_one(le32_to_cpu(answer->wl_granted_mode)))
		mode = le32_to_cpu(answer->wl_granted_mode);
	convert_end(lock, mode);
	ldlm_lock_put(lock);
	return rc;
}

/* The task is killed: have it as it was, by a thread that is not. */
static void convert_revert(struct ldlm_lock *lock, u32 before)
{
	struct ptlrpc_request *req = ldlm_client_request(lock, LDLM_CONVERT, 0);
	struct ll_wire_lock *body;

	if (IS_ERR(req)) {
		convert_end(lock, before);
		return;
	}
	body = ptlrpc_req_buf(req, 0);
	body->wl_req_mode = cpu_to_le32(before);
	req->rq_no_slot = true;
	req->rq_interpret = revert_done;
	req->rq_interpret_data = ldlm_lock_get(lock);
	ptlrpcd_add(req);
	ptlrpc_request_put(req);
}

/**
 * ldlm_cli_convert() - have another mode for a lock
 * @lock: lock of a client, used by the caller
 * @mode: mode
 *
 * Waits until it is granted, or the task is killed; then, and after an error, the
 * lock has the mode that it had, or less where less was asked for.
 *
 * Context: sleeps
 * Return: 0; -EINVAL for what is no mode, or a lock that is not used; -EBUSY while
 * it is being converted; -EDEADLK when another holder wants more, too; -EINTR;
 * -EIO when the lock was lost; as ptlrpc_queue_wait()
 */
int ldlm_cli_convert(struct ldlm_lock *lock, u32 mode)
{
	u32 before = ldlm_lock_mode(lock);
	int rc;

	if (!ldlm_mode_is_one(mode))
		return -EINVAL;
	rc = convert_begin(lock, mode);
	if (rc)
		return rc;
	if (ldlm_mode_covers(before, mode))
		before = mode;
	do {
		rc = convert_ask(lock) ?: convert_wait(lock);
	} while (rc > 0);
	if (rc == -EINTR)
		convert_revert(lock, before);
	else if (rc)
		convert_end(lock, before);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(ldlm_cli_convert, LUSTRE_LITE);
