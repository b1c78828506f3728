// Finding iperf3's document among the bytes it printed. Private to the files that read JSON: it brings
// nlohmann/json.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace netperfd::workload {

struct FoundDocument {
  // As -J prints it: start, intervals, end and perhaps error; a discarded value where nothing was found.
  // Of a --json-stream its lines are put together to the same shape; several errors become one array.
  nlohmann::json value = nlohmann::json(nlohmann::json::value_t::discarded);
  bool complete = false;
  bool cut_short = false;           // the bytes end before the document does
  std::string problem;              // why there is no whole document, in the library's words
  std::size_t documents = 0;        // how many whole ones; the last one with sums at its end is `value`
  std::size_t text_bytes = 0;       // bytes, without white space, of other things around it
  std::size_t repaired_tokens = 0;  // nan and inf, which are not JSON, read as null
};

[[nodiscard]] FoundDocument find_document(std::string_view bytes);

// One line of --json-stream: its event's name and data.
struct StreamEvent {
  std::string name;
  nlohmann::json data;
};
[[nodiscard]] std::optional<StreamEvent> parse_stream_event(std::string_view line);

}  // namespace netperfd::workload
