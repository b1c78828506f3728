// SPDX-License-Identifier: GPL-2.0-or-later
// What CSV lacks, since the daemon's answers have a limited size. JSON has the same as a key of its own.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/pages/csv_table.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl {
namespace {

class Lacking {
 public:
  void add(const std::optional<std::uint64_t>& rows, std::string_view what) {
    if (rows.value_or(0) > 0) parts_.push_back(fmt::format("{} {}", format_count(*rows), what));
  }
  [[nodiscard]] std::string words() const {
    if (parts_.empty()) return {};
    return fmt::format("not listed: {}: too many for one answer of netperfd", fmt::join(parts_, ", "));
  }

 private:
  std::vector<std::string> parts_;
};

}  // namespace

std::string left_out_of_csv(const ShowView& view) {
  Lacking lacking;
  if (!view.trace) return {};
  const TraceView& trace = view.trace->trace;
  const CsvTable table = csv_table(view);
  if (table == CsvTable::drops) lacking.add(trace.drops_left_out, "kinds of drops");
  if (table == CsvTable::marks) lacking.add(trace.marks_left_out, "marks");
  if (table == CsvTable::cpus) lacking.add(trace.cpus_left_out, "CPUs");
  if (table == CsvTable::events_over_time) {
    lacking.add(trace.events_left_out, "events by name");
    lacking.add(trace.slices_left_out, "events over time");
  }
  return lacking.words();
}

std::string left_out_of_csv(const CompareView& view) {
  Lacking lacking;
  const bool figures = !view.asked.figures.empty() && view.details.comparison.figures;
  if (!figures) lacking.add(view.details.comparison.functions_left_out, "functions");
  return lacking.words();
}

}  // namespace netperfctl
