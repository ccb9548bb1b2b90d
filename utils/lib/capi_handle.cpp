// SPDX-License-Identifier: LGPL-2.1-or-later
// Handles of the C interface.
#include <cerrno>
#include <memory>
#include <new>

#include "capi.hpp"
#include "pathspec.hpp"

namespace ll {
namespace {

// A thread's own handle, which NULL means.
std::unique_ptr<params_handle>& own_handle()
{
    thread_local std::unique_ptr<params_handle> own;

    return own;
}

void connect(params_handle& handle, const char* device)
{
    auto port = open_device(device);

    if (!port) {
        handle.fail(port.error());
        return;
    }
    handle.port = std::move(*port);
    handle.params.emplace(*handle.port);
}

}  // namespace

params_handle& handle_or_own(params_handle* given)
{
    if (given)
        return *given;
    auto& own = own_handle();
    if (!own)
        own = std::make_unique<params_handle>();
    if (!own->params)
        connect(*own, LIBCFS_DEV_PATH);
    return *own;
}

// A name without globs, as a raw path.
Result<std::string> exact_path(std::string_view text)
{
    auto spec = PathSpec::parse(text);

    if (!spec)
        return tl::unexpected(spec.error());
    if (!spec->is_literal())
        return fail(EINVAL, "name '" + std::string(text) +
                                "': a glob, where the name of one entry is wanted");
    return spec->raw();
}

// A write of one text, or of records.
Result<Write> make_write(std::string path, const params_value_entry* values, bool typed)
{
    Write write;

    write.path = std::move(path);
    if (!values)
        return fail(EINVAL, "no value was given");
    if (!typed && !values->pve_next && values->pve_name_len == 0 &&
        values->pve_type == PARAMS_V_STRING) {
        write.value.assign(values->pve_value ? values->pve_value : "", values->pve_value_len);
        return write;
    }
    ValuePacker packer;
    if (!pack_values(values, packer))
        return fail(EINVAL, "a record's name or value is too long");
    write.typed = true;
    write.value = packer.bytes();
    return write;
}

}  // namespace ll

int params_handle::fail(const ll::Error& why)
{
    code = why.code;
    error = why.text;
    return -code;
}

// Without asking for more of it.
int params_handle::fail_memory() noexcept
{
    error.clear();
    code = ENOMEM;
    return -ENOMEM;
}

extern "C" {

int params_open(struct params_handle** handle)
{
    *handle = nullptr;
    try {
        auto made = std::make_unique<params_handle>();
        ll::connect(*made, LIBCFS_DEV_PATH);
        *handle = made.release();
        return (*handle)->params ? 0 : -(*handle)->code;
    } catch (const std::bad_alloc&) {
        return -ENOMEM;
    }
}

void params_close(struct params_handle* handle)
{
    delete handle;
}

const char* params_error(struct params_handle* handle)
{
    if (!handle)
        handle = ll::own_handle().get();
    if (!handle)
        return "";
    if (handle->error.empty() && handle->code == ENOMEM)
        return "out of memory";
    return handle->error.c_str();
}

}  // extern "C"
