// SPDX-License-Identifier: GPL-2.0-only
/* set_param: values, refusals and their texts. */
#include <algorithm>
#include <cerrno>
#include <string>

#include "lctl_fixture.hpp"

using namespace lctl_test;

namespace {

std::string value_of(FakeTree& tree, const std::string& name)
{
    return run(tree, "get_param -n " + name).out;
}

void sets_and_echoes(void** /*state*/)
{
    const Case cases[] = {
        {"set_param note=x", "note=x\n", "", 0},
        {"set_param note x", "note=x\n", "", 0},
        {"set_param note=a=b=c", "note=a=b=c\n", "", 0},
        {"set_param -n note=x", "", "", 0},
        {"set_param osc.*.active=5", "osc.fs-OST0000.active=5\nosc.fs-OST0001.active=5\n", "", 0},
        {"set_param osc/fs-OST0000/active 5 note=y", "osc.fs-OST0000.active=5\nnote=y\n", "", 0},
        {"set_param -t osc.*.active=5", "osc.fs-OST0000.active=5\nosc.fs-OST0001.active=5\n", "",
         0},
        {"set_param -t4 note=x", "note=x\n", "", 0},
        {"set_param clear=1", "clear=1\n", "", 0},
    };

    check_cases(cases, make_tree);
}

void the_value_arrives(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);
    run(tree, "set_param note=a=b osc.*.active=7");
    assert_text(value_of(tree, "note"), "a=b\n");
    assert_text(value_of(tree, "osc.*.active"), "7\n7\n");
}

/* The first '=' that is not part of the name. */
void an_equals_sign_in_a_name_is_escaped(void** /*state*/)
{
    FakeTree tree;

    tree.text("a=b", "old");
    assert_text(run(tree, "set_param 'a\\=b=new'").out, "a\\=b=new\n");
    assert_text(tree.text_of("a=b"), "new");
    assert_text(run(tree, "set_param '\"a=b\"=again'").err, "");
    assert_text(tree.text_of("a=b"), "again");
}

void refusals_name_parameter_value_and_reason(void** /*state*/)
{
    const Case cases[] = {
        {"set_param nosuch.param=1", "",
         "error: set_param: param_path 'nosuch/param': No such file or directory\n", 2},
        {"set_param osc.*.nosuch=1", "",
         "error: set_param: param_path 'osc/*/nosuch': No such file or directory\n", 2},
        {"set_param version=1", "", "error: set_param: opening 'version': Permission denied\n", 13},
        {"set_param note=", "",
         "error: set_param: setting note=: Invalid argument: the value is empty\n", 22},
        {"set_param osc=1", "", "error: set_param: setting osc=1: Is a directory\n", 21},
        {"set_param version=1 nosuch=1 note=x", "note=x\n",
         "error: set_param: opening 'version': Permission denied\n"
         "error: set_param: param_path 'nosuch': No such file or directory\n",
         13},
    };

    check_cases(cases, make_tree);
}

void the_kernel_s_reason_is_printed(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);

    FakeTree::Node& node = *tree.find("osc/fs-OST0001/active");

    node.write_error = ERANGE;
    node.reason = "it is 0..1";

    const Ran ran = run(tree, "set_param osc.*.active=5");

    assert_text(ran.out, "osc.fs-OST0000.active=5\n");
    assert_text(ran.err,
                "error: set_param: setting osc.fs-OST0001.active=5: "
                "Numerical result out of range: it is 0..1\n");
    assert_int_equal(ran.status, ERANGE);
}

/* A callback returns ENOENT too, of what the value names. */
void a_parameter_that_returns_enoent_is_there(void** /*state*/)
{
    for (const std::string_view options : {"", "--atomic "}) {
        FakeTree tree;

        make_tree(tree);

        FakeTree::Node& node = *tree.find("osc/fs-OST0001/active");

        node.write_error = ENOENT;
        node.reason = "no such client";

        const Ran ran = run(tree, "set_param " + std::string(options) + "osc.*1.active=5");

        assert_text(ran.out, "");
        assert_text(ran.err.substr(0, ran.err.find('\n') + 1),
                    "error: set_param: setting osc.fs-OST0001.active=5: "
                    "No such file or directory: no such client\n");
        assert_int_equal(ran.status, ENOENT);
    }
}

void an_ordinary_user_is_told_what_it_needs(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);
    tree.meddle = [](unsigned long cmd, void* /*arg*/, int& rc) {
        if (cmd == PARAMS_IOC_WRITE_BATCH || cmd == PARAMS_IOC_WRITE)
            rc = -EPERM;
    };

    const Ran ran = run(tree, "set_param note=x");

    assert_text(ran.out, "");
    assert_text(ran.err,
                "error: set_param: setting note=x: Operation not permitted: "
                "requires CAP_SYS_ADMIN (run as root)\n");
    assert_int_equal(ran.status, EPERM);
}

void a_wide_glob_costs_two_calls(void** /*state*/)
{
    FakeTree tree;

    for (int i = 0; i < 1000; i++)
        tree.u64("a/d" + std::to_string(i) + "/b", 0);

    const Ran ran = run(tree, "set_param a.*.b=1");

    assert_int_equal(ran.status, 0);
    assert_int_equal(std::count(ran.out.begin(), ran.out.end(), '\n'), 1000);
    assert_int_equal(tree.calls, 2);
    assert_int_equal(tree.calls_of[PARAMS_IOC_LIST], 1);
    assert_int_equal(tree.calls_of[PARAMS_IOC_WRITE_BATCH], 1);
}

void atomic_sets_all_or_nothing(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);
    tree.find("osc/fs-OST0001/active")->write_error = EINVAL;

    const Ran refused = run(tree, "set_param --atomic note=x osc.*.active=5");

    assert_text(refused.out, "");
    assert_text(refused.err,
                "error: set_param: setting osc.fs-OST0001.active=5: Invalid argument\n"
                "       nothing was changed (--atomic)\n");
    assert_int_equal(refused.status, EINVAL);
    assert_text(value_of(tree, "note"), "one\ntwo\n");
    assert_text(value_of(tree, "osc.*.active"), "1\n0\n");

    tree.find("osc/fs-OST0001/active")->write_error = 0;

    const Ran done = run(tree, "set_param --atomic note=x osc.*.active=5");

    assert_text(done.out, "note=x\nosc.fs-OST0000.active=5\nosc.fs-OST0001.active=5\n");
    assert_int_equal(done.status, 0);
    assert_text(value_of(tree, "osc.*.active"), "5\n5\n");
}

void atomic_with_a_wrong_name_sets_nothing(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);

    const Ran ran = run(tree, "set_param --atomic note=x nosuch=1");

    assert_text(ran.out, "");
    assert_text(ran.err,
                "error: set_param: param_path 'nosuch': No such file or directory\n"
                "       nothing was changed (--atomic)\n");
    assert_int_equal(ran.status, ENOENT);
    assert_text(value_of(tree, "note"), "one\ntwo\n");
    assert_int_equal(tree.calls_of[PARAMS_IOC_WRITE_BATCH], 0);
}

void dry_run_changes_nothing(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);

    const Ran ran = run(tree, "set_param --dry-run note=x version=2");

    assert_text(ran.out, "would set note=x\n");
    assert_text(ran.err, "error: set_param: opening 'version': Permission denied\n");
    assert_int_equal(ran.status, EACCES);
    assert_text(value_of(tree, "note"), "one\ntwo\n");
}

void if_version_refuses_another_one(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);
    tree.find("note")->version = 7;

    const Ran stale = run(tree, "set_param --if-version 5 note=x");

    assert_text(stale.out, "");
    assert_text(stale.err,
                "error: set_param: setting note=x: Stale file handle: its version is "
                "7, not 5\n");
    assert_int_equal(stale.status, ESTALE);
    assert_int_equal(run(tree, "set_param --if-version=7 note=x").status, 0);
    assert_text(value_of(tree, "note"), "x\n");
}

void json_and_yaml_tell_each_setting(void** /*state*/)
{
    const Case cases[] = {
        {"set_param --json note=x version=1",
         "[\n"
         "{\"name\": \"note\", \"value\": \"x\", \"version\": 2},\n"
         "{\"name\": \"version\", \"error\": {\"errno\": 13, \"message\": "
         "\"opening 'version': Permission denied\"}}\n"
         "]\n",
         "error: set_param: opening 'version': Permission denied\n", 13},
        {"set_param --json --dry-run note=x",
         "[\n{\"name\": \"note\", \"value\": \"x\", \"version\": 1, \"dry_run\": true}\n]\n", "",
         0},
        {"set_param --json --atomic note=x version=1",
         "[\n"
         "{\"name\": \"note\", \"error\": {\"errno\": 125, \"message\": \"Operation canceled\"}},\n"
         "{\"name\": \"version\", \"error\": {\"errno\": 13, \"message\": "
         "\"opening 'version': Permission denied\"}}\n"
         "]\n",
         "error: set_param: opening 'version': Permission denied\n"
         "       nothing was changed (--atomic)\n",
         13},
        {"set_param --yaml note=x osc.*.active=1",
         "note: x\nosc.fs-OST0000.active: \"1\"\nosc.fs-OST0001.active: \"1\"\n", "", 0},
    };

    check_cases(cases, make_tree);
}

void what_is_not_for_one_mount_is_refused(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);
    for (const char* option : {"-C", "-Cfs"}) {
        const Ran ran = run(tree, std::string("set_param ") + option + " note=x");

        assert_text(ran.out, "");
        assert_true(ran.err.starts_with("error: set_param: -C keeps a setting for mounts"));
        assert_int_equal(ran.status, EOPNOTSUPP);
    }
    assert_int_equal(tree.calls, 0);
}

void permanent_is_for_the_management_service(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);

    const Ran ran = run(tree, "set_param -P note=x");

    assert_text(ran.out, "");
    assert_text(ran.err,
                "error: set_param: no management service runs on this node; run the command on "
                "the MGS node\n");
    assert_int_equal(ran.status, ENODEV);
    assert_text(tree.text_of("note"), "one\ntwo");
    assert_int_equal(run(tree, "set_param -d note=x").status, EINVAL);
}

void usage_errors_say_what_is_wrong(void** /*state*/)
{
    const char* usage =
        "usage: lctl set_param [OPTION...] PATTERN=VALUE... | PATTERN VALUE...\n"
        "See 'lctl help set_param'.\n";
    const struct {
        const char* line;
        const char* complaint;
    } cases[] = {
        {"set_param", "missing operand PATTERN=VALUE"},
        {"set_param note", "no value for 'note'; use NAME=VALUE or NAME VALUE"},
        {"set_param =5", "no name in '=5'; use NAME=VALUE"},
    };
    FakeTree tree;

    for (const auto& one : cases) {
        const Ran ran = run(tree, one.line);

        assert_text(ran.err, std::string("error: set_param: ") + one.complaint + "\n" + usage);
        assert_text(ran.out, "");
        assert_int_equal(ran.status, EINVAL);
    }
    for (const char* line :
         {"set_param --if-version=x note=1", "set_param -tmany note=1", "set_param -o note=1"}) {
        const Ran ran = run(tree, line);

        assert_int_equal(ran.status, EINVAL);
        assert_true(ran.err.ends_with(usage));
    }
    assert_int_equal(tree.calls, 0);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(sets_and_echoes),
        cmocka_unit_test(the_value_arrives),
        cmocka_unit_test(an_equals_sign_in_a_name_is_escaped),
        cmocka_unit_test(refusals_name_parameter_value_and_reason),
        cmocka_unit_test(the_kernel_s_reason_is_printed),
        cmocka_unit_test(a_parameter_that_returns_enoent_is_there),
        cmocka_unit_test(an_ordinary_user_is_told_what_it_needs),
        cmocka_unit_test(a_wide_glob_costs_two_calls),
        cmocka_unit_test(atomic_sets_all_or_nothing),
        cmocka_unit_test(atomic_with_a_wrong_name_sets_nothing),
        cmocka_unit_test(dry_run_changes_nothing),
        cmocka_unit_test(if_version_refuses_another_one),
        cmocka_unit_test(json_and_yaml_tell_each_setting),
        cmocka_unit_test(what_is_not_for_one_mount_is_refused),
        cmocka_unit_test(permanent_is_for_the_management_service),
        cmocka_unit_test(usage_errors_say_what_is_wrong),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
