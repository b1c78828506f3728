// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/reading_changes.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "daemon/model/units.hpp"
#include "dbus/rows/field.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd::import {
namespace {

constexpr const char* kNoRow = "none";
constexpr const char* kARow = "a row";

std::string words_of(const std::string& text) {
  return text.empty() ? "none" : text;
}
std::string words_of(const Endpoint& end) {
  return fmt::format("{} port {}", end.host, end.port);
}
std::string words_of(std::chrono::milliseconds time) {
  return format_duration(time);
}
std::string words_of(WallTime time) {
  return fmt::format("{} us", time.time_since_epoch().count());
}
template <class Value>
std::string words_of(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return std::string(to_string(value));
  } else {
    return fmt::format("{}", value);
  }
}
template <class Value>
std::string words_of(const std::optional<Value>& value) {
  return value ? words_of(*value) : "unknown";
}

std::string key_of(const Totals& totals) {
  const auto direction = to_string(totals.direction);
  return totals.stream ? fmt::format("stream {} {}", *totals.stream, direction)
                       : fmt::format("sum {}", direction);
}
std::string key_of(const Interval& interval) {
  return fmt::format("interval {} {} from {} s{}:", to_string(interval.direction),
                     interval.stream ? fmt::format("stream {}", *interval.stream) : "sum",
                     rows::plain_number(interval.start_s, 6), interval.omitted ? " omitted" : "");
}
std::string key_of(const QualityFlag& flag) {
  return fmt::format("flag {}", flag.code);
}
std::string key_of(const Fact& fact) {
  return fmt::format("fact {} {}", fact.group, fact.key);
}

// By the key, with a number from the second row of one key on.
template <class Row>
std::map<std::string, const Row*> by_key(const std::vector<Row>& rows) {
  std::map<std::string, std::size_t> seen;
  std::map<std::string, const Row*> found;
  for (const Row& row : rows) {
    const std::string key = key_of(row);
    const std::size_t number = ++seen[key];
    found.emplace(number == 1 ? key : fmt::format("{} ({})", key, number), &row);
  }
  return found;
}

class Differences {
 public:
  [[nodiscard]] std::vector<Change> take() { return std::move(changes_); }

  template <class Value>
  void compare(std::string_view figure, const Value& before, const Value& after) {
    if (before != after) changes_.push_back({std::string(figure), words_of(before), words_of(after)});
  }

  template <class Row>
  void compare(std::string_view list, const std::vector<Row>& before, const std::vector<Row>& after) {
    if (before == after) return;
    const std::size_t known = changes_.size();
    const auto old_rows = by_key(before), new_rows = by_key(after);
    for (const auto& [key, row] : old_rows) {
      const auto same = new_rows.find(key);
      if (same == new_rows.end()) {
        changes_.push_back({key, words_of_row(*row), kNoRow});
      } else {
        compare_row(key, *row, *same->second);
      }
    }
    for (const auto& [key, row] : new_rows) {
      if (!old_rows.contains(key)) changes_.push_back({key, kNoRow, words_of_row(*row)});
    }
    if (changes_.size() == known) changes_.push_back({fmt::format("{} order", list), "another", "iperf3's"});
  }

 private:
  template <class Row>
  static std::string words_of_row(const Row& row) {
    if constexpr (std::is_same_v<Row, QualityFlag>) {
      return row.message;
    } else if constexpr (std::is_same_v<Row, Fact>) {
      return row.value;
    } else {
      return kARow;
    }
  }

  template <class Row>
  void compare_row(const std::string& key, const Row& before, const Row& after) {
    if constexpr (std::is_same_v<Row, QualityFlag> || std::is_same_v<Row, Fact>) {
      compare(key, words_of_row(before), words_of_row(after));
    } else {
      rows::visit_fields(before, [&](const auto& field, const auto& value) {
        compare(fmt::format("{} {}", key, field.key), value, field.of(after));
      });
    }
  }

  std::vector<Change> changes_;
};

void compare_test(Differences& found, const core::RunReading::Test& before,
                  const core::RunReading::Test& after) {
  const TestSpec &old = before.asked, &now = after.asked;
  found.compare("asked protocol", old.traffic.protocol, now.traffic.protocol);
  found.compare("asked direction", old.traffic.direction, now.traffic.direction);
  found.compare("asked streams", old.traffic.streams, now.traffic.streams);
  found.compare("asked duration", old.traffic.duration, now.traffic.duration);
  found.compare("asked bytes", old.traffic.bytes, now.traffic.bytes);
  found.compare("asked omit", old.traffic.omit, now.traffic.omit);
  found.compare("asked server", old.path.server, now.path.server);
  found.compare("started", before.started, after.started);
  found.compare("facts", before.fingerprint.facts, after.fingerprint.facts);
}

}  // namespace

std::vector<Change> changes_between(const core::RunReading& stored, const core::RunReading& now) {
  Differences found;
  rows::visit_fields(stored.report, [&](const auto& field, const auto& before) {
    found.compare(field.key, before, field.of(now.report));
  });
  found.compare("flags", stored.flags, now.flags);
  found.compare("goodput_bytes", stored.goodput_bytes, now.goodput_bytes);
  if (stored.test && now.test) compare_test(found, *stored.test, *now.test);
  return found.take();
}

}  // namespace netperfd::import
