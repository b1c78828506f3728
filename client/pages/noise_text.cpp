// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/noise_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "client/pages/show_parts.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::show {
namespace {

constexpr double kNs = 1e9;

class Figures {
 public:
  explicit Figures(const CountersView& counters) : counters_(counters) {}

  [[nodiscard]] std::optional<double> operator[](std::string_view name) const {
    const auto found = std::ranges::find_if(counters_.counters, [&](const CounterView& each) {
      return each.source == "noise" && each.name == name;
    });
    if (found == counters_.counters.end()) return std::nullopt;
    return static_cast<double>(found->delta);
  }

 private:
  const CountersView& counters_;
};

// A part of `whole`, which is more than 0.
std::string share_of(double part, double whole) {
  return part <= 0 ? "0 %" : format_share(part / whole);
}

void add_cpu_words(const Figures& figures, std::vector<std::string>& parts) {
  const auto window = figures["window"], cpus = figures["cpus"];
  if (!window || !cpus || *window <= 0 || *cpus <= 0) return;
  const double time = *window * *cpus;
  const auto others = figures["others"];
  if (const auto there = figures["others_on_its_cpus"] ? figures["others_on_its_cpus"] : others; there) {
    std::string text = fmt::format("others took {} of {}", share_of(*there, time),
                                   plural(static_cast<std::uint64_t>(*cpus), "CPU"));
    if (others && *others > 0) text += fmt::format(" ({} of CPU time in all)", format_seconds(*others / kNs));
    parts.push_back(std::move(text));
  }
  if (const auto steal = figures["steal_on_its_cpus"])
    parts.push_back(fmt::format("steal {}", share_of(*steal, time)));
  const auto throttled = figures["throttled"];
  if (throttled && *throttled > 0)
    parts.push_back(fmt::format("held {} by a limit of its cgroup", format_seconds(*throttled / kNs)));
  const auto heat = figures["heat_throttles"];
  if (heat && *heat > 0)
    parts.push_back(fmt::format("slowed {} by heat", plural(static_cast<std::uint64_t>(*heat), "time")));
  if (const auto hz = figures["frequency"]) parts.push_back(fmt::format("{:.2f} GHz", *hz / 1e9));
  if (const auto stall = figures["memory_stall"])
    parts.push_back(fmt::format("waits for memory {}", share_of(*stall, *window)));
}

void add_network_words(const Figures& figures, std::vector<std::string>& parts) {
  const auto all = figures["device_bytes"], foreign = figures["foreign_bytes"];
  if (all && foreign && *all > 0)
    parts.push_back(fmt::format("other traffic {} of its device's", share_of(*foreign, *all)));
  const auto moved = figures["moved_irqs"];
  if (moved && *moved > 0)
    parts.push_back(plural(static_cast<std::uint64_t>(*moved), "interrupt") + " moved");
  const auto asked = figures["asked_rate"], sent = figures["sent_rate"];
  if (asked && sent)
    parts.push_back(fmt::format("sent {} of {}", format_rate_like(*sent, *asked), format_rate(*asked)));
}

}  // namespace

std::string noise_part(const Screen& screen, const ShowView& view) {
  if (!view.counters) return {};
  const Figures figures{*view.counters};
  std::vector<std::string> parts;
  add_cpu_words(figures, parts);
  add_network_words(figures, parts);
  return parts.empty() ? "" : field(screen, "noise", fmt::format("{}", fmt::join(parts, ", ")));
}

}  // namespace netperfctl::show
