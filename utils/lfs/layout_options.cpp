// SPDX-License-Identifier: GPL-2.0-only
#include "lfs/layout_options.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

namespace lfs {

namespace {

template <class Value, class To>
ll::Status put(ll::Result<Value> value, To& to)
{
    if (!value)
        return tl::unexpected(value.error());
    to = std::move(*value);
    return {};
}

ll::Status check_pattern(std::string_view text)
{
    if (text == "raid0")
        return {};
    return ll::fail(EOPNOTSUPP, fmt::format("layout '{}' is unknown or not served here, supported "
                                            "layouts are: 'raid0'",
                                            text));
}

/* Of real Lustre, and not built here. */
ll::Status refuse(const lctl::Given& given)
{
    if (given.is("overstripe-count"))
        return ll::fail(EOPNOTSUPP,
                        "--overstripe-count is not served here: an OST has no more than one stripe "
                        "of a layout; use --stripe-count");
    if (given.is("mirror-count"))
        return ll::fail(EOPNOTSUPP,
                        "--mirror-count is not served here: files have one copy of their data");
    return {};
}

/* An option of a plain layout, or of the component that it follows. */
ll::Status take(const lctl::Given& given, LayoutRequest& request)
{
    const std::string_view text = given.argument.value_or("");

    if (given.is("stripe-count"))
        return put(parse_stripe_count(text), request.stripe_count);
    if (given.is("stripe-size"))
        return put(parse_stripe_size(text), request.stripe_size);
    if (given.is("stripe-index"))
        return put(parse_stripe_offset(text), request.stripe_offset);
    if (given.is("ost"))
        return put(parse_ost_list(text), request.osts);
    if (given.is("pool"))
        return put(parse_pool(text), request.pool);
    if (given.is("layout"))
        return check_pattern(text);
    return refuse(given);
}

/* An option that a component lacks is as in the one before, but for the first OST. */
ComponentRequest following(const ComponentRequest& before)
{
    ComponentRequest next = before;

    next.layout.stripe_offset = kAny;
    return next;
}

ll::Status check_osts_option(const Arguments& arguments, const LayoutRequest& request)
{
    if (arguments.has("stripe-index"))
        return ll::fail(EINVAL, "--ost and --stripe-index exclude each other");
    if (arguments.has("component-end"))
        return ll::fail(EINVAL, "--ost and --component-end exclude each other");
    if (request.stripe_count && *request.stripe_count != request.osts.size())
        return ll::fail(EINVAL, fmt::format("stripe count {} is not that of the {} OSTs in --ost",
                                            *request.stripe_count, request.osts.size()));

    auto sorted = request.osts;

    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        return ll::fail(EINVAL, fmt::format("OST {} is in --ost twice", *twice));
    return {};
}

ll::Status check_options(const Arguments& arguments, const Components& components)
{
    if (arguments.has("delete") && arguments.options.size() > 1)
        return ll::fail(EINVAL, "--delete excludes the other options");
    for (const ComponentRequest& component : components)
        if (!component.layout.osts.empty())
            return check_osts_option(arguments, component.layout);
    return arguments.has("component-end") ? check_components(components, 0) : ll::Status();
}

/* The OSTs that a request names, against those that the file system has. */
ll::Status check_osts(Files& files, const std::string& mount, const LayoutRequest& request)
{
    std::vector<std::uint16_t> named = request.osts;

    if (named.empty() && request.stripe_offset != kAny)
        named.push_back(request.stripe_offset);
    for (const std::uint16_t index : named) {
        const auto target = files.target(mount, TargetType::Ost, index);

        if (!target)
            return tl::unexpected(target.error());
        if (!*target || (*target)->lt_index != index)
            return ll::fail(EINVAL,
                            fmt::format("bad stripe offset {}: no OST has this index", index));
        if ((*target)->lt_error == ENODATA)
            return ll::fail(ENODEV, fmt::format("inactive OST {} among those asked for", index));
    }
    return {};
}

/* The first one that is asked for, or nothing. */
std::string pool_of(const Components& components)
{
    for (const ComponentRequest& component : components)
        if (!component.layout.pool.empty())
            return component.layout.pool;
    return {};
}

}  // namespace

ll::Result<Components> components_of(const Arguments& arguments)
{
    Components components(1);
    bool ended = false;
    ll::Status done;

    for (const lctl::Given& given : arguments.options) {
        if (given.is("component-end")) {
            if (ended)
                components.push_back(following(components.back()));
            ended = true;
            done = put(parse_component_end(given.argument.value_or("")), components.back().end);
        } else {
            done = take(given, components.back().layout);
        }
        if (!done)
            return tl::unexpected(done.error());
    }
    done = check_options(arguments, components);
    if (!done)
        return tl::unexpected(done.error());
    return components;
}

std::string bytes_of(const Arguments& arguments, const Components& components)
{
    return arguments.has("component-end") ? encode_components(components, 0)
                                          : encode_request(components.front().layout);
}

ll::Status check_targets(Files& files, const std::string& mount, const Components& components)
{
    for (const ComponentRequest& component : components)
        if (auto fits = check_osts(files, mount, component.layout); !fits)
            return fits;
    return {};
}

std::string refusal_of(const ll::Error& error, const Components& components, SpaceFor space)
{
    const std::string pool = pool_of(components);

    if (error.code == EINVAL && !pool.empty())
        return fmt::format("{}: is there a pool '{}'?", error.text, pool);
    if (error.code == ENOSPC && space == SpaceFor::Layout)
        return error.text + ": the MDT has no space for the layout";
    if (error.code == ENOSPC)
        return error.text + ": no OST that was asked for has space, or the MDT has none";
    return error.text;
}

}  // namespace lfs
