// SPDX-License-Identifier: GPL-2.0-or-later
// Puts the events of --json-stream together. Only for the files that read JSON, since it includes
// nlohmann/json.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "daemon/model/imported_file.hpp"
#include "daemon/workload/iperf3/json.hpp"

namespace netperfd::workload {

// What comes after the end of a stream is no part of it, but may be another run.
class EventStream {
 public:
  EventStream();
  void add(StreamEvent event);
  // Once, after all events.
  [[nodiscard]] FoundDocument take();

  FoundDocument found;

 private:
  std::shared_ptr<ReadRows> rows_ = std::make_shared<ReadRows>();
};

// Whether one of the first lines is an event.
[[nodiscard]] bool is_stream(std::string_view bytes);

// Counts a run that the document was not known to have. One without identity and without sums is what 3.16
// and 3.17 print beside the document that counts.
void note_run(FoundDocument& found, const nlohmann::json& start, bool measured, Extent extent);

// Adds the runs of another part of the same bytes.
void add_runs(FoundDocument& found, std::vector<FoundRun> runs);

// The errors of a document, as an array.
[[nodiscard]] nlohmann::json& errors_of(nlohmann::json& document);

}  // namespace netperfd::workload
