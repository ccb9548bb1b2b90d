// SPDX-License-Identifier: GPL-2.0-only
#include "disk/tunefs.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "disk/directory.hpp"
#include "disk/import.hpp"
#include "disk/mount_options.hpp"
#include "lctl/arguments.hpp"

namespace disk {

namespace {

constexpr const char* kName = "tunefs.lustre-lite";

constexpr std::string_view kHelp =
    "usage: tunefs.lustre-lite [OPTION...] DIRECTORY\n"
    "Show and change the description of a target, which must not be mounted for a change.\n"
    "\n"
    "Options:\n"
    "      --print                print the description (default)\n"
    "      --import               make a target of a directory that real Lustre wrote: a copy of\n"
    "                             the files of an MDT or an OST, with extended attributes\n"
    "      --force                with --import: also if its files have none of Lustre\n"
    "      --writeconf            regenerate the config logs of the target when it is next\n"
    "                             started\n"
    "      --erase-params         remove all parameters except those that name nodes\n"
    "      --erase-param=NAME     remove a parameter, such as mgsnode or failover.node,\n"
    "                             before others are added\n"
    "      --param=NAME=VALUE     set a permanent parameter of the target\n"
    "      --mgsnode=NID[,NID...][:NID...]\n"
    "                             add nodes of the management service\n"
    "      --servicenode=NID[,NID...]\n"
    "                             add a node that can serve the target\n"
    "      --failnode=NID[,NID...]\n"
    "                             add a failover node, besides the first node\n"
    "      --comment=TEXT         replace the comment\n"
    "      --mountfsoptions=OPTS  replace the options for every mount\n"
    "  -n, --dryrun               print what would be done, and do nothing\n"
    "      --dry-run              the same\n"
    "  -q, --quiet                print errors only\n"
    "  -v, --verbose              also print the previous description\n"
    "  -h, --help                 print this help\n"
    "  -V, --version              print the version\n"
    "\n"
    "Exit status: 0 on success, 1 on failure, 2 on invalid usage.\n"
    "Manual: man tunefs.lustre-lite\n";

constexpr lctl::Option kOptions[] = {
    {.name = "print"},
    {.name = "import"},
    {.name = "force"},
    {.name = "writeconf"},
    {.name = "erase-params"},
    {.name = "erase-param", .argument = "NAME"},
    {.name = "param", .argument = "NAME=VALUE"},
    {.name = "mgsnode", .argument = "NIDS"},
    {.name = "servicenode", .argument = "NIDS"},
    {.name = "failnode", .argument = "NIDS"},
    {.name = "comment", .argument = "TEXT"},
    {.name = "mountfsoptions", .argument = "OPTS"},
    {.letter = 'n', .name = "dryrun"},
    {.name = "dry-run"},
    {.letter = 'q', .name = "quiet"},
    {.letter = 'v', .name = "verbose"},
    {.letter = 'V', .name = "version"},
    // Known, to say why not.
    {.name = "index", .argument = "N"},
    {.name = "fsname", .argument = "NAME"},
};

constexpr lctl::Command kTool = {.name = kName, .options = kOptions};

ll::Status refuse_identity(const lctl::Arguments& arguments)
{
    for (const char* name : {"index", "fsname"})
        if (arguments.has(name))
            return ll::fail(EINVAL, fmt::format("--{}: the name of a target cannot be changed: "
                                                "logs and other targets refer to it. Use "
                                                "mkfs.lustre-lite --reformat for a new target",
                                                name));
    return {};
}

ll::Result<TunefsRequest> request_of(const lctl::Arguments& arguments)
{
    TunefsRequest request;

    if (auto fine = refuse_identity(arguments); !fine)
        return tl::unexpected(fine.error());

    auto options = parse_target_options(arguments);
    if (!options)
        return tl::unexpected(options.error());
    request.options = std::move(*options);
    request.erase_all = arguments.has("erase-params");
    request.writeconf = arguments.has("writeconf");
    request.import = arguments.has("import");
    request.force = arguments.has("force");
    if (request.force && !request.import)
        return ll::fail(EINVAL, "--force goes with --import");
    for (const lctl::Given& given : arguments.options)
        if (given.is("erase-param"))
            request.erase.emplace_back(given.argument.value_or(""));
    if (arguments.operands.size() != 1)
        return ll::fail(EINVAL,
                        fmt::format("takes one DIRECTORY, not {}", arguments.operands.size()));
    request.directory = arguments.operands.front();
    return request;
}

ll::Status erase(const TunefsRequest& request, TargetParams& params)
{
    if (request.erase_all)
        params.erase_own();
    for (const std::string& name : request.erase)
        if (params.erase(name) == 0)
            return ll::fail(ENOENT,
                            fmt::format("--erase-param: the target has no parameter '{}'", name));
    return {};
}

/* --servicenode names all nodes of a target, --failnode those besides the first: not both. */
ll::Status check_kind_of_nodes(const TunefsRequest& request, const TargetParams& params,
                               bool all_nodes)
{
    const bool wants_all = !request.options.service_nodes.empty();
    const bool wants_more = !request.options.fail_nodes.empty();

    if (!params.has(kFailoverNode) || !(all_nodes ? wants_more : wants_all))
        return {};
    return ll::fail(EINVAL, fmt::format("its nodes were set with --{}, which excludes --{}; "
                                        "--erase-param=failover.node removes them",
                                        all_nodes ? "servicenode" : "failnode",
                                        all_nodes ? "failnode" : "servicenode"));
}

std::uint32_t changed_flags(const TunefsRequest& request, const MountData& data,
                            const TargetParams& before, const TargetParams& after)
{
    std::uint32_t flags = data.flags();

    if (!request.options.service_nodes.empty())
        flags |= LDD_F_NO_PRIMNODE;
    if (request.writeconf)
        flags |= LDD_F_WRITECONF;
    if (before.nodes(kFailoverNode)->text() != after.nodes(kFailoverNode)->text())
        flags |= LDD_F_UPDATE;
    if (before.own() != after.own())
        flags |= LDD_F_PARAM;
    return flags;
}

/* Without nodes of its own it has none of either kind. */
ll::Status change_params(const TunefsRequest& request, MountData& data, TargetParams& params)
{
    ll::Status fine = erase(request, params);

    if (fine && !params.has(kFailoverNode))
        data.set_flags(data.flags() & ~static_cast<std::uint32_t>(LDD_F_NO_PRIMNODE));
    if (fine)
        fine = check_kind_of_nodes(request, params, data.is(LDD_F_NO_PRIMNODE));
    return fine ? add_params(request.options, params) : fine;
}

ll::Status change_texts(const TargetOptions& options, MountData& data)
{
    ll::Status fine;

    if (options.comment)
        fine = data.set_comment(*options.comment);
    if (fine && options.mount_opts)
        fine = data.set_mount_opts(*options.mount_opts);
    return fine ? MountOptions().add(data.mount_opts()) : fine;
}

class Tuner {
public:
    Tuner(Tool& tool, const TunefsRequest& request) : tool_(tool), request_(request) {}

    int run()
    {
        if (auto done = tune(); !done)
            return tool_.error(done.error().text);
        return tool_.end();
    }

private:
    ll::Status tune()
    {
        auto directory = TargetDirectory::open(request_.directory);
        if (!directory)
            return tl::unexpected(directory.error());
        if (auto alone = request_.changes() ? directory->lock() : ll::Status(); !alone)
            return alone;
        if (request_.import)
            return import(*directory);

        auto data = directory->read();
        if (!data)
            return tl::unexpected(data.error());
        if (!request_.changes()) {
            show("Permanent disk data", *data);
            return {};
        }
        return change(*directory, *data);
    }

    ll::Status import(const TargetDirectory& directory)
    {
        auto plan = plan_import(directory);
        if (!plan)
            return tl::unexpected(plan.error());
        if (auto fine = check_import(directory, plan->data, request_.force); !fine)
            return fine;
        for (const std::string& step : plan->steps)
            say(fmt::format("Import: {}\n", step));
        if (auto changed = change_mountdata(request_, plan->data); !changed)
            return ll::fail(changed.error().code,
                            fmt::format("{}: {}", directory.path(), changed.error().text));
        show("Permanent disk data", plan->data);
        if (auto ready = request_.options.dry_run ? ll::Status() : prepare_import(directory);
            !ready)
            return ready;
        return write(directory, plan->data);
    }

    ll::Status change(const TargetDirectory& directory, MountData& data)
    {
        if (const std::string at = directory.mounted_at(); !at.empty())
            return ll::fail(EBUSY, fmt::format("{} is a running target, mounted at {}; unmount it "
                                               "first",
                                               directory.path(), at));
        if (request_.options.verbose)
            show("Read previous values", data);

        const MountData before = data;
        if (auto changed = change_mountdata(request_, data); !changed)
            return ll::fail(changed.error().code,
                            fmt::format("{}: {}", directory.path(), changed.error().text));
        show("Permanent disk data", data);
        if (std::ranges::equal(before.bytes(), data.bytes())) {
            say("Nothing changes\n");
            return {};
        }
        return write(directory, data);
    }

    ll::Status write(const TargetDirectory& directory, MountData& data)
    {
        if (request_.options.dry_run) {
            say("Dry run: nothing written\n");
            return {};
        }
        data.set_version(data.version() + 1);
        say("Writing " MOUNT_DATA_FILE "\n");
        return directory.write(data);
    }

    void show(std::string_view title, const MountData& data)
    {
        say(fmt::format("\n   {}:\n{}\n", title, data.text()));
    }

    void say(std::string_view text)
    {
        if (!request_.options.quiet)
            tool_.out().put(text);
    }

    Tool& tool_;
    const TunefsRequest& request_;
};

}  // namespace

bool TunefsRequest::changes() const
{
    return import || writeconf || erase_all || !erase.empty() || options.changes();
}

ll::Status change_mountdata(const TunefsRequest& request, MountData& data)
{
    // An imported target may need a node of its management service first.
    if (auto whole = request.import ? ll::Status() : data.check(); !whole)
        return whole;

    const TargetParams before = *data.params();
    TargetParams params = before;

    ll::Status fine = change_params(request, data, params);
    if (fine && params.all() != before.all())
        fine = data.set_params(params);
    if (fine)
        fine = change_texts(request.options, data);
    if (!fine)
        return fine;
    data.set_flags(changed_flags(request, data, before, params));
    return data.check();
}

int run_tunefs(lctl::Writer& out, lctl::Writer& err, int argc, char* const* argv)
{
    const auto arguments = lctl::parse_arguments(kTool, argc, argv);
    Tool tool(kName, out, err);

    if (const auto status = tool.begin(arguments, kHelp))
        return *status;

    const auto request = request_of(*arguments);
    if (!request)
        return tool.usage_error(request.error().text);
    return Tuner(tool, *request).run();
}

}  // namespace disk
