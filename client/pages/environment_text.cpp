// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/environment_text.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "client/pages/show_parts.hpp"
#include "client/terminal/table.hpp"

namespace netperfctl::show {
namespace {

// A key of sysctl is a group of its own, with one fact or, in several network namespaces, a few: as one group
// of many facts it is easier to read. "sysctl:net.core.rmem_max", "value@ring-a" ->
// "net.core.rmem_max@ring-a".
FactView as_shown(const FactView& fact) {
  constexpr std::string_view kFamily = "sysctl:";
  constexpr std::string_view kValue = "value";
  if (!fact.group.starts_with(kFamily) || !fact.key.starts_with(kValue)) return fact;
  return {"sysctl", fact.group.substr(kFamily.size()) + fact.key.substr(kValue.size()), fact.value};
}

}  // namespace

std::string environment_part(const Screen& screen, const ShowView& view) {
  if (!view.list_environment) return {};
  if (!view.environment) return "\nThe environment of this run was not looked at.\n";
  const EnvironmentView& environment = *view.environment;
  std::string text = "\n";
  text += field(screen, "boot", environment.boot_id.empty() ? "not known" : environment.boot_id);
  for (const std::string& clause : environment.unknown)
    text += field(screen, "not known", clause, Style::faint);
  if (environment.facts.empty()) return text;
  std::vector<Cells> rows;
  std::string before;
  for (const FactView& each : environment.facts) {
    FactView fact = as_shown(each);
    const bool again = fact.group == before;
    before = fact.group;
    rows.push_back({{again ? "" : fact.group, Style::strong},
                    {std::move(fact.key)},
                    {fact.value.empty() ? "-" : std::move(fact.value)}});
  }
  constexpr std::size_t kLeast = 16;
  return text + "\n" +
         render_table(screen,
                      {{.title = "GROUP", .shrink_to = kLeast},
                       {.title = "FACT", .shrink_to = 2 * kLeast},
                       {.title = "VALUE", .shrink_to = kLeast}},
                      std::move(rows));
}

}  // namespace netperfctl::show
