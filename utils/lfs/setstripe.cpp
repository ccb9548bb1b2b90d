// SPDX-License-Identifier: GPL-2.0-only
/*
 * setstripe: new files with a layout, and defaults of directories.
 */
#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "lfs/lfs.hpp"
#include "lfs/request.hpp"

namespace lfs {

namespace {

constexpr Option kOptions[] = {
    {.letter = 'c',
     .name = "stripe-count",
     .argument = "COUNT",
     .help = "number of stripes (0: the default; -1: all OSTs)"},
    {.letter = 'S',
     .name = "stripe-size",
     .argument = "SIZE",
     .help = "bytes of a stripe, a multiple of 64k; k, m and g are units (0: the default)"},
    {.letter = 'i', .name = "stripe-index", .argument = "INDEX", .help = "first OST (-1: any)"},
    {.letter = 'o',
     .name = "ost",
     .argument = "LIST",
     .help = "use these OSTs in this order, such as 1,3-5"},
    {.letter = 'p', .name = "pool", .argument = "POOL", .help = "use OSTs of a pool (none: any)"},
    {.letter = 'E',
     .name = "component-end",
     .argument = "END",
     .help = "the options after it are for a component that ends there (-1: with the file)"},
    {.letter = 'd', .name = "delete", .help = "remove the default of directories"},
};

template <class Value, class To>
ll::Status put(ll::Result<Value> value, To& to)
{
    if (!value)
        return tl::unexpected(value.error());
    to = std::move(*value);
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
    return {};
}

/* What a component does not say is as in the one before, but for the first OST. */
ComponentRequest following(const ComponentRequest& before)
{
    ComponentRequest next = before;

    next.layout.stripe_offset = kAny;
    return next;
}

using Components = std::vector<ComponentRequest>;

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
    return arguments.has("component-end") ? check_components(components) : ll::Status();
}

/* One component if the layout is plain. */
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

class Setter {
public:
    Setter(Context& context, const Arguments& arguments, const Components& components)
        : context_(context),
          components_(components),
          remove_(arguments.has("delete")),
          bytes_(arguments.has("component-end") ? encode_components(components)
                                                : encode_request(components.front().layout))
    {
    }

    void set(const std::string& path)
    {
        const auto found = context_.files.status(path, true);
        const bool directory = found && found->kind == Kind::Directory;

        if (!found && found.error().code != ENOENT)
            return report(path, found.error());
        if (const auto fits = check_kind(found); !fits)
            return report(path, fits.error());
        if (const auto fits = check(path, found.has_value()); !fits)
            return report(path, fits.error());

        const auto done = directory ? context_.files.set_default(path, bytes_)
                                    : context_.files.set_file_layout(path, bytes_);

        if (!done)
            report(path, done.error());
    }

private:
    /* Files may be missing; a default is removed from directories. */
    ll::Status check_kind(const ll::Result<Status>& found) const
    {
        if (!found)
            return remove_ ? ll::Status(tl::unexpected(found.error())) : ll::Status();
        if (remove_ && found->kind != Kind::Directory)
            return ll::fail(ENOTDIR, "only directories have a default");
        if (found->kind != Kind::Directory && found->kind != Kind::File)
            return ll::fail(EINVAL, "neither a file nor a directory");
        if (found->kind == Kind::Directory && !components_.front().layout.osts.empty())
            return ll::fail(EINVAL, "the default of a directory cannot have a list of OSTs");
        return {};
    }

    ll::Status check(const std::string& path, bool exists)
    {
        const std::size_t slash = path.rfind('/');
        const std::string parent = slash == std::string::npos ? "." : path.substr(0, slash + 1);
        const auto mount = context_.files.mount_of(exists ? path : parent);

        if (!mount)
            return tl::unexpected(mount.error());
        for (const ComponentRequest& component : components_)
            if (const auto fits = check_osts(context_.files, *mount, component.layout); !fits)
                return fits;
        return {};
    }

    /* Why the server refused a layout: it knows more than its errno says. */
    void report(const std::string& path, const ll::Error& error)
    {
        std::string text = error.text;

        if (error.code == EEXIST)
            text = "stripe already set";
        else if (error.code == EINVAL && !pool().empty())
            text += fmt::format(": is there a pool '{}'?", pool());
        else if (error.code == ENOSPC)
            text += ": no OST that was asked for has space";
        context_.error(fmt::format("setstripe error for '{}': {}", path, text), error.code);
    }

    /* The first one that is asked for, or nothing. */
    std::string pool() const
    {
        for (const ComponentRequest& component : components_)
            if (!component.layout.pool.empty())
                return component.layout.pool;
        return {};
    }

    Context& context_;
    const Components& components_;
    bool remove_;
    std::string bytes_;
};

void run_setstripe(Context& context, const Arguments& arguments)
{
    const auto components = components_of(arguments);

    if (!components) {
        context.error(components.error().text, components.error().code);
        return;
    }

    Setter setter(context, arguments, *components);

    for (const std::string_view path : arguments.operands)
        setter.set(std::string(path));
}

}  // namespace

const Command setstripe_command = {
    .spec = {.name = "setstripe",
             .operands = "PATH...",
             .takes = {1, lctl::kMany},
             .summary = "create files with a layout, or set the default of directories",
             .help =
                 "A PATH that does not exist becomes an empty file. Files have their layout for "
                 "life: a file\n"
                 "that has one is refused. New files and directories take over the default of "
                 "their directory. With --component-end a file has components, each with a layout "
                 "of its\n"
                 "own; a component gets its objects when it is first written. What is not said of "
                 "it is as\n"
                 "in the component before.\n",
             .options = kOptions},
    .run = run_setstripe,
};

}  // namespace lfs
