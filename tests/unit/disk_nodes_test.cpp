// SPDX-License-Identifier: GPL-2.0-only
/* Lists of nodes by their NIDs. */
#include "disk_fixture.hpp"

#include <cerrno>

#include "disk/nodes.hpp"

using disk::NodeList;
using namespace disk_test;

namespace {

std::string parsed(std::string_view text)
{
    const auto list = NodeList::parse(text);

    return list ? list->text() : "error: " + list.error().text;
}

void nids_are_made_canonical(void**)
{
    assert_text(parsed("10.0.0.1"), "10.0.0.1@tcp");
    assert_text(parsed("10.0.0.1@tcp0"), "10.0.0.1@tcp");
    assert_text(parsed("10.0.0.1@tcp3"), "10.0.0.1@tcp3");
    assert_text(parsed("FD78:0::1@tcp"), "fd78::1@tcp");
    assert_text(parsed("[fd78::1]"), "fd78::1@tcp");
    assert_text(parsed("[fd78::1]@tcp2"), "fd78::1@tcp2");
}

void commas_join_nids_and_colons_nodes(void**)
{
    const auto list = NodeList::parse("10.0.0.1,10.0.1.1@tcp1:10.0.0.2:10.0.0.3@tcp");

    assert_true(list.has_value());
    assert_int_equal(list->nodes().size(), 3);
    assert_int_equal(list->nodes()[0].size(), 2);
    assert_text(list->nodes()[0][1], "10.0.1.1@tcp1");
    assert_text(list->nodes()[2][0], "10.0.0.3@tcp");
    assert_text(list->text(), "10.0.0.1@tcp,10.0.1.1@tcp1:10.0.0.2@tcp:10.0.0.3@tcp");
}

void colons_of_an_address_are_its_own(void**)
{
    assert_text(parsed("fd78::1@tcp:fd78::2@tcp,fd78::3@tcp1:10.0.0.1"),
                "fd78::1@tcp:fd78::2@tcp,fd78::3@tcp1:10.0.0.1@tcp");
    assert_text(parsed("[fd78::1]:[fd78::2],10.0.0.1:[::3]@tcp"),
                "fd78::1@tcp:fd78::2@tcp,10.0.0.1@tcp:::3@tcp");
    // With neither it is alone, as far as the next comma.
    assert_text(parsed("fd78::1"), "fd78::1@tcp");
    assert_text(parsed("fd78::1,10.0.0.1:10.0.0.2"), "fd78::1@tcp,10.0.0.1@tcp:10.0.0.2@tcp");
    assert_text(parsed("10.0.0.1:fd78::1"), "10.0.0.1@tcp:fd78::1@tcp");
}

void what_is_canonical_stays(void**)
{
    for (const char* text :
         {"10.0.0.1@tcp", "fd78::1@tcp:fd78::2@tcp", "::1@tcp,10.0.0.1@tcp5:::@tcp"})
        assert_text(parsed(text), text);
}

void what_is_no_list_is_refused(void**)
{
    assert_contains(parsed(""), "a NID is missing");
    assert_contains(parsed("10.0.0.1,"), "a NID is missing");
    assert_contains(parsed(":10.0.0.1"), "':10.0.0.1' is not a NID");
    assert_contains(parsed("10.0.0.1::10.0.0.2"), "error: ");
    assert_contains(parsed("10.0.0.1:10.0.0.2:"), "a NID is missing");
    assert_contains(parsed("10.0.0.256"), "'10.0.0.256' is not a NID: not an IPv4 address");
    assert_contains(parsed("server"), "'server' is not a NID");
    assert_contains(parsed("[fd78::1"), "'[fd78::1' is not a NID");
    assert_contains(parsed("10.0.0.1@o2ib"), "only the networks tcp and lo are supported");
    assert_contains(parsed("10.0.0.1 "), "is not a NID");
    assert_contains(parsed("0@lo"), "0@lo reaches no service");
    assert_int_equal(NodeList::parse("x").error().code, EINVAL);
}

void nodes_that_are_there_are_not_added_again(void**)
{
    auto list = NodeList::parse("10.0.0.1:10.0.0.2");

    list->add(*NodeList::parse("10.0.0.2@tcp:10.0.0.3"));
    assert_text(list->text(), "10.0.0.1@tcp:10.0.0.2@tcp:10.0.0.3@tcp");
    // Another set of NIDs is another node.
    list->add(*NodeList::parse("10.0.0.1,10.0.0.9"));
    assert_text(list->text(), "10.0.0.1@tcp:10.0.0.2@tcp:10.0.0.3@tcp:10.0.0.1@tcp,10.0.0.9@tcp");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(nids_are_made_canonical),
        cmocka_unit_test(commas_join_nids_and_colons_nodes),
        cmocka_unit_test(colons_of_an_address_are_its_own),
        cmocka_unit_test(what_is_canonical_stays),
        cmocka_unit_test(what_is_no_list_is_refused),
        cmocka_unit_test(nodes_that_are_there_are_not_added_again),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
