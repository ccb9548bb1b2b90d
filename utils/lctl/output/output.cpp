// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/output/output.hpp"

#include <cerrno>
#include <string>

#include "lib/call.hpp"
#include "lib/suggest.hpp"

namespace lctl {

namespace {

/* "'a', 'b' or 'c'" */
std::string alternatives(const std::vector<std::string>& names)
{
    std::string text;

    for (std::size_t i = 0; i < names.size(); i++) {
        if (i > 0)
            text.append(i + 1 == names.size() ? " or " : ", ");
        text.append("'").append(names[i]).append("'");
    }
    return text;
}

}  // namespace

void Report::failure(std::string_view name, int code, std::string_view what)
{
    context_.complain(command_, what);
    output_.failure({.name = name, .code = code, .message = what});
    if (status_ == 0)
        status_ = code;
}

void Report::missing(ll::Params& params, const ll::PathSpec& spec)
{
    failure(spec.source(), ENOENT,
            "param_path '" + spec.slashed() + "': " + ll::errno_text(ENOENT));

    const std::vector<std::string> names = ll::near_names(params, spec);

    if (!names.empty())
        note("did you mean " + alternatives(names) + "?");
}

void Report::unreadable(const ll::EntryView& entry)
{
    const char* step = entry.status == EACCES || entry.status == EPERM ? "opening" : "reading";

    std::string words = step;

    words.append(" '").append(entry.display).append("': ");
    words.append(ll::errno_text(entry.status));
    if (entry.status == EPERM)
        words.append(": ").append(ll::kNeedsRoot);
    failure(entry.display, entry.status, words);
}

void Report::note(std::string_view text)
{
    context_.out.flush();
    context_.err.text().append("       ").append(text).push_back('\n');
    context_.err.flush();
}

std::unique_ptr<Output> make_output(const Style& style, Context& context)
{
    Writer& writer = context.out;

    switch (style.format) {
        case Format::Json:
            return make_json_output(style, context.printer());
        case Format::Yaml:
            return make_yaml_output(style, writer);
        case Format::Text:
            break;
    }
    return style.fold ? make_folded_output(style, writer) : make_text_output(style, writer);
}

std::string mode_text(unsigned int mode)
{
    std::string text = "0000";

    for (std::size_t i = 4; i-- > 1; mode >>= 3)
        text[i] = static_cast<char>('0' + (mode & 7));
    return text;
}

}  // namespace lctl
