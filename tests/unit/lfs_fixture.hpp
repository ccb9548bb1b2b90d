// SPDX-License-Identifier: GPL-2.0-only
/*
 * lfs as a whole over a file system in memory: a command line in, output and
 * exit status out.
 */
#pragma once

#include <cerrno>
#include <map>
#include <string>
#include <vector>

#include "cmocka.hpp"
#include "lfs/lfs.hpp"

namespace lfs_test {

struct File {
    lfs::Kind kind = lfs::Kind::File;
    std::optional<std::string> layout;
    std::uint64_t size = 0;
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::int64_t age = 0;        // of what was written, in seconds; more since it was read: 1 d
    bool lists_no_type = false;  // its directory does not say what it is
};

/** One client mount, on /mnt/lustre. */
class FakeFiles final : public lfs::Files {
public:
    FakeFiles();

    ll::Result<lfs::Status> status(const std::string& path, bool follow) override;
    ll::Result<std::vector<lfs::Entry>> entries(const std::string& path) override;
    ll::Result<std::optional<std::string>> layout(const std::string& path) override;
    ll::Result<std::optional<std::string>> root_layout(const std::string& path) override;
    ll::Status set_file_layout(const std::string& path, const std::string& layout) override;
    ll::Status add_components(const std::string& path, const std::string& components) override;
    ll::Status delete_components(const std::string& path, const std::string& which) override;
    ll::Status migrate(const std::string& path, const std::optional<std::string>& layout) override;
    ll::Status set_default(const std::string& path, const std::string& layout) override;
    ll::Result<lu_fid> fid(const std::string& path) override;
    ll::Result<std::uint64_t> data_version(const std::string& path, std::uint32_t flags) override;
    ll::Result<lfs::PathName> path(const std::string& mount, const lu_fid& fid,
                                   std::uint32_t number) override;
    std::vector<std::string> mounts() override;
    ll::Result<std::string> mount_of(const std::string& path, bool follow) override;
    ll::Result<std::string> root_of(const std::string& mount) override;
    ll::Result<std::optional<ll_user_target>> target(const std::string& mount, lfs::TargetType type,
                                                     std::uint32_t index) override;
    ll::Result<std::string> volume(const std::string& mount) override;
    ll::Result<lctl::Pools> pools(const std::string& name) override;

private:
    ll::Status change_components(const std::string& path);

public:
    std::map<std::string, File> files;
    std::vector<ll_user_target> targets;
    std::map<std::uint32_t, std::vector<std::string>> names;  // by f_oid
    bool mounted = true;
    std::string root;  // of the mount: a path in the file system
    int refuse = 0;    // errno of those that set a layout
    // Layout that another user gives the file before the next change of its components
    std::optional<std::string> other;
    int changes = 0;  // so many copies of migrate() fail with `change`
    int change = EAGAIN;
    int asked = 0;         // for attributes and layouts
    std::string set_path;  // what was set last
    std::string set_bytes;
};

/** MDT0000, and OSTs 0, 1 and 3, of which 1 is inactive. */
std::vector<ll_user_target> some_targets();

std::string bytes_of(const std::string& hex);
std::string hex_of(const std::string& bytes);

/** The file of document 003: one stripe on OST 1, object 1186. */
std::string melon();

struct Ran {
    std::string out;
    std::string err;
    int status = 0;
};

/** @line is split at blanks, and does not begin with "lfs". */
Ran run(lfs::Files& files, const std::string& line);

struct Case {
    const char* line;
    const char* out;
    const char* err;
    int status;
};

void run_cases(lfs::Files& files, std::span<const Case> cases);

}  // namespace lfs_test
