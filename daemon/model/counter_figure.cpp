// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/counter_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <ranges>
#include <utility>

#include "daemon/model/nearest.hpp"
#include "daemon/model/text.hpp"

namespace netperfd {
namespace {

constexpr std::string_view kPrefix = "counter.";
constexpr std::string_view kDevice = "nic", kDriver = "ethtool", kQueue = "qdisc";
// Those of a network namespace, and those of the machine.
constexpr std::array<std::string_view, 3> kOfNamespace{"snmp", "snmp6", "netstat"};
constexpr std::array<std::string_view, 5> kOfMachine{"softnet", "softirqs", "interrupts", "cpu", "perf"};
// Of these, less is always better: each is work that somebody has to do.
constexpr std::array<std::string_view, 4> kCosts{"softirqs", "interrupts", "cpu", "perf"};

// In small letters, as parts of the name of a counter of which less is better.
constexpr std::array<std::string_view, 27> kBad{
    "drop",    "err",       "discard", "retrans",   "retries",    "timeout",   "lost",
    "loss",    "fail",      "miss",    "overlimit", "requeue",    "overflow",  "overrun",
    "squeeze", "collision", "abort",   "reset",     "noroute",    "nohandler", "fifo",
    "prune",   "nobuf",     "dup",     "ofo",       "flow_limit", "noports"};

struct QueueCount {
  std::string_view name;
  std::uint64_t QueueSample::* member;
};
constexpr std::array<QueueCount, 5> kQueueCounts{{{"sent_bytes", &QueueSample::sent_bytes},
                                                  {"sent_packets", &QueueSample::sent_packets},
                                                  {"drops", &QueueSample::drops},
                                                  {"overlimits", &QueueSample::overlimits},
                                                  {"requeues", &QueueSample::requeues}}};

bool is_among(std::string_view word, const auto& words) {
  return std::ranges::find(words, word) != words.end();
}

std::string name_of(std::string_view object, std::string_view part, std::string_view netns,
                    std::string_view counter) {
  return fmt::format("{}{}{}{}{}{}.{}", kPrefix, object, part.empty() ? "" : "/", part,
                     netns.empty() ? "" : "@", netns, counter);
}

// "cpu0" and the rest of "cpu0 dropped"; otherwise nothing and all.
std::pair<std::string_view, std::string_view> split_cpu(std::string_view name) {
  const std::size_t blank = name.find(' ');
  if (!name.starts_with("cpu") || blank == std::string_view::npos) return {"", name};
  return {name.substr(0, blank), name.substr(blank + 1)};
}

// The last part of the name of a figure. It may have more than the counter's name if that has a '.'.
std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

std::string queue_figure(const QueueSample& queue, std::string_view counter) {
  return name_of(queue.device, queue.kind, queue.netns, counter);
}

std::optional<double> queue_rate(const FigureReadings& run, std::string_view name) {
  const auto count = std::ranges::find(kQueueCounts, last_part(name), &QueueCount::name);
  if (count == kQueueCounts.end()) return std::nullopt;
  bool found = false;
  std::uint64_t sum = 0;
  std::chrono::microseconds time{0};
  for (const QueueSample& queue : run.queues) {
    time = std::max(time, queue.time);
    if (queue_figure(queue, count->name) != name) continue;
    found = true;
    sum += queue.*count->member;
  }
  if (!found || time.count() <= 0) return std::nullopt;
  return static_cast<double>(sum) * 1e6 / static_cast<double>(time.count());
}

}  // namespace

bool is_counter_figure(std::string_view name) {
  return name.starts_with(kPrefix);
}

std::string wrong_counter_figure(std::string_view name) {
  const std::string_view rest = name.substr(std::min(kPrefix.size(), name.size()));
  const std::size_t dot = rest.find('.');
  if (dot == 0 || dot == std::string_view::npos || rest.ends_with('.'))
    return "is not counter.OBJECT.NAME, such as counter.eth0@left.rx_packets or counter.softnet.dropped";
  if (name.size() > kCounterFigureName) return fmt::format("is longer than {} bytes", kCounterFigureName);
  return is_printable(name) ? "" : "is not a printable line";
}

std::string counter_figure_of(const CounterDelta& counter) {
  const std::string_view name = counter.name;
  if (counter.source == kDevice || counter.source == kDriver) {
    const std::size_t blank = name.find(' ');
    if (blank == std::string_view::npos) return {};
    return name_of(name.substr(0, blank), counter.source == kDriver ? kDriver : "", counter.netns,
                   name.substr(blank + 1));
  }
  if (is_among(counter.source, kOfNamespace)) return name_of(counter.source, "", counter.netns, name);
  if (!is_among(counter.source, kOfMachine)) return {};
  const auto [cpu, rest] = split_cpu(name);
  return name_of(counter.source, cpu, counter.netns, rest);
}

std::vector<std::string> queue_figures_of(std::string_view device, std::string_view netns,
                                          std::string_view kind) {
  std::vector<std::string> names;
  for (const QueueCount& count : kQueueCounts) names.push_back(name_of(device, kind, netns, count.name));
  return names;
}

std::vector<std::string> counter_figures_of(const FigureReadings& run) {
  std::vector<std::string> names;
  for (const CounterDelta& counter : run.counters) {
    if (std::string name = counter_figure_of(counter); !name.empty()) names.push_back(std::move(name));
  }
  for (const QueueSample& queue : run.queues) {
    for (std::string& name : queue_figures_of(queue.device, queue.netns, queue.kind))
      names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> nearest_counters(std::string_view name, const std::vector<std::string>& names) {
  // What follows a '.' would count for a compiler's suffix, which may differ.
  const auto without_dots = [](std::string text) {
    std::ranges::replace(text, '.', ' ');
    return text;
  };
  std::map<std::string, std::string_view> candidates;
  for (const std::string& each : names) candidates.emplace(without_dots(each), each);
  const auto keys = std::views::keys(candidates);
  const std::vector<std::string_view> words(keys.begin(), keys.end());
  std::vector<std::string> found;
  for (const std::string& each : nearest_names(without_dots(std::string{name}), words))
    found.emplace_back(candidates.at(each));
  if (!found.empty()) return found;
  for (const auto& [words_of, each] : candidates) {
    if (found.size() < kNearestNames && last_part(each) == last_part(name)) found.emplace_back(each);
  }
  return found;
}

std::optional<double> counter_rate(const FigureReadings& run, std::string_view name) {
  const auto found = std::ranges::find_if(
      run.counters, [&](const CounterDelta& counter) { return counter_figure_of(counter) == name; });
  if (found == run.counters.end()) return queue_rate(run, name);
  if (!run.window_ns || *run.window_ns == 0) return std::nullopt;
  return static_cast<double>(found->delta) * 1e9 / static_cast<double>(*run.window_ns);
}

std::string_view source_of_counter(std::string_view name) {
  const std::string_view rest = name.substr(std::min(kPrefix.size(), name.size()));
  const auto begins_with = [&](std::string_view word) {
    return rest.starts_with(word) && rest.size() > word.size() &&
           std::string_view{"./@"}.contains(rest[word.size()]);
  };
  for (const std::string_view word : kOfNamespace) {
    if (begins_with(word)) return word;
  }
  for (const std::string_view word : kOfMachine) {
    if (begins_with(word)) return word;
  }
  // No device and no namespace has a '/' in its name.
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return kDevice;
  const std::string_view part = rest.substr(slash + 1);
  return part.starts_with("ethtool.") || part.starts_with("ethtool@") ? kDriver : kQueue;
}

std::string_view unit_of_counter(std::string_view name) {
  const std::string_view last = last_part(name);
  if (source_of_counter(name) == "cpu") return "ns_per_second";
  return last.ends_with("bytes") || last.ends_with("Octets") ? "bytes_per_second" : "per_second";
}

Better better_of_counter(std::string_view name) {
  if (is_among(source_of_counter(name), kCosts)) return Better::lower;
  std::string last{last_part(name)};
  std::ranges::transform(last, last.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool bad = std::ranges::any_of(kBad, [&](std::string_view word) { return last.contains(word); });
  return bad ? Better::lower : Better::higher;
}

}  // namespace netperfd
