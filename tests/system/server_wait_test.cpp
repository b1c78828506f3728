// SPDX-License-Identifier: GPL-2.0-or-later
// A server of somebody else that is busy or absent for a while.
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class BusyServer : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }

  static std::unique_ptr<Process> serve() {
    auto server = lab().foreign_iperf3(lab().net().right(), {"--server", "--bind", NetnsPair::kRightAddress});
    server->wait_for_output("Server listening");
    return server;
  }
  // A client that keeps the server from everybody else until it is gone.
  static std::unique_ptr<Process> occupy(Process& server) {
    auto client = lab().foreign_iperf3(
        lab().net().left(), {"--client", NetnsPair::kRightAddress, "--time", "60", "--bitrate", "1M"});
    server.wait_for_output("Accepted connection");
    return client;
  }
  static nlohmann::json newest() {
    return nlohmann::json::parse(lab().ctl({"show", "last", "-o", "json"}).out);
  }

  JobWatch watch{lab().bus().address()};
};

TEST_F(BusyServer, is_waited_for_and_only_the_test_that_follows_is_measured) {
  const auto server = serve();
  auto client = occupy(*server);
  const StartedJob job = lab().start("foreign", {"server_wait=5min"});
  watch.wait_for_waiting(job.id, "server busy, 1 attempt in ");
  // Between two attempts, whenever that is.
  std::string jobs;
  for (const Deadline deadline; !jobs.contains("\"waiting\": \"server busy") && !deadline.has_passed();)
    jobs = lab().ctl({"jobs", "-o", "json"}).out;
  EXPECT_THAT(jobs, HasSubstr("gives up after 5 min"));
  const auto freed = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
  client.reset();
  EXPECT_EQ(watch.wait_for_end(job.id), "finished");
  const auto shown = newest();
  ASSERT_EQ(shown.at("flags").at(0).at("code"), "server-waited") << shown.at("flags");
  EXPECT_THAT(shown.at("flags").at(0).at("message").get<std::string>(), HasSubstr("the server was busy"));
  EXPECT_GE(shown.at("run").at("started_us").get<std::int64_t>(), freed.time_since_epoch().count());
  EXPECT_GT(shown.at("sums").at(0).at("seconds").get<double>(), 0.9);
  EXPECT_THAT(lab().ctl({"show", "last"}).out, HasSubstr("the server was busy"));
}

TEST_F(BusyServer, that_is_absent_is_waited_for_until_it_listens) {
  const StartedJob job = lab().start("foreign", {"server_wait=5min"});
  watch.wait_for_waiting(job.id, "no server, 1 attempt");
  const auto server = serve();
  EXPECT_EQ(watch.wait_for_end(job.id), "finished");
  EXPECT_THAT(newest().at("flags").at(0).at("message").get<std::string>(),
              HasSubstr("the server was absent"));
}

TEST_F(BusyServer, is_waited_for_no_longer_than_allowed) {
  const StartedJob job = lab().start("foreign", {"server_wait=1s"}, {"--repeat", "2"});
  EXPECT_EQ(watch.wait_for_end(job.id), "failed");
  const auto rows = lab().database().rows("SELECT state, error FROM runs ORDER BY id DESC LIMIT 2");
  EXPECT_EQ(rows.at(1).at(0), "failed");
  EXPECT_THAT(rows.at(1).at(1),
              AllOf(HasSubstr("Connection refused"), HasSubstr("the server was absent: 2 attempts within")));
  EXPECT_EQ(rows.at(0).at(0), "canceled") << "it was never there";
}

TEST_F(BusyServer, is_no_longer_waited_for_once_the_job_is_stopped) {
  const StartedJob job = lab().start("foreign", {"server_wait=1h"});
  watch.wait_for_waiting(job.id, "no server, 1 attempt");
  lab().stop(job.id);
  EXPECT_EQ(watch.wait_for_end(job.id), "canceled");
  EXPECT_THAT(lab().workload(), IsEmpty());
}

TEST_F(BusyServer, in_a_job_whose_server_is_netperfds_own_is_no_case_to_wait_for) {
  const Outcome refused = lab().ctl({"start", "local", "--set", "workload.iperf3.server_wait=5s"});
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.err, HasSubstr("stands beside `local`"));
}

}  // namespace
}  // namespace netperfd::system_test
