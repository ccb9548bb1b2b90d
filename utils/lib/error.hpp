// SPDX-License-Identifier: LGPL-2.1-or-later
// Errors as values: nothing in the library throws across its interface.
#ifndef LL_ERROR_HPP
#define LL_ERROR_HPP

#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace ll {

// What went wrong. `text` names the object and what would be right; where the
// kernel said no more than an errno it is the words of that errno.
struct Error {
    int code = 0;  // errno, positive
    std::string text;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;

// The words of an errno, without taking part in locales.
std::string errno_text(int code);

// An Error of `code` that reads "object: words of code".
Error make_error(int code, std::string_view object);

inline tl::unexpected<Error> fail(int code, std::string text)
{
    return tl::unexpected<Error>(Error{code, std::move(text)});
}

}  // namespace ll

#endif
