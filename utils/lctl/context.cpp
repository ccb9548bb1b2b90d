// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/context.hpp"

#include <utility>

#include "lctl/output/printer.hpp"

namespace lctl {

std::optional<bool> System::confirm(std::string_view /*question*/)
{
    return std::nullopt;
}

Context::Context(System& system, Writer& to_out, Writer& to_err)
    : out(to_out), err(to_err), system_(system)
{
}

Context::~Context() = default;

bool Context::is_text() const
{
    return printer_ == nullptr || printer_->format() == Format::Text;
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

void Context::complain(std::string_view command, std::string_view text)
{
    std::string& line = err.text();

    out.flush();
    line.append(error_prefix).append("error: ").append(command).append(": ").append(text);
    line.push_back('\n');
    err.flush();
}

int Context::error(std::string_view command, std::string_view text, int code)
{
    complain(command, text);
    if (printer_ != nullptr)
        printer_->failure(code, text);
    return code;
}

}  // namespace lctl
