// SPDX-License-Identifier: GPL-2.0-or-later
// The values in a line of the prober's output. Only for the files that read JSON, since it includes
// nlohmann/json.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "daemon/model/latency.hpp"

namespace netperfd::workload {

using Json = nlohmann::json;

// Null: there is none.
[[nodiscard]] inline const Json* value_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

// A number that is no count, or absent, makes the line damaged.
class LatencyLine {
 public:
  explicit LatencyLine(const Json& object) : object_(object) {}

  [[nodiscard]] std::uint64_t count(const char* key) {
    const Json* value = value_at(object_, key);
    if (value != nullptr && value->is_number_unsigned() && value->get<std::uint64_t>() < kMost) {
      return value->get<std::uint64_t>();
    }
    damaged_ = true;
    return 0;
  }
  [[nodiscard]] double seconds(const char* key) {
    const Json* value = value_at(object_, key);
    if (value != nullptr && value->is_number()) return value->get<double>();
    damaged_ = true;
    return 0;
  }
  [[nodiscard]] std::string text(const char* key) {
    const Json* value = value_at(object_, key);
    if (value != nullptr && value->is_string()) return value->get<std::string>();
    damaged_ = true;
    return {};
  }
  [[nodiscard]] bool damaged() const { return damaged_; }

 private:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;

  const Json& object_;
  bool damaged_ = false;
};

// A span of an interval or of a phase.
struct SpanValues {
  std::uint64_t count = 0, sum_ns = 0, min_ns = 0, max_ns = 0;
  Histogram histogram;
};

// Absent if it contradicts itself.
[[nodiscard]] std::optional<SpanValues> values_of(const Json& span);
void add(SpanValues& into, const SpanValues& from);
// Of values whose extremes are known exactly; absent if there are too few (daemon/model/percentile.hpp).
[[nodiscard]] std::optional<std::uint64_t> percentile(const SpanValues& values, double fraction);

}  // namespace netperfd::workload
