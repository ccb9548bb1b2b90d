// SPDX-License-Identifier: GPL-2.0-only
/* lctl over the modules' own tree: output about rules. */
#include <algorithm>
#include <cerrno>
#include <string>

#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include "lctl_fixture.hpp"
#include "lctl_live.h"

using namespace lctl_test;

namespace {

class LivePort final : public ll::KernelPort {
public:
    explicit LivePort(lctl_live* live) : live_(live) {}

    int call(unsigned long cmd, void* arg) noexcept override
    {
        calls++;
        return lctl_live_call(live_, cmd, arg);
    }

    unsigned int calls = 0;

private:
    lctl_live* live_;
};

int start(void** state)
{
    *state = lctl_live_start(state);
    return 0;
}

int stop(void** state)
{
    lctl_live_stop(static_cast<lctl_live*>(*state), state);
    return 0;
}

struct Expected {
    const char* line;
    const char* out;
    const char* err;
    int status;
};

/* In order, on one tree. */
void check_in_order(void** state, std::span<const Expected> cases)
{
    LivePort port(static_cast<lctl_live*>(*state));

    for (const Expected& one : cases) {
        const Ran ran = run(port, one.line);

        if (ran.out != one.out || ran.err != one.err || ran.status != one.status)
            print_error("lctl %s\n", one.line);
        assert_text(ran.out, one.out);
        assert_text(ran.err, one.err);
        assert_int_equal(ran.status, one.status);
    }
}

void values_of_every_type(void** state)
{
    const Expected cases[] = {
        {"get_param s.{bool,born,bytes,enum,field,mask,records,s32,s64,string,time,u32,u64}",
         "s.bool=1\n"
         "s.born=1\n"
         "s.bytes=1.5\n"
         "s.enum=blue\n"
         "s.field=42\n"
         "s.mask=red blue\n"
         "s.records=\nrecords:\n    n: 0\n    n: 1\n    n: 2\n"
         "s.s32=-5\n"
         "s.s64=-50\n"
         "s.string=some text\n"
         "s.time=1.5\n"
         "s.u32=8\n"
         "s.u64=0xabc\n",
         "", 0},
        {"set_param s.u32=256 s.bool=0 s.enum=green s.mask=-red s.bytes=3M s.s64=-100 s.trigger=1",
         "s.u32=256\ns.bool=0\ns.enum=green\ns.mask=-red\ns.bytes=3M\ns.s64=-100\ns.trigger=1\n",
         "", 0},
        {"get_param -n s.{u32,bool,enum,mask,bytes,s64}", "0\n3\ngreen\nblue\n-100\n256\n", "", 0},
    };

    check_in_order(state, cases);
}

/* The kernel's words follow the errno's. */
void refusals_say_what_would_be_right(void** state)
{
    const struct {
        const char* setting;
        const char* words;
        const char* right;  // the reason names it
        int status;
    } cases[] = {
        {"s.u32=257", "Numerical result out of range: ", "256", ERANGE},
        {"s.s64=-101", "Numerical result out of range: ", "-100", ERANGE},
        {"s.bool=maybe", "Invalid argument: ", "no", EINVAL},
        {"s.enum=pink", "Invalid argument: ", "green", EINVAL},
        {"s.mask=+pink", "Invalid argument: ", "green", EINVAL},
        {"s.u32=many", "Invalid argument: ", "'many'", EINVAL},
    };
    LivePort port(static_cast<lctl_live*>(*state));

    for (const auto& one : cases) {
        const Ran ran = run(port, std::string("set_param ") + one.setting);
        const std::string head =
            std::string("error: set_param: setting ") + one.setting + ": " + one.words;

        assert_text(ran.out, "");
        assert_text(ran.err.substr(0, head.size()), head);
        assert_true(ran.err.find(one.right, head.size()) != std::string::npos);
        assert_int_equal(ran.status, one.status);
    }
    assert_int_equal(run(port, "set_param s.ro=1").status, EACCES);
}

void an_ordinary_user_reads_and_cannot_write(void** state)
{
    const Expected cases[] = {
        {"get_param s.u32", "s.u32=8\n", "", 0},
        {"get_param s.secret", "",
         "error: get_param: opening 's.secret': Operation not permitted: "
         "requires CAP_SYS_ADMIN (run as root)\n",
         1},
        {"get_param s.se* s.u3*", "s.u32=8\n", "", 0},
        {"set_param s.u32=9", "",
         "error: set_param: setting s.u32=9: Operation not permitted: "
         "requires CAP_SYS_ADMIN (run as root)\n",
         1},
        {"set_param --dry-run s.u32=9", "",
         "error: set_param: setting s.u32=9: Operation not permitted: "
         "requires CAP_SYS_ADMIN (run as root)\n",
         1},
    };

    lctl_live_set_capable(0);
    check_in_order(state, cases);
    lctl_live_set_capable(1);
}

void a_recursion_leaves_out_what_it_must(void** state)
{
    LivePort port(static_cast<lctl_live*>(*state));
    const Ran ran = run(port, "get_param -R '*'");

    assert_text(ran.err, "");
    assert_int_equal(ran.status, 0);
    assert_int_equal(port.calls, 1);
    assert_true(ran.out.find("s.u32=8\n") != std::string::npos);
    for (const char* name : {"s.volatile", "s.wo", "s.trigger"})
        assert_true(ran.out.find(name) == std::string::npos);
}

void nothing_is_set_when_one_is_out_of_range(void** state)
{
    LivePort port(static_cast<lctl_live*>(*state));
    const Ran ran = run(port, "set_param --atomic s.u32=9 s.bool=0 s.s64=101");

    assert_text(ran.out, "");
    assert_true(ran.err.starts_with(
        "error: set_param: setting s.s64=101: Numerical result out of range: "));
    assert_true(ran.err.ends_with("\n       nothing was changed (--atomic)\n"));
    assert_int_equal(std::count(ran.err.begin(), ran.err.end(), '\n'), 2);
    assert_int_equal(ran.status, ERANGE);
    assert_text(run(port, "get_param s.{u32,bool,s64}").out, "s.bool=1\ns.s64=-50\ns.u32=8\n");
}

void what_cannot_be_undone_is_named(void** state)
{
    auto* live = static_cast<lctl_live*>(*state);
    LivePort port(live);

    lctl_live_fail_sets(live, EBUSY, 1);

    const Ran ran = run(port, "set_param --atomic s.u32=9 s.s32=7 s.bool=0");

    assert_text(ran.out, "");
    assert_true(ran.err.starts_with("error: set_param: setting s.u32=9: Input/output error: "));
    assert_true(
        ran.err.ends_with("error: set_param: setting s.s32=7: Device or resource busy\n"
                          "       all but what is named above was undone (--atomic)\n"));
    assert_int_equal(ran.status, EIO);
}

void versions_guard_a_write(void** state)
{
    LivePort port(static_cast<lctl_live*>(*state));
    const std::string json = run(port, "get_param --json s.u32").out;
    const std::string key = "\"version\": ";
    const std::size_t at = json.find(key) + key.size();
    const std::string version = json.substr(at, json.find(',', at) - at);

    assert_int_equal(run(port, "set_param --if-version " + version + " s.u32=9").status, 0);

    const Ran late = run(port, "set_param --if-version " + version + " s.u32=10");

    assert_int_equal(late.status, ESTALE);
    assert_true(late.err.starts_with("error: set_param: setting s.u32=10: Stale file handle: "));
    assert_text(run(port, "get_param s.u32").out, "s.u32=9\n");
}

void declarations_become_help(void** state)
{
    const Expected cases[] = {
        {"help_param s.u32",
         "s.u32\n"
         "    type      u32\n"
         "    access    rw\n"
         "    unit      reqs\n"
         "    range     1..256\n"
         "    default   8\n"
         "    flags     tunable\n"
         "    about     requests\n",
         "", 0},
        {"list_param --describe s.{enum,mask,s64,trigger}",
         "s.enum enum rw default blue source default one of red, green, blue tunable\n"
         "s.mask mask rw source default of red, green, blue tunable\n"
         "s.s64 s64 rw -100..100 source default tunable\n"
         "s.trigger trigger w\n",
         "", 0},
        {"list_param --describe --json s.u32",
         "[\n"
         "{\"name\": \"s.u32\", \"type\": \"u32\", \"mode\": \"0644\", \"unit\": \"reqs\", "
         "\"min\": 1, \"max\": 256, \"default\": 8, \"source\": \"default\", "
         "\"flags\": [\"tunable\"], \"doc\": \"requests\"}\n"
         "]\n",
         "", 0},
        {"set_param s.u32=9", "s.u32=9\n", "", 0},
        {"list_param --describe s.u32",
         "s.u32 u32 rw reqs 1..256 default 8 source local tunable - requests\n", "", 0},
    };

    check_in_order(state, cases);
}

void wide_globs_cost_few_calls(void** state)
{
    LivePort port(static_cast<lctl_live*>(*state));

    assert_int_equal(lctl_live_add_many(1000, 4), 0);

    const Ran set = run(port, "set_param n.*.v1=1");

    assert_int_equal(set.status, 0);
    assert_int_equal(std::count(set.out.begin(), set.out.end(), '\n'), 1000);
    assert_int_equal(port.calls, 2);

    port.calls = 0;

    const Ran get = run(port, "get_param -R n");

    assert_int_equal(std::count(get.out.begin(), get.out.end(), '\n'), 4000);
    assert_true(port.calls <= 6);
}

/* Documentation/json.md */
void json_has_the_members_that_are_documented(void** state)
{
    LivePort port(static_cast<lctl_live*>(*state));
    const auto all = nlohmann::json::parse(run(port, "get_param --json -R '*' nosuch").out);
    bool failed = false;

    assert_true(all.is_array());
    assert_true(all.size() > 15);
    for (const auto& one : all) {
        assert_true(one["name"].is_string());
        if (one.contains("error")) {
            failed = true;
            assert_true(one["error"]["errno"] == ENOENT);
            assert_true(one["error"]["message"].is_string());
            assert_int_equal(one.size(), 2);
            continue;
        }
        assert_true(one["type"].is_string());
        assert_int_equal(one["mode"].get<std::string>().size(), 4);
        assert_true(one["version"].is_number_unsigned());
        assert_int_equal(one.contains("value"), one["name"] != "s.volatile" &&
                                                    one["name"] != "s.wo" &&
                                                    one["name"] != "s.trigger");
    }
    assert_true(failed);
}

void json_values_have_their_types(void** state)
{
    LivePort port(static_cast<lctl_live*>(*state));
    const auto value = [&](const char* name) {
        return nlohmann::json::parse(run(port, std::string("get_param --json s.") + name).out)
            .at(0)
            .at("value");
    };

    assert_true(value("u32") == 8);
    assert_true(value("s64") == -50);
    assert_true(value("string") == "some text");
    assert_true(value("enum") == "blue");
    assert_true(value("time") == 1.5);
    assert_true(value("records").is_object());
    assert_true(value("stats").is_object());
}

void every_form_is_well_formed(void** state)
{
    LivePort port(static_cast<lctl_live*>(*state));

    for (const char* command :
         {"get_param -R '*'", "get_param -N -R '*'", "list_param -R '*'", "find_param s",
          "list_param --describe -R '*'", "help_param -R '*'", "set_param s.u32=9 s.ro=1 x=3",
          "set_param --atomic s.u32=9 s.ro=1", "set_param --dry-run s.u32=9", "get_param nosuch"}) {
        const std::string json = run(port, std::string(command) + " --json").out;
        const YAML::Node yaml = YAML::Load(run(port, std::string(command) + " --yaml").out);

        assert_true(nlohmann::json::accept(json));
        assert_true(yaml.IsMap() || yaml.IsSequence());
    }
}

void yaml_values_read_back(void** state)
{
    LivePort port(static_cast<lctl_live*>(*state));
    const YAML::Node yaml = YAML::Load(run(port, "get_param --yaml -R '*'").out);

    assert_int_equal(yaml["s.u32"].as<int>(), 8);
    assert_int_equal(yaml["s.s64"].as<int>(), -50);
    assert_text(yaml["s.string"].as<std::string>(), "some text");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_of_every_type, start, stop),
        cmocka_unit_test_setup_teardown(refusals_say_what_would_be_right, start, stop),
        cmocka_unit_test_setup_teardown(an_ordinary_user_reads_and_cannot_write, start, stop),
        cmocka_unit_test_setup_teardown(a_recursion_leaves_out_what_it_must, start, stop),
        cmocka_unit_test_setup_teardown(nothing_is_set_when_one_is_out_of_range, start, stop),
        cmocka_unit_test_setup_teardown(what_cannot_be_undone_is_named, start, stop),
        cmocka_unit_test_setup_teardown(versions_guard_a_write, start, stop),
        cmocka_unit_test_setup_teardown(declarations_become_help, start, stop),
        cmocka_unit_test_setup_teardown(wide_globs_cost_few_calls, start, stop),
        cmocka_unit_test_setup_teardown(json_has_the_members_that_are_documented, start, stop),
        cmocka_unit_test_setup_teardown(json_values_have_their_types, start, stop),
        cmocka_unit_test_setup_teardown(every_form_is_well_formed, start, stop),
        cmocka_unit_test_setup_teardown(yaml_values_read_back, start, stop),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
