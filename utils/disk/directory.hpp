// SPDX-License-Identifier: GPL-2.0-only
/*
 * The directory of a target, or of a future one.
 */
#pragma once

#include <string>
#include <vector>

#include "disk/mountdata.hpp"
#include "lib/error.hpp"
#include "lib/fd.hpp"

namespace disk {

/** Contents of a directory: paths below it, sorted. */
struct Contents {
    std::vector<std::string> ours;    // of a target, of real Lustre's too; directories as a whole
    std::vector<std::string> logs;    // config logs in CONFIGS/
    std::vector<std::string> others;  // anything else, but for lost+found
    bool configs = false;             // CONFIGS/ is there

    /** ours and logs, in the order of their removal: mountdata is the first */
    std::vector<std::string> removable() const;
};

class TargetDirectory {
public:
    /** Errors name the directory. */
    static ll::Result<TargetDirectory> open(const std::string& path);

    /** In full, without symbolic links. */
    const std::string& path() const { return path_; }

    /** Is there mountdata, good or not? */
    bool is_target() const;
    /** ENOENT: there is none. */
    ll::Result<MountData> read() const;
    /** The same of a target that real Lustre wrote: as MountData::import(). */
    ll::Result<MountData> read_foreign() const;
    /** In place of what was there, or not at all; on the disk when this returns. */
    ll::Status write(const MountData& data) const;

    bool has(const std::string& name) const;
    /** Rename a file in it, and make that survive a power cut. */
    ll::Status rename(const std::string& name, const std::string& new_name) const;

    ll::Result<Contents> contents() const;
    /** EBUSY: a file system is mounted where something would be removed. */
    ll::Status check_no_mounts(const Contents& contents) const;
    /**
     * Remove ours and logs of @contents, and CONFIGS/ if it is empty then. Errors name the path that
     * cannot be removed; then it is not a target any more.
     */
    ll::Status remove(const Contents& contents) const;

    /** No other tool of these changes it as long as this is there. EBUSY: one does. */
    ll::Status lock() const;

    /** Where it is mounted as a target, or "". */
    std::string mounted_at() const;
    /** The nearest directory above it that is a target, or "". */
    std::string target_above() const;
    /** EOPNOTSUPP: its file system is not one of this machine. */
    ll::Status check_local() const;

private:
    TargetDirectory(std::string path, ll::Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

    ll::Error error(int code, std::string_view file) const;
    std::string mountdata_path() const { return path_ + "/" MOUNT_DATA_FILE; }
    ll::Result<std::vector<std::byte>> read_mountdata() const;
    ll::Status remove_files(const Contents& contents, const ll::Fd& configs) const;

    std::string path_;
    ll::Fd fd_;
};

}  // namespace disk
