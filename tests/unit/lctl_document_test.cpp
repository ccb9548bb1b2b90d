// SPDX-License-Identifier: GPL-2.0-only
/* Features that the command table gives to every command: formats, errors in documents,
 * numbers of operands. */
#include <cerrno>
#include <string>

#include <nlohmann/json.hpp>

#include "lctl/command.hpp"
#include "lctl_fixture.hpp"

using namespace lctl_test;

namespace {

void json_and_yaml_are_of_every_command(void** /*state*/)
{
    const Case cases[] = {
        {"--json get_param version",
         "[\n{\"name\": \"version\", \"type\": \"string\", \"mode\": \"0444\", "
         "\"version\": 1, "
         "\"value\": \"0.1.0\"}\n]\n",
         "", 0},
        {"get_param --json=pretty version",
         "[\n  {\n    \"name\": \"version\",\n    \"type\": \"string\",\n    "
         "\"mode\": \"0444\",\n"
         "    \"version\": 1,\n    \"value\": \"0.1.0\"\n  }\n]\n",
         "", 0},
        {"--json=pretty get_param -y version", "version: \"0.1.0\"\n", "", 0},
        {"--yaml get_param version", "version: \"0.1.0\"\n", "", 0},
        {"dl --yaml", "devices: []\n", "", 0},
        {"dl --json=pretty", "[]\n", "", 0},
        {"--json newdev", "{}\n",
         "newdev: no device is current; 'attach TYPE NAME UUID' creates one\n", 0},
        {"--yaml newdev", "{}\n",
         "newdev: no device is current; 'attach TYPE NAME UUID' creates one\n", 0},
        {"--json save_params", "",
         "error: save_params: prints text only, not JSON or YAML\n"
         "usage: lctl save_params [OPTION...] [PATTERN...]\nSee 'lctl help "
         "save_params'.\n",
         EINVAL},
    };

    check_cases(cases, make_tree);
}

void errors_are_part_of_the_document(void** /*state*/)
{
    const Case cases[] = {
        {"get_param --json nosuch",
         "[\n{\"name\": \"nosuch\", \"error\": {\"errno\": 2, \"message\": "
         "\"param_path 'nosuch': "
         "No such file or directory\"}}\n]\n",
         "error: get_param: param_path 'nosuch': No such file or directory\n", ENOENT},
        {"pool_list --json fs",
         "[\n{\"error\": {\"errno\": 19, \"message\": \"file system 'fs' is not "
         "mounted on this "
         "node, and none of its metadata targets is\"}}\n]\n",
         "error: pool_list: file system 'fs' is not mounted on this node, and "
         "none of its metadata "
         "targets is\n",
         ENODEV},
        {"pool_list --yaml fs",
         "pools: []\nerrors:\n- errno: 19\n  message: \"file system 'fs' is not mounted on this "
         "node, and none of its metadata targets is\"\n",
         "error: pool_list: file system 'fs' is not mounted on this node, and none of its metadata "
         "targets is\n",
         ENODEV},
        {"--json detach",
         "{\"errors\": [{\"errno\": 19, \"message\": \"no device given; use "
         "--device, or select "
         "one with 'device'\"}]}\n",
         "error: detach: no device given; use --device, or select one with "
         "'device'\n",
         ENODEV},
        {"list_nids --json x",
         "[\n{\"error\": {\"errno\": 22, \"message\": \"takes no "
         "operands\"}}\n]\n",
         "error: list_nids: takes no operands\nusage: lctl list_nids "
         "[OPTION...]\n"
         "See 'lctl help list_nids'.\n",
         EINVAL},
        {"list_nids --json --nonsense",
         "[\n{\"error\": {\"errno\": 22, \"message\": \"unrecognized option "
         "'--nonsense'\"}}\n]\n",
         "error: list_nids: unrecognized option '--nonsense'\n"
         "usage: lctl list_nids [OPTION...]\nSee 'lctl help list_nids'.\n",
         EINVAL},
    };

    check_cases(cases, make_tree);
}

void mistyped_options_are_suggested(void** /*state*/)
{
    const Case cases[] = {
        {"get_param --jsno x", "",
         "error: get_param: unrecognized option '--jsno'; did you mean "
         "'--json'?\n"
         "usage: lctl get_param [OPTION...] PATTERN...\nSee 'lctl help "
         "get_param'.\n",
         EINVAL},
        {"help get_parma", "",
         "error: help: 'get_parma' is not a command; did you mean 'get_param'?\n", EINVAL},
    };

    check_cases(cases, make_tree);
}

/* "NAME...", "NAME [NAME ...]", "[NAME...]" */
bool repeats(std::string_view operands)
{
    return operands.ends_with("...") || operands.ends_with(" ...]") ||
           (operands.starts_with('[') && operands.ends_with("...]"));
}

/* The counts of the table, and the names that usage has for operands. */
void counts_and_names_of_operands_agree(void** /*state*/)
{
    for (const lctl::Command* const command : lctl::commands()) {
        const std::string_view operands = command->operands;
        const bool unlimited =
            command->takes.max >= lctl::kMany || std::string_view(command->name) == "setup";

        if (operands.empty() != (command->takes.max == 0) || (repeats(operands) && !unlimited))
            fail_msg("%s: takes %u to %u, but says '%s'", command->name, command->takes.min,
                     command->takes.max, command->operands);
        if (command->takes.min > 0 && operands.starts_with('['))
            fail_msg("%s: its first operand is said to be optional", command->name);
    }
}

void keys_belong_to_arrays(void** /*state*/)
{
    for (const lctl::Command* const command : lctl::commands())
        if (command->key != nullptr && command->prints != lctl::Prints::Array)
            fail_msg("%s: a key without an array", command->name);
}

/* Every command prints one JSON document, with the error, also without a module. */
void without_a_module_documents_are_whole(void** /*state*/)
{
    for (const lctl::Command* const command : lctl::commands()) {
        FakeTree tree;
        FakeSystem system(tree);
        std::string line = std::string("--json ") + command->name;

        system.no_kernel = {ENODEV, "no module"};
        system.no_events = {ENODEV, "no module"};
        system.no_devices = {ENODEV, "no module"};
        for (int i = 0; i < command->takes.min; i++)
            line += " x=1";

        const Ran ran = run(system, line);

        if (command->prints == lctl::Prints::Text)
            continue;
        if (!nlohmann::json::accept(ran.out))
            fail_msg("lctl %s: %s", line.c_str(), ran.out.c_str());
        if ((ran.status != 0) != (ran.out.find("\"errno\"") != std::string::npos))
            fail_msg("lctl %s: status %d: %s", line.c_str(), ran.status, ran.out.c_str());
    }
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(json_and_yaml_are_of_every_command),
        cmocka_unit_test(errors_are_part_of_the_document),
        cmocka_unit_test(mistyped_options_are_suggested),
        cmocka_unit_test(counts_and_names_of_operands_agree),
        cmocka_unit_test(keys_belong_to_arrays),
        cmocka_unit_test(without_a_module_documents_are_whole),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
