// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <sstream>
#include <string_view>

#include "daemon/base/fd.hpp"
#include "daemon/trace/tracefs/apply.hpp"
#include "daemon/trace/tracefs/foreign_tracers.hpp"
#include "daemon/trace/tracefs/undo.hpp"

namespace netperfd::trace {
namespace {

constexpr const char* kFilter = "set_ftrace_filter";
constexpr const char* kNotrace = "set_ftrace_notrace";
constexpr std::uint32_t kMaxFunctions = 5000;

// Whether the kernel would take the text for a name or a glob. A colon would be a command
// ("schedule:traceoff"), '!' a removal, and a plain number the index of a function.
bool is_function_pattern(std::string_view text) {
  constexpr std::string_view kAllowed = "_.*?[]-$";
  const auto allowed = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kAllowed.find(c) != std::string_view::npos;
  };
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  return !text.empty() && std::ranges::all_of(text, allowed) && !std::ranges::all_of(text, digit);
}

Status check_patterns(const std::vector<std::string>& patterns) {
  for (const auto& pattern : patterns) {
    if (is_function_pattern(pattern)) continue;
    return fail(ErrorKind::invalid_argument,
                fmt::format("\"{}\" is no function's name and no glob.", pattern));
  }
  return {};
}

Status check_names(const FunctionGraphSpec& spec) {
  if (auto status = check_patterns(spec.functions); !status) return status;
  if (auto status = check_patterns(spec.exclude); !status) return status;
  const auto name_character = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  };
  if (std::ranges::all_of(spec.module, name_character)) return {};
  return fail(ErrorKind::invalid_argument, fmt::format("\"{}\" is no module's name.", spec.module));
}

// The kernel shows the files of function tracing but does not let even root use them: by lockdown or a
// security module.
std::unexpected<Error> explained(const Error& error) {
  if (error.kind != ErrorKind::access_denied) return std::unexpected(error);
  return fail(
      ErrorKind::unsupported,
      fmt::format("This kernel does not allow function tracing (kernel lockdown or a security module): {}.",
                  error.message));
}

std::unexpected<Error> no_functions(const Hold& hold, const std::string& module, const std::string& proc) {
  std::string reason = fmt::format("it is not loaded; \"modprobe {}\" loads it", module);
  if (is_loaded(proc, module)) {
    reason = "it is loaded, but has none that can be traced";
  } else if (hold.tracefs().exists("events/" + module)) {
    reason = "it seems to be built into the kernel; list its functions instead";
  }
  return fail(ErrorKind::invalid_argument,
              fmt::format("module {}: no function to trace: {}.", module, reason));
}

Status write_patterns(Hold& hold, const char* file, const std::vector<std::string>& patterns,
                      std::vector<std::string>& unknown) {
  if (const auto status = hold.set_functions(file, patterns, unknown); !status) {
    return explained(status.error());
  }
  return {};
}

Status set_filter(Hold& hold, const FunctionGraphSpec& spec, const std::string& proc, Applied& applied) {
  const std::string module = module_name(spec.module);
  const auto wanted = module.empty() ? spec.functions : std::vector<std::string>{":mod:" + module};
  auto status = write_patterns(hold, kFilter, wanted, applied.missing_functions);
  if (!status) return status;
  const auto filter = functions_in(hold, kFilter);
  if (!filter) return explained(filter.error());
  // An empty filter would mean every function of the kernel.
  if (filter->empty() && !module.empty()) return no_functions(hold, module, proc);
  if (filter->empty()) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("functions: none of {} can be traced.", fmt::join(spec.functions, ", ")));
  }
  applied.filtered = static_cast<std::uint32_t>(filter->size());
  applied.functions = applied.filtered;
  return {};
}

// The names that set_ftrace_notrace shall have.
std::vector<std::string> exclusion_of(const FunctionGraphSpec& spec, const std::vector<std::string>& filter) {
  std::vector<std::string> excluded = spec.exclude;
  std::ranges::copy(spec.left_out, std::back_inserter(excluded));
  const auto has = [](const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::find(names, source_name(name)) != names.end();
  };
  // By their whole names, since the kernel takes long to find what a glob fits.
  for (const std::string& line : filter) {
    std::string name = line.substr(0, line.find(' '));  // without its module
    const bool is_left = has(spec.over_budget, name) || (!spec.only.empty() && !has(spec.only, name));
    if (is_left) excluded.push_back(std::move(name));
  }
  return excluded;
}

Status set_exclusion(Hold& hold, const FunctionGraphSpec& spec, Applied& applied) {
  const auto before = functions_in(hold, kNotrace);
  if (!before) return explained(before.error());
  const auto filter = functions_in(hold, kFilter);
  if (!filter) return explained(filter.error());
  const std::vector<std::string> excluded_by_job = exclusion_of(spec, *filter);
  if (excluded_by_job.empty() && before->empty()) return {};
  std::vector<std::string> unknown;  // nothing to exclude if it does not exist
  auto status = write_patterns(hold, kNotrace, excluded_by_job, unknown);
  if (!status) return status;
  auto excluded = functions_in(hold, kNotrace);
  if (!excluded) return explained(excluded.error());
  // Sorted for speed: both lists may contain every function of the kernel.
  std::ranges::sort(*excluded);
  applied.functions =
      static_cast<std::uint32_t>(std::ranges::count_if(*filter, [&](const std::string& function) {
        return !std::ranges::binary_search(*excluded, function);
      }));
  if (applied.functions > 0) return {};
  if (!spec.only.empty()) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("only: none of {} is among the functions to trace.", fmt::join(spec.only, ", ")));
  }
  return fail(ErrorKind::invalid_argument,
              fmt::format("exclude: {} leaves no function to trace.", fmt::join(excluded_by_job, ", ")));
}

// Globs may match far too many functions: to trace all functions of a kernel, patching its code alone takes
// seconds, and the trace nearly stops the machine. The functions of one module are not limited.
Status check_count(const FunctionGraphSpec& spec, const Applied& applied) {
  if (!spec.module.empty() || applied.functions <= kMaxFunctions) return {};
  return fail(ErrorKind::invalid_argument,
              fmt::format("functions: {} fit, at most {} are traced; choose fewer, by narrower globs, by "
                          "`exclude`, or with `module` in place of `functions`.",
                          applied.functions, kMaxFunctions));
}

// Sets the files that function_graph obeys in every instance, whoever wrote them.
Status set_shared_files(Hold& hold, const FunctionGraphSpec& spec) {
  for (const char* roots : {"set_graph_function", "set_graph_notrace"}) {
    const auto text = hold.tracefs().read(roots);
    if (!text || list_items(roots, *text).empty()) continue;
    if (const auto status = hold.empty_shared_list(roots); !status) return status;
  }
  for (const auto& [file, value] :
       {std::pair{"max_graph_depth", spec.depth.value_or(0)}, {"tracing_thresh", 0U}}) {
    const auto text = hold.tracefs().read(file);
    if (text && trimmed_text(*text) == std::to_string(value)) continue;
    // If the file does not exist, the feature cannot be active either.
    if (!text && text.error().kind == ErrorKind::not_found && value == 0) continue;
    if (const auto status = hold.set_shared(file, std::to_string(value)); !status) return status;
  }
  return {};
}

Status set_tracer(Hold& hold, const std::string& proc, Applied& applied) {
  constexpr const char* kTracer = "current_tracer";
  constexpr const char* kGraph = "function_graph";
  const auto status = hold.set(kTracer, kGraph);
  const auto now = hold.read(kTracer);
  if (status && now && *now == kGraph) return {};
  const bool denied = !status && status.error().kind == ErrorKind::invalid_argument;
  if (!hold.at_top() && (denied || (status && now))) {
    applied.graph_refused_in_instance = true;
  }
  if (status) {
    return fail(ErrorKind::unsupported,
                fmt::format("{}: {} was taken and does not read back.", hold.path(kTracer), kGraph));
  }
  if (status.error().kind != ErrorKind::busy) return explained(status.error());
  const std::string holders = holders_of(proc, hold.directory());
  return fail(ErrorKind::busy,
              fmt::format("{}{}", status.error().message, holders.empty() ? "" : "; held by " + holders));
}

}  // namespace

std::string module_name(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

bool is_loaded(const std::string& proc, const std::string& module) {
  const auto modules = read_file(proc + "/modules", std::size_t{16} << 20);
  return modules && ("\n" + *modules).find("\n" + module + " ") != std::string::npos;
}

Result<std::vector<std::string>> functions_in(const Hold& hold, const std::string& file) {
  const auto text = hold.read(file);
  if (!text) return std::unexpected(text.error());
  std::vector<std::string> functions;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    // A colon marks a module that is not loaded yet, or a command set on a function.
    if (line.empty() || line.starts_with('#') || line.find(':') != std::string::npos) continue;
    functions.push_back(line);
  }
  return functions;
}

Status apply_function_graph(Hold& hold, const FunctionGraphSpec& spec, const std::string& proc,
                            Applied& applied) {
  auto status = check_names(spec);
  if (status) status = set_filter(hold, spec, proc, applied);
  if (status) status = set_exclusion(hold, spec, applied);
  if (status) status = check_count(spec, applied);
  if (status) status = set_shared_files(hold, spec);
  if (status) status = set_tracer(hold, proc, applied);
  return status;
}

}  // namespace netperfd::trace
