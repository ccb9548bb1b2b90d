// SPDX-License-Identifier: GPL-2.0
#include "lctl/shell/line_reader.hpp"

#include <array>
#include <cerrno>

#include <unistd.h>

#include "lctl/shell/tokenizer.hpp"

namespace lctl::shell {

/* Return: false at the end of the input. */
tl::expected<bool, int> LineReader::fill()
{
    std::array<char, 4096> chunk;
    ssize_t got;

    do {
        got = ::read(fd_, chunk.data(), chunk.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return tl::unexpected(errno);
    buffer_.append(chunk.data(), static_cast<std::size_t>(got));
    return got > 0;
}

/* A line without its end, which is LF or CR LF; the last one may lack it. */
tl::expected<std::optional<std::string>, int> LineReader::physical_line()
{
    std::size_t end;

    while ((end = buffer_.find('\n')) == std::string::npos && !at_end_) {
        const auto more = fill();
        if (!more)
            return tl::unexpected(more.error());
        at_end_ = !*more;
    }
    if (end == std::string::npos && buffer_.empty())
        return std::nullopt;

    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end == std::string::npos ? end : end + 1);
    if (line.ends_with('\r'))
        line.pop_back();
    number_++;
    return line;
}

tl::expected<std::optional<Line>, int> LineReader::next()
{
    auto first = physical_line();
    if (!first)
        return tl::unexpected(first.error());
    if (!*first)
        return std::nullopt;

    Line line{std::move(**first), number_};
    while (wants_next_line(line.text)) {
        auto more = physical_line();
        if (!more)
            return tl::unexpected(more.error());
        if (!*more)
            break;
        line.text += '\n';
        line.text += **more;
    }
    return line;
}

}  // namespace lctl::shell
