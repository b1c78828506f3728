// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/run/trace_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dbus/rows/plain_number.hpp"

namespace netperfd::core {
namespace {

// Limit for the value of a list. A longer value is shortened to its beginning and a digest of the whole.
constexpr std::size_t kMostBytes = 200;

// FNV-1a, which is the same on every host and in every build.
std::uint64_t digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// Sorted, whatever order the job has.
std::string list_of(std::vector<std::string> words) {
  std::ranges::sort(words);
  std::string text = fmt::format("{}", fmt::join(words, " "));
  if (text.size() <= kMostBytes) return text;
  return fmt::format("{}... ({}, digest {:016x})", text.substr(0, kMostBytes), words.size(), digest(text));
}

std::string words_of(const EventSpec& event) {
  std::string text = event.name;
  if (!event.filter.empty()) text += fmt::format("({})", event.filter);
  if (event.stacktrace) text += "+stack";
  return text;
}

class TraceFacts {
 public:
  explicit TraceFacts(std::vector<Fact>& facts) : facts_(facts) {}
  void add(std::string key, std::string value) {
    std::ranges::replace(value, '\n', ' ');
    facts_.push_back({std::string(kTraceFacts), std::move(key), std::move(value)});
  }
  void add_list(std::string key, std::vector<std::string> words) {
    if (!words.empty()) add(std::move(key), list_of(std::move(words)));
  }

 private:
  std::vector<Fact>& facts_;
};

void add_functions(const FunctionGraphSpec& asked, TraceFacts& facts) {
  if (!asked.module.empty()) facts.add("module", asked.module);
  facts.add_list("functions", asked.functions);
  facts.add_list("exclude", asked.exclude);
  facts.add_list("only", asked.only);
  facts.add_list("left out", asked.left_out);
  facts.add_list("over budget", asked.over_budget);
  if (asked.depth) facts.add("depth", fmt::format("{}", *asked.depth));
}

}  // namespace

void add_trace_facts(const JobSpec& spec, const std::optional<TraceRecord>& record,
                     Fingerprint& fingerprint) {
  TraceFacts facts(fingerprint.facts);
  if (spec.trace && record && record->skipped.empty()) {
    const TraceSpec& asked = *spec.trace;
    facts.add("tracer", asked.function_graph ? "function_graph" : "events");
    if (asked.function_graph) add_functions(*asked.function_graph, facts);
    std::vector<std::string> events;
    for (const EventSpec& event : asked.events) events.push_back(words_of(event));
    facts.add_list("events", std::move(events));
    if (asked.budget) facts.add("budget", rows::plain_number(100 * *asked.budget, 6) + " %");
    if (asked.workload_only) facts.add("workload_only", "true");
    if (!asked.cpus.empty()) facts.add("cpus", fmt::format("{}", fmt::join(asked.cpus, ",")));

    if (asked.buffer_bytes) facts.add("buffer_bytes", fmt::format("{}", *asked.buffer_bytes));
    if (!record->clock.empty()) facts.add("clock", record->clock);
  } else {
    facts.add("tracer", "none");
  }
  std::ranges::sort(fingerprint.facts);
}

}  // namespace netperfd::core
