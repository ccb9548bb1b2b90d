// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/output/output.hpp"

namespace lctl {

std::unique_ptr<Output> make_output(const Style& style, Context& context)
{
    Writer& writer = context.out;

    switch (style.format) {
        case Format::Json:
            return make_json_output(style, context.printer());
        case Format::Yaml:
            return make_yaml_output(style, writer);
        case Format::Text:
            break;
    }
    return style.fold ? make_folded_output(style, writer) : make_text_output(style, writer);
}

std::string mode_text(unsigned int mode)
{
    std::string text = "0000";

    for (std::size_t i = 4; i-- > 1; mode >>= 3)
        text[i] = static_cast<char>('0' + (mode & 7));
    return text;
}

}  // namespace lctl
