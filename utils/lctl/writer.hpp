// SPDX-License-Identifier: GPL-2.0-only
/*
 * A buffered output over a file descriptor.
 *
 * Output gathers in one buffer and is written in large blocks. A caller that appends to
 * text() directly calls spill() after it.
 */
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lctl {

class Writer {
public:
    static constexpr std::size_t kFull = 256 * 1024;

    /** @fd stays the caller's. */
    explicit Writer(int fd) : fd_(fd) {}
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    virtual ~Writer() { flush(); }

    void put(std::string_view text)
    {
        text_.append(text);
        spill();
    }

    /** The buffer, to append to; call spill() afterwards. */
    std::string& text() { return text_; }

    /** Write out when the buffer is full. */
    void spill()
    {
        if (text_.size() >= kFull)
            flush();
    }

    /** Write out all; a failure is kept in error() and later text is dropped. */
    void flush();

    /** Return: errno of the first write that failed, or 0. */
    int error() const { return error_; }

    bool is_terminal() const;

protected:
    /** Return: 0 or an errno. */
    virtual int write_all(std::string_view text);

private:
    int fd_;
    int error_ = 0;
    std::string text_;
};

}  // namespace lctl
