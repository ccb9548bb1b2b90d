// SPDX-License-Identifier: LGPL-2.1-or-later
// Implementation of the handle of the C interface. For use within the library and
// by its tests, which put a port of their own into one.
#ifndef LL_CAPI_HANDLE_HPP
#define LL_CAPI_HANDLE_HPP

#include <memory>
#include <optional>
#include <string>

#include "params.hpp"
#include "port.hpp"

struct params_handle {
    std::unique_ptr<ll::KernelPort> port;
    std::optional<ll::Params> params;  // empty: opening failed
    std::string error;
    int code = 0;  // errno of the last failure

    int fail(const ll::Error& why);
    int fail_memory() noexcept;
};

#endif
