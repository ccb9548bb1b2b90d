// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/output/printer.hpp"

#include <algorithm>
#include <new>
#include <system_error>

#include "lctl/libyaml.hpp"
#include "lib/value_format.hpp"
#include "lib/value_text.hpp"

namespace lctl {

namespace {

constexpr std::size_t kIndent = 2;

/* Text of a scalar that is not a string: number, boolean, null. */
std::string plain_text(const Json& value)
{
    if (!value.is_binary())
        return value.dump();

    const auto& bytes = value.get_binary();

    return {bytes.begin(), bytes.end()};
}

void append_json(std::string& out, const Json& value);

void append_container(std::string& out, const Json& value)
{
    const char* before = "";

    out.push_back(value.is_object() ? '{' : '[');
    for (const auto& member : value.items()) {
        out.append(before);
        before = ", ";
        if (value.is_object()) {
            ll::append_json_string(out, member.key());
            out.append(": ");
        }
        append_json(out, member.value());
    }
    out.push_back(value.is_object() ? '}' : ']');
}

/* On one line, with the blanks that JsonObject has. */
void append_json(std::string& out, const Json& value)
{
    if (value.is_structured())
        append_container(out, value);
    else if (value.is_string())
        ll::append_json_string(out, value.get_ref<const std::string&>());
    else
        out.append(plain_text(value));
}

/* JSON text with a member a line, for --json=pretty. */
class Indenter {
public:
    Indenter(std::string& out, std::size_t indent) : out_(out), indent_(indent) {}

    void put(std::string_view text)
    {
        bool quoted = false;

        for (std::size_t i = 0; i < text.size(); i++) {
            if (quoted) {
                out_.push_back(text[i]);
                if (text[i] == '\\')
                    out_.push_back(text[++i]);
                else
                    quoted = text[i] != '"';
            } else if (text[i] != ' ') {
                quoted = text[i] == '"';
                token(text[i]);
            }
        }
    }

private:
    void token(char c)
    {
        const bool closes = c == '}' || c == ']';

        indent_ -= closes ? kIndent : 0;
        if (closes ? !opened_ : opened_ || comma_)
            out_.append("\n").append(indent_, ' ');
        out_.append(1, c).append(c == ':' ? " " : "");
        opened_ = c == '{' || c == '[';
        comma_ = c == ',';
        indent_ += opened_ ? kIndent : 0;
    }

    std::string& out_;
    std::size_t indent_;
    bool opened_ = false;  // the last one was an opening bracket
    bool comma_ = false;
};

Json error_of(int code, std::string_view message)
{
    return {{"errno", code}, {"message", message}};
}

/* YAML holds characters only; other bytes become U+FFFD. */
std::string characters(const std::string& text)
{
    std::string quoted;

    ll::append_json_string(quoted, text);
    return Json::parse(quoted).get<std::string>();
}

bool is_ascii(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

yaml_char_t* chars(const char* text)
{
    // libyaml copies its arguments.
    return reinterpret_cast<yaml_char_t*>(const_cast<char*>(text));
}

LL_LAZY_NOTE(libyaml_note, "yaml", "libyaml-0.so.2");

/* A document to a text, by libyaml. */
class YamlEmitter {
public:
    explicit YamlEmitter(std::string& out)
    {
        yaml_event_t event;

        if (const auto loaded = LL_LAZY_LOAD("libyaml-0.so.2", LIBYAML_FUNCTIONS); !loaded)
            throw std::system_error(loaded.error().code, std::generic_category(),
                                    loaded.error().text);
        if (yaml_emitter_initialize(&emitter_) == 0)
            throw std::bad_alloc();
        yaml_emitter_set_output(&emitter_, append, &out);
        yaml_emitter_set_unicode(&emitter_, 1);
        yaml_emitter_set_width(&emitter_, -1);
        emit(event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
    }
    YamlEmitter(const YamlEmitter&) = delete;
    YamlEmitter& operator=(const YamlEmitter&) = delete;
    ~YamlEmitter() { yaml_emitter_delete(&emitter_); }

    void document(const Json& value)
    {
        yaml_event_t event;

        emit(event, yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1));
        put(value);
        emit(event, yaml_document_end_event_initialize(&event, 1));
        yaml_emitter_flush(&emitter_);
    }

private:
    static int append(void* to, unsigned char* bytes, std::size_t size)
    {
        static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), size);
        return 1;
    }

    void emit(yaml_event_t& event, int made)
    {
        if (made == 0 || yaml_emitter_emit(&emitter_, &event) == 0)
            throw std::bad_alloc();
    }

    void put(const Json& value)
    {
        if (value.is_object())
            put_map(value);
        else if (value.is_array())
            put_sequence(value);
        else if (value.is_string())
            put_string(value.get_ref<const std::string&>());
        else
            scalar(plain_text(value), YAML_PLAIN_SCALAR_STYLE);
    }

    void put_map(const Json& value)
    {
        yaml_event_t event;

        emit(event, yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1,
                                                        YAML_BLOCK_MAPPING_STYLE));
        for (const auto& member : value.items()) {
            put_string(member.key());
            put(member.value());
        }
        emit(event, yaml_mapping_end_event_initialize(&event));
    }

    void put_sequence(const Json& value)
    {
        yaml_event_t event;

        emit(event, yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1,
                                                         YAML_BLOCK_SEQUENCE_STYLE));
        for (const Json& item : value)
            put(item);
        emit(event, yaml_sequence_end_event_initialize(&event));
    }

    void put_string(const std::string& text)
    {
        if (ll::is_plain_yaml(text) && is_ascii(text))
            scalar(text, YAML_PLAIN_SCALAR_STYLE);
        else
            scalar(characters(text), YAML_DOUBLE_QUOTED_SCALAR_STYLE);
    }

    void scalar(const std::string& text, yaml_scalar_style_t style)
    {
        yaml_event_t event;

        emit(event, yaml_scalar_event_initialize(&event, nullptr, nullptr, chars(text.c_str()),
                                                 static_cast<int>(text.size()), 1, 1, style));
    }

    yaml_emitter_t emitter_{};
};

void append_yaml(std::string& out, const Json& value)
{
    YamlEmitter(out).document(value);
}

}  // namespace

void append_yaml_comment(std::string& out, std::string_view message)
{
    out.append("# error: ");
    // A comment cannot hold a newline.
    for (const char c : message)
        out.push_back(static_cast<unsigned char>(c) < ' ' ? ' ' : c);
    out.push_back('\n');
}

Json exact_number(std::string_view text)
{
    return Json::binary({text.begin(), text.end()});
}

Printer::Printer(Writer& out, const Command& command, Format format, bool pretty)
    : out_(&out), format_(format), prints_(command.prints), key_(command.key), pretty_(pretty)
{
}

void Printer::item(const Json& value)
{
    if (prints_ == Prints::Object)
        object_ = value;
    else if (format_ == Format::Json)
        put_json(value);
    else
        put_yaml(value);
}

void Printer::open_array()
{
    if (prints_ == Prints::Array)
        out_->text().append(any_ ? ",\n" : "[\n");
    any_ = true;
}

void Printer::put_indented(std::string_view text)
{
    const std::size_t indent = prints_ == Prints::Array ? kIndent : 0;

    out_->text().append(indent, ' ');
    Indenter(out_->text(), indent).put(text);
}

void Printer::put_json(const Json& value)
{
    std::string text;

    append_json(begin_in(text), value);
    finish_json(text);
}

/* The buffer for the text of an element: @text if it is indented later. */
std::string& Printer::begin_in(std::string& text)
{
    open_array();
    return pretty_ ? text : out_->text();
}

void Printer::finish_json(std::string_view text)
{
    if (pretty_)
        put_indented(text);
    if (prints_ == Prints::Lines)
        out_->text().push_back('\n');
    out_->spill();
}

/* Elements one by one, each a sequence of one: so a sequence needs no memory for all. */
void Printer::put_yaml(const Json& value)
{
    if (!any_ && key_ != nullptr)
        out_->text().append(key_).append(":\n");
    any_ = true;
    append_yaml(out_->text(), Json::array({value}));
    out_->spill();
}

std::string& Printer::begin()
{
    text_.clear();
    return is_stream() ? begin_in(text_) : text_;
}

void Printer::finish()
{
    if (is_stream())
        finish_json(text_);
    else
        item(Json::parse(text_));
}

void Printer::failure(int code, std::string_view message)
{
    if (format_ == Format::Text || prints_ == Prints::Text)
        return;
    if (prints_ == Prints::Lines)
        item({{"error", error_of(code, message)}});
    else if (prints_ == Prints::Array && format_ == Format::Json)
        put_json({{"error", error_of(code, message)}});
    else if (prints_ == Prints::Array && key_ == nullptr)
        append_yaml_comment(out_->text(), message);
    else
        errors_.push_back(error_of(code, message));
}

void Printer::end_json()
{
    if (prints_ == Prints::Array)
        return out_->put(any_ ? "\n]\n" : "[]\n");
    if (prints_ == Prints::Lines)
        return;

    std::string text;

    append_json(text, object_);
    if (pretty_)
        put_indented(text);
    else
        out_->text().append(text);
    out_->put("\n");
}

void Printer::end_yaml()
{
    if (prints_ == Prints::Lines || (prints_ == Prints::Array && object_.empty()))
        return;
    append_yaml(out_->text(), object_);
    out_->spill();
}

void Printer::end()
{
    if (format_ == Format::Text || prints_ == Prints::Text)
        return;
    if (object_.is_null())
        object_ = Json::object();
    if (format_ == Format::Yaml && prints_ == Prints::Array && key_ != nullptr && !any_)
        object_[key_] = Json::array();
    if (!errors_.empty())
        object_["errors"] = errors_;
    if (format_ == Format::Json)
        end_json();
    else
        end_yaml();
}

}  // namespace lctl
