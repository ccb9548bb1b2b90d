// SPDX-License-Identifier: LGPL-2.1-or-later
// What every function of the C interface begins with. For use within it.
#ifndef LL_CAPI_WORK_HPP
#define LL_CAPI_WORK_HPP

#include <cerrno>
#include <new>

#include <lustre_lite/liblustrelite.h>

#include "capi_handle.hpp"

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

}  // namespace ll

#endif
