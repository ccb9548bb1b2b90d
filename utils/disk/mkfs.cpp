// SPDX-License-Identifier: GPL-2.0-only
#include "disk/mkfs.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <sys/stat.h>

#include "disk/directory.hpp"
#include "disk/mount_options.hpp"
#include "lctl/arguments.hpp"
#include "lib/number.hpp"

namespace disk {

namespace {

constexpr const char* kName = "mkfs.lustre-lite";

constexpr std::string_view kHelp =
    "usage: mkfs.lustre-lite --mgs|--mdt|--ost [OPTION...] DIRECTORY\n"
    "Format a directory of a local file system as a lustre-lite target.\n"
    "\n"
    "Kind of target (--mgs may be combined with --mdt or --ost):\n"
    "      --mgs                  management service\n"
    "      --mdt                  metadata target\n"
    "      --ost                  object storage target\n"
    "Options:\n"
    "      --fsname=NAME          set the file system, 1 to 8 letters, digits, '_' and '-'\n"
    "      --index=N              set the index, decimal or 0x... (default: chosen by the\n"
    "                             management service)\n"
    "      --mgsnode=NID[,NID...][:NID...]\n"
    "                             add nodes of the management service: ',' separates NIDs\n"
    "                             of one node, ':' separates nodes; may be repeated\n"
    "      --servicenode=NID[,NID...]\n"
    "                             add a node that can serve the target; may be repeated\n"
    "      --failnode=NID[,NID...]\n"
    "                             add a failover node, besides the first node\n"
    "      --param=NAME=VALUE     set a permanent parameter of the target\n"
    "      --comment=TEXT         set a comment\n"
    "      --mountfsoptions=OPTS  set options for every mount of the target\n"
    "      --replace              replace a lost target, after 'lctl replace_target' on the\n"
    "                             MGS node\n"
    "      --reformat             overwrite an existing target (its data is lost)\n"
    "  -n, --dryrun               print what would be done, and do nothing\n"
    "  -q, --quiet                print errors only\n"
    "  -v, --verbose              print each step\n"
    "  -h, --help                 print this help\n"
    "  -V, --version              print the version\n"
    "\n"
    "Exit status: 0 on success, 1 on failure, 2 on invalid usage.\n"
    "Manual: man mkfs.lustre-lite\n";

constexpr lctl::Option kOptions[] = {
    {.name = "mgs"},
    {.name = "mdt"},
    {.name = "ost"},
    {.name = "fsname", .argument = "NAME"},
    {.name = "index", .argument = "N"},
    {.name = "mgsnode", .argument = "NIDS"},
    {.name = "servicenode", .argument = "NIDS"},
    {.name = "failnode", .argument = "NIDS"},
    {.name = "param", .argument = "NAME=VALUE"},
    {.name = "comment", .argument = "TEXT"},
    {.name = "mountfsoptions", .argument = "OPTS"},
    {.name = "replace"},
    {.name = "reformat"},
    {.letter = 'n', .name = "dryrun"},
    {.letter = 'q', .name = "quiet"},
    {.letter = 'v', .name = "verbose"},
    {.letter = 'V', .name = "version"},
};

constexpr lctl::Command kTool = {.name = kName, .options = kOptions};

ll::Result<std::uint32_t> parse_index(std::string_view text)
{
    const auto index = ll::parse_number(text, LDD_INDEX_NONE - 1);

    if (!index)
        return ll::fail(EINVAL, fmt::format("--index: '{}' should be 0 to {}, or 0x0 to {:#x}",
                                            text, LDD_INDEX_NONE - 1, LDD_INDEX_NONE - 1));
    return static_cast<std::uint32_t>(*index);
}

std::uint32_t types_of(const lctl::Arguments& arguments)
{
    return (arguments.has("mgs") ? LDD_F_SV_TYPE_MGS : 0U) |
           (arguments.has("mdt") ? LDD_F_SV_TYPE_MDT : 0U) |
           (arguments.has("ost") ? LDD_F_SV_TYPE_OST : 0U);
}

ll::Result<MkfsRequest> request_of(const lctl::Arguments& arguments)
{
    MkfsRequest request;
    auto options = parse_target_options(arguments);

    if (!options)
        return tl::unexpected(options.error());
    request.options = std::move(*options);
    request.types = types_of(arguments);
    request.replace = arguments.has("replace");
    request.reformat = arguments.has("reformat");
    if (const lctl::Given* given = arguments.find("fsname"); given != nullptr)
        request.fsname = given->argument.value_or("");
    if (const lctl::Given* given = arguments.find("index"); given != nullptr) {
        const auto index = parse_index(given->argument.value_or(""));

        if (!index)
            return tl::unexpected(index.error());
        request.index = *index;
    }
    if (arguments.operands.size() != 1)
        return ll::fail(EINVAL,
                        fmt::format("takes one DIRECTORY, not {}", arguments.operands.size()));
    request.directory = arguments.operands.front();
    return request;
}

/* Path of the directory of @path. */
std::string parent_of(std::string path)
{
    while (path.size() > 1 && path.ends_with('/'))
        path.pop_back();

    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

/* Does it, and says so as far as it was asked to. */
class Maker {
public:
    Maker(Tool& tool, const MkfsRequest& request) : tool_(tool), request_(request) {}

    int run()
    {
        const auto data = make_mountdata(request_);

        if (!data)
            return tool_.usage_error(data.error().text);
        if (!data->is_of_filesystem() && !request_.fsname.empty())
            note("--fsname is ignored: a management service serves any file system");
        if (auto made = make(*data); !made)
            return tool_.error(made.error().text);
        if (request_.options.dry_run)
            say("Dry run: nothing written\n");
        return tool_.end();
    }

private:
    ll::Status make(const MountData& data)
    {
        struct stat st {};

        if (::stat(request_.directory.c_str(), &st) != 0 && errno == ENOENT)
            return make_directory(data);
        return make_in_directory(data);
    }

    /* The last part of its path is not there yet. */
    ll::Status make_directory(const MountData& data)
    {
        const auto parent = TargetDirectory::open(parent_of(request_.directory));

        if (!parent)
            return tl::unexpected(parent.error());
        if (parent->is_target())
            return refuse_inside(parent->path());
        if (const std::string above = parent->target_above(); !above.empty())
            return refuse_inside(above);
        if (request_.options.dry_run) {
            show(data);
            return {};
        }
        if (::mkdir(request_.directory.c_str(), 0755) != 0)
            return tl::unexpected(ll::make_error(errno, request_.directory));
        if (request_.options.verbose)
            say(fmt::format("Created directory {}\n", request_.directory));
        return make_in_directory(data);
    }

    ll::Status make_in_directory(const MountData& data)
    {
        const auto directory = TargetDirectory::open(request_.directory);

        if (!directory)
            return tl::unexpected(directory.error());
        if (auto fit = check_place(*directory); !fit)
            return fit;

        const auto contents = directory->contents();
        if (!contents)
            return tl::unexpected(contents.error());
        if (auto fit = check_contents(*directory, *contents); !fit)
            return fit;
        show(data);
        if (auto cleared = clear(*directory, *contents); !cleared || request_.options.dry_run)
            return cleared;
        say("Writing " MOUNT_DATA_FILE "\n");
        return directory->write(data);
    }

    ll::Status refuse_inside(const std::string& target) const
    {
        return ll::fail(EINVAL, fmt::format("{} is inside the target {}; a target needs its "
                                            "own directory",
                                            request_.directory, target));
    }

    ll::Status check_place(const TargetDirectory& directory) const
    {
        if (const std::string at = directory.mounted_at(); !at.empty())
            return ll::fail(EBUSY, fmt::format("{} is a running target, mounted at {}; unmount it "
                                               "first",
                                               directory.path(), at));
        if (const std::string above = directory.target_above(); !above.empty())
            return refuse_inside(above);
        if (auto local = directory.check_local(); !local)
            return local;
        return directory.lock();
    }

    ll::Status check_contents(const TargetDirectory& directory, const Contents& contents) const
    {
        if (directory.is_target())
            return request_.reformat ? ll::Status() : refuse_target(directory);
        if (!contents.others.empty())
            return ll::fail(ENOTEMPTY, fmt::format("{} is not a target and not empty (it contains "
                                                   "'{}'); a target needs its own directory",
                                                   directory.path(), contents.others.front()));
        if (request_.reformat || keeps_logs(contents) || contents.removable().empty())
            return {};
        return ll::fail(ENOTEMPTY, fmt::format("{} contains files of an old target ('{}'); "
                                               "--reformat removes them",
                                               directory.path(), contents.removable().front()));
    }

    /* Logs and nothing else are what a management service may be given to serve. */
    bool keeps_logs(const Contents& contents) const
    {
        return !request_.reformat && (request_.types & LDD_F_SV_TYPE_MGS) != 0 &&
               contents.others.empty() && contents.ours.empty() && !contents.logs.empty();
    }

    static ll::Status refuse_target(const TargetDirectory& directory)
    {
        const auto old = directory.read();

        if (!old)
            return ll::fail(EEXIST, fmt::format("{}; --reformat overwrites it", old.error().text));
        return ll::fail(EEXIST, fmt::format("{} is already the target {}; --reformat "
                                            "overwrites it (its data is lost)",
                                            directory.path(), old->svname()));
    }

    ll::Status clear(const TargetDirectory& directory, const Contents& contents)
    {
        if (keeps_logs(contents)) {
            say(fmt::format("Keeping {} config logs for the service: {}\n", contents.logs.size(),
                            fmt::join(contents.logs, " ")));
            return {};
        }
        if (contents.removable().empty())
            return {};
        if (auto free = directory.check_no_mounts(contents); !free)
            return free;
        say(fmt::format("{}: {}\n", request_.options.dry_run ? "Would remove" : "Removing",
                        fmt::join(contents.removable(), " ")));
        if (!contents.others.empty())
            note(fmt::format("other files are kept, such as {}", contents.others.front()));
        return request_.options.dry_run ? ll::Status() : remove(directory, contents);
    }

    static ll::Status remove(const TargetDirectory& directory, const Contents& contents)
    {
        auto removed = directory.remove(contents);

        if (removed || directory.is_target())
            return removed;
        return ll::fail(removed.error().code,
                        fmt::format("{}; {} is not a target now, and some of its old files are "
                                    "left: remove the cause and repeat --reformat",
                                    removed.error().text, directory.path()));
    }

    void show(const MountData& data)
    {
        say(fmt::format("\n   Permanent disk data:\n{}\n", data.text()));
    }

    void say(std::string_view text)
    {
        if (!request_.options.quiet)
            tool_.out().put(text);
    }

    void note(std::string_view text)
    {
        if (!request_.options.quiet)
            tool_.note(text);
    }

    Tool& tool_;
    const MkfsRequest& request_;
};

ll::Status check_request(const MkfsRequest& request)
{
    const bool alone = request.types == LDD_F_SV_TYPE_MGS;

    if (alone && request.index)
        return ll::fail(EINVAL,
                        "--index applies to metadata and object storage targets, not to a "
                        "management service");
    if (alone && !request.options.mgs_nodes.empty())
        return ll::fail(EINVAL,
                        "--mgsnode names a management service on another node, --mgs "
                        "creates one here: omit one of them");
    if (request.replace && !request.index)
        return ll::fail(EINVAL, "--replace requires --index=N, the index of the lost target");
    return {};
}

std::uint32_t first_flags(const MkfsRequest& request, const TargetParams& params)
{
    // Registered already, and at other NIDs than before.
    std::uint32_t flags = request.types | (request.replace ? LDD_F_UPDATE : LDD_F_VIRGIN);

    if ((request.types & (LDD_F_SV_TYPE_MDT | LDD_F_SV_TYPE_OST)) != 0 && !request.index)
        flags |= LDD_F_NEED_INDEX;
    if (!params.own().empty())
        flags |= LDD_F_PARAM;
    if (!request.options.service_nodes.empty())
        flags |= LDD_F_NO_PRIMNODE;
    return flags;
}

/* Identity of the directory for the service, before its first registration. */
ll::Status give_uuid(MountData& data)
{
    if (!data.is_of_filesystem())
        return {};

    const auto uuid = random_uuid();
    return uuid ? data.set_uuid(*uuid) : tl::unexpected(uuid.error());
}

ll::Status set_texts(const TargetOptions& options, MountData& data)
{
    auto fine = data.set_comment(options.comment.value_or(""));

    if (fine)
        fine = data.set_mount_opts(options.mount_opts.value_or(""));
    return fine ? MountOptions().add(data.mount_opts()) : fine;
}

}  // namespace

ll::Result<MountData> make_mountdata(const MkfsRequest& request)
{
    TargetParams params;
    MountData data;

    auto fine = check_request(request);
    if (fine)
        fine = add_params(request.options, params);
    if (!fine)
        return tl::unexpected(fine.error());
    data.set_version(1);
    data.set_flags(first_flags(request, params));
    fine = data.set_identity(data.is_of_filesystem() ? request.fsname : "",
                             request.index.value_or(LDD_INDEX_NONE));
    if (fine)
        fine = give_uuid(data);
    if (fine)
        fine = data.set_params(params);
    if (fine)
        fine = set_texts(request.options, data);
    if (fine)
        fine = data.check();
    if (!fine)
        return tl::unexpected(fine.error());
    return data;
}

int run_mkfs(lctl::Writer& out, lctl::Writer& err, int argc, char* const* argv)
{
    const auto arguments = lctl::parse_arguments(kTool, argc, argv);
    Tool tool(kName, out, err);

    if (const auto status = tool.begin(arguments, kHelp))
        return *status;

    const auto request = request_of(*arguments);
    if (!request)
        return tool.usage_error(request.error().text);
    return Maker(tool, *request).run();
}

}  // namespace disk
