// SPDX-License-Identifier: LGPL-2.1-or-later
#include "value.hpp"

namespace ll {
namespace {

// Fewest bytes of a type's value. More is accepted: a later minor version may add some.
size_t least_bytes(uint8_t type)
{
    switch (type) {
        case PARAMS_V_U64:
        case PARAMS_V_S64:
        case PARAMS_V_BOOL:
        case PARAMS_V_BYTES:
        case PARAMS_V_HEX:
        case PARAMS_V_LIST_BEGIN:
            return sizeof(uint64_t);
        case PARAMS_V_TIME:
            return sizeof(params_time);
        case PARAMS_V_COUNTER:
            return sizeof(params_counter);
        case PARAMS_V_BUCKET:
            return sizeof(params_bucket);
        default:
            return 0;
    }
}

bool may_be_cut(uint8_t type)
{
    return type == PARAMS_V_STRING || type == PARAMS_V_BLOB;
}

template <class T>
std::string_view bytes_of(const T& v)
{
    return {reinterpret_cast<const char*>(&v), sizeof(v)};
}

}  // namespace

bool RecordReader::bad(const char* why)
{
    error_ = why;
    rest_ = {};
    return false;
}

bool RecordReader::at_end()
{
    if (partial_ || error_)
        return false;
    if (cut_type_)
        return bad("the value ends within a text");
    if (depth_)
        return bad("the value ends within a list");
    return false;
}

// Cut one record off the rest.
bool RecordReader::take(Record& rec)
{
    params_value_rec head;

    if (rest_.size() < sizeof(head))
        return bad("a record's header is truncated");
    std::memcpy(&head, rest_.data(), sizeof(head));
    if (head.vr_name_len > PARAMS_NAME_MAX)
        return bad("a record's name is too long");
    if (head.vr_len > PARAMS_REC_MAX)
        return bad("a record is too long");

    const size_t value_at = sizeof(head) + PARAMS_ALIGN(size_t{head.vr_name_len});
    const size_t end = value_at + PARAMS_ALIGN(size_t{head.vr_len});
    if (end > PARAMS_REC_MAX)
        return bad("a record is too long");
    if (end > rest_.size())
        return bad("a record is truncated");

    rec.type = head.vr_type;
    rec.flags = head.vr_flags;
    rec.name = rest_.substr(sizeof(head), head.vr_name_len);
    rec.bytes = rest_.substr(value_at, head.vr_len);
    rest_.remove_prefix(end);
    if (rec.bytes.size() < least_bytes(rec.type))
        return bad("a record's value is too short for its type");
    return true;
}

// Lists must match and a cut text must go on with its like.
bool RecordReader::check_shape(const Record& rec)
{
    if (cut_type_ && rec.type != cut_type_)
        return bad("a text lacks its continuation");
    if (rec.continues() && !may_be_cut(rec.type))
        return bad("a continued record is not a text");
    cut_type_ = rec.continues() ? rec.type : uint8_t{0};
    switch (rec.type) {
        case PARAMS_V_LIST_END:
            return depth_ > 0 || partial_ || bad("a list ends without a start");
        case PARAMS_V_LIST_BEGIN:
            return depth_ < PARAMS_NEST_MAX || bad("lists are nested too deeply");
        default:
            return true;
    }
}

bool RecordReader::next(Record& rec)
{
    if (rest_.empty())
        return at_end();
    if (!take(rec) || !check_shape(rec))
        return false;
    if (rec.type == PARAMS_V_LIST_END && depth_ > 0)
        depth_--;
    rec.depth = depth_;
    if (rec.type == PARAMS_V_LIST_BEGIN)
        depth_++;
    return true;
}

bool WholeReader::next(Record& rec)
{
    if (!reader_.next(rec))
        return false;
    if (!rec.continues())
        return true;

    Record more;
    joined_.assign(rec.bytes);
    do {
        if (!reader_.next(more))
            break;
        joined_.append(more.bytes);
    } while (more.continues());
    rec.bytes = joined_;
    rec.flags = uint8_t(rec.flags & ~PARAMS_VF_CONT);
    return reader_.ok();
}

const char* check_value(ValueView view)
{
    RecordReader reader(view);
    Record rec;

    while (reader.next(rec))
        ;
    return reader.error();
}

bool value_as_string(ValueView view, std::string& out)
{
    WholeReader reader(view);
    Record rec, none;

    if (!reader.next(rec) || rec.type != PARAMS_V_STRING || !rec.name.empty())
        return false;
    const size_t before = out.size();
    out.append(rec.bytes);
    if (!reader.next(none) && reader.ok())
        return true;
    out.resize(before);
    return false;
}

void ValuePacker::record(uint8_t type, uint8_t flags, std::string_view name, std::string_view bytes)
{
    params_value_rec head{};

    head.vr_type = type;
    head.vr_flags = flags;
    head.vr_name_len = uint16_t(name.size());
    head.vr_len = uint32_t(bytes.size());
    out_.append(bytes_of(head));
    out_.append(name);
    out_.resize(PARAMS_ALIGN(out_.size()));
    out_.append(bytes);
    out_.resize(PARAMS_ALIGN(out_.size()));
}

void ValuePacker::u64(std::string_view name, uint64_t v, uint8_t type)
{
    record(type, 0, name, bytes_of(v));
}

void ValuePacker::s64(std::string_view name, int64_t v)
{
    record(PARAMS_V_S64, 0, name, bytes_of(v));
}

void ValuePacker::text(std::string_view name, std::string_view v)
{
    while (v.size() > PARAMS_TEXT_CHUNK) {
        record(PARAMS_V_STRING, PARAMS_VF_CONT, name, v.substr(0, PARAMS_TEXT_CHUNK));
        v.remove_prefix(PARAMS_TEXT_CHUNK);
    }
    record(PARAMS_V_STRING, 0, name, v);
}

void ValuePacker::blob(std::string_view name, std::string_view v)
{
    while (v.size() > PARAMS_TEXT_CHUNK) {
        record(PARAMS_V_BLOB, PARAMS_VF_CONT, name, v.substr(0, PARAMS_TEXT_CHUNK));
        v.remove_prefix(PARAMS_TEXT_CHUNK);
    }
    record(PARAMS_V_BLOB, 0, name, v);
}

void ValuePacker::time(std::string_view name, const params_time& v)
{
    record(PARAMS_V_TIME, 0, name, bytes_of(v));
}

void ValuePacker::counter(std::string_view name, const params_counter& v)
{
    record(PARAMS_V_COUNTER, 0, name, bytes_of(v));
}

void ValuePacker::bucket(std::string_view name, const params_bucket& v)
{
    record(PARAMS_V_BUCKET, 0, name, bytes_of(v));
}

void ValuePacker::begin(std::string_view name, params_list_kind kind)
{
    const uint64_t v = kind;

    record(PARAMS_V_LIST_BEGIN, 0, name, bytes_of(v));
}

void ValuePacker::end()
{
    record(PARAMS_V_LIST_END, 0, {}, {});
}

}  // namespace ll
