// SPDX-License-Identifier: GPL-2.0-or-later
// The pages about tracing: a run's trace, the machine's abilities, and the kernel's functions and events.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "client/pages/doctor.hpp"
#include "client/pages/render.hpp"
#include "client/pages/trace_text.hpp"
#include "client/terminal/text.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

// The column of `picture` in the last line that begins with `name`.
std::size_t column_of(const std::string& page, const std::string& name, const std::string& picture) {
  std::istringstream lines{page};
  std::size_t column = std::string::npos;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(picture);
    if (line.find(name) == 2 && at != std::string::npos) column = display_width(line.substr(0, at));
  }
  return column;
}

Failure failure_at(Step step, std::string cause) {
  return {Exit::unreachable, "not shown", step, std::move(cause)};
}

TEST(TracePages, a_run_with_drops_stacks_and_marks) {
  expect_golden("show_traced_80.txt", show_text(samples::terminal(80), samples::traced()));
  expect_golden("show_traced_pipe.txt", show_text(samples::pipe(), samples::traced()));
}

TEST(TracePages, events_stand_below_the_throughput_of_the_same_time) {
  ShowView view = samples::traced();
  std::vector<IntervalPointView>& points = view.over_time.points;
  std::erase_if(points, [](const IntervalPointView& point) { return point.sender; });
  for (IntervalPointView& point : points) {
    if (point.omitted) continue;
    point.bits_per_second =
        point.start_s == 4.0 ? 80e6 : 10e6;  // 5 s after the release: one second was omitted
  }
  view.trace->events = {
      {.event = "skb:kfree_skb", .filter = {}, .count = 9, .slices = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}}}};
  const std::string page = show_text(samples::terminal(80), view);
  const std::size_t event = column_of(page, "skb:kfree_skb", "█");
  EXPECT_NE(event, std::string::npos) << page;
  EXPECT_EQ(event, column_of(page, "received", "█")) << page;
}

TEST(TracePages, losses_are_told_in_words) {
  expect_golden("show_trace_losses_80.txt", show_text(samples::terminal(80), samples::traced_losses()));
}

TEST(TracePages, of_what_was_lost_no_dot_says_that_it_was_not_there) {
  ShowView view = samples::traced_losses();
  EXPECT_EQ(show_text(samples::terminal(80), view).find("·"), std::string::npos);
  view.trace->trace.lost = 0;
  for (TraceCpuView& cpu : view.trace->cpus) cpu = {};
  EXPECT_NE(show_text(samples::terminal(80), view).find("·"), std::string::npos);
}

TEST(TracePages, says_what_was_watched_where_that_is_not_all) {
  ShowView view = samples::trace_only();
  view.trace->trace.only_cpus = {{7, 0, 3, 2}};
  EXPECT_NE(show_text(samples::one_line(), view)
                .find("  only       skb:kfree_skb where reason != 2; CPUs 0, 2-3, 7\n"),
            std::string::npos);
  for (TraceEventView& event : view.trace->events) event.filter.reset();
  view.trace->trace.only_cpus.reset();
  EXPECT_EQ(show_text(samples::one_line(), view).find("only  "), std::string::npos);
}

TEST(TracePages, losses_that_nobody_counted_are_at_least_so_many) {
  ShowView view = samples::traced_losses();
  view.details.flags = {{"losses-uncounted", "how many is not known"}};
  std::string page = show_text(samples::one_line(), view);
  EXPECT_NE(page.find("; at least 12,011 lost"), std::string::npos) << page;
  EXPECT_NE(page.find("cpu 0 lost 12,004 of 24,310 records (49 %)"), std::string::npos)
      << "the kernel's statistics have their number\n"
      << page;
  view.trace->cpus.front().overrun = 0;
  page = show_text(samples::one_line(), view);
  EXPECT_NE(page.find("cpu 0 lost at least 11,000 records"), std::string::npos) << page;
}

TEST(TracePages, losses_of_each_cpu_are_the_least_that_they_can_be) {
  ShowView view = samples::traced_losses();
  view.trace_lists.cpus = true;
  view.trace->cpus.resize(1);
  view.trace->cpus.front().overrun = 0;
  view.details.flags = {{"losses-uncounted", "how many is not known"}};
  const std::string page = show_text(samples::one_line(), view);
  EXPECT_NE(page.find("  at least 11,000  "), std::string::npos) << "in the table: " << page;
}

TEST(TracePages, losses_that_nobody_counted_are_so_in_few_words) {
  RunView run;
  run.trace_events = 5;
  run.trace_lost = 3;
  EXPECT_EQ(show::trace_words(run, {}), "5 events, 3 lost");
  EXPECT_EQ(show::trace_words(run, {{"losses-uncounted", ""}}), "5 events, at least 3 lost");
}

TEST(TracePages, a_figure_and_its_word_stay_on_one_line) {
  const ShowView view = samples::traced();
  for (std::size_t width = 40; width < 120; ++width) {
    EXPECT_NE(show_text(samples::terminal(width), view).find(" 0 lost\n"), std::string::npos) << width;
  }
}

TEST(TracePages, only_with_an_omitted_part_the_totals_say_so) {
  ShowView view = samples::traced();
  EXPECT_NE(show_text(samples::one_line(), view).find(", with the omitted part; 0 lost"), std::string::npos);
  view.details.run.omit_s = 0;
  EXPECT_EQ(show_text(samples::one_line(), view).find("omitted part"), std::string::npos);
}

TEST(TracePages, a_flag_that_tracing_has_told_of_only_points_there) {
  ShowView view = samples::trace_broken();
  view.details.flags = {{"trace-broken", *view.trace->trace.broken}, {"events-lost", "records lost: 5"}};
  const std::string page = show_text(samples::one_line(), view);
  EXPECT_NE(
      page.find("  quality    see tracing (trace-broken)\n             records lost: 5 (events-lost)\n"),
      std::string::npos)
      << page;
  view.trace->trace.lost = 5;
  EXPECT_NE(show_text(samples::one_line(), view).find("see tracing (events-lost)"), std::string::npos);
}

TEST(TracePages, short_stacks_leave_out_what_all_have_and_add_up_what_looks_the_same) {
  ShowView view = samples::traced();
  view.stacks.more = false;
  view.stacks.stacks = {{.event = "a:b", .count = 5, .frames = {{"in+0x1", "tcp_v4_rcv+0x10", "ip_rcv"}}},
                        {.event = "a:c", .count = 4, .frames = {{"in+0x1", "alone"}}},
                        {.event = "a:b", .count = 3, .frames = {{"in+0x1", "tcp_v4_rcv+0x90", "ip_rcv"}}},
                        {.event = "a:b", .count = 2, .frames = {{"in+0x1", "unix_release"}}},
                        {.event = "a:d", .count = 1, .frames = {{"in"}}},
                        {.event = "a:d", .count = 1, .frames = {{"in", "out"}}}};
  const std::string page = show_text(samples::one_line(), view);
  EXPECT_NE(page.find("      8  a:b    tcp_v4_rcv < ip_rcv\n"
                      "      4  a:c    in < alone\n"
                      "      2  a:b    unix_release\n"
                      "      1  a:d    in\n"
                      "      1  a:d    in < out\n"),
            std::string::npos)
      << page;
}

TEST(TracePages, events_that_are_not_kept_leave_a_line) {
  ShowView view = samples::traced();
  view.trace_lists.events = true;
  const std::string page = show_text(samples::one_line(), view);
  EXPECT_NE(page.find("…  1,202 of skb:kfree_skb not kept\n"), std::string::npos) << page;
  EXPECT_EQ(page.find("of tcp:tcp_retransmit_skb not kept"), std::string::npos)
      << "nothing follows its first";
}

TEST(TracePages, counts_over_time_have_a_rate_only_where_a_slice_is_a_second) {
  ShowView view = samples::trace_only();
  view.trace_lists.over_time = true;
  EXPECT_EQ(show_text(samples::one_line(), view).find("PER SECOND"), std::string::npos);
  view.trace->trace.slice_s = 2;
  EXPECT_NE(show_text(samples::one_line(), view).find("PER SECOND"), std::string::npos);
}

TEST(TracePages, what_did_not_fit_into_an_answer_is_named) {
  ShowView view = samples::traced();
  view.trace->trace.marks_left_out = 1'200;
  view.trace->trace.slices_left_out = 3;
  EXPECT_NE(show_text(samples::terminal(120), view)
                .find("  not shown  3 events over time, 1,200 marks: too many for one answer of netperfd\n"),
            std::string::npos);
}

TEST(TracePages, a_trace_that_was_skipped_says_why) {
  expect_golden("show_trace_skipped_80.txt", show_text(samples::terminal(80), samples::trace_skipped()));
}

TEST(TracePages, a_trace_that_broke_says_what_happened) {
  expect_golden("show_trace_broken_80.txt", show_text(samples::terminal(80), samples::trace_broken()));
}

TEST(TracePages, a_run_without_a_workload_has_no_line_of_iperf3) {
  const std::string page = show_text(samples::terminal(80), samples::trace_only());
  expect_golden("show_trace_only_80.txt", page);
  for (const char* word : {"iperf3", "received", "between", "throughput", "cpu  "}) {
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  }
}

TEST(TracePages, every_list_where_asked) {
  ShowView view = samples::traced();
  view.trace_lists = {
      .events = true, .drops = true, .stacks = true, .marks = true, .cpus = true, .over_time = true};
  expect_golden("show_trace_lists_80.txt", show_text(samples::terminal(80), view));
}

TEST(TracePages, what_is_unknown_is_never_zero) {
  ShowView view = samples::trace_only();
  view.details.run.trace_events.reset();
  view.details.run.trace_lost.reset();
  view.trace = TraceDetails{.trace = {},
                            .cpus = {TraceCpuView{}},
                            .events = {{.event = "skb:kfree_skb", .filter = {}, .count = {}, .slices = {}}},
                            .drops = {DropView{}},
                            .marks = {MarkView{}}};
  view.stacks.stacks = {StackView{}};
  view.samples = {SampleView{}};
  view.trace_lists = {true, true, true, true, true, true};
  const std::string page = show_text(samples::terminal(80), view);
  expect_golden("show_trace_unknown_80.txt", page);
  std::istringstream words{page};
  for (std::string word; words >> word;) EXPECT_NE(word, "0") << page;
}

TEST(TracePages, no_line_is_wider_than_the_terminal) {
  ShowView view = samples::traced();
  view.trace_lists = {
      .events = true, .drops = true, .stacks = false, .marks = false, .cpus = true, .over_time = true};
  const Screen screen = samples::terminal(80);
  std::istringstream lines{show_text(screen, view) + show_text(screen, samples::traced_losses()) +
                           doctor_text(screen, samples::locked_down()) +
                           event_text(screen, samples::event()) + events_text(screen, samples::events())};
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80U) << line;
}

TEST(TracePages, without_glyphs_are_ascii) {
  Screen screen = samples::terminal(80);
  screen.glyphs = false;
  for (const char c : show_text(screen, samples::traced())) ASSERT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(TracePages, the_end_of_a_run_tells_of_its_trace) {
  const Screen screen = samples::terminal(80);
  EXPECT_EQ(run_end_text(screen, samples::trace_only().details, nullptr),
            "run 47  1/1  finished   1,221 events, 0 lost\n");
  EXPECT_EQ(run_end_text(screen, samples::traced().details, nullptr),
            "run 43  3/3  finished   79.6 Mbit/s   1,221 events, 0 lost\n");
  EXPECT_EQ(run_end_text(screen, samples::trace_skipped().details, nullptr),
            "run 43  3/3  finished   79.6 Mbit/s   not traced\n");
}

TEST(Doctor, on_a_locked_down_kernel) {
  expect_golden("doctor_locked_down_80.txt", doctor_text(samples::terminal(80), samples::locked_down()));
}

TEST(Doctor, on_a_capable_kernel) {
  expect_golden("doctor_capable_80.txt", doctor_text(samples::terminal(80), samples::capable()));
  expect_golden("doctor_capable_pipe.txt", doctor_text(samples::pipe(), samples::capable()));
}

TEST(Doctor, says_at_which_step_the_daemon_was_not_reached) {
  const Screen screen = samples::terminal(80);
  std::string text;
  for (const auto& failure :
       {failure_at(Step::bus, "the system bus cannot be reached: No such file or directory"),
        failure_at(Step::no_name, "The name org.netperfd1 was not provided by any .service files"),
        failure_at(Step::start, "Unit netperfd.service failed to start: Unit is masked."),
        failure_at(Step::policy, "Rejected send message, 1 matched rules"),
        failure_at(Step::answer, "Connection timed out")}) {
    text += doctor_text(screen, unreachable_rows(failure, ""));
  }
  text += doctor_text(screen, unreachable_rows(failure_at(Step::bus, "Connection refused"), "unix:path=/x"));
  expect_golden("doctor_unreachable_80.txt", text);
}

TEST(Doctor, a_bus_that_refuses_the_user_is_not_to_be_started) {
  const std::string text =
      doctor_text(samples::one_line(),
                  unreachable_rows(failure_at(Step::user, "Transport endpoint is not connected"), ""));
  EXPECT_NE(text.find("refuses this user"), std::string::npos) << text;
  EXPECT_NE(text.find("/etc/passwd"), std::string::npos) << text;
  EXPECT_EQ(text.find("systemctl start dbus"), std::string::npos) << text;
}

TEST(Doctor, counts_what_only_an_instance_of_its_own_can_do) {
  const std::vector<CapabilityView> rows{{"function_graph", "no", "in use", {}},
                                         {"function_graph_instance", "yes", {}, {}}};
  const std::string text = doctor_text(samples::one_line(), rows);
  EXPECT_TRUE(text.ends_with("Here netperfd can measure time per kernel function.\n")) << text;
}

TEST(Doctor, sums_up_no_purpose_that_was_not_probed) {
  const std::string text =
      doctor_text(samples::one_line(), std::vector<CapabilityView>{{"tracepoints", "limited", "none", {}}});
  EXPECT_TRUE(text.ends_with("Here netperfd can measure kernel events (with limits).\n")) << text;
  EXPECT_TRUE(doctor_text(samples::one_line(), {}).ends_with("What can be measured here is not known.\n"));
}

TEST(CataloguePages, modules_functions_events_and_tracers) {
  const Screen screen = samples::terminal(80);
  expect_golden("modules_80.txt", modules_text(screen, samples::modules(), ""));
  expect_golden("functions_80.txt", functions_text(screen, samples::functions(), ""));
  expect_golden("kernel_events_80.txt", events_text(screen, samples::events()));
  expect_golden("kernel_event_80.txt", event_text(screen, samples::event()));
  EXPECT_EQ(tracers_text(screen, samples::tracers()),
            "TRACER          TOP INSTANCE\nfunction_graph\nnop             current\n");
}

TEST(CataloguePages, how_an_event_is_printed_does_not_repeat_the_names_of_its_values) {
  EventDetails event = samples::event();
  event.event.print =
      "\"%s %s %d\", __print_symbolic(REC->reason, { 2, \"A (old)\" }, { 3, \"B\" }), "
      "__print_flags(f(REC->a, 1), \"|\", { 1, \")\" }), REC->x";
  EXPECT_NE(event_text(samples::one_line(), event)
                .find("prints  \"%s %s %d\", REC->reason as above, f(REC->a, 1) as above, REC->x\n"),
            std::string::npos)
      << event_text(samples::one_line(), event);
  event.event.print = "__print_symbolic(REC->reason, { 2, \"A";
  EXPECT_NE(event_text(samples::one_line(), event).find("prints  REC->reason as above\n"), std::string::npos);
}

TEST(CataloguePages, a_filter_of_an_event_without_named_values_compares_a_number) {
  EventDetails event = samples::event();
  for (EventFieldView& field : event.fields) field.values.reset();
  EXPECT_NE(event_text(samples::one_line(), event).find("filter: 'reason > 0'"), std::string::npos);
  event.fields.clear();
  EXPECT_NE(event_text(samples::one_line(), event).find("in a job: trace: {events: [skb:kfree_skb]}\n"),
            std::string::npos);
}

TEST(CataloguePages, a_function_that_cannot_be_traced_has_neighbours) {
  expect_golden("functions_nearest_80.txt",
                functions_text(samples::terminal(80), samples::no_function(), "tcp_sendmg"));
}

TEST(CataloguePages, functions_that_are_all_there_say_nothing_of_pages) {
  FunctionPage page = samples::functions();
  page.total = page.functions.size();
  EXPECT_EQ(functions_text(samples::one_line(), page, "").find("showing"), std::string::npos);
}

TEST(CataloguePages, modules_whose_functions_nobody_tells_point_to_the_doctor) {
  std::vector<ModuleView> modules = samples::modules();
  for (ModuleView& module : modules) module.functions.reset();
  const std::string text = modules_text(samples::one_line(), modules, "");
  EXPECT_NE(text.find("netperfctl doctor"), std::string::npos) << text;
}

TEST(CataloguePages, empty_lists_say_so) {
  const Screen screen = samples::one_line();
  EXPECT_EQ(
      modules_text(screen, {}, ""),
      "No module is loaded: this kernel may have everything built in. A GLOB also lists those that could "
      "be loaded.\n");
  EXPECT_EQ(modules_text(screen, {}, "hsr*"), "No module of this kernel is called `hsr*`.\n");
  EXPECT_EQ(events_text(screen, {}), "No event fits.\n");
  EXPECT_EQ(functions_text(screen, {}, "x*"), "No traceable function fits `x*`.\n");
  EXPECT_NE(functions_text(screen, {}, "").find("netperfctl doctor"), std::string::npos);
  EXPECT_NE(tracers_text(screen, {}).find("netperfctl doctor"), std::string::npos);
}

TEST(Doctor, leaves_out_what_netperfd_does_not_use_and_counts_latency_among_its_purposes) {
  const std::vector<CapabilityView> rows{{"kprobes", "yes", "events; not used by netperfd", {}},
                                         {"iperf3", "yes", "3.18", {}},
                                         {"latency_probes", "no", "there is no netperfd-echo to run", {}}};
  const std::string text = doctor_text(samples::one_line(), rows);
  EXPECT_FALSE(has(text, "kprobes")) << text;
  EXPECT_TRUE(has(text, "Here netperfd can measure throughput; not latency.")) << text;
}

}  // namespace
}  // namespace netperfctl
