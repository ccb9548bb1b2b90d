// SPDX-License-Identifier: LGPL-2.1-or-later
// A log: its header, and its records one after the other.
#ifndef LL_LOG_FILE_HPP
#define LL_LOG_FILE_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "function_ref.hpp"
#include "log_bytes.hpp"

#include <lustre_lite/llog_format.h>

namespace ll {

// A step of the reader of a log: a record, or damage in its place. One of the two is null. It
// is good during the call it is given to.
struct LogItem {
    const llog_record* record = nullptr;
    const llog_fault* fault = nullptr;
};

class LogFile {
public:
    // The header must be good: without it nothing else can be read. EBADMSG where
    // it is damaged, EINVAL where the file is something else.
    static Result<LogFile> open(std::unique_ptr<LogBytes> bytes);
    static Result<LogFile> open(const std::string& path);
    // The same for salvage: a header that alone is damaged is replaced, see is_headless().
    static Result<LogFile> open_damaged(std::unique_ptr<LogBytes> bytes);
    static Result<LogFile> open_damaged(const std::string& path);

    const std::string& name() const { return bytes_->name(); }
    LogId id() const { return bytes_->id(); }
    const llog_head& head() const { return head_; }

    // What the header says that is wrong, and can be read over; what is null where
    // nothing is.
    const llog_fault& head_fault() const { return head_fault_; }

    // The header could not be read: every record counts as live, and head() says
    // nothing but the size of a chunk.
    bool is_headless() const { return headless_; }

    // All records, padding and cancelled ones too, and damage between them.
    // A log that ends before the last record that its header tells of is a fault at
    // its end. A `visit` that returns false ends the walk.
    using Visit = FunctionRef<bool(const LogItem&)>;
    Status walk(Visit visit);

    LogBytes& bytes() { return *bytes_; }

private:
    explicit LogFile(std::unique_ptr<LogBytes> bytes) : bytes_(std::move(bytes)) {}

    enum class Step { Next, Done };
    Step walk_chunk(llog_walk& walk, uint32_t& last, Visit visit) const;
    void ends_early(uint64_t offset, uint32_t last, Visit visit) const;
    Status decode_head();
    Status make_up_head(const Error& why);

    std::unique_ptr<LogBytes> bytes_;
    std::vector<std::byte> first_;  // chunk 0, which the header points into
    llog_head head_{};
    llog_fault head_fault_{};
    bool headless_ = false;
};

// Does this begin as a log does, damaged or not?
bool looks_like_log(LogBytes& bytes);

// "offset 8416, record 3: WHAT: 5, should be 6; 224 bytes skipped"
std::string fault_text(const llog_fault& fault);
// The same without the place.
std::string fault_reason(const llog_fault& fault);

}  // namespace ll

#endif
