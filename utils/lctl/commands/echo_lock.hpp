// SPDX-License-Identifier: GPL-2.0-only
/*
 * The part of a resource that echo_test locks: from its options, and as text and JSON.
 */
#pragma once

#include <string>

#include "lctl/arguments.hpp"
#include "lctl/output/printer.hpp"
#include "lib/echo.hpp"

namespace lctl {

/** Whether a call learns the size of an object. */
bool echo_tells_size(ll_echo_op op);

/** Options of --op lock other than its mode. Return: an error text; empty if there is none. */
std::string parse_echo_lock(const Arguments& arguments, ll::EchoTest& test);

/** The part of the last granted lock: "bytes 0-EOF", "bits lookup,update", "all". */
std::string echo_granted_text(const ll::EchoTest& test, const ll::EchoResult& result);

/** The same: first and last, or an array of names; empty for all of the resource. */
Json echo_granted_json(const ll::EchoTest& test, const ll::EchoResult& result);

/** A lock that is in the way: "PW bytes 0-9 of pid 5", "none"; its members, or none. */
std::string echo_blocker_text(const ll::EchoResult& result);
Json echo_blocker_json(const ll::EchoResult& result);

}  // namespace lctl
