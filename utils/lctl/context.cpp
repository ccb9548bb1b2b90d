// SPDX-License-Identifier: GPL-2.0
#include "lctl/context.hpp"

#include <utility>

namespace lctl {

std::optional<bool> System::confirm(std::string_view /*question*/)
{
    return std::nullopt;
}

std::optional<bool> Context::confirm(std::string_view question)
{
    out.flush();
    err.flush();
    return system_.confirm(question);
}

ll::Result<ll::Params*> Context::params()
{
    if (!params_) {
        auto port = system_.open_kernel();

        if (!port)
            return tl::unexpected(std::move(port.error()));
        port_ = std::move(*port);
        params_.emplace(*port_);
    }
    return &*params_;
}

int Context::error(std::string_view command, std::string_view text, int code)
{
    std::string& line = err.text();

    out.flush();
    line.append(error_prefix).append("error: ").append(command).append(": ").append(text);
    line.push_back('\n');
    err.flush();
    return code;
}

}  // namespace lctl
