// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/event_patterns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstddef>

namespace netperfd {
namespace {

constexpr std::size_t kMaxPattern = 128;

bool is_name_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

// The word of the filter that is the name of a program's field, outside of quoted texts and of lists of CPUs;
// empty if there is none. With such a filter and the number of events, anybody could find out the programs of
// others.
std::string_view field_of_names(std::string_view filter) {
  while (!filter.empty()) {
    const char first = filter.front();
    if (first == '"' || first == '\'') {
      filter.remove_prefix(std::min(filter.find(first, 1), filter.size() - 1) + 1);
      continue;
    }
    const auto end = std::ranges::find_if_not(filter, is_name_character);
    const auto word = filter.substr(0, static_cast<std::size_t>(end - filter.begin()));
    if (word == "comm" || word == "COMM" || word.ends_with("_comm")) return word;
    filter.remove_prefix(std::max<std::size_t>(word.size(), 1));
    // A quotation mark in such a list begins no text.
    if (word == "CPUS" && filter.starts_with('{'))
      filter.remove_prefix(std::min(filter.find('}'), filter.size()));
  }
  return {};
}

}  // namespace

bool is_event_pattern(std::string_view text) {
  if (text.starts_with('!')) text.remove_prefix(1);
  const auto colon = text.find(':');
  const auto fits = [](char c) { return is_name_character(c) || c == '-' || c == '*'; };
  return text.size() <= kMaxPattern && colon != std::string_view::npos && colon > 0 &&
         colon + 1 < text.size() && std::ranges::all_of(text.substr(0, colon), fits) &&
         std::ranges::all_of(text.substr(colon + 1), fits);
}

bool fits_event(const std::vector<std::string>& patterns, std::string_view event) {
  const std::string name(event);
  bool fits = false;
  for (const std::string& pattern : patterns) {
    const bool takes_back = pattern.starts_with('!');
    if (::fnmatch(pattern.c_str() + (takes_back ? 1 : 0), name.c_str(), 0) != 0) continue;
    if (takes_back) return false;
    fits = true;
  }
  return fits;
}

const std::vector<std::string>& network_events() {
  static const std::vector<std::string> events{
      "bridge:*", "fib:*", "fib6:*", "irq:softirq_*", "napi:*",         "neigh:*", "net:*",
      "qdisc:*",  "skb:*", "sock:*", "tcp:*",         "!tcp:tcp_probe", "udp:*",   "xdp:xdp_*"};
  return events;
}

std::string why_not_allowed(const EventSpec& event, const std::vector<std::string>& allowed) {
  if (!fits_event(allowed, event.name)) return "may show what other users do";
  const auto field = field_of_names(event.filter);
  if (field.empty()) return {};
  return fmt::format("has a filter on {}, which would find out the programs of other users", field);
}

std::string events_beyond(const TraceSpec& spec, const std::vector<std::string>& allowed) {
  std::string refused;
  for (const EventSpec& event : spec.events) {
    const std::string why = why_not_allowed(event, allowed);
    if (!why.empty()) refused += fmt::format("{}{} {}", refused.empty() ? "" : "; ", event.name, why);
  }
  if (refused.empty()) return {};
  return fmt::format(
      "trace.events: {}. The key trace.events of netperfd's configuration allows {}; others are for "
      "root and for scenarios that root installed, as they are",
      refused, fmt::join(allowed, ", "));
}

}  // namespace netperfd
