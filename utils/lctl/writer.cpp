// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/writer.hpp"

#include <cerrno>

#include <unistd.h>

namespace lctl {

void Writer::flush()
{
    if (!text_.empty() && error_ == 0)
        error_ = write_all(text_);
    text_.clear();
}

bool Writer::is_terminal() const
{
    return isatty(fd_) == 1;
}

int Writer::write_all(std::string_view text)
{
    while (!text.empty()) {
        const ssize_t n = ::write(fd_, text.data(), text.size());

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

}  // namespace lctl
