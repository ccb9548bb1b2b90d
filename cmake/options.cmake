# SPDX-License-Identifier: GPL-2.0-only
#
# Interface libraries that carry compiler flags:
#	ll_build	sanitizers, for everything
#	ll_warnings	warnings of our user-space code
#	ll_program	how the installed programs are linked
# and the function ll_precompile

include(CheckLinkerFlag)

add_library(ll_build INTERFACE)
add_library(ll_warnings INTERFACE)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")

target_compile_options(ll_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion
	$<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
if(LL_WERROR)
	target_compile_options(ll_warnings INTERFACE -Werror)
endif()

if(LL_FUZZ)
	if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
		message(FATAL_ERROR "LL_FUZZ needs clang: "
			"-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++")
	endif()
	set(ll_flags -fsanitize=fuzzer-no-link,address,undefined
		-fno-sanitize-recover=undefined -fno-omit-frame-pointer)
elseif(LL_SANITIZE STREQUAL address)
	set(ll_flags -fsanitize=address,undefined -fno-sanitize-recover=undefined
		-fno-omit-frame-pointer)
elseif(LL_SANITIZE STREQUAL thread)
	set(ll_flags -fsanitize=thread -fno-omit-frame-pointer)
elseif(LL_SANITIZE STREQUAL none)
	set(ll_flags)
else()
	message(FATAL_ERROR "LL_SANITIZE is '${LL_SANITIZE}'; it can be address, thread or none")
endif()
# From here on LL_SANITIZE is true where a sanitizer is in use and false elsewhere.
if(LL_FUZZ)
	set(LL_SANITIZE address)
elseif(LL_SANITIZE STREQUAL none)
	set(LL_SANITIZE OFF)
endif()
target_compile_options(ll_build INTERFACE ${ll_flags})
target_link_options(ll_build INTERFACE ${ll_flags})

# Programs are position independent, and their tables are read-only before main(). Shared: libc
# alone is loaded at the start, and its functions are bound when they are called; the small C
# libraries are loaded when a command needs them (Documentation/tools.md has the figures).
if(NOT LL_LINK MATCHES "^(shared|static)$")
	message(FATAL_ERROR "LL_LINK is '${LL_LINK}'; it can be shared or static")
endif()
add_library(ll_program INTERFACE)
if(NOT LL_SANITIZE)
	target_link_options(ll_program INTERFACE -Wl,--gc-sections -Wl,-z,relro)
	if(LL_LINK STREQUAL static)
		target_link_options(ll_program INTERFACE -static-pie)
	else()
		target_link_options(ll_program INTERFACE -pie -static-libstdc++ -static-libgcc
			-Wl,--as-needed -Wl,--hash-style=gnu -Wl,-z,lazy)
		# Code and read-only data in one mapping: two fewer to make and to remove.
		target_link_options(ll_program INTERFACE -Wl,-z,noseparate-code)
		# Relocations of a pointer each in a bit, where linker and libc know them.
		check_linker_flag(CXX -Wl,-z,pack-relative-relocs LL_HAS_RELR)
		if(LL_HAS_RELR)
			target_link_options(ll_program INTERFACE -Wl,-z,pack-relative-relocs)
		endif()
	endif()
endif()

# ll_precompile(TARGET): the headers that most of the tools' files include, read once
# for each target. Every file still names what it uses: the checkers see it without.
function(ll_precompile target)
	# ccache takes a precompiled header for the same only without its time.
	if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
		target_compile_options(${target} PRIVATE
			"$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
	endif()
	target_precompile_headers(${target} PRIVATE <algorithm> <cerrno> <cstdint> <memory>
		<optional> <span> <string> <string_view> <utility> <vector>
		<fmt/format.h> <tl/expected.hpp>)
endfunction()
