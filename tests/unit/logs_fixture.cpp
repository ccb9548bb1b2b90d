// SPDX-License-Identifier: GPL-2.0-only
#include "logs_fixture.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include "llog_reader/reader.hpp"

namespace logs_test {

namespace {

constexpr std::size_t kCountAt = offsetof(llog_log_hdr, llh_count);
constexpr std::size_t kLastIndexAt = LLOG_MIN_CHUNK_SIZE - 4;
constexpr std::size_t kHead = sizeof(llog_rec_hdr);

class KeptWriter final : public lctl::Writer {
public:
    KeptWriter() : Writer(-1) {}
    std::string all;

protected:
    int write_all(std::string_view text) override
    {
        all.append(text);
        return 0;
    }
};

void swap(Bytes& bytes, std::size_t offset, std::size_t size)
{
    std::reverse(bytes.begin() + std::ptrdiff_t(offset),
                 bytes.begin() + std::ptrdiff_t(offset + size));
}

void swap_words(Bytes& bytes, std::size_t offset, std::size_t count)
{
    for (std::size_t i = 0; i < count; i++)
        swap(bytes, offset + 4 * i, 4);
}

void swap_marker(Bytes& bytes, std::size_t at)
{
    swap_words(bytes, at, 4);
    swap(bytes, at + offsetof(cfg_marker, cm_createtime), 8);
    swap(bytes, at + offsetof(cfg_marker, cm_canceltime), 8);
}

void swap_lov_desc(Bytes& bytes, std::size_t at)
{
    swap_words(bytes, at, 4);
    swap(bytes, at + offsetof(lov_desc, ld_default_stripe_size), 8);
    swap(bytes, at + offsetof(lov_desc, ld_default_stripe_offset), 8);
    swap_words(bytes, at + offsetof(lov_desc, ld_padding_0), 4);
}

/* The binary buffer of some commands, by its size. */
void swap_buffer(Bytes& bytes, std::uint32_t command, std::size_t at, std::size_t length)
{
    if (command == LCFG_MARKER)
        swap_marker(bytes, at);
    else if (command == LCFG_SETUP && length == sizeof(lov_desc))
        swap_lov_desc(bytes, at);
}

std::size_t padded(std::size_t length)
{
    return (length + 7) & ~std::size_t(7);
}

void swap_command(Bytes& bytes, std::size_t at)
{
    const std::uint32_t count = word(bytes, at + offsetof(lustre_cfg, lcfg_bufcount));
    const std::size_t lengths = at + sizeof(lustre_cfg);

    if (count > 1) {
        const std::size_t first = at + padded(sizeof(lustre_cfg) + 4 * std::size_t(count));

        swap_buffer(bytes, word(bytes, at + offsetof(lustre_cfg, lcfg_command)),
                    first + padded(word(bytes, lengths)), word(bytes, lengths + 4));
    }
    swap_words(bytes, at, 4);
    swap(bytes, at + offsetof(lustre_cfg, lcfg_nid), 8);
    swap_words(bytes, at + offsetof(lustre_cfg, lcfg_nal), 2 + std::size_t(count));
}

}  // namespace

const std::vector<std::string> golden_logs = {
    "lustre-2.7/t32fs-MDT0000", "lustre-2.7/t32fs-OST0000", "lustre-2.7/t32fs-client",
    "lustre-2.9/t32fs-MDT0000", "lustre-2.9/t32fs-OST0000", "lustre-2.9/t32fs-client",
};

std::string golden_path(const std::string& name)
{
    return std::string(LL_GOLDEN) + "/" + name;
}

Bytes read_bytes(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    Bytes bytes(text.size());

    assert_true(file.good() || file.eof());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

Bytes golden(const std::string& name)
{
    Bytes bytes = read_bytes(golden_path(name));

    assert_true(bytes.size() > 1000);
    return bytes;
}

std::string text_of(const Bytes& bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint32_t word(const Bytes& bytes, std::size_t offset)
{
    std::uint32_t value = 0;

    assert_true(offset + sizeof(value) <= bytes.size());
    std::memcpy(&value, bytes.data() + offset, sizeof(value));
    return value;
}

void set_word(Bytes& bytes, std::size_t offset, std::uint32_t value)
{
    assert_true(offset + sizeof(value) <= bytes.size());
    std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

std::size_t offset_of(const Bytes& log, std::uint32_t index)
{
    std::size_t offset = LLOG_MIN_CHUNK_SIZE;

    while (word(log, offset + offsetof(llog_rec_hdr, lrh_index)) != index)
        offset += word(log, offset);
    return offset;
}

Bytes swapped(Bytes log)
{
    for (std::size_t at = LLOG_MIN_CHUNK_SIZE; at < log.size();) {
        const std::size_t length = word(log, at);

        if (word(log, at + offsetof(llog_rec_hdr, lrh_type)) == OBD_CFG_REC)
            swap_command(log, at + kHead);
        swap_words(log, at, 4);
        swap_words(log, at + length - sizeof(llog_rec_tail), 2);
        at += length;
    }
    swap_words(log, 0, 4);
    swap(log, offsetof(llog_log_hdr, llh_timestamp), 8);
    swap_words(log, kCountAt, 5);
    swap_words(log, LLOG_MIN_CHUNK_SIZE - sizeof(llog_rec_tail), 2);
    return log;
}

LogMaker::LogMaker() : bytes_(LLOG_MIN_CHUNK_SIZE)
{
    assert_int_equal(llog_head_encode(bytes_.data(), LLOG_MIN_CHUNK_SIZE, LLOG_F_IS_PLAIN,
                                      "config_uuid", 1490901649),
                     0);
}

std::size_t LogMaker::left() const
{
    return LLOG_MIN_CHUNK_SIZE - bytes_.size() % LLOG_MIN_CHUNK_SIZE;
}

std::size_t LogMaker::append(std::uint32_t type, const Bytes& body)
{
    const std::size_t length = llog_record_size(body.size());
    const std::size_t at = bytes_.size();

    bytes_.resize(at + length);
    assert_true(llog_record_encode(bytes_.data() + at, length, type, ++last_, body.data(),
                                   body.size()) >= 0);
    set_word(bytes_, kLastIndexAt, last_);
    return at;
}

LogMaker& LogMaker::padding(std::size_t length)
{
    append(LLOG_PAD_MAGIC, Bytes(length - LLOG_MIN_REC_SIZE));
    return *this;
}

LogMaker& LogMaker::record(std::uint32_t type, const Bytes& body)
{
    const std::size_t length = llog_record_size(body.size());

    if (length != left() && length + LLOG_MIN_REC_SIZE > left())
        padding(left());
    append(type, body);
    bytes_[LLOG_HEADER_SIZE + last_ / 8] |= std::byte{1} << (last_ % 8);
    set_word(bytes_, kCountAt, word(bytes_, kCountAt) + 1);
    return *this;
}

LogMaker& LogMaker::cancelled()
{
    bytes_[LLOG_HEADER_SIZE + last_ / 8] &= ~(std::byte{1} << (last_ % 8));
    set_word(bytes_, kCountAt, word(bytes_, kCountAt) - 1);
    return *this;
}

namespace {

Bytes encoded(const lcfg_view& view)
{
    Bytes body(lustre_cfg_size(&view));

    assert_true(lustre_cfg_encode(&view, body.data(), body.size()) >= 0);
    return body;
}

}  // namespace

LogMaker& LogMaker::command(std::uint32_t command, std::vector<std::string> texts,
                            std::uint32_t num, std::uint64_t nid)
{
    lcfg_view view{};

    texts.resize(std::max<std::size_t>(texts.size(), 1));
    lcfg_init(&view, command, texts[0].empty() ? nullptr : texts[0].c_str());
    for (std::size_t i = 1; i < texts.size(); i++)
        assert_int_equal(lcfg_add_string(&view, texts[i].c_str()), 0);
    view.num = num;
    view.nid = nid;
    return record(OBD_CFG_REC, encoded(view));
}

LogMaker& LogMaker::marker(std::uint32_t step, std::uint32_t flags, const std::string& target,
                           const std::string& comment)
{
    cfg_marker marker{};
    lcfg_view view{};

    marker.cm_step = step;
    marker.cm_flags = flags;
    marker.cm_vers = 2U << 24 | 15U << 16;
    marker.cm_createtime = 1490901649;
    assert_true(target.size() < sizeof(marker.cm_tgtname));
    std::memcpy(marker.cm_tgtname, target.data(), target.size());
    assert_true(comment.size() < sizeof(marker.cm_comment));
    std::memcpy(marker.cm_comment, comment.data(), comment.size());
    lcfg_init(&view, LCFG_MARKER, nullptr);
    assert_int_equal(lcfg_add_buf(&view, &marker, sizeof(marker)), 0);
    return record(OBD_CFG_REC, encoded(view));
}

ll::LogFile open_bytes(Bytes bytes, const std::string& name)
{
    auto log =
        ll::LogFile::open_damaged(std::make_unique<ll::MemoryLogBytes>(name, std::move(bytes)));

    if (!log)
        fail_msg("%s", log.error().text.c_str());
    return std::move(*log);
}

Directory::Directory()
{
    assert_non_null(mkdtemp(path_.data()));
}

Directory::~Directory()
{
    std::error_code ignored;

    std::filesystem::remove_all(path_, ignored);
}

std::string Directory::put(const std::string& name, const Bytes& bytes) const
{
    const std::string path = file(name);

    std::ofstream(path, std::ios::binary) << text_of(bytes);
    return path;
}

Output read_logs(std::vector<std::string> arguments)
{
    KeptWriter out;
    KeptWriter err;
    std::vector<char*> argv;
    std::string tool = "llog_reader";

    argv.push_back(tool.data());
    for (std::string& argument : arguments)
        argv.push_back(argument.data());
    argv.push_back(nullptr);

    const int status = llog_reader::run(out, err, static_cast<int>(argv.size()) - 1, argv.data());

    return {out.all, err.all, status};
}

}  // namespace logs_test
