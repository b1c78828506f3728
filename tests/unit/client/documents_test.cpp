// SPDX-License-Identifier: GPL-2.0-or-later
// JSON and CSV. The ctest `client_json_schema` checks the golden files written here against the schema.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "client/pages/doctor.hpp"
#include "client/pages/render.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

TEST(Json, of_every_list) {
  expect_golden("runs.json", runs_json(samples::runs(), true));
  expect_golden("jobs.json", jobs_json(samples::jobs()));
  expect_golden("scenarios.json", scenarios_json(samples::scenarios()));
  expect_golden("log.json", audit_json(samples::audit_log()));
}

TEST(Json, of_the_store_as_a_whole) {
  const StoreView store = {.version = 20,
                           .newest_version = 21,
                           .jobs = 3,
                           .runs = 14,
                           .bytes = 40'960,
                           .unused_bytes = 4096,
                           .disk_free_bytes = 7'000'000,
                           .problems = {"row 7 missing from index runs_by_job"},
                           .damaged_runs = {11, 14},
                           .damaged_jobs = {3}};
  const RestoredView restored = {
      .from_version = 19, .version = 20, .jobs = 3, .runs = 14, .kept = "/var/lib/netperfd/netperfd.db.old"};
  const std::vector<OldJobView> jobs{{.job = 12,
                                      .scenario = "veth-tcp",
                                      .label = "try-1",
                                      .user = 1000,
                                      .runs = 5,
                                      .stored_bytes = 123'456,
                                      .ended_us = 1'750'000'000'000'000,
                                      .why = "older than 90 days"}};
  expect_golden("store.json", store_json(store));
  expect_golden("backup.json", backup_json("/srv/netperfd.db", 40'960));
  expect_golden("restored.json", restored_json(restored));
  expect_golden("pruned.json", pruned_json(jobs, true));
  expect_golden("store.txt", store_text(store));
  expect_golden("restored.txt", restored_text(restored));
  expect_golden("pruned.txt", pruned_text({.width = 100, .now_us = 1'760'000'000'000'000}, jobs, true));
  expect_golden("store.csv", store_csv(store) + restored_csv(restored) + pruned_csv(jobs));
}

TEST(Json, of_a_run_has_intervals_and_streams_where_asked) {
  ShowView view = samples::both();
  expect_golden("show_both.json", show_json(view));
  view.list_intervals = view.list_streams = true;
  expect_golden("show_listing.json", show_json(view));
  expect_golden("show_udp.json", show_json(samples::udp()));
  expect_golden("show_failed.json", show_json(samples::failed()));
}

TEST(Json, of_a_trace_has_samples_and_stacks_where_asked) {
  ShowView view = samples::traced();
  expect_golden("show_traced.json", show_json(view));
  view.trace_lists.events = view.trace_lists.stacks = true;
  expect_golden("show_trace_lists.json", show_json(view));
  expect_golden("show_trace_skipped.json", show_json(samples::trace_skipped()));
  expect_golden("show_trace_only.json", show_json(samples::trace_only()));
  expect_golden("runs_traced.json", runs_json(samples::traced_runs(), false));
}

TEST(Json, of_what_this_machine_offers) {
  expect_golden("doctor.json", doctor_json(samples::locked_down(), true));
  expect_golden(
      "doctor_unreachable.json",
      doctor_json(unreachable_rows({Exit::unreachable, "", Step::no_name, "no such name"}, ""), false));
  expect_golden("modules.json", modules_json(samples::modules()));
  expect_golden("functions.json", functions_json(samples::functions()));
  expect_golden("functions_nearest.json", functions_json(samples::no_function()));
  expect_golden("kernel_events.json", events_json(samples::events()));
  expect_golden("kernel_event.json", event_json(samples::event()));
  expect_golden("tracers.json", tracers_json(samples::tracers()));
  expect_golden("marked.json", marked_json(12, "second phase"));
}

TEST(Json, of_what_nobody_knows_leaves_the_keys_out) {
  const std::string json = show_json(samples::unknown());
  expect_golden("show_unknown.json", json);
  EXPECT_EQ(json.find("null"), std::string::npos);
}

TEST(Json, of_what_verbs_did) {
  expect_golden("start.json", start_json(samples::started(), nullptr));
  expect_golden("stopped.json", stopped_json(12));
  expect_golden("held.json", held_json(12, true));
  expect_golden("released.json", held_json(12, false));
  expect_golden("undone.json", undone_json(12, "the machine off side gso-on"));
  expect_golden("deleted.json", deleted_json(std::vector<std::uint64_t>{41, 42}));
}

TEST(Json, events_are_a_line_each) {
  const LiveJobView job = samples::jobs().front();
  const std::string text =
      jobs_event_json(samples::jobs()) + job_event_json("job_added", job) +
      job_event_json("job_changed", job) + interval_json(12, 42, samples::tcp().intervals.back()) +
      trace_progress_json(12, 42, samples::trace_progress()) +
      trace_progress_json(12, 42, samples::function_progress()) +
      run_ended_json(12, 42, "failed", "no route\nto host") + run_ended_json(12, 43, "finished", "") +
      run_deleted_json(12, 43) + job_removed_json(12);
  expect_golden("events.jsonl", text);
  EXPECT_EQ(std::ranges::count(text, '\n'), 10);
}

TEST(Json, has_no_word_for_infinity) {
  IntervalView interval;
  interval.bits_per_second = std::numeric_limits<double>::infinity();
  interval.seconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(interval_json(1, 2, interval),
            "{\"version\":1,\"kind\":\"event\",\"event\":\"interval\",\"job\":1,\"run\":2,\"interval\":{"
            "\"direction\":\"send\",\"sender\":true,"
            "\"omitted\":false,\"start_s\":0.0,\"end_s\":0.0}}\n");
}

TEST(Json, is_ascii_whatever_a_label_holds) {
  LiveJobView job;
  job.label = "\x1b[31m\xc2\x9b\xe2\x80\xae";
  EXPECT_NE(jobs_json(std::vector{job}).find(R"("\u001b[31m\u009b\u202e")"), std::string::npos);
}

TEST(Csv, of_every_list) {
  expect_golden("runs.csv", runs_csv(samples::runs()));
  expect_golden("jobs.csv", jobs_csv(samples::jobs()));
  expect_golden("scenarios.csv", scenarios_csv(samples::scenarios()));
  expect_golden("log.csv", audit_csv(samples::audit_log()));
}

TEST(Csv, of_a_run_is_its_intervals_or_with_streams_its_totals) {
  ShowView view = samples::tcp();
  expect_golden("show_intervals.csv", show_csv(view));
  view.list_streams = true;
  expect_golden("show_streams.csv", show_csv(view));
}

TEST(Csv, of_a_trace_is_the_list_that_was_asked_for) {
  ShowView view = samples::traced();
  std::string text;
  for (bool TraceLists::* list : {&TraceLists::events, &TraceLists::drops, &TraceLists::stacks,
                                  &TraceLists::marks, &TraceLists::cpus, &TraceLists::over_time}) {
    view.trace_lists = {};
    view.trace_lists.*list = true;
    text += show_csv(view);
  }
  expect_golden("show_trace_lists.csv", text);
}

TEST(Csv, of_a_run_without_iperf3_is_its_events_over_time) {
  expect_golden("show_trace_only.csv", show_csv(samples::trace_only()));
}

TEST(Csv, of_what_this_machine_offers) {
  expect_golden("catalogue.csv", doctor_csv(samples::locked_down()) + modules_csv(samples::modules()) +
                                     functions_csv(samples::functions()) + events_csv(samples::events()) +
                                     event_csv(samples::event()) + tracers_csv(samples::tracers()));
}

TEST(Csv, quotes_what_would_break_a_record) {
  const std::vector<ScenarioView> rows{
      {.name = "a,b", .description = "say \"x\"", .file = "two\nlines", .error = {}}};
  EXPECT_EQ(scenarios_csv(rows),
            "name,description,file,error\r\n\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\r\n");
}

}  // namespace
}  // namespace netperfctl
