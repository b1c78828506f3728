// SPDX-License-Identifier: GPL-2.0-or-later
// The real prober against the real server, and against a network and servers that lie in known ways.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/echo/packet.hpp"
#include "tests/unit/echo/network.hpp"

namespace netperfd::echo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(EchoProbe, measures_udp_and_tcp_in_one_process) {
  RunningServer server;
  const Finished run(server.port,
                     {"--duration=500ms", "--interval=200ms", "--probe=rate=100,length=32,dscp=46",
                      "--probe=protocol=tcp,rate=200,length=1400"});
  EXPECT_EQ(run.code, 0);
  ASSERT_GE(run.lines.size(), 8U);
  EXPECT_THAT(run.lines.front(), StartsWith(R"({"event":"start","version":1,"server":"127.0.0.1")"));
  EXPECT_THAT(run.lines.front(), HasSubstr(R"("same_clock":true)"));
  EXPECT_THAT(run.lines.back(),
              StartsWith(R"({"event":"end","at_s":0.5,"probes":[{"timestamps":"kernel","clock_steps":0)"));
  for (const int probe : {0, 1}) {
    EXPECT_EQ(run.sum("sent", probe) + run.sum("missed", probe), probe == 0 ? 50 : 100);
    EXPECT_EQ(run.sum("received", probe), run.sum("sent", probe));
    EXPECT_EQ(run.sum("duplicates", probe) + run.sum("reordered", probe) + run.sum("late", probe), 0);
  }
  for (const char* const span : {"there", "back"})
    EXPECT_THAT(run.of_span(span, "min_ns"), testing::Each(testing::Gt(0)));
  for (const std::string& line : run.lines) {
    const bool of_udp = line.contains(R"("interval","probe":0)") && number_in(line, "sent") > 0;
    EXPECT_EQ(line.contains(R"("queued":{)"), of_udp) << line;
  }
}

TEST(EchoProbe, works_over_ipv6_and_from_an_address) {
  const RunningServer server("::1");
  const Finished run(
      Process(probing(server.port,
                      {"--interval=50ms", "--bind=::1", "--probe=rate=100", "--probe=protocol=tcp,rate=100"},
                      "::1")),
      [](const Finished& by_now) { return by_now.sum("received", 1) > 0; });
  EXPECT_EQ(run.code, 0) << run.lines.back();
  EXPECT_THAT(run.lines.front(), HasSubstr(R"("server":"::1","port":)"));
  EXPECT_EQ(run.sum("received", 0), run.sum("sent", 0));
  EXPECT_GT(run.sum("received", 1), 0);
}

TEST(EchoProbe, a_server_on_all_addresses_answers_both_families_from_the_address_that_was_asked) {
  const RunningServer server("::");
  for (const char* const to : {"127.0.0.1", "127.1.2.3", "::1"}) {
    const Finished run(Process(probing(server.port, {"--interval=50ms", "--probe=rate=100,dscp=46"}, to)),
                       [](const Finished& by_now) { return by_now.sum("received") > 0; });
    EXPECT_EQ(run.code, 0) << to;
    EXPECT_GT(run.sum("received"), 0) << to;
  }
}

TEST(EchoProbe, a_known_delay_and_loss_are_measured) {
  const RunningServer server;
  // 5 ms, and each 20th request is lost.
  std::atomic<int> dropped = 0;
  const Relay relay(server.port, [&](std::uint32_t sequence) {
    if (sequence % 20 != 7) return std::vector<Ns>{5 * kMillisecond};
    ++dropped;
    return std::vector<Ns>{};
  });
  // On a busy machine, it takes long until a request and its answer are passed on as soon as they may be.
  const auto has_quick_ones = [&](const Finished& run) {
    const auto least = [&](const char* span) {
      const auto values = run.of_span(span, "min_ns");
      return values.empty() ? 1e9 : std::ranges::min(values);
    };
    return dropped > 0 && least("round-trip") < 8e6 && least("back") < 3e6;
  };
  const Finished run(Process(probing(relay.port, {"--interval=200ms", "--timeout=2s", "--probe=rate=200"})),
                     has_quick_ones);
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(has_quick_ones(run));
  EXPECT_EQ(run.sum("lost"), dropped + run.sum("late"));
  for (const char* const span : {"round-trip", "there"})
    EXPECT_THAT(run.of_span(span, "min_ns"), testing::Each(testing::Ge(5e6))) << span;
}

TEST(EchoProbe, answers_that_come_twice_or_out_of_order_are_counted_as_such) {
  const RunningServer server;
  int requests = 0;
  const Relay relay(server.port, [&](std::uint32_t) -> std::vector<Ns> {
    ++requests;
    if (requests == 10) return {0, 0};
    if (requests == 30) return {Relay::kOvertaken};
    return {0};
  });
  const Finished run(
      Process(probing(relay.port, {"--interval=100ms", "--probe=rate=100"})),
      [](const Finished& by_now) { return by_now.sum("duplicates") > 0 && by_now.sum("reordered") > 0; });
  EXPECT_EQ(run.sum("duplicates"), 1);
  EXPECT_EQ(run.sum("reordered"), 1);
  EXPECT_EQ(run.sum("late"), 0);
  EXPECT_EQ(run.sum("sent"), run.sum("received"));
}

TEST(EchoProbe, answers_after_the_timeout_are_late) {
  const RunningServer server;
  int requests = 0;
  const Relay relay(server.port, [&](std::uint32_t) {
    return std::vector<Ns>{++requests % 20 == 0 ? 200 * kMillisecond : 0};
  });
  const Finished run(
      Process(probing(relay.port, {"--interval=100ms", "--timeout=100ms", "--probe=rate=100"})),
      [](const Finished& by_now) { return by_now.sum("late") > 0; });
  EXPECT_GT(run.sum("late"), 0);
  EXPECT_GE(run.sum("lost"), run.sum("late"));
  EXPECT_EQ(run.sum("sent"), run.sum("received") + run.sum("lost"));
}

TEST(EchoProbe, what_is_no_answer_to_its_requests_is_foreign) {
  const Liar liar([](const Bytes& reply) {
    Bytes other_session = reply, unsent = reply, request = reply, short_one = reply,
          garbage(100, std::byte{7});
    other_session[8] ^= std::byte{1};
    unsent[16] ^= std::byte{0x80};
    request[5] = std::byte{2};
    short_one.pop_back();
    Bytes other_length(40);
    encode({.type = Type::reply,
            .length = 40,
            .session = decode(reply)->session,
            .sequence = decode(reply)->sequence},
           other_length);
    return std::vector{other_session, unsent,  request,     short_one,
                       garbage,       Bytes{}, Bytes(3000), other_length};
  });
  Process prober(probing(liar.port, {"--timeout=100ms", "--probe=rate=100"}));
  EXPECT_TRUE(comes_true([&] { return liar.answered >= 20; }));
  const int answered = liar.answered;
  prober.kill(SIGTERM);
  const Finished run(std::move(prober));
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.sum("received"), 0);
  EXPECT_EQ(run.sum("lost"), run.sum("sent"));
  EXPECT_THAT(run.lines.front(), HasSubstr(R"("same_clock":false)")) << "another boot";
  EXPECT_GE(number_in(run.lines.back(), "foreign_packets"), 8 * answered);
}

TEST(EchoProbe, a_flood_of_answers_does_not_stop_it) {
  const Liar liar([](const Bytes& reply) { return std::vector<Bytes>(200, reply); });
  const Finished run(Process(probing(liar.port, {"--interval=100ms", "--probe=rate=100"})),
                     [](const Finished& by_now) { return by_now.sum("duplicates") > 1000; });
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.sum("received"), run.sum("sent"));
  EXPECT_GT(run.sum("duplicates"), 1000);
}

TEST(EchoProbe, signals_begin_phases_and_end_it) {
  const RunningServer server;
  Process prober(probing(server.port, {"--interval=1h", "--probe=rate=1000"}));
  ASSERT_THAT(prober.line(), StartsWith(R"({"event":"start")"));
  for (int phase = 1; phase <= 3; ++phase) {
    prober.kill(SIGUSR1);
    EXPECT_THAT(prober.line(),
                StartsWith("{\"event\":\"phase\",\"phase\":" + std::to_string(phase) + ",\"at_s\":"));
    const std::string interval = prober.line();
    EXPECT_EQ(number_in(interval, "phase"), phase - 1);
  }
  prober.kill(SIGTERM);
  EXPECT_EQ(number_in(prober.line(), "phase"), 3);
  EXPECT_THAT(prober.line(), StartsWith(R"({"event":"end")"));
  EXPECT_EQ(prober.wait(), 0);
}

TEST(EchoProbe, two_phases_that_begin_while_it_waits_for_a_cpu_are_two) {
  const RunningServer server;
  Process prober(probing(server.port, {"--interval=1h", "--probe=rate=1000"}));
  ASSERT_THAT(prober.line(), StartsWith(R"({"event":"start")"));
  prober.kill(SIGSTOP);
  prober.kill(SIGRTMIN);
  prober.kill(SIGRTMIN);
  prober.kill(SIGCONT);
  int phases = 0;
  while (phases < 2) {
    const std::string line = prober.line();
    ASSERT_THAT(line, StartsWith("{\"event\":"));
    if (line.starts_with(R"({"event":"phase")")) ++phases;
  }
  prober.kill(SIGTERM);
  (void)prober.lines();
  EXPECT_EQ(prober.wait(), 0);
}

TEST(EchoProbe, a_stopped_prober_counts_what_it_missed) {
  const RunningServer server;
  Process prober(probing(server.port, {"--probe=rate=100"}));
  ASSERT_THAT(prober.line(), StartsWith(R"({"event":"start")"));
  prober.stop();
  const Ns until = read_clocks().monotonic + 500 * kMillisecond;
  while (read_clocks().monotonic < until) ::poll(nullptr, 0, 10);
  prober.kill(SIGCONT);
  prober.kill(SIGTERM);
  const Finished run(std::move(prober));
  EXPECT_GE(run.sum("missed"), 45);
  EXPECT_EQ(run.sum("missed") + run.sum("sent"), std::ceil(number_in(run.lines.back(), "at_s") * 100));
  EXPECT_EQ(run.sum("lost"), 0);
}

TEST(EchoProbe, a_connection_that_the_server_ends_is_an_error) {
  auto server = std::make_unique<RunningServer>();
  Process prober(probing(server->port, {"--probe=protocol=tcp,rate=1000"}));
  ASSERT_THAT(prober.line(), StartsWith(R"({"event":"start")"));
  server.reset();
  const auto lines = prober.lines();
  EXPECT_EQ(prober.wait(), 1);
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines.back(), StartsWith(R"({"event":"error","message":"127.0.0.1 port )"));
}

// Accepts one connection, answers the greeting and then reads only when told to.
TEST(EchoProbe, over_tcp_requests_without_room_are_missed_and_a_partial_one_is_completed) {
  const Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int small = 4096;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  const auto address = loopback(0);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  Process prober(
      probing(port_of(listener), {"--duration=2s", "--probe=protocol=tcp,rate=10000,length=1400"}));
  const Fd socket(::accept(listener.get(), nullptr, nullptr));
  // There may be several greetings. The first request ends them, and stays in the socket.
  for (;;) {
    Bytes bytes(kHelloLength);
    ASSERT_EQ(::recv(socket.get(), bytes.data(), kHeaderLength, MSG_WAITALL | MSG_PEEK),
              static_cast<ssize_t>(kHeaderLength));
    if (decode_header(bytes)->type == Type::request) break;
    ASSERT_EQ(::recv(socket.get(), bytes.data(), bytes.size(), MSG_WAITALL),
              static_cast<ssize_t>(bytes.size()));
    ASSERT_TRUE(make_reply(bytes, {}, {}));
    ASSERT_GT(::send(socket.get(), bytes.data(), bytes.size(), 0), 0);
  }
  ASSERT_THAT(prober.line(), StartsWith(R"({"event":"start")"));
  const Ns until = read_clocks().monotonic + 1'500 * kMillisecond;
  while (read_clocks().monotonic < until) ::poll(nullptr, 0, 10);
  // Now answer all that comes, until the prober has what it waits for.
  std::size_t whole = 0;
  for (;;) {
    Bytes request(1400);
    const ssize_t size = ::recv(socket.get(), request.data(), request.size(), MSG_WAITALL);
    if (size != 1400) break;
    ASSERT_TRUE(make_reply(request, {}, {})) << "a request that is not whole after " << whole;
    ++whole;
    ASSERT_EQ(::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL), 1400);
  }
  double sent = 0, missed = 0, received = 0;
  for (const std::string& line : prober.lines()) {
    if (!line.starts_with(R"({"event":"interval")")) continue;
    sent += number_in(line, "sent");
    missed += number_in(line, "missed");
    received += number_in(line, "received");
  }
  EXPECT_EQ(prober.wait(), 0);
  EXPECT_EQ(sent + missed, 20'000);
  EXPECT_GT(missed, 1000);
  EXPECT_EQ(received, sent);
  EXPECT_EQ(static_cast<double>(whole), sent);
}

TEST(EchoProgram, has_help_and_a_version_and_refuses_the_rest) {
  Process help({"--help"});
  EXPECT_THAT(help.line(), StartsWith("Usage: netperfd-echo"));
  (void)help.lines();
  EXPECT_EQ(help.wait(), 0);
  Process version({"--version"});
  EXPECT_THAT(version.line(), StartsWith("netperfd-echo 0."));
  EXPECT_EQ(version.wait(), 0);
  Process wrong({"probe"});
  EXPECT_EQ(wrong.wait(), 2);
}

}  // namespace
}  // namespace netperfd::echo
