// SPDX-License-Identifier: GPL-2.0-only
/* libyaml, which few commands need. */
#pragma once

#include <yaml.h>

#include "lctl/lazy_library.hpp"

#define LIBYAML_FUNCTIONS(DO)                \
    DO(yaml_document_delete)                 \
    DO(yaml_document_end_event_initialize)   \
    DO(yaml_document_get_node)               \
    DO(yaml_document_get_root_node)          \
    DO(yaml_document_start_event_initialize) \
    DO(yaml_emitter_delete)                  \
    DO(yaml_emitter_emit)                    \
    DO(yaml_emitter_flush)                   \
    DO(yaml_emitter_initialize)              \
    DO(yaml_emitter_set_output)              \
    DO(yaml_emitter_set_unicode)             \
    DO(yaml_emitter_set_width)               \
    DO(yaml_mapping_end_event_initialize)    \
    DO(yaml_mapping_start_event_initialize)  \
    DO(yaml_parser_delete)                   \
    DO(yaml_parser_initialize)               \
    DO(yaml_parser_load)                     \
    DO(yaml_parser_set_input_string)         \
    DO(yaml_scalar_event_initialize)         \
    DO(yaml_sequence_end_event_initialize)   \
    DO(yaml_sequence_start_event_initialize) \
    DO(yaml_stream_start_event_initialize)

namespace lctl {

// Set when the library is loaded.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
LIBYAML_FUNCTIONS(LL_LAZY_DECLARE);

}  // namespace lctl
