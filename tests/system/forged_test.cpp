// SPDX-License-Identifier: GPL-2.0-or-later
// Signals and replies that somebody else sent, on a bus whose policy lets them all through: the daemon and
// its clients believe the bus, and each the one that it asked.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/forgery.hpp"
#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"
#include "tests/system/harness/traffic_tap.hpp"

namespace netperfd::system_test {
namespace {

using testing::HasSubstr;
using testing::Not;

using Names = std::set<std::string>;

// An outsider who tells everybody what others should.
class Forger {
 public:
  explicit Forger(const Lab& lab) : client_(lab.connect(lab.users().outsider)) {}

  [[nodiscard]] sd_bus* raw() const { return client_.raw(); }
  [[nodiscard]] std::string owner_of_netperfd() const {
    const Reply reply = call("GetNameOwner", "s", dbus::kService);
    const char* owner = nullptr;
    EXPECT_GE(sd_bus_message_read(reply.message.get(), "s", &owner), 0) << reply.error_text;
    return owner;
  }
  // The unique names of all connections.
  [[nodiscard]] Names names() const {
    const Reply reply = call("ListNames", "");
    Names names;
    const char* name = nullptr;
    EXPECT_GE(sd_bus_message_enter_container(reply.message.get(), 'a', "s"), 0) << reply.error_text;
    while (sd_bus_message_read(reply.message.get(), "s", &name) > 0) {
      if (*name == ':') names.insert(name);
    }
    return names;
  }
  [[nodiscard]] Names names_since(const Names& before) const {
    const Names now = names();
    Names added;
    std::ranges::set_difference(now, before, std::inserter(added, added.end()));
    return added;
  }

  // Each sends to a connection what netperfd, or the bus, says at such an end.
  void end_of_job(const std::string& to, std::uint64_t job, const char* state) const {
    forgery::send_signal(raw(), to, dbus::job_path(job), "org.freedesktop.DBus.Properties",
                         "PropertiesChanged", "sa{sv}as", dbus::kJobInterface, 2, "State", "s", state,
                         "RunsEnded", "u", 1U, 0);
  }
  void end_of_run(const std::string& to, std::uint64_t job, std::uint64_t run) const {
    forgery::send_signal(raw(), to, dbus::kManagerPath, dbus::kManagerInterface, "RunEnded", "ttss", run, job,
                         "finished", "");
  }
  void removal_of_job(const std::string& to, std::uint64_t job) const {
    forgery::send_signal(raw(), to, dbus::kManagerPath, "org.freedesktop.DBus.ObjectManager",
                         "InterfacesRemoved", "oas", dbus::job_path(job).c_str(), 1, dbus::kJobInterface);
  }
  void departure(const std::string& to, const std::string& name, const std::string& owner) const {
    forgery::send_departure(raw(), to, name, owner);
  }

 private:
  template <class... Arguments>
  [[nodiscard]] Reply call(const char* method, const char* types, Arguments... arguments) const {
    return client_.call_on(forgery::kBus, forgery::kBusPath, forgery::kBus, method, types, arguments...);
  }

  BusClient client_;
};

// Waits for calls of others, as only root may.
class Overhearing {
 public:
  Overhearing(const Lab& lab, std::string member) : client_(lab.connect(User{})), member_(std::move(member)) {
    const Reply reply = client_.call_on(forgery::kBus, forgery::kBusPath, "org.freedesktop.DBus.Monitoring",
                                        "BecomeMonitor", "asu", 1, "type='method_call'", 0U);
    EXPECT_EQ(reply.error_name, "") << reply.error_text;
    forgery::require(sd_bus_add_filter(client_.raw(), nullptr, on_message, this), "sd_bus_add_filter");
  }
  // The sender of the next such call.
  [[nodiscard]] std::string wait() {
    const Deadline deadline;
    while (caller_.empty() && !deadline.has_passed()) {
      if (sd_bus_process(client_.raw(), nullptr) == 0) sd_bus_wait(client_.raw(), 1'000'000);
    }
    return caller_;
  }

 private:
  static int on_message(sd_bus_message* message, void* self, sd_bus_error*) {
    auto& overhearing = *static_cast<Overhearing*>(self);
    if (sd_bus_message_is_method_call(message, nullptr, overhearing.member_.c_str()) > 0)
      overhearing.caller_ = sd_bus_message_get_sender(message);
    return 1;  // a monitor answers nothing
  }

  BusClient client_;
  std::string member_, caller_;
};

class Forged : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({.environment = {}, .bus = PrivateBus::Rules::lax}); }

  // Starts a client that follows a job of 30 s, and waits until that measures.
  struct Following {
    std::unique_ptr<Process> process;
    Names names;  // of its connections
    std::uint64_t job = 0;
  };
  [[nodiscard]] Following follow() const {
    TrafficTap tap{lab().net().right()};
    const Names before = forger.names();
    Following following;
    following.process = std::make_unique<Process>(
        lab().ctl_command({"start", "local", "--set", "workload.iperf3.duration=30s"}, lab().users().member));
    following.process->wait_for_output("Ctrl-C leaves it running");
    tap.wait_for_traffic();
    following.names = forger.names_since(before);
    following.job = static_cast<std::uint64_t>(lab().database().number("SELECT max(id) FROM jobs"));
    return following;
  }

  Forger forger{lab()};
  JobWatch watch{lab().bus().address()};
};

TEST_F(Forged, departure_of_a_caller_does_not_stop_his_job) {
  const BusClient caller = lab().connect(lab().users().member);
  const Reply reply = caller.manager("StartScenario", "sa{sv}", "local", 2, "tie_to_caller", "b", 1,
                                     "overrides", "as", 1, "workload.iperf3.duration=30s");
  ASSERT_EQ(reply.error_name, "") << reply.error_text;
  const auto job = static_cast<std::uint64_t>(lab().database().number("SELECT max(id) FROM jobs"));
  watch.wait_for_run_state(job, "running");
  const char* name = nullptr;
  forgery::require(sd_bus_get_unique_name(caller.raw(), &name), "sd_bus_get_unique_name");
  const BusClient other = lab().connect(lab().users().outsider);
  forgery::send_departure(other.raw(), forger.owner_of_netperfd(), name, name);
  // The daemon serves a caller in the order of his messages.
  EXPECT_EQ(other.manager("ListScenarios", "").error_name, "");
  EXPECT_EQ(caller.manager("StopJob", "t", job).error_name, "");
  EXPECT_EQ(watch.wait_for_end(job), "canceled");
  EXPECT_EQ(lab().database().value(fmt::format("SELECT error FROM runs WHERE job = {}", job)),
            fmt::format("stopped by uid {}", lab().users().member.uid));
}

TEST_F(Forged, signals_end_no_client_that_follows_a_job) {
  const std::map<std::string, std::function<void(const std::string& to, std::uint64_t job)>> kinds{
      {"PropertiesChanged", [this](const auto& to, auto job) { forger.end_of_job(to, job, "finished"); }},
      {"PropertiesChanged, then RunEnded",
       [this](const auto& to, auto job) {
         forger.end_of_job(to, job, "failed");
         forger.end_of_run(to, job, 999'999);
       }},
      {"InterfacesRemoved", [this](const auto& to, auto job) { forger.removal_of_job(to, job); }},
      {"NameOwnerChanged", [this](const auto& to, auto /*job*/) {
         forger.departure(to, dbus::kService, forger.owner_of_netperfd());
       }}};
  for (const auto& [kind, forge] : kinds) {
    const Following following = follow();
    ASSERT_FALSE(following.names.empty());
    for (const std::string& name : following.names) forge(name, following.job);
    forgery::settle(forger.raw());
    lab().stop(following.job);
    EXPECT_EQ(following.process->wait(), (Exit{kCanceled, 0}))
        << kind << "\n"
        << following.process->out() << following.process->err();
    EXPECT_THAT(following.process->out(), HasSubstr(fmt::format("job {} canceled", following.job))) << kind;
  }
}

TEST_F(Forged, signals_end_no_client_that_waits_for_a_job) {
  TrafficTap tap{lab().net().right()};
  const StartedJob job = lab().start("local", {"duration=30s"});
  tap.wait_for_traffic();
  Overhearing overhearing{lab(), "GetManagedObjects"};
  Process waiting{lab().ctl_command({"wait", std::to_string(job.id)}, lab().users().member)};
  // The client reads signals only once it has the answer to this call, and knows the job.
  const std::string name = overhearing.wait();
  forger.end_of_job(name, job.id, "finished");
  forger.removal_of_job(name, job.id);
  forgery::settle(forger.raw());
  lab().stop(job.id);
  EXPECT_EQ(waiting.wait(), (Exit{kCanceled, 0})) << waiting.out() << waiting.err();
}

TEST_F(Forged, signals_are_not_shown_by_one_who_watches) {
  Overhearing overhearing{lab(), "GetManagedObjects"};
  Process watching{lab().ctl_command({"watch", "-o", "json"}, lab().users().member)};
  const std::string name = overhearing.wait();
  const StartedJob job = lab().start("local", {"duration=30s"});
  watching.wait_for_output("job_added");
  forger.end_of_job(name, job.id, "finished");
  forger.end_of_run(name, job.id, 999'999);
  forger.removal_of_job(name, job.id);
  forger.departure(name, dbus::kService, forger.owner_of_netperfd());
  forgery::settle(forger.raw());
  lab().stop(job.id);
  watching.wait_for_output(R"("canceled")");
  watching.signal(SIGINT);
  EXPECT_EQ(watching.wait(), (Exit{kInterrupted, 0})) << watching.out() << watching.err();
  EXPECT_THAT(watching.out(), Not(HasSubstr("999999")));
  EXPECT_THAT(watching.out(), Not(HasSubstr(R"("finished")")));
}

// The daemon is stopped meanwhile, so that the forged reply is the first to arrive.
TEST_F(Forged, replies_do_not_answer_what_netperfctl_asked) {
  ASSERT_TRUE(lab().is_running());
  lab().netperfd().process().signal(SIGSTOP);
  Overhearing overhearing{lab(), "StopJob"};
  Process stopping{lab().ctl_command({"stop", "999999"}, lab().users().member)};
  const std::string name = overhearing.wait();
  constexpr std::uint64_t kCallsOfAClient = 500;
  for (std::uint64_t number = 1; number <= kCallsOfAClient; ++number)
    forgery::send_reply(forger.raw(), name, number, "");
  forgery::settle(forger.raw());
  lab().netperfd().process().signal(SIGCONT);
  EXPECT_EQ(stopping.wait(), (Exit{kNotFound, 0})) << stopping.out() << stopping.err();
}

TEST_F(Forged, signals_end_no_client_of_the_documentation) {
  for (const char* program : {NETPERFD_CLIENTS "/measure.py", NETPERFD_CPP_CLIENT}) {
    TrafficTap tap{lab().net().right()};
    const Names before = forger.names();
    Process measuring{{.argv = {program, "local"},
                       .environment = {lab().bus().environment()},
                       .user = lab().users().member,
                       .netns = {},
                       .stderr_file = {}}};
    tap.wait_for_traffic();
    const auto job = static_cast<std::uint64_t>(lab().database().number("SELECT max(id) FROM jobs"));
    const auto run = static_cast<std::uint64_t>(lab().database().number("SELECT max(id) FROM runs"));
    for (const std::string& name : forger.names_since(before)) forger.end_of_run(name, job, run);
    forgery::settle(forger.raw());
    EXPECT_EQ(measuring.wait(), (Exit{0, 0})) << program << "\n" << measuring.out() << measuring.err();
    EXPECT_THAT(measuring.out(), testing::ContainsRegex("[1-9][0-9]* Mbit/s")) << program;
    EXPECT_THAT(measuring.out(), HasSubstr("finished")) << program;
  }
}

// netperfd's own signals about a job's state, which are lost.
class LostSignals : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({.environment = {}, .bus = PrivateBus::Rules::lossy}); }
};

TEST_F(LostSignals, keep_no_client_from_the_end_of_its_job) {
  const Outcome started = lab().ctl({"start", "quick"});
  EXPECT_EQ(started.code, 0) << started.err;
  EXPECT_THAT(started.out, HasSubstr("1 run finished"));
}

TEST_F(LostSignals, keep_no_client_of_the_documentation_from_the_end_of_its_run) {
  std::vector<std::unique_ptr<Process>> measuring;  // side by side, since they wait
  for (const char* program : {NETPERFD_CLIENTS "/measure.py", NETPERFD_CPP_CLIENT}) {
    measuring.push_back(std::make_unique<Process>(Command{.argv = {program, "quick"},
                                                          .environment = {lab().bus().environment()},
                                                          .user = lab().users().other_member,
                                                          .netns = {},
                                                          .stderr_file = {}}));
  }
  for (const auto& each : measuring) {
    EXPECT_EQ(each->wait(), (Exit{0, 0})) << each->err();
    EXPECT_THAT(each->out(), testing::ContainsRegex("[1-9][0-9]* Mbit/s"));
  }
}

}  // namespace
}  // namespace netperfd::system_test
