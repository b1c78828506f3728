// SPDX-License-Identifier: GPL-2.0-or-later
// iperf3 is asked for one JSON document, but its output may contain less or more. -V and -d put text and
// other objects around it. 3.16 and 3.17 print two documents in a row after some errors. A killed client
// leaves a part. Some builds print `-nan` for a division by zero. The library does all the parsing. This file
// only searches for the start of the document, which is always at the start of a line, as iperf3's own
// document is.
#include "daemon/workload/iperf3_json.hpp"

#include <algorithm>
#include <array>
#include <spanstream>
#include <utility>
#include <vector>

namespace netperfd::workload {
namespace {

using nlohmann::json;

// Limits the time that maliciously crafted bytes can cost; -d needs four attempts.
constexpr int kMaxAttempts = 16;

constexpr std::string_view kWhiteSpace = " \t\r\n";

bool is_white_space(char c) {
  return kWhiteSpace.find(c) != std::string_view::npos;
}

std::size_t count_text(std::string_view bytes) {
  return bytes.size() - static_cast<std::size_t>(std::count_if(bytes.begin(), bytes.end(), is_white_space));
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
std::size_t next_start(std::string_view bytes, std::size_t from, bool behind_document) {
  if (behind_document || from == 0) {
    const auto next = bytes.find_first_not_of(kWhiteSpace, from);
    if (next != std::string_view::npos && bytes[next] == '{') return next;
  }
  const auto line = bytes.find("\n{", from == 0 ? 0 : from - 1);
  return line == std::string_view::npos ? line : line + 1;
}

bool looks_like_iperf3(const json& value) {
  return value.contains("start") && (value.contains("end") || value.contains("error"));
}

bool has_sums(const json& value) {
  const auto end = value.find("end");
  return end != value.end() &&
         (end->contains("sum_sent") || end->contains("sum_received") || end->contains("sum"));
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

FoundDocument find_whole_document(std::string_view bytes) {
  FoundDocument found;
  std::size_t used = 0;
  std::size_t from = 0;
  bool behind_document = false;
  for (int attempts = 0; attempts < kMaxAttempts; ++attempts) {
    const std::size_t start = next_start(bytes, from, behind_document);
    if (start == std::string_view::npos) break;
    Attempt attempt = parse_one(bytes, start);
    behind_document = attempt.value.has_value();
    if (!attempt.value) {
      if (found.problem.empty() || attempt.cut_short) found.problem = attempt.problem;
      found.cut_short = found.cut_short || attempt.cut_short;
      if (attempt.cut_short) break;  // the rest is inside it
      from = start + 1;
      continue;
    }
    from = attempt.end;
    if (!looks_like_iperf3(*attempt.value)) continue;
    used += count_text(bytes.substr(start, attempt.end - start));
    found.value = found.documents == 0 ? std::move(*attempt.value)
                                       : choose(std::move(found.value), std::move(*attempt.value));
    ++found.documents;
  }
  found.complete = found.documents > 0;
  found.text_bytes = count_text(bytes) - used;
  return found;
}

// ---- Tokens that are not JSON -----------------------------------------------------------------------------

// The length of a `nan` or `inf`, with or without a sign, at position `at` if a value may stand there; 0 for
// anything else.
std::size_t bad_number_length(std::string_view bytes, std::size_t at) {
  constexpr std::array<std::string_view, 6> kTokens{"-nan", "nan", "-inf", "inf", "NaN", "Infinity"};
  if (at == 0 || std::string_view(":,[ \t\r\n").find(bytes[at - 1]) == std::string_view::npos) return 0;
  for (const auto token : kTokens) {
    if (!bytes.substr(at).starts_with(token)) continue;
    const std::size_t end = at + token.size();
    if (end < bytes.size() && std::string_view(",]} \t\r\n").find(bytes[end]) != std::string_view::npos) {
      return token.size();
    }
  }
  return 0;
}

// The bytes from the first line that may begin a document, with each such token outside a string replaced by
// `null`.
std::pair<std::string, std::size_t> repair(std::string_view bytes) {
  const std::size_t begin = next_start(bytes, 0, false);
  std::pair<std::string, std::size_t> result{{}, 0};
  if (begin == std::string_view::npos) return result;
  result.first.reserve(bytes.size() - begin);
  bool in_string = false;
  for (std::size_t i = begin; i < bytes.size(); ++i) {
    if (in_string && bytes[i] == '\\' && i + 1 < bytes.size()) {
      result.first += bytes[i++];
    } else if (bytes[i] == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      if (const std::size_t length = bad_number_length(bytes, i); length > 0) {
        result.first += "null";
        ++result.second;
        i += length - 1;
        continue;
      }
    }
    result.first += bytes[i];
  }
  return result;
}

// ---- Lines of --json-stream -------------------------------------------------------------------------------

// Removes the first line from `rest` and returns it; `whole`: its line end was there.
std::string_view take_line(std::string_view& rest, bool& whole) {
  const auto end = rest.find('\n');
  whole = end != std::string_view::npos;
  const auto line = rest.substr(0, end);
  rest.remove_prefix(whole ? end + 1 : rest.size());
  return line;
}

bool is_stream(std::string_view bytes) {
  bool whole = true;
  for (int attempts = 0; attempts < kMaxAttempts && !bytes.empty();) {
    const auto line = take_line(bytes, whole);
    if (!line.starts_with('{')) continue;
    if (parse_stream_event(line)) return true;
    ++attempts;
  }
  return false;
}

FoundDocument read_stream(std::string_view bytes) {
  FoundDocument found;
  found.value = {{"intervals", json::array()}};
  found.problem = "there is no `end` event";
  found.cut_short = true;
  bool whole = true;
  while (!bytes.empty()) {
    const auto line = take_line(bytes, whole);
    auto event = parse_stream_event(line);
    if (!event) {
      const auto [text, repaired] = repair(line);
      if (repaired > 0) event = parse_stream_event(text);
      if (event) found.repaired_tokens += repaired;
    }
    if (!event) {
      found.text_bytes += count_text(line);
    } else if (event->name == "interval") {
      found.value["intervals"].push_back(std::move(event->data));
    } else if (event->name == "error") {
      errors_of(found.value).push_back(std::move(event->data));
    } else if (event->name == "start") {
      found.value["start"] = std::move(event->data);
    } else if (event->name == "end") {
      // --json-stream-full-output of 3.20 repeats everything after this event as one document.
      found.value["end"] = std::move(event->data);
      found.complete = true;
      found.documents = 1;
      found.problem.clear();
      found.cut_short = false;
      break;
    }
  }
  return found;
}

}  // namespace

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
  if (found.complete) return found;
  const auto [text, repaired] = repair(bytes);
  if (repaired == 0) return found;
  FoundDocument again = find_whole_document(text);
  if (!again.complete) return found;
  again.repaired_tokens = repaired;
  return again;
}

}  // namespace netperfd::workload
