// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include <gmock/gmock.h>

#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kObjectManager = "org.freedesktop.DBus.ObjectManager";
using Objects = std::map<sdbus::ObjectPath, std::map<std::string, std::map<std::string, sdbus::Variant>>>;

class Jobs : public ClientTest {
 protected:
  Answered<sdbus::ObjectPath> start(const dbus::Row& options = {}) {
    return client->call<sdbus::ObjectPath>("StartScenario", std::string{"fake"}, options);
  }
  Answered<sdbus::ObjectPath> start_text(const std::string& text, const dbus::Row& options = {}) {
    return client->call<sdbus::ObjectPath>("StartJob", text, std::string{"job.yaml"}, options);
  }
  // Waits for an answer that comes after all signals sent so far.
  void barrier() { EXPECT_EQ(client->call<dbus::Rows>("ListScenarios").error, ""); }
};

TEST_F(Jobs, a_started_scenario_is_an_object_with_what_was_asked) {
  const auto started =
      start({{"label", sdbus::Variant{std::string{"before"}}},
             {"repeat", sdbus::Variant{std::uint32_t{3}}},
             {"overrides", sdbus::Variant{std::vector<std::string>{"workload.iperf3.streams=8"}}}});
  ASSERT_EQ(started.error, "") << started.text;
  EXPECT_EQ(std::get<0>(started.values), "/org/netperfd1/job/1");
  EXPECT_THAT(scenarios.last_options.overrides, ElementsAre("workload.iperf3.streams=8"));

  const auto objects = client->call_on<Objects>(dbus::kManagerPath, kObjectManager, "GetManagedObjects");
  ASSERT_EQ(objects.error, "") << objects.text;
  const auto job =
      std::get<0>(objects.values).at(sdbus::ObjectPath{"/org/netperfd1/job/1"}).at(dbus::kJobInterface);
  EXPECT_EQ(job.at("Id").get<std::uint64_t>(), 1U);
  EXPECT_EQ(job.at("Scenario").get<std::string>(), "fake");
  EXPECT_EQ(job.at("Label").get<std::string>(), "before");
  EXPECT_EQ(job.at("Owner").get<std::uint32_t>(), ::geteuid());
  EXPECT_THAT(job.at("Runs").get<std::vector<std::uint64_t>>(), ElementsAre(41, 42, 43));
  EXPECT_EQ(job.at("PlannedSeconds").get<double>(), 10);
  EXPECT_EQ(job.at("State").get<std::string>(), "pending");
}

TEST_F(Jobs, of_a_job_without_an_end_neither_length_nor_progress_is_known) {
  scenarios.what_is_made = core::a_job_without_workload();
  scenarios.what_is_made.trace.reset();
  ASSERT_EQ(start().error, "");
  clock.turn();
  workload.last().become_prepared();
  clock.advance(std::chrono::seconds{20});
  const auto answered = client->call_on<std::map<std::string, sdbus::Variant>>(
      dbus::job_path(1), "org.freedesktop.DBus.Properties", "GetAll", std::string{dbus::kJobInterface});
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& job = std::get<0>(answered.values);
  EXPECT_EQ(job.at("RunState").get<std::string>(), "running");
  EXPECT_EQ(job.at("PlannedSeconds").get<double>(), 0);
  EXPECT_EQ(job.at("Progress").get<double>(), 0);
}

TEST_F(Jobs, a_started_text_reaches_the_parser_with_its_origin) {
  ASSERT_EQ(start_text("name: x\n").error, "");
  EXPECT_EQ(scenarios.last_text, "name: x\n");
  EXPECT_EQ(scenarios.last_origin, "job.yaml");
}

TEST_F(Jobs, a_checked_job_is_counted_and_not_queued) {
  scenarios.what_is_made.design.emplace().a =
      Variant{.name = "list", .apply = {}, .verify = {}, .builds = {}};
  scenarios.what_is_made.design->b = Variant{.name = "hash", .apply = {}, .verify = {}, .builds = {}};
  const auto of_scenario = client->call<std::uint32_t, std::uint32_t>(
      "CheckScenario", std::string{"fake"}, dbus::Row{{"repeat", sdbus::Variant{std::uint32_t{3}}}});
  ASSERT_EQ(of_scenario.error, "");
  EXPECT_EQ(of_scenario.values, (std::tuple{12U, 250U})) << "four runs a block, a thousand in all";
  const auto of_text = client->call<std::uint32_t, std::uint32_t>("CheckJob", std::string{"name: x\n"},
                                                                  std::string{"job.yaml"}, dbus::Row{});
  EXPECT_EQ(of_text.values, (std::tuple{4U, 250U}));
  EXPECT_EQ(scenarios.last_text, "name: x\n");
  clock.turn();
  EXPECT_TRUE(scheduler->jobs().empty());
  scenarios.refusal = Error{ErrorKind::invalid_argument, "job.yaml:1: no"};
  EXPECT_EQ(
      (client->call<std::uint32_t, std::uint32_t>("CheckScenario", std::string{"fake"}, dbus::Row{}).error),
      dbus::error::kInvalidArgument);
}

TEST_F(Jobs, who_may_not_measure_does_not_get_a_text_read_by_checking_it) {
  const std::string error = as(User{}, [](sdbus::IProxy& manager) {
    try {
      manager.callMethod("CheckJob")
          .onInterface(dbus::kManagerInterface)
          .withArguments(std::string{"name: x\n"}, std::string{"job.yaml"}, dbus::Row{});
    } catch (const sdbus::Error& refused) {
      return std::string{refused.getName()};
    }
    return std::string{"allowed"};
  });
  EXPECT_EQ(error, dbus::error::kAccessDenied);
  EXPECT_EQ(scenarios.last_text, "");
}

TEST_F(Jobs, a_job_tells_each_change_once_and_only_what_changed) {
  client->listen();
  ASSERT_EQ(start().error, "");
  clock.turn();
  workload.last().become_prepared();
  clock.advance(std::chrono::seconds{1});
  workload.last().end(core::a_failure("iperf3: connection refused"));
  clock.turn();
  clock.advance(core::Scheduler::kLinger);
  barrier();
  EXPECT_THAT(
      client->heard(),
      ElementsAre("InterfacesAdded /org/netperfd1",
                  "PropertiesChanged /org/netperfd1/job/1 State CurrentRun RunState",
                  "PropertiesChanged /org/netperfd1/job/1 RunState",
                  "PropertiesChanged /org/netperfd1/job/1 Progress",
                  "PropertiesChanged /org/netperfd1/job/1 RunState", "RunEnded /org/netperfd1",
                  "PropertiesChanged /org/netperfd1/job/1 State RunsEnded CurrentRun RunState Progress Error "
                  "ExpectedEnd",
                  "InterfacesRemoved /org/netperfd1"));
  EXPECT_EQ(client
                ->call_on<sdbus::Variant>(dbus::job_path(1), "org.freedesktop.DBus.Properties", "Get",
                                          std::string{dbus::kJobInterface}, std::string{"State"})
                .error,
            "org.freedesktop.DBus.Error.UnknownObject");
}

TEST_F(Jobs, a_stopped_job_is_canceled_and_stopping_it_again_is_not_running) {
  ASSERT_EQ(start().error, "");
  EXPECT_EQ(client->call<>("StopJob", std::uint64_t{1}).error, "");
  clock.turn();
  EXPECT_EQ(scheduler->job(1)->state, core::JobState::canceled);
  EXPECT_EQ(client->call<>("StopJob", std::uint64_t{1}).error, dbus::error::kNotRunning);
}

TEST_F(Jobs, a_job_can_be_stopped_and_marked_through_its_own_object) {
  ASSERT_EQ(start().error, "");
  const auto path = dbus::job_path(1);
  EXPECT_EQ(client->call_on<>(path, dbus::kJobInterface, "Mark", std::string{"phase two"}).error,
            dbus::error::kNotRunning)
      << "nothing of it is traced";
  EXPECT_EQ(client->call_on<>(path, dbus::kJobInterface, "Mark", std::string{"two\nlines"}).error,
            dbus::error::kInvalidArgument);
  EXPECT_EQ(client->call_on<>(path, dbus::kJobInterface, "Stop").error, "");
  clock.turn();
  EXPECT_EQ(scheduler->job(1)->state, core::JobState::canceled);
  EXPECT_EQ(client->call_on<>(path, dbus::kJobInterface, "Stop").error, dbus::error::kNotRunning);
}

TEST_F(Jobs, a_waiting_job_tells_its_place_and_when_it_may_end) {
  ASSERT_EQ(start().error, "");
  ASSERT_EQ(start().error, "");
  const auto property = [&](const char* name) {
    return client->call_on<sdbus::Variant>(dbus::job_path(2), "org.freedesktop.DBus.Properties", "Get",
                                           std::string{dbus::kJobInterface}, std::string{name});
  };
  EXPECT_EQ(std::get<0>(property("QueuePosition").values).get<std::uint32_t>(), 1U);
  const auto end = clock.now() + std::chrono::seconds{20};
  EXPECT_EQ(std::get<0>(property("ExpectedEnd").values).get<std::uint64_t>(),
            static_cast<std::uint64_t>(end.time_since_epoch().count()));
}

TEST_F(Jobs, a_deleted_run_is_told) {
  queries.stored = {a_run(41)};
  client->listen();
  ASSERT_EQ(client->call<>("DeleteRun", std::uint64_t{41}).error, "");
  barrier();
  EXPECT_THAT(client->heard(), ElementsAre("RunDeleted /org/netperfd1"));
}

TEST_F(Jobs, stopping_what_does_not_exist_is_not_found) {
  for (const std::uint64_t job : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}}) {
    EXPECT_EQ(client->call<>("StopJob", job).error, dbus::error::kNotFound) << job;
  }
}

TEST_F(Jobs, every_kind_of_error_has_its_name_on_the_bus) {
  const std::vector<std::pair<ErrorKind, std::string>> names{
      {ErrorKind::invalid_argument, dbus::error::kInvalidArgument},
      {ErrorKind::not_found, dbus::error::kNotFound},
      {ErrorKind::busy, dbus::error::kBusy},
      {ErrorKind::not_running, dbus::error::kNotRunning},
      {ErrorKind::access_denied, dbus::error::kAccessDenied},
      {ErrorKind::no_space, dbus::error::kNoSpace},
      {ErrorKind::quota_exceeded, "org.netperfd1.Error.QuotaExceeded"},
      {ErrorKind::infeasible, "org.netperfd1.Error.Infeasible"},
      {ErrorKind::unsupported, dbus::error::kUnsupported},
      {ErrorKind::io, dbus::error::kIo},
      {ErrorKind::internal, dbus::error::kInternal}};
  for (const auto& [kind, name] : names) {
    scenarios.refusal = Error{kind, "line one\nline two"};
    const auto answered = start_text("x");
    EXPECT_EQ(answered.error, name);
    EXPECT_EQ(answered.text, "line one\nline two");
  }
}

TEST_F(Jobs, what_the_kernel_cannot_do_is_unsupported_and_queues_nothing) {
  scenarios.what_is_made = core::a_traced_job();
  tracer.check_refusal = Error{ErrorKind::unsupported, "function_graph: this kernel is locked down"};
  for (const auto& answered : {start(), start_text("x")}) {
    EXPECT_EQ(answered.error, "org.netperfd1.Error.Unsupported");
    EXPECT_EQ(answered.text, "function_graph: this kernel is locked down");
  }
  EXPECT_TRUE(scheduler->jobs().empty());

  scenarios.what_is_made = core::a_traced_job(true);
  EXPECT_EQ(start().error, "") << "an optional trace is left out";
}

TEST_F(Jobs, what_cannot_end_in_an_answer_is_infeasible_unless_it_is_forced) {
  scenarios.what_is_made.design.emplace().a = Variant{.name = "A", .apply = {}, .verify = {}, .builds = {}};
  scenarios.what_is_made.design->b = Variant{.name = "B", .apply = {}, .verify = {}, .builds = {}};
  workload.lacking = {"network namespace \"left\" does not exist"};
  dbus::Row options{{"repeat", sdbus::Variant{std::uint32_t{2}}}};
  for (const auto& answered : {start(options), start_text("x", options)}) {
    EXPECT_EQ(answered.error, "org.netperfd1.Error.Infeasible");
    EXPECT_EQ(answered.text,
              "2 blocks are too few: an interval takes 6. Set `repeat: 6`\n"
              "network namespace \"left\" does not exist");
  }
  EXPECT_TRUE(scheduler->jobs().empty());
  options["force"] = sdbus::Variant{false};
  EXPECT_EQ(start(options).error, "org.netperfd1.Error.Infeasible");
  options["force"] = sdbus::Variant{true};
  EXPECT_EQ(start(options).error, "");
  EXPECT_EQ(start_text("x", options).error, "");
  options["force"] = sdbus::Variant{std::uint32_t{1}};
  EXPECT_EQ(start(options).error, dbus::error::kInvalidArgument);
}

// Nothing is measured for a plan that is known to have no answer.
TEST_F(Jobs, the_pilot_of_a_plan_without_an_answer_is_not_started) {
  scenarios.what_is_made.figures = parse_figure_choices({"received:2%"}).value();
  const auto pilot = [](const char* key, const sdbus::Variant& value) {
    return dbus::Row{{"purpose", sdbus::Variant{std::string{"pilot"}}},
                     {"plan", sdbus::Variant{dbus::Row{{key, value}}}}};
  };
  const dbus::Row of_threshold = pilot("effect", sdbus::Variant{0.02});
  for (const auto& answered : {start(of_threshold), start_text("x", of_threshold)}) {
    EXPECT_EQ(answered.error, dbus::error::kInvalidArgument);
    EXPECT_EQ(
        answered.text,
        "effect: a difference of 2 % is not above the threshold of 2 %, so no number of runs shows it to "
        "be that. Plan for a larger `effect` (--effect), or set a smaller `threshold` (--threshold), here "
        "or of received in the job's key `figures`");
  }
  EXPECT_THAT(start(pilot("effect", sdbus::Variant{1.5})).text, HasSubstr("effect: 1.5 is no share"));
  EXPECT_THAT(start(pilot("threshold", sdbus::Variant{1.5})).text, HasSubstr("threshold: 1.5 is no share"));
  EXPECT_THAT(start(pilot("power", sdbus::Variant{0.01})).text, HasSubstr("power: 0.01 is no share"));
  EXPECT_THAT(start(pilot("power", sdbus::Variant{1e-7})).text, HasSubstr("power: 0.0000001 is no share"));
  EXPECT_THAT(start(pilot("figure", sdbus::Variant{std::string{"latency.p99"}})).text,
              HasSubstr("figure: \"latency.p99\" "));
  EXPECT_THAT(start(pilot("figure", sdbus::Variant{std::string{"requests"}})).text,
              HasSubstr("figure \"requests\" does not exist"));
  EXPECT_TRUE(scheduler->jobs().empty());
  EXPECT_EQ(start(pilot("effect", sdbus::Variant{0.021})).error, "");
  EXPECT_EQ(start(pilot("threshold", sdbus::Variant{0.3})).error, "") << "the effect is twice that";
}

TEST_F(Jobs, an_error_with_bytes_that_d_bus_refuses_still_arrives) {
  scenarios.refusal = Error{ErrorKind::io, "broken \xFF word"};
  const auto answered = start_text("x");
  EXPECT_EQ(answered.error, dbus::error::kIo);
  EXPECT_EQ(answered.text, "broken \uFFFD word");
}

TEST_F(Jobs, a_full_queue_is_busy) {
  for (int i = 0; i < 4; ++i) ASSERT_EQ(start().error, "");
  if (::geteuid() != 0) {
    EXPECT_EQ(start().error, dbus::error::kBusy);
    return;
  }
  const std::string fifth = as({.groups = {kGroup}}, [](sdbus::IProxy& manager) {
    return outcome_of([&] {
      sdbus::ObjectPath job;
      manager.callMethod("StartScenario")
          .onInterface(dbus::kManagerInterface)
          .withArguments(std::string{"fake"}, dbus::Row{})
          .storeResultsTo(job);
    });
  });
  EXPECT_EQ(fifth, dbus::error::kBusy);
  EXPECT_EQ(start().error, "") << "not for root";
}

TEST_F(Jobs, a_caller_that_leaves_before_the_bus_can_say_who_it_is_starts_nothing) {
  {
    Client gone{*loop};
    gone.send<sdbus::ObjectPath>("StartScenario", std::string{"fake"}, dbus::Row{});
  }
  const Client later{*loop};  // only after the bus has noticed that the other one left
  // The service handles calls, and the bus its queries, in order.
  ASSERT_EQ(start().error, "");
  EXPECT_EQ(scheduler->jobs().size(), 1U);
}

TEST_F(Jobs, an_unknown_option_is_named_beside_the_allowed_ones) {
  const auto answered = start({{"lable", sdbus::Variant{std::string{"x"}}}});
  EXPECT_EQ(answered.error, dbus::error::kInvalidArgument);
  EXPECT_EQ(answered.text,
            "unknown option \"lable\"; allowed are overrides, label, repeat, tie_to_caller, purpose, "
            "confirms, force, plan");
  EXPECT_TRUE(scheduler->jobs().empty());
}

TEST_F(Jobs, what_is_too_large_is_refused_before_anything_reads_it) {
  const auto text = start_text(std::string(65'537, ' '));
  EXPECT_EQ(text.error, dbus::error::kInvalidArgument);
  EXPECT_THAT(text.text, HasSubstr("65537 bytes long; at most 65536"));
  EXPECT_EQ(start_text(std::string(65'536, ' ')).error, "");
  EXPECT_EQ(client->call<sdbus::ObjectPath>("StartScenario", std::string(257, 'x'), dbus::Row{}).error,
            dbus::error::kInvalidArgument);
  EXPECT_EQ(
      client->call<sdbus::ObjectPath>("StartJob", std::string{"x"}, std::string{"a\nb"}, dbus::Row{}).error,
      dbus::error::kInvalidArgument);
}

TEST_F(Jobs, a_second_daemon_cannot_have_the_name) {
  const auto second = Service::create(*loop, ports(), {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::io);
  EXPECT_THAT(second.error().message, HasSubstr("org.netperfd1"));
}

TEST_F(Jobs, the_service_leaves_the_bus_with_jobs_and_questions_open) {
  client->listen();
  ASSERT_EQ(start().error, "");
  client->send<sdbus::ObjectPath>("StartScenario", std::string{"fake"}, dbus::Row{});
  service.reset();
  ASSERT_TRUE(run_until(*loop, [&] { return client->count_heard("InterfacesRemoved") == 1; }));
}

TEST_F(Jobs, the_end_of_the_bus_ends_the_loop_with_a_failure) {
  ASSERT_EQ(start().error, "");
  client.reset();
  bus->stop();
  EXPECT_EQ(loop->run(), EXIT_FAILURE);
  service.reset();
}

}  // namespace
}  // namespace netperfd::bus
