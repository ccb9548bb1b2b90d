// SPDX-License-Identifier: GPL-2.0-only
/* get_param and find_param: output in each form, and status. */
#include <cerrno>
#include <string>
#include <string_view>

#include "lctl_fixture.hpp"

using namespace lctl_test;

namespace {

constexpr const char* kWholeTree =
    "job_stats=job\n"
    "mgs.MGS.exports.10.0.0.1@tcp.uuid=client_UUID\n"
    "note=\n"
    "one\n"
    "two\n"
    "osc.fs-OST0000.active=1\n"
    "osc.fs-OST0000.max_rpcs=8\n"
    "osc.fs-OST0000.state=\n"
    "current_state: FULL\n"
    "rpcs: 3\n"
    "osc.fs-OST0001.active=0\n"
    "osc.fs-OST0001.max_rpcs=8\n"
    "osc.fs-OST0001.state=\n"
    "current_state: FULL\n"
    "rpcs: 3\n"
    "version=0.1.0\n";

void text_is_that_of_real_lustre(void** /*state*/)
{
    const Case cases[] = {
        {"get_param version", "version=0.1.0\n", "", 0},
        {"get_param note", "note=\none\ntwo\n", "", 0},
        {"get_param osc/fs-OST0000/active", "osc.fs-OST0000.active=1\n", "", 0},
        {"get_param osc.*.max_rpcs", "osc.fs-OST0000.max_rpcs=8\nosc.fs-OST0001.max_rpcs=8\n", "",
         0},
        {"get_param osc.{fs-OST0001,x}.active version", "osc.fs-OST0001.active=0\nversion=0.1.0\n",
         "", 0},
        {"get_param **.uuid", "mgs.MGS.exports.10.0.0.1@tcp.uuid=client_UUID\n", "", 0},
        {"get_param mgs.MGS.exports.10.0.0.1@tcp.uuid",
         "mgs.MGS.exports.10.0.0.1@tcp.uuid=client_UUID\n", "", 0},
        {"get_param osc.fs-OST0000.state", "osc.fs-OST0000.state=\ncurrent_state: FULL\nrpcs: 3\n",
         "", 0},
        {"get_param current", "current=0\n", "", 0},
        {"get_param job_stats", "job_stats=job\n", "", 0},
    };

    check_cases(cases, make_tree);
}

void options_change_the_text(void** /*state*/)
{
    const Case cases[] = {
        {"get_param -n version", "0.1.0\n", "", 0},
        {"get_param -n note", "one\ntwo\n", "", 0},
        {"get_param -N version note", "version\nnote\n", "", 0},
        {"get_param --only-name osc.*.*",
         "osc.fs-OST0000.active\nosc.fs-OST0000.max_rpcs\nosc.fs-OST0000.state\n"
         "osc.fs-OST0001.active\nosc.fs-OST0001.max_rpcs\nosc.fs-OST0001.state\n",
         "", 0},
        {"get_param -H note", "note=one\nnote=two\n", "", 0},
        {"get_param -F osc.*.active", "osc.fs-OST0000.active=1\nosc.fs-OST0001.active=0\n", "", 0},
        {"get_param -NF version note current", "version\nnote=\ncurrent@\n", "", 0},
        {"get_param -p osc.fs-OST0000.active", "osc/fs-OST0000/active=1\n", "", 0},
        {"get_param -Np mgs.MGS.exports.*.uuid", "mgs/MGS/exports/10.0.0.1@tcp/uuid\n", "", 0},
        {"get_param -w osc.*.*",
         "osc.fs-OST0000.active=1\nosc.fs-OST0000.max_rpcs=8\n"
         "osc.fs-OST0001.active=0\nosc.fs-OST0001.max_rpcs=8\n",
         "", 0},
        {"get_param -Nt **",
         "osc.fs-OST0000.active\nosc.fs-OST0000.max_rpcs\n"
         "osc.fs-OST0001.active\nosc.fs-OST0001.max_rpcs\n",
         "", 0},
        {"get_param -L *e*", "note=\none\ntwo\nversion=0.1.0\n", "", 0},
        {"get_param -c always version note current",
         "version=0.1.0\n\033[32mnote\033[0m=\none\ntwo\n\033[36mcurrent\033[0m=0\n", "", 0},
        {"get_param -c auto current", "current=0\n", "", 0},
        {"get_param -m version version", "version=0.1.0\n", "", 0},
        {"get_param -M version version", "version=0.1.0\nversion=0.1.0\n", "", 0},
        {"get_param -mM version version", "version=0.1.0\nversion=0.1.0\n", "", 0},
    };

    check_cases(cases, make_tree);
}

void null_ends_items_with_nul(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);
    assert_text(run(tree, "get_param -0 note version").out,
                std::string_view("note=one\ntwo\0version=0.1.0\0", 27));
    assert_text(run(tree, "get_param -0n version").out, std::string_view("0.1.0\0", 6));
    assert_text(run(tree, "list_param --null osc.*").out,
                std::string_view("osc.fs-OST0000\0osc.fs-OST0001\0", 30));
}

void folding_prints_equal_devices_as_one(void** /*state*/)
{
    const Case cases[] = {
        {"get_param -b osc.*.max_rpcs", "osc.{fs-OST0000,fs-OST0001}.max_rpcs=8\n", "", 0},
        {"get_param -b osc.*.active", "osc.fs-OST0000.active=1\nosc.fs-OST0001.active=0\n", "", 0},
        {"get_param -b osc.*.state version",
         "osc.{fs-OST0000,fs-OST0001}.state=\ncurrent_state: FULL\nrpcs: 3\nversion=0.1.0\n", "",
         0},
        {"get_param osc.{fs-OST0000,fs-OST0001}.max_rpcs",
         "osc.fs-OST0000.max_rpcs=8\nosc.fs-OST0001.max_rpcs=8\n", "", 0},
    };

    check_cases(cases, make_tree);
}

/* A text that ends its line itself is one line, not two. */
void a_newline_at_the_end_is_not_doubled(void** /*state*/)
{
    FakeTree tree;

    tree.text("banner", "hello\n", 0100444);
    tree.text("two", "one\ntwo\n", 0100444);
    assert_text(run(tree, "get_param banner two").out, "banner=hello\ntwo=\none\ntwo\n");
    assert_text(run(tree, "get_param -n banner two").out, "hello\none\ntwo\n");
    assert_text(run(tree, "get_param -H two").out, "two=one\ntwo=two\n");
    assert_text(run(tree, "get_param -b banner").out, "banner=hello\n");
}

/* A NID has dots: the folded name still is a pattern that means both. */
void folding_gives_a_pattern_of_odd_names(void** /*state*/)
{
    FakeTree tree;

    tree.u64("a/x.y/v", 1);
    tree.u64("a/p,q/v", 1);
    tree.u64("a/10.0.0.1@tcp/v", 1);

    const std::string folded = run(tree, "get_param -b a.*.v").out;
    const std::string pattern = folded.substr(0, folded.find('='));

    assert_text(run(tree, "get_param -N '" + pattern + "'").out,
                "a.10\\.0\\.0\\.1@tcp.v\na.p,q.v\na.x\\.y.v\n");
}

void recursion_prints_each_name_once(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);

    const Ran ran = run(tree, "get_param -R '*'");
    std::string want = kWholeTree;

    want.erase(0, std::string_view("job_stats=job\n").size());
    assert_text(ran.out, want);
    assert_text(ran.err, "");
    assert_int_equal(ran.status, 0);
    assert_int_equal(tree.find("job_stats")->reads, 0);
    assert_true(tree.calls <= 4);
    assert_text(run(tree, "get_param -R job_stats").out, "job_stats=job\n");
}

/* Nor are parameters that a filter excludes, or that a glob matches by chance. */
void what_a_read_changes_is_read_only_when_named(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);
    for (const char* line : {"get_param 'job_*'", "get_param '*'", "get_param -t job_stats",
                             "get_param -R '**'", "get_param --json '*stats'"})
        run(tree, line);
    assert_int_equal(tree.find("job_stats")->reads, 0);
    assert_text(run(tree, "get_param job_stats").out, "job_stats=job\n");
    assert_text(run(tree, "get_param -w job_stats").out, "job_stats=job\n");
    assert_int_equal(tree.find("job_stats")->reads, 2);
}

void names_read_no_value(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);
    run(tree, "get_param -N -R '*'");
    run(tree, "list_param -R '*'");
    run(tree, "find_param -N .");
    assert_int_equal(tree.find("note")->reads, 0);
    assert_int_equal(tree.find("osc/fs-OST0000/state")->reads, 0);
    assert_int_equal(tree.calls_of[PARAMS_IOC_READ_BATCH], 0);
}

void failures_are_reported_and_others_go_on(void** /*state*/)
{
    const Case cases[] = {
        {"get_param nosuch.param", "",
         "error: get_param: param_path 'nosuch/param': No such file or directory\n", 2},
        {"get_param nosuch.param version", "version=0.1.0\n",
         "error: get_param: param_path 'nosuch/param': No such file or directory\n", 2},
        {"get_param versoin", "",
         "error: get_param: param_path 'versoin': No such file or directory\n"
         "       did you mean 'version'?\n",
         2},
        {"get_param osc.fs-OST0000.activ", "",
         "error: get_param: param_path 'osc/fs-OST0000/activ': No such file or directory\n"
         "       did you mean 'osc.fs-OST0000.active'?\n",
         2},
        {"get_param clear", "", "error: get_param: opening 'clear': Permission denied\n", 13},
        {"get_param clear nosuch.param", "",
         "error: get_param: opening 'clear': Permission denied\n"
         "error: get_param: param_path 'nosuch/param': No such file or directory\n",
         13},
        {"get_param c*", "current=0\n", "", 0},
        {"get_param osc", "",
         "error: get_param: param_path 'osc': Is a directory; -R reads everything below it\n", 21},
        {"get_param osc.* version", "version=0.1.0\n",
         "error: get_param: param_path 'osc.*': Is a directory; -R reads everything below it\n",
         21},
    };

    check_cases(cases, make_tree);
}

void a_callback_that_fails_is_named(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);
    tree.find("osc/fs-OST0000/active")->read_error = EIO;

    const Ran ran = run(tree, "get_param osc.*.active");

    assert_text(ran.out, "osc.fs-OST0001.active=0\n");
    assert_text(ran.err, "error: get_param: reading 'osc.fs-OST0000.active': Input/output error\n");
    assert_int_equal(ran.status, EIO);
}

void what_vanishes_under_a_glob_is_no_error(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);
    tree.find("osc/fs-OST0000/active")->read_error = ENODEV;

    const Ran glob = run(tree, "get_param osc.*.active");

    assert_text(glob.out, "osc.fs-OST0001.active=0\n");
    assert_text(glob.err, "");
    assert_int_equal(glob.status, 0);
    assert_int_equal(run(tree, "get_param osc.fs-OST0000.active").status, ENODEV);
}

void find_param_takes_expressions(void** /*state*/)
{
    const Case cases[] = {
        {"find_param '^osc.*active$'", "osc.fs-OST0000.active=1\nosc.fs-OST0001.active=0\n", "", 0},
        {"find_param -N 'OST000(0|2)\\.[am]'", "osc.fs-OST0000.active\nosc.fs-OST0000.max_rpcs\n",
         "", 0},
        {"find_param -n version", "0.1.0\n", "", 0},
        {"find_param version ersion", "version=0.1.0\n", "", 0},
        {"find_param -M version ersion", "version=0.1.0\nversion=0.1.0\n", "", 0},
        {"find_param -L '^c'", "", "", 0},
        {"find_param '^c'", "current=0\n", "", 0},
        {"find_param -N '^c'", "clear\ncurrent\n", "", 0},
        {"find_param -w -N 'OST0000'", "osc.fs-OST0000.active\nosc.fs-OST0000.max_rpcs\n", "", 0},
        {"find_param -b max_rpcs", "osc.{fs-OST0000,fs-OST0001}.max_rpcs=8\n", "", 0},
        {"find_param nosuch version", "version=0.1.0\n",
         "error: find_param: param_path 'nosuch': No such file or directory\n", 2},
        {"find_param '('", "", "error: find_param: expression '(': Unmatched ( or \\(\n", 22},
    };

    check_cases(cases, make_tree);
}

void find_param_reads_nothing_that_a_read_changes(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);
    assert_text(run(tree, "find_param job").out, "");
    assert_text(run(tree, "find_param -N job").out, "job_stats\n");
    assert_int_equal(tree.find("job_stats")->reads, 0);
}

void json_is_an_array_of_objects(void** /*state*/)
{
    const Case cases[] = {
        {"get_param --json version osc.fs-OST0000.state",
         "[\n"
         "{\"name\": \"version\", \"type\": \"string\", \"mode\": \"0444\", \"version\": 1, "
         "\"value\": \"0.1.0\"},\n"
         "{\"name\": \"osc.fs-OST0000.state\", \"type\": \"records\", \"mode\": \"0444\", "
         "\"version\": 1, \"value\": {\"current_state\": \"FULL\", \"rpcs\": 3}}\n"
         "]\n",
         "", 0},
        {"get_param --json current nosuch.x",
         "[\n"
         "{\"name\": \"current\", \"type\": \"u64\", \"mode\": \"0777\", \"link\": true, "
         "\"version\": 1, "
         "\"value\": 0},\n"
         "{\"name\": \"nosuch.x\", \"error\": {\"errno\": 2, \"message\": "
         "\"param_path 'nosuch/x': No such file or directory\"}}\n"
         "]\n",
         "error: get_param: param_path 'nosuch/x': No such file or directory\n", 2},
        {"get_param --json -N note",
         "[\n{\"name\": \"note\", \"type\": \"string\", \"mode\": \"0644\", \"version\": 1}\n]\n",
         "", 0},
        {"get_param --json -w osc.*.state", "[]\n", "", 0},
    };

    check_cases(cases, make_tree);
}

void yaml_is_a_map_of_values(void** /*state*/)
{
    const Case cases[] = {
        {"get_param --yaml version osc.fs-OST0000.active osc.fs-OST0000.state",
         "version: \"0.1.0\"\n"
         "osc.fs-OST0000.active: 1\n"
         "osc.fs-OST0000.state:\n"
         "  current_state: FULL\n"
         "  rpcs: 3\n",
         "", 0},
        {"get_param -y nosuch.x",
         "# error: nosuch.x: param_path 'nosuch/x': No such file or "
         "directory\n{}\n",
         "error: get_param: param_path 'nosuch/x': No such file or directory\n", 2},
        {"get_param -y -w osc.*.state", "{}\n", "", 0},
        {"get_param -yN version",
         "- name: version\n  type: string\n  mode: \"0444\"\n  version: 1\n", "", 0},
    };

    check_cases(cases, make_tree);
}

void usage_errors_say_what_is_wrong(void** /*state*/)
{
    const Case cases[] = {
        {"get_param", "",
         "error: get_param: missing operand PATTERN\n"
         "usage: lctl get_param [OPTION...] PATTERN...\nSee 'lctl help get_param'.\n",
         22},
        {"get_param -Z x", "",
         "error: get_param: unrecognized option '-Z'\n"
         "usage: lctl get_param [OPTION...] PATTERN...\nSee 'lctl help get_param'.\n",
         22},
        {"get_param --nonsense=3 x", "",
         "error: get_param: unrecognized option '--nonsense'\n"
         "usage: lctl get_param [OPTION...] PATTERN...\nSee 'lctl help get_param'.\n",
         22},
        {"get_param -c", "",
         "error: get_param: option '-c' needs an argument\n"
         "usage: lctl get_param [OPTION...] PATTERN...\nSee 'lctl help get_param'.\n",
         22},
        {"get_param --color=pink x", "",
         "error: get_param: color 'pink' must be auto, always, yes, never or no\n"
         "usage: lctl get_param [OPTION...] PATTERN...\nSee 'lctl help get_param'.\n",
         22},
        {"get_param --json=1 x", "",
         "error: get_param: --json '1' must be pretty\n"
         "usage: lctl get_param [OPTION...] PATTERN...\nSee 'lctl help get_param'.\n",
         22},
        {"get_param -nN x", "",
         "error: get_param: --no-name and --only-name leave nothing to print\n"
         "usage: lctl get_param [OPTION...] PATTERN...\nSee 'lctl help get_param'.\n",
         22},
        {"get_param --json -b x",
         "[\n{\"error\": {\"errno\": 22, \"message\": \"--dshbak, --header and --null apply to "
         "text, not to JSON or YAML\"}}\n]\n",
         "error: get_param: --dshbak, --header and --null apply to text, not to JSON or YAML\n"
         "usage: lctl get_param [OPTION...] PATTERN...\nSee 'lctl help get_param'.\n",
         22},
    };

    check_cases(cases, make_tree);
}

void without_a_module_it_says_what_to_do(void** /*state*/)
{
    FakeTree tree;
    FakeSystem system(tree);

    system.no_kernel = {ENOENT, "cannot open the device; load the module"};
    for (const char* command : {"get_param x", "list_param x", "find_param x", "help_param x",
                                "set_param x=1", "watch_param x"}) {
        const Ran ran = run(system, command);
        const std::string name(command, std::string_view(command).find(' '));

        assert_text(ran.out, "");
        assert_text(ran.err, "error: " + name + ": cannot open the device; load the module\n");
        assert_int_equal(ran.status, ENOENT);
    }
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(text_is_that_of_real_lustre),
        cmocka_unit_test(options_change_the_text),
        cmocka_unit_test(null_ends_items_with_nul),
        cmocka_unit_test(folding_prints_equal_devices_as_one),
        cmocka_unit_test(a_newline_at_the_end_is_not_doubled),
        cmocka_unit_test(folding_gives_a_pattern_of_odd_names),
        cmocka_unit_test(recursion_prints_each_name_once),
        cmocka_unit_test(what_a_read_changes_is_read_only_when_named),
        cmocka_unit_test(names_read_no_value),
        cmocka_unit_test(failures_are_reported_and_others_go_on),
        cmocka_unit_test(a_callback_that_fails_is_named),
        cmocka_unit_test(what_vanishes_under_a_glob_is_no_error),
        cmocka_unit_test(find_param_takes_expressions),
        cmocka_unit_test(find_param_reads_nothing_that_a_read_changes),
        cmocka_unit_test(json_is_an_array_of_objects),
        cmocka_unit_test(yaml_is_a_map_of_values),
        cmocka_unit_test(usage_errors_say_what_is_wrong),
        cmocka_unit_test(without_a_module_it_says_what_to_do),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
