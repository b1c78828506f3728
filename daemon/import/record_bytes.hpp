// A trace record as the child that made it hands it to the daemon. Both are the same program: the bytes need
// no version and are never stored.
#pragma once

#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/model/trace_record.hpp"

namespace netperfd::import {

[[nodiscard]] std::string to_bytes(const TraceRecord& record);

// For bytes that nobody vouches for: lists have their limits and all together kMostDecodedBytes, every text
// is printable, and the result has passed check_record(). invalid_argument otherwise.
[[nodiscard]] Result<TraceRecord> from_bytes(std::string_view bytes);

}  // namespace netperfd::import
