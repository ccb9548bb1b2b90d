// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files that find finds.
 */
#include <cerrno>

#include "lfs_fixture.hpp"

namespace {

using lfs_test::Case;
using lfs_test::FakeFiles;

/* As melon(), of the pool flash. */
std::string of_pool_flash()
{
    const std::string plain = lfs_test::hex_of(lfs_test::melon());

    return lfs_test::bytes_of("d00bd30b" + plain.substr(8, 56) + "666c617368" +
                              std::string(22, '0') + plain.substr(64));
}

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
        {"find /mnt/lustre -stripe-size 1M -print", "/mnt/lustre/big.c\n", "", 0},
        {"find /mnt/lustre -S +1M", "", "", 0},
        {"find /mnt/lustre -stripe-index 0-1", "/mnt/lustre/big.c\n", "", 0},
        {"find /mnt/lustre -i 0", "", "", 0},
        {"find /mnt/lustre -maxdepth 1 -type f", "/mnt/lustre/big.c\n/mnt/lustre/none\n", "", 0},
        {"find /mnt/lustre/no", "", "error: find: /mnt/lustre/no: No such file or directory\n",
         ENOENT},
        {"find /mnt/lustre/no -size 1 -print0", "",
         "error: find: /mnt/lustre/no: No such file or directory\n", ENOENT},
        {"find /mnt/lustre -type x", "",
         "error: find: -type: 'x' should be b, c, d, f, l, p or s\n", EINVAL},
        {"find /mnt/lustre -maxdepth x", "", "error: find: -maxdepth: 'x' is not a number\n",
         EINVAL},
    };

    files.files["/mnt/lustre/big.c"] = {.layout = lfs_test::melon(), .size = 3 << 20};
    files.files["/mnt/lustre/none"] = {};
    files.files["/mnt/lustre/d"].kind = lfs::Kind::Directory;
    files.files["/mnt/lustre/d/small.c"].size = 10;
    lfs_test::run_cases(files, cases);
    for (const char* const option : {"-0", "--print0", "-print0"})
        assert_true(lfs_test::run(files, std::string("find /mnt/lustre -ost 1 ") + option).out ==
                    std::string("/mnt/lustre/big.c\0", 18));
}

void times_are_counted_in_whole_units(void**)
{
    constexpr std::int64_t kHour = 3600;
    constexpr const char* kAges =
        " should be a number of days, or of units s, "
        "m, h, d, w and y as in 8h or 1h30m, after a "
        "+ for more or a - for less\n";
    FakeFiles files;
    const Case cases[] = {
        {"find /mnt/lustre -type f -mtime 0", "/mnt/lustre/hour\n/mnt/lustre/later\n", "", 0},
        {"find /mnt/lustre -mtime 1", "/mnt/lustre/day\n", "", 0},
        {"find /mnt/lustre -mtime +0", "/mnt/lustre/day\n/mnt/lustre/old\n", "", 0},
        {"find /mnt/lustre -mtime +1", "/mnt/lustre/old\n", "", 0},
        {"find /mnt/lustre -type f -mtime -1", "/mnt/lustre/hour\n/mnt/lustre/later\n", "", 0},
        {"find /mnt/lustre -type f -mtime -2",
         "/mnt/lustre/day\n/mnt/lustre/hour\n/mnt/lustre/later\n", "", 0},
        {"find /mnt/lustre -mtime 1h", "/mnt/lustre/hour\n", "", 0},
        {"find /mnt/lustre -mtime 36h", "/mnt/lustre/day\n", "", 0},
        {"find /mnt/lustre -mtime 1d12h", "/mnt/lustre/day\n", "", 0},
        {"find /mnt/lustre -mtime 90m", "/mnt/lustre/hour\n", "", 0},
        {"find /mnt/lustre -mtime +1h20m -mtime -1w", "/mnt/lustre/day\n/mnt/lustre/hour\n", "", 0},
        {"find /mnt/lustre -M +4000s", "/mnt/lustre/day\n/mnt/lustre/hour\n/mnt/lustre/old\n", "",
         0},
        {"find /mnt/lustre -mtime 1y", "/mnt/lustre/old\n", "", 0},
        {"find /mnt/lustre -atime 2", "/mnt/lustre/day\n", "", 0},
        {"find /mnt/lustre -ctime 18h", "/mnt/lustre/day\n", "", 0},
        {"find /mnt/lustre -type f -newer /mnt/lustre/day", "/mnt/lustre/hour\n/mnt/lustre/later\n",
         "", 0},
        {"find /mnt/lustre -newer /no", "", "error: find: -newer: /no: No such file or directory\n",
         ENOENT},
    };

    files.files["/mnt/lustre/hour"].age = kHour * 3 / 2 + 5;
    files.files["/mnt/lustre/day"].age = kHour * 36 + 5;
    files.files["/mnt/lustre/old"].age = kHour * 24 * 400;
    files.files["/mnt/lustre/later"].age = -100;
    lfs_test::run_cases(files, cases);
    for (const char* const wrong : {"x", "+", "1x", "1d2", "1.5d", "-1-", "99999999999"}) {
        const bool plain = std::string_view(wrong) == "1d2";
        const auto ran = lfs_test::run(files, std::string("find /mnt/lustre -mtime ") + wrong);

        if (!plain)
            assert_text(ran.err, std::string("error: find: -mtime: '") + wrong + "'" + kAges);
        assert_int_equal(ran.status, plain ? 0 : EINVAL);
    }
}

void files_are_found_by_owner_and_pool(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"find /mnt/lustre -type f -user root", "/mnt/lustre/of_1001\n", "", 0},
        {"find /mnt/lustre -type f -uid 0", "/mnt/lustre/of_1001\n", "", 0},
        {"find /mnt/lustre -uid 1000", "/mnt/lustre/of_1000\n", "", 0},
        {"find /mnt/lustre -u 1000 -G 0", "/mnt/lustre/of_1000\n", "", 0},
        {"find /mnt/lustre -gid 1001", "/mnt/lustre/of_1001\n", "", 0},
        {"find /mnt/lustre -type f -group root", "/mnt/lustre/of_1000\n", "", 0},
        {"find /mnt/lustre -user no-such-user", "",
         "error: find: -user: 'no-such-user' is neither a number nor a name that "
         "this node knows\n",
         EINVAL},
        {"find /mnt/lustre -gid -1", "",
         "error: find: -gid: '-1' is neither a number nor a name that this node "
         "knows\n",
         EINVAL},
        {"find /mnt/lustre -pool flash", "/mnt/lustre/of_1000\n", "", 0},
        {"find /mnt/lustre -pool lustre.flash", "/mnt/lustre/of_1000\n", "", 0},
        {"find /mnt/lustre -pool none", "/mnt/lustre/of_1001\n", "", 0},
    };

    files.files["/mnt/lustre/of_1000"] = {.layout = of_pool_flash(), .uid = 1000};
    files.files["/mnt/lustre/of_1001"] = {.layout = lfs_test::melon(), .gid = 1001};
    lfs_test::run_cases(files, cases);
}

void not_negates_a_test(void**)
{
    FakeFiles files;
    const Case cases[] = {
        {"find /mnt/lustre ! -name a -type f", "/mnt/lustre/b\n", "", 0},
        {"find /mnt/lustre -type f ! -ost 1", "/mnt/lustre/b\n", "", 0},
        {"find /mnt/lustre -type f ! -ost 1 ! -name b", "", "", 0},
        {"find ! -type d /mnt/lustre", "/mnt/lustre/a\n/mnt/lustre/b\n", "", 0},
        {"find /mnt/lustre ! ! -name a", "/mnt/lustre/a\n", "", 0},
        {"find /mnt/lustre ! -uid 0 ! -size 5", "/mnt/lustre/b\n", "", 0},
        {"find /mnt/lustre ! -size 5 -gid 7", "", "", 0},
        {"find /mnt/lustre ! -maxdepth 1", "",
         "error: find: -maxdepth is not a test: '!' does not go before it\n", EINVAL},
        {"find ! /mnt/lustre", "",
         "error: find: '!' should stand before an option\nusage: lfs find "
         "[OPTION...] PATH...\n"
         "See 'lfs help find'.\n",
         EINVAL},
        {"find /mnt/lustre !", "",
         "error: find: '!' should stand before an option\nusage: lfs find "
         "[OPTION...] PATH...\n"
         "See 'lfs help find'.\n",
         EINVAL},
        {"find /tmp ! -ost 1", "",
         "error: find: /tmp: Operation not supported\nerror: find: /tmp/local: Operation not "
         "supported\n",
         EOPNOTSUPP},
        {"find /mnt/lustre -naem a", "",
         "error: find: unrecognized option '-naem'; did you mean '-name'?\n"
         "usage: lfs find [OPTION...] PATH...\nSee 'lfs help find'.\n",
         EINVAL},
        {"find /mnt/lustre --tipe=f", "",
         "error: find: unrecognized option '--tipe'; did you mean '--type'?\n"
         "usage: lfs find [OPTION...] PATH...\nSee 'lfs help find'.\n",
         EINVAL},
        {"find /mnt/lustre -na", "",
         "error: find: option '-na' needs an argument\nusage: lfs find "
         "[OPTION...] PATH...\n"
         "See 'lfs help find'.\n",
         EINVAL},
        {"find /mnt/lustre -maxd 0 -tf -s+5", "", "", 0},
    };

    files.files["/mnt/lustre/a"] = {.layout = lfs_test::melon(), .size = 5};
    files.files["/mnt/lustre/b"].uid = 1;
    lfs_test::run_cases(files, cases);
}

/* The operand is asked for what it is. */
void a_test_asks_for_what_it_needs(void**)
{
    const std::pair<const char*, int> lines[] = {
        {"find /mnt/lustre", 1},
        {"find /mnt/lustre -name b* -type f", 1},
        {"find /mnt/lustre -type f -size 0", 4},
        {"find /mnt/lustre -size 0 -ctime 0 -uid 0 -type f -name ba", 2},
        {"find /mnt/lustre -ost 1 -uid 7 -type f", 4},
        {"find /mnt/lustre -ost 1 -type f", 4},
        {"find /mnt/lustre -ost 1 -pool x -stripe-count 1 -type f -name ba", 2},
    };
    FakeFiles files;

    for (const char* const name : {"aa", "ab", "ba"})
        files.files[std::string("/mnt/lustre/") + name].layout = lfs_test::melon();
    for (const auto& [line, asked] : lines) {
        files.asked = 0;
        assert_int_equal(lfs_test::run(files, line).status, 0);
        print_message("lfs %s\n", line);
        assert_int_equal(files.asked, asked);
    }
    files.files["/mnt/lustre/ba"].lists_no_type = true;
    files.asked = 0;
    assert_text(lfs_test::run(files, "find /mnt/lustre -type f -name ba").out, "/mnt/lustre/ba\n");
    assert_int_equal(files.asked, 2);
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(files_are_found_by_what_they_are),
        cmocka_unit_test(times_are_counted_in_whole_units),
        cmocka_unit_test(files_are_found_by_owner_and_pool),
        cmocka_unit_test(not_negates_a_test),
        cmocka_unit_test(a_test_asks_for_what_it_needs),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
