// SPDX-License-Identifier: GPL-2.0-or-later
// The pages of `db`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <vector>

#include "client/pages/render.hpp"
#include "client/terminal/escaped.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/times.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl {
namespace {

std::string damaged_text(const char* what, const std::vector<std::uint64_t>& numbers) {
  return numbers.empty() ? "" : fmt::format("  damaged {}: {}\n", what, fmt::join(numbers, ", "));
}

}  // namespace

std::string store_text(const StoreView& raw) {
  const StoreView store = escaped(raw);
  std::string text = store.problems.empty() ? "The store is whole.\n"
                                            : fmt::format("The store is DAMAGED: {}.\n",
                                                          plural(store.problems.size(), "problem"));
  for (const std::string& problem : store.problems) text += fmt::format("  {}\n", problem);
  text += damaged_text("runs", store.damaged_runs) + damaged_text("jobs", store.damaged_jobs);
  if (!store.problems.empty()) {
    text += "  what to do: restore a backup (netperfctl db restore FILE)";
    if (!store.damaged_runs.empty() || !store.damaged_jobs.empty())
      text += ", or delete what is damaged (netperfctl delete)";
    text += ".\n";
  }
  text += fmt::format("  schema     version {}", store.version);
  if (store.newest_version != store.version) text += fmt::format(", netperfd knows {}", store.newest_version);
  text += fmt::format("\n  holds      {}, {}\n", plural(store.jobs, "job"), plural(store.runs, "run"));
  text += fmt::format("  size       {}, {} of it unused\n", format_bytes(store.bytes),
                      format_bytes(store.unused_bytes));
  if (store.disk_free_bytes)
    text += fmt::format("  disk       {} free\n", format_bytes(*store.disk_free_bytes));
  return text;
}

std::string restored_text(const RestoredView& raw) {
  const RestoredView restored = escaped(raw);
  std::string text = fmt::format("restored: {}, {}, schema version {}", plural(restored.jobs, "job"),
                                 plural(restored.runs, "run"), restored.version);
  if (restored.from_version != restored.version) text += fmt::format(", from {}", restored.from_version);
  return text + fmt::format("\nThe store as it was before is in {}\n", restored.kept);
}

std::string pruned_text(const Screen& screen, std::span<const OldJobView> jobs, bool dry_run) {
  if (jobs.empty()) return "Nothing is old enough.\n";
  std::vector<Cells> rows;
  std::uint64_t runs = 0, bytes = 0;
  for (const OldJobView& each : jobs) {
    const OldJobView job = escaped(each);
    runs += job.runs;
    bytes += job.stored_bytes;
    rows.push_back({{fmt::format("{}", job.job)},
                    {job.scenario},
                    {job.label},
                    {format_time(job.ended_us, screen.now_us)},
                    {fmt::format("{}", job.runs)},
                    {format_bytes(job.stored_bytes)},
                    {job.why}});
  }
  return render_table(screen,
                      {{"JOB", true},
                       {"SCENARIO", false, 8},
                       {"LABEL", false, 6, true},
                       {"ENDED"},
                       {"RUNS", true},
                       {"SIZE", true},
                       {"WHY", false, 10}},
                      rows) +
         fmt::format("{}: {} with {}, {}\n", dry_run ? "would be deleted" : "deleted",
                     plural(jobs.size(), "job"), plural(runs, "run"), format_bytes(bytes));
}

}  // namespace netperfctl
