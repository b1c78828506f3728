// SPDX-License-Identifier: GPL-2.0-or-later
// The effect of writing to tracefs files and the text that reads back, as far as netperfd depends on it.
// Verified against Linux 6.18 where possible; function tracing follows the kernel's sources.
#include "tests/unit/trace/tracefs/fake_tracefs_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>

namespace netperfd::trace {
namespace {

constexpr const char* kNoTrigger =
    "# Available triggers:\n# traceon traceoff stacktrace enable_event disable_event\n";

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::optional<std::uint64_t> number(const std::string& text, int base = 10) {
  const std::string digits = trimmed(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::string clock_line(const std::string& clocks, const std::string& current) {
  std::string line;
  for (const auto& clock : words(clocks)) {
    line += (line.empty() ? "" : " ") + (clock == current ? "[" + clock + "]" : clock);
  }
  return line + "\n";
}

bool is_pid_list(const std::string& file) {
  return file == "set_event_pid" || file == "set_event_notrace_pid" || file == "set_ftrace_pid" ||
         file == "set_ftrace_notrace_pid";
}

// Rounded up as by the ring buffer: to whole sub-buffers of 4080 bytes, at least two.
std::string rounded_kb(std::uint64_t kb) {
  const std::uint64_t pages = std::max<std::uint64_t>(2, (kb * 1024 + 4079) / 4080);
  return fmt::format("{}\n", pages * 4080 / 1024);
}

// The first word of a filter's terms that is not a field; empty if all are.
std::string unknown_field(const std::string& filter, const std::vector<std::string>& fields) {
  bool at_field = true;
  for (const auto& word : words(filter)) {
    if (word == "&&" || word == "||") {
      at_field = true;
    } else if (at_field) {
      at_field = false;
      if (std::ranges::find(fields, word) == fields.end()) return word;
    }
  }
  return "";
}

}  // namespace

std::string nothing_in(const std::string& file) {
  if (file == "set_ftrace_filter") return "#### all functions enabled ####\n";
  if (file == "set_ftrace_notrace") return "#### no functions disabled ####\n";
  if (file == "set_ftrace_pid" || file == "set_ftrace_notrace_pid") return "no pid\n";
  return "";
}

bool is_function_list(const std::string& file) {
  return file == "set_ftrace_filter" || file == "set_ftrace_notrace";
}

std::string below(const std::string& directory, const std::string& file) {
  return directory.empty() ? file : directory + "/" + file;
}

std::map<std::string, std::string> new_files(const FakeKernel& kernel, bool top) {
  std::string tracers = kernel.function ? "function nop\n" : "nop\n";
  if (kernel.function_graph && (top || kernel.graph_in_instances)) tracers = "function_graph " + tracers;
  std::map<std::string, std::string> files = {
      {"available_tracers", tracers},
      {"buffer_percent", "50\n"},
      {"buffer_size_kb", top ? "7 (expanded: 1408)\n" : "1410\n"},
      {"buffer_subbuf_size_kb", "4\n"},
      {"current_tracer", "nop\n"},
      {"error_log", ""},
      {"events/enable", ""},
      {"options/event-fork", "0\n"},
      {"options/function-fork", "0\n"},
      {"options/markers", "1\n"},
      {"options/overwrite", "1\n"},
      {"options/stacktrace", "0\n"},
      {"options/userstacktrace", "0\n"},
      {"set_event", ""},
      {"trace", ""},
      {"trace_clock", clock_line(kernel.clocks, "local")},
      {"trace_marker", ""},
      {"trace_pipe", ""},
      {"tracing_cpumask", fmt::format("{:x}\n", (std::uint64_t{1} << kernel.cpus) - 1)},
      {"tracing_on", "1\n"},
  };
  for (const char* list : {"set_event_pid", "set_event_notrace_pid", "set_ftrace_pid",
                           "set_ftrace_notrace_pid", "set_ftrace_filter", "set_ftrace_notrace"}) {
    files[list] = nothing_in(list);
  }
  for (unsigned cpu = 0; cpu < kernel.cpus; ++cpu) {
    const std::string directory = fmt::format("per_cpu/cpu{}/", cpu);
    files[directory + "stats"] = "entries: 0\noverrun: 0\ncommit overrun: 0\ndropped events: 0\n";
    files[directory + "trace_pipe_raw"] = "";
  }
  for (const auto& [name, fields] : kernel.events) {
    const auto colon = name.find(':');
    const std::string system = "events/" + name.substr(0, colon) + "/";
    const std::string event = system + name.substr(colon + 1) + "/";
    files[system + "enable"] = "";
    files[event + "enable"] = "0\n";
    files[event + "filter"] = "none\n";
    files[event + "format"] = format_of(name, fields);
    files[event + "trigger"] = kNoTrigger;
  }
  return files;
}

std::map<std::string, std::string> top_files(const FakeKernel& kernel) {
  std::string events;
  for (const auto& [name, fields] : kernel.events) events += name + "\n";
  std::map<std::string, std::string> files = {
      {"available_events", events},     {"options/record-cmd", "1\n"}, {"saved_cmdlines", ""},
      {"saved_cmdlines_size", "128\n"}, {"tracing_thresh", "0\n"},
  };
  if (kernel.function || kernel.function_graph) files["available_filter_functions"] = "";
  if (kernel.function_graph) files["max_graph_depth"] = "0\n";
  return files;
}

std::string event_of(const FakePlace& place) {
  std::istringstream parts(place.file);
  std::string events;
  std::string system;
  std::string event;
  std::string file;
  std::getline(parts, events, '/');
  std::getline(parts, system, '/');
  std::getline(parts, event, '/');
  std::getline(parts, file, '/');
  return events == "events" && !file.empty() ? system + ":" + event : "";
}

FakePlace FakeTracefs::place(const std::string& path) const {
  constexpr std::string_view kInstances = "instances/";
  if (!path.starts_with(kInstances)) return {.directory = "", .file = path};
  const auto slash = path.find('/', kInstances.size());
  if (slash == std::string::npos) return {.directory = path, .file = ""};
  return {.directory = path.substr(0, slash), .file = path.substr(slash + 1)};
}

bool FakeTracefs::locked(const FakePlace& place) const {
  return kernel_.lockdown && (is_function_list(place.file) || place.file.starts_with("set_ftrace_") ||
                              place.file == "available_filter_functions");
}

void FakeTracefs::make_trace_directory(const std::string& directory) {
  if (!directory.empty()) directories_.insert(directory);
  for (const auto& [file, text] : new_files(kernel_, directory.empty())) {
    // A new instance copies the current options of the top instance.
    const bool inherited = !directory.empty() && file.starts_with("options/") && files_.contains(file);
    set(below(directory, file), inherited ? files_.at(file) : text);
  }
}

// ---- Writing ----------------------------------------------------------------------------------------------

int FakeTracefs::put(const FakePlace& place, const std::string& text, bool truncate) {
  if (!event_of(place).empty()) return put_event(place, text);
  if (place.file == "set_event") return put_set_event(place, text, truncate);
  if (place.file == "current_tracer") return put_tracer(place, trimmed(text));
  if (is_function_list(place.file)) return put_functions(place, text, truncate);
  return put_plain(place, text, truncate);
}

int FakeTracefs::put_plain(const FakePlace& place, const std::string& text, bool truncate) {
  std::string& content = files_[below(place.directory, place.file)];
  const auto value = number(text);
  if (place.file == "tracing_on" || place.file.starts_with("options/")) {
    if (!value || (*value > 1 && place.file != "tracing_on")) return EINVAL;
    content = *value != 0 ? "1\n" : "0\n";
  } else if (place.file == "trace_clock") {
    const auto known = words(kernel_.clocks);
    if (std::ranges::find(known, trimmed(text)) == known.end()) return EINVAL;
    content = clock_line(kernel_.clocks, trimmed(text));
  } else if (place.file == "buffer_size_kb") {
    if (!value || *value == 0) return EINVAL;
    content = rounded_kb(*value);
  } else if (place.file == "buffer_percent") {
    if (!value || *value > 100) return EINVAL;
    content = fmt::format("{}\n", *value);
  } else if (place.file == "tracing_cpumask") {
    const auto mask = number(text, 16);
    if (!mask) return EINVAL;
    if ((*mask >> kernel_.cpus) != 0) return EOVERFLOW;
    content = fmt::format("{:x}\n", *mask);
  } else if (place.file == "max_graph_depth") {
    if (!value) return EINVAL;
    content = fmt::format("{}\n", *value);
  } else if (is_pid_list(place.file)) {
    if (truncate || content == nothing_in(place.file)) content = "";
    for (const auto& word : words(text)) {
      if (!number(word)) return EINVAL;
      content += word + "\n";
    }
    if (content.empty()) content = nothing_in(place.file);
  } else if (place.file == "error_log" || place.file == "trace") {
    content = "";
  } else {
    if (truncate) content = "";
    content += text;
    if (!content.empty() && !content.ends_with('\n')) content += '\n';
  }
  return 0;
}

int FakeTracefs::put_event(const FakePlace& place, const std::string& text) {
  if (place.file.ends_with("/filter")) return put_filter(place, trimmed(text));
  if (place.file.ends_with("/trigger")) return put_trigger(place, trimmed(text));
  if (!place.file.ends_with("/enable")) return EPERM;
  const std::string path = below(place.directory, place.file);
  const auto value = number(text);
  if (!value || *value > 1) return EINVAL;
  const std::string trigger = path.substr(0, path.rfind('/')) + "/trigger";
  files_[path] = std::string(*value != 0 ? "1" : "0") + (files_[trigger] == kNoTrigger ? "" : "*") + "\n";
  return 0;
}

int FakeTracefs::put_filter(const FakePlace& place, const std::string& text) {
  std::string& content = files_[below(place.directory, place.file)];
  if (text.empty()) return 0;
  if (text == "0") {
    content = "none\n";
    return 0;
  }
  const std::string unknown = unknown_field(text, kernel_.events[event_of(place)]);
  if (unknown.empty() && text.find('"') != std::string::npos) {
    // The fake's fields are numbers. Not every refused filter is an EINVAL.
    log_error(place, "event filter parse error: error: Expecting numeric field\n  Command: " + text + "\n");
    return ENOENT;
  }
  if (unknown.empty()) {
    content = text + "\n";
    return 0;
  }
  const std::string caret = std::string(text.find(unknown), ' ') + "^\n";
  content = text + "\n" + caret + "parse_error: Field not found\n";
  log_error(place,
            "event filter parse error: error: Field not found\n  Command: " + text + "\n           " + caret);
  return EINVAL;
}

int FakeTracefs::put_trigger(const FakePlace& place, const std::string& text) {
  // O_TRUNC does not empty this file; "!stacktrace" removes the trigger whatever its condition.
  std::string& content = files_[below(place.directory, place.file)];
  const std::string file = below(place.directory, place.file);
  std::string& enable = files_[file.substr(0, file.rfind('/')) + "/enable"];
  if (text.starts_with("!stacktrace")) {
    content = kNoTrigger;
    enable = enable.substr(0, 1) + "\n";
    return 0;
  }
  if (text.empty()) return 0;
  constexpr std::string_view kConditional = "stacktrace if ";
  if (text != "stacktrace" && !text.starts_with(kConditional)) return EINVAL;
  if (content != kNoTrigger) return EEXIST;
  if (text.starts_with(kConditional)) {
    const std::string filter = text.substr(kConditional.size());
    if (!unknown_field(filter, kernel_.events[event_of(place)]).empty()) {
      log_error(place, "event filter parse error: error: Field not found\n  Command: " + filter + "\n");
      return EINVAL;
    }
  }
  content = "stacktrace:unlimited" + text.substr(std::string_view("stacktrace").size()) + "\n";
  enable = enable.substr(0, 1) + "*\n";
  return 0;
}

int FakeTracefs::put_set_event(const FakePlace& place, const std::string& text, bool truncate) {
  const auto path_of = [&](const std::string& name) {
    const auto colon = name.find(':');
    return below(place.directory,
                 "events/" + name.substr(0, colon) + "/" + name.substr(colon + 1) + "/enable");
  };
  if (truncate) {
    for (const auto& [name, fields] : kernel_.events) files_[path_of(name)][0] = '0';
  }
  for (const auto& name : words(text)) {
    if (!kernel_.events.contains(name)) return EINVAL;
    files_[path_of(name)][0] = '1';
  }
  return 0;
}

int FakeTracefs::put_tracer(const FakePlace& place, const std::string& tracer) {
  const std::string known = files_[below(place.directory, "available_tracers")];
  const auto tracers = words(known);
  if (std::ranges::find(tracers, tracer) == tracers.end()) return EINVAL;
  if (tracer != "nop" && kernel_.lockdown) return EPERM;
  // As in the kernel: refused while somebody holds this directory's pipe.
  if (open_in(place.directory, "trace_pipe") > 0) return EBUSY;
  files_[below(place.directory, "current_tracer")] = tracer + "\n";
  return 0;
}

// ---- Reading, and changes by others -----------------------------------------------------------------------

std::string FakeTracefs::enabled_events(const std::string& directory) const {
  std::string names;
  for (const auto& [name, fields] : kernel_.events) {
    const auto colon = name.find(':');
    const std::string file = "events/" + name.substr(0, colon) + "/" + name.substr(colon + 1) + "/enable";
    if (get(below(directory, file)).starts_with('1')) names += name + "\n";
  }
  return names;
}

// For "events/enable" and "events/SYSTEM/enable": whether all, none or some of them are enabled.
std::string FakeTracefs::event_summary(const std::string& path) const {
  const std::string prefix = path.substr(0, path.size() - std::string_view("enable").size());
  std::size_t on = 0;
  std::size_t off = 0;
  for (const auto& [file, text] : files_) {
    if (!file.starts_with(prefix) || !file.ends_with("/enable") || event_of(place(file)).empty()) continue;
    (text.starts_with('1') ? on : off) += 1;
  }
  if (on == 0) return "0\n";
  return off == 0 ? "1\n" : "X\n";
}

void FakeTracefs::log_error(const FakePlace& place, const std::string& text) {
  files_[below(place.directory, "error_log")] += "[   12.345678] " + text;
}

}  // namespace netperfd::trace
