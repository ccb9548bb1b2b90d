// SPDX-License-Identifier: LGPL-2.1-or-later
// Between the C interface's values and the library's. For use within it.
#ifndef LL_CAPI_VALUES_HPP
#define LL_CAPI_VALUES_HPP

#include <lustre_lite/liblustrelite.h>

#include "value.hpp"

namespace ll {

// nullptr when memory is short.
params_value_entry* new_value_entry(const Record& rec);

// 0, -EBADMSG or -ENOMEM. `partial`: the value may begin within a list.
int unpack_values(ValueView value, bool partial, params_value_entry** values);

// False when a record cannot be sent.
bool pack_values(const params_value_entry* values, ValuePacker& packer);

}  // namespace ll

#endif
