// SPDX-License-Identifier: GPL-2.0-only
/* Completion: candidates, number of calls, and the line after Tab. */
#include <string>
#include <vector>

#include "cmocka.hpp"
#include "fake_tree.hpp"
#include "lctl/shell/completion.hpp"
#include "lctl/shell/names.hpp"
#include "lctl/shell/prompt.hpp"
#include "real_tree.h"
#include "test_system.hpp"

using namespace lctl::shell;
using Words = std::vector<std::string>;

namespace {

/* Candidates as `lctl --complete` prints them: complete ones end in a blank. */
std::string offered(const Words& before, const std::string& word,
                    Completion::Where where = Completion::Where::CommandLine)
{
    TestLctl lctl;
    Completion completion(lctl.context, where);
    std::string text;

    for (const Candidate& candidate : completion.complete(before, word))
        text += candidate.text + (candidate.finished ? " |" : "|");
    return text;
}

struct Offer {
    Words before;
    const char* word;
    const char* candidates;
};

void check(const std::vector<Offer>& offers)
{
    for (const Offer& offer : offers)
        assert_text(offered(offer.before, offer.word), offer.candidates);
}

void commands_are_offered_first(void**)
{
    check({{{}, "get", "get_param |"},
           {{}, "deb", "debug_file |debug_kernel |debug_list |"},
           {{}, "nosuch", ""},
           {{"help"}, "sa", "save_params |"},
           {{"--ignore_errors"}, "get", "get_param |"},
           {{"--batch", "file"}, "get", "get_param |"}});
    assert_text(offered({}, "qu"), "");
    assert_text(offered({}, "qu", Completion::Where::Prompt), "quit |");
}

void options_come_from_the_table(void**)
{
    check({{{"save_params"}, "--", "--help |--output=|"},
           {{"apply_params"}, "--d", "--dry-run |"},
           {{"get_param"}, "--color=al", "--color=always |"},
           {{"get_param", "-c"}, "al", "always |"},
           {{"get_param", "--color"}, "nev", "never |"},
           {{"get_param", "--"}, "--", ""},
           {{}, "--ba", "--batch=|"},
           {{"nosuch"}, "--", ""}});
}

void words_of_operands_are_offered(void**)
{
    check({{{"debug_list"}, "", "subs |types |"},
           {{"show"}, "in", "info |inode |"},
           {{"filter"}, "m", "mdc |"},
           {{"clear"}, "", ""}});
}

void devices_and_types_are_offered(void**)
{
    check({{{"device"}, "", "es |osc0 |"},
           {{"device"}, "e", "es |"},
           {{"device"}, "$o", "$osc0 |"},
           {{"setup", "--device", "es"}, "%", "%es |%osc0 |"},
           {{"cleanup", "--device"}, "o", "osc0 |"},
           {{"cleanup"}, "--device=o", "--device=osc0 |"},
           {{"cleanup"}, "f", "failover |force |"},
           {{"attach"}, "o", "obdecho |obdfilter |osc |"},
           {{"attach", "obdecho"}, "o", ""},
           {{}, "--dev", "--device=|"},
           {{}, "--device=e", "--device=es |"},
           {{"--device"}, "", "es |osc0 |"},
           {{"--device", "es"}, "clean", "cleanup |"},
           {{"--device=es"}, "clean", "cleanup |"}});
}

void names_grow_by_one_component(void**)
{
    check({{{"get_param"}, "os", "osc.|"},
           {{"get_param"}, "osc.f", "osc.first.|"},
           {{"get_param"},
            "osc.lustre-OST0001.max",
            "osc.lustre-OST0001.max_dirty_mb |"
            "osc.lustre-OST0001.max_rpcs_in_flight |"},
           {{"get_param"}, "osc/lustre-OST0001/ac", "osc/lustre-OST0001/active |"},
           {{"get_param"}, "osc.first.ac", "osc.first.active |"},
           {{"get_param", "version"}, "vers", "version |"},
           {{"get_param"}, "nosuch.", ""},
           {{"get_param"}, "osc.nosuch.", ""},
           {{"get_param"},
            "",
            "debug |exports.|many.|osc.|peers.|stubborn |subsystem_debug |"
            "version |volatile |"}});
}

void globs_stand_for_what_they_match(void**)
{
    check({{{"get_param"}, "osc.*.ac", "osc.*.active |"},
           {{"get_param"}, "osc.lustre-OST000[12].ac", "osc.lustre-OST000[12].active |"},
           {{"get_param"}, "*.lustre-OST0001.ac", "*.lustre-OST0001.active |"},
           {{"get_param"}, "osc.lus*", ""},
           {{"get_param"}, "**.ac", ""}});
}

void dots_in_names_are_kept_or_escaped(void**)
{
    check({{{"get_param"}, "exports.10.0.0.", "exports.10.0.0.1@tcp.|exports.10.0.0.2@tcp.|"},
           {{"get_param"}, "exports.10.0.0.2", "exports.10.0.0.2@tcp.|"},
           {{"get_param"}, "exports.10.0.0.2@tcp.", "exports.10.0.0.2@tcp.value |"},
           {{"get_param"},
            R"(peers.10\.0\.0\.)",
            R"(peers.10\.0\.0\.1@tcp.|peers.10\.0\.0\.2@tcp.|)"},
           {{"get_param"}, R"(peers.10\.0\.0\.1@tcp.v)", R"(peers.10\.0\.0\.1@tcp.value |)"}});
}

void only_what_can_be_set_is_offered_to_set(void**)
{
    check({{{"set_param"}, "ver", ""},
           {{"set_param"}, "vol", "volatile=|"},
           {{"set_param"}, "os", "osc.|"},
           {{"set_param"}, "osc.*.max_d", "osc.*.max_dirty_mb=|"},
           {{"get_param"}, "osc.first.ri", ""}});
}

void values_come_from_the_declaration(void**)
{
    check({{{"set_param"},
            "osc.*.checksum_type=",
            "osc.*.checksum_type=adler |"
            "osc.*.checksum_type=crc32 |"
            "osc.*.checksum_type=crc32c |"},
           {{"set_param"}, "osc.first.active=", "osc.first.active=0 |osc.first.active=1 |"},
           {{"set_param", "osc.first.active"}, "1", "1 |"},
           {{"set_param"}, "osc.first.stats=", "osc.first.stats=clear |"},
           {{"set_param"}, "osc.first.note=", ""},
           {{"set_param"}, "nosuch=", ""},
           {{"set_param"}, "debug=+in", "debug=+info|debug=+inode|"},
           {{"set_param"}, "debug=+info -tr", "debug=+info -trace|"},
           {{"set_param", "debug=x"}, "vol", "volatile=|"}});
}

void without_a_module_nothing_is_offered(void**)
{
    TestLctl lctl;
    Completion completion(lctl.context, Completion::Where::CommandLine);
    const Words before = {"get_param"};

    lctl.system.loaded = false;
    assert_true(completion.complete(before, "o").empty());
    assert_text(lctl.err.take(), "");
}

void many_names_are_offered_by_their_beginnings(void**)
{
    TestLctl lctl;
    Completion completion(lctl.context, Completion::Where::CommandLine);
    const Words before = {"get_param"};

    assert_text(offered(before, "many."), "many.t00|many.t01|many.t02|many.t03|many.t04|");
    assert_text(offered(before, "many.t0"), "many.t00|many.t01|many.t02|many.t03|many.t04|");
    assert_text(offered(before, "many.t04999"), "many.t04999.|");

    // A listing of all would take a hundred calls or more.
    assert_int_equal(completion.complete(before, "many.t04").size(), 10);
    assert_in_range(lctl.system.port->calls_of[PARAMS_IOC_LIST], 1, 40);
}

std::string children(FakeTree& tree, const std::string& prefix, std::size_t limit)
{
    PrefixLister lister(tree, limit);
    const auto found = lister.find("d", prefix);
    std::string text;

    assert_true(found.has_value());
    for (const Child& child : *found)
        text += child.name + (child.whole ? " " : "* ");
    return text;
}

void a_listing_begins_at_the_prefix(void**)
{
    FakeTree tree;

    for (const char* const name :
         {"a", "ab", "ab/x", "abc", "b0", "b/", "b", "\xff", "\x01", "ab\xff"})
        if (std::string_view(name).find('/') == std::string_view::npos)
            tree.u64(std::string("d/") + name, 1);
    assert_text(children(tree, "ab", 10), "ab abc ab\xff ");
    assert_text(children(tree, "b0", 10), "b0 ");
    assert_text(children(tree, "\x01", 10), "\x01 ");
    assert_text(children(tree, "\xff", 10), "\xff ");
    assert_text(children(tree, "0", 10), "");
    assert_text(children(tree, "abcd", 10), "");
    assert_text(children(tree, "ab", 2), "ab abc* ab\xff* ");
    assert_text(children(tree, "a", 2), "a ab* ");
    assert_text(children(tree, "", 2), "\x01* a* b* \xff* ");
}

void every_first_byte_can_be_listed(void**)
{
    TestLctl lctl;
    const auto params = lctl.context.params();

    assert_true(params.has_value());
    PrefixLister lister((*params)->port(), 10);
    for (int byte = 1; byte < 256; byte++) {
        if (byte == '/')
            continue;
        const std::string prefix(1, static_cast<char>(byte));
        const auto found = lister.find("osc", prefix);
        if (!found)
            fail_msg("byte %d: %s", byte, found.error().text.c_str());
        assert_int_equal(found->size(), prefix == "l" ? 3 : prefix == "f" ? 1 : 0);
    }
}

void a_small_buffer_of_the_kernel_is_no_end(void**)
{
    FakeTree tree;
    std::string all;

    tree.most_room = 64;
    for (int i = 10; i < 60; i++) {
        tree.u64("d/n" + std::to_string(i), 1);
        all += "n" + std::to_string(i) + " ";
    }
    assert_text(children(tree, "n", 100), all);
}

void a_listing_that_makes_no_sense_is_refused(void**)
{
    FakeTree tree;

    tree.u64("d/a", 1);
    tree.meddle = [](unsigned long, void* arg, int&) {
        auto* const list = static_cast<params_ioc_list*>(arg);
        auto* const head = reinterpret_cast<params_list_rec*>(list->pl_buf);
        head->lr_name_len = 60000;
    };
    PrefixLister lister(tree, 10);
    assert_int_equal(lister.find("d", "").error().code, EPROTO);
}

struct Tab {
    const char* before;
    const char* after;
    const char* list;
};

const Tab tabs[] = {
    {"ge", "get_param ", ""},
    {"help", "help", "help        help_param\n"},
    {"nosuch", "nosuch", ""},
    {"get_param os", "get_param osc.", ""},
    {"get_param osc.lu", "get_param osc.lustre-OST000", ""},
    {"get_param osc.lustre-OST000", "get_param osc.lustre-OST000",
     "lustre-OST0000.  lustre-OST0001.  lustre-OST0002.\n"},
    {"get_param osc.first.max_r", "get_param osc.first.max_rpcs_in_flight ", ""},
    {"get_param 'osc.first.max_r", "get_param 'osc.first.max_rpcs_in_flight' ", ""},
    {"get_param \"osc.fi", "get_param \"osc.first.", ""},
    {"get_param 'os", "get_param 'osc.", ""},
    {R"(get_param peers.10\.0\.0\.1)", R"(get_param peers.10\.0\.0\.1@tcp.)", ""},
    {"set_param osc.first.active", "set_param osc.first.active=", ""},
    {"set_param debug=+inf", "set_param debug=+info", ""},
    {"set_param 'debug=+info -tr", "set_param 'debug=+info -trace", ""},
    {"get_param version # os", "get_param version # os", ""},
    {"debug_list ", "debug_list ", "subs   types\n"},
};

void tab_completes_or_lists(void**)
{
    TestLctl lctl;
    Completion completion(lctl.context, Completion::Where::Prompt);

    for (const Tab& tab : tabs) {
        const Completed completed = complete_line(completion, tab.before, 60);

        assert_text(completed.text, tab.after);
        assert_text(completed.list, tab.list);
    }
}

void columns_fit_the_terminal(void**)
{
    assert_text(in_columns({"a", "b", "c", "d", "e"}, 8), "a  c  e\nb  d\n");
    assert_text(in_columns({"long-name", "x"}, 5), "long-name\nx\n");
    assert_text(in_columns({}, 80), "");
}

}  // namespace

#define on_tree(test) cmocka_unit_test_setup_teardown(test, start_tree, stop_tree)

int main()
{
    const CMUnitTest tests[] = {
        on_tree(commands_are_offered_first),
        on_tree(options_come_from_the_table),
        on_tree(words_of_operands_are_offered),
        on_tree(devices_and_types_are_offered),
        on_tree(names_grow_by_one_component),
        on_tree(globs_stand_for_what_they_match),
        on_tree(dots_in_names_are_kept_or_escaped),
        on_tree(only_what_can_be_set_is_offered_to_set),
        on_tree(values_come_from_the_declaration),
        on_tree(without_a_module_nothing_is_offered),
        on_tree(many_names_are_offered_by_their_beginnings),
        cmocka_unit_test(a_listing_begins_at_the_prefix),
        on_tree(every_first_byte_can_be_listed),
        cmocka_unit_test(a_small_buffer_of_the_kernel_is_no_end),
        cmocka_unit_test(a_listing_that_makes_no_sense_is_refused),
        on_tree(tab_completes_or_lists),
        cmocka_unit_test(columns_fit_the_terminal),
    };

    return cmocka_run_group_tests_name("shell_completion", tests, nullptr, nullptr);
}
