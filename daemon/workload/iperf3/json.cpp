// SPDX-License-Identifier: GPL-2.0-or-later
// iperf3 is asked for one JSON document, but its output may contain less or more. -V and -d put text and
// other objects around it. 3.16 and 3.17 print two documents in a row after some errors. A killed client
// leaves a part. Some builds print `-nan` for a division by zero. A title has whatever bytes its user typed.
// Files that users bring have several runs in a row, a terminal's echo before the brace, a time at the begin
// of each line, or the whole output as a text of another tool's JSON. The library does all the parsing. This
// file only searches for the start of a document: where iperf3 prints it, at the start of a line, and if
// there is none, at each brace that a key follows.
#include "daemon/workload/iperf3/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "daemon/workload/iperf3/document.hpp"
#include "daemon/workload/iperf3/json_stream.hpp"
#include "daemon/workload/iperf3/prefixes.hpp"
#include "daemon/workload/iperf3/repair.hpp"

namespace netperfd::workload {
namespace {

using nlohmann::json;

constexpr std::string_view kWhiteSpace = " \t\r\n";
constexpr int kDeepest = 3;  // of texts in texts

enum class Starts { of_lines, anywhere };

FoundDocument find_in(std::string_view bytes, int depth);

bool is_white_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::size_t count_text(std::string_view bytes) {
  return bytes.size() - static_cast<std::size_t>(std::count_if(bytes.begin(), bytes.end(), is_white_space));
}

// "line 3, column 1: ..."
std::string placed(std::string_view bytes, std::size_t at, const std::string& problem) {
  const std::string_view before = bytes.substr(0, std::min(at, bytes.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto begin = before.rfind('\n');
  const std::size_t column = begin == std::string_view::npos ? before.size() : before.size() - begin - 1;
  return fmt::format("line {}, column {}: {}", line, std::max<std::size_t>(column, 1), problem);
}

// The next possible start of a document: right after the one that ended at `from`, or at the start of a line.
// A list of documents is one too.
std::size_t next_line_start(std::string_view bytes, std::size_t from, bool behind_document) {
  if (behind_document || from == 0) {
    const auto next = bytes.find_first_not_of(kWhiteSpace, from);
    if (next != std::string_view::npos && (bytes[next] == '{' || (from == 0 && bytes[next] == '[')))
      return next;
  }
  const auto line = bytes.find("\n{", from == 0 ? 0 : from - 1);
  return line == std::string_view::npos ? line : line + 1;
}

// The next brace before a key.
std::size_t next_brace(std::string_view bytes, std::size_t from) {
  for (auto at = bytes.find('{', from); at != std::string_view::npos; at = bytes.find('{', at + 1)) {
    const auto key = bytes.find_first_not_of(kWhiteSpace, at + 1);
    if (key == std::string_view::npos) break;
    if (bytes[key] == '"') return at;
  }
  return std::string_view::npos;
}

// Whether what begins there is a document, though it cannot be parsed: no object that -d prints has `start`.
bool begins_like_iperf3(std::string_view bytes) {
  constexpr std::string_view kStart = "\"start\"";
  const auto first = bytes.find_first_not_of(kWhiteSpace, 1);
  if (first == std::string_view::npos || !bytes.substr(first).starts_with(kStart)) return false;
  const auto value = bytes.find_first_not_of(" \t\r\n:", first + kStart.size());
  return value == std::string_view::npos || bytes[value] == '{';  // in an interval it is a number
}

bool has_sums(const json& value) {
  const json& end = member(value, "end");
  return end.contains("sum_sent") || end.contains("sum_received") || end.contains("sum");
}

// The later document counts unless only the earlier one has sums; errors of both are kept.
void choose(FoundDocument& found, ParsedDocument later) {
  const bool take_earlier = has_sums(found.value) && !has_sums(later.value);
  if (!take_earlier) {
    std::swap(found.value, later.value);
    found.rows = std::move(later.rows);
  }
  json& other = later.value;
  if (!other.contains("error")) return;
  for (json& error : errors_of(other)) errors_of(found.value).push_back(std::move(error));
}

void take(FoundDocument& found, ParsedDocument document) {
  note_run(found, member(document.value, "start"), has_sums(document.value), document.extent);
  if (found.documents++ == 0) {
    found.value = std::move(document.value);
    found.rows = std::move(document.rows);
  } else {
    choose(found, std::move(document));
  }
}

// Where the bytes are not those that the caller has, each run keeps its own.
void keep_texts(FoundDocument& found, std::string_view bytes) {
  if (found.runs.size() < 2) return;
  for (FoundRun& run : found.runs) {
    if (run.text.empty()) run.text = bytes.substr(run.extent.begin, run.extent.end - run.extent.begin);
  }
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

// Searches for values and takes from each what is iperf3's.
class Search {
 public:
  Search(std::string_view bytes, Starts starts, int depth) : bytes_(bytes), starts_(starts), depth_(depth) {}

  FoundDocument run() {
    std::size_t from = 0;
    bool behind_document = false;
    for (Effort effort(bytes_.size()); effort.is_left();) {
      const std::size_t start = starts_ == Starts::anywhere ? next_brace(bytes_, from)
                                                            : next_line_start(bytes_, from, behind_document);
      if (start == std::string_view::npos) break;
      ParsedValue value = parse_value(bytes_, start);
      effort.spend(value.end - start);
      behind_document = value.whole;
      from = value.whole ? value.end : start + 1;
      if (value.whole) {
        take_value(value, {start, value.end});
      } else {
        note_problem(value, start);
      }
    }
    if (found_.documents == 0) read_messages();
    found_.complete = found_.documents > 0;
    found_.text_bytes += count_text(bytes_.substr(counted_));
    if (has_events_) add_stream();
    return std::move(found_);
  }

 private:
  void take_value(ParsedValue& value, Extent extent) {
    bool any = false;
    for (ParsedDocument& document : value.documents) {
      take(found_, std::move(document));
      any = true;
    }
    for (StreamEvent& event : value.events) {
      stream_.add(std::move(event));
      any = has_events_ = true;
    }
    for (const std::string& text : value.texts) any = take_text(text) || any;
    if (!value.message.empty()) messages_ += value.message + (value.message.ends_with('\n') ? "" : "\n");
    if (any) {
      found_.text_bytes += count_text(bytes_.substr(counted_, extent.begin - counted_));
      counted_ = extent.end;
    }
    found_.other_json = found_.other_json || (!any && starts_ == Starts::of_lines);
  }

  // What a tool has kept of iperf3's output. The same run may be there twice, as a text and as its lines.
  bool take_text(const std::string& text) {
    if (depth_ >= kDeepest) return false;
    FoundDocument inner = find_in(text, depth_ + 1);
    if (!inner.complete) {
      if (inner.cut_short && found_.problem.empty()) found_.problem = std::move(inner.problem);
      return false;
    }
    keep_texts(inner, text);
    if (inner.runs.size() == 1 && inner.runs[0].text.empty()) inner.runs[0].text = text;
    const std::size_t before = found_.runs.size();
    add_runs(found_, std::move(inner.runs));
    if (found_.documents > 0 && found_.runs.size() == before) return true;
    take_inner(std::move(inner));
    return true;
  }

  void take_inner(FoundDocument inner) {
    if (found_.documents++ == 0) {
      found_.value = std::move(inner.value);
      found_.rows = std::move(inner.rows);
    } else {
      choose(found_, {std::move(inner.value), std::move(inner.rows), {}});
    }
    found_.documents += inner.documents - 1;
    found_.broken += inner.broken;
    found_.text_bytes += inner.text_bytes;
    found_.repaired_tokens += inner.repaired_tokens;
    found_.replaced_bytes += inner.replaced_bytes;
  }

  // A log in JSON has a line of output in each of its records.
  void read_messages() {
    if (messages_.empty() || depth_ >= kDeepest) return;
    const std::string text = std::move(messages_);
    (void)take_text(text);
  }

  void note_problem(const ParsedValue& value, std::size_t start) {
    const bool like_iperf3 = begins_like_iperf3(bytes_.substr(start));
    if (like_iperf3) ++found_.broken;
    if (starts_ == Starts::anywhere && !like_iperf3) return;
    if (found_.problem.empty() || value.cut_short)
      found_.problem = placed(bytes_, value.problem_at, value.problem);
    found_.cut_short = found_.cut_short || value.cut_short;
  }

  // Events that are not on lines of their own, as after jq. A document beside them repeats them.
  void add_stream() {
    FoundDocument stream = stream_.take();
    add_runs(stream, std::move(found_.runs));
    stream.broken += found_.broken;
    stream.text_bytes = found_.text_bytes;
    found_ = std::move(stream);
  }

  std::string_view bytes_;
  Starts starts_;
  int depth_;
  FoundDocument found_;
  EventStream stream_;
  bool has_events_ = false;
  std::size_t counted_ = 0;  // so far the bytes that are not iperf3's are counted
  std::string messages_;
};

// ---- Lines of --json-stream -------------------------------------------------------------------------------

// Removes the first line from `rest` and returns it with its end.
std::string_view take_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  const auto line = rest.substr(0, end == std::string_view::npos ? end : end + 1);
  rest.remove_prefix(line.size());
  return line;
}

std::optional<StreamEvent> event_of(std::string_view line, FoundDocument& found) {
  if (!line.starts_with('{') || line.find("\"event\"") == std::string_view::npos) return std::nullopt;
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

FoundDocument read_stream(std::string_view bytes, int depth) {
  EventStream stream;
  std::string others;  // the lines that are no events
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::size_t begin = bytes.size() - rest.size();
    const auto line = take_line(rest);
    if (auto event = event_of(line, stream.found)) {
      event->extent = {begin, begin + line.size()};
      stream.add(std::move(*event));
      continue;
    }
    if (!stream.found.complete) stream.found.text_bytes += count_text(line);
    others += line;
  }
  FoundDocument found = stream.take();
  if (others.find("\"start\"") == std::string::npos) return found;
  // --json-stream-full-output of 3.20 repeats everything as one document behind the `end` event.
  FoundDocument beside = Search(others, Starts::of_lines, depth).run();
  for (FoundRun& run : beside.runs) {
    if (run.text.empty()) run.text = others.substr(run.extent.begin, run.extent.end - run.extent.begin);
  }
  add_runs(found, std::move(beside.runs));
  found.broken += beside.broken;
  return found;
}

// ---- Ways to find more ------------------------------------------------------------------------------------

std::optional<FoundDocument> find_repaired(std::string_view bytes, Starts starts, int depth) {
  const std::size_t begin =
      starts == Starts::anywhere ? next_brace(bytes, 0) : next_line_start(bytes, 0, false);
  if (begin == std::string_view::npos) return std::nullopt;
  const Repaired repaired = repair(bytes.substr(begin));
  if (repaired.tokens + repaired.bytes == 0) return std::nullopt;
  FoundDocument again = Search(repaired.text, starts, depth).run();
  if (!again.complete) return std::nullopt;
  keep_texts(again, repaired.text);
  again.text_bytes += count_text(bytes.substr(0, begin));
  again.repaired_tokens += repaired.tokens;
  again.replaced_bytes += repaired.bytes;
  return again;
}

std::optional<FoundDocument> find_without_prefixes(std::string_view bytes, int depth) {
  constexpr int kMostPrefixes = 3;
  std::size_t from = 0;
  for (int i = 0; i < kMostPrefixes && depth < kDeepest; ++i) {
    const auto stripped = without_prefixes(bytes, from);
    if (!stripped) break;
    from = stripped->next;
    FoundDocument found = find_in(stripped->text, depth + 1);
    if (!found.complete) continue;
    keep_texts(found, stripped->text);
    found.text_bytes += stripped->prefix_bytes;
    return found;
  }
  return std::nullopt;
}

FoundDocument find_in(std::string_view bytes, int depth) {
  if (is_stream(bytes)) return read_stream(bytes, depth);
  FoundDocument found = Search(bytes, Starts::of_lines, depth).run();
  if (found.complete && found.broken == 0) return found;
  if (auto repaired = find_repaired(bytes, Starts::of_lines, depth)) return std::move(*repaired);
  if (found.complete) return found;
  if (auto stripped = find_without_prefixes(bytes, depth)) return std::move(*stripped);
  FoundDocument anywhere = Search(bytes, Starts::anywhere, depth).run();
  if (anywhere.complete && anywhere.broken == 0) return anywhere;
  if (auto repaired = find_repaired(bytes, Starts::anywhere, depth)) return std::move(*repaired);
  if (anywhere.complete) return anywhere;
  if (found.problem.empty()) {
    found.problem = std::move(anywhere.problem);
    found.cut_short = anywhere.cut_short;
  }
  return found;
}

}  // namespace

// Values are counted by what separates or begins them, in texts and around a document too. So the smallest
// value, with its comma, is a byte or two; those of iperf3 have keys, and 64 MiB of them are fewer.
std::string excess_of(std::string_view bytes) {
  constexpr std::size_t kMostValues = 5'000'000;
  const auto values = static_cast<std::size_t>(
      std::ranges::count_if(bytes, [](char c) { return c == ',' || c == '{' || c == '['; }));
  if (values <= kMostValues) return {};
  return fmt::format("it has more than {} values, as none of iperf3's has", kMostValues);
}

FoundDocument find_document(std::string_view bytes) {
  return find_in(bytes, 0);
}

}  // namespace netperfd::workload
