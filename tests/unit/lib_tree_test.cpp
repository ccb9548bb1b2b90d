// SPDX-License-Identifier: GPL-2.0-only
// The library over the modules' own tree, compiled for user space: what one side
// packs is what the other unpacks.
#include <cerrno>
#include <map>
#include <set>

#include <sys/stat.h>

#include "cmocka.hpp"
#include "lib/expand.hpp"
#include "lib/suggest.hpp"
#include "lib/value_text.hpp"
#include "real_tree.h"

using namespace ll;

namespace {

class TreePort final : public KernelPort {
public:
    int call(unsigned long cmd, void* arg) noexcept override
    {
        calls++;
        return real_tree_call(cmd, arg);
    }
    unsigned int calls = 0;
};

PathSpec spec(std::string_view text)
{
    auto parsed = PathSpec::parse(text);

    assert_true(parsed.has_value());
    return *parsed;
}

// Displayed names and their values as text.
std::map<std::string, std::string> values_of(Params& params, std::string_view pattern,
                                             Query query = {})
{
    std::map<std::string, std::string> all;
    auto see = [&](const EntryView& entry) {
        std::string text;
        if (entry.has_value)
            assert_true(append_text(text, entry.value, entry.type));
        assert_true(all.emplace(entry.display, text).second);
        return Visit::Continue;
    };

    assert_true(visit_matching(params, spec(pattern), query, see).has_value());
    return all;
}

std::string value_of(Params& params, std::string_view name)
{
    const auto all = values_of(params, name);

    return all.size() == 1 ? all.begin()->second : "<none>";
}

Result<WriteReply> write(Params& params, const char* path, const char* text)
{
    Write write;

    write.path = path;
    write.value = text;
    return params.write(write);
}

void values_print_as_they_should(void**)
{
    TreePort port;
    Params params(port);
    auto all = values_of(params, "osc.lustre-OST0001.*");

    assert_text(all["osc.lustre-OST0001.active"], "1");
    assert_text(all["osc.lustre-OST0001.checksum_type"], "crc32");
    assert_text(all["osc.lustre-OST0001.max_dirty_mb"], "32");
    assert_text(all["osc.lustre-OST0001.max_rpcs_in_flight"], "8");
    assert_text(all["osc.lustre-OST0001.timeout"], "5");
    assert_text(all["osc.lustre-OST0001.note"], "plain");
    const std::string& stats = all["osc.lustre-OST0001.stats"];
    assert_true(stats.starts_with("snapshot_time                       "));
    assert_true(stats.find(" secs.nsecs\nstart_time                          ") !=
                std::string::npos);
    assert_true(stats.find("elapsed_time                        ") != std::string::npos);
    assert_true(stats.ends_with(" secs.nsecs"));
}

// With any way to request them, also if the buffer fills up.
void every_way_of_asking_gives_the_same_names(void**)
{
    TreePort port;
    Params params(port);
    std::set<std::string> listed;
    auto see = [&](const EntryView& entry) {
        assert_true(listed.emplace(entry.path).second);
        return Visit::Continue;
    };

    assert_true(params.list("", 0, see).has_value());
    assert_true(listed.size() > REAL_TREE_MANY);
    assert_true(port.calls >= 2 && port.calls <= 6);
    std::set<std::string> again = listed;
    auto strike = [&](const EntryView& entry) {
        assert_int_equal(again.erase(std::string(entry.path)), 1);
        return Visit::Continue;
    };
    port.calls = 0;
    assert_true(params.read_subtree("", strike).has_value());
    assert_true(again.empty());
    assert_true(port.calls <= 10);
    assert_int_equal(values_of(params, "**", {.values = false}).size(), listed.size());
}

void names_as_displayed_are_found(void**)
{
    TreePort port;
    Params params(port);

    for (const auto& [name, text] : values_of(params, "*", {.recursive = true, .values = false})) {
        const auto parsed = PathSpec::parse(name);
        assert_true(parsed && parsed->is_literal());
        if (name.starts_with("many.t") && !name.starts_with("many.t000"))
            continue;
        const auto entry = params.stat(parsed->raw());
        assert_true(entry.has_value());
        assert_text(entry->path, parsed->raw());
    }
    assert_int_equal(values_of(params, "exports.10.0.0.1@tcp").size(), 1);
    assert_int_equal(values_of(params, "peers.10\\.0\\.0\\.1@tcp").size(), 1);
    assert_int_equal(values_of(params, "peers.10.0.0.1@tcp").size(), 1);
    assert_int_equal(params.stat("osc/lustre-OST000").error().code, ENOENT);
    assert_true(S_ISLNK(params.stat("osc/first")->mode));
    assert_text(value_of(params, "osc.first.note"), "plain");
    assert_int_equal(values_of(params, "osc.f*.note").size(), 1);
}

void a_refusal_says_why(void**)
{
    TreePort port;
    Params params(port);
    const auto refused = write(params, "osc/lustre-OST0000/max_rpcs_in_flight", "300");

    assert_int_equal(refused.error().code, ERANGE);
    assert_true(refused.error().text.find("256") != std::string::npos);
    assert_true(write(params, "osc/lustre-OST0000/max_rpcs_in_flight", "9").has_value());
    assert_text(value_of(params, "osc.lustre-OST0000.max_rpcs_in_flight"), "9");
    assert_int_equal(write(params, "osc/lustre-OST0000", "9").error().code, EISDIR);
    real_tree_be_root(0);
    const auto denied = write(params, "osc/lustre-OST0000/note", "x");
    real_tree_be_root(1);
    assert_int_equal(denied.error().code, EPERM);
}

void units_are_those_of_the_declaration(void**)
{
    TreePort port;
    Params params(port);
    const char* path = "osc/lustre-OST0002/max_dirty_mb";

    assert_true(write(params, path, "64").has_value());
    assert_text(value_of(params, "osc.lustre-OST0002.max_dirty_mb"), "64");
    assert_true(write(params, path, "1.5M").has_value());
    assert_text(value_of(params, "osc.lustre-OST0002.max_dirty_mb"), "1.5");
    assert_true(write(params, path, "32").has_value());
}

void globs_are_set_in_few_calls_or_not_at_all(void**)
{
    TreePort port;
    Params params(port);
    auto set = write_planned(params, *plan_writes(params, spec("osc.lustre-*.note"), "all"), {});

    assert_int_equal(set->paths.size(), 3);
    assert_int_equal(set->batch.failed, 0);
    assert_true(port.calls <= 2);
    assert_text(value_of(params, "osc.lustre-OST0002.note"), "all");
    set = write_planned(params, *plan_writes(params, spec("osc.*.max_rpcs_in_flight"), "0"),
                        {.atomic = true});
    assert_true(set->batch.failed >= 3);
    assert_true(set->batch.replies[0].status == ERANGE ||
                set->batch.replies[0].status == ECANCELED);
    auto writes = plan_writes(params, spec("osc.lustre-*.note"), "none");
    const auto bad = plan_writes(params, spec("osc.lustre-OST0002.active"), "perhaps");
    writes->insert(writes->end(), bad->begin(), bad->end());
    set = write_planned(params, *writes, {.atomic = true});
    assert_int_equal(set->batch.failed, 4);
    assert_int_equal(set->batch.replies[3].status, EINVAL);
    assert_false(set->batch.replies[3].reason.empty());
    assert_text(value_of(params, "osc.lustre-OST0000.note"), "all");
    assert_true(write(params, "osc/lustre-OST0000/note", "plain").has_value());
}

void a_version_guards_a_write(void**)
{
    TreePort port;
    Params params(port);
    const uint32_t version = params.stat("osc/lustre-OST0000/note")->version;
    Write guarded;

    guarded.path = "osc/lustre-OST0000/note";
    guarded.value = "guarded";
    guarded.if_version = version + 1;
    assert_int_equal(params.write(guarded).error().code, ESTALE);
    guarded.if_version = version;
    const auto reply = params.write(guarded);
    assert_true(reply && reply->version > version);
    assert_int_equal(params.stat("osc/lustre-OST0000/note")->version, reply->version);
}

void declarations_are_understood(void**)
{
    TreePort port;
    Params params(port);
    const auto rpcs = params.describe("osc/lustre-OST0000/max_rpcs_in_flight");

    assert_text(rpcs->type, "u32");
    assert_text(rpcs->min, "1");
    assert_text(rpcs->max, "256");
    assert_text(rpcs->doc, "RPCs on the wire");
    assert_int_equal(rpcs->mode & 07777, 0644);
    const auto checksum = params.describe("osc/lustre-OST0000/checksum_type");
    assert_int_equal(checksum->values.size(), 3);
    assert_text(checksum->values[2], "crc32c");
    assert_text(params.describe("osc/first")->target, "osc/lustre-OST0000");
}

// The value of one entry can be written to another.
void records_go_back_as_they_came(void**)
{
    TreePort port;
    Params params(port);
    const char* names[] = {"active",  "checksum_type", "max_dirty_mb", "max_rpcs_in_flight",
                           "timeout", "note"};

    for (const char* name : names) {
        Write typed;
        const auto value = params.read("osc/lustre-OST0000/" + std::string(name));
        typed.path = "osc/lustre-OST0001/" + std::string(name);
        typed.value = value->bytes;
        typed.typed = true;
        const auto done = params.write(typed);
        if (!done)
            print_error("%s\n", done.error().text.c_str());
        assert_true(done.has_value());
    }
}

void near_names_come_from_the_tree(void**)
{
    TreePort port;
    Params params(port);
    const auto names = near_names(params, spec("osc.lustre-OST0000.max_rpc_in_flight"));

    assert_int_equal(names.size(), 1);
    assert_text(names[0], "osc.lustre-OST0000.max_rpcs_in_flight");
}

int start(void**)
{
    return real_tree_start();
}

int stop(void**)
{
    real_tree_stop();
    return 0;
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(values_print_as_they_should),
        cmocka_unit_test(every_way_of_asking_gives_the_same_names),
        cmocka_unit_test(names_as_displayed_are_found),
        cmocka_unit_test(a_refusal_says_why),
        cmocka_unit_test(units_are_those_of_the_declaration),
        cmocka_unit_test(globs_are_set_in_few_calls_or_not_at_all),
        cmocka_unit_test(a_version_guards_a_write),
        cmocka_unit_test(declarations_are_understood),
        cmocka_unit_test(records_go_back_as_they_came),
        cmocka_unit_test(near_names_come_from_the_tree),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
