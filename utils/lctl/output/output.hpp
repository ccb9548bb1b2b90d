// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output of the commands about parameters, and their failures: one interface, implemented for real
 * Lustre's text, JSON and YAML. The format is chosen once, when a command starts.
 *
 * Documentation/json.md is the schema of the JSON form.
 */
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lctl/context.hpp"
#include "lctl/writer.hpp"
#include "lib/params.hpp"
#include "lib/pathspec.hpp"

namespace lctl {

class Printer;

/** How things look; what only text knows is without effect elsewhere. */
struct Style {
    Format format = Format::Text;
    bool values = true;     // false: names only
    bool lines = false;     // a document for each item, not one for all
    bool names = true;      // text: false leaves the name out
    bool header = false;    // text: the name before each line of a value
    bool classify = false;  // text: a mark after names, as list_param -F
    bool paths = false;     // text: components joined by '/'
    bool color = false;     // text
    bool null = false;      // text: each item ends with NUL
    bool fold = false;      // text: devices with equal values as one item
    bool brief = false;     // text: a description on one line
};

/** A parameter that was set, or would be. */
struct Setting {
    std::string_view name;
    std::string_view value;
    std::uint32_t version = 0;
    bool dry_run = false;
};

/** Something that failed and has a name. */
struct Failure {
    std::string_view name;
    int code = 0;
    std::string_view message;
};

/** Something that happened to a parameter; "lost" has no name. */
struct Happening {
    const char* what = "";
    std::string_view name;
    std::uint32_t version = 0;
    std::uint64_t lost = 0;
    const ll::Value* value = nullptr;
};

class Output {
public:
    Output() = default;
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    virtual ~Output() = default;

    /** A parameter, with its value where it came with one. */
    virtual void entry(const ll::EntryView& entry) = 0;
    /** What is declared of parameters that share it; names has one or more. */
    virtual void description(const std::vector<std::string_view>& names,
                             const ll::Description& description) = 0;
    virtual void setting(const Setting& setting) = 0;
    /** The words for a person were printed on standard error already. */
    virtual void failure(const Failure& failure) = 0;
    virtual void happening(const Happening& happening) = 0;
    /** Behind the last item. */
    virtual void end() = 0;
};

/**
 * Failures of a command about parameters: each is printed for people and given to the output, the
 * first one decides the exit status.
 */
class Report {
public:
    Report(Context& context, std::string_view command, Output& output)
        : context_(context), command_(command), output_(output)
    {
    }

    /** @what is the whole message, @name what it is about. */
    void failure(std::string_view name, int code, std::string_view what);

    /** An invalid operand, or a call that failed as a whole. */
    void failure(std::string_view name, const ll::Error& error)
    {
        failure(name, error.code, error.text);
    }

    /** Nothing of that name; suggests names like it. */
    void missing(ll::Params& params, const ll::PathSpec& spec);

    /** A parameter that matched and whose value could not be read. */
    void unreadable(const ll::EntryView& entry);

    /** Words for a person only. */
    void note(std::string_view text);

    int status() const { return status_; }

private:
    Context& context_;
    std::string_view command_;
    Output& output_;
    int status_ = 0;
};

/** @context outlives what is returned. */
std::unique_ptr<Output> make_output(const Style& style, Context& context);

std::unique_ptr<Output> make_text_output(const Style& style, Writer& writer);
std::unique_ptr<Output> make_folded_output(const Style& style, Writer& writer);
std::unique_ptr<Output> make_json_output(const Style& style, Printer& printer);
std::unique_ptr<Output> make_yaml_output(const Style& style, Writer& writer);

/**
 * The text of a value. One may end with a newline of its own, which is not printed: the line
 * ends anyway.
 */
void append_value(std::string& out, const ll::EntryView& entry);

/** Permission bits as four octal digits. */
std::string mode_text(unsigned int mode);

}  // namespace lctl
