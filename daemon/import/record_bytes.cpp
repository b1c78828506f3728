#include "daemon/import/record_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/import/archive.hpp"
#include "daemon/import/archive_values.hpp"
#include "daemon/import/record_check.hpp"

namespace netperfd::import {
namespace {

// These two are for all types below, and stand behind them.
template <class Archive, class T>
void put(Archive& archive, std::optional<T>& value);
template <class Archive, class T>
void put_list(Archive& archive, std::vector<T>& list, std::size_t most);

template <class Archive, class First, class Second>
void put(Archive& archive, std::pair<First, Second>& pair) {
  put(archive, pair.first);
  put(archive, pair.second);
}

// Each binding below names all members of its type. If a member is added to a type, this does not compile
// until the member is added here too.
template <class Archive>
void put(Archive& archive, TraceCpu& value) {
  auto& [cpu, records, bytes, lost, overrun, commit_overrun, dropped, damaged] = value;
  put(archive, cpu);
  for (auto* figure : {&records, &bytes, &lost, &overrun, &commit_overrun, &dropped, &damaged}) {
    put(archive, *figure);
  }
}

template <class Archive>
void put(Archive& archive, EventCount& value) {
  auto& [name, filter, count, slices] = value;
  put(archive, name);
  put(archive, filter);
  put(archive, count);
  put_list(archive, slices, kMostSlices);
}

template <class Archive>
void put(Archive& archive, EventField& value) {
  auto& [name, content, text] = value;
  put(archive, name);
  std::uint64_t kind = content.index();
  archive.number(kind);
  if constexpr (Archive::kReads) {
    if (kind == 0) {
      content = std::int64_t{0};
    } else if (kind == 1) {
      content = std::uint64_t{0};
    } else if (kind == 2) {
      content = std::string();
    } else {
      return archive.fail();
    }
  }
  std::visit([&](auto& held) { put(archive, held); }, content);
  put(archive, text);
}

template <class Archive>
void put(Archive& archive, EventSample& value) {
  auto& [event, ordinal, time, cpu, pid, task, fields] = value;
  put(archive, event);
  put(archive, ordinal);
  put(archive, time);
  put(archive, cpu);
  put(archive, pid);
  put(archive, task);
  put_list(archive, fields, kMostFields);
}

template <class Archive>
void put(Archive& archive, StackCount& value) {
  auto& [event, frames, count] = value;
  put(archive, event);
  put_list(archive, frames, kMostFrames);
  put(archive, count);
}

template <class Archive>
void put(Archive& archive, DropCount& value) {
  auto& [reason, location, count] = value;
  put(archive, reason);
  put(archive, location);
  put(archive, count);
}

template <class Archive>
void put(Archive& archive, TraceMark& value) {
  auto& [time, text, user] = value;
  put(archive, time);
  put(archive, text);
  put(archive, user);
}

template <class Archive>
void put(Archive& archive, FunctionStats& value) {
  auto& [name, module, duplicate, hits, total, self, recorded, interrupted, off_cpu, callees, interruptions,
         roots, interrupt_roots, min, max, p50, p90, p99, p999, histogram, corrected, slice_hits,
         slice_self] = value;
  auto& [buckets] = histogram;
  put(archive, name);
  put(archive, module);
  put(archive, duplicate);
  for (auto* figure : {&hits, &total, &self, &recorded, &interrupted, &off_cpu, &callees, &interruptions,
                       &roots, &interrupt_roots, &min, &max, &p50, &p90}) {
    put(archive, *figure);
  }
  put(archive, p99);
  put(archive, p999);
  put_list(archive, buckets, kMostBuckets);
  put(archive, corrected);
  put_list(archive, slice_hits, kMostSlices);
  put_list(archive, slice_self, kMostSlices);
}

template <class Archive>
void put(Archive& archive, CallEdge& value) {
  auto& [caller, callee, hits, total] = value;
  put(archive, caller);
  put(archive, callee);
  put(archive, hits);
  put(archive, total);
}

template <class Archive>
void put(Archive& archive, CallNode& value) {
  auto& [parent, function, in_interrupt, hits, total, self] = value;
  put(archive, parent);
  put(archive, function);
  put(archive, in_interrupt);
  for (auto* figure : {&hits, &total, &self}) put(archive, *figure);
}

template <class Archive>
void put(Archive& archive, CallDamage& value) {
  auto& [open_at_start, open_at_end, unmatched_exits, unmatched_entries, over_losses, depth_overruns, clipped,
         out_of_order, tree_overflow] = value;
  for (auto* figure : {&open_at_start, &open_at_end, &unmatched_exits, &unmatched_entries, &over_losses,
                       &depth_overruns, &clipped, &out_of_order, &tree_overflow}) {
    put(archive, *figure);
  }
}

template <class Archive>
void put(Archive& archive, Calibration& value) {
  auto& [entry, callee, calls] = value;
  put(archive, entry);
  put(archive, callee);
  put(archive, calls);
}

template <class Archive>
void put(Archive& archive, Build& value) {
  auto& [module, release, build_id, srcversion] = value;
  for (auto* text : {&module, &release, &build_id, &srcversion}) put(archive, *text);
}

template <class Archive>
void put(Archive& archive, FunctionProfile& value) {
  auto& [functions, edges, tree, damage, slice_ns, timed, sleep_in_recorded, off_cpu_known, depth,
         calibration, not_calibrated, builds] = value;
  put_list(archive, functions, kMostFunctions);
  put_list(archive, edges, kMostEdges);
  put_list(archive, tree, kMostNodes);
  put(archive, damage);
  put(archive, slice_ns);
  put(archive, timed);
  put(archive, sleep_in_recorded);
  put(archive, off_cpu_known);
  put(archive, depth);
  put(archive, calibration);
  put(archive, not_calibrated);
  put_list(archive, builds, kMostBuilds);
}

template <class Archive>
void put(Archive& archive, TraceRecord& value) {
  auto& [skipped, broken, clock, buffer_bytes, functions, missing_functions, workload_only, slice_width,
         only_cpus, cpus, events, samples, stacks, stacks_left_out, drops, marks, profile, recording,
         recording_left_out] = value;
  for (auto* text : {&skipped, &broken, &clock}) put(archive, *text);
  put(archive, buffer_bytes);
  put(archive, functions);
  put_list(archive, missing_functions, kMostFunctions);
  put(archive, workload_only);
  put(archive, slice_width);
  put_list(archive, only_cpus, kMostCpus);
  put_list(archive, cpus, kMostCpus);
  put_list(archive, events, kMostEvents);
  put_list(archive, samples, kMostSamples);
  put_list(archive, stacks, kMostStacks);
  put(archive, stacks_left_out);
  put_list(archive, drops, kMostDrops);
  put_list(archive, marks, kMostMarks);
  put(archive, profile);
  put(archive, recording);
  put(archive, recording_left_out);
}

template <class Archive>
void put(Archive& archive, QualityFlag& value) {
  auto& [code, message] = value;
  put(archive, code);
  put(archive, message);
}

template <class Archive>
void put(Archive& archive, Endpoint& value) {
  auto& [host, port] = value;
  put(archive, host);
  put(archive, port);
}

template <class Archive>
void put(Archive& archive, Totals& value) {
  auto& [direction, stream, seconds, sent_bytes, received_bytes, sent_rate, received_rate, retransmits, cwnd,
         min_rtt, mean_rtt, max_rtt, jitter, packets, lost, lost_percent, out_of_order] = value;
  put_word(archive, direction, Direction::both);
  put(archive, stream);
  for (auto* figure : {&seconds, &sent_rate, &received_rate, &jitter, &lost_percent}) put(archive, *figure);
  for (auto* figure : {&sent_bytes, &received_bytes, &retransmits, &cwnd, &min_rtt, &mean_rtt, &max_rtt,
                       &packets, &out_of_order}) {
    put(archive, *figure);
  }
  put(archive, lost);
}

template <class Archive>
void put(Archive& archive, Interval& value) {
  auto& [direction, stream, sender, omitted, start, end, seconds, bytes, rate, retransmits, cwnd, rtt, rttvar,
         pmtu, jitter, packets, lost, lost_percent] = value;
  put_word(archive, direction, Direction::both);
  put(archive, stream);
  for (auto* mark : {&sender, &omitted}) put(archive, *mark);
  for (auto* figure : {&start, &end, &seconds}) put(archive, *figure);
  for (auto* figure : {&rate, &jitter, &lost_percent}) put(archive, *figure);
  for (auto* figure : {&bytes, &retransmits, &cwnd, &rtt, &rttvar, &pmtu, &packets}) put(archive, *figure);
  put(archive, lost);
}

template <class Archive>
void put(Archive& archive, Iperf3Report& value) {
  auto& [version, client, server, mss, congestion, cpu_client, cpu_server, sums, streams, intervals, flags] =
      value;
  for (auto* text : {&version, &congestion}) put(archive, *text);
  for (auto* host : {&client, &server}) put(archive, *host);
  put(archive, mss);
  for (auto* share : {&cpu_client, &cpu_server}) put(archive, *share);
  put_list(archive, sums, kMostSums);
  put_list(archive, streams, kMostStreams);
  put_list(archive, intervals, kMostIntervals);
  put_list(archive, flags, kMostFlags);
}

// Only what ImportedWorkload says of it.
template <class Archive>
void put(Archive& archive, Iperf3Spec& value) {
  put(archive, value.server);
  put(archive, value.port);
  put_word(archive, value.protocol, Protocol::sctp);
  put_word(archive, value.direction, Direction::both);
  put(archive, value.streams);
  put(archive, value.duration);
  put(archive, value.bytes);
  put(archive, value.omit);
  put(archive, value.interval);
  put(archive, value.bitrate);
  put(archive, value.length_bytes);
}

template <class Archive>
void put(Archive& archive, ImportedWorkload& value) {
  auto& [asked, report, started] = value;
  put(archive, asked);
  put(archive, report);
  put(archive, started);
}

template <class Archive>
void put(Archive& archive, ImportedFile& value) {
  auto& [trace, workload, flags] = value;
  put(archive, trace);
  put(archive, workload);
  put_list(archive, flags, kMostFlags);
}

template <class Archive, class T>
void put(Archive& archive, std::optional<T>& value) {
  bool there = value.has_value();
  put(archive, there);
  if constexpr (Archive::kReads) {
    if (there) value.emplace();
  }
  if (value) put(archive, *value);
}

// A list grows as elements arrive, doubling each time, so a false length alone allocates no memory.
template <class T>
bool make_room(ByteReader& reader, std::vector<T>& list, std::size_t wanted) {
  if (list.size() < list.capacity()) return true;
  const std::size_t capacity = std::min(wanted, std::max<std::size_t>(2 * list.size(), 1));
  if (!reader.may_take((capacity - list.size()) * sizeof(T))) return false;
  list.reserve(capacity);
  return true;
}

template <class Archive, class T>
void put_list(Archive& archive, std::vector<T>& list, std::size_t most) {
  std::uint64_t size = list.size();
  archive.number(size);
  if constexpr (Archive::kReads) {
    if (size > most) return archive.fail();
    for (std::uint64_t i = 0; i < size && !archive.failed(); ++i) {
      if (make_room(archive, list, static_cast<std::size_t>(size))) put(archive, list.emplace_back());
    }
  } else {
    for (T& element : list) put(archive, element);
  }
}

}  // namespace

std::string to_bytes(const ImportedFile& file) {
  ByteWriter writer;
  // The walk is one for both directions; the writer changes nothing.
  put(writer, const_cast<ImportedFile&>(file));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return writer.take();
}

Result<ImportedFile> from_bytes(std::string_view bytes) {
  ByteReader reader(bytes, kMostDecodedBytes);
  ImportedFile file;
  put(reader, file);
  if (reader.too_large()) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("what the file holds takes more than {} MiB", kMostDecodedBytes >> 20U));
  }
  if (reader.failed() || !reader.at_end()) {
    return fail(ErrorKind::invalid_argument, "what was read of the file came back damaged");
  }
  if (auto checked = check_file(file); !checked) return std::unexpected(checked.error());
  return file;
}

}  // namespace netperfd::import
