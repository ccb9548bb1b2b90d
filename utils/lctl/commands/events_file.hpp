// SPDX-License-Identifier: GPL-2.0
/*
 * A file of permanent settings, as "lctl llog_print params" prints them:
 *
 *	- { index: 4, event: set_param, device: general, parameter: osc.*.x, value: 64 }
 *
 * People of real Lustre move settings from one management service to another so.
 */
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "lctl/commands/params_file.hpp"
#include "lib/mgs.hpp"

namespace lctl {

/** Is the text such a file? Its YAML is a list; that of save_params is a map. */
bool is_events_file(const std::string& text);

/** Return: the changes in the order of the file, or its first fault. */
tl::expected<std::vector<ll::MgsChange>, FileFault> parse_events(const std::string& text);

}  // namespace lctl
