// SPDX-License-Identifier: GPL-2.0-or-later
// The page of `doctor`: one row per capability with advice below it, and a one-line summary.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "client/pages/doctor.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/escaped.hpp"
#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

constexpr const char* kBusRow = "system_bus";
constexpr const char* kDaemonRow = "netperfd";

Style style_of(std::string_view ability) {
  return ability == "yes" ? Style::good : ability == "no" ? Style::bad : Style::active;
}

// Lines of `text`, the first of which stands behind `lead` and the others below it.
void add_lines(const Screen& screen, std::string_view lead, std::string_view text,
               std::vector<std::string>& lines) {
  const std::size_t room = prose_width(screen);
  const auto wrapped = wrap(text, room - std::min(room - 1, display_width(lead)));
  for (const std::string& line : wrapped) {
    lines.push_back(std::string{lead} + line);
    lead = lead.empty() ? "" : "   ";
  }
}

std::string row_text(const Screen& screen, const CapabilityView& row, std::size_t ability_columns,
                     std::size_t name_columns) {
  const std::size_t indent = ability_columns + 2 + name_columns + 2;
  Screen beside = screen;  // what is left of it beside the first two columns
  constexpr std::size_t kFewest = 20;
  beside.width = std::max(kFewest, prose_width(screen) - std::min(prose_width(screen), indent));
  std::vector<std::string> lines;
  add_lines(beside, "", row.detail.value_or(""), lines);
  add_lines(beside, "-> ", row.advice.value_or(""), lines);
  const std::string gap(ability_columns - std::min(ability_columns, row.ability.size()), ' ');
  const std::string head = paint(screen, style_of(row.ability), row.ability) + gap + "  ";
  if (lines.empty()) return head + row.name + "\n";
  return fmt::format("{}{:<{}}  {}\n", head, row.name, name_columns,
                     fmt::join(lines, "\n" + std::string(indent, ' ')));
}

// The ability of the row of this name; where that is no, or there is none, the best of rows whose names begin
// with it: what the top instance refuses may go in one of netperfd's own.
std::string_view ability_of(std::span<const CapabilityView> rows, std::string_view name) {
  const auto exact = std::ranges::find(rows, name, &CapabilityView::name);
  std::string_view best = exact != rows.end() ? std::string_view{exact->ability} : std::string_view{};
  for (const CapabilityView& row : rows) {
    if (!best.empty() && best != "no") break;
    if (row.name.starts_with(name)) best = row.ability;
  }
  return best;
}

// "a, b and c"
std::string series(const std::vector<std::string>& words, std::string_view last) {
  std::string text = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) {
    text.append(i + 1 == words.size() ? last : ", ").append(words[i]);
  }
  return text;
}

std::string summary(std::span<const CapabilityView> rows) {
  const auto is_no = [&](const char* name) { return ability_of(rows, name) == "no"; };
  if (is_no(kBusRow) || is_no(kDaemonRow)) return "Nothing can be measured here before netperfd answers.";
  struct Purpose {
    const char* capability;
    const char* words;
  };
  constexpr std::array<Purpose, 4> kPurposes{{{"iperf3", "throughput"},
                                              {"latency_probes", "latency"},
                                              {"tracepoints", "kernel events"},
                                              {"function_graph", "time per kernel function"}}};
  std::vector<std::string> can;
  std::vector<std::string> cannot;
  for (const Purpose& purpose : kPurposes) {
    const std::string_view ability = ability_of(rows, purpose.capability);
    if (ability == "yes") can.emplace_back(purpose.words);
    if (ability == "limited") can.push_back(fmt::format("{} (with limits)", purpose.words));
    if (ability == "no") cannot.emplace_back(purpose.words);
  }
  if (can.empty() && cannot.empty()) return "What can be measured here is not known.";
  std::string text =
      can.empty() ? "Nothing can be measured here" : "Here netperfd can measure " + series(can, " and ");
  if (!cannot.empty()) text += "; not " + series(cannot, " or ");
  return text + ".";
}

struct Diagnosis {
  const char* detail;
  const char* advice;
};

Diagnosis diagnosis_of(Step step) {
  switch (step) {
    case Step::no_name:
      return {"it is not running, and the bus knows of nothing that would start it",
              "install netperfd, or start it: systemctl start netperfd\n"
              "just installed: systemctl daemon-reload; systemctl reload dbus"};
    case Step::start:
      return {"the bus tried to start it, and it could not be started",
              "its last words: journalctl -u netperfd -b -n 50\n"
              "its state: systemctl status netperfd"};
    case Step::policy:
      return {
          "the bus does not let you speak to it",
          "its policy must be in /usr/share/dbus-1/system.d/org.netperfd1.conf, and the bus must have read "
          "it: systemctl reload dbus"};
    case Step::bus:
    case Step::user:
    case Step::asked:
    case Step::answer:
      break;
  }
  return {"it is on the bus, or was, and did not answer",
          "its last words: journalctl -u netperfd -b -n 50\n"
          "where it hangs: systemctl restart netperfd"};
}

}  // namespace

std::vector<CapabilityView> unreachable_rows(const Failure& failure, const std::string& bus_address) {
  const std::string where = bus_address.empty() ? "" : " (DBUS_SYSTEM_BUS_ADDRESS is " + bus_address + ")";
  if (failure.step == Step::bus || failure.step == Step::user) {
    const char* start = bus_address.empty()
                            ? "start it: systemctl start dbus; in a container, mount the host's /run/dbus"
                            : "unset DBUS_SYSTEM_BUS_ADDRESS, or start the bus that it names";
    const char* user =
        "the bus is there and refuses this user; a user needs an entry in /etc/passwd where the "
        "bus runs (`getent passwd` with the number that `id -u` prints)";
    return {{.name = kBusRow,
             .ability = "no",
             .detail = failure.cause + where,
             .advice = failure.step == Step::user ? user : start},
            {.name = kDaemonRow,
             .ability = "no",
             .detail = "it is reached over the system bus only",
             .advice = {}}};
  }
  const Diagnosis diagnosis = diagnosis_of(failure.step);
  return {{.name = kBusRow, .ability = "yes", .detail = "it answers" + where, .advice = {}},
          {.name = kDaemonRow,
           .ability = "no",
           .detail = fmt::format("{}: {}", diagnosis.detail, failure.cause),
           .advice = diagnosis.advice}};
}

std::string doctor_text(const Screen& screen, std::span<const CapabilityView> capabilities) {
  std::vector<CapabilityView> rows(capabilities.begin(), capabilities.end());
  rows = escaped(std::move(rows));
  // JSON and CSV have them; here they would only hide what matters.
  std::erase_if(rows, [](const CapabilityView& row) {
    return row.detail && row.detail->ends_with("; not used by netperfd");
  });
  std::size_t ability_columns = 0;
  std::size_t name_columns = 0;
  for (const CapabilityView& row : rows) {
    ability_columns = std::max(ability_columns, row.ability.size());
    name_columns = std::max(name_columns, display_width(row.name));
  }
  std::string text;
  for (const CapabilityView& row : rows) text += row_text(screen, row, ability_columns, name_columns);
  return fmt::format("{}\n{}\n", text, fmt::join(wrap(summary(rows), prose_width(screen)), "\n"));
}

}  // namespace netperfctl
