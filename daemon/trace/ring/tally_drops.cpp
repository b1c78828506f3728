// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/tally_drops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "daemon/trace/ring/event_fields.hpp"

namespace netperfd::trace {
namespace {

constexpr std::string_view kUnknown = "unknown";
constexpr std::string_view kReasonPrefix = "SKB_DROP_REASON_";

std::string reason_name(const FieldFormat* field, std::uint64_t value) {
  if (field == nullptr) return std::string(kUnknown);
  auto name = name_of_value(*field, value);
  if (name.empty()) return fmt::format("{}", value);
  if (name.starts_with(kReasonPrefix)) name.erase(0, kReasonPrefix.size());
  return name;
}

std::string location_name(std::uint64_t address, const Symbols& symbols) {
  if (address == 0) return std::string(kUnknown);
  auto name = symbols.function(address);
  return name.empty() ? symbols.token(address) : name;
}

}  // namespace

DropTable::DropTable(std::size_t limit, const EventFormat* format)
    : limit_(limit),
      reason_(format == nullptr ? nullptr : format->field("reason")),
      location_(format == nullptr ? nullptr : format->field("location")) {}

void DropTable::add(std::span<const std::byte> record) {
  Pair pair;
  if (reason_ != nullptr) pair.reason = read_number(record, *reason_).value;
  if (location_ != nullptr) pair.location = read_number(record, *location_).value;
  if (const auto known = counts_.find(pair); known != counts_.end()) {
    ++known->second;
  } else if (counts_.size() < limit_) {
    counts_.emplace(pair, 1);
  } else {
    ++others_;
  }
}

std::vector<DropCount> DropTable::drops(const Symbols& symbols) const {
  std::map<std::pair<std::string, std::string>, std::uint64_t>
      named;  // a function may free at several addresses
  for (const auto& [pair, count] : counts_) {
    named[{reason_name(reason_, pair.reason), location_name(pair.location, symbols)}] += count;
  }
  if (others_ > 0) named[{"others", "others"}] += others_;
  std::vector<DropCount> result;
  result.reserve(named.size());
  for (const auto& [names, count] : named) result.push_back({names.first, names.second, count});
  std::stable_sort(result.begin(), result.end(),
                   [](const DropCount& left, const DropCount& right) { return left.count > right.count; });
  return result;
}

}  // namespace netperfd::trace
