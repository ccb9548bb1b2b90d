// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a command file, as they arrive: a program that feeds lctl through a
 * pipe sees each command run when its line is complete.
 */
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <tl/expected.hpp>

namespace lctl::shell {

/** A line with those that a backslash at its end joins to it. */
struct Line {
    std::string text;
    std::size_t number;  // of its first line, from 1
};

class LineReader {
public:
    /** @fd stays the caller's. */
    explicit LineReader(int fd) : fd_(fd) {}

    /**
     * Return: the next line, nothing at the end of the input, or the errno of
     * a read that failed.
     */
    tl::expected<std::optional<Line>, int> next();

private:
    tl::expected<bool, int> fill();
    tl::expected<std::optional<std::string>, int> physical_line();

    int fd_;
    std::size_t number_ = 0;  // lines handed out
    bool at_end_ = false;
    std::string buffer_;  // read and not handed out
};

}  // namespace lctl::shell
