// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "daemon/workload/iperf3/document.hpp"
#include "daemon/workload/iperf3/end.hpp"
#include "daemon/workload/iperf3/intervals.hpp"
#include "daemon/workload/iperf3/sums.hpp"
#include "daemon/workload/iperf3/times.hpp"
#include "daemon/workload/iperf3/words.hpp"
#include "daemon/workload/quality_flags.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd::workload {
namespace {

std::string megabits(double bits_per_second) {
  return rows::plain_number(bits_per_second / 1e6, 4);
}

const CountedPart& part_of(const IntervalTotals& totals, Direction direction) {
  return direction == Direction::send ? totals.send : totals.receive;
}

std::vector<Direction> directions_of(const TestSpec& asked) {
  if (asked.traffic.direction == Direction::both) return {Direction::send, Direction::receive};
  return {asked.traffic.direction};
}

const Totals* sum_of(const WorkloadReport& report, Direction direction) {
  const auto sum = std::find_if(report.sums.begin(), report.sums.end(),
                                [&](const Totals& totals) { return totals.direction == direction; });
  return sum == report.sums.end() ? nullptr : &*sum;
}

// ---- Flags for the document as a whole --------------------------------------------------------------------

void flag_bytes(const Iperf3Document& document, std::vector<QualityFlag>& flags) {
  if (document.documents > 1) {
    add_flag(flags, Quality::duplicate_document,
             fmt::format("iperf3 printed {} documents; the last one with sums was used", document.documents));
  }
  if (document.text_bytes > 0) {
    add_flag(flags, Quality::text_around_document,
             fmt::format("{} bytes that are not iperf3's document stand beside it", document.text_bytes));
  }
  if (document.repaired_tokens > 0) {
    add_flag(flags, Quality::repaired_tokens,
             fmt::format(
                 "{} numbers were printed as nan or inf, or lie beyond 1.8e308, and are taken as not known",
                 document.repaired_tokens));
  }
  if (document.replaced_bytes > 0) {
    add_flag(flags, Quality::replaced_bytes,
             fmt::format("{} bytes of its texts are not UTF-8 and were replaced", document.replaced_bytes));
  }
  if (document.of_server) {
    add_flag(flags, Quality::server_document,
             "the document is of iperf3's server: what only its client counted is not known");
  }
  if (document.unreadable_values > 0) {
    add_flag(flags, Quality::unreadable_values,
             fmt::format("{} values are of a kind that iperf3 does not write there, first `{}`; they are "
                         "taken as not known",
                         document.unreadable_values, document.first_unreadable));
  }
}

void flag_not_as_asked(const Iperf3Document& document, const TestSpec& asked,
                       std::vector<QualityFlag>& flags) {
  std::string differences;
  const auto compare = [&](std::string_view what, const auto& was, const auto& wanted) {
    if (was == wanted) return;
    differences += fmt::format("{}{} {} instead of {}", differences.empty() ? "" : ", ", what, was, wanted);
  };
  std::string protocol = document.protocol;
  std::transform(protocol.begin(), protocol.end(), protocol.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (!protocol.empty()) compare("protocol", protocol, to_string(asked.traffic.protocol));
  if (document.num_streams) compare("streams", *document.num_streams, std::uint64_t{asked.traffic.streams});
  if (document.duration_s && asked.traffic.duration)
    compare("duration", *document.duration_s, in_seconds(*asked.traffic.duration));
  if (document.omit_s) compare("omit", *document.omit_s, in_seconds(asked.traffic.omit));
  if (!differences.empty()) {
    add_flag(flags, Quality::not_as_asked,
             fmt::format("the document tells of another test: {}", differences));
  }
}

// ---- Length of the test -----------------------------------------------------------------------------------

void flag_length(const TestSpec& asked, const IntervalTotals& intervals, std::vector<QualityFlag>& flags) {
  if (!asked.traffic.duration) return;
  const double planned = in_seconds(*asked.traffic.duration);
  for (const Direction direction : directions_of(asked)) {
    const double covered = part_of(intervals, direction).covered_s;
    if (part_of(intervals, direction).intervals == 0) continue;  // which fails the run, or has its own flag
    if (std::abs(covered - planned) <= std::max(0.01 * planned, 0.05)) continue;
    add_flag(flags, Quality::run_length,
             fmt::format("{}: the counted intervals cover {:.2f} s, {:.2f} s were asked",
                         to_string(direction), covered, planned));
  }
}

// Length of the last counted interval, including a following one without bytes, if it was a full interval.
std::optional<double> full_last_interval(const WorkloadReport& report, Direction direction,
                                         double interval_s) {
  constexpr double kWink = 0.02;  // share of an interval that a client needs to end
  double last = 0;
  for (const Interval& interval : report.intervals) {
    if (interval.direction != direction || interval.stream || interval.omitted) continue;
    const double length = interval.end_s - interval.start_s;
    const bool idle = length < kWink * interval_s || interval.bytes == 0;
    last = idle ? last + length : length;
  }
  if (last < (1 - kWink) * interval_s) return std::nullopt;
  return last;
}

// From 3.16 on, a client checks only at the end of an interval whether all its bytes are sent. A TCP stream
// has stopped by then, and the rest of the last interval counts as idle time; a UDP stream continues.
void flag_rounding(const Iperf3Document& document, const TestSpec& asked, const CountedPart& part,
                   const Totals& sum, ParsedReport& parsed) {
  const WorkloadReport& report = parsed.report;
  const auto idle = full_last_interval(report, sum.direction, in_seconds(asked.traffic.interval));
  if (!idle || part.covered_s <= 0) return;
  const std::uint64_t last_writes = document.block_bytes.value_or(0) * asked.traffic.streams;
  if (part.bytes > *asked.traffic.bytes + *asked.traffic.bytes / 20 + last_writes) {
    add_flag(parsed.flags, Quality::rounded_to_interval,
             fmt::format("{}: this iperf3 ends a test of so many bytes only with an interval, and went on to "
                         "{} of the {} bytes asked; the rate is right",
                         to_string(sum.direction), part.bytes, *asked.traffic.bytes));
    return;
  }
  const double bits = 8 * static_cast<double>(part.bytes);
  const double before_last = part.covered_s - *idle;
  add_flag(parsed.flags, Quality::rounded_to_interval,
           fmt::format(
               "{}: this iperf3 ends a test of so many bytes only with an interval, and up to {:.2f} s of "
               "the {:.2f} s were idle: the true rate is {} Mbit/s or more{}",
               to_string(sum.direction), *idle, part.covered_s, megabits(bits / part.covered_s),
               before_last > 0.01 ? fmt::format(", at most {} Mbit/s", megabits(bits / before_last)) : ""));
}

void flag_brevity(const Iperf3Document& document, const TestSpec& asked, const IntervalTotals& intervals,
                  ParsedReport& parsed) {
  const WorkloadReport& report = parsed.report;
  constexpr double kShortestSeconds = 0.95;
  constexpr std::uint64_t kFewestWrites = 10;
  for (const Totals& sum : report.sums) {
    const CountedPart& part = part_of(intervals, sum.direction);
    const std::uint64_t writes = part.bytes / std::max<std::uint64_t>(document.block_bytes.value_or(1), 1);
    if (sum.seconds && *sum.seconds < kShortestSeconds) {
      add_flag(parsed.flags, Quality::too_short,
               fmt::format("{}: the test lasted {:.4f} s; a connection has hardly opened its window by then",
                           to_string(sum.direction), *sum.seconds));
    } else if (asked.traffic.bytes && writes < kFewestWrites) {
      add_flag(parsed.flags, Quality::too_short,
               fmt::format("{}: {} bytes are {} writes; that tells nothing of a rate",
                           to_string(sum.direction), part.bytes, writes));
    }
    if (asked.traffic.bytes) flag_rounding(document, asked, part, sum, parsed);
  }
}

// ---- Verdict ----------------------------------------------------------------------------------------------

// How much of the requested time may be missing: iperf3 leaves out a last interval that is shorter than a
// tenth of an interval.
double length_tolerance(const TestSpec& asked) {
  const double planned = in_seconds(*asked.traffic.duration);
  return std::max(0.02 * planned, std::min(in_seconds(asked.traffic.interval), 0.1 * planned));
}

std::string judge_length(const TestSpec& asked, const IntervalTotals& intervals) {
  for (const Direction direction : directions_of(asked)) {
    const double covered = part_of(intervals, direction).covered_s;
    if (covered >= in_seconds(*asked.traffic.duration) - length_tolerance(asked)) continue;
    return fmt::format("the test ended early: of the {} s asked its intervals cover {:.2f} s ({})",
                       in_seconds(*asked.traffic.duration), covered, to_string(direction));
  }
  return {};
}

// The number of bytes applies to all streams together. In a bidirectional test, iperf3 ends when the first
// direction has them.
std::string judge_bytes(const TestSpec& asked, const WorkloadReport& report, bool of_server) {
  std::uint64_t most = 0;
  for (const Totals& sum : report.sums) {
    most = std::max({most, sum.sent_bytes.value_or(0), sum.received_bytes.value_or(0)});
  }
  // A server stops reading when its client says that it has sent all.
  const double share = of_server ? 0.9 : 0.99;
  if (static_cast<double>(most) >= share * static_cast<double>(*asked.traffic.bytes)) return {};
  return fmt::format("the test ended early: {} bytes of the {} asked were moved", most, *asked.traffic.bytes);
}

// A broken link and a hanging server look the same: no byte moves until the client is told to stop.
std::string explain_stop(const std::string& words, const Explained& explained,
                         const IntervalTotals& intervals) {
  const TestSpec& asked = explained.asked;
  for (const Direction direction : directions_of(asked)) {
    const CountedPart& part = part_of(intervals, direction);
    if (part.quiet_s < in_seconds(asked.traffic.interval)) continue;
    return with_words(fmt::format("no byte moved any more after {:.1f} s of the test, as with a link that is "
                                  "down or a server that hangs ({} port {}), and the client was told to stop",
                                  part.last_byte_s, asked.path.server, asked.iperf3.port),
                      words);
  }
  return explain(words, explained);
}

struct Output {
  std::string_view out, err;
  bool foreign;  // brought by a user
};

std::string judge_absence(const Iperf3Document& document, const Output& output, const Explained& asked) {
  const auto& [out, err, foreign] = output;
  if (document.other_json && err.empty() && !document.cut_short) {
    return "there is JSON, but no document of iperf3: none has `start` and `end`, or `error`";
  }
  const std::string words =
      words_in_text(err.empty() ? out : err, foreign ? TextOf::anybody : TextOf::iperf3);
  if (!document.problem.empty()) {
    const std::string_view defect =
        document.cut_short ? "ends in the middle, as when its client is killed" : "is not valid JSON";
    return with_words(fmt::format("iperf3's document {} ({})", defect, document.problem),
                      err.empty() ? "" : words);
  }
  if (!words.empty()) return explain(words, asked);
  if (foreign) {
    return "there is no whole document of iperf3 in it: expected is all that `iperf3 -J` or --json-stream "
           "printed, "
           "from its first brace to its last";
  }
  return "iperf3 ended without a word, as when its client is killed";
}

// iperf3's own words on why there is no test; empty: there are none.
std::string words_of(const Iperf3Document& document, const Output& output) {
  if (!document.errors.empty()) return document.errors.front();
  if (document.complete || document.other_json || !document.problem.empty()) return {};
  return words_in_text(output.err.empty() ? output.out : output.err, TextOf::iperf3);
}

std::uint64_t bytes_of(const Totals& sum) {
  return std::max(sum.sent_bytes.value_or(0), sum.received_bytes.value_or(0));
}

// Somebody has taken all intervals out of a document, or some, and its sums have more than the others. Then
// iperf3's own word on its length counts.
bool is_long_enough(const TestSpec& asked, const IntervalTotals& intervals, const WorkloadReport& report) {
  constexpr double kMore = 1.1;
  for (const Direction direction : directions_of(asked)) {
    const Totals* sum = sum_of(report, direction);
    if (sum == nullptr) return false;
    const CountedPart& part = part_of(intervals, direction);
    const double least = in_seconds(*asked.traffic.duration) - length_tolerance(asked);
    if (part.covered_s >= least) continue;
    if (part.intervals > 0 &&
        (!sum->seconds || static_cast<double>(bytes_of(*sum)) <= kMore * static_cast<double>(part.bytes)))
      return false;
    if (sum->seconds && *sum->seconds < least) return false;  // an unknown time has a flag
  }
  return true;
}

void flag_missing_intervals(const TestSpec& asked, const IntervalTotals& intervals, ParsedReport& parsed) {
  constexpr const char* kNone = "the document has no intervals: nothing can be checked against its sums";
  for (const Direction direction : directions_of(asked)) {
    const Totals* sum = sum_of(parsed.report, direction);
    const CountedPart& part = part_of(intervals, direction);
    const double seconds =
        asked.traffic.duration ? in_seconds(*asked.traffic.duration) : sum->seconds.value_or(0);
    const bool some = asked.traffic.duration ? part.covered_s < seconds - length_tolerance(asked)
                                             : are_shortened(part, bytes_of(*sum), seconds);
    if (part.intervals > 0 && !some) continue;
    add_flag(parsed.flags, Quality::missing_intervals,
             part.intervals == 0 ? kNone
                                 : fmt::format("of the {} s of the test, the document has only intervals of "
                                               "{:.2f} s: its sums cannot be checked",
                                               rows::plain_number(seconds, 4), part.covered_s));
    return;
  }
}

std::string judge(const Iperf3Document& document, const Output& output, const TestSpec& asked,
                  const IntervalTotals& intervals, ParsedReport& parsed) {
  const WorkloadReport& report = parsed.report;
  const Explained explained{.asked = asked, .protocol_known = !output.foreign || !document.protocol.empty()};
  if (!document.errors.empty()) {
    const std::string& words = document.errors.front();
    return says_client_was_stopped(words) ? explain_stop(words, explained, intervals)
                                          : explain(words, explained);
  }
  if (!document.complete) return judge_absence(document, output, explained);
  for (const Direction direction : directions_of(asked)) {
    const Totals* sum = sum_of(report, direction);
    if (sum == nullptr || (!sum->sent_bytes && !sum->received_bytes)) {
      return fmt::format("iperf3's document has no sum for the direction {}", to_string(direction));
    }
  }
  std::string early;
  if (asked.traffic.duration) {
    early = judge_length(asked, intervals);
    if (output.foreign && !early.empty() && is_long_enough(asked, intervals, report)) early.clear();
  } else if (asked.traffic.bytes) {
    early = judge_bytes(asked, report, document.of_server);
  }
  if (output.foreign && early.empty()) flag_missing_intervals(asked, intervals, parsed);
  return early;
}

std::optional<std::uint32_t> fitting(std::optional<std::uint64_t> value) {
  if (!value || *value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

void add_facts(const Iperf3Document& document, const TestSpec& asked, WorkloadReport& report) {
  report.version = document.version;
  report.client = document.client;
  report.server = document.server;
  report.mss_bytes = fitting(document.mss_bytes);
  const bool answered = far_side_answered(document, asked);
  // A server before 3.7 has that of its client from the test before.
  if (answered || !document.of_server || asked.traffic.direction != Direction::send)
    report.congestion = document.sender_congestion;
  if (answered || !document.of_server) report.cpu_client_percent = document.cpu_host_percent;
  if (answered || document.of_server) report.cpu_server_percent = document.cpu_remote_percent;
}

ParsedReport parse(const Iperf3Document& document, const Output& output, const TestSpec& asked) {
  ParsedReport parsed;
  WorkloadReport& report = parsed.report;
  IntervalTotals intervals;
  if (document.found) {
    flag_bytes(document, parsed.flags);
    flag_not_as_asked(document, asked, parsed.flags);
    add_facts(document, asked, report);
    intervals = read_intervals(document, asked, parsed);
    add_totals(document, asked, intervals, parsed);
    if (!report.sums.empty()) {
      flag_length(asked, intervals, parsed.flags);
      flag_brevity(document, asked, intervals, parsed);
    }
  }
  if (!output.foreign && !document.errors.empty() && report.intervals.empty()) {
    parsed.server = absence_in(document.errors.front());
  }
  parsed.error = judge(document, output, asked, intervals, parsed);
  parsed.lacks_something = !output.foreign && !parsed.error.empty() && report.intervals.empty() &&
                           will_repeat(words_of(document, output), asked);
  return parsed;
}

}  // namespace

ParsedReport parse_iperf3_report(std::string_view client_stdout, std::string_view client_stderr,
                                 const TestSpec& asked) {
  if (const std::string excess = excess_of(client_stdout); !excess.empty())
    return {.report = {}, .flags = {}, .error = "iperf3's document is too large: " + excess};
  return parse(read_document(client_stdout), {.out = client_stdout, .err = client_stderr, .foreign = false},
               asked);
}

ParsedReport parse_foreign_document(const Iperf3Document& document, std::string_view bytes,
                                    const TestSpec& asked) {
  return parse(document, {.out = bytes, .err = {}, .foreign = true}, asked);
}

std::vector<Interval> parse_live_intervals(std::string_view line, const TestSpec& asked) {
  std::vector<Interval> intervals;
  for (const Figures& sum : read_live_sums(line)) {
    if (auto interval = to_interval(sum, asked); interval && !interval->stream)
      intervals.push_back(*interval);
  }
  return intervals;
}

}  // namespace netperfd::workload
