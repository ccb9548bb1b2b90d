// SPDX-License-Identifier: GPL-2.0-only
#include "disk/mounter.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disk/directory.hpp"
#include "disk/mounts.hpp"
#include "lctl/arguments.hpp"

namespace disk {

namespace {

constexpr const char* kName = "mount.lustre-lite";

constexpr std::string_view kHelp =
    "usage: mount.lustre-lite NID[,NID...][:NID...]:/FSNAME[/SUBDIR] MOUNTPOINT [OPTION...]\n"
    "       mount.lustre-lite DIRECTORY MOUNTPOINT [OPTION...]\n"
    "Mount a lustre-lite file system or a directory of it, or start the target in a\n"
    "directory. mount(8) runs this program for the type lustre-lite.\n"
    "\n"
    "Options:\n"
    "  -o OPTIONS     set mount options, separated by commas\n"
    "  -r             same as -o ro\n"
    "  -w             same as -o rw\n"
    "  -f, --fake     check everything, but do not mount\n"
    "  -s             ignore options that the file system does not know\n"
    "  -n             accepted and ignored\n"
    "  -t TYPE        accepted; must be lustre-lite\n"
    "  -v, --verbose  print each step\n"
    "  -h, --help     print this help\n"
    "  -V, --version  print the version\n"
    "\n"
    "-o retry=N retries N times if no server answers, after 1, 2, 4 ... 30 seconds.\n"
    "Exit status, as for mount(8): 0 on success, 1 on invalid usage or missing permission,\n"
    "32 if the mount failed.\n"
    "Manual: man mount.lustre-lite\n";

constexpr lctl::Option kOptions[] = {
    {.letter = 'o', .name = "options", .argument = "OPTIONS"},
    {.letter = 'r', .name = "read-only"},
    {.letter = 'w', .name = "rw"},
    {.letter = 'f', .name = "fake"},
    {.letter = 's', .name = "sloppy"},
    {.letter = 'n', .name = "no-mtab"},
    {.letter = 't', .name = "types", .argument = "TYPE"},
    {.letter = 'v', .name = "verbose"},
    {.letter = 'V', .name = "version"},
};

constexpr lctl::Command kTool = {.name = kName, .options = kOptions};

constexpr unsigned kLongestPause = 30;

/* fsconfig(2) takes no longer value, source included. */
constexpr std::size_t kLongestValue = 255;

struct MountRequest {
    MountSource source;
    std::string directory;
    std::vector<std::string> given;  // texts of options, in order
    MountOptions options;
    bool fake = false;
    bool sloppy = false;
    bool verbose = false;
};

ll::Status take_option(const lctl::Given& given, MountRequest& request)
{
    const std::string_view value = given.argument.value_or("");

    if (given.is("types") && value != kFileSystemType)
        return ll::fail(EINVAL,
                        fmt::format("file system type '{}' is not {}", value, kFileSystemType));
    if (given.is("options"))
        request.given.emplace_back(value);
    else if (given.is("read-only"))
        request.given.emplace_back("ro");
    else if (given.is("rw"))
        request.given.emplace_back("rw");
    request.fake |= given.is("fake");
    request.sloppy |= given.is("sloppy");
    request.verbose |= given.is("verbose");
    return {};
}

/* What is given wins over what a target has for each of its mounts. */
ll::Status set_options(MountRequest& request, std::string_view persistent)
{
    request.options = {};
    if (auto added = request.options.add(persistent); !added)
        return added;
    for (const std::string& text : request.given)
        if (auto added = request.options.add(text); !added)
            return added;
    return {};
}

ll::Result<MountRequest> request_of(const lctl::Arguments& arguments)
{
    MountRequest request;

    for (const lctl::Given& given : arguments.options)
        if (auto taken = take_option(given, request); !taken)
            return tl::unexpected(taken.error());
    if (auto fine = set_options(request, ""); !fine)
        return tl::unexpected(fine.error());
    if (arguments.operands.size() != 2)
        return ll::fail(EINVAL, fmt::format("takes a source and a mount point, not {} arguments",
                                            arguments.operands.size()));

    auto source = parse_source(arguments.operands[0]);
    if (!source)
        return tl::unexpected(source.error());
    request.source = std::move(*source);
    request.directory = arguments.operands[1];
    return request;
}

/* How an attempt ended. */
struct Outcome {
    int code = 0;
    std::string at;  // the option that was refused, or ""
    std::vector<KernelWord> words;
    bool classic = false;  // by mount(2): the words are in the kernel log
};

/* An option was refused because the file system does not have it, not for its value. */
bool is_unknown(int code, const std::vector<KernelWord>& words)
{
    return code == EOPNOTSUPP ||
           (code == EINVAL && std::ranges::any_of(words, [](const KernelWord& word) {
                return word.text.starts_with("unknown option ");
            }));
}

class Mounter {
public:
    Mounter(MountSystem& system, Tool& tool, MountRequest& request)
        : system_(system), tool_(tool), request_(request)
    {
    }

    int run()
    {
        if (auto fine = check_mount_point(); !fine)
            return tool_.error(fine.error().text, kMountFailed);
        if (auto fine = check_source(); !fine)
            return tool_.error(fine.error().text, kMountFailed);
        if (request_.fake) {
            step("checked, not mounted (-f)");
            return tool_.end();
        }
        if (!system_.is_root())
            return tool_.error("only root can mount", kMountUsage);
        return mount();
    }

private:
    ll::Status check_mount_point() const
    {
        struct stat st {};

        if (::stat(request_.directory.c_str(), &st) != 0)
            return tl::unexpected(
                ll::make_error(errno, fmt::format("mount point {}", request_.directory)));
        if (!S_ISDIR(st.st_mode))
            return ll::fail(ENOTDIR,
                            fmt::format("mount point {}: Not a directory", request_.directory));
        return {};
    }

    ll::Status check_source()
    {
        if (request_.options.remount)
            return {};
        if (!request_.source.is_target)
            return check_client();

        const auto directory = TargetDirectory::open(request_.source.text);
        if (!directory)
            return ll::fail(directory.error().code,
                            fmt::format("{}; a source is NID[,NID...][:NID...]:/FSNAME or the "
                                        "directory of a target",
                                        directory.error().text));
        request_.source.text = directory->path();
        if (const std::string at = directory->mounted_at(); !at.empty())
            return ll::fail(EALREADY,
                            fmt::format("{} is already mounted at {}", directory->path(), at));
        return check_target(*directory);
    }

    /* A second mount would hide the first one. statx() does not ask a server that may be dead. */
    ll::Status check_client() const
    {
        struct statx st = {};
        std::error_code error;

        if (::statx(AT_FDCWD, request_.directory.c_str(), AT_STATX_DONT_SYNC, 0, &st) ||
            !(st.stx_attributes & STATX_ATTR_MOUNT_ROOT))
            return {};

        const std::string at = std::filesystem::canonical(request_.directory, error).string();

        for (const Mount& mount : our_mounts())
            if (mount.source == request_.source.text && mount.directory == at)
                return ll::fail(EALREADY,
                                fmt::format("{} is already mounted at {}", mount.source, at));
        return {};
    }

    ll::Status check_target(const TargetDirectory& directory)
    {
        const auto data = directory.read();

        if (!data)
            return tl::unexpected(data.error());

        auto fine = data->check();
        if (fine)
            fine = set_options(request_, data->mount_opts());
        if (!fine)
            return ll::fail(fine.error().code, fmt::format("{}/{}: {}", directory.path(),
                                                           MOUNT_DATA_FILE, fine.error().text));
        step(fmt::format("{} is the target {}", directory.path(), data->svname()));
        return {};
    }

    int mount()
    {
        unsigned pause = 1;

        for (unsigned again = 0;; again++) {
            const Outcome outcome = attempt();

            if (outcome.code == 0)
                return succeeded(outcome);
            if (again == request_.options.retry || !can_pass(outcome.code))
                return failed(outcome);
            tool_.note(fmt::format("{}: {}; trying again in {} s ({} of {})", request_.source.text,
                                   ll::errno_text(outcome.code), pause, again + 1,
                                   request_.options.retry));
            system_.pause(pause);
            pause = std::min(2 * pause, kLongestPause);
        }
    }

    Outcome attempt()
    {
        Outcome outcome;
        ll::Fd context;

        outcome.code = request_.options.remount ? system_.pick(request_.directory, context)
                                                : system_.open(context);
        if (outcome.code == ENOSYS)
            return attempt_classic();
        if (outcome.code != 0)
            return outcome;
        outcome.code = configure(context, outcome);
        if (outcome.code == 0 && !fits())
            return attempt_classic();
        if (outcome.code == 0)
            outcome.code = request_.options.remount ? change(context) : make(context);
        add_words(context, outcome);
        return outcome;
    }

    static bool fits(const FsOption& option) { return option.value.size() <= kLongestValue; }

    bool fits() const
    {
        return (request_.source.text.size() <= kLongestValue || request_.options.remount) &&
               std::ranges::all_of(request_.options.fs,
                                   [](const FsOption& option) { return fits(option); });
    }

    Outcome attempt_classic()
    {
        const MountOptions& options = request_.options;
        const std::string data = options.data();
        unsigned long flags = options.flags;
        Outcome outcome;

        step("falling back to mount(2)");
        // It takes no more than a page, and what is longer without its end.
        if (const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
            data.size() >= page) {
            outcome.code = E2BIG;
            outcome.at = fmt::format("{}...", data.substr(0, kLongestValue));
            return outcome;
        }
        if (options.remount)
            flags |= MS_REMOUNT;
        outcome.classic = true;
        outcome.code = system_.mount(request_.source.text, request_.directory, flags, data);
        return outcome;
    }

    /* Those that are too long are left for mount(2). */
    int configure(const ll::Fd& context, Outcome& outcome)
    {
        const std::string& source = request_.source.text;
        std::vector<FsOption> known;
        int rc = 0;

        if (!request_.options.remount && source.size() <= kLongestValue)
            rc = system_.set(context, "source", source.c_str());
        for (const FsOption& option : request_.options.fs)
            if (rc == 0)
                rc = configure_option(context, option, known, outcome);
        if (rc == 0)
            request_.options.fs = std::move(known);
        return rc;
    }

    int configure_option(const ll::Fd& context, const FsOption& option,
                         std::vector<FsOption>& known, Outcome& outcome)
    {
        const int rc = fits(option) ? set_option(context, option) : 0;

        if (rc != 0 && request_.sloppy && is_ignored(context, rc, outcome)) {
            step(fmt::format("ignoring the option '{}'", option.text()));
            return 0;
        }
        if (rc != 0)
            outcome.at = option.text();
        known.push_back(option);
        return rc;
    }

    int set_option(const ll::Fd& context, const FsOption& option)
    {
        return system_.set(context, option.name.c_str(),
                           option.has_value ? option.value.c_str() : nullptr);
    }

    /* Return: whether it is an option that the file system does not have; else its words are kept */
    bool is_ignored(const ll::Fd& context, int code, Outcome& outcome)
    {
        auto words = system_.words(context);

        if (is_unknown(code, words))
            return true;
        outcome.words = std::move(words);
        return false;
    }

    void add_words(const ll::Fd& context, Outcome& outcome)
    {
        for (KernelWord& word : system_.words(context))
            outcome.words.push_back(std::move(word));
    }

    int make(const ll::Fd& context)
    {
        step(fmt::format("mounting {}", request_.source.text));

        const int rc = system_.create(context);
        if (rc != 0)
            return rc;
        step(fmt::format("attaching it to {}", request_.directory));
        return system_.attach(context, request_.directory, request_.options.attr_set);
    }

    int change(const ll::Fd& context)
    {
        const MountOptions& options = request_.options;

        step(fmt::format("changing options of {}", request_.directory));
        const int rc = system_.reconfigure(context);
        if (rc != 0 || (options.attr_set | options.attr_clear) == 0)
            return rc;
        return system_.set_attrs(request_.directory, options.attr_set, options.attr_clear);
    }

    int succeeded(const Outcome& outcome)
    {
        for (const KernelWord& word : outcome.words)
            if (word.kind != 'i' || request_.verbose)
                tool_.note(fmt::format("the kernel says: {}", word.text));
        step(fmt::format("{} is mounted at {}", request_.source.text, request_.directory));
        return tool_.end();
    }

    int failed(const Outcome& outcome)
    {
        std::string text = fmt::format("{} at {}: ", request_.source.text, request_.directory);

        if (!outcome.at.empty())
            text += fmt::format("option '{}': ", outcome.at);
        text += ll::errno_text(outcome.code);
        tool_.error(text);
        for (const KernelWord& word : outcome.words)
            tool_.note(fmt::format("the kernel says: {}", word.text));
        if (outcome.classic)
            tool_.note("the kernel log (dmesg) has the reason");
        // Its message is better than a guess, unless another party must act.
        if (outcome.words.empty() || outcome.code == ENOENT || can_pass(outcome.code))
            advise(outcome);
        return tool_.end(kMountFailed);
    }

    void advise(const Outcome& outcome)
    {
        const std::string advice = mount_advice(outcome.code, request_.source);

        if (!advice.empty())
            tool_.note(advice);
    }

    void step(std::string_view text)
    {
        if (request_.verbose)
            tool_.out().put(fmt::format("{}: {}\n", kName, text));
    }

    MountSystem& system_;
    Tool& tool_;
    MountRequest& request_;
};

}  // namespace

int run_mount(MountSystem& system, lctl::Writer& out, lctl::Writer& err, int argc,
              char* const* argv)
{
    const auto arguments = lctl::parse_arguments(kTool, argc, argv);
    Tool tool(kName, out, err);

    if (!arguments)
        return tool.error(fmt::format("{}. See '{} --help'.", arguments.error(), kName),
                          kMountUsage);
    if (arguments->has("help"))
        return tool.print(kHelp);
    if (arguments->has("version"))
        return tool.print_version();

    auto request = request_of(*arguments);
    if (!request)
        return tool.error(request.error().text, kMountUsage);
    return Mounter(system, tool, *request).run();
}

}  // namespace disk
