// SPDX-License-Identifier: GPL-2.0-or-later
// A complete measurement: an unprivileged user, netperfctl, the bus, netperfd, iperf3, SQLite, and back.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "tests/system/harness/raw_document.hpp"
#include "tests/system/harness/system_test.hpp"
#include "tests/system/harness/traffic_tap.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// The summary of a test, from a document or from a stream of events, one per line.
json end_of(const std::string& bytes) {
  const json whole = json::parse(bytes, nullptr, false);
  if (!whole.is_discarded()) return whole.at("end");
  std::istringstream lines{bytes};
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line);
    if (event.at("event") == "end") return event.at("data");
  }
  throw std::runtime_error("the document has no end: " + bytes);
}

MATCHER_P(IsClose, expected, "") {
  return std::abs(arg - expected) <= 1e-9 * std::abs(expected);
}

class Measure : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }

  // The data on one finished run, from three sources.
  struct Measured {
    std::uint64_t run = 0;
    json shown;  // output of netperfctl show last -o json
    json end;    // from iperf3's own document
  };

  static Measured measure(const std::vector<std::string>& overrides) {
    std::vector<std::string> arguments{"start", "local", "-o", "json"};
    for (const std::string& each : overrides)
      arguments.insert(arguments.end(), {"--set", "workload.iperf3." + each});
    const Outcome started = lab().ctl(arguments);
    EXPECT_EQ(started.code, 0) << started.err;
    const Outcome shown = lab().ctl({"show", "last", "-o", "json"});
    EXPECT_EQ(shown.code, 0) << shown.err;
    Measured measured;
    measured.shown = json::parse(shown.out);
    measured.run = measured.shown.at("run").at("run").get<std::uint64_t>();
    EXPECT_EQ(measured.shown.at("run").at("state"), "finished");
    EXPECT_EQ(json::parse(started.out).at("runs").at(0).at("run"), measured.run);
    measured.end = end_of(open_document(lab(), lab().users().member, measured.run, "client.stdout"));
    return measured;
  }

  // Checks that the row of one direction is the same in `show` and in the database.
  static void expect_stored_as_shown(const Measured& measured) {
    const Database database = lab().database();
    const json& sums = measured.shown.at("sums");
    EXPECT_EQ(database.number(fmt::format("SELECT count(*) FROM sums WHERE run = {}", measured.run)),
              sums.size());
    for (const json& sum : sums) {
      const auto stored = [&](const char* column) {
        return fmt::format("SELECT {} FROM sums WHERE run = {} AND direction = '{}'", column, measured.run,
                           sum.at("direction").get<std::string>());
      };
      for (const char* figure : {"received_bits_per_second", "sent_bits_per_second", "seconds"}) {
        EXPECT_THAT(database.real(stored(figure)), IsClose(sum.at(figure).get<double>())) << figure;
      }
      for (const char* figure : {"received_bytes", "sent_bytes"}) {
        EXPECT_EQ(database.number(stored(figure)), sum.at(figure).get<std::int64_t>()) << figure;
      }
    }
    EXPECT_GT(database.number(fmt::format("SELECT count(*) FROM intervals WHERE run = {}", measured.run)), 0);
  }

  static void expect_bytes_of(const json& sum, const json& sent, const json& received) {
    EXPECT_EQ(sum.at("sent_bytes"), sent.at("bytes"));
    EXPECT_EQ(sum.at("received_bytes"), received.at("bytes"));
    EXPECT_GT(sum.at("received_bits_per_second"), 1e6);
  }
};

TEST_F(Measure, tcp_to_the_server_is_stored_and_shown_as_iperf3_counted_it) {
  const Measured measured = measure({});
  const json& end = measured.end;
  ASSERT_EQ(measured.shown.at("sums").size(), 1);
  const json& sum = measured.shown.at("sums").at(0);
  EXPECT_EQ(sum.at("direction"), "send");
  expect_bytes_of(sum, end.at("sum_sent"), end.at("sum_received"));
  EXPECT_EQ(sum.at("retransmits"), end.at("sum_sent").at("retransmits"));
  expect_stored_as_shown(measured);
}

TEST_F(Measure, tcp_from_the_server_is_stored_and_shown_as_iperf3_counted_it) {
  const Measured measured = measure({"direction=receive"});
  const json& end = measured.end;
  ASSERT_EQ(measured.shown.at("sums").size(), 1);
  const json& sum = measured.shown.at("sums").at(0);
  EXPECT_EQ(sum.at("direction"), "receive");
  expect_bytes_of(sum, end.at("sum_sent"), end.at("sum_received"));
  expect_stored_as_shown(measured);
}

TEST_F(Measure, tcp_both_ways_gives_a_row_for_each_direction) {
  const Measured measured = measure({"direction=both"});
  const json& end = measured.end;
  ASSERT_EQ(measured.shown.at("sums").size(), 2);
  const json& send = measured.shown.at("sums").at(0);
  const json& receive = measured.shown.at("sums").at(1);
  EXPECT_EQ(send.at("direction"), "send");
  EXPECT_EQ(receive.at("direction"), "receive");
  expect_bytes_of(send, end.at("sum_sent"), end.at("sum_received"));
  expect_bytes_of(receive, end.at("sum_sent_bidir_reverse"), end.at("sum_received_bidir_reverse"));
  expect_stored_as_shown(measured);
}

TEST_F(Measure, udp_is_stored_with_its_packets_and_jitter) {
  const Measured measured = measure({"protocol=udp", "bitrate=20M"});
  ASSERT_EQ(measured.shown.at("sums").size(), 1);
  const json& sum = measured.shown.at("sums").at(0);
  EXPECT_EQ(sum.at("sent_bytes"), measured.end.at("sum_sent").at("bytes"));
  EXPECT_EQ(sum.at("packets"), measured.end.at("sum_sent").at("packets"));
  EXPECT_EQ(sum.at("lost_packets"), 0);
  EXPECT_TRUE(sum.contains("jitter_ms"));
  EXPECT_FALSE(sum.contains("retransmits"));
  EXPECT_THAT(sum.at("received_bits_per_second").get<double>() / 20e6, testing::DoubleNear(1, 0.1));
  expect_stored_as_shown(measured);
}

TEST_F(Measure, four_streams_are_four_rows_that_add_up_to_their_sum) {
  const Measured measured = measure({"streams=4"});
  EXPECT_EQ(measured.shown.at("run").at("streams"), 4);
  const Database database = lab().database();
  EXPECT_EQ(database.number(fmt::format("SELECT count(*) FROM streams WHERE run = {}", measured.run)), 4);
  EXPECT_EQ(database.number(fmt::format("SELECT sum(sent_bytes) FROM streams WHERE run = {}", measured.run)),
            measured.end.at("sum_sent").at("bytes").get<std::int64_t>());
  expect_stored_as_shown(measured);
}

TEST_F(Measure, the_kept_document_is_whole) {
  const Measured measured = measure({});
  const std::string bytes = open_document(lab(), lab().users().member, measured.run, "client.stdout");
  EXPECT_EQ(lab().database().number(fmt::format(
                "SELECT size FROM documents WHERE run = {} AND name = 'client.stdout'", measured.run)),
            bytes.size());
  EXPECT_THAT(open_document(lab(), User{}, measured.run, "server.stdout"), HasSubstr("Server listening"));
}

TEST_F(Measure, repeat_3_gives_three_runs_of_one_job_and_a_row_for_each) {
  const Outcome started = lab().ctl({"start", "local", "--repeat", "3", "--label", "thrice", "-o", "json"});
  ASSERT_EQ(started.code, 0) << started.err;
  const json answer = json::parse(started.out);
  EXPECT_EQ(answer.at("job").at("finished"), 3);
  EXPECT_THAT(answer.at("runs"), SizeIs(3));
  const auto job = answer.at("job").at("job").get<std::uint64_t>();
  const Database database = lab().database();
  using Row = Database::Row;
  EXPECT_EQ(database.rows(fmt::format("SELECT idx, state FROM runs WHERE job = {} ORDER BY id", job)),
            (std::vector<Row>{{"1", "finished"}, {"2", "finished"}, {"3", "finished"}}));
  EXPECT_EQ(database.number(fmt::format(
                "SELECT count(*) FROM sums WHERE run IN (SELECT id FROM runs WHERE job = {})", job)),
            3);
  EXPECT_EQ(database.value(fmt::format("SELECT label FROM jobs WHERE id = {}", job)), "thrice");
}

TEST_F(Measure, one_job_is_one_row_and_its_owner_is_the_caller) {
  const Database database = lab().database();
  const std::int64_t before = database.number("SELECT count(*) FROM jobs");
  (void)measure({});
  EXPECT_EQ(database.number("SELECT count(*) FROM jobs"), before + 1);
  EXPECT_EQ(database.number("SELECT owner_uid FROM jobs ORDER BY id DESC LIMIT 1"), lab().users().member.uid);
}

TEST_F(Measure, a_job_in_a_file_of_the_caller_is_measured_under_its_own_name) {
  const std::string file = lab().directory().write(
      "mine.yaml", fmt::format("name: mine\nworkload:\n  iperf3:\n    local: {{netns: {}, bind: {}}}\n"
                               "    netns: {}\n    bytes: 8M\n",
                               lab().net().right(), NetnsPair::kRightAddress, lab().net().left()));
  const Outcome started = lab().ctl({"start", file});
  EXPECT_EQ(started.code, 0) << started.err;
  EXPECT_THAT(started.out + started.err, HasSubstr("finished"));
  const Outcome listed = lab().ctl({"runs", "-o", "json"});
  EXPECT_EQ(json::parse(listed.out).at("runs").at(0).at("scenario"), "mine");
}

// A measurement that lasts until the test ends, with its two processes.
class Measuring : public Measure {
 protected:
  void SetUp() override {
    Measure::SetUp();
    TrafficTap tap{lab().net().right()};
    lab().start("local", {"duration=30s"});
    tap.wait_for_traffic();
    client = lab().iperf3_with("--client");
    server = lab().iperf3_with("--server");
  }

  SeenProcess client, server;
};

TEST_F(Measuring, iperf3_runs_as_its_own_user_without_groups) {
  const uid_t uid = lab().users().iperf3.uid;
  const std::string all_four = fmt::format("{0}\t{0}\t{0}\t{0}", uid);
  for (const SeenProcess& process : {client, server}) {
    const auto status = status_of(process.pid);
    EXPECT_EQ(status.at("Uid"), all_four);
    EXPECT_THAT(status.at("Gid"), Not(StartsWith("0\t")));
    EXPECT_THAT(status.at("Groups"), Not(testing::ContainsRegex("[0-9]")));
    EXPECT_EQ(status.at("CapEff"), "0000000000000000");
  }
}

TEST_F(Measuring, iperf3_cannot_gain_privileges) {
  for (const SeenProcess& process : {client, server}) EXPECT_EQ(status_of(process.pid).at("NoNewPrivs"), "1");
}

TEST_F(Measuring, iperf3_is_in_the_asked_namespaces) {
  EXPECT_EQ(client.netns, netns_id(lab().net().left()));
  EXPECT_EQ(server.netns, netns_id(lab().net().right()));
}

TEST_F(Measuring, iperf3_has_no_descriptor_of_the_daemon) {
  // The daemon reads from its pipe to iperf3, never the reverse; its other descriptors are not shared.
  std::vector<std::string> daemons;
  for (const auto& [number, target] : files_of(lab().netperfd().process().pid())) {
    if (!target.starts_with("pipe:")) daemons.push_back(target);
  }
  for (const SeenProcess& process : {client, server}) {
    for (const auto& [number, target] : files_of(process.pid)) {
      if (number == STDIN_FILENO) {
        EXPECT_EQ(target, "/dev/null");
      } else if (number <= STDERR_FILENO) {
        EXPECT_THAT(target, StartsWith("pipe:"));
      } else {
        // iperf3's own: sockets, the unlinked file of its buffer, and the source of that buffer's contents.
        EXPECT_THAT(target, AnyOf(StartsWith("socket:"), HasSubstr("iperf3."), "/dev/urandom"))
            << "descriptor " << number;
        EXPECT_THAT(daemons, Each(testing::Ne(target))) << "descriptor " << number;
      }
    }
  }
}

TEST_F(Measuring, iperf3_is_told_to_end_with_its_daemon_and_dumps_no_core) {
  const std::string limits = read_text(fmt::format("/proc/{}/limits", client.pid));
  EXPECT_THAT(limits, testing::ContainsRegex("Max core file size +0 +0 "));
  EXPECT_EQ(client.parent, lab().netperfd().process().pid());
  // iperf3 must receive SIGTERM, which the daemon blocks.
  EXPECT_EQ(status_of(client.pid).at("SigBlk"), "0000000000000000");
}

}  // namespace
}  // namespace netperfd::system_test
