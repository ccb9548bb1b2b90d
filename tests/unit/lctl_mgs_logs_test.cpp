// SPDX-License-Identifier: GPL-2.0-only
/* lctl's commands for logs, over those of the management service. */
#include <cerrno>

#include <unistd.h>

#include "fake_mgs.hpp"
#include "lctl/shell/completion.hpp"
#include "lctl_fixture.hpp"
#include "logs_fixture.hpp"

using namespace lctl_test;
using logs_test::Bytes;
using logs_test::LogMaker;

namespace {

constexpr const char* kLog = "lustre-2.9/t32fs-client";

/* A setting that was taken back, one that is in force, one that is cancelled. */
Bytes params_log()
{
    LogMaker maker;

    maker.marker(1, CM_START | CM_SKIP, "general", "osc.*.x")
        .command(LCFG_SET_PARAM, {"general", "osc.*.x=1", "lctl"})
        .marker(1, CM_END | CM_SKIP, "general", "osc.*.x")
        .marker(2, CM_START, "general", "osc.*.y")
        .command(LCFG_SET_PARAM, {"general", "osc.*.y=2", "lctl"})
        .marker(2, CM_END, "general", "osc.*.y");
    return maker.bytes();
}

void a_log_is_the_same_from_the_service_and_from_its_file(void** /*state*/)
{
    FakeMgs mgs;
    const std::string path = logs_test::golden_path(kLog);

    mgs.logs["t32fs-client"] = {.bytes = logs_test::golden(kLog), .generation = 1};
    for (const char* command : {"llog_print ", "llog_print -r ", "llog_print --start 8 --end 12 "})
        assert_text(run(mgs, std::string(command) + "t32fs-client").out,
                    run(mgs, command + path).out);
    // In parts, too.
    mgs.most_read = 1000;
    assert_text(run(mgs, "llog_print t32fs-client").out, run(mgs, "llog_print " + path).out);
    assert_text(run(mgs, "llog_check t32fs-client").out, "t32fs-client: 41 records, 0 findings\n");
    // Only logs in files have an id.
    assert_text(run(mgs, "llog_info t32fs-client").out,
                "flags:            4 (plain)\nrecords_count:    42\nlast_index:       41\n");
    assert_true(run(mgs, "llog_info --json t32fs-client")
                    .out.starts_with("[\n{\"log\": \"t32fs-client\", \"header\": {"));
}

void deleted_settings_are_hidden_unless_raw(void** /*state*/)
{
    FakeMgs mgs;

    mgs.logs["params"] = {.bytes = params_log(), .generation = 1};
    assert_text(run(mgs, "llog_print params").out,
                "- { index: 5, event: set_param, device: general, parameter: osc.*.y, value: 2 "
                "}\n");

    const std::string raw = run(mgs, "llog_print --raw params").out;

    assert_true(raw.find("parameter: osc.*.x, value: 1") != std::string::npos);
    assert_true(raw.find("event: marker, flags: 0x05") != std::string::npos);
}

void several_logs_have_their_names(void** /*state*/)
{
    FakeMgs mgs;

    mgs.logs["params"] = {.bytes = params_log(), .generation = 1};
    mgs.logs["other"] = {.bytes = params_log(), .generation = 1};
    assert_true(
        run(mgs, "llog_print params other").out.starts_with("config_log: params\n- { index: 5,"));
    assert_true(run(mgs, "llog_print params other").out.find("config_log: other\n") !=
                std::string::npos);
}

void a_changed_log_is_read_again(void** /*state*/)
{
    FakeMgs mgs;
    int reads = 0;

    mgs.logs["params"] = {.bytes = params_log(), .generation = 1};
    mgs.most_read = 5000;
    mgs.at_read = [&] {
        if (++reads == 2)
            mgs.logs["params"].generation++;
    };
    assert_true(run(mgs, "llog_print params").out.starts_with("- { index: 5,"));
    assert_in_range(reads, 4, 5);

    mgs.at_read = [&] { mgs.logs["params"].generation++; };

    const Ran ran = run(mgs, "llog_print params");

    assert_text(ran.err, "error: llog_print: log params keeps changing; try again\n");
    assert_int_equal(ran.status, EAGAIN);
}

void a_log_that_ends_early_is_told(void** /*state*/)
{
    FakeMgs mgs;

    mgs.logs["params"] = {.bytes = params_log(), .generation = 1};
    mgs.most_read = 0;

    const Ran ran = run(mgs, "llog_print params");

    assert_true(
        ran.err.starts_with("error: llog_print: the management service returned 0 of the "));
    assert_int_equal(ran.status, EIO);
}

void catlist_lists_the_logs_of_the_service(void** /*state*/)
{
    FakeMgs mgs;
    std::string all;

    assert_text(run(mgs, "llog_catlist").out, "");
    assert_text(run(mgs, "llog_catlist --json").out, "[]\n");
    mgs.logs["fs-client"] = {.bytes = Bytes(10000), .generation = 5};
    assert_text(run(mgs, "llog_catlist").out, "config_log: fs-client\n");
    assert_text(run(mgs, "llog_catlist --json").out,
                "[\n{\"config_log\": \"fs-client\", \"born\": 1, \"generation\": 5, \"size\": "
                "10000, \"records\": 7, \"last_index\": 9}\n]\n");
    mgs.logs.clear();
    for (int n = 1000; n < 1500; n++) {
        mgs.logs.try_emplace("log" + std::to_string(n));
        all += "config_log: log" + std::to_string(n) + "\n";
    }
    assert_text(run(mgs, "llog_catlist").out, all);
}

void cancel_is_done_by_the_service(void** /*state*/)
{
    FakeMgs mgs;

    mgs.logs["params"] = {.bytes = params_log(), .generation = 1};

    const Bytes before = mgs.logs["params"].bytes;

    assert_text(run(mgs, "llog_cancel params --log_idx=5").out, "params: record 5 is cancelled\n");
    assert_text(mgs.take(), "cancel 'params' #5\n");
    assert_true(mgs.logs["params"].bytes == before);
    assert_text(run(mgs, "llog_cancel --json params 5").out,
                "[\n{\"log\": \"params\", \"index\": 5, \"cancelled\": true, "
                "\"records_count\": 7}\n]\n");
    assert_text(mgs.take(), "cancel 'params' #5\n");
    mgs.refusals["params"] = {EALREADY, "params: record 5 is cancelled already"};

    const Ran ran = run(mgs, "llog_cancel params 5");

    assert_text(ran.err, "error: llog_cancel: params: record 5 is cancelled already\n");
    assert_int_equal(ran.status, EALREADY);
}

void a_log_that_is_not_there_is_told(void** /*state*/)
{
    FakeMgs mgs;

    for (const char* command : {"llog_print", "llog_info", "llog_check"}) {
        const Ran ran = run(mgs, std::string(command) + " fs-client");

        assert_text(ran.err, std::string("error: ") + command +
                                 ": the management service has no log 'fs-client'\n");
        assert_int_equal(ran.status, ENOENT);
    }
    assert_int_equal(run(mgs, "llog_cancel fs-client 3").status, ENOENT);
    assert_text(mgs.take(), "");
    assert_int_equal(run(mgs, "llog_print " + std::string(64, 'x')).status, EINVAL);
}

void where_no_service_runs_a_path_is_wanted(void** /*state*/)
{
    FakeMgs mgs;

    mgs.runs = false;

    Ran ran = run(mgs, "llog_print fs-client");

    assert_text(ran.err,
                "error: llog_print: fs-client: No such file or directory; no management "
                "service on this node could have a log of that name\n");
    assert_int_equal(ran.status, ENOENT);
    ran = run(mgs, "llog_catlist");
    assert_text(ran.err,
                "error: llog_catlist: no management service runs on this node; use a DIRECTORY of "
                "logs\n");
    assert_int_equal(ran.status, ENODEV);
}

std::string completed(FakeMgs& mgs, std::vector<std::string> before, std::string_view word)
{
    FakeSystem system(mgs);
    lctl::Writer out(-1);
    lctl::Context context(system, out, out);
    lctl::shell::Completion completion(context, lctl::shell::Completion::Where::Prompt);
    std::string all;

    for (const auto& candidate : completion.complete(before, word))
        all += candidate.text + " ";
    return all;
}

void names_are_completed_from_the_logs(void** /*state*/)
{
    FakeMgs mgs;

    for (const char* log :
         {"params", "zfs-client", "zfs-MDT0000", "zfs-OST000a", "zfs-OST0001.bak", "other-client"})
        mgs.logs.try_emplace(log);
    assert_text(completed(mgs, {"llog_print"}, "zfs-"),
                "zfs-MDT0000 zfs-OST0001.bak zfs-OST000a zfs-client ");
    assert_text(completed(mgs, {"erase_lcfg"}, ""), "other zfs ");
    assert_text(completed(mgs, {"replace_nids"}, "z"), "zfs zfs-MDT0000 zfs-OST000a ");
    assert_text(completed(mgs, {"del_ost"}, "--target=zfs-O"), "--target=zfs-OST000a ");
    mgs.runs = false;
    assert_text(completed(mgs, {"erase_lcfg"}, ""), "");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_log_is_the_same_from_the_service_and_from_its_file),
        cmocka_unit_test(deleted_settings_are_hidden_unless_raw),
        cmocka_unit_test(several_logs_have_their_names),
        cmocka_unit_test(a_changed_log_is_read_again),
        cmocka_unit_test(a_log_that_ends_early_is_told),
        cmocka_unit_test(catlist_lists_the_logs_of_the_service),
        cmocka_unit_test(cancel_is_done_by_the_service),
        cmocka_unit_test(a_log_that_is_not_there_is_told),
        cmocka_unit_test(where_no_service_runs_a_path_is_wanted),
        cmocka_unit_test(names_are_completed_from_the_logs),
    };

    // No file there has the name of a log.
    if (::chdir("/proc/self") != 0)
        return 1;
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
