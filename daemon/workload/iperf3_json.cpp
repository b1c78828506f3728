// SPDX-License-Identifier: GPL-2.0-or-later
// iperf3 is asked for one JSON document, but its output may contain less or more. -V and -d put text and
// other objects around it. 3.16 and 3.17 print two documents in a row after some errors. A killed client
// leaves a part. Some builds print `-nan` for a division by zero. A title has whatever bytes its user typed.
// A file may have several runs in a row. The library does all the parsing. This file only searches for the
// start of a document, which is always at the start of a line, as iperf3's own document is.
#include "daemon/workload/iperf3_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <spanstream>
#include <utility>
#include <vector>

#include "daemon/workload/iperf3_document.hpp"
#include "daemon/workload/iperf3_repair.hpp"

namespace netperfd::workload {
namespace {

using nlohmann::json;

constexpr std::string_view kWhiteSpace = " \t\r\n";

bool is_white_space(char c) {
  return kWhiteSpace.find(c) != std::string_view::npos;
}

std::size_t count_text(std::string_view bytes) {
  return bytes.size() - static_cast<std::size_t>(std::count_if(bytes.begin(), bytes.end(), is_white_space));
}

const json& member(const json& object, const char* key) {
  static const json nothing;
  const auto at = object.find(key);
  return at == object.end() ? nothing : *at;
}

// ---- Which run a document is of ---------------------------------------------------------------------------

// iperf3's cookie is random. Without it, second and ports of the start tell two runs apart. Empty: nothing
// does.
std::string identity_of(const json& start) {
  if (const json& cookie = member(start, "cookie"); cookie.is_string()) return cookie.get<std::string>();
  const json& time = member(member(start, "timestamp"), "timesecs");
  const json& connected = member(start, "connected");
  if (!time.is_number() && !connected.is_array()) return {};
  return json::array({time, connected}).dump(-1, ' ', true, json::error_handler_t::replace);
}

// Counts a run that the document was not known to have. One without identity and without sums is what 3.16
// and 3.17 print beside the document that counts.
void note_run(FoundDocument& found, const json& start, bool measured) {
  std::string identity = identity_of(start);
  if (identity.empty() && !measured) return;
  // Of more runs it is enough to know that there are many: each of them is compared with all others.
  constexpr std::size_t kMostRuns = 100;
  if (found.runs.size() == kMostRuns) return;
  if (!identity.empty() && std::ranges::find(found.runs, identity) != found.runs.end()) return;
  found.runs.push_back(std::move(identity));
}

// ---- One document -----------------------------------------------------------------------------------------

struct Attempt {
  std::optional<json> value;
  std::size_t end = 0;     // where the parser stopped
  bool cut_short = false;  // the bytes ended before the value did
  std::string problem;
};

// "[json.exception.parse_error.101] parse error at line 1, ...: ...; last read: '...'" without its number and
// without the bytes last read, which may not be text.
std::string reason_of(const json::exception& e) {
  std::string_view reason = e.what();
  if (const auto number = reason.find("] "); number != std::string_view::npos)
    reason.remove_prefix(number + 2);
  return std::string(reason.substr(0, reason.find("; last read")));
}

// Parses the value that begins at `begin`, and ignores what follows it.
Attempt parse_one(std::string_view bytes, std::size_t begin) {
  std::ispanstream stream(bytes.substr(begin));
  Attempt attempt;
  try {
    json value;
    stream >> value;
    attempt.value = std::move(value);
  } catch (const json::exception& e) {
    attempt.problem = reason_of(e);
    attempt.cut_short = stream.eof();
  }
  stream.clear();
  attempt.end = begin + static_cast<std::size_t>(std::max<std::streamoff>(stream.tellg(), 1));
  return attempt;
}

// The next possible start of a document: right after the one that ended at `from`, or at the start of a line.
// A list of documents is one too.
std::size_t next_start(std::string_view bytes, std::size_t from, bool behind_document) {
  if (behind_document || from == 0) {
    const auto next = bytes.find_first_not_of(kWhiteSpace, from);
    if (next != std::string_view::npos && (bytes[next] == '{' || (from == 0 && bytes[next] == '[')))
      return next;
  }
  const auto line = bytes.find("\n{", from == 0 ? 0 : from - 1);
  return line == std::string_view::npos ? line : line + 1;
}

// Whether what begins there is a document, though it cannot be parsed: no object that -d prints has `start`.
bool begins_like_iperf3(std::string_view bytes) {
  constexpr std::string_view kStart = "\"start\"";
  const auto first = bytes.find_first_not_of(kWhiteSpace, 1);
  return first != std::string_view::npos && bytes.substr(first).starts_with(kStart);
}

bool looks_like_iperf3(const json& value) {
  if (!value.is_object()) return false;
  if (value.contains("start")) return value.contains("end") || value.contains("error");
  return (value.contains("intervals") && value.contains("end")) ||
         (value.size() == 1 && value.contains("error"));
}

bool has_sums(const json& value) {
  const json& end = member(value, "end");
  return end.contains("sum_sent") || end.contains("sum_received") || end.contains("sum");
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

// The later document counts unless only the earlier one has sums; errors of both are kept.
json choose(json earlier, json later) {
  const bool take_earlier = has_sums(earlier) && !has_sums(later);
  json& chosen = take_earlier ? earlier : later;
  json& other = take_earlier ? later : earlier;
  if (other.contains("error")) {
    for (json& error : errors_of(other)) errors_of(chosen).push_back(std::move(error));
  }
  return std::move(chosen);
}

void take(FoundDocument& found, json value) {
  note_run(found, member(value, "start"), has_sums(value));
  found.value = found.documents == 0 ? std::move(value) : choose(std::move(found.value), std::move(value));
  ++found.documents;
}

// Takes the document, those in a list, and those that a tool wrapped in an object of its own. False: none.
bool take_all(FoundDocument& found, json value) {
  if (looks_like_iperf3(value)) {
    take(found, std::move(value));
    return true;
  }
  bool any = false;
  if (value.is_structured()) {
    for (json& inner : value) {
      if (!looks_like_iperf3(inner)) continue;
      take(found, std::move(inner));
      any = true;
    }
  }
  found.other_json = found.other_json || !any;
  return any;
}

// Limits the time that maliciously crafted bytes can cost. Each attempt may read what others have read.
class Effort {
 public:
  explicit Effort(std::size_t size) : left_(4 * size + kAtLeast) {}
  [[nodiscard]] bool is_left() const { return left_ > 0; }
  void spend(std::size_t bytes) { left_ -= std::min(left_, bytes + kOfAnAttempt); }

 private:
  static constexpr std::size_t kAtLeast = std::size_t{4} << 20;
  static constexpr std::size_t kOfAnAttempt = 4'096;
  std::size_t left_;
};

FoundDocument find_whole_document(std::string_view bytes) {
  FoundDocument found;
  std::size_t used = 0;
  std::size_t from = 0;
  bool behind_document = false;
  for (Effort effort(bytes.size()); effort.is_left();) {
    const std::size_t start = next_start(bytes, from, behind_document);
    if (start == std::string_view::npos) break;
    Attempt attempt = parse_one(bytes, start);
    effort.spend(attempt.end - start);
    behind_document = attempt.value.has_value();
    if (!attempt.value) {
      if (begins_like_iperf3(bytes.substr(start))) ++found.broken;
      if (found.problem.empty() || attempt.cut_short) found.problem = attempt.problem;
      found.cut_short = found.cut_short || attempt.cut_short;
      from = start + 1;
      continue;
    }
    from = attempt.end;
    if (take_all(found, std::move(*attempt.value))) used += count_text(bytes.substr(start, from - start));
  }
  found.complete = found.documents > 0;
  found.text_bytes = count_text(bytes) - used;
  return found;
}

// ---- Lines of --json-stream -------------------------------------------------------------------------------

// Removes the first line from `rest` and returns it with its end.
std::string_view take_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  const auto line = rest.substr(0, end == std::string_view::npos ? end : end + 1);
  rest.remove_prefix(line.size());
  return line;
}

bool may_be_event(std::string_view line) {
  return line.starts_with('{') && line.find("\"event\"") != std::string_view::npos;
}

bool is_stream(std::string_view bytes) {
  constexpr int kMaxAttempts = 16;
  for (int attempts = 0; attempts < kMaxAttempts && !bytes.empty();) {
    const auto line = take_line(bytes);
    if (!may_be_event(line)) continue;
    if (parse_stream_event(line)) return true;
    ++attempts;
  }
  return false;
}

std::optional<StreamEvent> event_of(std::string_view line, FoundDocument& found) {
  if (!may_be_event(line)) return std::nullopt;
  auto event = parse_stream_event(line);
  if (event) return event;
  const Repaired repaired = repair(line);
  if (repaired.tokens + repaired.bytes > 0) event = parse_stream_event(repaired.text);
  if (event) {
    found.repaired_tokens += repaired.tokens;
    found.replaced_bytes += repaired.bytes;
  }
  return event;
}

// Collects the events of a stream. What comes after its end is no part of it, but may be another run.
class Stream {
 public:
  void add(StreamEvent event) {
    if (event.name == "start") note_run(found.value, std::move(event.data));
    if (found.complete) return;
    if (event.name == "interval") {
      found.value["intervals"].push_back(std::move(event.data));
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

  FoundDocument found;

 private:
  void note_run(json& value, json start) {
    workload::note_run(found, start, true);
    if (!found.complete) value["start"] = std::move(start);
  }
};

FoundDocument read_stream(std::string_view bytes) {
  Stream stream;
  FoundDocument& found = stream.found;
  found.value = {{"intervals", json::array()}};
  found.problem = "there is no `end` event";
  found.cut_short = true;
  std::string others;  // the lines that are no events
  while (!bytes.empty()) {
    const auto line = take_line(bytes);
    if (auto event = event_of(line, found)) {
      stream.add(std::move(*event));
      continue;
    }
    if (!found.complete) found.text_bytes += count_text(line);
    others += line;
  }
  if (others.find("\"start\"") == std::string::npos) return std::move(found);
  // --json-stream-full-output of 3.20 repeats everything as one document behind the `end` event.
  const FoundDocument beside = find_whole_document(others);
  for (const std::string& run : beside.runs) {
    if (run.empty() || std::ranges::find(found.runs, run) == found.runs.end()) found.runs.push_back(run);
  }
  found.broken += beside.broken;
  return std::move(found);
}

}  // namespace

// Values are counted by what separates or begins them, in texts and around a document too. So the smallest
// value, with its comma, is a byte or two; those of iperf3 have keys, and 64 MiB of them are fewer.
std::string excess_of(std::string_view bytes) {
  constexpr std::size_t kMostValues = 5'000'000;
  constexpr std::size_t kDeepest = 100;
  std::size_t values = 0, depth = 0;
  for (const char c : bytes) {
    values += c == ',' || c == '{' || c == '[' ? 1U : 0U;
    if (c == '{' || c == '[') {
      if (++depth > kDeepest)
        return fmt::format("its values are nested deeper than {} levels, as in no document of iperf3",
                           kDeepest);
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  if (values <= kMostValues) return {};
  return fmt::format("it has more than {} values, as none of iperf3's has", kMostValues);
}

std::optional<StreamEvent> parse_stream_event(std::string_view line) {
  json value = json::parse(line, nullptr, false);
  const auto name = value.find("event");
  const auto data = value.find("data");
  if (name == value.end() || !name->is_string() || data == value.end()) return std::nullopt;
  return StreamEvent{name->get<std::string>(), std::move(*data)};
}

FoundDocument find_document(std::string_view bytes) {
  if (is_stream(bytes)) return read_stream(bytes);
  FoundDocument found = find_whole_document(bytes);
  if (found.complete && found.broken == 0) return found;
  const std::size_t begin = next_start(bytes, 0, false);
  if (begin == std::string_view::npos) return found;
  const Repaired repaired = repair(bytes.substr(begin));
  if (repaired.tokens + repaired.bytes == 0) return found;
  FoundDocument again = find_whole_document(repaired.text);
  if (!again.complete) return found;
  again.text_bytes += count_text(bytes.substr(0, begin));
  again.repaired_tokens = repaired.tokens;
  again.replaced_bytes = repaired.bytes;
  return again;
}

}  // namespace netperfd::workload
