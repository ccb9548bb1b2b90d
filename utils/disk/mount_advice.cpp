// SPDX-License-Identifier: GPL-2.0-only
/*
 * What errnos of a mount mean.
 */
#include <cerrno>

#include <fmt/format.h>

#include "disk/mounter.hpp"

namespace disk {

namespace {

constexpr const char* kNoAnswer = "no answer";

std::string advice_of_target(int code, const MountSource& source)
{
    switch (code) {
        case EALREADY:
            return fmt::format(
                "a target with this name is already running here, or the management service "
                "knows another one on this node than that in {}; in the second case run "
                "tunefs.lustre-lite --writeconf",
                source.text);
        case EBUSY:
            return fmt::format("the target in {} is already running, here or in another namespace",
                               source.text);
        case EADDRINUSE:
            return "another target has this name and index; run mkfs.lustre-lite with another "
                   "--index, or tunefs.lustre-lite --writeconf if the other target no longer "
                   "exists";
        case ENOENT:
            return "the target is marked as registered, but unknown to the management service; "
                   "tunefs.lustre-lite --writeconf registers it again";
        case EACCES:
            return "the management service does not accept new targets";
        case EINVAL:
            return "an option or mountdata is invalid; see tunefs.lustre-lite --print";
        default:
            return "";
    }
}

std::string advice_of_client(int code, const MountSource& source)
{
    switch (code) {
        case ENOENT:
            if (!source.subdir.empty())
                return "check the name of the file system, and the path of the directory in it";
            return fmt::format(
                "no file system '{}' is registered at {}; check the name, and that its targets "
                "have been mounted at least once",
                source.fsname, source.nodes.text());
        case EINVAL:
            return "an option or the source is invalid";
        case EALREADY:
        case EBUSY:
            return "it is already mounted there, or the mount point is in use";
        default:
            return "";
    }
}

/* What is the same for all. */
std::string advice_of_any(int code)
{
    switch (code) {
        case ENODEV:
            return "the kernel does not know lustre-lite and could not load its module; check that "
                   "it is installed (modprobe llite)";
        case ENOTCONN:
        case ETIMEDOUT:
        case ECONNREFUSED:
        case EHOSTUNREACH:
        case ENETUNREACH:
            return kNoAnswer;
        case EPERM:
            return "mounting requires CAP_SYS_ADMIN in the initial user namespace";
        case EROFS:
            return "the file system is read-only; use -o ro";
        case E2BIG:
            return "the options are longer than a mount takes, a page";
        case ENOMEM:
            return "the kernel is out of memory";
        case EIO:
            return "a disk failed or its data is damaged; see the kernel log (dmesg)";
        case ENOTDIR:
            return "the mount point or the source is not a directory";
        case ENOSPC:
            return "the file system of the target is full, or there are too many mounts";
        case EINTR:
            return "interrupted";
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
    if (any != kNoAnswer)
        return any;
    return source.is_target
               ? "no answer from the target's management service; check that it is started and "
                 "reachable (lctl ping NID)"
               : fmt::format(
                     "no answer from {}; check that the management service is started and "
                     "reachable "
                     "(lctl ping NID)",
                     source.nodes.text());
}

}  // namespace disk
