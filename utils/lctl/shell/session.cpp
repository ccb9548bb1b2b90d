// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/shell/session.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "lctl/command.hpp"
#include "lctl/shell/tokenizer.hpp"

namespace lctl::shell {

namespace {

constexpr std::array<std::string_view, 3> kSessionWordList = {"exit", "ignore_errors", "quit"};

bool is_session_word(std::string_view word)
{
    return std::ranges::find(kSessionWordList, word) != kSessionWordList.end();
}

/* Names of commands that begin with @beginning; an alias gives way to its command. */
std::vector<std::string> names_with(std::string_view beginning)
{
    std::vector<std::string> names;

    for (const std::string_view word : kSessionWordList) {
        if (word.starts_with(beginning))
            names.emplace_back(word);
    }
    for (const Command* const command : commands()) {
        const auto fits = [&](std::string_view alias) { return alias.starts_with(beginning); };

        if (fits(command->name) || std::ranges::any_of(command->aliases, fits))
            names.emplace_back(command->name);
    }
    return names;
}

}  // namespace

std::span<const std::string_view> session_words()
{
    return kSessionWordList;
}

int Session::run_line(std::string_view text, std::size_t number)
{
    const auto words = split_words(text, number);
    std::string outer_prefix = context_.error_prefix;
    int status;

    if (!source_.empty())
        context_.error_prefix = fmt::format("{}:{}: ", source_, number);
    if (!words)
        status = refuse(words.error());
    else
        status = words->empty() ? 0 : run_words(texts_of(*words));
    context_.error_prefix = std::move(outer_prefix);
    return finish(status);
}

int Session::refuse(const SyntaxError& error)
{
    const Place& place = error.place;

    if (source_.empty())
        return context_.error(fmt::format("column {}", place.column), error.message, EINVAL);
    context_.error_prefix = fmt::format("{}:{}:{}: ", source_, place.line, place.column);
    return context_.error("syntax", error.message, EINVAL);
}

int Session::run_words(std::vector<std::string> words)
{
    if (names_ == Names::Abbreviated && !complete_name(words.front()))
        return EINVAL;
    if (!is_session_word(words.front()))
        return run_command(context_, words);
    return run_session_word(words) ? 0 : EINVAL;
}

bool Session::run_session_word(const std::vector<std::string>& words)
{
    if (words.size() > 1) {
        context_.error(words.front(), "takes no argument", EINVAL);
        return false;
    }
    if (words.front() == "ignore_errors")
        ignore_errors_ = true;
    else
        ended_ = true;
    return true;
}

/* A name that fits nothing stays as it is: run_command() says so. */
bool Session::complete_name(std::string& name)
{
    if (is_session_word(name) || find_command(name) != nullptr)
        return true;

    std::vector<std::string> names = names_with(name);
    if (names.size() > 1) {
        context_.error(name, fmt::format("ambiguous: {}", fmt::join(names, ", ")), EINVAL);
        return false;
    }
    if (names.size() == 1)
        name = std::move(names.front());
    return true;
}

int Session::finish(int status)
{
    context_.out.flush();
    context_.err.flush();
    // The reader of the output is gone: stop.
    if (context_.out.error() != 0) {
        ended_ = true;
        status = status == 0 ? context_.out.error() : status;
    }
    if (first_error_ == 0)
        first_error_ = status;
    return status;
}

/* Return: false at the end of the input. */
tl::expected<bool, int> LineReader::fill()
{
    std::array<char, 4096> chunk;
    ssize_t got;

    do {
        got = ::read(fd_, chunk.data(), chunk.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return tl::unexpected(errno);
    buffer_.append(chunk.data(), static_cast<std::size_t>(got));
    return got > 0;
}

/* A line without its end, which is LF or CR LF; the last one may lack it. */
tl::expected<std::optional<std::string>, int> LineReader::physical_line()
{
    std::size_t end;

    while ((end = buffer_.find('\n')) == std::string::npos && !at_end_) {
        const auto more = fill();
        if (!more)
            return tl::unexpected(more.error());
        at_end_ = !*more;
    }
    if (end == std::string::npos && buffer_.empty())
        return std::nullopt;

    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end == std::string::npos ? end : end + 1);
    if (line.ends_with('\r'))
        line.pop_back();
    number_++;
    return line;
}

tl::expected<std::optional<Line>, int> LineReader::next()
{
    auto first = physical_line();
    if (!first)
        return tl::unexpected(first.error());
    if (!*first)
        return std::nullopt;

    Line line{std::move(**first), number_};
    while (wants_next_line(line.text)) {
        auto more = physical_line();
        if (!more)
            return tl::unexpected(more.error());
        if (!*more)
            break;
        line.text += '\n';
        line.text += **more;
    }
    return line;
}

int run_batch(Context& context, int fd, std::string_view source, bool ignore_errors)
{
    LineReader reader(fd);
    Session session(context, Session::Names::Whole, source);

    if (ignore_errors)
        session.ignore_errors();
    while (!session.wants_to_end()) {
        const auto line = reader.next();

        if (!line)
            return context.error(source, ll::errno_text(line.error()), line.error());
        if (!*line)
            break;
        if (session.run_line((*line)->text, (*line)->number) != 0 && !session.ignores_errors())
            break;
    }
    return session.first_error();
}

}  // namespace lctl::shell
