// SPDX-License-Identifier: GPL-2.0-only
/*
 * What went wrong in a command that goes on: each failure is printed for people
 * and given to the output, the first one decides the exit status.
 */
#pragma once

#include <string_view>

#include "lctl/context.hpp"
#include "lctl/output/output.hpp"
#include "lib/pathspec.hpp"

namespace lctl {

class Report {
public:
    Report(Context& context, std::string_view command, Output& output)
        : context_(context), command_(command), output_(output)
    {
    }

    /** @what is the whole message, @name what it is about. */
    void failure(std::string_view name, int code, std::string_view what);

    /** An invalid operand, or a call that failed as a whole. */
    void failure(std::string_view name, const ll::Error& error)
    {
        failure(name, error.code, error.text);
    }

    /** Nothing of that name; suggests names like it. */
    void missing(ll::Params& params, const ll::PathSpec& spec);

    /** A parameter that matched and whose value could not be read. */
    void unreadable(const ll::EntryView& entry);

    /** Words for a person only. */
    void note(std::string_view text);

    int status() const { return status_; }

private:
    Context& context_;
    std::string_view command_;
    Output& output_;
    int status_ = 0;
};

}  // namespace lctl
