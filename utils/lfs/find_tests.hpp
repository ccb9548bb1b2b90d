// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tests of find: what a file is looked at for, and what that costs.
 */
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lfs/lfs.hpp"

namespace lfs {

/** A file that find has come to. Attributes and layout are read when a test needs them first. */
class Candidate {
public:
    Candidate(Context& context, std::string path, char type)
        : context_(context), path_(std::move(path)), type_(type)
    {
    }

    const std::string& path() const { return path_; }
    std::string name() const { return path_.substr(path_.rfind('/') + 1); }

    /** As find -type has it. */
    char type();
    const Status& status();
    /** nullptr: it has none. */
    const Json* layout();

    /** Its attributes or layout could not be read, which was said: no test holds. */
    bool failed() const { return failed_; }

private:
    Context& context_;
    std::string path_;
    char type_;
    std::optional<Status> status_;
    std::optional<std::optional<Json>> layout_;
    bool failed_ = false;
};

/** Tests, all of which a file has to pass. */
class Tests {
public:
    /** Of the options that are tests. */
    static ll::Result<Tests> parse(Files& files, std::span<const lctl::Given> options);

    bool hold(Candidate& file) const;

private:
    struct Item {
        int cost;
        bool negated;
        std::function<bool(Candidate&)> check;
    };

    std::vector<Item> items_;  // the cheap ones first
};

/** All options of find. */
std::span<const Option> find_options();

}  // namespace lfs
