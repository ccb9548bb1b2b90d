// SPDX-License-Identifier: LGPL-2.1-or-later
#include "log_check.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "log_command.hpp"
#include "log_section.hpp"

namespace ll {

namespace {

// The pairing of markers.
class MarkerCheck {
public:
    // Return: the damage; empty if there is none.
    std::string take(const ConfigRecord& config)
    {
        if (!config.is_marker)
            return open_ ? "" : "a command outside any section, never applied";
        return (config.marker.flags & CM_END) != 0 ? end(config) : start(config);
    }

    // The section that has no end, if there is one.
    std::optional<LogFinding> rest() const
    {
        if (!open_)
            return std::nullopt;
        return LogFinding{open_->offset, open_->index,
                          fmt::format("section {} has no END marker", open_->step)};
    }

private:
    struct Open {
        uint64_t offset;
        uint32_t index;
        uint32_t step;
        bool skipped;
        std::string target;
    };

    std::string start(const ConfigRecord& config)
    {
        const lcfg_marker& marker = config.marker;
        std::string wrong;

        if ((marker.flags & CM_START) == 0)
            return fmt::format("a marker that is neither START nor END: flags {:#x}", marker.flags);
        if (open_)
            wrong = fmt::format(
                "section {} starts, but section {} of record {} has "
                "no END marker",
                marker.step, open_->step, open_->index);
        open_ = Open{config.record->offset, config.record->index, marker.step,
                     (marker.flags & CM_SKIP) != 0, marker.tgtname};
        return wrong;
    }

    std::string end(const ConfigRecord& config)
    {
        const std::optional<Open> open = std::exchange(open_, std::nullopt);
        const lcfg_marker& marker = config.marker;

        if (!open)
            return fmt::format("END of section {}, which has no START marker", marker.step);
        if (open->step != marker.step)
            return fmt::format("END of section {} in section {}, of record {}", marker.step,
                               open->step, open->index);
        if (open->target != marker.tgtname)
            return fmt::format("END marker of '{}', and its START, record {}, of '{}'",
                               marker.tgtname, open->index, open->target);
        if (open->skipped != ((marker.flags & CM_SKIP) != 0))
            return fmt::format("only one marker of section {} has the flag SKIP", marker.step);
        return {};
    }

    std::optional<Open> open_;
};

class Checker {
public:
    Checker(LogFile& log, LogRange range)
        : log_(log), range_(range), seen_(log.head().bitmap_bits, false)
    {
    }

    Result<LogCheck> run()
    {
        header_fault();
        const auto walked = log_.walk([this](const LogItem& item) {
            if (item.fault != nullptr)
                fault(*item.fault);
            else
                record(*item.record);
            return true;
        });
        if (!walked)
            return tl::unexpected(walked.error());
        if (const auto rest = markers_.rest(); rest && range_.has(rest->index))
            found_.findings.push_back(*rest);
        if (!log_.is_headless()) {
            bitmap();
            last_index();
        }
        return std::move(found_);
    }

private:
    void add(uint64_t offset, uint32_t index, std::string what)
    {
        if (index == 0 || range_.has(index))
            found_.findings.push_back({offset, index, std::move(what)});
    }

    void header_fault()
    {
        if (log_.head_fault().what != nullptr)
            fault(log_.head_fault());
    }

    void fault(const llog_fault& fault) { add(fault.offset, fault.index, fault_reason(fault)); }

    void record(const llog_record& record)
    {
        if (record.index < seen_.size())
            seen_[record.index] = true;
        last_ = std::max(last_, record.index);
        if (record.type == LLOG_PAD_MAGIC)
            return;
        found_.records += range_.has(record.index);
        if (record.type == OBD_CFG_REC)
            command(record);
    }

    void command(const llog_record& record)
    {
        const ConfigRecord config = sections_.take(record);

        if (config.why != nullptr) {
            add(record.offset, record.index, config.why);
            return;
        }
        if (!record.live)
            return;
        if (std::string wrong = markers_.take(config); !wrong.empty())
            add(record.offset, record.index, std::move(wrong));
    }

    void bitmap()
    {
        const llog_head& head = log_.head();
        uint32_t live = 0;

        for (uint32_t index = 0; index < head.bitmap_bits; index++) {
            if (!llog_index_live(&head, index))
                continue;
            live++;
            if (is_missing(index) && !(index > 0 && is_missing(index - 1)))
                missing_from(index);
        }
        if (live != head.count)
            add(offsetof(llog_log_hdr, llh_count), 0,
                fmt::format("the header counts {} live records, the bitmap {}", head.count, live));
    }

    // Live by its bit, and not there.
    bool is_missing(uint32_t index) const
    {
        return index != 0 && index < seen_.size() && !seen_[index] && range_.has(index) &&
               llog_index_live(&log_.head(), index);
    }

    // All from `first` on that miss together are one finding.
    void missing_from(uint32_t first)
    {
        uint32_t last = first;

        while (is_missing(last + 1))
            last++;
        const std::string also = last > first ? fmt::format(" to {}", last) : "";
        add(log_.head().bitmap_offset + first / 8, first,
            fmt::format("the bit of {}{} is set, but there is no such record", first, also));
    }

    void last_index()
    {
        // Where it is less, the walk said so.
        if (last_ > log_.head().last_index)
            add(log_.head().chunk_size - sizeof(uint32_t), 0,
                fmt::format("the last index is {} in the header, but {} in the log",
                            log_.head().last_index, last_));
    }

    LogFile& log_;
    LogRange range_;
    LogCheck found_;
    LogSections sections_;
    MarkerCheck markers_;
    std::vector<bool> seen_;
    uint32_t last_ = 0;
};

}  // namespace

Result<LogCheck> check_log(LogFile& log, LogRange range)
{
    return Checker(log, range).run();
}

std::string finding_text(const LogFinding& finding)
{
    std::string text = fmt::format("offset {}", finding.offset);

    if (finding.index != 0)
        text += fmt::format(", record {}", finding.index);
    return text + ": " + finding.what;
}

}  // namespace ll
