// SPDX-License-Identifier: LGPL-2.1-or-later
// Cancelling a record of a log that is not open elsewhere.
#ifndef LL_LOG_CANCEL_HPP
#define LL_LOG_CANCEL_HPP

#include <cstdint>

#include "log_file.hpp"

namespace ll {

// Clear the record's bit, then count one live record less; each is on the disk
// before the next begins. A power cut leaves the record live, or cancelled with a
// count that is one too high and is of no consequence: it is the bitmap that says
// what is live. `log` does not change; what it says is old afterwards.
//
// Returns the live records that are left, the header among them. EALREADY: it is
// cancelled; ENOENT: there is no such record; EINVAL: it cannot be cancelled.
Result<uint32_t> cancel_record(LogFile& log, uint32_t index);

}  // namespace ll

#endif
