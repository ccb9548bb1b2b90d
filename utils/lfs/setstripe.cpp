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
    {.letter = 'd', .name = "delete", .help = "remove the default of directories"},
};

/* The value of an option into @to, if it was given. */
template <class Value, class To>
ll::Status take(const Arguments& arguments, const char* name,
                ll::Result<Value> (*parse)(std::string_view), To& to)
{
    const lctl::Given* const given = arguments.find(name);

    if (given == nullptr)
        return {};

    auto value = parse(given->argument.value_or(""));

    if (!value)
        return tl::unexpected(value.error());
    to = std::move(*value);
    return {};
}

ll::Status check_options(const Arguments& arguments, const LayoutRequest& request)
{
    if (arguments.has("delete") && arguments.options.size() > 1)
        return ll::fail(EINVAL, "--delete excludes the other options");
    if (request.osts.empty())
        return {};
    if (arguments.has("stripe-index"))
        return ll::fail(EINVAL, "--ost and --stripe-index exclude each other");
    if (request.stripe_count && *request.stripe_count != request.osts.size())
        return ll::fail(EINVAL, fmt::format("stripe count {} is not that of the {} OSTs in --ost",
                                            *request.stripe_count, request.osts.size()));

    auto sorted = request.osts;

    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        return ll::fail(EINVAL, fmt::format("OST {} is in --ost twice", *twice));
    return {};
}

ll::Result<LayoutRequest> request_of(const Arguments& arguments)
{
    LayoutRequest request;
    auto done = take(arguments, "stripe-count", parse_stripe_count, request.stripe_count);

    if (done)
        done = take(arguments, "stripe-size", parse_stripe_size, request.stripe_size);
    if (done)
        done = take(arguments, "stripe-index", parse_stripe_offset, request.stripe_offset);
    if (done)
        done = take(arguments, "ost", parse_ost_list, request.osts);
    if (done)
        done = take(arguments, "pool", parse_pool, request.pool);
    if (done)
        done = check_options(arguments, request);
    if (!done)
        return tl::unexpected(done.error());
    return request;
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
    Setter(Context& context, const LayoutRequest& request, bool remove)
        : context_(context), request_(request), remove_(remove), bytes_(encode_request(request))
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
        if (found->kind == Kind::Directory && !request_.osts.empty())
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
        return check_osts(context_.files, *mount, request_);
    }

    /* Why the server refused a layout: it knows more than its errno says. */
    void report(const std::string& path, const ll::Error& error)
    {
        std::string text = error.text;

        if (error.code == EEXIST)
            text = "stripe already set";
        else if (error.code == EINVAL && !request_.pool.empty())
            text += fmt::format(": is there a pool '{}'?", request_.pool);
        else if (error.code == ENOSPC)
            text += ": no OST that was asked for has space";
        context_.error(fmt::format("setstripe error for '{}': {}", path, text), error.code);
    }

    Context& context_;
    const LayoutRequest& request_;
    bool remove_;
    std::string bytes_;
};

void run_setstripe(Context& context, const Arguments& arguments)
{
    const auto request = request_of(arguments);

    if (!request) {
        context.error(request.error().text, request.error().code);
        return;
    }

    Setter setter(context, *request, arguments.has("delete"));

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
                 "their directory.\n",
             .options = kOptions},
    .run = run_setstripe,
};

}  // namespace lfs
