// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/netperf/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "daemon/model/wording.hpp"
#include "daemon/workload/quality_flags.hpp"
#include "daemon/workload/text_scan.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd::workload {
namespace {

constexpr const char* kBits = "bits/s";
constexpr const char* kTransactions = "transactions/s";
constexpr double kNsOfUs = 1e3;
constexpr double kKilobyte = 1'024;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// A share of all CPUs; netperf prints -1 for what it did not measure. Netperf 2.7.0 prints multiples of it
// for the remote side of TCP_CRR, and the CPU time per transaction is as wrong.
bool is_possible(std::optional<double> percent) {
  constexpr double kMost = 100.5;
  return !percent || *percent <= kMost;
}

void add_cpu(ToolRun& run, std::string_view side, double percent) {
  if (percent >= 0 && is_possible(percent))
    add_figure(run, fmt::format("{}_cpu", side), "share", Better::lower, percent / 100);
}

void add_demand(ToolRun& run, std::string_view side, double us, bool of_transactions) {
  if (us < 0) return;
  if (of_transactions) {
    add_figure(run, fmt::format("{}_cpu_per_transaction", side), "ns/transaction", Better::lower,
               us * kNsOfUs);
  } else {
    add_figure(run, fmt::format("{}_cpu_per_byte", side), "ns/byte", Better::lower, us * kNsOfUs / kKilobyte);
  }
}

// Four numbers from `first` on: the CPU use of both sides and its share of a unit of work.
void add_cpus(ToolRun& run, const std::vector<double>& row, std::size_t first, bool of_transactions) {
  if (row.size() != first + 4) return;
  add_cpu(run, "local", row[first]);
  add_cpu(run, "remote", row[first + 1]);
  if (is_possible(row[first])) add_demand(run, "local", row[first + 2], of_transactions);
  if (is_possible(row[first + 1])) add_demand(run, "remote", row[first + 3], of_transactions);
}

void add_size(ToolRun& run, std::string_view key, double bytes) {
  add_fact(run, kNetperf, key, fmt::format("{:.0f}", bytes));
}

TableRow add_stream(const NetperfTable& table, const std::vector<double>& row, ToolRun& run) {
  if ((row.size() != 5 && row.size() != 9) || !table.unit) return TableRow::unknown;
  add_figure(run, "throughput", kBits, Better::higher, row[4] * *table.unit);
  add_size(run, "receive socket", row[0]);
  add_size(run, "send socket", row[1]);
  add_size(run, "message", row[2]);
  add_cpus(run, row, 5, false);
  return TableRow::complete;
}

// The receiver's throughput is over the time that it counted itself, which goes on if the end of the test
// does not reach it.
void flag_receiver_time(double sent_s, double received_s, double throughput, ToolRun& run) {
  constexpr double kSharePardoned = 0.1;
  constexpr double kSecondsPardoned = 0.5;
  if (sent_s <= 0 || std::abs(received_s - sent_s) <= kSharePardoned * sent_s + kSecondsPardoned) return;
  add_flag(
      run.flags, Quality::run_length,
      fmt::format("the receiver counted for {:.2f} s of a test of {:.2f} s, and its throughput is over that "
                  "time; over the time of the test it is {} Mbit/s",
                  received_s, sent_s, rows::plain_number(throughput * received_s / sent_s / 1e6, 4)));
}

// The sender's row, then the receiver's: what arrived is the throughput.
TableRow add_udp_stream(const NetperfTable& table, const std::vector<std::vector<double>>& rows,
                        ToolRun& run) {
  const std::vector<double>& sent = rows[0];
  if ((sent.size() != 6 && sent.size() != 8) || !table.unit) return TableRow::unknown;
  if (rows.size() < 2) return TableRow::incomplete;
  const std::vector<double>& received = rows[1];
  if (received.size() + 2 != sent.size()) return TableRow::unknown;
  add_figure(run, "throughput", kBits, Better::higher, received[3] * *table.unit);
  flag_receiver_time(sent[2], received[1], received[3] * *table.unit, run);
  add_figure(run, "sent_throughput", kBits, Better::higher, sent[5] * *table.unit);
  add_figure(run, "sent_messages", "messages", Better::higher, sent[3]);
  add_figure(run, "send_errors", "messages", Better::lower, sent[4]);
  add_figure(run, "received_messages", "messages", Better::higher, received[2]);
  add_size(run, "send socket", sent[0]);
  add_size(run, "message", sent[1]);
  add_size(run, "receive socket", received[0]);
  if (sent.size() < 8) return TableRow::complete;
  add_cpu(run, "local", sent[6]);
  add_cpu(run, "remote", received[4]);
  if (is_possible(sent[6])) add_demand(run, "local", sent[7], false);
  if (is_possible(received[4])) add_demand(run, "remote", received[5], false);
  return TableRow::complete;
}

// The remote side's sockets have a row of their own.
TableRow add_transactions(const NetperfTable& table, const std::vector<std::vector<double>>& rows,
                          ToolRun& run) {
  const std::vector<double>& row = rows[0];
  if (row.size() != 6 && row.size() != 10) return TableRow::unknown;
  if (rows.size() < 2) return TableRow::incomplete;
  if (rows[1].size() != 2) return TableRow::unknown;
  if (table.unit) {
    add_figure(run, "throughput", kBits, Better::higher, row[5] * *table.unit);
  } else {
    add_figure(run, "transactions", kTransactions, Better::higher, row[5]);
  }
  add_size(run, "request", row[2]);
  add_size(run, "response", row[3]);
  add_size(run, "send socket", row[0]);
  add_size(run, "receive socket", row[1]);
  add_cpus(run, row, 6, true);
  return TableRow::complete;
}

struct Column {
  std::string_view key, words;
};
// The words that stand above a column in the output of -o, in one line.
constexpr Column kColumns[] = {
    {"THROUGHPUT", "Throughput"},
    {"THROUGHPUT_UNITS", "Throughput Units"},
    {"TRANSACTION_RATE", "Transaction Rate Tran/s"},
    {"RT_LATENCY", "Round Trip Latency usec/tran"},
    {"MIN_LATENCY", "Minimum Latency Microseconds"},
    {"MAX_LATENCY", "Maximum Latency Microseconds"},
    {"P50_LATENCY", "50th Percentile Latency Microseconds"},
    {"P90_LATENCY", "90th Percentile Latency Microseconds"},
    {"P99_LATENCY", "99th Percentile Latency Microseconds"},
    {"MEAN_LATENCY", "Mean Latency Microseconds"},
    {"STDDEV_LATENCY", "Stddev Latency Microseconds"},
    {"LOCAL_CPU_UTIL", "Local CPU Util %"},
    {"REMOTE_CPU_UTIL", "Remote CPU Util %"},
    {"LOCAL_SD", "Local Service Demand"},
    {"REMOTE_SD", "Remote Service Demand"},
    {"SD_UNITS", "Service Demand Units"},
    {"PROTOCOL", "Protocol"},
    {"DIRECTION", "Direction"},
    {"REQUEST_SIZE", "Request Size Bytes"},
    {"RESPONSE_SIZE", "Response Size Bytes"},
    {"BURST_SIZE", "Initial Burst Requests"},
    {"ELAPSED_TIME", "Elapsed Time (sec)"},
    {"LOCAL_TRANSPORT_RETRANS", "Local Transport Retransmissions"},
    {"REMOTE_TRANSPORT_RETRANS", "Remote Transport Retransmissions"},
};

// Absent if it is missing, or no number.
std::optional<double> value_of(const NetperfValues& values, std::string_view key) {
  const auto found = values.find(key);
  if (found == values.end()) return std::nullopt;
  TextScan scan(found->second);
  scan.blanks();
  const auto number = scan.number();
  scan.blanks();
  return number && scan.at_end() ? number->value : std::nullopt;
}

std::string_view text_of(const NetperfValues& values, std::string_view key) {
  const auto found = values.find(key);
  return found == values.end() ? std::string_view{} : std::string_view(found->second);
}

// What it calls latency is a transaction's round trip, or in a stream the time of a call to send or receive.
void add_times(const NetperfValues& values, bool of_transactions, ToolRun& run) {
  struct Time {
    std::string_view key, statistic;
  };
  constexpr Time kTimes[] = {{"MEAN_LATENCY", "mean"}, {"STDDEV_LATENCY", "std_dev"}, {"MIN_LATENCY", "min"},
                             {"P50_LATENCY", "p50"},   {"P90_LATENCY", "p90"},        {"P99_LATENCY", "p99"},
                             {"MAX_LATENCY", "max"},   {"RT_LATENCY", "mean"}};
  for (const Time& time : kTimes) {
    const auto us = value_of(values, time.key);
    if (!us || *us < 0) continue;
    const bool round_trip = of_transactions || time.key == "RT_LATENCY";
    add_figure(run, fmt::format("{}.{}", round_trip ? "round_trip" : "call", time.statistic), kNanoseconds,
               Better::lower, *us * kNsOfUs);
  }
}

}  // namespace

std::optional<double> netperf_unit(std::string_view word) {
  word = word.substr(0, word.find('/'));
  constexpr double kByte = 8;
  if (word == "KBytes") return kByte * kKilobyte;
  if (word == "MBytes") return kByte * kKilobyte * kKilobyte;
  if (word == "GBytes") return kByte * kKilobyte * kKilobyte * kKilobyte;
  if (word == "bits") return 1;
  if (word == "10^3bits") return 1e3;
  if (word == "10^6bits") return 1e6;
  if (word == "10^9bits") return 1e9;
  return std::nullopt;
}

TableRow add_table(const NetperfTable& table, const std::vector<std::vector<double>>& rows, ToolRun& run) {
  if (has(table.test, "REQUEST/RESPONSE") || has(table.test, "Request/Response") ||
      has(table.test, "CONN/CLOSE"))
    return add_transactions(table, rows, run);
  if (has(table.test, "UDP") && has(table.test, "STREAM")) return add_udp_stream(table, rows, run);
  return add_stream(table, rows[0], run);
}

std::string_view netperf_key(std::string_view column) {
  const auto* found = std::ranges::find(kColumns, column, &Column::words);
  return found == std::end(kColumns) ? std::string_view{} : found->key;
}

std::string add_values(const NetperfValues& values, ToolRun& run) {
  const auto throughput = value_of(values, "THROUGHPUT");
  const std::string_view unit = text_of(values, "THROUGHPUT_UNITS");
  const bool of_transactions = unit.starts_with("Trans") || text_of(values, "DIRECTION") == "Send|Recv" ||
                               value_of(values, "RT_LATENCY").value_or(-1) > 0;
  if (throughput && unit.starts_with("Trans")) {
    add_figure(run, "transactions", kTransactions, Better::higher, *throughput);
  } else if (throughput && !unit.empty()) {
    const auto factor = netperf_unit(unit);
    if (!factor)
      return fmt::format("the unit of the throughput is {}, which is none of netperf's", in_quotes(unit));
    add_figure(run, "throughput", kBits, Better::higher, *throughput * *factor);
  } else if (throughput) {
    return "the throughput has no unit; expected is THROUGHPUT_UNITS beside it";
  }
  if (const auto rate = value_of(values, "TRANSACTION_RATE"); rate && *rate > 0 && of_transactions)
    add_figure(run, "transactions", kTransactions, Better::higher, *rate);
  add_times(values, of_transactions, run);
  const bool per_transaction = has(text_of(values, "SD_UNITS"), "Tran");
  for (const auto& [prefix, side] : {std::pair{"LOCAL", "local"}, std::pair{"REMOTE", "remote"}}) {
    const auto util = value_of(values, fmt::format("{}_CPU_UTIL", prefix));
    if (util) add_cpu(run, side, *util);
    const auto demand = value_of(values, fmt::format("{}_SD", prefix));
    if (demand && is_possible(util) && !text_of(values, "SD_UNITS").empty())
      add_demand(run, side, *demand, per_transaction);
    const auto again = value_of(values, fmt::format("{}_TRANSPORT_RETRANS", prefix));
    if (again && *again >= 0)
      add_figure(run, fmt::format("{}_retransmits", side), "segments", Better::lower, *again);
  }
  constexpr std::pair<std::string_view, std::string_view> kFacts[] = {
      {"PROTOCOL", "protocol"},      {"DIRECTION", "direction"}, {"REQUEST_SIZE", "request"},
      {"RESPONSE_SIZE", "response"}, {"BURST_SIZE", "burst"},    {"LOCAL_SEND_SIZE", "message"},
      {"REMOTE_HOST", "server"}};
  for (const auto& [key, fact] : kFacts) add_fact(run, kNetperf, fact, text_of(values, key));
  return run.figures.empty() ? "it has no figure that is read, such as THROUGHPUT with THROUGHPUT_UNITS" : "";
}

}  // namespace netperfd::workload
