// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/noise_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/pages/show_parts.hpp"
#include "client/terminal/units.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfctl::show {
namespace {

using netperfd::rows::plain_number;

constexpr double kNs = 1e9;

class Figures {
 public:
  explicit Figures(const CountersView& counters) : counters_(counters) {}

  [[nodiscard]] std::optional<double> operator[](std::string_view name) const {
    const auto value = exact(name);
    return value ? std::optional{static_cast<double>(*value)} : std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> exact(std::string_view name) const {
    const auto found = std::ranges::find_if(counters_.counters, [&](const CounterView& each) {
      return each.source == "noise" && each.name == name;
    });
    if (found == counters_.counters.end()) return std::nullopt;
    return found->delta;
  }

 private:
  const CountersView& counters_;
};

// A part of `whole`, which is more than 0.
std::string share_of(double part, double whole) {
  return part <= 0 ? "0 %" : format_share(part / whole);
}

// What the busy time consists of, in hundredths of a second. The parts add up to the whole as they are
// printed: those with the largest remainders are rounded up.
std::string busy_words(const Figures& figures) {
  constexpr std::array kTerms{"workload", "netperfd", "others", "kernel", "unknown"};
  constexpr std::uint64_t kUnit = 10'000'000;
  struct Term {
    const char* name;
    std::uint64_t printed, remainder;
  };
  std::vector<Term> terms;
  std::uint64_t sum = 0, printed = 0;
  for (const char* name : kTerms) {
    const auto ns = figures.exact(name);
    if (!ns || *ns > std::numeric_limits<std::uint64_t>::max() - sum) return {};
    sum += *ns;
    printed += *ns / kUnit;
    terms.push_back({name, *ns / kUnit, *ns % kUnit});
  }
  if (figures.exact("busy") != sum) return {};
  const std::uint64_t whole = sum / kUnit + (sum % kUnit >= kUnit / 2 ? 1 : 0);
  for (; printed < whole; ++printed) {
    Term& largest = *std::ranges::max_element(terms, {}, &Term::remainder);
    ++largest.printed;
    largest.remainder = 0;
  }
  const auto seconds = [](std::uint64_t hundredths) {
    return fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
  };
  std::vector<std::string> words;
  for (const Term& term : terms) words.push_back(fmt::format("{} {}", term.name, seconds(term.printed)));
  std::string text = fmt::format("{} s busy = {}", seconds(whole), fmt::join(words, " + "));
  if (const auto error = figures["unknown_error"])
    text += fmt::format(", known to {} s", plain_number(*error / kNs, 2));
  return text;
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
  const auto unseen = figures["unknown_on_its_cpus"];
  if (unseen && *unseen > 0 && figures["unknown"] >= figures["unknown_error"])
    parts.push_back(fmt::format("unknown tasks {}", share_of(*unseen, time)));
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
  std::string text;
  if (const std::string busy = busy_words(figures); !busy.empty()) text = field(screen, "CPU time", busy);
  if (!parts.empty()) text += field(screen, "noise", fmt::format("{}", fmt::join(parts, ", ")));
  return text;
}

}  // namespace netperfctl::show
