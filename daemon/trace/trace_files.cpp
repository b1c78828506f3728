#include "daemon/trace/trace_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace netperfd::trace {
namespace {

// The number that `text` begins with, after blanks.
std::optional<std::uint64_t> leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

// "skb:kfree_skb" is below events/skb/kfree_skb.
Result<KnownEvent> read_format(Tracefs& tracefs, const std::string& name) {
  std::string path = name;
  std::ranges::replace(path, ':', '/');
  path = fmt::format("events/{}/format", path);
  const auto text = tracefs.read(path);
  if (!text) return std::unexpected(text.error());
  auto format = parse_event_format(*text);
  if (!format) return fail(format.error().kind, fmt::format("{}: {}", path, format.error().message));
  return KnownEvent{name, std::move(*format)};
}

}  // namespace

Result<SubbufferLayout> read_layout(Tracefs& tracefs, const TraceSession& session) {
  const auto text = tracefs.read("events/header_page");
  if (!text) return std::unexpected(text.error());
  auto layout = parse_header_page(*text);
  if (!layout) return layout;
  // Since Linux 6.8; before it a sub-buffer is always a page, as header_page has it.
  if (const auto size = tracefs.read(session.path("buffer_subbuf_size_kb"))) {
    const auto kibibytes = leading_number(*size);
    if (!kibibytes || *kibibytes * 1024 <= layout->data_offset) {
      return fail(ErrorKind::unsupported, fmt::format("buffer_subbuf_size_kb: \"{}\" is no size", *size));
    }
    layout->data_size = *kibibytes * 1024 - layout->data_offset;
  }
  return layout;
}

Result<std::vector<KnownEvent>> read_formats(Tracefs& tracefs, const TraceSpec& spec) {
  std::vector<KnownEvent> events;
  std::vector<std::string> names;
  for (const EventSpec& event : spec.events) names.push_back(event.name);
  // User stacks are switched off in the instance; somebody may switch them on again.
  for (const char* own : {"ftrace:print", "ftrace:kernel_stack", "ftrace:user_stack"})
    names.emplace_back(own);
  if (spec.function_graph) {
    for (const char* own : {"ftrace:funcgraph_entry", "ftrace:funcgraph_exit"}) names.emplace_back(own);
  }
  for (const std::string& name : names) {
    auto event = read_format(tracefs, name);
    if (!event) return std::unexpected(std::move(event.error()));
    events.push_back(std::move(*event));
  }
  return events;
}

Result<std::vector<RingPipe>> open_pipes(Tracefs& tracefs, const TraceSession& session) {
  const auto names = tracefs.list(session.path("per_cpu"));
  if (!names) return std::unexpected(names.error());
  std::vector<RingPipe> pipes;
  for (const std::string& name : *names) {
    const auto cpu =
        name.starts_with("cpu") ? leading_number(std::string_view(name).substr(3)) : std::nullopt;
    if (!cpu) continue;
    auto file = tracefs.open(session.path(fmt::format("per_cpu/{}/trace_pipe_raw", name)), OpenMode::read);
    if (!file) return std::unexpected(std::move(file.error()));
    pipes.push_back({static_cast<std::uint32_t>(*cpu), std::move(*file)});
  }
  std::ranges::sort(pipes, {}, &RingPipe::cpu);
  return pipes;
}

void read_statistics(std::string_view text, TraceCpu& cpu) {
  const std::array<std::pair<std::string_view, std::uint64_t*>, 3> wanted{
      {{"overrun:", &cpu.overrun},
       {"commit overrun:", &cpu.commit_overrun},
       {"dropped events:", &cpu.dropped_events}}};
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    for (const auto& [key, figure] : wanted) {
      if (line.starts_with(key)) *figure = leading_number(line.substr(key.size())).value_or(0);
    }
  }
}

}  // namespace netperfd::trace
