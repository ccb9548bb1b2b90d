// SPDX-License-Identifier: GPL-2.0-only
/*
 * Directories, targets and whole programs for tests of utils/disk.
 */
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cmocka.hpp"
#include "disk/mountdata.hpp"
#include "lctl/writer.hpp"

namespace disk_test {

using Bytes = std::vector<std::byte>;

/** A directory that is removed with its contents. */
class Directory {
public:
    Directory();
    ~Directory();
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    bool has(const std::string& name) const;
    /** Parent directories are created. */
    void put(const std::string& name, const Bytes& bytes) const;
    Bytes get(const std::string& name) const;
    /** All files and directories in it, sorted, joined by blanks. */
    std::string list() const;

private:
    std::string path_ = "/tmp/disk-test-XXXXXX";
};

Bytes bytes_of(std::string_view text);
Bytes golden(const std::string& name);

struct Output {
    std::string out;
    std::string err;
    int status = 0;
};

/** Keeps the output of a program. */
using Program = int (*)(lctl::Writer& out, lctl::Writer& err, int argc, char* const* argv);
Output run(Program program, std::vector<std::string> arguments);
Output mkfs(std::vector<std::string> arguments);
Output tunefs(std::vector<std::string> arguments);

bool contains(const std::string& text, std::string_view part);

/** The text contains this. */
#define assert_contains(text, part)                      \
    do {                                                 \
        if (!disk_test::contains(text, part))            \
            expect_text(text, part, __FILE__, __LINE__); \
    } while (0)

/** mountdata of a directory; it must be valid. */
disk::MountData data_of(const Directory& directory, const std::string& name = ".");

}  // namespace disk_test
