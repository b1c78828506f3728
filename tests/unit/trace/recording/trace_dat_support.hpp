// SPDX-License-Identifier: GPL-2.0-or-later
// Files of trace-cmd for tests: recorded ones below tests/data/trace-dat, and one that is made by the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "daemon/model/trace_record.hpp"
#include "daemon/trace/recording/recording.hpp"

namespace netperfd::trace::test {

[[nodiscard]] std::string dat_file(const std::string& name);
[[nodiscard]] std::span<const std::byte> as_bytes(const std::string& text);

struct Sums {
  std::uint64_t hits = 0;
  std::uint64_t ns = 0;
  bool operator==(const Sums&) const = default;
};
struct ReportedCalls {
  std::map<std::string, Sums> functions;
  std::uint64_t without_begin = 0;
  std::uint64_t without_end = 0;
};
// From a .sums file; its column "by how much the text may have cut" must be 0 everywhere.
[[nodiscard]] ReportedCalls reported_calls(const std::string& name);
[[nodiscard]] ReportedCalls calls_of(const TraceRecord& record);

// Data on the recorded Linux 6.12, and the sub-buffers of its CPUs: tests/data/trace-functions.
[[nodiscard]] RecordingFacts recorded_facts();
[[nodiscard]] std::map<std::uint32_t, std::vector<std::byte>> recorded_cpus();

// A complete file, small enough to be damaged at every position: one sub-buffer of 512 bytes.
[[nodiscard]] std::string small_dat();

}  // namespace netperfd::trace::test
