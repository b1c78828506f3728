// SPDX-License-Identifier: GPL-2.0-or-later
// Permissions of users, and the answers to invalid requests.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

// netperfctl's exit codes are listed in docs/netperfctl.md.

constexpr const char* kAccessDenied = dbus::error::kAccessDenied;

class Access : public SystemTest {
 protected:
  static constexpr std::uint32_t kQueueLimit = 3;
  static void SetUpTestSuite() {
    set_up({.gated = false, .queue_limit = kQueueLimit, .iperf3_script = {}, .environment = {}});
    // A run that can be read and must not be deleted.
    EXPECT_EQ(lab().ctl({"start", "local"}).code, 0);
    run_to_read = static_cast<std::uint64_t>(lab().database().number("SELECT max(id) FROM runs"));
  }

  // Jobs, runs and their states as one text.
  static std::string all_of_it() {
    const Database database = lab().database();
    return fmt::format("{} jobs; runs: {}", database.number("SELECT count(*) FROM jobs"),
                       database.value("SELECT group_concat(id || ' ' || state, ', ') FROM runs"));
  }
  static std::string run_to_read_text() { return std::to_string(run_to_read); }

  static std::uint64_t run_to_read;
};

std::uint64_t Access::run_to_read = 0;

TEST_F(Access, a_user_outside_the_group_cannot_start) {
  const std::string before = all_of_it();
  const Outcome outcome = lab().ctl({"start", "local"}, lab().users().outsider);
  EXPECT_EQ(outcome.code, kDenied) << outcome.err;
  EXPECT_NE(outcome.err, "");
  EXPECT_EQ(all_of_it(), before);
}

TEST_F(Access, a_user_outside_the_group_cannot_send_a_job) {
  const std::string before = all_of_it();
  const Reply reply =
      lab().connect(lab().users().outsider).manager("StartJob", "ssa{sv}", "name: x\n", "x", 0);
  EXPECT_EQ(reply.error_name, kAccessDenied);
  EXPECT_EQ(all_of_it(), before);
}

TEST_F(Access, a_user_outside_the_group_cannot_stop) {
  JobWatch watch{lab().bus().address()};
  const StartedJob job = lab().start("local", {"duration=30s"});
  watch.wait_for_run_state(job.id, "running");
  const Outcome outcome = lab().ctl({"stop", std::to_string(job.id)}, lab().users().outsider);
  EXPECT_EQ(outcome.code, kDenied) << outcome.err;
  EXPECT_EQ(lab().database().value(fmt::format("SELECT state FROM runs WHERE job = {}", job.id)), "running");
}

TEST_F(Access, a_user_outside_the_group_cannot_delete) {
  const Outcome outcome = lab().ctl({"delete", run_to_read_text()}, lab().users().outsider);
  EXPECT_EQ(outcome.code, kDenied) << outcome.err;
  EXPECT_EQ(lab().database().number("SELECT count(*) FROM runs WHERE id = " + run_to_read_text()), 1);
}

TEST_F(Access, a_user_outside_the_group_may_read) {
  const User& outsider = lab().users().outsider;
  for (const std::vector<std::string>& words : {std::vector<std::string>{"runs"},
                                                {"jobs"},
                                                {"scenarios"},
                                                {"show", run_to_read_text()},
                                                {"show", "last"}}) {
    const Outcome outcome = lab().ctl(words, outsider);
    EXPECT_EQ(outcome.code, 0) << words.front() << ": " << outcome.err;
    EXPECT_NE(outcome.out, "") << words.front();
  }
}

TEST_F(Access, a_member_may_stop_his_own_job_but_neither_stop_nor_delete_the_work_of_another) {
  JobWatch watch{lab().bus().address()};
  const StartedJob job = lab().start("local", {"duration=30s"});
  const Outcome refused = lab().ctl({"stop", std::to_string(job.id)}, lab().users().other_member);
  EXPECT_EQ(refused.code, kDenied) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("that needs root"));
  EXPECT_EQ(lab().ctl({"delete", run_to_read_text()}, lab().users().other_member).code, kDenied);
  EXPECT_EQ(lab().database().number("SELECT count(*) FROM runs WHERE id = " + run_to_read_text()), 1);
  EXPECT_EQ(lab().ctl({"stop", std::to_string(job.id)}).code, 0);
  EXPECT_EQ(watch.wait_for_end(job.id), "canceled");
}

TEST_F(Access, a_member_may_delete_his_own_run) {
  const Outcome started = lab().ctl({"start", "local", "-o", "json"});
  ASSERT_EQ(started.code, 0) << started.err;
  const auto run = json::parse(started.out).at("runs").at(0).at("run").get<std::uint64_t>();
  const Outcome outcome = lab().ctl({"delete", std::to_string(run)});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Database database = lab().database();
  EXPECT_EQ(database.number(fmt::format("SELECT count(*) FROM runs WHERE id = {}", run)), 0);
  EXPECT_EQ(database.number(fmt::format("SELECT count(*) FROM documents WHERE run = {}", run)), 0);
  EXPECT_EQ(lab().ctl({"show", std::to_string(run)}).code, kNotFound);
}

TEST_F(Access, root_may_start_without_being_in_the_group) {
  JobWatch watch{lab().bus().address()};
  const Outcome outcome = lab().ctl({"start", "local"}, User{});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(Access, the_raw_document_is_for_the_owner_and_root_alone) {
  const auto open_as = [](const User& user) {
    return lab().connect(user).manager("OpenDocument", "ts", run_to_read, "client.stdout").error_name;
  };
  EXPECT_EQ(open_as(lab().users().member), "");
  EXPECT_EQ(open_as(User{}), "");
  EXPECT_EQ(open_as(lab().users().other_member), kAccessDenied);
  EXPECT_EQ(open_as(lab().users().outsider), kAccessDenied);
}

TEST_F(Access, the_shipped_policy_lets_only_root_own_the_name) {
  for (const User& user : {lab().users().member, lab().users().outsider}) {
    const Reply reply =
        lab().connect(user).call_on("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                    "RequestName", "su", dbus::kService, 0U);
    EXPECT_EQ(reply.error_name, kAccessDenied);
  }
}

TEST_F(Access, the_shipped_policy_lets_no_other_interface_through) {
  const Reply reply =
      lab().connect(lab().users().member).call("/org/netperfd1", "org.netperfd1.Elsewhere", "Method", "");
  EXPECT_EQ(reply.error_name, kAccessDenied);
}

TEST_F(Access, a_label_that_looks_like_another_one_is_refused) {
  const std::string before = all_of_it();
  const BusClient member = lab().connect(lab().users().member);
  for (const auto& [label, character] : {std::pair{"be\u202Efore", "U+202E"},
                                         {"be\u2066fore", "U+2066"},
                                         {"be\u200Ffore", "U+200F"},
                                         {"be\u2028fore", "U+2028"},
                                         {"be\u0085fore", "U+0085"},
                                         {"be\u200Bfore", "U+200B"},
                                         {"be\u00A0fore", "U+00A0"},
                                         {"be\u200Cfore", "U+200C"}}) {
    const Reply reply = member.manager("StartScenario", "sa{sv}", "quick", 1, "label", "s", label);
    EXPECT_EQ(reply.error_name, dbus::error::kInvalidArgument) << character;
    EXPECT_THAT(reply.error_text, HasSubstr(std::string("label: character 3 is ") + character));
  }
  const std::string file = lab().directory().write(
      "label.yaml", "name: quick\nlabel: \"be\\u202Efore\"\nworkload: {iperf3: {server: h, duration: 1s}}\n");
  EXPECT_THAT(lab().ctl({"start", file}).err, HasSubstr("character 3 is U+202E"));
  EXPECT_EQ(all_of_it(), before);
}

TEST_F(Access, a_wrong_job_is_told_all_its_errors_and_nothing_is_stored) {
  const std::string before = all_of_it();
  const std::string file = lab().directory().write("wrong.yaml",
                                                   "name: wrong\n"
                                                   "workload:\n"
                                                   "  iperf3:\n"
                                                   "    server: 10.77.0.2\n"
                                                   "    duration: 10x\n"
                                                   "    stream: 4\n"
                                                   "    protocol: icmp\n");
  const Outcome outcome = lab().ctl({"start", file});
  EXPECT_EQ(outcome.code, kUsage) << outcome.err;
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("wrong.yaml:5:"), HasSubstr("workload.iperf3.duration"), HasSubstr("10x")));
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("wrong.yaml:6:"), HasSubstr("workload.iperf3.stream"), HasSubstr("streams")));
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("wrong.yaml:7:"), HasSubstr("workload.iperf3.protocol"), HasSubstr("icmp")));
  EXPECT_EQ(all_of_it(), before);
}

TEST_F(Access, a_wrong_override_is_an_error_that_names_its_key_and_nothing_is_stored) {
  const std::string before = all_of_it();
  for (const auto& [word, part] : {std::pair{"workload.iperf3.streams=many", "workload.iperf3.streams"},
                                   {"workload.iperf3.streams=1000", "workload.iperf3.streams"},
                                   {"workload.iperf3.stream=2", "workload.iperf3.stream"},
                                   {"no-value", "no-value"}}) {
    const Outcome outcome = lab().ctl({"start", "local", "--set", word});
    EXPECT_EQ(outcome.code, kUsage) << word << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(part));
  }
  EXPECT_EQ(all_of_it(), before);
}

TEST_F(Access, an_override_takes_effect_and_is_kept_with_the_job) {
  const Outcome started = lab().ctl({"start", "local", "--set", "workload.iperf3.streams=2", "-o", "json"});
  ASSERT_EQ(started.code, 0) << started.err;
  const auto job = json::parse(started.out).at("job").at("job").get<std::uint64_t>();
  const Database database = lab().database();
  EXPECT_EQ(database.number(fmt::format("SELECT streams FROM jobs WHERE id = {}", job)), 2);
  EXPECT_THAT(database.value(fmt::format("SELECT text FROM jobs WHERE id = {}", job)),
              testing::ContainsRegex("streams: *\"?2"));
}

TEST_F(Access, an_unknown_scenario_is_not_found) {
  const std::string before = all_of_it();
  const Outcome outcome = lab().ctl({"start", "nobody-wrote-this"});
  EXPECT_EQ(outcome.code, kNotFound) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("nobody-wrote-this"));
  EXPECT_EQ(all_of_it(), before);
}

TEST_F(Access, an_unknown_run_and_an_unknown_job_are_not_found) {
  EXPECT_EQ(lab().ctl({"show", "999999"}).code, kNotFound);
  EXPECT_EQ(lab().ctl({"delete", "999999"}).code, kNotFound);
  EXPECT_EQ(lab().ctl({"stop", "999999"}).code, kNotFound);
}

TEST_F(Access, a_full_queue_refuses_the_next_job_as_busy_and_stores_nothing_of_it) {
  for (std::uint32_t i = 0; i < kQueueLimit; ++i) lab().start("local", {"duration=30s"});
  const std::int64_t before = lab().database().number("SELECT count(*) FROM jobs");
  const Reply reply = lab().connect(lab().users().member).manager("StartScenario", "sa{sv}", "local", 0);
  EXPECT_EQ(reply.error_name, dbus::error::kBusy);
  const Outcome outcome = lab().ctl({"start", "local"});
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("full"));
  EXPECT_EQ(lab().database().number("SELECT count(*) FROM jobs"), before);
}

TEST_F(Access, the_log_says_who_did_what_and_a_flood_of_refusals_is_few_entries) {
  const Outcome started = lab().ctl({"start", "local", "-o", "json"});
  ASSERT_EQ(started.code, 0) << started.err;
  const auto run = json::parse(started.out).at("runs").at(0).at("run").get<std::uint64_t>();
  ASSERT_EQ(lab().ctl({"delete", std::to_string(run)}).code, 0);
  const BusClient outsider = lab().connect(lab().users().outsider);
  for (int i = 0; i < 50; ++i) {  // more would be refused without asking
    EXPECT_NE(outsider.manager("StartScenario", "sa{sv}", "local", 0).error_name, "");
  }
  const Outcome log = lab().ctl({"log", "--all", "-o", "json"});
  ASSERT_EQ(log.code, 0) << log.err;
  int deletions = 0;
  int refusals = 0;
  const json entries = json::parse(log.out).at("entries");
  for (const auto& entry : entries) {
    if (entry.at("action") == "delete" && entry.value("run", 0U) == run) {
      ++deletions;
      EXPECT_EQ(entry.at("user"), lab().users().member.uid);
      EXPECT_EQ(entry.at("outcome"), "allowed");
    }
    if (entry.at("outcome") == "refused" && entry.value("user", 0U) == lab().users().outsider.uid) ++refusals;
  }
  EXPECT_EQ(deletions, 1);
  EXPECT_GE(refusals, 1);
  EXPECT_LE(refusals, 3) << "one for each action in an hour";
}

TEST_F(Access, an_outsider_reads_only_his_own_entries_of_the_log) {
  const User& outsider = lab().users().outsider;
  (void)lab().ctl({"start", "local"}, outsider);
  const Outcome own = lab().ctl({"log", "--all", "-o", "json"}, outsider);
  ASSERT_EQ(own.code, 0) << own.err;
  const json entries = json::parse(own.out).at("entries");
  for (const auto& entry : entries) EXPECT_EQ(entry.at("user"), outsider.uid);
  EXPECT_EQ(lab().ctl({"log", "--user", std::to_string(lab().users().member.uid)}, outsider).code, kDenied);
}

TEST_F(Access, an_unknown_option_of_a_start_is_an_error_that_names_it) {
  const Reply reply =
      lab().connect(lab().users().member).manager("StartScenario", "sa{sv}", "local", 1, "lable", "s", "x");
  EXPECT_EQ(reply.error_name, dbus::error::kInvalidArgument);
  EXPECT_THAT(reply.error_text, HasSubstr("lable"));
}

}  // namespace
}  // namespace netperfd::system_test
