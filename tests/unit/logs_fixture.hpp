// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs for tests: those that real Lustre wrote, made ones, damaged ones.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cmocka.hpp"
#include "lib/log_file.hpp"

#include <lustre_lite/lustre_cfg.h>

namespace logs_test {

using Bytes = std::vector<std::byte>;

/** Names of the logs below tests/golden. */
extern const std::vector<std::string> golden_logs;

/** A file below tests/golden. */
Bytes golden(const std::string& name);
std::string golden_path(const std::string& name);
std::string text_of(const Bytes& bytes);

/** The same log as a machine of the other byte order writes it. */
Bytes swapped(Bytes log);

/** Numbers in a log, as they lie there. */
std::uint32_t word(const Bytes& bytes, std::size_t offset);
void set_word(Bytes& bytes, std::size_t offset, std::uint32_t value);
/** Where record @index begins; fails where there is none. */
std::size_t offset_of(const Bytes& log, std::uint32_t index);

/** Makes a log record by record. */
class LogMaker {
public:
    LogMaker();

    /** A command; the first text is the device. */
    LogMaker& command(std::uint32_t command, std::vector<std::string> texts, std::uint32_t num = 0,
                      std::uint64_t nid = 0);
    LogMaker& marker(std::uint32_t step, std::uint32_t flags, const std::string& target,
                     const std::string& comment);
    /** A record that would cross the end of its chunk has padding before it, as in real Lustre. */
    LogMaker& record(std::uint32_t type, const Bytes& body);
    /** Padding of @length bytes: it has a number and no bit, and the header does not count it. */
    LogMaker& padding(std::size_t length);
    /** Bytes up to the end of the chunk; those of a chunk at its start. */
    std::size_t left() const;
    /** The bit of the last record is cleared. */
    LogMaker& cancelled();

    const Bytes& bytes() const { return bytes_; }
    std::uint32_t last() const { return last_; }

private:
    std::size_t append(std::uint32_t type, const Bytes& body);

    Bytes bytes_;
    std::uint32_t last_ = 0;
};

/** A log in memory, its header read. */
ll::LogFile open_bytes(Bytes bytes, const std::string& name = "log");

/** A directory that is removed with its contents. */
class Directory {
public:
    Directory();
    ~Directory();
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    /** Return: the path of the file. */
    std::string put(const std::string& name, const Bytes& bytes) const;

private:
    std::string path_ = "/tmp/logs-test-XXXXXX";
};

Bytes read_bytes(const std::string& path);

struct Output {
    std::string out;
    std::string err;
    int status = 0;
};

/** llog_reader as a whole. */
Output read_logs(std::vector<std::string> arguments);

}  // namespace logs_test
