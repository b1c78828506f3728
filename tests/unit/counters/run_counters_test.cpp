// SPDX-License-Identifier: GPL-2.0-or-later
// This kernel's counters during real traffic between two namespaces.
#include "daemon/counters/run_counters.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/counters/perf_counters.hpp"
#include "daemon/counters/tcp_sampler.hpp"
#include "daemon/workload/job/traits.hpp"
#include "tests/unit/counters/counted_pair.hpp"
#include "tests/unit/counters/namespace_pair.hpp"
#include "tests/unit/counters/sent_questions.hpp"

namespace netperfd::counters {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

std::optional<std::uint64_t> delta_of(const Counters& counters, std::string_view source,
                                      std::string_view netns, std::string_view name) {
  const auto found = std::ranges::find_if(counters.deltas, [&](const CounterDelta& delta) {
    return delta.source == source && delta.netns == netns && delta.name == name;
  });
  if (found == counters.deltas.end()) return std::nullopt;
  return found->delta;
}

TEST_F(RunCountersHere, are_those_of_both_namespaces) {
  const auto counting = open();
  counting->released({});
  send_refused(10);
  const Counters counters = counting->finish();
  EXPECT_EQ(delta_of(counters, "snmp", "left", "UdpOutDatagrams"), 10U);
  EXPECT_EQ(delta_of(counters, "snmp", "right", "UdpNoPorts"), 10U);
  EXPECT_EQ(delta_of(counters, "snmp", "left", "UdpNoPorts"), std::nullopt) << "it did not move";
  EXPECT_EQ(delta_of(counters, "snmp", "left", "TcpRetransSegs"), 0U) << "a reader looks for it";
  EXPECT_EQ(delta_of(counters, "netstat", "right", "IpExtInOctets"), 1'280U);
  EXPECT_EQ(delta_of(counters, "nic", "left", "wire tx_packets"), 10U);
  EXPECT_EQ(delta_of(counters, "nic", "left", "wire tx_bytes"), 1'420U);
  EXPECT_EQ(delta_of(counters, "nic", "right", "wire rx_packets"), 10U);
}

TEST_F(RunCountersHere, are_those_of_the_whole_machine_too) {
  const auto counting = open();
  send_refused(50);
  const Counters counters = counting->finish();
  EXPECT_GE(delta_of(counters, "softnet", "", "processed").value_or(0), 50U);
  EXPECT_GE(delta_of(counters, "softirqs", "", "NET_RX").value_or(0), 1U);
  EXPECT_TRUE(delta_of(counters, "cpu", "", "busy"));
  EXPECT_TRUE(delta_of(counters, "cpu", "", "idle"));
  EXPECT_TRUE(std::ranges::is_sorted(counters.deltas, {}, [](const CounterDelta& delta) {
    return std::tuple{delta.source, delta.netns, delta.name};
  }));
}

TEST_F(RunCountersHere, know_what_iperf3_does_not_count_apart) {
  const auto uncounted = [](const Counters& counters) {
    return delta_of(counters, "noise", "", "uncounted_busy").has_value();
  };
  JobSpec omits = spec();
  omits.test.traffic.omit = std::chrono::seconds{2};
  auto counting = source_.open(omits, {client_.pid(), server_.pid()});
  counting->released({});
  EXPECT_THAT(clock_.delays, testing::Contains(std::chrono::seconds{2}));
  clock_.tick();
  EXPECT_TRUE(uncounted(counting->finish()));
  counting = source_.open(omits, {client_.pid(), server_.pid()});
  counting->released({});
  EXPECT_FALSE(uncounted(counting->finish())) << "it ended before";
  counting = open();
  counting->released({});
  EXPECT_FALSE(uncounted(counting->finish())) << "it omits nothing";
  counting = open();
  counting->released({});
  counting->test_begun();
  EXPECT_TRUE(uncounted(counting->finish())) << "what iperf3 did before its test";
  JobSpec probed = spec();
  probed.latency.emplace();
  counting = source_.open(probed, {client_.pid(), server_.pid()});
  counting->released({});
  counting->load_begun();
  counting->load_ended();
  EXPECT_TRUE(uncounted(counting->finish())) << "the idle phases";
}

TEST_F(RunCountersHere, can_be_read_when_the_last_process_of_a_namespace_has_ended) {
  const auto counting = open();
  client_.send_datagrams("10.78.0.2", 5);
  client_.end();
  const Counters counters = counting->finish();
  EXPECT_EQ(delta_of(counters, "snmp", "left", "UdpOutDatagrams"), 5U);
  EXPECT_EQ(delta_of(counters, "nic", "left", "wire tx_packets"), 5U);
}

TEST_F(RunCountersHere, name_a_device_that_went_away) {
  const auto counting = open();
  client_.ip({"link", "delete", "wire"});
  const Counters counters = counting->finish();
  EXPECT_THAT(counters.unknown, testing::Contains(testing::StartsWith("nic of left: not there")));
  EXPECT_EQ(delta_of(counters, "nic", "left", "wire tx_packets"), std::nullopt);
}

TEST_F(RunCountersHere, never_fail_a_run_whose_processes_are_gone) {
  const pid_t ended = client_.pid();
  client_.end();
  JobSpec alone = spec();
  alone.test.path.local.reset();
  const Counters counters = source_.open(alone, {ended})->finish();
  EXPECT_THAT(counters.unknown, testing::Contains(testing::StartsWith("snmp of left: not available here")));
  EXPECT_TRUE(delta_of(counters, "cpu", "", "busy"));
}

TEST_F(RunCountersHere, of_a_run_without_a_workload_are_the_hosts) {
  JobSpec none;
  none.workload = workload::traits_of("none");
  const Counters counters = source_.open(none, {})->finish();
  EXPECT_TRUE(delta_of(counters, "snmp", "", "TcpRetransSegs"));
  EXPECT_THAT(counters.tcp, IsEmpty());
}

TEST_F(RunCountersHere, have_samples_of_the_data_connections_alone) {
  listen_at_the_server();
  const Connection foreign = connect();
  const auto counting = open();
  counting->released({});
  const Connection control = connect();
  const Connection data = connect();
  send_and_receive(control, 37);
  send_and_receive(data, 50'000);
  send_and_receive(foreign, 10);
  clock_.tick();
  send_and_receive(data, 50'000);
  clock_.tick();
  const Counters counters = counting->finish();
  ASSERT_THAT(counters.tcp, SizeIs(2));
  EXPECT_THAT(counters.tcp, Each(Field(&TcpSample::local_port, data.port)));
  EXPECT_THAT(counters.tcp, Each(Field(&TcpSample::remote_port, kPort)));
  EXPECT_GT(counters.tcp[0].snd_cwnd, 0U);
  EXPECT_GT(counters.tcp[0].rtt_us, 0U);
  EXPECT_EQ(counters.tcp[1].retransmits, 0U);
  EXPECT_LT(counters.tcp[0].time, counters.tcp[1].time);
  EXPECT_THAT(clock_.delays, Each(std::chrono::milliseconds{500}));
}

// A program in a namespace, with waiting for its output.
class Program {
 public:
  Program(const Namespace& netns, std::vector<std::string> words) {
    Pipe pipe = make_pipe().value();
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions{};
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, pipe.write.get(), STDOUT_FILENO);
    netns.run([&] { errno = ::posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ); });
    ::posix_spawn_file_actions_destroy(&actions);
    output_ = std::move(pipe.read);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  // Waits until it has printed `words` that often; false if it ended before.
  bool says(std::string_view words, int times = 1) {
    std::size_t from = 0;
    while (times > 0) {
      const std::size_t at = said_.find(words, from);
      if (at != std::string::npos) {
        from = at + words.size();
        --times;
        continue;
      }
      std::array<char, 512> chunk{};
      const ssize_t got = ::read(output_.get(), chunk.data(), chunk.size());
      if (got <= 0) return false;
      said_.append(chunk.data(), static_cast<std::size_t>(got));
    }
    return true;
  }
  int wait() {
    int status = -1;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return status;
  }

 private:
  pid_t pid_ = -1;
  Fd output_;
  std::string said_;
};

// Each CPU's idle time is told in ticks of 10 ms, which may hide one of busy time at both ends.
void use_more_time_than_ticks_hide() {
  const auto used = [] {
    timespec time{};
    (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
  };
  const auto enough = used() + 2 * std::chrono::milliseconds{10} * (1 + ::sysconf(_SC_NPROCESSORS_ONLN));
  while (used() < enough) {
  }
}

TEST_F(RunCountersHere, are_those_of_iperf3) {
  Program server{server_, {"iperf3", "-s", "-1", "--forceflush"}};
  ASSERT_TRUE(server.says("Server listening"));
  JobSpec two = spec();
  two.test.traffic.streams = 2;
  const auto counting = source_.open(two, {client_.pid(), server_.pid()});
  counting->released({});
  Program client{client_, {"iperf3", "-c", "10.78.0.2", "-P", "2", "-n", "20M", "--forceflush"}};
  ASSERT_TRUE(client.says("connected to", 2));
  clock_.tick();
  EXPECT_EQ(client.wait(), 0);
  use_more_time_than_ticks_hide();
  const Counters counters = counting->finish();
  // Less than was sent, because the sockets may still hold data when the client ends.
  EXPECT_GE(delta_of(counters, "nic", "left", "wire tx_bytes").value_or(0), 10'000'000U);
  EXPECT_GE(delta_of(counters, "netstat", "right", "IpExtInOctets").value_or(0), 10'000'000U);
  EXPECT_EQ(delta_of(counters, "snmp", "left", "TcpActiveOpens"), 3U);
  EXPECT_GT(delta_of(counters, "cpu", "", "busy").value_or(0), 0U);
  EXPECT_LE(counters.tcp.size(), 2U) << "not the connection on which the two ends talk";
}

TEST_F(RunCountersHere, sample_a_closed_connection_no_more) {
  listen_at_the_server();
  const auto counting = open();
  counting->released({});
  {
    const Connection data = connect();
    send_and_receive(data, 1'000);
    clock_.tick();
    // A reset leaves no connection in TIME_WAIT.
    const linger at_once{1, 0};
    ::setsockopt(data.client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  clock_.tick();
  EXPECT_THAT(counting->finish().tcp, SizeIs(1));
}

TEST_F(RunCountersHere, keep_a_bounded_number_of_samples_spread_over_the_run) {
  listen_at_the_server();
  auto sockets = open_sockets_in(fmt::format("/proc/{}/ns/net", client_.pid()));
  ASSERT_TRUE(sockets) << sockets.error().message;
  TcpSamplerSettings sampling;
  sampling.peer = {parse_address("10.78.0.2"), kPort};
  sampling.most_samples = 8;
  TcpSampler sampler{clock_, sockets->diag, sampling};
  sampler.start({}, std::chrono::steady_clock::now());
  const Connection data = connect();
  for (int i = 0; i < 9; ++i) clock_.tick();
  EXPECT_EQ(clock_.delays.back(), std::chrono::milliseconds{1'000}) << "every second of nine is left";
  for (int i = 0; i < 3; ++i) clock_.tick();
  const auto samples = sampler.finish();
  EXPECT_EQ(samples.size(), 7U);
  EXPECT_TRUE(std::ranges::is_sorted(samples, {}, &TcpSample::time));
}

// Searching all connections of a busy host takes long; querying one by its ports does not.
TEST_F(RunCountersHere, ask_only_for_single_connections_once_all_are_known) {
  listen_at_the_server();
  const auto counting = open();
  counting->released({});
  const Connection control = connect();
  const Connection sampled = connect();
  clock_.tick();
  test::sent_questions = {};
  for (int i = 0; i < 100; ++i) clock_.tick();
  EXPECT_EQ(test::sent_questions.for_all, 0);
  EXPECT_EQ(test::sent_questions.for_one, 2 * 100);
  test::sent_questions = {};
  (void)counting->finish();
  EXPECT_EQ(test::sent_questions.for_all + test::sent_questions.for_one, 0);
}

TEST_F(RunCountersHere, stop_looking_for_connections_that_never_come) {
  const auto counting = open();
  counting->released({});
  test::sent_questions = {};
  for (int i = 0; i < 8; ++i) clock_.tick();
  EXPECT_GT(test::sent_questions.for_all, 0);
  test::sent_questions = {};
  for (int i = 0; i < 100; ++i) clock_.tick();
  EXPECT_EQ(test::sent_questions.for_all + test::sent_questions.for_one, 0);
}

TEST(CpuList, has_ranges_and_single_numbers) {
  EXPECT_THAT(parse_cpu_list("0-2,8\n"), ElementsAre(0U, 1U, 2U, 8U));
  EXPECT_THAT(parse_cpu_list("0\n"), ElementsAre(0U));
  EXPECT_THAT(parse_cpu_list(""), IsEmpty());
  EXPECT_THAT(parse_cpu_list("0-4294967295\n"), IsEmpty());
  EXPECT_THAT(parse_cpu_list("x\n"), IsEmpty());
}

TEST(PerfCounters, count_here_or_say_why_not) {
  const PerfCounters counters{{0}};
  std::this_thread::yield();
  std::map<std::string, int> events;
  for (const Reading& reading : counters.read()) ++events[reading.name];
  std::string unknown;
  for (const std::string& clause : counters.unknown()) unknown += clause;
  for (const char* event : {"cycles", "instructions", "context-switches", "cpu-migrations"}) {
    EXPECT_NE(events.contains(event), unknown.contains(event)) << event << ": " << unknown;
  }
}

TEST(PerfCounters, of_a_cpu_that_is_not_there_are_unknown) {
  const PerfCounters counters{{60'000}};
  EXPECT_THAT(counters.read(), IsEmpty());
  EXPECT_THAT(counters.unknown(), testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace netperfd::counters
