// SPDX-License-Identifier: GPL-2.0-only
/* Sources of mounts, as typed. */
#include "disk_fixture.hpp"

#include "disk/mount_source.hpp"

using disk::parse_source;
using namespace disk_test;

namespace {

void a_file_system_is_named_by_its_services_nodes(void**)
{
    const auto source = parse_source("10.0.0.1,10.1.0.1@tcp1:10.0.0.2:/lustre");

    assert_true(source.has_value());
    assert_false(source->is_target);
    assert_text(source->text, "10.0.0.1,10.1.0.1@tcp1:10.0.0.2:/lustre");
    assert_text(source->nodes.text(), "10.0.0.1@tcp,10.1.0.1@tcp1:10.0.0.2@tcp");
    assert_text(source->fsname, "lustre");
    assert_text(source->subdir, "");
}

void addresses_with_colons_are_taken(void**)
{
    assert_text(parse_source("fd78::1@tcp:fd78::2@tcp:/fs")->nodes.text(),
                "fd78::1@tcp:fd78::2@tcp");
    assert_text(parse_source("[fd78::1]:[fd78::2]:/fs")->nodes.text(), "fd78::1@tcp:fd78::2@tcp");
    assert_text(parse_source("fd78::1:/fs")->nodes.text(), "fd78::1@tcp");
}

void a_directory_below_the_root_may_follow(void**)
{
    assert_text(parse_source("10.0.0.1:/fs/a/b")->subdir, "a/b");
    assert_text(parse_source("10.0.0.1:/fs/")->subdir, "");
    assert_text(parse_source("10.0.0.1:/fs/a:/b")->subdir, "a:/b");
    assert_text(parse_source("10.0.0.1:/fs/..a/b..")->subdir, "..a/b..");
    for (const char* bad : {"10.0.0.1:/fs/..", "10.0.0.1:/fs/a/../b", "10.0.0.1:/fs/./a"})
        assert_contains(parse_source(bad).error().text, "must not contain");
}

void other_texts_are_directories(void**)
{
    for (const char* text : {"/srv/ost", "/srv:/ost", "./10.0.0.1:/fs", "ost", "../x", "a:b"})
        assert_true(parse_source(text)->is_target);
}

void what_is_neither_is_refused(void**)
{
    struct Case {
        const char* text;
        const char* complaint;
    };
    constexpr Case kCases[] = {
        {"", "the source is missing"},
        {"10.0.0.1:/", "10.0.0.1:/: the name of the file system is missing"},
        {"10.0.0.1://fs", "the name of the file system is missing"},
        {"10.0.0.1:/toolongname", "11 bytes, the maximum is 8"},
        {"10.0.0.1:/1fs", "'1fs' is not a valid file system name"},
        {":/fs", "a NID is missing"},
        {"server:/fs", "'server' is not a NID"},
        {"10.0.0.1::/fs", "error"},
        {"0@lo:/fs", "0@lo reaches no service"},
        {"10.0.0.1,:/fs", "a NID is missing"},
    };

    for (const Case& each : kCases) {
        const auto source = parse_source(each.text);

        assert_false(source.has_value());
        if (std::string_view(each.complaint) != "error")
            assert_contains(source.error().text, each.complaint);
    }
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_file_system_is_named_by_its_services_nodes),
        cmocka_unit_test(addresses_with_colons_are_taken),
        cmocka_unit_test(a_directory_below_the_root_may_follow),
        cmocka_unit_test(other_texts_are_directories),
        cmocka_unit_test(what_is_neither_is_refused),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
