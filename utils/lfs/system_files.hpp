// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "lfs/files.hpp"

namespace lfs {

/** The file systems of this node. */
class SystemFiles final : public Files {
public:
    ll::Result<Status> status(const std::string& path, bool follow) override;
    ll::Result<std::vector<Entry>> entries(const std::string& path) override;
    ll::Result<std::optional<std::string>> layout(const std::string& path) override;
    ll::Result<std::optional<std::string>> root_layout(const std::string& path) override;
    ll::Status set_file_layout(const std::string& path, const std::string& layout) override;
    ll::Status add_components(const std::string& path, const std::string& components) override;
    ll::Status delete_components(const std::string& path, const std::string& which) override;
    ll::Status migrate(const std::string& path, const std::optional<std::string>& layout) override;
    ll::Status set_default(const std::string& path, const std::string& layout) override;
    ll::Result<lu_fid> fid(const std::string& path) override;
    ll::Result<std::uint64_t> data_version(const std::string& path, std::uint32_t flags) override;
    ll::Result<PathName> path(const std::string& mount, const lu_fid& fid,
                              std::uint32_t number) override;
    std::vector<std::string> mounts() override;
    ll::Result<std::string> mount_of(const std::string& path, bool follow) override;
    ll::Result<std::string> root_of(const std::string& mount) override;
    ll::Result<std::optional<ll_user_target>> target(const std::string& mount, TargetType type,
                                                     std::uint32_t index) override;
    ll::Result<std::string> volume(const std::string& mount) override;
    ll::Result<lctl::Pools> pools(const std::string& name) override;
};

}  // namespace lfs
