// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <optional>
#include <string>

#include "lctl/writer.hpp"
#include "lib/error.hpp"

namespace ll_decode {

constexpr int kFailed = 1;  // an attribute is damaged, or a file cannot be read
constexpr int kUsage = 2;

/** Access to files; tests replace it, because setting trusted.* requires root. */
class Files {
public:
    Files() = default;
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
    virtual ~Files() = default;

    /** Is it a directory? Symbolic links are not followed, here and below. */
    virtual ll::Result<bool> is_directory(const std::string& path) const;
    /** Value of an attribute; none if the file does not have it. */
    virtual ll::Result<std::optional<std::string>> attribute(const std::string& path,
                                                             const char* name) const;
};

struct Context {
    lctl::Writer& out;
    lctl::Writer& err;
    const Files& files;
};

/** The whole program; argv[0] chooses how it prints. Return: its exit status. */
int run(Context context, int argc, char* const* argv);

}  // namespace ll_decode
