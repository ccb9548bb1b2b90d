// SPDX-License-Identifier: LGPL-2.1-or-later
// Reading packed values: zero copies, every length checked.
#ifndef LL_VALUE_HPP
#define LL_VALUE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <uapi/lustre_lite/params_value.h>

namespace ll {

// One record. The views point into the buffer that was parsed.
struct Record {
    uint8_t type = 0;    // enum params_value_type
    uint8_t flags = 0;   // PARAMS_VF_*
    uint16_t depth = 0;  // lists around it; a LIST_BEGIN/END has that of its list's siblings
    std::string_view name;
    std::string_view bytes;

    // The value in its own form. RecordReader has checked that `bytes` has
    // the size that `type` asks for, so these cannot read past the end.
    uint64_t u64() const { return load<uint64_t>(); }  // U64 BOOL BYTES HEX
    int64_t s64() const { return load<int64_t>(); }    // S64
    params_time time() const { return load<params_time>(); }
    params_counter counter() const { return load<params_counter>(); }
    params_bucket bucket() const { return load<params_bucket>(); }
    uint64_t list_kind() const { return load<uint64_t>(); }  // LIST_BEGIN
    bool continues() const { return (flags & PARAMS_VF_CONT) != 0; }

private:
    template <class T>
    T load() const
    {
        T v{};
        std::memcpy(&v, bytes.data(), bytes.size() < sizeof(T) ? bytes.size() : sizeof(T));
        return v;
    }
};

// A packed value: bytes that should be records. Owns nothing.
class ValueView {
public:
    ValueView() = default;
    explicit ValueView(std::string_view bytes) : bytes_(bytes) {}
    std::string_view bytes() const { return bytes_; }
    bool empty() const { return bytes_.empty(); }

private:
    std::string_view bytes_;
};

// Walks the records of a value in order. Lists are not descended into but
// passed through: LIST_BEGIN, members, LIST_END.
//
//	RecordReader reader(view);
//	Record rec;
//	while (reader.next(rec))
//		...
//	if (!reader.ok())
//		... reader.error() ...
class RecordReader {
public:
    // `partial`: the value may begin or end within a list or a cut text.
    explicit RecordReader(ValueView view, bool partial = false)
        : rest_(view.bytes()), partial_(partial)
    {
    }

    // False at the end, or at the first malformed record.
    bool next(Record& rec);
    bool ok() const { return error_ == nullptr; }
    const char* error() const { return error_; }  // static words, or nullptr
    std::string_view rest() const { return rest_; }

private:
    bool bad(const char* why);
    bool at_end();
    bool take(Record& rec);
    bool check_shape(const Record& rec);

    std::string_view rest_;
    const char* error_ = nullptr;
    uint16_t depth_ = 0;
    uint8_t cut_type_ = 0;  // type of a text that goes on, 0: none does
    bool partial_ = false;
};

// As RecordReader, with a text that was cut into several records given as one.
class WholeReader {
public:
    explicit WholeReader(ValueView view, bool partial = false) : reader_(view, partial) {}
    bool next(Record& rec);  // rec.bytes is good until the next call
    bool ok() const { return reader_.ok(); }
    const char* error() const { return reader_.error(); }

private:
    RecordReader reader_;
    std::string joined_;
};

// nullptr when all of the value is well formed, else why it is not.
const char* check_value(ValueView view);

// The text of a value that is one unnamed PARAMS_V_STRING, cut or not; false if
// it is anything else. `out` is appended to.
bool value_as_string(ValueView view, std::string& out);

// Packing, for typed writes and for tests.
class ValuePacker {
public:
    void u64(std::string_view name, uint64_t v, uint8_t type = PARAMS_V_U64);
    void s64(std::string_view name, int64_t v);
    void text(std::string_view name, std::string_view v);  // cut where it is long
    void blob(std::string_view name, std::string_view v);
    void time(std::string_view name, const params_time& v);
    void counter(std::string_view name, const params_counter& v);
    void bucket(std::string_view name, const params_bucket& v);
    void begin(std::string_view name, params_list_kind kind);
    void end();
    void record(uint8_t type, uint8_t flags, std::string_view name, std::string_view bytes);

    const std::string& bytes() const { return out_; }
    ValueView view() const { return ValueView(out_); }
    void clear() { out_.clear(); }

private:
    std::string out_;
};

}  // namespace ll

#endif
