// SPDX-License-Identifier: GPL-2.0-only
#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include "cmocka.hpp"
#include "lib/value_text.hpp"

#include <uapi/lustre_lite/params_ioctl.h>

using namespace ll;

namespace {

std::string text(const ValuePacker& value, uint8_t type = PARAMS_T_RECORDS)
{
    std::string out;

    assert_true(append_text(out, value.view(), type));
    return out;
}

// JSON that a parser of others' takes.
std::string json(const ValuePacker& value, uint8_t type = PARAMS_T_RECORDS)
{
    std::string out;

    assert_true(append_json(out, value.view(), type));
    assert_true(nlohmann::json::accept(out));
    return out;
}

// YAML after "key:", likewise.
std::string yaml(const ValuePacker& value, uint8_t type = PARAMS_T_RECORDS)
{
    std::string out;

    assert_true(append_yaml(out, value.view(), type, 0));
    assert_true(YAML::Load("key:" + out).IsMap());
    return out;
}

params_time span(int64_t ns, uint16_t unit)
{
    return {ns, unit, PARAMS_TIME_SPAN, 0};
}

params_time wall(int64_t ns, uint16_t unit = PARAMS_UNIT_SEC)
{
    return {ns, unit, PARAMS_TIME_WALL, 0};
}

params_counter counter(uint64_t count, uint32_t unit, uint32_t flags = 0)
{
    params_counter c{};

    c.pc_count = count;
    c.pc_unit = unit;
    c.pc_flags = flags;
    return c;
}

struct Plain {
    ValuePacker value;
    const char *text, *json, *yaml;
};

template <class Fill>
Plain plain(Fill fill, const char* text, const char* json, const char* yaml)
{
    Plain one{{}, text, json, yaml};

    fill(one.value);
    return one;
}

using V = ValuePacker&;

void plain_values_print_as_real_lustre_does(void**)
{
    const Plain all[] = {
        plain([](V v) { v.u64("", 42); }, "42", "42", " 42\n"),
        plain([](V v) { v.u64("", UINT64_MAX); }, "18446744073709551615", "18446744073709551615",
              " 18446744073709551615\n"),
        plain([](V v) { v.s64("", INT64_MIN); }, "-9223372036854775808", "-9223372036854775808",
              " -9223372036854775808\n"),
        plain([](V v) { v.u64("", 1, PARAMS_V_BOOL); }, "1", "true", " 1\n"),
        plain([](V v) { v.u64("", 0, PARAMS_V_BOOL); }, "0", "false", " 0\n"),
        plain([](V v) { v.u64("", 4096, PARAMS_V_BYTES); }, "4096", "4096", " 4096\n"),
        plain([](V v) { v.u64("", 0xabc, PARAMS_V_HEX); }, "0xabc", "\"0xabc\"", " 0xabc\n"),
        plain([](V v) { v.text("", "FULL"); }, "FULL", "\"FULL\"", " FULL\n"),
        plain([](V v) { v.text("", ""); }, "", "\"\"", " \"\"\n"),
        plain([](V v) { v.text("", "5"); }, "5", "\"5\"", " \"5\"\n"),
        plain([](V v) { v.text("", "10.0.0.1@tcp"); }, "10.0.0.1@tcp", "\"10.0.0.1@tcp\"",
              " 10.0.0.1@tcp\n"),
        plain([](V v) { v.text("", "a\nb\n"); }, "a\nb\n", "\"a\\nb\\n\"", " |\n  a\n  b\n"),
        plain([](V v) { v.text("", "a\nb"); }, "a\nb", "\"a\\nb\"", " |-\n  a\n  b\n"),
        plain([](V v) { v.blob("", std::string_view("\0\xff", 2)); }, "00ff", "\"00ff\"",
              " \"00ff\"\n"),
        plain([](V v) { v.time("", span(20000000000, PARAMS_UNIT_SEC)); }, "20", "20", " 20\n"),
        plain([](V v) { v.time("", span(1500000000, PARAMS_UNIT_SEC)); }, "1.5", "1.5", " 1.5\n"),
        plain([](V v) { v.time("", span(-1500000, PARAMS_UNIT_MSEC)); }, "-1.5", "-1.5", " -1.5\n"),
        plain([](V v) { v.time("", span(7, PARAMS_UNIT_NSEC)); }, "7", "7", " 7\n"),
        plain([](V v) { v.time("", span(INT64_MIN, PARAMS_UNIT_NSEC)); }, "-9223372036854775808",
              "-9223372036854775808", " -9223372036854775808\n"),
        plain([](V v) { v.time("", wall(1795247750000000001)); }, "1795247750", "1795247750",
              " 1795247750\n"),
        plain([](V v) { v.time("", wall(1795247750000000001, PARAMS_UNIT_NSEC)); },
              "1795247750.000000001", "1795247750.000000001", " 1795247750.000000001\n"),
        plain([](V v) { v.time("", wall(1500000000, PARAMS_UNIT_MSEC)); }, "1.500", "1.500",
              " 1.500\n"),
        plain([](V) {}, "", "null", " null\n"),
        plain([](V v) { v.text("", "a"), v.text("", "b"); }, "a\nb", "[\"a\", \"b\"]",
              "\n  - a\n  - b\n"),
        plain([](V v) { v.record(99, 0, "", "ab"); }, "6162", "\"6162\"", " \"6162\"\n"),
    };

    for (const auto& one : all) {
        assert_text(text(one.value), one.text);
        assert_text(json(one.value), one.json);
        assert_text(yaml(one.value), one.yaml);
    }
}

void a_cut_text_is_whole_in_every_form(void**)
{
    const std::string longer(PARAMS_TEXT_CHUNK + 5, 'x');
    ValuePacker v;

    v.text("", longer);
    assert_text(text(v), longer);
    assert_text(json(v), '"' + longer + '"');
    assert_text(yaml(v), ' ' + longer + '\n');
}

// The text of real Lustre.
void jobs_are_in_columns(void**)
{
    ValuePacker v;
    params_counter c = counter(1, PARAMS_UNIT_USEC, PARAMS_CF_MINMAX | PARAMS_CF_STDDEV);

    v.begin("job_stats", PARAMS_LIST_SEQ);
    v.begin("", PARAMS_LIST_MAP);
    v.text("job_id", "cp.0");
    v.time("snapshot_time", wall(1755154063123456789));
    v.time("start_time", wall(1755150000000000000));
    v.time("elapsed_time", span(4063123456789, PARAMS_UNIT_SEC));
    c.pc_min = c.pc_max = c.pc_sum_lo = 310;
    c.pc_sumsq_lo = 96100;
    v.counter("setattr", c);
    v.end();
    v.begin("", PARAMS_LIST_MAP);
    v.text("job_id", "mv.0");
    v.end();
    v.end();
    assert_text(text(v),
                "job_stats:\n"
                "- job_id:          cp.0\n"
                "  snapshot_time:   1755154063.123456789 secs.nsecs\n"
                "  start_time:      1755150000.000000000 secs.nsecs\n"
                "  elapsed_time:    4063.123456789 secs.nsecs\n"
                "  setattr:         { samples:           1, unit: usecs, min:      310, "
                "max:      310, sum:              310, sumsq:              96100 }\n"
                "- job_id:          mv.0");
}

void statistics_are_a_table(void**)
{
    ValuePacker v;
    params_counter c = counter(3072, PARAMS_UNIT_BYTES, PARAMS_CF_MINMAX | PARAMS_CF_STDDEV);

    v.time("snapshot_time", wall(1795248573096060786));
    v.time("start_time", wall(1795247746532392953));
    v.time("elapsed_time", span(826563667833, PARAMS_UNIT_SEC));
    c.pc_min = c.pc_max = 1048576;
    c.pc_sum_lo = 3221225472;
    c.pc_sumsq_lo = 3377699720527872;
    v.counter("read_bytes", c);
    v.counter("close", counter(12020, PARAMS_UNIT_REQS));
    v.counter("never", counter(0, PARAMS_UNIT_REQS));
    c = counter(2, PARAMS_UNIT_USEC, PARAMS_CF_MINMAX);
    c.pc_max = 9;
    c.pc_sum_lo = 12;
    v.counter("read", c);
    for (const uint8_t type : {PARAMS_T_STATS, PARAMS_T_RECORDS})
        assert_text(text(v, type),
                    "snapshot_time                       1795248573.096060786 secs.nsecs\n"
                    "start_time                          1795247746.532392953 secs.nsecs\n"
                    "elapsed_time                        826.563667833 secs.nsecs\n"
                    "read_bytes                          3072 samples [bytes] 1048576 1048576 "
                    "3221225472 3377699720527872\n"
                    "close                               12020 samples [reqs]\n"
                    "read                                2 samples [usecs] 0 9 12");
    assert_text(
        json(v, PARAMS_T_STATS),
        "{\"snapshot_time\": 1795248573.096060786, \"start_time\": 1795247746.532392953, "
        "\"elapsed_time\": 826.563667833, "
        "\"read_bytes\": {\"samples\": 3072, \"unit\": \"bytes\", \"min\": 1048576, \"max\": "
        "1048576, "
        "\"sum\": 3221225472, \"sumsq\": 3377699720527872}, "
        "\"close\": {\"samples\": 12020, \"unit\": \"reqs\"}, "
        "\"never\": {\"samples\": 0, \"unit\": \"reqs\"}, "
        "\"read\": {\"samples\": 2, \"unit\": \"usecs\", \"min\": 0, \"max\": 9, \"sum\": 12}}");
    assert_text(yaml(v, PARAMS_T_STATS),
                "\n"
                "  snapshot_time: 1795248573.096060786 secs.nsecs\n"
                "  start_time: 1795247746.532392953 secs.nsecs\n"
                "  elapsed_time: 826.563667833 secs.nsecs\n"
                "  read_bytes: { samples: 3072, unit: bytes, min: 1048576, max: 1048576, "
                "sum: 3221225472, sumsq: 3377699720527872 }\n"
                "  close: { samples: 12020, unit: reqs }\n"
                "  never: { samples: 0, unit: reqs }\n"
                "  read: { samples: 2, unit: usecs, min: 0, max: 9, sum: 12 }\n");
}

void a_name_as_wide_as_the_column_keeps_a_blank(void**)
{
    ValuePacker v;

    v.counter(std::string(36, 'n'), counter(1, PARAMS_UNIT_REQS));
    assert_text(text(v), std::string(36, 'n') + " 1 samples [reqs]");
}

void sums_of_128_bits_print_in_decimal(void**)
{
    std::string out;

    append_u128(out, UINT64_MAX, UINT64_MAX);
    assert_text(out, "340282366920938463463374607431768211455");
    out.clear();
    append_u128(out, 1, 0);
    assert_text(out, "18446744073709551616");
    out.clear();
    append_u128(out, 0, 0);
    assert_text(out, "0");
    out.clear();
    append_u128(out, 5421010862427522170, 687399551400673280);  // 10^38
    assert_text(out, "100000000000000000000000000000000000000");
}

// The import of the reference machine, byte for byte.
void an_import_prints_as_real_lustre_does(void**)
{
    ValuePacker v;

    v.begin("import", PARAMS_LIST_MAP);
    v.text("name", "lustre-OST0000-osc-MDT0000");
    v.text("target", "lustre-OST0000_UUID");
    v.text("state", "FULL");
    v.begin("connect_flags", PARAMS_LIST_FLOW_SEQ);
    v.text("", "lov_index");
    v.text("", "version");
    v.end();
    v.begin("connect_data", PARAMS_LIST_MAP);
    v.u64("flags", 0xa040401443000026, PARAMS_V_HEX);
    v.u64("instance", 1);
    v.text("target_version", "2.17.57.0");
    v.end();
    v.begin("import_flags", PARAMS_LIST_FLOW_SEQ);
    v.end();
    v.begin("connection", PARAMS_LIST_MAP);
    v.begin("failover_nids", PARAMS_LIST_FLOW_SEQ);
    v.text("", "0@lo");
    v.end();
    v.begin("nids_stats", PARAMS_LIST_MAP);
    v.begin("0@lo", PARAMS_LIST_FLOW_MAP);
    v.u64("connects", 1);
    v.text("uptodate", "uptodate");
    v.u64("sec_ago", 822);
    v.end();
    v.end();
    v.text("current_connection", "0@lo");
    v.text("other_connection", "<none>");
    v.time("idle", span(3000000000, PARAMS_UNIT_SEC));
    v.end();
    v.begin("rpcs", PARAMS_LIST_MAP);
    v.time("avg_waittime", span(19337000, PARAMS_UNIT_USEC));
    v.end();
    v.end();
    assert_text(text(v),
                "import:\n"
                "    name: lustre-OST0000-osc-MDT0000\n"
                "    target: lustre-OST0000_UUID\n"
                "    state: FULL\n"
                "    connect_flags: [ lov_index, version ]\n"
                "    connect_data:\n"
                "       flags: 0xa040401443000026\n"
                "       instance: 1\n"
                "       target_version: 2.17.57.0\n"
                "    import_flags: [ ]\n"
                "    connection:\n"
                "       failover_nids: [ \"0@lo\" ]\n"
                "       nids_stats:\n"
                "          \"0@lo\": { connects: 1, uptodate: uptodate, sec_ago: 822 }\n"
                "       current_connection: \"0@lo\"\n"
                "       other_connection: \"<none>\"\n"
                "       idle: 3 sec\n"
                "    rpcs:\n"
                "       avg_waittime: 19337 usecs");
    const auto parsed = nlohmann::json::parse(json(v));
    assert_int_equal(parsed["import"]["connection"]["nids_stats"]["0@lo"]["sec_ago"], 822);
    assert_true(parsed["import"]["connection"]["idle"] ==
                nlohmann::json({{"value", 3}, {"unit", "sec"}}));
    assert_true(parsed["import"]["import_flags"] == nlohmann::json::array());
    const auto loaded = YAML::Load("key:" + yaml(v));
    assert_text(loaded["key"]["import"]["connection"]["idle"].as<std::string>(), "3 sec");
    assert_text(loaded["key"]["import"]["connect_data"]["target_version"].as<std::string>(),
                "2.17.57.0");
    assert_int_equal(loaded["key"]["import"]["import_flags"].size(), 0);
    assert_int_equal(
        loaded["key"]["import"]["connection"]["nids_stats"]["0@lo"]["connects"].as<int>(), 1);
}

void a_state_prints_as_real_lustre_does(void**)
{
    ValuePacker v;

    v.text("current_state", "FULL");
    v.begin("state_history", PARAMS_LIST_SEQ);
    for (const char* state : {"CONNECTING", "FULL"}) {
        v.begin("", PARAMS_LIST_FLOW_SEQ);
        v.time("", wall(1795247750000000000));
        v.text("", state);
        v.end();
    }
    v.end();
    assert_text(text(v),
                "current_state: FULL\n"
                "state_history:\n"
                " - [ 1795247750, CONNECTING ]\n"
                " - [ 1795247750, FULL ]");
    assert_text(json(v),
                "{\"current_state\": \"FULL\", \"state_history\": "
                "[[1795247750, \"CONNECTING\"], [1795247750, \"FULL\"]]}");
    assert_text(yaml(v),
                "\n  current_state: FULL\n  state_history:\n"
                "    - [ 1795247750, CONNECTING ]\n"
                "    - [ 1795247750, FULL ]\n");
}

void sequences_of_maps_hang_on_their_dashes(void**)
{
    ValuePacker v;

    v.begin("devices", PARAMS_LIST_SEQ);
    for (uint64_t i = 0; i < 2; i++) {
        v.begin("", PARAMS_LIST_MAP);
        v.u64("index", i);
        v.text("status", "UP");
        v.begin("args", PARAMS_LIST_SEQ);
        v.text("", "a");
        v.end();
        v.end();
    }
    v.end();
    assert_text(text(v),
                "devices:\n"
                " - index: 0\n"
                "   status: UP\n"
                "   args:\n"
                "    - a\n"
                " - index: 1\n"
                "   status: UP\n"
                "   args:\n"
                "    - a");
    assert_text(yaml(v),
                "\n"
                "  devices:\n"
                "    - index: 0\n"
                "      status: UP\n"
                "      args:\n"
                "        - a\n"
                "    - index: 1\n"
                "      status: UP\n"
                "      args:\n"
                "        - a\n");
    assert_text(YAML::Load("key:" + yaml(v))["key"]["devices"][1]["args"][0].as<std::string>(),
                "a");
}

void a_list_without_a_name_is_the_value(void**)
{
    ValuePacker v;

    v.begin("", PARAMS_LIST_FLOW_SEQ);
    v.text("", "a");
    v.u64("", 2);
    v.end();
    assert_text(text(v), "[ a, 2 ]");
    assert_text(json(v), "[\"a\", 2]");
    assert_text(yaml(v), " [ a, 2 ]\n");
    v.clear();
    v.begin("", PARAMS_LIST_MAP);
    v.text("a", "x");
    v.text("b", "z");
    v.end();
    assert_text(text(v), "a: x\nb: z");
    assert_text(json(v), "{\"a\": \"x\", \"b\": \"z\"}");
    assert_text(yaml(v), "\n  a: x\n  b: z\n");
    v.clear();
    v.begin("", PARAMS_LIST_SEQ);
    v.end();
    assert_text(text(v), "");
    assert_text(json(v), "[]");
    assert_text(yaml(v), " []\n");
}

void histograms_print_their_bars(void**)
{
    ValuePacker v;

    v.begin("wait", PARAMS_LIST_SEQ);
    v.bucket("", {0, 0, 5, PARAMS_UNIT_USEC, 0});
    v.bucket("", {1, 1, 0, PARAMS_UNIT_USEC, 0});
    v.bucket("", {2, 3, 7, PARAMS_UNIT_USEC, 0});
    v.bucket("", {4, UINT64_MAX, 1, PARAMS_UNIT_USEC, 0});
    v.end();
    assert_text(text(v), "wait:\n   0: 5\n   2-3: 7\n   4+: 1");
    const auto bars = nlohmann::json::parse(json(v))["wait"];
    assert_int_equal(bars.size(), 4);
    assert_true(bars[3]["high"].is_null());
    assert_int_equal(bars[2]["count"], 7);
    assert_int_equal(YAML::Load("key:" + yaml(v))["key"]["wait"][2]["low"].as<int>(), 2);
    v.clear();
    v.begin("wait", PARAMS_LIST_MAP);
    v.bucket("", {2, 3, 7, PARAMS_UNIT_USEC, 0});
    v.end();
    assert_text(text(v), "wait:\n    2-3: 7");
    assert_int_equal(nlohmann::json::parse(json(v))["wait"]["2-3"]["count"], 7);
    assert_int_equal(YAML::Load("key:" + yaml(v))["key"]["wait"]["2-3"]["count"].as<int>(), 7);
}

void counters_within_lists_are_maps(void**)
{
    ValuePacker v;

    v.begin("a", PARAMS_LIST_MAP);
    v.counter("c", counter(3, PARAMS_UNIT_REQS));
    v.end();
    assert_text(text(v), "a:\n    c: { samples: 3, unit: reqs }");
}

void strings_that_would_mislead_are_quoted(void**)
{
    struct {
        const char *text, *yaml;
    } const all[] = {
        {"plain", "plain"},
        {"two words", "two words"},
        {"a-b_c/d", "a-b_c/d"},
        {"", "\"\""},
        {" x", "\" x\""},
        {"x ", "\"x \""},
        {"x:", "\"x:\""},
        {"a: b", "\"a: b\""},
        {"a #b", "\"a #b\""},
        {"a#b", "a#b"},
        {"-", "\"-\""},
        {"- a", "\"- a\""},
        {"true", "\"true\""},
        {"No", "\"No\""},
        {"~", "\"~\""},
        {"null", "\"null\""},
        {"1e3", "\"1e3\""},
        {"0x1f", "\"0x1f\""},
        {".inf", "\".inf\""},
        {"2020-01-01", "\"2020-01-01\""},
        {"[a", "\"[a\""},
        {"a,b", "\"a,b\""},
        {"@x", "\"@x\""},
        {"%x", "\"%x\""},
        {"&x", "\"&x\""},
        {"it's", "\"it's\""},
        {"a\tb", "\"a\\tb\""},
        {"a\x01", "\"a\\u0001\""},
        {"none", "none"},
        {"yes", "\"yes\""},
        {"y", "\"y\""},
        {"=", "\"=\""},
        {"\xc3\xa4", "\"\xc3\xa4\""},
        {"FULL", "FULL"},
        {"bad", "bad"},
    };

    for (const auto& one : all) {
        std::string out;
        append_yaml_string(out, one.text);
        assert_text(out, one.yaml);
        const auto loaded = YAML::Load("[ " + out + " ]")[0];
        assert_text(loaded.as<std::string>(), one.text);
    }
}

void json_strings_are_valid_whatever_the_bytes(void**)
{
    struct {
        std::string text;
        const char* json;
    } const all[] = {
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"\n\t\r\x01\x7f", "\"\\n\\t\\r\\u0001\\u007f\""},
        {std::string("\0", 1), "\"\\u0000\""},
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"\xff", "\"\xef\xbf\xbd\""},
        {"\xc3", "\"\xef\xbf\xbd\""},
        {"\xc0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xe0\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
    };

    for (const auto& one : all) {
        std::string out;
        append_json_string(out, one.text);
        assert_text(out, one.json);
        assert_true(nlohmann::json::accept(out));
    }
}

void malformed_values_say_so(void**)
{
    ValuePacker v;
    std::string out;

    v.begin("a", PARAMS_LIST_MAP);
    v.u64("b", 1);
    assert_false(append_text(out, v.view(), 0));
    out.clear();
    assert_false(append_json(out, v.view(), 0));
    assert_true(nlohmann::json::accept(out));  // what is there is whole
    out.clear();
    assert_false(append_yaml(out, v.view(), 0, 0));
    assert_int_equal(out.back(), '\n');
}

void names_of_types_and_units(void**)
{
    assert_string_equal(type_name(PARAMS_T_DIR), "dir");
    assert_string_equal(type_name(PARAMS_T_TRIGGER), "trigger");
    assert_string_equal(type_name(0), "?");
    assert_string_equal(type_name(200), "?");
    assert_string_equal(unit_name(PARAMS_UNIT_USEC), "usecs");
    assert_string_equal(unit_name(PARAMS_UNIT_REGS), "regs");
    assert_string_equal(unit_name(4000000000), "?");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(plain_values_print_as_real_lustre_does),
        cmocka_unit_test(a_cut_text_is_whole_in_every_form),
        cmocka_unit_test(jobs_are_in_columns),
        cmocka_unit_test(statistics_are_a_table),
        cmocka_unit_test(a_name_as_wide_as_the_column_keeps_a_blank),
        cmocka_unit_test(sums_of_128_bits_print_in_decimal),
        cmocka_unit_test(an_import_prints_as_real_lustre_does),
        cmocka_unit_test(a_state_prints_as_real_lustre_does),
        cmocka_unit_test(sequences_of_maps_hang_on_their_dashes),
        cmocka_unit_test(a_list_without_a_name_is_the_value),
        cmocka_unit_test(histograms_print_their_bars),
        cmocka_unit_test(counters_within_lists_are_maps),
        cmocka_unit_test(strings_that_would_mislead_are_quoted),
        cmocka_unit_test(json_strings_are_valid_whatever_the_bytes),
        cmocka_unit_test(malformed_values_say_so),
        cmocka_unit_test(names_of_types_and_units),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
