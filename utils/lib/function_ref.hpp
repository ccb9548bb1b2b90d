// SPDX-License-Identifier: LGPL-2.1-or-later
// A callable that is borrowed for the time of a call: no allocation, no copy.
#ifndef LL_FUNCTION_REF_HPP
#define LL_FUNCTION_REF_HPP

#include <memory>
#include <type_traits>
#include <utility>

namespace ll {

template <class Signature>
class FunctionRef;

template <class R, class... Args>
class FunctionRef<R(Args...)> {
public:
    template <class F,
              class = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
                                       std::is_invocable_r_v<R, F&, Args...>>>
    FunctionRef(F&& f) noexcept  // NOLINT: converts on purpose
        : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
          call_([](void* object, Args... args) -> R {
              using T = std::remove_reference_t<F>;
              return (*static_cast<T*>(object))(std::forward<Args>(args)...);
          })
    {
    }

    R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

private:
    void* object_;
    R (*call_)(void*, Args...);
};

}  // namespace ll

#endif
