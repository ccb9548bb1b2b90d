// SPDX-License-Identifier: GPL-2.0
#include "lctl/shell/prefix_lister.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include <sys/stat.h>

#include <uapi/lustre_lite/params_ioctl.h>

namespace lctl::shell {

namespace {

constexpr std::size_t page_of_names = 16 * 1024;
// Room for one record with the longest name.
constexpr std::size_t one_name = PARAMS_ALIGN(sizeof(params_list_rec) + PARAMS_NAME_MAX);
constexpr char last_byte = '\xff';

std::uint64_t address_of(const void* data)
{
    return reinterpret_cast<std::uintptr_t>(data);
}

/* A text behind which a listing begins at @prefix, or shortly before it. */
std::string before(std::string_view prefix)
{
    if (prefix.empty())
        return {};

    std::string text(prefix.substr(0, prefix.size() - 1));
    auto byte = static_cast<unsigned char>(prefix.back());
    if (byte == 1)
        return text;
    byte--;
    if (byte == '/')
        byte--;
    text += static_cast<char>(byte);
    if (text.size() < PARAMS_NAME_MAX)
        text += last_byte;
    return text;
}

/* A text behind all (but absurd) names that begin with @prefix. */
std::string behind(std::string_view prefix)
{
    std::string text(prefix);

    if (text.size() < PARAMS_NAME_MAX)
        text += last_byte;
    return text;
}

Child child_of(const params_list_rec& head, std::string_view name)
{
    return {
        .name = std::string(name),
        .whole = true,
        .directory = S_ISDIR(head.lr_mode) || head.lr_type == PARAMS_T_DIR,
        .readable = (head.lr_mode & 0444) != 0,
        .writable = (head.lr_mode & 0222) != 0,
    };
}

/* The record at the front of @bytes, which loses it; nothing when it is none. */
std::optional<Child> take_child(std::string_view& bytes)
{
    params_list_rec head{};

    if (bytes.size() < sizeof(head))
        return std::nullopt;
    std::memcpy(&head, bytes.data(), sizeof(head));
    if (head.lr_len < sizeof(head) || head.lr_len > bytes.size() ||
        head.lr_name_len > head.lr_len - sizeof(head))
        return std::nullopt;

    Child child = child_of(head, bytes.substr(sizeof(head), head.lr_name_len));
    bytes.remove_prefix(head.lr_len);
    return child;
}

}  // namespace

/* Children behind @after, in order, until the visitor returns false. */
ll::Status PrefixLister::walk(std::string_view directory, std::string after,
                              std::size_t buffer_size, Visitor visit)
{
    const auto buffer = std::make_unique<char[]>(buffer_size);

    for (;;) {
        params_ioc_list call{};

        ll::set_header(&params_ioc_list::pl_hdr, call);
        call.pl_path = address_of(directory.data());
        call.pl_path_len = static_cast<std::uint32_t>(directory.size());
        call.pl_after = address_of(after.data());
        call.pl_after_len = static_cast<std::uint32_t>(after.size());
        call.pl_buf = address_of(buffer.get());
        call.pl_buf_len = static_cast<std::uint32_t>(buffer_size);
        call.pl_depth = 1;
        if (const int got = port_.call(PARAMS_IOC_LIST, &call); got < 0)
            return tl::unexpected(ll::make_error(-got, directory));

        std::string_view bytes(buffer.get(), std::min<std::size_t>(call.pl_used, buffer_size));
        const bool is_empty = bytes.empty();
        while (!bytes.empty()) {
            const auto child = take_child(bytes);
            if (!child)
                return ll::fail(EPROTO, "malformed reply from libcfs (listing)");
            if (!visit(*child))
                return {};
            after = child->name;
        }
        if (call.pl_eof != 0 || is_empty)
            return {};
    }
}

ll::Result<std::vector<Child>> PrefixLister::find(std::string_view directory,
                                                  std::string_view prefix)
{
    std::vector<Child> found;
    const auto status = walk(directory, before(prefix), page_of_names, [&](const Child& child) {
        if (child.name.starts_with(prefix))
            found.push_back(child);
        else if (child.name > prefix)
            return false;
        return found.size() <= limit_;
    });

    if (!status)
        return tl::unexpected(status.error());
    if (found.size() > limit_)
        return beginnings(directory, std::string(prefix));
    return found;
}

/* How the names go on after the longest text that all of them begin with. */
ll::Result<std::vector<Child>> PrefixLister::beginnings(std::string_view directory,
                                                        std::string prefix)
{
    for (;;) {
        auto ways = ways_on(directory, prefix);
        if (!ways || ways->size() != 1 || ways->front().whole)
            return ways;
        prefix = ways->front().name;
    }
}

/* @prefix itself if it is a name, and each byte that follows it in a name. */
ll::Result<std::vector<Child>> PrefixLister::ways_on(std::string_view directory,
                                                     std::string_view prefix)
{
    std::vector<Child> ways;
    std::string after = before(prefix);

    for (;;) {
        std::optional<Child> next;
        const auto status = walk(directory, after, one_name, [&](const Child& child) {
            if (child.name.starts_with(prefix))
                next = child;
            return !next && child.name < prefix;
        });
        if (!status)
            return tl::unexpected(status.error());
        if (!next)
            return ways;
        if (next->name.size() == prefix.size()) {
            after = next->name;
            ways.push_back(std::move(*next));
            continue;
        }

        std::string way = next->name.substr(0, prefix.size() + 1);
        after = std::max(behind(way), next->name);
        if (ways.empty() || ways.back().name != way)
            ways.push_back({.name = std::move(way), .whole = false});
    }
}

}  // namespace lctl::shell
