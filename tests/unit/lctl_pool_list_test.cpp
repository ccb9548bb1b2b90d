// SPDX-License-Identifier: GPL-2.0-only
/* pool_list: the pools of a file system, their order, and names that are not pools. */
#include <cerrno>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "lctl_fixture.hpp"

using namespace lctl_test;

namespace {

void add_pool(FakeTree& tree, std::string_view path, std::initializer_list<const char*> targets)
{
    ll::ValuePacker value;

    for (const char* target : targets)
        value.text("", target);
    tree.records(path, value);
}

/* A mount of fs whose metadata target is on this node and has more pools; and others. */
void make_volumes(FakeTree& tree)
{
    add_pool(tree, "lov/fs-clilov-8fc030/pools/flash", {"fs-OST0001_UUID", "fs-OST0000_UUID"});
    add_pool(tree, "lov/fs-clilov-8fc030/pools/empty", {});
    tree.u64("lov/fs-clilov-8fc030/numobd", 2);
    add_pool(tree, "lov/fs-MDT0000-mdtlov/pools/flash", {"fs-OST0000_UUID", "fs-OST0002_UUID"});
    add_pool(tree, "lov/fs-MDT0000-mdtlov/pools/new", {"fs-OST0002_UUID"});
    add_pool(tree, "lov/fs-b-clilov-8fc030/pools/of_fs-b", {"fs-b-OST0000_UUID"});
    add_pool(tree, "lov/fs2-clilov-8fc030/pools/of_fs2", {"fs2-OST0000_UUID"});
    tree.dir("lov/bare-clilov-8fc030/pools");
}

void pools_are_those_of_the_volumes(void** /*state*/)
{
    const Case cases[] = {
        {"pool_list fs", "Pools from fs:\nfs.empty\nfs.flash\nfs.new\n", "", 0},
        {"pool_list fs.flash",
         "Pool: fs.flash\nfs-OST0000_UUID\nfs-OST0002_UUID\nfs-OST0001_UUID\n", "", 0},
        {"pool_list fs.empty", "Pool: fs.empty\n", "", 0},
        {"pool_list fs-b", "Pools from fs-b:\nfs-b.of_fs-b\n", "", 0},
        {"pool_list bare", "Pools from bare:\n", "", 0},
        {"pool_list --json fs2",
         "[\n{\"pool\": \"fs2.of_fs2\", \"targets\": [\"fs2-OST0000_UUID\"]}\n]\n", "", 0},
        {"pool_list --json bare", "[]\n", "", 0},
        {"pool_list -y fs.empty", "pools:\n- pool: fs.empty\n  targets: []\n", "", 0},
    };

    check_cases(cases, make_volumes);
}

void what_is_not_there_is_named(void** /*state*/)
{
    const Case cases[] = {
        {"pool_list fs.none", "",
         "error: pool_list: no pool 'none' in file system 'fs': pool_list fs names those there "
         "are\n",
         ENOENT},
        {"pool_list other", "",
         "error: pool_list: file system 'other' is not mounted on this node, and none of its "
         "metadata targets is\n",
         ENODEV},
        {"pool_list .flash", "", "error: pool_list: '.flash' is neither FSNAME nor FSNAME.POOL\n",
         EINVAL},
        {"pool_list fs.", "", "error: pool_list: 'fs.' is neither FSNAME nor FSNAME.POOL\n",
         EINVAL},
    };

    check_cases(cases, make_volumes);
    assert_int_equal(run(*std::make_unique<FakeTree>(), "pool_list fs").status, ENODEV);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(pools_are_those_of_the_volumes),
        cmocka_unit_test(what_is_not_there_is_named),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
