// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files that find finds.
 */
#include <cerrno>

#include "lfs_fixture.hpp"

namespace {

using lfs_test::Case;
using lfs_test::FakeFiles;

void files_are_found_by_what_they_are(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"find /mnt/lustre -type f", "/mnt/lustre/big.c\n/mnt/lustre/d/small.c\n/mnt/lustre/none\n",
         "", 0},
        {"find /mnt/lustre -name *.c", "/mnt/lustre/big.c\n/mnt/lustre/d/small.c\n", "", 0},
        {"find /mnt/lustre --name=d", "/mnt/lustre/d\n", "", 0},
        {"find /mnt/lustre -size +1M", "/mnt/lustre/big.c\n", "", 0},
        {"find /mnt/lustre -type f -size -1k", "/mnt/lustre/none\n", "", 0},
        {"find /mnt/lustre -type f -size -2k", "/mnt/lustre/d/small.c\n/mnt/lustre/none\n", "", 0},
        {"find /mnt/lustre -type f -size 1k", "/mnt/lustre/d/small.c\n", "", 0},
        {"find /mnt/lustre -type f -size 1M", "/mnt/lustre/d/small.c\n", "", 0},
        {"find /mnt/lustre -type f -size 3M", "/mnt/lustre/big.c\n", "", 0},
        {"find /mnt/lustre -type f -size 4M", "", "", 0},
        {"find /mnt/lustre -type f -size 1G", "/mnt/lustre/big.c\n/mnt/lustre/d/small.c\n", "", 0},
        {"find /mnt/lustre -type f -size -11", "/mnt/lustre/d/small.c\n/mnt/lustre/none\n", "", 0},
        {"find /mnt/lustre -type f -size -10", "/mnt/lustre/none\n", "", 0},
        {"find /mnt/lustre -size 10", "/mnt/lustre/d/small.c\n", "", 0},
        {"find /mnt/lustre -ost 1", "/mnt/lustre/big.c\n", "", 0},
        {"find /mnt/lustre -O 0,2-3", "", "", 0},
        {"find /mnt/lustre -stripe-count 1", "/mnt/lustre/big.c\n", "", 0},
        {"find /mnt/lustre -c +1", "", "", 0},
        {"find /mnt/lustre -maxdepth 1 -type f", "/mnt/lustre/big.c\n/mnt/lustre/none\n", "", 0},
        {"find /mnt/lustre/no", "", "error: find: /mnt/lustre/no: No such file or directory\n",
         ENOENT},
        {"find /mnt/lustre -type x", "",
         "error: find: -type: 'x' should be b, c, d, f, l, p or s\n", EINVAL},
    };

    files.files["/mnt/lustre/big.c"] = {.layout = lfs_test::melon(), .size = 3 << 20};
    files.files["/mnt/lustre/none"] = {};
    files.files["/mnt/lustre/d"].kind = lfs::Kind::Directory;
    files.files["/mnt/lustre/d/small.c"].size = 10;
    lfs_test::run_cases(files, cases);
    for (const char* const option : {"-P", "--print0", "-print0"})
        assert_true(lfs_test::run(files, std::string("find /mnt/lustre -ost 1 ") + option).out ==
                    std::string("/mnt/lustre/big.c\0", 18));
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(files_are_found_by_what_they_are),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
