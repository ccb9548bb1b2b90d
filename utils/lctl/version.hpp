// SPDX-License-Identifier: GPL-2.0-only
#pragma once

namespace lctl {

class Context;

/** Release of the tools. */
inline constexpr const char* kVersion = LL_VERSION;

/** `lctl --version`: the tool alone, no module is asked. */
void print_tool_version(Context& context);

}  // namespace lctl
