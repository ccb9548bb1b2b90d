// SPDX-License-Identifier: GPL-2.0-only
#include "llog_reader/reader.hpp"

#include <string>

#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <fmt/format.h>

#include "lctl/arguments.hpp"
#include "lib/log_file.hpp"
#include "lib/log_text.hpp"

namespace llog_reader {

namespace {

constexpr std::string_view kHelp =
    "usage: llog_reader [--all] [--json] FILE...\n"
    "Print config logs: the place of each record, the header, the meaning of each record.\n"
    "\n"
    "Options:\n"
    "  -a, --all      include padding and cancelled records (always in JSON)\n"
    "      --json     print an array with an object for each log\n"
    "  -h, --help     print this help\n"
    "  -V, --version  print the version\n"
    "\n"
    "FILE - is standard input. Damage is reported in place, and the rest is printed.\n"
    "Exit status: 0 on success, 1 if a log is damaged or unreadable, 2 on invalid usage.\n"
    "Manual: man llog_reader\n";

constexpr lctl::Option kOptions[] = {
    {.letter = 'a',
     .name = "all",
     .help = "include padding and cancelled records (always in JSON)"},
    {.name = "json", .help = "print an array with an object for each log"},
    {.letter = 'V', .name = "version", .help = "print the version"},
};

constexpr lctl::Command kTool = {.name = "llog_reader", .options = kOptions};

/* Does the file lie in a file system of the ext family? A catalog names logs by paths there. */
bool is_on_ext(const std::string& path)
{
    struct statfs found = {};
    const int rc = path == "-" ? fstatfs(STDIN_FILENO, &found) : statfs(path.c_str(), &found);

    return rc == 0 && found.f_type == EXT4_SUPER_MAGIC;
}

class Reader {
public:
    Reader(lctl::Writer& out, lctl::Writer& err, const lctl::Arguments& arguments)
        : out_(out),
          err_(err),
          all_(arguments.has("all")),
          json_(arguments.has("json")),
          heading_(arguments.operands.size() > 1)
    {
    }

    void begin()
    {
        if (json_)
            out_.put("[");
    }

    void read(const std::string& path)
    {
        auto log = ll::LogFile::open_damaged(path);

        if (!log) {
            error(log.error().text);
            return;
        }
        faults_ = 0;
        const ll::Status done = json_ ? read_json(*log) : read_text(*log, path);
        if (!done)
            error(done.error().text);
        if (faults_ != 0)
            error(fmt::format("{}: damaged in {} place{}", log->name(), faults_,
                              faults_ == 1 ? "" : "s"));
        first_ = false;
    }

    int end()
    {
        if (json_)
            out_.put("\n]\n");
        out_.flush();
        if (out_.error() != 0)
            error("standard output: " + ll::errno_text(out_.error()));
        err_.flush();
        return status_;
    }

private:
    void error(std::string_view text)
    {
        out_.flush();
        err_.put(fmt::format("error: llog_reader: {}\n", text));
        status_ = kDamaged;
    }

    void put_fault(const llog_fault& fault)
    {
        if (fault.what == nullptr)
            return;
        faults_++;
        out_.put("damaged: " + ll::fault_text(fault) + "\n");
    }

    ll::Status read_text(ll::LogFile& log, const std::string& path)
    {
        if (heading_)
            out_.put(fmt::format("{}{}:\n", first_ ? "" : "\n", log.name()));
        put_fault(log.head_fault());

        ll::Status placed = log.walk([this](const ll::LogItem& item) {
            if (item.fault != nullptr)
                put_fault(*item.fault);
            else if (is_shown(*item.record))
                ll::append_reader_place(out_.text(), *item.record);
            out_.spill();
            return true;
        });
        if (!placed)
            return placed;
        if (!log.is_headless())
            ll::append_reader_head(out_.text(), log.head());
        return read_commands(log, ll::ReaderText(is_on_ext(path)));
    }

    /* Padding has no bit in the bitmap either. */
    bool is_shown(const llog_record& record) const { return all_ || record.live; }

    ll::Status read_commands(ll::LogFile& log, ll::ReaderText text)
    {
        ll::LogSections sections;

        return log.walk([&](const ll::LogItem& item) {
            if (item.record == nullptr || !is_shown(*item.record))
                return true;

            const ll::ConfigRecord config = sections.take(*item.record);

            if (config.why != nullptr)
                faults_++;
            text.append(out_.text(), config);
            out_.spill();
            return true;
        });
    }

    /* A list of objects, one a line, as the value of a member. */
    struct Lines {
        bool first = true;

        void next(std::string& out)
        {
            out += first ? "\n  " : ",\n  ";
            first = false;
        }
    };

    void add_json_fault(Lines& lines, const llog_fault& fault)
    {
        if (fault.what == nullptr)
            return;
        faults_++;
        lines.next(out_.text());

        ll::JsonObject object(out_.text());
        ll::add_json_fault(object, out_.text(), fault);
        object.close();
    }

    void add_json_record(Lines& lines, const ll::ConfigRecord& config)
    {
        if (config.why != nullptr)
            faults_++;
        lines.next(out_.text());

        ll::JsonObject object(out_.text());
        ll::add_json_record(object, out_.text(), config);
        object.close();
    }

    ll::Status read_json(ll::LogFile& log)
    {
        std::string& out = out_.text();
        ll::LogSections sections;
        Lines lines;

        out += first_ ? "\n" : ",\n";
        ll::JsonObject object(out);
        object.text("log", log.name());
        if (!log.is_headless())
            ll::add_json_head(object, out, log.head());
        object.key("records");
        out += '[';
        add_json_fault(lines, log.head_fault());
        ll::Status walked = log.walk([&](const ll::LogItem& item) {
            if (item.fault != nullptr)
                add_json_fault(lines, *item.fault);
            else
                add_json_record(lines, sections.take(*item.record));
            out_.spill();
            return true;
        });
        out += ']';
        object.close();
        return walked;
    }

    lctl::Writer& out_;
    lctl::Writer& err_;
    bool all_;
    bool json_;
    bool heading_;
    bool first_ = true;
    std::size_t faults_ = 0;  // of the log at hand
    int status_ = 0;
};

int usage_error(lctl::Writer& err, std::string_view complaint)
{
    err.put(fmt::format("error: llog_reader: {}. See 'llog_reader --help'.\n", complaint));
    err.flush();
    return kUsage;
}

/* Text that is all of the output. */
int print(lctl::Writer& out, std::string_view text)
{
    out.put(text);
    out.flush();
    return out.error() != 0 ? kDamaged : 0;
}

}  // namespace

int run(lctl::Writer& out, lctl::Writer& err, int argc, char* const* argv)
{
    const auto arguments = lctl::parse_arguments(kTool, argc, argv);

    if (!arguments)
        return usage_error(err, arguments.error());
    if (arguments->has("help"))
        return print(out, kHelp);
    if (arguments->has("version"))
        return print(out, fmt::format("llog_reader: {}\n", lctl::kVersion));
    if (arguments->operands.empty())
        return usage_error(err, "needs a FILE");

    Reader reader(out, err, *arguments);

    reader.begin();
    for (const std::string_view path : arguments->operands)
        reader.read(std::string(path));
    return reader.end();
}

}  // namespace llog_reader
