// SPDX-License-Identifier: GPL-2.0-only
/* lctl's commands for logs: text, JSON, errors. */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lctl_fixture.hpp"
#include "lib/fd.hpp"
#include "logs_fixture.hpp"

using namespace logs_test;

namespace {

const char* const kLog = "lustre-2.9/t32fs-client";

/* None of these commands needs a kernel. */
lctl_test::Ran lctl(const std::string& line)
{
    FakeTree tree;
    lctl_test::FakeSystem system(tree);

    system.no_kernel = {ENOENT, "no kernel"};
    return lctl_test::run(system, line);
}

void expect_error(const std::string& line, const std::string& text, int status)
{
    const lctl_test::Ran ran = lctl(line);

    assert_text(ran.err.substr(0, ran.err.find('\n') + 1), "error: " + text + "\n");
    assert_int_equal(ran.status, status);
}

Bytes small_log()
{
    LogMaker maker;

    maker.marker(1, CM_START | CM_SKIP, "fs", "x")
        .command(LCFG_PARAM, {"d", "a=1"})
        .marker(1, CM_END | CM_SKIP, "fs", "x")
        .marker(2, CM_START, "fs", "x")
        .command(LCFG_PARAM, {"d", "a=2"})
        .command(LCFG_PARAM, {"d", "b=3"})
        .cancelled()
        .marker(2, CM_END, "fs", "x");
    return maker.bytes();
}

constexpr const char* kClientLog =
    "- { index: 2, event: attach, device: t32fs-clilov, type: lov, UUID: t32fs-clilov_UUID }\n"
    "- { index: 3, event: setup, device: t32fs-clilov, UUID:  }\n"
    "- { index: 6, event: attach, device: t32fs-clilmv, type: lmv, UUID: t32fs-clilmv_UUID }\n"
    "- { index: 7, event: setup, device: t32fs-clilmv, UUID:  }\n"
    "- { index: 10, event: add_uuid, nid: 10.2.2.59@tcp(0x200000a02023b), node: 10.2.2.59@tcp }\n"
    "- { index: 11, event: attach, device: t32fs-MDT0000-mdc, type: mdc, UUID: t32fs-clilmv_UUID "
    "}\n"
    "- { index: 12, event: setup, device: t32fs-MDT0000-mdc, UUID: t32fs-MDT0000_UUID, node: "
    "10.2.2.59@tcp }\n"
    "- { index: 13, event: add_mdc, device: t32fs-clilmv, mdt: t32fs-MDT0000_UUID, index: 0, gen: "
    "1, UUID: t32fs-MDT0000-mdc_UUID }\n"
    "- { index: 16, event: new_profile, name: t32fs-client, lov: t32fs-clilov, lmv: t32fs-clilmv "
    "}\n"
    "- { index: 22, event: conf_param, device: t32fs-clilov, parameter: lov.stripesize=1048576 }\n"
    "- { index: 25, event: conf_param, device: t32fs-clilov, parameter: lov.stripecount=0 }\n"
    "- { index: 28, event: add_uuid, nid: 10.2.2.59@tcp(0x200000a02023b), node: 10.2.2.59@tcp }\n"
    "- { index: 29, event: attach, device: t32fs-OST0000-osc, type: osc, UUID: t32fs-clilov_UUID "
    "}\n"
    "- { index: 30, event: setup, device: t32fs-OST0000-osc, UUID: t32fs-OST0000_UUID, node: "
    "10.2.2.59@tcp }\n"
    "- { index: 31, event: add_uuid, nid: 1.2.3.4@tcp(0x2000001020304), node: 1.2.3.4@tcp }\n"
    "- { index: 32, event: add_uuid, nid: 4.3.2.1@tcp(0x2000004030201), node: 1.2.3.4@tcp }\n"
    "- { index: 33, event: add_conn, device: t32fs-OST0000-osc, node: 1.2.3.4@tcp }\n"
    "- { index: 34, event: add_osc, device: t32fs-clilov, ost: t32fs-OST0000_UUID, index: 0, gen: "
    "1 }\n"
    "- { index: 37, event: set_timeout, parameter: sys.timeout=20 }\n"
    "- { index: 40, event: conf_param, parameter: sys.jobid_var=procname_uid }\n";

void print_has_the_text_of_real_lustre(void**)
{
    const lctl_test::Ran ran = lctl("llog_print " + golden_path(kLog));

    assert_text(ran.out, kClientLog);
    assert_text(ran.err, "");
    assert_int_equal(ran.status, 0);
}

void print_raw_has_markers_skipped_and_cancelled_records(void**)
{
    const Directory directory;
    const std::string path = directory.put("log", small_log());
    const std::string marker =
        "version: 2.15.0.0, createtime: 1490901649, canceltime: 0, target: "
        "fs, comment: x }\n";

    assert_text(lctl("llog_print " + path).out,
                "- { index: 5, event: conf_param, device: d, parameter: a=2 }\n");
    for (const char* const option : {" -r ", " --raw "})
        assert_text(lctl("llog_print" + std::string(option) + path).out,
                    "- { index: 1, event: marker, flags: 0x05, " + marker +
                        "- { index: 2, event: conf_param, device: d, parameter: a=1 }\n"
                        "- { index: 3, event: marker, flags: 0x06, " +
                        marker + "- { index: 4, event: marker, flags: 0x01, " + marker +
                        "- { index: 5, event: conf_param, device: d, parameter: a=2 }\n"
                        "- { index: 6, event: conf_param, device: d, parameter: b=3, cancelled: "
                        "true }\n"
                        "- { index: 7, event: marker, flags: 0x02, " +
                        marker);
}

void print_takes_a_range(void**)
{
    const std::string path = golden_path(kLog);
    const std::string all = kClientLog;
    const std::size_t from = all.find("- { index: 10,");
    const std::size_t to = all.find("- { index: 13,");

    assert_text(lctl("llog_print --start 8 --end=12 " + path).out, all.substr(from, to - from));
    assert_text(lctl("llog_print --start=0xa --end 0xc " + path).out, all.substr(from, to - from));
    assert_text(lctl("llog_print --start 100 " + path).out, "");
    expect_error("llog_print --start 3 --end 2 " + path,
                 "llog_print: --start is greater than --end", EINVAL);
    expect_error("llog_print --end x " + path,
                 "llog_print: --end: 'x' is not the index of a record: a number is", EINVAL);
    expect_error("llog_print --start 99999999999 " + path,
                 "llog_print: --start: '99999999999' is more than any index of a record", ERANGE);
}

void print_json_is_an_array(void**)
{
    const Directory directory;
    const std::string path = directory.put("log", small_log());

    assert_text(lctl("llog_print --json --raw --start 2 --end 2 " + path).out,
                "[\n{\"log\": \"" + path +
                    "\", \"index\": 2, \"offset\": 8416, \"length\": 80, \"record_type\": "
                    "274857984, \"skipped\": true, \"event\": \"conf_param\", \"device\": \"d\", "
                    "\"parameter\": \"a=1\", \"buffers\": [\"d\", \"a=1\"]}\n]\n");
    assert_text(lctl("llog_print --json --start 9 " + path).out, "[]\n");
}

void damage_is_told_and_the_rest_printed(void**)
{
    const Directory directory;
    Bytes bytes = small_log();

    set_word(bytes, offset_of(bytes, 2), 12345);
    const std::string path = directory.put("log", bytes);
    const lctl_test::Ran ran = lctl("llog_print " + path);

    assert_text(ran.out, "- { index: 5, event: conf_param, device: d, parameter: a=2 }\n");
    assert_true(ran.err.starts_with("error: llog_print: " + path + ": offset 8416, record 2: "));
    assert_int_equal(ran.status, EBADMSG);
    assert_true(lctl("llog_print --json " + path).out.find("\"fault\": {\"offset\": 8416") !=
                std::string::npos);
}

void a_directory_stands_for_its_logs(void**)
{
    const Directory directory;

    directory.put("fs-client", small_log());
    directory.put("fs-OST0000", small_log());
    directory.put("mountdata", Bytes(10000));
    directory.put("empty", {});
    assert_int_equal(::mkdir(directory.file("sub").c_str(), 0700), 0);
    assert_text(lctl("llog_catlist " + directory.path()).out,
                "config_log: fs-OST0000\nconfig_log: fs-client\n");
    assert_text(lctl("llog_catlist --json " + directory.path()).out,
                "[\n{\"config_log\": \"fs-OST0000\", \"path\": \"" + directory.file("fs-OST0000") +
                    "\"},\n{\"config_log\": \"fs-client\", \"path\": \"" +
                    directory.file("fs-client") + "\"}\n]\n");
    assert_text(lctl("llog_print " + directory.path()).out,
                "config_log: fs-OST0000\n"
                "- { index: 5, event: conf_param, device: d, parameter: a=2 }\n"
                "config_log: fs-client\n"
                "- { index: 5, event: conf_param, device: d, parameter: a=2 }\n");
    assert_text(lctl("llog_check " + directory.path()).out,
                directory.file("fs-OST0000") + ": 7 records, 0 findings\n" +
                    directory.file("fs-client") + ": 7 records, 0 findings\n");
    assert_text(lctl("llog_catlist --json " + directory.file("sub")).out, "[]\n");
}

void info_has_the_text_of_real_lustre(void**)
{
    const std::string path = golden_path(kLog);
    struct stat about {};
    char id[64];

    assert_int_equal(::stat(path.c_str(), &about), 0);
    (void)snprintf(id, sizeof(id), "[0x%lx:0x%lx:0x0]", static_cast<unsigned long>(about.st_ino),
                   static_cast<unsigned long>(about.st_dev));
    assert_text(lctl("llog_info " + path).out, std::string("logid:            ") + id +
                                                   "\nflags:            4 (plain)\n"
                                                   "records_count:    42\n"
                                                   "last_index:       41\n");
    assert_text(lctl("llog_info --json " + path).out,
                "[\n{\"log\": \"" + path + "\", \"logid\": \"" + id +
                    "\", \"header\": {\"chunk_size\": 8192, \"size\": 80, \"timestamp\": "
                    "1490901649, \"records_count\": 42, \"last_index\": 41, \"cat_idx\": 0, "
                    "\"flags\": 4, \"uuid\": \"config_uuid\", \"swapped\": false}}\n]\n");
    assert_true(lctl("llog_info " + path + " " + path)
                    .out.starts_with("config_log: t32fs-client\n"
                                     "logid: "));
}

void a_name_alone_is_for_a_service_that_cannot_be_asked(void**)
{
    for (const char* const command : {"llog_print", "llog_info", "llog_check"})
        expect_error(std::string(command) + " fs-client",
                     std::string(command) +
                         ": fs-client: not a file, and the management service cannot be asked "
                         "for a log of that name: no kernel",
                     ENOENT);
    expect_error("llog_catlist", "llog_catlist: no kernel", ENOENT);
    expect_error("llog_catlist fs-client", "llog_catlist: fs-client: No such file or directory",
                 ENOENT);
    expect_error("replay_config fs-client", "replay_config: no kernel", ENOENT);
    expect_error("llog_print /nosuch/log", "llog_print: /nosuch/log: No such file or directory",
                 ENOENT);
}

void a_file_that_is_no_log_is_told(void**)
{
    const Directory directory;
    const std::string path = directory.put("x", Bytes(9000));
    const std::string why = path + ": not a log: it does not start with a header";

    for (const char* const command : {"llog_print", "llog_info", "llog_check"})
        expect_error(std::string(command) + " " + path, std::string(command) + ": " + why, EINVAL);
    expect_error("llog_cancel " + path + " 1", "llog_cancel: " + why, EINVAL);
}

void check_prints_what_is_wrong(void**)
{
    const Directory directory;
    Bytes bytes = small_log();

    set_word(bytes, offsetof(llog_log_hdr, llh_count), 3);
    const std::string path = directory.put("log", bytes);
    const lctl_test::Ran ran = lctl("llog_check " + path);

    assert_true(ran.out.starts_with(path + ": offset 24: "));
    assert_true(ran.out.ends_with(path + ": 7 records, 1 findings\n"));
    assert_int_equal(ran.status, EBADMSG);

    const lctl_test::Ran json = lctl("llog_check --json " + path);

    assert_true(json.out.starts_with("[\n{\"log\": \"" + path +
                                     "\", \"records\": 7, \"clean\": false, \"findings\": "
                                     "[{\"offset\": 24, \"index\": 0, \"what\": \""));
    assert_int_equal(json.status, EBADMSG);
    assert_text(lctl("llog_check --json " + golden_path(kLog)).out,
                "[\n{\"log\": \"" + golden_path(kLog) +
                    "\", \"records\": 41, \"clean\": true, \"findings\": []}\n]\n");
    assert_int_equal(lctl("llog_check " + golden_path(kLog)).status, 0);
}

void cancel_changes_the_file_once(void**)
{
    const Directory directory;
    const std::string path = directory.put("log", golden(kLog));

    assert_text(lctl("llog_cancel " + path + " --log_idx=34").out,
                path + ": record 34 is cancelled\n");
    expect_error("llog_cancel " + path + " --log_idx=34",
                 "llog_cancel: " + path + ": record 34 is already cancelled", EALREADY);
    assert_text(lctl("llog_cancel --json " + path + " 33").out,
                "[\n{\"log\": \"" + path +
                    "\", \"index\": 33, \"cancelled\": true, \"records_count\": 40}\n]\n");
    assert_int_equal(lctl("llog_check " + path).status, 0);
    assert_true(lctl("llog_print " + path).out.find("index: 34,") == std::string::npos);
    expect_error("llog_cancel " + path + " 42",
                 "llog_cancel: " + path + ": no record 42; the last index is 41", ENOENT);
}

void cancel_wants_one_file_and_one_index(void**)
{
    const std::string path = golden_path(kLog);

    expect_error("llog_cancel", "llog_cancel: missing operand LOG|FILE", EINVAL);
    expect_error("llog_cancel " + path + " 1 2", "llog_cancel: unexpected operand '2'", EINVAL);
    for (const std::string& words : {path, path + " 1 --log_idx=1"})
        expect_error("llog_cancel " + words, "llog_cancel: needs the index of one record", EINVAL);
    expect_error("llog_cancel " + path + " 1x",
                 "llog_cancel: '1x' is not the index of a record: a number is", EINVAL);
    expect_error("llog_cancel /tmp 1", "llog_cancel: /tmp: Is a directory", EISDIR);
}

void a_log_is_cancelled_by_one_at_a_time(void**)
{
    const Directory directory;
    const std::string path = directory.put("log", golden(kLog));
    const ll::Fd other(::open(path.c_str(), O_RDONLY | O_CLOEXEC));

    assert_int_equal(::flock(other.get(), LOCK_EX), 0);
    expect_error("llog_cancel " + path + " 34",
                 "llog_cancel: " + path + ": in use by another program; try again", EBUSY);
    assert_true(read_bytes(path) == golden(kLog));
}

void operands_are_wanted(void**)
{
    for (const char* const command : {"llog_print", "llog_info", "llog_check"})
        expect_error(command, std::string(command) + ": missing operand LOG|FILE|DIRECTORY",
                     EINVAL);
    expect_error("llog_catlist a b", "llog_catlist: unexpected operand 'b'", EINVAL);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(print_has_the_text_of_real_lustre),
        cmocka_unit_test(print_raw_has_markers_skipped_and_cancelled_records),
        cmocka_unit_test(print_takes_a_range),
        cmocka_unit_test(print_json_is_an_array),
        cmocka_unit_test(damage_is_told_and_the_rest_printed),
        cmocka_unit_test(a_directory_stands_for_its_logs),
        cmocka_unit_test(info_has_the_text_of_real_lustre),
        cmocka_unit_test(a_name_alone_is_for_a_service_that_cannot_be_asked),
        cmocka_unit_test(a_file_that_is_no_log_is_told),
        cmocka_unit_test(check_prints_what_is_wrong),
        cmocka_unit_test(cancel_changes_the_file_once),
        cmocka_unit_test(cancel_wants_one_file_and_one_index),
        cmocka_unit_test(a_log_is_cancelled_by_one_at_a_time),
        cmocka_unit_test(operands_are_wanted),
    };

    return cmocka_run_group_tests_name("logs_lctl", tests, nullptr, nullptr);
}
