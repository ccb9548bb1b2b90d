// SPDX-License-Identifier: GPL-2.0-only
// From names with globs to entries: which, in which order, and in how many calls.
#include <cerrno>
#include <vector>

#include "cmocka.hpp"
#include "fake_tree.hpp"
#include "lib/expand.hpp"
#include "lib/suggest.hpp"

using namespace ll;

namespace {

PathSpec spec(std::string_view text)
{
    auto parsed = PathSpec::parse(text);

    assert_true(parsed.has_value());
    return *parsed;
}

std::string expanded(FakeTree& tree, std::string_view pattern, Tail tail = Tail::Verify,
                     bool links = true)
{
    Params params(tree);
    const auto entries = expand(params, spec(pattern), tail, links);
    std::string out;

    assert_true(entries.has_value());
    for (const auto& entry : *entries)
        out += (out.empty() ? "" : " ") + entry.path;
    return out;
}

struct Seen {
    std::string names;
    size_t count = 0;
    unsigned int calls = 0;
};

Seen visited(FakeTree& tree, std::string_view pattern, Query query = {})
{
    Params params(tree);
    Seen seen;
    auto see = [&](const EntryView& entry) {
        std::string text;
        seen.names += (seen.names.empty() ? "" : " ") + std::string(entry.display);
        if (entry.status)
            seen.names += '!' + std::to_string(entry.status);
        else if (entry.has_value && value_as_string(entry.value, text))
            seen.names += '=' + text;
        else if (entry.has_value)
            seen.names += "=#";
        else if (entry.is_dir())
            seen.names += '/';
        return Visit::Continue;
    };

    tree.calls = 0;
    const auto count = visit_matching(params, spec(pattern), query, see);
    assert_true(count.has_value());
    seen.count = *count;
    seen.calls = tree.calls;
    return seen;
}

void fill(FakeTree& tree)
{
    tree.text("version", "1.0");
    tree.text("osc/A/state", "FULL");
    tree.text("osc/A/stats", "s");
    tree.text("osc/B/state", "IDLE");
    tree.text("osc/C/other", "o");
    tree.text("mdc/A/state", "FULL");
    tree.text("mdc/A/deep/er/state", "x");
    tree.link("link", "mdc/A");
    tree.link("osc/A/alias", "version");
    tree.text("osc/once", "o").flags = PARAMS_EF_VOLATILE;
    tree.text("mgc/MGC10.0.0.1@tcp/state", "FULL");
    tree.text("ofd/x/exports/10.0.0.1@tcp/uuid", "u1");
    tree.text("ofd/x/exports/10.0.0.2@tcp/uuid", "u2");
    tree.text("ofd/x/exports/fe80::1@tcp/uuid", "u3");
}

struct Case {
    const char *pattern, *paths;
};

constexpr Case cases[] = {
    {"version", "version"},
    {"nosuch", ""},
    {"osc.A.state", "osc/A/state"},
    {"osc.*.state", "osc/A/state osc/B/state"},
    {"osc.*.nosuch", ""},
    {"nosuch.*.state", ""},
    {"version.*", ""},
    {"osc.?", "osc/A osc/B osc/C"},
    {"osc.[!A]", "osc/B osc/C"},
    {"{osc,mdc}.A.state", "mdc/A/state osc/A/state"},
    {"*.A.state", "mdc/A/state osc/A/state"},
    {"*.*.state", "mdc/A/state mgc/MGC10.0.0.1@tcp/state osc/A/state osc/B/state"},
    {"osc.*.st*", "osc/A/state osc/A/stats osc/B/state"},
    {"osc.*.{state,other}", "osc/A/state osc/B/state osc/C/other"},
    {"**.state",
     "mdc/A/deep/er/state mdc/A/state mgc/MGC10.0.0.1@tcp/state "
     "osc/A/state osc/B/state"},
    {"mdc.**.state", "mdc/A/deep/er/state mdc/A/state"},
    {"mdc.**", "mdc/A mdc/A/deep mdc/A/deep/er mdc/A/deep/er/state mdc/A/state"},
    {"mdc.A.**.er.*", "mdc/A/deep/er/state"},
    {"**.er.**", "mdc/A/deep/er/state"},
    {"link.state", "link/state"},
    {"l*", "link"},
    {"l*.state", "link/state"},
    {"l*.*", "link/deep link/state"},
    {"l*.**.state", "link/deep/er/state link/state"},
    {"*.A.*.*.state", "mdc/A/deep/er/state"},
    {"*.A.*.*.*.state", ""},
    {"mgc.MGC*.state", "mgc/MGC10.0.0.1@tcp/state"},
    {"mgc.MGC10.0.0.1@tcp.state", "mgc/MGC10.0.0.1@tcp/state"},
    {"ofd.*.exports.10.0.0.1@tcp.uuid", "ofd/x/exports/10.0.0.1@tcp/uuid"},
    {"ofd.*.exports.10.0.0.*@tcp.uuid",
     "ofd/x/exports/10.0.0.1@tcp/uuid ofd/x/exports/10.0.0.2@tcp/uuid"},
    {"ofd.*.exports.*.uuid",
     "ofd/x/exports/10.0.0.1@tcp/uuid "
     "ofd/x/exports/10.0.0.2@tcp/uuid ofd/x/exports/fe80::1@tcp/uuid"},
};

void globs_find_what_they_mean(void**)
{
    FakeTree tree;

    fill(tree);
    for (const auto& one : cases) {
        const std::string got = expanded(tree, one.pattern);
        if (got != one.paths)
            print_error("pattern %s\n", one.pattern);
        assert_text(got, one.paths);
    }
}

void searching_reads_no_value(void**)
{
    FakeTree tree;

    fill(tree);
    for (const auto& one : cases)
        (void)expanded(tree, one.pattern);
    assert_int_equal(tree.calls_of[PARAMS_IOC_READ] + tree.calls_of[PARAMS_IOC_READ_BATCH], 0);
    for (const char* path : {"osc/A/state", "mdc/A/deep/er/state", "version", "osc/once"})
        assert_int_equal(tree.find(path)->reads, 0);
}

void a_literal_tail_is_left_to_who_reads(void**)
{
    FakeTree tree;

    fill(tree);
    assert_text(expanded(tree, "osc.*.state", Tail::Leave), "osc/A/state osc/B/state osc/C/state");
    assert_text(expanded(tree, "nosuch", Tail::Leave), "nosuch");
    tree.calls = 0;
    assert_text(expanded(tree, "osc.*.x.y", Tail::Leave), "osc/A/x/y osc/B/x/y osc/C/x/y");
    assert_int_equal(tree.calls, 1);
}

void links_can_be_left_out(void**)
{
    FakeTree tree;

    fill(tree);
    assert_text(expanded(tree, "l*", Tail::Verify, false), "");
    assert_text(expanded(tree, "l*.state", Tail::Verify, false), "");
    assert_text(expanded(tree, "osc.A.*", Tail::Verify, false), "osc/A/state osc/A/stats");
    assert_text(visited(tree, "osc.A.*", {.links = false}).names, "osc.A.state=FULL osc.A.stats=s");
    assert_text(visited(tree, "osc.*.alias", {.links = false}).names, "");
    assert_text(visited(tree, "osc.*", {.recursive = true, .values = false, .links = false}).names,
                "osc.A/ osc.A.state osc.A.stats osc.B/ osc.B.state osc.C/ osc.C.other osc.once");
}

void values_come_with_their_names(void**)
{
    FakeTree tree;

    fill(tree);
    assert_text(visited(tree, "osc.*.state").names, "osc.A.state=FULL osc.B.state=IDLE");
    assert_text(visited(tree, "version").names, "version=1.0");
    assert_text(visited(tree, "osc.A.alias").names, "osc.A.alias=1.0");
    assert_int_equal(visited(tree, "nosuch").count, 0);
    assert_int_equal(visited(tree, "osc.*.nosuch").count, 0);
    assert_text(visited(tree, "osc.A").names, "osc.A/");
    assert_text(visited(tree, "osc.*").names, "osc.A/ osc.B/ osc.C/ osc.once=o");
    assert_text(visited(tree, "l*.state").names, "link.state=FULL");
}

void names_come_without_being_read(void**)
{
    FakeTree tree;

    fill(tree);
    tree.calls_of.clear();
    assert_text(visited(tree, "osc.*", {.values = false}).names, "osc.A/ osc.B/ osc.C/ osc.once");
    assert_text(visited(tree, "mdc", {.recursive = true, .values = false}).names,
                "mdc/ mdc.A/ mdc.A.deep/ mdc.A.deep.er/ mdc.A.deep.er.state mdc.A.state");
    assert_text(visited(tree, "*.A", {.recursive = true, .values = false}).names,
                "mdc.A/ mdc.A.deep/ mdc.A.deep.er/ mdc.A.deep.er.state mdc.A.state "
                "osc.A/ osc.A.alias osc.A.state osc.A.stats");
    assert_int_equal(tree.calls_of[PARAMS_IOC_READ_BATCH], 0);
}

void recursion_shows_all_below_once(void**)
{
    FakeTree tree;

    fill(tree);
    const Seen all = visited(tree, "*", {.recursive = true});
    assert_int_equal(all.calls, 1);
    assert_text(visited(tree, "**", {}).names, all.names);
    assert_text(visited(tree, "osc.*", {.recursive = true}).names,
                "osc.A/ osc.A.alias osc.A.state=FULL osc.A.stats=s osc.B/ "
                "osc.B.state=IDLE osc.C/ osc.C.other=o osc.once");
    assert_text(visited(tree, "osc", {.recursive = true}).names,
                "osc/ osc.A/ osc.A.alias osc.A.state=FULL osc.A.stats=s osc.B/ "
                "osc.B.state=IDLE osc.C/ osc.C.other=o osc.once");
    assert_text(visited(tree, "[ov]*", {.recursive = true, .values = false}).names,
                "ofd/ ofd.x/ ofd.x.exports/ ofd.x.exports.10.0.0.1@tcp/ "
                "ofd.x.exports.10.0.0.1@tcp.uuid ofd.x.exports.10.0.0.2@tcp/ "
                "ofd.x.exports.10.0.0.2@tcp.uuid ofd.x.exports.fe80::1@tcp/ "
                "ofd.x.exports.fe80::1@tcp.uuid osc/ osc.A/ osc.A.alias osc.A.state "
                "osc.A.stats osc.B/ osc.B.state osc.C/ osc.C.other osc.once version");
    assert_text(visited(tree, "{mdc,v*}", {.recursive = true}).names,
                "mdc/ mdc.A/ mdc.A.deep/ mdc.A.deep.er/ mdc.A.deep.er.state=x "
                "mdc.A.state=FULL version=1.0");
}

void recursion_passes_over_side_effects_unless_named(void**)
{
    FakeTree tree;

    fill(tree);
    (void)visited(tree, "*", {.recursive = true});
    (void)visited(tree, "osc.o*", {.recursive = true});
    assert_int_equal(tree.find("osc/once")->reads, 0);
    assert_text(visited(tree, "osc.once", {.recursive = true}).names, "osc.once=o");
    assert_text(visited(tree, "osc.once").names, "osc.once=o");
}

void errors_of_entries_go_to_the_visitor(void**)
{
    FakeTree tree;

    fill(tree);
    tree.find("osc/A/state")->read_error = EIO;
    tree.find("osc/B/state")->mode = 0100200;
    assert_text(visited(tree, "osc.*.state").names, "osc.A.state!5 osc.B.state!13");
    tree.find("osc/A/state")->read_error = ENODEV;
    assert_text(visited(tree, "osc.A.state").names, "osc.A.state!19");
    assert_text(visited(tree, "osc.*.state").names, "osc.B.state!13");
}

void errors_of_calls_are_returned(void**)
{
    FakeTree tree;
    Params params(tree);
    auto see = [](const EntryView&) { return Visit::Continue; };

    fill(tree);
    tree.fail_with = EPROTO;
    for (const char* pattern : {"osc", "osc.*.state", "*", "**.state"}) {
        assert_int_equal(expand(params, spec(pattern), Tail::Verify).error().code, EPROTO);
        assert_int_equal(visit_matching(params, spec(pattern), {}, see).error().code, EPROTO);
        assert_int_equal(
            visit_matching(params, spec(pattern), {.recursive = true}, see).error().code, EPROTO);
    }
}

void visitors_can_stop_a_search(void**)
{
    FakeTree tree;

    fill(tree);
    for (const char* pattern : {"osc.*", "osc", "*", "**", "osc.*.state", "l*.state", "{osc,mdc}"})
        for (int mode = 0; mode < 4; mode++) {
            Params params(tree);
            int seen = 0;
            auto stop = [&](const EntryView&) {
                seen++;
                return Visit::Stop;
            };
            const Query query = {.recursive = (mode & 1) != 0, .values = (mode & 2) != 0};
            assert_int_equal(*visit_matching(params, spec(pattern), query, stop), 1);
            assert_int_equal(seen, 1);
        }
}

// 1 000 directories of 20: the number of calls of a wide glob.
void wide_globs_cost_a_handful_of_calls(void**)
{
    FakeTree tree;

    for (int i = 0; i < 1000; i++)
        for (int k = 0; k < 20; k++)
            tree.text("ldlm/ns/d" + std::to_string(i) + "/p" + std::to_string(k), "v");
    Seen seen = visited(tree, "ldlm.ns.*.p7");
    assert_int_equal(seen.count, 1000);
    assert_true(seen.calls <= 3);
    seen = visited(tree, "ldlm.*.*.p7", {.values = false});
    assert_int_equal(seen.count, 1000);
    assert_true(seen.calls <= 4);
    seen = visited(tree, "*.ns.*.p1*");
    assert_int_equal(seen.count, 11000);
    assert_true(seen.calls <= 6);
    seen = visited(tree, "**.p7", {.values = false});
    assert_int_equal(seen.count, 1000);
    assert_true(seen.calls <= 3);
    seen = visited(tree, "*", {.recursive = true});
    assert_int_equal(seen.count, 21002);
    assert_true(seen.calls <= 6);
    seen = visited(tree, "*", {.recursive = true, .values = false});
    assert_int_equal(seen.count, 21002);
    assert_true(seen.calls <= 3);
    seen = visited(tree, "ldlm.ns.d7.p7");
    assert_int_equal(seen.calls, 1);
}

// A tree in which every component of the pattern has many children.
void many_partial_matches_are_listed_in_one_go(void**)
{
    FakeTree tree;

    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 3; k++)
            tree.text("t/d" + std::to_string(i) + "/exports/n" + std::to_string(k) + "/u", "v");
    const Seen seen = visited(tree, "t.*.exports.*.u");
    assert_int_equal(seen.count, 120);
    assert_true(seen.calls <= 4);
    assert_int_equal(visited(tree, "t.d1*.exports.*.u").count, 33);
}

void dots_that_a_shell_left_bare_are_found(void**)
{
    FakeTree tree;

    tree.text("a/b.c/d.e", "x");
    tree.text("a/b/other", "y");
    tree.text("p.q", "z");
    assert_text(visited(tree, "a.b.c.d.e").names, "a.b\\.c.d\\.e=x");
    assert_text(visited(tree, "p.q").names, "p\\.q=z");
    assert_text(visited(tree, "a.b.c.*").names, "a.b\\.c.d\\.e=x");
    assert_text(visited(tree, "a.b.c.d.e", {.values = false}).names, "a.b\\.c.d\\.e");
    assert_int_equal(visited(tree, "a/b/c/d.e").count, 0);  // slashes mean what they say
    assert_int_equal(visited(tree, "a.b.x").count, 0);
    assert_text(visited(tree, "a.b.other").names, "a.b.other=y");
    std::string deep = "a";
    for (int i = 0; i < 40; i++)
        deep += ".a";
    tree.calls = 0;
    assert_int_equal(visited(tree, deep).count, 0);
    assert_true(tree.calls < 100);
}

std::string near(FakeTree& tree, std::string_view name)
{
    Params params(tree);
    std::string out;

    for (const auto& one : near_names(params, spec(name)))
        out += (out.empty() ? "" : " ") + one;
    return out;
}

void near_names_are_suggested(void**)
{
    FakeTree tree;

    tree.u64("osc/a/max_rpcs_in_flight", 1);
    tree.u64("osc/a/max_dirty_mb", 1);
    tree.u64("osc/b/max_dirty_mb", 1);
    tree.u64("mdc/a/max_rpcs_in_flight", 1);
    tree.u64("timeout", 1);
    assert_text(near(tree, "timeuot"), "timeout");
    assert_text(near(tree, "osc.a.max_rpcs_in_fligth"), "osc.a.max_rpcs_in_flight");
    assert_text(near(tree, "osc.a.max_rpcs"), "osc.a.max_rpcs_in_flight");
    assert_text(near(tree, "osx.a.max_dirty_mb"), "osc.a.max_dirty_mb");
    assert_text(near(tree, "osc.*.max_dirty_m"), "osc.a.max_dirty_mb osc.b.max_dirty_mb");
    assert_text(near(tree, "osd.a"), "osc.a");
    assert_text(near(tree, "nothing.like.it"), "");
    assert_text(near(tree, "osc.a.max_dirty_mb"), "");
    assert_text(near(tree, "osc.*.x*"), "");
}

void edits_are_counted(void**)
{
    assert_int_equal(edit_distance("", "", 3), 0);
    assert_int_equal(edit_distance("abc", "abc", 3), 0);
    assert_int_equal(edit_distance("abc", "acb", 3), 1);
    assert_int_equal(edit_distance("abc", "abcd", 3), 1);
    assert_int_equal(edit_distance("abc", "xbc", 3), 1);
    assert_int_equal(edit_distance("kitten", "sitting", 3), 3);
    assert_int_equal(edit_distance("kitten", "sitting", 2), 3);
    assert_int_equal(edit_distance("a", "abcdefgh", 2), 3);
}

void the_nearest_name_is_meant(void**)
{
    constexpr std::string_view kNames[] = {"find", "getname", "getstripe", "df"};

    assert_text(std::string(nearest_name("fidn", kNames)), "find");
    assert_text(std::string(nearest_name("getn", kNames)), "getname");
    assert_text(std::string(nearest_name("getstrip3", kNames)), "getstripe");
    assert_text(std::string(nearest_name("no", kNames)), "");
    assert_text(std::string(nearest_name("", kNames)), "");
    assert_text(std::string(nearest_name("setquota", kNames)), "");
    assert_text(did_you_mean("df"), "; did you mean 'df'?");
    assert_text(did_you_mean(""), "");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(globs_find_what_they_mean),
        cmocka_unit_test(searching_reads_no_value),
        cmocka_unit_test(a_literal_tail_is_left_to_who_reads),
        cmocka_unit_test(links_can_be_left_out),
        cmocka_unit_test(values_come_with_their_names),
        cmocka_unit_test(names_come_without_being_read),
        cmocka_unit_test(recursion_shows_all_below_once),
        cmocka_unit_test(recursion_passes_over_side_effects_unless_named),
        cmocka_unit_test(errors_of_entries_go_to_the_visitor),
        cmocka_unit_test(errors_of_calls_are_returned),
        cmocka_unit_test(visitors_can_stop_a_search),
        cmocka_unit_test(wide_globs_cost_a_handful_of_calls),
        cmocka_unit_test(many_partial_matches_are_listed_in_one_go),
        cmocka_unit_test(dots_that_a_shell_left_bare_are_found),
        cmocka_unit_test(near_names_are_suggested),
        cmocka_unit_test(edits_are_counted),
        cmocka_unit_test(the_nearest_name_is_meant),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
