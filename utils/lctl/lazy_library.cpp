// SPDX-License-Identifier: GPL-2.0-only
#include "lctl/lazy_library.hpp"

#include <cerrno>

#include <dlfcn.h>

namespace lctl {

namespace {

/* dlerror() names the library, and the function that it has not. */
tl::unexpected<ll::Error> not_loaded()
{
    const char* const reason = dlerror();

    return ll::fail(
        ELIBACC, std::string("a library is missing: ") + (reason != nullptr ? reason : "unknown"));
}

}  // namespace

ll::Status load_library(const char* soname, std::initializer_list<LazyFunctionBase*> functions)
{
    void* const library = dlopen(soname, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

    if (library == nullptr)
        return not_loaded();
    for (LazyFunctionBase* const function : functions) {
        void* const address = dlsym(library, function->name());

        if (address == nullptr)
            return not_loaded();
        function->set(address);
    }
    return {};
}

}  // namespace lctl
