// SPDX-License-Identifier: LGPL-2.1-or-later
// The inside of the C interface: its handle, what every function begins with, and values. For
// use within the library, and by its tests, which put a port of their own into a handle.
#ifndef LL_CAPI_HPP
#define LL_CAPI_HPP

#include <cerrno>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include <lustre_lite/liblustrelite.h>

#include "params.hpp"
#include "port.hpp"
#include "value.hpp"

struct params_handle {
    std::unique_ptr<ll::KernelPort> port;
    std::optional<ll::Params> params;  // empty: opening failed
    std::string error;
    int code = 0;  // errno of the last failure

    int fail(const ll::Error& why);
    int fail_memory() noexcept;
};

namespace ll {

// The handle that was given, or the calling thread's own, which is opened. May
// throw std::bad_alloc.
params_handle& handle_or_own(params_handle* given);

// Runs `work` with the handle's Params. Errors, and memory that is short, become
// a negative errno and words in the handle.
template <class Work>
int with_handle(params_handle* given, Work work)
{
    params_handle* handle = given;

    try {
        handle = &handle_or_own(given);
        if (!handle->params)
            return -handle->code;
        handle->error.clear();
        Result<int> done = work(*handle->params);
        return done ? *done : handle->fail(done.error());
    } catch (const std::bad_alloc&) {
        return handle ? handle->fail_memory() : -ENOMEM;
    }
}

// A name without globs, as a raw path.
Result<std::string> exact_path(std::string_view text);

// A write of one text, or of records.
Result<Write> make_write(std::string path, const params_value_entry* values, bool typed);

// nullptr when memory is short.
params_value_entry* new_value_entry(const Record& rec);

// 0, -EBADMSG or -ENOMEM. `partial`: the value may begin within a list.
int unpack_values(ValueView value, bool partial, params_value_entry** values);

// False when a record cannot be sent.
bool pack_values(const params_value_entry* values, ValuePacker& packer);

}  // namespace ll

#endif
