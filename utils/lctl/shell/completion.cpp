// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/shell/completion.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <dirent.h>
#include <sys/stat.h>

#include "lctl/arguments.hpp"
#include "lctl/shell/names.hpp"
#include "lctl/shell/session.hpp"
#include "lib/mgs.hpp"

namespace lctl::shell {

namespace {

/* Types that lustre-lite has; one that is not loaded is loaded by attach. */
constexpr const char* kDeviceTypes[] = {"echo_client", "lmv", "lov",     "mdc",       "mdt",
                                        "mgc",         "mgs", "obdecho", "obdfilter", "osc"};

/* Words of "a|b|c". */
std::vector<std::string> split_choices(std::string_view choices)
{
    std::vector<std::string> words;

    while (!choices.empty()) {
        const std::size_t end = std::min(choices.find('|'), choices.size());

        words.emplace_back(choices.substr(0, end));
        choices.remove_prefix(std::min(end + 1, choices.size()));
    }
    return words;
}

/* @texts that start with @word, each after @head. */
void offer(const std::vector<std::string>& texts, std::string_view head, std::string_view word,
           std::vector<Candidate>& found)
{
    for (const std::string& text : texts) {
        if (text.starts_with(word))
            found.push_back({.text = std::string(head) + text, .shown = head.size()});
    }
}

/* The first '=' that is not part of a name: an escaped one follows a backslash. */
std::optional<std::size_t> equals_sign(std::string_view word)
{
    for (std::size_t i = 0; i < word.size(); i++) {
        if (word[i] == '\\')
            i++;
        else if (word[i] == '=')
            return i;
    }
    return std::nullopt;
}

const Option* find_option(std::span<const Option* const> options, std::string_view word)
{
    for (const Option* const option : options) {
        if (word.starts_with("--")
                ? word.substr(2) == option->name
                : word.size() == 2 && word[0] == '-' && word[1] == option->letter)
            return option;
    }
    return nullptr;
}

/* Options of lctl itself. */
std::vector<const Option*> own_options()
{
    std::vector<const Option*> all;

    for (const Option& option : global_options())
        all.push_back(&option);
    return all;
}

/* What stands before the word that is typed, as far as completion cares. */
struct Position {
    const Option* wanting = nullptr;  // an option whose argument the word is
    bool operands_only = false;       // after "--"
    std::string_view last_operand;
};

Position position_behind(std::span<const Option* const> options, std::span<const std::string> words)
{
    Position position;

    for (const std::string& word : words) {
        const bool is_argument = position.wanting != nullptr;

        position.wanting = nullptr;
        if (is_argument)
            continue;
        if (position.operands_only || !word.starts_with('-') || word == "-")
            position.last_operand = word;
        else if (word == "--")
            position.operands_only = true;
        else if (const Option* const option = find_option(options, word);
                 option != nullptr && option->argument != nullptr && !option->optional)
            position.wanting = option;
    }
    return position;
}

bool is_directory(const std::string& path)
{
    struct stat about {};

    return ::stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

/* Names of files; hidden ones only where the dot was typed. */
void file_name(std::string_view word, std::vector<Candidate>& found)
{
    const std::size_t slash = word.rfind('/');
    const std::size_t name_at = slash == std::string_view::npos ? 0 : slash + 1;
    const std::string directory(word.substr(0, name_at));
    const std::string_view begun = word.substr(name_at);
    DIR* const stream = ::opendir(directory.empty() ? "." : directory.c_str());

    if (stream == nullptr)
        return;
    while (const dirent* const entry = ::readdir(stream)) {
        const std::string_view name = entry->d_name;

        if (!name.starts_with(begun) || name == "." || name == ".." ||
            (name.starts_with('.') && begun.empty()))
            continue;

        Candidate candidate{.text = directory + std::string(name), .shown = name_at};
        if (is_directory(candidate.text)) {
            candidate.text += '/';
            candidate.finished = false;
        }
        found.push_back(std::move(candidate));
    }
    ::closedir(stream);
}

/* Long forms, with "=" where an argument must follow. */
void offer_options(std::span<const Option* const> options, std::string_view word,
                   std::vector<Candidate>& found)
{
    for (const Option* const option : options) {
        const bool takes = option->argument != nullptr && !option->optional;
        const std::string text = std::string("--") + option->name + (takes ? "=" : "");

        if (text.starts_with(word))
            found.push_back({.text = text, .finished = !takes});
    }
}

/* The words that a value is made of, where they are few and known. */
struct ValueWords {
    std::vector<std::string> words;
    bool several = false;  // a value may be several of them, with + and -
};

ValueWords value_words(const ll::Description& about)
{
    if (about.type == "bool" && about.values.empty())
        return {{"0", "1"}, false};
    if (about.type == "stats")
        return {{"clear"}, false};
    return {about.values, about.type == "mask"};
}

/* "lustre-OST0001": a name, '-', a kind, four hexadecimal digits. */
bool is_target(std::string_view log)
{
    constexpr std::size_t length = 8;

    if (log.size() <= length)
        return false;
    log = log.substr(log.size() - length);
    return (log.starts_with("-OST") || log.starts_with("-MDT")) &&
           log.find_first_not_of("0123456789abcdef", length / 2) == std::string_view::npos;
}

void put_behind(std::string_view head, std::vector<Candidate> candidates,
                std::vector<Candidate>& found)
{
    for (Candidate& candidate : candidates) {
        candidate.text.insert(0, head);
        candidate.shown += head.size();
        found.push_back(std::move(candidate));
    }
}

bool by_text(const Candidate& a, const Candidate& b)
{
    return a.text < b.text;
}

bool same_text(const Candidate& a, const Candidate& b)
{
    return a.text == b.text;
}

}  // namespace

std::vector<Candidate> Completion::complete(std::span<const std::string> before,
                                            std::string_view word)
{
    Candidates found;

    // Options of lctl itself stand before the command.
    while (where_ == Where::CommandLine && !before.empty() && before.front().starts_with('-')) {
        const Option* const option = find_option(own_options(), before.front());
        const bool takes = option != nullptr && option->argument != nullptr;

        if (takes && before.size() == 1) {
            option_argument(*option, "", word, found);
            std::sort(found.begin(), found.end(), by_text);
            return found;
        }
        before = before.subspan(takes ? 2 : 1);
    }
    if (before.empty())
        first_word(word, found);
    else if (const Command* const command = find_command(before.front()))
        command_word(*command, before.subspan(1), word, found);
    std::sort(found.begin(), found.end(), by_text);
    found.erase(std::unique(found.begin(), found.end(), same_text), found.end());
    return found;
}

void Completion::first_word(std::string_view word, Candidates& found)
{
    if (where_ == Where::CommandLine && word.starts_with('-')) {
        option_name(own_options(), word, found);
        return;
    }
    command_name(word, found);
    if (where_ == Where::Prompt) {
        for (const std::string_view name : session_words())
            offer({std::string(name)}, "", word, found);
    }
}

void Completion::command_name(std::string_view word, Candidates& found)
{
    for (const Command* const command : commands())
        offer({command->name}, "", word, found);
}

void Completion::command_word(const Command& command, std::span<const std::string> before,
                              std::string_view word, Candidates& found)
{
    const std::vector<const Option*> options = options_of(command);
    const Position position = position_behind(options, before);

    if (position.wanting != nullptr)
        option_argument(*position.wanting, "", word, found);
    else if (word.starts_with('-') && !position.operands_only)
        option_name(options, word, found);
    else
        operand(command, position.last_operand, word, found);
}

void Completion::option_name(std::span<const Option* const> options, std::string_view word,
                             Candidates& found)
{
    const std::size_t equals = word.find('=');

    if (equals != std::string_view::npos) {
        if (const Option* const option = find_option(options, word.substr(0, equals)))
            option_argument(*option, word.substr(0, equals + 1), word.substr(equals + 1), found);
        return;
    }
    offer_options(options, word, found);
}

/* @head, "--color=", is what the argument is written behind. */
void Completion::option_argument(const Option& option, std::string_view head, std::string_view word,
                                 Candidates& found)
{
    Candidates arguments;

    if (option.choices != nullptr)
        offer(split_choices(option.choices), "", word, arguments);
    else
        of_kind(option.complete, word, arguments);
    put_behind(head, std::move(arguments), found);
}

void Completion::operand(const Command& command, std::string_view last, std::string_view word,
                         Candidates& found)
{
    if (command.complete == Complete::WritableParam) {
        // "name=value" or "name value"
        if (const auto equals = equals_sign(word)) {
            value(word.substr(0, *equals), word.substr(0, *equals + 1), word.substr(*equals + 1),
                  found);
            return;
        }
        if (!last.empty() && !equals_sign(last)) {
            value(last, "", word, found);
            return;
        }
    }
    if (command.choices != nullptr)
        offer(split_choices(command.choices), "", word, found);
    if (command.complete == Complete::DeviceType && !last.empty())
        return;
    of_kind(command.complete, word, found);
}

void Completion::of_kind(Complete kind, std::string_view word, Candidates& found)
{
    switch (kind) {
        case Complete::Nothing:
            break;
        case Complete::Param:
            parameter(word, false, found);
            break;
        case Complete::WritableParam:
            parameter(word, true, found);
            break;
        case Complete::File:
            file_name(word, found);
            break;
        case Complete::Command:
            command_name(word, found);
            break;
        case Complete::DebugName:
            debug_name(word, found);
            break;
        case Complete::Device:
            device_name(word, found);
            break;
        case Complete::DeviceType:
            for (const char* const type : kDeviceTypes)
                offer({type}, "", word, found);
            break;
        case Complete::Log:
            file_name(word, found);
            of_service(kind, word, found);
            break;
        case Complete::FileSystem:
        case Complete::Target:
            of_service(kind, word, found);
            break;
    }
}

/* What the logs of the management service tell of; nothing where none runs. */
void Completion::of_service(Complete kind, std::string_view word, Candidates& found)
{
    constexpr std::string_view client = "-client";
    const auto params = context_.params();

    if (!params)
        return;
    const auto logs = ll::mgs_logs((*params)->port());
    if (!logs)
        return;
    for (const ll::MgsLog& log : *logs) {
        const bool whole =
            kind == Complete::Log || (kind == Complete::Target && is_target(log.name));

        if (whole)
            offer({log.name}, "", word, found);
        else if (log.name.ends_with(client))
            offer({log.name.substr(0, log.name.size() - client.size())}, "", word, found);
    }
}

void Completion::parameter(std::string_view word, bool writable, Candidates& found)
{
    const auto params = context_.params();

    if (!params)
        return;
    NameCompleter completer((*params)->port());
    for (NameMatch& match : completer.complete(word)) {
        Candidate candidate{.text = std::move(match.text), .finished = false, .shown = match.shown};

        if (match.directory) {
            candidate.text += '.';
        } else if (match.whole) {
            if (writable ? !match.writable : !match.readable)
                continue;
            candidate.finished = !writable;
            candidate.text += writable ? "=" : "";
        }
        found.push_back(std::move(candidate));
    }
}

void Completion::value(std::string_view name, std::string_view head, std::string_view word,
                       Candidates& found)
{
    const auto params = context_.params();

    if (!params)
        return;
    NameCompleter completer((*params)->port());
    const std::string path = completer.first_entry(name);
    if (path.empty())
        return;
    const auto about = (*params)->describe(path);
    if (!about)
        return;

    const ValueWords known = value_words(*about);
    if (!known.several) {
        offer(known.words, head, word, found);
        return;
    }
    // "+info -trace": the last name is the one that is typed.
    const std::size_t sign = word.find_last_of(" ,\t+-");
    const std::size_t at = sign == std::string_view::npos ? 0 : sign + 1;
    offer(known.words, std::string(head) + std::string(word.substr(0, at)), word.substr(at), found);
    for (Candidate& candidate : found)
        candidate.finished = false;
}

void Completion::debug_name(std::string_view word, Candidates& found)
{
    const auto params = context_.params();

    if (!params)
        return;
    for (const char* const mask : {"debug", "subsystem_debug"}) {
        if (const auto about = (*params)->describe(mask))
            offer(about->values, "", word, found);
    }
}

/* Behind $ or % too. Numbers are not offered: a name says more. */
void Completion::device_name(std::string_view word, Candidates& found)
{
    const std::size_t mark = word.starts_with('$') || word.starts_with('%') ? 1 : 0;
    const std::string head(word.substr(0, mark));

    // Without a list there is nothing to offer.
    static_cast<void>(context_.list_devices([&](const ll::DeviceView& device) {
        offer({std::string(device.name)}, head, word.substr(mark), found);
    }));
}

std::string common_beginning(const std::vector<Candidate>& candidates)
{
    if (candidates.empty())
        return {};

    std::string common = candidates.front().text;
    for (const Candidate& candidate : candidates) {
        const auto end = std::ranges::mismatch(common, candidate.text).in1;
        common.erase(end, common.end());
    }
    return common;
}

int print_completions(Context& context, int count, char* const* words)
{
    std::vector<std::string> before(words, words + count);
    std::string word;

    if (!before.empty()) {
        word = std::move(before.back());
        before.pop_back();
    }

    Completion completion(context, Completion::Where::CommandLine);
    for (const Candidate& candidate : completion.complete(before, word)) {
        // A newline in a name would make two of it.
        if (candidate.text.find('\n') != std::string::npos)
            continue;
        context.out.put(candidate.text + (candidate.finished ? " \n" : "\n"));
    }
    return 0;
}

}  // namespace lctl::shell
