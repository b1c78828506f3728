#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <sstream>
#include <string_view>

#include "daemon/trace/apply.hpp"

namespace netperfd::trace {
namespace {

constexpr std::uint32_t kMaskBits = 32;

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  });
}

// One clock for all CPUs, in nanoseconds of CLOCK_MONOTONIC where there is one. Setting it empties the ring,
// also where it was the same: so it is set only where it changes.
Status set_clock(Hold& hold, Applied& applied) {
  const auto text = hold.read("trace_clock");
  if (!text) return std::unexpected(text.error());
  std::vector<std::string> clocks;
  std::string current;
  std::istringstream words(*text);
  for (std::string word; words >> word;) {
    if (word.size() > 2 && word.front() == '[') {
      word = word.substr(1, word.size() - 2);
      current = word;
    }
    clocks.push_back(word);
  }
  constexpr std::array<const char*, 3> kWanted{"mono", "global", "local"};
  for (const char* clock : kWanted) {
    if (std::ranges::find(clocks, clock) == clocks.end()) continue;
    applied.clock = clock;
    return current == clock ? Status{} : hold.set("trace_clock", clock);
  }
  return fail(ErrorKind::unsupported,
              fmt::format("trace_clock: none of mono, global and local in \"{}\"", *text));
}

// The rings of single CPUs, where somebody made them differ.
Status remember_cpu_buffers(Hold& hold) {
  const auto cpus = hold.tracefs().list(hold.path("per_cpu"));
  if (!cpus) return std::unexpected(cpus.error());
  for (const auto& cpu : *cpus) {
    if (const auto status = hold.remember("per_cpu/" + cpu + "/buffer_size_kb"); !status) return status;
  }
  return {};
}

Status set_buffers(Hold& hold, std::uint64_t bytes, Applied& applied) {
  constexpr std::uint64_t kKib = 1024;
  if (bytes > 0) {
    const auto before = hold.read("buffer_size_kb");
    if (!before) return std::unexpected(before.error());
    if (*before == "X") {
      if (const auto status = remember_cpu_buffers(hold); !status) return status;
    }
    const auto status = hold.set("buffer_size_kb", std::to_string((bytes + kKib - 1) / kKib));
    if (!status) return status;
  }
  const auto text = hold.read("buffer_size_kb");
  if (!text) return std::unexpected(text.error());
  // "7 (expanded: 1408)": the ring takes the second figure with its first use.
  const auto expanded = text->find("expanded: ");
  const auto figure = std::string_view(*text).substr(expanded == std::string::npos ? 0 : expanded + 10);
  std::uint64_t kb = 0;
  (void)std::from_chars(figure.data(), figure.data() + figure.size(), kb);
  applied.buffer_bytes = kb * kKib;
  return {};
}

// "3", or groups of 32 bits for more CPUs: "1,00000000".
std::string to_mask(const std::vector<std::uint32_t>& cpus) {
  std::vector<std::uint32_t> groups(std::ranges::max(cpus) / kMaskBits + 1);
  for (const auto cpu : cpus) groups[cpu / kMaskBits] |= std::uint32_t{1} << (cpu % kMaskBits);
  std::string mask = fmt::format("{:x}", groups.back());
  for (std::size_t i = groups.size() - 1; i-- > 0;) mask += fmt::format(",{:08x}", groups[i]);
  return mask;
}

Status set_cpus(Hold& hold, const std::vector<std::uint32_t>& cpus) {
  if (cpus.empty()) return {};
  for (const auto cpu : cpus) {
    if (!hold.exists(fmt::format("per_cpu/cpu{}", cpu))) {
      return fail(ErrorKind::invalid_argument, fmt::format("cpus: this machine has no CPU {}.", cpu));
    }
  }
  return hold.set("tracing_cpumask", to_mask(cpus));
}

// The newest entry of error_log, without its time:
//   [13248.485557] event filter parse error: error: Field not found
//     Command: nosuch > 10
//              ^
std::string kernel_words(const Hold& hold) {
  const auto log = hold.read("error_log");
  if (!log) return "";
  const auto last = log->rfind("\n[");
  std::string entry = last == std::string::npos ? *log : log->substr(last + 1);
  if (const auto time = entry.find("] "); entry.starts_with('[') && time != std::string::npos) {
    entry.erase(0, time + 2);
  }
  return entry;
}

std::unexpected<Error> filter_error(const Hold& hold, const EventSpec& event, const Error& error) {
  if (error.kind != ErrorKind::invalid_argument) return std::unexpected(error);
  const std::string words = kernel_words(hold);
  return fail(ErrorKind::invalid_argument, fmt::format("{}: filter \"{}\": {}", event.name, event.filter,
                                                       words.empty() ? error.message : words));
}

Status apply_event(Hold& hold, const EventSpec& event) {
  const auto directory = event_directory(event.name);
  if (!directory) return std::unexpected(directory.error());
  if (!hold.exists(*directory + "/enable")) {
    return fail(ErrorKind::invalid_argument, fmt::format("{}: this kernel has no such event.", event.name));
  }
  if (!event.filter.empty()) {
    const auto status = hold.set(*directory + "/filter", event.filter);
    if (!status) return filter_error(hold, event, status.error());
  }
  if (event.stacktrace) {
    // A trigger looks at its own condition only: without one it would also take the stack of every event that
    // the filter drops.
    const std::string condition = event.filter.empty() ? "" : " if " + event.filter;
    const auto status = hold.set_trigger(*directory + "/trigger", "stacktrace" + condition);
    if (!status) return filter_error(hold, event, status.error());
  }
  return hold.set(*directory + "/enable", "1");
}

}  // namespace

Result<std::string> event_directory(const std::string& name) {
  const auto colon = name.find(':');
  const std::string system = name.substr(0, colon);
  const std::string event = colon == std::string::npos ? "" : name.substr(colon + 1);
  if (!is_name(system) || !is_name(event)) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("\"{}\" is no event: expected SYSTEM:EVENT, such as skb:kfree_skb.", name));
  }
  return fmt::format("events/{}/{}", system, event);
}

Status apply_ring(Hold& hold, const TraceSpec& spec, std::uint64_t buffer_bytes, Applied& applied) {
  // A new instance is born tracing.
  auto status = hold.set("tracing_on", "0");
  if (status) status = set_clock(hold, applied);
  if (status) status = set_buffers(hold, spec.buffer_bytes.value_or(buffer_bytes), applied);
  if (status) status = set_cpus(hold, spec.cpus);
  if (!spec.workload_only) return status;
  if (status) status = hold.set("options/event-fork", "1");
  if (status && spec.function_graph) status = hold.set("options/function-fork", "1");
  return status;
}

Status apply_events(Hold& hold, const std::vector<EventSpec>& events) {
  for (const auto& event : events) {
    if (const auto status = apply_event(hold, event); !status) return status;
  }
  return {};
}

}  // namespace netperfd::trace
