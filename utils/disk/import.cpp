// SPDX-License-Identifier: GPL-2.0-only
#include "disk/import.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <sys/xattr.h>

namespace disk {

namespace {

/* The clients of the target, in the same format here, which would be waited for. */
constexpr const char* kClients = "last_rcvd";
constexpr const char* kClientsAside = "last_rcvd.lustre";

/* Files that are looked at: a copy has the attributes of all of them, or of none. */
constexpr unsigned int kFilesSeen = 256;
/* Those that tell files of Lustre: FID, layout, the file of an object. */
constexpr std::array<const char*, 3> kAttributes = {"trusted.lma", "trusted.lov", "trusted.fid"};

/* Parameters that no module here has, or that have one value here. */
constexpr std::array<std::string_view, 5> kRefused = {
    "mdt.identity_upcall", "mdt.group_upcall", "mdt.quota_type", "mdd.quota_type", "ost.quota_type",
};

bool has_attribute(const std::string& path)
{
    return std::ranges::any_of(kAttributes, [&](const char* name) {
        return ::lgetxattr(path.c_str(), name, nullptr, 0) >= 0;
    });
}

/* Return: regular files below a directory that were looked at without finding an attribute; 0: one has some. */
unsigned int files_without(const std::string& directory)
{
    std::error_code failed;
    unsigned int seen = 0;

    for (std::filesystem::recursive_directory_iterator at(directory, failed), end;
         !failed && at != end && seen < kFilesSeen; at.increment(failed)) {
        if (!at->is_regular_file(failed) || at->is_symlink(failed) ||
            at->path().filename() == "LAST_ID")
            continue;
        if (has_attribute(at->path().string()))
            return 0;
        seen++;
    }
    return seen;
}

ll::Status drop_refused(Import& import)
{
    auto params = import.data.params();

    if (!params)
        return tl::unexpected(params.error());
    for (const Param& param : std::vector<Param>(params->all()))
        if (std::ranges::find(kRefused, param.name) != kRefused.end()) {
            import.steps.push_back(fmt::format("drop {}={}, which this release does not have",
                                               param.name, param.value));
            params->erase(param.name);
        }
    return import.data.set_params(*params);
}

/* The nodes of its old network. */
ll::Status drop_nodes(Import& import)
{
    auto params = import.data.params();

    if (!params)
        return tl::unexpected(params.error());
    for (const std::string_view name : {kMgsNode, kFailoverNode}) {
        for (const Param& param : params->all())
            if (param.name == name)
                import.steps.push_back(
                    fmt::format("drop {}={}, a node of its old network", name, param.value));
        params->erase(name);
    }
    import.data.set_flags(import.data.flags() & ~static_cast<std::uint32_t>(LDD_F_NO_PRIMNODE));
    return import.data.set_params(*params);
}

ll::Status drop_mount_options(Import& import)
{
    if (!import.data.mount_opts().empty())
        import.steps.push_back(fmt::format("drop the mount options '{}' of its file system",
                                           import.data.mount_opts()));
    return import.data.set_mount_opts("");
}

/* The service knows it by a uuid of its own, and its logs name the nodes of the old network. */
ll::Status renew(Import& import)
{
    constexpr std::uint32_t fresh = LDD_F_VIRGIN | LDD_F_UPDATE;
    const auto uuid = random_uuid();

    if (!uuid)
        return tl::unexpected(uuid.error());
    import.steps.emplace_back("give it an identity, and rewrite its config logs at the next start");
    import.data.set_flags((import.data.flags() & ~fresh) | LDD_F_WRITECONF);
    return import.data.set_uuid(*uuid);
}

}  // namespace

ll::Result<Import> plan_import(const TargetDirectory& directory)
{
    auto data = directory.read_foreign();

    if (!data)
        return tl::unexpected(data.error());

    Import import{std::move(*data), {}};
    ll::Status fine = drop_nodes(import);

    if (fine)
        fine = drop_refused(import);
    if (fine)
        fine = drop_mount_options(import);
    if (fine && import.data.is_of_filesystem())
        fine = renew(import);
    if (!fine)
        return tl::unexpected(fine.error());
    if (directory.has(kClients))
        import.steps.push_back(
            fmt::format("rename {} to {}: its clients are real Lustre's", kClients, kClientsAside));
    return import;
}

ll::Status check_import(const TargetDirectory& directory, const MountData& data, bool force)
{
    const bool mdt = data.is(LDD_F_SV_TYPE_MDT);

    if (mdt && data.index() != 0)
        return ll::fail(
            EOPNOTSUPP,
            fmt::format("{}: it is the metadata target with index {}; file systems have "
                        "one here, with index 0, and nothing of this one could be "
                        "reached",
                        directory.path(), data.index()));
    if (force)
        return {};
    for (const char* name : {"ROOT", "O/0"}) {
        const unsigned int files = files_without(directory.path() + "/" + name);

        if (files != 0)
            return ll::fail(ENODATA,
                            fmt::format("{}/{}: none of {} files has an attribute of Lustre "
                                        "(trusted.lma, trusted.lov, trusted.fid): copy them again "
                                        "as root with all extended attributes, as tar --xattrs "
                                        "--xattrs-include='*' does; --force imports them without",
                                        directory.path(), name, files));
    }
    return {};
}

ll::Status prepare_import(const TargetDirectory& directory)
{
    return directory.has(kClients) ? directory.rename(kClients, kClientsAside) : ll::Status();
}

}  // namespace disk
