// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contents of a directory: files of the modules and tools, and others.
 */
#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fnmatch.h>
#include <unistd.h>
#include <fmt/format.h>

#include "disk/directory.hpp"
#include "disk/mounts.hpp"
#include "disk/remove_tree.hpp"
#include "lib/log_file.hpp"

#include <uapi/lustre_lite/mgs_disk.h>

namespace disk {

namespace fs = std::filesystem;

namespace {

/* A name of a target, as fnmatch() has patterns. */
struct OurName {
    const char* pattern;
    bool directory = false;  // with all that is below it
};

/* Beside CONFIGS/. */
constexpr OurName kOurNames[] = {
    /* of a management service */
    {MGS_JOURNAL_FILE},
    {MGS_STATE_FILE},
    {MGS_CHANGES_FILE},
    {MGS_NIDTBL_DIR, true},
    {MGS_NIDS_DIR, true},
    {MGS_TARGETS_DIR, true},
    /* of any target */
    {MOUNT_SECRET_FILE},
    {MOUNT_SECRET_FILE ".new"},
    {"last_rcvd"},
    {"last_rcvd.lustre"},
    /* of metadata and object storage targets */
    {"ROOT", true},
    {"PENDING", true},
    {"seq_srv"},
    {"O", true},
    /* of real Lustre, in a tree that was copied here */
    {"BATCHID"},
    {"CATALOGS"},
    {"LAST_GROUP"},
    {"LFSCK", true},
    {"LOGS", true},
    {"OBJECTS", true},
    {"OI_scrub"},
    {"REMOTE_PARENT_DIR", true},
    {"REM_OBJ_DIR", true},
    {"admin_quotafile*"},
    {"capa_keys"},
    {"changelog_catalog"},
    {"changelog_users"},
    {"fld"},
    {"health_check"},
    {"hsm_actions"},
    {"lfsck_bookmark"},
    {"lfsck_layout"},
    {"lfsck_namespace"},
    {"lov_objid"},
    {"lov_objseq"},
    {"lquota.*"},
    {"lquota_v2.*"},
    {"nodemap"},
    {"oi.[0-9]*"},
    {"quota_master", true},
    {"quota_slave", true},
    {"reply_data"},
    {"seq_ctl"},
    {"update_log"},
    {"update_log_dir", true},
};

/* In CONFIGS/, besides logs. */
constexpr OurName kOurConfigs[] = {
    {"mountdata"},
    {"*.new"},
    {"*" LL_LOG_COPY_SUFFIX},
    {"nodemap"},
};

bool is_ours(std::span<const OurName> names, const std::string& name, bool directory)
{
    return std::ranges::any_of(names, [&](const OurName& ours) {
        return ours.directory == directory && ::fnmatch(ours.pattern, name.c_str(), 0) == 0;
    });
}

bool is_directory(const fs::directory_entry& entry)
{
    return entry.is_directory() && !entry.is_symlink();
}

bool is_log(const fs::directory_entry& file)
{
    if (!file.is_regular_file() || file.is_symlink())
        return false;

    auto bytes = ll::open_log_bytes(file.path().string());

    return bytes && ll::looks_like_log(**bytes);
}

class Collector {
public:
    explicit Collector(const std::string& root) : root_(root) {}

    ll::Result<Contents> collect()
    {
        std::error_code failed;

        for (const auto& entry : fs::directory_iterator(root_, failed))
            top(entry);
        if (failed || failed_)
            return tl::unexpected(ll::make_error((failed ? failed : failed_).value(), root_));
        for (auto* const names : {&contents_.logs, &contents_.ours, &contents_.others})
            std::ranges::sort(*names);
        return std::move(contents_);
    }

private:
    void top(const fs::directory_entry& entry)
    {
        const std::string name = entry.path().filename().string();
        const bool directory = is_directory(entry);

        if (directory && name == "lost+found")
            return;
        if (directory && name == MOUNT_CONFIGS_DIR)
            configs(entry);
        else
            add(is_ours(kOurNames, name, directory), entry);
    }

    void configs(const fs::directory_entry& directory)
    {
        contents_.configs = true;
        for (const auto& file : fs::directory_iterator(directory, failed_)) {
            const std::string name = file.path().filename().string();

            if (is_log(file))
                contents_.logs.push_back(below(file));
            else
                add(is_ours(kOurConfigs, name, is_directory(file)), file);
        }
    }

    void add(bool ours, const fs::directory_entry& file)
    {
        (ours ? contents_.ours : contents_.others).push_back(below(file));
    }

    std::string below(const fs::directory_entry& entry) const
    {
        return entry.path().string().substr(root_.size() + (root_.ends_with('/') ? 0 : 1));
    }

    const std::string& root_;
    Contents contents_;
    std::error_code failed_;
};

}  // namespace

ll::Result<Contents> TargetDirectory::contents() const
{
    return Collector(path_).collect();
}

/* Without mountdata it is not a target. Logs go next: alone they would be kept by a service. */
std::vector<std::string> Contents::removable() const
{
    std::vector<std::string> names = logs;

    names.insert(names.end(), ours.begin(), ours.end());
    std::stable_partition(names.begin(), names.end(),
                          [](const auto& name) { return name == MOUNT_DATA_FILE; });
    return names;
}

ll::Status TargetDirectory::check_no_mounts(const Contents& contents) const
{
    const auto names = contents.removable();

    for (const Mount& mount : all_mounts())
        for (const std::string& name : names) {
            const std::string path = fmt::format("{}/{}", path_, name);

            if (mount.directory == path || mount.directory.starts_with(path + "/"))
                return ll::fail(EBUSY, fmt::format("{}: a file system is mounted there; unmount "
                                                   "it first",
                                                   mount.directory));
        }
    return {};
}

ll::Status TargetDirectory::remove_files(const Contents& contents, const ll::Fd& configs) const
{
    for (const std::string& name : contents.removable()) {
        if (auto removed = remove_tree(fd_, path_, name); !removed)
            return removed;
        // It is not a target from here on, also after a power cut.
        if (name == MOUNT_DATA_FILE && ::fsync(configs.get()) != 0)
            return tl::unexpected(error(errno, MOUNT_CONFIGS_DIR));
    }
    return {};
}

ll::Status TargetDirectory::remove(const Contents& contents) const
{
    const ll::Fd configs(
        ::openat(fd_.get(), MOUNT_CONFIGS_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));

    if (contents.configs && !configs)
        return tl::unexpected(error(errno, MOUNT_CONFIGS_DIR));
    if (auto removed = remove_files(contents, configs); !removed || !contents.configs)
        return removed;
    // A directory with other files in it stays.
    if (::unlinkat(fd_.get(), MOUNT_CONFIGS_DIR, AT_REMOVEDIR) != 0 && errno != ENOTEMPTY &&
        errno != EEXIST)
        return tl::unexpected(error(errno, MOUNT_CONFIGS_DIR));
    return {};
}

}  // namespace disk
