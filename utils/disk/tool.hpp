// SPDX-License-Identifier: GPL-2.0-only
/*
 * Common parts of the tools of this directory: outputs, exit statuses, error messages, and
 * the options of both writers of mountdata.
 */
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "disk/nodes.hpp"
#include "disk/target_params.hpp"
#include "lctl/command.hpp"
#include "lctl/writer.hpp"
#include "lib/error.hpp"

namespace disk {

constexpr int kFailed = 1;  // what was asked for could not be done
constexpr int kUsage = 2;   // the arguments are invalid

class Tool {
public:
    Tool(const char* name, lctl::Writer& out, lctl::Writer& err) : name_(name), out_(out), err_(err)
    {
    }

    lctl::Writer& out() { return out_; }
    const char* name() const { return name_; }

    /** "error: NAME: TEXT". Return: @status */
    int error(std::string_view text, int status = kFailed);
    int usage_error(std::string_view text);
    /** "note: NAME: TEXT", on standard error. */
    void note(std::string_view text);
    /** All of the output is written. Return: @status, or kFailed when it could not be. */
    int end(int status = 0);
    int print(std::string_view text);
    /** "NAME: VERSION" */
    int print_version();
    /**
     * What may be asked for instead of the work: arguments that make sense, help, version.
     * Return: exit status; nothing: there is work to do
     */
    std::optional<int> begin(const tl::expected<lctl::Arguments, std::string>& arguments,
                             std::string_view help);

private:
    const char* name_;
    lctl::Writer& out_;
    lctl::Writer& err_;
};

/** What both makers of mountdata are told about a target. */
struct TargetOptions {
    NodeList mgs_nodes;
    NodeList service_nodes;
    NodeList fail_nodes;
    std::vector<Param> params;
    std::optional<std::string> comment;
    std::optional<std::string> mount_opts;
    bool dry_run = false;
    bool quiet = false;
    bool verbose = false;

    /** Is there anything to change in a target? */
    bool changes() const;
};

/** Errors name the option. */
ll::Result<TargetOptions> parse_target_options(const lctl::Arguments& arguments);

/** Add nodes and parameters to those of a target. */
ll::Status add_params(const TargetOptions& options, TargetParams& params);

}  // namespace disk
