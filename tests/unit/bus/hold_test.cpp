// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs that reboot the machine, over the bus: who may hold them, and what they tell of their boots.
#include <unistd.h>

#include <gmock/gmock.h>

#include <utility>

#include "tests/unit/bus/bus_test.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::chrono::minutes kNotice{2};

Variant side(const std::string& name) {
  return {.name = name, .apply = {"/x/switch", name}, .verify = {"/x/check", name}, .builds = {}};
}

JobSpec a_rebooting_job() {
  JobSpec spec = core::a_job();
  spec.design.emplace();
  spec.design->a = side("list");
  spec.design->b = side("hash");
  spec.design->reboots.emplace().notice = kNotice;
  spec.forced = true;  // one block
  return spec;
}

class HeldJobs : public ClientTest {
 protected:
  void submit(JobSpec spec, uid_t owner = 0) {
    ASSERT_TRUE(scheduler->submit(std::move(spec), owner));
    clock.turn();
  }
  // The machine answers commands, the checks of side A with yes, until none is under way or one reboots it.
  void answer() {
    while (commands.is_running() && !commands.said.back().starts_with("/x/switch ")) {
      commands.end(commands.said.back() == "/x/check hash" ? "exit code 1" : "");
      clock.turn();
    }
  }
  void pass_notice() {
    clock.advance(kNotice);
    clock.turn();
  }
  [[nodiscard]] bool reboots() const {
    return commands.is_running() && commands.said.back().starts_with("/x/switch ");
  }
  template <class Value>
  Value property(const char* name) {
    const auto answered =
        client->call_on<sdbus::Variant>(dbus::job_path(1), "org.freedesktop.DBus.Properties", "Get",
                                        std::string{dbus::kJobInterface}, std::string{name});
    EXPECT_EQ(answered.error, "") << answered.text;
    return std::get<0>(answered.values).template get<Value>();
  }
  std::string hold(std::uint64_t job = 1) { return client->call<>("HoldJob", job).error; }
  std::string release(std::uint64_t job = 1) { return client->call<>("ReleaseJob", job).error; }
};

std::string call_with_job(sdbus::IProxy& manager, const char* method) {
  return outcome_of([&] {
    manager.callMethod(method).onInterface(dbus::kManagerInterface).withArguments(std::uint64_t{1});
  });
}

TEST_F(HeldJobs, reboot_only_after_their_release) {
  submit(a_rebooting_job(), ::geteuid());
  answer();
  ASSERT_EQ(hold(), "");
  EXPECT_THAT(property<std::string>("Waiting"), StartsWith("is held before the reboot into side "));
  pass_notice();
  EXPECT_FALSE(reboots());
  ASSERT_EQ(release(), "");
  answer();
  EXPECT_THAT(property<std::string>("Waiting"), HasSubstr(" in 2 min"));
  pass_notice();
  EXPECT_TRUE(reboots());
}

TEST_F(HeldJobs, tell_how_often_they_have_rebooted_the_machine) {
  client->listen();
  submit(a_rebooting_job(), ::geteuid());
  answer();
  EXPECT_EQ(property<std::uint32_t>("Boots"), 0U);
  pass_notice();
  ASSERT_TRUE(reboots());
  EXPECT_EQ(property<std::uint32_t>("Boots"), 1U);
  EXPECT_THAT(client->heard(),
              Contains(AllOf(StartsWith("PropertiesChanged "), HasSubstr(" Waiting Boots"))));
}

TEST_F(HeldJobs, tell_how_many_boots_they_need_and_on_which_side_the_machine_is) {
  client->listen();
  submit(a_rebooting_job(), ::geteuid());
  EXPECT_EQ(property<std::uint32_t>("BootsPlanned"), 4U);
  answer();
  EXPECT_EQ(property<std::string>("Side"), "list");
  EXPECT_THAT(client->heard(), Contains(AllOf(StartsWith("PropertiesChanged "), HasSubstr(" Side"))));
}

TEST_F(HeldJobs, list_their_boots) {
  using std::chrono::seconds;
  const WallTime asked{seconds{1'750'000'000}};
  queries.stored_boots[7] = {{.number = 1,
                              .block = 2,
                              .letter = 3,
                              .side = 'B',
                              .variant = "hash",
                              .asked = asked,
                              .settled = asked + seconds{95},
                              .boot_id = "b-1",
                              .kernel = "6.12.9",
                              .failure = {}},
                             {.number = 2,
                              .block = 0,
                              .letter = 0,
                              .side = 'A',
                              .variant = {},
                              .asked = asked,
                              .settled = {},
                              .boot_id = {},
                              .kernel = {},
                              .failure = "exit code 1"}};
  const auto answered = client->call<dbus::Rows>("ListBoots", std::uint64_t{7});
  ASSERT_EQ(answered.error, "");
  const dbus::Rows rows = std::get<0>(answered.values);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("number").get<std::uint32_t>(), 1U);
  EXPECT_EQ(rows[0].at("block").get<std::uint32_t>(), 2U);
  EXPECT_EQ(rows[0].at("letter").get<std::uint32_t>(), 3U);
  EXPECT_EQ(text_at(rows[0], "side"), "B");
  EXPECT_EQ(text_at(rows[0], "variant"), "hash");
  EXPECT_EQ(rows[0].at("asked_us").get<std::uint64_t>(), 1'750'000'000'000'000U);
  EXPECT_EQ(rows[0].at("settled_us").get<std::uint64_t>(), 1'750'000'095'000'000U);
  EXPECT_EQ(rows[0].at("seconds").get<double>(), 95);
  EXPECT_EQ(text_at(rows[0], "kernel"), "6.12.9");
  EXPECT_EQ(text_at(rows[0], "boot_id"), "b-1");
  EXPECT_FALSE(rows[0].contains("failure"));
  EXPECT_FALSE(rows[1].contains("block"));
  EXPECT_FALSE(rows[1].contains("settled_us"));
  EXPECT_FALSE(rows[1].contains("kernel"));
  EXPECT_EQ(text_at(rows[1], "failure"), "exit code 1");
  EXPECT_EQ((client->call<dbus::Rows>("ListBoots", ~std::uint64_t{0}).error), dbus::error::kNotFound);
}

TEST_F(HeldJobs, say_before_they_start_what_they_would_do_to_the_machine) {
  const auto check = [&](std::uint32_t repeat) {
    return client->call<std::uint32_t, double>("CheckBoots", std::string{"fake"},
                                               dbus::Row{{"repeat", sdbus::Variant{repeat}}});
  };
  EXPECT_EQ(std::get<0>(check(6).values), 0U) << "no design";
  scenarios.what_is_made = a_rebooting_job();
  const Reboots& reboots = *scenarios.what_is_made.design->reboots;
  const double runs = 6 * 4 * reboots.runs * 10.0;
  const auto least = check(6);
  ASSERT_EQ(least.error, "");
  EXPECT_EQ(std::get<0>(least.values), 24U);
  EXPECT_DOUBLE_EQ(std::get<1>(least.values), 24 * (120 + 60) + runs) << "the notice and the time to settle";
  store.time_of_boots = std::chrono::seconds{200};
  EXPECT_DOUBLE_EQ(std::get<1>(check(6).values), 24 * (120 + 200) + runs);
  EXPECT_TRUE(scheduler->jobs().empty()) << "nothing is started";
}

TEST_F(HeldJobs, still_tell_of_their_boots_when_they_have_ended) {
  submit(a_rebooting_job(), ::geteuid());
  answer();
  pass_notice();
  ASSERT_TRUE(reboots());
  ASSERT_EQ(client->call<>("StopJob", std::uint64_t{1}).error, "");
  commands.end("exit code 1");
  clock.turn();
  while (commands.is_running()) {
    commands.end("");
    clock.turn();
  }
  ASSERT_TRUE(has_ended(scheduler->job(1)->state));
  EXPECT_EQ(property<std::uint32_t>("Boots"), 1U);
}

TEST_F(HeldJobs, cannot_be_held_once_they_reboot) {
  submit(a_rebooting_job(), ::geteuid());
  answer();
  pass_notice();
  ASSERT_TRUE(reboots());
  EXPECT_EQ(hold(), dbus::error::kNotRunning);
}

TEST_F(HeldJobs, are_those_that_reboot_the_machine) {
  submit(core::a_job(), ::geteuid());
  for (const char* method : {"HoldJob", "ReleaseJob"}) {
    const auto answered = client->call<>(method, std::uint64_t{1});
    EXPECT_EQ(answered.error, dbus::error::kInvalidArgument) << method;
    EXPECT_THAT(answered.text, HasSubstr("job 1 does not reboot the machine"));
  }
}

TEST_F(HeldJobs, are_live) {
  for (const std::uint64_t job : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}}) {
    EXPECT_EQ(hold(job), dbus::error::kNotFound) << job;
    EXPECT_EQ(release(job), dbus::error::kNotFound) << job;
  }
  submit(a_rebooting_job(), ::geteuid());
  answer();
  ASSERT_EQ(client->call<>("StopJob", std::uint64_t{1}).error, "");
  clock.turn();
  ASSERT_TRUE(has_ended(scheduler->job(1)->state));
  EXPECT_EQ(hold(), dbus::error::kNotRunning);
  EXPECT_EQ(release(), dbus::error::kNotRunning);
}

TEST_F(HeldJobs, are_in_the_audit_trail) {
  submit(a_rebooting_job(), ::geteuid());
  answer();
  ASSERT_EQ(hold(), "");
  ASSERT_EQ(release(), "");
  submit(core::a_job(), ::geteuid());
  ASSERT_EQ(hold(2), dbus::error::kInvalidArgument);
  std::vector<std::string> entries;
  for (const auto& entry : audit_store.entries) {
    entries.push_back(fmt::format("{} of job {}{}", entry.action, entry.job.value_or(0),
                                  entry.outcome == core::AuditOutcome::failed ? " failed" : ""));
  }
  EXPECT_THAT(entries, testing::ElementsAre("hold of job 1", "release of job 1", "hold of job 2 failed"));
}

class HoldersOfJobs : public HeldJobs {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
    HeldJobs::SetUp();
    submit(a_rebooting_job(), kOwner);
    answer();
  }
  // Whether the job is held, from what it says that it waits for.
  [[nodiscard]] bool is_held() const { return scheduler->job(1)->waiting.starts_with("is held"); }
};

TEST_F(HoldersOfJobs, are_neither_outsiders_nor_members_of_the_group_for_the_work_of_others) {
  for (const User& user : {User{}, User{.groups = {kGroup}}}) {
    EXPECT_EQ(as(user, [](auto& manager) { return call_with_job(manager, "HoldJob"); }),
              dbus::error::kAccessDenied);
    EXPECT_FALSE(is_held());
  }
  ASSERT_TRUE(scheduler->hold(1, true));
  for (const User& user : {User{}, User{.groups = {kGroup}}}) {
    EXPECT_EQ(as(user, [](auto& manager) { return call_with_job(manager, "ReleaseJob"); }),
              dbus::error::kAccessDenied);
    EXPECT_TRUE(is_held());
  }
}

TEST_F(HoldersOfJobs, are_their_owner_and_root) {
  for (const User& user : {User{.uid = kOwner, .gid = kOwner}, User{.uid = 0, .gid = 0}}) {
    EXPECT_EQ(as(user, [](auto& manager) { return call_with_job(manager, "HoldJob"); }), "ok");
    EXPECT_TRUE(is_held());
    EXPECT_EQ(as(user, [](auto& manager) { return call_with_job(manager, "ReleaseJob"); }), "ok");
    answer();  // the reboot is announced
    EXPECT_FALSE(is_held());
  }
}

}  // namespace
}  // namespace netperfd::bus
