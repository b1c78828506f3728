// SPDX-License-Identifier: GPL-2.0-or-later
// The two tables of workloads: what jobs may ask for, and what runs it.
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "daemon/core/event_clock.hpp"
#include "daemon/workload/job/table.hpp"
#include "daemon/workload/workloads.hpp"
#include "tests/unit/workload/iperf3_fixture.hpp"

namespace netperfd::workload {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class NoLatencyReading final : public core::LatencyReading {
 public:
  Result<std::shared_ptr<void>> read_latency(const std::string&, const LatencyOrder&, Done) override {
    return fail(ErrorKind::io, "nothing was run");
  }
};

class WorkloadTables : public testing::Test {
 protected:
  // What preparing a job in a namespace that does not exist says; empty: it is prepared.
  std::string refusal(const WorkloadTraits& traits) {
    JobSpec spec;
    spec.workload = traits;
    spec.test.path.netns = "no-such-netns";
    auto active = workloads.prepare(spec, listener);
    return active ? "" : active.error().message;
  }

  EventLoop loop = *EventLoop::create();
  core::EventClock clock{loop};
  test::FakeReports reports{loop};
  NoLatencyReading latency_reports;
  test::NoFigureReading figures;
  test::Listener listener;
  Workloads workloads{{.loop = loop,
                       .clock = clock,
                       .reports = reports,
                       .latency_reports = latency_reports,
                       .figures = figures,
                       .iperf3 = {},
                       .features = {},
                       .echo_path = {}}};
};

TEST_F(WorkloadTables, have_the_same_words) {
  std::vector<std::string> words;
  for (const JobPart& part : job_parts()) {
    words.push_back(part.traits.name);
    EXPECT_THAT(refusal(part.traits), Not(HasSubstr("has no workload"))) << part.traits.name;
  }
  EXPECT_THAT(words, ElementsAre("iperf3", "latency", "netperf", "sockperf", "command", "none"));
  EXPECT_THAT(refusal(traits_of("latency")), HasSubstr("no-such-netns"));
  EXPECT_EQ(refusal(traits_of("none")), "");
}

TEST_F(WorkloadTables, tell_everything_that_this_host_lacks_for_a_job) {
  JobSpec spec;
  spec.workload = traits_of("iperf3");
  spec.test.path.netns = "no-such-netns";
  spec.test.path.local.emplace().netns = "ring-b";
  EXPECT_THAT(
      workloads.missing(spec),
      ElementsAre("network namespace \"no-such-netns\" does not exist (/run/netns/no-such-netns); `ip "
                  "netns list` lists those there are",
                  "network namespace \"ring-b\" does not exist (/run/netns/ring-b); as root, "
                  "`/usr/share/netperfd/lab up hsr` makes it"));
  spec.test.path = {};
  EXPECT_THAT(workloads.missing(spec), IsEmpty());
  spec.workload = traits_of("command");
  spec.command.emplace().client.argv = {"/nowhere/wrk"};
  spec.command->server = CommandProgram{.argv = {"/nowhere/netserver"}, .cpus = {}};
  EXPECT_THAT(workloads.missing(spec), ElementsAre(HasSubstr("/nowhere/wrk: no such program"),
                                                   HasSubstr("/nowhere/netserver: no such program")));
  spec.command->client.argv = {"/bin/sh"};
  spec.command->server.reset();
  EXPECT_THAT(workloads.missing(spec), IsEmpty());
  spec.workload = traits_of("none");
  EXPECT_THAT(workloads.missing(spec), IsEmpty());
  spec.workload = traits_of("teleport");
  EXPECT_THAT(workloads.missing(spec), IsEmpty()) << "its check says it";
}

TEST_F(WorkloadTables, have_no_place_for_a_word_that_they_do_not_know) {
  EXPECT_EQ(refusal(traits_of("teleport")), "this netperfd has no workload \"teleport\"");
  EXPECT_EQ(refusal(traits_of("import")), "this netperfd has no workload \"import\"");
  JobSpec spec;
  for (const WorkloadTraits& traits : {spec.workload, traits_of("teleport"), traits_of("import")}) {
    spec.workload = traits;
    const Status checked = workloads.check(spec);
    ASSERT_FALSE(checked) << traits.name;
    EXPECT_EQ(checked.error().kind, ErrorKind::unsupported);
    EXPECT_EQ(checked.error().message, "this netperfd has no workload \"" + traits.name + "\"");
  }
}

// Whoever forgets one would be allowed what root has to allow.
template <auto... members>
constexpr bool kHasDefaultTrait =
    (std::is_default_constructible_v<
         std::remove_cvref_t<decltype(std::declval<WorkloadTraits>().*members)>> ||
     ...);
using Traits = WorkloadTraits;
static_assert(!kHasDefaultTrait<&Traits::measures_path, &Traits::makes_traffic, &Traits::takes_probes,
                                &Traits::runs_processes, &Traits::ends_by_itself, &Traits::of_files,
                                &Traits::of_root, &Traits::check, &Traits::planned_duration, &Traits::ports,
                                &Traits::programs, &Traits::facts>);

TEST(WorkloadTraitsOf, each_workload_has_rules) {
  for (const JobPart& part : job_parts()) EXPECT_TRUE(part.traits.check) << part.traits.name;
}

TEST(WorkloadTraitsOf, an_unknown_word_are_its_word_alone) {
  for (const char* word : {"teleport", "", "IPERF3", "iperf3 "}) {
    const WorkloadTraits traits = traits_of(word);
    EXPECT_EQ(traits.name, word);
    EXPECT_FALSE(traits.measures_path || traits.makes_traffic || traits.takes_probes ||
                 traits.runs_processes || traits.ends_by_itself || traits.of_files)
        << word;
    EXPECT_TRUE(traits.of_root) << "nobody knows what it runs";
    EXPECT_FALSE(traits.check || traits.planned_duration || traits.ports || traits.facts) << word;
  }
}

TEST(WorkloadTraitsOf, imported_files_are_of_no_workload) {
  EXPECT_TRUE(traits_of("import").of_files);
  EXPECT_EQ(traits_of("import"), imported_files());
  for (const JobPart& part : job_parts()) EXPECT_NE(part.traits, imported_files());
}

}  // namespace
}  // namespace netperfd::workload
