// SPDX-License-Identifier: GPL-2.0-or-later
// The page of `log`.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "client/pages/render.hpp"
#include "client/terminal/escaped.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/times.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl {
namespace {

std::string user_of(const AuditView& entry, const UserNames& names) {
  if (!entry.user) return "netperfd";
  const auto name = names.find(*entry.user);
  return name == names.end() ? std::to_string(*entry.user) : name->second;
}

// "job 12", "run 43", "job 12, run 43"
std::string target_of(const AuditView& entry) {
  std::string target;
  if (entry.job) target = fmt::format("job {}", *entry.job);
  if (entry.run) target += fmt::format("{}run {}", target.empty() ? "" : ", ", *entry.run);
  return target;
}

}  // namespace

std::string audit_text(const Screen& screen, const AuditLogView& view, bool filtered) {
  if (view.entries.empty()) return filtered ? "No entry matches.\n" : "The log is empty.\n";
  std::vector<Cells> rows;
  std::vector<Cell> notes;
  for (const AuditView& raw : view.entries) {
    const AuditView entry = escaped(raw);
    const std::string outcome = entry.outcome.value_or("-");
    const bool repeated = entry.count.value_or(1) > 1;
    rows.push_back(
        {{or_dash(entry.last_us, [&](std::uint64_t time) { return format_time(time, screen.now_us); })},
         {printable(user_of(entry, view.names))},
         {entry.action.value_or("-")},
         {target_of(entry)},
         {outcome, outcome == "allowed" ? Style::plain : Style::bad},
         {repeated ? format_count(*entry.count) : ""}});
    notes.push_back({entry.detail.value_or("")});
  }
  std::string text = render_table(screen,
                                  {{.title = "TIME"},
                                   {.title = "USER", .shrink_to = 8},
                                   {.title = "ACTION"},
                                   {.title = "OF", .optional = true},
                                   {.title = "OUTCOME"},
                                   {.title = "TIMES", .right = true, .optional = true}},
                                  std::move(rows), std::move(notes), "DETAIL");
  if (view.more) {
    text += fmt::format("The newest {}; --all lists every entry, --limit N so many.\n", view.entries.size());
  }
  return text;
}

}  // namespace netperfctl
