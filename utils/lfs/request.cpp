// SPDX-License-Identifier: GPL-2.0-only
#include "lfs/request.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>

#include <fmt/format.h>

#include <lustre_lite/codec.h>
#include <lustre_lite/lov_ea.h>
#include <uapi/lustre_lite/lustre_user.h>

#include "lctl/arguments.hpp"
#include "lib/number.hpp"

namespace lfs {

namespace {

constexpr std::uint64_t kSizeLimit = 1ULL << 32;
/* 0xffff stands for "any". */
constexpr std::uint64_t kLastIndex = 0xfffe;

bool is_pool_name(std::string_view name)
{
    const auto allowed = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-';
    };

    return !name.empty() && name.size() <= LOV_MAXPOOLNAME && std::ranges::all_of(name, allowed);
}

/* "3" or "3-5" */
bool add_range(std::string_view text, std::vector<std::uint16_t>& osts)
{
    const bool range = text.find('-') != std::string_view::npos;
    const auto first = ll::parse_number(lctl::cut(text, '-'), kLastIndex);
    const auto last = range ? ll::parse_number(text, kLastIndex) : first;

    if (!first || !last || *last < *first)
        return false;
    for (std::uint64_t index = *first; index <= *last; index++)
        osts.push_back(static_cast<std::uint16_t>(index));
    return true;
}

}  // namespace

ll::Result<std::uint16_t> parse_stripe_count(std::string_view text)
{
    if (text == "-1")
        return kAll;

    const auto count = ll::parse_number(text, LOD_STRIPES_MAX);

    if (!count)
        return ll::fail(EINVAL, fmt::format("invalid stripe count '{}': -1 for all, 0 for the "
                                            "default, or up to {}",
                                            text, LOD_STRIPES_MAX));
    return static_cast<std::uint16_t>(*count);
}

ll::Result<std::uint32_t> parse_stripe_size(std::string_view text)
{
    const auto size = ll::parse_size(text);

    if (!size)
        return ll::fail(EINVAL, fmt::format("invalid stripe size '{}'", text));
    if (*size >= kSizeLimit)
        return ll::fail(EINVAL, fmt::format("stripe size '{}' over 4GB limit", text));
    if (*size % LOV_MIN_STRIPE_SIZE != 0)
        return ll::fail(
            EINVAL, fmt::format("bad stripe_size {}, must be an even multiple of {} bytes", *size,
                                LOV_MIN_STRIPE_SIZE));
    return static_cast<std::uint32_t>(*size);
}

ll::Result<std::uint16_t> parse_stripe_offset(std::string_view text)
{
    if (text == "-1")
        return kAny;

    const auto index = ll::parse_number(text, kLastIndex);

    if (!index)
        return ll::fail(EINVAL, fmt::format("invalid stripe offset '{}': -1 for any, or the index "
                                            "of an OST",
                                            text));
    return static_cast<std::uint16_t>(*index);
}

ll::Result<std::vector<std::uint16_t>> parse_ost_list(std::string_view text)
{
    std::vector<std::uint16_t> osts;

    for (std::string_view rest = text; !rest.empty() || osts.empty();)
        if (!add_range(lctl::cut(rest, ','), osts) || osts.size() > LOD_STRIPES_MAX)
            return ll::fail(EINVAL, fmt::format("invalid OST target(s) '{}'", text));
    return osts;
}

ll::Result<std::string> parse_pool(std::string_view text)
{
    const std::string_view name = text.substr(text.rfind('.') + 1);

    if (!is_pool_name(name))
        return ll::fail(EINVAL, fmt::format("Invalid Poolname '{}'", text));
    return std::string(name == "none" ? "" : name);
}

ll::Result<std::uint64_t> parse_component_end(std::string_view text)
{
    if (text == "-1" || text == "EOF" || text == "eof")
        return kEndOfFile;

    const auto end = ll::parse_size(text);

    if (!end)
        return ll::fail(EINVAL, fmt::format("invalid component end '{}'", text));
    if (*end == 0 || *end % LOV_MIN_STRIPE_SIZE != 0)
        return ll::fail(EINVAL, fmt::format("invalid component end '{}', must be a multiple of {} "
                                            "bytes, or -1 for the end of the file",
                                            text, LOV_MIN_STRIPE_SIZE));
    return *end;
}

ll::Status check_components(const std::vector<ComponentRequest>& components, std::uint64_t start)
{
    for (const ComponentRequest& component : components) {
        if (component.end <= start)
            return ll::fail(EINVAL,
                            start == kEndOfFile
                                ? std::string("no component can follow one that ends with the file")
                                : fmt::format("component end {} is not after {}, where the "
                                              "component starts",
                                              component.end, start));
        start = component.end;
    }
    return {};
}

namespace {

std::string encode_entries(const std::vector<lov_comp_entry>& entries)
{
    lov_comp head = {};

    head.entry_count = static_cast<std::uint32_t>(entries.size());
    head.mirror_count = 1;

    std::string bytes(lov_comp_size(entries.data(), head.entry_count), '\0');

    lov_comp_encode(bytes.data(), &head, entries.data());
    return bytes;
}

}  // namespace

std::string encode_components(const std::vector<ComponentRequest>& components, std::uint64_t start)
{
    std::vector<std::string> layouts;
    std::vector<lov_comp_entry> entries;

    layouts.reserve(components.size());
    for (const ComponentRequest& component : components)
        layouts.push_back(encode_request(component.layout));
    for (std::size_t n = 0; n < components.size(); n++) {
        lov_comp_entry entry = {};

        entry.id = static_cast<std::uint32_t>(n + 1);
        entry.start = start;
        entry.end = components[n].end;
        entry.layout = reinterpret_cast<const std::uint8_t*>(layouts[n].data());
        entry.layout_len = layouts[n].size();
        entries.push_back(entry);
        start = entry.end;
    }
    return encode_entries(entries);
}

std::string encode_choice(std::uint32_t id, std::uint32_t flags)
{
    const std::string layout = encode_request({});
    lov_comp_entry entry = {};

    entry.id = id;
    entry.flags = flags;
    entry.end = kEndOfFile;
    entry.layout = reinterpret_cast<const std::uint8_t*>(layout.data());
    entry.layout_len = layout.size();
    return encode_entries({entry});
}

std::string encode_request(const LayoutRequest& request)
{
    const bool listed = !request.osts.empty();
    const bool pooled = listed || !request.pool.empty();
    const std::size_t head = sizeof(lov_mds_md) + (pooled ? LOV_MAXPOOLNAME + 1 : 0);
    std::string bytes(head + request.osts.size() * sizeof(lov_ost_data), '\0');
    char* const to = bytes.data();
    const auto count =
        listed ? static_cast<std::uint16_t>(request.osts.size()) : request.stripe_count.value_or(0);

    codec_put32(to + offsetof(lov_mds_md, lmm_magic),
                listed ? LOV_USER_MAGIC_SPECIFIC : (pooled ? LOV_MAGIC_V3 : LOV_MAGIC_V1));
    codec_put32(to + offsetof(lov_mds_md, lmm_pattern), LOV_PATTERN_RAID0);
    codec_put32(to + offsetof(lov_mds_md, lmm_stripe_size), request.stripe_size);
    codec_put16(to + offsetof(lov_mds_md, lmm_stripe_count), count);
    codec_put16(to + offsetof(lov_mds_md, lmm_layout_gen),
                listed ? request.osts.front() : request.stripe_offset);
    if (pooled)
        request.pool.copy(to + sizeof(lov_mds_md), LOV_MAXPOOLNAME);
    for (std::size_t n = 0; n < request.osts.size(); n++)
        codec_put32(to + head + n * sizeof(lov_ost_data) + offsetof(lov_ost_data, l_ost_idx),
                    request.osts[n]);
    return bytes;
}

}  // namespace lfs
