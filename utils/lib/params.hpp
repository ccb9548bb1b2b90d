// SPDX-License-Identifier: LGPL-2.1-or-later
// The tree's operations over a KernelPort. All paths here are raw: components
// joined by '/', "" is the root (see pathspec.hpp).
#ifndef LL_PARAMS_HPP
#define LL_PARAMS_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "function_ref.hpp"
#include "port.hpp"
#include "value.hpp"

#include <uapi/lustre_lite/params_ioctl.h>

namespace ll {

// What a listing or a batch says of an entry. All views are good only until the
// visitor returns.
struct EntryView {
    std::string_view path;     // raw, from the root
    std::string_view display;  // the same, as a person reads and types it
    std::string_view name;     // last component of `path`
    size_t index = 0;          // read_many: which path; else running number
    unsigned int depth = 0;    // below the directory asked for, 0 its child
    uint16_t mode = 0;         // S_IFDIR, S_IFREG, S_IFLNK and permissions
    uint8_t type = 0;          // enum params_type; of a link its target's
    uint32_t flags = 0;        // PARAMS_EF_VOLATILE, PARAMS_EF_TUNABLE
    uint32_t version = 0;
    int status = 0;  // errno, positive, why there is no value; 0
    bool has_value = false;
    ValueView value;

    bool is_dir() const { return (mode & 0170000) == 0040000; }
    bool is_link() const { return (mode & 0170000) == 0120000; }
    bool readable() const { return (mode & 0444) != 0; }
    bool writable() const { return (mode & 0222) != 0; }
    bool is_volatile() const { return (flags & PARAMS_EF_VOLATILE) != 0; }
    bool is_tunable() const { return (flags & PARAMS_EF_TUNABLE) != 0; }
};

enum class Visit { Continue, Stop };
using EntryVisitor = FunctionRef<Visit(const EntryView&)>;

// The same, to keep.
struct Entry {
    std::string path;
    uint16_t mode = 0;
    uint8_t type = 0;
    uint32_t flags = 0;
    uint32_t version = 0;
};

// Many raw paths in one block of memory, each ended by a NUL.
class PathList {
public:
    void add(std::string_view raw);
    size_t size() const { return starts_.size(); }
    bool empty() const { return starts_.empty(); }
    std::string_view at(size_t i) const;
    std::string_view block(size_t first, size_t count) const;  // NULs included
    void clear();

private:
    std::string text_;
    std::vector<uint32_t> starts_;
};

struct Value {
    std::string bytes;  // packed records
    uint32_t version = 0;
    uint8_t type = 0;
    uint16_t mode = 0;
    ValueView view() const { return ValueView(bytes); }
};

struct Write {
    std::string path;   // raw
    std::string value;  // text, or records where `typed`
    bool typed = false;
    bool optional = false;  // no failure if there is no such entry (write_planned)
    std::optional<uint32_t> if_version = {};  // ESTALE if it is another
};

struct WriteReply {
    int status = 0;        // errno, positive, or 0
    uint32_t version = 0;  // of the entry now, 0: there is none
    std::string reason;    // reason of a refusal, or empty
};

struct WriteMode {
    bool atomic = false;   // all or nothing
    bool dry_run = false;  // check, change nothing
};

struct BatchReply {
    size_t failed = 0;
    std::vector<WriteReply> replies;  // one for each write, in order
};

struct Description {
    std::string type;
    uint64_t mode = 0;
    std::vector<std::string> flags;   // "volatile", "tunable", ...
    std::string source;               // of a setting: "default", "local" or "permanent"
    std::string unit;                 // empty: none
    std::string min, max, def;        // as text; empty: not declared
    std::vector<std::string> values;  // of an enum or a mask
    std::string doc;
    std::string target;  // raw path a link leads to
    std::string raw;     // the records as they came
};

// One user of the tree. Not for use by several threads at once: the kernel keeps
// one snapshot for an open file. Borrow a port, which must outlive it.
class Params {
public:
    explicit Params(KernelPort& port) : port_(port) {}

    // One entry, without reading its value. One call.
    Result<Entry> stat(std::string_view path);

    // Entries below `path`, `depth` levels of them (0: all), in depth-first
    // order. No value is read. Allocates nothing for an entry.
    Status list(std::string_view path, unsigned int depth, EntryVisitor visit);

    // Every entry below `path` with its value: directories, links and what
    // has a side effect come without one. Same order, same cost.
    Status read_subtree(std::string_view path, EntryVisitor visit);

    // The values of many paths; each comes once, in order, with its index and
    // a status where it failed.
    Status read_many(const PathList& paths, EntryVisitor visit);

    // One value, whole. `first` skips that many records.
    Result<Value> read(std::string_view path, uint32_t first = 0);

    // On refusal the Error's text is the kernel's reason where it gave one.
    Result<WriteReply> write(const Write& write, bool dry_run = false);

    // The error of the Result is one of the whole call; a refused write is in
    // its reply. More writes than one call takes are split unless `atomic`,
    // for which that is E2BIG.
    Result<BatchReply> write_many(const std::vector<Write>& writes, WriteMode mode);

    Result<Description> describe(std::string_view path);

    KernelPort& port() { return port_; }

private:
    friend class TreeStream;
    friend class BatchStream;

    // Where the argument of a call keeps its buffer.
    template <class Arg>
    struct BufferFields {
        __u64 Arg::*buf;
        __u32 Arg::*len;
        __u32 Arg::*used;
    };

    bool more_room(uint32_t needed);
    template <class Arg>
    int fill(unsigned long cmd, Arg& arg, const BufferFields<Arg>& at, uint32_t room);
    void take_value(EntryView& entry, const params_entry_rec& head, std::string_view data);
    int read_snapshot(uint64_t snapshot, std::string& out);
    int read_chunk(params_ioc_read& arg, std::string& out, uint32_t room);

    KernelPort& port_;
    std::unique_ptr<char[]> buffer_;  // what the calls fill
    uint32_t buffer_size_ = 0;
    std::string large_;  // a value that came as a snapshot
};

}  // namespace ll

#endif
