// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared libraries that are loaded when a command first needs them.
 *
 * Every library that a program is linked with adds about a tenth to the time in which
 * `lctl get_param NAME` starts and ends (Documentation/tools.md has the figures), so those
 * that few commands need are not among them. What uses such a library declares an object for
 * each of its functions, by the name of the function: a call goes through the object.
 * A static program (LL_LINK=static) calls the functions themselves.
 */
#pragma once

#include <cstdint>
#include <initializer_list>

#include "lib/error.hpp"

namespace lctl {

class LazyFunctionBase {
public:
    const char* name() const { return name_; }
    void set(void* address) { address_ = address; }

protected:
    explicit constexpr LazyFunctionBase(const char* name) : name_(name) {}
    void* address() const { return address_; }

private:
    const char* name_;
    void* address_ = nullptr;
};

/* A function of the library, for calls after load_library(). */
template <class Function>
class LazyFunction : public LazyFunctionBase {
public:
    explicit constexpr LazyFunction(const char* name) : LazyFunctionBase(name) {}

    Function* get() const { return reinterpret_cast<Function*>(address()); }

    template <class... Arguments>
    auto operator()(Arguments... arguments) const
    {
        return get()(arguments...);
    }
};

/* The address of a function, to be given to the library. */
template <class Function>
Function* pointer_to(const LazyFunction<Function>& function)
{
    return function.get();
}

template <class Function>
Function* pointer_to(Function* function)
{
    return function;
}

/**
 * Load @soname, for as long as the program runs, and find @functions in it.
 *
 * Context: one thread at a time
 * Return: ELIBACC with the reason
 */
ll::Status load_library(const char* soname, std::initializer_list<LazyFunctionBase*> functions);

}  // namespace lctl

/* LIST(DO) of a library does DO(function) for each of its functions. */
#ifdef LL_LINK_STATIC

#define LL_LAZY_DECLARE(function) using ::function;
#define LL_LAZY_LOAD(soname, LIST) ll::Status()
#define LL_LAZY_NOTE(variable, feature, soname) static_assert(true)

#else

// A declared name takes no parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define LL_LAZY_DECLARE(function) \
    inline constinit LazyFunction<decltype(::function)> function{#function};
#define LL_LAZY_ADDRESS(function) &function,
#define LL_LAZY_LOAD(soname, LIST) lctl::load_library(soname, {LIST(LL_LAZY_ADDRESS)})

/* A note in the program that names what it may load; makers of packages and images read it:
 * https://uapi-group.org/specifications/specs/elf_dlopen_metadata/ */
#define LL_LAZY_TEXT(feature, soname) \
    "[{\"feature\":\"" feature "\",\"priority\":\"recommended\",\"soname\":[\"" soname "\"]}]"
#define LL_LAZY_NOTE(variable, feature, soname)                                           \
    struct variable##_type {                                                              \
        std::uint32_t name_size = sizeof(name);                                           \
        std::uint32_t text_size = sizeof(text);                                           \
        std::uint32_t type = 0x407c0c0a;                                                  \
        char name[4] = "FDO";                                                             \
        char text[sizeof(LL_LAZY_TEXT(feature, soname))] = LL_LAZY_TEXT(feature, soname); \
    };                                                                                    \
    [[gnu::used, gnu::section(".note.dlopen")]] alignas(4) const variable##_type variable

// NOLINTEND(bugprone-macro-parentheses)

#endif
