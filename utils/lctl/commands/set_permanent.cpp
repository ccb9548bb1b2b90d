// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/set_permanent.hpp"

#include <cerrno>
#include <string>

#include "lctl/commands/assignment.hpp"
#include "lctl/commands/mgs_change.hpp"

namespace lctl {

namespace {

/* Behind -d the values may be left out. */
int delete_permanent(Context& context, const Arguments& arguments)
{
    MgsChanges changes(context, arguments);

    if (const int code = changes.begin(); code != 0)
        return code;
    for (const std::string_view operand : arguments.operands) {
        const std::string name(assigned_name(operand));

        changes.make({.op = MGS_DEL_PARAM, .args = {name}}, name);
    }
    return changes.end();
}

}  // namespace

int set_permanent(Context& context, const Arguments& arguments)
{
    if (arguments.has("delete"))
        return delete_permanent(context, arguments);

    const auto assignments = parse_assignments(arguments.operands);
    MgsChanges changes(context, arguments);

    if (!assignments)
        return usage_error(context, arguments, assignments.error());
    if (const int code = changes.begin(); code != 0)
        return code;
    for (const Assignment& one : *assignments) {
        if (one.value.empty())
            changes.refuse(EINVAL, one.text(),
                           "setting " + one.text() + ": the value is empty; -d takes it back");
        else
            changes.make(
                {.op = MGS_SET_PARAM, .args = {std::string(one.name), std::string(one.value)}},
                one.text());
    }
    return changes.end();
}

}  // namespace lctl
