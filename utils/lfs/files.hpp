// SPDX-License-Identifier: GPL-2.0-only
/*
 * What lfs asks of mounted file systems: replaced in tests.
 *
 * Errors have the words of their errno without the path, which the command puts first.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lustre_lite/lustre_fid.h>
#include <uapi/lustre_lite/lustre_user.h>

#include "lctl/commands/pool_list.hpp"
#include "lib/error.hpp"

namespace lfs {

enum class Kind : std::uint8_t { File, Directory, Symlink, Other };

struct Status {
    Kind kind = Kind::Other;
    char type = '?';  // as find -type has it
    std::uint64_t size = 0;
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::int64_t atime = 0;  // ns since 1970, as the others
    std::int64_t mtime = 0;
    std::int64_t ctime = 0;
};

struct Entry {
    std::string name;
    Kind kind = Kind::Other;
    char type = '?';  // of status(); '?': the directory does not say
};

/** A name of an object, as a path below the root. */
struct PathName {
    std::string path;
    std::uint32_t next = 0;  // number of the next name, or of this one if it is the last
};

enum class TargetType : std::uint32_t { Mdt = LL_TARGET_MDT, Ost = LL_TARGET_OST };

class Files {
public:
    Files() = default;
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
    virtual ~Files() = default;

    /** @follow: of what a symbolic link points to. */
    virtual ll::Result<Status> status(const std::string& path, bool follow) = 0;

    /** Entries of a directory, by name, without "." and "..". */
    virtual ll::Result<std::vector<Entry>> entries(const std::string& path) = 0;

    /** As layout(), of the root of the file system that has @path, which a mount may not have. */
    virtual ll::Result<std::optional<std::string>> root_layout(const std::string& path) = 0;

    /** Value of lustre.lov; none if there is no layout. EOPNOTSUPP: it is not on Lustre. */
    virtual ll::Result<std::optional<std::string>> layout(const std::string& path) = 0;

    /** Create the file if there is none, and give it its layout. */
    virtual ll::Status set_file_layout(const std::string& path, const std::string& layout) = 0;

    /**
     * Add components to the layout of a file that has some, or remove the last ones: a struct
     * lov_comp_md_v1 as for LL_XATTR_NAME_LOV_ADD, or LL_XATTR_NAME_LOV_DEL.
     */
    virtual ll::Status add_components(const std::string& path, const std::string& components) = 0;
    virtual ll::Status delete_components(const std::string& path, const std::string& which) = 0;

    /**
     * Give a file with data another layout; without @layout that of a new file in its directory.
     * EAGAIN: it has changed meanwhile, and is as it was.
     */
    virtual ll::Status migrate(const std::string& path,
                               const std::optional<std::string>& layout) = 0;

    /** Set the default of a directory. */
    virtual ll::Status set_default(const std::string& path, const std::string& layout) = 0;

    /** Of a symbolic link itself; nothing is opened. */
    virtual ll::Result<lu_fid> fid(const std::string& path) = 0;

    /** The number of the content of a file; @flags: LL_DV_*. ENODATA: it has no layout. */
    virtual ll::Result<std::uint64_t> data_version(const std::string& path,
                                                   std::uint32_t flags) = 0;

    /** The name of this number, from 0, of an object. ENODATA: it has no such name. */
    virtual ll::Result<PathName> path(const std::string& mount, const lu_fid& fid,
                                      std::uint32_t number) = 0;

    /** Directories that client mounts are on, one for each file system. */
    virtual std::vector<std::string> mounts() = 0;

    /**
     * The mount that has @path; an error if no client mount has. @follow: of what a symbolic link
     * points to.
     */
    virtual ll::Result<std::string> mount_of(const std::string& path, bool follow) = 0;

    /** Path of a mount's directory in its file system; "" for the root. */
    virtual ll::Result<std::string> root_of(const std::string& mount) = 0;

    /** The first target from @index on; none after the last one. */
    virtual ll::Result<std::optional<ll_user_target>> target(const std::string& mount,
                                                             TargetType type,
                                                             std::uint32_t index) = 0;

    /** FSNAME-clilov-INSTANCE */
    virtual ll::Result<std::string> volume(const std::string& mount) = 0;

    /** Of "FSNAME" or "FSNAME.POOL", as lctl::find_pools(). */
    virtual ll::Result<lctl::Pools> pools(const std::string& name) = 0;
};

/**
 * Call @take with the number and the path of each name of an object, until it fails. A name may go
 * meanwhile: then there is none of the next number.
 */
ll::Status each_name(Files& files, const std::string& mount, const lu_fid& fid,
                     const std::function<ll::Status(std::uint32_t, const std::string&)>& take);

/** All targets of a type. */
ll::Result<std::vector<ll_user_target>> targets_of(Files& files, const std::string& mount,
                                                   TargetType type);

}  // namespace lfs
