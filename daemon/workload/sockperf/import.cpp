// SPDX-License-Identifier: GPL-2.0-or-later
// sockperf calls half of a round trip its latency, unless it was asked for --full-rtt. The names of the
// figures say which of both it is.
#include "daemon/workload/sockperf/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "daemon/model/text.hpp"
#include "daemon/workload/text_scan.hpp"

namespace netperfd::workload {
namespace {

constexpr std::string_view kSockperf = "sockperf";
// A count of messages is no rate of work: of `message_rate`, CPU time has its unit of work.
constexpr const char* kCount = "count";
constexpr double kNsPerUs = 1e3;
constexpr double kMebibit = 1'048'576;

// Without the colours, which it also writes to files.
std::string plain(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line.substr(i).starts_with("\x1b[")) {
      const std::size_t end = line.find('m', i);
      if (end == std::string_view::npos) break;
      i = end;
    } else {
      text += line[i];
    }
  }
  return text;
}

// The number behind `words`; absent if there is none.
std::optional<double> number_after(std::string_view line, std::string_view words) {
  auto scan = after(line, words);
  if (!scan) return std::nullopt;
  scan->blanks();
  const auto number = scan->number();
  return number ? number->value : std::nullopt;
}

// "99.990" is p9999, "50.000" p50.
std::string percentile_name(std::string_view printed) {
  std::string name = "p";
  for (const char c : printed) {
    if (c != '.') name += c;
  }
  while (name.size() > 3 && name.ends_with('0')) name.pop_back();
  return name;
}

class SockperfReader {
 public:
  explicit SockperfReader(std::string_view bytes) : rest_(bytes) {}

  Result<std::vector<ToolRun>> read() {
    while (!rest_.empty()) {
      const std::string_view line = take_text_line(rest_);
      ++line_;
      constexpr std::size_t kLongest = 4'096;
      if (line.size() > kLongest) continue;
      if (Status done = read_line(plain(line)); !done) return std::unexpected(std::move(done.error()));
      if (in_test_) run_.text.append(line) += '\n';
    }
    if (Status done = close(); !done) return std::unexpected(std::move(done.error()));
    if (runs_.empty() && is_server_)
      return refuse_line(line_,
                         "it is what sockperf's server prints, which has no figures; expected is its "
                         "client's");
    return std::move(runs_);
  }

 private:
  Status read_line(std::string_view line) {
    if (auto version = after(line, "== version #")) {
      if (Status closed = close(); !closed) return closed;
      in_test_ = true;
      add_fact(run_, kSockperf, "version", version->word());
      return {};
    }
    is_server_ = is_server_ || after(line, "sockperf: [SERVER]");
    if (auto words = after(line, "sockperf: ERROR: ")) return fails(words->rest());
    if (after(line, "No messages were received from the server"))
      return fails("No messages were received from the server. Is the server down?");
    if (const auto server = number_after(line, "Printing statistics for Server No: "); server && *server > 0)
      return refuse_line(line_, "it has the statistics of several servers; expected are those of one");
    read_place(line);
    read_latency(line);
    read_throughput(line);
    return {};
  }

  Status fails(std::string_view words) const {
    constexpr std::size_t kLongest = 200;
    words = words.substr(0, kLongest);
    return refuse_line(line_, fmt::format("the test failed: sockperf says \"{}\"",
                                          is_printable(words) ? words : "(not printable)"));
  }

  // "[ 0] IP = 10.9.0.2        PORT = 11111 # UDP"
  void read_place(std::string_view line) {
    auto address = after(line, "] IP = ");
    auto protocol = after(line, " # ");
    if (!address || !protocol) return;
    add_fact(run_, kSockperf, "server", address->word());
    add_fact(run_, kSockperf, "protocol", protocol->word());
  }

  void add_time(std::string_view statistic, std::optional<double> us) {
    if (!us || *us < 0) return;
    add_figure(run_, fmt::format("{}.{}", round_trips_ ? "round_trip" : "half_round_trip", statistic),
               kNanoseconds, Better::lower, *us * kNsPerUs);
  }

  void add_count(std::string_view name, std::optional<double> count, Better better) {
    if (count && *count >= 0) add_figure(run_, name, kCount, better, *count);
  }

  void read_latency(std::string_view line) {
    if (after(line, "[Valid Duration]")) {
      const auto seconds = number_after(line, "RunTime=");
      const auto received = number_after(line, "ReceivedMessages=");
      sent_ = number_after(line, "SentMessages=");
      received_ = received;
      if (seconds && *seconds > 0 && received) rate_ = *received / *seconds;
    }
    for (const bool round_trips : {false, true}) {
      const std::string_view words = round_trips ? "====> avg-rtt=" : "====> avg-latency=";
      if (!after(line, words)) continue;
      round_trips_ = round_trips;
      is_latency_ = true;
      add_time("mean", number_after(line, words));
      add_time("std_dev", number_after(line, "(std-dev="));
    }
    if (after(line, "# dropped messages")) {
      dropped_ = number_after(line, "# dropped messages = ");
      duplicated_ = number_after(line, "# duplicated messages = ");
      out_of_order_ = number_after(line, "# out-of-order messages = ");
    }
    if (!is_latency_) return;
    add_time("max", number_after(line, "<MAX> observation ="));
    add_time("min", number_after(line, "<MIN> observation ="));
    if (auto percentile = after(line, "---> percentile ")) {
      const std::string name = percentile_name(percentile->word());
      add_time(name, number_after(percentile->rest(), "="));
    }
  }

  void read_throughput(std::string_view line) {
    if (const auto rate = number_after(line, "Summary: Message Rate is ")) {
      add_figure(run_, "message_rate", "messages/s", Better::higher, *rate);
      is_throughput_ = true;
    }
    // What it calls Mbps is 2^20 bits per second.
    if (after(line, "Summary: BandWidth is ")) {
      if (const auto rate = number_after(line, "(")) {
        const bool gigabytes = after(line, "Gbps)").has_value();
        add_figure(run_, "bandwidth", "bits/s", Better::higher, *rate * kMebibit * (gigabytes ? 1024 : 1));
      }
    }
  }

  Status close() {
    const bool was_test = std::exchange(in_test_, false);
    const bool has_result = is_latency_ || is_throughput_;
    if (is_latency_ && !run_.figures.empty()) {
      if (rate_) add_figure(run_, "message_rate", "messages/s", Better::higher, *rate_);
      add_count("sent_messages", sent_, Better::higher);
      add_count("received_messages", received_, Better::higher);
      add_count("dropped_messages", dropped_, Better::lower);
      add_count("duplicated_messages", duplicated_, Better::lower);
      add_count("out_of_order_messages", out_of_order_, Better::lower);
    }
    add_fact(run_, kSockperf, "test", is_latency_ ? "latency" : is_throughput_ ? "throughput" : "");
    ToolRun run = std::exchange(run_, {});
    const bool is_server = is_server_;
    is_latency_ = is_throughput_ = round_trips_ = false;
    sent_ = received_ = rate_ = dropped_ = duplicated_ = out_of_order_ = std::nullopt;
    if (!was_test && !has_result) return {};
    if (is_server && !has_result) return {};
    if (!has_result || run.figures.empty()) {
      return refuse_line(line_,
                         "the test ends here without a result; expected are sockperf's lines "
                         "`====> avg-latency=` or `Summary: Message Rate is`");
    }
    is_server_ = false;
    runs_.push_back(std::move(run));
    return {};
  }

  std::string_view rest_;
  std::size_t line_ = 0;
  ToolRun run_;
  std::vector<ToolRun> runs_;
  bool in_test_ = false, is_server_ = false;
  bool is_latency_ = false, is_throughput_ = false, round_trips_ = false;
  std::optional<double> sent_, received_, rate_, dropped_, duplicated_, out_of_order_;
};

}  // namespace

Result<std::vector<ToolRun>> read_sockperf_text(std::string_view bytes) {
  if (Status fits = check_tool_file(bytes); !fits) return std::unexpected(std::move(fits.error()));
  return SockperfReader(bytes).read();
}

Result<ImportedFile> read_sockperf_file(std::span<const std::byte> file) {
  auto runs = read_sockperf_text({reinterpret_cast<const char*>(file.data()), file.size()});
  if (!runs) return std::unexpected(std::move(runs.error()));
  return imported_runs(kSockperf, std::move(*runs));
}

}  // namespace netperfd::workload
