// SPDX-License-Identifier: GPL-2.0-or-later
// Queries that a process of their own answers: who asks, what ends them, and what a wrong answer does.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "daemon/base/fd.hpp"
#include "daemon/bus/access/bus_driver.hpp"
#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

using testing::HasSubstr;

constexpr const char* kBusy = "org.netperfd1.Error.Busy";
constexpr const char* kInternal = "org.netperfd1.Error.Internal";

class QueryCalls : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    for (RunId run = 1; run <= 51; ++run) queries.stored.insert(queries.stored.begin(), a_run(run));
  }
  Answered<dbus::Row, dbus::Rows> get_job(Client& caller) {
    return caller.call<dbus::Row, dbus::Rows>("GetJob", std::uint64_t{1});
  }
  // Asks for a job and waits until the query runs.
  Asked<dbus::Row, dbus::Rows> ask_held(Client& caller) {
    query_runner->held = true;
    const std::size_t before = query_runner->callers.size();
    auto asked = caller.ask<dbus::Row, dbus::Rows>("GetJob", std::uint64_t{1});
    EXPECT_TRUE(run_until(*loop, [&] { return query_runner->callers.size() > before; }));
    return asked;
  }
};

TEST_F(QueryCalls, are_made_for_the_user_who_calls) {
  EXPECT_EQ(get_job(*client).error, "");
  ASSERT_EQ(query_runner->callers.size(), 1U);
  EXPECT_EQ(query_runner->callers.front().uid, ::geteuid());
  EXPECT_TRUE(query_runner->callers.front().may_measure);
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
  const auto ask = [](sdbus::IProxy& manager) {
    return outcome_of([&] {
      manager.callMethod("GetJob").onInterface(dbus::kManagerInterface).withArguments(std::uint64_t{1});
    });
  };
  EXPECT_EQ(as({}, ask), "ok");
  EXPECT_EQ(query_runner->callers.back().uid, 65534U);
  EXPECT_FALSE(query_runner->callers.back().may_measure);
  EXPECT_EQ(as({.groups = {kGroup}}, ask), "ok");
  EXPECT_TRUE(query_runner->callers.back().may_measure);
}

TEST_F(QueryCalls, that_need_long_let_others_be_answered) {
  Client slow{*loop};
  const auto asked = ask_held(slow);
  EXPECT_EQ(client->call<dbus::Rows>("ListScenarios").error, "");
  EXPECT_FALSE(asked.answered->has_value());
  EXPECT_FALSE(query_runner->latest.expired());
}

TEST_F(QueryCalls, end_with_their_caller) {
  {
    std::optional<Client> leaver{*loop};
    const auto asked = ask_held(*leaver);
    // A second one of the same caller.
    const auto more = ask_held(*leaver);
    EXPECT_FALSE(query_runner->latest.expired());
  }
  EXPECT_TRUE(run_until(*loop, [&] { return query_runner->latest.expired(); }));
  query_runner->held = false;
  EXPECT_EQ(get_job(*client).error, "");
  EXPECT_TRUE(query_runner->latest.expired()) << "an answered one is forgotten";
}

TEST_F(QueryCalls, that_are_refused_or_fail_tell_their_caller_why) {
  query_runner->refusal = Error{ErrorKind::busy, "4 queries of uid 7 wait already"};
  auto answered = get_job(*client);
  EXPECT_EQ(answered.error, kBusy);
  EXPECT_EQ(answered.text, "4 queries of uid 7 wait already");
  query_runner->refusal.reset();
  query_runner->instead = fail(ErrorKind::busy, "the query did not end\xFF");
  answered = get_job(*client);
  EXPECT_EQ(answered.error, kBusy);
  EXPECT_EQ(answered.text, "the query did not end\uFFFD");
}

TEST_F(QueryCalls, whose_process_answers_nonsense_are_an_error_and_nothing_more) {
  query_runner->instead = "nonsense";
  EXPECT_EQ(get_job(*client).error, kInternal);
  query_runner->instead.reset();
  EXPECT_EQ(get_job(*client).error, "");
}

TEST_F(QueryCalls, with_wrong_arguments_cost_no_process) {
  EXPECT_THAT((client
                   ->call<dbus::Row, dbus::Rows, dbus::Rows, dbus::Rows>("Compare", std::string("lable:x"),
                                                                         std::string("1"), dbus::Row{})
                   .text),
              HasSubstr("A: \"lable:x\" is no selection"));
  EXPECT_NE((client->call<dbus::Row>("PlanRuns", std::string(5000, '1'), dbus::Row{}).error), "");
  EXPECT_NE(
      (client
           ->call<dbus::Rows, std::string>("ListRuns", dbus::Row{{"lable", sdbus::Variant{std::string("x")}}},
                                           std::string{}, std::uint32_t{0})
           .error),
      "");
  EXPECT_TRUE(query_runner->callers.empty());
}

TEST_F(QueryCalls, of_points_need_a_process_only_for_many_intervals) {
  const auto points = [this](std::uint32_t most) {
    return client->call<dbus::Rows, std::uint64_t>("ListIntervalPoints", std::uint64_t{1}, most);
  };
  Interval interval;
  interval.bytes = interval.retransmits = 7;
  interval.bits_per_second = 8;
  interval.seconds = 1;
  queries.stored_intervals.assign(2000, interval);
  const auto few = points(1000);
  EXPECT_EQ(few.error, "") << few.text;
  EXPECT_TRUE(query_runner->callers.empty());
  EXPECT_EQ(std::get<0>(few.values).size(), 1000U) << "the fullest points fit into a message";
  EXPECT_EQ(std::get<0>(few.values).front().at("intervals").get<std::uint64_t>(), 2U);
  EXPECT_EQ(std::get<0>(few.values).front().at("bytes").get<std::uint64_t>(), 14U);
  queries.stored_intervals.push_back(interval);
  const auto many = points(1000);
  EXPECT_EQ(many.error, "") << many.text;
  EXPECT_EQ(query_runner->callers.size(), 1U);
  EXPECT_EQ(std::get<0>(many.values).size(), 667U);
  EXPECT_EQ(std::get<1>(many.values), 2001U);
  EXPECT_EQ(std::get<0>(points(8).values).size(), 8U);
}

TEST_F(QueryCalls, of_points_with_a_wrong_number_cost_no_process) {
  queries.stored_intervals.assign(3000, {});
  for (const std::uint32_t most : {0U, 1U, 7U, 1001U, ~0U}) {
    const auto answered =
        client->call<dbus::Rows, std::uint64_t>("ListIntervalPoints", std::uint64_t{1}, most);
    EXPECT_EQ(answered.error, dbus::error::kInvalidArgument) << most;
    EXPECT_EQ(answered.text, fmt::format("most: {} is not from 8 to 1000 points", most));
  }
  for (const std::uint64_t run : {std::uint64_t{0}, std::uint64_t{99}, ~std::uint64_t{0}}) {
    EXPECT_EQ((client->call<dbus::Rows, std::uint64_t>("ListIntervalPoints", run, 8U)).error,
              dbus::error::kNotFound);
  }
  EXPECT_TRUE(query_runner->callers.empty());
}

// As ListIntervals: runs of other users may be read.
TEST_F(QueryCalls, of_points_are_answered_to_everybody) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
  queries.stored_intervals.assign(3000, {});
  EXPECT_EQ(as({},
               [](sdbus::IProxy& manager) {
                 return outcome_of([&] {
                   manager.callMethod("ListIntervalPoints")
                       .onInterface(dbus::kManagerInterface)
                       .withArguments(std::uint64_t{1}, std::uint32_t{8});
                 });
               }),
            "ok");
  EXPECT_EQ(query_runner->callers.back().uid, 65534U);
}

TEST_F(QueryCalls, of_a_job_need_a_process_only_for_many_runs) {
  EXPECT_EQ(get_job(*client).error, "");
  EXPECT_EQ(query_runner->callers.size(), 1U);
  queries.stored.pop_back();
  const auto answered = get_job(*client);
  EXPECT_EQ(answered.error, "");
  EXPECT_EQ(std::get<0>(answered.values).at("finished").get<std::uint32_t>(), 50U);
  EXPECT_EQ(query_runner->callers.size(), 1U);
}

TEST_F(QueryCalls, of_runs_need_a_process_only_for_filters_that_walk_over_many) {
  const auto list = [&](const dbus::Row& filter) {
    const auto before = query_runner->callers.size();
    const auto answered =
        client->call<dbus::Rows, std::string>("ListRuns", filter, std::string{}, std::uint32_t{0});
    EXPECT_EQ(answered.error, "") << answered.text;
    EXPECT_EQ(std::get<0>(answered.values).size(), 51U);
    return query_runner->callers.size() > before;
  };
  const sdbus::Variant job{std::uint64_t{1}};
  const sdbus::Variant state{std::string("finished")};
  EXPECT_FALSE(list({}));
  EXPECT_FALSE(list({{"job", job}}));
  EXPECT_FALSE(list({{"state", state}}));
  EXPECT_TRUE(list({{"job", job}, {"state", state}}));
  EXPECT_TRUE(list({{"label", sdbus::Variant{std::string("x")}}}));
  EXPECT_TRUE(list({{"traced", sdbus::Variant{false}}}));
  EXPECT_TRUE(list({{"since", sdbus::Variant{std::uint64_t{0}}}}));
}

TEST_F(QueryCalls, and_all_other_calls_come_after_everything_that_a_run_needs) {
  // Always pending, like the output of a process of a run that is not read yet.
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  ASSERT_EQ(::write(pipe->write.get(), "x", 1), 1);
  const auto source = loop->on_readable(pipe->read.get(), [] {});
  ASSERT_TRUE(source);
  bool called = false;
  scenarios.on_list = [&] { called = true; };
  const auto asked = client->ask<dbus::Rows>("ListScenarios");
  // The bus has passed that call on when it has answered some later ones, of a connection that does not stand
  // back.
  const auto connection = sdbus::createSystemBusConnection();
  dbus::attach(*connection, loop->raw());
  for (int i = 0; i < 10; ++i) {
    bool answered = false;
    const auto take = [](sd_bus_message*, void* done, sd_bus_error*) {
      *static_cast<bool*>(done) = true;
      return 0;
    };
    ASSERT_GE(sd_bus_call_method_async(dbus::raw(*connection), nullptr, kBusService, kBusPath, kBusService,
                                       "GetId", take, &answered, ""),
              0);
    ASSERT_TRUE(run_until(*loop, [&] { return answered; }));
  }
  dbus::detach(*connection);
  EXPECT_FALSE(called);
  char byte = 0;
  ASSERT_EQ(::read(pipe->read.get(), &byte, 1), 1);
  EXPECT_EQ(client->answer_to(asked).error, "");
  EXPECT_TRUE(called);
}

TEST_F(QueryCalls, and_all_other_calls_take_turns_with_work_that_continues_at_once) {
  EventSource again;
  int turns = 0;
  const std::function<void()> work = [&] {
    ++turns;
    again = loop->after(std::chrono::milliseconds{0}, work).value();
  };
  work();
  EXPECT_EQ(client->call<dbus::Rows>("ListScenarios").error, "");
  EXPECT_GT(turns, 1);
}

}  // namespace
}  // namespace netperfd::bus
