// SPDX-License-Identifier: GPL-2.0-only
/*
 * A file of settings, as save_params writes and apply_params reads it:
 *
 *	# comment
 *	parameters:
 *	- name: osc.lustre-OST0000.max_rpcs_in_flight
 *	  value: 8
 *	  type: u32
 *
 * A value is the text of an operand of set_param, of any type in YAML. The type may be left
 * out.
 */
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/mgs.hpp"

namespace lctl {

/** A setting; the line is that of the file, from 1. */
struct SavedParam {
    std::string name;  // as a person types it
    std::string value;
    std::string type;  // "" when the file does not say
    std::size_t line = 0;
};

/** A fault of the file; line 0 is the file as a whole. */
struct FileFault {
    std::size_t line = 0;
    std::string message;
};

/** Return: the settings in the order of the file, or its first fault. */
tl::expected<std::vector<SavedParam>, FileFault> parse_settings(const std::string& text);

/** Append what comes before the first setting; @about goes into comments. */
void append_settings_head(std::string& out, const std::vector<std::string>& about);

/** Append one setting. */
void append_setting(std::string& out, const SavedParam& setting);

/** YAML can hold only text; other bytes would not come back. */
bool is_utf8(std::string_view text);

/** Is the text such a file? Its YAML is a list; that of save_params is a map. */
bool is_events_file(const std::string& text);

/** Return: the changes in the order of the file, or its first fault. */
tl::expected<std::vector<ll::MgsChange>, FileFault> parse_events(const std::string& text);

}  // namespace lctl
