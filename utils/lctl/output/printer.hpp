// SPDX-License-Identifier: GPL-2.0-only
/*
 * The document that a command prints in JSON or YAML, from one description of its
 * values. The command table gives its shape; failures are part of it.
 *
 * Documentation/json.md is the schema.
 */
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "lctl/command.hpp"
#include "lctl/writer.hpp"

namespace lctl {

/** A value; objects keep the order of their members. */
using Json = nlohmann::ordered_json;

/** A number whose text is more exact than any number of Json. */
Json exact_number(std::string_view text);

/** A failure where YAML has no place for it: "# error: ..." */
void append_yaml_comment(std::string& out, std::string_view message);

class Printer {
public:
    Printer(Writer& out, const Command& command, Format format, bool pretty);
    Printer(const Printer&) = delete;
    Printer(Printer&&) = delete;
    Printer& operator=(const Printer&) = delete;
    Printer& operator=(Printer&&) = delete;
    ~Printer() = default;

    Format format() const { return format_; }

    /** YAML: key of the array where it depends on options; before the first item. */
    void use_key(const char* key) { key_ = key; }

    /** Print to @out from here on. */
    void redirect(Writer& out) { out_ = &out; }

    /** The object, or an element of the array, or a line. */
    void item(const Json& value);

    /**
     * The same for streams: append an object as JSON text to what begin() returns,
     * and call finish().
     */
    std::string& begin();
    void finish();

    /**
     * JSON: an element { "error": ... } of the array, or one of the object's "errors".
     * YAML: one of "errors"; a comment in what parameters are printed as.
     */
    void failure(int code, std::string_view message);

    /** End the document; without any item it is an empty one. */
    void end();

private:
    /* Elements in JSON leave as they come; others need a value. */
    bool is_stream() const { return format_ == Format::Json && prints_ != Prints::Object; }
    std::string& begin_in(std::string& text);
    void finish_json(std::string_view text);
    void put_json(const Json& value);
    void put_yaml(const Json& value);
    void put_indented(std::string_view text);
    void open_array();
    void end_json();
    void end_yaml();

    Writer* out_;
    Format format_;
    Prints prints_;
    const char* key_;
    bool pretty_;
    bool any_ = false;  // an element was printed
    std::string text_;  // of a stream's item that is not printed as it is
    Json object_;       // printed at the end
    Json errors_;       // the same
};

}  // namespace lctl
