// SPDX-License-Identifier: GPL-2.0-only
/*
 * df: free space of each target.
 */
#include <cerrno>

#include <fmt/format.h>

#include "lfs/lfs.hpp"
#include "lfs/mounted.hpp"

namespace lfs {

namespace {

constexpr Option kOptions[] = {
    {.letter = 'h', .name = "human-readable", .help = "print sizes with K, M, G ... (1024)"},
    {.letter = 'H', .name = "si", .help = "print sizes with k, M, G ... (1000)"},
    {.letter = 'i', .name = "inodes", .help = "print inodes, not blocks"},
    {.letter = 'm', .name = "mdt", .help = "print metadata targets only"},
    {.letter = 'o', .name = "ost", .help = "print object storage targets only"},
    {.letter = 'l',
     .name = "lazy",
     .help = "do not wait for targets that are down, as without it; for scripts of Lustre"},
    {.letter = 's', .name = "summary", .help = "print the sum of each file system only"},
    {.letter = 'N', .name = "no-header", .help = "print no heading"},
};

/* Space in bytes, or inodes. */
struct Space {
    std::uint64_t total = 0;
    std::uint64_t free = 0;
    std::uint64_t available = 0;

    std::uint64_t used() const { return total - free; }

    void add(const Space& other)
    {
        total += other.total;
        free += other.free;
        available += other.available;
    }
};

Space blocks_of(const ll_user_target& target)
{
    return {target.lt_blocks * target.lt_bsize, target.lt_bfree * target.lt_bsize,
            target.lt_bavail * target.lt_bsize};
}

Space inodes_of(const ll_user_target& target)
{
    return {target.lt_files, target.lt_ffree, target.lt_ffree};
}

/* Rounded up, as df(1) does. */
std::string percent(const Space& space)
{
    const std::uint64_t all = space.used() + space.available;

    return all == 0 ? "0%" : fmt::format("{}%", (space.used() * 100 + all - 1) / all);
}

struct State {
    std::uint32_t bit;
    char letter;
    const char* name;
};

constexpr State kStates[] = {
    {OS_STATFS_DEGRADED, 'D', "degraded"},
    {OS_STATFS_READONLY, 'R', "readonly"},
};

/* " DR", or nothing for a target without a state of note. */
std::string letters(const ll_user_target& target)
{
    std::string text;

    for (const State& state : kStates)
        if (target.lt_state & state.bit)
            text.append(text.empty() ? " " : "").push_back(state.letter);
    return text;
}

Json state_names(const ll_user_target& target)
{
    Json names = Json::array();

    for (const State& state : kStates)
        if (target.lt_state & state.bit)
            names.push_back(state.name);
    return names;
}

class Df {
public:
    Df(Context& context, const Arguments& arguments)
        : context_(context),
          base_(arguments.has("human-readable") ? 1024U : (arguments.has("si") ? 1000U : 0U)),
          inodes_(arguments.has("inodes")),
          mdts_(arguments.has("mdt") || !arguments.has("ost")),
          osts_(arguments.has("ost") || !arguments.has("mdt")),
          summary_(arguments.has("summary")),
          header_(!arguments.has("no-header"))
    {
    }

    void mount(const std::string& directory)
    {
        const auto mdts = targets(mdts_, directory, TargetType::Mdt);
        const auto osts = targets(osts_, directory, TargetType::Ost);

        if (!mdts || !osts) {
            context_.error(directory, mdts ? osts.error() : mdts.error());
            return;
        }
        if (!context_.is_text()) {
            for (const auto* const found : {&*mdts, &*osts})
                for (const ll_user_target& target : *found)
                    put_value(directory, target);
            return;
        }
        put_text(directory, *mdts, *osts);
    }

private:
    ll::Result<std::vector<ll_user_target>> targets(bool wanted, const std::string& directory,
                                                    TargetType type)
    {
        if (!wanted)
            return std::vector<ll_user_target>();
        return targets_of(context_.files, directory, type);
    }

    void put_value(const std::string& directory, const ll_user_target& target)
    {
        Json item = {{"mount", directory},
                     {"uuid", target.lt_uuid},
                     {"type", target.lt_type == LL_TARGET_MDT ? "MDT" : "OST"},
                     {"index", target.lt_index}};

        if (target.lt_error != 0) {
            item["error"] = {{"errno", target.lt_error}, {"message", reason(target)}};
        } else {
            const Space blocks = blocks_of(target);
            const Space inodes = inodes_of(target);

            item["bytes"] = {
                {"total", blocks.total}, {"used", blocks.used()}, {"available", blocks.available}};
            item["inodes"] = {
                {"total", inodes.total}, {"used", inodes.used()}, {"free", inodes.free}};
            item["state"] = state_names(target);
        }
        context_.printer().item(item);
    }

    static std::string reason(const ll_user_target& target)
    {
        return target.lt_error == ENODATA ? "inactive device"
                                          : ll::errno_text(static_cast<int>(target.lt_error));
    }

    void put_text(const std::string& directory, const std::vector<ll_user_target>& mdts,
                  const std::vector<ll_user_target>& osts)
    {
        std::string& out = context_.out.text();

        if (any_)
            out.append("\n");
        any_ = true;
        if (header_)
            put_header();

        const Space md = put_targets(directory, "MDT", mdts);
        Space sum = put_targets(directory, "OST", osts);

        /* Files need an inode of an MDT, and an object each. */
        if (inodes_ && !osts.empty() && !mdts.empty()) {
            sum.free = sum.available = std::min(md.free, sum.free);
            sum.total = md.used() + sum.free;
        } else if (osts.empty()) {
            sum = md;
        }
        out.append(summary_ ? "" : "\n");
        put_row("filesystem_summary:", sum, directory);
        context_.out.spill();
    }

    void put_header()
    {
        const bool human = base_ != 0;

        if (inodes_)
            put_words("UUID", "Inodes", "IUsed", "IFree", "IUse%", "Mounted on");
        else
            put_words("UUID", human ? "bytes" : "1K-blocks", "Used", "Available", "Use%",
                      "Mounted on");
    }

    Space put_targets(const std::string& directory, const char* type,
                      const std::vector<ll_user_target>& targets)
    {
        Space sum;

        for (const ll_user_target& target : targets) {
            const Space space = inodes_ ? inodes_of(target) : blocks_of(target);

            if (target.lt_error == 0)
                sum.add(space);
            if (summary_)
                continue;
            if (target.lt_error != 0)
                context_.out.put(fmt::format("{:<20}: {}\n", target.lt_uuid, reason(target)));
            else
                put_row(
                    target.lt_uuid, space,
                    fmt::format("{}[{}:{}]{}", directory, type, target.lt_index, letters(target)));
        }
        return sum;
    }

    void put_row(std::string_view name, const Space& space, std::string_view where)
    {
        put_words(name, number(space.total), number(space.used()), number(space.available),
                  percent(space), where);
    }

    void put_words(std::string_view name, std::string_view total, std::string_view used,
                   std::string_view free, std::string_view ratio, std::string_view where)
    {
        context_.out.put(fmt::format("{:<20} {:>11} {:>11} {:>11} {:>4}  {}\n", name, total, used,
                                     free, ratio, where));
    }

    /* KiB, or with a unit. */
    std::string number(std::uint64_t value) const
    {
        constexpr std::string_view kUnits = "KMGTPE";
        auto scaled = static_cast<double>(value);
        std::size_t unit = 0;

        if (base_ == 0)
            return std::to_string(inodes_ ? value : value >> 10);
        if (value < base_)
            return std::to_string(value);
        for (scaled /= base_; scaled >= base_ && unit + 1 < kUnits.size(); unit++)
            scaled /= base_;
        return fmt::format("{:.1f}{}", scaled, base_ == 1000 && unit == 0 ? 'k' : kUnits[unit]);
    }

    Context& context_;
    unsigned int base_;
    bool inodes_;
    bool mdts_;
    bool osts_;
    bool summary_;
    bool header_;
    bool any_ = false;
};

void run_df(Context& context, const Arguments& arguments)
{
    Df df(context, arguments);

    for (const std::string& mount : mounts_of(context, arguments))
        df.mount(mount);
}

}  // namespace

const Command df_command = {
    .spec = {.name = "df",
             .operands = "[PATH...]",
             .takes = {0, lctl::kMany},
             .summary = "print the free space of each target",
             .help = "Without PATH: all mounted file systems.\n",
             .options = kOptions,
             .prints = lctl::Prints::Array,
             .key = "targets"},
    .run = run_df,
};

}  // namespace lfs
