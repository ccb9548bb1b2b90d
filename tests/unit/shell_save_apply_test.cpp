// SPDX-License-Identifier: GPL-2.0-only
/* save_params and apply_params: round trip, all or nothing, line numbers of errors. */
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

#include "cmocka.hpp"
#include "real_tree.h"
#include "test_system.hpp"

namespace {

constexpr const char* rpcs0 = "osc.lustre-OST0000.max_rpcs_in_flight";
constexpr const char* rpcs1 = "osc.lustre-OST0001.max_rpcs_in_flight";

/* A file that is removed at the end. */
class File {
public:
    explicit File(const std::string& text = "")
    {
        const int fd = mkstemp(path_.data());

        assert_true(fd >= 0);
        close(fd);
        std::ofstream(path_) << text;
    }
    ~File() { unlink(path_.c_str()); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    const std::string& path() const { return path_; }

    std::string text() const
    {
        std::ostringstream text;

        text << std::ifstream(path_).rdbuf();
        return text.str();
    }

private:
    std::string path_ = "/tmp/lctl-test-XXXXXX";
};

std::string setting(const std::string& name, const std::string& value, const std::string& type = "")
{
    return "- name: " + name + "\n  value: " + value + "\n" +
           (type.empty() ? "" : "  type: " + type + "\n");
}

/* Contents of a saved file, without comments. */
std::string without_head(const std::string& text)
{
    return text.substr(text.find("parameters:\n"));
}

void only_settings_are_saved(void**)
{
    TestLctl lctl;

    assert_text(without_head(lctl.output_of({"save_params", "osc.lustre-OST0000"})),
                "parameters:\n" + setting("osc.lustre-OST0000.active", "1", "bool") +
                    setting("osc.lustre-OST0000.checksum_type", "crc32", "enum") +
                    setting("osc.lustre-OST0000.max_dirty_mb", "32", "bytes") +
                    setting(rpcs0, "8", "u32") +
                    setting("osc.lustre-OST0000.note", "plain", "string") +
                    setting("osc.lustre-OST0000.timeout", "5", "time"));
}

void the_head_says_where_it_is_from(void**)
{
    TestLctl lctl;
    const std::string text = lctl.output_of({"save_params", "debug"});

    for (const char* const part :
         {"# lustre-lite parameters\n", "# version: ", "# date: 20", "# host: "})
        assert_true(text.find(part) != std::string::npos);
}

void each_is_saved_once_and_no_link_twice(void**)
{
    TestLctl lctl;
    const std::string text = lctl.output_of({"save_params", "debug", "*", "osc", "debug"});
    std::size_t count = 0;

    for (std::size_t at = 0; (at = text.find("- name: ", at)) != std::string::npos; at++)
        count++;
    // Three devices with six settings, two masks, one number.
    assert_int_equal(count, 3 * 6 + 2 + 1);
    assert_true(text.find("osc.first") == std::string::npos);
    assert_true(text.find("volatile") == std::string::npos);
}

void a_pattern_without_settings_is_an_error(void**)
{
    TestLctl lctl;

    assert_int_equal(lctl.run({"save_params", "version"}), EINVAL);
    assert_text(lctl.err.take(),
                "error: save_params: 'version' contains no readable and writable setting\n");
    assert_int_equal(lctl.run({"save_params", "nosuch", "debug"}), ENOENT);
    assert_true(lctl.out.take().find("- name: debug\n") != std::string::npos);
}

void a_file_is_left_alone_when_something_fails(void**)
{
    TestLctl lctl;
    const File file("before");

    assert_int_equal(lctl.run({"save_params", "-o", file.path(), "debug", "nosuch"}), ENOENT);
    assert_text(file.text(), "before");
    lctl.output_of({"save_params", "-o", file.path(), "debug"});
    assert_text(without_head(file.text()),
                "parameters:\n" + setting("debug", "trace info", "mask"));
}

void what_is_saved_is_applied_again(void**)
{
    TestLctl lctl;
    const File file;
    const std::string note = " a: 'b'\n# \"c\"\t\n\n";

    lctl.output_of({"set_param", "-n", "osc.lustre-OST0001.note=" + note + "\n",
                    "osc.lustre-OST0001.max_dirty_mb=1.5", "osc.lustre-OST0002.timeout=250ms",
                    "osc.lustre-OST0002.checksum_type=adler", "osc.lustre-OST0002.active=0"});
    lctl.output_of({"save_params", "-o", file.path(), "**"});
    const std::string before = lctl.output_of({"get_param", "osc.lustre-*.[!s]*", "debug"});

    lctl.output_of({"set_param", "-n", "osc.lustre-*.note=other", "osc.lustre-*.max_dirty_mb=7",
                    "osc.lustre-*.timeout=9", "osc.lustre-*.checksum_type=crc32c",
                    "osc.lustre-*.active=1", "debug=inode", "osc.lustre-*.max_rpcs_in_flight=1"});
    assert_true(lctl.output_of({"get_param", "osc.lustre-*.[!s]*", "debug"}) != before);
    lctl.output_of({"apply_params", file.path()});
    assert_text(lctl.output_of({"get_param", "osc.lustre-*.[!s]*", "debug"}), before);
    assert_text(lctl.output_of({"apply_params", file.path()}), "0 changed, 21 as they were\n");
}

void an_empty_text_comes_back(void**)
{
    TestLctl lctl;
    const File file("parameters:\n" + setting("osc.lustre-OST0000.note", "\"\""));

    lctl.output_of({"apply_params", file.path()});
    assert_text(lctl.value_of("osc.lustre-OST0000.note"), "");
}

void changes_are_shown_and_the_rest_not_written(void**)
{
    TestLctl lctl;
    const File file("parameters:\n" + setting(rpcs0, "8") + setting(rpcs1, "16"));

    assert_text(lctl.output_of({"apply_params", file.path()}),
                std::string(rpcs1) + ": 8 -> 16\n1 changed, 1 as they were\n");
    assert_text(lctl.value_of(rpcs1), "16");
    assert_text(lctl.output_of({"apply_params", file.path()}), "0 changed, 2 as they were\n");
    assert_int_equal(lctl.system.port->calls_of[PARAMS_IOC_WRITE_BATCH], 1);
}

void a_dry_run_changes_nothing(void**)
{
    TestLctl lctl;
    const File good("parameters:\n" + setting(rpcs0, "9"));
    const File bad("parameters:\n" + setting(rpcs0, "1000"));

    assert_text(lctl.output_of({"apply_params", "--dry-run", good.path()}),
                std::string(rpcs0) + ": 8 -> 9\n1 would be changed, 0 as they were\n");
    assert_text(lctl.value_of(rpcs0), "8");
    assert_int_equal(lctl.run({"apply_params", "-n", bad.path()}), ERANGE);
}

void one_refusal_leaves_all_as_it_was(void**)
{
    TestLctl lctl;
    const File file("parameters:\n" + setting(rpcs0, "9") + setting(rpcs1, "1000") +
                    setting("debug", "inode"));

    assert_int_equal(lctl.run({"apply_params", file.path()}), ERANGE);
    assert_text(lctl.out.take(), "");
    const std::string error = lctl.err.take();
    assert_int_equal(error.find("error: apply_params: " + file.path() + ":4: setting " +
                                std::string(rpcs1) + "=1000: Numerical result out of range: "),
                     0);
    assert_text(lctl.value_of(rpcs0), "8");
    assert_text(lctl.value_of("debug"), "trace info");
}

void a_refusal_at_the_last_moment_is_undone(void**)
{
    TestLctl lctl;
    const File file("parameters:\n" + setting(rpcs0, "9") + setting("stubborn", "13"));

    assert_int_equal(lctl.run({"apply_params", file.path()}), EBUSY);
    assert_text(lctl.value_of(rpcs0), "8");
}

void faults_name_file_and_line(void**)
{
    struct {
        std::string text;
        int code;
        const char* line;
        const char* part;
    } const faults[] = {
        {"parameters: 3\n", EINVAL, ":1: ", "takes a list"},
        {"", EINVAL, ": ", "not a map"},
        {"parameters:\n" + setting("nosuch", "1"), ENOENT, ":2: ", "nosuch: No such file"},
        {"parameters:\n" + setting("osc", "1"), EISDIR, ":2: ", "osc: Is a directory"},
        {"parameters:\n" + setting("\"osc.*.active\"", "1"), EINVAL, ":2: ", "a pattern"},
        {"parameters:\n" + setting(rpcs0, "9", "u64"), EINVAL, ":2: ", "is of type u32, not u64"},
        {"parameters:\n" + setting("version", "9"), EACCES, ":2: ", "Permission denied"},
        {"parameters:\n" + setting(rpcs0, "abc"), EINVAL, ":2: ", "=abc: Invalid argument"},
    };

    for (const auto& fault : faults) {
        TestLctl lctl;
        const File file(fault.text);

        assert_int_equal(lctl.run({"apply_params", file.path()}), fault.code);
        const std::string error = lctl.err.take();
        if (error.find(file.path() + fault.line) == std::string::npos ||
            error.find(fault.part) == std::string::npos)
            fail_msg("%s: %s", fault.part, error.c_str());
    }
}

void all_faults_are_told_at_once(void**)
{
    TestLctl lctl;
    const File file("parameters:\n" + setting("nosuch", "1") + setting("osc", "1"));

    assert_int_equal(lctl.run({"apply_params", file.path()}), ENOENT);
    const std::string error = lctl.err.take();
    assert_true(error.find(":2: nosuch") != std::string::npos);
    assert_true(error.find(":4: osc") != std::string::npos);
}

void json_has_changes_or_errors(void**)
{
    TestLctl lctl;
    const File good("parameters:\n" + setting(rpcs0, "9") + setting(rpcs1, "8"));
    const File same("parameters:\n" + setting(rpcs1, "8"));
    const File bad("parameters:\n" + setting(rpcs0, "9") + setting("nosuch", "1"));

    assert_text(lctl.output_of({"apply_params", "--json", "-n", good.path()}),
                "[\n{\"name\": \"" + std::string(rpcs0) +
                    "\", \"old\": \"8\", \"value\": \"9\", \"dry_run\": true}\n]\n");
    assert_text(lctl.output_of({"apply_params", "--json", same.path()}), "[]\n");
    assert_int_equal(lctl.run({"apply_params", "--json", bad.path()}), ENOENT);
    assert_text(lctl.out.take(),
                "[\n{\"name\": \"nosuch\", \"error\": {\"errno\": 2, \"message\": "
                "\"nosuch: No such file or directory\"}}\n]\n");
}

void without_privilege_nothing_is_set(void**)
{
    TestLctl lctl;
    const File file("parameters:\n" + setting(rpcs0, "9"));

    real_tree_be_root(0);
    const int status = lctl.run({"apply_params", file.path()});
    real_tree_be_root(1);
    assert_int_equal(status, EPERM);
    assert_text(lctl.value_of(rpcs0), "8");
}

void without_a_module_it_says_so(void**)
{
    TestLctl lctl;
    const File file("parameters:\n" + setting(rpcs0, "9"));

    lctl.system.loaded = false;
    assert_int_equal(lctl.run({"apply_params", file.path()}), ENOENT);
    assert_true(lctl.err.take().find("load the module") != std::string::npos);
    assert_int_equal(lctl.run({"save_params"}), ENOENT);
    assert_text(lctl.out.take(), "");
}

void set_param_takes_several_files(void**)
{
    TestLctl lctl;
    const File one("parameters:\n" + setting(rpcs0, "8"));
    const File two("parameters:\n" + setting(rpcs1, "9"));
    const File bad("parameters:\n" + setting(rpcs1, "100000"));

    lctl.output_of({"set_param", rpcs0 + std::string("=1"), rpcs1 + std::string("=1")});
    assert_text(lctl.output_of({"set_param", "-F", one.path(), two.path()}),
                std::string(rpcs0) + ": 1 -> 8\n1 changed, 0 as they were\n" + rpcs1 +
                    ": 1 -> 9\n1 changed, 0 as they were\n");
    assert_text(lctl.output_of({"set_param", "-F", "-n", one.path()}), "");
    assert_text(lctl.output_of({"set_param", "-F", "--json", "--dry-run", one.path(), two.path()}),
                "[]\n");
    assert_text(lctl.output_of({"set_param", "-F", "--yaml", "--dry-run", one.path()}),
                "changes: []\n");
    assert_int_equal(lctl.run({"set_param", "-F", bad.path(), one.path()}), ERANGE);
    lctl.out.take();
    assert_text(lctl.value_of(rpcs1), "9");
    lctl.err.take();
    for (const char* const option : {"-0", "--wait", "--force", "--if-version=1", "-d"})
        assert_int_equal(lctl.run({"set_param", "-F", option, one.path()}), EINVAL);
}

}  // namespace

#define on_tree(test) cmocka_unit_test_setup_teardown(test, start_tree, stop_tree)

int main()
{
    const CMUnitTest tests[] = {
        on_tree(only_settings_are_saved),
        on_tree(the_head_says_where_it_is_from),
        on_tree(each_is_saved_once_and_no_link_twice),
        on_tree(a_pattern_without_settings_is_an_error),
        on_tree(a_file_is_left_alone_when_something_fails),
        on_tree(what_is_saved_is_applied_again),
        on_tree(an_empty_text_comes_back),
        on_tree(changes_are_shown_and_the_rest_not_written),
        on_tree(a_dry_run_changes_nothing),
        on_tree(one_refusal_leaves_all_as_it_was),
        on_tree(a_refusal_at_the_last_moment_is_undone),
        on_tree(faults_name_file_and_line),
        on_tree(all_faults_are_told_at_once),
        on_tree(json_has_changes_or_errors),
        on_tree(without_privilege_nothing_is_set),
        on_tree(without_a_module_it_says_so),
        on_tree(set_param_takes_several_files),
    };

    return cmocka_run_group_tests_name("shell_save_apply", tests, nullptr, nullptr);
}
