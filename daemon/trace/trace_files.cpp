// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/trace_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/trace/ring/task_names.hpp"

namespace netperfd::trace {
namespace {

constexpr std::size_t kMostSymbolBytes = std::size_t{64} << 20;
constexpr std::size_t kMostLineBytes = 4096;

// The number at the start of `text`, after blanks.
std::optional<std::uint64_t> leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

// The format of "skb:kfree_skb" is below events/skb/kfree_skb.
std::string format_path(std::string event) {
  std::ranges::replace(event, ':', '/');
  return fmt::format("events/{}/format", event);
}

Result<KnownEvent> read_format(Tracefs& tracefs, const std::string& name) {
  const std::string path = format_path(name);
  const auto text = tracefs.read(path);
  if (!text) return std::unexpected(text.error());
  auto format = parse_event_format(*text);
  if (!format) return fail(format.error().kind, fmt::format("{}: {}", path, format.error().message));
  return KnownEvent{name, std::move(*format)};
}

// All events that `spec` can put into the buffers.
std::vector<std::string> event_names(Tracefs& tracefs, const TraceSpec& spec) {
  std::vector<std::string> names;
  for (const EventSpec& event : spec.events) names.push_back(event.name);
  // User stacks are off in the instance, but somebody may turn them on again.
  for (const char* own : {"ftrace:print", "ftrace:kernel_stack", "ftrace:user_stack"})
    names.emplace_back(own);
  if (spec.function_graph) {
    for (const char* own : {"ftrace:funcgraph_entry", "ftrace:funcgraph_exit"}) names.emplace_back(own);
    // Used instead of the first if somebody has the option funcgraph-retaddr on, in kernels that have it.
    const std::string with_address = "ftrace:fgraph_retaddr_entry";
    if (tracefs.exists(format_path(with_address))) names.push_back(with_address);
  }
  return names;
}

}  // namespace

Result<SubbufferLayout> read_layout(Tracefs& tracefs, const TraceSession& session) {
  const auto text = tracefs.read("events/header_page");
  if (!text) return std::unexpected(text.error());
  auto layout = parse_header_page(*text);
  if (!layout) return layout;
  // Since Linux 6.8; before that, a sub-buffer is always a page, as header_page says.
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
  for (const std::string& name : event_names(tracefs, spec)) {
    auto event = read_format(tracefs, name);
    if (!event) return std::unexpected(std::move(event.error()));
    events.push_back(std::move(*event));
  }
  return events;
}

Result<RecordingFacts> read_recording_facts(Tracefs& tracefs, const TraceSession& session,
                                            const std::string& proc, const TaskScreen* tasks) {
  RecordingFacts facts;
  const auto take = [&](const std::string& path, std::string& into) -> Status {
    auto text = tracefs.read(path);
    if (!text) return std::unexpected(std::move(text.error()));
    into = std::move(*text);
    return {};
  };
  if (auto read = take("events/header_page", facts.header_page); !read) return std::unexpected(read.error());
  if (auto read = take("events/header_event", facts.header_event); !read)
    return std::unexpected(read.error());
  for (const std::string& name : event_names(tracefs, session.spec())) {
    auto& [event, text] = facts.formats.emplace_back(name, "");
    if (auto read = take(format_path(name), text); !read) return std::unexpected(read.error());
  }
  auto symbols = read_file(proc + "/kallsyms", kMostSymbolBytes);
  if (!symbols) return std::unexpected(std::move(symbols.error()));
  facts.kallsyms = std::move(*symbols);
  facts.task_names = tracefs.read("saved_cmdlines").value_or("");
  if (tasks != nullptr) facts.task_names = shown_task_names(facts.task_names, *tasks);
  facts.clock = session.clock();
  const auto release = read_file(proc + "/sys/kernel/osrelease", kMostLineBytes);
  if (release) facts.kernel = release->substr(0, release->find('\n'));
  const auto layout = read_layout(tracefs, session);
  if (!layout) return std::unexpected(layout.error());
  facts.subbuffer_bytes = layout->size();
  const auto cpus = tracefs.list(session.path("per_cpu"));
  if (cpus) facts.cpus = static_cast<std::uint32_t>(cpus->size());
  return facts;
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

}  // namespace netperfd::trace
