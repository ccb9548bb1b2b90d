// SPDX-License-Identifier: GPL-2.0-only
#include <cerrno>
#include <vector>

#include "cmocka.hpp"
#include "fake_tree.hpp"
#include "lib/expand.hpp"

using namespace ll;

namespace {

PathSpec spec(std::string_view text)
{
    auto parsed = PathSpec::parse(text);

    assert_true(parsed.has_value());
    return *parsed;
}

Write text_write(std::string path, std::string value)
{
    Write write;

    write.path = std::move(path);
    write.value = std::move(value);
    return write;
}

// "path:status path:status"
std::string set(FakeTree& tree, std::string_view pattern, std::string_view value,
                WriteMode mode = {})
{
    Params params(tree);
    auto writes = plan_writes(params, spec(pattern), value);
    assert_true(writes.has_value());
    const auto result = write_planned(params, std::move(*writes), mode);
    std::string out;
    size_t failed = 0;

    assert_true(result.has_value());
    assert_int_equal(result->paths.size(), result->batch.replies.size());
    for (size_t i = 0; i < result->paths.size(); i++) {
        const int status = result->batch.replies[i].status;
        out += (out.empty() ? "" : " ") + result->paths[i] + ':' + std::to_string(status);
        failed += status != 0;
    }
    assert_int_equal(result->batch.failed, failed);
    return out;
}

void fill(FakeTree& tree)
{
    tree.text("osc/a/x", "1");
    tree.text("osc/b/x", "2");
    tree.text("osc/c/other", "3");
    tree.text("osc/file", "4");
    tree.text("ro", "5", 0100444);
}

void one_entry_is_written(void**)
{
    FakeTree tree;
    Params params(tree);

    fill(tree);
    const auto reply = params.write(text_write("osc/a/x", "new"));
    assert_int_equal(reply->version, 2);
    assert_text(tree.text_of("osc/a/x"), "new");
    assert_true(params.write(text_write("osc/a/x", "dry"), true).has_value());
    assert_text(tree.text_of("osc/a/x"), "new");
    assert_text(params.write(text_write("ro", "1")).error().text, "ro: Permission denied");
    assert_int_equal(params.write(text_write("osc", "1")).error().code, EISDIR);
    assert_int_equal(params.write(text_write("no/such", "1")).error().code, ENOENT);
}

void a_refusal_has_the_kernels_words(void**)
{
    FakeTree tree;
    Params params(tree);
    auto& node = tree.text("x", "1");

    node.write_error = ERANGE;
    node.reason = "x: 300 is not between 1 and 256";
    const auto reply = params.write(text_write("x", "300"));
    assert_int_equal(reply.error().code, ERANGE);
    assert_text(reply.error().text, "x: 300 is not between 1 and 256");
    node.reason.clear();
    assert_text(params.write(text_write("x", "300")).error().text,
                "x: Numerical result out of range");
    node.reason.assign(PARAMS_REASON_MAX, 'r');
    assert_text(params.write(text_write("x", "300")).error().text, node.reason);
}

void a_version_guards_a_write(void**)
{
    FakeTree tree;
    Params params(tree);
    Write write = text_write("x", "new");

    tree.text("x", "old").version = 7;
    write.if_version = 6;
    assert_int_equal(params.write(write).error().code, ESTALE);
    assert_text(tree.text_of("x"), "old");
    write.if_version = 7;
    assert_int_equal(params.write(write)->version, 8);
    write.if_version = 0;  // is a version too
    assert_int_equal(params.write(write).error().code, ESTALE);
}

void records_are_written_typed(void**)
{
    FakeTree tree;
    Params params(tree);
    ValuePacker packer;
    Write write;

    tree.u64("x", 1);
    packer.u64("", 99);
    write.path = "x";
    write.value = packer.bytes();
    write.typed = true;
    assert_true(params.write(write).has_value());
    assert_true(tree.find("x")->value == packer.bytes());
    packer.clear();
    packer.u64("", 100);
    write.value = packer.bytes();
    assert_int_equal(params.write_many({write}, {})->failed, 0);
    assert_true(tree.find("x")->value == packer.bytes());
}

void a_batch_goes_on_behind_a_failure(void**)
{
    FakeTree tree;
    Params params(tree);

    fill(tree);
    tree.find("ro")->reason = "ro: cannot be set";
    const auto reply = params.write_many({text_write("osc/a/x", "n"), text_write("ro", "n"),
                                          text_write("nosuch", "n"), text_write("osc/b/x", "n")},
                                         {});
    assert_int_equal(reply->failed, 2);
    assert_int_equal(reply->replies.size(), 4);
    assert_int_equal(reply->replies[0].status, 0);
    assert_int_equal(reply->replies[0].version, 2);
    assert_int_equal(reply->replies[1].status, EACCES);
    assert_text(reply->replies[1].reason, "ro: cannot be set");
    assert_int_equal(reply->replies[2].status, ENOENT);
    assert_text(tree.text_of("osc/b/x"), "n");
    assert_int_equal(tree.calls, 1);
}

void an_atomic_batch_is_all_or_nothing(void**)
{
    FakeTree tree;
    Params params(tree);
    std::vector<Write> writes = {text_write("osc/a/x", "n"), text_write("ro", "n")};

    fill(tree);
    const auto refused = params.write_many(writes, {.atomic = true});
    assert_int_equal(refused->failed, 2);
    assert_int_equal(refused->replies[0].status, ECANCELED);
    assert_int_equal(refused->replies[1].status, EACCES);
    assert_text(tree.text_of("osc/a/x"), "1");
    writes[1].path = "osc/b/x";
    assert_int_equal(params.write_many(writes, {.atomic = true, .dry_run = true})->failed, 0);
    assert_text(tree.text_of("osc/a/x"), "1");
    assert_int_equal(params.write_many(writes, {.atomic = true})->failed, 0);
    assert_text(tree.text_of("osc/b/x"), "n");
}

void many_writes_are_split_unless_atomic(void**)
{
    FakeTree tree;
    Params params(tree);
    std::vector<Write> writes(70000, text_write("x", "v"));

    tree.text("x", "");
    const auto reply = params.write_many(writes, {});
    assert_int_equal(reply->replies.size(), writes.size());
    assert_int_equal(reply->failed, 0);
    assert_true(tree.calls > 1 && tree.calls < 20);
    assert_int_equal(params.write_many(writes, {.atomic = true}).error().code, E2BIG);
    writes.resize(20000);
    tree.calls = 0;
    assert_int_equal(params.write_many(writes, {.atomic = true})->failed, 0);
    assert_int_equal(tree.calls, 1);
    assert_true(params.write_many({}, {})->replies.empty());
}

void what_does_not_fit_is_refused_before_it_is_sent(void**)
{
    FakeTree tree;
    Params params(tree);
    const std::string large(PARAMS_BUF_MAX / 2 + 1, 'v');

    tree.text("x", "");
    assert_int_equal(params.write(text_write("x", large)).error().code, E2BIG);
    assert_int_equal(params.write_many({text_write("x", large)}, {}).error().code, E2BIG);
    assert_int_equal(params.write(text_write(std::string(5000, 'p'), "v")).error().code,
                     ENAMETOOLONG);
    const std::vector<Write> three(3, text_write("x", large.substr(0, PARAMS_BUF_MAX / 2)));
    assert_int_equal(params.write_many(three, {.atomic = true}).error().code, E2BIG);
    assert_int_equal(tree.calls, 0);
    assert_int_equal(params.write_many(three, {})->failed, 0);
    assert_int_equal(tree.calls, 3);
}

void globs_are_set_and_what_lacks_the_entry_left_out(void**)
{
    FakeTree tree;

    fill(tree);
    tree.calls = 0;
    assert_text(set(tree, "osc.*.x", "n"), "osc/a/x:0 osc/b/x:0");
    assert_int_equal(tree.calls, 2);  // a listing and a batch
    assert_text(tree.text_of("osc/b/x"), "n");
    assert_text(set(tree, "osc.*", "n"), "osc/file:0");
    assert_text(set(tree, "nosuch.*.x", "n"), "");
    assert_text(set(tree, "nosuch", "n"), "");
    assert_text(set(tree, "osc", "n"), "osc:21");
    assert_text(set(tree, "r*", "n"), "ro:13");
    assert_text(set(tree, "osc.a.x", "one"), "osc/a/x:0");
}

void an_entry_whose_callback_fails_is_not_left_out(void**)
{
    for (const int error : {ENOENT, ENOTDIR, ENODEV}) {
        FakeTree tree;

        fill(tree);
        tree.find("osc/b/x")->write_error = error;
        const std::string status = std::to_string(error);
        assert_text(set(tree, "osc.*.x", "n"), "osc/a/x:0 osc/b/x:" + status);
        assert_text(set(tree, "osc.*.x", "n", {.atomic = true}), "osc/a/x:125 osc/b/x:" + status);
    }
}

void an_atomic_set_does_not_mind_what_lacks_the_entry(void**)
{
    FakeTree tree;

    fill(tree);
    assert_text(set(tree, "osc.*.x", "n", {.atomic = true}), "osc/a/x:0 osc/b/x:0");
    assert_text(tree.text_of("osc/a/x"), "n");
    tree.find("osc/b/x")->write_error = EINVAL;
    assert_text(set(tree, "osc.*.x", "m", {.atomic = true}), "osc/a/x:125 osc/b/x:22");
    assert_text(tree.text_of("osc/a/x"), "n");
    assert_text(set(tree, "osc.*.nosuch", "m", {.atomic = true}), "");
}

void a_dry_run_changes_nothing(void**)
{
    FakeTree tree;

    fill(tree);
    assert_text(set(tree, "osc.*.x", "n", {.dry_run = true}), "osc/a/x:0 osc/b/x:0");
    assert_text(tree.text_of("osc/a/x"), "1");
}

void plans_of_several_names_go_together(void**)
{
    FakeTree tree;
    Params params(tree);

    fill(tree);
    auto writes = plan_writes(params, spec("osc.*.x"), "n");
    auto more = plan_writes(params, spec("ro"), "n");
    assert_int_equal(writes->size(), 3);
    assert_true((*writes)[0].optional);
    assert_false((*more)[0].optional);
    writes->insert(writes->end(), more->begin(), more->end());
    const auto result = write_planned(params, *writes, {.atomic = true});
    assert_int_equal(result->paths.size(), 3);
    assert_int_equal(result->batch.failed, 3);
    assert_text(tree.text_of("osc/a/x"), "1");
}

void dots_that_a_shell_left_bare_are_found(void**)
{
    FakeTree tree;

    tree.text("a/b.c/x", "1");
    assert_text(set(tree, "a.b.c.x", "n"), "a/b.c/x:0");
    assert_text(set(tree, "a.b.c.*", "n"), "a/b.c/x:0");
}

void errors_of_calls_are_returned(void**)
{
    FakeTree tree;
    Params params(tree);

    fill(tree);
    tree.fail_with = EPERM;
    assert_int_equal(plan_writes(params, spec("osc.*.x"), "n").error().code, EPERM);
    assert_int_equal(params.write_many({text_write("x", "1")}, {}).error().code, EPERM);
    assert_text(params.write_many({text_write("x", "1")}, {}).error().text,
                "setting parameters: Operation not permitted");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(one_entry_is_written),
        cmocka_unit_test(a_refusal_has_the_kernels_words),
        cmocka_unit_test(a_version_guards_a_write),
        cmocka_unit_test(records_are_written_typed),
        cmocka_unit_test(a_batch_goes_on_behind_a_failure),
        cmocka_unit_test(an_atomic_batch_is_all_or_nothing),
        cmocka_unit_test(many_writes_are_split_unless_atomic),
        cmocka_unit_test(what_does_not_fit_is_refused_before_it_is_sent),
        cmocka_unit_test(globs_are_set_and_what_lacks_the_entry_left_out),
        cmocka_unit_test(an_entry_whose_callback_fails_is_not_left_out),
        cmocka_unit_test(an_atomic_set_does_not_mind_what_lacks_the_entry),
        cmocka_unit_test(a_dry_run_changes_nothing),
        cmocka_unit_test(plans_of_several_names_go_together),
        cmocka_unit_test(dots_that_a_shell_left_bare_are_found),
        cmocka_unit_test(errors_of_calls_are_returned),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
