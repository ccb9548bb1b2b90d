// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls that fill a buffer. For use within the library.
#ifndef LL_FILL_HPP
#define LL_FILL_HPP

#include "call.hpp"
#include "params.hpp"

namespace ll {

// Size of the first buffer, which fits into the initial heap of a program, and of a buffer for
// calls that stream.
inline constexpr uint32_t kFirstSize = 32 * 1024;
inline constexpr uint32_t kLargeSize = 1024 * 1024;

// Makes the call with a buffer of at least `room` bytes, and again with a larger one if a record
// does not fit. Return: 0 or an errno; EBADMSG if the reply claims impossible sizes.
template <class Arg>
int Params::fill(unsigned long cmd, Arg& arg, const BufferFields<Arg>& at, uint32_t room)
{
    for (;;) {
        if (!more_room(room))
            return EBADMSG;
        arg.*at.buf = address(buffer_.get());
        arg.*at.len = buffer_size_;
        const int rc = port_.call(cmd, &arg);
        if (rc == -EOVERFLOW && arg.*at.len > buffer_size_)
            room = arg.*at.len;
        else if (rc < 0)
            return -rc;
        else
            return arg.*at.used > buffer_size_ ? EBADMSG : 0;
    }
}

}  // namespace ll

#endif
