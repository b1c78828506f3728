// SPDX-License-Identifier: GPL-2.0-or-later
// Encodes what the daemon and the process that reads iperf3's output tell each other. Both are the same
// program: the bytes need no version and are never stored.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::reading {

struct ReportOrder {
  // What a report is judged by: ImportedWorkload's options, bind and congestion. The rest has its defaults.
  TestSpec asked;
  std::string client_stderr;
  std::string_view client_stdout;  // within the bytes that it was read from
};

// Everything but client_stdout, which follows these bytes as it is.
[[nodiscard]] std::string to_bytes(const TestSpec& asked, const std::string& client_stderr);
[[nodiscard]] Result<ReportOrder> order_from_bytes(std::string_view bytes);

[[nodiscard]] std::string to_bytes(const ParsedReport& report);
// The most bytes that to_bytes() can make of a report that passes check_report().
[[nodiscard]] std::size_t most_report_bytes(std::size_t most_intervals);
// Decodes untrusted bytes. Each list has a limit, and all together one that follows from `most_intervals`.
// The result has passed check_report(). invalid_argument otherwise.
[[nodiscard]] Result<ParsedReport> report_from_bytes(std::string_view bytes, std::size_t most_intervals);

// The same for the prober's output. Everything but prober_stdout, which follows these bytes as it is.
[[nodiscard]] std::string to_bytes(const LatencyOrder& order);
// Fills `order` and returns prober_stdout, which is within the bytes.
[[nodiscard]] Result<std::string_view> order_from_bytes(std::string_view bytes, LatencyOrder& order);
inline constexpr std::size_t kMostLatencyBytes = std::size_t{64} << 20;
[[nodiscard]] std::string to_bytes(const ParsedLatency& latency);
// Decodes untrusted bytes. The result has passed check_latency(). invalid_argument otherwise.
[[nodiscard]] Result<ParsedLatency> latency_from_bytes(std::string_view bytes);

}  // namespace netperfd::reading
