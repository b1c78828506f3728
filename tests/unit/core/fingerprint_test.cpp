// SPDX-License-Identifier: GPL-2.0-or-later
// The controller takes and stores the environment of a run.
#include <gmock/gmock.h>

#include "daemon/core/queue/scheduler.hpp"
#include "daemon/core/run/trace_facts.hpp"
#include "tests/unit/core/command_fakes.hpp"
#include "tests/unit/core/fakes.hpp"

namespace netperfd::core {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RunFingerprint : public testing::Test {
 protected:
  void submit(JobSpec spec) {
    ASSERT_TRUE(scheduler_.submit(std::move(spec), 1000));
    clock_.turn();
  }
  [[nodiscard]] const RunRecord& record() const { return *store_.runs.at(41).record; }

  FakeClock clock_;
  FakeWorkload workload_;
  FakeTracer tracer_;
  FakeStore store_;
  FakePacketCounter packets_;
  FakeCounterSource counters_;
  FakeFingerprintSource fingerprints_;
  FakeCommands commands_;
  FakeSideJournal sides_;
  FakeBootJournal boots_;
  Scheduler scheduler_{
      {workload_, tracer_, store_, clock_, packets_, counters_, fingerprints_, commands_, sides_, boots_}, 3};
};

TEST_F(RunFingerprint, is_taken_of_the_prepared_workload_and_stored_with_the_run) {
  fingerprints_.found = {.boot_id = "b", .facts = {{"kernel", "release", "6.1"}}, .unknown = {"irq: x"}};
  submit(a_job());
  EXPECT_THAT(fingerprints_.workloads, IsEmpty());
  workload_.last().become_prepared();
  EXPECT_THAT(fingerprints_.workloads, ElementsAre(std::vector<pid_t>{4711}));
  workload_.last().end(a_measurement());
  ASSERT_TRUE(record().fingerprint);
  EXPECT_EQ(record().fingerprint->boot_id, "b");
  EXPECT_THAT(record().fingerprint->unknown, ElementsAre("irq: x"));
  EXPECT_THAT(record().fingerprint->facts,
              ElementsAre(Fact{"kernel", "release", "6.1"}, Fact{"trace", "tracer", "none"}));
}

TEST_F(RunFingerprint, is_taken_before_the_trace_starts) {
  submit(a_traced_job());
  tracer_.last().start_refusal = Error{ErrorKind::unsupported, "no"};
  workload_.last().become_prepared();
  EXPECT_EQ(fingerprints_.workloads.size(), 1U);
  EXPECT_FALSE(workload_.last().released);
}

TEST_F(RunFingerprint, is_absent_of_a_run_whose_workload_was_never_prepared) {
  submit(a_job());
  workload_.last().end(a_failure("no route"));
  EXPECT_FALSE(record().fingerprint);
}

TraceRecord a_record_of_mono() {
  TraceRecord record;
  record.clock = "mono";
  return record;
}

std::vector<Fact> facts_of(const JobSpec& spec, const std::optional<TraceRecord>& record) {
  Fingerprint fingerprint;
  fingerprint.facts = {{"topology", "a", "b"}};
  add_trace_facts(spec, record, fingerprint);
  EXPECT_EQ(std::erase(fingerprint.facts, Fact{"topology", "a", "b"}), 1U);
  return fingerprint.facts;
}

TEST(TraceFacts, are_what_was_asked_for_in_an_order_of_its_own) {
  JobSpec spec = a_traced_job();
  spec.trace->events = {{"skb:kfree_skb", "reason > 2", true}, {"napi:napi_poll", "", false}};
  spec.trace->function_graph.emplace().functions = {"tcp_v4_rcv", "ip_rcv"};
  spec.trace->function_graph->depth = 3;
  spec.trace->workload_only = true;
  EXPECT_THAT(facts_of(spec, a_record_of_mono()),
              ElementsAre(Fact{"trace", "clock", "mono"}, Fact{"trace", "depth", "3"},
                          Fact{"trace", "events", "napi:napi_poll skb:kfree_skb(reason > 2)+stack"},
                          Fact{"trace", "functions", "ip_rcv tcp_v4_rcv"},
                          Fact{"trace", "tracer", "function_graph"}, Fact{"trace", "workload_only", "true"}));
}

TEST(TraceFacts, of_what_was_not_traced_are_that) {
  TraceRecord skipped;
  skipped.skipped = "locked down";
  EXPECT_THAT(facts_of(a_traced_job(true), skipped), ElementsAre(Fact{"trace", "tracer", "none"}));
  EXPECT_THAT(facts_of(a_traced_job(), std::nullopt), ElementsAre(Fact{"trace", "tracer", "none"}));
}

TEST(TraceFacts, tell_long_lists_apart_by_all_of_them) {
  JobSpec spec = a_traced_job();
  auto& functions = spec.trace->function_graph.emplace().functions;
  for (int i = 100; i < 200; ++i) functions.push_back(fmt::format("function_{}", i));
  const auto before = facts_of(spec, a_record_of_mono());
  functions.back() = "other";
  const auto after = facts_of(spec, a_record_of_mono());
  EXPECT_NE(before, after);
  for (const Fact& fact : before) EXPECT_LT(fact.value.size(), 300U);
}

}  // namespace
}  // namespace netperfd::core
