// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes as text: layouts as lfs getstripe of real Lustre prints them, the others as
 * name=value.
 */
#pragma once

#include <string>
#include <string_view>

#include "lctl/output/printer.hpp"

namespace ll_decode {

/** "NAME: KEY=VALUE ...", and a line for each element of a list of objects. */
void append_values(std::string& out, const char* name, const lctl::Json& value);

/** Lines "lmm_KEY: VALUE" of the members of a plain layout, without its objects. */
void append_fields(std::string& out, const lctl::Json& value, std::string_view indent);

/** A layout, or the default of a directory. */
void append_layout(std::string& out, const lctl::Json& value);

/** A composite layout as YAML, with magic numbers, sizes and places, as lfs getstripe -v prints it. */
void append_components(std::string& out, const lctl::Json& value);

/** Lines "lmm_magic: VALUE" and others that lfs getstripe -v prints before those of a plain layout. */
void append_identity(std::string& out, const lctl::Json& value, std::string_view indent);

/** trusted.link as real Lustre's ll_decode_linkea prints it. */
void append_linkea(std::string& out, const std::string& path, const lctl::Json& value);

/** trusted.fid, or the stripe of trusted.lma, as real Lustre's ll_decode_filter_fid prints it. */
void append_filter_fid(std::string& out, const std::string& path, const lctl::Json& value);

/** Text of a member: flags as a list, FIDs in brackets. */
std::string member_text(const lctl::Json& value, std::string_view key);

}  // namespace ll_decode
