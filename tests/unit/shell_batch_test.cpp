// SPDX-License-Identifier: GPL-2.0-only
/* Commands from a file: the ones that run, positions of errors, the status. */
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "cmocka.hpp"
#include "lctl/command.hpp"
#include "lctl/shell/session.hpp"
#include "lib/fd.hpp"
#include "test_system.hpp"

using namespace lctl::shell;

namespace {

int run(TestLctl& lctl, const std::string& text, bool ignore_errors = false)
{
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    const ll::Fd out(ends[0]);
    ll::Fd in(ends[1]);
    assert_int_equal(write(in.get(), text.data(), text.size()), text.size());
    in.reset();
    return run_batch(lctl.context, out.get(), "FILE", ignore_errors);
}

void commands_run_in_order(void**)
{
    TestLctl lctl;

    assert_int_equal(run(lctl,
                         "# settings\n\n"
                         "set_param osc.lustre-OST0000.max_rpcs_in_flight=9\n"
                         "get_param osc.lustre-OST0000.max_rpcs_in_flight\n"),
                     0);
    assert_text(lctl.out.take(),
                "osc.lustre-OST0000.max_rpcs_in_flight=9\n"
                "osc.lustre-OST0000.max_rpcs_in_flight=9\n");
    assert_text(lctl.err.take(), "");
}

void quoted_and_joined_words_reach_the_command(void**)
{
    TestLctl lctl;

    assert_int_equal(run(lctl,
                         "set_param 'osc.lustre-OST0000.note=a  b # c'\n"
                         "get_param \\\n  peers.10\\.0\\.0\\.1@tcp.value \\\n  version # x\n"),
                     0);
    assert_text(lctl.out.take(),
                "osc.lustre-OST0000.note=a  b # c\n"
                "peers.10\\.0\\.0\\.1@tcp.value=1\n"
                "version=1\n");
}

void the_first_error_ends_it(void**)
{
    TestLctl lctl;

    assert_int_equal(run(lctl,
                         "get_param version\n"
                         "set_param osc.lustre-OST0000.max_rpcs_in_flight=1000\n"
                         "get_param version\n"),
                     ERANGE);
    assert_text(lctl.out.take(), "version=1\n");
    assert_int_equal(lctl.err.take().find("FILE:2: error: set_param: setting osc.lustre-OST0000."
                                          "max_rpcs_in_flight=1000: Numerical result out of range"),
                     0);
}

void errors_are_ignored_when_asked(void**)
{
    TestLctl lctl;

    assert_int_equal(run(lctl, "get_param nosuch\nbogus\nget_param version\n", true), ENOENT);
    assert_text(lctl.out.take(), "version=1\n");
    const std::string errors = lctl.err.take();
    assert_int_equal(errors.find("FILE:1: error: get_param: "), 0);
    assert_true(errors.find("FILE:2: lctl: 'bogus' is not a valid command") != std::string::npos);
}

void errors_are_ignored_from_the_command_on(void**)
{
    TestLctl lctl;

    assert_int_equal(run(lctl, "ignore_errors\nbogus\nget_param version\n"), EINVAL);
    assert_text(lctl.out.take(), "version=1\n");
    assert_int_equal(run(lctl, "bogus\nignore_errors\nget_param version\n"), EINVAL);
    assert_text(lctl.out.take(), "");
}

void quit_ends_it(void**)
{
    for (const char* const word : {"quit", "exit"}) {
        TestLctl lctl;

        assert_int_equal(run(lctl, std::string(word) + "\nget_param version\n"), 0);
        assert_text(lctl.out.take(), "");
    }
}

void a_syntax_error_has_line_and_column(void**)
{
    TestLctl lctl;

    assert_int_equal(run(lctl, "get_param version\nget_param \\\n  'x\nget_param version\n"),
                     EINVAL);
    assert_text(lctl.err.take(),
                "FILE:3:3: error: syntax: the quote ' is not closed on its line\n");
    assert_text(lctl.out.take(), "version=1\n");
}

void session_words_take_no_argument(void**)
{
    TestLctl lctl;

    assert_int_equal(run(lctl, "quit now\n"), EINVAL);
    assert_text(lctl.err.take(), "FILE:1: error: quit: takes no argument\n");
}

void the_prefix_is_gone_afterwards(void**)
{
    TestLctl lctl;

    run(lctl, "bogus\n");
    lctl.err.take();
    assert_int_equal(lctl.run({"get_param", "nosuch"}), ENOENT);
    assert_int_equal(lctl.err.take().find("error: get_param: "), 0);
}

void nobody_who_reads_ends_it(void**)
{
    TestLctl lctl;

    lctl.out.fail_with = EPIPE;
    assert_int_equal(
        run(lctl, "get_param version\nset_param osc.lustre-OST0001.max_rpcs_in_flight=7\n", true),
        EPIPE);
    TestLctl other;
    assert_text(other.value_of("osc.lustre-OST0001.max_rpcs_in_flight"), "8");
}

void a_file_that_is_not_there_is_named(void**)
{
    TestLctl lctl;
    std::string words[] = {"lctl", "--batch=/nosuch/file"};
    char* const argv[] = {words[0].data(), words[1].data(), nullptr};

    assert_int_equal(lctl::run_lctl(lctl.context, 2, argv), ENOENT);
    assert_text(lctl.err.take(), "error: lctl: /nosuch/file: No such file or directory\n");
}

void beginnings_are_names_at_the_prompt_only(void**)
{
    TestLctl lctl;
    Session prompt(lctl.context, Session::Names::Abbreviated);
    Session batch(lctl.context, Session::Names::Whole);

    assert_int_equal(prompt.run_line("get version", 1), 0);
    assert_text(lctl.out.take(), "version=1\n");
    assert_int_equal(batch.run_line("get version", 1), EINVAL);
    lctl.err.take();

    assert_int_equal(prompt.run_line("debug x", 1), EINVAL);
    assert_text(lctl.err.take(), "error: debug: ambiguous: debug_kernel, debug_file, debug_list\n");
    // A complete name is not an abbreviation of a longer one, nor is an alias.
    assert_int_equal(prompt.run_line("help version", 1), 0);
    assert_int_equal(prompt.run_line("dk", 1), 0);
    assert_int_equal(prompt.run_line("nosuch", 1), EINVAL);
    assert_false(prompt.wants_to_end());
    assert_int_equal(prompt.run_line("q", 1), 0);
    assert_true(prompt.wants_to_end());
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(commands_run_in_order, start_tree, stop_tree),
        cmocka_unit_test_setup_teardown(quoted_and_joined_words_reach_the_command, start_tree,
                                        stop_tree),
        cmocka_unit_test_setup_teardown(the_first_error_ends_it, start_tree, stop_tree),
        cmocka_unit_test_setup_teardown(errors_are_ignored_when_asked, start_tree, stop_tree),
        cmocka_unit_test_setup_teardown(errors_are_ignored_from_the_command_on, start_tree,
                                        stop_tree),
        cmocka_unit_test_setup_teardown(quit_ends_it, start_tree, stop_tree),
        cmocka_unit_test_setup_teardown(a_syntax_error_has_line_and_column, start_tree, stop_tree),
        cmocka_unit_test_setup_teardown(session_words_take_no_argument, start_tree, stop_tree),
        cmocka_unit_test_setup_teardown(the_prefix_is_gone_afterwards, start_tree, stop_tree),
        cmocka_unit_test_setup_teardown(nobody_who_reads_ends_it, start_tree, stop_tree),
        cmocka_unit_test_setup_teardown(a_file_that_is_not_there_is_named, start_tree, stop_tree),
        cmocka_unit_test_setup_teardown(beginnings_are_names_at_the_prompt_only, start_tree,
                                        stop_tree),
    };

    return cmocka_run_group_tests_name("shell_batch", tests, nullptr, nullptr);
}
