// SPDX-License-Identifier: GPL-2.0-only
/*
 * migrate: files with data get another layout.
 */
#include <cerrno>

#include <fmt/format.h>

#include "lfs/layout_options.hpp"

namespace lfs {

namespace {

/* Copies that are made of a file that changes meanwhile, or whose metadata target restarts. */
constexpr int kTries = 4;

class Migrator {
public:
    Migrator(Context& context, const Arguments& arguments, const Components& components)
        : context_(context), components_(components)
    {
        if (!arguments.options.empty())
            bytes_ = bytes_of(arguments, components);
    }

    void migrate(const std::string& path)
    {
        auto done = check(path);

        if (done)
            done = copy(path);
        if (!done)
            context_.error(path, ll::Error{done.error().code, reason(done.error())});
    }

private:
    ll::Status check(const std::string& path)
    {
        const auto found = context_.files.status(path, true);

        if (!found)
            return tl::unexpected(found.error());
        if (found->kind == Kind::Directory)
            return ll::fail(EISDIR,
                            "a directory: name the files in it, or set the default of new "
                            "ones with setstripe");
        if (found->kind != Kind::File)
            return ll::fail(EINVAL, "not a file with data");

        const auto mount = context_.files.mount_of(path, true);

        if (!mount)
            return tl::unexpected(mount.error());
        return check_targets(context_.files, *mount, components_);
    }

    ll::Status copy(const std::string& path)
    {
        ll::Status done;

        for (int tries = 0; tries < kTries; tries++) {
            done = context_.files.migrate(path, bytes_);
            if (done || (done.error().code != EAGAIN && done.error().code != ENOTCONN))
                break;
        }
        return done;
    }

    std::string reason(const ll::Error& error) const
    {
        if (error.code == EAGAIN)
            return "changed while it was copied; try again, or stop its writers";
        return refusal_of(error, components_);
    }

    Context& context_;
    const Components& components_;
    std::optional<std::string> bytes_;  // nothing: as a new file in its directory
};

void run_migrate(Context& context, const Arguments& arguments)
{
    const auto components = components_of(arguments);

    if (!components) {
        context.error(components.error().text, components.error().code);
        return;
    }

    Migrator migrator(context, arguments, *components);

    for (const std::string_view path : arguments.operands)
        migrator.migrate(std::string(path));
}

}  // namespace

const Command migrate_command = {
    .spec =
        {.name = "migrate",
         .operands = "FILE...",
         .takes = {1, lctl::kMany},
         .summary = "give files with data another layout",
         .help =
             "Each FILE is copied to objects of the new layout, which become its own if it was "
             "not changed\n"
             "meanwhile. A file that changes is copied again, four times at most, and so is one "
             "whose\n"
             "metadata target restarts. Programs may use it all the time. Without an option it "
             "gets\n"
             "the layout of a new file in its directory. An interrupted migration leaves the "
             "file as it\n"
             "was.\n",
         .options = kLayoutOptions},
    .run = run_migrate,
};

}  // namespace lfs
