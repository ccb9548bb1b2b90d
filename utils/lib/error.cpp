// SPDX-License-Identifier: LGPL-2.1-or-later
#include "error.hpp"

#include <cstring>

namespace ll {

std::string errno_text(int code)
{
    const char* words = strerrordesc_np(code);

    if (words)
        return words;
    return "error " + std::to_string(code);
}

Error make_error(int code, std::string_view object)
{
    std::string text(object);

    if (!text.empty())
        text += ": ";
    text += errno_text(code);
    return Error{code, std::move(text)};
}

}  // namespace ll
