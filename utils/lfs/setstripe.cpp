// SPDX-License-Identifier: GPL-2.0-only
/*
 * setstripe: new files with a layout, and defaults of directories.
 */
#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "lfs/components.hpp"
#include "lfs/layout_options.hpp"

namespace lfs {

namespace {

constexpr auto kOptions = [] {
    constexpr std::array kMore = {
        Option{.letter = 'd', .name = "delete", .help = "remove the default of directories"},
        Option{.name = "component-add",
               .help = "add the components of --component-end to files that have some"},
        Option{.name = "component-del",
               .help = "remove the last components of files, which were not written yet"},
        Option{.letter = 'I',
               .name = "component-id",
               .argument = "ID",
               .help = "of --component-del: the component with this number (lcme_id)"},
        Option{.name = "component-flags",
               .argument = "FLAGS",
               .help = "of --component-del: all with the flag init, or ^init: without objects"},
    };
    std::array<Option, kLayoutOptions.size() + kMore.size()> options = {};

    std::ranges::copy(kMore, std::ranges::copy(kLayoutOptions, options.begin()).out);
    return options;
}();

class Setter {
public:
    Setter(Context& context, const Arguments& arguments, const Components& components)
        : context_(context),
          components_(components),
          remove_(arguments.has("delete")),
          bytes_(bytes_of(arguments, components))
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
            report(path, done.error(), directory ? SpaceFor::Layout : SpaceFor::Objects);
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
        return {};
    }

    ll::Status check(const std::string& path, bool exists)
    {
        const std::size_t slash = path.rfind('/');
        const std::string parent = slash == std::string::npos ? "." : path.substr(0, slash + 1);
        const auto mount = context_.files.mount_of(exists ? path : parent, true);

        if (!mount)
            return tl::unexpected(mount.error());
        return check_targets(context_.files, *mount, components_);
    }

    void report(const std::string& path, const ll::Error& error, SpaceFor space = SpaceFor::Objects)
    {
        const std::string text =
            error.code == EEXIST ? "stripe already set" : refusal_of(error, components_, space);

        context_.error(fmt::format("setstripe error for '{}': {}", path, text), error.code);
    }

    Context& context_;
    const Components& components_;
    bool remove_;
    std::string bytes_;
};

void run_setstripe(Context& context, const Arguments& arguments)
{
    if (changes_components(arguments))
        return change_components(context, arguments);

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
                 "A PATH that does not exist becomes an empty file. A file that has "
                 "a layout is refused:\n"
                 "migrate gives it another one. New files and directories take over the default of "
                 "their directory. With --component-end a file has components, each with a layout "
                 "of its\n"
                 "own; a component gets its objects when it is first written. What is not said of "
                 "it is as\n"
                 "in the component before.\n",
             .options = kOptions},
    .run = run_setstripe,
};

}  // namespace lfs
