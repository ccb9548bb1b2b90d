// SPDX-License-Identifier: GPL-2.0-only
/* Findings of llog_check. */
#include "lib/log_check.hpp"
#include "logs_fixture.hpp"

using namespace logs_test;

namespace {

ll::LogCheck check(Bytes bytes, ll::LogRange range = {})
{
    ll::LogFile log = open_bytes(std::move(bytes));
    auto result = ll::check_log(log, range);

    if (!result)
        fail_msg("%s", result.error().text.c_str());
    return std::move(*result);
}

/* All findings, a line each. */
std::string findings(Bytes bytes, ll::LogRange range = {})
{
    const ll::LogCheck found = check(std::move(bytes), range);
    std::string text;

    for (const ll::LogFinding& finding : found.findings)
        text += ll::finding_text(finding) + "\n";
    return text;
}

LogMaker good_section()
{
    LogMaker maker;

    maker.marker(1, CM_START, "fs-clilov", "lov setup")
        .command(LCFG_ATTACH, {"fs-clilov", "lov", "u"})
        .marker(1, CM_END, "fs-clilov", "lov setup");
    return maker;
}

void real_logs_are_whole(void**)
{
    for (const std::string& name : golden_logs) {
        assert_text(findings(golden(name)), "");
        assert_text(findings(swapped(golden(name))), "");
        assert_true(check(golden(name)).records >= 10);
    }
}

void cancelled_records_are_no_fault(void**)
{
    LogMaker maker = good_section();

    maker.command(LCFG_DETACH, {"d"}).cancelled();
    assert_text(findings(maker.bytes()), "");
    assert_int_equal(check(maker.bytes()).records, 4);
}

void the_count_is_that_of_the_bitmap(void**)
{
    Bytes bytes = good_section().bytes();

    set_word(bytes, offsetof(llog_log_hdr, llh_count), 9);
    assert_true(findings(bytes).find("9") != std::string::npos);
    assert_true(findings(bytes).find("offset 24") != std::string::npos);
}

void live_records_are_there(void**)
{
    Bytes bytes = good_section().bytes();

    bytes[LLOG_HEADER_SIZE] |= std::byte{0xf0};
    set_word(bytes, offsetof(llog_log_hdr, llh_count), 8);
    assert_true(findings(bytes).find("offset 88, record 4: the bit of 4 to 7 is set, but there is "
                                     "no such record\n") != std::string::npos);
}

void the_last_index_is_that_of_the_last_record(void**)
{
    Bytes bytes = good_section().bytes();

    set_word(bytes, LLOG_MIN_CHUNK_SIZE - 4, 2);
    assert_true(!findings(bytes).empty());
    set_word(bytes, LLOG_MIN_CHUNK_SIZE - 4, 5);
    assert_true(findings(bytes).find("the log ends before its last record: 3, expected 5") !=
                std::string::npos);
}

void commands_can_be_taken_apart(void**)
{
    Bytes bytes = good_section().bytes();

    set_word(bytes, offset_of(bytes, 2) + 16 + offsetof(lustre_cfg, lcfg_buflens), 0xfffffff0);
    assert_true(findings(bytes).starts_with("offset 8416, record 2: "));
}

void a_section_has_both_its_markers(void**)
{
    const std::string begin = "offset 8192, record 1: ";
    LogMaker open;
    LogMaker nested;
    LogMaker lonely;

    open.marker(7, CM_START, "fs", "x");
    assert_text(findings(open.bytes()), begin + "section 7 has no END marker\n");
    nested.marker(7, CM_START, "fs", "x")
        .marker(8, CM_START, "fs", "y")
        .marker(8, CM_END, "fs", "y");
    assert_text(findings(nested.bytes()),
                "offset 8416, record 2: section 8 starts, but section 7 of record 1 has no END "
                "marker\n");
    lonely.marker(7, CM_END, "fs", "x");
    assert_text(findings(lonely.bytes()), begin + "END of section 7, which has no START marker\n");
}

void both_markers_say_the_same(void**)
{
    LogMaker step;
    LogMaker target;
    LogMaker skip;
    LogMaker none;

    step.marker(7, CM_START, "fs", "x").marker(8, CM_END, "fs", "x");
    assert_text(findings(step.bytes()),
                "offset 8416, record 2: END of section 8 in section 7, of record 1\n");
    target.marker(7, CM_START, "fs", "x").marker(7, CM_END, "other", "x");
    assert_text(findings(target.bytes()),
                "offset 8416, record 2: END marker of 'other', and its "
                "START, record 1, of 'fs'\n");
    skip.marker(7, CM_START | CM_SKIP, "fs", "x").marker(7, CM_END, "fs", "x");
    assert_text(findings(skip.bytes()),
                "offset 8416, record 2: only one marker of section 7 has the flag SKIP\n");
    none.marker(7, 0, "fs", "x");
    assert_text(findings(none.bytes()),
                "offset 8192, record 1: a marker that is neither START nor "
                "END: flags 0x0\n");
}

void a_command_outside_of_sections_is_told(void**)
{
    LogMaker maker = good_section();

    maker.command(LCFG_DETACH, {"d"});
    assert_text(findings(maker.bytes()),
                "offset 8744, record 4: a command outside any section, "
                "never applied\n");
}

void a_range_hides_what_is_outside_of_it(void**)
{
    LogMaker maker;

    maker.command(LCFG_DETACH, {"a"}).command(LCFG_DETACH, {"b"}).command(LCFG_DETACH, {"c"});
    assert_int_equal(check(maker.bytes()).findings.size(), 3);
    assert_int_equal(check(maker.bytes(), {.first = 2, .last = 2}).findings.size(), 1);
    assert_int_equal(check(maker.bytes(), {.first = 2, .last = 2}).records, 1);
    assert_int_equal(check(maker.bytes(), {.first = 2}).findings.size(), 2);
    // The header belongs to every range.
    Bytes bytes = maker.bytes();
    set_word(bytes, offsetof(llog_log_hdr, llh_count), 9);
    assert_int_equal(check(bytes, {.first = 50}).findings.size(), 1);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(real_logs_are_whole),
        cmocka_unit_test(cancelled_records_are_no_fault),
        cmocka_unit_test(the_count_is_that_of_the_bitmap),
        cmocka_unit_test(live_records_are_there),
        cmocka_unit_test(the_last_index_is_that_of_the_last_record),
        cmocka_unit_test(commands_can_be_taken_apart),
        cmocka_unit_test(a_section_has_both_its_markers),
        cmocka_unit_test(both_markers_say_the_same),
        cmocka_unit_test(a_command_outside_of_sections_is_told),
        cmocka_unit_test(a_range_hides_what_is_outside_of_it),
    };

    return cmocka_run_group_tests_name("logs_check", tests, nullptr, nullptr);
}
