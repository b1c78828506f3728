// What a reader of a run must know of its trace, as quality flags (docs/quality-flags.md).
#pragma once

#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::trace {

// `neighbours`: TraceSession::neighbours(); `restored`: what its restore() said.
[[nodiscard]] std::vector<QualityFlag> trace_flags(const TraceRecord& record,
                                                   const std::vector<std::string>& neighbours,
                                                   const Status& restored);

}  // namespace netperfd::trace
