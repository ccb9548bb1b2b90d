// SPDX-License-Identifier: GPL-2.0-only
/* list_param, help_param and what lctl says of itself. */
#include <cerrno>
#include <set>
#include <string>

#include "lctl_fixture.hpp"
#include "lctl/arguments.hpp"
#include "lctl/command.hpp"

using namespace lctl_test;

namespace {

void names_come_as_they_can_be_typed(void** /*state*/)
{
    const Case cases[] = {
        {"list_param *", "clear\ncurrent\njob_stats\nmgs\nnote\nosc\nversion\n", "", 0},
        {"list_param osc.*", "osc.fs-OST0000\nosc.fs-OST0001\n", "", 0},
        {"list_param osc", "osc\n", "", 0},
        {"list_param -R mgs",
         "mgs\nmgs.MGS\nmgs.MGS.exports\nmgs.MGS.exports.10.0.0.1@tcp\n"
         "mgs.MGS.exports.10.0.0.1@tcp.uuid\n",
         "", 0},
        {"list_param **.active", "osc.fs-OST0000.active\nosc.fs-OST0001.active\n", "", 0},
        {"list_param osc.*.active osc.fs-OST0000.*",
         "osc.fs-OST0000.active\nosc.fs-OST0001.active\n"
         "osc.fs-OST0000.max_rpcs\nosc.fs-OST0000.state\n",
         "", 0},
        {"list_param -M note note", "note\nnote\n", "", 0},
        {"list_param nosuch.x note", "note\n",
         "error: list_param: param_path 'nosuch/x': No such file or directory\n", 2},
    };

    check_cases(cases, make_tree);
}

void options_choose_and_mark(void** /*state*/)
{
    const Case cases[] = {
        {"list_param -F *", "clear=\ncurrent@\njob_stats=\nmgs/\nnote=\nosc/\nversion\n", "", 0},
        {"list_param mgs/ note= current@", "mgs\nnote\ncurrent\n", "", 0},
        {"list_param -D *", "mgs\nosc\n", "", 0},
        {"list_param -L *", "clear\njob_stats\nmgs\nnote\nosc\nversion\n", "", 0},
        {"list_param -w -L c* v*", "clear\n", "", 0},
        {"list_param -r c* v*", "current\nversion\n", "", 0},
        {"list_param -rw n* v*", "note\n", "", 0},
        {"list_param -p -R mgs.MGS.exports.*",
         "mgs/MGS/exports/10.0.0.1@tcp\nmgs/MGS/exports/10.0.0.1@tcp/uuid\n", "", 0},
        {"list_param -c always osc current", "\033[1;34mosc\033[0m\n\033[36mcurrent\033[0m\n", "",
         0},
        {"list_param -t osc.fs-OST0000.*", "osc.fs-OST0000.active\nosc.fs-OST0000.max_rpcs\n", "",
         0},
    };

    check_cases(cases, make_tree);
}

void a_listing_of_all_is_few_calls(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);
    run(tree, "list_param -R '*'");
    assert_true(tree.calls <= 2);
}

void describe_puts_all_on_one_line(void** /*state*/)
{
    const Case cases[] = {
        {"list_param --describe osc.fs-OST0000.active",
         "osc.fs-OST0000.active u64 rw bytes 1..256 default -8 source permanent one of one, two "
         "tunable "
         "- what it is for\n",
         "", 0},
        {"list_param --describe --json note osc",
         "[\n"
         "{\"name\": \"note\", \"type\": \"u64\", \"mode\": \"0644\", \"unit\": \"bytes\", "
         "\"min\": 1, \"max\": 256, \"default\": -8, \"values\": [\"one\", \"two\"], "
         "\"doc\": \"what it is for\"},\n"
         "{\"name\": \"osc\", \"type\": \"dir\", \"mode\": \"0555\"}\n"
         "]\n",
         "", 0},
        {"list_param --describe --yaml current",
         "- name: current\n"
         "  type: u64\n"
         "  mode: \"0777\"\n"
         "  unit: bytes\n"
         "  min: \"1\"\n"
         "  max: \"256\"\n"
         "  default: \"-8\"\n"
         "  values:\n  - one\n  - two\n"
         "  target: osc.fs-OST0001.active\n"
         "  doc: what it is for\n",
         "", 0},
    };

    check_cases(cases, make_tree);
}

void names_in_json_and_yaml(void** /*state*/)
{
    const Case cases[] = {
        {"list_param --json osc current",
         "[\n"
         "{\"name\": \"osc\", \"type\": \"dir\", \"mode\": \"0555\", \"version\": 1},\n"
         "{\"name\": \"current\", \"type\": \"u64\", \"mode\": \"0777\", \"link\": true, "
         "\"version\": 1}\n"
         "]\n",
         "", 0},
        {"list_param --yaml osc", "- name: osc\n  type: dir\n  mode: \"0555\"\n  version: 1\n", "",
         0},
        {"list_param --yaml -D note", "[]\n", "", 0},
    };

    check_cases(cases, make_tree);
}

void help_param_folds_equal_devices(void** /*state*/)
{
    const char* const kRest =
        "    type      u64\n"
        "    access    rw\n"
        "    unit      bytes\n"
        "    range     1..256\n"
        "    default   -8\n"
        "    values    one, two\n"
        "    flags     tunable\n"
        "    about     what it is for\n";
    FakeTree tree;

    make_tree(tree);
    assert_text(run(tree, "help_param osc.*.active").out,
                std::string("osc.{fs-OST0000,fs-OST0001}.active\n") + kRest);
    tree.find("osc/fs-OST0001/active")->flags = 0;
    assert_text(run(tree, "help_param osc.fs-OST0000.active").out,
                std::string("osc.fs-OST0000.active\n") + kRest);
    assert_true(run(tree, "help_param osc.*.active").out.find("\nosc.fs-OST0001.active\n") !=
                std::string::npos);
    for (int i = 2; i < 9; i++)
        tree.u64("osc/x" + std::to_string(i) + "/active", 1).flags = PARAMS_EF_TUNABLE;
    assert_true(
        run(tree, "help_param osc.*.active").out.starts_with("osc.*.active (8 parameters)\n"));
    assert_int_equal(run(tree, "help_param nosuch").status, ENOENT);
}

void every_command_has_help(void** /*state*/)
{
    FakeTree tree;
    std::set<std::string> names;

    for (const lctl::Command* command : lctl::commands()) {
        const Ran by_option = run(tree, std::string(command->name) + " --help");
        const Ran by_command = run(tree, std::string("help ") + command->name);

        assert_true(names.insert(command->name).second);
        assert_text(by_option.out, by_command.out);
        assert_true(by_option.out.starts_with("usage: lctl " + std::string(command->name)));
        assert_int_equal(by_option.status, 0);
        for (const lctl::Option& option : command->options)
            assert_true(by_option.out.find(std::string("--") + option.name) != std::string::npos);
    }
    assert_int_equal(tree.calls, 0);
}

void option_letters_and_names_are_used_once(void** /*state*/)
{
    for (const lctl::Command* command : lctl::commands()) {
        std::set<std::string> names = {"help"};
        std::set<char> letters;

        for (const lctl::Option& option : command->options) {
            assert_true(names.insert(option.name).second);
            if (option.letter != 0)
                assert_true(letters.insert(option.letter).second);
        }
    }
}

void lctl_tells_of_itself(void** /*state*/)
{
    FakeTree tree;
    const Ran names = run(tree, "--list-commands");
    const Ran overview = run(tree, "--help");

    assert_true(names.out.starts_with("get_param\nset_param\nlist_param\n"));
    assert_text(overview.out, run(tree, "help").out);
    for (const lctl::Command* command : lctl::commands()) {
        assert_true(("\n" + names.out).find("\n" + std::string(command->name) + "\n") !=
                    std::string::npos);
        assert_true(overview.out.find("\n  " + std::string(command->name) + " ") !=
                    std::string::npos);
    }
    assert_text(run(tree, "--version").out, "lctl: " LL_VERSION ", ABI 1.0\n");
    assert_int_equal(tree.calls, 0);
    assert_text(run(tree, "version").out,
                "lctl: " LL_VERSION ", ABI 1.0\nlibcfs: 9.9-fake, ABI 1.0\n");
}

void what_is_not_known_is_refused(void** /*state*/)
{
    const Case cases[] = {
        {"get_par", "",
         "lctl: 'get_par' is not a valid command; did you mean 'get_param'? See 'lctl "
         "--list-commands'.\n",
         22},
        {"set_parma", "",
         "lctl: 'set_parma' is not a valid command; did you mean 'set_param'? See 'lctl "
         "--list-commands'.\n",
         22},
        {"bogus", "", "lctl: 'bogus' is not a valid command. See 'lctl --list-commands'.\n", 22},
        {"--bogus", "", "lctl: unrecognized option '--bogus'. See 'lctl --help'.\n", 22},
        {"--batch", "", "lctl: option '--batch' needs a FILE. See 'lctl --help'.\n", 22},
        {"help bogus", "", "error: help: 'bogus' is not a command; see 'lctl --list-commands'\n",
         22},
        {"version x", "",
         "error: version: takes no operands\nusage: lctl version [OPTION...]\nSee 'lctl help "
         "version'.\n",
         22},
    };

    check_cases(cases, make_tree);
}

/* Long options may be abbreviated; options may follow operands, until "--". */
void options_are_parsed_as_getopt_does(void** /*state*/)
{
    const lctl::Command& get = *lctl::find_command("get_param");
    const auto parse = [&](std::vector<std::string> words) {
        std::vector<char*> argv;

        for (std::string& word : words)
            argv.push_back(word.data());
        argv.push_back(nullptr);
        return lctl::parse_arguments(get, static_cast<int>(words.size()), argv.data())
            .map([](const lctl::Arguments& arguments) {
                std::string text;

                for (const lctl::Given& given : arguments.options)
                    text.append(given.option->name)
                        .append(given.argument ? "=" : "")
                        .append(given.argument.value_or(""))
                        .append(" ");
                for (const std::string_view operand : arguments.operands)
                    text.append("[").append(operand).append("]");
                return text;
            });
    };

    assert_text(*parse({"get_param", "a", "-nR", "b"}), "no-name recursive [a][b]");
    assert_text(*parse({"get_param", "--rec", "--color=no", "-c", "yes", "a"}),
                "recursive color=no color=yes [a]");
    assert_text(*parse({"get_param", "-n", "--", "-R"}), "no-name [-R]");
    assert_text(*parse({"get_param", "-0h"}), "null help ");
    assert_text(parse({"get_param", "--re"}).error(),
                "unrecognized option '--re'; did you mean '--readable'?");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(names_come_as_they_can_be_typed),
        cmocka_unit_test(options_choose_and_mark),
        cmocka_unit_test(a_listing_of_all_is_few_calls),
        cmocka_unit_test(describe_puts_all_on_one_line),
        cmocka_unit_test(names_in_json_and_yaml),
        cmocka_unit_test(help_param_folds_equal_devices),
        cmocka_unit_test(every_command_has_help),
        cmocka_unit_test(option_letters_and_names_are_used_once),
        cmocka_unit_test(lctl_tells_of_itself),
        cmocka_unit_test(what_is_not_known_is_refused),
        cmocka_unit_test(options_are_parsed_as_getopt_does),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
