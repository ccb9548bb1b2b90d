// SPDX-License-Identifier: GPL-2.0-only
/*
 * find_param: parameters whose whole name matches a regular expression.
 */
#include <cerrno>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <regex.h>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/selection.hpp"
#include "lctl/output/output.hpp"

namespace lctl {

namespace {

using namespace options;

constexpr Option kOptions[] = {
    kFoldDevices, kColor,    kClassify, kHeader, kLinks,    kNoLinks, kMerge,    kNoMerge,
    kNoName,      kOnlyName, kModule,   kPath,   kReadable, kTunable, kWritable, kNull,
};

/* An extended regular expression, as in regex(7). */
class Expression {
public:
    static tl::expected<Expression, std::string> compile(std::string_view text)
    {
        Expression expression(text);
        const int code =
            regcomp(expression.regex_.get(), expression.text_.c_str(), REG_EXTENDED | REG_NOSUB);

        if (code == 0)
            return expression;

        char why[128];

        regerror(code, expression.regex_.get(), why, sizeof(why));
        return tl::unexpected(std::string(why));
    }

    bool matches(std::string_view name) const
    {
        regmatch_t part = {};

        part.rm_eo = static_cast<regoff_t>(name.size());
        return regexec(regex_.get(), name.data(), 0, &part, REG_STARTEND) == 0;
    }

    const std::string& text() const { return text_; }
    bool matched = false;

private:
    explicit Expression(std::string_view text)
        : text_(text), regex_(new regex_t(), [](regex_t* regex) {
              regfree(regex);
              delete regex;
          })
    {
    }

    std::string text_;
    std::unique_ptr<regex_t, void (*)(regex_t*)> regex_;
};

class Finder {
public:
    Finder(ll::Params& params, const Selection& selection, Output& output, Report& report)
        : params_(params), selection_(selection), output_(output), report_(report)
    {
    }

    /* One pass over the names; an entry that any of them matches comes once. */
    void find(std::span<Expression> expressions)
    {
        ll::PathList to_read;
        const auto listed = params_.list("", 0, [&](const ll::EntryView& entry) {
            if (!entry.is_dir() && matches(expressions, entry.display) && selection_.accepts(entry))
                found(entry, to_read);
            return ll::Visit::Continue;
        });

        if (!listed)
            return report_.failure("", listed.error());
        for (const Expression& expression : expressions)
            if (!expression.matched)
                report_.failure(
                    expression.text(), ENOENT,
                    "param_path '" + expression.text() + "': " + ll::errno_text(ENOENT));
        read(to_read);
    }

private:
    static bool matches(std::span<Expression> expressions, std::string_view name)
    {
        bool any = false;

        for (Expression& expression : expressions) {
            if (!expression.matches(name))
                continue;
            expression.matched = true;
            any = true;
        }
        return any;
    }

    void found(const ll::EntryView& entry, ll::PathList& to_read)
    {
        if (!selection_.style.values || entry.is_volatile())
            output_.entry(entry);
        else if (entry.readable())
            to_read.add(entry.path);
    }

    void read(const ll::PathList& paths)
    {
        if (paths.empty())
            return;

        const auto done = params_.read_many(paths, [&](const ll::EntryView& entry) {
            if (entry.status == 0)
                output_.entry(entry);
            else if (entry.status != ENOENT && entry.status != ENODEV && entry.status != EACCES)
                report_.unreadable(entry);
            return ll::Visit::Continue;
        });

        if (!done)
            report_.failure("", done.error());
    }

    ll::Params& params_;
    const Selection& selection_;
    Output& output_;
    Report& report_;
};

int find(Context& context, const Arguments& arguments, const Selection& selection,
         std::vector<Expression>& expressions)
{
    const auto output = make_output(selection.style, context);
    Report report(context, arguments.command, *output);
    Finder finder(context.tree(), selection, *output, report);
    const std::size_t step = selection.merge ? expressions.size() : 1;

    for (std::size_t i = 0; i < expressions.size(); i += step)
        finder.find(std::span(expressions).subspan(i, step));
    output->end();
    return report.status();
}

int run_find_param(Context& context, const Arguments& arguments)
{
    Selection selection;

    selection.merge = true;

    const auto parsed = parse_selection(context, arguments, selection);

    if (!parsed)
        return usage_error(context, arguments, parsed.error());

    std::vector<Expression> expressions;

    for (const std::string_view text : arguments.operands) {
        auto expression = Expression::compile(text);

        if (!expression)
            return context.error(arguments.command,
                                 "expression '" + std::string(text) + "': " + expression.error(),
                                 EINVAL);
        expressions.push_back(std::move(*expression));
    }
    return find(context, arguments, *parsed, expressions);
}

}  // namespace

const Command find_param_command = {
    .name = "find_param",
    .group = "parameters",
    .operands = "REGEX...",
    .takes = {1, kMany},
    .summary = "print parameters whose name matches a regular expression",
    .help =
        "A REGEX is an extended regular expression (regex(7)). It may match anywhere in the\n"
        "full name, whose components are joined by dots. Parameters whose read has side\n"
        "effects are listed without their value.\n",
    .options = kOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Array,
    .run = run_find_param,
};

}  // namespace lctl
