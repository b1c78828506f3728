// SPDX-License-Identifier: GPL-2.0-or-later
// Prints every row of the API as its description has it, for api_lock_test.py: a line for each key with its
// D-Bus type, whether it is always there, and its name in a CSV header.
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
#include "dbus/rows/run.hpp"
#include "dbus/rows/samples.hpp"
#include "dbus/rows/store.hpp"
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

template <rows::Described Row>
void print(std::string_view name) {
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

int main() {
  print<rows::AuditEntry>("AuditEntry");
  print<rows::Boot>("Boot");
  print<rows::Budget>("Budget");
  print<rows::BudgetFunction>("BudgetFunction");
  print<rows::Build>("Build");
  print<rows::CallEdge>("CallEdge");
  print<rows::CallNode>("CallNode");
  print<rows::Capability>("Capability");
  print<rows::ComparedFigure>("ComparedFigure");
  print<rows::ComparedFrame>("ComparedFrame");
  print<rows::ComparedSamples>("ComparedSamples");
  print<rows::Comparison>("Comparison");
  print<rows::Counter>("Counter");
  print<rows::CounterChange>("CounterChange");
  print<rows::Design>("Design");
  print<rows::Drop>("Drop");
  print<rows::Event>("Event");
  print<rows::EventField>("EventField");
  print<rows::Fact>("Fact");
  print<rows::FactChange>("FactChange");
  print<rows::Flag>("Flag");
  print<rows::Function>("Function");
  print<rows::FunctionDelta>("FunctionDelta");
  print<rows::FunctionSlices>("FunctionSlices");
  print<rows::FunctionStats>("FunctionStats");
  print<rows::Interval>("Interval");
  print<rows::Job>("Job");
  print<rows::LatencyBucket>("LatencyBucket");
  print<rows::LatencyInterval>("LatencyInterval");
  print<rows::LatencyPhase>("LatencyPhase");
  print<rows::LatencyProbe>("LatencyProbe");
  print<rows::LatencySpan>("LatencySpan");
  print<rows::Mark>("Mark");
  print<rows::Module>("Module");
  print<rows::OldJob>("OldJob");
  print<rows::Plan>("Plan");
  print<rows::Profile>("Profile");
  print<rows::QueueSample>("QueueSample");
  print<rows::RestoredStore>("RestoredStore");
  print<rows::Run>("Run");
  print<rows::Sample>("Sample");
  print<rows::SampleField>("SampleField");
  print<rows::SampleProfile>("SampleProfile");
  print<rows::SampledFunction>("SampledFunction");
  print<rows::SampledStack>("SampledStack");
  print<rows::Scenario>("Scenario");
  print<rows::Spread>("Spread");
  print<rows::Stack>("Stack");
  print<rows::Store>("Store");
  print<rows::Sum>("Sum");
  print<rows::TcpSample>("TcpSample");
  print<rows::Trace>("Trace");
  print<rows::TraceCpu>("TraceCpu");
  print<rows::TraceEvent>("TraceEvent");
  print<rows::Tracer>("Tracer");
  print<netperfctl::FunctionHitsView>("(client) FunctionHits");
  print<netperfctl::FunctionSliceView>("(client) FunctionSlice");
  print<netperfctl::LiveJobView>("(client) LiveJob");
  print<netperfctl::SliceView>("(client) Slice");
}
