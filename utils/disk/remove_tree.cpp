// SPDX-License-Identifier: GPL-2.0-only
#include "disk/remove_tree.hpp"

#include <cerrno>
#include <memory>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace disk {

namespace {

/* A directory that is being emptied: its files are gone, these directories are not. */
struct Level {
    std::string name;
    struct stat identity {};
    std::vector<std::string> directories;
};

bool is_same(const struct stat& a, const struct stat& b)
{
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/*
 * Only the directory at hand is open, and left by its "..": the number of open files limits no
 * depth, and the length of paths does not either.
 */
class Remover {
public:
    explicit Remover(const std::string& path) : path_(path) {}

    ll::Status run(const ll::Fd& parent, const std::string& name)
    {
        struct stat top {};

        at_ = ll::Fd(::openat(parent.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!at_ || ::fstat(at_.get(), &top) != 0)
            return failed(errno, "");
        device_ = top.st_dev;
        levels_.push_back({"", top, {}});
        auto done = remove(name);

        while (done && !(levels_.size() == 1 && levels_.back().directories.empty()))
            done = step();
        return done;
    }

private:
    ll::Status step()
    {
        Level& level = levels_.back();

        if (level.directories.empty())
            return leave();

        const std::string name = std::move(level.directories.back());

        level.directories.pop_back();
        return enter(name);
    }

    /* A file; directories have their turn later. */
    ll::Status remove(const std::string& name)
    {
        if (::unlinkat(at_.get(), name.c_str(), 0) == 0 || errno == ENOENT)
            return {};

        const int code = errno;
        struct stat found {};

        if (::fstatat(at_.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISDIR(found.st_mode))
            return failed(code, name);
        levels_.back().directories.push_back(name);
        return {};
    }

    ll::Status enter(const std::string& name)
    {
        constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
        ll::Fd child(::openat(at_.get(), name.c_str(), kFlags));
        Level level{name, {}, {}};

        if (!child || ::fstat(child.get(), &level.identity) != 0)
            return failed(errno, name);
        if (level.identity.st_dev != device_)
            return failed(EXDEV, name);
        levels_.push_back(std::move(level));
        at_ = std::move(child);
        return remove_files();
    }

    ll::Status remove_files()
    {
        const int fd = ::openat(at_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        const std::unique_ptr<DIR, int (*)(DIR*)> directory(fd < 0 ? nullptr : ::fdopendir(fd),
                                                            ::closedir);

        if (!directory)
            return failed(errno, "");
        errno = 0;
        while (const dirent* const entry = ::readdir(directory.get())) {
            const std::string_view name = entry->d_name;

            if (name != "." && name != "..")
                if (auto removed = remove(std::string(name)); !removed)
                    return removed;
            errno = 0;
        }
        return errno == 0 ? ll::Status() : failed(errno, "");
    }

    ll::Status leave()
    {
        ll::Fd parent(::openat(at_.get(), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        struct stat found {};
        const std::string name = levels_.back().name;

        if (!parent || ::fstat(parent.get(), &found) != 0)
            return failed(errno, "..");
        // Someone has moved it.
        if (!is_same(found, levels_[levels_.size() - 2].identity))
            return failed(ESTALE, "");
        levels_.pop_back();
        at_ = std::move(parent);
        if (::unlinkat(at_.get(), name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)
            return failed(errno, name);
        return {};
    }

    tl::unexpected<ll::Error> failed(int code, const std::string& name) const
    {
        std::string path = path_;

        for (const Level& level : levels_)
            path += (level.name.empty() ? "" : "/") + level.name;
        path += (name.empty() ? "" : "/") + name;
        if (code == EXDEV)
            return ll::fail(code, fmt::format("cannot remove {}: it is another file system", path));
        return tl::unexpected(ll::make_error(code, fmt::format("cannot remove {}", path)));
    }

    const std::string& path_;
    ll::Fd at_;
    dev_t device_ = 0;
    std::vector<Level> levels_;
};

}  // namespace

ll::Status remove_tree(const ll::Fd& parent, const std::string& path, const std::string& name)
{
    return Remover(path).run(parent, name);
}

}  // namespace disk
