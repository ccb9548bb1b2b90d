// SPDX-License-Identifier: GPL-2.0-only
/* Files that commands read and write as a whole. */
#pragma once

#include <memory>
#include <string>

#include <sys/types.h>

#include "lctl/writer.hpp"
#include "lib/error.hpp"
#include "lib/fd.hpp"

namespace lctl {

/** The bytes of a file; @path "-" is standard input. */
ll::Result<std::string> read_file(const std::string& path);

/** A file that appears, or is replaced, only when all of it was written. */
class FileOutput {
public:
    /**
     * Begin a file. Other files than regular ones (a pipe, /dev/null) are written to
     * directly; an existing file keeps its mode, @mode is for a new one.
     */
    static ll::Result<FileOutput> create(const std::string& path, mode_t mode);

    FileOutput(FileOutput&&) = default;
    FileOutput& operator=(FileOutput&&) = delete;
    FileOutput(const FileOutput&) = delete;
    FileOutput& operator=(const FileOutput&) = delete;
    /** What was not committed is removed. */
    ~FileOutput();

    Writer& writer() { return *writer_; }

    /** Put the file in its place. */
    ll::Status commit();

private:
    FileOutput(std::string path, std::string temporary, ll::Fd fd);

    std::string path_;
    std::string temporary_;  // "" when path_ itself is written to
    ll::Fd fd_;
    std::unique_ptr<Writer> writer_;
};

}  // namespace lctl
