// SPDX-License-Identifier: GPL-2.0-or-later
// Labels and notes, the history of jobs, and lists of selected runs.
#include <gmock/gmock.h>

#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Words : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    for (RunId id = 41; id <= 44; ++id) queries.stored.insert(queries.stored.begin(), a_run(id));
  }
  // The numbers of a list's runs.
  std::vector<std::uint64_t> listed(const dbus::Row& filter, std::string& cursor, std::uint32_t limit) {
    const auto answered = client->call<dbus::Rows, std::string>("ListRuns", filter, cursor, limit);
    EXPECT_EQ(answered.error, "");
    if (!answered.error.empty()) return {};
    std::vector<std::uint64_t> runs;
    for (const dbus::Row& row : std::get<0>(answered.values))
      runs.push_back(row.at("run").get<std::uint64_t>());
    cursor = std::get<1>(answered.values);
    return runs;
  }
  std::string refusal_of(const dbus::Row& filter) {
    return client->call<dbus::Rows, std::string>("ListRuns", filter, std::string{}, std::uint32_t{0}).error;
  }
};

dbus::Row selecting(const std::string& text) {
  return {{"selection", sdbus::Variant{text}}};
}

TEST_F(Words, a_selection_lists_runs_in_any_state_page_by_page) {
  queries.stored.at(1).state = RunState::failed;
  std::string cursor;
  EXPECT_THAT(listed(selecting("42-44"), cursor, 2), ElementsAre(44, 43));
  ASSERT_NE(cursor, "");
  // A run that came meanwhile moves nobody to another page.
  queries.stored.insert(queries.stored.begin(), a_run(45));
  EXPECT_THAT(listed(selecting("42-44"), cursor, 2), ElementsAre(42));
  EXPECT_EQ(cursor, "");
  EXPECT_THAT(listed({{"selection", sdbus::Variant{std::string{"41-44"}}},
                      {"state", sdbus::Variant{std::string{"failed"}}}},
                     cursor, 0),
              ElementsAre(43));
}

TEST_F(Words, a_wrong_selection_is_refused_before_anything_is_asked) {
  EXPECT_EQ(refusal_of(selecting("labl:x")), dbus::error::kInvalidArgument);
  dbus::Row twice = selecting("label:x");
  twice.emplace("label", sdbus::Variant{std::string{"y"}});
  EXPECT_EQ(refusal_of(twice), dbus::error::kInvalidArgument);
  EXPECT_TRUE(query_runner->callers.empty());
}

TEST_F(Words, the_history_lists_jobs_newest_first) {
  for (const JobId id : {3, 2}) {
    core::JobRow job;
    job.id = id;
    job.scenario = "veth";
    job.runs = {{.id = 10 * id, .state = RunState::finished, .started = {}, .ended = {}}};
    queries.stored_job_rows.push_back(job);
  }
  const auto answered = client->call<dbus::Rows, std::string>(
      "ListJobs", dbus::Row{{"label", sdbus::Variant{std::string{"after"}}}}, std::string{},
      std::uint32_t{0});
  ASSERT_EQ(answered.error, "");
  const auto& rows = std::get<0>(answered.values);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows.front().at("job").get<std::uint64_t>(), 3U);
  EXPECT_EQ(rows.front().at("runs").get<std::vector<std::uint64_t>>(), std::vector<std::uint64_t>{30});
  EXPECT_EQ(queries.last_filter.label, "after");
  EXPECT_EQ(
      (client
           ->call<dbus::Rows, std::string>("ListJobs", dbus::Row{{"job", sdbus::Variant{std::uint64_t{1}}}},
                                           std::string{}, std::uint32_t{0})
           .error),
      dbus::error::kInvalidArgument);
}

TEST_F(Words, a_label_and_a_note_are_stored_and_recorded) {
  ASSERT_EQ(client->call<>("SetLabel", std::uint64_t{1}, std::string{"before"}).error, "");
  EXPECT_EQ(store.labels, (std::map<JobId, std::string>{{1, "before"}}));
  ASSERT_EQ(client->call<>("SetNote", std::uint64_t{41}, std::string{"cable replaced"}).error, "");
  EXPECT_EQ(store.notes, (std::map<RunId, std::string>{{41, "cable replaced"}}));
  std::vector<std::string> recorded;
  for (const core::AuditEntry& entry : audit_store.entries)
    recorded.push_back(entry.action + " " + entry.detail);
  EXPECT_THAT(recorded, ElementsAre("label before", "note cable replaced"));
}

TEST_F(Words, that_are_no_line_are_refused) {
  EXPECT_EQ(client->call<>("SetLabel", std::uint64_t{1}, std::string(257, 'x')).error,
            dbus::error::kInvalidArgument);
  EXPECT_EQ(client->call<>("SetNote", std::uint64_t{41}, std::string(501, 'x')).error,
            dbus::error::kInvalidArgument);
  EXPECT_EQ(client->call<>("SetNote", std::uint64_t{41}, std::string{"two\nlines"}).error,
            dbus::error::kInvalidArgument);
  EXPECT_EQ(client->call<>("SetNote", std::uint64_t{99}, std::string{"x"}).error, dbus::error::kNotFound);
  EXPECT_TRUE(store.labels.empty() && store.notes.empty());
}

TEST_F(Words, of_others_are_left_alone) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
  const auto ask = [](sdbus::IProxy& manager) {
    return outcome_of([&] {
             manager.callMethod("SetLabel")
                 .onInterface(dbus::kManagerInterface)
                 .withArguments(std::uint64_t{1}, std::string{"mine"});
           }) +
           " " + outcome_of([&] {
             manager.callMethod("SetNote")
                 .onInterface(dbus::kManagerInterface)
                 .withArguments(std::uint64_t{41}, std::string{"mine"});
           });
  };
  const std::string refused = std::string{dbus::error::kAccessDenied} + " " + dbus::error::kAccessDenied;
  EXPECT_EQ(as({.groups = {kGroup}}, ask), refused);
  EXPECT_TRUE(store.labels.empty() && store.notes.empty());
}

}  // namespace
}  // namespace netperfd::bus
