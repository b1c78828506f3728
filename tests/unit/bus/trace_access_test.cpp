// SPDX-License-Identifier: GPL-2.0-or-later
// Who may access a trace, and what goes in and out while it is recorded: marks and progress.
#include <gmock/gmock.h>

#include "daemon/bus/rows/wire.hpp"
#include "daemon/bus/rows/wire_trace.hpp"
#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr std::uint64_t kMost = ~std::uint64_t{0};

class TraceAccess : public ClientTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
    ClientTest::SetUp();
    if (IsSkipped()) return;
    queries.stored = {a_run(41)};
    queries.stored.front().owner = kOwner;
    queries.stored_trace = TraceRecord{};
  }

  // Starts a traced run of job 1.
  void run_traced(uid_t owner) {
    ASSERT_TRUE(scheduler->submit(core::a_traced_job(), owner));
    clock.turn();
    workload.last().become_prepared();
  }
};

TEST_F(TraceAccess, samples_are_for_the_runs_owner_and_root_and_all_else_is_for_everybody) {
  const auto samples = [](sdbus::IProxy& manager) {
    return outcome_of([&] {
      dbus::Rows rows;
      std::string next;
      manager.callMethod("ListTraceSamples")
          .onInterface(dbus::kManagerInterface)
          .withArguments(std::uint64_t{41}, std::string{}, std::string{}, std::uint32_t{0})
          .storeResultsTo(rows, next);
    });
  };
  EXPECT_EQ(as({.uid = kOwner, .gid = kOwner}, samples), "ok");
  EXPECT_EQ(as({.uid = 0, .gid = 0}, samples), "ok");
  EXPECT_EQ(as({}, samples), dbus::error::kAccessDenied);
  EXPECT_EQ(as({.groups = {kGroup}}, samples), dbus::error::kAccessDenied);

  const auto the_rest = [](sdbus::IProxy& manager) {
    return outcome_of([&] {
      manager.callMethod("GetTrace").onInterface(dbus::kManagerInterface).withArguments(std::uint64_t{41});
      manager.callMethod("ListTraceStacks")
          .onInterface(dbus::kManagerInterface)
          .withArguments(std::uint64_t{41}, std::string{}, std::uint32_t{0});
    });
  };
  EXPECT_EQ(as({}, the_rest), "ok");
}

std::string start_text(sdbus::IProxy& manager) {
  try {
    manager.callMethod("StartJob")
        .onInterface(dbus::kManagerInterface)
        .withArguments(std::string{"name: x\n"}, std::string{"x.yaml"}, dbus::Row{});
  } catch (const sdbus::Error& e) {
    return e.getName() + " " + e.getMessage();
  }
  return "ok";
}

TEST_F(TraceAccess, a_members_job_traces_only_the_events_that_are_allowed) {
  const User member{.groups = {kGroup}};
  scenarios.what_is_made.trace = TraceSpec{};
  scenarios.what_is_made.trace->events = {{"skb:kfree_skb", "", false}, {"printk:console", "", false}};
  EXPECT_THAT(as(member, start_text),
              testing::AllOf(testing::StartsWith(dbus::error::kAccessDenied),
                             testing::HasSubstr("printk:console may show what other users do")));
  EXPECT_TRUE(scheduler->jobs().empty());
  EXPECT_EQ(as({.uid = 0, .gid = 0}, start_text), "ok") << "root may trace all";
  service->set_trace_events({"skb:*", "printk:*"});
  EXPECT_EQ(as(member, start_text), "ok") << "and whatever root allows";
}

std::string mark(sdbus::IProxy& manager, const std::string& text) {
  return outcome_of([&] {
    manager.callMethod("Mark").onInterface(dbus::kManagerInterface).withArguments(std::uint64_t{1}, text);
  });
}

TEST_F(TraceAccess, a_job_is_marked_by_its_owner_and_root_and_nobody_else) {
  run_traced(kOwner);
  tracer.last().said.clear();
  EXPECT_EQ(as({.uid = kOwner, .gid = kOwner}, [](auto& manager) { return mark(manager, "mine"); }), "ok");
  EXPECT_EQ(as({.uid = 0, .gid = 0}, [](auto& manager) { return mark(manager, "root's"); }), "ok");
  EXPECT_EQ(as({}, [](auto& manager) { return mark(manager, "a stranger's"); }), dbus::error::kAccessDenied);
  EXPECT_EQ(as({.groups = {kGroup}}, [](auto& manager) { return mark(manager, "a member's"); }),
            dbus::error::kAccessDenied);
  EXPECT_THAT(tracer.last().said, ElementsAre("user mark mine", "user mark root's"));
}

TEST_F(TraceAccess, a_mark_is_one_printable_line_of_limited_length) {
  run_traced(0);
  tracer.last().said.clear();
  const auto mark_with = [&](const std::string& text) {
    return client->call<>("Mark", std::uint64_t{1}, text).error;
  };
  for (const std::string text : {"", "a\nb", "\x1b[2J", "tab\there"}) {
    EXPECT_EQ(mark_with(text), dbus::error::kInvalidArgument) << text;
  }
  EXPECT_EQ(mark_with(std::string(201, 'x')), dbus::error::kInvalidArgument);
  EXPECT_TRUE(tracer.last().said.empty());
  EXPECT_EQ(mark_with(std::string(200, 'x')), "");
  EXPECT_EQ(mark_with("gr\u00fcn"), "");
  EXPECT_THAT(tracer.last().said, ElementsAre("user mark " + std::string(200, 'x'), "user mark gr\u00fcn"));
}

TEST_F(TraceAccess, marking_what_is_not_traced_just_now_is_not_running_and_no_job_is_not_found) {
  const auto outcome = [&](std::uint64_t job) { return client->call<>("Mark", job, std::string{"x"}).error; };
  for (const std::uint64_t job : {std::uint64_t{0}, std::uint64_t{1}, kMost}) {
    EXPECT_EQ(outcome(job), dbus::error::kNotFound) << job;
  }
  ASSERT_TRUE(scheduler->submit(core::a_job(), 0));
  EXPECT_EQ(outcome(1), dbus::error::kNotRunning) << "it waits";
  clock.turn();
  workload.last().become_prepared();
  EXPECT_EQ(outcome(1), dbus::error::kNotRunning) << "it has no trace";
}

TEST_F(TraceAccess, progress_is_told_only_while_somebody_is_subscribed) {
  client->listen();
  run_traced(0);
  const auto tell = [&](std::uint64_t count) {
    tracer.last().listener->trace_progress({.seconds = 1.5,
                                            .events = {{"skb:kfree_skb", count}, {kHostile, 1}},
                                            .lost = 2,
                                            .functions = {{"hsr_rx", count + 1}, {kHostile, 3}}});
    // An answer that comes after all signals sent so far.
    ASSERT_EQ(client->call<dbus::Rows>("ListScenarios").error, "");
  };
  tell(7);
  EXPECT_EQ(client->count_heard("TraceProgress"), 0);
  ASSERT_EQ(client->call<>("Subscribe").error, "");
  tell(8);
  EXPECT_EQ(client->count_heard("TraceProgress /org/netperfd1/job/1 41 1.5 s skb:kfree_skb=8 "
                                "\uFFFD\x1b[2J\uFFFD\uFFFD\uFFFD=1 2 lost hsr_rx=9 "
                                "\uFFFD\x1b[2J\uFFFD\uFFFD\uFFFD=3"),
            1);
  ASSERT_EQ(client->call<>("Unsubscribe").error, "");
  tell(9);
  EXPECT_EQ(client->count_heard("TraceProgress"), 1);
}

// The limit that both lists share.
TEST_F(TraceAccess, progress_with_far_too_many_names_still_comes) {
  client->listen();
  run_traced(0);
  ASSERT_EQ(client->call<>("Subscribe").error, "");
  TraceProgress progress;
  for (int i = 0; i < 5'000; ++i) {
    progress.events.emplace_back(std::to_string(i) + std::string(2'000, 'x'), 1);
    progress.functions.emplace_back(std::to_string(i) + std::string(static_cast<std::size_t>(i) % 200, 'y'),
                                    1);
  }
  tracer.last().listener->trace_progress(progress);
  ASSERT_EQ(client->call<dbus::Rows>("ListScenarios").error, "");
  EXPECT_EQ(client->count_heard("TraceProgress"), 1);
}

TEST(ProgressCounts, are_as_many_as_there_is_room_for) {
  std::vector<std::pair<std::string, std::uint64_t>> counts{{kHostile, 1}, {"skb:kfree_skb", 2}};
  EXPECT_THAT(progress_counts(counts, kProgressEventsBytes),
              UnorderedElementsAre(Pair("\uFFFD\x1b[2J\uFFFD\uFFFD\uFFFD", 1), Pair("skb:kfree_skb", 2)));
  counts.clear();
  for (int i = 0; i < 5'000; ++i) counts.emplace_back(std::to_string(i) + std::string(2'000, 'x'), 1);
  const auto made = progress_counts(counts, kProgressEventsBytes);
  EXPECT_GT(made.size(), 800U);
  EXPECT_LT(made.size() * 1'024, kProgressEventsBytes);
}

TEST(ProgressCounts, of_functions_of_one_name_in_two_modules_are_added_up) {
  EXPECT_THAT(progress_counts({{"init", 2}, {"init", 3}}, kProgressFunctionsBytes),
              UnorderedElementsAre(Pair("init", 5)));
}

}  // namespace
}  // namespace netperfd::bus
