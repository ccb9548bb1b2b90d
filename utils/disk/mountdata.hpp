// SPDX-License-Identifier: GPL-2.0-only
/*
 * mountdata: the description of a target in its directory. Bytes and names are those of struct
 * lustre_disk_data; what is not changed here stays as it was read.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "disk/target_params.hpp"
#include "lib/error.hpp"

#include <uapi/lustre_lite/disk.h>

namespace disk {

class MountData {
public:
    /** One that says nothing but what it is. */
    MountData();

    /**
     * Contents of a file @name. EBADMSG: it is not mountdata, or is damaged; ENOTSUP: other
     * software made it, or it asks for a feature that is not known here.
     */
    static ll::Result<MountData> decode(std::string_view name, std::span<const std::byte> bytes);
    /**
     * The same of a file that real Lustre wrote, as mountdata of a directory: with the mount type
     * and the form of the name that targets have here, and without flags that are not known here.
     * ENOTSUP: it is not real Lustre's, or it asks for a feature that is not known here.
     */
    static ll::Result<MountData> import(std::string_view name, std::span<const std::byte> bytes);

    std::span<const std::byte> bytes() const;

    std::uint32_t version() const;
    std::uint32_t flags() const;
    std::uint32_t index() const;
    std::string_view fsname() const { return text_of(raw_.ldd_fsname); }
    std::string_view svname() const { return text_of(raw_.ldd_svname); }
    std::string_view uuid() const { return text_of(raw_.ldd_uuid); }
    std::string_view comment() const { return text_of(raw_.ldd_userdata); }
    std::string_view mount_opts() const { return text_of(raw_.ldd_mount_opts); }
    std::string_view params_text() const { return text_of(raw_.ldd_params); }
    ll::Result<TargetParams> params() const { return TargetParams::parse(params_text()); }

    bool is(std::uint32_t flag) const { return (flags() & flag) != 0; }
    /** Is it a metadata or object target, a management service besides or not? */
    bool is_of_filesystem() const { return is(LDD_F_SV_TYPE_MDT | LDD_F_SV_TYPE_OST); }

    void set_version(std::uint32_t version);
    void set_flags(std::uint32_t flags);
    /** File system, index and the name that follows from them and the flags. */
    ll::Status set_identity(std::string_view fsname, std::uint32_t index);
    /** Identity of the directory from now on, also with another name. */
    ll::Status set_uuid(std::string_view uuid);
    ll::Status set_comment(std::string_view text);
    ll::Status set_mount_opts(std::string_view text);
    ll::Status set_params(const TargetParams& params);

    /** Do its parts fit together? EINVAL and words. */
    ll::Status check() const;

    /** As mkfs and tunefs print it: lines of "Target:     lustre-OST0000". */
    std::string text() const;

private:
    ll::Status check_identity() const;

    template <std::size_t N>
    static std::string_view text_of(const char (&field)[N])
    {
        return {field};
    }

    lustre_disk_data raw_{};
};

static_assert(sizeof(MountData) == sizeof(lustre_disk_data));

/** A random uuid (RFC 4122, version 4) as text. */
ll::Result<std::string> random_uuid();

/** EINVAL: it cannot be the name of a file system. */
ll::Status check_fsname(std::string_view fsname);

}  // namespace disk
