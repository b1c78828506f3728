// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/catalogue.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include "daemon/model/nearest.hpp"
#include "daemon/trace/ring/event_format.hpp"

namespace netperfd::trace {
namespace {

bool fits(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

template <class Container>
std::vector<std::string> nearest_of(const std::string& wanted, const Container& names) {
  return nearest_names(wanted, std::vector<std::string_view>(names.begin(), names.end()));
}

// "skb:kfree_skb" -> "events/skb/kfree_skb/format"; empty if it is not such a name, so that no name leads out
// of events/.
std::string format_path(const std::string& name) {
  const auto colon = name.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == name.size()) return "";
  const bool plain = std::all_of(name.begin(), name.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == ':';
  });
  if (!plain || name.find(':', colon + 1) != std::string::npos) return "";
  return fmt::format("events/{}/{}/format", name.substr(0, colon), name.substr(colon + 1));
}

core::EventFieldRow to_row(const FieldFormat& field) {
  core::EventFieldRow row;
  row.name = field.name;
  row.type = field.type;
  row.offset = field.offset;
  const bool dynamic = field.kind == FieldKind::data_loc || field.kind == FieldKind::rel_loc;
  row.size = dynamic ? 0 : field.size;
  row.is_signed = field.is_signed;
  for (const auto& [value, name] : field.names) {
    row.values.push_back(field.look == FieldLook::flags ? fmt::format("{:#x}={}", value, name)
                                                        : fmt::format("{}={}", value, name));
  }
  return row;
}

std::string hint_of(const std::string& name, const ModuleFacts& facts,
                    const std::optional<std::uint64_t>& functions) {
  if (facts.built_in) return "built in: its functions are the kernel's own, name them";
  if (!facts.loaded) return "modprobe " + name;
  if (functions == 0U) return "none of its functions can be traced: it was built without ftrace's hooks";
  return "";
}

}  // namespace

KernelCatalogue::KernelCatalogue(Tracefs& tracefs, CatalogueSettings settings)
    : tracefs_(tracefs),
      settings_(std::move(settings)),
      reasons_(settings_),
      doctor_(tracefs_, reasons_, settings_) {}

std::unexpected<Error> KernelCatalogue::refuse(const std::string& subject, const Error& error) {
  const bool absent = error.kind == ErrorKind::not_found;
  const Reason reason = absent ? reasons_.not_mounted() : reasons_.refused(error);
  std::string text = fmt::format("{}: {}", subject, reason.detail);
  if (!reason.advice.empty()) text += "; " + reason.advice;
  return fail(absent ? ErrorKind::unsupported : error.kind, text + '.');
}

std::vector<core::Capability> KernelCatalogue::capabilities(bool fresh) {
  return doctor_.examine(fresh);
}

Result<const FunctionList*> KernelCatalogue::function_list() {
  std::string key = loaded_modules_key(settings_.proc, settings_.sys);
  if (!functions_ || functions_->modules_key != key) {
    const auto text = tracefs_.read("available_filter_functions");
    if (!text) {
      functions_.reset();
      return std::unexpected(reasons_.no_function_list(text.error()));
    }
    functions_ = KeptFunctions{std::move(key), FunctionList::parse(*text)};
  }
  return &functions_->list;
}

Result<std::vector<core::ModuleRow>> KernelCatalogue::modules(const std::string& pattern) {
  const std::string wanted = kernel_module_name(pattern);
  const auto list = function_list();
  std::vector<core::ModuleRow> rows;
  for (const auto& [name, facts] : read_modules(settings_)) {
    if (wanted.empty() ? !facts.loaded : !fits(wanted, name)) continue;
    core::ModuleRow row;
    row.name = name;
    row.loaded = facts.loaded;
    row.built_in = facts.built_in;
    if (list && facts.loaded) row.functions = (*list)->count(name);
    row.hint = hint_of(name, facts, row.functions);
    rows.push_back(std::move(row));
  }
  return rows;
}

Status KernelCatalogue::check_module(const std::string& name) {
  const auto modules = read_modules(settings_);
  const auto found = modules.find(name);
  if (found == modules.end()) {
    std::vector<std::string_view> names;
    for (const auto& [known, facts] : modules) names.push_back(known);
    return fail(ErrorKind::not_found, fmt::format("There is no module \"{}\" here{}.", name,
                                                  nearest_clause(nearest_names(name, names))));
  }
  if (found->second.built_in) {
    return fail(
        ErrorKind::invalid_argument,
        fmt::format("The module {} is built in: its functions are the kernel's own, name them.", name));
  }
  if (!found->second.loaded) {
    return fail(ErrorKind::not_found,
                fmt::format("The module {} is not loaded; \"modprobe {}\" loads it.", name, name));
  }
  const auto list = function_list();
  if (!list) return std::unexpected(list.error());
  if ((*list)->count(name) == 0) {
    return fail(
        ErrorKind::unsupported,
        fmt::format("No function of the module {} can be traced: it was built without ftrace's hooks.",
                    name));
  }
  return {};
}

Result<core::Catalogue::Functions> KernelCatalogue::functions(const core::FunctionFilter& filter,
                                                              std::uint64_t offset, std::uint32_t limit) {
  const auto list = function_list();
  if (!list) return std::unexpected(list.error());
  core::FunctionFilter wanted = filter;
  if (wanted.module && !wanted.module->empty()) {
    wanted.module = kernel_module_name(*wanted.module);
    // A module with functions needs no further check: without /proc, only the list knows it.
    if ((*list)->count(*wanted.module) == 0) {
      if (Status usable = check_module(*wanted.module); !usable) {
        return std::unexpected(std::move(usable.error()));
      }
    }
  }
  return (*list)->select(wanted, offset, limit);
}

Result<std::vector<core::EventRow>> KernelCatalogue::events(const std::string& pattern) {
  const auto text = tracefs_.read("available_events");
  if (!text) return refuse("The events cannot be listed", text.error());
  const bool any_system = pattern.find(':') == std::string::npos;
  std::vector<core::EventRow> rows;
  for (std::string& line : lines_of(*text)) {
    if (!pattern.empty() && !fits(pattern, line) &&
        !(any_system && fits(pattern, line.substr(line.find(':') + 1)))) {
      continue;
    }
    rows.push_back({std::move(line)});
  }
  std::ranges::sort(rows, {}, &core::EventRow::name);
  return rows;
}

std::vector<std::string> KernelCatalogue::nearest_events(const std::string& name) {
  const auto text = tracefs_.read("available_events");
  if (!text) return {};
  const std::vector<std::string> events = lines_of(*text);
  std::vector<std::string> result = nearest_of(name, events);
  // The same event with another system, or with none, is a better suggestion than a similar name.
  const std::string own = name.substr(name.find(':') + 1);
  std::vector<std::string> same;
  for (const std::string& event : events) {
    if (event.substr(event.find(':') + 1) == own) same.push_back(event);
  }
  for (std::string& event : result) {
    if (std::ranges::find(same, event) == same.end()) same.push_back(std::move(event));
  }
  same.resize(std::min(same.size(), kNearestNames));
  return same;
}

Result<core::EventDetails> KernelCatalogue::event(const std::string& name) {
  const std::string path = format_path(name);
  if (path.empty()) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("\"{}\" is no event's name (SYSTEM:EVENT, such as skb:kfree_skb){}.", name,
                            nearest_clause(nearest_events(name))));
  }
  const auto text = tracefs_.read(path);
  if (!text && text.error().kind == ErrorKind::not_found && tracefs_.exists("available_events")) {
    return fail(ErrorKind::not_found,
                fmt::format("There is no event {}{}.", name, nearest_clause(nearest_events(name))));
  }
  if (!text) return refuse(fmt::format("The event {} cannot be read", name), text.error());
  auto format = parse_event_format(*text);
  if (!format) {
    return fail(ErrorKind::io, fmt::format("{}: {}", path, format.error().message));
  }
  core::EventDetails details;
  details.name = name;
  details.id = format->id;
  details.print = std::move(format->print);
  for (const FieldFormat& field : format->fields) details.fields.push_back(to_row(field));
  return details;
}

Result<std::vector<core::TracerRow>> KernelCatalogue::tracers() {
  const auto available = tracefs_.read("available_tracers");
  if (!available) return refuse("The tracers cannot be listed", available.error());
  const auto current = tracefs_.read("current_tracer");
  if (!current) return refuse("The tracer in force cannot be read", current.error());
  std::vector<core::TracerRow> rows;
  std::istringstream words(*available);
  for (std::string word; words >> word;) {
    rows.push_back({word, *current == word || *current == word + '\n'});
  }
  std::ranges::sort(rows, {}, &core::TracerRow::name);
  return rows;
}

}  // namespace netperfd::trace
