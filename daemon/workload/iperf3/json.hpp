// SPDX-License-Identifier: GPL-2.0-or-later
// Finds iperf3's document among its output. Only for the files that read JSON, since it includes
// nlohmann/json.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/workload/iperf3/json_values.hpp"

namespace netperfd::workload {

struct FoundRun {
  std::string identity;  // empty: nothing tells it from another
  Extent extent;         // of its document or its events, in the bytes given
  std::string text;      // instead, where those bytes have it only escaped or behind prefixes
};

struct FoundDocument {
  // In the shape that -J prints: start, intervals, end and perhaps error; a discarded value if nothing was
  // found. `intervals` has numbers, the places of its elements in `rows`. The lines of a --json-stream are
  // combined into the same shape; several errors become one array.
  nlohmann::json value = nlohmann::json(nlohmann::json::value_t::discarded);
  std::shared_ptr<ReadRows> rows;
  bool complete = false;
  bool cut_short = false;           // the bytes end before the document does
  std::string problem;              // why there is no whole document: place, and the JSON library's words
  std::size_t documents = 0;        // number of whole ones; `value` is the last one with final sums
  std::size_t text_bytes = 0;       // other output around the document, without white space
  std::size_t repaired_tokens = 0;  // nan and inf, which are not JSON; they are read as null
  std::size_t replaced_bytes = 0;   // bytes of texts that are not UTF-8
  // The runs that the bytes tell of. Several documents of one run count once.
  std::vector<FoundRun> runs;
  std::size_t broken = 0;   // more documents, of which only the beginning can be read
  bool other_json = false;  // there are values that are not iperf3's
};

[[nodiscard]] FoundDocument find_document(std::string_view bytes);

// One line of --json-stream: the name and data of its event.
[[nodiscard]] std::optional<StreamEvent> parse_stream_event(std::string_view line);

}  // namespace netperfd::workload
