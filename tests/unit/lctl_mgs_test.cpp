// SPDX-License-Identifier: GPL-2.0-only
/* lctl's commands of the management service: calls, output, and status. */
#include <array>
#include <cerrno>
#include <cstdlib>

#include <unistd.h>

#include "fake_mgs.hpp"
#include "lctl_fixture.hpp"

using namespace lctl_test;

namespace {

/* A command line, its calls, output and status. */
struct Sent {
    const char* line;
    const char* sent;
    const char* out;
};

void check_sent(std::span<const Sent> cases)
{
    for (const Sent& one : cases) {
        FakeMgs mgs;
        const Ran ran = run(mgs, one.line);
        const std::string sent = mgs.take();

        if (sent != one.sent || ran.out != one.out)
            print_error("lctl %s\n", one.line);
        assert_text(sent, one.sent);
        assert_text(ran.out, one.out);
        assert_text(ran.err, "");
        assert_int_equal(ran.status, 0);
    }
}

void set_param_permanent_sends_pattern_and_value(void** /*state*/)
{
    const Sent cases[] = {
        {"set_param -P osc.*.max_dirty_mb=64", "set_param 'osc.*.max_dirty_mb' '64'\n",
         "osc.*.max_dirty_mb=64\n"},
        {"set_param -P a.b=x=y c.d 5", "set_param 'a.b' 'x=y'\nset_param 'c.d' '5'\n",
         "a.b=x=y\nc.d=5\n"},
        {"set_param --perm -n a.b=1", "set_param 'a.b' '1'\n", ""},
        {"set_param -P --force a.b=1", "set_param 'a.b' '1' force\n", "a.b=1\n"},
        {"set_param -P --dry-run a.b=1", "set_param 'a.b' '1' dry\n",
         "a.b=1: would change 2 records in 1 logs\n"},
        {"set_param -Pd a.b c.d=5", "del_param 'a.b'\ndel_param 'c.d'\n", "a.b\nc.d\n"},
        {"set_param -P -d -n a.b", "del_param 'a.b'\n", ""},
        {"set_param -P 'osc.fs-{OST0000,OST000[^0-4]}-*.{x,y}=1'",
         "set_param 'osc.fs-OST0000-*.x' '1'\nset_param 'osc.fs-OST0000-*.y' '1'\n"
         "set_param 'osc.fs-OST000[^0-4]-*.x' '1'\nset_param 'osc.fs-OST000[^0-4]-*.y' '1'\n",
         "osc.fs-OST0000-*.x=1\nosc.fs-OST0000-*.y=1\nosc.fs-OST000[^0-4]-*.x=1\n"
         "osc.fs-OST000[^0-4]-*.y=1\n"},
        {"set_param -P -d 'a.{b,c}'", "del_param 'a.b'\ndel_param 'a.c'\n", "a.b\na.c\n"},
        {"set_param -P 'mgc.MGC10.0.0.1@tcp-*.{x,y}=1'",
         "set_param 'mgc.MGC10.0.0.1@tcp-*.x' '1'\nset_param 'mgc.MGC10.0.0.1@tcp-*.y' '1'\n",
         "mgc.MGC10.0.0.1@tcp-*.x=1\nmgc.MGC10.0.0.1@tcp-*.y=1\n"},
        {"set_param -P 'ost.exports.10.0.*@tcp=1'", "set_param 'ost.exports.10.0.*@tcp' '1'\n",
         "ost.exports.10.0.*@tcp=1\n"},
        {"set_param -P 'a.{,b}.c=1'", "set_param 'a.b.c' '1'\n", "a.b.c=1\n"},
        {"set_param -P 'a.{b}=1'", "set_param 'a.b' '1'\n", "a.b=1\n"},
        {"set_param -P a.b./=1", "set_param 'a.b' '1'\n", "a.b=1\n"},
        {"set_param -P osc/fs-OST0000/x=1", "set_param 'osc/fs-OST0000/x' '1'\n",
         "osc/fs-OST0000/x=1\n"},
        {"set_param -P 'a.\"b.c\".d=1'", "set_param 'a.b\\.c.d' '1'\n", "a.b\\.c.d=1\n"},
    };

    check_sent(cases);
}

/* Output of llog_print; the service, its calls, and the output. */
Ran set_from(FakeMgs& mgs, const std::string& text, const std::string& options = "")
{
    std::string path = "/tmp/lctl-mgs-XXXXXX";
    const int fd = mkstemp(path.data());

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.data(), text.size()), text.size());
    close(fd);

    Ran ran = run(mgs, "set_param -F " + options + " " + path);
    const std::size_t at = ran.err.find(path);

    if (at != std::string::npos)
        ran.err.replace(at, path.size(), "FILE");
    unlink(path.c_str());
    return ran;
}

constexpr const char* kPrinted =
    "- { index: 2, event: set_param, device: general, parameter: osc.*.max_dirty_mb, value: 64 }\n"
    "- { index: 5, event: set_param, device: fs, parameter: jobid_name, value: \"%e, %u\" }\n"
    "- { index: 9, event: conf_param, device: fs-OST0000, parameter: ost.x=1=2 }\n";

void what_llog_print_printed_is_permanent(void** /*state*/)
{
    FakeMgs mgs;
    const Ran ran = set_from(mgs, kPrinted);

    assert_text(mgs.take(),
                "set_param 'osc.*.max_dirty_mb' '64'\nset_param 'jobid_name' '%e, %u'\n"
                "conf_param 'fs-OST0000.ost.x' '1=2'\n");
    assert_text(ran.out, "osc.*.max_dirty_mb=64\njobid_name=%e, %u\nfs-OST0000.ost.x=1=2\n");
    assert_text(ran.err, "");
    assert_text(set_from(mgs, kPrinted, "--dry-run -n").out, "");
    assert_true(mgs.take().find("'64' dry\n") != std::string::npos);
}

void a_file_with_a_fault_changes_nothing(void** /*state*/)
{
    const struct {
        const char* text;
        const char* err;
    } cases[] = {
        {"- { index: 4, event: attach, device: d, type: lov, UUID: u }\n",
         "error: set_param: FILE:4: event 'attach': only set_param and conf_param are settings\n"},
        {"- { index: 4, event: marker, flags: 0x01 }\n",
         "error: set_param: FILE:4: a marker; print the log without --raw\n"},
        {"- { event: set_param, parameter: a.b }\n",
         "error: set_param: FILE:4: a setting needs a parameter and a value\n"},
        {"- a\n", "error: set_param: FILE:4: a record must be a map: { event: set_param, ... }\n"},
    };

    for (const auto& one : cases) {
        FakeMgs mgs;
        const Ran ran = set_from(mgs, std::string(kPrinted) + one.text);

        assert_text(ran.err, one.err);
        assert_int_equal(ran.status, EINVAL);
        assert_text(mgs.take(), "");
    }
}

void loss_of_settings_is_confirmed(void** /*state*/)
{
    static constexpr std::array<const char*, 3> cases[] = {
        {"erase_lcfg", "fs",
         "Delete all logs and settings of file system 'fs'? This cannot be undone."},
        {"writeconf", "fs", "Regenerate the logs of 'fs'? Settings of conf_param are lost."},
        {"replace_target", "fs-OST0000", "Replace the directory of fs-OST0000 permanently?"},
    };

    for (const auto& [command, operand, question] : cases) {
        const std::string line = std::string(command) + " " + operand;
        const std::string sent = std::string(command) + " '" + operand + "'\n";
        FakeMgs mgs;
        FakeSystem system(mgs);
        Ran ran = run(system, line);

        assert_true(ran.err.starts_with("error: " + std::string(command) +
                                        ": requires confirmation; "
                                        "use --yes without a terminal\n"));
        assert_int_equal(ran.status, EINVAL);
        assert_text(mgs.take(), "");
        system.answer = false;
        ran = run(system, line);
        assert_text(system.asked, question);
        assert_int_equal(ran.status, ECANCELED);
        assert_text(mgs.take(), "");
        system.answer = true;
        assert_int_equal(run(system, line).status, 0);
        assert_text(mgs.take(), sent);
        system.answer.reset();
        assert_int_equal(run(system, line + " --yes").status, 0);
        assert_text(mgs.take(), sent);
    }
}

/* Scripts for real Lustre call it without a terminal. */
void del_ost_is_confirmed_on_a_terminal(void** /*state*/)
{
    const std::string line = "del_ost --target fs-OST0001";
    FakeMgs mgs;
    FakeSystem system(mgs);

    assert_int_equal(run(system, line).status, 0);
    assert_true(!mgs.take().empty());
    system.answer = false;
    assert_int_equal(run(system, line).status, ECANCELED);
    assert_text(system.asked, "Remove fs-OST0001 from all logs?");
    assert_text(mgs.take(), "");
    system.asked.clear();
    assert_int_equal(run(system, line + " --yes").status, 0);
    assert_text(system.asked, "");
    assert_true(!mgs.take().empty());
}

/* It changes the records, not their meaning, and keeps the previous log. */
void clear_conf_does_not_ask(void** /*state*/)
{
    FakeMgs mgs;
    FakeSystem system(mgs);

    system.answer = false;
    assert_int_equal(run(system, "clear_conf fs").status, 0);
    assert_text(system.asked, "");
    assert_text(mgs.take(), "clear_conf 'fs'\n");
}

void what_cannot_be_stored_is_refused(void** /*state*/)
{
    FakeMgs mgs;
    const Ran ran = run(mgs, "set_param -P 'a.**.b=1'");

    assert_text(ran.err,
                "error: set_param: name 'a.**.b': '**' cannot be stored; use a '*' for "
                "each component\n");
    assert_int_equal(ran.status, EINVAL);
    assert_text(mgs.take(), "");
    assert_int_equal(run(mgs, "set_param -P 'a..b=1'").status, EINVAL);
    assert_int_equal(run(mgs, "set_param -P 'a.{,}=1'").status, EINVAL);
    assert_text(mgs.take(), "");
}

void commands_send_their_operands(void** /*state*/)
{
    const Sent cases[] = {
        {"conf_param fs-OST0000.ost.x=1 fs.sys.timeout=20",
         "conf_param 'fs-OST0000.ost.x' '1'\nconf_param 'fs.sys.timeout' '20'\n",
         "fs-OST0000.ost.x=1\nfs.sys.timeout=20\n"},
        {"conf_param -d fs.sys.timeout fs.a.b=1",
         "del_conf_param 'fs.sys.timeout'\ndel_conf_param 'fs.a.b'\n", "fs.sys.timeout\nfs.a.b\n"},
        {"conf_param --force -n fs.a.b=1", "conf_param 'fs.a.b' '1' dry force\n",
         "fs.a.b=1: would change 2 records in 1 logs\n"},
        {"replace_nids fs-OST0000 10.0.0.1@tcp,10.0.0.2@tcp:10.0.0.3@tcp",
         "replace_nids 'fs-OST0000' '10.0.0.1@tcp,10.0.0.2@tcp:10.0.0.3@tcp'\n",
         "replace_nids fs-OST0000 10.0.0.1@tcp,10.0.0.2@tcp:10.0.0.3@tcp\n"},
        {"clear_conf fs", "clear_conf 'fs'\n", "clear_conf fs\n"},
        {"lcfg_clear fs-client", "clear_conf 'fs-client'\n", "clear_conf fs-client\n"},
        {"fork_lcfg fs other", "fork_lcfg 'fs' 'other'\n", "fork_lcfg fs other\n"},
        {"lcfg_erase -q fs", "erase_lcfg 'fs'\n", "erase_lcfg fs\n"},
        {"erase_lcfg -n fs", "erase_lcfg 'fs' dry\n",
         "erase_lcfg fs: would change 2 records in 1 logs\n"},
        {"replace_target --yes fs-OST0000", "replace_target 'fs-OST0000'\n",
         "replace_target fs-OST0000\n"},
        {"replace_target -n fs-OST0000", "replace_target 'fs-OST0000' dry\n",
         "replace_target fs-OST0000: would change 2 records in 1 logs\n"},
        {"writeconf --yes fs-MDT0000", "writeconf 'fs-MDT0000'\n", "writeconf fs-MDT0000\n"},
        {"del_ost --target fs-OST0001", "del_ost 'fs-OST0001'\n", "del_ost fs-OST0001\n"},
        {"del_ost --dryrun --target=fs-OST0001", "del_ost 'fs-OST0001' dry\n",
         "del_ost fs-OST0001: would change 2 records in 1 logs\n"},
    };

    check_sent(cases);
}

void pools_take_targets_in_all_forms(void** /*state*/)
{
    const Sent cases[] = {
        {"pool_new fs.flash", "pool_new 'fs' 'flash'\n", "pool_new fs.flash\n"},
        {"pool_destroy fs.a.b", "pool_del 'fs' 'a.b'\n", "pool_destroy fs.a.b\n"},
        {"pool_add fs.p fs-OST0001 OST0002 fs-OST0003_UUID",
         "pool_add 'fs' 'p' 'fs-OST0001'\npool_add 'fs' 'p' 'fs-OST0002'\n"
         "pool_add 'fs' 'p' 'fs-OST0003'\n",
         "pool_add fs.p fs-OST0001\npool_add fs.p fs-OST0002\npool_add fs.p fs-OST0003\n"},
        {"pool_remove fs.p 'OST[1,e-10]'",
         "pool_rem 'fs' 'p' 'fs-OST0001'\npool_rem 'fs' 'p' 'fs-OST000e'\n"
         "pool_rem 'fs' 'p' 'fs-OST000f'\npool_rem 'fs' 'p' 'fs-OST0010'\n",
         "pool_remove fs.p fs-OST0001\npool_remove fs.p fs-OST000e\n"
         "pool_remove fs.p fs-OST000f\npool_remove fs.p fs-OST0010\n"},
        {"pool_add fs.p 'fs-OST[0-4/2]_UUID'",
         "pool_add 'fs' 'p' 'fs-OST0000'\npool_add 'fs' 'p' 'fs-OST0002'\n"
         "pool_add 'fs' 'p' 'fs-OST0004'\n",
         "pool_add fs.p fs-OST0000\npool_add fs.p fs-OST0002\npool_add fs.p fs-OST0004\n"},
    };

    check_sent(cases);
}

void what_makes_no_sense_is_not_sent(void** /*state*/)
{
    FakeMgs mgs;

    for (const char* line : {"set_param -P",
                             "set_param -P a.b",
                             "set_param -P a.b=",
                             "set_param -P -d",
                             "set_param -d a.b",
                             "set_param --force a.b=1",
                             "set_param --wait a.b=1",
                             "set_param -P --atomic a.b=1",
                             "set_param -P --if-version=1 a.b=1",
                             "set_param -P -F file",
                             "set_param -P --wait=x a.b=1",
                             "set_param -P --wait=3601 a.b=1",
                             "set_param -P --json -y a.b=1",
                             "conf_param",
                             "conf_param fs.a.b",
                             "conf_param fs.a.b=",
                             "conf_param =1",
                             "conf_param -d =1",
                             "replace_nids fs-OST0000",
                             "clear_conf",
                             "clear_conf a b",
                             "fork_lcfg fs",
                             "erase_lcfg",
                             "writeconf",
                             "replace_target",
                             "replace_target fs-OST0000",
                             "replace_target --yes a b",
                             "del_ost",
                             "del_ost fs-OST0000",
                             "del_ost --target fs-OST0000 x",
                             "pool_new",
                             "pool_new fs",
                             "pool_new .p",
                             "pool_new fs.",
                             "pool_new fs.p x",
                             "pool_add fs.p",
                             "pool_add fs OST0",
                             "pool_add fs.p 'OST[]'",
                             "pool_add fs.p 'OST[1'",
                             "pool_add fs.p 'OST[3-1]'",
                             "pool_add fs.p 'OST[1-3/0]'",
                             "pool_add fs.p 'OST[1/2]'",
                             "pool_add fs.p 'OST[10000]'",
                             "pool_add fs.p 'OST[x]'",
                             "pool_add fs.p 'MDT[0-1]'",
                             "pool_add fs.p 'OST[1,,2]'"}) {
        const Ran ran = run(mgs, line);

        if (ran.status != EINVAL)
            print_error("lctl %s\n", line);
        assert_int_equal(ran.status, EINVAL);
        assert_true(ran.err.starts_with("error: "));
        assert_true(ran.out.empty() || ran.out.starts_with("[\n{\"error\": "));
    }
    assert_text(mgs.take(), "");
}

void a_refusal_is_said_and_the_others_are_made(void** /*state*/)
{
    FakeMgs mgs;

    mgs.refusals["a.b"] = {ERANGE, "10.0.0.2@tcp: osc.fs-OST0000.a: at most 10"};
    mgs.refusals["c.d"] = {ENOENT, ""};

    const Ran ran = run(mgs, "set_param -P a.b=11 c.d=1 e.f=2");

    assert_text(mgs.take(), "set_param 'a.b' '11'\nset_param 'c.d' '1'\nset_param 'e.f' '2'\n");
    assert_text(ran.out, "e.f=2\n");
    assert_text(ran.err,
                "error: set_param: 10.0.0.2@tcp: osc.fs-OST0000.a: at most 10\n"
                "error: set_param: the management service: No such file or directory\n");
    assert_int_equal(ran.status, ERANGE);
}

void where_no_service_runs_is_said(void** /*state*/)
{
    const char* words =
        "no management service runs on this node; run the command on the MGS node\n";
    FakeMgs mgs;

    mgs.runs = false;
    for (const char* line :
         {"set_param -P a.b=1", "set_param -Pd a.b", "conf_param fs.a.b=1", "erase_lcfg --yes fs",
          "pool_new fs.p", "del_ost --target fs-OST0000"}) {
        const Ran ran = run(mgs, line);

        assert_true(ran.err.ends_with(words));
        assert_int_equal(ran.status, ENODEV);
    }
    mgs.loaded = false;
    assert_int_equal(run(mgs, "clear_conf fs").status, ENODEV);
    mgs.loaded = mgs.runs = true;
    mgs.refusals[""] = {EPERM, ""};
    assert_text(run(mgs, "clear_conf fs").err,
                "error: clear_conf: the management service: requires CAP_SYS_ADMIN (run as root): "
                "Operation not permitted\n");
}

void nothing_changed_and_remarks_are_said(void** /*state*/)
{
    FakeMgs mgs;

    mgs.generation = 0;
    assert_text(run(mgs, "set_param -P a.b=1").out, "a.b=1: nothing to change\n");
    assert_text(run(mgs, "set_param -P -n a.b=1").out, "");
    mgs.generation = 7;
    mgs.remark = "fs: 5 logs erased";

    const Ran ran = run(mgs, "erase_lcfg --yes fs");

    assert_text(ran.out, "erase_lcfg fs\n");
    assert_text(ran.err, "erase_lcfg: fs: 5 logs erased\n");
    assert_int_equal(ran.status, 0);
}

void wait_is_behind_all_changes(void** /*state*/)
{
    FakeMgs mgs;

    assert_int_equal(run(mgs, "set_param -P --wait=5 a.b=1 c.d=2").status, 0);
    assert_text(mgs.take(), "set_param 'a.b' '1'\nset_param 'c.d' '2'\nwait 100 5\nwait 101 5\n");
    assert_int_equal(run(mgs, "clear_conf --wait fs").status, 0);
    assert_text(mgs.take(), "clear_conf 'fs'\nwait 102 60\n");
    assert_int_equal(run(mgs, "set_param -P --wait=0 a.b=1").status, 0);
    assert_text(mgs.take(), "set_param 'a.b' '1'\nwait 103 0\n");
    // There is no change to wait for.
    assert_int_equal(run(mgs, "set_param -P --wait --dry-run a.b=1").status, 0);
    assert_text(mgs.take(), "set_param 'a.b' '1' dry\n");
    mgs.generation = 0;
    assert_int_equal(run(mgs, "set_param -P --wait a.b=1").status, 0);
    assert_text(mgs.take(), "set_param 'a.b' '1'\n");
    mgs.refusals["a.b"] = {EINVAL, "no"};
    assert_int_equal(run(mgs, "set_param -P --wait a.b=1").status, EINVAL);
    assert_text(mgs.take(), "set_param 'a.b' '1'\n");
}

void wait_says_who_is_behind_or_failed(void** /*state*/)
{
    FakeMgs mgs;

    mgs.wait_rc = -ETIMEDOUT;
    mgs.behind = 2;
    mgs.wait_why = "10.0.0.2@tcp, params: has generation 99";

    Ran ran = run(mgs, "set_param -P --wait=1 a.b=1");

    assert_text(ran.out, "a.b=1\n");
    assert_text(ran.err,
                "error: set_param: stored, but 2 of 3 nodes have not applied it yet: "
                "10.0.0.2@tcp, params: has generation 99\n");
    assert_int_equal(ran.status, ETIMEDOUT);

    mgs.wait_rc = 0;
    mgs.behind = 0;
    mgs.failed = 1;
    mgs.wait_why = "10.0.0.3@tcp, params: 1 records failed: osc.x.a: at most 10";
    ran = run(mgs, "set_param -P --wait a.b=1");
    assert_text(ran.err,
                "error: set_param: stored, but 1 of 3 nodes could not apply all of it: "
                "10.0.0.3@tcp, params: 1 records failed: osc.x.a: at most 10\n");
    assert_int_equal(ran.status, EREMOTEIO);

    mgs.wait_rc = -EINTR;
    mgs.wait_why = "";
    ran = run(mgs, "set_param -P --wait a.b=1");
    assert_text(ran.err, "error: set_param: the management service: Interrupted system call\n");
    assert_int_equal(ran.status, EINTR);
}

void changes_are_json_and_yaml(void** /*state*/)
{
    FakeMgs mgs;

    mgs.refusals["c.d"] = {ENOENT, "nobody has it"};

    const Ran ran = run(mgs, "set_param -P --json --wait a.b=1 c.d=2");

    assert_text(
        ran.out,
        "[\n{\"change\": \"a.b=1\", \"generation\": 100, \"records\": 2, \"logs\": 1, "
        "\"nodes\": 3, \"behind\": 0, \"failed\": 0},\n"
        "{\"change\": \"c.d=2\", \"error\": {\"errno\": 2, \"message\": \"nobody has it\"}}\n]\n");
    assert_text(ran.err, "error: set_param: nobody has it\n");
    assert_int_equal(ran.status, ENOENT);
    mgs.remark = "so";
    assert_text(run(mgs, "pool_new -n -y fs.p").out,
                "changes:\n- change: pool_new fs.p\n  generation: 0\n  records: 2\n  logs: 1\n"
                "  dry_run: true\n  remark: so\n");
}

void a_change_that_is_too_long_is_not_sent(void** /*state*/)
{
    FakeMgs mgs;
    const Ran ran = run(mgs, "set_param -P a.b=" + std::string(MGS_CHANGE_ARGS_MAX, 'x'));

    assert_text(ran.err, "error: set_param: the change has more than 8192 bytes of text\n");
    assert_int_equal(ran.status, E2BIG);
    assert_text(mgs.take(), "");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(set_param_permanent_sends_pattern_and_value),
        cmocka_unit_test(loss_of_settings_is_confirmed),
        cmocka_unit_test(del_ost_is_confirmed_on_a_terminal),
        cmocka_unit_test(clear_conf_does_not_ask),
        cmocka_unit_test(what_cannot_be_stored_is_refused),
        cmocka_unit_test(what_llog_print_printed_is_permanent),
        cmocka_unit_test(a_file_with_a_fault_changes_nothing),
        cmocka_unit_test(commands_send_their_operands),
        cmocka_unit_test(pools_take_targets_in_all_forms),
        cmocka_unit_test(what_makes_no_sense_is_not_sent),
        cmocka_unit_test(a_refusal_is_said_and_the_others_are_made),
        cmocka_unit_test(where_no_service_runs_is_said),
        cmocka_unit_test(nothing_changed_and_remarks_are_said),
        cmocka_unit_test(wait_is_behind_all_changes),
        cmocka_unit_test(wait_says_who_is_behind_or_failed),
        cmocka_unit_test(changes_are_json_and_yaml),
        cmocka_unit_test(a_change_that_is_too_long_is_not_sent),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
