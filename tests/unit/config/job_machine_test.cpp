// SPDX-License-Identifier: GPL-2.0-or-later
// Sides that set something on the machine: how a text says so, and who may.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "daemon/config/job_reader.hpp"

namespace netperfd::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kMachineJob = "name: ring\nrepeat: 6\nworkload: {iperf3: {server: h, duration: 1s}}\n";

Result<JobSpec> read_machine(const std::string& text, std::vector<std::string> overrides = {},
                             const std::string& commands_refused = {}, AllowedSettings allowed = {},
                             bool limited = false) {
  JobLimits limits;
  limits.allow.settings = std::move(allowed);
  core::JobOptions options{.overrides = std::move(overrides), .label = {}, .repeat = {}};
  options.limited = limited;
  return read_job(
      {.text = text, .origin = "ring.yaml", .expected_name = {}, .commands_refused = commands_refused},
      options, limits);
}

std::string refusal_of(const std::string& design) {
  const auto job = read_machine(kMachineJob + ("design: " + design + "\n"));
  return job ? "accepted" : job.error().message;
}

TEST(JobMachine, settings_stand_alone_or_below_each_other) {
  const auto job = read_machine(
      kMachineJob + std::string("design:\n  a: {name: on}\n  b:\n    name: off\n    machine:\n"
                                "      offload.gro.veth0@left: off\n      mtu: {veth0@left: 9000}\n"));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_THAT(job->design->a->settings, IsEmpty());
  EXPECT_THAT(job->design->b->settings, ElementsAre(MachineSetting{"offload.gro.veth0@left", "off"},
                                                    MachineSetting{"mtu.veth0@left", "9000"}));
  EXPECT_THAT(job->design->changed, ElementsAre("machine"));
}

TEST(JobMachine, a_start_gives_them_as_what_a_side_sets) {
  const auto job =
      read_machine(kMachineJob, {"design.a.set.sysctl.net.ipv4.tcp_sack@left=1",
                                 "design.b.set.sysctl.net.ipv4.tcp_sack@left=0", "design.b.set.streams=2"});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_THAT(job->design->a->settings, ElementsAre(MachineSetting{"sysctl.net.ipv4.tcp_sack@left", "1"}));
  EXPECT_EQ(spec_of_side(*job, 'B').test.traffic.streams, 2U);
  EXPECT_THAT(job->design->changed, ElementsAre("machine", "iperf3"));
  // The stored text says the same again.
  const auto again = read_machine(job->text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->design, job->design);
}

TEST(JobMachine, a_side_that_sets_one_value_is_named_by_it) {
  const auto job = read_machine(kMachineJob, {"design.a.set.mtu.eth1=1500", "design.b.set.mtu.eth1=9000"});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->design->a->name, "1500");
  EXPECT_EQ(job->design->b->name, "9000");
}

TEST(JobMachine, each_side_loads_its_module_before_it_sets_anything) {
  const auto job = read_machine(
      kMachineJob +
      std::string("design:\n  module: {name: hsr, a: installed, b: /srv/hsr.ko, prepare: [/x/lab, up, hsr]}\n"
                  "  b: {machine: {mtu.hsr0: 1400}}\n"));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_THAT(job->design->a->settings, ElementsAre(MachineSetting{"module.hsr", "installed"}));
  EXPECT_THAT(job->design->b->settings,
              ElementsAre(MachineSetting{"module.hsr", "/srv/hsr.ko"}, MachineSetting{"mtu.hsr0", "1400"}));
  EXPECT_THAT(job->design->prepare, ElementsAre("/x/lab", "up", "hsr"));
  EXPECT_THAT(job->design->changed, ElementsAre("machine"));
}

TEST(JobMachine, a_side_that_loads_a_module_is_named_by_its_file) {
  const auto names = [](const std::string& a, const std::string& b, const std::string& more = {}) {
    const auto job = read_machine(
        kMachineJob + ("design: {module: {name: hsr, a: " + a + ", b: " + b + "}" + more + "}\n"));
    if (!job) return job.error().message;
    const auto again = read_machine(job->text);
    EXPECT_TRUE(again && *again->design == *job->design) << job->text;
    return job->design->a->name + " " + job->design->b->name;
  };
  EXPECT_EQ(names("/x/before.ko", "/x/after.ko"), "before after");
  EXPECT_EQ(names("installed", "/x/hsr-6.1.ko"), "installed hsr-6.1");
  EXPECT_EQ(names("/x/hsr.ko", "/y/hsr.ko"), "A B") << "two sides, one name";
  EXPECT_EQ(names("/x/B.ko", "/x/A.ko"), "A B") << "each stands for the other side";
  EXPECT_EQ(names("/x/my module.ko", "/x/b.ko"), "A b") << "no word";
  EXPECT_EQ(names("/x/a.ko", "/x/b.ko", ", b: {name: mine}"), "a mine");
}

TEST(JobMachine, wrong_settings_are_refused_with_what_is_expected) {
  EXPECT_THAT(refusal_of("{a: {}, b: {machine: {sound.eth0: 3}}}"), HasSubstr("is no setting; expected is"));
  EXPECT_THAT(refusal_of("{a: {}, b: {machine: {mtu.eth0: big}}}"),
              HasSubstr("ring.yaml:4:30: design.b.machine: has mtu.eth0: \"big\" is not a number"));
  EXPECT_THAT(refusal_of("{a: {}, b: {machine: [x]}}"), HasSubstr("is not a mapping of settings"));
  EXPECT_THAT(refusal_of("{a: {machine: {mtu.e: 3}}, b: {machine: {mtu.e: 3}}}"),
              HasSubstr("makes no difference between the sides"));
  EXPECT_THAT(refusal_of("{a: {}, b: {machine: {mtu.e: 3, mtu: {e: 4}}}}"), HasSubstr("a second time"));
  EXPECT_THAT(refusal_of("{a: {switch: [/x]}, b: {switch: [/y], machine: {mtu.e: 3}}}"),
              HasSubstr("stands beside commands; a side has one of them"));
  EXPECT_THAT(refusal_of("{a: {machine: {mtu.e: 4}}, b: {check: [/y]}}"),
              HasSubstr("stands beside commands of the other side"));
  EXPECT_THAT(refusal_of("{module: {name: hsr, a: x.ko, b: /y.ko}}"), HasSubstr("is not the absolute path"));
  EXPECT_THAT(refusal_of("{module: {name: hsr, a: /x.ko}}"), HasSubstr("design.module.b: is missing"));
}

TEST(JobMachine, members_set_what_root_allows_and_run_no_command) {
  const std::string text = kMachineJob + std::string("design: {a: {}, b: {machine: {mtu.eth1: 9000}}}\n");
  const auto refused = read_machine(text, {}, "this one is a caller's", {}, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::access_denied);
  EXPECT_THAT(refused.error().message, HasSubstr("the device eth1 is not allowed: the key allow.devices"));
  EXPECT_TRUE(read_machine(text, {}, "this one is a caller's", {.devices = {"eth1"}}, true));
  const auto command = read_machine(
      kMachineJob + std::string("design: {module: {name: hsr, a: /m/a.ko, b: /m/b.ko, prepare: [/bin/x]}}\n"),
      {}, "this one is a caller's", {.modules = {"/m"}}, true);
  ASSERT_FALSE(command);
  EXPECT_THAT(command.error().message, HasSubstr("design.module.prepare: would run as root"));
}

TEST(JobMachine, of_a_side_have_also_what_the_other_one_sets) {
  const auto job = read_machine(
      kMachineJob + std::string("design: {a: {machine: {mtu.e: 1}}, b: {machine: {mtu.e: 2, mtu.f: 3}}}\n"));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_THAT(spec_of_side(*job, 'A').machine,
              ElementsAre(MachineSetting{"mtu.e", "1"}, MachineSetting{"mtu.f", "as it was"}));
  EXPECT_THAT(spec_of_side(*job, 'B').machine,
              ElementsAre(MachineSetting{"mtu.e", "2"}, MachineSetting{"mtu.f", "3"}));
}

TEST(JobMachine, the_installed_module_is_allowed_beside_an_allowed_file_of_it) {
  const auto with = [](const std::string& sides) {
    return read_machine(kMachineJob + ("design: " + sides + "\n"), {}, "this one is a caller's",
                        {.modules = {"/m"}}, true);
  };
  EXPECT_TRUE(with("{a: {machine: {module.x: installed}}, b: {machine: {module.x: /m/x.ko}}}"));
  EXPECT_FALSE(with("{a: {machine: {module.x: installed}}, b: {machine: {module.y: /m/y.ko}}}"));
  EXPECT_FALSE(with("{a: {machine: {module.x: installed}}, b: {machine: {module.x: /n/x.ko}}}"));
  EXPECT_FALSE(with("{a: {machine: {module.x: installed}}, b: {}}"));
  EXPECT_FALSE(with("{a: {machine: {module.x: absent}}, b: {machine: {module.x: /m/x.ko}}}"));
}

TEST(JobMachine, a_start_adds_nothing_to_the_sides_of_a_scenario) {
  const std::string text = kMachineJob + std::string("design: {module: {name: hsr, a: /a.ko, b: /b.ko}}\n");
  for (const char* change : {"design.module.a=/evil.ko", "design.module.prepare=[/bin/sh]",
                             "design.a.set.streams=2", "design.b.machine.mtu.eth1=9000"}) {
    const auto job = read_machine(text, {change});
    ASSERT_FALSE(job) << change;
    EXPECT_THAT(job.error().message, HasSubstr("which no start may change")) << change;
  }
}

}  // namespace
}  // namespace netperfd::config
