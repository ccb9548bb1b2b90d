// SPDX-License-Identifier: GPL-2.0-only
/* Parameters of a target as mountdata has them. */
#include "disk_fixture.hpp"

#include "disk/target_params.hpp"

using disk::NodeList;
using disk::TargetParams;
using namespace disk_test;

namespace {

TargetParams params(std::string_view text)
{
    auto parsed = TargetParams::parse(text);

    if (!parsed)
        fail_msg("%s", parsed.error().text.c_str());
    return *parsed;
}

std::string complaint(std::string_view text)
{
    const auto param = disk::parse_param(text);

    return param ? "none" : param.error().text;
}

void a_parameter_is_a_name_and_a_value(void**)
{
    const auto param = disk::parse_param("osc.*.x=a=b");

    assert_true(param.has_value());
    assert_text(param->name, "osc.*.x");
    assert_text(param->value, "a=b");
    assert_text(disk::parse_param("x=")->value, "");
    assert_contains(complaint("x"), "'x' is not NAME=VALUE");
    assert_contains(complaint("=x"), "is not NAME=VALUE");
    assert_contains(complaint(""), "is not NAME=VALUE");
    assert_contains(complaint("x=a b"), "must not contain blanks");
    assert_contains(complaint("x=a\tb"), "must not contain blanks");
    assert_contains(complaint("x=a\x7f"), "must not contain blanks");
}

void a_list_is_joined_by_blanks(void**)
{
    assert_text(params("a=1 b=2").text(), "a=1 b=2");
    assert_text(params("  a=1   b=2 ").text(), "a=1 b=2");
    assert_text(params("").text(), "");
    assert_false(TargetParams::parse("a=1 b").has_value());
}

void a_new_value_takes_the_place_of_the_old(void**)
{
    TargetParams list = params("a=1 b=2 c=3");

    list.set({"b", "9"});
    list.set({"d", "4"});
    assert_text(list.text(), "a=1 b=9 c=3 d=4");
}

void a_name_can_be_taken_away(void**)
{
    TargetParams list = params("a=1 b=2 a=3");

    assert_int_equal(list.erase("a"), 2);
    assert_int_equal(list.erase("x"), 0);
    assert_text(list.text(), "b=2");
}

void nodes_are_apart_from_a_targets_own(void**)
{
    TargetParams list = params("mgsnode=10.0.0.1@tcp a=1 failover.node=10.0.0.2@tcp b=2");

    assert_int_equal(list.own().size(), 2);
    assert_int_equal(list.erase_own(), 2);
    assert_text(list.text(), "mgsnode=10.0.0.1@tcp failover.node=10.0.0.2@tcp");
}

void nodes_gather_in_one_parameter(void**)
{
    TargetParams list = params("a=1 mgsnode=10.0.0.1@tcp b=2 mgsnode=10.0.0.2@tcp");

    assert_text(list.nodes("mgsnode")->text(), "10.0.0.1@tcp:10.0.0.2@tcp");
    assert_true(list.add_nodes("mgsnode", *NodeList::parse("10.0.0.3:10.0.0.1")).has_value());
    assert_text(list.text(), "a=1 mgsnode=10.0.0.1@tcp:10.0.0.2@tcp:10.0.0.3@tcp b=2");
    assert_true(list.add_nodes("failover.node", *NodeList::parse("10.0.0.4")).has_value());
    assert_text(list.text(),
                "a=1 mgsnode=10.0.0.1@tcp:10.0.0.2@tcp:10.0.0.3@tcp b=2 "
                "failover.node=10.0.0.4@tcp");
}

void nodes_that_are_none_say_where(void**)
{
    TargetParams list = params("mgsnode=server");

    assert_contains(list.nodes("mgsnode").error().text, "mgsnode: 'server' is not a NID");
    assert_false(list.add_nodes("mgsnode", *NodeList::parse("10.0.0.1")).has_value());
    assert_text(list.text(), "mgsnode=server");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_parameter_is_a_name_and_a_value),
        cmocka_unit_test(a_list_is_joined_by_blanks),
        cmocka_unit_test(a_new_value_takes_the_place_of_the_old),
        cmocka_unit_test(a_name_can_be_taken_away),
        cmocka_unit_test(nodes_are_apart_from_a_targets_own),
        cmocka_unit_test(nodes_gather_in_one_parameter),
        cmocka_unit_test(nodes_that_are_none_say_where),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
