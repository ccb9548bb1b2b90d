// SPDX-License-Identifier: GPL-2.0-only
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
    const Directory directory;

    for (const std::string& name : golden_logs) {
        const std::string path = directory.put("log", swapped(golden(name)));
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
    const Directory directory;
    const Bytes zeros(20000);
    const std::string path = directory.put("zeros", zeros);
    const Output output = read_logs({path});

    assert_text(output.out, "");
    assert_text(output.err,
                "error: llog_reader: " + path + ": not a log: it does not start with a header\n");
    assert_int_equal(output.status, 1);
    assert_int_equal(read_logs({directory.put("empty", {})}).status, 1);
    assert_int_equal(read_logs({directory.path()}).status, 1);
}

/* The text after the line that ends the header. */
std::string told(const std::string& text)
{
    const std::string line = "-----------------------\n";
    const std::size_t end = text.find(line);

    assert_true(end != std::string::npos);
    return text.substr(end + line.size());
}

void cancelled_records_are_printed_on_demand(void**)
{
    LogMaker maker;
    const Directory directory;

    maker.command(LCFG_DETACH, {"a"})
        .command(LCFG_ATTACH, {"b", "osc", "uuid"})
        .cancelled()
        .command(LCFG_DETACH, {"c"});

    const std::string path = directory.put("log", maker.bytes());
    const Output output = read_logs({path});
    const Output all = read_logs({"--all", path});

    assert_text(output.out.substr(0, output.out.find("Header")),
                "rec #1 type=10620000 len=72 offset 8192\n"
                "rec #3 type=10620000 len=72 offset 8360\n");
    assert_true(output.out.find("Number of records: 2\tcat_idx: 0\tlast_idx: 3\n") !=
                std::string::npos);
    assert_text(told(output.out), "#01 (072)detach    0:a  \n#03 (072)detach    0:c  \n");
    assert_true(all.out.find("\nrec #2 type=10620000 len=96 offset 8264 cancelled\n") !=
                std::string::npos);
    assert_true(all.out.find("\n#02 (096)CANCELLED attach    0:b  1:osc  2:uuid  \n") !=
                std::string::npos);
    assert_int_equal(all.status, 0);
}

/* Words before a marker, and before the record after it. */
void markers_say_what_real_markers_say(void**)
{
    LogMaker maker;
    const Directory directory;

    maker.marker(1, CM_START | CM_EXCLUDE, "fs-OST0001", "add osc")
        .command(LCFG_DETACH, {"excluded"})
        .marker(1, CM_END | CM_EXCLUDE, "fs-OST0001", "add osc")
        .marker(2, CM_START | CM_SKIP, "fs", "x")
        .marker(123, CM_START | CM_SKIP | CM_EXCLUDE, "fs", "nested")
        .command(LCFG_DETACH, {"skipped"})
        .marker(2, CM_END | CM_SKIP, "fs", "x")
        .command(LCFG_DETACH, {"done"})
        .marker(3, CM_END | CM_SKIP, "fs", "no start")
        .marker(4, 0, "a name of more than 15", "");

    const Output output = read_logs({directory.put("log", maker.bytes())});
    const std::string since = "Thu Mar 30 19:20:49 2017-\n";

    assert_text(
        told(output.out),
        "#01 (224)EXCLUDE START marker   1 (flags=0x11, v2.15.0.0) fs-OST0001      'add osc' " +
            since + "#02 (080)detach    0:excluded  \n" +
            "#03 (224)END   EXCLUDE END   marker   1 (flags=0x12, v2.15.0.0) fs-OST0001      "
            "'add osc' " +
            since + "#04 (224)SKIP START marker   2 (flags=0x05, v2.15.0.0) fs              'x' " +
            since +
            "#05 (224)SKIP SKIP START EXCLUDE START marker 123 (flags=0x15, v2.15.0.0) "
            "fs              'nested' " +
            since + "#06 (072)SKIP detach    0:skipped  \n" +
            "#07 (224)SKIP END   marker   2 (flags=0x06, v2.15.0.0) fs              'x' " + since +
            "#08 (072)detach    0:done  \n" +
            "#09 (224)END   marker   3 (flags=0x06, v2.15.0.0) fs              'no start' " +
            since + "#10 (224)marker   4 (flags=0000, v2.15.0.0) a name of more than 15 '' " +
            since);
    assert_int_equal(output.status, 0);
}

void records_of_other_kinds_say_their_type(void**)
{
    LogMaker maker;
    const Directory directory;
    Bytes id(24);

    id[0] = std::byte{0x25};
    id[8] = std::byte{1};
    maker.record(LLOG_GEN_REC, Bytes(8)).record(0x106f0000, Bytes(8)).record(LLOG_LOGID_MAGIC, id);
    id[8] = std::byte{10};
    maker.record(LLOG_LOGID_MAGIC, id);
    id[9] = std::byte{4};
    maker.record(LLOG_LOGID_MAGIC, id);
    maker.record(LLOG_LOGID_MAGIC, Bytes(8)).record(OBD_CFG_REC, Bytes(40));

    const Output output = read_logs({directory.put("log", maker.bytes())});
    const std::string text = told(output.out);
    const std::string first =
        "#01 (032)unknown type 10640000\n"
        "#02 (032)unknown type 106f0000\n"
        "#03 (048)fid=[0x1:0x25:0x0] path=";

    assert_text(text.substr(0, first.size()), first);
    assert_true(text.find("path=O/1/d5/37\n") != std::string::npos ||
                text.find("path=oi.1/0x1:0x25:0x0\n") != std::string::npos);
    assert_true(text.find("#04 (048)fid=[0xa:0x25:0x0] path=O/10/d5/37\n") != std::string::npos ||
                text.find("path=oi.10/0xa:0x25:0x0\n") != std::string::npos);
    assert_true(text.find("#05 (048)fid=[0x40a:0x25:0x0] path=update_log_dir/[0x40a:0x25:0x0]\n") !=
                std::string::npos);
    assert_true(text.find("#06 (032)unknown type 1064553b\n") != std::string::npos);
    assert_true(text.find("#07 (064)bad command: ") != std::string::npos);
    assert_int_equal(output.status, 1);
}

void names_cannot_move_the_cursor(void**)
{
    LogMaker maker;
    const Directory directory;

    maker.command(LCFG_ATTACH, {"a\x1b[2Jb\n", "osc", "u"});
    assert_true(read_logs({directory.put("log", maker.bytes())})
                    .out.find("attach    0:a\\x1b[2Jb\\x0a  1:osc  2:u  \n") != std::string::npos);
}

void json_has_each_record_on_a_line(void**)
{
    LogMaker maker;
    const Directory directory;

    maker.marker(3, CM_START, "fs", "x").command(LCFG_LOV_ADD_OBD, {"lov", "OST_UUID", "7", "1"});

    const std::string path = directory.put("log", maker.bytes());

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
    assert_text(read_logs({}).err, "error: llog_reader: needs a FILE. See 'llog_reader --help'.\n");
    assert_int_equal(read_logs({"--nosuch"}).status, 2);
    assert_true(
        read_logs({"--help"}).out.starts_with("usage: llog_reader [--all] [--json] FILE...\n"));
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
        cmocka_unit_test(cancelled_records_are_printed_on_demand),
        cmocka_unit_test(markers_say_what_real_markers_say),
        cmocka_unit_test(records_of_other_kinds_say_their_type),
        cmocka_unit_test(names_cannot_move_the_cursor),
        cmocka_unit_test(json_has_each_record_on_a_line),
        cmocka_unit_test(json_of_the_real_logs_has_all_records),
        cmocka_unit_test(arguments_are_checked),
    };

    return cmocka_run_group_tests_name("logs_reader", tests, nullptr, nullptr);
}
