// SPDX-License-Identifier: GPL-2.0
/* llog_reader on whole logs. */
#include <cstdlib>
#include <ctime>

#include "logs_fixture.hpp"

using namespace logs_test;

namespace {

std::string golden_text(const std::string& name)
{
    return text_of(read_bytes(golden_path(name + ".llog_reader.txt")));
}

std::size_t count_of(const std::string& text, const std::string& part)
{
    std::size_t count = 0;

    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        count++;
    return count;
}

void real_logs_print_as_the_real_tool_prints_them(void**)
{
    for (const std::string& name : golden_logs) {
        const Output output = read_logs({golden_path(name)});

        assert_text(output.out, golden_text(name));
        assert_text(output.err, "");
        assert_int_equal(output.status, 0);
    }
}

void logs_of_the_other_byte_order_print_the_same(void**)
{
    const Folder folder;

    for (const std::string& name : golden_logs) {
        const std::string path = folder.put("log", swapped(golden(name)));
        const Output output = read_logs({path});

        assert_text(output.out, golden_text(name));
        assert_int_equal(output.status, 0);
    }
}

void times_are_those_of_the_zone(void**)
{
    assert_int_equal(setenv("TZ", "EST5", 1), 0);
    tzset();
    const Output output = read_logs({golden_path("lustre-2.9/t32fs-client")});
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    tzset();
    assert_true(output.out.find("Time : Thu Mar 30 14:20:49 2017\n") != std::string::npos);
}

void each_of_several_files_has_a_heading(void**)
{
    const std::string a = golden_path(golden_logs[0]);
    const std::string b = golden_path(golden_logs[1]);

    assert_text(read_logs({a, b}).out, a + ":\n" + golden_text(golden_logs[0]) + "\n" + b + ":\n" +
                                           golden_text(golden_logs[1]));
}

void what_cannot_be_read_does_not_keep_the_rest_away(void**)
{
    const std::string good = golden_path(golden_logs[0]);
    const Output output = read_logs({"/nosuch/log", good});

    assert_text(output.err, "error: llog_reader: /nosuch/log: No such file or directory\n");
    assert_text(output.out, good + ":\n" + golden_text(golden_logs[0]));
    assert_int_equal(output.status, 1);
}

void what_is_no_log_is_said_to_be_none(void**)
{
    const Folder folder;
    const Bytes zeros(20000);
    const std::string path = folder.put("zeros", zeros);
    const Output output = read_logs({path});

    assert_text(output.out, "");
    assert_text(output.err, "error: llog_reader: " + path +
                                ": not a log: it does not begin with the header of one\n");
    assert_int_equal(output.status, 1);
    assert_int_equal(read_logs({folder.put("empty", {})}).status, 1);
    assert_int_equal(read_logs({folder.path()}).status, 1);
}

void records_of_other_kinds_and_cancelled_ones_are_marked(void**)
{
    LogMaker maker;
    const Folder folder;

    maker.marker(1, CM_START | CM_EXCLUDE, "fs-OST0001", "add osc")
        .command(LCFG_ATTACH, {"fs-OST0001-osc", "osc", "uuid"})
        .cancelled()
        .marker(1, CM_END | CM_EXCLUDE, "fs-OST0001", "add osc")
        .record(LLOG_GEN_REC, Bytes(8))
        .record(0x106f0000, Bytes(8))
        .record(OBD_CFG_REC, Bytes(40));

    const Output output = read_logs({folder.put("log", maker.bytes())});
    const std::size_t end = output.out.find("-----");

    assert_true(output.out.find("rec #2 type=10620000 len=104 offset 8416 cancelled\n") !=
                std::string::npos);
    assert_true(output.out.find("Number of records: 5\tcat_idx: 0\tlast_idx: 6\n") !=
                std::string::npos);
    assert_text(output.out.substr(end + 24, output.out.find("#06") - end - 24),
                "#01 (224)EXCLUDE START marker   1 (flags=0x11, v2.15.0.0) fs-OST0001      "
                "'add osc' Thu Mar 30 19:20:49 2017-\n"
                "#02 (104)EXCLUDE CANCELLED attach    0:fs-OST0001-osc  1:osc  2:uuid  \n"
                "#03 (224)EXCLUDE END   marker   1 (flags=0x12, v2.15.0.0) fs-OST0001      "
                "'add osc' Thu Mar 30 19:20:49 2017-\n"
                "#04 (032)generation\n"
                "#05 (032)record of unknown type 106f0000\n");
    assert_true(output.out.find("#06 (064)bad command: ") != std::string::npos);
    assert_int_equal(output.status, 1);
}

void names_cannot_move_the_cursor(void**)
{
    LogMaker maker;
    const Folder folder;

    maker.command(LCFG_ATTACH, {"a\x1b[2Jb\n", "osc", "u"});
    assert_true(read_logs({folder.put("log", maker.bytes())})
                    .out.find("attach    0:a\\x1b[2Jb\\x0a  1:osc  2:u  \n") != std::string::npos);
}

void json_has_each_record_on_a_line(void**)
{
    LogMaker maker;
    const Folder folder;

    maker.marker(3, CM_START, "fs", "x").command(LCFG_LOV_ADD_OBD, {"lov", "OST_UUID", "7", "1"});

    const std::string path = folder.put("log", maker.bytes());

    assert_text(
        read_logs({"--json", path}).out,
        "[\n{\"log\": \"" + path +
            "\", \"header\": {\"chunk_size\": 8192, \"size\": 0, \"timestamp\": 1490901649, "
            "\"records_count\": 3, \"last_index\": 2, \"cat_idx\": 0, \"flags\": 4, \"uuid\": "
            "\"config_uuid\", \"swapped\": false}, \"records\": [\n"
            "  {\"index\": 1, \"offset\": 8192, \"length\": 224, \"record_type\": 274857984, "
            "\"event\": \"marker\", \"step\": 3, \"flags\": \"0x01\", \"version\": \"2.15.0.0\", "
            "\"createtime\": 1490901649, \"canceltime\": 0, \"target\": \"fs\", \"comment\": "
            "\"x\", \"buffers\": [\"\", null]},\n"
            "  {\"index\": 2, \"offset\": 8416, \"length\": 112, \"record_type\": 274857984, "
            "\"event\": \"add_osc\", \"device\": \"lov\", \"ost\": \"OST_UUID\", "
            "\"target_index\": 7, \"gen\": 1, \"buffers\": [\"lov\", \"OST_UUID\", \"7\", "
            "\"1\"]}]}\n]\n");
    assert_text(read_logs({"--json", "/nosuch"}).out, "[\n]\n");
}

void json_of_the_real_logs_has_all_records(void**)
{
    for (const std::string& name : golden_logs)
        assert_int_equal(count_of(read_logs({"--json", golden_path(name)}).out, "\"index\": "),
                         count_of(golden_text(name), "rec #"));
}

void arguments_are_checked(void**)
{
    assert_int_equal(read_logs({}).status, 2);
    assert_text(read_logs({}).err,
                "error: llog_reader: it needs a FILE. See 'llog_reader --help'.\n");
    assert_int_equal(read_logs({"--nosuch"}).status, 2);
    assert_true(read_logs({"--help"}).out.starts_with("usage: llog_reader [--json] FILE...\n"));
    assert_true(read_logs({"-V"}).out.starts_with("llog_reader: "));
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(real_logs_print_as_the_real_tool_prints_them),
        cmocka_unit_test(logs_of_the_other_byte_order_print_the_same),
        cmocka_unit_test(times_are_those_of_the_zone),
        cmocka_unit_test(each_of_several_files_has_a_heading),
        cmocka_unit_test(what_cannot_be_read_does_not_keep_the_rest_away),
        cmocka_unit_test(what_is_no_log_is_said_to_be_none),
        cmocka_unit_test(records_of_other_kinds_and_cancelled_ones_are_marked),
        cmocka_unit_test(names_cannot_move_the_cursor),
        cmocka_unit_test(json_has_each_record_on_a_line),
        cmocka_unit_test(json_of_the_real_logs_has_all_records),
        cmocka_unit_test(arguments_are_checked),
    };

    return cmocka_run_group_tests_name("logs_reader", tests, nullptr, nullptr);
}
