// SPDX-License-Identifier: GPL-2.0-or-later
// Prints every row of the API as its description has it, for api_lock_test.py: a line for each key with its
// D-Bus type, whether it is always there, and its name in a CSV header. With --places, where the XML lists
// the keys of each row.
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "client/rows/fields.hpp"
#include "dbus/rows/audit.hpp"
#include "dbus/rows/budget.hpp"
#include "dbus/rows/catalogue.hpp"
#include "dbus/rows/comparison.hpp"
#include "dbus/rows/counters.hpp"
#include "dbus/rows/functions.hpp"
#include "dbus/rows/iperf3.hpp"
#include "dbus/rows/latency.hpp"
#include "dbus/rows/plan.hpp"
#include "dbus/rows/run.hpp"
#include "dbus/rows/samples.hpp"
#include "dbus/rows/store.hpp"
#include "dbus/rows/sweep.hpp"
#include "dbus/rows/trace.hpp"

namespace {

namespace rows = netperfd::rows;

template <class Value>
struct Signature;
template <>
struct Signature<std::string> : std::integral_constant<char, 's'> {};
template <>
struct Signature<bool> : std::integral_constant<char, 'b'> {};
template <>
struct Signature<std::uint16_t> : std::integral_constant<char, 'q'> {};
template <>
struct Signature<std::int32_t> : std::integral_constant<char, 'i'> {};
template <>
struct Signature<std::uint32_t> : std::integral_constant<char, 'u'> {};
template <>
struct Signature<std::int64_t> : std::integral_constant<char, 'x'> {};
template <>
struct Signature<std::uint64_t> : std::integral_constant<char, 't'> {};
template <>
struct Signature<double> : std::integral_constant<char, 'd'> {};
template <class... Alternatives>
struct Signature<std::variant<Alternatives...>> : std::integral_constant<char, 'v'> {};

template <class Value>
struct Type {
  static std::string text() {
    if constexpr (std::is_enum_v<Value>) {
      return "s";
    } else {
      return {Signature<Value>::value};
    }
  }
};
template <class Element>
struct Type<std::vector<Element>> {
  static std::string text() {
    if constexpr (rows::Described<Element>) {
      return "aa{sv}";
    } else {
      return "a" + Type<Element>::text();
    }
  }
};

bool print_places = false;

// `places`: where dbus/*.xml lists the keys, each a property or METHOD.ARGUMENT. None for rows of the client.
template <rows::Described Row>
void print(std::string_view name, std::string_view places = {}) {
  if (print_places) {
    if (!places.empty()) fmt::print("{} {}\n", name, places);
    return;
  }
  rows::visit_fields(Row{}, [name](const auto& field, const auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    std::string type;
    if constexpr (requires {
                    typename Member::value_type;
                    member.has_value();
                  }) {
      type = Type<typename Member::value_type>::text() + " optional";
    } else {
      type = Type<Member>::text() + " always";
    }
    fmt::print("{}.{} {} {}{}{}\n", name, field.key, type, field.key, field.unit.empty() ? "" : "_",
               field.unit);
  });
}

}  // namespace

int main(int argc, char** argv) {
  print_places = argc == 2 && argv[1] == std::string_view{"--places"};
  print<rows::AuditEntry>("AuditEntry", "ListAuditLog.entries");
  print<rows::Boot>("Boot", "ListBoots.boots");
  print<rows::Budget>("Budget", "GetBudget.budget");
  print<rows::BudgetFunction>("BudgetFunction", "GetBudget.functions");
  print<rows::Build>("Build", "GetFunctionProfile.builds");
  print<rows::CallEdge>("CallEdge", "ListCallEdges.edges");
  print<rows::CallNode>("CallNode", "ListCallTree.nodes");
  print<rows::Capability>("Capability", "ListCapabilities.capabilities");
  print<rows::ComparedFigure>("ComparedFigure", "Compare.comparison");
  print<rows::ComparedFrame>("ComparedFrame", "CompareSamples.frames");
  print<rows::ComparedSamples>("ComparedSamples", "CompareSamples.comparison");
  print<rows::Comparison>("Comparison", "Compare.comparison");
  print<rows::Counter>("Counter", "ListCounters.counters");
  print<rows::CounterChange>("CounterChange", "Compare.counters");
  print<rows::Design>("Design", "Design");
  print<rows::Drop>("Drop", "GetTrace.drops");
  print<rows::Event>("Event", "GetEvent.event");
  print<rows::EventField>("EventField", "GetEvent.fields");
  print<rows::Fact>("Fact", "GetFingerprint.facts");
  print<rows::FactChange>("FactChange", "Compare.facts");
  print<rows::Flag>("Flag", "GetRun.flags");
  print<rows::Function>("Function", "ListFunctions.functions");
  print<rows::FunctionDelta>("FunctionDelta", "Compare.functions");
  print<rows::FunctionSlices>("FunctionSlices", "ListFunctionSlices.functions");
  print<rows::FunctionStats>("FunctionStats", "ListFunctionProfile.functions");
  print<rows::Interval>("Interval", "ListIntervals.intervals");
  print<rows::IntervalPoint>("IntervalPoint", "ListIntervalPoints.points");
  print<rows::Job>("Job", "GetJob.job");
  print<rows::LatencyBucket>("LatencyBucket", "GetLatencyHistogram.buckets");
  print<rows::LatencyInterval>("LatencyInterval", "ListLatencyIntervals.intervals");
  print<rows::LatencyPhase>("LatencyPhase", "GetLatency.phases");
  print<rows::LatencyProbe>("LatencyProbe", "GetLatency.probes");
  print<rows::LatencySpan>("LatencySpan", "GetLatency.spans");
  print<rows::Mark>("Mark", "GetTrace.marks");
  print<rows::Module>("Module", "ListModules.modules");
  print<rows::NamedFigure>("NamedFigure", "ListFigures.figures");
  print<rows::OldJob>("OldJob", "ListOldJobs.jobs");
  print<rows::Plan>("Plan", "PlanRuns.plan");
  print<rows::Profile>("Profile", "GetFunctionProfile.profile");
  print<rows::QueueSample>("QueueSample", "ListQueueSamples.samples");
  print<rows::RestoredStore>("RestoredStore", "RestoreStore.restored");
  print<rows::Run>("Run", "GetRun.run ListRuns.runs");
  print<rows::Sample>("Sample", "ListTraceSamples.samples");
  print<rows::SampleField>("SampleField", "ListTraceSamples.samples");
  print<rows::SampleProfile>("SampleProfile", "GetSampleProfile.profile");
  print<rows::SampledFunction>("SampledFunction", "ListSampledFunctions.functions");
  print<rows::SampledStack>("SampledStack", "ListSampledStacks.stacks");
  print<rows::Scenario>("Scenario", "ListScenarios.scenarios");
  print<rows::Spread>("Spread", "GetJob.spreads");
  print<rows::Stack>("Stack", "ListTraceStacks.stacks");
  print<rows::Store>("Store", "CheckStore.store");
  print<rows::Sum>("Sum", "GetRun.sums ListStreams.streams");
  print<rows::Sweep>("Sweep", "CompareSweep.sweep");
  print<rows::SweepFigure>("SweepFigure", "CompareSweep.figures");
  print<rows::SweepTrend>("SweepTrend", "CompareSweep.trends");
  print<rows::TcpSample>("TcpSample", "ListTcpSamples.samples");
  print<rows::Trace>("Trace", "GetTrace.trace");
  print<rows::TraceCpu>("TraceCpu", "GetTrace.cpus");
  print<rows::TraceEvent>("TraceEvent", "GetTrace.events");
  print<rows::Tracer>("Tracer", "ListTracers.tracers");
  print<netperfctl::FunctionHitsView>("(client) FunctionHits");
  print<netperfctl::FunctionSliceView>("(client) FunctionSlice");
  print<netperfctl::LiveJobView>("(client) LiveJob");
  print<netperfctl::SliceView>("(client) Slice");
}
