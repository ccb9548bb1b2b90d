// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contents of a directory: files of the modules and tools, and others.
 */
#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <unistd.h>
#include <fmt/format.h>

#include "disk/directory.hpp"
#include "lib/log_file.hpp"

#include <uapi/lustre_lite/mgs_disk.h>

namespace disk {

namespace fs = std::filesystem;

namespace {

/* Files beside CONFIGS/ that are ours by their names. */
constexpr std::array<std::string_view, 5> kOurFiles = {
    MGS_JOURNAL_FILE, MGS_STATE_FILE, MGS_CHANGES_FILE, MOUNT_SECRET_FILE, MOUNT_SECRET_FILE ".new",
};

bool is_our_directory(std::string_view name)
{
    return name == MGS_NIDTBL_DIR || name == MGS_NIDS_DIR || name == MGS_TARGETS_DIR;
}

bool is_our_file(std::string_view name)
{
    return std::find(kOurFiles.begin(), kOurFiles.end(), name) != kOurFiles.end();
}

bool is_log(const fs::directory_entry& file)
{
    if (!file.is_regular_file() || file.is_symlink())
        return false;

    auto bytes = ll::open_log_bytes(file.path().string());

    return bytes && ll::looks_like_log(**bytes);
}

bool is_copy_note(std::string_view name)
{
    return name.ends_with(LL_LOG_COPY_SUFFIX);
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
        std::sort(contents_.logs.begin(), contents_.logs.end());
        std::sort(contents_.others.begin(), contents_.others.end());
        // mountdata goes first: without it the rest is known as what is left of a target.
        std::sort(contents_.ours.begin(), contents_.ours.end());
        std::stable_partition(contents_.ours.begin(), contents_.ours.end(),
                              [](const auto& name) { return name == MOUNT_DATA_FILE; });
        return std::move(contents_);
    }

private:
    void top(const fs::directory_entry& entry)
    {
        const std::string name = entry.path().filename().string();
        const bool directory = entry.is_directory() && !entry.is_symlink();

        if (directory && name == "lost+found")
            return;
        if (directory && name == MOUNT_CONFIGS_DIR)
            inside(entry, [this](const auto& file) { config(file); });
        else if (directory && is_our_directory(name))
            inside(entry, [this](const auto& file) { ours(file.is_regular_file(), file); });
        else
            ours(!directory && is_our_file(name), entry);
    }

    template <class Each>
    void inside(const fs::directory_entry& directory, Each each)
    {
        for (const auto& file : fs::directory_iterator(directory, failed_))
            each(file);
        contents_.directories.push_back(below(directory));
    }

    void config(const fs::directory_entry& file)
    {
        const std::string name = file.path().filename().string();

        if (is_log(file))
            contents_.logs.push_back(below(file));
        else
            ours(name == "mountdata" || name == "mountdata.new" || is_copy_note(name), file);
    }

    void ours(bool is_ours, const fs::directory_entry& file)
    {
        (is_ours ? contents_.ours : contents_.others).push_back(below(file));
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

ll::Result<Contents> contents_of(const TargetDirectory& directory)
{
    return Collector(directory.path()).collect();
}

std::vector<std::string> Contents::removable() const
{
    std::vector<std::string> names = ours;

    names.insert(names.end(), logs.begin(), logs.end());
    return names;
}

ll::Status remove_ours(const TargetDirectory& directory, const Contents& contents)
{
    std::vector<std::string> names = contents.removable();

    names.insert(names.end(), contents.directories.begin(), contents.directories.end());
    for (const std::string& name : names) {
        const std::string path = fmt::format("{}/{}", directory.path(), name);

        // A directory with other files in it stays.
        if (::remove(path.c_str()) != 0 && errno != ENOTEMPTY && errno != EEXIST)
            return tl::unexpected(ll::make_error(errno, path));
    }
    return {};
}

}  // namespace disk
