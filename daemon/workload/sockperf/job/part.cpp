// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/sockperf/job/part.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "daemon/model/units.hpp"
#include "daemon/workload/command/job/tool_keys.hpp"

namespace netperfd::workload {

using namespace keys;

namespace {

constexpr Tool kSockperfTool{.name = "sockperf", .port = 11'111, .port_text = "11111"};
// Its header, and the largest datagram, which is its limit for TCP too.
constexpr std::uint64_t kLeastMessage = 14, kMostMessage = 65'507;
constexpr std::uint32_t kMostMessageRate = 10'000'000;

enum class SockperfTest { ping_pong, under_load, throughput };

std::string_view words_of(SockperfTest test) {
  switch (test) {
    case SockperfTest::ping_pong:
      return "ping-pong";
    case SockperfTest::under_load:
      return "under-load";
    case SockperfTest::throughput:
      return "throughput";
  }
  std::unreachable();
}

std::optional<SockperfTest> parse_sockperf_test(std::string_view text) {
  for (const auto test : {SockperfTest::ping_pong, SockperfTest::under_load, SockperfTest::throughput}) {
    if (text == words_of(test)) return test;
  }
  return std::nullopt;
}

// It has no SCTP.
std::optional<Protocol> parse_tcp_or_udp(std::string_view text) {
  const auto protocol = parse_protocol(text);
  return protocol == Protocol::tcp || protocol == Protocol::udp ? protocol : std::nullopt;
}

std::optional<std::uint64_t> parse_message(std::string_view text) {
  const auto bytes = parse_bytes(text);
  return bytes && *bytes >= kLeastMessage && *bytes <= kMostMessage ? bytes : std::nullopt;
}

class SockperfKeys final : public ToolKeys {
 public:
  SockperfKeys() : ToolKeys(kSockperfTool) {}

 private:
  std::vector<Key> own_keys() override {
    return {
        {path("test"),
         word(test_, parse_sockperf_test, "one of ping-pong, under-load or throughput"),
         {"word", "required",
          "`ping-pong`: the next message is sent when the last one was answered; `under-load`: they are sent "
          "at a rate; `throughput`: none is answered",
          ""},
         Need::required},
        {path("protocol"),
         word(protocol_, parse_tcp_or_udp, "one of tcp or udp"),
         {"`udp`, `tcp`", "`udp`", "", ""}},
        {path("message"),
         word(message_, parse_message, "a number of bytes from 14 to 65507"),
         {"bytes", "14", "size of a message: 14 to 65507", ""}},
        {path("rate"),
         number_into<std::uint32_t>(rate_, 1, kMostMessageRate),
         {"number", "as many as possible; under load: 10000", "messages per second: 1 to 10000000", ""}},
        {path("reply_every"),
         number_into<std::uint32_t>(reply_every_, 1, kMostMessageRate),
         {"number", "100", "under load: one of so many messages is answered, and so measured", ""}},
        {path("full_rtt"),
         boolean(full_rtt_),
         {"`true`, `false`", "`false`", "whole round trips as latency; otherwise it is half of one", ""}},
    };
  }  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): it loses sight of std::function in an initializer
     // list

  ToolTest test_at(const ToolPlace& place, const Complain& complain) const override {
    const SockperfTest test = test_.value_or(SockperfTest::ping_pong);
    if (test_ && test != SockperfTest::under_load) complain("reply_every", "is for the test under-load only");
    if (test == SockperfTest::throughput)
      complain("full_rtt", "is for the tests ping-pong and under-load only; nothing is answered here");
    ToolTest made{.client = {"sockperf", std::string(words_of(test)), "-i", place.path.server},
                  .server = {"sockperf", "server", "-i", place.path.server},
                  .figures = figures_of(test),
                  .says = {{"test", test == SockperfTest::throughput ? "throughput" : "latency"},
                           {"protocol", protocol_ == Protocol::tcp ? "TCP" : "UDP"}},
                  .more_facts = {{"mode", std::string(words_of(test))}},
                  .answers_per_second = answers_per_second(test)};
    for (auto* argv : {&made.client, &made.server}) {
      argv->insert(argv->end(), {"-p", std::to_string(place.port)});
      if (protocol_ == Protocol::tcp) argv->emplace_back("--tcp");
    }
    const auto option = [&made](const char* name, std::string value, const char* fact) {
      made.client.insert(made.client.end(), {name, value});
      if (fact != nullptr) made.more_facts.emplace_back(fact, std::move(value));
    };
    option("-t", std::to_string(place.duration.count()), nullptr);
    option("-m", std::to_string(message_), "message");
    if (rate_) option("--mps", std::to_string(*rate_), "rate");
    if (reply_every_) option("--reply-every", std::to_string(*reply_every_), "reply every");
    if (full_rtt_) made.client.emplace_back("--full-rtt");
    if (!place.path.bind.empty()) option("--client_ip", place.path.bind, nullptr);
    return made;
  }

  // Without a rate, ping-pong sends as many as the path allows.
  std::optional<double> answers_per_second(SockperfTest test) const {
    constexpr std::uint32_t kRateUnderLoad = 10'000, kReplyEvery = 100;
    if (test == SockperfTest::under_load) {
      return static_cast<double>(rate_.value_or(kRateUnderLoad)) /
             static_cast<double>(reply_every_.value_or(kReplyEvery));
    }
    if (test == SockperfTest::ping_pong && rate_) return *rate_;
    return std::nullopt;
  }

  std::vector<DeclaredFigure> figures_of(SockperfTest test) const {
    std::vector<DeclaredFigure> figures;
    if (test != SockperfTest::throughput) {
      for (const char* statistic :
           {"mean", "std_dev", "min", "p25", "p50", "p75", "p90", "p99", "p999", "p9999", "p99999", "max"}) {
        figures.push_back(
            tool_figure(fmt::format("{}.{}", full_rtt_ ? "round_trip" : "half_round_trip", statistic), "ns",
                        Better::lower));
      }
    }
    figures.push_back(tool_figure("message_rate", "messages/s", Better::higher));
    if (test == SockperfTest::throughput) {
      figures.push_back(tool_figure("bandwidth", "bits/s", Better::higher));
      return figures;
    }
    for (const char* count : {"sent_messages", "received_messages"})
      figures.push_back(tool_figure(count, "count", Better::higher));
    for (const char* count : {"dropped_messages", "duplicated_messages", "out_of_order_messages"})
      figures.push_back(tool_figure(count, "count", Better::lower));
    return figures;
  }

  std::optional<SockperfTest> test_;
  Protocol protocol_ = Protocol::udp;
  std::uint64_t message_ = kLeastMessage;
  std::optional<std::uint32_t> rate_, reply_every_;
  bool full_rtt_ = false;
};

std::unique_ptr<JobKeys> make_sockperf_keys() {
  return std::make_unique<SockperfKeys>();
}

}  // namespace

JobPart sockperf_part() {
  return tool_part(kSockperfTool.name, "for messages and their answers", "workload.sockperf.duration",
                   make_sockperf_keys);
}

}  // namespace netperfd::workload
