// SPDX-License-Identifier: GPL-2.0
// Small things that all who make calls need.
#ifndef LL_CALL_HPP
#define LL_CALL_HPP

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>

#include "error.hpp"
#include "pathspec.hpp"

namespace ll {

inline uint64_t address(const void* p)
{
    return uint64_t(reinterpret_cast<uintptr_t>(p));
}

// A status of the boundary as an errno; what is none is a broken message.
inline int status_errno(int32_t status)
{
    if (status == 0)
        return 0;
    return status < 0 && status > -4096 ? -status : EBADMSG;
}

inline std::string path_text(std::string_view raw)
{
    return raw.empty() ? "the root" : display_path(raw);
}

inline tl::unexpected<Error> path_error(int code, std::string_view raw)
{
    return tl::unexpected(make_error(code, path_text(raw)));
}

inline tl::unexpected<Error> nonsense(std::string_view raw, std::string_view what)
{
    return fail(EBADMSG,
                path_text(raw) + ": libcfs sent " + std::string(what) + " that makes no sense");
}

// No such entry (any more): not an error of an entry that a glob found.
inline bool is_missing(int code)
{
    return code == ENOENT || code == ENOTDIR || code == ENODEV;
}

inline Status unless_missing(Status done)
{
    return !done && is_missing(done.error().code) ? Status{} : done;
}

}  // namespace ll

#endif
