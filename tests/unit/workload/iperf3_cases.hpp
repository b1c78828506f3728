// SPDX-License-Identifier: GPL-2.0-or-later
// The recorded documents of real iperf3 clients (made by tools/record-iperf3 as
// tests/data/iperf3/VERSION/CASE.out and .err), and a table of the expected results.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/model/job_spec.hpp"

namespace netperfd::workload::test {

// How a case was recorded: versions of client and server, and the output format.
inline constexpr unsigned kOld = 1;        // 3.12, -J
inline constexpr unsigned kNew = 2;        // 3.18 and 3.22, -J
inline constexpr unsigned kLines = 4;      // 3.18 and 3.22, --json-stream
inline constexpr unsigned kOldToNew = 8;   // 3.12 client, newer server, -J
inline constexpr unsigned kNewToOld = 16;  // newer client, 3.12 server, -J
inline constexpr unsigned kNewToNew = 32;  // 3.18 and 3.22, one the client and one the server, -J
inline constexpr unsigned kAlike = kOld | kNew | kLines;
inline constexpr unsigned kWhole = kOld | kNew;
inline constexpr unsigned kMixed = kOldToNew | kNewToOld | kNewToNew;

struct Range {
  double low = 0;
  double high = 1e12;
};

struct Case {
  std::string name;
  unsigned origins = kAlike;
  TestSpec asked;
  std::string error = {};               // a part of the error; empty: this is a measurement
  Range received = {1e6, 1e12};         // bits per second, in each direction
  Range lost_percent = {0, 0.5};        // UDP
  std::vector<std::string> flags = {};  // must be raised
  std::vector<std::string> may = {};    // may be raised; flags that depend on the machine's load are always
                                        // allowed
};

struct Recording {
  std::string file;     // "3.18/stream-tcp-send"
  std::string version;  // the client's version
  Case expected;
};

// All rows of the table, one for each origin that has a recording of it.
[[nodiscard]] std::vector<Recording> all_recordings();

[[nodiscard]] std::filesystem::path recordings_directory();

// The bytes of "3.12/tcp-send": its stdout ("out") or stderr ("err").
[[nodiscard]] std::string recorded(const std::string& file, const std::string& stream = "out");

// ---- Specs ------------------------------------------------------------------------------------------------

[[nodiscard]] TestSpec tcp(int duration_s = 2);
[[nodiscard]] TestSpec udp(int duration_s = 2);
[[nodiscard]] TestSpec with_bytes(TestSpec spec, std::uint64_t bytes);
[[nodiscard]] TestSpec receive(TestSpec spec);
[[nodiscard]] TestSpec both(TestSpec spec);
[[nodiscard]] TestSpec streams(TestSpec spec, std::uint32_t count);
[[nodiscard]] TestSpec omit(TestSpec spec);
[[nodiscard]] TestSpec every(TestSpec spec, int interval_ms);

}  // namespace netperfd::workload::test
