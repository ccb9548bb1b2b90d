// SPDX-License-Identifier: GPL-2.0-only
/* The cases of ptlrpc_request_kunit.c over TCP. */
#define KR_TCP
#include "ptlrpc_request_kunit.c"
