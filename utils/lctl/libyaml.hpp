// SPDX-License-Identifier: GPL-2.0
/* libyaml, which few commands need. */
#pragma once

#include <yaml.h>

#include "lctl/lazy_library.hpp"

#define LIBYAML_FUNCTIONS(DO)       \
    DO(yaml_document_delete)        \
    DO(yaml_document_get_node)      \
    DO(yaml_document_get_root_node) \
    DO(yaml_parser_delete)          \
    DO(yaml_parser_initialize)      \
    DO(yaml_parser_load)            \
    DO(yaml_parser_set_input_string)

namespace lctl {

LIBYAML_FUNCTIONS(LL_LAZY_DECLARE);

}  // namespace lctl
