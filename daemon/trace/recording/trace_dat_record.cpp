// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/trace_dat_record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/trace/recording/graph_text.hpp"
#include "daemon/trace/recording/trace_dat.hpp"
#include "daemon/trace/recording/trace_dat_data.hpp"
#include "daemon/trace/ring/function_names.hpp"
#include "daemon/trace/ring/graph_format.hpp"
#include "daemon/trace/ring/own_events.hpp"
#include "daemon/trace/ring/symbols.hpp"
#include "daemon/trace/ring/tally.hpp"
#include "daemon/trace/ring/tally_marks.hpp"
#include "daemon/trace/ring/task_names.hpp"
#include "daemon/trace/ring/trace_flags.hpp"

namespace netperfd::trace {
namespace {

// Number of sub-buffers read between two turns; their events are held until they are in order of time.
constexpr std::size_t kTurn = 256;

struct CpuData {
  std::uint32_t cpu = 0;
  DatSubbuffers subbuffers;
  [[nodiscard]] bool at_end() const { return subbuffers.current().empty(); }
};

Result<std::vector<CpuData>> open_lanes(std::span<const std::byte> file, const TraceDat& dat) {
  std::vector<CpuData> lanes;
  for (const DatCpu& cpu : dat.cpus) {
    auto subbuffers = DatSubbuffers::open(file, dat, cpu);
    if (!subbuffers) return std::unexpected(subbuffers.error());
    lanes.push_back({cpu.cpu, std::move(*subbuffers)});
  }
  return lanes;
}

// Always reads the sub-buffer with the earliest start over all CPUs. A turn ends after kTurn of them. A CPU
// with more to come is behind, since its remaining records may be older than those of other CPUs.
Status tally_all(std::vector<CpuData>& lanes, Tally& tally) {
  std::vector<std::uint32_t> behind;
  do {
    for (std::size_t i = 0; i < kTurn; ++i) {
      CpuData* oldest = nullptr;
      for (CpuData& lane : lanes) {
        if (lane.at_end()) continue;
        if (oldest == nullptr || lane.subbuffers.time() < oldest->subbuffers.time()) oldest = &lane;
      }
      if (oldest == nullptr) break;
      tally.add(oldest->cpu, oldest->subbuffers.current());
      if (auto next = oldest->subbuffers.advance(); !next) return next;
    }
    behind.clear();
    for (const CpuData& lane : lanes) {
      if (!lane.at_end()) behind.push_back(lane.cpu);
    }
    tally.end_turn(behind, [] { return true; });
  } while (!behind.empty());
  return {};
}

std::uint64_t count_of(const TraceRecord& record, std::string_view name) {
  const auto found = std::ranges::find(record.events, name, &EventCount::name);
  return found == record.events.end() ? 0 : found->count;
}

// "Linux host 6.12.117 x86_64" as written by trace-cmd, or only the release.
std::string release_of(std::string_view kernel) {
  if (kernel.starts_with("Linux ")) {
    kernel.remove_prefix(std::min(kernel.find(' ', 6), kernel.size() - 1) + 1);
  }
  return std::string(kernel.substr(0, kernel.find(' ')));
}

// The file has the formats of many events, but not which of them were requested.
void leave_out_what_never_occurred(TraceRecord& record) {
  std::erase_if(record.events, [](const EventCount& event) { return event.count == 0; });
  const bool graph =
      count_of(record, "ftrace:funcgraph_entry") > 0 || count_of(record, "ftrace:funcgraph_exit") > 0;
  if (!graph && count_of(record, "ftrace:function") == 0) record.profile.reset();
  if (record.profile) record.profile->off_cpu_known = count_of(record, kSwitchEvent) > 0;
}

void add_file_facts(TraceRecord& record, const TraceDat& dat) {
  record.clock = dat.clock;
  if (record.profile) record.profile->builds.push_back({"", release_of(dat.kernel), "", ""});
  for (const TraceCpu& from : dat.statistics) {
    const auto cpu = std::ranges::find(record.cpus, from.cpu, &TraceCpu::cpu);
    if (cpu == record.cpus.end()) continue;
    cpu->overrun = from.overrun;
    cpu->commit_overrun = from.commit_overrun;
    cpu->dropped_events = from.dropped_events;
  }
  if (dat.instances.empty()) return;
  constexpr std::size_t kMostNamed = 10;
  std::vector<std::string> names;
  for (const std::string& name : dat.instances) {
    if (names.size() < kMostNamed) names.push_back(one_line(std::string_view(name).substr(0, 64)));
  }
  record.broken = fmt::format("only the file's top buffer was read, not {} of an instance: {}{}",
                              dat.instances.size() == 1 ? "that" : "those", fmt::join(names, ", "),
                              names.size() < dat.instances.size() ? " and others" : "");
}

// With the CPUs that lost an unknown number of records.
Result<TraceRecord> read_record(std::span<const std::byte> file, std::set<std::uint32_t>& uncounted) {
  auto dat = read_trace_dat(file);
  if (!dat) return std::unexpected(dat.error());
  auto lanes = open_lanes(file, *dat);
  if (!lanes) return std::unexpected(lanes.error());
  TallySettings settings;
  settings.layout = dat->layout;
  auto graph = GraphFormat::make(dat->events);
  if (!graph) return std::unexpected(graph.error());
  settings.graph = std::move(*graph);
  settings.events = std::move(dat->events);
  settings.calls.sleep_in_recorded.reset();  // not in the file
  Tally tally(std::move(settings));
  if (auto read = tally_all(*lanes, tally); !read) return std::unexpected(read.error());

  const auto symbols = Symbols::parse(dat->kallsyms, Symbols::random_key());
  const FunctionNames names(symbols);
  TraceRecord record =
      tally.finish(symbols, dat->task_names, [&](std::uint64_t address) { return names.name_of(address); });
  uncounted = tally.uncounted_losses();
  leave_out_what_never_occurred(record);
  add_file_facts(record, *dat);
  return record;
}

}  // namespace

Result<TraceRecord> record_of_trace_dat(std::span<const std::byte> file) {
  std::set<std::uint32_t> uncounted;
  return read_record(file, uncounted);
}

Result<ImportedFile> file_of_trace_dat(std::span<const std::byte> file) {
  std::set<std::uint32_t> uncounted;
  auto record = read_record(file, uncounted);
  if (!record) return std::unexpected(std::move(record.error()));
  ImportedFile imported;
  imported.flags = trace_flags(*record, {}, {}, uncounted);
  imported.trace = std::move(*record);
  return imported;
}

Status text_of_trace_dat(std::span<const std::byte> file, TextReader reader,
                         const std::function<void(std::string_view)>& sink) {
  const auto dat = read_trace_dat(file);
  if (!dat) return std::unexpected(dat.error());
  if (dat->compressed) {
    return fail(ErrorKind::invalid_argument,
                "trace.dat: its sub-buffers are compressed, as netperfd's never are");
  }
  std::vector<std::pair<std::uint32_t, std::span<const std::byte>>> cpus;
  for (const DatCpu& cpu : dat->cpus) {
    cpus.emplace_back(cpu.cpu,
                      cpu.size == 0 ? std::span<const std::byte>{} : file.subspan(cpu.offset, cpu.size));
  }
  const auto symbols = Symbols::parse(dat->kallsyms, Symbols::random_key());
  const auto task_names = parse_task_names(dat->task_names);
  // A recording from before netperfd hid tasks names all of them, and which were the owner's is unknown.
  const bool lists_shown = lists_shown_tasks(dat->task_names);
  const auto screen = reader == TextReader::root ? TaskScreen() : TaskScreen([&](std::int32_t pid) {
    return lists_shown && task_names.contains(pid);
  });
  write_graph_text({dat->layout, dat->events, symbols, task_names, {}, screen}, cpus, dat->layout.size(),
                   sink);
  return {};
}

}  // namespace netperfd::trace
