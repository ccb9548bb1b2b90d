// SPDX-License-Identifier: GPL-2.0-only
/* Truncated or modified logs: the reader reports the damage, and stops or continues after it. */
#include "lib/log_check.hpp"
#include "lib/log_text.hpp"
#include "logs_fixture.hpp"
#include "rounds.h"

using namespace logs_test;

namespace {

const char* const kLog = "lustre-2.9/t32fs-OST0000";
constexpr std::size_t kSome = 7;  // slow checks run for one case in so many

/* Result of reading a log. */
struct Seen {
    std::string text;
    std::vector<bool> records = std::vector<bool>(100);
    std::size_t faults = 0;
    std::size_t bad = 0;  // records that hold no command
};

Seen read_all(ll::LogFile& log)
{
    ll::LogSections sections;
    ll::ReaderText reader;
    Seen seen;

    seen.faults += log.head_fault().what != nullptr;
    const auto walked = log.walk([&](const ll::LogItem& item) {
        if (item.fault != nullptr) {
            assert_non_null(item.fault->what);
            seen.text += ll::fault_text(*item.fault);
            seen.faults++;
            return true;
        }
        const ll::ConfigRecord config = sections.take(*item.record);

        ll::append_reader_place(seen.text, *item.record);
        reader.append(seen.text, config);
        ll::append_print_record(seen.text, config);
        seen.bad += config.why != nullptr;
        if (item.record->index < seen.records.size())
            seen.records[item.record->index] = true;
        return true;
    });

    assert_true(walked.has_value());
    return seen;
}

ll::Result<ll::LogFile> open_damaged(Bytes bytes)
{
    return ll::LogFile::open_damaged(std::make_unique<ll::MemoryLogBytes>("log", std::move(bytes)));
}

/* Records of a good log whose bytes have not been touched from @begin to @end. */
std::size_t untouched(const Bytes& log, std::size_t begin, std::size_t end, const Seen& seen)
{
    std::size_t missing = 0;

    for (std::size_t at = LLOG_MIN_CHUNK_SIZE; at < log.size(); at += word(log, at)) {
        const std::uint32_t index = word(log, at + 4);
        const bool touched = at < end && begin < at + word(log, at);

        missing += !touched && !seen.records[index];
    }
    return missing;
}

void a_log_that_was_cut_at_any_byte_is_read_up_to_there(void**)
{
    const Bytes whole = golden(kLog);

    for (std::size_t size = 0; size < whole.size(); size++) {
        auto log = open_damaged(Bytes(whole.begin(), whole.begin() + std::ptrdiff_t(size)));

        if (size < LLOG_MIN_CHUNK_SIZE) {
            assert_false(log.has_value());
            continue;
        }
        assert_true(log.has_value());
        const Seen seen = read_all(*log);
        assert_true(seen.faults > 0);
        assert_int_equal(untouched(whole, size, whole.size(), seen), 0);

        if (size % kSome != 0)
            continue;
        const auto check = ll::check_log(*log);
        assert_true(check.has_value());
        assert_true(!check->findings.empty());
    }
}

void a_changed_bit_harms_no_more_than_its_record(void**)
{
    const Bytes whole = golden(kLog);

    for (std::size_t bit = LLOG_MIN_CHUNK_SIZE * 8; bit < whole.size() * 8;
         bit += rounds_step(23)) {
        Bytes bytes = whole;

        bytes[bit / 8] ^= std::byte{1} << (bit % 8);
        auto log = open_damaged(bytes);
        assert_true(log.has_value());
        const Seen seen = read_all(*log);
        if (untouched(whole, bit / 8, bit / 8 + 1, seen) != 0)
            fail_msg("bit %zu: a good record was lost:\n%s", bit, seen.text.c_str());
        assert_true(bit % kSome != 0 || ll::check_log(*log).has_value());
    }
}

/* Is a changed bit of a record's head or tail seen? lrh_id has no use. */
void a_changed_length_index_or_end_is_told(void**)
{
    const Bytes whole = golden(kLog);

    for (std::size_t at = LLOG_MIN_CHUNK_SIZE; at < whole.size(); at += word(whole, at)) {
        const std::size_t tail = at + word(whole, at) - sizeof(llog_rec_tail);

        for (const std::size_t place : {at, at + 4, tail, tail + 4})
            for (std::size_t bit = 0; bit < 32; bit++) {
                Bytes bytes = whole;

                bytes[place + bit / 8] ^= std::byte{1} << (bit % 8);
                ll::LogFile log = open_bytes(bytes);
                assert_true(read_all(log).faults > 0);
            }
    }
}

void any_byte_of_the_header_may_be_anything(void**)
{
    const Bytes whole = golden(kLog);

    for (std::size_t at = 0; at < 256; at++)
        for (const unsigned int value : {0x00U, 0x01U, 0x7fU, 0x80U, 0xffU}) {
            Bytes bytes = whole;

            bytes[at] = std::byte(value);
            auto log = open_damaged(bytes);
            if (!log)
                continue;
            (void)read_all(*log);
            assert_true(ll::check_log(*log).has_value());
        }
}

void records_behind_a_lost_header_are_read(void**)
{
    for (const bool other_order : {false, true}) {
        const Bytes whole = golden(kLog);
        Bytes bytes = other_order ? swapped(whole) : whole;

        std::fill_n(bytes.begin(), LLOG_MIN_CHUNK_SIZE, std::byte{0x5a});
        ll::LogFile log = open_bytes(bytes);
        assert_true(log.is_headless());
        const Seen seen = read_all(log);
        assert_int_equal(seen.faults, 1);
        assert_int_equal(seen.bad, 0);
        assert_int_equal(untouched(whole, 0, 0, seen), 0);
    }
}

void a_damaged_header_is_an_error_where_it_is_needed(void**)
{
    Bytes bytes = golden(kLog);

    set_word(bytes, offsetof(llog_log_hdr, llh_bitmap_offset), 1U << 30);
    const auto log =
        ll::LogFile::open(std::make_unique<ll::MemoryLogBytes>("some", std::move(bytes)));
    assert_false(log.has_value());
    assert_int_equal(log.error().code, EBADMSG);
    assert_true(log.error().text.starts_with("some: its header is damaged: offset "));
}

void what_is_damaged_is_told_in_its_place(void**)
{
    const Directory directory;
    Bytes bytes = golden("lustre-2.9/t32fs-client");
    const std::size_t at = offset_of(bytes, 16);

    set_word(bytes, at, 0xffff);
    const Output output = read_logs({directory.put("log", bytes)});
    const std::size_t line =
        output.out.find("damaged: offset " + std::to_string(at) + ", record 16");

    assert_true(line != std::string::npos);
    assert_true(output.out.find("rec #15 ") < line);
    assert_true(output.out.find("rec #17 ") > line);
    assert_true(output.out.find("\n#41 (224)END   marker  21 ") != std::string::npos);
    assert_int_equal(output.status, 1);
    assert_true(output.err.find("damaged in ") != std::string::npos);

    const std::string json = read_logs({"--json", directory.file("log")}).out;

    assert_true(json.find("{\"fault\": {\"offset\": " + std::to_string(at) + ", \"index\": 16, ") !=
                std::string::npos);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_log_that_was_cut_at_any_byte_is_read_up_to_there),
        cmocka_unit_test(a_changed_bit_harms_no_more_than_its_record),
        cmocka_unit_test(a_changed_length_index_or_end_is_told),
        cmocka_unit_test(any_byte_of_the_header_may_be_anything),
        cmocka_unit_test(records_behind_a_lost_header_are_read),
        cmocka_unit_test(a_damaged_header_is_an_error_where_it_is_needed),
        cmocka_unit_test(what_is_damaged_is_told_in_its_place),
    };

    return cmocka_run_group_tests_name("logs_damaged", tests, nullptr, nullptr);
}
