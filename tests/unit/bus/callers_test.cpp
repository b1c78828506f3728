// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/callers.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>

#include "dbus/peers.hpp"
#include "tests/support/forgery.hpp"
#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

class CallersTest : public BusTest {
 protected:
  static Answered<sdbus::ObjectPath> start(Client& client, bool tied) {
    return client.call<sdbus::ObjectPath>("StartScenario", std::string{"fake"},
                                          dbus::Row{{"tie_to_caller", sdbus::Variant{tied}}});
  }
  core::JobState state_of(JobId job) {
    clock.turn();
    return scheduler->job(job)->state;
  }
  // Starts a run of job 1.
  void run_job() {
    ASSERT_TRUE(scheduler->submit(core::a_job(), 0));
    clock.turn();
    workload.last().become_prepared();
  }
  void tell_interval() { workload.last().listener->workload_interval(Interval{}); }
};

TEST_F(CallersTest, a_tied_job_ends_with_its_caller) {
  std::optional<Client> caller{*loop};
  ASSERT_EQ(start(*caller, true).error, "");
  EXPECT_EQ(state_of(1), core::JobState::running);
  caller.reset();
  ASSERT_TRUE(run_until(*loop, [&] { return workload.last().stop_asked; }));
}

TEST_F(CallersTest, a_tied_job_that_still_waits_ends_with_its_caller) {
  std::optional<Client> caller{*loop};
  ASSERT_EQ(start(*caller, false).error, "");
  ASSERT_EQ(start(*caller, true).error, "");
  ASSERT_EQ(state_of(1), core::JobState::running);
  caller.reset();
  ASSERT_TRUE(run_until(*loop, [&] { return state_of(2) == core::JobState::canceled; }));
  EXPECT_EQ(state_of(1), core::JobState::running);
}

TEST_F(CallersTest, a_job_that_is_not_tied_outlives_its_caller) {
  Client other{*loop};
  std::optional<Client> caller{*loop};
  ASSERT_EQ(start(*caller, false).error, "");
  ASSERT_EQ(start(*caller, true).error, "");
  caller.reset();
  ASSERT_TRUE(run_until(*loop, [&] { return state_of(2) == core::JobState::canceled; }));
  EXPECT_FALSE(workload.last().stop_asked);
}

TEST_F(CallersTest, intervals_are_told_only_while_somebody_is_subscribed) {
  Client listener{*loop};
  listener.listen();
  run_job();
  const auto barrier = [&] { return listener.call<dbus::Rows>("ListScenarios").error; };

  tell_interval();
  ASSERT_EQ(barrier(), "");
  EXPECT_EQ(listener.count_heard("Interval"), 0);

  ASSERT_EQ(listener.call<>("Subscribe").error, "");
  ASSERT_EQ(listener.call<>("Subscribe").error, "");
  tell_interval();
  ASSERT_EQ(barrier(), "");
  EXPECT_EQ(listener.count_heard("Interval /org/netperfd1/job/1 41"), 1);

  ASSERT_EQ(listener.call<>("Unsubscribe").error, "");
  tell_interval();
  ASSERT_EQ(barrier(), "");
  EXPECT_EQ(listener.count_heard("Interval"), 1);
}

TEST_F(CallersTest, a_subscriber_that_leaves_is_forgotten) {
  Client listener{*loop};
  listener.listen();
  run_job();
  std::optional<Client> subscriber{*loop};
  ASSERT_EQ(subscriber->call<>("Subscribe").error, "");
  // The end of its tied job shows that the service has noticed its departure.
  ASSERT_EQ(start(*subscriber, true).error, "");
  subscriber.reset();
  ASSERT_TRUE(run_until(*loop, [&] { return state_of(2) == core::JobState::canceled; }));
  tell_interval();
  ASSERT_EQ(listener.call<dbus::Rows>("ListScenarios").error, "");
  EXPECT_EQ(listener.count_heard("Interval"), 0);
}

TEST_F(CallersTest, unsubscribing_without_a_subscription_is_no_error) {
  Client client{*loop};
  EXPECT_EQ(client.call<>("Unsubscribe").error, "");
}

class Watch : public BusTest {
 protected:
  void SetUp() override {
    BusTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_GE(sd_bus_open_system(&connection), 0);
    ASSERT_GE(peers.emplace().guard(connection, dbus::Peers::Use::serving, {}), 0);
    ASSERT_GE(sd_bus_attach_event(connection, loop->raw(), 0), 0);
    callers.emplace(connection, [this](JobId job) { gone.push_back(job); });
  }
  void TearDown() override {
    clients.clear();
    callers.reset();
    peers.reset();
    if (connection != nullptr) sd_bus_detach_event(connection);
    sd_bus_flush_close_unref(connection);
    BusTest::TearDown();
  }

  void subscribe_another(uid_t uid, bool may_measure = true) {
    clients.push_back(std::make_unique<Client>(*loop));
    ASSERT_TRUE(callers->subscribe(clients.back()->name(), uid, may_measure));
  }

  std::vector<std::unique_ptr<Client>> clients;
  sd_bus* connection = nullptr;
  std::optional<dbus::Peers> peers;
  std::optional<Callers> callers;
  std::vector<JobId> gone;
};

class WatchOnALaxBus : public Watch {
 protected:
  PrivateBus::Rules rules() override { return PrivateBus::Rules::lax; }
  // Waits until everything that the bus has for the connection was heard.
  void hear_all() {
    ASSERT_TRUE(callers->tie(99, Client{*loop}.name()));
    ASSERT_TRUE(run_until(*loop, [&] { return std::ranges::find(gone, 99) != gone.end(); }));
  }
};

TEST_F(Watch, sees_a_caller_that_had_left_before_it_began) {
  const std::string name = Client{*loop}.name();
  ASSERT_TRUE(callers->tie(7, name));
  ASSERT_TRUE(run_until(*loop, [&] { return gone == std::vector<JobId>{7}; }));
}

TEST_F(Watch, ends_all_jobs_of_a_caller_but_those_untied) {
  std::optional<Client> client{*loop};
  for (const JobId job : {1, 2, 3}) ASSERT_TRUE(callers->tie(job, client->name()));
  callers->untie(2);
  client.reset();
  ASSERT_TRUE(run_until(*loop, [&] { return gone == std::vector<JobId>{1, 3}; }));
}

TEST_F(Watch, a_name_that_cannot_be_matched_counts_as_gone) {
  ASSERT_TRUE(callers->tie(7, "no name of the bus"));
  ASSERT_TRUE(run_until(*loop, [&] { return !gone.empty(); }));
  EXPECT_EQ(gone, std::vector<JobId>{7});
}

TEST_F(Watch, lets_go_of_what_it_holds_when_the_caller_leaves) {
  std::optional<Client> client{*loop};
  auto work = std::make_shared<int>();
  const std::weak_ptr<int> watched = work;
  ASSERT_TRUE(callers->hold(client->name(), std::move(work)));
  EXPECT_FALSE(watched.expired());
  client.reset();
  ASSERT_TRUE(run_until(*loop, [&] { return watched.expired(); }));
  EXPECT_TRUE(gone.empty());
}

TEST_F(Watch, lets_go_at_once_of_what_it_holds_for_a_caller_that_had_left) {
  const std::string name = Client{*loop}.name();
  auto work = std::make_shared<int>();
  const std::weak_ptr<int> watched = work;
  ASSERT_TRUE(callers->hold(name, std::move(work)));
  ASSERT_TRUE(run_until(*loop, [&] { return watched.expired(); }));
}

TEST_F(Watch, holds_one_thing_a_caller) {
  const Client client{*loop};
  const Client other{*loop};
  auto work = std::make_shared<int>();
  const std::weak_ptr<int> watched = work;
  ASSERT_TRUE(callers->hold(client.name(), std::move(work)));
  EXPECT_TRUE(callers->is_holding(client.name()));
  EXPECT_FALSE(callers->is_holding(other.name()));
  const auto second = callers->hold(client.name(), std::make_shared<int>());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::busy);
  EXPECT_TRUE(callers->hold(other.name(), std::make_shared<int>()));
  callers->let_go(client.name());
  EXPECT_TRUE(watched.expired());
  EXPECT_FALSE(callers->is_holding(client.name()));
  EXPECT_TRUE(callers->is_holding(other.name()));
  EXPECT_TRUE(callers->hold(client.name(), std::make_shared<int>()));
}

TEST_F(Watch, a_caller_that_is_let_go_of_stays_subscribed) {
  Client client{*loop};
  ASSERT_TRUE(callers->subscribe(client.name(), 7, true));
  ASSERT_TRUE(callers->hold(client.name(), std::make_shared<int>()));
  callers->let_go(client.name());
  EXPECT_TRUE(callers->anyone_subscribed());
  callers->let_go("never held anything");
}

TEST_F(Watch, a_user_has_so_many_subscribers_and_others_are_not_kept_from_theirs) {
  for (std::size_t i = 0; i < Callers::kSubscribersOfUserLimit; ++i) subscribe_another(7);
  Client late{*loop};
  const auto refused = callers->subscribe(late.name(), 7, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::busy);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("of uid 7"));
  EXPECT_TRUE(callers->subscribe(late.name(), 8, true));
  callers->unsubscribe(clients.front()->name());
  const Client later{*loop};
  EXPECT_TRUE(callers->subscribe(later.name(), 7, true));
}

TEST_F(Watch, has_room_for_so_many_subscribers_and_for_root) {
  for (std::size_t i = 0; i < Callers::kSubscribersLimit; ++i) subscribe_another(static_cast<uid_t>(100 + i));
  Client late{*loop};
  const auto refused = callers->subscribe(late.name(), 7, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::busy);
  EXPECT_TRUE(callers->subscribe(late.name(), 0, true));
}

TEST_F(Watch, keeps_room_for_subscribers_who_may_measure) {
  for (std::size_t i = 0; i < Callers::kReadingSubscribersLimit; ++i)
    subscribe_another(static_cast<uid_t>(100 + i), false);
  Client late{*loop};
  const auto refused = callers->subscribe(late.name(), 7, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::busy);
  EXPECT_TRUE(callers->subscribe(late.name(), 7, true));
  callers->unsubscribe(clients.front()->name());
  const Client later{*loop};
  EXPECT_TRUE(callers->subscribe(later.name(), 7, false));
}

TEST_F(Watch, tells_that_a_caller_leaves_unless_it_is_forgotten) {
  std::optional<Client> client{*loop};
  std::string told;
  const auto first = callers->on_leaving(client->name(), [&] { told += "first "; });
  const auto second = callers->on_leaving(client->name(), [&] { told += "second "; });
  ASSERT_TRUE(first && second);
  callers->forget(client->name(), *first);
  client.reset();
  ASSERT_TRUE(run_until(*loop, [&] { return !told.empty(); }));
  EXPECT_EQ(told, "second ");
}

TEST_F(WatchOnALaxBus, believes_a_departure_only_of_the_bus) {
  std::optional<Client> client{*loop};
  auto work = std::make_shared<int>();
  const std::weak_ptr<int> held = work;
  ASSERT_TRUE(callers->tie(7, client->name()));
  ASSERT_TRUE(callers->hold(client->name(), std::move(work)));
  const forgery::Stranger stranger;
  forgery::send_departure(stranger.bus(), forgery::unique_name(connection), client->name(), client->name());
  forgery::settle(stranger.bus());
  hear_all();
  EXPECT_EQ(gone, std::vector<JobId>{99});
  EXPECT_FALSE(held.expired());
  client.reset();
  ASSERT_TRUE(run_until(*loop, [&] { return held.expired(); }));
  EXPECT_EQ(gone, (std::vector<JobId>{99, 7}));
}

// The bus is stopped while it gets the replies, so that they come before its own.
TEST_F(WatchOnALaxBus, believes_only_the_bus_that_a_name_is_gone) {
  std::optional<Client> client{*loop};
  const forgery::Stranger stranger;
  const std::string name = forgery::unique_name(connection);
  bus->send_signal(SIGSTOP);
  stranger.reply_to_all(name, "b", 0);
  ASSERT_TRUE(callers->tie(7, client->name()));
  bus->send_signal(SIGCONT);
  hear_all();
  EXPECT_EQ(gone, std::vector<JobId>{99});
  client.reset();
  ASSERT_TRUE(run_until(*loop, [&] { return gone.size() == 2; }));
}

}  // namespace
}  // namespace netperfd::bus
