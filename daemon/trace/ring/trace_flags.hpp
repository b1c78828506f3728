// SPDX-License-Identifier: GPL-2.0-or-later
// The quality flags of a trace, which a reader of the run must know (docs/quality-flags.md).
#pragma once

#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::trace {

// `neighbours`: TraceSession::neighbours(); `restored`: the result of its restore().
[[nodiscard]] std::vector<QualityFlag> trace_flags(const TraceRecord& record,
                                                   const std::vector<std::string>& neighbours,
                                                   const Status& restored);

}  // namespace netperfd::trace
