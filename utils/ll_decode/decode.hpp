// SPDX-License-Identifier: GPL-2.0-only
/*
 * An attribute as a value, from which text, JSON and YAML are printed.
 */
#pragma once

#include <span>
#include <string_view>

#include "lctl/output/printer.hpp"

namespace ll_decode {

/** A decoded attribute; @fault is NULL unless it is damaged. */
struct Decoded {
    lctl::Json value;
    const char* fault = nullptr;
};

struct Attribute {
    const char* name;  // "trusted.lma"
    const char* key;   // "lma"
    Decoded (*decode)(std::string_view bytes, bool directory);
};

/** A layout, or with @directory the default of a directory: a value of trusted.lov. */
Decoded decode_layout(std::string_view bytes, bool directory);

/** All attributes that the tool knows, in the order in which they are printed. */
std::span<const Attribute> attributes();

}  // namespace ll_decode
