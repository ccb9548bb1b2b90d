// SPDX-License-Identifier: GPL-2.0-only
/* The debug log's records: parsing of hostile bytes, order, lines to the byte. */
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cmocka.hpp"
#include "lctl/commands/debug_log.hpp"

using namespace lctl;

namespace {

using Bytes = std::vector<std::byte>;

struct Sample {
    std::uint32_t cpu;
    std::uint64_t sequence;
    std::uint64_t time_ns;
    const char* text;
};

void append(Bytes& bytes, const void* data, std::size_t size)
{
    const auto* from = static_cast<const std::byte*>(data);

    bytes.insert(bytes.end(), from, from + size);
}

/* A record as the kernel packs it. */
Bytes packed(const Sample& sample)
{
    const std::string file = "entry.c";
    const std::string function = "params_add_entry";
    libcfs_debug_rec head{};
    Bytes bytes;

    head.dr_cpu = sample.cpu;
    head.dr_subsys = 0x20;
    head.dr_mask = 0x1;
    head.dr_seq = sample.sequence;
    head.dr_time_ns = sample.time_ns;
    head.dr_pid = 1234;
    head.dr_line = 77;
    head.dr_stack = 1488;
    head.dr_file_len = static_cast<std::uint16_t>(file.size() + 1);
    head.dr_func_len = static_cast<std::uint16_t>(function.size() + 1);
    head.dr_text_len = static_cast<std::uint32_t>(std::strlen(sample.text) + 1);
    append(bytes, &head, sizeof(head));
    append(bytes, file.c_str(), file.size() + 1);
    append(bytes, function.c_str(), function.size() + 1);
    append(bytes, sample.text, std::strlen(sample.text) + 1);
    bytes.resize((bytes.size() + 7) / 8 * 8);
    head.dr_len = static_cast<std::uint32_t>(bytes.size());
    std::memcpy(bytes.data(), &head, sizeof(head));
    return bytes;
}

const Sample one = {1, 9, 1795248573093088570, "added osc\n"};

std::string lines_of(const Bytes& bytes)
{
    DebugRecords parsed = parse_debug_records(bytes);
    std::string lines;

    sort_debug_records(parsed.records);
    for (const DebugRecord& record : parsed.records)
        format_debug_record(record, lines);
    return lines;
}

void line_is_that_of_real_lustre(void**)
{
    assert_string_equal(lines_of(packed(one)).c_str(),
                        "00000020:00000001:1.0:1795248573.093088:1488:1234:0:"
                        "(entry.c:77:params_add_entry()) added osc\n");
}

void line_always_ends(void**)
{
    assert_string_equal(lines_of(packed({0, 1, 5'000'001'999, "no newline"})).c_str(),
                        "00000020:00000001:0.0:5.000001:1488:1234:0:"
                        "(entry.c:77:params_add_entry()) no newline\n");
    assert_string_equal(lines_of(packed({0, 1, 0, ""})).c_str(),
                        "00000020:00000001:0.0:0.000000:1488:1234:0:"
                        "(entry.c:77:params_add_entry()) \n");
}

void records_are_ordered_by_time_then_sequence(void**)
{
    Bytes bytes;

    for (const Sample& sample : {Sample{0, 5, 300, "c"}, Sample{1, 4, 200, "b"},
                                 Sample{1, 3, 200, "a"}, Sample{0, 9, 100, "first"}}) {
        const Bytes record = packed(sample);
        append(bytes, record.data(), record.size());
    }

    DebugRecords parsed = parse_debug_records(bytes);
    sort_debug_records(parsed.records);
    assert_int_equal(parsed.records.size(), 4);
    assert_true(parsed.records[0].text == "first");
    assert_true(parsed.records[1].text == "a");
    assert_true(parsed.records[2].text == "b");
    assert_true(parsed.records[3].text == "c");
}

/* A good record with one field of the head replaced, then another good one. */
template <typename T>
DebugRecords with_field(std::size_t offset, T value)
{
    Bytes bytes = packed(one);
    const Bytes good = packed(one);

    std::memcpy(bytes.data() + offset, &value, sizeof(value));
    append(bytes, good.data(), good.size());

    DebugRecords parsed = parse_debug_records(bytes);
    for (DebugRecord& record : parsed.records)
        record.file = record.function = record.text = {};  // the bytes go
    return parsed;
}

void wrong_inner_length_skips_the_record(void**)
{
    for (const int length : {0, 1, 7, 9, 0xffff}) {
        const auto parsed =
            with_field(offsetof(libcfs_debug_rec, dr_file_len), static_cast<std::uint16_t>(length));
        assert_int_equal(parsed.bad, 1);
        assert_int_equal(parsed.records.size(), 1);
    }
    for (const std::uint32_t length : {0U, 1U, 0x7fffffffU, 0xffffffffU}) {
        const auto parsed = with_field(offsetof(libcfs_debug_rec, dr_text_len), length);
        assert_int_equal(parsed.bad, 1);
        assert_int_equal(parsed.records.size(), 1);
    }
}

void wrong_outer_length_ends_the_buffer(void**)
{
    for (const std::uint32_t length : {0U, 8U, 55U, 57U, 0xfffffff8U}) {
        const auto parsed = with_field(offsetof(libcfs_debug_rec, dr_len), length);
        assert_int_equal(parsed.bad, 1);
        assert_int_equal(parsed.records.size(), 0);
    }
}

void a_cut_buffer_is_never_read_beyond(void**)
{
    const Bytes whole = packed(one);

    for (std::size_t size = 1; size < whole.size(); size++) {
        // A copy of its own size, so that a read beyond it is seen.
        const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        const DebugRecords parsed = parse_debug_records(cut);

        assert_int_equal(parsed.bad, 1);
        assert_int_equal(parsed.records.size(), 0);
    }
    assert_int_equal(parse_debug_records({}).bad, 0);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(line_is_that_of_real_lustre),
        cmocka_unit_test(line_always_ends),
        cmocka_unit_test(records_are_ordered_by_time_then_sequence),
        cmocka_unit_test(wrong_inner_length_skips_the_record),
        cmocka_unit_test(wrong_outer_length_ends_the_buffer),
        cmocka_unit_test(a_cut_buffer_is_never_read_beyond),
    };

    return cmocka_run_group_tests_name("shell_debug_record", tests, nullptr, nullptr);
}
