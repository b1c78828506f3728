// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/netperf/job/part.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "daemon/model/place_check.hpp"
#include "daemon/model/units.hpp"
#include "daemon/workload/command/job/tool_keys.hpp"

namespace netperfd::workload {

using namespace keys;

namespace {

constexpr Tool kNetperfTool{.name = "netperf", .port = 12'865, .port_text = "12865"};
constexpr std::uint64_t kMostSize = std::uint64_t{16} << 20U;
constexpr std::uint64_t kMostDatagram = 65'507;

struct NetperfTest {
  std::string_view word;   // of its -t
  std::string_view title;  // that it prints, without MIGRATED
  const char* protocol;
  const char* direction;
  bool of_transactions = false;
  bool counts_again = false;  // one connection of TCP, which counts what it sends again
  bool connects = false;      // for each transaction
};
constexpr NetperfTest kNetperfTests[] = {
    {"TCP_STREAM", "TCP STREAM", "TCP", "Send", false, true},
    {"TCP_RR", "TCP REQUEST/RESPONSE", "TCP", "Send|Recv", true, true},
    {"TCP_CRR", "TCP Connect/Request/Response", "TCP", "Connect|Send|Recv", true, false, true},
    {"UDP_RR", "UDP REQUEST/RESPONSE", "UDP", "Send|Recv", true, false},
};

std::optional<const NetperfTest*> parse_netperf_test(std::string_view text) {
  for (const NetperfTest& test : kNetperfTests) {
    if (text == test.word) return &test;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const auto bytes = parse_bytes(text);
  return bytes && *bytes >= 1 && *bytes <= kMostSize ? bytes : std::nullopt;
}
constexpr const char* kSize = "a number of bytes from 1 to 16M (K is 1024)";

// What it prints, as KEY=VALUE: no more than what is read, since a value that it lacks is -1.
std::string selectors(const NetperfTest& test) {
  std::string keys =
      "THROUGHPUT,THROUGHPUT_UNITS,ELAPSED_TIME,PROTOCOL,DIRECTION,MIN_LATENCY,MEAN_LATENCY,P50_LATENCY,"
      "P90_LATENCY,P99_LATENCY,MAX_LATENCY,STDDEV_LATENCY,LOCAL_CPU_UTIL,LOCAL_SD,REMOTE_CPU_UTIL,REMOTE_SD,"
      "SD_UNITS";
  keys += test.of_transactions ? ",REQUEST_SIZE,RESPONSE_SIZE" : ",LOCAL_SEND_SIZE";
  if (test.counts_again) keys += ",LOCAL_TRANSPORT_RETRANS,REMOTE_TRANSPORT_RETRANS";
  return keys;
}

// The figures of the other side only of a netserver of netperfd's own, since one on another system may not
// know them; and not of a test with a connection for each transaction, where they are wrong (results.cpp).
std::vector<DeclaredFigure> figures_of_netperf(const NetperfTest& test, bool own_server) {
  std::vector<DeclaredFigure> figures;
  figures.push_back(test.of_transactions ? tool_figure("transactions", "transactions/s", Better::higher)
                                         : tool_figure("throughput", "bits/s", Better::higher));
  for (const char* statistic : {"mean", "std_dev", "min", "p50", "p90", "p99", "max"}) {
    figures.push_back(tool_figure(
        fmt::format("{}.{}", test.of_transactions ? "round_trip" : "call", statistic), "ns", Better::lower));
  }
  for (const char* side : {"local", "remote"}) {
    if (std::string_view(side) == "remote" && (!own_server || test.connects)) break;
    figures.push_back(tool_figure(fmt::format("{}_cpu", side), "share", Better::lower));
    figures.push_back(
        test.of_transactions
            ? tool_figure(fmt::format("{}_cpu_per_transaction", side), "ns/transaction", Better::lower)
            : tool_figure(fmt::format("{}_cpu_per_byte", side), "ns/byte", Better::lower));
    if (test.counts_again)
      figures.push_back(tool_figure(fmt::format("{}_retransmits", side), "segments", Better::lower));
  }
  return figures;
}

class NetperfKeys final : public ToolKeys {
 public:
  NetperfKeys() : ToolKeys(kNetperfTool) {}

 private:
  std::vector<Key> own_keys() override {
    return {
        {path("test"),
         word(test_, parse_netperf_test, "one of TCP_STREAM, TCP_RR, TCP_CRR or UDP_RR"),
         {"word", "required",
          "`TCP_STREAM`: bytes one way; `TCP_RR`, `UDP_RR`: a request is sent when the last one was "
          "answered; "
          "`TCP_CRR`: with a connection for each",
          "`-t`"},
         Need::required},
        {path("request"),
         word(request_, parse_size, kSize),
         {"bytes", "1", "size of a request, not of TCP_STREAM: 1 to 16M, over UDP to 65507", "`-r`"}},
        {path("response"),
         word(response_, parse_size, kSize),
         {"bytes", "1", "size of the answer, likewise", "`-r`"}},
        {path("message"),
         word(message_, parse_size, kSize),
         {"bytes", "the socket's send buffer", "of one write, of TCP_STREAM only: 1 to 16M", "`-m`"}},
    };
  }  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): it loses sight of std::function in an initializer
     // list

  ToolTest test_at(const ToolPlace& place, const Complain& complain) const override {
    const NetperfTest& test = test_ ? **test_ : kNetperfTests[0];
    if (test_) check_sizes(test, complain);
    const std::string port = std::to_string(place.port);
    const char* const family = family_of(place.path.server) == Family::v6 ? "-6" : "-4";
    ToolTest made{
        .client = {"netperf", "-H", place.path.server, "-p", port},
        // In the foreground, without a log in /tmp and without a child for each test: netserver ignores how
        // those end, so their CPU time would be nobody's.
        .server = {"netserver", "-D", "-f", "-N", family, "-L", place.path.server, "-p", port},
        .figures = figures_of_netperf(test, place.path.local.has_value()),
        .says = {
            {"test", std::string(test.title)}, {"protocol", test.protocol}, {"direction", test.direction}}};
    const auto option = [&made](std::initializer_list<std::string> words) {
      made.client.insert(made.client.end(), words);
    };
    if (family_of(place.path.server) != Family::none) option({family});
    if (!place.path.bind.empty()) option({"-L", place.path.bind});
    // -j: percentiles; -c, -C: the CPU of both sides.
    option(
        {"-t", std::string(test.word), "-l", std::to_string(place.duration.count()), "-j", "-c", "-C", "--"});
    if (!place.path.bind.empty()) option({"-L", place.path.bind});
    if (test.of_transactions) {
      option({"-r", fmt::format("{},{}", request_.value_or(1), response_.value_or(1))});
      made.says.emplace_back("request", std::to_string(request_.value_or(1)));
      made.says.emplace_back("response", std::to_string(response_.value_or(1)));
    } else if (message_) {
      option({"-m", std::to_string(*message_)});
      made.says.emplace_back("message", std::to_string(*message_));
    }
    option({"-k", selectors(test)});
    return made;
  }

  void check_sizes(const NetperfTest& test, const Complain& complain) const {
    if (test.of_transactions) complain("message", "is for the test TCP_STREAM only");
    for (const auto& [key, size] : {std::pair{"request", request_}, std::pair{"response", response_}}) {
      if (!test.of_transactions) complain(key, "is for the tests TCP_RR, TCP_CRR and UDP_RR only");
      if (std::string_view(test.protocol) == "UDP" && size.value_or(1) > kMostDatagram)
        complain(key, fmt::format("{} is more than a datagram has ({})", *size, kMostDatagram));
    }
  }

  std::optional<const NetperfTest*> test_;
  std::optional<std::uint64_t> request_, response_, message_;
};

std::unique_ptr<JobKeys> make_netperf_keys() {
  return std::make_unique<NetperfKeys>();
}

}  // namespace

JobPart netperf_part() {
  return tool_part(kNetperfTool.name, "for transactions or a stream", "workload.netperf.duration",
                   make_netperf_keys);
}

}  // namespace netperfd::workload
