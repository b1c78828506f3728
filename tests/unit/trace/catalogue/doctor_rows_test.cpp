// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of the doctor that do not concern a trace, or that restrict a part of one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <string>

#include "daemon/trace/tracefs/reader_priority.hpp"
#include "tests/unit/trace/catalogue/catalogue_support.hpp"

namespace netperfd::trace {
namespace {

using core::Ability;
using ::testing::HasSubstr;

core::Capability ask(FakeTracefs& tracefs, const FakeMachine& machine, const std::string& name) {
  return capability(KernelCatalogue(tracefs, machine.settings).capabilities(true), name);
}

TEST(DoctorRows, tell_of_a_pid_namespace_in_which_the_workloads_tasks_have_other_numbers) {
  const FakeMachine machine;
  FakeTracefs tracefs(able_kernel());
  const std::string link = machine.files().path("proc/self/ns/pid");
  EXPECT_EQ(ask(tracefs, machine, "pid_namespace").ability, Ability::yes) << "a kernel without namespaces";
  std::filesystem::create_symlink("/proc/self/ns/net", link);
  EXPECT_EQ(ask(tracefs, machine, "pid_namespace").ability, Ability::no);
  EXPECT_THAT(ask(tracefs, machine, "pid_namespace").advice, HasSubstr("trace.pid"));
}

TEST(DoctorRows, say_what_netperfd_does_not_use_itself) {
  const FakeMachine machine;
  FakeTracefs tracefs(able_kernel());
  for (const auto* name : {"uprobes", "kprobes", "histogram_triggers"}) {
    EXPECT_THAT(ask(tracefs, machine, name).detail, HasSubstr("; not used by netperfd")) << name;
  }
}

TEST(DoctorRows, say_whether_there_is_a_program_that_measures_latency) {
  FakeMachine machine;
  FakeTracefs tracefs(able_kernel());
  EXPECT_EQ(ask(tracefs, machine, "latency_probes").ability, Ability::yes);
  machine.settings.echo = "netperfd-echo";
  EXPECT_EQ(ask(tracefs, machine, "latency_probes").ability, Ability::no);
  EXPECT_EQ(ask(tracefs, machine, "latency_probes").detail, "there is no netperfd-echo to run");
  EXPECT_THAT(ask(tracefs, machine, "latency_probes").advice, HasSubstr("latency.path"));
  machine.settings.echo = "/nonexistent/netperfd-echo";
  EXPECT_THAT(ask(tracefs, machine, "latency_probes").detail,
              HasSubstr("/nonexistent/netperfd-echo cannot be run"));
}

TEST(DoctorRows, name_the_scenarios_without_their_programs) {
  FakeMachine machine;
  FakeTracefs tracefs(able_kernel());
  machine.settings.missing_programs = [] { return std::vector<std::string>{}; };
  EXPECT_EQ(ask(tracefs, machine, "benchmarks").ability, Ability::yes);
  machine.settings.missing_programs = [] {
    return std::vector<std::string>{"web: wrk is not there", "x: y is not there"};
  };
  EXPECT_EQ(ask(tracefs, machine, "benchmarks").ability, Ability::limited);
  EXPECT_EQ(ask(tracefs, machine, "benchmarks").detail,
            "cannot be measured: web: wrk is not there; x: y is not there");
}

TEST(DoctorRows, say_whether_the_reader_may_have_its_priority) {
  const FakeMachine machine;
  FakeTracefs tracefs(able_kernel());
  const auto row = ask(tracefs, machine, "reader_priority");
  const bool may = std::async(std::launch::async, take_reader_priority).get() == 0;
  EXPECT_EQ(row.ability, may ? Ability::yes : Ability::limited) << row.detail;
  EXPECT_EQ(row.advice.empty(), may);
}

TEST(DoctorRows, try_another_function_where_the_kernel_has_not_the_first) {
  // Of the functions that the doctor tries, the fake has only the last one.
  const FakeMachine machine;
  FakeTracefs tracefs(able_kernel());
  EXPECT_EQ(ask(tracefs, machine, "function").ability, Ability::yes);
  std::size_t refused = 0;
  for (const auto& operation : tracefs.operations()) {
    if (!operation.path.ends_with("set_ftrace_filter") || operation.text.empty()) continue;
    EXPECT_TRUE(operation.text.ends_with('\n')) << describe(operation);
    if (operation.refused) ++refused;
  }
  EXPECT_GE(refused, 3U);
}

}  // namespace
}  // namespace netperfd::trace
