// SPDX-License-Identifier: GPL-2.0-or-later
// What is counted (Linux, net/ipv4/tcp_output.c):
// - __tcp_retransmit_skb() adds the number of segments of an skb to TcpRetransSegs of the socket's network
//   namespace and to tcpi_total_retrans of the socket. If sending then fails, they remain counted, and
//   TcpExtTCPRetransFail counts them too, except for EBUSY. It traces tcp:tcp_retransmit_skb once: before
//   Linux 6.17 (commit ad892e912b84) only if sending succeeded, since then always, even if it gives up before
//   it counts.
// - tcp_rtx_synack() adds 1 to TcpRetransSegs and to TcpExtTCPSynRetrans; tcpi_total_retrans of the accepted
//   socket begins with this number. It traces another event.
// iperf3 reports the growth of tcpi_total_retrans of its streams; iperf_reset_stats() in its iperf_api.c
// starts anew at the end of the omitted part.
#include "client/pages/retransmits_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "client/pages/show_parts.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::show {
namespace {

// One of the run's network namespaces.
struct Sender {
  std::string netns;                      // empty: the host's own
  std::uint64_t counted = 0;              // TcpRetransSegs
  std::optional<std::uint64_t> reported;  // by iperf3, for the directions that are sent from here
  std::uint64_t omitted = 0;              // in the omitted intervals of these directions
  bool omitted_known = true;
};

std::string words(const Sender& sender) {
  return sender.netns.empty() ? "this host" : sender.netns;
}

// Absent if another machine sends. Only a server that netperfd ran has documents.
std::optional<std::string> sender_netns(const RunView& run, Direction direction) {
  if (direction == Direction::send) return run.client_netns.value_or("");
  const std::vector<std::string> documents = run.documents.value_or(std::vector<std::string>{});
  const bool by_netperfd = std::ranges::find(documents, "server.stdout") != documents.end();
  if (!run.server_netns && !by_netperfd) return std::nullopt;
  return run.server_netns.value_or("");
}

std::optional<std::uint64_t> omitted_of(const ShowView& view, Direction direction) {
  std::optional<std::uint64_t> omitted;
  if (view.details.run.omit_s.value_or(0) == 0) omitted = 0;
  for (const IntervalPointView& point : view.over_time.points) {
    const bool fits = point.direction == direction && point.sender && point.omitted;
    if (fits && point.retransmits) omitted = omitted.value_or(0) + *point.retransmits;
  }
  return omitted;
}

std::vector<Sender> senders_of(const ShowView& view) {
  std::vector<Sender> senders;
  if (!view.counters) return senders;
  for (const CounterView& counter : view.counters->counters) {
    if (counter.source != "snmp" || counter.name != "TcpRetransSegs") continue;
    Sender sender{.netns = counter.netns.value_or(""), .counted = counter.delta, .reported = {}};
    for (const SumView& sum : view.details.sums) {
      if (!sum.retransmits || sender_netns(view.details.run, sum.direction) != sender.netns) continue;
      const auto omitted = omitted_of(view, sum.direction);
      sender.reported = sender.reported.value_or(0) + *sum.retransmits;
      sender.omitted += omitted.value_or(0);
      sender.omitted_known = sender.omitted_known && omitted;
    }
    senders.push_back(std::move(sender));
  }
  return senders;
}

const TraceEventView* event_of(const ShowView& view) {
  if (!view.trace) return nullptr;
  const auto found = std::ranges::find(view.trace->events, "tcp:tcp_retransmit_skb", &TraceEventView::event);
  return found == view.trace->events.end() || !found->count ? nullptr : &*found;
}

bool is_restricted(const TraceView& trace, const TraceEventView& event) {
  return !event.filter.value_or("").empty() || trace.workload_only.value_or(false) ||
         (trace.only_cpus && !trace.only_cpus->empty());
}

bool is_incomplete(const TraceView& trace) {
  return trace.lost != 0 || !trace.broken.value_or("").empty();
}

std::string covered_words(const TraceView& trace, const TraceEventView& event) {
  if (is_restricted(trace, event)) return "what the trace was restricted to";
  return is_incomplete(trace) ? "what was not lost" : "the whole machine";
}

std::vector<Cells> rows_of(const ShowView& view, const std::vector<Sender>& senders) {
  std::vector<Cells> rows;
  const auto add = [&rows](std::string by, std::uint64_t count, const char* unit, std::string covers) {
    rows.push_back({{std::move(by)}, {format_count(count)}, {unit}, {std::move(covers)}});
  };
  const char* after = view.details.run.omit_s.value_or(0) > 0 ? " after the omitted part" : "";
  for (const SumView& sum : view.details.sums) {
    const char* way = view.details.sums.size() < 2          ? ""
                      : sum.direction == Direction::receive ? " to the client"
                                                            : " to the server";
    if (sum.retransmits)
      add(fmt::format("iperf3{}", way), *sum.retransmits, "segments", fmt::format("its streams{}", after));
  }
  for (const Sender& sender : senders) {
    if (sender.reported || sender.counted > 0)
      add("TcpRetransSegs of " + words(sender), sender.counted, "segments", "all connections there");
  }
  if (const TraceEventView* event = event_of(view))
    add(event->event, *event->count, "skbs", covered_words(view.trace->trace, *event));
  return rows;
}

// What TcpRetransSegs has in addition to iperf3.
std::string rest_words(const Sender& sender) {
  const std::uint64_t more = sender.counted - *sender.reported;
  const std::uint64_t rest = more - sender.omitted;
  if (more == 0) return fmt::format("TcpRetransSegs of {} equals iperf3's figure.", words(sender));
  const std::string others = fmt::format("{}by other connections or after iperf3's last report",
                                         sender.omitted_known ? "" : "in the omitted part, ");
  std::string where = ", " + others;
  if (rest == 0) where = ", in the omitted part";
  if (rest > 0 && sender.omitted > 0) {
    where = fmt::format(": {} in the omitted part, {} {}", format_count(sender.omitted), format_count(rest),
                        others);
  }
  return fmt::format("TcpRetransSegs of {} has {} more than iperf3{}.", words(sender), format_count(more),
                     where);
}

std::string skb_words(std::uint64_t events, const std::optional<std::uint64_t>& segments, bool whole) {
  std::string text = "An skb is a packet handed to the network stack. With GSO it can have several segments";
  const auto mean = ratio(segments, events);
  if (mean && *mean >= 1 && whole) text += fmt::format(", here {:.1f} per event", *mean);
  text += ". Since Linux 6.17, attempts that fail are events too.";
  if (mean && *mean < 1)
    text += " This and other network namespaces explain why there are more events than segments.";
  return text;
}

// Segments that are counted without the event.
std::uint64_t untraced(const std::vector<CounterView>& counters) {
  std::uint64_t sum = 0;
  for (const CounterView& counter : counters) {
    if (counter.name == "TcpExtTCPSynRetrans" || counter.name == "TcpExtTCPRetransFail") sum += counter.delta;
  }
  return sum;
}

std::string findings(const Screen& screen, const ShowView& view, const std::vector<Sender>& senders) {
  std::vector<std::string> notes;
  std::vector<std::string> conflicts;
  std::optional<std::uint64_t> counted;
  std::uint64_t reported = 0;
  bool checked = false;
  for (const Sender& sender : senders) {
    counted = counted.value_or(0) + sender.counted;
    if (!sender.reported) continue;
    checked = true;
    reported += *sender.reported;
    if (const std::uint64_t known = *sender.reported + sender.omitted; known > sender.counted) {
      conflicts.push_back(fmt::format(
          "iperf3 reports {} retransmitted segments from {}{}, but the kernel counted only {} for all "
          "connections there. One of the two is wrong.",
          format_count(known), words(sender), sender.omitted > 0 ? " with the omitted part" : "",
          format_count(sender.counted)));
    } else {
      notes.push_back(rest_words(sender));
    }
  }
  if (std::ranges::any_of(view.details.sums, [&](const SumView& sum) {
        return sum.retransmits && !sender_netns(view.details.run, sum.direction);
      })) {
    notes.emplace_back("The server is on another machine: its retransmissions are in iperf3's figure alone.");
  }
  if (const TraceEventView* event = event_of(view)) {
    const TraceView& trace = view.trace->trace;
    const bool whole = !is_restricted(trace, *event) && !is_incomplete(trace);
    if (whole && event->count == 0 && reported > 0 && reported > untraced(view.counters->counters)) {
      conflicts.push_back(fmt::format(
          "iperf3 reports {} retransmitted segments, but the event did not occur.", format_count(reported)));
    }
    notes.push_back(skb_words(*event->count, counted, whole));
  }
  const bool bad = !conflicts.empty();
  std::string text;
  if (bad) text = field(screen, "conflict", fmt::format("{}", fmt::join(conflicts, "\n")), Style::bad);
  if (notes.empty()) return text;
  return text +
         field(screen, checked && !bad ? "consistent" : "note", fmt::format("{}", fmt::join(notes, "\n")));
}

}  // namespace

std::string retransmits_part(const Screen& screen, const ShowView& view) {
  if (view.details.run.protocol != "tcp") return {};
  const std::vector<Sender> senders = senders_of(view);
  const auto reported = [](const SumView& sum) { return sum.retransmits.has_value(); };
  const int known = int{std::ranges::any_of(view.details.sums, reported)} + int{!senders.empty()} +
                    int{event_of(view) != nullptr};
  std::vector<Cells> rows = rows_of(view, senders);
  constexpr std::size_t kCount = 1;
  const bool any = std::ranges::any_of(rows, [](const Cells& row) { return row[kCount].text != "0"; });
  if (known < 2 || rows.size() < 2 || !any) return {};
  constexpr std::size_t kLeastRoom = 16;
  const std::string table = render_table(narrower(screen, kIndent),
                                         {{.title = "RETRANSMITTED", .shrink_to = kLeastRoom},
                                          {.title = "COUNT", .right = true},
                                          {.title = "UNIT"},
                                          {.title = "COVERS", .leaves = 1}},
                                         std::move(rows));
  return "\n" + indented(table, kIndent) + findings(screen, view, senders);
}

}  // namespace netperfctl::show
