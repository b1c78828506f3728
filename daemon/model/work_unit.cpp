// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/work_unit.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace netperfd {
namespace {

constexpr double kBit = 1.0 / 8;
constexpr std::array<std::pair<std::string_view, CountedWork>, 14> kWork{
    {{"bit", {WorkUnit::byte, false, kBit}},
     {"bits", {WorkUnit::byte, false, kBit}},
     {"byte", {WorkUnit::byte, false, 1}},
     {"bytes", {WorkUnit::byte, false, 1}},
     {"packets", {WorkUnit::packet, false, 1}},
     {"frames", {WorkUnit::packet, false, 1}},
     {"datagrams", {WorkUnit::packet, false, 1}},
     {"transactions", {WorkUnit::transaction, false, 1}},
     {"requests", {WorkUnit::transaction, false, 1}},
     {"messages", {WorkUnit::transaction, false, 1}},
     {"operations", {WorkUnit::transaction, false, 1}},
     {"ops", {WorkUnit::transaction, false, 1}},
     {"queries", {WorkUnit::transaction, false, 1}},
     {"connections", {WorkUnit::transaction, false, 1}}}};
constexpr std::array<std::string_view, 3> kPerSecond{"/s", " per second", "_per_second"};

}  // namespace

std::string_view to_string(WorkUnit unit) {
  switch (unit) {
    case WorkUnit::byte:
      return "byte";
    case WorkUnit::packet:
      return "packet";
    case WorkUnit::transaction:
      return "transaction";
    case WorkUnit::second:
      return "second";
  }
  return {};
}

std::optional<CountedWork> work_in(std::string_view unit) {
  bool per_second = false;
  for (const std::string_view end : kPerSecond) {
    if (!unit.ends_with(end)) continue;
    unit.remove_suffix(end.size());
    per_second = true;
    break;
  }
  const auto* found = std::ranges::find(kWork, unit, &std::pair<std::string_view, CountedWork>::first);
  if (found == kWork.end()) return std::nullopt;
  CountedWork work = found->second;
  work.per_second = per_second;
  return work;
}

std::optional<OwnWork> own_work(std::span<const NamedFigure> figures, WorkUnit unit,
                                std::optional<double> seconds) {
  std::optional<OwnWork> found;
  for (const NamedFigure& figure : figures) {
    const auto work = work_in(figure.unit);
    if (!work || work->unit != unit) continue;
    if (found) return std::nullopt;
    if (work->per_second && !seconds) return std::nullopt;
    found = OwnWork{.amount = figure.value * work->each * (work->per_second ? *seconds : 1),
                    .figure = figure.name};
  }
  return found && found->amount > 0 ? found : std::nullopt;
}

}  // namespace netperfd
