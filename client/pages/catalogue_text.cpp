// SPDX-License-Identifier: GPL-2.0-or-later
// What the kernel can trace: modules, functions, events, tracers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "client/pages/render.hpp"
#include "client/terminal/escaped.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl {
namespace {

const char* module_state(const ModuleView& module) {
  if (module.built_in.value_or(false)) return "built in";
  if (!module.loaded) return "-";
  return *module.loaded ? "loaded" : "not loaded";
}

// "text" in lines of the screen's width, those after the first behind `indent` columns.
std::string hanging(const Screen& screen, const std::string& lead, std::string_view text) {
  const std::size_t indent = display_width(lead);
  const std::size_t room = prose_width(screen) - std::min(prose_width(screen) - 1, indent);
  return fmt::format("{}{}\n", lead, fmt::join(wrap(text, room), "\n" + std::string(indent, ' ')));
}

std::string size_text(std::uint32_t bytes) {
  return bytes == 0 ? "dynamic" : fmt::format("{}", bytes);
}

std::string fields_table(const Screen& screen, const std::vector<EventFieldView>& fields) {
  std::vector<Cells> rows;
  for (const EventFieldView& field : fields) {
    rows.push_back({{field.name},
                    {field.type.value_or("-")},
                    {or_dash(field.size, size_text)},
                    {or_dash(field.offset, [](std::uint32_t bytes) { return fmt::format("{}", bytes); })},
                    {!field.is_signed   ? "-"
                     : *field.is_signed ? "yes"
                                        : "no"}});
  }
  if (rows.empty()) return "It has no fields of its own.\n";
  return render_table(screen,
                      {{.title = "FIELD"},
                       {.title = "TYPE", .shrink_to = 20},
                       {.title = "BYTES", .right = true},
                       {.title = "AT", .right = true},
                       {.title = "SIGNED"}},
                      std::move(rows));
}

// The `)` that belongs to the `(` before `at`; the end of `text` where there is none.
std::size_t closing(std::string_view text, std::size_t at) {
  bool quoted = false;
  for (std::size_t depth = 1; at < text.size(); ++at) {
    if (quoted && text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[at] == '(') {
      ++depth;
    } else if (!quoted && text[at] == ')' && --depth == 0) {
      return at;
    }
  }
  return text.size();
}

// How the kernel prints an event, without the lists of names: they stand above, field by field.
std::string without_lists(std::string_view print) {
  std::string text;
  while (!print.empty()) {
    const std::size_t list = std::min(print.find("__print_symbolic("), print.find("__print_flags("));
    text += print.substr(0, list);
    if (list == std::string_view::npos) break;
    print.remove_prefix(print.find('(', list) + 1);
    const std::size_t end = closing(print, 0);
    const std::string_view arguments = print.substr(0, end);
    // A first argument with a comma of its own is in parentheses, and commas within are few: to the first one
    // outside of them.
    std::size_t comma = 0;
    for (std::size_t depth = 0; comma < arguments.size(); ++comma) {
      const char c = arguments[comma];
      if (c == '(') ++depth;
      if (c == ')') --depth;
      if (c == ',' && depth == 0) break;
    }
    text.append(arguments.substr(0, comma)).append(" as above");
    print.remove_prefix(std::min(print.size(), end + 1));
  }
  return text;
}

// A condition that the kernel takes: it compares with numbers, names of values it does not know.
std::string example_filter(const std::vector<EventFieldView>& fields) {
  for (const EventFieldView& field : fields) {
    if (!field.values || field.values->empty()) continue;
    // Not the first ones, which stand for "none" and the like.
    const std::string& value = field.values->at(std::min<std::size_t>(4, field.values->size() - 1));
    return fmt::format("{} == {}", field.name, value.substr(0, value.find('=')));
  }
  for (const EventFieldView& field : fields) {
    const std::string type = field.type.value_or("*");
    if (type.find_first_of("*[") == std::string::npos && field.size.value_or(0) > 0)
      return fmt::format("{} > 0", field.name);
  }
  return {};
}

std::string in_a_job(const EventView& event, const std::vector<EventFieldView>& fields) {
  const std::string filter = example_filter(fields);
  if (filter.empty()) return fmt::format("in a job: trace: {{events: [{}]}}", event.name);
  return fmt::format("in a job: trace: {{events: [{{name: {}, filter: '{}'}}]}}", event.name, filter);
}

// The names of each system's events, without the system.
using EventSystems = std::map<std::string, std::vector<std::string>>;

std::string systems_text(const Screen& screen, const EventSystems& systems, std::size_t width) {
  std::string text;
  for (const auto& [system, names] : systems) {
    text += hanging(screen, fmt::format("{:<{}}  ", system, width), fmt::format("{}", fmt::join(names, " ")));
  }
  return text;
}

}  // namespace

std::string modules_text(const Screen& screen, std::span<const ModuleView> modules,
                         std::string_view pattern) {
  if (modules.empty() && !pattern.empty())
    return fmt::format("No module of this kernel is called `{}`.\n", printable(pattern));
  if (modules.empty()) {
    return "No module is loaded: this kernel may have everything built in. A GLOB also lists those that "
           "could "
           "be loaded.\n";
  }
  std::vector<Cells> rows;
  std::vector<Cell> notes;
  for (const ModuleView& raw : modules) {
    const ModuleView module = escaped(raw);
    rows.push_back({{module.name}, {module_state(module)}, {or_dash(module.functions, format_count)}});
    notes.push_back({module.hint.value_or("")});
  }
  const bool told = std::ranges::any_of(modules, [](const ModuleView& m) { return m.functions.has_value(); });
  std::string text = render_table(
      screen,
      {{.title = "MODULE", .shrink_to = 20}, {.title = "STATE"}, {.title = "FUNCTIONS", .right = true}},
      std::move(rows), std::move(notes));
  if (!told) {
    text +=
        "The kernel does not tell which of their functions can be traced; `netperfctl doctor` says why.\n";
  }
  return text;
}

std::string functions_text(const Screen& screen, const FunctionPage& page, std::string_view raw_pattern) {
  const std::string pattern = printable(raw_pattern);
  if (page.functions.empty()) {
    if (pattern.empty()) return "No function can be traced; `netperfctl doctor` says why.\n";
    if (page.nearest.empty()) return fmt::format("No traceable function fits `{}`.\n", pattern);
    std::vector<std::string> nearest;
    for (const std::string& name : page.nearest) nearest.push_back(printable(name));
    return hanging(screen, "",
                   fmt::format(
                       "No traceable function is called `{}`: it may be inlined, marked notrace, or renamed.",
                       pattern)) +
           hanging(screen, "Nearest: ", fmt::format("{}", fmt::join(nearest, ", ")));
  }
  std::vector<Cells> rows;
  for (const FunctionView& raw : page.functions) {
    const FunctionView function = escaped(raw);
    rows.push_back({{function.name}, {function.module.value_or("")}});
  }
  std::string text =
      render_table(screen, {{.title = "FUNCTION", .shrink_to = 30}, {.title = "MODULE", .optional = true}},
                   std::move(rows));
  if (page.functions.size() < page.total) {
    text += fmt::format("showing {} of {}: --all\n", format_count(page.functions.size()),
                        format_count(page.total));
  }
  return text;
}

std::string events_text(const Screen& screen, std::span<const EventView> events) {
  if (events.empty()) return "No event fits.\n";
  EventSystems allowed;
  EventSystems others;
  std::set<std::string> systems;
  std::size_t widest = 0;
  for (const EventView& raw : events) {
    const std::string name = printable(raw.name);
    const std::size_t colon = name.find(':');
    const std::string system = colon == std::string::npos ? "" : name.substr(0, colon);
    (raw.allowed.value_or(true) ? allowed : others)[system].push_back(
        name.substr(colon == std::string::npos ? 0 : colon + 1));
    systems.insert(system);
    widest = std::max(widest, display_width(system));
  }
  widest = std::min<std::size_t>(widest, 20);
  std::string text = systems_text(screen, allowed, widest);
  if (!others.empty()) {
    if (!text.empty()) text += "\n";
    text += paint(screen, Style::faint,
                  "only for root and scenarios that root installed (trace.events of netperfd.yaml)") +
            "\n";
    text += systems_text(screen, others, widest) + "\n";
  }
  const std::string systems_words = plural(systems.size(), "system");
  return text + fmt::format("{} event{} of {}; `netperfctl events SYSTEM:EVENT` shows the fields of one.\n",
                            format_count(events.size()), events.size() == 1 ? "" : "s", systems_words);
}

std::string event_text(const Screen& screen, const EventDetails& raw) {
  const EventView event = escaped(raw.event);
  const std::vector<EventFieldView> fields = escaped(raw.fields);
  std::string text = paint(screen, Style::strong, event.name);
  if (event.id) text += fmt::format(", id {}", *event.id);
  if (!event.allowed.value_or(true)) text += ", only for root and scenarios that root installed";
  text += "\n\n" + fields_table(screen, fields);
  text += "\n" + paint(screen, Style::faint, in_a_job(event, fields)) + "\n";
  for (const EventFieldView& field : fields) {
    if (!field.values || field.values->empty()) continue;
    text += "\n" + hanging(screen, field.name + "  ", fmt::format("{}", fmt::join(*field.values, " ")));
  }
  if (event.print) {
    const bool listed = std::ranges::any_of(
        fields, [](const EventFieldView& field) { return field.values && !field.values->empty(); });
    text += "\n" + hanging(screen, "prints  ", listed ? without_lists(*event.print) : *event.print);
  }
  return text;
}

std::string tracers_text(const Screen& screen, std::span<const TracerView> tracers) {
  if (tracers.empty()) return "The kernel has no tracer; `netperfctl doctor` says what it has.\n";
  std::vector<Cells> rows;
  for (const TracerView& raw : tracers) {
    const TracerView tracer = escaped(raw);
    rows.push_back({{tracer.name}, {tracer.current.value_or(false) ? "current" : ""}});
  }
  return render_table(screen, {{.title = "TRACER"}, {.title = "TOP INSTANCE", .optional = true}},
                      std::move(rows));
}

}  // namespace netperfctl
