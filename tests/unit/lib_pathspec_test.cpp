// SPDX-License-Identifier: GPL-2.0-only
#include <cerrno>

#include "cmocka.hpp"
#include "lib/pathspec.hpp"

using namespace ll;

namespace {

// '|' replaces the '/' of a raw path, so that it differs from a typed path.
struct Case {
    const char* typed;
    const char* raw;
};

constexpr Case literals[] = {
    {"", ""},
    {"timeout", "timeout"},
    {"osc.a.b", "osc|a|b"},
    {"osc/a/b", "osc|a|b"},
    {"osc.a/b", "osc|a|b"},
    {"/osc/a", "osc|a"},
    {".osc.a", "osc|a"},
    {"a\\.b.c", "a.b|c"},
    {"\"a.b\".c", "a.b|c"},
    {"'a.b'.c", "a.b|c"},
    {"x\"a.b\"y.c", "xa.by|c"},
    {"\"a\\\"b\"", "a\"b"},
    {"'a\\b'", "a\\b"},
    {"a\\\\b", "a\\b"},
    {"'*'", "*"},
    {"\\*", "*"},
    {"a\\ b", "a b"},
    {"a\\=b", "a=b"},
    {"[", "["},
    {"a]b}c", "a]b}c"},
    {"{}", "{}"},
    {"'**'", "**"},
    // Suffixes of list_param -F.
    {"osc/", "osc"},
    {"osc.", "osc"},
    {"osc.a@", "osc|a"},
    {"osc.a=", "osc|a"},
    {"osc.a\\@", "osc|a@"},
    {"osc.a\\=", "osc|a="},
    {"'osc='", "osc="},
    {"osc.'a.'", "osc|a."},
    // NIDs.
    {"obdfilter.x.exports.10.0.0.1@tcp.uuid", "obdfilter|x|exports|10.0.0.1@tcp|uuid"},
    {"obdfilter/x/exports/10.0.0.1@tcp/uuid", "obdfilter|x|exports|10.0.0.1@tcp|uuid"},
    {"a.exports.10.0.0.1@tcp", "a|exports|10.0.0.1@tcp"},
    {"a.exports.10.0.0.1@tcp12.stats", "a|exports|10.0.0.1@tcp12|stats"},
    {"a.exports.0@lo.uuid", "a|exports|0@lo|uuid"},
    {"a.exports.fe80::1@tcp.uuid", "a|exports|fe80::1@tcp|uuid"},
    {"a.exports.::ffff:10.0.0.1@tcp.uuid", "a|exports|::ffff:10.0.0.1@tcp|uuid"},
    {"a.exports.10\\.0\\.0\\.1@tcp.uuid", "a|exports|10.0.0.1@tcp|uuid"},
    {"a.exports.hash_stats", "a|exports|hash_stats"},
    {"a.exports.clear.x@y", "a|exports|clear|x@y"},
    {"mgc.MGC10.0.0.1@tcp.import", "mgc|MGC10.0.0.1@tcp|import"},
    {"mgc.MGC10.0.0.1@tcp", "mgc|MGC10.0.0.1@tcp"},
    {"mgc.MGCfe80::1@tcp3.import", "mgc|MGCfe80::1@tcp3|import"},
    {"mgc.MGC.state", "mgc|MGC|state"},
    {"other.10.0.0.1@tcp.uuid", "other|10|0|0|1@tcp|uuid"},
};

std::string to_raw(std::string_view text)
{
    std::string raw(text);

    for (char& c : raw)
        c = c == '|' ? '/' : c;
    return raw;
}

void literal_names_are_cut_into_components(void**)
{
    for (const auto& one : literals) {
        const auto spec = PathSpec::parse(one.typed);
        if (!spec) {
            print_error("'%s': %s\n", one.typed, spec.error().text.c_str());
            fail_here();
        }
        assert_true(spec->is_literal());
        assert_text(spec->raw(), to_raw(one.raw));
        assert_text(spec->source(), one.typed);
    }
}

constexpr Case displayed[] = {
    {"osc.a.b", "osc|a|b"},
    {"a\\.b.c", "a.b|c"},
    {"obdfilter.x.exports.10.0.0.1@tcp.uuid", "obdfilter|x|exports|10.0.0.1@tcp|uuid"},
    {"a.exports.fe80::1@tcp", "a|exports|fe80::1@tcp"},
    {"mgc.MGC10.0.0.1@tcp.import", "mgc|MGC10.0.0.1@tcp|import"},
    {"x.10\\.0\\.0\\.1@tcp", "x|10.0.0.1@tcp"},
    {"a.exports.10\\.0@tcp_0", "a|exports|10.0@tcp_0"},
    {"\\*\\?\\[a\\]\\{b\\}", "*?[a]{b}"},
    {"a\\ \\=\\\\\\\"\\'", "a =\\\"'"},
    {"a\\@", "a@"},
    {"x@y", "x@y"},
    {"MGC\\.x", "MGC.x"},
    {"MGC\\.1\\.2@tcp", "MGC.1.2@tcp"},
};

// Names as they are printed can be pasted back.
void names_are_displayed_so_that_they_parse_back(void**)
{
    for (const auto& one : displayed) {
        const std::string raw = to_raw(one.raw);
        assert_text(display_path(raw), one.typed);
        const auto spec = PathSpec::parse(display_path(raw));
        assert_true(spec.has_value());
        assert_true(spec->is_literal());
        assert_text(spec->raw(), raw);
    }
}

struct Bad {
    std::string typed;
    int error;
    const char* words;
};

void what_is_no_name_is_refused_with_words(void**)
{
    const Bad bad[] = {
        {"a..b", EINVAL, "empty component"},
        {"a//b", EINVAL, "empty component"},
        {"a.''", EINVAL, "empty component"},
        {"a\\", EINVAL, "backslash"},
        {"a\\/b", EINVAL, "'/'"},
        {"\"a/b\"", EINVAL, "'/'"},
        {"'abc", EINVAL, "not closed"},
        {"\"abc\\\"", EINVAL, "not closed"},
        {"{a.b,c}", EINVAL, "cannot span"},
        {"{a/b,c}.d", EINVAL, "cannot span"},
        {"{a\\/b,c}.d", EINVAL, "cannot contain '/'"},
        {"{a,{b,c\\/}}", EINVAL, "cannot contain '/'"},
        {std::string("a\0b", 3), EINVAL, "NUL"},
        {std::string(256, 'a'), ENAMETOOLONG, "255"},
        {std::string(9000, 'a'), ENAMETOOLONG, "4096"},
        {"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", E2BIG, "1024"},
    };

    for (const auto& one : bad) {
        const auto spec = PathSpec::parse(one.typed);
        assert_false(spec.has_value());
        assert_int_equal(spec.error().code, one.error);
        if (spec.error().text.find(one.words) == std::string::npos) {
            print_error("%s\n", spec.error().text.c_str());
            fail_here();
        }
    }
    std::string deep = "a";
    for (int i = 0; i < 64; i++)
        deep += ".a";
    assert_int_equal(PathSpec::parse(deep).error().code, ENAMETOOLONG);
    std::string longer = std::string(250, 'a');
    for (int i = 0; i < 17; i++)
        longer += '/' + std::string(250, 'a');
    assert_int_equal(PathSpec::parse(longer).error().code, ENAMETOOLONG);
}

using Kind = Component::Kind;

void expect_kinds(std::string_view typed, std::initializer_list<Kind> kinds)
{
    const auto spec = PathSpec::parse(typed);
    size_t i = 0;

    assert_true(spec.has_value());
    assert_int_equal(spec->components().size(), kinds.size());
    for (const Kind kind : kinds)
        assert_true(spec->components()[i++].kind == kind);
}

void globs_are_told_from_names(void**)
{
    expect_kinds("osc.*.state", {Kind::Literal, Kind::Glob, Kind::Literal});
    expect_kinds("{osc,mdc}.a[.]b", {Kind::Glob, Kind::Glob});
    expect_kinds("a.**.b", {Kind::Literal, Kind::AnyDepth, Kind::Literal});
    expect_kinds("a.**.**.b", {Kind::Literal, Kind::AnyDepth, Kind::Literal});
    expect_kinds("**", {Kind::AnyDepth, Kind::Glob});
    expect_kinds("a.**", {Kind::Literal, Kind::AnyDepth, Kind::Glob});
    expect_kinds("a**b", {Kind::Glob});
    expect_kinds("\"a*\"*", {Kind::Glob});
    expect_kinds("a.exports.10.0.*@tcp.uuid",
                 {Kind::Literal, Kind::Literal, Kind::Glob, Kind::Literal});
    expect_kinds("a.exports.*.uuid", {Kind::Literal, Kind::Literal, Kind::Glob, Kind::Literal});
    expect_kinds("mgc.MGC*.state", {Kind::Literal, Kind::Glob, Kind::Literal});
    expect_kinds("mgc.MGC10.0.0.{1,2}@tcp.state", {Kind::Literal, Kind::Glob, Kind::Literal});
}

void quoted_parts_of_a_glob_are_literal(void**)
{
    const auto spec = PathSpec::parse("\"a*.\"*");

    assert_true(spec->components()[0].glob.matches("a*.x"));
    assert_false(spec->components()[0].glob.matches("ab.x"));
    const auto escaped = PathSpec::parse("a\\.*\\**");
    assert_true(escaped->components()[0].glob.matches("a.xx*y"));
    assert_false(escaped->components()[0].glob.matches("a.xx"));
}

void nid_globs_keep_their_dots(void**)
{
    const auto spec = PathSpec::parse("a.exports.10.0.*@tcp.uuid");

    assert_true(spec->components()[2].glob.matches("10.0.7.1@tcp"));
    assert_false(spec->components()[2].glob.matches("10.1.7.1@tcp"));
    assert_text(spec->components()[3].text, "uuid");
}

void a_spec_names_itself_as_lctl_does(void**)
{
    assert_text(PathSpec::parse("nosuch.param")->slashed(), "nosuch/param");
    assert_text(PathSpec::parse("osc.*.x{a,b}")->slashed(), "osc/*/x{a,b}");
    assert_text(PathSpec::parse("osc.**")->slashed(), "osc/**");
    assert_text(PathSpec::parse("osc.**.a")->slashed(), "osc/**/a");
}

void components_can_be_joined(void**)
{
    const auto spec = PathSpec::parse("a.b.c.d");

    assert_text(spec->joined(1, 2).raw(), "a/b.c/d");
    assert_text(spec->joined(0, 3).raw(), "a.b.c.d");
    assert_text(spec->beginning(2).raw(), "a/b");
    assert_int_equal(spec->literal_prefix(), 4);
}

void raw_paths_come_apart(void**)
{
    assert_text(raw_name("a/b.c/d"), "d");
    assert_text(raw_parent("a/b.c/d"), "a/b.c");
    assert_text(raw_name("a"), "a");
    assert_text(raw_parent("a"), "");
    const auto spec = PathSpec::from_raw("a/b.c/*");
    assert_true(spec.is_literal());
    assert_text(spec.raw(), "a/b.c/*");
    assert_text(spec.source(), "a.b\\.c.\\*");
}

void nids_are_known(void**)
{
    for (const char* nid :
         {"10.0.0.1@tcp", "10.0.0.1@tcp3", "0@lo", "fe80::1@tcp", "2001:db8::1@o2ib10"})
        assert_true(is_nid(nid));
    for (const char* no : {"", "@tcp", "10.0.0.1", "10.0.0.1@", "10.0.0.1@tcp.x", "a b@tcp",
                           "10.0.0.1@3tcp", "xyz@tcp", "10.*@tcp", "10.0.0.1@TCP"})
        assert_false(is_nid(no));
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(literal_names_are_cut_into_components),
        cmocka_unit_test(names_are_displayed_so_that_they_parse_back),
        cmocka_unit_test(what_is_no_name_is_refused_with_words),
        cmocka_unit_test(globs_are_told_from_names),
        cmocka_unit_test(quoted_parts_of_a_glob_are_literal),
        cmocka_unit_test(nid_globs_keep_their_dots),
        cmocka_unit_test(a_spec_names_itself_as_lctl_does),
        cmocka_unit_test(components_can_be_joined),
        cmocka_unit_test(raw_paths_come_apart),
        cmocka_unit_test(nids_are_known),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
