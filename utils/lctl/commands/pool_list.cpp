// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/commands/pool_list.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "lctl/arguments.hpp"
#include "lctl/commands/commands.hpp"
#include "lctl/context.hpp"

namespace lctl {

namespace {

constexpr std::string_view kVolumes = "lov";
constexpr std::string_view kPools = "pools";

/* "lustre", or "lustre.flash" */
struct Wanted {
    std::string_view fsname;
    std::string_view pool;  // empty: all

    static ll::Result<Wanted> parse(std::string_view text)
    {
        const std::size_t dot = text.find('.');
        const Wanted wanted{text.substr(0, dot),
                            dot == std::string_view::npos ? "" : text.substr(dot + 1)};

        if (wanted.fsname.empty() || text.ends_with('.') ||
            text.find('/') != std::string_view::npos)
            return ll::fail(EINVAL,
                            "'" + std::string(text) + "' is neither FSNAME nor FSNAME.POOL");
        return wanted;
    }

    /* A client's "lustre-clilov-ffff88", a metadata target's "lustre-MDT0000-mdtlov" */
    bool has_volume(std::string_view name) const
    {
        if (!name.starts_with(fsname) || name.substr(fsname.size(), 1) != "-")
            return false;
        name.remove_prefix(fsname.size() + 1);
        return name.starts_with("clilov") || (name.starts_with("MDT") && name.ends_with("-mdtlov"));
    }

    bool has_pool(std::string_view name) const { return pool.empty() || name == pool; }
};

/* The volumes of one file system: of each mount and each metadata target of this node. */
class Volumes {
public:
    Volumes(ll::Params& params, const Wanted& wanted) : params_(params), wanted_(wanted) {}

    ll::Result<Pools> pools()
    {
        const auto listed = params_.list(kVolumes, 0, [&](const ll::EntryView& entry) {
            look_at(entry.path);
            return ll::Visit::Continue;
        });

        if (!listed && listed.error().code != ENOENT)
            return tl::unexpected(listed.error());
        if (!any_)
            return ll::fail(ENODEV, "file system '" + std::string(wanted_.fsname) +
                                        "' is not mounted on this node, and none of its metadata "
                                        "targets is");
        return read();
    }

private:
    /* "lov/VOLUME/pools/POOL", and all that stands beside it */
    void look_at(std::string_view path)
    {
        std::string_view rest = path;

        cut(rest, '/');
        if (!wanted_.has_volume(cut(rest, '/')))
            return;
        any_ = true;
        if (cut(rest, '/') == kPools && !rest.empty() && wanted_.has_pool(rest)) {
            paths_.add(path);
            names_.emplace_back(rest);
        }
    }

    /* A pool that was removed meanwhile is skipped. */
    ll::Result<Pools> read()
    {
        Pools pools{std::string(wanted_.fsname), std::string(wanted_.pool), {}};
        const auto done = params_.read_many(paths_, [&](const ll::EntryView& entry) {
            if (entry.status == 0)
                add(pools.targets[names_[entry.index]], entry.value);
            return ll::Visit::Continue;
        });

        if (!done)
            return tl::unexpected(done.error());
        return pools;
    }

    static void add(std::vector<std::string>& targets, ll::ValueView value)
    {
        ll::WholeReader reader(value);
        ll::Record record;

        while (reader.next(record))
            if (std::find(targets.begin(), targets.end(), record.bytes) == targets.end())
                targets.emplace_back(record.bytes);
    }

    ll::Params& params_;
    const Wanted& wanted_;
    ll::PathList paths_;
    std::vector<std::string> names_;  // of the pools at paths_
    bool any_ = false;
};

}  // namespace

ll::Result<Pools> find_pools(ll::Params& params, std::string_view name)
{
    const auto wanted = Wanted::parse(name);

    if (!wanted)
        return tl::unexpected(wanted.error());

    auto pools = Volumes(params, *wanted).pools();

    if (pools && !wanted->pool.empty() && pools->targets.empty())
        return ll::fail(ENOENT,
                        fmt::format("no pool '{}' in file system '{}': pool_list {} names those "
                                    "there are",
                                    wanted->pool, wanted->fsname, wanted->fsname));
    return pools;
}

void print_pools(Writer& out, Printer& printer, const Pools& pools)
{
    const bool text = printer.format() == Format::Text;

    if (text && pools.pool.empty())
        out.put(fmt::format("Pools from {}:\n", pools.fsname));
    for (const auto& [name, targets] : pools.targets) {
        const std::string full = pools.fsname + "." + name;

        if (!text) {
            printer.item({{"pool", full}, {"targets", targets}});
            continue;
        }
        out.put(pools.pool.empty() ? full + "\n" : fmt::format("Pool: {}\n", full));
        if (!pools.pool.empty())
            out.put(fmt::format("{}{}", fmt::join(targets, "\n"), targets.empty() ? "" : "\n"));
    }
}

namespace {

int run_pool_list(Context& context, const Arguments& arguments)
{
    const auto pools = find_pools(context.tree(), arguments.operands[0]);

    if (!pools)
        return context.error(arguments.command, pools.error());
    print_pools(context.out, context.printer(), *pools);
    return 0;
}

}  // namespace

const Command pool_list_command = {
    .name = "pool_list",
    .group = "management service",
    .operands = "FSNAME[.POOL]",
    .takes = {1, 1},
    .summary = "list the pools of a file system, or the targets of one",
    .help =
        "Lists the pools known to the LOV devices of this node: of a mounted client, or of a\n"
        "metadata target.\n",
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .key = "pools",
    .run = run_pool_list,
};

}  // namespace lctl
