// SPDX-License-Identifier: LGPL-2.1-or-later
// Small things that all who make calls need.
#ifndef LL_CALL_HPP
#define LL_CALL_HPP

#include <cerrno>
#include <cstdint>
#include <cstring>
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

inline constexpr std::string_view kNeedsRoot = "requires CAP_SYS_ADMIN (run as root)";

// Words that the kernel left in a field, up to their NUL.
template <size_t Size>
std::string_view words_of(const char (&field)[Size])
{
    return {field, strnlen(field, Size)};
}

// A text with its NUL into a field of an argument. Returns whether it fits.
template <size_t Size>
bool put_text(char (&field)[Size], std::string_view text)
{
    if (text.size() >= Size || text.find('\0') != std::string_view::npos)
        return false;
    text.copy(field, text.size());
    field[text.size()] = '\0';
    return true;
}

// A call that `module` answers failed with -rc, for `object` where it is one; `why`
// are the kernel's words, which may begin with the object. The same condition has
// the same status for all commands: ENOENT where the module is not loaded.
tl::unexpected<Error> call_error(int rc, std::string_view module, std::string_view object = {},
                                 std::string_view why = {});

inline tl::unexpected<Error> nonsense(std::string_view raw, std::string_view what)
{
    return fail(EBADMSG,
                path_text(raw) + ": malformed reply from libcfs (" + std::string(what) + ")");
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
