// SPDX-License-Identifier: GPL-2.0-or-later
// Parses one JSON value and picks from it what is iperf3's. Only for the files that read JSON, since it
// includes nlohmann/json.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/workload/iperf3/document.hpp"

namespace netperfd::workload {

// An element of `intervals`, read as soon as it was parsed: as JSON it takes a dozen times the memory.
struct ReadRow {
  IntervalFigures figures;
  std::size_t unreadable_values = 0;
  std::string first_unreadable;
};
using ReadRows = std::vector<ReadRow>;

[[nodiscard]] ReadRow read_row(const nlohmann::json& interval);

// Where something stands in the bytes.
struct Extent {
  std::size_t begin = 0, end = 0;
};

// `value` has numbers in place of the elements of its `intervals`: their places in `rows`.
struct ParsedDocument {
  nlohmann::json value;
  std::shared_ptr<ReadRows> rows;
  Extent extent;
};

// An event of --json-stream.
struct StreamEvent {
  std::string name;
  nlohmann::json data;
  Extent extent = {};
};

// What was found in a value, and how its parsing ended.
struct ParsedValue {
  bool whole = false;      // it could be parsed
  std::size_t end = 0;     // where the parser stopped
  bool cut_short = false;  // the bytes ended before the value did
  std::string problem;     // empty if it is whole
  std::size_t problem_at = 0;
  std::vector<ParsedDocument> documents;
  std::vector<StreamEvent> events;
  std::vector<std::string> texts;  // that may have a document in them, as what a tool keeps of an output
  std::string message;             // of a log's record: the text that was logged
};

// The value that begins at `begin`. What follows it is ignored.
[[nodiscard]] ParsedValue parse_value(std::string_view bytes, std::size_t begin);

[[nodiscard]] const nlohmann::json& member(const nlohmann::json& object, const char* key);

}  // namespace netperfd::workload
