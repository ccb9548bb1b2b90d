// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pathspec.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <lustre_lite/pattern.h>
#include <uapi/lustre_lite/params_ioctl.h>

namespace ll {
namespace {

constexpr size_t kMaxComponents = 60;  // one bit each in the matcher's state
constexpr std::string_view kNidBytes = "0123456789abcdefABCDEF:,!^-";  // but for the dots
constexpr std::string_view kMgc = "MGC";
constexpr std::string_view kExports = "exports";
// What is displayed with a backslash; and that with the '@' of a NID.
constexpr std::string_view kSpecialInNid = "\\.*?[]{}\"'= @";
constexpr std::string_view kSpecial = kSpecialInNid.substr(0, kSpecialInNid.size() - 1);

bool is_separator(char c)
{
    return c == '.' || c == '/';
}

size_t nid_prefix(std::string_view text, bool patterns)
{
    return params_pattern_nid(text.data(), text.size(), patterns);
}

tl::unexpected<Error> no_slash(std::string_view how)
{
    return fail(EINVAL, "a name cannot contain '/', not even " + std::string(how));
}

void escape_into(std::string& out, char c, std::string_view which)
{
    if (which.find(c) != std::string_view::npos)
        out += '\\';
    out += c;
}

// Cuts what a person typed into components.
class Splitter {
public:
    explicit Splitter(std::string_view text) : text_(text) {}
    Result<std::vector<Component>> run();

private:
    Status component();
    size_t nid_begin() const;
    bool take_nid();
    Status one();
    Status escaped();
    Status quoted();
    void glob_until(size_t end);
    Status braces();
    void literal(char c);
    Status finish(Component& part);

    std::string_view text_;
    size_t at_ = 0;
    std::vector<Component> parts_;
    // The component at hand: as a name, and as a pattern.
    std::string name_;
    std::string pattern_;
    bool is_glob_ = false;
    bool any_depth_ = false;
};

void Splitter::literal(char c)
{
    name_ += c;
    escape_into(pattern_, c, "\\*?[]{},");
}

Status Splitter::escaped()
{
    if (at_ + 1 == text_.size())
        return fail(EINVAL, "it ends with a backslash that escapes nothing");
    if (text_[at_ + 1] == '/')
        return no_slash("as '\\/'");
    literal(text_[at_ + 1]);
    at_ += 2;
    return {};
}

Status Splitter::quoted()
{
    const char quote = text_[at_];
    size_t i = at_ + 1;

    for (; i < text_.size() && text_[i] != quote; i++) {
        if (quote == '"' && text_[i] == '\\' && i + 1 < text_.size())
            i++;
        if (text_[i] == '/')
            return no_slash("in quotes");
        literal(text_[i]);
    }
    if (i == text_.size())
        return fail(EINVAL, std::string("the quote ") + quote + " is not closed");
    at_ = i + 1;
    return {};
}

void Splitter::glob_until(size_t end)
{
    name_.append(text_.substr(at_, end - at_));
    pattern_.append(text_.substr(at_, end - at_));
    is_glob_ = true;
    at_ = end;
}

Status Splitter::braces()
{
    const size_t end = Pattern::brace_end(text_, at_);

    if (end == std::string_view::npos || end == at_ + 2) {
        literal(text_[at_++]);
        return {};
    }
    for (size_t i = at_; i < end; i += Pattern::unit(text_, i)) {
        if (text_.substr(i).starts_with("\\/"))
            return no_slash("as '\\/'");
        if (is_separator(text_[i]))
            return fail(EINVAL,
                        "the alternatives in '{' '}' cannot span '.' "
                        "or '/'; write a dot within a name as '\\.'");
    }
    glob_until(end);
    return {};
}

// One byte, or what stands for a unit, of a component.
Status Splitter::one()
{
    switch (text_[at_]) {
        case '\\':
            return escaped();
        case '"':
        case '\'':
            return quoted();
        case '{':
            return braces();
        case '*':
        case '?':
            glob_until(at_ + 1);
            return {};
        case '[':
            if (const size_t set = Pattern::unit(text_, at_); set > 1) {
                glob_until(at_ + set);
                return {};
            }
            [[fallthrough]];
        default:
            literal(text_[at_++]);
            return {};
    }
}

Status Splitter::finish(Component& part)
{
    if (any_depth_) {
        part.kind = Component::Kind::AnyDepth;
        part.text = "**";
        return {};
    }
    if (!is_glob_) {
        if (name_.size() > PARAMS_NAME_MAX)
            return fail(ENAMETOOLONG,
                        "a component is longer than " + std::to_string(PARAMS_NAME_MAX) + " bytes");
        part.text = std::move(name_);
        return {};
    }
    auto glob = Pattern::parse(pattern_);
    if (!glob)
        return tl::unexpected(glob.error());
    part.kind = Component::Kind::Glob;
    part.text = std::move(pattern_);
    part.glob = std::move(*glob);
    return {};
}

Status Splitter::component()
{
    const size_t begin = at_;
    const size_t nid_at = nid_begin();
    Component part;

    name_.clear();
    pattern_.clear();
    is_glob_ = false;
    while (at_ < text_.size() && !is_separator(text_[at_])) {
        if (at_ == nid_at && take_nid())
            continue;
        if (auto done = one(); !done)
            return done;
    }
    any_depth_ = text_.substr(begin, at_ - begin) == "**";
    if (name_.empty())
        return fail(EINVAL, "it has an empty component");
    if (auto done = finish(part); !done)
        return done;
    parts_.push_back(std::move(part));
    return {};
}

// Where a NID may stand in the component that begins here.
size_t Splitter::nid_begin() const
{
    const bool literal = !parts_.empty() && parts_.back().kind == Component::Kind::Literal;
    const std::string_view before = literal ? std::string_view(parts_.back().text) : "";

    return at_ + params_pattern_nid_at(text_.data() + at_, text_.size() - at_, before.data(),
                                       before.size());
}

// Takes a NID, or a pattern of NIDs: its dots do not separate components.
bool Splitter::take_nid()
{
    const size_t length = nid_prefix(text_.substr(at_), true);

    if (length && Pattern::has_glob(text_.substr(at_, length))) {
        glob_until(at_ + length);
        return true;
    }
    for (const size_t end = at_ + length; at_ < end; at_++)
        literal(text_[at_]);
    return length > 0;
}

Result<std::vector<Component>> Splitter::run()
{
    while (at_ < text_.size()) {
        if (auto done = component(); !done)
            return tl::unexpected(done.error());
        if (parts_.size() > kMaxComponents)
            return fail(ENAMETOOLONG,
                        "it has more than " + std::to_string(kMaxComponents) + " components");
        if (at_ < text_.size())
            parts_.back().dot_follows = text_[at_++] == '.';
    }
    return std::move(parts_);
}

// Does the byte at the end stand for itself: not escaped, not in quotes?
bool ends_plain(std::string_view text)
{
    char quote = 0;
    bool plain = false;

    for (size_t i = 0; i < text.size(); i++) {
        plain = quote == 0;
        if (text[i] == '\\' && quote != '\'') {
            i++;
            plain = false;
        } else if (quote == 0 && (text[i] == '"' || text[i] == '\'')) {
            quote = text[i];
            plain = false;
        } else if (text[i] == quote) {
            quote = 0;
            plain = false;
        }
    }
    return plain;
}

// The mark that list_param -F appends to a name, and a separator at either end.
std::string_view trim(std::string_view text)
{
    if (!text.empty() && (text.back() == '@' || text.back() == '=') && ends_plain(text))
        text.remove_suffix(1);
    if (!text.empty() && is_separator(text.front()))
        text.remove_prefix(1);
    if (!text.empty() && is_separator(text.back()) && ends_plain(text))
        text.remove_suffix(1);
    return text;
}

// "**.**" is "**"; "**" at the end means at least one component. So every state
// of the matcher stands for one meaning.
void make_canonical(std::vector<Component>& parts)
{
    std::vector<Component> out;

    for (auto& part : parts) {
        if (part.kind == Component::Kind::AnyDepth && !out.empty() &&
            out.back().kind == Component::Kind::AnyDepth)
            continue;
        out.push_back(std::move(part));
    }
    if (!out.empty() && out.back().kind == Component::Kind::AnyDepth) {
        Component any;
        any.kind = Component::Kind::Glob;
        any.text = "*";
        any.glob = *Pattern::parse("*");
        out.push_back(std::move(any));
    }
    parts = std::move(out);
}

}  // namespace

Result<PathSpec> PathSpec::parse(std::string_view text)
{
    PathSpec spec;
    auto refuse = [&](const Error& error) {
        return fail(error.code, "name '" + std::string(text) + "': " + error.text);
    };

    spec.source_ = text;
    if (text.size() > 2 * PARAMS_PATH_MAX)
        return fail(ENAMETOOLONG,
                    "a name is longer than " + std::to_string(PARAMS_PATH_MAX) + " bytes");
    if (text.find('\0') != std::string_view::npos)
        return fail(EINVAL, "a name cannot contain a NUL byte");
    auto parts = Splitter(trim(text)).run();
    if (!parts)
        return refuse(parts.error());
    make_canonical(*parts);
    spec.components_ = std::move(*parts);
    if (spec.is_literal() && spec.raw().size() > PARAMS_PATH_MAX)
        return refuse(make_error(ENAMETOOLONG, ""));
    return spec;
}

PathSpec PathSpec::from_raw(std::string_view raw)
{
    PathSpec spec;

    spec.source_ = display_path(raw);
    while (!raw.empty()) {
        const size_t end = raw.find('/');
        Component part;
        part.text = raw.substr(0, end);
        part.dot_follows = end != std::string_view::npos;
        spec.components_.push_back(std::move(part));
        raw.remove_prefix(end == std::string_view::npos ? raw.size() : end + 1);
    }
    return spec;
}

PathSpec PathSpec::joined(size_t first, size_t last) const
{
    PathSpec spec = *this;
    Component& to = spec.components_[first];

    for (size_t i = first + 1; i <= last; i++)
        to.text.append(".").append(components_[i].text);
    to.dot_follows = components_[last].dot_follows;
    spec.components_.erase(spec.components_.begin() + ptrdiff_t(first) + 1,
                           spec.components_.begin() + ptrdiff_t(last) + 1);
    return spec;
}

PathSpec PathSpec::beginning(size_t count) const
{
    PathSpec spec;

    spec.source_ = source_;
    spec.components_.assign(components_.begin(), components_.begin() + ptrdiff_t(count));
    return spec;
}

bool PathSpec::is_literal() const
{
    return literal_prefix() == components_.size();
}

size_t PathSpec::literal_prefix() const
{
    size_t i = 0;

    while (i < components_.size() && components_[i].kind == Component::Kind::Literal)
        i++;
    return i;
}

std::string PathSpec::raw(size_t first, size_t last) const
{
    std::string out;

    for (size_t i = first; i < last; i++) {
        if (i > first)
            out += '/';
        out += components_[i].text;
    }
    return out;
}

std::string PathSpec::slashed() const
{
    size_t count = components_.size();

    // The "*" that make_canonical() put after a "**" was not typed.
    if (count >= 2 && source_.ends_with("**") &&
        components_[count - 2].kind == Component::Kind::AnyDepth)
        count--;
    return raw(0, count);
}

namespace {

constexpr size_t kMaxPatterns = 1024;  // that braces may multiply to

// A component without braces, so that it is read back as the same pattern.
void append_pattern(std::string& out, std::string_view before, std::string_view part)
{
    const size_t nid_at =
        params_pattern_nid_at(part.data(), part.size(), before.data(), before.size());

    if (part.find_first_not_of('*') == std::string_view::npos) {
        out += '*';  // "**" means another thing
        return;
    }
    for (size_t i = 0; i < part.size();) {
        size_t taken = params_pattern_unit(part.data() + i, part.size() - i, i == nid_at);
        if (taken == 0) {
            const bool last = i + 1 == part.size();  // where it is dropped when read
            escape_into(out, part[i], last ? ".\\\"'= @" : ".\"'= ");
            taken = 1;
        } else {
            out.append(part.substr(i, taken));
        }
        i += taken;
    }
}

// Each way to go on with one more component.
void append_component(std::vector<std::string>& patterns, std::string_view before,
                      const Component& part)
{
    std::vector<std::string> longer;

    for (std::string& pattern : patterns) {
        if (!pattern.empty())
            pattern += '.';
        if (part.kind == Component::Kind::Literal) {
            append_display(pattern, before, part.text);
            longer.push_back(std::move(pattern));
            continue;
        }
        for (const std::string& one : part.glob.alternatives()) {
            if (one.empty())
                continue;  // no name is empty
            longer.push_back(pattern);
            append_pattern(longer.back(), before, one);
        }
    }
    patterns = std::move(longer);
}

bool is_as_stored(const PathSpec& spec, std::string_view text)
{
    return text.find_first_of("'\"{") == std::string_view::npos && !text.empty() &&
           std::string_view("./@=").find(text.back()) == std::string_view::npos &&
           std::ranges::all_of(spec.components(), [](const Component& part) {
               return part.kind == Component::Kind::Literal || part.glob.alternatives().size() == 1;
           });
}

}  // namespace

Result<std::vector<std::string>> stored_patterns(std::string_view text)
{
    const auto spec = PathSpec::parse(text);

    if (!spec)
        return tl::unexpected(spec.error());
    for (const Component& part : spec->components())
        if (part.kind == Component::Kind::AnyDepth)
            return fail(EINVAL, "name '" + std::string(text) +
                                    "': '**' cannot be stored; use a '*' for each component");
    if (is_as_stored(*spec, trim(text)))
        return std::vector<std::string>{std::string(trim(text))};

    std::vector<std::string> patterns(1);
    std::string_view before;

    for (const Component& part : spec->components()) {
        append_component(patterns, before, part);
        if (patterns.size() > kMaxPatterns)
            return fail(E2BIG, "name '" + std::string(text) + "': braces make more than " +
                                   std::to_string(kMaxPatterns) + " settings");
        before = part.kind == Component::Kind::Literal ? std::string_view(part.text) : "";
    }
    if (patterns.empty())
        return fail(EINVAL, "name '" + std::string(text) + "': its braces match no name");
    return patterns;
}

constinit const std::array<uint8_t, 256> kNameNeeds = [] {
    std::array<uint8_t, 256> needs{};

    for (const char c : kSpecial)
        needs[uint8_t(c)] = NeedsLook;
    needs['@'] = NeedsLook;  // as the last byte, or where it would end a NID
    needs['/'] = NeedsRefusal;
    needs['\0'] = NeedsRefusal;
    return needs;
}();

bool is_nid(std::string_view text)
{
    return !text.empty() && nid_prefix(text, false) == text.size();
}

// Could all of `text`, as it is displayed, be a part of a NID or of a pattern of
// NIDs? Its dots are displayed with a backslash, which no NID has.
static bool begins_nid(std::string_view text)
{
    return text.find_first_not_of(kNidBytes) == std::string_view::npos;
}

// Would the '@' of `name` make a NID of what is displayed before it, "MGC1.0.0.1@tcp"
// of the components MGC1, 0, 0 and 1@tcp?
static bool completes_nid(std::string_view parent, std::string_view name)
{
    const size_t at = name.find('@');

    if (at == std::string_view::npos || parent.empty())
        return false;
    if (parent.starts_with(kMgc))
        parent.remove_prefix(kMgc.size());
    return begins_nid(parent) && begins_nid(name.substr(0, at));
}

void append_display(std::string& out, std::string_view parent, std::string_view name)
{
    const bool plain =
        std::none_of(name.begin(), name.end(), [](char c) { return kNameNeeds[uint8_t(c)]; });
    if (plain) {
        out += name;
        return;
    }
    const bool ambiguous = completes_nid(parent, name);
    const bool in_mgc = name.starts_with(kMgc) && is_nid(name.substr(kMgc.size()));

    if (in_mgc || (parent == kExports && is_nid(name))) {
        out += name;
        return;
    }
    for (char c : name)
        escape_into(out, c, ambiguous ? kSpecialInNid : kSpecial);
    if (name.ends_with('@') && !ambiguous)
        out.insert(out.size() - 1, 1, '\\');
}

// `raw` with dots, if every name of it is displayed as it is; else nothing.
static std::string plain_display(std::string_view raw)
{
    std::string out(raw.size(), '.');
    uint8_t needs = NeedsNothing;

    for (size_t i = 0; i < raw.size(); i++) {
        if (raw[i] == '/')
            continue;
        needs |= kNameNeeds[uint8_t(raw[i])];
        out[i] = raw[i];
    }
    return needs == NeedsNothing ? out : std::string();
}

std::string display_path(std::string_view raw)
{
    if (std::string plain = plain_display(raw); !plain.empty())
        return plain;

    std::string out;
    std::string_view parent;

    for (bool first = true; !raw.empty(); first = false) {
        const size_t end = raw.find('/');
        const std::string_view name = raw.substr(0, end);
        if (!first)
            out += '.';
        append_display(out, parent, name);
        parent = name;
        raw.remove_prefix(end == std::string_view::npos ? raw.size() : end + 1);
    }
    return out;
}

std::string_view raw_name(std::string_view raw)
{
    const size_t at = raw.rfind('/');

    return at == std::string_view::npos ? raw : raw.substr(at + 1);
}

std::string_view raw_parent(std::string_view raw)
{
    const size_t at = raw.rfind('/');

    return at == std::string_view::npos ? std::string_view{} : raw.substr(0, at);
}

}  // namespace ll
