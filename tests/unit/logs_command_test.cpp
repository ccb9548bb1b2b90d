// SPDX-License-Identifier: GPL-2.0-only
/* Each command as llog_reader and as llog_print have it. */
#include "lib/log_command.hpp"
#include "lib/log_section.hpp"
#include "lib/log_text.hpp"
#include "logs_fixture.hpp"

using namespace logs_test;

namespace {

constexpr std::uint64_t kNid = 0x200000a02023bULL;

struct Case {
    std::uint32_t command;
    std::vector<std::string> texts;
    std::uint32_t num;
    std::uint64_t nid;
    const char* reader;
    const char* print;
};

const Case cases[] = {
    {LCFG_ATTACH,
     {"d", "lov", "u"},
     0,
     0,
     "attach    0:d  1:lov  2:u  ",
     "attach, device: d, type: lov, UUID: u"},
    {LCFG_DETACH, {"d"}, 0, 0, "detach    0:d  ", "detach, device: d"},
    {LCFG_SETUP,
     {"d", "u", "n", "o", "f"},
     0,
     0,
     "setup     0:d  1:u  2:n  3:o  4:f  ",
     "setup, device: d, UUID: u, node: n, options: o, failout: f"},
    {LCFG_SETUP, {"d"}, 0, 0, "setup     0:d  ", "setup, device: d, UUID: "},
    {LCFG_CLEANUP, {"d", "F"}, 0, 0, "cleanup   0:d  1:F  ", "cleanup, device: d, flags: F"},
    {LCFG_PRE_CLEANUP, {"d"}, 0, 0, "unsupported cmd_code = cf031\n", "pre_cleanup, device: d"},
    {LCFG_ADD_UUID,
     {"", "n"},
     0,
     kNid,
     "add_uuid  nid=10.2.2.59@tcp(0x200000a02023b)  0:  1:n  ",
     "add_uuid, nid: 10.2.2.59@tcp(0x200000a02023b), node: n"},
    {LCFG_ADD_UUID,
     {"", "n", "2001:db8::1@tcp"},
     0,
     0,
     "add_uuid  0:  1:n  2:2001:db8::1@tcp  ",
     "add_uuid, nid: 2001:db8::1@tcp, node: n"},
    {LCFG_DEL_UUID, {"", "n"}, 0, 0, "del_uuid  0:  1:n  ", "del_uuid, node: n"},
    {LCFG_MOUNTOPT,
     {"", "fs-client", "lov", "lmv"},
     0,
     0,
     "mount_option 0:  1:fs-client  2:lov  3:lmv  ",
     "new_profile, name: fs-client, lov: lov, lmv: lmv"},
    {LCFG_DEL_MOUNTOPT,
     {"", "fs-client"},
     0,
     0,
     "del_mount_option 0:  1:fs-client  ",
     "del_profile, name: fs-client"},
    {LCFG_SET_TIMEOUT,
     {"", "sys.timeout=20"},
     20,
     0,
     "set_timeout=20 ",
     "set_timeout, parameter: sys.timeout=20"},
    {LCFG_SET_TIMEOUT, {""}, 30, 0, "set_timeout=30 ", "set_timeout, parameter: sys.timeout=30"},
    {LCFG_SET_LDLM_TIMEOUT,
     {""},
     6,
     0,
     "set_ldlm_timeout=6 ",
     "set_ldlm_timeout, parameter: sys.ldlm_timeout=6"},
    {LCFG_ADD_CONN, {"d", "n"}, 0, 0, "add_conn  0:d  1:n  ", "add_conn, device: d, node: n"},
    {LCFG_ADD_CONN, {"d", "n"}, 2, 0, "add_conn  0:d  1:n  ", "add_conn, device: d, node: n"},
    {LCFG_DEL_CONN, {"d", "n"}, 0, 0, "del_conn  0:d  1:n  ", "del_conn, device: d, node: n"},
    {LCFG_LOV_ADD_OBD,
     {"d", "o", "0", "1"},
     0,
     0,
     "lov_modify_tgts add 0:d  1:o  2:0  3:1  ",
     "add_osc, device: d, ost: o, index: 0, gen: 1"},
    {LCFG_LOV_DEL_OBD,
     {"d", "o", "0", "1"},
     0,
     0,
     "lov_modify_tgts del 0:d  1:o  2:0  3:1  ",
     "del_osc, device: d, ost: o, index: 0, gen: 1"},
    {LCFG_LOV_ADD_INA,
     {"d", "o", "0", "1"},
     0,
     0,
     "unsupported cmd_code = ce013\n",
     "add_inactive_osc, device: d, ost: o, index: 0, gen: 1"},
    {LCFG_ADD_MDC,
     {"d", "m", "0", "1", "u"},
     0,
     0,
     "modify_mdc_tgts add 0:d  1:m  2:0  3:1  4:u  ",
     "add_mdc, device: d, mdt: m, index: 0, gen: 1, UUID: u"},
    {LCFG_DEL_MDC,
     {"d", "m", "0", "1", "u"},
     0,
     0,
     "modify_mdc_tgts del 0:d  1:m  2:0  3:1  4:u  ",
     "del_mdc, device: d, mdt: m, index: 0, gen: 1, UUID: u"},
    {LCFG_PARAM,
     {"d", "osc.max_dirty_mb=113"},
     0,
     0,
     "param 0:d  1:osc.max_dirty_mb=113  ",
     "conf_param, device: d, parameter: osc.max_dirty_mb=113"},
    {LCFG_SET_PARAM,
     {"fs", "osc.fs-*.max_dirty_mb=135", "lctl"},
     0,
     0,
     "set_param 0:fs  1:osc.fs-*.max_dirty_mb=135  2:lctl  ",
     "set_param, device: fs, parameter: osc.fs-*.max_dirty_mb, value: 135"},
    {LCFG_SET_PARAM,
     {"fs", "jobid_name=%e.%u a=b, c"},
     0,
     0,
     "set_param 0:fs  1:jobid_name=%e.%u a=b, c  ",
     "set_param, device: fs, parameter: jobid_name, value: \"%e.%u a=b, c\""},
    {LCFG_SPTLRPC_CONF,
     {"d", "srpc.flavor.default=krb5p"},
     0,
     0,
     "sptlrpc_conf 0:d  1:srpc.flavor.default=krb5p  ",
     "security, device: d, parameter: srpc.flavor.default=krb5p"},
    {LCFG_POOL_NEW,
     {"d", "fs", "p"},
     0,
     0,
     "pool new 0:d  1:fs  2:p  ",
     "new_pool, device: d, fsname: fs, pool: p"},
    {LCFG_POOL_ADD,
     {"d", "fs", "p", "o"},
     0,
     0,
     "pool add 0:d  1:fs  2:p  3:o  ",
     "add_pool, device: d, fsname: fs, pool: p, ost: o"},
    {LCFG_POOL_REM,
     {"d", "fs", "p", "o"},
     0,
     0,
     "pool remove 0:d  1:fs  2:p  3:o  ",
     "remove_pool, device: d, fsname: fs, pool: p, ost: o"},
    {LCFG_POOL_DEL,
     {"d", "fs", "p"},
     0,
     0,
     "pool destroy 0:d  1:fs  2:p  ",
     "del_pool, device: d, fsname: fs, pool: p"},
    {LCFG_LOG_START, {""}, 0, 0, "unsupported cmd_code = ce011\n", "log_start"},
    {LCFG_LOG_END, {""}, 0, 0, "unsupported cmd_code = ce012\n", "log_end"},
    {0xce050,
     {"d", "x"},
     0,
     0,
     "unsupported cmd_code = ce050\n",
     "unknown, command: 0xce050, device: d, buffer1: x"},
};

/* The only record of a log, by @append. */
template <typename Append>
std::string printed(Bytes bytes, Append append)
{
    ll::LogFile log = open_bytes(std::move(bytes));
    ll::LogSections sections;
    std::string text;

    assert_true(log.walk([&](const ll::LogItem& item) {
                       if (item.fault != nullptr)
                           fail_msg("%s", ll::fault_text(*item.fault).c_str());
                       append(text, sections.take(*item.record));
                       return true;
                   })
                    .has_value());
    return text;
}

void each_command_has_its_text(void**)
{
    for (const Case& one : cases) {
        LogMaker maker;

        maker.command(one.command, one.texts, one.num, one.nid);
        const std::string reader = printed(
            maker.bytes(),
            [text = ll::ReaderText()](std::string& out, const ll::ConfigRecord& config) mutable {
                text.append(out, config);
            });
        assert_text(reader.substr(reader.find(')') + 1), std::string(one.reader) + "\n");
        assert_text(printed(maker.bytes(), ll::append_print_record),
                    std::string("- { index: 1, event: ") + one.print + " }\n");
    }
}

void every_command_of_the_interface_has_a_rule(void**)
{
    for (std::uint32_t command = 0xce000; command < 0xcf100; command++)
        if (std::string_view(lcfg_command_name(command)).find("unknown") == std::string_view::npos)
            assert_non_null(ll::find_command_rule(command));
    assert_null(ll::find_command_rule(0xcf0ff));
    assert_text(ll::event_name(0xcf0ff), "unknown");
}

void nids_have_names_of_their_networks(void**)
{
    assert_text(ll::nid_text(kNid), "10.2.2.59@tcp");
    assert_text(ll::nid_text(kNid | 3ULL << 32), "10.2.2.59@tcp3");
    assert_text(ll::nid_text(0x900000000000000ULL >> 8), "0@lo");
    assert_text(ll::nid_text(5ULL << 48 | 0x0a000001), "10.0.0.1@o2ib");
    assert_text(ll::nid_text(13ULL << 48 | 4ULL << 32 | 300), "300@gni4");
    assert_text(ll::nid_text(16ULL << 48 | 7), "7@kfi");
    assert_text(ll::nid_text(3ULL << 48 | 0xab), "0xab@gm");
    assert_text(ll::nid_text(~0ULL), "<?>");
    assert_text(ll::nid_text(77ULL << 48 | 0x0a000001), "a000001@<77:0>");
}

void scalars_that_yaml_would_take_apart_are_quoted(void**)
{
    const std::pair<const char*, const char*> values[] = {
        {"plain.value=1", "plain.value=1"},
        {"a: b", "\"a: b\""},
        {"a #b", "\"a #b\""},
        {"[a", "\"[a\""},
        {"*a", "\"*a\""},
        {"a*", "a*"},
        {"-1", "-1"},
        {"- 1", "\"- 1\""},
        {"a\nb", "\"a\\nb\""},
        {"a:", "\"a:\""},
        {"say \"x\"", "say \"x\""},
        {" a", "\" a\""},
        {"10.0.0.1@tcp", "10.0.0.1@tcp"},
        {"{}", "\"{}\""},
    };

    for (const auto& [value, text] : values) {
        LogMaker maker;

        maker.command(LCFG_DETACH, {value});
        assert_text(printed(maker.bytes(), ll::append_print_record),
                    std::string("- { index: 1, event: detach, device: ") + text + " }\n");
    }
}

void sections_say_what_was_taken_back(void**)
{
    LogMaker maker;
    std::string seen;

    maker.command(LCFG_DETACH, {"outside"})
        .marker(1, CM_START | CM_SKIP, "fs", "x")
        .command(LCFG_DETACH, {"skipped"})
        .marker(1, CM_END | CM_SKIP, "fs", "x")
        .marker(2, CM_START, "fs", "x")
        .command(LCFG_DETACH, {"inside"})
        .marker(2, CM_END, "fs", "x")
        .command(LCFG_DETACH, {"outside"});
    printed(maker.bytes(), [&](std::string&, const ll::ConfigRecord& config) {
        seen += config.in_section ? (config.skipped ? 'S' : 'I') : '-';
    });
    assert_text(seen, "-SSSIII-");
}

void a_cancelled_marker_opens_nothing(void**)
{
    LogMaker maker;
    std::string seen;

    maker.marker(1, CM_START | CM_SKIP, "fs", "x").cancelled().command(LCFG_DETACH, {"d"});
    printed(maker.bytes(), [&](std::string&, const ll::ConfigRecord& config) {
        seen += config.skipped ? 'S' : '-';
    });
    assert_text(seen, "S-");
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(each_command_has_its_text),
        cmocka_unit_test(every_command_of_the_interface_has_a_rule),
        cmocka_unit_test(nids_have_names_of_their_networks),
        cmocka_unit_test(scalars_that_yaml_would_take_apart_are_quoted),
        cmocka_unit_test(sections_say_what_was_taken_back),
        cmocka_unit_test(a_cancelled_marker_opens_nothing),
    };

    return cmocka_run_group_tests_name("logs_command", tests, nullptr, nullptr);
}
