// SPDX-License-Identifier: GPL-2.0
#include "lctl/commands/set_permanent.hpp"

#include <cerrno>
#include <string>

#include "lctl/commands/assignment.hpp"
#include "lctl/commands/mgs_change.hpp"
#include "lib/pathspec.hpp"

namespace lctl {

namespace {

/* A change for each pattern that @name stands for: @make( pattern ). */
template <class Make>
void for_each_pattern(MgsChanges& changes, std::string_view name, const std::string& what,
                      Make make)
{
    const auto patterns = ll::stored_patterns(name);

    if (!patterns)
        return changes.refuse(patterns.error().code, what, patterns.error().text);
    for (const std::string& pattern : *patterns)
        make(pattern);
}

/* With -d the values may be left out. */
int delete_permanent(Context& context, const Arguments& arguments)
{
    MgsChanges changes(context, arguments);

    if (const int code = changes.begin(); code != 0)
        return code;
    for (const std::string_view operand : arguments.operands) {
        const std::string name(assigned_name(operand));

        for_each_pattern(changes, name, name, [&](const std::string& pattern) {
            changes.make({.op = MGS_DEL_PARAM, .args = {pattern}}, pattern);
        });
    }
    return changes.end();
}

void set_one(MgsChanges& changes, const Assignment& one)
{
    const std::string value(one.value);

    if (value.empty())
        return changes.refuse(
            EINVAL, one.text(),
            "setting " + one.text() + ": the value is empty; -d deletes the setting");
    for_each_pattern(changes, one.name, one.text(), [&](const std::string& pattern) {
        changes.make({.op = MGS_SET_PARAM, .args = {pattern, value}}, pattern + "=" + value);
    });
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
    for (const Assignment& one : *assignments)
        set_one(changes, one);
    return changes.end();
}

}  // namespace lctl
