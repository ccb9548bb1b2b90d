// SPDX-License-Identifier: GPL-2.0-only
/* Files of settings: saved settings are read back, errors are reported with their line. */
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cmocka.hpp"
#include "lctl/commands/params_file.hpp"

using namespace lctl;

namespace {

std::string file_of(const std::vector<SavedParam>& settings)
{
    std::string text;

    append_settings_head(text, {"made by a test", "two\nlines"});
    for (const SavedParam& setting : settings)
        append_setting(text, setting);
    return text;
}

void text_of_a_file_is_stable(void**)
{
    assert_string_equal(file_of({{"a.b", "8", "u32", 0},
                                 {"a.name", "8", "string", 0},
                                 {R"(nid.10\.0\.0\.1@tcp)", "a b", "enum", 0},
                                 {"a.offset", "-3", "s32", 0}})
                            .c_str(),
                        "# made by a test\n"
                        "# two lines\n"
                        "parameters:\n"
                        "- name: a.b\n"
                        "  value: 8\n"
                        "  type: u32\n"
                        "- name: a.name\n"
                        "  value: \"8\"\n"
                        "  type: string\n"
                        "- name: nid.10\\.0\\.0\\.1@tcp\n"
                        "  value: a b\n"
                        "  type: enum\n"
                        "- name: a.offset\n"
                        "  value: -3\n"
                        "  type: s32\n");
}

void settings_come_back(void**)
{
    const std::vector<std::string> values = {
        "",     "8",    "-8",     "010",        "0x1f",     "1.5",
        "1e3",  "true", "no",     "~",          "null",     "- a",
        "a: b", "{a}",  "[a]",    "a # b",      "#",        " a ",
        "'",    "\"",   "\\",     "\\n",        "a\nb\n",   "\n",
        "\t",   "\x01", "\x7f",   "é",          "日本",     "*",
        "&a",   "!x",   "%a",     "@a",         "`a`",      "|",
        ">",    "?",    "? a",    "=",          "<<",       "---",
        "...",  "a:",   ":a",     "2026-11-21", "12:30:45", "a,b",
        "\r\n", "a\rb", "\u0085", "\u2028",     "\ufeff",   "+info -trace",
        "64M",  "-",
    };
    std::vector<SavedParam> settings;

    for (std::size_t i = 0; i < values.size(); i++)
        settings.push_back({"name" + std::to_string(i), values[i], "string", 0});
    for (std::size_t i = 0; i < values.size(); i++)
        settings.push_back({"enum" + std::to_string(i), values[i], "enum", 0});

    const auto back = parse_settings(file_of(settings));
    if (!back)
        fail_msg("line %zu: %s", back.error().line, back.error().message.c_str());
    assert_int_equal(back->size(), settings.size());
    for (std::size_t i = 0; i < settings.size(); i++) {
        assert_string_equal((*back)[i].name.c_str(), settings[i].name.c_str());
        assert_string_equal((*back)[i].type.c_str(), settings[i].type.c_str());
        if ((*back)[i].value != settings[i].value)
            fail_msg("%s: '%s' came back as '%s'", settings[i].name.c_str(),
                     settings[i].value.c_str(), (*back)[i].value.c_str());
    }
}

void settings_know_their_line(void**)
{
    const auto settings = parse_settings(
        "# a\nparameters:\n\n- name: a\n  value: 1\n- name: b\n"
        "  value: 2\n  type: u32\n");

    assert_true(settings.has_value());
    assert_int_equal(settings->size(), 2);
    assert_int_equal((*settings)[0].line, 4);
    assert_string_equal((*settings)[0].type.c_str(), "");
    assert_int_equal((*settings)[1].line, 6);
}

void an_empty_list_sets_nothing(void**)
{
    const auto settings = parse_settings("parameters: []\n");

    assert_true(settings.has_value());
    assert_int_equal(settings->size(), 0);
}

struct Fault {
    const char* text;
    std::size_t line;
    const char* part;
};

const Fault faults[] = {
    {"", 0, "not a map"},
    {"just text\n", 1, "not a map"},
    {"- name: a\n  value: 1\n", 1, "not a map"},
    {"parameters: 3\n", 1, "takes a list"},
    {"params: []\n", 1, "only key"},
    {"parameters: []\nmore: 1\n", 2, "only key"},
    {"parameters:\n- name: a\n  value: 1\nparameters:\n- name: b\n  value: 1\n", 4, "twice"},
    {"parameters:\n- a\n", 2, "is a map"},
    {"parameters:\n- name: a\n", 2, "without 'value'"},
    {"parameters:\n- value: 1\n", 2, "without 'name'"},
    {"parameters:\n- name: \"\"\n  value: 1\n", 2, "empty name"},
    {"parameters:\n- name: a\n  value: [1]\n", 3, "text or a number"},
    {"parameters:\n- name: a\n  value:\n", 3, "text or a number"},
    {"parameters:\n- name: a\n  value: 1\n  value: 2\n", 4, "twice"},
    {"parameters:\n- name: a\n  value: 1\n  unit: MiB\n", 4, "'unit'"},
    {"parameters:\n- name: a\n  value: 1\n- name: b\n  value: 1\n- name: a\n  value: 2\n", 6,
     "line 2 already"},
    {"parameters:\n- name: a\n  value: {1\n", 4, "invalid YAML"},
    {"parameters:\n- name: a\n  value: \"1\n", 4, "invalid YAML"},
    {"parameters: []\n---\nparameters: []\n", 3, "second document"},
    {"parameters: []\n---\n{\n", 4, "invalid YAML"},
    {"parameters:\n\t- name: a\n", 2, "invalid YAML"},
    {"parameters:\n- name: *x\n  value: 1\n", 2, "invalid YAML"},
};

void faults_are_told_with_their_line(void**)
{
    for (const Fault& fault : faults) {
        const auto settings = parse_settings(fault.text);

        if (settings)
            fail_msg("%s\nwas taken", fault.text);
        if (settings.error().line != fault.line ||
            settings.error().message.find(fault.part) == std::string::npos)
            fail_msg("%s\ngave line %zu: %s", fault.text, settings.error().line,
                     settings.error().message.c_str());
    }
}

void utf8_is_told_from_other_bytes(void**)
{
    for (const char* const text : {"", "a", "é", "日本", "\U0001f600", "\x7f", "\ud7ff", "\ue000"})
        assert_true(is_utf8(text));
    for (const char* const text :
         {"\x80", "\xff", "\xc3", "\xc3z", "\xc0\x80", "\xe0\x9f\x80", "\xed\xa0\x80",
          "\xf4\x90\x80\x80", "\xf0\x8f\x80\x80", "\xf5\x80\x80\x80", "\xe6\x97", "a\xe6\x97z"})
        assert_false(is_utf8(text));
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(text_of_a_file_is_stable),
        cmocka_unit_test(settings_come_back),
        cmocka_unit_test(settings_know_their_line),
        cmocka_unit_test(an_empty_list_sets_nothing),
        cmocka_unit_test(faults_are_told_with_their_line),
        cmocka_unit_test(utf8_is_told_from_other_bytes),
    };

    return cmocka_run_group_tests_name("shell_params_file", tests, nullptr, nullptr);
}
