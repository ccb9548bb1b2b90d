// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes of the configuration by commands: common options, and the output about their
 * results.
 */
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lctl/command.hpp"
#include "lctl/context.hpp"
#include "lctl/output/printer.hpp"
#include "lib/mgs.hpp"

namespace lctl {

namespace options {

inline constexpr Option kMgsDryRun = {
    .letter = 'n', .name = "dry-run", .help = "check, and print what would be changed"};
inline constexpr Option kMgsForce = {.name = "force",
                                     .help = "store a setting even if no parameter matches"};
inline constexpr Option kMgsWait = {
    .letter = 'w',
    .name = "wait",
    .argument = "SECONDS",
    .optional = true,
    .help = "return when all connected nodes have applied it, or after SECONDS (60)",
};

}  // namespace options

/**
 * The changes of one command. What went wrong is printed at once, and the further
 * ones are made all the same; with --wait the nodes are waited for at the end.
 */
class MgsChanges {
public:
    MgsChanges(Context& context, const Arguments& arguments)
        : context_(context), arguments_(arguments)
    {
    }

    /**
     * Look at the options.
     *
     * Return: 0 or an errno; the error was printed, and no change must be made
     */
    int begin();

    /**
     * @change: --dry-run and --force are taken from the command line
     * @what: as it is printed: "osc.*.max_dirty_mb=64"
     */
    void make(ll::MgsChange change, const std::string& what);

    /** Something could not even be asked for. */
    void refuse(int code, const std::string& what, const std::string& why);

    /**
     * Wait, and end the document.
     *
     * Return: the errno of the first error, or 0: ETIMEDOUT when nodes are behind,
     * EREMOTEIO when one could not apply something
     */
    int end();

private:
    struct Made {
        std::string what;
        ll::MgsChanged changed;
        std::optional<ll::Error> error;
        std::optional<ll::MgsNodes> nodes;
    };

    void say(const Made& made);
    void wait_for(Made& made, std::chrono::steady_clock::time_point until);
    void report_nodes(const ll::MgsNodes& nodes);
    void fail(int code, std::string_view why);
    Json members_of(const Made& made) const;

    Context& context_;
    const Arguments& arguments_;
    std::optional<std::chrono::milliseconds> limit_;  // --wait
    bool dry_run_ = false;
    bool quiet_ = false;  // --no-name
    std::vector<Made> made_;
    int status_ = 0;
};

}  // namespace lctl
