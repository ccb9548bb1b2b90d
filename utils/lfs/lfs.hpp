// SPDX-License-Identifier: GPL-2.0-only
/*
 * lfs as a whole, and what its commands work with.
 */
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lctl/command.hpp"
#include "lctl/output/printer.hpp"
#include "lctl/writer.hpp"
#include "lfs/files.hpp"

namespace lfs {

using lctl::Arguments;
using lctl::Json;
using lctl::Option;

class Context {
public:
    Context(Files& system, lctl::Writer& to_out, lctl::Writer& to_err)
        : files(system), out(to_out), err(to_err)
    {
    }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() = default;

    Files& files;
    lctl::Writer& out;
    lctl::Writer& err;

    /** Of the running command. */
    bool is_text() const { return printer_->format() == lctl::Format::Text; }
    bool is_json() const { return printer_->format() == lctl::Format::Json; }
    lctl::Printer& printer() { return *printer_; }

    /** Print the line "OBJECT: TEXT", or TEXT without @object. */
    void line(std::string_view object, std::string_view text);

    /** Print @text on standard error, after what is waiting in out. */
    void warn(std::string_view text);

    /**
     * Print "error: COMMAND: TEXT", also into the document that the command prints; the first
     * one decides the exit status.
     *
     * Return: @code
     */
    int error(std::string_view text, int code);
    /** About @object: "OBJECT: TEXT" */
    int error(std::string_view object, const ll::Error& error);

    int status() const { return status_; }

private:
    friend int run(Context& context, int argc, char* const* argv);

    std::unique_ptr<lctl::Printer> printer_;
    const char* command_ = "lfs";
    int status_ = 0;
};

/** An entry of the command table; the status is that of the context's errors. */
struct Command {
    lctl::Command spec;
    void (*run)(Context&, const Arguments&);
};

/**
 * The whole program: argv as main() gets it.
 *
 * Return: exit status: 0 or the errno of the first error; output is flushed.
 */
int run(Context& context, int argc, char* const* argv);

extern const Command setstripe_command;
extern const Command migrate_command;
extern const Command getstripe_command;
extern const Command find_command;
extern const Command df_command;
extern const Command osts_command;
extern const Command mdts_command;
extern const Command check_command;
extern const Command getname_command;
extern const Command pool_list_command;
extern const Command path2fid_command;
extern const Command fid2path_command;
extern const Command mkdir_command;
extern const Command data_version_command;

}  // namespace lfs
