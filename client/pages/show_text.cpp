// SPDX-License-Identifier: GPL-2.0-or-later
// The page of one run: the answer, what was measured between whom, each direction, how good the evidence is,
// and what to type next.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "client/base/command_words.hpp"
#include "client/pages/counters_text.hpp"
#include "client/pages/environment_text.hpp"
#include "client/pages/function_text.hpp"
#include "client/pages/latency_text.hpp"
#include "client/pages/named_figures_text.hpp"
#include "client/pages/noise_text.hpp"
#include "client/pages/render.hpp"
#include "client/pages/retransmits_text.hpp"
#include "client/pages/samples_text.hpp"
#include "client/pages/show_parts.hpp"
#include "client/pages/slots.hpp"
#include "client/pages/trace_text.hpp"
#include "client/pages/workload/workload.hpp"
#include "client/rows/trace_rows.hpp"
#include "client/terminal/escaped.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/times.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl {
namespace {

std::string when(const Screen& screen, const RunView& run, const std::string& state) {
  if (has_ended(state)) {
    return run.ended_us ? " " + format_time(*run.ended_us, screen.now_us) : "";
  }
  const auto since = run.started_us ? run.started_us : run.created_us;
  return since ? " since " + format_time(*since, screen.now_us) : "";
}

}  // namespace

std::string show::first_line(const Screen& screen, const ShowView& view) {
  const RunView& run = view.details.run;
  const std::string state = run.state.value_or("state not known");
  const std::string found = state == "finished" ? page_of(run).answer(view) + ", " : "";
  return paint(screen, Style::strong, fmt::format("Run {}: {}", run.run, found)) +
         paint(screen, style_of_state(state), state) +
         paint(screen, Style::strong, when(screen, run, state)) + "\n";
}

namespace {

std::string scenario_words(const RunView& run) {
  std::string text = run.scenario.value_or("not known");
  if (run.label && !run.label->empty()) text += ", label " + *run.label;
  const std::string slot = slot_words(run);
  // Of a design `repeat` counts blocks.
  const std::uint32_t runs = slot.empty() ? run.repeat.value_or(1) : 1;
  if (run.index && runs > 1) text += fmt::format("; run {} of {}", *run.index, runs);
  if (run.index && !slot.empty()) text += fmt::format("; run {}", *run.index);
  if (run.job) text += fmt::format("{} job {}", runs > 1 || !slot.empty() ? " of" : ";", *run.job);
  return text + (slot.empty() ? "" : ": " + slot);
}

std::string import_words(const Screen& screen, const RunView& run) {
  std::string text = fmt::format("{}; measured ", fmt::join(*run.files, " and "));
  if (!run.measured_us) return text + "at a time that is not known";
  text += format_time(*run.measured_us, screen.now_us);
  return text +
         (run.measured_by == "document" ? ", as the document says" : ", when the file was last written");
}

std::string endpoint_words(const std::optional<std::string>& netns, const std::optional<std::string>& host,
                           const std::optional<std::uint16_t>& port, std::string_view unknown) {
  std::string text = netns.value_or("");
  if (host && !host->empty()) text += (text.empty() ? "" : " ") + *host;
  if (text.empty()) return std::string{unknown};
  if (port) text += fmt::format(" port {}", *port);
  return text;
}

std::string between_words(const RunView& run) {
  const auto& server = run.server_host ? run.server_host : run.server;
  const char* arrow = run.direction == "both" ? "<->" : run.direction == "receive" ? "<-" : "->";
  return fmt::format("{} {} {}",
                     endpoint_words(run.client_netns, run.client_host, run.client_port, "this host"), arrow,
                     endpoint_words(run.server_netns, server, run.server_port, "not known"));
}

std::string cpu_words(const RunView& run) {
  std::vector<std::string> parts;
  if (run.cpu_client_percent || run.cpu_server_percent) {
    parts.push_back(fmt::format("{} here, {} there", or_dash(run.cpu_client_percent, format_percent),
                                or_dash(run.cpu_server_percent, format_percent)));
  }
  if (run.client_user_s && run.client_system_s) {
    parts.push_back(fmt::format("client process {} user, {} system", format_seconds(*run.client_user_s),
                                format_seconds(*run.client_system_s)));
  }
  return parts.empty() ? "not known" : fmt::format("{}", fmt::join(parts, "; "));
}

// `repeat` counts the blocks of a design.
std::uint64_t runs_of(const JobView& job) {
  return job.runs ? job.runs->size() : job.repeat.value_or(1);
}

std::string outcome_counts(const JobView& job) {
  std::vector<std::string> parts;
  const auto add = [&](const std::optional<std::uint32_t>& count, const char* word) {
    if (count.value_or(0) > 0) parts.push_back(fmt::format("{} {}", *count, word));
  };
  if (job.finished == runs_of(job)) return "all finished";
  add(job.finished, "finished");
  add(job.failed, "failed");
  add(job.canceled, "canceled");
  add(job.not_needed, "not needed");
  add(job.interrupted, "interrupted");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string show::spread_words(const SpreadView& spread) {
  if (!spread.median) return "not known";
  if (spread.runs == 1) return format_rate(*spread.median) + " in the one run that finished";
  std::string text = "median " + format_rate(*spread.median);
  if (spread.lowest && spread.highest) {
    text += fmt::format(", lowest {}, highest {}", format_rate_like(*spread.lowest, *spread.median),
                        format_rate_like(*spread.highest, *spread.median));
  }
  if (spread.cv_percent) text += fmt::format(", cv {}", format_percent(*spread.cv_percent));
  if (spread.runs) text += fmt::format(" (of {})", plural(*spread.runs, "run"));
  return text;
}

namespace {

// How the run stands among the repeats of its job; one run alone has no spread.
std::string job_part(const Screen& screen, const ShowView& view) {
  if (!view.job) return {};
  const JobView& job = view.job->job;
  const std::uint64_t runs = runs_of(job);
  if (runs < 2) return {};
  const std::string counts = outcome_counts(job);
  std::string text =
      "\n" + show::field(screen, fmt::format("job {}", job.job),
                         fmt::format("{}{}{}", plural(runs, "run"), counts.empty() ? "" : ": ", counts));
  if (has_slot(view.details.run)) {
    // The spread over all arms is none of repeats.
    return text + show::field(screen, "compare", fmt::format("netperfctl compare job:{}", job.job));
  }
  for (const SpreadView& spread : view.job->spreads) {
    const bool both = view.job->spreads.size() > 1;
    text += show::field(screen,
                        !both                           ? "received"
                        : spread.direction == "receive" ? "to client"
                                                        : "to server",
                        show::spread_words(spread));
  }
  return text;
}

// Whether the tracing part of the page has said what the flag says.
bool is_told(const ShowView& view, std::string_view code) {
  if (!view.trace) return false;
  const TraceView& trace = view.trace->trace;
  if (code == "trace-skipped") return !trace.skipped.value_or("").empty();
  if (code == "trace-broken") return !trace.broken.value_or("").empty();
  return code == "events-lost" && trace.lost.value_or(0) > 0;
}

}  // namespace

Lines show::quality(const ShowView& view) {
  if (view.details.flags.empty()) {
    const bool measured =
        !view.details.sums.empty() && view.details.sums.front().received_bits_per_second.has_value();
    const bool probed = view.details.run.latency_p50_ns.has_value();
    const bool traced = is_trace_only(view.details.run) && view.details.run.trace_events;
    const bool doubtful = view.details.run.trace_broken || view.details.run.trace_lost.value_or(0) > 0;
    const bool known = (measured || traced || probed) && !doubtful;
    return known ? Lines{{"quality", "no problems found"}} : Lines{};
  }
  Lines lines;
  for (const FlagView& flag : view.details.flags) {
    const std::string_view message =
        is_told(view, flag.code) ? "see tracing" : std::string_view{flag.message};
    lines.push_back(
        {lines.empty() ? "quality" : "", fmt::format("{} ({})", message, flag.code), Style::active});
  }
  return lines;
}

namespace {

void add_function_commands(const ShowView& view, std::vector<std::string>& commands) {
  if (!view.functions || view.functions->functions.empty()) return;
  const RunView& run = view.details.run;
  if (!view.function_lists.tree) commands.push_back(fmt::format("show {} --tree", run.run));
  if (!view.trace_lists.over_time) commands.push_back(fmt::format("show {} --over-time", run.run));
  const std::vector<std::string> documents = run.documents.value_or(std::vector<std::string>{});
  if (std::ranges::find(documents, "trace.dat") != documents.end())
    commands.push_back(fmt::format("export {}", run.run));
}

void add_trace_commands(const ShowView& view, std::vector<std::string>& commands) {
  if (!view.trace || view.trace->events.empty()) return;
  const std::uint64_t run = view.details.run.run;
  if (!view.stacks.stacks.empty() && !view.trace_lists.stacks)
    commands.push_back(fmt::format("show {} --stacks", run));
  // Of calls no record is kept whole.
  const bool samples = !std::ranges::all_of(
      view.trace->events, [](const TraceEventView& event) { return is_call_event(event.event); });
  if (samples && !view.trace_lists.events) commands.push_back(fmt::format("show {} --events", run));
}

std::string next_part(const Screen& screen, const ShowView& view) {
  const RunView& run = view.details.run;
  std::vector<std::string> commands;
  const bool measured = !view.details.sums.empty();
  add_function_commands(view, commands);
  if (view.over_time.intervals > 0 && !view.list_intervals)
    commands.push_back(fmt::format("show {} --intervals", run.run));
  add_trace_commands(view, commands);
  if (measured && !view.list_streams && run.streams.value_or(1) > 1) {
    commands.push_back(fmt::format("show {} --streams", run.run));
  }
  if (run.state != "finished" && run.documents && !run.documents->empty()) {
    commands.push_back(fmt::format("show {} --document {}", run.run, run.documents->front()));
  }
  if (run.job && !has_ended(run.state.value_or("finished")))
    commands.push_back(fmt::format("stop {}", *run.job));
  if (run.job && run.repeat.value_or(1) > 1) commands.push_back(fmt::format("runs --job {}", *run.job));
  if (run.scenario) commands.push_back("runs --scenario " + for_a_shell(*run.scenario));
  constexpr std::size_t kMost = 3;
  commands.resize(std::min(kMost, commands.size()));
  // A line each, which a shell takes as it stands.
  std::string text;
  for (const std::string& command : commands) {
    const std::string_view lead = text.empty() ? "  next: " : "        ";
    text += fmt::format("{}{}\n", lead, paint(screen, Style::faint, "netperfctl " + command));
  }
  return text.empty() ? "" : "\n" + text;
}

// What the caller requested in full.
std::string lists_part(const Screen& screen, const ShowView& view) {
  std::string text;
  if (view.list_streams) text += "\n" + show::streams_table(screen, view);
  if (view.list_intervals) text += "\n" + show::intervals_table(screen, view);
  if (!view.with_page) text += show::requested_parts(screen, view);
  text += show::trace_tables(screen, view) + show::function_tables(screen, view);
  text +=
      show::figures_list(screen, view) + show::latency_lists(screen, view) + show::samples_part(screen, view);
  return text + show::counters_part(screen, view) + show::environment_part(screen, view);
}

}  // namespace

std::string show_text(const Screen& screen, const ShowView& raw) {
  const ShowView view = escaped(raw);
  const RunView& run = view.details.run;
  if (!view.with_page) {
    const std::string lists = lists_part(screen, view);
    return lists.empty() ? "Nothing of this run is known that could be listed.\n"
                         : lists.substr(lists.find_first_not_of('\n'));
  }
  std::string text = show::first_line(screen, view);
  if (run.error && !run.error->empty()) text += show::field(screen, "error", *run.error, Style::bad);
  text += show::field(screen, "scenario", scenario_words(run));
  if (run.note) text += show::field(screen, "note", *run.note);
  text += show::field(screen, "workload", page_of(run).what(run));
  if (run.files)
    text += show::field(screen, run.files->size() > 1 ? "files" : "file", import_words(screen, run));
  const bool has_place = page_of(run).has_place || run.server || run.server_host;
  if (!is_trace_only(run) && has_place) text += show::field(screen, "between", between_words(run));
  for (const SumView& sum : view.details.sums) text += "\n" + show::direction_part(screen, view, sum);
  if (run.cpu_client_percent || run.cpu_server_percent || run.client_user_s || !view.details.sums.empty()) {
    text += (view.details.sums.size() == 1 ? "" : "\n") + show::field(screen, "cpu", cpu_words(run));
  }
  text += show::figures_part(screen, view);
  text += show::latency_part(screen, view);
  text += show::noise_part(screen, view);
  text += show::retransmits_part(screen, view);
  text += show::trace_part(screen, view) + job_part(screen, view);
  if (const Lines quality = show::quality(view); !quality.empty())
    text += section_text(screen, {"", quality});
  return text + lists_part(screen, view) + next_part(screen, view);
}

}  // namespace netperfctl
