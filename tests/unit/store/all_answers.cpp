// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/store/all_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd::store {
namespace {

constexpr std::string_view kError = "error: ";

// Its members may call each other whatever their order.
struct Text {
  template <class T>
  static void put(std::string& text, const std::vector<T>& values) {
    text += '[';
    for (const auto& value : values) put(text, value);
    text += ']';
  }
  template <class T>
  static void put(std::string& text, const std::optional<T>& value) {
    if (value) {
      put(text, *value);
    } else {
      text += "-,";
    }
  }
  template <class... T>
  static void put(std::string& text, const std::tuple<T...>& values) {
    std::apply([&](const auto&... each) { (put(text, each), ...); }, values);
  }
  template <class... T>
  static void put(std::string& text, const std::variant<T...>& value) {
    std::visit([&](const auto& each) { put(text, each); }, value);
  }
  template <class A, class B>
  static void put(std::string& text, const std::pair<A, B>& value) {
    put(text, std::tie(value.first, value.second));
  }
  template <class K, class V>
  static void put(std::string& text, const std::map<K, V>& values) {
    for (const auto& value : values) put(text, value);
  }
  static void put(std::string& text, std::monostate /*null*/) { text += "-,"; }
  static void put(std::string& text, const StoredBytes& value) { text += value.bytes; }
  static void put(std::string& text, const Endpoint& value) { put(text, std::tie(value.host, value.port)); }
  static void put(std::string& text, const ResourceUsage& value) {
    put(text, std::tie(value.user, value.system));
  }
  static void put(std::string& text, const Slot& value) {
    put(text, std::tie(value.block, value.letter, value.variant, value.traced, value.point));
  }
  static void put(std::string& text, const Histogram& value) { put(text, value.buckets); }
  static void put(std::string& text, const Design& value) {
    put(text, std::tie(value.a->name, value.b->name, value.plain, value.changed, value.seed));
  }
  static void put(std::string& text, const JobSpec& value) {
    const TestSpec& test = value.test;
    put(text, std::tie(value.name, value.description, value.label, value.repeat, value.purpose, value.design,
                       value.workload.name, value.confirms, test.path.server, test.path.netns,
                       test.traffic.protocol, test.traffic.direction, test.traffic.streams,
                       test.traffic.duration, test.traffic.bytes, test.traffic.omit));
    if (test.path.local) put(text, test.path.local->netns);
  }
  static void put(std::string& text, const core::RunRow& value) {
    put(text,
        std::tie(value.id, value.job, value.index, value.slot, value.variant, value.build, value.point_name,
                 value.spec, value.owner, value.state, value.error, value.created, value.started, value.ended,
                 value.iperf3_version, value.client, value.server, value.mss_bytes, value.congestion,
                 value.cpu_client_percent, value.cpu_server_percent, value.client_usage, value.sums,
                 value.flags, value.documents, value.note, value.files));
    if (value.trace) {
      put(text, std::tie(value.trace->events, value.trace->lost, value.trace->skipped, value.trace->broken,
                         value.trace->tracer_share));
    }
    if (value.latency) {
      put(text, std::tie(value.latency->phase, value.latency->p50_ns, value.latency->p99_ns,
                         value.latency->lost_percent));
    }
  }
  static void put(std::string& text, const core::JobRow& value) {
    put(text, std::tie(value.id, value.scenario, value.label, value.owner, value.created, value.repeat,
                       value.purpose, value.design, value.confirms));
    for (const auto& run : value.runs) put(text, std::tie(run.id, run.state, run.started, run.ended));
  }
  static void put(std::string& text, const core::SelectedRun& value) {
    put(text,
        std::tie(value.id, value.job, value.scenario, value.label, value.slot, value.started, value.ended));
  }
  static void put(std::string& text, const core::FunctionName& value) {
    put(text, std::tie(value.name, value.module, value.duplicate));
  }
  static void put(std::string& text, const core::NamedEdge& value) {
    put(text, std::tie(value.edge, value.caller, value.callee));
  }
  static void put(std::string& text, const core::NamedNode& value) {
    put(text, std::tie(value.node, value.depth, value.function));
  }
  static void put(std::string& text, const core::ProfileSummary& value) {
    put(text, std::tie(value.profile, value.functions, value.edges, value.nodes, value.hits, value.self_ns,
                       value.corrected_self_ns));
  }
  template <class Row>
  static void put(std::string& text, const core::ProfilePart<Row>& value) {
    put(text, std::tie(value.rows, value.total));
  }
  template <class Row>
  static void put(std::string& text, const core::Page<Row>& value) {
    put(text, std::tie(value.rows, value.next));
  }
  static void put(std::string& text, const TrafficCount& value) {
    put(text, value.goodput_bytes);
    if (value.packets) {
      put(text, std::tie(value.packets->device, value.packets->netns, value.packets->sent,
                         value.packets->packets, value.packets->bytes));
    }
  }
  static void put(std::string& text, const Fingerprint& value) {
    put(text, value.boot_id);
    for (const Fact& fact : value.facts) put(text, std::tie(fact.group, fact.key, fact.value));
    put(text, value.unknown);
  }
  static void put(std::string& text, const Counters& value) {
    put(text, std::tie(value.deltas, value.tcp, value.queues, value.unknown));
  }
  static void put(std::string& text, const SampleNode& value) {
    put(text, std::tie(value.parent, value.frame, value.samples));
  }
  static void put(std::string& text, const SampleFrame& value) {
    put(text, std::tie(value.kind, value.name, value.module, value.duplicate));
  }
  static void put(std::string& text, const LatencyReport& value) {
    put(text, std::tie(value.probes, value.phases, value.intervals));
    for (const LatencySpan& span : value.spans) put(text, std::tie(span.figures, span.histogram));
  }
  static void put(std::string& text, const BootRecord& value) {
    put(text, std::tie(value.number, value.block, value.letter, value.side, value.variant, value.asked,
                       value.settled, value.boot_id, value.kernel, value.failure));
  }
  static void put(std::string& text, const JobBudget& value) {
    put(text, std::tie(value.budget, value.functions));
  }
  static void put(std::string& text, const NamedFigure& value) {
    put(text, std::tie(value.name, value.unit, value.better, value.value));
  }
  static void put(std::string& text, const FigureChoice& value) {
    put(text, std::pair{to_string(value.figure), value.threshold});
  }
  static void put(std::string& text, const analysis::ComparedRun& value) {
    put(text, std::tie(value.id, value.job, value.block, value.letter, value.build, value.started,
                       value.received_bits_per_second, value.busiest_cpu, value.busiest_process,
                       value.goodput_bytes, value.packets, value.busy_ns, value.flags, value.origin,
                       value.files, value.fingerprint, value.counters, value.figures));
    if (!value.trace) return;
    put(text, std::tie(value.trace->traced_functions, value.trace->lost, value.trace->broken,
                       value.trace->missing_functions, value.trace->unmatched_calls, value.trace->depth,
                       value.trace->timed, value.trace->calls, value.trace->tracer_share));
    for (const auto& function : value.trace->functions) {
      put(text, std::tie(function.name, function.module, function.duplicate, function.hits, function.self_ns,
                         function.traced_within));
    }
  }

  template <class T>
  static void put(std::string& text, const T& value) {
    if constexpr (rows::Described<T>) {
      rows::visit_fields(value, [&](const auto& field, const auto& member) {
        text.append(field.key).append("=");
        put(text, member);
      });
    } else if constexpr (std::is_enum_v<T>) {
      text += fmt::format("{},", static_cast<int>(value));
    } else if constexpr (requires { value.time_since_epoch(); }) {
      text += fmt::format("{},", value.time_since_epoch().count());
    } else if constexpr (requires { value.count(); }) {
      text += fmt::format("{},", value.count());
    } else {
      text += fmt::format("{},", value);
    }
  }
};

class Asked {
 public:
  template <class Answer>
  void add(const std::string& question, const Answer& answer) {
    std::string& text = answers[question];
    if (!answer) {
      text = fmt::format("{}{}", kError, answer.error().message);
    } else if constexpr (requires { answer->rows.front().error; }) {
      put_each(question, answer->rows,
               [](const core::RunRow& row) { return row.error.starts_with("it cannot be read"); });
      text = answer->next;
    } else if constexpr (requires { answer->rows.front().scenario; }) {
      put_each(question, answer->rows, [](const core::JobRow& row) { return row.scenario == "(damaged)"; });
      text = answer->next;
    } else {
      Text::put(text, *answer);
    }
  }
  Answers answers;

 private:
  template <class Rows, class IsDamaged>
  void put_each(const std::string& question, const Rows& rows, IsDamaged is_damaged) {
    for (const auto& row : rows) {
      std::string& text = answers[fmt::format("{}: {}", question, row.id)];
      if (is_damaged(row)) {
        text = fmt::format("{}it is damaged", kError);
      } else {
        Text::put(text, row);
      }
    }
  }
};

void ask_of_run(SqliteStore& store, RunId run, Asked& asked) {
  const auto add = [&](const char* question, const auto& answer) {
    asked.add(fmt::format("{} of run {}", question, run), answer);
  };
  add("row", store.run(run));
  add("streams", store.streams(run));
  add("intervals", store.intervals(run, "", 0));
  const auto page = store.intervals(run, "", 40);
  add("a page of intervals", page);
  if (page && !page->next.empty()) add("the next page", store.intervals(run, page->next, 40));
  add("trace", store.trace(run));
  add("samples", store.trace_samples(run, "", "", 0));
  add("stacks", store.trace_stacks(run, "", 0));
  add("profile", store.profile(run));
  add("functions", store.functions(run, 0, 1000, {.histogram = true, .slices = true}));
  add("bare functions", store.functions(run, 0, 1000, {}));
  add("edges", store.call_edges(run, 0, 1000));
  add("tree", store.call_nodes(run, 0, 1000));
  add("traffic", store.traffic(run));
  add("environment", store.fingerprint(run));
  add("counters", store.counters(run));
  add("CPU samples", store.samples(run));
  add("latency", store.latency(run));
  add("named figures", store.named_figures(run));
  for (const char* name : {"client.stdout", "client.stderr", "trace.dat"})
    add(name, store.document(run, name));
  const auto tables = store.tables({run}, std::size_t{64} << 20U);
  asked.add(fmt::format("bundle of run {}", run), tables);
  auto compared = store.compared_runs({run}, core::ComparedParts::all);
  add("compared", compared);
  if (!compared) return;
  for (const char* figure : {"sent", "retransmits", "rtt", "cpu", "latency.p99", "latency.jitter"}) {
    auto runs = *compared;
    const Status read = store.read_figures({parse_figure(figure).value()}, runs);
    add(figure, read ? Result<double>{runs[0].figures.contains(figure) ? runs[0].figures.at(figure) : -1}
                     : Result<double>{std::unexpected(read.error())});
  }
}

// Where it differs from the other one.
std::string part_of(const std::string& text, const std::string& other) {
  constexpr std::size_t kBefore = 80, kShown = 300;
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(text, other).in1 - text.begin());
  return text.substr(at - std::min(at, kBefore), kShown);
}

}  // namespace

Answers all_answers(SqliteStore& store, const std::vector<RunId>& runs, const std::vector<JobId>& jobs) {
  Asked asked;
  asked.add("runs", store.runs({}, "", 0));
  asked.add("newest", store.run(0));
  asked.add("jobs", store.jobs({}, "", 0));
  for (const char* name : {"veth-tcp", "watch", "hsr"}) {
    core::RunFilter filter;
    filter.scenario = name;
    asked.add(fmt::format("selected of {}", name), store.selected_runs(filter, {}, 100));
  }
  for (const RunId run : runs) ask_of_run(store, run, asked);
  for (const JobId job : jobs) {
    const auto add = [&](const char* question, const auto& answer) {
      asked.add(fmt::format("{} of job {}", question, job), answer);
    };
    add("runs", store.runs_of_job(job));
    add("boots", store.boots_of_job(job));
    add("budget", store.budget_of_job(job));
    add("figures", store.figures_of_job(job));
    add("until", store.until_of_job(job));
    add("test", store.test_of_job(job));
  }
  return asked.answers;
}

std::string wrong_answers(const Answers& before, const Answers& now) {
  std::string wrong;
  for (const auto& [question, answer] : now) {
    if (answer.starts_with(kError)) continue;
    const auto found = before.find(question);
    if (found == before.end()) {
      wrong += fmt::format("{}: nobody had asked\n", question);
    } else if (found->second != answer) {
      wrong += fmt::format("{}:\n  {}\n  {}\n", question, part_of(found->second, answer),
                           part_of(answer, found->second));
    }
  }
  return wrong;
}

}  // namespace netperfd::store
