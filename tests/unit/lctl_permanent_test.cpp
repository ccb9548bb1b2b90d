// SPDX-License-Identifier: GPL-2.0-only
/* lctl get_param -P: permanent settings and their sources. */
#include <cerrno>

#include "lctl_fixture.hpp"
#include "lib/mgs_settings.hpp"

using namespace lctl_test;

namespace {

constexpr std::int64_t kSince = 1490901649;

struct Setting {
    const char* log;
    const char* owner;
    const char* name;
    const char* value;
};

void put_text(ll::ValuePacker& packer, const Setting& setting)
{
    packer.text("log", setting.log);
    packer.text("owner", setting.owner);
    packer.text("name", setting.name);
    packer.text("value", setting.value);
}

/* In the form of mgs/params.c and mgc/mgc_params.c. */
void add_service(FakeTree& tree, std::span<const Setting> settings)
{
    ll::ValuePacker packer;

    packer.begin("permanent", PARAMS_LIST_SEQ);
    for (const Setting& setting : settings) {
        packer.begin("", PARAMS_LIST_FLOW_MAP);
        put_text(packer, setting);
        packer.time("since", {.pt_ns = kSince * 1'000'000'000,
                              .pt_unit = PARAMS_UNIT_SEC,
                              .pt_kind = PARAMS_TIME_WALL,
                              .pt_reserved = 0});
        packer.end();
    }
    packer.end();
    tree.records("mgs/MGS/permanent", packer);
}

void add_client(FakeTree& tree, std::span<const Setting> settings, std::uint64_t refused)
{
    ll::ValuePacker packer;

    packer.begin("permanent", PARAMS_LIST_SEQ);
    for (const Setting& setting : settings) {
        packer.begin("", PARAMS_LIST_MAP);
        put_text(packer, setting);
        packer.u64("record", 5);
        packer.u64("matched", 2);
        packer.u64("refused", refused);
        if (refused != 0)
            packer.text("why", "at most 10");
        packer.end();
    }
    packer.end();
    tree.records("mgc/MGC10.0.0.1@tcp/permanent", packer);
}

constexpr Setting kSettings[] = {
    {"params", "general", "osc.*.max_dirty_mb", "64"},
    {"params", "fs", "mdc.fs-*.active", "1"},
    {"fs-client", "fs", "sys.timeout", "20"},
};

void settings_are_lines(void** /*state*/)
{
    FakeTree tree;

    add_service(tree, kSettings);
    assert_text(run(tree, "get_param -P").out,
                "osc.*.max_dirty_mb=64\nmdc.fs-*.active=1\nfs.sys.timeout=20\n");
    assert_text(run(tree, "get_param -P -n").out, "64\n1\n20\n");
    assert_text(run(tree, "get_param --perm --only-name").out,
                "osc.*.max_dirty_mb\nmdc.fs-*.active\nfs.sys.timeout\n");
    assert_int_equal(run(tree, "get_param -P").status, 0);
}

void what_several_devices_tell_of_is_one_line(void** /*state*/)
{
    FakeTree tree;

    add_service(tree, kSettings);
    add_client(tree, std::span(kSettings).first(2), 0);
    assert_text(run(tree, "get_param -P").out,
                "osc.*.max_dirty_mb=64\nmdc.fs-*.active=1\nfs.sys.timeout=20\n");
}

void operands_are_patterns_globs_and_names(void** /*state*/)
{
    const struct {
        const char* operand;
        const char* out;
    } cases[] = {
        {"'osc.*.max_dirty_mb'", "osc.*.max_dirty_mb=64\n"},
        {"osc.fs-OST0000.max_dirty_mb", "osc.*.max_dirty_mb=64\n"},
        {"'osc.**'", "osc.*.max_dirty_mb=64\n"},
        {"osc/fs-OST0000/max_dirty_mb", "osc.*.max_dirty_mb=64\n"},
        {"'mdc.*.*'", "mdc.fs-*.active=1\n"},
        {"mdc.fs-MDT0000.active", "mdc.fs-*.active=1\n"},
        {"sys.timeout", "fs.sys.timeout=20\n"},
        {"fs.sys.timeout", "fs.sys.timeout=20\n"},
        {"mdc.fs-MDT0000.active sys.timeout", "mdc.fs-*.active=1\nfs.sys.timeout=20\n"},
    };
    FakeTree tree;

    add_service(tree, kSettings);
    for (const auto& one : cases) {
        const Ran ran = run(tree, std::string("get_param -P ") + one.operand);

        assert_text(ran.out, one.out);
        assert_text(ran.err, "");
        assert_int_equal(ran.status, 0);
    }
}

void nothing_is_said(void** /*state*/)
{
    FakeTree tree;

    make_tree(tree);

    Ran ran = run(tree, "get_param -P");

    assert_text(ran.err,
                "error: get_param: neither a management service nor a management client runs here; "
                "this node has no permanent settings\n");
    assert_int_equal(ran.status, ENOENT);
    add_service(tree, {});
    ran = run(tree, "get_param -P");
    assert_text(ran.err, "error: get_param: there are no permanent settings\n");
    assert_text(ran.out, "");
    assert_int_equal(ran.status, ENOENT);
    assert_text(run(tree, "get_param -P --json").out,
                "[\n{\"error\": {\"errno\": 2, \"message\": "
                "\"there are no permanent settings\"}}\n]\n");
    add_service(tree, kSettings);
    ran = run(tree, "get_param -P mdc.other-MDT0000.active sys.timeout");
    assert_text(ran.out, "fs.sys.timeout=20\n");
    assert_text(ran.err,
                "error: get_param: no permanent setting matches 'mdc.other-MDT0000.active'\n");
    assert_int_equal(ran.status, ENOENT);
}

void json_and_yaml_say_where_from(void** /*state*/)
{
    FakeTree tree;

    add_service(tree, std::span(kSettings).first(1));
    add_client(tree, std::span(kSettings).first(1), 1);
    assert_text(run(tree, "get_param -P --json").out,
                "[\n{\"name\": \"osc.*.max_dirty_mb\", \"value\": \"64\", \"log\": \"params\", "
                "\"owner\": \"general\", \"source\": \"MGS\", \"since\": 1490901649},\n"
                "{\"name\": \"osc.*.max_dirty_mb\", \"value\": \"64\", \"log\": \"params\", "
                "\"owner\": \"general\", \"source\": \"MGC10.0.0.1@tcp\", \"record\": 5, "
                "\"matched\": 2, \"refused\": 1, \"why\": \"at most 10\"}\n]\n");
    tree.remove("mgc/MGC10.0.0.1@tcp/permanent");
    assert_text(run(tree, "get_param -Py").out,
                "permanent:\n- name: osc.*.max_dirty_mb\n  value: \"64\"\n  log: params\n"
                "  owner: general\n  source: MGS\n  since: 1490901649\n");
}

void what_does_not_go_together_is_refused(void** /*state*/)
{
    FakeTree tree;

    add_service(tree, kSettings);
    for (const char* line :
         {"get_param -PR", "get_param -P -t", "get_param -P --json -y", "get_param -P 'a..b'"}) {
        const Ran ran = run(tree, line);

        if (ran.status != EINVAL)
            print_error("lctl %s\n", line);
        assert_int_equal(ran.status, EINVAL);
        assert_true(ran.out.empty() || ran.out.starts_with("[\n{\"error\": "));
    }
}

void a_value_that_cannot_be_read_is_named(void** /*state*/)
{
    FakeTree tree;

    add_service(tree, kSettings);
    tree.find("mgs/MGS/permanent")->read_error = EIO;
    assert_text(run(tree, "get_param -P").err,
                "error: get_param: mgs.MGS.permanent: Input/output error\n");
    assert_int_equal(run(tree, "get_param -P").status, EIO);
    // It is being removed.
    tree.find("mgs/MGS/permanent")->read_error = ENODEV;
    assert_int_equal(run(tree, "get_param -P").status, ENOENT);
}

void members_that_are_not_known_are_passed_over(void** /*state*/)
{
    ll::ValuePacker packer;

    packer.begin("permanent", PARAMS_LIST_SEQ);
    packer.begin("", PARAMS_LIST_MAP);
    packer.text("name", "a.b");
    packer.text("new", "x");
    packer.u64("value", 3);
    packer.begin("nodes", PARAMS_LIST_SEQ);
    packer.text("name", "inner");
    packer.end();
    packer.end();
    packer.end();

    const auto settings = ll::parse_permanent(packer.view(), "MGS");

    assert_true(settings.has_value());
    assert_int_equal(settings->size(), 1);
    assert_text(settings->front().name, "a.b");
    assert_text(settings->front().value, "");
    assert_text(settings->front().source, "MGS");

    const std::string cut = packer.bytes().substr(0, packer.bytes().size() / 2);

    assert_int_equal(ll::parse_permanent(ll::ValueView(cut), "MGS").error().code, EBADMSG);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_lines),
        cmocka_unit_test(what_several_devices_tell_of_is_one_line),
        cmocka_unit_test(operands_are_patterns_globs_and_names),
        cmocka_unit_test(nothing_is_said),
        cmocka_unit_test(json_and_yaml_say_where_from),
        cmocka_unit_test(what_does_not_go_together_is_refused),
        cmocka_unit_test(a_value_that_cannot_be_read_is_named),
        cmocka_unit_test(members_that_are_not_known_are_passed_over),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
