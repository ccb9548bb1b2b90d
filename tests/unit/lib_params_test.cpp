// SPDX-License-Identifier: GPL-2.0-only
// The calls over a tree that behaves: what comes, in which order, in how many
// calls, and where values and listings are resumed.
#include <cerrno>
#include <vector>

#include <sys/stat.h>

#include "cmocka.hpp"
#include "fake_tree.hpp"
#include "lib/params.hpp"
#include "lib/pathspec.hpp"

using namespace ll;

namespace {

// "osc.a=1 ..." as a visitor sees it: displayed name and, if there is one, value.
std::string shown(const EntryView& entry)
{
    std::string out(entry.display), text;

    if (entry.is_dir())
        return out + '/';
    if (entry.status)
        return out + '!' + std::to_string(entry.status);
    if (!entry.has_value)
        return out;
    if (value_as_string(entry.value, text))
        return out + '=' + text;
    Record rec;
    RecordReader reader(entry.value);
    return reader.next(rec) ? out + '=' + std::to_string(rec.u64()) : out + "=";
}

std::string join(const std::vector<std::string>& all)
{
    std::string out;

    for (const auto& one : all)
        out += (out.empty() ? "" : " ") + one;
    return out;
}

std::string subtree(Params& params, std::string_view path)
{
    std::vector<std::string> all;
    auto see = [&](const EntryView& entry) {
        all.push_back(shown(entry));
        return Visit::Continue;
    };

    assert_true(params.read_subtree(path, see).has_value());
    return join(all);
}

std::string listing(Params& params, std::string_view path, unsigned int depth)
{
    std::vector<std::string> all;
    auto see = [&](const EntryView& entry) {
        assert_text(entry.name, raw_name(entry.path));
        assert_false(entry.has_value);
        all.push_back(shown(entry));
        return Visit::Continue;
    };

    assert_true(params.list(path, depth, see).has_value());
    return join(all);
}

void fill(FakeTree& tree)
{
    tree.u64("timeout", 100);
    tree.u64("osc/a/max", 8);
    tree.text("osc/a/state", "FULL");
    tree.u64("osc/b.c/max", 9);
    tree.text("osc/b.c/uuid", "x");
    tree.link("osc/link", "osc/a");
    tree.u64("osc/once", 1).flags = PARAMS_EF_VOLATILE;
    tree.u64("osc/trigger", 1, 0100200);
    tree.u64("osc/broken", 1).read_error = EIO;
}

void listings_are_depth_first_and_by_levels(void**)
{
    FakeTree tree;
    Params params(tree);

    fill(tree);
    assert_text(listing(params, "osc", 1),
                "osc.a/ osc.b\\.c/ osc.broken osc.link osc.once osc.trigger");
    assert_text(listing(params, "", 0),
                "osc/ osc.a/ osc.a.max osc.a.state osc.b\\.c/ osc.b\\.c.max "
                "osc.b\\.c.uuid osc.broken osc.link osc.once osc.trigger timeout");
    assert_int_equal(tree.calls, 2);
    assert_text(listing(params, "osc/link", 0), "osc.link.max osc.link.state");
}

void listings_resume_wherever_the_buffer_ends(void**)
{
    FakeTree tree;
    Params params(tree);

    fill(tree);
    const std::string whole = listing(params, "", 0);
    for (uint32_t room = 24; room < 400; room += 8) {
        tree.most_room = room;
        assert_text(listing(params, "", 0), whole);
    }
}

void subtrees_come_with_values(void**)
{
    FakeTree tree;
    Params params(tree);
    const char* whole =
        "osc.a/ osc.a.max=8 osc.a.state=FULL osc.b\\.c/ osc.b\\.c.max=9 "
        "osc.b\\.c.uuid=x osc.broken!5 osc.link osc.once osc.trigger";

    fill(tree);
    assert_text(subtree(params, "osc"), whole);
    assert_int_equal(tree.calls, 1);
    assert_int_equal(tree.find("osc/once")->reads, 0);
    assert_int_equal(tree.find("osc/a/max")->reads, 1);
    for (uint32_t room = 64; room < 400; room += 8) {
        tree.most_room = room;
        assert_text(subtree(params, "osc"), whole);
    }
}

void a_callback_runs_once_for_each_value(void**)
{
    FakeTree tree;
    Params params(tree);

    tree.text("a", std::string(3000, 'a'));
    tree.text("b", std::string(100, 'b'));
    tree.most_room = 128;
    tree.records("c", [] {
        ValuePacker v;
        for (uint64_t i = 0; i < 100; i++)
            v.u64("n", i);
        return v;
    }());
    tree.most_room = 4096;
    (void)subtree(params, "");
    for (const char* name : {"a", "b", "c"})
        assert_int_equal(tree.find(name)->reads, 1);
}

void a_large_value_waits_as_a_snapshot(void**)
{
    FakeTree tree;
    Params params(tree);
    const std::string large(10 * 1024 * 1024, 'x');
    std::vector<std::string> names;
    size_t bytes = 0;

    tree.text("a", "first");
    tree.text("large", large);
    tree.text("z", "last");
    auto see = [&](const EntryView& entry) {
        std::string text;
        names.emplace_back(entry.display);
        assert_true(value_as_string(entry.value, text));
        bytes += text.size();
        if (entry.name == "large")
            assert_true(text == large);
        return Visit::Continue;
    };
    assert_true(params.read_subtree("", see).has_value());
    PathList paths;
    for (const char* path : {"z", "large", "a"})
        paths.add(path);
    assert_true(params.read_many(paths, see).has_value());
    assert_text(join(names), "a large z z large a");
    assert_int_equal(bytes, 2 * (large.size() + 9));
    const auto value = params.read("large");
    std::string text;
    assert_true(value_as_string(value->view(), text));
    assert_true(text == large);
    assert_int_equal(tree.find("large")->reads, 3);
}

void a_lost_snapshot_is_the_error_of_its_entry(void**)
{
    FakeTree tree;
    Params params(tree);
    std::vector<std::string> all;
    auto see = [&](const EntryView& entry) {
        all.push_back(shown(entry));
        return Visit::Continue;
    };

    tree.text("large", std::string(200000, 'x'));
    tree.text("z", "last");
    tree.meddle = [](unsigned long cmd, void*, int& rc) {
        if (cmd == PARAMS_IOC_READ)
            rc = -ESTALE;
    };
    assert_true(params.read_subtree("", see).has_value());
    assert_text(join(all), "large!116 z=last");
}

void many_paths_come_in_order_with_their_errors(void**)
{
    FakeTree tree;
    Params params(tree);
    PathList paths;
    std::vector<std::string> all;
    auto see = [&](const EntryView& entry) {
        assert_int_equal(entry.index, all.size());
        all.push_back(shown(entry));
        return Visit::Continue;
    };

    fill(tree);
    for (const char* path : {"timeout", "nosuch", "osc/b.c/max", "osc/a", "osc/broken",
                             "osc/trigger", "osc/once", "timeout/x"})
        paths.add(path);
    assert_text(paths.at(2), "osc/b.c/max");
    assert_int_equal(paths.size(), 8);
    assert_true(params.read_many(paths, see).has_value());
    const char* whole =
        "timeout=100 nosuch!2 osc.b\\.c.max=9 osc.a/ osc.broken!5 "
        "osc.trigger!13 osc.once=1 timeout.x!20";
    assert_text(join(all), whole);
    assert_int_equal(tree.calls, 1);
    for (uint32_t room = 40; room < 200; room += 8) {
        tree.most_room = room;
        all.clear();
        assert_true(params.read_many(paths, see).has_value());
        assert_text(join(all), whole);
    }
    paths.clear();
    assert_true(paths.empty());
}

void more_paths_than_a_call_takes_are_split(void**)
{
    FakeTree tree;
    Params params(tree);
    PathList paths;
    size_t seen = 0;

    tree.u64("x", 5);
    for (int i = 0; i < 40000; i++)
        paths.add("x");
    auto see = [&](const EntryView& entry) {
        assert_int_equal(entry.index, seen++);
        return Visit::Continue;
    };
    assert_true(params.read_many(paths, see).has_value());
    assert_int_equal(seen, 40000);
    assert_true(tree.calls <= 10);
}

void a_visitor_can_stop(void**)
{
    FakeTree tree;
    Params params(tree);
    PathList paths;
    int seen = 0;
    auto stop = [&](const EntryView&) { return ++seen == 2 ? Visit::Stop : Visit::Continue; };

    fill(tree);
    tree.most_room = 64;
    assert_true(params.list("", 0, stop).has_value());
    assert_int_equal(seen, 2);
    seen = 0;
    assert_true(params.read_subtree("osc", stop).has_value());
    assert_int_equal(seen, 2);
    seen = 0;
    for (int i = 0; i < 5; i++)
        paths.add("timeout");
    assert_true(params.read_many(paths, stop).has_value());
    assert_int_equal(seen, 2);
}

void one_value_is_read_from_a_record_on(void**)
{
    FakeTree tree;
    Params params(tree);
    ValuePacker v;
    Record rec;

    for (uint64_t i = 0; i < 1000; i++)
        v.u64("n", i);
    tree.records("many", v);
    tree.most_room = 256;
    const auto value = params.read("many", 990);
    RecordReader reader(value->view());
    uint64_t expected = 990;
    while (reader.next(rec))
        assert_int_equal(rec.u64(), expected++);
    assert_int_equal(expected, 1000);
    assert_int_equal(value->type, PARAMS_T_RECORDS);
    assert_true(params.read("many", 5000)->bytes.empty());
    assert_int_equal(params.read("nosuch").error().code, ENOENT);
    assert_text(params.read("a/nosuch.x").error().text, "a.nosuch\\.x: No such file or directory");
}

void an_entry_is_looked_up_without_being_read(void**)
{
    FakeTree tree;
    Params params(tree);

    fill(tree);
    tree.u64("osc/a/\x01", 1);
    tree.u64("osc/a/ma", 1);
    tree.u64(std::string(255, 'n'), 1);
    for (const char* path : {"timeout", "osc/a/max", "osc/a/ma", "osc/a/\x01", "osc/once",
                             "osc/broken", "osc/link/max"}) {
        tree.calls = 0;
        const auto entry = params.stat(path);
        assert_true(entry.has_value());
        assert_text(entry->path, path);
        assert_int_equal(tree.calls, 1);
    }
    assert_true(params.stat(std::string(255, 'n')).has_value());
    assert_int_equal(params.stat("osc/once")->flags, PARAMS_EF_VOLATILE);
    assert_int_equal(params.stat("osc/a")->type, PARAMS_T_DIR);
    assert_true(S_ISLNK(params.stat("osc/link")->mode));
    assert_int_equal(params.stat("osc/link")->type, PARAMS_T_DIR);
    assert_true(S_ISDIR(params.stat("")->mode));
    for (const char* path : {"timeou", "timeouu", "zzz", "osc/", "osc/a/m", "nosuch/x"})
        assert_int_equal(params.stat(path).error().code, ENOENT);
    assert_int_equal(params.stat("timeout/x").error().code, ENOTDIR);
    assert_int_equal(params.stat(std::string(256, 'n')).error().code, ENAMETOOLONG);
    assert_int_equal(tree.find("osc/once")->reads + tree.find("osc/broken")->reads, 0);
}

void descriptions_are_unpacked(void**)
{
    FakeTree tree;
    Params params(tree);

    tree.u64("a", 1).flags = PARAMS_EF_TUNABLE;
    tree.link("l", "a");
    const auto d = params.describe("a");
    assert_text(d->type, "u64");
    assert_int_equal(d->mode, 0100644);
    assert_int_equal(d->flags.size(), 1);
    assert_text(d->flags[0], "tunable");
    assert_text(d->unit, "bytes");
    assert_text(d->min, "1");
    assert_text(d->max, "256");
    assert_text(d->def, "-8");
    assert_text(join(d->values), "one two");
    assert_text(d->doc, "what it is for");
    assert_text(d->source, "permanent");
    assert_text(params.describe("l")->target, "a");
    assert_text(params.describe("nosuch").error().text, "nosuch: No such file or directory");
    tree.dir("d");
    assert_true(params.describe("d")->min.empty());
    assert_true(params.describe("d")->source.empty());
}

void errors_of_a_call_name_the_object(void**)
{
    FakeTree tree;
    Params params(tree);
    PathList paths;
    auto see = [](const EntryView&) { return Visit::Continue; };

    tree.fail_with = EPERM;
    paths.add("a/b");
    assert_text(params.list("a/b", 1, see).error().text, "a.b: Operation not permitted");
    assert_text(params.list("", 1, see).error().text, "the root: Operation not permitted");
    assert_text(params.read_subtree("a", see).error().text, "a: Operation not permitted");
    assert_text(params.read_many(paths, see).error().text, "a.b: Operation not permitted");
    assert_text(params.read("a").error().text, "a: Operation not permitted");
    assert_text(params.stat("a").error().text, "a: Operation not permitted");
    assert_text(params.describe("a").error().text, "a: Operation not permitted");
}

// 40 000 entries must not need more than a few calls.
void wide_trees_need_few_calls(void**)
{
    FakeTree tree;
    Params params(tree);
    size_t seen = 0;
    auto see = [&](const EntryView&) {
        seen++;
        return Visit::Continue;
    };

    for (int i = 0; i < 1000; i++)
        for (int k = 0; k < 20; k++)
            tree.u64("ns/dev" + std::to_string(i) + "/param" + std::to_string(k), 1);
    assert_true(params.list("", 0, see).has_value());
    assert_int_equal(seen, 21001);
    assert_true(tree.calls <= 3);
    tree.calls = 0;
    assert_true(params.read_subtree("", see).has_value());
    assert_int_equal(seen, 42002);
    assert_true(tree.calls <= 7);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(listings_are_depth_first_and_by_levels),
        cmocka_unit_test(listings_resume_wherever_the_buffer_ends),
        cmocka_unit_test(subtrees_come_with_values),
        cmocka_unit_test(a_callback_runs_once_for_each_value),
        cmocka_unit_test(a_large_value_waits_as_a_snapshot),
        cmocka_unit_test(a_lost_snapshot_is_the_error_of_its_entry),
        cmocka_unit_test(many_paths_come_in_order_with_their_errors),
        cmocka_unit_test(more_paths_than_a_call_takes_are_split),
        cmocka_unit_test(a_visitor_can_stop),
        cmocka_unit_test(one_value_is_read_from_a_record_on),
        cmocka_unit_test(an_entry_is_looked_up_without_being_read),
        cmocka_unit_test(descriptions_are_unpacked),
        cmocka_unit_test(errors_of_a_call_name_the_object),
        cmocka_unit_test(wide_trees_need_few_calls),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
