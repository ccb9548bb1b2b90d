// SPDX-License-Identifier: GPL-2.0-only
/*
 * save_params: settings of this node to a file that apply_params reads.
 */
#include <cerrno>
#include <ctime>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <sys/utsname.h>

#include <fmt/format.h>

#include "lctl/commands/commands.hpp"
#include "lctl/commands/files.hpp"
#include "lctl/commands/params_file.hpp"
#include "lctl/context.hpp"
#include "lctl/output/output.hpp"
#include "lib/expand.hpp"
#include "lib/value_text.hpp"

namespace lctl {

namespace {

constexpr mode_t kSettingsFileMode = 0644;

/* Types whose text, written back, gives the same value. */
bool is_setting_type(std::uint8_t type)
{
    switch (type) {
        case PARAMS_T_U32:
        case PARAMS_T_U64:
        case PARAMS_T_S32:
        case PARAMS_T_S64:
        case PARAMS_T_BOOL:
        case PARAMS_T_STRING:
        case PARAMS_T_ENUM:
        case PARAMS_T_BYTES:
        case PARAMS_T_TIME:
        case PARAMS_T_MASK:
            return true;
        default:
            return false;
    }
}

std::string utc_date()
{
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    char text[64];

    gmtime_r(&now, &parts);
    return std::string(text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts));
}

std::string host_name()
{
    utsname host{};

    return ::uname(&host) == 0 ? host.nodename : "";
}

/* Settings to a writer, each once, failures to the report. */
class Saver {
public:
    Saver(ll::Params& params, Writer& out, Report& report)
        : params_(params), out_(out), report_(report)
    {
        append_settings_head(
            out_.text(),
            {"lustre-lite parameters", fmt::format("version: {}", kVersion),
             fmt::format("date: {}", utc_date()), fmt::format("host: {}", host_name())});
    }

    void save(std::string_view pattern)
    {
        const auto spec = ll::PathSpec::parse(pattern);
        std::size_t settings = 0;

        if (!spec) {
            report_.failure(pattern, spec.error());
            return;
        }
        const auto visited = ll::visit_matching(
            params_, *spec, {.recursive = true}, [&](const ll::EntryView& entry) {
                // A link is another name for what is saved under its own.
                if (is_wanted(entry) && (!entry.is_link() || spec->is_literal()))
                    settings++, save(entry);
                return ll::Visit::Continue;
            });
        if (!visited)
            report_.failure(pattern, visited.error());
        else if (*visited == 0)
            report_.missing(params_, *spec);
        else if (settings == 0)
            report_.failure(pattern, EINVAL,
                            fmt::format("'{}' contains no readable and writable setting", pattern));
    }

private:
    static bool is_wanted(const ll::EntryView& entry)
    {
        return entry.readable() && entry.writable() && !entry.is_volatile() &&
               is_setting_type(entry.type);
    }

    void save(const ll::EntryView& entry)
    {
        if (!seen_.emplace(entry.path).second)
            return;
        if (entry.status != 0) {
            report_.unreadable(entry);
            return;
        }

        SavedParam saved;
        saved.name = entry.display;
        saved.type = ll::type_name(entry.type);
        const bool is_exact = entry.type == PARAMS_T_STRING
                                  ? ll::value_as_string(entry.value, saved.value)
                                  : ll::append_text(saved.value, entry.value, entry.type);
        if (!is_exact || !is_utf8(saved.value) || !is_utf8(saved.name)) {
            report_.failure(
                entry.display, EILSEQ,
                fmt::format("'{}': not saved: neither text nor a number", entry.display));
            return;
        }
        append_setting(out_.text(), saved);
        out_.spill();
    }

    ll::Params& params_;
    Writer& out_;
    Report& report_;
    std::unordered_set<std::string> seen_;
};

int save_all(Context& context, const Arguments& arguments, Writer& out)
{
    // Nothing but errors is reported, and these as text.
    const auto output = make_output({}, context);
    Report report(context, arguments.command, *output);
    Saver saver(context.tree(), out, report);

    if (arguments.operands.empty())
        saver.save("");
    for (const std::string_view pattern : arguments.operands)
        saver.save(pattern);
    return report.status();
}

int run_save_params(Context& context, const Arguments& arguments)
{
    const Given* const to_file = arguments.find("output");

    if (to_file == nullptr)
        return save_all(context, arguments, context.out);

    const std::string path(*to_file->argument);
    auto file = FileOutput::create(path, kSettingsFileMode);
    if (!file)
        return context.error(arguments.command, file.error());
    if (const int status = save_all(context, arguments, file->writer()); status != 0)
        return context.error(arguments.command, path + ": not written", status);
    if (const auto written = file->commit(); !written)
        return context.error(arguments.command, written.error());
    return 0;
}

constexpr Option kSaveParamsOptions[] = {
    {.letter = 'o',
     .name = "output",
     .argument = "FILE",
     .help = "write to FILE (default: standard output)",
     .complete = Complete::File},
};

}  // namespace

const Command save_params_command = {
    .name = "save_params",
    .group = "parameters",
    .operands = "[PATTERN...]",
    .takes = {0, kMany},
    .summary = "write the settings of this node as YAML, for apply_params",
    .help = "A directory includes everything below it (default: the whole tree).\n",
    .options = kSaveParamsOptions,
    .needs = Needs::Kernel,
    .prints = Prints::Text,
    .complete = Complete::Param,
    .run = run_save_params,
};

}  // namespace lctl
