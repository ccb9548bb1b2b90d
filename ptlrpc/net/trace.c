// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints of lustre-lite, made here.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
