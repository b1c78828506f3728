// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as sub-buffers of some CPUs with function_graph's records, converted to a function profile and to
// the kernel's text. The first byte of the input selects kernel and sizes. Sub-buffers follow; the first byte
// of each, in its time stamp, selects its CPU.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/analysis/calls/call_tracker.hpp"
#include "daemon/analysis/calls/histogram.hpp"
#include "daemon/model/text.hpp"
#include "daemon/trace/recording/graph_text.hpp"
#include "daemon/trace/ring/graph_format.hpp"
#include "daemon/trace/ring/subbuffer_order.hpp"

using netperfd::analysis::CallTracker;
using netperfd::analysis::GraphEvent;
using netperfd::analysis::GraphEventKind;
using netperfd::trace::GraphFormat;
using netperfd::trace::KnownEvent;
using netperfd::trace::RawRecord;
using netperfd::trace::SubbufferLayout;
using netperfd::trace::SubbufferOrder;
using netperfd::trace::SubbufferWalk;
using netperfd::trace::Symbols;

namespace {

constexpr unsigned kCpus = 4;
constexpr unsigned kLongDepth = 1;  // bits of the first byte
constexpr unsigned kNoTimes = 2;
constexpr unsigned kSmall = 4;
constexpr unsigned kTurns = 8;

void require(bool holds) {
  if (!holds) std::abort();
}

KnownEvent event(const std::string& system, const std::string& name, const std::string& id,
                 const std::string& fields) {
  auto format = netperfd::trace::parse_event_format(
      "name: " + name + "\nID: " + id +
      "\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
      "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
      "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" +
      fields);
  require(format.has_value());
  return {system + ":" + name, *std::move(format)};
}

// With the ids of Debian 13's kernel, so that its sub-buffers can serve as seeds.
std::vector<KnownEvent> events_of(unsigned kernel) {
  const std::string func = "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n";
  const std::string depth = (kernel & kLongDepth) != 0
                                ? "\tfield:unsigned long depth;\toffset:16;\tsize:8;\tsigned:0;\n"
                                : "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
                                  "\tfield:unsigned int overrun;\toffset:20;\tsize:4;\tsigned:0;\n";
  const std::string times = (kernel & kNoTimes) != 0
                                ? ""
                                : "\tfield:unsigned long long calltime;\toffset:24;\tsize:8;\tsigned:0;\n"
                                  "\tfield:unsigned long long rettime;\toffset:32;\tsize:8;\tsigned:0;\n";
  return {event("ftrace", "funcgraph_exit", "10", func + depth + times),
          event("ftrace", "funcgraph_entry", "11", func + depth),
          event("ftrace", "function", "1",
                "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
                "\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n"),
          event("ftrace", "print", "5",
                "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
                "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n"),
          event("sched", "sched_switch", "372",
                "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n\n"
                "print fmt: \"prev_comm=%s next_pid=%d\", REC->prev_comm, REC->next_pid\n")};
}

using Subbuffers = std::vector<std::pair<std::uint32_t, std::span<const std::byte>>>;

Subbuffers cut(std::span<const std::byte> bytes, std::size_t size) {
  Subbuffers result;
  while (!bytes.empty()) {
    const auto one = bytes.first(std::min(size, bytes.size()));
    result.emplace_back(std::to_integer<unsigned>(one[0]) % kCpus, one);
    bytes = bytes.subspan(one.size());
  }
  return result;
}

struct Counts {
  std::uint64_t entries = 0;
  std::uint64_t exits = 0;
  std::uint64_t hits = 0;
};

void count(Counts& counts, const GraphEvent& event) {
  counts.entries += event.kind == GraphEventKind::entry ? 1 : 0;
  counts.exits += event.kind == GraphEventKind::exit ? 1 : 0;
  counts.hits += event.kind == GraphEventKind::hit ? 1 : 0;
}

void check(const netperfd::FunctionProfile& profile, const Counts& counts) {
  std::uint64_t hits = 0;
  for (const auto& function : profile.functions) {
    hits += function.hits;
    require(function.min_ns <= function.max_ns);
    require(netperfd::analysis::count(function.histogram) <= function.hits);
  }
  // Every entry and every exit belongs to a whole call or is counted as damage.
  const auto& damage = profile.damage;
  require(hits + damage.open_at_start + damage.unmatched_exits == counts.exits + counts.hits);
  // Without any entry, as with tracing_thresh, each exit is a call.
  require(counts.entries == 0 ||
          hits + damage.open_at_end + damage.unmatched_entries == counts.entries + counts.hits);
  for (const auto& edge : profile.edges)
    require(edge.caller < profile.functions.size() && edge.callee < profile.functions.size());
  for (std::size_t i = 0; i < profile.tree.size(); ++i)
    require(!profile.tree[i].parent || *profile.tree[i].parent < i);
}

#ifdef NETPERFD_PLANTED_BUG
// Assumes that every exit is as long as in 6.12: detected only if a shorter one is at the end of the input.
void read_too_far(std::span<const std::byte> record) {
  static volatile unsigned sum = 0;
  sum = sum + std::to_integer<unsigned>(record.data()[55]);
}
#endif

class Reader {
 public:
  explicit Reader(const GraphFormat& format) : format_(format) {}

  void turn_to(std::uint32_t cpu) { cpu_ = cpu; }
  void begin(const SubbufferWalk& subbuffer) {
    if (!subbuffer.lost_unknown() && subbuffer.lost_events() == 0) return;
    GraphEvent event;
    event.time = subbuffer.begin_time();
    event.kind = GraphEventKind::lost;
    tracker_.add(cpu_, event);
  }
  void take(const RawRecord& record) {
    GraphEvent event;
    if (!format_.read(record.time, record.data, event)) return;
#ifdef NETPERFD_PLANTED_BUG
    if (event.kind == GraphEventKind::exit) read_too_far(record.data);
#endif
    tracker_.add(cpu_, event);
    count(counts_, event);
  }
  void end(const SubbufferWalk& /*subbuffer*/) {}

  [[nodiscard]] CallTracker& tracker() { return tracker_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  const GraphFormat& format_;
  CallTracker tracker_{{.sleep_in_recorded = true,
                        .off_cpu_known = true,
                        .tree_nodes = 20,
                        .functions = 10,
                        .tasks = 5,
                        .slices = 6}};
  Counts counts_;
  std::uint32_t cpu_ = 0;
};

void make_profile(const GraphFormat& format, const SubbufferLayout& layout, const Subbuffers& subbuffers,
                  bool turns) {
  constexpr auto kAlways = [] { return true; };
  Reader reader(format);
  SubbufferOrder order(layout, 2 * layout.size());
  for (const auto& [cpu, bytes] : subbuffers) {
    order.add(cpu, {bytes.begin(), bytes.end()});
    if (turns) {
      const std::array<std::uint32_t, 1> behind{cpu};
      order.end_turn(std::span(behind).first(cpu % 2), reader, kAlways);
      (void)reader.tracker().take_hits();
    }
  }
  require(order.finish(reader, kAlways));
  const auto name = [](std::uint64_t address) {
    return netperfd::analysis::FunctionName{std::to_string(address % 16), "", 0};
  };
  check(reader.tracker().finish(name), reader.counts());
}

void make_text(const SubbufferLayout& layout, const std::vector<KnownEvent>& events,
               const Subbuffers& subbuffers) {
  std::map<std::uint32_t, std::vector<std::byte>> joined;
  for (const auto& [cpu, bytes] : subbuffers) {
    auto& all = joined[cpu];
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  Subbuffers cpus;
  for (const auto& [cpu, bytes] : joined) cpus.emplace_back(cpu, bytes);
  static const auto symbols = Symbols::parse("ffffffff81000000 T ip_rcv\n", 1);
  const std::map<std::int32_t, std::string> names{{1, "init"}};
  netperfd::trace::write_graph_text({layout, events, symbols, names}, cpus, layout.size(),
                                    [](std::string_view text) {
                                      while (!text.empty()) {
                                        const auto end = text.find('\n');
                                        require(end != std::string_view::npos);
                                        require(netperfd::is_printable(text.substr(0, end)));
                                        text.remove_prefix(end + 1);
                                      }
                                    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  if (size == 0) return 0;
  const unsigned kernel = input[0];
  SubbufferLayout layout;
  if ((kernel & kSmall) != 0) layout.data_size = 256 - layout.data_offset;
  static const std::array kernels{events_of(0), events_of(kLongDepth), events_of(kNoTimes),
                                  events_of(kLongDepth | kNoTimes)};
  const auto& events = kernels[kernel & (kLongDepth | kNoTimes)];
  const auto format = GraphFormat::make(events);
  require(format.has_value());
  const auto subbuffers = cut(std::as_bytes(std::span(input, size)).subspan(1), layout.size());
  make_profile(*format, layout, subbuffers, (kernel & kTurns) != 0);
  make_text(layout, events, subbuffers);
  return 0;
}
