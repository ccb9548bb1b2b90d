// SPDX-License-Identifier: GPL-2.0-only
#include "disk/import.hpp"

#include <fmt/format.h>

namespace disk {

namespace {

/* The clients of the target, in the same format here, which would be waited for. */
constexpr const char* kClients = "last_rcvd";
constexpr const char* kClientsAside = "last_rcvd.lustre";

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

ll::Status prepare_import(const TargetDirectory& directory)
{
    return directory.has(kClients) ? directory.rename(kClients, kClientsAside) : ll::Status();
}

}  // namespace disk
