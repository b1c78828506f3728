// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/spec_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/model/nearest.hpp"
#include "daemon/trace/catalogue/probe_site.hpp"
#include "daemon/trace/tracefs/apply.hpp"
#include "daemon/trace/tracefs/filter_check.hpp"

namespace netperfd::trace {
namespace {

constexpr std::size_t kSmallFileBytes = 65'536;
// Limit for the rings of all CPUs together: the kernel allocates them at once, and the daemon waits for that.
constexpr std::uint64_t kMaxRings = std::uint64_t{512} << 20U;
constexpr std::uint64_t kShareOfMemory = 4;

std::string in_mib(std::uint64_t bytes) {
  constexpr std::uint64_t kMib = std::uint64_t{1} << 20U;
  if (bytes % kMib == 0) return fmt::format("{} MiB", bytes / kMib);
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / static_cast<double>(kMib));
}

// From /proc/meminfo, in bytes.
std::optional<std::uint64_t> parse_memory(std::string_view text) {
  constexpr std::string_view kKey = "MemTotal:";
  const auto key = text.find(kKey);
  if (key == std::string_view::npos) return std::nullopt;
  text.remove_prefix(key + kKey.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t kib = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), kib);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return kib << 10U;
}

// "0-3,6" -> 0, 1, 2, 3, 6. Absent if it is not such a list.
std::optional<std::set<std::uint32_t>> parse_cpu_list(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::set<std::uint32_t> cpus;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::uint32_t first = 0;
    auto parsed = std::from_chars(at, end, first);
    if (parsed.ec != std::errc{}) return std::nullopt;
    std::uint32_t last = first;
    if (parsed.ptr != end && *parsed.ptr == '-') {
      parsed = std::from_chars(parsed.ptr + 1, end, last);
      if (parsed.ec != std::errc{}) return std::nullopt;
    }
    for (std::uint32_t cpu = first; cpu <= last && cpu - first < kSmallFileBytes; ++cpu) cpus.insert(cpu);
    at = parsed.ptr;
    if (at != end && *at++ != ',') return std::nullopt;
  }
  return cpus;
}

// Collects all errors instead of stopping at the first one.
class SpecCheck {
 public:
  SpecCheck(Tracefs& tracefs, KernelCatalogue& catalogue) : tracefs_(tracefs), catalogue_(catalogue) {}

  Status run(const TraceSpec& spec) {
    if (!tracefs_.exists("current_tracer")) {
      need("tracefs", "A trace");
      return verdict();
    }
    if (spec.function_graph) check_functions(*spec.function_graph);
    check_events(spec.events);
    check_cpus(spec.cpus);
    if (spec.buffer_bytes) check_buffer(*spec.buffer_bytes);
    return verdict();
  }

 private:
  void complain(ErrorKind kind, std::string line) {
    lines_.push_back(std::move(line));
    kinds_.insert(kind);
  }

  // Adds a line if the kernel lacks what `subject` needs; returns whether the kernel has it.
  bool need(const char* name, const std::string& subject, const char* more = "") {
    if (!capabilities_) capabilities_ = catalogue_.capabilities(false);
    const core::Capability* found = find_capability(*capabilities_, name);
    if (found == nullptr || found->ability != core::Ability::no) return true;
    std::string line = fmt::format("{} cannot be had here: {}", subject, found->detail);
    if (!found->advice.empty()) line += "; " + found->advice;
    complain(ErrorKind::unsupported, line + more + '.');
    return false;
  }

  void check_functions(const FunctionGraphSpec& spec) {
    const bool usable = need("function_graph", "trace.function_graph", kOrOptional);
    const auto list = catalogue_.function_list();
    if (!list) {
      // If the tracer itself is unavailable, its functions need no further complaint.
      if (usable) complain(list.error().kind, "trace.function_graph: " + list.error().message);
      return;
    }
    std::optional<std::string> module;
    if (!spec.module.empty()) {
      module = kernel_module_name(spec.module);
      if (const Status found = catalogue_.check_module(*module); !found) {
        const bool kernel = found.error().kind == ErrorKind::unsupported;
        complain(kernel ? ErrorKind::unsupported : ErrorKind::invalid_argument,
                 "trace.function_graph.module: " + found.error().message);
        return;
      }
    }
    for (const std::string& name : spec.functions) check_function(**list, "functions", name, std::nullopt);
    for (const std::string& name : spec.exclude) check_function(**list, "exclude", name, module);
  }

  void check_function(const FunctionList& list, const char* key, const std::string& name,
                      const std::optional<std::string>& module) {
    if (list.fits(name, module)) return;
    const std::string of_module = module ? " of the module " + *module : "";
    if (has_wildcards(name)) {
      complain(
          ErrorKind::invalid_argument,
          fmt::format("trace.function_graph.{}: no traceable function{} fits {}.", key, of_module, name));
      return;
    }
    complain(ErrorKind::invalid_argument,
             fmt::format("trace.function_graph.{}: no function {}{} can be traced{}.", key, name, of_module,
                         nearest_clause(list.nearest(name, module))));
  }

  void check_events(const std::vector<EventSpec>& events) {
    if (events.empty() || !need("tracepoints", "trace.events")) return;
    const auto rows = catalogue_.events("");
    if (!rows) {
      complain(rows.error().kind, "trace.events: " + rows.error().message);
      return;
    }
    std::set<std::string, std::less<>> known;
    for (const core::EventRow& row : *rows) known.insert(row.name);
    bool filters = false;
    bool stacks = false;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const EventSpec& event = events[i];
      filters = filters || !event.filter.empty();
      stacks = stacks || event.stacktrace;
      if (known.contains(event.name)) {
        check_filter_of(event, i);
      } else {
        complain(ErrorKind::invalid_argument, fmt::format("trace.events[{}].name: there is no event {}; {}",
                                                          i, event.name, near_event(event.name)));
      }
    }
    if (stacks) need("stack_traces", "trace.events: stacktrace");
    if (!filters || !need("event_filters", "trace.events: filter") || kinds_.contains(kWrong)) return;
    try_filters(events);
  }

  std::string near_event(const std::string& name) {
    const auto names = catalogue_.nearest_events(name);
    if (!names.empty()) return fmt::format("did you mean {}?", fmt::join(names, ", "));
    return fmt::format("`netperfctl events '{}:*'` lists them.", name.substr(0, name.find(':')));
  }

  void check_filter_of(const EventSpec& event, std::size_t index) {
    const auto directory = event_directory(event.name);
    const Status allowed =
        directory ? check_filter(event, tracefs_, *directory) : Status(std::unexpected(directory.error()));
    if (allowed) return;
    complain(allowed.error().kind,
             fmt::format("trace.events[{}].filter: {}", index, allowed.error().message));
  }

  // Only the kernel knows its filter language exactly, so each filter is tried in the daemon's own instance,
  // like the doctor's probes. While a job uses that instance, the run itself finds out.
  void try_filters(const std::vector<EventSpec>& events) {
    const std::string& name = catalogue_.settings().own_instance;
    const std::string own = name.empty() ? fmt::format("netperfd-{}", ::getpid()) : name;
    if (tracefs_.exists("instances/" + own)) return;
    const auto instance = ProbeInstance::make(tracefs_, own);
    if (!instance) return;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const EventSpec& event = events[i];
      const auto directory = event_directory(event.name);
      if (event.filter.empty() || !directory) continue;
      const Status written = tracefs_.write(instance->path(*directory + "/filter"), event.filter);
      if (written) continue;
      const std::string words = newest_error(tracefs_.read(instance->path("error_log")).value_or(""));
      if (words.empty() && written.error().kind != kWrong) continue;
      complain(kWrong, fmt::format("trace.events[{}].filter: {}: {}", i, event.name,
                                   words.empty() ? written.error().message : words));
      // error_log keeps this error, so a later one could not be told apart.
      return;
    }
  }

  void check_buffer(std::uint64_t bytes) {
    const CatalogueSettings& settings = catalogue_.settings();
    const auto online = read_file(settings.sys + "/devices/system/cpu/online", kSmallFileBytes);
    const auto cpus = online ? parse_cpu_list(*online) : std::nullopt;
    const auto memory = read_file(settings.proc + "/meminfo", kSmallFileBytes);
    const auto total = memory ? parse_memory(*memory) : std::nullopt;
    const std::uint64_t count = cpus && !cpus->empty() ? cpus->size() : 1;
    const std::uint64_t most = total ? std::min(kMaxRings, *total / kShareOfMemory) : kMaxRings;
    if (bytes <= most / count) return;
    complain(kWrong, fmt::format("trace.buffer: {} on each of {} CPUs is {} in all; at most {} in all are "
                                 "taken here ({}), so {} a CPU.",
                                 in_mib(bytes), count, in_mib(bytes * count), in_mib(most),
                                 most < kMaxRings ? "a quarter of the memory" : "whatever the memory",
                                 in_mib(most / count)));
  }

  void check_cpus(const std::vector<std::uint32_t>& cpus) {
    if (cpus.empty()) return;
    const std::string folder = catalogue_.settings().sys + "/devices/system/cpu/";
    const auto read = [&](const char* file) {
      const auto text = read_file(folder + file, kSmallFileBytes);
      return text ? parse_cpu_list(*text) : std::nullopt;
    };
    const auto online = read("online");
    const auto possible = read("possible");
    if (!online || !possible) return;
    for (const std::uint32_t cpu : cpus) {
      if (online->contains(cpu)) continue;
      const char* const why = possible->contains(cpu) ? "is offline" : "does not exist";
      complain(ErrorKind::invalid_argument,
               fmt::format("trace.cpus: CPU {} {}; online are {}.", cpu, why, fmt::join(*online, ", ")));
    }
  }

  Status verdict() const {
    if (lines_.empty()) return {};
    ErrorKind kind = ErrorKind::unsupported;
    for (const ErrorKind candidate : {ErrorKind::access_denied, ErrorKind::invalid_argument}) {
      if (kinds_.contains(candidate)) kind = candidate;
    }
    return fail(kind, fmt::format("{}", fmt::join(lines_, "\n")));
  }

  static constexpr ErrorKind kWrong = ErrorKind::invalid_argument;
  static constexpr const char* kOrOptional = ", or `optional: true` measures without it";

  Tracefs& tracefs_;
  KernelCatalogue& catalogue_;
  std::optional<std::vector<core::Capability>> capabilities_;  // set when first needed
  std::vector<std::string> lines_;
  std::set<ErrorKind> kinds_;
};

}  // namespace

Status check_trace_spec(const TraceSpec& spec, Tracefs& tracefs, KernelCatalogue& catalogue) {
  return SpecCheck(tracefs, catalogue).run(spec);
}

std::uint64_t default_buffer_bytes(std::uint64_t memory_bytes, std::uint32_t cpus) {
  constexpr std::uint64_t kMost = std::uint64_t{32} << 20U;
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20U;
  constexpr std::uint64_t kShare = 50;
  return std::clamp(std::min(kMaxRings, memory_bytes / kShare) / std::max(cpus, 1U), kLeast, kMost);
}

}  // namespace netperfd::trace
