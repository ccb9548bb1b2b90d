// SPDX-License-Identifier: GPL-2.0-only
#include "disk/mount_system.hpp"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include "disk/mounts.hpp"

namespace disk {

namespace {

int result(int rc)
{
    return rc < 0 ? errno : 0;
}

int keep(int fd, ll::Fd& into)
{
    if (fd < 0)
        return errno;
    into.reset(fd);
    return 0;
}

}  // namespace

KernelWord parse_word(std::string_view line)
{
    constexpr std::string_view kPrefix = "lustre-lite: ";
    KernelWord word;

    if (line.size() > 2 && line[1] == ' ') {
        word.kind = line[0];
        line.remove_prefix(2);
    }
    if (line.starts_with(kPrefix))
        line.remove_prefix(kPrefix.size());
    while (line.ends_with('\n'))
        line.remove_suffix(1);
    word.text = line;
    return word;
}

int RealMountSystem::open(ll::Fd& context)
{
    return keep(::fsopen(kFileSystemType, FSOPEN_CLOEXEC), context);
}

int RealMountSystem::pick(const std::string& directory, ll::Fd& context)
{
    return keep(::fspick(AT_FDCWD, directory.c_str(), FSPICK_CLOEXEC | FSPICK_NO_AUTOMOUNT),
                context);
}

int RealMountSystem::set(const ll::Fd& context, const char* name, const char* value)
{
    const auto how = value != nullptr ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG;

    return result(::fsconfig(context.get(), how, name, value, 0));
}

int RealMountSystem::create(const ll::Fd& context)
{
    return result(::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0));
}

int RealMountSystem::reconfigure(const ll::Fd& context)
{
    return result(::fsconfig(context.get(), FSCONFIG_CMD_RECONFIGURE, nullptr, nullptr, 0));
}

std::vector<KernelWord> RealMountSystem::words(const ll::Fd& context)
{
    constexpr std::size_t kMostLines = 64;
    std::vector<KernelWord> lines;
    std::array<char, 8192> line{};

    // Each read is a line, and ENODATA when there is no other.
    while (lines.size() < kMostLines) {
        const ssize_t got = ::read(context.get(), line.data(), line.size());

        if (got <= 0)
            break;
        lines.push_back(parse_word({line.data(), static_cast<std::size_t>(got)}));
    }
    return lines;
}

int RealMountSystem::attach(const ll::Fd& context, const std::string& directory,
                            std::uint64_t attrs)
{
    const ll::Fd made(::fsmount(context.get(), FSMOUNT_CLOEXEC, static_cast<unsigned int>(attrs)));

    if (!made)
        return errno;
    return result(
        ::move_mount(made.get(), "", AT_FDCWD, directory.c_str(), MOVE_MOUNT_F_EMPTY_PATH));
}

int RealMountSystem::set_attrs(const std::string& directory, std::uint64_t set, std::uint64_t clear)
{
    mount_attr attr{};

    attr.attr_set = set;
    attr.attr_clr = clear;
    return result(::mount_setattr(AT_FDCWD, directory.c_str(), 0, &attr, sizeof(attr)));
}

int RealMountSystem::mount(const std::string& source, const std::string& directory,
                           unsigned long flags, const std::string& data)
{
    return result(::mount(source.c_str(), directory.c_str(), kFileSystemType, flags, data.c_str()));
}

bool RealMountSystem::is_root()
{
    return ::geteuid() == 0;
}

void RealMountSystem::pause(unsigned seconds)
{
    ::sleep(seconds);
}

}  // namespace disk
