// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/json_stream.hpp"

#include <algorithm>
#include <utility>

namespace netperfd::workload {
namespace {

using nlohmann::json;

// iperf3's cookie is random. Without it, second and ports of the start tell two runs apart. Empty: nothing
// does.
std::string identity_of(const json& start) {
  if (const json& cookie = member(start, "cookie"); cookie.is_string()) return cookie.get<std::string>();
  const json& time = member(member(start, "timestamp"), "timesecs");
  const json& connected = member(start, "connected");
  if (!time.is_number() && !connected.is_array()) return {};
  return json::array({time, connected}).dump(-1, ' ', true, json::error_handler_t::replace);
}

bool is_known(const FoundDocument& found, const std::string& identity) {
  return !identity.empty() &&
         std::ranges::find(found.runs, identity, &FoundRun::identity) != found.runs.end();
}

}  // namespace

void note_run(FoundDocument& found, const json& start, bool measured, Extent extent) {
  std::string identity = identity_of(start);
  if (identity.empty() && !measured) return;
  if (found.runs.size() == kMostRunsOfFile || is_known(found, identity)) return;
  found.runs.push_back({std::move(identity), extent, {}});
}

void add_runs(FoundDocument& found, std::vector<FoundRun> runs) {
  for (FoundRun& run : runs) {
    if (found.runs.size() < kMostRunsOfFile && !is_known(found, run.identity))
      found.runs.push_back(std::move(run));
  }
}

json& errors_of(json& document) {
  json& errors = document["error"];
  if (errors.is_null()) {
    errors = json::array();
  } else if (!errors.is_array()) {
    errors = json::array({std::move(errors)});
  }
  return errors;
}

EventStream::EventStream() {
  found.value = {{"intervals", json::array()}};
  found.problem = "there is no `end` event";
  found.cut_short = true;
}

void EventStream::add(StreamEvent event) {
  if (event.name == "start") {
    note_run(found, event.data, true, event.extent);
    if (!found.complete) found.value["start"] = std::move(event.data);
    return;
  }
  if (!found.runs.empty()) found.runs.back().extent.end = event.extent.end;
  if (found.complete) return;
  if (event.name == "interval") {
    found.value["intervals"].push_back(rows_->size());
    rows_->push_back(read_row(event.data));
  } else if (event.name == "error") {
    errors_of(found.value).push_back(std::move(event.data));
  } else if (event.name == "end") {
    found.value["end"] = std::move(event.data);
    found.complete = true;
    found.documents = 1;
    found.problem.clear();
    found.cut_short = false;
  }
}

FoundDocument EventStream::take() {
  found.rows = std::move(rows_);
  return std::move(found);
}

bool is_stream(std::string_view bytes) {
  constexpr int kMaxAttempts = 16;
  for (int attempts = 0; attempts < kMaxAttempts && !bytes.empty();) {
    const auto end = bytes.find('\n');
    const auto line = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (!line.starts_with('{') || line.find("\"event\"") == std::string_view::npos) continue;
    if (parse_stream_event(line)) return true;
    ++attempts;
  }
  return false;
}

std::optional<StreamEvent> parse_stream_event(std::string_view line) {
  if (!line.starts_with('{')) return std::nullopt;
  ParsedValue value = parse_value(line, 0);
  if (!value.whole || value.events.size() != 1) return std::nullopt;
  if (line.find_first_not_of(" \t\r\n", value.end) != std::string_view::npos) return std::nullopt;
  return std::move(value.events.front());
}

}  // namespace netperfd::workload
