// SPDX-License-Identifier: GPL-2.0-or-later
// What a server's document tells of its client: nothing. From 3.1 on, a server prints before it reads its
// client's results, and `remote_total` is that of the test before.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/workload/iperf3/import.hpp"
#include "tests/unit/workload/iperf3_document_maker.hpp"
#include "tests/unit/workload/support.hpp"

namespace netperfd::workload::test {
namespace {

using nlohmann::json;

std::string bytes_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// The runs of a file, in their order.
std::vector<ImportedWorkload> runs_in(std::string_view bytes) {
  auto file = read_iperf3_file(std::as_bytes(std::span(bytes)));
  EXPECT_TRUE(file) << file.error().message << "\n" << bytes;
  if (!file) return {};
  std::vector<ImportedWorkload> runs;
  runs.push_back(std::move(*file->workload));
  for (ImportedMore& more : file->more) runs.push_back(std::move(more.workload));
  return runs;
}

std::vector<std::string> flags_of_run(const ImportedWorkload& run) {
  std::vector<std::string> flags;
  for (const QualityFlag& flag : run.flags) flags.push_back(flag.code);
  return flags;
}

TEST(Iperf3ServerDocument, of_a_later_reverse_test_tells_what_was_sent_and_nothing_of_its_client) {
  const std::string text =
      bytes_of_file(recordings_directory() / "foreign" / "server-reverse-received-0.json");
  const auto runs = runs_in(text);
  ASSERT_EQ(runs.size(), 1U);
  const WorkloadReport& report = runs[0].report;
  ASSERT_EQ(report.sums.size(), 1U);
  EXPECT_EQ(report.sums[0].direction, Direction::receive);
  EXPECT_EQ(report.sums[0].sent_bits_per_second, 16e6);
  EXPECT_FALSE(report.sums[0].received_bytes || report.sums[0].received_bits_per_second);
  EXPECT_FALSE(report.cpu_client_percent);
  EXPECT_EQ(report.cpu_server_percent, 10.0);
  EXPECT_EQ(report.congestion, "cubic") << "the server's own";
  EXPECT_THAT(flags_of_run(runs[0]), testing::ElementsAre("server-document", "receiver-unknown"));
}

TEST(Iperf3ServerDocument, of_every_kind_reads_the_same_whatever_cpu_the_client_of_the_test_before_used) {
  const std::regex cpu(R"("remote_total":\s*0\b)");
  std::size_t documents = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(recordings_directory() / "of-server")) {
    if (entry.path().extension() != ".out" || entry.path().stem() == "client-killed") continue;
    const std::string first = bytes_of_file(entry.path());
    const std::string later = std::regex_replace(first, cpu, R"("remote_total": 37.5)");
    ASSERT_NE(first, later) << entry.path();
    EXPECT_EQ(runs_in(later), runs_in(first)) << entry.path();
    ++documents;
  }
  EXPECT_GT(documents, 40U);
}

// Before 3.9, a server also prints the congestion control of that client as its sender's.
TEST(Iperf3ServerDocument, of_a_test_that_it_received_does_not_tell_the_clients_congestion_control) {
  json document = json::parse(recorded("of-server/3.12/tcp-send"));
  document["end"]["sender_tcp_congestion"] = "bbr";
  const auto runs = runs_in(document.dump(1));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].report.congestion, "");
}

TEST(Iperf3ServerText, of_a_later_test_tells_the_servers_cpu_alone) {
  const std::string text =
      "Accepted connection from 10.0.0.1, port 40001\n"
      "[  5] local 10.0.0.2 port 5201 connected to 10.0.0.1 port 40000\n"
      "[ ID] Interval           Transfer     Bitrate\n"
      "[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec                  \n"
      "[ ID] Interval           Transfer     Bitrate\n"
      "[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec                  receiver\n"
      "CPU Utilization: local/receiver 3.4% (0.1%u/3.3%s), remote/sender 27.8% (1.0%u/26.8%s)\n";
  const auto file = read_iperf3_text(std::as_bytes(std::span(std::string_view(text))));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->workload->report.cpu_server_percent, 3.4);
  EXPECT_FALSE(file->workload->report.cpu_client_percent);
}

// ---- One server for many tests ----------------------------------------------------------------------------

struct ServedTest {
  const char* name;
  std::vector<std::string> options;
};

// Each moves other bytes at another rate than the test before, so that the figures of two tests cannot be
// taken for each other.
std::vector<ServedTest> twelve_tests() {
  return {
      {"tcp", {"--bitrate", "8M", "--bytes", "1M"}},
      {"tcp reverse", {"--bitrate", "16M", "--bytes", "2M", "--reverse"}},
      {"udp reverse", {"--bitrate", "4M", "--bytes", "500K", "--reverse", "--udp"}},
      {"udp", {"--bitrate", "12M", "--bytes", "1500K", "--udp"}},
      {"tcp both ways", {"--bitrate", "6M", "--bytes", "750K", "--bidir"}},
      {"tcp reverse, 3 streams", {"--bitrate", "10M", "--bytes", "1250K", "--reverse", "--parallel", "3"}},
      {"udp both ways", {"--bitrate", "3M", "--bytes", "375K", "--bidir", "--udp"}},
      {"tcp, 2 streams", {"--bitrate", "14M", "--bytes", "1750K", "--parallel", "2"}},
      {"tcp reverse again", {"--bitrate", "20M", "--bytes", "2500K", "--reverse"}},
      {"udp, 2 streams", {"--bitrate", "5M", "--bytes", "625K", "--udp", "--parallel", "2"}},
      {"udp reverse again", {"--bitrate", "18M", "--bytes", "2250K", "--reverse", "--udp"}},
      {"tcp reverse, slow", {"--bitrate", "7M", "--bytes", "875K", "--reverse"}},
  };
}

class Iperf3OneServer : public testing::Test {
 protected:
  void SetUp() override {
    REQUIRE_ROOT();
    namespaces = std::make_unique<NamespacePair>();
    ASSERT_NO_FATAL_FAILURE(launch(server, namespaces->right(), {"iperf3", "--server", "--json"}));
  }
  void TearDown() override {
    server.child.reset();
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
    EXPECT_EQ(errno, ECHILD);
  }

  void launch(Watched& program, const std::string& netns, std::vector<std::string> argv) {
    LaunchOrder order = order_for(std::move(argv));
    order.netns = netns;
    const Status started = start(loop, program, std::move(order));
    ASSERT_TRUE(started) << started.error().message;
    ASSERT_TRUE(turn_until(loop, [&] { return program.ready || program.end; }));
    ASSERT_TRUE(program.ready) << program.end->failure;
    program.child->release();
  }

  // What the client printed.
  std::string run_client(const std::vector<std::string>& options) {
    std::vector<std::string> argv{"iperf3", "--client", NamespacePair::kRightAddress, "--json"};
    argv.insert(argv.end(), {"--length", "1400"});
    argv.insert(argv.end(), options.begin(), options.end());
    Watched client;
    launch(client, namespaces->left(), std::move(argv));
    if (!client.child || !turn_until(loop, [&] { return client.end.has_value(); })) return {};
    return client.child->take_out();
  }

  // Between two tests, nobody listens for a moment.
  std::string run_test(const std::vector<std::string>& options) {
    constexpr int kMostAttempts = 200;
    std::string printed;
    for (int i = 0; i < kMostAttempts && !HasFatalFailure(); ++i) {
      printed = run_client(options);
      if (printed.empty()) break;
      const json document = json::parse(printed, nullptr, false);
      if (document.is_object() && !document.contains("error")) return printed;
    }
    ADD_FAILURE() << "no test: " << printed;
    return printed;
  }

  // Its last line is the only one of a document that is a brace alone.
  [[nodiscard]] bool has_printed(std::size_t documents) const {
    const auto ends =
        std::ranges::count_if(server.lines, [](const std::string& line) { return line == "}"; });
    return std::cmp_greater_equal(ends, documents);
  }

  EventLoop loop = make_loop();
  std::unique_ptr<NamespacePair> namespaces;
  Watched server;
};

void expect_close(const std::optional<std::uint64_t>& told, const std::optional<std::uint64_t>& true_bytes) {
  ASSERT_TRUE(told && true_bytes);
  const auto bytes = static_cast<double>(*true_bytes);
  EXPECT_NEAR(static_cast<double>(*told), bytes, 0.02 * bytes + 20'000);
}

// The server counted one side of each direction; the client learnt both.
void expect_server_side(const Totals& told, const Totals& whole, Protocol protocol) {
  SCOPED_TRACE(std::string(to_string(whole.direction)));
  EXPECT_EQ(told.direction, whole.direction);
  if (whole.direction == Direction::send) {
    expect_close(told.received_bytes, whole.received_bytes);
    EXPECT_FALSE(told.sent_bytes || told.sent_bits_per_second || told.retransmits || told.packets);
    EXPECT_EQ(told.lost_packets.has_value(), protocol == Protocol::udp);
  } else {
    expect_close(told.sent_bytes, whole.sent_bytes);
    EXPECT_FALSE(told.received_bytes || told.received_bits_per_second || told.lost_packets || told.jitter_ms);
    EXPECT_EQ(told.retransmits.has_value(), protocol == Protocol::tcp);
  }
}

void expect_served_test(const ImportedWorkload& of_server, const ImportedWorkload& of_client) {
  const Traffic& asked = of_client.asked.traffic;
  EXPECT_EQ(of_server.asked.traffic.protocol, asked.protocol);
  EXPECT_EQ(of_server.asked.traffic.direction, asked.direction);
  EXPECT_EQ(of_server.asked.traffic.streams, asked.streams);
  EXPECT_TRUE(of_client.report.cpu_client_percent && of_client.report.cpu_server_percent);
  EXPECT_FALSE(of_server.report.cpu_client_percent);
  EXPECT_TRUE(of_server.report.cpu_server_percent);
  EXPECT_EQ(of_server.report.congestion.empty(),
            asked.protocol != Protocol::tcp || asked.direction == Direction::send);
  ASSERT_EQ(of_server.report.sums.size(), of_client.report.sums.size());
  for (const Totals& whole : of_client.report.sums) {
    EXPECT_TRUE(whole.sent_bytes && whole.received_bytes);
    const auto told = std::ranges::find(of_server.report.sums, whole.direction, &Totals::direction);
    ASSERT_NE(told, of_server.report.sums.end());
    expect_server_side(*told, whole, asked.protocol);
  }
  EXPECT_THAT(flags_of_run(of_server), testing::Contains("server-document"));
  for (const char* flag :
       {"impossible-figures", "sent-above-received", "loss-disagrees", "unreadable-values"})
    EXPECT_THAT(flags_of_run(of_server), testing::Not(testing::Contains(flag)));
}

TEST_F(Iperf3OneServer, tells_of_each_of_twelve_tests_what_it_counted_itself_and_never_of_the_test_before) {
  std::vector<std::string> printed;
  for (const ServedTest& each : twelve_tests()) {
    SCOPED_TRACE(each.name);
    printed.push_back(run_test(each.options));
    ASSERT_FALSE(HasFailure());
    ASSERT_TRUE(turn_until(loop, [&] { return has_printed(printed.size()); }));
  }
  const auto of_server = runs_in(server.child->out());
  ASSERT_EQ(of_server.size(), printed.size());
  for (std::size_t i = 0; i < printed.size(); ++i) {
    SCOPED_TRACE(twelve_tests().at(i).name);
    const auto of_client = runs_in(printed[i]);
    ASSERT_EQ(of_client.size(), 1U);
    expect_served_test(of_server[i], of_client[0]);
  }
}

}  // namespace
}  // namespace netperfd::workload::test
