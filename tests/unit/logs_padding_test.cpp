// SPDX-License-Identifier: GPL-2.0-only
/*
 * Padding: a record without meaning that fills the end of a chunk. It uses up a number and
 * has no bit. Programs include it in counts of bytes and numbers, and do not print it.
 */
#include <cerrno>
#include <cstdio>
#include <sstream>

#include <fmt/format.h>

#include "lctl_fixture.hpp"
#include "lib/log_check.hpp"
#include "lib/log_section.hpp"
#include "logs_fixture.hpp"

using namespace logs_test;

namespace {

constexpr std::size_t kChunk = LLOG_MIN_CHUNK_SIZE;

/* A golden log of one chunk, and its records from @index on in the next one. */
struct Moved {
    Bytes log;
    std::uint32_t index;
    std::size_t at;
    std::size_t by;

    std::uint32_t number(std::uint32_t old) const { return old < index ? old : old + 1; }
};

void put_padding(Bytes& log, std::size_t at, std::size_t length, std::uint32_t index)
{
    const Bytes body(length - LLOG_MIN_REC_SIZE);

    assert_int_equal(llog_record_encode(log.data() + at, length, LLOG_PAD_MAGIC, index, body.data(),
                                        body.size()),
                     length);
}

/* Numbers of the records that moved, and their bits. */
void renumber(Bytes& log, std::size_t at, std::uint32_t last)
{
    const auto bit = [&](std::uint32_t n, bool set) {
        auto& byte = log[LLOG_HEADER_SIZE + n / 8];

        byte = (byte & ~(std::byte{1} << (n % 8))) | std::byte(set) << (n % 8);
    };

    for (; at < log.size(); at += word(log, at)) {
        const std::uint32_t index = word(log, at + 4) + 1;

        set_word(log, at + 4, index);
        set_word(log, at + word(log, at) - 4, index);
        bit(index, true);
        last = index;
    }
    set_word(log, kChunk - 4, last);
}

Moved moved(const std::string& name, std::uint32_t index)
{
    Moved result = {.log = golden(name), .index = index, .at = 0, .by = 0};
    const std::uint32_t last = word(result.log, kChunk - 4);

    result.at = index > last ? result.log.size() : offset_of(result.log, index);
    result.by = 2 * kChunk - result.at;
    result.log.insert(result.log.begin() + std::ptrdiff_t(result.at), result.by, std::byte{0});
    put_padding(result.log, result.at, result.by, index);
    renumber(result.log, result.at + result.by, index);
    result.log[LLOG_HEADER_SIZE + index / 8] &= ~(std::byte{1} << (index % 8));
    return result;
}

/* Output of real llog_reader for the log, with its current numbers. */
std::string moved_line(const std::string& line, const Moved& moved)
{
    unsigned int index = 0;
    unsigned int length = 0;
    unsigned long offset = 0;
    int used = 0;

    if (std::sscanf(line.c_str(), "rec #%u type=10620000 len=%u offset %lu", &index, &length,
                    &offset) == 3)
        return fmt::format("rec #{} type=10620000 len={} offset {}", moved.number(index), length,
                           offset < moved.at ? offset : offset + moved.by);
    if (std::sscanf(line.c_str(), "#%u (%n", &index, &used) == 1)
        return fmt::format("#{:02} ({}", moved.number(index), line.substr(std::size_t(used)));
    if (std::sscanf(line.c_str(), "Number of records: %u", &length) == 1)
        return fmt::format("Number of records: {}\tcat_idx: 0\tlast_idx: {}", length, length + 1);
    return line;
}

std::string moved_text(const std::string& name, const Moved& moved)
{
    std::istringstream real(text_of(read_bytes(golden_path(name + ".llog_reader.txt"))));
    std::string text;

    for (std::string line; std::getline(real, line);)
        text += moved_line(line, moved) + "\n";
    return text;
}

/* Before each record of each log, and after the last one. */
void padding_is_in_no_line(void**)
{
    const Directory directory;

    for (const std::string& name : golden_logs) {
        const std::uint32_t last = word(golden(name), kChunk - 4);

        for (std::uint32_t index = 1; index <= last + 1; index++) {
            const Moved log = moved(name, index);
            const Output output = read_logs({directory.put("log", log.log)});

            assert_text(output.out, moved_text(name, log));
            assert_text(output.err, "");
            assert_int_equal(output.status, 0);
        }
    }
}

void padding_of_the_other_byte_order_is_in_no_line(void**)
{
    const Directory directory;

    for (const std::string& name : golden_logs) {
        const Moved log = moved(name, 3);
        const Output output = read_logs({directory.put("log", swapped(log.log))});

        assert_text(output.out, moved_text(name, log));
        assert_int_equal(output.status, 0);
    }
}

void all_has_a_line_for_padding(void**)
{
    const Directory directory;
    const Moved log = moved(golden_logs[5], 2);
    const Output output = read_logs({"-a", directory.put("log", log.log)});

    assert_true(output.out.find("rec #2 type=10600000 len=7968 offset 8416 cancelled\n") !=
                std::string::npos);
    assert_true(output.out.find("\n#02 (7968)padding\n") != std::string::npos);
    assert_int_equal(output.status, 0);
}

void json_names_padding(void**)
{
    const Directory directory;
    const Moved log = moved(golden_logs[5], 2);

    assert_true(read_logs({"--json", directory.put("log", log.log)})
                    .out.find("{\"index\": 2, \"offset\": 8416, \"length\": 7968, "
                              "\"record_type\": 274726912, \"event\": \"padding\"}") !=
                std::string::npos);
}

/* A section of five chunks; each ends with padding of another size, the shortest one among them. */
LogMaker several_chunks()
{
    constexpr std::size_t room[] = {24, 32, 4096, 2 * LLOG_MIN_REC_SIZE, kChunk - 72};
    LogMaker maker;

    maker.marker(1, CM_START, "fs", "x");
    for (const std::size_t left : room) {
        const std::size_t chunk = maker.bytes().size() / kChunk;

        maker.command(LCFG_DETACH, {"first"});
        // One record fills all but @left bytes; padding takes these.
        if (maker.left() > left)
            maker.record(0x106f0000, Bytes(maker.left() - left - LLOG_MIN_REC_SIZE));
        assert_int_equal(maker.left(), left);
        maker.padding(maker.left());
        assert_int_equal(maker.bytes().size() / kChunk, chunk + 1);
    }
    return maker.marker(1, CM_END, "fs", "x");
}

std::size_t lines_with(const std::string& text, const std::string& part)
{
    std::size_t count = 0;

    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        count++;
    return count;
}

void padding_of_each_size_is_passed_over(void**)
{
    const Directory directory;
    const LogMaker maker = several_chunks();

    for (const Bytes& log : {maker.bytes(), swapped(maker.bytes())}) {
        const Output output = read_logs({directory.put("log", log)});

        assert_text(output.err, "");
        assert_int_equal(lines_with(output.out, "10600000"), 0);
        assert_int_equal(lines_with(output.out, "padding"), 0);
        assert_int_equal(lines_with(output.out, "detach    0:first"), 5);
        assert_int_equal(lines_with(output.out, fmt::format("last_idx: {}\n", maker.last())), 1);
        assert_int_equal(output.status, 0);
    }
}

/* A log is sound with padding, the last record too. */
void padding_is_no_finding(void**)
{
    const LogMaker maker = several_chunks();
    ll::LogFile log = open_bytes(maker.bytes());
    const auto found = ll::check_log(log);

    assert_true(found.has_value());
    for (const auto& finding : found->findings)
        fail_msg("record %u: %s", finding.index, finding.what.c_str());
    for (std::uint32_t index = 1; index <= 42; index++) {
        ll::LogFile golden = open_bytes(moved(golden_logs[5], index).log);

        assert_true(ll::check_log(golden)->findings.empty());
    }
}

std::string lctl(const std::string& line)
{
    FakeTree tree;
    lctl_test::FakeSystem system(tree);

    system.no_kernel = {ENOENT, "no kernel"};

    const lctl_test::Ran ran = lctl_test::run(system, line);

    assert_text(ran.err, "");
    assert_int_equal(ran.status, 0);
    return ran.out;
}

/* llog_print prints the same as without padding, except for the numbers. */
void lctl_prints_no_padding(void**)
{
    const Directory directory;
    const std::string& name = golden_logs[5];
    const Moved log = moved(name, 20);
    const std::string path = directory.put("log", log.log);
    std::istringstream real(lctl("llog_print --raw " + golden_path(name)));
    std::string want;

    for (std::string line; std::getline(real, line);) {
        unsigned int index = 0;
        int used = 0;

        assert_int_equal(std::sscanf(line.c_str(), "- { index: %u%n", &index, &used), 1);
        want +=
            fmt::format("- {{ index: {}{}\n", log.number(index), line.substr(std::size_t(used)));
    }
    assert_text(lctl("llog_print --raw " + path), want);
    assert_true(lctl("llog_print --json --raw " + path).find("padding") == std::string::npos);
    assert_true(lctl("llog_info " + path).find("42\n") != std::string::npos);
    lctl("llog_check " + path);
}

void sections_go_on_across_padding(void**)
{
    const Moved log = moved(golden_logs[5], 19);
    ll::LogFile file = open_bytes(log.log);
    ll::LogSections sections;
    std::string seen;

    assert_true(file.walk([&](const ll::LogItem& item) {
                        const ll::ConfigRecord config = sections.take(*item.record);

                        if (item.record->index >= 18 && item.record->index <= 22)
                            seen += config.skipped ? 'S' : '-';
                        return true;
                    })
                    .has_value());
    assert_text(seen, "SSSS-");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(padding_is_in_no_line),
        cmocka_unit_test(padding_of_the_other_byte_order_is_in_no_line),
        cmocka_unit_test(all_has_a_line_for_padding),
        cmocka_unit_test(json_names_padding),
        cmocka_unit_test(padding_of_each_size_is_passed_over),
        cmocka_unit_test(padding_is_no_finding),
        cmocka_unit_test(lctl_prints_no_padding),
        cmocka_unit_test(sections_go_on_across_padding),
    };

    return cmocka_run_group_tests_name("logs_padding", tests, nullptr, nullptr);
}
