// SPDX-License-Identifier: GPL-2.0-only
/* Commands of the debug log and its masks. */
#include <fstream>
#include <sstream>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "cmocka.hpp"
#include "lctl/commands/debug_log.hpp"
#include "real_tree.h"
#include "test_system.hpp"

namespace {

constexpr const char* first_line = "00000040:00000004:1.0:1.000000:0:77:0:(test.c:5:test()) one\n";
constexpr const char* second_line = "00000040:00000004:0.0:2.500000:0:77:0:(test.c:5:test()) two\n";

/* A log whose records are not in order of time. */
void fill(TestLctl& lctl)
{
    lctl.system.log.add(1'000'000'000, "one\n");
    lctl.system.log.add(2'500'000'000, "two\n");
    std::swap(lctl.system.log.records[0].bytes, lctl.system.log.records[1].bytes);
}

/* A directory that is removed with its contents. */
class Directory {
public:
    Directory() { assert_non_null(mkdtemp(path_.data())); }
    ~Directory()
    {
        for (const char* const name : {"/log", "/raw", "/text"})
            unlink((path_ + name).c_str());
        rmdir(path_.c_str());
    }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    std::string file(const char* name) const { return path_ + "/" + name; }

private:
    std::string path_ = "/tmp/lctl-test-XXXXXX";
};

std::string contents(const std::string& path)
{
    std::ostringstream text;

    text << std::ifstream(path).rdbuf();
    return text.str();
}

void log_is_printed_by_time_and_emptied(void**)
{
    TestLctl lctl;

    fill(lctl);
    lctl.system.log.lost = 3;
    assert_text(
        lctl.output_of({"debug_kernel"}),
        std::string(first_line) + second_line + "Debug log: 5 lines, 2 kept, 3 dropped, 0 bad.\n");
    assert_text(lctl.output_of({"dk"}), "Debug log: 0 lines, 0 kept, 0 dropped, 0 bad.\n");
}

void keep_leaves_the_log(void**)
{
    TestLctl lctl;

    fill(lctl);
    lctl.output_of({"dk", "--keep"});
    assert_int_equal(lctl.system.log.records.size(), 2);
}

void what_is_logged_meanwhile_stays(void**)
{
    TestLctl lctl;

    fill(lctl);
    lctl.system.log.added_during_read = "late\n";
    lctl.output_of({"dk"});
    assert_int_equal(lctl.system.log.records.size(), 1);
    assert_true(lctl.system.log.records.front().bytes.find("late") != std::string::npos);
}

void a_log_longer_than_a_call_is_whole(void**)
{
    TestLctl lctl;

    for (std::uint64_t i = 0; i < 500; i++)
        lctl.system.log.add(i, "x\n");
    lctl.system.log.most_room = 1000;
    const std::string text = lctl.output_of({"dk"});
    assert_true(text.ends_with("Debug log: 500 lines, 500 kept, 0 dropped, 0 bad.\n"));
    assert_true(lctl.system.port->calls_of[LIBCFS_IOC_DEBUG_READ] > 10);
}

void a_log_that_always_grows_has_an_end(void**)
{
    TestLctl lctl;

    // Each call finds the record of the future that the one before it added.
    lctl.system.log.add(1, "first\n");
    lctl.system.log.add(UINT64_MAX, "of the future\n");
    lctl.system.log.most_room = 100;
    for (int i = 0; i < 100; i++)
        lctl.system.log.add(UINT64_MAX, "more\n");
    const auto log = lctl::read_debug_log((*lctl.context.params())->port());
    assert_true(log.has_value());
    assert_int_equal(lctl.system.port->calls_of[LIBCFS_IOC_DEBUG_READ], 2);
}

void a_file_is_written_and_what_is_there_kept_on_failure(void**)
{
    TestLctl lctl;
    const Directory directory;
    struct stat about {};

    fill(lctl);
    assert_text(lctl.output_of({"dk", directory.file("log")}),
                "Debug log: 2 lines, 2 kept, 0 dropped, 0 bad.\n");
    assert_text(contents(directory.file("log")), std::string(first_line) + second_line);
    assert_int_equal(stat(directory.file("log").c_str(), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);

    fill(lctl);
    assert_int_equal(lctl.run({"dk", "/nosuch/directory/log"}), ENOENT);
    assert_text(lctl.err.take(),
                "error: debug_kernel: /nosuch/directory/log: No such file or directory\n");
    assert_int_equal(lctl.system.log.records.size(), 2);
}

void a_log_that_cannot_be_printed_stays(void**)
{
    TestLctl lctl;

    fill(lctl);
    lctl.out.fail_with = ENOSPC;
    assert_int_equal(lctl.run({"dk"}), ENOSPC);
    assert_int_equal(lctl.system.log.records.size(), 2);
}

void raw_records_become_the_same_text(void**)
{
    TestLctl lctl;
    const Directory directory;

    fill(lctl);
    lctl.output_of({"dk", directory.file("raw"), "raw"});
    assert_text(
        lctl.output_of({"debug_file", directory.file("raw")}),
        std::string(first_line) + second_line + "Debug log: 2 lines, 2 kept, 0 dropped, 0 bad.\n");
    lctl.output_of({"df", directory.file("raw"), directory.file("text")});
    assert_text(contents(directory.file("text")), std::string(first_line) + second_line);
}

void a_file_of_something_else_is_told(void**)
{
    TestLctl lctl;
    const Directory directory;

    std::ofstream(directory.file("raw"))
        << "this is no log, and longer than the head of a record is, "
           "so that it is looked at";
    assert_int_equal(lctl.run({"debug_file", directory.file("raw")}), EINVAL);
    assert_true(lctl.err.take().find("1 bad records") != std::string::npos);
}

void json_is_an_object_a_line(void**)
{
    TestLctl lctl;

    lctl.system.log.add(1'500'000'000, "say \"x\"\n");
    assert_text(lctl.output_of({"dk", "--json"}),
                "{\"subsystem\": 64, \"level\": 4, \"cpu\": 1, \"sequence\": 1, "
                "\"time\": 1.500000000, \"stack\": 0, \"pid\": 77, \"line\": 5, "
                "\"file\": \"test.c\", \"function\": \"test\", "
                "\"text\": \"say \\\"x\\\"\\n\"}\n");
    assert_text(lctl.err.take(), "Debug log: 1 lines, 1 kept, 0 dropped, 0 bad.\n");
}

void who_may_not_is_told_what_is_needed(void**)
{
    TestLctl lctl;

    lctl.system.log.fail_with = EPERM;
    for (const char* const command : {"dk", "clear", "mark"}) {
        assert_int_equal(lctl.run({command}), EPERM);
        assert_true(lctl.err.take().find("CAP_SYS_ADMIN") != std::string::npos);
    }
}

void operands_of_the_log_are_checked(void**)
{
    TestLctl lctl;

    assert_int_equal(lctl.run({"dk", "file", "row"}), EINVAL);
    assert_int_equal(lctl.run({"dk", "file", "raw", "x"}), EINVAL);
    assert_int_equal(lctl.run({"debug_file"}), EINVAL);
    assert_int_equal(lctl.run({"clear", "x"}), EINVAL);
}

void clear_empties_and_mark_writes(void**)
{
    TestLctl lctl;

    fill(lctl);
    lctl.output_of({"clear"});
    assert_int_equal(lctl.system.log.records.size(), 0);
    lctl.output_of({"mark", "before", "the mount"});
    assert_text(lctl.system.log.marks.at(0), "before the mount");
    lctl.output_of({"mark"});
    assert_true(lctl.system.log.marks.at(1).size() > std::string("1 1 2026").size());
    assert_int_equal(lctl.run({"mark", "two\nlines"}), EINVAL);
    assert_int_equal(lctl.run({"mark", std::string(600, 'x')}), E2BIG);
    assert_int_equal(lctl.system.log.marks.size(), 2);
}

void names_of_masks_come_from_the_kernel(void**)
{
    TestLctl lctl;

    assert_text(lctl.output_of({"debug_list", "subs"}),
                "Subsystems: all_subs, undefined, mdc, osc\n");
    assert_text(lctl.output_of({"debug_list"}),
                "Subsystems: all_subs, undefined, mdc, osc\n"
                "Types: all_types, trace, inode, info, ioctl\n");
    assert_text(lctl.output_of({"debug_list", "--json", "types"}),
                "{\"types\": [\"trace\", \"inode\", \"info\", \"ioctl\"]}\n");
    assert_int_equal(lctl.run({"debug_list", "x"}), EINVAL);
}

void show_and_filter_change_the_mask_that_knows_the_name(void**)
{
    TestLctl lctl;

    lctl.output_of({"set_param", "-n", "debug=trace", "subsystem_debug=mdc"});
    lctl.output_of({"show", "osc", "info", "ioctl"});
    assert_text(lctl.value_of("debug"), "trace info ioctl");
    assert_text(lctl.value_of("subsystem_debug"), "mdc osc");
    lctl.output_of({"filter", "info", "mdc", "trace"});
    assert_text(lctl.value_of("debug"), "ioctl");
    assert_text(lctl.value_of("subsystem_debug"), "osc");
    lctl.output_of({"filter", "all_types"});
    assert_text(lctl.value_of("debug"), "0");
    lctl.output_of({"show", "all_types", "all_subs"});
    assert_text(lctl.value_of("debug"), "trace inode info ioctl");
    assert_text(lctl.value_of("subsystem_debug"), "undefined mdc osc");
}

void an_unknown_name_changes_nothing(void**)
{
    TestLctl lctl;

    lctl.output_of({"set_param", "-n", "debug=trace"});
    assert_int_equal(lctl.run({"show", "info", "bogus"}), EINVAL);
    assert_text(lctl.err.take(),
                "error: show: 'bogus' is not a subsystem or level; see "
                "'lctl debug_list'\n");
    assert_text(lctl.value_of("debug"), "trace");
}

void masks_need_privilege(void**)
{
    TestLctl lctl;

    real_tree_be_root(0);
    const int status = lctl.run({"show", "info"});
    real_tree_be_root(1);
    assert_int_equal(status, EPERM);
}

}  // namespace

#define on_tree(test) cmocka_unit_test_setup_teardown(test, start_tree, stop_tree)

int main()
{
    const CMUnitTest tests[] = {
        on_tree(log_is_printed_by_time_and_emptied),
        on_tree(keep_leaves_the_log),
        on_tree(what_is_logged_meanwhile_stays),
        on_tree(a_log_longer_than_a_call_is_whole),
        on_tree(a_log_that_always_grows_has_an_end),
        on_tree(a_file_is_written_and_what_is_there_kept_on_failure),
        on_tree(a_log_that_cannot_be_printed_stays),
        on_tree(raw_records_become_the_same_text),
        on_tree(a_file_of_something_else_is_told),
        on_tree(json_is_an_object_a_line),
        on_tree(who_may_not_is_told_what_is_needed),
        on_tree(operands_of_the_log_are_checked),
        on_tree(clear_empties_and_mark_writes),
        on_tree(names_of_masks_come_from_the_kernel),
        on_tree(show_and_filter_change_the_mask_that_knows_the_name),
        on_tree(an_unknown_name_changes_nothing),
        on_tree(masks_need_privilege),
    };

    return cmocka_run_group_tests_name("shell_debug", tests, nullptr, nullptr);
}
