// SPDX-License-Identifier: GPL-2.0
/*
 * What errnos of a mount mean.
 */
#include <cerrno>

#include <fmt/format.h>

#include "disk/mounter.hpp"

namespace disk {

namespace {

std::string advice_of_target(int code, const MountSource& source)
{
    switch (code) {
        case EALREADY:
            return fmt::format(
                "a target of its name runs here already, or the management service "
                "has one of this node that is not the one in {}: then "
                "tunefs.lustre-lite --writeconf puts this one in its place",
                source.text);
        case EBUSY:
            return fmt::format("the target in {} runs already, here or in another namespace",
                               source.text);
        case EADDRINUSE:
            return "another target has its name and index: mkfs.lustre-lite with another --index, "
                   "or "
                   "tunefs.lustre-lite --writeconf where that other one is gone for good";
        case ENOENT:
            return "the management service does not know the target, which says that it is "
                   "registered: "
                   "tunefs.lustre-lite --writeconf registers it anew";
        case EACCES:
            return "the management service registers no new targets";
        case EINVAL:
            return "an option is wrong, or mountdata is; tunefs.lustre-lite --print shows that";
        default:
            return "";
    }
}

std::string advice_of_client(int code, const MountSource& source)
{
    switch (code) {
        case ENOENT:
            return fmt::format(
                "there is no file system '{}' at the management service {}: is the name "
                "right, and were its targets ever started?",
                source.fsname, source.nodes.text());
        case EINVAL:
            return "an option, or the source, is wrong";
        case EALREADY:
        case EBUSY:
            return "it is mounted there already, or the mount point is in use";
        default:
            return "";
    }
}

/* What is the same for all. */
std::string advice_of_any(int code)
{
    switch (code) {
        case ENODEV:
            return "the kernel does not know lustre-lite, and could not load it by its alias "
                   "fs-lustre-lite: is the module installed (modprobe llite)?";
        case ENOTCONN:
        case ETIMEDOUT:
        case ECONNREFUSED:
        case EHOSTUNREACH:
        case ENETUNREACH:
            return "nobody answers";
        case EPERM:
            return "mounting needs CAP_SYS_ADMIN in the first user namespace";
        case EROFS:
            return "it is on a file system that is read-only; with -o ro nothing is written";
        case ENOMEM:
            return "the kernel has no memory for it";
        case EIO:
            return "a disk failed, or what is on it is damaged; the kernel log (dmesg) says more";
        case ENOTDIR:
            return "the mount point, or the source, is no folder";
        case ENOSPC:
            return "the file system of the target, or the number of mounts, is full";
        case EINTR:
            return "it was interrupted";
        default:
            return "";
    }
}

}  // namespace

bool can_pass(int code)
{
    switch (code) {
        case EAGAIN:
        case ENOTCONN:
        case ETIMEDOUT:
        case ECONNREFUSED:
        case ECONNRESET:
        case ECONNABORTED:
        case EHOSTUNREACH:
        case EHOSTDOWN:
        case ENETUNREACH:
        case ENETDOWN:
        case ESHUTDOWN:
        case EINPROGRESS:
            return true;
        default:
            return false;
    }
}

std::string mount_advice(int code, const MountSource& source)
{
    std::string own =
        source.is_target ? advice_of_target(code, source) : advice_of_client(code, source);

    if (!own.empty())
        return own;

    std::string any = advice_of_any(code);
    if (any != "nobody answers")
        return any;
    return source.is_target
               ? "nobody answers at the target's management service; is it started, and can it be "
                 "reached (lctl ping NID)?"
               : fmt::format(
                     "nobody answers at {}; is the management service started, and can it "
                     "be reached (lctl ping NID)?",
                     source.nodes.text());
}

}  // namespace disk
