// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/readings.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "daemon/counters/proc_file.hpp"

namespace netperfd::counters {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::array<std::string_view, 7> kNoCounters{"IpForwarding", "IpDefaultTTL", "TcpRtoAlgorithm",
                                                      "TcpRtoMin",    "TcpRtoMax",    "TcpMaxConn",
                                                      "TcpCurrEstab"};

std::optional<std::uint64_t> value_of(std::string_view word, int base = 10) {
  return parse_number<std::uint64_t>(word, base);
}

// The CPUs of a header line such as "CPU0 CPU2".
std::vector<std::uint32_t> columns_of(std::string_view line) {
  std::vector<std::uint32_t> cpus;
  for (const std::string_view word : words_of(line)) {
    if (!word.starts_with("CPU")) return {};
    const auto cpu = parse_number<std::uint32_t>(word.substr(3));
    if (!cpu) return {};
    cpus.push_back(*cpu);
  }
  return cpus;
}

// A line below such a header: its label without the colon, the values that follow, and the rest.
struct LabelledLine {
  std::string_view label;
  std::vector<std::uint64_t> values;
  std::string_view rest;
};

std::optional<LabelledLine> labelled(std::string_view line, std::size_t columns) {
  const Words words = words_of(line);
  if (words.empty() || !words.front().ends_with(':')) return std::nullopt;
  LabelledLine found;
  found.label = words.front().substr(0, words.front().size() - 1);
  for (const std::string_view word : words) {
    if (word.data() == words.front().data()) continue;
    const auto value = found.values.size() < columns ? value_of(word) : std::nullopt;
    if (!value) {
      found.rest = line.substr(static_cast<std::size_t>(word.data() - line.data()));
      break;
    }
    found.values.push_back(*value);
  }
  return found;
}

// "PCI-MSI-0000:01:00.0   1-edge      eth0-TxRx-1": the handlers' names follow the last two blanks. A line
// without handlers ends with the type of its trigger.
std::string interrupt_name(const LabelledLine& line) {
  if (!value_of(line.label)) return std::string{line.label};
  const std::size_t end = line.rest.find_last_not_of(' ');
  const std::string_view rest = line.rest.substr(0, end == std::string_view::npos ? 0 : end + 1);
  const std::size_t blanks = rest.rfind("  ");
  const std::string_view action = blanks == std::string_view::npos ? "" : rest.substr(blanks + 2);
  const bool trigger = action.ends_with("-edge") || action.ends_with("-fasteoi") ||
                       action.ends_with("Level") || action.ends_with("Edge");
  return std::string{action.empty() || trigger ? line.label : action};
}

template <class Name>
Readings parse_columns(std::string_view text, Name name_of) {
  const std::vector<std::uint32_t> cpus = columns_of(take_line(text));
  Readings readings;
  while (!text.empty()) {
    const auto line = labelled(take_line(text), cpus.size());
    if (!line) continue;
    const std::string name = name_of(*line);
    // "ERR" and "MIS" count for the whole machine.
    const bool of_cpus = line->values.size() == cpus.size();
    if (!of_cpus && line->values.size() != 1) continue;
    for (std::size_t i = 0; i < line->values.size(); ++i) {
      readings.push_back({name, of_cpus ? std::optional{cpus[i]} : std::nullopt, line->values[i]});
    }
  }
  return readings;
}

}  // namespace

Readings parse_snmp(std::string_view text) {
  Readings readings;
  while (!text.empty()) {
    const Words names = words_of(take_line(text));
    const Words values = words_of(take_line(text));
    if (names.empty() || values.empty() || names.front() != values.front()) continue;
    const std::string_view group = names.front().substr(0, names.front().find(':'));
    for (std::size_t i = 1; i < std::min(names.size(), values.size()); ++i) {
      std::string name{group};
      name += names[i];
      const auto value = value_of(values[i]);
      if (value && std::ranges::find(kNoCounters, name) == kNoCounters.end()) {
        readings.push_back({std::move(name), {}, *value});
      }
    }
  }
  return readings;
}

Readings parse_snmp6(std::string_view text) {
  Readings readings;
  while (!text.empty()) {
    const Words words = words_of(take_line(text));
    if (words.size() != 2) continue;
    if (const auto value = value_of(words[1])) readings.push_back({std::string{words[0]}, {}, *value});
  }
  return readings;
}

Readings parse_softnet(std::string_view text) {
  struct Column {
    std::size_t index;
    const char* name;
  };
  constexpr std::array<Column, 5> kCounters{
      {{0, "processed"}, {1, "dropped"}, {2, "time_squeeze"}, {9, "received_rps"}, {10, "flow_limit_count"}}};
  constexpr std::size_t kLeast = 9;
  constexpr std::size_t kCpuColumn = 12;
  Readings readings;
  for (std::uint32_t line = 0; !text.empty(); ++line) {
    const Words words = words_of(take_line(text));
    if (words.size() < kLeast) continue;
    std::uint32_t cpu = line;
    if (words.size() > kCpuColumn) {
      const auto told = parse_number<std::uint32_t>(words[kCpuColumn], 16);
      if (!told) continue;
      cpu = *told;
    }
    for (const Column& column : kCounters) {
      if (column.index >= words.size()) break;
      if (const auto value = value_of(words[column.index], 16))
        readings.push_back({column.name, cpu, *value});
    }
  }
  return readings;
}

Readings parse_softirqs(std::string_view text) {
  return parse_columns(text, [](const LabelledLine& line) { return std::string{line.label}; });
}

Readings parse_interrupts(std::string_view text) {
  return parse_columns(text, interrupt_name);
}

Readings parse_cpu_times(std::string_view text, std::uint64_t ticks_a_second, std::chrono::nanoseconds up) {
  const auto now = static_cast<std::uint64_t>(std::max(up.count(), std::int64_t{0}));
  constexpr std::uint64_t kSecond = 1'000'000'000;
  constexpr std::size_t kUpToSteal = 9;  // later columns are already contained in user and nice
  Readings readings;
  if (ticks_a_second == 0) return readings;
  while (!text.empty()) {
    const Words words = words_of(take_line(text));
    if (words.size() < kUpToSteal || !words[0].starts_with("cpu")) continue;
    const auto cpu = parse_number<std::uint32_t>(words[0].substr(3));
    if (!cpu) continue;
    std::array<std::uint64_t, kUpToSteal> ns{};
    for (std::size_t i = 1; i < kUpToSteal; ++i) {
      ns[i] = value_of(words[i]).value_or(0) * (kSecond / ticks_a_second);
    }
    const auto& [label, user, nice, system, idle, iowait, irq, softirq, steal] = ns;
    readings.push_back({"busy", cpu, now - std::min(now, idle + iowait)});
    readings.push_back({"user", cpu, user + nice});
    readings.push_back({"system", cpu, system});
    readings.push_back({"irq", cpu, irq});
    readings.push_back({"softirq", cpu, softirq});
    readings.push_back({"steal", cpu, steal});
    readings.push_back({"idle", cpu, idle + iowait});
  }
  return readings;
}

}  // namespace netperfd::counters
