// SPDX-License-Identifier: GPL-2.0-or-later
// The quality flags of a trace, which a reader of the run must know (docs/quality-flags.md).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::trace {

// `neighbours`: TraceSession::neighbours(); `restored`: the result of its restore(). `uncounted`: CPUs whose
// ring buffer lost records without saying how many; each such place counts as one in lost_events.
[[nodiscard]] std::vector<QualityFlag> trace_flags(const TraceRecord& record,
                                                   const std::vector<std::string>& neighbours,
                                                   const Status& restored,
                                                   const std::set<std::uint32_t>& uncounted = {});

}  // namespace netperfd::trace
