// SPDX-License-Identifier: LGPL-2.1-or-later
#include "call.hpp"

namespace ll {

tl::unexpected<Error> call_error(int rc, std::string_view module, std::string_view object,
                                 std::string_view why)
{
    const bool named = why.starts_with(object) && why.substr(object.size()).starts_with(": ");
    std::string text;

    if (rc == -ENOTTY)
        return fail(ENOENT, "the module " + std::string(module) + " is not loaded: modprobe " +
                                std::string(module));
    if (rc == -EPERM && why.empty())
        why = kNeedsRoot;
    if (!object.empty() && !named)
        text.append(object).append(": ");
    if (!why.empty())
        text.append(why).append(": ");
    return fail(-rc, text + errno_text(-rc));
}

}  // namespace ll
