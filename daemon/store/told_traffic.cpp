// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/told_traffic.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "daemon/model/units.hpp"

namespace netperfd::store {
namespace {

template <class Number>
std::optional<Number> number_of(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// As format_duration() writes it.
std::optional<std::chrono::milliseconds> duration_of(std::string text) {
  std::erase(text, ' ');
  return parse_duration(text);
}

}  // namespace

Traffic told_traffic(Traffic of_job, const std::vector<Fact>& facts) {
  Traffic told = of_job;
  for (const Fact& fact : facts) {
    if (fact.group != kIperf3Facts) continue;
    if (fact.key == "protocol") {
      told.protocol = parse_protocol(fact.value).value_or(told.protocol);
    } else if (fact.key == "direction") {
      told.direction = parse_direction(fact.value).value_or(told.direction);
    } else if (fact.key == "streams") {
      told.streams = number_of<std::uint32_t>(fact.value).value_or(told.streams);
    } else if (fact.key == "omit") {
      told.omit = duration_of(fact.value).value_or(told.omit);
    } else if (fact.key == "duration") {
      if (const auto duration = duration_of(fact.value)) {
        told.duration = duration;
        told.bytes.reset();
      }
    } else if (fact.key == "bytes") {
      if (const auto bytes = number_of<std::uint64_t>(fact.value)) {
        told.bytes = bytes;
        told.duration.reset();
      }
    }
  }
  return told;
}

}  // namespace netperfd::store
